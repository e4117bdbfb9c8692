//! Nodes: sets of states that are branching bisimilar by their hidden transitions alone, as
//! those on a hidden cycle are, also on one through several workers.
//!
//! Each worker takes together what its own hidden transitions allow. Of the graph of hidden
//! transitions between what is left, nodes that are on no cycle drop out as others do that
//! lead to them, or to which they lead. What remains is small as a rule: if it fits, worker
//! 0 finishes it. Otherwise the component of a state with many transitions is found, which
//! may be a giant one (Fleischer, Hendrickson & Pinar, On identifying strongly connected
//! components in parallel, 2000), and then many at once, by colours (Orzan, On distributed
//! verification and verified distribution, 2004).

use hyades_base::bits::{Bits, Ranked};
use hyades_base::grouped::Grouped;
use hyades_equivalence::hidden_nodes;
use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, Offsets, StateId};
use hyades_lts::{Components, hidden_components};

use crate::boundary::{Boundary, pulse};
use crate::column::Column;
use crate::ghosts::tell;
use crate::options::Options;
use crate::part::{Part, subscribed};
use crate::rest::Room;
use crate::worker::{Worker, ask, exchange, gather, sum, sums};
use crate::{Error, wire};

/// The label of hidden transitions.
pub(crate) const HIDDEN: u32 = LabelId::HIDDEN.get();

/// How many components are looked for one by one.
const GIANTS: u64 = 2;

/// The name of the component of a node that is alone in it.
const ALONE: u64 = (1 << 40) - 1;

/// About so many bytes are needed to find the components of so many nodes and transitions at
/// one worker.
const fn needed(nodes: u64, transitions: u64) -> u64 {
    match nodes < 1 << 31 && transitions < 1 << 31 {
        // The number of each node, the end of its row, and what the search has of it, with room
        // to grow.
        true => 4 * transitions + 56 * nodes,
        // Places have 32 bits.
        false => u64::MAX,
    }
}

/// The nodes of the states of a worker. The name of a node is its smallest state.
#[derive(Debug)]
pub(crate) struct Nodes {
    /// For each own state that can be reached the smallest own state that is taken together
    /// with it here; itself for others.
    local: Vec<u32>,
    /// Of those, ascending, the ones whose nodes have names at other workers, or smaller
    /// ones here; with these names.
    moved: Vec<(u32, u64)>,
    /// Own names of nodes that diverge; without those if that is not to be told.
    pub diverging: Bits,
}

impl Nodes {
    /// The name of the node of an own state.
    #[inline]
    pub fn name(&self, part: &Part, state: u32) -> u64 {
        let local = self.local[state as usize];
        match self.moved.binary_search_by_key(&local, |moved| moved.0) {
            Ok(k) => self.moved[k].1,
            Err(_) => part.global(local),
        }
    }

    /// Gives own states that can be reached, but do not give their nodes their names, the
    /// numbers in a column of these. The own states that give nodes of several states their
    /// names. Two supersteps.
    ///
    /// # Errors
    /// If another worker is lost.
    pub fn spread(
        &self,
        worker: &mut dyn Worker,
        part: &Part,
        reached: &Bits,
        column: &mut Column,
    ) -> Result<Bits, Error> {
        let own = part.ranges.of(part.index);
        let peers = worker.peers();
        let mut asked: Vec<Vec<u64>> = vec![Vec::new(); peers];
        for &(_, name) in &self.moved {
            asked[part.ranges.owner(name)].push(name);
        }
        for asked in &mut asked {
            asked.sort_unstable();
            asked.dedup();
        }
        let mut shared = Bits::new(part.states());
        let answers = ask(worker, &asked, |node| match own.contains(&node) {
            true => {
                let place = (node - own.start) as u32;
                shared.insert(place);
                Ok(column.get(place as usize))
            }
            false => Err(Error::Packet),
        })?;
        for state in reached.iter() {
            let node = self.name(part, state);
            if node == part.global(state) {
                continue;
            }
            let number = match own.contains(&node) {
                true => {
                    shared.insert((node - own.start) as u32);
                    column.get((node - own.start) as usize)
                }
                false => {
                    let owner = part.ranges.owner(node);
                    let place = asked[owner].partition_point(|&other| other < node);
                    answers[owner][place]
                }
            };
            column.set(state as usize, number);
        }
        Ok(shared)
    }

    /// Finds them; nothing if no worker has a hidden transition from a state that can be
    /// reached. What is small is left to worker 0; and more, as far as it has [`Room`], once
    /// large components have been looked for.
    ///
    /// # Errors
    /// If another worker is lost; [`Error::Room`] if this one has 2^32 hidden transitions or
    /// more.
    pub fn find(
        worker: &mut dyn Worker,
        part: &Part,
        reached: &Bits,
        divergence: bool,
        options: &Options,
    ) -> Result<Option<Self>, Error> {
        let hidden = hidden_steps(part, reached).count() as u64;
        if sum(worker, hidden)? == 0 {
            return Ok(None);
        }
        if hidden >= u64::from(u32::MAX) {
            return Err(Error::Room {
                what: "hidden transitions at one worker",
                limit: u64::from(u32::MAX),
            });
        }
        let (local, mut diverging) = own_nodes(part, reached, divergence);
        let mut moved = Vec::new();
        if let Some(graph) = Graph::new(worker, part, reached, &local)? {
            for (node, name) in graph.components(worker, part, options)? {
                let state = graph.nodes[node as usize];
                match name == part.global(state) {
                    false => moved.push((state, name)),
                    true if divergence => drop(diverging.insert(state)),
                    true => {}
                }
            }
            moved.sort_unstable();
            moved.iter().for_each(|&(state, _)| diverging.remove(state));
        }
        Ok(Some(Self {
            local,
            moved,
            diverging,
        }))
    }
}

/// The hidden transitions of own states that can be reached: places of sources and targets.
fn hidden_steps<'a>(
    part: &'a Part,
    reached: &'a Bits,
) -> impl Iterator<Item = (u32, u32)> + Clone + 'a {
    reached.iter().flat_map(|state| {
        let (labels, targets) = part.row(state as usize);
        let row = labels.iter().zip(targets);
        let hidden = row.filter(|&(&label, _)| label == HIDDEN);
        hidden.map(move |(_, &target)| (state, target))
    })
}

/// What the hidden transitions between own states allow to take together: the smallest state
/// for each, and which of these diverge, if that is to be told.
fn own_nodes(part: &Part, reached: &Bits, divergence: bool) -> (Vec<u32>, Bits) {
    let states = part.states();
    let mut local: Vec<u32> = (0..states as u32).collect();
    let mut diverging = Bits::new(states);
    let is_own = |target: u32| (target as usize) < states;
    let mut touched = Bits::new(states);
    for (source, target) in hidden_steps(part, reached).filter(|step| is_own(step.1)) {
        touched.insert(source);
        touched.insert(target);
    }
    if touched.count() == 0 {
        return (local, diverging);
    }
    let touched = Ranked::new(touched);
    let mut lengths = Vec::with_capacity(touched.bits().count() as usize);
    let (mut labels, mut targets) = (Vec::new(), Vec::new());
    for (state, place) in touched.bits().iter().zip(0..) {
        let before = labels.len();
        let mut has_others = false;
        let (row_labels, row_targets) = part.row(state as usize);
        for (&label, &target) in row_labels.iter().zip(row_targets) {
            if label == HIDDEN && is_own(target) {
                labels.push(LabelId::HIDDEN);
                targets.push(StateId::new(touched.rank(target)));
            } else {
                has_others = true;
            }
        }
        if has_others {
            // One visible loop stands for all of them.
            labels.push(LabelId::new(1));
            targets.push(StateId::new(place));
        }
        lengths.push(labels.len() - before);
    }
    let mut table = LabelTable::new();
    table.intern(b"visible").expect("one label has room");
    let lts = Lts::from_parts(LtsParts {
        initial: StateId::new(0),
        offsets: Offsets::from_lengths(lengths),
        labels,
        targets,
        table,
    });
    let (node, diverges) = hidden_nodes(&lts, divergence);
    drop(lts);
    const NONE: u32 = u32::MAX;
    let mut first = vec![NONE; diverges.len()];
    for (state, &node) in touched.bits().iter().zip(&node) {
        let first = &mut first[node as usize];
        if *first == NONE {
            *first = state;
            if diverges[node as usize] {
                diverging.insert(state);
            }
        }
        local[state as usize] = *first;
    }
    (local, diverging)
}

/// The hidden transitions between nodes that workers have found each by themselves.
struct Graph {
    /// The own states that stand for nodes with hidden transitions in or out, ascending.
    nodes: Vec<u32>,
    /// The targets of each node: places of nodes here, and behind them those of ghosts.
    forward: Grouped<u32>,
    /// The sources of the own transitions to each node and ghost.
    backward: Grouped<u32>,
    /// The states of others that stand for nodes, ascending.
    ghosts: Vec<u64>,
    boundary: Boundary,
}

/// Which states stand for the nodes that workers have found each by themselves.
struct LocalNames<'a> {
    part: &'a Part,
    reached: &'a Bits,
    /// For each own state the one that stands for its node.
    own: &'a [u32],
    /// The numbers of those that stand for the nodes of ghosts.
    ghosts: Vec<u64>,
}

impl<'a> LocalNames<'a> {
    /// Tells others what stands for the nodes of their ghosts.
    fn new(
        worker: &mut dyn Worker,
        part: &'a Part,
        reached: &'a Bits,
        own: &'a [u32],
    ) -> Result<Self, Error> {
        let states = 0..part.states() as u32;
        let others = states.filter(|&state| own[state as usize] != state);
        let others: Vec<u32> = others.collect();
        let mut ghosts = part.ghosts.clone();
        tell(
            worker,
            part,
            Some(&others),
            [],
            |packet, state| wire::put_state(packet, part.global(own[state])),
            |ghost, records| {
                ghosts[ghost] = records.state()?;
                Ok(())
            },
        )?;
        Ok(Self {
            part,
            reached,
            own,
            ghosts,
        })
    }

    /// The hidden transitions between nodes, and the own states that stand for sources and
    /// targets. `ghosts` are what stands for targets of other workers, ascending: their places
    /// come behind those of own states.
    fn steps(&self, ghosts: &[u64]) -> (Vec<(u32, u32)>, Bits) {
        let states = self.part.states() as u32;
        let own = |state: u32| self.own[state as usize];
        let mut steps: Vec<(u32, u32)> = Vec::new();
        let mut is_node = Bits::new(states as usize);
        for (source, target) in hidden_steps(self.part, self.reached) {
            let source = own(source);
            let target = match target.checked_sub(states) {
                None if own(target) == source => continue,
                None => own(target),
                Some(ghost) => {
                    let name = self.ghosts[ghost as usize];
                    states + ghosts.partition_point(|&ghost| ghost < name) as u32
                }
            };
            steps.push((source, target));
            is_node.insert(source);
            if target < states {
                is_node.insert(target);
            }
        }
        (steps, is_node)
    }
}

impl Graph {
    /// Nothing if no hidden transition leads from one worker to another.
    fn new(
        worker: &mut dyn Worker,
        part: &Part,
        reached: &Bits,
        local: &[u32],
    ) -> Result<Option<Self>, Error> {
        let states = part.states() as u32;
        let mut is_target = Bits::new(part.ghosts.len());
        for (_, target) in hidden_steps(part, reached).filter(|step| step.1 >= states) {
            is_target.insert(target - states);
        }
        if sum(worker, is_target.count())? == 0 {
            return Ok(None);
        }
        let names = LocalNames::new(worker, part, reached, local)?;
        let ghosts = is_target.iter().map(|g| names.ghosts[g as usize]);
        let mut ghosts: Vec<u64> = ghosts.collect();
        ghosts.sort_unstable();
        ghosts.dedup();
        let subscribed = subscribed(worker, &part.ranges, &ghosts)?;
        let (steps, mut is_node) = names.steps(&ghosts);
        drop(names);
        for &state in subscribed.iter().flatten() {
            is_node.insert(state);
        }
        Ok(Some(Self::of(part, is_node, steps, ghosts, subscribed)))
    }

    /// From own states that stand for nodes, transitions between these and to ghosts, whose
    /// places are behind the own states, and the own states that are ghosts at each worker.
    fn of(
        part: &Part,
        is_node: Bits,
        mut steps: Vec<(u32, u32)>,
        ghosts: Vec<u64>,
        mut subscribed: Vec<Vec<u32>>,
    ) -> Self {
        let states = part.states() as u32;
        let is_node = Ranked::new(is_node);
        let count = is_node.bits().count() as u32;
        for (source, target) in &mut steps {
            *source = is_node.rank(*source);
            *target = match target.checked_sub(states) {
                None => is_node.rank(*target),
                Some(ghost) => count + ghost,
            };
        }
        for state in subscribed.iter_mut().flatten() {
            *state = is_node.rank(*state);
        }
        let of = (0..subscribed.len()).map(|peer| {
            let range = part.ranges.of(peer);
            let below = |state: u64| ghosts.partition_point(|&ghost| ghost < state);
            below(range.end) - below(range.start)
        });
        let boundary = Boundary::new(subscribed, of);
        let places = count as usize + ghosts.len();
        Self {
            nodes: is_node.bits().iter().collect(),
            forward: Grouped::new(count as usize, steps.iter().copied()),
            backward: Grouped::new(
                places,
                steps.iter().map(|&(source, target)| (target, source)),
            ),
            ghosts,
            boundary,
        }
    }

    /// The places of nodes on cycles, and the name of the component of each.
    fn components(
        &self,
        worker: &mut dyn Worker,
        part: &Part,
        options: &Options,
    ) -> Result<Vec<(u32, u64)>, Error> {
        let room = Room::new(worker, part, options)?;
        let mut search = Search::new(worker, self, part)?;
        for round in 0.. {
            search.trim(worker)?;
            let own = [search.alive.count(), search.transitions()];
            let [nodes, transitions] = sums(worker, own)?;
            if nodes == 0 {
                break;
            }
            let needed = needed(nodes, transitions);
            let is_small = needed <= options.small || round >= GIANTS;
            if is_small && room.fits(needed, round) {
                search.gathered(worker)?;
                break;
            }
            match round < GIANTS {
                true => search.giant(worker)?,
                false => search.colours(worker)?,
            }
        }
        Ok(search.found)
    }
}

/// What is known of components.
struct Search<'g> {
    graph: &'g Graph,
    part: &'g Part,
    /// Nodes that may be on cycles that are not known yet.
    alive: Bits,
    is_ghost_alive: Bits,
    /// How many transitions there are between them, out of each node and into it.
    out: Vec<u32>,
    into: Vec<u64>,
    /// Nodes that are not alive any more, which others have not been told yet.
    died: Vec<u32>,
    /// How many transitions to each ghost are no more, and which ghosts have lost some.
    lost: Vec<u32>,
    losing: Vec<u32>,
    /// Nodes whose transitions are still counted, but that are not alive any more.
    dying: Vec<u32>,
    /// Nodes on cycles, and the names of their components.
    found: Vec<(u32, u64)>,
}

impl<'g> Search<'g> {
    fn new(worker: &mut dyn Worker, graph: &'g Graph, part: &'g Part) -> Result<Self, Error> {
        let count = graph.nodes.len();
        let degree = |steps: &Grouped<u32>, place: usize| steps.of(place as u32).len();
        let into = (0..count).map(|node| degree(&graph.backward, node) as u64);
        let mut search = Self {
            graph,
            part,
            alive: Bits::all(count),
            is_ghost_alive: Bits::all(graph.ghosts.len()),
            out: (0..count)
                .map(|node| degree(&graph.forward, node) as u32)
                .collect(),
            into: into.collect(),
            died: Vec::new(),
            lost: vec![0; graph.ghosts.len()],
            losing: Vec::new(),
            dying: Vec::new(),
            found: Vec::new(),
        };
        exchange(
            worker,
            |outbox| {
                (0..graph.ghosts.len()).try_for_each(|ghost| {
                    let (owner, place) = graph.boundary.owner(ghost as u32);
                    let steps = degree(&graph.backward, count + ghost);
                    outbox.record(owner, |packet| {
                        wire::put_u32(packet, place);
                        wire::put_u32(packet, steps as u32);
                    })
                })
            },
            |from, records| {
                while !records.is_empty() {
                    let node = graph.boundary.node(from, records.u32()?)?;
                    search.into[node as usize] += u64::from(records.u32()?);
                }
                Ok(())
            },
        )?;
        for node in 0..count as u32 {
            if search.out[node as usize] == 0 || search.into[node as usize] == 0 {
                search.remove(node);
            }
        }
        Ok(search)
    }

    /// A node is on no cycle that is not known.
    fn remove(&mut self, node: u32) {
        if self.alive.contains(node) {
            self.alive.remove(node);
            self.dying.push(node);
        }
    }

    /// A transition out of a node is no more.
    fn less_out(&mut self, node: u32) {
        let out = &mut self.out[node as usize];
        *out = out.saturating_sub(1);
        if *out == 0 {
            self.remove(node);
        }
    }

    /// Transitions into a node are no more.
    fn less_into(&mut self, node: u32, count: u64) {
        let into = &mut self.into[node as usize];
        *into = into.saturating_sub(count);
        if *into == 0 {
            self.remove(node);
        }
    }

    /// Looks at what is no more here because of what has been removed.
    fn settle(&mut self) {
        let count = self.graph.nodes.len() as u32;
        while let Some(node) = self.dying.pop() {
            self.died.push(node);
            for &target in self.graph.forward.of(node) {
                match target.checked_sub(count) {
                    None => self.less_into(target, 1),
                    Some(ghost) if self.is_ghost_alive.contains(ghost) => {
                        if self.lost[ghost as usize] == 0 {
                            self.losing.push(ghost);
                        }
                        self.lost[ghost as usize] += 1;
                    }
                    Some(_) => {}
                }
            }
            for &source in self.graph.backward.of(node) {
                self.less_out(source);
            }
        }
    }

    /// Removes all nodes that no transition leads to any more, or from which none leads on.
    fn trim(&mut self, worker: &mut dyn Worker) -> Result<(), Error> {
        let graph = self.graph;
        let count = graph.nodes.len() as u32;
        loop {
            self.settle();
            let mut died = std::mem::take(&mut self.died);
            died.sort_unstable();
            let losing = std::mem::take(&mut self.losing).into_iter();
            let losing: Vec<(u32, u32)> = losing
                .map(|ghost| (ghost, std::mem::take(&mut self.lost[ghost as usize])))
                .collect();
            let records = graph.boundary.count(&died) + losing.len() as u64;
            let total = pulse(
                worker,
                records,
                |outbox| {
                    // Places of dead ghosts are told by a count of 0.
                    graph.boundary.told(&died, |peer, place, _| {
                        outbox.record(peer, |packet| {
                            wire::put_u32(packet, place);
                            wire::put_u32(packet, 0);
                        })
                    })?;
                    losing.iter().try_for_each(|&(ghost, count)| {
                        let (owner, place) = graph.boundary.owner(ghost);
                        outbox.record(owner, |packet| {
                            wire::put_u32(packet, place);
                            wire::put_u32(packet, count);
                        })
                    })
                },
                |from, records| {
                    while !records.is_empty() {
                        let (place, lost) = (records.u32()?, records.u32()?);
                        if lost > 0 {
                            let node = graph.boundary.node(from, place)?;
                            self.less_into(node, lost.into());
                            continue;
                        }
                        let ghost = graph.boundary.ghost(from, place)?;
                        self.is_ghost_alive.remove(ghost);
                        for &source in graph.backward.of(count + ghost) {
                            self.less_out(source);
                        }
                    }
                    Ok(())
                },
            )?;
            if total == 0 {
                return Ok(());
            }
        }
    }

    /// How many transitions there are between nodes that are alive.
    fn transitions(&self) -> u64 {
        let out = self.alive.iter().map(|v| u64::from(self.out[v as usize]));
        out.sum()
    }

    fn global(&self, place: u32) -> u64 {
        match place.checked_sub(self.graph.nodes.len() as u32) {
            None => self.part.global(self.graph.nodes[place as usize]),
            Some(ghost) => self.graph.ghosts[ghost as usize],
        }
    }

    fn is_alive(&self, place: u32) -> bool {
        match place.checked_sub(self.graph.nodes.len() as u32) {
            None => self.alive.contains(place),
            Some(ghost) => self.is_ghost_alive.contains(ghost),
        }
    }

    /// The targets that are alive of a node.
    fn targets(&self, node: u32) -> impl Iterator<Item = u32> {
        let all = self.graph.forward.of(node).iter().copied();
        all.filter(|&target| self.is_alive(target))
    }

    /// Lets worker 0 find the components of what is alive.
    fn gathered(&mut self, worker: &mut dyn Worker) -> Result<(), Error> {
        let mut whole = Whole::new(worker, self)?;
        exchange(
            worker,
            |outbox| {
                self.alive.iter().try_for_each(|node| {
                    outbox.record(0, |packet| {
                        wire::put_state(packet, self.global(node));
                        wire::put_u32(packet, self.targets(node).count() as u32);
                    })
                })
            },
            |from, records| {
                while !records.is_empty() {
                    whole.add_node(from, records.state()?, records.u32()?)?;
                }
                Ok(())
            },
        )?;
        exchange(
            worker,
            |outbox| {
                for node in self.alive.iter() {
                    for target in self.targets(node) {
                        let target = self.global(target);
                        outbox.record(0, |packet| wire::put_state(packet, target))?;
                    }
                }
                Ok(())
            },
            |from, records| {
                while !records.is_empty() {
                    whole.add_step(from, records.state()?)?;
                }
                Ok(())
            },
        )?;
        let named = whole.named()?;
        let mut own = self.alive.iter();
        exchange(
            worker,
            |outbox| {
                let mut names = named.names();
                for (to, &count) in named.counts.iter().enumerate() {
                    for name in names.by_ref().take(count) {
                        outbox.record(to, |packet| wire::put_state(packet, name))?;
                    }
                }
                Ok(())
            },
            |_, records| {
                while !records.is_empty() {
                    let (node, name) = (own.next().ok_or(Error::Packet)?, records.state()?);
                    if name != ALONE {
                        self.found.push((node, name));
                    }
                }
                Ok(())
            },
        )
    }

    /// Finds the component of a node with many transitions: of those that it leads to, the
    /// ones that lead to it.
    fn giant(&mut self, worker: &mut dyn Worker) -> Result<(), Error> {
        let pivot = self.pivot(worker)?;
        let mut after = Sweep::new(self.graph);
        let mut before = Sweep::new(self.graph);
        if let Some(pivot) = pivot {
            after.meet(pivot);
            before.meet(pivot);
        }
        while self.sweep(worker, &mut after, &mut before)? > 0 {}
        let both = after
            .nodes
            .iter()
            .filter(|&node| before.nodes.contains(node));
        let component: Vec<u32> = both.collect();
        let mut own = Vec::new();
        wire::put_u64(&mut own, component.len() as u64);
        let first = component
            .first()
            .map_or(u64::MAX, |&node| self.global(node));
        wire::put_u64(&mut own, first);
        let (mut size, mut name) = (0, u64::MAX);
        for one in gather(worker, &own)? {
            let mut cursor = wire::Cursor::new(&one);
            size += cursor.u64()?;
            name = name.min(cursor.u64()?);
        }
        for node in component {
            if size > 1 {
                self.found.push((node, name));
            }
            self.remove(node);
        }
        Ok(())
    }

    /// The node with the most transitions of all workers, the first one of several, if this
    /// worker has it.
    fn pivot(&self, worker: &mut dyn Worker) -> Result<Option<u32>, Error> {
        let weight = |node: u32| {
            let (out, into) = (self.out[node as usize], self.into[node as usize]);
            u64::from(out).saturating_mul(into)
        };
        // The first one of the heaviest.
        let heaviest = self
            .alive
            .iter()
            .max_by_key(|&node| (weight(node), std::cmp::Reverse(node)));
        let mut own = Vec::new();
        if let Some(node) = heaviest {
            wire::put_u64(&mut own, weight(node));
            wire::put_u64(&mut own, self.global(node));
        }
        let mut pivot: Option<(u64, u64)> = None;
        for one in gather(worker, &own)? {
            let mut cursor = wire::Cursor::new(&one);
            if !cursor.is_empty() {
                let candidate = (cursor.u64()?, cursor.u64()?);
                let is_better = |best: (u64, u64)| {
                    candidate.0 > best.0 || candidate.0 == best.0 && candidate.1 < best.1
                };
                if pivot.is_none_or(is_better) {
                    pivot = Some(candidate);
                }
            }
        }
        let pivot = pivot.map(|pivot| pivot.1);
        Ok(heaviest.filter(|&node| Some(self.global(node)) == pivot))
    }

    /// Goes on from what has been met as far as that is possible here, and tells others: those
    /// ghosts that the pivot leads to, and those nodes that lead to it. How much all have told.
    fn sweep(
        &self,
        worker: &mut dyn Worker,
        after: &mut Sweep,
        before: &mut Sweep,
    ) -> Result<u64, Error> {
        let (graph, count) = (self.graph, self.graph.nodes.len() as u32);
        let led_to = after.go_on(self);
        let leading = before.go_back(self, |_, _| true);
        let records = led_to.len() as u64 + graph.boundary.count(&leading);
        pulse(
            worker,
            records,
            |outbox| {
                led_to.iter().try_for_each(|&ghost| {
                    let (owner, place) = graph.boundary.owner(ghost);
                    outbox.record(owner, |packet| {
                        packet.push(0);
                        wire::put_u32(packet, place);
                    })
                })?;
                graph.boundary.told(&leading, |peer, place, _| {
                    outbox.record(peer, |packet| {
                        packet.push(1);
                        wire::put_u32(packet, place);
                    })
                })
            },
            |from, records| {
                while !records.is_empty() {
                    match records.u8()? {
                        0 => {
                            let node = graph.boundary.node(from, records.u32()?)?;
                            if self.alive.contains(node) {
                                after.meet(node);
                            }
                        }
                        1 => {
                            let ghost = graph.boundary.ghost(from, records.u32()?)?;
                            for &source in graph.backward.of(count + ghost) {
                                if self.alive.contains(source) {
                                    before.meet(source);
                                }
                            }
                        }
                        _ => return Err(Error::Packet),
                    }
                }
                Ok(())
            },
        )
    }

    /// Finds at least one component, if anything is alive, and as a rule many at once: the
    /// colour of a node is the smallest one that leads to it, and who has its own colour is
    /// in a component with those of this colour that lead to it.
    fn colours(&mut self, worker: &mut dyn Worker) -> Result<(), Error> {
        let mut colours = Colours::new(self);
        while colours.lower(worker)? > 0 {}
        // From each node of its own colour back, within its colour.
        let mut before = Sweep::new(self.graph);
        for node in self.alive.iter() {
            if colours.of[node as usize] == self.global(node) {
                before.meet(node);
            }
        }
        while colours.sweep_back(worker, &mut before)? > 0 {}
        let Colours { of, is_led_to, .. } = colours;
        for node in before.nodes.iter() {
            let name = of[node as usize];
            // Alone if nothing of its colour leads back.
            if name != self.global(node) || is_led_to.contains(node) {
                self.found.push((node, name));
            }
            self.remove(node);
        }
        Ok(())
    }
}

/// The colours of nodes, while they become less.
struct Colours<'s, 'g> {
    search: &'s Search<'g>,
    of: Vec<u64>,
    /// What owners have been told of ghosts.
    told: Vec<u64>,
    /// Nodes that those of their own colour lead to.
    is_led_to: Bits,
    /// Nodes whose colours have become less since they were passed on.
    lowered: Vec<u32>,
}

impl<'s, 'g> Colours<'s, 'g> {
    /// Each node has its own.
    fn new(search: &'s Search<'g>) -> Self {
        let count = search.graph.nodes.len();
        Self {
            search,
            of: (0..count as u32).map(|node| search.global(node)).collect(),
            told: vec![u64::MAX; search.graph.ghosts.len()],
            is_led_to: Bits::new(count),
            lowered: search.alive.iter().collect(),
        }
    }

    /// Passes colours on along transitions as far as that is possible here, and tells owners of
    /// ghosts. How much all have told.
    fn lower(&mut self, worker: &mut dyn Worker) -> Result<u64, Error> {
        let telling = self.pass_on();
        let graph = self.search.graph;
        let total = pulse(
            worker,
            telling.len() as u64,
            |outbox| {
                telling.iter().try_for_each(|&ghost| {
                    let (owner, place) = graph.boundary.owner(ghost);
                    outbox.record(owner, |packet| {
                        wire::put_u32(packet, place);
                        wire::put_state(packet, self.told[ghost as usize]);
                    })
                })
            },
            |from, records| {
                while !records.is_empty() {
                    let node = graph.boundary.node(from, records.u32()?)?;
                    let (own, other) = (&mut self.of[node as usize], records.state()?);
                    if !self.search.alive.contains(node) {
                        continue;
                    }
                    if other < *own {
                        *own = other;
                        self.lowered.push(node);
                    } else if other == *own {
                        self.is_led_to.insert(node);
                    }
                }
                Ok(())
            },
        )?;
        self.lowered.sort_unstable();
        self.lowered.dedup();
        Ok(total)
    }

    /// Passes the colours of lowered nodes on; the ghosts that have got smaller ones, ascending.
    fn pass_on(&mut self) -> Vec<u32> {
        let Search {
            graph,
            alive,
            is_ghost_alive,
            ..
        } = self.search;
        let count = graph.nodes.len() as u32;
        let colour = &mut self.of;
        let mut stack: Vec<u32> = Vec::new();
        let mut telling: Vec<u32> = Vec::new();
        // In this order most nodes get their last colour at once.
        self.lowered
            .sort_unstable_by_key(|&node| (colour[node as usize], node));
        for first in self.lowered.drain(..) {
            stack.push(first);
            while let Some(node) = stack.pop() {
                let own = colour[node as usize];
                for &target in graph.forward.of(node) {
                    match target.checked_sub(count) {
                        None if !alive.contains(target) => {}
                        None if colour[target as usize] > own => {
                            colour[target as usize] = own;
                            stack.push(target);
                        }
                        None => {
                            if colour[target as usize] == own {
                                self.is_led_to.insert(target);
                            }
                        }
                        Some(ghost) => {
                            let told = &mut self.told[ghost as usize];
                            if is_ghost_alive.contains(ghost) && *told > own {
                                *told = own;
                                telling.push(ghost);
                            }
                        }
                    }
                }
            }
        }
        telling.sort_unstable();
        telling.dedup();
        telling
    }

    /// Goes back within colours as far as that is possible here, and tells others which nodes
    /// have been met. How much all have told.
    fn sweep_back(&self, worker: &mut dyn Worker, before: &mut Sweep) -> Result<u64, Error> {
        let graph = self.search.graph;
        let count = graph.nodes.len() as u32;
        let colour = &self.of;
        let leading = before.go_back(self.search, |source, node| {
            colour[source as usize] == colour[node as usize]
        });
        pulse(
            worker,
            graph.boundary.count(&leading),
            |outbox| {
                graph.boundary.told(&leading, |peer, place, k| {
                    outbox.record(peer, |packet| {
                        wire::put_u32(packet, place);
                        wire::put_state(packet, colour[leading[k] as usize]);
                    })
                })
            },
            |from, records| {
                while !records.is_empty() {
                    let ghost = graph.boundary.ghost(from, records.u32()?)?;
                    let of_ghost = records.state()?;
                    for &source in graph.backward.of(count + ghost) {
                        let is_same = colour[source as usize] == of_ghost;
                        if is_same && self.search.alive.contains(source) {
                            before.meet(source);
                        }
                    }
                }
                Ok(())
            },
        )
    }
}

/// What a sweep has met.
struct Sweep {
    nodes: Bits,
    ghosts: Bits,
    stack: Vec<u32>,
}

impl Sweep {
    fn new(graph: &Graph) -> Self {
        Self {
            nodes: Bits::new(graph.nodes.len()),
            ghosts: Bits::new(graph.ghosts.len()),
            stack: Vec::new(),
        }
    }

    fn meet(&mut self, node: u32) {
        if self.nodes.insert(node) {
            self.stack.push(node);
        }
    }

    /// Meets what is alive and nodes that have been met lead to; the ghosts that are met.
    fn go_on(&mut self, search: &Search<'_>) -> Vec<u32> {
        let count = search.graph.nodes.len() as u32;
        let mut led_to = Vec::new();
        while let Some(node) = self.stack.pop() {
            for &target in search.graph.forward.of(node) {
                match target.checked_sub(count) {
                    None if search.alive.contains(target) => self.meet(target),
                    Some(ghost)
                        if search.is_ghost_alive.contains(ghost) && self.ghosts.insert(ghost) =>
                    {
                        led_to.push(ghost);
                    }
                    _ => {}
                }
            }
        }
        led_to
    }

    /// Meets what is alive and leads to nodes that have been met, along those transitions that
    /// `goes_by` holds of, by source and target; the nodes that were met since the last time,
    /// ascending.
    fn go_back(&mut self, search: &Search<'_>, goes_by: impl Fn(u32, u32) -> bool) -> Vec<u32> {
        let mut leading = Vec::new();
        while let Some(node) = self.stack.pop() {
            leading.push(node);
            for &source in search.graph.backward.of(node) {
                if goes_by(source, node) && search.alive.contains(source) {
                    self.meet(source);
                }
            }
        }
        leading.sort_unstable();
        leading
    }
}

/// The graph of all workers, at worker 0; nothing at others. What it holds is allocated at
/// once, as it is known how much there is.
struct Whole {
    /// How many nodes each worker has.
    counts: Vec<usize>,
    /// Where the next node and transition of each goes.
    next: Vec<[usize; 2]>,
    /// The nodes, ascending: those of each worker do, and come behind those of the ones before.
    nodes: Vec<u64>,
    lengths: Vec<u32>,
    targets: Vec<StateId>,
}

impl Whole {
    /// Room for what is alive of all workers.
    fn new(worker: &mut dyn Worker, search: &Search<'_>) -> Result<Self, Error> {
        let steps = search.alive.iter().map(|node| search.targets(node).count());
        let mut own = Vec::new();
        wire::put_u64(&mut own, search.alive.count());
        wire::put_u64(&mut own, steps.sum::<usize>() as u64);
        let (mut counts, mut next, mut total) = (Vec::new(), Vec::new(), [0; 2]);
        for one in gather(worker, &own)? {
            let mut cursor = wire::Cursor::new(&one);
            let [nodes, steps] = [cursor.u64()? as usize, cursor.u64()? as usize];
            counts.push(nodes);
            next.push(total);
            total = [total[0] + nodes, total[1] + steps];
        }
        let [nodes, steps] = if worker.index() == 0 { total } else { [0; 2] };
        Ok(Self {
            counts,
            next,
            nodes: vec![0; nodes],
            lengths: vec![0; nodes],
            targets: vec![StateId::new(0); steps],
        })
    }

    /// The next node of a worker, with so many transitions.
    fn add_node(&mut self, from: usize, node: u64, length: u32) -> Result<(), Error> {
        let [next, _] = &mut self.next[from];
        *self.nodes.get_mut(*next).ok_or(Error::Packet)? = node;
        self.lengths[*next] = length;
        *next += 1;
        Ok(())
    }

    /// The next transition of a worker; by now all nodes are there.
    fn add_step(&mut self, from: usize, target: u64) -> Result<(), Error> {
        let place = self.nodes.binary_search(&target);
        let place = place.map_err(|_| Error::Packet)?;
        let [_, next] = &mut self.next[from];
        *self.targets.get_mut(*next).ok_or(Error::Packet)? = StateId::new(place as u32);
        *next += 1;
        Ok(())
    }

    /// The components.
    fn named(self) -> Result<Named, Error> {
        let Self {
            counts,
            nodes,
            lengths,
            targets,
            ..
        } = self;
        let total: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
        if total != targets.len() as u64 {
            return Err(Error::Packet);
        }
        let offsets = Offsets::of_parts(std::iter::once(&lengths[..]));
        drop(lengths);
        let Components { of, count } = hidden_components(&offsets, &targets);
        drop((offsets, targets));
        // For each component its smallest node, and whether there is another one.
        let mut first = vec![ALONE; count as usize];
        let mut has_others = Bits::new(count as usize);
        for (&node, &component) in nodes.iter().zip(&of) {
            match &mut first[component as usize] {
                first if *first == ALONE => *first = node,
                _ => _ = has_others.insert(component),
            }
        }
        Ok(Named {
            counts,
            of,
            first,
            has_others,
        })
    }
}

/// The components of a [`Whole`].
struct Named {
    /// How many nodes each worker has.
    counts: Vec<usize>,
    /// The component of each node of all workers.
    of: Vec<u32>,
    /// For each component its smallest node, and whether there is another one.
    first: Vec<u64>,
    has_others: Bits,
}

impl Named {
    /// The name of the component of each node, or [`ALONE`].
    fn names(&self) -> impl Iterator<Item = u64> {
        let name = |component: u32| match self.has_others.contains(component) {
            true => self.first[component as usize],
            false => ALONE,
        };
        self.of.iter().map(move |&component| name(component))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use hyades_base::bits::Bits;
    use hyades_formats::{Lts, LtsBuilder, StateId};
    use hyades_testing::{Random, check, shuffled};

    use super::Nodes;
    use crate::fixture;
    use crate::options::Options;
    use crate::worker::Worker;

    /// The same system, in which each state has a visible loop: then only hidden cycles make
    /// states equivalent by hidden transitions alone.
    fn with_loops(lts: &Lts) -> Lts {
        let mut builder = LtsBuilder::with_table(lts.states() as u64, lts.table().clone());
        for (source, label, target) in lts.iter() {
            builder.add(source, label, target);
        }
        for state in 0..lts.states() as u32 {
            builder.add_text(state, b"loop", state).unwrap();
        }
        builder.build(lts.initial()).unwrap()
    }

    /// For each state the smallest one that hidden transitions lead to and back from, and
    /// whether it is on a hidden cycle.
    fn by_definition(lts: &Lts) -> Vec<(u64, bool)> {
        let states = lts.states();
        let mut leads = vec![vec![false; states]; states];
        for (s, l, t) in lts.iter().filter(|step| step.1.is_hidden()) {
            assert!(l.is_hidden());
            leads[s.index()][t.index()] = true;
        }
        for via in 0..states {
            for from in 0..states {
                if leads[from][via] {
                    let further = leads[via].clone();
                    let row = leads[from].iter_mut().zip(further);
                    row.for_each(|(leads, further)| *leads |= further);
                }
            }
        }
        let name = |s: usize| (0..s).find(|&t| leads[s][t] && leads[t][s]).unwrap_or(s);
        (0..states).map(|s| (name(s) as u64, leads[s][s])).collect()
    }

    /// So many bytes are small, and so many are room enough.
    fn agrees(lts: &Lts, (small, rest): (u64, u64), random: &mut Random) -> Result<(), String> {
        let options = Options {
            rest,
            small,
            ..Options::new(0)
        };
        let found = fixture::on_parts(lts, random, |worker, part| {
            let reached = Bits::all(part.states());
            let Some(nodes) = Nodes::find(worker, part, &reached, true, &options)? else {
                return Ok(None);
            };
            let first = part.ranges.of(worker.index()).start;
            let names = (0..part.states() as u32).map(|s| nodes.name(part, s));
            let diverging = nodes.diverging.iter().map(|s| first + u64::from(s));
            Ok(Some((
                names.collect::<Vec<_>>(),
                diverging.collect::<Vec<_>>(),
            )))
        });
        let expected = by_definition(lts);
        let hidden = lts.iter().any(|step| step.1.is_hidden());
        let Some(found) = found.into_iter().collect::<Option<Vec<_>>>() else {
            return match hidden {
                true => Err("hidden transitions are overlooked".into()),
                false => Ok(()),
            };
        };
        let (names, diverging): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        let diverges = |&(s, (name, is_on)): &(u64, (u64, bool))| is_on && name == s;
        let on_cycles = (0..).zip(expected.iter().copied()).filter(diverges);
        let on_cycles: Vec<u64> = on_cycles.map(|(s, _)| s).collect();
        let expected: Vec<u64> = expected.iter().map(|one| one.0).collect();
        match (names.concat() == expected, diverging.concat() == on_cycles) {
            (true, true) => Ok(()),
            (false, _) => Err(format!("{:?} instead of {expected:?}", names.concat())),
            (true, false) => Err(format!("{diverging:?} diverge instead of {on_cycles:?}")),
        }
    }

    #[test]
    fn names_are_the_smallest_states_of_components() {
        let with_cycles = Cell::new(0);
        check(40, 30, |lts, random| {
            let lts = with_loops(&match random.chance(50) {
                true => shuffled(lts, random),
                false => lts.clone(),
            });
            let names = by_definition(&lts);
            let has_cycles = (0..).zip(&names).any(|(s, name)| name.0 != s);
            with_cycles.set(with_cycles.get() + u64::from(has_cycles));
            [(0, 0), (0, 1000), (1000, 1000), (1000, u64::MAX)]
                .into_iter()
                .try_for_each(|fits| agrees(&lts, fits, random))
        });
        assert!(with_cycles.get() > 100, "{with_cycles:?}");
    }

    #[test]
    fn many_components_of_many_sizes() {
        let mut random = Random::new(17);
        for round in 0..60 {
            let states = 120;
            let mut builder = LtsBuilder::new(states);
            // Rings of random states, joined by few steps.
            let rings = random.between(1, 30);
            let mut order: Vec<u32> = (0..states as u32).collect();
            for k in (1..order.len()).rev() {
                order.swap(k, random.between(0, k));
            }
            let hidden = hyades_formats::LabelId::HIDDEN;
            for ring in order.chunks(order.len().div_ceil(rings)) {
                for (k, &source) in ring.iter().enumerate() {
                    let target = ring[(k + 1) % ring.len()];
                    builder.add(StateId::new(source), hidden, StateId::new(target));
                }
            }
            for _ in 0..random.between(0, 40) {
                let [a, b] = [0, 1].map(|_| random.between(0, states as usize - 1));
                // Mostly from one ring to a later one.
                let (a, b) = if random.chance(90) {
                    (a.min(b), a.max(b))
                } else {
                    (a, b)
                };
                builder.add(StateId::new(order[a]), hidden, StateId::new(order[b]));
            }
            let lts = with_loops(&builder.build(StateId::new(0)).unwrap());
            let fits = [(0, 0), (0, u64::MAX), (2000, 2000), (u64::MAX, u64::MAX)][round % 4];
            agrees(&lts, fits, &mut random).unwrap();
        }
    }
}
