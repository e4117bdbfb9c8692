//! The models of report SEN-R9918: their published sizes, and what else is known
//! of them.

use std::collections::{BTreeMap, BTreeSet};

use hyades_equivalence::strong_quotient;
use hyades_explore::{ExploreOptions, Limits, Model, explore};
use hyades_formats::{LabelId, Lts, StateId};
use hyades_lts::{facts, label_counts};

use crate::member::explored;
use crate::{Chatbox, MealyTrain, Ring, Train};

fn lts(model: &impl Model) -> Lts {
    explored(model, Limits::default()).expect("it fits")
}

/// How many states and transitions, without keeping them.
fn sizes(model: &impl Model) -> (u64, u64) {
    let found = explore(model, ExploreOptions::default(), &mut ()).expect("it does not fail");
    (found.states, found.transitions)
}

/// Tables 1 to 3 of the report, but for the two members with more than 20
/// million transitions, which the benchmark `kernel` counts.
#[test]
fn published_sizes() {
    assert_eq!(sizes(&Chatbox::new(3)), (512, 12_288));
    assert_eq!(sizes(&Chatbox::new(4)), (65_536, 2_621_440));
    assert_eq!(sizes(&Chatbox::without_joining(3)), (64, 1_152));
    assert_eq!(sizes(&Chatbox::without_joining(4)), (4_096, 131_072));
    assert_eq!(sizes(&Train::new(7)), (286_725, 4_300_874));
    assert_eq!(sizes(&MealyTrain::new(4)), (2_808, 24_312));
    assert_eq!(sizes(&MealyTrain::new(5)), (13_950, 148_650));
    assert_eq!(sizes(&MealyTrain::new(6)), (72_036, 912_276));
    assert_eq!(sizes(&MealyTrain::new(7)), (336_042, 4_927_734));
    assert_eq!(sizes(&Ring::new(3)), (224_152, 1_710_534));
}

/// The published sizes for 7 and 8 stations follow it too.
#[test]
fn sizes_of_trains_follow_a_formula() {
    for n in 3..=6 {
        let requests = 1u64 << (2 * n);
        let states = 5 * n * requests / 2 + 5;
        let transitions = 5 * n * (2 * n + 1) * requests / 2 + 10 * n + 4;
        assert_eq!(sizes(&Train::new(n as u32)), (states, transitions), "{n}");
    }
}

#[test]
fn sizes_of_chatboxes_are_foretold() {
    let first = Chatbox::new(2);
    assert_eq!((first.states(), first.transitions()), (16, 192));
    for chatbox in [
        first,
        Chatbox::new(3),
        Chatbox::without_joining(2),
        Chatbox::without_joining(4),
    ] {
        let foretold = (chatbox.states(), chatbox.transitions());
        assert_eq!(sizes(&chatbox), foretold);
    }
}

#[test]
fn the_ring_is_nondeterministic_and_has_a_small_quotient() {
    let ring = lts(&Ring::new(3));
    assert!(!facts(&ring).deterministic);
    let quotient = strong_quotient(ring).lts;
    assert_eq!(
        (quotient.states(), quotient.transitions()),
        (37_764, 292_254)
    );
}

/// But for the claims that a station of the ring makes for itself: while it is
/// in the election, its link never holds its own claim of that round.
#[test]
fn labels_are_used() {
    fn unused(model: &impl Model) -> Vec<String> {
        let lts = lts(model);
        let counts = label_counts(&lts);
        let unused = lts
            .table()
            .visible()
            .filter(|(label, _)| counts[label.index()] == 0);
        unused
            .map(|(label, _)| text(&lts, label).to_owned())
            .collect()
    }
    let none: [String; 0] = [];
    (2..=3).for_each(|n| assert_eq!(unused(&Chatbox::new(n)), none));
    (2..=4).for_each(|n| assert_eq!(unused(&Chatbox::without_joining(n)), none));
    (3..=6).for_each(|n| assert_eq!(unused(&Train::new(n)), none));
    (3..=6).for_each(|n| assert_eq!(unused(&MealyTrain::new(n)), none));
    for n in 2..=3 {
        let own =
            |s: u32| ["F", "T"].map(|round| format!("SND_CLAIM({},{s},{round})", (s + 1) % n));
        let mut own: Vec<String> = (0..n).flat_map(own).collect();
        own.sort();
        assert_eq!(unused(&Ring::new(n)), own);
    }
}

fn text(lts: &Lts, label: LabelId) -> &str {
    std::str::from_utf8(lts.table().text(label)).expect("these labels are text")
}

/// Of each state the inputs of its transitions, in their order, where `input`
/// takes the answer off a label.
fn inputs<'a>(lts: &'a Lts, input: impl Fn(&'a str) -> &'a str) -> Vec<Vec<&'a str>> {
    let states = (0..lts.states()).map(StateId::from_index);
    let of = |state| {
        lts.outgoing(state)
            .map(|(label, _)| input(text(lts, label)))
    };
    states.map(|state| of(state).collect()).collect()
}

#[test]
fn chatboxes_answer_every_request_once_and_are_minimal() {
    for (chatbox, requests) in [
        (Chatbox::new(2), 12),
        (Chatbox::new(3), 24),
        (Chatbox::without_joining(2), 8),
        (Chatbox::without_joining(3), 18),
        (Chatbox::without_joining(4), 32),
    ] {
        let lts = lts(&chatbox);
        let inputs = inputs(&lts, |label| label.rsplit_once(" !").expect(label).0);
        let all: BTreeSet<&str> = inputs[0].iter().copied().collect();
        assert_eq!(all.len(), requests);
        for row in &inputs {
            assert_eq!(row.len(), requests);
            assert!(row.iter().copied().eq(inputs[0].iter().copied()));
        }
        let states = lts.states();
        assert_eq!(strong_quotient(lts).lts.states(), states);
    }
}

/// `WAIT` or `REQUEST(CALL,2`: the answer comes after it.
fn train_input(label: &str) -> &str {
    match label.strip_prefix("REQUEST(") {
        None => "WAIT",
        Some(rest) => {
            let answer = rest.splitn(3, ',').last().expect(label);
            &label[..label.len() - answer.len() - 1]
        }
    }
}

/// What is refused, and when: while the door has just been closed, that is until
/// something but a note of a request happens, and a direction is set, that is
/// the next move is to the left or right, requests for the station where the
/// train is.
#[test]
fn mealy_trains_refuse_requests_at_a_closed_door_only() {
    for n in 3..=5 {
        let lts = lts(&MealyTrain::new(n));
        let inputs = inputs(&lts, train_input);
        // Of the states in which the door has just been closed, the station.
        let mut closing: BTreeMap<StateId, u32> = BTreeMap::new();
        let mut before = usize::MAX;
        while before != closing.len() {
            before = closing.len();
            for (source, label, target) in lts.iter() {
                let label = text(&lts, label);
                let station = match label.strip_prefix("WAIT(CLOSEDOOR(") {
                    Some(rest) => rest.trim_end_matches(')').parse().ok(),
                    None if label.ends_with("NO_OUTPUT)") => closing.get(&source).copied(),
                    None => None,
                };
                if let Some(station) = station {
                    assert_eq!(*closing.entry(target).or_insert(station), station);
                }
            }
        }
        let mut refusals = 0;
        for (state, row) in inputs.iter().enumerate() {
            let state = StateId::from_index(state);
            let enabled: BTreeSet<&str> = row.iter().copied().collect();
            assert_eq!(enabled.len(), row.len(), "an input has one answer");
            assert!(enabled.contains("WAIT"));
            let moves = lts
                .outgoing(state)
                .any(|(label, _)| text(&lts, label).starts_with("WAIT(MOVE"));
            let refusing = closing.get(&state).filter(|_| moves);
            for station in 0..n {
                for kind in ["CALL", "SEND"] {
                    let is_refused = refusing == Some(&station);
                    let request = format!("REQUEST({kind},{station}");
                    assert_eq!(enabled.contains(&request[..]), !is_refused);
                    refusals += u32::from(is_refused);
                }
            }
        }
        assert!(refusals > 0);
    }
}

#[test]
fn trains_take_every_request_always() {
    for n in 3..=5 {
        let lts = lts(&Train::new(n));
        let facts = facts(&lts);
        assert!(facts.deterministic);
        // All requests, and one step at most.
        let requests = 2 * n as usize;
        for state in (0..lts.states()).map(StateId::from_index) {
            let labels = lts.outgoing(state).map(|(label, _)| text(&lts, label));
            let (asked, other): (Vec<_>, Vec<_>) =
                labels.partition(|label| label.starts_with("REQUEST("));
            assert_eq!(asked.len(), requests);
            assert!(other.len() <= 1);
        }
    }
}
