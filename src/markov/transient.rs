//! Probabilities at instants.

use hyades_base::parallel;

use crate::poisson::Poisson;
use crate::{Chain, Settings, SolveError};

/// The probabilities of a chain at instants, and how they were found.
#[derive(Clone, Debug)]
pub struct Transient {
    /// For each instant, of each state of the chain.
    pub distributions: Vec<Vec<f64>>,
    /// The rate of steps: at least that of each state.
    pub rate: f64,
    /// For each instant the first and the last number of steps that count.
    pub windows: Vec<(u64, u64)>,
    /// How many steps were made.
    pub steps: u64,
    /// Whether no more were needed, as the probabilities did not change any more.
    pub is_steady: bool,
}

/// What a thread does at least.
const LEAST: usize = if cfg!(test) { 4 } else { 1 << 12 };

/// Instants times rates, at the most.
const LATEST: f64 = 1e12;

/// The probabilities of a chain at instants, given in any order.
///
/// Uniformization (A. Jensen, "Markoff chains as an aid in the study of Markoff processes",
/// Skandinavisk Aktuarietidskrift 36, 1953): steps of a chain in discrete time happen at the
/// events of a Poisson process whose rate is above those of all states; the distribution at an
/// instant is the mean of those after each number of steps by the probabilities of these numbers.
/// All instants are served by the same steps. What is left out of the Poisson probabilities is at
/// most a quarter of [`Settings::epsilon`], and they are normalized, so that errors are half
/// of it together; and steps end before if what all the others could still change, each at most
/// as much as the last one did, is less than the other half.
///
/// How many steps of how many have been made is told. Each entry of a distribution is computed
/// in one order, so that the result is the same for every number of threads.
///
/// O(states + rates) for each of about t·q + 7·√(t·q) steps, where t is the latest instant and q
/// the rate. 8 bytes a state and instant besides the chain and its transposed rates.
///
/// # Errors
/// If epsilon is none, or an instant is not more than 0, or too late.
pub fn transient(
    chain: &Chain,
    instants: &[f64],
    settings: &Settings,
    observer: &mut dyn FnMut((u64, u64)),
) -> Result<Transient, SolveError> {
    settings.check()?;
    let n = chain.states().len();
    // A little more than the largest, so that every state may stay where it is.
    let rate = 1.02 * chain.exits().iter().copied().fold(0.0, f64::max);
    let mut poissons = Vec::with_capacity(instants.len());
    for &instant in instants {
        if !(instant > 0.0 && instant.is_finite()) {
            return Err(SolveError::Instant(instant));
        }
        if rate * instant > LATEST {
            return Err(SolveError::TooLate {
                instant,
                limit: LATEST,
                rate,
            });
        }
        poissons.push(Poisson::new(rate * instant, settings.epsilon / 4.0));
    }
    let mut found = Transient {
        distributions: vec![vec![0.0; n]; instants.len()],
        rate,
        windows: poissons.iter().map(|p| (p.left, p.end() - 1)).collect(),
        steps: 0,
        is_steady: false,
    };
    let end = poissons.iter().map(Poisson::end).max().unwrap_or(0);
    let mut into = chain.rates().transposed(n);
    let mut stays: Vec<f64> = vec![1.0; n];
    if rate > 0.0 {
        into.scale(1.0 / rate);
        stays = chain.exits().iter().map(|exit| 1.0 - exit / rate).collect();
    }
    let mut now = vec![0.0; n];
    for &(state, p) in chain.initial() {
        now[state as usize] = p;
    }
    let mut next = Vec::new();
    loop {
        let left = end.saturating_sub(found.steps + 1);
        for (poisson, sum) in poissons.iter().zip(&mut found.distributions) {
            add(sum, poisson.of(found.steps), &now);
        }
        if left == 0 {
            return Ok(found);
        }
        parallel::map_into(&mut next, n, LEAST, |state| {
            stays[state] * now[state] + into.times(state, &now)
        });
        let change = distance(&now, &next);
        std::mem::swap(&mut now, &mut next);
        found.steps += 1;
        observer((found.steps, end - 1));
        // A step of a chain in discrete time takes no two distributions further apart.
        if change * left as f64 <= settings.epsilon / 2.0 {
            found.is_steady = left > 1;
            for (poisson, sum) in poissons.iter().zip(&mut found.distributions) {
                let rest = (found.steps.max(poisson.left)..poisson.end()).map(|k| poisson.of(k));
                add(sum, rest.sum(), &now);
            }
            return Ok(found);
        }
    }
}

/// Adds a multiple of a distribution.
fn add(sum: &mut [f64], weight: f64, distribution: &[f64]) {
    if weight > 0.0 {
        parallel::for_each_mut(sum, LEAST, |state, sum| {
            *sum += weight * distribution[state]
        });
    }
}

/// The sum of the differences of two distributions, by parts that do not depend on threads.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let part = |k: usize| -> f64 {
        let (a, b) = (parallel::chunk(a, LEAST, k), parallel::chunk(b, LEAST, k));
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
    };
    let parts = a.len().div_ceil(LEAST);
    parallel::map(parts, 1, part).into_iter().sum()
}
