//! Whole files made by hand: version 1.0, and what nobody knows the meaning of.

use super::super::bits::{BitWriter, push_vint};
use super::super::layout::{
    C_TEXTS, EDGES, FUNCTIONS, LABELS, RECORDS, STATES, SYMBOLS, TYPES, UNKNOWN_4, UNKNOWN_9,
};
use super::*;

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
    // the root has a comment, and so may the others have
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
    let names = ["i", "PUSH !TRUE !+77 !ab", "POP !12345", "POP"];
    let texts: Vec<_> = edges
        .iter()
        .map(|&(s, l, t)| (s, names[l as usize], t))
        .collect();
    for [register_bits, short_bits, medium_bits] in [[2, 2, 4], [3, 1, 3], [4, 1, 3], [5, 3, 2]] {
        let parameters = Parameters {
            register_bits,
            short_bits,
            medium_bits,
        };
        let section = naive_edges(parameters, 32, 100, &edges);
        let (graph, inspection) = read(&old_file(section, 100));
        assert_eq!(transitions(&graph), transitions(&lts(100, 0, &texts)));
        assert_eq!(inspection.version.to_string(), "1.0");
        assert_eq!(inspection.parameters, parameters);
        assert_eq!(inspection.gates, [&b"i"[..], b"PUSH", b"POP"]);
    }
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

    for (place, value, shown) in [
        (7, 0, "0 1 3"),
        (7, 9, "9 1 3"),
        (8, 0, "4 0 3"),
        (8, 9, "4 9 3"),
        (9, 1, "4 1 1"),
        (9, 9, "4 1 9"),
    ] {
        let bytes = with(EDGES, &|section| section[place] = value);
        let text = format!("edges with the parameters {shown}; possible are");
        refused(&bytes, "bcg-parameters", &text);
    }
    let edges = [(0, 1, 1), (1, 2, 2), (2, 0, 0), (2, 1, 0)];
    let five = Parameters {
        register_bits: 2,
        short_bits: 3,
        medium_bits: 5,
    };
    let bytes = with(EDGES, &|section| {
        *section = naive_edges(five, 48, 3, &edges);
    });
    let (unusual, inspection) = read(&bytes);
    assert_eq!(inspection.parameters, five);
    same(unusual);
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
