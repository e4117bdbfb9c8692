//! Writing an LTS that consists of chains.

use std::io::Write;

use super::{HIDDEN, check};
use crate::canonical::arranged;
use crate::chains;
use crate::diagnostic::{Log, Sink};
use crate::error::WriteError;
use crate::lts::{Lts, StateId};
use crate::options::WriteOptions;
use crate::spelling;

/// What writers of SEQ go by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WriteSeq {
    /// Whether the numbers of states are written, as comments.
    pub states: bool,
}

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
) -> Result<(), WriteError> {
    let mut log = Log::new();
    chains::check(lts, "SEQ", usize::MAX, &mut log);
    let texts = spelling::spell(lts, HIDDEN, false, options, &mut log, check);
    log.finish_writing(sink)?;
    let lts = &*arranged(lts, &texts, options);

    let mut text: Vec<u8> = Vec::new();
    let comment = |text: &mut Vec<u8>, state: StateId| {
        if options.seq.states {
            text.extend_from_slice(format!("\x01state {state}\x02").as_bytes());
        }
    };
    for (k, (label, target)) in lts.outgoing(lts.initial()).enumerate() {
        if k > 0 {
            text.extend_from_slice(b"[]\n");
        }
        let mut step = Some((lts.initial(), label, target));
        while let Some((source, label, target)) = step {
            comment(&mut text, source);
            text.push(b'"');
            text.extend_from_slice(texts[label.index()]);
            text.push(b'"');
            let next = lts.outgoing(target).next();
            step = next.map(|(label, next)| (target, label, next));
            if step.is_none() {
                comment(&mut text, target);
            }
            text.push(b'\n');
            if text.len() >= BLOCK {
                output.write_all(&text)?;
                text.clear();
            }
        }
    }
    output.write_all(&text)?;
    Ok(())
}
