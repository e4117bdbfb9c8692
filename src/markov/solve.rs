//! How long one component of a chain is in each of its states.

use hyades_lts::Components;

use crate::eliminate::eliminated;
use crate::{Settings, SolveError, Sparse};

/// Which components are solved in which way.
#[derive(Clone, Copy)]
pub(crate) struct Ways {
    /// Those up to this size by elimination, which takes cubic time, and as exactly as numbers
    /// are.
    pub(crate) direct: usize,
    /// Larger ones by elimination in an order that makes few new rates, as long as that looks at
    /// no more rates than these: as exactly, and in little time where few states are near
    /// each other. All others by iteration.
    pub(crate) looked_at: u64,
}

impl Default for Ways {
    fn default() -> Self {
        Self {
            direct: 200,
            looked_at: 300_000_000,
        }
    }
}

/// A rate that is a smaller part of those of its state is rare, or so many times epsilon if that
/// is more.
const RARE: f64 = 1e-6;
const EPSILONS: f64 = 1e3;

/// Beside a rate so many times as large, another one is seldom taken: parts between which there
/// are no others are balanced as wholes. Of these the first that leaves a few parts.
const SELDOM: [f64; 5] = [1e-2, 1e-3, 1e-4, 1e-5, RARE];

/// So many parts are a few.
const MOST_PARTS: usize = 200;

/// After so many sweeps parts are not balanced any more, as that may keep iteration from its end.
const MOST_BALANCED: u64 = 10_000;

/// So many sweeps are there before iteration is held to be at rest.
const LEAST_AT_REST: u64 = 32;

/// Sweeps over a component at the most.
const MOST_SWEEPS: u64 = 2_000_000;

/// The weight of the new value of a state against the old one: less than 1, so that iteration
/// converges for periodic components too, and nearly as fast as without.
const RELAXATION: f64 = 0.98;

/// So many ratios of successive changes are looked at for the rate of convergence.
const RATIOS: usize = 8;

/// A strongly connected component of at least two states. What leaves it comes back at once: it
/// is the whole chain of a process that starts anew whenever it has left.
pub(crate) struct Component {
    /// The rates from each state to each other within.
    pub(crate) rates: Sparse,
    /// The sum of these for each state, more than 0.
    pub(crate) inner: Vec<f64>,
    /// The sum of the rates of each state that lead outside.
    pub(crate) leaks: Vec<f64>,
    /// Where it comes back, with probabilities that are 1 together if anything leaks.
    pub(crate) back: Vec<f64>,
}

/// The probabilities of the states of a component, and how they were found.
pub(crate) struct Solution {
    pub(crate) probabilities: Vec<f64>,
    /// None by elimination.
    pub(crate) sweeps: u64,
    /// About the sum of the errors.
    pub(crate) error: f64,
}

impl Component {
    /// The long-run probabilities.
    pub(crate) fn solve(
        &self,
        ways: Ways,
        settings: &Settings,
        observer: &mut dyn FnMut(u64),
    ) -> Result<Solution, SolveError> {
        let n = self.inner.len();
        let exact = match n <= ways.direct {
            true => self.eliminated(),
            false => eliminated(self, ways.looked_at),
        };
        match exact {
            Some(probabilities) => Ok(Solution {
                probabilities,
                sweeps: 0,
                error: 0.0,
            }),
            None => self.iterated(settings, observer),
        }
    }

    /// By the elimination of one state after the other, which has no subtractions, so that each
    /// probability is exact but for rounding, however small: W. K. Grassmann, M. I. Taksar,
    /// D. P. Heyman, "Regenerative analysis and steady state distributions for Markov chains",
    /// Operations Research 33, 1985. Nothing if products of rates are out of the range of numbers.
    /// O(n³), and 8 n² bytes.
    fn eliminated(&self) -> Option<Vec<f64>> {
        let n = self.inner.len();
        let mut q = vec![0.0; n * n];
        for i in 0..n {
            for (j, rate) in self.rates.row(i) {
                q[i * n + j as usize] += rate;
            }
            for (j, back) in self.back.iter().enumerate() {
                q[i * n + j] += self.leaks[i] * back;
            }
        }
        dense(q, n)
    }

    /// By Gauss-Seidel iteration, with sweeps forwards and backwards in turns. O(entries) each.
    /// Where there are [parts](Self::parts) between which steps are rare, how much time each of
    /// them has is settled after both, as sweeps alone would take very many (R. Koury,
    /// D. F. McAllister, W. J. Stewart, "Iterative methods for computing stationary distributions
    /// of nearly completely decomposable Markov chains", SIAM Journal on Algebraic and Discrete
    /// Methods 5, 1984).
    ///
    /// It ends when the rate of convergence `r < 1`, the largest of the last changes' ratios,
    /// says that the sum of the errors is at most epsilon: the last change times `r / (1 − r)`; or
    /// when nothing but rounding changes any more.
    fn iterated(
        &self,
        settings: &Settings,
        observer: &mut dyn FnMut(u64),
    ) -> Result<Solution, SolveError> {
        let n = self.inner.len();
        if self.is_nearly_decomposable(settings.epsilon) {
            return Err(SolveError::NearlyDecomposable);
        }
        let into = self.rates.transposed(n);
        let parts = self.parts();
        let mut now = vec![1.0 / n as f64; n];
        let mut before = now.clone();
        let mut ratios: Vec<f64> = Vec::new();
        let mut last = f64::NAN;
        let mut sweeps = 0;
        // As it was when there were half as many sweeps.
        let mut halfway = Vec::new();
        // Sums of so many numbers are not nearer to what they should be, whatever their order.
        let rounding = 4.0 * f64::EPSILON * (n as f64).sqrt();
        loop {
            self.sweep(&into, &mut now, 0..n);
            self.sweep(&into, &mut now, (0..n).rev());
            normalize(&mut now);
            sweeps += 2;
            if let Some(parts) = parts.as_ref().filter(|_| sweeps <= MOST_BALANCED) {
                self.balance(parts, &mut now);
            }
            observer(sweeps);
            let change = distance(&now, &before);
            if !change.is_finite() {
                return Err(SolveError::Range);
            }
            before.copy_from_slice(&now);
            ratios.push(change / last);
            last = change;
            let recent = &ratios[ratios.len().saturating_sub(RATIOS)..];
            let rate = recent.iter().copied().fold(0.0, f64::max);
            let is_known = ratios.len() > RATIOS;
            let error = match is_known && rate < 1.0 {
                true => change * rate / (1.0 - rate),
                false => f64::INFINITY,
            };
            // Rounding moves it to and fro: what still converges slowly gets away meanwhile.
            let mut is_at_rest = false;
            if sweeps >= LEAST_AT_REST && sweeps.is_power_of_two() {
                is_at_rest = !halfway.is_empty() && distance(&now, &halfway) <= rounding;
                halfway.clone_from(&now);
            }
            let is_done = error <= settings.epsilon || change <= 4.0 * f64::EPSILON || is_at_rest;
            if is_done || sweeps >= MOST_SWEEPS {
                let error = match error.is_finite() {
                    true => error,
                    false => change,
                };
                return match is_done {
                    true => Ok(Solution {
                        probabilities: now,
                        sweeps,
                        error,
                    }),
                    false => Err(SolveError::NoConvergence { sweeps, error }),
                };
            }
            if ratios.len() > 4 * RATIOS {
                ratios.drain(..2 * RATIOS);
            }
        }
    }

    /// The rates that are no smaller part of those of their states. O(states + rates).
    fn often(&self, part: f64) -> Sparse {
        let again = self.back.iter().position(|&back| back > 0.0);
        let mut often = Sparse::with_capacity(self.inner.len());
        for (state, (inner, leak)) in self.inner.iter().zip(&self.leaks).enumerate() {
            let is_frequent = |rate: f64| rate >= part * (inner + leak);
            let inside = self.rates.row(state).filter(|&(_, rate)| is_frequent(rate));
            let back = again.filter(|_| *leak > 0.0 && is_frequent(*leak));
            often.push(inside.chain(back.map(|to| (to as u32, *leak))));
        }
        often
    }

    /// A few parts between which steps are rare, if there are some: the strongly connected
    /// components without these. O(states + rates).
    fn parts(&self) -> Option<Components> {
        let mut all = SELDOM.iter().map(|&part| self.often(part).components());
        all.find(|parts| (2..=MOST_PARTS).contains(&(parts.count as usize)))
    }

    /// Gives each part the time that it has if the shares of its states in that are right.
    /// O(states + rates), and cubic in the number of parts; also their product if it leaks.
    fn balance(&self, parts: &Components, now: &mut [f64]) {
        let count = parts.count as usize;
        let part = |state: usize| parts.of[state] as usize;
        let (mut own, mut back) = (vec![0.0; count], vec![0.0; count]);
        for state in 0..now.len() {
            own[part(state)] += now[state];
            back[part(state)] += self.back[state];
        }
        let mut flow = vec![0.0; count * count];
        for (state, &time) in now.iter().enumerate() {
            let share = time / own[part(state)];
            let row = &mut flow[part(state) * count..][..count];
            for (to, rate) in self.rates.row(state) {
                row[part(to as usize)] += share * rate;
            }
            let leak = share * self.leaks[state];
            if leak > 0.0 {
                let back = row.iter_mut().zip(&back);
                back.for_each(|(flow, back)| *flow += leak * back);
            }
        }
        // Otherwise some are too small for numbers.
        if let Some(all) = dense(flow, count) {
            for (state, time) in now.iter_mut().enumerate() {
                *time *= all[part(state)] / own[part(state)];
            }
        }
    }

    /// Whether without rare rates there are several parts that are never left (P.-J. Courtois,
    /// "Decomposability", 1977): then iteration comes to rest long before it knows how much time
    /// each of them has. O(states + rates).
    fn is_nearly_decomposable(&self, epsilon: f64) -> bool {
        let often = self.often(RARE.max(EPSILONS * epsilon).min(1.0));
        let components = often.components();
        let mut is_left = vec![false; components.count as usize];
        for state in 0..self.inner.len() {
            let own = components.of[state];
            let mut row = often.row(state);
            if row.any(|(to, _)| components.of[to as usize] != own) {
                is_left[own as usize] = true;
            }
        }
        is_left.iter().filter(|is_left| !**is_left).count() > 1
    }

    /// Balances what flows into each state with what flows out.
    fn sweep(&self, into: &Sparse, now: &mut [f64], states: impl Iterator<Item = usize>) {
        let mut leaking: f64 = now.iter().zip(&self.leaks).map(|(p, l)| p * l).sum();
        for j in states {
            let (leak, back) = (self.leaks[j], self.back[j]);
            let others = into.times(j, now) + back * (leaking - now[j] * leak).max(0.0);
            let balanced = others / (self.inner[j] + (1.0 - back) * leak);
            let new = (1.0 - RELAXATION) * now[j] + RELAXATION * balanced;
            leaking += leak * (new - now[j]);
            now[j] = new;
        }
    }
}

/// As [`Component::eliminated`], of a matrix with a row of `n` rates for each state, of which those
/// to itself do not count.
fn dense(mut q: Vec<f64>, n: usize) -> Option<Vec<f64>> {
    for k in (1..n).rev() {
        let (above, own) = q.split_at_mut(k * n);
        let own = &own[..k];
        // Not 0, as from each state one below can be reached, but for products that are too
        // small for numbers.
        let leaving: f64 = own.iter().sum();
        if leaving == 0.0 {
            return None;
        }
        for row in above.chunks_exact_mut(n) {
            let share = row[k] / leaving;
            row[k] = share;
            if share > 0.0 {
                for (to, rate) in row.iter_mut().zip(own) {
                    *to += share * rate;
                }
            }
        }
    }
    let mut found = vec![1.0; n];
    for k in 1..n {
        found[k] = (0..k).map(|i| found[i] * q[i * n + k]).sum();
        // Far from the first state numbers may be of another size.
        if found[k] > 1e100 {
            let scale = found[k];
            found[..=k].iter_mut().for_each(|p| *p /= scale);
        }
    }
    normalize(&mut found);
    found.iter().all(|p| p.is_finite()).then_some(found)
}

/// The sum of the differences.
fn distance(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).sum()
}

/// Divides numbers by their sum.
pub(crate) fn normalize(numbers: &mut [f64]) {
    let sum: f64 = numbers.iter().sum();
    numbers.iter_mut().for_each(|number| *number /= sum);
}
