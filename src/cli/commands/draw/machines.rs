//! Machines as they are drawn.

use hyades_cli_core::format_options::MealyOptions;
use hyades_draw::names;
use hyades_draw::scene::Kind;
use hyades_formats::diagnostic::printable_string;
use hyades_formats::mealy::{MealySyntax, Start, accepting_states};
use hyades_formats::{LabelId, Lts, LtsBuilder, StateId, TooLarge};

/// What is drawn of a machine.
pub struct Machine {
    /// Its states, and what is written at edges.
    pub lts: Lts,
    /// What is written in each state; none for their numbers.
    pub states: Vec<String>,
    /// Whether each state accepts; none for those that do not.
    pub accepting: Vec<bool>,
    /// Which kind it is.
    pub kind: Kind,
}

/// The machine that an LTS is by the options, if it is to be one: labels are written
/// `input / output`; of a Moore machine, outputs and acceptance move into the states.
///
/// # Errors
/// If the LTS is none.
pub fn machine(lts: &Lts, options: &MealyOptions) -> Result<Option<Machine>, String> {
    if let Some(accepting) = options.accepting() {
        return acceptor(lts, accepting).map(Some);
    }
    let Some(read) = options.read() else {
        return Ok(None);
    };
    let syntax = read.syntax.in_memory();
    let start = Start::of(lts, &syntax);
    match start {
        Some(start) => moore(lts, &syntax, &start).map(Some),
        None if read.io_steps => Ok(None),
        None => mealy(lts, &syntax).map(Some),
    }
}

fn too_large(error: TooLarge) -> String {
    error.to_string()
}

/// The input and the output of a label.
fn split(syntax: &MealySyntax, lts: &Lts, label: LabelId) -> Result<[Vec<u8>; 2], String> {
    if label.is_hidden() {
        return Err("a machine has no hidden transitions".to_owned());
    }
    let text = lts.table().text(label);
    let pairs = syntax.split(text).map_err(|error| {
        format!(
            "label {}: {error}",
            hyades_formats::diagnostic::excerpt(text)
        )
    })?;
    let (input, output) = pairs.into_iter().next().unwrap_or_default();
    Ok([input.into_owned(), output.into_owned()])
}

fn mealy(lts: &Lts, syntax: &MealySyntax) -> Result<Machine, String> {
    let mut built = LtsBuilder::new(lts.states() as u64);
    for (source, label, target) in lts.iter() {
        let [input, output] = split(syntax, lts, label)?;
        let text = [&input[..], b" / ", &output].concat();
        built
            .add_text(source.get(), &text, target.get())
            .map_err(too_large)?;
    }
    Ok(Machine {
        lts: built.build(lts.initial()).map_err(too_large)?,
        states: names(lts),
        accepting: Vec::new(),
        kind: Kind::Mealy,
    })
}

/// The states of a Moore machine have the outputs of the transitions that lead there.
fn moore(lts: &Lts, syntax: &MealySyntax, start: &Start) -> Result<Machine, String> {
    let mut outputs: Vec<Option<Vec<u8>>> = vec![None; lts.states()];
    outputs[start.initial.index()] = Some(start.output.clone());
    let before = start.state;
    let number = |state: StateId| state.get() - u32::from(state > before);
    let mut built = LtsBuilder::new(lts.states() as u64 - 1);
    for (source, label, target) in lts.iter().filter(|(source, ..)| *source != before) {
        let [input, output] = split(syntax, lts, label)?;
        match &outputs[target.index()] {
            Some(other) if *other != output => {
                return Err(format!(
                    "state {target} is entered with outputs {} and {}: expected a Moore machine, \
                     --mealy for a Mealy machine",
                    printable_string(other),
                    printable_string(&output)
                ));
            }
            Some(_) => {}
            None => outputs[target.index()] = Some(output),
        }
        built
            .add_text(number(source), &input, number(target))
            .map_err(too_large)?;
    }
    let names = names(lts);
    let states = outputs.iter().enumerate();
    let states = states
        .filter(|(state, _)| *state != before.index())
        .map(|(state, output)| {
            let output = output
                .as_deref()
                .map_or_else(|| "?".to_owned(), printable_string);
            match names.get(state) {
                Some(name) => format!("{name} / {output}"),
                None => format!("{} / {output}", number(StateId::new(state as u32))),
            }
        });
    Ok(Machine {
        states: states.collect(),
        accepting: Vec::new(),
        lts: built
            .build(StateId::new(number(start.initial)))
            .map_err(too_large)?,
        kind: Kind::Moore,
    })
}

/// Accepting states are told, and lose their loops.
fn acceptor(lts: &Lts, accepting: &[u8]) -> Result<Machine, String> {
    let accepts = accepting_states(lts, accepting).map_err(|error| error.to_string())?;
    let own = lts.table().find(accepting);
    let mut built = LtsBuilder::with_table(lts.states() as u64, lts.table().clone());
    for (source, label, target) in lts.iter().filter(|(_, label, _)| Some(*label) != own) {
        built.add(source, label, target);
    }
    Ok(Machine {
        states: names(lts),
        accepting: accepts,
        lts: built.build(lts.initial()).map_err(too_large)?,
        kind: Kind::Moore,
    })
}
