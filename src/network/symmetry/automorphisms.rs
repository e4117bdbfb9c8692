//! Which component a generator maps each component to, where several behave
//! alike: what tells them apart is the rules that they are in.
//!
//! Components get colours: first their class of bisimilar ones, then, again and
//! again, what the rules say that they are in, of which the other components have
//! colours too. The colours of images are computed beside them. Within a colour,
//! ranks decide: the first goes to the first. Where that does not fit the rules,
//! a search chooses, as for isomorphisms of graphs.

use std::collections::{HashMap, HashSet};

use super::generator::Generator;
use super::parts::{Parts, PlainRule};

/// What a generator does to labels, and what it makes of components.
pub(super) struct Frame<'a> {
    /// The values that are exchanged.
    pub values: [u16; 2],
    /// The images of labels.
    pub labels: &'a [u32],
    /// The classes of the images of components.
    pub classes: Vec<u32>,
}

/// A rule without image.
pub(super) struct Failure {
    /// The generator to blame.
    pub generator: usize,
    /// The rule.
    pub rule: usize,
    /// What it would have to become.
    pub image: PlainRule,
}

/// How many components a search may choose images for, one after the other.
const MOST_CHOICES: usize = 20_000;

/// Chooses the images of components so that rules become rules, and the
/// generators, which are neighbouring transpositions, do to states what their
/// products demand. `make` adds the maps of states.
///
/// # Errors
/// The rule that shows that there is nothing to be chosen; none if some generator, or all
/// of them together, can be chosen in no way that was found, of which no rule alone tells.
pub(super) fn choose(
    parts: &Parts,
    own: &[u32],
    frames: &[Frame<'_>],
    make: &dyn Fn(usize, Vec<u32>) -> Generator,
) -> Result<Vec<Generator>, Option<Failure>> {
    let rules: HashSet<&PlainRule> = parts.rules.iter().collect();
    if let Some(components) = by_rank(parts, own, frames, &rules) {
        let made: Vec<Generator> = (0..).zip(components).map(|(k, c)| make(k, c)).collect();
        let fits = (1..made.len()).all(|k| fits(&made[..k], &made[k], frames));
        if fits {
            return Ok(made);
        }
    }
    let mut search = Search {
        parts,
        frames,
        rules,
        make,
        chosen: Vec::new(),
        choices: MOST_CHOICES,
    };
    let alike = own.iter().collect::<HashSet<_>>().len() < own.len();
    if alike && search.generator(own) {
        return Ok(search.chosen);
    }
    let rules = search.rules;
    let mut generators = frames.iter().enumerate();
    Err(generators.find_map(|(generator, frame)| {
        let (rule, image) = lost(parts, own, frame, &rules)?;
        Some(Failure {
            generator,
            rule,
            image,
        })
    }))
}

/// The images of components if ranks decide; nothing if these do not fit the rules.
fn by_rank(
    parts: &Parts,
    own: &[u32],
    frames: &[Frame<'_>],
    rules: &HashSet<&PlainRule>,
) -> Option<Vec<Vec<u32>>> {
    let mut colourings = vec![own.to_vec()];
    colourings.extend(frames.iter().map(|frame| frame.classes.clone()));
    let labels: Vec<&[u32]> = frames.iter().map(|frame| frame.labels).collect();
    if !refine(parts, &labels, &mut colourings) {
        return None;
    }
    let images = frames.iter().zip(&colourings[1..]);
    let images = images.map(|(frame, colours)| {
        let components = ranks(&colourings[0], colours);
        let wrong = wrong_rule(parts, rules, frame.labels, &components);
        wrong.is_none().then_some(components)
    });
    images.collect()
}

/// A rule that shows that one generator is no symmetry, with what it would have to become
/// if ranks decide. If there is one, there is nothing like this among the rules, however
/// components of one colour are mapped; otherwise there are fewer rules like this than
/// rules that become such, or there is a component of too many of them.
fn lost(
    parts: &Parts,
    own: &[u32],
    frame: &Frame<'_>,
    rules: &HashSet<&PlainRule>,
) -> Option<(usize, PlainRule)> {
    let mut colourings = [own.to_vec(), frame.classes.clone()];
    loop {
        let components = ranks(&colourings[0], &colourings[1]);
        // No component of its own, but the colour of one.
        let plain = |rule: &PlainRule| {
            let colour = |component| colourings[0][component as usize];
            let mut parts: Vec<_> = rule.parts.iter().map(|&(c, l)| (colour(c), l)).collect();
            parts.sort_unstable();
            PlainRule {
                output: rule.output,
                parts,
            }
        };
        let known: HashSet<PlainRule> = parts.rules.iter().map(plain).collect();
        let mut balance: HashMap<PlainRule, isize> = HashMap::new();
        let images = parts.rules.iter();
        let images = images.map(|r| image_of(r, frame.labels, |c| components[c as usize]));
        let images: Vec<PlainRule> = images.collect();
        for (rule, image) in parts.rules.iter().zip(&images) {
            *balance.entry(plain(rule)).or_default() += 1;
            *balance.entry(plain(image)).or_default() -= 1;
        }
        let is_unlike = |image: &PlainRule| !known.contains(&plain(image));
        let is_lost = |image: &PlainRule| !rules.contains(image) && balance[&plain(image)] < 0;
        let found = images.iter().position(is_unlike);
        let found = found.or_else(|| images.iter().position(is_lost));
        if let Some(found) = found {
            return Some((found, images[found].clone()));
        }
        let colours = count(&colourings[0]);
        let mut next = colourings.clone();
        let is_balanced = round(parts, &[frame.labels], &mut next);
        if !is_balanced {
            return wrong_rule(parts, rules, frame.labels, &components);
        }
        if count(&next[0]) == colours {
            return None;
        }
        colourings = next;
    }
}

/// The component of the second colouring's colour and rank in the first.
fn ranks(first: &[u32], second: &[u32]) -> Vec<u32> {
    let mut members: HashMap<u32, Vec<u32>> = HashMap::new();
    for (k, &colour) in (0..first.len() as u32).zip(first).rev() {
        members.entry(colour).or_default().push(k);
    }
    let next = |colour: &u32| {
        let own = members.get_mut(colour).and_then(Vec::pop);
        own.expect("as many components of each colour as images")
    };
    second.iter().map(next).collect()
}

/// A rule that becomes none.
fn wrong_rule(
    parts: &Parts,
    rules: &HashSet<&PlainRule>,
    labels: &[u32],
    components: &[u32],
) -> Option<(usize, PlainRule)> {
    parts.rules.iter().enumerate().find_map(|(k, rule)| {
        let image = image_of(rule, labels, |component| components[component as usize]);
        (!rules.contains(&image)).then_some((k, image))
    })
}

/// A rule after its labels and components are mapped.
pub(super) fn image_of(
    rule: &PlainRule,
    labels: &[u32],
    component: impl Fn(u32) -> u32,
) -> PlainRule {
    let part = |&(k, label): &(u32, u32)| (component(k), labels[label as usize]);
    let mut parts: Vec<(u32, u32)> = rule.parts.iter().map(part).collect();
    parts.sort_unstable();
    PlainRule {
        output: labels[rule.output as usize],
        parts,
    }
}

/// Refines colourings until what rules say changes nothing more: the first one as
/// the components are, each other one as its labels are mapped. Returns whether
/// all have as many components of each colour.
///
/// O(parts of rules · colourings · log) a round, at most as many rounds as there
/// are components.
fn refine(parts: &Parts, labels: &[&[u32]], colourings: &mut [Vec<u32>]) -> bool {
    let mut last = count(&colourings[0]);
    if !are_balanced(colourings) {
        return false;
    }
    while last < colourings[0].len() {
        if !round(parts, labels, colourings) {
            return false;
        }
        let now = count(&colourings[0]);
        if now == last {
            break;
        }
        last = now;
    }
    true
}

/// How many colours there are.
fn count(colours: &[u32]) -> usize {
    colours.iter().collect::<HashSet<_>>().len()
}

/// One round of [`refine`].
fn round(parts: &Parts, labels: &[&[u32]], colourings: &mut [Vec<u32>]) -> bool {
    let components = colourings[0].len();
    let mut rule_numbers: HashMap<PlainRule, u32> = HashMap::new();
    let mut colour_numbers: HashMap<(u32, Vec<(u32, u32)>), u32> = HashMap::new();
    for (k, colours) in colourings.iter_mut().enumerate() {
        let mapped = |label: u32| match k {
            0 => label,
            _ => labels[k - 1][label as usize],
        };
        let mut seen: Vec<Vec<(u32, u32)>> = vec![Vec::new(); components];
        for rule in &parts.rules {
            let part = |&(c, label): &(u32, u32)| (colours[c as usize], mapped(label));
            let mut own: Vec<(u32, u32)> = rule.parts.iter().map(part).collect();
            own.sort_unstable();
            let next = rule_numbers.len() as u32;
            let key = PlainRule {
                output: mapped(rule.output),
                parts: own,
            };
            let number = *rule_numbers.entry(key).or_insert(next);
            for &(c, label) in &rule.parts {
                seen[c as usize].push((number, mapped(label)));
            }
        }
        for (colour, mut seen) in colours.iter_mut().zip(seen) {
            seen.sort_unstable();
            let next = colour_numbers.len() as u32;
            *colour = *colour_numbers.entry((*colour, seen)).or_insert(next);
        }
    }
    are_balanced(colourings)
}

fn are_balanced(colourings: &[Vec<u32>]) -> bool {
    let sorted = |colours: &Vec<u32>| {
        let mut sorted = colours.clone();
        sorted.sort_unstable();
        sorted
    };
    let first = sorted(&colourings[0]);
    colourings[1..].iter().all(|other| sorted(other) == first)
}

/// Whether a generator and the ones before it do to states what their products
/// demand: itself twice nothing, with one that shares a value nothing after three
/// times, and with others the same in either order.
fn fits(before: &[Generator], new: &Generator, frames: &[Frame<'_>]) -> bool {
    // What none of them moves stays.
    let is_identity = |word: &[&Generator]| {
        let mut moved = word.iter().take(2).flat_map(|generator| &generator.moved);
        moved.all(|&x| word.iter().fold(x, |at, generator| generator.image(at)) == x)
    };
    let values = frames[before.len()].values;
    is_identity(&[new, new])
        && before.iter().zip(frames).all(|(other, frame)| {
            let shares = frame.values.iter().any(|v| values.contains(v));
            match shares {
                true => is_identity(&[new, other, new, other, new, other]),
                false => is_identity(&[new, other, new, other]),
            }
        })
}

/// A search for images of components, generator by generator.
struct Search<'a> {
    parts: &'a Parts,
    frames: &'a [Frame<'a>],
    rules: HashSet<&'a PlainRule>,
    make: &'a dyn Fn(usize, Vec<u32>) -> Generator,
    chosen: Vec<Generator>,
    choices: usize,
}

impl Search<'_> {
    /// Chooses for the generators that are left; `own` are the classes.
    fn generator(&mut self, own: &[u32]) -> bool {
        match self.frames.get(self.chosen.len()) {
            None => true,
            Some(frame) => {
                let start = vec![own.to_vec(), frame.classes.clone()];
                self.component(own, start)
            }
        }
    }

    /// Chooses for one more component of the generator at hand.
    fn component(&mut self, own: &[u32], mut colourings: Vec<Vec<u32>>) -> bool {
        let frame = &self.frames[self.chosen.len()];
        if !refine(self.parts, &[frame.labels], &mut colourings) {
            return false;
        }
        let mut sizes: HashMap<u32, usize> = HashMap::new();
        for &colour in &colourings[1] {
            *sizes.entry(colour).or_default() += 1;
        }
        let open = |&k: &usize| sizes[&colourings[1][k]] > 1;
        let Some(component) = (0..colourings[1].len()).find(open) else {
            return self.finish(own, &colourings);
        };
        let colour = colourings[1][component];
        let new = u32::MAX - 1;
        for target in 0..own.len() {
            if colourings[0][target] != colour {
                continue;
            }
            if self.choices == 0 {
                return false;
            }
            self.choices -= 1;
            let mut next = colourings.clone();
            next[0][target] = new;
            next[1][component] = new;
            if self.component(own, next) {
                return true;
            }
        }
        false
    }

    /// Each component has an image.
    fn finish(&mut self, own: &[u32], colourings: &[Vec<u32>]) -> bool {
        let number = self.chosen.len();
        let components = ranks(&colourings[0], &colourings[1]);
        let labels = self.frames[number].labels;
        if wrong_rule(self.parts, &self.rules, labels, &components).is_some() {
            return false;
        }
        let made = (self.make)(number, components);
        if !fits(&self.chosen, &made, self.frames) {
            return false;
        }
        self.chosen.push(made);
        if self.generator(own) {
            return true;
        }
        self.chosen.pop();
        false
    }
}
