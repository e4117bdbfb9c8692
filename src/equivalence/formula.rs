//! Hennessy–Milner formulas: building, printing, parsing, checking.
//!
//! # Syntax
//!
//! ```text
//! file       = formula | { NAME "=" formula NEWLINE }
//! formula    = conjunct { "||" conjunct }
//! conjunct   = prefixed { "&&" prefixed }
//! prefixed   = "true" | "false" | NAME | "(" formula ")"
//!            | "!" prefixed | "<" action ">" prefixed | "[" action "]" prefixed
//! action     = '"' label '"' | "i" | "tau"
//! ```
//!
//! A state satisfies `<a>f` if it has some step `a` to a state that satisfies
//! `f`, and `[a]f` if all its steps `a` lead to such states; in particular,
//! `[a]false` says that it has no step `a`. Operators that come before their
//! operand bind strongest, then `&&`, then `||`.
//!
//! A visible label stands in double quotes; in it, `\"`, `\\`, `\n`, `\r`, `\t`
//! and `\xHH` (two hexadecimal digits: any byte) are escapes. The hidden action
//! stands without quotes, as `i` (or `tau`, as in mCRL2).
//!
//! A large formula is printed as a list of definitions, one a line. The first
//! is the formula; a name stands for its definition, which is on a later line.
//! So that each can be checked on its own:
//!
//! ```text
//! X1 = <"a">(X2 && <i>X3)
//! X2 = <"b">X3
//! X3 = <"c">true && ["d"]false
//! ```

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hyades_formats::{LabelId, LabelTable, Lts, LtsBuilder, StateId, TooLarge};

/// A subformula of a [`Formula`] under construction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The operator of a subformula; operands are always older nodes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Node {
    /// The conjunction; of nothing, it is true.
    And(Box<[NodeId]>),
    /// The disjunction; of nothing, it is false.
    Or(Box<[NodeId]>),
    Not(NodeId),
    Diamond(LabelId, NodeId),
    Box(LabelId, NodeId),
}

impl Node {
    fn operands(&self) -> &[NodeId] {
        match self {
            Node::And(operands) | Node::Or(operands) => operands,
            Node::Not(operand) | Node::Diamond(_, operand) | Node::Box(_, operand) => {
                std::slice::from_ref(operand)
            }
        }
    }
}

/// Builds a [`Formula`] from the inside out. Equal subformulas become one node.
#[derive(Debug, Default)]
pub struct FormulaBuilder {
    nodes: Vec<Node>,
    index: HashTable<NodeId>,
    hasher: RandomState,
    table: LabelTable,
}

impl FormulaBuilder {
    /// A builder without nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// The label with this text, for [`FormulaBuilder::diamond`].
    ///
    /// # Errors
    /// If there are too many labels.
    pub fn label(&mut self, text: &[u8]) -> Result<LabelId, TooLarge> {
        self.table.intern(text)
    }

    /// All of these hold; of none, `true`. Duplicates count once.
    pub fn and(&mut self, operands: impl IntoIterator<Item = NodeId>) -> NodeId {
        let operands = distinct(operands);
        match operands[..] {
            [operand] => operand,
            _ => self.node(Node::And(operands)),
        }
    }

    /// One of these holds; of none, `false`. Duplicates count once.
    pub fn or(&mut self, operands: impl IntoIterator<Item = NodeId>) -> NodeId {
        let operands = distinct(operands);
        match operands[..] {
            [operand] => operand,
            _ => self.node(Node::Or(operands)),
        }
    }

    /// The operand does not hold.
    pub fn not(&mut self, operand: NodeId) -> NodeId {
        self.node(Node::Not(operand))
    }

    /// Some step with this label leads to a state where the operand holds.
    pub fn diamond(&mut self, label: LabelId, operand: NodeId) -> NodeId {
        self.node(Node::Diamond(label, operand))
    }

    /// All steps with this label lead to states where the operand holds.
    pub fn boxed(&mut self, label: LabelId, operand: NodeId) -> NodeId {
        self.node(Node::Box(label, operand))
    }

    fn node(&mut self, node: Node) -> NodeId {
        let (nodes, hasher) = (&mut self.nodes, &self.hasher);
        let hash = hasher.hash_one(&node);
        if let Some(&known) = self.index.find(hash, |k| nodes[k.index()] == node) {
            return known;
        }
        let new = u32::try_from(nodes.len()).expect("fewer than 2^32 nodes fit in memory");
        nodes.push(node);
        self.index
            .insert_unique(hash, NodeId(new), |k| hasher.hash_one(&nodes[k.index()]));
        NodeId(new)
    }

    /// The formula that this node stands for; nodes that it does not use are
    /// dropped. O(nodes).
    pub fn build(self, root: NodeId) -> Formula {
        let mut used = vec![false; root.index() + 1];
        used[root.index()] = true;
        for (k, node) in self.nodes[..used.len()].iter().enumerate().rev() {
            if used[k] {
                node.operands().iter().for_each(|o| used[o.index()] = true);
            }
        }
        let mut renumbered = vec![NodeId(0); used.len()];
        let mut nodes = Vec::new();
        for (k, mut node) in self.nodes.into_iter().take(used.len()).enumerate() {
            if used[k] {
                match &mut node {
                    Node::And(operands) | Node::Or(operands) => {
                        operands.iter_mut().for_each(|o| *o = renumbered[o.index()]);
                    }
                    Node::Not(o) | Node::Diamond(_, o) | Node::Box(_, o) => {
                        *o = renumbered[o.index()];
                    }
                }
                renumbered[k] = NodeId(nodes.len() as u32);
                nodes.push(node);
            }
        }
        Formula {
            nodes,
            table: self.table,
        }
    }
}

/// The operands in their order, each once.
fn distinct(operands: impl IntoIterator<Item = NodeId>) -> Box<[NodeId]> {
    let mut operands: Vec<NodeId> = operands.into_iter().collect();
    if operands.len() > 1 {
        let mut seen = HashSet::with_hasher(RandomState::default());
        operands.retain(|&o| seen.insert(o));
    }
    operands.into_boxed_slice()
}

/// A Hennessy–Milner formula; subformulas that occur more than once are shared.
///
/// Printed and parsed in the syntax of the [module](self). No operation
/// recurses on the formula, which may be nested as deeply as memory allows.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Operands before operators; the last is the formula.
    nodes: Vec<Node>,
    table: LabelTable,
}

impl Formula {
    fn root(&self) -> NodeId {
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// How many modalities (`<a>` and `[a]`) are nested at the most. O(size).
    pub fn depth(&self) -> usize {
        let mut depths: Vec<usize> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let inner = node.operands().iter().map(|o| depths[o.index()]);
            let modal = matches!(node, Node::Diamond(..) | Node::Box(..));
            depths.push(inner.max().unwrap_or(0) + usize::from(modal));
        }
        depths[self.root().index()]
    }

    /// The number of different subformulas.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The steps that the formula speaks of, as an LTS without cycles: a state
    /// stands for what is said of the target of a step, and the last state for
    /// that nothing is said. States are numbered breadth-first.
    ///
    /// O(size) for formulas whose conjunctions and disjunctions are not shared.
    ///
    /// # Errors
    /// If there are more states or transitions than an LTS can hold.
    pub fn to_lts(&self) -> Result<Lts, TooLarge> {
        let mut builder = LtsBuilder::with_table(1, self.table.clone());
        let mut number: HashMap<NodeId, u32, RandomState> = HashMap::default();
        let mut order = vec![self.root()];
        number.insert(self.root(), 0);
        let mut next = 0;
        // Where nothing is said: the constants are one state.
        let constant = |node: NodeId| self.nodes[node.index()].operands().is_empty();
        let mut end = None;
        let mut source = 0u32;
        while next < order.len() {
            let mut open = vec![order[next]];
            next += 1;
            while let Some(node) = open.pop() {
                let node = &self.nodes[node.index()];
                let (Node::Diamond(label, target) | Node::Box(label, target)) = *node else {
                    open.extend(node.operands().iter().rev());
                    continue;
                };
                let known = match constant(target) {
                    true => end.get_or_insert(target),
                    false => &target,
                };
                let number = *number.entry(*known).or_insert_with(|| {
                    order.push(*known);
                    order.len() as u32 - 1
                });
                builder.add(StateId::new(source), label, StateId::new(number));
            }
            source += 1;
        }
        builder.build(StateId::new(0))
    }

    /// Whether a state satisfies the formula. Labels are matched by text.
    ///
    /// Each subformula is evaluated at most once for each state that it is
    /// needed for: time and memory O(size · (states + transitions)), and much
    /// less where operands are decided early.
    pub fn holds(&self, lts: &Lts, state: StateId) -> bool {
        self.holds_within(lts, state, u64::MAX)
            .expect("as many steps as needed")
    }

    /// As [`Formula::holds`], but gives up (`None`) after about `steps` steps.
    pub fn holds_within(&self, lts: &Lts, state: StateId, steps: u64) -> Option<bool> {
        /// The evaluation of a node for a state, before its operand `next`.
        struct Frame {
            node: NodeId,
            state: StateId,
            next: usize,
        }
        let mut labels: Vec<Option<LabelId>> = vec![Some(LabelId::HIDDEN)];
        labels.extend(self.table.visible().map(|(_, t)| lts.table().find(t)));

        let mut known = HashMap::with_hasher(RandomState::default());
        let mut steps = steps;
        let start = |node, state| Frame {
            node,
            state,
            next: 0,
        };
        let mut stack = vec![start(self.root(), state)];
        // The value of the frame that was on top until now.
        let mut value: Option<bool> = None;
        while let Some(frame) = stack.last_mut() {
            steps = steps.checked_sub(1)?;
            let node = &self.nodes[frame.node.index()];
            // The value of an operand that decides the operator.
            let decisive = matches!(node, Node::Or(_) | Node::Diamond(..));
            let result = loop {
                if value.take() == Some(decisive) {
                    break Some(decisive);
                }
                let operand = match node {
                    Node::And(operands) | Node::Or(operands) => operands
                        .get(frame.next)
                        .map(|&operand| (operand, frame.state)),
                    // Its only operand decides it, or is its negation.
                    Node::Not(operand) => (frame.next == 0).then_some((*operand, frame.state)),
                    Node::Diamond(label, operand) | Node::Box(label, operand) => {
                        let row = lts.row(frame.state);
                        let first = row.start + frame.next;
                        let step = (first..row.end)
                            .find(|&e| Some(lts.labels()[e]) == labels[label.index()]);
                        steps = steps.checked_sub((step.unwrap_or(row.end) - first) as u64)?;
                        frame.next = step.unwrap_or(row.end) - row.start;
                        step.map(|e| (*operand, lts.targets()[e]))
                    }
                };
                let Some(operand) = operand else {
                    break Some(!decisive);
                };
                frame.next += 1;
                value = known.get(&operand).copied();
                if value.is_none() {
                    stack.push(start(operand.0, operand.1));
                    break None;
                }
                steps = steps.checked_sub(1)?;
            };
            if let Some(result) = result {
                let frame = stack.pop().expect("the frame on top");
                // A negation was decided like a conjunction of its operand.
                let result = result != matches!(self.nodes[frame.node.index()], Node::Not(_));
                known.insert((frame.node, frame.state), result);
                value = Some(result);
            }
        }
        value
    }

    /// Which nodes get a name of their own, so that no definition has more
    /// operators than about [`LINE`] (or than one operator with many operands
    /// needs) and no subformula of note is written twice.
    fn named(&self) -> Vec<bool> {
        let n = self.nodes.len();
        let mut tree_size = vec![0u64; n];
        for (k, node) in self.nodes.iter().enumerate() {
            let inner = node.operands().iter().map(|o| tree_size[o.index()]);
            tree_size[k] = inner.fold(1, u64::saturating_add);
        }
        let mut named = vec![false; n];
        if tree_size[n - 1] <= SMALL {
            return named;
        }
        named[n - 1] = true;
        let mut uses = vec![0u32; n];
        for node in &self.nodes {
            for o in node.operands() {
                uses[o.index()] = uses[o.index()].saturating_add(1);
            }
        }
        // The size of what is written where a node is used.
        let mut written = vec![1u64; n];
        for (k, node) in self.nodes.iter().enumerate() {
            let mut size = 1;
            for o in node.operands() {
                let o = o.index();
                if !named[o] && written[o] > 2 && size + written[o] > LINE {
                    named[o] = true;
                }
                size += if named[o] { 1 } else { written[o] };
            }
            written[k] = size;
            named[k] |= uses[k] > 1 && size > 2;
        }
        named
    }
}

/// Formulas of up to this many operators are printed without definitions.
const SMALL: u64 = 40;
/// The operators that a definition has at the most, if it can be helped.
const LINE: u64 = 16;

impl fmt::Display for Formula {
    /// Writes the formula, or its definitions one a line, without a newline at
    /// the end. O(size).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.named();
        let mut names = vec![0u32; self.nodes.len()];
        let mut next = 0;
        // Operators come after their operands: backwards, each use of a name
        // comes before its definition.
        for k in (0..self.nodes.len()).rev() {
            if named[k] {
                next += 1;
                names[k] = next;
            }
        }
        if next == 0 {
            return self.fmt_node(f, self.root(), &names);
        }
        for k in (0..self.nodes.len()).rev() {
            if named[k] {
                if k != self.root().index() {
                    f.write_str("\n")?;
                }
                write!(f, "X{} = ", names[k])?;
                self.fmt_node(f, NodeId(k as u32), &names)?;
            }
        }
        Ok(())
    }
}

impl Formula {
    /// Writes one node, with the names of those that have one.
    fn fmt_node(&self, f: &mut fmt::Formatter<'_>, top: NodeId, names: &[u32]) -> fmt::Result {
        enum Piece {
            Node(NodeId, Place),
            Text(&'static str),
        }
        /// What binds a subformula from outside.
        #[derive(Clone, Copy, PartialEq)]
        enum Place {
            Top,
            Operand,
            Prefixed,
        }
        let mut stack = vec![Piece::Node(top, Place::Top)];
        while let Some(piece) = stack.pop() {
            let (id, place) = match piece {
                Piece::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Piece::Node(id, place) => (id, place),
            };
            if id != top && names[id.index()] > 0 {
                write!(f, "X{}", names[id.index()])?;
                continue;
            }
            match &self.nodes[id.index()] {
                Node::And(operands) if operands.is_empty() => f.write_str("true")?,
                Node::Or(operands) if operands.is_empty() => f.write_str("false")?,
                node @ (Node::And(operands) | Node::Or(operands)) => {
                    // Conjunctions in disjunctions need no parentheses, but are
                    // read more easily with them.
                    if place != Place::Top {
                        f.write_str("(")?;
                        stack.push(Piece::Text(")"));
                    }
                    let between = match node {
                        Node::And(_) => " && ",
                        _ => " || ",
                    };
                    for (k, &operand) in operands.iter().enumerate().rev() {
                        stack.push(Piece::Node(operand, Place::Operand));
                        if k > 0 {
                            stack.push(Piece::Text(between));
                        }
                    }
                }
                Node::Not(operand) => {
                    f.write_str("!")?;
                    stack.push(Piece::Node(*operand, Place::Prefixed));
                }
                Node::Diamond(label, operand) => {
                    f.write_str("<")?;
                    fmt_label(f, &self.table, *label)?;
                    f.write_str(">")?;
                    stack.push(Piece::Node(*operand, Place::Prefixed));
                }
                Node::Box(label, operand) => {
                    f.write_str("[")?;
                    fmt_label(f, &self.table, *label)?;
                    f.write_str("]")?;
                    stack.push(Piece::Node(*operand, Place::Prefixed));
                }
            }
        }
        Ok(())
    }
}

/// A label as formulas spell it: in quotes and with escapes, or `i` for the
/// hidden action. Different labels are spelt differently, in one line.
#[derive(Clone, Copy, Debug)]
pub struct Action<'a> {
    /// The texts of labels.
    pub table: &'a LabelTable,
    /// The label.
    pub label: LabelId,
}

impl fmt::Display for Action<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt_label(f, self.table, self.label)
    }
}

fn fmt_label(f: &mut fmt::Formatter<'_>, table: &LabelTable, label: LabelId) -> fmt::Result {
    if label.is_hidden() {
        return f.write_str("i");
    }
    f.write_str("\"")?;
    for chunk in table.text(label).utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                c if c.is_ascii_control() => write!(f, "\\x{:02x}", c as u32)?,
                c => fmt::Write::write_char(f, c)?,
            }
        }
        for byte in chunk.invalid() {
            write!(f, "\\x{byte:02x}")?;
        }
    }
    f.write_str("\"")
}

/// Text that is not a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    /// Where, as a byte offset into the text.
    pub offset: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "formula, byte {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for FormulaError {}

impl std::str::FromStr for Formula {
    type Err = FormulaError;

    /// Parses the syntax of the [module](self). O(length).
    fn from_str(text: &str) -> Result<Self, FormulaError> {
        Parser::new(text)?.file()
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Name(String),
    Label(LabelId),
    /// One of `< > [ ] ( ) ! =`, or `&` for `&&` and `|` for `||`.
    Symbol(char),
    Newline,
    End,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Name(name) => write!(f, "`{name}`"),
            Token::Label(_) => f.write_str("a label"),
            Token::Symbol(c @ ('&' | '|')) => write!(f, "`{c}{c}`"),
            Token::Symbol(c) => write!(f, "`{c}`"),
            Token::Newline => f.write_str("the end of the line"),
            Token::End => f.write_str("the end"),
        }
    }
}

struct Parser {
    builder: FormulaBuilder,
    tokens: Vec<(usize, Token)>,
    next: usize,
    defined: HashMap<String, NodeId>,
}

/// An operator that still waits for (the last of) its operands.
enum Waiting {
    Open,
    Not,
    Diamond(LabelId),
    Box(LabelId),
    /// With the number of operands.
    And(usize),
    Or(usize),
}

impl Parser {
    fn new(text: &str) -> Result<Self, FormulaError> {
        let mut builder = FormulaBuilder::new();
        let tokens = tokens(text, &mut builder)?;
        Ok(Self {
            builder,
            tokens,
            next: 0,
            defined: HashMap::new(),
        })
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.next].1
    }

    fn take(&mut self) -> Token {
        let token = self.peek().clone();
        if token != Token::End {
            self.next += 1;
        }
        token
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, FormulaError> {
        Err(FormulaError {
            offset: self.tokens[self.next].0,
            message: message.into(),
        })
    }

    fn expect(&mut self, symbol: char) -> Result<(), FormulaError> {
        if *self.peek() != Token::Symbol(symbol) {
            let found = self.peek().clone();
            return self.error(format!("expected `{symbol}`, found {found}"));
        }
        self.next += 1;
        Ok(())
    }

    fn file(mut self) -> Result<Formula, FormulaError> {
        // Where each line starts, without empty ones.
        let mut lines = Vec::new();
        let mut fresh = true;
        for (k, (_, token)) in self.tokens.iter().enumerate() {
            match token {
                Token::Newline => fresh = true,
                Token::End => {}
                _ if fresh => {
                    lines.push(k);
                    fresh = false;
                }
                _ => {}
            }
        }
        let defines = |k: usize| self.tokens[k + 1].1 == Token::Symbol('=');
        if !lines.first().is_some_and(|&k| defines(k)) {
            self.next = lines.first().copied().unwrap_or(0);
            let root = self.formula()?;
            while *self.peek() == Token::Newline {
                self.next += 1;
            }
            if *self.peek() != Token::End {
                return self.error("a second formula; several need names");
            }
            return Ok(self.builder.build(root));
        }
        // A name is used before its line: the last line comes first.
        let mut root = None;
        for &line in lines.iter().rev() {
            self.next = line;
            let Token::Name(name) = self.take() else {
                self.next = line;
                return self.error("expected a name and `=`");
            };
            self.expect('=')?;
            let node = self.formula()?;
            if self.defined.insert(name, node).is_some() {
                self.next = line;
                return self.error("the name is defined again on a later line");
            }
            root = Some(node);
        }
        Ok(self.builder.build(root.expect("there is a first line")))
    }

    /// A formula up to the end of its line, by operator precedence with
    /// explicit stacks.
    fn formula(&mut self) -> Result<NodeId, FormulaError> {
        let mut operands: Vec<NodeId> = Vec::new();
        let mut waiting: Vec<Waiting> = Vec::new();
        loop {
            // In front of an operand.
            match self.peek().clone() {
                Token::Symbol('(') => {
                    self.next += 1;
                    waiting.push(Waiting::Open);
                    continue;
                }
                Token::Symbol('!') => {
                    self.next += 1;
                    waiting.push(Waiting::Not);
                    continue;
                }
                Token::Symbol(open @ ('<' | '[')) => {
                    self.next += 1;
                    let label = self.action()?;
                    if open == '<' {
                        self.expect('>')?;
                        waiting.push(Waiting::Diamond(label));
                    } else {
                        self.expect(']')?;
                        waiting.push(Waiting::Box(label));
                    }
                    continue;
                }
                Token::Name(name) => {
                    operands.push(match name.as_str() {
                        "true" => self.builder.and([]),
                        "false" => self.builder.or([]),
                        _ => match self.defined.get(&name) {
                            Some(&node) => node,
                            None => {
                                return self.error(format!("no later line defines `{name}`"));
                            }
                        },
                    });
                    self.next += 1;
                }
                found => return self.error(format!("expected a formula, found {found}")),
            }
            // Behind an operand.
            loop {
                self.reduce_prefixes(&mut operands, &mut waiting);
                match self.peek() {
                    Token::Symbol('&') => {
                        match waiting.last_mut() {
                            Some(Waiting::And(count)) => *count += 1,
                            _ => waiting.push(Waiting::And(2)),
                        }
                        self.next += 1;
                        break;
                    }
                    Token::Symbol('|') => {
                        self.reduce_and(&mut operands, &mut waiting);
                        match waiting.last_mut() {
                            Some(Waiting::Or(count)) => *count += 1,
                            _ => waiting.push(Waiting::Or(2)),
                        }
                        self.next += 1;
                        break;
                    }
                    Token::Symbol(')') => {
                        self.reduce_and(&mut operands, &mut waiting);
                        self.reduce_or(&mut operands, &mut waiting);
                        if !matches!(waiting.pop(), Some(Waiting::Open)) {
                            return self.error("`)` without `(`");
                        }
                        self.next += 1;
                    }
                    Token::Newline | Token::End => {
                        self.reduce_and(&mut operands, &mut waiting);
                        self.reduce_or(&mut operands, &mut waiting);
                        if !waiting.is_empty() {
                            return self.error("`(` without `)`");
                        }
                        return Ok(operands.pop().expect("the operand before the end"));
                    }
                    found => {
                        let found = found.clone();
                        return self
                            .error(format!("expected `&&`, `||` or the end, found {found}"));
                    }
                }
            }
        }
    }

    fn action(&mut self) -> Result<LabelId, FormulaError> {
        match self.peek().clone() {
            Token::Label(label) => {
                self.next += 1;
                Ok(label)
            }
            Token::Name(name) if name == "i" || name == "tau" => {
                self.next += 1;
                Ok(LabelId::HIDDEN)
            }
            found => self.error(format!(
                "expected a label in double quotes or `i`, found {found}"
            )),
        }
    }

    fn reduce_prefixes(&mut self, operands: &mut [NodeId], waiting: &mut Vec<Waiting>) {
        let last = operands.last_mut().expect("stands behind an operand");
        loop {
            *last = match waiting.last() {
                Some(Waiting::Not) => self.builder.not(*last),
                Some(&Waiting::Diamond(label)) => self.builder.diamond(label, *last),
                Some(&Waiting::Box(label)) => self.builder.boxed(label, *last),
                _ => return,
            };
            waiting.pop();
        }
    }

    fn reduce_and(&mut self, operands: &mut Vec<NodeId>, waiting: &mut Vec<Waiting>) {
        if let Some(&Waiting::And(count)) = waiting.last() {
            waiting.pop();
            let first = operands.len() - count;
            let node = self.builder.and(operands.drain(first..));
            operands.push(node);
        }
    }

    fn reduce_or(&mut self, operands: &mut Vec<NodeId>, waiting: &mut Vec<Waiting>) {
        if let Some(&Waiting::Or(count)) = waiting.last() {
            waiting.pop();
            let first = operands.len() - count;
            let node = self.builder.or(operands.drain(first..));
            operands.push(node);
        }
    }
}

/// Splits the text into tokens, each with its offset; the last is the end.
fn tokens(text: &str, builder: &mut FormulaBuilder) -> Result<Vec<(usize, Token)>, FormulaError> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        at += 1;
        let token = match bytes[start] {
            b' ' | b'\t' | b'\r' => continue,
            b'\n' => Token::Newline,
            c @ (b'<' | b'>' | b'[' | b']' | b'(' | b')' | b'!' | b'=') => Token::Symbol(c.into()),
            c @ (b'&' | b'|') if bytes.get(at) == Some(&c) => {
                at += 1;
                Token::Symbol(c.into())
            }
            b'"' => {
                let (label, end) = label_text(bytes, at)?;
                at = end;
                Token::Label(builder.label(&label).map_err(|error| FormulaError {
                    offset: start,
                    message: error.to_string(),
                })?)
            }
            c if c.is_ascii_alphabetic() || c == b'_' => {
                while bytes
                    .get(at)
                    .is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_')
                {
                    at += 1;
                }
                Token::Name(text[start..at].to_owned())
            }
            _ => {
                let found = text[start..].chars().next().unwrap_or_default();
                return Err(FormulaError {
                    offset: start,
                    message: format!("unexpected {found:?}"),
                });
            }
        };
        tokens.push((start, token));
    }
    tokens.push((bytes.len(), Token::End));
    Ok(tokens)
}

/// The label whose opening quote is before `start`, without escapes, and where
/// it ends.
fn label_text(bytes: &[u8], start: usize) -> Result<(Vec<u8>, usize), FormulaError> {
    let mut label = Vec::new();
    let mut at = start;
    loop {
        match bytes.get(at) {
            None | Some(b'\n') => {
                return Err(FormulaError {
                    offset: start - 1,
                    message: "no closing quote on the line".to_owned(),
                });
            }
            Some(b'"') => return Ok((label, at + 1)),
            Some(b'\\') => {
                let escape = bytes.get(at + 1);
                let hex = || {
                    let digits = std::str::from_utf8(bytes.get(at + 2..at + 4)?).ok()?;
                    let plain = digits.bytes().all(|d| d.is_ascii_hexdigit());
                    plain.then(|| u8::from_str_radix(digits, 16).ok())?
                };
                let (byte, length) = match escape {
                    Some(c @ (b'"' | b'\\')) => (Some(*c), 2),
                    Some(b'n') => (Some(b'\n'), 2),
                    Some(b'r') => (Some(b'\r'), 2),
                    Some(b't') => (Some(b'\t'), 2),
                    Some(b'x') => (hex(), 4),
                    _ => (None, 0),
                };
                let Some(byte) = byte else {
                    return Err(FormulaError {
                        offset: at,
                        message: "unknown escape in a label".to_owned(),
                    });
                };
                label.push(byte);
                at += length;
            }
            Some(&c) => {
                label.push(c);
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyades_formats::LtsBuilder;

    fn parse(text: &str) -> Formula {
        text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    /// 0 -a-> 1, 0 -a-> 2, 1 -b-> 0, 2 -i-> 2
    fn small() -> Lts {
        let mut b = LtsBuilder::new(3);
        b.add_text(0, b"a", 1).unwrap();
        b.add_text(0, b"a", 2).unwrap();
        b.add_text(1, b"b", 0).unwrap();
        b.add(StateId::new(2), LabelId::HIDDEN, StateId::new(2));
        b.build(StateId::new(0)).unwrap()
    }

    #[test]
    fn meaning_of_the_operators() {
        let lts = small();
        for (formula, expected) in [
            ("true", [true, true, true]),
            ("false", [false, false, false]),
            ("!true", [false, false, false]),
            ("!!<\"a\">true", [true, false, false]),
            ("<\"a\">true", [true, false, false]),
            ("[\"a\"]false", [false, true, true]),
            ("<\"a\"><\"b\">true", [true, false, false]),
            ("[\"a\"]<\"b\">true", [false, true, true]),
            ("<i>true", [false, false, true]),
            ("<tau><i>true", [false, false, true]),
            ("<\"i\">true", [false, false, false]),
            ("<\"a\">true || <i>true && false", [true, false, false]),
            ("(<\"a\">true || <i>true) && false", [false, false, false]),
            ("!<\"a\">true && true", [false, true, true]),
            ("[\"a\"](<\"b\">true || <i>true)", [true, true, true]),
            ("[\"c\"]false && ![\"c\"]false", [false, false, false]),
            (
                "\n\nX = [\"a\"]Y\nY = !Z\n\nZ=<i>true\n",
                [false, true, true],
            ),
        ] {
            let parsed = parse(formula);
            let found = [0, 1, 2].map(|s| parsed.holds(&lts, StateId::new(s)));
            assert_eq!(found, expected, "{formula}");
        }
    }

    #[test]
    fn small_formulas_print_as_trees() {
        for text in [
            "true",
            "false",
            "!<i>true",
            "<\"a\">(<\"b\">true && [\"c\"]false)",
            "(<\"a\">true && <\"b\">true) || [i](false || true)",
            "<\"a\">(<\"b\">true && <\"c\">true && <\"d\">true) && true",
            r#"<"a \"quoted\" \\ label\n\t\r\x00\xff é">true"#,
        ] {
            assert_eq!(parse(text).to_string(), text);
        }
        assert_eq!(
            parse("<\"a\">true && (<\"b\">true || ((true)))").to_string(),
            "<\"a\">true && (<\"b\">true || true)"
        );
    }

    #[test]
    fn large_formulas_print_as_definitions_that_parse_back() {
        let mut b = FormulaBuilder::new();
        let [l, r] = [b"l", b"r"].map(|l| b.label(l).unwrap());
        // As a tree this has 2^50 leaves.
        let mut node = b.and([]);
        for _ in 0..50 {
            let (left, right) = (b.diamond(l, node), b.boxed(r, node));
            node = b.and([left, right]);
        }
        let formula = b.build(node);
        assert_eq!(formula.depth(), 50);
        let text = formula.to_string();
        assert!(text.starts_with("X1 = "), "{text}");
        assert!(text.lines().count() <= 50, "{text}");
        let back = parse(&text);
        assert_eq!(back.size(), formula.size());
        assert_eq!(back.to_string(), text);
    }

    #[test]
    fn deep_formulas_need_no_deep_stack() {
        let depth = 300_000;
        let mut b = FormulaBuilder::new();
        let a = b.label(b"a").unwrap();
        let mut node = b.or([]);
        for _ in 0..depth {
            node = b.boxed(a, node);
            node = b.not(node);
        }
        let formula = b.build(node);
        assert_eq!(formula.depth(), depth);
        let text = formula.to_string();
        assert!(text.lines().all(|line| line.len() < 200));
        assert_eq!(parse(&text).to_string(), text);
        let nested = format!("{}true{}", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(parse(&nested).size(), 1);

        let mut chain = LtsBuilder::new(0);
        for s in 0..depth as u32 {
            chain.add_text(s, b"a", s + 1).unwrap();
        }
        let chain = chain.build(StateId::new(0)).unwrap();
        // ![a]![a]…false: true at an odd distance from where no step is left.
        let at = |s: usize| formula.holds(&chain, StateId::from_index(s));
        assert_eq!([at(0), at(1), at(2)], [false, true, false]);
        assert_eq!(formula.holds_within(&chain, StateId::new(0), 10), None);
    }

    #[test]
    fn what_is_no_formula_is_refused_with_its_place() {
        for (text, offset) in [
            ("", 0),
            ("  ", 2),
            ("<\"a\">", 5),
            ("<a>true", 1),
            ("<\"a\"]true", 4),
            ("<\"a>true", 1),
            ("<\"\\q\">true", 2),
            ("<\"\\x+1\">true", 2),
            ("true &&", 7),
            ("true & true", 5),
            ("(true", 5),
            ("true)", 4),
            ("true true", 5),
            ("true\ntrue", 5),
            ("X1 = X2", 5),
            ("X1 = X1", 5),
            ("X1 = X2\ntrue\nX2 = true", 12),
            ("X1 = true\nX1 = false", 0),
            ("# comment", 0),
        ] {
            let error = text.parse::<Formula>().unwrap_err();
            assert_eq!(error.offset, offset, "{text:?}: {error}");
        }
    }
}
