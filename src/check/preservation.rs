//! Which relations between LTSs a formula cannot tell apart: what may be made smaller
//! before the formula is decided.
//!
//! All rests on one condition on nodes of the formula's graph. The *entry* of a node is
//! what the player who searches there can do without a transition: steps, by an action to
//! a node, and ends. An entry *waits* if hidden transitions leave it as it is: there is a
//! step by an action that the hidden one matches, and all such steps lead to nodes of the
//! same entry. `[true*] f`, `<(not "A")* . "A"> f` and `<tau* . "A" . tau*> f` wait where
//! they read a label, `<"A"> f` does not.
//!
//! **Sequences of labels.** A formula that one player decides alone, by a finite path to a
//! constant, says that there is a sequence of labels in a language L, or that there is none;
//! that is the same for systems with the same traces. If all entries that are not ends
//! wait, L has with a word all those with hidden labels more or less in them (but behind
//! an end, where words may go on as they like): the same for systems with the same weak
//! traces.
//!
//! **Branching bisimilarity.** Let f be built of constants, `and`, `or`, fixpoints, and
//! nodes Z that wait and that the player who searches at Z loses by going on for ever. Then
//! bisimilar states both satisfy f, or both do not. By induction the ends F and the nodes
//! q that visible steps A of Z lead to have that property (variables of fixpoints around
//! stand for sets that have it, as have all approximants). Let s be in Z, by a path s = s0,
//! s1, … that ends in an F or by an A to a q, and t bisimilar to s. A hidden step of the path
//! to a bisimilar state is matched by none; any other step by hidden ones of t, on
//! which Z waits, through states bisimilar to the one before, and then the step itself. So t
//! comes to a state bisimilar to the last one, where F holds, or takes A to one where q
//! holds.
//!
//! **Divergence-preserving branching bisimilarity.** Moreover the player at Z may win by
//! going on for ever, or by coming to a deadlock. A path that goes on for ever has infinitely
//! many steps that are matched by at least one, or hidden steps within one class for ever
//! from some state on, which the bisimilar one has as well. A state that is bisimilar to a
//! deadlock has only hidden steps to such states, and not for ever, so it leads to a
//! deadlock, and Z waits on the way. `INEVITABLE ("A")` and `[true*] <true> true` are of
//! this kind, `[true* . "A"] <true> true` is not.
//!
//! Formulas with data are not looked at: strong bisimilarity keeps them all.

use std::collections::{BTreeSet, HashSet};

use hyades_equivalence::Relation;

use crate::graph::{ActionId, Graph, Node, NodeId};
use crate::matching::{Bound, LabelText, matches};
use crate::parity::Player;
use crate::sets::Nothing;
use crate::syntax::{ActionFormula, Modality, Property, Sign};

/// What a formula depends on, as far as that is known; it may depend on less.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Dependence {
    /// Only on which sequences of labels there are.
    pub traces: bool,
    /// Only on which sequences of visible labels there are.
    pub weak_traces: bool,
    /// Only on the class of branching bisimilarity.
    pub branching: bool,
    /// Only on the class of branching bisimilarity with divergence.
    pub divergence: bool,
    /// Only on whether there is a deadlock.
    pub deadlock: bool,
    /// Actions tell apart hidden and visible labels at the most.
    pub no_labels: bool,
}

impl Dependence {
    /// What a property depends on. O(nodes²) at the worst.
    pub fn of(property: &Property) -> Self {
        let Ok(graph) = Graph::new(property) else {
            return Dependence::default();
        };
        let no_labels = graph.actions.iter().all(|a| has_no_labels(&a.formula));
        if !graph.is_data_free() || graph.nodes.len() > MOST_NODES {
            return Dependence {
                no_labels,
                ..Dependence::default()
            };
        }
        let own = Analysis::new(&graph);
        let bisimilar = own.bisimilar();
        let words = own.of_operands(graph.root, &|node| own.words(node));
        Dependence {
            traces: words.is_some(),
            weak_traces: words == Some(true),
            branching: bisimilar == Some(false),
            divergence: bisimilar.is_some(),
            deadlock: own
                .of_operands(graph.root, &|node| {
                    own.is_deadlock_only(node).then_some(true)
                })
                .is_some(),
            no_labels,
        }
    }

    /// Whether the formula has the same verdict on all systems that this relation relates.
    pub fn is_kept_by(self, relation: Relation) -> bool {
        [
            (true, Relation::Strong),
            (self.traces, Relation::Trace),
            (self.weak_traces, Relation::WeakTrace),
            (self.branching, Relation::Branching),
            (self.divergence, Relation::DivBranching),
        ]
        .iter()
        .any(|&(fits, other)| fits && relation.implies(other))
    }
}

/// Larger formulas are not looked at.
const MOST_NODES: usize = 1 << 12;

fn has_no_labels(action: &ActionFormula) -> bool {
    match action {
        ActionFormula::Constant(_) | ActionFormula::Hidden | ActionFormula::Visible => true,
        ActionFormula::Not(operand) => has_no_labels(operand),
        ActionFormula::And(operands) | ActionFormula::Or(operands) => {
            operands.iter().all(has_no_labels)
        }
        ActionFormula::Implies(operands) | ActionFormula::Equivalent(operands) => {
            operands.iter().all(has_no_labels)
        }
        ActionFormula::Label(..)
        | ActionFormula::Exactly(_)
        | ActionFormula::Pattern(..)
        | ActionFormula::Offers(_)
        | ActionFormula::MultiAction(..)
        | ActionFormula::Condition(_)
        | ActionFormula::Quantified(..) => false,
    }
}

/// What a player can do at a node without a transition.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Entry {
    steps: BTreeSet<(ActionId, NodeId)>,
    ends: BTreeSet<NodeId>,
}

struct Analysis<'g> {
    graph: &'g Graph<'g>,
    /// Of each action: whether it matches the hidden one.
    hidden: Vec<bool>,
}

/// The fixpoint by which a player loses who goes on for ever.
fn losing(player: Player) -> Sign {
    match player {
        Player::Prover => Sign::Mu,
        Player::Refuter => Sign::Nu,
    }
}

impl<'g> Analysis<'g> {
    fn new(graph: &'g Graph<'g>) -> Self {
        let matches_hidden = |formula: &ActionFormula| {
            let hidden = LabelText::new(b"", true);
            matches(formula, hidden, &Nothing, &mut Bound::new()).unwrap_or(true)
        };
        let actions = graph.actions.iter();
        Analysis {
            hidden: actions.map(|a| matches_hidden(&a.formula)).collect(),
            graph,
        }
    }

    /// What `player` can do at a node, through fixpoints of this sign.
    fn entry(&self, node: NodeId, player: Player, sign: Sign) -> Entry {
        let mut entry = Entry::default();
        let mut visited = HashSet::from([node]);
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let is_prover = player == Player::Prover;
            let operands: &[NodeId] = match self.graph.node(node) {
                Node::Fixpoint(own, body) if *own == sign => std::slice::from_ref(body),
                Node::Or(operands) if is_prover => operands,
                Node::And(operands) if !is_prover => operands,
                Node::Modal(modality, action, after)
                    if (*modality == Modality::Diamond) == is_prover && !self.is_void(node) =>
                {
                    entry.steps.insert((*action, *after));
                    continue;
                }
                Node::Constant(_)
                | Node::And(_)
                | Node::Or(_)
                | Node::Condition(..)
                | Node::Guard(..)
                | Node::Assign(..)
                | Node::Quantified(..)
                | Node::Modal(..)
                | Node::Fixpoint(..) => {
                    entry.ends.insert(node);
                    continue;
                }
            };
            open.extend(operands.iter().filter(|operand| visited.insert(**operand)));
        }
        entry
    }

    /// Whether hidden transitions leave an entry as it is.
    fn waits(&self, entry: &Entry, player: Player, sign: Sign) -> bool {
        let hidden = || entry.steps.iter().filter(|(a, _)| self.hidden[a.index()]);
        hidden().next().is_some()
            && hidden().all(|(_, after)| self.entry(*after, player, sign) == *entry)
    }

    /// `[A] true`, `<A> false`.
    fn is_void(&self, node: NodeId) -> bool {
        let Node::Modal(modality, _, after) = self.graph.node(node) else {
            return false;
        };
        match self.graph.node(*after) {
            Node::Constant(value) => *value == (*modality == Modality::Box),
            Node::And(_)
            | Node::Or(_)
            | Node::Condition(..)
            | Node::Guard(..)
            | Node::Assign(..)
            | Node::Quantified(..)
            | Node::Modal(..)
            | Node::Fixpoint(..) => false,
        }
    }

    /// Whether a node is won by the player in deadlocks, and in no other states.
    fn is_deadlock_test(&self, node: NodeId, player: Player) -> bool {
        let Node::Modal(modality, action, after) = self.graph.node(node) else {
            return false;
        };
        let is_all = matches!(
            self.graph.actions[action.index()].formula,
            ActionFormula::Constant(true)
        );
        let Node::Constant(value) = self.graph.node(*after) else {
            return false;
        };
        let (others, lost) = match player {
            Player::Prover => (Modality::Box, false),
            Player::Refuter => (Modality::Diamond, true),
        };
        is_all && *modality == others && *value == lost
    }

    /// The node, or else all its operands.
    fn of_operands(&self, node: NodeId, of: &dyn Fn(NodeId) -> Option<bool>) -> Option<bool> {
        let mut all = true;
        let mut open = vec![node];
        let mut visited = HashSet::new();
        while let Some(node) = open.pop() {
            if !visited.insert(node) {
                continue;
            }
            match (of(node), self.graph.node(node)) {
                (Some(own), _) => all &= own,
                (None, Node::And(operands) | Node::Or(operands)) => open.extend(operands),
                (None, _) => return None,
            }
        }
        Some(all)
    }

    /// Whether a node is decided by whether there is a sequence of labels of a language,
    /// and if so, whether hidden ones make no difference.
    fn words(&self, root: NodeId) -> Option<bool> {
        [Player::Prover, Player::Refuter]
            .into_iter()
            .find_map(|player| self.words_of(root, player))
    }

    fn words_of(&self, root: NodeId, player: Player) -> Option<bool> {
        let sign = losing(player);
        let mut waits = true;
        let mut visited = HashSet::from([root]);
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            let entry = self.entry(node, player, sign);
            let mut is_won = false;
            for &end in &entry.ends {
                match self.graph.node(end) {
                    Node::Constant(value) => is_won |= *value == (player == Player::Prover),
                    _ if self.is_void(end) => {
                        is_won |= matches!(self.graph.node(end), Node::Modal(Modality::Box, ..))
                            == (player == Player::Prover);
                    }
                    Node::And(_)
                    | Node::Or(_)
                    | Node::Condition(..)
                    | Node::Guard(..)
                    | Node::Assign(..)
                    | Node::Quantified(..)
                    | Node::Modal(..)
                    | Node::Fixpoint(..) => return None,
                }
            }
            waits &= is_won || entry.steps.is_empty() || self.waits(&entry, player, sign);
            let targets = entry.steps.iter().map(|(_, after)| *after);
            open.extend(targets.filter(|after| visited.insert(*after)));
        }
        Some(waits)
    }

    /// `[true*] <true> true`, or its opposite.
    fn is_deadlock_only(&self, root: NodeId) -> bool {
        [Player::Prover, Player::Refuter].into_iter().any(|player| {
            let sign = losing(player);
            let entry = self.entry(root, player, sign);
            let is_any = |(action, after): &(ActionId, NodeId)| {
                let action = &self.graph.actions[action.index()].formula;
                matches!(action, ActionFormula::Constant(true))
                    && self.entry(*after, player, sign) == entry
            };
            let is_test = |&end: &NodeId| self.is_deadlock_test(end, player);
            !entry.steps.is_empty()
                && entry.steps.iter().all(is_any)
                && entry.ends.iter().all(is_test)
        })
    }

    /// Whether bisimilar states agree on the formula: by branching bisimilarity (`false`)
    /// or only if that preserves divergence (`true`).
    fn bisimilar(&self) -> Option<bool> {
        let mut divergence = false;
        let mut visited = HashSet::from([self.graph.root]);
        let mut open = vec![self.graph.root];
        while let Some(node) = open.pop() {
            let next: Vec<NodeId> = match self.graph.node(node) {
                Node::Constant(_) => Vec::new(),
                Node::And(operands) | Node::Or(operands) => operands.to_vec(),
                Node::Modal(..) if self.is_void(node) => Vec::new(),
                Node::Modal(..)
                | Node::Condition(..)
                | Node::Guard(..)
                | Node::Assign(..)
                | Node::Quantified(..) => return None,
                Node::Fixpoint(sign, body) => {
                    let entries = [Player::Prover, Player::Refuter]
                        .map(|player| (player, self.entry(node, player, *sign)));
                    let waiting = entries
                        .iter()
                        .find(|(player, entry)| self.waits(entry, *player, *sign));
                    match waiting {
                        Some((player, entry)) => {
                            divergence |= *sign != losing(*player);
                            let mut next = Vec::new();
                            for &end in &entry.ends {
                                match self.is_deadlock_test(end, *player) {
                                    true => divergence = true,
                                    false => next.push(end),
                                }
                            }
                            let steps = entry.steps.iter();
                            let visible = steps.filter(|(a, _)| !self.hidden[a.index()]);
                            next.extend(visible.map(|(_, after)| *after));
                            next
                        }
                        // Transparent, if it does nothing by itself.
                        None if entries.iter().all(|(_, entry)| entry.steps.is_empty()) => {
                            vec![*body]
                        }
                        None => return None,
                    }
                }
            };
            open.extend(next.into_iter().filter(|node| visited.insert(*node)));
        }
        Some(divergence)
    }
}
