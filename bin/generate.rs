//! `generate`: members of families of labelled transition systems.
//!
//! Each family is a subcommand: parameters without a default stand in their
//! order, the others are options. The table of families is in the library.

use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser};
use hyades::cli::{
    self, Command, DialectOption, Failure, LimitOptions, RunOptions, Session, Status, WriteOptions,
};
use hyades::explore::Limits;
use hyades::generate::{Family, GenerateError, families, family};

/// Write a member of a family of labelled transition systems
///
/// For tests and benchmarks. What looks random depends on --seed only, so equal
/// arguments give equal systems on every machine.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    write: WriteOptions,
    #[command(flatten)]
    dialect: DialectOption,
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    run: RunOptions,
}

/// A family, the values of all its parameters, and options.
pub struct Generate {
    family: &'static Family,
    values: Vec<u64>,
    options: Options,
}

const EPILOGUE: cli::Epilogue = cli::Epilogue {
    example: "generate dining 8 | reach --deadlock --fail-on deadlock",
    asks: false,
    open: cli::Epilogue::STATES,
};

impl CommandFactory for Generate {
    fn command() -> clap::Command {
        let about = "Write a member of a family of labelled transition systems";
        let detail = "For tests and benchmarks. What looks random depends on --seed only, so \
                      equal arguments give equal systems on every machine. `generate help FAMILY` \
                      tells its parameters and options.";
        clap::Command::new(Self::NAME)
            .version(env!("CARGO_PKG_VERSION"))
            .about(about)
            .long_about(format!("{about}\n\n{detail}"))
            .after_help(EPILOGUE.text())
            .subcommand_required(true)
            .subcommand_value_name("FAMILY")
            .subcommand_help_heading("Families")
            .subcommands(families().iter().map(subcommand))
    }

    fn command_for_update() -> clap::Command {
        Self::command()
    }
}

/// The command line of one family.
fn subcommand(family: &'static Family) -> clap::Command {
    let parameters = family.parameters.iter().enumerate();
    let parameters = parameters.map(|(k, parameter)| {
        let number = clap::value_parser!(u64).range(parameter.least..=parameter.most);
        let argument = clap::Arg::new(parameter.name)
            .help(parameter.help)
            .value_parser(number)
            .help_heading("Parameters")
            // Otherwise they would be sorted by name.
            .display_order(k);
        match parameter.default {
            None => argument
                .required(true)
                .value_name(parameter.name.to_uppercase()),
            Some(default) => argument
                .long(parameter.name)
                .value_name("N")
                .default_value(default.to_string()),
        }
    });
    let command = clap::Command::new(family.name)
        .about(family.help)
        .args(parameters)
        .after_help(EPILOGUE.text());
    Options::augment_args(command)
        .about(family.help)
        .long_about(family.help)
}

impl FromArgMatches for Generate {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let (name, matches) = matches.subcommand().expect("a subcommand is required");
        let family = family(name).expect("the subcommands are the families");
        Ok(Self {
            family,
            values: family
                .parameters
                .iter()
                .map(|parameter| matches.get_one(parameter.name).copied())
                .collect::<Option<_>>()
                .expect("every parameter is required or has a default"),
            options: Options::from_arg_matches(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Parser for Generate {}

impl Command for Generate {
    const NAME: &'static str = "generate";

    fn run_options(&self) -> &RunOptions {
        &self.options.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let Self {
            family,
            values,
            options,
        } = self;
        let system = family.system(&values).map_err(failure)?;
        if let Some(system) = system {
            let destination = options.write.text()?;
            session.add_figure("family", family.name);
            session.write_text(&destination, "toml", system.to_text().as_bytes())?;
            return Ok(Status::Holds);
        }
        let output = options.write.get(&options.dialect)?;
        session.check_outputs(&[], &[&output.destination])?;
        session.add_figure("family", family.name);
        for (parameter, &value) in family.parameters.iter().zip(&values) {
            session.add_figure(parameter.name, value);
        }
        let max_states = options.limits.max_states;
        if output.is_sequential()
            && let Some(member) = family.stream(&values, max_states).map_err(failure)?
        {
            session.write_member(&output, &member)?;
            return Ok(Status::Holds);
        }
        let limits = Limits {
            max_states,
            ..Limits::default()
        };
        let lts = session.phase("generate", |phase| {
            phase.progress(
                format_args!("generating {}", family.name),
                cli::Unit::None,
                None,
            );
            let lts = family.generate(&values, limits).map_err(failure)?;
            phase.summary(|| cli::show_lts(&lts));
            Ok(lts)
        })?;
        session.write(&output, &lts)?;
        Ok(Status::Holds)
    }
}

fn failure(error: GenerateError) -> Failure {
    match error {
        GenerateError::LimitReached(_) => Failure::Limit(format!("{error} (--max-states)")),
        GenerateError::Values(_) | GenerateError::TooLarge(_) => Failure::error(error.to_string()),
    }
}

/// The command under its own name; `hyades generate` does not need it.
#[allow(dead_code)]
fn main() {
    cli::main::<Generate>()
}
