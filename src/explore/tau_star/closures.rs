//! Where hidden transitions lead, kept for many states.

use hashbrown::HashTable;
use hyades_formats::LabelId;

use super::super::checked::Checked;
use super::super::emit::Emit;
use super::super::hash::Hasher;
use super::super::model::Model;
use super::super::row::Row;

/// The graph of hidden transitions between some states, as its strongly connected
/// components: what leaves the states of a component by a visible transition, and
/// which components hidden ones lead to.
///
/// Components are found by Tarjan's algorithm ("Depth-first search and linear
/// graph algorithms", SIAM J. Comput. 1(2), 1972). With a component, all that its
/// hidden transitions lead to is known as well.
pub struct Closures {
    hasher: Hasher,
    words: usize,
    /// The states, one after the other.
    states: Vec<u64>,
    /// Their numbers, by their hashes.
    numbers: HashTable<u32>,
    /// The component of each state, or [`NONE`].
    component: Vec<u32>,
    /// Where the entries of each component end in `next` and in `visible`.
    ends: Vec<(usize, usize)>,
    /// How many states each component has.
    sizes: Vec<u32>,
    /// Components that hidden transitions lead to, not the own one: all of them
    /// come earlier.
    next: Vec<u32>,
    /// Labels of visible transitions, and their targets one after the other.
    visible: Transitions,
    limit: usize,
    growth: Growth,
}

const NONE: u32 = u32::MAX;

/// Whether there may come more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Growth {
    Open,
    /// There are as many states as there may be.
    Full,
    /// The model is one that nothing can be kept of.
    Useless,
}

#[derive(Default)]
struct Transitions {
    labels: Vec<LabelId>,
    targets: Vec<u64>,
}

impl Transitions {
    fn push(&mut self, label: LabelId, target: &[u64]) {
        self.labels.push(label);
        self.targets.extend_from_slice(target);
    }

    fn truncate(&mut self, len: usize, words: usize) {
        self.labels.truncate(len);
        self.targets.truncate(len * words);
    }

    fn bytes(&self) -> usize {
        self.labels.capacity() * size_of::<LabelId>() + self.targets.capacity() * size_of::<u64>()
    }
}

impl Emit for Transitions {
    fn label(&mut self, _: &[u8]) -> LabelId {
        unreachable!("only transitions are put here")
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        self.push(label, target);
    }
}

/// Which components have been seen; for one thread.
#[derive(Default)]
pub struct Marks {
    /// The round in which a component was seen last.
    seen: Vec<u32>,
    round: u32,
    open: Vec<u32>,
    /// How many states those of this round have that have been collected.
    states: usize,
}

impl Marks {
    /// Nothing has been seen.
    pub fn clear(&mut self) {
        self.states = 0;
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.seen.fill(0);
            self.round = 1;
        }
    }

    /// How many states have been collected from.
    pub fn states(&self) -> usize {
        self.states
    }

    /// Whether this is the first time.
    fn mark(&mut self, component: u32) -> bool {
        let at = component as usize;
        if at >= self.seen.len() {
            self.seen.resize(at + 1, 0);
        }
        std::mem::replace(&mut self.seen[at], self.round) != self.round
    }
}

impl Closures {
    /// Nothing yet, of states of so many words, in at most about `limit` bytes.
    pub fn new(words: usize, limit: usize) -> Self {
        Self {
            hasher: Hasher::new(),
            words,
            states: Vec::new(),
            numbers: HashTable::new(),
            component: Vec::new(),
            ends: Vec::new(),
            sizes: Vec::new(),
            next: Vec::new(),
            visible: Transitions::default(),
            limit,
            growth: Growth::Open,
        }
    }

    pub fn growth(&self) -> Growth {
        self.growth
    }

    fn state(&self, number: u32) -> &[u64] {
        &self.states[number as usize * self.words..][..self.words]
    }

    /// The component of a state, if it is known.
    pub fn component(&self, state: &[u64]) -> Option<u32> {
        let hash = self.hasher.hash::<0>(state);
        let number = self.numbers.find(hash, |&n| self.state(n) == state)?;
        Some(self.component[*number as usize]).filter(|&c| c != NONE)
    }

    /// Adds to `row` the visible transitions from a component and from all that
    /// hidden ones lead to from there, except from components with a mark, which
    /// all of them have then.
    ///
    /// O(components and what they have).
    pub fn collect(&self, from: u32, marks: &mut Marks, row: &mut Row) {
        if marks.mark(from) {
            marks.open.push(from);
        }
        while let Some(component) = marks.open.pop() {
            let (next, visible) = self.entries(component);
            marks.states += self.sizes[component as usize] as usize;
            for k in visible {
                let target = &self.visible.targets[k * self.words..][..self.words];
                row.push(self.visible.labels[k], target);
            }
            for &other in &self.next[next] {
                if marks.mark(other) {
                    marks.open.push(other);
                }
            }
        }
    }

    /// Where the entries of a component are.
    fn entries(&self, component: u32) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let at = component as usize;
        let (next, visible) = match at {
            0 => (0, 0),
            _ => self.ends[at - 1],
        };
        (next..self.ends[at].0, visible..self.ends[at].1)
    }

    fn bytes(&self) -> usize {
        (self.states.capacity() + 2 * self.ends.capacity()) * size_of::<u64>()
            + (self.numbers.capacity()
                + self.component.capacity()
                + self.next.capacity()
                + self.sizes.capacity())
                * size_of::<u32>()
            + self.visible.bytes()
    }

    /// More transitions of one state than this are too many to be kept: they would
    /// take an eighth of the room.
    fn most_targets(&self) -> usize {
        self.limit / 8 / (size_of::<u64>() * self.words)
    }

    /// The number of a state, new or not.
    fn number(&mut self, state: &[u64]) -> u32 {
        let Self {
            hasher,
            words,
            states,
            numbers,
            component,
            ..
        } = self;
        let state_of = |number: u32| &states[number as usize * *words..][..*words];
        let hash = hasher.hash::<0>(state);
        let rehash = |&n: &u32| hasher.hash::<0>(state_of(n));
        match numbers.entry(hash, |&n| state_of(n) == state, rehash) {
            hashbrown::hash_table::Entry::Occupied(held) => *held.get(),
            hashbrown::hash_table::Entry::Vacant(free) => {
                let number = component.len() as u32;
                free.insert(number);
                states.extend_from_slice(state);
                component.push(NONE);
                number
            }
        }
    }

    /// Finds the component of this state, and of all that hidden transitions lead
    /// to from there, if there is room and the model is one that this can be done
    /// for. Gives up after `most` states.
    pub fn extend<M: Model>(
        &mut self,
        model: &Checked<M>,
        scratch: &mut M::Scratch,
        state: &[u64],
        most: usize,
    ) {
        if self.growth != Growth::Open || self.component(state).is_some() {
            return;
        }
        self.growth = match Search::new(self, most).run(model, scratch, state) {
            Ok(()) => Growth::Open,
            Err(growth) => growth,
        };
        if self.growth == Growth::Useless || self.growth == Growth::Full && self.ends.is_empty() {
            *self = Self {
                growth: Growth::Useless,
                ..Self::new(self.words, self.limit)
            };
        }
    }
}

/// Tarjan's algorithm from one state.
struct Search<'a> {
    all: &'a mut Closures,
    /// How many states may still be visited.
    rest: usize,
    /// States below this number are known.
    base: u32,
    /// The place of the other states in `stack`, or [`NONE`].
    places: Vec<u32>,
    /// States whose component is not complete.
    stack: Vec<u32>,
    /// The targets of their hidden transitions, in the order of the stack.
    hidden: Vec<u32>,
    /// Their visible transitions, likewise.
    visible: Transitions,
    frames: Vec<Frame>,
}

/// A state on the current path.
struct Frame {
    /// Its place in the stack.
    place: u32,
    /// The lowest place in the stack that is reached from it.
    low: u32,
    /// The next of its hidden transitions to follow, and their end.
    at: usize,
    end: usize,
    /// Where its transitions begin.
    hidden: usize,
    visible: usize,
}

impl<'a> Search<'a> {
    fn new(all: &'a mut Closures, rest: usize) -> Self {
        Self {
            rest,
            base: all.component.len() as u32,
            all,
            places: Vec::new(),
            stack: Vec::new(),
            hidden: Vec::new(),
            visible: Transitions::default(),
            frames: Vec::new(),
        }
    }

    /// # Errors
    /// What has become of growing, if not all could be found.
    fn run<M: Model>(
        &mut self,
        model: &Checked<M>,
        scratch: &mut M::Scratch,
        state: &[u64],
    ) -> Result<(), Growth> {
        let root = self.all.number(state);
        self.visit(model, scratch, root)?;
        while let Some(frame) = self.frames.last_mut() {
            if frame.at < frame.end {
                let target = self.hidden[frame.at];
                frame.at += 1;
                if self.all.component[target as usize] != NONE {
                    continue;
                }
                match self.places.get((target - self.base) as usize) {
                    Some(&place) if place != NONE => frame.low = frame.low.min(place),
                    _ => self.visit(model, scratch, target)?,
                }
                continue;
            }
            let frame = self.frames.pop().expect("the last one");
            if frame.low == frame.place {
                self.complete(&frame);
            } else {
                let parent = self.frames.last_mut().expect("the root is its own lowest");
                parent.low = parent.low.min(frame.low);
            }
        }
        Ok(())
    }

    /// Puts a state on the path, with its transitions.
    fn visit<M: Model>(
        &mut self,
        model: &Checked<M>,
        scratch: &mut M::Scratch,
        number: u32,
    ) -> Result<(), Growth> {
        if self.rest == 0 || self.is_full() {
            return Err(Growth::Full);
        }
        self.rest -= 1;
        let (hidden, visible) = (self.hidden.len(), self.visible.labels.len());
        let state = self.all.state(number).to_vec();
        let mut found = Found {
            search: self,
            fits: true,
        };
        let result = model.successors(scratch, &state, &mut found);
        if result.is_err() || !found.fits {
            return Err(Growth::Useless);
        }
        // The model may have left transitions out.
        let count = self.hidden.len() - hidden + self.visible.labels.len() - visible;
        if count > self.all.most_targets() || self.is_full() {
            return Err(Growth::Full);
        }
        let place = self.stack.len() as u32;
        let index = (number - self.base) as usize;
        if index >= self.places.len() {
            self.places.resize(index + 1, NONE);
        }
        self.places[index] = place;
        self.stack.push(number);
        self.frames.push(Frame {
            place,
            low: place,
            at: hidden,
            end: self.hidden.len(),
            hidden,
            visible,
        });
        Ok(())
    }

    /// The states from that of this frame on are a component.
    fn complete(&mut self, root: &Frame) {
        let words = self.all.words;
        let own = self.all.ends.len() as u32;
        let size = self.stack.len() - root.place as usize;
        self.all.sizes.push(size as u32);
        for number in self.stack.drain(root.place as usize..) {
            self.all.component[number as usize] = own;
        }
        let mut next: Vec<u32> = self.hidden[root.hidden..]
            .iter()
            .map(|&target| self.all.component[target as usize])
            .filter(|&component| component != own)
            .collect();
        next.sort_unstable();
        next.dedup();
        self.all.next.extend(next);
        let mut row = Row::whole();
        for k in root.visible..self.visible.labels.len() {
            let target = &self.visible.targets[k * words..][..words];
            row.push(self.visible.labels[k], target);
        }
        row.emit_distinct(&mut self.all.visible);
        self.hidden.truncate(root.hidden);
        self.visible.truncate(root.visible, words);
        let ends = (self.all.next.len(), self.all.visible.labels.len());
        self.all.ends.push(ends);
    }

    fn is_full(&self) -> bool {
        self.all.bytes() + self.bytes() > self.all.limit
    }

    fn bytes(&self) -> usize {
        self.visible.bytes()
            + self.frames.capacity() * size_of::<Frame>()
            + (self.places.capacity() + self.stack.capacity() + self.hidden.capacity())
                * size_of::<u32>()
    }
}

/// Takes the transitions of the state that is visited.
struct Found<'a, 'b> {
    search: &'a mut Search<'b>,
    /// Whether they can be kept: all labels are known beforehand, and targets
    /// look like states.
    fits: bool,
}

impl Emit for Found<'_, '_> {
    fn label(&mut self, _: &[u8]) -> LabelId {
        self.fits = false;
        LabelId::HIDDEN
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        self.fits &= target.len() == self.search.all.words;
        if !self.fits {
            return;
        }
        if label.is_hidden() {
            let number = self.search.all.number(target);
            self.search.hidden.push(number);
        } else {
            self.search.visible.push(label, target);
        }
    }

    fn is_done(&self) -> bool {
        !self.fits || self.search.is_full()
    }

    fn most_targets(&self) -> usize {
        self.search.all.most_targets()
    }
}
