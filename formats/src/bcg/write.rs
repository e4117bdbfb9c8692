//! Writing BCG.

use std::io::Write;

use super::bits::push_vint;
use super::edges::{MAX_EDGES, Ordered, encode};
use super::labels::hidden_besides;
use super::values::{Field, parsed, sections, unparsed};
use super::{layout, tables};
use crate::canonical::arranged;
use crate::diagnostic::{Log, Severity, Sink, excerpt};
use crate::error::WriteError;
use crate::lts::{Lts, StateId};
use crate::options::{WriteBcg, WriteOptions};
use crate::spelling::spell_besides;
use crate::written::WrittenSize;

/// What hidden reads like.
const HIDDEN: &[u8] = b"i";

/// The comment of files of this crate.
const COMMENT: &[u8] = b"created by hyades";

/// Writes an LTS in BCG, version 1.2. Of the options of other formats,
/// `canonical`, `keep_initial`, `visible_i` and `dialect` have an effect.
///
/// The initial state must be state 0. So states are numbered breadth first,
/// from the initial one on, those that cannot be reached last; or with
/// [`WriteBcg::keep_order`] keep their numbers, except that the initial state
/// and state 0 change places. Transitions keep their order within each source,
/// also if it is the canonical one; duplicates are kept.
///
/// O(states + transitions); 8 bytes a state if these are renumbered, and the
/// bytes of the file.
///
/// # Errors
/// If the output refuses. If a label has a zero byte, or is visible and reads
/// `i`, or `tau` in mCRL2's dialect (and is not to be renamed); if the comment has a zero
/// byte; if the initial state is to be kept and is not 0; if there are more than 2^32 − 1
/// transitions: in these cases nothing has been written.
pub fn write(
    lts: &Lts,
    output: &mut dyn Write,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<WrittenSize, WriteError> {
    let mut log = Log::new();
    let besides = hidden_besides(options.dialect);
    let hidden: Vec<_> = std::iter::once(HIDDEN).chain(besides).collect();
    let texts = spell_besides(lts, &hidden, false, options, &mut log, |text, log| {
        if text.contains(&0) {
            log.add(Severity::Error, "bcg-label", None, || {
                format!("label {} has a zero byte", excerpt(text))
            });
        }
    });
    let comment = options.bcg.comment.as_deref().unwrap_or(COMMENT);
    if comment.contains(&0) {
        log.add(Severity::Error, "bcg-comment", None, || {
            "the comment has a zero byte".into()
        });
    }
    if options.keep_initial && lts.initial() != StateId::new(0) {
        log.add(Severity::Error, "bcg-initial", None, || {
            format!(
                "the initial state is {}, but in BCG it is 0: leave --keep-initial out",
                lts.initial()
            )
        });
    }
    if lts.transitions() as u64 > MAX_EDGES {
        log.add(Severity::Error, "bcg-edges", None, || {
            format!(
                "{} transitions: BCG files of at most {MAX_EDGES} edges are known; write AUT",
                lts.transitions()
            )
        });
    }
    log.finish_writing(sink)?;
    let (size, (edges, labels)) = {
        let lts = &arranged(lts, &texts, options);
        let encoded = encode(match options.bcg.keep_order {
            true => Ordered::kept(lts),
            false => Ordered::breadth_first(lts),
        });
        (WrittenSize::of(lts), encoded)
    };
    let visible = labels[1..].iter();
    let labels: Vec<_> = visible
        .map(|label| fields(texts[label.index()], &options.bcg))
        .collect();
    let sections = all_sections(edges, &labels, size.states);
    layout::write(output, comment, &sections, layout::ORDER)?;
    Ok(size)
}

/// The fields of a label.
fn fields<'a>(text: &'a [u8], options: &WriteBcg) -> Vec<Field<'a>> {
    let known = options.fields.as_deref();
    known
        .and_then(|known| known.of(text))
        .unwrap_or_else(|| match options.parse_labels {
            true => parsed(text),
            false => unparsed(text),
        })
}

/// The sections of a file, by their numbers.
pub(super) fn all_sections(
    edges: Vec<u8>,
    labels: &[Vec<Field>],
    states: u64,
) -> [Vec<u8>; layout::SECTIONS] {
    let described = sections(labels);
    let mut state_section = vec![1];
    push_vint(&mut state_section, states);
    // the initial state
    push_vint(&mut state_section, 0);
    push_vint(&mut state_section, described.state_record);
    let sizes = &described.sizes;
    let mut sections = [const { Vec::new() }; layout::SECTIONS];
    sections[layout::C_TEXTS] = tables::declarations(sizes);
    sections[layout::TYPES] = tables::types(sizes);
    sections[layout::FUNCTIONS] = tables::functions(sizes);
    sections[layout::RECORDS] = described.records;
    sections[layout::UNKNOWN_4] = vec![1, 0];
    sections[layout::SYMBOLS] = described.symbols;
    sections[layout::EDGES] = edges;
    sections[layout::LABELS] = described.labels;
    sections[layout::STATES] = state_section;
    sections[layout::UNKNOWN_9] = vec![1, 0];
    sections
}
