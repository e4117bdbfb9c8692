//! The edges of files made by hand: the example of the definition, and what no
//! sample has.

use super::super::bits::BitWriter;
use super::super::edges::{Ordered, Rule, encode};
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
    assert_eq!(encode(Ordered::kept(&expected)).unwrap().0, edges);
}

/// Three edges to state 1, a chain to 300, and two edges back: the only long
/// form is the one before the last, and the last one names what it replaces.
fn late_ambiguity() -> Vec<(u32, u32, u32)> {
    let mut edges = vec![(0, 1, 1), (0, 2, 1), (0, 3, 1)];
    edges.extend((1..300).map(|k| (k, 1, k + 1)));
    edges.extend([(300, 1, 150), (300, 1, 151)]);
    edges
}

#[test]
fn what_depends_on_the_age_of_registers_is_not_guessed() {
    let edges = late_ambiguity();
    for (rule, target) in [(Rule::A, 151), (Rule::B, 1), (Rule::C, 1)] {
        let section = naive_edges(Parameters::V1_2, rule, 301, &edges);
        let bytes = file(section, &["a", "b", "c"], 301);
        if rule == Rule::A {
            let text = "edge 303, from state 300, goes to 151 (rule A) or 1 (rule B)";
            let graph = doubted(&bytes, "bcg-ambiguous", text);
            assert_eq!(graph.targets().last().unwrap().get(), target);
        }
    }
    // what we write has one meaning only, whether states keep their numbers
    let names = ["", "a", "b", "c"];
    let texts: Vec<_> = edges
        .iter()
        .map(|&(s, l, t)| (s, names[l as usize], t))
        .collect();
    let graph = lts(301, 0, &texts);
    for keep_order in [false, true] {
        let mut options = WriteOptions::default();
        options.bcg.keep_order = keep_order;
        assert_eq!(
            transitions(&read(&written(&graph, &options)).0),
            transitions(&graph)
        );
    }
}

#[test]
fn a_rule_that_gives_an_impossible_graph_is_out() {
    // From state 0 on: 0 -> 20 by a long form, which replaces register 0 to all
    // rules; a second one replaces 0 again, or 1. What register 0 holds then
    // is 40, or 20.
    let far = |target: u64, out: &mut BitWriter, register: u64| {
        out.push(register, 5);
        out.push(0b1000, 4);
        out.vint(target - 1 - 3);
    };
    let near = |out: &mut BitWriter, register: u64| out.push(register << 1, 6);
    let section = |states: u64, edges: u64, body: &dyn Fn(&mut BitWriter)| {
        let mut out = BitWriter::after(vec![2, 0xf0, 0, 0, 0, 0, edges as u8, 4, 1, 3]);
        out.push(0b10, 2);
        body(&mut out);
        for _ in 0..states {
            out.push(0b10, 2);
        }
        out.finish()
    };
    let three = |out: &mut BitWriter| {
        far(20, out, 2);
        far(40, out, 2);
        near(out, 0);
    };
    // by rule A on to state 41, which there is not; by the others to 21
    let bytes = file(section(41, 3, &three), &[], 41);
    let (read, seen) = read_as(&bytes, &ReadOptions::default());
    let graph = read.unwrap().0;
    let targets: Vec<_> = graph.targets().iter().map(|t| t.get()).collect();
    assert_eq!(targets, [20, 40, 21]);
    assert_eq!((seen.len(), seen[0].code), (1, "bcg-ambiguous"));
    assert!(seen[0].text.contains("by rule B"), "{}", seen[0].text);
    // with a state more both are possible, and none is reached as a whole
    let bytes = file(section(42, 3, &three), &[], 42);
    let graph = doubted(
        &bytes,
        "bcg-ambiguous",
        "goes to 41 (rule A) or 21 (rule B)",
    );
    assert_eq!(graph.targets()[2].get(), 41);
    // impossible by all rules
    let four = |out: &mut BitWriter| {
        three(out);
        far(60, out, 5);
    };
    let bytes = file(section(41, 4, &four), &[], 41);
    refused(&bytes, "bcg-state", "goes to state 4");
}

#[test]
fn states_that_are_not_reached_tell_the_rule() {
    // 0 -> 1, a long form, then a medium one: 8 states in a row but for one
    let mut edges = vec![(0, 0, 1)];
    let states = 43;
    edges.push((0, 0, 20));
    edges.push((0, 0, 21));
    edges.extend((2..20).chain(22..states).map(|target| (1, 0, target)));
    let section = naive_edges(Parameters::V1_2, Rule::A, states, &edges);
    let (graph, _) = read(&file(section, &[], states.into()));
    let targets: Vec<_> = graph.targets().iter().map(|t| t.get()).collect();
    let expected: Vec<_> = edges.iter().map(|edge| edge.2).collect();
    assert_eq!(targets, expected);
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
