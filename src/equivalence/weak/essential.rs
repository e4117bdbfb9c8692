//! The steps between classes that no others make up for.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use hyades_base::bits::SharedBits;
use hyades_base::parallel;
use hyades_formats::{LabelId, TooLarge};
use hyades_lts::StateSet;

use super::Weak;
use super::abreast::{ByLabel, backwards_over_visible, targets_at};
use super::agenda::Agenda;
use super::closures::{Closures, joined};
use super::lanes::{Field, IN_USE, Lanes, Order, Patience};
use super::steps::{Backwards, Steps};
use super::tries::{EMPTY, either};
use crate::signature::Mixer;
use crate::{Rows, TransitionColumns, element};

/// Up to so many sets are asked one by one, instead of their union.
const FEW: usize = 8;

/// Visits of nodes, for each node and transition, before it is tried to keep sets.
const PATIENCE: u64 = 48;

/// The least set of steps between classes that makes the same saturated steps as the given
/// ones, by Eloranta 1991. A step s –τ→ t is kept if there is nothing between s and t by ⇒;
/// s –a→ t if neither s' ≠ s with s ⇒ s' and s' ⇒a⇒ t, nor t' ≠ t with s ⇒a⇒ t' and t' ⇒ t
/// (for delay bisimilarity the former only, by ⇒a). Self-loops with the label `loops` are
/// kept.
///
/// The classes must differ, and hidden steps lead to smaller numbers. Then each step that is
/// kept is among those given: of all ⇒ from s, the hidden steps of s itself begin them.
pub(super) fn steps(columns: TransitionColumns, kind: Weak, loops: LabelId) -> TransitionColumns {
    let steps = Steps::new(columns.rows(), kind);
    let backwards = Backwards::new(columns.rows());
    let (patience, endless) = (steps.patience(PATIENCE), Patience::without_end());
    let kept = by_lanes(&steps, &backwards, loops, &patience)
        .or_else(|| by_sets(&steps, loops))
        .or_else(|| by_lanes(&steps, &backwards, loops, &endless))
        .unwrap_or_else(|| unreachable!("there is no end to patience"));
    drop((steps, backwards));
    drop(columns);
    TransitionColumns::new(vec![kept])
}

/// The elements of rows, and their lengths.
pub(super) type Kept = (Vec<u64>, Vec<u32>);

/// Keeps sets; nothing if they take too much.
pub(super) fn by_sets(steps: &Steps<'_>, loops: LabelId) -> Option<Kept> {
    let n = steps.rows.states();
    let mut closures = Closures::new(steps, Mixer::new(0));
    let block: Vec<u32> = (0..n as u32).collect();
    if !find_needed(&mut closures, &block) {
        return None;
    }
    let (mut elements, mut lengths) = (Vec::new(), Vec::with_capacity(n));
    for v in 0..n as u32 {
        let start = elements.len();
        keep_hidden(&mut closures, v, &mut elements);
        keep_visible(&mut closures, v, loops, &mut elements);
        lengths.push((elements.len() - start) as u32);
        if closures.is_crowded() {
            return None;
        }
    }
    Some((elements, lengths))
}

/// The same without sets; nothing if that takes more than all patience. For so many steps at once that lead to neighbouring classes, in
/// parallel: of these, bits go backwards over steps, and where a step begins it is seen
/// whether others lead to its end.
pub(super) fn by_lanes(
    steps: &Steps<'_>,
    backwards: &Backwards,
    loops: LabelId,
    patience: &Patience,
) -> Option<Kept> {
    let rows = steps.rows;
    let n = rows.states();
    let needless = SharedBits::new(rows.targets.len());
    let tasks = n.div_ceil(IN_USE);
    let next = AtomicUsize::new(0);
    let threads = parallel::threads().min(tasks);
    parallel::tasks(threads, 1, &|threads| {
        for _ in threads {
            let mut search = Search::new(steps, backwards, loops);
            loop {
                let task = next.fetch_add(1, Relaxed);
                if task >= tasks || patience.is_over() {
                    break;
                }
                let classes = (task * IN_USE) as u32..n.min((task + 1) * IN_USE) as u32;
                search.run(classes, patience, |k| {
                    needless.insert(k);
                });
            }
        }
    });
    if patience.is_over() {
        return None;
    }
    let (mut elements, mut lengths) = (Vec::new(), Vec::with_capacity(n));
    for v in 0..n as u32 {
        let start = elements.len();
        for k in rows.bounds(v) {
            if !needless.contains(k) {
                elements.push(element(rows.labels[k].get(), rows.targets[k].get()));
            }
        }
        lengths.push((elements.len() - start) as u32);
    }
    Some((elements, lengths))
}

/// Looks for steps that others make up for.
struct Search<'a> {
    steps: &'a Steps<'a>,
    backwards: &'a Backwards,
    loops: LabelId,
    reach: Field,
    moves: Field,
    by_label: ByLabel,
    sources: Agenda,
    /// The steps that are asked about.
    asked: ByLabel,
    /// The labels of those of nodes with hidden steps.
    is_followed: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(steps: &'a Steps<'a>, backwards: &'a Backwards, loops: LabelId) -> Self {
        let n = steps.rows.states();
        let labels = steps.rows.labels.iter().map(|l| l.index() + 1).max();
        Self {
            steps,
            backwards,
            loops,
            reach: Field::new(n),
            moves: Field::new(n),
            by_label: ByLabel::default(),
            sources: Agenda::new(n),
            asked: ByLabel::default(),
            is_followed: vec![false; labels.unwrap_or(0)],
        }
    }

    /// Visits the places of those steps to these classes that others make up for.
    fn run(&mut self, classes: Range<u32>, patience: &Patience, mut needless: impl FnMut(usize)) {
        let Self {
            steps,
            backwards,
            reach,
            moves,
            by_label,
            sources,
            asked,
            is_followed,
            ..
        } = self;
        let loops = self.loops;
        let rows = steps.rows;
        let lane = |t: u32| (t - classes.start) as usize;
        let begin = |reach: &mut Field| {
            reach.begin(Order::Ascending);
            classes.clone().for_each(|t| reach.insert(t, lane(t)));
        };
        // What of these is behind hidden steps from a class.
        let behind = |reach: &Field, v: u32| match classes.contains(&v) {
            true => reach.get(v).without(lane(v)),
            false => *reach.get(v),
        };
        begin(reach);
        reach.spread(|v| backwards.above.of(v).iter().copied());
        for t in classes.clone() {
            for &s in backwards.above.of(t) {
                if steps.hidden[s as usize] > 1 {
                    sources.insert(s);
                }
            }
        }
        while let Some(s) = sources.pop() {
            let mut others = Lanes::NONE;
            steps.below(s).for_each(|t| others.add(&behind(reach, t)));
            for (k, t) in rows.bounds(s).zip(steps.below(s)) {
                if classes.contains(&t) && others.contains(lane(t)) {
                    needless(k);
                }
            }
        }
        for t in classes.clone() {
            backwards
                .before
                .of(t)
                .iter()
                .for_each(|&s| sources.insert(s));
        }
        while let Some(s) = sources.pop() {
            let has_hidden = steps.hidden[s as usize] > 0;
            let hidden = steps.hidden[s as usize] as usize;
            let mut row = (hidden..).zip(steps.visible(s)).peekable();
            while let Some((at, (label, t))) = row.next() {
                let mut is_asked = classes.contains(&t);
                let mut is_only = true;
                while let Some((_, (_, t))) = row.next_if(|&(_, (next, _))| next == label) {
                    is_asked |= classes.contains(&t);
                    is_only = false;
                }
                let may_be = has_hidden || steps.kind.goes_on() && !is_only;
                if is_asked && may_be && label != loops {
                    asked.push(label, s, at);
                    is_followed[label.index()] |= has_hidden;
                }
            }
        }
        if !steps.kind.goes_on() {
            reach.clear();
            begin(reach);
            reach.stay();
        }
        let mut answer = |reach: &Field, moves: &Field, list: &[(u32, u32)]| {
            for &(s, at) in list {
                let mut others = Lanes::NONE;
                let targets = targets_at(steps, (s, at));
                if steps.kind.goes_on() {
                    targets.clone().for_each(|t| others.add(&behind(reach, t)));
                }
                steps.below(s).for_each(|t| others.add(moves.get(t)));
                let first = rows.bounds(s).start + at as usize;
                for (k, t) in (first..).zip(targets) {
                    if classes.contains(&t) && others.contains(lane(t)) {
                        needless(k);
                    }
                }
            }
        };
        backwards_over_visible(
            steps,
            backwards,
            (&*reach, &mut *moves),
            (sources, by_label),
            patience,
            |label, _| is_followed[label.index()],
            |label, moves| answer(reach, moves, &asked.take(label)),
        );
        // Those of classes without hidden steps.
        asked.drain(|_, list| answer(reach, moves, list));
        is_followed.fill(false);
        reach.clear();
    }
}

/// Finds R and M of the nodes of which [`by_sets`] asks them; tells whether sets do not take
/// too much.
fn find_needed(closures: &mut Closures<'_>, block: &[u32]) -> bool {
    let n = block.len();
    let (mut reach, mut moves) = (StateSet::new(n), StateSet::new(n));
    for v in (0..n as u32).rev() {
        let hidden = closures.steps.hidden[v as usize] > 0;
        let visible = closures.steps.visible(v).next().is_some();
        if (hidden && visible) || moves.contains(v as usize) {
            closures.steps.below(v).for_each(|t| {
                moves.insert(t as usize);
            });
        }
    }
    for v in (0..n as u32).rev() {
        if closures.steps.hidden[v as usize] > 1 {
            closures.steps.below(v).for_each(|t| {
                reach.insert(t as usize);
            });
        }
        if closures.steps.kind.goes_on() {
            let mut steps = closures.steps.visible(v).peekable();
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
            closures.steps.below(v).for_each(|t| {
                reach.insert(t as usize);
            });
        }
    }
    for v in 0..n as u32 {
        if reach.contains(v as usize) {
            closures.reach[v as usize] = closures.reach_of(v, block);
        }
        if closures.is_crowded() {
            return false;
        }
    }
    for v in 0..n as u32 {
        if moves.contains(v as usize) {
            closures.moves[v as usize] = closures.moves_of(v, block);
        }
        if closures.is_crowded() {
            return false;
        }
    }
    true
}

/// Adds the hidden steps of a class that have nothing between.
fn keep_hidden(closures: &mut Closures<'_>, v: u32, elements: &mut Vec<u64>) {
    let below: Vec<u32> = closures.steps.below(v).collect();
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
    let behind = classes.iter().flat_map(|&u| closures.steps.below(u));
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
    let mut steps = closures.steps.visible(v).peekable();
    if steps.peek().is_none() {
        return;
    }
    let below = closures.steps.below(v).map(|t| closures.moves[t as usize]);
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
        match closures.steps.kind.goes_on() {
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
    let steps = Steps::new(rows, Weak::TauStarA);
    let mut closures = Closures::new(&steps, Mixer::new(0));
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
    drop(steps);
    drop(columns);
    Ok(TransitionColumns::new(vec![(elements, lengths)]))
}
