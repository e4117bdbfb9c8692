//! Whether reasons show verdicts.

use std::ops::ControlFlow;
use std::path::Path;

use hyades_check::decide::{DecideError, Shown, part_shows, trace_shows};
use hyades_check::syntax::Property;
use hyades_check::within::ends_in_deadlock;
use hyades_check::{CheckOptions, Verdict, check_lts, check_model};
use hyades_explore::Model;
use hyades_formats::diagnostic::counted;
use hyades_formats::{Lts, StateId};
use hyades_network::NetworkModel;
use hyades_network::symmetry::SymmetricModel;

use super::Check;
use super::answer::Answer;
use super::formulas::Formula;
use super::inputs::Subject;
use super::reasons;
use hyades_cli_core::{Failure, Session, Unit};

/// What is to be shown to be a reason.
#[derive(Clone)]
pub(super) struct Witness {
    pub part: Lts,
    /// Where sequences of it end with `<deadlock>`.
    pub deadlocks: Vec<StateId>,
}

/// Whether a reason shows a verdict in one way or another.
fn either(one: Shown, other: Shown) -> Shown {
    match (one, other) {
        (Shown::Yes, _) | (_, Shown::Yes) => Shown::Yes,
        // What is no part of the input is not looked at further.
        (_, Shown::No(Some(_))) => other,
        (Shown::Open(_), _) => one,
        (Shown::No(_), _) => other,
    }
}

impl Check {
    /// Reads what is to be shown to be a reason for what is checked.
    pub(super) fn read_reason(
        &self,
        session: &mut Session,
        path: &Path,
        subject: &Subject<'_>,
    ) -> Result<Witness, Failure> {
        let table = subject.labels();
        let is_visible = |text: &[u8]| table.find(text).is_some();
        let (read, write) = (&self.read, &self.write);
        let (part, deadlocks) =
            session.read_witness(path, read, write, &self.dialect, is_visible)?;
        Ok(Witness { part, deadlocks })
    }

    /// Whether a trace or a part of the input shows the verdict.
    pub(super) fn verified(
        &self,
        session: &mut Session,
        formula: &Formula,
        subject: &Subject<'_>,
        given: &Witness,
        symmetric: Option<&SymmetricModel<'_>>,
    ) -> Result<Result<Answer, DecideError>, Failure> {
        session.phase("check", |phase| {
            let bar = phase.progress("checking", Unit::States, None);
            let mut progress = |states: usize, _: usize| {
                bar.set(states as u64);
                ControlFlow::Continue(())
            };
            Ok(self.shown(&formula.property, subject, given, symmetric, &mut progress))
        })
    }

    /// The work of [`Check::verified`].
    fn shown(
        &self,
        property: &Property,
        subject: &Subject<'_>,
        given: &Witness,
        symmetric: Option<&SymmetricModel<'_>>,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Answer, DecideError> {
        let (model, checked) = match subject {
            Subject::Lts(lts) => {
                let options = self.check_options(progress);
                (lts.erased(), check_lts(property, lts, options)?)
            }
            Subject::Model { model, is_quick } => {
                let options = CheckOptions {
                    looks_ahead: *is_quick,
                    ..self.check_options(progress)
                };
                (*model, check_model(property, *model, options)?)
            }
            Subject::Open(verdict) => return Ok(Answer::open(*verdict, 0)),
        };
        let verdict = checked.verdict;
        // Traces up to symmetry are told as those of the network.
        let network =
            symmetric.map(|symmetric| NetworkModel::new(symmetric.symmetry().network().clone()));
        let plain = network.as_ref().map_or(model, |network| network.erased());
        let Witness { part, deadlocks } = given;
        let labels = reasons::chain(part);
        let mut shown = match &labels {
            Some(labels) => {
                let options = self.check_options(progress);
                trace_shows(property, verdict, plain, labels, options)?
            }
            None => Shown::No(None),
        };
        // A part is one of what is explored; a lasso was told as one of the network, too.
        let others = network.as_ref().map(|_| plain);
        for system in std::iter::once(model).chain(others) {
            if shown != Shown::Yes {
                let options = self.check_options(progress);
                shown = either(shown, part_shows(property, verdict, system, part, options)?);
            }
        }
        let mut told = None;
        for state in deadlocks {
            if shown == Shown::Yes {
                let labels = reasons::way_to(part, *state);
                let options = self.check_options(progress);
                shown = ends_in_deadlock(plain, &labels, options)?;
                if let Shown::No(_) = shown {
                    let after = counted(labels.len(), "step");
                    told = Some(format!("<deadlock> after {after} is none of INPUT"));
                }
            }
        }
        if let Shown::No(Some(excess)) = shown {
            told = Some(reasons::excess(part, excess));
        }
        let mut answer = Answer::open(
            match shown {
                Shown::Yes => Verdict::True,
                Shown::No(_) => Verdict::False,
                Shown::Open(why) => why,
            },
            checked.states,
        );
        answer.why = told.or(answer.why);
        answer.transitions = checked.transitions;
        Ok(answer)
    }
}
