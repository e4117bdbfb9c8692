//! Formulas of MCL: see the README.

use hyades::check::core_form;
use hyades::check::mcl::{self, NoLibraries};

/// Checks one input.
pub fn check(input: &[u8]) {
    let parsed = match mcl::parse(input, "f.mcl", &mut NoLibraries) {
        Ok(parsed) => parsed,
        Err(error) => return assert!(!error.message.is_empty() && error.place.line > 0),
    };
    let text = parsed.property.text();
    for written in [&text, &parsed.expanded] {
        match mcl::parse(written.as_bytes(), "f.mcl", &mut NoLibraries) {
            Ok(again) => assert_eq!(again.property.text(), text, "{written}"),
            // What is written has parentheses that the text may do without.
            Err(error) => assert!(error.message.contains("levels"), "{error}: {written}"),
        }
    }
    // What follows choices is in it for each way.
    if let Ok(core) = core_form(&parsed.property) {
        let written = core.text();
        if written.len() < 100_000
            && let Err(error) = mcl::parse(written.as_bytes(), "f.mcl", &mut NoLibraries)
        {
            assert!(error.message.contains("levels"), "{error}: {written}");
        }
    }
}
