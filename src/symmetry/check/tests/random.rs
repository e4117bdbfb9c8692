//! Random specifications and patterns.

use std::collections::HashMap;

use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};

use crate::symmetry::pattern::{Order, Pattern, TemplateCopy, Transformation};
use crate::symmetry::template::{Template, tokens_of};
use crate::symmetry::tokens::{TokenSyntax, Tokens};
use crate::testing::Random;

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
    let template = Template::new(&lts, &syntax, false).expect("it is deterministic");
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

/// All labels of copies.
fn alphabet(pattern: &Pattern) -> Vec<Tokens> {
    let mut labels = Vec::new();
    for copy in &pattern.copies {
        for action in pattern.template.actions() {
            let mut label = action.clone();
            for token in &mut label.0 {
                *token = copy.transformation.apply(token).into();
            }
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
    }
    labels
}

/// The copies side by side: each label that some copy can take, and all that
/// can do. Such a specification is closed.
fn together(pattern: &Pattern) -> Lts {
    let initial: Vec<u32> = pattern.copies.iter().map(|copy| copy.initial).collect();
    let mut numbers = HashMap::from([(initial.clone(), 0)]);
    let mut vectors = vec![initial];
    let mut builder = LtsBuilder::new(1);
    let labels = alphabet(pattern);
    let mut next = 0;
    while next < vectors.len() {
        for label in &labels {
            let mut vector = vectors[next].clone();
            let mut takes = false;
            for (state, copy) in vector.iter_mut().zip(&pattern.copies) {
                let template = &pattern.template;
                let edge = template.edges().iter().find(|edge| {
                    let mut action = template.actions()[edge.action as usize].clone();
                    for token in &mut action.0 {
                        *token = copy.transformation.apply(token).into();
                    }
                    edge.source == *state && action == *label
                });
                if let Some(edge) = edge {
                    *state = edge.target;
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
fn changed(lts: &Lts, deterministic: bool, random: &mut Random) -> Lts {
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

/// Any transitions, one of each label from a state if `deterministic`. A label
/// may be one that no copy takes.
fn any(pattern: &Pattern, deterministic: bool, random: &mut Random) -> Lts {
    let states = random.between(1, 4);
    let dense = [30, 60, 90][random.between(0, 2)];
    let mut labels: Vec<String> = alphabet(pattern).iter().map(Tokens::to_string).collect();
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

/// An order of labels.
pub fn ranks(lts: &Lts, random: &mut Random) -> Vec<u32> {
    let mut ranks: Vec<u32> = (0..lts.table().len() as u32).collect();
    for k in (1..ranks.len()).rev() {
        ranks.swap(k, random.between(0, k));
    }
    ranks
}

/// For messages.
pub fn shown(lts: &Lts, pattern: &Pattern, ranks: &[u32]) -> String {
    let mut text = crate::testing::aut(lts);
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
