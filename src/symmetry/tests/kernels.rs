//! Kernels against the algorithm of Figure 1.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};
use hyades_testing::Random;

use super::naive::Naive;
use super::random::{ranks, sample};
use crate::{Instances, Kernel, KernelError, KernelNumbers, kernel};

fn edges(lts: &Lts) -> BTreeSet<(StateId, LabelId, StateId)> {
    lts.iter().collect()
}

fn order_of(seed: u64, specification: &Lts) -> Vec<u32> {
    ranks(specification, &mut Random::new(seed ^ 0x5EED))
}

fn run(
    specification: &Lts,
    copies: &Instances,
    ranks: &[u32],
    numbers: KernelNumbers,
) -> Result<Kernel, KernelError> {
    kernel(specification, copies, ranks, numbers, &mut |_| {
        ControlFlow::Continue(())
    })
}

/// The transitions of a kernel with kept numbers, with labels of the
/// specification.
fn with_labels_of(kernel: &Lts, specification: &Lts) -> BTreeSet<(StateId, LabelId, StateId)> {
    let find = |label: LabelId| match label.is_hidden() {
        true => label,
        false => specification
            .table()
            .find(kernel.table().text(label))
            .unwrap(),
    };
    kernel.iter().map(|(s, l, t)| (s, find(l), t)).collect()
}

/// Whether a state is met with two vectors of the copies' states.
fn meets_states_twice(kernel: &Kernel, copies: &Instances) -> bool {
    let mut met = BTreeSet::new();
    !(0..kernel.nodes.len()).all(|k| met.insert(copies.state(kernel.nodes.packed(k))))
}

#[test]
fn kernels_are_those_of_the_recursive_algorithm() {
    // Kernels that are smaller than the specification; specifications that are
    // not covered; states met with several vectors.
    let (mut smaller, mut uncovered, mut twice) = (0, 0, 0);
    for seed in 0..5_000 {
        let Some(sample) = sample(seed) else { continue };
        let specification = &sample.specification;
        if specification.states() > 7 || specification.transitions() > 24 {
            continue;
        }
        let Ok(copies) = Instances::new(&sample.pattern, specification) else {
            continue;
        };
        let ranks = order_of(seed, specification);
        let naive = Naive::new(specification, &sample.pattern, &ranks);
        let expected = naive.kernel();
        match run(specification, &copies, &ranks, KernelNumbers::Kept) {
            Ok(kernel) => {
                let found = with_labels_of(&kernel.lts, specification);
                let expected = expected.unwrap_or_else(|| panic!("covered? {}", sample.text));
                if meets_states_twice(&kernel, &copies) {
                    // The recursion ends where a trace comes back to a state,
                    // although the copies are elsewhere.
                    twice += 1;
                    assert!(found.is_superset(&expected), "{}", sample.text);
                } else {
                    assert_eq!(found, expected, "{}", sample.text);
                    smaller += usize::from(found.len() < edges(specification).len());
                }
            }
            Err(KernelError::Uncovered { state, trace }) => {
                uncovered += 1;
                let (last, path) = trace.split_last().unwrap();
                assert!(naive.covering(path).is_some(), "{}", sample.text);
                assert!(naive.covering(&trace).is_none(), "{}", sample.text);
                // The path is one of the specification.
                let step = |s: StateId, label: LabelId| {
                    let mut row = specification.outgoing(s);
                    row.find(|&(l, _)| l == label).map(|(_, t)| t)
                };
                let end = path
                    .iter()
                    .try_fold(specification.initial(), |s, &l| step(s, l));
                assert_eq!(end, Some(state), "{}", sample.text);
                assert!(step(state, *last).is_some(), "{}", sample.text);
            }
            Err(error) => panic!("{error}: {}", sample.text),
        }
    }
    assert!(smaller > 80, "{smaller}");
    assert!(uncovered > 20, "{uncovered}");
    assert!(twice > 20, "{twice}");
}

/// Renumbered kernels are the same but for the numbers, which ascend in the
/// order of a breadth-first search.
#[test]
fn numbers_are_kept_or_found() {
    let mut compared = 0;
    for seed in 0..600 {
        let Some(sample) = sample(seed) else { continue };
        let specification = &sample.specification;
        let Ok(copies) = Instances::new(&sample.pattern, specification) else {
            continue;
        };
        let ranks = order_of(seed, specification);
        let Ok(kept) = run(specification, &copies, &ranks, KernelNumbers::Kept) else {
            continue;
        };
        let found = run(specification, &copies, &ranks, KernelNumbers::Found).unwrap();
        let mut number = BTreeMap::new();
        for k in 0..found.nodes.len() {
            let next = number.len() as u32;
            let state = copies.state(found.nodes.packed(k));
            number
                .entry(StateId::new(state))
                .or_insert(StateId::new(next));
        }
        let renamed = with_labels_of(&kept.lts, specification)
            .into_iter()
            .map(|(s, l, t)| (number[&s], l, number[&t]))
            .collect();
        assert_eq!(
            with_labels_of(&found.lts, specification),
            renamed,
            "{}",
            sample.text
        );
        assert_eq!(found.lts.states(), number.len(), "{}", sample.text);
        assert_eq!(kept.lts.states(), specification.states(), "{}", sample.text);
        assert_eq!(found.lts.initial(), StateId::new(0));
        compared += 1;
    }
    assert!(compared > 200, "{compared}");
}

/// With the copies' states in more than a word, nothing changes: the same
/// pattern many times over.
#[test]
fn states_of_many_copies_take_many_words() {
    let mut wide = 0;
    for seed in 0..400 {
        let Some(mut sample) = sample(seed) else {
            continue;
        };
        let specification = &sample.specification;
        let narrow = Instances::new(&sample.pattern, specification).unwrap();
        let once = sample.pattern.copies.clone();
        for _ in 0..30 {
            sample.pattern.copies.extend_from_slice(&once);
        }
        let copies = Instances::new(&sample.pattern, specification).unwrap();
        let ranks = order_of(seed, specification);
        let a = run(specification, &narrow, &ranks, KernelNumbers::Kept);
        let b = run(specification, &copies, &ranks, KernelNumbers::Kept);
        match (a, b) {
            (Ok(a), Ok(b)) => {
                assert_eq!(edges(&a.lts), edges(&b.lts), "{}", sample.text);
                assert_eq!(a.nodes.len(), b.nodes.len(), "{}", sample.text);
            }
            (a, b) => assert_eq!(a.err(), b.err(), "{}", sample.text),
        }
        wide += usize::from(copies.bits() > 64);
    }
    assert!(wide > 100, "{wide}");
}

/// Multisets, not sets: two copies that take the same edge are not one.
#[test]
fn classes_are_multisets() {
    use crate::pattern::PatternFile;
    let mut template = LtsBuilder::new(1);
    template.add_text(0, b"1 A !0 !1", 0).unwrap();
    template.add_text(0, b"2 A !0 !0", 0).unwrap();
    let template = template.build(StateId::new(0)).unwrap();
    let file = PatternFile::from_text(
        "template = 't'\n[[transformations]]\nmap = { 0 = 0, 1 = 1 }\n\
         [[transformations]]\nmap = { 0 = 0, 1 = 2 }\n",
    );
    let pattern = file.unwrap().pattern(&template).unwrap();
    let mut specification = LtsBuilder::new(1);
    // Edge 2 of both copies; edge 1 of one copy each.
    for (target, label) in [(1, "A !0 !0"), (2, "A !0 !1"), (3, "A !0 !2")] {
        specification.add_text(0, label.as_bytes(), target).unwrap();
    }
    let specification = specification.build(StateId::new(0)).unwrap();
    let copies = Instances::new(&pattern, &specification).unwrap();
    let ranks = pattern.order.ranks(&specification, &pattern.syntax);
    let kernel = run(&specification, &copies, &ranks, KernelNumbers::Kept).unwrap();
    let mut kept: Vec<u32> = kernel.lts.targets().iter().map(|t| t.get()).collect();
    kept.sort_unstable();
    assert_eq!(kept, [1, 2]);
}

#[test]
fn transitions_of_a_representative_are_all_taken() {
    use crate::pattern::PatternFile;
    let mut template = LtsBuilder::new(1);
    template.add_text(0, b"1 A !0", 0).unwrap();
    let template = template.build(StateId::new(0)).unwrap();
    let file = "template = 't'\n[[transformations]]\npermutations = [0, 1]\n";
    let pattern = PatternFile::from_text(file)
        .unwrap()
        .pattern(&template)
        .unwrap();
    let mut specification = LtsBuilder::new(4);
    for (label, target) in [
        ("A !1", 3),
        ("A !0", 1),
        ("A !0", 2),
        ("A(0)", 2),
        ("A !0", 1),
    ] {
        specification.add_text(0, label.as_bytes(), target).unwrap();
    }
    let specification = specification.build(StateId::new(0)).unwrap();
    let copies = Instances::new(&pattern, &specification).unwrap();
    let ranks = pattern.order.ranks(&specification, &pattern.syntax);
    let kernel = run(&specification, &copies, &ranks, KernelNumbers::Kept).unwrap();
    // `A !0` and `A(0)` are the same tokens; the first by bytes represents both.
    let kept: Vec<_> = kernel
        .lts
        .iter()
        .map(|(s, _, t)| (s.get(), t.get()))
        .collect();
    assert_eq!(kept, [(0, 1), (0, 2)]);
    assert!(kernel.nondeterministic);
}
