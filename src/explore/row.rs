//! The transitions of one state, kept until all are known.

use hyades_formats::LabelId;

use super::model::Emit;

/// Labels and targets.
#[derive(Default)]
pub(super) struct Row {
    /// Labels, and where the targets are.
    labels: Vec<(LabelId, u32)>,
    targets: Vec<u64>,
    words: usize,
}

impl Row {
    pub fn clear(&mut self) {
        self.labels.clear();
        self.targets.clear();
    }

    pub fn push(&mut self, label: LabelId, target: &[u64]) {
        self.words = target.len();
        self.labels.push((label, self.labels.len() as u32));
        self.targets.extend_from_slice(target);
    }

    /// Emits each transition once, sorted by label and target.
    pub fn emit_distinct(&mut self, emit: &mut (impl Emit + ?Sized)) {
        let Self {
            labels,
            targets,
            words,
        } = self;
        let target = |at: u32| &targets[at as usize * *words..][..*words];
        labels.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| target(a.1).cmp(target(b.1))));
        labels.dedup_by(|a, b| a.0 == b.0 && target(a.1) == target(b.1));
        for &(label, at) in labels.iter() {
            emit.transition(label, target(at));
        }
    }
}
