//! Networks that are reduced before or while they are explored.

use hyades_equivalence::{Relation, either};
use hyades_formats::diagnostic::counted;
use hyades_network::Network;
use hyades_network::compositional::{self, ReductionStep, Size};
use hyades_network::por::Reduction;
use serde_json::{Value, json};

use hyades_cli_core::any_model::{AnyModel, Explorable};
use hyades_cli_core::choices::first_given;
use hyades_cli_core::options::{LimitOptions, RelationOption};
use hyades_cli_core::run::say;
use hyades_cli_core::session::{Session, Verbosity};
use hyades_cli_core::status::Failure;

/// How a network is reduced.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Networks")]
pub struct ReductionOptions {
    /// Minimise the components of a network by the relation of -e, then compose some
    /// and minimise again, and so on, before it is explored; what is explored is
    /// equivalent by that relation
    #[arg(long)]
    compositional: bool,

    #[command(flatten)]
    relation: RelationOption,

    /// Compose no components whose product has more than N states (or those of
    /// --max-states, if these are fewer)
    #[arg(
        long,
        value_name = "N",
        requires = "compositional",
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    max_product: Option<u64>,

    /// Explore only some of the interleavings of a network, such that these
    /// remain: deadlocks (deadlock), these and sequences of visible labels
    /// (weaktrace), or everything up to branching bisimilarity with divergence
    /// (branching)
    #[arg(long, value_name = "KIND")]
    por: Option<Reduction>,
}

/// What a reduction must not change.
#[derive(Clone, Debug, Default)]
pub struct Preserved {
    /// Whether there are deadlocks.
    pub deadlock: bool,
    /// Whether there are cycles of hidden transitions.
    pub livelock: bool,
    /// Whether certain labels occur.
    pub labels: bool,
    /// Which sequences of labels there are, hidden ones among them.
    pub sequences: bool,
    /// A pattern, among those of labels to be found, that hidden transitions
    /// match.
    pub hidden: Option<String>,
    /// What is done with the transitions afterwards that would make other
    /// deadlocks of them: an option.
    pub afterwards: Option<&'static str>,
}

impl ReductionOptions {
    /// The first option that is given.
    pub fn given(&self) -> Option<&'static str> {
        first_given([
            (self.compositional, "--compositional"),
            (self.por.is_some(), "--por"),
        ])
    }

    /// By which relation components are minimised, if they are.
    fn minimised(&self) -> Option<Relation> {
        self.compositional.then(|| self.relation.get())
    }

    /// Refuses a relation that nothing is minimised by.
    ///
    /// # Errors
    /// If there is one.
    pub fn check_relation(&self) -> Result<(), Failure> {
        match self.relation.is_given() && !self.compositional {
            true => Err(Failure::error(
                "-e is the relation by which --compositional minimises components, and that is \
                 not given",
            )),
            false => Ok(()),
        }
    }

    /// Refuses all of these options for an input of this name.
    ///
    /// # Errors
    /// If there is one.
    pub fn refuse(&self, name: &str) -> Result<(), Failure> {
        match self.given() {
            None => Ok(()),
            Some(option) => Err(Failure::error(format!(
                "{option} is for networks (.exp), and {name} is none"
            ))),
        }
    }

    /// A model that is reduced as the options say. What was done is told and
    /// becomes part of the statistics.
    ///
    /// # Errors
    /// If it is no network, if a reduction would change what is asked, or if the
    /// components cannot be composed.
    pub fn apply(
        &self,
        session: &mut Session,
        given: Explorable,
        name: &str,
        demands: &Preserved,
        limits: &LimitOptions,
    ) -> Result<AnyModel, Failure> {
        let mut network = match given {
            Explorable::Network(network) => *network,
            Explorable::Model(model) => {
                self.refuse(name)?;
                return Ok(model);
            }
        };
        let hides = network.roots().iter().any(|(label, _)| label.is_hidden());
        self.check(demands, hides)?;
        if let Some(relation) = self.minimised() {
            let mut options = compositional::Options::new(relation);
            options.max_states = self.max_product.unwrap_or(options.max_states);
            // What is left is explored within the same limit.
            options.max_states = options
                .max_states
                .min(limits.max_states.unwrap_or(u64::MAX));
            network = compose(session, network, options)?;
        }
        Ok(AnyModel::of_network(network, self.por))
    }

    /// `hides` tells whether the network may have hidden transitions.
    ///
    /// # Errors
    /// If a reduction would change what is asked.
    fn check(&self, demands: &Preserved, hides: bool) -> Result<(), Failure> {
        let Preserved {
            deadlock,
            livelock,
            labels,
            sequences,
            ref hidden,
            afterwards,
        } = *demands;
        let relation = self.minimised();
        if sequences && (self.por.is_some() || relation.is_some_and(|r| r != Relation::Strong)) {
            return Err(Failure::error(
                "--find-sequence counts all transitions, of which --por and --compositional leave \
                 out hidden ones: use --compositional -e strong, or neither",
            ));
        }
        if let Some(relation) = relation {
            let deadlocks: fn(Relation) -> bool = Relation::preserves_deadlocks;
            for (asked, option, what, preserved) in [
                (deadlock, "--deadlock", "deadlocks", deadlocks),
                (
                    livelock,
                    "--livelock",
                    "hidden cycles",
                    Relation::preserves_divergence,
                ),
            ] {
                if asked && !preserved(relation) {
                    return Err(Failure::error(format!(
                        "--compositional -e {relation} does not preserve {what}: for {option} \
                         use {}",
                        those(preserved)
                    )));
                }
            }
        }
        if let Some(pattern) = hidden.as_ref().filter(|_| hides) {
            let why = match (self.por, relation) {
                (Some(por), _) => format!("--por {por} leaves out: explore without --por"),
                (None, Some(relation)) if !relation.preserves_hidden_steps() => {
                    let others = those(Relation::preserves_hidden_steps);
                    format!("--compositional -e {relation} leaves out: use {others}")
                }
                _ => String::new(),
            };
            if !why.is_empty() {
                return Err(Failure::error(format!(
                    "--find '{pattern}' matches hidden transitions, some of which {why}"
                )));
            }
        }
        let Some(por) = self.por else {
            return Ok(());
        };
        if labels && !por.preserves_labels() {
            return Err(Failure::error(format!(
                "--por {por} leaves out labels: for --find use weaktrace or branching"
            )));
        }
        if livelock && !por.preserves_livelocks() {
            return Err(Failure::error(format!(
                "--por {por} leaves out hidden cycles: for --livelock use branching"
            )));
        }
        let makes_others = match por {
            Reduction::Deadlock => true,
            Reduction::WeakTrace => deadlock,
            Reduction::Branching => false,
        };
        match afterwards.filter(|_| makes_others) {
            Some(option) => Err(Failure::error(format!(
                "{option} makes other deadlocks than those that --por {por} preserves: \
                 use --por branching"
            ))),
            None => Ok(()),
        }
    }
}

/// The relations by which components can be minimised and of which this holds.
fn those(fits: fn(Relation) -> bool) -> String {
    let all = Relation::ALL.into_iter();
    either(
        all.filter(|&relation| {
            relation.is_congruence() && relation.has_quotient() && fits(relation)
        }),
    )
}

/// Makes a network smaller: phase `compose`.
fn compose(
    session: &mut Session,
    network: Network,
    options: compositional::Options,
) -> Result<Network, Failure> {
    let verbose = session.verbosity() >= Verbosity::Verbose;
    let name = session.name();
    let mut figures: Vec<Value> = Vec::new();
    let mut largest = 0;
    let network = session.phase("compose", |phase| {
        let before = network.components().len();
        let reduced = compositional::reduce(network, options, &mut |step| {
            if verbose && let Some(text) = told(step) {
                say(format_args!("{name}: {text}"));
            }
            if let ReductionStep::Reduced { product, .. } = step {
                largest = largest.max(product.states);
            }
            figures.push(figure(step));
        });
        let reduced = reduced.map_err(|e| Failure::error(e.to_string()))?;
        phase.summary(|| {
            let after = reduced.components().len();
            format!(
                "{} become {after}, largest product {}",
                counted(before, "component"),
                counted(largest, "state")
            )
        });
        Ok(reduced)
    })?;
    session.add_figure("compositional", figures);
    session.add_figure("largest_product", largest);
    Ok(network)
}

/// A step in words, if there is something to tell.
fn told(step: &ReductionStep) -> Option<String> {
    let size = |size: &Size| {
        let states = counted(size.states, "state");
        format!("{states}, {}", counted(size.transitions, "transition"))
    };
    let (components, product, relation, result) = match step {
        ReductionStep::Reduced {
            components,
            product,
            relation,
            result,
        } => (components, product, relation, result),
        ReductionStep::PutOff { components, limit } => {
            let names = components.join(" * ");
            return Some(format!(
                "{names}: more than {}, put off",
                counted(limit, "state")
            ));
        }
    };
    let (what, before) = match &components[..] {
        [(_, before)] if before == result => return None,
        [(name, before)] => (name.clone(), before),
        _ => {
            let parts = components.iter();
            let parts = parts.map(|(name, size)| format!("{name} ({})", size.states));
            (parts.collect::<Vec<_>>().join(" * "), product)
        }
    };
    let (before, after) = (size(before), size(result));
    Some(format!("{what}: {before}, minimised ({relation}) {after}"))
}

/// A step for the statistics.
fn figure(step: &ReductionStep) -> Value {
    let size = |size: &Size| json!({"states": size.states, "transitions": size.transitions});
    match step {
        ReductionStep::Reduced {
            components,
            product,
            relation,
            result,
        } => json!({
            "components": components
                .iter()
                .map(|(name, own)| json!({
                    "name": name,
                    "states": own.states,
                    "transitions": own.transitions,
                }))
                .collect::<Vec<_>>(),
            "product": size(product),
            "relation": relation.name(),
            "result": size(result),
        }),
        ReductionStep::PutOff { components, limit } => json!({
            "components": components,
            "put_off_at_states": limit,
        }),
    }
}
