//! The transitions of a component, by state and label.

use hyades_formats::{LabelId, Lts, StateId};

/// Transitions in groups of equal source and label.
pub(crate) struct Table {
    /// For each state, where its groups start; and one more.
    rows: Vec<u32>,
    /// Label, and where the targets start; and one more.
    groups: Vec<(LabelId, u32)>,
    targets: Vec<u32>,
    labels: usize,
    /// For each state and label, one more than its group, or 0; empty if there
    /// are too many of both.
    direct: Vec<u32>,
    /// In how many states each label is enabled.
    pub enabled: Vec<u32>,
    /// Whether there is a loop with this label.
    pub has_loop: Vec<bool>,
    /// Whether two states are joined by transitions with different labels.
    pub has_parallel: bool,
}

impl Table {
    /// The table of an LTS whose rows are sorted.
    pub fn new(lts: &Lts) -> Self {
        let labels = lts.table().len();
        let mut table = Self {
            rows: Vec::with_capacity(lts.states() + 1),
            groups: Vec::new(),
            targets: lts.targets().iter().map(|t| t.get()).collect(),
            labels,
            direct: Vec::new(),
            enabled: vec![0; labels],
            has_loop: vec![false; labels],
            has_parallel: false,
        };
        let mut row = Vec::new();
        for state in (0..lts.states() as u32).map(StateId::new) {
            table.rows.push(table.groups.len() as u32);
            let range = lts.row(state);
            for k in range.clone() {
                let label = lts.labels()[k];
                if k == range.start || lts.labels()[k - 1] != label {
                    table.groups.push((label, k as u32));
                    table.enabled[label.index()] += 1;
                }
                if lts.targets()[k] == state {
                    table.has_loop[label.index()] = true;
                }
            }
            if !table.has_parallel {
                row.clear();
                row.extend_from_slice(&lts.targets()[range]);
                row.sort_unstable();
                table.has_parallel = row.windows(2).any(|pair| pair[0] == pair[1]);
            }
        }
        table.rows.push(table.groups.len() as u32);
        let end = table.targets.len() as u32;
        table.groups.push((LabelId::HIDDEN, end));
        table.index();
        table
    }

    /// Makes the direct index, unless it would be much larger than the rest.
    fn index(&mut self) {
        let states = self.rows.len() - 1;
        let size = states.saturating_mul(self.labels);
        if size > (1 << 16) && size > 16 * self.groups.len() {
            return;
        }
        self.direct = vec![0; size];
        for state in 0..states {
            for group in self.rows[state]..self.rows[state + 1] {
                let label = self.groups[group as usize].0;
                self.direct[state * self.labels + label.index()] = group + 1;
            }
        }
    }

    /// The labels that are enabled in a state, with their targets.
    #[inline]
    pub fn of(&self, state: u32) -> impl Iterator<Item = (LabelId, &[u32])> {
        let row = self.rows[state as usize] as usize..self.rows[state as usize + 1] as usize;
        row.map(|group| (self.groups[group].0, self.group(group)))
    }

    #[inline]
    fn group(&self, group: usize) -> &[u32] {
        &self.targets[self.groups[group].1 as usize..self.groups[group + 1].1 as usize]
    }

    /// The targets of a state's transitions with a label.
    #[inline]
    pub fn targets(&self, state: u32, label: LabelId) -> &[u32] {
        if !self.direct.is_empty() {
            return match self.direct[state as usize * self.labels + label.index()] {
                0 => &[],
                group => self.group(group as usize - 1),
            };
        }
        let row = self.rows[state as usize] as usize..self.rows[state as usize + 1] as usize;
        let groups = &self.groups[row.clone()];
        match groups.binary_search_by_key(&label, |&(l, _)| l) {
            Ok(at) => self.group(row.start + at),
            Err(_) => &[],
        }
    }
}
