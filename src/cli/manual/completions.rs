//! Completions for shells, of each command under its own name and behind `hyades`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;
use hyades_cli_core::options::choices;
use hyades_formats::Format;

use super::{Described, MARK};
use crate::topics::TOPICS;
use crate::umbrella;
use hyades_cli_commands::mcrl2;

/// Where each shell looks for the completions of a command.
const PLACES: [(Shell, &str, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/", ""),
    (Shell::Zsh, "zsh/site-functions/_hyades_", ""),
    (Shell::Fish, "fish/vendor_completions.d/", ".fish"),
];

/// All files: their paths, and their texts.
pub(super) fn completions(commands: &[Described]) -> Vec<(String, String)> {
    let own = commands.iter().filter(|command| !command.is_behind_hyades);
    let own = own.map(|command| prepared(command.parser.clone()));
    let all: Vec<Command> = std::iter::once(of_umbrella(commands)).chain(own).collect();
    let of_shell = |(shell, before, behind): (Shell, &str, &str)| {
        let files = all.iter().map(|parser| {
            let path = match (shell, parser.get_name()) {
                (Shell::Zsh, "hyades") => "zsh/site-functions/_hyades".to_owned(),
                (_, name) => format!("{before}{name}{behind}"),
            };
            (path, script(shell, parser.clone()))
        });
        files.collect::<Vec<_>>()
    };
    PLACES.into_iter().flat_map(of_shell).collect()
}

/// `hyades NAME`, `hyades help NAME` and the like.
fn of_umbrella(commands: &[Described]) -> Command {
    let subcommands = commands.iter().map(|command| {
        let behind = commands
            .iter()
            .filter(|other| command.runs.contains(&other.name));
        let behind: Vec<Command> = behind.map(|other| other.parser.clone()).collect();
        let parser = command.parser.clone();
        let parser = parser.mut_subcommands(|mode| with_commands(mode, &behind));
        prepared(parser).visible_aliases(command.alias)
    });
    let names = commands.iter().map(|command| command.name);
    let names = names.chain(TOPICS.iter().map(|topic| topic.name));
    let names = names.chain(["json"]).chain(Format::ALL.map(Format::name));
    // As if they were subcommands, which all shells complete.
    let help = Command::new("help")
        .about("Tell of a command or a topic")
        .subcommands(names.map(|name| Command::new(name).disable_help_flag(true)));
    let links = Command::new("install-links").about(umbrella::ABOUT_LINKS);
    let file = || Arg::new("file").value_hint(ValueHint::FilePath);
    let of_cadp = umbrella::cadp_names().into_iter();
    let of_cadp = of_cadp.map(|name| Command::new(name).about("As CADP's").arg(file()));
    let of_mcrl2 = mcrl2::TOOLS.iter().map(|tool| prepared((tool.parser)()));
    prepared(Command::new("hyades"))
        .subcommands(subcommands)
        .subcommands(of_cadp)
        .subcommands(of_mcrl2)
        .subcommand(prepared(help))
        .subcommand(
            links
                .arg(Arg::new("mcrl2").long("mcrl2"))
                .arg(Arg::new("own").long("own"))
                .arg(Arg::new("refusing").long("refusing"))
                .mut_args(|arg| arg.num_args(0))
                .arg(Arg::new("directory").value_hint(ValueHint::DirPath)),
        )
}

/// A mode with the commands of ours that it runs, as if they were subcommands of it.
fn with_commands(mode: Command, behind: &[Command]) -> Command {
    if behind.is_empty() {
        return mode;
    }
    let options = mode.get_arguments().filter(|arg| !arg.is_last_set());
    Command::new(mode.get_name().to_owned())
        .about(mode.get_about().cloned().unwrap_or_default())
        .disable_help_flag(mode.is_disable_help_flag_set())
        .args(options.cloned().collect::<Vec<_>>())
        .subcommands(behind)
}

/// A command with all that shells can complete: choices, and names of files.
fn prepared(parser: Command) -> Command {
    let parser = parser
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true);
    parser.mut_subcommands(prepared).mut_args(|arg| {
        if arg.get_possible_values().is_empty()
            && let Some(choices) = choices(&arg)
        {
            return arg.value_parser(PossibleValuesParser::new(choices));
        }
        match hint(&arg) {
            Some(hint) => arg.value_hint(hint),
            None => arg,
        }
    })
}

/// What kind of value an option has, where that is not told by its choices.
fn hint(arg: &Arg) -> Option<ValueHint> {
    // A flag that may be repeated takes a value in name only.
    let is_flag = arg
        .get_num_args()
        .is_some_and(|number| !number.takes_values());
    if is_flag || !arg.get_action().takes_values() || !arg.get_possible_values().is_empty() {
        return None;
    }
    let is_path = arg.get_value_parser().type_id() == std::any::TypeId::of::<PathBuf>();
    let names = arg.get_value_names().unwrap_or_default();
    Some(match names.first().map(|name| name.as_str()) {
        Some("DIR") => ValueHint::DirPath,
        Some("COMMAND") => ValueHint::CommandString,
        // A pattern or a value may be a file.
        Some("FILE" | "PATTERN" | "INPUT" | "OUTPUT") => ValueHint::FilePath,
        _ if is_path || arg.is_positional() => ValueHint::FilePath,
        _ => ValueHint::Other,
    })
}

/// The script of a command for a shell.
fn script(shell: Shell, mut parser: Command) -> String {
    let name = parser.get_name().to_owned();
    // zsh has functions of its own, such as `_describe`, on which all completion rests.
    let function = match shell {
        Shell::Zsh if name != "hyades" => format!("hyades_{name}"),
        _ => name.clone(),
    };
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut parser, function.as_str(), &mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let text = match shell {
        Shell::Bash => values_behind_signs(&files_first(&text)),
        Shell::Zsh => ["#compdef", &format!("compdef _{function}")].iter().fold(
            modes_or_input(&stars_kept(&text, of_zsh), &parser),
            |text, before| {
                text.replace(
                    &format!("{before} {function}\n"),
                    &format!("{before} {name}\n"),
                )
            },
        ),
        Shell::Fish => stars_kept(&text, of_fish),
        _ => text,
    };
    match text.split_once('\n') {
        // The first line is for the shell.
        Some((first, rest)) if first.starts_with("#compdef") => {
            format!("{first}\n# {MARK}\n{rest}")
        }
        _ => format!("# {MARK}\n{text}"),
    }
}

/// Of a command with modes and an input, zsh takes the first word for the input and looks for
/// the mode behind it. Here that word is one or the other, and arguments of a mode follow only
/// where there is one.
fn modes_or_input(script: &str, parser: &Command) -> String {
    let lines: Vec<&str> = script.lines().collect();
    let of_modes = |k: usize| lines.get(k)?.strip_prefix("\":: :")?.strip_suffix("\" \\");
    let is_input = |k: usize| lines[k].starts_with("'::") && of_modes(k + 1).is_some();
    let mut text = String::with_capacity(script.len());
    for (k, line) in lines.iter().enumerate() {
        if is_input(k) {
            continue;
        }
        match line
            .strip_prefix("\"*::: :->")
            .filter(|_| k > 1 && is_input(k - 2))
        {
            Some(name) => {
                let modes = modes(parser, name.trim_end_matches("\" \\"));
                text.push_str(&format!("${{words[(r)({modes})]:+\"*::: :->{name}"));
                text.truncate(text.trim_end_matches(" \\").len());
                text.push_str("} \\");
            }
            // A mode is the first word now.
            None => text.push_str(&line.replace("$line[2]", "$line[1]")),
        }
        text.push('\n');
    }
    for function in (1..lines.len())
        .filter(|&k| is_input(k - 1))
        .filter_map(of_modes)
    {
        let Some((before, inside)) = text.split_once(&format!("\n{function}() {{\n")) else {
            continue;
        };
        let call = "commands \"$@\"\n";
        let both = format!(
            "{} && ret=0\n    _files && ret=0\n    return ret\n",
            &call[..call.len() - 1]
        );
        let inside = inside.replacen(call, &both, 1);
        text = format!("{before}\n{function}() {{\n    local ret=1\n{inside}");
    }
    text
}

/// The modes of a command of this name, as alternatives of a pattern.
fn modes(parser: &Command, name: &str) -> String {
    let is_it = |parser: &&Command| parser.get_name() == name;
    let all = std::iter::once(parser).chain(parser.get_subcommands());
    let modes = all.filter(is_it).flat_map(Command::get_subcommands);
    modes.map(Command::get_name).collect::<Vec<_>>().join("|")
}

/// Choices are patterns of file names to zsh and fish, and where there is no such file nothing
/// is left of one with a star, as `tau*.a`: a backslash makes it a star. `choices` tells where
/// they begin in a line, if it has some.
fn stars_kept(script: &str, choices: fn(&str) -> Option<usize>) -> String {
    let mut text = String::with_capacity(script.len());
    for line in script.lines() {
        let (before, list) = line.split_at(choices(line).unwrap_or(line.len()));
        text.push_str(before);
        text.push_str(&list.replace('*', "\\*"));
        text.push('\n');
    }
    text
}

/// `'-e+[help]:RELATION:(strong tau*.a)' \`
fn of_zsh(line: &str) -> Option<usize> {
    let list = line.rfind(":(").filter(|_| line.ends_with(")' \\"));
    list.filter(|&at| !line[at..].starts_with(":(("))
}

/// `tau*.a\t''`
fn of_fish(line: &str) -> Option<usize> {
    let is_choice = line.trim_end_matches('"').ends_with("\\t''");
    (is_choice && !line.starts_with("complete ")).then_some(0)
}

/// bash takes `--option=VALUE` for three words, of which the second one is no option.
fn values_behind_signs(script: &str) -> String {
    let prev = "    prev=\"$3\"\n";
    let sign = "    [[ \"${prev}\" != \"=\" ]] || prev=\"${COMP_WORDS[COMP_CWORD-2]}\"\n";
    script.replacen(prev, &format!("{prev}{sign}"), 1)
}

/// Where bash would show dozens of options, nothing having been typed, it shows modes,
/// or else files.
fn files_first(script: &str) -> String {
    let mut text = String::with_capacity(script.len());
    for line in script.lines() {
        let words = line.trim_start();
        let margin = &line[..line.len() - words.len()];
        let instead = match words {
            _ if words.starts_with("if [[ ${cur} == -* || ${COMP_CWORD} -eq ") => {
                "if [[ ${cur} == -* ]] ; then"
            }
            "COMPREPLY=( $(compgen -W \"${opts}\" -- \"${cur}\") )" if margin.len() == 12 => {
                "COMPREPLY=( $(compgen -X '-*' -W \"${opts}\" -- \"${cur}\") )"
            }
            words => words,
        };
        text.push_str(margin);
        text.push_str(instead);
        text.push('\n');
    }
    text
}
