//! Names of compressions, and how they are recognised.

use std::path::Path;

use crate::named;

/// So many bytes tell every compression.
pub(crate) const SIGNATURE: usize = 10;

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

named! {
    Compression, "compression":
    None = "none",
    Gzip = "gzip",
    Zstd = "zstd",
    Xz = "xz",
    Bzip2 = "bzip2",
}

impl Compression {
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

    /// The compression that the first 10 bytes of a file tell.
    pub fn from_content(head: &[u8]) -> Compression {
        if head.starts_with(b"\x1f\x8b") {
            Compression::Gzip
        } else if head.starts_with(b"\x28\xb5\x2f\xfd") {
            Compression::Zstd
        } else if head.starts_with(b"\xfd7zXZ\x00") {
            Compression::Xz
        } else if is_bzip2(head) {
            Compression::Bzip2
        } else {
            Compression::None
        }
    }
}

/// Whether a file begins as bzip2 does: with a header that texts may have too,
/// then with a block or, if it is empty, with its end.
fn is_bzip2(head: &[u8]) -> bool {
    let Some((header, magic)) = head.split_at_checked(4) else {
        return false;
    };
    let magics = [b"\x31\x41\x59\x26\x53\x59", b"\x17\x72\x45\x38\x50\x90"];
    header.starts_with(b"BZh")
        && matches!(header[3], b'1'..=b'9')
        && magics.iter().any(|m| magic.starts_with(*m))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_endings() {
        for c in Compression::ALL {
            assert_eq!(c.name().parse(), Ok(c));
        }
        assert_eq!(
            Compression::from_path(Path::new("x.aut.bz2")),
            Some(Compression::Bzip2)
        );
    }

    #[test]
    fn content() {
        let cases: [(&[u8], Compression); 11] = [
            (b"\x1f\x8b", Compression::Gzip),
            (b"\x28\xb5\x2f\xfd", Compression::Zstd),
            (b"\xfd7zXZ\x00", Compression::Xz),
            (b"BZh91AY&SY", Compression::Bzip2),
            (b"BZh1\x17\x72\x45\x38\x50\x90", Compression::Bzip2),
            // labels of traces
            (b"BZh", Compression::None),
            (b"BZh9", Compression::None),
            (b"BZh9(x, y)\nb", Compression::None),
            (b"BZh01AY&SY", Compression::None),
            (b"BZh91AY&S", Compression::None),
            (b"", Compression::None),
        ];
        for (head, compression) in cases {
            assert_eq!(Compression::from_content(head), compression);
            assert!(head.len() <= SIGNATURE + 2);
        }
    }
}
