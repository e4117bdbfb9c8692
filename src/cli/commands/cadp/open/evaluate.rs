//! The evaluators: `check` with other arguments.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::super::{Arguments, Kind, Tool, labels, unsupported};
use super::{Spec, diagnostic};
use hyades_cli_core::Failure;
use hyades_lts::relabel::Action;

/// The evaluator with this name.
pub const fn tool(name: &'static str) -> Tool {
    Tool {
        name,
        usage: "[-acyclic] [-bfs|-dfs] [-diag [FILE.bcg]] \
                [-hide [-total|-partial|-gate] FILE \
                | -rename [-total|-single|-multiple|-gate] FILE]… \
                [-tauconfluence] [-expand] [-labels] [-depend] [-stat] PROPERTY[.mcl]",
        kind: Kind::Becomes("check", arguments_of_check),
    }
}

/// The arguments of `check` for a command line of an evaluator.
///
/// # Errors
/// If it means nothing.
fn arguments_of_check(mut arguments: Arguments, spec: &Spec) -> Result<Vec<OsString>, Failure> {
    let mut options: Vec<OsString> = Vec::new();
    let mut printed: Option<String> = None;
    let mut search: Option<String> = None;
    while let Some(option) = arguments.option() {
        match &option[..] {
            // The last one counts.
            "-bfs" | "-dfs" => search = Some(option[1..].to_owned()),
            "-diag" => {
                let file = diagnostic(&mut arguments, "evaluator.bcg");
                let has_ending = Path::new(&file).extension().is_some();
                let mut name = file;
                if !has_ending {
                    name.push(".bcg");
                }
                options.extend(["--diag".into(), "--output".into(), name]);
            }
            "-expand" | "-depend" | "-labels" => match printed.replace(option.clone()) {
                Some(other) if other != option => {
                    return Err(arguments.wrong(format!(
                        "{other} and {option} print different things: take one of them"
                    )));
                }
                _ => {}
            },
            "-hide" | "-rename" => {
                let action = match &option[..] {
                    "-hide" => Action::Hide,
                    _ => Action::Rename,
                };
                let (matching, file) =
                    labels::mode_and_file(&option, &mut arguments, action, "with rules")?;
                options.extend([
                    "--match".into(),
                    matching.to_string().into(),
                    format!("-{option}").into(),
                    labels::rule_file(action, &file).into(),
                ]);
            }
            // A promise, and what changes no verdict of ours.
            "-acyclic" | "-stat" | "-tauconfluence" | "-taucompression" | "-taudivergence"
            | "-strong" | "-verbose" => {}
            "-bes" => return Err(unsupported(&option)),
            _ => return Err(arguments.unknown(&option)),
        }
    }
    options.extend(search.map(|order| format!("--search={order}").into()));
    options.extend(printed.map(|option| match &option[..] {
        "-labels" => "--matched-labels".into(),
        _ => format!("-{option}").into(),
    }));
    let files = arguments.operands(1, 1)?;
    // A reduction is taken where it keeps the formula, and told where not.
    let mut words = spec.arguments();
    words.extend(["--formula".into(), property(&files[0])]);
    words.extend(options);
    Ok(words)
}

/// The file of a property, of which the ending may be omitted.
fn property(name: &OsString) -> OsString {
    let endings = [&b".mcl"[..], b".mcf"];
    let has_ending = endings
        .iter()
        .any(|ending| name.as_bytes().ends_with(ending));
    let mut full = name.clone();
    full.push(".mcl");
    let is_whole = Path::new(name).exists() && !Path::new(&full).exists();
    match has_ending || name == "-" || is_whole {
        true => name.clone(),
        false => full,
    }
}
