//! Reading LTSs that need not fit memory: transitions are passed on as they come.

use std::io;
use std::sync::Arc;

use crate::aut;
use crate::diagnostic::{Log, Sink};
use crate::dispatch::read_lts;
use crate::error::{Failure, ReadError};
use crate::format::Format;
use crate::jsonl;
use crate::lines::Told;
use crate::lts::{LabelTable, Lts, StateId};
use crate::options::ReadOptions;
use crate::receiver::{Passing, Receiver};
use crate::rows::Gather;
use crate::source::Source;
use crate::tsv;

/// What a file tells besides its transitions.
#[derive(Clone, Debug)]
pub struct Passed {
    /// The number of states.
    pub states: u64,
    /// The initial one.
    pub initial: StateId,
    /// The labels, by the numbers in the transitions.
    pub table: LabelTable,
}

/// Reads an LTS and passes its transitions on, in the order of the file, which is that of
/// [`read_lts`] within each source. States and labels have the numbers that they get there.
///
/// Files in AUT, TSV and JSON Lines are read bit by bit; all others are read into memory
/// first, as by [`read_lts`].
///
/// # Errors
/// As [`read_lts`]; and those of the receiver, which knows best what it was about.
pub fn pass_lts(
    source: Source,
    options: &ReadOptions,
    receiver: &mut dyn Receiver,
    sink: &mut Sink<'_>,
) -> Result<Passed, ReadError> {
    let name = Arc::clone(&source.name);
    let mut log = Log::new();
    let mut passing = Passing::new(receiver);
    let streamed = match source.format() {
        _ if options.mealy.is_some() => None,
        Format::Aut => Some(aut::read_into as Into),
        Format::Tsv => Some(tsv::read_into as Into),
        Format::Jsonl => Some(jsonl::read_into as Into),
        Format::Bcg
        | Format::Dot
        | Format::Fsm
        | Format::Kiss2
        | Format::Lts
        | Format::Seq
        | Format::Trc
        | Format::Parquet
        | Format::Arrow
        | Format::Plts
        | Format::Exp
        | Format::Toml
        | Format::GraphMl => None,
    };
    if let Some(read_into) = streamed {
        let outcome = read_into(source, options, &mut passing, &mut log);
        let told = log.finish_reading(&name, outcome, sink)?;
        return Ok(Passed {
            states: told.states,
            initial: told.initial,
            table: told.table,
        });
    }
    let lts = read_lts(source, options, sink)?;
    let (transitions, states) = (lts.transitions() as u64, lts.states() as u64);
    let passed = passing
        .receiver
        .expect(transitions, states)
        .and_then(|()| pass(&lts, passing.receiver));
    passed.map_err(|error| ReadError::Io { file: name, error })?;
    Ok(Passed {
        states: lts.states() as u64,
        initial: lts.initial(),
        table: lts.into_parts().table,
    })
}

type Into = fn(Source, &ReadOptions, &mut dyn Gather, &mut Log) -> Result<Told, Failure>;

/// So many transitions are passed on at a time.
const TOGETHER: usize = 1 << 14;

/// Passes the transitions of an LTS on.
///
/// # Errors
/// Those of the receiver.
pub fn pass(lts: &Lts, receiver: &mut dyn Receiver) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(TOGETHER);
    for (source, label, target) in lts.iter() {
        buffer.push([source.get(), label.get(), target.get()]);
        if buffer.len() == TOGETHER {
            receiver.take(&buffer)?;
            buffer.clear();
        }
    }
    receiver.take(&buffer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    struct All(Vec<[u32; 3]>);

    impl Receiver for All {
        fn take(&mut self, transitions: &[[u32; 3]]) -> io::Result<()> {
            self.0.extend_from_slice(transitions);
            Ok(())
        }
    }

    #[test]
    fn what_is_passed_on_is_what_is_read() {
        let mut text = String::from("des (3, 2000, 1999)\n");
        for k in 0..2000u32 {
            let (source, target) = (k * 7919 % 1999, k * 31 % 1999);
            let label = k * k % 97;
            text += &match label {
                0 => format!("({source}, i, {target})\n"),
                _ => format!("({source}, \"A !{label}\", {target})\n"),
            };
        }
        let source = || Source::from_bytes("text", text.clone().into_bytes(), None).unwrap();
        for chunk in [64, 1 << 20] {
            let options = ReadOptions {
                chunk,
                ..ReadOptions::default()
            };
            let mut all = All(Vec::new());
            let passed = pass_lts(source(), &options, &mut all, &mut |_| ()).unwrap();
            let lts = read_lts(source(), &options, &mut |_| ()).unwrap();
            assert_eq!(passed.states, lts.states() as u64);
            assert_eq!(passed.initial, lts.initial());
            let labels = |table: &LabelTable| {
                table
                    .visible()
                    .map(|(l, t)| (l, t.to_vec()))
                    .collect::<Vec<_>>()
            };
            assert_eq!(labels(&passed.table), labels(lts.table()));
            all.0.sort_by_key(|t| t[0]);
            let read = lts.iter().map(|(s, l, t)| [s.get(), l.get(), t.get()]);
            assert!(read.eq(all.0.iter().copied()));
        }
    }
}
