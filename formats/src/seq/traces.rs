//! Traces of an LTS, which need not be all of it.

use std::io::Write;

use super::labels::{HIDDEN, check};
use super::read::End;
use crate::diagnostic::{Log, Sink};
use crate::error::WriteError;
use crate::lts::{LabelId, LabelTable, Lts, StateId};
use crate::options::WriteOptions;
use crate::spelling;

/// A path from the initial state, by its labels.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sequence {
    /// The labels along the path.
    pub labels: Vec<LabelId>,
    /// Whether the path ends in a state without successors, which is then said.
    pub deadlock: bool,
}

impl Sequence {
    /// The sequences that were read as this LTS, by the ends that were given with it
    /// ([`read_with_ends`](super::read_with_ends)). O(states + transitions).
    ///
    /// # Panics
    /// If there is no state of such a number.
    pub fn all(lts: &Lts, ends: &[End]) -> Vec<Self> {
        // One transition leads to each state but the first, from one before it.
        let mut step_to = vec![(StateId::new(0), LabelId::HIDDEN); lts.states()];
        for (source, label, target) in lts.iter() {
            step_to[target.index()] = (source, label);
        }
        let of = |end: &End| {
            let mut labels = Vec::new();
            let mut state = end.state;
            while state.index() > 0 {
                let (before, label) = step_to[state.index()];
                labels.push(label);
                state = before;
            }
            labels.reverse();
            Self {
                labels,
                deadlock: end.deadlock,
            }
        };
        ends.iter().map(of).collect()
    }
}

/// Writes sequences, each after a comment that tells its number and length:
///
/// ```text
/// *** sequence 1 (length 2)
/// "PUSH !1"
/// "i"
/// <deadlock>
/// ```
///
/// Of the options only `visible_i` has an effect.
///
/// # Errors
/// If the output refuses. If a label holds `"` or a newline, or is visible and
/// reads `i` (and is not to be renamed): then nothing has been written.
pub fn write_traces(
    sequences: &[Sequence],
    table: &LabelTable,
    output: &mut dyn Write,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<(), WriteError> {
    let mut log = Log::new();
    let mut text = Vec::new();
    for (k, sequence) in sequences.iter().enumerate() {
        if k > 0 {
            text.extend_from_slice(b"[]\n");
        }
        let length = sequence.labels.len();
        text.extend_from_slice(format!("*** sequence {} (length {length})\n", k + 1).as_bytes());
        push_steps(&mut text, &sequence.labels, table, options, &mut log);
        if sequence.deadlock {
            text.extend_from_slice(b"<deadlock>\n");
        }
    }
    log.finish_writing(sink)?;
    output.write_all(&text)?;
    Ok(())
}

/// The labels of a part of a sequence, one a line, for callers who put
/// comments between the parts.
///
/// # Errors
/// As for [`write_traces()`].
pub fn steps(
    labels: &[LabelId],
    table: &LabelTable,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<Vec<u8>, WriteError> {
    let mut log = Log::new();
    let mut text = Vec::new();
    push_steps(&mut text, labels, table, options, &mut log);
    log.finish_writing(sink)?;
    Ok(text)
}

fn push_steps(
    text: &mut Vec<u8>,
    labels: &[LabelId],
    table: &LabelTable,
    options: &WriteOptions,
    log: &mut Log,
) {
    for &label in labels {
        let written = spelling::of_step(label, table, HIDDEN, options, log);
        check(written, log);
        text.push(b'"');
        text.extend_from_slice(written);
        text.extend_from_slice(b"\"\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_all(
        labels: &[&[&[u8]]],
        options: &WriteOptions,
    ) -> Result<String, (WriteError, Vec<String>)> {
        let mut table = LabelTable::new();
        let sequences: Vec<_> = labels
            .iter()
            .enumerate()
            .map(|(k, labels)| Sequence {
                labels: labels
                    .iter()
                    .map(|&l| match l {
                        b"HIDDEN" => LabelId::HIDDEN,
                        _ => table.intern(l).unwrap(),
                    })
                    .collect(),
                deadlock: k % 2 == 1,
            })
            .collect();
        let mut out = Vec::new();
        let mut seen = Vec::new();
        match write_traces(&sequences, &table, &mut out, options, &mut |d| {
            seen.push(d.to_string())
        }) {
            Ok(()) => Ok(String::from_utf8(out).unwrap()),
            Err(e) => {
                assert!(out.is_empty());
                Err((e, seen))
            }
        }
    }

    #[test]
    fn sequences() {
        let text = write_all(
            &[&[b"PUSH !1", b"HIDDEN", b""], &[b"a"], &[]],
            &WriteOptions::default(),
        );
        assert_eq!(
            text.unwrap(),
            "*** sequence 1 (length 3)\n\"PUSH !1\"\n\"i\"\n\"\"\n[]\n\
             *** sequence 2 (length 1)\n\"a\"\n<deadlock>\n[]\n\
             *** sequence 3 (length 0)\n"
        );
        assert_eq!(write_all(&[], &WriteOptions::default()).unwrap(), "");
    }

    #[test]
    fn labels_that_cannot_be_written() {
        for label in [&b"a\"b"[..], b"a\nb"] {
            let (e, seen) = write_all(&[&[b"x", label]], &WriteOptions::default()).unwrap_err();
            assert!(matches!(e, WriteError::Refused { errors: 1 }));
            assert!(seen[0].ends_with("[seq-label]"), "{seen:?}");
        }
        let (_, seen) = write_all(&[&[b"i"]], &WriteOptions::default()).unwrap_err();
        assert!(seen[0].ends_with("[label-like-hidden]"), "{seen:?}");
        let renamed = WriteOptions {
            visible_i: Some(b"eye".to_vec()),
            ..WriteOptions::default()
        };
        let text = write_all(&[&[b"i", b"HIDDEN"]], &renamed).unwrap();
        assert_eq!(text, "*** sequence 1 (length 2)\n\"eye\"\n\"i\"\n");
    }
}
