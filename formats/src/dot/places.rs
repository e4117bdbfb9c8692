//! Lines and columns of a file.

use std::cell::OnceCell;

use crate::diagnostic::Position;

/// Finds lines and columns.
pub(super) struct Places<'a> {
    file: &'a [u8],
    /// Where lines end; found when somebody asks.
    ends: OnceCell<Vec<usize>>,
}

impl<'a> Places<'a> {
    pub fn new(file: &'a [u8]) -> Self {
        Self {
            file,
            ends: OnceCell::new(),
        }
    }

    /// The line and column of a byte of the file.
    pub fn position(&self, at: usize) -> Position {
        let ends = self
            .ends
            .get_or_init(|| memchr::memchr_iter(b'\n', self.file).collect());
        let line = ends.partition_point(|&end| end < at);
        let start = match line {
            0 => 0,
            _ => ends[line - 1] + 1,
        };
        Position::new(line as u64 + 1, (at - start) as u64 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns() {
        let places = Places::new(b"ab\n\ncd");
        let all = [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (3, 2), (3, 3)];
        for (at, (line, column)) in all.into_iter().enumerate() {
            assert_eq!(places.position(at), Position::new(line, column));
        }
    }
}
