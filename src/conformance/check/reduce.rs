//! Suites with fewer tests.

use crate::machine::Machine;
use crate::tree::{NodeId, TestTree};

use super::{Check, CheckError, Completeness, FaultDomain, Limits, Means, validate};

/// How tests are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reducing {
    /// What all checks together may take.
    pub limits: Limits,
    /// The steps that a search may take to decide that a test is not needed where
    /// no condition shows it. 0 to rely on conditions alone.
    pub search_steps: u64,
}

impl Default for Reducing {
    /// The usual limits, and a hundred thousand steps for each search.
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            search_steps: 100_000,
        }
    }
}

/// What [`reduce`] gives.
#[derive(Debug)]
pub struct Reduced {
    /// The suite; the given one if that is not known to be complete.
    pub tree: TestTree,
    /// What is known of it.
    pub verdict: Completeness,
    /// Whether each test was tried. If not, more of them may be superfluous.
    pub is_finished: bool,
}

/// Leaves out tests as long as the suite is known to be complete: the longest
/// first, of these the last in the tree's order of nodes. A test on which the
/// reasons found so far do not rely goes without another check.
///
/// # Errors
/// As those of [`super::verdict`].
pub fn reduce(
    machine: &Machine,
    tree: &TestTree,
    domain: &FaultDomain,
    reducing: &Reducing,
) -> Result<Reduced, CheckError> {
    validate(machine)?;
    let mut checks = Checks {
        machine,
        domain,
        reducing,
        left: reducing.limits.steps,
    };
    let mut suite = Suite::new(tree);
    let (verdict, evidence) = checks.run(tree, u64::MAX)?;
    if !verdict.is_complete() {
        return Ok(Reduced {
            tree: tree.clone(),
            verdict,
            is_finished: true,
        });
    }
    let mut known = Known {
        tree: tree.clone(),
        evidence,
    };
    let mut is_finished = true;
    for test in suite.tests() {
        let is_needed = suite.needs(test, &known.evidence);
        suite.change(test, false);
        if !is_needed {
            continue;
        }
        if checks.left == 0 {
            is_finished = false;
            suite.change(test, true);
            continue;
        }
        let (fewer, nodes) = suite.tree(machine);
        let (verdict, evidence) = checks.run(&fewer, reducing.search_steps)?;
        if verdict.is_complete() {
            known.tree = fewer;
            known.evidence = vec![false; tree.len()];
            for (node, is_evidence) in nodes.into_iter().zip(evidence) {
                known.evidence[node.index()] = is_evidence;
            }
        } else {
            suite.change(test, true);
        }
    }
    let (fewer, _) = suite.tree(machine);
    let limits = &reducing.limits;
    let verdict = |tree| Check::of_valid(machine, tree, domain, limits, Means::ALL).run();
    let of_fewer = verdict(&fewer)?;
    if of_fewer.is_complete() {
        return Ok(Reduced {
            tree: fewer,
            verdict: of_fewer,
            is_finished,
        });
    }
    // The last tests went by reasons that the check does not find again.
    Ok(Reduced {
        verdict: verdict(&known.tree)?,
        tree: known.tree,
        is_finished: false,
    })
}

/// The last suite that was checked.
struct Known {
    tree: TestTree,
    /// The nodes of the first suite that the reasons rely on.
    evidence: Vec<bool>,
}

/// Checks of one suite after the other.
struct Checks<'a> {
    machine: &'a Machine,
    domain: &'a FaultDomain,
    reducing: &'a Reducing,
    /// Steps that are left.
    left: u64,
}

impl Checks<'_> {
    /// What is known of a suite, and on which nodes that relies: on all if a
    /// search decides.
    fn run(
        &mut self,
        tree: &TestTree,
        search: u64,
    ) -> Result<(Completeness, Vec<bool>), CheckError> {
        let limits = Limits {
            steps: self.left,
            ..self.reducing.limits
        };
        let means = Means {
            // Its reasons rely on more nodes than those of convergence.
            h: false,
            search_steps: search,
            ..Means::ALL
        };
        let mut check = Check::of_valid(self.machine, tree, self.domain, &limits, means);
        let verdict = check.run()?;
        self.left = self.left.saturating_sub(check.quotient.steps);
        let is_evidence = |node: NodeId| check.has_searched || check.quotient.is_evidence(node.0);
        let evidence = tree.nodes().map(is_evidence).collect();
        Ok((verdict, evidence))
    }
}

/// Some tests of a tree.
struct Suite<'a> {
    whole: &'a TestTree,
    /// How many of the tests have each node.
    counts: Vec<u32>,
}

impl<'a> Suite<'a> {
    /// All tests.
    fn new(whole: &'a TestTree) -> Self {
        let mut suite = Self {
            whole,
            counts: vec![0; whole.len()],
        };
        for node in whole.nodes().rev() {
            suite.counts[node.index()] += u32::from(whole.is_leaf(node));
            if let Some((parent, _)) = whole.parent(node) {
                suite.counts[parent.index()] += suite.counts[node.index()];
            }
        }
        suite
    }

    /// The tests by their last nodes, the longest first.
    fn tests(&self) -> Vec<NodeId> {
        let nodes = self.whole.nodes();
        let mut tests: Vec<NodeId> = nodes.filter(|&node| self.whole.is_leaf(node)).collect();
        tests.sort_by_key(|&test| std::cmp::Reverse((self.whole.depth(test), test)));
        tests
    }

    /// A test's nodes, the last first.
    fn path(&self, test: NodeId) -> impl Iterator<Item = NodeId> + use<'a> {
        let whole = self.whole;
        std::iter::successors(Some(test), |&node| Some(whole.parent(node)?.0))
    }

    /// Takes a test in or out.
    fn change(&mut self, test: NodeId, is_in: bool) {
        for node in self.path(test) {
            let count = &mut self.counts[node.index()];
            *count = if is_in { *count + 1 } else { *count - 1 };
        }
    }

    /// Whether some of these nodes are in no other test than this one.
    fn needs(&self, test: NodeId, nodes: &[bool]) -> bool {
        let own = |node: &NodeId| self.counts[node.index()] == 1;
        self.path(test)
            .take_while(own)
            .any(|node| nodes[node.index()])
    }

    /// The tree of the tests, and the nodes that its nodes were.
    fn tree(&self, machine: &Machine) -> (TestTree, Vec<NodeId>) {
        let mut tree = TestTree::new(machine);
        let mut numbers = vec![NodeId::ROOT; self.whole.len()];
        let mut nodes = vec![NodeId::ROOT];
        for node in self.whole.nodes() {
            let Some((parent, input)) = self.whole.parent(node) else {
                continue;
            };
            if self.counts[node.index()] == 0 {
                continue;
            }
            let new = tree.extend(machine, numbers[parent.index()], input);
            numbers[node.index()] = new.expect("the transitions of the tree are there");
            nodes.push(node);
        }
        (tree, nodes)
    }
}
