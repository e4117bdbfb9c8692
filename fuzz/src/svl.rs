//! Scripts: see the README.

use hyades::svl::syntax::Script;
use hyades::svl::{
    Options, Settings, Translation, compiled_sources, encoded, expand, parse, refusals, relations,
};

/// Checks one input.
pub fn check(input: &[u8]) {
    let options = Options::default();
    let script = match parse(input, options) {
        Ok(script) => script,
        Err(error) => {
            assert!(!error.text.is_empty());
            assert!(error.place.line > 0 && error.place.column > 0);
            return;
        }
    };
    let _ = (relations(&script), refusals(&script));
    for source in compiled_sources(&script) {
        assert!(!source.advice().is_empty());
    }
    // What is printed reads the same.
    let printed = script.to_string();
    let again = parse(&encoded(&printed), options);
    let again = again.unwrap_or_else(|e| panic!("{e}: {printed}"));
    assert_eq!(again.to_string(), printed);
    let Ok(expanded) = expand(&script) else {
        return;
    };
    read_again(&expanded);
    let program = Translation::of(&expanded, &Settings::default());
    let lines = program.text().lines().count();
    for line in 0..lines + 2 {
        let _ = program.line_of_script(line);
    }
}

/// What is spelt out reads the same, unless it is nested too deep to be read.
fn read_again(expanded: &Script) {
    let printed = expanded.to_string();
    match parse(&encoded(&printed), Options::default()) {
        Ok(again) => assert_eq!(again.to_string(), printed),
        Err(error) => assert!(
            error.text.contains("levels are nested"),
            "{error}: {printed}"
        ),
    }
}
