//! Signatures for branching bisimilarity, taken over along inert steps: hidden transitions
//! within a block (after Blom & van de Pol 2009).
//!
//! In a round, states are signed in the order of their numbers, so that what their inert
//! steps lead to has its new signature. The set of a state holds the labels with the
//! blocks of the targets, but for inert steps, and the sets of its inert successors, each
//! as one element. If all of that, but for one successor's set as an element, is in that
//! set, the state takes it over: it can do nothing that the successor could not.
//!
//! Only the sets of states that hidden transitions lead to are kept, each once: no more
//! than the minimal LTS has transitions. Elements that do not fit memory are in a file; then
//! there is a filter of 64 bits for each set in memory, which tells of most sets that they do
//! not have some elements (Bloom 1970).

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;

use hyades_base::bits::Bits;
use hyades_base::signature::{Hasher, Key};

use crate::Error;
use crate::chunks::{damaged, shortened};
use crate::refinement::NONE;
use crate::scratch::Disk;
use crate::signature::element;
use crate::store::Rows;

/// The label of hidden transitions.
const HIDDEN: u32 = 0;
/// In place of a label, in elements that are sets: no label has this number.
const SET: u32 = u32::MAX;

/// What is known of signatures before those of inert successors are.
#[derive(Default)]
pub(crate) struct Signed {
    states: Vec<Own>,
    /// Labels with blocks, ascending for each state.
    elements: Vec<u64>,
    inert: Vec<u32>,
    pub transitions: u64,
    /// The transitions of the state that has most.
    pub longest: u64,
}

/// What a state can do itself.
struct Own {
    state: u32,
    /// Of what there is without inert successors.
    key: Key,
    /// Where elements and inert successors end.
    elements: usize,
    inert: usize,
}

/// Signs the live states of some rows, as far as inert successors do not matter.
pub(crate) fn signed(rows: &Rows, live: &Bits, block: &[u32], hasher: Hasher) -> Signed {
    // A set of states on hidden cycles may have most of all transitions: nothing is larger than
    // it has to be.
    let hidden = rows.labels.iter().filter(|&&label| label == HIDDEN);
    let mut signed = Signed {
        states: Vec::with_capacity(rows.degrees.len()),
        elements: Vec::with_capacity(rows.targets.len()),
        inert: Vec::with_capacity(hidden.count()),
        ..Signed::default()
    };
    for (state, labels, targets) in rows.iter() {
        if !live.contains(state) {
            continue;
        }
        let own = block[state as usize];
        let start = signed.elements.len();
        for (&label, &target) in labels.iter().zip(targets) {
            let to = block[target as usize];
            match label == HIDDEN && to == own {
                true => signed.inert.push(target),
                false => signed.elements.push(element(label, to)),
            }
        }
        let set = &mut signed.elements[start..];
        set.sort_unstable();
        let mut length = 0;
        for k in 0..set.len() {
            if k == 0 || set[k] != set[length - 1] {
                set[length] = set[k];
                length += 1;
            }
        }
        signed.elements.truncate(start + length);
        signed.transitions += targets.len() as u64;
        signed.longest = signed.longest.max(targets.len() as u64);
        signed.states.push(Own {
            state,
            key: hasher.key(own.into(), &signed.elements[start..]),
            elements: signed.elements.len(),
            inert: signed.inert.len(),
        });
    }
    signed
}

/// The sets of a round.
pub(crate) struct Sets<'a> {
    disk: &'a Disk<'a>,
    hasher: Hasher,
    /// The set of each state that may be asked for it.
    of: Vec<u32>,
    sets: Vec<Set>,
    /// The elements of all sets, or those that come behind the ones in the file.
    elements: Vec<u64>,
    spilled: Option<Spilled<'a>>,
    /// Sets by their keys; open addressing.
    slots: Vec<u32>,
    room: Room,
    /// How many states have been told.
    told: u64,
    /// The elements of the longest set.
    longest: usize,
    ids: Vec<u32>,
    whole: Vec<u64>,
}

/// Elements in a file.
struct Spilled<'a> {
    disk: &'a Disk<'a>,
    name: String,
    writer: File,
    reader: File,
    /// So many elements are in it.
    count: u64,
    /// The filter of each set.
    filters: Vec<u64>,
    /// So many elements are written together.
    together: usize,
    bytes: Vec<u8>,
    set: Vec<u64>,
}

impl Drop for Spilled<'_> {
    fn drop(&mut self) {
        self.disk.remove(&self.name);
    }
}

/// The bit of an element in filters.
fn filter_of(elements: &[u64]) -> u64 {
    let bit = |&element: &u64| 1 << (element.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58);
    elements.iter().map(bit).fold(0, |all, bit: u64| all | bit)
}

impl<'a> Spilled<'a> {
    fn new(disk: &'a Disk<'a>, filters: Vec<u64>, together: usize) -> Result<Self, Error> {
        let name = disk.new_name("sets");
        let writer = disk.create(&name)?;
        let reader = disk.open(&name);
        let reader = reader.inspect_err(|_| disk.remove(&name))?;
        Ok(Self {
            disk,
            name,
            writer,
            reader,
            count: 0,
            filters,
            together,
            bytes: Vec::new(),
            set: Vec::new(),
        })
    }

    /// Writes elements behind those that are there.
    fn write(&mut self, elements: &[u64]) -> Result<(), Error> {
        for elements in elements.chunks(self.together) {
            self.bytes.clear();
            for element in elements {
                self.bytes.extend_from_slice(&element.to_le_bytes());
            }
            let written = self.writer.write_all(&self.bytes);
            written.map_err(|error| self.disk.failed(&self.name, error))?;
            self.disk.count_written(self.bytes.len() as u64);
        }
        self.count += elements.len() as u64;
        Ok(())
    }

    /// Reads the elements of a set.
    fn read(&mut self, set: &Set, hasher: Hasher) -> Result<(), Error> {
        self.bytes.resize(8 * set.length as usize, 0);
        let read = self.reader.read_exact_at(&mut self.bytes, 8 * set.start);
        self.disk.count_read(self.bytes.len() as u64);
        self.set.clear();
        let elements = self.bytes.as_chunks().0.iter();
        self.set
            .extend(elements.map(|&bytes| u64::from_le_bytes(bytes)));
        let is_whole = || match hasher.key(set.block.into(), &self.set) == set.key {
            true => Ok(()),
            false => Err(damaged("it has been changed")),
        };
        let read = read.map_err(shortened).and_then(|()| is_whole());
        read.map_err(|error| self.disk.unread(&self.name, error))
    }
}

/// Memory for sets.
pub(crate) struct Room {
    /// Bytes of all of them.
    pub most: u64,
    /// Bytes of memory beside them, and beside what others have.
    pub beside: u64,
    /// Bytes for the row of a node that stands for many states.
    pub long_row: u64,
    /// How many states are going to be told.
    pub states: u64,
}

impl Room {
    /// The memory that may be enough, if sets of so many states take so many bytes.
    fn needed(&self, bytes: u64, told: u64) -> u64 {
        let all = u128::from(bytes) * u128::from(self.states) / u128::from(told.max(1));
        // Each set stands for a state at least.
        let most = 64 * self.states;
        let all = (all as u64).min(most).max(bytes);
        let all = all + all / 8;
        // By halves; or by a quarter for others, if the long row takes more than a quarter.
        self.beside + (2 * all).max((all + self.long_row) / 3 * 4)
    }
}

/// How many elements and sets are added to columns, and how many bytes all of them have then.
struct More {
    elements: usize,
    sets: usize,
    needed: u64,
}

struct Set {
    key: Key,
    /// The block of the states that have it.
    block: u32,
    start: u64,
    length: u32,
}

impl<'a> Sets<'a> {
    /// None of so many states.
    pub fn new(disk: &'a Disk<'a>, hasher: Hasher, states: usize, room: Room) -> Self {
        Self {
            disk,
            spilled: None,
            hasher,
            of: vec![NONE; states],
            sets: Vec::new(),
            elements: Vec::new(),
            slots: vec![NONE; 64],
            room,
            told: 0,
            longest: 0,
            ids: Vec::new(),
            whole: Vec::new(),
        }
    }

    /// Tells the keys of states whose inert successors have been told; sets are kept of
    /// those that are `awaited`.
    pub fn complete(
        &mut self,
        signed: &Signed,
        block: &[u32],
        awaited: &Bits,
        mut tell: impl FnMut(Key, u32) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (mut element, mut step) = (0, 0);
        for own in &signed.states {
            let elements = &signed.elements[element..own.elements];
            let inert = &signed.inert[step..own.inert];
            (element, step) = (own.elements, own.inert);
            let is_awaited = awaited.contains(own.state);
            let key = match (inert.is_empty(), is_awaited) {
                (true, false) => own.key,
                (true, true) => {
                    let own_block = block[own.state as usize];
                    let set = self.kept(own_block, own.key, elements)?;
                    self.of[own.state as usize] = set;
                    own.key
                }
                (false, _) => self.induced(own.state, elements, inert, block, is_awaited)?,
            };
            self.told += 1;
            tell(key, own.state)?;
        }
        Ok(())
    }

    /// The key of a state with inert successors.
    fn induced(
        &mut self,
        state: u32,
        elements: &[u64],
        inert: &[u32],
        block: &[u32],
        is_awaited: bool,
    ) -> Result<Key, Error> {
        let mut ids = std::mem::take(&mut self.ids);
        ids.clear();
        ids.extend(inert.iter().map(|&target| self.of[target as usize]));
        ids.sort_unstable();
        ids.dedup();
        debug_assert!(!ids.contains(&NONE), "inert successors are signed before");
        let mut taken = None;
        for &id in &ids {
            if self.has_all(id, elements, &ids)? {
                taken = Some(id);
                break;
            }
        }
        let key = match taken {
            Some(id) => {
                self.of[state as usize] = id;
                self.sets[id as usize].key
            }
            None => {
                let mut whole = std::mem::take(&mut self.whole);
                whole.clear();
                whole.extend_from_slice(elements);
                whole.extend(ids.iter().map(|&id| element(SET, id)));
                let own = block[state as usize];
                let key = self.hasher.key(own.into(), &whole);
                if is_awaited {
                    self.of[state as usize] = self.kept(own, key, &whole)?;
                }
                self.whole = whole;
                key
            }
        };
        self.ids = ids;
        Ok(key)
    }

    /// The elements of a set.
    fn elements(&mut self, id: u32) -> Result<&[u64], Error> {
        let set = &self.sets[id as usize];
        let mut written = 0;
        if let Some(spilled) = &mut self.spilled {
            if set.start < spilled.count {
                spilled.read(set, self.hasher)?;
                return Ok(&spilled.set);
            }
            written = spilled.count;
        }
        let start = (set.start - written) as usize;
        Ok(&self.elements[start..start + set.length as usize])
    }

    /// Whether a set has these elements, and these other sets.
    fn has_all(&mut self, id: u32, elements: &[u64], ids: &[u32]) -> Result<bool, Error> {
        let others = ids.iter().filter(|&&other| other != id);
        let mut others = others.map(|&other| element(SET, other));
        let length = self.sets[id as usize].length as usize;
        if elements.len() > length {
            return Ok(false);
        }
        if let Some(spilled) = &self.spilled {
            let filter = spilled.filters[id as usize];
            let lacks = |wanted: &[u64]| filter_of(wanted) & !filter != 0;
            if lacks(elements) || others.clone().any(|other| lacks(&[other])) {
                return Ok(false);
            }
        }
        let set = self.elements(id)?;
        let mut elements = elements.iter();
        let has = |element: &u64| set.binary_search(element).is_ok();
        Ok(elements.all(has) && others.all(|other| has(&other)))
    }

    /// The number of a set of states in a block, which is kept if it is new.
    fn kept(&mut self, block: u32, key: Key, elements: &[u64]) -> Result<u32, Error> {
        let mask = self.slots.len() - 1;
        let mut slot = key as usize & mask;
        loop {
            let id = self.slots[slot];
            if id == NONE {
                break;
            }
            let set = &self.sets[id as usize];
            let is_alike = set.key == key && set.block == block;
            if is_alike && self.elements(id)? == elements {
                return Ok(id);
            }
            slot = (slot + 1) & mask;
        }
        self.longest = self.longest.max(elements.len());
        self.make_room(elements.len())?;
        let id = self.sets.len() as u32;
        self.slots[slot] = id;
        let written = self.spilled.as_ref().map_or(0, |spilled| spilled.count);
        self.sets.push(Set {
            key,
            block,
            start: written + self.elements.len() as u64,
            length: elements.len() as u32,
        });
        self.elements.extend_from_slice(elements);
        if let Some(spilled) = &mut self.spilled {
            spilled.filters.push(filter_of(elements));
            if self.elements.len() >= spilled.together {
                spilled.write(&self.elements)?;
                self.elements.clear();
            }
        }
        if 2 * self.sets.len() >= self.slots.len() {
            self.grow();
        }
        Ok(id)
    }

    /// Makes room for a set of so many elements; those that there are go to a file when they
    /// do not fit memory any more. Columns grow by an eighth: twice as much as is needed would
    /// be too much.
    fn make_room(&mut self, elements: usize) -> Result<(), Error> {
        let mut more = self.more(elements);
        // Filters have room beside them.
        if self.spilled.is_none() && more.needed + 8 * self.sets.len() as u64 > self.room.most {
            self.spill()?;
            more = self.more(elements);
        }
        if more.needed > self.room.most {
            return Err(Error::Memory {
                what: "signatures of states that hidden transitions lead to".into(),
                needed: self.room.needed(more.needed, self.told),
            });
        }
        self.elements.reserve_exact(more.elements);
        self.sets.reserve_exact(more.sets);
        if let Some(spilled) = &mut self.spilled {
            let filters = self.sets.capacity() - spilled.filters.len();
            spilled.filters.reserve_exact(filters);
        }
        Ok(())
    }

    /// What is to be added for a set of so many elements.
    fn more(&self, elements: usize) -> More {
        let more = |column: usize, capacity: usize, wanted: usize| match capacity - column {
            free if free < wanted => wanted.max(column / 8).max(16),
            _ => 0,
        };
        let of_elements = more(self.elements.len(), self.elements.capacity(), elements);
        let of_sets = more(self.sets.len(), self.sets.capacity(), 1);
        let slots = match 2 * (self.sets.len() + 1) >= self.slots.len() {
            true => 2 * self.slots.len(),
            false => self.slots.len(),
        };
        let sets = self.sets.capacity() + of_sets;
        let besides = match &self.spilled {
            // Filters; what is written together, or read.
            Some(spilled) => 8 * sets + 16 * spilled.together.max(self.longest),
            None => 0,
        };
        let needed = 8 * (self.elements.capacity() + of_elements)
            + size_of::<Set>() * sets
            + 4 * slots
            + besides;
        More {
            elements: of_elements,
            sets: of_sets,
            needed: needed as u64,
        }
    }

    /// Puts the elements into a file.
    #[cold]
    fn spill(&mut self) -> Result<(), Error> {
        let filters = self.sets.iter().map(|set| {
            let start = set.start as usize;
            filter_of(&self.elements[start..start + set.length as usize])
        });
        let together = (self.room.most / 512).clamp(32, 1 << 16) as usize;
        let mut spilled = Spilled::new(self.disk, filters.collect(), together)?;
        spilled.write(&std::mem::take(&mut self.elements))?;
        self.spilled = Some(spilled);
        Ok(())
    }

    #[cold]
    fn grow(&mut self) {
        let size = 2 * self.slots.len();
        self.slots.clear();
        self.slots.resize(size, NONE);
        for (id, set) in (0..).zip(&self.sets) {
            let mut slot = set.key as usize & (size - 1);
            while self.slots[slot] != NONE {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = id;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::{Scratch, TemporaryFolder};

    #[test]
    fn sets_take_no_more_memory_than_they_may() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = TemporaryFolder::new(folder.path()).unwrap();
        let disk = Disk::new(&scratch);
        let hasher = Hasher::new(0, Key::MAX);
        let room = |most| Room {
            most,
            beside: 1000,
            long_row: 0,
            states: 4096,
        };
        let (block, awaited) = (vec![0; 4096], Bits::all(4096));
        // All differ, by nine elements each.
        let set_of = |state| (0..9).map(move |k| element(k, state)).collect::<Vec<_>>();
        let signed = |states: std::ops::Range<u32>| {
            let mut signed = Signed::default();
            for state in states {
                let own = set_of(state);
                signed.states.push(Own {
                    state,
                    key: hasher.key(0, &own),
                    elements: signed.elements.len() + own.len(),
                    inert: 0,
                });
                signed.elements.extend(own);
            }
            signed
        };
        for most in [3000, 50_000, 200_000, 300_000, 400_000, 1 << 20] {
            let mut sets = Sets::new(&disk, hasher, 4096, room(most));
            let mut told = 0;
            let complete = (0..4096).step_by(16).try_for_each(|first| {
                let signed = signed(first..first + 16);
                sets.complete(&signed, &block, &awaited, |_, _| {
                    told += 1;
                    Ok(())
                })
            });
            let in_file = sets.spilled.as_ref();
            let taken = 8 * sets.elements.capacity()
                + size_of::<Set>() * sets.sets.capacity()
                + 4 * sets.slots.capacity()
                + in_file.map_or(0, |file| {
                    8 * file.filters.capacity() + file.bytes.capacity()
                });
            assert!(taken as u64 <= most, "{taken} of {most}");
            assert_eq!(in_file.is_some(), most < 1 << 20);
            match complete {
                Ok(()) => {
                    assert!(told == 4096 && most >= 300_000);
                    for id in (0..4096).rev() {
                        assert_eq!(*sets.elements(id).unwrap(), set_of(id));
                        let own = set_of(id);
                        assert!(sets.has_all(id, &own[2..5], &[id]).unwrap());
                        assert!(!sets.has_all(id, &set_of(id ^ 1)[..1], &[id]).unwrap());
                        assert!(!sets.has_all(id, &own, &[id, id ^ 1]).unwrap());
                    }
                }
                Err(Error::Memory { needed, .. }) => {
                    assert!(told < 4096);
                    // As much as is enough in the end, and not far more.
                    assert!((400_000..900_000).contains(&needed), "{needed}, {most}");
                }
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
    }
}
