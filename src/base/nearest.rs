//! Names that may have been meant where another one is written.

/// How alike a name is to one that may have been meant at least.
const ALIKE: f64 = 0.8;

/// The known name that was most likely meant by this one, which is not known; `None` if none
/// looks alike. By the similarity of Jaro and Winkler, of equal ones the last.
pub fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let alike = known
        .into_iter()
        .map(|known| (similarity(name, known), known));
    let best = alike.max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|best| best.0 > ALIKE).map(|best| best.1)
}

/// Orders known names by how much they look like this one, those that do most first.
pub fn nearest_first(name: &str, known: &mut [String]) {
    known.sort_by(|a, b| similarity(name, b).total_cmp(&similarity(name, a)));
}

fn similarity(a: &str, b: &str) -> f64 {
    strsim::jaro_winkler(a, b)
}

#[cfg(test)]
mod tests {
    use super::{nearest, nearest_first};

    #[test]
    fn a_slip_of_a_letter_finds_the_name_and_another_word_none() {
        let known = ["branching", "strong", "weak"];
        assert_eq!(nearest("brancing", known), Some("branching"));
        assert_eq!(nearest("stong", known), Some("strong"));
        assert_eq!(nearest("quux", known), None);
        assert_eq!(nearest("", known), None);
    }

    #[test]
    fn the_nearest_names_come_first() {
        let mut known = ["x10", "b", "x1", "x2"].map(String::from);
        nearest_first("x1", &mut known);
        assert_eq!(known[0], "x1");
        assert_eq!(known[3], "b");
    }
}
