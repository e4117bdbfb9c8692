//! What a suite is good for.

use std::fmt;

use hyades_formats::diagnostic::counted;

/// What is known of a suite by the way in which it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// Every machine of at most so many states that passes is equivalent to the
    /// specification.
    Complete(u64),
    /// The same, but for words that the specification, a partial machine, does not
    /// have: what passes answers all others as the specification does.
    AsFarAsDefined(u64),
    /// Complete for fewer states than were asked for.
    LessThanAsked {
        /// Complete for machines of so many states.
        complete: u64,
        /// So many were asked for.
        asked: u64,
    },
    /// The same for machines of any size whose states are all reached by a shortest
    /// word to a state of the specification and at most so many inputs more, or in
    /// which two of these words collide (k-A-completeness).
    Reached(u64),
    /// For Mealy machines of at most so many states, and Moore machines of more, whose
    /// initial output is that of the specification, which no test asks for.
    Moore {
        /// The most states of a Mealy machine.
        mealy: u64,
        /// The most states of a Moore machine.
        moore: u64,
    },
    /// All transitions of the specification are taken.
    Transitions,
    /// Every machine that is closed under the pattern's relation and passes is
    /// equivalent to the specification, if its states that words of the kernel lead to
    /// are of so few classes and so self-contained.
    Kernel {
        /// The most classes of equivalent states among them: m1.
        classes: u64,
        /// The last inputs of words that separate them that may leave them: m2.
        outside: u64,
    },
    /// Nothing.
    Nothing,
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Guarantee::Complete(most) => write!(
                f,
                "complete for implementations of at most {}",
                counted(*most, "state")
            ),
            Guarantee::AsFarAsDefined(most) => write!(
                f,
                "complete, as far as the specification has transitions, for implementations of at \
                 most {}",
                counted(*most, "state")
            ),
            Guarantee::LessThanAsked { complete, asked } => write!(
                f,
                "complete for implementations of at most {}, not of {asked} as the method's \
                 author claims",
                counted(*complete, "state")
            ),
            Guarantee::Reached(extra) => write!(
                f,
                "complete for implementations whose states are reached by the state cover and at \
                 most {} more",
                counted(*extra, "input")
            ),
            Guarantee::Moore { mealy, moore } => write!(
                f,
                "complete for implementations of at most {}, and for Moore machines of at most \
                 {moore} with the same initial output",
                counted(*mealy, "state")
            ),
            Guarantee::Transitions => f.write_str("takes every transition; no claim beyond"),
            Guarantee::Kernel { classes, outside } => write!(
                f,
                "complete for implementations closed under the pattern's relation, among the \
                 labels of the specification, whose kernel's image has at most {classes} {} and is {outside}-self-contained",
                if *classes == 1 { "class" } else { "classes" }
            ),
            Guarantee::Nothing => f.write_str("no claim"),
        }
    }
}
