use crate::{Options, Settings, Translation, expand, parse};

#[track_caller]
fn program(text: &str) -> String {
    let script = parse(text.as_bytes(), Options::default()).unwrap();
    let expanded = expand(&script).unwrap();
    let translation = Translation::of(&expanded, &Settings::default());
    let all = translation.text();
    // What follows the functions.
    let (_, own) = all.rsplit_once("\nsvl_keep_record () {").unwrap();
    own.to_owned()
}

#[test]
fn nothing_but_variables_means_anything() {
    let text = program(
        "\"`a`$(b)$N\\\\ \".bcg\"; "
            .replace("\".bcg\"; ", "\" = \"c'd;e&.bcg\";")
            .as_str(),
    );
    assert!(
        text.contains(r#"svl_target "\`a\`\$(b)${N-}\\ ""#),
        "{text}"
    );
    assert!(text.contains(r#"svl_input "c'd;e&.bcg""#), "{text}");
    let text = program("\"a.bcg\" |= <\"$X\\.`b`\"> true;");
    assert!(
        text.contains(r#"svl_inline "<\"${X-}\\.\`b\`\"> true""#),
        "{text}"
    );
}

#[test]
fn networks_have_all_texts_between_quotes() {
    let text = program(
        "\"a.exp\" = gate hide a, \"b\\\\.*\", \"$X\" in b.bcg |[C]| \"net.exp\" |[]| \"$F.bcg\";",
    );
    let wanted = "svl_write_network \"gate hide \\\"A\\\", \\\"b\\\\\\\\.*\\\", \
                  \\\"$(svl_escape \"${X-}\")\\\" in\n   \\\"b.bcg\\\"\n|[\\\"C\\\"]| \
                  (\\\"net.exp\\\")\n|[]| (\\\"$(svl_place \"${svl_1-}\")\\\")\nend hide\"";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn lines_know_where_they_are_from() {
    let script = parse(b"% a\n\n% b\n\"x.bcg\" = stop;\n% c", Options::default()).unwrap();
    let translation = Translation::of(&script, &Settings::default());
    for (line, from) in [("a", 1), ("b", 3), ("c", 5)] {
        let at = translation.text().lines().position(|l| l == line).unwrap();
        assert_eq!(translation.line_of_script(at + 1), Some(from));
    }
    assert_eq!(translation.line_of_script(1), None);
    assert_eq!(translation.line_of_script(0), None);
}

/// The functions are for any Bourne shell: no word of another shell.
#[test]
fn functions_are_plain() {
    let prelude = include_str!("../shell/prelude.sh");
    for word in [
        "[[",
        "local ",
        "function ",
        "<<<",
        "declare",
        "=~",
        "&>",
        "source ",
    ] {
        assert!(
            !prelude
                .lines()
                .any(|line| line.trim_start().starts_with(word)),
            "{word}"
        );
    }
}
