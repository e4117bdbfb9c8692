//! What a test suite guarantees: certified, decided or refuted.
//!
//! A suite is complete for a set of machines, its *fault domain*, if each of them
//! that answers the tests as the specification does is equivalent to the
//! specification. [`verdict`] tells, for suites from anywhere, by sufficient
//! conditions ([`certificate`]) and by a search that decides ([`decide`]).
//! [`reduce`] leaves out tests.
//!
//! Two nodes of a suite's tree are *apart* if some word that goes on from both is
//! answered differently by the specification.

mod basis;
mod closure;
mod collision;
mod conditions;
mod consistency;
mod fold;
mod quotient;
mod reduce;
mod refutation;
mod search;
mod verdict;

use super::identifiers::Word;
use super::machine::{InputId, Machine, NONE};
use super::partition::StatePartition;
use super::tree::{NodeId, TestTree};

use basis::{Candidates, Choice};
use closure::Closure;
use conditions::Near;
use consistency::Places;
use fold::Fold;
use quotient::Quotient;
use refutation::Draft;
use search::{Bound, Ended};

pub use reduce::{Reduced, Reducing, reduce};
pub use refutation::Refutation;
pub use verdict::{Certificate, CheckError, Completeness, Condition, FaultDomain, Limits, Reason};

#[cfg(test)]
mod tests;

/// What is known of a suite, which the tree of a complete, connected and minimal
/// machine holds: the conditions are tried first, then the search decides.
///
/// # Errors
/// If the specification is none, or the words of access are not.
pub fn verdict(
    machine: &Machine,
    tree: &TestTree,
    domain: &FaultDomain,
    limits: &Limits,
) -> Result<Completeness, CheckError> {
    Check::new(machine, tree, domain, limits, Means::ALL)?.run()
}

/// A condition that shows that a suite is complete, if one is found: for
/// m-completeness that of the H method, then convergence, each with a bounded
/// search for its nodes, which are to have the root among them if that is
/// possible.
///
/// With `n` states, `k` extra states and nodes that have all words of length
/// `k + 1` behind them: about n² · inputs^(k+1) searches for a common word that
/// separates two nodes.
///
/// # Errors
/// As those of [`verdict`].
pub fn certificate(
    machine: &Machine,
    tree: &TestTree,
    domain: &FaultDomain,
    limits: &Limits,
) -> Result<Option<Certificate>, CheckError> {
    let verdict = Check::new(machine, tree, domain, limits, Means::CONDITIONS)?.run()?;
    Ok(match verdict {
        Completeness::Certified(certificate) => Some(certificate),
        Completeness::Complete | Completeness::Refuted(_) | Completeness::Unknown(_) => None,
    })
}

/// Decides whether a suite is complete, by a search for a machine that passes:
/// exponential at worst, in the extra states above all.
///
/// # Errors
/// As those of [`verdict`].
pub fn decide(
    machine: &Machine,
    tree: &TestTree,
    domain: &FaultDomain,
    limits: &Limits,
) -> Result<Completeness, CheckError> {
    let verdict = Check::new(machine, tree, domain, limits, Means::SEARCH)?.run()?;
    Ok(match verdict {
        // Nothing was left to search.
        Completeness::Certified(_) => Completeness::Complete,
        verdict => verdict,
    })
}

/// That a machine can be a specification.
fn validate(machine: &Machine) -> Result<(), CheckError> {
    if let Some((state, input, count)) = machine.missing() {
        return Err(CheckError::Partial(state, input, count));
    }
    if let Some(&state) = machine.unreachable().first() {
        return Err(CheckError::Unreachable(state));
    }
    let partition = StatePartition::new(machine);
    let mut first = vec![None; partition.len()];
    for state in machine.state_ids() {
        let of_class = &mut first[partition.class(state) as usize];
        if let Some(other) = of_class.replace(state) {
            return Err(CheckError::Equivalent(other, state));
        }
    }
    Ok(())
}

/// A check of one suite.
struct Check<'a> {
    tree: &'a TestTree,
    domain: &'a FaultDomain,
    limits: &'a Limits,
    quotient: Quotient<'a>,
    means: Means,
    /// Whether it came to the search.
    has_searched: bool,
    /// A machine that passes and is not equivalent, if one is known before the search.
    known: Option<Draft>,
}

/// So many steps are taken to find a machine that passes where one is known.
const STEPS_FOR_ANOTHER: u64 = 1 << 23;

/// How a check tries to find out.
#[derive(Clone, Copy)]
struct Means {
    /// Whether the condition of the H method is tried.
    h: bool,
    /// Whether nodes are merged that must reach equivalent states.
    convergence: bool,
    /// Whether the condition for k-A-completeness is tried.
    k_a: bool,
    /// The steps that the search itself may take; 0 for no search.
    search_steps: u64,
}

impl Means {
    const ALL: Means = Means {
        h: true,
        convergence: true,
        k_a: true,
        search_steps: u64::MAX,
    };
    const CONDITIONS: Means = Means {
        search_steps: 0,
        ..Means::ALL
    };
    /// What converges spares the search a lot.
    const SEARCH: Means = Means {
        h: false,
        k_a: false,
        ..Means::ALL
    };
}

impl<'a> Check<'a> {
    fn new(
        machine: &'a Machine,
        tree: &'a TestTree,
        domain: &'a FaultDomain,
        limits: &'a Limits,
        means: Means,
    ) -> Result<Self, CheckError> {
        validate(machine)?;
        Ok(Self::of_valid(machine, tree, domain, limits, means))
    }

    /// A check for a specification that was validated.
    fn of_valid(
        machine: &'a Machine,
        tree: &'a TestTree,
        domain: &'a FaultDomain,
        limits: &'a Limits,
        means: Means,
    ) -> Self {
        Self {
            tree,
            domain,
            limits,
            quotient: Quotient::new(machine, tree, limits.steps),
            means,
            has_searched: false,
            known: None,
        }
    }

    fn run(&mut self) -> Result<Completeness, CheckError> {
        match self.domain {
            &FaultDomain::States(most) => self.states(most),
            FaultDomain::Reached { access, extra } => {
                let nodes = self.access_nodes(access)?;
                self.reached(nodes, *extra)
            }
        }
    }

    fn unknown(&self) -> Completeness {
        let taken = self.quotient.most_steps.min(self.limits.steps);
        Completeness::Unknown(Reason::Steps(taken))
    }

    /// The verdict where the search has come to no end, for this reason.
    fn without_end(&mut self, reason: Completeness) -> Result<Completeness, CheckError> {
        match self.known.take() {
            Some(draft) => self.refuted(draft),
            None => Ok(reason),
        }
    }

    /// The specification with an answer that is open where no test takes a transition. O(nodes
    /// + transitions).
    fn untaken(&self) -> Option<Draft> {
        let machine = self.quotient.machine;
        let (states, inputs) = (machine.states(), machine.inputs());
        let mut is_taken = vec![false; states * inputs];
        for node in self.tree.nodes() {
            if let Some((before, input)) = self.tree.parent(node) {
                is_taken[self.tree.state(before).index() * inputs + input.index()] = true;
            }
        }
        let open = is_taken.iter().position(|is_taken| !is_taken)?;
        let all = 0..states as u32;
        let mut answers: Vec<u32> = all
            .clone()
            .flat_map(|s| machine.answers_of(s))
            .copied()
            .collect();
        answers[open] = NONE;
        Some(Draft {
            targets: all
                .clone()
                .flat_map(|s| machine.targets_of(s))
                .copied()
                .collect(),
            answers,
            holds: all.collect(),
            initial: machine.initial().get(),
            is_other: false,
        })
    }

    fn refuted(&self, draft: Draft) -> Result<Completeness, CheckError> {
        let refutation = draft.complete(self.quotient.machine, self.tree)?;
        Ok(Completeness::Refuted(Box::new(refutation)))
    }

    /// Whether it shall be decided what the conditions do not tell, among machines of which
    /// some have so many states.
    fn goes_on(&mut self, states: usize) -> bool {
        let mut steps = self.means.search_steps;
        if steps > 0 && states >= self.quotient.machine.states() {
            self.known = self.untaken();
            if self.known.is_some() {
                // The search may find one that differs from the specification sooner.
                steps = steps.min(STEPS_FOR_ANOTHER);
            }
        }
        let quotient = &mut self.quotient;
        let most = quotient.steps.saturating_add(steps);
        quotient.most_steps = quotient.most_steps.min(most);
        self.has_searched = true;
        steps > 0
    }

    fn states(&mut self, most: usize) -> Result<Completeness, CheckError> {
        let machine = self.quotient.machine;
        let states = machine.states();
        let initial = Some(machine.initial().get());
        let extra = most.saturating_sub(states);
        let mut candidates = Candidates::new(machine, self.tree, extra + 1);
        let mut seeds: Option<Vec<u32>> = None;
        for choice in [Choice::Cover, Choice::Found(initial), Choice::Found(None)] {
            if most < states {
                break;
            }
            let Some(basis) = candidates.all(&mut self.quotient, choice) else {
                continue;
            };
            if seeds.as_ref() == Some(&basis) {
                continue;
            }
            if self.means.h
                && seeds.is_none()
                && has_root(&basis)
                && conditions::is_h(&mut self.quotient, &basis, extra)
            {
                return Ok(certified(Condition::H, &basis, extra));
            }
            let mut closure = Closure::new(&mut self.quotient, &basis, extra);
            if self.means.convergence && closure.run(&mut self.quotient) {
                return Ok(certified(Condition::Convergence, &basis, extra));
            }
            seeds.get_or_insert(basis);
        }
        if !self.goes_on(most) {
            return Ok(self.unknown());
        }
        let seeds = seeds.unwrap_or_else(|| {
            let with_root = candidates.some(&mut self.quotient, initial);
            let without = candidates.some(&mut self.quotient, None);
            match with_root.len() >= without.len() {
                true => with_root,
                false => without,
            }
        });
        if seeds.len() > most {
            // They are in different states of all machines that pass.
            return Ok(Completeness::Complete);
        }
        let bound = Bound::States(u32::try_from(most).unwrap_or(NONE - 1));
        self.fold(&seeds, most, None, |fold| search::search(fold, bound))
    }

    /// Searches folds with these seeds, of about so many states.
    fn fold(
        &mut self,
        seeds: &[u32],
        states: usize,
        places: Option<Places>,
        search: impl FnOnce(&mut Fold<'_, '_>) -> Ended,
    ) -> Result<Completeness, CheckError> {
        let (nodes, inputs) = (self.quotient.nodes(), self.quotient.machine.inputs());
        let needed = Fold::bytes(nodes, seeds.len(), states.min(nodes), inputs);
        if needed > self.limits.bytes {
            let reason = Reason::Memory(needed, self.limits.bytes);
            return self.without_end(Completeness::Unknown(reason));
        }
        let mut fold = Fold::new(&mut self.quotient, seeds, places);
        match search(&mut fold) {
            Ended::Nothing => Ok(Completeness::Complete),
            Ended::Exhausted => self.without_end(self.unknown()),
            Ended::Found => {
                let draft = fold.draft();
                self.refuted(draft)
            }
        }
    }

    /// The nodes of the words of access, by the states that they reach; where a
    /// word is not in the suite, the node before it and its last input.
    fn access_nodes(&self, access: &[Word]) -> Result<Result<Vec<u32>, Missing>, CheckError> {
        let machine = self.quotient.machine;
        let mut words: Vec<&Word> = access.iter().collect();
        words.sort_by_key(|word| (word.len(), *word));
        let mut reached = vec![false; machine.states()];
        let mut nodes = vec![NONE; machine.states()];
        let mut missing = None;
        for (place, &word) in words.iter().enumerate() {
            let error = || CheckError::Access(word.clone());
            let is_input = |input: &InputId| input.index() < machine.inputs();
            if !word.iter().all(is_input) {
                return Err(error());
            }
            let (_, state) = machine.run(machine.initial(), word).ok_or_else(error)?;
            if std::mem::replace(&mut reached[state.index()], true) {
                return Err(error());
            }
            let Some((&last, before)) = word.split_last() else {
                nodes[state.index()] = NodeId::ROOT.0;
                continue;
            };
            let is_word = |other: &&Word| other[..] == *before;
            if !words[..place].iter().any(is_word) {
                return Err(error());
            }
            match self.tree.walk(NodeId::ROOT, word) {
                Some(node) => nodes[state.index()] = node.0,
                None if missing.is_none() => {
                    // Shorter words were there.
                    let node = self.tree.walk(NodeId::ROOT, before);
                    missing = node.map(|node| Missing { node, input: last });
                }
                None => {}
            }
        }
        if words.len() != machine.states() {
            return Err(CheckError::Access(Word::new()));
        }
        Ok(missing.map_or(Ok(nodes), Err))
    }

    fn reached(
        &mut self,
        nodes: Result<Vec<u32>, Missing>,
        extra: usize,
    ) -> Result<Completeness, CheckError> {
        let (states, inputs) = (
            self.quotient.machine.states(),
            self.quotient.machine.inputs(),
        );
        let needed = collision::bytes(self.quotient.nodes(), inputs);
        let is_too_large = needed > self.limits.bytes;
        let too_large = Completeness::Unknown(Reason::Memory(needed, self.limits.bytes));
        let nodes = match nodes {
            Ok(nodes) => nodes,
            Err(_) if !self.goes_on(states) => return Ok(self.unknown()),
            Err(_) if is_too_large => return self.without_end(too_large),
            Err(Missing { node, input }) => {
                let draft = collision::without(&mut self.quotient, node.0, input.get());
                return self.refuted(draft);
            }
        };
        let near = Near::new(&self.quotient, &nodes, extra);
        if self.means.k_a && conditions::is_k_a(&mut self.quotient, &nodes, &near) {
            return Ok(certified(Condition::KA, &nodes, extra));
        }
        if extra == 0 && conditions::are_apart(&mut self.quotient, &nodes) {
            // In a machine that passes no two words of access reach one state. So it is
            // of the domain if and only if it has at most as many states as there are
            // words.
            return self.states(nodes.len());
        }
        if !self.goes_on(states) {
            return Ok(self.unknown());
        }
        for (place, &one) in nodes.iter().enumerate() {
            for &other in &nodes[..place] {
                if self.quotient.is_exhausted() {
                    return self.without_end(self.unknown());
                }
                if self.quotient.apart(one, other) {
                    continue;
                }
                if is_too_large {
                    return self.without_end(too_large);
                }
                if let Some(draft) = collision::collide(&mut self.quotient, one, other) {
                    return self.refuted(draft);
                }
            }
        }
        // A machine of the domain that passes can be unfolded so that near nodes
        // are in states of their own.
        if near.is_complete {
            let places = Places::new(&mut self.quotient, &near, self.limits.bytes);
            return self.fold(&near.nodes, near.nodes.len(), places, search::search_mixed);
        }
        let as_meant = |fold: &mut Fold<'_, '_>| match search::fold_as_meant(fold) {
            true => Ended::Found,
            false if fold.quotient.is_exhausted() => Ended::Exhausted,
            false => Ended::Nothing,
        };
        let verdict = self.fold(&near.nodes, near.nodes.len(), None, as_meant)?;
        if !verdict.is_complete() {
            return Ok(verdict);
        }
        let extra = u32::try_from(extra).unwrap_or(NONE - 1);
        let most = self.quotient.nodes();
        let bound = Bound::Distance(extra);
        self.fold(&nodes, most, None, |fold| search::search(fold, bound))
    }
}

/// A word of access that is not in the suite: where it is left, and by what.
struct Missing {
    node: NodeId,
    input: InputId,
}

/// Whether the root is among some nodes.
fn has_root(nodes: &[u32]) -> bool {
    nodes.contains(&NodeId::ROOT.0)
}

fn certified(condition: Condition, basis: &[u32], extra: usize) -> Completeness {
    Completeness::Certified(Certificate {
        condition,
        basis: basis.iter().map(|&node| NodeId(node)).collect(),
        extra,
    })
}
