//! Formulas with data as formulas without: each node once for each value of the variables that
//! it needs, for the labels of a table.
//!
//! What is without data is decided by sets of states, which takes a small part of the time and
//! memory of a game whose positions have values; but a set is about all states, whatever values
//! they are met with.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use hyades_formats::Lts;

use crate::data::{self, Scope};
use crate::game::{Resolved, resolve};
use crate::graph::{Action, ActionId, Graph, Node, NodeId};
use crate::label_set::Labels;
use crate::matching::{Bound, matches};
use crate::parity::Player;
use crate::syntax::{ActionFormula, Modality, Quantifier, Value, VariableId};

/// So many nodes for each of the formula are few.
const FEW: usize = if cfg!(test) { 2 } else { 16 };

/// How many nodes there may be that are not few.
const MOST: usize = 1 << 14;

/// A node, and the values of its live variables.
type Key = (NodeId, Box<[Value]>);

/// A formula for the labels of a table.
pub(crate) struct Instances {
    /// Without data.
    pub graph: Graph<'static>,
    are_few: bool,
    index: HashMap<Key, NodeId, RandomState>,
}

impl Instances {
    /// Of a formula, for the labels of an LTS; none if there are too many, if labels would have
    /// to be looked at more often than there are states and transitions, or if an expression
    /// has no value: whether that matters is known where it is met.
    pub fn new(graph: &Graph<'_>, lts: &Lts) -> Option<Self> {
        let mut builder = Builder {
            graph,
            labels: Labels::new(lts.table()),
            most_matches: lts.states() + lts.transitions(),
            index: HashMap::default(),
            open: Vec::new(),
            nodes: Vec::new(),
            priorities: Vec::new(),
            actions: Vec::new(),
            plain: vec![None; graph.actions.len()],
            constants: [None; 2],
        };
        let root = resolve(graph, graph.root, &Values(&[], &[]), &[]).ok()?;
        let root = builder.instance(root)?;
        while let Some((key, place)) = builder.open.pop() {
            builder.nodes[place.index()] = builder.node(&key)?;
        }
        Some(Self {
            are_few: builder.nodes.len() <= FEW * graph.nodes.len(),
            graph: Graph::without_data(builder.nodes, root, builder.actions, builder.priorities),
            index: builder.index,
        })
    }

    /// How many bytes a game on an LTS may hold before sets take less time; measured.
    pub fn worth(&self, lts: &Lts) -> u64 {
        match self.are_few {
            true => 0,
            false => (self.graph.nodes.len() * lts.transitions() / 8) as u64,
        }
    }

    /// The instance of a node, if it is one of what the root needs.
    pub fn of(&self, node: NodeId, values: Vec<Value>) -> Option<NodeId> {
        self.index.get(&(node, values.into())).copied()
    }
}

/// Values of these variables, which ascend.
struct Values<'a>(&'a [VariableId], &'a [Value]);

impl Scope for Values<'_> {
    fn value(&self, variable: VariableId) -> &Value {
        let place = self.0.binary_search(&variable);
        &self.1[place.expect("a variable that is read is live")]
    }
}

struct Builder<'g> {
    graph: &'g Graph<'g>,
    labels: Labels<'g>,
    /// How often labels may still be looked at.
    most_matches: usize,
    index: HashMap<Key, NodeId, RandomState>,
    /// Instances whose nodes are still to be made.
    open: Vec<(Key, NodeId)>,
    nodes: Vec<Node>,
    priorities: Vec<u32>,
    actions: Vec<Action>,
    /// Of each action of the formula, what it is here, if it is without data.
    plain: Vec<Option<ActionId>>,
    /// The nodes that do not hold and that do.
    constants: [Option<NodeId>; 2],
}

impl Builder<'_> {
    fn push(&mut self, node: Node, priority: u32) -> Option<NodeId> {
        let number = self.nodes.len();
        if number >= MOST.max(FEW * self.graph.nodes.len()) {
            return None;
        }
        self.nodes.push(node);
        self.priorities.push(priority);
        Some(NodeId(number as u32))
    }

    fn constant(&mut self, value: bool) -> Option<NodeId> {
        let place = usize::from(value);
        if self.constants[place].is_none() {
            self.constants[place] = Some(self.push(Node::Constant(value), 0)?);
        }
        self.constants[place]
    }

    /// The instance that something leads to, whose node may be still to be made.
    fn instance(&mut self, resolved: Resolved) -> Option<NodeId> {
        let key: Key = match resolved {
            Resolved::Won(player) => return self.constant(player == Player::Prover),
            Resolved::Node(node, values) => (node, values.into()),
        };
        if let Some(&known) = self.index.get(&key) {
            return Some(known);
        }
        let priority = self.graph.priorities[key.0.index()];
        // What it is, is not known yet.
        let place = self.push(Node::Constant(false), priority)?;
        self.index.insert(key.clone(), place);
        self.open.push((key, place));
        Some(place)
    }

    /// The node of an instance.
    fn node(&mut self, (node, values): &Key) -> Option<Node> {
        let graph = self.graph;
        let values = Values(&graph.live[node.index()], values);
        let instance = |this: &mut Self, node, bound: &[(VariableId, Value)]| {
            this.instance(resolve(graph, node, &values, bound).ok()?)
        };
        Some(match graph.node(*node) {
            own @ (Node::And(nodes) | Node::Or(nodes)) => {
                let nodes = nodes.iter().map(|&node| instance(self, node, &[]));
                let is_and = matches!(own, Node::And(_));
                junction(is_and, nodes.collect::<Option<_>>()?)
            }
            Node::Fixpoint(sign, body) => Node::Fixpoint(*sign, instance(self, *body, &[])?),
            Node::Quantified(quantifier, variable, domain, body) => {
                let domain = data::domain(domain, &values).ok()?;
                let nodes = domain.into_iter();
                let nodes = nodes.map(|value| instance(self, *body, &[(*variable, value)]));
                junction(
                    *quantifier == Quantifier::Forall,
                    nodes.collect::<Option<_>>()?,
                )
            }
            Node::Modal(modality, action, after) => {
                let mut steps = Vec::new();
                for (action, bound) in self.steps(*action, &values)? {
                    steps.push(Node::Modal(
                        *modality,
                        action,
                        instance(self, *after, &bound)?,
                    ));
                }
                if steps.len() == 1 {
                    return steps.pop();
                }
                let steps = steps.into_iter().map(|step| self.push(step, 0));
                junction(*modality == Modality::Box, steps.collect::<Option<_>>()?)
            }
            Node::Constant(_) | Node::Condition(..) | Node::Guard(..) | Node::Assign(..) => {
                unreachable!("what is decided or goes on at once is no instance")
            }
        })
    }

    /// The labels that an action formula matches, by what they bind: as formulas without data.
    fn steps(&mut self, action: ActionId, values: &Values<'_>) -> Option<Vec<(ActionId, Bound)>> {
        let own = &self.graph.actions[action.index()];
        if own.reads.is_empty() && own.binds.is_empty() {
            let known = self.plain[action.index()];
            let plain = known.unwrap_or_else(|| self.action(own.formula.clone()));
            self.plain[action.index()] = Some(plain);
            return Some(vec![(plain, Bound::new())]);
        }
        let mut place_of: HashMap<Bound, usize, RandomState> = HashMap::default();
        let mut steps: Vec<(Bound, Vec<ActionFormula>)> = Vec::new();
        for (label, text) in self.labels.texts() {
            self.most_matches = self.most_matches.checked_sub(1)?;
            let mut bound = Bound::new();
            if !matches(&own.formula, text, values, &mut bound).ok()? {
                continue;
            }
            let place = *place_of.entry(bound).or_insert_with_key(|bound| {
                steps.push((bound.clone(), Vec::new()));
                steps.len() - 1
            });
            steps[place].1.push(self.labels.exactly(label));
        }
        let steps = steps.into_iter();
        let steps = steps.map(|(bound, labels)| (self.action(ActionFormula::Or(labels)), bound));
        Some(steps.collect())
    }

    fn action(&mut self, formula: ActionFormula) -> ActionId {
        self.actions.push(Action {
            formula,
            reads: Box::default(),
            binds: Box::default(),
        });
        ActionId(self.actions.len() as u32 - 1)
    }
}

fn junction(is_and: bool, nodes: Vec<NodeId>) -> Node {
    match (nodes.len(), is_and) {
        (0, _) => Node::Constant(is_and),
        (_, true) => Node::And(nodes.into()),
        (_, false) => Node::Or(nodes.into()),
    }
}
