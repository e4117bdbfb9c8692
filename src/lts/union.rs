//! Two LTSs side by side in one.

use hyades_formats::{LabelId, Lts, StateId, TooLarge};

/// The disjoint union of two LTSs, made by [`disjoint_union`].
#[derive(Clone, Debug)]
pub struct Union {
    /// The states of the first, then those of the second; its initial state is
    /// the first's.
    pub lts: Lts,
    /// The state that stands for the initial state of the second.
    pub second: StateId,
}

/// Puts two LTSs side by side. Visible labels are the same if their texts are;
/// hidden stays hidden. The states of `first` keep their numbers, those of
/// `second` follow.
///
/// O(states and transitions of the second, and labels of both); the columns of
/// the first are extended in place.
///
/// # Errors
/// If an LTS cannot hold that many states, labels or transitions.
pub fn disjoint_union(first: Lts, second: Lts) -> Result<Union, TooLarge> {
    let limit = |what, limit, sum: usize| {
        if sum as u64 > limit {
            return Err(TooLarge { what, limit });
        }
        Ok(())
    };
    let states = first.states() + second.states();
    limit("states", StateId::MAX_COUNT, states)?;
    let transitions = first.transitions() + second.transitions();
    limit("transitions", Lts::MAX_TRANSITIONS, transitions)?;

    let mut first = first.into_parts();
    let second = second.into_parts();
    let state_shift = first.offsets.rows() as u32;
    let row_shift = first.targets.len();

    let mut renamed = vec![LabelId::HIDDEN; second.table.len()];
    for (label, text) in second.table.visible() {
        renamed[label.index()] = first.table.intern(text)?;
    }
    for state in 0..second.offsets.rows() {
        first
            .offsets
            .push(second.offsets.row(state).end + row_shift);
    }
    first
        .labels
        .extend(second.labels.iter().map(|l| renamed[l.index()]));
    let shifted = |s: StateId| StateId::new(s.get() + state_shift);
    first
        .targets
        .extend(second.targets.iter().map(|&t| shifted(t)));
    Ok(Union {
        second: shifted(second.initial),
        lts: Lts::from_parts(first),
    })
}

#[cfg(test)]
mod tests {
    use hyades_formats::LtsBuilder;

    use super::*;

    #[test]
    fn labels_meet_by_text_and_hidden_stays_hidden() {
        let mut a = LtsBuilder::new(3);
        a.add_text(0, b"x", 1).unwrap();
        a.add_text(0, b"y", 0).unwrap();
        let a = a.build(StateId::new(1)).unwrap();
        let mut b = LtsBuilder::new(1);
        b.add_text(0, b"y", 1).unwrap();
        b.add(StateId::new(1), LabelId::HIDDEN, StateId::new(0));
        b.add_text(1, b"i", 1).unwrap();
        let b = b.build(StateId::new(1)).unwrap();

        let union = disjoint_union(a, b).unwrap();
        let lts = &union.lts;
        assert_eq!((lts.initial().get(), union.second.get()), (1, 4));
        assert_eq!(lts.states(), 5);
        let all: Vec<_> = lts
            .iter()
            .map(|(s, l, t)| (s.get(), lts.table().text(l), t.get()))
            .collect();
        let all: Vec<_> = all
            .iter()
            .map(|&(s, l, t)| (s, std::str::from_utf8(l).unwrap(), t))
            .collect();
        assert_eq!(
            all,
            [
                (0, "x", 1),
                (0, "y", 0),
                (3, "y", 4),
                (4, "", 3),
                (4, "i", 4)
            ]
        );
    }
}
