//! Systems of which the symmetries are known.

use super::*;

#[test]
fn a_circle_that_may_be_turned_over_is_no_class_of_rotations() {
    let label = |k: usize, by: usize| format!("next !{} !{}", VALUES[k], VALUES[(k + by) % 5]);
    let labels = |steps: &[usize]| -> Vec<String> {
        let steps = steps.iter().flat_map(|&by| (0..5).map(move |k| (k, by)));
        steps.map(|(k, by)| label(k, by)).collect()
    };
    for (steps, action, order) in [
        (&[1][..], Action::Rotations, 5),
        (&[1, 4], Action::Other(Order::product([10])), 10),
        (&[1, 2, 3, 4], Action::Permutations, 120),
    ] {
        let labels = labels(steps);
        let lines: Vec<_> = labels.iter().map(|l| (0, l.as_str(), 0)).collect();
        let found = check(&aut(&lines), &FindOptions::default());
        assert_eq!(found.classes()[0].action, action);
        assert_eq!(found.order().to_u64(), Some(order));
    }
}

/// The LTS of these lines of AUT.
fn aut(lines: &[(u32, &str, u32)]) -> Lts {
    let mut b = LtsBuilder::new(1);
    for (s, label, t) in lines {
        b.add_text(*s, label.as_bytes(), *t).unwrap();
    }
    b.build(StateId::new(0)).unwrap()
}

#[test]
fn the_recurrent_part_can_be_symmetric_by_itself() {
    // The start is with 1; from then on 0 and 1 take turns.
    let lines = [(0, "go !1", 1), (1, "on !0", 2), (2, "on !1", 1)];
    let mut options = FindOptions::default();
    assert!(check(&aut(&lines), &options).order().is_one());
    options.recurrent = true;
    let found = find_symmetry(aut(&lines), &options).unwrap();
    assert_eq!(found.order().to_u64(), Some(2));
    assert!(found.order_fixing_initial().is_one());
    let two_ends = aut(&[(0, "go !0", 1), (0, "go !1", 2)]);
    let error = find_symmetry(two_ends, &options).err();
    assert_eq!(error, Some(FindError::Parts(2)));
}

#[test]
fn what_is_between_tokens_and_the_gate_stay_as_they_are() {
    let options = FindOptions::default();
    let same = aut(&[(0, "0 !1", 0), (0, "0 !0", 0)]);
    assert_eq!(check(&same, &options).order().to_u64(), Some(2));
    let apart = aut(&[(0, "0 !1", 0), (0, "0 (0)", 0)]);
    assert!(check(&apart, &options).order().is_one());
}

/// The LTS of one state with these labels.
fn loops(labels: impl IntoIterator<Item = String>) -> Lts {
    let labels: Vec<String> = labels.into_iter().collect();
    aut(&labels
        .iter()
        .map(|l| (0, l.as_str(), 0))
        .collect::<Vec<_>>())
}

/// The order, and each class with its first value, how many there are, how they
/// are permuted, and whether that is independent.
fn summary(lts: Lts) -> (Order, Vec<(String, usize, Action, bool)>) {
    let found = find_symmetry(lts, &FindOptions::default()).unwrap();
    let classes = found.classes().iter().map(|class| {
        let value = &found.values()[class.members[0] as usize];
        let value = String::from_utf8_lossy(value).into_owned();
        let size = class.members.len();
        (value, size, class.action.clone(), class.independent)
    });
    (found.order().clone(), classes.collect())
}

fn class(
    value: &str,
    size: usize,
    action: Action,
    independent: bool,
) -> (String, usize, Action, bool) {
    (value.into(), size, action, independent)
}

#[test]
fn a_large_class_is_found_by_few_searches() {
    let lts = loops((0..800).map(|k| format!("SEND !{k}")));
    let found = find_symmetry(lts, &FindOptions::default()).unwrap();
    assert_eq!(*found.order(), Order::product(1..=800));
    assert_eq!(found.generators().len(), 799);
    // Each exchanges two values.
    assert!(found.generators().iter().all(|g| g.moves().count() == 2));
    let class = &found.classes()[0];
    assert_eq!(
        (&class.action, class.independent),
        (&Action::Permutations, true)
    );
    assert_eq!(*found.values()[class.members[10] as usize], *b"10");
}

/// A search for each value, or a look at all labels for each, would take much longer.
#[test]
fn values_that_change_no_state_take_no_searches() {
    const VALUES: u32 = 20_000;
    let one = |k| format!("SEND !{k}");
    let found = find_symmetry(loops((0..VALUES).map(one)), &FindOptions::default()).unwrap();
    assert_eq!(found.generators().len(), VALUES as usize - 1);
    assert!(found.generators().iter().all(|g| g.moves().count() == 2));
    assert_eq!(found.classes().len(), 1);
    assert_eq!(found.classes()[0].action, Action::Permutations);
    assert!(found.classes()[0].independent);
    // Pairs, each with a gate of its own.
    let two = |k: u32| [format!("G{k} !a{k}"), format!("G{k} !b{k}")];
    let (order, classes) = summary(loops((0..VALUES / 2).flat_map(two)));
    assert_eq!(order, Order::product((0..VALUES / 2).map(|_| 2)));
    assert_eq!(classes.len(), VALUES as usize / 2);
    let pair =
        |c: &(String, usize, Action, bool)| (c.1, &c.2, c.3) == (2, &Action::Permutations, true);
    assert!(classes.iter().all(pair));
    // Beside others that do change it.
    let mut mixed: Vec<(u32, String, u32)> = (0..300).map(|k| (0, one(k), 0)).collect();
    for k in 0..4 {
        mixed.push((0, format!("TAKE !u{k}"), k + 1));
        mixed.push((k + 1, format!("GIVE !u{k}"), 0));
    }
    let mixed: Vec<_> = mixed.iter().map(|(s, l, t)| (*s, l.as_str(), *t)).collect();
    let class = |value: &str, size| class(value, size, Action::Permutations, true);
    let order = Order::product((1..=300).chain(1..=4));
    assert_eq!(
        summary(aut(&mixed)),
        (order, vec![class("0", 300), class("u0", 4)])
    );
}

#[test]
fn values_in_large_numbers_have_their_known_groups() {
    use Action::{Other, Permutations, Rotations};
    let n = 256;
    let all = || Order::product(1..=n);
    let size = n as usize;
    // Users with channels of their own.
    let pairs = loops((0..n).map(|k| format!("GO !u{k} !c{k}")));
    let tied = |value: &str| class(value, size, Permutations, false);
    assert_eq!(summary(pairs), (all(), vec![tied("c0"), tied("u0")]));
    // The same, with the channels behind a step.
    let steps = (0..n).flat_map(|k| {
        [
            (0, format!("GO !u{k}"), k + 1),
            (k + 1, format!("ON !c{k}"), 0),
        ]
    });
    let steps: Vec<_> = steps.collect();
    let steps: Vec<_> = steps.iter().map(|(s, l, t)| (*s, l.as_str(), *t)).collect();
    assert_eq!(summary(aut(&steps)), (all(), vec![tied("c0"), tied("u0")]));
    // A circle, one that may be turned over, and one beside values that are all
    // alike.
    let circle = |by: u32| (0..n).map(move |k| format!("NEXT !{k} !{}", (k + by) % n));
    let one = summary(loops(circle(1)));
    assert_eq!(
        one,
        (Order::product([n]), vec![class("0", size, Rotations, true)])
    );
    let both = summary(loops(circle(1).chain(circle(n - 1))));
    let order = Order::product([2 * n]);
    assert_eq!(
        both,
        (order.clone(), vec![class("0", size, Other(order), true)])
    );
    let beside = summary(loops(circle(1).chain((0..n).map(|k| format!("GO !x{k}")))));
    let expected = vec![
        class("0", size, Rotations, true),
        class("x0", size, Permutations, true),
    ];
    assert_eq!(beside, (Order::product((1..=n).chain([n])), expected));
    // Couples.
    let couples = summary(loops((0..n).map(|k| format!("WITH !{k} !{}", k ^ 1))));
    let order = Order::product((1..=n / 2).chain(vec![2; size / 2]));
    assert_eq!(
        couples,
        (order.clone(), vec![class("0", size, Other(order), true)])
    );
    // The corners of a cube of eight dimensions.
    let edges = (0..n).flat_map(|k| (0..8).map(move |b| format!("EDGE !{k} !{}", k ^ (1 << b))));
    let order = Order::product((1..=8).chain([n]));
    assert_eq!(
        summary(loops(edges)),
        (order.clone(), vec![class("0", size, Other(order), true)])
    );
    // Two circles of different length look the same from each of their values.
    let two = (0..n).map(|k| {
        let (start, length) = if k < 96 { (0, 96) } else { (96, n - 96) };
        format!("NEXT !{k} !{}", start + (k - start + 1) % length)
    });
    let expected = vec![
        class("0", 96, Rotations, true),
        class("96", size - 96, Rotations, true),
    ];
    assert_eq!(
        summary(loops(two)),
        (Order::product([96, n - 96]), expected)
    );
}

#[test]
fn a_regular_class_that_is_no_circle_is_told() {
    // Two independent exchanges, and the moves of a triangle, each on itself.
    for (labels, order) in [
        (
            &[
                "A !0 !1", "A !1 !0", "A !2 !3", "A !3 !2", "B !0 !2", "B !2 !0", "B !1 !3",
                "B !3 !1",
            ][..],
            4,
        ),
        (
            &[
                "R !0 !1", "R !1 !2", "R !2 !0", "R !3 !5", "R !5 !4", "R !4 !3", "S !0 !3",
                "S !3 !0", "S !1 !4", "S !4 !1", "S !2 !5", "S !5 !2",
            ],
            6,
        ),
    ] {
        let lts = loops(labels.iter().map(|l| l.to_string()));
        let order = Order::product([order]);
        let (found, classes) = summary(lts);
        assert_eq!(
            (&found, &classes[0].2),
            (&order, &Action::Other(order.clone()))
        );
    }
}

#[test]
fn choices_are_limited() {
    let circle = |by: usize| (0..9).map(move |k| format!("NEXT !{k} !{}", (k + by) % 9));
    let lts = || loops(circle(1).chain(circle(8)));
    let with = |choices| {
        let options = FindOptions {
            choices,
            ..FindOptions::default()
        };
        find_symmetry(lts(), &options).map(|found| found.order().to_u64())
    };
    assert_eq!(with(100), Ok(Some(18)));
    assert_eq!(with(0), Err(FindError::Choices(0)));
}

#[test]
fn long_chains_need_no_stack() {
    let mut b = LtsBuilder::new(1);
    for k in 0..100_000 {
        let label = format!("step !{}", k % 2);
        b.add_text(k, label.as_bytes(), k + 1).unwrap();
    }
    // The choice at the start is between two ends of one length.
    for (label, first) in [("go !x", 0), ("go !y", 1)] {
        b.add_text(200_000, label.as_bytes(), first).unwrap();
    }
    let lts = b.build(StateId::new(200_000)).unwrap();
    let found = find_symmetry(lts, &FindOptions::default()).unwrap();
    assert!(found.order().is_one());
}

#[test]
fn the_empty_system_has_the_identity_only() {
    let found = check(&aut(&[]), &FindOptions::default());
    assert!(found.order().is_one() && found.values().is_empty());
}

/// Paths of so many states that work in proportion to their squares would take hours.
const LONG: u32 = 1 << 16;

/// The LTS of some paths from the initial state: the labels of each, which is as long
/// as told, and last of all the last one.
fn paths(paths: &[(&str, &str)], length: u32) -> Lts {
    let mut b = LtsBuilder::new(1);
    let mut next = 1;
    for (label, last) in paths {
        let mut at = 0;
        for k in 0..length {
            let label = if k + 1 < length { label } else { last };
            b.add_text(at, label.as_bytes(), next).unwrap();
            at = next;
            next += 1;
        }
    }
    b.build(StateId::new(0)).unwrap()
}

#[test]
fn long_paths_take_no_quadratic_time() {
    let found = |lts| find_symmetry(lts, &FindOptions::default()).unwrap();
    // Nothing to permute.
    assert!(found(paths(&[("A", "A")], LONG)).order().is_one());
    assert!(found(paths(&[("A !1", "A !1")], LONG)).order().is_one());
    assert!(
        found(paths(&[("A !1", "B"), ("C", "D")], LONG))
            .order()
            .is_one()
    );
    // Two paths that are alike, also where the first transition hides what they are.
    let two = found(paths(&[("A !1", "A !1"), ("A !2", "A !2")], LONG));
    assert_eq!(two.order().to_u64(), Some(2));
    assert_eq!(two.order_fixing_initial().to_u64(), Some(2));
    assert_eq!(two.cycles(&two.generators()[0]), "(1 2)");
    // But for their ends.
    let two = found(paths(&[("A !1", "B"), ("A !2", "C")], LONG));
    assert!(two.order().is_one());
}

/// Each state of the first half looks as if the initial one could go there, until the
/// path ends long after it.
#[test]
fn long_paths_into_a_loop_take_no_quadratic_time() {
    let mut b = LtsBuilder::new(1);
    let half = LONG / 4;
    for k in 0..2 * half + 1 {
        let label = if k < half { b"A !1" } else { b"A !2" };
        b.add_text(k, label, k + 1).unwrap();
    }
    b.add_text(2 * half + 1, b"A !1", 2 * half + 1).unwrap();
    let lts = b.build(StateId::new(0)).unwrap();
    let found = find_symmetry(lts, &FindOptions::default()).unwrap();
    assert!(found.order().is_one());
}

/// A long circle, which turns for each value.
#[test]
fn long_circles_turn() {
    let mut b = LtsBuilder::new(1);
    let users = 8;
    for k in 0..LONG {
        let user = k / (LONG / users);
        let label = match k % (LONG / users) {
            0 => format!("TAKE !{user}"),
            _ => "WORK".into(),
        };
        b.add_text(k, label.as_bytes(), (k + 1) % LONG).unwrap();
    }
    let lts = b.build(StateId::new(0)).unwrap();
    let found = find_symmetry(lts, &FindOptions::default()).unwrap();
    assert_eq!(found.order().to_u64(), Some(users.into()));
    assert!(found.order_fixing_initial().is_one());
    assert_eq!(found.classes()[0].action, Action::Rotations);
}
