use std::cmp::Ordering;

use super::*;
use proptest::prelude::*;

fn matches(expression: &str, text: &str) -> bool {
    LabelPattern::whole(expression.as_bytes())
        .unwrap()
        .is_match(text.as_bytes())
}

#[test]
fn matches_whole_labels() {
    assert!(matches("PUSH", "PUSH"));
    assert!(!matches("PUS", "PUSH"));
    assert!(!matches("USH", "PUSH"));
    assert!(matches("^PUSH$", "PUSH"));
    assert!(matches("", ""));
    assert!(!matches("", "a"));
    assert!(matches(".*", "any !thing\n at all"));
}

#[test]
fn ordinary_characters() {
    for text in ["a+", "a?b", "a|b", "(a)", "a{2}", "a^b", "a$b", "*a", "é"] {
        assert!(matches(text, text), "{text}");
    }
    assert!(!matches("a|b", "a"));
    assert!(matches(r"\(*a\)", "*a"));
    assert!(matches("^*a", "*a"));
    assert!(matches(r"\.\*\[\]\\\^\$\!", r".*[]\^$!"));
    assert!(!matches(r"\.", "x"));
}

#[test]
fn sets() {
    assert!(matches("[]a]*", "]a]"));
    assert!(matches("[^]a]", "b"));
    assert!(!matches("[^]a]", "]"));
    assert!(matches("[a-c-]*", "a-b-c"));
    assert!(matches("[-a]*", "-a"));
    assert!(matches(r"[\n]*", r"\n"));
    assert!(matches("[a&&b~~c]*", "a&b~c"));
    assert!(matches("[[:digit:]x]*", "12x"));
    assert!(matches("[a[]*", "a["));
    assert!(matches("[^a]", "\n"));
    assert!(matches("[.]", "."));
    assert!(!matches("[.]", "a"));
    assert!(
        LabelPattern::whole(b"[\x80-\xff]")
            .unwrap()
            .is_match(b"\x90")
    );
}

#[test]
fn repetitions_groups_and_words() {
    assert!(matches(r"a\{2,3\}", "aaa"));
    assert!(!matches(r"a\{2,3\}", "aaaa"));
    assert!(matches(r"a\{2\}\{2\}", "aaaa"));
    assert!(!matches(r"a\{2\}\{2\}", "aaa"));
    assert!(matches(r"a**", "aaa"));
    assert!(matches(r"\(ab\)*", "abab"));
    assert!(!matches(r"\(ab\)*", "aba"));
    assert!(matches(r"\(a\(b\)*\)\{2,\}", "abbab"));
    assert!(matches(r".*\<no\>.*", "yes, no!"));
    assert!(!matches(r".*\<no\>.*", "know"));
    assert!(matches(r".*\<a_1\>.*", "-a_1-"));
}

#[test]
fn errors_name_the_column() {
    for (expression, column) in [
        (r"ab\(c", 3),
        (r"ab\)", 3),
        (r"ab[c", 3),
        (r"a[]", 2),
        (r"a\", 2),
        (r"\(a\)\1", 6),
        (r"a\|b", 2),
        (r"a\+", 2),
        (r"a\w", 2),
        (r"a\{", 2),
        (r"a\{256\}", 2),
        (r"a\{3,2\}", 2),
        (r"a\{1,2", 2),
        (r"a\{1x\}", 2),
        (r"a\}", 2),
        (r"\{2\}", 1),
        (r"ab[z-a]", 4),
        (r"ab[[:nope:]]", 4),
        (r"ab[[.a.]]", 4),
        (r"ab[a-[:digit:]]", 6),
        (r"a\<*", 4),
    ] {
        let error = LabelPattern::whole(expression.as_bytes()).unwrap_err();
        assert_eq!(error.column, column, "{expression}: {error}");
    }
    let large = format!("{}a{}", r"\(".repeat(5), r"\)\{255\}".repeat(5));
    assert!(LabelPattern::whole(large.as_bytes()).is_err());
    let deep = format!("{}a{}", r"\(".repeat(100_000), r"\)".repeat(100_000));
    assert!(LabelPattern::whole(deep.as_bytes()).is_err());
}

#[test]
fn expressions_have_a_mebibyte_at_most() {
    let label = vec![b'a'; 1 << 20];
    let pattern = LabelPattern::whole(&label).expect("just short enough");
    assert_eq!(pattern.literal(), Some(&label[..]));
    let long = [&label[..], b"a"].concat();
    for error in [LabelPattern::whole(&long), LabelPattern::within(&long)] {
        let error = error.expect_err("one byte more");
        assert_eq!(error.column, 1_048_577);
        assert_eq!(
            error.message,
            "the expression has 1048577 bytes, but 1048576 are the most that it may have"
        );
    }
}

/// The leftmost longest match in a text and what its groups hold, written out:
/// `-` for a group that took no part.
fn found(expression: &str, text: &str) -> String {
    let pattern = LabelPattern::within(expression.as_bytes()).unwrap();
    let Some(span) = pattern.find(text.as_bytes(), 0) else {
        return "none".into();
    };
    let groups = pattern.groups(text.as_bytes(), span);
    let shown: Vec<_> = groups
        .into_iter()
        .map(|group| group.map_or("-".into(), |g| format!("{},{}", g.start, g.end)))
        .collect();
    shown.join(" ")
}

#[test]
fn the_leftmost_longest_match_is_found() {
    for (expression, text, expected) in [
        ("b", "abb", "1,2"),
        ("b*", "abb", "0,0"),
        ("bb*", "abbab", "1,3"),
        (r"a*\(ab\)*", "ab", "0,2 0,2"),
        (r"\(a\{0,1\}\)\(ab\)\{0,1\}", "ab", "0,2 0,0 0,2"),
        (r"\(a\{0,1\}\(ab\)\{0,1\}\)\(b*\)", "abb", "0,3 0,2 0,2 2,3"),
        (r"\(a*\)*", "b", "0,0 0,0"),
        (r"\(a*\)*", "aa", "0,2 0,2"),
        (r"\(a*\)\{2\}", "aa", "0,2 2,2"),
        (r"\(a\)*", "b", "0,0 -"),
        (r"\(a\)\{0\}b", "b", "0,1 -"),
        (r"\(\(a\)*b\)*", "abb", "0,3 2,3 -"),
        (r"\(a*\)\(a*\)", "aa", "0,2 0,2 2,2"),
        (r"\(a.*\)!\(.*\)", "a!b!c", "0,5 0,3 4,5"),
        (r"^b", "ab", "none"),
        (r"b$", "bab", "2,3"),
        (r"\<b", "ab b", "3,4"),
        (r"b\>", "ba b", "3,4"),
        (r"\(\<a*\)\{2\}b", "aab", "0,3 0,2"),
    ] {
        assert_eq!(found(expression, text), expected, "{expression} in {text}");
    }
    let pattern = LabelPattern::within(b"^a").unwrap();
    assert_eq!(pattern.find(b"aa", 1), None);
    let pattern = LabelPattern::within(br"\<a").unwrap();
    assert_eq!(pattern.find(b"aa a", 1), Some(3..4));
}

#[test]
fn plain_texts_are_known_as_such() {
    let literal = |text: &str| {
        let pattern = LabelPattern::whole(text.as_bytes()).unwrap();
        pattern
            .literal()
            .map(|t| String::from_utf8(t.to_vec()).unwrap())
    };
    assert_eq!(literal(r"PUSH !1\.5 [x]"), Some("PUSH !1.5 x".into()));
    assert_eq!(literal(""), Some("".into()));
    assert_eq!(literal("a*"), None);
    assert_eq!(literal("^a"), None);
    assert!(LabelPattern::whole(b"a").unwrap().find(b"ab", 0).is_none());
    assert_eq!(LabelPattern::whole(b"a").unwrap().find(b"a", 0), Some(0..1));
}

#[test]
fn long_texts_take_no_quadratic_time() {
    let text = "a".repeat(1 << 20);
    let pattern = LabelPattern::within(br"\(a*\)\(b*\)\(a\{0,200\}\)").unwrap();
    let span = pattern.find(text.as_bytes(), 0).unwrap();
    assert_eq!(span, 0..text.len());
    assert_eq!(pattern.groups(text.as_bytes(), span.clone())[1], Some(span));
    let pattern = LabelPattern::within(br"\(a*\)\{0,200\}").unwrap();
    let span = pattern.find(text.as_bytes(), 0).unwrap();
    assert_eq!(pattern.groups(text.as_bytes(), span.clone())[1], Some(span));
}

/// As many matches as bytes, in a label that is as long as a label may be.
#[test]
fn many_matches_take_no_quadratic_time() {
    let text = "ab".repeat(1 << 20);
    let pattern = LabelPattern::within(b"[ab]").unwrap();
    let finder = pattern.finder(text.as_bytes());
    let (mut from, mut count) = (0, 0);
    while let Some(found) = finder.find(from) {
        assert_eq!(found, from..from + 1);
        from = found.end;
        count += 1;
    }
    assert_eq!(count, text.len());
}

/// Sets with automata, and without where these would be too large, match what their
/// members match one by one.
#[test]
fn sets_match_what_their_members_match() {
    let mut random = hyades_testing::Random::new(21);
    let pieces = [
        "a",
        "b",
        ".",
        "[ab]",
        r"\(ab\)",
        "a*",
        r"\(a*b\)*",
        "^",
        "$",
        r"\<",
        r"\>",
        "!",
        "c",
        r"b\{1,2\}",
    ];
    let mut matched = 0;
    for round in 0..200 {
        let count = random.between(0, [3, 40, 1200][round % 3]);
        let patterns: Vec<LabelPattern> = (0..count)
            .map(|k| {
                let pieces = (0..random.between(1, 5)).map(|_| pieces[random.between(0, 13)]);
                let text: String = pieces.collect();
                match k % 2 == round % 2 {
                    true => LabelPattern::whole(text.as_bytes()),
                    false => LabelPattern::within(text.as_bytes()),
                }
            })
            .filter_map(Result::ok)
            .collect();
        let whole = PatternSet::new(&patterns);
        let none = PatternSet::with_room(&patterns, 0);
        let some = PatternSet::with_room(&patterns, 50_000);
        for _ in 0..10 {
            let bytes = (0..random.between(0, 6)).map(|_| b"abc! "[random.between(0, 4)]);
            let text: Vec<u8> = bytes.collect();
            let end = random.between(0, patterns.len());
            let own = (0..end).filter(|&k| patterns[k].is_match(&text));
            let own: Vec<usize> = own.collect();
            for set in [&whole, &none, &some] {
                let found = set.matches(&text, end, |_| true, |k| &patterns[k]);
                assert_eq!(found.collect::<Vec<_>>(), own);
            }
            for (k, pattern) in patterns.iter().enumerate().take(50) {
                for from in 0..=text.len() {
                    let found = pattern.find(&text, from);
                    assert_eq!(whole.finder(k, pattern, &text).find(from), found);
                    assert_eq!(pattern.finder(&text).find(from), found);
                }
            }
            matched += own.len();
        }
    }
    assert!(matched > 10_000, "{matched}");
}

/// Expressions as trees, for the naive matcher.
#[derive(Clone, Debug)]
enum Tree {
    Byte(u8),
    Any,
    Set(bool, Vec<u8>),
    Word {
        start: bool,
    },
    /// A group.
    Sequence(Vec<Tree>),
    Repeat(Box<Tree>, usize, Option<usize>),
}

/// One way to match: its span, and that of its parts.
#[derive(Clone, Debug)]
struct Parse {
    span: Range<usize>,
    parts: Vec<Parse>,
}

impl Parse {
    /// By the rule of POSIX: longer is better, then what is further left, then
    /// what is further out.
    fn rank(&self, other: &Parse) -> Ordering {
        let ends = |parse: &Parse| -> Vec<usize> {
            parse.parts.iter().map(|part| part.span.end).collect()
        };
        let own = self.span.end.cmp(&other.span.end);
        let inner = || {
            let pairs = self.parts.iter().zip(&other.parts);
            pairs.map(|(a, b)| a.rank(b)).find(|order| order.is_ne())
        };
        own.then_with(|| ends(self).cmp(&ends(other)))
            .then_with(|| inner().unwrap_or(Ordering::Equal))
    }
}

/// A match, and what its groups hold.
type Found = (Range<usize>, Vec<Option<Range<usize>>>);

/// More parses than this, and the case is left out.
const PARSES: usize = 3000;

impl Tree {
    fn print(&self, out: &mut Vec<u8>) {
        match self {
            Tree::Byte(byte) if b"*.[]\\^$".contains(byte) => out.extend([b'\\', *byte]),
            Tree::Byte(byte) => out.push(*byte),
            Tree::Any => out.push(b'.'),
            Tree::Word { start: true } => out.extend(br"\<"),
            Tree::Word { start: false } => out.extend(br"\>"),
            Tree::Set(negated, bytes) => {
                out.push(b'[');
                if *negated {
                    out.push(b'^');
                }
                // Where they stand for themselves: `]` first, `-` last.
                let rank = |b: &u8| match b {
                    b']' => 0,
                    b'-' => u8::MAX,
                    b => *b,
                };
                let mut bytes = bytes.clone();
                bytes.sort_by_key(rank);
                bytes.dedup();
                out.extend(&bytes);
                out.push(b']');
            }
            Tree::Sequence(trees) => {
                out.extend(br"\(");
                trees.iter().for_each(|tree| tree.print(out));
                out.extend(br"\)");
            }
            Tree::Repeat(tree, least, most) => {
                tree.print(out);
                let bounds = match (least, most) {
                    (0, None) => "*".to_string(),
                    (m, None) => format!(r"\{{{m},\}}"),
                    (m, Some(n)) if m == n => format!(r"\{{{m}\}}"),
                    (m, Some(n)) => format!(r"\{{{m},{n}\}}"),
                };
                out.extend(bounds.bytes());
            }
        }
    }

    /// All ways to match from a position on, to the end `to` or to any.
    fn parses(&self, text: &[u8], from: usize) -> Option<Vec<Parse>> {
        let one = |holds: bool| {
            let span = from..from + 1;
            Some(
                holds
                    .then_some(Parse {
                        span,
                        parts: vec![],
                    })
                    .into_iter()
                    .collect(),
            )
        };
        let word = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        match self {
            Tree::Byte(byte) => one(text.get(from) == Some(byte)),
            Tree::Any => one(from < text.len()),
            Tree::Set(negated, bytes) => one(text
                .get(from)
                .is_some_and(|b| bytes.contains(b) != *negated)),
            Tree::Word { start } => {
                let before = word(text[..from].last());
                let after = word(text[from..].first());
                let holds = before != *start && after == *start;
                let nothing = Parse {
                    span: from..from,
                    parts: vec![],
                };
                Some(holds.then_some(nothing).into_iter().collect())
            }
            Tree::Sequence(trees) => {
                let mut all = vec![Parse {
                    span: from..from,
                    parts: vec![],
                }];
                for tree in trees {
                    all = extended(&all, tree, text)?;
                }
                Some(all)
            }
            Tree::Repeat(tree, least, most) => {
                let mut found = Vec::new();
                let mut all = vec![Parse {
                    span: from..from,
                    parts: vec![],
                }];
                for round in 0.. {
                    let alone = |p: &Parse| round == 1 && p.span.is_empty();
                    if round >= *least {
                        let useful = |p: &&Parse| {
                            let last = &p.parts.last();
                            round == *least
                                || alone(p)
                                || last.is_some_and(|last| !last.span.is_empty())
                        };
                        found.extend(all.iter().filter(useful).cloned());
                        // Nothing is alone.
                        all.retain(|p| round == *least || !alone(p));
                    }
                    if all.is_empty() || Some(round) == *most || round > least + text.len() {
                        break;
                    }
                    all = extended(&all, tree, text)?;
                    if round + 1 > *least && round + 1 > 1 {
                        all.retain(|p| !p.parts[round].span.is_empty());
                    }
                }
                (found.len() <= PARSES).then_some(found)
            }
        }
    }

    /// The groups of a parse, in the order of their numbers.
    fn groups(&self, parse: Option<&Parse>, out: &mut Vec<Option<Range<usize>>>) {
        match self {
            Tree::Sequence(trees) => {
                out.push(parse.map(|p| p.span.clone()));
                for (k, tree) in trees.iter().enumerate() {
                    tree.groups(parse.map(|p| &p.parts[k]), out);
                }
            }
            Tree::Repeat(tree, ..) => tree.groups(parse.and_then(|p| p.parts.last()), out),
            _ => {}
        }
    }

    /// The best match in a text, if it can be found by trying everything.
    fn find(&self, text: &[u8], from: usize, anchors: (bool, bool)) -> Option<Option<Found>> {
        for start in from..=text.len() {
            if anchors.0 && start > 0 {
                break;
            }
            let mut parses = self.parses(text, start)?;
            parses.retain(|p| !anchors.1 || p.span.end == text.len());
            let best = parses.into_iter().max_by(Parse::rank);
            if let Some(best) = best {
                let mut groups = vec![Some(best.span.clone())];
                self.groups(Some(&best), &mut groups);
                return Some(Some((best.span, groups)));
            }
        }
        Some(None)
    }
}

/// Each of the parses followed by each way to match `tree`.
fn extended(parses: &[Parse], tree: &Tree, text: &[u8]) -> Option<Vec<Parse>> {
    let mut all = Vec::new();
    for parse in parses {
        for next in tree.parses(text, parse.span.end)? {
            let mut parse = parse.clone();
            parse.span.end = next.span.end;
            parse.parts.push(next);
            all.push(parse);
            if all.len() > PARSES {
                return None;
            }
        }
    }
    Some(all)
}

fn trees() -> impl Strategy<Value = Tree> {
    let byte = prop::sample::select(b"aaabb]-^$*.\\+!\xe9".as_slice());
    let leaf = prop_oneof![
        4 => byte.prop_map(Tree::Byte),
        1 => Just(Tree::Any),
        1 => (
            any::<bool>(),
            prop::collection::vec(prop::sample::select(b"ab]-+\\[".as_slice()), 1..4)
        )
            .prop_map(|(negated, bytes)| Tree::Set(negated, bytes)),
    ];
    let inner = leaf.prop_recursive(4, 14, 4, |inner| {
        let part = prop_oneof![
            8 => inner.clone(),
            1 => any::<bool>().prop_map(|start| Tree::Word { start }),
        ];
        prop_oneof![
            prop::collection::vec(part, 0..4).prop_map(Tree::Sequence),
            (inner, 0usize..3, prop::option::of(0usize..3)).prop_map(|(tree, least, more)| {
                Tree::Repeat(Box::new(tree), least, more.map(|more| least + more))
            }),
        ]
    });
    prop::collection::vec(inner, 0..4).prop_map(Tree::Sequence)
}

proptest! {
    #![proptest_config(ProptestConfig {
        max_global_rejects: 100_000,
        ..ProptestConfig::with_cases(2000)
    })]
    #[test]
    fn agrees_with_a_naive_matcher(
        tree in trees(),
        anchors in any::<(bool, bool)>(),
        texts in prop::collection::vec(
            prop::collection::vec(prop::sample::select(b"aaaabb]-^*\\+\xe9".as_slice()), 0..6), 6),
    ) {
        let mut expression = Vec::new();
        if anchors.0 {
            expression.push(b'^');
        }
        tree.print(&mut expression);
        if anchors.1 {
            expression.push(b'$');
        }
        let whole = LabelPattern::whole(&expression).unwrap();
        let within = LabelPattern::within(&expression).unwrap();
        for text in texts {
            let shown = format!("{} on {}", expression.escape_ascii(), text.escape_ascii());
            let Some(all) = tree.find(&text, 0, (true, true)) else {
                continue;
            };
            prop_assert_eq!(whole.is_match(&text), all.is_some(), "{}", &shown);
            if let Some((span, groups)) = all {
                prop_assert_eq!(whole.groups(&text, span), groups, "{}", &shown);
            }
            for from in 0..=text.len() {
                let Some(expected) = tree.find(&text, from, anchors) else {
                    break;
                };
                let found = within.find(&text, from);
                let expected_span = expected.as_ref().map(|e| e.0.clone());
                prop_assert_eq!(found.clone(), expected_span, "{}", &shown);
                if from == 0 {
                    prop_assert_eq!(within.is_match(&text), found.is_some());
                }
                if let Some((span, groups)) = expected {
                    prop_assert_eq!(within.groups(&text, span), groups, "{}", &shown);
                }
            }
        }
    }

    #[test]
    fn any_bytes_are_accepted_or_refused(
        expression in prop::collection::vec(
            prop_oneof![prop::sample::select(br"\\{}[](),*.^$a19:-<>".as_slice()), any::<u8>()], 0..20),
    ) {
        if let Err(error) = LabelPattern::whole(&expression) {
            prop_assert!((1..=expression.len()).contains(&error.column));
        }
    }
}

#[test]
fn expressions_that_match_nothing() {
    let labels = ["s4(d1)", "s4(d2)", "r3(s4)", "*x", "A !1"];
    let told = |expression: &str| {
        why_unmatched(
            expression.as_bytes(),
            "label",
            labels.iter().map(|l| l.as_bytes()),
        )
    };
    for (expression, expected) in [
        (
            "s4",
            "a whole label, and 3 labels contain it, as `s4(d1)`: write '.*s4.*'",
        ),
        (
            "s4(",
            "a whole label, and 2 labels contain it, as `s4(d1)`: write 's4(.*'",
        ),
        (
            "r3",
            "a whole label, and 1 label contains it, as `r3(s4)`: write 'r3.*'",
        ),
        (
            "s4|s5",
            "`|` stands for itself in basic regular expressions, as do | + ? ( ) { }: name",
        ),
        ("s4.+", "`+` stands for itself"),
        ("(s4|r3).*", "`|` stands for itself"),
        (
            "A !*",
            "`*` repeats what is before it, `.*` is any text: write 'A !.*'",
        ),
        // Behind `.*` the star repeats.
        ("*", "1 label contains it, as `*x`: write '*.*'"),
    ] {
        let told = told(expression).expect("there is something to say");
        assert!(told.contains(expected), "{expression}: {told}");
    }
    for expression in ["s5", "r3(s4)", "s4.*", "i", "[", "B*", "[A]*"] {
        assert_eq!(told(expression), None, "{expression}");
    }
}
