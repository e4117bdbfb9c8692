//! The fields of labels, as they go from a file that is read to one that is
//! written.

use super::tables::Kind;
use super::values::{Field, LONGEST_GATE};
use crate::options::{Extent, LabelFields};

impl LabelFields {
    /// Remembers a label of a known shape. Of labels with the same text, which
    /// are one in an LTS, the first that has a gate counts.
    pub(super) fn add(&mut self, text: &[u8], fields: &[Extent]) {
        if let [(Kind::Gate, bytes), ..] = fields
            && *bytes <= LONGEST_GATE
        {
            let entry = self.by_text.entry(text.into());
            entry.or_insert_with(|| fields.into());
        }
    }

    /// The fields of the label with this text, if it has a gate.
    pub(super) fn of<'a>(&self, text: &'a [u8]) -> Option<Vec<Field<'a>>> {
        let mut from = 0;
        let fields = self.by_text.get(text)?.iter().map(|&(kind, bytes)| {
            let text = &text[from..from + bytes];
            // what is between two fields
            from += bytes + b" !".len();
            Field { kind, text }
        });
        Some(fields.collect())
    }
}
