//! Values that labels tell are those with which they match.

use hyades_testing::Random;

use crate::data::{self, Scope};
use crate::matching::{Bound, Extended, LabelText, matches};
use crate::sets::Nothing;
use crate::syntax::{
    ActionFormula, ActionTerm, Domain, Expression, Function, Place, Quantifier, Value, VariableId,
};

const LABELS: [&str; 20] = [
    "a",
    "a(0)",
    "a(1)",
    "a(03)",
    "a(3.0)",
    "a(-1)",
    "a( 2 )",
    "a(99999999999999999999)",
    "a(1e400)",
    "a(x)",
    "a(f(x, 1))",
    "a(f(x,y))",
    "a(true)",
    "a(1, 2)",
    "a(x, 2)",
    "b(2)",
    "a(1)|b(2)",
    "b(x)|a(x)",
    "a(1)|a(2)",
    "a(1)@3",
];

fn constant(random: &mut Random) -> Value {
    match random.between(0, 3) {
        0 => Value::Bool(random.chance(50)),
        1 => Value::Text(b"f(x,1)"[..].into()),
        2 => Value::Text(b"x"[..].into()),
        _ => Value::Int(random.between(0, 4) as i64 - 1),
    }
}

fn argument(random: &mut Random, variables: u32) -> Expression {
    match random.between(0, 9) {
        0 => Expression::Constant(constant(random)),
        1 => {
            let operands = vec![argument(random, variables), argument(random, variables)];
            let function = Function::Construct("f".into());
            Expression::Apply(function, operands, Place::default())
        }
        // What may have no value.
        2 => {
            let operands = vec![argument(random, variables)];
            Expression::Apply(Function::PredecessorNatural, operands, Place::default())
        }
        _ => Expression::Variable(VariableId(random.between(0, variables as usize - 1) as u32)),
    }
}

fn domain(random: &mut Random) -> Domain {
    match random.between(0, 3) {
        0 => Domain::Booleans,
        1 => {
            let values = (0..random.between(0, 9)).map(|_| constant(random));
            Domain::Values(values.map(Expression::Constant).collect())
        }
        _ => {
            let first = random.between(0, 3) as i64 - 1;
            let bounds = [first, first + random.between(0, 9) as i64 - 1];
            Domain::Range(bounds.map(|n| Expression::Constant(Value::Int(n))).into())
        }
    }
}

/// Of a formula in which there are these variables.
fn formula(random: &mut Random, depth: usize, variables: u32) -> ActionFormula {
    let kind = if depth == 0 { 0 } else { random.between(0, 9) };
    match kind {
        0..=3 if variables > 0 => {
            let terms = (0..random.between(1, 2)).map(|_| ActionTerm {
                name: ["a", "a", "b"][random.between(0, 2)].into(),
                arguments: (0..random.between(0, 2))
                    .map(|_| argument(random, variables))
                    .collect(),
            });
            ActionFormula::MultiAction(terms.collect(), Place::default())
        }
        4 => ActionFormula::Not(formula(random, depth - 1, variables).into()),
        5 | 6 => {
            let operands = [(); 2].map(|()| formula(random, depth - 1, variables));
            match kind {
                5 => ActionFormula::And(operands.into()),
                _ => ActionFormula::Or(operands.into()),
            }
        }
        _ if depth == 0 => ActionFormula::Constant(random.chance(50)),
        kind => {
            let quantifier = [Quantifier::Forall, Quantifier::Exists][usize::from(kind != 7)];
            let domain = domain(random);
            let body = formula(random, depth - 1, variables + 1);
            ActionFormula::Quantified(quantifier, VariableId(variables), domain, body.into())
        }
    }
}

/// Whether a label is in the set, with all values of each domain; none if there is no value.
fn as_defined(formula: &ActionFormula, label: LabelText<'_>, scope: &dyn Scope) -> Option<bool> {
    let inner = |formula| as_defined(formula, label, scope);
    Some(match formula {
        ActionFormula::Not(operand) => !inner(operand)?,
        ActionFormula::And(operands) => inner(&operands[0])? && inner(&operands[1])?,
        ActionFormula::Or(operands) => inner(&operands[0])? || inner(&operands[1])?,
        ActionFormula::Quantified(quantifier, variable, domain, body) => {
            let wanted = *quantifier == Quantifier::Exists;
            for value in data::domain(domain, scope).ok()? {
                let bound = &[(*variable, value)];
                let scope = Extended {
                    outer: scope,
                    bound,
                };
                if as_defined(body, label, &scope)? == wanted {
                    return Some(wanted);
                }
            }
            !wanted
        }
        formula => matches(formula, label, scope, &mut Bound::new()).ok()?,
    })
}

#[test]
fn values_that_labels_tell_are_enough() {
    let mut random = Random::new(7);
    let mut counts = [0; 3];
    for _ in 0..4000 {
        let formula = formula(&mut random, 5, 0);
        for label in LABELS {
            let text = LabelText::new(label.as_bytes(), false);
            let expected = as_defined(&formula, text, &Nothing);
            let found = matches(&formula, text, &Nothing, &mut Bound::new()).ok();
            assert_eq!(found, expected, "{label} {formula:?}");
            counts[expected.map_or(2, usize::from)] += 1;
        }
    }
    assert!(counts.iter().all(|&n| n > 1000), "{counts:?}");
}
