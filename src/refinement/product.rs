//! A specification and an implementation side by side, as a model.

use std::borrow::Cow;

use hyades_explore::{Emit, Erased, Model, ModelError, words};
use hyades_formats::{LabelId, LabelTable, TooLarge};

use super::Specification;
use super::layout::Layout;

/// Chooses one of the pairs that are as good as each other; for symmetry reduction.
///
/// # Contract
/// Pairs with the same representative can do the same, but for the names of labels:
/// there is a bijection of the steps of one to those of the other that keeps hidden
/// steps hidden and leads to pairs with the same representative; and what is a
/// violation in the one is one in the other. The result depends on the pair only.
pub trait Representatives: Sync {
    /// Memory to compute in; `()` if none is needed.
    type Scratch: Send;

    /// Fresh scratch memory, for one thread.
    fn scratch(&self) -> Self::Scratch;

    /// Replaces a pair by its representative. The state is packed as by the
    /// implementation. The node is one of the specification, never
    /// [`Specification::forbidden`]: pairs with that one stand for themselves.
    ///
    /// # Errors
    /// If there is none.
    fn representative(
        &self,
        scratch: &mut Self::Scratch,
        node: &mut u32,
        state: &mut [u64],
    ) -> Result<(), ModelError>;
}

/// Each pair stands for itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Identity;

impl Representatives for Identity {
    type Scratch = ();

    fn scratch(&self) {}

    #[inline(always)]
    fn representative(&self, (): &mut (), _: &mut u32, _: &mut [u64]) -> Result<(), ModelError> {
        Ok(())
    }
}

/// The label of the loop of a pair that violates the specification.
pub const VIOLATION: LabelId = LabelId::new(1);

/// The text of a visible label of a [`Product`] as the implementation spells it;
/// `None` for [`VIOLATION`] and for the hidden action.
pub fn text_of(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b".")
}

/// What becomes of a pair that violates the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Violations {
    /// It has no transition but a loop [`VIOLATION`].
    #[default]
    Mark,
    /// Nothing: the pair has its transitions like any other, and those that the
    /// specification does not have are left out. For counting pairs.
    Ignore,
}

/// A node of the specification and a state of the implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The node that the trace so far leads to;
    /// [`Specification::forbidden`](super::Specification::forbidden) if there is
    /// none.
    pub node: u32,
    /// The state, as the implementation packs it.
    pub state: Box<[u64]>,
}

/// The product of a specification in normal form and an implementation.
///
/// Its states are **pairs** of a node and an implementation's state: a hidden step
/// of the implementation keeps the node, a visible one goes where the specification
/// goes with it, and to the node [`Specification::forbidden`] if it does not go
/// anywhere. Steps come in the order of the implementation's. A pair whose node
/// diverges has no steps.
///
/// A pair **violates** the specification if its node is the forbidden one, or if
/// its state is stable and accepts too little. (Whether the state diverges is not to
/// be seen here.)
///
/// Visible labels have a full stop before their text, so that no label of the
/// implementation can be taken for [`VIOLATION`].
#[derive(Debug)]
pub struct Product<'a, R = Identity> {
    specification: &'a Specification,
    model: Erased<'a>,
    representatives: &'a R,
    violations: Violations,
    layout: Layout,
    labels: LabelTable,
    /// For each known label of the implementation that of the specification.
    in_specification: Vec<Option<LabelId>>,
}

/// Memory of a [`Product`].
#[derive(Debug)]
pub struct ProductScratch<S, R> {
    model: S,
    representatives: R,
    state: Vec<u64>,
    pair: Vec<u64>,
    row: Row,
}

impl<'a, R: Representatives> Product<'a, R> {
    /// The product.
    ///
    /// # Errors
    /// If the implementation has too many labels.
    pub fn new(
        specification: &'a Specification,
        model: &'a impl Model,
        representatives: &'a R,
        violations: Violations,
    ) -> Result<Self, TooLarge> {
        let mut labels = LabelTable::new();
        labels.intern(b"violation")?;
        let mut in_specification = vec![None];
        let mut name = Vec::new();
        for (_, text) in model.labels().visible() {
            labels.intern(marked(text, &mut name))?;
            in_specification.push(specification.label(text));
        }
        Ok(Self {
            specification,
            model: model.erased(),
            representatives,
            violations,
            layout: Layout::new(specification.forbidden(), model),
            labels,
            in_specification,
        })
    }

    /// The specification.
    pub fn specification(&self) -> &'a Specification {
        self.specification
    }

    /// The node and the implementation's state of a pair.
    ///
    /// # Panics
    /// If it is no pair of this product.
    pub fn split(&self, pair: &[u64]) -> (u32, Box<[u64]>) {
        let mut state = vec![0; self.layout.state_words()].into_boxed_slice();
        let node = self.layout.split(pair, &mut state);
        (node, state)
    }

    /// A pair as a state of this product.
    pub fn join(&self, pair: &Pair) -> Box<[u64]> {
        let mut packed = vec![0; words(self.layout.bits())].into_boxed_slice();
        self.layout.join(pair.node, &pair.state, &mut packed);
        packed
    }

    /// The visible labels that the implementation offers in a pair, in the order of
    /// their bytes.
    ///
    /// # Errors
    /// If the implementation has no well-defined successors there.
    pub fn offered(&self, pair: &[u64]) -> Result<Vec<Box<[u8]>>, ModelError> {
        let (_, state) = self.split(pair);
        let mut offers = Offers {
            labels: self.model.labels().into_owned(),
            offered: Vec::new(),
            error: None,
        };
        let mut scratch = self.model.scratch();
        self.model.successors(&mut scratch, &state, &mut offers)?;
        if let Some(error) = offers.error {
            return Err(ModelError::new(error.to_string()));
        }
        let visible = offers.offered.iter().filter(|label| !label.is_hidden());
        let mut texts: Vec<Box<[u8]>> = visible.map(|&l| offers.labels.text(l).into()).collect();
        texts.sort_unstable();
        texts.dedup();
        Ok(texts)
    }

    /// Whether an implementation's state with these transitions refuses more than
    /// the specification may.
    fn refuses(&self, node: u32, state: &[u64], row: &mut Row) -> bool {
        if !self.specification.semantics().counts_failures() {
            return false;
        }
        let Row {
            moves, accepted, ..
        } = row;
        if moves.iter().any(|step| step.label.is_hidden()) {
            return false;
        }
        // What is beyond a limit of the model may be accepted.
        if moves.is_empty() && self.model.is_truncated(state) {
            return false;
        }
        accepted.clear();
        accepted.extend(moves.iter().filter_map(|step| step.in_specification));
        accepted.sort_unstable();
        accepted.dedup();
        !self.specification.may_accept_only(node, accepted)
    }

    /// The node after a step; `None` if the step is left out.
    #[inline]
    fn next(&self, node: u32, step: &Move) -> Option<u32> {
        if step.label.is_hidden() {
            return Some(node);
        }
        let next = step.in_specification;
        match next.and_then(|label| self.specification.successor(node, label)) {
            Some(next) => Some(next),
            None if self.violations == Violations::Mark => Some(self.specification.forbidden()),
            None => None,
        }
    }
}

/// A visible label as the product spells it, in `name`.
fn marked<'n>(text: &[u8], name: &'n mut Vec<u8>) -> &'n [u8] {
    name.clear();
    name.push(b'.');
    name.extend_from_slice(text);
    name
}

impl<'a, R: Representatives> Model for Product<'a, R> {
    type Scratch = ProductScratch<<Erased<'a> as Model>::Scratch, R::Scratch>;

    fn scratch(&self) -> Self::Scratch {
        ProductScratch {
            model: self.model.scratch(),
            representatives: self.representatives.scratch(),
            state: vec![0; self.layout.state_words()],
            pair: vec![0; words(self.bits())],
            row: Row::default(),
        }
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(&self.labels)
    }

    fn bits(&self) -> usize {
        self.layout.bits()
    }

    fn initial(&self, pair: &mut [u64]) -> Result<(), ModelError> {
        let mut state = vec![0; self.layout.state_words()];
        self.model.initial(&mut state)?;
        let mut node = self.specification.initial();
        let mut scratch = self.representatives.scratch();
        self.representatives
            .representative(&mut scratch, &mut node, &mut state)?;
        self.layout.join(node, &state, pair);
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut Self::Scratch,
        pair: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let ProductScratch {
            model,
            representatives,
            state,
            pair: target,
            row,
        } = scratch;
        let node = self.layout.split(pair, state);
        let marks = self.violations == Violations::Mark;
        let forbidden = self.specification.forbidden();
        if node == forbidden {
            if marks {
                emit.transition(VIOLATION, pair);
            }
            return Ok(());
        }
        if self.specification.diverges(node) {
            return Ok(());
        }
        row.clear();
        let mut through = Through {
            product: self,
            new: Vec::new(),
            name: Vec::new(),
            row,
            emit,
        };
        self.model.successors(model, state, &mut through)?;
        if marks && self.refuses(node, state, row) {
            emit.transition(VIOLATION, pair);
            return Ok(());
        }
        let states = row.targets.chunks_exact_mut(self.layout.state_words());
        for (step, state) in row.moves.iter().zip(states) {
            let Some(mut next) = self.next(node, step) else {
                continue;
            };
            if next != forbidden {
                self.representatives
                    .representative(representatives, &mut next, state)?;
            }
            self.layout.join(next, state, target);
            emit.transition(step.label, target);
        }
        Ok(())
    }

    fn was_truncated(&self) -> bool {
        self.model.was_truncated()
    }

    fn explain(&self, source: &[u64], label: Option<&[u8]>, target: &[u64]) -> Vec<String> {
        let ((_, source), (_, target)) = (self.split(source), self.split(target));
        self.model
            .explain(&source, label.and_then(text_of), &target)
    }
}

/// The transitions of one state of the implementation.
#[derive(Default, Debug)]
struct Row {
    moves: Vec<Move>,
    /// Their targets, one after the other.
    targets: Vec<u64>,
    /// Memory for what is accepted.
    accepted: Vec<LabelId>,
}

/// A transition but for its target.
#[derive(Debug)]
struct Move {
    /// The label in the product.
    label: LabelId,
    in_specification: Option<LabelId>,
}

impl Row {
    fn clear(&mut self) {
        self.moves.clear();
        self.targets.clear();
    }
}

/// Takes the transitions of the implementation. All of them are needed to know what
/// a state refuses, so that none may be left out.
struct Through<'t, 'a, 'e, R, E: ?Sized> {
    product: &'t Product<'a, R>,
    /// The labels that the model has introduced in this state.
    new: Vec<(LabelId, Option<LabelId>)>,
    name: Vec<u8>,
    row: &'t mut Row,
    emit: &'e mut E,
}

impl<R: Representatives, E: Emit + ?Sized> Emit for Through<'_, '_, '_, R, E> {
    fn label(&mut self, text: &[u8]) -> LabelId {
        let label = self.emit.label(marked(text, &mut self.name));
        let known = self.product.specification.label(text);
        self.new.push((label, known));
        let number = self.product.in_specification.len() + self.new.len() - 1;
        LabelId::new(number as u32)
    }

    #[inline]
    fn transition(&mut self, label: LabelId, target: &[u64]) {
        let known = &self.product.in_specification;
        let (label, in_specification) = match label.index().checked_sub(known.len()) {
            None if label.is_hidden() => (label, None),
            // The label of a violation comes before all others.
            None => (LabelId::new(label.get() + 1), known[label.index()]),
            // `Erased` lets no others through.
            Some(new) => self.new[new],
        };
        self.row.moves.push(Move {
            label,
            in_specification,
        });
        self.row.targets.extend_from_slice(target);
    }
}

/// Takes the labels of one state's transitions.
struct Offers {
    labels: LabelTable,
    offered: Vec<LabelId>,
    error: Option<TooLarge>,
}

impl Emit for Offers {
    fn label(&mut self, text: &[u8]) -> LabelId {
        self.labels.intern(text).unwrap_or_else(|error| {
            self.error = Some(error);
            LabelId::HIDDEN
        })
    }

    fn transition(&mut self, label: LabelId, _: &[u64]) {
        self.offered.push(label);
    }
}
