//! `kernel`: the part of a symmetric specification that stands for all of it.

use std::ops::ControlFlow;

use clap::Parser;
use hyades::cli::{
    self, Command, Failure, FilterOptions, PatternOptions, RunOptions, Session, Status,
    SymmetryOptions, Unit,
};
use hyades::explore;
use hyades::formats::Lts;
use hyades::symmetry::{self, Copies, KernelError, KernelNumbers};

const EPILOGUE: cli::Epilogue = cli::Epilogue {
    example: "generate train 8 | kernel --pattern train8.pattern.toml | minimize",
    asks: false,
    max_states: false,
};

/// Write the kernel of a symmetric specification: a part of it in which each
/// trace of the specification has a symmetric one
///
/// The pattern says what is symmetric: copies of a template, a small
/// deterministic LTS, with other values in its labels. Traces are symmetric if
/// at each step the copies take the same edges of the template, whichever copy
/// takes which. Of the labels of a state that are symmetric, the smallest by the
/// pattern's order is followed. Method: Romijn & Springintveld, Exploiting
/// Symmetry in Protocol Testing, CWI report SEN-R9918.
///
/// That the kernel stands for the specification depends on hypotheses, which
/// are not verified here.
#[derive(Parser)]
#[command(name = "kernel", version, after_help = EPILOGUE.text())]
pub struct Kernel {
    /// Number states as the specification does; the others remain, without
    /// transitions
    #[arg(long, help_heading = "Output")]
    keep_numbers: bool,

    #[command(flatten)]
    pattern: PatternOptions,
    #[command(flatten)]
    symmetry: SymmetryOptions,
    #[command(flatten)]
    filter: FilterOptions,
}

impl Command for Kernel {
    const NAME: &'static str = "kernel";

    fn run_options(&self) -> &RunOptions {
        &self.filter.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        if self.symmetry.is_wanted() {
            return self.symmetry.run(session, &self.filter);
        }
        let output = self.filter.output(session, &[])?;
        if let Some(file) = self
            .pattern
            .files()
            .find(|f| output.destination.replaces(f))
        {
            return Err(Failure::error(format!(
                "{} would replace {}",
                output.destination.name(),
                file.display()
            )));
        }
        let pattern = self.pattern.get(session)?;
        let lts = self.filter.read(session)?;
        let copies = Copies::new(&pattern, &lts)
            .map_err(|error| Failure::error(format!("the pattern: {error}")))?;
        let ranks = pattern.order.ranks(&lts, &pattern.syntax);
        let numbers = if self.keep_numbers {
            KernelNumbers::Kept
        } else {
            KernelNumbers::Found
        };
        let kernel = session.phase("kernel", |phase| {
            let bar = phase.progress("searching", Unit::States, None);
            let mut report = |now: &explore::Progress| {
                bar.set(now.explored);
                ControlFlow::Continue(())
            };
            let kernel = symmetry::kernel(&lts, &copies, &ranks, numbers, &mut report)
                .map_err(|error| failure(&lts, error))?;
            phase.summary(|| {
                let (nodes, kernel) = (kernel.nodes.len(), &kernel.lts);
                format!(
                    "{} copies, {nodes} nodes, {}",
                    copies.len(),
                    cli::show_lts(kernel)
                )
            });
            Ok(kernel)
        })?;
        session.add_figure("copies", copies.len());
        session.add_figure("nodes", kernel.nodes.len());
        session.note(if kernel.nondeterministic {
            "the specification is not deterministic, so that the kernel need not stand for it"
        } else {
            "not verified: that the specification is deterministic and closed, and the pattern \
             loop preserving and persistent"
        });
        session.write(&output, &kernel.lts)?;
        Ok(Status::Holds)
    }
}

/// What is to be said where there is no kernel.
fn failure(lts: &Lts, error: KernelError) -> Failure {
    match error {
        KernelError::Uncovered { state, trace } => {
            let texts = cli::trace_in_comments(&trace, lts.table());
            Failure::error(format!(
                "no copy of the template takes the last label of this trace, which leaves state \
                 {state}; expected a pattern that covers the specification:\n{}",
                String::from_utf8_lossy(&texts).trim_end()
            ))
        }
        KernelError::TooLarge(error) => error.into(),
        KernelError::Stopped => unreachable!("nothing stops it"),
    }
}

/// The command under its own name; `hyades kernel` does not need it.
#[allow(dead_code)]
fn main() {
    cli::main::<Kernel>()
}
