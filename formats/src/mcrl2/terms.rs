//! The second layer: packets, which make a growing table of function symbols
//! and shared terms, and deliver terms and numbers.

use std::fmt;

use super::bits::{BitError, BitReader};

/// A shared term, by its place in the table.
pub(super) type TermId = u32;
/// A function symbol, by its place in the table.
pub(super) type SymbolId = u32;

/// What a function symbol means, if it is one that readers know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// The symbol that stands for the end, number 0 in every table.
    End,
    Int,
    EmptyList,
    Cons,
    Lts,
    Transition,
    ProbabilisticTransition,
    InitialState,
    MultiAction,
    Action,
    ActionId,
    Variable,
    /// A constant or function, with or without an index after its sort.
    Function,
    Application,
    Binder,
    Node,
    SingleNode,
    EmptyTree,
    Sort,
    SortArrow,
    SortContainer,
    Other,
}

impl Kind {
    fn of(name: &[u8], arity: u64) -> Self {
        match (name, arity) {
            (b"<aterm_int>", 0) => Kind::Int,
            (b"<empty_list>", 0) => Kind::EmptyList,
            (b"<list_constructor>", 2) => Kind::Cons,
            (b"labelled_transition_system", 0) => Kind::Lts,
            (b"transition", 0) => Kind::Transition,
            (b"probabilistic_transition", 0) => Kind::ProbabilisticTransition,
            (b"initial_state", 0) => Kind::InitialState,
            (b"TimedMultAct", 2) => Kind::MultiAction,
            (b"Action", 2) => Kind::Action,
            (b"ActId", 2) => Kind::ActionId,
            (b"DataVarId", 2) => Kind::Variable,
            (b"OpIdNoIndex", 2) | (b"OpId", 3) => Kind::Function,
            (b"DataAppl", 1..) => Kind::Application,
            (b"Binder", 3) => Kind::Binder,
            (b"@node@", 2) => Kind::Node,
            (b"@single_node@", 1) => Kind::SingleNode,
            (b"@empty@", 0) => Kind::EmptyTree,
            (b"SortId", 1) => Kind::Sort,
            (b"SortArrow", 2) => Kind::SortArrow,
            (b"SortCons", 2) => Kind::SortContainer,
            _ => Kind::Other,
        }
    }
}

struct Symbol {
    /// Where its name ends in `names`; it begins where the one before ends.
    end: usize,
    arity: usize,
    kind: Kind,
}

/// A table of function symbols and terms. Arguments of a term come before it,
/// so that there are no cycles; but terms may be deep, and large when written
/// out, so that nothing here recurses.
pub(super) struct Terms {
    symbols: Vec<Symbol>,
    names: Vec<u8>,
    nodes: Vec<Node>,
    /// The arguments of all terms, one after the other.
    arguments: Vec<TermId>,
    /// The values of all numbers.
    numbers: Vec<u64>,
}

#[derive(Clone, Copy)]
struct Node {
    symbol: SymbolId,
    /// Where its arguments begin; for a number, where its value is.
    first: u32,
}

/// A term: a function symbol and its arguments.
#[derive(Clone, Copy)]
pub(super) struct Term<'a> {
    pub symbol: SymbolId,
    pub kind: Kind,
    pub arguments: &'a [TermId],
}

impl Terms {
    /// A table with the symbol for the end.
    pub fn new() -> Self {
        Self {
            symbols: vec![Symbol {
                end: 0,
                arity: 0,
                kind: Kind::End,
            }],
            names: Vec::new(),
            nodes: Vec::new(),
            arguments: Vec::new(),
            numbers: Vec::new(),
        }
    }

    /// The number of symbols.
    #[inline]
    pub fn symbols(&self) -> usize {
        self.symbols.len()
    }

    /// The number of terms.
    #[inline]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a symbol; its name is what `names` grew by.
    fn push_symbol(&mut self, arity: u64) {
        let start = self.symbols[self.symbols.len() - 1].end;
        let kind = Kind::of(&self.names[start..], arity);
        self.symbols.push(Symbol {
            end: self.names.len(),
            arity: usize::try_from(arity).unwrap_or(usize::MAX),
            kind,
        });
    }

    /// Adds a symbol.
    pub fn add_symbol(&mut self, name: &[u8], arity: usize) -> SymbolId {
        self.names.extend_from_slice(name);
        self.push_symbol(arity as u64);
        self.symbols.len() as SymbolId - 1
    }

    /// Adds a term.
    pub fn add(&mut self, symbol: SymbolId, arguments: &[TermId]) -> TermId {
        debug_assert_eq!(self.symbols[symbol as usize].arity, arguments.len());
        let first = self.arguments.len() as u32;
        self.arguments.extend_from_slice(arguments);
        self.nodes.push(Node { symbol, first });
        self.nodes.len() as TermId - 1
    }

    fn add_number(&mut self, symbol: SymbolId, value: u64) {
        let first = self.numbers.len() as u32;
        self.numbers.push(value);
        self.nodes.push(Node { symbol, first });
    }

    /// The name of a symbol.
    pub fn name(&self, symbol: SymbolId) -> &[u8] {
        let symbol = symbol as usize;
        let start = match symbol {
            0 => 0,
            _ => self.symbols[symbol - 1].end,
        };
        &self.names[start..self.symbols[symbol].end]
    }

    /// The number of arguments of a symbol.
    #[inline]
    pub fn arity(&self, symbol: SymbolId) -> usize {
        self.symbols[symbol as usize].arity
    }

    /// What a symbol means.
    #[inline]
    pub fn symbol_kind(&self, symbol: SymbolId) -> Kind {
        self.symbols[symbol as usize].kind
    }

    /// The term with this number.
    #[inline]
    pub fn term(&self, id: TermId) -> Term<'_> {
        let Node { symbol, first } = self.nodes[id as usize];
        let Symbol { arity, kind, .. } = self.symbols[symbol as usize];
        let first = first as usize;
        Term {
            symbol,
            kind,
            arguments: match arity {
                0 => &[],
                _ => &self.arguments[first..first + arity],
            },
        }
    }

    /// What the symbol of a term means.
    pub fn kind(&self, id: TermId) -> Kind {
        self.term(id).kind
    }

    /// The name of the symbol of a term. For a constant this is the text that
    /// it stands for.
    pub fn text(&self, id: TermId) -> &[u8] {
        self.name(self.nodes[id as usize].symbol)
    }

    /// The value of a number.
    pub fn number(&self, id: TermId) -> Option<u64> {
        let Node { symbol, first } = self.nodes[id as usize];
        match self.symbol_kind(symbol) {
            Kind::Int => Some(self.numbers[first as usize]),
            _ => None,
        }
    }

    /// The elements of a list, and whether it ends as lists do.
    pub fn list<'a>(&'a self, list: Term<'a>) -> List<'a> {
        List { terms: self, list }
    }

    /// Whether two terms are equal, though they stand in different places.
    /// Ends at the first difference; looks at no pair of subterms twice.
    pub fn same(&self, a: TermId, b: TermId) -> bool {
        let mut seen = std::collections::HashSet::new();
        let mut pairs = vec![(a, b)];
        while let Some((a, b)) = pairs.pop() {
            if a == b || !seen.insert((a, b)) {
                continue;
            }
            let (x, y) = (self.term(a), self.term(b));
            if x.arguments.len() != y.arguments.len()
                || self.number(a) != self.number(b)
                || (x.symbol != y.symbol && self.name(x.symbol) != self.name(y.symbol))
            {
                return false;
            }
            pairs.extend(x.arguments.iter().copied().zip(y.arguments.iter().copied()));
        }
        true
    }
}

/// The elements of a list, one after the other.
#[derive(Clone, Copy)]
pub(super) struct List<'a> {
    terms: &'a Terms,
    list: Term<'a>,
}

impl List<'_> {
    /// After all elements: whether the list ended as lists do.
    pub fn is_proper(&self) -> bool {
        self.list.kind == Kind::EmptyList
    }
}

impl Iterator for List<'_> {
    type Item = TermId;

    fn next(&mut self) -> Option<TermId> {
        match (self.list.kind, self.list.arguments) {
            (Kind::Cons, &[head, tail]) => {
                self.list = self.terms.term(tail);
                Some(head)
            }
            _ => None,
        }
    }
}

/// How many bits tell one of `n` things apart, one at the least.
#[inline]
pub(super) fn width(n: usize) -> u32 {
    usize::BITS - (n | 1).leading_zeros()
}

/// The tags of packets.
pub(super) mod tag {
    pub const SYMBOL: u64 = 0;
    pub const SHARED: u64 = 1;
    pub const OUTPUT: u64 = 2;
    pub const NUMBER: u64 = 3;
}

/// Why a stream cannot be decoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fault {
    /// The kind of diagnostic.
    pub code: &'static str,
    /// The first bit of the field concerned.
    pub bit: u64,
    pub text: String,
}

impl Fault {
    pub fn syntax(bit: u64, text: impl Into<String>) -> Self {
        Self {
            code: "lts-syntax",
            bit,
            text: text.into(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}", self.bit / 8)?;
        if !self.bit.is_multiple_of(8) {
            write!(f, ", bit {}", self.bit % 8)?;
        }
        write!(f, ": {}", self.text)
    }
}

/// What a stream delivers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Packet {
    /// A term, which is [`Decoder::output`] until the next packet; this is
    /// what its symbol means.
    Term(Kind),
    Number(u64),
    End,
}

/// Decodes a stream of packets.
pub(super) struct Decoder<'a> {
    bits: BitReader<'a>,
    terms: Terms,
    /// The widths of numbers of symbols and terms.
    symbol_width: u32,
    term_width: u32,
    /// Where the packet begins that was delivered last.
    at: u64,
    output: SymbolId,
    arguments: Vec<TermId>,
}

impl<'a> Decoder<'a> {
    /// A decoder for what comes after `header` bytes.
    pub fn new(bytes: &'a [u8], header: usize) -> Self {
        let mut bits = BitReader::new(bytes);
        for _ in 0..header {
            // a shorter file ends there, which the first packet tells
            let _ = bits.bits(8);
        }
        Self {
            bits,
            terms: Terms::new(),
            symbol_width: width(1),
            term_width: width(0),
            at: 0,
            output: 0,
            arguments: Vec::new(),
        }
    }

    /// The table so far.
    #[inline]
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The term that was delivered last.
    #[inline]
    pub fn output(&self) -> Term<'_> {
        Term {
            symbol: self.output,
            kind: self.terms.symbol_kind(self.output),
            arguments: &self.arguments,
        }
    }

    /// Where the packet begins that was delivered last.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// How many bytes have been decoded.
    pub fn bytes(&self) -> u64 {
        self.bits.position() / 8
    }

    /// What comes next.
    ///
    /// # Errors
    /// If the file ends before it should, or is none of this kind.
    #[inline]
    pub fn next(&mut self) -> Result<Packet, Fault> {
        loop {
            self.at = self.bits.position();
            match self.bits.bits(2).map_err(|e| self.fault(e))? {
                tag::NUMBER => {
                    let value = self.bits.varint().map_err(|e| self.fault(e))?;
                    return Ok(Packet::Number(value));
                }
                tag::OUTPUT => {
                    let symbol = self.symbol()?;
                    let kind = self.terms.symbol_kind(symbol);
                    if matches!(kind, Kind::End | Kind::Int) {
                        return Err(Fault::syntax(
                            self.at,
                            "a term of a symbol that no output may have",
                        ));
                    }
                    self.output = symbol;
                    self.arguments.clear();
                    let mut arguments = std::mem::take(&mut self.arguments);
                    let read = self.arguments(symbol, &mut arguments);
                    self.arguments = arguments;
                    read?;
                    return Ok(Packet::Term(kind));
                }
                tag::SHARED => {
                    let symbol = self.symbol()?;
                    if symbol == 0 {
                        return Ok(Packet::End);
                    }
                    self.shared(symbol)?;
                }
                _ => self.new_symbol()?,
            }
        }
    }

    fn fault(&self, error: BitError) -> Fault {
        match error {
            BitError::End => Fault {
                code: "lts-truncated",
                bit: self.at,
                text: "the file ends within what begins here: it is truncated".into(),
            },
            BitError::Overflow => Fault::syntax(self.at, "a number of more than 64 bits"),
        }
    }

    /// The number of a symbol.
    #[inline]
    fn symbol(&mut self) -> Result<SymbolId, Fault> {
        let width = self.symbol_width;
        let symbol = self.bits.bits(width).map_err(|e| self.fault(e))?;
        if symbol >= self.terms.symbols() as u64 {
            return Err(Fault::syntax(
                self.at,
                format!(
                    "function symbol {symbol} of {}: the file is damaged",
                    self.terms.symbols()
                ),
            ));
        }
        Ok(symbol as SymbolId)
    }

    /// Appends the arguments of a term.
    #[inline]
    fn arguments(&mut self, symbol: SymbolId, arguments: &mut Vec<TermId>) -> Result<(), Fault> {
        let arity = self.terms.arity(symbol);
        let width = self.term_width;
        if arity as u64 > self.bits.left() / u64::from(width) {
            return Err(self.fault(BitError::End));
        }
        for _ in 0..arity {
            let argument = self.bits.bits(width).map_err(|e| self.fault(e))?;
            if argument >= self.terms.len() as u64 {
                return Err(Fault::syntax(
                    self.at,
                    format!(
                        "argument {argument} of {} shared terms: the file is damaged",
                        self.terms.len()
                    ),
                ));
            }
            arguments.push(argument as TermId);
        }
        Ok(())
    }

    fn shared(&mut self, symbol: SymbolId) -> Result<(), Fault> {
        if self.terms.symbol_kind(symbol) == Kind::Int {
            let value = self.bits.varint().map_err(|e| self.fault(e))?;
            self.terms.add_number(symbol, value);
        } else {
            let mut arguments = std::mem::take(&mut self.terms.arguments);
            let first = arguments.len();
            let read = self.arguments(symbol, &mut arguments);
            self.terms.arguments = arguments;
            read?;
            let first = self.small(first)?;
            self.terms.nodes.push(Node { symbol, first });
        }
        self.small(self.terms.len())?;
        self.term_width = width(self.terms.len());
        Ok(())
    }

    /// As a number of 32 bits.
    fn small(&self, n: usize) -> Result<u32, Fault> {
        u32::try_from(n)
            .map_err(|_| Fault::syntax(self.at, "more than 2^32 shared terms are not supported"))
    }

    fn new_symbol(&mut self) -> Result<(), Fault> {
        let read = self.bits.string(&mut self.terms.names);
        let arity = read.and_then(|()| self.bits.varint());
        let arity = arity.map_err(|e| self.fault(e))?;
        self.terms.push_symbol(arity);
        self.small(self.terms.symbols())?;
        self.symbol_width = width(self.terms.symbols());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths() {
        let widths: Vec<_> = (0..10).map(width).collect();
        assert_eq!(widths, [1, 1, 2, 2, 3, 3, 3, 3, 4, 4]);
        assert_eq!(width(1 << 31), 32);
    }

    #[test]
    fn equal_terms_in_different_places() {
        let mut terms = Terms::new();
        let f = terms.add_symbol(b"f", 2);
        let also_f = terms.add_symbol(b"f", 2);
        let a = terms.add_symbol(b"a", 0);
        let b = terms.add_symbol(b"b", 0);
        let mut left = terms.add(a, &[]);
        let mut right = terms.add(a, &[]);
        let other = terms.add(b, &[]);
        // written out this would be 2^200 symbols
        for _ in 0..200 {
            left = terms.add(f, &[left, left]);
            right = terms.add(also_f, &[right, right]);
        }
        assert!(terms.same(left, right));
        let odd = terms.add(f, &[right, other]);
        let left = terms.add(f, &[left, left]);
        assert!(!terms.same(left, odd));
    }
}
