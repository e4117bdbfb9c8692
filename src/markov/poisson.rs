//! Probabilities of the Poisson distribution.

/// The probabilities of a Poisson distribution but for those at both ends.
#[derive(Clone, Debug)]
pub(crate) struct Poisson {
    /// The number of the first one.
    pub(crate) left: u64,
    /// They are 1 together.
    pub(crate) weights: Vec<f64>,
}

impl Poisson {
    /// Of this mean, at least 0 and finite. What is left out is at most `epsilon` together, and
    /// the sum of the errors of all others at most as much again, rounding aside.
    ///
    /// As by B. L. Fox & P. W. Glynn, "Computing Poisson probabilities", Comm. ACM 31, 1988, it
    /// begins at the mode, by ratios of neighbours, so that nothing underflows; the ends are where
    /// geometric series that are above the rest, whose ratios descend away from the mode, are
    /// small enough. O(√mean · √(−log epsilon)).
    pub(crate) fn new(mean: f64, epsilon: f64) -> Self {
        let mode = mean.floor();
        // In units of the probability of the mode; what both ends leave out is compared with
        // what is already there, which is less than all.
        let mut total = 1.0;
        let mut below = Vec::new();
        let (mut k, mut weight) = (mode, 1.0);
        // The next is `weight · k / mean`, and so is the ratio.
        while k > 0.0 {
            let ratio = k / mean;
            weight *= ratio;
            // Ratios further down are less than this.
            let next = (k - 1.0) / mean;
            if weight <= epsilon / 2.0 * total * (1.0 - next) {
                break;
            }
            below.push(weight);
            total += weight;
            k -= 1.0;
        }
        let left = mode as u64 - below.len() as u64;
        let mut weights: Vec<f64> = below.into_iter().rev().collect();
        weights.push(1.0);
        let (mut k, mut weight) = (mode, 1.0);
        loop {
            k += 1.0;
            weight *= mean / k;
            let next = mean / (k + 1.0);
            if weight <= epsilon / 2.0 * total * (1.0 - next) {
                break;
            }
            weights.push(weight);
            total += weight;
        }
        // Small ones first.
        let ascending = |range: &[f64]| {
            let mut sorted = range.to_vec();
            sorted.sort_by(f64::total_cmp);
            sorted.iter().sum::<f64>()
        };
        let total = ascending(&weights);
        weights.iter_mut().for_each(|weight| *weight /= total);
        Self { left, weights }
    }

    /// The number behind the last one.
    pub(crate) fn end(&self) -> u64 {
        self.left + self.weights.len() as u64
    }

    /// The probability of a number; 0 if it was left out.
    pub(crate) fn of(&self, number: u64) -> f64 {
        let place = number.checked_sub(self.left);
        let weight = place.and_then(|place| self.weights.get(place as usize));
        weight.copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By logarithms, one after the other.
    fn naive(mean: f64, count: usize) -> Vec<f64> {
        let mut logarithm = -mean;
        (0..count)
            .map(|k| {
                if k > 0 {
                    logarithm += (mean / k as f64).ln();
                }
                logarithm.exp()
            })
            .collect()
    }

    #[test]
    fn probabilities_are_those_of_the_definition() {
        for mean in [1e-9, 0.3, 1.0, 1.5, 7.0, 25.25, 400.0, 3000.5] {
            for epsilon in [1e-3, 1e-8, 1e-12] {
                let found = Poisson::new(mean, epsilon);
                let all = naive(mean, 4000);
                let error: f64 = all
                    .iter()
                    .zip(0..)
                    .map(|(p, k)| (p - found.of(k)).abs())
                    .sum();
                // The definition is not rounded well for large means.
                let rounding = 1e-13 * (1.0 + mean);
                assert!(
                    error <= 2.0 * epsilon + rounding,
                    "{mean} {epsilon}: {error}"
                );
                let most = 20.0 + 16.0 * mean.sqrt();
                assert!(found.weights.len() as f64 <= most, "{mean} {epsilon}");
            }
        }
    }

    #[test]
    fn nothing_happens_with_mean_zero() {
        let found = Poisson::new(0.0, 1e-9);
        assert_eq!((found.left, &found.weights[..]), (0, &[1.0][..]));
    }

    #[test]
    fn large_means_do_not_underflow() {
        let found = Poisson::new(1e9, 1e-10);
        let sum: f64 = found.weights.iter().sum();
        assert!((sum - 1.0).abs() < 1e-9);
        assert!(found.left < 1_000_000_000 && found.end() > 1_000_000_000);
        assert!(found.weights.len() < 600_000);
    }
}
