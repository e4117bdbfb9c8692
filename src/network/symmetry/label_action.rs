//! What permutations of values do to labels.

use std::collections::HashMap;

use hyades_lts::tokens::TokenSyntax;

use super::error::SymmetryError;
use super::types::{Types, tokens};

/// A part of a label.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// What no permutation changes.
    Text(Box<[u8]>),
    /// The value with this number.
    Value(u16),
    /// A set or a bag with values, of which the order means nothing.
    Set(Vec<Vec<Piece>>),
}

/// A label taken apart: the actions of a multi-action, or the only one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Form(Vec<Vec<Piece>>);

/// Sets that are nested deeper than this are plain text.
const DEPTH: usize = 64;

/// Takes labels apart.
pub(super) struct LabelAction {
    types: Types,
    syntax: TokenSyntax,
    /// The text of each value.
    texts: Vec<Box<[u8]>>,
    /// The type and the number of each value with this text.
    values: HashMap<Box<[u8]>, Vec<(usize, u16)>>,
}

/// Where in an action the reading is.
struct Place<'t> {
    /// The types that are declared for its gate.
    declared: Option<&'t [Option<usize>]>,
    has_gate: bool,
    /// The number of tokens and sets behind the gate.
    position: usize,
    /// How many brackets had no end.
    unclosed: usize,
}

impl Place<'_> {
    /// Where the set ends that the text starts with, if it does. Where too many
    /// are nested or have no end, others are plain text.
    fn closing(&mut self, text: &[u8], depth: usize) -> Option<usize> {
        if text[0] != b'{' || depth >= DEPTH || self.unclosed >= DEPTH {
            return None;
        }
        let mut open = 0usize;
        let end = text.iter().position(|byte| {
            match byte {
                b'{' => open += 1,
                b'}' => open -= 1,
                _ => {}
            }
            open == 0
        });
        self.unclosed += usize::from(end.is_none());
        end
    }
}

impl LabelAction {
    pub fn new(types: Types) -> Self {
        let mut values: HashMap<Box<[u8]>, Vec<(usize, u16)>> = HashMap::new();
        for (k, range) in types.ranges().into_iter().enumerate() {
            for (value, number) in types.types()[k].values.iter().zip(range) {
                let known = values.entry(value.as_bytes().into()).or_default();
                known.push((k, number as u16));
            }
        }
        Self {
            texts: types
                .types()
                .iter()
                .flat_map(|t| t.values.iter().map(|value| value.as_bytes().into()))
                .collect(),
            types,
            syntax: tokens(),
            values,
        }
    }

    /// Takes a label apart. O(length · depth of sets).
    ///
    /// # Errors
    /// If a token may be a value of two types.
    pub fn form(&self, label: &[u8]) -> Result<Form, SymmetryError> {
        let actions = split(label, b'|').into_iter().map(|action| {
            let mut place = Place {
                declared: None,
                has_gate: false,
                position: 0,
                unclosed: 0,
            };
            self.pieces(label, action, &mut place, 0)
        });
        let actions: Vec<Vec<Piece>> = actions.collect::<Result<_, _>>()?;
        Ok(Form(match has(&actions) {
            true => actions,
            false => vec![vec![Piece::Text(label.into())]],
        }))
    }

    fn pieces<'s>(
        &'s self,
        label: &[u8],
        text: &[u8],
        place: &mut Place<'s>,
        depth: usize,
    ) -> Result<Vec<Piece>, SymmetryError> {
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let length = rest
                .iter()
                .take_while(|&&byte| self.syntax.is_token(&[byte]))
                .count();
            if length > 0 {
                let behind = place.has_gate;
                pieces.push(self.token(label, &rest[..length], place)?);
                place.position += usize::from(depth == 0 && behind);
                at += length;
            } else if let Some(end) = place.closing(rest, depth) {
                let mut set = Vec::new();
                for element in split(&rest[1..end], b',') {
                    set.push(self.pieces(label, element.trim_ascii(), place, depth + 1)?);
                }
                pieces.push(match has(&set) {
                    true => Piece::Set(set),
                    false => Piece::Text(rest[..=end].into()),
                });
                place.position += usize::from(depth == 0);
                at += end + 1;
            } else {
                pieces.push(Piece::Text(rest[..1].into()));
                at += 1;
            }
        }
        Ok(pieces)
    }

    fn token<'s>(
        &'s self,
        label: &[u8],
        token: &[u8],
        place: &mut Place<'s>,
    ) -> Result<Piece, SymmetryError> {
        let text = Piece::Text(token.into());
        if !place.has_gate {
            place.has_gate = true;
            place.declared = self.types.gate(token);
            return Ok(text);
        }
        let none = Vec::new();
        let known = self.values.get(token).unwrap_or(&none);
        if let Some(declared) = place.declared {
            let own = declared.get(place.position).copied().flatten();
            let found = known.iter().find(|value| Some(value.0) == own);
            return Ok(found.map_or(text, |value| Piece::Value(value.1)));
        }
        match known[..] {
            [] => Ok(text),
            [(_, number)] => Ok(Piece::Value(number)),
            [(first, _), (second, _), ..] => Err(SymmetryError::Ambiguous {
                label: String::from_utf8_lossy(label).into(),
                value: String::from_utf8_lossy(token).into(),
                types: [first, second].map(|t| self.types.types()[t].name.clone()),
            }),
        }
    }

    /// The gates of a label: the first token of each of its actions.
    pub fn gates<'l>(&self, label: &'l [u8]) -> Vec<&'l [u8]> {
        let actions = split(label, b'|').into_iter();
        let gate = |action: &'l [u8]| {
            let start = action
                .iter()
                .position(|&byte| self.syntax.is_token(&[byte]))?;
            let rest = &action[start..];
            let end = rest.iter().position(|&byte| !self.syntax.is_token(&[byte]));
            Some(&rest[..end.unwrap_or(rest.len())])
        };
        actions.filter_map(gate).collect()
    }

    /// The label after a permutation, which maps each value to its image, with
    /// the elements of sets and the actions of a multi-action sorted.
    pub fn print(&self, form: &Form, image: &[u16]) -> Vec<u8> {
        let actions = form.0.iter().map(|action| self.print_pieces(action, image));
        joined(actions.collect(), b"|")
    }

    fn print_pieces(&self, pieces: &[Piece], image: &[u16]) -> Vec<u8> {
        let mut text = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Text(bytes) => text.extend_from_slice(bytes),
                Piece::Value(v) => {
                    let image = usize::from(image[usize::from(*v)]);
                    text.extend_from_slice(&self.texts[image]);
                }
                Piece::Set(set) => {
                    let elements = set.iter().map(|element| self.print_pieces(element, image));
                    text.push(b'{');
                    text.extend(joined(elements.collect(), b", "));
                    text.push(b'}');
                }
            }
        }
        text
    }
}

impl Form {
    /// Whether a permutation may change it at all.
    pub fn has_values(&self) -> bool {
        has(&self.0)
    }

    /// Takes each value that is in it, as often as it is.
    pub fn each_value(&self, take: &mut impl FnMut(u16)) {
        each_value(&self.0, take);
    }
}

/// Whether there are values in these lists. Sets without are plain text.
fn has(lists: &[Vec<Piece>]) -> bool {
    let mut pieces = lists.iter().flatten();
    pieces.any(|piece| !matches!(piece, Piece::Text(_)))
}

fn each_value(lists: &[Vec<Piece>], take: &mut impl FnMut(u16)) {
    for piece in lists.iter().flatten() {
        match piece {
            Piece::Text(_) => {}
            Piece::Value(v) => take(*v),
            Piece::Set(set) => each_value(set, take),
        }
    }
}

/// The parts sorted, one behind the other.
fn joined(mut parts: Vec<Vec<u8>>, between: &[u8]) -> Vec<u8> {
    parts.sort_unstable();
    parts.join(between)
}

/// Cuts a text at this byte where it is not in brackets or quotes.
fn split(text: &[u8], separator: u8) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut from = 0;
    let mut depth = 0usize;
    let mut quoted = false;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ if byte == separator && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}
