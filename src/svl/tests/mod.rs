//! What scripts mean, and what they become.

mod expanding;
mod reading;
mod translating;

use crate::{Options, parse};

/// A script as it is printed.
#[track_caller]
fn printed(text: &str) -> String {
    let script = parse(text.as_bytes(), Options::default());
    let printed = script.unwrap_or_else(|e| panic!("{text}: {e}")).to_string();
    let again = parse(printed.as_bytes(), Options::default());
    let again = again
        .unwrap_or_else(|e| panic!("{printed}: {e}"))
        .to_string();
    assert_eq!(again, printed);
    printed
}

/// A behaviour as it is printed.
#[track_caller]
fn behaviour(text: &str) -> String {
    let line = printed(&format!("\"o\" = {text};"));
    let line = line.strip_prefix("\"o\" = ").expect("the target");
    line.strip_suffix(";\n").expect("the end").to_owned()
}

/// The error in a script.
#[track_caller]
fn error(text: &str) -> String {
    match parse(text.as_bytes(), Options::default()) {
        Ok(script) => panic!("{script}"),
        Err(error) => error.to_string(),
    }
}
