//! The classes that a minimization has found, as a file.

use std::fmt::Display;
use std::io::{self, Write};

use hyades_equivalence::Minimized;

use hyades_cli_core::output::Destination;
use hyades_cli_core::session::Session;
use hyades_cli_core::status::Failure;

/// Writes classes, one a line: the state of the quotient, a colon, and the
/// states that it stands for, ascending (`0: 0 4 7`). Phase `write`; the
/// output appears at the end of the session. 8 bytes a state.
///
/// # Errors
/// If it cannot be written.
pub fn write_classes(
    session: &mut Session,
    destination: &Destination,
    minimal: &Minimized,
) -> Result<(), Failure> {
    write_by_state(session, destination, minimal.lts.states(), &minimal.class)
}

/// The same of so many classes, of which that of each state is told.
///
/// # Errors
/// As [`write_classes`].
pub fn write_by_state(
    session: &mut Session,
    destination: &Destination,
    count: usize,
    class: &[u32],
) -> Result<(), Failure> {
    session.write_by(destination, "classes", |out| list(count, class, out))
}

/// Writes the classes.
fn list(count: usize, class: &[u32], out: &mut dyn Write) -> io::Result<()> {
    let of = |s: usize| class[s] as usize;
    let members = 0..class.len();
    let members = members.filter(|&s| class[s] != Minimized::NO_CLASS);
    // Count, then place.
    let mut ends = vec![0u32; count];
    for s in members.clone() {
        ends[of(s)] += 1;
    }
    let mut total = 0;
    for end in &mut ends {
        let length = *end;
        *end = total;
        total += length;
    }
    let mut states = vec![0u32; total as usize];
    for s in members {
        let end = &mut ends[of(s)];
        states[*end as usize] = s as u32;
        *end += 1;
    }
    let (mut start, mut before) = (0, None);
    for (&end, class) in ends.iter().zip(0..) {
        write_members(out, before, class, &states[start..end as usize])?;
        start = end as usize;
        before = Some(class);
    }
    end_classes(out, before)
}

/// Some members of a class, after others of `before`.
pub fn write_members(
    out: &mut dyn Write,
    before: Option<u64>,
    class: u64,
    members: &[impl Display],
) -> io::Result<()> {
    if before != Some(class) {
        end_classes(out, before)?;
        write!(out, "{class}:")?;
    }
    members.iter().try_for_each(|state| write!(out, " {state}"))
}

/// Ends the line of the last class, if there is one.
pub fn end_classes(out: &mut dyn Write, last: Option<u64>) -> io::Result<()> {
    match last {
        Some(_) => out.write_all(b"\n"),
        None => Ok(()),
    }
}
