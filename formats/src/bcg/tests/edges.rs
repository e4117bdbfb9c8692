//! The edges of files made by hand: the example of the definition, and what no
//! sample has.

use super::super::bits::BitWriter;
use super::super::edges::{Ordered, encode};
use super::super::layout::{EDGES, FUNCTIONS, RECORDS, STATES, TYPES};
use super::*;

#[test]
fn the_worked_example() {
    let edges = [
        2, 0xf0, 0, 0, 0, 0, 4, 4, 1, 3, 0xc0, 0, 0xe0, 0, 0xb0, 0, 0x38, 0x32, 5, 0,
    ];
    let (graph, inspection) = read(&file(edges.to_vec(), &["x", "y"], 4));
    let expected = lts(4, 0, &[(0, "x", 1), (1, "y", 2), (2, "x", 3), (3, "y", 2)]);
    assert_eq!(transitions(&graph), transitions(&expected));
    assert_eq!(
        inspection.sections[EDGES].end - inspection.sections[EDGES].start,
        20
    );
    assert_eq!(encode(Ordered::kept(&expected)).0, edges);
}

/// The targets of a file with these edges by the letter, and of one that the
/// writer makes of them.
#[track_caller]
fn targets_of(states: u32, edges: &[(u32, u32, u32)]) -> [Vec<u32>; 2] {
    let names = ["i", "a", "b", "c"];
    let texts: Vec<_> = edges
        .iter()
        .map(|&(s, l, t)| (s, names[l as usize], t))
        .collect();
    let mut options = WriteOptions::default();
    options.bcg.keep_order = true;
    let graph = lts(states.into(), 0, &texts);
    let ours = written(&graph, &options);
    let section = naive_edges(Parameters::V1_2, 48, states, edges);
    let theirs = file(section, &names[1..], states.into());
    [theirs, ours].map(|bytes| read(&bytes).0.targets().iter().map(|t| t.get()).collect())
}

#[test]
fn a_register_of_edge_0_counts_as_never_used() {
    // Three edges to state 1, a chain to 300, and two edges back: the only long
    // form is the one before the last, and the last one names what it replaces.
    let mut late = vec![(0, 1, 1), (0, 2, 1), (0, 3, 1)];
    late.extend((1..300).map(|k| (k, 1, k + 1)));
    late.extend([(300, 1, 150), (300, 1, 151)]);
    // register 0 is used by edge 0 alone, and replaced by the next
    let mut early = vec![(0, 0, 1), (0, 0, 20), (0, 0, 21)];
    early.extend((2..20).chain(22..43).map(|target| (1, 0, target)));
    // long forms only, from the first edge on
    let jumps = [
        (0, 40),
        (0, 80),
        (40, 20),
        (80, 60),
        (80, 99),
        (90, 30),
        (90, 70),
        (91, 10),
        (91, 50),
        (92, 90),
        (92, 25),
        (93, 75),
        (93, 35),
        (94, 45),
        (95, 55),
        (95, 65),
        (96, 85),
        (96, 15),
        (97, 95),
    ];
    let jumps = jumps.map(|(source, target)| (source, 1, target)).to_vec();
    for (states, edges) in [(301, late), (43, early), (100, jumps)] {
        let expected: Vec<_> = edges.iter().map(|edge| edge.2).collect();
        for targets in targets_of(states, &edges) {
            assert_eq!(targets, expected);
        }
    }
}

#[test]
fn long_forms_replace_the_lowest_of_equals() {
    // From state 0 on: 0 -> 20 by a long form, which replaces register 0; a
    // second one replaces 0 again, as edge 0 made it no younger. What register
    // 0 holds then is 40.
    let far = |target: u64, out: &mut BitWriter, register: u64| {
        out.push(register, 5);
        out.push(0b1000, 4);
        out.vint(target - 1 - 3);
    };
    let near = |out: &mut BitWriter, register: u64| out.push(register << 1, 6);
    let section = |states: u64| {
        let mut out = BitWriter::after(vec![2, 0xf0, 0, 0, 0, 0, 3, 4, 1, 3]);
        out.push(0b10, 2);
        far(20, &mut out, 2);
        far(40, &mut out, 2);
        near(&mut out, 0);
        for _ in 0..states {
            out.push(0b10, 2);
        }
        out.finish()
    };
    let (graph, _) = read(&file(section(42), &[], 42));
    let targets: Vec<_> = graph.targets().iter().map(|t| t.get()).collect();
    assert_eq!(targets, [20, 40, 41]);
    // there is no other reading that would be possible
    let text = "edge 2, from state 0, goes to state 41, but there are 41 states";
    refused(&file(section(41), &[], 41), "bcg-state", text);
}

#[test]
fn edges_that_cannot_be() {
    let section = |count: u8, bits: &[(u64, u32)]| {
        let mut out = BitWriter::after(vec![2, 0xf0, 0, 0, 0, 0, count, 4, 1, 3]);
        bits.iter().for_each(|&(value, len)| out.push(value, len));
        file(out.finish(), &["a"], 2)
    };
    let end = (0b10_10_10, 6);
    refused(&section(1, &[(0, 6), end]), "bcg-edges", "edge 0 at byte");
    refused(
        &section(1, &[(0b111, 3), (0, 6), (1, 8), end]),
        "bcg-edges",
        "before any state",
    );
    refused(
        &section(1, &[(0b101010, 6), (0, 6), end]),
        "bcg-edges",
        "leave state 2",
    );
    refused(
        &section(1, &[(0b110, 3), (0, 6), (2, 8), end]),
        "bcg-edges",
        "edge 0 at byte",
    );
    let long = [(0b10, 2), (0b0_0000_1000, 9), (0, 8), end];
    refused(
        &section(1, &long),
        "bcg-edges",
        "a long form where a medium one would do",
    );
    let back = [(0b10, 2), (0b0_0000_1111, 9), (1, 8), end];
    refused(&section(1, &back), "bcg-state", "goes to state -3");
    // counts that lie
    let mut many = sections_of(&written(
        &lts(2, 0, &[(0, "a", 1)]),
        &WriteOptions::default(),
    ));
    let good = many.clone();
    many[EDGES][2..7].copy_from_slice(&[0, 0xff, 0xff, 0xff, 0xff]);
    refused(
        &with_sections(&many),
        "bcg-edges",
        "4294967295 edges do not fit",
    );
    many[EDGES][2] = 1;
    refused(&with_sections(&many), "bcg-edges", "at most 4294967295");
    let mut many = good.clone();
    many[STATES].splice(1..2, [0xf0, 0, 0xff, 0xff, 0xff, 0xf0]);
    refused(
        &with_sections(&many),
        "bcg-states",
        "4294967280 states do not fit",
    );
    let mut many = good.clone();
    many[STATES].splice(1..2, [0xf0, 1, 0, 0, 0, 0]);
    refused(
        &with_sections(&many),
        "bcg-states",
        "4294967296 states; possible are 1 to",
    );
    for number in [TYPES, FUNCTIONS, RECORDS] {
        let mut many = good.clone();
        many[number].splice(1..2, [0xff; 6]);
        refused(
            &with_sections(&many),
            "bcg-truncated",
            "in the middle of an item",
        );
    }
}
