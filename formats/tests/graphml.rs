//! GraphML: what is written, and what cannot be.

use crate::common;

use common::*;
use hyades_formats::*;

#[test]
fn written_form() {
    let system = lts(
        1,
        2,
        &[
            (1, b"a<b>&\"'\xc3\xa4", 0),
            (0, b"HIDDEN", 1),
            (0, b"x\t\r\ny", 0),
        ],
    );
    let text = written_as(Format::GraphMl, &system, &WriteOptions::default());
    assert_eq!(
        String::from_utf8(text).unwrap(),
        r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="label" for="edge" attr.name="label" attr.type="string"/>
<key id="initial" for="node" attr.name="initial" attr.type="boolean"><default>false</default></key>
<graph edgedefault="directed">
<node id="n0"/>
<node id="n1"><data key="initial">true</data></node>
<edge source="n0" target="n1"><data key="label">i</data></edge>
<edge source="n0" target="n0"><data key="label">x&#9;&#13;&#10;y</data></edge>
<edge source="n1" target="n0"><data key="label">a&lt;b&gt;&amp;"'ä</data></edge>
</graph>
</graphml>
"#
    );
    let canonical = WriteOptions {
        canonical: true,
        ..WriteOptions::default()
    };
    let text = String::from_utf8(written_as(Format::GraphMl, &system, &canonical)).unwrap();
    assert!(text.contains("<node id=\"n0\"><data key=\"initial\">true"));
}

#[test]
fn large_systems_are_whole() {
    let transitions: Vec<(u32, &[u8], u32)> = (0..20_000).map(|k| (k, &b"a"[..], k + 1)).collect();
    let system = lts(0, 1, &transitions);
    let text = written_as(Format::GraphMl, &system, &WriteOptions::default());
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text.matches("<node id=").count(), 20_001);
    assert_eq!(text.matches("<edge source=").count(), 20_000);
    assert!(text.ends_with("</graphml>\n"));
}

#[test]
fn labels_that_cannot_be_written() {
    for label in [
        &b"\xff"[..],
        b"\x00",
        b"a\x08",
        b"\x0b",
        b"\x0c",
        b"\x1f",
        "\u{fffe}".as_bytes(),
        "\u{ffff}".as_bytes(),
    ] {
        let system = lts(0, 1, &[(0, label, 0)]);
        let codes = refused(Format::GraphMl, &system, &WriteOptions::default());
        assert_eq!(codes, ["graphml-label"], "{label:?}");
    }
    let system = lts(0, 1, &[(0, b"i", 0)]);
    let codes = refused(Format::GraphMl, &system, &WriteOptions::default());
    assert_eq!(codes, ["label-like-hidden"]);
}

#[test]
fn nothing_is_read() {
    let source = Source::from_bytes("f", Vec::new(), Some(Format::GraphMl)).unwrap();
    let error = read_lts(source, &ReadOptions::default(), &mut |_| ()).unwrap_err();
    assert!(
        error.to_string().contains("graphml cannot be read"),
        "{error}"
    );
}
