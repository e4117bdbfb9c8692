//! A partition of states that is refined block by block, at a cost in
//! proportion to the states that are looked at.

use hyades_base::fetch::prefetch;

/// States in blocks; each block is a range of `elements`, the marked states of
/// a block at the front of its range.
///
/// Three columns by state and three by block: 24 bytes a state at the most.
/// Valmari & Lehtinen 2008 ("Efficient minimization of DFAs with partial
/// transition functions") use the same arrangement.
#[derive(Debug)]
pub struct Refinable {
    /// The states, block after block.
    elements: Vec<u32>,
    /// `elements[place[s]] == s`.
    place: Vec<u32>,
    /// The block of each state.
    block: Vec<u32>,
    bounds: Vec<Bounds>,
    /// Blocks with a marked state, in the order of their first mark.
    touched: Vec<u32>,
    /// Where each part of a block that splits ends, among its marked states.
    part_ends: Vec<usize>,
}

/// Where the states of a block are.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    begin: u32,
    end: u32,
    /// How many at the front are marked.
    marked: u32,
}

impl Bounds {
    fn new(begin: usize, end: usize) -> Self {
        Self {
            begin: begin as u32,
            end: end as u32,
            marked: 0,
        }
    }
}

impl Refinable {
    /// The partition with these blocks, of these sizes. O(n).
    ///
    /// # Panics
    /// If the sizes are not those of the blocks.
    pub fn new(block: Vec<u32>, sizes: &[u32]) -> Self {
        // As many blocks as there may ever be: what is not used costs nothing,
        // and moving to a larger place would take three times the memory.
        let mut bounds = Vec::with_capacity(block.len());
        let mut total = 0;
        for &size in sizes {
            bounds.push(Bounds::new(total, total));
            total += size as usize;
        }
        assert_eq!(total, block.len(), "sizes of the blocks");
        let mut elements = vec![0; block.len()];
        let mut place = vec![0; block.len()];
        for (state, &b) in block.iter().enumerate() {
            let next = &mut bounds[b as usize].end;
            elements[*next as usize] = state as u32;
            place[state] = *next;
            *next += 1;
        }
        Self {
            elements,
            place,
            block,
            bounds,
            touched: Vec::new(),
            part_ends: Vec::new(),
        }
    }

    /// The block of each state.
    #[inline]
    pub fn blocks(&self) -> &[u32] {
        &self.block
    }

    /// The number of blocks.
    #[inline]
    pub fn count(&self) -> usize {
        self.bounds.len()
    }

    /// The sizes of the blocks.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = u32> + '_ {
        self.bounds.iter().map(|b| b.end - b.begin)
    }

    /// The states of a block, the marked ones first.
    #[inline]
    pub fn members(&self, block: u32) -> &[u32] {
        let Bounds { begin, end, .. } = self.bounds[block as usize];
        &self.elements[begin as usize..end as usize]
    }

    /// The marked states of a block.
    #[inline]
    pub fn marked(&self, block: u32) -> &[u32] {
        let Bounds { begin, marked, .. } = self.bounds[block as usize];
        &self.elements[begin as usize..(begin + marked) as usize]
    }

    /// A state of a block that is not marked.
    #[inline]
    pub fn unmarked(&self, block: u32) -> Option<u32> {
        let Bounds { begin, end, marked } = self.bounds[block as usize];
        (begin + marked < end).then(|| self.elements[(begin + marked) as usize])
    }

    /// Whether a state is alone in its block, which then never splits.
    #[inline]
    pub fn is_alone(&self, state: u32) -> bool {
        let bounds = &self.bounds[self.block[state as usize] as usize];
        bounds.end - bounds.begin == 1
    }

    /// Lets the processor fetch what marking a state will look up first.
    #[inline]
    pub(super) fn fetch(&self, state: u32) {
        prefetch(&self.block[state as usize..]);
        prefetch(&self.place[state as usize..]);
    }

    /// Marks a state that is not alone in its block; tells whether that was to be
    /// done. O(1).
    #[inline]
    pub fn mark(&mut self, state: u32) -> bool {
        let b = self.block[state as usize];
        let bounds = &mut self.bounds[b as usize];
        let here = self.place[state as usize];
        let front = bounds.begin + bounds.marked;
        if here < front || bounds.end - bounds.begin == 1 {
            return false;
        }
        if bounds.marked == 0 {
            self.touched.push(b);
        }
        bounds.marked += 1;
        if here != front {
            let other = self.elements[front as usize];
            self.elements.swap(front as usize, here as usize);
            self.place[other as usize] = here;
            self.place[state as usize] = front;
        }
        true
    }

    /// The blocks with a marked state; they are no longer listed from now on,
    /// and each must be given to [`Refinable::split`].
    pub fn take_touched(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.touched)
    }

    /// As [`Refinable::take_touched`], in the place of other ones.
    pub(crate) fn take_touched_into(&mut self, touched: &mut Vec<u32>) {
        touched.clear();
        std::mem::swap(&mut self.touched, touched);
    }

    /// Splits a block by the keys of its marked states and takes the marks off.
    ///
    /// `keyed` holds the marked states of the block in their order, each with its
    /// key; it comes back reordered. `rest` is the key of the unmarked states, if
    /// there are any. The largest part keeps the block's number; every state of
    /// any other part gets a new one and is appended to `moved`.
    ///
    /// O(k log k) for k marked states, plus the states that move.
    pub fn split(
        &mut self,
        block: u32,
        keyed: &mut [(u64, u32)],
        rest: Option<u64>,
        moved: &mut Vec<u32>,
    ) {
        debug_assert_eq!(keyed.len(), self.marked(block).len());
        debug_assert_eq!(rest.is_some(), self.unmarked(block).is_some());
        let bounds = &mut self.bounds[block as usize];
        bounds.marked = 0;
        let (begin, end) = (bounds.begin as usize, bounds.end as usize);
        // The states that stay with the unmarked ones stand beside them.
        let leave = match rest {
            Some(rest) => partition_in_place(keyed, |key| key != rest),
            None => keyed.len(),
        };
        let mut is_reordered = leave > 0 && leave < keyed.len();
        let (leaving, _) = keyed.split_at_mut(leave);
        let Some(&(first, _)) = leaving.first() else {
            return;
        };
        self.part_ends.clear();
        if leaving.iter().all(|&(key, _)| key == first) {
            self.part_ends.push(leave);
        } else {
            leaving.sort_unstable_by_key(|&(key, _)| key);
            is_reordered = true;
            let mut part_end = 0;
            for part in leaving.chunk_by(|x, y| x.0 == y.0) {
                part_end += part.len();
                self.part_ends.push(part_end);
            }
        }
        if begin + leave < end {
            self.part_ends.push(end - begin);
        }
        if self.part_ends.len() == 1 {
            return;
        }
        if is_reordered {
            for (place, &(_, state)) in (begin..).zip(&*keyed) {
                self.elements[place] = state;
                self.place[state as usize] = place as u32;
            }
        }
        // Of parts of one size the last keeps the number: there the unmarked
        // states are.
        let (mut keeper, mut most, mut start) = (0, 0, 0);
        for (k, &end) in self.part_ends.iter().enumerate() {
            if end - start >= most {
                (keeper, most) = (k, end - start);
            }
            start = end;
        }
        let mut from = begin;
        for (k, part_end) in self.part_ends.iter().enumerate() {
            let to = begin + part_end;
            if k == keeper {
                self.bounds[block as usize] = Bounds::new(from, to);
            } else {
                let new = self.bounds.len() as u32;
                self.bounds.push(Bounds::new(from, to));
                let part = &self.elements[from..to];
                for &state in part {
                    self.block[state as usize] = new;
                }
                moved.extend_from_slice(part);
            }
            from = to;
        }
    }

    /// Takes back that the last block was split off another one, or off one of those that
    /// were split off it in the same way and are joined with it next; tells how many states
    /// the block had. No state of the two is marked. O(states of the block).
    pub(super) fn join_last(&mut self, block: u32) -> usize {
        let last = self
            .bounds
            .pop()
            .expect("there is a block that was split off");
        let bounds = &mut self.bounds[block as usize];
        bounds.begin = bounds.begin.min(last.begin);
        bounds.end = bounds.end.max(last.end);
        let states = &self.elements[last.begin as usize..last.end as usize];
        for &state in states {
            self.block[state as usize] = block;
        }
        states.len()
    }

    /// The blocks by state, and how many there are.
    pub(crate) fn into_blocks(self) -> (Vec<u32>, u32) {
        let count = self.count() as u32;
        (self.block, count)
    }
}

/// Brings the states whose key has a property to the front; how many there are.
fn partition_in_place(keyed: &mut [(u64, u32)], is_front: impl Fn(u64) -> bool) -> usize {
    let mut front = 0;
    for k in 0..keyed.len() {
        if is_front(keyed[k].0) {
            keyed.swap(front, k);
            front += 1;
        }
    }
    front
}

#[cfg(test)]
mod tests {
    use hyades_testing::Random;

    use super::*;

    fn sets(p: &Refinable) -> Vec<Vec<u32>> {
        (0..p.count() as u32)
            .map(|b| {
                let mut members = p.members(b).to_vec();
                members.sort_unstable();
                assert!(members.iter().all(|&s| p.blocks()[s as usize] == b));
                assert!(
                    members
                        .iter()
                        .all(|&s| p.elements[p.place[s as usize] as usize] == s)
                );
                members
            })
            .collect()
    }

    #[test]
    fn the_largest_part_keeps_the_number() {
        let mut p = Refinable::new(vec![0, 1, 0, 0, 0, 0, 1], &[5, 2]);
        for s in [4, 2, 4, 5] {
            p.mark(s);
        }
        assert_eq!(p.take_touched(), [0]);
        let mut moved = Vec::new();
        let mut keyed: Vec<_> = p
            .marked(0)
            .iter()
            .map(|&s| (if s == 2 { 7 } else { 9 }, s))
            .collect();
        p.split(0, &mut keyed, Some(9), &mut moved);
        assert_eq!(moved, [2]);
        assert_eq!(sets(&p), [vec![0, 3, 4, 5], vec![1, 6], vec![2]]);

        // All marked, and the unmarked part the smaller one.
        for s in [0, 3, 4] {
            p.mark(s);
        }
        p.take_touched();
        let mut keyed: Vec<_> = p.marked(0).iter().map(|&s| (1, s)).collect();
        moved.clear();
        p.split(0, &mut keyed, Some(2), &mut moved);
        assert_eq!(moved, [5]);
        assert_eq!(sets(&p), [vec![0, 3, 4], vec![1, 6], vec![2], vec![5]]);

        for s in [1, 6] {
            p.mark(s);
        }
        p.take_touched();
        let mut keyed: Vec<_> = p.marked(1).iter().map(|&s| (3, s)).collect();
        moved.clear();
        p.split(1, &mut keyed, None, &mut moved);
        assert!(moved.is_empty() && p.marked(1).is_empty());
        assert!(!p.is_alone(1) && p.is_alone(5));
    }

    #[test]
    fn splits_are_taken_back() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let n = random.between(1, 30);
            let mut p = Refinable::new(vec![0; n], &[n as u32]);
            let mut parents = vec![0];
            let mut before = vec![sets(&p)];
            for _ in 0..random.between(1, 12) {
                (0..n as u32).filter(|_| random.chance(40)).for_each(|s| {
                    p.mark(s);
                });
                for block in p.take_touched() {
                    let key = |&s: &u32| (u64::from(s % 3), s);
                    let mut keyed: Vec<_> = p.marked(block).iter().map(key).collect();
                    let rest = p.unmarked(block).map(|_| 0);
                    p.split(block, &mut keyed, rest, &mut Vec::new());
                    parents.resize(p.count(), block);
                }
                before.push(sets(&p));
            }
            while let Some(expected) = before.pop() {
                for parent in parents.drain(expected.len()..).rev() {
                    p.join_last(parent);
                }
                assert_eq!(sets(&p), expected, "{seed}");
            }
        }
    }
}
