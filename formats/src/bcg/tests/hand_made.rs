//! Files made by hand: the examples of the definition, what no sample has, and
//! what nobody knows the meaning of.

use super::super::bits::{BitWriter, push_vint};
use super::super::edges::{Ordered, Rule, encode};
use super::super::layout::{
    C_TEXTS, EDGES, FUNCTIONS, LABELS, RECORDS, STATES, SYMBOLS, TYPES, UNKNOWN_4, UNKNOWN_9,
};
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
fn many_labels() {
    for count in [127u32, 128, 129, 255, 256, 257, 300, 16_383, 16_384, 20_000] {
        let names: Vec<String> = (0..count).map(|k| format!("label {k}")).collect();
        let edges: Vec<_> = (0..count)
            .map(|k| (k, names[k as usize].as_str(), (k + 1) % count))
            .collect();
        let graph = lts(count.into(), 0, &edges);
        let bytes = written(&graph, &WriteOptions::default());
        let (again, inspection) = read(&bytes);
        assert_eq!(transitions(&again), transitions(&graph));
        assert_eq!(inspection.labels, u64::from(count) + 1);
        let labels = &sections_of(&bytes)[LABELS];
        // the number of the gate in label 0 takes a byte, or two
        let first = if count + 1 < 128 { 2 } else { 3 } + usize::from(count + 1 >= 16_384);
        let gate = if count < 256 { 1 } else { 2 };
        assert_eq!(labels[first..first + 4], [0xe0, 0, 0, 0]);
        assert_eq!(labels[first + 4 + gate..][..4], [0xe0, 0, 0, 1]);
    }
}

#[test]
fn long_labels() {
    for len in [254, 255, 256, 2_000, 300_000] {
        let label = "x".repeat(len);
        let graph = lts(2, 0, &[(0, &label, 1)]);
        let bytes = written(&graph, &WriteOptions::default());
        let (again, _) = read(&bytes);
        assert_eq!(transitions(&again), transitions(&graph));
        if len == 255 {
            let types = &sections_of(&bytes)[TYPES];
            let name = types
                .windows(12)
                .position(|w| w == b"bcg_type_raw")
                .unwrap();
            assert_eq!(types[name - 5..name], [7, 0xc0, 0x40, 0, 0xff]);
        }
    }
}

#[test]
fn odd_labels_come_back() {
    let odd = [
        "",
        " ",
        "a\nb",
        "é",
        "\u{1}",
        "A !1",
        "A !TRUE !-1",
        "A !\"b\"",
        "i !1",
        "0",
    ];
    let edges: Vec<_> = odd.iter().map(|label| (0, *label, 0)).collect();
    let graph = lts(1, 0, &edges);
    for parse_labels in [false, true] {
        let mut options = WriteOptions::default();
        options.bcg.parse_labels = parse_labels;
        let (again, inspection) = read(&written(&graph, &options));
        assert_eq!(transitions(&again), transitions(&graph));
        assert_eq!(inspection.gates.len(), if parse_labels { 2 } else { 1 });
    }
}

#[test]
fn all_types_of_fields() {
    // a gate, a value of each type, and a boolean that leaves odd bits
    let graph = lts(1, 0, &[(0, "x", 0)]);
    let mut sections = sections_of(&written(&graph, &WriteOptions::default()));
    sections[RECORDS] = vec![1, 3, 1, 0, 7, 0, 0, 9];
    for kind in [7, 0, 1, 2, 3, 4, 5, 6, 0] {
        sections[RECORDS].extend([0, kind, 0]);
    }
    sections[RECORDS].extend([0, 0, 0]);
    sections[STATES] = vec![1, 1, 0, 2];
    let mut out = BitWriter::after(vec![1, 2, 0xe0, 0, 0, 0, 0, 0xe0, 0, 0, 1]);
    out.push(0, 1);
    out.push(1, 1);
    out.push(u32::MAX.into(), 32);
    out.push(-7i32 as u32 as u64, 32);
    let real = (-2.5f64).to_bits();
    out.push(real >> 32, 32);
    out.push(real & 0xffff_ffff, 32);
    out.push(b'c'.into(), 8);
    out.text(b"a string");
    out.text(b"{raw}");
    out.push(0, 1);
    out.align();
    out.push(0b01, 2);
    sections[LABELS] = out.finish();
    let (graph, inspection) = read(&with_sections(&sections));
    assert_eq!(
        transitions(&graph)[0].1.unwrap(),
        b"i !TRUE !4294967295 !-7 !-2.5 !c !a string !{raw} !FALSE"
    );
    assert_eq!(
        inspection.shapes[1].fields.join(" "),
        "gate boolean natural integer real character string raw boolean"
    );
}

/// A file of version 1.0, as its definition says: four labels, one with fields
/// after another that are not aligned.
fn old_file(edges: Vec<u8>, states: u8) -> Vec<u8> {
    let mut sections = [const { Vec::new() }; SECTIONS];
    sections[C_TEXTS] = b"\x01some text\0another\0".to_vec();
    let string_bits = 8 * 6;
    let types: [(&str, u64, u64, u64); 6] = [
        ("boolean", 0, 1, 1),
        ("integer", 0, 2, 32),
        ("real", 0, 3, 64),
        ("character", 0, 4, 8),
        ("string", 0, 5, string_bits),
        ("LABELS", 9, 0, 3),
    ];
    let section = &mut sections[TYPES];
    section.extend([1, 6]);
    for (name, symbol, identifier, bits) in types {
        for number in [symbol, identifier, bits] {
            push_vint(section, number);
        }
        section.extend([0x55]);
        section.extend(format!("bcg_type_{name}\0a\0b\0c\0\0\0\0").into_bytes());
    }
    let section = &mut sections[FUNCTIONS];
    section.extend([1, 4]);
    section.extend(b"\x00\x01!\0\x01\x00\x00");
    for gate in 0..3 {
        section.extend([2 + gate, 0]);
        section.extend(format!("BCG_GATE_{gate}\0").into_bytes());
        section.extend([0, 5]);
    }
    section.push(0b0000_1000);
    let section = &mut sections[RECORDS];
    section.extend([1, 4, 1, 0, 5, 0, 5]);
    // 3 + 1 + 32 + 48 bits: 4 more
    section.extend([4, 0, 5, 0, 0, 0, 0, 0, 1, 0, 0, 4, 0, 4]);
    // 3 + 48: 5 more
    section.extend([2, 0, 5, 0, 0, 4, 0, 5]);
    section.extend([0, 0]);
    let section = &mut sections[SYMBOLS];
    section.extend(b"\x01\x00\x05\x00file\0a comment\0\0\0");
    section.extend(b"\x01LABELS\0\x01\x02\x03\0\0\x01\x05");
    for (gate, name) in ["i", "PUSH", "POP"].into_iter().enumerate() {
        section.push(1);
        section.extend(name.bytes());
        section.extend(b"\0\0\0\0of this gate\0\0\x02");
        section.push(1 + gate as u8);
    }
    let mut out = BitWriter::after(vec![1, 4]);
    let record = |out: &mut BitWriter, number: u64| out.push(0b1110 << 28 | number, 32);
    record(&mut out, 0);
    out.push(0, 8);
    record(&mut out, 1);
    out.push(1, 3);
    out.push(1, 1);
    out.push(77, 32);
    out.text(b"ab");
    out.push(0x12_34_56, 24);
    out.align();
    record(&mut out, 2);
    out.push(2, 3);
    out.text(b"12345");
    out.align();
    record(&mut out, 0);
    out.push(2, 3);
    out.align();
    out.push(0b0111, 4);
    sections[LABELS] = out.finish();
    sections[EDGES] = edges;
    sections[STATES] = vec![1, states, 0, 3];
    sections[UNKNOWN_4] = vec![1, 0];
    sections[UNKNOWN_9] = vec![1, 0];
    let order = [4, 7, 5, 2, 3, 0, 1, 8, 9, 6];
    let comment = b"created by bcg_io from aldebaran format\0";
    let mut offsets = [0; 2 * SECTIONS];
    let mut at = 3 + 8 * SECTIONS + comment.len();
    for number in order {
        offsets[2 * number] = at;
        at += sections[number].len();
        offsets[2 * number + 1] = at;
    }
    let mut file = vec![1, 0, 0];
    for offset in offsets {
        file.extend((offset as u32).to_be_bytes());
    }
    file.extend(comment);
    for number in order {
        file.extend(&sections[number]);
    }
    file
}

#[test]
fn version_1_0() {
    let edges: Vec<(u32, u32, u32)> = (0..500u32)
        .map(|k| (k / 5, k * k % 4, (k / 5 + k * k % 7 * 9) % 100))
        .collect();
    let section = naive_edges(Parameters::V1_0, Rule::A, 100, &edges);
    let (graph, inspection) = read(&old_file(section, 100));
    let names = ["i", "PUSH !TRUE !77 !ab", "POP !12345", "POP"];
    let texts: Vec<_> = edges
        .iter()
        .map(|&(s, l, t)| (s, names[l as usize], t))
        .collect();
    assert_eq!(transitions(&graph), transitions(&lts(100, 0, &texts)));
    assert_eq!(inspection.version.to_string(), "1.0");
    assert_eq!(inspection.parameters, Parameters::V1_0);
    assert_eq!(inspection.gates, [&b"i"[..], b"PUSH", b"POP"]);
}

#[test]
fn what_is_unknown_is_named() {
    let graph = lts(
        3,
        0,
        &[(0, "a", 1), (1, "b !1", 2), (2, "i", 0), (2, "a", 0)],
    );
    let mut options = WriteOptions::default();
    options.bcg.parse_labels = true;
    let bytes = written(&graph, &options);
    let good = sections_of(&bytes);
    let with = |number: usize, change: &dyn Fn(&mut Vec<u8>)| {
        let mut sections = good.clone();
        change(&mut sections[number]);
        with_sections(&sections)
    };
    let same = |read: Lts| assert_eq!(transitions(&read), transitions(&graph));

    let mut version = bytes.clone();
    version[1] = 3;
    same(doubted(&version, "bcg-version", "version 1.3"));
    version[0] = 2;
    refused(&version, "bcg-header", "02 03 00");
    refused(
        b"\x01\x02",
        "bcg-header",
        "a file of 2 bytes is no BCG file",
    );
    let mut more = bytes.clone();
    more.push(0);
    same(doubted(
        &more,
        "bcg-layout",
        "the last section ends at byte",
    ));
    let mut gap = bytes.clone();
    // the end of section 9 and all after it, a byte to the right
    let last = read(&bytes).1.sections[9].clone();
    gap.insert(last.start as usize, 0);
    for field in 18..20 {
        gap[3 + 8 * field + 7] = gap[3 + 8 * field + 7].wrapping_add(1);
    }
    same(doubted(
        &gap,
        "bcg-layout",
        "a section is expected to begin",
    ));

    for number in 0..SECTIONS {
        let bytes = with(number, &|section| section[0] = 7);
        same(doubted(&bytes, "bcg-section", "has format 7"));
    }
    for number in [UNKNOWN_4, UNKNOWN_9] {
        let bytes = with(number, &|section| section[1] = 1);
        same(doubted(&bytes, "bcg-unknown", "known is 00"));
        let bytes = with(number, &|section| section.push(0));
        same(doubted(&bytes, "bcg-unknown", "more content"));
    }
    let bytes = with(STATES, &|section| section[2] = 2);
    let moved = doubted(
        &bytes,
        "bcg-initial",
        "the second number of section 8 (states) is 2",
    );
    assert_eq!(moved.initial(), StateId::new(2));
    let bytes = with(STATES, &|section| section[3] = 0);
    same(doubted(&bytes, "bcg-states", "by record 0"));
    let bytes = with(STATES, &|section| section[1] = 0);
    refused(&bytes, "bcg-states", "0 states");
    let bytes = with(STATES, &|section| section[1] = 2);
    refused(
        &bytes,
        "bcg-state",
        "goes to state 2, but there are 2 states",
    );
    let bytes = with(STATES, &|section| section[1] = 4);
    refused(&bytes, "bcg-edges", "after the last edge");
    let bytes = with(STATES, &|section| section.truncate(3));
    refused(&bytes, "bcg-truncated", "section 8 (states) ends at byte");

    // parameters: seven further registers are of no use here
    let bytes = with(EDGES, &|section| section[7] = 9);
    refused(&bytes, "bcg-parameters", "9 1 3");
    let edges = [(0, 1, 1), (1, 2, 2), (2, 0, 0), (2, 1, 0)];
    let five = Parameters {
        register_bits: 2,
        short_bits: 3,
        medium_bits: 5,
    };
    let bytes = with(EDGES, &|section| {
        *section = naive_edges(five, Rule::A, 3, &edges);
        // the number in the form of this version
        section.splice(1..5, [0xf0, 0, 0, 0, 0, 4]);
    });
    same(doubted(
        &bytes,
        "bcg-parameters",
        "parameters 2 3 5; known are 4 1 3",
    ));
    let bytes = with(EDGES, &|section| {
        section.splice(1..7, [4]);
    });
    same(doubted(&bytes, "bcg-unknown", "takes 8 bits"));
    let bytes = with(EDGES, &|section| section[6] = 3);
    doubted(&bytes, "bcg-edges", "after the last edge");
    let bytes = with(EDGES, &|section| section.push(0));
    same(doubted(&bytes, "bcg-edges", "after the last edge"));
    let labels = &good[LABELS];
    let last = labels.len() - 1;
    // flags of labels 0 to 2
    assert_eq!(labels[last], 0b0110_0000);
    let bytes = with(LABELS, &|section| section[last] = 0b1110_0000);
    doubted(&bytes, "bcg-hidden", "label 0 reads `i` and is visible");
    let bytes = with(LABELS, &|section| section[last] = 0b0100_0000);
    let hidden = doubted(
        &bytes,
        "bcg-hidden",
        "label 2, which reads `b !1`, is hidden",
    );
    assert_eq!(transitions(&hidden)[1], (1, None, 2));
    let bytes = with(LABELS, &|section| section[last] = 0b0110_0001);
    same(doubted(&bytes, "bcg-unknown", "more content"));
    let bytes = with(LABELS, &|section| section[6] |= 1);
    same(doubted(
        &bytes,
        "bcg-unknown",
        "is not filled up with zeros",
    ));
    let bytes = with(LABELS, &|section| section[5] = 9);
    refused(&bytes, "bcg-label", "is of record 9");
    let bytes = with(LABELS, &|section| section[5] = 2);
    refused(&bytes, "bcg-label", "has the fields ()");
    let bytes = with(LABELS, &|section| section[6] = 0b1100_0000);
    refused(&bytes, "bcg-label", "gate 3, which has no name");

    assert_eq!(
        good[RECORDS][1..],
        [3, 1, 0, 7, 0, 0, 2, 0, 7, 0, 0, 1, 0, 0, 0, 0]
    );
    let bytes = with(RECORDS, &|section| section[6] = 1);
    same(doubted(
        &bytes,
        "bcg-unknown",
        "section 3 (records) has 01 at byte",
    ));
    let bytes = with(RECORDS, &|section| section[4] = 8);
    refused(&bytes, "bcg-record", "field of type 8");
    let bytes = with(RECORDS, &|section| section[12] = 7);
    refused(&bytes, "bcg-label", "(gate, gate)");

    let place = |section: &[u8], text: &[u8]| {
        let found = section.windows(text.len()).position(|part| part == text);
        found.unwrap()
    };
    let bytes = with(TYPES, &|section| {
        let at = place(section, b"bcg_type_natural");
        section[at - 2] = 33;
    });
    refused(&bytes, "bcg-type", "`bcg_type_natural`, of 33 bits");
    let bytes = with(TYPES, &|section| {
        let at = place(section, b"bcg_type_natural");
        section[at + 9] = b'N';
    });
    // neither the type nor the shape is known then
    refused(&bytes, "bcg-type", "unknown type `bcg_type_Natural`");
    let bytes = with(TYPES, &|section| section[5] = 0);
    same(doubted(&bytes, "bcg-unknown", "section 1 (types) has 00"));

    let bytes = with(SYMBOLS, &|section| {
        let at = place(section, b"\x01b\0");
        section[at] = 3;
    });
    same(doubted(&bytes, "bcg-unknown", "section 5 (symbols) has 03"));
    let bytes = with(SYMBOLS, &|section| *section.last_mut().unwrap() -= 1);
    refused(&bytes, "bcg-symbol", "gates `a` and `b` have one number");
    let bytes = with(SYMBOLS, &|section| *section.last_mut().unwrap() = 5);
    refused(
        &bytes,
        "bcg-symbol",
        "`b` is function 5, which is no constant of a gate",
    );
    let bytes = with(SYMBOLS, &|section| {
        let at = section.len() - 2;
        section[at] = 3;
    });
    refused(&bytes, "bcg-symbol", "`b` is of kind 03");
    let bytes = with(SYMBOLS, &|section| section.push(0));
    same(doubted(&bytes, "bcg-unknown", "more content"));
    let bytes = with(FUNCTIONS, &|section| section.push(0));
    same(doubted(&bytes, "bcg-unknown", "more content"));
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

#[test]
fn short_labels_do_not_become_gigabytes() {
    // one gate with a long name, and many labels that tell it by a bit
    let mut sections = sections_of(&written(&lts(1, 0, &[]), &WriteOptions::default()));
    let name = vec![b'x'; 1 << 20];
    sections[SYMBOLS] = [
        b"\x01\0\x03\0\0\0\0\0\x01GATE\0\0\0\0\0\0\x01\x07\x01",
        &name[..],
        b"\0\0\0\0\0\0\x02\x5b",
    ]
    .concat();
    sections[RECORDS] = vec![1, 2, 2, 0, 7, 0, 0, 1, 0, 0, 0, 0];
    let mut out = BitWriter::after(vec![1]);
    out.vint(10_000);
    for k in 0..10_000 {
        out.push(0, 8);
        out.push(0, 1);
        out.push(k, 32);
        out.align();
    }
    out.push(0, 8);
    (0..1_249).for_each(|_| out.push(0xff, 8));
    sections[LABELS] = out.finish();
    refused(
        &with_sections(&sections),
        "bcg-label",
        "much more than their part of the file",
    );
}

#[test]
fn what_counts_as_hidden() {
    let graph = lts(2, 0, &[(0, "i", 1), (0, "tau", 1), (0, "a", 1)]);
    let bytes = written(&graph, &WriteOptions::default());
    let hidden = |tau: &[&str], dialect| {
        let options = ReadOptions {
            tau: tau.iter().map(|name| name.as_bytes().to_vec()).collect(),
            dialect,
            ..ReadOptions::default()
        };
        let (read, seen) = read_as(&bytes, &options);
        assert_eq!(seen, []);
        let graph = read.unwrap().0;
        let hidden = graph.labels().iter().map(|label| label.is_hidden());
        hidden.collect::<Vec<_>>()
    };
    use crate::options::Dialect;
    assert_eq!(hidden(&[], None), [true, false, false]);
    assert_eq!(hidden(&[], Some(Dialect::Cadp)), [true, false, false]);
    assert_eq!(hidden(&[], Some(Dialect::Mcrl2)), [true, true, false]);
    assert_eq!(hidden(&["a"], None), [false, false, true]);
    assert_eq!(
        hidden(&["a", "i"], Some(Dialect::Mcrl2)),
        [true, false, true]
    );
}

#[test]
fn what_cannot_be_written() {
    let errors = |graph: &Lts, options: &WriteOptions| {
        let mut out = Vec::new();
        let mut codes = Vec::new();
        let result = write_lts(graph, Format::Bcg, &mut out, options, &mut |d| {
            codes.push(d.code);
        });
        assert_eq!((result.is_err(), out.is_empty()), (true, true));
        codes
    };
    let plain = WriteOptions::default();
    assert_eq!(errors(&lts(1, 0, &[(0, "a\0b", 0)]), &plain), ["bcg-label"]);
    let mut builder = LtsBuilder::new(1);
    builder.add_text(0, b"i", 0).unwrap();
    let visible = builder.build(StateId::new(0)).unwrap();
    assert_eq!(errors(&visible, &plain), ["label-like-hidden"]);
    let mut options = plain.clone();
    options.visible_i = Some(b"eye".to_vec());
    assert_eq!(
        transitions(&read(&written(&visible, &options)).0),
        [(0, Some(&b"eye"[..]), 0)]
    );
    options.bcg.comment = Some(b"a\0".to_vec());
    assert_eq!(errors(&visible, &options), ["bcg-comment"]);
    let later = lts(3, 2, &[(2, "a", 0), (0, "b", 1)]);
    let mut options = plain.clone();
    (options.canonical, options.keep_initial) = (true, true);
    assert_eq!(errors(&later, &options), ["bcg-initial"]);
    // numbers that force long forms at once
    let jumps = lts(
        100,
        0,
        &[
            (0, "a", 40),
            (0, "a", 80),
            (40, "a", 20),
            (80, "a", 60),
            (80, "a", 99),
            (90, "a", 30),
            (90, "a", 70),
            (91, "a", 10),
            (91, "a", 50),
            (92, "a", 90),
            (92, "a", 25),
            (93, "a", 75),
            (93, "a", 35),
            (94, "a", 45),
            (95, "a", 55),
            (95, "a", 65),
            (96, "a", 85),
            (96, "a", 15),
            (97, "a", 95),
        ],
    );
    let mut options = plain.clone();
    options.bcg.keep_order = true;
    assert_eq!(errors(&jumps, &options), ["bcg-ambiguous"]);
    read(&written(&jumps, &plain));
}
