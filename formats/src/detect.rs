//! How formats are recognised: by what the user says, by content, by name.

use std::path::Path;
use std::sync::Arc;

use crate::compression::cut_off;
use crate::error::ReadError;
use crate::format::{BYTE_ORDER_MARK, Compression, Format};

impl Format {
    /// The format that the first bytes of the (decompressed) content tell.
    ///
    /// `head` should hold the first few hundred bytes behind blanks and
    /// comments, or all of a shorter file.
    pub fn from_content(head: &[u8]) -> Option<Format> {
        if head.starts_with(b"\x00\x8b\xaf") {
            return Some(Format::Lts);
        }
        // Of any version: the reader says which ones it knows.
        if matches!(head, [1, _, 0, ..]) {
            return Some(Format::Bcg);
        }
        if head.starts_with(b"PAR1") {
            return Some(Format::Parquet);
        }
        // A file, and a stream, which begins with a mark and the length of the
        // schema's message.
        if head.starts_with(b"ARROW1") || head.starts_with(b"\xff\xff\xff\xff") {
            return Some(Format::Arrow);
        }
        if head.starts_with(ANCIENT_TRACE) {
            return Some(Format::Trc);
        }
        let text = without_mark(head).trim_ascii_start();
        if text.starts_with(b"{\"lts\":") {
            return Some(Format::Jsonl);
        }
        if text.starts_with(b"# lts ") {
            return Some(Format::Tsv);
        }
        if text.starts_with(b"\"") || text.starts_with(b"*** sequence ") {
            return Some(Format::Seq);
        }
        // A parameter of FSM may be called `des` or `graph`.
        if is_fsm(text) {
            return Some(Format::Fsm);
        }
        if text.starts_with(b"des") {
            return Some(Format::Aut);
        }
        if is_dot(text) {
            return Some(Format::Dot);
        }
        if is_kiss2(text) {
            return Some(Format::Kiss2);
        }
        None
    }
}

/// How a part of a partitioned LTS begins.
const PART: &[u8] = b"HYADPLTS";

/// Whether it is the beginning of the manifest of a partitioned LTS.
fn is_manifest(head: &[u8]) -> bool {
    let head = &head[..head.len().min(256)];
    head.starts_with(b"{") && memchr::memmem::find(head, b"\"hyades-partitioned-lts\"").is_some()
}

/// How the traces that mCRL2 wrote long ago begin; they are refused.
pub(crate) const ANCIENT_TRACE: &[u8] = b"mCRL2Trace";

/// Whether the beginning of a content is not much more than blanks and comments,
/// so that more of it may tell the format.
pub(crate) fn is_undecided(head: &[u8]) -> bool {
    after_comments(without_mark(head)).len() < 256
}

/// Whether a content begins as a system of machines does: TOML with its `format` first,
/// which no LTS begins with.
fn is_system(head: &[u8]) -> bool {
    let value = after_comments(without_mark(head)).strip_prefix(b"format");
    let value = value.and_then(|rest| rest.trim_ascii_start().strip_prefix(b"="));
    value.is_some_and(|value| value.trim_ascii_start().starts_with(b"\"csm-system-"))
}

/// A text without a byte order mark.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// What follows blanks and the comments of DOT; nothing if a comment has no end.
fn after_comments(mut text: &[u8]) -> &[u8] {
    loop {
        text = text.trim_ascii_start();
        let end = if text.starts_with(b"//") || text.starts_with(b"#") {
            memchr::memchr(b'\n', text)
        } else if text.starts_with(b"/*") {
            memchr::memmem::find(&text[2..], b"*/").map(|k| k + 3)
        } else {
            return text;
        };
        match end {
            Some(k) => text = &text[k + 1..],
            None => return &[],
        }
    }
}

/// Whether a text begins with a keyword of DOT, comments left out.
fn is_dot(text: &[u8]) -> bool {
    let text = after_comments(text);
    let word = text
        .iter()
        .position(|b| !b.is_ascii_alphanumeric() && *b != b'_')
        .unwrap_or(text.len());
    [&b"strict"[..], b"digraph", b"graph"]
        .iter()
        .any(|k| k.eq_ignore_ascii_case(&text[..word]))
}

/// Whether a text begins as KISS2 does, with a directive and what it tells, comments left out.
fn is_kiss2(text: &[u8]) -> bool {
    let text = after_comments(text);
    let line = text.split(|&b| b == b'\n').next().unwrap_or(text);
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    match (words.next(), words.next()) {
        (Some(b".i" | b".o" | b".p" | b".s"), Some(number)) => {
            number.iter().all(u8::is_ascii_digit)
        }
        (Some(b".r" | b".ilb" | b".ob" | b".type"), Some(_)) => true,
        (Some(b".start_kiss"), None) => true,
        _ => false,
    }
}

/// Whether a text begins as FSM does: a line `---` or `NAME(digits)`.
fn is_fsm(text: &[u8]) -> bool {
    let line = text.split(|&b| b == b'\n').next().unwrap_or(text);
    let line = line.trim_ascii_end();
    if line == b"---" {
        return true;
    }
    let Some(open) = memchr::memchr(b'(', line) else {
        return false;
    };
    let name = line[..open].trim_ascii_end();
    let rest = &line[open + 1..];
    let Some(close) = memchr::memchr(b')', rest) else {
        return false;
    };
    let digits = rest[..close].trim_ascii();
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || b"_'@.[]".contains(b);
    !name.is_empty()
        && !name[0].is_ascii_digit()
        && name.iter().all(is_name)
        && !digits.is_empty()
        && digits.iter().all(u8::is_ascii_digit)
}

/// What an input is for, which decides what to say if it is something else.
#[derive(Clone, Copy)]
pub(crate) enum Role {
    /// What a command works on, or one of two.
    Input,
    /// A file beside that.
    Beside,
    /// A file that another one names.
    Named,
    /// A text on the side, that is never an LTS.
    Text,
}

impl Role {
    /// What to say of a shared object: none is loaded because of its content.
    fn shared_object(self) -> &'static str {
        match self {
            Role::Input => {
                "a shared object, not an LTS: only `check`, `reach` and `refine` load models, and only if \
                 the name ends in .so or with --from model, as that runs their code"
            }
            Role::Beside => "a shared object, not an LTS or a trace",
            Role::Named => {
                "a shared object, not an LTS or a text: a file that another one names is never \
                 loaded, as that would run its code"
            }
            Role::Text => "a shared object; expected a text",
        }
    }
}

/// What to say of content that is no format at all, but holds one.
fn foreign(head: &[u8]) -> Option<&'static str> {
    let starts = |magic: &[u8]| head.starts_with(magic);
    // Behind the name of the first file and what else is known of it.
    let is_tar = || {
        let magic = head.get(257..265);
        magic.is_some_and(|magic| magic == b"ustar\x0000" || magic == b"ustar  \0")
    };
    if starts(b"PK\x03\x04") || starts(b"PK\x05\x06") {
        Some("an archive (zip): unpack it first")
    } else if starts(b"7z\xbc\xaf\x27\x1c") {
        Some("an archive (7z): unpack it first")
    } else if starts(b"\x04\x22\x4d\x18") {
        Some("lz4 data, which is not among the compressions that are known: unpack it first")
    } else if starts(b"\x1f\x9d") {
        Some(
            "data of compress, which is not among the compressions that are known: unpack it first",
        )
    } else if starts(b"\x5d\x00\x00") {
        Some("lzma data, which is not among the compressions that are known: unpack it first")
    } else if is_tar() {
        Some("an archive (tar): unpack it first")
    } else if matches!(head, [0xff, 0xfe, _, 0, ..] | [0xfe, 0xff, 0, ..]) {
        Some("a text in UTF-16: convert it to UTF-8 first, as by iconv")
    } else {
        None
    }
}

/// What is known of an input before it is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Expected<'a> {
    /// Its name, if that tells something.
    pub path: Option<&'a Path>,
    /// What it is for.
    pub role: Role,
    /// What the user says.
    pub format: Option<Format>,
}

impl Expected<'_> {
    /// An input without a name.
    pub fn input(format: Option<Format>) -> Self {
        Self {
            path: None,
            role: Role::Input,
            format,
        }
    }
}

/// The format of an input: what the user says, else what its content tells,
/// else what its name tells, else AUT for an input without a name. Those that are
/// nothing of all that are refused, whatever the user says.
///
/// # Errors
/// If so, or if nothing tells the format.
pub(crate) fn detect(
    name: &Arc<str>,
    head: &[u8],
    compression: Compression,
    expected: Expected<'_>,
) -> Result<Format, ReadError> {
    let Expected { path, role, format } = expected;
    let refuse = |text: String| ReadError::Format {
        file: Arc::clone(name),
        text,
    };
    if head.starts_with(ANCIENT_TRACE) {
        return Err(refuse(
            "a trace of an old version of mCRL2: convert it with that version first".into(),
        ));
    }
    if head.starts_with(PART) || is_manifest(head) {
        return Err(refuse(
            "a file of a partitioned LTS: name the directory that it is in".into(),
        ));
    }
    if head.starts_with(b"\x7fELF") {
        let what = role.shared_object();
        return Err(refuse(match (role, compression) {
            (Role::Input, packed) if packed != Compression::None => {
                format!("{what}; it is {packed} data: unpack it first")
            }
            _ => what.into(),
        }));
    }
    if let Some(what) = foreign(head) {
        return Err(refuse(what.into()));
    }
    if let Some(cut) = cut_off(head) {
        return Err(refuse(format!(
            "it ends within what {cut} data begins with: it is truncated"
        )));
    }
    if format == Some(Format::Plts) {
        return Err(refuse(
            "a partitioned LTS is a directory, and read by its name only: this is none".into(),
        ));
    }
    if let Some(format) = format {
        return Ok(format);
    }
    let named = path.and_then(Format::from_path);
    let told = Format::from_content(head);
    match (told, named) {
        (Some(told), Some(named)) if named.may_begin_like(told) => Ok(named),
        (Some(format), _) | (None, Some(format)) => Ok(format),
        (None, None) if path.is_none() && is_system(head) => Err(refuse(
            "a system of machines without a name that tells so: name its format with --from toml"
                .into(),
        )),
        (None, None) if path.is_none() => Ok(Format::Aut),
        (None, None) => Err(refuse(match role {
            Role::Input | Role::Text => format!(
                "neither content nor ending tells the format: name it with --from ({})",
                Format::list(Format::is_input)
            ),
            // These have no options of their own.
            Role::Beside | Role::Named => format!(
                "neither content nor ending tells the format: give it the ending of its format \
                 ({})",
                Format::list(Format::is_readable)
            ),
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blanks_decide_nothing() {
        let many = [&b"\xef\xbb\xbf"[..], &[b'\n'; 5000]].concat();
        let comment = [&b"/*"[..], &[b' '; 5000]].concat();
        let lines = b"// no end\n# ".repeat(400);
        for open in [&many, &comment, &lines, &[&many[..], b"digr"].concat()] {
            assert!(is_undecided(open));
        }
        let text = [b'x'; 300];
        for decided in [&text[..], &[&many[..], &text].concat()] {
            assert!(!is_undecided(decided));
        }
    }

    #[test]
    fn content() {
        let cases: [(&[u8], Option<Format>); 45] = [
            (b"des (0,0,1)", Some(Format::Aut)),
            (b"\xef\xbb\xbf\r\n \tdes(0,0,1)", Some(Format::Aut)),
            (b"\x00\x8b\xaf\x01", Some(Format::Lts)),
            (b"\x01\x00\x00", Some(Format::Bcg)),
            (b"\x01\x02\x00x", Some(Format::Bcg)),
            (b"\x01\x03\x00", Some(Format::Bcg)),
            (b"\x01\x03", None),
            (b"PAR1", Some(Format::Parquet)),
            (b"ARROW1\0\0", Some(Format::Arrow)),
            (b"mCRL2Trace", Some(Format::Trc)),
            (b"digraph {", Some(Format::Dot)),
            (b"/* a\n*/ // b\n# c\n STRICT digraph", Some(Format::Dot)),
            (b"/*/ digraph", None),
            (b"graph{", Some(Format::Dot)),
            (b"graphs", None),
            (b"# digraph", None),
            (b"{\"lts\":1}", Some(Format::Jsonl)),
            (b"---\n", Some(Format::Fsm)),
            (b"s3_P(12) D \"1\"", Some(Format::Fsm)),
            (b"s(3)\r\n---", Some(Format::Fsm)),
            (b"phil[0].pc(3) pc", Some(Format::Fsm)),
            (b"des(2) Nat \"0\" \"1\"\n---", Some(Format::Fsm)),
            (b"dest(2) Nat \"0\" \"1\"\n---", Some(Format::Fsm)),
            (b"graph(2)\n---", Some(Format::Fsm)),
            (b"des (0, 1, 2)\n", Some(Format::Aut)),
            (b"des  \n", Some(Format::Aut)),
            (b".i 2\n.o 1\n", Some(Format::Kiss2)),
            (b"# a\n\n .s\t12 # b\r\n", Some(Format::Kiss2)),
            (b".r s0", Some(Format::Kiss2)),
            (b".ilb x y\n.ob z\n.i 2\n", Some(Format::Kiss2)),
            (b".start_kiss\n.i 2\n", Some(Format::Kiss2)),
            (b".start_kiss 1\n", None),
            (b".model m\n", None),
            (b".i\n", None),
            (b".i two\n", None),
            (b".include 2\n", None),
            (b"0 s0 s1 1\n", None),
            (b"# lts states=1", Some(Format::Tsv)),
            (b"\"a\"\n", Some(Format::Seq)),
            (b"*** sequence 1 (length 0)\n", Some(Format::Seq)),
            (b"\xff\xff\xff\xff\x10\0\0\0", Some(Format::Arrow)),
            (b"(0, a, 1)", None),
            (b"f(x)", None),
            (b"", None),
            (b"DES (0,0,1)", None),
        ];
        for (head, format) in cases {
            assert_eq!(
                Format::from_content(head),
                format,
                "{}",
                head.escape_ascii()
            );
        }
    }
}
