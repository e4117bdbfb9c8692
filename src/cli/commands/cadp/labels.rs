//! `bcg_labels`: hides, renames, cuts, anonymises labels.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;

use hyades_formats::Sink;
use hyades_formats::diagnostic::printable_path;
use hyades_lts::relabel::{Action, Matching, RelabelStep, Rules, Scramble, relabel};

use super::{Arguments, Kind, Tool, files, read_for};
use hyades_cli_core::{Failure, Session, Unit, read_text, show_lts};

pub const TOOL: Tool = Tool {
    name: "bcg_labels",
    usage: "[OPTIONS] [-parse|-unparse] [-warning] \
            {-hide [-total|-partial|-gate] FILE | -cut [-total|-partial|-gate] FILE \
            | -rename [-total|-single|-multiple|-gate] FILE} INPUT[.bcg] [OUTPUT[.bcg]]\n\
            \x20      bcg_labels [OPTIONS] -scramble PATTERN INPUT[.bcg] [OUTPUT[.bcg]]",
    kind: Kind::Files(run),
};

const MODES: [(&str, Matching); 5] = [
    ("-total", Matching::Total),
    ("-gate", Matching::Gate),
    ("-partial", Matching::Partial),
    ("-single", Matching::Single),
    ("-multiple", Matching::Multiple),
];

fn run(mut arguments: Arguments, session: &mut Session) -> Result<(), Failure> {
    let mut steps = Vec::new();
    let mut scrambles = false;
    let mut warnings = false;
    let mut parse = true;
    while let Some(option) = arguments.option() {
        let action = match &option[..] {
            "-hide" => Action::Hide,
            "-rename" => Action::Rename,
            "-cut" => Action::Cut,
            "-scramble" => {
                let pattern = arguments.value(&option, "a pattern")?;
                let scramble = Scramble::new(pattern.as_bytes()).map_err(|why| {
                    arguments.wrong(format!("-scramble {}: {why}", printable_path(pattern)))
                })?;
                steps.push(RelabelStep::Scramble(scramble));
                scrambles = true;
                continue;
            }
            "-warning" => {
                warnings = true;
                continue;
            }
            "-parse" | "-unparse" => {
                parse = option == "-parse";
                continue;
            }
            _ if arguments.common(session, &option, true)? => continue,
            _ => return Err(arguments.unknown(&option)),
        };
        let (rules, name) = rules_behind(&option, &mut arguments, session, action, "with rules")?;
        steps.push(RelabelStep::Rules(rules, Some(name)));
    }
    if scrambles && steps.len() > 1 {
        return Err(arguments.wrong("-scramble stands alone"));
    }
    let (input, mut output) = files(&arguments.operands(1, 2)?)?;
    output.options.bcg.parse_labels = parse;
    session.check_outputs(&[&input], &[&output.destination])?;
    let lts = read_for(&mut output, session, &input, None)?;
    let mut said = Vec::new();
    let relabelled = session.phase("relabel", |phase| {
        phase.progress("relabelling", Unit::None, None);
        let is_hidden = |text: &[u8]| text == b"i";
        let mut say = |d| said.push(d);
        let unused: Option<&mut Sink<'_>> = if warnings { Some(&mut say) } else { None };
        let done = relabel(lts, &steps, &is_hidden, unused)?;
        phase.summary(|| show_lts(&done.lts));
        Ok(done)
    })?;
    said.iter().for_each(|d| session.report(d));
    session.write(&output, &relabelled.lts)
}

/// The rules that stand behind an option, as a mode, total if there is none, and a file, which
/// is one `about` something; and the name of the file.
pub(super) fn rules_behind(
    option: &str,
    arguments: &mut Arguments,
    session: &Session,
    action: Action,
    about: &str,
) -> Result<(Rules, Arc<str>), Failure> {
    let (matching, file) = mode_and_file(option, arguments, action, about)?;
    read_rules(session, action, matching, &file)
}

/// The mode and the name of the file that stand behind an option.
pub(super) fn mode_and_file(
    option: &str,
    arguments: &mut Arguments,
    action: Action,
    about: &str,
) -> Result<(Matching, OsString), Failure> {
    let matching = arguments.accept(&MODES).unwrap_or_default();
    if !action.modes().contains(&matching) {
        return Err(arguments.wrong(format!("{option} does not go with -{matching}")));
    }
    let file = arguments.value(option, &format!("a file {about}"))?;
    Ok((matching, file))
}

/// The rules in a file, whose usual ending may be omitted, and its name.
fn read_rules(
    session: &Session,
    action: Action,
    matching: Matching,
    name: &OsStr,
) -> Result<(Rules, Arc<str>), Failure> {
    let path = rule_file(action, name);
    let (shown, text) = read_text(&path)?;
    let rules = Rules::read(&shown, &text, action, matching, &mut |d| session.report(&d));
    Ok((rules.map_err(|_| Failure::Reported)?, shown))
}

/// The labels that a file behind an option lists, as [`rules_behind`] has it, in a form like that
/// of one of labels to hide but for the word that it begins with: one of `words`, none of
/// which is shorter than `hide`. The usual ending of the file's name may be omitted.
pub(super) fn listed_behind<'w>(
    option: &str,
    arguments: &mut Arguments,
    session: &Session,
    about: &str,
    ending: &str,
    words: &[&'w str],
) -> Result<(&'w str, Rules), Failure> {
    let (matching, name) = mode_and_file(option, arguments, Action::Hide, about)?;
    let mut path = PathBuf::from(&name);
    let mut full = name;
    full.push(format!(".{ending}"));
    if !path.exists() && PathBuf::from(&full).exists() {
        path = full.into();
    }
    let (shown, mut text) = read_text(&path)?;
    let start = text.len() - text.trim_ascii_start().len();
    let is_first = |word: &&&str| {
        let rest = text[start..].strip_prefix(word.as_bytes());
        rest.is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
    };
    let Some(word) = words.iter().find(is_first) else {
        return Err(Failure::error(format!(
            "{shown}:1:1: expected `{}` in the first line, perhaps with `all but` behind it",
            words.join("` or `")
        )));
    };
    // What is behind stays in its column.
    let hide = format!("{:1$}", Action::Hide.name(), word.len());
    text[start..start + word.len()].copy_from_slice(hide.as_bytes());
    let rules = Rules::read(&shown, &text, Action::Hide, matching, &mut |d| {
        session.report(&d)
    });
    Ok((word, rules.map_err(|_| Failure::Reported)?))
}

/// The file of rules that a name stands for, of which the usual ending may be omitted.
pub(super) fn rule_file(action: Action, name: &OsStr) -> PathBuf {
    let endings = match action {
        Action::Hide => ["hid", "hide"],
        Action::Rename => ["ren", "rename"],
        Action::Cut => ["cut", "cut"],
    };
    let mut path = PathBuf::from(name);
    if !path.exists() {
        let with = |ending: &str| {
            let mut full = name.to_owned();
            full.push(format!(".{ending}"));
            PathBuf::from(full)
        };
        if let Some(full) = endings.map(with).into_iter().find(|full| full.exists()) {
            path = full;
        }
    }
    path
}
