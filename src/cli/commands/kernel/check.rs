//! `kernel check`: whether a kernel stands for its specification.

use std::path::{Path, PathBuf};

use hyades_explore::Limits;
use hyades_formats::diagnostic::counted;
use hyades_formats::{LabelTable, TraceForm, WriteOptions};
use hyades_symmetry::check::{CheckLimits, Report, Subject, check};
use hyades_symmetry::pattern::Pattern;
use hyades_symmetry::{Instances, KernelError};

use crate::KernelOptions;
use hyades_cli_core::{
    Destination, Failure, JsonOption, LtsOutput, RunOptions, Session, Status, TracesOption, Unit,
    checks, memory, patterns,
};

/// `kernel check`: what to check, how far to go, and how to answer.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Questions")]
pub struct Check {
    /// Ask whether this part of the specification stands for it, not the kernel
    #[arg(long, value_name = "FILE")]
    part: Option<PathBuf>,

    /// Leave open what takes more than N nodes: states of the specification,
    /// each with the states of all copies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_nodes: Option<u64>,

    /// Leave open what takes more than N pairs of nodes, at about 20 bytes each
    #[arg(
        long,
        value_name = "N",
        default_value_t = CheckLimits::default().pairs,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    max_pairs: u64,

    #[command(flatten)]
    kernel: KernelOptions,
    #[command(flatten)]
    traces: TracesOption,
    #[command(flatten)]
    json: JsonOption,
}

impl Check {
    /// The options about running.
    pub fn run_options(&self) -> &RunOptions {
        &self.kernel.filter.run
    }

    /// Decides all conditions and answers; writes the kernel if a file is named for it.
    ///
    /// # Errors
    /// If an input cannot be read or an output not be written, or there is no kernel.
    pub fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let filter = &self.kernel.filter;
        let output = self.kernel.output(session)?;
        let is_written = filter.write.is_named();
        if is_written && output.destination.is_stdout() {
            return Err(Failure::error(
                "standard output carries the answers: the kernel needs another OUTPUT",
            ));
        }
        let pattern = self.kernel.pattern(session, &output)?;
        let form = self.form(&output);
        let nothing = form.answers(&Report::unfinished(), &LabelTable::new(), &pattern);
        memory::set_last_words(nothing.0);
        let stdin = Path::new("-");
        if self.part.as_deref() == Some(stdin) && filter.input.input == stdin {
            return Err(Failure::error(
                "only one of INPUT and --part can be standard input",
            ));
        }
        let part = match &self.part {
            Some(path) => {
                session.expect_two_inputs();
                Some(session.read(path, &filter.read, &filter.dialect)?)
            }
            None => None,
        };
        let lts = filter.read(session)?;
        let copies = Instances::new(&pattern, &lts)?;
        let kernel = match self.kernel.kernel(session, &lts, &pattern, &copies)? {
            Ok(kernel) => Some(kernel),
            // That is among the answers.
            Err(KernelError::Uncovered { .. }) => None,
            Err(error) => return Err(patterns::no_kernel(&lts, error)),
        };
        let subject = Subject {
            specification: &lts,
            copies: &copies,
            kernel: kernel.as_ref(),
            other: part.as_ref(),
        };
        let words = |report: &Report| form.answers(report, lts.table(), &pattern);
        let mut decided = |report: &Report| memory::set_last_words(words(report).0);
        let report = self.checked(session, &subject, &mut decided)?;
        memory::forget_last_words();
        let (text, notes) = words(&report);
        notes.iter().for_each(|note| session.note(note));
        for reason in checks::reasons(&report) {
            match checks::status(&report) {
                Status::NoVerdict => session.tell_why(reason),
                Status::Holds | Status::Fails | Status::Trouble => session.note(reason),
            }
        }
        session.write_text(&Destination::stdout(), &form.name(), &text)?;
        match kernel {
            Some(kernel) if is_written => session.write(&output, &kernel.lts)?,
            None if is_written => {
                session.note("no kernel is written, since the specification is not covered");
            }
            _ => {}
        }
        Ok(checks::status(&report))
    }

    /// Decides all conditions: phase `check`. `decided` is told what is known meanwhile.
    fn checked(
        &self,
        session: &mut Session,
        subject: &Subject<'_>,
        decided: &mut dyn FnMut(&Report),
    ) -> Result<Report, Failure> {
        let limits = CheckLimits {
            nodes: Limits {
                max_states: self.max_nodes,
                max_memory: memory::rest(),
            },
            pairs: self.max_pairs,
        };
        let report = session.phase("check", |phase| {
            let bar = phase.progress("checking", Unit::States, None);
            let report = check(subject, &limits, &mut bar.explored(), decided)
                .map_err(|error| Failure::error(error.to_string()))?;
            phase.summary(|| {
                let figures = &report.figures;
                format!(
                    "{}, {} of {}, {} and {}",
                    counted(figures.nodes, "node"),
                    counted(figures.transitions, "transition"),
                    counted(figures.colours, "colour"),
                    figures.variant_pairs,
                    counted(figures.adequacy_pairs, "pair")
                )
            });
            Ok(report)
        })?;
        session.add_figure("product_nodes", report.figures.nodes);
        session.add_figure("product_transitions", report.figures.transitions);
        session.add_figure("variant_pairs", report.figures.variant_pairs);
        session.add_figure("adequacy_pairs", report.figures.adequacy_pairs);
        Ok(report)
    }

    /// How the answers are given.
    fn form(&self, output: &LtsOutput) -> Form {
        match self.json.is_wanted() {
            true => Form::Json,
            false => {
                let told = WriteOptions {
                    printable: true,
                    ..output.options.clone()
                };
                Form::Lines(self.traces.get(), Box::new(told))
            }
        }
    }
}

/// How verdicts are written.
enum Form {
    Json,
    /// With traces of this form.
    Lines(TraceForm, Box<WriteOptions>),
}

impl Form {
    /// Its name.
    fn name(&self) -> String {
        match self {
            Form::Json => "json".into(),
            Form::Lines(form, _) => form.name().to_ascii_lowercase(),
        }
    }

    /// The verdicts, and what else there is to say.
    fn answers(
        &self,
        report: &Report,
        labels: &LabelTable,
        pattern: &Pattern,
    ) -> (Vec<u8>, Vec<String>) {
        match self {
            Form::Json => (checks::json_text(report, pattern, labels), Vec::new()),
            Form::Lines(form, told) => checks::lines(report, pattern, labels, *form, told),
        }
    }
}
