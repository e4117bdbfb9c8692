//! Best orders against all orders.

use std::ops::ControlFlow;

use hyades_formats::Lts;

use super::random::sample;
use crate::pattern::{Order, OrderEntry, Pattern, Significant, ValueList};
use crate::{BestOrder, Instances, KernelError, KernelNumbers, OrderSearch, best_order, kernel};

/// Orders `A` and `B` by the same list of three values, `B` by another too.
fn order(pattern: &Pattern) -> Order {
    let list = |values: [&str; 3]| ValueList {
        name: None,
        values: values.map(|v| v.as_bytes().into()).into(),
    };
    let by = |variable: &str, list, descending| Significant {
        variable: variable.into(),
        list,
        descending,
    };
    let entry = |label, by| OrderEntry::new(label, by, &pattern.syntax).unwrap();
    Order::Entries {
        lists: vec![list(["0", "1", "2"]), list(["2", "0", "1"])],
        entries: vec![
            entry("A $x", vec![by("x", 0, false)]),
            entry("B $x $y", vec![by("y", 1, false), by("x", 0, true)]),
        ],
    }
}

fn permutations(n: u32) -> Vec<Vec<u32>> {
    let Some(last) = n.checked_sub(1) else {
        return vec![Vec::new()];
    };
    let shorter = permutations(last);
    let longer = shorter.iter().flat_map(|list| {
        (0..n as usize).map(|at| {
            let mut list = list.clone();
            list.insert(at, last);
            list
        })
    });
    longer.collect()
}

/// States and transitions of the kernel by an order.
fn size(lts: &Lts, copies: &Instances, pattern: &Pattern, order: &Order) -> (usize, usize) {
    let ranks = order.ranks(lts, &pattern.syntax);
    let mut go_on = |_: &_| ControlFlow::Continue(());
    let kernel = kernel(lts, copies, &ranks, KernelNumbers::Found, &mut go_on).unwrap();
    // Transitions are counted for each node.
    (kernel.lts.states(), kernel.nodes.graph().transitions())
}

fn search(
    lts: &Lts,
    copies: &Instances,
    pattern: &Pattern,
    search: OrderSearch,
) -> Result<BestOrder, KernelError> {
    best_order(lts, copies, pattern, search, &mut |_| {
        ControlFlow::Continue(())
    })
}

#[test]
fn the_best_of_all_orders_is_found() {
    let (mut compared, mut matters, mut some) = (0, 0, 0);
    for seed in 0..400 {
        let Some(mut sample) = sample(seed) else {
            continue;
        };
        sample.pattern.order = order(&sample.pattern);
        let (lts, pattern) = (&sample.specification, &sample.pattern);
        let copies = Instances::new(pattern, lts).unwrap();
        let all = OrderSearch::default();
        let Ok(best) = search(lts, &copies, pattern, all) else {
            continue;
        };
        assert!(best.exhaustive);
        assert_eq!(best.tried, 36);
        let lists = permutations(3);
        let pairs = lists
            .iter()
            .flat_map(|a| lists.iter().map(move |b| vec![a.clone(), b.clone()]));
        let sizes: Vec<_> = pairs
            .map(|places| size(lts, &copies, pattern, &pattern.order.permuted(&places)))
            .collect();
        let found = size(lts, &copies, pattern, &best.order);
        assert_eq!(Some(&found), sizes.iter().min(), "{}", sample.text);
        matters += usize::from(sizes.iter().any(|size| *size != found));
        // Step by step it does not get worse.
        let steps = OrderSearch {
            exhaustive: 35,
            random: 1,
            seed,
        };
        let improved = search(lts, &copies, pattern, steps).unwrap();
        // No order is tried twice, and all are where there are not many more than that.
        assert!(improved.tried <= 36);
        assert_eq!(improved.exhaustive, improved.tried == 36);
        some += u32::from(!improved.exhaustive);
        let many = OrderSearch { random: 5, ..steps };
        let all = search(lts, &copies, pattern, many).unwrap();
        assert_eq!((all.tried, all.exhaustive), (36, true));
        assert_eq!(size(lts, &copies, pattern, &all.order), found);
        let improved = size(lts, &copies, pattern, &improved.order);
        assert!(found <= improved, "{}", sample.text);
        assert!(
            improved <= size(lts, &copies, pattern, &pattern.order),
            "{}",
            sample.text
        );
        // The same order read back from its listing.
        let text = best.order.listing(lts, &pattern.syntax);
        let listed = Order::from_text(&text, &pattern.syntax).unwrap();
        let again = listed.ranks(lts, &pattern.syntax);
        assert_eq!(
            again,
            best.order.ranks(lts, &pattern.syntax),
            "{}",
            sample.text
        );
        compared += 1;
    }
    assert!(compared > 100 && matters > 10, "{compared} {matters}");
    assert!(some > 10, "{some}");
}

#[test]
fn a_search_may_be_stopped() {
    let sample = (0..).find_map(sample).unwrap();
    let mut pattern = sample.pattern;
    pattern.order = order(&pattern);
    let lts = &sample.specification;
    let copies = Instances::new(&pattern, lts).unwrap();
    let found = best_order(lts, &copies, &pattern, OrderSearch::default(), &mut |_| {
        ControlFlow::Break(())
    });
    assert!(!found.unwrap().exhaustive);
}
