//! What shows a violation, checked by the definitions.

use std::collections::BTreeSet;

use hyades_formats::{LabelId, Lts};

use super::oracle::{ends, is_trace};
use crate::check::{Asymmetry, Violation};
use crate::tests::naive::{Naive, Word};

/// The length that [`super::oracle::lengths`] counts.
pub fn length(violation: &Violation) -> usize {
    match violation {
        Violation::Deterministic { trace, .. }
        | Violation::Covered { trace, .. }
        | Violation::Persistent { trace, .. }
        | Violation::Closed { trace, .. }
        | Violation::Adequate { trace, .. }
        | Violation::Symmetric(
            Asymmetry::NotClosed { trace, .. } | Asymmetry::NotPrefixClosed { trace, .. },
        ) => trace.len(),
        Violation::LoopPreserving { before, around, .. } => before.len() + around.len(),
        Violation::Symmetric(Asymmetry::NotLoopRespecting {
            before,
            around,
            after,
        }) => before.len() + around.len() + after.len(),
    }
}

/// The words that are symmetric to this one, of those that are traces if
/// `traces` is given, of those over the alphabet otherwise.
fn class(naive: &Naive<'_>, word: &[LabelId], traces: Option<&Lts>) -> Vec<Word> {
    let colours = naive.colours(word).expect("a word that is covered");
    let mut words = vec![Vec::new()];
    for length in 1..=word.len() {
        let mut longer = BTreeSet::new();
        for word in &words {
            for &label in &naive.alphabet {
                let word = [&word[..], &[label]].concat();
                if naive.colours(&word).as_deref() == Some(&colours[..length])
                    && traces.is_none_or(|lts| is_trace(lts, &word))
                {
                    longer.insert(word);
                }
            }
        }
        words = longer.into_iter().collect();
    }
    words
}

/// Checks what is claimed; `kernel` has the labels of the specification.
pub fn check(naive: &Naive<'_>, kernel: Option<&Lts>, violation: &Violation) {
    let lts = naive.specification;
    let not_closed = |trace: &Word, other: &Word| {
        assert!(is_trace(lts, trace) && !is_trace(lts, other));
        assert!(is_trace(lts, &other[..other.len() - 1]));
        assert!(naive.colours(trace).is_some() && naive.symmetric(trace, other));
        assert!(other.iter().all(|label| naive.alphabet.contains(label)));
    };
    match violation {
        Violation::Deterministic {
            trace,
            source,
            targets,
        } => {
            let (last, before) = trace.split_last().expect("a label");
            assert!(ends(lts, before).contains(source));
            assert_ne!(targets[0], targets[1]);
            for target in targets {
                assert!(lts.outgoing(*source).any(|step| step == (*last, *target)));
            }
        }
        Violation::Covered { trace, state } => {
            assert!(naive.covering(trace).is_none());
            let (last, before) = trace.split_last().expect("a label");
            assert!(naive.covering(before).is_some());
            assert!(ends(lts, before).contains(state));
            assert!(lts.outgoing(*state).any(|step| step.0 == *last));
        }
        Violation::LoopPreserving {
            before,
            around,
            copy,
            states,
            ..
        } => {
            let whole = [&before[..], around].concat();
            let (_, vectors) = naive.covering(&whole).expect("covered");
            assert_eq!(vectors[before.len()][*copy], states[0]);
            assert_eq!(vectors[whole.len()][*copy], states[1]);
            assert_ne!(states[0], states[1]);
            assert_eq!(
                vectors[before.len()][..*copy],
                vectors[whole.len()][..*copy]
            );
            // Some way has the trace `before` and comes back by `around`.
            let comes_back = ends(lts, before).into_iter().any(|start| {
                let mut states = BTreeSet::from([start]);
                for label in around {
                    let steps = states.iter().flat_map(|&s| lts.outgoing(s));
                    states = steps
                        .filter(|step| step.0 == *label)
                        .map(|step| step.1)
                        .collect();
                }
                states.contains(&start)
            });
            assert!(comes_back);
        }
        Violation::Persistent { trace, other } => {
            assert!(is_trace(lts, trace) && is_trace(lts, other));
            let colours = naive.colours(trace).expect("covered");
            assert_eq!(
                naive.colours(other).as_deref(),
                Some(&colours[..other.len()])
            );
            assert_eq!(other.len() + 1, trace.len());
            for &label in &naive.alphabet {
                let longer = [&other[..], &[label]].concat();
                assert_ne!(naive.colours(&longer).as_ref(), Some(&colours));
            }
        }
        Violation::Closed { trace, other }
        | Violation::Symmetric(Asymmetry::NotClosed { trace, other }) => not_closed(trace, other),
        Violation::Adequate { trace, longest } => {
            let kernel = kernel.expect("a kernel");
            assert!(is_trace(lts, trace) && is_trace(kernel, longest));
            assert!(naive.symmetric(&trace[..trace.len() - 1], longest));
            assert!(class(naive, trace, Some(kernel)).is_empty());
        }
        Violation::Symmetric(Asymmetry::NotPrefixClosed {
            trace,
            representative,
            is_closed,
        }) => {
            assert!(is_trace(lts, trace) && is_trace(lts, representative));
            assert!(naive.symmetric(&trace[..trace.len() - 1], representative));
            if *is_closed {
                let least = |word: &[LabelId]| {
                    let class = class(naive, word, None);
                    class.into_iter().min_by_key(|word| naive.key(word))
                };
                let prefix = &trace[..trace.len() - 1];
                assert_eq!(least(prefix).as_ref(), Some(representative));
                let whole = least(trace).expect("the trace itself");
                assert_ne!(&whole[..prefix.len()], representative);
            }
        }
        Violation::Symmetric(Asymmetry::NotLoopRespecting {
            before,
            around,
            after,
        }) => {
            let least = |word: &[LabelId]| {
                let class = class(naive, word, None);
                let least = class.into_iter().min_by_key(|word| naive.key(word));
                least.expect("the word itself")
            };
            let whole = [&before[..], around, after].concat();
            assert!(is_trace(lts, &whole));
            assert_eq!(least(&whole), whole);
            let looped = [&before[..], around].concat();
            assert!(!around.is_empty());
            assert_eq!(ends(lts, before), ends(lts, &looped));
            let without = [&before[..], after].concat();
            assert_ne!(least(&without), without);
        }
    }
}
