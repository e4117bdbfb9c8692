//! A machine in the making, into which the tree of a suite is folded.

use crate::machine::NONE;

use super::consistency::Places;
use super::quotient::Quotient;
use super::refutation::Draft;

/// The transition that leads to where the root is: not one of the machine, but
/// decided like those.
pub(super) const START: u32 = 0;

/// What is taken back when a search goes back.
enum Undo {
    Place(u32),
    Output(u32),
    Target(u32),
    /// A class waits for a transition no longer.
    Wait(u32),
    /// Part of a domain.
    Domain(usize, u64),
    /// The specification's state that a state has first.
    Holds(u32),
    Mixed,
    /// Classes of different states wait for a transition.
    Contested,
    /// A new state.
    State,
}

/// A class that waits for a transition, in a list of each class.
struct Link {
    transition: u32,
    next: u32,
}

/// A partial machine, and where in it the classes of a quotient are. Classes
/// behind a transition that is not decided wait for it.
pub(super) struct Fold<'q, 'a> {
    pub(super) quotient: &'q mut Quotient<'a>,
    /// Classes that are in different states, numbered so; the first states.
    seeds: Vec<u32>,
    inputs: u32,
    /// 64-bit words of a set of seeds.
    words: usize,
    /// How many states there are, and for each its distance from the seeds.
    levels: Vec<u32>,
    /// For each class its state.
    place: Vec<u32>,
    /// For each transition its target and output.
    target: Vec<u32>,
    output: Vec<u32>,
    /// For each transition the classes behind it while it is not decided.
    waiting: Vec<Vec<u32>>,
    /// For each transition the seeds that it may lead to.
    domains: Vec<u64>,
    /// For each class the transitions that it waits for.
    first_link: Vec<u32>,
    links: Vec<Link>,
    /// For each class where the seeds are that it may be joined with.
    known: Vec<u32>,
    possible: Vec<u64>,
    /// Where classes may be, if it is known better.
    places: Option<Places>,
    /// For each state the specification's state of a node that it has.
    holds: Vec<u32>,
    /// How many states were found to have nodes of different states.
    mixed: usize,
    /// Transitions for which classes of different states wait, or did.
    contested: Vec<u32>,
    trail: Vec<Undo>,
    agenda: Vec<(u32, u32)>,
    /// Transitions whose domains became smaller.
    pub(super) restricted: Vec<u32>,
}

impl<'q, 'a> Fold<'q, 'a> {
    /// The machine with a state for each seed, without transitions. Nothing is
    /// folded yet.
    pub(super) fn new(
        quotient: &'q mut Quotient<'a>,
        seeds: &[u32],
        places: Option<Places>,
    ) -> Self {
        let nodes = quotient.nodes();
        let seeds: Vec<u32> = seeds.iter().map(|&seed| quotient.find(seed)).collect();
        let words = seeds.len().div_ceil(64);
        let mut fold = Self {
            inputs: quotient.machine.inputs() as u32,
            words,
            levels: Vec::new(),
            place: vec![NONE; nodes],
            target: Vec::new(),
            output: Vec::new(),
            waiting: Vec::new(),
            domains: Vec::new(),
            first_link: vec![NONE; nodes],
            links: Vec::new(),
            known: vec![NONE; nodes],
            possible: Vec::new(),
            places,
            holds: Vec::new(),
            mixed: 0,
            contested: Vec::new(),
            trail: Vec::new(),
            agenda: Vec::new(),
            restricted: Vec::new(),
            seeds,
            quotient,
        };
        fold.add_transitions(1);
        fold
    }

    /// The bytes that a fold of so many nodes into so many states takes, roughly.
    pub(super) fn bytes(nodes: usize, seeds: usize, states: usize, inputs: usize) -> u64 {
        let words = 8 * seeds.div_ceil(64) as u64;
        let transitions = states as u64 * inputs as u64;
        nodes as u64 * (12 + 4 + 24 + words) + transitions * (32 + words)
    }

    /// Puts the seeds in their states and the root where it is to be found, and
    /// folds what follows; tells whether that contradicts itself.
    pub(super) fn start(&mut self) -> bool {
        for seed in 0..self.seeds.len() as u32 {
            self.add_state(0);
            self.agenda.push((self.seeds[seed as usize], seed));
        }
        let root = self.quotient.find(0);
        self.propagate() && self.put_behind(START, root) && self.propagate()
    }

    fn add_transitions(&mut self, count: usize) {
        let len = self.target.len() + count;
        self.target.resize(len, NONE);
        self.output.resize(len, NONE);
        self.waiting.resize_with(len, Vec::new);
        let full = (0..count * self.words).map(|k| self.full(k % self.words.max(1)));
        let full: Vec<u64> = full.collect();
        self.domains.extend(full);
    }

    /// All seeds of a word of 64.
    fn full(&self, word: usize) -> u64 {
        match self.seeds.len() - 64 * word {
            64.. => u64::MAX,
            count => (1 << count) - 1,
        }
    }

    /// Adds a state at a distance from the seeds, or when going back removes it.
    pub(super) fn add_state(&mut self, level: u32) -> u32 {
        self.levels.push(level);
        self.holds.push(NONE);
        self.add_transitions(self.inputs as usize);
        self.trail.push(Undo::State);
        self.levels.len() as u32 - 1
    }

    fn remove_state(&mut self) {
        self.levels.pop();
        self.holds.pop();
        let len = self.target.len() - self.inputs as usize;
        self.target.truncate(len);
        self.output.truncate(len);
        self.waiting.truncate(len);
        self.domains.truncate(len * self.words);
    }

    /// How many states there are.
    pub(super) fn states(&self) -> u32 {
        self.levels.len() as u32
    }

    /// How many states are those of seeds.
    pub(super) fn seeds(&self) -> u32 {
        self.seeds.len() as u32
    }

    /// The distance of a state from the seeds, as it was given.
    pub(super) fn level(&self, state: u32) -> u32 {
        self.levels[state as usize]
    }

    /// The transition of a state and input.
    pub(super) fn transition(&self, state: u32, input: u32) -> u32 {
        1 + state * self.inputs + input
    }

    /// The state that a transition is of.
    pub(super) fn source(&self, transition: u32) -> Option<u32> {
        (transition != START).then(|| (transition - 1) / self.inputs)
    }

    /// All transitions.
    pub(super) fn transitions(&self) -> std::ops::Range<u32> {
        0..self.target.len() as u32
    }

    /// Where a transition leads, [`NONE`] if that is not decided.
    pub(super) fn target(&self, transition: u32) -> u32 {
        self.target[transition as usize]
    }

    /// What a transition answers, [`NONE`] if no test says.
    pub(super) fn output(&self, transition: u32) -> u32 {
        self.output[transition as usize]
    }

    /// The specification's state of a class that is behind a transition, `None` if
    /// none was when it was decided.
    pub(super) fn awaits(&self, transition: u32) -> Option<u32> {
        let class = self.waiting[transition as usize].first()?;
        Some(self.quotient.state(*class))
    }

    /// The transitions that are not decided for which classes of different states of
    /// the specification wait; some more than once.
    pub(super) fn contested(&self) -> impl Iterator<Item = u32> + '_ {
        let contested = self.contested.iter().copied();
        contested.filter(|&transition| self.target(transition) == NONE)
    }

    /// Says for good that a transition does not lead to a seed, when nothing is
    /// decided.
    pub(super) fn exclude(&mut self, transition: u32, seed: u32) {
        let place = transition as usize * self.words + seed as usize / 64;
        self.domains[place] &= !(1 << (seed % 64));
        if let Some(places) = &mut self.places {
            places.exclude(transition as usize - 1, seed);
        }
    }

    /// Leaves out of all domains, for good, what is excluded by the rest, when
    /// nothing is decided.
    pub(super) fn refine(&mut self) {
        let Some(places) = &mut self.places else {
            return;
        };
        places.refine(self.quotient);
        for transition in 1..self.target.len() {
            if let Some(domain) = places.domain(transition - 1) {
                let own = &mut self.domains[transition * self.words..][..self.words];
                own.iter_mut()
                    .zip(domain)
                    .for_each(|(own, set)| *own &= set);
            }
        }
    }

    /// Whether a transition is not decided, and classes wait for it.
    pub(super) fn is_open(&self, transition: u32) -> bool {
        self.target(transition) == NONE && self.awaits(transition).is_some()
    }

    /// The seeds that a transition may lead to, words of 64.
    pub(super) fn domain(&self, transition: u32) -> &[u64] {
        &self.domains[transition as usize * self.words..][..self.words]
    }

    /// Whether a transition may lead to a seed.
    pub(super) fn is_possible(&self, transition: u32, seed: u32) -> bool {
        self.domain(transition)[seed as usize / 64] >> (seed % 64) & 1 == 1
    }

    /// A state of the specification that the tests see in a state; [`NONE`] if
    /// no test leads there.
    pub(super) fn holds(&self, state: u32) -> u32 {
        self.holds[state as usize]
    }

    /// Whether some state has nodes of different states of the specification.
    pub(super) fn is_mixed(&self) -> bool {
        self.mixed > 0
    }

    /// A mark to go back to.
    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Lets a transition lead to a state, and folds what waits for it; tells
    /// whether that contradicts nothing.
    pub(super) fn decide(&mut self, transition: u32, state: u32) -> bool {
        let is_consistent = self.lead(transition, state) && self.propagate();
        self.agenda.clear();
        if !is_consistent {
            self.restricted.clear();
        }
        is_consistent
    }

    fn lead(&mut self, transition: u32, state: u32) -> bool {
        if state < self.seeds() {
            let word = self.domain(transition)[state as usize / 64];
            if word >> (state % 64) & 1 == 0 {
                return false;
            }
        }
        self.target[transition as usize] = state;
        self.trail.push(Undo::Target(transition));
        let waiting = &self.waiting[transition as usize];
        self.agenda.extend(waiting.iter().map(|&c| (c, state)));
        true
    }

    /// The machine as it is. All nodes are in a state.
    pub(super) fn draft(&self) -> Draft {
        Draft {
            targets: self.target[START as usize + 1..].to_vec(),
            answers: self.output[START as usize + 1..].to_vec(),
            holds: self.holds.clone(),
            initial: self.target(START),
            is_other: self.is_mixed(),
        }
    }

    /// Takes back what was done since a mark.
    pub(super) fn go_back(&mut self, mark: usize) {
        for undo in self.trail.drain(mark..).rev().collect::<Vec<_>>() {
            match undo {
                Undo::Place(class) => self.place[class as usize] = NONE,
                Undo::Output(transition) => self.output[transition as usize] = NONE,
                Undo::Target(transition) => self.target[transition as usize] = NONE,
                Undo::Wait(class) => {
                    let link = self.links.pop().expect("a link for each that waits");
                    self.first_link[class as usize] = link.next;
                    self.waiting[link.transition as usize].pop();
                }
                Undo::Domain(place, word) => self.domains[place] = word,
                Undo::Holds(state) => self.holds[state as usize] = NONE,
                Undo::Mixed => self.mixed -= 1,
                Undo::Contested => {
                    self.contested.pop();
                }
                Undo::State => self.remove_state(),
            }
        }
    }

    fn propagate(&mut self) -> bool {
        while let Some((class, state)) = self.agenda.pop() {
            if !self.put(class, state) {
                return false;
            }
        }
        true
    }

    /// Puts a class in a state.
    fn put(&mut self, class: u32, state: u32) -> bool {
        let place = self.place[class as usize];
        if place != NONE {
            return place == state;
        }
        self.quotient.steps += 1;
        if self.quotient.is_exhausted() {
            return false;
        }
        self.place[class as usize] = state;
        self.trail.push(Undo::Place(class));
        let own = self.quotient.state(class);
        match self.holds[state as usize] {
            NONE => {
                self.holds[state as usize] = own;
                self.trail.push(Undo::Holds(state));
            }
            held if held != own => {
                self.mixed += 1;
                self.trail.push(Undo::Mixed);
            }
            _ => {}
        }
        for place in self.quotient.row(class) {
            let edge = self.quotient.edge(place);
            let transition = self.transition(state, edge.input);
            let answer = self.quotient.machine.answer(own, edge.input);
            let output = &mut self.output[transition as usize];
            if *output == NONE {
                *output = answer;
                self.trail.push(Undo::Output(transition));
            } else if *output != answer {
                return false;
            }
            let child = self.quotient.find(edge.node);
            if !self.put_behind(transition, child) {
                return false;
            }
        }
        // The transitions that led to it are decided.
        let mut link = self.first_link[class as usize];
        while link != NONE {
            let Link { transition, next } = self.links[link as usize];
            link = next;
            let target = self.target[transition as usize];
            let fits = match target {
                NONE => self.lead(transition, state),
                target => target == state,
            };
            if !fits {
                return false;
            }
        }
        true
    }

    /// Says that a class is where a transition leads.
    fn put_behind(&mut self, transition: u32, class: u32) -> bool {
        let target = self.target[transition as usize];
        let place = self.place[class as usize];
        if target != NONE {
            self.agenda.push((class, target));
            return true;
        }
        if place != NONE {
            return self.lead(transition, place);
        }
        let first = self.awaits(transition);
        if first.is_some_and(|state| state != self.quotient.state(class)) {
            self.contested.push(transition);
            self.trail.push(Undo::Contested);
        }
        self.waiting[transition as usize].push(class);
        self.links.push(Link {
            transition,
            next: self.first_link[class as usize],
        });
        self.first_link[class as usize] = self.links.len() as u32 - 1;
        self.trail.push(Undo::Wait(class));
        self.restrict(transition, class);
        true
    }

    /// Leaves those seeds in a domain that are not apart from a class.
    fn restrict(&mut self, transition: u32, class: u32) {
        if self.quotient.row(class).is_empty() {
            return;
        }
        let known = match self.places {
            Some(_) => 0,
            None => self.possible_seeds(class),
        };
        self.restricted.push(transition);
        for word in 0..self.words {
            let place = transition as usize * self.words + word;
            let old = self.domains[place];
            let possible = match &self.places {
                Some(places) => places.word(class, word),
                None => self.possible[known + word],
            };
            let new = old & possible;
            if new != old {
                self.domains[place] = new;
                self.trail.push(Undo::Domain(place, old));
            }
        }
    }

    /// Where the seeds are from which a class is not apart.
    fn possible_seeds(&mut self, class: u32) -> usize {
        if self.known[class as usize] == NONE {
            self.known[class as usize] = self.possible.len() as u32;
            for word in 0..self.words {
                let mut possible = 0;
                for seed in 64 * word..self.seeds.len().min(64 * (word + 1)) {
                    let is_apart = self.quotient.apart(class, self.seeds[seed]);
                    possible |= u64::from(!is_apart) << (seed % 64);
                }
                self.possible.push(possible);
            }
        }
        self.known[class as usize] as usize
    }
}
