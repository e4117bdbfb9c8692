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

use hyades_formats::{LabelId, LabelTable, Lts, TooLarge};

use super::super::Network;
use super::super::components::{Component, ComponentFile};
use super::super::event::{Event, EventId, Events};
use super::super::rules::{Limits, Rule, RuleSet};
use super::garbage::drop_unused;
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
pub(super) enum Product {
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
    pub fn new(network: &Network, set: &[u32]) -> Result<Self, TooLarge> {
        let inside = Inside::new(network, set);
        let (parts, told) = own_parts(network, set, &inside);
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
    pub fn finish(self, network: &mut Network, name: String, product: Product) -> usize {
        let file = match product {
            Product::Known(file) => file,
            Product::New(lts) => {
                let written = name.clone().into_bytes();
                let file = ComponentFile::new(&written, PathBuf::new(), lts);
                network.files.push(Arc::new(file));
                network.files.len() - 1
            }
        };
        let number = self.replace(network, Component { file, name });
        let product = number[self.set[0] as usize];
        let own = Arc::clone(&network.files[file]);
        let occurs = |label: LabelId| match label.is_hidden() {
            true => own.has_hidden,
            false => own.alphabet.binary_search(&label).is_ok(),
        };
        let RuleSet { mut rules, rest } = std::mem::take(&mut network.rules);
        // The others are in the contexts.
        rules.retain(|rule| !rule.parts.iter().any(|part| self.has(part.0)));

        // Guards, then what did not become rules, then rules.
        let old = std::mem::take(&mut network.events);
        let mut new = Events::default();
        let events: Vec<EventId> = rest.iter().map(|&(_, event)| event).collect();
        let mut roots = guards_of(&old, &events);
        roots.extend(rules.iter().flat_map(|rule| &rule.guards));
        roots.extend(self.uses().flat_map(|(_, context)| match context {
            Context::Rule(_, _, guards) => &guards[..],
            Context::Elsewhere(..) => &[],
        }));
        let guards = rebuilt(&old, &mut new, &roots, None, &|new, event, leaf| {
            if let Some(&label) = self.signals.get(&event) {
                return Some(occurs(label).then(|| new.leaf(product, label)));
            }
            let (k, label) = leaf?;
            // What is below a signal is not asked for.
            Some((!self.has(k)).then(|| new.leaf(number[k as usize], label)))
        });
        let known = self.uses().filter_map(|(label, context)| match *context {
            Context::Elsewhere(k, old) => Some(((k, old), label)),
            Context::Rule(..) => None,
        });
        let known: HashMap<(u32, LabelId), LabelId> = known.collect();
        let moves = rebuilt(&old, &mut new, &events, Some(&guards), &|new, _, leaf| {
            let (k, label) = leaf?;
            if !self.has(k) {
                return Some(Some(new.leaf(number[k as usize], label)));
            }
            let label = known[&(k, label)];
            Some(occurs(label).then(|| new.leaf(product, label)))
        });
        network.events = new;

        let renumbered = |label, parts: &[(u32, LabelId)], old: &[EventId]| {
            let parts = parts.iter().map(|&(k, l)| (number[k as usize], l));
            let mut own: Vec<_> = old.iter().filter_map(|guard| guards[guard]).collect();
            own.sort_unstable();
            own.dedup();
            Rule {
                label,
                parts: parts.collect(),
                guards: own,
            }
        };
        for rule in &mut rules {
            *rule = renumbered(rule.label, &rule.parts, &rule.guards);
        }
        if occurs(LabelId::HIDDEN) {
            rules.push(Rule {
                label: LabelId::HIDDEN,
                parts: vec![(product, LabelId::HIDDEN)],
                guards: Vec::new(),
            });
        }
        for (own, context) in self.uses().filter(|&(own, _)| occurs(own)) {
            if let Context::Rule(parts, label, guards) = context {
                let mut rule = renumbered(*label, parts, guards);
                rule.parts.push((product, own));
                rule.parts.sort_unstable();
                rules.push(rule);
            }
        }
        fn key(rule: &Rule) -> (LabelId, &[(u32, LabelId)], &[EventId]) {
            (rule.label, &rule.parts, &rule.guards)
        }
        rules.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
        rules.dedup();
        let rest = rest.into_iter();
        let rest = rest.filter_map(|(label, event)| Some((label, moves[&event]?)));
        network.rules = RuleSet {
            rules,
            rest: rest.collect(),
        };
        drop_unused(network);
        file
    }

    /// Whether it is one of the components.
    fn has(&self, component: u32) -> bool {
        self.set.binary_search(&component).is_ok()
    }

    /// The labels of the product, each with its contexts.
    fn uses(&self) -> impl Iterator<Item = (LabelId, &Context)> {
        let contexts = self.contexts.iter();
        contexts.flat_map(|(&label, uses)| uses.iter().map(move |context| (label, context)))
    }

    /// Puts the product in place of the first of the components, and takes the
    /// others out; gives the new numbers of those that are there.
    fn replace(&self, network: &mut Network, product: Component) -> Vec<u32> {
        let first = self.set[0];
        let mut number = Vec::new();
        let mut components = Vec::new();
        for (k, component) in (0..).zip(std::mem::take(&mut network.components)) {
            if k == first || !self.has(k) {
                number.push(components.len() as u32);
                components.push(component);
            } else {
                number.push(u32::MAX);
            }
        }
        components[number[first as usize] as usize] = product;
        network.components = components;
        number
    }
}

/// What some components do by rules, and by what did not become rules, with the
/// contexts of each; and guards of others that may be about them.
fn own_parts(
    network: &Network,
    set: &[u32],
    inside: &Inside,
) -> (BTreeMap<OwnPart, Vec<Context>>, Vec<EventId>) {
    let place = |k: u32| set.binary_search(&k).ok().map(|place| place as u32);
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
            Event::All(_) | Event::Any(_) | Event::Choose(..) => {}
        }
    }
    (parts, told)
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
    fn of_parts(&mut self, parts: &[(u32, LabelId)]) -> Result<LabelId, TooLarge> {
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
    fn of_signal(&mut self) -> Result<LabelId, TooLarge> {
        self.new_label(b"?".to_vec())
    }

    fn new_label(&mut self, mut text: Vec<u8>) -> Result<LabelId, TooLarge> {
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
        text_hash: network.text_hash,
        files: files
            .iter()
            .map(|&f| Arc::clone(&network.files[f]))
            .collect(),
        components,
        events,
        labels,
        roots: Vec::new(),
        rules,
        wrong: None,
    }
}
