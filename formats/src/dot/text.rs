//! What labels read: escapes, HTML, entities.

use std::borrow::Cow;

use memchr::{memchr, memchr3, memmem};

use super::lex::Text;

/// The text that a label shows; `entities` says whether entities count in
/// strings between quotes too.
pub(super) fn decode(text: Text<'_>, entities: bool) -> Cow<'_, [u8]> {
    match text {
        Text::Word(word) => Cow::Borrowed(word),
        Text::Html(text) => Cow::Owned(decode_html(text)),
        Text::Quoted(text) => {
            let text = decode_escapes(text);
            if entities && text.contains(&b'&') {
                return Cow::Owned(decode_entities(&text));
            }
            text
        }
    }
}

/// `\\` is a backslash; `\n`, `\l` and `\r` end lines, however these are
/// aligned. Other backslashes stand for themselves.
fn decode_escapes(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let Some(mut at) = memchr(b'\\', &text) else {
        return text;
    };
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = &text[..];
    loop {
        decoded.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let (len, meaning) = match rest.get(1) {
            Some(b'\\') => (2, b'\\'),
            Some(b'n' | b'l' | b'r') => (2, b'\n'),
            _ => (1, b'\\'),
        };
        decoded.push(meaning);
        rest = &rest[len..];
        match memchr(b'\\', rest) {
            Some(next) => at = next,
            None => break,
        }
    }
    decoded.extend_from_slice(rest);
    Cow::Owned(decoded)
}

/// Line breaks end lines, cells of tables are joined by blanks, other tags and
/// comments count for nothing.
fn decode_html(html: &[u8]) -> Vec<u8> {
    // texts between the edges of cells
    let mut cells: Vec<Vec<u8>> = vec![Vec::new()];
    let mut rest = html;
    while let Some(at) = memchr3(b'<', b'&', b'\n', rest) {
        push(&mut cells, &rest[..at]);
        rest = &rest[at..];
        match rest[0] {
            b'\n' => {
                push(&mut cells, b" ");
                rest = &rest[1..];
            }
            b'&' => {
                let (text, len) = entity(rest);
                push(&mut cells, &text);
                rest = &rest[len..];
            }
            _ => {
                let (tag, after) = tag(rest);
                if tag.eq_ignore_ascii_case(b"br") {
                    push(&mut cells, b"\n");
                } else if tag.eq_ignore_ascii_case(b"td") {
                    cells.push(Vec::new());
                }
                rest = after;
            }
        }
    }
    push(&mut cells, rest);
    if cells.len() == 1 {
        return cells.swap_remove(0);
    }
    let cells: Vec<&[u8]> = cells.iter().map(|cell| cell.trim_ascii()).collect();
    let cells: Vec<&[u8]> = cells.into_iter().filter(|cell| !cell.is_empty()).collect();
    cells.join(&b' ')
}

/// Whether a label is a table of several cells.
pub(super) fn is_table(text: &Text<'_>) -> bool {
    let is_cell = |bytes: &&[u8]| bytes.eq_ignore_ascii_case(b"<td");
    match text {
        Text::Html(text) => text.windows(3).filter(is_cell).nth(1).is_some(),
        Text::Word(_) | Text::Quoted(_) => false,
    }
}

fn push(cells: &mut [Vec<u8>], text: &[u8]) {
    if let Some(cell) = cells.last_mut() {
        cell.extend_from_slice(text);
    }
}

/// The name of the tag that a text begins with, without a slash, and what comes
/// after the tag.
fn tag(text: &[u8]) -> (&[u8], &[u8]) {
    if text.starts_with(b"<!--") {
        let end = memmem::find(text, b"-->").map_or(text.len(), |k| k + 3);
        return (b"", &text[end..]);
    }
    let end = memchr(b'>', text).unwrap_or(text.len());
    let inner = &text[1..end];
    let inner = inner.strip_prefix(b"/").unwrap_or(inner).trim_ascii_start();
    let name = inner.iter().take_while(|b| b.is_ascii_alphanumeric());
    (&inner[..name.count()], &text[(end + 1).min(text.len())..])
}

fn decode_entities(text: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr(b'&', rest) {
        decoded.extend_from_slice(&rest[..at]);
        let (text, len) = entity(&rest[at..]);
        decoded.extend_from_slice(&text);
        rest = &rest[at + len..];
    }
    decoded.extend_from_slice(rest);
    decoded
}

/// What the entity stands for that a text begins with, and its length; just
/// the `&` if it is none that is known.
fn entity(text: &[u8]) -> (Cow<'_, [u8]>, usize) {
    // the longest are numbers of seven digits
    let head = &text[..text.len().min(11)];
    let known = memchr(b';', head).and_then(|end| {
        let meaning: Cow<'_, [u8]> = match &head[1..end] {
            b"amp" => Cow::Borrowed(b"&"),
            b"lt" => Cow::Borrowed(b"<"),
            b"gt" => Cow::Borrowed(b">"),
            b"quot" => Cow::Borrowed(b"\""),
            b"apos" => Cow::Borrowed(b"'"),
            // in labels it is there for its width alone
            b"nbsp" => Cow::Borrowed(b" "),
            [b'#', number @ ..] => Cow::Owned(character(number)?.to_string().into_bytes()),
            name => Cow::Owned(latin(name)?.to_string().into_bytes()),
        };
        Some((meaning, end + 1))
    });
    known.unwrap_or((Cow::Borrowed(b"&"), 1))
}

/// The names of the characters of Latin-1 from 0xA1 on, as entities write them.
const LATIN: [&str; 95] = [
    "iexcl", "cent", "pound", "curren", "yen", "brvbar", "sect", "uml", "copy", "ordf", "laquo",
    "not", "shy", "reg", "macr", "deg", "plusmn", "sup2", "sup3", "acute", "micro", "para",
    "middot", "cedil", "sup1", "ordm", "raquo", "frac14", "frac12", "frac34", "iquest", "Agrave",
    "Aacute", "Acirc", "Atilde", "Auml", "Aring", "AElig", "Ccedil", "Egrave", "Eacute", "Ecirc",
    "Euml", "Igrave", "Iacute", "Icirc", "Iuml", "ETH", "Ntilde", "Ograve", "Oacute", "Ocirc",
    "Otilde", "Ouml", "times", "Oslash", "Ugrave", "Uacute", "Ucirc", "Uuml", "Yacute", "THORN",
    "szlig", "agrave", "aacute", "acirc", "atilde", "auml", "aring", "aelig", "ccedil", "egrave",
    "eacute", "ecirc", "euml", "igrave", "iacute", "icirc", "iuml", "eth", "ntilde", "ograve",
    "oacute", "ocirc", "otilde", "ouml", "divide", "oslash", "ugrave", "uacute", "ucirc", "uuml",
    "yacute", "thorn", "yuml",
];

/// The character of Latin-1 with a name as entities write it.
fn latin(name: &[u8]) -> Option<char> {
    let place = LATIN.iter().position(|known| known.as_bytes() == name)?;
    char::from_u32(0xa1 + place as u32)
}

/// The character with a number as entities write it: decimal, or `x` and
/// hexadecimal.
fn character(number: &[u8]) -> Option<char> {
    let number = std::str::from_utf8(number).ok()?;
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    if !digits.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    let number = u32::from_str_radix(digits, radix).ok()?;
    char::from_u32(number).filter(|&c| c != '\0')
}

/// Appends a text as it stands between the quotes of a label: with as few
/// escapes as bring it back.
pub(super) fn escape(text: &[u8], out: &mut Vec<u8>) {
    for (k, &byte) in text.iter().enumerate() {
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\\' => {
                let escapes = matches!(
                    text.get(k + 1),
                    None | Some(b'\\' | b'"' | b'n' | b'l' | b'r' | b'\n')
                );
                out.extend_from_slice(if escapes { b"\\\\" } else { b"\\" });
            }
            _ => out.push(byte),
        }
    }
}

/// A text between quotation marks, as Graphviz shows it: nothing in it means anything but
/// itself, neither `\N`, which is the name of a node there, nor `&lt;`.
pub fn quoted(text: &[u8]) -> Vec<u8> {
    let mut out = vec![b'"'];
    for part in text.split_inclusive(|byte| matches!(byte, b'\\' | b'&')) {
        let (last, before) = part.split_last().expect("parts are not empty");
        match last {
            b'\\' => {
                escape(before, &mut out);
                out.extend_from_slice(b"\\\\");
            }
            b'&' => {
                escape(before, &mut out);
                out.extend_from_slice(b"&amp;");
            }
            _ => escape(part, &mut out),
        }
    }
    out.push(b'"');
    out
}

#[cfg(test)]
mod tests {
    use super::super::lex::{Lexer, Token};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quoted_texts_read_back(text in "[a-zN\\\\\"&;\n é]{0,20}") {
            let quoted = quoted(text.as_bytes());
            prop_assert_eq!(label(&quoted, true), text.as_bytes());
        }
    }

    /// What a label reads that stands in a file like this.
    fn label(file: &[u8], entities: bool) -> Vec<u8> {
        match Lexer::new(file).next().unwrap().1 {
            Token::Text(text) => decode(text, entities).into_owned(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn escapes() {
        for (file, expected) in [
            (r#""a / 1""#, "a / 1"),
            (r#""say \"hi\" / ok""#, "say \"hi\" / ok"),
            (r#""in\nout""#, "in\nout"),
            (r#""in\lout\r""#, "in\nout\n"),
            (r#""a\\n""#, "a\\n"),
            (r#""a\\""#, "a\\"),
            (r#""\\\"\n""#, "\\\"\n"),
            (r#""\N \x \é""#, "\\N \\x \\é"),
            (r#""&lt;""#, "&lt;"),
            ("a_1", "a_1"),
            ("-.5", "-.5"),
        ] {
            assert_eq!(label(file.as_bytes(), false), expected.as_bytes(), "{file}");
        }
    }

    #[test]
    fn entities() {
        for (text, expected) in [
            (
                "&lt;a&gt; &amp;&amp; &quot;b&quot; &#39;&apos;",
                "<a> && \"b\" ''",
            ),
            ("a&nbsp;b", "a b"),
            ("caf&eacute;&amp;", "café&"),
            ("&iexcl;&frac12;&Agrave;&szlig;&yuml;", "¡½Àßÿ"),
            ("&Eacute &EACUTE; &alpha;", "&Eacute &EACUTE; &alpha;"),
            ("&#228;&#xe4;&#xE4;", "äää"),
            ("&amp;lt;", "&lt;"),
            (
                "&unknown; & ; &#; &#x; &#55296; &#99999999; &#0; &#+1;",
                "&unknown; & ; &#; &#x; &#55296; &#99999999; &#0; &#+1;",
            ),
            ("&", "&"),
            ("&amp", "&amp"),
        ] {
            let quoted = format!("\"{text}\"");
            assert_eq!(
                label(quoted.as_bytes(), true),
                expected.as_bytes(),
                "{text}"
            );
            assert_eq!(label(quoted.as_bytes(), false), text.as_bytes());
            let html = format!("<{text}>");
            assert_eq!(label(html.as_bytes(), false), expected.as_bytes(), "{text}");
        }
    }

    #[test]
    fn html() {
        for (file, expected) in [
            ("<in<br />out / x>", "in\nout / x"),
            ("<a<br/>b<BR>c<br align=\"left\"/>d>", "a\nb\nc\nd"),
            ("<<b>bold</b> &amp; <i>not</i>>", "bold & not"),
            ("<a<!-- <b> --> c>", "a c"),
            ("<a\nb>", "a b"),
            (
                "<<table>\n <tr><td>in</td><td>/</td>\n<TD align=\"x\"><b>out</b> </TD></tr></table>>",
                "in / out",
            ),
            (
                "<<table><tr><td>a</td><td>/</td><td></td></tr></table>>",
                "a /",
            ),
            ("<>", ""),
            ("<<br>>", "\n"),
        ] {
            assert_eq!(
                String::from_utf8(label(file.as_bytes(), false)).unwrap(),
                expected,
                "{file}"
            );
        }
    }

    #[test]
    fn no_more_escapes_than_needed() {
        for (text, expected) in [
            ("a / 1", "a / 1"),
            ("say \"hi\"", "say \\\"hi\\\""),
            ("a\nb", "a\\nb"),
            ("\\x \\N", "\\x \\N"),
            ("\\n \\\\ \\", "\\\\n \\\\\\ \\\\"),
            ("\\\n", "\\\\\\n"),
        ] {
            let mut out = Vec::new();
            escape(text.as_bytes(), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    proptest! {
        #[test]
        fn escaped_texts_come_back(text in "[a\\\\\"nlr\n\r&;<>é]{0,12}") {
            let mut file = b"\"".to_vec();
            escape(text.as_bytes(), &mut file);
            file.push(b'"');
            prop_assert_eq!(label(&file, false), text.as_bytes());
        }
    }
}
