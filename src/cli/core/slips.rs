//! Answers to slips that everyone makes.

use std::any::TypeId;
use std::ffi::{OsStr, OsString};
use std::num::{IntErrorKind, ParseIntError};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

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
fn value_of_option(parser: &Command, word: &str) -> Option<(String, String)> {
    let given: Vec<_> = std::env::args_os().collect();
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
fn named_relation(parser: &Command) -> Option<Relation> {
    if !has_relation(parser) {
        return None;
    }
    let given = std::env::args_os();
    let given: Vec<String> = given.map(|word| word.to_string_lossy().into()).collect();
    let pairs = given
        .windows(2)
        .filter(|pair| !pair[1].starts_with('-') && !Path::new(&pair[1]).exists());
    // A single word may be the value of an option.
    let alone = |pair: &&[String]| !pair[0].starts_with('-');
    let of_two = pairs.clone().map(|pair| pair.join("-"));
    let of_one = pairs.filter(alone).map(|pair| pair[1].clone());
    let mut names = of_two.chain(of_one);
    names.find_map(|name| Relation::from_name(&name))
}

/// A word of the command line that was probably meant as a mode, and that mode: `wmethod chek`.
fn misspelt_mode(parser: &Command) -> Option<(String, &str)> {
    let given = std::env::args_os();
    let given: Vec<String> = given.map(|word| word.to_string_lossy().into()).collect();
    // The value of an option is no mode, nor is a file that is there.
    let words = given.windows(2).filter_map(|pair| {
        let is_word = pair.iter().all(|word| !word.starts_with('-'));
        (is_word && !Path::new(&pair[1]).exists()).then(|| pair[1].clone())
    });
    words.into_iter().find_map(|word| {
        let mode = hyades_base::nearest(&word, modes(parser).map(Command::get_name))?;
        (mode != word).then_some((word, mode))
    })
}

/// The first word behind the name of the command, if it is neither a mode nor a file.
fn unknown_mode(parser: &Command) -> Option<String> {
    let mut given = std::env::args_os();
    let is_name = |word: &std::ffi::OsString| {
        Path::new(word).file_name() == Some(OsStr::new(parser.get_name()))
    };
    given.find(is_name)?;
    let word = given.next()?.into_string().ok()?;
    let is_mode = modes(parser).any(|mode| mode.get_name() == word);
    (!word.starts_with('-') && !is_mode && !Path::new(&word).exists()).then_some(word)
}

/// What is wrong with the value of an option of a command, or of the mode that is given, if it
/// is refused there.
fn refused_value(parser: &mut Command, option: &str, value: &str) -> Option<clap::Error> {
    let name = parser.get_name().to_owned();
    let given = format!("{option}={value}");
    let is_given = |mode: &&str| std::env::args_os().any(|word| word == *mode);
    let modes = modes(parser).map(Command::get_name).filter(is_given);
    let ways = modes.map(|mode| vec![name.clone(), mode.to_owned(), given.clone()]);
    let ways: Vec<Vec<String>> = ways.chain([vec![name.clone(), given.clone()]]).collect();
    let mut errors = ways
        .into_iter()
        .filter_map(|words| parser.try_get_matches_from_mut(words).err());
    errors.find(|error| error.kind() == ErrorKind::ValueValidation)
}

/// A file that is called like a word that was taken for an option, or for several.
fn file_of(word: &str) -> Option<String> {
    let is_letter = word.len() == 2;
    let mut given = std::env::args_os().filter_map(|given| given.into_string().ok());
    given.find(|given| {
        let is_meant = given == word || is_letter && given.starts_with(word);
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

/// The same error of usage, with what was probably meant.
pub(super) fn advised(mut error: clap::Error, parser: &mut Command) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let is_reach = parser.get_name() == "reach";
    // `--compositional` minimises by a relation.
    let names_relation = is_reach && std::env::args_os().any(|given| given == "--compositional");
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let Some(word) = text(ContextKind::InvalidArg) else {
                return error;
            };
            let called = called(parser);
            let is_moved = |(of, option, ..): &&(&str, &str, _, _)| {
                *of == parser.get_name() && *option == word
            };
            if let Some((_, option, value, now)) = MOVED.iter().find(is_moved) {
                let told = format!("{option}{value} is now: {called} {now}");
                return parser.error(ErrorKind::UnknownArgument, told);
            }
            let is_gone = |(of, options, _): &&(&str, &[&str], _)| {
                *of == parser.get_name() && options.contains(&word.as_str())
            };
            let has = |long: &str| parser.get_arguments().any(|a| a.get_long() == Some(long));
            let is_of_mcrl2 =
                |(option, ours, _): &&(&str, &str, &str)| *option == word && has(ours);
            let gone = GONE.iter().find(is_gone).map(|(.., tip)| *tip);
            let of_mcrl2 = || OF_MCRL2.iter().find(is_of_mcrl2).map(|(.., tip)| *tip);
            let known = gone.or_else(of_mcrl2);
            let tip = match (known, word.starts_with('-')) {
                // `reach --compositional branching net.exp`, as it once was
                (None, false) if names_relation => "the relation is -e RELATION".to_owned(),
                // `cluster run -n 2 minimize IN`
                (None, false) if parser.get_name() == "cluster" => {
                    format!("-- comes before COMMAND: {called} … -- {word} …")
                }
                (Some(tip), _) => tip.to_owned(),
                // `minimize branching IN`
                (None, false) if let Some(relation) = named_relation(parser) => {
                    format!("the relation is -e {relation}")
                }
                // `kernel find-symetry INPUT`
                (None, false) if let Some((word, mode)) = misspelt_mode(parser) => {
                    format!("there is no mode {word}: did you mean {mode}?")
                }
                // `wmethod verify SUITE INPUT`
                (None, false) if has_modes(parser) => {
                    let modes: Vec<&str> = modes(parser).map(Command::get_name).collect();
                    let modes = modes.join(", ");
                    match unknown_mode(parser) {
                        Some(word) => {
                            format!("there is no mode {word}, nor such a file; modes are {modes}")
                        }
                        None => format!("a mode comes first ({modes}); one INPUT is read"),
                    }
                }
                // `minimize IN OUT`
                (None, false) => {
                    let is_pair = ["equiv", "refine"].contains(&parser.get_name());
                    match Path::new(&word).exists() {
                        true if is_pair => "two systems are compared".to_owned(),
                        // `describe A B`
                        true => format!("one INPUT is read; to write over {word}: -o {word}"),
                        false => format!("to write to {word}: -o {word}"),
                    }
                }
                // `wmethod --report tap`
                (None, true) => match (modes_with(parser, &word), value_of_option(parser, &word)) {
                    (modes, _) if !modes.is_empty() => {
                        format!("{word} is an option of {}", modes.join(", "))
                    }
                    // `generate random 5 9 --seed -1`
                    (_, Some((option, value))) => {
                        // `wmethod -k -1`
                        if let Some(refused) = refused_value(parser, &option, &value) {
                            return advised(refused, parser);
                        }
                        format!("to give {option} the value {value}: {option}={value}")
                    }
                    (_, None) => match file_of(&word) {
                        Some(file) => format!("a file of this name is given as ./{file}"),
                        None => {
                            let other = text(ContextKind::SuggestedArg);
                            if other.is_some_and(|other| !is_alike(&word, &other)) {
                                // It is in the line of usage, too.
                                let usage = ContextValue::StyledStr(parser.render_usage());
                                error.insert(ContextKind::Usage, usage);
                                error.remove(ContextKind::SuggestedArg);
                            }
                            // `'-- -X'`, where nothing is called so
                            error.remove(ContextKind::Suggested);
                            return error;
                        }
                    },
                },
            };
            error.remove(ContextKind::SuggestedArg);
            error.insert(
                ContextKind::Suggested,
                ContextValue::StyledStrs(vec![tip.into()]),
            );
        }
        // `generate foo`
        ErrorKind::InvalidSubcommand => {
            let Some(word) = text(ContextKind::InvalidSubcommand) else {
                return error;
            };
            let what = match parser.get_name() {
                "generate" => "family",
                _ => "mode",
            };
            let meant = match error.get(ContextKind::SuggestedSubcommand) {
                // `wmethod chek INPUT`, in which INPUT was taken for a mode
                _ if let Some((word, mode)) = misspelt_mode(parser) => {
                    format!("{word}: did you mean {mode}?")
                }
                Some(ContextValue::Strings(names)) if !names.is_empty() => {
                    format!("{word}: did you mean {}?", names.join(" or "))
                }
                _ => format!("{word}: `{} -h` lists them", called(parser)),
            };
            let told = format!("there is no {what} {meant}");
            return parser.error(ErrorKind::InvalidSubcommand, told);
        }
        // `-m W`
        ErrorKind::InvalidValue => {
            let (Some(value), Some(ContextValue::Strings(known))) = (
                text(ContextKind::InvalidValue),
                error.get(ContextKind::ValidValue),
            ) else {
                return error;
            };
            let same = known
                .iter()
                .find(|known| known.eq_ignore_ascii_case(&value));
            if let Some(same) = same.cloned() {
                error.insert(ContextKind::SuggestedValue, ContextValue::String(same));
            }
        }
        // `reach -e 'a.aut ||| b.aut'`, as it once was
        ErrorKind::ValueValidation
            if is_reach
                && !names_relation
                && text(ContextKind::InvalidArg).is_some_and(|it| it.starts_with("--equiv")) =>
        {
            let tip = "a network on the command line: --expression EXPR";
            let tips = ContextValue::StyledStrs(vec![tip.into()]);
            error.insert(ContextKind::Suggested, tips);
        }
        // `-j many`
        ErrorKind::ValueValidation => {
            if let (Some(option), Some(value), Some(why)) = (
                text(ContextKind::InvalidArg),
                text(ContextKind::InvalidValue),
                no_number(&error),
            ) {
                let told = format!("invalid value '{value}' for '{option}': {why}");
                return parser.error(ErrorKind::ValueValidation, told);
            }
        }
        // a value that is no UTF-8, where a text, a number or a name is expected
        ErrorKind::InvalidUtf8 => {
            if let Some((option, value)) = no_utf8(parser) {
                let told = format!("invalid value '{value}' for '{option}': it is no UTF-8");
                return parser.error(ErrorKind::InvalidUtf8, told);
            }
        }
        _ => {}
    }
    error
}

/// The first option whose value is no UTF-8, though it has to be, and that value.
fn no_utf8(parser: &Command) -> Option<(String, String)> {
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
    let given: Vec<OsString> = std::env::args_os().collect();
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
pub(super) fn check_words(
    parser: &mut Command,
    words: &[std::ffi::OsString],
) -> Result<(), clap::Error> {
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
