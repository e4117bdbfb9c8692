//! Suites up to symmetry.
//!
//! If two machines are invariant under a group of permutations of values, a test
//! that tells them apart still does so when its inputs are renamed by one of the
//! permutations. So one test of each orbit stands for all of them: a suite that is
//! complete remains so, for the machines that are invariant, if of each orbit that it
//! meets one test is kept.
//!
//! The test that is kept is the first of its orbit in the order of inputs. What it
//! begins with is the first of its orbit as well, so that the tree of the kept tests has
//! one node for each orbit of beginnings: no choice of one test per orbit has fewer
//! nodes, fewer tests or fewer symbols.

mod canonical;
mod group;
mod invariance;
mod suite;

#[cfg(test)]
mod tests;

use super::derive::{Method, Suite};
use super::machine::Machine;

/// The suite up to symmetry of a method's suite, which is complete for all
/// implementations of a size: it is so for those that are invariant. What a method
/// identifies by state alone is arranged anew, so that its tests have few orbits
/// ([`layered_per_orbit`]), unless that costs more, as it may where words that identify
/// have many images; of others one test of each orbit is kept ([`one_per_orbit`]).
///
/// # Errors
/// If there are more than `most` nodes, or the group is too rich in subgroups.
pub fn up_to_symmetry(
    machine: &Machine,
    method: Method,
    suite: &Suite,
    symmetry: &Invariance,
    most: usize,
) -> Result<OrbitSuite, OrbitError> {
    if let Suite::Layered(layered) = suite
        && method.identifies_by_state()
        && machine.is_complete()
        && let Some(arranged) = layered_per_orbit(machine, layered, symmetry, most)?
    {
        // One that has more nodes is not made to its end.
        let own = one_per_orbit(machine, suite, symmetry, arranged.tree.len());
        let cost = |suite: &OrbitSuite| suite.tree.size().cost();
        return match own {
            Ok(own) if cost(&own) < cost(&arranged) => Ok(own),
            Ok(_) | Err(OrbitError::Nodes(_)) => Ok(arranged),
            Err(error) => Err(error),
        };
    }
    one_per_orbit(machine, suite, symmetry, most)
}

pub use group::MOST_POINTS;
pub use invariance::{Invariance, InvarianceError, Naming, ValuePermutation};
pub use suite::{OrbitError, OrbitSuite, expanded, layered_per_orbit, one_per_orbit};
