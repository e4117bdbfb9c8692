//! The canonical form of an LTS, for writers that do not make it on their way.

use std::borrow::Cow;

use crate::blocks::Exchange;
use crate::lts::{LabelId, Lts, LtsParts, Offsets, StateId};
use crate::options::WriteOptions;

/// The LTS as it is to be written: in [`canonical`] form if the options ask for
/// that.
pub(crate) fn arranged<'a>(lts: &'a Lts, texts: &[&[u8]], options: &WriteOptions) -> Cow<'a, Lts> {
    if options.canonical {
        Cow::Owned(canonical(lts, texts, options.keep_initial))
    } else {
        Cow::Borrowed(lts)
    }
}

/// A copy of an LTS in canonical form: transitions in the order of source, text of
/// the label and target, each once (labels that read alike being one), and the
/// initial state exchanged with state 0 unless `keep_initial`. `texts` are what the
/// labels read like, by label number. State labels follow their states.
///
/// O(transitions · log of the longest row + labels · log labels) time.
pub(crate) fn canonical(lts: &Lts, texts: &[&[u8]], keep_initial: bool) -> Lts {
    let used = lts.used_labels();
    let labels = (0..texts.len() as u32).filter(|&label| used[label as usize]);
    let (ranks, ranked) = ranked(texts.len(), labels, |label| texts[label as usize]);
    let exchange = Exchange::new(lts, keep_initial);
    let mut offsets = Offsets::with_capacity(lts.states());
    let mut labels = Vec::with_capacity(lts.transitions());
    let mut targets = Vec::with_capacity(lts.transitions());
    let mut row: Vec<u64> = Vec::new();
    for state in 0..lts.states() as u32 {
        row.clear();
        let outgoing = lts.outgoing(exchange.of(StateId::new(state)));
        row.extend(outgoing.map(|(label, target)| {
            u64::from(ranks[label.index()]) << 32 | u64::from(exchange.of(target).get())
        }));
        row.sort_unstable();
        row.dedup();
        for &key in &row {
            labels.push(LabelId::new(ranked[(key >> 32) as usize]));
            targets.push(StateId::new(key as u32));
        }
        offsets.push(targets.len());
    }
    let sorted = Lts::from_parts(LtsParts {
        initial: exchange.of(lts.initial()),
        offsets,
        labels,
        targets,
        table: lts.table().clone(),
    });
    match lts.state_labels() {
        Some(known) => {
            let other = exchange.of(StateId::new(0)).index();
            sorted.with_state_labels(known.exchanged(0, other))
        }
        None => sorted,
    }
}

/// The rank of each of these labels, of `count` there are, in the order of their texts,
/// and a label for each rank: labels that read alike share one.
///
/// O(labels · log labels) time.
pub(crate) fn ranked<'a>(
    count: usize,
    labels: impl Iterator<Item = u32>,
    text: impl Fn(u32) -> &'a [u8],
) -> (Vec<u32>, Vec<u32>) {
    let mut order: Vec<u32> = labels.collect();
    order.sort_by_key(|&label| text(label));
    let mut ranks = vec![0; count];
    let mut ranked: Vec<u32> = Vec::new();
    for label in order {
        if ranked.last().is_none_or(|&last| text(last) != text(label)) {
            ranked.push(label);
        }
        ranks[label as usize] = ranked.len() as u32 - 1;
    }
    (ranks, ranked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lts::LtsBuilder;
    use crate::state_labels::{Parameter, StateLabels};

    #[test]
    fn sorted_once_each_and_the_initial_state_first() {
        let mut lts = LtsBuilder::new(3);
        let b = lts.table_mut().intern(b"b").unwrap();
        let a = lts.table_mut().intern(b"a").unwrap();
        let state = StateId::new;
        for (s, l, t) in [
            (2, b, 0),
            (2, a, 1),
            (2, b, 0),
            (2, LabelId::HIDDEN, 2),
            (0, a, 2),
        ] {
            lts.add(state(s), l, state(t));
        }
        let mut known = StateLabels::new(vec![Parameter {
            values: vec![b"0".to_vec(), b"1".to_vec(), b"2".to_vec()],
            ..Parameter::default()
        }]);
        for k in 0..3u32 {
            known.push([&[k][..]]);
        }
        let lts = lts.build(state(2)).unwrap().with_state_labels(known);
        let texts: [&[u8]; 3] = [b"i", b"b", b"a"];
        let plain = |lts: &Lts| -> Vec<_> {
            lts.iter()
                .map(|(s, l, t)| (s.get(), l.get(), t.get()))
                .collect()
        };
        let sorted = canonical(&lts, &texts, false);
        assert_eq!(sorted.initial().get(), 0);
        assert_eq!(plain(&sorted), [(0, 2, 1), (0, 1, 2), (0, 0, 0), (2, 2, 0)]);
        let vectors = |lts: &Lts| -> Vec<u32> {
            let known = lts.state_labels().unwrap();
            (0..3)
                .map(|s| known.vectors(s).next().unwrap()[0])
                .collect()
        };
        assert_eq!(vectors(&sorted), [2, 1, 0]);
        let kept = canonical(&lts, &texts, true);
        assert_eq!(kept.initial().get(), 2);
        assert_eq!(plain(&kept), [(0, 2, 2), (2, 2, 1), (2, 1, 0), (2, 0, 2)]);
        assert_eq!(vectors(&kept), [0, 1, 2]);
    }
}
