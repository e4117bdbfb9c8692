//! The explorer against naive twins, on thousands of small systems.

use std::collections::HashMap;
use std::ops::ControlFlow;

use hyades_formats::{LabelId, LabelTable, Lts, StateId};
use hyades_lts::{Numbering, reachable};
use hyades_testing::{any_lts, same};
use proptest::prelude::*;

use super::batch::Sizes;
use super::run::run;
use super::store::PackedStore;
use super::*;

mod models;
mod simulation;

fn everything<'a>() -> ExploreOptions<'a> {
    ExploreOptions {
        questions: Questions {
            deadlock: true,
            livelock: true,
            find: vec![
                Box::new(|_, text| text == b"a"),
                Box::new(|label, _| label.is_hidden()),
                Box::new(|_, text| text.is_empty() || text == b"b"),
            ],
        },
        ..ExploreOptions::default()
    }
}

/// Explored the general way, through the store for any states.
fn packed<'m>(lts: &'m Lts, search: ExploreOptions<'_>, sink: &mut impl Sink) -> Exploration<'m> {
    run(lts, search, sink, PackedStore::<1>::new(Model::bits(lts)))
        .unwrap()
        .0
}

/// Distances by the method of Bellman and Ford.
fn distances(lts: &Lts) -> Vec<Option<usize>> {
    let mut distance = vec![None; lts.states()];
    distance[lts.initial().index()] = Some(0);
    for _ in 0..lts.states() {
        for (s, _, t) in lts.iter() {
            if let Some(d) = distance[s.index()] {
                let far = distance[t.index()].is_none_or(|old| old > d + 1);
                if far {
                    distance[t.index()] = Some(d + 1);
                }
            }
        }
    }
    distance
}

/// The length of a shortest hidden cycle through each state, by the method of
/// Floyd and Warshall.
fn cycles(lts: &Lts) -> Vec<Option<usize>> {
    let n = lts.states();
    let mut length = vec![vec![None; n]; n];
    for (s, l, t) in lts.iter() {
        if l.is_hidden() {
            length[s.index()][t.index()] = Some(1);
        }
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                if let (Some(a), Some(b)) = (length[i][k], length[k][j]) {
                    let short: &mut Option<usize> = &mut length[i][j];
                    *short = Some(short.map_or(a + b, |old: usize| old.min(a + b)));
                }
            }
        }
    }
    (0..n).map(|s| length[s][s]).collect()
}

/// The trace is a path of the LTS; returns its states by their numbers there.
fn follow(lts: &Lts, trace: &Trace) -> Vec<StateId> {
    let states: Vec<StateId> = trace
        .packed
        .iter()
        .map(|state| StateId::new(unpack_number(state)))
        .collect();
    assert_eq!(states.len(), trace.labels.len() + 1);
    assert_eq!(states.len(), trace.states.len());
    assert_eq!(states[0], lts.initial());
    assert_eq!(trace.states[0], StateId::new(0));
    for (k, &label) in trace.labels.iter().enumerate() {
        assert!(
            lts.outgoing(states[k])
                .any(|step| step == (label, states[k + 1]))
        );
    }
    states
}

/// The length of the trace, if the answer is yes.
fn length(answer: &Answer) -> Option<usize> {
    match answer {
        Answer::Yes(trace) => Some(trace.labels.len()),
        Answer::No => None,
        Answer::Unknown => panic!("everything was explored"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn both_stores_and_the_reachable_part_agree(lts in any_lts()) {
        let mut sink = LtsSink::new();
        let fast = explore(&lts, everything(), &mut sink).unwrap();
        let mut other = LtsSink::new();
        let slow = packed(&lts, everything(), &mut other);
        prop_assert_eq!(fast.outcome, Outcome::Complete);
        prop_assert_eq!(
            (fast.outcome, fast.states, fast.transitions, fast.depth),
            (slow.outcome, slow.states, slow.transitions, slow.depth)
        );
        prop_assert_eq!(&fast.deadlock, &slow.deadlock);
        prop_assert_eq!(&fast.livelock, &slow.livelock);
        prop_assert_eq!(&fast.find, &slow.find);
        let built = sink.finish(lts.table().clone()).unwrap();
        prop_assert!(same(&built, &other.finish(lts.table().clone()).unwrap()));
        prop_assert_eq!(
            (built.states() as u64, built.transitions() as u64),
            (fast.states, fast.transitions)
        );
        let part = reachable(lts, Numbering::BreadthFirst);
        prop_assert!(same(&built, &part), "{built:?} {part:?}");
    }

    #[test]
    fn answers_are_right_and_traces_shortest(lts in any_lts()) {
        let distance = distances(&lts);
        let found = explore(&lts, everything(), &mut ()).unwrap();
        prop_assert_eq!(found.states, distance.iter().flatten().count() as u64);
        prop_assert_eq!(found.depth as usize, *distance.iter().flatten().max().unwrap());

        let nearest = (0..lts.states())
            .filter(|&s| lts.row(StateId::from_index(s)).is_empty())
            .filter_map(|s| distance[s])
            .min();
        let deadlock = found.deadlock.unwrap();
        prop_assert_eq!(length(&deadlock), nearest);
        if let Answer::Yes(trace) = deadlock {
            let states = follow(&lts, &trace);
            prop_assert!(lts.row(states[states.len() - 1]).is_empty());
            prop_assert_eq!(trace.cycle, None);
        }

        let holds: [&dyn Fn(LabelId) -> bool; 3] = [
            &|l| lts.table().text(l) == b"a",
            &|l| l.is_hidden(),
            &|l| l.is_hidden() || lts.table().text(l) == b"b",
        ];
        for (answer, holds) in found.find.iter().zip(holds) {
            let nearest = lts
                .iter()
                .filter(|step| holds(step.1))
                .filter_map(|step| distance[step.0.index()])
                .min();
            prop_assert_eq!(length(answer), nearest.map(|d| d + 1));
            if let Answer::Yes(trace) = answer {
                follow(&lts, trace);
                prop_assert!(holds(*trace.labels.last().unwrap()));
            }
        }

        let cycle = cycles(&lts);
        let nearest = (0..lts.states())
            .filter(|&s| cycle[s].is_some())
            .filter_map(|s| distance[s])
            .min();
        match found.livelock.unwrap() {
            Answer::Yes(trace) => {
                let states = follow(&lts, &trace);
                let at = trace.cycle.unwrap();
                prop_assert_eq!(Some(at), nearest);
                prop_assert_eq!(states[at], states[states.len() - 1]);
                prop_assert_eq!(Some(states.len() - 1 - at), cycle[states[at].index()]);
                prop_assert!(trace.labels[at..].iter().all(|l| l.is_hidden()));
            }
            answer => {
                prop_assert_eq!(answer, Answer::No);
                prop_assert_eq!(nearest, None);
            }
        }
    }

    #[test]
    fn answers_come_early_and_are_the_same(lts in any_lts()) {
        let ask = |stop| ExploreOptions {
            questions: Questions {
                deadlock: true,
                find: vec![Box::new(|_, text| text == b"a")],
                ..Questions::default()
            },
            stop_when_answered: stop,
            ..ExploreOptions::default()
        };
        let early = explore(&lts, ask(true), &mut ()).unwrap();
        let late = explore(&lts, ask(false), &mut ()).unwrap();
        prop_assert_eq!(&early.deadlock, &late.deadlock);
        prop_assert_eq!(&early.find, &late.find);
        prop_assert!(early.transitions <= late.transitions);
        let all_yes = early.deadlock != Some(Answer::No) && early.find[0] != Answer::No;
        prop_assert!(early.outcome == Outcome::Complete || all_yes);
    }

    #[test]
    fn limits_tell_the_truth(lts in any_lts(), most in 1u64..12, memory in 0u64..2000) {
        let whole = explore(&lts, everything(), &mut ()).unwrap();
        let limited = ExploreOptions {
            limits: Limits { max_states: Some(most), max_memory: None },
            ..everything()
        };
        let mut sink = LtsSink::new();
        let part = explore(&lts, limited, &mut sink).unwrap();
        prop_assert_eq!(part.states, whole.states.min(most));
        prop_assert_eq!(
            part.outcome,
            if whole.states <= most { Outcome::Complete }
            else { Outcome::LimitReached(Limit::States) }
        );
        let built = sink.finish(part.labels.into_owned()).unwrap();
        prop_assert_eq!(
            (built.states() as u64, built.transitions() as u64),
            (part.states, part.transitions)
        );
        let check = |part: &Option<Answer>, whole: &Option<Answer>| match part.as_ref().unwrap() {
            Answer::Unknown => true,
            answer => answer == whole.as_ref().unwrap(),
        };
        prop_assert!(check(&part.deadlock, &whole.deadlock));
        let livelock_seen = matches!(part.livelock, Some(Answer::Yes(_)));
        prop_assert!(!livelock_seen || matches!(whole.livelock, Some(Answer::Yes(_))));

        let limited = ExploreOptions {
            limits: Limits { max_states: None, max_memory: Some(memory) },
            ..everything()
        };
        let part = packed(&lts, limited, &mut LtsSink::new());
        match part.outcome {
            Outcome::Complete => prop_assert_eq!(part.states, whole.states),
            outcome => {
                prop_assert_eq!(outcome, Outcome::LimitReached(Limit::Memory));
                prop_assert!(part.states == 1 || part.memory <= memory);
                prop_assert_eq!(part.find.len(), 3);
            }
        }
    }
}

/// An LTS that does not say that it is one; `numbered` tells whether it says
/// that its states are numbers.
struct Veiled {
    lts: Lts,
    numbered: bool,
}

impl Model for Veiled {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> std::borrow::Cow<'_, LabelTable> {
        Model::labels(&self.lts)
    }

    fn bits(&self) -> usize {
        Model::bits(&self.lts)
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        Model::initial(&self.lts, state)
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        Model::successors(&self.lts, &mut (), state, emit)
    }

    fn numbers(&self) -> Option<u32> {
        self.numbered.then_some(self.lts.states() as u32)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    /// What is in memory already takes a way of its own, with the same result.
    #[test]
    fn models_and_ltss_give_the_same_state_space(lts in any_lts(), most in 1u64..12) {
        use Numbering::{Ascending, BreadthFirst, Kept};
        let limited = || ExploreOptions {
            limits: Limits { max_states: Some(most), ..Limits::default() },
            ..everything()
        };
        let told = |found: &Exploration<'_>| {
            let answers = (found.deadlock.clone(), found.livelock.clone(), found.find.clone());
            (found.outcome, found.states, found.transitions, found.depth, answers)
        };
        let goal = |order: Option<Numbering>| order.map_or(Goal::Answers, Goal::Lts);
        for numbering in [None, Some(BreadthFirst), Some(Ascending), Some(Kept)] {
            for numbered in [true, false] {
                let model = || Veiled { lts: lts.clone(), numbered };
                // Other models know one order only.
                let order = if numbered { numbering } else { numbering.map(|_| BreadthFirst) };
                let (made, looked) = reach(model(), ExploreOptions::default(), goal(numbering), told).unwrap();
                let (cut, _) = reach(lts.clone(), ExploreOptions::default(), goal(order), told).unwrap();
                prop_assert!(looked.is_none() && cut.is_some() == numbering.is_some());
                prop_assert_eq!(made.is_some(), cut.is_some());
                if let (Some(made), Some(cut)) = (made, cut) {
                    prop_assert!(same(&made, &cut));
                }

                let (made, looked) = reach(model(), limited(), goal(numbering), told).unwrap();
                let (cut, seen) = reach(lts.clone(), limited(), goal(order), told).unwrap();
                prop_assert_eq!(looked, seen);
                prop_assert_eq!(made.is_some(), cut.is_some());
                if let (Some(made), Some(cut)) = (made, cut) {
                    prop_assert!(same(&made, &cut));
                }
            }
        }
    }
}

/// Who gets no state space is told why.
#[test]
fn what_is_not_complete_is_looked_at() {
    let mut builder = hyades_formats::LtsBuilder::new(1);
    // Long enough for progress to be told.
    for state in 0..1 << 16 {
        builder.add_text(state, b"a", state + 1).unwrap();
    }
    let lts = builder.build(StateId::new(0)).unwrap();
    let veiled = |numbered| Veiled {
        lts: lts.clone(),
        numbered,
    };
    let outcome = |found: &Exploration<'_>| found.outcome;
    for numbering in [None, Some(Numbering::BreadthFirst)] {
        let goal = || numbering.map_or(Goal::Answers, Goal::Lts);
        let stopping = || ExploreOptions {
            stop_when_answered: true,
            ..ExploreOptions::default()
        };
        let (made, looked) = reach(lts.clone(), stopping(), goal(), outcome).unwrap();
        assert!(made.is_none());
        assert_eq!(looked, Some(Outcome::Answered));
        for numbered in [true, false] {
            let (made, looked) = reach(veiled(numbered), stopping(), goal(), outcome).unwrap();
            assert!(made.is_none());
            assert_eq!(looked, Some(Outcome::Answered));

            let mut stop = |_: &Progress| std::ops::ControlFlow::Break(());
            let search = ExploreOptions {
                progress: Some(&mut stop),
                ..ExploreOptions::default()
            };
            let (made, looked) = reach(veiled(numbered), search, goal(), outcome).unwrap();
            assert!(made.is_none());
            assert_eq!(looked, Some(Outcome::Stopped));
        }
    }
}
