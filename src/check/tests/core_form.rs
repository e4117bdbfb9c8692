//! Core forms against what they are made from.

use std::cell::Cell;

use hyades_formats::{LabelId, Lts, LtsBuilder};
use hyades_testing::{Random, check};

use super::{mcf as random_mcf, naive, random};
use crate::domains::{self, Given};
use crate::syntax::{Language, Property, Regular, StateFormula, Value};
use crate::{CheckOptions, NoCoreForm, Verdict, check_lts, core_form, mcf, mcl};

/// The core form as it is read again, in which there is nothing but the core.
fn core(property: &Property) -> Result<Property, String> {
    let core = core_form(property).map_err(|e| format!("{e}: {}", property.text()))?;
    let text = core.text();
    let read = match property.language {
        Language::Mcl => {
            mcl::parse(text.as_bytes(), "f", &mut mcl::NoLibraries).map(|parsed| parsed.property)
        }
        Language::Mcf => mcf::parse(text.as_bytes(), "f").map(|parsed| parsed.property),
    };
    let read = read.map_err(|e| format!("{e}: {text}, of {}", property.text()))?;
    match is_core(&read.formula) {
        true => Ok(read),
        false => Err(format!("{text} is no core form")),
    }
}

fn is_core(formula: &StateFormula) -> bool {
    match formula {
        StateFormula::Constant(_) | StateFormula::Condition(_) | StateFormula::Variable(..) => true,
        StateFormula::Not(operand) => matches!(**operand, StateFormula::Condition(_)),
        StateFormula::And(operands) | StateFormula::Or(operands) => operands.iter().all(is_core),
        StateFormula::Modal(_, regular, body) => {
            matches!(**regular, Regular::Action(_)) && is_core(body)
        }
        StateFormula::Fixpoint(_, _, _, body)
        | StateFormula::Quantified(_, _, _, body)
        | StateFormula::Let(_, _, body) => is_core(body),
        StateFormula::If(branches, otherwise) => {
            branches.iter().all(|(_, branch)| is_core(branch)) && is_core(otherwise)
        }
        StateFormula::Implies(_) | StateFormula::Equivalent(_) | StateFormula::Infinitely(_) => {
            false
        }
    }
}

fn holds(property: &Property, lts: &Lts) -> Result<bool, String> {
    let checked = check_lts(property, lts, CheckOptions::default());
    let checked = checked.map_err(|e| format!("{e}: {}", property.text()))?;
    Ok(checked.verdict == Verdict::True)
}

#[test]
fn random_formulas_have_the_verdict_of_their_core_form() {
    for has_data in [false, true] {
        check(40, 6, |lts, random| {
            for depth in [1, 3, 5] {
                let property = random::property(random, depth, has_data);
                let core = match core_form(&property) {
                    Err(NoCoreForm::Size) => continue,
                    _ => core(&property)?,
                };
                if holds(&core, lts)? != naive::holds(&property, lts) {
                    return Err(format!("{} is not {}", core.text(), property.text()));
                }
                // What is in core form is its own.
                let again = core_form(&core).map_err(|e| e.to_string())?.text();
                if again != core.text() {
                    return Err(format!("{} becomes {again}", core.text()));
                }
            }
            Ok(())
        });
    }
}

/// A regular formula in which values are bound, under names that hide one another.
fn binding(random: &mut Random, depth: usize) -> String {
    let name = |random: &mut Random| ["x", "y"][random.between(0, 1)];
    let value = |random: &mut Random| match random.between(0, 3) {
        0 => random.between(0, 2).to_string(),
        1 => format!("({} + 1) % 3", name(random)),
        _ => name(random).to_owned(),
    };
    if depth == 0 || random.chance(20) {
        return match random.between(0, 5) {
            0 => "true".into(),
            1 | 2 => format!("{{ G ?{}:Nat }}", name(random)),
            3 => format!("{{ H ?{}:Nat !{} }}", name(random), name(random)),
            4 => format!(
                "{{ G ?{}:Nat where {} < {} }}",
                name(random),
                value(random),
                value(random)
            ),
            _ => format!("{{ G !{} }}", name(random)),
        };
    }
    let one = binding(random, depth - 1);
    match random.between(0, 6) {
        0..2 => format!("({one} . {})", binding(random, depth - 1)),
        2 | 3 => format!("({one} | {})", binding(random, depth - 1)),
        4 => format!("({one}) {}", ["*", "?", "+", "{2}"][random.between(0, 3)]),
        5 => format!(
            "let {}:Nat := {} in {one} end let",
            name(random),
            value(random)
        ),
        _ => format!(
            "for {}:Nat from {} to {} do {one} end for",
            name(random),
            value(random),
            value(random)
        ),
    }
}

/// A formula around such.
fn hiding(random: &mut Random) -> String {
    let mut text = String::from("let x:Nat := 1, y:Nat := 2 in ");
    for _ in 0..random.between(1, 3) {
        let regular = binding(random, 3);
        text += &match random.between(0, 3) {
            0 => format!("[ {regular} ] "),
            1 => format!(
                "mu X (x:Nat := (x + y) % 3). < {{ G !x }} > X ((x + 1) % 3) or < {regular} > "
            ),
            _ => format!("< {regular} > "),
        };
    }
    text + "(x < 2 and < { G !y } > true or x = y) end let"
}

/// The same with other labels.
fn with_offers(lts: &Lts) -> Lts {
    let mut builder = LtsBuilder::new(lts.states() as u64);
    for (source, label, target) in lts.iter() {
        let texts = ["", "G !0", "G !1", "H !2 !1", "G !2", "H !0 !0"];
        match label == LabelId::HIDDEN {
            true => builder.add(source, LabelId::HIDDEN, target),
            false => {
                let text = texts[label.index().min(texts.len() - 1)];
                let added = builder.add_text(source.get(), text.as_bytes(), target.get());
                added.expect("few labels");
            }
        }
    }
    builder.build(Lts::initial(lts)).expect("few states")
}

#[test]
fn variables_that_hide_others_are_told_apart() {
    let counts = Cell::new([0usize; 2]);
    let renamed = Cell::new(0);
    check(40, 6, |lts, random| {
        let lts = with_offers(lts);
        for _ in 0..6 {
            let text = hiding(random);
            // What is known in a part only may be used outside of it: that is no formula.
            let Ok(parsed) = mcl::parse(text.as_bytes(), "f", &mut mcl::NoLibraries) else {
                continue;
            };
            let property = parsed.property;
            let core = core(&property)?;
            let expected = naive::holds(&property, &lts);
            if holds(&property, &lts)? != expected || holds(&core, &lts)? != expected {
                return Err(format!("not {expected}: {} of {text}", core.text()));
            }
            let mut seen = counts.get();
            seen[usize::from(expected)] += 1;
            counts.set(seen);
            renamed.set(renamed.get() + usize::from(core.text().contains("_2")));
        }
        Ok(())
    });
    let all = (counts.get(), renamed.get());
    assert!(counts.get().iter().all(|&n| n > 100), "{all:?}");
    assert!(renamed.get() > 50, "{all:?}");
}

#[test]
fn formulas_of_mcrl2_have_the_verdict_of_their_core_form() {
    let value = |n: usize| Value::Int(n as i64);
    let texts = [&b"d1"[..], b"d2"].map(|text| Value::Text(text.into()));
    let given: Given = [
        ("D".to_owned(), texts.to_vec()),
        ("Nat".to_owned(), (0..4).map(value).collect()),
        ("Pos".to_owned(), (1..4).map(value).collect()),
    ]
    .into();
    check(60, 5, |lts, random| {
        let lts = random_mcf::with_values(lts);
        for depth in [1, 3, 4] {
            let mut made = random_mcf::property(random, depth);
            let mut core = core(&made)?;
            for property in [&mut made, &mut core] {
                domains::replace(property, None, &given).map_err(|e| e.to_string())?;
            }
            if holds(&core, &lts)? != naive::holds(&made, &lts) {
                return Err(format!("{} is not {}", core.text(), made.text()));
            }
        }
        Ok(())
    });
}

#[test]
fn core_forms_as_they_are_written() {
    let core = |text: &str| {
        let parsed = mcl::parse(text.as_bytes(), "f", &mut mcl::NoLibraries);
        let core = core_form(&parsed.expect("a formula").property);
        core.expect("a small formula").text()
    };
    for (text, expected) in [
        (
            "[ true* . \"A\" ] false",
            "(nu Z . [ \"A\" ] false and [ true ] Z)",
        ),
        (
            "< (\"A\" | \"B\") . nil . \"C\"+ > true",
            "< \"A\" > < \"C\" > true or < \"B\" > < \"C\" > true",
        ),
        (
            "< \"A\"+ > < \"B\" > true",
            "< \"A\" > (mu Z . < \"B\" > true or < \"A\" > Z)",
        ),
        (
            "not < \"A\" ? > mu X. [ \"B\" ] X",
            "(nu X . < \"B\" > X) and [ \"A\" ] (nu X . < \"B\" > X)",
        ),
        ("< \"A\" {1,2} > @", "(nu Z . < \"A\" > (Z or < \"A\" > Z))"),
        (
            "< for n:Nat from 1 to 3 do { G !n } end for > true",
            "(mu Z (n:Nat := 1) . if n <= 3 then < { G !n } > if n <= 2 then Z (n + 1) else true \
             end if else true end if)",
        ),
        (
            "forall n:Nat among { 0 ... 2 }. n < 2 implies [ { G !n } ] n = 1",
            "(forall n:Nat among { 0 ... 2 } . not (n < 2) or [ { G !n } ] (n = 1))",
        ),
        (
            "< \"Z\" * > nu Z. mu Z_2. < \"A\" > (Z_2 or Z)",
            "(mu Z_3 . (nu Z . (mu Z_2 . < \"A\" > (Z_2 or Z))) or < \"Z\" > Z_3)",
        ),
    ] {
        assert_eq!(core(text), expected, "{text}");
    }
}

#[test]
fn core_forms_that_are_too_large() {
    let of = |text: &str| {
        let parsed = mcl::parse(text.as_bytes(), "f", &mut mcl::NoLibraries);
        core_form(&parsed.expect("a formula").property).map(|core| core.text())
    };
    let wide = format!(
        "< {} > true",
        vec!["(\"A\" | \"B\" . \"C\")"; 30].join(" . ")
    );
    assert_eq!(of(&wide), Err(NoCoreForm::Size));
    assert_eq!(of("< true {2000} > true"), Err(NoCoreForm::Depth));
    assert!(of("< true {400} > true").is_ok());
}
