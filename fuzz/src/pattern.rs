//! Pattern files and lists of labels: see the README.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use hyades::formats::{Lts, LtsBuilder, StateId};
use hyades::symmetry::pattern::{Order, PatternFile};
use hyades::symmetry::{Instances, KernelNumbers, kernel};

fn lts(edges: &[(u32, &str, u32)]) -> Lts {
    let mut builder = LtsBuilder::new(1);
    for (source, label, target) in edges {
        builder
            .add_text(*source, label.as_bytes(), *target)
            .expect("few labels");
    }
    builder.build(StateId::new(0)).expect("few states")
}

/// What patterns are patterns of: two users who say and hear.
static SPECIFICATION: LazyLock<Lts> = LazyLock::new(|| {
    lts(&[
        (0, "SAY !0 !1", 1),
        (0, "SAY !1 !0", 2),
        (1, "HEAR !1 !0", 0),
        (2, "HEAR !0 !1", 0),
        (1, "SAY !1 !0", 3),
    ])
});

static TEMPLATE: LazyLock<Lts> = LazyLock::new(|| {
    lts(&[
        (0, "1 !SAY !0 !1", 1),
        (1, "2 !HEAR !1 !0", 0),
        (1, "3 !SAY !1 !0", 1),
    ])
});

/// Checks one input.
pub fn check(input: &[u8]) {
    let (file, list) = match input.iter().position(|&b| b == 0) {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (input, &b"SAY !1 !0\nSAY !0 !1\n"[..]),
    };
    let Ok(file) = str::from_utf8(file) else {
        return;
    };
    let Ok(file) = PatternFile::from_text(file) else {
        return;
    };
    let specification = &*SPECIFICATION;
    let mut orders = Vec::new();
    orders.extend(Order::from_text(list, file.syntax()));
    let Ok(pattern) = file.pattern(&TEMPLATE) else {
        return;
    };
    orders.push(pattern.order.clone());
    let copies = Instances::new(&pattern, specification);
    for order in orders {
        let ranks = order.ranks(specification, &pattern.syntax);
        let listing = order.listing(specification, &pattern.syntax);
        let listed = Order::from_text(&listing, &pattern.syntax).expect("each label once");
        // A hidden action that does not occur is in no list, and may go elsewhere.
        let sorted = |ranks: &[u32]| {
            let mut labels = specification.labels().to_vec();
            labels.sort_unstable_by_key(|label| ranks[label.index()]);
            labels
        };
        let ranks_again = listed.ranks(specification, &pattern.syntax);
        assert_eq!(sorted(&ranks_again), sorted(&ranks));
        let Ok(copies) = &copies else { continue };
        let mut go_on = |_: &_| ControlFlow::Continue(());
        let kernel = kernel(
            specification,
            copies,
            &ranks,
            KernelNumbers::Kept,
            &mut go_on,
        );
        if let Ok(kernel) = kernel {
            let text = |lts: &Lts, s: StateId, l, t: StateId| (s, lts.table().text(l).to_vec(), t);
            let whole = specification
                .iter()
                .map(|(s, l, t)| text(specification, s, l, t));
            let whole: HashSet<_> = whole.collect();
            let mut part = kernel.lts.iter();
            assert!(part.all(|(s, l, t)| whole.contains(&text(&kernel.lts, s, l, t))));
        }
    }
}
