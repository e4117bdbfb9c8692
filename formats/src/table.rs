//! Interned label texts.

use std::fmt;
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::RandomState;
use hyades_base::parallel;
use rayon::prelude::*;

use crate::ids::{LabelId, TooLarge};
use hyades_base::fetch::prefetch;

/// Interned label texts: a bijection between visible labels (byte strings) and
/// the numbers `1 .. len()`. Number 0 is [`LabelId::HIDDEN`] and has no text.
///
/// Texts live in one arena; looking one up costs a hash, mostly one access to
/// memory, and for a hit of more than eight bytes one comparison. The hash is
/// seeded at random, so that a file cannot be made to collide; numbers depend
/// on the order of insertion only.
#[derive(Clone)]
pub struct LabelTable {
    arena: Vec<u8>,
    /// `ends[k]` is one past the last byte of label `k` in `arena`.
    ends: Vec<usize>,
    index: Index,
    hasher: RandomState,
}

impl Default for LabelTable {
    fn default() -> Self {
        Self::new()
    }
}

impl LabelTable {
    /// A table with the hidden action only.
    pub fn new() -> Self {
        Self::with_hasher(RandomState::default())
    }

    /// A table with the hidden action only that hashes as this one does.
    pub(crate) fn new_alike(&self) -> Self {
        Self::with_hasher(self.hasher.clone())
    }

    fn with_hasher(hasher: RandomState) -> Self {
        Self {
            arena: Vec::new(),
            ends: vec![0],
            index: Index::default(),
            hasher,
        }
    }

    /// The number of labels, the hidden action included (so at least 1).
    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no visible label.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ends.len() == 1
    }

    /// The text of a visible label, or the empty text for the hidden action.
    ///
    /// # Panics
    /// If `label` is not of this table.
    #[inline]
    pub fn text(&self, label: LabelId) -> &[u8] {
        text(&self.arena, &self.ends, label.index())
    }

    /// All visible labels with their texts, in the order of their numbers.
    pub fn visible(&self) -> impl Iterator<Item = (LabelId, &[u8])> + Clone {
        (1..self.len() as u32).map(|k| {
            let label = LabelId::new(k);
            (label, self.text(label))
        })
    }

    /// The number of the visible label with this text, if there is one.
    pub fn find(&self, text: &[u8]) -> Option<LabelId> {
        self.find_key(&self.key(text), text)
    }

    /// What a text is looked up by.
    #[inline]
    pub(crate) fn key(&self, text: &[u8]) -> Key {
        Key::new(text, &self.hasher)
    }

    /// Fetches what looking up a key is going to need into the cache.
    #[inline]
    pub(crate) fn prefetch(&self, key: &Key) {
        self.index.prefetch(key.hash);
    }

    /// As [`LabelTable::find`], for a text of which the key is known.
    #[inline]
    pub(crate) fn find_key(&self, key: &Key, text: &[u8]) -> Option<LabelId> {
        self.index
            .find(key, |label| self.text(LabelId::new(label)) == text)
            .map(LabelId::new)
    }

    /// The number of the visible label with this text, which is added if it is
    /// new.
    ///
    /// # Errors
    /// If the table already holds [`LabelId::MAX_COUNT`] labels.
    pub fn intern(&mut self, text: &[u8]) -> Result<LabelId, TooLarge> {
        self.intern_key(&self.key(text), text)
    }

    /// As [`LabelTable::intern`], for a text of which the key is known.
    pub(crate) fn intern_key(&mut self, key: &Key, text: &[u8]) -> Result<LabelId, TooLarge> {
        if let Some(label) = self.find_key(key, text) {
            return Ok(label);
        }
        if self.ends.len() as u64 >= LabelId::MAX_COUNT {
            return Err(TooLarge {
                what: "labels",
                limit: LabelId::MAX_COUNT,
            });
        }
        let new = self.ends.len() as u32;
        self.arena.extend_from_slice(text);
        self.ends.push(self.arena.len());
        self.index.insert(key, new, &self.hasher);
        Ok(LabelId::new(new))
    }

    /// Makes room for so many more labels, whose texts have so many bytes
    /// together.
    pub(crate) fn reserve(&mut self, labels: usize, bytes: usize) {
        self.arena.reserve(bytes);
        self.ends.reserve(labels);
        self.index.reserve(labels, &self.hasher);
    }

    /// Interns all visible labels of another table, in their order, and gives
    /// the numbers that they have in this one.
    ///
    /// # Errors
    /// As [`LabelTable::intern`].
    pub(crate) fn intern_all(&mut self, other: &LabelTable) -> Result<Vec<u32>, TooLarge> {
        self.intern_each(other.len() - 1, |k| other.text(LabelId::new(k as u32 + 1)))
    }

    /// Interns so many texts, in their order, and gives their numbers. Faster
    /// than one by one.
    ///
    /// # Errors
    /// As [`LabelTable::intern`].
    pub(crate) fn intern_each<'t>(
        &mut self,
        count: usize,
        text: impl Fn(usize) -> &'t [u8],
    ) -> Result<Vec<u32>, TooLarge> {
        let mut numbers = Vec::with_capacity(count);
        let mut keys = Vec::with_capacity(AHEAD);
        let mut from = 0;
        while from < count {
            let to = count.min(from + AHEAD);
            keys.clear();
            for k in from..to {
                let key = self.key(text(k));
                self.prefetch(&key);
                keys.push(key);
            }
            for (k, key) in (from..to).zip(&keys) {
                numbers.push(self.intern_key(key, text(k))?.get());
            }
            from = to;
        }
        Ok(numbers)
    }

    /// For every label, its rank in the order of the texts' bytes, where the
    /// hidden action stands as the text `i`; ranks are `0 .. len()`. Only a
    /// visible label `i` shares the hidden action's text; it comes after it.
    ///
    /// O(L log L) comparisons for L labels, in parallel; 28 bytes a label.
    pub fn ranks(&self) -> Vec<u32> {
        let first = self.visible().next().map_or(&[][..], |(_, text)| text);
        // What all texts begin with tells none apart.
        let common = self.visible().fold(first.len(), |common, (_, text)| {
            let pairs = text.iter().zip(&first[..common]);
            pairs.take_while(|(a, b)| a == b).count()
        });
        let rest = |k: u32| &self.text(LabelId::new(k))[common..];
        // sixteen bytes, zeros after the end: they order texts unless equal
        let heads = |k: u32| {
            let (first, next) = rest(k).split_at(rest(k).len().min(8));
            (head(first).swap_bytes(), head(next).swap_bytes())
        };
        let entry = |place: usize| (heads(place as u32 + 1), place as u32 + 1);
        let mut order: Vec<((u64, u64), u32)> = parallel::map(self.len() - 1, 1 << 10, entry);
        order.par_sort_unstable_by(|&(a, j), &(b, k)| a.cmp(&b).then_with(|| rest(j).cmp(rest(k))));
        let hidden = order.partition_point(|&(_, k)| self.text(LabelId::new(k)) < b"i".as_slice());
        let mut ranks = vec![hidden as u32; self.len()];
        for (place, &(_, k)) in order.iter().enumerate() {
            ranks[k as usize] = (place + usize::from(place >= hidden)) as u32;
        }
        ranks
    }

    /// Bytes of memory that the table holds on to.
    pub fn heap_bytes(&self) -> usize {
        self.arena.capacity()
            + self.ends.capacity() * size_of::<usize>()
            + self.index.buckets.capacity() * size_of::<Bucket>()
    }
}

impl fmt::Debug for LabelTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(
                self.visible()
                    .map(|(_, text)| String::from_utf8_lossy(text)),
            )
            .finish()
    }
}

/// So many labels are looked up together, so that waiting for memory overlaps.
pub(crate) const AHEAD: usize = 32;

#[inline]
fn text<'a>(arena: &'a [u8], ends: &[usize], label: usize) -> &'a [u8] {
    if label == 0 {
        return &[];
    }
    &arena[ends[label - 1]..ends[label]]
}

/// The first eight bytes of a text, the first lowest, zeros after its end.
#[inline]
fn head(text: &[u8]) -> u64 {
    if let Some(head) = text.first_chunk() {
        return u64::from_le_bytes(*head);
    }
    let len = text.len();
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        // where they overlap they agree
        let last = u64::from(u32::from_le_bytes(*last)) << (8 * (len - 4));
        return u64::from(u32::from_le_bytes(*first)) | last;
    }
    let byte = |k: usize| u64::from(text[k]) << (8 * k);
    match len {
        0 => 0,
        _ => byte(0) | byte(len / 2) | byte(len - 1),
    }
}

/// What a text is looked up by.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    hash: u64,
    /// The whole text if it has at most eight bytes, else the hash.
    short: u64,
    /// The length of the text; `u32::MAX` stands for any that is longer.
    len: u32,
}

impl Key {
    #[inline]
    fn new(text: &[u8], hasher: &RandomState) -> Self {
        if text.len() <= 8 {
            let short = head(text);
            let len = text.len() as u32;
            let hash = hash_short(short, len, hasher);
            return Self { hash, short, len };
        }
        let mut state = hasher.build_hasher();
        state.write(text);
        let hash = state.finish();
        Self {
            hash,
            short: hash,
            len: u32::try_from(text.len()).unwrap_or(u32::MAX),
        }
    }
}

/// The hash of a text of at most eight bytes.
#[inline]
fn hash_short(text: u64, len: u32, hasher: &RandomState) -> u64 {
    hasher.hash_one((text, len))
}

/// Where the texts are found: buckets of a hash table, filled from their
/// beginning. What is not in the first bucket of its hash that has an empty
/// place is nowhere.
#[derive(Clone, Default)]
struct Index {
    /// None, or a power of two.
    buckets: Vec<Bucket>,
    entries: usize,
}

const PLACES: usize = 4;

/// A line of the cache.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket([Entry; PLACES]);

#[derive(Clone, Copy, Default)]
struct Entry {
    /// As in the [`Key`].
    short: u64,
    len: u32,
    /// The label; 0 in an empty place.
    label: u32,
}

impl Index {
    #[inline]
    fn first_bucket(&self, hash: u64) -> usize {
        hash as usize & (self.buckets.len() - 1)
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        if self.buckets.is_empty() {
            return;
        }
        prefetch(&self.buckets[self.first_bucket(hash)..]);
    }

    /// The label with this key for which `verify` holds, which is asked only
    /// where the key does not tell the whole text.
    #[inline]
    fn find(&self, key: &Key, verify: impl Fn(u32) -> bool) -> Option<u32> {
        if self.buckets.is_empty() {
            return None;
        }
        let mut at = self.first_bucket(key.hash);
        loop {
            let bucket = &self.buckets[at].0;
            // All places are looked at, without a branch: a processor cannot
            // guess in which one the label is.
            let mut same = (0..PLACES).fold(0u32, |same, k| {
                let differs = bucket[k].short ^ key.short | u64::from(bucket[k].len ^ key.len);
                same | u32::from(differs == 0) << k
            });
            while same != 0 {
                let label = bucket[same.trailing_zeros() as usize % PLACES].label;
                if label != 0 && (key.len <= 8 || verify(label)) {
                    return Some(label);
                }
                same &= same - 1;
            }
            if bucket[PLACES - 1].label == 0 {
                return None;
            }
            at = (at + 1) & (self.buckets.len() - 1);
        }
    }

    /// Adds a label that is not there.
    fn insert(&mut self, key: &Key, label: u32, hasher: &RandomState) {
        // full to seven eighths at the most
        if self.entries >= self.buckets.len() * PLACES / 8 * 7 {
            self.grow(hasher);
        }
        self.entries += 1;
        self.put(
            key.hash,
            Entry {
                short: key.short,
                len: key.len,
                label,
            },
        );
    }

    fn put(&mut self, hash: u64, entry: Entry) {
        let mut at = self.first_bucket(hash);
        loop {
            if let Some(place) = self.buckets[at].0.iter_mut().find(|e| e.label == 0) {
                *place = entry;
                return;
            }
            at = (at + 1) & (self.buckets.len() - 1);
        }
    }

    /// Makes room for so many more labels.
    fn reserve(&mut self, labels: usize, hasher: &RandomState) {
        // as many as make `insert` not grow
        let entries = self.entries + labels;
        let buckets = (8 * entries)
            .div_ceil(7 * PLACES)
            .next_power_of_two()
            .max(2);
        if buckets > self.buckets.len() {
            self.resize(buckets, hasher);
        }
    }

    /// Twice the buckets.
    #[cold]
    fn grow(&mut self, hasher: &RandomState) {
        self.resize((2 * self.buckets.len()).max(2), hasher);
    }

    /// So many buckets, a power of two. Keys tell enough for that; no text is
    /// looked at.
    fn resize(&mut self, buckets: usize, hasher: &RandomState) {
        let old = std::mem::replace(&mut self.buckets, vec![Bucket::default(); buckets]);
        for entry in old.iter().flat_map(|b| b.0).filter(|e| e.label != 0) {
            let hash = if entry.len <= 8 {
                hash_short(entry.short, entry.len, hasher)
            } else {
                entry.short
            };
            self.put(hash, entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    #[test]
    fn labels_are_numbered_by_first_appearance_and_ranked_by_bytes() {
        let mut table = LabelTable::new();
        let b = table.intern(b"b").unwrap();
        let a = table.intern(b"a").unwrap();
        let z = table.intern(b"z").unwrap();
        assert_eq!((b.get(), a.get(), z.get()), (1, 2, 3));
        assert_eq!(table.intern(b"b").unwrap(), b);
        assert_eq!(table.find(b"a"), Some(a));
        assert_eq!(table.find(b"i"), None);
        assert_eq!(table.text(z), b"z");
        // hidden counts as `i`: a < b < i < z
        assert_eq!(table.ranks(), vec![2, 1, 0, 3]);
    }

    #[test]
    fn an_empty_table_knows_nothing() {
        let mut table = LabelTable::new();
        assert_eq!(table.find(b""), None);
        assert_eq!(table.ranks(), [0]);
        let empty = table.intern(b"").unwrap();
        assert_eq!((empty.get(), table.find(b"")), (1, Some(empty)));
        assert_eq!(table.find(b"\0"), None);
    }

    #[test]
    fn texts_of_one_hash_are_told_apart() {
        let key = Key {
            hash: 7,
            short: 7,
            len: 9,
        };
        let hasher = RandomState::default();
        let mut index = Index::default();
        for label in 1..=40 {
            index.insert(&key, label, &hasher);
        }
        for label in 1..=40 {
            assert_eq!(index.find(&key, |l| l == label), Some(label));
        }
        assert_eq!(index.find(&key, |_| false), None);
    }

    #[test]
    fn many_labels_keep_their_numbers() {
        let mut table = LabelTable::new();
        let text = |k: u32| format!("{}{k}", ["a", "send !", "a longer label "][k as usize % 3]);
        for k in 0..20_000 {
            assert_eq!(table.intern(text(k).as_bytes()).unwrap().get(), k + 1);
        }
        for k in 0..20_000 {
            let label = LabelId::new(k + 1);
            assert_eq!(table.find(text(k).as_bytes()), Some(label));
            assert_eq!(table.text(label), text(k).as_bytes());
        }
        assert_eq!(table.find(text(20_000).as_bytes()), None);
    }

    #[test]
    fn room_that_was_made_is_enough() {
        for count in [0, 1, 6, 7, 8, 28, 29, 1_000] {
            let mut table = LabelTable::new();
            table.intern(b"first").unwrap();
            table.reserve(count, 8 * count);
            let buckets = table.index.buckets.len();
            for k in 0..count {
                table.intern(format!("{k}").as_bytes()).unwrap();
            }
            assert_eq!(table.index.buckets.len(), buckets, "{count}");
            assert_eq!(table.find(b"first"), Some(LabelId::new(1)));
        }
    }

    fn texts() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let byte = prop_oneof![Just(0u8), Just(b'i'), Just(b'j'), Just(0xff)];
        prop::collection::vec(prop::collection::vec(byte, 0..20), 0..60)
    }

    proptest! {
        #[test]
        fn interning_is_numbering_by_first_appearance(first in texts(), second in texts()) {
            let mut numbers = HashMap::new();
            let mut table = LabelTable::new();
            for text in &first {
                let next = numbers.len() as u32 + 1;
                let number = *numbers.entry(text.clone()).or_insert(next);
                prop_assert_eq!(table.intern(text).unwrap().get(), number);
            }
            let mut other = LabelTable::new();
            for text in &second {
                other.intern(text).unwrap();
            }
            let all = table.intern_all(&other).unwrap();
            prop_assert_eq!(all.len(), other.len() - 1);
            for ((_, text), found) in other.visible().zip(all) {
                let next = numbers.len() as u32 + 1;
                prop_assert_eq!(found, *numbers.entry(text.to_vec()).or_insert(next));
            }
            prop_assert_eq!(table.len(), numbers.len() + 1);
            for (text, number) in numbers {
                prop_assert_eq!(table.find(&text), Some(LabelId::new(number)));
            }
        }

        #[test]
        fn ranks_are_the_order_of_bytes(
            prefix in prop::collection::vec(b'h'..b'k', 0..12),
            texts in texts(),
        ) {
            let mut table = LabelTable::new();
            for text in &texts {
                table.intern(&[&prefix[..], text].concat()).unwrap();
            }
            let mut order = vec![(b"i".to_vec(), 0)];
            order.extend(table.visible().map(|(l, text)| (text.to_vec(), l.get())));
            order.sort();
            let ranks = table.ranks();
            prop_assert_eq!(ranks.len(), order.len());
            for (rank, (_, label)) in order.into_iter().enumerate() {
                prop_assert_eq!(ranks[label as usize], rank as u32);
            }
        }
    }
}
