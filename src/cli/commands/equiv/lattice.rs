//! All relations between two systems: as text and JSON, and where they stand.

use std::fmt::Write as _;

use hyades_equivalence::Relation;
use hyades_equivalence::compare::{Order, Side, Verdict};
use hyades_equivalence::spectrum::Entry;
use hyades_formats::TooLarge;
use serde_json::{Value, json};

use super::reasons::{in_one_line, reason_json};

/// How two systems lie to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// Each is below the other one.
    Equivalent,
    /// The first is below the second, and not the other way round.
    Below,
    /// The second is below the first, and not the other way round.
    Above,
    /// Neither is below the other one.
    Incomparable,
    /// One is not below the other one, and whether that is below the first is not known:
    /// they are not equivalent.
    Different,
    /// Whether they are equivalent is not known.
    Unknown,
}

/// What the marks say.
const LEGEND: &str = "= equivalent, < A below B, > B below A, x incomparable, ! not equivalent \
                      (one direction unknown), ? unknown";

impl Position {
    /// What both verdicts say.
    pub fn of(order: &Order) -> Self {
        match (&order.below, &order.above) {
            (Verdict::Holds, Verdict::Holds) => Position::Equivalent,
            (Verdict::Holds, Verdict::Fails(_)) => Position::Below,
            (Verdict::Fails(_), Verdict::Holds) => Position::Above,
            (Verdict::Fails(_), Verdict::Fails(_)) => Position::Incomparable,
            (Verdict::Fails(_), Verdict::Unknown) | (Verdict::Unknown, Verdict::Fails(_)) => {
                Position::Different
            }
            (Verdict::Unknown, Verdict::Holds | Verdict::Unknown)
            | (Verdict::Holds, Verdict::Unknown) => Position::Unknown,
        }
    }

    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Position::Equivalent => "equivalent",
            Position::Below => "below",
            Position::Above => "above",
            Position::Incomparable => "incomparable",
            Position::Different => "different",
            Position::Unknown => "unknown",
        }
    }

    /// What of systems with these names is so, in a sentence.
    pub fn sentence(order: &Order, [a, b]: &[String; 2]) -> String {
        const REST: &str = "was not found out within the limits";
        match (&order.below, &order.above) {
            (Verdict::Holds, Verdict::Holds) => format!("{a} and {b} are equivalent"),
            (Verdict::Holds, Verdict::Fails(_)) => format!("{a} is below {b}, not above"),
            (Verdict::Fails(_), Verdict::Holds) => format!("{a} is above {b}, not below"),
            (Verdict::Fails(_), Verdict::Fails(_)) => format!("{a} and {b} are incomparable"),
            (Verdict::Fails(_), Verdict::Unknown) => {
                format!("{a} is not below {b}; whether it is above {REST}")
            }
            (Verdict::Unknown, Verdict::Fails(_)) => {
                format!("{a} is not above {b}; whether it is below {REST}")
            }
            (Verdict::Holds, Verdict::Unknown) => {
                format!("{a} is below {b}; whether it is above {REST}")
            }
            (Verdict::Unknown, Verdict::Holds) => {
                format!("{a} is above {b}; whether it is below {REST}")
            }
            (Verdict::Unknown, Verdict::Unknown) => "not found out within the limits".to_owned(),
        }
    }

    /// In a character.
    pub const fn mark(self) -> char {
        match self {
            Position::Equivalent => '=',
            Position::Below => '<',
            Position::Above => '>',
            Position::Incomparable => 'x',
            Position::Different => '!',
            Position::Unknown => '?',
        }
    }
}

/// Where a relation stands in the picture, by column and row: below all that imply it.
pub const fn place(relation: Relation) -> (f32, u8) {
    match relation {
        Relation::Isomorphism => (4.5, 0),
        Relation::Strong => (4.5, 1),
        Relation::TwoNestedSim => (1.5, 2),
        Relation::DivSharp => (4.9, 2),
        Relation::RootedBranching => (8.4, 2),
        Relation::PossibleFutures => (0.6, 3),
        Relation::ReadySim => (2.4, 3),
        Relation::Sharp => (4.4, 3),
        Relation::DivBranching => (6.2, 3),
        Relation::ImpossibleFuturesStrong => (0.2, 4),
        Relation::ReadyTrace => (2.2, 4),
        Relation::Sim => (3.6, 4),
        Relation::SrBranching => (5.4, 4),
        Relation::DpWeak => (7.0, 4),
        Relation::Readiness => (1.0, 5),
        Relation::FailureTrace => (2.6, 5),
        Relation::Branching => (5.6, 5),
        Relation::RootedWeak => (8.4, 5),
        Relation::Revivals => (1.8, 6),
        Relation::Eta => (4.8, 6),
        Relation::Delay => (6.4, 6),
        Relation::Failures => (1.8, 7),
        Relation::BranchingSim => (3.9, 7),
        Relation::Observational => (5.6, 7),
        Relation::TauStarA => (7.2, 7),
        Relation::CompletedTrace => (0.8, 8),
        Relation::CoupledSim => (5.4, 8),
        Relation::Trace => (0.8, 9),
        Relation::WeakFailures => (2.6, 9),
        Relation::Contrasim => (4.6, 9),
        Relation::Safety => (6.3, 9),
        Relation::FailuresDivergence => (8.4, 9),
        Relation::ImpossibleFutures => (4.2, 10),
        Relation::WeakTrace => (4.5, 11),
    }
}

/// As text: the lattice, each relation on a line below all that imply it, and then a line
/// for each reason.
///
/// # Errors
/// None in practice: only for more labels than a table can hold.
pub fn text(entries: &[Entry], [a, b]: &[String; 2]) -> Result<String, TooLarge> {
    let mut text = format!("A: {a}\nB: {b}\n");
    writeln!(text, "{LEGEND}\n").expect("a text has room");
    let last = Relation::ALL.map(|r| place(r).1).into_iter().max();
    for row in 0..=last.unwrap_or(0) {
        let mut names: Vec<_> = entries
            .iter()
            .filter(|e| place(e.relation).1 == row)
            .collect();
        names.sort_by(|d, e| place(d.relation).0.total_cmp(&place(e.relation).0));
        let each = names
            .iter()
            .map(|e| format!("{} {}", Position::of(&e.order).mark(), e.relation));
        let line = each.collect::<Vec<_>>().join("   ");
        // Width 78, or what it takes.
        let indent = 78usize.saturating_sub(line.chars().count()) / 2;
        writeln!(text, "{:indent$}{line}", "").expect("a text has room");
    }
    text.push('\n');
    for entry in entries {
        for (side, verdict) in [
            (Side::First, &entry.order.below),
            (Side::Second, &entry.order.above),
        ] {
            // Of a symmetric relation one reason says it all.
            if side == Side::Second && !entry.relation.is_preorder() {
                continue;
            }
            let Verdict::Fails(witness) = verdict else {
                continue;
            };
            let reason = match witness {
                None if entry.relation == Relation::Isomorphism => {
                    "strongly bisimilar, but no renumbering of states makes one of the other"
                        .to_owned()
                }
                None => "no reason of a reasonable size was found".to_owned(),
                Some(witness) => {
                    let holder = match witness.holds_in() {
                        Side::First => "A",
                        Side::Second => "B",
                    };
                    format!("only {holder}: {}", in_one_line(witness)?)
                }
            };
            writeln!(text, "{}: {reason}", entry.relation).expect("a text has room");
        }
        if let Some(unknown) = unknown(&entry.order) {
            writeln!(text, "{}: {unknown}", entry.relation).expect("a text has room");
        }
    }
    Ok(text)
}

/// What of an order was not found out, if anything.
fn unknown(order: &Order) -> Option<&'static str> {
    let is_open = |verdict: &Verdict| matches!(verdict, Verdict::Unknown);
    match (is_open(&order.below), is_open(&order.above)) {
        (true, true) => Some("not found out within the limits"),
        (true, false) => Some("whether A is below B was not found out within the limits"),
        (false, true) => Some("whether B is below A was not found out within the limits"),
        (false, false) => None,
    }
}

/// Which of the entries' relations a relation implies, those left out that another one of
/// these implies.
pub fn implied(entries: &[Entry], relation: Relation) -> impl Iterator<Item = Relation> + '_ {
    let below = move |by: Relation| {
        let others = entries.iter().map(|e| e.relation);
        others.filter(move |&other| other != by && by.implies(other))
    };
    below(relation).filter(move |&next| !below(relation).any(|r| r != next && r.implies(next)))
}

/// As JSON: one object a relation.
///
/// # Errors
/// None in practice: only for more labels than a table can hold.
pub fn json(entries: &[Entry]) -> Result<Value, TooLarge> {
    let known = |verdict: &Verdict| match verdict {
        Verdict::Holds => Some(true),
        Verdict::Fails(_) => Some(false),
        Verdict::Unknown => None,
    };
    let reason = |verdict: &Verdict| match verdict {
        Verdict::Fails(Some(witness)) => reason_json(witness),
        Verdict::Holds | Verdict::Fails(None) | Verdict::Unknown => Ok(Value::Null),
    };
    let mut all = Vec::new();
    for Entry { relation, order } in entries {
        all.push(json!({
            "relation": relation.name(),
            "order": Position::of(order).name(),
            "below": known(&order.below),
            "above": known(&order.above),
            "not_below": reason(&order.below)?,
            "not_above": reason(&order.above)?,
            "implies": implied(entries, *relation).map(Relation::name).collect::<Vec<_>>(),
        }));
    }
    Ok(Value::Array(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(holds: Option<bool>) -> Verdict {
        match holds {
            Some(true) => Verdict::Holds,
            Some(false) => Verdict::Fails(None),
            None => Verdict::Unknown,
        }
    }

    fn order(below: Option<bool>, above: Option<bool>) -> Order {
        let [below, above] = [below, above].map(verdict);
        Order { below, above }
    }

    /// An order is open only if the equivalence is, and what is not known is told.
    #[test]
    fn one_direction_refutes_the_equivalence() {
        let names = ["A".to_owned(), "B".to_owned()];
        let all = [Some(true), Some(false), None];
        for (below, above) in all.into_iter().flat_map(|b| all.map(|a| (b, a))) {
            let order = order(below, above);
            let position = Position::of(&order);
            let is_open = matches!(order.clone().equivalence(), Verdict::Unknown);
            assert_eq!(position == Position::Unknown, is_open, "{order:?}");
            let is_different = order.is_open() && !is_open;
            assert_eq!(position == Position::Different, is_different, "{order:?}");
            let sentence = Position::sentence(&order, &names);
            assert_eq!(sentence.contains("not found out"), order.is_open());
            assert_eq!(unknown(&order).is_some(), order.is_open());
        }
        let order = order(Some(false), None);
        let relation = Relation::Contrasim;
        let entries = [Entry { relation, order }];
        let text = text(&entries, &names).unwrap();
        assert!(text.contains("! contrasim\n"), "{text}");
        let open = "contrasim: whether B is below A was not found out within the limits\n";
        assert!(text.ends_with(open), "{text}");
    }
}
