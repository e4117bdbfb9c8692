//! What a script needs that can be told before it runs.

use std::collections::{HashMap, HashSet};

use crate::expand;
use crate::parse::SyntaxError;
use crate::print::Whole;
use crate::shell::buffers;
use crate::shell::sources::{Instances, compiler, ending, stem, substitutes, written};
use crate::syntax::{
    Behaviour, Element, Interface, Item, ItemKind, Label, Labels, Markov, Mode, Operator, Order,
    Place, Question, Renaming, Script, Strategy, Text,
};
use crate::text::shell_word;

/// Where a script names a relation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelationUse {
    /// Where.
    pub place: Place,
    /// The name.
    pub name: String,
    /// Whether labels are rates or probabilities.
    pub markov: Option<Markov>,
    /// What for.
    pub role: Role,
    /// Whether labels are held, which are strong then.
    pub has_hold: bool,
}

/// What a relation is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// To reduce a behaviour.
    Reduction,
    /// To reduce parts of one, with priorities between them or not.
    Parts {
        /// Whether there is a priority.
        has_priorities: bool,
    },
    /// To compare two.
    Comparison(Order),
}

/// All relations that a script names.
pub fn relations(script: &Script) -> Vec<RelationUse> {
    let mut found = Vec::new();
    walk(&script.items, &mut |step| match step {
        Step::Question(Question::Comparison {
            relation: Some(relation),
            order,
            ..
        }) => found.push(RelationUse {
            place: relation.place,
            name: relation.name.clone(),
            markov: relation.markov,
            role: Role::Comparison(*order),
            has_hold: false,
        }),
        Step::Behaviour(Behaviour::Reduction(reduction)) => {
            let Some(relation) = &reduction.relation else {
                return;
            };
            let mut add = |role| {
                found.push(RelationUse {
                    place: relation.place,
                    name: relation.name.clone(),
                    markov: relation.markov,
                    role,
                    has_hold: reduction.hold.is_some(),
                });
            };
            add(Role::Reduction);
            match reduction.strategy {
                None => {}
                Some(Strategy::Leaf | Strategy::RootLeaf | Strategy::Node | Strategy::Smart) => {
                    if let Some(has_priorities) = reduction.parts {
                        add(Role::Parts { has_priorities });
                    }
                }
            }
        }
        Step::Question(_) | Step::Behaviour(_) | Step::Item(_) => {}
    });
    found
}

/// Whether a behaviour has parts that a strategy reduces, and if so, whether there are
/// priorities over them.
pub(crate) fn parts_of(of: &Behaviour) -> Option<bool> {
    expand::is_composed(of).then(|| has_priorities(of))
}

/// Whether there is a priority over parts that a strategy reduces.
fn has_priorities(of: &Behaviour) -> bool {
    match of {
        Behaviour::Prio(_, _, of) => expand::is_composed(of) || has_priorities(of),
        Behaviour::Hide(_, _, of) | Behaviour::Cut(_, _, of) | Behaviour::Rename(_, _, of) => {
            has_priorities(of)
        }
        Behaviour::Par { operands, .. } => operands.iter().any(|(_, of)| has_priorities(of)),
        Behaviour::Vectors { operands, .. } | Behaviour::Infix(operands, _) => {
            operands.iter().any(has_priorities)
        }
        Behaviour::File { .. }
        | Behaviour::Process { .. }
        | Behaviour::Stop
        | Behaviour::Chaos(_)
        | Behaviour::Buffer { .. }
        | Behaviour::Generation(_)
        | Behaviour::Reduction(_)
        | Behaviour::Abstraction { .. }
        | Behaviour::Abstractions(_) => false,
    }
}

/// Parts that are reduced one by one with labels that are held, and what makes other labels
/// of theirs.
#[derive(Clone, PartialEq, Debug)]
pub struct HeldParts<'a> {
    /// Where the reduction stands.
    pub place: Place,
    /// The relation, if the script names it.
    pub relation: Option<&'a str>,
    /// The labels that are held.
    pub hold: &'a Labels,
    /// What stands between the parts and the whole.
    pub changes: Vec<Change<'a>>,
}

/// What makes other labels of labels.
#[derive(Clone, PartialEq, Debug)]
pub enum Change<'a> {
    /// `rename`.
    Rename(Option<Mode>, &'a Renaming),
    /// Vectors, with their results.
    Vectors(&'a [(Vec<Element>, Label)]),
}

/// All reductions of parts with labels that are held.
pub fn held_parts(script: &Script) -> Vec<HeldParts<'_>> {
    let mut found = Vec::new();
    each_behaviour(&script.items, &mut |of| {
        let Behaviour::Reduction(reduction) = of else {
            return;
        };
        let by_parts = match reduction.strategy {
            Some(Strategy::Leaf | Strategy::RootLeaf | Strategy::Node) => true,
            // With labels that are held, the whole is.
            Some(Strategy::Smart) | None => false,
        };
        if let (true, Some(hold)) = (by_parts, &reduction.hold) {
            let mut changes = Vec::new();
            above(&reduction.of, &mut changes);
            found.push(HeldParts {
                place: reduction.place,
                relation: reduction
                    .relation
                    .as_ref()
                    .map(|relation| &relation.name[..]),
                hold,
                changes,
            });
        }
    });
    found
}

/// What changes labels of the parts of a behaviour that a strategy reduces.
fn above<'a>(of: &'a Behaviour, changes: &mut Vec<Change<'a>>) {
    if !expand::is_composed(of) {
        return;
    }
    match of {
        Behaviour::Rename(mode, renaming, _) => changes.push(Change::Rename(*mode, renaming)),
        Behaviour::Vectors { vectors, .. } => changes.push(Change::Vectors(vectors)),
        Behaviour::File { .. }
        | Behaviour::Process { .. }
        | Behaviour::Stop
        | Behaviour::Chaos(_)
        | Behaviour::Buffer { .. }
        | Behaviour::Generation(_)
        | Behaviour::Reduction(_)
        | Behaviour::Hide(..)
        | Behaviour::Cut(..)
        | Behaviour::Prio(..)
        | Behaviour::Par { .. }
        | Behaviour::Infix(..)
        | Behaviour::Abstraction { .. }
        | Behaviour::Abstractions(_) => {}
    }
    for part in parts(of) {
        above(part, changes);
    }
}

/// A source in a language that has to be compiled, which Hyades does not do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompiledSource {
    /// Where it is named.
    pub place: Place,
    /// The file.
    pub file: String,
    /// The names of the process in it, the shortest first; none if it is the whole file.
    pub processes: Vec<String>,
    /// The process as the script writes it.
    pub written: Option<String>,
    /// Files that take its place if they are there.
    pub substitutes: Vec<String>,
    /// Whether the script may make one of these before it is needed.
    pub may_be_made: bool,
}

impl CompiledSource {
    /// Whether a user calls it by this name: the file, or it or its stem and the process,
    /// or the process.
    pub fn is_called(&self, name: &str) -> bool {
        let Self {
            file, processes, ..
        } = self;
        let stem = stem(file);
        let is_process = |process: &String| {
            name == process
                || name
                    .strip_suffix(&process[..])
                    .is_some_and(|rest| rest == format!("{file}:") || rest == format!("{stem}:"))
        };
        match processes.is_empty() {
            true => name == file,
            false => processes.iter().any(is_process),
        }
    }

    /// What to tell about it.
    pub fn advice(&self) -> String {
        let (language, compiler) = compiler(&self.file).unwrap_or(("unknown", "lnt.open"));
        let wanted = shell_word(&self.substitutes[0]);
        let root = match &self.written {
            Some(process) => format!(" -root {}", shell_word(process)),
            None => String::new(),
        };
        format!(
            "\"{}\" is {language}, which Hyades does not compile; run `{compiler}{root} {} generator \
             {wanted}` where CADP is, and put {wanted} into the working directory",
            self.file,
            shell_word(&self.file)
        )
    }
}

/// The sources that have to be compiled and whose names have no variables.
pub fn compiled_sources(script: &Script) -> Vec<CompiledSource> {
    let mut found = Vec::new();
    // What is made before, and what lines for the shell say.
    let mut made: HashSet<String> = HashSet::new();
    let mut lines: Vec<String> = Vec::new();
    let mut default_file: Option<String> = None;
    let instances = Instances::of(script);
    walk(&script.items, &mut |step| {
        // A file, or a process as it is written, of the instances of this file.
        let mut add = |place: Place, file: &str, written: Option<&str>, of: Option<&str>| {
            if compiler(file).is_none() {
                return;
            }
            let processes = written.map_or(vec![], |written| instances.names(of, written));
            let substitutes = substitutes(file, &processes);
            let stem = stem(file);
            // A variable may have any value.
            let is_told =
                |line: &String| line.contains(&format!("{stem}.")) && !line.contains("DEFAULT_");
            found.push(CompiledSource {
                place,
                file: file.to_owned(),
                processes,
                written: written.map(str::to_owned),
                may_be_made: substitutes.iter().any(|name| made.contains(name))
                    || lines.iter().any(is_told),
                substitutes,
            });
        };
        match step {
            Step::Item(item) => match &item.kind {
                ItemKind::Shell(line) => {
                    if let Some(value) = assigned(line, "DEFAULT_PROCESS_FILE") {
                        default_file = value;
                    }
                    lines.push(line.clone());
                }
                // A target counts for what follows.
                ItemKind::Assignment(target, _) => {
                    made.extend(target.as_literal().map(str::to_owned));
                }
                ItemKind::Verification(_)
                | ItemKind::Expectation(_)
                | ItemKind::Property(_)
                | ItemKind::Check(..) => {}
            },
            Step::Behaviour(Behaviour::File {
                place,
                name,
                process,
            }) => {
                let process = process.as_ref().map(Text::as_literal);
                let (Some(file), None | Some(Some(_))) = (name.as_literal(), process) else {
                    return;
                };
                match (file.contains('['), &default_file) {
                    (true, Some(default)) => add(*place, default, Some(file), None),
                    (true, None) => {}
                    (false, _) => add(*place, file, process.flatten(), Some(stem(file))),
                }
            }
            Step::Behaviour(Behaviour::Process {
                place,
                name,
                gates,
                arguments,
            }) => {
                let written = written(name, gates, arguments.as_deref());
                if let (Some(written), Some(default)) = (written, &default_file) {
                    add(*place, default, Some(&written), None);
                }
            }
            Step::Behaviour(_) | Step::Question(_) => {}
        }
    });
    found
}

/// The value that a line gives to a variable, if it does: none if it is not plain.
fn assigned(line: &str, variable: &str) -> Option<Option<String>> {
    let at = line.find(&format!("{variable}="))?;
    let value = &line[at + variable.len() + 1..];
    let value = value.trim_end().trim_end_matches(';').trim_end();
    let value = value.trim_matches(['"', '\'']);
    let is_plain = |c: char| c.is_alphanumeric() || "._-/".contains(c);
    Some(value.chars().all(is_plain).then(|| value.to_owned()))
}

/// What a behaviour is, not its parts, that is known and not supported: where it stands, and
/// what to tell.
pub(crate) fn unsupported(of: &Behaviour) -> Option<(Place, String)> {
    match of {
        Behaviour::Abstractions(abstractions) => {
            let text = match abstractions.is_refined {
                true => {
                    "`refined abstraction` is not supported: write `abstraction` with the \
                     interface as a network"
                }
                false => "several interfaces are not supported: compose them to a network first",
            };
            Some((abstractions.place, text.into()))
        }
        Behaviour::Buffer {
            place,
            discipline,
            places,
            labels,
        } => Some((*place, buffers::refusal(*discipline, *places, labels)?)),
        Behaviour::File { .. }
        | Behaviour::Process { .. }
        | Behaviour::Stop
        | Behaviour::Chaos(_)
        | Behaviour::Generation(_)
        | Behaviour::Reduction(_)
        | Behaviour::Hide(..)
        | Behaviour::Cut(..)
        | Behaviour::Rename(..)
        | Behaviour::Prio(..)
        | Behaviour::Par { .. }
        | Behaviour::Vectors { .. }
        | Behaviour::Infix(..)
        | Behaviour::Abstraction { .. } => None,
    }
}

/// Why a line for the shell is refused, if it is: it is one for `svl` itself.
pub(crate) fn refused_line(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("include")?;
    let file = rest.trim_start().strip_prefix('"')?;
    (file.len() + 1 < rest.len()).then(|| {
        format!(
            "`include \"{}` is not supported: put what the file says here, or run it by a line for \
             the shell (`% svl FILE.svl`)",
            file.trim_end().trim_end_matches(';').trim_end()
        )
    })
}

/// What else is known not to work: XTL, what is not supported of behaviours, `include`,
/// sources as targets, and properties that check themselves.
pub fn refusals(script: &Script) -> Vec<SyntaxError> {
    let mut found = endless_checks(&script.items);
    const XTL: &str = "XTL is not supported: write the formula in MCL";
    walk(&script.items, &mut |step| {
        let Item { place, kind } = match step {
            Step::Item(item) => item,
            Step::Behaviour(of) => {
                let refused = unsupported(of);
                found.extend(refused.map(|(place, text)| SyntaxError { place, text }));
                return;
            }
            Step::Question(_) => return,
        };
        let mut add = |text: String| {
            found.push(SyntaxError {
                place: *place,
                text,
            });
        };
        match kind {
            ItemKind::Verification(verification) => {
                let file = match &verification.question {
                    Question::Formula(file, _) => file.ending(),
                    Question::Comparison { .. }
                    | Question::Inline(..)
                    | Question::Deadlock(_)
                    | Question::Livelock(_) => "",
                };
                if verification.tool.as_deref() == Some("xtl") || file.ends_with(".xtl") {
                    add(XTL.into());
                }
            }
            ItemKind::Assignment(target, _) if compiler(target.ending()).is_some() => {
                add(format!(
                    "{target} is a source, and no state space is written to it: a file to write \
                     ends in .bcg, .aut or .exp"
                ));
            }
            ItemKind::Shell(line) => {
                if let Some(text) = refused_line(line) {
                    add(text);
                }
            }
            ItemKind::Assignment(..)
            | ItemKind::Expectation(_)
            | ItemKind::Property(_)
            | ItemKind::Check(..) => {}
        }
    });
    found
}

/// Checks of properties that come to the property they stand in again, where the script comes to
/// them and no line for the shell decides before whether it does.
///
/// O(items).
fn endless_checks(items: &[Item]) -> Vec<SyntaxError> {
    let mut runs: HashMap<&str, Vec<(Place, &str)>> = HashMap::new();
    runs_of_properties(items, &mut runs);
    let mut found = Vec::new();
    let mut done: HashSet<&str> = HashSet::new();
    for (_, start) in certain_runs(items) {
        // Properties that are within one another, and what of each has been gone through.
        let mut path: Vec<(&str, usize)> = vec![(start, 0)];
        let mut open: HashSet<&str> = HashSet::from([start]);
        while let Some((name, next)) = path.last_mut() {
            let name = *name;
            let run = match done.contains(name) {
                true => None,
                false => runs.get(name).and_then(|runs| runs.get(*next)),
            };
            *next += 1;
            match run {
                Some((place, other)) if open.contains(other) => found.push(SyntaxError {
                    place: *place,
                    text: format!(
                        "the property `{other}` is checked within itself here, without end: put \
                         what is needed twice into a property of its own, or let a line for the \
                         shell (`% if …`) decide before"
                    ),
                }),
                Some((_, other)) => {
                    open.insert(other);
                    path.push((other, 0));
                }
                None => {
                    done.insert(name);
                    open.remove(name);
                    path.pop();
                }
            }
        }
    }
    found
}

/// The properties that a script, or a property, runs for certain: those that are checked in it
/// and those in it without parameters, before the first line for the shell.
fn certain_runs(items: &[Item]) -> impl Iterator<Item = (Place, &str)> {
    let certain = items.iter();
    let certain = certain.take_while(|item| !matches!(item.kind, ItemKind::Shell(_)));
    certain.filter_map(|item| match &item.kind {
        ItemKind::Check(name, _) => Some((item.place, &name[..])),
        ItemKind::Property(inner) if inner.parameters.is_empty() => {
            Some((item.place, &inner.name[..]))
        }
        ItemKind::Property(_)
        | ItemKind::Shell(_)
        | ItemKind::Assignment(..)
        | ItemKind::Verification(_)
        | ItemKind::Expectation(_) => None,
    })
}

/// What each property runs for certain.
fn runs_of_properties<'a>(items: &'a [Item], runs: &mut HashMap<&'a str, Vec<(Place, &'a str)>>) {
    for item in items {
        let ItemKind::Property(property) = &item.kind else {
            continue;
        };
        runs.insert(&property.name, certain_runs(&property.items).collect());
        runs_of_properties(&property.items, runs);
    }
}

/// A file that a script writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target<'a> {
    /// Where the statement begins.
    pub place: Place,
    /// What it is called.
    pub name: &'a Text,
    /// Whether it takes the reason of a verdict.
    pub is_reason: bool,
}

/// All files that a script writes, but for those of lines for the shell.
pub fn targets(script: &Script) -> Vec<Target<'_>> {
    let mut found = Vec::new();
    walk(&script.items, &mut |step| {
        let Step::Item(Item { place, kind }) = step else {
            return;
        };
        let (name, is_reason) = match kind {
            ItemKind::Assignment(target, _) => (Some(target), false),
            ItemKind::Verification(verification) => (verification.reason.as_ref(), true),
            ItemKind::Shell(_)
            | ItemKind::Property(_)
            | ItemKind::Expectation(_)
            | ItemKind::Check(..) => (None, false),
        };
        found.extend(name.map(|name| Target {
            place: *place,
            name,
            is_reason,
        }));
    });
    found
}

/// The files that a script names to be read and whose names have no variables, but for those
/// of lines for the shell; a name without an ending has that of CADP's format.
pub fn inputs(script: &Script) -> Vec<String> {
    let mut found = Vec::new();
    walk(&script.items, &mut |step| {
        let mut add = |name: Option<&Text>| {
            found.extend(name.and_then(Text::as_literal).map(str::to_owned));
        };
        match step {
            Step::Behaviour(Behaviour::File { name, .. }) => match name.as_literal() {
                Some(plain) if ending(plain).is_none() => found.push(format!("{plain}.bcg")),
                _ => add(Some(name)),
            },
            Step::Behaviour(of) => add(rules(of)),
            Step::Question(Question::Formula(file, _)) => add(Some(file)),
            Step::Question(_) | Step::Item(_) => {}
        }
    });
    found
}

/// A formula of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormulaUse {
    /// Where it begins, if it is in the script, and otherwise where the statement does that
    /// has it.
    pub place: Place,
    /// Where it is.
    pub source: FormulaSource,
}

/// Where a formula is; names and texts with variables are left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FormulaSource {
    /// In a file of this name.
    File(String),
    /// In the script: the text.
    Text(String),
    /// In a library that a line for the shell names: a formula that includes it.
    Library(String),
}

/// The formulas of a script.
pub fn formulas(script: &Script) -> Vec<FormulaUse> {
    let mut found = Vec::new();
    walk(&script.items, &mut |step| {
        let Step::Item(Item { place, kind }) = step else {
            return;
        };
        let mut add = |source| {
            found.push(FormulaUse {
                place: *place,
                source,
            });
        };
        match kind {
            ItemKind::Verification(verification) => match &verification.question {
                Question::Formula(file, _) => {
                    if let Some(file) = file.as_literal() {
                        add(FormulaSource::File(file.to_owned()));
                    }
                }
                Question::Inline(_, text, place) => {
                    found.extend(text.as_literal().map(|text| FormulaUse {
                        place: *place,
                        source: FormulaSource::Text(text.to_owned()),
                    }));
                }
                Question::Comparison { .. } | Question::Deadlock(_) | Question::Livelock(_) => {}
            },
            ItemKind::Shell(line) => {
                if let Some((_, names)) = line.split_once("DEFAULT_MCL_LIBRARIES=") {
                    let names = names.split([' ', '\t', ',', '"', '\'', ';']);
                    for name in names.filter(|name| !name.is_empty()) {
                        let include = format!("library \"{name}\" end_library true");
                        add(FormulaSource::Library(include));
                    }
                }
            }
            ItemKind::Assignment(..)
            | ItemKind::Property(_)
            | ItemKind::Expectation(_)
            | ItemKind::Check(..) => {}
        }
    });
    found
}

/// An operator of a script whose labels have no variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OperatorUse {
    /// Where the statement begins that has it.
    pub place: Place,
    /// The operator as a network of the file [`OPERAND`] only.
    pub text: String,
    /// What that file says, in AUT: it has the labels that a priority is given over themselves.
    pub operand: String,
}

/// What the operands of [`OperatorUse`] are.
pub const OPERAND: &str = "x.aut";

/// The operators of a script that networks have, and labels that are held or synchronised as what
/// is hidden, where no labels have variables.
///
/// O(length).
pub fn operators(script: &Script) -> Vec<OperatorUse> {
    let mut found = Vec::new();
    let mut texts = Vec::new();
    walk(&script.items, &mut |step| match step {
        Step::Behaviour(of) => {
            texts.extend(alone(of).map(|of| (Whole(&of).to_string(), operand(&of))));
        }
        Step::Item(item) => found.extend(texts.drain(..).map(|(text, operand)| OperatorUse {
            place: item.place,
            text,
            operand,
        })),
        Step::Question(_) => {}
    });
    // Where a backslash keeps what follows from being a variable, networks have none.
    found.retain(|used| !used.text.contains("\\$"));
    found
}

/// A system for an operator: of labels nothing is known, but that those matter that stand in a
/// chain of priorities twice.
fn operand(of: &Behaviour) -> String {
    let mut twice: Vec<&str> = Vec::new();
    if let Behaviour::Prio(_, chains, _) = of {
        for chain in chains {
            let mut seen = HashSet::new();
            let labels = chain.iter().flat_map(|labels| match labels {
                Labels::Listed {
                    all_but: false,
                    labels,
                } => &labels[..],
                Labels::Listed { .. } | Labels::Using(_) => &[],
            });
            let texts = labels.filter_map(|label| label.text.as_literal());
            let is_special = |c| matches!(c, '"' | '\\' | '.' | '[' | '*' | '^' | '$');
            let plain = texts.filter(|text| !text.contains(is_special));
            twice.extend(plain.filter(|text| !seen.insert(*text)));
        }
    }
    let mut text = format!("des (0, {}, 1)\n", twice.len());
    for label in twice {
        text.push_str(&format!("(0, \"{label}\", 0)\n"));
    }
    text
}

/// The operator of a behaviour with other operands, if its labels are known.
fn alone(of: &Behaviour) -> Option<Behaviour> {
    let file = || Behaviour::File {
        place: Place::default(),
        name: Text::literal(OPERAND),
        process: None,
    };
    let hidden = |labels: &Labels| Behaviour::Hide(None, labels.clone(), Box::new(file()));
    let (mut labels, mut lists): (Vec<&Label>, Vec<&Labels>) = (Vec::new(), Vec::new());
    let operator = match of {
        Behaviour::Hide(mode, hidden, _) => {
            lists.push(hidden);
            Behaviour::Hide(*mode, hidden.clone(), Box::new(file()))
        }
        Behaviour::Cut(mode, cut, _) => {
            lists.push(cut);
            Behaviour::Cut(*mode, cut.clone(), Box::new(file()))
        }
        Behaviour::Rename(mode, renaming, _) => {
            let Renaming::Listed(rules) = renaming else {
                return None;
            };
            labels.extend(rules.iter().flat_map(|(from, to)| [from, to]));
            Behaviour::Rename(*mode, renaming.clone(), Box::new(file()))
        }
        Behaviour::Prio(mode, chains, _) => {
            lists.extend(chains.iter().flatten());
            Behaviour::Prio(*mode, chains.clone(), Box::new(file()))
        }
        Behaviour::Par {
            mode,
            global,
            operands,
        } => {
            if let Some(Interface::Listed(global)) = global {
                labels.extend(global);
            }
            labels.extend(
                operands
                    .iter()
                    .filter_map(|(local, _)| local.as_ref())
                    .flatten(),
            );
            let operands = operands.iter();
            Behaviour::Par {
                mode: *mode,
                global: global.clone(),
                operands: operands.map(|(local, _)| (local.clone(), file())).collect(),
            }
        }
        Behaviour::Vectors {
            mode,
            vectors,
            operands,
        } => {
            for (elements, result) in vectors {
                labels.extend(elements.iter().flatten().chain([result]));
            }
            Behaviour::Vectors {
                mode: *mode,
                vectors: vectors.clone(),
                operands: operands.iter().map(|_| file()).collect(),
            }
        }
        Behaviour::Infix(operands, operators) => {
            for operator in operators {
                match operator {
                    Operator::Gates(gates)
                    | Operator::Semi {
                        gates: Some(gates), ..
                    } => labels.extend(gates),
                    Operator::Semi { gates: None, .. }
                    | Operator::Interleaving
                    | Operator::Full => {}
                }
            }
            let operands = operands.iter().map(|_| file()).collect();
            Behaviour::Infix(operands, operators.clone())
        }
        Behaviour::Reduction(reduction) => {
            let hold = reduction.hold.as_ref()?;
            lists.push(hold);
            hidden(hold)
        }
        Behaviour::Abstraction { sync, .. } => {
            let sync = sync.as_ref()?;
            lists.push(sync);
            hidden(sync)
        }
        Behaviour::File { .. }
        | Behaviour::Process { .. }
        | Behaviour::Stop
        | Behaviour::Chaos(_)
        | Behaviour::Buffer { .. }
        | Behaviour::Generation(_)
        | Behaviour::Abstractions(_) => return None,
    };
    for list in lists {
        match list {
            Labels::Listed { labels: own, .. } => labels.extend(own),
            Labels::Using(_) => return None,
        }
    }
    let is_known = |label: &&Label| label.text.as_literal().is_some();
    labels.iter().all(is_known).then_some(operator)
}

/// The file with rules that a behaviour names itself, not its parts.
pub(crate) fn rules(of: &Behaviour) -> Option<&Text> {
    match of {
        Behaviour::Hide(_, Labels::Using(file), _)
        | Behaviour::Cut(_, Labels::Using(file), _)
        | Behaviour::Rename(_, Renaming::Using(file), _)
        | Behaviour::Abstraction {
            sync: Some(Labels::Using(file)),
            ..
        } => Some(file),
        Behaviour::Reduction(reduction) => match &reduction.hold {
            Some(Labels::Using(file)) => Some(file),
            Some(Labels::Listed { .. }) | None => None,
        },
        Behaviour::Abstractions(abstractions) => match &abstractions.sync {
            Some(Labels::Using(file)) => Some(file),
            Some(Labels::Listed { .. }) | None => None,
        },
        Behaviour::Hide(_, Labels::Listed { .. }, _)
        | Behaviour::Cut(_, Labels::Listed { .. }, _)
        | Behaviour::Rename(_, Renaming::Listed(..), _)
        | Behaviour::Abstraction {
            sync: Some(Labels::Listed { .. }) | None,
            ..
        }
        | Behaviour::File { .. }
        | Behaviour::Process { .. }
        | Behaviour::Stop
        | Behaviour::Chaos(_)
        | Behaviour::Buffer { .. }
        | Behaviour::Generation(_)
        | Behaviour::Prio(..)
        | Behaviour::Par { .. }
        | Behaviour::Vectors { .. }
        | Behaviour::Infix(..) => None,
    }
}

/// What is met on a walk.
enum Step<'a> {
    /// An item, after its parts.
    Item(&'a Item),
    Question(&'a Question),
    Behaviour(&'a Behaviour),
}

fn walk<'a>(items: &'a [Item], visit: &mut dyn FnMut(Step<'a>)) {
    for item in items {
        match &item.kind {
            ItemKind::Assignment(_, of) => walk_behaviour(of, visit),
            ItemKind::Verification(verification) => {
                visit(Step::Question(&verification.question));
                for of in subjects(&verification.question) {
                    walk_behaviour(of, visit);
                }
            }
            ItemKind::Property(property) => walk(&property.items, visit),
            ItemKind::Shell(_) | ItemKind::Expectation(_) | ItemKind::Check(..) => {}
        }
        visit(Step::Item(item));
    }
}

/// All behaviours of some items.
pub(crate) fn each_behaviour<'a>(items: &'a [Item], visit: &mut dyn FnMut(&'a Behaviour)) {
    walk(items, &mut |step| match step {
        Step::Behaviour(of) => visit(of),
        Step::Item(_) | Step::Question(_) => {}
    });
}

/// What a question is about.
pub(crate) fn subjects(question: &Question) -> Vec<&Behaviour> {
    match question {
        Question::Comparison { left, right, .. } => vec![left, right],
        Question::Formula(_, of)
        | Question::Inline(of, _, _)
        | Question::Deadlock(of)
        | Question::Livelock(of) => vec![of],
    }
}

/// The parts of a behaviour.
pub(crate) fn parts(of: &Behaviour) -> Vec<&Behaviour> {
    match of {
        Behaviour::File { .. }
        | Behaviour::Process { .. }
        | Behaviour::Stop
        | Behaviour::Chaos(_)
        | Behaviour::Buffer { .. } => vec![],
        Behaviour::Generation(of)
        | Behaviour::Hide(_, _, of)
        | Behaviour::Cut(_, _, of)
        | Behaviour::Rename(_, _, of)
        | Behaviour::Prio(_, _, of) => vec![of],
        Behaviour::Reduction(reduction) => vec![&reduction.of],
        Behaviour::Par { operands, .. } => operands.iter().map(|(_, of)| of).collect(),
        Behaviour::Vectors { operands, .. } | Behaviour::Infix(operands, _) => {
            operands.iter().collect()
        }
        Behaviour::Abstraction { interface, of, .. } => vec![interface, of],
        Behaviour::Abstractions(abstractions) => {
            let interfaces = abstractions.interfaces.iter();
            interfaces.chain([&abstractions.of]).collect()
        }
    }
}

fn walk_behaviour<'a>(of: &'a Behaviour, visit: &mut dyn FnMut(Step<'a>)) {
    visit(Step::Behaviour(of));
    for part in parts(of) {
        walk_behaviour(part, visit);
    }
}

/// All behaviours within one, itself first.
pub(crate) fn each<'a>(of: &'a Behaviour, visit: &mut dyn FnMut(&'a Behaviour)) {
    walk_behaviour(of, &mut |step| match step {
        Step::Behaviour(of) => visit(of),
        Step::Item(_) | Step::Question(_) => {}
    });
}
