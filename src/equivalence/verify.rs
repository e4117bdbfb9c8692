//! Checks that a partition is stable, by exact sets instead of hashes.

use hyades_base::parallel;
use hyades_formats::StateId;

use super::first_members;
use super::rows::Rows;
use super::signature::element;

/// Rows up to this length are searched from front to back.
const SHORT: usize = if cfg!(test) { 2 } else { 16 };

/// So many states with longer rows are looked at by a thread, at least.
const MANY: usize = if cfg!(test) { 2 } else { 1 << 8 };

/// How an element is found among others.
type Contains = fn(&[u64], &u64) -> bool;

/// Whether all states are `alike` the first one of their block: given the elements of both,
/// the block, and how an element is found among these. States with the same row as the first
/// one are. O(m log d) for degrees up to d, in parallel; 4 bytes a block and 4 for each state
/// that has, or whose block's first one has, a long row that is another.
fn all_as_the_first(
    rows: Rows<'_>,
    block: &[u32],
    count: u32,
    alike: impl Fn(&[u64], &[u64], u32, Contains) -> bool + Sync,
) -> bool {
    if count as usize == block.len() {
        return true;
    }
    let first = first_members(block, count);
    let first_of = |s: u32| first[block[s as usize] as usize];
    let long = parallel::map_each(&rows.tasks(), |task| {
        let (mut of_state, mut of_first, mut long) = (Vec::new(), Vec::new(), Vec::new());
        for s in task.start as u32..task.end as u32 {
            let first = first_of(s);
            // Rows of equivalent states mostly list the same, in the same order.
            if s == first || are_equal(rows, s, first, block) {
                continue;
            }
            if rows.degree(s).max(rows.degree(first)) > SHORT {
                long.push(s);
                continue;
            }
            for (elements, state) in [(&mut of_state, s), (&mut of_first, first)] {
                elements.clear();
                elements.extend(rows.elements(state, block));
            }
            if !alike(&of_state, &of_first, block[s as usize], |all, e| {
                all.contains(e)
            }) {
                return None;
            }
        }
        Some(long)
    });
    let Some(long) = long.into_iter().collect::<Option<Vec<_>>>() else {
        return false;
    };
    let mut long = long.concat();
    long.sort_unstable_by_key(|&s| (block[s as usize], s));
    // The row of a first state is sorted once, however many are compared with it.
    let groups: Vec<&[u32]> = long
        .chunk_by(|&s, &t| block[s as usize] == block[t as usize])
        .collect();
    parallel::all(groups.len(), 1, |group| {
        let states = groups[group];
        let of_first = sorted(rows, first_of(states[0]), block);
        parallel::all(states.len(), MANY, |k| {
            let of_state = sorted(rows, states[k], block);
            alike(&of_state, &of_first, block[states[k] as usize], |all, e| {
                all.binary_search(e).is_ok()
            })
        })
    })
}

/// The distinct elements of a state's row, ascending.
fn sorted(rows: Rows<'_>, state: u32, block: &[u32]) -> Vec<u64> {
    let mut elements: Vec<u64> = rows.elements(state, block).collect();
    elements.sort_unstable();
    elements.dedup();
    elements
}

/// Whether two states have the same elements in the same order.
#[inline]
fn are_equal(rows: Rows<'_>, s: u32, t: u32, block: &[u32]) -> bool {
    let (labels, targets) = rows.row(s);
    let (others, other_targets) = rows.row(t);
    let block = |target: &StateId| block[target.index()];
    let mut targets = targets.iter().zip(other_targets);
    labels == others && targets.all(|(t, u)| block(t) == block(u))
}

/// Whether the elements of two states are the same.
fn are_same(these: &[u64], others: &[u64], contains: Contains) -> bool {
    let is_within = |part: &[u64], whole| part.iter().all(|e| contains(whole, e));
    is_within(these, others) && is_within(others, these)
}

/// Whether all states of each block have the same set of (label, block of the
/// target). O(m log d) for degrees up to d; 4 bytes a block and a state at most.
pub(super) fn strong(rows: Rows<'_>, block: &[u32], count: u32) -> bool {
    all_as_the_first(rows, block, count, |state, first, _, contains| {
        are_same(state, first, contains)
    })
}

/// Whether all states of each block that have no inert step have the same set of
/// (label, block of the target), and no other state has an element that they
/// lack. Hidden transitions must lead to smaller numbers, so that each state
/// reaches one without inert steps. O(m log d); 4 bytes a block and a state at most.
pub(super) fn branching(rows: Rows<'_>, block: &[u32], count: u32) -> bool {
    // The first state of a block has the smallest number: it has no inert step.
    all_as_the_first(rows, block, count, |state, first, b, contains| {
        let inert = element(0, b);
        match contains(state, &inert) {
            true => state.iter().all(|e| *e == inert || contains(first, e)),
            false => are_same(state, first, contains),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeSet;

    use hyades_formats::Lts;
    use hyades_testing::{Random, check};

    use super::*;
    use crate::tau_scc::TauContraction;
    use crate::{Partition, Relation, naive};

    /// Classes of a relation, of which some may be taken together, and one may lose a state.
    fn some_partition(classes: &Partition, random: &mut Random) -> Partition {
        let states = classes.classes().len();
        let mut class = classes.classes().to_vec();
        if random.chance(50) {
            let (from, to) = (random.between(0, states - 1), random.between(0, states - 1));
            let (from, to) = (class[from], class[to]);
            class
                .iter_mut()
                .filter(|c| **c == from)
                .for_each(|c| *c = to);
        }
        if random.chance(20) {
            class[random.between(0, states - 1)] = classes.count() as u32;
        }
        // Numbered without gaps.
        let used: BTreeSet<u32> = class.iter().copied().collect();
        let number = |c: &u32| used.range(..c).count() as u32;
        Partition::new(class.iter().map(number).collect())
    }

    /// By the definitions, set by set.
    fn is_stable(rows: Rows<'_>, block: &[u32], branching: bool) -> bool {
        let set = |s: usize| -> BTreeSet<u64> { rows.elements(s as u32, block).collect() };
        let inert = |s: usize| element(0, block[s]);
        let is_free = |s: &usize| !branching || !set(*s).contains(&inert(*s));
        (0..block.len()).all(|s| {
            let mut free = (0..block.len())
                .filter(|&t| block[t] == block[s])
                .filter(is_free);
            free.all(|t| match is_free(&s) {
                true => set(s) == set(t),
                false => set(s).iter().all(|&e| e == inert(s) || set(t).contains(&e)),
            })
        })
    }

    #[test]
    fn what_is_stable_is_found_so() {
        let found = Cell::new([0, 0]);
        let tell = |stable: bool, expected: bool, lts: &Lts, what: &str| {
            let mut counts = found.get();
            counts[usize::from(stable)] += 1;
            found.set(counts);
            match stable == expected {
                true => Ok(()),
                false => Err(format!("{what}: {stable} for {lts:?}")),
            }
        };
        check(100, 16, |lts, random| {
            let classes = naive::partition(lts, Relation::Strong);
            let some = some_partition(&classes, random);
            let (block, count) = (some.classes(), some.count() as u32);
            let expected = is_stable(lts.into(), block, false);
            tell(strong(lts.into(), block, count), expected, lts, "strong")?;

            let silent = TauContraction::new(lts, false);
            let rows = silent.rows();
            let classes = naive::partition(lts, Relation::Branching);
            let mut of_node = vec![0; rows.states()];
            for (&node, &class) in silent.node.iter().zip(classes.classes()) {
                of_node[node as usize] = class;
            }
            let some = some_partition(&Partition::new(of_node), random);
            let (block, count) = (some.classes(), some.count() as u32);
            let expected = is_stable(rows, block, true);
            tell(branching(rows, block, count), expected, lts, "branching")
        });
        assert!(found.get().iter().all(|&count| count > 100), "{found:?}");
    }
}
