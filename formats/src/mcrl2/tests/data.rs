//! How data reads.

use super::super::number::MOST_BITS;
use super::*;

/// How data reads, and whether this is approximate.
pub(super) fn rendered(make: impl FnOnce(&mut Stream) -> TermId) -> Result<(String, bool), String> {
    let mut stream = Stream::new();
    let argument = make(&mut stream);
    rendered_argument(stream, argument)
}

fn rendered_argument(mut stream: Stream, argument: TermId) -> Result<(String, bool), String> {
    let action = stream.action("a", &[argument]);
    stream.transition(0, &[action], 1);
    let (lts, seen) = read(stream.ended(), &ReadOptions::default());
    let Some(lts) = lts else {
        return Err(seen.concat());
    };
    let (_, text) = lts.table().visible().next().unwrap();
    let text = text.strip_prefix(b"a(").and_then(|t| t.strip_suffix(b")"));
    let approximate = seen.iter().any(|s| s.contains("[lts-approximate]"));
    assert_eq!(seen.len(), usize::from(approximate), "{seen:?}");
    Ok((
        String::from_utf8(text.unwrap().into()).unwrap(),
        approximate,
    ))
}

#[track_caller]
fn reads(text: &str, make: impl FnOnce(&mut Stream) -> TermId) {
    assert_eq!(rendered(make), Ok((text.into(), false)));
}

#[track_caller]
fn nearly_reads(text: &str, make: impl FnOnce(&mut Stream) -> TermId) {
    assert_eq!(rendered(make), Ok((text.into(), true)));
}

/// A number by machine words, the highest first.
fn words(s: &mut Stream, first: &str, words: &[u64]) -> TermId {
    let word = s.word(words[0]);
    let mut number = s.call(first, &[word]);
    for &word in &words[1..] {
        let word = s.word(word);
        number = s.call("@concat_digit", &[number, word]);
    }
    number
}

/// A positive number by bits, the lowest first, without the highest.
fn bits(s: &mut Stream, bits: &[bool]) -> TermId {
    let mut number = s.op("@c1");
    for &bit in bits.iter().rev() {
        let bit = s.op(if bit { "true" } else { "false" });
        number = s.call("@cDub", &[bit, number]);
    }
    number
}

#[test]
fn constants() {
    for name in ["true", "d1", "e", "[]", "{}", "{:}"] {
        reads(name, |s| s.op(name));
    }
    reads("0", |s| s.op("@c0"));
    reads("1", |s| s.op("@c1"));
    reads("x", |s| s.variable("x", "Nat"));
    // in memory there is an index
    reads("d1", |s| {
        let name = s.term("d1", &[]);
        let sort = s.sort("D");
        let index = s.word(7);
        s.term("OpId", &[name, sort, index])
    });
}

#[test]
fn numbers_by_machine_words() {
    reads("7", |s| words(s, "@most_significant_digit", &[7]));
    reads("0", |s| words(s, "@most_significant_digitNat", &[0]));
    reads("18446744073709551615", |s| {
        words(s, "@most_significant_digitNat", &[u64::MAX])
    });
    reads("18446744073709551619", |s| {
        words(s, "@most_significant_digitNat", &[1, 3])
    });
    reads("340282366920938463463374607431768211456", |s| {
        words(s, "@most_significant_digit", &[1, 0, 0])
    });
}

#[test]
fn numbers_by_bits() {
    reads("6", |s| bits(s, &[false, true]));
    reads("2", |s| bits(s, &[false]));
    reads("13", |s| {
        let n = bits(s, &[true, false, true]);
        s.call("@cNat", &[n])
    });
    reads("18446744073709551616", |s| bits(s, &[false; 64]));
    reads("18446744073709551617", |s| {
        bits(s, &[&[true][..], &[false; 63]].concat())
    });
    // 2^(2^19 - 1) is the largest power of two that is written out
    let (text, _) = rendered(|s| bits(s, &vec![false; MOST_BITS - 1])).unwrap();
    let digits = f64::from(MOST_BITS as u32 - 1) * 2f64.log10();
    assert_eq!(text.len(), digits as usize + 1);
    for longer in [
        (|s| bits(s, &vec![false; MOST_BITS])) as fn(&mut Stream) -> TermId,
        |s| words(s, "@most_significant_digit", &[1; MOST_BITS / 64 + 1]),
    ] {
        let text = rendered(longer).unwrap_err();
        assert!(text.contains("more than 524288 bits"), "{text}");
        assert!(text.ends_with("[lts-number]"), "{text}");
    }
    nearly_reads("@cDub(b, 1)", |s| {
        let b = s.variable("b", "Bool");
        let one = s.op("@c1");
        s.call("@cDub", &[b, one])
    });
}

#[test]
fn integers_and_reals() {
    let seven = |s: &mut Stream| words(s, "@most_significant_digit", &[7]);
    reads("7", |s| {
        let n = words(s, "@most_significant_digitNat", &[7]);
        s.call("@cInt", &[n])
    });
    reads("-7", |s| {
        let n = seven(s);
        s.call("@cNeg", &[n])
    });
    let real = |s: &mut Stream, below: TermId| {
        let n = seven(s);
        let above = s.call("@cNeg", &[n]);
        s.call("@cReal", &[above, below])
    };
    reads("-7", |s| {
        let one = s.op("@c1");
        real(s, one)
    });
    reads("-7", |s| {
        let one = words(s, "@most_significant_digit", &[1]);
        real(s, one)
    });
    reads("-7 / 3", |s| {
        let three = bits(s, &[true]);
        real(s, three)
    });
    for cast in [
        "Pos2Nat", "Pos2Int", "Pos2Real", "Nat2Int", "Nat2Real", "Int2Real",
    ] {
        reads("7", |s| {
            let n = seven(s);
            s.call(cast, &[n])
        });
    }
    // mCRL2 writes those that go down
    reads("Nat2Pos(7)", |s| {
        let n = seven(s);
        s.call("Nat2Pos", &[n])
    });
}

#[test]
fn lists_sets_and_bags() {
    let build = |s: &mut Stream, cons: &str, empty: &str| {
        let mut list = s.op(empty);
        for name in ["c", "b", "a"] {
            let element = s.op(name);
            let pair = if cons == "<|" {
                [list, element]
            } else {
                [element, list]
            };
            list = s.call(cons, &pair);
        }
        list
    };
    reads("[a, b, c]", |s| build(s, "|>", "[]"));
    reads("[c, b, a]", |s| build(s, "<|", "[]"));
    reads("{a, b, c}", |s| build(s, "@fset_cons", "{}"));
    reads("{a, b, c}", |s| build(s, "@fset_insert", "{}"));
    for (outside, text) in [("@false_", "{a, b, c}"), ("@true_", "!{a, b, c}")] {
        reads(text, |s| {
            let outside = s.op(outside);
            let elements = build(s, "@fset_cons", "{}");
            s.call("@set", &[outside, elements])
        });
    }
    reads("{a, b, c}", |s| {
        let elements = build(s, "@fset_cons", "{}");
        s.call("@setfset", &[elements])
    });
    reads("{}", |s| {
        let (outside, elements) = (s.op("@false_"), s.op("{}"));
        s.call("@set", &[outside, elements])
    });
    for name in ["@fbag_cons", "@fbag_insert", "@fbag_cinsert"] {
        let bag = |s: &mut Stream| {
            let empty = s.op("{:}");
            let (b, two) = (s.op("b"), bits(s, &[false]));
            let inner = s.call(name, &[b, two, empty]);
            let (a, one) = (s.op("a"), s.op("@c1"));
            s.call(name, &[a, one, inner])
        };
        reads("{a: 1, b: 2}", bag);
        reads("{a: 1, b: 2}", |s| {
            let bag = bag(s);
            s.call("@bagfbag", &[bag])
        });
        reads("{a: 1, b: 2}", |s| {
            let outside = s.op("@zero_");
            let bag = bag(s);
            s.call("@bag", &[outside, bag])
        });
    }
    reads("[{a, b, c}, [a, b, c]]", |s| {
        let empty = s.op("[]");
        let inner = build(s, "|>", "[]");
        let last = s.call("|>", &[inner, empty]);
        let inner = build(s, "@fset_cons", "{}");
        s.call("|>", &[inner, last])
    });
    // not all elements are known
    nearly_reads("|>(a, |>(b, |>(c, l)))", |s| build(s, "|>", "l"));
    nearly_reads("@fset_cons(a, @fset_cons(b, @fset_cons(c, [])))", |s| {
        build(s, "@fset_cons", "[]")
    });
}

#[test]
fn functions() {
    reads("f(a, 1)", |s| {
        let (a, one) = (s.op("a"), s.op("@c1"));
        s.call("f", &[a, one])
    });
    reads("f(a)(b)", |s| {
        let (a, b) = (s.op("a"), s.op("b"));
        let f = s.call("f", &[a]);
        s.term("DataAppl", &[f, b])
    });
    reads("f[a -> 1]", |s| {
        let (f, a, one) = (s.op("f"), s.op("a"), s.op("@c1"));
        s.call("@func_update", &[f, a, one])
    });
    for operator in ["+", "div", "in", "&&", "!", "@monus"] {
        nearly_reads(&format!("{operator}(a, b)"), |s| {
            let (a, b) = (s.op("a"), s.op("b"));
            s.call(operator, &[a, b])
        });
    }
    let lambda = |s: &mut Stream, kind: &str| {
        let kind = s.term(kind, &[]);
        let x = s.variable("x", "Nat");
        let y = s.variable("y", "Bool");
        let variables = s.list(&[x, y]);
        s.term("Binder", &[kind, variables, x])
    };
    nearly_reads("lambda x: Nat, y: Bool. x", |s| lambda(s, "Lambda"));
    nearly_reads("forall x: Nat, y: Bool. x", |s| lambda(s, "Forall"));
    nearly_reads("{ x: Nat, y: Bool | x }", |s| lambda(s, "SetComp"));
    nearly_reads("(lambda x: Nat, y: Bool. x)(a)", |s| {
        let (f, a) = (lambda(s, "Lambda"), s.op("a"));
        s.term("DataAppl", &[f, a])
    });
    nearly_reads("Whr(x, [y, 3])", |s| {
        let (x, y, three) = (s.term("x", &[]), s.term("y", &[]), s.word(3));
        let list = s.list(&[y, three]);
        s.term("Whr", &[x, list])
    });
}

#[test]
fn what_is_no_data_is_refused() {
    for make in [
        (|s| s.term("Foo", &[])) as fn(&mut Stream) -> TermId,
        |s| s.list(&[]),
        |s| s.sort("Nat"),
        |s| {
            let (a, b) = (s.op("a"), s.term("Foo", &[]));
            s.term("DataAppl", &[a, b])
        },
        |s| {
            let kind = s.term("Mu", &[]);
            let (list, x) = (s.list(&[]), s.op("x"));
            s.term("Binder", &[kind, list, x])
        },
    ] {
        let text = rendered(make).unwrap_err();
        assert!(text.contains("[lts-term]"), "{text}");
    }
}
