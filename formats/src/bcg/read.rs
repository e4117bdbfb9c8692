//! Reading BCG.

use std::ops::Range;
use std::sync::Arc;

use super::bits::Bits;
use super::description::Description;
use super::edges::{Edges, Parameters, decode};
use super::labels::Labels;
use super::layout::{self, Layout, SECTIONS, Version};
use super::report::{Refused, Report};
use crate::diagnostic::{Log, Sink, there_are};
use crate::error::{Failure, ReadError};
use crate::lts::{Lts, LtsParts, StateId};
use crate::options::{LabelFields, ReadOptions};
use crate::source::Source;

/// How labels of one shape look, and how many there are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The names of the types of the fields.
    pub fields: Vec<String>,
    /// The number of labels.
    pub labels: u64,
}

/// What a BCG file is made of, beyond the LTS in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inspection {
    /// The version of the format.
    pub version: Version,
    /// The comment, a line for each tool that had a hand in the file.
    pub comment: Vec<u8>,
    /// Where the sections are in the file.
    pub sections: [Range<u64>; SECTIONS],
    /// How the edges are coded.
    pub parameters: Parameters,
    /// The names of the gates.
    pub gates: Vec<Vec<u8>>,
    /// The number of labels, hidden and unused ones included.
    pub labels: u64,
    /// The shapes of the labels.
    pub shapes: Vec<Shape>,
}

/// Reads an LTS in BCG. All diagnostics go to `sink`, errors included.
///
/// Which labels are hidden is told by the file, unless the options name some.
/// Edges of a state keep the order of the file.
///
/// O(bytes); memory beyond the input: 8 bytes a transition and 4 a state, and
/// the labels.
///
/// # Errors
/// If the input cannot be read or has errors, or anything of unknown meaning
/// that is not read under these options.
pub fn read(source: Source, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<Lts, ReadError> {
    Ok(read_inspected(source, options, sink)?.0)
}

/// As [`read`], and tells what the file is made of.
///
/// # Errors
/// As [`read`].
pub fn read_inspected(
    source: Source,
    options: &ReadOptions,
    sink: &mut Sink<'_>,
) -> Result<(Lts, Inspection), ReadError> {
    read_all(source, options, None, sink)
}

/// As [`read`], and tells the fields of the labels, so that a writer can give
/// them the same ones. O(labels) memory more, their texts once more included.
///
/// # Errors
/// As [`read`].
pub fn read_with_fields(
    source: Source,
    options: &ReadOptions,
    sink: &mut Sink<'_>,
) -> Result<(Lts, LabelFields), ReadError> {
    let mut fields = LabelFields::default();
    let (lts, _) = read_all(source, options, Some(&mut fields), sink)?;
    Ok((lts, fields))
}

fn read_all(
    source: Source,
    options: &ReadOptions,
    fields: Option<&mut LabelFields>,
    sink: &mut Sink<'_>,
) -> Result<(Lts, Inspection), ReadError> {
    let name = Arc::clone(&source.name);
    let content = source.into_whole()?;
    let mut log = Log::new();
    let result = parse(
        &content,
        options,
        fields,
        &mut Report::new(&mut log, options.mode),
    );
    log.finish_reading(&name, result.map_err(|Refused| Failure::Refused), sink)
}

fn parse(
    bytes: &[u8],
    options: &ReadOptions,
    fields: Option<&mut LabelFields>,
    report: &mut Report,
) -> Result<(Lts, Inspection), Refused> {
    let layout = Layout::parse(bytes, report)?;
    layout.section(layout::C_TEXTS, report)?;
    for unknown in [layout::UNKNOWN_4, layout::UNKNOWN_9] {
        let mut section = layout.section(unknown, report)?;
        section.expect(&[0], report)?;
        section.finish(report)?;
    }
    let description = Description::parse(&layout, report)?;
    let labels = Labels::parse(
        layout.section(layout::LABELS, report)?,
        &description,
        options,
        fields,
        report,
    )?;
    let section = layout.section(layout::EDGES, report)?;
    let count_bits = match layout.version {
        Version::V1_0 => 32,
        Version::V1_2 => 48,
    };
    let edges = Edges::parse(section, count_bits, report)?;
    let (states, initial) = states(&layout, &description, report)?;
    edges.check_states(states.into(), report)?;
    let columns = decode(&edges, states, &labels.ids, report)?;
    let shapes = labels
        .uses
        .iter()
        .enumerate()
        .filter(|&(_, &uses)| uses > 0);
    let inspection = Inspection {
        version: layout.version,
        comment: layout.comment.to_vec(),
        sections: layout
            .sections
            .clone()
            .map(|section| section.start as u64..section.end as u64),
        parameters: edges.parameters,
        gates: description.gate_names().map(<[u8]>::to_vec).collect(),
        labels: labels.ids.len() as u64,
        shapes: shapes
            .map(|(record, &labels)| Shape {
                fields: description.kinds(record),
                labels,
            })
            .collect(),
    };
    // Targets and labels have been looked at one by one; rows are in order, as
    // their ends are counts of edges read.
    let lts = Lts::from_trusted_parts(LtsParts {
        initial,
        offsets: columns.offsets.into(),
        labels: columns.labels,
        targets: columns.targets,
        table: labels.table,
    });
    Ok((lts, inspection))
}

/// The number of states, and the initial one.
fn states(
    layout: &Layout,
    description: &Description,
    report: &mut Report,
) -> Result<(u32, StateId), Refused> {
    let mut section = layout.section(layout::STATES, report)?;
    let mut vint = || layout::read(&mut section, report, Bits::vint);
    let (states, second, record) = (vint()?, vint()?, vint()?);
    if !(1..=StateId::MAX_COUNT).contains(&states) {
        return Err(report.refuse("bcg-states", || {
            format!("{states} states; possible are 1 to {}", StateId::MAX_COUNT)
        }));
    }
    if second != 0 {
        report.doubt("bcg-initial", || {
            format!(
                "the second number of section 8 (states) is {second}; known is 0 only, and that \
                 it is the initial state is a guess"
            )
        })?;
    }
    if second >= states {
        return Err(report.refuse("bcg-initial", || {
            format!(
                "the initial state is {second}, but {}",
                there_are(states, "state")
            )
        }));
    }
    if !description.is_empty(record) {
        report.doubt("bcg-states", || {
            format!("states have information, by record {record}; known are files without")
        })?;
    }
    section.finish(report)?;
    Ok((states as u32, StateId::new(second as u32)))
}
