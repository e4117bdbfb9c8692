//! A formula as a graph: positive normal form, regular formulas translated to
//! fixpoints, one for each state of their automata.
//!
//! The graph is an alternating parity automaton over LTSs with data: a node and a
//! state, with values of the variables that are live at the node, are a position of
//! the game that decides the formula. Regular formulas are compiled with the node
//! that comes after them, which is never copied, so that the size is linear in the
//! formula, but for bounded repetition and for `<R>@`, whose words must not be empty.

use std::collections::HashMap;

use crate::evidence::Valued;
use crate::syntax::{
    ActionFormula, Domain, Expression, FixpointId, Function, GatePattern, Modality, OfferMatch,
    OfferPattern, Place, Property, Quantifier, Real, Regular, Sign, Sort, StateFormula, Value,
    Variable, VariableId,
};

/// The most nodes of a graph: bounded repetition copies.
pub const MAX_NODES: usize = 1 << 22;

/// A node of a [`Graph`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct NodeId(pub u32);

impl NodeId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An action formula of a [`Graph`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ActionId(pub u32);

impl ActionId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What holds at a node, without negations.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Constant(bool),
    And(Box<[NodeId]>),
    Or(Box<[NodeId]>),
    /// The expression has this value.
    Condition(Expression, bool),
    /// The first node if the expression is true, else the second.
    Guard(Expression, [NodeId; 2]),
    /// The node with these variables set, all at once.
    Assign(Box<[(VariableId, Expression)]>, NodeId),
    Quantified(Quantifier, VariableId, Domain, NodeId),
    Modal(Modality, ActionId, NodeId),
    Fixpoint(Sign, NodeId),
}

impl Node {
    pub fn successors(&self) -> &[NodeId] {
        match self {
            Node::Constant(_) | Node::Condition(..) => &[],
            Node::And(nodes) | Node::Or(nodes) => nodes,
            Node::Guard(_, nodes) => nodes,
            Node::Assign(_, node)
            | Node::Quantified(_, _, _, node)
            | Node::Modal(_, _, node)
            | Node::Fixpoint(_, node) => std::slice::from_ref(node),
        }
    }
}

/// An action formula, and the variables that it reads and makes known.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub formula: ActionFormula,
    /// Ascending.
    pub reads: Box<[VariableId]>,
    /// Ascending.
    pub binds: Box<[VariableId]>,
}

/// The text of the part of the formula that a node stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'p> {
    pub formula: &'p StateFormula,
    /// Whether the node holds where the formula does; else it holds where it does not.
    pub positive: bool,
    /// Whether it stands for a part of it only, such as what is left within a word of its
    /// regular formula.
    pub is_inner: bool,
}

/// A formula as a graph.
#[derive(Debug)]
pub(crate) struct Graph<'p> {
    /// What the formula was made from; none of formulas of other sources.
    property: Option<&'p Property>,
    pub nodes: Vec<Node>,
    pub root: NodeId,
    pub actions: Vec<Action>,
    /// Of each node: even for greatest fixpoints, odd for least ones; on each cycle
    /// the largest one decides.
    pub priorities: Vec<u32>,
    /// Of each node: the variables whose values it needs, ascending.
    pub live: Vec<Box<[VariableId]>>,
    pub origins: Vec<Option<Origin<'p>>>,
    /// The fixpoints of loops that count, and what they count by.
    pub counters: HashMap<NodeId, VariableId>,
    /// Variables beyond those of the property, for loops.
    pub made: Vec<Variable>,
}

/// A formula whose graph would have more than [`MAX_NODES`] nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLargeFormula;

impl std::fmt::Display for TooLargeFormula {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the formula has more than {MAX_NODES} parts after its repetitions are written out: \
             give smaller numbers of repetitions"
        )
    }
}

impl std::error::Error for TooLargeFormula {}

impl<'p> Graph<'p> {
    /// The graph of a property. O(size of the graph times the depth of fixpoints).
    pub fn new(property: &'p Property) -> Result<Self, TooLargeFormula> {
        let mut builder = Builder {
            property,
            nodes: Vec::new(),
            actions: Vec::new(),
            action_index: HashMap::new(),
            origins: Vec::new(),
            scopes: Vec::new(),
            fixpoints: HashMap::new(),
            closed: HashMap::new(),
            counters: HashMap::new(),
            made: Vec::new(),
        };
        let root = builder.state(&property.formula, true)?;
        let live = live(&builder.nodes, &builder.actions);
        let priorities = priorities(&builder.nodes, &builder.scopes);
        Ok(Graph {
            property: Some(property),
            nodes: builder.nodes,
            root,
            actions: builder.actions,
            priorities,
            live,
            origins: builder.origins,
            counters: builder.counters,
            made: builder.made,
        })
    }

    /// A graph of nodes from elsewhere, without data; each fixpoint comes with the end of
    /// the nodes within it, outer ones before inner ones.
    pub fn of_nodes(
        nodes: Vec<Node>,
        root: NodeId,
        actions: Vec<Action>,
        scopes: &[(NodeId, usize)],
    ) -> Self {
        let priorities = priorities(&nodes, scopes);
        Self::without_data(nodes, root, actions, priorities)
    }

    /// The same, with these [priorities](Graph::priorities).
    pub fn without_data(
        nodes: Vec<Node>,
        root: NodeId,
        actions: Vec<Action>,
        priorities: Vec<u32>,
    ) -> Self {
        Graph {
            property: None,
            root,
            priorities,
            live: vec![Box::default(); nodes.len()],
            origins: vec![None; nodes.len()],
            nodes,
            actions,
            counters: HashMap::new(),
            made: Vec::new(),
        }
    }

    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }

    /// The fixpoint of the property that a node stands for; none if a repetition has made it.
    pub fn fixpoint(&self, node: NodeId) -> Option<FixpointId> {
        let origin = self.origins[node.index()].map(|origin| origin.formula);
        match (self.node(node), origin) {
            (Node::Fixpoint(..), Some(StateFormula::Fixpoint(_, id, ..))) => Some(*id),
            _ => None,
        }
    }

    /// A part of the formula as text.
    pub fn text(&self, formula: &StateFormula) -> String {
        let text = |property| crate::print::text(property, formula);
        self.property.map_or_else(String::new, text)
    }

    /// A fixpoint with parameters as the one that has these values of its parameters to
    /// begin with, and what other values there are.
    pub fn with_arguments(
        &self,
        formula: &StateFormula,
        values: &[(VariableId, Value)],
    ) -> Option<(StateFormula, Vec<(VariableId, Value)>)> {
        let StateFormula::Fixpoint(sign, id, first, body) = formula else {
            return None;
        };
        let parameters = &self.property?.fixpoints[id.0 as usize].parameters;
        let value = |(parameter, first): (&VariableId, &Expression)| {
            let known = values.iter().find(|(variable, _)| variable == parameter);
            match (known, first) {
                (Some((_, value)), _) => Expression::Constant(value.clone()),
                // The value of one that is not read makes no difference.
                (None, Expression::Constant(_)) => first.clone(),
                (None, _) => {
                    let sort = self
                        .property
                        .map(|p| &p.variables[parameter.0 as usize].sort);
                    sort.map_or_else(|| first.clone(), |sort| Expression::Constant(any_of(sort)))
                }
            }
        };
        let arguments = parameters.iter().zip(first).map(value).collect();
        let is_other = |(variable, _): &&(VariableId, Value)| !parameters.contains(variable);
        let rest = values.iter().filter(is_other).cloned().collect();
        let formula = StateFormula::Fixpoint(*sign, *id, arguments, body.clone());
        Some((formula, rest))
    }

    /// Whether a node joins others, one of which at least is neither a constant nor a
    /// condition.
    pub fn is_junction(&self, node: NodeId) -> bool {
        let (Node::And(operands) | Node::Or(operands)) = self.node(node) else {
            return false;
        };
        let is_open =
            |node: &NodeId| !matches!(self.node(*node), Node::Constant(_) | Node::Condition(..));
        operands.iter().any(is_open)
    }

    /// Values of variables as the formula calls them; of two variables with one name, the
    /// inner one.
    pub fn valued(&self, values: Vec<(VariableId, Value)>) -> Vec<Valued> {
        let Some(property) = self.property else {
            return Vec::new();
        };
        let mut valued: Vec<Valued> = Vec::new();
        for (variable, value) in values {
            // Those that the graph has made for itself have no names.
            let Some(known) = property.variables.get(variable.0 as usize) else {
                continue;
            };
            let name = known.name.clone();
            valued.retain(|outer| outer.name != name);
            let text = crate::print::value_text(property, &value);
            valued.push(Valued { name, value, text });
        }
        valued
    }

    /// Whether this is the text of the formula as a whole, or of what its outermost
    /// fixpoints are about.
    pub fn is_whole(&self, text: &str) -> bool {
        let Some(property) = self.property else {
            return text.is_empty();
        };
        let mut formula = &property.formula;
        loop {
            if self.text(formula) == text {
                return true;
            }
            match formula {
                StateFormula::Fixpoint(_, _, _, body) | StateFormula::Not(body) => formula = body,
                _ => return false,
            }
        }
    }

    /// In games: at least 2 for fixpoints, and 0 for what is none.
    pub fn priority(&self, node: NodeId) -> u32 {
        match self.node(node) {
            Node::Fixpoint(..) => self.priorities[node.index()] + 2,
            Node::Constant(_)
            | Node::And(_)
            | Node::Or(_)
            | Node::Condition(..)
            | Node::Guard(..)
            | Node::Assign(..)
            | Node::Quantified(..)
            | Node::Modal(..) => 0,
        }
    }

    /// Whether no node needs a value.
    pub fn is_data_free(&self) -> bool {
        self.live.iter().all(|live| live.is_empty())
            && self.nodes.iter().all(|node| match node {
                Node::Constant(_) | Node::And(_) | Node::Or(_) | Node::Fixpoint(..) => true,
                Node::Condition(..) | Node::Guard(..) | Node::Assign(..) | Node::Quantified(..) => {
                    false
                }
                Node::Modal(_, action, _) => self.actions[action.index()].reads.is_empty(),
            })
    }
}

/// A value of this sort.
fn any_of(sort: &Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(false),
        Sort::Pos => Value::Int(1),
        Sort::Nat | Sort::Int => Value::Int(0),
        Sort::Real => Value::Real(Real::new(0.0).expect("a number")),
        Sort::Char => Value::Char(b'0'),
        Sort::String | Sort::Named(_) => Value::Text(Default::default()),
    }
}

struct Builder<'p> {
    property: &'p Property,
    nodes: Vec<Node>,
    actions: Vec<Action>,
    /// Equal trees by address: a regular formula that is compiled more than once.
    action_index: HashMap<*const ActionFormula, ActionId>,
    origins: Vec<Option<Origin<'p>>>,
    /// Each fixpoint node, with the nodes within it: itself and those up to the end,
    /// outer ones before inner ones.
    scopes: Vec<(NodeId, usize)>,
    fixpoints: HashMap<(FixpointId, bool), NodeId>,
    /// Operands of equivalences, by address.
    closed: HashMap<(*const StateFormula, bool), NodeId>,
    /// See [`Graph::counters`].
    counters: HashMap<NodeId, VariableId>,
    /// See [`Graph::made`].
    made: Vec<Variable>,
}

type Built = Result<NodeId, TooLargeFormula>;

impl<'p> Builder<'p> {
    fn node(&mut self, node: Node) -> Built {
        if self.nodes.len() == MAX_NODES {
            return Err(TooLargeFormula);
        }
        self.nodes.push(node);
        self.origins.push(None);
        Ok(NodeId(self.nodes.len() as u32 - 1))
    }

    /// A fixpoint whose body is made with it; the nodes made meanwhile are within it.
    fn fixpoint(&mut self, sign: Sign, body: impl FnOnce(&mut Self, NodeId) -> Built) -> Built {
        // Its body is not known yet: itself for the time being.
        let node = self.node(Node::Fixpoint(sign, NodeId(self.nodes.len() as u32)))?;
        let scope = self.scopes.len();
        self.scopes.push((node, 0));
        let body = body(self, node)?;
        self.nodes[node.index()] = Node::Fixpoint(sign, body);
        self.scopes[scope].1 = self.nodes.len();
        Ok(node)
    }

    /// The conjunction or disjunction; conditions come first.
    fn junction(&mut self, is_and: bool, mut nodes: Vec<NodeId>) -> Built {
        let neutral = |builder: &Self, node: NodeId| matches!(builder.nodes[node.index()], Node::Constant(value) if value == is_and);
        nodes.retain(|&node| !neutral(self, node));
        let absorbing = |&&node: &&NodeId| matches!(self.nodes[node.index()], Node::Constant(value) if value != is_and);
        if let Some(&node) = nodes.iter().find(absorbing) {
            return Ok(node);
        }
        nodes.sort_by_key(|node| !matches!(self.nodes[node.index()], Node::Condition(..)));
        match nodes[..] {
            [] => self.node(Node::Constant(is_and)),
            [node] => Ok(node),
            _ if is_and => self.node(Node::And(nodes.into())),
            _ => self.node(Node::Or(nodes.into())),
        }
    }

    fn state(&mut self, formula: &'p StateFormula, positive: bool) -> Built {
        let node = self.state_node(formula, positive)?;
        let origin = &mut self.origins[node.index()];
        // A fixpoint variable leads to the node of its fixpoint, which has its own.
        if origin.is_none() {
            *origin = Some(Origin {
                formula,
                positive,
                is_inner: false,
            });
        }
        Ok(node)
    }

    /// Nodes from this one on that have no origin are of this formula, which begins with
    /// `start`.
    fn of_part(&mut self, first: usize, start: NodeId, formula: &'p StateFormula, positive: bool) {
        for (number, origin) in self.origins.iter_mut().enumerate().skip(first) {
            origin.get_or_insert(Origin {
                formula,
                positive,
                is_inner: number != start.index() || self.counters.contains_key(&start),
            });
        }
    }

    fn state_node(&mut self, formula: &'p StateFormula, positive: bool) -> Built {
        match formula {
            StateFormula::Constant(value) => self.node(Node::Constant(*value == positive)),
            StateFormula::Condition(Expression::Constant(Value::Bool(value))) => {
                self.node(Node::Constant(*value == positive))
            }
            StateFormula::Condition(expression) => {
                self.node(Node::Condition(expression.clone(), positive))
            }
            StateFormula::Not(operand) => self.state(operand, !positive),
            StateFormula::And(_) | StateFormula::Or(_) | StateFormula::Implies(_) => {
                let is_and = matches!(formula, StateFormula::And(_)) == positive;
                let mut operands = Vec::new();
                collect(formula, positive, is_and, &mut operands);
                let mut nodes = Vec::with_capacity(operands.len());
                for (operand, positive) in operands {
                    nodes.push(self.state(operand, positive)?);
                }
                self.junction(is_and, nodes)
            }
            StateFormula::Equivalent(operands) => {
                // Both or none; its opposite: one of both, and not both.
                let start = self.nodes.len();
                let [left, right] = &**operands;
                let mut both = Vec::with_capacity(2);
                for (first, second) in [(!positive, true), (positive, false)] {
                    let nodes = vec![self.closed(left, first)?, self.closed(right, second)?];
                    both.push(self.junction(false, nodes)?);
                }
                let node = self.junction(true, both)?;
                self.of_part(start, node, formula, positive);
                Ok(node)
            }
            StateFormula::Modal(modality, regular, body) => {
                let modality = match (modality, positive) {
                    (Modality::Diamond, true) | (Modality::Box, false) => Modality::Diamond,
                    (Modality::Box, true) | (Modality::Diamond, false) => Modality::Box,
                };
                let after = self.state(body, positive)?;
                let first = self.nodes.len();
                let node = self.regular(modality, regular, after)?;
                self.of_part(first, node, formula, positive);
                Ok(node)
            }
            StateFormula::Infinitely(regular) => {
                let (modality, sign) = match positive {
                    true => (Modality::Diamond, Sign::Nu),
                    false => (Modality::Box, Sign::Mu),
                };
                let first = self.nodes.len();
                let nothing = self.node(Node::Constant(!positive))?;
                let node = self.fixpoint(sign, |builder, again| {
                    builder.nonempty(modality, regular, nothing, again)
                })?;
                self.of_part(first, node, formula, positive);
                Ok(node)
            }
            StateFormula::Fixpoint(sign, fixpoint, arguments, body) => {
                let sign = match (sign, positive) {
                    (Sign::Mu, true) | (Sign::Nu, false) => Sign::Mu,
                    (Sign::Nu, true) | (Sign::Mu, false) => Sign::Nu,
                };
                let key = (*fixpoint, positive);
                let node = self.fixpoint(sign, |builder, node| {
                    builder.fixpoints.insert(key, node);
                    builder.state(body, positive)
                })?;
                self.fixpoints.remove(&key);
                self.origins[node.index()] = Some(Origin {
                    formula,
                    positive,
                    is_inner: false,
                });
                self.call(*fixpoint, arguments, node)
            }
            StateFormula::Variable(fixpoint, arguments) => {
                let node = self.fixpoints[&(*fixpoint, positive)];
                self.call(*fixpoint, arguments, node)
            }
            StateFormula::Quantified(quantifier, variable, domain, body) => {
                let quantifier = match (quantifier, positive) {
                    (Quantifier::Forall, true) | (Quantifier::Exists, false) => Quantifier::Forall,
                    (Quantifier::Exists, true) | (Quantifier::Forall, false) => Quantifier::Exists,
                };
                let body = self.state(body, positive)?;
                self.node(Node::Quantified(
                    quantifier,
                    *variable,
                    domain.clone(),
                    body,
                ))
            }
            StateFormula::Let(variable, value, body) => {
                let body = self.state(body, positive)?;
                self.node(Node::Assign([(*variable, (**value).clone())].into(), body))
            }
            StateFormula::If(branches, otherwise) => {
                let mut node = self.state(otherwise, positive)?;
                for (condition, branch) in branches.iter().rev() {
                    let branch = self.state(branch, positive)?;
                    node = self.node(Node::Guard(condition.clone(), [branch, node]))?;
                }
                Ok(node)
            }
        }
    }

    /// A formula without fixpoint variables of outside, made once: its operator needs it
    /// twice.
    fn closed(&mut self, formula: &'p StateFormula, positive: bool) -> Built {
        let key = (std::ptr::from_ref(formula), positive);
        if let Some(&known) = self.closed.get(&key) {
            return Ok(known);
        }
        let node = self.state(formula, positive)?;
        self.closed.insert(key, node);
        Ok(node)
    }

    fn call(&mut self, fixpoint: FixpointId, arguments: &[Expression], node: NodeId) -> Built {
        if arguments.is_empty() {
            return Ok(node);
        }
        let parameters = &self.property.fixpoints[fixpoint.0 as usize].parameters;
        let values = parameters.iter().copied().zip(arguments.iter().cloned());
        self.node(Node::Assign(values.collect(), node))
    }

    /// `<R>` or `[R]` of the node `after`.
    fn regular(&mut self, modality: Modality, regular: &'p Regular, after: NodeId) -> Built {
        let (is_and, sign) = choice(modality);
        match regular {
            Regular::Empty => Ok(after),
            Regular::Action(action) => self.modal(modality, action, after),
            Regular::Sequence(parts) => {
                let mut node = after;
                for part in parts.iter().rev() {
                    node = self.regular(modality, part, node)?;
                }
                Ok(node)
            }
            Regular::Choice(parts) => {
                let mut nodes = Vec::with_capacity(parts.len());
                for part in parts {
                    nodes.push(self.regular(modality, part, after)?);
                }
                self.junction(is_and, nodes)
            }
            Regular::Star(body) => self.fixpoint(sign, |builder, again| {
                let more = builder.regular(modality, body, again)?;
                builder.junction(is_and, vec![after, more])
            }),
            Regular::Plus(body) => {
                let mut first = after;
                self.fixpoint(sign, |builder, again| {
                    first = builder.regular(modality, body, again)?;
                    builder.junction(is_and, vec![after, first])
                })?;
                Ok(first)
            }
            Regular::Optional(body) => {
                let node = self.regular(modality, body, after)?;
                self.junction(is_and, vec![after, node])
            }
            Regular::Repeat(body, least, most) => {
                let mut node = after;
                match most {
                    Some(most) => {
                        for _ in *least..*most {
                            node = self.regular(modality, body, node)?;
                            node = self.junction(is_and, vec![after, node])?;
                        }
                    }
                    None => {
                        node = self.fixpoint(sign, |builder, again| {
                            let more = builder.regular(modality, body, again)?;
                            builder.junction(is_and, vec![after, more])
                        })?;
                    }
                }
                for _ in 0..*least {
                    node = self.regular(modality, body, node)?;
                }
                Ok(node)
            }
            Regular::If(branches, otherwise) => {
                let mut node = self.regular(modality, otherwise, after)?;
                for (condition, branch) in branches.iter().rev() {
                    let branch = self.regular(modality, branch, after)?;
                    node = self.node(Node::Guard(condition.clone(), [branch, node]))?;
                }
                Ok(node)
            }
            Regular::For(variable, range, body) => {
                let counter = Counter::new(*variable, range, self);
                let (node, _) = self.counting(&counter, sign, after, |builder, next| {
                    builder.regular(modality, body, next)
                })?;
                self.node(Node::Assign(counter.first, node))
            }
            Regular::Let(variable, value, body) => {
                let node = self.regular(modality, body, after)?;
                self.node(Node::Assign([(*variable, (**value).clone())].into(), node))
            }
        }
    }

    /// `<R>` or `[R]` of the node `after`, and of the node `unmoved` where the word is
    /// empty. For `unmoved`, which is absorbed by the choice, more empty words make
    /// no difference.
    fn nonempty(
        &mut self,
        modality: Modality,
        regular: &'p Regular,
        unmoved: NodeId,
        after: NodeId,
    ) -> Built {
        let (is_and, _) = choice(modality);
        match regular {
            Regular::Empty => Ok(unmoved),
            Regular::Action(action) => self.modal(modality, action, after),
            Regular::Sequence(parts) => {
                let (mut moved, mut node) = (after, unmoved);
                for (k, part) in parts.iter().enumerate().rev() {
                    node = self.nonempty(modality, part, node, moved)?;
                    if k > 0 {
                        moved = self.regular(modality, part, moved)?;
                    }
                }
                Ok(node)
            }
            Regular::Choice(parts) => {
                let mut nodes = Vec::with_capacity(parts.len());
                for part in parts {
                    nodes.push(self.nonempty(modality, part, unmoved, after)?);
                }
                self.junction(is_and, nodes)
            }
            Regular::Star(body) | Regular::Optional(body) => {
                let moved = match regular {
                    Regular::Star(_) => self.regular(modality, regular, after)?,
                    _ => after,
                };
                let node = self.nonempty(modality, body, unmoved, moved)?;
                self.junction(is_and, vec![unmoved, node])
            }
            Regular::Plus(body) => {
                // What comes after the first non-empty turn is any number of turns.
                let (is_and, sign) = choice(modality);
                let moved = self.fixpoint(sign, |builder, again| {
                    let more = builder.regular(modality, body, again)?;
                    builder.junction(is_and, vec![after, more])
                })?;
                self.nonempty(modality, body, unmoved, moved)
            }
            Regular::Repeat(body, least, most) => {
                // From the last turn on: what is left of the turns, moved and unmoved.
                let (mut moved, mut node) = (after, unmoved);
                match most {
                    Some(most) => {
                        for _ in *least..*most {
                            node = self.nonempty(modality, body, node, moved)?;
                            node = self.junction(is_and, vec![unmoved, node])?;
                            moved = self.regular(modality, body, moved)?;
                            moved = self.junction(is_and, vec![after, moved])?;
                        }
                    }
                    None => {
                        let (_, sign) = choice(modality);
                        moved = self.fixpoint(sign, |builder, again| {
                            let more = builder.regular(modality, body, again)?;
                            builder.junction(is_and, vec![after, more])
                        })?;
                        let more = self.nonempty(modality, body, unmoved, moved)?;
                        node = self.junction(is_and, vec![unmoved, more])?;
                    }
                }
                for _ in 0..*least {
                    node = self.nonempty(modality, body, node, moved)?;
                    moved = self.regular(modality, body, moved)?;
                }
                Ok(node)
            }
            Regular::If(branches, otherwise) => {
                let mut node = self.nonempty(modality, otherwise, unmoved, after)?;
                for (condition, branch) in branches.iter().rev() {
                    let branch = self.nonempty(modality, branch, unmoved, after)?;
                    node = self.node(Node::Guard(condition.clone(), [branch, node]))?;
                }
                Ok(node)
            }
            Regular::For(variable, range, body) => {
                // Two loops that count by the same variables: nothing has moved in the
                // first, which may go over to the second.
                let (_, sign) = choice(modality);
                let counter = Counter::new(*variable, range, self);
                let (_, moved) = self.counting(&counter, sign, after, |builder, next| {
                    builder.regular(modality, body, next)
                })?;
                let (node, _) = self.counting(&counter, sign, unmoved, |builder, next| {
                    builder.nonempty(modality, body, next, moved)
                })?;
                self.node(Node::Assign(counter.first, node))
            }
            Regular::Let(variable, value, body) => {
                let node = self.nonempty(modality, body, unmoved, after)?;
                self.node(Node::Assign([(*variable, (**value).clone())].into(), node))
            }
        }
    }

    fn modal(&mut self, modality: Modality, action: &'p ActionFormula, after: NodeId) -> Built {
        let known = self.actions.len() as u32;
        let action = match self.action_index.entry(action) {
            std::collections::hash_map::Entry::Occupied(known) => *known.get(),
            std::collections::hash_map::Entry::Vacant(new) => {
                let (mut reads, mut binds) = (Vec::new(), Vec::new());
                action_variables(action, &mut reads, &mut binds);
                self.actions.push(Action {
                    formula: action.clone(),
                    reads: ascending(reads),
                    binds: ascending(binds),
                });
                *new.insert(ActionId(known))
            }
        };
        self.node(Node::Modal(modality, action, after))
    }

    /// A variable of a loop's own, beside the one that counts.
    fn invent(&mut self, counter: VariableId, role: &str) -> VariableId {
        let number = self.property.variables.len() + self.made.len();
        let name = &self.property.variables[counter.0 as usize].name;
        self.made.push(Variable {
            name: format!("{name}_{role}").into(),
            sort: Sort::Int,
        });
        VariableId(number as u32)
    }

    /// A loop that counts, and the node that counts on.
    fn counting(
        &mut self,
        counter: &Counter,
        sign: Sign,
        after: NodeId,
        body: impl FnOnce(&mut Self, NodeId) -> Built,
    ) -> Result<(NodeId, NodeId), TooLargeFormula> {
        let mut next = after;
        let node = self.fixpoint(sign, |builder, again| {
            builder.counters.insert(again, counter.variable);
            let count = builder.node(Node::Assign(counter.next(), again))?;
            next = builder.node(Node::Guard(counter.has_next(), [count, after]))?;
            let body = body(builder, next)?;
            builder.node(Node::Guard(counter.goes_on(), [body, after]))
        })?;
        Ok((node, next))
    }
}

/// What a loop counts by.
struct Counter {
    variable: VariableId,
    /// A constant, or a variable of the loop's own.
    limit: Expression,
    /// Likewise.
    step: Expression,
    /// What is set before the loop.
    first: Box<[(VariableId, Expression)]>,
}

impl Counter {
    fn new(variable: VariableId, range: &[Expression; 3], builder: &mut Builder<'_>) -> Self {
        let [from, limit, step] = range.clone();
        let mut first = vec![(variable, from)];
        let mut held = |value: Expression, role: &str| match value {
            Expression::Constant(_) => value,
            Expression::Variable(_) | Expression::Apply(..) => {
                let own = builder.invent(variable, role);
                first.push((own, value));
                Expression::Variable(own)
            }
        };
        let (limit, step) = (held(limit, "to"), held(step, "step"));
        Counter {
            variable,
            limit,
            step,
            first: first.into(),
        }
    }

    /// The variable, the limit and the step.
    fn parts(&self) -> [Expression; 3] {
        [
            Expression::Variable(self.variable),
            self.limit.clone(),
            self.step.clone(),
        ]
    }

    fn next(&self) -> Box<[(VariableId, Expression)]> {
        let [variable, _, step] = self.parts();
        [(self.variable, apply(Function::Add, [variable, step]))].into()
    }

    /// Whether the limit is not passed, upwards or downwards.
    fn goes_on(&self) -> Expression {
        by_sign(&self.step, &|is_down| {
            let [variable, limit, _] = self.parts();
            apply(not_beyond(is_down), [variable, limit])
        })
    }

    /// Whether the limit is not passed by the next value, which may need more than 64
    /// bits then: what is computed needs none.
    fn has_next(&self) -> Expression {
        // The limit is beyond the variable, or is it, and so on the side of 0 where the one
        // or the other is within bounds.
        by_sign(&self.step, &|is_down| {
            by_sign(&self.limit, &|is_negative| {
                let [variable, limit, step] = self.parts();
                let sides = match is_down == is_negative {
                    true => [variable, difference(limit, step)],
                    false => [apply(Function::Add, [variable, step]), limit],
                };
                apply(not_beyond(is_down), sides)
            })
        })
    }
}

/// How a value is compared with a limit that it has not passed.
fn not_beyond(is_down: bool) -> Function {
    match is_down {
        true => Function::GreaterOrEqual,
        false => Function::LessOrEqual,
    }
}

/// What is true of a number that is negative, or of one that is not, whichever it is.
fn by_sign(number: &Expression, truth: &dyn Fn(bool) -> Expression) -> Expression {
    if let Expression::Constant(Value::Int(number)) = number {
        return truth(*number < 0);
    }
    let is = |function| {
        let zero = Expression::Constant(Value::Int(0));
        apply(function, [number.clone(), zero])
    };
    let cases = [(Function::Less, true), (Function::GreaterOrEqual, false)];
    let cases = cases
        .map(|(function, is_negative)| apply(Function::And, [is(function), truth(is_negative)]));
    apply(Function::Or, cases)
}

/// A difference of integers.
fn difference(left: Expression, right: Expression) -> Expression {
    if let (Expression::Constant(Value::Int(left)), Expression::Constant(Value::Int(right))) =
        (&left, &right)
        && let Some(difference) = left.checked_sub(*right)
    {
        return Expression::Constant(Value::Int(difference));
    }
    apply(Function::Subtract, [left, right])
}

/// An expression that is written nowhere.
fn apply<const N: usize>(function: Function, operands: [Expression; N]) -> Expression {
    Expression::Apply(function, operands.into(), Place::default())
}

/// Whether the choice of words is a conjunction, and the fixpoint of their repetition.
fn choice(modality: Modality) -> (bool, Sign) {
    match modality {
        Modality::Diamond => (false, Sign::Mu),
        Modality::Box => (true, Sign::Nu),
    }
}

/// The operands of a conjunction, or disjunction, with those of the same kind in them.
fn collect<'p>(
    formula: &'p StateFormula,
    positive: bool,
    is_and: bool,
    operands: &mut Vec<(&'p StateFormula, bool)>,
) {
    match formula {
        StateFormula::Not(operand) => collect(operand, !positive, is_and, operands),
        StateFormula::And(parts) if is_and == positive => {
            parts
                .iter()
                .for_each(|part| collect(part, positive, is_and, operands));
        }
        StateFormula::Or(parts) if is_and != positive => {
            parts
                .iter()
                .for_each(|part| collect(part, positive, is_and, operands));
        }
        StateFormula::Implies(parts) if is_and != positive => {
            collect(&parts[0], !positive, is_and, operands);
            collect(&parts[1], positive, is_and, operands);
        }
        StateFormula::Constant(_)
        | StateFormula::Condition(_)
        | StateFormula::And(_)
        | StateFormula::Or(_)
        | StateFormula::Implies(_)
        | StateFormula::Equivalent(_)
        | StateFormula::Modal(..)
        | StateFormula::Infinitely(_)
        | StateFormula::Fixpoint(..)
        | StateFormula::Variable(..)
        | StateFormula::Quantified(..)
        | StateFormula::Let(..)
        | StateFormula::If(..) => operands.push((formula, positive)),
    }
}

fn ascending(mut variables: Vec<VariableId>) -> Box<[VariableId]> {
    variables.sort_unstable();
    variables.dedup();
    variables.into()
}

/// The variables of an expression.
pub(crate) fn expression_variables(expression: &Expression, found: &mut Vec<VariableId>) {
    match expression {
        Expression::Constant(_) => {}
        Expression::Variable(variable) => found.push(*variable),
        Expression::Apply(_, operands, _) => {
            operands
                .iter()
                .for_each(|operand| expression_variables(operand, found));
        }
    }
}

fn domain_variables(domain: &Domain, found: &mut Vec<VariableId>) {
    match domain {
        Domain::Booleans | Domain::Occurring => {}
        Domain::Values(values) => values
            .iter()
            .for_each(|value| expression_variables(value, found)),
        Domain::Range(ends) => ends.iter().for_each(|end| expression_variables(end, found)),
    }
}

/// The variables that an action formula reads, and those that it makes known.
fn action_variables(
    formula: &ActionFormula,
    reads: &mut Vec<VariableId>,
    binds: &mut Vec<VariableId>,
) {
    let mut inner = |formula: &ActionFormula| action_variables(formula, reads, &mut Vec::new());
    match formula {
        ActionFormula::Constant(_)
        | ActionFormula::Hidden
        | ActionFormula::Visible
        | ActionFormula::Label(..)
        | ActionFormula::Exactly(_)
        | ActionFormula::Pattern(..) => {}
        ActionFormula::Condition(condition) => expression_variables(condition, reads),
        ActionFormula::Not(operand) => inner(operand),
        ActionFormula::Or(operands) => operands.iter().for_each(inner),
        ActionFormula::Implies(operands) | ActionFormula::Equivalent(operands) => {
            operands.iter().for_each(inner);
        }
        ActionFormula::And(operands) => {
            operands
                .iter()
                .for_each(|operand| action_variables(operand, reads, binds));
        }
        ActionFormula::MultiAction(terms, _) => {
            let arguments = terms.iter().flat_map(|term| &term.arguments);
            arguments.for_each(|argument| expression_variables(argument, reads));
        }
        ActionFormula::Quantified(_, variable, domain, body) => {
            domain_variables(domain, reads);
            let mut within = Vec::new();
            action_variables(body, &mut within, &mut Vec::new());
            reads.extend(within.into_iter().filter(|v| v != variable));
        }
        ActionFormula::Offers(pattern) => offer_variables(pattern, reads, binds),
    }
}

fn offer_variables(
    pattern: &OfferPattern,
    reads: &mut Vec<VariableId>,
    binds: &mut Vec<VariableId>,
) {
    let (mut within, first) = (Vec::new(), binds.len());
    match &pattern.gate {
        GatePattern::Any | GatePattern::Name(_) => {}
        GatePattern::Bind(variable) => binds.push(*variable),
    }
    for offer in pattern.before.iter().chain(pattern.after.iter().flatten()) {
        match offer {
            OfferMatch::Value(value, _, _) => expression_variables(value, &mut within),
            OfferMatch::Bind(variable, _) => binds.push(*variable),
            OfferMatch::Any(_) => {}
        }
    }
    if let Some(condition) = &pattern.condition {
        expression_variables(condition, &mut within);
    }
    // What the pattern binds is not read from outside.
    reads.extend(within.into_iter().filter(|v| !binds[first..].contains(v)));
}

/// Which variables are needed at each node: a least fixpoint, backwards.
fn live(nodes: &[Node], actions: &[Action]) -> Vec<Box<[VariableId]>> {
    let mut live: Vec<Box<[VariableId]>> = vec![Box::default(); nodes.len()];
    loop {
        let mut changes = false;
        for (k, node) in nodes.iter().enumerate() {
            let mut needs: Vec<VariableId> = Vec::new();
            let after =
                |needs: &mut Vec<VariableId>, node: NodeId, sets: &dyn Fn(VariableId) -> bool| {
                    needs.extend(live[node.index()].iter().copied().filter(|&v| !sets(v)));
                };
            match node {
                Node::Constant(_) => {}
                Node::And(nodes) | Node::Or(nodes) => {
                    nodes
                        .iter()
                        .for_each(|&node| after(&mut needs, node, &|_| false));
                }
                Node::Condition(condition, _) => expression_variables(condition, &mut needs),
                Node::Guard(condition, nodes) => {
                    expression_variables(condition, &mut needs);
                    nodes
                        .iter()
                        .for_each(|&node| after(&mut needs, node, &|_| false));
                }
                Node::Assign(values, node) => {
                    values
                        .iter()
                        .for_each(|(_, value)| expression_variables(value, &mut needs));
                    after(&mut needs, *node, &|v| {
                        values.iter().any(|(set, _)| *set == v)
                    });
                }
                Node::Quantified(_, variable, domain, node) => {
                    domain_variables(domain, &mut needs);
                    after(&mut needs, *node, &|v| v == *variable);
                }
                Node::Modal(_, action, node) => {
                    let action = &actions[action.index()];
                    needs.extend(&action.reads);
                    after(&mut needs, *node, &|v| {
                        action.binds.binary_search(&v).is_ok()
                    });
                }
                Node::Fixpoint(_, node) => after(&mut needs, *node, &|_| false),
            }
            let needs = ascending(needs);
            if needs != live[k] {
                live[k] = needs;
                changes = true;
            }
        }
        if !changes {
            return live;
        }
    }
}

/// The priorities of the fixpoints by how they depend on one another (Emerson and Lei
/// 1986; Niwiński): inner ones first, each at least as large as those that it decides
/// over, with the parity of its sign. Other nodes have 0, the smallest.
fn priorities(nodes: &[Node], scopes: &[(NodeId, usize)]) -> Vec<u32> {
    let mut priorities = vec![0; nodes.len()];
    let before = predecessors(nodes);
    let (mut forward, mut backward) =
        (vec![usize::MAX; nodes.len()], vec![usize::MAX; nodes.len()]);
    for (turn, &(fixpoint, end)) in scopes.iter().enumerate().rev() {
        let Node::Fixpoint(sign, _) = nodes[fixpoint.index()] else {
            unreachable!("scopes are those of fixpoints");
        };
        let within = fixpoint.index()..end;
        let mark = |marks: &mut Vec<usize>, next: &dyn Fn(usize, &mut Vec<usize>)| {
            let (mut open, mut found) = (vec![fixpoint.index()], Vec::new());
            marks[fixpoint.index()] = turn;
            while let Some(node) = open.pop() {
                next(node, &mut found);
                for node in found.drain(..) {
                    if within.contains(&node) && marks[node] != turn {
                        marks[node] = turn;
                        open.push(node);
                    }
                }
            }
        };
        mark(&mut forward, &|node, found| {
            found.extend(nodes[node].successors().iter().map(|n| n.index()));
        });
        mark(&mut backward, &|node, found| {
            found.extend(before.of(node as u32).iter().map(|&n| n as usize));
        });
        let cycle = within.filter(|&n| forward[n] == turn && backward[n] == turn);
        let most = cycle.map(|n| priorities[n]).max().unwrap_or(0);
        let parity = match sign {
            Sign::Nu => 0,
            Sign::Mu => 1,
        };
        priorities[fixpoint.index()] = most + u32::from(most % 2 != parity);
    }
    priorities
}

fn predecessors(nodes: &[Node]) -> hyades_base::grouped::Grouped<u32> {
    let pairs = nodes.iter().enumerate().flat_map(|(k, node)| {
        node.successors()
            .iter()
            .map(move |after| (after.0, k as u32))
    });
    hyades_base::grouped::Grouped::new(nodes.len(), pairs)
}
