//! Hennessy–Milner formulas, with modalities over hidden steps: building,
//! printing, parsing, checking.
//!
//! # Syntax
//!
//! ```text
//! file       = formula | { NAME "=" formula NEWLINE }
//! formula    = conjunct { "||" conjunct }
//! conjunct   = prefixed { "&&" prefixed }
//! prefixed   = "true" | "false" | NAME | "(" formula ")"
//!            | "!" prefixed | "<" action ">" prefixed | "[" action "]" prefixed
//!            | "<" "<" action ">" ">" prefixed | "[" "[" action "]" "]" prefixed
//!            | "<" formula "U" action ">" prefixed | "div" prefixed
//! action     = '"' label '"' | "i" | "tau"
//! ```
//!
//! A state satisfies `<a>f` if it has some step `a` to a state that satisfies
//! `f`, and `[a]f` if all its steps `a` lead to such states; in particular,
//! `[a]false` says that it has no step `a`. The other modalities speak of any
//! number of hidden steps, none included:
//!
//! * `<<a>>f`: hidden steps, a step `a` and hidden steps lead to a state that
//!   satisfies `f`; `<<i>>f`: hidden steps do, or `f` holds already.
//! * `[[a]]f`: all states where these lead satisfy `f`: `!<<a>>!f`.
//! * `<f U a>g`: hidden steps through states that satisfy `f`, the first and
//!   the last one included, and then a step `a` to a state that satisfies `g`;
//!   for the hidden action, `<f U i>g` also holds where `g` does.
//! * `div f`: some hidden steps go on for ever, through states that satisfy
//!   `f`, the first one included.
//!
//! So `<<i>><a>f` speaks of hidden steps with a step `a` behind them and no
//! more. Operators that come before their operand bind strongest, then `&&`,
//! then `||`. `true`, `false`, `U` and `div` are not names.
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

mod evaluate;
mod mcf;
mod parse;
mod print;
pub(crate) mod sets;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod weak_tests;

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
    /// The place among [`Formula::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The operator of a subformula; operands are always older nodes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// The conjunction; of nothing, it is true.
    And(Box<[NodeId]>),
    /// The disjunction; of nothing, it is false.
    Or(Box<[NodeId]>),
    /// The complement.
    Not(NodeId),
    /// `<a>f`.
    Diamond(LabelId, NodeId),
    /// `[a]f`.
    Box(LabelId, NodeId),
    /// `<<a>>f`.
    WeakDiamond(LabelId, NodeId),
    /// `[[a]]f`.
    WeakBox(LabelId, NodeId),
    /// `<f U a>g`: what holds before the step, and after it.
    Until(LabelId, [NodeId; 2]),
    /// `div f`.
    Divergence(NodeId),
}

impl Node {
    fn operands(&self) -> &[NodeId] {
        match self {
            Node::And(operands) | Node::Or(operands) => operands,
            Node::Not(operand)
            | Node::Diamond(_, operand)
            | Node::Box(_, operand)
            | Node::WeakDiamond(_, operand)
            | Node::WeakBox(_, operand)
            | Node::Divergence(operand) => std::slice::from_ref(operand),
            Node::Until(_, operands) => operands,
        }
    }

    fn operands_mut(&mut self) -> &mut [NodeId] {
        match self {
            Node::And(operands) | Node::Or(operands) => operands,
            Node::Not(operand)
            | Node::Diamond(_, operand)
            | Node::Box(_, operand)
            | Node::WeakDiamond(_, operand)
            | Node::WeakBox(_, operand)
            | Node::Divergence(operand) => std::slice::from_mut(operand),
            Node::Until(_, operands) => operands,
        }
    }

    fn is_true(&self) -> bool {
        matches!(self, Node::And(operands) if operands.is_empty())
    }

    fn is_false(&self) -> bool {
        matches!(self, Node::Or(operands) if operands.is_empty())
    }

    /// Whether it counts for the depth.
    fn is_modality(&self) -> bool {
        match self {
            Node::And(_) | Node::Or(_) | Node::Not(_) => false,
            Node::Diamond(..)
            | Node::Box(..)
            | Node::WeakDiamond(..)
            | Node::WeakBox(..)
            | Node::Until(..)
            | Node::Divergence(_) => true,
        }
    }

    /// Whether it speaks of any number of hidden steps.
    fn is_weak(&self) -> bool {
        match self {
            Node::And(_) | Node::Or(_) | Node::Not(_) | Node::Diamond(..) | Node::Box(..) => false,
            Node::WeakDiamond(..) | Node::WeakBox(..) | Node::Until(..) | Node::Divergence(_) => {
                true
            }
        }
    }

    /// The label that it speaks of.
    fn label(&self) -> Option<LabelId> {
        match self {
            Node::And(_) | Node::Or(_) | Node::Not(_) => None,
            Node::Diamond(label, _)
            | Node::Box(label, _)
            | Node::WeakDiamond(label, _)
            | Node::WeakBox(label, _)
            | Node::Until(label, _) => Some(*label),
            Node::Divergence(_) => Some(LabelId::HIDDEN),
        }
    }
}

/// Builds a [`Formula`] from the inside out. Equal subformulas become one node.
///
/// A [`NodeId`] or label is of the builder that gave it. To another builder it stands for
/// what has that number there; where nothing has, that panics, in
/// [`build`](FormulaBuilder::build) at the latest.
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

    /// Hidden steps, a step with this label and hidden steps lead to a state
    /// where the operand holds; for the hidden action, any number of hidden
    /// steps does, none included.
    pub fn weak_diamond(&mut self, label: LabelId, operand: NodeId) -> NodeId {
        self.node(Node::WeakDiamond(label, operand))
    }

    /// All states where such steps lead satisfy the operand.
    pub fn weak_box(&mut self, label: LabelId, operand: NodeId) -> NodeId {
        self.node(Node::WeakBox(label, operand))
    }

    /// Hidden steps through states where `held` holds, the first and the last
    /// included, and then a step with this label lead to a state where
    /// `target` holds; for the hidden action, or that holds at once.
    pub fn until(&mut self, held: NodeId, label: LabelId, target: NodeId) -> NodeId {
        self.node(Node::Until(label, [held, target]))
    }

    /// Hidden steps can go on for ever, through states where the operand
    /// holds, the first included.
    pub fn divergence(&mut self, operand: NodeId) -> NodeId {
        self.node(Node::Divergence(operand))
    }

    fn node(&mut self, node: Node) -> NodeId {
        node.operands().iter().for_each(|&o| self.check(o));
        if let Some(label) = node.label() {
            let is_known = label.index() < self.table.len();
            assert!(is_known, "label {} is of another builder", label.get());
        }
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

    fn check(&self, node: NodeId) {
        let is_known = node.index() < self.nodes.len();
        assert!(is_known, "node {} is of another builder", node.0);
    }

    /// The formula that this node stands for; nodes that it does not use are
    /// dropped. O(nodes).
    pub fn build(self, root: NodeId) -> Formula {
        self.check(root);
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
                for operand in node.operands_mut() {
                    *operand = renumbered[operand.index()];
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

/// A Hennessy–Milner formula, perhaps with modalities over hidden steps;
/// subformulas that occur more than once are shared.
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
    /// All subformulas, operands before operators; the last is the formula.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The labels that its nodes speak of.
    pub fn table(&self) -> &LabelTable {
        &self.table
    }

    fn root(&self) -> NodeId {
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// How many modalities are nested at the most: `<a>`, `[a]`, and those over
    /// hidden steps, which count as one each. O(size).
    pub fn depth(&self) -> usize {
        let mut depths: Vec<usize> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let inner = node.operands().iter().map(|o| depths[o.index()]);
            depths.push(inner.max().unwrap_or(0) + usize::from(node.is_modality()));
        }
        depths[self.root().index()]
    }

    /// Whether the formula says no more of the steps that it speaks of than that they are
    /// possible one after the other, or that they are not, as `<a><b>true` and `[a][b]false`
    /// do. Then a single system of two has that trace, if it holds in one of them only.
    /// O(depth).
    pub fn is_about_trace(&self) -> bool {
        let node = |id: NodeId| &self.nodes[id.index()];
        let mut next = node(self.root());
        while let Node::Not(operand) = next {
            next = node(*operand);
        }
        let is_possible = match next {
            Node::Diamond(..) | Node::WeakDiamond(..) | Node::Until(..) => true,
            Node::Box(..) | Node::WeakBox(..) => false,
            Node::And(_) | Node::Or(_) | Node::Not(_) | Node::Divergence(_) => return false,
        };
        loop {
            let target = match next {
                Node::Diamond(_, target) | Node::WeakDiamond(_, target) if is_possible => *target,
                Node::Until(_, [held, target]) if is_possible && node(*held).is_true() => *target,
                Node::Box(_, target) | Node::WeakBox(_, target) if !is_possible => *target,
                end => {
                    return match is_possible {
                        true => end.is_true(),
                        false => end.is_false(),
                    };
                }
            };
            next = node(target);
        }
    }

    /// The number of different subformulas.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The steps that the formula speaks of, as an LTS: a state stands for what
    /// is said of the target of a step, and the last state for that nothing is
    /// said. States are numbered breadth-first. Hidden steps that may stand
    /// around another one are not there; a divergence is a hidden loop, and
    /// there are no other cycles.
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
                let (label, target) = match &self.nodes[node.index()] {
                    Node::And(operands) | Node::Or(operands) => {
                        open.extend(operands.iter().rev());
                        continue;
                    }
                    Node::Not(operand) => {
                        open.push(*operand);
                        continue;
                    }
                    Node::Divergence(held) => {
                        open.push(*held);
                        let source = StateId::new(source);
                        builder.add(source, LabelId::HIDDEN, source);
                        continue;
                    }
                    Node::Diamond(label, target)
                    | Node::Box(label, target)
                    | Node::WeakDiamond(label, target)
                    | Node::WeakBox(label, target) => (*label, *target),
                    Node::Until(label, [held, target]) => {
                        open.push(*held);
                        (*label, *target)
                    }
                };
                let known = match constant(target) {
                    true => *end.get_or_insert(target),
                    false => target,
                };
                let number = *number.entry(known).or_insert_with(|| {
                    order.push(known);
                    order.len() as u32 - 1
                });
                builder.add(StateId::new(source), label, StateId::new(number));
            }
            source += 1;
        }
        builder.build(StateId::new(0))
    }
}
