//! Numbers as terms, in either of mCRL2's encodings: binary, one bit a term, or
//! by words of 64 bits.

use super::print::Unprintable;
use super::terms::{Kind, TermId, Terms};

/// Numbers of more words than this are not written out, which would take too
/// long.
const MOST_WORDS: usize = 1 << 13;

/// The most bits of a number that is written out.
pub(super) const MOST_BITS: usize = 64 * MOST_WORDS;

/// The function symbol and the arguments of an application, or a constant.
pub(super) fn call(terms: &Terms, id: TermId) -> Option<(&[u8], &[TermId])> {
    let term = terms.term(id);
    let (function, arguments) = match (term.kind, term.arguments) {
        (Kind::Function, _) => (id, &[][..]),
        (Kind::Application, [function, arguments @ ..]) => (*function, arguments),
        _ => return None,
    };
    let function = terms.term(function);
    match (function.kind, function.arguments) {
        (Kind::Function, [name, ..]) => Some((terms.text(*name), arguments)),
        _ => None,
    }
}

/// The decimal digits of a natural number, if the term is one that is written
/// out in full. The work is added to `steps`: w² for w words.
///
/// # Errors
/// If it has more than [`MOST_BITS`].
pub(super) fn natural(
    terms: &Terms,
    id: TermId,
    steps: &mut usize,
) -> Result<Option<String>, Unprintable> {
    let mut words = Vec::new();
    let mut bits = Vec::new();
    let mut at = id;
    loop {
        *steps += words.len().max(1);
        let Some(found) = call(terms, at) else {
            return Ok(None);
        };
        at = match found {
            (b"@c0", []) if bits.is_empty() && words.is_empty() => return Ok(Some("0".into())),
            (b"@c1", []) if words.is_empty() => {
                bits.push(true);
                let chunks = bits.chunks(64);
                words = chunks.map(number_of_bits).collect();
                *steps += words.len().pow(2) / 2;
                return Ok(Some(decimal(words)));
            }
            (b"@cNat", &[positive]) if bits.is_empty() && words.is_empty() => positive,
            (b"@cDub", &[bit, rest]) if words.is_empty() => {
                bits.push(match call(terms, bit) {
                    Some((b"true", [])) => true,
                    Some((b"false", [])) => false,
                    _ => return Ok(None),
                });
                rest
            }
            (b"@most_significant_digit" | b"@most_significant_digitNat", &[word])
                if bits.is_empty() =>
            {
                let word = terms.number(word);
                words.extend(word);
                return Ok(word.map(|_| decimal(words)));
            }
            (b"@concat_digit", &[rest, word]) if bits.is_empty() => {
                let Some(word) = terms.number(word) else {
                    return Ok(None);
                };
                words.push(word);
                rest
            }
            _ => return Ok(None),
        };
        // the highest bit or word is still to come
        if bits.len() >= MOST_BITS || words.len() >= MOST_WORDS {
            return Err(Unprintable::LargeNumber);
        }
    }
}

/// The number with these bits, the lowest first.
fn number_of_bits(bits: &[bool]) -> u64 {
    let bits = bits.iter().rev();
    bits.fold(0, |number, &bit| number << 1 | u64::from(bit))
}

/// The decimal digits of a number given by its words, the lowest first.
fn decimal(mut words: Vec<u64>) -> String {
    const BASE: u128 = 10u128.pow(19);
    let mut groups = Vec::new();
    loop {
        while words.last() == Some(&0) {
            words.pop();
        }
        if words.is_empty() {
            break;
        }
        let mut rest = 0;
        for word in words.iter_mut().rev() {
            let value = rest << 64 | u128::from(*word);
            *word = (value / BASE) as u64;
            rest = value % BASE;
        }
        groups.push(rest);
    }
    let mut text = groups.pop().unwrap_or(0).to_string();
    for group in groups.iter().rev() {
        text += &format!("{group:019}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_digits() {
        let cases: [(&[u64], &str); 6] = [
            (&[], "0"),
            (&[0, 0], "0"),
            (&[7, 0], "7"),
            (&[u64::MAX], "18446744073709551615"),
            (&[0, 1], "18446744073709551616"),
            (
                &[u64::MAX, u64::MAX, u64::MAX],
                "6277101735386680763835789423207666416102355444464034512895",
            ),
        ];
        for (words, text) in cases {
            assert_eq!(decimal(words.to_vec()), text);
        }
        // 10^19 and its neighbours are where groups of digits begin
        let ten = 10_000_000_000_000_000_000u64;
        assert_eq!(decimal(vec![ten]), ten.to_string());
        assert_eq!(decimal(vec![ten - 1]), (ten - 1).to_string());
    }

    #[test]
    fn bits_make_numbers() {
        assert_eq!(number_of_bits(&[false, true, true]), 6);
        assert_eq!(number_of_bits(&[true; 64]), u64::MAX);
    }
}
