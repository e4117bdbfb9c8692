//! Decimal numbers, read and written without loss, and exact sums of them.

use std::cmp::Ordering;

/// A positive decimal number: digits times a power of ten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    /// 0 to 9, the first and the last not 0.
    digits: Vec<u8>,
    /// The power of ten of the last digit.
    exponent: i64,
}

/// What a text says that has the form of a decimal number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Positive(Decimal),
    /// Zero or less.
    NotPositive,
    /// Too large or too small, or of too many digits.
    OutOfRange,
}

/// The first digit stands for a power of ten up to this one, up or down: all that fit a
/// `double` and some more.
const MAX_MAGNITUDE: i64 = 400;
/// A number has at most so many digits.
const MAX_DIGITS: usize = 400;

impl Number {
    /// Reads a number as `strtod` in C does, but for hexadecimal ones, infinity and NaN:
    /// digits, with a point perhaps, with a sign in front and an exponent behind. Nothing if
    /// the text is no number.
    pub(super) fn parse(text: &[u8]) -> Option<Number> {
        let (sign, rest) = match text {
            [sign @ (b'+' | b'-'), rest @ ..] => (*sign, rest),
            _ => (b'+', text),
        };
        let end = rest.iter().position(|c| matches!(c, b'e' | b'E'));
        let (mantissa, exponent) = match end {
            Some(end) => (&rest[..end], exponent(&rest[end + 1..])?),
            None => (rest, 0),
        };
        let point = mantissa.iter().position(|&c| c == b'.');
        let (whole, fraction) = match point {
            Some(point) => (&mantissa[..point], &mantissa[point + 1..]),
            None => (mantissa, &[][..]),
        };
        let mut digits = [whole, fraction].concat();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        digits.iter_mut().for_each(|d| *d -= b'0');
        let mut exponent = exponent - fraction.len() as i64;
        while digits.last() == Some(&0) {
            digits.pop();
            exponent += 1;
        }
        let zeros = digits.iter().take_while(|&&d| d == 0).count();
        digits.drain(..zeros);
        if digits.is_empty() || sign == b'-' {
            return Some(Number::NotPositive);
        }
        let number = Decimal { digits, exponent };
        let is_in_range =
            number.magnitude().abs() <= MAX_MAGNITUDE && number.digits.len() <= MAX_DIGITS;
        Some(match is_in_range {
            true => Number::Positive(number),
            false => Number::OutOfRange,
        })
    }
}

/// The exponent behind the `e`; what is out of all range becomes some number that is, too.
fn exponent(text: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits.iter().fold(0i64, |value, d| {
        (10 * value + i64::from(d - b'0')).min(1 << 40)
    });
    Some(if is_negative { -value } else { value })
}

impl Decimal {
    /// The power of ten of the first digit.
    fn magnitude(&self) -> i64 {
        self.exponent + self.digits.len() as i64 - 1
    }

    /// How many digits it has behind the point.
    pub(super) fn places(&self) -> u32 {
        (-self.exponent).max(0) as u32
    }

    /// How many digits it has before the point, were it written with one.
    pub(super) fn whole_digits(&self) -> u32 {
        (self.magnitude() + 1).max(1) as u32
    }
}

/// An exact amount: a whole number of units, 10^-places each, of 64·N bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Amount<const N: usize>([u64; N]);

impl<const N: usize> Amount<N> {
    pub(super) const ZERO: Self = Self([0; N]);

    /// How many decimal digits fit whatever they are.
    pub(super) const DIGITS: u32 = (64 * N as u32 * 30102) / 100_000;

    /// A number in units of 10^-places, where it has no more places.
    pub(super) fn new(number: &Decimal, places: u32) -> Self {
        let mut amount = Self::ZERO;
        for &digit in &number.digits {
            amount.shift_in(u64::from(digit));
        }
        for _ in 0..number.exponent + i64::from(places) {
            amount.shift_in(0);
        }
        amount
    }

    /// One, in units of 10^-places.
    pub(super) fn one(places: u32) -> Self {
        let digits = vec![1];
        Self::new(
            &Decimal {
                digits,
                exponent: 0,
            },
            places,
        )
    }

    /// Writes a decimal digit behind.
    fn shift_in(&mut self, digit: u64) {
        let mut carry = u128::from(digit);
        for limb in &mut self.0 {
            let value = u128::from(*limb) * 10 + carry;
            *limb = value as u64;
            carry = value >> 64;
        }
        debug_assert_eq!(carry, 0, "it fits");
    }

    /// The sum, which fits.
    pub(super) fn plus(mut self, other: Self) -> Self {
        let mut carry = false;
        for (limb, other) in self.0.iter_mut().zip(other.0) {
            let (sum, first) = limb.overflowing_add(other);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            *limb = sum;
            carry = first || second;
        }
        debug_assert!(!carry, "it fits");
        self
    }

    /// What is left, where `other` is not greater.
    fn minus(mut self, other: Self) -> Self {
        let mut borrow = false;
        for (limb, other) in self.0.iter_mut().zip(other.0) {
            let (rest, first) = limb.overflowing_sub(other);
            let (rest, second) = rest.overflowing_sub(u64::from(borrow));
            *limb = rest;
            borrow = first || second;
        }
        self
    }

    /// The multiple of a positive unit that is nearest; the greater one of two.
    pub(super) fn rounded(self, unit: Self) -> Self {
        // The whole part of (2·self + unit) / (2·unit), bit after bit.
        let dividend = self.plus(self).plus(unit);
        let divisor = unit.plus(unit);
        let (mut quotient, mut rest) = (Self::ZERO, Self::ZERO);
        for bit in (0..64 * N).rev() {
            rest = rest.plus(rest);
            rest.0[0] |= dividend.0[bit / 64] >> (bit % 64) & 1;
            if rest >= divisor {
                rest = rest.minus(divisor);
                quotient.0[bit / 64] |= 1 << (bit % 64);
            }
        }
        quotient
    }

    /// The number, exactly, as `%g` writes it in C if that were given enough digits: with an
    /// exponent if the first digit stands for less than 10^-4 or for 10^17 or more.
    pub(super) fn to_text(self, places: u32) -> String {
        let mut digits = self.digits();
        if digits.is_empty() {
            return "0".to_owned();
        }
        let magnitude = digits.len() as i64 - 1 - i64::from(places);
        while digits.ends_with('0') {
            digits.pop();
        }
        if !(-4..17).contains(&magnitude) {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            let sign = if magnitude < 0 { '-' } else { '+' };
            return format!("{first}{point}{rest}e{sign}{:02}", magnitude.abs());
        }
        if magnitude < 0 {
            let zeros = "0".repeat((-1 - magnitude) as usize);
            return format!("0.{zeros}{digits}");
        }
        let whole = magnitude as usize + 1;
        if digits.len() <= whole {
            let zeros = "0".repeat(whole - digits.len());
            return format!("{digits}{zeros}");
        }
        let (whole, fraction) = digits.split_at(whole);
        format!("{whole}.{fraction}")
    }

    /// The decimal digits of the number of units; none for zero.
    fn digits(mut self) -> String {
        const BATCH: u64 = 10_000_000_000_000_000_000;
        let mut batches = Vec::new();
        while self != Self::ZERO {
            let mut rest = 0u128;
            for limb in self.0.iter_mut().rev() {
                let value = rest << 64 | u128::from(*limb);
                *limb = (value / u128::from(BATCH)) as u64;
                rest = value % u128::from(BATCH);
            }
            batches.push(rest);
        }
        let Some(first) = batches.pop() else {
            return String::new();
        };
        let mut digits = first.to_string();
        for batch in batches.iter().rev() {
            digits += &format!("{batch:019}");
        }
        digits
    }
}

impl<const N: usize> PartialOrd for Amount<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const N: usize> Ord for Amount<N> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        match Number::parse(text.as_bytes()) {
            Some(Number::Positive(number)) => number,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn numbers_are_read_and_written_without_loss() {
        for (text, written) in [
            ("1", "1"),
            ("0.50", "0.5"),
            ("+007.", "7"),
            (".25", "0.25"),
            ("1e3", "1000"),
            ("12.5E-1", "1.25"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
            ("0.0000123", "1.23e-05"),
            ("1e16", "10000000000000000"),
            ("1e17", "1e+17"),
            ("123456789012345678", "1.23456789012345678e+17"),
            ("1234567890.0987654321", "1234567890.0987654321"),
        ] {
            let number = decimal(text);
            let places = number.places() + 3;
            assert_eq!(Amount::<2>::new(&number, places).to_text(places), written);
            assert_eq!(Amount::<64>::new(&number, places).to_text(places), written);
            assert_eq!(decimal(written), number);
        }
        let largest = format!("{}e1", "9".repeat(399));
        let text = Amount::<64>::new(&decimal(&largest), 800).to_text(800);
        assert_eq!(decimal(&text), decimal(&largest));
    }

    #[test]
    fn what_is_no_positive_number_is_told() {
        for text in [
            "", ".", "e3", "1e", "1e+", "0x1", "1 ", "inf", "nan", "--1", "1.2.3",
        ] {
            assert_eq!(Number::parse(text.as_bytes()), None, "{text}");
        }
        for text in ["0", "-1", "0.000", "-0", "0e99999999999999999999"] {
            let number = Number::parse(text.as_bytes());
            assert_eq!(number, Some(Number::NotPositive), "{text}");
        }
        for text in [
            "1e401",
            "1e-401",
            "1e99999999999999999999",
            "1e-9999999999999",
        ] {
            let number = Number::parse(text.as_bytes());
            assert_eq!(number, Some(Number::OutOfRange), "{text}");
        }
        let long = format!("1{}1", "0".repeat(400));
        assert_eq!(Number::parse(long.as_bytes()), Some(Number::OutOfRange));
    }

    #[test]
    fn sums_and_roundings_are_those_of_whole_numbers() {
        let mut random = hyades_testing::Random::new(1);
        for _ in 0..2000 {
            let [a, b] = [(); 2].map(|()| u128::from(random.bits()) << random.between(0, 50));
            let c = u128::from(random.bits()) >> random.between(0, 60);
            let amount = |value: u128| match value {
                0 => Amount::<3>::ZERO,
                _ => Amount::<3>::new(&decimal(&value.to_string()), 0),
            };
            let sum = amount(a).plus(amount(b));
            assert_eq!(sum, amount(a + b));
            assert_eq!(amount(a) < amount(b), a < b);
            if c > 0 {
                let rounded = (2 * a + c) / (2 * c);
                assert_eq!(amount(a).rounded(amount(c)), amount(rounded), "{a} {c}");
            }
        }
    }
}
