//! What commands that explore are given.

use std::path::{Path, PathBuf};

use hyades_channels::{System, SystemModel};
use hyades_explore::{Erased, Model, ModelError};
use hyades_formats::Lts;
use hyades_network::por::{ReducedModel, Reduction};
use hyades_network::symmetry::SymmetricModel;
use hyades_network::{Network, NetworkModel};
use hyades_plugin::Plugin;

/// What a command that explores is given.
pub enum Given {
    /// A network, of which there may be more to make than a model.
    Network(Box<Network>),
    /// A system of machines, which can be explored in several ways, and the
    /// files of its components.
    System(Box<System>, Vec<PathBuf>),
    /// Anything else.
    Model(AnyModel),
}

impl Given {
    /// A hash of its text, as far as that is not in files.
    #[cfg(feature = "cluster")]
    pub fn text_hash(&self) -> u64 {
        match self {
            Given::Network(network) => network.text_hash(),
            Given::System(..) | Given::Model(_) => 0,
        }
    }

    /// Whether labels that `--tau` names are still there: what is read from files has lost
    /// them.
    pub fn keeps_gates(&self) -> bool {
        match self {
            Given::System(..) | Given::Model(AnyModel::Plugin(_)) => true,
            Given::Network(_) | Given::Model(_) => false,
        }
    }

    /// The files it consists of, beside the one that names them.
    pub fn files(&self) -> Vec<&Path> {
        match self {
            Given::Network(network) => network.paths().collect(),
            Given::System(_, files) => files.iter().map(|file| &**file).collect(),
            Given::Model(_) => Vec::new(),
        }
    }
}

/// What is explored, once a system of machines is a model like others.
pub enum Explorable {
    /// A network, of which there may be more to make than a model.
    Network(Box<Network>),
    /// Anything else.
    Model(AnyModel),
}

impl Explorable {
    /// The model, without reductions.
    pub fn unreduced(self) -> AnyModel {
        match self {
            Explorable::Network(network) => AnyModel::of_network(*network, None),
            Explorable::Model(model) => model,
        }
    }
}

/// A state space, in whatever way it is given.
pub enum AnyModel {
    /// Read from a file.
    Lts(Lts),
    /// Computed by a shared object.
    Plugin(Plugin),
    /// Components that move together.
    Network(Box<NetworkModel>),
    /// The same, with fewer interleavings.
    Reduced(Box<ReducedModel>),
    /// A network up to symmetry.
    Symmetric(Box<SymmetricModel<'static>>),
    /// Machines that exchange messages.
    System(Box<SystemModel<'static>>),
}

impl AnyModel {
    /// A network, with all interleavings, or those that this reduction leaves.
    pub fn of_network(network: Network, por: Option<Reduction>) -> Self {
        let model = NetworkModel::new(network);
        match por {
            None => AnyModel::Network(Box::new(model)),
            Some(reduction) => AnyModel::Reduced(Box::new(ReducedModel::new(model, reduction))),
        }
    }

    /// How many states there are, if that is known beforehand.
    pub fn states(&self) -> Option<u64> {
        match self {
            AnyModel::Lts(lts) => Some(lts.states() as u64),
            AnyModel::Plugin(_)
            | AnyModel::Network(_)
            | AnyModel::Reduced(_)
            | AnyModel::Symmetric(_)
            | AnyModel::System(_) => None,
        }
    }

    /// Whether states have numbers before they are explored.
    pub fn has_numbers(&self) -> bool {
        match self {
            AnyModel::Lts(_) => true,
            AnyModel::Plugin(plugin) => plugin.numbers().is_some(),
            AnyModel::Network(_)
            | AnyModel::Reduced(_)
            | AnyModel::Symmetric(_)
            | AnyModel::System(_) => false,
        }
    }

    /// For who does the same with all of them.
    pub fn erased(&self) -> Erased<'_> {
        match self {
            AnyModel::Lts(lts) => lts.erased(),
            AnyModel::Plugin(plugin) => plugin.erased(),
            AnyModel::Network(network) => network.erased(),
            AnyModel::Reduced(network) => network.erased(),
            AnyModel::Symmetric(network) => network.erased(),
            AnyModel::System(system) => system.erased(),
        }
    }

    /// To be called after an exploration.
    ///
    /// # Errors
    /// If something went wrong in a plugin.
    pub fn finish(&self) -> Result<(), ModelError> {
        match self {
            AnyModel::Plugin(plugin) => plugin.finish(),
            AnyModel::Lts(_)
            | AnyModel::Network(_)
            | AnyModel::Reduced(_)
            | AnyModel::Symmetric(_)
            | AnyModel::System(_) => Ok(()),
        }
    }
}
