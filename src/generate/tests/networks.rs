//! Networks: their files, sizes that are known, and what is said of them.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::path::Path;

use hyades_equivalence::{Relation, compare::compare, strong_quotient};
use hyades_explore::{Limit, Limits};
use hyades_formats::{Format, Lts, ReadOptions, Source, StateId, aut};
use hyades_lts::facts;

use crate::{GenerateError, NetworkFiles, family};

fn values(name: &str, positional: &[u64], named: &[(&str, u64)]) -> Vec<u64> {
    let family = family(name).expect(name);
    family.values(positional, named).expect(name)
}

fn generated(name: &str, positional: &[u64], named: &[(&str, u64)]) -> Lts {
    let values = values(name, positional, named);
    let lts = family(name).unwrap().generate(&values, Limits::default());
    lts.expect(name)
}

fn files(name: &str, positional: &[u64], named: &[(&str, u64)]) -> NetworkFiles {
    let values = values(name, positional, named);
    let files = family(name).unwrap().network(&values).expect(name);
    files.expect("it is a network")
}

fn states(name: &str, positional: &[u64]) -> u64 {
    generated(name, positional, &[]).states() as u64
}

fn read(text: &str) -> Lts {
    let source = Source::from_bytes("component", text.as_bytes().to_vec(), Some(Format::Aut));
    let source = source.expect("it is not compressed");
    aut::read(source, &ReadOptions::default(), &mut |d| panic!("{d}")).expect("it is in AUT")
}

/// The components of a network, by the names of their files.
fn components(network: &NetworkFiles) -> impl Iterator<Item = &(String, String)> {
    let is_component = |name: &str| name.ends_with(".aut") && name != "spec.aut";
    network
        .files
        .iter()
        .filter(move |(name, _)| is_component(name))
}

fn specification(network: &NetworkFiles) -> Option<Lts> {
    let mut files = network.files.iter();
    let (_, text) = files.find(|(name, _)| name == "spec.aut")?;
    Some(read(text))
}

const FIXED: &[(&str, u64)] = &[("seated", 1)];

/// A family, and values of its parameters by position and by name.
type Given = (&'static str, &'static [u64], &'static [(&'static str, u64)]);

/// Some small members.
const SMALL: &[Given] = &[
    ("liststack", &[1, 1, 1], &[]),
    ("liststack", &[2, 2, 2], &[]),
    ("liststack", &[3, 2, 1], &[]),
    ("peterson", &[2], &[]),
    ("peterson", &[4], &[]),
    ("philosophers", &[3], &[]),
    ("philosophers", &[4], &[]),
    ("philosophers", &[4], FIXED),
    ("database", &[2], &[]),
    ("database", &[5], &[]),
];

/// The files in `testdata/networks` are not ours.
#[test]
fn files_are_known_ones() {
    for (folder, name, positional, named) in [
        ("liststack_2_2_2", "liststack", &[2, 2, 2][..], &[][..]),
        ("liststack_3_2_2", "liststack", &[3, 2, 2], &[]),
        ("peterson_3", "peterson", &[3], &[]),
        ("phils_3", "philosophers", &[3], FIXED),
        ("database_4", "database", &[4], &[]),
    ] {
        let folder = Path::new(hyades_testing::ROOT)
            .join("testdata/networks")
            .join(folder);
        // The comment in the first line tells the same in other words.
        let content = |name: &str, text: &str| match name {
            "net.exp" => text.split_once('\n').expect("many lines").1.to_owned(),
            _ => text.to_owned(),
        };
        let known = std::fs::read_dir(&folder).unwrap().map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let text = std::fs::read_to_string(folder.join(&name)).unwrap();
            let text = content(&name, &text);
            (name, text)
        });
        let known: BTreeMap<_, _> = known.collect();
        let network = files(name, positional, named);
        assert_eq!(network.note, None);
        let made = network.files.iter();
        let made: BTreeMap<_, _> = made
            .map(|(name, text)| (name.clone(), content(name, text)))
            .collect();
        assert_eq!(made, known, "{}", folder.display());
    }
}

#[test]
fn sizes_of_networks_are_known() {
    for (name, positional, named, states, transitions, deadlocks) in [
        ("liststack", &[2, 2, 2][..], &[][..], 1512, 2794, 96),
        ("liststack", &[3, 2, 2], &[], 9432, 17_446, 576),
        ("database", &[3], &[], 28, 42, 0),
        ("database", &[4], &[], 109, 224, 0),
        ("database", &[5], &[], 406, 1090, 0),
        ("peterson", &[2], &[], 36, 66, 0),
        ("peterson", &[3], &[], 716, 2085, 0),
        ("peterson", &[4], &[], 25_612, 107_512, 0),
        ("philosophers", &[3], &[], 173, 344, 0),
        ("philosophers", &[4], &[], 3133, 9354, 0),
        ("philosophers", &[5], &[], 75_009, 297_824, 0),
        ("philosophers", &[3], FIXED, 79, 162, 0),
        ("philosophers", &[4], FIXED, 511, 1544, 0),
    ] {
        let facts = facts(&generated(name, positional, named));
        assert_eq!(
            (facts.states, facts.transitions, facts.deadlocks),
            (states, transitions, deadlocks),
            "{name} {positional:?} {named:?}"
        );
    }
}

#[test]
fn states_of_stacks_follow_a_formula() {
    for (n, t, d) in [
        (1u64, 1u64, 1u64),
        (1, 2, 1),
        (1, 2, 3),
        (2, 1, 2),
        (2, 2, 1),
        (2, 3, 1),
        (2, 2, 3),
        (3, 1, 2),
        (3, 2, 1),
        (4, 1, 1),
    ] {
        // Nodes in use, in order, with their data.
        let mut contents = 1;
        let mut last = 1;
        for used in 0..n {
            last *= (n - used) * d;
            contents += last;
        }
        let idle = (d + 2) * contents;
        let busy = t * ((2 * d + 9) * contents - 6);
        let expected = (d + 2).pow(t as u32 - 1) * (idle + busy);
        assert_eq!(states("liststack", &[n, t, d]), expected, "{n} {t} {d}");
    }
}

#[test]
fn states_of_databases_follow_a_formula() {
    for n in 1..=8u64 {
        assert_eq!(states("database", &[n]), 1 + n * 3u64.pow(n as u32 - 1));
    }
}

type Matrix = [[u64; 6]; 6];

fn trace_of_power(matrix: &Matrix, n: u64) -> u64 {
    let mut power = *matrix;
    for _ in 1..n {
        let old = power;
        for (row, new) in old.iter().zip(&mut power) {
            for (j, entry) in new.iter_mut().enumerate() {
                *entry = (0..6).map(|k| row[k] * matrix[k][j]).sum();
            }
        }
    }
    (0..6).map(|k| power[k][k]).sum()
}

/// Rings of philosophers of whom no two neighbours hold the fork between them, but for
/// those rings in which all sit.
fn fixed_seats(n: u64) -> u64 {
    // Standing, seated, with the left fork, both, the right one, none again.
    let (left, right) = ([2, 3], [3, 4]);
    let mut all = [[1; 6]; 6];
    for one in right {
        for next in left {
            all[one][next] = 0;
        }
    }
    let mut seated = all;
    seated[0] = [0; 6];
    for row in &mut seated {
        row[0] = 0;
    }
    trace_of_power(&all, n) - trace_of_power(&seated, n)
}

#[test]
fn states_of_philosophers_follow_a_formula() {
    // As published, but for rounding.
    assert_eq!(fixed_seats(12), 544_584_271);
    for n in 2..=7 {
        let lts = generated("philosophers", &[n], FIXED);
        assert_eq!(lts.states() as u64, fixed_seats(n), "{n}");
    }
    for n in 2..=6 {
        let factorial = |n: u64| (1..=n).product::<u64>();
        let rings = factorial(n - 1);
        let building: u64 = (2..=n).map(|j| factorial(n) / factorial(n - j)).sum();
        let expected = rings * fixed_seats(n) + 1 + building + rings;
        assert_eq!(states("philosophers", &[n]), expected, "{n}");
    }
}

/// No file has more states than it has to have.
#[test]
fn components_are_minimal() {
    for (name, positional, named) in SMALL {
        let network = files(name, positional, named);
        for (file, text) in components(&network) {
            let lts = read(text);
            let states = lts.states();
            let minimal = strong_quotient(lts).lts;
            assert_eq!(minimal.states(), states, "{name} {positional:?} {file}");
        }
    }
}

/// The text of an LTS with two names exchanged.
fn exchanged(text: &str, one: &str, other: &str) -> String {
    let is_end = |c: char| !c.is_ascii_alphanumeric();
    let mut result = String::new();
    for piece in text.split_inclusive(is_end) {
        let name = piece.trim_end_matches(is_end);
        let new = match name {
            name if name == one => other,
            name if name == other => one,
            name => name,
        };
        result.push_str(new);
        result.push_str(&piece[name.len()..]);
    }
    result
}

/// Whichever two names of a type are exchanged, the components are the same, one by one,
/// and so is the specification. As a label is for all that have it, so are the rules.
#[test]
fn declared_names_may_be_permuted() {
    let mut exchanges = 0;
    for (name, positional, named) in SMALL {
        let network = files(name, positional, named);
        let originals: Vec<Lts> = components(&network).map(|(_, text)| read(text)).collect();
        let equal = |a: &Lts, b: &Lts| {
            let verdict = compare(a.clone(), b.clone(), Relation::Strong);
            verdict.expect("they are small").holds()
        };
        let (_, declaration) = &network.files[1];
        for line in declaration.lines() {
            let (head, list) = line.split_once(" = ").expect(line);
            assert!(head.starts_with("type "), "{head}");
            let list: Vec<&str> = list.split(' ').collect();
            for (k, one) in list.iter().enumerate() {
                for other in &list[..k] {
                    exchanges += 1;
                    let mut taken = HashSet::new();
                    for (file, text) in components(&network) {
                        let new = read(&exchanged(text, one, other));
                        let image = originals.iter().position(|old| equal(&new, old));
                        let image = image.unwrap_or_else(|| panic!("{file} {one} {other}"));
                        assert!(taken.insert(image), "{file} {one} {other}");
                    }
                    let files = network.files.iter();
                    for (_, text) in files.filter(|(name, _)| name == "spec.aut") {
                        assert!(equal(&read(text), &read(&exchanged(text, one, other))));
                    }
                }
            }
        }
    }
    assert!(exchanges > 30, "{exchanges}");
}

/// The states of an LTS that occur with each state of a deterministic specification
/// that goes the same way; `None` if the specification cannot follow.
fn pairs(specification: &Lts, lts: &Lts) -> Option<usize> {
    let mut step = HashMap::new();
    for (source, label, target) in specification.iter() {
        let text = specification.table().text(label).to_vec();
        assert_eq!(step.insert((source, text), target), None);
    }
    let mut rows: HashMap<StateId, Vec<_>> = HashMap::new();
    for (source, label, target) in lts.iter() {
        rows.entry(source).or_default().push((label, target));
    }
    let first = (specification.initial(), lts.initial());
    let mut seen = HashSet::from([first]);
    let mut queue = VecDeque::from([first]);
    while let Some((s, p)) = queue.pop_front() {
        for &(label, target) in rows.get(&p).into_iter().flatten() {
            let follower = match label.is_hidden() {
                true => s,
                false => *step.get(&(s, lts.table().text(label).to_vec()))?,
            };
            if seen.insert((follower, target)) {
                queue.push_back((follower, target));
            }
        }
    }
    Some(seen.len())
}

#[test]
fn networks_have_the_traces_of_their_specifications() {
    for (name, positional, expected) in [
        ("liststack", &[1, 1, 1][..], 22),
        ("liststack", &[2, 2, 2], 1512),
        ("liststack", &[3, 2, 2], 9432),
        ("peterson", &[2], 36),
        ("peterson", &[3], 716),
        ("database", &[4], 109),
    ] {
        let lts = generated(name, positional, &[]);
        let specification = specification(&files(name, positional, &[])).expect(name);
        let found = pairs(&specification, &lts);
        assert_eq!(found, Some(expected), "{name} {positional:?}");
    }
    // More nodes hold more data.
    let larger = generated("liststack", &[3, 1, 1], &[]);
    let smaller = specification(&files("liststack", &[2, 1, 1], &[])).unwrap();
    assert_eq!(pairs(&smaller, &larger), None);
}

#[test]
fn large_specifications_are_left_out() {
    let network =
        |positional: &[u64], most| files("liststack", positional, &[("spec-states", most)]);
    let complete = network(&[3, 2, 2], 15);
    assert_eq!(complete.note, None);
    assert_eq!(specification(&complete).unwrap().states(), 15);
    let without = network(&[3, 2, 2], 14);
    assert!(specification(&without).is_none());
    let note = without.note.unwrap();
    assert!(note.contains("15 states") && note.contains("14"), "{note}");
    let rest = complete.files.iter().filter(|(name, _)| name != "spec.aut");
    assert!(rest.eq(&without.files));
    // As many states as there are contents do not fit in 64 bits.
    let note = network(&[20, 1, 26], 1 << 32).note.unwrap();
    assert!(note.contains("2^64"), "{note}");
}

#[test]
fn limits_on_networks_are_kept() {
    let family = family("peterson").unwrap();
    let limits = Limits {
        max_states: Some(1000),
        ..Limits::default()
    };
    let error = family.generate(&[4], limits).unwrap_err();
    assert_eq!(error, GenerateError::LimitReached(Limit::States));
    assert!(family.network(&[1]).is_err());
    assert!(family.generate(&[33], limits).is_err());
}

#[test]
fn other_families_are_no_networks() {
    let dining = family("dining").unwrap();
    assert!(!dining.is_network());
    assert_eq!(dining.network(&[3]), Ok(None));
    let peterson = family("peterson").unwrap();
    assert!(peterson.is_network());
    assert!(peterson.system(&[3]).unwrap().is_none());
}
