//! What readers and writers have to say about a file, and how often.
//!
//! Formats never print. They hand each [`Diagnostic`] to a [`Sink`] of the
//! caller, already limited by a [`Log`]: at most 20 errors, and of the warnings
//! of one code the first three, then a count.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::error::{Failure, ReadError, WriteError};

/// Where diagnostics go, in the order in which they are to be shown.
pub type Sink<'a> = dyn FnMut(Diagnostic) + 'a;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Worth knowing, shown only to who asks for details.
    Note,
    /// Something doubtful, which was read or written all the same.
    Warning,
    /// Nothing is read or written.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// A place in a text file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The line, from 1.
    pub line: u64,
    /// The byte within the line, from 1.
    pub column: u64,
}

impl Position {
    /// The position with this line and this column, both from 1.
    pub const fn new(line: u64, column: u64) -> Self {
        Self { line, column }
    }

    /// The position of a byte of a text, from 0.
    pub fn of(text: &[u8], byte: usize) -> Self {
        let before = &text[..byte.min(text.len())];
        let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        let lines = memchr::memchr_iter(b'\n', before).count();
        Self::new(lines as u64 + 1, (before.len() - start) as u64 + 1)
    }
}

/// One finding about a file. Displayed as
/// `FILE:LINE:COLUMN: error: text [code]`, without what it does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The name of the kind of finding, such as `aut-syntax`.
    pub code: &'static str,
    /// The file, as the user named it.
    pub file: Option<Arc<str>>,
    /// The place in the file.
    pub position: Option<Position>,
    /// What was found, what was expected, what to do.
    pub text: String,
}

impl Diagnostic {
    /// The same without what stands in the file: for a file that another one
    /// names, of which whoever wrote that one need not be allowed to see a line.
    /// It is to be `expected`. What is left is the place, the code, and the text if
    /// it quotes nothing, or of some the options that it ends with.
    ///
    /// Excerpts of files stand between backquotes (see [`excerpt`]), or double quotes
    /// in what a parser of JSON says.
    pub fn discreet(self, expected: &str) -> Self {
        // Hints are about labels with one of a few names.
        const QUOTES: [char; 2] = ['`', '"'];
        if !self.text.contains(QUOTES) || self.code.ends_with("-hint") {
            return self;
        }
        let options = match self.code {
            // Without them nobody would know what to do.
            "dot-outputs" | "dot-accepting" => {
                let end = self.text.rsplit_once(": ").map(|(_, end)| end);
                end.filter(|end| !end.contains(QUOTES))
            }
            _ => None,
        };
        let about = match self.severity {
            Severity::Error => "expected",
            Severity::Warning | Severity::Note => "doubtful as",
        };
        Self {
            text: format!(
                "{about} {expected}; what is there is not shown, as another file names this one\
                 {}{}",
                if options.is_some() { ": " } else { "" },
                options.unwrap_or_default()
            ),
            ..self
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.position) {
            (Some(file), Some(at)) => write!(f, "{file}:{}:{}: ", at.line, at.column)?,
            (Some(file), None) => write!(f, "{file}: ")?,
            (None, Some(at)) => write!(f, "{}:{}: ", at.line, at.column)?,
            (None, None) => {}
        }
        write!(f, "{}: {} [{}]", self.severity, self.text, self.code)
    }
}

/// At most so many errors are shown.
pub const SHOWN_ERRORS: u64 = 20;
/// At most so many warnings (and notes) of one code are shown.
pub const SHOWN_WARNINGS: u64 = 3;

/// How many diagnostics of one code there were.
#[derive(Clone, Debug)]
struct Count {
    severity: Severity,
    code: &'static str,
    seen: u64,
    shown: u64,
}

/// Collects diagnostics in order, keeping only those that are to be shown and
/// counting the others.
///
/// Its size does not depend on how much is wrong with a file: there are a few
/// dozen codes. The logs of consecutive parts of a file can be
/// [joined](Log::append) into the log of the whole.
#[derive(Clone, Debug, Default)]
pub struct Log {
    kept: Vec<Diagnostic>,
    counts: Vec<Count>,
    errors: u64,
}

impl Log {
    /// An empty log.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many errors there were, shown or not.
    pub fn errors(&self) -> u64 {
        self.errors
    }

    /// Whether there was nothing to report.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Counts a finding; keeps it, and only then makes its text, if it is
    /// among the first of its kind.
    pub fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        position: Option<Position>,
        text: impl FnOnce() -> String,
    ) {
        if self.count(severity, code) {
            self.keep(severity, code, position, text());
        }
    }

    fn keep(
        &mut self,
        severity: Severity,
        code: &'static str,
        position: Option<Position>,
        text: String,
    ) {
        self.kept.push(Diagnostic {
            severity,
            code,
            file: None,
            position,
            text,
        });
    }

    /// Where findings of a kind are counted. The kinds are in the order of
    /// their first findings.
    fn kind(&mut self, severity: Severity, code: &'static str) -> usize {
        let same = |c: &Count| c.code == code && c.severity == severity;
        self.counts.iter().position(same).unwrap_or_else(|| {
            self.counts.push(Count {
                severity,
                code,
                seen: 0,
                shown: 0,
            });
            self.counts.len() - 1
        })
    }

    /// Counts a finding and says whether it is to be kept.
    fn count(&mut self, severity: Severity, code: &'static str) -> bool {
        let k = self.kind(severity, code);
        let keep = match severity {
            Severity::Error => self.errors < SHOWN_ERRORS,
            Severity::Note | Severity::Warning => self.counts[k].shown < SHOWN_WARNINGS,
        };
        if severity == Severity::Error {
            self.errors += 1;
        }
        self.counts[k].seen += 1;
        self.counts[k].shown += u64::from(keep);
        keep
    }

    /// Appends the log of the part of the file that begins `lines` lines after
    /// the beginning of this one.
    pub fn append(&mut self, part: Log, lines: u64) {
        // first of all, as a kind may come first of which nothing was kept
        for c in &part.counts {
            self.kind(c.severity, c.code);
        }
        for mut d in part.kept {
            if let Some(at) = &mut d.position {
                at.line += lines;
            }
            if self.count(d.severity, d.code) {
                self.kept.push(d);
            }
        }
        // What the part counted without keeping comes after what it kept, of
        // the same kind, and so is beyond the limits here too.
        for c in &part.counts {
            let n = c.seen - c.shown;
            let k = self.kind(c.severity, c.code);
            self.counts[k].seen += n;
            if c.severity == Severity::Error {
                self.errors += n;
            }
        }
    }

    /// Hands over what is kept, then one line for each kind that there was more
    /// of, in the order of their first findings.
    pub fn drain_into(&mut self, file: Option<&Arc<str>>, sink: &mut Sink<'_>) {
        for mut d in self.kept.drain(..) {
            d.file = file.cloned();
            sink(d);
        }
        for c in self.counts.drain(..).filter(|c| c.seen > c.shown) {
            sink(Diagnostic {
                severity: c.severity,
                code: c.code,
                file: file.cloned(),
                position: None,
                text: format!("{} more like this", c.seen - c.shown),
            });
        }
    }

    /// Ends the reading of a file, which came to `outcome`: hands all over.
    ///
    /// # Errors
    /// If it did not come to anything, or there were errors.
    pub(crate) fn finish_reading<T>(
        &mut self,
        file: &Arc<str>,
        outcome: Result<T, Failure>,
        sink: &mut Sink<'_>,
    ) -> Result<T, ReadError> {
        let errors = self.errors;
        self.drain_into(Some(file), sink);
        let outcome = outcome.and_then(|read| match errors {
            0 => Ok(read),
            _ => Err(Failure::Refused),
        });
        outcome.map_err(|failure| failure.about(Arc::clone(file), errors))
    }

    /// Ends what a writer has to check before it writes: hands all over.
    ///
    /// # Errors
    /// If there were errors; then nothing may be written.
    pub(crate) fn finish_writing(&mut self, sink: &mut Sink<'_>) -> Result<(), WriteError> {
        let errors = self.errors;
        self.drain_into(None, sink);
        match errors {
            0 => Ok(()),
            _ => Err(WriteError::Refused { errors }),
        }
    }
}

/// A [`Log`] on its way to another process.
#[derive(Serialize, Deserialize)]
pub(crate) struct SentLog {
    kept: Vec<SentDiagnostic>,
    /// Severity, code, how many were seen, and shown.
    counts: Vec<(u8, String, u64, u64)>,
    errors: u64,
}

#[derive(Serialize, Deserialize)]
struct SentDiagnostic {
    severity: u8,
    code: String,
    position: Option<(u64, u64)>,
    text: String,
}

const SEVERITIES: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Error];

impl From<&Log> for SentLog {
    fn from(log: &Log) -> Self {
        let kept = log.kept.iter().map(|d| SentDiagnostic {
            severity: d.severity as u8,
            code: d.code.into(),
            position: d.position.map(|at| (at.line, at.column)),
            text: d.text.clone(),
        });
        let counts = log.counts.iter();
        Self {
            kept: kept.collect(),
            counts: counts
                .map(|c| (c.severity as u8, c.code.into(), c.seen, c.shown))
                .collect(),
            errors: log.errors,
        }
    }
}

impl From<SentLog> for Log {
    fn from(sent: SentLog) -> Self {
        let severity = |k: u8| SEVERITIES[usize::from(k).min(SEVERITIES.len() - 1)];
        let kept = sent.kept.into_iter().map(|d| Diagnostic {
            severity: severity(d.severity),
            code: known_code(d.code),
            file: None,
            position: d.position.map(|(line, column)| Position::new(line, column)),
            text: d.text,
        });
        let kept = kept.collect();
        let counts = sent.counts.into_iter().map(|(k, code, seen, shown)| Count {
            severity: severity(k),
            code: known_code(code),
            seen,
            shown,
        });
        Self {
            kept,
            counts: counts.collect(),
            errors: sent.errors,
        }
    }
}

/// A code that another process has sent. There are a few dozen, each of which stays in
/// memory once.
fn known_code(code: String) -> &'static str {
    static CODES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut codes = CODES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = codes.get(code.as_str()) {
        return known;
    }
    let code: &'static str = code.leak();
    codes.insert(code);
    code
}

/// Bytes of a file as part of a message: printable ASCII as it is, the rest
/// escaped, cut to about 40 characters.
pub fn excerpt(bytes: &[u8]) -> String {
    let mut text = String::from("`");
    for (k, &b) in bytes.iter().enumerate() {
        if k == 40 {
            text.push('…');
            break;
        }
        match b {
            0x20..=0x7e => text.push(b as char),
            _ => text.push_str(&escaped(b)),
        }
    }
    text.push('`');
    text
}

/// A count, a number of whatever type, with its noun: `1 test`, `2 tests`.
pub fn counted(count: impl fmt::Display, noun: &str) -> String {
    let count = count.to_string();
    let s = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{s}")
}

/// That there are so many: `there is 1 state`, `there are 2 states`.
pub fn there_are(count: impl fmt::Display, noun: &str) -> String {
    let counted = counted(count, noun);
    let verb = if counted.starts_with("1 ") {
        "is"
    } else {
        "are"
    };
    format!("there {verb} {counted}")
}

/// What messages show instead of a byte.
fn escaped(byte: u8) -> String {
    match byte {
        b'\t' => "\\t".into(),
        b'\r' => "\\r".into(),
        _ => format!("\\x{byte:02X}"),
    }
}

/// A line for people with texts of a file in it: what has no place in one (see
/// [`is_unprintable`]) and bytes that are no UTF-8 are escaped as in messages, so that
/// it neither ends the line nor means anything to a terminal. All else stays.
pub fn printable(line: &[u8]) -> Cow<'_, [u8]> {
    match is_printable(line) {
        true => line.into(),
        false => escape(line, b"\\"),
    }
}

/// The same for a text of a file that stands alone, such as a label. Backslashes are
/// doubled in a text in which something is escaped, or reads like an escape: different
/// texts look different.
pub fn printable_text(text: &[u8]) -> Cow<'_, [u8]> {
    let is_like_escape = |at: usize| {
        let is_digit = |k: usize| text.get(at + k).is_some_and(u8::is_ascii_hexdigit);
        match text.get(at + 1) {
            Some(b'\\' | b't' | b'r') => true,
            Some(b'x') => is_digit(2) && is_digit(3),
            _ => false,
        }
    };
    match memchr::memchr_iter(b'\\', text).any(is_like_escape) || !is_printable(text) {
        true => escape(text, b"\\\\"),
        false => text.into(),
    }
}

/// Whether nothing has to be escaped.
fn is_printable(text: &[u8]) -> bool {
    text.iter().all(|b| matches!(b, 0x20..=0x7e))
        || str::from_utf8(text).is_ok_and(|text| !text.contains(is_unprintable))
}

/// A text in which what has to be is escaped, and backslashes are replaced.
fn escape(text: &[u8], backslash: &[u8]) -> Cow<'static, [u8]> {
    let mut shown = Vec::with_capacity(text.len() + 8);
    let escape = |shown: &mut Vec<u8>, bytes: &[u8]| {
        shown.extend(bytes.iter().flat_map(|&b| escaped(b).into_bytes()));
    };
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            let mut buffer = [0; 4];
            let bytes = c.encode_utf8(&mut buffer).as_bytes();
            match c {
                '\\' => shown.extend_from_slice(backslash),
                c if is_unprintable(c) => escape(&mut shown, bytes),
                _ => shown.extend_from_slice(bytes),
            }
        }
        escape(&mut shown, chunk.invalid());
    }
    shown.into()
}

/// Whether a character has no place in a line for people: control characters, ends of
/// lines and paragraphs, what turns the direction of the text that follows, and what
/// has no width, so that nobody sees it.
pub fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// As [`printable_text`].
pub fn printable_string(text: &[u8]) -> String {
    String::from_utf8_lossy(&printable_text(text)).into_owned()
}

/// The name of a file as messages and answers show it: see [`printable_text`].
pub fn printable_path(path: impl AsRef<OsStr>) -> String {
    printable_string(path.as_ref().as_encoded_bytes())
}

/// Whether a text has characters without a place in a line, or single bytes that are
/// control characters.
pub(crate) fn has_controls(text: &[u8]) -> bool {
    text.iter().any(|b| !matches!(b, 0x20..=0x7e))
        && text.utf8_chunks().any(|chunk| {
            chunk.valid().contains(is_unprintable)
                || chunk.invalid().iter().any(|b| matches!(b, 0x80..=0x9f))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        let counts = [0, 1, 2, 11].map(|count| counted(count, "test"));
        assert_eq!(counts, ["0 tests", "1 test", "2 tests", "11 tests"]);
    }

    #[test]
    fn lines_for_people_have_no_control_characters() {
        for (text, expected) in [
            (&b"a !1"[..], "a !1"),
            (b"a\nlabel: 7 b", "a\\x0Alabel: 7 b"),
            (b"\x1b[2J\x7f\t\r", "\\x1B[2J\\x7F\\t\\r"),
            ("τ · é\\x".as_bytes(), "τ · é\\x"),
            (b"\\\n", "\\\\x0A"),
            (
                "a\u{202e}b\u{2028}".as_bytes(),
                "a\\xE2\\x80\\xAEb\\xE2\\x80\\xA8",
            ),
            ("\u{9b}31m".as_bytes(), "\\xC2\\x9B31m"),
            ("a\u{200b}b".as_bytes(), "a\\xE2\\x80\\x8Bb"),
            ("\u{feff}a\u{ad}".as_bytes(), "\\xEF\\xBB\\xBFa\\xC2\\xAD"),
            (b"\xff\xe9", "\\xFF\\xE9"),
        ] {
            assert_eq!(printable(text), expected.as_bytes());
            assert!(!has_controls(&printable(text)));
        }
        for (text, controls) in [
            (&b"a b"[..], false),
            ("τ".as_bytes(), false),
            (b"\xe9", false),
            (b"\x9b", true),
            ("\u{9b}".as_bytes(), true),
            (b"a\tb", true),
            (b"a\nb", true),
        ] {
            assert_eq!(has_controls(text), controls, "{}", text.escape_ascii());
        }
    }

    /// All short texts over these bytes look different.
    #[test]
    fn different_texts_look_different() {
        for (text, expected) in [
            (&b"a\\b\\"[..], "a\\b\\"),
            (b"a\\x0A", "a\\\\x0A"),
            (b"\\\n", "\\\\\\x0A"),
            (b"C:\\temp", "C:\\\\temp"),
        ] {
            assert_eq!(printable_text(text), expected.as_bytes());
        }
        let bytes = b"\\x0At\t\n\xff";
        let mut texts = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..5 {
            let to = texts.len();
            for k in from..to {
                let text = texts[k].clone();
                texts.extend(bytes.iter().map(|&b| [&text[..], &[b]].concat()));
            }
            from = to;
        }
        let mut seen = std::collections::HashMap::new();
        for text in &texts {
            if let Some(other) = seen.insert(printable_text(text).into_owned(), text) {
                panic!("{} and {}", text.escape_ascii(), other.escape_ascii());
            }
        }
        assert_eq!(seen.len(), 1 + 8 + 64 + 512 + 4096 + 32768);
    }

    fn shown(mut log: Log) -> Vec<String> {
        let mut lines = Vec::new();
        log.drain_into(Some(&"f".into()), &mut |d| lines.push(d.to_string()));
        lines
    }

    #[test]
    fn three_warnings_of_a_code_then_a_count() {
        let mut log = Log::new();
        for line in 1..=5 {
            let at = Some(Position::new(line, 7));
            log.add(Severity::Warning, "w", at, || "odd".into());
        }
        log.add(Severity::Note, "n", None, || "by the way".into());
        assert_eq!(log.errors(), 0);
        assert_eq!(
            shown(log),
            [
                "f:1:7: warning: odd [w]",
                "f:2:7: warning: odd [w]",
                "f:3:7: warning: odd [w]",
                "f: note: by the way [n]",
                "f: warning: 2 more like this [w]",
            ]
        );
    }

    #[test]
    fn joined_logs_equal_the_log_of_the_whole() {
        for cut in 0..60u64 {
            let mut whole = Log::new();
            let (mut head, mut tail) = (Log::new(), Log::new());
            for k in 0..60 {
                let (severity, code) = match k % 5 {
                    // kinds that come late, the first of them not to be kept
                    _ if k == 45 => (Severity::Error, "e"),
                    _ if k > 50 => (Severity::Warning, "f"),
                    0 => (Severity::Warning, "a"),
                    1 => (Severity::Warning, "b"),
                    2 => (Severity::Error, "c"),
                    _ => (Severity::Error, "d"),
                };
                let at = |line| Some(Position::new(line, 1));
                whole.add(severity, code, at(k + 1), || "x".into());
                if k < cut {
                    head.add(severity, code, at(k + 1), || "x".into());
                } else {
                    tail.add(severity, code, at(k - cut + 1), || "x".into());
                }
            }
            head.append(tail, cut);
            assert_eq!(head.errors(), whole.errors());
            assert_eq!(shown(head), shown(whole), "cut after {cut}");
        }
    }

    #[test]
    fn discretion_leaves_places_and_what_quotes_nothing() {
        let about = |severity, code, text: &str| {
            let diagnostic = Diagnostic {
                severity,
                code,
                file: Some("f".into()),
                position: Some(Position::new(1, 2)),
                text: text.into(),
            };
            diagnostic.discreet("rules").to_string()
        };
        assert_eq!(
            about(Severity::Error, "x", "found `root:x`, expected more"),
            "f:1:2: error: expected rules; what is there is not shown, as another file names \
             this one [x]"
        );
        assert_eq!(
            about(Severity::Warning, "x", "`a` is odd"),
            "f:1:2: warning: doubtful as rules; what is there is not shown, as another file names \
             this one [x]"
        );
        for (text, kept) in [
            ("`a` tells it: read it with --o", ": read it with --o"),
            ("what tells it: `a: root` ", ""),
            ("it tells: \"root\"", ""),
        ] {
            let shown = about(Severity::Error, "dot-outputs", text);
            assert!(
                shown.ends_with(&format!("names this one{kept} [dot-outputs]")),
                "{shown}"
            );
            assert!(!shown.contains("root"), "{shown}");
        }
        for (code, text) in [("x", "5 transitions too few"), ("x-hint", "label `tau`")] {
            let shown = about(Severity::Warning, code, text);
            assert_eq!(shown, format!("f:1:2: warning: {text} [{code}]"));
        }
    }

    #[test]
    fn excerpts_are_short_and_printable() {
        assert_eq!(excerpt(b"a\tb\xff\""), "`a\\tb\\xFF\"`");
        assert_eq!(excerpt(&[b'x'; 99]).chars().count(), 43);
    }
}
