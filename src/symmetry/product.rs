//! A specification together with the copies of a template, as a model.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use hyades_explore::{Emit, Model, ModelError};
use hyades_formats::{LabelId, LabelTable, Lts, StateId};

use super::instances::{Instances, Taken};

/// The nodes (state of the specification, states of the copies), and either all
/// transitions of the specification or those of representatives only.
///
/// A label that no copy takes is not followed: the node has a transition
/// [`Product::uncovered`] to itself instead, unless only what is covered is asked for.
pub(super) struct Product<'a> {
    specification: &'a Lts,
    copies: &'a Instances,
    /// Places of labels in the order; only the first of each class is followed.
    ranks: Option<&'a [u32]>,
    /// Whether labels that no copy takes are left out.
    is_covered_part: bool,
    /// Whether a label was seen to lead to different states.
    nondeterministic: AtomicBool,
}

/// What [`Product`] needs to sort the labels of a state.
#[derive(Default)]
pub(super) struct Scratch {
    taken: Taken,
    /// What the labels of the row do, one after the other.
    all: Vec<(u32, u32)>,
    /// The edges of each, sorted: a multiset. Only where there is an order.
    edges: Vec<u32>,
    labels: Vec<Enabled>,
    target: Vec<u64>,
}

/// A transition, and the edges that the copies take.
struct Enabled {
    /// Its place in the row.
    at: u32,
    rank: u32,
    /// The sum of the edges' hashes: the same for the same multiset.
    hash: u64,
    /// The range of what it does, and of its edges.
    edges: (u32, u32),
}

impl<'a> Product<'a> {
    /// All nodes; or, with the labels' places in an order, those of the kernel.
    pub fn new(specification: &'a Lts, copies: &'a Instances, ranks: Option<&'a [u32]>) -> Self {
        Self {
            specification,
            copies,
            ranks,
            is_covered_part: false,
            nondeterministic: AtomicBool::new(false),
        }
    }

    /// All nodes that covered traces lead to, and no labels that no copy takes.
    pub fn covered(specification: &'a Lts, copies: &'a Instances) -> Self {
        Self {
            is_covered_part: true,
            ..Self::new(specification, copies, None)
        }
    }

    /// The specification's state in a node.
    pub fn state(&self, node: &[u64]) -> u32 {
        self.copies.state(node)
    }

    /// The label of a transition that stands for labels that no copy takes.
    pub fn uncovered(&self) -> LabelId {
        LabelId::new(self.specification.table().len() as u32)
    }

    /// The first label of a node that no copy takes.
    pub fn uncovered_at(&self, node: &[u64]) -> Option<LabelId> {
        let state = StateId::new(self.copies.state(node));
        let mut taken = Taken::default();
        self.specification.outgoing(state).find_map(|(label, _)| {
            self.copies.take(node, label, &mut taken);
            taken.edges.is_empty().then_some(label)
        })
    }

    /// Whether a state was met that a label leads from to different states.
    pub fn is_nondeterministic(&self) -> bool {
        self.nondeterministic.load(Ordering::Relaxed)
    }
}

/// Spreads the bits of an edge, so that sums of few edges are different. Sums
/// that are equal by chance cost time only.
#[inline]
fn hash(edge: u32) -> u64 {
    let mixed = (u64::from(edge) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

impl Scratch {
    /// Whether two labels of the row do the same.
    fn same(&self, a: &Enabled, b: &Enabled) -> bool {
        a.hash == b.hash && self.multiset(a) == self.multiset(b)
    }

    fn multiset(&self, enabled: &Enabled) -> &[u32] {
        &self.edges[enabled.edges.0 as usize..enabled.edges.1 as usize]
    }

    /// Leaves those that are the first of their classes, in the order of the
    /// row. Tells whether a label leads to different ones of the row's targets.
    fn keep_representatives(&mut self, targets: &[StateId]) -> bool {
        let mut labels = std::mem::take(&mut self.labels);
        labels.sort_unstable_by(|a, b| {
            let by_class = || self.multiset(a).cmp(self.multiset(b));
            let by_hash = a.hash.cmp(&b.hash).then_with(by_class);
            by_hash.then(a.rank.cmp(&b.rank))
        });
        let ambiguous = labels.windows(2).any(|two| {
            let target = |k: usize| targets[two[k].at as usize];
            two[0].rank == two[1].rank && target(0) != target(1)
        });
        let mut kept = 0;
        for k in 0..labels.len() {
            let first = k == 0 || {
                let last = &labels[kept - 1];
                // Transitions with the label of the representative remain,
                // whatever state they lead to.
                !self.same(last, &labels[k]) || last.rank == labels[k].rank
            };
            if first {
                labels.swap(kept, k);
                kept += 1;
            }
        }
        labels.truncate(kept);
        labels.sort_unstable_by_key(|enabled| enabled.at);
        self.labels = labels;
        ambiguous
    }
}

impl Model for Product<'_> {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        let mut table = self.specification.table().clone();
        // A text that is new; nobody sees it.
        let mut text = b"uncovered".to_vec();
        while table.find(&text).is_some() {
            text.push(b' ');
        }
        // One label more is too many for a table that is full, and then the
        // explorer refuses the transition.
        let _ = table.intern(&text);
        Cow::Owned(table)
    }

    fn bits(&self) -> usize {
        self.copies.bits()
    }

    fn initial(&self, node: &mut [u64]) -> Result<(), ModelError> {
        self.copies.start(self.specification.initial().get(), node);
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut Scratch,
        node: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let source = self.copies.state(node);
        let row = self.specification.row(StateId::new(source));
        let labels = &self.specification.labels()[row.clone()];
        let targets = &self.specification.targets()[row];
        scratch.all.clear();
        scratch.edges.clear();
        scratch.labels.clear();
        for (at, &label) in labels.iter().enumerate() {
            self.copies.take(node, label, &mut scratch.taken);
            let taken = &scratch.taken.edges;
            if taken.is_empty() && self.is_covered_part {
                continue;
            }
            if taken.is_empty() {
                emit.transition(self.uncovered(), node);
                return Ok(());
            }
            let start = scratch.all.len();
            scratch.all.extend_from_slice(taken);
            let (mut rank, mut sum) = (0, 0);
            if let Some(ranks) = self.ranks {
                scratch.edges.extend(taken.iter().map(|&(_, edge)| edge));
                scratch.edges[start..].sort_unstable();
                rank = ranks[label.index()];
                let hashes = taken.iter().map(|&(_, edge)| hash(edge));
                sum = hashes.fold(0, u64::wrapping_add);
            }
            scratch.labels.push(Enabled {
                at: at as u32,
                rank,
                hash: sum,
                edges: (start as u32, scratch.all.len() as u32),
            });
        }
        if self.ranks.is_some() && scratch.keep_representatives(targets) {
            self.nondeterministic.store(true, Ordering::Relaxed);
        }
        for enabled in &scratch.labels {
            let at = enabled.at as usize;
            scratch.target.clear();
            scratch.target.extend_from_slice(node);
            let taken = &scratch.all[enabled.edges.0 as usize..enabled.edges.1 as usize];
            self.copies
                .move_on(&mut scratch.target, source, targets[at].get(), taken);
            emit.transition(labels[at], &scratch.target);
        }
        Ok(())
    }
}
