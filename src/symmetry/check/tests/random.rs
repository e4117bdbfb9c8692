//! Random specifications and patterns.

use std::collections::BTreeSet;

use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};
use hyades_lts::tokens::TokenSyntax;
use hyades_testing::Random;

use crate::pattern::{Order, Pattern, TemplateCopy, Transformation};
use crate::template::{EdgeNumbers, Template, tokens_of};
use crate::tests::naive::moves;
use crate::tests::random::{changed, together};

/// A pattern whose template has up to three states and two or three actions, of
/// which one may mention two values.
pub fn pattern(random: &mut Random) -> Pattern {
    let actions: &[&str] = match random.between(0, 3) {
        0 => &["a x", "b x"],
        1 => &["a x", "b y"],
        2 => &["a x", "a y"],
        _ => &["a x", "b x", "a y"],
    };
    let states = random.between(1, 3);
    let dense = [100, 90, 60][random.between(0, 2)];
    let moving = [20, 50, 100][random.between(0, 2)];
    let mut builder = LtsBuilder::new(states as u64);
    for state in 0..states as u32 {
        for action in actions {
            if random.chance(dense) {
                let target = match random.chance(moving) {
                    true => random.between(0, states - 1) as u32,
                    false => state,
                };
                let label = action.as_bytes();
                builder.add_text(state, label, target).expect("few labels");
            }
        }
    }
    let lts = builder.build(StateId::new(0)).expect("few states");
    let syntax = TokenSyntax::default();
    let template = Template::new(&lts, &syntax, EdgeNumbers::None).expect("it is deterministic");
    let mut maps = vec![("0", "1"), ("1", "0")];
    match random.between(0, 3) {
        0 => maps.push(("2", "0")),
        1 => maps.truncate(1),
        _ => {}
    }
    let copies = maps.into_iter().map(|(x, y)| TemplateCopy {
        transformation: Transformation::new([
            (b"x"[..].into(), x.as_bytes().into()),
            (b"y"[..].into(), y.as_bytes().into()),
        ])
        .expect("two values"),
        initial: match random.chance(15) {
            true => random.between(0, states - 1) as u32,
            false => 0,
        },
    });
    Pattern {
        copies: copies.collect(),
        syntax,
        template,
        order: Order::default(),
    }
}

/// Any transitions, one of each label from a state if `deterministic`. A label
/// may be one that no copy takes.
fn any(pattern: &Pattern, deterministic: bool, random: &mut Random) -> Lts {
    let states = random.between(1, 4);
    let dense = [30, 60, 90][random.between(0, 2)];
    let copies = pattern.copies.iter().flat_map(|c| moves(pattern, c));
    let labels: BTreeSet<String> = copies.map(|((_, label), _)| label.to_string()).collect();
    let mut labels = Vec::from_iter(labels);
    if random.chance(10) {
        labels.push("c 0".into());
    }
    let mut builder = LtsBuilder::new(states as u64);
    for state in 0..states as u32 {
        for label in &labels {
            for _ in 0..if deterministic { 1 } else { 2 } {
                if random.chance(dense) {
                    let target = random.between(0, states - 1) as u32;
                    let label = label.as_bytes();
                    builder.add_text(state, label, target).expect("few labels");
                }
            }
        }
    }
    builder.build(StateId::new(0)).expect("few states")
}

/// A specification that may have to do with a pattern.
pub fn specification(pattern: &Pattern, random: &mut Random) -> Lts {
    match random.between(0, 5) {
        0 | 1 => any(pattern, true, random),
        2 => any(pattern, false, random),
        3 => together(pattern),
        4 => changed(&together(pattern), false, random),
        _ => changed(&together(pattern), true, random),
    }
}

/// For messages.
pub fn shown(lts: &Lts, pattern: &Pattern, ranks: &[u32]) -> String {
    let mut text = hyades_testing::aut(lts);
    for id in 0..lts.table().len() as u32 {
        let tokens = tokens_of(lts, LabelId::new(id), &pattern.syntax);
        text += &format!("{tokens}: rank {}\n", ranks[id as usize]);
    }
    for copy in &pattern.copies {
        text += &format!("copy {} from {}\n", copy.transformation, copy.initial);
    }
    for edge in pattern.template.edges() {
        let action = &pattern.template.actions()[edge.action as usize];
        text += &format!("{} -{action}-> {}\n", edge.source, edge.target);
    }
    text
}
