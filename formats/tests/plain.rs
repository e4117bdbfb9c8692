//! Builds without the feature `columns`.
#![cfg(not(feature = "columns"))]

use hyades_formats::*;

#[test]
fn tables_are_refused_with_the_way_to_get_them() {
    let how = "by this build: `cargo install --path . --features columns` makes one that can";
    let lts = LtsBuilder::new(1).build(StateId::new(0)).unwrap();
    for (format, start) in [(Format::Parquet, "PAR1"), (Format::Arrow, "ARROW1")] {
        let mut out = Vec::new();
        let written = write_lts(
            &lts,
            format,
            &mut out,
            &WriteOptions::default(),
            &mut |_| {},
        );
        let error = written.unwrap_err().to_string();
        assert!(
            error.contains(&format!("cannot be written {how}")),
            "{error}"
        );
        assert_eq!(out, b"");
        let source = Source::from_bytes("f", start.into(), None).unwrap();
        let read = read_lts(source, &ReadOptions::default(), &mut |_| {});
        let error = read.unwrap_err().to_string();
        assert!(error.contains(&format!("cannot be read {how}")), "{error}");
    }
}
