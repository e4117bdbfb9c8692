//! What an expression says, before anything is known of its components.

use hyades_lts::relabel::{Action, Matching};

use super::language::{Language, Parameters};
use super::lex::Place;

/// A network as it is written.
///
/// Behaviours are in one list, operands before what is made of them, so that
/// whoever goes through the list needs no recursion.
#[derive(Clone, Debug)]
pub struct Syntax {
    /// The language of the header, if there is one.
    pub header: Option<Language>,
    /// What the language and the options say.
    pub parameters: Parameters,
    /// The communications of mCRL.
    pub communications: Vec<Communication>,
    /// All behaviours; each is an operand once, but the last, which is the whole.
    pub nodes: Vec<Node>,
    /// The texts that were included, in the order of opening; the network
    /// itself is the first.
    pub texts: Vec<Text>,
}

/// A text that a network is read from.
#[derive(Clone, Debug)]
pub struct Text {
    /// Its name as messages show it.
    pub name: std::sync::Arc<str>,
    /// Whether it is the text itself that names it, not one that is included.
    pub is_named_by_whole: bool,
}

/// An index into [`Syntax::nodes`].
pub type NodeId = u32;

/// A behaviour.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it begins, or where its operator stands.
    pub place: Place,
    /// What it is.
    pub kind: NodeKind,
}

/// Kinds of behaviours.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// An LTS in a file, by the name as it is written.
    Component(Vec<u8>),
    /// `par`, and the operators of LOTOS and CSP that are cases of it.
    Par {
        /// Whether interfaces hold gates or labels.
        mode: Mode,
        /// What all operands synchronise on.
        global: Global,
        /// The operands, each with its own interface.
        operands: Vec<(Vec<Element>, NodeId)>,
    },
    /// `par using`.
    Vectors {
        /// Whether vectors hold gates or labels.
        mode: Mode,
        /// The vectors.
        vectors: Vec<Vector>,
        /// The operands.
        operands: Vec<NodeId>,
    },
    /// `|` of CCS.
    Ccs([NodeId; 2]),
    /// `||` of mCRL.
    Mcrl([NodeId; 2]),
    /// `[{…}||{…}]` of CSP.
    Alphabets {
        /// The gates of either operand.
        alphabets: [Vec<Label>; 2],
        /// The operands.
        operands: [NodeId; 2],
    },
    /// `-|[…]|` and `-||`: what one behaviour can do in an environment that the other
    /// one describes.
    SemiComposition {
        /// The gates to synchronise on; all labels of the interface if there are none.
        gates: Option<Vec<Label>>,
        /// Whether the interface is a guess (`?`), which has to be checked.
        is_guess: bool,
        /// The behaviour, and its interface.
        operands: [NodeId; 2],
    },
    /// `hide`, `cut`, `rename` and the like.
    Relabel {
        /// What is done.
        relabelling: Relabelling,
        /// The operand.
        operand: NodeId,
    },
    /// `prio`.
    Prio {
        /// What patterns are held against.
        matching: Matching,
        /// Chains of sets of labels, the highest first.
        chains: Vec<Vec<Set>>,
        /// The operand.
        operand: NodeId,
    },
}

/// Whether an interface holds gates or whole labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Labels synchronise if their gate is in the interface.
    Gate,
    /// Labels synchronise if they are in the interface.
    Label,
}

/// What all operands of `par` synchronise on.
#[derive(Clone, Debug)]
pub enum Global {
    /// Every visible label; where that is said.
    All(Place),
    /// These.
    These(Vec<Element>),
}

/// A label or a pattern as it is written.
#[derive(Clone, Debug)]
pub struct Label {
    /// What it means: upper-cased, where the language wants that.
    pub text: Vec<u8>,
    /// How it is written, if that is different.
    pub written: Option<Vec<u8>>,
    /// Where it stands.
    pub place: Place,
}

/// An element of an interface.
#[derive(Clone, Debug)]
pub struct Element {
    /// The gate or label.
    pub label: Label,
    /// How many operands take part.
    pub degree: Option<u64>,
}

/// A synchronisation vector.
#[derive(Clone, Debug)]
pub struct Vector {
    /// How many elements it has, most of which are `_`: one for each operand.
    pub width: usize,
    /// The operands that take part, in ascending order, and their labels.
    pub parts: Vec<(usize, Label)>,
    /// The label of the whole.
    pub result: Label,
    /// Where it begins.
    pub place: Place,
}

/// `LEFT | RIGHT = RESULT`.
#[derive(Clone, Debug)]
pub struct Communication {
    /// The gates that communicate.
    pub parts: [Label; 2],
    /// What becomes of them.
    pub result: Label,
}

/// A set of labels, described by patterns.
#[derive(Clone, Debug)]
pub struct Set {
    /// Those labels that do not match.
    pub all_but: bool,
    /// The patterns.
    pub patterns: Vec<Label>,
}

/// What is done with labels that match.
#[derive(Clone, Debug)]
pub struct Relabelling {
    /// Hide, cut or rename.
    pub action: Action,
    /// What patterns are held against.
    pub matching: Matching,
    /// Whether a prefix that marks co-actions is taken off first, and put back
    /// in front of a new label.
    pub coactions: bool,
    /// Whether patterns are the gates of CCS or CSP, without offers.
    pub plain: bool,
    /// The patterns.
    pub patterns: Patterns,
}

/// Where patterns are.
#[derive(Clone, Debug)]
pub enum Patterns {
    /// Here, each with a right side for renaming.
    Here {
        /// Labels that do not match are meant.
        all_but: bool,
        /// Pattern and right side.
        rules: Vec<(Label, Option<Label>)>,
    },
    /// In a file.
    File(Vec<u8>, Place),
}
