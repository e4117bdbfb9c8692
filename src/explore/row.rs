//! The transitions of one state, kept until each can be emitted once.

use std::collections::HashSet;

use foldhash::fast::RandomState;
use hyades_formats::{LabelId, LabelTable};

use super::emit::Emit;
use super::error::ModelError;

/// Transitions that may come several times, to be emitted once each, sorted by
/// label and target.
///
/// [`Row::start`] begins with a state. Then all its transitions are pushed, until
/// [`Row::is_enough`], and [`Row::emit_distinct`] emits them. Where there are more
/// than fit in, it emits the first ones in the order and says so: then they are all
/// pushed another time.
///
/// Amortised O(log transitions) for each.
#[derive(Debug)]
pub struct Row {
    /// Labels, and where the targets are.
    entries: Vec<(LabelId, u32)>,
    targets: Vec<u64>,
    /// Memory to sort targets in.
    sorted: Vec<u64>,
    words: usize,
    /// With so many entries, it is time to drop some.
    full: usize,
    /// Bytes that may be held; `None` if it must all be emitted at once.
    room: Option<usize>,
    /// Of more targets than this, it does not matter which others there are.
    most: usize,
    is_enough: bool,
    /// How many transitions were pushed since it was noticed that they do not all
    /// fit in.
    passed: u64,
    /// Transitions up to this one have been emitted.
    from: Option<Bound>,
    /// Those beyond this one have to wait for the next time.
    to: Option<Bound>,
    /// The labels that have been introduced in this state, and how many others there are.
    introduced: LabelTable,
    known: usize,
}

/// A transition.
type Bound = (LabelId, Box<[u64]>);

/// So many entries never are too many.
const LEAST: usize = 1 << 12;

/// What most rows never need, so that transitions are gone through once.
pub const ROOM: usize = 256 << 20;

/// To go through more transitions than that takes minutes, and as often as there are
/// parts.
const MOST_PASSED: u64 = if cfg!(test) { 1 << 22 } else { 1 << 32 };

/// While so many are emitted, nobody asks whether more are wanted.
const UNASKED: usize = 256;

impl Row {
    /// A row of a model that can go through its transitions several times, in
    /// always the same order. It holds about so many bytes at most, but always some
    /// thousand transitions, and always twice as many as there may be targets.
    pub fn in_parts(room: usize) -> Self {
        Self::with_room(Some(room))
    }

    /// A row of transitions that come in some order, once.
    pub fn whole() -> Self {
        Self::with_room(None)
    }

    fn with_room(room: Option<usize>) -> Self {
        Self {
            entries: Vec::new(),
            targets: Vec::new(),
            sorted: Vec::new(),
            words: 1,
            full: LEAST,
            room,
            most: usize::MAX,
            is_enough: false,
            passed: 0,
            from: None,
            to: None,
            introduced: LabelTable::new(),
            known: 0,
        }
    }

    /// Begins with another state; `most` is [`Emit::most_targets`].
    pub fn start(&mut self, most: usize) {
        self.clear();
        self.most = most;
        self.from = None;
        if !self.introduced.is_empty() {
            self.introduced = LabelTable::new();
        }
    }

    /// The number that a label has in this row which is none of the `known` ones of the model.
    /// Such labels come after all others, in the order in which they are introduced: what
    /// numbers they have elsewhere depends on the states that have been explored before.
    pub fn introduce(&mut self, known: usize, text: &[u8]) -> LabelId {
        self.known = known;
        match self.introduced.intern(text) {
            Ok(label) => LabelId::new((known - 1) as u32 + label.get()),
            // There is none of this number, which the explorer tells.
            Err(_) => LabelId::new(u32::MAX),
        }
    }

    /// Forgets what has been pushed.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.targets.clear();
        self.full = LEAST;
        self.is_enough = false;
        self.passed = 0;
        self.to = None;
    }

    /// Whether nothing that could still be pushed makes a difference.
    #[inline]
    pub fn is_enough(&self) -> bool {
        self.is_enough
    }

    /// Whether it may be the turn of transitions with this label.
    pub fn wants(&self, label: LabelId) -> bool {
        self.from.as_ref().is_none_or(|from| label >= from.0)
            && self.to.as_ref().is_none_or(|to| label <= to.0)
    }

    /// Whether there are more targets than matter, though that may not have been
    /// noticed yet.
    pub fn has_too_many(&self) -> bool {
        self.is_enough || self.leads_to_more(self.most)
    }

    /// Takes a transition, unless it is known not to matter now.
    #[inline]
    pub fn push(&mut self, label: LabelId, target: &[u64]) {
        let is_bounded = self.from.is_some() || self.to.is_some();
        if is_bounded && !self.passes(label, target) {
            return;
        }
        if self.is_enough {
            return;
        }
        if self.entries.len() >= self.full {
            self.make_room();
            // There may be a bound now that there was not before.
            if self.is_enough || !self.is_within(label, target) {
                return;
            }
        }
        self.words = target.len();
        self.entries.push((label, self.entries.len() as u32));
        self.targets.extend_from_slice(target);
    }

    /// Whether it is the turn of a transition; counts it.
    fn passes(&mut self, label: LabelId, target: &[u64]) -> bool {
        self.passed += 1;
        self.is_enough |= self.passed > MOST_PASSED;
        self.is_within(label, target)
    }

    /// # Errors
    /// If there are too many transitions to go through them.
    pub fn check(&self) -> Result<(), ModelError> {
        match self.passed > MOST_PASSED {
            true => Err(ModelError::new(format!(
                "a state has more than {MOST_PASSED} transitions, before equal ones are left out"
            ))),
            false => Ok(()),
        }
    }

    /// Whether it is one of the transitions that it is the turn of.
    fn is_within(&self, label: LabelId, target: &[u64]) -> bool {
        let this = (label, target);
        let of = |bound: &Bound| -> std::cmp::Ordering { this.cmp(&(bound.0, &bound.1)) };
        self.from.as_ref().is_none_or(|from| of(from).is_gt())
            && self.to.as_ref().is_none_or(|to| of(to).is_lt())
    }

    /// Emits each transition once, sorted by label and target. Returns whether
    /// there are others, so that all must be pushed once more for the next part
    /// of them.
    pub fn emit_distinct(&mut self, emit: &mut (impl Emit + ?Sized)) -> bool {
        self.sort();
        let mut others = vec![None; self.introduced.len() - 1];
        for (k, &(label, at)) in self.entries.iter().enumerate() {
            if k % UNASKED == UNASKED - 1 && emit.is_done() {
                return false;
            }
            let label = match label.index().checked_sub(self.known) {
                Some(late) if !others.is_empty() => match others.get_mut(late) {
                    Some(number) => *number.get_or_insert_with(|| {
                        let own = LabelId::new(late as u32 + 1);
                        emit.label(self.introduced.text(own))
                    }),
                    None => LabelId::new(u32::MAX),
                },
                _ => label,
            };
            emit.transition(label, self.target(at));
        }
        if self.is_enough || self.to.is_none() || emit.is_done() {
            return false;
        }
        let last = self.to.take();
        self.clear();
        self.from = last;
        true
    }

    #[inline]
    fn target(&self, at: u32) -> &[u64] {
        &self.targets[at as usize * self.words..][..self.words]
    }

    /// Sorts, and drops what is there twice; targets stay where they are.
    fn sort(&mut self) {
        let Self {
            entries,
            targets,
            words,
            ..
        } = self;
        let target = |at: u32| &targets[at as usize * *words..][..*words];
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| target(a.1).cmp(target(b.1))));
        entries.dedup_by(|a, b| a.0 == b.0 && target(a.1) == target(b.1));
    }

    /// Drops what is there twice, or for the next time; or grows.
    #[cold]
    fn make_room(&mut self) {
        debug_assert!(!self.is_enough, "nothing is pushed any more");
        self.sort();
        if self.leads_to_more(self.most) {
            self.is_enough = true;
            return;
        }
        if self.entries.len() > self.full / 2 {
            // Targets are there twice while they are sorted.
            let bytes = size_of::<(LabelId, u32)>() + 2 * size_of::<u64>() * self.words;
            let fits = self.room.is_none_or(|room| 2 * self.full * bytes <= room);
            // With a limit on states, it is not worse to have a row of so many.
            if fits || self.full <= self.most && self.most < 1 << 31 {
                self.full *= 2;
            } else {
                self.keep(self.full / 2);
            }
        }
        self.sorted.clear();
        for (k, entry) in self.entries.iter_mut().enumerate() {
            let from = entry.1 as usize * self.words;
            let target = &self.targets[from..][..self.words];
            self.sorted.extend_from_slice(target);
            entry.1 = k as u32;
        }
        std::mem::swap(&mut self.targets, &mut self.sorted);
    }

    /// Keeps so many of the first entries for this time.
    fn keep(&mut self, count: usize) {
        self.entries.truncate(count);
        let (label, at) = self.entries[count - 1];
        self.to = Some((label, self.target(at).into()));
    }

    /// Whether there are more targets than this.
    fn leads_to_more(&self, most: usize) -> bool {
        if self.entries.len() <= most {
            return false;
        }
        let mut seen: HashSet<&[u64], RandomState> = HashSet::default();
        let mut targets = self.entries.iter().map(|entry| self.target(entry.1));
        targets.any(|target| seen.insert(target) && seen.len() > most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes transitions until there are so many.
    struct Take(Vec<(u32, Vec<u64>)>, usize);

    impl Emit for Take {
        fn label(&mut self, _: &[u8]) -> LabelId {
            unreachable!("labels are numbers here")
        }

        fn transition(&mut self, label: LabelId, target: &[u64]) {
            self.0.push((label.get(), target.to_vec()));
        }

        fn is_done(&self) -> bool {
            self.0.len() >= self.1
        }
    }

    /// Transitions in an odd order, many of them several times.
    fn transitions(count: u64) -> impl Iterator<Item = (LabelId, [u64; 2])> {
        (0..count).map(move |k| {
            let at = k.wrapping_mul(0x9e37_79b9_7f4a_7c15) % (count / 2 + 1);
            (LabelId::new((at % 3) as u32), [at / 3 % 5, at / 15])
        })
    }

    /// Pushes as often as is wanted; returns how often that was.
    fn push_all(row: &mut Row, count: u64, take: &mut Take) -> usize {
        let mut times = 0;
        loop {
            for (label, target) in transitions(count) {
                if row.is_enough() {
                    break;
                }
                row.push(label, &target);
            }
            times += 1;
            if !row.emit_distinct(take) {
                return times;
            }
        }
    }

    fn expected(count: u64) -> Vec<(u32, Vec<u64>)> {
        let all = transitions(count).map(|(label, target)| (label.get(), target.to_vec()));
        let all: std::collections::BTreeSet<_> = all.collect();
        all.into_iter().collect()
    }

    #[test]
    fn each_transition_comes_once_in_order_however_little_room_there_is() {
        for count in [1, 100, 20_000, 100_000] {
            let expected = expected(count);
            for room in [None, Some(0), Some(1 << 20)] {
                let mut row = Row::with_room(room);
                // The second time over what the first has left.
                for _ in 0..2 {
                    let mut take = Take(Vec::new(), usize::MAX);
                    row.start(usize::MAX);
                    let times = push_all(&mut row, count, &mut take);
                    assert_eq!(take.0, expected);
                    let least = match room {
                        Some(0) => expected.len().div_ceil(LEAST),
                        _ => 1,
                    };
                    assert!(times >= least, "{times} times for {count} in {room:?}");
                    assert!(row.entries.capacity() <= LEAST || room != Some(0));
                }
            }
        }
    }

    #[test]
    fn nothing_is_pushed_again_once_no_more_is_wanted() {
        let mut row = Row::with_room(Some(0));
        let mut take = Take(Vec::new(), 1000);
        row.start(usize::MAX);
        assert_eq!(push_all(&mut row, 100_000, &mut take), 1);
        assert_eq!(take.0[..1000], expected(100_000)[..1000]);
        assert!(take.0.len() < 1000 + UNASKED);
    }

    /// Who does not ask whether it is enough pays next to nothing for what is too
    /// much: sorting again each time would take hours here.
    #[test]
    fn what_is_too_much_is_dropped() {
        let mut row = Row::in_parts(ROOM);
        row.start(10);
        for k in 0..20_000_000u64 {
            row.push(LabelId::new(1), &[k]);
        }
        assert!(row.is_enough());
        let mut take = Take(Vec::new(), usize::MAX);
        assert!(!row.emit_distinct(&mut take));
        assert!(take.0.len() > 10);
    }

    #[test]
    fn there_is_an_end_to_what_is_gone_through() {
        let mut row = Row::with_room(Some(0));
        row.start(usize::MAX);
        let mut pushed = 0;
        while !row.is_enough() {
            row.push(LabelId::new(1), &[pushed]);
            pushed += 1;
        }
        // What does not fit in is noticed by one more, and counted from then on.
        assert_eq!(pushed, LEAST as u64 + 1 + MOST_PASSED + 1);
        assert!(row.check().is_err());
        row.start(usize::MAX);
        assert!(row.check().is_ok());
    }

    #[test]
    fn more_targets_than_matter() {
        let count = 100_000;
        let expected = expected(count);
        for most in [0, 1, 1000, 5000, 1 << 20] {
            for room in [None, Some(0), Some(1 << 20)] {
                let mut row = Row::with_room(room);
                let mut take = Take(Vec::new(), usize::MAX);
                row.start(most);
                push_all(&mut row, count, &mut take);
                assert!(most > 1000 || take.0.len() <= LEAST);
                let targets: HashSet<&[u64]> = take.0.iter().map(|t| &t.1[..]).collect();
                let known: HashSet<&[u64]> = expected.iter().map(|t| &t.1[..]).collect();
                assert!(targets.len() > most || take.0.len() == expected.len());
                assert!(most < known.len() || take.0.len() == expected.len());
                assert!(take.0.iter().all(|t| expected.binary_search(t).is_ok()));
            }
        }
    }
}
