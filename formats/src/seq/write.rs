//! Writing an LTS that consists of chains.

use std::io::{BufWriter, Write};

use super::labels::{HIDDEN, check};
use crate::canonical::arranged;
use crate::chains;
use crate::diagnostic::{Log, Sink};
use crate::error::WriteError;
use crate::lts::{Lts, StateId};
use crate::options::WriteOptions;
use crate::spelling;
use crate::written::WrittenSize;

/// So many bytes are written at a time.
const BLOCK: usize = 1 << 18;

/// Writes what can be reached of an LTS, if it consists of chains that begin in
/// the initial state: one sequence for each of its transitions, in their order.
/// Chains that come together are written out separately.
///
/// Of the options `seq`, `canonical` (sequences sorted by their first labels)
/// and `visible_i` have an effect. O(states + bytes) time.
///
/// # Errors
/// If the output refuses. If the LTS has another form, or a label cannot be
/// written: then nothing has been written.
pub fn write(
    lts: &Lts,
    output: &mut dyn Write,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<WrittenSize, WriteError> {
    let mut log = Log::new();
    chains::check(lts, "SEQ", usize::MAX, &mut log);
    let texts = spelling::spell(lts, HIDDEN, false, options, &mut log, check);
    log.finish_writing(sink)?;
    let lts = &*arranged(lts, &texts, options);

    let mut output = BufWriter::with_capacity(BLOCK, output);
    let comment = |output: &mut BufWriter<_>, state: StateId| match options.seq.states {
        true => write!(output, "\x01state {state}\x02"),
        false => Ok(()),
    };
    for (k, (label, target)) in lts.outgoing(lts.initial()).enumerate() {
        if k > 0 {
            output.write_all(b"[]\n")?;
        }
        let mut step = Some((lts.initial(), label, target));
        while let Some((source, label, target)) = step {
            comment(&mut output, source)?;
            for piece in [b"\"", texts[label.index()], b"\""] {
                output.write_all(piece)?;
            }
            let next = lts.outgoing(target).next();
            step = next.map(|(label, next)| (target, label, next));
            if step.is_none() {
                comment(&mut output, target)?;
            }
            output.write_all(b"\n")?;
        }
    }
    output.flush()?;
    Ok(chains::size(lts))
}
