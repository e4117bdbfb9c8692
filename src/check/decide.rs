//! From a property and states to a verdict.

use std::ops::ControlFlow;

use hyades_explore::{Erased, ExploreError, Limit, Limits, Model, Progress};
use hyades_formats::{LabelTable, Lts, TooLarge};

use crate::ahead;
use crate::along::Along;
use crate::evidence::{self, End, Part, Sets, Way};
use crate::game::{Allowed, Beside, CheckError, Game, GoesOn, Stop, Target};
use crate::graph::{Graph, Node, TooLargeFormula};
use crate::instances::Instances;
use crate::matching::LabelText;
use crate::parity::Player;
use crate::product::Product;
use crate::sets::{self, Unsolved};
use crate::states::States;
use crate::syntax::Property;
use crate::within::{self, Chain, Excess};

/// How to decide.
#[derive(Default)]
pub struct CheckOptions<'a> {
    /// When to give up on models.
    pub limits: Limits,
    /// Whether evidence is wanted that is one sequence.
    pub evidence: bool,
    /// Whether evidence is wanted that is a part of the state space, where none is one
    /// sequence; it may be as large as all that was looked at.
    pub parts: bool,
    /// Whether, where a sequence leads to what needs more transitions, these are wanted, too.
    pub residues: bool,
    /// When to give up on data: after so many values of parameters of fixpoints, counted
    /// for each state and fixpoint; no limit if there is none.
    pub max_instances: Option<u64>,
    /// Whether, of a model, the state space may be explored as a whole beside the search for a
    /// verdict, if a formula without many values needs more than a little of it: 8 states for
    /// each that the search has come to, in up to 4 times its memory. That is how what needs
    /// most of the states is decided soonest, unless transitions are expensive to compute.
    pub looks_ahead: bool,
    /// Called every now and then with the numbers of states and of positions so far;
    /// `Break` ends the work.
    pub progress: Option<&'a mut dyn FnMut(usize, usize) -> ControlFlow<()>>,
}

hyades_base::opaque!(CheckOptions<'_>: limits, evidence, parts, residues, max_instances, looks_ahead);

impl CheckOptions<'_> {
    /// The same, for a while.
    pub(crate) fn reborrowed(&mut self) -> CheckOptions<'_> {
        CheckOptions {
            progress: match &mut self.progress {
                Some(progress) => Some(&mut **progress),
                None => None,
            },
            ..*self
        }
    }
}

/// Whether a formula holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// In the initial state.
    True,
    /// Not in the initial state.
    False,
    /// Not known: a limit was reached.
    Limit(Limit),
    /// Not known: [`CheckOptions::max_instances`] was reached.
    Instances,
    /// Not known: the model does not go on from some states.
    Truncated,
    /// Not known: the callback ended the work.
    Interrupted,
}

impl Verdict {
    /// Who has won, if the verdict is known.
    fn winner(self) -> Option<Player> {
        match self {
            Verdict::True => Some(Player::Prover),
            Verdict::False => Some(Player::Refuter),
            Verdict::Limit(_) | Verdict::Instances | Verdict::Truncated | Verdict::Interrupted => {
                None
            }
        }
    }
}

impl Game<'_, '_> {
    fn set_limits(&mut self, options: &CheckOptions<'_>) {
        self.max_memory = options.limits.max_memory.unwrap_or(u64::MAX);
        self.max_instances = options.max_instances.unwrap_or(u64::MAX);
    }
}

/// Why a formula holds or does not.
#[derive(Debug)]
pub enum Evidence {
    /// One sequence; shortest, unless it ends in a cycle.
    Way(Way),
    /// A part of the state space, in which the winner of the game wins.
    Part(Part),
}

/// What came out.
#[derive(Debug)]
pub struct Checked {
    /// The verdict.
    pub verdict: Verdict,
    /// Why, if it was wanted and there is a verdict.
    pub evidence: Option<Evidence>,
    /// Why it is not known, though it was wanted: the error that its search ended with. The
    /// verdict stands, as it does where no evidence is wanted.
    pub unshown: Option<DecideError>,
    /// The transitions of a [`Way`] and those that show what its end says, if it needs any
    /// and they were wanted: a part of the state space, in which the winner of the game wins.
    pub whole: Option<Lts>,
    /// The labels that a [`Way`] speaks of.
    pub labels: LabelTable,
    /// What a model says on each step of a [`Way`].
    pub explanations: Vec<Vec<String>>,
    /// The states of a model that a [`Way`] goes through, the first and the last included,
    /// as the model packs them.
    pub packed: Vec<Box<[u64]>>,
    /// How many states were looked at.
    pub states: usize,
    /// How many transitions were found.
    pub transitions: usize,
}

/// Why there is no verdict at all.
#[derive(Debug)]
pub enum DecideError {
    /// The formula is too large.
    Formula(TooLargeFormula),
    /// The model failed, or an expression has no value.
    Check(CheckError),
    /// The evidence is too large.
    TooLarge(TooLarge),
}

impl std::fmt::Display for DecideError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DecideError::Formula(error) => error.fmt(f),
            DecideError::Check(error) => error.fmt(f),
            DecideError::TooLarge(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DecideError {}

impl From<TooLargeFormula> for DecideError {
    fn from(error: TooLargeFormula) -> Self {
        DecideError::Formula(error)
    }
}

impl<E: Into<CheckError>> From<E> for DecideError {
    fn from(error: E) -> Self {
        DecideError::Check(error.into())
    }
}

/// Whether there are fixpoints that depend on values, whose instances
/// [`CheckOptions::max_instances`] counts.
pub fn has_instances(property: &Property) -> bool {
    Graph::new(property).is_ok_and(|graph| {
        let mut nodes = graph.nodes.iter().zip(&graph.live);
        nodes.any(|(node, live)| matches!(node, Node::Fixpoint(..)) && !live.is_empty())
    })
}

/// Decides a property in the initial state of an LTS.
///
/// Formulas without data: sets of states, O(|formula| · (states + transitions)) where
/// no least fixpoint depends on a greatest one that depends on it, else a parity game.
/// Formulas with data whose variables do not have many values together: the same, with each
/// part of the formula once for each value; but if that is more than 16 times as many parts,
/// only if it is not decided on the fly in a similar time. With more values or labels, or an
/// expression that has no value for some: on the fly, as [`check_model`].
///
/// # Errors
/// If the formula has too many parts, or an expression has no value.
pub fn check_lts(
    property: &Property,
    lts: &Lts,
    options: CheckOptions<'_>,
) -> Result<Checked, DecideError> {
    decide_lts(&Graph::new(property)?, lts, options)
}

/// The instances by which sets of states decide a formula, but for actions without a value, if
/// it has data; nothing if they do not decide it.
pub(crate) fn instances(graph: &Graph<'_>, lts: &Lts) -> Option<Option<Instances>> {
    match graph.is_data_free() {
        true => Some(None),
        false => Instances::new(graph, lts).map(Some),
    }
}

/// As [`check_lts`].
fn decide_lts(
    graph: &Graph<'_>,
    lts: &Lts,
    mut options: CheckOptions<'_>,
) -> Result<Checked, DecideError> {
    let Some(instances) = instances(graph, lts) else {
        return play(graph, States::of_lts(lts), options);
    };
    if let Some(own) = &instances
        && let Some(checked) = decide_soon(graph, lts, own, options.reborrowed())?
    {
        return Ok(checked);
    }
    decide_by_sets(graph, lts, instances, options)
}

/// Decides a formula by sets of states, with [these instances](instances).
pub(crate) fn decide_by_sets(
    graph: &Graph<'_>,
    lts: &Lts,
    instances: Option<Instances>,
    mut options: CheckOptions<'_>,
) -> Result<Checked, DecideError> {
    let solved = instances.as_ref().map_or(graph, |own| &own.graph);
    let mut goes_on = || match &mut options.progress {
        Some(progress) => progress(lts.states(), 0),
        None => ControlFlow::Continue(()),
    };
    let of_nodes = match sets::sets(solved, lts, options.evidence, &mut goes_on) {
        Ok(of_nodes) => Some(of_nodes),
        Err(Unsolved::NoValue) => return play(graph, States::of_lts(lts), options),
        Err(Unsolved::Interrupted) => None,
    };
    let mut checked = Checked {
        verdict: Verdict::Interrupted,
        evidence: None,
        unshown: None,
        whole: None,
        labels: LabelTable::new(),
        explanations: Vec::new(),
        packed: Vec::new(),
        states: lts.states(),
        transitions: lts.transitions(),
    };
    let Some(of_nodes) = of_nodes else {
        return Ok(checked);
    };
    let root = of_nodes[solved.root.index()].as_ref();
    let root = root.expect("the root is kept");
    let winner = match root.contains(Lts::initial(lts).index()) {
        true => Player::Prover,
        false => Player::Refuter,
    };
    checked.verdict = verdict(winner);
    let sets = Sets {
        of_nodes,
        instances,
    };
    if options.evidence {
        let mut game = Game::new(graph, States::of_lts(lts));
        // The verdict is known.
        game.is_hasty = false;
        game.set_limits(&options);
        game.max_memory = game.max_memory.saturating_sub(sets.bytes(lts));
        let wanted = Wanted::of(&options);
        let shown = match game.start() {
            Ok(root) => show(game, root, winner, Some(&sets), wanted, &mut checked),
            Err(error) => Err(error.into()),
        };
        checked.unshown = shown.err();
    }
    Ok(checked)
}

/// What a game decides of a formula with data before sets of its many instances would have;
/// nothing of one with few.
fn decide_soon(
    graph: &Graph<'_>,
    lts: &Lts,
    instances: &Instances,
    options: CheckOptions<'_>,
) -> Result<Option<Checked>, DecideError> {
    let most = instances.worth(lts);
    if most == 0 {
        return Ok(None);
    }
    let mut is_long = false;
    let mut beside = |_: usize, bytes: u64, _: &mut GoesOn<'_>| {
        is_long = bytes > most;
        match is_long {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let played = play_beside(graph, States::of_lts(lts), options, &mut beside)?;
    Ok((!is_long).then_some(played))
}

/// Decides a property in the initial state of a model, on the fly: states are looked at
/// breadth-first until the verdict stands. O(|formula| · (states + transitions)) of what
/// is looked at, without alternation and data.
///
/// # Errors
/// As [`check_lts`]; moreover, if the model fails.
pub fn check_model(
    property: &Property,
    model: Erased<'_>,
    options: CheckOptions<'_>,
) -> Result<Checked, DecideError> {
    let mut options = options;
    let graph = Graph::new(property)?;
    let Some(product) = Product::new(&graph, model) else {
        return match options.looks_ahead {
            true => ahead::decide(&graph, model, options),
            false => play(&graph, States::of_model(model, options.limits)?, options),
        };
    };
    let mut checked = search(&product, model, options.reborrowed())?;
    let (shows, leaves_more) = match &checked.evidence {
        Some(Evidence::Way(way)) => (!is_nothing(&graph, way, true), leaves_more(&way.end)),
        Some(Evidence::Part(_)) => (true, false),
        None => (false, false),
    };
    let is_wanted = options.parts && !shows || options.residues && leaves_more;
    if is_wanted && checked.verdict.winner().is_some() {
        // What no path shows, the game does.
        let played = States::of_model(model, options.limits)
            .map_err(DecideError::from)
            .and_then(|states| play(&graph, states, options));
        let played = match played {
            Ok(played) => played,
            Err(error) => {
                checked.unshown = Some(error);
                return Ok(checked);
            }
        };
        checked.unshown = played.unshown;
        match (played.evidence, played.whole) {
            (Some(Evidence::Part(part)), _) if shows => checked.whole = Some(part.lts),
            (Some(Evidence::Way(_)), Some(whole)) if shows => checked.whole = Some(whole),
            (evidence, whole) => {
                (checked.evidence, checked.whole) = (evidence, whole);
                (checked.labels, checked.explanations) = (played.labels, played.explanations);
                checked.packed = played.packed;
            }
        }
    }
    Ok(checked)
}

/// What evidence there is to be besides a sequence.
#[derive(Clone, Copy)]
struct Wanted {
    parts: bool,
    residues: bool,
}

impl Wanted {
    fn of(options: &CheckOptions<'_>) -> Self {
        Self {
            parts: options.parts,
            residues: options.residues,
        }
    }
}

/// Whether what is decided at the end of a sequence may need more transitions.
fn leaves_more(end: &End) -> bool {
    match end {
        End::Whole | End::Cycle(_) => false,
        End::Decided { deadlock, .. } => !deadlock,
    }
}

/// Whether a way says nothing: where the other player would choose at once, a part of the
/// state space says more; without one, which part of the formula it is may be told.
fn is_nothing(graph: &Graph<'_>, way: &Way, parts: bool) -> bool {
    match &way.end {
        End::Decided {
            deadlock: false,
            formula,
            ..
        } => way.steps.is_empty() && (parts || graph.is_whole(formula)),
        End::Decided { .. } | End::Whole | End::Cycle(_) => false,
    }
}

/// Decides a formula that asks for a path.
fn search(
    product: &Product<'_>,
    model: Erased<'_>,
    options: CheckOptions<'_>,
) -> Result<Checked, DecideError> {
    let mut progress = options.progress;
    let mut callback = |p: &Progress| match &mut progress {
        Some(progress) => progress(p.states as usize, p.states as usize),
        None => ControlFlow::Continue(()),
    };
    let found = product.decide(options.limits, Some(&mut callback))?;
    let mut checked = Checked {
        verdict: found.verdict,
        evidence: None,
        unshown: None,
        whole: None,
        labels: found.labels,
        explanations: Vec::new(),
        packed: Vec::new(),
        states: found.states,
        transitions: found.transitions,
    };
    if let (true, Some((way, states))) = (options.evidence, found.way) {
        let explain = |(k, step): (usize, &evidence::Step)| {
            let text = (!step.label.is_hidden()).then(|| checked.labels.text(step.label));
            model.explain(&states[k], text, &states[k + 1])
        };
        checked.explanations = way.steps.iter().enumerate().map(explain).collect();
        checked.packed = states;
        checked.evidence = Some(Evidence::Way(way));
    }
    Ok(checked)
}

fn verdict(winner: Player) -> Verdict {
    match winner {
        Player::Prover => Verdict::True,
        Player::Refuter => Verdict::False,
    }
}

fn play(
    graph: &Graph<'_>,
    states: States<'_>,
    options: CheckOptions<'_>,
) -> Result<Checked, DecideError> {
    play_beside(graph, states, options, &mut |_, _, _| {
        ControlFlow::Continue(())
    })
}

/// As [`play`], beside [something else](Game::run_beside).
pub(crate) fn play_beside(
    graph: &Graph<'_>,
    states: States<'_>,
    options: CheckOptions<'_>,
    beside: &mut Beside<'_>,
) -> Result<Checked, DecideError> {
    let wanted = Wanted::of(&options);
    let mut game = Game::new(graph, states);
    game.set_limits(&options);
    let root = game.start()?;
    let (winner, stop) = match root {
        Target::Won(player) => (Some(player), None),
        Target::To(position) => {
            let mut nothing = |_: usize, _: usize| ControlFlow::Continue(());
            let stop = match options.progress {
                Some(progress) => game.run_beside(position, progress, beside)?,
                None => game.run_beside(position, &mut nothing, beside)?,
            };
            (game.winner[position as usize], stop)
        }
    };
    let mut checked = Checked {
        verdict: match (winner, stop) {
            (Some(winner), _) => verdict(winner),
            (None, Some(Stop::Limit(limit))) => Verdict::Limit(limit),
            (None, Some(Stop::Instances)) => Verdict::Instances,
            (None, Some(Stop::Interrupted)) => Verdict::Interrupted,
            (None, None) => Verdict::Truncated,
        },
        evidence: None,
        unshown: None,
        whole: None,
        labels: LabelTable::new(),
        explanations: Vec::new(),
        packed: Vec::new(),
        states: game.states.known(),
        transitions: game.states.transitions(),
    };
    if let (true, Some(winner)) = (options.evidence, winner) {
        let shown = show(game, root, winner, None, wanted, &mut checked);
        checked.unshown = shown.err();
    }
    Ok(checked)
}

/// Adds evidence, which debug builds check.
fn show(
    mut game: Game<'_, '_>,
    root: Target,
    winner: Player,
    known: evidence::Known<'_>,
    wanted: Wanted,
    checked: &mut Checked,
) -> Result<(), DecideError> {
    let graph = game.graph;
    checked.labels = game.states.labels().clone();
    let way = evidence::way(&mut game, root, winner, known)?;
    if let Some((way, last)) = way.filter(|(way, _)| !is_nothing(graph, way, wanted.parts)) {
        let mut needed = way.steps.clone();
        let mut is_enough = !matches!(way.end, End::Decided { .. });
        if let (true, true, Some(last)) = (wanted.residues, leaves_more(&way.end), last) {
            let Some(rest) = evidence::part(&mut game, Target::To(last), winner)? else {
                return Ok(());
            };
            needed.extend(rest.steps);
            is_enough = true;
        }
        let steps = way.steps.iter();
        let explain = |s: &evidence::Step| game.states.explain(s.source, s.label, s.target);
        checked.explanations = steps.map(explain).collect();
        checked.labels = game.states.labels().clone();
        let first = way.steps.first().map(|step| step.source);
        let visited = way.steps.iter().map(|step| step.target);
        let packed = first.into_iter().chain(visited);
        checked.packed = packed
            .filter_map(|state| game.states.packed(state))
            .collect();
        if needed.len() > way.steps.len() {
            checked.whole = Some(as_lts(&game.states, needed.clone())?);
        }
        if cfg!(debug_assertions) && is_enough {
            assert!(
                evidence::suffices(graph, game.states, winner, &needed)?,
                "{way:?} {needed:?}"
            );
        }
        checked.evidence = Some(Evidence::Way(way));
        return Ok(());
    }
    if !wanted.parts {
        return Ok(());
    }
    let Some(used) = evidence::part(&mut game, root, winner)? else {
        return Ok(());
    };
    let steps = match cfg!(debug_assertions) {
        true => used.steps.clone(),
        false => Vec::new(),
    };
    let part = used
        .into_part(&game, winner)
        .map_err(DecideError::TooLarge)?;
    if cfg!(debug_assertions) {
        assert!(
            evidence::suffices(graph, game.states, winner, &steps)?,
            "{part:?}"
        );
    }
    checked.evidence = Some(Evidence::Part(part));
    Ok(())
}

/// These transitions as an LTS.
fn as_lts(states: &States<'_>, steps: Vec<evidence::Step>) -> Result<Lts, DecideError> {
    evidence::as_lts(states, steps).map_err(DecideError::TooLarge)
}

/// Whether a reason shows a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// It does.
    Yes,
    /// It does not, and this transition of it is none of the system, if there is such a one.
    No(Option<Excess>),
    /// Not known, and why: there is no verdict, or a limit was reached.
    Open(Verdict),
}

/// Whether a trace of these labels (`None` is the hidden action) shows why a property has
/// a verdict in the initial state of a system: whether it leads alone to where that is
/// decided.
///
/// # Errors
/// As [`check_model`].
pub fn trace_shows(
    property: &Property,
    verdict: Verdict,
    model: Erased<'_>,
    labels: &[Option<&[u8]>],
    options: CheckOptions<'_>,
) -> Result<Shown, DecideError> {
    let Some(winner) = verdict.winner() else {
        return Ok(Shown::Open(verdict));
    };
    let graph = Graph::new(property)?;
    let texts = labels
        .iter()
        .map(|l| LabelText::new(l.unwrap_or_default(), l.is_none()));
    let texts: Vec<LabelText<'_>> = texts.collect();
    let mut game = Game::new(&graph, States::of_model(model, options.limits)?);
    game.set_limits(&options);
    let root = game.start()?;
    Ok(
        match evidence::replays(&mut game, root, winner, None, &texts)? {
            true => Shown::Yes,
            // Nothing has to be done, whatever the other player does.
            false
                if labels.is_empty() && {
                    let states = States::of_model(model, options.limits)?;
                    evidence::suffices(&graph, states, winner, &[])?
                } =>
            {
                Shown::Yes
            }
            false => game.left_out.map_or(Shown::No(None), Shown::Open),
        },
    )
}

/// Whether a part of a system, by its labels, shows why a property has a verdict in the
/// initial state: whether the winner wins with its transitions alone, and says of each
/// transition to which state of the part it leads; and whether it is a part: whether the
/// system has what it can do. A chain may stand for a lasso, whose last step leads back to one
/// of its states: for any that the system has, too.
///
/// O(|property| · transitions of the system · transitions of the part) without alternation; of a
/// chain, for each lasso that it may stand for.
///
/// # Errors
/// As [`check_model`]; moreover, if both have too many states together.
pub fn part_shows(
    property: &Property,
    verdict: Verdict,
    model: Erased<'_>,
    part: &Lts,
    mut options: CheckOptions<'_>,
) -> Result<Shown, DecideError> {
    let Some(winner) = verdict.winner() else {
        return Ok(Shown::Open(verdict));
    };
    let graph = Graph::new(property)?;
    let mut shown = wins_in(&graph, winner, model, part, &mut options)?;
    let Some(chain) = Chain::of(part) else {
        return Ok(shown);
    };
    if matches!(shown, Shown::Yes | Shown::No(Some(_))) {
        return Ok(shown);
    }
    for back in within::closings(model, &chain.labels(), &options)? {
        match wins_in(&graph, winner, model, &chain.lasso(back), &mut options)? {
            Shown::Yes => return Ok(Shown::Yes),
            Shown::No(_) => {}
            Shown::Open(why) => shown = Shown::Open(why),
        }
    }
    Ok(shown)
}

/// Whether this is a part of a system in which the winner wins with its transitions alone.
fn wins_in(
    graph: &Graph<'_>,
    winner: Player,
    model: Erased<'_>,
    part: &Lts,
    options: &mut CheckOptions<'_>,
) -> Result<Shown, DecideError> {
    let is_part = within::is_part(model, part, options)?;
    if let Shown::No(_) = is_part {
        return Ok(is_part);
    }
    let along = Along::new(model, part).map_err(ExploreError::from)?;
    let mut game = Game::new(graph, States::of_model(along.erased(), options.limits)?);
    game.set_limits(options);
    game.allowed = Some((winner, Allowed::Along(&along)));
    let mut nothing = |_: usize, _: usize| ControlFlow::Continue(());
    let won = match &mut options.progress {
        Some(progress) => evidence::is_won(&mut game, winner, progress)?,
        None => evidence::is_won(&mut game, winner, &mut nothing)?,
    };
    Ok(match won {
        Some(true) => is_part,
        Some(false) => Shown::No(None),
        None => Shown::Open(game.left_out.unwrap_or(Verdict::Truncated)),
    })
}
