//! Which Hyades this is.

use std::sync::LazyLock;

use hyades_formats::columns;

/// The version, the commit if it is known, and the features that this was built with:
/// `0.1.0 (commit abcdef123456, 2026-11-20; features: columns)`.
pub fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let commit = match env!("HYADES_COMMIT") {
            "" => String::new(),
            commit => format!("commit {commit}; "),
        };
        let features = match columns::AVAILABLE {
            true => "columns",
            false => "none",
        };
        let number = env!("CARGO_PKG_VERSION");
        format!("{number} ({commit}features: {features})")
    });
    &VERSION
}
