//! Labels as a file of version 1.2 holds them: gates and typed values.

use std::borrow::Cow;

use super::bits::{BitWriter, push_vint, record_vint};
use super::tables::{Kind, PREDEFINED, Sizes};
use crate::label::{self, Direction, Syntax};

/// A field of a label: its type and its text, without what comes before it in
/// the text of the label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Field<'a> {
    pub kind: Kind,
    pub text: &'a [u8],
}

/// The hidden label, which is always the first.
pub(super) const HIDDEN: Field = Field {
    kind: Kind::Gate,
    text: b"i",
};

/// A label as one text that nobody has understood.
pub(super) fn unparsed(text: &[u8]) -> Vec<Field<'_>> {
    vec![Field {
        kind: Kind::Raw,
        text,
    }]
}

/// For each byte of the section of labels, texts of labels take so many bytes
/// at the most: a short gate number may stand for a long name.
pub(super) const MOST_TEXT: usize = 128;

/// A longer name is no gate's. A label takes five bytes at least, which name its
/// gate by a number: readers distrust files whose labels have much more text than
/// that (see [`MOST_TEXT`]).
pub(super) const LONGEST_GATE: usize = 2 * MOST_TEXT;

/// A label taken apart into a gate and values, as `GATE !1 !TRUE !"a text"`.
/// What does not give the same text again stays in one piece.
pub(super) fn parsed(text: &[u8]) -> Vec<Field<'_>> {
    let lotos = match label::gate(text).len() == text.len() {
        true => Syntax::Plain,
        false => Syntax::Lotos,
    };
    let Ok(label) = label::parse_as(text, lotos) else {
        return unparsed(text);
    };
    let sends = |offer: &label::Offer| offer.direction == Direction::Send;
    // a visible label at the gate of the hidden one would be odd
    let is_gate =
        is_identifier(label.gate) && label.gate != HIDDEN.text && label.gate.len() <= LONGEST_GATE;
    if !is_gate || !label.offers.iter().all(sends) {
        return unparsed(text);
    }
    let mut fields = vec![Field {
        kind: Kind::Gate,
        text: label.gate,
    }];
    fields.extend(label.offers.iter().map(|offer| Field {
        kind: kind_of(offer.value),
        text: offer.value,
    }));
    match written(&fields) == text {
        true => fields,
        false => unparsed(text),
    }
}

/// The text of a label with these fields.
fn written<'a>(fields: &[Field<'a>]) -> Cow<'a, [u8]> {
    if let [field] = fields {
        return Cow::Borrowed(field.text);
    }
    let texts: Vec<&[u8]> = fields.iter().map(|field| field.text).collect();
    Cow::Owned(texts.join(&b" !"[..]))
}

fn is_identifier(text: &[u8]) -> bool {
    text.first()
        .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        && text.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

/// The type of a value, as its text tells: a number with a sign is an integer,
/// `+0` included, and one without a natural number. Reals and characters are not among
/// them, as it is not proven how they are coded: only a file that had them gets
/// them again.
fn kind_of(value: &[u8]) -> Kind {
    if value == b"TRUE" || value == b"FALSE" {
        Kind::Boolean
    } else if natural(value).is_some() {
        Kind::Natural
    } else if integer(value).is_some() {
        Kind::Integer
    } else if value.len() >= 2 && value.starts_with(b"\"") && value.ends_with(b"\"") {
        Kind::String
    } else {
        Kind::Raw
    }
}

/// The number that is written just so, without a sign.
fn natural(value: &[u8]) -> Option<u32> {
    let number: u32 = std::str::from_utf8(value).ok()?.parse().ok()?;
    (number.to_string().as_bytes() == value).then_some(number)
}

/// The number that is written just so, with a sign.
fn integer(value: &[u8]) -> Option<i32> {
    let number: i32 = std::str::from_utf8(value).ok()?.parse().ok()?;
    (format!("{number:+}").as_bytes() == value).then_some(number)
}

/// The sections that depend on the labels.
pub(super) struct Sections {
    pub sizes: Sizes,
    pub records: Vec<u8>,
    pub symbols: Vec<u8>,
    pub labels: Vec<u8>,
    /// The number of the record of states, which is empty.
    pub state_record: u64,
}

/// The sections for these labels, the hidden one left out.
///
/// # Panics
/// If a text does not fit the type of its field.
pub(super) fn sections(labels: &[Vec<Field>]) -> Sections {
    let hidden = [HIDDEN];
    let all = || std::iter::once(&hidden[..]).chain(labels.iter().map(Vec::as_slice));
    let mut gates = Numbers::default();
    let mut records = Numbers::default();
    let (mut string, mut raw) = (0, 0);
    // of the record and of the gate of each label
    let mut numbers = Vec::with_capacity(labels.len() + 1);
    for fields in all() {
        let kinds: Vec<Kind> = fields.iter().map(|field| field.kind).collect();
        let record = records.number(kinds);
        let mut gate = 0;
        for field in fields {
            // eight bits for each byte and the zero at its end
            let bits = 8 * (field.text.len() as u64 + 1);
            match field.kind {
                Kind::String => string = bits.max(string),
                Kind::Raw => raw = bits.max(raw),
                Kind::Gate => gate = gates.number(field.text),
                Kind::Boolean | Kind::Natural | Kind::Integer | Kind::Real | Kind::Character => {}
            }
        }
        numbers.push((record, gate));
    }
    let last = labels.len() as u64;
    let sizes = Sizes {
        string,
        raw,
        gates: gates.all.len() as u64,
        gate_bits: (u64::BITS - last.leading_zeros()).max(1),
    };
    let mut section = vec![1];
    push_vint(&mut section, last + 1);
    let mut out = BitWriter::after(section);
    for (fields, &(record, gate)) in all().zip(&numbers) {
        let (code, len) = record_vint(record);
        out.push(code, len);
        for field in fields {
            match field.kind {
                Kind::Gate => out.push(gate, sizes.gate_bits),
                Kind::Boolean => out.push((field.text == b"TRUE").into(), 1),
                Kind::Natural => out.push(told(natural(field.text)).into(), 32),
                Kind::Integer => out.push((told(integer(field.text)) as u32).into(), 32),
                Kind::String | Kind::Raw => out.text(field.text),
                Kind::Real => {
                    let bits = real(field).to_bits();
                    out.push(bits >> 32, 32);
                    out.push(bits & 0xffff_ffff, 32);
                }
                Kind::Character => out.push(field.text[0].into(), 8),
            }
        }
        out.align();
    }
    // the hidden label, then visible ones
    out.push(0, 1);
    labels.iter().for_each(|_| out.push(1, 1));
    Sections {
        sizes,
        records: record_section(&records.all),
        symbols: symbol_section(&gates.all),
        labels: out.finish(),
        state_record: records.all.len() as u64,
    }
}

/// The number of a field of numbers.
fn told<N>(number: Option<N>) -> N {
    number.expect("the text is that of a number: it told the type, or was made from one")
}

/// The real number that reads so; of what is no number, one.
fn real(field: &Field) -> f64 {
    let text = std::str::from_utf8(field.text).ok();
    let real = text.and_then(|text| text.parse().ok());
    real.expect("the text was made from a real number")
}

/// Numbers different items in the order of their first appearance.
struct Numbers<T> {
    known: std::collections::HashMap<T, u64>,
    all: Vec<T>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self {
            known: Default::default(),
            all: Vec::new(),
        }
    }
}

impl<T: std::hash::Hash + Eq + Clone> Numbers<T> {
    fn number(&mut self, item: T) -> u64 {
        if let Some(&number) = self.known.get(&item) {
            return number;
        }
        let number = self.all.len() as u64;
        self.known.insert(item.clone(), number);
        self.all.push(item);
        number
    }
}

fn record_section(records: &[Vec<Kind>]) -> Vec<u8> {
    let mut section = vec![1];
    push_vint(&mut section, records.len() as u64 + 1);
    for record in records {
        push_vint(&mut section, record.len() as u64);
        for kind in record {
            section.push(0);
            push_vint(&mut section, kind.number());
            section.push(0);
        }
        section.push(0);
    }
    // the record of states
    section.extend_from_slice(&[0, 0]);
    section
}

fn symbol_section(gates: &[&[u8]]) -> Vec<u8> {
    let mut section = vec![1, 0];
    push_vint(&mut section, gates.len() as u64 + 2);
    section.extend_from_slice(&[0; 5]);
    let mut symbol = |name: &[u8], tag: u8, number: u64| {
        section.push(1);
        section.extend_from_slice(name);
        section.extend_from_slice(&[0; 6]);
        section.push(tag);
        push_vint(&mut section, number);
    };
    symbol(b"GATE", 1, Kind::Gate.number());
    for (name, number) in gates.iter().zip(PREDEFINED..) {
        symbol(name, 2, number);
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        parsed(text.as_bytes())
            .iter()
            .map(|field| format!("{} {}", field.kind.name(), field.text.escape_ascii()))
            .collect::<Vec<_>>()
            .join(", ")
    }

    #[test]
    fn labels_are_taken_apart() {
        assert_eq!(shown("EX"), "gate EX");
        assert_eq!(shown("TERMINATE !1"), "gate TERMINATE, natural 1");
        assert_eq!(
            shown("A !TRUE !-5 !\"a !b\" !{0, 1} !F (1, +2)"),
            r#"gate A, boolean TRUE, integer -5, string \"a !b\", raw {0, 1}, raw F (1, +2)"#
        );
        assert_eq!(
            shown("A !4294967295 !4294967296 !-2147483648 !-2147483649"),
            "gate A, natural 4294967295, raw 4294967296, integer -2147483648, raw -2147483649"
        );
        assert_eq!(
            shown("A !0 !+0 !+1 !+2147483647 !+2147483648"),
            "gate A, natural 0, integer +0, integer +1, integer +2147483647, raw +2147483648"
        );
        assert_eq!(
            shown("A !007 !+01 !-0 !1.5 !true !x"),
            "gate A, raw 007, raw +01, raw -0, raw 1.5, raw true, raw x"
        );
        // what would not come back as it is
        for text in [
            "",
            "A!1",
            "i",
            "i !1",
            "A  !1",
            "A !1 ",
            "A ?x",
            "c2(d1, true)",
            "1x",
            "A !(1",
            "A !",
            "A B",
            "A.b !1",
            "é !1",
            "A !1 !",
        ] {
            assert_eq!(
                shown(text),
                format!("raw {}", text.as_bytes().escape_ascii())
            );
        }
    }
}
