//! Whether a system can do what a reason does: whether the reason is a part of it, by labels,
//! and whether a trace ends where nothing is left to do.

use std::collections::{HashMap, HashSet, VecDeque};

use hyades_explore::{Erased, Limit};
use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};

use crate::decide::{CheckOptions, DecideError, Shown, Verdict};
use crate::game;
use crate::matching::LabelText;
use crate::states::States;

/// A transition of a reason that is none of the system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Excess {
    /// The state of the reason before it.
    pub source: StateId,
    /// Its label, in the table of the reason.
    pub label: LabelId,
    /// The state of the reason after it.
    pub target: StateId,
}

/// A state of the part and one of the system, of which the second shall do what the first
/// does.
struct Pair {
    part: u32,
    system: u32,
    /// The needs that it is an answer to.
    answers: Vec<u32>,
    /// Why the second does not do what the first does, once that is known: the transition of
    /// the part, by its number, and the pair that it leads to if the system has one with
    /// its label.
    refuted: Option<(usize, Option<u32>)>,
}

/// A transition of the part that a pair needs an answer to.
struct Need {
    pair: u32,
    transition: usize,
    /// How many answers are not refuted.
    left: u32,
}

/// Pairs that are reached from the initial ones; what is refuted is propagated at once.
struct Simulation<'a> {
    part: &'a Lts,
    pairs: Vec<Pair>,
    index: HashMap<(u32, u32), u32>,
    needs: Vec<Need>,
    open: VecDeque<u32>,
}

impl Simulation<'_> {
    fn pair(&mut self, part: u32, system: u32) -> u32 {
        let next = self.pairs.len() as u32;
        let number = *self.index.entry((part, system)).or_insert(next);
        if number == next {
            self.pairs.push(Pair {
                part,
                system,
                answers: Vec::new(),
                refuted: None,
            });
            self.open.push_back(number);
        }
        number
    }

    /// Looks for answers to all transitions of the part from a pair, among these of the
    /// system.
    fn expand(&mut self, pair: u32, row: &[(Option<LabelId>, u32)]) {
        let part = self.part;
        let own = part.row(StateId::new(self.pairs[pair as usize].part));
        for transition in own {
            let label = Lts::labels(part)[transition];
            let target = part.targets()[transition].get();
            let need = self.needs.len() as u32;
            let (mut left, mut deeper) = (0, None);
            for (_, system) in row.iter().filter(|(own, _)| *own == Some(label)) {
                let answer = self.pair(target, *system);
                match self.pairs[answer as usize].refuted {
                    Some(_) => deeper = Some(answer),
                    None => {
                        left += 1;
                        self.pairs[answer as usize].answers.push(need);
                    }
                }
            }
            self.needs.push(Need {
                pair,
                transition,
                left,
            });
            if left == 0 {
                return self.refute(pair, transition, deeper);
            }
        }
    }

    fn refute(&mut self, pair: u32, transition: usize, deeper: Option<u32>) {
        let mut queue = VecDeque::from([(pair, transition, deeper)]);
        while let Some((pair, transition, deeper)) = queue.pop_front() {
            let own = &mut self.pairs[pair as usize];
            if own.refuted.is_some() {
                continue;
            }
            own.refuted = Some((transition, deeper));
            for need in std::mem::take(&mut own.answers) {
                let need = &mut self.needs[need as usize];
                need.left -= 1;
                if need.left == 0 {
                    queue.push_back((need.pair, need.transition, Some(pair)));
                }
            }
        }
    }

    /// About how many bytes are held.
    fn bytes(&self) -> u64 {
        let bytes = self.pairs.capacity() * (size_of::<Pair>() + 16)
            + self.needs.capacity() * (size_of::<Need>() + 8);
        bytes as u64
    }

    /// The transition that the first pair is refuted by in the end.
    fn excess(&self) -> Option<Excess> {
        let (mut transition, mut deeper) = self.pairs[0].refuted?;
        let mut source = self.pairs[0].part;
        // What a pair is refuted by was refuted before it.
        while let Some(pair) = deeper {
            let pair = &self.pairs[pair as usize];
            source = pair.part;
            (transition, deeper) = pair.refuted?;
        }
        Some(Excess {
            source: StateId::new(source),
            label: Lts::labels(self.part)[transition],
            target: self.part.targets()[transition],
        })
    }
}

/// Whether a system can do what an LTS does, by labels: whether its initial state simulates
/// that of the LTS. Of what is not known of the system it is taken that it can.
///
/// O(transitions of the LTS · transitions of the system), of what is reached in both at once.
pub(crate) fn is_part(
    model: Erased<'_>,
    part: &Lts,
    options: &mut CheckOptions<'_>,
) -> Result<Shown, DecideError> {
    let mut states = States::of_model(model, options.limits)?;
    let mut simulation = Simulation {
        part,
        pairs: Vec::new(),
        index: HashMap::new(),
        needs: Vec::new(),
        open: VecDeque::new(),
    };
    simulation.pair(Lts::initial(part).get(), states.initial());
    let mut unknown = None;
    let mut row = Vec::new();
    while let Some(next) = simulation.open.pop_front() {
        if simulation.pairs[0].refuted.is_some() {
            break;
        }
        let Pair {
            part: own, system, ..
        } = simulation.pairs[next as usize];
        if part.row(StateId::new(own)).is_empty() {
            continue;
        }
        row.clear();
        let Ok(numbers) = game::row(&mut states, &mut unknown, system)? else {
            continue;
        };
        row.extend(numbers.map(|number| {
            let (label, target) = states.transition(number);
            (same(&states, label, part), target)
        }));
        simulation.expand(next, &row);
        if next.is_multiple_of(1024) {
            let bytes = simulation.bytes() + states.bytes() as u64;
            if options.limits.max_memory.is_some_and(|most| bytes > most) {
                return Ok(Shown::Open(Verdict::Limit(Limit::Memory)));
            }
            if let Some(progress) = &mut options.progress
                && progress(states.known(), simulation.pairs.len()).is_break()
            {
                return Ok(Shown::Open(Verdict::Interrupted));
            }
        }
    }
    Ok(match (simulation.excess(), unknown) {
        (Some(excess), _) => Shown::No(Some(excess)),
        (None, Some(why)) => Shown::Open(why),
        (None, None) => Shown::Yes,
    })
}

/// The label of the part for one of the system.
fn same(states: &States<'_>, label: LabelId, part: &Lts) -> Option<LabelId> {
    match label.is_hidden() {
        true => Some(LabelId::HIDDEN),
        false => part.table().find(states.labels().text(label)),
    }
}

/// A path whose labels are told, or a cycle behind one.
pub(crate) struct Chain<'a> {
    part: &'a Lts,
    labels: Vec<LabelId>,
}

impl<'a> Chain<'a> {
    /// That which an LTS is, from its initial state on, if it is one and ends.
    pub fn of(part: &'a Lts) -> Option<Self> {
        let labels = hyades_lts::chain(part)?;
        Some(Self { part, labels })
    }

    /// `None` is the hidden action.
    pub fn labels(&self) -> Vec<Option<&'a [u8]>> {
        let text = |&label: &LabelId| match label.is_hidden() {
            true => None,
            false => Some(self.part.table().text(label)),
        };
        self.labels.iter().map(text).collect()
    }

    /// The same, but that the last step leads back to before step `back`.
    pub fn lasso(&self, back: usize) -> Lts {
        let states = self.labels.len();
        let mut builder = LtsBuilder::with_table(states as u64, self.part.table().clone());
        for (k, &label) in self.labels.iter().enumerate() {
            let target = if k + 1 == states { back } else { k + 1 };
            builder.add(StateId::from_index(k), label, StateId::from_index(target));
        }
        let lasso = builder.build(StateId::new(0));
        lasso.expect("it has fewer states than the chain, and as many transitions")
    }
}

/// The states that paths of a system lead to whose labels are the first ones of these (`None` is
/// the hidden action): of none of them, of one, and so on to all. O(labels · transitions).
fn along(
    states: &mut States<'_>,
    unknown: &mut Option<Verdict>,
    labels: &[Option<&[u8]>],
) -> Result<Vec<Vec<u32>>, DecideError> {
    let mut all = vec![vec![states.initial()]];
    for (k, label) in labels.iter().enumerate() {
        let wanted = LabelText::new(label.unwrap_or_default(), label.is_none());
        let mut after = Vec::new();
        for &state in &all[k] {
            let Ok(row) = game::row(states, unknown, state)? else {
                continue;
            };
            for number in row {
                let (label, target) = states.transition(number);
                if game::text_of(states, label).is(wanted) {
                    after.push(target);
                }
            }
        }
        after.sort_unstable();
        after.dedup();
        all.push(after);
    }
    Ok(all)
}

/// The steps of a path of a system, by their places among these labels, that the system may
/// repeat at the end of the path: those with a label that it goes on with. First come those
/// before which a state is where the path ends, too, then the others, each the last ones first;
/// all of them, if it is not known what is there.
///
/// O(labels · transitions).
pub(crate) fn closings(
    model: Erased<'_>,
    labels: &[Option<&[u8]>],
    options: &CheckOptions<'_>,
) -> Result<Vec<usize>, DecideError> {
    let mut states = States::of_model(model, options.limits)?;
    let mut unknown = None;
    let mut reached = along(&mut states, &mut unknown, labels)?;
    let ends = reached.pop().unwrap_or_default();
    let mut texts = HashSet::new();
    for &state in &ends {
        let Ok(row) = game::row(&mut states, &mut unknown, state)? else {
            continue;
        };
        for number in row {
            let (label, _) = states.transition(number);
            let text = || states.labels().text(label).to_vec();
            texts.insert((!label.is_hidden()).then(text));
        }
    }
    let is_next = |label: &Option<&[u8]>| texts.contains(&label.map(<[u8]>::to_vec));
    let may_repeat = |&k: &usize| unknown.is_some() || is_next(&labels[k]);
    let mut steps: Vec<usize> = (0..labels.len()).rev().filter(may_repeat).collect();
    let is_back = |k: usize| {
        reached[k]
            .iter()
            .any(|state| ends.binary_search(state).is_ok())
    };
    steps.sort_by_cached_key(|&k| !is_back(k));
    Ok(steps)
}

/// Whether some path of a system with these labels (`None` is the hidden action) ends in a
/// deadlock. O(labels · transitions).
///
/// # Errors
/// If the model fails.
pub fn ends_in_deadlock(
    model: Erased<'_>,
    labels: &[Option<&[u8]>],
    options: CheckOptions<'_>,
) -> Result<Shown, DecideError> {
    let mut states = States::of_model(model, options.limits)?;
    let mut unknown = None;
    let reached = along(&mut states, &mut unknown, labels)?;
    for &state in reached.last().into_iter().flatten() {
        if game::row(&mut states, &mut unknown, state)?.is_ok_and(|row| row.is_empty()) {
            return Ok(Shown::Yes);
        }
    }
    Ok(unknown.map_or(Shown::No(None), Shown::Open))
}
