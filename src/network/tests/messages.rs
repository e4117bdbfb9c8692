//! What is said about texts that are wrong, or hardly meant.

use super::super::{Customs, Language, Options};
use super::{components, read};

#[track_caller]
fn refused(text: &str, place: &str, part: &str) {
    let (network, said) = read(text, &Options::default(), &components());
    assert!(network.is_none(), "{text}");
    let error = said.iter().find(|s| s.contains(": error: "));
    let error = error.unwrap_or_else(|| panic!("{text}: {said:?}"));
    assert!(
        error.starts_with(&format!("net.exp:{place}: error: ")) && error.contains(part),
        "{text}\n{error}\nnot: {part}"
    );
}

#[test]
fn errors_of_syntax() {
    for (text, place, part) in [
        ("ab -||| bc", "1:4", "begins no operator"),
        ("a-b ||| bc", "1:2", "names of files"),
        (
            "par ab || bc",
            "1:13",
            "found the end, expected `||` or `end par`",
        ),
        ("par ab end par", "1:8", "one operand only"),
        ("par ab ||| bc end par", "1:8", "needs parentheses"),
        ("par ab |[A]| bc end par", "1:8", "needs parentheses"),
        ("par A ab || bc end par", "1:7", "`||` or `end par`"),
        (
            "par A, B ab || bc end par",
            "1:10",
            "`in` or `->` after an interface",
        ),
        (
            "par A in B, C ab || bc end par",
            "1:15",
            "`->` after the interface",
        ),
        ("par A#x -> ab || bc end par", "1:7", "a number"),
        (
            "par A#99999999999999999999 in ab || bc end par",
            "1:7",
            "too large",
        ),
        ("par A, in ab || bc end par", "1:8", "needs double quotes"),
        ("par all but A in ab || bc end par", "1:9", "expected `in`"),
        (
            "par hide A in ab || bc end par",
            "1:5",
            "needs parentheses within `par`",
        ),
        (
            "par using _ * _ -> A in ab || bc end par",
            "1:11",
            "all elements",
        ),
        (
            "par using A * A in ab || bc end par",
            "1:17",
            "expected `->`",
        ),
        (
            "par using A * B -> A in ab end par",
            "1:11",
            "2 elements for 1 operand",
        ),
        (
            "par using i * A -> A in ab || bc end par",
            "1:11",
            "need no vector",
        ),
        ("label hide A in ab end hide", "1:1", "cannot be `label`"),
        (
            "single hide A in ab end hide",
            "1:1",
            "gate, total, partial",
        ),
        (
            "partial rename A -> B in ab end rename",
            "1:1",
            "gate, total, single, multiple",
        ),
        ("total par ab || bc end par", "1:1", "gate, label"),
        (
            "gate ab",
            "1:6",
            "expected `hide`, `cut`, `rename`, `prio` or `par`",
        ),
        ("hide all but A in ab", "1:21", "expected `end`"),
        ("gate hide A in ab", "1:18", "expected `end`"),
        ("hide A in ab end cut", "1:14", "an operator or the end"),
        (
            "hide A in ab ||| ab end",
            "1:21",
            "what it ends: `end hide`",
        ),
        ("par ab || ab end", "1:17", "expected `par`"),
        ("x/y.aut", "1:2", "with `/` needs double quotes"),
        ("/x.aut", "1:1", "with `/` needs double quotes"),
        ("hide all A in ab end hide", "1:10", "expected `but`"),
        ("hide in, A in ab", "1:8", "found `,`"),
        ("cut A in ab", "1:12", "expected `end`"),
        ("rename A, B in ab end rename", "1:9", "expected `->`"),
        (
            "rename A -> in ab end rename",
            "1:13",
            "needs double quotes",
        ),
        ("prio A in ab end prio", "1:8", "expected `>`"),
        ("prio in ab end prio", "1:6", "a label and `>`"),
        ("prio A > B, in ab end prio", "1:13", "a label"),
        ("(ab", "1:4", "expected `)`"),
        ("ab)", "1:3", "an operator or the end"),
        ("ab [A/]", "1:7", "found `]`"),
        ("ab [A/B", "1:8", "expected `]`"),
        ("ab [[A <- B]", "1:12", "expected `]]`"),
        ("ab |[A|| bc", "1:7", "expected `]|`"),
        ("ab [{A}|{B}] bc", "1:8", "expected `||`"),
        ("ab \\ {A", "1:8", "expected `}`"),
        ("ab \\ in", "1:6", "found the keyword `in`"),
        (
            "hide using in ab end hide",
            "1:12",
            "the name of a rule file",
        ),
        ("ab ||| hide", "1:12", "expected `in`"),
        ("x.dot", "1:1", "needs double quotes"),
        ("lotos ab", "1:7", "expected `behaviour` after `lotos`"),
        (
            "behaviour comm A | B = C end comm ab",
            "1:11",
            "for mcrl only",
        ),
        (
            "mcrl behaviour comm A | B end comm ab",
            "1:27",
            "expected `=`",
        ),
        ("mcrl behaviour comm A | B = C ab", "1:31", "expected `end`"),
        ("ab\n |||\n (* x", "3:2", "not closed"),
        ("ab ||| \"x\ny\"", "1:8", "not closed"),
    ] {
        refused(text, place, part);
    }
}

#[test]
fn errors_of_meaning() {
    for (text, place, part) in [
        ("ab |[i]| bc", "1:6", "hidden action never synchronises"),
        ("par exit in ab || bc end par", "1:5", "termination anyway"),
        (
            "label par \"exit !1\" in ab || bc end par",
            "1:11",
            "termination anyway",
        ),
        ("par i -> ab || bc end par", "1:5", "never synchronises"),
        ("csp behaviour ab [{A} || {delta}] bc", "", ""),
        ("csp behaviour ab [{A} || {t}] bc", "", ""),
        (
            "mcrl behaviour comm A | B = C, B | A = A end comm ab || bc",
            "1:32",
            "a second rule",
        ),
        (
            "mcrl behaviour comm tau | B = C end comm ab || bc",
            "1:21",
            "never synchronises",
        ),
        (
            "prio A > B > A in ab end prio",
            "1:1",
            "priority over itself",
        ),
        (
            "prio A > all but B in ab end prio",
            "1:1",
            "`A` would have priority",
        ),
        (
            "prio all but B > all but A in it end prio",
            "1:1",
            "priority over itself",
        ),
        ("hide \"[\" in ab end hide", "1:6", "regular expression"),
        (
            "rename A -> \"\\1\" in ab end rename",
            "1:13",
            "has 0 groups",
        ),
        ("prio \"[\" > A in ab end prio", "1:6", "regular expression"),
        ("ccs behaviour ab \\ \"'A\"", "1:20", "without it"),
        ("csp behaviour ab \\ {\"A !1\"}", "1:21", "without offers"),
        ("ab [B / \"A !1\"]", "1:9", "without offers"),
        ("a", "1:1", "there is no component a"),
        ("ab ||| \"q.aut\"", "1:8", "cannot read the component q.aut"),
        ("ab ||| q.fc2", "1:8", "convert it first"),
        ("\"q.exp\"", "1:1", "cannot include"),
        (
            "hide using \"q.hid\" in ab end hide",
            "1:12",
            "cannot read the rules q.hid",
        ),
    ] {
        if !place.is_empty() {
            refused(text, place, part);
        }
    }
    // What has a meaning is not put in upper case.
    for (text, result) in [
        ("csp behaviour ab [[A <- t]]", "i"),
        ("ccs behaviour ab [t/A]", "i"),
        ("lotos behaviour total rename A -> i in ab end rename", "i"),
        ("lotos behaviour rename A -> ii in ab end rename", "II"),
    ] {
        let (network, said) = read(text, &Options::default(), &components());
        let network = network.unwrap_or_else(|| panic!("{text}: {said:?}"));
        let hidden = network.roots().iter().any(|(label, _)| label.is_hidden());
        let has = |name: &[u8]| network.labels().visible().any(|(_, text)| text == name);
        assert_eq!(hidden, result == "i", "{text}");
        assert!(!has(b"I") && !has(b"T"), "{text}");
        assert_eq!(has(b"II"), result == "II", "{text}");
    }
    let text = "csp behaviour ab [{A} || {t}] bc";
    let (network, said) = read(text, &Options::default(), &components());
    assert!(network.is_none() && !said.is_empty());
}

#[test]
fn all_missing_components_are_told() {
    let (_, said) = read("x ||| y ||| x", &Options::default(), &components());
    assert_eq!(said.len(), 2, "{said:?}");
}

#[track_caller]
fn warned(text: &str, code: &str, part: &str) {
    let (network, said) = read(text, &Options::default(), &components());
    assert!(network.is_some(), "{text}: {said:?}");
    let found = said
        .iter()
        .any(|s| s.contains(": warning: ") && s.contains(&format!("[{code}]")) && s.contains(part));
    assert!(found, "{text}: {said:?}");
    let options = Options {
        check: false,
        ..Options::default()
    };
    let (_, said) = read(text, &options, &components());
    assert!(said.is_empty(), "{said:?}");
}

#[test]
fn warnings() {
    for (text, code, part) in [
        (
            "par P#3 in p || p end par",
            "exp-degree",
            "`P`#3 for 2 operands",
        ),
        ("par P#0, P in p || p end par", "exp-degree", "forbids"),
        ("par P#0, P#1 in p || p end par", "exp-degree", "forbids"),
        ("par P in P#0 -> p || p end par", "exp-degree", "forbids"),
        (
            "par P#2 in P#0 -> p || p || p end par",
            "exp-degree",
            "forbids",
        ),
        (
            "par P#0 in P -> p || P -> p end par",
            "exp-degree",
            "forbids",
        ),
        ("par P#0, P -> p || P -> p end par", "exp-degree", "forbids"),
        (
            "par P#3 -> p || P#3 -> p end par",
            "exp-degree",
            "for 2 operands",
        ),
        ("par P -> p || p end par", "exp-local", "write `P`#1"),
        (
            "par P#2 -> p || p end par",
            "exp-local",
            "of 1 operand only",
        ),
        (
            "ab |[A]| bc",
            "exp-alphabet",
            "all 2 operands have to take part, 1 can",
        ),
        (
            "par A#2 in ab || bc end par",
            "exp-alphabet",
            "2 operands have to take part, 1 can",
        ),
        (
            "par X -> ab || X -> bc end par",
            "exp-alphabet",
            "no label of this operand",
        ),
        (
            "csp behaviour ab [{X} || {B}] bc",
            "exp-alphabet",
            "no gate of this operand",
        ),
        (
            "par using A * X -> A in ab || bc end par",
            "exp-vector-unused",
            "`A` * `X`",
        ),
        ("hide X in ab", "rule-unused", "no label matches"),
        ("hide \"G !1\" in g1", "rule-offers", "a gate ends"),
        ("cut X in ab end cut", "rule-unused", "no label matches"),
        ("prio A > X in ab end prio", "exp-prio-unused", "`X`"),
        (
            "ab || bc",
            "exp-alphabet",
            "`A` and 1 other are blocked: all 2 operands have to take part in everything",
        ),
        (
            "par all in ab || ab || hide A in ab end hide end par",
            "exp-alphabet",
            "`A` is blocked",
        ),
    ] {
        warned(text, code, part);
    }
}

/// What all operands can do is no reason to warn, nor what has an interface of its own.
#[test]
fn operands_that_share_everything() {
    let options = Options::default();
    for text in [
        "ab || ab",
        "g1 || g1",
        "par all in A#1 -> ab || hide A in ab end hide end par",
    ] {
        let (network, said) = read(text, &options, &components());
        assert!(network.is_some() && said.is_empty(), "{text}: {said:?}");
    }
}

#[test]
fn upper_case_is_warned_of_where_it_makes_a_difference() {
    let mut files = components();
    files.add("low.aut", "des (0,1,2)\n(0,put,1)\n");
    for text in [
        "lotos behaviour low |[put]| low",
        "lotos behaviour hide put in low",
        "lotos behaviour prio put > X in low end prio",
        "lotos behaviour par put -> low || put -> low end par",
    ] {
        let (_, said) = read(text, &Options::default(), &files);
        assert!(
            said.iter().any(|s| s.contains("--case")),
            "{text}: {said:?}"
        );
        let mut options = Options::default();
        options.customs.keep_case = true;
        let (_, said) = read(text, &options, &files);
        assert!(
            !said.iter().any(|s| s.contains("--case")),
            "{text}: {said:?}"
        );
    }
}

#[test]
fn options_go_before_headers() {
    let options = Options {
        customs: Customs {
            language: Some(Language::Csp),
            ..Customs::default()
        },
        ..Options::default()
    };
    let (network, said) = read("lotos behaviour ab", &options, &components());
    assert_eq!(network.unwrap().parameters().language, Some(Language::Csp));
    assert!(said[0].contains("[exp-language]"), "{said:?}");
    let (_, said) = read("csp behaviour ab", &options, &components());
    assert!(said.is_empty());
}

#[test]
fn included_texts() {
    let mut files = components();
    files.add("same.exp", "ccs behaviour \"c1.aut\"");
    files.add("other.exp", "\n csp behaviour \"c1.aut\"");
    files.add("bare.exp", "behaviour c1");
    files.add("wrong.exp", "ab |||\n ]");
    files.add("loop.exp", "ab ||| \"pool.exp\"");
    files.add("pool.exp", "\"loop.exp\"");
    files.add("open.exp", "ab |[B");
    let said = |text| read(text, &Options::default(), &files);
    assert!(
        said("ccs behaviour \"same.exp\" | \"same.exp\"")
            .0
            .is_some()
    );
    assert!(
        said("lotos behaviour \"bare.exp\" ||| \"bare.exp\"")
            .0
            .is_some()
    );
    for (text, place, part) in [
        (
            "ccs behaviour \"other.exp\"",
            "other.exp:2:2",
            "in csp, but it is included in one in ccs",
        ),
        (
            "\"same.exp\"",
            "same.exp:1:1",
            "in one without a language: give that one the header `ccs behaviour`, or read it by \
             `--language ccs`",
        ),
        (
            "ab ||| \"wrong.exp\"",
            "wrong.exp:2:2",
            "expected a behaviour: a file name, `(`, `par`, `hide` or the like; what is there is \
             not shown",
        ),
        (
            "\"loop.exp\"",
            "pool.exp:1:1",
            "loop.exp is included within itself",
        ),
        ("\"open.exp\" ]| bc", "net.exp:1:12", "found `]`"),
    ] {
        let (network, said) = said(text);
        assert!(network.is_none(), "{text}");
        let expected = format!("{place}: error: ");
        assert!(
            said[0].starts_with(&expected) && said[0].contains(part),
            "{text}: {said:?}"
        );
    }
}

/// Of an included text nothing is quoted, but what is wrong or doubtful is told.
#[test]
fn included_texts_are_not_quoted() {
    for (text, place, part) in [
        (
            "ab ||| SECRET",
            "1:8",
            "error: there is no component `…`: neither `…`.bcg",
        ),
        (
            "ab ||| \"SECRET.aut\"",
            "1:8",
            "error: cannot read the component `…`: ",
        ),
        ("\"SECRET.exp\"", "1:1", "error: cannot include: `…`: "),
        (
            "hide using SECRET in ab end hide",
            "1:12",
            "error: cannot read the rules `…`: ",
        ),
        (
            "ab SECRET",
            "1:4",
            "error: found `…`, expected an operator or the end",
        ),
        (
            "ab \"SECRET\"",
            "1:4",
            "error: found the text `…`, expected an operator",
        ),
        (
            "par A# in ab || ab",
            "1:8",
            "error: found the keyword `…`, expected how many",
        ),
        (
            "SECRET_ ||| ab",
            "1:1",
            "error: `…` ends with `_`: a label that is no identifier",
        ),
        ("12SECRET", "1:1", "error: `…` begins with a digit: a label"),
        (
            "$SECRET",
            "1:1",
            "error: `…` has no meaning here: it begins no operator",
        ),
        (
            "hide SECRET in ab",
            "1:6",
            "warning: no label matches [rule-unused]",
        ),
        (
            "hide \"SECRET !1\" in ab",
            "1:6",
            "warning: a gate ends before the first blank",
        ),
        (
            "par SECRET#3 in ab || ab end par",
            "1:5",
            "warning: `…`#3 for 2 operands only: nobody",
        ),
        (
            "par i -> ab || ab end par",
            "1:5",
            "error: `…` in an interface: the hidden",
        ),
        (
            "ab |[SECRET]| ab",
            "1:6",
            "warning: `…` is blocked: all 2 operands have to take part",
        ),
        (
            "prio SECRET > A in ab end prio",
            "1:6",
            "warning: prio `…`: no label matches",
        ),
        (
            "prio A > A in ab end prio",
            "1:1",
            "error: `…` would have priority over itself",
        ),
        (
            "hide \"[SECRET\" in ab",
            "1:6",
            "error: no regular expression; what is there is not",
        ),
        (
            "rename A -> \"SECRET\\1\" in ab end rename",
            "1:13",
            "error: no right side for what is on the left; what is there is not",
        ),
        (
            "par using SECRET * A -> SECRET in ab || ab end par",
            "1:11",
            "warning: vector `…` * `…` -> `…`: its labels are not all there",
        ),
    ] {
        let mut files = components();
        files.add("in.exp", text);
        let (_, said) = read("\"in.exp\"", &Options::default(), &files);
        let expected = format!("in.exp:{place}: {part}");
        assert!(
            said.iter().any(|s| s.starts_with(&expected)),
            "{text}: {said:?}"
        );
        for told in &said {
            assert!(
                !told.contains("SECRET") && !told.contains("EXP"),
                "{text}: {told}"
            );
        }
        // A text that the user gives names the user's own files.
        let given = Options {
            is_given: true,
            ..Options::default()
        };
        let (_, said) = read("\"in.exp\"", &given, &files);
        assert!(said.iter().all(|s| !s.contains("`…`")), "{text}: {said:?}");
        assert_eq!(
            text.contains("SECRET"),
            said.iter().any(|s| s.contains("SECRET")),
            "{text}: {said:?}"
        );
        // But not those that they name.
        files.add("out.exp", "\"in.exp\"");
        let (_, said) = read("\"out.exp\"", &given, &files);
        assert!(
            said.iter().all(|s| !s.contains("SECRET")),
            "{text}: {said:?}"
        );
    }
}

/// That upper case makes the difference is told once, and what to do about it, also where
/// the text is not quoted.
#[test]
fn upper_case_is_told_once() {
    let mut files = components();
    files.add("low.aut", "des (0,1,2)\n(0,secret,1)\n");
    let text = "lotos behaviour hide secret, other in low";
    files.add("in.exp", text);
    for outer in [text, "lotos behaviour \"in.exp\""] {
        let (_, said) = read(outer, &Options::default(), &files);
        let of = |code: &str| said.iter().filter(|s| s.contains(code)).count();
        assert_eq!((of("[exp-case]"), of("[rule-unused]")), (1, 1), "{said:?}");
        assert_eq!(of("--case"), 1, "{said:?}");
        let shown = said.iter().any(|s| s.contains("SECRET"));
        assert_eq!(shown, outer == text, "{said:?}");
    }
}

/// Components and rules that a given text names are the user's own.
#[test]
fn given_texts() {
    let mut files = components();
    files.add("odd.aut", "des (0, 1, 2)\n(0, SECRET(1), 1)\n");
    files.add("odd.hid", "SECRET\n");
    for text in ["odd ||| ab", "hide using odd.hid in ab end hide"] {
        for is_given in [false, true] {
            let options = Options {
                is_given,
                ..Options::default()
            };
            let (_, said) = read(text, &options, &files);
            let shown = said.iter().any(|s| s.contains("SECRET"));
            assert_eq!(shown, is_given, "{text}: {said:?}");
        }
    }
}

#[test]
fn rule_files() {
    let mut files = components();
    files.add("f.hid", "hide all but\nB\n");
    files.add("f.cut", "cut\n\"G !1\"\n");
    files.add("f.rename", "rename\nA -> X\n");
    files.add("bad.hid", "hide\n[\n");
    files.add("offers.hid", "hide\n\"SECRET !1\"\n");
    let read = |text| read(text, &Options::default(), &files);
    let labels = |text| {
        let network = read(text).0.unwrap_or_else(|| panic!("{text}"));
        let texts = network
            .labels()
            .visible()
            .map(|(_, t)| String::from_utf8_lossy(t).into_owned());
        texts.collect::<Vec<_>>().join(",")
    };
    assert_eq!(labels("hide using f.hid in ab end hide"), "B");
    assert_eq!(labels("hide using \"f\" in ab end hide"), "B");
    assert_eq!(labels("rename using f.rename in ab end rename"), "B,X");
    assert_eq!(
        labels("lotos behaviour rename using f in ab end rename"),
        "B,X"
    );
    // The mode is that of the operator, and `gate` without one.
    assert_eq!(labels("cut using f.cut in g1 end cut"), "G !1,G !2,H");
    assert_eq!(labels("total cut using f.cut in g1 end cut"), "G !2,H");
    let (network, said) = read("hide using bad.hid in ab end hide");
    assert!(network.is_none());
    assert!(said[0].starts_with("bad.hid:2:1: error: "), "{said:?}");
    let (network, said) = read("hide using offers.hid in ab end hide");
    assert!(network.is_some());
    let told = "offers.hid:2:2: warning: a gate ends before the first blank";
    assert!(said[0].starts_with(told), "{said:?}");
    let (network, said) = read("cut using f.hid in ab end cut");
    assert!(network.is_none());
    let told = "f.hid:1:1: error: expected a file of rules to cut; what is there is not shown";
    assert!(said[0].starts_with(told), "{said:?}");
}
