//! `kernel`: the part of a symmetric specification that stands for all of it.

mod best_order;
mod symmetries;

use std::path::Path;

use clap::Parser;
use hyades_formats::diagnostic::{counted, excerpt};
use hyades_formats::{Lts, WriteOptions};
use hyades_symmetry::check::{Report, Subject, check};
use hyades_symmetry::pattern::{Order, Pattern};
use hyades_symmetry::{Copies, KernelError, KernelNumbers};

use crate::core::{
    CheckOptions, Command, Destination, Epilogue, Failure, FilterOptions, LtsOutput,
    PatternOptions, RunOptions, Session, Status, TracesOption, Unit, checks, patterns, show_lts,
};
use best_order::BestOrderOptions;
use symmetries::SymmetryOptions;

const EPILOGUE: Epilogue = Epilogue {
    example: "generate train 8 | kernel --pattern train8.pattern.toml | minimize",
    asks: true,
    open: Epilogue::MEMORY,
};

/// Write the kernel of a symmetric specification: a part of it that stands for
/// all of it
///
/// The pattern says what is symmetric: copies of a template, a small
/// deterministic LTS, with other values in its labels. Traces are symmetric if
/// at each step the copies take the same edges of the template, whichever copy
/// takes which. Of the labels of a state that are symmetric, the smallest by the
/// pattern's order is followed. Method: Romijn & Springintveld, Exploiting
/// Symmetry in Protocol Testing, CWI report SEN-R9918.
///
/// That each trace of the specification has a symmetric one in the kernel depends
/// on hypotheses, which are verified with --check only.
#[derive(Parser)]
#[command(name = "kernel", version, after_help = EPILOGUE.text())]
pub struct Kernel {
    #[command(flatten)]
    check: CheckOptions,
    #[command(flatten)]
    pattern: PatternOptions,
    #[command(flatten)]
    best_order: BestOrderOptions,
    #[command(flatten)]
    symmetry: SymmetryOptions,

    /// Number states as the specification does; the others remain, without
    /// transitions
    #[arg(long, help_heading = "Output")]
    keep_numbers: bool,

    /// Answer with one JSON object, where bytes of labels that are no UTF-8 show as U+FFFD
    #[arg(long, help_heading = "Output", requires = "question")]
    json: bool,

    #[command(flatten)]
    filter: FilterOptions,
    #[command(flatten)]
    traces: TracesOption,
}

impl Command for Kernel {
    const NAME: &'static str = "kernel";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.filter.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        if self.symmetry.is_wanted() {
            return self.symmetry.run(session, &self.filter, self.json);
        }
        if self.best_order.is_wanted() {
            return self.find_order(session);
        }
        let mut output = self.filter.output(session, &[])?;
        if self.keep_numbers {
            if output.options.canonical {
                return Err(Failure::error(
                    "--canonical gives the initial state the number 0: it does not go with \
                     --keep-numbers",
                ));
            }
            output.options.bcg.keep_order = true;
        }
        let checked = self.check.is_asked();
        let wanted = !checked || self.filter.write.is_named();
        if checked && wanted && output.destination.is_stdout() {
            return Err(Failure::error(
                "standard output carries the answers: the kernel needs another OUTPUT",
            ));
        }
        let pattern = self
            .pattern
            .get(session, &self.filter.dialect, &output.destination)?;
        let stdin = Path::new("-");
        if self.check.part() == Some(stdin) && self.filter.input.input == stdin {
            return Err(Failure::error(
                "only one of INPUT and --part can be standard input",
            ));
        }
        if self.check.part().is_some() {
            session.expect_two_inputs();
        }
        let part = match self.check.part() {
            Some(path) => Some(session.read(path, &self.filter.read, &self.filter.dialect)?),
            None => None,
        };
        let lts = self.filter.read(session)?;
        let copies = Copies::new(&pattern, &lts)?;
        let ranks = pattern.order.ranks(&lts, &pattern.syntax);
        // A list that is meant for something else has nothing but idle labels.
        const SHOWN: usize = 5;
        let idle = pattern.order.idle(&lts, &pattern.syntax);
        // Nothing is quoted of a file that another one names.
        let is_foreign = matches!(pattern.order, Order::Listed(_)) && self.pattern.names_order();
        let shown = if is_foreign { 0 } else { SHOWN.min(idle.len()) };
        for label in &idle[..shown] {
            let label = excerpt(label.as_bytes());
            session.note(format!("order: no label of the specification fits {label}"));
        }
        match idle.len() - shown {
            0 => {}
            all if shown == 0 => session.note(format!(
                "order: no label of the specification fits {} that the file lists",
                counted(all as u64, "line")
            )),
            more => session.note(format!("order: nor does one fit {more} more that it lists")),
        }
        let numbers = if self.keep_numbers {
            KernelNumbers::Kept
        } else {
            KernelNumbers::Found
        };
        let kernel = session.phase("kernel", |phase| {
            let bar = phase.progress("searching", Unit::States, None);
            let report = &mut bar.explored();
            let kernel = match hyades_symmetry::kernel(&lts, &copies, &ranks, numbers, report) {
                Ok(kernel) => kernel,
                // That is among the answers.
                Err(KernelError::Uncovered { .. }) if checked => return Ok(None),
                Err(error) => return Err(patterns::no_kernel(&lts, error)),
            };
            phase.summary(|| {
                let (nodes, kernel) = (kernel.nodes.len(), &kernel.lts);
                format!(
                    "{} {}, {}, {}",
                    copies.len(),
                    if copies.len() == 1 { "copy" } else { "copies" },
                    counted(nodes, "node"),
                    show_lts(kernel)
                )
            });
            Ok(Some(kernel))
        })?;
        session.add_figure("copies", copies.len());
        let mut status = Status::Holds;
        if checked {
            let subject = Subject {
                specification: &lts,
                copies: &copies,
                kernel: kernel.as_ref(),
                other: part.as_ref(),
            };
            let report = self.checked(session, &subject)?;
            status = checks::status(&report);
            self.answer(session, &report, &lts, &pattern, &output)?;
        }
        let Some(kernel) = kernel else {
            if wanted {
                session.note("no kernel is written, since the specification is not covered");
            }
            return Ok(status);
        };
        session.add_figure("nodes", kernel.nodes.len());
        if !checked {
            if kernel.nondeterministic {
                session.note(
                    "the specification is not deterministic, so that the kernel need not stand \
                     for it",
                );
            }
            session.note(
                "not verified: that the specification is deterministic, covered beyond the \
                 kernel, and closed, and that the pattern is loop preserving and persistent; \
                 --check does",
            );
        }
        if wanted {
            session.write(&output, &kernel.lts)?;
        }
        Ok(status)
    }
}

impl Kernel {
    /// Searches for an order instead of writing a kernel.
    fn find_order(&self, session: &mut Session) -> Result<Status, Failure> {
        let destination = self.filter.write.text()?;
        session.check_outputs(&[&self.filter.input.input], &[&destination])?;
        let pattern = self
            .pattern
            .get(session, &self.filter.dialect, &destination)?;
        let lts = self.filter.read(session)?;
        self.best_order
            .run(session, &lts, &pattern, &destination, |error| {
                patterns::no_kernel(&lts, error)
            })?;
        Ok(Status::Holds)
    }

    /// Decides all conditions: phase `check`.
    fn checked(&self, session: &mut Session, subject: &Subject<'_>) -> Result<Report, Failure> {
        let report = session.phase("check", |phase| {
            let bar = phase.progress("checking", Unit::States, None);
            let report = check(subject, &self.check.limits(), &mut bar.explored())
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

    /// Writes the verdicts to standard output.
    fn answer(
        &self,
        session: &mut Session,
        report: &Report,
        lts: &Lts,
        pattern: &Pattern,
        output: &LtsOutput,
    ) -> Result<(), Failure> {
        let labels = lts.table();
        let (format, text) = if self.json {
            ("json".into(), checks::json_text(report, pattern, labels))
        } else {
            let form = self.traces.get();
            let told = WriteOptions {
                printable: true,
                ..output.options.clone()
            };
            let (text, notes) = checks::lines(report, pattern, labels, form, &told);
            notes.iter().for_each(|note| session.note(note));
            (form.name().to_ascii_lowercase(), text)
        };
        for reason in checks::reasons(report) {
            match checks::status(report) {
                Status::NoVerdict => session.tell_why(reason),
                _ => session.note(reason),
            }
        }
        session.write_text(&Destination::stdout(), &format, &text)
    }
}
