//! The kernels of Romijn & Springintveld's examples (CWI report SEN-R9918,
//! section 7) that come out as published; BENCHMARKS.md has the two largest, and
//! those that do not.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use hyades::explore::Limits;
use hyades::formats::{Lts, ReadOptions, Source, read_lts};
use hyades::generate::family;
use hyades::symmetry::pattern::{Pattern, PatternFile};
use hyades::symmetry::{Instances, Kernel, KernelNumbers, OrderSearch, best_order, kernel};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/kernel")
}

fn pattern(name: &str) -> Pattern {
    let text = fs::read_to_string(folder().join(format!("{name}.pattern.toml"))).unwrap();
    let file = PatternFile::from_text(&text).unwrap();
    let source = Source::open(&folder().join(file.template()), None).unwrap();
    let template = read_lts(source, &ReadOptions::default(), &mut |d| panic!("{d}")).unwrap();
    file.pattern(&template).unwrap()
}

fn specification(model: &str, n: u64) -> Lts {
    let family = family(model).unwrap();
    let values = family.values(&[n], &[]).unwrap();
    family.generate(&values, Limits::default()).unwrap()
}

fn kernel_of(specification: &Lts, pattern: &Pattern) -> Kernel {
    let copies = Instances::new(pattern, specification).unwrap();
    let ranks = pattern.order.ranks(specification, &pattern.syntax);
    let mut go_on = |_: &_| ControlFlow::Continue(());
    kernel(
        specification,
        &copies,
        &ranks,
        KernelNumbers::Found,
        &mut go_on,
    )
    .unwrap()
}

#[track_caller]
fn check(model: &str, n: u64, states: usize, transitions: usize) {
    let specification = specification(model, n);
    let kernel = kernel_of(&specification, &pattern(&format!("{model}{n}")));
    let found = (kernel.lts.states(), kernel.lts.transitions());
    assert_eq!(found, (states, transitions), "{model} {n}");
    // Each state is met with one vector of the copies' states.
    assert_eq!(kernel.nodes.len(), states, "{model} {n}");
    assert!(!kernel.nondeterministic);
}

#[test]
fn chatbox() {
    check("chatbox", 2, 9, 74);
    check("chatbox", 3, 213, 3722);
}

#[test]
fn chatbox_without_joining() {
    check("chatbox-fixed", 3, 10, 84);
    check("chatbox-fixed", 4, 112, 1296);
}

#[test]
fn trains() {
    check("train", 7, 12685, 79594);
}

#[test]
fn mealy_trains() {
    check("train-mealy", 4, 1548, 8752);
    check("train-mealy", 5, 5193, 30255);
    check("train-mealy", 6, 16959, 100_647);
    check("train-mealy", 7, 49941, 300_655);
}

/// The published orders of the Mealy trains with 4 and 5 stations are the best
/// there are; that for 6 is not.
#[test]
fn best_orders() {
    for (n, states, transitions) in [(4, 1548, 8752), (5, 5193, 30255), (6, 16338, 97074)] {
        let specification = specification("train-mealy", n);
        let mut pattern = pattern(&format!("train-mealy{n}"));
        let copies = Instances::new(&pattern, &specification).unwrap();
        let mut go_on = |_| ControlFlow::Continue(());
        let search = OrderSearch::default();
        let best = best_order(&specification, &copies, &pattern, search, &mut go_on).unwrap();
        assert!(best.exhaustive);
        assert_eq!(best.tried, (1..=n).product::<u64>());
        pattern.order = best.order;
        let kernel = kernel_of(&specification, &pattern).lts;
        assert_eq!(
            (kernel.states(), kernel.transitions()),
            (states, transitions)
        );
    }
}
