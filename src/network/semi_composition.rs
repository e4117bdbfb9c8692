//! Semi-composition: what an LTS can do where an interface restricts it.
//!
//! `B -|[G]| I` (Graf and Steffen, *Compositional minimization of finite state systems*,
//! CAV 1990; Krimm and Mounier, *Compositional state space generation from LOTOS
//! programs*, TACAS 1997) is the part of B that takes part in what can be reached in
//! `B |[G]| I`. It is a part of B, and not a product: states of B that are reached
//! together with several states of I come once.

use hyades_base::interned::Interned;
use hyades_explore::{Emit, ExploreError, Limit, Limits, Model, ModelError, words};
use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, Offsets, StateId, TooLarge};

use super::state_space::limit_text;

/// What the labels of transitions begin with that a guessed interface has cut. The
/// label itself follows.
pub const FAIL: &[u8] = b"fail: ";

/// What is composed with an interface, and how.
#[derive(Clone, Copy, Debug)]
pub struct SemiComposition<'a> {
    /// The interface: an LTS that describes the environment.
    pub interface: &'a Lts,
    /// Whether there is a loop `fail: LABEL` in each state that a transition of this
    /// label is cut from, so that whoever composes the result with the environment sees
    /// where the interface was too narrow.
    pub is_guess: bool,
    /// When to give up: the most states of the result, and the most bytes for tables.
    pub limits: Limits,
}

impl SemiComposition<'_> {
    /// The semi-composition of a model with the interface, synchronised on the visible
    /// labels that `synchronises` names by their texts. The hidden action and other
    /// labels are free, on both sides.
    ///
    /// Where the interface itself has a loop `fail: LABEL`, whether it has LABEL is not
    /// known: a transition of this label that is cut there leaves such a loop, too.
    ///
    /// States are numbered breadth-first, in the order in which pairs of a state and
    /// one of the interface are found; rows have the model's order, and loops of a guess
    /// at their ends. Models are explored as far as the interface lets them.
    ///
    /// O(pairs · transitions of either side), and memory for the pairs.
    ///
    /// # Errors
    /// Those of the model; if there are too many states, transitions or labels; if a
    /// limit is reached.
    pub fn of(
        &self,
        model: &impl Model,
        synchronises: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Lts, ExploreError> {
        let interface = Interface::new(self.interface);
        let theirs = self.interface.table();
        let theirs_are_free: Vec<bool> = (0..theirs.len() as u32)
            .map(LabelId::new)
            .map(|label| label.is_hidden() || !synchronises(theirs.text(label)))
            .collect();
        let mut search = Search {
            model,
            scratch: model.scratch(),
            rows: Rows {
                states: Interned::default(),
                table: model.labels().into_owned(),
                row_of: Vec::new(),
                labels: Vec::new(),
                targets: Vec::new(),
                error: None,
            },
            kept: Vec::new(),
            doubtful: Vec::new(),
            state: vec![0; words(model.bits())],
        };
        let mut initial = vec![0; words(model.bits())];
        model.initial(&mut initial)?;
        search.rows.states.intern(&initial);
        let mut pairs: Interned<u32> = Interned::default();
        pairs.intern(&[0, self.interface.initial().get()]);
        let mut own: Vec<Option<Own>> = Vec::new();
        // The states in the order in which they are reached, and their numbers then.
        let mut reached: Vec<u32> = Vec::new();
        let mut number: Vec<u32> = Vec::new();
        let mut next = 0;
        while next < pairs.len() as u32 {
            let &[state, other] = pairs.get(next) else {
                unreachable!("pairs have two members")
            };
            next += 1;
            if number.get(state as usize).copied().unwrap_or(u32::MAX) == u32::MAX {
                number.resize(number.len().max(state as usize + 1), u32::MAX);
                number[state as usize] = reached.len() as u32;
                reached.push(state);
                search.expand(state)?;
                search.check(&self.limits, reached.len(), pairs.bytes())?;
            }
            own.resize(search.rows.table.len(), None);
            for at in search.rows.row(state) {
                let (label, target) = (search.rows.labels[at], search.rows.targets[at]);
                let role = *own[label.index()].get_or_insert_with(|| {
                    let text = search.rows.table.text(label);
                    let fails = cut_label(text).is_some();
                    let text = cut_label(text).unwrap_or(text);
                    if label.is_hidden() || !synchronises(text) {
                        return Own::Free;
                    }
                    let partner = Partner {
                        label: theirs.find(text),
                        cut: theirs.find(&[FAIL, text].concat()),
                    };
                    match fails {
                        true => Own::Failing(partner),
                        false => Own::Shared(partner),
                    }
                });
                match role {
                    // Nothing happens: it says what is missing.
                    Own::Failing(partner) if target == state => {
                        let able = partner.label;
                        let able = able.is_some_and(|l| !interface.by(other, l).is_empty());
                        search.kept[at] |= able || partner.may_be_cut(&interface, other);
                    }
                    Own::Failing(_) => {
                        search.kept[at] = true;
                        pairs.intern(&[target, other]);
                    }
                    Own::Free => {
                        search.kept[at] = true;
                        pairs.intern(&[target, other]);
                    }
                    Own::Shared(partner) => {
                        search.doubtful[at] |= partner.may_be_cut(&interface, other);
                        let able = partner.label.map(|label| interface.by(other, label));
                        for &(_, to) in able.into_iter().flatten() {
                            search.kept[at] = true;
                            pairs.intern(&[target, to.get()]);
                        }
                    }
                }
            }
            // What the interface does on its own.
            for &(label, to) in interface.row(other) {
                if theirs_are_free[label.index()] {
                    pairs.intern(&[state, to.get()]);
                }
            }
        }
        Ok(search.finish(&reached, &number, self.is_guess)?)
    }
}

/// What becomes of a label of the model.
#[derive(Clone, Copy)]
enum Own {
    /// The model moves alone.
    Free,
    /// Both move.
    Shared(Partner),
    /// A loop says that another interface cut a label.
    Failing(Partner),
}

/// What the interface has of a label that is synchronised.
#[derive(Clone, Copy)]
struct Partner {
    /// The label, if the interface has it.
    label: Option<LabelId>,
    /// That of loops which say that the label was cut, if there are any.
    cut: Option<LabelId>,
}

impl Partner {
    /// Whether the label was cut from this state of the interface.
    fn may_be_cut(self, interface: &Interface, state: u32) -> bool {
        let row = self.cut.map(|label| interface.by(state, label));
        row.into_iter().flatten().any(|&(_, to)| to.get() == state)
    }
}

/// The transitions of an interface, sorted by label within each row.
struct Interface {
    offsets: Vec<usize>,
    transitions: Vec<(LabelId, StateId)>,
}

impl Interface {
    fn new(lts: &Lts) -> Self {
        let mut offsets = vec![0];
        let mut transitions = Vec::with_capacity(lts.transitions());
        for state in 0..lts.states() as u32 {
            let start = transitions.len();
            transitions.extend(lts.outgoing(StateId::new(state)));
            transitions[start..].sort_unstable();
            offsets.push(transitions.len());
        }
        Self {
            offsets,
            transitions,
        }
    }

    fn row(&self, state: u32) -> &[(LabelId, StateId)] {
        let state = state as usize;
        &self.transitions[self.offsets[state]..self.offsets[state + 1]]
    }

    fn by(&self, state: u32, label: LabelId) -> &[(LabelId, StateId)] {
        let row = self.row(state);
        let start = row.partition_point(|&(l, _)| l < label);
        let row = &row[start..];
        &row[..row.partition_point(|&(l, _)| l == label)]
    }
}

/// The transitions of states of the model that were asked for.
struct Rows {
    /// Packed states.
    states: Interned<u64>,
    table: LabelTable,
    /// For each state where its row starts and ends.
    row_of: Vec<(u32, u32)>,
    labels: Vec<LabelId>,
    targets: Vec<u32>,
    error: Option<TooLarge>,
}

impl Rows {
    fn row(&self, state: u32) -> std::ops::Range<usize> {
        let (start, end) = self.row_of[state as usize];
        start as usize..end as usize
    }
}

impl Emit for Rows {
    fn label(&mut self, text: &[u8]) -> LabelId {
        self.table.intern(text).unwrap_or_else(|error| {
            self.error.get_or_insert(error);
            LabelId::HIDDEN
        })
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        if self.states.len() == StateId::MAX_COUNT as usize {
            self.error
                .get_or_insert(too_many("states", StateId::MAX_COUNT));
            return;
        }
        self.labels.push(label);
        self.targets.push(self.states.intern(target).0);
    }

    fn is_done(&self) -> bool {
        self.error.is_some()
    }
}

struct Search<'m, M: Model> {
    model: &'m M,
    scratch: M::Scratch,
    rows: Rows,
    /// Whether a transition can take place, for each that is known.
    kept: Vec<bool>,
    /// Whether the interface may have been able to do it before it was cut itself, for each.
    doubtful: Vec<bool>,
    state: Vec<u64>,
}

impl<M: Model> Search<'_, M> {
    /// Asks for the transitions of a state.
    fn expand(&mut self, state: u32) -> Result<(), ExploreError> {
        let Rows { states, row_of, .. } = &mut self.rows;
        self.state.copy_from_slice(states.get(state));
        row_of.resize(states.len(), (0, 0));
        let start = self.rows.labels.len();
        self.model
            .successors(&mut self.scratch, &self.state, &mut self.rows)?;
        if let Some(error) = self.rows.error.take() {
            return Err(error.into());
        }
        let end = offset(self.rows.labels.len())?;
        self.rows.row_of[state as usize] = (start as u32, end);
        self.rows.row_of.resize(self.rows.states.len(), (0, 0));
        self.kept.resize(end as usize, false);
        self.doubtful.resize(end as usize, false);
        Ok(())
    }

    fn check(&self, limits: &Limits, states: usize, pairs: usize) -> Result<(), ModelError> {
        let reached = |limit| Err(ModelError::limit(limit, limit_text(limit, limits)));
        if limits.max_states.is_some_and(|most| states as u64 > most) {
            return reached(Limit::States);
        }
        if let Some(most) = limits.max_memory {
            let rows = self.rows.labels.capacity() * 10 + self.rows.row_of.capacity() * 8;
            let bytes = (pairs + self.rows.states.bytes() + rows) as u64;
            if bytes > most {
                return reached(Limit::Memory);
            }
        }
        Ok(())
    }

    /// The transitions that can take place, and loops for those that cannot.
    fn finish(mut self, reached: &[u32], number: &[u32], is_guess: bool) -> Result<Lts, TooLarge> {
        let mut offsets = Offsets::with_capacity(reached.len());
        let mut labels = Vec::new();
        let mut targets = Vec::new();
        let mut cut: Vec<LabelId> = Vec::new();
        for (place, &state) in reached.iter().enumerate() {
            cut.clear();
            for at in self.rows.row(state) {
                let label = self.rows.labels[at];
                if self.kept[at] {
                    labels.push(label);
                    targets.push(StateId::new(number[self.rows.targets[at] as usize]));
                } else if (is_guess || self.doubtful[at]) && !cut.contains(&label) {
                    cut.push(label);
                }
            }
            for label in &cut {
                let text = self.rows.table.text(*label);
                let text = [FAIL, cut_label(text).unwrap_or(text)].concat();
                labels.push(self.rows.table.intern(&text)?);
                targets.push(StateId::new(place as u32));
            }
            offsets.push(labels.len());
        }
        Ok(Lts::from_parts(LtsParts {
            initial: StateId::new(0),
            offsets,
            labels,
            targets,
            table: self.rows.table,
        }))
    }
}

fn too_many(what: &'static str, limit: u64) -> TooLarge {
    TooLarge { what, limit }
}

/// Places of transitions before they are cut have 32 bits.
fn offset(transitions: usize) -> Result<u32, TooLarge> {
    u32::try_from(transitions).map_err(|_| too_many("transitions", u32::MAX.into()))
}

/// The label that a guess has cut, if this one says so.
pub(super) fn cut_label(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(FAIL).filter(|label| !label.is_empty())
}

/// What several components together are called.
pub(super) fn joint_name(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [one, two] => format!("{one}+{two}"),
        [first, .., last] => format!("{first}+..+{last}({})", names.len()),
    }
}
