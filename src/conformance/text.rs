//! Symbols as people read them.

use std::borrow::Cow;

/// A symbol; each byte that is no part of UTF-8 is `\x` and two hexadecimal digits.
pub fn legible(symbol: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(symbol) {
        return text.into();
    }
    let mut text = String::new();
    for chunk in symbol.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02X}"));
        }
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_told_from_one_another() {
        assert_eq!(legible("ä\\".as_bytes()), "ä\\");
        assert_eq!(legible(b"a\xffb\xe2\x82c"), "a\\xFFb\\xE2\\x82c");
    }
}
