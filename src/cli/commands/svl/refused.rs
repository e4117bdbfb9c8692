//! What a script wants that is known not to work.

use std::fs;
use std::path::Path;
use std::str::FromStr;

use hyades_check::mcl::{self, LibraryFiles};
use hyades_equivalence::reduction::Reduction;
use hyades_equivalence::{Relation, either};
use hyades_formats::diagnostic::{Diagnostic, Severity, printable_path};
use hyades_formats::{Compression, Format, label};
use hyades_lts::relabel::{Action, Matching, Rules, Scope};
use hyades_network::Memory;
use hyades_svl::syntax::{Item, ItemKind, Label, Labels, Mode, Order, Renaming, Script};
use hyades_svl::{Change, FormulaSource, FormulaUse, OPERAND, RelationUse, Role, SyntaxError};

/// Relations that do not serve for what they are used for.
pub fn relations(script: &Script) -> Vec<SyntaxError> {
    let uses = hyades_svl::relations(script);
    let errors = uses.iter().filter_map(|used| {
        let text = refusal(used)?;
        Some(SyntaxError {
            place: used.place,
            text,
        })
    });
    errors.collect()
}

/// Formulas that are malformed: those in the script, unless they may mean something by
/// libraries that are read before them, and those in files that no line for the shell may
/// write before.
pub fn formulas(script: &Script) -> Vec<SyntaxError> {
    let uses = hyades_svl::formulas(script);
    let is_library = |used: &FormulaUse| matches!(used.source, FormulaSource::Library(_));
    if std::env::var_os("DEFAULT_MCL_LIBRARIES").is_some() || uses.iter().any(is_library) {
        return Vec::new();
    }
    let runs_lines = has_line(&script.items, "");
    let errors = uses.into_iter().filter_map(|used| {
        let is_known = match &used.source {
            FormulaSource::Text(_) => true,
            FormulaSource::File(file) => !runs_lines && file.ends_with(".mcl"),
            FormulaSource::Library(_) => false,
        };
        let (file, text) = is_known.then(|| text_of(used.source)).flatten()?;
        // What it includes may be written by then.
        if text.windows(7).any(|word| word == b"library") {
            return None;
        }
        let mut none = LibraryFiles::default();
        let error = mcl::parse_all(&text, &file, &mut none).err()?;
        let (at, message) = (error.place, error.message);
        Some(match file.is_empty() {
            true => SyntaxError {
                place: used.place.after(at.line as usize, at.column as usize),
                text: message,
            },
            false => SyntaxError {
                place: used.place,
                text: format!("{}:{at}: {message}", printable_path(Path::new(&file))),
            },
        })
    });
    errors.collect()
}

/// Operators that no network has with these labels: with patterns that are malformed, say, or
/// vectors of another length than there are operands.
pub fn operators(script: &Script, given: &[(String, String)]) -> Vec<SyntaxError> {
    // Another language has other customs.
    const LANGUAGE: &str = "EXP_OPEN_OPTIONS";
    let is_given = given.iter().any(|(name, _)| name == LANGUAGE);
    if is_given || std::env::var_os(LANGUAGE).is_some() || has_line(&script.items, LANGUAGE) {
        return Vec::new();
    }
    let mut files = Memory::default();
    let uses = hyades_svl::operators(script).into_iter();
    let errors = uses.filter_map(|used| {
        files.add(OPERAND, used.operand);
        let options = hyades_network::Options::default();
        let mut error = None;
        let mut sink = |told: Diagnostic| {
            if told.severity == Severity::Error && error.is_none() {
                error = Some(told.text);
            }
        };
        let _ = hyades_network::from_text("", used.text, &options, &files, &mut sink);
        Some(SyntaxError {
            place: used.place,
            text: error?,
        })
    });
    errors.collect()
}

/// The name of the file of a formula, nothing if it is in the script, and its text; none if the
/// file cannot be read.
pub fn text_of(source: FormulaSource) -> Option<(String, Vec<u8>)> {
    match source {
        FormulaSource::File(file) => {
            let text = fs::read(&file).ok()?;
            Some((file, text))
        }
        FormulaSource::Text(text) | FormulaSource::Library(text) => {
            Some((String::new(), text.into_bytes()))
        }
    }
}

/// Whether lines for the shell among some items have this text.
fn has_line(items: &[Item], text: &str) -> bool {
    items.iter().any(|item| match &item.kind {
        ItemKind::Shell(line) => line.contains(text),
        ItemKind::Property(property) => has_line(&property.items, text),
        ItemKind::Assignment(..)
        | ItemKind::Verification(_)
        | ItemKind::Expectation(_)
        | ItemKind::Check(..) => false,
    })
}

/// Why a relation is refused, if it is.
fn refusal(used: &RelationUse) -> Option<String> {
    let RelationUse {
        name,
        markov,
        role,
        has_hold,
        ..
    } = used;
    let is_partial = Reduction::from_str(name).is_ok_and(|r| r != Reduction::TauStar);
    let relation = match Relation::from_str(name) {
        Ok(relation) => Some(relation),
        Err(_) if is_partial => None,
        Err(_) => {
            return Some(format!(
                "found `{name}`, expected a relation, such as strong, branching or weak trace \
                 (hyades help relations lists all)"
            ));
        }
    };
    match (role, relation) {
        (Role::Comparison(_), _) if markov.is_some() => Some(
            "there are no stochastic or probabilistic comparisons: reduce both sides, and \
             compare the results"
                .into(),
        ),
        (Role::Comparison(_), None) => Some(format!(
            "{name} is no equivalence: it is a reduction, the result of which is branching \
             equivalent"
        )),
        (Role::Comparison(_), Some(relation)) if relation.has_strong_labels() => Some(format!(
            "{relation} depends on which labels are strong, and a comparison holds none: compare \
             what {relation} reduction hold … of makes of both sides by strong"
        )),
        (Role::Comparison(Order::Equivalent), Some(_)) => None,
        (Role::Comparison(Order::Below | Order::Above), Some(relation)) => {
            let has_preorder = relation.is_preorder()
                || matches!(
                    relation,
                    Relation::Strong
                        | Relation::Branching
                        | Relation::Observational
                        | Relation::TauStarA
                );
            (!has_preorder)
                .then(|| format!("{relation} is an equivalence without a preorder: use =="))
        }
        (Role::Reduction, Some(relation)) if relation.has_strong_labels() && !has_hold => {
            Some(format!(
                "{relation} depends on which labels are strong: name them, as in {relation} \
                 reduction hold A, B of …"
            ))
        }
        (Role::Reduction, relation)
            if *has_hold && !relation.is_some_and(Relation::has_strong_labels) =>
        {
            Some(format!(
                "found `hold` with {name}, expected it with sharp or divsharp, which alone depend \
                 on labels that are held"
            ))
        }
        (Role::Reduction, Some(relation)) if markov.is_some() => {
            let is_known = matches!(relation, Relation::Strong | Relation::Branching);
            (!is_known).then(|| {
                format!(
                    "{relation} is not known for rates and probabilities: strong and branching are"
                )
            })
        }
        (Role::Reduction, None) => None,
        (Role::Reduction, Some(relation)) => (!relation.has_quotient()).then(|| {
            format!(
                "there is no smallest LTS by {relation}: reduce by {}, which preserves it",
                either(relation.next_with_quotient())
            )
        }),
        (Role::Parts { has_priorities }, relation) => {
            let is_congruence = match (relation, has_priorities) {
                (Some(relation), true) => relation.is_congruence_with_priorities(),
                // Where strong labels are hidden outside of parts, what comes out is
                // equivalent at least by what these relations imply.
                (Some(Relation::Sharp | Relation::DivSharp), false) => true,
                (Some(relation), false) => relation.is_congruence(),
                (None, has_priorities) => !has_priorities,
            };
            let instead = if *has_priorities {
                "strong"
            } else {
                "branching"
            };
            (!is_congruence).then(|| {
                format!(
                    "{name} is not a congruence{}: parts may not be reduced by it one by one; \
                     write {name} reduction of leaf {instead} reduction of …",
                    if *has_priorities {
                        " for priorities"
                    } else {
                        ""
                    }
                )
            })
        }
    }
}

/// Reductions of parts by a relation for which some labels are strong, where something
/// above the parts makes a strong label of one that is none: what is the same in a part need
/// not be the same in the whole then.
pub fn held_labels(script: &Script) -> Vec<SyntaxError> {
    let held = hyades_svl::held_parts(script);
    let errors = held.iter().filter_map(|parts| {
        let name = match parts.relation.map(Relation::from_str) {
            None => "the relation by default",
            Some(Ok(relation @ (Relation::Sharp | Relation::DivSharp))) => relation.name(),
            Some(_) => return None,
        };
        let held = Held::of(parts.hold);
        let why = parts
            .changes
            .iter()
            .find_map(|change| held.made_by(change))?;
        Some(SyntaxError {
            place: parts.place,
            text: format!(
                "{name} is not a congruence here: {why}; parts may not be reduced by it one by \
                 one: hold both labels, or write {} reduction hold … of leaf strong reduction of …",
                parts.relation.unwrap_or("sharp")
            ),
        })
    });
    errors.collect()
}

/// Gates of labels that are held.
struct Held<'a> {
    /// None if what they are is known to the shell only.
    rules: Option<Rules>,
    /// Their texts, if there are no special characters in them.
    texts: Option<Vec<&'a str>>,
}

impl<'a> Held<'a> {
    fn of(labels: &'a Labels) -> Self {
        let Labels::Listed { all_but, labels } = labels else {
            return Self {
                rules: None,
                texts: None,
            };
        };
        let scope = if *all_but {
            Scope::AllBut
        } else {
            Scope::Matching
        };
        let mut rules = Rules::new(Action::Hide, Matching::Gate, scope);
        let texts: Option<Vec<&str>> = labels.iter().map(|l| l.text.as_literal()).collect();
        let mut add = |text: &&str| rules.push(text.as_bytes(), b"", None).is_ok();
        let is_known = texts
            .as_ref()
            .is_some_and(|texts| texts.iter().all(&mut add));
        let is_plain = |texts: &Vec<&str>| !all_but && texts.iter().all(|text| is_plain(text));
        Self {
            rules: is_known.then_some(rules),
            texts: texts.filter(is_plain),
        }
    }

    /// Why a change may make a label that is held of one that is not, if it may.
    fn made_by(&self, change: &Change<'_>) -> Option<String> {
        match change {
            Change::Rename(_, Renaming::Using(file)) => Some(format!(
                "what the rules of {file} make of labels that are not held is not known"
            )),
            Change::Rename(mode, Renaming::Listed(rules)) => {
                let made = |(from, to): &(Label, Label)| self.made_of(*mode, from, to);
                rules.iter().find_map(made)
            }
            Change::Vectors(vectors) => vectors.iter().find_map(|(elements, result)| {
                let mut elements = elements.iter().flatten();
                elements.find_map(|element| self.made_of(None, element, result))
            }),
        }
    }

    /// Why the one label may become one that is held, and is not held itself.
    fn made_of(&self, mode: Option<Mode>, from: &Label, to: &Label) -> Option<String> {
        let (from, to) = (&from.text, &to.text);
        let unknown = || Some(format!("whether {to} is held is not known"));
        let Some(rules) = &self.rules else {
            return unknown();
        };
        let Some(result) = to.as_literal().filter(|text| !text.contains('\\')) else {
            return unknown();
        };
        let gate = label::gate(result.as_bytes());
        let is_made = match mode {
            None | Some(Mode::Gate | Mode::Total | Mode::Label) => {
                let is_held = |text: &str| rules.concern(label::gate(text.as_bytes()));
                let source = from.as_literal().filter(|text| is_plain(text));
                rules.concern(gate) && !source.is_some_and(is_held)
            }
            // A part of a label becomes part of another one.
            Some(Mode::Partial | Mode::Single | Mode::Multiple) => {
                let contains = |text: &&str| gate.is_empty() || find(text.as_bytes(), gate);
                let texts = self.texts.as_ref();
                texts.is_none_or(|texts| texts.iter().any(contains))
            }
        };
        is_made.then(|| {
            format!("{from} becomes {to}, which makes a label that is held of one that is not")
        })
    }
}

/// Whether a text is no regular expression but for itself.
fn is_plain(text: &str) -> bool {
    !text.contains(['.', '[', '*', '^', '$', '\\'])
}

fn find(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Sources that have to be compiled, and that nothing takes the place of.
pub fn sources(script: &Script, lts: &[(String, String)]) -> Vec<SyntaxError> {
    let sources = hyades_svl::compiled_sources(script);
    let missing = sources.into_iter().filter(|source| {
        let is_told = |(spec, _): &(String, String)| source.is_called(spec);
        let is_there = |name: &String| Path::new(name).exists();
        !source.may_be_made && !lts.iter().any(is_told) && !source.substitutes.iter().any(is_there)
    });
    let errors = missing.map(|source| SyntaxError {
        place: source.place,
        text: source.advice(),
    });
    errors.collect()
}

/// Files to write with endings by which nothing is written.
pub fn targets(script: &Script) -> Vec<SyntaxError> {
    let targets = hyades_svl::targets(script);
    let errors = targets.iter().filter_map(|target| {
        let name = match target.name.as_literal() {
            Some(name) => name.to_owned(),
            // What is behind the last variable, which may end in a format.
            None => format!("_{}", target.name.ending()),
        };
        let is_packed = Compression::from_path(Path::new(&name)).is_some();
        let is_told = Format::from_path(Path::new(&name)).is_some();
        if target.name.as_literal().is_none() && is_packed && !is_told {
            return None;
        }
        let is_source = [".lnt", ".lotos", ".lot", ".fsp", ".c"];
        if !target.is_reason && is_source.iter().any(|ending| name.ends_with(ending)) {
            // There is more to say of them.
            return None;
        }
        Some(SyntaxError {
            place: target.place,
            text: format!("{}: {}", target.name, unwritable(&name, target.is_reason)?),
        })
    });
    errors.collect()
}

/// Why nothing is written to a file of this name, if so: its ending tells no format, or one
/// that is not written. Networks are, but not as reasons of verdicts.
pub fn unwritable(name: &str, is_reason: bool) -> Option<String> {
    if !is_reason && name.ends_with(".exp") {
        return None;
    }
    // Without an ending, it gets one.
    let ending = Format::ending(Path::new(name))?;
    match Format::from_path(Path::new(name)) {
        Some(format) if format.is_writable() => None,
        Some(format) => Some(format.unwritable()),
        None => Some(format!(
            "the ending .{ending} tells no format{}: use one of the endings {}{}",
            Compression::hint_of_ending(&ending),
            Format::list(Format::is_writable),
            if is_reason { "" } else { ", exp" }
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What scripts know of relations when they run is what `Relation` says.
    #[test]
    fn congruences_of_scripts_are_those_of_relations() {
        let functions = include_str!("../../../svl/shell/prelude.sh");
        let (_, rest) = functions
            .split_once("\nsvl_is_congruence () {")
            .expect("a function");
        let (_, names) = rest.split_once(" in\n").expect("a list");
        let (names, _) = names.split_once(')').expect("its end");
        let separates = |c: char| c == '|' || c == '\\' || c.is_whitespace();
        let names = names.split(separates).filter(|name| !name.is_empty());
        let listed: Vec<Relation> = names.map(|name| name.parse().expect(name)).collect();
        let fits = |r: &Relation| r.is_congruence() && r.has_quotient();
        assert!(listed.iter().all(fits), "{listed:?}");
        for relation in Relation::ALL.into_iter().filter(fits) {
            assert!(listed.contains(&relation), "{relation}");
        }
        let with_priorities = |r: &Relation| r.is_congruence_with_priorities() && r.has_quotient();
        let all: Vec<_> = Relation::ALL.into_iter().filter(with_priorities).collect();
        assert_eq!(all, [Relation::Strong]);
    }
}
