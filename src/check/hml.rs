//! Hennessy–Milner formulas, as comparisons show them, decided by the same games as all
//! others.

use std::ops::ControlFlow;

use hyades_equivalence::formula::{Formula, Node as Operator};
use hyades_formats::{LabelId, Lts, StateId};

use crate::game::{Game, Stop, Target};
use crate::graph::{Action, ActionId, Graph, Node, NodeId};
use crate::parity::Player;
use crate::states::States;
use crate::syntax::{ActionFormula, Modality, Sign};

/// Whether a Hennessy–Milner formula holds in a state of an LTS; `None` if that is not
/// known after about so many positions. Labels are matched by text.
///
/// Positions are made from the state on, as far as they are needed: time and memory
/// O(size · (states + transitions)) at worst. The nesting of the formula does not matter.
///
/// # Panics
/// If the LTS has no such state, and what the formula says of its steps is looked at.
pub fn holds(formula: &Formula, lts: &Lts, state: StateId, most: usize) -> Option<bool> {
    let graph = graph(formula);
    let mut states = States::of_lts(lts);
    states.begin_at(state);
    let mut game = Game::new(&graph, states);
    let root = match game.start().expect("there are no values") {
        Target::Won(player) => return Some(player == Player::Prover),
        Target::To(root) => root,
    };
    let stopped = game.run(root, &mut |_, positions| match positions > most {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    match stopped.expect("there are no values, and an LTS does not fail") {
        Some(Stop::Interrupted | Stop::Instances | Stop::Limit(_)) => None,
        None => game.winner[root as usize].map(|winner| winner == Player::Prover),
    }
}

/// Makes the nodes of a formula, those that hold where its own do and those that hold
/// where these do not.
struct Builder<'f> {
    formula: &'f Formula,
    nodes: Vec<Node>,
    scopes: Vec<(NodeId, usize)>,
    /// Of each subformula: the node that holds where it does not, and where it does.
    made: Vec<[Option<NodeId>; 2]>,
}

fn graph(formula: &Formula) -> Graph<'static> {
    let table = formula.table();
    // The action with the number of a label matches it.
    let actions = (0..table.len() as u32)
        .map(LabelId::new)
        .map(|label| Action {
            formula: match label.is_hidden() {
                true => ActionFormula::Hidden,
                false => ActionFormula::Exactly(table.text(label).into()),
            },
            reads: Box::default(),
            binds: Box::default(),
        });
    let operators = formula.nodes();
    let root = operators.len() - 1;
    let mut needed = vec![[false; 2]; operators.len()];
    needed[root][1] = true;
    for (k, operator) in operators.iter().enumerate().rev() {
        let own = needed[k];
        let same = |operand: usize, needed: &mut Vec<[bool; 2]>| {
            for sign in [0, 1] {
                needed[operand][sign] |= own[sign];
            }
        };
        match operator {
            Operator::Not(operand) => {
                for sign in [0, 1] {
                    needed[operand.index()][1 - sign] |= own[sign];
                }
            }
            Operator::And(operands) | Operator::Or(operands) => {
                operands
                    .iter()
                    .for_each(|operand| same(operand.index(), &mut needed));
            }
            Operator::Until(_, operands) => {
                operands
                    .iter()
                    .for_each(|operand| same(operand.index(), &mut needed));
            }
            Operator::Diamond(_, operand)
            | Operator::Box(_, operand)
            | Operator::WeakDiamond(_, operand)
            | Operator::WeakBox(_, operand)
            | Operator::Divergence(operand) => same(operand.index(), &mut needed),
        }
    }
    let mut builder = Builder {
        formula,
        nodes: Vec::new(),
        scopes: Vec::new(),
        made: vec![[None; 2]; operators.len()],
    };
    for (k, needed) in needed.iter().enumerate() {
        for positive in [false, true] {
            if needed[usize::from(positive)] {
                builder.made[k][usize::from(positive)] = Some(builder.operator(k, positive));
            }
        }
    }
    let root = builder.made[root][1].expect("the root is needed");
    Graph::of_nodes(builder.nodes, root, actions.collect(), &builder.scopes)
}

impl Builder<'_> {
    fn node(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(self.nodes.len() as u32 - 1)
    }

    fn operand(&self, operand: usize, positive: bool) -> NodeId {
        self.made[operand][usize::from(positive)].expect("operands are made before operators")
    }

    /// A disjunction, or of what does not hold the conjunction.
    fn or(&mut self, operands: impl Into<Box<[NodeId]>>, positive: bool) -> NodeId {
        let operands = operands.into();
        self.node(if positive {
            Node::Or(operands)
        } else {
            Node::And(operands)
        })
    }

    fn diamond(&mut self, label: LabelId, after: NodeId, positive: bool) -> NodeId {
        let modality = if positive {
            Modality::Diamond
        } else {
            Modality::Box
        };
        self.node(Node::Modal(modality, ActionId(label.get()), after))
    }

    /// A least fixpoint, or of what does not hold the greatest one.
    fn least(&mut self, positive: bool, body: impl FnOnce(&mut Self, NodeId) -> NodeId) -> NodeId {
        let sign = if positive { Sign::Mu } else { Sign::Nu };
        let own = self.node(Node::Fixpoint(sign, NodeId(self.nodes.len() as u32)));
        self.scopes.push((own, 0));
        let scope = self.scopes.len() - 1;
        let body = body(self, own);
        self.nodes[own.index()] = Node::Fixpoint(sign, body);
        self.scopes[scope].1 = self.nodes.len();
        own
    }

    /// After any number of hidden steps.
    fn eventually(&mut self, after: NodeId, positive: bool) -> NodeId {
        self.least(positive, |own, again| {
            let more = own.diamond(LabelId::HIDDEN, again, positive);
            own.or([after, more], positive)
        })
    }

    fn weak_diamond(&mut self, label: LabelId, after: NodeId, positive: bool) -> NodeId {
        let after = self.eventually(after, positive);
        if label.is_hidden() {
            return after;
        }
        let step = self.diamond(label, after, positive);
        self.eventually(step, positive)
    }

    /// The node of a subformula, if it is to hold where that does, or where it does not.
    fn operator(&mut self, k: usize, positive: bool) -> NodeId {
        let formula = self.formula;
        match &formula.nodes()[k] {
            Operator::Or(operands) => {
                let nodes: Vec<_> = operands
                    .iter()
                    .map(|o| self.operand(o.index(), positive))
                    .collect();
                self.or(nodes, positive)
            }
            Operator::And(operands) => {
                let nodes: Vec<_> = operands
                    .iter()
                    .map(|o| self.operand(o.index(), positive))
                    .collect();
                self.or(nodes, !positive)
            }
            Operator::Not(operand) => self.operand(operand.index(), !positive),
            Operator::Diamond(label, operand) => {
                self.diamond(*label, self.operand(operand.index(), positive), positive)
            }
            Operator::Box(label, operand) => {
                self.diamond(*label, self.operand(operand.index(), positive), !positive)
            }
            Operator::WeakDiamond(label, operand) => {
                self.weak_diamond(*label, self.operand(operand.index(), positive), positive)
            }
            Operator::WeakBox(label, operand) => {
                self.weak_diamond(*label, self.operand(operand.index(), positive), !positive)
            }
            Operator::Until(label, [held, target]) => {
                let held = self.operand(held.index(), positive);
                let target = self.operand(target.index(), positive);
                let until = self.least(positive, |own, again| {
                    let step = own.diamond(*label, target, positive);
                    let more = own.diamond(LabelId::HIDDEN, again, positive);
                    let next = own.or([step, more], positive);
                    own.or([held, next], !positive)
                });
                match label.is_hidden() {
                    true => self.or([target, until], positive),
                    false => until,
                }
            }
            Operator::Divergence(held) => {
                let held = self.operand(held.index(), positive);
                self.least(!positive, |own, again| {
                    let more = own.diamond(LabelId::HIDDEN, again, positive);
                    own.or([held, more], !positive)
                })
            }
        }
    }
}
