//! How terms read: multi-actions, data and sorts in the syntax of mCRL2.
//!
//! What is written here as mCRL2 writes it: constants, functions of the user,
//! numbers, lists, finite sets and bags, function updates, abstractions. Other
//! operators are written as functions, `+(1, x)`, which is
//! [approximate](Text::approximate).

use super::number::{call, natural};
use super::terms::{Kind, Term, TermId, Terms};
use crate::diagnostic::{counted, excerpt};

/// A term in words.
#[derive(Default)]
pub(super) struct Text {
    pub bytes: Vec<u8>,
    /// Whether mCRL2 would write it differently.
    pub approximate: bool,
}

/// Why a term cannot be written out.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unprintable {
    /// A multi-action with a time.
    Timed,
    /// A term where another kind is expected.
    Kind {
        expected: &'static str,
        found: String,
    },
    /// The text would be too long.
    TooLong,
    /// The texts of all terms together would be.
    AllTooLong,
    /// A number is too large for its digits to be worked out.
    LargeNumber,
}

/// Terms are shared, so that a few bytes of a file may stand for texts of any
/// length: how long they may be is told for each term and for all together.
pub(super) struct Allowance {
    /// How many bytes one term may have, and how many steps it may take.
    one: usize,
    /// What is left of this for all terms.
    all: usize,
}

/// Bytes and steps for all terms, for each byte of a file.
const FOR_EACH_BYTE: usize = 1 << 10;

impl Allowance {
    /// For terms of at most `one` bytes, from a file of `file` bytes.
    pub fn new(one: usize, file: usize) -> Self {
        Self {
            one,
            all: Self::total(one, file),
        }
    }

    /// How much all terms together may take.
    pub fn total(one: usize, file: usize) -> usize {
        one.saturating_add(file.saturating_mul(FOR_EACH_BYTE))
    }

    /// Counts bytes or steps of work.
    pub fn spend(&mut self, steps: usize) -> Result<(), Unprintable> {
        let left = self.all.checked_sub(steps);
        self.all = left.ok_or(Unprintable::AllTooLong)?;
        Ok(())
    }
}

/// What is still to be written, the next at the end.
enum Item {
    Data(TermId),
    Sort(TermId),
    /// A sort on the left of an arrow.
    Domain(TermId),
    /// A term that is written symbol by symbol.
    Raw(TermId),
    Text(&'static str),
}

/// Writes out terms; subterms wait on a stack of its own.
pub(super) struct Printer<'a> {
    terms: &'a Terms,
    text: Text,
    stack: Vec<Item>,
    /// How much may still be written or looked at.
    left: usize,
    allowance: &'a mut Allowance,
}

impl<'a> Printer<'a> {
    /// A printer of texts that are not longer than this allows.
    pub fn new(terms: &'a Terms, allowance: &'a mut Allowance) -> Self {
        Self {
            terms,
            text: Text::default(),
            stack: Vec::new(),
            left: allowance.one,
            allowance,
        }
    }

    /// A multi-action without time, of which these are the arguments. The empty
    /// one reads `tau`.
    ///
    /// # Errors
    /// If it is none, or none without time.
    pub fn multi_action(mut self, actions: TermId, time: TermId) -> Result<Text, Unprintable> {
        if !is_untimed(self.terms, time) {
            return Err(Unprintable::Timed);
        }
        let mut parts = Vec::new();
        let mut list = self.terms.list(self.terms.term(actions));
        for action in list.by_ref() {
            let start = self.text.bytes.len();
            let name = self.action(action)?;
            parts.push((name, start..self.text.bytes.len()));
        }
        if !list.is_proper() {
            return Err(self.unexpected("a list of actions", actions));
        }
        match parts.len() {
            0 => self.text.bytes.extend_from_slice(b"tau"),
            1 => {}
            _ => {
                // a bag: those of one name are in no order
                let text = &self.text.bytes;
                let mut parts: Vec<(&[u8], &[u8])> = parts
                    .into_iter()
                    .map(|(name, part)| (name, &text[part]))
                    .collect();
                parts.sort_unstable();
                let parts: Vec<&[u8]> = parts.into_iter().map(|(_, part)| part).collect();
                self.text.bytes = parts.join(&b'|');
            }
        }
        Ok(self.text)
    }

    /// Writes an action; gives its name.
    fn action(&mut self, id: TermId) -> Result<&'a [u8], Unprintable> {
        let terms = self.terms;
        let parts = |term: Term<'a>, kind| match *term.arguments {
            [a, b] if term.kind == kind => Some((a, b)),
            _ => None,
        };
        let action = parts(terms.term(id), Kind::Action);
        let named = action.and_then(|(label, arguments)| {
            let (name, _) = parts(terms.term(label), Kind::ActionId)?;
            Some((terms.text(name), arguments))
        });
        let Some((name, arguments)) = named else {
            return Err(self.unexpected("an action", id));
        };
        self.spend(1)?;
        self.push(name)?;
        let mut list = terms.list(terms.term(arguments));
        let mut separator = "(";
        for argument in list.by_ref() {
            self.push(separator.as_bytes())?;
            self.stack.push(Item::Data(argument));
            self.run()?;
            separator = ", ";
        }
        if !list.is_proper() {
            return Err(self.unexpected("a list of data", arguments));
        }
        if separator == ", " {
            self.push(b")")?;
        }
        Ok(name)
    }

    /// A data expression.
    ///
    /// # Errors
    /// If it is none.
    pub fn data(mut self, id: TermId) -> Result<Text, Unprintable> {
        self.stack.push(Item::Data(id));
        self.run()?;
        Ok(self.text)
    }

    /// A sort.
    ///
    /// # Errors
    /// If it is none.
    pub fn sort(mut self, id: TermId) -> Result<Text, Unprintable> {
        self.stack.push(Item::Sort(id));
        self.run()?;
        Ok(self.text)
    }

    fn unexpected(&self, expected: &'static str, found: TermId) -> Unprintable {
        let symbol = self.terms.term(found).symbol;
        let found = format!(
            "{} with {}",
            excerpt(self.terms.name(symbol)),
            counted(self.terms.arity(symbol), "argument")
        );
        Unprintable::Kind { expected, found }
    }

    /// Counts steps of work.
    fn spend(&mut self, steps: usize) -> Result<(), Unprintable> {
        let left = self.left.checked_sub(steps);
        self.left = left.ok_or(Unprintable::TooLong)?;
        self.allowance.spend(steps)
    }

    fn push(&mut self, text: &[u8]) -> Result<(), Unprintable> {
        self.spend(text.len())?;
        self.text.bytes.extend_from_slice(text);
        Ok(())
    }

    /// Writes all that waits.
    fn run(&mut self) -> Result<(), Unprintable> {
        while let Some(item) = self.stack.pop() {
            self.spend(1)?;
            match item {
                Item::Text(text) => self.push(text.as_bytes())?,
                Item::Data(id) => self.data_term(id)?,
                Item::Sort(id) => self.sort_term(id)?,
                Item::Domain(id) if self.terms.kind(id) == Kind::SortArrow => {
                    self.items([Item::Text("("), Item::Sort(id), Item::Text(")")]);
                }
                Item::Domain(id) => self.sort_term(id)?,
                Item::Raw(id) => self.raw(id)?,
            }
        }
        Ok(())
    }

    /// These are to be written next.
    fn items<const N: usize>(&mut self, items: [Item; N]) {
        self.stack.extend(items.into_iter().rev());
    }

    /// Terms are to be written next, with `between` between them and `end`
    /// after the last.
    fn sequence(
        &mut self,
        items: impl DoubleEndedIterator<Item = Item> + ExactSizeIterator,
        between: &'static str,
        end: &'static str,
    ) -> Result<(), Unprintable> {
        self.spend(items.len())?;
        self.stack.push(Item::Text(end));
        let mut first = true;
        for item in items.rev() {
            if !std::mem::take(&mut first) {
                self.stack.push(Item::Text(between));
            }
            self.stack.push(item);
        }
        Ok(())
    }

    fn data_term(&mut self, id: TermId) -> Result<(), Unprintable> {
        let terms = self.terms;
        if let Some(digits) = self.natural(id)? {
            return self.push(digits.as_bytes());
        }
        if let Some((name, arguments)) = call(terms, id) {
            return self.call(name, arguments);
        }
        let term = terms.term(id);
        match (term.kind, term.arguments) {
            (Kind::Variable, [name, _]) => self.push(terms.text(*name)),
            (Kind::Int, _) => {
                let value = terms.number(id).unwrap_or(0);
                self.push(value.to_string().as_bytes())
            }
            // a function that is no constant: f(x)(y)
            (Kind::Application, [function, arguments @ ..]) => {
                let arguments = arguments.iter().map(|&a| Item::Data(a));
                self.sequence(arguments, ", ", ")")?;
                self.stack.push(Item::Text("("));
                self.applied(*function);
                Ok(())
            }
            (Kind::Binder, &[kind, variables, body]) => self.binder(kind, variables, body),
            _ if matches!(terms.name(term.symbol), b"Whr" | b"UntypedIdentifier") => self.raw(id),
            _ => Err(self.unexpected("a data expression", id)),
        }
    }

    /// A constant or the application of a function with a name.
    fn call(&mut self, name: &'a [u8], arguments: &'a [TermId]) -> Result<(), Unprintable> {
        let terms = self.terms;
        let named = |id, name: &[u8]| call(terms, id) == Some((name, &[]));
        match (name, arguments) {
            (_, []) => return self.push(name),
            (
                b"@cNat" | b"@cInt" | b"Pos2Nat" | b"Pos2Int" | b"Pos2Real" | b"Nat2Int"
                | b"Nat2Real" | b"Int2Real" | b"@setfset" | b"@bagfbag",
                &[inner],
            ) => self.items([Item::Data(inner)]),
            (b"@cNeg", &[inner]) => self.items([Item::Text("-"), Item::Data(inner)]),
            (b"@cReal", &[above, below]) => match self.natural(below)? {
                Some(one) if one == "1" => self.items([Item::Data(above)]),
                _ => self.items([Item::Data(above), Item::Text(" / "), Item::Data(below)]),
            },
            (b"@set", &[outside, elements]) if named(outside, b"@false_") => {
                self.items([Item::Data(elements)]);
            }
            (b"@set", &[outside, elements]) if named(outside, b"@true_") => {
                self.items([Item::Text("!"), Item::Data(elements)]);
            }
            (b"@bag", &[outside, elements]) if named(outside, b"@zero_") => {
                self.items([Item::Data(elements)]);
            }
            (b"@func_update" | b"@func_update_stable", &[function, at, value]) => {
                self.items([
                    Item::Text("["),
                    Item::Data(at),
                    Item::Text(" -> "),
                    Item::Data(value),
                    Item::Text("]"),
                ]);
                self.applied(function);
            }
            (b"|>" | b"<|" | b"@fset_cons" | b"@fset_insert", [_, _])
            | (b"@fbag_cons" | b"@fbag_insert" | b"@fbag_cinsert", [_, _, _]) => {
                return self.collection(name, arguments);
            }
            _ => return self.function(name, arguments),
        }
        Ok(())
    }

    /// Something with arguments to come that need not be a name.
    fn applied(&mut self, function: TermId) {
        match self.terms.kind(function) {
            Kind::Binder => self.items([Item::Text("("), Item::Data(function), Item::Text(")")]),
            _ => self.items([Item::Data(function)]),
        }
    }

    /// A function applied to arguments.
    fn function(&mut self, name: &'a [u8], arguments: &'a [TermId]) -> Result<(), Unprintable> {
        self.text.approximate |= !is_user_name(name);
        self.push(name)?;
        self.push(b"(")?;
        self.sequence(arguments.iter().map(|&a| Item::Data(a)), ", ", ")")
    }

    /// The digits of a number that is written out in full.
    fn natural(&mut self, id: TermId) -> Result<Option<String>, Unprintable> {
        let mut steps = 0;
        let digits = natural(self.terms, id, &mut steps);
        self.spend(steps)?;
        digits
    }

    /// A list, set or bag, of which all elements are known if it was built from
    /// the empty one.
    fn collection(&mut self, name: &'a [u8], arguments: &'a [TermId]) -> Result<(), Unprintable> {
        let terms = self.terms;
        let (open, close, empty): (_, _, &[u8]) = match name {
            b"|>" | b"<|" => ("[", "]", b"[]"),
            b"@fset_cons" | b"@fset_insert" => ("{", "}", b"{}"),
            _ => ("{", "}", b"{:}"),
        };
        let alike = |other: &[u8]| match name {
            b"|>" | b"<|" => other == name,
            _ => other.get(..6) == name.get(..6) && other.len() > 6,
        };
        let mut elements: Vec<(TermId, Option<TermId>)> = Vec::new();
        let mut rest = (name, arguments);
        loop {
            self.spend(1)?;
            let next = match *rest.1 {
                [inner, element] if name == b"<|" => {
                    elements.push((element, None));
                    inner
                }
                [element, inner] => {
                    elements.push((element, None));
                    inner
                }
                [element, count, inner] => {
                    elements.push((element, Some(count)));
                    inner
                }
                _ => return self.function(name, arguments),
            };
            rest = match call(terms, next) {
                Some((end, [])) if end == empty => break,
                Some((name, inner)) if alike(name) && inner.len() == arguments.len() => {
                    (name, inner)
                }
                _ => return self.function(name, arguments),
            };
        }
        if name == b"<|" {
            elements.reverse();
        }
        self.push(open.as_bytes())?;
        self.stack.push(Item::Text(close));
        for (k, &(element, count)) in elements.iter().enumerate().rev() {
            if let Some(count) = count {
                self.items([Item::Data(element), Item::Text(": "), Item::Data(count)]);
            } else {
                self.stack.push(Item::Data(element));
            }
            if k > 0 {
                self.stack.push(Item::Text(", "));
            }
        }
        Ok(())
    }

    /// `lambda x: Nat. x`, `{ x: Nat | true }`.
    fn binder(&mut self, kind: TermId, variables: TermId, body: TermId) -> Result<(), Unprintable> {
        let terms = self.terms;
        // operators may stand in it, with precedences
        self.text.approximate = true;
        let (open, between, close) = match terms.text(kind) {
            b"Lambda" => ("lambda ", ". ", ""),
            b"Forall" => ("forall ", ". ", ""),
            b"Exists" => ("exists ", ". ", ""),
            b"SetComp" | b"BagComp" => ("{ ", " | ", " }"),
            _ => return Err(self.unexpected("a binder", kind)),
        };
        self.items([Item::Text(between), Item::Data(body), Item::Text(close)]);
        let mut items = Vec::new();
        for variable in terms.list(terms.term(variables)) {
            self.spend(1)?;
            match *terms.term(variable).arguments {
                [_, sort] if terms.kind(variable) == Kind::Variable => {
                    if !items.is_empty() {
                        items.push(Item::Text(", "));
                    }
                    items.extend([Item::Data(variable), Item::Text(": "), Item::Sort(sort)]);
                }
                _ => return Err(self.unexpected("a variable", variable)),
            }
        }
        self.stack.extend(items.into_iter().rev());
        self.stack.push(Item::Text(open));
        Ok(())
    }

    fn sort_term(&mut self, id: TermId) -> Result<(), Unprintable> {
        let terms = self.terms;
        let term = terms.term(id);
        match (term.kind, term.arguments) {
            (Kind::Sort, &[name]) => self.push(terms.text(name)),
            (Kind::SortContainer, &[container, element]) => {
                let name = terms.text(container);
                self.push(name.strip_prefix(b"Sort").unwrap_or(name))?;
                self.items([Item::Text("("), Item::Sort(element), Item::Text(")")]);
                Ok(())
            }
            (Kind::SortArrow, &[domain, result]) => {
                let domain: Vec<_> = terms.list(terms.term(domain)).collect();
                self.items([Item::Text(" -> "), Item::Sort(result)]);
                self.sequence(domain.into_iter().map(Item::Domain), " # ", "")
            }
            _ => self.raw(id),
        }
    }

    /// A term symbol by symbol.
    fn raw(&mut self, id: TermId) -> Result<(), Unprintable> {
        let terms = self.terms;
        self.text.approximate = true;
        let term = terms.term(id);
        match (term.kind, terms.number(id)) {
            (_, Some(value)) => return self.push(value.to_string().as_bytes()),
            (Kind::Cons | Kind::EmptyList, _) => {
                let elements: Vec<_> = terms.list(term).collect();
                self.push(b"[")?;
                return self.sequence(elements.into_iter().map(Item::Raw), ", ", "]");
            }
            _ => {}
        }
        self.push(terms.name(term.symbol))?;
        if !term.arguments.is_empty() {
            self.push(b"(")?;
            self.sequence(term.arguments.iter().map(|&a| Item::Raw(a)), ", ", ")")?;
        }
        Ok(())
    }
}

/// Whether a term in the place of a time says that there is none.
pub(super) fn is_untimed(terms: &Terms, time: TermId) -> bool {
    let time = terms.term(time);
    matches!(*time.arguments, [name, _]
        if time.kind == Kind::Variable && terms.text(name) == b"@undefined_real")
}

/// Whether the sort of a sign for no time is the one that mCRL2 expects.
pub(super) fn is_real(terms: &Terms, time: TermId) -> bool {
    let sort = |&sort: &TermId| terms.term(sort);
    matches!(terms.term(time).arguments.get(1).map(sort), Some(sort)
        if sort.kind == Kind::Sort && sort.arguments.iter().all(|&n| terms.text(n) == b"Real"))
}

/// Whether this is the name of a function that is written before its arguments.
fn is_user_name(name: &[u8]) -> bool {
    let is_letter = |b: u8| b.is_ascii_alphabetic() || b == b'_';
    name.first().is_some_and(|&b| is_letter(b))
        && name
            .iter()
            .all(|&b| is_letter(b) || b.is_ascii_digit() || b == b'\'')
        && !matches!(name, b"div" | b"mod" | b"in")
}
