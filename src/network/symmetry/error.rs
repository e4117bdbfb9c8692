//! Why types are no symmetry of a network.

use std::fmt;

use hyades_formats::TooLarge;

/// Why types are no symmetry of a network, or none that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SymmetryError {
    /// A token of a label may be a value of two types, and nothing says of which.
    Ambiguous {
        /// The label.
        label: String,
        /// The token.
        value: String,
        /// The two types.
        types: [String; 2],
    },
    /// Two labels are the same but for the order of what is in sets.
    SameLabels([String; 2]),
    /// The network has priorities.
    Priorities,
    /// The network has choices that are too many rules.
    TooManyRules,
    /// Permuted, a component behaves like none.
    Component {
        /// What it is called.
        component: String,
        /// The values that are exchanged.
        exchanged: [String; 2],
        /// One of its labels and what becomes of it, if no component has that in a rule.
        label: Option<[String; 2]>,
    },
    /// Permuted, a rule is none.
    Rule {
        /// The rule.
        rule: String,
        /// The values that are exchanged.
        exchanged: [String; 2],
        /// What it would have to become.
        image: String,
    },
    /// Permuted, the specification behaves otherwise.
    Specification {
        /// The values that are exchanged.
        exchanged: [String; 2],
        /// One of its labels and what becomes of it, if it has not that.
        label: Option<[String; 2]>,
    },
    /// Components that behave alike can be exchanged in ways of which none was
    /// found that fits all permutations.
    NoAction,
    /// More states or labels than can be numbered.
    TooLarge(TooLarge),
}

impl From<TooLarge> for SymmetryError {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

impl fmt::Display for SymmetryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ambiguous {
                label,
                value,
                types: [first, second],
            } => write!(
                f,
                "in the label `{label}`, {value} may be of the type {first} or {second}: declare \
                 the types of the gate's tokens (`gate GATE : {first} …`)"
            ),
            Self::SameLabels([first, second]) => write!(
                f,
                "the labels `{first}` and `{second}` are the same but for the order of what is in \
                 sets, so that permutations cannot tell them apart: rename one to the other"
            ),
            Self::Priorities => f.write_str(
                "the network has priorities, which symmetries are not derived for: evaluate them \
                 first, or do without symmetries",
            ),
            Self::TooManyRules => f.write_str(
                "the network has choices of components that are too many rules for symmetries to \
                 be derived",
            ),
            Self::Component {
                component,
                exchanged: [v, w],
                label,
            } => {
                write!(
                    f,
                    "with {v} and {w} exchanged, the component {component} behaves like no \
                     component of the network that could stand for it"
                )?;
                described(f, label, "no component has in a rule")
            }
            Self::Rule {
                rule,
                exchanged: [v, w],
                image,
            } => write!(
                f,
                "with {v} and {w} exchanged, the rule {rule} would have to be the rule {image}, \
                 which the network does not have"
            ),
            Self::Specification {
                exchanged: [v, w],
                label,
            } => {
                write!(
                    f,
                    "with {v} and {w} exchanged, the specification is not the same"
                )?;
                described(f, label, "it does not have")
            }
            Self::NoAction => f.write_str(
                "some components behave alike, and no way was found to exchange them that fits \
                 all permutations",
            ),
            Self::TooLarge(error) => error.fmt(f),
        }
    }
}

fn described(f: &mut fmt::Formatter<'_>, label: &Option<[String; 2]>, nobody: &str) -> fmt::Result {
    match label {
        None => Ok(()),
        Some([own, image]) => write!(f, ": its label `{own}` becomes `{image}`, which {nobody}"),
    }
}

impl std::error::Error for SymmetryError {}
