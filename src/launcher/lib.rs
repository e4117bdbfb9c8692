//! Each command is installed under its own name, but there is one program with all of
//! them, `hyades`, which runs the command that it is called by. The others are these
//! few lines: they replace themselves by the `hyades` beside them. So twelve names cost
//! as much space, and as much time to build, as one.
//!
//! A link with the command's name to `hyades` does the same without them.

use std::ffi::{CStr, CString, OsStr, c_char, c_int};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The program that has all commands.
const PROGRAM: &str = "hyades";

/// The whole program of the command with this name, a literal; the crate has to be
/// `#![no_main]`.
///
/// Rust's own start-up would open `/dev/null` in the place of standard streams that are
/// closed, and set signals aside: the command is to find what the caller has left.
#[macro_export]
macro_rules! launch {
    ($name:literal) => {
        /// Called by the system, with the arguments of the process.
        // SAFETY: there is no other symbol of this name in a program without Rust's own.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn main(
            count: std::ffi::c_int,
            arguments: *const *const std::ffi::c_char,
        ) -> std::ffi::c_int {
            // SAFETY: these are the arguments of `main`.
            unsafe { $crate::launch($name, count, arguments) }
        }
    };
}

/// Replaces the process by `hyades`, called by `name`, with the same arguments: the one
/// in the directory of this program, or else the first in PATH. Returns the exit status
/// 2, after a message, if there is none.
///
/// # Safety
/// `arguments` has to point to `count` texts that end in zero, and a null pointer.
pub unsafe fn launch(name: &str, count: c_int, arguments: *const *const c_char) -> c_int {
    let count = usize::try_from(count).unwrap_or(0);
    // SAFETY: as the caller promises.
    let given = unsafe { std::slice::from_raw_parts(arguments, count) };
    // SAFETY: as the caller promises.
    let given = given
        .iter()
        .skip(1)
        .map(|&text| unsafe { CStr::from_ptr(text) });
    let given: Vec<CString> = given.map(CStr::to_owned).collect();
    let error = match programs() {
        Ok(mut programs) => programs
            .next()
            .map(|program| replace(&program, name, &given)),
        Err(error) => Some(error),
    };
    let what = match error {
        Some(error) => format!("cannot run {PROGRAM}, the program that has this command: {error}"),
        None => format!("{PROGRAM}, the program that has this command, is not installed"),
    };
    let text = format!(
        "{name}: error: {what}; it is to stand beside {name}, or in PATH (and a link with the \
         name {name} to it does the same as this file)\n"
    );
    // If standard error is closed, there is nobody to tell.
    let _ = io::stderr().write_all(text.as_bytes());
    2
}

/// The programs of that name in the directory of this program and in those of PATH, in
/// this order; those that are this program by another name are left out.
fn programs() -> io::Result<impl Iterator<Item = PathBuf>> {
    let this = std::env::current_exe()?;
    let itself = identity(&this)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let others: Vec<_> = std::env::split_paths(&path)
        .map(|directory| directory.join(PROGRAM))
        .collect();
    let all = std::iter::once(this.with_file_name(PROGRAM)).chain(others);
    Ok(all.filter(move |program| identity(program).is_ok_and(|found| found != itself)))
}

/// What two names of one file have in common.
fn identity(file: &Path) -> io::Result<(u64, u64)> {
    file.metadata().map(|data| (data.dev(), data.ino()))
}

/// Replaces the process by this program; returns if it cannot.
fn replace(program: &Path, name: &str, given: &[CString]) -> io::Error {
    let texts = [program.as_os_str(), OsStr::new(name)].map(|text| CString::new(text.as_bytes()));
    let [Ok(program), Ok(name)] = texts else {
        return io::ErrorKind::InvalidInput.into();
    };
    let all = std::iter::once(&name).chain(given);
    let mut pointers: Vec<_> = all.map(|text| text.as_ptr()).collect();
    pointers.push(std::ptr::null());
    // SAFETY: the texts end in zero, the list in a null pointer, and both live.
    unsafe { libc::execv(program.as_ptr(), pointers.as_ptr()) };
    io::Error::last_os_error()
}
