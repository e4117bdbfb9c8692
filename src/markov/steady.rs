//! Long-run probabilities.

use hyades_base::grouped::Grouped;

use crate::solve::{Component, Solution, Ways};
use crate::{Chain, Settings, SolveError, Sparse};

/// The long-run probabilities of a chain, and how they were found.
#[derive(Clone, Debug)]
pub struct Steady {
    /// Of each state of the chain: the share of the time that is spent there.
    pub probabilities: Vec<f64>,
    /// The bottom components, which are never left: of each its number of states and the
    /// probability to end there.
    pub bottoms: Vec<(usize, f64)>,
    /// How many sweeps of Gauss-Seidel iteration there were.
    pub sweeps: u64,
    /// About the sum of the errors that iteration leaves.
    pub error: f64,
}

/// The long-run probabilities of a chain from its initial states on.
///
/// Strongly connected components are solved one after the other, in the direction of the rates:
/// of one that can be left, how often each way out is taken; of a bottom component, the share
/// of the time that its states have. The long run of a chain with several bottom components is the
/// mean of theirs by the probabilities to get there. A component of up to 200 states is solved by
/// elimination, a larger one, too, if that makes few new rates; otherwise by Gauss-Seidel
/// iteration, and aggregation where steps between a few parts of it are rare, until the sum of
/// errors is estimated as at most [`Settings::epsilon`].
///
/// What has been done is told from time to time: a number of sweeps. The result is the same for
/// every number of threads: there is one.
///
/// O(states + rates) for each sweep. As many bytes again as the chain has.
///
/// # Errors
/// If epsilon is none, iteration does not converge, or would come to rest too early
/// ([`SolveError::NearlyDecomposable`]), or rates are of too different sizes.
pub fn steady(
    chain: &Chain,
    settings: &Settings,
    observer: &mut dyn FnMut(u64),
) -> Result<Steady, SolveError> {
    solved(chain, settings, Ways::default(), observer)
}

/// The same, by these ways.
pub(crate) fn solved(
    chain: &Chain,
    settings: &Settings,
    ways: Ways,
    observer: &mut dyn FnMut(u64),
) -> Result<Steady, SolveError> {
    settings.check()?;
    let n = chain.states().len();
    let rates = chain.rates();
    let components = rates.components();
    let members = components.of.iter().copied().zip(0u32..);
    let members = Grouped::new(components.count as usize, members);
    let mut steady = Steady {
        probabilities: vec![0.0; n],
        bottoms: Vec::new(),
        sweeps: 0,
        error: 0.0,
    };
    // With which probability a state is the first one of its component.
    let mut entered = vec![0.0; n];
    for &(state, p) in chain.initial() {
        entered[state as usize] = p;
    }
    let mut place = vec![0u32; n];
    for number in (0..components.count).rev() {
        let members = members.of(number);
        for (state, own) in members.iter().zip(0..) {
            place[*state as usize] = own;
        }
        let mass: f64 = members.iter().map(|&s| entered[s as usize]).sum();
        let is_inside = |state: u32| components.of[state as usize] == number;
        let component = part(chain, members, &place, &entered, mass, is_inside);
        let is_bottom = component.leaks.iter().all(|&leak| leak == 0.0);
        let found = match members.len() {
            1 => Solution {
                probabilities: vec![1.0],
                sweeps: 0,
                error: 0.0,
            },
            _ => component.solve(ways, settings, &mut |sweeps| {
                observer(steady.sweeps + sweeps)
            })?,
        };
        steady.sweeps += found.sweeps;
        steady.error += mass * found.error;
        if is_bottom {
            steady.bottoms.push((members.len(), mass));
            for (&state, p) in members.iter().zip(&found.probabilities) {
                steady.probabilities[state as usize] = mass * p;
            }
            continue;
        }
        let leaking = found.probabilities.iter().zip(&component.leaks);
        let leaking: f64 = leaking.map(|(p, leak)| p * leak).sum();
        if leaking == 0.0 {
            return Err(SolveError::Range);
        }
        for (&state, p) in members.iter().zip(&found.probabilities) {
            for (target, rate) in rates.row(state as usize) {
                if !is_inside(target) {
                    entered[target as usize] += mass * (p * rate / leaking);
                }
            }
        }
    }
    Ok(steady)
}

/// A component on its own.
fn part(
    chain: &Chain,
    members: &[u32],
    place: &[u32],
    entered: &[f64],
    mass: f64,
    is_inside: impl Fn(u32) -> bool,
) -> Component {
    let mut rates = Sparse::with_capacity(members.len());
    let mut inner = Vec::with_capacity(members.len());
    let mut leaks = Vec::with_capacity(members.len());
    for &state in members {
        let row = || chain.rates().row(state as usize);
        let inside = row().filter(|&(target, _)| is_inside(target));
        inner.push(inside.clone().map(|(_, rate)| rate).sum());
        rates.push(inside.map(|(target, rate)| (place[target as usize], rate)));
        let outside = row().filter(|&(target, _)| !is_inside(target));
        leaks.push(outside.map(|(_, rate)| rate).sum());
    }
    Component {
        rates,
        inner,
        leaks,
        back: match mass > 0.0 {
            true => members
                .iter()
                .map(|&state| entered[state as usize] / mass)
                .collect(),
            // Probabilities before were too small for numbers; then anywhere will do.
            false => vec![1.0 / members.len() as f64; members.len()],
        },
    }
}
