//! Of a file that another one names, nothing is to be seen in messages, whatever is
//! wrong with it.

use hyades_formats::*;
use proptest::prelude::*;

/// Parts of files of all text formats, with a word that must not be seen.
const PARTS: [&str; 40] = [
    "SECRET",
    "SECRET:x:0:0:SECRET",
    "\"SECRET\"",
    "\"SECRET",
    "`SECRET",
    "SECRET`",
    "SECRET(1)",
    "(0, SECRET, 1)",
    "(0, \"SECRET, 1)",
    "(SECRET, a, 1)",
    "(0, a, 1) SECRET",
    "des (0, 2, 3)",
    "des (0, 2, 3) SECRET",
    "des (0, SECRET, 3)",
    "digraph {",
    "digraph SECRET {",
    "strict SECRET",
    "SECRET -> SECRET",
    "a -> b [label=\"SECRET\"];",
    "a -> b [SECRET=SECRET",
    "a [shape=SECRET, label=<SECRET>];",
    "edge [SECRET]",
    "}",
    "{\"lts\":1}",
    "{\"lts\":1,\"SECRET\":2,\"states\":\"SECRET\"}",
    "{\"lts\":\"SECRET\"}",
    "[0,\"SECRET\",1]",
    "[0,\"SECRET\\x\",1]",
    "[\"SECRET\",\"a\",SECRET]",
    "# lts states=4 transitions=2 initial=1",
    "# lts SECRET=4",
    "0\tSECRET\t1",
    "SECRET\ta\t1",
    "---",
    "p(2) SECRET \"SECRET\" \"b\"",
    "SECRET(SECRET) Nat \"0\"",
    "1 2 \"SECRET\"",
    "1 SECRET \"a\"",
    "[initial state SECRET]",
    "*** SECRET",
];

fn formats() -> impl Strategy<Value = Format> {
    let all = [
        Format::Aut,
        Format::Dot,
        Format::Fsm,
        Format::Seq,
        Format::Trc,
        Format::Tsv,
        Format::Jsonl,
        Format::Bcg,
        Format::Lts,
    ];
    prop::sample::select(all.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

    #[test]
    fn nothing_is_quoted(
        format in formats(),
        parts in prop::collection::vec(prop::sample::select(PARTS.to_vec()), 1..8),
        joints in prop::collection::vec(prop::sample::select(vec!["\n", "\n", " ", "\t", "\r\n"]), 8),
        mode in prop::sample::select(vec![Mode::Default, Mode::Strict, Mode::Lenient]),
        mealy in any::<bool>(),
    ) {
        let joined = parts.iter().zip(&joints);
        let text: String = joined.flat_map(|(part, joint)| [*part, *joint]).collect();
        let mut options = ReadOptions { mode, ..ReadOptions::default() };
        options.mealy = mealy.then(Default::default);
        let source = Source::from_bytes("f", text.clone().into_bytes(), Some(format)).unwrap();
        let mut seen = Vec::new();
        let read = read_lts(source, &options, &mut |d| {
            seen.push(d.discreet("an LTS").to_string());
        });
        if let Err(error) = read {
            seen.push(error.to_string());
        }
        for told in seen {
            prop_assert!(!told.contains("SECRET"), "{text:?}: {told}");
        }
    }
}
