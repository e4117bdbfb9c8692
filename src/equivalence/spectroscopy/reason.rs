//! Formulas from winning strategies.

use hyades_formats::{LabelId, LabelTable, TooLarge};

use super::Game;
use super::arena::{Arena, Kind, NO_EDGE, NO_STEP, Position};
use super::attractor::Strategy;
use super::budget::Update;
use super::graph::{EMPTY, HIDDEN, Sets};
use crate::formula::{Formula, FormulaBuilder, NodeId};

/// What the attacker says when she plays by a strategy from `root`, which is won: a formula
/// that holds in its state and in none of the states it is compared with.
///
/// O(positions and moves of the strategy), and a search among the steps of a state for each
/// observation.
///
/// # Errors
/// If there are too many labels.
pub(super) fn formula(
    game: Game,
    arena: &Arena,
    strategy: &Strategy,
    root: u32,
    sets: &mut Sets<'_>,
    table: &LabelTable,
) -> Result<Formula, TooLarge> {
    let is_used = used(arena, strategy, root);
    let mut writer = Writer {
        game,
        arena,
        sets,
        table,
        builder: FormulaBuilder::new(),
        nodes: vec![None; arena.len()],
    };
    for &number in strategy.order.iter().filter(|&&k| is_used[k as usize]) {
        let node = match strategy.winning[number as usize] {
            NO_EDGE => writer.answered(number)?,
            edge => writer.played(edge)?,
        };
        writer.nodes[number as usize] = Some(node);
    }
    let root = writer.node(root);
    Ok(writer.builder.build(root))
}

/// The positions that can be reached when the attacker plays by the strategy.
fn used(arena: &Arena, strategy: &Strategy, root: u32) -> Vec<bool> {
    let mut is_used = vec![false; arena.len()];
    let mut open = vec![root];
    is_used[root as usize] = true;
    while let Some(number) = open.pop() {
        let mut visit = |edge: u32| {
            let target = arena.edge(edge).target;
            if !std::mem::replace(&mut is_used[target as usize], true) {
                open.push(target);
            }
        };
        match strategy.winning[number as usize] {
            NO_EDGE => arena.outgoing(number).for_each(&mut visit),
            edge => visit(edge),
        }
    }
    is_used
}

struct Writer<'a, 's, 'g> {
    game: Game,
    arena: &'a Arena,
    sets: &'s mut Sets<'g>,
    table: &'a LabelTable,
    builder: FormulaBuilder,
    /// By position.
    nodes: Vec<Option<NodeId>>,
}

impl Writer<'_, '_, '_> {
    fn node(&self, number: u32) -> NodeId {
        self.nodes[number as usize].expect("targets come before positions in a strategy")
    }

    fn label(&mut self, label: u32) -> Result<LabelId, TooLarge> {
        match LabelId::new(label) {
            LabelId::HIDDEN => Ok(LabelId::HIDDEN),
            label => self.builder.label(self.table.text(label)),
        }
    }

    /// What is said where no move is needed, or all of the defender's are answered.
    fn answered(&mut self, number: u32) -> Result<NodeId, TooLarge> {
        let position = *self.arena.position(number);
        let mut conjuncts = Vec::new();
        if position.kind == Kind::Stable {
            let never = self.builder.or([]);
            conjuncts.push(self.builder.boxed(LabelId::HIDDEN, never));
        }
        for edge in self.arena.outgoing(number) {
            let target = self.arena.edge(edge).target;
            let said = self.node(target);
            match self.arena.update(edge) {
                Update::Branch => conjuncts.push(self.branch(&position, said)?),
                // Where stability is enough nothing else is said.
                _ if self.arena.position(target).kind == Kind::Conjunction => {}
                _ => conjuncts.push(said),
            }
        }
        Ok(self.builder.and(conjuncts))
    }

    /// A branch: its step, or if that is hidden perhaps none, leads to where `said` holds.
    fn branch(&mut self, position: &Position, said: NodeId) -> Result<NodeId, TooLarge> {
        let label = match position.step {
            NO_STEP => HIDDEN,
            step => self.sets.graph.step(step as usize).0,
        };
        let label = self.label(label)?;
        let step = self.builder.diamond(label, said);
        Ok(match label {
            LabelId::HIDDEN => self.builder.or([said, step]),
            _ => step,
        })
    }

    /// What is said by a move of the attacker.
    fn played(&mut self, edge: u32) -> Result<NodeId, TooLarge> {
        let update = self.arena.update(edge);
        let edge = self.arena.edge(edge);
        let (source, target) = (
            *self.arena.position(edge.source),
            *self.arena.position(edge.target),
        );
        let said = self.node(edge.target);
        if update == Update::Observe {
            let label = self.observed(&source, &target);
            let label = self.label(label)?;
            return Ok(self.builder.diamond(label, said));
        }
        // Hidden steps come first where a delayed position is entered.
        let is_delayed = target.kind == Kind::Delayed && source.kind != Kind::Delayed;
        let said = match self.game {
            Game::Weak if is_delayed => self.builder.weak_diamond(LabelId::HIDDEN, said),
            Game::Weak | Game::Strong => said,
        };
        Ok(match update {
            Update::Negative | Update::WeakNegative => self.builder.not(said),
            Update::Free
            | Update::Observe
            | Update::Clause
            | Update::DeepBranch
            | Update::Positive
            | Update::Immediate
            | Update::WeakClause
            | Update::StableClause
            | Update::BranchingClause
            | Update::Branch
            | Update::WeakPositive => said,
        })
    }

    /// The label of an observation: of one that leads from the state to the state, and from
    /// the set to the set.
    fn observed(&mut self, source: &Position, target: &Position) -> u32 {
        let steps = self.sets.graph.steps(source.state).iter();
        let mut labels = steps.filter(|step| step.1 == target.state);
        let found = labels.find(|step| {
            let is_seen = self.game == Game::Strong || step.0 != HIDDEN;
            is_seen && self.sets.post(source.left, step.0) == target.left
        });
        debug_assert!(source.left != EMPTY);
        // The move was made by such a step.
        found.expect("a step that was observed").0
    }
}
