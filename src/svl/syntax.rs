//! What a script says.

use hyades_base::buffer::Discipline;

pub use crate::text::{Piece, Text};

/// A place in a script.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Place {
    /// From 1 on.
    pub line: usize,
    /// In bytes, from 1 on.
    pub column: usize,
}

impl Place {
    /// The place that is this one for a text that begins here.
    pub fn after(self, line: usize, column: usize) -> Self {
        Self {
            line: self.line + line - 1,
            column: match line {
                1 => self.column + column - 1,
                _ => column,
            },
        }
    }
}

/// A script.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Script {
    /// What is done, in this order.
    pub items: Vec<Item>,
}

/// A part of a script, or of a property.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    /// Where it begins.
    pub place: Place,
    /// What it is.
    pub kind: ItemKind,
}

/// What a part of a script is.
#[derive(Clone, PartialEq, Debug)]
pub enum ItemKind {
    /// A line for the shell, without its `%`.
    Shell(String),
    /// `FILE = BEHAVIOUR`.
    Assignment(Text, Behaviour),
    /// A question, and where its reason is written.
    Verification(Verification),
    /// What the verification before it should have given.
    Expectation(Expectation),
    /// A property.
    Property(Property),
    /// `check NAME (ARGUMENTS)`.
    Check(String, Vec<Text>),
}

/// A question.
#[derive(Clone, PartialEq, Debug)]
pub struct Verification {
    /// Where the reason is written.
    pub reason: Option<Text>,
    /// What is asked.
    pub question: Question,
    /// `using METHOD`.
    pub method: Option<String>,
    /// `with TOOL`.
    pub tool: Option<String>,
}

/// What is asked.
#[derive(Clone, PartialEq, Debug)]
pub enum Question {
    /// Whether two behaviours are equivalent, or one is below the other.
    Comparison {
        /// By which relation.
        relation: Option<Relation>,
        /// The one.
        left: Behaviour,
        /// Which way.
        order: Order,
        /// The other.
        right: Behaviour,
    },
    /// Whether the formula in a file holds.
    Formula(Text, Behaviour),
    /// Whether a formula holds, and where it begins.
    Inline(Behaviour, Text, Place),
    /// Whether a deadlock can be reached.
    Deadlock(Behaviour),
    /// Whether a cycle of hidden steps can be reached.
    Livelock(Behaviour),
}

/// How behaviours are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// `==`.
    Equivalent,
    /// `<=`.
    Below,
    /// `>=`.
    Above,
}

/// `result VAR expected VERDICT`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Expectation {
    /// The variable that takes the verdict.
    pub result: Option<String>,
    /// What the verdict should be.
    pub expected: Option<Text>,
}

/// `property NAME (PARAMETERS) "COMMENT" is ITEMS end property`.
#[derive(Clone, PartialEq, Debug)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// What arguments are called in it; without any it is checked where it stands.
    pub parameters: Vec<String>,
    /// What it is about.
    pub comments: Vec<Text>,
    /// What is done.
    pub items: Vec<Item>,
}

/// A relation between behaviours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relation {
    /// Where it stands.
    pub place: Place,
    /// Its name, as Hyades' own commands have it (`weaktrace` for `weak trace`).
    pub name: String,
    /// Whether labels are rates or probabilities.
    pub markov: Option<Markov>,
}

/// What numbers in labels are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Markov {
    /// `stochastic`: rates.
    Stochastic,
    /// `probabilistic`: probabilities.
    Probabilistic,
}

/// An action, or several: a pattern for labels or gates, in upper case if it is written
/// without quotes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// What it reads.
    pub text: Text,
    /// So many of those who have it take part, `#N`.
    pub degree: Option<String>,
}

/// Labels.
#[derive(Clone, PartialEq, Debug)]
pub enum Labels {
    /// In the script.
    Listed {
        /// Whether it is all others that count.
        all_but: bool,
        /// Patterns for labels.
        labels: Vec<Label>,
    },
    /// In a file.
    Using(Text),
}

/// What patterns have to match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// All of the gate.
    Gate,
    /// All of the label.
    Total,
    /// Any part.
    Partial,
    /// Any part, the first of which is renamed.
    Single,
    /// Any part, all of which are renamed.
    Multiple,
    /// All of the label, in parallel composition.
    Label,
}

impl Mode {
    /// All of them.
    pub const ALL: [Mode; 6] = [
        Mode::Gate,
        Mode::Total,
        Mode::Partial,
        Mode::Single,
        Mode::Multiple,
        Mode::Label,
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Gate => "gate",
            Mode::Total => "total",
            Mode::Partial => "partial",
            Mode::Single => "single",
            Mode::Multiple => "multiple",
            Mode::Label => "label",
        }
    }
}

/// Which parts of a behaviour are reduced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// The largest parts without parallel composition.
    Leaf,
    /// These, and the whole.
    RootLeaf,
    /// The whole after each operator.
    Node,
    /// These, and compositions of a few of them.
    Smart,
}

impl Strategy {
    /// The words for it.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Leaf => "leaf",
            Strategy::RootLeaf => "root leaf",
            Strategy::Node => "node",
            Strategy::Smart => "smart",
        }
    }
}

/// A reduction.
#[derive(Clone, PartialEq, Debug)]
pub struct Reduction {
    /// Where it stands.
    pub place: Place,
    /// Which parts are reduced.
    pub strategy: Option<Strategy>,
    /// `total` or `partial`: whether the result is the smallest.
    pub is_total: Option<bool>,
    /// By which relation.
    pub relation: Option<Relation>,
    /// `using METHOD`.
    pub method: Option<String>,
    /// `with TOOL`.
    pub tool: Option<String>,
    /// Labels that are strong, for `sharp` and `divsharp`.
    pub hold: Option<Labels>,
    /// Whether it is applied to parts of a composition by a strategy: with priorities over
    /// them, or without. Only a congruence leaves the whole as it is then.
    pub parts: Option<bool>,
    /// What is reduced.
    pub of: Behaviour,
}

/// An operator between two behaviours.
#[derive(Clone, PartialEq, Debug)]
pub enum Operator {
    /// `|||`.
    Interleaving,
    /// `||`.
    Full,
    /// `|[GATES]|`.
    Gates(Vec<Label>),
    /// `-||` and `-|[GATES]|`: the left side as the right side restricts it.
    Semi {
        /// On which gates; else on all labels of the right side.
        gates: Option<Vec<Label>>,
        /// `?`: whether the right side is a guess.
        is_guess: bool,
    },
}

/// An element of a vector of labels; none if its operand takes no part.
pub type Element = Option<Label>;

/// A behaviour.
#[derive(Clone, PartialEq, Debug)]
pub enum Behaviour {
    /// A file, or a process in it.
    File {
        /// Where it stands.
        place: Place,
        /// Its name.
        name: Text,
        /// A process in it, with its gates and arguments.
        process: Option<Text>,
    },
    /// A process of the file that `DEFAULT_PROCESS_FILE` names.
    Process {
        /// Where it stands.
        place: Place,
        /// Its name.
        name: Text,
        /// Its gates.
        gates: Vec<Label>,
        /// What stands between parentheses behind them.
        arguments: Option<String>,
    },
    /// `stop`: nothing happens.
    Stop,
    /// `chaos [GATES]`: always anything.
    Chaos(Vec<Label>),
    /// `bag N [PUT, GET, …]` and `fifo N [PUT, GET, …]`: a buffer of N places; labels
    /// by pairs.
    Buffer {
        /// Where it stands.
        place: Place,
        /// In which order it gives out what is in it.
        discipline: Discipline,
        /// How many places.
        places: u64,
        /// What puts a datum in, what takes it out, and so on.
        labels: Vec<Label>,
    },
    /// `generation of`: its state space.
    Generation(Box<Behaviour>),
    /// A reduction.
    Reduction(Box<Reduction>),
    /// `hide`.
    Hide(Option<Mode>, Labels, Box<Behaviour>),
    /// `cut`.
    Cut(Option<Mode>, Labels, Box<Behaviour>),
    /// `rename`.
    Rename(Option<Mode>, Renaming, Box<Behaviour>),
    /// `prio`: chains of labels, each with priority over the next.
    Prio(Option<Mode>, Vec<Vec<Labels>>, Box<Behaviour>),
    /// `par`.
    Par {
        /// What interfaces name.
        mode: Option<Mode>,
        /// What all take part in; all that anyone has, if there is no list.
        global: Option<Interface>,
        /// Operands with the interfaces of their own.
        operands: Vec<(Option<Vec<Label>>, Behaviour)>,
    },
    /// `par using`: vectors of labels.
    Vectors {
        /// What they name.
        mode: Option<Mode>,
        /// Vectors, and the label of each.
        vectors: Vec<(Vec<Element>, Label)>,
        /// Operands.
        operands: Vec<Behaviour>,
    },
    /// Operators between behaviours, which group to the right: one less than there are
    /// operands.
    Infix(Vec<Behaviour>, Vec<Operator>),
    /// `abstraction INTERFACE of BEHAVIOUR`.
    Abstraction {
        /// `user`: whether the interface is a guess.
        is_guess: bool,
        /// What restricts.
        interface: Box<Behaviour>,
        /// On which labels; else on all of the interface.
        sync: Option<Labels>,
        /// What is restricted.
        of: Box<Behaviour>,
    },
    /// An abstraction that is known, and not supported.
    Abstractions(Box<Abstractions>),
}

/// `refined abstraction INTERFACES of BEHAVIOUR`, or `abstraction` with several interfaces.
#[derive(Clone, PartialEq, Debug)]
pub struct Abstractions {
    /// Where it stands.
    pub place: Place,
    /// `refined`.
    pub is_refined: bool,
    /// `user`: whether interfaces are guesses.
    pub is_guess: bool,
    /// What restricts.
    pub interfaces: Vec<Behaviour>,
    /// On which labels; else on all of the interfaces.
    pub sync: Option<Labels>,
    /// What is restricted.
    pub of: Behaviour,
}

/// What all operands of `par` take part in.
#[derive(Clone, PartialEq, Debug)]
pub enum Interface {
    /// `all`.
    All,
    /// These.
    Listed(Vec<Label>),
}

/// How labels are renamed.
#[derive(Clone, PartialEq, Debug)]
pub enum Renaming {
    /// Patterns and what they become.
    Listed(Vec<(Label, Label)>),
    /// Rules in a file.
    Using(Text),
}
