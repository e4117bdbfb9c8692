//! Deciding the constraints.

use std::collections::BTreeSet;

use hyades_formats::StateId;

use super::super::contents::Contents;
use super::super::event::{ChannelId, Direction, MessageId, Transition};
use super::super::machine::{Machine, messages_of};
use super::imitate::Steps;
use super::region::{Derivation, PartialRegion, Region, Width, states_of};
use super::walks::{Walks, Which};
use super::{Answer, Applicability, Constraint, Options, ThetaError, Witness};

/// Decides the constraints for a change of a component from one machine to another,
/// whose states have the same numbers, and two versions of a region.
///
/// Time: what [`Options`] allow; less if few walks of the region pass no state that is
/// both entry and exit.
///
/// # Errors
/// If the two machines cannot be compared.
pub fn check(
    old: &Machine,
    new: &Machine,
    regions: [Region; 2],
    options: Options,
) -> Result<Applicability, ThetaError> {
    Ok(Versions::new([old, new], options)?.check(regions))
}

/// Looks for a region with which as many theorems as possible apply to a change of a
/// component from one machine to another, whose states have the same numbers.
/// What is known of the two versions of the region is given.
///
/// If nothing is known, what cannot be reached is left aside in both machines. Tried
/// are, in this order, regions of the transitions that differ, together with those
/// that both versions have at some state where the component never waits, or at all
/// of these, and at last of all transitions; with as few entries and exits as there
/// may be and, if that leaves something unknown, with as many. The first that is best
/// is returned.
///
/// # Errors
/// If the two machines cannot be compared.
pub fn prove(
    old: &Machine,
    new: &Machine,
    known: [&PartialRegion; 2],
    options: Options,
) -> Result<Applicability, ThetaError> {
    let nothing = PartialRegion::default();
    let is_trimmed = known.iter().all(|part| **part == nothing);
    let [old, new] = [old, new].map(|machine| {
        let mut machine = machine.clone();
        if is_trimmed {
            machine.trim();
        }
        machine
    });
    let versions = Versions::new([&old, &new], options)?;
    let derivation = Derivation::new(versions.machines, known);
    let mut best: Option<Applicability> = None;
    for extension in derivation.extensions() {
        for width in [Width::Least, Width::Most] {
            let verdict = versions.check(derivation.regions(&extension, width));
            let is_unknown =
                |(_, answer): (Constraint, &Answer)| matches!(answer, Answer::Unknown { .. });
            let has_unknown = verdict.answers().any(is_unknown);
            let is_better = best.as_ref().is_none_or(|best| {
                (verdict.theorems(), verdict.is_proof()) > (best.theorems(), best.is_proof())
            });
            if is_better {
                best = Some(verdict);
            }
            if best.as_ref().is_some_and(Applicability::is_proof) || !has_unknown {
                break;
            }
        }
        if best.as_ref().is_some_and(Applicability::is_proof) {
            break;
        }
    }
    Ok(best.expect("there is always a region to try"))
}

/// Both versions of a component, ready to be compared.
struct Versions<'a> {
    machines: [&'a Machine; 2],
    contents: [Contents; 2],
    steps: [Steps; 2],
    options: Options,
}

impl<'a> Versions<'a> {
    fn new(machines: [&'a Machine; 2], options: Options) -> Result<Self, ThetaError> {
        let [old, new] = machines;
        if old.id() != new.id() || old.channels() != new.channels() {
            return Err(ThetaError::OtherComponent);
        }
        let contents = [
            Contents::new(old).map_err(ThetaError::OldContents)?,
            Contents::new(new).map_err(ThetaError::NewContents)?,
        ];
        let states = (0..old.states().min(new.states())).map(StateId::from_index);
        for state in states {
            if let [Some(old), Some(new)] = contents.each_ref().map(|c| c.of(state))
                && old != new
            {
                return Err(ThetaError::State(state));
            }
        }
        let steps = [Steps::new(old, &contents[0]), Steps::new(new, &contents[1])];
        Ok(Self {
            machines,
            contents,
            steps,
            options,
        })
    }

    /// Whether a state of a version can be reached.
    fn reaches(&self, version: usize, state: StateId) -> bool {
        let machine = self.machines[version];
        state.index() < machine.states() && self.contents[version].has(state)
    }

    fn check(&self, regions: [Region; 2]) -> Applicability {
        let mut answers = vec![Answer::Holds; Constraint::ALL.len()];
        let mut set = |constraint: Constraint, answer: Answer| {
            answers[constraint as usize] = answer;
        };
        let [old, new] = self.machines;
        let flaws = [regions[0].flaw(old), regions[1].flaw(new)];
        let initial = (old.initial() != new.initial()).then(|| Witness::State(new.initial()));
        let states = [0, 1].map(|k| &states_of(self.machines[k]) - &regions[k].states);
        let transitions = [0, 1].map(|k| {
            let all: BTreeSet<Transition> = self.machines[k].transitions().collect();
            &all - &regions[k].transitions
        });
        let [a, b] = flaws.map(answer);
        set(Constraint::OldRegion, a);
        set(Constraint::NewRegion, b);
        set(Constraint::Initial, answer(initial));
        let state = |a, b| answer(in_one_only(a, b).map(Witness::State));
        let [a, b] = &states;
        set(Constraint::OuterStates, state(a, b));
        let [a, b] = &transitions;
        let transition = in_one_only(a, b).map(Witness::Transition);
        set(Constraint::OuterTransitions, answer(transition));
        let [a, b] = &regions;
        set(Constraint::Entries, state(&a.entries, &b.entries));
        set(Constraint::Exits, state(&a.exits, &b.exits));
        let constraints = [
            [
                Constraint::SimulatedByNew,
                Constraint::ProgressOfNew,
                Constraint::ImplementedByNew,
                Constraint::OverfilledByNew,
            ],
            [
                Constraint::SimulatedByOld,
                Constraint::ProgressOfOld,
                Constraint::ImplementedByOld,
                Constraint::OverfilledByOld,
            ],
        ];
        for (version, of_version) in constraints.into_iter().enumerate() {
            let [simulated, progress, implemented, overflowing] = of_version;
            let region = &regions[version];
            let entries = region.entries.iter().copied();
            let starts = entries
                .filter(|&state| self.reaches(version, state))
                .collect();
            let mut walks = Walks {
                steps: &self.steps[version],
                region,
                starts: &starts,
                splits: true,
                others: &self.steps[1 - version],
                options: self.options,
            };
            let total = walks.answer(Which::Total);
            walks.splits = total == Answer::Holds;
            set(simulated, total);
            let stuck = self.without_progress(version, region);
            set(progress, answer(stuck.map(Witness::Transition)));
            set(implemented, walks.answer(Which::Partial));
            let mut worst = Answer::Holds;
            for &channel in self.contents[version].channels() {
                let starts = &self.not_yet_overfilled(version, channel, &starts);
                let answer = Walks { starts, ..walks }.answer(Which::Overfilling(channel));
                if worst == Answer::Holds || matches!(answer, Answer::Fails(_)) {
                    worst = answer;
                }
            }
            set(overflowing, worst);
        }
        Applicability { regions, answers }
    }

    /// The states where a private channel holds no more than it is to.
    fn not_yet_overfilled(
        &self,
        version: usize,
        channel: ChannelId,
        states: &BTreeSet<StateId>,
    ) -> BTreeSet<StateId> {
        let capacity = self.machines[version].channel(channel);
        let contents = &self.contents[version];
        let holds = |state| contents.len(state, channel).unwrap_or(0);
        let states = states.iter().copied();
        states
            .filter(|&state| !capacity.overflows_with(holds(state)))
            .collect()
    }

    /// A transition from an exit of a region instead of which the other version has
    /// none that is enabled whenever it is.
    fn without_progress(&self, version: usize, region: &Region) -> Option<Transition> {
        let [machine, other] = [version, 1 - version].map(|k| self.machines[k]);
        let mut leaving = region
            .transitions
            .iter()
            .filter(|t| region.exits.contains(&t.source) && self.reaches(version, t.source));
        let replaces = |t: &Transition, instead: &Transition| {
            (0..machine.channels().len())
                .map(ChannelId::new)
                .all(|channel| {
                    let received = |t: &Transition| -> Vec<MessageId> {
                        messages_of(&t.label, channel, Direction::Reception).collect()
                    };
                    !machine.channel(channel).is_shared()
                        || received(t).starts_with(&received(instead))
                })
        };
        let stuck = leaving.find(|t| {
            t.source.index() >= other.states()
                || !other
                    .outgoing(t.source)
                    .any(|instead| replaces(t, &instead))
        });
        stuck.cloned()
    }
}

/// What one set has and the other one has not.
fn in_one_only<T: Ord + Clone>(a: &BTreeSet<T>, b: &BTreeSet<T>) -> Option<T> {
    a.symmetric_difference(b).next().cloned()
}

fn answer(witness: Option<Witness>) -> Answer {
    witness.map_or(Answer::Holds, Answer::Fails)
}
