//! Random systems there and back.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::super::edges::{EdgeColumns, Ordered, decode_by, encode};
use super::*;

/// Labels, some of them odd; the first is hidden.
const LABELS: [&str; 12] = [
    "i",
    "a",
    "b",
    "",
    "A !1",
    "A !2",
    "A !TRUE !-3",
    "B !\"x !y\" !{1}",
    "c(1, 2)",
    "é\n",
    "B ?x",
    "A !",
];

type Transitions = Vec<(u32, usize, u32)>;

fn build(states: u32, initial: u32, transitions: &Transitions) -> Lts {
    let transitions: Vec<_> = transitions
        .iter()
        .map(|&(s, l, t)| (s % states, LABELS[l % LABELS.len()], t % states))
        .collect();
    lts(states.into(), initial % states, &transitions)
}

fn any_lts(states: u32, transitions: usize) -> impl Strategy<Value = Lts> {
    (
        1..=states,
        any::<u32>(),
        prop::collection::vec(
            (any::<u32>(), 0..LABELS.len(), any::<u32>()),
            0..=transitions,
        ),
    )
        .prop_map(|(states, initial, transitions)| build(states, initial, &transitions))
}

/// Targets mostly near what has been there before, as in state spaces.
fn local_lts() -> impl Strategy<Value = Lts> {
    let step = (
        0u32..3,
        0..LABELS.len(),
        prop_oneof![6 => -3i32..5, 1 => -60i32..60],
    );
    (1u32..200, prop::collection::vec(step, 0..400)).prop_map(|(states, steps)| {
        let mut source = 0;
        let transitions = steps
            .into_iter()
            .map(|(on, label, jump)| {
                source += on;
                (source, label, source.wrapping_add_signed(jump))
            })
            .collect();
        build(states, 0, &transitions)
    })
}

/// The same with states in the order in which a search finds them, by the
/// letter.
fn breadth_first(graph: &Lts) -> Lts {
    let mut order: Vec<u32> = Vec::new();
    let isolated = |s: &u32| graph.row(StateId::new(*s)).is_empty();
    let all = 0..graph.states() as u32;
    let (last, first): (Vec<u32>, Vec<u32>) = all.partition(isolated);
    for root in [graph.initial().get()].into_iter().chain(first).chain(last) {
        let mut queue = VecDeque::from([root]);
        while let Some(state) = queue.pop_front() {
            if !order.contains(&state) {
                order.push(state);
                let targets = graph.outgoing(StateId::new(state)).map(|(_, t)| t.get());
                queue.extend(targets);
            }
        }
    }
    let number = |s: StateId| {
        let place = order.iter().position(|&state| state == s.get());
        StateId::new(place.unwrap() as u32)
    };
    let mut again = LtsBuilder::with_table(graph.states() as u64, graph.table().clone());
    for &state in &order {
        let state = StateId::new(state);
        for (label, target) in graph.outgoing(state) {
            again.add(number(state), label, number(target));
        }
    }
    again.build(StateId::new(0)).unwrap()
}

fn there_and_back(graph: &Lts) {
    let expected = breadth_first(graph);
    let mut options = WriteOptions::default();
    for parse_labels in [false, true] {
        options.bcg.parse_labels = parse_labels;
        let (again, _) = read(&written(graph, &options));
        assert_eq!(again.initial().get(), 0);
        assert_eq!(again.states(), expected.states());
        assert_eq!(transitions(&again), transitions(&expected));
    }
    options.bcg.keep_order = true;
    let (again, _) = read(&written(graph, &options));
    let initial = graph.initial().get();
    let number = |s: u32| match s {
        0 => initial,
        _ if s == initial => 0,
        _ => s,
    };
    let mut all: Vec<_> = transitions(graph)
        .into_iter()
        .map(|(s, l, t)| (number(s), l, number(t)))
        .collect();
    all.sort_by_key(|transition| transition.0);
    assert_eq!(transitions(&again), all);
}

/// The section is the naive one, and the fast way of reading is as good as the
/// slow one.
fn one_section(graph: &Lts) {
    let states = graph.states() as u32;
    let breadth_first = breadth_first(graph);
    for (graph, ordered) in [
        (&breadth_first, Ordered::breadth_first(graph)),
        (&breadth_first, Ordered::kept(&breadth_first)),
    ] {
        let (section, labels) = encode(ordered);
        let number = |l: LabelId| labels.iter().position(|&known| known == l).unwrap() as u32;
        let edges: Vec<_> = graph
            .iter()
            .map(|(s, l, t)| (s.get(), number(l), t.get()))
            .collect();
        assert!(section == naive_edges(Parameters::V1_2, 48, states, &edges));
        let ids: Vec<_> = (0..labels.len() as u32).map(LabelId::new).collect();
        for fast in [false, true] {
            let columns = decode_by(&section, 48, states, &ids, fast);
            assert_eq!(listed(&columns), edges);
        }
    }
}

proptest! {
    #[test]
    fn small_systems(graph in any_lts(12, 40)) {
        there_and_back(&graph);
        one_section(&graph);
    }

    #[test]
    fn larger_systems(graph in any_lts(300, 500)) {
        there_and_back(&graph);
        one_section(&graph);
    }

    #[test]
    fn local_systems(graph in local_lts()) {
        there_and_back(&graph);
        one_section(&graph);
    }

    #[test]
    fn canonical_form(graph in any_lts(8, 30)) {
        let mut options = WriteOptions {
            canonical: true,
            ..WriteOptions::default()
        };
        options.bcg.keep_order = true;
        let mut found: Vec<_> = transitions(&read(&written(&graph, &options)).0)
            .into_iter()
            .map(|(s, l, t)| (s, l.unwrap_or(b"i").to_vec(), t))
            .collect();
        prop_assert!(found.is_sorted());
        let len = found.len();
        found.dedup();
        prop_assert_eq!(found.len(), len);
    }

    #[test]
    fn sections_of_any_writer(
        transitions in prop::collection::vec((0..STATES, 0u32..5, 0..STATES), 0..300),
        parameters in prop_oneof![
            prop::sample::select(vec![[2, 2, 4], [3, 1, 3], [4, 1, 3]]),
            [1u8..=8, 1..=8, 2..=8],
        ],
        count_bits in prop::sample::select(vec![32, 48]),
    ) {
        let mut transitions = transitions;
        transitions.sort_by_key(|transition| transition.0);
        let [register_bits, short_bits, medium_bits] = parameters;
        let parameters = Parameters { register_bits, short_bits, medium_bits };
        let section = naive_edges(parameters, count_bits, STATES, &transitions);
        let ids: Vec<_> = (0..5).map(LabelId::new).collect();
        for fast in [false, true] {
            let columns = decode_by(&section, count_bits, STATES, &ids, fast);
            prop_assert_eq!(listed(&columns), transitions.clone());
        }
    }
}

/// So many that long forms are needed whatever the parameters.
const STATES: u32 = 2000;

fn listed(columns: &EdgeColumns) -> Vec<(u32, u32, u32)> {
    let mut all = Vec::new();
    for (source, ends) in columns.offsets.windows(2).enumerate() {
        for k in ends[0] as usize..ends[1] as usize {
            all.push((
                source as u32,
                columns.labels[k].get(),
                columns.targets[k].get(),
            ));
        }
    }
    all
}
