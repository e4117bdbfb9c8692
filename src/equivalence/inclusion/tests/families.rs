//! Families on which the subset construction explodes.

use hyades_formats::{Lts, StateId};
use hyades_testing::{lts, union};

use super::{Equality, HiddenSteps, Limit, LinearNotion, Verdict, below, equivalent, included};
use crate::inclusion::{End, determinize};

/// Letters `a` and `b` in any order, and then `c`, if the k-th letter from the last was
/// an `a`; behind it these labels.
fn last_letter(k: u32, ends: &[&'static str]) -> Lts {
    let mut steps = vec![(0, "a", 0), (0, "b", 0), (0, "a", 1)];
    for at in 1..k {
        steps.extend([(at, "a", at + 1), (at, "b", at + 1)]);
    }
    steps.push((k, "c", k + 1));
    steps.extend(ends.iter().map(|&end| (k + 1, end, k + 2)));
    lts(&steps)
}

/// Two of them side by side, the first with less behind `c`.
pub(super) fn last_letter_pair(k: u32) -> (Lts, StateId, StateId) {
    union(&last_letter(k, &["d"]), &last_letter(k, &["d", "e"]))
}

/// So many pairs are a tiny part of the 2^100 sets that there are.
const FEW: Limit = Limit {
    pairs: 5000,
    bytes: 1 << 30,
    comparisons: 1 << 30,
};

#[test]
fn subsets_of_sets_cover_them() {
    let k = 100;
    let (pair, p, q) = last_letter_pair(k);
    for notion in [LinearNotion::Trace, LinearNotion::WeakTrace] {
        assert!(matches!(below(&pair, p, q, notion, FEW), Verdict::Below));
        let Verdict::Not(reason) = below(&pair, q, p, notion, FEW) else {
            panic!("the second has one more label in the end");
        };
        assert_eq!(
            (reason.steps.len(), &reason.end),
            (k as usize + 2, &End::Trace)
        );
    }
    // All words are there, though not all with `c` behind them.
    let (both, p, q) = union(&lts(&[(0, "a", 0), (0, "b", 0)]), &last_letter(k, &[]));
    assert!(matches!(
        below(&both, p, q, LinearNotion::Trace, FEW),
        Verdict::Below
    ));
    assert!(determinize(&both, HiddenSteps::Counted, None, 1 << 10).is_ok());
    let exploding = last_letter(k, &[]);
    assert!(determinize(&exploding, HiddenSteps::Counted, None, 1 << 10).is_err());
}

#[test]
fn congruence_covers_sets() {
    let k = 100;
    let plain = last_letter(k, &["d"]);
    // The same with states beside each that can do less.
    let mut steps: Vec<(u32, &str, u32)> = Vec::new();
    for (s, l, t) in plain.iter() {
        let text = ["", "a", "b", "c", "d"];
        let at = |l: &[u8]| text.iter().position(|t| t.as_bytes() == l).unwrap();
        steps.push((s.get(), text[at(plain.table().text(l))], t.get()));
    }
    let beside = |at: u32| at + k + 2;
    steps.push((0, "a", beside(1)));
    for at in 1..k {
        steps.push((beside(at), "a", beside(at + 1)));
    }
    let wide = lts(&steps);
    let (both, p, q) = union(&plain, &wide);
    for hidden in [HiddenSteps::Counted, HiddenSteps::Skipped] {
        assert!(matches!(
            equivalent(&both, p, q, hidden, FEW),
            Equality::Equal
        ));
        for (p, q) in [(p, q), (q, p)] {
            assert!(matches!(included(&both, p, q, hidden, FEW), Verdict::Below));
        }
    }
    // One that can do more.
    steps.push((beside(k), "e", 0));
    let (both, p, q) = union(&plain, &lts(&steps));
    let found = equivalent(&both, p, q, HiddenSteps::Counted, FEW);
    let Equality::Different(_, reason) = found else {
        panic!("{found:?}");
    };
    assert_eq!(reason.steps.len(), k as usize + 1);
    let found = included(&both, p, q, HiddenSteps::Counted, FEW);
    assert!(matches!(found, Verdict::Below), "{found:?}");
    let Verdict::Not(again) = included(&both, q, p, HiddenSteps::Counted, FEW) else {
        panic!("the second can do more");
    };
    assert_eq!(again.steps.len(), reason.steps.len());
}
