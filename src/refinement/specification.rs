//! Specifications in normal form.

use hyades_equivalence::strong_quotient;
use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, StateId};

use super::Semantics;
use super::normal::{Normal, SpecificationError, normal_form, within};

/// A specification in normal form for one semantics: a deterministic system
/// without hidden steps, in which each trace of the specification leads to one
/// **node**, and the node tells what the specification can refuse and whether it
/// can diverge after the trace.
///
/// Nodes that do not differ are one: the normal form is the quotient of the subset
/// construction by strong bisimilarity, with acceptances and divergence seen.
/// Nodes are numbered breadth-first, labels in the order of their bytes; so two
/// specifications with the same labels have the same normal form if and only if
/// they are equal in the semantics.
///
/// Source: T. Gibson-Robinson and G. Lowe, *Symmetry reduction in CSP model
/// checking*, STTT 2019, section 2; A. W. Roscoe, *Model-checking CSP*, 1994.
#[derive(Clone, Debug)]
pub struct Specification {
    semantics: Semantics,
    /// Rows ascend by label.
    lts: Lts,
    first_acceptance: LabelId,
    acceptances: Vec<Box<[LabelId]>>,
    divergence: LabelId,
    is_part: bool,
}

impl Specification {
    /// The normal form of `lts`.
    ///
    /// There may be 2^states nodes, though most specifications have about as many
    /// as states. Time: for each node the transitions of its states and a
    /// comparison of each of their acceptances with those that begin by one of its
    /// labels, then O(m log n) for n nodes with m transitions. Memory: the sets of all nodes, 4
    /// bytes a member.
    ///
    /// # Errors
    /// If the subset construction has more than `max_nodes` nodes (at least one),
    /// or there are more labels or transitions than can be numbered.
    pub fn new(
        lts: &Lts,
        semantics: Semantics,
        max_nodes: Option<u64>,
    ) -> Result<Self, SpecificationError> {
        // One number more is needed for what is no node.
        let most = StateId::MAX_COUNT - 1;
        let max_nodes = max_nodes.map_or(most, |most_of_user| most_of_user.clamp(1, most));
        let Normal {
            lts,
            first_acceptance,
            acceptances,
            divergence,
        } = normal_form(lts, semantics, max_nodes as usize)?;
        Ok(Self {
            semantics,
            lts: sorted_rows(strong_quotient(lts).lts),
            first_acceptance,
            acceptances,
            divergence,
            is_part: false,
        })
    }

    /// The same, as one that another one was replaced by which allows less.
    pub(super) fn into_part(self) -> Self {
        Self {
            is_part: true,
            ..self
        }
    }

    /// Whether the specification that is meant allows less: counterexamples are some of
    /// those that there are. See [`refine_by_antichains`](super::refine_by_antichains).
    pub fn is_part(&self) -> bool {
        self.is_part
    }

    /// The semantics that it is for.
    pub fn semantics(&self) -> Semantics {
        self.semantics
    }

    /// The number of nodes, at least 1.
    pub fn nodes(&self) -> usize {
        self.lts.states()
    }

    /// The node of the empty trace: the first one.
    pub fn initial(&self) -> u32 {
        self.lts.initial().get()
    }

    /// The number that stands for no node, one more than the last: where a trace
    /// that the specification does not have leads.
    pub fn forbidden(&self) -> u32 {
        self.lts.states() as u32
    }

    /// The visible label with this text, if the specification knows it.
    pub fn label(&self, text: &[u8]) -> Option<LabelId> {
        let label = self.table().find(text);
        label.filter(|&label| label < self.first_acceptance)
    }

    /// The texts of visible labels and, behind them, of those that
    /// [`Specification::as_lts`] marks nodes with.
    pub fn table(&self) -> &LabelTable {
        self.lts.table()
    }

    /// Where a visible label leads from a node; `None` if the specification does
    /// not have it there. O(log labels).
    ///
    /// # Panics
    /// If there is no such node.
    #[inline]
    pub fn successor(&self, node: u32, label: LabelId) -> Option<u32> {
        let row = self.lts.row(StateId::new(node));
        let labels = &self.lts.labels()[row.clone()];
        let at = labels.binary_search(&label).ok()?;
        Some(self.lts.targets()[row.start + at].get())
    }

    /// The visible labels of a node and where they lead, ascending. A divergent
    /// node of the failures-divergences semantics has none.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn successors(&self, node: u32) -> impl Iterator<Item = (LabelId, u32)> + '_ {
        let row = self.lts.outgoing(StateId::new(node));
        row.take_while(|(label, _)| *label < self.first_acceptance)
            .map(|(label, target)| (label, target.get()))
    }

    /// The minimal acceptances of a node: the sets of visible labels that stable
    /// states offer there, those left out that have another one within them. A
    /// node without any has no stable state, and cannot refuse anything. Each set
    /// ascends. There are none in the traces semantics and for divergent nodes.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn minimal_acceptances(&self, node: u32) -> impl Iterator<Item = &[LabelId]> + '_ {
        self.acceptances_at(node)
            .iter()
            .map(|&label| self.accepted(label))
    }

    /// The labels that stand for the minimal acceptances of a node, in the order of the
    /// elements of these.
    fn acceptances_at(&self, node: u32) -> &[LabelId] {
        let row = self.lts.row(StateId::new(node));
        let labels = &self.lts.labels()[row];
        let start = labels.partition_point(|&label| label < self.first_acceptance);
        let end = labels.partition_point(|&label| label < self.divergence);
        &labels[start..end]
    }

    /// Whether the specification may refuse all but `accepted`, which ascends, at
    /// a node.
    pub fn may_accept_only(&self, node: u32, accepted: &[LabelId]) -> bool {
        let acceptances = self.acceptances_at(node);
        within(acceptances, |&label| self.accepted(label), accepted)
            .next()
            .is_some()
    }

    /// Whether the specification can diverge at a node; never so but in the
    /// failures-divergences semantics.
    ///
    /// # Panics
    /// If there is no such node.
    #[inline]
    pub fn diverges(&self, node: u32) -> bool {
        let row = self.lts.row(StateId::new(node));
        self.lts.labels()[row].last() == Some(&self.divergence)
    }

    /// The normal form as an LTS. Acceptances and divergence are loops, with
    /// labels of their own behind the visible ones: see
    /// [`Specification::acceptance`] and [`Specification::divergence`]. Their texts
    /// are for readers, `acc{a, b}` and `div`.
    pub fn as_lts(&self) -> &Lts {
        &self.lts
    }

    /// The visible labels of the minimal acceptance that a label of
    /// [`Specification::as_lts`] stands for, ascending; `None` if it stands for none.
    pub fn acceptance(&self, label: LabelId) -> Option<&[LabelId]> {
        let at = label.index().checked_sub(self.first_acceptance.index())?;
        self.acceptances.get(at).map(|set| &set[..])
    }

    /// The visible labels of the acceptance that a label stands for.
    fn accepted(&self, label: LabelId) -> &[LabelId] {
        &self.acceptances[label.index() - self.first_acceptance.index()]
    }

    /// The label of [`Specification::as_lts`] that stands for divergence.
    pub fn divergence(&self) -> LabelId {
        self.divergence
    }
}

/// The same LTS with rows that ascend by label; no two transitions of a state have
/// the same label.
fn sorted_rows(lts: Lts) -> Lts {
    let mut parts: LtsParts = lts.into_parts();
    let mut row = Vec::new();
    for s in 0..parts.offsets.rows() {
        let range = parts.offsets.row(s);
        row.clear();
        let targets = parts.targets[range.clone()].iter();
        row.extend(
            parts.labels[range.clone()]
                .iter()
                .copied()
                .zip(targets.copied()),
        );
        row.sort_unstable();
        for (k, &(label, target)) in range.zip(&row) {
            (parts.labels[k], parts.targets[k]) = (label, target);
        }
    }
    Lts::from_parts(parts)
}
