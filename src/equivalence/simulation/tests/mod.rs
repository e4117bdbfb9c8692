//! Simulations against their definitions.

mod levels;
mod quotients;
mod verdicts;

use hyades_formats::{Lts, StateId};
use hyades_testing::{ROOT, from_aut, union};

use super::Kind;
use crate::rounds::{Rounds, untold};

impl Kind {
    /// The name of the preorder in the oracle.
    fn name(self) -> &'static str {
        match self {
            Kind::Sim => "sim",
            Kind::ReadySim => "ready-sim",
            Kind::TwoNestedSim => "2-nested-sim",
            Kind::Safety => "safety",
            Kind::BranchingSim => "branching-sim",
            Kind::CoupledSim => "coupled-sim",
            Kind::Contrasim => "contrasim",
        }
    }
}

/// Calls something with rounds that nobody is told of.
fn quietly<R>(work: impl FnOnce(&mut Rounds<'_>) -> R) -> R {
    work(&mut Rounds::new(&mut untold))
}

/// The models whose names begin so, sorted, with their names.
fn models(prefix: impl Fn(&str) -> bool) -> Vec<(String, Lts)> {
    let folder = std::fs::read_dir(format!("{ROOT}/testdata/spectrum")).unwrap();
    let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| prefix(name)).collect();
    names.sort_unstable();
    let read = |name: String| {
        let path = format!("{ROOT}/testdata/spectrum/{name}");
        let lts = from_aut(&std::fs::read_to_string(path).unwrap());
        (name, lts)
    };
    names.into_iter().map(read).collect()
}

/// The pairs of models, side by side.
fn model_pairs() -> Vec<(String, Lts, StateId, StateId)> {
    let first = models(|name| name.ends_with("_a.aut"));
    let second = models(|name| name.ends_with("_b.aut"));
    let pairs = first.into_iter().zip(second);
    let pairs = pairs.map(|((name, a), (_, b))| {
        let (lts, p, q) = union(&a, &b);
        (name, lts, p, q)
    });
    pairs.collect()
}

/// The models of which sizes are known.
fn size_models() -> Vec<(String, Lts)> {
    models(|name| name.starts_with("size") && name.ends_with(".aut"))
}
