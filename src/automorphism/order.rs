//! Orders of groups, which outgrow all machine words.

use std::fmt;

/// A natural number of any size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Digits to the base 10^9, the lowest first; none of them for 0, and the
    /// last is not 0.
    digits: Vec<u32>,
}

const BASE: u64 = 1_000_000_000;

impl Order {
    /// The number 1, the order of the trivial group.
    pub fn one() -> Self {
        Self { digits: vec![1] }
    }

    /// The product of some numbers, 1 for none.
    ///
    /// ```
    /// use hyades_automorphism::Order;
    /// assert_eq!(Order::product(1..=20).to_string(), "2432902008176640000");
    /// ```
    pub fn product(factors: impl IntoIterator<Item = u32>) -> Self {
        let mut order = Self::one();
        // Small factors go together, as all digits are gone through for each.
        let mut together = 1u32;
        for factor in factors {
            together = together.checked_mul(factor).unwrap_or_else(|| {
                order.multiply(together);
                factor
            });
        }
        order.multiply(together);
        order
    }

    fn multiply(&mut self, factor: u32) {
        let mut carry = 0;
        for digit in &mut self.digits {
            let product = u64::from(*digit) * u64::from(factor) + carry;
            *digit = (product % BASE) as u32;
            carry = product / BASE;
        }
        while carry > 0 {
            self.digits.push((carry % BASE) as u32);
            carry /= BASE;
        }
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
    }

    /// Whether this is 1.
    pub fn is_one(&self) -> bool {
        self.digits == [1]
    }

    /// The number, if it is below 2^64.
    pub fn to_u64(&self) -> Option<u64> {
        let digits = self.digits.iter().rev();
        digits.copied().try_fold(0u64, |number, digit| {
            number.checked_mul(BASE)?.checked_add(digit.into())
        })
    }
}

/// In decimal digits.
impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = self.digits.iter().rev();
        write!(f, "{}", digits.next().unwrap_or(&0))?;
        digits.try_for_each(|digit| write!(f, "{digit:09}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_exact() {
        for factors in [
            vec![],
            vec![7],
            vec![1000; 6],
            vec![u32::MAX; 3],
            vec![5, 0, 9],
        ] {
            let product: u128 = factors.iter().copied().map(u128::from).product();
            let order = Order::product(factors);
            assert_eq!(order.to_string(), product.to_string());
            assert_eq!(order.to_u64(), u64::try_from(product).ok());
            assert_eq!(order.is_one(), product == 1);
        }
        let order = Order::product(1..=30).to_string();
        assert_eq!(order, "265252859812191058636308480000000");
    }
}
