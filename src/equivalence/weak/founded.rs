//! Nodes from which no path goes on for ever, classified from the ends of the paths up,
//! without rounds: as the well-founded part of Dovier, Piazza & Policriti 2004 ("An efficient
//! algorithm for computing bisimulation equivalence") for strong bisimilarity. Long paths with
//! hidden steps, of which a round of refinement would take off the last node and sign all
//! others anew, are done in one pass.
//!
//! Such a node v is never equivalent to another one, which has visible paths of any length.
//! R and M are as in [`Closures`]. Let all nodes behind v be classified, and X be the union of
//! R of the nodes below it, so that R(v) is X and the class of v. Then v is of a class c that
//! is known if and only if M(v) = M(c) and
//!
//! * X = R(c), where c is in X: v comes to c by hidden steps, and each does what the other does,
//! * or X is R(c) without c.
//!
//! No two classes have M and one of these sets in common: each would be in R of the other, or
//! one of them in X of the other, which would have been taken for it then.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::closures::Closures;
use super::steps::{Backwards, Steps};
use super::tries::EMPTY;
use crate::rounds::Rounds;
use crate::signature::Mixer;
use crate::{Partition, Refinable};

/// Not classified.
const UNKNOWN: u32 = u32::MAX;

/// Classifies the nodes from which every path ends. Gives back what is left to be refined: the
/// other nodes keep their blocks, without these. If sets take too much, that is the partition
/// as it was.
///
/// O(m + n) unions of sets, and about 32 bytes for each part of a set that is in no other.
pub(super) fn refine(
    steps: &Steps<'_>,
    backwards: &Backwards,
    partition: Refinable,
    rounds: &mut Rounds<'_>,
) -> Result<Partition, Box<Refinable>> {
    let n = steps.rows.states();
    let order = founded(steps, backwards);
    let Some((mut class, mut count)) = classify(steps, &order) else {
        return Err(Box::new(partition));
    };
    let mut number = vec![UNKNOWN; partition.count()];
    for (class, &block) in class.iter_mut().zip(partition.blocks()) {
        if *class == UNKNOWN {
            let number = &mut number[block as usize];
            if *number == UNKNOWN {
                *number = count;
                count += 1;
            }
            *class = *number;
        }
    }
    rounds.end(count as usize);
    if order.len() == n {
        return Ok(Partition { class, count });
    }
    let mut sizes = vec![0; count as usize];
    class.iter().for_each(|&c| sizes[c as usize] += 1);
    Err(Box::new(Refinable::new(class, &sizes)))
}

/// The nodes from which every path ends, those first to which the steps of others lead (Kahn
/// 1962).
fn founded(steps: &Steps<'_>, backwards: &Backwards) -> Vec<u32> {
    let nodes = 0..steps.rows.states() as u32;
    let mut waits_for: Vec<u32> = nodes.clone().map(|v| steps.rows.degree(v) as u32).collect();
    let mut order: Vec<u32> = nodes.filter(|&v| waits_for[v as usize] == 0).collect();
    let mut next = 0;
    while let Some(&t) = order.get(next) {
        next += 1;
        for s in backwards.all(t) {
            let waits_for = &mut waits_for[s as usize];
            *waits_for -= 1;
            if *waits_for == 0 {
                order.push(s);
            }
        }
    }
    order
}

/// The classes of these nodes, which are all from which every path ends, and how many there
/// are; nothing if sets take too much.
fn classify(steps: &Steps<'_>, order: &[u32]) -> Option<(Vec<u32>, u32)> {
    let mut closures = Closures::new(steps, Mixer::new(0));
    let mut class = vec![UNKNOWN; steps.rows.states()];
    let mut count = 0;
    // By X and R of a class, and M.
    let mut known: HashMap<(u32, u32), u32, RandomState> = HashMap::default();
    for &v in order {
        let moves = closures.moves_of(v, &class);
        closures.moves[v as usize] = moves;
        let below = match steps.kind.answers_hidden() {
            true => closures.reach_below(v),
            false => EMPTY,
        };
        if let Some(&c) = known.get(&(below, moves)) {
            class[v as usize] = c;
        } else {
            class[v as usize] = count;
            known.insert((below, moves), count);
            count += 1;
        }
        if steps.kind.answers_hidden() {
            let reach = closures.with(below, class[v as usize]);
            closures.reach[v as usize] = reach;
            known.entry((reach, moves)).or_insert(class[v as usize]);
        }
        if closures.is_crowded() {
            return None;
        }
    }
    Some((class, count))
}
