//! Reading the edge section.
//!
//! [`Decoder::step`] reads one edge as the definition has it and finds all that
//! can be wrong; the loop in [`fast`] does nearly all of the work and leaves to it
//! whatever is out of the ordinary.

use super::super::report::{Refused, Report};
use super::decoder::{Decoder, EdgeColumns, Edges};
use super::fast;
use crate::lts::LabelId;

/// Reads the edges between `states` states; `ids` are the labels by their
/// numbers.
///
/// O(edges + states), and the number of registers more for each long form if
/// parameters are such as no known file has; 8 bytes an edge and 4 a state.
pub(in super::super) fn decode(
    edges: &Edges,
    states: u32,
    ids: &[LabelId],
    report: &mut Report,
) -> Result<EdgeColumns, Refused> {
    run(Decoder::new(edges, states, ids), report)
}

fn run(mut decoder: Decoder<'_>, report: &mut Report) -> Result<EdgeColumns, Refused> {
    while decoder.done < decoder.edges.count {
        let parameters = decoder.edges.parameters;
        fast::run(&mut decoder, parameters);
        if decoder.done < decoder.edges.count {
            decoder.step(report)?;
        }
    }
    decoder.trailer(report)?;
    Ok(decoder.columns)
}

/// The edges of a section, in the fast or in the slow way only.
#[cfg(test)]
pub(in super::super) fn decode_by(
    section: &[u8],
    count_bits: u32,
    states: u32,
    ids: &[LabelId],
    is_fast: bool,
) -> EdgeColumns {
    let mut log = crate::diagnostic::Log::new();
    let mut report = Report::new(&mut log, crate::options::Mode::Default);
    let section = super::super::layout::Section::of(section);
    let edges = Edges::parse(section, count_bits, &mut report).unwrap();
    let mut decoder = Decoder::new(&edges, states, ids);
    if is_fast {
        let columns = run(decoder, &mut report);
        return columns.unwrap_or_else(|_| panic!("{log:?}"));
    }
    while decoder.done < edges.count {
        let step = decoder.step(&mut report);
        assert!(step.is_ok());
    }
    decoder.trailer(&mut report).unwrap();
    decoder.columns
}
