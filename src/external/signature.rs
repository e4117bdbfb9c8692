//! Signatures, as long as they are not compared by their hashes.

/// One element of a signature: a label and the block that it leads to.
#[inline(always)]
pub(crate) const fn element(label: u32, block: u32) -> u64 {
    (label as u64) << 32 | block as u64
}

/// The signature of a state: its elements, ascending, each once.
#[inline]
pub(crate) fn sign(labels: &[u32], targets: &[u32], block: &[u32], set: &mut Vec<u64>) {
    set.clear();
    let steps = labels.iter().zip(targets);
    set.extend(steps.map(|(&label, &target)| element(label, block[target as usize])));
    set.sort_unstable();
    set.dedup();
}
