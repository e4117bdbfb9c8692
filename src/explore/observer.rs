//! What is noticed about transitions on the fly: answers to questions.

use hyades_formats::{LabelId, LabelTable, Rows, TooLarge};

use super::search::{Answer, LabelPredicate, Questions};
use super::store::Store;
use super::trace::{HiddenSteps, Parents, Trace};

/// Looks at all transitions in the order of discovery.
pub(super) struct Observer<'q> {
    wants_deadlock: bool,
    /// A state without transitions.
    deadlock: Option<u32>,
    finders: Finders<'q>,
    /// Kept if anything is asked.
    parents: Option<Parents>,
    /// Kept if livelocks are asked for.
    hidden: Option<HiddenSteps>,
    /// Whether the row that is next has had transitions already.
    is_open: bool,
}

/// How far [`Observer::see`] has looked.
pub(super) enum Seen<'a> {
    /// At all rows.
    All,
    /// At these, whose last row was the first after which all questions were
    /// answered.
    Answered(Vec<Rows<'a>>),
}

impl<'q> Observer<'q> {
    pub(super) fn new(questions: Questions<'q>) -> Self {
        let parents = questions.any().then(Parents::new);
        Self {
            wants_deadlock: questions.deadlock,
            deadlock: None,
            parents,
            hidden: questions.livelock.then(HiddenSteps::new),
            finders: Finders::new(questions.find),
            is_open: false,
        }
    }

    /// Whether there are questions.
    pub(super) fn is_curious(&self) -> bool {
        self.parents.is_some()
    }

    /// Whether all questions are answered.
    pub(super) fn is_answered(&self) -> bool {
        self.hidden.is_none()
            && (!self.wants_deadlock || self.deadlock.is_some())
            && self.finders.all_found()
    }

    /// How many states there are as far as has been looked, and the largest
    /// distance of one from the initial state.
    pub(super) fn states_and_depth(&self) -> (usize, u32) {
        match &self.parents {
            None => (1, 0),
            // Numbers ascend with the distance.
            Some(parents) => (parents.len(), parents.distance(parents.len() as u32 - 1)),
        }
    }

    /// Bytes held at the peak of looking at so many more rows and transitions.
    pub(super) fn peak(&self, rows: usize, transitions: usize) -> usize {
        let parents = self.parents.as_ref().map_or(0, |p| p.peak(transitions));
        parents
            + self
                .hidden
                .as_ref()
                .map_or(0, |h| h.peak(rows, transitions))
    }

    /// Looks at the next rows; if `stop`, not beyond the row after which all
    /// questions are answered. States that `is_truncated` are no deadlocks.
    ///
    /// # Errors
    /// If there are too many hidden transitions.
    pub(super) fn see<'a>(
        &mut self,
        parts: &[Rows<'a>],
        labels: &LabelTable,
        stop: bool,
        is_truncated: &dyn Fn(u32) -> bool,
    ) -> Result<Seen<'a>, TooLarge> {
        for (k, part) in parts.iter().enumerate() {
            let mut begin = 0;
            for (row, end) in part.ends.iter().enumerate() {
                let source = part.first.get() + row as u32;
                self.see_row(source, part, begin..end, labels)?;
                let is_asked = self.wants_deadlock && self.deadlock.is_none();
                if begin == end && !self.is_open && is_asked && !is_truncated(source) {
                    self.deadlock = Some(source);
                }
                self.is_open = false;
                if let Some(hidden) = &mut self.hidden {
                    hidden.end_of_state();
                }
                if stop && self.is_answered() {
                    let mut seen = parts[..k].to_vec();
                    seen.push(part.cut(row + 1, end));
                    return Ok(Seen::Answered(seen));
                }
                begin = end;
            }
            let rest = begin..part.labels.len();
            if !rest.is_empty() {
                self.is_open = true;
                self.see_row(
                    part.first.get() + part.ends.len() as u32,
                    part,
                    rest,
                    labels,
                )?;
            }
        }
        Ok(Seen::All)
    }

    /// Looks at transitions of one state.
    #[inline]
    fn see_row(
        &mut self,
        source: u32,
        rows: &Rows<'_>,
        range: std::ops::Range<usize>,
        labels: &LabelTable,
    ) -> Result<(), TooLarge> {
        let steps = rows.labels[range.clone()].iter().zip(&rows.targets[range]);
        for (&label, &target) in steps {
            if let Some(parents) = &mut self.parents
                && target.index() == parents.len()
            {
                parents.push(source, label);
            }
            if label.is_hidden()
                && let Some(hidden) = &mut self.hidden
            {
                if hidden.is_full() {
                    return Err(TooLarge {
                        what: "hidden transitions",
                        limit: HiddenSteps::MAX,
                    });
                }
                hidden.push(target.get());
            }
            self.finders.see(source, label, target.get(), labels);
        }
        Ok(())
    }

    /// The answers about a deadlock, a livelock and labels, as far as these were
    /// asked for, of `states` states that were found, perhaps all there are.
    pub(super) fn finish(
        self,
        is_complete: bool,
        states: usize,
        store: &impl Store,
    ) -> (Option<Answer>, Option<Answer>, Vec<Answer>) {
        let unseen = || {
            if is_complete {
                Answer::No
            } else {
                Answer::Unknown
            }
        };
        let Some(parents) = &self.parents else {
            return (None, None, Vec::new());
        };
        let path = |to: u32| -> Trace { parents.path_to(to, store) };
        let deadlock = self.wants_deadlock.then(|| {
            self.deadlock
                .map_or_else(unseen, |state| Answer::Yes(path(state)))
        });
        let livelock = self
            .hidden
            .map(|hidden| match hidden.nearest_cycle(states) {
                Some(cycle) => {
                    let mut trace = path(cycle[0]);
                    trace.close_cycle(&cycle, store);
                    Answer::Yes(trace)
                }
                None => unseen(),
            });
        let find = self.finders.found.iter().map(|step| match *step {
            Some((source, label, target)) => {
                let mut trace = path(source);
                trace.push(label, target, store);
                Answer::Yes(trace)
            }
            None => unseen(),
        });
        let find = find.collect();
        (deadlock, livelock, find)
    }
}

/// The predicates of [`Questions::find`] and the first transition that each
/// holds of.
struct Finders<'q> {
    predicates: Vec<LabelPredicate<'q>>,
    found: Vec<Option<(u32, LabelId, u32)>>,
    missing: usize,
    /// Whether the predicates have been asked about the label.
    asked: Vec<bool>,
}

impl<'q> Finders<'q> {
    fn new(predicates: Vec<LabelPredicate<'q>>) -> Self {
        Self {
            found: vec![None; predicates.len()],
            missing: predicates.len(),
            asked: Vec::new(),
            predicates,
        }
    }

    fn all_found(&self) -> bool {
        self.missing == 0
    }

    #[inline]
    fn see(&mut self, source: u32, label: LabelId, target: u32, labels: &LabelTable) {
        if self.missing > 0 && !self.asked.get(label.index()).is_some_and(|&asked| asked) {
            self.ask(source, label, target, labels);
        }
    }

    /// A label is asked about when it first occurs, so a predicate that holds
    /// of it is found there, if not before.
    #[cold]
    fn ask(&mut self, source: u32, label: LabelId, target: u32, labels: &LabelTable) {
        if self.asked.len() <= label.index() {
            self.asked.resize(labels.len(), false);
        }
        self.asked[label.index()] = true;
        for (predicate, found) in self.predicates.iter().zip(&mut self.found) {
            if found.is_none() && predicate(label, labels.text(label)) {
                *found = Some((source, label, target));
                self.missing -= 1;
            }
        }
    }
}
