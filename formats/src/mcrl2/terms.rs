//! A table of function symbols and shared terms.

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
    fn of(name: &[u8], arity: usize) -> Self {
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

    /// Adds a symbol.
    pub fn add_symbol(&mut self, name: &[u8], arity: usize) -> SymbolId {
        self.names.extend_from_slice(name);
        self.symbols.push(Symbol {
            end: self.names.len(),
            arity,
            kind: Kind::of(name, arity),
        });
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

    /// Adds a number.
    pub fn add_number(&mut self, symbol: SymbolId, value: u64) {
        let first = self.numbers.len() as u32;
        self.numbers.push(value);
        self.nodes.push(Node { symbol, first });
    }

    /// Whether 32 bits cannot count more.
    pub fn is_full(&self) -> bool {
        let most = u32::MAX as usize;
        self.nodes.len() >= most || self.arguments.len() >= most || self.symbols.len() >= most
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

#[cfg(test)]
mod tests {
    use super::*;

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
