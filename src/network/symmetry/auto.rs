//! Types that need not be declared: which values may be exchanged.
//!
//! Two values are *alike* if their exchange is a symmetry of the network. That is
//! an equivalence relation: if the exchanges of u and v and of v and w are
//! symmetries, so is that of u and w, which is made of them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::derive::derive;
use super::error::SymmetryError;
use super::label_action::LabelAction;
use super::labels::Labels;
use super::parts::{Parts, Specification};
use super::types::{Types, ValueType, tokens};
use crate::Network;

/// The types of values that may be exchanged in a network, and in a specification
/// beside it: the largest ones, of at least two values each. Values are tokens of
/// labels behind the first one, which are taken to be the same wherever they are.
///
/// With v values and c types: up to v · c derivations of a symmetry (see
/// [`Symmetry::new`](super::Symmetry::new)) with one exchange; pairs that differ in
/// how often they stand where, or that would give labels that there are not, are
/// told apart without any. Where two labels differ only in the order of what is in sets,
/// values in these are left alone.
///
/// # Errors
/// If the network is one of which no symmetries are derived.
pub fn find_types(
    network: &Network,
    specification: Option<&Specification<'_>>,
) -> Result<Types, SymmetryError> {
    let mut candidates = candidates(network);
    let mut parts = loop {
        if candidates.is_empty() {
            return Ok(Types::default());
        }
        let all = ValueType {
            name: "Value".into(),
            values: candidates.clone(),
        };
        let types = Types::new(vec![all]).expect("each value is a token, and there once");
        let labels = Labels::new(LabelAction::new(types), candidates.len());
        match Parts::new(network, labels, specification) {
            Ok(parts) => break parts,
            // Values in them are left alone, so that permutations change nothing there.
            Err(SymmetryError::SameLabels([label, _])) if leave_out(&mut candidates, &label) => {}
            Err(error) => return Err(error),
        }
    };
    let places = places(&parts.labels);
    let mut classes: Vec<Vec<u16>> = Vec::new();
    for (v, value) in (0u16..).zip(&candidates) {
        // Those that are in no label that can occur have no place.
        let Some(place) = places.get(value) else {
            continue;
        };
        let mut own = None;
        for (k, class) in classes.iter().enumerate() {
            let other = &candidates[usize::from(class[0])];
            if places.get(other) == Some(place) && are_alike(&mut parts, [class[0], v])? {
                own = Some(k);
                break;
            }
        }
        match own {
            Some(k) => classes[k].push(v),
            None => classes.push(vec![v]),
        }
    }
    classes.retain(|class| class.len() > 1);
    let mut names = HashSet::new();
    let named = classes.iter().enumerate().map(|(k, class)| {
        let value = |&v: &u16| candidates[usize::from(v)].clone();
        let values: Vec<String> = class.iter().map(value).collect();
        let name = common_start(&values).filter(|name| names.insert(name.clone()));
        ValueType {
            name: name.unwrap_or_else(|| format!("Type{}", k + 1)),
            values,
        }
    });
    Ok(Types::new(named.collect()).expect("different names and values"))
}

/// Leaves out the values that are in sets of this label; if there are none, all that are
/// in it. Whether there are any.
fn leave_out(candidates: &mut Vec<String>, label: &str) -> bool {
    let syntax = tokens();
    let mut in_sets: HashSet<&[u8]> = HashSet::new();
    for (at, _) in label.match_indices('{') {
        let rest = &label[at..];
        let set = &rest[..rest.find('}').unwrap_or(0)];
        in_sets.extend(syntax.tokens(set.as_bytes()));
    }
    let before = candidates.len();
    candidates.retain(|value| !in_sets.contains(value.as_bytes()));
    if candidates.len() == before {
        let all: HashSet<&[u8]> = syntax.tokens(label.as_bytes()).collect();
        candidates.retain(|value| !all.contains(value.as_bytes()));
    }
    candidates.len() < before
}

/// Whether the exchange of two values is a symmetry.
fn are_alike(parts: &mut Parts, values: [u16; 2]) -> Result<bool, SymmetryError> {
    if !parts.labels.are_closed(values) {
        return Ok(false);
    }
    match derive(parts, &[values], &|v| v.to_string()) {
        Ok(_) => Ok(true),
        Err(
            SymmetryError::Component { .. }
            | SymmetryError::Rule { .. }
            | SymmetryError::Specification { .. }
            | SymmetryError::NoAction,
        ) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The tokens behind the gates of labels, short ones first; not more than can be
/// numbered.
fn candidates(network: &Network) -> Vec<String> {
    let files = network.files().iter().map(|file| file.lts.table());
    let tables = files.chain([network.labels()]);
    let syntax = tokens();
    let mut found = BTreeSet::new();
    for (_, label) in tables.flat_map(|table| table.visible()) {
        let behind = syntax.tokens(label).skip(1);
        found.extend(behind.filter_map(|token| std::str::from_utf8(token).ok()));
    }
    let mut candidates: Vec<String> = found.into_iter().map(str::to_owned).collect();
    candidates.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    candidates.truncate(usize::from(u16::MAX));
    candidates
}

/// For each token behind a gate, in how many labels it stands where: by gate and
/// position. Values that are alike stand in as many.
fn places(labels: &Labels) -> BTreeMap<String, BTreeMap<(Vec<u8>, usize), usize>> {
    let syntax = tokens();
    let mut places: BTreeMap<String, BTreeMap<(Vec<u8>, usize), usize>> = BTreeMap::new();
    for label in (1..labels.len() as u32).filter_map(|label| labels.found(label)) {
        let mut tokens = syntax.tokens(label);
        let gate = tokens.next().unwrap_or_default();
        // In sets and multi-actions, positions mean nothing.
        let is_ordered = !label.iter().any(|byte| b"{|".contains(byte));
        for (position, token) in tokens.enumerate() {
            if let Ok(value) = std::str::from_utf8(token) {
                let place = match is_ordered {
                    true => (gate.to_vec(), position),
                    false => (Vec::new(), 0),
                };
                *places
                    .entry(value.into())
                    .or_default()
                    .entry(place)
                    .or_default() += 1;
            }
        }
    }
    places
}

/// What all values start with, if that is a name: without digits at the end.
fn common_start(values: &[String]) -> Option<String> {
    let first = values.first()?;
    let common = values.iter().fold(first.as_str(), |common, value| {
        let length = common
            .char_indices()
            .zip(value.chars())
            .take_while(|((_, a), b)| a == b)
            .map(|((at, a), _)| at + a.len_utf8())
            .last();
        &common[..length.unwrap_or(0)]
    });
    let name = common.trim_end_matches(|c: char| c.is_ascii_digit());
    (!name.is_empty()).then(|| name.to_owned())
}
