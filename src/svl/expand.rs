//! Strategies of reduction, spelt out.

use crate::parse::SyntaxError;
use crate::syntax::{
    Abstractions, Behaviour, Item, ItemKind, Operator, Property, Question, Reduction, Script,
    Strategy, Verification,
};

/// So many operators one after the other may be reduced one by one.
const MOST_NODES: usize = 150;

/// The script with `leaf`, `root leaf` and `node` reductions spelt out as reductions of
/// parts. A `smart` reduction depends on what its parts become, and stays.
///
/// # Errors
/// If a `node` reduction has too many operators.
pub fn expand(script: &Script) -> Result<Script, SyntaxError> {
    let items = items(&script.items)?;
    Ok(Script { items })
}

type Expanded<T> = Result<T, SyntaxError>;

fn items(items: &[Item]) -> Expanded<Vec<Item>> {
    items.iter().map(item).collect()
}

fn item(item: &Item) -> Expanded<Item> {
    let kind = match &item.kind {
        ItemKind::Assignment(target, of) => ItemKind::Assignment(target.clone(), behaviour(of)?),
        ItemKind::Verification(verification) => ItemKind::Verification(Verification {
            question: question(&verification.question)?,
            ..verification.clone()
        }),
        ItemKind::Property(property) => ItemKind::Property(Property {
            items: items(&property.items)?,
            ..property.clone()
        }),
        kind @ (ItemKind::Shell(_) | ItemKind::Expectation(_) | ItemKind::Check(..)) => {
            kind.clone()
        }
    };
    Ok(Item {
        kind,
        ..item.clone()
    })
}

fn question(question: &Question) -> Expanded<Question> {
    Ok(match question {
        Question::Comparison {
            relation,
            left,
            order,
            right,
        } => Question::Comparison {
            relation: relation.clone(),
            left: behaviour(left)?,
            order: *order,
            right: behaviour(right)?,
        },
        Question::Formula(file, of) => Question::Formula(file.clone(), behaviour(of)?),
        Question::Inline(of, formula, place) => {
            Question::Inline(behaviour(of)?, formula.clone(), *place)
        }
        Question::Deadlock(of) => Question::Deadlock(behaviour(of)?),
        Question::Livelock(of) => Question::Livelock(behaviour(of)?),
    })
}

/// A behaviour without strategies but `smart`.
fn behaviour(of: &Behaviour) -> Expanded<Behaviour> {
    let Behaviour::Reduction(reduction) = of else {
        return map(of, &mut behaviour);
    };
    let inner = behaviour(&reduction.of)?;
    let by = |of: Behaviour| reduced(reduction, of);
    Ok(match reduction.strategy {
        None => by(inner),
        Some(Strategy::Leaf) => leaves(inner, &by),
        Some(Strategy::RootLeaf) => by(leaves(inner, &by)),
        Some(Strategy::Node) => nodes(inner, reduction)?,
        Some(Strategy::Smart) => Behaviour::Reduction(Box::new(Reduction {
            of: inner,
            ..(**reduction).clone()
        })),
    })
}

/// A reduction as another one, of something else, and without its strategy.
fn reduced(reduction: &Reduction, of: Behaviour) -> Behaviour {
    Behaviour::Reduction(Box::new(Reduction {
        strategy: None,
        of,
        ..reduction.clone()
    }))
}

/// The same of the parts of a behaviour.
fn map(
    of: &Behaviour,
    change: &mut dyn FnMut(&Behaviour) -> Expanded<Behaviour>,
) -> Expanded<Behaviour> {
    let mut changed = |of: &Behaviour| change(of).map(Box::new);
    Ok(match of {
        Behaviour::File { .. }
        | Behaviour::Process { .. }
        | Behaviour::Stop
        | Behaviour::Chaos(_)
        | Behaviour::Buffer { .. } => of.clone(),
        Behaviour::Generation(of) => Behaviour::Generation(changed(of)?),
        Behaviour::Reduction(reduction) => Behaviour::Reduction(Box::new(Reduction {
            of: change(&reduction.of)?,
            ..(**reduction).clone()
        })),
        Behaviour::Hide(mode, labels, of) => Behaviour::Hide(*mode, labels.clone(), changed(of)?),
        Behaviour::Cut(mode, labels, of) => Behaviour::Cut(*mode, labels.clone(), changed(of)?),
        Behaviour::Rename(mode, rules, of) => Behaviour::Rename(*mode, rules.clone(), changed(of)?),
        Behaviour::Prio(mode, chains, of) => Behaviour::Prio(*mode, chains.clone(), changed(of)?),
        Behaviour::Par {
            mode,
            global,
            operands,
        } => {
            let operands = operands.iter();
            let operands = operands.map(|(local, of)| Ok((local.clone(), change(of)?)));
            Behaviour::Par {
                mode: *mode,
                global: global.clone(),
                operands: operands.collect::<Expanded<_>>()?,
            }
        }
        Behaviour::Vectors {
            mode,
            vectors,
            operands,
        } => Behaviour::Vectors {
            mode: *mode,
            vectors: vectors.clone(),
            operands: operands.iter().map(change).collect::<Expanded<_>>()?,
        },
        Behaviour::Infix(operands, operators) => Behaviour::Infix(
            operands.iter().map(change).collect::<Expanded<_>>()?,
            operators.clone(),
        ),
        Behaviour::Abstraction {
            is_guess,
            interface,
            sync,
            of,
        } => Behaviour::Abstraction {
            is_guess: *is_guess,
            interface: changed(interface)?,
            sync: sync.clone(),
            of: changed(of)?,
        },
        Behaviour::Abstractions(abstractions) => Behaviour::Abstractions(Box::new(Abstractions {
            interfaces: {
                let interfaces = abstractions.interfaces.iter();
                interfaces.map(&mut *change).collect::<Expanded<_>>()?
            },
            of: change(&abstractions.of)?,
            ..(**abstractions).clone()
        })),
    })
}

/// Whether something is composed in a behaviour, in a way that reductions are passed on
/// through.
pub(crate) fn is_composed(of: &Behaviour) -> bool {
    match of {
        Behaviour::Par { .. } | Behaviour::Vectors { .. } => true,
        // What restricts groups to the right.
        Behaviour::Infix(_, operators) => !matches!(operators[0], Operator::Semi { .. }),
        Behaviour::Hide(_, _, of)
        | Behaviour::Cut(_, _, of)
        | Behaviour::Rename(_, _, of)
        | Behaviour::Prio(_, _, of) => is_composed(of),
        Behaviour::File { .. }
        | Behaviour::Process { .. }
        | Behaviour::Stop
        | Behaviour::Chaos(_)
        | Behaviour::Buffer { .. }
        | Behaviour::Generation(_)
        | Behaviour::Reduction(_)
        | Behaviour::Abstraction { .. }
        | Behaviour::Abstractions(_) => false,
    }
}

/// An operator between two behaviours, and what it stands between: the right side is all
/// that follows.
fn split(
    mut operands: Vec<Behaviour>,
    mut operators: Vec<Operator>,
) -> (Behaviour, Operator, Behaviour) {
    let left = operands.remove(0);
    let operator = operators.remove(0);
    let right = match operators.is_empty() {
        true => operands.remove(0),
        false => Behaviour::Infix(operands, operators),
    };
    (left, operator, right)
}

/// A behaviour with each of its leaves changed.
fn leaves(of: Behaviour, change: &dyn Fn(Behaviour) -> Behaviour) -> Behaviour {
    if !is_composed(&of) {
        return change(of);
    }
    let boxed = |of: Box<Behaviour>| Box::new(leaves(*of, change));
    match of {
        Behaviour::Hide(mode, labels, of) => Behaviour::Hide(mode, labels, boxed(of)),
        Behaviour::Cut(mode, labels, of) => Behaviour::Cut(mode, labels, boxed(of)),
        Behaviour::Rename(mode, rules, of) => Behaviour::Rename(mode, rules, boxed(of)),
        Behaviour::Prio(mode, chains, of) => Behaviour::Prio(mode, chains, boxed(of)),
        Behaviour::Par {
            mode,
            global,
            operands,
        } => {
            let operands = operands.into_iter();
            let operands = operands.map(|(local, of)| (local, leaves(of, change)));
            Behaviour::Par {
                mode,
                global,
                operands: operands.collect(),
            }
        }
        Behaviour::Vectors {
            mode,
            vectors,
            operands,
        } => {
            let operands = operands.into_iter().map(|of| leaves(of, change));
            Behaviour::Vectors {
                mode,
                vectors,
                operands: operands.collect(),
            }
        }
        Behaviour::Infix(mut operands, mut operators) => {
            let is_semi = |operator: &Operator| matches!(operator, Operator::Semi { .. });
            if let Some(first) = operators.iter().position(is_semi) {
                // All from there on restricts, or is restricted.
                let rest = Behaviour::Infix(operands.split_off(first), operators.split_off(first));
                operands.push(rest);
            }
            let operands = operands.into_iter().map(|of| leaves(of, change));
            Behaviour::Infix(operands.collect(), operators)
        }
        other @ (Behaviour::File { .. }
        | Behaviour::Process { .. }
        | Behaviour::Stop
        | Behaviour::Chaos(_)
        | Behaviour::Buffer { .. }
        | Behaviour::Generation(_)
        | Behaviour::Reduction(_)
        | Behaviour::Abstraction { .. }
        | Behaviour::Abstractions(_)) => change(other),
    }
}

/// A behaviour that is reduced after each operator.
fn nodes(of: Behaviour, reduction: &Reduction) -> Expanded<Behaviour> {
    if !is_composed(&of) {
        return Ok(reduced(reduction, of));
    }
    let boxed = |of: Box<Behaviour>| nodes(*of, reduction).map(Box::new);
    let of = match of {
        Behaviour::Hide(mode, labels, of) => Behaviour::Hide(mode, labels, boxed(of)?),
        Behaviour::Cut(mode, labels, of) => Behaviour::Cut(mode, labels, boxed(of)?),
        Behaviour::Rename(mode, rules, of) => Behaviour::Rename(mode, rules, boxed(of)?),
        Behaviour::Prio(mode, chains, of) => Behaviour::Prio(mode, chains, boxed(of)?),
        Behaviour::Par {
            mode,
            global,
            operands,
        } => {
            let operands = operands.into_iter();
            let operands = operands.map(|(local, of)| Ok((local, nodes(of, reduction)?)));
            Behaviour::Par {
                mode,
                global,
                operands: operands.collect::<Expanded<_>>()?,
            }
        }
        Behaviour::Vectors {
            mode,
            vectors,
            operands,
        } => {
            let operands = operands.into_iter().map(|of| nodes(of, reduction));
            Behaviour::Vectors {
                mode,
                vectors,
                operands: operands.collect::<Expanded<_>>()?,
            }
        }
        Behaviour::Infix(operands, operators) => {
            if operators.len() > MOST_NODES {
                return Err(SyntaxError {
                    place: reduction.place,
                    text: format!(
                        "more than {MOST_NODES} operators follow one another in a `node` \
                         reduction: use `leaf` or `smart`, or `par … end par`"
                    ),
                });
            }
            let (left, operator, right) = split(operands, operators);
            let sides = vec![nodes(left, reduction)?, nodes(right, reduction)?];
            Behaviour::Infix(sides, vec![operator])
        }
        other @ (Behaviour::File { .. }
        | Behaviour::Process { .. }
        | Behaviour::Stop
        | Behaviour::Chaos(_)
        | Behaviour::Buffer { .. }
        | Behaviour::Generation(_)
        | Behaviour::Reduction(_)
        | Behaviour::Abstraction { .. }
        | Behaviour::Abstractions(_)) => other,
    };
    Ok(reduced(reduction, of))
}
