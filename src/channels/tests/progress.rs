//! Maximal progress against exploring all.

use std::collections::BTreeSet;

use hyades_explore::{Limit, Limits, LtsSink, Outcome};
use hyades_formats::{LabelTable, LtsBuilder, StateId};
use hyades_testing::Random;

use super::super::*;
use super::random::Recipe;
use super::x25::read;

fn sizes(system: &System) -> (u64, u64) {
    let model = MaximalProgress::new(system, Semantics::default()).unwrap();
    let found = model.analyse(Limits::default(), None, None).unwrap();
    assert!(found.is_complete());
    assert!(found.dead.is_empty() && found.overflowing.is_empty());
    (found.states, found.transitions)
}

/// What is done to which component, once the machine is known.
pub(super) type Step = (usize, fn(&Machine) -> Application);

/// The steps of figures 1 to 9 but for those of Θ2, with the states of the files, which
/// are one less than those of the paper.
pub(super) const CHAIN: [Step; 10] = [
    (0, |_| Application::Theta1(StateId::new(6))),
    (1, |_| Application::Theta1(StateId::new(5))),
    (0, |_| Application::Theta3(StateId::new(2))),
    (1, |_| Application::Theta3(StateId::new(1))),
    (0, |_| Application::Theta3(StateId::new(3))),
    (1, |_| Application::Theta3(StateId::new(3))),
    (0, |m| Application::theta4_of_all(m, StateId::new(4))),
    (1, |m| Application::theta4_of_all(m, StateId::new(4))),
    (0, |m| Application::theta4_of_all(m, StateId::new(0))),
    (1, |m| Application::theta4_of_all(m, StateId::new(0))),
];

/// The figures of section 5.4.
#[test]
fn x25() {
    let mut system = read("x25_v1.toml");
    let reduce = |system: &mut System, steps: &[Step]| {
        for (component, application) in steps {
            let mut reducer = Reducer::new(system, ComponentId::new(*component));
            let application = application(reducer.machine());
            reducer.apply(application).unwrap();
            let limits = RuleLimits::default();
            reducer.exhaust(&[Rule::Theta2], &limits, Strategy::RuleByRule);
        }
    };
    assert_eq!(sizes(&system), (110, 222));
    reduce(&mut system, &CHAIN[..2]);
    assert_eq!(sizes(&system), (103, 215));
    reduce(&mut system, &CHAIN[2..]);
    assert_eq!(sizes(&system), (83, 204));
}

fn dead(found: &Analysis, model: &SystemModel<'_>) -> BTreeSet<SystemState> {
    found
        .dead
        .iter()
        .map(|&state| found.state(model, state))
        .collect()
}

fn overflowing(found: &Analysis) -> Vec<ChannelId> {
    found
        .overflowing
        .iter()
        .map(|(channel, _)| *channel)
        .collect()
}

/// Beyond overfilled channels: the same dead states and overfilled channels. Without:
/// the same verdict.
#[test]
fn finds_what_exploring_all_finds() {
    let (mut smaller, mut with_dead, mut with_overfilled) = (0, 0, 0);
    for seed in 0..4000 {
        let mut random = Random::new(seed);
        let system = Recipe::PAIR.system(&mut random);
        for beyond in [Beyond::Expand, Beyond::Stop] {
            let semantics = Semantics {
                beyond,
                channel_bound: Some(6),
                ..Semantics::default()
            };
            let reduced = MaximalProgress::new(&system, semantics).unwrap();
            let model = reduced.model();
            let limits = Limits {
                max_states: Some(1000),
                ..Limits::default()
            };
            let all = analyse(model, limits, None, None).unwrap();
            if !all.is_complete() {
                continue;
            }
            let some = reduced.analyse(limits, None, None).unwrap();
            let text = || format!("seed {seed}, {beyond:?}\n{}", system.to_text());
            assert!(some.is_complete());
            assert!(some.states <= all.states && some.transitions <= all.transitions);
            let mut executed = some.executed.iter().zip(&all.executed);
            assert!(executed.all(|(some, all)| some <= all), "{}", text());
            let is_exact = beyond == Beyond::Expand || all.overflowing.is_empty();
            if is_exact {
                assert_eq!(dead(&some, model), dead(&all, model), "{}", text());
            }
            assert_eq!(overflowing(&some), overflowing(&all), "{}", text());
            for &(channel, sight) in &some.overflowing {
                let way = some.way_to_sight(sight);
                assert!(walk(model, &way).contains(&channel), "{}", text());
            }
            smaller += usize::from(some.states < all.states);
            with_dead += usize::from(!all.dead.is_empty());
            with_overfilled += usize::from(!all.overflowing.is_empty());
        }
    }
    // Otherwise nothing has been tested.
    assert!(smaller > 1000 && with_dead > 1000 && with_overfilled > 1000);
}

/// The channels that hold more than their capacity after a walk of the system, which
/// is executed on queues.
fn walk(model: &SystemModel<'_>, way: &[u32]) -> Vec<ChannelId> {
    let system = model.system();
    let mut queues = vec![std::collections::VecDeque::new(); system.channels().len()];
    let mut states: Vec<_> = system.machines().iter().map(Machine::initial).collect();
    for &step in way {
        let (id, transition) = &model.transitions()[step as usize];
        assert_eq!(states[id.index()], transition.source);
        states[id.index()] = transition.target;
        for event in transition.label.iter().filter(|e| e.is_reception()) {
            let head = queues[event.channel.index()].pop_front();
            assert_eq!(head, Some(event.message));
        }
        for event in transition.label.iter().filter(|e| e.is_transmission()) {
            queues[event.channel.index()].push_back(event.message);
        }
    }
    let channels = system.channels().iter().zip(&queues).enumerate();
    let overflowing = channels.filter(|(_, (channel, queue))| channel.overflows_with(queue.len()));
    overflowing.map(|(k, _)| ChannelId::new(k)).collect()
}

/// The union as an LTS: rows as a sink expects them, the same for every number of
/// threads.
#[test]
fn the_union_is_a_state_space() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let system = Recipe::PAIR.system(&mut random);
        let reduced = MaximalProgress::new(&system, Semantics::default()).unwrap();
        let (table, labels): (LabelTable, _) = labels_of(reduced.model()).unwrap();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| {
                let mut sink = LtsSink::new();
                let goal = Labelled {
                    sink: &mut sink,
                    table: &table,
                    labels: &labels,
                };
                let found = reduced
                    .analyse(Limits::default(), None, Some(goal))
                    .unwrap();
                let lts = sink.finish(table.clone()).unwrap();
                assert_eq!(found.states, lts.states() as u64);
                assert_eq!(found.transitions, lts.transitions() as u64);
                hyades_testing::aut(&lts)
            })
        };
        assert_eq!(run(1), run(3));
    }
}

#[test]
fn other_systems_are_refused() {
    let mut refused = 0;
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let recipe = Recipe {
            open: 50,
            ..Recipe::closed(2 + seed as usize % 2)
        };
        let system = recipe.system(&mut random);
        let is_pair = system.machines().len() == 2 && system.channels().len() == 2;
        match MaximalProgress::new(&system, Semantics::default()) {
            Ok(_) => assert!(is_pair),
            Err(error) => {
                assert!(!is_pair);
                let text = error.to_string();
                let expected = "; maximal progress expects a closed system of two components with \
                                one channel from each to the other and no other channel";
                assert!(text.ends_with(expected), "{text}");
                refused += 1;
            }
        }
    }
    assert!(refused > 50);
}

#[test]
fn reasons_of_refusals() {
    let reason = |channels: &[(Option<&str>, Option<&str>)]| {
        let mut text = String::from("format = \"csm-system-1\"\n");
        for name in ["P", "Q"] {
            text += &format!("[[component]]\nname = \"{name}\"\naut = \"des (0, 0, 1)\"\n");
        }
        for (k, (from, to)) in channels.iter().enumerate() {
            text += &format!("[[channel]]\nname = \"c{k}\"\nmessages = [\"m\"]\n");
            for (key, end) in [("from", from), ("to", to)] {
                if let Some(end) = end {
                    text += &format!("{key} = \"{end}\"\n");
                }
            }
        }
        let file = SystemFile::from_text(&text).unwrap();
        let lts = LtsBuilder::new(1);
        let lts = lts.build(StateId::new(0)).unwrap();
        let system = file.system(&[lts.clone(), lts]).unwrap();
        let error = MaximalProgress::new(&system, Semantics::default()).err();
        error.map(|error| error.to_string().split(';').next().unwrap().to_owned())
    };
    let [p, q] = ["P", "Q"].map(Some);
    assert_eq!(reason(&[(p, q), (q, p)]), None);
    let is = |channels: &[_], text: &str| assert_eq!(reason(channels).as_deref(), Some(text));
    is(&[], "no channel from P to Q");
    is(&[(p, q)], "no channel from Q to P");
    is(
        &[(p, q), (q, p), (q, q)],
        "channel c2 is a private one of Q",
    );
    is(
        &[(p, q), (q, p), (p, q)],
        "channel c2 leads from P to Q as c0 does",
    );
    is(
        &[(p, q), (None, p)],
        "channel c1 leads from the environment to P",
    );
    is(&[(q, None)], "channel c0 leads from Q to the environment");
}

/// With a limit, what is found is found by one of the explorations.
#[test]
fn limits() {
    let system = read("x25_v1.toml");
    let model = MaximalProgress::new(&system, Semantics::default()).unwrap();
    let limits = Limits {
        max_states: Some(20),
        ..Limits::default()
    };
    let found = model.analyse(limits, None, None).unwrap();
    assert_eq!(found.outcome, Outcome::LimitReached(Limit::States));
    assert_eq!(found.states, 20);
    assert!(!found.is_complete() && found.dead.is_empty());
}
