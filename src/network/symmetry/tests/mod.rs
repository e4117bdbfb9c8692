//! Symmetries of networks against definitions and known figures.

pub(crate) mod brute;
mod declared;
mod models;
mod networks;
pub(crate) mod random;
mod specification;

use super::Types;
use crate::{Disk, Memory, Network, Options, from_text};

/// A network among the test data, and its types.
pub(crate) fn read(name: &str) -> (Network, Types) {
    let base = format!("{}/testdata/networks/{name}", hyades_testing::ROOT);
    let text = |file: &str| std::fs::read_to_string(format!("{base}/{file}")).unwrap();
    let types = Types::parse(&text("net.sym")).unwrap();
    let options = Options {
        base: base.clone().into(),
        ..Options::default()
    };
    let network = from_text("net.exp", text("net.exp"), &options, &Disk, &mut |d| {
        panic!("{d}")
    });
    (network.unwrap(), types)
}

/// A network of files in memory.
pub(crate) fn of_files(text: &str, files: &Memory) -> Network {
    let network = from_text("net.exp", text, &Options::default(), files, &mut |_| {});
    network.unwrap_or_else(|e| panic!("{e}\n{text}"))
}
