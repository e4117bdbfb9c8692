//! GraphML: XML that graph editors and graph libraries read.
//!
//! Nodes are called `n0`, `n1` and so on, in the order of the states. The label
//! of an edge is its data `label`; the initial state has the data `initial`.
//! Nothing is read back from it.

use std::io::Write;

use crate::canonical::arranged;
use crate::diagnostic::{Log, Severity, Sink, excerpt};
use crate::error::WriteError;
use crate::lts::{Lts, StateId};
use crate::options::WriteOptions;
use crate::spelling;

/// About so many bytes are written at a time.
const BLOCK: usize = 1 << 18;

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="label" for="edge" attr.name="label" attr.type="string"/>
<key id="initial" for="node" attr.name="initial" attr.type="boolean"><default>false</default></key>
<graph edgedefault="directed">
"#;

const TAIL: &str = "</graph>\n</graphml>\n";

/// Writes an LTS in GraphML. The output sees large writes and need not be
/// buffered.
///
/// O(bytes) time, and memory for a copy of the LTS in canonical form.
///
/// # Errors
/// If the output refuses, or if a label that occurs is no valid UTF-8, has a
/// character that XML 1.0 does not allow, or would read like the hidden action;
/// then nothing has been written.
pub fn write(
    lts: &Lts,
    output: &mut dyn Write,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<(), WriteError> {
    let mut log = Log::new();
    let texts = spelling::spell(lts, options.hidden("i"), true, options, &mut log, check);
    log.finish_writing(sink)?;
    let escaped: Vec<Vec<u8>> = texts.iter().map(|text| escape(text)).collect();
    let lts = &*arranged(lts, &texts, options);
    let mut block = Vec::with_capacity(BLOCK + 4096);
    block.extend_from_slice(HEAD.as_bytes());
    for state in (0..lts.states() as u32).map(StateId::new) {
        let initial = match state == lts.initial() {
            true => "><data key=\"initial\">true</data></node>",
            false => "/>",
        };
        writeln!(block, "<node id=\"n{state}\"{initial}")?;
        flush(&mut block, BLOCK, output)?;
    }
    for (source, label, target) in lts.iter() {
        let ends = format_args!("<edge source=\"n{source}\" target=\"n{target}\">");
        block.write_fmt(ends)?;
        block.extend_from_slice(b"<data key=\"label\">");
        block.extend_from_slice(&escaped[label.index()]);
        block.extend_from_slice(b"</data></edge>\n");
        flush(&mut block, BLOCK, output)?;
    }
    block.extend_from_slice(TAIL.as_bytes());
    flush(&mut block, 0, output)?;
    Ok(())
}

/// Writes the block if it has more than so many bytes.
fn flush(block: &mut Vec<u8>, most: usize, output: &mut dyn Write) -> std::io::Result<()> {
    if block.len() > most {
        output.write_all(block)?;
        block.clear();
    }
    Ok(())
}

/// Complains about a label that XML cannot hold.
fn check(text: &[u8], log: &mut Log) {
    let Ok(characters) = std::str::from_utf8(text) else {
        return log.add(Severity::Error, "graphml-label", None, || {
            format!("label {} is no UTF-8, which XML needs", excerpt(text))
        });
    };
    if let Some(c) = characters.chars().find(|&c| !is_allowed(c)) {
        log.add(Severity::Error, "graphml-label", None, || {
            format!(
                "label {} holds the character U+{:04X}, which XML 1.0 does not allow",
                excerpt(text),
                u32::from(c)
            )
        });
    }
}

/// Whether XML 1.0 allows a character, be it as a reference (section 2.2 of its
/// definition).
fn is_allowed(c: char) -> bool {
    !matches!(c, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}')
}

/// A text as the content of an element.
fn escape(text: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(text.len());
    for &b in text {
        match b {
            b'&' => escaped.extend_from_slice(b"&amp;"),
            b'<' => escaped.extend_from_slice(b"&lt;"),
            b'>' => escaped.extend_from_slice(b"&gt;"),
            // readers would make line feeds of carriage returns, and some trim
            b'\t' | b'\n' | b'\r' => escaped.extend_from_slice(format!("&#{b};").as_bytes()),
            _ => escaped.push(b),
        }
    }
    escaped
}
