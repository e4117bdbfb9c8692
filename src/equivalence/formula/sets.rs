//! Evaluation from the inside out: where each subformula holds, as a set of
//! states.

use hyades_base::bits::ones;
use hyades_base::grouped::Grouped;
use hyades_formats::{LabelId, Lts, StateId};

use super::{Formula, FormulaBuilder, Node, NodeId};

impl Formula {
    /// Evaluates each subformula for all states that can be reached by steps
    /// with labels of the formula; gives up (`None`) after about `steps` steps.
    ///
    /// O(size · (states + transitions)) and a bit for each state and each
    /// subformula that an operator still waits for. No more than 8 bytes of
    /// memory a step.
    pub(super) fn holds_by_sets(&self, lts: &Lts, state: StateId, steps: u64) -> Option<bool> {
        let mut budget = Budget(steps);
        let steps = Steps::reached(self, lts, state, &mut budget)?;
        // The last operator that uses each subformula.
        let mut last_use = vec![self.root().index(); self.nodes.len()];
        for (k, node) in self.nodes.iter().enumerate() {
            node.operands().iter().for_each(|o| last_use[o.index()] = k);
        }
        let mut sets: Vec<Option<Set>> = Vec::with_capacity(self.nodes.len());
        for (k, node) in self.nodes.iter().enumerate() {
            let set = steps.evaluate(node, &sets, &mut budget)?;
            sets.push(Some(set));
            for operand in node.operands() {
                if last_use[operand.index()] == k {
                    sets[operand.index()] = None;
                }
            }
        }
        let root = sets.pop().flatten();
        Some(root.expect("kept to the end").has(0))
    }
}

impl Formula {
    /// The same without operands of conjunctions and disjunctions that the others make
    /// needless in all states of an LTS, large ones first: it holds where it held. The same if
    /// finding out would take more than about `steps` steps.
    pub(crate) fn without_needless(self, lts: &Lts, steps: u64) -> Self {
        match self.needed(lts, &mut Budget(steps)) {
            None => self,
            Some(nodes) => self.rebuilt(&nodes),
        }
    }

    /// The nodes with the operands that are needed.
    fn needed(&self, lts: &Lts, budget: &mut Budget) -> Option<Vec<Node>> {
        let steps = Steps::all(self, lts);
        budget.spend(lts.states() + lts.transitions())?;
        let mut nodes: Vec<Node> = Vec::with_capacity(self.nodes.len());
        let mut sets: Vec<Option<Set>> = Vec::with_capacity(self.nodes.len());
        let mut sizes: Vec<u64> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let set = steps.evaluate(node, &sets, budget)?;
            let mut needed = node.clone();
            let mut large: Vec<NodeId> = node.operands().to_vec();
            large.sort_by_key(|operand| std::cmp::Reverse(sizes[operand.index()]));
            for operand in large {
                let Some(less) = needed.without(operand) else {
                    break;
                };
                let others = steps.evaluate(&less, &sets, budget)?;
                if others.is_same(&set, steps.states) {
                    needed = less;
                }
            }
            let size = needed.operands().iter().map(|o| sizes[o.index()]);
            sizes.push(size.fold(1, u64::saturating_add));
            nodes.push(needed);
            sets.push(Some(set));
        }
        Some(nodes)
    }

    /// The formula of other nodes, with the labels that these speak of.
    fn rebuilt(&self, nodes: &[Node]) -> Self {
        let mut builder = FormulaBuilder::new();
        let mut made: Vec<NodeId> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let label = match node.label() {
                Some(label) if !label.is_hidden() => {
                    let known = builder.label(self.table.text(label));
                    known.expect("no more labels than before")
                }
                Some(_) | None => LabelId::HIDDEN,
            };
            let of = |operand: &NodeId| made[operand.index()];
            let node = match node {
                Node::And(operands) => builder.and(operands.iter().map(of)),
                Node::Or(operands) => builder.or(operands.iter().map(of)),
                Node::Not(operand) => builder.not(of(operand)),
                Node::Diamond(_, operand) => builder.diamond(label, of(operand)),
                Node::Box(_, operand) => builder.boxed(label, of(operand)),
                Node::WeakDiamond(_, operand) => builder.weak_diamond(label, of(operand)),
                Node::WeakBox(_, operand) => builder.weak_box(label, of(operand)),
                Node::Until(_, [held, target]) => builder.until(of(held), label, of(target)),
                Node::Divergence(operand) => builder.divergence(of(operand)),
            };
            made.push(node);
        }
        let root = made[self.root().index()];
        builder.build(root)
    }
}

impl Node {
    /// A conjunction or disjunction of two operands or more without one of them.
    fn without(&self, operand: NodeId) -> Option<Node> {
        let rest = |operands: &[NodeId]| -> Option<Box<[NodeId]>> {
            let rest = operands.iter().copied().filter(|&other| other != operand);
            (operands.len() > 1).then(|| rest.collect())
        };
        match self {
            Node::And(operands) => rest(operands).map(Node::And),
            Node::Or(operands) => rest(operands).map(Node::Or),
            Node::Not(_)
            | Node::Diamond(..)
            | Node::Box(..)
            | Node::WeakDiamond(..)
            | Node::WeakBox(..)
            | Node::Until(..)
            | Node::Divergence(_) => None,
        }
    }
}

/// How many steps are left.
pub(crate) struct Budget(u64);

impl Budget {
    pub(crate) fn new(steps: u64) -> Self {
        Self(steps)
    }

    /// `None` if there are not so many.
    pub(crate) fn spend(&mut self, steps: usize) -> Option<()> {
        self.0 = self.0.checked_sub(steps as u64)?;
        Some(())
    }
}

/// A set of states, a bit each; those behind the last state mean nothing.
#[derive(Clone)]
pub(crate) struct Set(Vec<u64>);

impl Set {
    pub(crate) fn empty(states: usize) -> Self {
        Set(vec![0; states.div_ceil(64)])
    }

    pub(crate) fn has(&self, state: u32) -> bool {
        self.0[state as usize / 64] >> (state % 64) & 1 == 1
    }

    /// Whether it was not there before.
    pub(crate) fn insert(&mut self, state: u32) -> bool {
        let fresh = !self.has(state);
        self.0[state as usize / 64] |= 1 << (state % 64);
        fresh
    }

    /// Whether both have the same of so many states.
    fn is_same(&self, other: &Set, states: u32) -> bool {
        let whole = states as usize / 64;
        let rest = (1u64 << (states % 64)) - 1;
        let last = |set: &Set| set.0.get(whole).map(|word| word & rest);
        self.0[..whole] == other.0[..whole] && last(self) == last(other)
    }

    fn remove(&mut self, state: u32) {
        self.0[state as usize / 64] &= !(1 << (state % 64));
    }

    pub(crate) fn complement(mut self) -> Self {
        self.0.iter_mut().for_each(|word| *word = !*word);
        self
    }

    fn unite(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(x, y)| *x |= y);
    }

    pub(crate) fn intersect(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(x, y)| *x &= y);
    }

    pub(crate) fn subtract(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(x, y)| *x &= !y);
    }

    /// The members below `states`, ascending.
    fn members(&self, states: u32) -> impl Iterator<Item = u32> + '_ {
        ones(self.0.iter().copied()).take_while(move |&state| state < states)
    }
}

/// The transitions of an LTS, or of the part that a formula can speak of: then
/// the state that is asked about has number 0, and labels are those of the
/// formula.
pub(crate) struct Steps {
    states: u32,
    /// For each label the transitions with it: source, target.
    transitions: Grouped<(u32, u32)>,
    /// The sources of the hidden transitions into each state.
    hidden_sources: Grouped<u32>,
}

impl Steps {
    /// All transitions of an LTS. O(states + transitions).
    pub(crate) fn of(lts: &Lts) -> Self {
        let transitions = lts.iter();
        let all = transitions.map(|(s, l, t)| (l.get(), (s.get(), t.get())));
        let all: Vec<(u32, (u32, u32))> = all.collect();
        Self::new(lts.states(), lts.table().len(), &all)
    }

    /// All transitions with labels of a formula, and these labels. O(states + transitions).
    fn all(formula: &Formula, lts: &Lts) -> Self {
        let mut of_label = vec![None; lts.table().len()];
        for (label, own) in formula.labels_in(lts).into_iter().enumerate() {
            if let Some(own) = own {
                of_label[own.index()] = Some(label as u32);
            }
        }
        let transitions = lts.iter();
        let known = transitions.filter_map(|(source, label, target)| {
            let label = of_label[label.index()]?;
            Some((label, (source.get(), target.get())))
        });
        let known: Vec<(u32, (u32, u32))> = known.collect();
        Self::new(lts.states(), formula.table.len(), &known)
    }

    /// Of transitions by label, source and target.
    fn new(states: usize, labels: usize, transitions: &[(u32, (u32, u32))]) -> Self {
        let hidden = transitions.iter().filter(|(label, _)| *label == 0);
        let hidden = hidden.map(|&(_, (source, target))| (target, source));
        Self {
            states: states as u32,
            hidden_sources: Grouped::new(states, hidden),
            transitions: Grouped::new(labels, transitions.iter().copied()),
        }
    }

    /// The states that can be reached by steps with labels of the formula, and
    /// these steps. O(states + transitions).
    fn reached(formula: &Formula, lts: &Lts, state: StateId, budget: &mut Budget) -> Option<Self> {
        /// For labels that the formula does not use, and states that are not
        /// reached.
        const NONE: u32 = u32::MAX;
        let mut of_label = vec![NONE; lts.table().len()];
        let used = formula.nodes.iter().filter_map(Node::label);
        // Each modality that this evaluation is for speaks of hidden steps.
        let in_lts = formula.labels_in(lts);
        for label in used.chain([LabelId::HIDDEN]) {
            if let Some(own) = in_lts[label.index()] {
                of_label[own.index()] = label.get();
            }
        }
        let mut number = vec![NONE; lts.states()];
        let mut order = vec![state];
        number[state.index()] = 0;
        let mut transitions: Vec<(u32, (u32, u32))> = Vec::new();
        let mut next = 0;
        while let Some(&source) = order.get(next) {
            let row = lts.row(source);
            budget.spend(1 + row.len())?;
            for (label, target) in lts.outgoing(source) {
                let label = of_label[label.index()];
                if label == NONE {
                    continue;
                }
                let target_number = &mut number[target.index()];
                if *target_number == NONE {
                    *target_number = order.len() as u32;
                    order.push(target);
                }
                transitions.push((label, (next as u32, *target_number)));
            }
            next += 1;
        }
        let labels = formula.table.len();
        Some(Self::new(order.len(), labels, &transitions))
    }

    fn evaluate(&self, node: &Node, sets: &[Option<Set>], budget: &mut Budget) -> Option<Set> {
        let of = |operand: &NodeId| {
            let set = sets[operand.index()].as_ref();
            set.expect("made before its operator and kept for it")
        };
        let words = self.states.div_ceil(64) as usize;
        budget.spend(words * (1 + node.operands().len()))?;
        Some(match node {
            Node::And(operands) => {
                let mut all = Set::empty(self.states as usize).complement();
                operands.iter().for_each(|o| all.intersect(of(o)));
                all
            }
            Node::Or(operands) => {
                let mut any = Set::empty(self.states as usize);
                operands.iter().for_each(|o| any.unite(of(o)));
                any
            }
            Node::Not(operand) => of(operand).clone().complement(),
            Node::Diamond(label, operand) => self.before(*label, of(operand), budget)?,
            Node::Box(label, operand) => {
                let other = of(operand).clone().complement();
                self.before(*label, &other, budget)?.complement()
            }
            Node::WeakDiamond(label, operand) => {
                self.weakly_before(*label, of(operand).clone(), budget)?
            }
            Node::WeakBox(label, operand) => {
                let other = of(operand).clone().complement();
                self.weakly_before(*label, other, budget)?.complement()
            }
            Node::Until(label, [held, target]) => {
                self.until(of(held), *label, of(target), budget)?
            }
            Node::Divergence(operand) => self.diverging(of(operand).clone(), budget)?,
        })
    }

    /// The states with a step into the set.
    pub(crate) fn before(&self, label: LabelId, set: &Set, budget: &mut Budget) -> Option<Set> {
        let transitions = self.transitions.of(label.get());
        budget.spend(transitions.len())?;
        let mut before = Set::empty(self.states as usize);
        for &(source, target) in transitions {
            if set.has(target) {
                before.insert(source);
            }
        }
        Some(before)
    }

    /// The states with hidden steps, a step with the label and hidden steps
    /// into the set.
    pub(crate) fn weakly_before(
        &self,
        label: LabelId,
        set: Set,
        budget: &mut Budget,
    ) -> Option<Set> {
        let mut set = set;
        self.close(&mut set, None, budget)?;
        if !label.is_hidden() {
            set = self.before(label, &set, budget)?;
            self.close(&mut set, None, budget)?;
        }
        Some(set)
    }

    /// The states with hidden steps through `held` and then a step with the
    /// label into the set `target`; for the hidden label, also that set.
    pub(crate) fn until(
        &self,
        held: &Set,
        label: LabelId,
        target: &Set,
        budget: &mut Budget,
    ) -> Option<Set> {
        let mut set = self.before(label, target, budget)?;
        set.intersect(held);
        self.close(&mut set, Some(held), budget)?;
        if label.is_hidden() {
            set.unite(target);
        }
        Some(set)
    }

    /// Adds the states with hidden steps into the set, through states of
    /// `within` only.
    pub(crate) fn close(
        &self,
        set: &mut Set,
        within: Option<&Set>,
        budget: &mut Budget,
    ) -> Option<()> {
        let mut open: Vec<u32> = set.members(self.states).collect();
        while let Some(target) = open.pop() {
            let sources = self.hidden_sources.of(target);
            budget.spend(1 + sources.len())?;
            for &source in sources {
                if within.is_none_or(|within| within.has(source)) && set.insert(source) {
                    open.push(source);
                }
            }
        }
        Some(())
    }

    /// The states from which hidden steps can go on for ever within the set:
    /// what is left of it when states without such a step are taken away one
    /// after the other.
    pub(crate) fn diverging(&self, set: Set, budget: &mut Budget) -> Option<Set> {
        let mut set = set;
        let hidden = self.transitions.of(LabelId::HIDDEN.get());
        budget.spend(self.states as usize + 2 * hidden.len())?;
        let mut ways = vec![0u32; self.states as usize];
        for &(source, target) in hidden {
            ways[source as usize] += u32::from(set.has(target));
        }
        let members = set.members(self.states);
        let mut open: Vec<u32> = members.filter(|&s| ways[s as usize] == 0).collect();
        open.iter().for_each(|&s| set.remove(s));
        while let Some(gone) = open.pop() {
            for &source in self.hidden_sources.of(gone) {
                ways[source as usize] -= 1;
                if ways[source as usize] == 0 && set.has(source) {
                    set.remove(source);
                    open.push(source);
                }
            }
        }
        Some(set)
    }
}
