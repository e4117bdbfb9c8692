//! Pairs that stand for others.

use std::borrow::Cow;

use hyades_explore::{Emit, Model, ModelError};
use hyades_formats::LabelTable;

use super::super::*;
use super::{lts, normal};

/// So many users who each do `a`, then `b`, then hidden steps for ever or nothing, by
/// turns of two bits.
struct Users {
    count: usize,
    diverges: bool,
}

impl Model for Users {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        let mut table = LabelTable::new();
        table.intern(b"a").unwrap();
        table.intern(b"b").unwrap();
        Cow::Owned(table)
    }

    fn bits(&self) -> usize {
        2 * self.count
    }

    fn initial(&self, _: &mut [u64]) -> Result<(), ModelError> {
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        use hyades_formats::LabelId;
        for user in 0..self.count {
            let at = state[0] >> (2 * user) & 3;
            let rest = state[0] & !(3 << (2 * user));
            let to = |next: u64| [rest | next << (2 * user)];
            match at {
                0 => emit.transition(LabelId::new(1), &to(1)),
                1 => emit.transition(LabelId::new(2), &to(2)),
                2 if self.diverges => emit.transition(LabelId::HIDDEN, &to(3)),
                3 => emit.transition(LabelId::HIDDEN, &to(2)),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Users are sorted by what they do.
struct Sorted;

impl Representatives for Sorted {
    type Scratch = Vec<u64>;

    fn scratch(&self) -> Vec<u64> {
        Vec::new()
    }

    fn representative(
        &self,
        users: &mut Vec<u64>,
        _: &mut u32,
        state: &mut [u64],
    ) -> Result<(), ModelError> {
        users.clear();
        users.extend((0..32).map(|user| state[0] >> (2 * user) & 3));
        users.sort_unstable_by_key(|&user| std::cmp::Reverse(user));
        let packed = (0..).zip(users).map(|(user, at)| *at << (2 * user));
        state[0] = packed.sum();
        Ok(())
    }
}

#[test]
fn representatives_leave_verdicts_and_steps() {
    // Any order, but never more than so many times b; and no divergence.
    for most in 1..7u32 {
        let mut steps = Vec::new();
        for done in 0..most {
            steps.push((done, "a", done));
            steps.push((done, "b", done + 1));
            // A choice between both, one and none.
            steps.extend([(done, "i", 10), (done, "i", 20 + done)]);
            steps.push((20 + done, "a", done));
            steps.push((20 + done, "b", done + 1));
        }
        steps.push((most, "a", most));
        steps.extend([(most, "i", 10), (most, "i", 20 + most)]);
        steps.push((20 + most, "a", most));
        let spec = lts(&steps);
        for diverges in [false, true] {
            let users = Users { count: 5, diverges };
            for semantics in Semantics::ALL {
                let spec = normal(&spec, semantics);
                for shortest in [Shortest::Steps, Shortest::Events] {
                    let search = || RefineOptions {
                        shortest,
                        ..RefineOptions::default()
                    };
                    let all = refine(&spec, &users, search()).unwrap();
                    let some = refine_by(&spec, &users, &Sorted, search()).unwrap();
                    match (&all.verdict, &some.verdict) {
                        (RefinementVerdict::Holds, RefinementVerdict::Holds) => {
                            assert!(some.pairs < all.pairs / 2);
                        }
                        (RefinementVerdict::Fails(a), RefinementVerdict::Fails(b)) => {
                            let of = |c: &Counterexample| match shortest {
                                Shortest::Steps => c.steps.len(),
                                Shortest::Events => c.visible_trace().len(),
                            };
                            assert_eq!(of(a), of(b));
                        }
                        other => panic!("{other:?}"),
                    }
                    let fails = match semantics {
                        Semantics::FailuresDivergences if diverges => true,
                        _ => most < 5,
                    };
                    assert_eq!(matches!(some.verdict, RefinementVerdict::Fails(_)), fails);
                }
            }
        }
    }
}

/// A token that two users hand to each other by hidden steps.
struct Token;

impl Model for Token {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Owned(LabelTable::new())
    }

    fn bits(&self) -> usize {
        1
    }

    fn initial(&self, _: &mut [u64]) -> Result<(), ModelError> {
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        emit.transition(hyades_formats::LabelId::HIDDEN, &[1 - state[0]]);
        Ok(())
    }
}

/// It does not matter who has the token.
struct Either;

impl Representatives for Either {
    type Scratch = ();

    fn scratch(&self) {}

    fn representative(
        &self,
        (): &mut (),
        _: &mut u32,
        state: &mut [u64],
    ) -> Result<(), ModelError> {
        state[0] = 0;
        Ok(())
    }
}

/// A loop that is there only between representatives is a divergence all the same.
#[test]
fn cycles_of_representatives_are_divergences() {
    let spec = normal(&lts(&[]), Semantics::FailuresDivergences);
    for shortest in [Shortest::Steps, Shortest::Events] {
        let search = || RefineOptions {
            shortest,
            ..RefineOptions::default()
        };
        let length = |found: Refinement| match found.verdict {
            RefinementVerdict::Fails(shown) => match &shown.violation {
                Violation::Divergence { cycle } => (shown.steps.len(), cycle.len()),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        };
        assert_eq!(length(refine(&spec, &Token, search()).unwrap()), (0, 2));
        let some = refine_by(&spec, &Token, &Either, search()).unwrap();
        assert_eq!((some.pairs, length(some)), (1, (0, 1)));
    }
}
