//! Labels that are looked up are those that match.

use hyades_formats::LabelTable;
use hyades_testing::Random;

use crate::label_set::{LabelSet, Labels};
use crate::matching::{Bound, matches};
use crate::sets::Nothing;
use crate::syntax::{ActionFormula, Place};

/// Texts that differ in blanks, the hidden action's among them.
const TEXTS: [&str; 12] = [
    "a", " a", "a ", "\ta ", "i", " i ", "a b", "a  b", "", " ", "A !1", "\"a\"",
];

fn text(random: &mut Random) -> &'static str {
    TEXTS[random.between(0, TEXTS.len() - 1)]
}

fn formula(random: &mut Random, depth: usize) -> ActionFormula {
    let most = if depth == 0 { 6 } else { 11 };
    let kind = random.between(0, most);
    let mut operand = || formula(random, depth - 1);
    match kind {
        0 => ActionFormula::Constant(random.chance(50)),
        1 => ActionFormula::Hidden,
        2 => ActionFormula::Visible,
        3 => ActionFormula::Exactly(text(random).as_bytes().into()),
        4..=6 => ActionFormula::Label(text(random).as_bytes().into(), Place::default()),
        7 => ActionFormula::Not(operand().into()),
        8 => ActionFormula::Implies([operand(), operand()].into()),
        9 => ActionFormula::Equivalent([operand(), operand()].into()),
        kind => {
            let operands = (0..random.between(2, 4)).map(|_| formula(random, depth - 1));
            match kind {
                10 => ActionFormula::And(operands.collect()),
                _ => ActionFormula::Or(operands.collect()),
            }
        }
    }
}

#[test]
fn labels_that_are_named_are_those_that_match() {
    let mut random = Random::new(1);
    let (mut few, mut all_but_few, mut many) = (0, 0, 0);
    for _ in 0..2000 {
        let mut table = LabelTable::new();
        for _ in 0..random.between(0, 10) {
            table
                .intern(text(&mut random).as_bytes())
                .expect("few labels");
        }
        let labels = Labels::new(&table);
        let formula = formula(&mut random, 3);
        let named = labels.named(&formula).expect("each label is named");
        let is_match = |(_, text)| matches(&formula, text, &Nothing, &mut Bound::new());
        let expected: Vec<bool> = labels
            .texts()
            .map(|l| is_match(l).expect("no data"))
            .collect();
        for ((label, _), &expected) in labels.texts().zip(&expected) {
            assert_eq!(
                named.contains(label),
                expected,
                "{label:?} {formula:?} {table:?}"
            );
        }
        let listed = labels.texts().map(|(label, _)| label);
        let listed: Vec<_> = listed.filter(|label| expected[label.index()]).collect();
        assert_eq!(named.to_vec(table.len()), listed);
        assert_eq!(named.is_empty(), listed.is_empty(), "{formula:?}");
        // The same set, from all labels one by one, is the same value.
        assert_eq!(named, LabelSet::of_each(expected), "{formula:?} {table:?}");
        match named {
            LabelSet::Few(..) if named.few().is_some() => few += 1,
            LabelSet::Few(..) => all_but_few += 1,
            LabelSet::Many(_) => many += 1,
        }
    }
    assert!(
        few > 100 && all_but_few > 100 && many > 100,
        "{few} {all_but_few} {many}"
    );
}
