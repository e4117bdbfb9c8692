//! Some components of a network become one.
//!
//! What the components of a set do together by a rule is the part of the rule
//! that is theirs. Each such part becomes a label of the product, and what the
//! network needs for the rest of the rule (other components, the result, guards)
//! is the *context* of that label. Parts whose contexts are the same become the
//! same label; a part whose context is just a hidden result becomes hidden.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, StateId, TooLarge};

use super::super::Network;
use super::super::components::{Component, ComponentFile};
use super::super::event::{Event, EventId, Events};
use super::super::rules::{Limits, Rule, RuleSet};
use super::guards::{Inside, guards_of, parts_of_rest, rebuilt};

/// What the network does with a label of a product.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Context {
    /// A rule: other components, the label of the whole, guards that are about
    /// others too.
    Rule(Vec<(u32, LabelId)>, LabelId, Vec<EventId>),
    /// A component moves by it in what did not become rules.
    Elsewhere(u32, LabelId),
}

impl Context {
    /// Whether it is a hidden step that nobody else is asked about.
    fn is_free(&self) -> bool {
        matches!(self, Context::Rule(others, label, guards)
            if others.is_empty() && label.is_hidden() && guards.is_empty())
    }
}

/// What some components do by a rule, numbered within the set, and guards that
/// are about them alone.
type OwnPart = (Vec<(u32, LabelId)>, Vec<EventId>);

/// What the product of some components depends on: the numbers of their files,
/// and for each part of rules that is theirs its label in the product.
pub(super) type Key = (Vec<usize>, Vec<(Vec<(u32, LabelId)>, LabelId)>);

/// What is to become of some components.
pub(super) struct Plan {
    set: Vec<u32>,
    /// A network of only these, with labels of its own.
    part: Network,
    /// The contexts of its labels.
    contexts: BTreeMap<LabelId, Vec<Context>>,
    /// Its labels by which it tells others that a guard is enabled.
    signals: HashMap<EventId, LabelId>,
    key: Option<Key>,
}

/// The minimised product.
pub(super) enum Result {
    /// As it has just been computed.
    New(Lts),
    /// It is in this file already.
    Known(usize),
}

impl Plan {
    /// A plan to make one component of these, which are sorted; it may be only
    /// one, to see what the others can make of its labels.
    ///
    /// # Errors
    /// If there are too many labels.
    pub fn new(network: &Network, set: &[u32]) -> std::result::Result<Self, TooLarge> {
        let inside = Inside::new(network, set);
        let place = |k: u32| set.binary_search(&k).ok().map(|place| place as u32);
        // Their parts of rules, with guards that are about them alone.
        let mut parts: BTreeMap<OwnPart, Vec<Context>> = BTreeMap::new();
        let mut told: Vec<EventId> = Vec::new();
        for rule in &network.rules.rules {
            let (mut own, mut others) = (Vec::new(), Vec::new());
            for &(k, label) in &rule.parts {
                match place(k) {
                    Some(place) => own.push((place, label)),
                    None => others.push((k, label)),
                }
            }
            if own.is_empty() {
                told.extend(&rule.guards);
                continue;
            }
            let guards = rule.guards.iter().copied();
            let (within, without): (Vec<_>, Vec<_>) = guards.partition(|&g| inside.has(g));
            told.extend(&without);
            let context = Context::Rule(others, rule.label, without);
            parts.entry((own, within)).or_default().push(context);
        }
        for part in parts_of_rest(network) {
            match *network.events.get(part) {
                Event::Leaf { component, label } => {
                    if let Some(place) = place(component) {
                        let own = (vec![(place, label)], Vec::new());
                        let context = Context::Elsewhere(component, label);
                        parts.entry(own).or_default().push(context);
                    }
                }
                Event::Unless { guard, .. } => told.push(guard),
                _ => {}
            }
        }

        let mut names = Names::new(network, set);
        let mut groups: BTreeMap<Vec<Context>, LabelId> = BTreeMap::new();
        // Guards are still those of the whole network.
        let mut own_rules: Vec<Rule> = Vec::new();
        let mut contexts: BTreeMap<LabelId, Vec<Context>> = BTreeMap::new();
        for ((own, guards), mut uses) in parts {
            uses.sort_unstable();
            uses.dedup();
            if uses.iter().any(Context::is_free) {
                uses.retain(|context| !context.is_free());
                own_rules.push(Rule {
                    label: LabelId::HIDDEN,
                    parts: own.clone(),
                    guards: guards.clone(),
                });
            }
            if uses.is_empty() {
                continue;
            }
            let label = match groups.get(&uses) {
                Some(&label) => label,
                None => {
                    let label = names.of_parts(&own)?;
                    contexts.insert(label, uses.clone());
                    groups.insert(uses, label);
                    label
                }
            };
            own_rules.push(Rule {
                label,
                parts: own,
                guards,
            });
        }
        let mut signals = HashMap::new();
        for event in inside.tops(&network.events, told) {
            signals.insert(event, names.of_signal()?);
        }
        let has_guards = own_rules.iter().any(|rule| !rule.guards.is_empty());
        let key = (signals.is_empty() && !has_guards).then(|| {
            let files = set.iter().map(|&k| network.components[k as usize].file);
            let parts = own_rules.iter();
            let parts = parts.map(|rule| (rule.parts.clone(), rule.label));
            (files.collect(), parts.collect())
        });
        let part = part(network, set, own_rules, &signals, names.labels);
        Ok(Self {
            set: set.to_vec(),
            part,
            contexts,
            signals,
            key,
        })
    }

    /// The network of only these components.
    pub fn part(&self) -> &Network {
        &self.part
    }

    /// Whether guards of others look at these components.
    pub fn is_looked_at(&self) -> bool {
        !self.signals.is_empty()
    }

    /// What is the same for two plans only if the products are; `None` if that
    /// cannot be told.
    pub fn key(&self) -> Option<&Key> {
        self.key.as_ref()
    }

    /// Puts the product into the network, in place of the components. The file
    /// that it is in.
    pub fn finish(self, network: &mut Network, name: String, result: Result) -> usize {
        let file = match result {
            Result::Known(file) => file,
            Result::New(lts) => {
                let written = name.clone().into_bytes();
                let file = ComponentFile::new(&written, PathBuf::new(), lts);
                network.files.push(Arc::new(file));
                network.files.len() - 1
            }
        };
        // Components before and after.
        let first = self.set[0];
        let mut number = Vec::new();
        let mut components = Vec::new();
        for (k, component) in (0..).zip(std::mem::take(&mut network.components)) {
            if k == first || self.set.binary_search(&k).is_err() {
                number.push(components.len() as u32);
                components.push(component);
            } else {
                number.push(u32::MAX);
            }
        }
        let product = number[first as usize];
        components[product as usize] = Component { file, name };
        network.components = components;
        let own = &network.files[file];
        let occurs = |label: LabelId| match label.is_hidden() {
            true => own.has_hidden,
            false => own.alphabet.binary_search(&label).is_ok(),
        };
        let is_own = |k: u32| self.set.binary_search(&k).is_ok();

        // Guards, then what did not become rules, then rules.
        let old = std::mem::take(&mut network.events);
        let mut new = Events::default();
        let set = std::mem::take(&mut network.rules);
        let rest: Vec<EventId> = set.rest.iter().map(|&(_, event)| event).collect();
        let mut roots: Vec<EventId> = guards_of(&old, &rest);
        for rule in &set.rules {
            if !rule.parts.iter().any(|part| is_own(part.0)) {
                roots.extend(&rule.guards);
            }
        }
        for context in self.contexts.values().flatten() {
            if let Context::Rule(_, _, guards) = context {
                roots.extend(guards);
            }
        }
        let guards = rebuilt(&old, &mut new, &roots, None, &|new, event, leaf| {
            if let Some(&label) = self.signals.get(&event) {
                return Some(occurs(label).then(|| new.leaf(product, label)));
            }
            let (k, label) = leaf?;
            // What is below a signal is not asked for.
            Some((!is_own(k)).then(|| new.leaf(number[k as usize], label)))
        });
        let known: HashMap<(u32, LabelId), LabelId> = self
            .contexts
            .iter()
            .flat_map(|(&label, uses)| uses.iter().map(move |context| (label, context)))
            .filter_map(|(label, context)| match *context {
                Context::Elsewhere(k, old) => Some(((k, old), label)),
                Context::Rule(..) => None,
            })
            .collect();
        let moves = rebuilt(&old, &mut new, &rest, Some(&guards), &|new, _, leaf| {
            let (k, label) = leaf?;
            if !is_own(k) {
                return Some(Some(new.leaf(number[k as usize], label)));
            }
            let label = known[&(k, label)];
            Some(occurs(label).then(|| new.leaf(product, label)))
        });
        let guards_now = |old: &[EventId]| -> Vec<EventId> {
            let mut own: Vec<_> = old.iter().filter_map(|guard| guards[guard]).collect();
            own.sort_unstable();
            own.dedup();
            own
        };
        let others = |parts: &[(u32, LabelId)]| -> Vec<(u32, LabelId)> {
            let parts = parts.iter();
            parts.map(|&(k, l)| (number[k as usize], l)).collect()
        };
        let mut rules = Vec::new();
        for rule in set.rules {
            if !rule.parts.iter().any(|part| is_own(part.0)) {
                rules.push(Rule {
                    label: rule.label,
                    parts: others(&rule.parts),
                    guards: guards_now(&rule.guards),
                });
            }
        }
        if occurs(LabelId::HIDDEN) {
            rules.push(Rule {
                label: LabelId::HIDDEN,
                parts: vec![(product, LabelId::HIDDEN)],
                guards: Vec::new(),
            });
        }
        for (&own, uses) in &self.contexts {
            for context in uses {
                if let (Context::Rule(parts, label, guards), true) = (context, occurs(own)) {
                    let mut parts = others(parts);
                    parts.push((product, own));
                    parts.sort_unstable();
                    rules.push(Rule {
                        label: *label,
                        parts,
                        guards: guards_now(guards),
                    });
                }
            }
        }
        fn key(rule: &Rule) -> (LabelId, &[(u32, LabelId)], &[EventId]) {
            (rule.label, &rule.parts, &rule.guards)
        }
        rules.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
        rules.dedup();
        let rest = set.rest.into_iter();
        network.rules = RuleSet {
            rules,
            rest: rest
                .filter_map(|(label, event)| Some((label, moves[&event]?)))
                .collect(),
        };
        network.events = new;
        drop_unused(network);
        file
    }
}

/// Texts of labels of a product.
struct Names<'n> {
    network: &'n Network,
    set: &'n [u32],
    labels: LabelTable,
}

impl<'n> Names<'n> {
    fn new(network: &'n Network, set: &'n [u32]) -> Self {
        Self {
            network,
            set,
            labels: LabelTable::new(),
        }
    }

    /// A new label for what the components do by these labels of theirs.
    fn of_parts(&mut self, parts: &[(u32, LabelId)]) -> std::result::Result<LabelId, TooLarge> {
        let mut text = Vec::new();
        for (place, &k) in (0..).zip(self.set) {
            if place > 0 {
                text.extend_from_slice(b" * ");
            }
            match parts.iter().find(|part| part.0 == place) {
                None => text.push(b'_'),
                Some((_, LabelId::HIDDEN)) => text.push(b'i'),
                Some(&(_, label)) => {
                    let file = self.network.file_of(k as usize);
                    text.extend_from_slice(file.lts.table().text(label));
                }
            }
        }
        self.new_label(text)
    }

    /// A new label for a signal.
    fn of_signal(&mut self) -> std::result::Result<LabelId, TooLarge> {
        self.new_label(b"?".to_vec())
    }

    fn new_label(&mut self, mut text: Vec<u8>) -> std::result::Result<LabelId, TooLarge> {
        let length = text.len();
        let mut number = 1;
        while self.labels.find(&text).is_some() {
            number += 1;
            text.truncate(length);
            text.extend_from_slice(format!(" #{number}").as_bytes());
        }
        self.labels.intern(&text)
    }
}

/// The network of some components alone.
fn part(
    network: &Network,
    set: &[u32],
    mut rules: Vec<Rule>,
    signals: &HashMap<EventId, LabelId>,
    labels: LabelTable,
) -> Network {
    let mut files: Vec<usize> = Vec::new();
    let components = set.iter().map(|&k| {
        let old = &network.components[k as usize];
        let file = files.iter().position(|&file| file == old.file);
        let file = file.unwrap_or_else(|| {
            files.push(old.file);
            files.len() - 1
        });
        Component {
            file,
            name: old.name.clone(),
        }
    });
    let components = components.collect();
    let mut events = Events::default();
    let mut signals: Vec<(LabelId, EventId)> = signals.iter().map(|(&e, &l)| (l, e)).collect();
    signals.sort_unstable();
    let guards = rules.iter().flat_map(|rule| &rule.guards);
    let roots: Vec<EventId> = guards.copied().chain(signals.iter().map(|s| s.1)).collect();
    let map = rebuilt(
        &network.events,
        &mut events,
        &roots,
        None,
        &|new, _, leaf| {
            let (k, label) = leaf?;
            let place = set.binary_search(&k).expect("a guard within the set");
            Some(Some(new.leaf(place as u32, label)))
        },
    );
    for rule in &mut rules {
        rule.guards = rule.guards.iter().filter_map(|g| map[g]).collect();
    }
    let signals: Vec<(LabelId, EventId)> = signals
        .into_iter()
        .filter_map(|(label, event)| Some((label, map[&event]?)))
        .collect();
    let told = RuleSet::new(&events, &signals, &Limits::of(&events));
    rules.extend(told.rules);
    rules.sort_by_key(|rule| rule.label);
    let rules = RuleSet {
        rules,
        rest: told.rest,
    };
    Network {
        rule_files: Vec::new(),
        name: network.name.clone(),
        parameters: network.parameters.clone(),
        texts: Vec::new(),
        files: files
            .iter()
            .map(|&f| Arc::clone(&network.files[f]))
            .collect(),
        components,
        events,
        labels,
        roots: Vec::new(),
        rules,
    }
}

/// Frees the files that no component is of any more; they keep their numbers.
pub(super) fn drop_unused(network: &mut Network) {
    let mut used = vec![false; network.files.len()];
    for component in &network.components {
        used[component.file] = true;
    }
    for (file, used) in network.files.iter_mut().zip(used) {
        if !used && !is_dropped(file) {
            let lts = Lts::from_parts(LtsParts {
                initial: StateId::new(0),
                offsets: vec![0, 0],
                labels: Vec::new(),
                targets: Vec::new(),
                table: LabelTable::new(),
            });
            *file = Arc::new(ComponentFile::new(b"", PathBuf::new(), lts));
        }
    }
}

/// Whether a file was freed.
pub(super) fn is_dropped(file: &ComponentFile) -> bool {
    file.written.is_empty()
}

/// The network without files that were freed, and with events for all rules.
pub(super) fn tidy(mut network: Network) -> Network {
    let mut number = Vec::new();
    let mut files = Vec::new();
    for file in std::mem::take(&mut network.files) {
        number.push(files.len());
        if !is_dropped(&file) {
            files.push(file);
        }
    }
    network.files = files;
    for component in &mut network.components {
        component.file = number[component.file];
    }
    let mut alternatives: BTreeMap<LabelId, Vec<EventId>> = BTreeMap::new();
    for rule in &network.rules.rules {
        let leaves = rule.parts.iter();
        let leaves = leaves.map(|&(k, label)| network.events.leaf(k, label));
        let leaves = leaves.collect();
        let mut event = network.events.all(leaves);
        for &guard in &rule.guards {
            event = network.events.unless(event, guard);
        }
        alternatives.entry(rule.label).or_default().push(event);
    }
    for &(label, event) in &network.rules.rest {
        alternatives.entry(label).or_default().push(event);
    }
    network.roots = Vec::new();
    for (label, events) in alternatives {
        match label.is_hidden() {
            true => network.roots.extend(events.into_iter().map(|e| (label, e))),
            false => network.roots.push((label, network.events.any(events))),
        }
    }
    network
}
