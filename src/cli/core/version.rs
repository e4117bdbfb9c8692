//! Which Hyades this is.

use std::sync::{LazyLock, OnceLock};

use hyades_formats::columns;

static COMMIT: OnceLock<&str> = OnceLock::new();

/// Tells the commit that a program is built from; to be called at its start.
pub fn set_commit(commit: &'static str) {
    // A second call would say the same.
    let _ = COMMIT.set(commit);
}

/// The version, the commit if it is known, and the features that this was built with:
/// `0.2.0 (commit abcdef123456, 2026-11-20; features: columns)`.
pub fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let commit = match COMMIT.get() {
            None | Some(&"") => String::new(),
            Some(commit) => format!("commit {commit}; "),
        };
        let features = [
            (columns::AVAILABLE, "columns"),
            (cfg!(feature = "cluster"), "cluster"),
        ];
        let features: Vec<&str> = features
            .into_iter()
            .filter_map(|(is_there, name)| is_there.then_some(name))
            .collect();
        let features = match features.is_empty() {
            true => "none".to_owned(),
            false => features.join(", "),
        };
        let number = env!("CARGO_PKG_VERSION");
        format!("{number} ({commit}features: {features})")
    });
    &VERSION
}
