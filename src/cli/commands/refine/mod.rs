//! `refine`: does an implementation keep to its specification, and if not, how?
//!
//! The specification is brought into normal form as a whole; the implementation is
//! explored beside it as far as needed.

mod refinements;

use std::path::PathBuf;

use clap::Parser;
use hyades_explore::{Erased, Limits, Model};
use hyades_formats::diagnostic::printable_path;
use hyades_formats::{Lts, WriteOptions};
use hyades_network::Network;
use hyades_refinement::{Counterexample, Reason, RefinementVerdict, Specification};
use serde_json::{Value, json};

use hyades_cli_core::answer::json_text;
use hyades_cli_core::hiding::{self, Alphabet};
use hyades_cli_core::{
    AnyModel, Asks, Command, ComparisonOptions, Destination, Epilogue, ExploreSystemOptions,
    Failure, Given, LimitOptions, LtsOutput, PluginOptions, RunOptions, Session, Status, memory,
};
pub(crate) use refinements::LEFT_OUT;
use refinements::{
    Beside, Names, Open, RefinementOptions, Run, gave_up, state_space, violation_name,
};

const EPILOGUE: Epilogue = Epilogue {
    example: "minimize -e divbranching spec.aut | refine - system.exp && echo refined",
    asks: Asks::Verdict,
    open: "a limit (--max-states, --max-normal-form, --max-memory, --channel-bound) was reached",
};

/// Check whether an implementation refines a specification, as in CSP
///
/// The first line is TRUE (status 0), FALSE (status 1) or UNKNOWN (status 3). What
/// follows FALSE is a shortest run of IMPL that SPEC does not allow: a trace of
/// IMPL only, one after which IMPL refuses too much, or one after which it goes on
/// by hidden steps for ever. With --traces seq the whole is a SEQ file, whose
/// comments say what is wrong; for networks they tell what each component does.
/// OUTPUT takes this run as an LTS or a trace, by its ending.
///
/// SPEC and IMPL are LTSs, networks (.exp), systems of machines (.toml) or model
/// plugins (.so). SPEC is made deterministic, and the states of IMPL are computed as
/// they are needed; --max-states counts pairs of a node and a state. Where SPEC would
/// have many more nodes than states, antichains of sets of its states are kept
/// instead (but with --symmetry), beside all states of IMPL.
///
/// With --symmetry, SPEC and IMPL, a network, are checked to be symmetric; then one
/// pair, or few, is looked at for all that a symmetry maps to one another. SPEC as a
/// whole has to be symmetric, not each of its nodes.
#[derive(Parser)]
#[command(name = "refine", after_help = EPILOGUE.text())]
pub struct Refine {
    #[command(flatten)]
    refinement: RefinementOptions,
    #[command(flatten)]
    systems: ExploreSystemOptions,
    #[command(flatten)]
    plugin: PluginOptions,
    #[command(flatten)]
    comparison: ComparisonOptions,
    #[command(flatten)]
    limits: LimitOptions,

    /// The specification; one of the two may be `-`, standard input
    #[arg(value_name = "SPEC", help_heading = "Input", display_order = 0)]
    specification: PathBuf,

    /// The implementation
    #[arg(value_name = "IMPL", help_heading = "Input", display_order = 1)]
    implementation: PathBuf,
}

impl Command for Refine {
    const NAME: &'static str = "refine";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.comparison.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        session.limit_states(self.limits.max_states);
        let inputs = [&*self.specification, &*self.implementation];
        self.comparison.begin(session, inputs, "SPEC and IMPL")?;
        self.plugin.symmetry().check_inputs(&inputs)?;
        if self.plugin.symmetry().is_of_plugin() {
            return Err(Failure::error(
                "--symmetry model may exchange labels, which refinement compares; if it leaves \
                 all labels alone, refine with what `reach --symmetry model -o FILE` writes",
            ));
        }
        let output = self.comparison.witness(session, inputs)?;
        session.add_figure("semantics", self.refinement.semantics().name());
        memory::set_last_words(self.unknown(memory::AT_ITS_END));
        let answer = match self.answer(session, output.as_ref())? {
            Ok(answer) => answer,
            Err(Open(why)) => {
                let text = self.unknown(&why);
                session.tell_why(why);
                Answer {
                    verdict: None,
                    text,
                    witness: None,
                }
            }
        };
        session.add_figure("verdict", answer.verdict);
        self.comparison.answer.write_traces(session, &answer.text)?;
        if let Some(output) = &output {
            session.write_witness(output, answer.witness.as_ref())?;
        }
        Ok(match answer.verdict {
            Some(true) => Status::Holds,
            Some(false) => Status::Fails,
            None => Status::NoVerdict,
        })
    }
}

/// What is to be said and written.
struct Answer {
    verdict: Option<bool>,
    text: Vec<u8>,
    /// The run, if it is to be written.
    witness: Option<Lts>,
}

/// An implementation.
enum Implementation {
    /// As it is.
    Plain(AnyModel),
    /// A network, to be explored up to symmetry.
    Symmetric(Box<Network>),
}

impl Refine {
    /// The answer, or why there is none.
    fn answer(
        &self,
        session: &mut Session,
        output: Option<&LtsOutput>,
    ) -> Result<Result<Answer, Open>, Failure> {
        let limits = || Limits {
            max_states: self.limits.max_states,
            max_memory: memory::rest(),
        };
        let (read, dialect) = (&self.comparison.read, &self.comparison.dialect);
        let names = self.names();
        let names = Names {
            specification: &names[0],
            implementation: &names[1],
        };

        let none = PluginOptions::default();
        let specification = session.read_given(&self.specification, read, dialect, &none)?;
        let first_format = session.last_format();
        let given = session.read_given(&self.implementation, read, dialect, &self.plugin)?;
        let second_format = session.last_format();
        let is_system = |given: &Given| matches!(given, Given::System(..));
        for (given, name) in [
            (&specification, names.specification),
            (&given, names.implementation),
        ] {
            let computed = matches!(given, Given::Model(AnyModel::Plugin(_)));
            if computed || is_system(given) {
                let is_given = read.gate_rules()?.is_some();
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
        let stdout = Destination::stdout();
        let destination = output.map_or(&stdout, |output| &output.destination);
        session.check_spares(destination, specification.files())?;
        session.check_spares(destination, given.files())?;
        session.check_spares(destination, self.plugin.symmetry().file())?;
        let hint = Alphabet::of(&self.specification, &specification, first_format)
            .zip(Alphabet::of(&self.implementation, &given, second_format))
            .and_then(|(first, second)| hiding::hint(&first, &second));
        let specification = self.systems.model(specification)?.unreduced();
        let model = match given {
            Given::Network(network) if self.plugin.symmetry().is_of_network() => {
                Implementation::Symmetric(network)
            }
            given @ (Given::Network(_) | Given::System(..) | Given::Model(_)) => {
                Implementation::Plain(self.systems.model(given)?.unreduced())
            }
        };

        let lts = match state_space(session, specification, limits(), names.specification)? {
            Ok(lts) => lts,
            Err(open) => return Ok(Err(open)),
        };
        let name = names.implementation;
        let plain = match &model {
            Implementation::Plain(model) => Some(model),
            // The classes of pairs are those of nodes.
            Implementation::Symmetric(_) => None,
        };
        let refinement = &self.refinement;
        let normal = match refinement.beside(session, &lts, plain, limits(), name)? {
            Beside::Specification(normal) => normal,
            Beside::Holds => return Ok(Ok(self.holds())),
            Beside::Open(open) => return Ok(Err(open)),
        };
        drop(lts);
        let (found, model) = match model {
            Implementation::Plain(model) => {
                let found = refinement.search(session, &normal, &model, limits(), name)?;
                (found, Some(model))
            }
            Implementation::Symmetric(network) => {
                let symmetry = self.plugin.symmetry();
                let refinement = symmetry.beside(session, &normal, &network)?;
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
            (RefinementVerdict::Holds, _) => Ok(self.holds()),
            (RefinementVerdict::Fails(shown), Some(model)) => {
                if let Some(hint) = hint {
                    session.note(hint);
                }
                Ok(self.tell(session, shown, &normal, &names, model.erased(), output)?)
            }
            (RefinementVerdict::Fails(_), None) => unreachable!("what fails is shown by a model"),
            (RefinementVerdict::Unknown(reason), _) => {
                if let Reason::Limit(hyades_explore::Limit::Memory) = reason {
                    memory::spend_reserve();
                }
                Err(Open(gave_up(*reason, &found)))
            }
        })
    }

    /// The answer if it is a refinement.
    fn holds(&self) -> Answer {
        Answer {
            verdict: Some(true),
            text: match self.comparison.answer.is_json() {
                true => self.object(Some(true), None, Value::Null),
                false => b"TRUE\n".to_vec(),
            },
            witness: None,
        }
    }

    /// What there is to say of a counterexample.
    fn tell(
        &self,
        session: &mut Session,
        shown: &Counterexample,
        normal: &Specification,
        names: &Names<'_>,
        model: Erased<'_>,
        output: Option<&LtsOutput>,
    ) -> Result<Answer, Failure> {
        session.add_figure("violation", violation_name(shown));
        session.add_figure("steps", shown.steps.len());
        session.add_figure("events", shown.visible_trace().len());
        if !shown.is_shortest {
            session.note(match self.plugin.symmetry().is_of_network() {
                false if normal.is_part() => {
                    "the normal form of SPEC is large, and was not made: there may be a \
                     counterexample with fewer hidden steps, none with fewer visible ones"
                }
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
            visible_i: self.comparison.write.visible_i(),
            printable: true,
            ..WriteOptions::default()
        };
        let explain = |source: &[u64], label: Option<&[u8]>, target: &[u64]| {
            model.explain(source, label, target)
        };
        let run = Run::new(shown, normal)?;
        let answer = &self.comparison.answer;
        let manner = run.manner(answer.form(), &options, &explain);
        let text = if answer.is_json() {
            self.object(Some(false), None, run.json(&manner))
        } else {
            let (text, reason) = run.text(&manner, names);
            if let Some(reason) = reason {
                let form = answer.form().name();
                session.note(format_args!("no trace in the form {form}: {reason}"));
            }
            [b"FALSE\n", &text[..]].concat()
        };
        let witness = output.map(|output| run.to_lts(output.format));
        Ok(Answer {
            verdict: Some(false),
            text,
            witness: witness.transpose()?,
        })
    }

    /// What the two systems are called.
    fn names(&self) -> [String; 2] {
        [&self.specification, &self.implementation].map(printable_path)
    }

    /// The answer as JSON.
    fn object(&self, verdict: Option<bool>, reason: Option<&str>, witness: Value) -> Vec<u8> {
        let [specification, implementation] = self.names();
        let text = json_text(&json!({
            "verdict": verdict,
            "semantics": self.refinement.semantics().name(),
            "specification": specification,
            "implementation": implementation,
            "reason": reason,
            "witness": witness,
        }));
        text.into()
    }

    /// The answer if there is no verdict, and why.
    fn unknown(&self, reason: &str) -> Vec<u8> {
        match self.comparison.answer.is_json() {
            true => self.object(None, Some(reason), Value::Null),
            false => b"UNKNOWN\n".to_vec(),
        }
    }
}
