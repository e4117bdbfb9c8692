//! Simple lines, read past the grammar.

use super::graph::{Attributes, Edge};
use super::lex::Token;
use super::parallel;
use super::parse::Parser;
use super::simple::{self, EdgeLine, NodeLine};
use crate::lts::TooLarge;

impl Parser<'_> {
    /// Reads simple lines of the graph itself as long as there are any, if a
    /// statement is to begin.
    pub(super) fn simple_lines(&mut self) -> Result<(), TooLarge> {
        if self.frames.len() > 1 || !self.ends.is_empty() {
            return Ok(());
        }
        match self.peeked.take() {
            None => {}
            // tokens do not depend on what comes before them
            Some((at, Token::Text(_))) => self.lexer.seek(at),
            other => {
                self.peeked = other;
                return Ok(());
            }
        }
        loop {
            let at = simple::skip(self.file, self.lexer.at());
            let near = self.limits.near(self.file, at);
            let end = if let Some(line) = simple::edge(near, at) {
                match self.simple_label(near, line.label)? {
                    Some(label) => self.simple_edge(&line, label, at)?,
                    None => return Ok(()),
                }
            } else if let Some(line) = simple::node(near, at) {
                self.simple_node(&line)?
            } else {
                return Ok(());
            };
            self.lexer.seek(end);
            if end >= self.apart && self.limits.is_worth_it(self.file.len() - end) {
                self.simple_parts(end)?;
            }
        }
    }

    /// Reads simple edges in parallel, after a line that ends at `at`, if those
    /// of this graph need not be found again.
    #[inline(never)]
    fn simple_parts(&mut self, at: usize) -> Result<(), TooLarge> {
        self.apart = usize::MAX;
        if !self.graph.places.is_of_all() {
            let (end, stopped) = parallel::edges(self.file, at, &mut self.graph, &self.limits)?;
            self.lexer.seek(end);
            if stopped {
                // not more work in vain than there is of use
                self.apart = end.saturating_add(self.limits.part.saturating_mul(8));
            }
        }
        Ok(())
    }

    /// The number of the label of a simple line, unless it turns out not to be
    /// one.
    #[inline]
    fn simple_label(&mut self, near: &[u8], range: simple::Range) -> Result<Option<u32>, TooLarge> {
        let slot = self.recent.slot(near, range);
        if let Some(slot) = slot
            && let Some(label) = self.recent.get(near, range, true, slot)
        {
            return Ok(Some(label));
        }
        let text = &near[range.0..range.1];
        if !simple::is_usual(text, self.limits.entities) {
            return Ok(None);
        }
        // where the opening quote is
        let label = self.intern(range.0 - 1, text)?;
        if let Some(slot) = slot {
            self.recent.put(text, true, slot, label);
        }
        Ok(Some(label))
    }

    #[inline]
    fn simple_edge(&mut self, line: &EdgeLine, label: u32, at: usize) -> Result<usize, TooLarge> {
        let edge = Edge {
            source: self.simple_name(&line.source)?,
            target: self.simple_name(&line.target)?,
            label,
        };
        self.graph.add(edge, at);
        Ok(line.end)
    }

    fn simple_node(&mut self, line: &NodeLine) -> Result<usize, TooLarge> {
        let node = self.simple_name(&line.name)?;
        let attributes = &mut self.graph.nodes[node as usize].attributes;
        attributes.label = line.label;
        if line.circle {
            attributes.say(Attributes::SHAPE, 0);
        }
        Ok(line.end)
    }

    #[inline]
    fn simple_name(&mut self, name: &simple::Name) -> Result<u32, TooLarge> {
        if let Some(numbered) = name.numbered
            && let Some(node) = self.graph.names.recall(numbered)
        {
            return Ok(node);
        }
        let node = self.node(&self.file[name.range.0..name.range.1])?;
        if let Some(numbered) = name.numbered {
            self.graph.names.remember(numbered, node);
        }
        Ok(node)
    }
}
