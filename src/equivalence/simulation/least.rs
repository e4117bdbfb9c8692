//! How many classes of similarity there are at the least.

use hyades_base::interned::Interned;
use hyades_base::parallel;

use super::bits::{self, Row};
use super::graph::runs;
use super::preorder::{ByMenu, Menus};
use crate::{Rows, element};

/// Up to so many classes of a round are compared with each other: 8 MiB.
const COMPARED: usize = 1 << 13;

/// How many classes of similarity there are at the least, as far as that is soon known; no
/// more than `enough` are looked for.
///
/// Simulation is the limit of preorders, each within the one before: the first one compares
/// the labels of steps, and by each further one a node is below another one if each of its
/// steps has an answer with the same label to a target that is above its own by the preorder
/// before. Nodes that are below each other by simulation are so by all of these. They are
/// below each other by one if they have the same labels and, for each label, the same classes
/// of targets that are maximal in the one before.
///
/// Rounds end where the classes do not at least double any more. O(m d + k² d) time for each
/// round of up to 13, where k ≤ 8192 are its classes and up to d steps of a node have the
/// same label; k²/8 bytes, and 8 bytes a step.
pub(super) fn classes(rows: Rows<'_>, groups: &ByMenu, menus: Menus, enough: usize) -> usize {
    if groups.count() > COMPARED {
        return groups.count();
    }
    let by_menu = groups.above(menus);
    let (mut class, mut above) = (groups.group.clone(), by_menu.clone());
    loop {
        let count = above.len();
        let mut kinds: Interned<u64> = Interned::default();
        let (mut kind, mut maximal) = (Vec::new(), Vec::new());
        let mut next = Vec::with_capacity(class.len());
        for v in 0..rows.states() as u32 {
            kind.clear();
            kind.push(element(groups.group[v as usize], 0));
            for (label, targets) in runs(rows, v) {
                maximal.clear();
                maximal.extend(targets.iter().map(|t| class[t.index()]));
                retain_maximal(&mut maximal, &above);
                kind.extend(maximal.iter().map(|&c| element(label.get(), c)));
            }
            next.push(kinds.intern(&kind).0);
            if kinds.len() > enough {
                return kinds.len();
            }
        }
        if kinds.len() < 2 * count || kinds.len() > COMPARED {
            return kinds.len().max(count);
        }
        above = parallel::map(kinds.len(), 16, |x| {
            let is_above = |&y: &usize| {
                let (x, y) = (kinds.get(x as u32), kinds.get(y as u32));
                is_below(x, y, &by_menu, &above)
            };
            bits::collect(kinds.len(), (0..kinds.len()).filter(is_above))
        });
        class = next;
    }
}

/// Leaves of some classes those that are below no other one, ascending and each once.
fn retain_maximal(classes: &mut Vec<u32>, above: &[Row]) {
    classes.sort_unstable();
    classes.dedup();
    let all = classes.clone();
    // Classes that are below each other are the same.
    let is_below = |c: u32, d: u32| c != d && bits::contains(&above[c as usize], d as usize);
    classes.retain(|&c| !all.iter().any(|&d| is_below(c, d)));
}

/// Whether nodes of one kind are below those of another one: kinds are the group by labels,
/// and labels with the maximal classes of their targets.
fn is_below(x: &[u64], y: &[u64], by_menu: &[Row], above: &[Row]) -> bool {
    let group = |kind: &[u64]| (kind[0] >> 32) as usize;
    let is_answered = |&step: &u64| {
        let row = &above[step as u32 as usize];
        let of_label = y[1..].partition_point(|&answer| answer >> 32 < step >> 32);
        let answers = y[1 + of_label..].iter();
        let mut answers = answers.take_while(|&&answer| answer >> 32 == step >> 32);
        answers.any(|&answer| bits::contains(row, answer as u32 as usize))
    };
    bits::contains(&by_menu[group(x)], group(y)) && x[1..].iter().all(is_answered)
}

#[cfg(test)]
mod tests {
    use hyades_testing::{Random, Shape, random_lts};

    use super::super::graph::Graph;
    use super::super::{MATRIX_NODES, simulation};
    use super::*;
    use crate::rounds::{Rounds, untold};

    /// There are never fewer classes of similarity, and on random systems often as many.
    #[test]
    fn there_are_no_fewer_classes() {
        let mut random = Random::new(3);
        let mut exact = 0;
        for k in 0..400 {
            let shape = [Shape::Uniform, Shape::OneLabel][k % 2];
            let size = random.between(1, 40);
            let lts = random_lts(shape, size, &mut random);
            let graph = Graph::strong(&lts, None, &mut Rounds::new(&mut untold));
            for menus in [Menus::Included, Menus::Equal] {
                let groups = ByMenu::new(graph.rows());
                let least = classes(graph.rows(), &groups, menus, usize::MAX);
                let preorder = simulation(&graph, menus, MATRIX_NODES);
                let (_, count) = preorder.unwrap().classes();
                assert!(least <= count as usize, "{k}: {least} of {count}");
                exact += usize::from(least == count as usize && least > 4);
            }
        }
        assert!(exact > 50, "{exact}");
    }
}
