//! Labels of Markov chains.

use super::LumpError;
use super::decimal::Number;
use super::weights::suitable;

/// What the number of a label says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// The rate of an exponentially distributed delay.
    Rate,
    /// A probability.
    Probability,
}

impl Kind {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Kind::Rate => "rate",
            Kind::Probability => "prob",
        }
    }
}

/// A label with a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weighted<'a, N = f64> {
    /// What stands before the `;`, if there is one.
    pub label: Option<&'a [u8]>,
    /// What its number says.
    pub kind: Kind,
    /// The number.
    pub number: N,
}

/// Reads a label with a rate or a probability, as [`lump`](super::lump()) does; nothing for any
/// other label.
///
/// # Errors
/// If the number does not suit its kind, or is too large or too small for a `double`.
pub fn weight(text: &[u8]) -> Result<Option<Weighted<'_>>, LumpError> {
    let (Some(read), Some(parts)) = (parse(text), parts(text)) else {
        return Ok(None);
    };
    suitable(read.kind, read.number, text)?;
    let number = std::str::from_utf8(parts.number).ok();
    let number = number.and_then(|number| number.parse().ok());
    match number.filter(|number: &f64| number.is_normal()) {
        Some(number) => Ok(Some(Weighted {
            label: parts.label,
            kind: parts.kind,
            number,
        })),
        None => Err(LumpError::OutOfRange {
            label: String::from_utf8_lossy(text).into_owned(),
        }),
    }
}

/// Reads `rate R`, `LABEL; rate R`, `prob P` or `LABEL; prob P`, where LABEL is not empty and
/// has no `;`, with white space around the parts and at least one blank before the number.
/// Nothing for any other label.
pub(super) fn parse(text: &[u8]) -> Option<Weighted<'_, Number>> {
    let Weighted {
        label,
        kind,
        number,
    } = parts(text)?;
    Some(Weighted {
        label,
        kind,
        number: Number::parse(number)?,
    })
}

/// Whether a label reads like one with a rate or a probability, but for the number, which is
/// none: it is a label as all others.
pub fn lacks_number(text: &[u8]) -> bool {
    parts(text).is_some_and(|parts| Number::parse(parts.number).is_none())
}

/// The same with what stands in the place of the number.
fn parts(text: &[u8]) -> Option<Weighted<'_, &[u8]>> {
    let (label, rest) = match text.iter().position(|&c| c == b';') {
        Some(at) => (Some(text[..at].trim_ascii()), &text[at + 1..]),
        None => (None, text),
    };
    if label.is_some_and(<[u8]>::is_empty) {
        return None;
    }
    let rest = rest.trim_ascii();
    let (word, number) = rest.split_at(rest.iter().position(u8::is_ascii_whitespace)?);
    let kind = match word {
        b"rate" => Kind::Rate,
        b"prob" => Kind::Probability,
        _ => return None,
    };
    Some(Weighted {
        label,
        kind,
        number: number.trim_ascii(),
    })
}

/// The text of a label with this number.
pub(super) fn text(label: Option<&[u8]>, kind: Kind, number: &str) -> Vec<u8> {
    let mut text = Vec::new();
    if let Some(label) = label {
        text.extend_from_slice(label);
        text.extend_from_slice(b"; ");
    }
    text.extend_from_slice(kind.word().as_bytes());
    text.push(b' ');
    text.extend_from_slice(number.as_bytes());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told() {
        let form = |text: &'static str| {
            let found = parse(text.as_bytes())?;
            Some((found.label, found.kind))
        };
        assert_eq!(form("rate 3"), Some((None, Kind::Rate)));
        assert_eq!(form(" rate\t0.5 "), Some((None, Kind::Rate)));
        assert_eq!(form("prob 1"), Some((None, Kind::Probability)));
        let get = Some(&b"GET !1"[..]);
        assert_eq!(form("GET !1; rate 3"), Some((get, Kind::Rate)));
        assert_eq!(form("GET !1 ;prob 1e-3"), Some((get, Kind::Probability)));
        for other in [
            "rate",
            "rate3",
            "rates 3",
            "prob x",
            "; rate 3",
            "a; b; rate 3",
            "rate 3 4",
            "rate 3;",
            "a; rate",
            "RATE 3",
            "rate 0x3",
        ] {
            assert_eq!(form(other), None, "{other}");
        }
    }

    #[test]
    fn numbers_are_as_doubles() {
        let number = |text: &'static str| weight(text.as_bytes()).map(|w| w.map(|w| w.number));
        for (text, expected) in [
            ("rate 3", 3.0),
            ("a; rate +.5e1", 5.0),
            ("prob 5.e-1", 0.5),
            ("prob 1.000", 1.0),
        ] {
            assert_eq!(number(text), Ok(Some(expected)), "{text}");
        }
        assert_eq!(number("rate inf"), Ok(None));
        assert_eq!(number("a"), Ok(None));
        for (text, says) in [
            ("rate 0", "not more than 0"),
            ("a; rate -1", "not more than 0"),
            ("prob 1.01", "more than 1"),
            ("rate 1e-320", "out of range"),
            ("rate 1e309", "out of range"),
        ] {
            let error = number(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn texts_are_read_back() {
        for (label, kind) in [(None, Kind::Rate), (Some(&b"GET"[..]), Kind::Probability)] {
            let text = text(label, kind, "0.25");
            let found = parse(&text).unwrap();
            assert_eq!((found.label, found.kind), (label, kind));
            assert_eq!(Some(found.number), Number::parse(b"0.25"));
        }
    }
}
