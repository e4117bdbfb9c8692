//! Which states simulate which, for searches that have become large.

use hyades_base::bits::ones;
use hyades_base::grouped::Grouped;

use super::system::System;

/// The greatest simulation on the states of a system, as a matrix of bits: in a weak
/// system by visible steps with hidden ones before them, else by steps.
///
/// M. R. Henzinger, T. A. Henzinger and P. W. Kopke, *Computing simulations on finite and
/// infinite graphs*, FOCS 1995, without their counters.
pub(super) struct Simulation {
    /// 64-bit words a row.
    words: usize,
    /// Bit q of row p: whether q simulates p.
    rows: Vec<u64>,
}

impl Simulation {
    /// The simulation; with `ready`, only between states whose steps have the same
    /// labels, in a system that is not weak. `None` if it takes more than about `work`
    /// steps, or there are more than [`MOST_STATES`].
    ///
    /// At most O(n·m·(n + m)) time for n states and m steps, and n²/8 bytes.
    pub(super) fn new(system: &System, ready: bool, work: usize) -> Option<Self> {
        let n = system.states();
        if n > MOST_STATES {
            return None;
        }
        let words = n.div_ceil(64);
        let mut this = Self {
            words,
            rows: vec![0; n * words],
        };
        for p in 0..n as u32 {
            for q in 0..n as u32 {
                let menus = (system.menu(p), system.menu(q));
                // In a weak system the labels may come after hidden steps.
                let may = match ready {
                    true => menus.0 == menus.1,
                    false => system.is_weak || system.is_within(menus.0, menus.1),
                };
                if may {
                    insert(&mut this.rows[p as usize * words..], q);
                }
            }
        }
        this.refine(&Sources::new(system), work).then_some(this)
    }

    /// Whether `q` simulates `p`.
    pub(super) fn simulates(&self, q: u32, p: u32) -> bool {
        contains(self.row(p), q)
    }

    fn row(&self, p: u32) -> &[u64] {
        let start = p as usize * self.words;
        &self.rows[start..start + self.words]
    }

    /// Takes out what does not simulate until all that is left does; false if that takes
    /// too much work.
    fn refine(&mut self, sources: &Sources, mut work: usize) -> bool {
        let n = self.rows.len() / self.words.max(1);
        let mut open: Vec<u32> = (0..n as u32).collect();
        let mut is_open = vec![true; n];
        let mut able = vec![0; self.words];
        while let Some(target) = open.pop() {
            is_open[target as usize] = false;
            let members: Vec<u32> = elements(self.row(target)).collect();
            for of_label in sources.visible.of(target).chunk_by(|a, b| a.0 == b.0) {
                let rank = of_label[0].0;
                // The states with such a step to one that simulates the target.
                able.fill(0);
                let mut found = Vec::new();
                for &q in &members {
                    let all = sources.visible.of(q);
                    let start = all.partition_point(|step| step.0 < rank);
                    let here = all[start..].iter().take_while(|step| step.0 == rank);
                    for &(_, s) in here {
                        if insert(&mut able, s) {
                            found.push(s);
                        }
                    }
                }
                while let Some(s) = found.pop() {
                    for &before in sources.hidden.of(s) {
                        if insert(&mut able, before) {
                            found.push(before);
                        }
                    }
                }
                let cost = members.len() + of_label.len() * self.words;
                let Some(rest) = work.checked_sub(cost) else {
                    return false;
                };
                work = rest;
                for &(_, source) in of_label {
                    self.restrict(source, &able, &mut open, &mut is_open);
                }
            }
            // The source of a hidden step can do what its target can.
            able.copy_from_slice(self.row(target));
            for &source in sources.hidden.of(target) {
                self.restrict(source, &able, &mut open, &mut is_open);
            }
        }
        true
    }

    /// Only these states simulate `p`.
    fn restrict(&mut self, p: u32, able: &[u64], open: &mut Vec<u32>, is_open: &mut [bool]) {
        let start = p as usize * self.words;
        let mut changed = false;
        for (word, able) in self.rows[start..start + self.words].iter_mut().zip(able) {
            changed |= *word & !able != 0;
            *word &= able;
        }
        if changed && !is_open[p as usize] {
            is_open[p as usize] = true;
            open.push(p);
        }
    }
}

/// The most states for which there is a matrix: 8 MiB.
const MOST_STATES: usize = 1 << 13;

/// The steps into each state.
struct Sources {
    /// Ranks and sources, ascending.
    visible: Grouped<(u32, u32)>,
    /// Sources of hidden steps that are not part of a trace.
    hidden: Grouped<u32>,
}

impl Sources {
    fn new(system: &System) -> Self {
        let n = system.states() as u32;
        let mut all: Vec<(u32, u32, u32)> = Vec::new();
        for s in 0..n {
            let (ranks, targets) = system.steps(s);
            all.extend(ranks.iter().zip(targets).map(|(&rank, &t)| (rank, s, t)));
        }
        all.sort_unstable();
        let visible = all.iter().map(|&(rank, s, t)| (t, (rank, s)));
        let hidden = (0..n).flat_map(|s| system.hidden(s).iter().map(move |&t| (t, s)));
        Self {
            visible: Grouped::new(n as usize, visible),
            hidden: Grouped::new(n as usize, hidden),
        }
    }
}

/// Whether a member is new.
fn insert(set: &mut [u64], k: u32) -> bool {
    let (word, bit) = (&mut set[k as usize / 64], 1 << (k % 64));
    let is_new = *word & bit == 0;
    *word |= bit;
    is_new
}

fn contains(set: &[u64], k: u32) -> bool {
    set[k as usize / 64] >> (k % 64) & 1 != 0
}

fn elements(set: &[u64]) -> impl Iterator<Item = u32> {
    ones(set.iter().copied())
}
