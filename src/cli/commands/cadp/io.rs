//! `bcg_io`: from one format to another.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use hyades_formats::diagnostic::printable_path;
use hyades_formats::{Compression, Format};

use super::{
    Arguments, FOREIGN, Kind, Tool, bcg_input, foreign, is_foreign, output, read_for, unsupported,
    with_ending,
};
use hyades_cli_core::{Failure, LtsOutput, Session};

pub const TOOL: Tool = Tool {
    name: "bcg_io",
    usage: "[OPTIONS] [-FORMAT] INPUT [-parse|-unparse] [-FORMAT] OUTPUT",
    kind: Kind::Files(run),
};

/// The options that name a format.
const FORMATS: [(&str, Format); 12] = [
    ("-bcg", Format::Bcg),
    ("-aut", Format::Aut),
    ("-aldebaran", Format::Aut),
    ("-seq", Format::Seq),
    ("-sequence", Format::Seq),
    ("-graphviz", Format::Dot),
    ("-dot", Format::Dot),
    ("-fsm", Format::Fsm),
    ("-lts", Format::Lts),
    ("-tsv", Format::Tsv),
    ("-json", Format::Jsonl),
    ("-jsonl", Format::Jsonl),
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
                Some(_) if format.is_some() => {
                    return Err(arguments.wrong("two formats for one file"));
                }
                Some((_, named)) => format = Some(*named),
                None if FOREIGN.contains(&&option[1..]) => {
                    return Err(unsupported(&format!("the format {option}")));
                }
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
    let (from, from_format) = source(from, input.format)?;
    let mut output = destination(&arguments, &to, target.format)?;
    output.options.bcg.parse_labels = parse;
    session.check_outputs(&[&from], &[&output.destination])?;
    let lts = read_for(&mut output, session, &from, from_format)?;
    session.write(&output, &lts)
}

/// The file to read, and its format where its content is not to tell it.
fn source(name: PathBuf, format: Option<Format>) -> Result<(PathBuf, Option<Format>), Failure> {
    let told = Format::from_path(&name);
    Ok(match format.or(told) {
        _ if name == Path::new("-") => (name, format),
        Some(Format::Bcg) => (bcg_input(name.as_os_str()), format),
        Some(_) => (name, format),
        None if is_foreign(&name) && !with_ending(&name).exists() => return Err(foreign(&name)),
        None => (bcg_input(name.as_os_str()), None),
    })
}

/// The file to write. A name that tells no format gets the ending of BCG if an
/// option asks for that format, or if it has no ending at all: whoever says
/// `x.abc` may mean a format of which we do not know.
fn destination(
    arguments: &Arguments,
    name: &Path,
    format: Option<Format>,
) -> Result<LtsOutput, Failure> {
    let stream = name == Path::new("-");
    let told = Format::from_path(name);
    let packing = || Some(Compression::from_path(name)?.ending().to_owned());
    match format.or(told) {
        Some(Format::Bcg) if !stream && told.is_none() && !is_foreign(name) => {
            output(&with_ending(name), Format::Bcg)
        }
        Some(format) => output(name, format),
        None if stream => Err(arguments.wrong(
            "the format of standard output is told by an option before the `-`, such as -aut",
        )),
        None if is_foreign(name) => Err(foreign(name)),
        None => match Format::ending(name).or_else(packing) {
            Some(ending) => Err(arguments.wrong(format!(
                "{}: the ending .{ending} tells no format{}: name one by an option before the \
                 file, such as -bcg",
                printable_path(name),
                Compression::hint_of_ending(&ending)
            ))),
            None => output(&with_ending(name), Format::Bcg),
        },
    }
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
