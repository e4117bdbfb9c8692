//! The classes of states that a file tells, as `minimize --classes` writes them.

use std::path::Path;

use hyades_draw::Drawing;

use hyades_cli_core::{Failure, Session, read_text};

/// Reads the class of each of so many states: phase `read`.
///
/// # Errors
/// If it cannot be read, a line is none, or a state is too large or in two classes.
pub fn read(session: &mut Session, path: &Path, states: usize) -> Result<Vec<u32>, Failure> {
    session.phase("read", |_| {
        let (name, text) = read_text(path)?;
        parse(&text, states).map_err(|error| Failure::error(format!("{name}:{error}")))
    })
}

/// The class of each state; an error begins with line and column.
fn parse(text: &[u8], states: usize) -> Result<Vec<u32>, String> {
    const EXPECTED: &str = "expected `class: state state …`, as minimize --classes writes it";
    let mut of = vec![Drawing::NO_CLASS; states];
    for (number, line) in text.split(|&byte| byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            continue;
        }
        let at = |column: usize| format!("{}:{}", number + 1, column + 1);
        let colon = line.iter().position(|&byte| byte == b':');
        let colon = colon.ok_or_else(|| format!("{}: no colon; {EXPECTED}", at(0)))?;
        let class = decimal(line[..colon].trim_ascii());
        let class = class.filter(|&class| class != Drawing::NO_CLASS);
        let class = class.ok_or_else(|| format!("{}: no number of a class; {EXPECTED}", at(0)))?;
        let mut column = colon + 1;
        for word in line[column..].split(|&byte| byte == b' ' || byte == b'\t') {
            let here = column;
            column += word.len() + 1;
            if word.is_empty() {
                continue;
            }
            let state = decimal(word)
                .ok_or_else(|| format!("{}: no number of a state; {EXPECTED}", at(here)))?;
            let entry = of.get_mut(state as usize).ok_or_else(|| {
                format!(
                    "{}: state {state}, and the LTS has {states} states: expected the classes of \
                     INPUT",
                    at(here)
                )
            })?;
            if *entry != Drawing::NO_CLASS {
                return Err(format!(
                    "{}: state {state} is in class {entry} already: expected each state once",
                    at(here)
                ));
            }
            *entry = class;
        }
    }
    Ok(of)
}

fn decimal(word: &[u8]) -> Option<u32> {
    let is_digits = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(word)
        .ok()
        .filter(|_| is_digits)?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_classes() {
        let of = parse(b"0: 0 3\n\n1: 1\r\n", 5).unwrap();
        assert_eq!(of, [0, 1, Drawing::NO_CLASS, 0, Drawing::NO_CLASS]);
    }

    #[test]
    fn errors_tell_line_and_column() {
        for (text, place) in [
            ("0: 0\n1 1", "2:1"),
            ("x: 0", "1:1"),
            ("0: 0 y", "1:6"),
            ("0: 0 7", "1:6"),
            ("0: 0\n1: 0", "2:4"),
            ("0: -1", "1:4"),
            ("4294967295: 0", "1:1"),
            ("0: 99999999999", "1:4"),
        ] {
            let error = parse(text.as_bytes(), 2).unwrap_err();
            assert!(error.starts_with(&format!("{place}: ")), "{text}: {error}");
            assert!(error.contains("expected"), "{error}");
        }
    }
}
