//! Formulas in the modal mu-calculus, as they are decided.
//!
//! A [`Graph`] shares what comes after a choice; here it is written once for each way.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::graph::{Graph, Node, NodeId, TooLargeFormula};
use crate::print::action_text;
use crate::syntax::{
    Domain, Expression, Fixpoint, FixpointId, MAX_DEPTH, Property, Regular, StateFormula, Value,
    Variable, VariableId,
};

/// About how many operators and names a core form may have.
pub const MAX_CORE: usize = 1 << 20;

/// Why a formula has no core form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoCoreForm {
    /// It has too many parts as a graph.
    Graph(TooLargeFormula),
    /// It would have more than [`MAX_CORE`] parts.
    Size,
    /// It would be nested more than [`MAX_DEPTH`] deep.
    Depth,
}

impl std::fmt::Display for NoCoreForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoCoreForm::Graph(error) => error.fmt(f),
            NoCoreForm::Size => write!(
                f,
                "the core form has more than {MAX_CORE} parts, as what comes after a choice is \
                 written for each way: write fewer choices one after the other"
            ),
            NoCoreForm::Depth => write!(
                f,
                "the core form is nested more than {MAX_DEPTH} deep: give smaller numbers of \
                 repetitions"
            ),
        }
    }
}

impl std::error::Error for NoCoreForm {}

impl From<TooLargeFormula> for NoCoreForm {
    fn from(error: TooLargeFormula) -> Self {
        NoCoreForm::Graph(error)
    }
}

/// A property with the same verdicts that is made of constants, conditions, `and`, `or`,
/// modalities of one step, fixpoints, quantifiers, `let` and `if`. Negations stand in action
/// formulas and around conditions only. Fixpoints that repetitions make are called `Z`,
/// `Z_2`, …; those that count have parameters. A data variable that is set where another one of
/// its name is still needed is renamed.
///
/// What comes after a choice is there once for each way, with the same variables and
/// fixpoints, so that it may be exponential in the number of choices one after the other.
/// O(|result|).
///
/// # Errors
/// If the result would be too large, or nested too deep.
pub fn core_form(property: &Property) -> Result<Property, NoCoreForm> {
    let graph = Graph::new(property)?;
    let mut variables = property.variables.clone();
    variables.extend(graph.made.iter().cloned());
    let names = variables.iter().map(|v| v.name.clone());
    let mut taken: HashSet<Box<str>> = names.collect();
    taken.extend(property.fixpoints.iter().map(|f| f.name.clone()));
    for variable in hiding(&graph, &variables) {
        let variable = &mut variables[variable.0 as usize];
        variable.name = fresh(&variable.name, &mut taken);
    }
    // A part has some bytes of text.
    let sizes = graph.actions.iter();
    let sizes = sizes.map(|action| 1 + action_text(property, &action.formula).len() / 8);
    let mut builder = Builder {
        property,
        graph: &graph,
        sizes: sizes.collect(),
        taken,
        numbers: HashMap::new(),
        fixpoints: Vec::new(),
        open: vec![None; graph.nodes.len()],
        parts: 0,
    };
    let formula = builder.state(graph.root, 0)?;
    Ok(Property {
        language: property.language,
        formula,
        variables,
        fixpoints: builder.fixpoints,
    })
}

/// The name, with a number behind it if there is one like it.
fn fresh(name: &str, taken: &mut HashSet<Box<str>>) -> Box<str> {
    let mut tried: Box<str> = name.into();
    for k in 2.. {
        if taken.insert(tried.clone()) {
            break;
        }
        tried = format!("{name}_{k}").into();
    }
    tried
}

/// Variables that are set where another one of the same name is needed afterwards.
fn hiding(graph: &Graph<'_>, variables: &[Variable]) -> BTreeSet<VariableId> {
    let mut found = BTreeSet::new();
    for node in &graph.nodes {
        let (set, after): (Vec<VariableId>, NodeId) = match node {
            Node::Assign(values, after) => (values.iter().map(|(v, _)| *v).collect(), *after),
            Node::Quantified(_, variable, _, after) => (vec![*variable], *after),
            Node::Modal(_, action, after) => (graph.actions[action.index()].binds.to_vec(), *after),
            Node::Constant(_)
            | Node::And(_)
            | Node::Or(_)
            | Node::Condition(..)
            | Node::Guard(..)
            | Node::Fixpoint(..) => continue,
        };
        let name = |v: VariableId| &variables[v.0 as usize].name;
        let live = &graph.live[after.index()];
        found.extend(set.into_iter().filter(|&own| {
            let mut others = live.iter().filter(|&&other| other != own);
            others.any(|&other| name(other) == name(own))
        }));
    }
    found
}

/// How many parts an expression has.
fn size(expression: &Expression) -> usize {
    match expression {
        Expression::Constant(Value::Text(text)) => 1 + text.len() / 8,
        Expression::Constant(_) | Expression::Variable(_) => 1,
        Expression::Apply(_, operands, _) => 1 + operands.iter().map(size).sum::<usize>(),
    }
}

struct Builder<'g> {
    property: &'g Property,
    graph: &'g Graph<'g>,
    /// Of each action formula.
    sizes: Vec<usize>,
    /// Names that there are.
    taken: HashSet<Box<str>>,
    numbers: HashMap<NodeId, FixpointId>,
    fixpoints: Vec<Fixpoint>,
    /// Of fixpoints around what is being made: whether their variables have occurred.
    open: Vec<Option<bool>>,
    parts: usize,
}

type Built<T = StateFormula> = Result<T, NoCoreForm>;

impl Builder<'_> {
    fn count(&mut self, parts: usize) -> Built<()> {
        self.parts = self.parts.saturating_add(parts);
        match self.parts <= MAX_CORE {
            true => Ok(()),
            false => Err(NoCoreForm::Size),
        }
    }

    /// The formula of a node, in so many others.
    fn state(&mut self, node: NodeId, depth: usize) -> Built {
        if depth >= MAX_DEPTH {
            return Err(NoCoreForm::Depth);
        }
        self.count(1)?;
        let graph = self.graph;
        Ok(match graph.node(node) {
            Node::Constant(value) => StateFormula::Constant(*value),
            Node::And(nodes) => self.junction(true, nodes, depth)?,
            Node::Or(nodes) => self.junction(false, nodes, depth)?,
            Node::Condition(condition, holds) => {
                self.count(size(condition))?;
                let condition = StateFormula::Condition(condition.clone());
                match holds {
                    true => condition,
                    false => StateFormula::Not(condition.into()),
                }
            }
            Node::Guard(..) => self.branches(node, depth)?,
            Node::Assign(values, after) => self.assigned(values, *after, depth)?,
            Node::Quantified(quantifier, variable, domain, after) => {
                match domain {
                    Domain::Booleans | Domain::Occurring => {}
                    Domain::Values(values) => self.count(values.iter().map(size).sum())?,
                    Domain::Range(ends) => self.count(ends.iter().map(size).sum())?,
                }
                let body = self.state(*after, depth + 1)?;
                StateFormula::Quantified(*quantifier, *variable, domain.clone(), body.into())
            }
            Node::Modal(modality, action, after) => {
                self.count(self.sizes[action.index()])?;
                let action = graph.actions[action.index()].formula.clone();
                let body = self.state(*after, depth + 1)?;
                StateFormula::Modal(*modality, Regular::Action(action).into(), body.into())
            }
            Node::Fixpoint(..) => self.fixpoint(node, &[], depth)?,
        })
    }

    /// A conjunction or disjunction without others of its kind in it, and without constants,
    /// which repetitions may have become.
    fn junction(&mut self, is_and: bool, nodes: &[NodeId], depth: usize) -> Built {
        let mut operands = Vec::with_capacity(nodes.len());
        for &node in nodes {
            match self.state(node, depth + 1)? {
                StateFormula::Constant(value) if value == is_and => {}
                StateFormula::Constant(value) => return Ok(StateFormula::Constant(value)),
                StateFormula::And(inner) if is_and => operands.extend(inner),
                StateFormula::Or(inner) if !is_and => operands.extend(inner),
                other => operands.push(other),
            }
        }
        // As they are decided.
        operands.sort_by_key(|operand| match operand {
            StateFormula::Condition(_) => false,
            StateFormula::Not(operand) => !matches!(**operand, StateFormula::Condition(_)),
            _ => true,
        });
        Ok(match (operands.len(), is_and) {
            (0, _) => StateFormula::Constant(is_and),
            (1, _) => operands.remove(0),
            (_, true) => StateFormula::And(operands),
            (_, false) => StateFormula::Or(operands),
        })
    }

    /// `if … elsif … else … end if`.
    fn branches(&mut self, first: NodeId, depth: usize) -> Built {
        let graph = self.graph;
        let (mut branches, mut node) = (Vec::new(), first);
        while let Node::Guard(condition, [then, otherwise]) = graph.node(node) {
            self.count(size(condition))?;
            branches.push((condition.clone(), self.state(*then, depth + 1)?));
            node = *otherwise;
        }
        let otherwise = self.state(node, depth + 1)?;
        Ok(StateFormula::If(branches, otherwise.into()))
    }

    /// A formula in which variables are set: parameters of a fixpoint, or by `let`.
    fn assigned(
        &mut self,
        values: &[(VariableId, Expression)],
        after: NodeId,
        depth: usize,
    ) -> Built {
        self.count(values.iter().map(|(_, value)| size(value)).sum())?;
        let parameters = self.parameters(after);
        let is_other = |(variable, _): &&(VariableId, Expression)| !parameters.contains(variable);
        let others: Vec<_> = values.iter().filter(is_other).collect();
        let depth = depth + others.len();
        let mut formula = match self.graph.node(after) {
            Node::Fixpoint(..) => self.fixpoint(after, values, depth)?,
            Node::Constant(_)
            | Node::And(_)
            | Node::Or(_)
            | Node::Condition(..)
            | Node::Guard(..)
            | Node::Assign(..)
            | Node::Quantified(..)
            | Node::Modal(..) => self.state(after, depth)?,
        };
        // They are set at once, and none reads another one: loops make all but one.
        for (variable, value) in others.into_iter().rev() {
            formula = StateFormula::Let(*variable, value.clone().into(), formula.into());
        }
        Ok(formula)
    }

    /// A fixpoint with these values of parameters, or its variable within it; parameters
    /// that have none keep theirs.
    fn fixpoint(
        &mut self,
        node: NodeId,
        values: &[(VariableId, Expression)],
        depth: usize,
    ) -> Built {
        let Node::Fixpoint(sign, body) = self.graph.node(node) else {
            unreachable!("a fixpoint is asked for");
        };
        let id = self.number(node);
        let parameters = &self.fixpoints[id.0 as usize].parameters;
        let arguments = parameters.iter().map(|parameter| {
            let value = values.iter().find(|(variable, _)| variable == parameter);
            let kept = || Expression::Variable(*parameter);
            value.map_or_else(kept, |(_, value)| value.clone())
        });
        let arguments: Vec<Expression> = arguments.collect();
        self.count(arguments.len())?;
        if let Some(is_used) = &mut self.open[node.index()] {
            *is_used = true;
            return Ok(StateFormula::Variable(id, arguments));
        }
        self.open[node.index()] = Some(false);
        let body = self.state(*body, depth + 1)?;
        let is_used = self.open[node.index()].take() == Some(true);
        if is_used || self.graph.fixpoint(node).is_some() {
            return Ok(StateFormula::Fixpoint(*sign, id, arguments, body.into()));
        }
        // A repetition that is decided before its second turn.
        let parameters = self.fixpoints[id.0 as usize].parameters.iter();
        let set = parameters.zip(arguments).rev();
        Ok(set.fold(body, |body, (parameter, value)| {
            StateFormula::Let(*parameter, value.into(), body.into())
        }))
    }

    /// The parameters of a fixpoint, or of another node, which has none: those that users
    /// give, and what a loop counts by.
    fn parameters(&self, node: NodeId) -> Vec<VariableId> {
        match self.graph.fixpoint(node) {
            Some(id) => self.property.fixpoints[id.0 as usize].parameters.clone(),
            None => self
                .graph
                .counters
                .get(&node)
                .copied()
                .into_iter()
                .collect(),
        }
    }

    /// The fixpoint of a node, with the name that users have given it.
    fn number(&mut self, node: NodeId) -> FixpointId {
        if let Some(known) = self.numbers.get(&node) {
            return *known;
        }
        let name = match self.graph.fixpoint(node) {
            Some(id) => self.property.fixpoints[id.0 as usize].name.clone(),
            None => fresh("Z", &mut self.taken),
        };
        let id = FixpointId(self.fixpoints.len() as u32);
        self.fixpoints.push(Fixpoint {
            name,
            parameters: self.parameters(node),
        });
        self.numbers.insert(node, id);
        id
    }
}
