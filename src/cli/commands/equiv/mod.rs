//! `equiv`: are two labelled transition systems equivalent, and if not, why?
//!
//! Both systems are put side by side and partitioned; a witness is looked for
//! on the quotient.

use std::path::PathBuf;

use clap::Parser;
use hyades_equivalence::Relation;
use hyades_equivalence::compare::{Side, Verdict, Witness, compare_observed};
use hyades_formats::diagnostic::printable_path;
use hyades_formats::{TooLarge, TraceForm, WriteOptions};
use serde_json::{Value, json};

use hyades_cli_core::answer::{json_text, label_json};
use hyades_cli_core::hiding::{self, Alphabet};
use hyades_cli_core::traces::is_chain;
use hyades_cli_core::{
    Command, ComparisonOptions, Destination, Epilogue, Failure, LtsOutput, RelationOption,
    RunOptions, Session, Status, Unit, memory, trace_in_comments, why_comments,
};

const EPILOGUE: Epilogue = Epilogue {
    example: "minimize -e branching big.aut | equiv -e branching big.aut - && echo same",
    asks: true,
    open: Epilogue::MEMORY,
};

/// Compare two labelled transition systems
///
/// The first line is TRUE (status 0) or FALSE (status 1). What follows FALSE
/// shows the difference: a trace that only one of them has, or a formula of
/// Hennessy-Milner logic that holds in A and not in B. OUTPUT takes this witness: a
/// trace as an LTS or a trace, by the ending (.aut, .bcg, .seq, .trc, …), a formula as
/// its text (.mcf) or as an LTS of the steps that it speaks of.
#[derive(Parser)]
#[command(name = "equiv", version, after_help = EPILOGUE.text())]
pub struct Equiv {
    #[command(flatten)]
    relation: RelationOption,
    #[command(flatten)]
    comparison: ComparisonOptions,

    /// One system; one of the two may be `-`, standard input
    #[arg(value_name = "A", help_heading = "Input", display_order = 0)]
    first: PathBuf,

    /// The other system
    #[arg(value_name = "B", help_heading = "Input", display_order = 1)]
    second: PathBuf,
}

impl Command for Equiv {
    const NAME: &'static str = "equiv";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.comparison.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let ComparisonOptions {
            answer,
            write,
            read,
            dialect,
            ..
        } = &self.comparison;
        let inputs = [&*self.first, &*self.second];
        self.comparison.begin(session, inputs, "A and B")?;
        let relation = self.relation.get();
        let output = self.output(session)?;
        let names = inputs.map(printable_path);
        if answer.is_json() {
            memory::set_last_words(object(relation, &names, None, Value::Null).into());
        }
        let (first, first_format) = session.read_told(inputs[0], read, dialect)?;
        let (second, second_format) = session.read_told(inputs[1], read, dialect)?;
        let hint = hiding::hint(
            &Alphabet::of_lts(inputs[0], &first, first_format),
            &Alphabet::of_lts(inputs[1], &second, second_format),
        );
        session.add_figure("relation", relation.name());
        let verdict = session.phase("compare", |phase| {
            let bar = phase.progress("comparing", Unit::None, None);
            let mut bar = bar.refined("comparing".into());
            Ok(compare_observed(first, second, relation, &mut bar)?)
        })?;
        let (status, witness) = match verdict {
            Verdict::Holds => (Status::Holds, None),
            Verdict::Unknown => {
                return Err(Failure::error(format!(
                    "the relation `{relation}` is not supported"
                )));
            }
            Verdict::Fails(witness) => {
                if let Some(hint) = hint {
                    session.note(hint);
                }
                (Status::Fails, witness)
            }
        };
        let holds = status == Status::Holds;
        session.add_figure("verdict", holds);
        let text = if answer.is_json() {
            let witness = witness.as_ref().map_or(Value::Null, witness_json);
            object(relation, &names, Some(holds), witness).into()
        } else if holds {
            b"TRUE\n".to_vec()
        } else {
            let options = WriteOptions {
                visible_i: write.visible_i(),
                printable: true,
                ..WriteOptions::default()
            };
            let form = (answer.form(), options);
            let mut text = b"FALSE\n".to_vec();
            show(&mut text, relation, witness.as_ref(), &form, &names)?;
            text
        };
        memory::forget_last_words();
        answer.write(session, "text", &text)?;
        if let Some(output) = output {
            output.write(session, witness.as_ref())?;
        }
        Ok(status)
    }
}

impl Equiv {
    /// Where the witness goes, looked at before the work begins.
    fn output(&self, session: &Session) -> Result<Option<Output>, Failure> {
        let inputs = [&*self.first, &*self.second];
        let write = &self.comparison.write;
        if write.ending().as_deref() != Some("mcf") || write.names_format() {
            let output = self.comparison.witness(session, inputs)?;
            return Ok(output.map(Output::Lts));
        }
        if !self.relation.get().is_characterised_by_hml() {
            return Err(Failure::error(format!(
                "there are formulas for -e strong only: for -e {} name a trace (.seq, .trc) or \
                 an LTS (.aut, .bcg, …)",
                self.relation.get()
            )));
        }
        let destination = write.text()?;
        self.comparison
            .check_witness(session, inputs, Some(&destination))?;
        Ok(Some(Output::Formula(destination)))
    }
}

/// What takes the witness.
enum Output {
    Lts(LtsOutput),
    Formula(Destination),
}

impl Output {
    fn write(&self, session: &mut Session, witness: Option<&Witness>) -> Result<(), Failure> {
        match (self, witness) {
            (Output::Formula(destination), Some(Witness::Formula(formula))) => {
                session.write_text(destination, "text", format!("{formula}\n").as_bytes())
            }
            (Output::Formula(destination), Some(Witness::Trace(trace))) => {
                let formula = trace.formula()?;
                session.write_text(destination, "text", format!("{formula}\n").as_bytes())
            }
            (Output::Formula(destination), None | Some(Witness::Divergence)) => {
                session.tell_not_written(destination, "there is no witness");
                Ok(())
            }
            (Output::Lts(output), Some(Witness::Formula(_))) if is_chain(output.format) => {
                session.tell_not_written(
                    &output.destination,
                    "the witness is a formula, no trace: name a .mcf file for its text, or an LTS \
                     (.aut, .bcg, …) for the steps that it speaks of",
                );
                Ok(())
            }
            (Output::Lts(output), witness) => {
                let lts = witness.map(Witness::to_lts).transpose()?.flatten();
                session.write_witness(output, lts.as_ref())
            }
        }
    }
}

/// The answer as JSON; no verdict if the memory came to its end.
fn object(
    relation: Relation,
    [first, second]: &[String; 2],
    verdict: Option<bool>,
    witness: Value,
) -> String {
    json_text(&json!({
        "verdict": verdict,
        "relation": relation.name(),
        "first": first,
        "second": second,
        "witness": witness,
    }))
}

fn witness_json(witness: &Witness) -> Value {
    match witness {
        Witness::Trace(trace) => {
            let labels = trace.labels.iter();
            let labels = labels.map(|&label| label_json(label, &trace.table));
            json!({
                "kind": "trace",
                "holds_in": match trace.present_in {
                    Side::First => "first",
                    Side::Second => "second",
                },
                "labels": labels.collect::<Value>(),
            })
        }
        Witness::Formula(formula) => json!({
            "kind": "formula",
            "holds_in": "first",
            "formula": formula.to_string(),
        }),
        Witness::Divergence => json!({ "kind": "divergence" }),
    }
}

/// Appends why A and B differ.
fn show(
    text: &mut Vec<u8>,
    relation: Relation,
    witness: Option<&Witness>,
    (form, options): &(TraceForm, WriteOptions),
    [a, b]: &[String; 2],
) -> Result<(), TooLarge> {
    let mut line = |line: String| text.extend_from_slice(format!("{line}\n").as_bytes());
    match witness {
        None if relation.is_characterised_by_hml() => line(
            "*** they differ, but no trace or formula of a reasonable size was found that shows it"
                .into(),
        ),
        None => line("*** they differ, but no trace was found that only one of them has".into()),
        Some(Witness::Divergence) => line(
            "*** they differ in divergence only: a state of one can go on by hidden steps\n\
             *** for ever without changing, its counterpart in the other cannot"
                .into(),
        ),
        Some(Witness::Formula(formula)) => {
            line(format!("*** holds in {a}, not in {b}"));
            line(formula.to_string());
        }
        Some(Witness::Trace(trace)) => {
            let (has, lacks) = match trace.present_in {
                Side::First => (a, b),
                Side::Second => (b, a),
            };
            let steps = form.steps(&trace.labels, &trace.table, options, &mut |_| ());
            if let Ok(steps) = steps {
                line(format!("*** trace of {has}, not of {lacks}"));
                text.extend(steps);
            } else if relation.counts_hidden() {
                line(format!(
                    "*** holds in {a}, not in {b}: a trace that the form {} cannot express",
                    form.name()
                ));
                line(trace.formula()?.to_string());
            } else {
                line(format!("*** trace of {has}, not of {lacks}"));
                text.extend(why_comments(*form));
                text.extend(trace_in_comments(&trace.labels, &trace.table));
            }
        }
    }
    Ok(())
}
