//! What a script wants that is known not to work.

use std::path::Path;
use std::str::FromStr;

use hyades_equivalence::reduction::Reduction;
use hyades_equivalence::{Relation, either};
use hyades_svl::syntax::{Order, Script};
use hyades_svl::{RelationUse, Role, SyntaxError};

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

/// Why a relation is refused, if it is.
fn refusal(used: &RelationUse) -> Option<String> {
    let RelationUse {
        name, markov, role, ..
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
