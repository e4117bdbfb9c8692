//! Options without effect, above all those that only some formats have: a
//! warning. That is no error, so that one command line of a script may serve
//! several formats.

use clap::ArgMatches;
use clap::parser::ValueSource;
use hyades_formats::{Diagnostic, Format, Severity};

/// An option, by the name of its field, and the formats that have it.
type Special = (&'static str, &'static [Format]);

/// Those about reading.
const READING: [Special; 18] = [
    (
        "strict",
        &[
            Format::Aut,
            Format::Fsm,
            Format::Kiss2,
            Format::Seq,
            Format::Trc,
            Format::Tsv,
            Format::Jsonl,
        ],
    ),
    ("seqno", &[Format::Seq]),
    ("init", &[Format::Dot]),
    ("automaton", &[Format::Dot]),
    ("multi_init", &[Format::Dot]),
    ("entities", &[Format::Dot]),
    ("stochastic", &[Format::Dot]),
    ("ignore_outputs", &[Format::Dot]),
    ("label_columns", &[Format::Fsm]),
    ("escapes", &[Format::Aut]),
    (
        "grow",
        &[
            Format::Aut,
            Format::Tsv,
            Format::Jsonl,
            Format::Parquet,
            Format::Arrow,
        ],
    ),
    ("language", &[Format::Exp]),
    ("termination", &[Format::Exp]),
    ("coaction", &[Format::Exp]),
    ("case", &[Format::Exp]),
    ("nocheck", &[Format::Exp]),
    ("base_dir", &[Format::Exp]),
    ("include", &[Format::Exp]),
];

/// Those about writing.
const WRITING: [Special; 12] = [
    ("keep_order", &[Format::Bcg]),
    ("parse_labels", &[Format::Bcg]),
    ("comment", &[Format::Bcg]),
    ("seq_states", &[Format::Seq]),
    ("initial_section", &[Format::Fsm]),
    ("moore_form", &[Format::Dot]),
    ("codec", &[Format::Parquet, Format::Arrow, Format::Plts]),
    ("parts", &[Format::Plts]),
    ("arrow_form", &[Format::Arrow]),
    ("quote", &[Format::Aut]),
    ("ascii", &[Format::Aut]),
    ("lossy", &[Format::Aut]),
];

/// Which options of these a user gave.
#[derive(Clone, Debug, Default)]
pub struct GivenOptions {
    reading: Vec<Special>,
    pub(super) writing: Vec<Special>,
    /// How many inputs there are besides the first.
    more_inputs: usize,
    /// The formats of the inputs that came.
    inputs: Vec<Format>,
    /// How many inputs came that are model plugins.
    models: usize,
}

impl GivenOptions {
    /// Those on a command line, subcommands included.
    pub fn of(matches: &ArgMatches) -> Self {
        let mut given = Self::default();
        let mut matches = Some(matches);
        while let Some(level) = matches {
            for id in level.ids().map(|id| id.as_str()) {
                if level.value_source(id) == Some(ValueSource::CommandLine) {
                    let named = |(name, _): &&Special| *name == id;
                    given.reading.extend(READING.iter().find(named));
                    given.writing.extend(WRITING.iter().find(named));
                }
            }
            matches = level.subcommand().map(|(_, inner)| inner);
        }
        given
    }

    /// The command has a use for an option about reading of its own, by the name of its
    /// field: so it has an effect whatever the inputs are.
    pub fn uses(&mut self, field: &str) {
        self.reading.retain(|(name, _)| *name != field);
    }

    /// There will be so many inputs besides the first.
    pub fn expect_more_inputs(&mut self, count: usize) {
        self.more_inputs = count;
    }

    /// The formats of the inputs so far.
    pub fn inputs(&self) -> &[Format] {
        &self.inputs
    }

    /// How many inputs there will be besides the first.
    pub fn more_inputs(&self) -> usize {
        self.more_inputs
    }

    /// An input in this format is going to be read. Warnings about options
    /// without effect, as soon as the formats of all inputs are known.
    pub fn begin_input(&mut self, format: Format) -> Vec<Diagnostic> {
        self.inputs.push(format);
        self.after_input()
    }

    /// The same for a model plugin.
    pub fn begin_model(&mut self) -> Vec<Diagnostic> {
        self.models += 1;
        self.after_input()
    }

    fn after_input(&self) -> Vec<Diagnostic> {
        match self.inputs.len() + self.models > self.more_inputs {
            true => warnings(&self.reading, "reading", &self.inputs),
            false => Vec::new(),
        }
    }

    /// An output in this format is going to be written. Warnings about options
    /// without effect.
    pub fn begin_output(&self, format: Format) -> Vec<Diagnostic> {
        warnings(&self.writing, "writing", &[format])
    }
}

/// Names after `--tau` that have matched nothing so far.
#[derive(Default)]
pub(super) struct UnusedGates {
    /// How many inputs have been looked at.
    pub(super) inputs: usize,
    /// Those that no input had; `None` before the first.
    pub(super) names: Option<Vec<Vec<u8>>>,
}

/// How an option is written that a field has the name of.
pub(super) fn spelling(field: &str) -> String {
    format!("--{}", field.replace('_', "-"))
}

pub(super) fn no_effect(code: &'static str, option: &str, why: &str) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        code,
        file: None,
        position: None,
        text: format!("{option} has no effect: {why}"),
    }
}

fn warnings(given: &[Special], doing: &str, formats: &[Format]) -> Vec<Diagnostic> {
    // The components of a network or a system may be in any format.
    let any = formats.contains(&Format::Exp) || formats.contains(&Format::Toml);
    let foreign = |(_, theirs): &&Special| !any && !formats.iter().any(|f| theirs.contains(f));
    let warning = |(name, theirs): &Special| {
        let (theirs, formats) = (either(theirs), either(formats));
        let why = format!("it is for {doing} {theirs}, not {formats}");
        no_effect("option-format", &spelling(name), &why)
    };
    given.iter().filter(foreign).map(warning).collect()
}

/// Names of formats as a sentence has them, each once.
fn either(formats: &[Format]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for format in formats {
        if !names.contains(&format.name()) {
            names.push(format.name());
        }
    }
    match &names[..] {
        [] => "a model plugin".into(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FilterOptions;
    use clap::{Args, Command};

    fn given(arguments: &[&str]) -> GivenOptions {
        let command = FilterOptions::augment_args(Command::new("x").no_binary_name(true));
        GivenOptions::of(&command.get_matches_from(arguments))
    }

    fn texts(warnings: Vec<Diagnostic>) -> Vec<String> {
        warnings.into_iter().map(|w| w.text).collect()
    }

    #[test]
    fn all_names_are_those_of_options() {
        let command = FilterOptions::augment_args(Command::new("x"));
        let options: Vec<&str> = command
            .get_arguments()
            .filter_map(|a| a.get_long())
            .collect();
        for (name, _) in READING.iter().chain(&WRITING) {
            assert!(options.contains(&&name.replace('_', "-")[..]), "{name}");
        }
    }

    #[test]
    fn only_what_is_given_and_foreign_is_told() {
        let mut none = given(&["--tau", "t", "--canonical"]);
        assert!(none.begin_input(Format::Bcg).is_empty());
        assert!(none.begin_output(Format::Bcg).is_empty());
        let some = given(&["--init", "s", "--grow", "--codec", "lz4", "--ascii"]);
        assert_eq!(
            texts(some.clone().begin_input(Format::Aut)),
            ["--init has no effect: it is for reading dot, not aut"]
        );
        assert_eq!(
            texts(some.begin_output(Format::Arrow)),
            ["--ascii has no effect: it is for writing aut, not arrow"]
        );
        assert_eq!(
            texts(some.begin_output(Format::Aut)),
            ["--codec has no effect: it is for writing parquet, arrow or plts, not aut"]
        );
    }

    #[test]
    fn formats_that_tolerate_nothing_are_strict_anyway() {
        for format in [Format::Dot, Format::Bcg, Format::Lts, Format::Parquet] {
            let mut strict = given(&["--strict"]);
            let why = "it is for reading aut, fsm, kiss2, seq, trc, tsv or jsonl, not";
            assert_eq!(
                texts(strict.begin_input(format)),
                [format!("--strict has no effect: {why} {format}")]
            );
        }
        assert!(given(&["--strict"]).begin_input(Format::Fsm).is_empty());
    }

    #[test]
    fn an_option_may_be_for_one_of_two_inputs() {
        let mut some = given(&["--init", "s", "--grow"]);
        some.expect_more_inputs(1);
        for formats in [[Format::Aut, Format::Dot], [Format::Dot, Format::Aut]] {
            let mut some = some.clone();
            assert!(some.begin_input(formats[0]).is_empty());
            assert!(some.begin_input(formats[1]).is_empty());
        }
        assert!(some.begin_input(Format::Fsm).is_empty());
        assert_eq!(
            texts(some.begin_input(Format::Dot)),
            [
                "--grow has no effect: it is for reading aut, tsv, jsonl, parquet or arrow, not fsm or dot"
            ]
        );
    }
}
