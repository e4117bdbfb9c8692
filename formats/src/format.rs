//! Names of formats and compressions, and how they are recognised.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::columns;

/// A file format. Not every format can be read or written; see
/// [`Format::is_readable`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Format {
    /// ALDEBARAN, the text format of most tools.
    Aut,
    /// Binary Coded Graphs of CADP.
    Bcg,
    /// The binary format of mCRL2.
    Lts,
    /// GraphViz.
    Dot,
    /// The FSM format of mCRL2.
    Fsm,
    /// Sequences of labels of CADP.
    Seq,
    /// Traces of mCRL2.
    Trc,
    /// Networks of communicating automata of CADP.
    Exp,
    /// Tab-separated columns.
    Tsv,
    /// JSON Lines.
    Jsonl,
    /// Parquet columns.
    Parquet,
    /// Arrow columns.
    Arrow,
    /// GraphML.
    GraphMl,
}

impl Format {
    /// All formats, in the order in which help texts name them.
    pub const ALL: [Format; 13] = [
        Format::Aut,
        Format::Bcg,
        Format::Lts,
        Format::Dot,
        Format::Fsm,
        Format::Seq,
        Format::Trc,
        Format::Exp,
        Format::Tsv,
        Format::Jsonl,
        Format::Parquet,
        Format::Arrow,
        Format::GraphMl,
    ];

    /// The name, which is also the ending of file names.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Aut => "aut",
            Format::Bcg => "bcg",
            Format::Lts => "lts",
            Format::Dot => "dot",
            Format::Fsm => "fsm",
            Format::Seq => "seq",
            Format::Trc => "trc",
            Format::Exp => "exp",
            Format::Tsv => "tsv",
            Format::Jsonl => "jsonl",
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
            Format::GraphMl => "graphml",
        }
    }

    /// How the hidden action reads in a file of this format, unless something
    /// else is said.
    pub const fn hidden(self) -> &'static str {
        match self {
            Format::Lts | Format::Fsm | Format::Trc => "tau",
            _ => "i",
        }
    }

    /// Whether files are texts, which a terminal can show.
    pub const fn is_text(self) -> bool {
        !matches!(
            self,
            Format::Bcg | Format::Lts | Format::Parquet | Format::Arrow
        )
    }

    /// Whether [`read_lts`](crate::read_lts) knows the format.
    pub const fn is_readable(self) -> bool {
        match self {
            Format::Aut
            | Format::Bcg
            | Format::Dot
            | Format::Fsm
            | Format::Lts
            | Format::Seq
            | Format::Trc
            | Format::Tsv
            | Format::Jsonl => true,
            Format::Parquet | Format::Arrow => columns::AVAILABLE,
            _ => false,
        }
    }

    /// Whether [`write_lts`](crate::write_lts) knows the format.
    pub const fn is_writable(self) -> bool {
        match self {
            Format::Aut
            | Format::Bcg
            | Format::Dot
            | Format::Fsm
            | Format::Lts
            | Format::Seq
            | Format::Trc
            | Format::Tsv
            | Format::Jsonl
            | Format::GraphMl => true,
            Format::Parquet | Format::Arrow => columns::AVAILABLE,
            _ => false,
        }
    }

    /// What to say of a file in this format, which cannot be read.
    pub fn unreadable(self) -> String {
        let readable = Self::list(Format::is_readable);
        self.refusal("read", &format!("readable are {readable}"))
    }

    /// What to say of an output in this format, which cannot be written.
    pub fn unwritable(self) -> String {
        let writable = Self::list(Format::is_writable);
        self.refusal("written", &format!("writable are {writable}"))
    }

    fn refusal(self, verb: &str, others: &str) -> String {
        match self {
            Format::Parquet | Format::Arrow if !columns::AVAILABLE => format!(
                "format {self} cannot be {verb} by this build: \
                 `cargo install --path . --features columns` makes one that can"
            ),
            _ => format!("format {self} cannot be {verb} yet: {others}"),
        }
    }

    /// Whether the format can tell what is known of states beyond their numbers.
    pub const fn has_state_labels(self) -> bool {
        matches!(self, Format::Lts | Format::Fsm | Format::Dot)
    }

    /// The names of the formats for which `fits` holds, separated by commas.
    pub fn list(fits: impl Fn(Format) -> bool) -> String {
        let names: Vec<_> = Self::ALL
            .into_iter()
            .filter(|&f| fits(f))
            .map(Format::name)
            .collect();
        names.join(", ")
    }

    /// The format that the ending of a file name tells, an ending of a
    /// [`Compression`] being taken off first.
    pub fn from_path(path: &Path) -> Option<Format> {
        let mut name = path.file_name()?.to_str()?;
        if let Some(compression) = Compression::from_path(path) {
            name = &name[..name.len() - compression.ending().len() - 1];
        }
        let (_, ending) = name.rsplit_once('.')?;
        let ending = ending.to_ascii_lowercase();
        if ending == "gv" {
            return Some(Format::Dot);
        }
        ending.parse().ok()
    }

    /// Whether a file of this format may have content that seems to tell the
    /// other one, so that its name counts: formats of lines begin with anything,
    /// a trace of mCRL2 even with `destroy(1)` or as `.lts` does.
    pub(crate) fn may_begin_like(self, other: Format) -> bool {
        let of_lines = matches!(self, Format::Seq | Format::Trc | Format::Exp | Format::Tsv);
        let of_text = matches!(
            other,
            Format::Aut | Format::Dot | Format::Fsm | Format::Jsonl | Format::Seq | Format::Tsv
        );
        of_lines && of_text || (self, other) == (Format::Trc, Format::Lts)
    }

    /// The format that the first bytes of the (decompressed) content tell.
    ///
    /// `head` should hold the first few hundred bytes, or all of a shorter
    /// file.
    pub fn from_content(head: &[u8]) -> Option<Format> {
        if head.starts_with(b"\x00\x8b\xaf") {
            return Some(Format::Lts);
        }
        if head.starts_with(b"\x01\x00\x00") || head.starts_with(b"\x01\x02\x00") {
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
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        let text = text.trim_ascii_start();
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
        None
    }
}

/// How the traces that mCRL2 wrote long ago begin; they are refused.
pub(crate) const ANCIENT_TRACE: &[u8] = b"mCRL2Trace";

/// Whether a text begins with a keyword of DOT, comments left out.
fn is_dot(mut text: &[u8]) -> bool {
    loop {
        text = text.trim_ascii_start();
        let end = if text.starts_with(b"//") || text.starts_with(b"#") {
            memchr::memchr(b'\n', text)
        } else if text.starts_with(b"/*") {
            memchr::memmem::find(&text[2..], b"*/").map(|k| k + 3)
        } else {
            break;
        };
        match end {
            Some(k) => text = &text[k + 1..],
            None => return false,
        }
    }
    let word = text
        .iter()
        .position(|b| !b.is_ascii_alphanumeric() && *b != b'_')
        .unwrap_or(text.len());
    [&b"strict"[..], b"digraph", b"graph"]
        .iter()
        .any(|k| k.eq_ignore_ascii_case(&text[..word]))
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
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'\'' | b'@' | b'.');
    !name.is_empty()
        && !name[0].is_ascii_digit()
        && name.iter().all(is_name)
        && !digits.is_empty()
        && digits.iter().all(u8::is_ascii_digit)
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is none of a fixed set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownName {
    /// What kind of name was expected.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// The names that there are, separated by commas.
    pub known: String,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown {} `{}`: expected one of {}",
            self.kind, self.name, self.known
        )
    }
}

impl std::error::Error for UnknownName {}

impl FromStr for Format {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .into_iter()
            .find(|f| f.name() == name)
            .ok_or_else(|| UnknownName {
                kind: "format",
                name: name.into(),
                known: Self::list(|_| true),
            })
    }
}

/// How the bytes of a file are compressed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// gzip, of any number of members.
    Gzip,
    /// Zstandard, of any number of frames.
    Zstd,
    /// xz, of any number of streams.
    Xz,
    /// bzip2, of any number of streams.
    Bzip2,
}

impl Compression {
    /// All compressions.
    pub const ALL: [Compression; 5] = [
        Compression::None,
        Compression::Gzip,
        Compression::Zstd,
        Compression::Xz,
        Compression::Bzip2,
    ];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Compression::None => "none",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Xz => "xz",
            Compression::Bzip2 => "bzip2",
        }
    }

    /// The ending of file names, without the dot; empty for none.
    pub const fn ending(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Gzip => "gz",
            Compression::Zstd => "zst",
            Compression::Xz => "xz",
            Compression::Bzip2 => "bz2",
        }
    }

    /// The compression that the ending of a file name tells.
    pub fn from_path(path: &Path) -> Option<Compression> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::ALL[1..]
            .iter()
            .copied()
            .find(|c| c.ending() == ending)
    }

    /// The compression that the first bytes of a file tell.
    pub fn from_content(head: &[u8]) -> Compression {
        if head.starts_with(b"\x1f\x8b") {
            Compression::Gzip
        } else if head.starts_with(b"\x28\xb5\x2f\xfd") {
            Compression::Zstd
        } else if head.starts_with(b"\xfd7zXZ\x00") {
            Compression::Xz
        } else if head.starts_with(b"BZh") {
            Compression::Bzip2
        } else {
            Compression::None
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Compression {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .into_iter()
            .find(|c| c.name() == name)
            .ok_or_else(|| UnknownName {
                kind: "compression",
                name: name.into(),
                known: "none, gzip, zstd, xz, bzip2".into(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_endings() {
        for f in Format::ALL {
            assert_eq!(f.name().parse(), Ok(f));
            let path = format!("dir.x/some.{}", f.name());
            assert_eq!(Format::from_path(Path::new(&path)), Some(f));
            assert_eq!(Format::from_path(Path::new(&format!("{path}.GZ"))), Some(f));
        }
        for c in Compression::ALL {
            assert_eq!(c.name().parse(), Ok(c));
        }
        assert_eq!(Format::from_path(Path::new("aut")), None);
        assert_eq!(Format::from_path(Path::new("x.gz")), None);
        assert_eq!(
            Compression::from_path(Path::new("x.aut.bz2")),
            Some(Compression::Bzip2)
        );
        assert!("AUT".parse::<Format>().is_err());
        let text = "nonsense".parse::<Format>().unwrap_err().to_string();
        assert!(text.contains("aut, bcg, lts, dot"), "{text}");
    }

    #[test]
    fn names_count_where_content_may_mislead() {
        assert!(Format::Trc.may_begin_like(Format::Fsm));
        assert!(Format::Trc.may_begin_like(Format::Lts));
        assert!(Format::Seq.may_begin_like(Format::Dot));
        assert!(!Format::Seq.may_begin_like(Format::Lts));
        assert!(!Format::Trc.may_begin_like(Format::Bcg));
        assert!(!Format::Dot.may_begin_like(Format::Aut));
    }

    #[test]
    fn content() {
        let cases: [(&[u8], Option<Format>); 31] = [
            (b"des (0,0,1)", Some(Format::Aut)),
            (b"\xef\xbb\xbf\r\n \tdes(0,0,1)", Some(Format::Aut)),
            (b"\x00\x8b\xaf\x01", Some(Format::Lts)),
            (b"\x01\x00\x00", Some(Format::Bcg)),
            (b"\x01\x02\x00x", Some(Format::Bcg)),
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
            (b"des(2) Nat \"0\" \"1\"\n---", Some(Format::Fsm)),
            (b"dest(2) Nat \"0\" \"1\"\n---", Some(Format::Fsm)),
            (b"graph(2)\n---", Some(Format::Fsm)),
            (b"des (0, 1, 2)\n", Some(Format::Aut)),
            (b"des  \n", Some(Format::Aut)),
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
