//! Why a formula holds, or does not: a trace, or a part of the state space.
//!
//! A trace shows what one player does alone (Mateescu 2000): the positions where the
//! winner chooses, one after the other, up to the nearest one where the other player
//! would choose. Otherwise the evidence is what the winner's choices and all answers
//! to them use (Cranen, Luttik, Willemse 2013).

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;

use hyades_base::bits::SharedBits;
use hyades_base::discovered::Discovered;
use hyades_formats::{LabelId, Lts, LtsBuilder, StateId, TooLarge};

use crate::game::{Allowed, CheckError, Game, Move, Position, Target};
use crate::graph::{Graph, Node, NodeId, Origin};
use crate::instances::Instances;
use crate::matching::LabelText;
use crate::parity::{NONE, Player};
use crate::states::{Expansion, States};
use crate::syntax::{Sign, StateFormula, Value, VariableId};

/// One transition of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The state before, by its number in the order of discovery (in an LTS: its own).
    pub source: u32,
    /// The label.
    pub label: LabelId,
    /// The state after.
    pub target: u32,
}

impl Step {
    pub(crate) fn new(source: u32, label: LabelId, target: u32) -> Self {
        Step {
            source,
            label,
            target,
        }
    }
}

/// A data variable with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Valued {
    /// As the user calls it.
    pub name: Box<str>,
    /// Its value.
    pub value: Value,
    /// The value in the language of the formula.
    pub text: String,
}

/// How a trace ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The trace is the whole reason.
    Whole,
    /// In the state after it this formula holds (`true`) or does not hold.
    Decided {
        /// The formula as text.
        formula: String,
        /// The values that its variables have there.
        values: Vec<Valued>,
        /// Whether it holds there.
        holds: bool,
        /// Whether that state has no transitions.
        deadlock: bool,
    },
    /// From the state after so many steps on, the steps are gone through again and
    /// again.
    Cycle(usize),
}

/// What holds or does not hold on the way: a fixpoint or an infinite sequence that the
/// way has led to, for which the rest of the way is the reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// After how many steps.
    pub after: usize,
    /// The formula as text.
    pub formula: String,
    /// The values that its variables have there.
    pub values: Vec<Valued>,
    /// Whether it holds there.
    pub holds: bool,
}

/// A reason that is one sequence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    /// From the initial state on.
    pub steps: Vec<Step>,
    /// In the order of the steps.
    pub notes: Vec<Note>,
    /// What there is at the end.
    pub end: End,
}

/// What holds, or does not, in a state of a part of the state space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartNote {
    /// The state of the part.
    pub state: StateId,
    /// A way to it from the initial state, by the labels of the part.
    pub way: Vec<LabelId>,
    /// The formula as text: a part of the one that is decided.
    pub formula: String,
    /// The values that its variables have there.
    pub values: Vec<Valued>,
    /// Whether it holds there.
    pub holds: bool,
}

/// A reason that is a part of the state space.
#[derive(Clone, Debug)]
pub struct Part {
    /// The transitions that the winner uses, and those that the other one can answer with.
    pub lts: Lts,
    /// What holds or does not in its states, as far as it is met first, breadth-first;
    /// at most [`Part::NOTES`].
    pub notes: Vec<PartNote>,
    /// How many more there would be.
    pub more: usize,
}

impl Part {
    /// How many notes there are at most.
    pub const NOTES: usize = 12;
}

/// Which node holds where, if that is known beforehand.
pub(crate) type Known<'a> = Option<&'a Sets>;

/// The states where nodes hold.
pub(crate) struct Sets {
    /// Of each node of a formula without data.
    pub of_nodes: Vec<Option<SharedBits>>,
    /// Which one that is of a node with values, if the formula has data.
    pub instances: Option<Instances>,
}

impl Sets {
    /// How many bytes they take.
    pub fn bytes(&self, lts: &Lts) -> u64 {
        let sets = self.of_nodes.iter().flatten().count();
        (sets * lts.states().div_ceil(8)) as u64
    }

    fn of(&self, game: &Game<'_, '_>, position: u32) -> Option<&SharedBits> {
        let node = game.position(position).node;
        let node = match &self.instances {
            None => node,
            Some(instances) => {
                let values = game.values_of(position).into_iter();
                instances.of(node, values.map(|(_, value)| value).collect())?
            }
        };
        self.of_nodes[node.index()].as_ref()
    }
}

/// Where what one player does alone leads to.
enum Reached {
    /// The player has won.
    Whole,
    /// The other player would choose, and loses all the same.
    Residue(u32),
    /// The player wins here, and may do so by going on for ever.
    Endless(u32),
}

/// A part of a way.
struct Leg {
    steps: Vec<Step>,
    reached: Reached,
}

/// The way on which the winner shows alone why the root is won, up to where the other
/// one would choose; a lasso, if it goes on for ever. `None` if there is neither.
///
/// A formula that is won by going on for ever if need be (a greatest fixpoint that
/// holds, a least one that does not, `<R>@`, `[R]-|`) is an end in itself: the way leads
/// to the nearest state where it is won, which is noted, and then on in the same manner.
/// In between it is a shortest one. Each such formula is noted once, so this ends.
///
/// Where the way ends with what is decided there, so does the position of that.
pub(crate) fn way(
    game: &mut Game<'_, '_>,
    root: Target,
    winner: Player,
    known: Known<'_>,
) -> Result<Option<(Way, Option<u32>)>, CheckError> {
    let root = match root {
        Target::Won(_) => {
            let way = Way {
                steps: Vec::new(),
                notes: Vec::new(),
                end: End::Whole,
            };
            return Ok(Some((way, None)));
        }
        Target::To(root) => root,
    };
    let mut passed: HashSet<NodeId> = HashSet::from([game.position(root).node]);
    let (mut steps, mut notes) = (Vec::new(), Vec::new());
    let mut position = root;
    let mut last = None;
    let end = loop {
        // On the fly there may be much to look at, and no end in it.
        let is_bounded =
            known.is_none() && is_endless(game.graph, game.position(position).node, winner);
        let most = if is_bounded { MOST_TRIED } else { usize::MAX };
        let mut found = leg(game, position, winner, known, &passed, most)?;
        if found.is_none() {
            let start = steps.len();
            if let Some((more, cycle)) = lasso(game, position, winner)? {
                steps.extend(more);
                break End::Cycle(start + cycle);
            }
            if is_bounded {
                found = leg(game, position, winner, known, &passed, usize::MAX)?;
            }
        }
        let Some(leg) = found else {
            if position == root {
                return Ok(None);
            }
            // The last note is the end.
            notes.pop();
            last = Some(position);
            break decided(game, position, winner)?;
        };
        steps.extend(leg.steps);
        match leg.reached {
            Reached::Whole => break End::Whole,
            Reached::Residue(position) => {
                last = Some(position);
                break decided(game, position, winner)?;
            }
            Reached::Endless(next) => {
                let node = game.position(next).node;
                passed.insert(node);
                position = next;
                let values = game.values_of(next);
                if let End::Decided {
                    formula,
                    values,
                    holds,
                    ..
                } = game.graph.decided(node, values, winner, false)
                {
                    notes.push(Note {
                        after: steps.len(),
                        formula,
                        values,
                        holds,
                    });
                }
            }
        }
    };
    Ok(Some((Way { steps, notes, end }, last)))
}

/// How many positions are searched for an end before a lasso is tried.
const MOST_TRIED: usize = 1 << 14;

/// The shortest way from a position on which the winner goes alone; it has an end. At most
/// so many positions are looked at.
fn leg(
    game: &mut Game<'_, '_>,
    start: u32,
    winner: Player,
    known: Known<'_>,
    passed: &HashSet<NodeId>,
    most: usize,
) -> Result<Option<Leg>, CheckError> {
    // Breadth-first by the number of transitions: a position is found when it is its turn, as
    // a way over a transition may be seen before one that has none.
    let mut found: Discovered<u32, Option<Step>> = Discovered::default();
    let mut near: VecDeque<(u32, Option<usize>, Option<Step>)> = VecDeque::new();
    let mut far = VecDeque::new();
    near.push_back((start, None, None));
    // What is in `far`, and a step with which all is shown.
    let mut ahead: HashSet<u32> = HashSet::new();
    let mut winning = None;
    let (place, reached, last) = loop {
        let Some((position, before, step)) = near.pop_front() else {
            if let Some((place, step)) = winning {
                break (place, Reached::Whole, Some(step));
            }
            if far.is_empty() {
                return Ok(None);
            }
            std::mem::swap(&mut near, &mut far);
            ahead.clear();
            continue;
        };
        let place = found.len();
        if !found.add(position, before, step) {
            continue;
        }
        if found.len() > most {
            return Ok(None);
        }
        let node = game.position(position).node;
        if is_endless(game.graph, node, winner)
            && !passed.contains(&node)
            && wins(game, position, winner, known)?
        {
            break (place, Reached::Endless(position), None);
        }
        let Ok(moves) = game.moves_from(position)? else {
            continue;
        };
        if !goes_alone(game, position, winner, &moves) {
            if wins(game, position, winner, known)? {
                break (place, Reached::Residue(position), None);
            }
            continue;
        }
        let mut is_shown = false;
        for next in own_moves(game, position, winner, moves) {
            let step = next
                .transition
                .map(|number| step_of(game, position, number));
            match (next.target, step) {
                (Target::Won(player), None) => is_shown |= player == winner,
                (Target::Won(player), Some(step)) => {
                    if player == winner {
                        winning.get_or_insert((place, step));
                    }
                }
                (Target::To(target), None) => near.push_back((target, Some(place), None)),
                (Target::To(target), Some(_)) => {
                    // Nothing behind a step is nearer than one with which all is shown.
                    if winning.is_none() && !found.contains(&target) && ahead.insert(target) {
                        far.push_back((target, Some(place), step));
                    }
                }
            }
        }
        if is_shown {
            break (place, Reached::Whole, None);
        }
    };
    let mut steps: Vec<Step> = found.steps(place).flatten().copied().collect();
    steps.extend(last);
    Ok(Some(Leg { steps, reached }))
}

/// Whether a node is a fixpoint of the formula, not of a regular formula within it, that
/// this player wins by going on for ever.
pub(crate) fn is_endless(graph: &Graph<'_>, node: NodeId, winner: Player) -> bool {
    let Node::Fixpoint(sign, _) = graph.node(node) else {
        return false;
    };
    let is_own = winner
        == match sign {
            Sign::Nu => Player::Prover,
            Sign::Mu => Player::Refuter,
        };
    let is_of_formula = |origin: &Origin<'_>| {
        matches!(
            origin.formula,
            StateFormula::Fixpoint(..) | StateFormula::Infinitely(_)
        )
    };
    is_own && graph.origins[node.index()].is_some_and(|origin| is_of_formula(&origin))
}

/// The moves that are left to the other player: what holds at once is no choice, unless
/// all does.
fn left(moves: &[Move]) -> impl Iterator<Item = &Move> {
    let is_open = |m: &&Move| matches!(m.target, Target::To(_));
    let all_are_won = !moves.iter().any(|m| is_open(&m));
    moves.iter().filter(move |m| all_are_won || is_open(m))
}

/// Whether it is the winner who moves, or whoever moves has one way to go.
pub(crate) fn goes_alone(
    game: &Game<'_, '_>,
    position: u32,
    winner: Player,
    moves: &[Move],
) -> bool {
    let node = game.graph.node(game.position(position).node);
    if Game::owner_of(node) == winner {
        return true;
    }
    // A modality always is a choice.
    let is_modality = moves.is_empty() || moves.iter().any(|m| m.transition.is_some());
    let lost = Target::Won(winner.other());
    !is_modality && moves.iter().all(|m| m.target != lost) && {
        let mut left = left(moves);
        let first = left.next();
        left.next().is_none() || first.is_some_and(|m| m.target == Target::Won(winner))
    }
}

/// The moves that the winner may go on by: where it is not its turn, those that are
/// left to the other player.
pub(crate) fn own_moves(
    game: &Game<'_, '_>,
    position: u32,
    winner: Player,
    moves: Vec<Move>,
) -> Vec<Move> {
    match Game::owner_of(game.graph.node(game.position(position).node)) == winner {
        true => moves,
        false => left(&moves).copied().collect(),
    }
}

fn step_of(game: &Game<'_, '_>, position: u32, number: usize) -> Step {
    let (label, target) = game.states.transition(number);
    Step {
        source: game.position(position).state,
        label,
        target,
    }
}

/// Whether this player wins at a position.
pub(crate) fn wins(
    game: &mut Game<'_, '_>,
    position: u32,
    winner: Player,
    known: Known<'_>,
) -> Result<bool, CheckError> {
    if let Some(set) = known.and_then(|known| known.of(game, position)) {
        let state = game.position(position).state;
        return Ok(set.contains(state as usize) == (winner == Player::Prover));
    }
    if game.winner[position as usize].is_none() {
        game.run(position, &mut |_, _| ControlFlow::Continue(()))?;
    }
    Ok(game.winner[position as usize] == Some(winner))
}

/// What holds or does not hold at a position that the winner has reached.
fn decided(game: &mut Game<'_, '_>, position: u32, winner: Player) -> Result<End, CheckError> {
    let values = game.values_of(position);
    let Position { node, state, .. } = game.position(position);
    let deadlock = is_deadlock(&mut game.states, state)?;
    Ok(game.graph.decided(node, values, winner, deadlock))
}

/// Whether a state is known to have no transitions.
fn is_deadlock(states: &mut States<'_>, state: u32) -> Result<bool, CheckError> {
    Ok(match states.expand(state)? {
        Expansion::Row(start, end) => start == end,
        Expansion::Truncated | Expansion::Limit(_) => false,
    })
}

impl Graph<'_> {
    /// The end of a way to a node that is decided, where its variables have these values.
    pub(crate) fn decided(
        &self,
        node: NodeId,
        values: Vec<(VariableId, Value)>,
        winner: Player,
        deadlock: bool,
    ) -> End {
        let (formula, values, holds) = self.told(node, values, winner);
        End::Decided {
            formula,
            values,
            holds,
            deadlock,
        }
    }

    /// The formula of a node that a player has won, its values, and whether it holds.
    fn told(
        &self,
        node: NodeId,
        values: Vec<(VariableId, Value)>,
        winner: Player,
    ) -> (String, Vec<Valued>, bool) {
        let is_won = winner == Player::Prover;
        let Some(origin) = self.origins[node.index()] else {
            // Of a formula that is none of a text.
            return (String::new(), self.valued(values), is_won);
        };
        let holds = is_won == origin.positive;
        let (formula, values) = match self.with_arguments(origin.formula, &values) {
            Some((formula, rest)) => (self.text(&formula), rest),
            None => (self.text(origin.formula), values),
        };
        (formula, self.valued(values), holds)
    }
}

/// The way of the winner's choices, if nobody else chooses on it, up to where it comes
/// back to a position, and after how many steps it was there first.
fn lasso(
    game: &mut Game<'_, '_>,
    root: u32,
    winner: Player,
) -> Result<Option<(Vec<Step>, usize)>, CheckError> {
    if !decide(game, root)? {
        return Ok(None);
    }
    let mut position = root;
    let mut steps = Vec::new();
    let mut visited: HashMap<u32, usize> = HashMap::new();
    loop {
        if let Some(&start) = visited.get(&position) {
            return Ok((start < steps.len()).then_some((steps, start)));
        }
        visited.insert(position, steps.len());
        let Ok(moves) = game.moves_from(position)? else {
            return Ok(None);
        };
        if !goes_alone(game, position, winner, &moves) {
            return Ok(None);
        }
        let moves = own_moves(game, position, winner, moves);
        let Some(next) = chosen(game, position, winner, &moves) else {
            return Ok(None);
        };
        steps.extend(
            next.transition
                .map(|number| step_of(game, position, number)),
        );
        match next.target {
            Target::To(target) => position = target,
            Target::Won(_) => return Ok(None),
        }
    }
}

/// Makes and decides all that a position needs, so that there are choices; whether that could be
/// done.
fn decide(game: &mut Game<'_, '_>, root: u32) -> Result<bool, CheckError> {
    if game.winner[root as usize].is_none() {
        game.run(root, &mut |_, _| ControlFlow::Continue(()))?;
    }
    Ok(game.winner[root as usize].is_some())
}

/// The move that the winner takes; the only one if it is the other player's turn.
fn chosen(game: &Game<'_, '_>, position: u32, winner: Player, moves: &[Move]) -> Option<Move> {
    let owner = Game::owner_of(game.graph.node(game.position(position).node));
    let choice = game.choice[position as usize];
    let is_chosen = |m: &&Move| match m.target {
        Target::Won(player) => player == winner,
        Target::To(target) => owner != winner || target == choice,
    };
    // Where the choice is a position, what is won at once comes first all the same.
    let at_once =
        |m: &&Move| m.target == Target::Won(winner) && (owner == winner || choice == NONE);
    moves
        .iter()
        .find(at_once)
        .or_else(|| moves.iter().find(is_chosen))
        .copied()
}

/// The transitions that the winner's choices and all answers to them use; none if a limit is
/// reached before there are choices.
pub(crate) fn part(
    game: &mut Game<'_, '_>,
    root: Target,
    winner: Player,
) -> Result<Option<Used>, CheckError> {
    let mut used = Used::default();
    let Target::To(root) = root else {
        return Ok(Some(used));
    };
    if !decide(game, root)? {
        return Ok(None);
    }
    used.positions.add(root, None, None);
    let mut next_place = 0;
    while next_place < used.positions.len() {
        let place = next_place;
        next_place += 1;
        let position = *used.positions.get(place);
        let Ok(moves) = game.moves_from(position)? else {
            continue;
        };
        let owner = Game::owner_of(game.graph.node(game.position(position).node));
        let taken = match owner == winner {
            true => chosen(game, position, winner, &moves).into_iter().collect(),
            false => moves,
        };
        for next in taken {
            let step = next
                .transition
                .map(|number| step_of(game, position, number));
            used.steps.extend(step);
            if let Target::To(target) = next.target {
                used.positions.add(target, Some(place), step);
            }
        }
    }
    Ok(Some(used))
}

/// What the winner's choices and all answers to them use.
#[derive(Default)]
pub(crate) struct Used {
    /// The transitions.
    pub steps: Vec<Step>,
    /// The positions, each with that from which it was reached first, and by which step.
    positions: Discovered<u32, Option<Step>>,
}

impl Used {
    /// The transitions as an LTS, and what is to be said of its states.
    pub fn into_part(self, game: &Game<'_, '_>, winner: Player) -> Result<Part, TooLarge> {
        let Used { steps, positions } = self;
        let numbers = numbers(&game.states, &steps);
        let note = |place: usize| {
            let position = *positions.get(place);
            let Position { node, state, .. } = game.position(position);
            let values = game.values_of(position);
            let (formula, values, holds) = game.graph.told(node, values, winner);
            PartNote {
                state: StateId::new(numbers[&state]),
                way: positions.steps(place).flatten().map(|s| s.label).collect(),
                formula,
                values,
                holds,
            }
        };
        let (mut notes, mut more) = (Vec::new(), 0);
        // Formulas that read the same are told once.
        let (mut texts, mut text_of) = (HashMap::new(), HashMap::new());
        let mut seen = HashSet::new();
        // What is decided, the first one, is known to the reader, and what joins formulas is
        // shown by what is said of these.
        for place in 1..positions.len() {
            let position = *positions.get(place);
            let Position { node, state, .. } = game.position(position);
            let origin = game.graph.origins[node.index()];
            let is_told = |origin: &Origin<'_>| !origin.is_inner && !game.graph.is_junction(node);
            let Some(Origin { formula, .. }) = origin.filter(is_told) else {
                continue;
            };
            let text = *text_of.entry(node).or_insert_with(|| {
                let next = texts.len();
                *texts.entry(game.graph.text(formula)).or_insert(next)
            });
            if !seen.insert((state, text, game.values_of(position))) {
                continue;
            }
            match notes.len() < Part::NOTES {
                true => notes.push(note(place)),
                false => more += 1,
            }
        }
        if notes.is_empty() && !positions.is_empty() {
            // Nothing but parts of it, which cannot be told by themselves.
            notes.push(note(0));
        }
        let lts = numbered(&game.states, steps, &numbers)?;
        Ok(Part { lts, notes, more })
    }
}

/// These transitions as an LTS; the initial state is 0, and others are numbered in the
/// order in which they are reached.
pub(crate) fn as_lts(states: &States<'_>, steps: Vec<Step>) -> Result<Lts, TooLarge> {
    let numbers = numbers(states, &steps);
    numbered(states, steps, &numbers)
}

/// The numbers of the states of an LTS of these transitions.
fn numbers(states: &States<'_>, steps: &[Step]) -> HashMap<u32, u32> {
    let mut numbers: HashMap<u32, u32> = HashMap::from([(states.initial(), 0)]);
    for step in steps {
        for state in [step.source, step.target] {
            let next = numbers.len() as u32;
            numbers.entry(state).or_insert(next);
        }
    }
    numbers
}

fn numbered(
    states: &States<'_>,
    steps: Vec<Step>,
    numbers: &HashMap<u32, u32>,
) -> Result<Lts, TooLarge> {
    // Each transition once: parallel ones with one label are one.
    let number = |s: Step| (numbers[&s.source], s.label, numbers[&s.target]);
    let mut edges: Vec<(u32, LabelId, u32)> = steps.into_iter().map(number).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut builder = LtsBuilder::with_table(numbers.len() as u64, states.labels().clone());
    for (source, label, target) in edges {
        builder.add(StateId::new(source), label, StateId::new(target));
    }
    builder.build(StateId::new(0))
}

/// Whether the winner wins with these transitions only, whatever the other player does:
/// solved anew, without what led to the evidence.
pub(crate) fn suffices(
    graph: &Graph<'_>,
    states: States<'_>,
    winner: Player,
    steps: &[Step],
) -> Result<bool, CheckError> {
    let mut game = Game::new(graph, states);
    let allowed = steps.iter().map(|step| {
        let Step {
            source,
            label,
            target,
        } = *step;
        (source, label, target)
    });
    game.allowed = Some((winner, Allowed::These(allowed.collect())));
    let mut nothing = |_: usize, _: usize| ControlFlow::Continue(());
    Ok(is_won(&mut game, winner, &mut nothing)? == Some(true))
}

/// Whether a player wins; `None` if that is not known, as something stopped the work.
pub(crate) fn is_won(
    game: &mut Game<'_, '_>,
    player: Player,
    goes_on: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Option<bool>, CheckError> {
    let winner = match game.start()? {
        Target::Won(winner) => Some(winner),
        Target::To(root) => {
            game.run(root, goes_on)?;
            game.winner[root as usize]
        }
    };
    Ok(winner.map(|winner| winner == player))
}

/// Whether a sequence of labels leads the winner alone to where the root is won, to where
/// the other player would choose and the winner wins, or to another fixpoint that is won by
/// going on for ever if need be.
///
/// A sequence of no labels has led nowhere: where it does not win at once, it shows
/// something of a state without transitions only, in which the other player has no answer.
pub(crate) fn replays(
    game: &mut Game<'_, '_>,
    root: Target,
    winner: Player,
    known: Known<'_>,
    labels: &[LabelText<'_>],
) -> Result<bool, CheckError> {
    let root = match root {
        Target::Won(player) => return Ok(player == winner && labels.is_empty()),
        Target::To(root) => root,
    };
    let first = game.position(root).node;
    let mut visited = HashSet::from([(root, 0)]);
    let mut open = vec![(root, 0)];
    while let Some((position, at)) = open.pop() {
        let Position { node, state, .. } = game.position(position);
        let may_end =
            at == labels.len() && (!labels.is_empty() || is_deadlock(&mut game.states, state)?);
        if may_end
            && node != first
            && is_endless(game.graph, node, winner)
            && wins(game, position, winner, known)?
        {
            return Ok(true);
        }
        let Ok(moves) = game.moves_from(position)? else {
            continue;
        };
        if !goes_alone(game, position, winner, &moves) {
            // Whatever the other player chooses, it has lost at once.
            let is_over =
                at == labels.len() && moves.iter().all(|m| m.target == Target::Won(winner));
            if is_over || may_end && wins(game, position, winner, known)? {
                return Ok(true);
            }
            continue;
        }
        for next in own_moves(game, position, winner, moves) {
            let mut after = at;
            if let Some(number) = next.transition {
                let label = game.label(game.states.transition(number).0);
                let wanted = labels.get(at);
                if wanted.is_none_or(|wanted| !label.is(*wanted)) {
                    continue;
                }
                after += 1;
            }
            match next.target {
                Target::Won(player) if player == winner && after == labels.len() => {
                    return Ok(true);
                }
                Target::Won(_) => {}
                Target::To(target) => {
                    if visited.insert((target, after)) {
                        open.push((target, after));
                    }
                }
            }
        }
    }
    Ok(false)
}
