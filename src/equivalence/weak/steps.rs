//! The steps of the nodes, and which signatures may still be of use.

use hyades_formats::LabelId;

use super::Weak;
use super::lanes::Patience;
use super::system::hidden;
use crate::Rows;
use crate::rows::Sources;

/// The rows of a system, by a kind of bisimilarity. Hidden transitions come first in a row,
/// and lead to smaller numbers.
pub(super) struct Steps<'a> {
    pub(super) rows: Rows<'a>,
    pub(super) kind: Weak,
    /// The number of hidden transitions of each node.
    pub(super) hidden: Vec<u32>,
}

impl<'a> Steps<'a> {
    pub(super) fn new(rows: Rows<'a>, kind: Weak) -> Self {
        let count = |v: u32| hidden(rows, v) as u32;
        Self {
            rows,
            kind,
            hidden: (0..rows.states() as u32).map(count).collect(),
        }
    }

    /// So many visits of nodes, for each node and transition, before it is tried to keep sets.
    pub(super) fn patience(&self, each: u64) -> Patience {
        let size = self.rows.states() + self.rows.targets.len();
        Patience::new(each * size as u64)
    }

    /// The nodes that hidden steps lead to.
    #[inline]
    pub(super) fn below(&self, v: u32) -> impl Iterator<Item = u32> + Clone + use<'a> {
        let (_, targets) = self.rows.row(v);
        let count = self.hidden[v as usize] as usize;
        targets[..count].iter().map(|t| t.get())
    }

    /// The visible steps.
    #[inline]
    pub(super) fn visible(&self, v: u32) -> impl Iterator<Item = (LabelId, u32)> + use<'a> {
        let (labels, targets) = self.rows.row(v);
        let count = self.hidden[v as usize] as usize;
        let steps = labels[count..].iter().zip(&targets[count..]);
        steps.map(|(&l, t)| (l, t.get()))
    }
}

/// Where steps come from.
pub(super) struct Backwards {
    /// The sources of hidden transitions.
    pub(super) above: Sources,
    /// The sources of visible ones.
    pub(super) before: Sources,
}

impl Backwards {
    /// O(nodes + transitions); 4 bytes for each, and 4 more a node.
    pub(super) fn new(rows: Rows<'_>) -> Self {
        Self {
            above: Sources::new(rows, |label| label.is_hidden()),
            before: Sources::new(rows, |label| !label.is_hidden()),
        }
    }

    /// The sources of all transitions to a node.
    pub(super) fn all(&self, v: u32) -> impl Iterator<Item = u32> {
        [&self.above, &self.before]
            .into_iter()
            .flat_map(move |sources| sources.of(v).iter().copied())
    }
}

/// What may be asked of a node.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// R, the blocks that hidden steps lead to.
    Reach(u32),
    /// M, those behind visible steps.
    Moves(u32),
}

/// How many nodes need R and M of each: those above it, those with steps to it, and the
/// node itself unless it is alone in its block.
pub(super) struct Needs {
    reach: Vec<u32>,
    moves: Vec<u32>,
}

impl Needs {
    /// Of nodes of which none is alone.
    pub(super) fn new(steps: &Steps<'_>, backwards: &Backwards) -> Self {
        let Backwards { above, before } = backwards;
        let kind = steps.kind;
        let counts = |v: u32| {
            let (hidden, visible) = (above.of(v).len() as u32, before.of(v).len() as u32);
            let behind = if kind.goes_on() { visible } else { 0 };
            let reach = match kind.answers_hidden() {
                true => 1 + hidden + behind,
                false => 0,
            };
            (reach, 1 + hidden)
        };
        let (reach, moves) = (0..steps.rows.states() as u32).map(counts).unzip();
        Self { reach, moves }
    }

    /// Whether R of a node may be of use.
    #[inline]
    pub(super) fn reach(&self, v: u32) -> bool {
        self.reach[v as usize] > 0
    }

    /// Whether M of a node may be of use.
    #[inline]
    pub(super) fn moves(&self, v: u32) -> bool {
        self.moves[v as usize] > 0
    }

    /// A node is alone in its block from now on: nothing will tell it apart. Visits what
    /// nobody needs any more.
    pub(super) fn settle(&mut self, steps: &Steps<'_>, v: u32, mut needless: impl FnMut(Part)) {
        let mut open = vec![Part::Moves(v)];
        if steps.kind.answers_hidden() {
            open.push(Part::Reach(v));
        }
        while let Some(next) = open.pop() {
            match next {
                Part::Reach(v) => {
                    let count = &mut self.reach[v as usize];
                    *count -= 1;
                    if *count == 0 {
                        needless(next);
                        open.extend(steps.below(v).map(Part::Reach));
                    }
                }
                Part::Moves(v) => {
                    let count = &mut self.moves[v as usize];
                    *count -= 1;
                    if *count == 0 {
                        needless(next);
                        open.extend(steps.below(v).map(Part::Moves));
                        if steps.kind.goes_on() {
                            let targets = steps.visible(v).map(|(_, t)| t);
                            open.extend(targets.map(Part::Reach));
                        }
                    }
                }
            }
        }
    }
}
