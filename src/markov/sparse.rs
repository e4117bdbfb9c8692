//! Sparse matrices.

use hyades_formats::{Offsets, StateId};
use hyades_lts::{Components, hidden_components};

/// A matrix by rows, of which only the entries that are not zero are there.
#[derive(Clone, Debug)]
pub struct Sparse {
    offsets: Offsets,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Sparse {
    /// Of no row, with room for so many.
    pub(crate) fn with_capacity(rows: usize) -> Self {
        Self {
            offsets: Offsets::with_capacity(rows),
            columns: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = (u32, f64)>) {
        for (column, value) in row {
            self.columns.push(column);
            self.values.push(value);
        }
        self.offsets.push(self.columns.len());
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.rows()
    }

    /// The number of entries.
    pub fn entries(&self) -> usize {
        self.columns.len()
    }

    /// The strongly connected components of a square matrix: an entry leads from its row to its
    /// column. O(rows + entries).
    pub(crate) fn components(&self) -> Components {
        let targets = self.columns.iter().map(|&column| StateId::new(column));
        hidden_components(&self.offsets, &targets.collect::<Vec<_>>())
    }

    /// The entries of a row, as columns and values.
    #[inline]
    pub fn row(&self, row: usize) -> impl Iterator<Item = (u32, f64)> + Clone {
        let places = self.offsets.row(row);
        let columns = self.columns[places.clone()].iter().copied();
        columns.zip(self.values[places].iter().copied())
    }

    /// The sum of the products of a row's entries and those of a vector.
    #[inline]
    pub(crate) fn times(&self, row: usize, vector: &[f64]) -> f64 {
        let row = self.row(row);
        row.map(|(column, value)| value * vector[column as usize])
            .sum()
    }

    pub(crate) fn scale(&mut self, factor: f64) {
        self.values.iter_mut().for_each(|value| *value *= factor);
    }

    /// The transposed matrix, of which columns ascend in each row. O(rows + columns + entries).
    pub fn transposed(&self, columns: usize) -> Self {
        let mut lengths = vec![0usize; columns];
        for &column in &self.columns {
            lengths[column as usize] += 1;
        }
        let offsets = Offsets::from_lengths(lengths.iter().copied());
        let mut next = lengths;
        for (column, next) in next.iter_mut().enumerate() {
            *next = offsets.row(column).start;
        }
        let mut transposed = Self {
            offsets,
            columns: vec![0; self.columns.len()],
            values: vec![0.0; self.values.len()],
        };
        for row in 0..self.rows() {
            for (column, value) in self.row(row) {
                let place = next[column as usize];
                next[column as usize] += 1;
                // States have 32 bits.
                transposed.columns[place] = row as u32;
                transposed.values[place] = value;
            }
        }
        transposed
    }
}
