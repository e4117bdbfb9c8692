//! A system of machines while a command makes it smaller: what was done, and whether it
//! was right.

use std::collections::BTreeSet;
use std::path::Path;

use hyades_channels::{
    Action, ActionError, Application, ComponentId, ComposeError, Correspondence, Difference,
    KnownContents, Reach, System, SystemModel, Verified, verify,
};
use hyades_formats::StateId;

use hyades_cli_core::status::{Failure, Status};
use hyades_cli_core::texts::{read_text, utf8};

/// Composing gives up at so many states unless the user says at how many. As the bound
/// on channels grows, they may become exponentially many without a cycle that shows
/// that there is no end.
const MOST_COMPOSED: u64 = 1 << 20;

/// A system while it is changed.
pub(super) struct Work {
    pub system: System,
    /// What it was when it was last verified, if it is to be.
    base: Option<System>,
    reach: Reach,
    /// What was done, a line each.
    pub log: String,
    /// How many lines these are.
    pub actions: usize,
    /// What verifying gave.
    pub verdict: Status,
    /// Whether verifying compared, somewhere, no more than whether links are overfilled.
    pub is_verdict_only: bool,
    /// What verifying found, a line each.
    pub differences: Vec<String>,
    /// Where Θ4 was applied since the system was last verified.
    unrolled: BTreeSet<(ComponentId, StateId)>,
}

impl Work {
    /// Nothing is done yet; each change is to be verified if `verifies`.
    pub fn new(system: System, reach: Reach, verifies: bool) -> Self {
        Self {
            base: verifies.then(|| system.clone()),
            system,
            reach,
            log: String::new(),
            actions: 0,
            verdict: Status::Holds,
            is_verdict_only: false,
            differences: Vec::new(),
            unrolled: BTreeSet::new(),
        }
    }

    /// Remembers actions that were done and that do not change the names of anything.
    pub fn add_done(&mut self, actions: Vec<Action>) {
        for action in actions {
            self.remember(&action);
            self.add_line(self.system.log_line(&action));
        }
    }

    /// What leaves a state of Θ4 need not be executed any more.
    fn remember(&mut self, action: &Action) {
        if let Action::Rule(id, Application::Theta4(state, _)) = action {
            self.unrolled.insert((*id, *state));
        }
    }

    fn add_line(&mut self, line: String) {
        self.log.push_str(&line);
        self.log.push('\n');
        self.actions += 1;
    }

    /// Does something that `what` asks for.
    pub fn perform(&mut self, action: Action, what: &str) -> Result<(), Failure> {
        self.perform_knowing(action, what, &mut KnownContents::default())
    }

    fn perform_knowing(
        &mut self,
        action: Action,
        what: &str,
        known: &mut KnownContents,
    ) -> Result<(), Failure> {
        if let Action::Compose(..) | Action::Merge(..) | Action::Renumber = action {
            self.verify(Correspondence::Same)?;
        }
        let line = self.system.log_line(&action);
        let classes = match &action {
            Action::Merge(id, _) if self.base.is_some() => self.system.representatives(*id),
            Action::Rule(..)
            | Action::Trim(_)
            | Action::Unexecuted(..)
            | Action::Merge(..)
            | Action::Compose(..)
            | Action::Renumber => Vec::new(),
        };
        let mut reach = self.reach;
        if let Action::Compose(..) = action {
            reach.limits.max_states.get_or_insert(MOST_COMPOSED);
        }
        let done = self.system.perform_knowing(&action, &reach, known);
        let composed = done.map_err(|error| match error {
            ActionError::Compose(ComposeError::Limit) if self.reach.limits.max_states.is_none() => {
                Failure::Limit(format!(
                    "{what}: {error}, {MOST_COMPOSED} being enough for most (--max-states N \
                     allows more, --max-memory ends it by memory)"
                ))
            }
            error => failure(what, &error),
        })?;
        self.remember(&action);
        self.add_line(line);
        if let Some(composed) = &composed {
            self.verify(Correspondence::Composed(composed))?;
        } else if let Action::Merge(id, _) = &action {
            self.verify(Correspondence::Merged(*id, &classes))?;
        } else if let (Action::Renumber, Some(base)) = (&action, &mut self.base) {
            // What was verified has the new numbers, too.
            *base = self.system.clone();
        }
        Ok(())
    }

    /// Does again what a log tells.
    pub fn replay(&mut self, path: &Path) -> Result<(), Failure> {
        let (name, bytes) = read_text(path)?;
        let text = utf8(&name, &bytes, "a log of steps, in JSON")?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut known = KnownContents::default();
        for (line, number) in text.lines().zip(1..) {
            if line.trim().is_empty() {
                continue;
            }
            let place = format!("{name}:{number}");
            let action = self.system.log_action(line);
            let action = action.map_err(|error| Failure::error(format!("{place}: {error}")))?;
            self.perform_knowing(action, &place, &mut known)?;
        }
        Ok(())
    }

    /// Merges equivalent states of a component.
    pub fn merge(&mut self, id: ComponentId) -> Result<(), Failure> {
        let representatives = self.system.representatives(id);
        let pairs = representatives.iter().zip(0..);
        let pairs = pairs.map(|(&other, state)| (StateId::new(state), other));
        let pairs: Vec<_> = pairs.filter(|(state, other)| state != other).collect();
        match pairs.is_empty() {
            true => Ok(()),
            false => self.perform(Action::Merge(id, pairs), "--merge"),
        }
    }

    /// Deletes the transitions of these components that are never executed.
    pub fn remove_unexecuted(&mut self, members: &[ComponentId]) -> Result<(), Failure> {
        let never = self.system.unexecuted(&self.reach);
        let never = never.map_err(|error| failure("--unexecuted", &error))?;
        for &id in members {
            let transitions = &never[id.index()];
            if transitions.is_empty() {
                continue;
            }
            let beyond = self.reach.semantics.beyond;
            let action = Action::Unexecuted(id, transitions.clone(), beyond);
            self.add_line(self.system.log_line(&action));
            for transition in transitions {
                self.system.machine_mut(id).remove(transition);
            }
        }
        Ok(())
    }

    /// Compares the system with what it was, if that is asked for.
    pub fn verify(&mut self, correspondence: Correspondence<'_>) -> Result<(), Failure> {
        let Some(base) = &self.base else {
            return Ok(());
        };
        let unrolled = std::mem::take(&mut self.unrolled);
        let verified = verify(base, &self.system, correspondence, &unrolled, &self.reach);
        let verified = verified.map_err(|error| Failure::error(format!("--verify: {error}")))?;
        self.is_verdict_only |= verified.is_verdict_only;
        if !verified.holds() {
            self.differences
                .extend(differences(&self.system, &self.reach, &verified));
            self.verdict = Status::Fails;
        } else if !verified.is_complete && self.verdict == Status::Holds {
            self.verdict = Status::NoVerdict;
        }
        self.base = Some(self.system.clone());
        Ok(())
    }
}

fn failure(what: &str, error: &ActionError) -> Failure {
    let text = format!("{what}: {error}");
    match error.is_limit() {
        true => Failure::Limit(text),
        false => Failure::error(text),
    }
}

/// What only one of two systems has, in words.
fn differences(system: &System, reach: &Reach, verified: &Verified) -> Vec<String> {
    let model = SystemModel::new(system, reach.semantics);
    let show = |difference: &Difference| match difference {
        Difference::Dead(state) => match &model {
            Ok(model) => format!("dead state {}", model.show_state(state)),
            Err(error) => error.to_string(),
        },
        Difference::Overfilled(channel) => {
            format!("overfilled channel {}", system.channel(*channel).name)
        }
        Difference::AnyOverfilled => "an overfilled channel".into(),
        Difference::Executable(id, transition) => {
            let name = system.component_name(*id);
            format!(
                "executed transition {name} {}",
                system.show_transition(*id, transition)
            )
        }
    };
    let before = verified.only_before.iter().map(|d| ("before", d));
    let after = verified.only_after.iter().map(|d| ("after", d));
    let lines = before.chain(after);
    lines
        .map(|(when, d)| format!("--verify: only {when}: {}", show(d)))
        .collect()
}
