//! Behaviours.

use std::collections::HashSet;

use hyades_base::buffer::Discipline;

use super::{Parsed, ParsedBehaviour, Parser, relation_of};
use crate::lex::{Kind, Lexer, Token, is_keyword};
use crate::survey::parts_of;
use crate::syntax::{
    Abstractions, Behaviour, Element, Interface, Label, Labels, Mode, Operator, Place, Reduction,
    Relation, Renaming, Strategy, Text,
};

/// Words that stand in front of what they qualify, beside relations and modes.
const STRATEGIES: [&str; 4] = ["leaf", "root", "node", "smart"];

/// What qualifiers stand in front of.
const QUALIFIED: [&str; 9] = [
    "abstraction",
    "comparison",
    "cut",
    "generation",
    "hide",
    "par",
    "prio",
    "reduction",
    "rename",
];

impl Parser<'_> {
    /// Operands with operators between them. Within `par … end par`, `||` is none.
    pub(super) fn behaviour(&mut self, in_par: bool) -> ParsedBehaviour {
        let start = self.peek()?.start;
        self.deeper(start)?;
        let mut operands = vec![self.operand(in_par)?];
        let mut operators = Vec::new();
        loop {
            let token = self.peek()?;
            let Kind::Symbol(symbol @ ("|||" | "||" | "|[" | "-||" | "-|[")) = token.kind else {
                break;
            };
            if in_par && symbol == "||" {
                break;
            }
            if in_par {
                return Err(self.lexer.error(
                    token.start,
                    format!(
                        "found `{symbol}` in an operand of `par … end par`, where operands are \
                         separated by `||`: put the operand between parentheses"
                    ),
                ));
            }
            self.at = token.end;
            operators.push(match symbol {
                "|||" => Operator::Interleaving,
                "||" => Operator::Full,
                "|[" => Operator::Gates(self.gates_to_bar()?),
                _ => {
                    let gates = match symbol {
                        "-|[" => Some(self.gates_to_bar()?),
                        _ => None,
                    };
                    let is_guess = self.accept("?")?;
                    Operator::Semi { gates, is_guess }
                }
            });
            operands.push(self.operand(in_par)?);
        }
        self.depth -= 1;
        Ok(match operators.is_empty() {
            true => operands.remove(0),
            false => Behaviour::Infix(operands, operators),
        })
    }

    /// Gates up to `]|`.
    fn gates_to_bar(&mut self) -> Parsed<Vec<Label>> {
        let mut gates = Vec::new();
        loop {
            if let Some(end) = self.lexer.closes_gates(self.at)? {
                self.at = end;
                return Ok(gates);
            }
            if !gates.is_empty() && !self.accept(",")? {
                return self.expected(&self.peek()?, "`,` or `]|` after a gate");
            }
            gates.push(self.label("a gate or `]|`")?);
        }
    }

    /// A label or gate: in upper case, unless it stands between quotes.
    fn label(&mut self, what: &str) -> Parsed<Label> {
        let token = self.next()?;
        let text = match &token.kind {
            Kind::Quoted(text) => text.clone(),
            Kind::Word(word) if is_keyword(word) => {
                return self.expected(
                    &token,
                    &format!("{what}, and this is a keyword: put it between quotes"),
                );
            }
            Kind::Word(word) if !word.contains(['-', '*']) => {
                // The hidden and the termination gate are no gates of the script.
                let is_kept = self.options.keep_case || word == "i" || word == "exit";
                Text::literal(match is_kept {
                    true => word.clone(),
                    false => word.to_ascii_uppercase(),
                })
            }
            _ => return self.expected(&token, what),
        };
        Ok(Label { text, degree: None })
    }

    /// Labels with commas between them.
    fn label_list(&mut self, what: &str) -> Parsed<Vec<Label>> {
        let mut labels = vec![self.label(what)?];
        while self.accept(",")? {
            labels.push(self.label("a label after `,`")?);
        }
        Ok(labels)
    }

    /// `[all but] LABELS` or `using FILE`.
    fn labels(&mut self, what: &str) -> Parsed<Labels> {
        if self.accept_word("using")? {
            let file = self.file("the name of a file with labels after `using`")?;
            return Ok(Labels::Using(file));
        }
        self.listed(what)
    }

    fn listed(&mut self, what: &str) -> Parsed<Labels> {
        let all_but = self.accept_word("all")?;
        if all_but {
            self.expect_word("but", " after `all`")?;
        }
        let is_empty = self.is_word("in")? || self.is_word("of")?;
        let labels = match is_empty {
            true => Vec::new(),
            false => self.label_list(what)?,
        };
        Ok(Labels::Listed { all_but, labels })
    }

    /// One of the things that operators stand between.
    fn operand(&mut self, in_par: bool) -> ParsedBehaviour {
        let token = self.peek()?;
        let place = self.place_of(&token);
        match &token.kind {
            Kind::Symbol("(") => {
                self.at = token.end;
                let inner = self.behaviour(false)?;
                self.expect(")", " after a behaviour")?;
                Ok(inner)
            }
            Kind::Quoted(name) => {
                self.at = token.end;
                self.file_or_process(place, name.clone())
            }
            Kind::File(name) => {
                self.at = token.end;
                self.file_or_process(place, Text::literal(name.clone()))
            }
            Kind::Word(word) => match &word[..] {
                "stop" => {
                    self.at = token.end;
                    Ok(Behaviour::Stop)
                }
                "chaos" => {
                    self.at = token.end;
                    Ok(Behaviour::Chaos(self.labels_in_brackets()?))
                }
                "bag" => {
                    self.at = token.end;
                    self.buffer(place, Discipline::Bag)
                }
                "fifo" => {
                    self.at = token.end;
                    self.buffer(place, Discipline::Fifo)
                }
                _ if !is_keyword(word)
                    && self.lexer.token(token.end)?.kind == Kind::Symbol("[") =>
                {
                    self.at = token.end;
                    self.process(place, Text::literal(word.clone()))
                }
                _ => self.qualified(place, in_par),
            },
            _ => self.expected(&token, "a behaviour"),
        }
    }

    /// `[LABELS]`.
    fn labels_in_brackets(&mut self) -> Parsed<Vec<Label>> {
        self.expect("[", " and labels")?;
        let mut labels = Vec::new();
        while !self.accept("]")? {
            if !labels.is_empty() {
                self.expect(",", " or `]` after a label")?;
            }
            labels.push(self.label("a label or `]`")?);
        }
        Ok(labels)
    }

    /// What follows `bag` or `fifo`.
    fn buffer(&mut self, place: Place, discipline: Discipline) -> ParsedBehaviour {
        let token = self.next()?;
        let Kind::Number(places) = &token.kind else {
            return self.expected(&token, "the number of places");
        };
        // No buffer of so many is small enough.
        let places = places.parse().unwrap_or(u64::MAX);
        let next = self.peek()?;
        let labels = self.labels_in_brackets()?;
        if labels.is_empty() || labels.len() % 2 != 0 {
            return Err(self.lexer.error(
                next.start,
                format!(
                    "found {} labels, expected pairs: what puts a datum in and what takes it out, \
                     as in [PUT, GET]",
                    labels.len()
                ),
            ));
        }
        Ok(Behaviour::Buffer {
            place,
            discipline,
            places,
            labels,
        })
    }

    /// What a name begins: a file, a process in it, or a process.
    fn file_or_process(&mut self, place: Place, name: Text) -> ParsedBehaviour {
        if self.is_symbol("[")? {
            return self.process(place, name);
        }
        let process = match self.accept(":")? {
            true => {
                let token = self.next()?;
                Some(match &token.kind {
                    Kind::Quoted(text) => text.clone(),
                    Kind::Word(word) if !is_keyword(word) => {
                        let name = Text::literal(word.clone());
                        match self.is_symbol("[")? {
                            true => self.instance(name)?,
                            false => name,
                        }
                    }
                    _ => return self.expected(&token, "a process after `:`"),
                })
            }
            false => None,
        };
        Ok(Behaviour::File {
            place,
            name,
            process,
        })
    }

    /// A process of a file with its gates and arguments, as one text.
    fn instance(&mut self, name: Text) -> Parsed<Text> {
        let (gates, arguments) = self.gates_and_arguments()?;
        let mut text = name;
        text.push_str(" [");
        for (at, gate) in gates.iter().enumerate() {
            text.push_str(if at > 0 { "," } else { "" });
            text.push_text(&gate.text);
        }
        text.push_str("]");
        if let Some(arguments) = arguments {
            text.push_str(&format!(" ({arguments})"));
        }
        Ok(text)
    }

    fn process(&mut self, place: Place, name: Text) -> ParsedBehaviour {
        let (gates, arguments) = self.gates_and_arguments()?;
        Ok(Behaviour::Process {
            place,
            name,
            gates,
            arguments,
        })
    }

    /// The gates and arguments of a process.
    fn gates_and_arguments(&mut self) -> Parsed<(Vec<Label>, Option<String>)> {
        let gates = self.labels_in_brackets()?;
        let arguments = match self.is_symbol("(")? {
            true => {
                let start = self.peek()?.start;
                let (inner, length) = self.lexer.parenthesised(start)?;
                self.at = start + length;
                Some(inner.trim().to_owned())
            }
            false => None,
        };
        Ok((gates, arguments))
    }

    /// The words in front of `reduction`, `hide` and the like.
    fn qualifiers(&mut self) -> Parsed<Vec<(Place, String)>> {
        let mut words = Vec::new();
        loop {
            let token = self.peek()?;
            match &token.kind {
                Kind::Word(word) if !QUALIFIED.contains(&&word[..]) => {
                    let is_known = is_qualifier(word);
                    if !is_known {
                        return Ok(words);
                    }
                    words.push((self.place_of(&token), word.clone()));
                    self.at = token.end;
                }
                _ => return Ok(words),
            }
        }
    }

    /// A relation, and what stands there that belongs to none.
    #[allow(clippy::type_complexity)] // a relation, and words with their places
    pub(super) fn relation_in_front(&mut self) -> Parsed<(Option<Relation>, Vec<(Place, String)>)> {
        let words = self.qualifiers()?;
        let of_relation = relation_of(&words);
        match of_relation {
            Some(relation) => Ok((Some(relation), Vec::new())),
            None => Ok((None, words)),
        }
    }

    /// What begins with words, such as `total hide` or `leaf branching reduction`.
    fn qualified(&mut self, place: Place, in_par: bool) -> ParsedBehaviour {
        let first = self.peek()?;
        let words = self.qualifiers()?;
        let token = self.peek()?;
        let Kind::Word(word) = &token.kind else {
            return self.no_behaviour(&first, &token, &words);
        };
        match &word[..] {
            "reduction" => {
                self.at = token.end;
                self.reduction(place, &words, in_par)
            }
            "generation" if words.is_empty() => {
                self.at = token.end;
                self.expect_word("of", " after `generation`")?;
                Ok(Behaviour::Generation(Box::new(self.behaviour(in_par)?)))
            }
            "hide" | "cut" | "rename" | "prio" => {
                self.at = token.end;
                let modes: &[Mode] = match &word[..] {
                    "rename" => &[Mode::Gate, Mode::Total, Mode::Single, Mode::Multiple],
                    _ => &[Mode::Gate, Mode::Total, Mode::Partial],
                };
                let mode = self.mode(&words, modes, word, &first)?;
                match &word[..] {
                    "hide" => {
                        let labels = self.labels("labels to hide")?;
                        let of = self.bracketed(&token, "hide", in_par)?;
                        Ok(Behaviour::Hide(mode, labels, of))
                    }
                    "cut" => {
                        let labels = self.labels("labels to cut")?;
                        let of = self.bracketed(&token, "cut", in_par)?;
                        Ok(Behaviour::Cut(mode, labels, of))
                    }
                    "rename" => {
                        let renaming = self.renaming()?;
                        let of = self.bracketed(&token, "rename", in_par)?;
                        Ok(Behaviour::Rename(mode, renaming, of))
                    }
                    _ => {
                        let chains = self.chains()?;
                        let of = self.bracketed(&token, "prio", in_par)?;
                        Ok(Behaviour::Prio(mode, chains, of))
                    }
                }
            }
            "par" => {
                self.at = token.end;
                let mode = self.mode(&words, &[Mode::Gate, Mode::Label], word, &first)?;
                self.par(mode)
            }
            "abstraction" => {
                let (is_guess, is_refined) = match &words[..] {
                    [] => (false, false),
                    [(_, word)] if word == "user" => (true, false),
                    [(_, word)] if word == "refined" => (false, true),
                    [(_, user), (_, word)] if user == "user" && word == "refined" => (true, true),
                    _ => return self.no_behaviour(&first, &token, &words),
                };
                self.at = token.end;
                self.abstraction(place, is_guess, is_refined, in_par)
            }
            _ => self.no_behaviour(&first, &token, &words),
        }
    }

    /// The error where a behaviour was expected.
    fn no_behaviour<T>(
        &self,
        first: &Token,
        token: &Token,
        words: &[(Place, String)],
    ) -> Parsed<T> {
        match (words.is_empty(), &token.kind) {
            (true, Kind::Word(word)) if !is_keyword(word) => self.expected(
                token,
                "a behaviour: names of files without an ending stand between quotes",
            ),
            (true, _) => self.expected(first, "a behaviour"),
            (false, _) if matches!(&first.kind, Kind::Word(word) if !is_keyword(word)) => self
                .expected(
                    first,
                    "a behaviour: names of files without an ending stand between quotes",
                ),
            (false, _) => {
                let last = words.last().map_or("", |(_, word)| word);
                self.expected(
                    token,
                    &format!("`reduction`, `comparison`, `hide` or the like after `{last}`"),
                )
            }
        }
    }

    /// The mode among words in front.
    fn mode(
        &self,
        words: &[(Place, String)],
        modes: &[Mode],
        what: &str,
        first: &Token,
    ) -> Parsed<Option<Mode>> {
        let names = || {
            let names: Vec<_> = modes.iter().map(|m| format!("`{}`", m.name())).collect();
            names.join(", ")
        };
        match words {
            [] => Ok(None),
            [(_, word)] => match modes.iter().find(|mode| mode.name() == word) {
                Some(mode) => Ok(Some(*mode)),
                None => self.expected(first, &format!("one of {} before `{what}`", names())),
            },
            _ => self.expected(
                first,
                &format!("at most one of {} before `{what}`", names()),
            ),
        }
    }

    /// `in B end WORD`, where the end may be missing. Before an end, all operators belong to
    /// the behaviour; without one, it reaches no further than `par` lets operands do.
    fn bracketed(&mut self, opener: &Token, word: &str, in_par: bool) -> Parsed<Box<Behaviour>> {
        self.expect_word("in", &format!(" after what `{word}` is about"))?;
        let is_closed = self.is_closed(opener.start)?;
        let of = Box::new(self.behaviour(in_par && !is_closed)?);
        if is_closed {
            if !self.accept_word("end")? {
                let expected = format!("`end {word}` after the behaviour in `{word}`");
                return self.expected(&self.peek()?, &expected);
            }
            self.expect_word(word, " after `end`")?;
        }
        Ok(of)
    }

    /// Whether the operator that begins here has an `end` of its own: an `end` closes the
    /// innermost operator with its word that is open. Found for all of a statement at
    /// once.
    fn is_closed(&mut self, opener: usize) -> Parsed<bool> {
        if self.closed_from != Some(self.statement) {
            self.closed = closed(&self.lexer, self.statement)?;
            self.closed_from = Some(self.statement);
        }
        Ok(self.closed.contains(&opener))
    }

    /// What follows `reduction`.
    fn reduction(
        &mut self,
        place: Place,
        words: &[(Place, String)],
        in_par: bool,
    ) -> ParsedBehaviour {
        let mut strategy = None;
        let mut is_total = None;
        let mut rest = Vec::new();
        let mut words = words.iter().peekable();
        while let Some((at, word)) = words.next() {
            let twice = |what: &str| -> Parsed<()> {
                Err(super::SyntaxError {
                    place: *at,
                    text: format!("found `{word}`, and there is another {what} before it"),
                })
            };
            match &word[..] {
                "leaf" | "root" | "node" | "smart" => {
                    if strategy.is_some() {
                        twice("strategy")?;
                    }
                    strategy = Some(match &word[..] {
                        "leaf" => Strategy::Leaf,
                        "node" => Strategy::Node,
                        "smart" => Strategy::Smart,
                        _ if words.next_if(|(_, word)| word == "leaf").is_some() => {
                            Strategy::RootLeaf
                        }
                        _ => {
                            return Err(super::SyntaxError {
                                place: *at,
                                text: "found `root` alone, expected `root leaf`".into(),
                            });
                        }
                    });
                }
                "total" | "partial" => {
                    if is_total.is_some() {
                        twice("`total` or `partial`")?;
                    }
                    is_total = Some(word == "total");
                }
                _ => rest.push((*at, word.clone())),
            }
        }
        let relation = relation_of(&rest);
        if let (None, Some((at, word))) = (&relation, rest.first()) {
            let all: Vec<&str> = rest.iter().map(|(_, word)| &word[..]).collect();
            return Err(super::SyntaxError {
                place: *at,
                text: match rest.len() {
                    1 => format!("found `{word}`, expected a relation before `reduction`"),
                    _ => format!(
                        "found `{}`, expected one relation before `reduction`: reductions follow \
                         one another by `reduction of`",
                        all.join(" ")
                    ),
                },
            });
        }
        let (method, tool) = self.method_and_tool()?;
        let hold = match self.accept_word("hold")? {
            true => Some(self.labels("labels after `hold`")?),
            false => None,
        };
        self.expect_word("of", " after `reduction`")?;
        let of = self.behaviour(in_par)?;
        Ok(Behaviour::Reduction(Box::new(Reduction {
            place,
            strategy,
            is_total,
            relation,
            method,
            tool,
            hold,
            parts: strategy.and_then(|_| parts_of(&of)),
            of,
        })))
    }

    /// What follows `rename`.
    fn renaming(&mut self) -> Parsed<Renaming> {
        if self.accept_word("using")? {
            let file = self.file("the name of a file with rules after `using`")?;
            return Ok(Renaming::Using(file));
        }
        let mut rules = Vec::new();
        loop {
            let from = self.label("a label to rename")?;
            self.expect("->", " after the label that is renamed")?;
            rules.push((from, self.label("a label after `->`")?));
            if !self.accept(",")? {
                return Ok(Renaming::Listed(rules));
            }
        }
    }

    /// What follows `prio`.
    fn chains(&mut self) -> Parsed<Vec<Vec<Labels>>> {
        let mut chains = Vec::new();
        loop {
            let mut chain = vec![self.listed("labels with priority")?];
            while self.accept(">")? {
                chain.push(self.listed("labels after `>`")?);
            }
            if chain.len() < 2 {
                return self.expected(&self.peek()?, "`>` after labels with priority");
            }
            chains.push(chain);
            if self.is_word("in")? {
                return Ok(chains);
            }
        }
    }

    /// What follows `abstraction`.
    fn abstraction(
        &mut self,
        place: Place,
        is_guess: bool,
        is_refined: bool,
        in_par: bool,
    ) -> ParsedBehaviour {
        let mut interfaces = vec![self.behaviour(false)?];
        while self.accept(",")? {
            interfaces.push(self.behaviour(false)?);
        }
        let sync = if self.accept_word("sync")? {
            Some(self.labels("labels after `sync`")?)
        } else if self.is_word("using")? {
            Some(self.labels("labels")?)
        } else {
            None
        };
        self.expect_word("of", " after the interface of `abstraction`")?;
        let of = self.behaviour(in_par)?;
        if is_refined || interfaces.len() > 1 {
            return Ok(Behaviour::Abstractions(Box::new(Abstractions {
                place,
                is_refined,
                is_guess,
                interfaces,
                sync,
                of,
            })));
        }
        Ok(Behaviour::Abstraction {
            is_guess,
            interface: Box::new(interfaces.remove(0)),
            sync,
            of: Box::new(of),
        })
    }

    /// What follows `par`.
    fn par(&mut self, mode: Option<Mode>) -> ParsedBehaviour {
        if self.accept_word("using")? {
            return self.vectors(mode);
        }
        let global = match self.is_word("all")? {
            true => {
                self.next()?;
                self.expect_word("in", " after `par all`")?;
                Some(Interface::All)
            }
            false => {
                let start = self.at;
                match self.interface() {
                    Ok(list) if self.is_word("in")? => {
                        self.next()?;
                        Some(Interface::Listed(list))
                    }
                    _ => {
                        self.at = start;
                        None
                    }
                }
            }
        };
        let mut operands = Vec::new();
        loop {
            let start = self.at;
            let local = match self.interface() {
                Ok(list) if self.is_symbol("->")? => {
                    self.next()?;
                    Some(list)
                }
                _ => {
                    self.at = start;
                    None
                }
            };
            operands.push((local, self.behaviour(true)?));
            if !self.accept("||")? {
                break;
            }
        }
        self.end_of_par(operands.len())?;
        Ok(Behaviour::Par {
            mode,
            global,
            operands,
        })
    }

    fn end_of_par(&mut self, operands: usize) -> Parsed<()> {
        let token = self.peek()?;
        if operands < 2 && self.is_word("end")? {
            return self.expected(&token, "`||` and another operand of `par`");
        }
        if !self.accept_word("end")? {
            return self.expected(&token, "`end par` or `||` after an operand of `par`");
        }
        self.expect_word("par", " after `end`")
    }

    /// Labels with degrees, perhaps none.
    fn interface(&mut self) -> Parsed<Vec<Label>> {
        let mut labels = Vec::new();
        if self.is_word("in")? || self.is_symbol("->")? {
            return Ok(labels);
        }
        loop {
            let mut label = self.label("a label")?;
            if self.accept("#")? {
                let token = self.next()?;
                let Kind::Number(digits) = &token.kind else {
                    return self.expected(&token, "a number after `#`");
                };
                label.degree = Some(digits.clone());
            }
            labels.push(label);
            if !self.accept(",")? {
                return Ok(labels);
            }
        }
    }

    /// What follows `par using`.
    fn vectors(&mut self, mode: Option<Mode>) -> ParsedBehaviour {
        let mut vectors = Vec::new();
        loop {
            let mut vector: Vec<Element> = vec![self.element()?];
            while self.accept("*")? || self.accept("||")? {
                vector.push(self.element()?);
            }
            self.expect("->", " after a vector of labels")?;
            let result = self.label("a label after `->`")?;
            vectors.push((vector, result));
            if !self.accept(",")? {
                break;
            }
        }
        self.expect_word("in", " after vectors of labels")?;
        let mut operands = vec![self.behaviour(true)?];
        while self.accept("||")? {
            operands.push(self.behaviour(true)?);
        }
        self.end_of_par(operands.len())?;
        Ok(Behaviour::Vectors {
            mode,
            vectors,
            operands,
        })
    }

    fn element(&mut self) -> Parsed<Element> {
        let token = self.peek()?;
        if token.kind == Kind::Word("_".into()) {
            self.at = token.end;
            return Ok(None);
        }
        Ok(Some(self.label("a label or `_`")?))
    }
}

/// Where those operators begin, in the statement from here on, that have an end.
fn closed(lexer: &Lexer<'_>, from: usize) -> Parsed<HashSet<usize>> {
    let mut closed = HashSet::new();
    // What is open: words, and parentheses.
    let mut open: Vec<(String, usize)> = Vec::new();
    let mut at = from;
    loop {
        // What is no token is told when it is reached.
        let Ok(token) = lexer.token(at) else {
            return Ok(closed);
        };
        at = token.end;
        match &token.kind {
            Kind::Symbol("(") => open.push(("(".into(), token.start)),
            Kind::Symbol(")") => {
                if let Some(last) = open.iter().rposition(|(word, _)| word == "(") {
                    open.truncate(last);
                }
            }
            Kind::Symbol(";" | "|=") | Kind::Shell(_) | Kind::End => return Ok(closed),
            Kind::Word(word) => match &word[..] {
                "hide" | "cut" | "rename" | "prio" | "par" => {
                    open.push((word.clone(), token.start));
                }
                "end" => {
                    let Ok(next) = lexer.token(at) else {
                        return Ok(closed);
                    };
                    let Kind::Word(word) = &next.kind else {
                        continue;
                    };
                    at = next.end;
                    let within = open.iter().rposition(|(open, _)| open == "(");
                    let last = open.iter().rposition(|(open, _)| open == word);
                    if let Some(last) = last.filter(|last| within.is_none_or(|w| w < *last)) {
                        closed.insert(open[last].1);
                        open.truncate(last);
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
}

/// Whether a word may stand in front of what it qualifies.
fn is_qualifier(word: &str) -> bool {
    let is_mode = || Mode::ALL.iter().any(|mode| mode.name() == word);
    let is_other = matches!(
        word,
        "user"
            | "refined"
            | "branching"
            | "divbranching"
            | "sharp"
            | "divsharp"
            | "observational"
            | "safety"
            | "strong"
            | "trace"
            | "weak"
            | "stochastic"
            | "probabilistic"
    );
    STRATEGIES.contains(&word) || is_mode() || is_other || !is_keyword(word)
}
