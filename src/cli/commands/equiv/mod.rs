//! `equiv`: are two labelled transition systems equivalent, is one below the other, and
//! if not, why?

#[cfg(feature = "cluster")]
mod distributed;
mod lattice;
mod picture;
mod reasons;

use std::path::{Path, PathBuf};

use clap::Parser;
use hyades_check::hml;
use hyades_equivalence::compare::{Options, Order, Pair, Preferred, Verdict, Witness};
use hyades_equivalence::formula::Formula;
use hyades_equivalence::spectrum::{self, Entry, spectrum};
use hyades_equivalence::{Criterion, IsStrong, Relation, reachable_size};
use hyades_external::Disk;
use hyades_formats::diagnostic::{counted, printable_path};
use hyades_formats::{Compression, Format, Lts, TooLarge, TraceForm, WriteOptions};
use serde_json::{Value, json};

use hyades_cli_core::answer::json_text;
use hyades_cli_core::external::Occurring;
use hyades_cli_core::hiding::{self, Alphabet};
use hyades_cli_core::label_options::StrongLabelOptions;
use hyades_cli_core::texts::{read_text, utf8};
use hyades_cli_core::traces::is_chain;
use hyades_cli_core::{
    Asks, Command, ComparisonOptions, Destination, Epilogue, ExternalOption, Failure, LimitOptions,
    LtsOutput, RelationOption, RunOptions, Session, Status, Unit, memory, preorder,
};
use lattice::Position;
use reasons::{Shown, reason_json};

const EPILOGUE: Epilogue = Epilogue {
    example: "minimize -e branching big.aut | equiv -e branching big.aut - && echo same",
    asks: Asks::Verdict,
    open: Epilogue::STATES,
};

/// Compare two labelled transition systems
///
/// The first line is TRUE (status 0), FALSE (status 1) or UNKNOWN (status 3). What follows
/// FALSE shows the difference: a trace that only one of them has, what can be seen along a
/// trace of one only (a failure, for example), or a formula that holds in one only, with
/// `<a>` and `[a]` of Hennessy-Milner logic, `<<a>>` with hidden steps around, `<f U a>g`
/// (hidden steps through f, then a to g) and `div f` (hidden steps for ever through f).
/// OUTPUT takes this as a witness: a trace as an LTS or a trace, by the ending (.aut, .bcg, .seq,
/// .trc, …), a formula as its text (.mcf) or as an LTS of the steps that it speaks of.
#[derive(Parser)]
#[command(name = "equiv", after_help = EPILOGUE.text())]
pub struct Equiv {
    #[command(flatten)]
    relation: RelationOption,

    /// Tell whether A is below B by a preorder: A shows no more than B, as in `A <= B` of
    /// SVL and `ltscompare -p`. That is what the first line and the status answer; the
    /// second line tells both directions
    #[arg(
        short,
        long,
        value_name = "RELATION",
        help_heading = "Equivalence",
        conflicts_with = "equivalence",
        value_parser = preorder(),
        hide_possible_values = true
    )]
    preorder: Option<Relation>,

    /// Tell for all relations, from isomorphism to traces, which hold, with a reason
    /// for each that does not; status 3 if one of them is left open in a direction.
    /// OUTPUT takes a picture (.svg) only
    #[arg(long, help_heading = "Equivalence", conflicts_with_all = ["equivalence", "preorder"])]
    spectrum: bool,

    /// Tell in which of the two the formula holds, status 0 if that is the same in both, 1
    /// if not; a name that ends in .mcf is that of a file with it, `-` is standard input
    #[arg(
        long,
        value_name = "FORMULA",
        help_heading = "Equivalence",
        conflicts_with_all = ["equivalence", "preorder", "spectrum"]
    )]
    evaluate: Option<String>,

    #[command(flatten)]
    strong: StrongLabelOptions,

    #[command(flatten)]
    comparison: ComparisonOptions,

    #[command(flatten)]
    external: ExternalOption,

    /// One system; one of the two may be `-`, standard input
    #[arg(value_name = "A", help_heading = "Input", display_order = 0)]
    first: PathBuf,

    /// The other system
    #[arg(value_name = "B", help_heading = "Input", display_order = 1)]
    second: PathBuf,

    #[command(flatten)]
    limits: LimitOptions,
}

/// The coarsest relation by which systems are minimized on disk that changes nothing for
/// another one.
fn finer(relation: Relation) -> Result<Relation, Failure> {
    let known = [
        Relation::Branching,
        Relation::DivBranching,
        Relation::Strong,
    ];
    let finer = known.into_iter().find(|finer| finer.implies(relation));
    finer.ok_or_else(|| {
        Failure::error(format!(
            "--external compares minimal systems, which says nothing of {relation}"
        ))
    })
}

/// What the output of a spectrum is.
const PICTURE: &str = "of a spectrum, -o takes a picture";

/// What is asked.
#[derive(Clone, Copy)]
pub(crate) enum Question {
    Equivalent(Relation),
    Below(Relation),
}

impl Question {
    pub(crate) const fn relation(self) -> Relation {
        match self {
            Question::Equivalent(relation) | Question::Below(relation) => relation,
        }
    }
}

impl Command for Equiv {
    const NAME: &'static str = "equiv";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.comparison.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        self.limit(session)?;
        self.comparison.begin(session, self.inputs(), "A and B")?;
        #[cfg(feature = "cluster")]
        if let Some(membership) = session.membership() {
            return self.run_distributed(session, membership);
        }
        match (&self.evaluate, self.preorder) {
            (Some(formula), _) => self.run_evaluate(session, formula),
            (None, _) if self.spectrum => self.run_spectrum(session),
            (None, Some(preorder)) => self.run_question(session, Question::Below(preorder)),
            (None, None) => self.run_question(session, Question::Equivalent(self.relation.get())),
        }
    }
}

impl Equiv {
    /// Limits what is explored: networks.
    fn limit(&self, session: &mut Session) -> Result<(), Failure> {
        session.limit_states(self.limits.max_states);
        let read = &self.comparison.read;
        let explored = read.explores(&self.first)? || read.explores(&self.second)?;
        if self.limits.max_states.is_some() && !explored {
            session.tell_no_effect("--max-states", "neither A nor B is explored");
        }
        Ok(())
    }

    fn inputs(&self) -> [&Path; 2] {
        [&self.first, &self.second]
    }

    fn names(&self) -> [String; 2] {
        self.inputs().map(printable_path)
    }

    /// Both systems, or smaller ones that are related as they are, and what there is to say
    /// of their labels if they differ.
    fn read(
        &self,
        session: &mut Session,
        relation: Relation,
    ) -> Result<([Lts; 2], Option<String>), Failure> {
        let ComparisonOptions { read, dialect, .. } = &self.comparison;
        let inputs = self.inputs();
        let read = |session: &mut Session, path: &Path| -> Result<_, Failure> {
            let reading = (read, dialect);
            let Some(folder) = self.external.open(session)? else {
                let (lts, format) = session.read_told(path, read, dialect)?;
                return Ok((lts, format, None));
            };
            let (disk, finer) = (Disk::new(&folder), finer(relation)?);
            let (found, labels) = session.minimize_with_labels(path, reading, &disk, finer)?;
            Ok((found.minimal.lts, found.format, Some(labels)))
        };
        let read = [read(session, inputs[0])?, read(session, inputs[1])?];
        // A minimal system may lack labels that the file has: hidden ones above all.
        let [a, b] = [0, 1].map(|k| match &read[k] {
            (lts, format, None) => Alphabet::of_lts(inputs[k], lts, *format),
            (_, format, Some(Occurring { table, used })) => {
                Alphabet::of_table(inputs[k], table, used.clone(), *format)
            }
        });
        let hint = hiding::hint(&a, &b).or_else(|| hiding::separator_hint(&a, &b));
        Ok((read.map(|(lts, ..)| lts), hint))
    }

    fn run_question(&self, session: &mut Session, asked: Question) -> Result<Status, Failure> {
        let answer = &self.comparison.answer;
        if let Question::Below(relation) = asked {
            tell_symmetric(session, relation);
        }
        let output = self.output(session)?;
        memory::set_last_words(match answer.is_json() {
            true => self.object(asked, None)?.into(),
            false => b"UNKNOWN\n".to_vec(),
        });
        let (found, hint) = self.find(session, asked, output.as_ref(), Ok)?;
        self.tell(session, asked, &found, output, hint)
    }

    /// Answers a question on both systems, each of them `changed`, for what takes the witness;
    /// and what there is to say of the labels or sizes of both systems if they differ.
    pub(crate) fn find(
        &self,
        session: &mut Session,
        asked: Question,
        output: Option<&Output>,
        changed: fn(Lts) -> Result<Lts, TooLarge>,
    ) -> Result<(Found, Option<String>), Failure> {
        let relation = asked.relation();
        let strong = self.strong.get(session, &[relation])?;
        let ([first, second], hint) = self.read(session, relation)?;
        let [first, second] = [changed(first)?, changed(second)?];
        session.add_figure("relation", relation.name());
        if let Some(strong) = &strong {
            strong.check_used(session, &[&first, &second])?;
        }
        let is_strong = |text: &[u8]| strong.as_ref().is_some_and(|strong| strong.contain(text));
        let criterion = Criterion {
            is_strong: &is_strong,
            ..Criterion::from(relation)
        };
        let options = Output::options(output);
        let sizes = match relation {
            Relation::Isomorphism => Some([&first, &second].map(reachable_size)),
            _ => None,
        };
        let found = session.phase("compare", |phase| {
            let bar = phase.progress("comparing", Unit::None, None);
            let mut bar = bar.refined("comparing".into());
            let pair = Pair::new(first, second)?;
            Ok(match asked {
                Question::Equivalent(_) => {
                    Found::Equivalence(pair.compare(criterion, &options, &mut bar))
                }
                Question::Below(_) => Found::Order(pair.order(criterion, &options, &mut bar)),
            })
        })?;
        let hint = sizes
            .and_then(|sizes| self.sizes_hint(&found, sizes))
            .or(hint);
        Ok((found, hint))
    }

    /// What tells strongly bisimilar systems apart that are not isomorphic, if sizes do.
    fn sizes_hint(&self, found: &Found, sizes: [[usize; 2]; 2]) -> Option<String> {
        let is_open = matches!(found.verdict(), Verdict::Fails(None)) && sizes[0] != sizes[1];
        let names = self.names();
        let size = |k: usize| {
            let [states, transitions] = sizes[k];
            format!(
                "of {} {} and {} can be reached",
                names[k],
                counted(states, "state"),
                counted(transitions, "transition"),
            )
        };
        is_open.then(|| format!("{}, {}", size(0), size(1)))
    }

    /// Tells what has been found.
    fn tell(
        &self,
        session: &mut Session,
        asked: Question,
        found: &Found,
        output: Option<Output>,
        hint: Option<String>,
    ) -> Result<Status, Failure> {
        let answer = &self.comparison.answer;
        let status = match found.verdict() {
            Verdict::Holds => Status::Holds,
            Verdict::Fails(_) => Status::Fails,
            Verdict::Unknown => Status::NoVerdict,
        };
        if let (Status::Fails, Some(hint)) = (status, hint) {
            session.note(hint);
        }
        session.add_figure("verdict", known(found.verdict()));
        let text = match answer.is_json() {
            true => self.object(asked, Some(found))?.into(),
            false => self.text(asked.relation(), found, &self.names())?,
        };
        answer.write(session, "text", &text)?;
        if let Some(output) = output {
            output.write(session, found.witness())?;
        }
        Ok(status)
    }

    /// Where the witness goes, looked at before the work begins.
    fn output(&self, session: &Session) -> Result<Option<Output>, Failure> {
        let write = &self.comparison.write;
        if write.ending().as_deref() != Some("mcf") || write.names_format() {
            let output = self.comparison.witness(session, self.inputs())?;
            return Ok(output.map(|output| Output::Lts(Box::new(output))));
        }
        Ok(Some(Output::Formula(self.text_output(session)?)))
    }

    /// A text that OUTPUT takes.
    fn text_output(&self, session: &Session) -> Result<Destination, Failure> {
        let destination = self.comparison.write.text()?;
        self.comparison
            .check_witness(session, self.inputs(), Some(&destination))?;
        Ok(destination)
    }

    /// The answer in lines.
    fn text(
        &self,
        relation: Relation,
        found: &Found,
        names: &[String; 2],
    ) -> Result<Vec<u8>, Failure> {
        let shown = Shown {
            form: self.comparison.answer.form(),
            options: WriteOptions {
                visible_i: self.comparison.write.visible_i(),
                printable: true,
                ..WriteOptions::default()
            },
            names,
        };
        let mut text = match found.verdict() {
            Verdict::Holds => b"TRUE\n".to_vec(),
            Verdict::Fails(_) => b"FALSE\n".to_vec(),
            Verdict::Unknown => b"UNKNOWN\n".to_vec(),
        };
        if let Found::Order(order) = found {
            let line = format!("*** {}", Position::sentence(order, names));
            text.extend_from_slice(format!("{line}\n").as_bytes());
        }
        for verdict in found.reasons(relation) {
            match verdict {
                Verdict::Fails(Some(witness)) => shown.reason(&mut text, witness)?,
                Verdict::Fails(None) => text.extend_from_slice(no_reason(relation).as_bytes()),
                Verdict::Holds | Verdict::Unknown => {}
            }
        }
        Ok(text)
    }

    /// The answer as JSON; no verdict if the memory came to its end.
    fn object(&self, asked: Question, found: Option<&Found>) -> Result<String, Failure> {
        let [first, second] = self.names();
        let reason = |verdict: &Verdict| match verdict {
            Verdict::Fails(Some(witness)) => reason_json(witness),
            Verdict::Fails(None) | Verdict::Holds | Verdict::Unknown => Ok(Value::Null),
        };
        let witness = found.map_or(Ok(Value::Null), |found| reason(found.verdict()))?;
        let mut object = json!({
            "verdict": found.and_then(|found| known(found.verdict())),
            "relation": asked.relation().name(),
            "first": first,
            "second": second,
            "witness": witness,
        });
        if let Question::Below(_) = asked {
            let order = match found {
                Some(Found::Order(order)) => Some(order),
                Some(Found::Equivalence(_)) | None => None,
            };
            let position = order.map_or(Position::Unknown, Position::of);
            object["order"] = position.name().into();
            object["not_above"] = order.map_or(Ok(Value::Null), |order| reason(&order.above))?;
        }
        Ok(json_text(&object))
    }

    fn run_spectrum(&self, session: &mut Session) -> Result<Status, Failure> {
        let answer = &self.comparison.answer;
        let strong = match self.strong.is_given() {
            true => self.strong.get(session, &[Relation::Sharp])?,
            false => None,
        };
        let write = &self.comparison.write;
        let picture = match write.ending().as_deref() {
            Some("svg") => Some(self.text_output(session)?),
            Some(_) | None if write.is_named() => {
                return Err(Failure::error(format!("{PICTURE}: name a .svg file")));
            }
            Some(_) | None => {
                write.tell_unused(session, PICTURE);
                self.comparison
                    .check_witness(session, self.inputs(), None)?;
                None
            }
        };
        let names = self.names();
        let nothing_known = spectrum::open(strong.is_some());
        memory::set_last_words(self.lattice(&nothing_known, &names)?);
        // All relations, of which this is the finest one.
        let ([first, second], _) = self.read(session, Relation::Isomorphism)?;
        if let Some(strong) = &strong {
            strong.check_used(session, &[&first, &second])?;
        }
        let entries = session.phase("compare", |phase| {
            let bar = phase.progress("comparing", Unit::None, None);
            let mut bar = bar.refined("comparing".into());
            let pair = Pair::new(first, second)?;
            let is_strong =
                |text: &[u8]| strong.as_ref().is_some_and(|strong| strong.contain(text));
            let is_strong: Option<&IsStrong<'_>> = match &strong {
                Some(_) => Some(&is_strong),
                None => None,
            };
            let mut tell = |entries: &[Entry]| {
                // If the memory comes to its end, what is known is told.
                let mut all = entries.to_vec();
                all.extend_from_slice(&nothing_known[entries.len()..]);
                if let Ok(text) = self.lattice(&all, &names) {
                    memory::set_last_words(text);
                }
            };
            let options = Options {
                limit: spectrum::LIMIT,
                ..Options::default()
            };
            Ok(spectrum(&pair, is_strong, &options, &mut bar, &mut tell))
        })?;
        let text = self.lattice(&entries, &names)?;
        answer.write(session, "text", &text)?;
        if let Some(picture) = picture {
            let svg = picture::svg(&entries, &names);
            session.write_text(&picture, "svg", svg.as_bytes())?;
        }
        // What is asked for is which equivalences hold: one direction refutes them.
        let is_open = |entry: &Entry| Position::of(&entry.order) == Position::Unknown;
        Ok(match entries.iter().any(is_open) {
            true => Status::NoVerdict,
            false => Status::Holds,
        })
    }

    /// What is known of all relations.
    fn lattice(&self, entries: &[Entry], names: &[String; 2]) -> Result<Vec<u8>, Failure> {
        let text = match self.comparison.answer.is_json() {
            true => json_text(&json!({
                "first": names[0],
                "second": names[1],
                "relations": lattice::json(entries)?,
            })),
            false => lattice::text(entries, names)?,
        };
        Ok(text.into())
    }

    fn run_evaluate(&self, session: &mut Session, formula: &str) -> Result<Status, Failure> {
        let answer = &self.comparison.answer;
        if self.comparison.write.is_named() {
            return Err(Failure::error(
                "--evaluate has no witness that -o OUTPUT could take",
            ));
        }
        self.comparison.witness(session, self.inputs())?;
        let formula = match formula.ends_with(".mcf") || formula == "-" {
            true => {
                if formula == "-" && self.inputs().contains(&Path::new("-")) {
                    return Err(Failure::error(
                        "only one of FORMULA, A and B can be standard input",
                    ));
                }
                let (name, bytes) = read_text(Path::new(formula))?;
                let text = utf8(&name, &bytes, "a formula")?;
                let formula: Result<Formula, _> = text.parse();
                formula.map_err(|e| {
                    Failure::error(format!(
                        "{name}:{}:{}: {} (formulas of mCRL2 are for check)",
                        e.line, e.column, e.message
                    ))
                })?
            }
            false => formula
                .parse::<Formula>()
                .map_err(|e| Failure::error(e.to_string()))?,
        };
        memory::set_last_words(self.evaluation([None; 2]));
        let (systems, _) = self.read(session, Relation::Strong)?;
        let holds = session.phase("evaluate", |_| {
            let one = |lts: &Lts| {
                hml::holds(&formula, lts, lts.initial(), usize::MAX)
                    .ok_or_else(|| Failure::error("the formula is too large for this LTS"))
            };
            Ok([one(&systems[0])?, one(&systems[1])?])
        })?;
        answer.write(session, "text", &self.evaluation(holds.map(Some)))?;
        Ok(match holds[0] == holds[1] {
            true => Status::Holds,
            false => Status::Fails,
        })
    }

    /// Whether the formula holds in each of the two; neither if the memory came to its end.
    fn evaluation(&self, holds: [Option<bool>; 2]) -> Vec<u8> {
        let names = self.names();
        let verdict = |holds: Option<bool>| match holds {
            Some(true) => "TRUE",
            Some(false) => "FALSE",
            None => "UNKNOWN",
        };
        let text = match self.comparison.answer.is_json() {
            true => json_text(&json!({
                "first": names[0],
                "second": names[1],
                "holds_in_first": holds[0],
                "holds_in_second": holds[1],
            })),
            false => {
                let line = |k: usize| format!("{}: {}\n", names[k], verdict(holds[k]));
                line(0) + &line(1)
            }
        };
        text.into()
    }
}

/// What was found out.
pub(crate) enum Found {
    Equivalence(Verdict),
    Order(Order),
}

impl Found {
    /// The answer to the question: of an order, whether the first is below the second.
    pub(crate) fn verdict(&self) -> &Verdict {
        match self {
            Found::Equivalence(verdict) => verdict,
            Found::Order(order) => &order.below,
        }
    }

    /// What there may be reasons for; what is the same both ways counts once.
    fn reasons(&self, relation: Relation) -> impl Iterator<Item = &Verdict> {
        let (first, second) = match self {
            Found::Equivalence(verdict) => (verdict, None),
            Found::Order(order) if relation.is_preorder() => (&order.below, Some(&order.above)),
            Found::Order(order) => (&order.below, None),
        };
        std::iter::once(first).chain(second)
    }

    /// The reason for the answer.
    pub(crate) fn witness(&self) -> Option<&Witness> {
        match self.verdict() {
            Verdict::Fails(witness) => witness.as_ref(),
            Verdict::Holds | Verdict::Unknown => None,
        }
    }
}

/// Tells that each direction of a relation that is none by itself answers for both.
fn tell_symmetric(session: &Session, relation: Relation) {
    if relation.is_preorder() {
        return;
    }
    match relation.one_direction() {
        Some(preorder) => session.note(format_args!(
            "{relation} is symmetric: A is below B if they are equivalent; one direction of it, \
             as CADP's -smaller, is -p {preorder}"
        )),
        None => session.note(format_args!(
            "{relation} is symmetric: A is below B if they are equivalent"
        )),
    }
}

fn known(verdict: &Verdict) -> Option<bool> {
    match verdict {
        Verdict::Holds => Some(true),
        Verdict::Fails(_) => Some(false),
        Verdict::Unknown => None,
    }
}

/// That systems differ for which there is no reason to be shown.
fn no_reason(relation: Relation) -> &'static str {
    match relation {
        Relation::Isomorphism => {
            "*** they are strongly bisimilar, but no renumbering of states makes one of the other\n"
        }
        _ => {
            "*** they differ, but no trace or formula of a reasonable size was found that shows it\n"
        }
    }
}

/// What takes the witness.
pub(crate) enum Output {
    Lts(Box<LtsOutput>),
    Formula(Destination),
}

impl Output {
    /// How to compare, for what takes the witness.
    fn options(output: Option<&Self>) -> Options {
        Options {
            preferred: match output {
                Some(Output::Formula(_)) => Preferred::Formula,
                // A file for traces takes nothing else.
                Some(Output::Lts(output)) if is_chain(output.format) => Preferred::Trace,
                Some(Output::Lts(_)) | None => Preferred::Least,
            },
            ..Options::default()
        }
    }

    /// The file.
    pub(crate) fn destination(&self) -> &Destination {
        match self {
            Output::Lts(output) => &output.destination,
            Output::Formula(destination) => destination,
        }
    }

    /// Writes a witness, or tells that there is none.
    fn write(&self, session: &mut Session, witness: Option<&Witness>) -> Result<(), Failure> {
        match (self, witness) {
            (Output::Formula(destination), Some(witness)) => {
                let (_, formula) = witness.formula()?;
                // The ending is that of mCRL2's formulas, too, in which `i` would be visible.
                session.write_text(destination, "text", format!("{formula:#}\n").as_bytes())
            }
            (Output::Formula(destination), None) => {
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
            (Output::Lts(output), Some(Witness::Observation(seen))) if is_chain(output.format) => {
                let is_plain = output.compression == Compression::None;
                let labels: Vec<_> = seen.reason.labels().collect();
                let steps =
                    TraceForm::Seq.steps(&labels, &seen.table, &output.options, &mut |_| ());
                if is_plain && output.format == Format::Seq && steps.is_ok() {
                    let text = reasons::observation(TraceForm::Seq, &output.options, seen);
                    return session.write_text(&output.destination, "seq", &text);
                }
                session.note(format_args!(
                    "{} has the trace of the {} only: name an LTS (.aut, .bcg, …) or a .seq file \
                     for all of it",
                    output.destination.name(),
                    seen.kind()
                ));
                session.write(output, &seen.reason.to_path(&seen.table)?)
            }
            (Output::Lts(output), witness) => {
                let lts = witness.map(Witness::to_lts).transpose()?;
                session.write_witness(output, lts.as_ref())
            }
        }
    }
}
