//! The steps between classes that no others make up for.

use hyades_formats::{LabelId, TooLarge};
use hyades_lts::StateSet;

use super::Weak;
use super::closures::{Closures, joined};
use super::tries::{EMPTY, either};
use crate::signature::Mixer;
use crate::{Rows, TransitionColumns, element};

/// Up to so many sets are asked one by one, instead of their union.
const FEW: usize = 8;

/// The least set of steps between classes that makes the same saturated steps as the given
/// ones, by Eloranta 1991. A step s –τ→ t is kept if there is nothing between s and t by ⇒;
/// s –a→ t if neither s' ≠ s with s ⇒ s' and s' ⇒a⇒ t, nor t' ≠ t with s ⇒a⇒ t' and t' ⇒ t
/// (for delay bisimilarity the former only, by ⇒a). Self-loops with the label `loops` are
/// kept.
///
/// The classes must differ, and hidden steps lead to smaller numbers. Then each step that is
/// kept is among those given: of all ⇒ from s, the hidden steps of s itself begin them.
pub(super) fn steps(columns: TransitionColumns, kind: Weak, loops: LabelId) -> TransitionColumns {
    let rows = columns.rows();
    let n = rows.states();
    let mut closures = Closures::new(rows, kind, Mixer::new(0));
    let block: Vec<u32> = (0..n as u32).collect();
    find_needed(&mut closures, &block);
    let mut part = (Vec::new(), Vec::with_capacity(n));
    let mut parts = Vec::new();
    for v in 0..n as u32 {
        let (elements, lengths) = &mut part;
        let start = elements.len();
        keep_hidden(&mut closures, v, elements);
        keep_visible(&mut closures, v, loops, elements);
        lengths.push((elements.len() - start) as u32);
    }
    parts.push(part);
    drop(closures);
    drop(columns);
    TransitionColumns::new(parts)
}

/// Finds R and M of the nodes of which [`steps`] asks them.
fn find_needed(closures: &mut Closures<'_>, block: &[u32]) {
    let n = block.len();
    let (mut reach, mut moves) = (StateSet::new(n), StateSet::new(n));
    for v in (0..n as u32).rev() {
        let hidden = closures.hidden[v as usize] > 0;
        let visible = closures.visible(v).next().is_some();
        if (hidden && visible) || moves.contains(v as usize) {
            closures.below(v).for_each(|t| {
                moves.insert(t as usize);
            });
        }
    }
    for v in (0..n as u32).rev() {
        if closures.hidden[v as usize] > 1 {
            closures.below(v).for_each(|t| {
                reach.insert(t as usize);
            });
        }
        if closures.kind.goes_on() {
            let mut steps = closures.visible(v).peekable();
            let mut last = None;
            while let Some((label, t)) = steps.next() {
                let is_same = |l: Option<LabelId>| l == Some(label);
                let next = steps.peek().map(|&(next, _)| next);
                if moves.contains(v as usize) || is_same(last) || is_same(next) {
                    reach.insert(t as usize);
                }
                last = Some(label);
            }
        }
    }
    for v in (0..n as u32).rev() {
        if reach.contains(v as usize) {
            closures.below(v).for_each(|t| {
                reach.insert(t as usize);
            });
        }
    }
    for v in 0..n as u32 {
        if reach.contains(v as usize) {
            closures.reach[v as usize] = closures.reach_of(v, block);
        }
    }
    for v in 0..n as u32 {
        if moves.contains(v as usize) {
            closures.moves[v as usize] = closures.moves_of(v, block);
        }
    }
}

/// Adds the hidden steps of a class that have nothing between.
fn keep_hidden(closures: &mut Closures<'_>, v: u32, elements: &mut Vec<u64>) {
    let below: Vec<u32> = closures.below(v).collect();
    maximal(closures, &below, |t| {
        elements.push(element(LabelId::HIDDEN.get(), t));
    });
}

/// Visits those of some classes, in ascending order, that none of the others leads to by
/// hidden steps.
fn maximal(closures: &mut Closures<'_>, classes: &[u32], mut visit: impl FnMut(u32)) {
    if classes.len() <= FEW {
        for (k, &t) in classes.iter().enumerate() {
            // Hidden steps lead to smaller numbers.
            let mut others = classes[k + 1..].iter();
            if !others.any(|&u| closures.sets.contains(closures.reach[u as usize], t)) {
                visit(t);
            }
        }
        return;
    }
    let behind = classes.iter().flat_map(|&u| closures.below(u));
    let mut parts: Vec<u32> = behind.map(|t| closures.reach[t as usize]).collect();
    let all = closures.sets.union_all(&mut parts, &mut either);
    for &t in classes {
        if !closures.sets.contains(all, t) {
            visit(t);
        }
    }
}

/// Adds the visible steps of a class for which no others make up.
fn keep_visible(closures: &mut Closures<'_>, v: u32, loops: LabelId, elements: &mut Vec<u64>) {
    let mut steps = closures.visible(v).peekable();
    if steps.peek().is_none() {
        return;
    }
    let below = closures.below(v).map(|t| closures.moves[t as usize]);
    let mut below: Vec<u32> = below.filter(|&map| map != EMPTY).collect();
    if below.len() > FEW {
        let all = closures
            .maps
            .union_all(&mut below, &mut joined(&mut closures.sets));
        below.push(all);
    }
    let mut targets = Vec::new();
    while let Some((label, t)) = steps.next() {
        targets.clear();
        targets.push(t);
        while let Some((_, t)) = steps.next_if(|&(next, _)| next == label) {
            targets.push(t);
        }
        if label == loops {
            elements.extend(targets.iter().map(|&t| element(label.get(), t)));
            continue;
        }
        let sets = below
            .iter()
            .filter_map(|&map| closures.maps.get(map, label.get()));
        let sets: Vec<u32> = sets.map(|of| of.set).collect();
        let is_below = |&t: &u32| sets.iter().any(|&set| closures.sets.contains(set, t));
        targets.retain(|t| !is_below(t));
        let keep = |t: u32| elements.push(element(label.get(), t));
        match closures.kind.goes_on() {
            true => maximal(closures, &targets, keep),
            false => targets.iter().copied().for_each(keep),
        }
    }
}

/// The visible steps s ⇒a t of the classes that such steps lead to from the initial one;
/// the other classes have none.
///
/// # Errors
/// If there are more than `limit`.
pub(super) fn visible(
    columns: TransitionColumns,
    root: u32,
    limit: u64,
) -> Result<TransitionColumns, TooLarge> {
    let rows: Rows<'_> = columns.rows();
    let n = rows.states();
    let mut closures = Closures::new(rows, Weak::TauStarA, Mixer::new(0));
    let block: Vec<u32> = (0..n as u32).collect();
    for v in 0..n as u32 {
        closures.moves[v as usize] = closures.moves_of(v, &block);
    }
    let mut reached = StateSet::new(n);
    let mut open = vec![root];
    reached.insert(root as usize);
    let mut total = 0u64;
    while let Some(v) = open.pop() {
        closures.maps.for_each(closures.moves[v as usize], |_, of| {
            closures.sets.for_each_block(of.set, |t| {
                total += 1;
                if reached.insert(t as usize) {
                    open.push(t);
                }
            });
        });
        if total > limit {
            return Err(TooLarge {
                what: "transitions",
                limit,
            });
        }
    }
    let mut elements = Vec::with_capacity(total as usize);
    let mut lengths = Vec::with_capacity(n);
    for v in 0..n {
        let start = elements.len();
        if reached.contains(v) {
            closures.maps.for_each(closures.moves[v], |label, of| {
                closures
                    .sets
                    .for_each_block(of.set, |t| elements.push(element(label, t)));
            });
        }
        lengths.push((elements.len() - start) as u32);
    }
    drop(closures);
    drop(columns);
    Ok(TransitionColumns::new(vec![(elements, lengths)]))
}
