use super::error;
use crate::{Options, expand, parse};

#[track_caller]
fn expanded(text: &str) -> String {
    let script = parse(format!("\"o\" = {text};").as_bytes(), Options::default()).unwrap();
    let text = expand(&script).unwrap().to_string();
    assert!(parse(text.as_bytes(), Options::default()).is_ok(), "{text}");
    let text = text.strip_prefix("\"o\" = ").unwrap();
    text.strip_suffix(";\n").unwrap().to_owned()
}

#[test]
fn strategies() {
    let s = "(strong reduction of";
    for (text, wanted) in [
        (
            "leaf strong reduction of a.bcg",
            "strong reduction of \"a.bcg\"".to_owned(),
        ),
        (
            "leaf strong reduction of hide X in a.bcg ||| cut Y in b.bcg end cut end hide",
            format!(
                "hide \"X\" in {s} \"a.bcg\") ||| {s} cut \"Y\" in \"b.bcg\" end cut) end hide"
            ),
        ),
        (
            "root leaf strong reduction of a.bcg || b.bcg",
            format!("strong reduction of {s} \"a.bcg\") || {s} \"b.bcg\")"),
        ),
        (
            "node strong reduction of hide X in a.bcg || b.bcg || c.bcg",
            format!(
                "strong reduction of hide \"X\" in strong reduction of {s} \"a.bcg\") || \
                 {s} {s} \"b.bcg\") || {s} \"c.bcg\")) end hide"
            ),
        ),
        // What restricts, generates or reduces is evaluated as it stands.
        (
            "leaf strong reduction of a.bcg ||| b.bcg -|| c.bcg ||| d.bcg",
            format!("{s} \"a.bcg\") ||| {s} \"b.bcg\" -|| \"c.bcg\" ||| \"d.bcg\")"),
        ),
        (
            "leaf strong reduction of (generation of a.bcg || b.bcg) || c.bcg",
            format!("{s} generation of \"a.bcg\" || \"b.bcg\") || {s} \"c.bcg\")"),
        ),
        (
            "leaf strong reduction of par A in a.bcg || A -> leaf branching reduction of b.bcg end par",
            format!(
                "par \"A\" in {s} \"a.bcg\") || \"A\" -> {s} branching reduction of \"b.bcg\") end par"
            ),
        ),
        (
            "smart strong reduction of a.bcg || b.bcg",
            "smart strong reduction of \"a.bcg\" || \"b.bcg\"".into(),
        ),
    ] {
        assert_eq!(expanded(text), wanted, "{text}");
    }
}

#[test]
fn too_many_nodes() {
    let chain = " || a.bcg".repeat(400);
    let text = format!("\"o\" = node strong reduction of a.bcg{chain};");
    let script = parse(text.as_bytes(), Options::default()).unwrap();
    assert!(
        expand(&script)
            .unwrap_err()
            .text
            .contains("follow one another")
    );
    error(&format!("\"o\" = {}a.bcg;", "(".repeat(1000)));
}
