//! `generate`: members of families of labelled transition systems.
//!
//! Each family is a subcommand: parameters without a default stand in their
//! order, the others are options. The table of families is in the library.

use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser};
use hyades_explore::Limits;
use hyades_formats::Format;
use hyades_generate::{Family, GenerateError, families, family};

use hyades_cli_core::{
    Asks, Command, DialectOption, Epilogue, Failure, Folder, LimitOptions, RunOptions, Session,
    Status, Unit, WriteOptions, show_lts,
};

/// Write a member of a family of labelled transition systems
///
/// For tests and benchmarks. What looks random depends on --seed only, so equal
/// arguments give equal systems on every machine. A system of machines is written in
/// TOML and a network of automata as a folder of several files, named by -o; of both
/// the state space, if the format of an LTS is named by --to or the ending of OUTPUT.
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

const EPILOGUE: Epilogue = Epilogue {
    example: "generate dining 8 | reach --deadlock --fail-on deadlock",
    asks: Asks::Nothing,
    open: Epilogue::STATES,
};

impl CommandFactory for Generate {
    fn command() -> clap::Command {
        let about = "Write a member of a family of labelled transition systems";
        let detail = "For tests and benchmarks. What looks random depends on --seed only, so \
                      equal arguments give equal systems on every machine. A system of machines \
                      is written in TOML, and a network of automata as a folder of several \
                      files, named by -o; if --to or the ending of OUTPUT names the format of an \
                      LTS, the state space of either is written instead. `generate FAMILY -h` \
                      tells its parameters and options.";
        clap::Command::new(Self::NAME)
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

/// Parameters that may be as large are bounded by what fits an LTS: the help does not tell.
const UNTOLD: u64 = 1 << 32;

/// The command line of one family.
fn subcommand(family: &'static Family) -> clap::Command {
    let parameters = family.parameters.iter().enumerate();
    let parameters = parameters.map(|(k, parameter)| {
        let number = clap::value_parser!(u64).range(parameter.least..=parameter.most);
        let (least, most) = (parameter.least, parameter.most);
        let help = match most < UNTOLD {
            true => format!("{} ({least} to {most})", parameter.help),
            false => parameter.help.to_owned(),
        };
        let argument = clap::Arg::new(parameter.name)
            .help(help)
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
    let mut detail = family.help.to_owned();
    if family.is_network() {
        detail.push_str(
            "\n\nWritten as a folder of several files, which -o names: net.exp, net.sym, \
             spec.aut if there is a specification, and the components; or as its state space, \
             if the format of an LTS is named by --to or the ending of OUTPUT.",
        );
    }
    if family.is_system() {
        detail.push_str(
            "\n\nWritten in TOML (--to toml); or as its state space, without what lies beyond \
             overfilled channels, if the format of an LTS is named by --to or the ending of \
             OUTPUT.",
        );
    }
    Options::augment_args(command)
        .about(family.help)
        .long_about(detail)
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
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.options.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let Self {
            family,
            values,
            options,
        } = self;
        session.add_figure("family", family.name);
        for (parameter, &value) in family.parameters.iter().zip(&values) {
            session.add_figure(parameter.name, value);
        }
        if !options.write.wants_lts(Format::Toml)
            && let Some(system) = family.system(&values).map_err(failure)?
        {
            options.limits.refuse("a system of machines")?;
            let destination = options.write.system()?;
            session.check_outputs(&[], &[&destination])?;
            session.write_text(&destination, "toml", system.to_text().as_bytes())?;
            return Ok(Status::Holds);
        }
        if !options.write.wants_lts(Format::Exp) && family.is_network() {
            options.limits.refuse("a network")?;
            let folder = options.write.folder()?;
            session.check_folder(&folder)?;
            return write_network(session, family, &values, &folder);
        }
        let output = options.write.get(&options.dialect)?;
        session.check_outputs(&[], &[&output.destination])?;
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
            phase.progress(format_args!("generating {}", family.name), Unit::None, None);
            let lts = family.generate(&values, limits).map_err(failure)?;
            phase.summary(|| show_lts(&lts));
            Ok(lts)
        })?;
        session.write(&output, &lts)?;
        Ok(Status::Holds)
    }
}

/// Writes the files of a network.
fn write_network(
    session: &mut Session,
    family: &Family,
    values: &[u64],
    folder: &Folder,
) -> Result<Status, Failure> {
    let network = session.phase("generate", |_| family.network(values).map_err(failure))?;
    let network = network.expect("the family is one of networks");
    if let Some(note) = &network.note {
        session.note(note);
    }
    session.write_folder(folder, "exp", &network.files)?;
    Ok(Status::Holds)
}

fn failure(error: GenerateError) -> Failure {
    match error {
        GenerateError::LimitReached(_) => Failure::Limit(format!("{error} (--max-states)")),
        GenerateError::Values(_) | GenerateError::TooLarge(_) => Failure::error(error.to_string()),
    }
}
