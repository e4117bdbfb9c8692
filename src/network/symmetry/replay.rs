//! Traces up to symmetry as traces of the network (Gibson-Robinson & Lowe 2019,
//! Lemma 20).
//!
//! A representative is a permutation of the network's state at the same step. So
//! is what happens there: a step of the representative, permuted back, is a step
//! of the network, and what leads from the successor to its representative is one
//! more permutation.

use std::collections::HashMap;

use hyades_explore::pack::{self, flip_in};
use hyades_explore::{Answer, Exploration, Model, ModelError, Trace, words};
use hyades_formats::{LabelId, StateId};

use super::fire::Walk;
use super::model::{Scratch, SymmetricModel};

/// A run of the network along representatives.
pub struct Replay<'s> {
    model: &'s SymmetricModel<'s>,
    scratch: Scratch,
    /// The representative where the run is, as located states, with that of the
    /// specification, if it has one, at the end.
    located: Vec<u32>,
    /// The permutation from there to the network's state.
    back: Vec<u16>,
    /// The states of the components of the network.
    states: Vec<u32>,
    walk: Walk,
}

hyades_base::opaque!(Replay<'_>);

/// Where a step of representatives has to lead.
#[derive(Clone, Copy)]
enum Goal<'g> {
    State(&'g [u64]),
    Pair(u32, &'g [u64]),
    Any,
}

/// A step that was found: the rule, and the components that move.
struct Found {
    rule: u32,
    moves: Vec<(u32, u32)>,
    /// The representative that it leads to.
    target: Vec<u32>,
    /// The permutation from the successor to its representative.
    image: Vec<u16>,
}

impl<'s> Replay<'s> {
    /// A run that is at the initial state, of which the model has the
    /// representative.
    ///
    /// # Errors
    /// If that cannot be found.
    pub fn new(model: &'s SymmetricModel<'s>) -> Result<Self, ModelError> {
        Self::start(model, None)
    }

    /// The same beside the initial state of the specification.
    ///
    /// # Errors
    /// If the representative of the pair cannot be found.
    ///
    /// # Panics
    /// If the symmetry has no specification.
    pub fn with_specification(model: &'s SymmetricModel<'s>) -> Result<Self, ModelError> {
        let symmetry = model.symmetry();
        let specification = symmetry.parts.count();
        let initial = symmetry.parts.leaf(specification).lts.initial().get();
        Self::start(model, Some(symmetry.action.first[specification] + initial))
    }

    fn start(model: &'s SymmetricModel<'s>, node: Option<u32>) -> Result<Self, ModelError> {
        let symmetry = model.symmetry();
        let parts = &symmetry.parts;
        let initial = |c: usize| symmetry.action.first[c] + parts.leaf(c).lts.initial().get();
        let mut located: Vec<u32> = (0..parts.count()).map(initial).collect();
        located.extend(node);
        let mut scratch = model.scratch();
        let found = scratch.finder.replace(&symmetry.action, &mut located);
        found.map_err(ModelError::new)?;
        let network = symmetry.network();
        let state = |c: usize| network.file_of(c).lts.initial().get();
        Ok(Self {
            back: inverse(&scratch.finder.image),
            states: (0..parts.count()).map(state).collect(),
            walk: Walk::default(),
            model,
            scratch,
            located,
        })
    }

    /// The states of the network's components, as their files number them.
    pub fn states(&self) -> &[u32] {
        &self.states
    }

    /// The same as a [`NetworkModel`](crate::NetworkModel) packs them.
    pub fn packed(&self) -> Box<[u64]> {
        let network = self.model.symmetry().network();
        let sizes = (0..self.states.len()).map(|c| network.file_of(c).lts.states());
        let fields = pack::fields(sizes);
        let mut packed = vec![0; words(pack::bits(&fields))].into_boxed_slice();
        for (&field, &state) in fields.iter().zip(&self.states) {
            flip_in(&mut packed, field, state);
        }
        packed
    }

    /// Goes to a representative by a step with this label of the current one, or
    /// by any step. Returns the label of the network's step.
    ///
    /// # Errors
    /// If there is no such step, or the strategy would take too long.
    pub fn step(&mut self, label: Option<LabelId>, target: &[u64]) -> Result<LabelId, ModelError> {
        self.go(label, Goal::State(target))
    }

    /// The same for pairs with states of the specification, which takes a step with
    /// the same label, or none if it is hidden.
    ///
    /// # Errors
    /// As for [`Replay::step`].
    pub fn step_pair(
        &mut self,
        label: Option<LabelId>,
        node: u32,
        target: &[u64],
    ) -> Result<LabelId, ModelError> {
        self.go(label, Goal::Pair(node, target))
    }

    /// The same for a step with this label to wherever it leads, whatever the
    /// specification does. With a specification, there is no step after it.
    ///
    /// # Errors
    /// As for [`Replay::step`].
    pub fn step_by(&mut self, label: LabelId) -> Result<LabelId, ModelError> {
        self.go(Some(label), Goal::Any)
    }

    fn go(&mut self, label: Option<LabelId>, goal: Goal<'_>) -> Result<LabelId, ModelError> {
        let Some(found) = self.find(label, goal)? else {
            let text = "the trace has a step that the network does not have up to symmetry";
            return Err(ModelError::new(text));
        };
        let real = self.take(&found)?;
        self.located.clone_from(&found.target);
        // Where the run was, was `back` of the representative; where it is, is
        // `back` of the successor, and that the inverse of `image` of the new one.
        let to_successor = inverse(&found.image);
        let back = to_successor.iter().map(|&v| self.back[usize::from(v)]);
        self.back = back.collect();
        Ok(real)
    }

    /// The first step of the representative that fits.
    fn find(
        &mut self,
        label: Option<LabelId>,
        goal: Goal<'_>,
    ) -> Result<Option<Found>, ModelError> {
        let symmetry = self.model.symmetry();
        let count = symmetry.parts.count();
        let first = &symmetry.action.first;
        let states: Vec<u32> = (0..count).map(|c| self.located[c] - first[c]).collect();
        let mut ways: Vec<(u32, Vec<(u32, u32)>)> = Vec::new();
        symmetry.rules.each(&states, &mut self.walk, |rule, moves| {
            let own = symmetry.parts.outputs[rule as usize];
            if label.is_none_or(|label| label == own) {
                ways.push((rule, moves.to_vec()));
            }
        });
        let mut packed = vec![0; words(self.model.bits())];
        for (rule, moves) in ways {
            let mut next = self.located[..count].to_vec();
            for &(c, target) in &moves {
                next[c as usize] = first[c as usize] + target;
            }
            let nodes = match goal {
                Goal::Pair(..) => self.next_nodes(symmetry.parts.rules[rule as usize].output),
                Goal::State(_) | Goal::Any => vec![None],
            };
            for node in nodes {
                next.truncate(count);
                next.extend(node);
                let replaced = self.scratch.finder.replace(&symmetry.action, &mut next);
                replaced.map_err(ModelError::new)?;
                symmetry.pack(&next, &mut packed);
                let fits = match goal {
                    Goal::Any => true,
                    Goal::State(target) => packed == target,
                    Goal::Pair(node, target) => packed == target && symmetry.node(&next) == node,
                };
                if fits {
                    return Ok(Some(Found {
                        rule,
                        moves,
                        image: self.scratch.finder.image.clone(),
                        target: next,
                    }));
                }
            }
        }
        Ok(None)
    }

    /// The specification's states after a step with this label, located.
    fn next_nodes(&self, output: u32) -> Vec<Option<u32>> {
        let symmetry = self.model.symmetry();
        let count = symmetry.parts.count();
        // Without a specification, or after a step that it was not asked about.
        let Some(&node) = self.located.get(count) else {
            return Vec::new();
        };
        if output == 0 {
            return vec![Some(node)];
        }
        let first = symmetry.action.first[count];
        let leaf = symmetry.parts.leaf(count);
        let row = leaf.lts.outgoing(StateId::new(node - first));
        let own = row.filter(|&(label, _)| leaf.number_of(label) == output);
        own.map(|(_, target)| Some(first + target.get())).collect()
    }

    /// Takes the network's step that is the found one permuted back, and checks
    /// it.
    fn take(&mut self, found: &Found) -> Result<LabelId, ModelError> {
        let symmetry = self.model.symmetry();
        let network = symmetry.network();
        let rule = &symmetry.parts.rules[found.rule as usize];
        let mut next = self.states.clone();
        for &(c, label) in &rule.parts {
            let image = symmetry.parts.labels.image(label, &self.back);
            let label = image.ok_or_else(broken)?;
            let moved = found.moves.iter().find(|step| step.0 == c);
            let &(_, target) = moved.ok_or_else(broken)?;
            let source = symmetry.action.apply(&self.back, self.located[c as usize]);
            let own = symmetry.action.component(source) as usize;
            let goal = symmetry.action.first[c as usize] + target;
            let goal = symmetry.action.apply(&self.back, goal) - symmetry.action.first[own];
            let leaf = symmetry.parts.leaf(own);
            let file = &network.file_of(own).lts;
            let state = StateId::new(self.states[own]);
            let fits = |&(l, t): &(LabelId, StateId)| {
                leaf.number[l.index()] == Some(label) && leaf.class[t.index()] == goal
            };
            next[own] = file.outgoing(state).find(fits).ok_or_else(broken)?.1.get();
        }
        let label = symmetry
            .output(rule.output, &self.back)
            .ok_or_else(broken)?;
        if network.explain(&self.states, label, &next).is_empty() {
            return Err(broken());
        }
        self.states = next;
        Ok(label)
    }
}

fn broken() -> ModelError {
    ModelError::new("a step up to symmetry is none of the network: this is an error of the program")
}

fn inverse(image: &[u16]) -> Vec<u16> {
    let mut inverse = vec![0; image.len()];
    for (v, &w) in image.iter().enumerate() {
        inverse[usize::from(w)] = v as u16;
    }
    inverse
}

impl SymmetricModel<'_> {
    /// A trace of the network for one of this model, of the same length up to its
    /// cycle; states are numbered as they are visited. A cycle may have to be gone
    /// through several times until the network is where it was.
    ///
    /// O(length · successors) representatives.
    ///
    /// # Errors
    /// If it is no trace of this model, or the strategy would take too long.
    pub fn replay(&self, trace: &Trace) -> Result<Trace, ModelError> {
        let mut replay = Replay::new(self)?;
        let mut labels = Vec::new();
        let mut packed = vec![replay.packed()];
        // Where the network was each time when the cycle started.
        let mut starts: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut at = 0;
        let cycle = loop {
            if at == trace.labels.len() {
                match trace.cycle {
                    Some(start) => at = start,
                    None => break None,
                }
            }
            if trace.cycle == Some(at)
                && let Some(start) = starts.insert(replay.states().to_vec(), labels.len())
            {
                break Some(start);
            }
            labels.push(replay.step(Some(trace.labels[at]), &trace.packed[at + 1])?);
            packed.push(replay.packed());
            at += 1;
        };
        Ok(Trace {
            labels,
            states: (0..packed.len()).map(StateId::from_index).collect(),
            packed,
            cycle,
        })
    }

    /// An exploration of this model whose traces are those of the network. Labels and
    /// packed states are the network's; visited states are numbered as they are
    /// visited.
    ///
    /// # Errors
    /// As for [`SymmetricModel::replay`].
    pub fn replay_all<'m>(
        &'m self,
        found: &Exploration<'_>,
    ) -> Result<Exploration<'m>, ModelError> {
        let answer = |answer: &Answer| -> Result<Answer, ModelError> {
            Ok(match answer {
                Answer::Yes(trace) => Answer::Yes(self.replay(trace)?),
                Answer::No => Answer::No,
                Answer::Unknown => Answer::Unknown,
            })
        };
        Ok(Exploration {
            outcome: found.outcome,
            told: found.told.clone(),
            states: found.states,
            explored: found.explored,
            transitions: found.transitions,
            depth: found.depth,
            labels: self.labels(),
            deadlock: found.deadlock.as_ref().map(answer).transpose()?,
            livelock: found.livelock.as_ref().map(answer).transpose()?,
            find: found.find.iter().map(answer).collect::<Result<_, _>>()?,
            memory: found.memory,
        })
    }
}
