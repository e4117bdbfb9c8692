//! Hennessy–Milner formulas: building, printing, parsing, checking.
//!
//! # Syntax
//!
//! ```text
//! file       = formula | { NAME "=" formula NEWLINE }
//! formula    = conjunct { "||" conjunct }
//! conjunct   = prefixed { "&&" prefixed }
//! prefixed   = "true" | "false" | NAME | "(" formula ")"
//!            | "!" prefixed | "<" action ">" prefixed | "[" action "]" prefixed
//! action     = '"' label '"' | "i" | "tau"
//! ```
//!
//! A state satisfies `<a>f` if it has some step `a` to a state that satisfies
//! `f`, and `[a]f` if all its steps `a` lead to such states; in particular,
//! `[a]false` says that it has no step `a`. Operators that come before their
//! operand bind strongest, then `&&`, then `||`.
//!
//! A visible label stands in double quotes; in it, `\"`, `\\`, `\n`, `\r`, `\t`
//! and `\xHH` (two hexadecimal digits: any byte) are escapes. The hidden action
//! stands without quotes, as `i` (or `tau`, as in mCRL2).
//!
//! A large formula is printed as a list of definitions, one a line. The first
//! is the formula; a name stands for its definition, which is on a later line.
//! So that each can be checked on its own:
//!
//! ```text
//! X1 = <"a">(X2 && <i>X3)
//! X2 = <"b">X3
//! X3 = <"c">true && ["d"]false
//! ```

mod parse;
mod print;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hyades_formats::{LabelId, LabelTable, Lts, LtsBuilder, StateId, TooLarge};

pub use parse::FormulaError;
pub use print::Action;

/// A subformula of a [`Formula`] under construction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The operator of a subformula; operands are always older nodes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Node {
    /// The conjunction; of nothing, it is true.
    And(Box<[NodeId]>),
    /// The disjunction; of nothing, it is false.
    Or(Box<[NodeId]>),
    Not(NodeId),
    Diamond(LabelId, NodeId),
    Box(LabelId, NodeId),
}

impl Node {
    fn operands(&self) -> &[NodeId] {
        match self {
            Node::And(operands) | Node::Or(operands) => operands,
            Node::Not(operand) | Node::Diamond(_, operand) | Node::Box(_, operand) => {
                std::slice::from_ref(operand)
            }
        }
    }
}

/// Builds a [`Formula`] from the inside out. Equal subformulas become one node.
#[derive(Debug, Default)]
pub struct FormulaBuilder {
    nodes: Vec<Node>,
    index: HashTable<NodeId>,
    hasher: RandomState,
    table: LabelTable,
}

impl FormulaBuilder {
    /// A builder without nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// The label with this text, for [`FormulaBuilder::diamond`].
    ///
    /// # Errors
    /// If there are too many labels.
    pub fn label(&mut self, text: &[u8]) -> Result<LabelId, TooLarge> {
        self.table.intern(text)
    }

    /// All of these hold; of none, `true`. Duplicates count once.
    pub fn and(&mut self, operands: impl IntoIterator<Item = NodeId>) -> NodeId {
        let operands = distinct(operands);
        match operands[..] {
            [operand] => operand,
            _ => self.node(Node::And(operands)),
        }
    }

    /// One of these holds; of none, `false`. Duplicates count once.
    pub fn or(&mut self, operands: impl IntoIterator<Item = NodeId>) -> NodeId {
        let operands = distinct(operands);
        match operands[..] {
            [operand] => operand,
            _ => self.node(Node::Or(operands)),
        }
    }

    /// The operand does not hold.
    pub fn not(&mut self, operand: NodeId) -> NodeId {
        self.node(Node::Not(operand))
    }

    /// Some step with this label leads to a state where the operand holds.
    pub fn diamond(&mut self, label: LabelId, operand: NodeId) -> NodeId {
        self.node(Node::Diamond(label, operand))
    }

    /// All steps with this label lead to states where the operand holds.
    pub fn boxed(&mut self, label: LabelId, operand: NodeId) -> NodeId {
        self.node(Node::Box(label, operand))
    }

    fn node(&mut self, node: Node) -> NodeId {
        let (nodes, hasher) = (&mut self.nodes, &self.hasher);
        let hash = hasher.hash_one(&node);
        if let Some(&known) = self.index.find(hash, |k| nodes[k.index()] == node) {
            return known;
        }
        let new = u32::try_from(nodes.len()).expect("fewer than 2^32 nodes fit in memory");
        nodes.push(node);
        self.index
            .insert_unique(hash, NodeId(new), |k| hasher.hash_one(&nodes[k.index()]));
        NodeId(new)
    }

    /// The formula that this node stands for; nodes that it does not use are
    /// dropped. O(nodes).
    pub fn build(self, root: NodeId) -> Formula {
        let mut used = vec![false; root.index() + 1];
        used[root.index()] = true;
        for (k, node) in self.nodes[..used.len()].iter().enumerate().rev() {
            if used[k] {
                node.operands().iter().for_each(|o| used[o.index()] = true);
            }
        }
        let mut renumbered = vec![NodeId(0); used.len()];
        let mut nodes = Vec::new();
        for (k, mut node) in self.nodes.into_iter().take(used.len()).enumerate() {
            if used[k] {
                match &mut node {
                    Node::And(operands) | Node::Or(operands) => {
                        operands.iter_mut().for_each(|o| *o = renumbered[o.index()]);
                    }
                    Node::Not(o) | Node::Diamond(_, o) | Node::Box(_, o) => {
                        *o = renumbered[o.index()];
                    }
                }
                renumbered[k] = NodeId(nodes.len() as u32);
                nodes.push(node);
            }
        }
        Formula {
            nodes,
            table: self.table,
        }
    }
}

/// The operands in their order, each once.
fn distinct(operands: impl IntoIterator<Item = NodeId>) -> Box<[NodeId]> {
    let mut operands: Vec<NodeId> = operands.into_iter().collect();
    if operands.len() > 1 {
        let mut seen = HashSet::with_hasher(RandomState::default());
        operands.retain(|&o| seen.insert(o));
    }
    operands.into_boxed_slice()
}

/// A Hennessy–Milner formula; subformulas that occur more than once are shared.
///
/// Printed and parsed in the syntax of the [module](self). No operation
/// recurses on the formula, which may be nested as deeply as memory allows.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Operands before operators; the last is the formula.
    nodes: Vec<Node>,
    table: LabelTable,
}

impl Formula {
    fn root(&self) -> NodeId {
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// How many modalities (`<a>` and `[a]`) are nested at the most. O(size).
    pub fn depth(&self) -> usize {
        let mut depths: Vec<usize> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let inner = node.operands().iter().map(|o| depths[o.index()]);
            let modal = matches!(node, Node::Diamond(..) | Node::Box(..));
            depths.push(inner.max().unwrap_or(0) + usize::from(modal));
        }
        depths[self.root().index()]
    }

    /// The number of different subformulas.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The steps that the formula speaks of, as an LTS without cycles: a state
    /// stands for what is said of the target of a step, and the last state for
    /// that nothing is said. States are numbered breadth-first.
    ///
    /// O(size) for formulas whose conjunctions and disjunctions are not shared.
    ///
    /// # Errors
    /// If there are more states or transitions than an LTS can hold.
    pub fn to_lts(&self) -> Result<Lts, TooLarge> {
        let mut builder = LtsBuilder::with_table(1, self.table.clone());
        let mut number: HashMap<NodeId, u32, RandomState> = HashMap::default();
        let mut order = vec![self.root()];
        number.insert(self.root(), 0);
        let mut next = 0;
        // Where nothing is said: the constants are one state.
        let constant = |node: NodeId| self.nodes[node.index()].operands().is_empty();
        let mut end = None;
        let mut source = 0u32;
        while next < order.len() {
            let mut open = vec![order[next]];
            next += 1;
            while let Some(node) = open.pop() {
                let node = &self.nodes[node.index()];
                let (Node::Diamond(label, target) | Node::Box(label, target)) = *node else {
                    open.extend(node.operands().iter().rev());
                    continue;
                };
                let known = match constant(target) {
                    true => end.get_or_insert(target),
                    false => &target,
                };
                let number = *number.entry(*known).or_insert_with(|| {
                    order.push(*known);
                    order.len() as u32 - 1
                });
                builder.add(StateId::new(source), label, StateId::new(number));
            }
            source += 1;
        }
        builder.build(StateId::new(0))
    }

    /// Whether a state satisfies the formula. Labels are matched by text.
    ///
    /// Each subformula is evaluated at most once for each state that it is
    /// needed for: time and memory O(size · (states + transitions)), and much
    /// less where operands are decided early.
    pub fn holds(&self, lts: &Lts, state: StateId) -> bool {
        self.holds_within(lts, state, u64::MAX)
            .expect("as many steps as needed")
    }

    /// As [`Formula::holds`], but gives up (`None`) after about `steps` steps.
    pub fn holds_within(&self, lts: &Lts, state: StateId, steps: u64) -> Option<bool> {
        /// The evaluation of a node for a state, before its operand `next`.
        struct Frame {
            node: NodeId,
            state: StateId,
            next: usize,
        }
        let mut labels: Vec<Option<LabelId>> = vec![Some(LabelId::HIDDEN)];
        labels.extend(self.table.visible().map(|(_, t)| lts.table().find(t)));

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
