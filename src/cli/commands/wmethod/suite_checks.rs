//! `wmethod --check` and `--reduce`: options and answers.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use hyades_conformance::check::{
    FaultDomain, Limits, Reason, Reducing, Refutation, Verdict, reduce, verdict,
};
use hyades_conformance::{Claim, Invariance, Machine, NodeId, TestTree, counted, moore_states};
use hyades_formats::Format;
use serde_json::{Map, Value};

use super::mutants::machine_text;
use super::suite_symmetry::with_images;
use super::suites::{DERIVING, Derived, GivenSuite};
use crate::core::answer::{add_line, inputs, json_text, outputs, symbols, symbols_json};
use crate::core::memory;
use crate::core::output::Destination;
use crate::core::progress::Unit;
use crate::core::run::Session;
use crate::core::status::{Failure, Status};

/// Whether a suite is judged, and among which machines.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Judging suites")]
pub struct SuiteCheckOptions {
    /// Tell whether the suite in SUITE is complete for implementations of at most
    /// K states more than the specification (-k): CERTIFIED by a condition,
    /// COMPLETE by a search, REFUTED by a machine that passes, or UNKNOWN;
    /// status 0, 0, 1, 3. `-` is standard input
    #[arg(long, value_name = "SUITE", groups = ["mode", "judged", "answer"], conflicts_with_all = DERIVING, conflicts_with = "suite")]
    check: Option<PathBuf>,

    /// Write the suite in SUITE without tests that it does not need to be complete;
    /// status 1 if it is not complete, 3 if that is not known
    #[arg(long, value_name = "SUITE", groups = ["mode", "judged"], conflicts_with_all = DERIVING, conflicts_with = "suite")]
    reduce: Option<PathBuf>,

    /// Among which machines the suite shall find the faulty ones: those of so many
    /// `states`; or all whose states are `reached` by the specification's shortest
    /// words to its states and at most K inputs more, and those in which two of
    /// these words reach equivalent states (k-A-completeness)
    #[arg(
        long,
        value_name = "NAME",
        default_value = "states",
        requires = "judged"
    )]
    domain: DomainName,

    /// Write the machine that passes and is not equivalent into FILE, as its ending
    /// says
    #[arg(long, value_name = "FILE", requires = "check")]
    refutation: Option<PathBuf>,

    /// Leave the question open after N steps, ten million of which take about a
    /// second
    #[arg(
        long,
        value_name = "N",
        default_value_t = Limits::default().steps,
        requires = "judged"
    )]
    max_steps: u64,
}

/// Values of `--domain`.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum DomainName {
    States,
    Reached,
}

impl SuiteCheckOptions {
    /// The suite to judge.
    pub fn check(&self) -> Option<&Path> {
        self.check.as_deref()
    }

    /// The suite to reduce.
    pub fn reduce(&self) -> Option<&Path> {
        self.reduce.as_deref()
    }

    fn domain(&self, machine: &Machine, extra: usize) -> FaultDomain {
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
    fn scope(&self, machine: &Machine, extra: usize) -> String {
        match self.domain {
            DomainName::States => counted((machine.states() + extra) as u64, "state"),
            DomainName::Reached => format!(
                "states reached by the state cover and {}, or its words collide",
                counted(extra as u64, "input")
            ),
        }
    }

    /// Judges a suite, phase `check`, and writes the verdict. With symmetries it is
    /// judged with all images of its tests, among the machines that are invariant.
    ///
    /// # Errors
    /// If an output cannot be written, or there are too many images.
    pub fn judge(
        &self,
        session: &mut Session,
        (machine, extra): (&Machine, usize),
        tree: &TestTree,
        symmetry: Option<&Invariance>,
        destination: &Destination,
        as_json: bool,
    ) -> Result<Status, Failure> {
        tell_of_moore(session, machine)?;
        let symmetry = symmetry.filter(|symmetry| !symmetry.order().is_one());
        let images = match symmetry {
            None => None,
            Some(symmetry) => Some(with_images(session, machine, tree, symmetry)?),
        };
        let tree = images.as_ref().unwrap_or(tree);
        let domain = self.domain(machine, extra);
        let mut verdict = session.phase("check", |phase| {
            phase.progress("judging the suite", Unit::None, None);
            verdict(machine, tree, &domain, &self.limits())
                .map_err(|error| Failure::error(error.to_string()))
        })?;
        if let (Verdict::Refuted(refutation), Some(symmetry)) = (&verdict, symmetry)
            && !symmetry.holds_for(&refutation.machine)
        {
            verdict = Verdict::Unknown(Reason::NotInvariant);
        }
        if let (Verdict::Refuted(refutation), Some(path)) = (&verdict, &self.refutation) {
            let format = Format::from_path(path).unwrap_or(Format::Aut);
            let refutation_output = Destination::new(path)?;
            session.check_outputs(&[], &[destination, &refutation_output])?;
            let text = machine_text(&refutation.machine, &refutation_output.name(), format)?;
            session.write_text(&refutation_output, format.name(), &text)?;
        }
        let answer = Answer {
            machine,
            tree,
            verdict: &verdict,
            scope: match symmetry {
                None => self.scope(machine, extra),
                Some(symmetry) => format!(
                    "{}, invariant under {} permutations of values",
                    self.scope(machine, extra),
                    symmetry.order()
                ),
            },
        };
        session.add_figure("verdict", answer.name());
        let (format, text) = match as_json {
            true => ("json", answer.json_text()),
            false => ("text", answer.lines()),
        };
        session.write_text(destination, format, text.as_bytes())?;
        if let Verdict::Unknown(reason) = &verdict {
            session.tell_why(format_args!("no verdict: {reason}"));
        }
        Ok(status(&verdict))
    }

    /// Leaves out tests: phase `reduce`. None if the suite is not complete, or that
    /// is not known, which is noted.
    ///
    /// # Errors
    /// If the specification is none that can be judged.
    pub fn without_tests(
        &self,
        session: &mut Session,
        machine: &Machine,
        suite: &GivenSuite,
        extra: usize,
    ) -> Result<(Derived, Status), Failure> {
        tell_of_moore(session, machine)?;
        let domain = self.domain(machine, extra);
        let reducing = Reducing {
            limits: self.limits(),
            ..Reducing::default()
        };
        let reduced = session.phase("reduce", |phase| {
            phase.progress("leaving out tests", Unit::None, None);
            reduce(machine, &suite.tree, &domain, &reducing)
                .map_err(|error| Failure::error(error.to_string()))
        })?;
        let status = status(&reduced.verdict);
        let scope = self.scope(machine, extra);
        let claim = match &reduced.verdict {
            Verdict::Refuted(_) => {
                session.note(format!("the suite is not complete for {scope}"));
                Claim::Nothing
            }
            Verdict::Unknown(reason) => {
                session.tell_why(format!(
                    "it is not known whether the suite is complete for {scope}: {reason}"
                ));
                Claim::Nothing
            }
            Verdict::Certified(_) | Verdict::Complete => {
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
                match self.domain {
                    DomainName::States => Claim::Complete((machine.states() + extra) as u64),
                    DomainName::Reached => Claim::Reached(extra as u64),
                }
            }
        };
        let reduced = GivenSuite {
            tree: reduced.tree,
            is_empty: suite.is_empty,
        };
        Ok((Derived::given(reduced, claim), status))
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

fn status(verdict: &Verdict) -> Status {
    match verdict {
        Verdict::Certified(_) | Verdict::Complete => Status::Holds,
        Verdict::Refuted(_) => Status::Fails,
        Verdict::Unknown(_) => Status::NoVerdict,
    }
}

struct Answer<'a> {
    machine: &'a Machine,
    tree: &'a TestTree,
    verdict: &'a Verdict,
    scope: String,
}

impl Answer<'_> {
    fn name(&self) -> &'static str {
        match self.verdict {
            Verdict::Certified(_) => "CERTIFIED",
            Verdict::Complete => "COMPLETE",
            Verdict::Refuted(_) => "REFUTED",
            Verdict::Unknown(_) => "UNKNOWN",
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
            Verdict::Certified(certificate) => {
                line("condition", &certificate.condition);
                for word in self.basis(&certificate.basis) {
                    line("basis", &symbols(&word));
                }
            }
            Verdict::Complete => {}
            Verdict::Refuted(refutation) => {
                let Refutation { machine, word } = &**refutation;
                line("passing_states", &machine.states());
                line("word", &symbols(&inputs(self.machine, word)));
                line("expected", &symbols(&outputs(self.machine, word)));
                line("passing", &symbols(&outputs(machine, word)));
            }
            Verdict::Unknown(reason) => line("reason", reason),
        }
        text
    }

    fn json_text(&self) -> String {
        let mut object = Map::new();
        let mut add = |name: &str, value: Value| object.insert(name.into(), value);
        add("verdict", self.name().into());
        add("domain", self.scope.clone().into());
        match self.verdict {
            Verdict::Certified(certificate) => {
                add("condition", certificate.condition.to_string().into());
                let basis = self.basis(&certificate.basis);
                add("basis", basis.map(|word| symbols_json(&word)).collect());
            }
            Verdict::Complete => {}
            Verdict::Refuted(refutation) => {
                let Refutation { machine, word } = &**refutation;
                add("passing_states", machine.states().into());
                add("word", symbols_json(&inputs(self.machine, word)));
                add("expected", symbols_json(&outputs(self.machine, word)));
                add("passing", symbols_json(&outputs(machine, word)));
            }
            Verdict::Unknown(reason) => {
                add("reason", reason.to_string().into());
            }
        }
        json_text(&object)
    }
}
