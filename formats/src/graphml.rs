//! GraphML: XML that graph editors and graph libraries read.
//!
//! Nodes are called `n0`, `n1` and so on, in the order of the states. The label
//! of an edge is its data `label`; the initial state has the data `initial`.
//! Nothing is read back from it.

use std::io::Write;

use crate::blocks::{Exchange, push_number, write_states, write_transitions};
use crate::canonical::arranged;
use crate::diagnostic::{Log, Severity, Sink, excerpt};
use crate::error::WriteError;
use crate::lts::Lts;
use crate::options::WriteOptions;
use crate::spelling;
use crate::written::WrittenSize;

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
) -> Result<WrittenSize, WriteError> {
    let mut log = Log::new();
    let texts = spelling::spell(lts, options.hidden("i"), true, options, &mut log, check);
    log.finish_writing(sink)?;
    let escaped: Vec<Vec<u8>> = texts.iter().map(|text| escape(text)).collect();
    let lts = &*arranged(lts, &texts, options);
    output.write_all(HEAD.as_bytes())?;
    write_states(lts.states(), output, |state, text| {
        text.extend_from_slice(b"<node id=\"n");
        push_number(state.get().into(), text);
        let rest = match state == lts.initial() {
            true => "\"><data key=\"initial\">true</data></node>\n",
            false => "\"/>\n",
        };
        text.extend_from_slice(rest.as_bytes());
    })?;
    let same = Exchange::new(lts, true);
    write_transitions(lts, same, output, |source, label, target, text| {
        text.extend_from_slice(b"<edge source=\"n");
        push_number(source.get().into(), text);
        text.extend_from_slice(b"\" target=\"n");
        push_number(target.get().into(), text);
        text.extend_from_slice(b"\"><data key=\"label\">");
        text.extend_from_slice(&escaped[label.index()]);
        text.extend_from_slice(b"</data></edge>\n");
    })?;
    output.write_all(TAIL.as_bytes())?;
    Ok(WrittenSize::of(lts))
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
