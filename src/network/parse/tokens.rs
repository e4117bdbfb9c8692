//! The tokens of a text, and of those that it includes, in one sequence.

use std::path::{Path, PathBuf};

use hyades_formats::Position;

use super::super::lex::{Kind, Place, Token};

/// Tokens yet to come.
pub(super) struct Tokens {
    /// Texts that have begun, the innermost last.
    frames: Vec<Frame>,
    end: Token,
}

struct Frame {
    tokens: Vec<Token>,
    at: usize,
    identity: PathBuf,
}

impl Tokens {
    /// No tokens yet; the text itself is this one.
    pub fn new(identity: PathBuf) -> Self {
        let place = Place {
            text: 0,
            position: Position::new(1, 1),
        };
        Self {
            frames: vec![Frame {
                tokens: Vec::new(),
                at: 0,
                identity,
            }],
            end: Token {
                kind: Kind::End,
                place,
            },
        }
    }

    /// The end of this text is where the end is.
    pub fn set_end(&mut self, text: &[u8]) {
        let lines = text.iter().filter(|&&b| b == b'\n').count() as u64 + 1;
        let last = text.rsplit(|&b| b == b'\n').next().unwrap_or_default();
        self.end.place.position = Position::new(lines, last.len() as u64 + 1);
    }

    /// Puts tokens before all others: those of an included text, or of the text
    /// itself.
    pub fn push(&mut self, tokens: Vec<Token>, included: Option<PathBuf>) {
        match included {
            Some(identity) => self.frames.push(Frame {
                tokens,
                at: 0,
                identity,
            }),
            None => self.frames[0].tokens = tokens,
        }
    }

    /// Whether a text has begun and not ended.
    pub fn is_open(&self, identity: &Path) -> bool {
        self.frames.iter().any(|frame| frame.identity == identity)
    }

    /// The token that comes after `ahead` others.
    pub fn peek(&self, mut ahead: usize) -> &Token {
        for frame in self.frames.iter().rev() {
            match frame.tokens.get(frame.at + ahead) {
                Some(token) => return token,
                None => ahead -= frame.tokens.len() - frame.at,
            }
        }
        &self.end
    }

    /// Takes the next token.
    pub fn next(&mut self) -> Token {
        while let Some(frame) = self.frames.last_mut() {
            if let Some(token) = frame.tokens.get_mut(frame.at) {
                frame.at += 1;
                // Nobody looks back.
                return std::mem::replace(
                    token,
                    Token {
                        kind: Kind::End,
                        place: self.end.place,
                    },
                );
            }
            if self.frames.len() == 1 {
                break;
            }
            self.frames.pop();
        }
        self.end.clone()
    }
}
