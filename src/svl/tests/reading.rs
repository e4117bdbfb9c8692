use super::{behaviour, error, printed};
use crate::{Options, Settings, Translation, encoded, parse, refusals};

#[test]
fn how_far_operators_reach() {
    for (text, meant) in [
        // As far right as possible.
        (
            r#"branching reduction of a.bcg ||| b.bcg"#,
            r#"branching reduction of "a.bcg" ||| "b.bcg""#,
        ),
        (
            r#"(branching reduction of a.bcg) ||| b.bcg"#,
            r#"(branching reduction of "a.bcg") ||| "b.bcg""#,
        ),
        (
            r#"a.bcg ||| hide X in b.bcg ||| c.bcg"#,
            r#""a.bcg" ||| hide "X" in "b.bcg" ||| "c.bcg" end hide"#,
        ),
        // An end closes the innermost that is open.
        (
            r#"hide X in hide Y in a.bcg end hide"#,
            r#"hide "X" in hide "Y" in "a.bcg" end hide end hide"#,
        ),
        (
            r#"hide X in (hide Y in a.bcg) || b.bcg end hide ||| c.bcg"#,
            r#"hide "X" in hide "Y" in "a.bcg" end hide || "b.bcg" end hide ||| "c.bcg""#,
        ),
        // Where `||` separates operands, what has no end stops there.
        (
            r#"par A in hide X in a.bcg || strong reduction of b.bcg end par"#,
            r#"par "A" in hide "X" in "a.bcg" end hide || (strong reduction of "b.bcg") end par"#,
        ),
        (
            r#"par A in hide X in a.bcg || b.bcg end hide || c.bcg end par"#,
            r#"par "A" in hide "X" in "a.bcg" || "b.bcg" end hide || "c.bcg" end par"#,
        ),
        (
            r#"par hide X in par a.bcg || b.bcg end par || c.bcg end par"#,
            r#"par hide "X" in par "a.bcg" || "b.bcg" end par end hide || "c.bcg" end par"#,
        ),
        // To the right, on one level.
        (
            r#"a.bcg |[X]| b.bcg -|| c.bcg -|[Y, Z]|? d.bcg"#,
            r#""a.bcg" |["X"]| "b.bcg" -|| "c.bcg" -|["Y", "Z"]| ? "d.bcg""#,
        ),
        (
            r#"weak trace reduction of safety reduction of tau*.a reduction of a.bcg"#,
            r#"weak trace reduction of safety reduction of tau*.a reduction of "a.bcg""#,
        ),
        // `total` goes with what follows it.
        (
            r#"total strong reduction using std with bcg_min of total hide X in a.bcg"#,
            r#"total strong reduction using std with bcg_min of total hide "X" in "a.bcg" end hide"#,
        ),
        (
            r#"smart stochastic branching reduction of "x.exp""#,
            r#"smart stochastic branching reduction of "x.exp""#,
        ),
        (
            "user refined abstraction a.bcg, b.bcg || c.bcg using \"x.sync\" of hide A in d.bcg || e.bcg",
            r#"user refined abstraction "a.bcg", ("b.bcg" || "c.bcg") using "x.sync" of hide "A" in "d.bcg" || "e.bcg" end hide"#,
        ),
        (
            "a.bcg ||| abstraction a.bcg, b.bcg sync c of d.bcg",
            r#""a.bcg" ||| (abstraction "a.bcg", "b.bcg" sync "C" of "d.bcg")"#,
        ),
        (
            "root leaf divsharp reduction\nhold \"REQUEST\", l\nof (hide all but S, T in a.bcg)",
            r#"root leaf divsharp reduction hold "REQUEST", "L" of hide all but "S", "T" in "a.bcg" end hide"#,
        ),
    ] {
        assert_eq!(behaviour(text), meant, "{text}");
    }
    assert!(error("\"o\" = par A in a.bcg ||| b.bcg || c.bcg end par;").contains("parentheses"));
}

#[test]
fn tokens_that_hold_others() {
    for (text, meant) in [
        // `]|` closes only what `|[` opens.
        ("P[A]|||Q[B]", r#""P" ["A"] ||| "Q" ["B"]"#),
        (
            "a.bcg|[A]|b.bcg||c.bcg",
            r#""a.bcg" |["A"]| "b.bcg" || "c.bcg""#,
        ),
        ("a.bcg|[]|||b.bcg", "error"),
        (
            "par A#2,B->a.bcg||->b.bcg end par",
            r##"par "A"#2, "B" -> "a.bcg" || -> "b.bcg" end par"##,
        ),
        (
            "par \"A B\" || \"c\" end par",
            r#"par "A B" || "c" end par"#,
        ),
        (
            "par all in a.bcg || b.bcg end par",
            r#"par all in "a.bcg" || "b.bcg" end par"#,
        ),
        (
            "label par using A * _ * \"B !1\" -> c, _*b*_->\"i\" in x.aut || y.aut || z.aut end par",
            r#"label par using "A" * _ * "B !1" -> "C", _ * "B" * _ -> "i" in "x.aut" || "y.aut" || "z.aut" end par"#,
        ),
        (
            "prio A > B > all but C D > E in a.bcg end prio",
            r#"prio "A" > "B" > all but "C" "D" > "E" in "a.bcg" end prio"#,
        ),
        (
            "\"a.lnt\" : \"P [A] (1)\" ||| b.lnt:Q",
            r#""a.lnt":"P [A] (1)" ||| "b.lnt":"Q""#,
        ),
        (
            "\"a.lnt\":P[A, \"b\"] (1, \")\") |[B]| a.lnt:Q",
            r#""a.lnt":"P [A,b] (1, \")\")" |["B"]| "a.lnt":"Q""#,
        ),
        (
            "total prio \"PUT !1\" > \"GET !1\" in b.aut",
            r#"total prio "PUT !1" > "GET !1" in "b.aut" end prio"#,
        ),
        (
            "par prio A > B in a.aut || b.aut end par",
            r#"par prio "A" > "B" in "a.aut" end prio || "b.aut" end par"#,
        ),
        (
            "P [A, \"b\"] (1, \")\", f (x)) || 2x.bcg",
            r#""P" ["A", "b"] (1, ")", f (x)) || "2x.bcg""#,
        ),
        (
            "2-nested-sim reduction of a-b.bcg",
            r#"2-nested-sim reduction of "a-b.bcg""#,
        ),
        // A comment wins over an arrow.
        (
            "rename A -->\n -> B in a.bcg",
            r#"rename "A" -> "B" in "a.bcg" end rename"#,
        ),
        (
            "hide (* X *) Y in -- Z\n a.bcg",
            r#"hide "Y" in "a.bcg" end hide"#,
        ),
        ("fifo 2 [P, G]", r#"fifo 2 ["P", "G"]"#),
        (
            "hide i, exit, x in stop",
            r#"hide "i", "exit", "X" in stop end hide"#,
        ),
    ] {
        match meant {
            "error" => drop(error(&format!("\"o\" = {text};"))),
            meant => assert_eq!(behaviour(text), meant, "{text}"),
        }
    }
}

#[test]
fn statements() {
    for (text, meant) in [
        ("deadlock of a.bcg", "deadlock of \"a.bcg\";\n"),
        (
            "d.seq = deadlock using bfs with evaluator of a.bcg expected FALSE",
            "\"d.seq\" = deadlock using bfs with evaluator of \"a.bcg\";\n   expected FALSE;\n",
        ),
        // Before the semicolon and behind it, in either order.
        (
            "livelock of a.bcg expected \"$X\" result R; expected TRUE",
            "error",
        ),
        (
            "livelock of a.bcg; expected X result R;",
            "livelock of \"a.bcg\";\n   result R expected \"${X}\";\n",
        ),
        (
            "weak trace comparison using std a.bcg <= b.bcg || c.bcg result R;",
            "weak trace comparison using std \"a.bcg\" <= (\"b.bcg\" || \"c.bcg\");\n   result R;\n",
        ),
        (
            "x.bcg = verify \"f.mcl\" with evaluator4 in hide A in a.bcg; expected TRUE",
            "\"x.bcg\" = verify \"f.mcl\" with evaluator4 in hide \"A\" in \"a.bcg\" end hide;\n   \
             expected TRUE;\n",
        ),
        // The last semicolon may be missing.
        (
            "a.bcg |= [ true* ] false -- no more",
            "\"a.bcg\" |= [ true* ] false;\n",
        ),
        ("a.bcg |= ", "error"),
        (
            "a.bcg |= with t using bfs <\"A\\$N \\\\$N\"> true",
            "\"a.bcg\" |= using bfs with t <\"A\\$N \\\\${N}\"> true;\n",
        ),
        (
            "a.bcg |= with t [A] -- ;\n false; expected FALSE",
            "\"a.bcg\" |= with t [A] -- ;\n false;\n   expected FALSE;\n",
        ),
        (
            "a.bcg |= 'a;b' (* ; *) \"$X;\" {A !1; B} <$> x$y -- end\n;",
            "\"a.bcg\" |= 'a;b' (* ; *) \"${X};\" {A !1; B} <$> x${y} -- end\n;\n",
        ),
        (
            "property P is end property property Q (A, B) \"x $A\" \"y\" is deadlock of a.bcg; expected TRUE end property",
            "property P\nis\nend property;\nproperty Q (A, B)\n   \"x ${A}\"\n   \"y\"\nis\ndeadlock of \"a.bcg\";\n   expected TRUE;\nend property;\n",
        ),
        (
            "check P (a, 1, \"-1\", x.y); property P (A, B, C, D) is % echo \n end property",
            "error",
        ),
        (
            "check P (a, 1, \"-1\", x.y); property P (A, B, C, D) is \n % echo \n end property",
            "check P (\"a\", \"1\", \"-1\", \"x.y\");\nproperty P (A, B, C, D)\nis\n% echo \nend property;\n",
        ),
        ("% a (* b\n%c -- d\r\n  % e\n", "% a (* b\n% c -- d\n% e\n"),
    ] {
        match meant {
            "error" => drop(error(text)),
            meant => assert_eq!(printed(text), meant, "{text}"),
        }
    }
}

#[test]
fn texts() {
    for (text, meant) in [
        (r#""a\"b\\c""#, r#""a\"b\\c""#),
        (r#""\(x\)\{1\}\.\n""#, r#""\\(x\\)\\{1\\}\\.\\n""#),
        (r#""$N.bcg${M}_$1$$ $-""#, r#""${N}.bcg${M}_${1}$$ $-""#),
        (r#""\$N\t""#, r#""\$N\t""#),
        (r#""\$ \$$N\$""#, r#""$ $${N}$""#),
        (r#""\\\$N""#, r#""\\\$N""#),
        (r#""\\$N""#, r#""\\${N}""#),
        (r#""${X:-y}`z`""#, r#""${X:-y}`z`""#),
    ] {
        assert_eq!(
            behaviour(&format!("hide {text} in stop")),
            format!("hide {meant} in stop end hide")
        );
    }
}

#[test]
fn errors_have_places_and_advice() {
    for (text, wanted) in [
        (
            "\n  a.bcg = branching reduction b.bcg;",
            "2:31: found `b.bcg`, expected `of`",
        ),
        (
            "a.bcg = reduction of b",
            "1:22: found `b`, expected a behaviour: names of files without",
        ),
        (
            "a.bcg = hide A in b.bcg c.bcg;",
            "1:25: found `c.bcg`, expected `;`",
        ),
        ("a.bcg;", "1:6: found `;`, expected `|=` and a formula"),
        (
            "a.bcg = total rename A in b.bcg",
            "1:24: found `in`, expected `->`",
        ),
        (
            "a.bcg = partial rename A -> B in b.bcg",
            "1:9: found `partial`, expected one of `gate`",
        ),
        (
            "a.bcg = strong weak reduction of b.bcg",
            "1:9: found `strong weak`, expected one relation",
        ),
        (
            "a.bcg = root reduction of b.bcg",
            "1:9: found `root` alone, expected `root leaf`",
        ),
        ("a.bcg = prio A > B in b.bcg end", "expected `;`"),
        (
            "a.bcg = par b.bcg end par",
            "1:19: found `end`, expected `||` and another operand",
        ),
        (
            "a.bcg = par b.bcg || c.bcg;",
            "1:27: found `;`, expected `end par`",
        ),
        (
            "comparison a.bcg = b.bcg",
            "1:18: found `=`, expected `==`, `<=` or `>=`",
        ),
        (
            "property P (A, A) is end property",
            "1:16: two parameters are called `A`",
        ),
        (
            "property P is end property property P is end property",
            "1:37: there is another property",
        ),
        ("property end is end property", "1:10: found `end`"),
        (
            "a.bcg = b/c.bcg",
            "1:10: unexpected character `/`: such names",
        ),
        (
            "check P (-1);",
            "1:10: unexpected character `-`: numbers with a sign stand between double quotes",
        ),
        ("a.bcg = $X", "variables stand between double quotes"),
        (
            "a.bcg = hide A in\n% echo\nb.bcg",
            "2:1: found a line for the shell, expected a behaviour",
        ),
        ("a.bcg = bag 2 [A]", "1:15: found 1 labels, expected pairs"),
        (
            "a.bcg = hide branching in b.bcg",
            "1:14: found `branching`, expected labels to hide, and this is a keyword",
        ),
    ] {
        let found = error(text);
        assert!(found.contains(wanted), "{text}: {found}");
    }
}

/// What is known and not supported is read with all that stands around it.
#[test]
fn what_is_not_supported_is_refused_where_it_stands() {
    let text = "a.bcg = refined abstraction b.bcg, c.bcg of\n refined abstraction b.bcg of d.bcg;\n\
                a.bcg = b.bcg ||| (abstraction b.bcg, c.bcg of\n d.bcg);\n\
                deadlock of bag 20000 [A, B];\n\
                property P is livelock of fifo 99999999999 [A, B]; end property\n\
                a.bcg = fifo 40 [A, B, C, D];\n\
                verify \"f.xtl\" in bag 2 [A, B];";
    let script = parse(text.as_bytes(), Options::default()).unwrap();
    let refused: Vec<String> = refusals(&script).iter().map(|e| e.to_string()).collect();
    let wanted = [
        "1:9: `refined abstraction` is not supported: write",
        "2:2: `refined abstraction` is not supported",
        "3:20: several interfaces are not supported: compose",
        "5:13: this buffer has more than 10000 states: use fewer places or labels",
        "6:27: this buffer has more than 10000 states",
        "7:9: this buffer has more than 10000 states",
        "8:1: XTL is not supported",
    ];
    assert_eq!(refused.len(), wanted.len(), "{refused:?}");
    for (found, wanted) in refused.iter().zip(wanted) {
        assert!(found.starts_with(wanted), "{found}");
    }
    // Each statement with one ends where the program comes to it, and nothing large is written.
    let program = Translation::of(&script, &Settings::default());
    let (_, own) = program
        .text()
        .rsplit_once("\nsvl_keep_record () {")
        .unwrap();
    assert_eq!(own.matches("svl_error 2 ").count(), 5, "{own}");
    assert!(own.len() < 10_000, "{own}");
}

/// Bytes that are no characters, and characters that stand for such, are the same again where
/// the shell has them, and errors where they would be a part of names and labels.
#[test]
fn bytes_that_are_no_characters() {
    let mut script = b"(* \xff *)\n% echo \xe9 \xf4\x8f\xbf\xa9 \xef\xbf\xbd\n\
                       property P\n   \"caf\xe9 ${X}\"\nis\n% echo \xc3\nend property;\n"
        .to_vec();
    let read = parse(&script, Options::default()).unwrap();
    let printed = encoded(&read.to_string());
    assert_eq!(printed, script[script.len() - printed.len()..]);
    let program = Translation::of(&read, &Settings::default());
    let program = encoded(program.text());
    for line in [
        &b"\necho \xe9 \xf4\x8f\xbf\xa9 \xef\xbf\xbd\n"[..],
        b": caf\xe9 ${X-}\"",
        b"\necho \xc3\n",
    ] {
        assert!(program.windows(line.len()).any(|part| part == line));
    }
    for rest in [
        &b"\"\xe9.bcg\" = stop;"[..],
        b"\"a.bcg\" |= <'\xe9'> true;",
        b"\xe9",
        b"\"a.bcg\" = P [] (\xe9);",
    ] {
        let length = script.len();
        script.extend_from_slice(rest);
        let error = parse(&script, Options::default()).unwrap_err();
        assert_eq!(error.place.line, 8, "{error}");
        assert!(error.text.contains("bytes that are no UTF-8"), "{error}");
        script.truncate(length);
    }
}

#[test]
fn case_is_kept_on_demand() {
    let options = Options { keep_case: true };
    let script = parse(b"\"o\" = hide a, \"b\", C in stop;", options).unwrap();
    assert!(script.to_string().contains("hide \"a\", \"b\", \"C\" in"));
}

/// What is printed reads the same, wherever there are backslashes and dollars: as a text between
/// quotes, and as a formula.
#[test]
fn texts_read_as_they_are_printed() {
    use crate::syntax::Text;
    let mut written = vec![String::new()];
    for _ in 0..6 {
        let longer = written.iter().flat_map(|start| {
            let pieces = ["$", "\\", "{", "N}", "1", "\\\""];
            pieces.map(|piece| format!("{start}{piece}"))
        });
        written = longer.collect();
        for written in &written {
            let text = Text::of_string(written);
            let shown = text.to_string();
            let inner = &shown[1..shown.len() - 1];
            assert_eq!(Text::of_string(inner), text, "{written}: {shown}");
            let formula = Text::of_formula(written);
            let shown = formula.to_formula();
            assert_eq!(Text::of_formula(&shown), formula, "{written}: {shown}");
        }
    }
}
