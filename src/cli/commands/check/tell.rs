//! How verdicts and reasons are told.

use hyades_check::{ActionMatches, matched_labels};
use hyades_formats::TraceForm;
use hyades_formats::diagnostic::counted;
use serde_json::{Value, json};

use super::Check;
use super::answer::Answer;
use super::formulas::Formula;
use super::inputs::Subject;
use super::junit::{self, Case};
use super::reasons::Reason;
use hyades_cli_core::answer::{json_text, label_json};
use hyades_cli_core::{Command, Destination, Failure, LtsOutput, Session, Status, label_line};

impl Check {
    pub(super) fn tell(
        &self,
        session: &mut Session,
        formulas: &[Formula],
        answers: &[Answer],
    ) -> Result<(), Failure> {
        let figures = formulas.iter().zip(answers).map(|(formula, answer)| {
            json!({
                "name": formula.name,
                "verdict": answer.verdict_json(),
                "states": answer.states,
                "transitions": answer.transitions,
                "seconds": answer.elapsed.as_secs_f64(),
            })
        });
        session.add_figure("formulas", figures.collect::<Vec<Value>>());
        if let Some(path) = &self.junit {
            let cases: Vec<Case> = formulas
                .iter()
                .zip(answers)
                .map(|(formula, answer)| Case {
                    name: &formula.name,
                    file: &formula.file,
                    word: answer.word(),
                    why: answer.why.as_deref().or(answer.error.as_deref()),
                    text: answer
                        .reason
                        .as_ref()
                        .map(|r| r.text(TraceForm::Seq, None).0),
                    elapsed: answer.elapsed,
                })
                .collect();
            let text = junit::report(&cases);
            session.write_text(&Destination::new(path)?, "xml", &text)?;
        }
        if self.answer.is_json() {
            let answered = formulas.iter().zip(answers);
            let all: Value = answered
                .map(|(formula, answer)| answer.json(formula))
                .collect();
            let text = json_text(&json!({ "formulas": all }));
            return self.answer.write(session, "json", text.as_bytes());
        }
        let mut text: Vec<u8> = Vec::new();
        for (formula, answer) in formulas.iter().zip(answers) {
            let word = answer.word();
            let line = match formulas.len() {
                // There is nothing but the error.
                1 if answer.error.is_some() => String::new(),
                1 => format!("{word}\n"),
                _ => format!("{}: {word}\n", formula.name),
            };
            text.extend_from_slice(line.as_bytes());
        }
        if self.shows_reasons() {
            for (formula, answer) in formulas.iter().zip(answers) {
                let Some(reason) = &answer.reason else {
                    if self.diag.is_some() && answer.is_known() && answer.unshown.is_none() {
                        session.note(format!(
                            "{}: no sequence shows it; -o FILE.aut writes the part of the input \
                             that does",
                            formula.name
                        ));
                    }
                    continue;
                };
                // Evaluators print sequences only.
                let is_own = session.name() == Self::NAME;
                if !is_own && matches!(reason, Reason::Part(_)) {
                    continue;
                }
                if formulas.len() > 1 {
                    text.extend(format!("*** {}\n", formula.name).into_bytes());
                }
                let (shown, note) = reason.text(self.answer.form(), self.write.visible_i());
                text.extend(shown);
                if let Some(note) = note {
                    session.note(note);
                }
            }
        }
        self.answer.write_traces(session, &text)
    }

    /// Writes why there is this verdict; tells otherwise that it is not written.
    pub(super) fn write_reason(
        &self,
        session: &mut Session,
        output: &LtsOutput,
        answer: &Answer,
    ) -> Result<(), Failure> {
        let witness = answer
            .reason
            .as_ref()
            .map(|reason| reason.to_lts(output.format));
        if let Some(lts) = witness.transpose()?.flatten() {
            return session.write_witness(output, Some(&lts));
        }
        if session.name() != Self::NAME {
            // Whoever calls an evaluator reads what is there as what it has written.
            output.destination.remove()?;
        }
        let why = match &answer.reason {
            Some(Reason::Way { .. }) | None if !answer.is_known() => {
                session.tell_not_written(&output.destination, "there is no verdict");
                return Ok(());
            }
            Some(Reason::Part(part)) => format!(
                "no sequence shows the verdict; a part of the input does ({}, {}), which {} \
                 cannot hold: name an LTS, such as FILE.aut",
                counted(part.lts.states(), "state"),
                counted(part.lts.transitions(), "transition"),
                output.format
            ),
            Some(Reason::Way { .. }) | None => "its reason is not known".into(),
        };
        session.warn_not_written(&output.destination, &why);
        Ok(())
    }

    pub(super) fn print_labels(
        &self,
        session: &mut Session,
        subject: &Subject<'_>,
        formulas: &[Formula],
    ) -> Result<Status, Failure> {
        let table = subject.labels();
        let of = |formula: &Formula| matched_labels(&formula.property, &table);
        if self.answer.is_json() {
            let action = |own: &ActionMatches| {
                let labels = own.labels.iter().map(|&label| label_json(label, &table));
                let mut object = json!({
                    "action": own.action,
                    "labels": labels.collect::<Value>(),
                });
                if !own.reads.is_empty() {
                    object["reads"] = own.reads.clone().into();
                }
                if !own.failures.is_empty() {
                    object["errors"] = own.failures.iter().map(ToString::to_string).collect();
                }
                object
            };
            let object = |formula: &Formula| {
                let actions: Value = of(formula).iter().map(action).collect();
                json!({ "name": formula.name, "actions": actions })
            };
            let text =
                json_text(&json!({ "formulas": formulas.iter().map(object).collect::<Value>() }));
            self.answer.write(session, "json", text.as_bytes())?;
            return Ok(Status::Holds);
        }
        let mut text: Vec<u8> = Vec::new();
        for own in formulas.iter().flat_map(of) {
            text.extend(format!("{}:\n", own.action).into_bytes());
            for label in own.labels {
                text.extend_from_slice(b"    ");
                text.extend_from_slice(&label_line(label, &table));
                text.push(b'\n');
            }
            if !own.reads.is_empty() {
                let reads = own.reads.join(", ");
                text.extend(format!("    *** depends on {reads}\n").into_bytes());
            }
            for failure in own.failures {
                text.extend(format!("    *** {failure}\n").into_bytes());
            }
        }
        self.answer.write(session, "text", &text)?;
        Ok(Status::Holds)
    }
}
