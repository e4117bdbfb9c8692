//! Random patterns, and specifications that have to do with them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hyades_formats::{Lts, LtsBuilder, StateId};
use hyades_lts::tokens::{TokenSyntax, Tokens};
use hyades_testing::Random;

use super::naive::moves;
use crate::pattern::{Order, Pattern, TemplateCopy, Transformation};
use crate::template::{EdgeNumbers, Template};

/// A specification and a pattern.
pub struct Sample {
    pub specification: Lts,
    pub pattern: Pattern,
    /// What it was made of, for messages.
    pub text: String,
}

const VALUES: [&str; 3] = ["0", "1", "2"];

fn value(text: &str) -> Box<[u8]> {
    text.as_bytes().into()
}

/// A deterministic template over values `0` and `1`.
fn template(random: &mut Random) -> Lts {
    let states = random.between(1, 3) as u32;
    let actions = ["A !0", "A !1", "B !0 !1", "B !1 !0", "C"];
    let mut builder = LtsBuilder::new(states.into());
    let mut number = 0;
    for state in 0..states {
        for action in actions {
            if random.chance(45) {
                number += 1;
                let target = random.between(0, states as usize - 1) as u32;
                let label = format!("{number} {action}");
                builder.add_text(state, label.as_bytes(), target).unwrap();
            }
        }
    }
    builder.build(StateId::new(0)).unwrap()
}

fn transformations(random: &mut Random) -> Vec<Transformation> {
    let two = [value("0"), value("1")];
    let three = VALUES.map(value);
    let mut all = match random.between(0, 3) {
        0 => Transformation::permutations(&two),
        1 => Transformation::rotations(&three),
        2 => Transformation::injections(&two, &three),
        _ => Transformation::permutations(&three),
    }
    .unwrap();
    while all.len() > 3 && random.chance(50) {
        all.swap_remove(random.between(0, all.len() - 1));
    }
    all
}

/// The copies side by side: each label that some copy can take, and all that
/// can do. Such a specification is closed.
pub fn together(pattern: &Pattern) -> Lts {
    let copies: Vec<_> = pattern.copies.iter().map(|c| moves(pattern, c)).collect();
    let keys = copies.iter().flat_map(BTreeMap::keys);
    let alphabet: BTreeSet<&Tokens> = keys.map(|(_, tokens)| tokens).collect();
    let initial: Vec<u32> = pattern.copies.iter().map(|copy| copy.initial).collect();
    let mut numbers = HashMap::from([(initial.clone(), 0)]);
    let mut vectors = vec![initial];
    let mut builder = LtsBuilder::new(1);
    let mut next = 0;
    while next < vectors.len() {
        for &label in &alphabet {
            let mut vector = vectors[next].clone();
            let mut takes = false;
            for (state, moves) in vector.iter_mut().zip(&copies) {
                if let Some(&(_, target)) = moves.get(&(*state, label.clone())) {
                    *state = target;
                    takes = true;
                }
            }
            if takes {
                let known = vectors.len() as u32;
                let target = *numbers.entry(vector.clone()).or_insert(known);
                if target == known {
                    vectors.push(vector);
                }
                let text = label.to_string();
                let added = builder.add_text(next as u32, text.as_bytes(), target);
                added.expect("few labels");
            }
        }
        next += 1;
    }
    builder.build(StateId::new(0)).expect("few states")
}

/// The same with states merged, transitions left out or led elsewhere; each
/// state keeps one transition of a label, if `deterministic`.
pub fn changed(lts: &Lts, deterministic: bool, random: &mut Random) -> Lts {
    let states = lts.states();
    let merged = [0, 0, 20, 50][random.between(0, 3)];
    let left_out = [0, 0, 10, 30][random.between(0, 3)];
    let led = [0, 0, 10, 30][random.between(0, 3)];
    let mut name: Vec<u32> = (0..states as u32).collect();
    for k in 1..states {
        if random.chance(merged) {
            name[k] = name[random.between(0, k - 1)];
        }
    }
    let mut builder = LtsBuilder::with_table(states as u64, lts.table().clone());
    let mut known = HashMap::new();
    for (source, label, target) in lts.iter() {
        let source = StateId::new(name[source.index()]);
        let mut target = StateId::new(name[target.index()]);
        if random.chance(led) {
            target = StateId::new(name[random.between(0, states - 1)]);
        }
        if random.chance(left_out) {
            continue;
        }
        let first = *known.entry((source, label)).or_insert(target);
        if !deterministic || first == target {
            builder.add(source, label, target);
        }
    }
    let initial = StateId::new(name[lts.initial().index()]);
    builder.build(initial).expect("few states")
}

/// The sample that a seed makes; `None` for one that is too large.
pub fn sample(seed: u64) -> Option<Sample> {
    let mut random = Random::new(seed);
    let syntax = TokenSyntax::default();
    let lts = template(&mut random);
    let template = Template::new(&lts, &syntax, EdgeNumbers::FirstTokens).unwrap();
    let copies = transformations(&mut random)
        .into_iter()
        .map(|transformation| TemplateCopy {
            transformation,
            initial: if random.chance(80) {
                0
            } else {
                random.between(0, template.states() as usize - 1) as u32
            },
        });
    let copies: Vec<_> = copies.collect();
    let pattern = Pattern {
        syntax,
        template,
        copies,
        order: Order::default(),
    };
    let specification = together(&pattern);
    if specification.states() > 40 {
        return None;
    }
    let specification = changed(&specification, true, &mut random);
    let text = format!(
        "seed {seed}: {pattern:?}\n{:?}",
        specification.iter().collect::<Vec<_>>()
    );
    Some(Sample {
        specification,
        pattern,
        text,
    })
}

/// An order of labels.
pub fn ranks(lts: &Lts, random: &mut Random) -> Vec<u32> {
    let mut ranks: Vec<u32> = (0..lts.table().len() as u32).collect();
    for k in (1..ranks.len()).rev() {
        ranks.swap(k, random.between(0, k));
    }
    ranks
}
