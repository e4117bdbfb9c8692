//! What version 4 of MCL has and version 3 has not: data and bounded repetition.

use crate::syntax::{Language, Property};
use crate::walk::{Part, visit_state};

/// The first thing of a formula of MCL that version 4 of the language has only, in words,
/// in the order of the text; `None` if version 3 has all of it, or it is not of MCL.
/// O(size of the formula).
pub fn needs_version_4(property: &Property) -> Option<&'static str> {
    if property.language != Language::Mcl {
        return None;
    }
    let mut found = None;
    visit_state(&property.formula, &mut |part| {
        let needs = match part {
            Part::Offers => "a pattern of offers, `{ … }`",
            Part::Quantifier(..) => "a quantifier",
            Part::Expression(_) => "data",
            Part::Repeat => "a number of repetitions, `R {n}`",
            Part::Step(_) | Part::Action(..) | Part::Fixpoint(..) | Part::Values(..) => return,
        };
        found.get_or_insert(needs);
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcl;

    #[test]
    fn what_version_3_lacks() {
        let needs = |text: &str| {
            let parsed = mcl::parse(text.as_bytes(), "f", &mut mcl::NoLibraries);
            needs_version_4(&parsed.expect("a formula").property)
        };
        for text in [
            "[ true* . \"A\" ] < 'B.*' > true",
            "mu X. < \"A\" | nil > X or [ (not \"A\")+ . tau? ] false",
            "INEVITABLE (\"A\")",
        ] {
            assert_eq!(needs(text), None, "{text}");
        }
        for (text, what) in [
            ("[ true* . { A ?n:Nat } ] false", "offers"),
            ("[ true* . (\"B\" or not { A ... }) ] false", "offers"),
            ("< \"A\" {3} > true", "repetitions"),
            (
                "exists n:Nat among { 1 ... 2 }. < true > true",
                "quantifier",
            ),
            ("nu X (n:Nat := 0). [ \"A\" ] X (n + 1)", "data"),
            ("< if 1 < 2 then \"A\" end if > true", "data"),
        ] {
            let found = needs(text).unwrap_or_default();
            assert!(found.contains(what), "{text}: {found}");
        }
    }
}
