//! What commands that explore are given.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use hyades_channels::{System, SystemModel};
use hyades_explore::{Emit, Model, ModelError};
use hyades_formats::{LabelTable, Lts};
use hyades_network::por::ReducedModel;
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
    /// The files it consists of, beside the one that names them.
    pub fn files(&self) -> Vec<&Path> {
        match self {
            Given::Network(network) => {
                let components = network.files().iter().map(|file| &*file.path);
                components
                    .chain(network.rule_files().iter().map(|file| &**file))
                    .collect()
            }
            Given::System(_, files) => files.iter().map(|file| &**file).collect(),
            Given::Model(_) => Vec::new(),
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
    /// How many states there are, if that is known beforehand.
    pub fn states(&self) -> Option<u64> {
        match self {
            AnyModel::Lts(lts) => Some(lts.states() as u64),
            _ => None,
        }
    }

    /// Whether states have numbers before they are explored.
    pub fn has_numbers(&self) -> bool {
        match self {
            AnyModel::Lts(_) => true,
            AnyModel::Plugin(plugin) => plugin.numbers().is_some(),
            _ => false,
        }
    }
}

/// For who changes a model on the fly, whatever it is. Who explores it as it is
/// looks what it is first, which is faster.
/// Memory of [`AnyModel`].
pub enum AnyScratch {
    /// An LTS needs none.
    Lts,
    /// A plugin's.
    Plugin(Box<<Plugin as Model>::Scratch>),
    /// A network's.
    Network(Box<<NetworkModel as Model>::Scratch>),
    /// A reduced network's.
    Reduced(Box<<ReducedModel as Model>::Scratch>),
    /// A network's up to symmetry.
    Symmetric(Box<<SymmetricModel<'static> as Model>::Scratch>),
    /// A system's.
    System(<SystemModel<'static> as Model>::Scratch),
}

impl Model for AnyModel {
    type Scratch = AnyScratch;

    fn scratch(&self) -> AnyScratch {
        match self {
            AnyModel::Lts(_) => AnyScratch::Lts,
            AnyModel::Plugin(plugin) => AnyScratch::Plugin(Box::new(plugin.scratch())),
            AnyModel::Network(network) => AnyScratch::Network(Box::new(network.scratch())),
            AnyModel::Reduced(network) => AnyScratch::Reduced(Box::new(network.scratch())),
            AnyModel::Symmetric(network) => AnyScratch::Symmetric(Box::new(network.scratch())),
            AnyModel::System(system) => AnyScratch::System(system.scratch()),
        }
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        match self {
            AnyModel::Lts(lts) => Model::labels(lts),
            AnyModel::Plugin(plugin) => plugin.labels(),
            AnyModel::Network(network) => network.labels(),
            AnyModel::Reduced(network) => network.labels(),
            AnyModel::Symmetric(network) => network.labels(),
            AnyModel::System(system) => system.labels(),
        }
    }

    fn bits(&self) -> usize {
        match self {
            AnyModel::Lts(lts) => lts.bits(),
            AnyModel::Plugin(plugin) => plugin.bits(),
            AnyModel::Network(network) => network.bits(),
            AnyModel::Reduced(network) => network.bits(),
            AnyModel::Symmetric(network) => network.bits(),
            AnyModel::System(system) => system.bits(),
        }
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        match self {
            AnyModel::Lts(lts) => Model::initial(lts, state),
            AnyModel::Plugin(plugin) => plugin.initial(state),
            AnyModel::Network(network) => network.initial(state),
            AnyModel::Reduced(network) => network.initial(state),
            AnyModel::Symmetric(network) => network.initial(state),
            AnyModel::System(system) => system.initial(state),
        }
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut AnyScratch,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        match (self, scratch) {
            (AnyModel::Lts(lts), _) => lts.successors(&mut (), state, emit),
            (AnyModel::Plugin(plugin), AnyScratch::Plugin(scratch)) => {
                plugin.successors(scratch, state, emit)
            }
            (AnyModel::Network(network), AnyScratch::Network(scratch)) => {
                network.successors(scratch, state, emit)
            }
            (AnyModel::Reduced(network), AnyScratch::Reduced(scratch)) => {
                network.successors(scratch, state, emit)
            }
            (AnyModel::Symmetric(network), AnyScratch::Symmetric(scratch)) => {
                network.successors(scratch, state, emit)
            }
            (AnyModel::System(system), AnyScratch::System(scratch)) => {
                system.successors(scratch, state, emit)
            }
            _ => unreachable!("the memory is that of the model"),
        }
    }

    fn is_truncated(&self, state: &[u64]) -> bool {
        match self {
            AnyModel::System(system) => system.is_truncated(state),
            _ => false,
        }
    }

    fn was_truncated(&self) -> bool {
        match self {
            AnyModel::System(system) => system.was_truncated(),
            _ => false,
        }
    }

    fn numbers(&self) -> Option<u32> {
        match self {
            AnyModel::Lts(lts) => lts.numbers(),
            AnyModel::Plugin(plugin) => plugin.numbers(),
            AnyModel::Network(network) => network.numbers(),
            AnyModel::Reduced(network) => network.numbers(),
            AnyModel::Symmetric(network) => network.numbers(),
            AnyModel::System(system) => system.numbers(),
        }
    }

    fn explain(&self, source: &[u64], label: Option<&[u8]>, target: &[u64]) -> Vec<String> {
        match self {
            AnyModel::Lts(_) => Vec::new(),
            AnyModel::Plugin(plugin) => plugin.explain(source, label, target),
            AnyModel::Network(network) => network.explain(source, label, target),
            AnyModel::Reduced(network) => network.explain(source, label, target),
            AnyModel::Symmetric(network) => network.explain(source, label, target),
            AnyModel::System(system) => system.explain(source, label, target),
        }
    }
}
