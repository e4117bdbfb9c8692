//! The bounded engines by themselves: from any start, and their steps.
//!
//! That their results are right when they start from a single block is one of
//! the properties of all engines.

use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};
use hyades_testing::{Random, Shape, check, random_lts};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use super::{Refined, refine_branching, refine_strong};
use crate::rounds::{Rounds, untold};
use crate::rows::Rows;
use crate::tau_scc::TauContraction;
use crate::{Partition, Relation, naive};

/// The coarsest partition, from a single block.
pub(crate) fn partition(lts: &Lts, relation: Relation) -> Partition {
    partition_within(lts, relation, &vec![0; lts.states()])
}

/// The coarsest partition within these blocks of states, which must be unions
/// of classes.
fn partition_within(lts: &Lts, relation: Relation, start: &[u32]) -> Partition {
    if relation == Relation::Strong {
        let start = dense(start);
        let count = start.count() as u32;
        let mut nobody = untold;
        let rounds = &mut Rounds::new(&mut nobody);
        let refined = refine_strong(lts.into(), start.into_classes(), count, rounds);
        return Partition::new(refined.block);
    }
    let silent = TauContraction::new(lts, relation == Relation::DivBranching);
    let mut by_node = vec![0; silent.rows().states()];
    for (&v, &b) in silent.node.iter().zip(start) {
        by_node[v as usize] = b;
    }
    let start = dense(&by_node);
    let count = start.count() as u32;
    let mut nobody = untold;
    let rounds = &mut Rounds::new(&mut nobody);
    let refined = refine_branching(silent.rows(), start.into_classes(), count, rounds);
    by_state(&silent, &refined.block)
}

/// The partition of the states, given that of the nodes.
pub(crate) fn by_state(silent: &TauContraction, class: &[u32]) -> Partition {
    Partition::new(silent.node.iter().map(|&v| class[v as usize]).collect())
}

/// Numbers without gaps.
fn dense(class: &[u32]) -> Partition {
    let mut used = class.to_vec();
    used.sort_unstable();
    used.dedup();
    let rank = |c: &u32| used.binary_search(c).expect("it is used") as u32;
    Partition::new(class.iter().map(rank).collect())
}

#[test]
fn refinement_goes_on_from_any_coarser_partition() {
    check(150, 16, |lts, random| {
        for relation in naive::REFINED {
            let expected = naive::partition(lts, relation);
            // Some of the final classes taken together.
            let most = random.between(0, 4);
            let merged: Vec<u32> = (0..expected.count())
                .map(|_| random.between(0, most) as u32)
                .collect();
            let start: Vec<u32> = expected
                .classes()
                .iter()
                .map(|&c| merged[c as usize])
                .collect();
            let found = partition_within(lts, relation, &start).normalized();
            if found != expected.normalized() {
                return Err(format!(
                    "{relation} from {start:?}: {:?}, not {:?}",
                    found.classes(),
                    expected.classes()
                ));
            }
        }
        Ok(())
    });
}

/// A family of inputs that grow, each of about the given number of transitions.
struct Family {
    name: &'static str,
    member: fn(u32) -> Lts,
}

/// Takes source, label and target. Label 0 is hidden.
type Sink<'a> = dyn FnMut(u32, u32, u32) + 'a;

fn special(transitions: impl Fn(&mut Sink)) -> Lts {
    let (mut states, mut labels) = (1, 0);
    transitions(&mut |source, label, target| {
        states = states.max(source + 1).max(target + 1);
        labels = labels.max(label);
    });
    let mut b = LtsBuilder::new(states.into());
    for label in 1..=labels {
        let text = format!("l{label}");
        b.table_mut()
            .intern(text.as_bytes())
            .expect("they are few enough");
    }
    transitions(&mut |source, label, target| {
        b.add(
            StateId::new(source),
            LabelId::new(label),
            StateId::new(target),
        );
    });
    b.build(StateId::new(0)).expect("it is small")
}

/// Random transitions, a tenth of them hidden.
fn random(states: u32, transitions: u32) -> Lts {
    special(|add| {
        let mut random = Random::new(1);
        let mut draw = |n: u32| random.between(0, n as usize - 1) as u32;
        for _ in 0..transitions {
            let (source, target) = (draw(states), draw(states));
            add(source, draw(10), target);
        }
    })
}

const FAMILIES: &[Family] = &[
    Family {
        name: "random",
        member: |m| random(m / 4, m),
    },
    Family {
        name: "chain",
        member: |m| special(|add| (1..m).for_each(|s| add(s - 1, 1, s))),
    },
    Family {
        name: "grid",
        member: |m| {
            special(|add| {
                let width = (m / 2).isqrt();
                for s in 0..width * width {
                    if (s + 1) % width != 0 {
                        add(s, 1, s + 1);
                    }
                    if s + width < width * width {
                        add(s, 2, s + width);
                    }
                }
            })
        },
    },
    // A shift register: its states are all words of bits, and 0 can do what no other can.
    Family {
        name: "debruijn",
        member: |m| {
            special(|add| {
                let states = 1 << (m.ilog2() - 1);
                for s in 0..states {
                    add(s, 1, (s << 1) % states);
                    add(s, 1, (s << 1 | 1) % states);
                }
                add(0, 2, 0);
            })
        },
    },
    // Few states with steps to many, each of which leads back to some.
    Family {
        name: "star",
        member: |m| {
            special(|add| {
                let mut random = Random::new(1);
                for leaf in 10..m / 11 {
                    for hub in 0..10 {
                        add(hub, 1 + leaf % 3, leaf);
                    }
                    add(leaf, 1 + leaf % 3, random.between(0, 9) as u32);
                }
            })
        },
    },
    Family {
        name: "many labels",
        member: |m| {
            special(|add| {
                let mut random = Random::new(1);
                let mut draw = |n: u32| random.between(0, n as usize - 1) as u32;
                for label in 1..=m / 10 {
                    for _ in 0..10 {
                        add(draw(m / 5), label, draw(m / 5));
                    }
                }
            })
        },
    },
    // A hidden cycle with hidden steps across, and now and then a visible step out of it.
    Family {
        name: "tau-cycle",
        member: |m| {
            special(|add| {
                let (n, mut random) = (m / 2, Random::new(1));
                for s in 0..n {
                    add(s, 0, (s + 1) % n);
                    add(s, 0, random.between(0, n as usize - 1) as u32);
                    if s % 100 == 0 {
                        add(s, 1 + s / 100 % 5, n);
                    }
                }
            })
        },
    },
    Family {
        name: "tau-chain with visible steps",
        member: |m| {
            special(|add| {
                let n = m / 2;
                for s in 0..n {
                    if s + 1 < n {
                        add(s, 0, s + 1);
                    }
                    add(s, 1 + s % 10, n);
                }
            })
        },
    },
    // One state with steps to all states of a path, which are told apart one
    // at a time.
    Family {
        name: "hub to a path",
        member: |m| {
            special(|add| {
                for k in 1..=m / 2 {
                    add(0, 1, k);
                    add(k, 2, k % (m / 2) + 1);
                }
                add(m / 2, 3, 0);
            })
        },
    },
    // The same by hidden steps.
    Family {
        name: "tau-hub to a path",
        member: |m| {
            special(|add| {
                for k in 1..=m / 2 {
                    add(0, 0, k);
                    add(k, 2, k % (m / 2) + 1);
                }
                add(m / 2, 3, 0);
            })
        },
    },
    // One state with hidden steps from many, all inert until the many are told
    // apart one at a time, each with a state before it: each can reach a state
    // of a path which the one cannot. Who looks at all steps into the one each
    // time is quadratic.
    Family {
        name: "tau-steps to a hub",
        member: |m| {
            special(|add| {
                let n = m / 5;
                let path = n + 1;
                let before = 2 * n + 1;
                add(0, 1, path);
                add(path, 2, path);
                for k in 1..=n {
                    add(k, 0, 0);
                    add(k, 1, path + k);
                    add(before + k, 0, k);
                    add(before + k, 1, path + k);
                    add(path + k, 2, path + k - 1);
                }
                add(path + 1, 3, 0);
            })
        },
    },
    // States that lose their inert steps all at once, each without one of the
    // many labels that the others have.
    Family {
        name: "tau-steps by many labels",
        member: |m| {
            special(|add| {
                let width = m.isqrt();
                let (end, p, q) = (width + 1, width + 2, width + 3);
                for k in 0..=width {
                    for label in (1..=width).filter(|&label| label != k) {
                        add(k, 3 + label, end);
                    }
                    if k > 0 {
                        add(k, 0, 0);
                        add(k, 1, p);
                    }
                }
                // The ways of p and q part late.
                add(0, 1, q);
                add(p, 2, p);
                for k in 0..3 {
                    add(q + k, 2, q + k + 1);
                }
                add(q + 3, 3, end);
            })
        },
    },
    // A hidden path beside a visible one, a step across at each state: states
    // become bottom states one at a time.
    Family {
        name: "tau-chain by a path",
        member: |m| {
            special(|add| {
                for k in 0..m / 3 {
                    add(2 * k, 0, 2 * k + 2);
                    add(2 * k, 1, 2 * k + 1);
                    add(2 * k + 1, 1, 2 * k + 3);
                }
            })
        },
    },
    // States that lose their inert steps one after another, each with steps
    // under half of all labels: what is fresh must be looked at for all of them.
    Family {
        name: "tau-chain with many labels",
        member: |m| {
            special(|add| {
                let width = m.isqrt();
                for k in 0..width {
                    add(k + 1, 0, k);
                    for label in 0..width / 2 {
                        add(k, 1 + (k * 7 + label * 3) % width, width + 1);
                    }
                }
                for label in 0..width {
                    add(width, 1 + label, width + 1);
                }
            })
        },
    },
];

/// What the engine for a relation is given.
fn refined(lts: &Lts, relation: Relation) -> (Refined, usize) {
    let run = |rows: Rows<'_>, refine: fn(Rows<'_>, Vec<u32>, u32, &mut Rounds<'_>) -> Refined| {
        let n = rows.states();
        let refined = refine(rows, vec![0; n], 1, &mut Rounds::new(&mut untold));
        (refined, n + rows.targets.len())
    };
    if relation == Relation::Strong {
        return run(lts.into(), refine_strong);
    }
    let silent = TauContraction::new(lts, relation == Relation::DivBranching);
    run(silent.rows(), refine_branching)
}

/// Steps as a multiple of (m + n) (1 + log2 n).
fn steps_per_bound(refined: &Refined, size: usize) -> f64 {
    let n = refined.block.len();
    refined.steps as f64 / (size as f64 * (1.0 + (n as f64).log2()))
}

#[test]
fn steps_are_within_the_bound() {
    let check = |lts: &Lts, relation: Relation, what: &dyn std::fmt::Display| {
        let (refined, size) = refined(lts, relation);
        let factor = steps_per_bound(&refined, size);
        assert!(factor < 2.5, "{what}, {relation}: {factor:.2}");
    };
    for relation in [Relation::Strong, Relation::Branching] {
        for family in FAMILIES {
            for m in [1000, 30_000] {
                check(&(family.member)(m), relation, &family.name);
            }
        }
        for shape in Shape::ALL {
            for seed in 0..20 {
                let mut random = Random::new(seed);
                let size = random.between(1, 1000);
                let lts = random_lts(shape, size, &mut random);
                check(&lts, relation, &format_args!("{shape:?}, seed {seed}"));
            }
        }
    }
}

/// Prints, in Markdown, steps per transition and state, and processor time, at
/// growing sizes.
#[test]
#[ignore = "measures instead of testing"]
fn growth() {
    let now = || {
        let usage = getrusage(UsageWho::RUSAGE_SELF).expect("it cannot fail");
        usage.user_time().num_microseconds() as f64 / 1e6
    };
    let measure = |name: &str, members: &[Lts]| {
        for relation in [Relation::Strong, Relation::Branching] {
            print!("| {name} | {relation} |");
            for lts in members {
                let start = now();
                let (refined, size) = refined(lts, relation);
                let time = now() - start;
                let steps = refined.steps as f64 / size as f64;
                print!(" {steps:.1}, {time:.3} s |");
            }
            println!();
        }
    };
    println!("| family | relation | 10^4 | 10^5 | 10^6 |\n|---|---|---|---|---|");
    for family in FAMILIES {
        measure(
            family.name,
            &[10_000, 100_000, 1_000_000].map(family.member),
        );
    }
    println!("\n| input | relation | steps, time |\n|---|---|---|");
    measure("random 1000000 5000000", &[random(1_000_000, 5_000_000)]);
}
