//! Where in a text a transition stands.

/// Where an AUT file has a transition: the line, and its label in the column, both from 1;
/// the last one of those that are alike. A hidden label is looked for by its text. One pass
/// over the text.
pub fn place_of(text: &[u8], source: u32, label: &[u8], target: u32) -> Option<(usize, usize)> {
    let number = |digits: &[u8]| str::from_utf8(digits).ok()?.trim().parse().ok();
    let lines = text.split(|&byte| byte == b'\n').zip(1..);
    let fits = |(line, number_of_line): (&[u8], usize)| {
        let inner = line.trim_ascii().strip_prefix(b"(")?.strip_suffix(b")")?;
        let first = inner.iter().position(|&byte| byte == b',')?;
        let last = inner.iter().rposition(|&byte| byte == b',')?;
        let found = inner.get(first + 1..last)?;
        let text = found.trim_ascii();
        let bare = text.strip_prefix(b"\"").and_then(|t| t.strip_suffix(b"\""));
        let is_it = number(&inner[..first]) == Some(source)
            && number(&inner[last + 1..]) == Some(target)
            && bare.unwrap_or(text) == label;
        // The bracket, the first number, its comma, and blanks.
        let blanks = |text: &[u8]| text.len() - text.trim_ascii_start().len();
        let column = blanks(line) + 1 + first + 1 + blanks(found) + 1;
        is_it.then_some((number_of_line, column))
    };
    lines.filter_map(fits).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_equal_transitions_is_found_with_its_label() {
        let text = b"des (0, 3, 2)\n(0, \"GO\", 1)\n (1, i, 0)\n(0, GO, 1)\n";
        assert_eq!(place_of(text, 0, b"GO", 1), Some((4, 5)));
        assert_eq!(place_of(text, 1, b"i", 0), Some((3, 6)));
        assert_eq!(place_of(text, 1, b"GO", 0), None);
        assert_eq!(place_of(b"(0, a", 0, b"a", 1), None);
    }
}
