//! The templates of report SEN-R9918: renamed by all their transformations they
//! have exactly the labels of the models.

use std::collections::{BTreeMap, BTreeSet};

use hyades_explore::Model;
use hyades_formats::{Format, ReadOptions, Source, aut};
use hyades_lts::tokens::TokenSyntax;

use crate::{Chatbox, MealyTrain, Ring, Train};

/// A label as a kernel sees it.
type Tokens = Vec<String>;

/// A transformation: what a token becomes.
type Renaming = BTreeMap<String, String>;

fn tokens(label: &[u8]) -> Tokens {
    let tokens = TokenSyntax::default();
    let texts = tokens.tokens(label).map(String::from_utf8_lossy);
    texts.map(Into::into).collect()
}

fn renaming(pairs: impl IntoIterator<Item = (usize, usize)>) -> Renaming {
    let pairs = pairs.into_iter();
    pairs
        .map(|(old, new)| (old.to_string(), new.to_string()))
        .collect()
}

/// One transformation a line, `OLD=NEW` with blanks between.
fn listed(file: &str) -> Vec<Renaming> {
    let renaming = |line: &str| {
        let pairs = line.split_whitespace().map(|item| {
            let (old, new) = item.split_once('=').expect(item);
            (old.to_owned(), new.to_owned())
        });
        pairs.collect()
    };
    file.lines().map(renaming).collect()
}

/// Users 0 and 1 of the template are any two.
fn pairs(n: usize) -> Vec<Renaming> {
    let all = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let pairs = all.filter(|(i, j)| i != j);
    pairs.map(|(i, j)| renaming([(0, i), (1, j)])).collect()
}

/// Station `from` of the template is any one, and the others lie around it as
/// they did.
fn rotations(n: usize, from: usize) -> Vec<Renaming> {
    let turned = |by: usize| renaming((0..n).map(|s| (s, (s + by + n - from) % n)));
    (0..n).map(turned).collect()
}

/// The transitions of a template, its labels without the numbers of edges, and
/// these numbers.
fn template(file: &str) -> (BTreeSet<(u32, Tokens, u32)>, Vec<String>) {
    let source = Source::from_bytes("template", file.as_bytes().to_vec(), Some(Format::Aut));
    let source = source.expect("it is not compressed");
    let lts = aut::read(source, &ReadOptions::default(), &mut |_| ()).expect("it is in AUT");
    let mut edges = Vec::new();
    let transitions = lts.iter().map(|(source, label, target)| {
        let mut tokens = tokens(lts.table().text(label));
        edges.push(tokens.remove(0));
        (source.get(), tokens, target.get())
    });
    (transitions.collect(), edges)
}

fn check(model: &impl Model, file: &str, transformations: &[Renaming]) {
    let labels = model.labels();
    let labels: BTreeSet<Tokens> = labels.visible().map(|(_, text)| tokens(text)).collect();
    let (transitions, _) = template(file);
    let mut copies = BTreeSet::new();
    for renaming in transformations {
        for (_, label, _) in &transitions {
            let new = |token: &String| renaming.get(token).unwrap_or(token).clone();
            copies.insert(label.iter().map(new).collect::<Tokens>());
        }
    }
    assert_eq!(labels, copies);
}

const JOINING: &str = include_str!("../../../testdata/kernel/chatbox_join.template.aut");
const FIXED: &str = include_str!("../../../testdata/kernel/chatbox_nojoin.template.aut");
const TRAIN: &str = include_str!("../../../testdata/kernel/train.template.aut");
const RING: &str = include_str!("../../../testdata/kernel/ring.template.aut");
const MEALY_4: &str = include_str!("../../../testdata/kernel/train_mealy4.generated.aut");
const MEALY_5: &str = include_str!("../../../testdata/kernel/train_mealy5.generated.aut");
const MEALY_6: &str = include_str!("../../../testdata/kernel/train_mealy6.generated.aut");
const MEALY_7: &str = include_str!("../../../testdata/kernel/train_mealy7.generated.aut");
const MEALY_8: &str = include_str!("../../../testdata/kernel/train_mealy8.generated.aut");
const PRINTED_8: &str = include_str!("../../../testdata/kernel/train_mealy8.template.aut");

#[test]
fn labels_are_what_the_templates_cover() {
    for n in 2..=5 {
        check(&Chatbox::new(n), JOINING, &pairs(n as usize));
        check(&Chatbox::without_joining(n), FIXED, &pairs(n as usize));
    }
    for n in 3..=8 {
        check(&Train::new(n), TRAIN, &rotations(n as usize, 1));
    }
    for (n, file) in [
        (4, MEALY_4),
        (5, MEALY_5),
        (6, MEALY_6),
        (7, MEALY_7),
        (8, MEALY_8),
    ] {
        check(&MealyTrain::new(n), file, &rotations(n as usize, 1));
    }
    check(&Ring::new(3), RING, &rotations(3, 0));
}

#[test]
fn transformations_are_those_in_the_files() {
    let file = include_str!("../../../testdata/kernel/perm_pairs3.txt");
    assert_eq!(listed(file), pairs(3));
    let file = include_str!("../../../testdata/kernel/perm_rot1_7.txt");
    assert_eq!(listed(file), rotations(7, 1));
}

/// The templates made for other numbers of stations come from the same program
/// as one that differs from what is printed in the numbers of edges only.
#[test]
fn the_made_template_is_the_printed_one() {
    let (made, mut edges) = template(MEALY_8);
    let (printed, _) = template(PRINTED_8);
    assert_eq!(made, printed);
    for file in [JOINING, FIXED, TRAIN, RING, MEALY_4, MEALY_7, PRINTED_8] {
        let (transitions, numbers) = template(file);
        let mut numbers: Vec<usize> = numbers.iter().map(|n| n.parse().unwrap()).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(1..=transitions.len()));
    }
    edges.sort_unstable();
    edges.dedup();
    assert_eq!(edges.len(), made.len());
}
