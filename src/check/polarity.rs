//! Whether fixpoints exist: their variables stand under an even number of negations.

use crate::syntax::{Fixpoint, Place, StateFormula};

/// What a formula stands under.
#[derive(Clone, Copy, Default)]
struct Above {
    /// Whether the number of negations is odd; the left of an implication counts as one.
    negated: bool,
    /// How many `equ` there are.
    equivalences: usize,
}

/// Refuses variables under an odd number of negations, or below `equ`, within their
/// fixpoints. `occurrences` are the places of the variables in the order of the text,
/// and `implies` is the language's word for the implication.
///
/// # Errors
/// The place of the first of them, and what is wrong.
pub(crate) fn check(
    formula: &StateFormula,
    names: &[Fixpoint],
    occurrences: &[Place],
    implies: &str,
) -> Result<(), (Place, String)> {
    let mut fixpoints = vec![Above::default(); names.len()];
    let mut occurrences = occurrences.iter();
    let mut waiting = vec![(formula, Above::default())];
    while let Some((formula, above)) = waiting.pop() {
        let below = match formula {
            StateFormula::Equivalent(_) => Above {
                equivalences: above.equivalences + 1,
                ..above
            },
            StateFormula::Not(_) => Above {
                negated: !above.negated,
                ..above
            },
            StateFormula::Constant(_)
            | StateFormula::Condition(_)
            | StateFormula::And(_)
            | StateFormula::Or(_)
            | StateFormula::Implies(_)
            | StateFormula::Modal(..)
            | StateFormula::Infinitely(_)
            | StateFormula::Fixpoint(..)
            | StateFormula::Variable(..)
            | StateFormula::Quantified(..)
            | StateFormula::Let(..)
            | StateFormula::If(..) => above,
        };
        match formula {
            StateFormula::Constant(_)
            | StateFormula::Condition(_)
            | StateFormula::Infinitely(_) => {}
            StateFormula::Variable(id, _) => {
                let place = occurrences.next().copied().unwrap_or_default();
                let own = fixpoints[id.0 as usize];
                let name = &names[id.0 as usize].name;
                let message = if own.equivalences != above.equivalences {
                    format!(
                        "{name} under equ, within its own fixpoint: write two implications' \
                             worth of `and` and `or` without negating {name}"
                    )
                } else if own.negated != above.negated {
                    format!(
                        "{name} under an odd number of negations within its own fixpoint \
                             (the left of `{implies}` counts as one): there may be no solution"
                    )
                } else {
                    continue;
                };
                return Err((place, message));
            }
            StateFormula::Fixpoint(_, id, _, body) => {
                fixpoints[id.0 as usize] = above;
                waiting.push((body, below));
            }
            StateFormula::Not(inner)
            | StateFormula::Modal(_, _, inner)
            | StateFormula::Quantified(_, _, _, inner)
            | StateFormula::Let(_, _, inner) => waiting.push((inner, below)),
            // The last is taken first: places are those of the text.
            StateFormula::And(inner) | StateFormula::Or(inner) => {
                waiting.extend(inner.iter().rev().map(|inner| (inner, below)));
            }
            StateFormula::Equivalent(both) => {
                waiting.extend(both.iter().rev().map(|inner| (inner, below)));
            }
            StateFormula::Implies(both) => {
                let [left, right] = &**both;
                let negated = !below.negated;
                waiting.push((right, below));
                waiting.push((left, Above { negated, ..below }));
            }
            StateFormula::If(branches, otherwise) => {
                waiting.push((otherwise, below));
                let branches = branches.iter().rev();
                waiting.extend(branches.map(|(_, inner)| (inner, below)));
            }
        }
    }
    Ok(())
}
