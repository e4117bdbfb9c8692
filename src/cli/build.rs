//! Tells the crate from which commit it is built, in the variable `HYADES_COMMIT`:
//! `abcdef123456, 2026-11-20`, without the date in a package of cargo's, and nothing
//! where neither git nor cargo knows.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let commit = of_package().or_else(of_repository).unwrap_or_default();
    println!("cargo::rustc-env=HYADES_COMMIT={commit}");
}

/// What cargo has written down when it made the package.
fn of_package() -> Option<String> {
    let text = std::fs::read_to_string(folder().join(".cargo_vcs_info.json")).ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    let digits = rest.split('"').nth(1)?;
    digits.get(..12).map(str::to_owned)
}

/// What git tells of the repository, if it is ours and not that of who has copied us.
fn of_repository() -> Option<String> {
    let top = PathBuf::from(git(&["rev-parse", "--show-toplevel"])?);
    let ours = folder().join("../..").canonicalize().ok()?;
    if top.canonicalize().ok()? != ours {
        return None;
    }
    // The name of the branch, which changes by a checkout; its commit, which may stand
    // in a file of its own or among others; and the list of all changes of both.
    let branch = git(&["rev-parse", "--symbolic-full-name", "HEAD"]);
    for name in ["HEAD", "logs/HEAD"].into_iter().chain(branch.as_deref()) {
        let path = git(&["rev-parse", "--git-path", name]).map(|path| folder().join(path));
        // What does not exist would count as changed every time.
        if let Some(path) = path.filter(|path| path.exists()) {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    let hash = git(&["rev-parse", "--short=12", "HEAD"])?;
    let date = git(&["show", "--no-patch", "--format=%cs", "HEAD"])?;
    Some(format!("{hash}, {date}"))
}

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What git answers in a line; nothing if it fails, or is not there.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(folder())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim();
    (output.status.success() && !text.is_empty()).then(|| text.to_owned())
}
