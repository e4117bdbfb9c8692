//! Texts of types, and what permutations do to labels.

use hyades_explore::{ExploreOptions, explore};

use super::super::label_action::LabelAction;
use super::super::labels::Labels;
use super::super::{Strategy, SymmetricModel, Symmetry, SymmetryError, Types};
use super::of_files;
use crate::Memory;

#[test]
fn types_are_read_and_written() {
    let text = "# nodes\ntype Node = N0 N1 N2 # three\n\n  type\tData=0 1\ntype Size = 0 1 größe x'\n\
                gate PUSH : Node Data\r\ngate LENGTH : - Size\n";
    let types = Types::parse(text).unwrap();
    let names: Vec<&str> = types.types().iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["Node", "Data", "Size"]);
    assert_eq!(types.types()[2].values, ["0", "1", "größe", "x'"]);
    assert_eq!(types.order(), Some(6 * 2 * 24));
    assert_eq!(Types::parse(&types.to_string()).unwrap(), types);
    let line = Types::parse_line("Node=N0,N1,N2; Data = 0 ,1").unwrap();
    assert_eq!(line.types(), &types.types()[..2]);
    assert_eq!(Types::parse("").unwrap(), Types::default());
}

#[test]
fn errors_in_types_have_places() {
    for (text, error) in [
        (
            "typ A = a",
            "1:1: `typ` starts no line: expected `type` or `gate`",
        ),
        (
            "\n = a",
            "2:2: `=` starts no line: expected `type` or `gate`",
        ),
        ("type", "1:5: the name of a type is missing"),
        ("type A", "1:7: `=` is missing"),
        ("type A a", "1:8: found `a`, expected `=`"),
        ("type ! = a", "1:6: found `!`, expected the name of a type"),
        ("type A =", "1:9: a value is missing"),
        ("type A = a, b", "1:11: found `,`, expected a value"),
        ("type A = a b a", "1:14: the value a is in the type A twice"),
        (
            "type A = a\ntype A = b",
            "2:6: the type A is declared twice",
        ),
        (
            "type A = a\ngate G : B",
            "2:10: `B` is no type: expected one that is declared, or `-`",
        ),
        ("gate G", "1:7: `:` is missing"),
        ("gate G :\ngate G :", "2:6: the gate G is declared twice"),
    ] {
        assert_eq!(Types::parse(text).unwrap_err().to_string(), error, "{text}");
    }
    for (text, error) in [
        ("", "1:1: the name of a type is missing"),
        ("A=a;", "1:5: the name of a type is missing"),
        ("A=a;B", "1:6: `=` is missing"),
        ("A=a,;B=b", "1:5: a value is missing"),
        ("A=", "1:3: a value is missing"),
        ("A=,a", "1:3: found `,`, expected a value"),
        ("A=a b", "1:5: found `b`, expected `,` or `;`"),
        ("A=a,a", "1:5: the value a is in the type A twice"),
    ] {
        assert_eq!(
            Types::parse_line(text).unwrap_err().to_string(),
            error,
            "{text}"
        );
    }
}

/// Comparing each type, or the types of each gate, with all types would take billions
/// of steps.
#[test]
fn many_types_and_gates() {
    const TYPES: usize = 65_535;
    const GATES: usize = 150_000;
    let types = (0..TYPES).map(|k| format!("type T{k} = v{k}\n"));
    let gates = (0..GATES).map(|k| format!("gate G{k} : - T{}\n", TYPES - 1 - k % 2));
    let text: String = types.chain(gates).collect();
    let types = Types::parse(&text).unwrap();
    assert_eq!((types.types().len(), types.values()), (TYPES, TYPES));
    let of = |gate: &[u8]| types.gate(gate).expect("it is declared").to_vec();
    assert_eq!(of(b"G0"), [None, Some(TYPES - 1)]);
    assert_eq!(of(b"G149999"), [None, Some(TYPES - 2)]);
    let error = Types::parse(&format!("{text}type T{} = w\n", TYPES - 1)).unwrap_err();
    assert_eq!(error.line, TYPES + GATES + 1);
    assert!(error.text.contains("declared twice"), "{error}");
    // Of 65,535 types one remains, with its new place.
    let mut is_used = vec![false; TYPES];
    is_used[TYPES - 1] = true;
    let kept = types.without_unused(&is_used);
    assert_eq!((kept.types().len(), kept.values()), (1, 1));
    assert_eq!(kept.gate(b"G0"), Some(&[None, Some(0)][..]));
    assert_eq!(kept.gate(b"G1"), Some(&[None, None][..]));
}

/// Doing something to all labels, components or states for each exchange, or comparing
/// exchanges with one another, would take billions of steps.
#[test]
fn many_types_are_in_labels() {
    const TYPES: usize = 4_000;
    let mut files = Memory::default();
    let mut aut = format!("des (0,{},1)\n", 2 * TYPES);
    let mut text = String::from("type Node = N0 N1 N2\n");
    for k in 0..TYPES {
        aut += &format!("(0,P !A{k},0)\n(0,P !B{k},0)\n");
        text += &format!("type T{k} = A{k} B{k}\n");
    }
    files.add("loops.aut", aut);
    // One type moves states, and components: the others do not.
    for node in ["N0", "N1", "N2"] {
        let aut = format!("des (0,2,2)\n(0,SET !{node},1)\n(1,UNSET !{node},0)\n");
        files.add(format!("{node}.aut"), aut);
    }
    let network = of_files("loops ||| loops ||| N0 ||| N1 ||| N2", &files);
    let symmetry = Symmetry::new(&network, &Types::parse(&text).unwrap()).unwrap();
    assert_eq!((symmetry.order(), symmetry.control_states()), (None, 4));
    for strategy in Strategy::ALL {
        let model = SymmetricModel::new(&symmetry, strategy);
        let found = explore(&model, ExploreOptions::default(), &mut ()).unwrap();
        assert_eq!(found.states, 4, "{strategy}");
    }
    let model = SymmetricModel::new(&symmetry, Strategy::Exact);
    let counts = model.count(ExploreOptions::default()).unwrap().1.unwrap();
    assert_eq!((counts.orbits, counts.states), (4, 8));
    assert_eq!(counts.transitions, 8 * (2 * TYPES as u128 + 3));
    assert_eq!(counts.applications, 8 * (4 * TYPES as u128 + 3));
    let last = format!("P !B{}", TYPES - 1);
    let apart = symmetry.tells_apart(|label| label == last.as_bytes());
    let apart = apart
        .expect("the last two")
        .map(|label| network.labels().text(label));
    assert!(apart.contains(&last.as_bytes()));
    assert_eq!(symmetry.tells_apart(|label| label.starts_with(b"P")), None);
    // What permutations make of two labels: those with the other value of one type, and of
    // another one.
    let labels = network.labels();
    let find = |text: &str| labels.find(text.as_bytes()).expect("a label").index();
    let mut flags = vec![false; labels.len()];
    (flags[find("P !A7")], flags[find("SET !N1")]) = (true, true);
    symmetry.close(&mut flags);
    let mut expected = vec![false; labels.len()];
    for text in ["P !A7", "P !B7", "SET !N0", "SET !N1", "SET !N2"] {
        expected[find(text)] = true;
    }
    assert_eq!(flags, expected);
    // One label less of the last type.
    let aut = "des (0,1,1)\n(0,Q !A3999,0)\n";
    files.add("one.aut", aut);
    let network = of_files("loops ||| one", &files);
    let types = Types::parse(&text).unwrap();
    let error = Symmetry::new(&network, &types).map(|_| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "with A3999 and B3999 exchanged, the component one behaves like no component of the \
         network that could stand for it: its label `Q !A3999` becomes `Q !B3999`, which no \
         component has in a rule"
    );
}

/// What labels become when the first two values are exchanged.
fn exchanged(types: &str, label: &str) -> Result<String, SymmetryError> {
    let types = Types::parse(types).unwrap();
    let count = types.values();
    let mut labels = Labels::new(LabelAction::new(types), count);
    let number = labels.add(label.as_bytes())?;
    let mut image: Vec<u16> = (0..count as u16).collect();
    image.swap(0, 1);
    let permuted = labels.permuted(number, &image)?;
    // Twice is nothing.
    assert_eq!(labels.permuted(permuted, &image)?, number);
    Ok(labels.shown(permuted))
}

#[test]
fn permutations_are_lifted_to_labels() {
    let types = "type A = a b c";
    for (label, image) in [
        ("PUSH !a !b !c", "PUSH !b !a !c"),
        ("push(a,b)", "push(b,a)"),
        ("push.a.ab.b_", "push.b.ab.b_"),
        // Never the gate.
        ("a", "a"),
        ("a !a", "a !b"),
        ("", ""),
        // Each action of a multi-action has a gate; they are sorted.
        ("a(b)|c(a)", "a(a)|c(b)"),
        ("x(b)|x(c)", "x(a)|x(c)"),
        ("x(a, b|c)", "x(b, a|c)"),
        ("x({a, c})", "x({b, c})"),
        ("x({b,c}, {}, a)", "x({a, c}, {}, b)"),
        ("x({a: 2, b: 1})", "x({a: 1, b: 2})"),
        ("x({{b}, {a, c}})", "x({{a}, {b, c}})"),
        // No set, as it has no end.
        ("x({b", "x({a"),
        ("x }", "x }"),
    ] {
        assert_eq!(exchanged(types, label).unwrap(), image, "{label}");
    }
    // The order of a set means nothing.
    assert_eq!(exchanged(types, "x({a,b})").unwrap(), "x({a,b})");
    let error = exchanged("type A = a b\ntype B = b c", "x !b").unwrap_err();
    assert_eq!(
        error.to_string(),
        "in the label `x !b`, b may be of the type A or B: declare the types of the gate's tokens \
         (`gate GATE : A …`)"
    );
}

#[test]
fn gates_tell_types() {
    let types = "type A = 0 1\ntype B = 0 1 2\ngate P : A B\ngate Q : - B A\ngate R :";
    for (label, image) in [
        ("P !0 !0", "P !1 !0"),
        ("P !1 !2 !0", "P !0 !2 !0"),
        ("Q !0 !1 !1", "Q !0 !1 !0"),
        ("Q({0, 1}, {0}, {1, 2})", "Q({0, 1}, {0}, {0, 2})"),
        ("R !0", "R !0"),
    ] {
        assert_eq!(exchanged(types, label).unwrap(), image, "{label}");
    }
    assert!(matches!(
        exchanged(types, "S !0"),
        Err(SymmetryError::Ambiguous { .. })
    ));
    assert_eq!(exchanged(types, "S !2").unwrap(), "S !2");
}

#[test]
fn labels_that_are_the_same_are_refused() {
    let mut labels = Labels::new(LabelAction::new(Types::parse("type A = a b").unwrap()), 2);
    labels.add(b"x({a,b})").unwrap();
    labels.add(b"x({a,b})").unwrap();
    let error = labels.add(b"x({b, a})").unwrap_err();
    assert!(matches!(error, SymmetryError::SameLabels(_)), "{error}");
}

#[test]
fn deeply_nested_sets_are_no_danger() {
    let label = format!("x {}a{}", "{".repeat(5000), "}".repeat(5000));
    let image = exchanged("type A = a b", &label).unwrap();
    assert_eq!(image, label.replace('a', "b"));
}
