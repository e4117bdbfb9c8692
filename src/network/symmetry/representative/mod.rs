//! Representatives of states: one state of each orbit, or few.

mod colouring;
mod exact;
mod families;
mod paper;

use hyades_formats::named;

use super::action::Action;
use colouring::Colouring;
use exact::Exact;
use families::Families;
use paper::Paper;

/// How representatives of states are found.
///
/// All of them are states of the same orbit. Where they are not unique, more
/// states than one of an orbit are explored, which costs time and changes no
/// answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Strategy {
    /// The least state of the orbit: unique, whatever it takes. That may be
    /// factorial in the number of values for states in which many values are alike
    /// without being interchangeable.
    Exact,
    /// By colour refinement on the graph of components and values: unique but for
    /// regular structures such as rings of values.
    #[default]
    Refine,
    /// By the order of components of Gibson-Robinson & Lowe 2019, Definitions 36
    /// to 40: unique for nearly the same states, and slower.
    Paper,
    /// Values that components are indexed by, sorted by the control states of
    /// these: fast, and far from unique.
    Sorted,
    /// The same with all orders of those that this leaves open: unique, but for
    /// values that are no index, and slow.
    Segmented,
}

named! {
    Strategy, "strategy":
    Exact = "exact",
    Refine = "refine",
    Paper = "paper",
    Sorted = "sorted",
    Segmented = "segmented",
}

/// Finds representatives; memory for that, of which each thread has its own.
pub(super) struct Finder {
    strategy: Strategy,
    colouring: Colouring,
    exact: Exact,
    paper: Paper,
    families: Families,
    /// The permutation of the last state that was replaced.
    pub image: Vec<u16>,
    result: Vec<u32>,
}

impl Finder {
    /// For states of up to so many components.
    pub fn new(action: &Action, components: usize, strategy: Strategy) -> Self {
        Self {
            strategy,
            colouring: Colouring::new(action),
            exact: Exact::new(action, components),
            paper: Paper::new(action, components),
            families: Families::new(action, components),
            image: vec![0; action.values()],
            result: vec![0; components],
        }
    }

    /// Replaces a state, a located state for each component, by its
    /// representative.
    ///
    /// # Errors
    /// If the strategy would take too long.
    #[inline]
    pub fn replace(&mut self, action: &Action, state: &mut [u32]) -> Result<(), String> {
        match self.strategy {
            Strategy::Refine => self.refine(action, state),
            Strategy::Exact => {
                self.least(action, state);
                return Ok(());
            }
            Strategy::Paper => self.paper.permutation(action, state, &mut self.image),
            Strategy::Sorted | Strategy::Segmented => {
                let all = self.strategy == Strategy::Segmented;
                self.families
                    .permutation(action, state, &mut self.image, all)?;
            }
        }
        for &x in &*state {
            let image = action.apply(&self.image, x);
            self.result[action.component(image) as usize] = image;
        }
        state.copy_from_slice(&self.result[..state.len()]);
        Ok(())
    }

    #[inline]
    fn refine(&mut self, action: &Action, state: &[u32]) {
        self.colouring.load(action, state);
        self.colouring.refine(action);
        while let Some(cell) = self.colouring.linked_cell(action) {
            // No value is more than another here: any one will do.
            let least = cell.iter().min().copied();
            self.colouring.single_out(least.expect("a cell has values"));
            self.colouring.refine(action);
        }
        self.image.copy_from_slice(self.colouring.places());
    }

    /// The size of the orbit of the state that [`Finder::least`] saw last; `None` if it
    /// is 2^128 or more.
    pub fn orbit(&self, action: &Action) -> Option<u128> {
        self.exact.orbit(action)
    }

    /// Replaces a state by the least one of its orbit; how many permutations keep
    /// it, or the largest number if it is that or more.
    pub fn least(&mut self, action: &Action, state: &mut [u32]) -> u128 {
        let Self {
            exact,
            colouring,
            image,
            ..
        } = self;
        exact.least(action, colouring, state, image)
    }
}
