//! All conditions by their definitions, on words up to a length.

use std::collections::{BTreeMap, BTreeSet};

use hyades_formats::{LabelId, Lts, StateId};

use crate::tests::naive::{Colours, Naive, Word};

/// Where words lead.
pub fn ends(lts: &Lts, word: &[LabelId]) -> BTreeSet<StateId> {
    word.iter()
        .fold(BTreeSet::from([lts.initial()]), |states, &label| {
            let steps = states.iter().flat_map(|&s| lts.outgoing(s));
            let steps = steps.filter(|step| step.0 == label);
            steps.map(|step| step.1).collect()
        })
}

pub fn is_trace(lts: &Lts, word: &[LabelId]) -> bool {
    !ends(lts, word).is_empty()
}

/// The traces of exactly this length.
pub fn traces(lts: &Lts, length: usize) -> BTreeSet<Word> {
    paths(lts, length).into_iter().map(|path| path.0).collect()
}

/// Paths of exactly this length: their labels, and all their states.
fn paths(lts: &Lts, length: usize) -> Vec<(Word, Vec<StateId>)> {
    let mut paths = vec![(Vec::new(), vec![lts.initial()])];
    for _ in 0..length {
        let longer = paths.iter().flat_map(|(word, states)| {
            let last = states[states.len() - 1];
            lts.outgoing(last).map(move |(label, target)| {
                let (mut word, mut states) = (word.clone(), states.clone());
                word.push(label);
                states.push(target);
                (word, states)
            })
        });
        paths = longer.collect();
    }
    paths
}

/// The lengths of the shortest violations among words of up to `bound` steps.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    pub deterministic: Option<usize>,
    pub covered: Option<usize>,
    pub loop_preserving: Option<usize>,
    pub persistent: Option<usize>,
    pub closed: Option<usize>,
    pub adequate: Option<usize>,
    pub prefix_closed: Option<usize>,
    pub loop_respecting: Option<usize>,
}

/// Finds the shortest violations. For covered specifications all of them, else
/// the first two only; `kernel` has the labels of the specification.
pub fn lengths(naive: &Naive<'_>, kernel: Option<&Lts>, bound: usize) -> Lengths {
    let lts = naive.specification;
    let mut lengths = Lengths::default();
    let note = |found: &mut Option<usize>, length| {
        found.get_or_insert(length);
    };
    for length in 1..=bound {
        for (word, states) in paths(lts, length) {
            let before = states[length - 1];
            let mut row = lts.outgoing(before);
            if row.any(|step| step.0 == word[length - 1] && step.1 != states[length]) {
                note(&mut lengths.deterministic, length);
            }
            let Some((_, vectors)) = naive.covering(&word) else {
                note(&mut lengths.covered, length);
                continue;
            };
            let mut starts = 0..length;
            if starts.any(|k| states[k] == states[length] && vectors[k] != vectors[length]) {
                note(&mut lengths.loop_preserving, length);
            }
        }
    }
    if lengths.covered.is_some() {
        return lengths;
    }
    let mut classes: BTreeMap<(usize, Colours), Vec<Word>> = BTreeMap::new();
    for length in 0..=bound {
        for word in naive.words(length) {
            let class = (length, naive.colours(&word));
            classes.entry(class).or_default().push(word);
        }
    }
    let representative = |word: &[LabelId]| {
        let class = &classes[&(word.len(), naive.colours(word))];
        let least = class.iter().min_by_key(|word| naive.key(word));
        least.expect("the word itself")
    };
    for ((length, colours), class) in &classes {
        // What is not covered is no trace.
        let (length, Some(colours)) = (*length, colours) else {
            continue;
        };
        let here: Vec<&Word> = class.iter().filter(|word| is_trace(lts, word)).collect();
        let Some(first) = here.first() else { continue };
        let at_most = |found: &mut Option<usize>| {
            *found = Some(found.map_or(length, |known| known.min(length)));
        };
        if here.len() < class.len() {
            at_most(&mut lengths.closed);
        }
        if kernel.is_some_and(|kernel| !class.iter().any(|word| is_trace(kernel, word))) {
            at_most(&mut lengths.adequate);
        }
        if length == 0 {
            continue;
        }
        // Persistence: a trace of these colours, and one of the same but the last.
        let shorter = traces(lts, length - 1);
        let mut shorter = shorter
            .iter()
            .filter(|other| naive.symmetric(other, &first[..length - 1]));
        let persists = |other: &Word| {
            naive.alphabet.iter().any(|&label| {
                let longer = [&other[..], &[label]].concat();
                naive.colours(&longer).as_ref() == Some(colours)
            })
        };
        if !shorter.all(persists) {
            at_most(&mut lengths.persistent);
        }
        let least = representative(first);
        for word in &here {
            if representative(&word[..length - 1]) != &least[..length - 1] {
                at_most(&mut lengths.prefix_closed);
            }
        }
        if is_trace(lts, least) {
            for start in 0..length {
                for end in start + 1..=length {
                    if ends(lts, &least[..start]) == ends(lts, &least[..end]) {
                        let rest = [&least[..start], &least[end..]].concat();
                        if *representative(&rest) != rest {
                            at_most(&mut lengths.loop_respecting);
                        }
                    }
                }
            }
        }
    }
    lengths
}
