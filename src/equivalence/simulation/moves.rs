//! The moves of the games for each kind of simulation.

use std::rc::Rc;

use hyades_base::interned::Interned;
use hyades_formats::LabelId;

use super::Kind;
use super::game::Challenges;
use super::graph::runs;
use crate::Rows;
use crate::hidden_search::HiddenSearch;

/// What a position is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Mode {
    /// Whether the first node is below the second one.
    Pair,
    /// The same by simulation, within another kind.
    Inner,
    /// Whether the first node is below the only one of the second, a set of nodes.
    Fresh,
    /// The same for some node of the set that the same steps led to.
    Word,
}

/// A position of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Position {
    pub(super) mode: Mode,
    pub(super) first: u32,
    /// A node, or the number of a set.
    pub(super) second: u32,
}

impl Position {
    const fn new(mode: Mode, first: u32, second: u32) -> Self {
        Self {
            mode,
            first,
            second,
        }
    }
}

/// What the attacker does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Move {
    /// The first node makes a step with this label, which the kind may let hidden steps
    /// come before.
    Step(LabelId),
    /// The first node has no step with this label, but the second one has.
    Lacks(LabelId),
    /// The second node is not below the first one by simulation.
    Inner,
    /// The first node comes by hidden steps to where the second one cannot be below it.
    Couple,
    /// The same for all nodes of a set.
    Swap,
}

/// What is above a node by hidden steps, in the graph that a game is about.
struct Weak {
    search: HiddenSearch,
    /// The visible steps after hidden ones, as elements.
    after: Vec<Option<Rc<[u64]>>>,
    /// The nodes that hidden steps lead to, itself first.
    closure: Vec<Option<Rc<[u32]>>>,
    /// Those that have no hidden step.
    stable: Vec<Option<Rc<[u32]>>>,
    /// How many elements there are.
    size: usize,
}

/// The game for a kind of simulation on a graph; for the kinds that do not see hidden steps
/// without cycles of these.
pub(super) struct Play<'a> {
    rows: Rows<'a>,
    kind: Kind,
    weak: Weak,
    sets: Interned<u32>,
    /// Bits of the labels of each node, if answers that fail at once are left out.
    masks: Vec<u64>,
}

impl<'a> Play<'a> {
    pub(super) fn new(rows: Rows<'a>, kind: Kind) -> Self {
        // What needs no hidden steps has none to remember.
        let nodes = if kind.counts_hidden() {
            0
        } else {
            rows.states()
        };
        Self {
            rows,
            kind,
            weak: Weak {
                search: HiddenSearch::new(nodes),
                after: vec![None; nodes],
                closure: vec![None; nodes],
                stable: vec![None; nodes],
                size: 0,
            },
            sets: Interned::default(),
            masks: Vec::new(),
        }
    }

    /// Leaves out answers to steps that fail as a label is missing: the verdict is the same,
    /// and how the attacker wins is not told. O(steps) time, 8 bytes a node.
    pub(super) fn leave_out_failing(&mut self) {
        let mask = |node| {
            let labels = runs(self.rows, node).map(|(label, _)| label.get());
            labels.fold(0, |mask, label| mask | 1 << (label % 64))
        };
        // Where others are answered, labels may come behind hidden steps.
        self.masks = match self.kind.counts_hidden() {
            true => (0..self.rows.states() as u32).map(mask).collect(),
            false => Vec::new(),
        };
    }

    /// Whether it is seen at a glance that q lacks a label of p, which then is not below it.
    fn lacks(&self, p: u32, q: u32) -> bool {
        let [of_p, of_q] = [p, q].map(|node| self.masks[node as usize]);
        let is_short = || self.rows.bounds(p).len() <= FEW;
        let is_missing = |label| self.rows.successors(q, label).is_empty();
        of_p & !of_q != 0 || is_short() && runs(self.rows, p).any(|(label, _)| is_missing(label))
    }

    /// The position at which it is asked whether a node is below another one.
    pub(super) fn start(&mut self, p: u32, q: u32) -> Position {
        match self.kind {
            Kind::Sim
            | Kind::ReadySim
            | Kind::TwoNestedSim
            | Kind::Safety
            | Kind::BranchingSim
            | Kind::CoupledSim => Position::new(Mode::Pair, p, q),
            Kind::Contrasim => {
                let set = self.sets.intern(&[q]).0;
                Position::new(Mode::Fresh, p, set)
            }
        }
    }

    /// How many entries are remembered.
    pub(super) fn size(&self) -> usize {
        self.weak.size + self.sets.bytes() / size_of::<u32>()
    }

    /// How many moves a strategy of this level has at the most.
    pub(super) fn moves_within(&self, level: u32) -> u32 {
        match self.kind {
            Kind::Sim | Kind::ReadySim | Kind::Safety | Kind::BranchingSim | Kind::CoupledSim => {
                level
            }
            // One change to simulation, which costs nothing.
            Kind::TwoNestedSim => level + 1,
            // A swap behind each step.
            Kind::Contrasim => 2 * level,
        }
    }

    /// Whether the defender wins there because a node is below itself.
    pub(super) fn is_safe(&self, at: Position) -> bool {
        match at.mode {
            Mode::Pair | Mode::Inner => at.first == at.second,
            Mode::Fresh | Mode::Word => self.sets.get(at.second).binary_search(&at.first).is_ok(),
        }
    }

    /// A position, unless the defender wins there.
    fn open(&self, mode: Mode, first: u32, second: u32) -> Option<Position> {
        let position = Position::new(mode, first, second);
        (!self.is_safe(position)).then_some(position)
    }

    /// Puts together the challenges at a position; some of them if there are too many.
    pub(super) fn challenges(&mut self, at: Position, to: &mut Challenges) {
        let Position {
            mode,
            first,
            second,
        } = at;
        match (mode, self.kind) {
            (Mode::Inner, _) | (Mode::Pair, Kind::Sim) => self.steps(mode, first, second, to),
            (Mode::Pair, Kind::ReadySim) => {
                for (label, _) in runs(self.rows, second) {
                    if self.rows.successors(first, label).is_empty() {
                        to.end(Move::Lacks(label), 1);
                    }
                }
                self.steps(mode, first, second, to);
            }
            (Mode::Pair, Kind::TwoNestedSim) => {
                to.answer([None, self.open(Mode::Inner, second, first)]);
                to.end(Move::Inner, 0);
                self.steps(mode, first, second, to);
            }
            (Mode::Pair, Kind::Safety) => self.steps_after_hidden(first, second, to),
            (Mode::Pair, Kind::BranchingSim) => self.branching_steps(first, second, to),
            (Mode::Pair, Kind::CoupledSim) => {
                self.steps_after_hidden(first, second, to);
                self.couplings(first, second, to);
            }
            (Mode::Fresh | Mode::Word, _) | (Mode::Pair, Kind::Contrasim) => {
                self.steps_of_set(first, second, to);
                self.swaps(mode, first, second, to);
            }
        }
    }

    /// A step of p is answered by one of q with the same label.
    fn steps(&self, mode: Mode, p: u32, q: u32, to: &mut Challenges) {
        for (label, targets) in runs(self.rows, p) {
            let answers = self.rows.successors(q, label);
            for p in targets {
                if answers.binary_search(p).is_ok() {
                    // By the same state.
                    continue;
                }
                let is_asked = !self.masks.is_empty() && answers.len() > FEW;
                for q in answers {
                    match is_asked && self.lacks(p.get(), q.get()) {
                        true => to.leave_out(),
                        false => to.answer([None, self.open(mode, p.get(), q.get())]),
                    }
                }
                to.end(Move::Step(label), 1);
                if to.is_full() {
                    return;
                }
            }
        }
    }

    /// A visible step of p after hidden ones is answered by one of q.
    fn steps_after_hidden(&mut self, p: u32, q: u32, to: &mut Challenges) {
        let (of_p, of_q) = (self.after(p), self.after(q));
        for &step in &*of_p {
            let (label, p) = ((step >> 32) as u32, step as u32);
            if of_q.binary_search(&step).is_ok() {
                // By the same state.
                continue;
            }
            for &answer in with_label(&of_q, label) {
                to.answer([None, self.open(Mode::Pair, p, answer as u32)]);
            }
            to.end(Move::Step(LabelId::new(label)), 1);
            if to.is_full() {
                return;
            }
        }
    }

    /// A step of p is answered by one of q after hidden ones to where p is still below; if
    /// it is hidden, also by none.
    fn branching_steps(&mut self, p: u32, q: u32, to: &mut Challenges) {
        let closure = self.closure(q);
        for (label, targets) in runs(self.rows, p) {
            for &target in targets {
                let target = target.get();
                if label.is_hidden() {
                    to.answer([None, self.open(Mode::Pair, target, q)]);
                }
                for &before in &*closure {
                    // That p is below q is what is asked.
                    let until = match before == q {
                        true => None,
                        false => self.open(Mode::Pair, p, before),
                    };
                    for after in self.rows.successors(before, label) {
                        to.answer([until, self.open(Mode::Pair, target, after.get())]);
                    }
                    if to.is_full() {
                        return;
                    }
                }
                to.end(Move::Step(label), 1);
            }
        }
    }

    /// Where p can come to by hidden steps is answered by where q can come to, and the
    /// roles change. The last states are the ones that matter, to both: a state that is
    /// reached by hidden steps is below where they began.
    fn couplings(&mut self, p: u32, q: u32, to: &mut Challenges) {
        let (of_p, of_q) = (self.stable(p), self.stable(q));
        for &p in &*of_p {
            for &q in &*of_q {
                to.answer([None, self.open(Mode::Pair, q, p)]);
            }
            to.end(Move::Couple, 1);
            if to.is_full() {
                return;
            }
        }
    }

    /// A visible step of p is answered by all such steps of all nodes of a set.
    fn steps_of_set(&mut self, p: u32, set: u32, to: &mut Challenges) {
        let of_p = self.after(p);
        let nodes = self.sets.get(set).to_vec();
        let of_set: Vec<_> = nodes.iter().map(|&q| self.after(q)).collect();
        let mut last = None;
        for &step in &*of_p {
            let (label, p) = ((step >> 32) as u32, step as u32);
            let next = match last {
                Some((known, next)) if known == label => next,
                _ => {
                    let targets = of_set.iter().flat_map(|row| with_label(row, label));
                    let mut next: Vec<u32> = targets.map(|&e| e as u32).collect();
                    next.sort_unstable();
                    next.dedup();
                    (!next.is_empty()).then(|| self.sets.intern(&next).0)
                }
            };
            last = Some((label, next));
            if let Some(next) = next {
                to.answer([None, self.open(Mode::Word, p, next)]);
            }
            to.end(Move::Step(LabelId::new(label)), 1);
            if to.is_full() {
                return;
            }
        }
    }

    /// After a sequence of steps some node of the set must be below p.
    fn swaps(&mut self, mode: Mode, p: u32, set: u32, to: &mut Challenges) {
        let of_p = self.stable(p);
        let nodes = self.sets.get(set).to_vec();
        let mut last: Vec<u32> = Vec::new();
        nodes.iter().for_each(|&q| last.extend(&*self.stable(q)));
        last.sort_unstable();
        last.dedup();
        for &p in &*of_p {
            let only = self.sets.intern(&[p]).0;
            for &q in &last {
                to.answer([None, self.open(Mode::Fresh, q, only)]);
            }
            // Without a step before, hidden ones are spoken of by themselves.
            to.end(Move::Swap, u32::from(mode == Mode::Fresh));
            if to.is_full() {
                return;
            }
        }
    }

    fn after(&mut self, node: u32) -> Rc<[u64]> {
        let Weak {
            search,
            after,
            size,
            ..
        } = &mut self.weak;
        let rows = self.rows;
        let known = after[node as usize].get_or_insert_with(|| {
            let mut elements = Vec::new();
            search.after_hidden(rows, node, |target| target, &mut elements);
            *size += elements.len();
            elements.into()
        });
        known.clone()
    }

    fn closure(&mut self, node: u32) -> Rc<[u32]> {
        let Weak {
            search,
            closure,
            size,
            ..
        } = &mut self.weak;
        let rows = self.rows;
        let known = closure[node as usize].get_or_insert_with(|| {
            let mut found = Vec::new();
            search.closure(rows, node, |v| found.push(v));
            *size += found.len();
            found.into()
        });
        known.clone()
    }

    fn stable(&mut self, node: u32) -> Rc<[u32]> {
        let Weak {
            search,
            stable,
            size,
            ..
        } = &mut self.weak;
        let rows = self.rows;
        let known = stable[node as usize].get_or_insert_with(|| {
            let mut found = Vec::new();
            search.closure(rows, node, |v| {
                if rows.successors(v, LabelId::HIDDEN).is_empty() {
                    found.push(v);
                }
            });
            found.sort_unstable();
            *size += found.len();
            found.into()
        });
        known.clone()
    }
}

/// So few answers are not worth a look at their labels, and so few steps are looked at.
const FEW: usize = 8;

/// The elements with this label, of an ascending list.
fn with_label(elements: &[u64], label: u32) -> &[u64] {
    let start = elements.partition_point(|&e| ((e >> 32) as u32) < label);
    let rest = &elements[start..];
    &rest[..rest.partition_point(|&e| (e >> 32) as u32 == label)]
}
