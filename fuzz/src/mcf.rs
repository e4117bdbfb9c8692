//! Formulas of mCRL2: see the README.

use hyades::check::core_form;
use hyades::check::mcf;

/// Checks one input.
pub fn check(input: &[u8]) {
    let parsed = match mcf::parse(input, "f.mcf") {
        Ok(parsed) => parsed,
        Err(error) => return assert!(!error.message.is_empty() && error.place.line > 0),
    };
    let text = parsed.property.text();
    for written in [&text, &parsed.expanded] {
        match mcf::parse(written.as_bytes(), "f.mcf") {
            Ok(again) => {
                assert_eq!(again.property.text(), text);
                assert_eq!(again.property.variables, parsed.property.variables);
            }
            // What is written has parentheses that the text may do without.
            Err(error) => assert!(error.message.contains("levels"), "{error}: {written}"),
        }
    }
    // What follows choices is in it for each way.
    if let Ok(core) = core_form(&parsed.property) {
        let written = core.text();
        if written.len() < 100_000
            && let Err(error) = mcf::parse(written.as_bytes(), "f.mcf")
        {
            assert!(error.message.contains("levels"), "{error}: {written}");
        }
    }
}
