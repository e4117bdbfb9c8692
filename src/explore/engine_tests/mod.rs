//! The engine against a search that a reader can check by eye: numbers, labels,
//! transitions, answers and limits, for all kinds of states, batches and numbers
//! of threads.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use hyades_formats::{LabelId, LabelTable, Lts, LtsBuilder, StateId};
use proptest::prelude::*;

use super::arena::Arena;
use super::batch::Sizes;
use super::explorer::Explorer;
use super::hash::Hasher;
use super::store::{PackedStore, Store};
use super::*;

mod rings;

/// The transitions of a system, by source: text of the label and target. An
/// empty text is the hidden action.
#[derive(Clone, Debug)]
struct System {
    rows: Vec<Vec<(String, u32)>>,
    initial: u32,
}

fn any_system() -> impl Strategy<Value = System> {
    (1u32..80, 0u32..5, 0usize..4).prop_flat_map(|(n, labels, degree)| {
        let transition = (0..n, 0..=labels, 0..n);
        let transitions = prop::collection::vec(transition, 0..=degree * n as usize);
        (transitions, 0..n).prop_map(move |(transitions, initial)| {
            let mut rows = vec![Vec::new(); n as usize];
            for (source, label, target) in transitions {
                let text = if label == 0 {
                    String::new()
                } else {
                    format!("l{label}")
                };
                rows[source as usize].push((text, target));
            }
            System { rows, initial }
        })
    })
}

/// What is found by going through a queue.
struct Naive {
    /// The states of the system in the order of discovery.
    found: Vec<u32>,
    transitions: Vec<(u32, String, u32)>,
    labels: Vec<String>,
    complete_rows: usize,
    limited: bool,
}

fn naive(system: &System, known: &[String], max_states: usize) -> Naive {
    let mut numbers = HashMap::from([(system.initial, 0)]);
    let mut naive = Naive {
        found: vec![system.initial],
        transitions: Vec::new(),
        labels: known.to_vec(),
        complete_rows: 0,
        limited: false,
    };
    while naive.complete_rows < naive.found.len() {
        let source = naive.complete_rows;
        for (label, target) in &system.rows[naive.found[source] as usize] {
            let number = match numbers.get(target) {
                Some(&number) => number,
                None if naive.found.len() >= max_states => {
                    naive.limited = true;
                    return naive;
                }
                None => {
                    let number = naive.found.len() as u32;
                    naive.found.push(*target);
                    numbers.insert(*target, number);
                    number
                }
            };
            if !label.is_empty() && !naive.labels.contains(label) {
                naive.labels.push(label.clone());
            }
            naive
                .transitions
                .push((source as u32, label.clone(), number));
        }
        naive.complete_rows += 1;
    }
    naive
}

/// The system as a model with states of any number of bits.
struct Packed {
    system: System,
    bits: usize,
    states: Vec<Vec<u64>>,
    numbers: HashMap<Vec<u64>, u32>,
    table: LabelTable,
    /// The state that has an error, if any.
    bad: Option<u32>,
}

impl Packed {
    fn new(system: &System, bits: usize, known: &[String]) -> Self {
        let words = words(bits);
        let last = u64::MAX >> (64 * words - bits);
        let states: Vec<Vec<u64>> = (0..system.rows.len() as u64)
            .map(|n| {
                let mix = |k: usize| (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 + 2 * k as u64);
                let mut state: Vec<u64> = (0..words).map(mix).collect();
                if bits < 64 {
                    // An odd factor keeps numbers apart in their low bits.
                    state[0] = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                }
                state[words - 1] &= last;
                state
            })
            .collect();
        let numbers: HashMap<_, _> = states.iter().cloned().zip(0..).collect();
        assert_eq!(numbers.len(), states.len());
        let mut table = LabelTable::new();
        for text in known {
            table.intern(text.as_bytes()).unwrap();
        }
        Self {
            system: system.clone(),
            bits,
            states,
            numbers,
            table,
            bad: None,
        }
    }
}

impl Model for Packed {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(&self.table)
    }

    fn bits(&self) -> usize {
        self.bits
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        state.copy_from_slice(&self.states[self.system.initial as usize]);
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let number = self.numbers[state];
        // Labels that no transition has are not found.
        emit.label(b"unused");
        for (text, target) in &self.system.rows[number as usize] {
            let label = match text.as_str() {
                "" => LabelId::HIDDEN,
                text => emit.label(text.as_bytes()),
            };
            emit.transition(label, &self.states[*target as usize]);
        }
        if self.bad == Some(number) {
            return Err(ModelError::new(format!("state {number} is bad")));
        }
        Ok(())
    }
}

/// A pool with so many threads.
fn pool(threads: usize) -> &'static rayon::ThreadPool {
    static POOLS: OnceLock<HashMap<usize, rayon::ThreadPool>> = OnceLock::new();
    let pools = POOLS.get_or_init(|| {
        let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build();
        [1, 2, 7].map(|n| (n, pool(n).unwrap())).into()
    });
    &pools[&threads]
}

/// How the engine goes about it.
#[derive(Clone, Debug)]
struct Manner {
    threads: usize,
    sizes: Sizes,
    /// Logarithm of the states in a block.
    block: u32,
    /// What is left of hashes.
    mask: u64,
    bits: usize,
    /// How many labels are known beforehand.
    known: usize,
}

fn any_manner() -> impl Strategy<Value = Manner> {
    let sizes = (0u32..6, 1usize..5, 0usize..40, 1usize..6);
    let sizes = sizes.prop_map(|(shift, chunks, least, flush)| Sizes {
        shift,
        chunks,
        least,
        flush,
    });
    let mask = prop_oneof![
        4 => Just(u64::MAX),
        1 => Just(0),
        1 => Just(0xff),
        1 => Just(3 << 62),
        1 => Just(0x7f << 57 | 1),
    ];
    let threads = prop_oneof![Just(1usize), Just(2), Just(7)];
    (threads, sizes, 0u32..8, mask, 7usize..161, 0usize..3).prop_map(
        |(threads, sizes, block, mask, bits, known)| Manner {
            threads,
            sizes,
            block,
            mask,
            bits,
            known,
        },
    )
}

fn store<const W: usize>(manner: &Manner) -> PackedStore<W> {
    let mut hasher = Hasher::new();
    hasher.mask = manner.mask;
    let arena = Arena::with_shift(words(manner.bits), manner.bits, manner.block);
    PackedStore::with(arena, hasher)
}

fn explored<'m, M: Model>(
    model: &'m M,
    manner: &Manner,
    search: impl Fn() -> ExploreOptions<'static> + Sync,
    sink: &mut (impl Sink + Send),
) -> Result<Exploration<'m>, ExploreError> {
    fn go<'m, M: Model, S: Store>(
        model: &'m M,
        search: ExploreOptions<'static>,
        sink: &mut impl Sink,
        sizes: Sizes,
        store: S,
    ) -> Result<Exploration<'m>, ExploreError> {
        Ok(Explorer::new(model, search, sink, store, sizes)?.run()?.0)
    }
    let sizes = manner.sizes;
    pool(manner.threads).install(|| match words(manner.bits) {
        1 => go(model, search(), sink, sizes, store::<1>(manner)),
        2 => go(model, search(), sink, sizes, store::<2>(manner)),
        _ => go(model, search(), sink, sizes, store::<0>(manner)),
    })
}

/// Keeps all that it is given.
#[derive(Default)]
struct Everything {
    transitions: Vec<(u32, u32, u32)>,
    rows: usize,
    /// The next row has begun.
    next: u32,
}

impl Sink for Everything {
    fn take(&mut self, parts: &[Rows<'_>], labels: &LabelTable) -> ControlFlow<()> {
        for rows in parts {
            assert_eq!(rows.first.get(), self.next);
            assert_eq!(rows.labels.len(), rows.targets.len());
            assert!(rows.ends.iter().is_sorted());
            self.next += rows.ends.len() as u32;
            self.rows += rows.ends.len();
            assert!(rows.labels.iter().all(|l| l.index() < labels.len()));
            let steps = rows.iter().map(|(s, l, t)| (s.get(), l.get(), t.get()));
            self.transitions.extend(steps);
        }
        ControlFlow::Continue(())
    }
}

fn questions() -> Questions<'static> {
    Questions {
        deadlock: true,
        livelock: true,
        find: vec![
            Box::new(|_, text| text == b"l1"),
            Box::new(|label, _| label.is_hidden()),
            Box::new(|_, text| text == b"l2" || text == b"l3"),
        ],
    }
}

/// The system as an LTS, with the same labels in the same order.
fn as_lts(system: &System, labels: &[String]) -> Lts {
    let mut builder = LtsBuilder::new(system.rows.len() as u64);
    for label in labels {
        builder.table_mut().intern(label.as_bytes()).unwrap();
    }
    for (source, row) in system.rows.iter().enumerate() {
        for (text, target) in row {
            let label = match text.as_str() {
                "" => LabelId::HIDDEN,
                text => builder.table_mut().intern(text.as_bytes()).unwrap(),
            };
            builder.add(StateId::from_index(source), label, StateId::new(*target));
        }
    }
    builder.build(StateId::new(system.initial)).unwrap()
}

fn known(manner: &Manner) -> Vec<String> {
    (0..manner.known)
        .map(|k| format!("l{}", 2 * k + 1))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2500))]

    #[test]
    fn numbers_labels_and_transitions_are_those_of_a_queue(
        system in any_system(),
        manner in any_manner(),
        most in prop_oneof![Just(1000usize), 1usize..90],
    ) {
        let known = known(&manner);
        let model = Packed::new(&system, manner.bits, &known);
        let search = || ExploreOptions {
            limits: Limits { max_states: Some(most as u64), max_memory: None },
            ..ExploreOptions::default()
        };
        let mut sink = Everything::default();
        let found = explored(&model, &manner, search, &mut sink).unwrap();
        let naive = naive(&system, &known, most);

        let texts: Vec<&[u8]> = found.labels.visible().map(|(_, text)| text).collect();
        let expected: Vec<&[u8]> = naive.labels.iter().map(|text| text.as_bytes()).collect();
        prop_assert_eq!(texts, expected);
        let texts = |label: u32| String::from_utf8(found.labels.text(LabelId::new(label)).to_vec());
        let transitions: Vec<_> = sink.transitions.iter()
            .map(|&(s, l, t)| (s, texts(l).unwrap(), t)).collect();
        prop_assert_eq!(&transitions, &naive.transitions);
        prop_assert_eq!(sink.rows, naive.complete_rows);
        prop_assert_eq!(found.states, naive.found.len() as u64);
        prop_assert_eq!(found.transitions, naive.transitions.len() as u64);
        let outcome = if naive.limited { Outcome::LimitReached(Limit::States) }
            else { Outcome::Complete };
        prop_assert_eq!(found.outcome, outcome);

        // Counting alone finds as much.
        let counted = explored(&model, &manner, search, &mut ()).unwrap();
        prop_assert_eq!(
            (counted.outcome, counted.states, counted.transitions, counted.depth),
            (found.outcome, found.states, found.transitions, found.depth)
        );
        // As does an LTS.
        let mut sink = LtsSink::new();
        let found = explored(&model, &manner, search, &mut sink).unwrap();
        let lts = sink.finish(found.labels.into_owned()).unwrap();
        let steps: Vec<_> = lts.iter().map(|(s, l, t)| {
            (s.get(), String::from_utf8(lts.table().text(l).to_vec()).unwrap(), t.get())
        }).collect();
        prop_assert_eq!(steps, naive.transitions);
        prop_assert_eq!(lts.states(), naive.found.len());
    }

    #[test]
    fn answers_and_traces_are_those_of_one_state_after_the_other(
        system in any_system(),
        manner in any_manner(),
        most in prop_oneof![Just(1000u64), 1u64..90],
        stop in any::<bool>(),
        livelock in any::<bool>(),
    ) {
        let known = known(&manner);
        let search = || ExploreOptions {
            limits: Limits { max_states: Some(most), max_memory: None },
            questions: Questions { livelock, ..questions() },
            stop_when_answered: stop,
            progress: None,
        };
        let model = Packed::new(&system, manner.bits, &known);
        let mut sink = Everything::default();
        let found = explored(&model, &manner, search, &mut sink).unwrap();
        // One by one, and the states are numbers.
        let labels: Vec<String> = naive(&system, &known, 1000).labels;
        let lts = as_lts(&system, &labels);
        let singly = Manner {
            threads: 1,
            sizes: Sizes { least: usize::MAX, flush: 1, ..manner.sizes },
            mask: u64::MAX,
            bits: 32,
            block: 3,
            known: 0,
        };
        let mut other = Everything::default();
        let expected = explored(&lts, &singly, search, &mut other).unwrap();
        prop_assert_eq!(
            (found.outcome, found.states, found.transitions, found.depth),
            (expected.outcome, expected.states, expected.transitions, expected.depth)
        );
        prop_assert_eq!(sink.rows, other.rows);
        prop_assert_eq!(&sink.transitions, &other.transitions);
        let same = |a: &Answer, b: &Answer| match (a, b) {
            (Answer::Yes(a), Answer::Yes(b)) => {
                let packed = |k: &[u64]| {
                    model.states[unpack_number(k) as usize].clone().into_boxed_slice()
                };
                a.labels == b.labels && a.states == b.states && a.cycle == b.cycle
                    && a.packed == b.packed.iter().map(|k| packed(k)).collect::<Vec<_>>()
            }
            (a, b) => a == b,
        };
        prop_assert!(same(found.deadlock.as_ref().unwrap(), expected.deadlock.as_ref().unwrap()));
        prop_assert_eq!(found.livelock.is_some(), livelock);
        if let (Some(a), Some(b)) = (&found.livelock, &expected.livelock) {
            prop_assert!(same(a, b));
        }
        for (a, b) in found.find.iter().zip(&expected.find) {
            prop_assert!(same(a, b));
        }
    }

    #[test]
    fn errors_come_in_their_order(
        system in any_system(),
        manner in any_manner(),
        most in prop_oneof![Just(1000usize), 1usize..90],
        bad in 0u32..80,
    ) {
        let mut model = Packed::new(&system, manner.bits, &[]);
        model.bad = Some(bad);
        let search = || ExploreOptions {
            limits: Limits { max_states: Some(most as u64), max_memory: None },
            ..ExploreOptions::default()
        };
        let naive = naive(&system, &[], most);
        let reached = naive.found.iter().position(|&state| state == bad);
        // In the row where the limit is reached, the limit comes first.
        let expected = reached.is_some_and(|k| k < naive.complete_rows);
        match explored(&model, &manner, search, &mut ()) {
            Ok(found) => {
                prop_assert!(!expected);
                prop_assert_eq!(found.states, naive.found.len() as u64);
            }
            Err(error) => {
                prop_assert!(expected);
                prop_assert_eq!(error.to_string(), format!("state {bad} is bad"));
            }
        }
    }

    #[test]
    fn a_limit_on_memory_is_kept_and_what_was_found_is_a_beginning(
        system in any_system(),
        manner in any_manner(),
        memory in 0u64..60_000,
    ) {
        let model = Packed::new(&system, manner.bits, &[]);
        let search = || ExploreOptions {
            limits: Limits { max_states: None, max_memory: Some(memory) },
            questions: questions(),
            ..ExploreOptions::default()
        };
        let mut sink = Everything::default();
        let found = explored(&model, &manner, search, &mut sink).unwrap();
        let naive = naive(&system, &[], 1000);
        prop_assert!(sink.rows <= naive.complete_rows);
        let texts = |label: u32| String::from_utf8(found.labels.text(LabelId::new(label)).to_vec());
        let transitions: Vec<_> = sink.transitions.iter()
            .map(|&(s, l, t)| (s, texts(l).unwrap(), t)).collect();
        prop_assert!(naive.transitions.starts_with(&transitions));
        match found.outcome {
            Outcome::Complete => {
                prop_assert_eq!(sink.rows, naive.complete_rows);
                prop_assert!(found.memory <= memory);
            }
            outcome => {
                prop_assert_eq!(outcome, Outcome::LimitReached(Limit::Memory));
                prop_assert!(found.memory <= memory || found.states == 1);
            }
        }
    }
}
