//! The readers and writers of TSV and JSON Lines: see the README.
#![no_main]

use hyades_formats::*;
use libfuzzer_sys::fuzz_target;

fn options(bits: u8) -> ReadOptions {
    ReadOptions {
        mode: [Mode::Default, Mode::Strict, Mode::Lenient, Mode::Default][usize::from(bits & 3)],
        grow: bits & 4 != 0,
        tau: if bits & 8 != 0 {
            vec![b"tau".to_vec(), b"b".to_vec()]
        } else {
            Vec::new()
        },
        max_line: if bits & 16 != 0 { 40 } else { 1 << 20 },
        ..ReadOptions::default()
    }
}

/// Numbers of states beyond this take more memory than time is worth.
fn is_huge(text: &[u8]) -> bool {
    text.split(|b| !b.is_ascii_digit())
        .any(|digits| digits.len() > 5)
}

fn read(format: Format, text: &[u8], stream: bool, options: &ReadOptions) -> (Option<Lts>, String) {
    let source = if stream {
        let reader = Box::new(std::io::Cursor::new(text.to_vec()));
        Source::from_reader("f", reader, Some(format))
    } else {
        Source::from_bytes("f", text.to_vec(), Some(format))
    };
    let mut told = String::new();
    let Ok(source) = source else {
        return (None, told);
    };
    match read_lts(source, options, &mut |d| told += &format!("{d}\n")) {
        Ok(lts) => (Some(lts), told),
        Err(e) => (None, told + &e.to_string()),
    }
}

fn transitions(lts: &Lts) -> Vec<(u32, bool, &[u8], u32)> {
    lts.iter()
        .map(|(s, l, t)| (s.get(), l.is_hidden(), lts.table().text(l), t.get()))
        .collect()
}

fuzz_target!(|data: &[u8]| {
    let Some((&bits, text)) = data.split_first() else {
        return;
    };
    if is_huge(text) || Compression::from_content(text) != Compression::None {
        return;
    }
    let format = match bits & 128 {
        0 => Format::Tsv,
        _ => Format::Jsonl,
    };
    let options = options(bits);
    // a chunk for each line: too short for the scanner
    let with_chunk = |chunk| ReadOptions {
        chunk,
        ..options.clone()
    };
    let (lts, told) = read(format, text, false, &with_chunk(1));
    for (stream, chunk) in [(false, 1 << 20), (false, 30), (true, 5), (true, 1 << 20)] {
        let (other, told_other) = read(format, text, stream, &with_chunk(chunk));
        assert_eq!(told_other, told);
        assert_eq!(other.is_some(), lts.is_some());
        if let (Some(a), Some(b)) = (&lts, &other) {
            assert_eq!((a.initial(), a.offsets()), (b.initial(), b.offsets()));
            assert_eq!((a.labels(), a.targets()), (b.labels(), b.targets()));
            assert!(a.table().visible().eq(b.table().visible()));
        }
    }
    let Some(lts) = lts else { return };
    for to in [Format::Tsv, Format::Jsonl] {
        let mut out = Vec::new();
        if write_lts(&lts, to, &mut out, &WriteOptions::default(), &mut |_| ()).is_ok() {
            let (again, told) = read(to, &out, false, &ReadOptions::default());
            let again = again.unwrap_or_else(|| panic!("{told}"));
            assert_eq!(
                (again.initial(), again.states()),
                (lts.initial(), lts.states())
            );
            assert_eq!(transitions(&again), transitions(&lts));
        }
    }
    // whatever the labels, XML is well-formed text or nothing
    let mut out = Vec::new();
    if write_lts(&lts, Format::GraphMl, &mut out, &WriteOptions::default(), &mut |_| ()).is_ok() {
        assert!(std::str::from_utf8(&out).is_ok());
    }
});
