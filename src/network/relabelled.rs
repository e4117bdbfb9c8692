//! A network whose labels are hidden, renamed or cut from outside.

use std::collections::BTreeMap;

use hyades_explore::relabelled_text;
use hyades_formats::{LabelId, LabelTable, TooLarge};
use hyades_lts::relabel::Rules;

use super::Network;
use super::event::EventId;
use super::rules::{Limits, RuleSet};

impl Network {
    /// The network with these rules applied to its labels, the first ones first,
    /// as [`Relabelled`](hyades_explore::Relabelled) does while it is explored. A
    /// label that is renamed to one of the texts of `hidden` becomes hidden.
    ///
    /// # Errors
    /// If there are too many labels.
    pub fn relabelled(mut self, rules: &[Rules], hidden: &[Vec<u8>]) -> Result<Self, TooLarge> {
        let mut roots: Vec<(LabelId, EventId)> = Vec::new();
        let mut visible: BTreeMap<Vec<u8>, Vec<EventId>> = BTreeMap::new();
        let wrong = self.wrong.map(|label| self.labels.text(label).to_vec());
        for &(label, event) in &self.roots {
            let text = match label.is_hidden() {
                true => Some(None),
                false if Some(label) == self.wrong => Some(wrong.clone()),
                false => relabelled_text(rules, hidden, self.labels.text(label)),
            };
            match text {
                None => {}
                Some(None) => roots.push((LabelId::HIDDEN, event)),
                Some(Some(text)) => visible.entry(text).or_default().push(event),
            }
        }
        let mut labels = LabelTable::new();
        for (text, events) in visible {
            roots.push((labels.intern(&text)?, self.events.any(events)));
        }
        self.rules = RuleSet::new(&self.events, &roots, &Limits::of(&self.events));
        self.wrong = wrong.and_then(|text| labels.find(&text));
        self.labels = labels;
        self.roots = roots;
        Ok(self)
    }
}
