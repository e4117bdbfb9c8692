//! Places in texts.

/// The line and the column, both from 1 on, of a byte of a text.
pub fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let start = before
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    (line, before.len() - start + 1)
}

/// The byte of a text that has this line and this column, both from 1 on; the end of
/// the text if there is none.
pub fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let mut lines = text.split_inclusive('\n');
    let before: usize = lines.by_ref().take(line - 1).map(str::len).sum();
    (before + column - 1).min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_offsets_are_inverse() {
        for text in ["", "a", "\n", "ab\n\nc\r\nd", "é\nx\n"] {
            for offset in 0..=text.len() {
                let (line, column) = line_and_column(text, offset);
                assert_eq!(offset_of(text, line, column), offset, "{text:?}");
            }
            assert_eq!(offset_of(text, 100, 1), text.len());
        }
    }
}
