//! Whole files: round trips, any number of threads, any size of chunks, files
//! at the edge of the definition.

use crate::common;

use common::*;
use hyades_formats::*;
use proptest::prelude::*;

fn edge(name: &str) -> Vec<u8> {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/aut-edge/");
    std::fs::read(format!("{dir}{name}.aut")).unwrap()
}

/// The canonical form of an edge case, or its diagnostics.
fn outcome(name: &str) -> String {
    let (lts, seen) = read_as(&edge(name), &ReadOptions::default());
    let mut text = String::new();
    if let Some(lts) = lts {
        let form = written(&lts, &WriteOptions::default());
        text += &String::from_utf8_lossy(&form);
    }
    for s in seen {
        text += &s;
        text += "\n";
    }
    text
}

#[test]
fn edge_cases() {
    let abc = "des (0, 3, 3)\n(0, a, 1)\n(1, b, 2)\n(2, c, 0)\n";
    for name in [
        "01_plain",
        "02_spaces",
        "03_more_spaces",
        "04_crlf",
        "05_no_final_newline",
        "16_blank_lines",
    ] {
        assert_eq!(outcome(name), abc, "{name}");
    }
    let x = "x".repeat(3000);
    for (name, expected) in [
        (
            "06_unquoted",
            "des (0, 3, 3)\n(0, a, 1)\n(1, \"PUT !1 !TRUE\", 2)\n(2, i, 0)\n\
             warning aut-free-label 3:5\n",
        ),
        (
            "07_unquoted_commas",
            "des (0, 3, 3)\n(0, \"c(1, d(2))\", 1)\n(1, b, 2)\n(2, c, 0)\n\
             warning aut-free-label 2:5\n",
        ),
        (
            "08_quoted_commas_parens",
            "des (0, 3, 3)\n(0, \"c(1, 2)\", 1)\n(1, \"x),(3\", 2)\n(2, c, 0)\n",
        ),
        (
            "09_escaped_quote",
            "des (0, 2, 3)\n(0, \"say \\\"hi\\\"\", 1)\n(1, \"back\\\\slash\", 2)\n",
        ),
        (
            "10_inner_quote_raw",
            "des (0, 2, 3)\n(0, \"SEND !\"hi\" !3\", 1)\n(1, b, 2)\n",
        ),
        (
            "11_utf8",
            "des (0, 2, 3)\n(0, \"αβ→\", 1)\n(1, b, 2)\nwarning aut-non-ascii 2:6\n",
        ),
        (
            "12_label_3000",
            &format!("des (0, 2, 3)\n(0, {x}, 1)\n(1, b, 2)\n"),
        ),
        (
            "14_initial_nonzero",
            "des (2, 3, 3)\n(0, a, 1)\n(1, b, 2)\n(2, c, 0)\n",
        ),
        ("15_no_transitions", "des (0, 0, 1)\n"),
        (
            "17_dup_transitions",
            "des (0, 4, 3)\n(0, a, 1)\n(0, a, 1)\n(1, b, 2)\n(2, c, 0)\n",
        ),
        ("18_empty_label", "des (0, 2, 2)\n(0, \"\", 1)\n(1, b, 0)\n"),
        (
            "19_i_vs_quoted_i",
            "des (0, 3, 4)\n(0, i, 1)\n(1, i, 2)\n(2, a, 3)\n",
        ),
        (
            "20_tau_word",
            "des (0, 3, 4)\n(0, tau, 1)\n(1, tau, 2)\n(2, a, 3)\nwarning aut-tau-hint 2:5\n",
        ),
        (
            "21_both_i_and_tau",
            "des (0, 3, 4)\n(0, i, 1)\n(1, tau, 2)\n(2, a, 3)\n",
        ),
        ("22_bad_too_few_lines", "error aut-count 5:1\n"),
        ("23_bad_too_many_lines", "error aut-count 4:1\n"),
        ("24_bad_state_out_of_range", "error aut-state-range 4:10\n"),
        ("25_bad_garbage_line", "error aut-syntax 3:1\n"),
        ("26_bad_no_header", "error aut-no-header 1:1\n"),
        ("27_bad_empty_file", "error aut-no-header 1:1\n"),
        ("28_bad_truncated_line", "error aut-syntax 4:8\n"),
        ("29_big_state_number", "error aut-number 1:12\n"),
        (
            "30_unreachable",
            "des (0, 3, 4)\n(0, a, 1)\n(1, b, 0)\n(3, c, 2)\n",
        ),
    ] {
        assert_eq!(outcome(name), expected, "{name}");
    }
    let (lts, seen) = read_as(&edge("13_label_6000_args"), &ReadOptions::default());
    let lts = lts.unwrap();
    assert!(seen.is_empty());
    assert!(transitions(&lts)[0].1.len() >= 6000);
}

#[test]
fn canonical_form() {
    let text = b"des (2, 7, 4)\n(2, b, 0)\n(0, i, 2)\n(2, \"a b\", 3)\n(2, j, 1)\n\
                 (2, \"*\", 2)\n(2, h, 1)\n(0, i, 2)\n";
    let lts = read_as(text, &ReadOptions::default()).0.unwrap();
    let canonical = WriteOptions {
        canonical: true,
        ..WriteOptions::default()
    };
    assert_eq!(
        String::from_utf8(written(&lts, &canonical)).unwrap(),
        "des (0, 6, 4)\n(0, \"*\", 0)\n(0, \"a b\", 3)\n(0, b, 2)\n(0, h, 1)\n(0, j, 1)\n(2, i, 0)\n"
    );
    let kept = WriteOptions {
        keep_initial: true,
        ..canonical
    };
    assert_eq!(
        String::from_utf8(written(&lts, &kept)).unwrap(),
        "des (2, 6, 4)\n(0, i, 2)\n(2, \"*\", 2)\n(2, \"a b\", 3)\n(2, b, 0)\n(2, h, 1)\n(2, j, 1)\n"
    );
    // the initial state is left alone otherwise
    let plain = written(&lts, &WriteOptions::default());
    assert!(plain.starts_with(b"des (2, 7, 4)\n(0, i, 2)\n(0, i, 2)\n(2, b, 0)\n"));
}

fn refused(lts: &Lts, options: &WriteOptions) -> Vec<String> {
    let mut seen = Vec::new();
    let mut out = Vec::new();
    let result = write_lts(lts, Format::Aut, &mut out, options, &mut |d| {
        seen.push(format!("{} {}", d.severity, d.code))
    });
    match result {
        Err(WriteError::Refused { errors }) => {
            assert!(errors > 0);
            assert!(out.is_empty());
        }
        result => panic!("{result:?}"),
    }
    seen
}

fn one_label(label: &[u8]) -> Lts {
    let mut builder = LtsBuilder::new(1);
    builder.add_text(0, label, 0).unwrap();
    builder.build(StateId::new(0)).unwrap()
}

#[test]
fn labels_that_read_like_hidden() {
    let i = one_label(b"i");
    assert_eq!(
        refused(&i, &WriteOptions::default()),
        ["error label-like-hidden"]
    );
    let renamed = |name: &[u8]| WriteOptions {
        visible_i: Some(name.to_vec()),
        ..WriteOptions::default()
    };
    assert!(written(&i, &renamed(b"eye")).ends_with(b"(0, eye, 0)\n"));
    assert_eq!(refused(&i, &renamed(b"i")), ["error label-like-hidden"]);
    let mut both = LtsBuilder::new(1);
    both.add_text(0, b"i", 0).unwrap();
    both.add_text(0, b"eye", 0).unwrap();
    let both = both.build(StateId::new(0)).unwrap();
    assert_eq!(
        refused(&both, &renamed(b"eye")),
        ["error label-like-hidden"]
    );
    let mcrl2 = WriteOptions {
        dialect: Some(Dialect::Mcrl2),
        ..WriteOptions::default()
    };
    assert!(written(&i, &mcrl2).ends_with(b"(0, i, 0)\n"));
    assert_eq!(
        refused(&one_label(b"tau"), &mcrl2),
        ["error label-like-hidden"]
    );
    let mut hidden = LtsBuilder::new(1);
    hidden.add(StateId::new(0), LabelId::HIDDEN, StateId::new(0));
    // a label that does not occur stands in nobody's way
    hidden.table_mut().intern(b"tau").unwrap();
    hidden.table_mut().intern(b"i").unwrap();
    hidden.table_mut().intern(b"\n").unwrap();
    let hidden = hidden.build(StateId::new(0)).unwrap();
    assert!(written(&hidden, &mcrl2).ends_with(b"(0, tau, 0)\n"));
    let always = WriteOptions {
        quote: Quote::Always,
        ..WriteOptions::default()
    };
    assert!(written(&hidden, &always).ends_with(b"(0, \"i\", 0)\n"));
    assert!(written(&one_label(b"a"), &always).ends_with(b"(0, \"a\", 0)\n"));
}

#[test]
fn labels_with_odd_bytes() {
    for label in [&b"a\nb"[..], b"a\tb", b"\x7f", b"\0", b"\r"] {
        let lts = one_label(label);
        assert_eq!(
            refused(&lts, &WriteOptions::default()),
            ["error aut-unprintable"]
        );
        let lossy = WriteOptions {
            lossy: true,
            ..WriteOptions::default()
        };
        let text = String::from_utf8(written(&lts, &lossy)).unwrap();
        assert!(text.contains("\\x"), "{text}");
        assert!(!text.contains("\\xa"), "hexadecimal digits are upper case");
    }
    // One label is not made of two.
    let lossy = WriteOptions {
        lossy: true,
        ..WriteOptions::default()
    };
    for (one, other, is_written) in [
        (&b"a\tb"[..], &b"a\\x09b"[..], false),
        (b"\t\\x09", b"\\x09\t", false),
        (b"a\tb", b"a\\x0Ab", true),
        (b"a\tb", b"a\x09", true),
        (b"a\\x09b", b"a", true),
    ] {
        let mut two = LtsBuilder::new(1);
        two.add_text(0, one, 0).unwrap();
        two.add_text(0, other, 0).unwrap();
        let two = two.build(StateId::new(0)).unwrap();
        match is_written {
            true => drop(written(&two, &lossy)),
            false => {
                let codes = refused(&two, &lossy);
                assert!(codes.contains(&"error aut-unprintable".into()), "{codes:?}");
            }
        }
    }
    let tau = one_label("τ".as_bytes());
    assert!(written(&tau, &WriteOptions::default()).ends_with("(0, \"τ\", 0)\n".as_bytes()));
    let ascii = WriteOptions {
        ascii: true,
        ..WriteOptions::default()
    };
    assert_eq!(refused(&tau, &ascii), ["error aut-non-ascii"]);
    // one warning, however many labels
    let mut two = LtsBuilder::new(1);
    two.add_text(0, b"\xff", 0).unwrap();
    two.add_text(0, b"\xfe", 0).unwrap();
    let mut warnings = 0;
    let two = two.build(StateId::new(0)).unwrap();
    write_lts(
        &two,
        Format::Aut,
        &mut Vec::new(),
        &WriteOptions::default(),
        &mut |_| warnings += 1,
    )
    .unwrap();
    assert_eq!(warnings, 1);
}

#[test]
fn streaming() {
    let text = b"des (1, 3, 4)\n(3, i, 0)\n(0, \"a b\", 1)\n(0, c, 2)\n";
    let lts = read_as(text, &ReadOptions::default()).0.unwrap();
    let options = WriteOptions::default();
    let feed = |writer: &mut aut::StreamWriter<'_>| {
        let mut all: Vec<_> = lts.iter().collect();
        all.rotate_right(1);
        for (s, l, t) in all {
            let rows = Rows {
                first: s,
                ends: (&[][..]).into(),
                labels: &[l],
                targets: &[t],
            };
            writer.rows(&[rows], lts.table(), &mut |_| ()).unwrap();
        }
        assert_eq!(writer.transitions(), 3);
    };
    let mut file = std::io::Cursor::new(b"before".to_vec());
    file.set_position(6);
    let mut writer = aut::StreamWriter::patching(&mut file, &options).unwrap();
    feed(&mut writer);
    writer.finish(lts.initial(), 4).unwrap();
    let out = file.into_inner();
    let out = out.strip_prefix(b"before").unwrap();
    assert_eq!(out[..70], *format!("{:70}", "des (1, 3, 4)").as_bytes());
    assert_eq!(out[70..], text[13..]);
    assert_eq!(read_as(out, &mode(Mode::Default)).1, [""; 0]);

    let mut out = Vec::new();
    let mut spool = aut::Spool::new("no directory is needed");
    let mut writer = aut::StreamWriter::spooling(&mut spool, &options);
    feed(&mut writer);
    writer.finish(lts.initial(), 4).unwrap();
    spool.write_to(&mut out).unwrap();
    assert_eq!(out, text);

    let mut out = Vec::new();
    let initial = lts.initial();
    let mut writer = aut::StreamWriter::announcing(&mut out, &options, initial, 3, 4).unwrap();
    feed(&mut writer);
    writer.finish(initial, 4).unwrap();
    assert_eq!(out, text);
    let mut out = Vec::new();
    let mut writer = aut::StreamWriter::announcing(&mut out, &options, initial, 2, 4).unwrap();
    feed(&mut writer);
    assert!(writer.finish(initial, 4).is_err());

    // Where all labels are known beforehand, nothing is written if one of them cannot be.
    let used = lts.used_labels().into_iter();
    let labels: Vec<LabelId> = (0..)
        .map(LabelId::new)
        .zip(used)
        .filter(|l| l.1)
        .map(|l| l.0)
        .collect();
    let mut out = Vec::new();
    let (sizes, known) = ((initial, 3, 4), (&labels[..], lts.table()));
    let mut writer =
        aut::StreamWriter::announcing_labels(&mut out, &options, sizes, known, &mut |_| ())
            .unwrap();
    assert_eq!(writer.labels(), labels.len() as u64);
    feed(&mut writer);
    writer.finish(initial, 4).unwrap();
    assert_eq!(out, text);
    let mut table = lts.table().clone();
    let odd = [labels[0], table.intern(b"A\xff").unwrap()];
    let ascii = WriteOptions {
        ascii: true,
        ..options.clone()
    };
    let (mut out, mut told) = (Vec::new(), 0);
    let mut tell = |_| told += 1;
    let refused =
        aut::StreamWriter::announcing_labels(&mut out, &ascii, sizes, (&odd, &table), &mut tell);
    assert!(refused.is_err());
    assert_eq!((out.len(), told), (0, 1));

    // what is not finished is refused
    let mut file = std::io::Cursor::new(Vec::new());
    let mut writer = aut::StreamWriter::patching(&mut file, &options).unwrap();
    feed(&mut writer);
    drop(writer);
    let (lts, seen) = read_as(&file.into_inner(), &mode(Mode::Default));
    assert!(lts.is_none());
    assert_eq!(seen, ["error aut-unpatched-header 1:9"]);
}

/// Runs with a number of threads.
fn with_threads<T: Send>(threads: usize, f: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
        .install(f)
}

/// Everything that reading tells, and what writing makes of it.
fn all_about(text: &[u8], stream: bool, options: &ReadOptions) -> String {
    let source = if stream {
        let reader = Box::new(std::io::Cursor::new(text.to_vec()));
        Source::from_reader("f", reader, Some(Format::Aut))
    } else {
        Source::from_bytes("f", text.to_vec(), Some(Format::Aut))
    };
    let mut told = String::new();
    let result = read_lts(source.unwrap(), options, &mut |d| told += &format!("{d}\n"));
    match result {
        Err(e) => told += &e.to_string(),
        Ok(lts) => {
            told += &format!("{:?} {:?}\n", lts.initial(), lts.table());
            for canonical in [false, true] {
                let options = WriteOptions {
                    canonical,
                    lossy: true,
                    visible_i: Some(b"visible i".to_vec()),
                    ..WriteOptions::default()
                };
                told += &String::from_utf8_lossy(&written(&lts, &options));
            }
        }
    }
    told
}

/// Whole files, most of them well-formed.
fn any_file() -> impl Strategy<Value = Vec<u8>> {
    let label = prop_oneof![
        4 => "[a-e][a-e0-9_]{0,2}",
        3 => "\"[ -~]{0,9}\"",
        2 => Just("i".to_owned()),
        1 => "\"[ -~]{0,9}, [0-9]\\)\"",
        1 => Just("\"τ\"".to_owned()),
        1 => "[a-c] ![0-9]",
    ];
    let line = (0u32..40, label, 0u32..40);
    let odd = prop_oneof![
        30 => Just(None),
        1 => Just(Some("")),
        1 => Just(Some("bad")),
        1 => Just(Some("\x04")),
        1 => Just(Some("(1, a, 99)")),
        1 => Just(Some("(1, \"a\tb\", 9)\r")),
    ];
    let lines = prop::collection::vec((line, odd), 0..60);
    (lines, any::<bool>(), any::<bool>(), 0u32..40, -1i64..12).prop_map(
        |(mut lines, sorted, last, initial, off)| {
            if sorted {
                lines.sort_by_key(|((s, _, _), _)| *s);
            }
            let announced = lines.len() as i64 + i64::from(off == 0) - i64::from(off == -1);
            let mut text = format!("des ({initial}, {}, 40)", announced.max(0));
            for ((s, l, t), odd) in lines {
                if let Some(odd) = odd {
                    text += "\n";
                    text += odd;
                }
                text += &format!("\n({s}, {l}, {t})");
            }
            if last {
                text += "\n";
            }
            text.into_bytes()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn threads_and_chunks_make_no_difference(text in any_file(), lenient in any::<bool>()) {
        let m = if lenient { Mode::Lenient } else { Mode::Default };
        let expected = with_threads(1, || all_about(&text, false, &mode(m)));
        for (threads, chunk) in [(1, 1), (2, 7), (7, 64), (2, 1 << 20)] {
            let options = ReadOptions { chunk, ..mode(m) };
            for stream in [false, true] {
                let told = with_threads(threads, || all_about(&text, stream, &options));
                prop_assert_eq!(&told, &expected);
            }
        }
    }

    #[test]
    fn what_is_written_is_read_again(
        rows in prop::collection::vec((0u32..9, prop::option::of("[ -~]{0,6}"), 0u32..9), 0..40),
        commas in prop::collection::vec("[a\",() ]{0,3}[,)( \"][0-9]{0,2}[)\"]{0,2}", 3),
        initial in 0u32..9,
        always in any::<bool>(),
    ) {
        let mut builder = LtsBuilder::new(1);
        for (k, (s, label, t)) in rows.iter().enumerate() {
            match label {
                None => builder.add(StateId::new(*s), LabelId::HIDDEN, StateId::new(*t)),
                Some(l) if l == "i" => builder.add_text(*s, commas[k % 3].as_bytes(), *t).unwrap(),
                Some(l) => builder.add_text(*s, l.as_bytes(), *t).unwrap(),
            }
        }
        let lts = builder.build(StateId::new(initial)).unwrap();
        let options = WriteOptions {
            quote: if always { Quote::Always } else { Quote::Needed },
            ..WriteOptions::default()
        };
        let text = written(&lts, &options);
        let (again, seen) = read_as(&text, &mode(Mode::Default));
        prop_assert!(seen.iter().all(|s| s.contains("tau-hint")));
        let again = again.unwrap();
        prop_assert_eq!(again.initial(), lts.initial());
        prop_assert_eq!(again.states(), lts.states());
        prop_assert_eq!(transitions(&again), transitions(&lts));
        // canonical form is a fixpoint
        let canonical = WriteOptions { canonical: true, ..options };
        let once = written(&again, &canonical);
        let twice = written(&read_as(&once, &mode(Mode::Strict)).0.unwrap(), &canonical);
        prop_assert_eq!(once, twice);
    }
}

#[test]
fn long_and_many_labels() {
    for len in [1, 8, 9, 16, 17, 31, 32, 33, 5000, 1_000_000] {
        let label = "x!".repeat(len / 2 + 1)[..len].to_owned();
        let text = format!(
            "des (0, 3, 2)\n(0, \"{label}\", 1)\n(0, \"{label}y\", 1)\n(1, \"{label}\", 0)\n"
        );
        for chunk in [1, 100, 1 << 20] {
            let options = ReadOptions {
                chunk,
                ..ReadOptions::default()
            };
            let lts = read_as(text.as_bytes(), &options).0.unwrap();
            assert_eq!(lts.table().len(), 3);
            assert_eq!(
                lts.labels().iter().map(|l| l.get()).collect::<Vec<_>>(),
                [1, 2, 1]
            );
            if len != 1 {
                assert!(written(&lts, &WriteOptions::default()) == text.as_bytes());
            }
        }
    }
    let n = 100_000;
    let mut text = format!("des (0, {n}, 1)\n");
    for k in 0..n {
        text += &format!("(0, a{}, 0)\n", (k * 7919) % n);
    }
    let lts = read_as(text.as_bytes(), &ReadOptions::default()).0.unwrap();
    assert_eq!(lts.table().len(), n + 1);
    assert!(written(&lts, &WriteOptions::default()) == text.as_bytes());
    // a row that is sorted by all threads
    let n = 400_000;
    let mut builder = LtsBuilder::new(3);
    builder.add_text(0, b"a", 0).unwrap();
    for k in 0..n {
        builder.add_text(1, b"a", (k * 7919) % n).unwrap();
        builder.add_text(1, b"a", 5).unwrap();
    }
    builder.add_text(2, b"a", 0).unwrap();
    let lts = builder.build(StateId::new(0)).unwrap();
    let canonical = WriteOptions {
        canonical: true,
        ..WriteOptions::default()
    };
    let mut expected = format!("des (0, {}, {n})\n(0, a, 0)\n", n + 2);
    for k in 0..n {
        expected += &format!("(1, a, {k})\n");
    }
    expected += "(2, a, 0)\n";
    assert!(written(&lts, &canonical) == expected.as_bytes());
}

#[test]
fn announced_states_cost_nothing_before_the_end() {
    // would be 16 GB if memory were taken by the header, or by the first line
    let text = b"des (0, 2, 4294967294)\n(4294967293, a, 0)\nbad\n";
    let (lts, seen) = read_as(text, &ReadOptions::default());
    assert!(lts.is_none());
    assert_eq!(seen, ["error aut-syntax 3:1"]);
}

#[test]
fn progress_counts_bytes_and_lines() {
    let text = edge("02_spaces");
    for stream in [false, true] {
        let source = if stream {
            Source::from_reader("f", Box::new(std::io::Cursor::new(text.clone())), None)
        } else {
            Source::from_bytes("f", text.clone(), None)
        };
        let source = source.unwrap();
        let progress = source.progress();
        read_lts(source, &ReadOptions::default(), &mut |_| ()).unwrap();
        let size = text.len() as u64;
        assert_eq!(progress.consumed(), size);
        assert_eq!(progress.text_bytes(), size);
        assert_eq!(progress.total(), (!stream).then_some(size));
        assert_eq!(progress.lines(), 4);
    }
}

#[test]
fn a_cut_line_reads_the_same_in_messages() {
    // found by fuzzing: a stream keeps a line up to the limit only, and said so;
    // a byte order mark counts
    let header = b"\xef\xbb\xbfdes (0, 1, 000000000000000000000002)\n(0, a, 1)\n";
    let garbage = b" \"ccccccccccccccccccccccccccccccccccccccccccccccccccccb\"".as_slice();
    let marked = [b"\xef\xbb\xbf", garbage].concat();
    let cases = [
        (garbage, "aut-no-header"),
        (&marked, "aut-no-header"),
        (header, ""),
    ];
    for (text, code) in cases {
        for max_line in 34..=41 {
            let options = ReadOptions {
                max_line,
                ..ReadOptions::default()
            };
            let told = all_about(text, false, &options);
            let code = match code {
                "" if max_line < 39 => "aut-line-length",
                code => code,
            };
            assert!(told.contains(code), "{told}");
            let in_pieces = ReadOptions {
                chunk: 5,
                ..options
            };
            assert_eq!(all_about(text, true, &in_pieces), told);
        }
    }
}
