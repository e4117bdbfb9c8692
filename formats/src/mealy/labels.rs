//! Labels as pairs of an input and an output.

use std::borrow::Cow;
use std::fmt;

use memchr::memmem;

/// A label that is no pair of input and output, or a pair that no label can
/// stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MealyError {
    /// There is no separator in the label.
    NoSeparator,
    /// There is nothing before the separator.
    EmptyInput,
    /// The pair cannot be written so that splitting gives it back.
    Ambiguous,
}

impl fmt::Display for MealyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MealyError::NoSeparator => "no separator between input and output",
            MealyError::EmptyInput => "an empty input",
            MealyError::Ambiguous => "a pair that would not be split back from any label",
        })
    }
}

impl std::error::Error for MealyError {}

/// An input and an output of a Mealy machine. The output may be empty.
pub type Pair<'a> = (Cow<'a, [u8]>, Cow<'a, [u8]>);

/// How labels are split into input and output: by default at the first ` / `
/// (with blanks), else at the first `/`, blanks around both being dropped.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MealySyntax {
    /// The separator, in place of ` / ` and `/`; not empty.
    pub separator: Option<Vec<u8>>,
    /// Split at the last separator of a label rather than at the first.
    pub last: bool,
    /// Keep blanks around inputs and outputs as parts of them.
    pub keep_blanks: bool,
    /// What stands between several inputs that have the same output; not empty.
    pub alternatives: Option<Vec<u8>>,
}

impl MealySyntax {
    /// How the labels of an LTS in memory are split that was read by this
    /// syntax: by the default separators, the first or the last of a label as
    /// here, with blanks treated alike.
    pub fn in_memory(&self) -> MealySyntax {
        MealySyntax {
            last: self.last,
            keep_blanks: self.keep_blanks,
            ..MealySyntax::default()
        }
    }

    /// Splits a label into input and output.
    ///
    /// A label of several lines stands for several pairs, one a line, if each
    /// line has ` / `, or none has and each has `/` (or each has the separator
    /// of this syntax). Otherwise its first line is the input, and the others,
    /// joined by blanks, are the output. Empty lines at the end do not count.
    /// O(length).
    ///
    /// # Errors
    /// If there is no separator, or an input is empty.
    pub fn split<'a>(&self, label: &'a [u8]) -> Result<Vec<Pair<'a>>, MealyError> {
        let lines = lines(label);
        let mut pairs = Vec::new();
        if lines.len() == 1 || self.is_pair_a_line(&lines) {
            for line in lines {
                let (input, output) = self.split_line(line)?;
                self.push(input, Cow::Borrowed(output), &mut pairs)?;
            }
        } else {
            let output: Vec<&[u8]> = lines[1..].iter().map(|l| self.trim(l)).collect();
            let output = output.join(&b" "[..]);
            let output = self.trim(&output).to_vec();
            self.push(lines[0], Cow::Owned(output), &mut pairs)?;
        }
        Ok(pairs)
    }

    /// Whether each of several lines is a pair of its own.
    fn is_pair_a_line(&self, lines: &[&[u8]]) -> bool {
        let has = |separator: &[u8]| {
            let found = lines
                .iter()
                .filter(|l| memmem::find(l, separator).is_some());
            found.count()
        };
        match &self.separator {
            Some(separator) => has(separator) == lines.len(),
            None => match has(b" / ") {
                0 => has(b"/") == lines.len(),
                n => n == lines.len(),
            },
        }
    }

    /// Of a label in which each line may be a pair, but not by one separator: a line
    /// that has ` / ` and one that has just `/`, from 1. O(length).
    pub(crate) fn mixed_lines(&self, label: &[u8]) -> Option<(usize, usize)> {
        let lines = lines(label);
        let has =
            |separator: &'static [u8]| move |line: &&[u8]| memmem::find(line, separator).is_some();
        if self.separator.is_some() || !lines.iter().all(has(b"/")) {
            return None;
        }
        let wide = lines.iter().position(has(b" / "))?;
        let tight = lines.iter().position(|line| !has(b" / ")(line))?;
        Some((wide + 1, tight + 1))
    }

    /// Splits a label of one line, without a look at what the parts are.
    fn split_line<'a>(&self, line: &'a [u8]) -> Result<(&'a [u8], &'a [u8]), MealyError> {
        let find = |separator: &[u8]| {
            let at = match self.last {
                true => memmem::rfind(line, separator),
                false => memmem::find(line, separator),
            };
            at.map(|at| (&line[..at], &line[at + separator.len()..]))
        };
        match &self.separator {
            Some(separator) => find(separator),
            None => find(b" / ").or_else(|| find(b"/")),
        }
        .ok_or(MealyError::NoSeparator)
    }

    /// Adds the pairs of an input, which may be several, and an output.
    fn push<'a>(
        &self,
        input: &'a [u8],
        output: Cow<'a, [u8]>,
        pairs: &mut Vec<Pair<'a>>,
    ) -> Result<(), MealyError> {
        let output = match output {
            Cow::Borrowed(output) => Cow::Borrowed(self.trim(output)),
            owned => owned,
        };
        let mut rest = input;
        loop {
            let (input, next) = match &self.alternatives {
                Some(between) => match memmem::find(rest, between) {
                    Some(at) => (&rest[..at], Some(&rest[at + between.len()..])),
                    None => (rest, None),
                },
                None => (rest, None),
            };
            let input = self.trim(input);
            if input.is_empty() {
                return Err(MealyError::EmptyInput);
            }
            pairs.push((Cow::Borrowed(input), output.clone()));
            match next {
                Some(next) => rest = next,
                None => return Ok(()),
            }
        }
    }

    /// The inputs that a text stands for which holds no output: several if there
    /// are alternatives.
    pub(crate) fn inputs<'a>(&self, text: &'a [u8]) -> Vec<&'a [u8]> {
        let parts: Vec<&[u8]> = match &self.alternatives {
            None => vec![text],
            Some(between) => {
                let ends = memmem::find_iter(text, between).chain([text.len()]);
                let mut from = 0;
                let part = |end| {
                    let part = &text[from..end];
                    from = end + between.len();
                    part
                };
                ends.map(part).collect()
            }
        };
        parts.into_iter().map(|part| self.trim(part)).collect()
    }

    fn trim<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        match self.keep_blanks {
            true => text,
            false => text.trim_ascii(),
        }
    }

    /// The label for a pair in memory: `input/output`, or `input / output` if
    /// that would not be split back into the pair (see
    /// [`MealySyntax::in_memory`]). If one of them is split back at the first
    /// separator as well as at the last, it is that one.
    ///
    /// # Errors
    /// If the input is empty, or neither label would be split back.
    pub fn join(&self, input: &[u8], output: &[u8]) -> Result<Vec<u8>, MealyError> {
        let syntax = self.in_memory();
        let first = MealySyntax {
            last: false,
            ..syntax.clone()
        };
        let back = |separator: &[u8]| syntax.joined_by(separator, input, output);
        let either_way = |separator: &[u8]| {
            let label = back(separator)?;
            first.joined_by(separator, input, output).map(|_| label)
        };
        either_way(b"/")
            .or_else(|_| either_way(b" / "))
            .or_else(|_| back(b"/"))
            .or_else(|_| back(b" / "))
    }

    /// The label for a pair in a file that is to be read by this syntax: with
    /// its separator, or ` / ` if it has none.
    ///
    /// # Errors
    /// If the input is empty, or the label would not be split back.
    pub fn written(&self, input: &[u8], output: &[u8]) -> Result<Vec<u8>, MealyError> {
        let separator = self.separator.as_deref().unwrap_or(b" / ");
        self.joined_by(separator, input, output)
    }

    /// The output that a label tells which has no input: what stands behind the
    /// separator that it begins with. `None` for all other labels. O(length).
    pub fn initial_output<'a>(&self, label: &'a [u8]) -> Option<&'a [u8]> {
        if label.contains(&b'\n') {
            return None;
        }
        let (input, output) = self.split_line(label).ok()?;
        self.trim(input).is_empty().then(|| self.trim(output))
    }

    /// The label for an output without an input in memory: `/output`, or
    /// ` / output` if that would not give it back (see
    /// [`MealySyntax::in_memory`]).
    ///
    /// # Errors
    /// If neither label would give the output back.
    pub fn join_initial(&self, output: &[u8]) -> Result<Vec<u8>, MealyError> {
        let syntax = self.in_memory();
        let labels = ["/", " / "].map(|separator| [separator.as_bytes(), output].concat());
        let is_back = |label: &Vec<u8>| syntax.initial_output(label) == Some(output);
        let label = labels.into_iter().find(is_back);
        label.ok_or(MealyError::Ambiguous)
    }

    fn joined_by(
        &self,
        separator: &[u8],
        input: &[u8],
        output: &[u8],
    ) -> Result<Vec<u8>, MealyError> {
        if input.is_empty() {
            return Err(MealyError::EmptyInput);
        }
        let label = [input, separator, output].concat();
        let pairs = self.split(&label).map_err(|_| MealyError::Ambiguous)?;
        match &pairs[..] {
            [(a, b)] if (&a[..], &b[..]) == (input, output) => Ok(label),
            _ => Err(MealyError::Ambiguous),
        }
    }
}

/// The lines of a label, without empty ones at the end.
fn lines(label: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = label.split(|&b| b == b'\n').collect();
    while lines.len() > 1 && lines.last().is_some_and(|l| l.trim_ascii().is_empty()) {
        lines.pop();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Split<'a> = Result<&'a [(&'a str, &'a str)], MealyError>;

    #[track_caller]
    fn splits(syntax: &MealySyntax, label: &str, expected: Split<'_>) {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let split = syntax.split(label.as_bytes()).map(|pairs| {
            let pairs = pairs.iter().map(|(a, b)| (text(a), text(b)));
            pairs.collect::<Vec<_>>()
        });
        let expected =
            expected.map(|pairs| pairs.iter().map(|&(a, b)| (a.into(), b.into())).collect());
        assert_eq!(split, expected, "{label:?}");
    }

    #[test]
    fn default_syntax() {
        let cases: &[(&str, Split<'_>)] = &[
            ("a / 1", Ok(&[("a", "1")])),
            ("a/1", Ok(&[("a", "1")])),
            ("a/", Ok(&[("a", "")])),
            (
                "SYN(V,V,0)/ACK+RST(ZERO,NEXT,0)",
                Ok(&[("SYN(V,V,0)", "ACK+RST(ZERO,NEXT,0)")]),
            ),
            (
                "S / P(my_topic/retained,m)",
                Ok(&[("S", "P(my_topic/retained,m)")]),
            ),
            ("a/b / c", Ok(&[("a/b", "c")])),
            ("in\nout", Ok(&[("in", "out")])),
            ("in\nout / x\nmore\n", Ok(&[("in", "out / x more")])),
            ("a/0\nb/1\n\n", Ok(&[("a", "0"), ("b", "1")])),
            ("a / 0\nb / 1", Ok(&[("a", "0"), ("b", "1")])),
            ("a / 0\nb/1", Ok(&[("a / 0", "b/1")])),
            ("a/0\n", Ok(&[("a", "0")])),
            ("a", Err(MealyError::NoSeparator)),
            ("/a", Err(MealyError::EmptyInput)),
            ("\nout", Err(MealyError::EmptyInput)),
            ("a/0\n/1", Err(MealyError::EmptyInput)),
            ("", Err(MealyError::NoSeparator)),
        ];
        for (label, expected) in cases {
            splits(&MealySyntax::default(), label, *expected);
        }
    }

    #[test]
    fn other_syntaxes() {
        let default = MealySyntax::default;
        let hash = MealySyntax {
            separator: Some(b"#".to_vec()),
            ..default()
        };
        splits(&hash, "a/1 # 2", Ok(&[("a/1", "2")]));
        splits(&hash, "a#0\nb#1", Ok(&[("a", "0"), ("b", "1")]));
        splits(&hash, "a/0\nb/1", Ok(&[("a/0", "b/1")]));
        splits(&hash, "a / 1", Err(MealyError::NoSeparator));
        let last = MealySyntax {
            last: true,
            ..default()
        };
        splits(&last, "a/b/c", Ok(&[("a/b", "c")]));
        splits(&last, "a / b / c/d", Ok(&[("a / b", "c/d")]));
        let last = MealySyntax {
            last: true,
            ..hash.clone()
        };
        splits(&last, "a#b#c", Ok(&[("a#b", "c")]));
        let blanks = MealySyntax {
            keep_blanks: true,
            ..default()
        };
        splits(&blanks, " a / 1 ", Ok(&[(" a", "1 ")]));
        splits(&blanks, "a\n b ", Ok(&[("a", " b ")]));
        splits(&blanks, " /1", Ok(&[(" ", "1")]));
        let bars = MealySyntax {
            alternatives: Some(b" | ".to_vec()),
            ..default()
        };
        splits(
            &bars,
            "a | b / c | d",
            Ok(&[("a", "c | d"), ("b", "c | d")]),
        );
        splits(&bars, "a | b\nc / d", Ok(&[("a", "c / d"), ("b", "c / d")]));
        splits(&bars, "a |  | b / c", Err(MealyError::EmptyInput));
    }

    #[test]
    fn labels_for_pairs() {
        let default = MealySyntax::default();
        let join = |a: &str, b: &str| {
            let label = default.join(a.as_bytes(), b.as_bytes());
            label.map(|l| String::from_utf8(l).unwrap())
        };
        assert_eq!(join("a", "1").unwrap(), "a/1");
        assert_eq!(join("a/b", "1").unwrap(), "a/b / 1");
        assert_eq!(join("a", "b / c").unwrap(), "a / b / c");
        assert_eq!(join("a", "").unwrap(), "a/");
        assert_eq!(join(" a", "1"), Err(MealyError::Ambiguous));
        assert_eq!(join("a\nb", "1"), Err(MealyError::Ambiguous));
        assert_eq!(join("", "1"), Err(MealyError::EmptyInput));
        assert_eq!(default.written(b"a", b"1").unwrap(), b"a / 1");
        assert_eq!(default.written(b"a", b"").unwrap(), b"a / ");
        assert_eq!(default.written(b"a / b", b"1"), Err(MealyError::Ambiguous));
        let slash = MealySyntax {
            separator: Some(b"/".to_vec()),
            alternatives: Some(b"|".to_vec()),
            ..default
        };
        assert_eq!(slash.written(b"a", b"b/c").unwrap(), b"a/b/c");
        assert_eq!(slash.written(b"a/b", b"c"), Err(MealyError::Ambiguous));
        assert_eq!(slash.written(b"a|b", b"c"), Err(MealyError::Ambiguous));
        assert_eq!(slash.join(b"a|b", b"c").unwrap(), b"a|b/c");
        let last = MealySyntax {
            last: true,
            ..MealySyntax::default()
        };
        for (input, output, label) in [
            ("a", "1", "a/1"),
            ("a/b", "1", "a/b / 1"),
            ("a", "b/c", "a / b/c"),
            ("x / y", "1", "x / y / 1"),
        ] {
            let joined = last.join(input.as_bytes(), output.as_bytes());
            assert_eq!(joined, Ok(label.as_bytes().to_vec()));
        }
        assert_eq!(last.join(b"x", b"y / 1"), Err(MealyError::Ambiguous));
        assert_eq!(last.written(b"x / y", b"1").unwrap(), b"x / y / 1");
        let blanks = MealySyntax {
            keep_blanks: true,
            ..MealySyntax::default()
        };
        assert_eq!(blanks.join(b"a ", b" 1").unwrap(), b"a  /  1");
    }

    #[test]
    fn outputs_without_inputs() {
        let default = MealySyntax::default();
        for (output, label) in [
            ("A", "/A"),
            ("", "/"),
            ("a/b", "/a/b"),
            ("a / b", " / a / b"),
            ("i", "/i"),
        ] {
            assert_eq!(
                default.join_initial(output.as_bytes()).unwrap(),
                label.as_bytes()
            );
            assert_eq!(
                default.initial_output(label.as_bytes()),
                Some(output.as_bytes())
            );
            // never a pair of an input and an output
            assert_eq!(default.split(label.as_bytes()), Err(MealyError::EmptyInput));
        }
        for output in [" A", "A\nB"] {
            assert_eq!(
                default.join_initial(output.as_bytes()),
                Err(MealyError::Ambiguous)
            );
        }
        for label in ["a/A", "A", "\nA", ""] {
            assert_eq!(default.initial_output(label.as_bytes()), None);
        }
    }

    proptest! {
        #[test]
        fn labels_are_split_back(
            text in "[a#|/ \n]{0,10}",
            separator in prop_oneof![Just(None), Just(Some("#")), Just(Some("/"))],
            alternatives in prop_oneof![Just(None), Just(Some(" | ")), Just(Some("|"))],
            last: bool,
            keep_blanks: bool,
        ) {
            let syntax = MealySyntax {
                separator: separator.map(Into::into),
                last,
                keep_blanks,
                alternatives: alternatives.map(Into::into),
            };
            for (input, output) in syntax.split(text.as_bytes()).unwrap_or_default() {
                if let Ok(label) = syntax.join(&input, &output) {
                    let pair = (input.clone(), output.clone());
                    prop_assert_eq!(syntax.in_memory().split(&label), Ok(vec![pair]));
                }
                if let Ok(label) = syntax.written(&input, &output) {
                    prop_assert_eq!(syntax.split(&label), Ok(vec![(input, output)]));
                }
            }
        }
    }
}
