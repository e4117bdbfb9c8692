//! Names of files and processes: what their endings say.

use std::collections::BTreeSet;

use crate::survey::each_behaviour;
use crate::syntax::{Behaviour, Label, Script, Text};

/// The language of a file that has to be compiled, and the command of CADP's that does.
pub(crate) fn compiler(file: &str) -> Option<(&'static str, &'static str)> {
    let (_, ending) = file.rsplit_once('.')?;
    Some(match ending {
        "lnt" => ("LNT", "lnt.open"),
        "lotos" | "lot" => ("LOTOS", "caesar.open"),
        "fsp" => ("FSP", "fsp.open"),
        "c" => ("C", "c.open"),
        _ => return None,
    })
}

/// A name without its ending.
pub(crate) fn stem(file: &str) -> &str {
    let start = file.rfind('/').map_or(0, |at| at + 1);
    match file[start..].rfind('.') {
        Some(at) if at > 0 => &file[..start + at],
        _ => file,
    }
}

/// A process as its instances are told apart: its name, gates and arguments without
/// blanks, `P[A,B](1)`.
pub(crate) fn instance(written: &str) -> String {
    written.split_whitespace().collect()
}

/// The name of a process in what is written behind a file: `P` of `P [A, B] (1)`.
pub(crate) fn process_name(written: &str) -> String {
    let is_part = |c: &char| c.is_alphanumeric() || *c == '_';
    written.trim().chars().take_while(is_part).collect()
}

/// What a script calls a process: gates and arguments, as they are written; none if the
/// name has variables.
pub(crate) fn written(name: &Text, gates: &[Label], arguments: Option<&str>) -> Option<String> {
    let gates: Option<Vec<&str>> = gates.iter().map(|gate| gate.text.as_literal()).collect();
    let arguments = arguments.map_or(String::new(), |arguments| format!("({arguments})"));
    Some(format!(
        "{}[{}]{arguments}",
        name.as_literal()?,
        gates?.join(",")
    ))
}

/// Which instances of processes a script has, and so by which names each can be told from
/// the others: `P`, if there is one, `P(1)`, if only one has these arguments, and
/// `P[A,B](1)`.
#[derive(Default)]
pub(crate) struct Instances {
    /// With the stem of the file, or none for that of `DEFAULT_PROCESS_FILE`.
    found: BTreeSet<(Option<String>, String)>,
}

impl Instances {
    pub fn of(script: &Script) -> Self {
        let mut found = Self::default();
        each_behaviour(&script.items, &mut |of| match of {
            Behaviour::File {
                name,
                process: Some(process),
                ..
            } => {
                if let (Some(file), Some(process)) = (name.as_literal(), process.as_literal()) {
                    let file = Some(stem(file).to_owned());
                    found.found.insert((file, instance(process)));
                }
            }
            Behaviour::File { name, .. } => {
                if let Some(name) = name.as_literal().filter(|name| name.contains('[')) {
                    found.found.insert((None, instance(name)));
                }
            }
            Behaviour::Process {
                name,
                gates,
                arguments,
                ..
            } => {
                if let Some(written) = written(name, gates, arguments.as_deref()) {
                    found.found.insert((None, instance(&written)));
                }
            }
            _ => {}
        });
        found
    }

    /// The names of an instance, the shortest first.
    pub fn names(&self, file: Option<&str>, written: &str) -> Vec<String> {
        let full = instance(written);
        let name = process_name(&full);
        let arguments = |instance: &str| match instance.find('(') {
            Some(at) => instance[at..].to_owned(),
            None => String::new(),
        };
        let of_name: Vec<&String> = self
            .found
            .iter()
            .filter(|(of, instance)| of.as_deref() == file && process_name(instance) == name)
            .map(|(_, instance)| instance)
            .collect();
        let mut names = Vec::new();
        if of_name.iter().all(|other| **other == full) {
            names.push(name.clone());
        }
        let own = arguments(&full);
        let with_own: Vec<_> = of_name.iter().filter(|o| arguments(o) == own).collect();
        if !own.is_empty() && with_own.iter().all(|other| ***other == full) {
            names.push(format!("{name}{own}"));
        }
        if !names.contains(&full) {
            names.push(full);
        }
        names
    }
}

/// The files that take the place of one that has to be compiled, or of processes by these
/// names in it.
pub(crate) fn substitutes(file: &str, processes: &[String]) -> Vec<String> {
    let stem = stem(file);
    let of = |process: Option<&String>| {
        let process = process.map_or(String::new(), |process| format!(":{process}"));
        ["bcg", "aut"].map(|ending| format!("{stem}{process}.{ending}"))
    };
    match processes {
        [] => of(None).into(),
        processes => processes
            .iter()
            .flat_map(|process| of(Some(process)))
            .collect(),
    }
}

/// The ending behind the last full stop of a name, if there is one.
pub(crate) fn ending(text: &str) -> Option<&str> {
    let base = text.rsplit('/').next()?;
    base.rsplit_once('.').map(|(_, ending)| ending)
}

/// Whether files with this ending are read as they are. What is compressed is told by
/// its content.
pub(crate) fn is_readable(ending: &str) -> bool {
    const READABLE: [&str; 23] = [
        "aut", "bcg", "lts", "dot", "gv", "fsm", "kiss2", "kiss", "seq", "trc", "exp", "tsv",
        "jsonl", "toml", "parquet", "arrow", "gz", "zst", "xz", "bz2", "zstd", "ipc", "feather",
    ];
    READABLE.contains(&ending)
}
