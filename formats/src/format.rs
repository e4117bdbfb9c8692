//! Names of formats, and what formats can do.

use std::path::Path;

pub use crate::compression::Compression;
use crate::named;
pub use crate::names::UnknownName;

/// Whether this build can read and write columns.
const COLUMNS: bool = cfg!(feature = "columns");

/// What some programs put before a text in UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A file format; its names are also the endings of file names. Not every format can be
/// read or written; see [`Format::is_readable`].
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
    /// Mealy machines of logic synthesis.
    Kiss2,
    /// Sequences of labels of CADP.
    Seq,
    /// Traces of mCRL2.
    Trc,
    /// Networks of communicating automata of CADP.
    Exp,
    /// Systems of communicating machines; of Hyades.
    Toml,
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
    /// A partitioned LTS, which is a directory; of Hyades.
    Plts,
}

named! {
    Format, "format":
    Aut = "aut",
    Bcg = "bcg",
    Lts = "lts",
    Dot = "dot" | "gv",
    Fsm = "fsm",
    Kiss2 = "kiss2" | "kiss",
    Seq = "seq",
    Trc = "trc",
    Exp = "exp",
    Toml = "toml",
    Tsv = "tsv",
    Jsonl = "jsonl" | "json" | "ndjson",
    Parquet = "parquet",
    Arrow = "arrow",
    GraphMl = "graphml",
    Plts = "plts",
}

/// What [`Format`] tells of one: each but the last two has a method of this name, which says
/// what it is.
#[derive(Clone, Copy)]
struct Facts {
    is_text: bool,
    is_readable: bool,
    is_writable: bool,
    is_of_mcrl2: bool,
    tells_hidden: bool,
    has_state_labels: bool,
    is_folder: bool,
    /// Whether some commands explore what files in it describe.
    is_explored: bool,
    /// Whether files in it are lines that begin with anything.
    is_of_lines: bool,
}

/// A text that is read and written.
const TEXT: Facts = Facts {
    is_text: true,
    is_readable: true,
    is_writable: true,
    is_of_mcrl2: false,
    tells_hidden: false,
    has_state_labels: false,
    is_folder: false,
    is_explored: false,
    is_of_lines: false,
};

/// The same in binary.
const BINARY: Facts = Facts {
    is_text: false,
    ..TEXT
};

/// A text that describes what is to be explored.
const MODEL: Facts = Facts {
    is_readable: false,
    is_writable: false,
    is_explored: true,
    ..TEXT
};

impl Format {
    /// A row for each.
    const fn facts(self) -> Facts {
        match self {
            Format::Aut => TEXT,
            Format::Bcg => BINARY,
            Format::Lts => Facts {
                is_of_mcrl2: true,
                has_state_labels: true,
                ..BINARY
            },
            Format::Dot => Facts {
                has_state_labels: true,
                ..TEXT
            },
            Format::Fsm => Facts {
                is_of_mcrl2: true,
                has_state_labels: true,
                ..TEXT
            },
            Format::Kiss2 => Facts {
                has_state_labels: true,
                ..TEXT
            },
            Format::Seq => Facts {
                is_of_lines: true,
                ..TEXT
            },
            Format::Trc => Facts {
                is_of_mcrl2: true,
                is_of_lines: true,
                ..TEXT
            },
            Format::Exp => Facts {
                is_of_lines: true,
                tells_hidden: true,
                ..MODEL
            },
            Format::Toml => Facts {
                is_of_lines: true,
                ..MODEL
            },
            Format::Tsv => Facts {
                is_of_lines: true,
                ..TEXT
            },
            Format::Jsonl => Facts {
                tells_hidden: true,
                ..TEXT
            },
            Format::Parquet | Format::Arrow => Facts {
                is_readable: COLUMNS,
                is_writable: COLUMNS,
                ..BINARY
            },
            Format::GraphMl => Facts {
                is_readable: false,
                ..TEXT
            },
            Format::Plts => Facts {
                tells_hidden: true,
                is_folder: true,
                ..BINARY
            },
        }
    }

    /// How the hidden action reads in a file of this format, unless something
    /// else is said.
    pub const fn hidden(self) -> &'static str {
        match self.is_of_mcrl2() {
            true => "tau",
            false => "i",
        }
    }

    /// Whether it is one of mCRL2's own formats, where the hidden action is `tau`.
    pub const fn is_of_mcrl2(self) -> bool {
        self.facts().is_of_mcrl2
    }

    /// Whether files are texts, which a terminal can show.
    pub const fn is_text(self) -> bool {
        self.facts().is_text
    }

    /// Whether files in it say themselves which labels are hidden, whatever these read.
    pub const fn tells_hidden(self) -> bool {
        self.facts().tells_hidden
    }

    /// Whether [`read_lts`](crate::read_lts) knows the format.
    pub const fn is_readable(self) -> bool {
        self.facts().is_readable
    }

    /// Whether commands read the format: what [`read_lts`](crate::read_lts)
    /// knows, and networks and systems of machines, which some of them explore.
    pub const fn is_input(self) -> bool {
        self.is_readable() || self.facts().is_explored
    }

    /// Whether [`write_lts`](crate::write_lts) knows the format.
    pub const fn is_writable(self) -> bool {
        self.facts().is_writable
    }

    /// What to say of a file in this format, which cannot be read.
    pub fn unreadable(self) -> String {
        if self == Format::Exp {
            return "a network is no LTS: the command `reach`, or `network::read_lts` in the \
                    library, explores it"
                .into();
        }
        if self == Format::Toml {
            return "a system of machines is no LTS: the command `reach`, or a `SystemModel` in \
                    the library, explores it"
                .into();
        }
        let readable = Self::list(Format::is_input);
        self.refusal("read", &format!("readable are {readable}"), COLUMNS)
    }

    /// What to say of an output in this format, which cannot be written.
    pub fn unwritable(self) -> String {
        let writable = Self::list(Format::is_writable);
        if self == Format::Exp {
            return format!(
                "format exp is for networks, which `reach --flat` writes as vectors: an LTS is \
                 none; writable are {writable}"
            );
        }
        if self == Format::Toml {
            return format!(
                "format toml is for systems of machines: an LTS is none; writable are {writable}"
            );
        }
        self.refusal("written", &format!("writable are {writable}"), COLUMNS)
    }

    /// What a build with the feature `columns` says, or one without it.
    fn refusal(self, verb: &str, others: &str, columns: bool) -> String {
        match self {
            Format::Parquet | Format::Arrow if !columns => format!(
                "format {self} cannot be {verb} by this build: \
                 `cargo install --path . --features columns` makes one that can"
            ),
            _ => format!("format {self} cannot be {verb} yet: {others}"),
        }
    }

    /// Whether the format can tell what is known of states beyond their numbers.
    pub const fn has_state_labels(self) -> bool {
        self.facts().has_state_labels
    }

    /// Whether it is a directory of files, which is read and written by its name only.
    pub const fn is_folder(self) -> bool {
        self.facts().is_folder
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

    /// The format that the [ending](Format::ending) of a file name tells: one of its names.
    pub fn from_path(path: &Path) -> Option<Format> {
        Self::from_name(&Self::ending(path)?)
    }

    /// What follows the last dot of a file name, in lower case, an ending of a
    /// [`Compression`] being taken off first; none if that is nothing.
    pub fn ending(path: &Path) -> Option<String> {
        let mut name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        if let Some(compression) = Compression::from_path(path) {
            name.truncate(name.len() - compression.ending().len() - 1);
        }
        let (_, ending) = name.rsplit_once('.')?;
        (!ending.is_empty()).then(|| ending.to_owned())
    }

    /// Whether a file of this format may have content that seems to tell the
    /// other one, so that its name counts: formats of lines begin with anything,
    /// a trace of mCRL2 even with `destroy(1)` or as `.lts` does.
    pub(crate) fn may_begin_like(self, other: Format) -> bool {
        let of_lines = self.facts().is_of_lines;
        match other {
            Format::Aut
            | Format::Dot
            | Format::Fsm
            | Format::Kiss2
            | Format::Jsonl
            | Format::Seq
            | Format::Tsv => of_lines,
            Format::Lts => self == Format::Trc,
            Format::Bcg
            | Format::Trc
            | Format::Exp
            | Format::Toml
            | Format::Parquet
            | Format::Arrow
            | Format::GraphMl
            | Format::Plts => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_without_columns_tell_how_to_get_them() {
        let how = "by this build: `cargo install --path . --features columns` makes one that can";
        for format in [Format::Parquet, Format::Arrow] {
            let text = format.refusal("read", "readable are aut", false);
            assert_eq!(text, format!("format {format} cannot be read {how}"));
            let text = format.refusal("read", "readable are aut", true);
            assert_eq!(
                text,
                format!("format {format} cannot be read yet: readable are aut")
            );
        }
    }

    #[test]
    fn names_and_endings() {
        for f in Format::ALL {
            assert_eq!(f.name().parse(), Ok(f));
            let path = format!("dir.x/some.{}", f.name());
            assert_eq!(Format::from_path(Path::new(&path)), Some(f));
            assert_eq!(Format::from_path(Path::new(&format!("{path}.GZ"))), Some(f));
        }
        for (alias, f) in [
            ("gv", Format::Dot),
            ("kiss", Format::Kiss2),
            ("json", Format::Jsonl),
            ("ndjson", Format::Jsonl),
        ] {
            assert_eq!(alias.parse(), Ok(f));
        }
        assert_eq!(Format::from_path(Path::new("aut")), None);
        assert_eq!(Format::from_path(Path::new("x.gz")), None);
        assert_eq!(Format::from_path(Path::new("x.Json")), Some(Format::Jsonl));
        assert_eq!(Format::from_path(Path::new("x.gv.zst")), Some(Format::Dot));
        let ending = |name: &str| Format::ending(Path::new(name));
        assert_eq!(ending("d.aut/x.Foo"), Some("foo".into()));
        assert_eq!(ending("x.foo.gz"), Some("foo".into()));
        assert_eq!(ending("d.aut/x"), None);
        assert_eq!(ending("x.gz"), None);
        assert_eq!(ending("x."), None);
        assert_eq!(ending("x.foo."), None);
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
}
