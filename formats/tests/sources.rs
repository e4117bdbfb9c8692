//! Opening inputs: compression, damage, recognition of formats.

use crate::common;

use common::*;
use hyades_formats::*;
use std::io::{Read, Write};
use std::path::Path;

/// A file of about 1 MB, large enough to be mapped and cut into chunks.
fn text() -> Vec<u8> {
    let mut text = b"des (0, 50000, 50000)\n".to_vec();
    for k in 0..50_000u32 {
        writeln!(
            text,
            "({k}, \"PUSH !{}\", {})",
            k % 97,
            k.wrapping_mul(48271) % 50_000
        )
        .unwrap();
    }
    text
}

fn compress(bytes: &[u8], compression: Compression) -> Vec<u8> {
    let mut out = Compressor::new(Vec::new(), compression).unwrap();
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn read(source: Source) -> Result<Lts, ReadError> {
    read_lts(source, &ReadOptions::default(), &mut |d| panic!("{d}"))
}

#[test]
fn every_compression_every_way() {
    let text = text();
    let expected = read_as(&text, &ReadOptions::default()).0.unwrap();
    let dir = tempfile::tempdir().unwrap();
    for compression in Compression::ALL {
        // two members, frames or streams one after the other
        let (a, b) = text.split_at(text.len() / 3);
        let mut stored = compress(a, compression);
        stored.extend(compress(b, compression));
        assert_eq!(Compression::from_content(&stored), compression);
        let path = dir.path().join(format!("x.aut.{}", compression.ending()));
        std::fs::write(&path, &stored).unwrap();
        let sources = [
            Source::open(&path, None).unwrap(),
            Source::from_bytes("x", stored.clone(), None).unwrap(),
            Source::from_reader("x", Box::new(std::io::Cursor::new(stored.clone())), None).unwrap(),
        ];
        for source in sources {
            assert_eq!(source.compression(), compression);
            assert_eq!(source.format(), Format::Aut);
            let progress = source.progress();
            let lts = read(source).unwrap();
            assert_eq!(transitions(&lts), transitions(&expected));
            assert_eq!(progress.consumed(), stored.len() as u64);
            assert_eq!(progress.text_bytes(), text.len() as u64);
        }
        // the same bytes again
        assert_eq!(
            compress(a, compression),
            stored[..compress(a, compression).len()]
        );
    }
}

#[test]
fn damaged_data_is_an_error() {
    let text = text();
    for compression in &Compression::ALL[1..] {
        let stored = compress(&text, *compression);
        // a shorter beginning of bzip2 may be a label of a trace
        let least = match compression {
            Compression::Bzip2 => 10,
            _ => 7,
        };
        for cut in [
            least,
            12,
            stored.len() / 2,
            stored.len() - 9,
            stored.len() - 1,
        ] {
            let source = Source::from_bytes("x", stored[..cut].to_vec(), Some(Format::Aut));
            let error = match source {
                Err(e) => e.to_string(),
                Ok(source) => read(source).unwrap_err().to_string(),
            };
            assert!(
                error.contains(&format!("truncated or damaged {compression} data")),
                "{cut} {error}"
            );
        }
        let mut broken = stored.clone();
        let half = broken.len() / 2;
        for b in &mut broken[half..half + 40] {
            *b = !*b;
        }
        let source = Source::from_bytes("x", broken, Some(Format::Aut));
        let error = match source {
            Err(e) => e,
            Ok(source) => {
                let result = read_lts(source, &ReadOptions::default(), &mut |_| ());
                result.unwrap_err()
            }
        };
        assert!(
            matches!(error, ReadError::Io { .. }),
            "{compression}: {error}"
        );
    }
}

/// Zeros are customary behind compressed data, where blocks are filled up.
#[test]
fn what_follows_compressed_data() {
    let text = text();
    let expected = read_as(&text, &ReadOptions::default()).0.unwrap();
    for compression in Compression::ALL[1..].iter().copied() {
        let (a, b) = text.split_at(text.len() / 2);
        let (first, second) = (compress(a, compression), compress(b, compression));
        let open = |parts: &[&[u8]]| {
            let source = Source::from_bytes("x", parts.concat(), None);
            source.and_then(read)
        };
        let zeros: &[u8] = &[0; 700_000];
        for parts in [
            &[&first[..], &second, &zeros[..1]][..],
            &[&first, &second, zeros],
            &[&first, &zeros[..512], &second],
        ] {
            let lts = open(parts).unwrap();
            assert_eq!(transitions(&lts), transitions(&expected));
        }
        let length = first.len() + second.len();
        for (zeros, garbage) in [
            (0, &b"\n"[..]),
            (0, b"garbage that is longer"),
            (7, b"PK"),
            (0, &second[..1]),
        ] {
            let parts = [&first[..], &second, &vec![0; zeros], garbage];
            let error = open(&parts).unwrap_err().to_string();
            let at = length + zeros;
            let expected = format!(
                "there is something behind the {compression} data, which ends at byte {at}: `"
            );
            assert!(error.contains(&expected), "{error}");
        }
        // one that begins rightly is not told from damage
        let error = open(&[&first, &second[..second.len() / 2]]).unwrap_err();
        let expected = format!("truncated or damaged {compression} data");
        assert!(error.to_string().contains(&expected), "{error}");
    }
    // frames that are to be skipped
    let skipped = b"\x5a\x2a\x4d\x18\x03\0\0\0abc";
    let (a, b) = text.split_at(text.len() / 2);
    let frames = [
        &compress(a, Compression::Zstd),
        &skipped[..],
        &compress(b, Compression::Zstd),
        skipped,
    ]
    .concat();
    let lts = read(Source::from_bytes("x", frames, None).unwrap()).unwrap();
    assert_eq!(transitions(&lts), transitions(&expected));
}

#[test]
fn formats_are_recognised() {
    let dir = tempfile::tempdir().unwrap();
    let open = |name: &str, content: &[u8], format| {
        let path = dir.path().join(name);
        std::fs::write(&path, content).unwrap();
        Source::open(&path, format)
    };
    let format = |name: &str, content: &[u8]| open(name, content, None).unwrap().format();
    // content comes first
    assert_eq!(format("a.dot", b"des (0,0,1)"), Format::Aut);
    assert_eq!(format("a.txt", b"\n des (0,0,1)"), Format::Aut);
    assert_eq!(format("a.aut", b"digraph {}"), Format::Dot);
    // then the name
    assert_eq!(format("a.aut", b"x"), Format::Aut);
    assert_eq!(format("a.aut.xz", b""), Format::Aut);
    assert_eq!(format("a.seq", b""), Format::Seq);
    assert_eq!(
        open("a.seq", b"des", Some(Format::Seq)).unwrap().format(),
        Format::Seq
    );
    let error = |result: Result<Source, ReadError>| result.err().unwrap().to_string();
    let unknown = error(open("a.txt", b"x", None));
    assert!(unknown.contains("--from"), "{unknown}");
    assert!(unknown.contains(" exp, "), "{unknown}");
    let ancient = error(open("a.trc", b"mCRL2Trace\x01", None));
    assert!(ancient.contains("old version of mCRL2"), "{ancient}");
    // bytes of a file may have its name
    let named = |name: &str, content: &[u8]| {
        let source = Source::from_bytes_of(name.as_ref(), content.to_vec(), None).unwrap();
        (source.name().to_owned(), source.format())
    };
    for (name, content, told) in [
        ("a.dot", "des (0,0,1)", Format::Aut),
        ("d/a.seq", "", Format::Seq),
        ("a.seq.gz", "", Format::Seq),
        ("a.txt", "x", Format::Aut),
    ] {
        assert_eq!(named(name, content.as_bytes()), (name.to_owned(), told));
    }
    // an input without a name is AUT, so that the error says what is wrong
    assert_eq!(
        Source::from_bytes("x", b"x".to_vec(), None)
            .unwrap()
            .format(),
        Format::Aut
    );
    assert!(matches!(
        Source::open(&dir.path().join("missing"), None),
        Err(ReadError::Io { .. })
    ));
    // a directory is a partitioned LTS, or nothing
    let folder = error(Source::open(dir.path(), None));
    assert!(folder.contains("manifest.json"), "{folder}");
    let network = open("a.exp", b"behaviour", None).unwrap();
    let error = read(network).unwrap_err().to_string();
    assert!(
        error.contains("a network is no LTS: the command `reach`, or `network::read_lts`"),
        "{error}"
    );
}

#[test]
fn a_format_that_cannot_be_written() {
    let lts = LtsBuilder::new(1).build(StateId::new(0)).unwrap();
    let mut out = Vec::new();
    let options = WriteOptions::default();
    let error = write_lts(&lts, Format::Exp, &mut out, &options, &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains("writable are aut"), "{error}");
    assert!(out.is_empty());
}

#[test]
fn an_output_that_refuses() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
            self.0 = self
                .0
                .checked_sub(buf.len())
                .ok_or(std::io::ErrorKind::BrokenPipe)?;
            Ok(buf.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let lts = read_as(&text(), &ReadOptions::default()).0.unwrap();
    for room in [0, 30, 500_000] {
        let options = WriteOptions::default();
        let result = write_lts(&lts, Format::Aut, &mut Full(room), &options, &mut |_| ());
        assert!(matches!(
            result,
            Err(WriteError::Io(e)) if e.kind() == std::io::ErrorKind::BrokenPipe
        ));
    }
}

#[test]
fn names_in_messages() {
    let path = Path::new("/nonexistent/x.aut");
    let error = Source::open(path, None).err().unwrap().to_string();
    assert!(error.starts_with("/nonexistent/x.aut: "), "{error}");
}

/// A terminal goes on after its end, if it is asked.
#[test]
fn a_stream_is_asked_up_to_its_end_only() {
    struct Terminal {
        lines: Vec<&'static [u8]>,
    }
    impl Read for Terminal {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let line = self.lines.remove(0);
            let (now, later) = line.split_at(line.len().min(buffer.len()));
            buffer[..now.len()].copy_from_slice(now);
            if !later.is_empty() {
                self.lines.insert(0, later);
            }
            Ok(now.len())
        }
    }
    for text in [&b""[..], b"des (0, 1, 2)\n(0, a, 1)\n", b"des (0, 0, 1)"] {
        // Whoever asks once more than for the end finds no line left.
        let lines = match text {
            b"" => vec![&b""[..]],
            text => vec![text, b""],
        };
        let reader = Box::new(Terminal { lines });
        let source = Source::from_reader("tty", reader, Some(Format::Aut)).unwrap();
        let read = read_lts(source, &ReadOptions::default(), &mut |_| {});
        assert_eq!(read.is_ok(), !text.is_empty());
    }
}

/// A frame of Zstandard that decompressors skip.
fn skippable(kind: u8, content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u32).to_le_bytes();
    [&[0x50 | kind, 0x2a, 0x4d, 0x18], &length[..], content].concat()
}

/// As pzstd writes them, for one.
#[test]
fn frames_to_be_skipped_come_first() {
    let text = text();
    let expected = read_as(&text, &ReadOptions::default()).0.unwrap();
    let frame = compress(&text, Compression::Zstd);
    for skipped in [
        skippable(0, b"size"),
        [skippable(15, b""), skippable(3, &[0; 20_000])].concat(),
    ] {
        let stored = [&skipped[..], &frame].concat();
        assert_eq!(Compression::from_content(&stored), Compression::Zstd);
        for source in [
            Source::from_bytes("x", stored.clone(), None).unwrap(),
            Source::from_reader("x", Box::new(std::io::Cursor::new(stored.clone())), None).unwrap(),
        ] {
            assert_eq!(source.compression(), Compression::Zstd);
            assert_eq!(transitions(&read(source).unwrap()), transitions(&expected));
        }
    }
    // What else has such frames, or ends within one, is not compressed by Zstandard.
    for other in [
        [skippable(0, b""), b"\x04\x22\x4d\x18".to_vec()].concat(),
        skippable(0, b"size")[..9].to_vec(),
    ] {
        let reader = Box::new(std::io::Cursor::new(other));
        let source = Source::from_reader("x", reader, Some(Format::Aut)).unwrap();
        assert_eq!(source.compression(), Compression::None);
    }
}

/// A window is kept of what has been decompressed: its size is the header's claim, and
/// bounded.
#[test]
fn windows_are_bounded() {
    let text = b"des (0, 0, 1)\n";
    // A window of 2^log bytes; one block, the last, as it is.
    let zstd = |log: u8| {
        let block = ((text.len() as u32) << 3 | 1).to_le_bytes();
        let header = [0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3];
        [&header[..], &block[..3], text].concat()
    };
    // The size of the dictionary stands in the block's header, behind its filter.
    let xz = |size: u8| {
        let mut stored = compress(text, Compression::Xz);
        let end = 12 + (usize::from(stored[12]) + 1) * 4;
        let filter = stored[12..end].windows(2).position(|w| w == [0x21, 1]);
        stored[12 + filter.unwrap() + 2] = size;
        let mut crc = flate2::Crc::new();
        crc.update(&stored[12..end - 4]);
        stored[end - 4..end].copy_from_slice(&crc.sum().to_le_bytes());
        stored
    };
    let open = |stored: Vec<u8>| Source::from_bytes("x", stored, None);
    for stored in [zstd(27), xz(30)] {
        assert_eq!(read(open(stored).unwrap()).unwrap().states(), 1);
    }
    for (stored, advice) in [
        (zstd(28), "zstd -dc --long=31 FILE"),
        (zstd(31), "zstd -dc --long=31 FILE"),
        (xz(31), "xz -dc FILE"),
        (xz(40), "xz -dc FILE"),
    ] {
        let error = open(stored).err().unwrap().to_string();
        assert!(error.contains("more than 128 MiB"), "{error}");
        assert!(error.contains(advice), "{error}");
        assert!(!error.contains("damaged"), "{error}");
    }
}
