//! Writing a page for `man`: what `clap_mangen` does not have.

use std::fmt::Write;

use super::MARK;

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

    /// Lines as they are; of their common margin nothing is left.
    pub(super) fn verbatim(&mut self, text: &str) {
        let margin = |line: &str| line.len() - line.trim_start().len();
        let filled = text.lines().filter(|line| !line.trim().is_empty());
        let margin = filled.map(margin).min().unwrap_or(0);
        self.put(".RS 4\n.nf\n");
        for line in text.lines() {
            let line = format!("{}\n", escaped(line.get(margin..).unwrap_or("").trim_end()));
            self.put(&line);
        }
        self.put(".fi\n.RE\n");
    }
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
    use super::escaped;

    #[test]
    fn nothing_is_a_command() {
        assert_eq!(escaped(".SH 'x'"), "\\&.SH \\(aqx\\(aq");
        assert_eq!(escaped("a\\b -c"), "a\\eb \\-c");
    }
}
