//! Random patterns, and specifications that have to do with them.

use std::collections::BTreeMap;

use hyades_formats::{Lts, LtsBuilder, StateId};

use crate::symmetry::pattern::{Order, Pattern, TemplateCopy, Transformation};
use crate::symmetry::template::Template;
use crate::symmetry::tokens::{TokenSyntax, Tokens};
use crate::testing::Random;

/// A specification and a pattern.
pub(in crate::symmetry) struct Sample {
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

/// The parallel composition of the copies, each label possible where some copy
/// takes it; transitions are lost by chance, and lead elsewhere by chance, so
/// that there are specifications for which each hypothesis fails.
fn composition(random: &mut Random, pattern: &Pattern) -> Option<Lts> {
    let copies: Vec<BTreeMap<(u32, Tokens), u32>> = pattern
        .copies
        .iter()
        .map(|copy| super::naive::moves(pattern, copy))
        .map(|moves| {
            moves
                .into_iter()
                .map(|(k, (_, target))| (k, target))
                .collect()
        })
        .collect();
    let alphabet: std::collections::BTreeSet<_> = copies
        .iter()
        .flatten()
        .map(|((_, tokens), _)| tokens.clone())
        .collect();
    let (lost, elsewhere) = (
        [0, 0, 10, 30][random.between(0, 3)],
        [0, 0, 0, 15][random.between(0, 3)],
    );
    let initial: Vec<u32> = pattern.copies.iter().map(|copy| copy.initial).collect();
    let mut number = BTreeMap::from([(initial.clone(), 0u32)]);
    let mut queue = vec![initial];
    let mut builder = LtsBuilder::new(1);
    let mut next = 0;
    while next < queue.len() {
        let source = queue[next].clone();
        for label in &alphabet {
            let mut target = source.clone();
            let mut taken = false;
            for (state, moves) in target.iter_mut().zip(&copies) {
                if let Some(&to) = moves.get(&(*state, label.clone())) {
                    *state = to;
                    taken = true;
                }
            }
            if !taken || random.chance(lost) {
                continue;
            }
            if random.chance(elsewhere) {
                target = queue[random.between(0, queue.len() - 1)].clone();
            }
            let to = *number.entry(target.clone()).or_insert_with(|| {
                queue.push(target);
                queue.len() as u32 - 1
            });
            builder
                .add_text(next as u32, label.to_string().as_bytes(), to)
                .unwrap();
        }
        next += 1;
        if queue.len() > 40 {
            return None;
        }
    }
    Some(builder.build(StateId::new(0)).unwrap())
}

/// The sample that a seed makes; `None` for one that is too large.
pub(in crate::symmetry) fn sample(seed: u64) -> Option<Sample> {
    let mut random = Random::new(seed);
    let syntax = TokenSyntax::default();
    let lts = template(&mut random);
    let template = Template::new(&lts, &syntax, true).unwrap();
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
    let specification = composition(&mut random, &pattern)?;
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

/// A random order of the labels of a specification.
pub(in crate::symmetry) fn ranks(seed: u64, specification: &Lts) -> Vec<u32> {
    let mut random = Random::new(seed ^ 0x5EED);
    let mut ranks: Vec<u32> = (0..specification.table().len() as u32).collect();
    for k in (1..ranks.len()).rev() {
        ranks.swap(k, random.between(0, k));
    }
    ranks
}
