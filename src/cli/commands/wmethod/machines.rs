//! Reading Mealy machines on behalf of a command.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use clap::ValueEnum;
use hyades_conformance::{Machine, MissingTarget, Pairing, StatePartition, Steps, moore_states};
use hyades_formats::diagnostic::{counted, excerpt, printable_path};
use hyades_formats::dot::StateOutputs;
use hyades_formats::mealy::{InitialOutput, VERDICTS, acceptor_as_moore};
use hyades_formats::{self as formats, Lts, StateId};

use hyades_cli_core::options::{DialectOption, InputOption, ReadOptions};
use hyades_cli_core::output::Destination;
use hyades_cli_core::session::Session;
use hyades_cli_core::status::Failure;

/// How an LTS is a Mealy machine, and what becomes of one that is not complete.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Mealy machines")]
pub struct MachineOptions {
    /// Labels are gates with offers (`JOIN !0 !OK`, `REQUEST(CALL,0,DOOR(0))`):
    /// the last N offers are the output, and what is before them the input
    #[arg(
        long,
        value_name = "N",
        conflicts_with_all = ["steps", "input_gate", "moore", "dfa", "accepting"]
    )]
    output_offers: Option<usize>,

    /// Inputs and outputs are transitions of their own, `?input` and `!output`;
    /// an input is answered by all outputs that follow
    #[arg(long, conflicts_with_all = ["input_gate", "moore", "dfa", "accepting"])]
    steps: bool,

    /// With --output-gate: inputs and outputs are transitions of their own, as with
    /// --steps, and labels with the gate NAME are inputs (repeatable)
    #[arg(
        long,
        value_name = "NAME",
        requires = "output_gate",
        conflicts_with_all = ["moore", "dfa", "accepting"]
    )]
    input_gate: Vec<OsString>,

    /// With --input-gate: labels with the gate NAME are outputs (repeatable)
    #[arg(long, value_name = "NAME", requires = "input_gate")]
    output_gate: Vec<OsString>,

    /// What to do if a state has no transition for some input: stay there, or go
    /// to a state that is never left, with --missing-output; or refuse the
    /// machine, unless the method can do without
    #[arg(long, value_name = "HOW", default_value = "error")]
    complete: Complete,

    /// The output where --complete adds transitions [default: none; in a finite
    /// automaton `reject` in the sink; of a Moore machine that of the state that stays]
    #[arg(long, value_name = "TEXT")]
    missing_output: Option<OsString>,
}

/// How else labels may tell inputs and outputs, where none is a pair.
const OTHERWISE: &str = ", or --output-offers N if the last N values of labels are the output, or \
                         --steps, or --input-gate with --output-gate, if outputs are transitions of their own";

/// Values of `--complete`.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Complete {
    SelfLoop,
    Sink,
    Error,
}

/// The machine that is tested, and how machines are read.
#[derive(clap::Args, Clone, Debug)]
pub struct MachineInput {
    #[command(flatten)]
    machine: MachineOptions,
    #[command(flatten)]
    input: InputOption,
    #[command(flatten)]
    read: ReadOptions,
    #[command(flatten)]
    dialect: DialectOption,
}

/// A specification that has been read.
pub struct Specification {
    /// Its reachable part, completed if that was asked for, and minimal if it is
    /// complete.
    pub machine: Machine,
    /// The same before equivalent states were merged, if there were any.
    pub whole: Option<Machine>,
    /// Whether transitions were added to complete it.
    pub is_completed: bool,
}

impl MachineInput {
    /// The file of the specification.
    pub fn path(&self) -> &Path {
        &self.input.input
    }

    /// Whose habits files follow.
    pub fn dialect(&self) -> &DialectOption {
        &self.dialect
    }

    /// Looks at the files before the work begins: an output, and what is read besides
    /// the specification.
    ///
    /// # Errors
    /// If an output would replace one of them, or two are standard input.
    pub fn check_files(
        &self,
        session: &Session,
        destination: &Destination,
        others: &[&Path],
    ) -> Result<(), Failure> {
        session.check_outputs(&[self.path()], &[destination])?;
        destination.check_spares(others.iter().copied())?;
        let all = others.iter().copied().chain([self.path()]);
        match all.filter(|path| *path == Path::new("-")).count() {
            0 | 1 => Ok(()),
            _ => Err(Failure::error(
                "only one of the inputs can be standard input",
            )),
        }
    }

    /// Reads a machine as it is in its file.
    ///
    /// # Errors
    /// If it cannot be read, or is no deterministic Mealy machine.
    pub fn read(&self, session: &mut Session, path: &Path) -> Result<Machine, Failure> {
        let mut options = self.read.get(&self.dialect);
        let mealy = self.dialect.mealy();
        let as_pairs = self.machine.output_offers.is_none() && self.machine.steps().is_none();
        options.mealy = None;
        if as_pairs {
            options.dot.outputs = mealy.outputs(StateOutputs::Shown);
            options.mealy = mealy.accepting().is_none().then(|| mealy.always());
        }
        if let Some(mealy) = &mut options.mealy {
            mealy.otherwise = OTHERWISE;
            if mealy.initial == InitialOutput::None {
                mealy.initial = InitialOutput::Possible;
            }
        }
        session.tell_no_gates(!options.tau.is_empty(), "what is read as a Mealy machine");
        let (lts, _) = session.read_as(path, self.read.from()?, &options)?;
        self.machine
            .machine(&lts, &options, mealy.accepting())
            .map_err(|error| Failure::error(format!("{}: {error}", printable_path(path))))
    }

    /// Reads a specification: its reachable part, completed if that is asked for,
    /// and minimal if it is complete. What was not so in the file is noted, with
    /// the states concerned: phase `prepare`. If it has to be complete,
    /// `else_complete` tells what to do otherwise if it is not.
    ///
    /// # Errors
    /// As [`MachineInput::read`]; or if it is not complete although it has to be.
    pub fn specification(
        &self,
        session: &mut Session,
        else_complete: Option<&str>,
    ) -> Result<Specification, Failure> {
        let machine = self.read(session, self.path())?;
        let unreachable = machine.unreachable();
        if !unreachable.is_empty() {
            session.note(format!(
                "{} of {} states cannot be reached and {} left out: {}",
                unreachable.len(),
                machine.states(),
                if unreachable.len() == 1 { "is" } else { "are" },
                list(&machine, &unreachable)
            ));
        }
        if let Some(output) = machine.initial_output() {
            session.note(format!(
                "the initial output is {}, which tests do not ask for",
                excerpt(output)
            ));
            session.add_figure(
                "initial_output",
                String::from_utf8_lossy(output).into_owned(),
            );
        }
        let machine = machine.reachable_part();
        let was_complete = machine.is_complete();
        let machine = self.machine.completed(session, machine, else_complete)?;
        if !machine.is_complete() {
            return Ok(Specification {
                machine,
                whole: None,
                is_completed: false,
            });
        }
        let (minimal, classes) = session.phase("prepare", |_| {
            let partition = StatePartition::new(&machine);
            let mut classes: Vec<Vec<StateId>> = vec![Vec::new(); partition.len()];
            for state in machine.state_ids() {
                classes[partition.class(state) as usize].push(state);
            }
            classes.retain(|class| class.len() > 1);
            Ok((machine.quotient(&partition), classes))
        })?;
        if let Some(class) = classes.iter().min() {
            session.note(format!(
                "the machine is not minimal: of {} states {} remain; for instance, states {} \
                 are equivalent",
                machine.states(),
                minimal.states(),
                list(&machine, class)
            ));
        }
        if let Some(moore) = moore_states(&minimal)? {
            session.add_figure("moore_states", moore);
        }
        session.add_figure("states", minimal.states());
        session.add_figure("input_symbols", minimal.inputs());
        session.add_figure("output_symbols", minimal.outputs());
        let is_merged = minimal.states() < machine.states();
        Ok(Specification {
            machine: minimal,
            whole: is_merged.then_some(machine),
            is_completed: !was_complete,
        })
    }
}

impl MachineOptions {
    fn steps(&self) -> Option<Steps> {
        let bytes = |names: &[OsString]| -> Vec<Vec<u8>> {
            names.iter().map(|name| name.clone().into_vec()).collect()
        };
        match (self.steps, self.input_gate.is_empty()) {
            (true, _) => Some(Steps::Marks),
            (false, false) => Some(Steps::Gates {
                inputs: bytes(&self.input_gate),
                outputs: bytes(&self.output_gate),
            }),
            (false, true) => None,
        }
    }

    /// The machine that an LTS is; `accepting` is the label of self-loops of
    /// accepting states, if it is a finite automaton.
    fn machine(
        &self,
        lts: &Lts,
        options: &formats::ReadOptions,
        accepting: Option<&[u8]>,
    ) -> Result<Machine, String> {
        if let Some(steps) = self.steps() {
            return steps.fold(lts).map_err(|error| error.to_string());
        }
        let pairing = match self.output_offers {
            Some(count) => Pairing::Offers(count),
            None => Pairing::Slash(options.mealy.clone().unwrap_or_default().syntax.in_memory()),
        };
        let moore = match (accepting, &pairing) {
            (Some(label), Pairing::Slash(syntax)) => {
                Some(acceptor_as_moore(lts, label, syntax).map_err(|error| error.to_string())?)
            }
            (Some(_), Pairing::Offers(_)) | (None, _) => None,
        };
        let lts = moore.as_ref().unwrap_or(lts);
        Machine::from_lts(lts, &pairing).map_err(|error| error.to_string())
    }

    fn completed(
        &self,
        session: &Session,
        machine: Machine,
        else_complete: Option<&str>,
    ) -> Result<Machine, Failure> {
        let Some((state, input, missing)) = machine.missing() else {
            return Ok(machine);
        };
        let example = || {
            let states: Vec<StateId> = machine
                .state_ids()
                .filter(|&state| {
                    machine
                        .input_ids()
                        .any(|i| machine.step(state, i).is_none())
                })
                .collect();
            format!(
                "{} of state and input {} no transition, such as state {} with input {}; concerned \
                 {} {}",
                counted(missing as u64, "pair"),
                if missing == 1 { "has" } else { "have" },
                machine.shown_name(state),
                excerpt(machine.input_text(input)),
                if states.len() == 1 {
                    "is state"
                } else {
                    "are states"
                },
                list(&machine, &states)
            )
        };
        if self.complete == Complete::Error {
            return match else_complete {
                None => Ok(machine),
                Some(hint) => Err(Failure::error(format!(
                    "the machine is not complete: {}; expected a transition for each input, \
                     --complete self-loop or sink{hint}",
                    example()
                ))),
            };
        }
        session.detail(example());
        let to_sink = self.complete == Complete::Sink;
        let is_automaton = machine
            .initial_output()
            .is_some_and(|output| VERDICTS.iter().any(|verdict| verdict.as_bytes() == output));
        let output = match &self.missing_output {
            Some(output) => output.clone().into_vec(),
            None if machine.initial_output().is_some() && !to_sink => {
                return machine.completed_as_moore().ok_or_else(|| {
                    Failure::error(
                        "states have several outputs, so that none is that of a state that stays: \
                         name one with --missing-output",
                    )
                });
            }
            None if is_automaton => VERDICTS[1].into(),
            None => Vec::new(),
        };
        let target = match self.complete {
            Complete::Sink => MissingTarget::Sink,
            Complete::SelfLoop | Complete::Error => MissingTarget::Source,
        };
        Ok(machine.completed(&output, target)?)
    }
}

/// The names of states, the first of them.
pub(super) fn list(machine: &Machine, states: &[StateId]) -> String {
    const SHOWN: usize = 10;
    let shown = states.iter().take(SHOWN);
    let shown: Vec<String> = shown.map(|&s| machine.shown_name(s)).collect();
    match states.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
