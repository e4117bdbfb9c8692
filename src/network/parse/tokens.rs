//! The tokens of a text, and of those that it includes, in one sequence.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use hyades_formats::Position;

use super::super::files::Identity;
use super::super::lex::{Kind, Place, Token};

/// Tokens yet to come.
pub(super) struct Tokens {
    /// Texts that have begun, the innermost last.
    frames: Vec<Frame>,
    end: Token,
    /// The tokens that have been taken, if they are wanted.
    pub taken: Option<Vec<Kind>>,
}

struct Frame {
    tokens: Rc<Vec<Token>>,
    at: usize,
    /// Which text it is, and what it is called; none for parentheses around one.
    text: Option<(Identity, Arc<str>)>,
    /// Where file names in it start from.
    folder: Rc<Path>,
}

impl Tokens {
    /// No tokens yet; the text itself is this one.
    pub fn new(identity: Identity, name: Arc<str>) -> Self {
        let place = Place {
            text: 0,
            position: Position::new(1, 1),
        };
        Self {
            frames: vec![Frame {
                tokens: Rc::default(),
                at: 0,
                text: Some((identity, name)),
                folder: Path::new("").into(),
            }],
            taken: None,
            end: Token {
                kind: Kind::End,
                place,
            },
        }
    }

    /// These are the tokens of the text itself, the bytes of which tell where the
    /// end is.
    pub fn begin(&mut self, tokens: Vec<Token>, text: &[u8]) {
        let lines = text.iter().filter(|&&b| b == b'\n').count() as u64 + 1;
        let last = text.rsplit(|&b| b == b'\n').next().unwrap_or_default();
        self.end.place.position = Position::new(lines, last.len() as u64 + 1);
        self.frames[0].tokens = Rc::new(tokens);
    }

    /// Puts tokens before all others: those of an included text, or parentheses. File
    /// names in it start from this folder.
    pub fn push(
        &mut self,
        tokens: Rc<Vec<Token>>,
        text: Option<(Identity, Arc<str>)>,
        folder: Rc<Path>,
    ) {
        self.frames.push(Frame {
            tokens,
            at: 0,
            text,
            folder,
        });
    }

    /// Where file names start from in what the last token that was taken is from, and
    /// whether that is the text itself.
    pub fn folder(&self) -> (Rc<Path>, bool) {
        let frame = self.frames.last();
        let folder = frame.map_or(Path::new("").into(), |frame| Rc::clone(&frame.folder));
        (folder, self.frames.len() == 1)
    }

    /// Leaves the texts whose tokens have all been taken.
    pub fn leave(&mut self) {
        let is_over = |frame: &Frame| frame.at == frame.tokens.len();
        while self.frames.len() > 1 && self.frames.last().is_some_and(is_over) {
            self.frames.pop();
        }
    }

    /// Whether a text has begun and has not been left.
    pub fn is_open(&self, identity: &Identity) -> bool {
        let texts = self.frames.iter().filter_map(|frame| frame.text.as_ref());
        texts.into_iter().any(|(own, _)| own == identity)
    }

    /// The texts that have begun and have not been left, each of which includes
    /// the next one.
    pub fn chain(&self) -> impl Iterator<Item = &Arc<str>> {
        let texts = self.frames.iter().filter_map(|frame| frame.text.as_ref());
        texts.map(|(_, name)| name)
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
        self.leave();
        let frame = self.frames.last_mut();
        let frame = frame.expect("the text itself is never left");
        match frame.tokens.get(frame.at) {
            Some(token) => {
                frame.at += 1;
                if let Some(taken) = &mut self.taken {
                    taken.push(token.kind.clone());
                }
                token.clone()
            }
            None => self.end.clone(),
        }
    }
}
