//! `.lts`: whole files, round trips, truncation.

use crate::common;

use common::*;
use hyades_formats::*;
use proptest::prelude::*;

fn file(name: &str) -> Vec<u8> {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/mcrl2/");
    std::fs::read(format!("{dir}{name}")).unwrap()
}

fn read(bytes: &[u8]) -> (Option<Lts>, Vec<String>) {
    read_format(Format::Lts, bytes, &ReadOptions::default())
}

fn written_lts(system: &Lts) -> Vec<u8> {
    written_as(Format::Lts, system, &WriteOptions::default())
}

#[test]
fn the_smallest_file_bit_by_bit() {
    let bytes = file("mini.lts");
    let (system, seen) = read(&bytes);
    assert_eq!(seen, [""; 0]);
    let expected = lts(0, 2, &[(0, b"a", 1), (1, b"HIDDEN", 0)]);
    assert_same(&system.unwrap(), &expected);
    assert_eq!(written_lts(&expected), bytes);
}

#[test]
fn a_file_of_mcrl2_reads_like_its_aut() {
    let (system, seen) = read(&file("abp.lts"));
    assert_eq!(seen, [""; 0]);
    let system = system.unwrap();
    let mcrl2 = ReadOptions {
        dialect: Some(Dialect::Mcrl2),
        ..ReadOptions::default()
    };
    let (expected, _) = read_format(Format::Aut, &file("abp.aut"), &mcrl2);
    assert_same(&system, &expected.unwrap());
    // the visible action `i` is not the hidden one
    assert!(system.table().find(b"i").is_some());
    assert_eq!(
        refused(Format::Aut, &system, &WriteOptions::default()),
        ["label-like-hidden"]
    );
    let (again, seen) = read(&written_lts(&system));
    assert_eq!(seen, [""; 0]);
    let again = again.unwrap();
    assert_same(&again, &system);
    assert_eq!(again.state_labels(), system.state_labels());
}

#[test]
fn data_reads_as_mcrl2_writes_it() {
    let (system, seen) = read(&file("data.lts"));
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert!(seen[0].starts_with("warning lts-approximate"));
    let mcrl2 = ReadOptions {
        dialect: Some(Dialect::Mcrl2),
        ..ReadOptions::default()
    };
    let (expected, _) = read_format(Format::Aut, &file("data.aut"), &mcrl2);
    let texts = |system: Lts| {
        let labels = transitions(&system).into_iter();
        labels
            .map(|(_, l, _)| String::from_utf8(l).unwrap())
            .collect::<Vec<_>>()
    };
    let (found, expected) = (texts(system.unwrap()), texts(expected.unwrap()));
    assert_eq!(found.len(), expected.len());
    let different: Vec<_> = found
        .iter()
        .zip(&expected)
        .filter(|(f, e)| f != e)
        .collect();
    let approximate = [
        ("z(-(5))", "z(-5)"),
        ("r(/(1, 3))", "r(1 / 3)"),
        ("r(/(-(7), 2))", "r(-7 / 2)"),
        (
            "s(@set(lambda x: Nat. <(x, 5), {}))",
            "s({ x: Nat | x < 5 })",
        ),
        ("s(!({1, 2}))", "s(!{1, 2})"),
        ("f(lambda x: Nat. ==(x, 3))", "f(lambda x: Nat. x == 3)"),
        ("n(+(2, 3))", "n(2 + 3)"),
        ("l(++([1], [2]))", "l([1] ++ [2])"),
        ("l(<|([1], 2))", "l([1] <| 2)"),
        ("b(&&(true, false))", "b(true && false)"),
        ("b(!(true))", "b(!true)"),
        ("n(div(5, 2))", "n(5 div 2)"),
    ];
    let different: Vec<_> = different
        .iter()
        .map(|(f, e)| (f.as_str(), e.as_str()))
        .collect();
    assert_eq!(different, approximate);
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    for name in ["mini.lts", "abp.lts"] {
        let bytes = file(name);
        // the end is followed by up to 64 bits of padding
        let end = bytes.len() - 8;
        let mut accepted = 0;
        for len in 0..bytes.len() {
            let (system, seen) = read(&bytes[..len]);
            match system {
                Some(_) => accepted += usize::from(len < end),
                None => assert!(
                    seen[0].contains("lts-truncated") || seen[0].contains("lts-magic"),
                    "{name} cut to {len}: {seen:?}"
                ),
            }
        }
        assert_eq!(accepted, 0, "{name}");
    }
}

#[test]
fn nothing_but_padding_stands_behind_the_end() {
    for name in ["mini.lts", "abp.lts"] {
        let bytes = file(name);
        let read_in = |mode, bytes: &[u8], stream: bool| {
            let options = ReadOptions {
                mode,
                ..ReadOptions::default()
            };
            match stream {
                true => read_stream(Format::Lts, bytes, &options),
                false => read_format(Format::Lts, bytes, &options),
            }
        };
        // merc fills up the last byte only
        let last = bytes.iter().rposition(|&b| b != 0).expect("some are not") + 1;
        let end = bytes.len().min(last + 1);
        for len in end..=bytes.len() {
            assert!(
                read_in(Mode::Strict, &bytes[..len], false).0.is_some(),
                "{len}"
            );
        }
        let mut dirty = bytes.clone();
        *dirty.last_mut().expect("bytes") = 1;
        for longer in [
            [&bytes[..], &bytes].concat(),
            [&bytes[..], b"\0"].concat(),
            [&bytes[..], b"anything"].concat(),
            dirty,
        ] {
            for (mode, stream) in [
                (Mode::Default, false),
                (Mode::Strict, false),
                (Mode::Default, true),
            ] {
                let (system, seen) = read_in(mode, &longer, stream);
                assert!(
                    system.is_none() && seen[0].contains("error lts-trailing"),
                    "{seen:?}"
                );
            }
            let (system, seen) = read_in(Mode::Lenient, &longer, false);
            assert!(seen.len() == 1 && seen[0].starts_with("warning lts-trailing"));
            assert_same(
                &system.expect("the first one"),
                &read(&bytes).0.expect("a file"),
            );
        }
    }
}

#[test]
fn mcrl2_counts_states_by_transitions() {
    // the initial state, or the last states, are in no transition
    for (system, expected, lost) in [
        (
            lts(8, 9, &[(0, b"a", 1), (1, b"b", 0)]),
            lts(0, 9, &[(8, b"a", 1), (1, b"b", 8)]),
            0,
        ),
        (lts(5, 9, &[]), lts(0, 9, &[]), 8),
        (lts(0, 4, &[(0, b"a", 1)]), lts(0, 4, &[(0, b"a", 1)]), 2),
        (lts(1, 2, &[(0, b"a", 1)]), lts(1, 2, &[(0, b"a", 1)]), 0),
        (lts(1, 4, &[(0, b"a", 2)]), lts(0, 4, &[(1, b"a", 2)]), 1),
    ] {
        let mut seen = Vec::new();
        let mut bytes = Vec::new();
        let options = WriteOptions::default();
        write_lts(&system, Format::Lts, &mut bytes, &options, &mut |d| {
            seen.push(d.to_string());
        })
        .expect("it can be written");
        let warning = format!("loses {lost} state");
        match lost {
            0 => assert_eq!(seen, [""; 0]),
            _ => assert!(
                seen.len() == 1
                    && seen[0].contains(&warning)
                    && seen[0].contains("lts-lost-states"),
                "{seen:?}"
            ),
        }
        // Hyades loses nothing.
        assert_same(&read(&bytes).0.expect("a file"), &expected);
    }
    // labels move with their states
    let mut labels = StateLabels::new(vec![Parameter {
        name: b"x".to_vec(),
        sort: b"Nat".to_vec(),
        values: vec![b"0".to_vec(), b"1".to_vec(), b"2".to_vec()],
    }]);
    for k in 0..3u32 {
        labels.push([&[k][..]]);
    }
    let system = lts(2, 3, &[(0, b"a", 1)]).with_state_labels(labels);
    let (again, _) = read(&written_lts(&system));
    let again = again.expect("a file");
    assert_same(&again, &lts(0, 3, &[(2, b"a", 1)]));
    let words = described(&again);
    assert_eq!(words.concat().concat(), ["x Nat 2", "x Nat 1", "x Nat 0"]);
}

#[test]
fn labels_that_cannot_be_written() {
    let refused = |label: &[u8], options: &WriteOptions| {
        refused(Format::Lts, &lts(0, 1, &[(0, label, 0)]), options)
    };
    let options = WriteOptions::default();
    assert_eq!(refused(b"tau", &options), ["label-like-hidden"]);
    assert_eq!(refused(b"a\0b", &options), ["lts-nul"]);
    let renamed = WriteOptions {
        visible_i: Some(b"t".to_vec()),
        ..options
    };
    let bytes = written_as(Format::Lts, &lts(0, 1, &[(0, b"tau", 0)]), &renamed);
    assert_same(&read(&bytes).0.unwrap(), &lts(0, 1, &[(0, b"t", 0)]));
    // `i` is a name like any other
    let i = lts(0, 1, &[(0, b"i", 0), (0, b"HIDDEN", 0)]);
    assert_same(&read(&written_lts(&i)).0.unwrap(), &i);
}

#[test]
fn canonical_form() {
    let system = lts(
        2,
        3,
        &[(2, b"b", 0), (2, b"a", 1), (2, b"b", 0), (0, b"HIDDEN", 2)],
    );
    let canonical = WriteOptions {
        canonical: true,
        ..WriteOptions::default()
    };
    let (read_back, _) = read(&written_as(Format::Lts, &system, &canonical));
    let expected = lts(0, 3, &[(0, b"a", 1), (0, b"b", 2), (2, b"HIDDEN", 0)]);
    assert_same(&read_back.unwrap(), &expected);
}

fn label() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => "[a-c]{1,2}(\\([0-9], [a-z]\\))?".prop_map(String::into_bytes),
        2 => prop::collection::vec(1u8.., 0..12),
        1 => prop::sample::select(vec!["i", "Real", "ActId", "transition", "<empty_list>", "a|b"])
            .prop_map(|l| l.as_bytes().to_vec()),
    ]
    .prop_filter("reads like hidden", |l| l != b"tau")
}

/// Any number of parameters, of which some values share texts; any number of
/// vectors for each state.
fn with_state_labels() -> impl Strategy<Value = Lts> {
    let text = "[a-c0-2]{0,2}";
    let parameter = (
        "[a-z]{1,3}",
        prop::sample::select(vec!["", "Nat", "List(Nat)"]),
        prop::collection::vec(text, 1..4),
    );
    let parameters = prop::collection::vec(parameter, 0..6);
    let choices = prop::collection::vec(prop::collection::vec(any::<u32>(), 6), 0..40);
    (systems(label()), parameters, choices).prop_map(|(system, parameters, choices)| {
        let parameters: Vec<Parameter> = parameters
            .into_iter()
            .map(|(name, sort, mut values)| {
                values.sort();
                values.dedup();
                Parameter {
                    name: name.into(),
                    sort: sort.into(),
                    values: values.into_iter().map(String::into_bytes).collect(),
                }
            })
            .collect();
        let mut labels = StateLabels::new(parameters);
        let mut choices = choices.iter();
        for state in 0..system.states() {
            let vectors: Vec<Vec<u32>> = choices
                .by_ref()
                .take(state % 4)
                .map(|choice| {
                    let values = labels.parameters().iter().zip(choice);
                    values.map(|(p, c)| c % p.values.len() as u32).collect()
                })
                .collect();
            labels.push(vectors.iter().map(Vec::as_slice));
        }
        system.with_state_labels(labels)
    })
}

/// The system as it is written: an initial state that is in no transition changes
/// places with state 0.
fn exchanged(system: &Lts) -> Lts {
    let initial = system.initial();
    let mut transitions = system.iter();
    if transitions.any(|(source, _, target)| [source, target].contains(&initial)) {
        return system.clone();
    }
    let new = |state: StateId| match state {
        state if state == initial => StateId::new(0),
        state if state == StateId::new(0) => initial,
        state => state,
    };
    let mut built = LtsBuilder::with_table(system.states() as u64, system.table().clone());
    for (source, label, target) in system.iter() {
        built.add(new(source), label, new(target));
    }
    let built = built.build(StateId::new(0)).expect("as large as the other");
    let Some(known) = system.state_labels() else {
        return built;
    };
    let mut labels = StateLabels::new(known.parameters().to_vec());
    for state in (0..known.states()).map(StateId::from_index) {
        labels.push(known.vectors(new(state).index()));
    }
    built.with_state_labels(labels)
}

/// All that is known of the states, in words; nothing if that is so of all.
fn described(system: &Lts) -> Vec<Vec<Vec<String>>> {
    let Some(known) = system.state_labels() else {
        return Vec::new();
    };
    let states = 0..known.states();
    if states.clone().all(|s| known.vectors(s).len() == 0) {
        return Vec::new();
    }
    let word = |k: usize, &v: &u32| {
        let Parameter { name, sort, .. } = &known.parameters()[k];
        let parts = [name, sort, known.text(k, v)].map(String::from_utf8_lossy);
        parts.join(" ")
    };
    let vectors = |s: usize| {
        let vectors = known.vectors(s);
        vectors
            .map(|vector| vector.iter().enumerate().map(|(k, v)| word(k, v)).collect())
            .collect()
    };
    states.map(vectors).collect()
}

proptest! {
    #[test]
    fn systems_come_back(system in systems(label()), canonical in any::<bool>()) {
        let options = WriteOptions { canonical, ..WriteOptions::default() };
        let bytes = written_as(Format::Lts, &system, &options);
        prop_assert_eq!(bytes.len() % 8, 0);
        let (again, seen) = read(&bytes);
        prop_assert_eq!(seen, [""; 0]);
        let again = again.unwrap();
        if canonical {
            prop_assert_eq!(written_as(Format::Lts, &again, &options), bytes);
        } else {
            assert_same(&again, &exchanged(&system));
        }
    }

    #[test]
    fn state_labels_come_back(system in with_state_labels(), stream in any::<bool>()) {
        let bytes = written_lts(&system);
        let (again, seen) = match stream {
            true => read_stream(Format::Lts, &bytes, &ReadOptions::default()),
            false => read(&bytes),
        };
        prop_assert_eq!(seen, [""; 0]);
        let again = again.unwrap();
        let system = exchanged(&system);
        assert_same(&again, &system);
        prop_assert_eq!(described(&again), described(&system));
    }

    #[test]
    fn damage_is_no_disaster(at in 5usize..2200, bit in 0u8..8) {
        let mut bytes = file("abp.lts");
        let at = at.min(bytes.len() - 1);
        bytes[at] ^= 1 << bit;
        let source = Source::from_bytes("f", bytes, Some(Format::Lts)).unwrap();
        // refused, or a system as good as any
        let Ok(damaged) = read_lts(source, &ReadOptions::default(), &mut |_| ()) else {
            return Ok(());
        };
        let (again, seen) = read(&written_lts(&damaged));
        prop_assert_eq!(seen, [""; 0]);
        let again = again.unwrap();
        let damaged = exchanged(&damaged);
        assert_same(&again, &damaged);
        prop_assert_eq!(described(&again), described(&damaged));
    }
}
