//! Answers to slips that everyone makes.

use std::any::TypeId;
use std::borrow::Cow;
use std::ffi::OsString;
use std::num::{IntErrorKind, ParseIntError};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use hyades_equivalence::Relation;
use hyades_formats::diagnostic::printable_string;

/// Options that have become modes: the command, the option, its value, and what is
/// written now.
const MOVED: [(&str, &str, &str, &str); 9] = [
    ("wmethod", "--check", " SUITE", "check SUITE [INPUT]"),
    ("wmethod", "--reduce", " SUITE", "reduce SUITE [INPUT]"),
    ("wmethod", "--mutants", "", "mutants [INPUT]"),
    (
        "wmethod",
        "--run",
        " COMMAND",
        "run --command COMMAND [INPUT]",
    ),
    (
        "wmethod",
        "--against",
        " FILE",
        "run --against FILE [INPUT]",
    ),
    (
        "wmethod",
        "--connect",
        " ADDRESS",
        "run --connect ADDRESS [INPUT]",
    ),
    ("kernel", "--check", "", "check --pattern FILE [INPUT]"),
    ("kernel", "--find-symmetry", "", "find-symmetry [INPUT]"),
    (
        "kernel",
        "--best-order",
        "",
        "find-order --pattern FILE [INPUT]",
    ),
];

/// Spellings that have gone, or that other commands and other tools have: the command, the
/// options, and what to write.
const GONE: [(&str, &[&str], &str); 23] = [
    (
        "reach",
        &["--strong-labels"],
        "components are not minimised by sharp relations, which are congruences only as long \
         as no strong label is hidden: -e strong implies them",
    ),
    ("reach", &["--report"], "--report is now --analysis"),
    ("reach", &["--divergence"], "for hidden cycles: --livelock"),
    (
        "reach",
        &["--action"],
        "--find PATTERN, a pattern of the whole label",
    ),
    ("minimize", &["--no-reach"], "--keep-unreachable"),
    ("minimize", &["-D", "--determinise"], "--determinize"),
    ("equiv", &["--structured-output"], "--json"),
    (
        "transcode",
        &["-D", "--determinise", "--determinize"],
        "minimize --determinize",
    ),
    (
        "equiv",
        &[
            "-c",
            "--counter-example",
            "--counterexample",
            "--diag",
            "--evidence",
            "--formula",
            "--witness",
        ],
        "a reason is told anyway; -o FILE writes it to a file",
    ),
    (
        "refine",
        &[
            "-c",
            "--counter-example",
            "--counterexample",
            "--diag",
            "--witness",
        ],
        "a counterexample is told anyway; -o FILE writes it to a file",
    ),
    (
        "check",
        &[
            "-c",
            "--counter-example",
            "--counterexample",
            "--evidence",
            "--witness",
        ],
        "the reason for a verdict: --diag, or -o FILE",
    ),
    (
        "describe",
        &["--deadlock", "--deadlocks"],
        "states without transitions are counted anyway; reach --deadlock leads to one",
    ),
    ("generate", &["--labels"], "--labels is now --alphabet"),
    ("generate", &["--tau"], "--tau is now --tau-percentage"),
    ("refine", &["-m"], "the semantics: --semantics T, F or FD"),
    (
        "refine",
        &["--max-nodes"],
        "--max-nodes is now --max-normal-form",
    ),
    ("reduce", &["--survivors"], "--survivors is now --remaining"),
    (
        "reduce",
        &["-e", "--equivalence"],
        "a relation, by which states are compared: minimize -e RELATION",
    ),
    ("kernel", &["--component"], "--component is now --template"),
    (
        "wmethod",
        &["--order"],
        "--order is now --test-order, of wmethod run",
    ),
    (
        "wmethod",
        &["--depth", "--extra-states", "--lookahead", "--max-states"],
        "-k K, how many states more than the specification an implementation may have",
    ),
    ("wmethod", &["--host"], "wmethod run --connect HOST:PORT"),
    (
        "wmethod",
        &["--cmd", "--exec", "--sul"],
        "wmethod run --command COMMAND",
    ),
];

/// Options of mCRL2 that many of its tools have, what we call it, and what to write.
const OF_MCRL2: [(&str, &str, &str); 3] = [
    ("--in", "from", "--from FORMAT"),
    ("--out", "to", "--to FORMAT"),
    ("--timings", "stats", "--stats FILE"),
];

/// What stands on the command line that this word is (the first letter of), and the option
/// before it, if that takes a value.
fn value_of_option(parser: &Command, word: &str, given: &[OsString]) -> Option<(String, String)> {
    let is_letter = word.len() == 2;
    let is_meant = |given: &str| given == word || is_letter && given.starts_with(word);
    let at = given
        .iter()
        .position(|given| given.to_str().is_some_and(is_meant))?;
    let before = given.get(at.checked_sub(1)?)?.to_str()?;
    // A family of `generate` has options of its own.
    let levels = std::iter::once(parser).chain(parser.get_subcommands());
    let takes_value = levels.flat_map(Command::get_arguments).any(|argument| {
        let long = argument.get_long().map(|name| format!("--{name}"));
        let short = argument.get_short().map(|name| format!("-{name}"));
        let names = [long, short];
        argument.get_action().takes_values() && names.iter().flatten().any(|name| name == before)
    });
    takes_value.then_some((before.to_owned(), given[at].to_str()?.to_owned()))
}

/// The relation that a word names which stands for a file, if there is no such file, or that
/// it names with the one before it, as in `-e weak trace`.
fn named_relation(parser: &Command, given: &[OsString]) -> Option<Relation> {
    if !has_relation(parser) {
        return None;
    }
    let given: Vec<_> = given.iter().map(|word| word.to_string_lossy()).collect();
    let pairs = given
        .windows(2)
        .filter(|pair| !pair[1].starts_with('-') && !Path::new(&*pair[1]).exists());
    // A single word may be the value of an option.
    let alone = |pair: &&[Cow<'_, str>]| !pair[0].starts_with('-');
    let of_two = pairs.clone().map(|pair| pair.join("-"));
    let of_one = pairs.filter(alone).map(|pair| pair[1].clone().into_owned());
    let mut names = of_two.chain(of_one);
    names.find_map(|name| Relation::from_name(&name))
}

/// A word of the command line that was probably meant as a mode, and that mode: `wmethod chek`.
fn misspelt_mode<'p>(parser: &'p Command, given: &[OsString]) -> Option<(String, &'p str)> {
    let given: Vec<_> = given.iter().map(|word| word.to_string_lossy()).collect();
    // The value of an option is no mode, nor is a file that is there.
    let words = given.windows(2).filter_map(|pair| {
        let is_word = pair.iter().all(|word| !word.starts_with('-'));
        (is_word && !Path::new(&*pair[1]).exists()).then(|| pair[1].clone().into_owned())
    });
    words.into_iter().find_map(|word| {
        let mode = hyades_base::nearest(&word, modes(parser).map(Command::get_name))?;
        (mode != word).then_some((word, mode))
    })
}

/// The first word behind the name of the command, if it is neither a mode nor a file.
fn unknown_mode(parser: &Command, given: &[OsString]) -> Option<String> {
    let word = given.get(1)?.to_str()?;
    let is_mode = modes(parser).any(|mode| mode.get_name() == word);
    (!word.starts_with('-') && !is_mode && !Path::new(word).exists()).then(|| word.to_owned())
}

/// What is wrong with the value of an option of a command, or of the mode that is given, if it
/// is refused there.
fn refused_value(
    parser: &mut Command,
    option: &str,
    value: &str,
    given: &[OsString],
) -> Option<clap::Error> {
    let name = parser.get_name().to_owned();
    let is_given = |mode: &&str| given.iter().any(|word| word == *mode);
    let given = format!("{option}={value}");
    let modes = modes(parser).map(Command::get_name).filter(is_given);
    let ways = modes.map(|mode| vec![name.clone(), mode.to_owned(), given.clone()]);
    let ways: Vec<Vec<String>> = ways.chain([vec![name.clone(), given.clone()]]).collect();
    let mut errors = ways
        .into_iter()
        .filter_map(|words| parser.try_get_matches_from_mut(words).err());
    errors.find(|error| error.kind() == ErrorKind::ValueValidation)
}

/// A file that is called like a word that was taken for an option, or for several.
fn file_of<'g>(word: &str, given: &'g [OsString]) -> Option<&'g str> {
    let is_letter = word.len() == 2;
    let mut given = given.iter().filter_map(|given| given.to_str());
    given.find(|given| {
        let is_meant = *given == word || is_letter && given.starts_with(word);
        is_meant && Path::new(given).exists()
    })
}

/// Whether an option may be a slip for this one: it is the beginning, or at most every third
/// letter is another one.
fn is_alike(word: &str, option: &str) -> bool {
    let longer = word.len().max(option.len()) - "--".len();
    option.starts_with(word) || 3 * strsim::osa_distance(word, option) <= longer
}

/// Whether a command goes by a relation that `-e` names. Of `reach` and `check` it is part of
/// something else.
fn has_relation(parser: &Command) -> bool {
    ["minimize", "equiv", "draw"].contains(&parser.get_name())
}

/// The same error of usage about the words that are `given`, with what was probably meant.
pub(super) fn advised(error: clap::Error, parser: &mut Command, given: &[OsString]) -> clap::Error {
    match error.kind() {
        ErrorKind::UnknownArgument => unknown_argument(error, parser, given),
        ErrorKind::InvalidSubcommand => unknown_mode_or_family(error, parser, given),
        ErrorKind::InvalidValue => in_other_case(error),
        ErrorKind::ValueValidation => refused(error, parser, given),
        // a value that is no UTF-8, where a text, a number or a name is expected
        ErrorKind::InvalidUtf8 => match no_utf8(parser, given) {
            Some((option, value)) => {
                let told = format!("invalid value '{value}' for '{option}': it is no UTF-8");
                parser.error(ErrorKind::InvalidUtf8, told)
            }
            None => error,
        },
        _ => error,
    }
}

/// A text that belongs to an error.
fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    }
}

/// The same error with this tip.
fn with_tip(mut error: clap::Error, tip: impl Into<StyledStr>) -> clap::Error {
    error.remove(ContextKind::SuggestedArg);
    let tips = ContextValue::StyledStrs(vec![tip.into()]);
    error.insert(ContextKind::Suggested, tips);
    error
}

/// Whether `reach` is to minimise by a relation, by `--compositional`.
fn names_relation(parser: &Command, given: &[OsString]) -> bool {
    parser.get_name() == "reach" && given.iter().any(|given| given == "--compositional")
}

/// An option that there is not, or a word too many.
fn unknown_argument(error: clap::Error, parser: &mut Command, given: &[OsString]) -> clap::Error {
    let Some(word) = text(&error, ContextKind::InvalidArg) else {
        return error;
    };
    let name = parser.get_name();
    let is_moved = |(of, option, ..): &&(&str, &str, _, _)| *of == name && *option == word;
    if let Some((_, option, value, now)) = MOVED.iter().find(is_moved) {
        let told = format!("{option}{value} is now: {} {now}", called(parser));
        return parser.error(ErrorKind::UnknownArgument, told);
    }
    let is_gone =
        |(of, options, _): &&(&str, &[&str], _)| *of == name && options.contains(&word.as_str());
    let has = |long: &str| parser.get_arguments().any(|a| a.get_long() == Some(long));
    let is_of_mcrl2 = |(option, ours, _): &&(&str, &str, &str)| *option == word && has(ours);
    let gone = GONE.iter().find(is_gone).map(|(.., tip)| *tip);
    let of_mcrl2 = || OF_MCRL2.iter().find(is_of_mcrl2).map(|(.., tip)| *tip);
    match gone.or_else(of_mcrl2) {
        Some(tip) => with_tip(error, tip),
        None if word.starts_with('-') => unknown_option(error, parser, &word, given),
        None => {
            let tip = superfluous(parser, &word, given);
            with_tip(error, tip)
        }
    }
}

/// What was probably meant by a word that is neither an option nor expected.
fn superfluous(parser: &Command, word: &str, given: &[OsString]) -> String {
    // `reach --compositional branching net.exp`, as it once was
    if names_relation(parser, given) {
        return "the relation is -e RELATION".to_owned();
    }
    // `cluster run -n 2 minimize IN`
    if parser.get_name() == "cluster" {
        let called = called(parser);
        return format!("-- comes before COMMAND: {called} … -- {word} …");
    }
    // `minimize branching IN`
    if let Some(relation) = named_relation(parser, given) {
        return format!("the relation is -e {relation}");
    }
    // `kernel find-symetry INPUT`
    if let Some((word, mode)) = misspelt_mode(parser, given) {
        return format!("there is no mode {word}: did you mean {mode}?");
    }
    // `wmethod verify SUITE INPUT`
    if has_modes(parser) {
        let modes: Vec<&str> = modes(parser).map(Command::get_name).collect();
        let modes = modes.join(", ");
        return match unknown_mode(parser, given) {
            Some(word) => format!("there is no mode {word}, nor such a file; modes are {modes}"),
            None => format!("a mode comes first ({modes}); one INPUT is read"),
        };
    }
    // `minimize IN OUT`
    let is_pair = ["equiv", "refine"].contains(&parser.get_name());
    match Path::new(word).exists() {
        true if is_pair => "two systems are compared".to_owned(),
        // `describe A B`
        true => format!("one INPUT is read; to write over {word}: -o {word}"),
        false => format!("to write to {word}: -o {word}"),
    }
}

/// An option that there is not, and that has no other name here.
fn unknown_option(
    mut error: clap::Error,
    parser: &mut Command,
    word: &str,
    given: &[OsString],
) -> clap::Error {
    // `wmethod --report tap`
    let modes = modes_with(parser, word);
    if !modes.is_empty() {
        return with_tip(
            error,
            format!("{word} is an option of {}", modes.join(", ")),
        );
    }
    // `generate random 5 9 --seed -1`
    if let Some((option, value)) = value_of_option(parser, word, given) {
        // `wmethod -k -1`
        if let Some(refused) = refused_value(parser, &option, &value, given) {
            return advised(refused, parser, given);
        }
        return with_tip(
            error,
            format!("to give {option} the value {value}: {option}={value}"),
        );
    }
    if let Some(file) = file_of(word, given) {
        return with_tip(error, format!("a file of this name is given as ./{file}"));
    }
    let other = text(&error, ContextKind::SuggestedArg);
    if other.is_some_and(|other| !is_alike(word, &other)) {
        // It is in the line of usage, too.
        let usage = ContextValue::StyledStr(parser.render_usage());
        error.insert(ContextKind::Usage, usage);
        error.remove(ContextKind::SuggestedArg);
    }
    // `'-- -X'`, where nothing is called so
    error.remove(ContextKind::Suggested);
    error
}

/// `generate foo`
fn unknown_mode_or_family(
    error: clap::Error,
    parser: &mut Command,
    given: &[OsString],
) -> clap::Error {
    let Some(word) = text(&error, ContextKind::InvalidSubcommand) else {
        return error;
    };
    let what = match parser.get_name() {
        "generate" => "family",
        _ => "mode",
    };
    let meant = match error.get(ContextKind::SuggestedSubcommand) {
        // `wmethod chek INPUT`, in which INPUT was taken for a mode
        _ if let Some((word, mode)) = misspelt_mode(parser, given) => {
            format!("{word}: did you mean {mode}?")
        }
        Some(ContextValue::Strings(names)) if !names.is_empty() => {
            format!("{word}: did you mean {}?", names.join(" or "))
        }
        _ => format!("{word}: `{} -h` lists them", called(parser)),
    };
    let told = format!("there is no {what} {meant}");
    parser.error(ErrorKind::InvalidSubcommand, told)
}

/// `-m W`
fn in_other_case(mut error: clap::Error) -> clap::Error {
    let (Some(value), Some(ContextValue::Strings(known))) = (
        text(&error, ContextKind::InvalidValue),
        error.get(ContextKind::ValidValue),
    ) else {
        return error;
    };
    let is_same = |known: &&String| known.eq_ignore_ascii_case(&value);
    if let Some(same) = known.iter().find(is_same).cloned() {
        error.insert(ContextKind::SuggestedValue, ContextValue::String(same));
    }
    error
}

/// A value that an option does not take.
fn refused(error: clap::Error, parser: &mut Command, given: &[OsString]) -> clap::Error {
    let option = text(&error, ContextKind::InvalidArg);
    let is_relation = || option.as_ref().is_some_and(|it| it.starts_with("--equiv"));
    // `reach -e 'a.aut ||| b.aut'`, as it once was
    if parser.get_name() == "reach" && !names_relation(parser, given) && is_relation() {
        return with_tip(error, "a network on the command line: --expression EXPR");
    }
    // `-j many`
    let value = text(&error, ContextKind::InvalidValue);
    match (option, value, no_number(&error)) {
        (Some(option), Some(value), Some(why)) => {
            let told = format!("invalid value '{value}' for '{option}': {why}");
            parser.error(ErrorKind::ValueValidation, told)
        }
        _ => error,
    }
}

/// The first option whose value is no UTF-8, though it has to be, and that value.
fn no_utf8(parser: &Command, given: &[OsString]) -> Option<(String, String)> {
    let of_bytes = [TypeId::of::<OsString>(), TypeId::of::<PathBuf>()];
    let needs_text = |of: &Command, name: &[u8]| {
        of.get_arguments().any(|argument| {
            let long = argument.get_long().map(|long| format!("--{long}"));
            let short = argument.get_short().map(|short| format!("-{short}"));
            let is_named = [long, short].iter().flatten().any(|n| n.as_bytes() == name);
            let is_bytes = || {
                let parsed = argument.get_value_parser().type_id();
                of_bytes.iter().any(|id| parsed == *id)
            };
            is_named && argument.get_action().takes_values() && !is_bytes()
        })
    };
    let levels: Vec<&Command> = std::iter::once(parser)
        .chain(parser.get_subcommands())
        .collect();
    let wrong = given.iter().enumerate().skip(1);
    let mut wrong = wrong.filter(|(_, word)| word.to_str().is_none());
    wrong.find_map(|(at, word)| {
        let word = word.as_bytes();
        // `--find TEXT`, `--find=TEXT`, `-f TEXT`, `-fTEXT`
        let joined = match (word.strip_prefix(b"--"), word) {
            (Some(long), _) => {
                let name = long.iter().position(|&b| b == b'=')?;
                Some((&word[..name + 2], &word[name + 3..]))
            }
            (None, [b'-', _, value @ ..]) => Some((&word[..2], value)),
            (None, _) => None,
        };
        let behind = (given[at - 1].as_bytes(), word);
        let mut ways = joined.into_iter().chain([behind]);
        let (name, value) = ways.find(|(name, _)| levels.iter().any(|of| needs_text(of, name)))?;
        Some((printable_string(name), printable_string(value)))
    })
}

/// What is wrong with a value that should be a number, if it is that.
fn no_number(error: &clap::Error) -> Option<&'static str> {
    let why = std::error::Error::source(error)?.downcast_ref::<ParseIntError>()?;
    match why.kind() {
        IntErrorKind::Empty | IntErrorKind::InvalidDigit => Some("expected a number"),
        IntErrorKind::PosOverflow => Some("the number is too large"),
        _ => None,
    }
}

/// Refuses words such as `-hide`, as CADP spells options, which would be taken for `-h`.
///
/// # Errors
/// If there is one.
pub(super) fn check_words(parser: &mut Command, words: &[OsString]) -> Result<(), clap::Error> {
    let options = words.iter().skip(1).filter_map(|word| word.to_str());
    let mut options = options.take_while(|word| *word != "--");
    let has_relation = has_relation(parser);
    // `-branching`, as CADP spells it, and `--strong`.
    let relation = |word: &str| {
        let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
        let mut arguments = parser.get_arguments();
        let is_option = arguments.any(|argument| argument.get_long() == Some(name));
        (has_relation && !is_option && name.len() > 2).then(|| Relation::from_name(name))?
    };
    if let Some((word, relation)) = options
        .clone()
        .find_map(|word| Some((word, relation(word)?)))
    {
        let error = format!("unexpected argument '{word}': relations are named by -e {relation}");
        return Err(parser.error(ErrorKind::UnknownArgument, error));
    }
    // What stands behind a script is its own.
    let is_script = parser.get_name() == "svl";
    let is_option = |name: &str| {
        let mut arguments = parser.get_arguments();
        !is_script && arguments.any(|argument| argument.get_long() == Some(name))
    };
    let is_long = |word: &&str| {
        let name = word.strip_prefix('-').filter(|name| name.len() > 2);
        name.is_some_and(|name| name.starts_with('h') || is_option(name))
    };
    let Some(word) = options.find(is_long) else {
        return Ok(());
    };
    let error = format!("unexpected argument '{word}': long options have two dashes, -{word}");
    Err(parser.error(ErrorKind::UnknownArgument, error))
}

/// Refuses options that stand before a mode, which has its own.
///
/// # Errors
/// If there is one.
pub(super) fn check_mode(parser: &mut Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let Some((mode, _)) = matches.subcommand() else {
        return Ok(());
    };
    let is_given = |arg: &&clap::Arg| {
        matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
    };
    let Some(given) = parser
        .get_arguments()
        .find(is_given)
        .map(ToString::to_string)
    else {
        return Ok(());
    };
    let called = called(parser);
    Err(parser.error(
        ErrorKind::ArgumentConflict,
        format!(
            "{given} stands before the mode {mode}: write what belongs to it behind it, \
             {called} {mode} …; a file of this name is given as ./{mode}"
        ),
    ))
}

/// What the command is called.
fn called(parser: &Command) -> String {
    let name = parser.get_bin_name().unwrap_or(parser.get_name());
    name.to_owned()
}

/// The modes of a command.
fn modes(parser: &Command) -> impl Iterator<Item = &Command> {
    // Each family of `generate` is one.
    let has_modes = !parser.is_subcommand_required_set();
    let all = parser.get_subcommands();
    all.filter(move |mode| has_modes && mode.get_name() != "help")
}

/// Whether a command has modes.
pub(super) fn has_modes(parser: &Command) -> bool {
    modes(parser).next().is_some()
}

/// The modes of a command that have an option of this spelling.
fn modes_with(parser: &Command, option: &str) -> Vec<String> {
    let is_it = |arg: &clap::Arg| {
        let long = arg.get_long().map(|long| format!("--{long}"));
        let short = arg.get_short().map(|short| format!("-{short}"));
        [long, short].contains(&Some(option.to_owned()))
    };
    modes(parser)
        .filter(|mode| mode.get_arguments().any(is_it))
        .map(|mode| format!("{} {}", called(parser), mode.get_name()))
        .collect()
}
