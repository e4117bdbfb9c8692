//! Names of compressions, and how they are recognised.

use std::path::Path;

use crate::named;

/// So many bytes tell every compression.
pub(crate) const SIGNATURE: usize = 10;

/// How a frame of Zstandard begins that holds data.
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// How a stream of xz begins.
const XZ: &[u8] = b"\xfd7zXZ\x00";

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

    /// What to say, behind `the ending .X tells no format`, of an ending in lower case that is
    /// that of another compression: which ones there are. Nothing of others.
    pub fn hint_of_ending(ending: &str) -> String {
        match FOREIGN.contains(&ending) {
            true => {
                let known = Self::ALL[1..].iter();
                let known: Vec<String> = known.map(|c| format!(".{}", c.ending())).collect();
                format!(", nor a compression (there are {})", known.join(", "))
            }
            false => String::new(),
        }
    }

    /// The compression that the first 10 bytes of a file tell; of a file in which frames
    /// of Zstandard come first that decompressors skip, those up to the next frame.
    pub fn from_content(head: &[u8]) -> Compression {
        if head.starts_with(b"\x1f\x8b") {
            Compression::Gzip
        } else if behind_skippable(head).is_some_and(|rest| rest.starts_with(ZSTD)) {
            Compression::Zstd
        } else if head.starts_with(XZ) {
            Compression::Xz
        } else if is_bzip2(head) {
            Compression::Bzip2
        } else {
            Compression::None
        }
    }
}

/// Endings of file names, in lower case, of compressions and archives that are not known.
const FOREIGN: [&str; 10] = [
    "7z", "br", "lz", "lz4", "lzma", "lzo", "rar", "tgz", "z", "zip",
];

/// The compression of a file that ends before what tells it is complete, if it is the
/// beginning of that which no text has.
pub(crate) fn cut_off(content: &[u8]) -> Option<Compression> {
    let is_cut = |whole: &[u8], least: usize| {
        (least..whole.len()).contains(&content.len()) && whole.starts_with(content)
    };
    let bzip2 = |level| [b"BZh", &[level][..], b"1AY&SY"].concat();
    match () {
        () if is_cut(b"\x1f\x8b", 1) => Some(Compression::Gzip),
        // `(` and the beginning of a label are texts
        () if is_cut(ZSTD, 2) => Some(Compression::Zstd),
        () if is_cut(XZ, 1) => Some(Compression::Xz),
        () if (b'1'..=b'9').any(|level| is_cut(&bzip2(level), 7)) => Some(Compression::Bzip2),
        () => None,
    }
}

/// Whether a frame of Zstandard begins that decompressors skip.
pub(crate) fn is_skippable(head: &[u8]) -> bool {
    matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// What comes behind the frames that decompressors skip; none if that is not at hand.
fn behind_skippable(mut head: &[u8]) -> Option<&[u8]> {
    while is_skippable(head) {
        let length = head.get(4..8)?.try_into().ok()?;
        let length = usize::try_from(u32::from_le_bytes(length)).ok()?;
        head = head[8..].get(length..)?;
    }
    Some(head)
}

/// Whether more bytes than these, with which a file begins, may tell its compression:
/// it begins with frames that decompressors skip, and no other is to be seen yet.
pub(crate) fn is_undecided(head: &[u8]) -> bool {
    is_skippable(head) && behind_skippable(head).is_none_or(|rest| rest.len() < ZSTD.len())
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
    fn what_is_cut_off_is_no_text() {
        let cases: [(&[u8], usize, Compression); 4] = [
            (b"\x1f\x8b", 1, Compression::Gzip),
            (ZSTD, 2, Compression::Zstd),
            (XZ, 1, Compression::Xz),
            (b"BZh51AY&SY", 7, Compression::Bzip2),
        ];
        for (whole, least, compression) in cases {
            for end in 0..=whole.len() {
                let expected = (least..whole.len()).contains(&end).then_some(compression);
                assert_eq!(cut_off(&whole[..end]), expected, "{compression} {end}");
            }
        }
    }

    #[test]
    fn content() {
        let cases: [(&[u8], Compression); 16] = [
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
            // with frames before that are skipped
            (
                b"\x50\x2a\x4d\x18\x04\0\0\0size\x28\xb5\x2f\xfd",
                Compression::Zstd,
            ),
            (
                b"\x5f\x2a\x4d\x18\0\0\0\0\x50\x2a\x4d\x18\x01\0\0\0x\x28\xb5\x2f\xfd",
                Compression::Zstd,
            ),
            // LZ4 has the same ones
            (
                b"\x50\x2a\x4d\x18\0\0\0\0\x04\x22\x4d\x18",
                Compression::None,
            ),
            (b"\x50\x2a\x4d\x18\xff\xff\xff\xff", Compression::None),
            (b"P*M\x18", Compression::None),
        ];
        for (head, compression) in cases {
            assert_eq!(Compression::from_content(head), compression);
            assert!(head.len() <= SIGNATURE + 2 || is_skippable(head));
        }
    }
}
