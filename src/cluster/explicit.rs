//! An LTS of which each worker has a part, as a model: for explorations in which states belong to
//! who has them ([`Options::ranges`](crate::exploration::Options::ranges)).

use std::borrow::Cow;

use hyades_explore::{Emit, Model, ModelError};
use hyades_formats::{LabelId, LabelTable};

use crate::part::Part;

/// States are their numbers in the whole system. The rows of others than its own are none that a
/// part could tell.
impl Model for Part {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(&self.table)
    }

    fn bits(&self) -> usize {
        let last = self.ranges.states().saturating_sub(1);
        (u64::BITS - last.leading_zeros()).max(1) as usize
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        state.copy_from_slice(&[self.initial]);
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let own = self.ranges.of(self.index);
        if !own.contains(&state[0]) {
            return Err(ModelError::new("a state of another process"));
        }
        let count = (own.end - own.start) as usize;
        let state = (state[0] - own.start) as usize;
        for place in self.offsets[state] as usize..self.offsets[state + 1] as usize {
            let target = self.targets[place] as usize;
            let target = match target.checked_sub(count) {
                None => own.start + target as u64,
                Some(ghost) => self.ghosts[ghost],
            };
            emit.transition(LabelId::new(self.labels[place]), &[target]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hyades_explore::{Exploration, ExploreOptions, Goal, Model, Questions, reach};
    use hyades_testing::check;

    use crate::exploration::{self, explore};
    use crate::fixture;

    /// What is asked: deadlocks, and one of the labels.
    fn search<'q>() -> ExploreOptions<'q> {
        ExploreOptions {
            questions: Questions {
                deadlock: true,
                find: vec![Box::new(|_, text| text == b"a")],
                ..Questions::default()
            },
            ..ExploreOptions::default()
        }
    }

    /// What is compared: numbers, and answers with their traces.
    fn told(found: &Exploration<'_>) -> String {
        let Exploration {
            outcome,
            states,
            explored,
            transitions,
            depth,
            deadlock,
            find,
            ..
        } = found;
        format!("{outcome:?} {states} {explored} {transitions} {depth} {deadlock:?} {find:?}")
    }

    #[test]
    fn what_is_found_is_as_on_one_machine() {
        check(15, 30, |lts, random| {
            let (_, expected) =
                reach(lts, search(), Goal::Answers, told).map_err(|e| e.to_string())?;
            let all = fixture::on_parts(lts, random, |worker, part| {
                let options = exploration::Options {
                    ranges: Some(part.ranges.clone()),
                    ..exploration::Options::default()
                };
                let explored = explore(worker, part.erased(), search(), &options)?;
                Ok(told(&explored.exploration))
            });
            match all.iter().find(|&one| Some(one) != expected.as_ref()) {
                None => Ok(()),
                Some(other) => Err(format!("{other}\nexpected {expected:?}")),
            }
        });
    }
}
