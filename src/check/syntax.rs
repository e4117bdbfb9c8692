//! Properties as trees, whichever language they were written in.
//!
//! Names are resolved: each place that binds a variable has a [`VariableId`] of its
//! own, and each fixpoint a [`FixpointId`]. Types are checked. Trees are at most
//! [`MAX_DEPTH`] deep, so that walks may recurse.

use std::fmt;

/// How deep a tree may be nested; parsers refuse what is deeper. Chains of one
/// operator (`and`, `or`, `.`, `|`) are one level.
pub const MAX_DEPTH: usize = 1000;

/// A place in a text: line and byte within the line, both from 1. What a macro made
/// stands where the macro is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Place {
    /// The line, from 1.
    pub line: u32,
    /// The byte within the line, from 1.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A text that is no property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// The name of the text: of a file, or of a library that it includes.
    pub file: String,
    /// Where in it; the default, 0:0, if that is not a place in a text.
    pub place: Place,
    /// What was found, what was expected, and what to do.
    pub message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            place,
            message,
        } = self;
        match *place == Place::default() {
            true => write!(f, "{file}: {message}"),
            false => write!(f, "{file}:{place}: {message}"),
        }
    }
}

impl std::error::Error for SyntaxError {}

/// Something doubtful in a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// The name of the kind, such as `check-postfix-scope`.
    pub code: &'static str,
    /// Where.
    pub place: Place,
    /// What.
    pub message: String,
}

/// A data variable of a property: an index into [`Property::variables`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId(pub u32);

/// A fixpoint of a property: an index into [`Property::fixpoints`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FixpointId(pub u32);

/// What values a variable may have.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    /// `true`, `false`.
    Bool,
    /// Integers from 1 on (mCRL2).
    Pos,
    /// Integers from 0 on.
    Nat,
    /// Integers of 64 bits.
    Int,
    /// Numbers with a fraction.
    Real,
    /// One character.
    Char,
    /// Texts.
    String,
    /// A sort of mCRL2 with another name, whose values are texts.
    Named(Box<str>),
}

impl Sort {
    /// The name, as users write it.
    pub fn name(&self) -> &str {
        match self {
            Sort::Bool => "Bool",
            Sort::Pos => "Pos",
            Sort::Nat => "Nat",
            Sort::Int => "Int",
            Sort::Real => "Real",
            Sort::Char => "Char",
            Sort::String => "String",
            Sort::Named(name) => name,
        }
    }
}

/// A data variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// As the user calls it.
    pub name: Box<str>,
    /// Its type.
    pub sort: Sort,
}

/// A fixpoint variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fixpoint {
    /// As the user calls it.
    pub name: Box<str>,
    /// Its parameters.
    pub parameters: Vec<VariableId>,
}

/// The language that a property was written in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Language {
    /// CADP's Model Checking Language, versions 3 and 4.
    Mcl,
    /// Modal formulas of mCRL2.
    Mcf,
}

/// A formula with what its variables mean.
#[derive(Clone, Debug)]
pub struct Property {
    /// The language.
    pub language: Language,
    /// The formula.
    pub formula: StateFormula,
    /// All data variables.
    pub variables: Vec<Variable>,
    /// All fixpoints.
    pub fixpoints: Vec<Fixpoint>,
}

/// A value of a data expression.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A Boolean.
    Bool(bool),
    /// An integer, whatever its sort.
    Int(i64),
    /// A number with a fraction.
    Real(Real),
    /// A character, one byte as labels have them.
    Char(u8),
    /// A text, without quotes around it.
    Text(Box<[u8]>),
}

/// A double that can be compared and hashed; never NaN, and no negative zero.
#[derive(Clone, Copy, Debug)]
pub struct Real(f64);

impl Real {
    /// This number, if it is one.
    pub fn new(number: f64) -> Option<Self> {
        // The sum makes a positive zero of a negative one.
        (!number.is_nan()).then_some(Self(number + 0.0))
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl PartialEq for Real {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Real {}

impl PartialOrd for Real {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Real {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl std::hash::Hash for Real {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// A data expression, whose types fit.
#[derive(Clone, Debug)]
pub enum Expression {
    /// A literal, or a name that is no variable and so stands for its own text.
    Constant(Value),
    /// The value of a variable.
    Variable(VariableId),
    /// A function or operator applied to as many operands as it has; the place is that
    /// of the operator, for errors of evaluation.
    Apply(Function, Vec<Expression>, Place),
}

/// Functions of data. Integers are of 64 bits, and overflow is an error of evaluation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Function {
    /// Of a Boolean.
    Not,
    /// Of two or more Booleans, from left to right, stopping when decided.
    And,
    /// Of two or more Booleans, from left to right, stopping when decided.
    Or,
    /// Of two Booleans; the second is not looked at if the first is false.
    Implies,
    /// Of a Boolean and two values of one type.
    If,
    /// Of two values; numbers of different types are compared as numbers.
    Equal,
    /// The opposite.
    NotEqual,
    /// Of two numbers, or two texts (bytewise), or two characters.
    Less,
    /// Likewise.
    LessOrEqual,
    /// Likewise.
    Greater,
    /// Likewise.
    GreaterOrEqual,
    /// The sum.
    Add,
    /// The difference, as an integer.
    Subtract,
    /// The difference of naturals; below 0 is an error.
    SubtractNatural,
    /// The product.
    Multiply,
    /// The quotient, towards 0; by 0 is an error.
    Divide,
    /// The rest, with the sign of the first operand; by 0 is an error.
    Remainder,
    /// The quotient, towards minus infinity (mCRL2's `div`); by 0 is an error.
    DivideFloor,
    /// The rest, never negative for a positive divisor (mCRL2's `mod`); by 0 is an error.
    Modulo,
    /// The number with the other sign.
    Negate,
    /// The next integer.
    Successor,
    /// The integer before.
    Predecessor,
    /// The predecessor of a natural; of 0 it is an error.
    PredecessorNatural,
    /// Without its sign.
    Absolute,
    /// The smaller one.
    Minimum,
    /// The greater one.
    Maximum,
    /// Any value as a text.
    ToString,
    /// Of a number or a text that reads as one: a natural; else an error.
    ToNat,
    /// Of a number or a text that reads as one: an integer (a fraction is cut); else an error.
    ToInt,
    /// Of a number or a text that reads as one: a real; else an error.
    ToReal,
    /// Two texts, one behind the other.
    Concatenate,
    /// How many bytes a text has.
    Length,
    /// Of two texts: the place, from 1, of the first occurrence of the second; 0 if there is none.
    Index,
    /// The place of the last occurrence.
    LastIndex,
    /// Of a text and a number: its first so many bytes (all, if there are fewer).
    Prefix,
    /// Its last so many bytes.
    Suffix,
    /// Of a text, a place from 1 on and a number: so many bytes from there; error beyond the end.
    Substring,
    /// Of a text and a place from 1 on: the character there; error beyond the end.
    Nth,
    /// The number as it is, if it is at least 0; else an error (an integer given to a variable of type Nat).
    CheckNat,
    /// The number as it is, if it is at least 1; else an error.
    CheckPos,
    /// A constructor of mCRL2 with this name, applied: the text `name(a, b)`, with one
    /// blank after each comma; compared like all texts of mCRL2.
    Construct(Box<str>),
}

/// The values that a quantified variable runs through.
#[derive(Clone, Debug)]
pub enum Domain {
    /// Both Booleans.
    Booleans,
    /// These, in this order; equal ones count once.
    Values(Vec<Expression>),
    /// From the first to the second integer, both included.
    Range(Box<[Expression; 2]>),
    /// What occurs in labels where a variable of this sort stands (mCRL2); replaced by
    /// values before a formula is decided.
    Occurring,
}

/// The quantifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    /// For all values.
    Forall,
    /// For some value.
    Exists,
}

/// The two modalities.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Modality {
    /// `<R>f`: some word of R leads to `f`.
    Diamond,
    /// `[R]f`: all words of R lead to `f`.
    Box,
}

/// The two fixpoints.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sign {
    /// The least one.
    Mu,
    /// The greatest one.
    Nu,
}

/// A set of states.
#[derive(Clone, Debug)]
pub enum StateFormula {
    /// `true`, `false`.
    Constant(bool),
    /// A Boolean expression.
    Condition(Expression),
    /// The complement.
    Not(Box<StateFormula>),
    /// All of these (two or more).
    And(Vec<StateFormula>),
    /// One of these (two or more).
    Or(Vec<StateFormula>),
    /// The first does not hold, or the second does.
    Implies(Box<[StateFormula; 2]>),
    /// Both hold, or none does; no fixpoint variable of outside occurs in them.
    Equivalent(Box<[StateFormula; 2]>),
    /// `<R>f`, `[R]f`.
    Modal(Modality, Box<Regular>, Box<StateFormula>),
    /// `<R>@`: an infinite sequence of non-empty words of R. (`[R]-|` is its negation.)
    Infinitely(Box<Regular>),
    /// `mu X (x := e, …). f`: the parameters are those of the [`Fixpoint`], the
    /// expressions their first values.
    Fixpoint(Sign, FixpointId, Vec<Expression>, Box<StateFormula>),
    /// `X (e, …)`, under an even number of negations within its fixpoint.
    Variable(FixpointId, Vec<Expression>),
    /// `forall x: T among D. f`.
    Quantified(Quantifier, VariableId, Domain, Box<StateFormula>),
    /// `let x := e in f`.
    Let(VariableId, Box<Expression>, Box<StateFormula>),
    /// `if c then f elsif … else g`.
    If(Vec<(Expression, StateFormula)>, Box<StateFormula>),
}

/// A set of words of labels.
#[derive(Clone, Debug)]
pub enum Regular {
    /// The empty word (`nil`).
    Empty,
    /// One label.
    Action(ActionFormula),
    /// One behind the other (two or more).
    Sequence(Vec<Regular>),
    /// One of these (two or more).
    Choice(Vec<Regular>),
    /// Any number of times.
    Star(Box<Regular>),
    /// At least once.
    Plus(Box<Regular>),
    /// At most once.
    Optional(Box<Regular>),
    /// At least and at most so many times; without limit if there is no second number.
    Repeat(Box<Regular>, u32, Option<u32>),
    /// `if c then R elsif … else R'`.
    If(Vec<(Expression, Regular)>, Box<Regular>),
    /// `for x: T from a to b step c do R`: for each value, in sequence.
    For(VariableId, Box<[Expression; 3]>, Box<Regular>),
    /// `let x := e in R`.
    Let(VariableId, Box<Expression>, Box<Regular>),
}

/// A set of labels, and what variables are in each.
#[derive(Clone, Debug)]
pub enum ActionFormula {
    /// All labels, or none.
    Constant(bool),
    /// The hidden action.
    Hidden,
    /// All but the hidden action.
    Visible,
    /// The label with this text; `i` is the hidden action, and so is a label that reads so.
    Label(Box<[u8]>, Place),
    /// The visible label with exactly this text, blanks and all.
    Exactly(Box<[u8]>),
    /// Labels that match this regular expression as a whole.
    Pattern(Box<hyades_lts::pattern::LabelPattern>, Place),
    /// `{ GATE !e ?x:T … where c }`.
    Offers(Box<OfferPattern>),
    /// `a(d)|b` of mCRL2: these actions in any order, and no others; `tau` is
    /// [`ActionFormula::Hidden`].
    MultiAction(Vec<ActionTerm>, Place),
    /// A Boolean expression: all labels, or none.
    Condition(Expression),
    /// The complement.
    Not(Box<ActionFormula>),
    /// All of these (two or more); known afterwards is what all of them bind.
    And(Vec<ActionFormula>),
    /// One of these (two or more).
    Or(Vec<ActionFormula>),
    /// Not in the first set, or in the second.
    Implies(Box<[ActionFormula; 2]>),
    /// In both, or in none.
    Equivalent(Box<[ActionFormula; 2]>),
    /// For all or for some values of a variable.
    Quantified(Quantifier, VariableId, Domain, Box<ActionFormula>),
}

/// One action of a multi-action.
#[derive(Clone, Debug)]
pub struct ActionTerm {
    /// Its name.
    pub name: Box<str>,
    /// Its arguments.
    pub arguments: Vec<Expression>,
}

/// A pattern of a gate and its offers.
#[derive(Clone, Debug)]
pub struct OfferPattern {
    /// Where it begins.
    pub place: Place,
    /// The gate.
    pub gate: GatePattern,
    /// The offers, before `...` if there is one.
    pub before: Vec<OfferMatch>,
    /// What comes after `...`; without it, the number of offers must be equal.
    pub after: Option<Vec<OfferMatch>>,
    /// The condition after `where`.
    pub condition: Option<Expression>,
}

/// Which gates match.
#[derive(Clone, Debug)]
pub enum GatePattern {
    /// All, and they are not kept; also of `{...}`.
    Any,
    /// This one.
    Name(Box<[u8]>),
    /// All; the variable gets its text.
    Bind(VariableId),
}

/// Which offers match.
#[derive(Clone, Debug)]
pub enum OfferMatch {
    /// `!e`, which sees variables bound to its left; the place is for errors.
    Value(Expression, Sort, Place),
    /// `?x:T`; the sort is that of the variable.
    Bind(VariableId, Sort),
    /// `?any`, `?any of T`.
    Any(Option<Sort>),
}
