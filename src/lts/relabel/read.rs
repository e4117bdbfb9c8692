//! Rules as people write them: files of CADP (`.hid`, `.cut`, `.ren`) and single
//! lines.

use std::sync::Arc;

use hyades_formats::diagnostic::{Log, Severity, excerpt};
use hyades_formats::{BYTE_ORDER_MARK, Position, Sink};

use super::rules::{Action, Matching, RuleError, Rules, Scope};

impl Rules {
    /// Reads a rule file.
    ///
    /// The first line is `hide`, `cut` or `rename`, as `action` asks for; after
    /// the first two, `all but` may follow. Each further line is a pattern, or
    /// for `rename` two texts `LEFT -> RIGHT`. Blanks around all of these, empty
    /// lines and carriage returns do not count. A text in double quotes stands
    /// for what is between them, blanks included; one with `->` in it needs
    /// them. There are no comments. A byte order mark is skipped with a warning.
    ///
    /// # Errors
    /// If something is wrong with the file: all of it has been handed over, with
    /// places in `file`.
    pub fn read(
        file: &Arc<str>,
        text: &[u8],
        action: Action,
        matching: Matching,
        sink: &mut Sink<'_>,
    ) -> Result<Self, Refused> {
        let mut log = Log::new();
        let (mark, text) = match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) => (BYTE_ORDER_MARK.len(), rest),
            None => (0, text),
        };
        if mark > 0 {
            let at = Some(Position::new(1, 1));
            log.add(Severity::Warning, "rule-bom", at, || {
                "byte order mark: save the file without".into()
            });
        }
        let mut lines = text
            .split(|&b| b == b'\n')
            .zip(1..)
            .filter(|(line, _)| !is_blank(line));
        let header = lines.next();
        let scope = check_header(action, header, mark, &mut log);
        let mut rules = Rules::new(action, matching, scope.unwrap_or_default());
        if scope.is_some() {
            for (line, number) in lines {
                rules.push_line(line, Some(number), &mut log);
            }
        }
        rules.report_offers(&mut log);
        done(rules, log, Some(file), sink)
    }

    /// Reads single rules, each written as a line of a rule file.
    ///
    /// # Errors
    /// If something is wrong with one: it has been handed over.
    pub fn from_lines<'a>(
        action: Action,
        matching: Matching,
        scope: Scope,
        lines: impl IntoIterator<Item = &'a [u8]>,
        sink: &mut Sink<'_>,
    ) -> Result<Self, Refused> {
        let mut log = Log::new();
        let mut rules = Rules::new(action, matching, scope);
        for line in lines {
            rules.push_line(line, None, &mut log);
        }
        rules.report_offers(&mut log);
        done(rules, log, None, sink)
    }

    /// Adds the rule of a line, which has this number in a file.
    fn push_line(&mut self, line: &[u8], number: Option<u64>, log: &mut Log) {
        let action = self.action();
        let place = |at: usize| number.map(|line| Position::new(line, at as u64 + 1));
        // Without a file, there is only the line to tell the place by.
        let shown = |at: usize| match number {
            Some(_) => String::new(),
            None => format!("{action} {}, column {}: ", excerpt(line), at + 1),
        };
        let mut complain = |at: usize, text: &str| {
            log.add(Severity::Error, "rule-syntax", place(at), || {
                format!("{}{text}", shown(at))
            });
        };
        let sides = match action {
            Action::Rename => sides(line),
            Action::Hide | Action::Cut => unquoted(line, 0).map(|left| (left, Part::default())),
        };
        let (left, right) = match sides {
            Ok(sides) => sides,
            Err((at, text)) => return complain(at, text),
        };
        match self.push(left.text, right.text, place(left.at)) {
            Ok(()) => {}
            Err(RuleError::Pattern(error)) => {
                complain(left.at + error.column - 1, &error.message);
            }
            Err(RuleError::Right(column, message)) => {
                complain(right.at + column - 1, &message);
            }
        }
    }
}

/// Rules that cannot be used; why has been handed over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refused;

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("errors in the rules")
    }
}

impl std::error::Error for Refused {}

fn done(
    rules: Rules,
    mut log: Log,
    file: Option<&Arc<str>>,
    sink: &mut Sink<'_>,
) -> Result<Rules, Refused> {
    let errors = log.errors();
    log.drain_into(file, sink);
    match errors {
        0 => Ok(rules),
        _ => Err(Refused),
    }
}

/// Whether the first line that is not empty is a header of the action, and if
/// so, what it is about. So many bytes before line 1 are not part of it.
fn check_header(
    action: Action,
    line: Option<(&[u8], u64)>,
    mark: usize,
    log: &mut Log,
) -> Option<Scope> {
    let Some((line, number)) = line else {
        let at = Some(Position::new(1, 1));
        log.add(Severity::Error, "rule-header", at, || {
            format!("the file is empty: expected a first line `{action}`")
        });
        return None;
    };
    let mut words = line
        .split(|&b| is_blank(&[b]))
        .filter(|word| !word.is_empty());
    let name = words.next().unwrap_or_default();
    let rest: Vec<_> = words.collect();
    if name == action.name().as_bytes() {
        match (action, &rest[..]) {
            (_, []) => return Some(Scope::Matching),
            (Action::Hide | Action::Cut, [b"all", b"but"]) => return Some(Scope::AllBut),
            _ => {}
        }
    }
    let before = if number == 1 { mark } else { 0 };
    let column = before + line.len() - line.trim_ascii_start().len() + 1;
    let at = Some(Position::new(number, column as u64));
    log.add(Severity::Error, "rule-header", at, || {
        let all_but = match action {
            Action::Rename => "",
            Action::Hide | Action::Cut => " or with `all but` behind it",
        };
        format!(
            "found {}, expected the line `{action}`{all_but}",
            excerpt(line.trim_ascii())
        )
    });
    None
}

/// A pattern or a right side, and where in its line it starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Part<'a> {
    text: &'a [u8],
    at: usize,
}

/// What is wrong, and where in the line, from 0.
type Complaint = (usize, &'static str);

/// Both sides of a renaming.
fn sides(line: &[u8]) -> Result<(Part<'_>, Part<'_>), Complaint> {
    let start = line.len() - line.trim_ascii_start().len();
    let arrow = if line[start..].starts_with(b"\"") {
        // The arrow follows a quote that ends the left side.
        (start + 1..line.len())
            .filter(|&k| line[k] == b'"')
            .find_map(|quote| {
                let rest = line[quote + 1..].trim_ascii_start();
                rest.starts_with(b"->").then(|| line.len() - rest.len())
            })
    } else {
        find_arrow(line)
    };
    let Some(arrow) = arrow else {
        return Err((start, "expected `LEFT -> RIGHT`"));
    };
    let left = unquoted(&line[..arrow], 0)?;
    let right = &line[arrow + 2..];
    let trimmed = right.trim_ascii_start();
    if trimmed.is_empty() {
        return Err((arrow, "nothing after `->`: an empty text is written `\"\"`"));
    }
    if !trimmed.starts_with(b"\"")
        && let Some(second) = find_arrow(right)
    {
        let text = "a second `->`: a text with `->` in it must be in double quotes";
        return Err((arrow + 2 + second, text));
    }
    Ok((left, unquoted(right, arrow + 2)?))
}

fn find_arrow(line: &[u8]) -> Option<usize> {
    line.windows(2).position(|pair| pair == b"->")
}

/// The text without blanks around it and the quotes that it may be enclosed in.
/// It starts at byte `from` of its line.
fn unquoted(text: &[u8], from: usize) -> Result<Part<'_>, Complaint> {
    let at = from + text.len() - text.trim_ascii_start().len();
    let text = text.trim_ascii();
    match text {
        [] => Err((at, "nothing here: an empty text is written `\"\"`")),
        [b'"', inner @ .., b'"'] => Ok(Part {
            text: inner,
            at: at + 1,
        }),
        [b'"', ..] => Err((
            at,
            "the double quote is not closed: to match one at the beginning, write `\\\"`",
        )),
        _ => Ok(Part { text, at }),
    }
}

fn is_blank(text: &[u8]) -> bool {
    text.trim_ascii().is_empty()
}
