//! Writing AUT.

use std::io::Write;

use super::grammar::is_identifier;
use crate::diagnostic::{Log, Severity, Sink};
use crate::error::WriteError;
use crate::lts::{LabelId, Lts, StateId};
use crate::options::{Dialect, Quote, WriteOptions};

/// Writes an LTS in AUT.
///
/// # Errors
/// If the output refuses, or a label cannot be written under these options; in
/// the latter case nothing has been written.
pub fn write(
    lts: &Lts,
    output: &mut dyn Write,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<(), WriteError> {
    let mut log = Log::new();
    let hidden = options.dialect.map_or("i", Dialect::hidden).as_bytes();
    let mut texts = vec![quoted(hidden, options.quote)];
    for (_, text) in lts.table().visible() {
        let mut text = text.to_vec();
        if text == hidden {
            match &options.visible_i {
                Some(name) => text = name.clone(),
                None => log.add(Severity::Error, "label-like-hidden", None, || {
                    "a visible label reads like the hidden action".into()
                }),
            }
        }
        texts.push(quoted(&text, options.quote));
    }
    let errors = log.errors();
    log.drain_into(None, sink);
    if errors > 0 {
        return Err(WriteError::Refused { errors });
    }
    let mut rows: Vec<(StateId, LabelId, StateId)> = lts.iter().collect();
    let mut initial = lts.initial();
    if options.canonical {
        if !options.keep_initial {
            let swap = |s: StateId| {
                if s == initial {
                    StateId::new(0)
                } else if s.get() == 0 {
                    initial
                } else {
                    s
                }
            };
            for (s, _, t) in &mut rows {
                (*s, *t) = (swap(*s), swap(*t));
            }
            initial = StateId::new(0);
        }
        let ranks = lts.table().ranks();
        rows.sort_by_key(|&(s, l, t)| (s, ranks[l.index()], t));
        rows.dedup();
    }
    let mut out = std::io::BufWriter::with_capacity(1 << 20, output);
    writeln!(out, "des ({initial}, {}, {})", rows.len(), lts.states())?;
    for (s, l, t) in rows {
        write!(out, "({s}, ")?;
        out.write_all(&texts[l.index()])?;
        writeln!(out, ", {t})")?;
    }
    out.flush()?;
    Ok(())
}

fn quoted(text: &[u8], quote: Quote) -> Vec<u8> {
    if quote == Quote::Needed && is_identifier(text) {
        return text.to_vec();
    }
    [b"\"", text, b"\""].concat()
}
