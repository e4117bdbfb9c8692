//! Refinement checking: does an implementation do nothing that its specification
//! forbids?
//!
//! * [`Semantics`] says what is compared: traces, failures, or failures and
//!   divergences.
//! * [`Specification`] is a specification in normal form.
//! * [`refine`] explores the [`Product`] of it and an implementation, which is any
//!   [`Model`](hyades_explore::Model), and gives a [`Counterexample`] if there is one.
//! * [`refine_by_antichains`] decides for two LTSs without a normal form, where that would
//!   be too large.
//! * [`Representatives`] say which pairs of the product stand for others, for
//!   symmetry reduction, as the layer of networks does it.
//!
//! ```
//! use hyades_formats::{LtsBuilder, StateId};
//! use hyades_refinement::{RefineOptions, Semantics, Specification, RefinementVerdict, refine};
//!
//! // Tea or coffee, as the customer likes.
//! let mut builder = LtsBuilder::new(0);
//! builder.add_text(0, b"tea", 1)?;
//! builder.add_text(0, b"coffee", 1)?;
//! let specification = builder.build(StateId::new(0))?;
//! // Tea only.
//! let mut builder = LtsBuilder::new(0);
//! builder.add_text(0, b"tea", 1)?;
//! let machine = builder.build(StateId::new(0))?;
//!
//! let traces = Specification::new(&specification, Semantics::Traces, None)?;
//! let found = refine(&traces, &machine, RefineOptions::default())?;
//! assert_eq!(found.verdict, RefinementVerdict::Holds);
//! let failures = Specification::new(&specification, Semantics::Failures, None)?;
//! let found = refine(&failures, &machine, RefineOptions::default())?;
//! let RefinementVerdict::Fails(shown) = found.verdict else { panic!("coffee is refused") };
//! assert!(shown.visible_trace().is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod antichains;
mod counterexample;
mod hidden;
mod layout;
mod normal;
mod product;
mod search;
mod specification;
mod walk;

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use hyades_formats::named;

pub use antichains::{Inclusion, refine_by_antichains, worthwhile_nodes};
pub use counterexample::{Counterexample, CounterexampleStep, Violation};
pub use normal::SpecificationError;
pub use product::{
    Identity, Pair, Product, ProductScratch, Representatives, VIOLATION, Violations, text_of,
};
pub use search::{RefineOptions, Refinement, RefinementVerdict, Shortest, refine, refine_by};
pub use specification::Specification;
pub use walk::Reason;

/// A semantics of the process algebra CSP, in which an implementation refines a
/// specification if all that it does the specification does as well.
///
/// A **trace** is a sequence of visible labels that can be gone through, with
/// hidden steps anywhere. A state is **stable** if it has no hidden step; a stable
/// state **accepts** the visible labels of its transitions and **refuses** all
/// others. A **failure** is a trace and a set of labels that are all refused by a
/// stable state that the trace leads to. A trace **diverges** if it, or a part it
/// begins with, leads to a state from which hidden steps can go on for ever.
///
/// Parsed from and printed as `T`, `F`, `FD`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Semantics {
    /// The traces.
    Traces,
    /// The traces and the failures: the stable failures. Divergence does not
    /// count; a state that is not stable fails nothing.
    Failures,
    /// The failures and the divergences. What comes after a divergence of the
    /// specification does not count: anything refines it.
    #[default]
    FailuresDivergences,
}

named! {
    Semantics:
    Traces = "T",
    Failures = "F",
    FailuresDivergences = "FD",
}

impl Semantics {
    /// Whether failures count: what stable states refuse.
    pub const fn counts_failures(self) -> bool {
        match self {
            Semantics::Failures | Semantics::FailuresDivergences => true,
            Semantics::Traces => false,
        }
    }

    /// Whether divergences count.
    pub const fn counts_divergences(self) -> bool {
        match self {
            Semantics::FailuresDivergences => true,
            Semantics::Traces | Semantics::Failures => false,
        }
    }

    /// What counts, in words.
    pub const fn meaning(self) -> &'static str {
        match self {
            Semantics::Traces => "traces",
            Semantics::Failures => "failures",
            Semantics::FailuresDivergences => "failures and divergences",
        }
    }
}

impl FromStr for Semantics {
    type Err = UnknownSemantics;

    fn from_str(name: &str) -> Result<Self, UnknownSemantics> {
        Self::from_name(name).ok_or_else(|| UnknownSemantics(name.to_owned()))
    }
}

/// The name given is not that of a [`Semantics`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSemantics(pub String);

impl fmt::Display for UnknownSemantics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(name) = self;
        let known = Semantics::ALL.map(|known| format!("{known} ({})", known.meaning()));
        let known = known.join(", ");
        write!(f, "unknown semantics `{name}`; there are {known}")
    }
}

impl std::error::Error for UnknownSemantics {}
