//! Attributes of nodes and edges in the grammar.

use super::graph::Attributes;
use super::lex::{Text, Token, fault};
use super::parse::{Parser, unexpected};
use super::text::{decode, is_table};
use crate::fault::{Fault, Stop};
use crate::lts::TooLarge;

impl<'a> Parser<'a> {
    /// Attributes that hold for nodes or edges to come.
    pub(super) fn defaults(&mut self, keyword: &str) -> Result<(), Stop> {
        if *self.peek()? != Token::Mark(b'[') {
            let (at, token) = self.next()?;
            return Err(unexpected(at, &token, &format!("`[` after `{keyword}`")).into());
        }
        let said = self.attributes()?;
        if let Some(frame) = self.frames.last_mut() {
            match keyword {
                "node" => frame.node_defaults.merge(&said),
                "edge" => frame.edge_defaults.merge(&said),
                _ => {}
            }
        }
        Ok(())
    }

    /// Any number of lists of attributes between brackets.
    pub(super) fn attributes(&mut self) -> Result<Attributes, Stop> {
        let mut attributes = Attributes::default();
        while self.take(b'[')? {
            // whether a value comes right before, without a comma
            let mut after_value = false;
            loop {
                match self.next()? {
                    (_, Token::Mark(b']')) => break,
                    (_, Token::Mark(b',' | b';')) => after_value = false,
                    (at, Token::Text(key)) => {
                        let is_rest = after_value || !matches!(key, Text::Word(_));
                        let value = match self.take(b'=') {
                            Ok(true) => {
                                after_value = true;
                                self.text("a value")?
                            }
                            // what comes next may have no end, as there is a quote too many
                            Ok(false) | Err(_) if is_rest => return Err(rest_of_value(at).into()),
                            Ok(false) => (at, Text::Word(b"true")),
                            Err(fault) => return Err(fault.into()),
                        };
                        self.attribute(&key.name(), value, &mut attributes)?;
                    }
                    (at, token) => return Err(unexpected(at, &token, "an attribute or `]`").into()),
                }
            }
        }
        Ok(attributes)
    }

    fn attribute(
        &mut self,
        key: &[u8],
        (at, value): (usize, Text<'a>),
        attributes: &mut Attributes,
    ) -> Result<(), TooLarge> {
        match key {
            b"label" => {
                attributes.say_if(Attributes::TABLE, is_table(&value));
                attributes.label = self.label(at, value)?;
            }
            b"output" => attributes.output = self.label(at, value)?,
            b"xlabel" => attributes.xlabel = self.label(at, value)?,
            b"shape" => {
                let flags = match &*value.name() {
                    b"none" | b"plaintext" => Attributes::SHAPELESS,
                    b"point" => Attributes::SHAPELESS | Attributes::POINT,
                    b"doublecircle" | b"doubleoctagon" | b"tripleoctagon" => Attributes::ACCEPTING,
                    b"record" | b"Mrecord" => Attributes::RECORD,
                    _ => 0,
                };
                attributes.say(Attributes::SHAPE, flags);
            }
            b"style" => {
                let style = value.name();
                let is_there = style
                    .split(|&b| b == b',')
                    .any(|s| s.trim_ascii() == b"invis");
                attributes.say_if(Attributes::INVISIBLE, is_there);
            }
            b"initial" => {
                let is_true = value.name().eq_ignore_ascii_case(b"true");
                attributes.say_if(Attributes::INITIAL, is_true);
            }
            b"peripheries" => {
                let is_single = matches!(&*value.name(), b"0" | b"1");
                attributes.say_if(Attributes::TWICE, !is_single);
            }
            b"color" => attributes.say_if(Attributes::RED, &*value.name() == b"red"),
            b"modality" => self.graph.modal = true,
            _ => {}
        }
        Ok(())
    }

    fn label(&mut self, at: usize, text: Text<'a>) -> Result<u32, TooLarge> {
        self.intern(at, &decode(text, self.limits.entities))
    }

    /// The number of a label that stands at `at`.
    pub(super) fn intern(&mut self, at: usize, text: &[u8]) -> Result<u32, TooLarge> {
        let number = self.graph.texts.intern(text)?.get();
        if number as usize == self.graph.first.len() {
            self.graph.first.push(at);
        }
        Ok(number)
    }
}

/// What begins at `at` is no attribute, but belongs to the value before it.
fn rest_of_value(at: usize) -> Fault {
    fault(
        at,
        "expected `,`, `]` or another attribute with its value after the end of a value: a text \
         that is no word stands between quotes, and quotes in it need a backslash before them, as \
         in `label=\"say \\\"hi\\\"\"`",
    )
}
