//! The names of nodes.

use crate::lts::{LabelId, LabelTable, TooLarge};

/// No node, in [`Names::numbered`].
const NONE: u32 = u32::MAX;

/// A letter, or none, and a number without zeros before it: what most names of
/// nodes consist of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Numbered {
    /// 0 if there is none.
    pub letter: u8,
    pub number: u32,
}

/// The names of nodes, and the nodes by their names: numbers from 0 on in the
/// order of their first appearance.
///
/// Nodes that are numbered in their names, after the same letter, are found
/// without looking for the text.
#[derive(Default)]
pub(super) struct Names {
    /// The number of a node is one less than that of its name.
    table: LabelTable,
    /// The letter of the first name that is numbered.
    letter: Option<u8>,
    /// Nodes by the numbers after that letter.
    numbered: Vec<u32>,
}

impl Names {
    /// The name of a node.
    pub fn text(&self, node: u32) -> &[u8] {
        self.table.text(LabelId::new(node + 1))
    }

    /// All names, in the order of the nodes.
    pub fn all(&self) -> impl Iterator<Item = &[u8]> {
        self.table.visible().map(|(_, name)| name)
    }

    /// The node of this name.
    pub fn find(&self, name: &[u8]) -> Option<u32> {
        self.table.find(name).map(|label| label.get() - 1)
    }

    /// The node of this name, which becomes one if there is none.
    ///
    /// # Errors
    /// If there are too many.
    pub fn intern(&mut self, name: &[u8]) -> Result<u32, TooLarge> {
        Ok(self.table.intern(name)?.get() - 1)
    }

    /// The node of this name, if it is one that is remembered.
    #[inline]
    pub fn recall(&self, name: Numbered) -> Option<u32> {
        let node = self.numbered(name.number)?;
        (self.letter == Some(name.letter)).then_some(node)
    }

    /// The node with this number after the letter, if it is one that is remembered.
    #[inline]
    pub fn numbered(&self, number: u32) -> Option<u32> {
        let node = self.numbered.get(number as usize).copied();
        node.filter(|&node| node != NONE)
    }

    /// The letter of the names that are remembered, if there are any.
    pub fn letter(&self) -> Option<u8> {
        self.letter
    }

    /// Remembers a node by its name, unless the number is so large that it
    /// would take much more memory than the nodes do.
    pub fn remember(&mut self, name: Numbered, node: u32) {
        let number = name.number as usize;
        let letter = *self.letter.get_or_insert(name.letter);
        if letter != name.letter || number > 4 * self.table.len() + (1 << 12) {
            return;
        }
        if self.numbered.len() <= number {
            self.numbered.resize(number + 1, NONE);
        }
        self.numbered[number] = node;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_names_are_remembered_by_one_letter() {
        let mut names = Names::default();
        let name = |letter, number| Numbered { letter, number };
        assert_eq!(names.recall(name(b's', 0)), None);
        for (text, letter, number) in [
            ("s7", b's', 7),
            ("q7", b'q', 7),
            ("7", 0, 7),
            ("s0", b's', 0),
        ] {
            let node = names.intern(text.as_bytes()).unwrap();
            names.remember(name(letter, number), node);
        }
        assert_eq!(names.recall(name(b's', 7)), Some(0));
        assert_eq!(names.recall(name(b's', 0)), Some(3));
        for other in [
            name(b's', 1),
            name(b'q', 7),
            name(0, 7),
            name(b's', u32::MAX),
        ] {
            assert_eq!(names.recall(other), None);
        }
        assert_eq!(names.find(b"q7"), Some(1));
        assert_eq!(names.text(2), b"7");
        // a hostile number costs nothing
        names.remember(name(b's', 4_000_000_000), 0);
        assert_eq!(names.numbered.len(), 8);
    }
}
