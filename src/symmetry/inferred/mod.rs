//! Patterns offered from what is symmetric and one component.

mod text;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use hyades_automorphism::{FindOptions, Symmetries, find_symmetry};
use hyades_equivalence::{Minimized, strong_quotient};
use hyades_formats::{Lts, LtsBuilder, StateId};
use hyades_lts::tokens::{TokenSyntax, Tokens};

use crate::pattern::{PatternError, Transformation};
use crate::template::{EdgeNumbers, Template};
use text::Writer;

/// A component of a specification, from which a pattern is to be made.
#[derive(Clone, Copy, Debug)]
pub struct Component<'a> {
    /// The component.
    pub lts: &'a Lts,
    /// The file it is in, as the pattern file is to name it.
    pub file: &'a str,
    /// What is in tokens beside what usually is, as in
    /// [`FindOptions::syntax`].
    pub token_characters: &'a str,
}

/// A copy of the template.
#[derive(Clone)]
struct Copy {
    /// What the template's values that move become.
    image: Vec<u32>,
    /// The state of the template in which it starts.
    state: u32,
}

/// The text of a pattern file: copies of the component for all that the
/// symmetries make of the values in it, each once if the component itself has
/// symmetries. A copy starts in the state in which the component is when the
/// specification is in the state that the symmetry maps to the initial one; a
/// shortest trace tells which that is. If only the recurrent part is symmetric,
/// this is its state when that part is entered, and the copy starts where it
/// gets there from.
///
/// O(copies) space, and O(transitions) time if symmetries move the initial
/// state.
///
/// # Errors
/// If the component is no template, if no symmetry moves a value of it, if there
/// are more than [`Transformation::MOST`] copies, or if values that move cannot
/// be written in TOML or are first tokens of labels too, which no symmetry
/// renames.
pub fn offer_pattern(
    found: &Symmetries,
    component: &Component<'_>,
) -> Result<String, PatternError> {
    let syntax = found.syntax();
    let mut numbers = EdgeNumbers::FirstTokens;
    let template = Template::new(component.lts, syntax, numbers).or_else(|_| {
        numbers = EdgeNumbers::None;
        Template::new(component.lts, syntax, numbers)
    })?;
    let moved = moved_values(found, &template)?;
    let copies = copies(found, &template, &moved)?;
    let copies = without_twins(found, &template, &moved, copies)?;
    Writer {
        found,
        texts: texts(found)?,
        lists: (1..=found.classes().len())
            .map(|number| format!("class{number}"))
            .collect(),
        initial: template.initial(),
        moved,
        copies,
    }
    .write(component, numbers)
}

/// The values of the template that symmetries move, ascending.
fn moved_values(found: &Symmetries, template: &Template) -> Result<Vec<u32>, PatternError> {
    let moving: HashMap<&[u8], u32> = found
        .classes()
        .iter()
        .flat_map(|class| &class.members)
        .map(|&v| (&*found.values()[v as usize], v))
        .collect();
    let number = |token: &[u8]| moving.get(token).copied();
    let actions = || template.actions().iter();
    if let Some(gate) = actions()
        .map(|action| &action.0[0])
        .find(|t| number(t).is_some())
    {
        return Err(PatternError::new(format!(
            "`{0}` is a value that symmetries move, and the first token of a label of the \
             component; patterns rename both: rename one of them, or keep the value with --fix {0}",
            String::from_utf8_lossy(gate)
        )));
    }
    let tokens = actions().flat_map(|action| &action.0[1..]);
    let moved: BTreeSet<u32> = tokens.filter_map(|token| number(token)).collect();
    if moved.is_empty() {
        return Err(PatternError::new(
            "no symmetry moves a value of the component; expected one that does, so that there \
             are copies",
        ));
    }
    Ok(moved.into_iter().collect())
}

/// All images of the values, sorted.
fn copies(
    found: &Symmetries,
    template: &Template,
    moved: &[u32],
) -> Result<Vec<Copy>, PatternError> {
    // Each with the image and the generator by which it was found. Those that
    // keep the initial state come first: their copies start like the template.
    let mut origin: HashMap<Vec<u32>, Option<(usize, usize)>> = HashMap::new();
    let mut images = vec![moved.to_vec()];
    origin.insert(moved.to_vec(), None);
    for keeping in [true, false] {
        let mut next = 0;
        while next < images.len() {
            for (number, generator) in found.generators().iter().enumerate() {
                if keeping && !generator.fixes_initial() {
                    continue;
                }
                let image = images[next].iter();
                let image: Vec<u32> = image.map(|&v| generator.image(v)).collect();
                if !origin.contains_key(&image) {
                    origin.insert(image.clone(), Some((next, number)));
                    images.push(image);
                }
            }
            next += 1;
            if images.len() > Transformation::MOST {
                return Err(PatternError::new(format!(
                    "symmetries make more than {} copies of the component; keep values with --fix",
                    Transformation::MOST
                )));
            }
        }
    }
    let initial = found.initial_images();
    let index: HashMap<u32, usize> = initial.iter().copied().zip(0..).collect();
    let starts = Starts::new(found, template, moved);
    let mut copies: Vec<Copy> = images
        .iter()
        .map(|image| {
            // What the composition of the generators maps to the initial state.
            let mut start = initial[0];
            let mut at = image;
            while let Some((before, generator)) = origin[at] {
                let generator = &found.generators()[generator];
                let from = initial.iter().find(|&&s| generator.state_image(s) == start);
                start = *from.expect("symmetries permute the images of the initial state");
                at = &images[before];
            }
            Copy {
                image: image.clone(),
                state: starts.state(image, index[&start]),
            }
        })
        .collect();
    copies.sort_unstable_by(|a, b| a.image.cmp(&b.image));
    Ok(copies)
}

/// Finds out in which states copies start.
struct Starts<'a> {
    found: &'a Symmetries,
    template: &'a Template,
    moved: &'a [u32],
    /// The labels that lead to the system's initial state.
    lead: Vec<Tokens>,
    /// For each image of the system's initial state, the state of the template
    /// when the specification is there.
    states: Vec<u32>,
}

impl<'a> Starts<'a> {
    fn new(found: &'a Symmetries, template: &'a Template, moved: &'a [u32]) -> Self {
        let tokens = |text: &[u8]| Tokens::of(text, found.syntax());
        let lead: Vec<Tokens> = found.lead().iter().map(|text| tokens(text)).collect();
        let labels: Vec<Tokens> = found.labels().iter().map(|text| tokens(text)).collect();
        let copy = Renamed::new(template, |token| token);
        let (entered, _) = copy.run(template.initial(), &lead);
        let paths = found.paths_to_initial_images();
        let states = paths.iter().map(|path| {
            let path = path.iter().map(|&label| &labels[label as usize]);
            copy.run(entered, path).0
        });
        Self {
            states: states.collect(),
            found,
            template,
            moved,
            lead,
        }
    }

    /// The state in which the copy with these values starts, so that it gets to
    /// where it is at the image with this index. Of several it is one from which
    /// the copy takes most labels that it has, and the template's own if it can.
    fn state(&self, image: &[u32], index: usize) -> u32 {
        let goal = self.states[index];
        if self.lead.is_empty() {
            return goal;
        }
        let values = self.found.values();
        let own = self.template.initial();
        if image == self.moved {
            return own;
        }
        let renamed = self.moved.iter().zip(image);
        let renamed: HashMap<&[u8], &[u8]> = renamed
            .map(|(&v, &w)| (&*values[v as usize], &*values[w as usize]))
            .collect();
        let copy = Renamed::new(self.template, |token| {
            renamed.get(token).copied().unwrap_or(token)
        });
        (0..self.template.states())
            .filter_map(|state| {
                let (end, missed) = copy.run(state, &self.lead);
                (end == goal).then_some((missed, state != own, state))
            })
            .min()
            .map_or(own, |(_, _, state)| state)
    }
}

/// A copy of the template.
struct Renamed {
    steps: HashMap<(u32, Tokens), u32>,
    labels: HashSet<Tokens>,
}

impl Renamed {
    fn new<'a>(template: &'a Template, rename: impl Fn(&'a [u8]) -> &'a [u8]) -> Self {
        let label =
            |action: &'a Tokens| Tokens(action.0.iter().map(|t| rename(t).into()).collect());
        let actions: Vec<Tokens> = template.actions().iter().map(label).collect();
        let edges = template.edges().iter();
        let steps = edges.map(|edge| {
            let label = actions[edge.action as usize].clone();
            ((edge.source, label), edge.target)
        });
        Self {
            steps: steps.collect(),
            labels: actions.into_iter().collect(),
        }
    }

    /// Where a trace of the specification leads to, and how many labels the copy
    /// has but does not take.
    fn run<'b>(&self, state: u32, labels: impl IntoIterator<Item = &'b Tokens>) -> (u32, usize) {
        let mut at = (state, Tokens::default());
        let mut missed = 0;
        for label in labels {
            at.1.clone_from(label);
            match self.steps.get(&at) {
                Some(&next) => at.0 = next,
                None => missed += usize::from(self.labels.contains(label)),
            }
        }
        (at.0, missed)
    }
}

/// Leaves out copies that differ from an earlier one by a symmetry of the
/// template only: they would do the same.
fn without_twins(
    found: &Symmetries,
    template: &Template,
    moved: &[u32],
    mut copies: Vec<Copy>,
) -> Result<Vec<Copy>, PatternError> {
    let syntax = found.syntax();
    let value = |v: u32| &found.values()[v as usize];
    let names: HashSet<&[u8]> = moved.iter().map(|&v| &**value(v)).collect();
    let tokens = || template.actions().iter().flat_map(|action| &action.0[1..]);
    let options = FindOptions {
        syntax: syntax.clone(),
        fixed: tokens()
            .filter(|t| !names.contains(&***t))
            .cloned()
            .collect(),
        ..FindOptions::default()
    };
    // As the template is deterministic the minimal one has its states in the
    // order of a breadth-first search by labels, and keeps them when minimised.
    let machine =
        without_numbers(template, syntax).map_err(|error| PatternError::new(error.to_string()))?;
    let Minimized { lts, class, .. } = strong_quotient(machine);
    let own = find_symmetry(lts, &options).map_err(|error| PatternError::new(error.to_string()))?;
    // Generators as maps between places in `moved`, and of classes.
    let place: HashMap<&[u8], usize> = moved.iter().map(|&v| &**value(v)).zip(0..).collect();
    let generators: Vec<(Vec<usize>, Vec<u32>)> = own
        .generators()
        .iter()
        .map(|generator| {
            let mut map: Vec<usize> = (0..moved.len()).collect();
            for (v, w) in generator.moves() {
                if let Some(&at) = place.get(&*own.values()[v as usize]) {
                    map[at] = place[&*own.values()[w as usize]];
                }
            }
            let states = 0..own.states();
            (map, states.map(|s| generator.state_image(s)).collect())
        })
        .collect();
    // A symmetry h of the template takes the copy by π after h, started in a
    // state, to the copy by π, started in the image of the state. So the copy by
    // π after h that starts in an image under the inverse of h is a twin of the
    // copy by π.
    let mut twins = HashSet::new();
    let mut kept = Vec::new();
    // The one of several twins that stays changes as few values as can be.
    let changed = |copy: &Copy| copy.image.iter().zip(moved).filter(|(v, w)| v != w).count();
    copies.sort_by_cached_key(|copy| (changed(copy), copy.image.clone()));
    for copy in copies {
        let start = (copy.image.clone(), class[copy.state as usize]);
        if twins.contains(&start) {
            continue;
        }
        kept.push(copy);
        // Copies that start in a state that cannot be reached have no twins.
        if start.1 == Minimized::NO_CLASS {
            continue;
        }
        twins.insert(start.clone());
        let mut todo = vec![start];
        while let Some((image, state)) = todo.pop() {
            for (values, states) in &generators {
                let from = states.iter().position(|&s| s == state);
                let from = from.expect("a permutation") as u32;
                let twin: Vec<u32> = values.iter().map(|&at| image[at]).collect();
                if twins.insert((twin.clone(), from)) {
                    todo.push((twin, from));
                }
            }
        }
    }
    if kept.len() == 1 {
        return Err(PatternError::new(
            "what symmetries make of the component does the same; expected copies that differ",
        ));
    }
    kept.sort_unstable_by(|a, b| a.image.cmp(&b.image));
    Ok(kept)
}

/// The template as an LTS without numbers of edges.
fn without_numbers(
    template: &Template,
    syntax: &TokenSyntax,
) -> Result<Lts, hyades_formats::TooLarge> {
    // If all bytes belong to tokens, a label has one token.
    let separator: Vec<u8> = (0..=u8::MAX)
        .filter(|b| !syntax.is_token(&[*b]))
        .take(1)
        .collect();
    let mut b = LtsBuilder::new(template.states().into());
    for edge in template.edges() {
        let label = template.actions()[edge.action as usize]
            .0
            .join(&separator[..]);
        b.add_text(edge.source, &label, edge.target)?;
    }
    b.build(StateId::new(template.initial()))
}

/// The values as text; only those that move have to be.
fn texts(found: &Symmetries) -> Result<BTreeMap<u32, &str>, PatternError> {
    let members = found.classes().iter().flat_map(|class| &class.members);
    members
        .map(|&v| {
            let value = &found.values()[v as usize];
            let text = std::str::from_utf8(value).map_err(|_| {
                PatternError::new(format!(
                    "the value `{}` is no UTF-8; expected a text that TOML can hold",
                    String::from_utf8_lossy(value)
                ))
            })?;
            Ok((v, text))
        })
        .collect()
}
