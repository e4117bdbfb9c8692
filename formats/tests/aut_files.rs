//! Reading and writing AUT through the public interface.

use hyades_formats::*;

fn read(text: &[u8], options: &ReadOptions) -> (Result<Lts, ReadError>, Vec<String>) {
    let mut seen = Vec::new();
    let source = Source::from_bytes("f.aut", text.to_vec(), None).unwrap();
    let lts = read_lts(source, options, &mut |d| seen.push(d.to_string()));
    (lts, seen)
}

#[test]
fn a_small_file_comes_back_as_written() {
    let text = b"des (0, 3, 3)\n(0, a, 1)\n(0, i, 2)\n(1, \"b c\", 2)\n";
    let (lts, seen) = read(text, &ReadOptions::default());
    assert_eq!(seen, [""; 0]);
    let mut out = Vec::new();
    write_lts(
        &lts.unwrap(),
        Format::Aut,
        &mut out,
        &WriteOptions::default(),
        &mut |_| (),
    )
    .unwrap();
    assert_eq!(
        out.escape_ascii().to_string(),
        text.escape_ascii().to_string()
    );
}
