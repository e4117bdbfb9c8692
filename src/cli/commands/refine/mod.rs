//! `refine`: does an implementation keep to its specification, and if not, how?
//!
//! The specification is brought into normal form as a whole; the implementation is
//! explored beside it as far as needed.

mod refinements;

use std::path::{Path, PathBuf};

use clap::Parser;
use hyades_explore::{Limits, Model};
use hyades_formats::WriteOptions;
use hyades_formats::diagnostic::printable_path;
use hyades_network::Network;
use hyades_refinement::{Counterexample, Reason, Specification, Verdict, Violation};

use crate::core::{
    AnyModel, Command, Destination, DialectOption, Epilogue, ExploreSystemOptions, Failure, Given,
    LimitOptions, PluginOptions, ReadOptions, RunOptions, Session, Status, TextOption,
    TracesOption, VisibleIOption, memory,
};
use refinements::{Names, Open, RefinementOptions, gave_up, refinement_text};

const EPILOGUE: Epilogue = Epilogue {
    example: "minimize -e divbranching spec.aut | refine - system.exp && echo refined",
    asks: true,
    open: "a limit (--max-states, --max-normal-form, --max-memory, --channel-bound) was reached",
};

/// Check whether an implementation refines a specification, as CSP has it
///
/// The first line is TRUE (status 0), FALSE (status 1) or UNKNOWN (status 3). What
/// follows FALSE is a shortest run of IMPL that SPEC does not allow: a trace of
/// IMPL only, one after which IMPL refuses too much, or one after which it goes on
/// by hidden steps for ever. With --traces seq the whole is a SEQ file, whose
/// comments say what is wrong; for networks they tell what each component does.
///
/// SPEC and IMPL are LTSs, networks (.exp), systems of machines (.toml) or model
/// plugins (.so). SPEC is made deterministic, which may take 2^states nodes. The
/// states of IMPL are computed as they are needed; --max-states counts pairs of a
/// node and a state.
///
/// With --symmetry, SPEC and IMPL, a network, are checked to be symmetric; then one
/// pair, or few, is looked at for all that a symmetry maps to one another. SPEC as a
/// whole has to be symmetric, not each of its nodes.
#[derive(Parser)]
#[command(name = "refine", version, after_help = EPILOGUE.text())]
pub struct Refine {
    /// The specification; one of the two may be `-`, standard input
    #[arg(value_name = "SPEC", help_heading = "Input")]
    specification: PathBuf,

    /// The implementation
    #[arg(value_name = "IMPL", help_heading = "Input")]
    implementation: PathBuf,

    #[command(flatten)]
    refinement: RefinementOptions,
    #[command(flatten)]
    systems: ExploreSystemOptions,
    #[command(flatten)]
    plugin: PluginOptions,
    #[command(flatten)]
    read: ReadOptions,
    #[command(flatten)]
    output: TextOption,
    #[command(flatten)]
    traces: TracesOption,
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    dialect: DialectOption,
    #[command(flatten)]
    visible_i: VisibleIOption,
    #[command(flatten)]
    run: RunOptions,
}

impl Command for Refine {
    const NAME: &'static str = "refine";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let (first, second) = (&*self.specification, &*self.implementation);
        if first == Path::new("-") && second == Path::new("-") {
            return Err(Failure::error(
                "only one of SPEC and IMPL can be standard input",
            ));
        }
        self.plugin.symmetry().check_inputs(&[first, second])?;
        let destination = self.output.get()?;
        session.check_outputs(&[first, second], &[&destination])?;
        session.expect_two_inputs();
        session.add_figure("semantics", self.refinement.semantics().name());
        memory::set_last_words(b"UNKNOWN\n".to_vec());
        let answer = self.answer(session, &destination)?;
        let (status, text) = match answer {
            Ok(answer) => answer,
            Err(Open(why)) => {
                session.tell_why(why);
                (Status::NoVerdict, b"UNKNOWN\n".to_vec())
            }
        };
        let verdict = (status != Status::NoVerdict).then_some(status == Status::Holds);
        session.add_figure("verdict", verdict);
        memory::forget_last_words();
        let form = self.traces.get().name().to_ascii_lowercase();
        session.write_text(&destination, &form, &text)?;
        Ok(status)
    }
}

/// An implementation.
enum Implementation {
    /// As it is.
    Plain(AnyModel),
    /// A network, to be explored up to symmetry.
    Symmetric(Box<Network>),
}

impl Refine {
    /// The exit status and the text, or why there is none.
    fn answer(
        &self,
        session: &mut Session,
        destination: &Destination,
    ) -> Result<Result<(Status, Vec<u8>), Open>, Failure> {
        let limits = || Limits {
            max_states: self.limits.max_states,
            max_memory: memory::rest(),
        };
        let (read, dialect) = (&self.read, &self.dialect);
        let names = [&self.specification, &self.implementation];
        let names = names.map(printable_path);
        let names = Names {
            specification: &names[0],
            implementation: &names[1],
        };

        let none = PluginOptions::default();
        let specification = session.read_given(&self.specification, read, dialect, &none)?;
        let given = session.read_given(&self.implementation, read, dialect, &self.plugin)?;
        let is_system = |given: &Given| matches!(given, Given::System(..));
        for (given, name) in [
            (&specification, names.specification),
            (&given, names.implementation),
        ] {
            let computed = matches!(given, Given::Model(AnyModel::Plugin(_)));
            if computed || is_system(given) {
                let is_given = self.read.gate_rules()?.is_some();
                session.tell_no_gates(
                    is_given,
                    &format!("{name}: only on files and networks (reach --tau has it)"),
                );
            }
        }
        if !is_system(&specification) {
            self.systems.check(&given, names.implementation)?;
        }
        self.plugin.symmetry().check(&given, names.implementation)?;
        session.check_spares(destination, specification.files())?;
        session.check_spares(destination, given.files())?;
        let specification = specification.plain(&self.systems)?;
        let model = match given {
            Given::Network(network) if self.plugin.symmetry().is_of_network() => {
                Implementation::Symmetric(network)
            }
            given => Implementation::Plain(given.plain(&self.systems)?),
        };

        let lts = match session.state_space(specification, limits(), names.specification)? {
            Ok(lts) => lts,
            Err(open) => return Ok(Err(open)),
        };
        let normal = match self.refinement.normal_form(session, &lts)? {
            Ok(normal) => normal,
            Err(open) => return Ok(Err(open)),
        };
        drop(lts);
        let name = names.implementation;
        let (found, model) = match model {
            Implementation::Plain(model) => {
                let refinement = &self.refinement;
                let found = refinement.search(session, &normal, &model, limits(), name)?;
                (found, Some(model))
            }
            Implementation::Symmetric(network) => {
                let symmetry = self.plugin.symmetry();
                let refinement = symmetry.beside(session, &normal, &network, destination)?;
                let replayed = self
                    .refinement
                    .search_by(session, limits(), name, |search| refinement.refine(search))?;
                let model = replayed
                    .model
                    .map(|model| AnyModel::Network(Box::new(model)));
                (replayed.found, model)
            }
        };
        Ok(match (&found.verdict, &model) {
            (Verdict::Holds, _) => Ok((Status::Holds, b"TRUE\n".to_vec())),
            (Verdict::Fails(shown), Some(model)) => {
                let printable = destination.is_stdout();
                let text = self.tell(session, shown, &normal, &names, model, printable)?;
                Ok((Status::Fails, text))
            }
            (Verdict::Fails(_), None) => unreachable!("what fails is shown by a model"),
            (Verdict::Unknown(reason), _) => {
                if let Reason::Limit(hyades_explore::Limit::Memory) = reason {
                    memory::spend_reserve();
                }
                Err(Open(gave_up(*reason, &found)))
            }
        })
    }

    /// What there is to say of a counterexample.
    fn tell(
        &self,
        session: &mut Session,
        shown: &Counterexample,
        normal: &Specification,
        names: &Names<'_>,
        model: &impl Model,
        printable: bool,
    ) -> Result<Vec<u8>, Failure> {
        session.add_figure(
            "violation",
            match shown.violation {
                Violation::Trace => "trace",
                Violation::Refusal { .. } => "refusal",
                Violation::Divergence { .. } => "divergence",
            },
        );
        session.add_figure("steps", shown.steps.len());
        session.add_figure("events", shown.visible_trace().len());
        if !shown.is_shortest {
            session.note(match self.plugin.symmetry().is_of_network() {
                false => {
                    "a limit kept from looking for a nearer divergence: there may be a shorter \
                     counterexample"
                }
                true => {
                    "there may be a shorter counterexample: bisimilar states of components were \
                     taken for one, or a limit was reached"
                }
            });
        }
        let options = WriteOptions {
            visible_i: self.visible_i.get(),
            printable,
            ..WriteOptions::default()
        };
        let explain = |source: &[u64], label: Option<&[u8]>, target: &[u64]| {
            model.explain(source, label, target)
        };
        let form = self.traces.get();
        let (text, reason) = refinement_text(shown, normal, names, form, &options, &explain)?;
        if let Some(reason) = reason {
            session.note(format_args!(
                "no trace in the form {}: {reason}",
                form.name()
            ));
        }
        Ok([b"FALSE\n", &text[..]].concat())
    }
}
