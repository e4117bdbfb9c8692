//! Relabelling a whole LTS.

use std::borrow::Cow;
use std::sync::Arc;

use hyades_base::parallel::{self, even_ranges};
use hyades_formats::diagnostic::Log;
use hyades_formats::{
    LabelId, LabelTable, Lts, LtsParts, Offsets, OffsetsRef, Sink, StateId, TooLarge,
};
use rayon::prelude::*;

use super::rules::{Outcome, Rules};

/// One operation on all labels.
#[derive(Debug)]
pub enum RelabelStep {
    /// Rules, and the file that they are from, for warnings.
    Rules(Rules, Option<Arc<str>>),
    /// New texts for all visible labels.
    Scramble(Scramble),
}

/// Texts that tell nothing but which labels are the same: what is before the
/// number of a label, and what is behind it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scramble {
    before: Vec<u8>,
    behind: Vec<u8>,
}

impl Scramble {
    /// The texts that a pattern describes, as C's `printf` would: exactly one
    /// `%d` stands for the number, `%%` for `%`.
    ///
    /// # Errors
    /// If there is no `%d` or more than one, or anything else after `%`: what is
    /// wrong.
    pub fn new(pattern: &[u8]) -> Result<Self, &'static str> {
        let mut texts = [Vec::new(), Vec::new()];
        let mut numbers = 0;
        let mut bytes = pattern.iter();
        while let Some(&byte) = bytes.next() {
            match (byte, bytes.as_slice().first()) {
                (b'%', Some(b'd')) if numbers == 1 => return Err("more than one %d"),
                (b'%', Some(b'd')) => numbers += 1,
                (b'%', Some(b'%')) => texts[numbers].push(b'%'),
                (b'%', _) => return Err("only d or % may follow %"),
                (byte, _) => {
                    texts[numbers].push(byte);
                    continue;
                }
            }
            bytes.next();
        }
        let [before, behind] = texts;
        match numbers {
            0 => Err("no %d, which stands for the number of a label"),
            _ => Ok(Self { before, behind }),
        }
    }

    /// The text with this number.
    pub fn text(&self, number: usize) -> Vec<u8> {
        let number = number.to_string();
        [&self.before, number.as_bytes(), &self.behind].concat()
    }
}

/// What [`relabel`] has done.
#[derive(Debug)]
pub struct Relabelled {
    /// The LTS with its new labels.
    pub lts: Lts,
    /// How many transitions have become hidden.
    pub hidden: u64,
    /// How many transitions have been removed.
    pub cut: u64,
}

/// Applies steps to the labels of an LTS, the first one first. States stay, with
/// what is known of them, and so do the order of transitions and transitions
/// that become equal.
///
/// A label that gets a text for which `is_hidden` holds becomes the hidden
/// action, as if it had been read like that. Labels that become equal become
/// one. Scrambled labels are numbered from 0 on, in the order of their first
/// transitions, state by state.
///
/// Rules that match no label are told to `unused`, if it is there; looking for them
/// takes time.
///
/// O(labels · rules) for the labels, in parallel, then one pass over the
/// transitions, in parallel and in place.
///
/// # Errors
/// None in practice: only for more labels than a table can hold.
pub fn relabel(
    mut lts: Lts,
    steps: &[RelabelStep],
    is_hidden: &(dyn Fn(&[u8]) -> bool + Sync),
    mut unused: Option<&mut Sink<'_>>,
) -> Result<Relabelled, TooLarge> {
    let state_labels = lts.take_state_labels();
    let mut fates: Vec<Fate> = lts
        .table()
        .visible()
        .map(|(_, text)| Fate::Label(text.into()))
        .collect();
    for step in steps {
        match step {
            RelabelStep::Rules(rules, file) => {
                let next = parallel::map(fates.len(), 64, |k| fates[k].after(rules, is_hidden));
                if let Some(sink) = &mut unused {
                    let mut log = Log::new();
                    rules.report_unused(fates.iter().filter_map(Fate::text), &[], &mut log);
                    log.drain_into(file.as_ref(), sink);
                }
                fates = next;
            }
            RelabelStep::Scramble(scramble) => scrambled(&lts, scramble, is_hidden, &mut fates)?,
        }
    }
    let (table, numbers) = table(&fates)?;
    drop(fates);
    let mut relabelled = renumbered(lts, table, &numbers);
    if let Some(labels) = state_labels {
        relabelled.lts = relabelled.lts.with_state_labels(labels);
    }
    Ok(relabelled)
}

/// What becomes of a visible label.
#[derive(Clone, Debug)]
enum Fate<'a> {
    Label(Cow<'a, [u8]>),
    Hidden,
    Cut,
}

impl<'a> Fate<'a> {
    fn text(&self) -> Option<&[u8]> {
        match self {
            Fate::Label(text) => Some(text),
            Fate::Hidden | Fate::Cut => None,
        }
    }

    fn after(&self, rules: &Rules, is_hidden: &dyn Fn(&[u8]) -> bool) -> Fate<'a> {
        let Fate::Label(text) = self else {
            return self.clone();
        };
        match rules.apply(text) {
            Outcome::Hidden => Fate::Hidden,
            Outcome::Cut => Fate::Cut,
            Outcome::Label(Cow::Borrowed(_)) => self.clone(),
            Outcome::Label(Cow::Owned(text)) if is_hidden(&text) => Fate::Hidden,
            Outcome::Label(Cow::Owned(text)) => Fate::Label(text.into()),
        }
    }
}

/// Gives all labels that are left new texts, in the order of their use. Labels
/// of one text get one.
fn scrambled(
    lts: &Lts,
    scramble: &Scramble,
    is_hidden: &dyn Fn(&[u8]) -> bool,
    fates: &mut [Fate],
) -> Result<(), TooLarge> {
    let mut order = Vec::new();
    let mut seen = vec![false; lts.table().len()];
    seen[LabelId::HIDDEN.index()] = true;
    for label in lts.labels() {
        if !std::mem::replace(&mut seen[label.index()], true) {
            order.push(label.index() - 1);
            if order.len() == fates.len() {
                break;
            }
        }
    }
    // Labels without transitions come last.
    order.extend((0..fates.len()).filter(|&k| !seen[k + 1]));
    let mut texts = LabelTable::new();
    for k in order {
        let Fate::Label(text) = &fates[k] else {
            continue;
        };
        let number = texts.intern(text)?.index() - 1;
        let text = scramble.text(number);
        fates[k] = match is_hidden(&text) {
            true => Fate::Hidden,
            false => Fate::Label(text.into()),
        };
    }
    Ok(())
}

/// The number of labels whose transitions are removed.
const CUT: LabelId = LabelId::new(u32::MAX);

/// The new labels, in the order of the old ones, and the new number of each old
/// one, the hidden action included.
fn table(fates: &[Fate]) -> Result<(LabelTable, Vec<LabelId>), TooLarge> {
    let mut table = LabelTable::new();
    let mut numbers = vec![LabelId::HIDDEN];
    for fate in fates {
        numbers.push(match fate {
            Fate::Label(text) => table.intern(text)?,
            Fate::Hidden => LabelId::HIDDEN,
            Fate::Cut => CUT,
        });
    }
    Ok((table, numbers))
}

/// So many transitions are dealt with at a time.
const CHUNK: usize = 1 << 16;

/// The LTS with new numbers for its labels; those of which the number is [`CUT`]
/// lose their transitions. In place: rows are cut where they are, then moved
/// together.
fn renumbered(lts: Lts, table: LabelTable, numbers: &[LabelId]) -> Relabelled {
    let LtsParts {
        initial,
        mut offsets,
        mut labels,
        mut targets,
        table: _,
    } = lts.into_parts();
    let newly = |old: LabelId, new: LabelId| u64::from(new.is_hidden() && !old.is_hidden());
    let mut cut = 0;
    let hidden;
    if !numbers.contains(&CUT) {
        hidden = labels
            .par_chunks_mut(CHUNK)
            .map(|labels| {
                let mut hidden = 0;
                for label in labels {
                    let new = numbers[label.index()];
                    hidden += newly(*label, new);
                    *label = new;
                }
                hidden
            })
            .sum();
    } else {
        let all = labels.len();
        let ranges = even_ranges(&offsets, CHUNK);
        let parts = parts(&ranges, offsets.view(), &mut labels, &mut targets);
        // What each range keeps moves to its front.
        let kept: Vec<(Vec<u32>, u64)> = parts
            .into_par_iter()
            .map(|part| {
                let mut hidden = 0;
                let (mut lengths, mut end) = (Vec::with_capacity(part.rows.len()), 0);
                for row in part.rows {
                    let start = end;
                    for k in offsets.row(row) {
                        let k = k - part.start;
                        let (old, target) = (part.labels[k], part.targets[k]);
                        let new = numbers[old.index()];
                        if new != CUT {
                            hidden += newly(old, new);
                            part.labels[end] = new;
                            part.targets[end] = target;
                            end += 1;
                        }
                    }
                    lengths.push((end - start) as u32);
                }
                (lengths, hidden)
            })
            .collect();
        hidden = kept.iter().map(|(_, hidden)| hidden).sum();
        let mut moved = Offsets::with_capacity(offsets.rows());
        let mut end = 0;
        for (range, (lengths, _)) in ranges.into_iter().zip(kept) {
            let from = offsets.row(range.start).start;
            let start = end;
            for length in lengths {
                end += length as usize;
                moved.push(end);
            }
            labels.copy_within(from..from + (end - start), start);
            targets.copy_within(from..from + (end - start), start);
        }
        offsets = moved;
        labels.truncate(end);
        targets.truncate(end);
        labels.shrink_to_fit();
        targets.shrink_to_fit();
        cut = (all - labels.len()) as u64;
    }
    let lts = Lts::from_parts(LtsParts {
        initial,
        offsets,
        labels,
        targets,
        table,
    });
    Relabelled { lts, hidden, cut }
}

/// Rows, and their part of the columns.
struct Part<'a> {
    rows: std::ops::Range<usize>,
    /// Where the part starts in the columns.
    start: usize,
    labels: &'a mut [LabelId],
    targets: &'a mut [StateId],
}

/// Cuts the columns into the parts of these ranges of rows.
fn parts<'a>(
    ranges: &[std::ops::Range<usize>],
    offsets: OffsetsRef<'_>,
    mut labels: &'a mut [LabelId],
    mut targets: &'a mut [StateId],
) -> Vec<Part<'a>> {
    ranges
        .iter()
        .map(|rows| {
            let start = offsets.get(rows.start);
            let length = offsets.get(rows.end) - start;
            let part;
            (part, labels) = std::mem::take(&mut labels).split_at_mut(length);
            let column;
            (column, targets) = std::mem::take(&mut targets).split_at_mut(length);
            Part {
                rows: rows.clone(),
                start,
                labels: part,
                targets: column,
            }
        })
        .collect()
}
