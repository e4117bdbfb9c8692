//! Any LTS comes back from DOT and FSM as it was.

use crate::common;

use common::{read_format, transitions, written_in};
use hyades_formats::fsm::WriteFsm;
use hyades_formats::mealy::{MealySyntax, ReadMealy};
use hyades_formats::*;
use proptest::prelude::*;

/// Systems with hidden transitions, duplicates, unreachable states and any
/// initial state.
fn systems(label: impl Strategy<Value = String>) -> impl Strategy<Value = Lts> {
    let labels = prop::collection::vec(label, 1..5);
    let transitions = prop::collection::vec((0u32..6, 0usize..6, 0u32..6), 0..20);
    (labels, transitions, 0u32..6, 0u64..9).prop_map(|(labels, transitions, initial, states)| {
        let mut lts = LtsBuilder::new(states);
        for (source, label, target) in transitions {
            match labels.get(label) {
                Some(label) => lts.add_text(source, label.as_bytes(), target).unwrap(),
                None => lts.add(StateId::new(source), LabelId::HIDDEN, StateId::new(target)),
            }
        }
        lts.build(StateId::new(initial)).unwrap()
    })
}

/// The transitions, with the initial state and state 0 exchanged.
fn exchanged(lts: &Lts) -> Vec<(u32, Vec<u8>, u32)> {
    let initial = lts.initial().get();
    let new = |state: u32| match state {
        0 => initial,
        _ if state == initial => 0,
        _ => state,
    };
    let transitions = transitions(lts).into_iter();
    let mut transitions: Vec<_> = transitions.map(|(s, l, t)| (new(s), l, new(t))).collect();
    // rows keep their order
    transitions.sort_by_key(|t| t.0);
    transitions
}

/// State labels: one parameter more, and less, than none.
fn labelled(lts: Lts, value: &str) -> Lts {
    let mut labels = StateLabels::new(vec![
        Parameter {
            name: b"n".to_vec(),
            sort: b"Nat".to_vec(),
            values: vec![value.into(), b"".to_vec()],
        },
        Parameter {
            name: b"m".to_vec(),
            sort: Vec::new(),
            values: vec![value.into()],
        },
    ]);
    for state in 0..lts.states() as u32 {
        labels.push([&[state % 2, 0][..]]);
    }
    lts.with_state_labels(labels)
}

proptest! {
    #[test]
    fn dot(lts in systems("[a\\\\\"nlr\n /ä\r&;<>\\-\\x00]{0,6}")) {
        let bytes = written_in(Format::Dot, &lts, &WriteOptions::default()).unwrap();
        let (again, told) = read_format(Format::Dot, &bytes, &ReadOptions::default());
        prop_assert!(told.is_empty(), "{:?}", told);
        let again = again.unwrap();
        prop_assert_eq!((again.states(), again.initial().get()), (lts.states(), 0));
        prop_assert_eq!(transitions(&again), exchanged(&lts));
        prop_assert!(again.state_labels().is_none());
        let canonical = WriteOptions { canonical: true, ..WriteOptions::default() };
        let once = written_in(Format::Dot, &lts, &canonical).unwrap();
        let twice = written_in(Format::Dot, &again, &canonical).unwrap();
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn dot_with_its_one_parameter(lts in systems("[ab]"), value in "[a\\\\\"nlr\nä]{1,6}x") {
        let mut labels = StateLabels::new(vec![Parameter {
            name: b"label".to_vec(),
            sort: Vec::new(),
            values: vec![value.clone().into(), b"other".to_vec()],
        }]);
        for state in 0..lts.states() as u32 {
            labels.push([&[u32::from(state == lts.initial().get())][..]]);
        }
        let lts = lts.with_state_labels(labels);
        let bytes = written_in(Format::Dot, &lts, &WriteOptions::default()).unwrap();
        let (again, _) = read_format(Format::Dot, &bytes, &ReadOptions::default());
        let known = common::known(&again.unwrap());
        for (state, vectors) in known.into_iter().enumerate() {
            let expected = if state == 0 { "other" } else { &value };
            prop_assert_eq!(vectors, [[expected]]);
        }
    }

    #[test]
    fn machines(
        lts in systems("[ab]{1,2}"),
        outputs in prop::collection::vec("[a /|#]{0,4}", 6),
        separator in prop_oneof![Just(None), Just(Some("/")), Just(Some(" # "))],
        last: bool,
    ) {
        // deterministic: an output for each state, and one target for each input
        let mut machine = LtsBuilder::new(lts.states() as u64);
        let mut seen = std::collections::HashSet::new();
        let syntax = MealySyntax {
            separator: separator.map(Into::into),
            last,
            ..MealySyntax::default()
        };
        for (source, label, target) in lts.iter() {
            let output = outputs[source.index() % outputs.len()].trim();
            if let Ok(joined) = syntax.join(lts.table().text(label), output.as_bytes())
                && seen.insert((source, label))
            {
                machine.add_text(source.get(), &joined, target.get()).unwrap();
            }
        }
        let machine = machine.build(lts.initial()).unwrap();
        let write = WriteOptions { mealy: Some(syntax.clone()), ..WriteOptions::default() };
        let read = ReadOptions {
            mealy: Some(ReadMealy { syntax: syntax.clone(), ..ReadMealy::default() }),
            ..ReadOptions::default()
        };
        let Ok(bytes) = written_in(Format::Dot, &machine, &write) else {
            let refused = machine.iter().any(|(_, label, _)| {
                let pairs = syntax.in_memory().split(machine.table().text(label)).unwrap();
                pairs.iter().any(|(input, output)| syntax.written(input, output).is_err())
            });
            prop_assert!(refused);
            // only so many of these are borne
            return Err(TestCaseError::reject("a pair that is not split back"));
        };
        let (again, _) = read_format(Format::Dot, &bytes, &read);
        let again = again.unwrap();
        prop_assert_eq!(transitions(&again), exchanged(&machine));
    }

    #[test]
    fn fsm(
        lts in systems("[a\\\\nä \t'\\-\r\\x00]{0,4}"),
        value in prop_oneof![Just(None), "[a b'\\\\]{0,3}".prop_map(Some)],
        initial_section: bool,
    ) {
        let lts = match &value {
            Some(value) => labelled(lts, value),
            None => lts,
        };
        let options = WriteOptions { fsm: WriteFsm { initial_section }, ..WriteOptions::default() };
        let bytes = written_in(Format::Fsm, &lts, &options).unwrap();
        let (again, _) = read_format(Format::Fsm, &bytes, &ReadOptions::default());
        let again = again.unwrap();
        if initial_section {
            prop_assert_eq!(again.initial(), lts.initial());
            prop_assert_eq!(transitions(&again), transitions(&lts));
        } else {
            prop_assert_eq!(again.initial().get(), 0);
            prop_assert_eq!(transitions(&again), exchanged(&lts));
        }
        if value.is_some() {
            prop_assert_eq!(again.states(), lts.states());
            let mut expected = common::known(&lts);
            if !initial_section {
                expected.swap(0, lts.initial().index());
            }
            prop_assert_eq!(common::known(&again), expected);
        }
    }
}
