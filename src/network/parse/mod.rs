//! From tokens to a [`Syntax`].
//!
//! Operators that have begun wait on a stack of the parser's own: nesting, deep
//! as it may be, takes no recursion. An operator is reduced when its last operand
//! is known, so that operands come before what is made of them.

mod lists;
mod operators;
mod print;
mod tokens;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use hyades_lts::relabel::{Action, Matching};

use super::files::Identity;
use super::language::{Customs, Language, Parameters};
use super::lex::{Kind, Place, SyntaxError, Token, tokens};
use super::messages::Told;
use super::syntax::{
    Communication, Element, Global, Label, Mode, Node, NodeId, NodeKind, Relabelling, Set, Syntax,
    Text, Vector,
};
use tokens::Tokens;

/// How a text takes the place of the name of its file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Include {
    /// As it is: operators bind across its borders.
    #[default]
    Text,
    /// In parentheses.
    Paren,
    /// As the network that it is by itself: in parentheses, and its file names, and those
    /// in what it includes, start from its own folder.
    Own,
}

/// A text to be included.
#[derive(Debug)]
pub struct Included {
    /// Its name as messages show it.
    pub name: Arc<str>,
    /// What tells it from other files, however it was named.
    pub identity: Identity,
    /// What it says.
    pub bytes: Vec<u8>,
}

/// Finds the text of a name that is to be included, or says why there is none.
pub type Opener<'a> = dyn FnMut(&[u8]) -> Result<Included, Told> + 'a;

/// Reads a network. Texts that it includes come from `open`.
///
/// O(length of all texts, as often as they are included); there may be 2^16
/// inclusions of 64 MiB in all. Each text is opened once.
///
/// # Errors
/// At the first thing that is wrong, with the names of the texts.
pub fn parse(
    text: Included,
    customs: &Customs,
    include: Include,
    open: &mut Opener<'_>,
) -> Result<Syntax, (SyntaxError, Vec<Text>)> {
    let mut parser = Parser::new(&text, customs, include, open);
    match parser.file(&text.bytes, customs) {
        Ok(()) => Ok(parser.syntax),
        Err(error) => Err((error, parser.syntax.texts)),
    }
}

/// The text with what it includes in the place of the names.
///
/// # Errors
/// As [`parse`].
pub fn expand(
    text: Included,
    customs: &Customs,
    include: Include,
    open: &mut Opener<'_>,
) -> Result<Vec<u8>, (SyntaxError, Vec<Text>)> {
    let mut parser = Parser::new(&text, customs, include, open);
    parser.tokens.taken = Some(Vec::new());
    match parser.file(&text.bytes, customs) {
        Ok(()) => Ok(print::tokens(
            &parser.tokens.taken.take().unwrap_or_default(),
        )),
        Err(error) => Err((error, parser.syntax.texts)),
    }
}

/// A file name that starts from a folder.
fn in_folder(folder: &Path, name: Vec<u8>) -> Vec<u8> {
    let path = folder.join(OsStr::from_bytes(&name));
    path.into_os_string().into_vec()
}

/// So many bytes may be included, and so often, as texts that include another one
/// twice grow beyond all bounds.
const MAX_INCLUDED: usize = 64 << 20;
const MAX_INCLUSIONS: usize = 1 << 16;

/// A text that has been included.
struct Known {
    name: Arc<str>,
    identity: Identity,
    /// What it says, behind its header.
    tokens: Rc<Vec<Token>>,
    /// Its bytes.
    length: usize,
}

struct Parser<'a, 'o> {
    tokens: Tokens,
    syntax: Syntax,
    stack: Vec<Pending>,
    include: Include,
    /// Bytes of the texts included so far.
    included: usize,
    /// How often a text was included so far.
    inclusions: usize,
    /// The texts included so far, by what they were called.
    known: HashMap<Vec<u8>, Rc<Known>>,
    open: &'a mut Opener<'o>,
}

/// An operator that waits for an operand.
struct Pending {
    place: Place,
    kind: PendingKind,
}

enum PendingKind {
    Parenthesis,
    Infix(Infix, NodeId),
    /// `closed` if `end` has to follow, otherwise it may.
    Relabel {
        relabelling: Relabelling,
        closed: bool,
    },
    Prio {
        matching: Matching,
        chains: Vec<Vec<Set>>,
    },
    Par {
        mode: Mode,
        global: Global,
        operands: Vec<(Vec<Element>, NodeId)>,
        /// The interface of the operand that is being read.
        local: Vec<Element>,
    },
    Vectors {
        mode: Mode,
        vectors: Vec<Vector>,
        operands: Vec<NodeId>,
    },
}

enum Infix {
    Interleave,
    Full,
    Gates(Vec<Element>),
    Ccs,
    Alphabets([Vec<Label>; 2]),
    SemiComposition {
        gates: Option<Vec<Label>>,
        is_guess: bool,
    },
}

/// What comes after a behaviour.
enum After {
    /// Another operand.
    Operand,
    /// Whatever goes on after a behaviour: an operator had its last operand.
    Node,
    /// Nothing that belongs to it.
    Nothing,
}

type Parsed<T> = Result<T, SyntaxError>;

impl<'a, 'o> Parser<'a, 'o> {
    fn new(text: &Included, customs: &Customs, include: Include, open: &'a mut Opener<'o>) -> Self {
        let name = Arc::clone(&text.name);
        Self {
            tokens: Tokens::new(text.identity.clone(), Arc::clone(&name)),
            syntax: Syntax {
                header: None,
                parameters: Parameters::new(None, customs),
                communications: Vec::new(),
                nodes: Vec::new(),
                texts: vec![Text {
                    name,
                    is_named_by_whole: false,
                }],
            },
            stack: Vec::new(),
            include,
            included: 0,
            inclusions: 0,
            known: HashMap::new(),
            open,
        }
    }
}

impl Parser<'_, '_> {
    fn file(&mut self, bytes: &[u8], customs: &Customs) -> Parsed<()> {
        let tokens = tokens(0, bytes)?;
        let (header, length) = header(&tokens)?;
        self.syntax.header = header;
        self.syntax.parameters = Parameters::new(header, customs);
        self.tokens.begin(tokens, bytes);
        for _ in 0..length {
            self.tokens.next();
        }
        if self.is_word("comm") {
            self.communications()?;
        }
        self.behaviour()
    }

    /// Reads a behaviour and all that it consists of.
    fn behaviour(&mut self) -> Parsed<()> {
        loop {
            let Some(mut node) = self.operand()? else {
                continue;
            };
            loop {
                while self.at_postfix() {
                    node = self.postfix(node)?;
                }
                match self.after(&mut node)? {
                    After::Operand => break,
                    After::Node => {}
                    After::Nothing => {
                        return match self.tokens.peek(0).kind {
                            Kind::End => Ok(()),
                            _ => Err(self.unexpected("an operator or the end")),
                        };
                    }
                }
            }
        }
    }

    /// What stands where a behaviour has to: a whole one, or the beginning of
    /// one, which goes on the stack.
    fn operand(&mut self) -> Parsed<Option<NodeId>> {
        let token = self.tokens.peek(0).clone();
        match token.kind {
            Kind::Symbol("(") => {
                self.tokens.next();
                self.push(token.place, PendingKind::Parenthesis);
                Ok(None)
            }
            Kind::Name(name) => {
                let name = self.file_name(name);
                Ok(Some(self.add(token.place, NodeKind::Component(name))))
            }
            Kind::Quoted(name) if name.ends_with(b".exp") => {
                self.include(&name, token.place)?;
                Ok(None)
            }
            Kind::Quoted(name) => {
                let name = self.file_name(name);
                Ok(Some(self.add(token.place, NodeKind::Component(name))))
            }
            Kind::File(name) => {
                let ending = name.rsplit(|&b| b == b'.').next().unwrap_or_default();
                if !matches!(ending, b"aut" | b"bcg" | b"seq" | b"fc2") {
                    let text = "a file name with this ending needs double quotes".to_owned();
                    return Err(SyntaxError::new(token.place, "exp-syntax", text));
                }
                let name = self.file_name(name);
                Ok(Some(self.add(token.place, NodeKind::Component(name))))
            }
            Kind::Word(
                "gate" | "label" | "total" | "partial" | "single" | "multiple" | "hide" | "cut"
                | "rename" | "prio" | "par",
            ) => self.prefix().map(|()| None),
            _ => Err(self.unexpected("a behaviour: a file name, `(`, `par`, `hide` or the like")),
        }
    }

    /// Takes the name of a file, and says where it is.
    fn file_name(&mut self, name: Vec<u8>) -> Vec<u8> {
        self.tokens.next();
        let (folder, _) = self.tokens.folder();
        let name = in_folder(&folder, name);
        if let Some(Some(taken)) = self.tokens.taken.as_mut().map(|all| all.last_mut()) {
            *taken = Kind::Quoted(name.clone());
        }
        name
    }

    /// Puts a text where its name stands.
    fn include(&mut self, name: &[u8], place: Place) -> Parsed<()> {
        let failed = |told: Told| SyntaxError::new(place, "exp-include", told);
        self.tokens.leave();
        let (folder, is_outermost) = self.tokens.folder();
        let name = in_folder(&folder, name.to_vec());
        let folder = match self.include {
            Include::Own if is_outermost => {
                let path = Path::new(OsStr::from_bytes(&name));
                path.parent().unwrap_or(path).into()
            }
            Include::Own | Include::Text | Include::Paren => folder,
        };
        let known = match self.known.get(&name) {
            Some(known) => Rc::clone(known),
            None => {
                let opened = (self.open)(&name).map_err(failed)?;
                let known = Rc::new(self.read_included(opened, place)?);
                self.known.insert(name, Rc::clone(&known));
                known
            }
        };
        let chain = |parser: &Self| {
            let names: Vec<&str> = parser.tokens.chain().map(|name| &**name).collect();
            match names.len() {
                0..=6 => names.join(" > "),
                n => format!(
                    "{} > … > {}",
                    names[..3].join(" > "),
                    names[n - 2..].join(" > ")
                ),
            }
        };
        let refused = if self.tokens.is_open(&known.identity) {
            format!("{} is included within itself", known.name)
        } else if self.inclusions == MAX_INCLUSIONS {
            format!("texts are included more than {MAX_INCLUSIONS} times")
        } else if known.length > MAX_INCLUDED - self.included {
            format!(
                "all included texts together are longer than {} MiB",
                MAX_INCLUDED >> 20
            )
        } else {
            let name = self.tokens.next();
            if let Some(taken) = &mut self.tokens.taken {
                taken.pop();
            }
            self.inclusions += 1;
            self.included += known.length;
            let parenthesis = |symbol| -> Rc<Vec<Token>> {
                Rc::new(vec![Token {
                    kind: Kind::Symbol(symbol),
                    place: name.place,
                }])
            };
            let text = Some((known.identity.clone(), Arc::clone(&known.name)));
            match self.include {
                Include::Text => self.tokens.push(Rc::clone(&known.tokens), text, folder),
                Include::Paren | Include::Own => {
                    let outside = || Rc::clone(&folder);
                    self.tokens.push(parenthesis(")"), None, outside());
                    self.tokens.push(Rc::clone(&known.tokens), text, outside());
                    self.tokens.push(parenthesis("("), None, outside());
                }
            }
            return Ok(());
        };
        Err(failed(format!("{refused} (here: {})", chain(self)).into()))
    }

    /// The tokens of a text that is included for the first time by its name.
    /// `place` is where it is named.
    fn read_included(&mut self, opened: Included, place: Place) -> Parsed<Known> {
        let number = self.text_number(&opened.name);
        self.syntax.texts[number as usize].is_named_by_whole |= place.text == 0;
        let mut tokens = tokens(number, &opened.bytes)?;
        let (header, length) = header(&tokens)?;
        if length > 0 && header != self.syntax.parameters.language {
            let own = self.syntax.parameters.language;
            let header = header.unwrap_or(Language::Lotos);
            let outer = own.map_or("without a language".into(), |own| format!("in {own}"));
            return Err(SyntaxError::new(
                tokens[0].place,
                "exp-include",
                format!(
                    "this text is in {header}, but it is included in one {outer}: give that one \
                     the header `{header} behaviour`, or read it by `--language {header}`; to mix \
                     languages, explore this one, by `reach FILE -o NAME.aut`, and name the LTS"
                ),
            ));
        }
        tokens.drain(..length);
        Ok(Known {
            name: opened.name,
            identity: opened.identity,
            tokens: Rc::new(tokens),
            length: opened.bytes.len(),
        })
    }

    /// The number of a text that is opened, maybe not for the first time.
    fn text_number(&mut self, name: &Arc<str>) -> u32 {
        let texts = &mut self.syntax.texts;
        let known = texts.iter().skip(1).position(|text| text.name == *name);
        let number = known.map_or(texts.len(), |k| k + 1);
        if known.is_none() {
            texts.push(Text {
                name: Arc::clone(name),
                is_named_by_whole: false,
            });
        }
        number as u32
    }

    fn push(&mut self, place: Place, kind: PendingKind) {
        self.stack.push(Pending { place, kind });
    }

    fn add(&mut self, place: Place, kind: NodeKind) -> NodeId {
        self.syntax.nodes.push(Node { place, kind });
        self.syntax.nodes.len() as NodeId - 1
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.tokens.peek(0).kind, Kind::Word(found) if found == word)
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.tokens.peek(0).kind, Kind::Symbol(found) if found == symbol)
    }

    /// Takes a symbol if it is the next token.
    fn take_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.tokens.next();
        }
        found
    }

    /// Takes a keyword if it is the next token.
    fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.tokens.next();
        }
        found
    }

    fn expect_symbol(&mut self, symbol: &str) -> Parsed<()> {
        match self.take_symbol(symbol) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{symbol}`"))),
        }
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        match self.take_word(word) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{word}`"))),
        }
    }

    /// The next token is not what should be there.
    fn unexpected(&self, expected: &str) -> SyntaxError {
        let token = self.tokens.peek(0);
        let hint = match token.kind {
            Kind::Word(_) if expected.contains("label") || expected.contains("gate") => {
                " (a label that is a keyword needs double quotes)"
            }
            Kind::Word("end") if !matches!(self.tokens.peek(1).kind, Kind::Word(_)) => {
                " (behind `end` stands what it ends: `end hide`)"
            }
            Kind::Symbol("/") => " (the name of a file with `/` needs double quotes)",
            _ => "",
        };
        SyntaxError::quoting(token.place, "exp-syntax", |quote| {
            format!(
                "found {}, expected {expected}{hint}",
                token.kind.show(quote)
            )
        })
    }
}

/// The header at the beginning of a text, and of how many tokens it consists.
fn header(tokens: &[Token]) -> Parsed<(Option<Language>, usize)> {
    let word = |k: usize| match tokens.get(k).map(|token| &token.kind) {
        Some(Kind::Word(word)) => Some(*word),
        _ => None,
    };
    let behaviour = |word: Option<&str>| matches!(word, Some("behaviour" | "behavior"));
    if behaviour(word(0)) {
        return Ok((Some(Language::Lotos), 1));
    }
    let Some(language) = word(0).and_then(|word| word.parse::<Language>().ok()) else {
        return Ok((None, 0));
    };
    if !behaviour(word(1)) {
        let place = tokens.get(1).unwrap_or(&tokens[0]).place;
        return Err(SyntaxError::quoting(place, "exp-syntax", |quote| {
            let language = quote(language.name().as_bytes());
            format!("expected `behaviour` after {language}")
        }));
    }
    Ok((Some(language), 2))
}

impl Parser<'_, '_> {
    /// `comm … end comm`.
    fn communications(&mut self) -> Parsed<()> {
        if self.syntax.parameters.language != Some(Language::Mcrl) {
            let place = self.tokens.peek(0).place;
            let text = "`comm` is for mcrl only: the text has to begin with `mcrl behaviour`";
            return Err(SyntaxError::new(place, "exp-syntax", text));
        }
        self.tokens.next();
        loop {
            let left = self.label("a gate")?;
            self.expect_symbol("|")?;
            let right = self.label("a gate")?;
            self.expect_symbol("=")?;
            let result = self.label("a gate")?;
            self.syntax.communications.push(Communication {
                parts: [left, right],
                result,
            });
            if !self.take_symbol(",") {
                break;
            }
        }
        self.expect_word("end")?;
        self.expect_word("comm")
    }
}

/// The action of an operator, as its keyword says.
fn action(word: &str) -> Option<Action> {
    [Action::Hide, Action::Cut, Action::Rename]
        .into_iter()
        .find(|action| action.name() == word)
}
