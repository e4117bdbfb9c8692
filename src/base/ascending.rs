//! Ascending lists.

/// A bit for each member; a set is part of another only if its bits are.
pub fn mask(set: &[u32]) -> u64 {
    set.iter().fold(0, |mask, &k| mask | 1 << (k % 64))
}

/// Whether one ascending list is part of another. O(both), or O(part · log whole) if the
/// first is much the shorter one.
pub fn is_subset<T: Ord>(part: &[T], whole: &[T]) -> bool {
    if part.len() > whole.len() {
        return false;
    }
    if part.len() * 8 < whole.len() {
        let mut rest = whole;
        return part.iter().all(|k| match rest.binary_search(k) {
            Ok(at) => {
                rest = &rest[at + 1..];
                true
            }
            Err(_) => false,
        });
    }
    let mut whole = whole.iter();
    part.iter()
        .all(|k| whole.by_ref().find(|&other| other >= k) == Some(k))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_of_short_and_long_lists() {
        for whole in 0..64u32 {
            let whole: Vec<u32> = (0..6).filter(|k| whole >> k & 1 == 1).collect();
            let long: Vec<u32> = whole.iter().copied().chain(10..100).collect();
            for part in 0..64u32 {
                let part: Vec<u32> = (0..6).filter(|k| part >> k & 1 == 1).collect();
                let expected = part.iter().all(|k| whole.contains(k));
                assert_eq!(is_subset(&part, &whole), expected);
                assert_eq!(is_subset(&part, &long), expected);
            }
        }
    }
}
