//! Which component a permutation maps each component to, and how their states
//! correspond (Gibson-Robinson & Lowe 2019, section 6).
//!
//! Components are reachable and minimal, so that two of them are bisimilar,
//! permuted or not, if and only if they are isomorphic, and the bisimilarity is
//! the isomorphism. One partition of the states of all components and of their
//! images under all generators finds all of them.

use std::collections::{HashMap, HashSet};

use hyades_equivalence::strong_partition;
use hyades_formats::{LabelId, LtsBuilder, StateId, TooLarge};

use super::automorphisms::{Failure, Frame, choose};
use super::error::SymmetryError;
use super::generator::Generator;
use super::parts::{Leaf, Parts, numbered_table};
use super::still::{Changes, changes, still};

/// An exchange of two values as it concerns labels.
struct Exchange {
    values: [u16; 2],
    /// What each label becomes that was there before.
    labels: Vec<u32>,
}

impl Exchange {
    fn new(values: [u16; 2], changes: &Changes, parts: &Parts) -> Self {
        let mut labels: Vec<u32> = (0..parts.own_labels as u32).collect();
        for &(label, image) in changes {
            labels[label as usize] = image;
        }
        Self { values, labels }
    }

    /// Whether it changes no label of this component.
    fn keeps(&self, leaf: &Leaf) -> bool {
        let mut numbers = leaf.number.iter().flatten();
        numbers.all(|&n| self.labels[n as usize] == n)
    }
}

/// What generators do to components and states; nothing at all for those that move none.
///
/// O(m · generators · log) for m transitions of components, and the parts of
/// rules times the generators; those of types that move no state take no more than
/// the labels with their values do, wherever these are.
///
/// # Errors
/// If an exchange is no symmetry, with the reason.
pub(super) fn derive(
    parts: &mut Parts,
    exchanges: &[[u16; 2]],
    names: &dyn Fn(u16) -> String,
) -> Result<Vec<Option<Generator>>, SymmetryError> {
    let changes = changes(parts, exchanges)?;
    let is_still = still(parts, exchanges, &changes);
    let moving = || (0..exchanges.len()).filter(|&k| !is_still[k]);
    let made = moving().map(|k| Exchange::new(exchanges[k], &changes[k], parts));
    let made: Vec<Exchange> = made.collect();
    let mut generators = vec![None; exchanges.len()];
    if made.is_empty() {
        return Ok(generators);
    }
    let blocks = Blocks::new(parts, &made)?;
    for (exchange, own) in made.iter().zip(&blocks.images) {
        check_classes(parts, exchange, &blocks, own, names)?;
    }
    let frames: Vec<Frame<'_>> = made
        .iter()
        .zip(&blocks.images)
        .map(|(exchange, images)| Frame {
            values: exchange.values,
            labels: &exchange.labels,
            classes: blocks.classes(parts, images),
        })
        .collect();
    let own = blocks.classes(parts, &blocks.first);
    let chosen = choose(parts, &own, &frames, &|generator, components| {
        blocks.generator(parts, generator, components)
    });
    let chosen = chosen.map_err(|failure| match failure {
        None => SymmetryError::NoAction,
        Some(Failure {
            generator,
            rule,
            image,
        }) => SymmetryError::Rule {
            rule: parts.shown(&parts.rules[rule]),
            exchanged: made[generator].values.map(names),
            image: parts.shown(&image),
        },
    })?;
    for (k, generator) in moving().zip(chosen) {
        generators[k] = Some(generator);
    }
    Ok(generators)
}

/// Blocks of bisimilar states of all components and of their images.
struct Blocks {
    block: Vec<u32>,
    /// Where the states of each leaf start.
    first: Vec<u32>,
    /// For each generator, where the states of the image of each leaf start.
    images: Vec<Vec<u32>>,
    /// For each leaf and block, the state.
    states: HashMap<(u32, u32), u32>,
}

impl Blocks {
    fn new(parts: &Parts, exchanges: &[Exchange]) -> Result<Self, SymmetryError> {
        let mut builder = LtsBuilder::with_table(0, numbered_table(&parts.labels)?);
        let mut next = 0u64;
        let mut add = |leaf: &Leaf, label: &dyn Fn(u32) -> u32| {
            let first = next;
            next += leaf.lts.states() as u64;
            if next > StateId::MAX_COUNT {
                return Err(SymmetryError::TooLarge(TooLarge {
                    what: "states",
                    limit: StateId::MAX_COUNT,
                }));
            }
            let at = |state: StateId| StateId::new(first as u32 + state.get());
            builder.at_least(next);
            for (source, own, target) in leaf.lts.iter() {
                let label = LabelId::new(label(leaf.number_of(own)));
                builder.add(at(source), label, at(target));
            }
            Ok(first as u32)
        };
        let mut first = Vec::with_capacity(parts.leaves.len());
        for leaf in &parts.leaves {
            first.push(add(leaf, &|label| label)?);
        }
        let mut images = Vec::with_capacity(exchanges.len());
        for exchange in exchanges {
            let mut own = Vec::with_capacity(parts.leaves.len());
            for (leaf, &first) in parts.leaves.iter().zip(&first) {
                own.push(match exchange.keeps(leaf) {
                    true => first,
                    false => add(leaf, &|label| exchange.labels[label as usize])?,
                });
            }
            images.push(own);
        }
        let all = builder.build(StateId::new(0))?;
        let block = strong_partition(&all).into_classes();
        let mut states = HashMap::new();
        for ((k, leaf), &first) in (0..).zip(&parts.leaves).zip(&first) {
            for state in 0..leaf.lts.states() as u32 {
                states.insert((k, block[(first + state) as usize]), state);
            }
        }
        Ok(Self {
            block,
            first,
            images,
            states,
        })
    }

    /// The blocks of the initial states of the components, of which the states
    /// start here. A specification has one that is its own.
    fn classes(&self, parts: &Parts, starts: &[u32]) -> Vec<u32> {
        let class = |&leaf: &u32| {
            let initial = parts.leaves[leaf as usize].lts.initial().get();
            self.block[(starts[leaf as usize] + initial) as usize]
        };
        let mut classes: Vec<u32> = parts.components.iter().map(class).collect();
        if parts.has_specification {
            classes[parts.count()] = u32::MAX;
        }
        classes
    }

    /// The map of states for a generator that maps components so. Components and
    /// their images are bisimilar.
    fn generator(&self, parts: &Parts, generator: usize, components: Vec<u32>) -> Generator {
        let starts = &self.images[generator];
        let map = |(&leaf, &image): (&u32, &u32)| {
            let target = parts.components[image as usize];
            let states = 0..parts.leaves[leaf as usize].lts.states() as u32;
            let block = states.map(|s| self.block[(starts[leaf as usize] + s) as usize]);
            block.map(|block| self.states[&(target, block)]).collect()
        };
        let mut generator = Generator {
            states: parts.components.iter().zip(&components).map(map).collect(),
            components,
            moved: Vec::new(),
        };
        let states = (0u32..).zip(&generator.states);
        let all = states.flat_map(|(c, own)| (0..own.len() as u32).map(move |s| (c, s)));
        generator.moved = all.filter(|&x| generator.image(x) != x).collect();
        generator
    }
}

/// Each class has to have as many members as there are images in it.
fn check_classes(
    parts: &Parts,
    exchange: &Exchange,
    blocks: &Blocks,
    starts: &[u32],
    names: &dyn Fn(u16) -> String,
) -> Result<(), SymmetryError> {
    if let (true, Some(&leaf)) = (parts.has_specification, parts.components.last()) {
        let initial = parts.leaves[leaf as usize].lts.initial().get();
        let at = |start: u32| blocks.block[(start + initial) as usize];
        if at(starts[leaf as usize]) != at(blocks.first[leaf as usize]) {
            return Err(SymmetryError::Specification {
                exchanged: exchange.values.map(names),
                label: missing(parts, exchange, leaf, &[leaf]),
            });
        }
    }
    let mut members: HashMap<u32, usize> = HashMap::new();
    for class in blocks.classes(parts, &blocks.first) {
        *members.entry(class).or_default() += 1;
    }
    for (k, class) in blocks.classes(parts, starts).into_iter().enumerate() {
        match members.get_mut(&class) {
            Some(left) if *left > 0 => *left -= 1,
            _ => {
                let others = &parts.components[..parts.count()];
                return Err(SymmetryError::Component {
                    component: parts.names[k].clone(),
                    exchanged: exchange.values.map(names),
                    label: missing(parts, exchange, parts.components[k], others),
                });
            }
        }
    }
    Ok(())
}

/// A label of a leaf of which none of these has the image.
fn missing(parts: &Parts, exchange: &Exchange, leaf: u32, others: &[u32]) -> Option<[String; 2]> {
    let numbers = |leaf: u32| {
        let leaf = &parts.leaves[leaf as usize];
        leaf.lts.labels().iter().map(|&label| leaf.number_of(label))
    };
    let image = |label: u32| exchange.labels[label as usize];
    let known: HashSet<u32> = others.iter().flat_map(|&other| numbers(other)).collect();
    let found = numbers(leaf).find(|&label| !known.contains(&image(label)))?;
    // A set of labels has no text of its own.
    let shown = |label: u32| {
        parts
            .labels
            .is_text(label)
            .then(|| parts.labels.shown(label))
    };
    Some([shown(found)?, shown(image(found))?])
}
