//! `wmethod check` and `wmethod reduce`: options and answers.

use std::fmt::Display;
use std::path::PathBuf;

use clap::ValueEnum;
use hyades_conformance::check::{
    Completeness, FaultDomain, Limits, Reason, Reducing, Refutation, reduce, verdict,
};
use hyades_conformance::{Guarantee, Machine, NodeId, TestTree, moore_states};
use hyades_formats::diagnostic::{counted, printable_path};
use hyades_formats::{Format, Source};
use serde_json::{Map, Value};

use crate::machines::MachineInput;
use crate::mutants::machine_text;
use crate::suite_symmetry::{UpToSymmetryOption, with_images};
use crate::suites::{Derived, ExtraOption, GivenSuite, SuiteOutput};
use crate::words::{inputs, outputs, symbols, symbols_json};
use hyades_cli_core::answer::{JsonOption, add_line, json_text};
use hyades_cli_core::memory;
use hyades_cli_core::options::TextOption;
use hyades_cli_core::output::Destination;
use hyades_cli_core::progress::Unit;
use hyades_cli_core::session::{RunOptions, Session};
use hyades_cli_core::status::{Failure, Status};

/// A suite from a file, and among which machines it is judged.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Judging suites")]
pub struct JudgedSuite {
    /// The file with the suite, in any form; `-` is standard input
    #[arg(value_name = "SUITE")]
    judged: PathBuf,

    /// Among which machines the suite shall find the faulty ones: those of so many
    /// `states`; or all whose states are `reached` by the specification's shortest
    /// words to its states and at most K inputs more, and those in which two of
    /// these words reach equivalent states (k-A-completeness)
    #[arg(long, value_name = "NAME", default_value = "states")]
    domain: DomainName,

    /// Leave the question open after N steps, ten million of which take about a
    /// second
    #[arg(
        long,
        value_name = "N",
        default_value_t = Limits::default().steps
    )]
    max_steps: u64,

    #[command(flatten)]
    extra: ExtraOption,
}

/// `wmethod check`.
#[derive(clap::Args, Clone, Debug)]
pub struct Check {
    #[command(flatten)]
    suite: JudgedSuite,

    /// Write the machine that passes and is not equivalent into FILE, as its ending
    /// says
    #[arg(long, value_name = "FILE", help_heading = "Judging suites")]
    refutation: Option<PathBuf>,

    #[command(flatten)]
    symmetry: UpToSymmetryOption,
    #[command(flatten)]
    output: TextOption,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    input: MachineInput,
    #[command(flatten)]
    pub run: RunOptions,
}

/// `wmethod reduce`.
#[derive(clap::Args, Clone, Debug)]
pub struct Reduce {
    #[command(flatten)]
    suite: JudgedSuite,
    #[command(flatten)]
    output: SuiteOutput,
    #[command(flatten)]
    input: MachineInput,
    #[command(flatten)]
    pub run: RunOptions,
}

/// Values of `--domain`.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum DomainName {
    States,
    Reached,
}

/// What else there is for specifications that are not complete.
const ELSE_COMPLETE: &str = ": suites are judged for machines that answer each input";

impl JudgedSuite {
    /// Reads the specification and the suite.
    fn read(
        &self,
        session: &mut Session,
        input: &MachineInput,
    ) -> Result<(Machine, GivenSuite), Failure> {
        let specification = input.specification(session, Some(ELSE_COMPLETE));
        let specification = specification.map_err(|failure| match failure {
            Failure::Error(text) if self.is_machine() => Failure::Error(format!(
                "{text}; the suite comes first, and {} is a machine",
                printable_path(&self.judged)
            )),
            failure => failure,
        })?;
        let suite = GivenSuite::read(session, &self.judged, &specification.machine)?;
        Ok((specification.machine, suite))
    }

    /// Whether the file that should have a suite is a machine.
    fn is_machine(&self) -> bool {
        let source = Source::open(&self.judged, None).ok();
        source.is_some_and(|source| match source.format() {
            Format::Aut | Format::Bcg | Format::Lts | Format::Dot | Format::Fsm | Format::Kiss2 => {
                true
            }
            Format::Seq
            | Format::Trc
            | Format::Exp
            | Format::Toml
            | Format::Tsv
            | Format::Jsonl
            | Format::Parquet
            | Format::Arrow
            | Format::GraphMl
            | Format::Plts => false,
        })
    }

    fn domain(&self, machine: &Machine) -> FaultDomain {
        let extra = self.extra.get();
        match self.domain {
            DomainName::States => FaultDomain::States(machine.states() + extra),
            DomainName::Reached => FaultDomain::reached(machine, extra),
        }
    }

    fn limits(&self) -> Limits {
        Limits {
            steps: self.max_steps,
            bytes: memory::rest().unwrap_or(Limits::default().bytes),
        }
    }

    /// What the suite is complete for, if it is.
    fn scope(&self, machine: &Machine) -> String {
        let extra = self.extra.get();
        match self.domain {
            DomainName::States => counted((machine.states() + extra) as u64, "state"),
            DomainName::Reached => format!(
                "states reached by the state cover and {}, or its words collide",
                counted(extra as u64, "input")
            ),
        }
    }

    /// What is claimed of a suite that is complete.
    fn claim(&self, machine: &Machine) -> Guarantee {
        let extra = self.extra.get();
        match self.domain {
            DomainName::States => Guarantee::Complete((machine.states() + extra) as u64),
            DomainName::Reached => Guarantee::Reached(extra as u64),
        }
    }
}

impl Check {
    /// Judges a suite, phase `check`, and writes the verdict. With symmetries it is
    /// judged with all images of its tests, among the machines that are invariant.
    ///
    /// # Errors
    /// If an input cannot be read or an output not be written, or there are too many
    /// images.
    pub fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let destination = self.output.get()?;
        self.input
            .check_files(session, &destination, &[&self.suite.judged])?;
        if self.symmetry.pattern().is_some() {
            // the other one is the template
            session.expect_two_inputs();
        }
        let (machine, suite) = self.suite.read(session, &self.input)?;
        let machine = &machine;
        let symmetry =
            self.symmetry
                .invariance(session, machine, self.input.dialect(), &destination)?;
        tell_of_moore(session, machine)?;
        let symmetry = symmetry.filter(|symmetry| !symmetry.order().is_one());
        let images = match &symmetry {
            None => None,
            Some(symmetry) => Some(with_images(session, machine, &suite.tree, symmetry)?),
        };
        let tree = images.as_ref().unwrap_or(&suite.tree);
        let domain = self.suite.domain(machine);
        let mut verdict = session.phase("check", |phase| {
            phase.progress("judging the suite", Unit::None, None);
            verdict(machine, tree, &domain, &self.suite.limits())
                .map_err(|error| Failure::error(error.to_string()))
        })?;
        if let (Completeness::Refuted(refutation), Some(symmetry)) = (&verdict, &symmetry)
            && !symmetry.holds_for(&refutation.machine)
        {
            verdict = Completeness::Unknown(Reason::NotInvariant);
        }
        if let (Completeness::Refuted(refutation), Some(path)) = (&verdict, &self.refutation) {
            let format = Format::from_path(path).unwrap_or(Format::Aut);
            let refutation_output = Destination::new(path)?;
            session.check_outputs(&[], &[&destination, &refutation_output])?;
            let text = machine_text(&refutation.machine, &refutation_output.name(), format)?;
            session.write_text(&refutation_output, format.name(), &text)?;
        }
        let scope = self.suite.scope(machine);
        let answer = Answer {
            machine,
            tree,
            verdict: &verdict,
            scope: match &symmetry {
                None => scope,
                Some(symmetry) => format!(
                    "{scope}, invariant under {} permutations of values",
                    symmetry.order()
                ),
            },
        };
        session.add_figure("verdict", answer.name());
        let (format, text) = match self.json.is_wanted() {
            true => ("json", answer.json_text()),
            false => ("text", answer.lines()),
        };
        session.write_text(&destination, format, text.as_bytes())?;
        if let Completeness::Unknown(reason) = &verdict {
            session.tell_why(format_args!("no verdict: {reason}"));
        }
        Ok(status(&verdict))
    }
}

impl Reduce {
    /// Leaves out tests, phase `reduce`, and writes the others. None is left out if the
    /// suite is not complete, or that is not known, which is noted.
    ///
    /// # Errors
    /// If the specification is none that can be judged, an input cannot be read or the
    /// output not be written.
    pub fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let output = self.output.get(&self.input)?;
        self.input
            .check_files(session, &output.destination, &[&self.suite.judged])?;
        let (machine, suite) = self.suite.read(session, &self.input)?;
        let machine = &machine;
        tell_of_moore(session, machine)?;
        let domain = self.suite.domain(machine);
        let reducing = Reducing {
            limits: self.suite.limits(),
            ..Reducing::default()
        };
        let reduced = session.phase("reduce", |phase| {
            phase.progress("leaving out tests", Unit::None, None);
            reduce(machine, &suite.tree, &domain, &reducing)
                .map_err(|error| Failure::error(error.to_string()))
        })?;
        let status = status(&reduced.verdict);
        let scope = self.suite.scope(machine);
        let claim = match &reduced.verdict {
            Completeness::Refuted(_) => {
                session.note(format!("the suite is not complete for {scope}"));
                Guarantee::Nothing
            }
            Completeness::Unknown(reason) => {
                session.tell_why(format!(
                    "it is not known whether the suite is complete for {scope}: {reason}"
                ));
                Guarantee::Nothing
            }
            Completeness::Certified(_) | Completeness::Complete => {
                let size = suite.size();
                session.note(format!(
                    "there {} {}, {}{}",
                    if size.tests == 1 { "was" } else { "were" },
                    counted(size.tests, "test"),
                    counted(size.symbols, "symbol"),
                    if reduced.is_finished {
                        ""
                    } else {
                        "; not all tests were tried"
                    }
                ));
                self.suite.claim(machine)
            }
        };
        let reduced = GivenSuite {
            tree: reduced.tree,
            is_empty: suite.is_empty,
        };
        Derived::given(reduced, claim).write(session, machine, &output)?;
        Ok(status)
    }
}

/// Tells of Moore machines, which are not judged, where they may have more states than
/// the machine has.
fn tell_of_moore(session: &mut Session, machine: &Machine) -> Result<(), Failure> {
    if let Some(states) = moore_states(machine)?
        && states > machine.states()
    {
        session.note(format_args!(
            "judged are Mealy machines, of which the least that answers alike has {}: nothing is \
             said of Moore machines, which need {states}, and tests that only these need count \
             as superfluous",
            counted(machine.states() as u64, "state")
        ));
    }
    Ok(())
}

fn status(verdict: &Completeness) -> Status {
    match verdict {
        Completeness::Certified(_) | Completeness::Complete => Status::Holds,
        Completeness::Refuted(_) => Status::Fails,
        Completeness::Unknown(_) => Status::NoVerdict,
    }
}

struct Answer<'a> {
    machine: &'a Machine,
    tree: &'a TestTree,
    verdict: &'a Completeness,
    scope: String,
}

impl Answer<'_> {
    fn name(&self) -> &'static str {
        match self.verdict {
            Completeness::Certified(_) => "CERTIFIED",
            Completeness::Complete => "COMPLETE",
            Completeness::Refuted(_) => "REFUTED",
            Completeness::Unknown(_) => "UNKNOWN",
        }
    }

    /// The words of the nodes that a certificate rests on, state by state.
    fn basis<'b>(&'b self, nodes: &'b [NodeId]) -> impl Iterator<Item = Vec<&'b [u8]>> {
        let word = |&node: &NodeId| inputs(self.machine, &self.tree.word(node));
        nodes.iter().map(word)
    }

    fn lines(&self) -> String {
        let mut text = String::new();
        let mut line = |name: &str, value: &dyn Display| add_line(&mut text, name, value);
        line("verdict", &self.name());
        line("domain", &self.scope);
        match self.verdict {
            Completeness::Certified(certificate) => {
                line("condition", &certificate.condition);
                for word in self.basis(&certificate.basis) {
                    line("basis", &symbols(&word));
                }
            }
            Completeness::Complete => {}
            Completeness::Refuted(refutation) => {
                let Refutation { machine, word } = &**refutation;
                line("passing_states", &machine.states());
                line("word", &symbols(&inputs(self.machine, word)));
                line("expected", &symbols(&outputs(self.machine, word)));
                line("passing", &symbols(&outputs(machine, word)));
            }
            Completeness::Unknown(reason) => line("reason", reason),
        }
        text
    }

    fn json_text(&self) -> String {
        let mut object = Map::new();
        let mut add = |name: &str, value: Value| object.insert(name.into(), value);
        add("verdict", self.name().into());
        add("domain", self.scope.clone().into());
        match self.verdict {
            Completeness::Certified(certificate) => {
                add("condition", certificate.condition.to_string().into());
                let basis = self.basis(&certificate.basis);
                add("basis", basis.map(|word| symbols_json(&word)).collect());
            }
            Completeness::Complete => {}
            Completeness::Refuted(refutation) => {
                let Refutation { machine, word } = &**refutation;
                add("passing_states", machine.states().into());
                add("word", symbols_json(&inputs(self.machine, word)));
                add("expected", symbols_json(&outputs(self.machine, word)));
                add("passing", symbols_json(&outputs(machine, word)));
            }
            Completeness::Unknown(reason) => {
                add("reason", reason.to_string().into());
            }
        }
        json_text(&object)
    }
}
