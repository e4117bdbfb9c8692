//! Reports: one page of HTML with tables and plots, which needs no other file, no network
//! and no script. Equal reports give equal bytes.

mod chart;

use std::fmt::Write;

pub use chart::{Chart, Shape};

use crate::text::escaped;

/// What stands on the page, from top to bottom.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What the page is about.
    pub title: String,
    /// Its sections.
    pub sections: Vec<Section>,
}

/// A part of a report, under a heading of its own.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// The heading.
    pub heading: String,
    /// What stands below.
    pub parts: Vec<Part>,
}

/// What sections are made of.
#[derive(Clone, Debug)]
pub enum Part {
    /// A paragraph.
    Text(String),
    /// A table.
    Table(Table),
    /// A plot.
    Chart(Chart),
}

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The names of the columns; no row of names if there are none.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Text, from the left.
    Text(String),
    /// Text as programs write it: labels, words, names of files.
    Code(String),
    /// A number, from the right.
    Number(u64),
    /// The same of what is no whole number.
    Decimal(f64),
    /// Text, from the right.
    Value(String),
    /// A share between 0 and 1, with a bar whose length is the part of the longest one
    /// that the second number tells.
    Bar(f64, f64),
    /// Text that tells what is good (`true`) or not.
    Verdict(bool, String),
    /// Nothing to be said.
    Empty,
}

/// In units of the font's size.
const LONGEST_BAR: f64 = 9.0;

const STYLE: &str = include_str!("report.css");

impl Section {
    /// A section without parts.
    pub fn new(heading: impl Into<String>) -> Self {
        Self {
            heading: heading.into(),
            parts: Vec::new(),
        }
    }

    /// With a paragraph more.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.parts.push(Part::Text(text.into()));
        self
    }

    /// With a table more.
    #[must_use]
    pub fn table(mut self, table: Table) -> Self {
        self.parts.push(Part::Table(table));
        self
    }

    /// With a plot more.
    #[must_use]
    pub fn chart(mut self, chart: Chart) -> Self {
        self.parts.push(Part::Chart(chart));
        self
    }
}

impl Report {
    /// The page. O(size of the report).
    pub fn html(&self) -> String {
        let title = escaped(&self.title);
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             <h1>{title}</h1>\n"
        );
        for section in &self.sections {
            add(
                &mut page,
                format_args!("<section>\n<h2>{}</h2>\n", escaped(&section.heading)),
            );
            for part in &section.parts {
                match part {
                    Part::Text(text) => {
                        add(&mut page, format_args!("<p>{}</p>\n", escaped(text)));
                    }
                    Part::Table(table) => table.add_to(&mut page),
                    Part::Chart(chart) => chart.add_to(&mut page),
                }
            }
            page.push_str("</section>\n");
        }
        page.push_str("</body>\n</html>\n");
        page
    }
}

impl Table {
    fn add_to(&self, page: &mut String) {
        page.push_str("<div class=\"table\"><table>\n");
        if !self.head.is_empty() {
            page.push_str("<thead><tr>");
            for name in &self.head {
                add(
                    page,
                    format_args!("<th scope=\"col\">{}</th>", escaped(name)),
                );
            }
            page.push_str("</tr></thead>\n");
        }
        page.push_str("<tbody>\n");
        for row in &self.rows {
            page.push_str("<tr>");
            for cell in row {
                cell.add_to(page);
            }
            page.push_str("</tr>\n");
        }
        page.push_str("</tbody>\n</table></div>\n");
    }
}

impl Cell {
    fn add_to(&self, page: &mut String) {
        match self {
            Cell::Text(text) => add(page, format_args!("<td>{}</td>", escaped(text))),
            Cell::Code(text) => add(
                page,
                format_args!("<td><code>{}</code></td>", escaped(text)),
            ),
            Cell::Number(number) => add(
                page,
                format_args!("<td class=\"number\">{}</td>", grouped(*number)),
            ),
            Cell::Decimal(number) => {
                add(page, format_args!("<td class=\"number\">{number:.3}</td>"))
            }
            Cell::Value(text) => add(
                page,
                format_args!("<td class=\"number\">{}</td>", escaped(text)),
            ),
            Cell::Bar(share, length) => {
                let [share, length] = [share, length].map(|part| part.clamp(0.0, 1.0) * 100.0);
                add(
                    page,
                    format_args!(
                        "<td class=\"bar\"><div style=\"width:{:.3}rem\"></div>\
                         <span>{share:.1} %</span></td>",
                        length * LONGEST_BAR / 100.0
                    ),
                );
            }
            Cell::Verdict(is_good, text) => {
                let class = if *is_good { "good" } else { "bad" };
                add(
                    page,
                    format_args!("<td class=\"{class}\">{}</td>", escaped(text)),
                );
            }
            Cell::Empty => page.push_str("<td></td>"),
        }
    }
}

/// A number with its digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn add(page: &mut String, what: std::fmt::Arguments<'_>) {
    page.write_fmt(what).expect("writing to a string");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        let texts = [0, 7, 999, 1000, 65_536, 1_234_567, u64::MAX].map(grouped);
        let expected = ["0", "7", "999", "1,000", "65,536", "1,234,567"];
        assert_eq!(texts[..6], expected);
        assert_eq!(texts[6], "18,446,744,073,709,551,615");
    }

    #[test]
    fn texts_of_labels_stay_texts() {
        let table = Table {
            head: vec!["<b>".into()],
            rows: vec![vec![
                Cell::Code("</style><script>alert(1)</script> & \"'".into()),
                Cell::Bar(0.25, 7.5),
            ]],
        };
        let report = Report {
            title: "a < b".into(),
            sections: vec![Section::new("& more").table(table).text("]]> <!--")],
        };
        let page = report.html();
        assert!(!page.contains("<script"), "{page}");
        assert!(page.contains("<title>a &lt; b</title>"));
        assert!(page.contains("&lt;/style&gt;&lt;script&gt;alert(1)"));
        assert!(page.contains("width:9.000rem"));
        assert!(page.contains("25.0 %"));
        assert_eq!(page.matches("</style>").count(), 1);
    }
}
