//! Operators: how they begin, go on and end.

use hyades_formats::diagnostic::counted;
use hyades_lts::relabel::{Action, Matching};

use super::super::language::Language;
use super::super::lex::{Kind, Place, SyntaxError};
use super::super::syntax::{Element, Global, Label, Mode, NodeId, NodeKind, Patterns, Relabelling};
use super::{After, Infix, Parsed, Parser, Pending, PendingKind, action};

impl Parser<'_, '_> {
    /// An operator in front of its operands, up to the first of these.
    pub(super) fn prefix(&mut self) -> Parsed<()> {
        let place = self.tokens.peek(0).place;
        let mut mode = None;
        if let Kind::Word(word @ ("gate" | "label" | "total" | "partial" | "single" | "multiple")) =
            self.tokens.peek(0).kind
        {
            self.tokens.next();
            mode = Some(word);
        }
        let operator = self.tokens.peek(0).clone();
        let allowed: &[&str] = match operator.kind {
            Kind::Word("hide" | "cut" | "prio") => &["gate", "total", "partial"],
            Kind::Word("rename") => &["gate", "total", "single", "multiple"],
            Kind::Word("par") => &["gate", "label"],
            _ => return Err(self.unexpected("`hide`, `cut`, `rename`, `prio` or `par`")),
        };
        let Kind::Word(word) = self.tokens.next().kind else {
            unreachable!("it is a keyword");
        };
        if let Some(mode) = mode.filter(|mode| !allowed.contains(mode)) {
            let allowed = allowed.join(", ");
            return Err(SyntaxError::quoting(place, "exp-syntax", |quote| {
                let [word, mode] = [word, mode].map(|word| quote(word.as_bytes()));
                format!("{word} cannot be {mode}: it has the modes {allowed}")
            }));
        }
        let matching = Matching::ALL.into_iter().find(|m| Some(m.name()) == mode);
        let matching = matching.unwrap_or(Matching::Gate);
        let kind = match action(word) {
            Some(action) => self.relabelling(action, matching, mode.is_some())?,
            None if word == "prio" => {
                let chains = self.chains()?;
                self.expect_word("in")?;
                PendingKind::Prio { matching, chains }
            }
            None => {
                let mode = match mode {
                    Some("label") => Mode::Label,
                    _ => Mode::Gate,
                };
                self.par(mode)?
            }
        };
        self.push(place, kind);
        Ok(())
    }

    /// The rules of `hide`, `cut` or `rename`, and `in`.
    fn relabelling(
        &mut self,
        action: Action,
        matching: Matching,
        has_mode: bool,
    ) -> Parsed<PendingKind> {
        let mut closed = has_mode || action != Action::Hide;
        let patterns = if self.take_word("using") {
            closed = true;
            self.rule_file()?
        } else if action == Action::Rename {
            let pairs = self.pairs("->")?.into_iter();
            Patterns::Here {
                all_but: false,
                rules: pairs.map(|(left, right)| (left, Some(right))).collect(),
            }
        } else {
            let all_but = self.all_but()?;
            closed |= all_but;
            let labels = self.labels()?.into_iter();
            Patterns::Here {
                all_but,
                rules: labels.map(|label| (label, None)).collect(),
            }
        };
        self.expect_word("in")?;
        Ok(PendingKind::Relabel {
            relabelling: Relabelling {
                action,
                matching,
                coactions: false,
                plain: false,
                patterns,
            },
            closed,
        })
    }

    /// The name of a rule file.
    fn rule_file(&mut self) -> Parsed<Patterns> {
        let token = self.tokens.peek(0).clone();
        match token.kind {
            Kind::Name(name) | Kind::Quoted(name) | Kind::File(name) => {
                let name = self.file_name(name);
                Ok(Patterns::File(name, token.place))
            }
            _ => Err(self.unexpected("the name of a rule file")),
        }
    }

    /// `par` up to its first operand.
    fn par(&mut self, mode: Mode) -> Parsed<PendingKind> {
        if self.take_word("using") {
            let vectors = self.vectors()?;
            self.expect_word("in")?;
            return Ok(PendingKind::Vectors {
                mode,
                vectors,
                operands: Vec::new(),
            });
        }
        let mut global = Global::These(Vec::new());
        let mut local = Vec::new();
        let place = self.tokens.peek(0).place;
        if self.take_word("all") {
            self.expect_word("in")?;
            global = Global::All(place);
            local = self.local()?;
        } else if self.interface_ahead() {
            let elements = self.elements()?;
            if self.take_word("in") {
                global = Global::These(elements);
                local = self.local()?;
            } else if self.take_symbol("->") {
                local = elements;
            } else {
                return Err(self.unexpected("`in` or `->` after an interface"));
            }
        }
        Ok(PendingKind::Par {
            mode,
            global,
            operands: Vec::new(),
            local,
        })
    }

    /// The interface of one operand, empty if there is none.
    fn local(&mut self) -> Parsed<Vec<Element>> {
        if !self.interface_ahead() {
            return Ok(Vec::new());
        }
        let elements = self.elements()?;
        match self.take_symbol("->") {
            true => Ok(elements),
            false => Err(self.unexpected("`->` after the interface of an operand")),
        }
    }

    pub(super) fn at_postfix(&self) -> bool {
        match self.tokens.peek(0).kind {
            Kind::Symbol("\\" | "[[") => true,
            // With a brace it is an operator of CSP between two operands.
            Kind::Symbol("[") => self.tokens.peek(1).kind != Kind::Symbol("{"),
            _ => false,
        }
    }

    /// An operator behind its operand.
    pub(super) fn postfix(&mut self, operand: NodeId) -> Parsed<NodeId> {
        let token = self.tokens.next();
        let csp = self.syntax.parameters.language == Some(Language::Csp);
        let (action, coactions, rules) = match token.kind {
            Kind::Symbol("\\") => {
                let labels = match self.is_symbol("{") {
                    true => self.braced()?,
                    false => vec![self.label("a gate or `{`")?],
                };
                let action = if csp { Action::Hide } else { Action::Cut };
                let rules = labels.into_iter().map(|label| (label, None)).collect();
                (action, !csp, rules)
            }
            Kind::Symbol("[[") => {
                let pairs = self.pairs("<-")?.into_iter();
                self.expect_symbol("]]")?;
                let rules = pairs.map(|(old, new)| (old, Some(new))).collect();
                (Action::Rename, false, rules)
            }
            _ => {
                let pairs = self.pairs("/")?.into_iter();
                self.expect_symbol("]")?;
                let rules = pairs.map(|(new, old)| (old, Some(new))).collect();
                (Action::Rename, true, rules)
            }
        };
        let relabelling = Relabelling {
            action,
            matching: Matching::Gate,
            coactions,
            plain: true,
            patterns: Patterns::Here {
                all_but: false,
                rules,
            },
        };
        let kind = NodeKind::Relabel {
            relabelling,
            operand,
        };
        Ok(self.add(token.place, kind))
    }

    /// Goes on after a behaviour, in whose place the one comes of which it was
    /// the last operand.
    pub(super) fn after(&mut self, node: &mut NodeId) -> Parsed<After> {
        let place = self.tokens.peek(0).place;
        let separated = matches!(
            self.stack.last(),
            Some(Pending {
                kind: PendingKind::Par { .. } | PendingKind::Vectors { .. },
                ..
            })
        );
        if separated {
            return self.after_operand_of_par(node);
        }
        if let Some(infix) = self.infix()? {
            self.push(place, PendingKind::Infix(infix, *node));
            return Ok(After::Operand);
        }
        let Some(Pending { place, kind }) = self.stack.pop() else {
            return Ok(After::Nothing);
        };
        match kind {
            PendingKind::Parenthesis => self.expect_symbol(")")?,
            PendingKind::Infix(infix, left) => *node = self.reduce_infix(place, infix, left, *node),
            PendingKind::Relabel {
                relabelling,
                closed,
            } => {
                self.end_of_relabelling(place, relabelling.action, closed)?;
                let operand = *node;
                let kind = NodeKind::Relabel {
                    relabelling,
                    operand,
                };
                *node = self.add(place, kind);
            }
            PendingKind::Prio { matching, chains } => {
                self.expect_word("end")?;
                self.expect_word("prio")?;
                let operand = *node;
                let kind = NodeKind::Prio {
                    matching,
                    chains,
                    operand,
                };
                *node = self.add(place, kind);
            }
            PendingKind::Par { .. } | PendingKind::Vectors { .. } => {
                unreachable!("dealt with above")
            }
        }
        Ok(After::Node)
    }

    /// `end hide` and the like, which `hide` in the manner of LOTOS may lack.
    fn end_of_relabelling(&mut self, place: Place, action: Action, closed: bool) -> Parsed<()> {
        let follows = self.is_word("end")
            && matches!(self.tokens.peek(1).kind, Kind::Word(word) if word == action.name());
        if closed || follows {
            self.expect_word("end")?;
            return self.expect_word(action.name());
        }
        let below = self.stack.last().map(|pending| &pending.kind);
        if let Some(PendingKind::Par { .. } | PendingKind::Vectors { .. }) = below {
            let text = "a `hide` without `end hide` needs parentheses within `par`, \
                        as it goes on to the right as far as it can";
            return Err(SyntaxError::new(place, "exp-syntax", text));
        }
        Ok(())
    }

    fn after_operand_of_par(&mut self, node: &mut NodeId) -> Parsed<After> {
        let more = self.take_symbol("||");
        if !more && !self.is_word("end") {
            let text = match self.tokens.peek(0).kind {
                Kind::Symbol("|||" | "|[" | "|" | "[|" | "[" | "-||" | "-|[") => {
                    "`||` or `end par`: within `par`, an operand with an operator between two \
                     others needs parentheses"
                }
                _ => "`||` or `end par`",
            };
            return Err(self.unexpected(text));
        }
        let Some(mut pending) = self.stack.pop() else {
            unreachable!("the caller has seen it");
        };
        match &mut pending.kind {
            PendingKind::Par {
                operands, local, ..
            } => operands.push((std::mem::take(local), *node)),
            PendingKind::Vectors { operands, .. } => operands.push(*node),
            _ => unreachable!("the caller has seen that it is `par`"),
        }
        if more {
            if let PendingKind::Par { local, .. } = &mut pending.kind {
                *local = self.local()?;
            }
            self.stack.push(pending);
            return Ok(After::Operand);
        }
        let end = self.tokens.next();
        self.expect_word("par")?;
        let place = pending.place;
        let kind = match pending.kind {
            PendingKind::Par {
                mode,
                global,
                operands,
                ..
            } => {
                if operands.len() < 2 {
                    let text = "`par` with one operand only: `||` and another one are missing";
                    return Err(SyntaxError::new(end.place, "exp-syntax", text));
                }
                NodeKind::Par {
                    mode,
                    global,
                    operands,
                }
            }
            PendingKind::Vectors {
                mode,
                vectors,
                operands,
            } => {
                let n = operands.len();
                if let Some(vector) = vectors.iter().find(|v| v.width != n) {
                    let m = vector.width;
                    let text = format!(
                        "a vector with {} for {}",
                        counted(m, "element"),
                        counted(n, "operand")
                    );
                    return Err(SyntaxError::new(vector.place, "exp-vector", text));
                }
                NodeKind::Vectors {
                    mode,
                    vectors,
                    operands,
                }
            }
            _ => unreachable!("the caller has seen that it is `par`"),
        };
        *node = self.add(place, kind);
        Ok(After::Node)
    }

    /// An operator between two operands, if it comes next.
    fn infix(&mut self) -> Parsed<Option<Infix>> {
        let infix = match self.tokens.peek(0).kind {
            Kind::Symbol("|||") => Infix::Interleave,
            Kind::Symbol("||") => Infix::Full,
            Kind::Symbol("|") => Infix::Ccs,
            Kind::Symbol("|[") => {
                self.tokens.next();
                let gates = self.labels()?;
                self.expect_symbol("]|")?;
                return Ok(Some(Infix::Gates(whole(gates))));
            }
            Kind::Symbol("-||") => {
                self.tokens.next();
                return Ok(Some(Infix::SemiComposition {
                    gates: None,
                    is_guess: self.take_symbol("?"),
                }));
            }
            Kind::Symbol("-|[") => {
                self.tokens.next();
                let gates = self.labels()?;
                self.expect_symbol("]|")?;
                return Ok(Some(Infix::SemiComposition {
                    gates: Some(gates),
                    is_guess: self.take_symbol("?"),
                }));
            }
            Kind::Symbol("[|") => {
                self.tokens.next();
                let gates = self.braced()?;
                self.expect_symbol("|]")?;
                return Ok(Some(Infix::Gates(whole(gates))));
            }
            Kind::Symbol("[") => {
                self.tokens.next();
                let left = self.braced()?;
                self.expect_symbol("||")?;
                let right = self.braced()?;
                self.expect_symbol("]")?;
                return Ok(Some(Infix::Alphabets([left, right])));
            }
            _ => return Ok(None),
        };
        self.tokens.next();
        Ok(Some(infix))
    }

    /// Makes a behaviour of an operator between two others. A chain of `|||`
    /// becomes one behaviour, which means the same.
    fn reduce_infix(&mut self, place: Place, infix: Infix, left: NodeId, right: NodeId) -> NodeId {
        let par = |global, operands: Vec<NodeId>| NodeKind::Par {
            mode: Mode::Gate,
            global,
            operands: operands.into_iter().map(|o| (Vec::new(), o)).collect(),
        };
        let mcrl = self.syntax.parameters.language == Some(Language::Mcrl);
        let kind = match infix {
            Infix::Interleave => {
                let mut operands = vec![right, left];
                while let Some(PendingKind::Infix(Infix::Interleave, left)) =
                    self.stack.last().map(|pending| &pending.kind)
                {
                    operands.push(*left);
                    self.stack.pop();
                }
                operands.reverse();
                par(Global::These(Vec::new()), operands)
            }
            Infix::Full if mcrl => NodeKind::Mcrl([left, right]),
            Infix::Full => par(Global::All(place), vec![left, right]),
            Infix::Gates(gates) => par(Global::These(gates), vec![left, right]),
            Infix::Ccs => NodeKind::Ccs([left, right]),
            Infix::Alphabets(alphabets) => NodeKind::Alphabets {
                alphabets,
                operands: [left, right],
            },
            Infix::SemiComposition { gates, is_guess } => NodeKind::SemiComposition {
                gates,
                is_guess,
                operands: [left, right],
            },
        };
        self.add(place, kind)
    }
}

/// Elements without degrees.
fn whole(labels: Vec<Label>) -> Vec<Element> {
    let element = |label| Element {
        label,
        degree: None,
    };
    labels.into_iter().map(element).collect()
}
