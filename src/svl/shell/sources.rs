//! Names of files: what their endings say.

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

/// The files that take the place of one that has to be compiled.
pub(crate) fn substitutes(file: &str, process: Option<&str>) -> Vec<String> {
    let stem = stem(file);
    let of_process = process.map_or(String::new(), |process| format!(":{process}"));
    let named = |ending| format!("{stem}{of_process}.{ending}");
    vec![named("bcg"), named("aut")]
}

/// The name of a process in what is written behind a file: `P` of `P [A, B] (1)`.
pub(crate) fn process_name(written: &str) -> String {
    let is_part = |c: &char| c.is_alphanumeric() || *c == '_';
    written.trim().chars().take_while(is_part).collect()
}

/// The ending behind the last full stop of a name, if there is one.
pub(crate) fn ending(text: &str) -> Option<&str> {
    let base = text.rsplit('/').next()?;
    base.rsplit_once('.').map(|(_, ending)| ending)
}

/// Whether files with this ending are read as they are. What is compressed is told by
/// its content.
pub(crate) fn is_readable(ending: &str) -> bool {
    const READABLE: [&str; 21] = [
        "aut", "bcg", "lts", "dot", "gv", "fsm", "seq", "trc", "exp", "tsv", "jsonl", "toml",
        "parquet", "arrow", "gz", "zst", "xz", "bz2", "zstd", "ipc", "feather",
    ];
    READABLE.contains(&ending)
}
