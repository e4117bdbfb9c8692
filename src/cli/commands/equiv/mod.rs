//! `equiv`: are two labelled transition systems equivalent, and if not, why?
//!
//! Both systems are put side by side and partitioned; a witness is looked for
//! on the quotient.

use std::path::{Path, PathBuf};

use clap::Parser;
use hyades_equivalence::Relation;
use hyades_equivalence::compare::{Side, Verdict, Witness, compare_observed};
use hyades_formats::diagnostic::{printable_path, printable_string};
use hyades_formats::{Format, LabelId, Lts, TooLarge, TraceForm, WriteOptions};
use hyades_lts::label_counts;

use crate::core::{
    Command, DialectOption, Epilogue, Failure, ReadOptions, RelationOption, RunOptions, Session,
    Status, TextOption, TracesOption, Unit, VisibleIOption, trace_in_comments, uses, why_comments,
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
/// Hennessy-Milner logic that holds in A and not in B.
#[derive(Parser)]
#[command(name = "equiv", version, after_help = EPILOGUE.text())]
pub struct Equiv {
    /// One system; one of the two may be `-`, standard input
    #[arg(value_name = "A", help_heading = "Input")]
    first: PathBuf,

    /// The other system
    #[arg(value_name = "B", help_heading = "Input")]
    second: PathBuf,

    #[command(flatten)]
    relation: RelationOption,
    #[command(flatten)]
    read: ReadOptions,
    #[command(flatten)]
    output: TextOption,
    #[command(flatten)]
    traces: TracesOption,
    #[command(flatten)]
    dialect: DialectOption,
    #[command(flatten)]
    visible_i: VisibleIOption,
    #[command(flatten)]
    run: RunOptions,
}

impl Command for Equiv {
    const NAME: &'static str = "equiv";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let stdin = Path::new("-");
        if self.first == stdin && self.second == stdin {
            return Err(Failure::error("only one of A and B can be standard input"));
        }
        let destination = self.output.get()?;
        session.check_outputs(&[&self.first, &self.second], &[&destination])?;
        session.expect_two_inputs();
        let (first, first_format) = session.read_told(&self.first, &self.read, &self.dialect)?;
        let (second, second_format) = session.read_told(&self.second, &self.read, &self.dialect)?;
        let only = [
            only_visible(&first, &second, second_format),
            only_visible(&second, &first, first_format),
        ];
        let hiding = [hiding(&first), hiding(&second)];
        let relation = self.relation.get();
        session.add_figure("relation", relation.name());
        let verdict = session.phase("compare", |phase| {
            let bar = phase.progress("comparing", Unit::None, None);
            let mut bar = bar.refined("comparing".into());
            Ok(compare_observed(first, second, relation, &mut bar)?)
        })?;
        let (a, b) = (printable_path(&self.first), printable_path(&self.second));
        let (status, text) = match verdict {
            Verdict::Equivalent => (Status::Holds, "TRUE\n".into()),
            Verdict::Different(witness) => {
                let mut text = b"FALSE\n".to_vec();
                let options = WriteOptions {
                    visible_i: self.visible_i.get(),
                    printable: destination.is_stdout(),
                    ..WriteOptions::default()
                };
                let hint = differently_hidden(&hiding, &a, &b).or_else(|| {
                    let [first, second] = &only;
                    let first = first.as_ref().map(|label| hidden_hint(label, &a, &b, ""));
                    first.or_else(|| second.as_ref().map(|label| hidden_hint(label, &b, &a, "")))
                });
                if let Some(hint) = hint {
                    session.note(hint);
                }
                let form = (self.traces.get(), options);
                show(&mut text, relation, witness, &form, &a, &b)?;
                (Status::Fails, text)
            }
        };
        session.add_figure("verdict", status == Status::Holds);
        session.write_text(&destination, "text", &text)?;
        Ok(status)
    }
}

/// What hidden actions read like in some formats.
const SPELLINGS: [&str; 2] = ["i", "tau"];

/// What becomes of each of the [`SPELLINGS`] in an input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelt {
    /// It is a visible label.
    Visible,
    /// No label reads so, and there are hidden transitions, which may have read so.
    Hidden,
    /// It does not occur, and nothing is hidden.
    Absent,
}

fn hiding(lts: &Lts) -> [Spelt; 2] {
    let hidden = lts.labels().contains(&LabelId::HIDDEN);
    SPELLINGS.map(|text| match (uses(lts, text.as_bytes()), hidden) {
        (true, _) => Spelt::Visible,
        (false, true) => Spelt::Hidden,
        (false, false) => Spelt::Absent,
    })
}

/// Tells if a label that reads like a hidden action is visible in one input only, and
/// the other has hidden actions, which may be all that makes them different.
fn differently_hidden(hiding: &[[Spelt; 2]; 2], a: &str, b: &str) -> Option<String> {
    let [first, second] = hiding;
    let mut found = (0..SPELLINGS.len()).filter_map(|k| match (first[k], second[k]) {
        (Spelt::Visible, Spelt::Hidden) => Some((SPELLINGS[k], a, b)),
        (Spelt::Hidden, Spelt::Visible) => Some((SPELLINGS[k], b, a)),
        _ => None,
    });
    let (label, visible, hidden) = found.next()?;
    let and = match found.next() {
        None => String::new(),
        Some((other, visible, hidden)) => {
            format!("; `{other}` is in {visible}, not in {hidden}")
        }
    };
    Some(format!(
        "{}, and --dialect mcrl2 (cadp) says that hidden actions read `tau` (`i`) in files that do \
         not tell",
        hidden_hint(label, visible, hidden, &and)
    ))
}

/// The one label that is visible in an LTS and does not occur in another, which has
/// hidden actions and is in a format in which files say themselves what is hidden.
fn only_visible(lts: &Lts, other: &Lts, format: Format) -> Option<String> {
    if !format.tells_hidden() {
        return None;
    }
    let (counts, others) = (label_counts(lts), label_counts(other));
    if others[LabelId::HIDDEN.index()] == 0 {
        return None;
    }
    let occurs = |text: &[u8]| {
        let label = other.table().find(text);
        label.is_some_and(|label| others[label.index()] > 0)
    };
    let visible = lts.table().visible();
    let mut only = visible.filter(|(label, text)| counts[label.index()] > 0 && !occurs(text));
    let (_, text) = only.next()?;
    only.next().is_none().then(|| printable_string(text))
}

/// The hint on a label that may be hidden in the other input; `and` is said of others.
fn hidden_hint(label: &str, visible: &str, hidden: &str, and: &str) -> String {
    format!(
        "label `{label}` is visible in {visible}; {hidden} has hidden actions, and no such \
         label{and}: --tau {label} hides it in both"
    )
}

/// Appends why A and B differ.
fn show(
    text: &mut Vec<u8>,
    relation: Relation,
    witness: Option<Witness>,
    (form, options): &(TraceForm, WriteOptions),
    a: &str,
    b: &str,
) -> Result<(), TooLarge> {
    let mut line = |line: String| text.extend_from_slice(format!("{line}\n").as_bytes());
    match witness {
        None if relation.counts_hidden() => line(
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
