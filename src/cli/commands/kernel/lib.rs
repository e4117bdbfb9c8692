//! `kernel`: the part of a symmetric specification that stands for all of it.

#![expect(
    missing_debug_implementations,
    reason = "options and states of commands"
)]

mod best_order;
mod check;
mod symmetries;

use clap::Parser;
use hyades_formats::Lts;
use hyades_formats::diagnostic::{counted, excerpt};
use hyades_symmetry::pattern::{Order, Pattern};
use hyades_symmetry::{Instances, KernelError, KernelNumbers};

use best_order::FindOrder;
use check::Check;
use hyades_cli_core::{
    Asks, Command, Destination, DialectOption, Epilogue, Failure, FilterOptions, InputOption,
    JsonOption, LtsOutput, PatternOptions, ReadOptions, RunOptions, Session, Status, TextOption,
    Unit, patterns, show_lts,
};
use symmetries::FindSymmetry;

const EPILOGUE: Epilogue = Epilogue {
    example: "generate train 8 | kernel --pattern train8.pattern.toml | minimize",
    asks: Asks::Verdict,
    open: Epilogue::MEMORY,
};

/// Write the kernel of a symmetric specification: a part for the whole
///
/// The pattern says what is symmetric: copies of a template, a small
/// deterministic LTS, with other values in its labels. Traces are symmetric if
/// at each step the copies take the same edges of the template, whichever copy
/// takes which. Of the labels of a state that are symmetric, the smallest by the
/// pattern's order is followed. Method: Romijn & Springintveld, Exploiting
/// Symmetry in Protocol Testing, CWI report SEN-R9918.
///
/// That each trace of the specification has a symmetric one in the kernel depends
/// on hypotheses, which are verified by `kernel check` only.
///
/// Without a mode, the kernel is written: the options below are those of `kernel derive`.
/// Each mode has options of its own, which stand behind it: `kernel check --help`. A
/// file that is named like a mode is given as ./check.
#[derive(Parser)]
#[command(
    name = "kernel",
    after_help = EPILOGUE.text(),
    subcommand_help_heading = "Modes",
    subcommand_value_name = "MODE"
)]
pub struct Kernel {
    #[command(subcommand)]
    mode: Option<Mode>,
    #[command(flatten)]
    plain: KernelOptions,
}

/// What is done with the specification.
#[derive(clap::Subcommand)]
enum Mode {
    /// Write the kernel, as without a mode
    ///
    /// What it rests on is not verified.
    #[command(after_help = DERIVE.text())]
    Derive(Box<KernelOptions>),

    /// Decide whether the kernel stands for the specification, and what that rests on
    ///
    /// One line `NAME: TRUE`, FALSE or UNKNOWN each, and after a FALSE traces that show
    /// it, as short as can be. The kernel itself is written only if -o names a file.
    #[command(after_help = CHECK.text())]
    Check(Box<Check>),

    /// Find the permutations of values under which the specification is symmetric
    ///
    /// Renamed by them it is strongly bisimilar to itself, from the initial state to it
    /// or to another. A value is a token behind the first one of a label. Status 1 if
    /// there is the identity only. One `name: value` a line: `symmetric`; `order`, how
    /// many there are; `order_fixing_initial`, how many map the initial state to itself;
    /// a `class` for values that go to each other, with how they are permuted, or a
    /// `tied_class` if others must move with them; a `generator` that maps the initial
    /// state to itself or a `moving_generator` that does not.
    #[command(after_help = FIND_SYMMETRY.text())]
    FindSymmetry(Box<FindSymmetry>),

    /// Find an order of labels that makes the kernel small
    ///
    /// It is written with one label a line, as the other modes read it from a file. Tried
    /// are orders that differ from the pattern's in the sequence of the values in the lists
    /// that [[order]] names.
    #[command(after_help = FIND_ORDER.text())]
    FindOrder(Box<FindOrder>),
}

const DERIVE: Epilogue = Epilogue {
    example: "generate train 8 | kernel derive --pattern train8.pattern.toml | minimize",
    asks: Asks::Nothing,
    open: Epilogue::MEMORY,
};

const CHECK: Epilogue = Epilogue {
    example: "generate chatbox 2 | kernel check --pattern chatbox2.pattern.toml",
    asks: Asks::Verdict,
    open: "UNKNOWN, a limit (--max-nodes, --max-pairs, --max-memory) was reached",
};

const FIND_SYMMETRY: Epilogue = Epilogue {
    example: "generate chatbox 3 | kernel find-symmetry",
    asks: Asks::Verdict,
    open: "a limit (--max-choices, --max-memory) was reached",
};

const FIND_ORDER: Epilogue = Epilogue {
    example: "generate train 5 | kernel find-order --pattern train5.pattern.toml -o best.rank",
    asks: Asks::Nothing,
    open: Epilogue::MEMORY,
};

/// `kernel derive`: of what the kernel is, and how it is written.
#[derive(clap::Args, Clone, Debug)]
pub struct KernelOptions {
    #[command(flatten)]
    pattern: PatternOptions,

    /// Number states as the specification does; the others remain, without
    /// transitions
    #[arg(long, help_heading = "Output")]
    keep_numbers: bool,

    #[command(flatten)]
    filter: FilterOptions,
}

/// What a question about one LTS has, besides what it asks.
#[derive(clap::Args, Clone, Debug)]
pub struct Question {
    #[command(flatten)]
    output: TextOption,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    input: InputOption,
    #[command(flatten)]
    read: ReadOptions,
    #[command(flatten)]
    dialect: DialectOption,
    #[command(flatten)]
    run: RunOptions,
}

impl Question {
    /// Looks at the output before the work begins.
    fn destination(&self, session: &Session) -> Result<Destination, Failure> {
        let destination = self.output.get()?;
        session.check_outputs(&[&self.input.input], &[&destination])?;
        Ok(destination)
    }

    /// Reads the input.
    fn read(&self, session: &mut Session) -> Result<Lts, Failure> {
        session.read(&self.input.input, &self.read, &self.dialect)
    }
}

impl Command for Kernel {
    const NAME: &'static str = "kernel";
    const BRIEF: &'static str = include_str!("brief.txt");
    const MODE_BRIEFS: &'static [(&'static str, &'static str)] = &[
        ("derive", include_str!("brief-derive.txt")),
        ("check", include_str!("brief-check.txt")),
        ("find-symmetry", include_str!("brief-find-symmetry.txt")),
        ("find-order", include_str!("brief-find-order.txt")),
    ];

    fn run_options(&self) -> &RunOptions {
        match &self.mode {
            None => &self.plain.filter.run,
            Some(Mode::Derive(mode)) => &mode.filter.run,
            Some(Mode::Check(mode)) => mode.run_options(),
            Some(Mode::FindSymmetry(mode)) => &mode.question.run,
            Some(Mode::FindOrder(mode)) => &mode.question.run,
        }
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        match self.mode {
            None => self.plain.run(session),
            Some(Mode::Derive(mode)) => mode.run(session),
            Some(Mode::Check(mode)) => mode.run(session),
            Some(Mode::FindSymmetry(mode)) => mode.run(session),
            Some(Mode::FindOrder(mode)) => mode.run(session),
        }
    }
}

impl KernelOptions {
    /// Writes the kernel.
    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let output = self.output(session)?;
        let pattern = self.pattern(session, &output)?;
        let lts = self.filter.read(session)?;
        let copies = Instances::new(&pattern, &lts)?;
        let kernel = self
            .kernel(session, &lts, &pattern, &copies)?
            .map_err(|error| patterns::no_kernel(&lts, error))?;
        if kernel.nondeterministic {
            session.note(
                "the specification is not deterministic, so that the kernel need not stand for it",
            );
        }
        session.note(
            "not verified: that the specification is deterministic, covered beyond the kernel, \
             and closed, and that the pattern is loop preserving and persistent; `kernel check` \
             does",
        );
        session.write(&output, &kernel.lts)?;
        Ok(Status::Holds)
    }

    /// Looks at the output before the work begins.
    fn output(&self, session: &Session) -> Result<LtsOutput, Failure> {
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
        Ok(output)
    }

    /// Reads the pattern.
    fn pattern(&self, session: &mut Session, output: &LtsOutput) -> Result<Pattern, Failure> {
        let dialect = &self.filter.dialect;
        self.pattern.get(session, dialect, &output.destination)
    }

    /// Searches for the kernel: phase `kernel`. What the order lists in vain is noted.
    fn kernel(
        &self,
        session: &mut Session,
        lts: &Lts,
        pattern: &Pattern,
        copies: &Instances,
    ) -> Result<Result<hyades_symmetry::Kernel, KernelError>, Failure> {
        let ranks = pattern.order.ranks(lts, &pattern.syntax);
        // A list that is meant for something else has nothing but idle labels.
        const SHOWN: usize = 5;
        let idle = pattern.order.idle(lts, &pattern.syntax);
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
        let numbers = match self.keep_numbers {
            true => KernelNumbers::Kept,
            false => KernelNumbers::Found,
        };
        let kernel = session.phase("kernel", |phase| {
            let bar = phase.progress("searching", Unit::States, None);
            let report = &mut bar.explored();
            let kernel = hyades_symmetry::kernel(lts, copies, &ranks, numbers, report);
            if let Ok(kernel) = &kernel {
                phase.summary(|| {
                    format!(
                        "{} {}, {}, {}",
                        copies.len(),
                        if copies.len() == 1 { "copy" } else { "copies" },
                        counted(kernel.nodes.len(), "node"),
                        show_lts(&kernel.lts)
                    )
                });
            }
            Ok(kernel)
        })?;
        session.add_figure("copies", copies.len());
        if let Ok(kernel) = &kernel {
            session.add_figure("nodes", kernel.nodes.len());
        }
        Ok(kernel)
    }
}
