//! What is said on standard error: escaped, cut, and with colours for people.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use anstream::{AutoStream, ColorChoice};
use clap::builder::Styles;
use clap::builder::styling::Style;
use hyades_formats::diagnostic::is_unprintable;
use hyades_formats::{Diagnostic, Severity};

use super::escape::printable_line;
use super::excerpt::{excerpt, excerpt_of};

/// So many characters of a line are shown in messages.
const LONGEST_LINE: usize = 4096;

/// A line, without its middle if it is very long.
fn cut_line(line: &str) -> Cow<'_, str> {
    let characters = line.chars().count();
    if characters <= LONGEST_LINE {
        return line.into();
    }
    let (head, tail) = (LONGEST_LINE / 2, LONGEST_LINE / 4);
    let out = characters - head - tail;
    let mut cut: String = line.chars().take(head).collect();
    cut.push_str(&format!(" … ({out} characters) … "));
    cut.extend(line.chars().skip(head + out));
    cut.into()
}

/// Writes a message to standard error. That it cannot be written (closed, or a
/// pipe that nobody reads) is no reason to fail. Characters that may come from a file
/// and mean something to a terminal are escaped.
pub fn say(message: impl Display) {
    let message = message.to_string();
    write(legible(format!("{message}\n")));
    tell_of_options(&message);
}

/// Says what has ended a command, and shows the line that it is about, if it begins with
/// a place and that is at hand.
pub(super) fn say_error(name: &str, message: &str) {
    let excerpt = excerpt_of(message);
    say_marked(&format!("{name}: "), Severity::Error, message, excerpt);
}

/// Says what is no reason to fail, but that somebody has to do something about.
pub(super) fn say_warning(message: &str) {
    say_marked("", Severity::Warning, message, None);
}

/// Says what there is to say about a file, or about a command if about none. An error
/// comes with its line.
pub(super) fn say_diagnostic(name: &str, diagnostic: &Diagnostic) {
    let Diagnostic {
        severity,
        code,
        file,
        position,
        text,
    } = diagnostic;
    let text = format!("{text} [{code}]");
    let whole = diagnostic.to_string();
    let place = whole.strip_suffix(&format!("{severity}: {text}"));
    let place = place.unwrap_or_default();
    let before = match file {
        Some(_) => place.to_owned(),
        None => format!("{name}: {place}"),
    };
    let excerpt = match (severity, file, position) {
        (Severity::Error, Some(file), &Some(at)) => excerpt(file, at),
        _ => None,
    };
    say_marked(&before, *severity, &text, excerpt);
}

/// The last error that was said.
static LAST_ERROR: Mutex<String> = Mutex::new(String::new());

/// The last error that was said, without that it is one: what others are told of it.
#[cfg(feature = "cluster")]
pub(super) fn last_error() -> String {
    let last = LAST_ERROR.lock().unwrap_or_else(PoisonError::into_inner);
    match last.is_empty() {
        true => "it has told why".into(),
        false => last.clone(),
    }
}

/// Says `before`, how bad it is, and `text`, with what is to be seen below.
fn say_marked(before: &str, severity: Severity, text: &str, below: Option<String>) {
    if severity == Severity::Error {
        let mut last = LAST_ERROR.lock().unwrap_or_else(PoisonError::into_inner);
        *last = format!("{before}{text}");
    }
    let before = legible(before.to_owned());
    let mark = format!("{severity}:");
    let below = below.map_or_else(String::new, |below| below + "\n");
    let mut said = legible(format!("{before}{mark} {text}\n{below}"));
    let is_plain = AutoStream::choice(&io::stderr()) == ColorChoice::Never;
    // The mark may have been cut out of a very long line.
    if !is_plain && said[before.len().min(said.len())..].starts_with(&mark) {
        let style = style(severity);
        said.replace_range(
            before.len()..before.len() + mark.len(),
            &format!("{style}{mark}{style:#}"),
        );
    }
    write(said);
    tell_of_options(text);
}

/// A command under a name that is not ours, which has other options than our own commands.
struct Borrowed {
    name: &'static str,
    /// Whether it takes this option of ours all the same.
    takes: fn(&str) -> bool,
    /// Of which options it has been told that it has them not.
    told: Vec<String>,
}

static BORROWED: Mutex<Option<Borrowed>> = Mutex::new(None);

/// From now on messages are those of a command under a name that is not ours. Of our options
/// it has those that it `takes`, by their names without the hyphens; where messages advise
/// others, it is told who has these.
pub fn borrow_name(name: &'static str, takes: fn(&str) -> bool) {
    let told = Vec::new();
    *BORROWED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Borrowed { name, takes, told });
}

/// Tells once of each option in a message that a command under a borrowed name has it not.
fn tell_of_options(message: &str) {
    let (name, options) = {
        let mut borrowed = BORROWED.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Borrowed { name, takes, told }) = &mut *borrowed else {
            return;
        };
        let mut new: Vec<&str> = options_in(message);
        new.retain(|option| {
            let is_new = !takes(option) && !told.iter().any(|known| known == option);
            if is_new {
                told.push((*option).to_owned());
            }
            is_new
        });
        (*name, new.join(", --"))
    };
    if !options.is_empty() {
        let note = format!(
            "only Hyades' own commands, such as hyades transcode, reach, check, have --{options}"
        );
        say_marked(&format!("{name}: "), Severity::Note, &note, None);
    }
}

/// The options that a message names, without their hyphens: not between backquotes, where
/// parts of files stand, and not where it tells a command of ours to run.
fn options_in(message: &str) -> Vec<&str> {
    if message.contains("hyades ") {
        return Vec::new();
    }
    let parts = message.split('`').step_by(2);
    let words =
        parts.flat_map(|part| part.split(|c: char| c.is_whitespace() || "(,;/".contains(c)));
    let options = words.filter_map(|word| {
        let name = word.strip_prefix("--")?;
        let is_part = |c: char| c.is_ascii_lowercase() || c == '-';
        Some(&name[..name.find(|c| !is_part(c)).unwrap_or(name.len())])
    });
    options
        .filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
        .collect()
}

/// The styles that clap has for its own messages.
fn style(severity: Severity) -> Style {
    let styles = Styles::styled();
    match severity {
        Severity::Error => *styles.get_error(),
        Severity::Warning => *styles.get_invalid(),
        Severity::Note => *styles.get_valid(),
    }
}

/// A text without characters that mean something to a terminal, and without the middles
/// of very long lines.
fn legible(mut text: String) -> String {
    let is_wrong = |c: char| is_unprintable(c) && !matches!(c, '\n' | '\t');
    if text.contains(is_wrong) {
        let shown = text.chars().map(|c| match is_wrong(c) {
            true => printable_line(&c.to_string()),
            false => c.to_string(),
        });
        text = shown.collect();
    }
    if text.len() > LONGEST_LINE {
        let lines: Vec<_> = text.split('\n').map(cut_line).collect();
        text = lines.join("\n");
    }
    text
}

fn write(text: String) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_LINE, cut_line, options_in};

    #[test]
    fn options_that_a_message_names() {
        for (message, options) in [
            ("use --tau tau [aut-tau-hint]", &["tau"][..]),
            (
                "a, or --lenient; or (--dfa/--ignore-outputs).",
                &["lenient", "dfa", "ignore-outputs"],
            ),
            ("found `--from exp`, expected `a` --to", &["to"]),
            ("`--` begins a comment, -- too, and '--x', a--b, ---", &[]),
            ("hyades reach --find tells", &[]),
        ] {
            assert_eq!(options_in(message), options, "{message}");
        }
    }

    #[test]
    fn long_lines_lose_their_middle() {
        for n in [0, 1, LONGEST_LINE] {
            let line = "é".repeat(n);
            assert_eq!(cut_line(&line), line);
        }
        let line = format!("a{}z", "é".repeat(LONGEST_LINE));
        let cut = cut_line(&line);
        assert!(cut.starts_with("aé") && cut.ends_with("éz"));
        assert!(cut.contains(" … (1026 characters) … "), "{cut}");
    }
}
