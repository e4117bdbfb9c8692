//! Which worker owns a state, and what is said about states between workers.

use hyades_base::parallel;
use hyades_explore::pieces::{Piece, StateHasher};

use crate::Error;
use crate::ranges::Ranges;
use crate::wire::Cursor;
use crate::worker::Outbox;

use super::Figures;
use super::cache::Cache;
use super::level::Keys;
use crate::column::Column;

/// What decides who owns a state, and how it is sent.
pub(super) struct Routes {
    pub hasher: StateHasher,
    /// Where states are numbers, which worker has which; else hashes decide.
    pub ranges: Option<Ranges>,
    /// The bits of hashes that are used.
    pub mask: u64,
    pub me: usize,
    pub peers: usize,
    /// Bytes of a state.
    pub bytes: usize,
}

/// Targets of transitions, by where they are looked up.
#[derive(Default)]
pub(super) struct Routed {
    /// How many rows there are.
    pub rows: usize,
    pub pieces: Vec<RoutedPiece>,
}

/// Those of a piece.
pub(super) struct RoutedPiece {
    /// For each worker the states that it is told of, for the first time as far as is known
    /// here.
    pub lists: Vec<List>,
    /// For each transition what its target is called, or where in the lists it is. Only if
    /// rows are kept.
    pub targets: Vec<u64>,
    /// What those of this worker are called.
    pub own: Vec<u32>,
    cached: u64,
    repeated: u64,
}

/// States of one worker.
#[derive(Default)]
pub(super) struct List {
    pub states: Vec<u64>,
    hashes: Vec<u64>,
    /// The keys of the transitions to them, ascending.
    pub keys: Vec<u64>,
}

/// The target is a place in a list: bits from 32 on are the worker, those below the place.
const LISTED: u64 = 1 << 63;

impl Routes {
    #[inline]
    fn hash(&self, state: &[u64]) -> u64 {
        self.hasher.hash(state) & self.mask
    }

    #[inline]
    fn owner_by(&self, hash: u64, state: &[u64]) -> usize {
        match &self.ranges {
            Some(ranges) => ranges.owner(state[0]),
            None => ((u128::from(hash) * self.peers as u128) >> 64) as usize,
        }
    }

    /// Who owns a state.
    pub fn owner(&self, state: &[u64]) -> usize {
        self.owner_by(self.hash(state), state)
    }

    /// What a state is called by all, of which the owner knows this number.
    #[inline]
    fn name(&self, number: u32, owner: usize) -> u64 {
        u64::from(number) * self.peers as u64 + owner as u64
    }

    /// The owner of a state that is called so, and its number there.
    #[inline]
    pub fn named(name: u64, peers: usize) -> (usize, u32) {
        let peers = peers as u64;
        ((name % peers) as usize, (name / peers) as u32)
    }

    /// Looks where the targets of these rows belong, the sources of which have numbers at this
    /// worker and in all.
    ///
    /// # Errors
    /// If a row is too long.
    pub fn route(
        &self,
        pieces: &[Piece<'_>],
        sources: &[u32],
        numbers: &Column,
        keys: Keys,
        cache: &Cache,
        wants_names: bool,
    ) -> Result<Routed, Error> {
        let mut firsts = Vec::with_capacity(pieces.len());
        let mut rows = 0;
        for piece in pieces {
            firsts.push(rows);
            rows += piece.ends().len();
        }
        let routed = parallel::map(pieces.len(), 1, |k| {
            let sources = &sources[firsts[k]..][..pieces[k].ends().len()];
            self.route_piece(&pieces[k], sources, numbers, keys, cache, wants_names)
        });
        let pieces = routed.into_iter().collect::<Result<_, _>>()?;
        Ok(Routed { rows, pieces })
    }

    fn route_piece(
        &self,
        piece: &Piece<'_>,
        sources: &[u32],
        numbers: &Column,
        keys: Keys,
        cache: &Cache,
        wants_names: bool,
    ) -> Result<RoutedPiece, Error> {
        let (states, transitions) = (piece.targets(), piece.labels().len());
        let words = piece.words();
        // Transitions of late by the hashes of their targets, which are compared.
        let mut recent = vec![u32::MAX; transitions.next_power_of_two()];
        let mask = recent.len() - 1;
        let mut routed = RoutedPiece {
            lists: (0..self.peers).map(|_| List::default()).collect(),
            targets: Vec::new(),
            own: Vec::new(),
            cached: 0,
            repeated: 0,
        };
        if wants_names {
            routed.targets.reserve_exact(transitions);
        }
        let state = |rank: usize| &states[rank * words..][..words];
        let mut begin = 0;
        for (&source, &end) in sources.iter().zip(piece.ends()) {
            let source = numbers.get(source as usize);
            let row = begin..end as usize;
            for rank in row.clone() {
                let target = state(rank);
                let hash = self.hash(target);
                let last = &mut recent[hash as usize & mask];
                if *last != u32::MAX && state(*last as usize) == target {
                    routed.repeated += 1;
                    if wants_names {
                        routed.targets.push(routed.targets[*last as usize]);
                    }
                    continue;
                }
                *last = rank as u32;
                let owner = self.owner_by(hash, target);
                if owner != self.me
                    && let Some(name) = cache.get(hash, target)
                {
                    routed.cached += 1;
                    if wants_names {
                        routed.targets.push(name);
                    }
                    continue;
                }
                let list = &mut routed.lists[owner];
                if wants_names {
                    let place = LISTED | (owner as u64) << 32 | list.keys.len() as u64;
                    routed.targets.push(place);
                }
                list.states.extend_from_slice(target);
                list.hashes.push(hash);
                list.keys.push(keys.of(source, (rank - row.start) as u32)?);
            }
            begin = row.end;
        }
        Ok(routed)
    }

    /// For each piece and each worker what the states of its list are called there, by what
    /// others have answered.
    ///
    /// # Errors
    /// If that is too little or too much.
    pub fn names<'a>(
        &self,
        routed: &'a Routed,
        answers: &'a [Vec<u32>],
    ) -> Result<Vec<Vec<&'a [u32]>>, Error> {
        let mut rest: Vec<&[u32]> = answers.iter().map(|answers| &answers[..]).collect();
        let mut names = Vec::with_capacity(routed.pieces.len());
        for piece in &routed.pieces {
            let mut of_piece = Vec::with_capacity(self.peers);
            for (owner, list) in piece.lists.iter().enumerate() {
                if owner == self.me {
                    of_piece.push(&piece.own[..]);
                    continue;
                }
                let split = rest[owner].split_at_checked(list.keys.len());
                let (own, others) = split.ok_or(Error::Packet)?;
                of_piece.push(own);
                rest[owner] = others;
            }
            names.push(of_piece);
        }
        match rest.iter().all(|rest| rest.is_empty()) {
            true => Ok(names),
            false => Err(Error::Packet),
        }
    }

    /// What a target of a [`RoutedPiece`] is called, by the names of its lists.
    #[inline]
    pub fn name_of(&self, target: u64, names: &[&[u32]]) -> u64 {
        match target & LISTED {
            0 => target,
            _ => {
                let owner = (target & !LISTED) >> 32;
                let owner = owner as usize;
                self.name(names[owner][target as u32 as usize], owner)
            }
        }
    }

    /// Keeps what others call states that they have been told of; or only that they have.
    pub fn remember(&self, routed: &Routed, names: Option<&[Vec<&[u32]>]>, cache: &mut Cache) {
        for (k, piece) in routed.pieces.iter().enumerate() {
            let lists = piece.lists.iter().enumerate();
            for (owner, list) in lists.filter(|&(owner, _)| owner != self.me) {
                for (place, (&hash, state)) in list.hashes.iter().zip(list.each()).enumerate() {
                    let name = names.map_or(0, |names| self.name(names[k][owner][place], owner));
                    cache.put(hash, state, name);
                }
            }
        }
    }

    /// Appends a state.
    pub fn put_state(&self, packet: &mut Vec<u8>, state: &[u64]) {
        let mut left = self.bytes;
        for word in state {
            let bytes = left.min(8);
            packet.extend_from_slice(&word.to_le_bytes()[..bytes]);
            left -= bytes;
        }
    }

    /// Appends the words of a state.
    ///
    /// # Errors
    /// If the packet ends before.
    #[inline]
    pub fn take_state(&self, records: &mut Cursor<'_>, states: &mut Vec<u64>) -> Result<(), Error> {
        let bytes = records.take(self.bytes)?;
        let (words, rest) = bytes.as_chunks::<8>();
        states.extend(words.iter().map(|&word| u64::from_le_bytes(word)));
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            states.push(u64::from_le_bytes(word));
        }
        Ok(())
    }

    /// Appends the states of a packet behind its tag, and the keys of transitions to them.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn take(
        &self,
        records: &mut Cursor<'_>,
        keys: Keys,
        states: &mut Vec<u64>,
        of_states: &mut Vec<u64>,
    ) -> Result<(), Error> {
        let mut before = 0;
        while !records.is_empty() {
            before = keys.take(records, before)?;
            of_states.push(before);
            self.take_state(records, states)?;
        }
        Ok(())
    }
}

impl Routed {
    /// Sends the states of other workers to them; each packet begins with `tag`.
    ///
    /// # Errors
    /// If another worker is lost.
    pub fn send(
        &self,
        outbox: &mut Outbox<'_, '_>,
        routes: &Routes,
        keys: Keys,
        tag: u8,
    ) -> Result<(), Error> {
        let mut before = vec![0; routes.peers];
        for piece in &self.pieces {
            let lists = piece.lists.iter().enumerate();
            for (to, list) in lists.filter(|&(to, _)| to != routes.me) {
                for (&key, state) in list.keys.iter().zip(list.each()) {
                    outbox.record(to, |packet| {
                        if packet.is_empty() {
                            packet.push(tag);
                            before[to] = 0;
                        }
                        keys.put(packet, key, before[to]);
                        before[to] = key;
                        routes.put_state(packet, state);
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Adds what has been done to the figures.
    pub fn count(&self, me: usize, figures: &mut Figures) {
        for piece in &self.pieces {
            let lists = piece.lists.iter().enumerate();
            let others = lists.filter(|&(to, _)| to != me);
            figures.sent += others.map(|(_, list)| list.keys.len() as u64).sum::<u64>();
            figures.cached += piece.cached;
            figures.repeated += piece.repeated;
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let lists = |piece: &RoutedPiece| -> usize {
            let list = |list: &List| {
                list.states.capacity() + list.hashes.capacity() + list.keys.capacity()
            };
            8 * (piece.lists.iter().map(list).sum::<usize>() + piece.targets.capacity())
        };
        self.pieces.iter().map(lists).sum()
    }
}

impl List {
    /// The states, one after the other.
    fn each(&self) -> impl Iterator<Item = &[u64]> {
        let words = self.states.len() / self.keys.len().max(1);
        self.states.chunks_exact(words.max(1))
    }
}
