//! Whether a state satisfies a formula.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use hyades_formats::{LabelId, Lts, StateId};

use super::{Formula, Node, NodeId};

impl Formula {
    /// Whether a state satisfies the formula. Labels are matched by text.
    ///
    /// Each subformula is evaluated at most once for each state that it is
    /// needed for: time and memory O(size · (states + transitions)), and much
    /// less where operands are decided early. With a modality over hidden
    /// steps, subformulas are evaluated from the inside out, each for all
    /// states that can be reached by the steps it speaks of: by closures along
    /// hidden steps, O(size · (states + transitions)) and a bit for each state
    /// and subformula that is still in use.
    ///
    /// # Panics
    /// If the LTS has no such state.
    pub fn holds(&self, lts: &Lts, state: StateId) -> bool {
        self.holds_within(lts, state, u64::MAX)
            .expect("as many steps as needed")
    }

    /// As [`Formula::holds`], but gives up (`None`) after about `steps` steps.
    ///
    /// # Panics
    /// If the LTS has no such state.
    pub fn holds_within(&self, lts: &Lts, state: StateId, steps: u64) -> Option<bool> {
        let states = lts.states();
        assert!(
            state.index() < states,
            "state {state} of an LTS of {states} states"
        );
        if self.nodes.iter().any(Node::is_weak) {
            self.holds_by_sets(lts, state, steps)
        } else {
            self.holds_locally(lts, state, steps)
        }
    }

    /// The label of an LTS for each of the formula, if it has it.
    pub(super) fn labels_in(&self, lts: &Lts) -> Vec<Option<LabelId>> {
        let mut labels: Vec<Option<LabelId>> = vec![Some(LabelId::HIDDEN)];
        labels.extend(self.table.visible().map(|(_, t)| lts.table().find(t)));
        labels
    }

    /// Evaluates operands only where they are needed, for a formula without
    /// modalities over hidden steps.
    fn holds_locally(&self, lts: &Lts, state: StateId, steps: u64) -> Option<bool> {
        /// The evaluation of a node for a state, before its operand `next`.
        struct Frame {
            node: NodeId,
            state: StateId,
            next: usize,
        }
        let labels = self.labels_in(lts);
        let mut known = HashMap::with_hasher(RandomState::default());
        let mut steps = steps;
        let start = |node, state| Frame {
            node,
            state,
            next: 0,
        };
        let mut stack = vec![start(self.root(), state)];
        // The value of the frame that was on top until now.
        let mut value: Option<bool> = None;
        while let Some(frame) = stack.last_mut() {
            steps = steps.checked_sub(1)?;
            let node = &self.nodes[frame.node.index()];
            // The value of an operand that decides the operator.
            let decisive = matches!(node, Node::Or(_) | Node::Diamond(..));
            let result = loop {
                if value.take() == Some(decisive) {
                    break Some(decisive);
                }
                let operand = match node {
                    Node::And(operands) | Node::Or(operands) => operands
                        .get(frame.next)
                        .map(|&operand| (operand, frame.state)),
                    // Its only operand decides it, or is its negation.
                    Node::Not(operand) => (frame.next == 0).then_some((*operand, frame.state)),
                    Node::Diamond(label, operand) | Node::Box(label, operand) => {
                        let row = lts.row(frame.state);
                        let first = row.start + frame.next;
                        let step = (first..row.end)
                            .find(|&e| Some(lts.labels()[e]) == labels[label.index()]);
                        steps = steps.checked_sub((step.unwrap_or(row.end) - first) as u64)?;
                        frame.next = step.unwrap_or(row.end) - row.start;
                        step.map(|e| (*operand, lts.targets()[e]))
                    }
                    Node::WeakDiamond(..)
                    | Node::WeakBox(..)
                    | Node::Until(..)
                    | Node::Divergence(_) => {
                        unreachable!("formulas with these are evaluated by sets of states")
                    }
                };
                let Some(operand) = operand else {
                    break Some(!decisive);
                };
                frame.next += 1;
                value = known.get(&operand).copied();
                if value.is_none() {
                    stack.push(start(operand.0, operand.1));
                    break None;
                }
                steps = steps.checked_sub(1)?;
            };
            if let Some(result) = result {
                let frame = stack.pop().expect("the frame on top");
                // A negation was decided like a conjunction of its operand.
                let result = result != matches!(self.nodes[frame.node.index()], Node::Not(_));
                known.insert((frame.node, frame.state), result);
                value = Some(result);
            }
        }
        value
    }
}
