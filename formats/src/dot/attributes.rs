//! Attributes of nodes and edges in the grammar.

use super::graph::Attributes;
use super::lex::{Text, Token};
use super::parse::{Parser, unexpected};
use super::text::{decode, is_table};
use crate::fault::Stop;
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
            loop {
                match self.next()? {
                    (_, Token::Mark(b']')) => break,
                    (_, Token::Mark(b',' | b';')) => {}
                    (at, Token::Text(key)) => {
                        let value = match self.take(b'=')? {
                            true => self.text("a value")?,
                            false => (at, Text::Word(b"true")),
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
