//! A partition of states that is refined block by block, at a cost in
//! proportion to the states that are looked at.

/// States in blocks; each block is a range of `elements`, the marked states of
/// a block at the front of its range.
///
/// Three columns by state and three by block: 24 bytes a state at the most.
/// Valmari & Lehtinen 2008 ("Efficient minimization of DFAs with partial
/// transition functions") use the same arrangement.
pub(super) struct Refinable {
    /// The states, block after block.
    elements: Vec<u32>,
    /// `elements[place[s]] == s`.
    place: Vec<u32>,
    /// The block of each state.
    block: Vec<u32>,
    begin: Vec<u32>,
    end: Vec<u32>,
    /// How many states at the front of each block are marked.
    marked: Vec<u32>,
    /// Blocks with a marked state, in the order of their first mark.
    touched: Vec<u32>,
}

impl Refinable {
    /// The partition with these blocks, of these sizes. O(n).
    pub(super) fn new(block: Vec<u32>, sizes: &[u32]) -> Self {
        let mut begin = Vec::with_capacity(sizes.len());
        let mut total = 0;
        for &size in sizes {
            begin.push(total);
            total += size;
        }
        assert_eq!(total as usize, block.len(), "sizes of the blocks");
        let mut end = begin.clone();
        let mut elements = vec![0; block.len()];
        let mut place = vec![0; block.len()];
        for (state, &b) in block.iter().enumerate() {
            let next = &mut end[b as usize];
            elements[*next as usize] = state as u32;
            place[state] = *next;
            *next += 1;
        }
        let marked = vec![0; sizes.len()];
        Self {
            elements,
            place,
            block,
            begin,
            end,
            marked,
            touched: Vec::new(),
        }
    }

    /// The block of each state.
    #[inline]
    pub(super) fn blocks(&self) -> &[u32] {
        &self.block
    }

    /// The number of blocks.
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.begin.len()
    }

    /// The sizes of the blocks.
    pub(super) fn sizes(&self) -> impl Iterator<Item = u32> + '_ {
        self.begin
            .iter()
            .zip(&self.end)
            .map(|(begin, end)| end - begin)
    }

    /// The states of a block, the marked ones first.
    #[inline]
    pub(super) fn members(&self, block: u32) -> &[u32] {
        &self.elements[self.begin[block as usize] as usize..self.end[block as usize] as usize]
    }

    /// The marked states of a block.
    #[inline]
    pub(super) fn marked(&self, block: u32) -> &[u32] {
        &self.members(block)[..self.marked[block as usize] as usize]
    }

    /// Whether a state is alone in its block, which then never splits.
    #[inline]
    pub(super) fn is_alone(&self, state: u32) -> bool {
        let b = self.block[state as usize] as usize;
        self.end[b] - self.begin[b] == 1
    }

    /// Marks a state; tells whether it was not marked before. O(1).
    #[inline]
    pub(super) fn mark(&mut self, state: u32) -> bool {
        let b = self.block[state as usize] as usize;
        let here = self.place[state as usize];
        let front = self.begin[b] + self.marked[b];
        if here < front {
            return false;
        }
        if self.marked[b] == 0 {
            self.touched.push(b as u32);
        }
        self.marked[b] += 1;
        let other = self.elements[front as usize];
        self.elements.swap(front as usize, here as usize);
        self.place[other as usize] = here;
        self.place[state as usize] = front;
        true
    }

    /// The blocks with a marked state; they are no longer listed from now on,
    /// and each must be given to [`Refinable::split`].
    pub(super) fn take_touched(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.touched)
    }

    /// Splits a block by the keys of its marked states and takes the marks off.
    ///
    /// `keyed` holds each marked state of the block once, with its key; it comes
    /// back sorted. `rest` is the key of the unmarked states, if there are any.
    /// The largest part keeps the block's number; every state of any other part
    /// gets a new one and is appended to `moved`.
    ///
    /// O(k log k) for k marked states, plus the states that move.
    pub(super) fn split(
        &mut self,
        block: u32,
        keyed: &mut [(u64, u32)],
        rest: Option<u64>,
        moved: &mut Vec<u32>,
    ) {
        let b = block as usize;
        debug_assert_eq!(keyed.len(), self.marked[b] as usize);
        debug_assert_eq!(
            rest.is_some(),
            self.marked(block).len() < self.members(block).len()
        );
        self.marked[b] = 0;
        let common = rest.unwrap_or(keyed[0].0);
        if keyed.iter().all(|&(key, _)| key == common) {
            return;
        }
        // The states that stay with the unmarked ones stand beside them.
        keyed.sort_unstable_by_key(|&(key, state)| (rest == Some(key), key, state));
        let begin = self.begin[b] as usize;
        for (k, &(_, state)) in keyed.iter().enumerate() {
            self.elements[begin + k] = state;
            self.place[state as usize] = (begin + k) as u32;
        }
        let end = self.end[b] as usize;
        let mut parts = Vec::new();
        let mut start = 0;
        for group in keyed.chunk_by(|x, y| x.0 == y.0) {
            parts.push((begin + start, begin + start + group.len()));
            start += group.len();
        }
        if let Some(rest) = rest {
            match parts.last_mut() {
                Some(last) if keyed[keyed.len() - 1].0 == rest => last.1 = end,
                _ => parts.push((begin + start, end)),
            }
        }
        // Of parts of one size the last keeps the number: there the unmarked
        // states are.
        let keeper = (0..parts.len())
            .max_by_key(|&k| parts[k].1 - parts[k].0)
            .expect("a block has a part");
        for (k, &(from, to)) in parts.iter().enumerate() {
            if k == keeper {
                (self.begin[b], self.end[b]) = (from as u32, to as u32);
                continue;
            }
            let new = self.begin.len() as u32;
            self.begin.push(from as u32);
            self.end.push(to as u32);
            self.marked.push(0);
            for &state in &self.elements[from..to] {
                self.block[state as usize] = new;
            }
            moved.extend_from_slice(&self.elements[from..to]);
        }
    }

    /// The blocks by state, and how many there are.
    pub(super) fn into_blocks(self) -> (Vec<u32>, u32) {
        let count = self.count() as u32;
        (self.block, count)
    }
}

#[cfg(test)]
mod tests {
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
}
