//! The numbers of labels met lately.

use std::sync::{Mutex, MutexGuard};

#[cfg(doc)]
use super::scan::Line;
use super::scan::{head, word};

/// So many pairs of labels are remembered, at least and at most.
const PAIRS: (usize, usize) = (1 << 10, 1 << 11);
/// Fewer of a text that is shorter than so many bytes for each.
const SHORT: usize = 32;

/// So many bytes of texts are kept, and one more text.
const TEXTS: usize = if cfg!(test) { 100 } else { 1 << 16 };

/// Remembers the numbers of labels met in a chunk, so that the table is rarely
/// asked. Where a label may be, there is room for two; a third one takes the
/// place of the older one.
pub(crate) struct Recent {
    /// A power of two, or one pair that stays empty.
    pairs: Vec<Pair>,
    /// Moves down as many bits as tell where a label is.
    shift: u32,
    /// The texts of long labels.
    texts: Vec<u8>,
}

/// As large as a line of the cache, but not aligned: allocators would leave gaps.
#[derive(Clone, Copy)]
struct Pair([Entry; 2]);

#[derive(Clone, Copy)]
struct Entry {
    /// The first bytes, and the next ones or, of a long label, what [`mixed`] makes of these
    /// and of the last ones.
    key: (u64, u64),
    /// None (0xff…) in an empty entry.
    len: u32,
    /// Where the text of a long label begins.
    at: u32,
    number: u32,
    /// Whether it is known that it may stand without quotes.
    bare: bool,
}

const EMPTY: Pair = Pair(
    [Entry {
        key: (0, 0),
        len: u32::MAX,
        at: 0,
        number: 0,
        bare: false,
    }; 2],
);

/// How many pairs are remembered; see [`Recent::new`].
fn pairs_for(bytes: usize, labels: usize) -> usize {
    // not more than serve: clearing them takes time
    let pairs = match labels {
        _ if labels > PAIRS.1 => 1,
        _ => (2 * labels).next_power_of_two().clamp(PAIRS.0, PAIRS.1),
    };
    pairs.min((bytes / SHORT).next_power_of_two())
}

/// The keys of labels of up to so many bytes hold all of them; others are long.
const WHOLE: usize = 16;

/// Ones where bytes of labels are that are not long, by their length.
const MASKS: [[u64; 2]; WHOLE + 1] = {
    let mut masks = [[u64::MAX; 2]; WHOLE + 1];
    let mut len = 0;
    while len < WHOLE {
        let ones = (1 << (8 * len)) - 1_u128;
        masks[len] = [ones as u64, (ones >> 64) as u64];
        len += 1;
    }
    masks
};

/// Where a label is, if it is remembered.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    key: (u64, u64),
    index: usize,
}

impl Recent {
    /// For a text of so many bytes, and a file of which so many labels are known
    /// already. Nothing is remembered if they are more than there is room for: a processor that has
    /// to guess every time whether a label is remembered is slower than the
    /// table.
    pub fn new(bytes: usize, labels: usize) -> Self {
        let pairs = pairs_for(bytes, labels);
        Self {
            pairs: vec![EMPTY; pairs],
            shift: u64::BITS - pairs.trailing_zeros().max(1),
            texts: Vec::new(),
        }
    }

    /// Where to look for a label; nowhere too close to the end of the chunk.
    #[inline(always)]
    pub fn slot(&self, bytes: &[u8], label: (usize, usize)) -> Option<Slot> {
        self.slot_after(bytes, label, head(bytes, label.0)?)
    }

    /// The same for a label whose [head](Line::head) is known.
    #[inline(always)]
    pub fn slot_after(&self, bytes: &[u8], label: (usize, usize), head: [u64; 2]) -> Option<Slot> {
        let (from, to) = label;
        let len = to - from;
        let [first, second] = head;
        let key = match MASKS.get(len) {
            Some(masks) => (first & masks[0], second & masks[1]),
            None => (
                first,
                mixed(second, word(bytes, to - 16)?, word(bytes, to - 8)?),
            ),
        };
        // any spread will do: a clash costs time only
        let spread =
            (key.0 ^ key.1.rotate_left(29) ^ len as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Some(Slot {
            key,
            index: (spread >> self.shift) as usize & (self.pairs.len() - 1),
        })
    }

    /// The number of a label, if it is remembered and known to be usual as it
    /// stands.
    #[inline(always)]
    pub fn get(
        &self,
        bytes: &[u8],
        label: (usize, usize),
        quoted: bool,
        slot: Slot,
    ) -> Option<u32> {
        let len = label.1 - label.0;
        let pair = &self.pairs[slot.index].0;
        // a choice that a processor need not guess
        let differs = |e: &Entry| (e.key.0 ^ slot.key.0) | (e.key.1 ^ slot.key.1);
        let e = &pair[usize::from(differs(&pair[0]) != 0)];
        let same = (differs(e) | (u64::from(e.len) ^ len as u64) == 0) & (quoted | e.bare)
            && (len <= WHOLE
                || equals(
                    &bytes[label.0..label.1],
                    &self.texts[e.at as usize..][..len],
                ));
        same.then_some(e.number)
    }

    /// Remembers a label of this text, which is usual as it stands.
    pub fn put(&mut self, text: &[u8], quoted: bool, slot: Slot, number: u32) {
        let Ok(len) = u32::try_from(text.len()) else {
            return;
        };
        if self.pairs.len() == 1 {
            return;
        }
        if self.texts.len() > TEXTS {
            self.texts.clear();
            self.pairs.fill(EMPTY);
        }
        let entry = Entry {
            key: slot.key,
            len,
            // not more than `TEXTS`
            at: self.texts.len() as u32,
            number,
            bare: !quoted,
        };
        if text.len() > WHOLE {
            self.texts.extend_from_slice(text);
        }
        let pair = &mut self.pairs[slot.index].0;
        // never two of one key: the first one would hide the second
        if pair[0].key != slot.key {
            pair[1] = pair[0];
        }
        pair[0] = entry;
    }
}

/// Those that serve for one chunk after the other.
#[derive(Default)]
pub(crate) struct Recents(Mutex<Vec<Recent>>);

impl Recents {
    /// One for a chunk, which may know labels already; see [`Recent::new`].
    pub fn take(&self, bytes: usize, labels: usize) -> Recent {
        let recent = self.lock().pop();
        let serves = |recent: &Recent| recent.pairs.len() == pairs_for(bytes, labels);
        recent
            .filter(serves)
            .unwrap_or_else(|| Recent::new(bytes, labels))
    }

    /// Keeps one of which all numbers hold for further chunks.
    pub fn keep(&self, recent: Recent) {
        self.lock().push(recent);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Recent>> {
        // Whoever panics leaves none half changed.
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// One word for three of a long label. Nearly all labels that differ in these have different ones:
/// a clash costs time only.
#[inline(always)]
fn mixed(second: u64, last_but_one: u64, last: u64) -> u64 {
    // Digits that differ do so in the lower halves of bytes.
    second ^ last_but_one.rotate_left(20) ^ last.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Whether two labels of one length, of at least 16 bytes, are the same.
#[inline(always)]
fn equals(one: &[u8], other: &[u8]) -> bool {
    let ends = |text: &[u8]| {
        let (first, last) = (text.first_chunk()?, text.last_chunk()?);
        Some([u128::from_le_bytes(*first), u128::from_le_bytes(*last)])
    };
    match one.len() {
        // without a call
        ..=32 => ends(one) == ends(other),
        _ => one == other,
    }
}
