//! `bcg_io`: from one format to another.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use hyades::cli::{Failure, Session};
use hyades::formats::{Compression, Format};

use super::{Arguments, Tool, bcg_input, output, read, unsupported, with_ending};

pub const TOOL: Tool = Tool {
    name: "bcg_io",
    usage: "[OPTIONS] [-FORMAT] INPUT [-parse|-unparse] [-FORMAT] OUTPUT",
    about: "Convert from and to BCG",
    run,
};

/// The options that name a format, and what CADP has beyond ours.
const FORMATS: [(&str, Option<Format>); 24] = [
    ("-bcg", Some(Format::Bcg)),
    ("-aut", Some(Format::Aut)),
    ("-aldebaran", Some(Format::Aut)),
    ("-seq", Some(Format::Seq)),
    ("-sequence", Some(Format::Seq)),
    ("-graphviz", Some(Format::Dot)),
    ("-dot", Some(Format::Dot)),
    ("-fsm", Some(Format::Fsm)),
    ("-lts", Some(Format::Lts)),
    ("-tsv", Some(Format::Tsv)),
    ("-ascii", None),
    ("-auto", None),
    ("-cwb", None),
    ("-etmcc", None),
    ("-fc2", None),
    ("-gml", None),
    ("-lotos", None),
    ("-mec", None),
    ("-pipn", None),
    ("-scan", None),
    ("-squiggles", None),
    ("-vcg", None),
    ("-viscope", None),
    ("-xesar", None),
];

/// A file on the command line, and the format that an option before it names.
struct Named {
    name: OsString,
    format: Option<Format>,
}

fn run(mut arguments: Arguments, session: &mut Session) -> Result<(), Failure> {
    let mut files: Vec<Named> = Vec::new();
    let mut format = None;
    let mut parse = true;
    loop {
        if let Some(option) = arguments.option() {
            if arguments.common(session, &option, true)? {
                continue;
            }
            match FORMATS.iter().find(|(name, _)| *name == option) {
                Some((_, Some(_))) if format.is_some() => {
                    return Err(arguments.wrong("two formats for one file"));
                }
                Some((_, Some(named))) => format = Some(*named),
                Some((name, None)) => return Err(unsupported(&format!("the format {name}"))),
                None if option == "-parse" => parse = true,
                None if option == "-unparse" => parse = false,
                None => return Err(arguments.unknown(&option)),
            }
        } else if let Some(name) = arguments.words.pop_front() {
            let format = format.take();
            files.push(Named { name, format });
        } else {
            break;
        }
    }
    if format.is_some() {
        return Err(arguments.wrong("an option that names a format stands before a file name"));
    }
    let Ok([input, target]) = <[Named; 2]>::try_from(files) else {
        return Err(arguments.wrong("two file names are needed"));
    };
    let (from, to) = match (bare_ending(&input.name), bare_ending(&target.name)) {
        (true, true) => return Err(arguments.wrong("both files are endings without a name")),
        (true, false) => (renamed(&target.name, &input.name), target.name.into()),
        (false, true) => {
            let to = renamed(&input.name, &target.name);
            (input.name.into(), to)
        }
        (false, false) => (PathBuf::from(input.name), PathBuf::from(target.name)),
    };
    let stream = Path::new("-");
    let from = match input.format.or_else(|| Format::from_path(&from)) {
        None if from != stream => bcg_input(from.as_os_str()),
        _ => from,
    };
    let (to, to_format) = match target.format.or_else(|| Format::from_path(&to)) {
        Some(format) => (to, format),
        None if to == stream => {
            return Err(arguments.wrong(
                "the format of standard output is told by an option before the `-`, such as -aut",
            ));
        }
        None => (with_ending(&to), Format::Bcg),
    };
    let mut output = output(&to, to_format)?;
    output.options.bcg.parse_labels = parse;
    session.check_outputs(&[&from], &[&output.destination])?;
    let lts = read(session, &from, input.format)?;
    session.write(&output, &lts)
}

/// Whether a name is but the ending of a format: `.aut`, `.aut.gz`.
fn bare_ending(name: &OsStr) -> bool {
    let Some(ending) = name.to_str().filter(|name| name.starts_with('.')) else {
        return false;
    };
    let file = format!("x{ending}");
    Format::from_path(Path::new(&file)).is_some()
        && without_ending(Path::new(&file)) == Path::new("x")
}

/// The name of another file with this ending in place of its own.
fn renamed(other: &OsStr, ending: &OsStr) -> PathBuf {
    let mut name = without_ending(Path::new(other)).into_os_string();
    name.push(ending);
    name.into()
}

/// A path without the endings of its compression and its format.
fn without_ending(path: &Path) -> PathBuf {
    if Format::from_path(path).is_none() {
        return path.to_owned();
    }
    match Compression::from_path(path) {
        Some(_) => path.with_extension("").with_extension(""),
        None => path.with_extension(""),
    }
}
