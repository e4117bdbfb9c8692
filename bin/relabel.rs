//! `relabel`: hides, renames and cuts labels.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{ArgAction, ArgMatches, Args, FromArgMatches, Parser, ValueEnum};
use hyades::cli::{self, Command, Failure, FilterOptions, RunOptions, Session, Status, Unit};
use hyades::lts::relabel::{Action, Matching, Rules, Scramble, Step, relabel};

const EPILOGUE: cli::Epilogue = cli::Epilogue {
    example: "relabel --match gate --hide-label SEND --hide-label ACK big.aut.gz | minimize -e branching",
    asks: false,
    max_states: false,
};

/// Hide, rename or cut labels
///
/// What is asked for is done from left to right, in the order of the options.
/// Labels are described by POSIX basic regular expressions, in rule files of
/// CADP or on the command line. The hidden action is no label: it stays hidden
/// and is never cut. A label that is renamed to what reads like the hidden
/// action becomes hidden. States stay, also those that cannot be reached any
/// more (see reach), and so do transitions that become equal (see --canonical).
#[derive(Parser)]
#[command(name = "relabel", version, after_help = EPILOGUE.text())]
pub struct Relabel {
    #[command(flatten)]
    steps: Steps,
    #[command(flatten)]
    filter: FilterOptions,
}

/// The options as clap sees them: without the order among different ones.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Labels")]
struct StepOptions {
    /// Hide the labels that the rules in FILE match: a first line `hide` or
    /// `hide all but`, then a pattern a line
    #[arg(long, value_name = "FILE")]
    hide: Vec<PathBuf>,

    /// Rename labels by the rules in FILE: a first line `rename`, then a line
    /// `PATTERN -> TEXT` for each; `\1` to `\9` in TEXT are what the groups
    /// `\(…\)` of PATTERN hold; only the first rule that matches counts
    #[arg(long, value_name = "FILE")]
    rename: Vec<PathBuf>,

    /// Remove the transitions whose labels the rules in FILE match: a first
    /// line `cut` or `cut all but`, then a pattern a line
    #[arg(long, value_name = "FILE")]
    cut: Vec<PathBuf>,

    /// Hide the labels that PATTERN matches; several in a row are one list, as
    /// in a file
    #[arg(long, value_name = "PATTERN")]
    hide_label: Vec<OsString>,

    /// Rename the labels that PATTERN matches; several in a row are one list,
    /// as in a file, so that two labels can be exchanged
    #[arg(long, value_name = "PATTERN -> TEXT")]
    rename_label: Vec<OsString>,

    /// Remove the transitions with labels that PATTERN matches; several in a
    /// row are one list, as in a file
    #[arg(long, value_name = "PATTERN")]
    cut_label: Vec<OsString>,

    /// In the list that begins next, name what is not to be hidden or cut
    #[arg(long, num_args = 0, default_missing_value = "true", action = ArgAction::Append)]
    all_but: Vec<bool>,

    /// What patterns match from here on: all of a label (total, the default),
    /// all of its gate (gate), or any part (partial, to hide and cut); what
    /// renaming replaces then: the label, the gate, or the first part that
    /// matches (single), or all such parts (multiple)
    #[arg(long = "match", value_name = "MODE")]
    matching: Vec<Mode>,

    /// Give all visible labels new texts: TEXT with a number for `%d`, from 0 on
    /// in the order of their first use; `%%` is a `%`
    #[arg(long, value_name = "TEXT")]
    scramble: Vec<OsString>,
}

/// Values of `--match`.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Mode {
    Total,
    Gate,
    Partial,
    Single,
    Multiple,
}

impl From<Mode> for Matching {
    fn from(mode: Mode) -> Matching {
        match mode {
            Mode::Total => Matching::Total,
            Mode::Gate => Matching::Gate,
            Mode::Partial => Matching::Partial,
            Mode::Single => Matching::Single,
            Mode::Multiple => Matching::Multiple,
        }
    }
}

/// The options in their order.
#[derive(Clone, Debug)]
struct Steps(Vec<Told>);

/// One option.
#[derive(Clone, Debug)]
enum Told {
    File(Action, PathBuf),
    Line(Action, OsString),
    AllBut,
    Match(Matching),
    Scramble(OsString),
}

impl Args for Steps {
    fn augment_args(command: clap::Command) -> clap::Command {
        StepOptions::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        StepOptions::augment_args_for_update(command)
    }
}

impl FromArgMatches for Steps {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Self::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, clap::Error> {
        // Where on the command line the values of an option stand.
        let places = |id: &str| -> Vec<usize> {
            let indices = matches.indices_of(id);
            indices.map(Iterator::collect).unwrap_or_default()
        };
        let hide = places("hide");
        let rename = places("rename");
        let cut = places("cut");
        let hide_label = places("hide_label");
        let rename_label = places("rename_label");
        let cut_label = places("cut_label");
        let all_but = places("all_but");
        let matching = places("matching");
        let scramble = places("scramble");
        let options = StepOptions::from_arg_matches_mut(matches)?;
        let mut told: Vec<(usize, Told)> = Vec::new();
        let file = |action| move |path| Told::File(action, path);
        let line = |action| move |text| Told::Line(action, text);
        put(&mut told, hide, options.hide, file(Action::Hide));
        put(&mut told, rename, options.rename, file(Action::Rename));
        put(&mut told, cut, options.cut, file(Action::Cut));
        put(
            &mut told,
            hide_label,
            options.hide_label,
            line(Action::Hide),
        );
        put(
            &mut told,
            rename_label,
            options.rename_label,
            line(Action::Rename),
        );
        put(&mut told, cut_label, options.cut_label, line(Action::Cut));
        put(&mut told, all_but, options.all_but, |_| Told::AllBut);
        let mode = |mode: Mode| Told::Match(mode.into());
        put(&mut told, matching, options.matching, mode);
        put(&mut told, scramble, options.scramble, Told::Scramble);
        told.sort_by_key(|(place, _)| *place);
        Ok(Self(told.into_iter().map(|(_, told)| told).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Adds the values of an option with their places.
fn put<T>(
    told: &mut Vec<(usize, Told)>,
    places: Vec<usize>,
    values: Vec<T>,
    option: impl Fn(T) -> Told,
) {
    told.extend(places.into_iter().zip(values.into_iter().map(option)));
}

impl Steps {
    /// The files that rules are read from.
    fn files(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().filter_map(|told| match told {
            Told::File(_, path) => Some(path.as_path()),
            _ => None,
        })
    }

    /// Reads all rules.
    fn get(&self, session: &Session) -> Result<Vec<Step>, Failure> {
        let mut steps = Vec::new();
        let mut matching = Matching::Total;
        let mut all_but = false;
        let mut told = self.0.iter().peekable();
        while let Some(next) = told.next() {
            match next {
                Told::Match(mode) => {
                    matching = *mode;
                    continue;
                }
                Told::AllBut => match told.peek() {
                    Some(Told::Line(Action::Hide | Action::Cut, _)) => {
                        all_but = true;
                        continue;
                    }
                    _ => {
                        return Err(Failure::error(
                            "--all-but needs a --hide-label or --cut-label right behind it",
                        ));
                    }
                },
                Told::File(action, path) => {
                    check_mode(*action, matching)?;
                    steps.push(rules_of_file(session, path, *action, matching)?);
                }
                Told::Line(action, first) => {
                    check_mode(*action, matching)?;
                    let mut lines = vec![first.as_bytes()];
                    while let Some(Told::Line(same, line)) = told.peek()
                        && same == action
                    {
                        lines.push(line.as_bytes());
                        told.next();
                    }
                    let mut sink = |d| session.report(&d);
                    let rules = Rules::from_lines(*action, matching, all_but, lines, &mut sink);
                    let rules = rules.map_err(|_| Failure::Reported)?;
                    steps.push(Step::Rules(rules, None));
                }
                Told::Scramble(text) => {
                    let scramble = Scramble::new(text.as_bytes()).map_err(|why| {
                        Failure::error(format!("--scramble '{}': {why}", text.display()))
                    })?;
                    steps.push(Step::Scramble(scramble));
                }
            }
            all_but = false;
        }
        Ok(steps)
    }
}

fn check_mode(action: Action, matching: Matching) -> Result<(), Failure> {
    let modes = action.modes();
    if modes.contains(&matching) {
        return Ok(());
    }
    let names: Vec<_> = modes.iter().map(|mode| mode.name()).collect();
    Err(Failure::error(format!(
        "--{action} cannot match by --match {matching}, only by {}",
        names.join(", ")
    )))
}

/// The rules in a file.
fn rules_of_file(
    session: &Session,
    path: &Path,
    action: Action,
    matching: Matching,
) -> Result<Step, Failure> {
    let name: Arc<str> = path.display().to_string().into();
    let text = fs::read(path).map_err(|e| Failure::reading(&name, &e))?;
    let mut sink = |d| session.report(&d);
    let rules = Rules::read(&name, &text, action, matching, &mut sink);
    let rules = rules.map_err(|_| Failure::Reported)?;
    Ok(Step::Rules(rules, Some(name)))
}

impl Command for Relabel {
    const NAME: &'static str = "relabel";

    fn run_options(&self) -> &RunOptions {
        &self.filter.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let output = self.filter.output(session, &[])?;
        if let Some(file) = self.steps.files().find(|f| output.destination.replaces(f)) {
            return Err(Failure::error(format!(
                "{} would replace the rules in {}",
                output.destination.name(),
                file.display()
            )));
        }
        let steps = self.steps.get(session)?;
        let filter = &self.filter;
        let (lts, format) = session.read_as(
            &filter.input.input,
            filter.read.from(),
            &filter.read.get(&filter.dialect),
        )?;
        let is_hidden = |text: &[u8]| filter.read.is_hidden(&filter.dialect, format, text);
        let mut warnings = Vec::new();
        let relabelled = session.phase("relabel", |phase| {
            phase.progress("relabelling", Unit::None, None);
            let mut sink = |warning| warnings.push(warning);
            let relabelled = relabel(lts, &steps, &is_hidden, true, &mut sink)?;
            phase.summary(|| cli::show_lts(&relabelled.lts));
            Ok(relabelled)
        })?;
        warnings.iter().for_each(|warning| session.report(warning));
        session.add_figure("transitions_hidden", relabelled.hidden);
        session.add_figure("transitions_cut", relabelled.cut);
        session.write(&output, &relabelled.lts)?;
        Ok(Status::Holds)
    }
}

/// The command under its own name; `hyades relabel` does not need it.
#[allow(dead_code)]
fn main() {
    cli::main::<Relabel>()
}
