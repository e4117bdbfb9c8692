//! What stands in a system file, before anything is said about its sense. Values are of
//! whatever type, so that one of the wrong type is told in the terms of system files.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use toml::Spanned;

/// A part of the text that is wrong, and why: lower case, no full stop.
pub(super) type Wrong = (Range<usize>, String);

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawFile {
    pub(super) format: Spanned<Value>,
    pub(super) name: Option<Spanned<Value>>,
    #[serde(default)]
    pub(super) component: Tables<RawComponent>,
    #[serde(default)]
    pub(super) channel: Tables<RawChannel>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a table with `name` and one of `file` and `aut`"
)]
pub(super) struct RawComponent {
    pub(super) name: Spanned<Value>,
    pub(super) file: Option<Spanned<Value>>,
    pub(super) aut: Option<Spanned<Value>>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a table with `name`, `from`, `to`, `capacity` and `messages`"
)]
pub(super) struct RawChannel {
    pub(super) name: Spanned<Value>,
    pub(super) from: Option<Spanned<Value>>,
    pub(super) to: Option<Spanned<Value>>,
    pub(super) capacity: Option<Spanned<Value>>,
    pub(super) messages: Spanned<Value>,
}

/// The tables `[[name]]` of a name.
#[derive(Debug)]
pub(super) struct Tables<T>(pub(super) Vec<T>);

impl<T> Default for Tables<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Tables<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
            type Value = Vec<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("tables, each after a line with its name in double brackets, `[[…]]`")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, tables: A) -> Result<Vec<T>, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(tables))
            }
        }
        let tables = deserializer.deserialize_any(Reader(PhantomData));
        tables.map(Self)
    }
}

/// A value of whatever type.
#[derive(Debug)]
pub(super) enum Value {
    /// A string.
    Text(String),
    /// A whole number.
    Number(i128),
    /// A number that is not whole.
    Fraction(f64),
    /// An array.
    List(Vec<Spanned<Value>>),
    /// Anything else, in words.
    Other(&'static str),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => write!(f, "{text:?}"),
            Value::Number(number) => number.fmt(f),
            Value::Fraction(number) => write!(f, "{number:?}"),
            Value::List(list) => write!(f, "an array of {}", list.len()),
            Value::Other(kind) => f.write_str(kind),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string, a number or an array")
            }

            fn visit_str<E>(self, text: &str) -> Result<Value, E> {
                Ok(Value::Text(text.to_owned()))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
                Ok(Value::Number(number.into()))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
                Ok(Value::Number(number.into()))
            }

            fn visit_i128<E>(self, number: i128) -> Result<Value, E> {
                Ok(Value::Number(number))
            }

            fn visit_u128<E>(self, number: u128) -> Result<Value, E> {
                let number = i128::try_from(number).map(Value::Number);
                Ok(number.unwrap_or(Value::Other("a very large number")))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
                Ok(Value::Fraction(number))
            }

            fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
                Ok(Value::Other(if truth { "true" } else { "false" }))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
                let mut list = Vec::new();
                while let Some(value) = seq.next_element()? {
                    list.push(value);
                }
                Ok(Value::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
                // Dates come as maps too.
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Value::Other("a table or a date"))
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

/// A string. `what` it is to be is told if it is something else.
pub(super) fn text<'a>(
    what: &dyn fmt::Display,
    value: &'a Spanned<Value>,
) -> Result<&'a str, Wrong> {
    match value.get_ref() {
        Value::Text(text) => Ok(text),
        other => Err((
            value.span(),
            format!("{what} is {other}; expected a string"),
        )),
    }
}

/// An array. `what` it is to be is told if it is something else.
pub(super) fn list<'a>(
    what: &dyn fmt::Display,
    value: &'a Spanned<Value>,
) -> Result<&'a [Spanned<Value>], Wrong> {
    match value.get_ref() {
        Value::List(list) => Ok(list),
        other => Err((
            value.span(),
            format!("{what} is {other}; expected an array of strings"),
        )),
    }
}

/// Where the byte `at` of the value of a string stands in `source`, the string as TOML
/// has it, with its quotes.
pub(super) fn place_in_string(source: &str, at: usize) -> usize {
    let is_long = source.starts_with("'''") || source.starts_with("\"\"\"");
    let mut place = if is_long { 3 } else { 1 };
    if is_long {
        // The end of the line after the quotes is not part of the value.
        let rest = &source[place..];
        let end = ["\r\n", "\n"].into_iter().find(|end| rest.starts_with(end));
        place += end.map_or(0, str::len);
    }
    if source.starts_with('\'') {
        return place + at;
    }
    let mut value = 0;
    while let Some((taken, made)) = character(&source[place..])
        && value + made <= at
    {
        place += taken;
        value += made;
    }
    place
}

/// How many bytes of a string the first character takes, and how many of its value it
/// makes. `None` at the end.
fn character(rest: &str) -> Option<(usize, usize)> {
    let first = rest.chars().next()?;
    if first != '\\' {
        return Some((first.len_utf8(), first.len_utf8()));
    }
    let digits = match rest[1..].chars().next()? {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        blank if blank.is_ascii_whitespace() => {
            // A line that goes on after blanks.
            let after = rest[1..].trim_start_matches([' ', '\t', '\r', '\n']);
            return Some((rest.len() - after.len(), 0));
        }
        _ => return Some((2, 1)),
    };
    let number = u32::from_str_radix(rest.get(2..2 + digits)?, 16).ok()?;
    Some((2 + digits, char::from_u32(number)?.len_utf8()))
}

#[cfg(test)]
mod tests {
    use hyades_testing::Random;

    use super::*;

    #[derive(serde::Deserialize)]
    struct Line {
        value: Spanned<String>,
    }

    /// Strings in all four spellings: each character of the value is found where it
    /// was written.
    #[test]
    fn characters_of_strings_are_found() {
        let mut random = Random::new(1);
        let plain = ["a", "é", "𝄞", " ", "#"];
        let escaped = [
            ("\\n", "\n"),
            ("\\\"", "\""),
            ("\\\\", "\\"),
            ("\\u00e9", "é"),
            ("\\U0001D11E", "𝄞"),
            ("\\t", "\t"),
        ];
        let mut seen = 0;
        for round in 0..2000 {
            let (open, is_raw, is_long) = match round % 4 {
                0 => ("'", true, false),
                1 => ("\"", false, false),
                2 => ("'''", true, true),
                _ => ("\"\"\"", false, true),
            };
            let mut text = format!("value = {open}");
            if is_long && random.chance(50) {
                text.push_str(["\n", "\r\n"][random.between(0, 1)]);
            }
            let mut places = Vec::new();
            let mut value = String::new();
            for _ in 0..random.between(0, 12) {
                let (written, meant) = match random.between(0, 9) {
                    0..3 if !is_raw => escaped[random.between(0, escaped.len() - 1)],
                    // It would be taken for the end of the line after the quotes.
                    3 if is_long && !value.is_empty() => ("\n", "\n"),
                    4 if is_long && !value.is_empty() => ("\r\n", "\r\n"),
                    _ => {
                        let c = plain[random.between(0, plain.len() - 1)];
                        (c, c)
                    }
                };
                if is_long && !is_raw && random.chance(10) {
                    text.push_str("\\ \n  ");
                    // Blanks after it would go with it.
                    text.push('b');
                    places.push((value.len(), text.len() - 1));
                    value.push('b');
                }
                places.push((value.len(), text.len()));
                text.push_str(written);
                value.push_str(meant);
            }
            text.push_str(open);
            let line: Line = toml::from_str(&text).unwrap();
            assert_eq!(*line.value.get_ref(), value, "{text}");
            let source = &text[line.value.span()];
            for (at, place) in places {
                let found = line.value.span().start + place_in_string(source, at);
                assert_eq!(found, place, "{at} in {text}");
                seen += 1;
            }
        }
        assert!(seen > 5000);
    }
}
