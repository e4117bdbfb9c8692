//! Writing a page for `man`: what `clap_mangen` does not have.

use std::fmt::Write;

use super::MARK;

/// How wide pages are at least.
const WIDTH: usize = 80;
/// How far from the left end of a page `man` begins lines.
const MARGIN: usize = 7;
/// How much farther commands begin, and what is left of one that is too long.
const INDENT: usize = 4;

/// A page that is being written.
pub(super) struct Page {
    text: String,
}

impl Page {
    /// A page of this name in this section of the manual.
    pub(super) fn new(name: &str, section: u8, about: &str) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        let title = escaped(&name.to_uppercase());
        let mut page = Self {
            text: format!(
                ".\\\" {MARK}\n.TH {title} {section} \"\" \"Hyades {version}\" \"Hyades\"\n"
            ),
        };
        page.section("NAME");
        page.line(&format!("{name} - {about}"));
        page
    }

    /// The text.
    pub(super) fn text(self) -> String {
        self.text
    }

    /// Begins a section.
    pub(super) fn section(&mut self, title: &str) {
        self.request("SH", title);
    }

    /// Begins a part of a section.
    pub(super) fn subsection(&mut self, title: &str) {
        self.request("SS", title);
    }

    fn request(&mut self, name: &str, argument: &str) {
        let argument = escaped(argument).replace('"', "\\(dq");
        self.put(&format!(".{name} \"{argument}\"\n"));
    }

    /// Adds what is written for `man` already.
    pub(super) fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A line of a paragraph.
    pub(super) fn line(&mut self, line: &str) {
        let line = format!("{}\n", escaped(line.trim()));
        self.put(&line);
    }

    /// Paragraphs, which empty lines separate; the first one begins where we are.
    pub(super) fn paragraphs(&mut self, text: &str) {
        let mut is_open = true;
        for line in text.trim().lines() {
            match (line.trim().is_empty(), is_open) {
                (false, _) => self.line(line),
                (true, false) => {}
                (true, true) => self.put(".PP\n"),
            }
            is_open = !line.trim().is_empty();
        }
    }

    /// A word in bold, and what it means.
    pub(super) fn item(&mut self, word: &str, meaning: &str) {
        let _ = write!(self.text, ".TP\n\\fB{}\\fR\n", escaped(word));
        self.line(meaning);
    }

    /// Lines as they are, from the left end of the page on, which they may fill.
    pub(super) fn table(&mut self, text: &str) {
        self.put(".in 0\n.nf\n");
        for line in text.lines() {
            let line = format!("{}\n", escaped(line));
            self.put(&line);
        }
        self.put(".fi\n.in\n");
    }

    /// Commands as they are typed, a line each; those that are too long for a page go on in
    /// a second one.
    pub(super) fn commands(&mut self, text: &str) {
        self.put(&format!(".RS {INDENT}\n.nf\n"));
        for command in text.lines() {
            for line in broken(command.trim(), WIDTH - MARGIN - INDENT).lines() {
                self.put(&format!("{}\n", escaped(line)));
            }
        }
        self.put(".fi\n.RE\n");
    }
}

/// A command of a shell in lines of this width, as far as it has blanks outside of quotes:
/// behind a `|` or `&&` if there are some, and not behind an option, which may have a value.
fn broken(command: &str, width: usize) -> String {
    let mut text = String::new();
    let (mut rest, mut indent) = (command, 0);
    while indent + rest.chars().count() > width {
        let most = width - indent - " \\".len();
        let fits = blanks(rest).take_while(|&at| rest[..at].chars().count() <= most);
        let best = fits.max_by_key(|&at| {
            let word = rest[..at].rsplit(' ').next().unwrap_or_default();
            let is_end = word.ends_with('|') || word == "&&";
            let is_option = word.len() > 1 && word.starts_with('-');
            (is_end, !is_option, at)
        });
        let Some(at) = best else { break };
        let _ = writeln!(text, "{}{} \\", " ".repeat(indent), &rest[..at]);
        (rest, indent) = (&rest[at + 1..], INDENT);
    }
    text + &" ".repeat(indent) + rest
}

/// Where a command has blanks outside of quotes.
fn blanks(command: &str) -> impl Iterator<Item = usize> {
    let mut quote = None;
    command.char_indices().filter_map(move |(at, c)| {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
        (c == ' ' && quote.is_none()).then_some(at)
    })
}

/// The text as `man` shows it: none of its characters is a command, and what is copied
/// from the screen is what was written.
pub(super) fn escaped(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    if text.starts_with(['.', '\'']) {
        all.push_str("\\&");
    }
    for c in text.chars() {
        match c {
            '\\' => all.push_str("\\e"),
            '-' => all.push_str("\\-"),
            '\'' => all.push_str("\\(aq"),
            '`' => all.push_str("\\(ga"),
            '^' => all.push_str("\\(ha"),
            '~' => all.push_str("\\(ti"),
            c => all.push(c),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{broken, escaped};

    #[test]
    fn nothing_is_a_command() {
        assert_eq!(escaped(".SH 'x'"), "\\&.SH \\(aqx\\(aq");
        assert_eq!(escaped("a\\b -c"), "a\\eb \\-c");
    }

    #[test]
    fn long_commands_go_on_in_a_second_line() {
        let same = |command: &str, width, expected: &str| {
            let text = broken(command, width);
            assert_eq!(text, expected);
            assert_eq!(text.replace(" \\\n    ", " "), command);
        };
        same("a -o b", 6, "a -o b");
        same(
            "first | second | third",
            20,
            "first | second | \\\n    third",
        );
        same("first -o out in", 14, "first -o out \\\n    in");
        same("first in -o out", 14, "first in \\\n    -o out");
        same("first 'in out' abc", 16, "first 'in out' \\\n    abc");
        same("first 'in out ab' b", 17, "first \\\n    'in out ab' b");
        // There is no place.
        same("first_in_out", 5, "first_in_out");
    }
}
