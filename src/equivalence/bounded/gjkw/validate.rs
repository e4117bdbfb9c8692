//! What ties the columns together, for tests.

use super::*;

impl Engine<'_> {
    /// Asserts all that ties the columns together.
    pub(super) fn validate(&self) {
        // It takes far longer than a split.
        if self.source.len() > 300 {
            return;
        }
        assert!(self.marks.iter().all(|&mark| mark == 0));
        for (b, block) in self.blocks.iter().enumerate() {
            assert!(block.bounds.is_sorted());
            let mut sizes = std::collections::BTreeMap::<(u32, bool), u32>::new();
            for place in block.begin()..block.end() {
                let s = self.elements[place as usize];
                let Spot {
                    block: of,
                    place: at,
                } = self.spots[s as usize];
                assert_eq!((of, at), (b as u32, place));
                let mut inert = 0;
                for k in self.out(s) {
                    let e = self.outgoing[k] as usize;
                    assert_eq!(self.source[e], s);
                    let Seat { cell, slot } = self.seats[e];
                    assert_eq!(cell == ALONE, block.size() == 1);
                    if cell == ALONE {
                        continue;
                    }
                    assert_eq!(self.slots[slot as usize], e as u32);
                    let target = self.spots[self.rows.targets[k].index()].block as usize;
                    let within = self.blocks[target].constellation == block.constellation;
                    let hidden = self.rows.labels[k].is_hidden();
                    assert_eq!(cell == INNER, hidden && within);
                    let (slice, is_front) = if cell == INNER {
                        inert += u32::from(target == b);
                        (block.inner, target == b)
                    } else {
                        (
                            self.cells[cell as usize].slice,
                            block.fresh().contains(&place),
                        )
                    };
                    let range = &self.slices[slice as usize];
                    assert_eq!(range.block as usize, b);
                    assert!(range.range().contains(&slot));
                    assert_eq!(slot < range.middle, is_front);
                    *sizes.entry((slice, is_front)).or_default() += 1;
                }
                assert_eq!(self.inert[s as usize], inert);
                assert_eq!(place < block.bounds[3], inert == 0);
            }
            let mut slices = vec![];
            if block.inner != NONE {
                slices.push(block.inner);
            }
            for list in block.lists {
                let next = |&s: &u32| Some(self.slices[s as usize].next).filter(|&s| s != NONE);
                slices.extend(std::iter::successors(
                    Some(list).filter(|&s| s != NONE),
                    next,
                ));
            }
            let listed: u32 = slices
                .iter()
                .map(|&s| self.slices[s as usize].range().len() as u32)
                .sum();
            assert_eq!(listed, sizes.values().sum::<u32>());
            for s in slices {
                let Slice {
                    begin, middle, end, ..
                } = self.slices[s as usize];
                assert!(begin < end && begin <= middle && middle <= end);
                let size = |front| sizes.get(&(s, front)).copied().unwrap_or(0);
                assert_eq!((middle - begin, end - middle), (size(true), size(false)));
            }
        }
    }
}
