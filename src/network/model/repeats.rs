//! Which labels may have the same transition by several rules.

use std::collections::HashMap;

use super::super::rules::Rule;
use super::table::Table;

/// So many pairs of rules are compared; beyond that, labels are taken to have
/// repetitions, which costs time and no more.
const MAX_PAIRS: usize = 1 << 20;

/// For each group of rules with one label: whether two of them may lead from one
/// state to the same one. `tables` gives the table of a component.
///
/// That takes components which only one of the rules moves to have loops, so
/// that they stay where they are.
pub(super) fn may_repeat<'t>(rules: &[&Rule], tables: &impl Fn(u32) -> &'t Table) -> bool {
    if rules.len() < 2 {
        return false;
    }
    // For each component, the rules that certainly change its state.
    let mut movers: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut still = Vec::new();
    let mut parts: HashMap<u32, Vec<usize>> = HashMap::new();
    for (number, rule) in rules.iter().enumerate() {
        let moved = rule
            .parts
            .iter()
            .find(|&&(component, label)| !tables(component).has_loop[label.index()]);
        match moved {
            Some(&(component, _)) => movers.entry(component).or_default().push(number),
            None => still.push(number),
        }
        for &(component, _) in &rule.parts {
            parts.entry(component).or_default().push(number);
        }
    }
    // Whatever repeats a rule moves the component that the rule moves for sure.
    let pairs = movers
        .iter()
        .map(|(component, movers)| movers.len().saturating_mul(parts[component].len()))
        .chain([still.len().saturating_mul(rules.len())])
        .fold(0, usize::saturating_add);
    if pairs > MAX_PAIRS {
        return true;
    }
    let of_movers = movers
        .iter()
        .flat_map(|(component, movers)| movers.iter().map(|&rule| (rule, &parts[component])));
    let all: Vec<usize> = (0..rules.len()).collect();
    let mut candidates = of_movers.chain(still.iter().map(|&rule| (rule, &all)));
    candidates.any(|(one, others)| {
        let mut others = others.iter().filter(|&&other| other != one);
        others.any(|&other| meet(rules[one], rules[other], tables))
    })
}

/// Whether two rules may lead from one state to the same one.
fn meet<'t>(one: &Rule, other: &Rule, tables: &impl Fn(u32) -> &'t Table) -> bool {
    let covers = |rule: &Rule, others: &Rule| {
        rule.parts.iter().all(|&(component, label)| {
            let table = tables(component);
            let at = others.parts.binary_search_by_key(&component, |&(c, _)| c);
            match at {
                Ok(at) => others.parts[at].1 == label || table.has_parallel,
                Err(_) => table.has_loop[label.index()],
            }
        })
    };
    covers(one, other) && covers(other, one)
}
