//! Distinguishing formulas of least depth.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use hyades_formats::{LabelId, Lts, StateId};

use super::formula::{Formula, FormulaBuilder, NodeId};
use super::k_bisimilarity;
use super::levels::Levels;

/// A formula that holds in state `first` and not in state `second`, of the
/// least depth that any such formula has, below `depths`; `None` if there is none,
/// or if the formula would take more than `limit` steps to build (it is then
/// about as large).
///
/// The rows of `lts` must be sorted and without duplicates. For short formulas
/// let no two states be bisimilar: work on the quotient.
///
/// Two states part in round k of k-step bisimilarity (see [`k_bisimilarity`]) because
/// one has a step into some class of the round before, C, which the other has
/// not: so `<a>f` tells them apart if `f` holds in C and fails in all that the
/// other can reach by `a`; or `[a]f` if it is the second state that has the
/// step. f is a conjunction (or disjunction) of formulas for pairs of states
/// that parted in earlier rounds (Cleaveland 1990; least depth as by Martens &
/// Groote 2023, who also show that the least size is NP-hard). Where there is a
/// choice, the step that needs the fewest and shallowest operands is taken; for
/// small systems, operands that others make superfluous are left out.
///
/// Pairs are told apart by their classes, which is enough: no formula of depth
/// k tells apart what is k-step bisimilar.
pub(super) fn distinguish(
    lts: &Lts,
    first: StateId,
    second: StateId,
    limit: usize,
    depths: usize,
) -> Option<Formula> {
    let levels = k_bisimilarity::until_parted(lts, first, second)?;
    let depth = levels.level(levels.position(first), levels.position(second));
    if depth as usize >= depths {
        return None;
    }
    let system = System::new(lts, &levels);
    let mut search = Search {
        system: &system,
        pairs: Vec::new(),
        operands: Vec::new(),
        index: HashMap::default(),
    };
    search.pair(levels.position(first), levels.position(second));
    let mut next = 0;
    while next < search.pairs.len() {
        search.choose(next);
        if search.operands.len() + search.pairs.len() > limit {
            return None;
        }
        next += 1;
    }
    let pairs = search.pairs;
    let operands = search.operands;
    Some(system.assemble(&pairs, &operands))
}

/// The system with positions for states: the classes of every round are
/// intervals.
struct System<'a> {
    lts: &'a Lts,
    levels: &'a Levels,
    /// The row of the state at position x is `offsets[x] .. offsets[x + 1]` of
    /// `steps`: (label, position of the target), ascending.
    offsets: Vec<u32>,
    steps: Vec<(LabelId, u32)>,
}

/// Two positions that the formula must tell apart, and by what step.
struct Pair {
    x: u32,
    y: u32,
    /// The round in which they part.
    level: u32,
    label: LabelId,
    /// Whether it is `x` that has the step (then the formula is a diamond), or
    /// `y` (then it is a box).
    diamond: bool,
    /// Where that step leads.
    target: u32,
    /// The pairs that the operands are for: a range of [`Search::operands`].
    operands: std::ops::Range<usize>,
}

struct Search<'a> {
    system: &'a System<'a>,
    pairs: Vec<Pair>,
    operands: Vec<u32>,
    /// The pair for two classes, named by their first positions.
    index: HashMap<(u32, u32), u32, RandomState>,
}

/// A step that tells a pair apart.
struct Candidate {
    /// An estimate of the size of the formula that comes of it.
    cost: u64,
    label: LabelId,
    diamond: bool,
    target: u32,
}

impl Search<'_> {
    /// The number of the pair for the classes of `x` and `y` at the level where
    /// they part.
    fn pair(&mut self, x: u32, y: u32) -> u32 {
        let levels = self.system.levels;
        let level = levels.level(x, y);
        let (x, y) = (levels.class(x, level).0, levels.class(y, level).0);
        *self.index.entry((x, y)).or_insert_with(|| {
            self.pairs.push(Pair {
                x,
                y,
                level,
                label: LabelId::HIDDEN,
                diamond: true,
                target: 0,
                operands: 0..0,
            });
            self.pairs.len() as u32 - 1
        })
    }

    /// Chooses the step for a pair and finds its operands.
    fn choose(&mut self, number: usize) {
        let Pair { x, y, level, .. } = self.pairs[number];
        let mut best: Option<Candidate> = None;
        for diamond in [true, false] {
            let (mover, other) = if diamond { (x, y) } else { (y, x) };
            self.system.candidates(mover, other, level, |candidate| {
                if best.as_ref().is_none_or(|best| candidate.cost < best.cost) {
                    best = Some(Candidate {
                        diamond,
                        ..candidate
                    });
                }
            });
        }
        let Candidate {
            label,
            diamond,
            target,
            ..
        } = best.expect("states that part in this round differ in a step into an older class");
        let other = if diamond { y } else { x };
        let start = self.operands.len();
        for k in self.system.row(other, label) {
            let answer = self.system.steps[k].1;
            let operand = if diamond {
                self.pair(target, answer)
            } else {
                self.pair(answer, target)
            };
            self.operands.push(operand);
        }
        // One formula may be for several answers.
        self.operands[start..].sort_unstable();
        let mut kept = start;
        for k in start..self.operands.len() {
            if k == start || self.operands[k] != self.operands[kept - 1] {
                self.operands[kept] = self.operands[k];
                kept += 1;
            }
        }
        self.operands.truncate(kept);
        let pair = &mut self.pairs[number];
        pair.label = label;
        pair.diamond = diamond;
        pair.target = target;
        pair.operands = start..kept;
    }
}

impl<'a> System<'a> {
    fn new(lts: &'a Lts, levels: &'a Levels) -> Self {
        let mut offsets = Vec::with_capacity(lts.states() + 1);
        let mut steps = Vec::with_capacity(lts.transitions());
        offsets.push(0);
        for &state in levels.order() {
            let start = steps.len();
            steps.extend(lts.outgoing(state).map(|(a, t)| (a, levels.position(t))));
            steps[start..].sort_unstable();
            offsets.push(steps.len() as u32);
        }
        Self {
            lts,
            levels,
            offsets,
            steps,
        }
    }

    fn all_steps(&self, x: u32) -> std::ops::Range<usize> {
        self.offsets[x as usize] as usize..self.offsets[x as usize + 1] as usize
    }

    /// The steps of `x` with this label.
    fn row(&self, x: u32, label: LabelId) -> std::ops::Range<usize> {
        let all = self.all_steps(x);
        let steps = &self.steps[all.clone()];
        let start = steps.partition_point(|step| step.0 < label);
        let end = start + steps[start..].partition_point(|step| step.0 == label);
        all.start + start..all.start + end
    }

    /// The steps of `mover` that lead to a class, as of the round before
    /// `level`, into which `other` has no step with that label. O(d log n) for
    /// d steps of `mover`.
    fn candidates(&self, mover: u32, other: u32, level: u32, mut found: impl FnMut(Candidate)) {
        let mut previous: Option<(LabelId, u32, std::ops::Range<usize>)> = None;
        for &(label, target) in &self.steps[self.all_steps(mover)] {
            let answers = match &previous {
                Some((l, end, answers)) if *l == label => {
                    // Targets ascend: this one is in the class looked at last.
                    if target < *end {
                        continue;
                    }
                    answers.clone()
                }
                _ => self.row(other, label),
            };
            let (start, end) = self.levels.class(target, level - 1);
            let steps = &self.steps[answers.clone()];
            let after = steps.partition_point(|step| step.1 < start);
            previous = Some((label, end, answers));
            if steps.get(after).is_some_and(|step| step.1 < end) {
                continue;
            }
            // The nearest positions are the last to part from the target.
            let near = [after.checked_sub(1), Some(after)].into_iter().flatten();
            let deepest = near
                .filter_map(|k| steps.get(k))
                .map(|step| self.levels.level(target, step.1))
                .max();
            found(Candidate {
                cost: steps.len() as u64 * u64::from(deepest.unwrap_or(0)),
                label,
                diamond: true,
                target,
            });
        }
    }

    /// The formula of the first pair. Pairs only use pairs of lower levels.
    fn assemble(&self, pairs: &[Pair], operands: &[u32]) -> Formula {
        let mut builder = FormulaBuilder::new();
        let table = self.lts.table();
        let mut order: Vec<u32> = (0..pairs.len() as u32).collect();
        order.sort_by_key(|&p| pairs[p as usize].level);
        let work = pairs.len() as u64 * (self.steps.len() + self.offsets.len()) as u64;
        let mut meanings = (work <= THOROUGH).then(|| Meanings {
            system: self,
            of_pair: vec![Vec::new(); pairs.len()],
            size: vec![0; pairs.len()],
        });
        let mut nodes = vec![None::<NodeId>; pairs.len()];
        for &p in &order {
            let pair = &pairs[p as usize];
            let mut of_pair = operands[pair.operands.clone()].to_vec();
            if let Some(meanings) = &mut meanings {
                meanings.leave_out_superfluous(pair, &mut of_pair);
                meanings.evaluate(p as usize, pair, &of_pair);
            }
            let inner = of_pair
                .iter()
                .map(|&q| nodes[q as usize].expect("made in an earlier round"));
            let label = if pair.label.is_hidden() {
                LabelId::HIDDEN
            } else {
                builder
                    .label(table.text(pair.label))
                    .expect("no more labels than the system has")
            };
            let node = if pair.diamond {
                let inner = builder.and(inner);
                builder.diamond(label, inner)
            } else {
                let inner = builder.or(inner);
                builder.boxed(label, inner)
            };
            nodes[p as usize] = Some(node);
        }
        builder.build(nodes[0].expect("the first pair is among all"))
    }
}

/// Up to how much work (pairs times steps) formulas are made shorter by
/// evaluating them.
const THOROUGH: u64 = 1 << 27;

/// Where the formulas of the pairs hold.
struct Meanings<'a> {
    system: &'a System<'a>,
    /// For each pair that has a formula already, by position, whether it holds.
    of_pair: Vec<Vec<bool>>,
    /// About how many operators the formula has.
    size: Vec<u64>,
}

impl Meanings<'_> {
    /// Keeps only as many operands as are needed: greedily, always the one that
    /// settles the most answers for its size; then none that the others make needless.
    fn leave_out_superfluous(&self, pair: &Pair, operands: &mut Vec<u32>) {
        if operands.len() < 2 {
            return;
        }
        // In a conjunction, each answer must be excluded by an operand; in a
        // disjunction, each must be covered by one.
        let other = if pair.diamond { pair.y } else { pair.x };
        let settles =
            |q: u32, answer: u32| self.of_pair[q as usize][answer as usize] != pair.diamond;
        let mut open: Vec<u32> = self.system.steps[self.system.row(other, pair.label)]
            .iter()
            .map(|step| step.1)
            .collect();
        let answers = open.clone();
        let mut kept = Vec::new();
        while !open.is_empty() {
            let settled = |q: u32| open.iter().filter(|&&t| settles(q, t)).count() as u64;
            let best = operands
                .iter()
                .copied()
                // settled / size, compared without division.
                .map(|q| (settled(q), self.size[q as usize], q))
                .max_by(|a, b| {
                    let (left, right) = (a.0 * b.1, b.0 * a.1);
                    left.cmp(&right).then(b.2.cmp(&a.2))
                })
                .expect("there are operands");
            assert!(best.0 > 0, "each answer is settled by its own operand");
            open.retain(|&t| !settles(best.2, t));
            kept.push(best.2);
        }
        // Those that come later settle some of what earlier ones were taken for, too.
        let mut largest = kept.clone();
        largest.sort_by_key(|&q| (u64::MAX - self.size[q as usize], q));
        for q in largest {
            let others = |t: u32| kept.iter().any(|&p| p != q && settles(p, t));
            if answers.iter().all(|&t| others(t)) {
                kept.retain(|&p| p != q);
            }
        }
        kept.sort_unstable();
        *operands = kept;
    }

    /// Finds where the formula of a pair holds.
    fn evaluate(&mut self, number: usize, pair: &Pair, operands: &[u32]) {
        let n = self.system.offsets.len() as u32 - 1;
        let inner = |t: u32| {
            let holds = |&q: &u32| self.of_pair[q as usize][t as usize];
            if pair.diamond {
                operands.iter().all(holds)
            } else {
                operands.iter().any(holds)
            }
        };
        let inner: Vec<bool> = (0..n).map(inner).collect();
        let holds = (0..n).map(|x| {
            let mut steps = self.system.steps[self.system.row(x, pair.label)].iter();
            if pair.diamond {
                steps.any(|step| inner[step.1 as usize])
            } else {
                steps.all(|step| inner[step.1 as usize])
            }
        });
        let holds: Vec<bool> = holds.collect();
        debug_assert!(holds[pair.x as usize] && !holds[pair.y as usize]);
        self.of_pair[number] = holds;
        let sizes = operands.iter().map(|&q| self.size[q as usize]);
        // Kept small enough for products with numbers of answers.
        self.size[number] = sizes.sum::<u64>().saturating_add(1).min(1 << 31);
    }
}
