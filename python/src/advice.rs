//! What messages of the library advise, in terms of Python.
//!
//! The library's messages name options of the commands. Those that are arguments here are named
//! as such; all others are said to be options of the commands, which have them alone.

/// What an option of the commands is here.
enum Spelling {
    /// An argument, whose value is what is said behind the option, if something is.
    Argument(&'static str),
    /// An argument with a value.
    Given(&'static str),
    /// As the two before, of `read` alone: other functions take what it has read.
    Read(&'static str),
    GivenToRead(&'static str),
}

use Spelling::{Argument, Given, GivenToRead, Read};

/// What the options are that are arguments.
const ARGUMENTS: [(&str, Spelling); 13] = [
    ("--from", Read("format")),
    ("--to", Argument("format")),
    ("--hidden", Read("hidden")),
    // As advised: a whole label that is to be hidden in one file.
    ("--tau", Read("hidden")),
    ("--dialect", Argument("dialect")),
    ("--visible-i", Argument("visible_i")),
    ("--max-states", Argument("max_states")),
    ("--max-memory", Argument("max_memory")),
    ("--lenient", GivenToRead("mode=\"lenient\"")),
    ("--strict", GivenToRead("mode=\"strict\"")),
    ("--mealy", GivenToRead("mealy=True")),
    ("--moore", GivenToRead("moore=True")),
    ("--canonical", Given("canonical=True")),
];

/// What is said in other words, as there is no option in it.
const PHRASES: [(&str, &str); 6] = [
    (
        "`cargo install --path . --features columns` makes one that can",
        "`pip install ./python` makes one that can",
    ),
    ("name it, by -o NAME.plts", "give save() its name"),
    (
        "hyades help relations lists all",
        "hyades.relations() lists all",
    ),
    (
        "the command `reach`, or a `SystemModel` in the library, explores it",
        "hyades.reach(…).lts is its state space",
    ),
    (
        "a system of machines without a name that tells so: name its format with --from toml",
        "a system of machines, which `reach`, `check` and `refine` read from a file: give its \
         name, which ends in .toml",
    ),
    (" or with --from model, as that runs", ", as that runs"),
];

/// A message of the library with arguments in the place of options. What stands within
/// backquotes is left as it is: labels, and whole commands.
pub fn in_python(text: &str) -> String {
    let text = PHRASES.iter().fold(text.to_owned(), |text, (ours, here)| {
        text.replace(ours, here)
    });
    let mut told = String::with_capacity(text.len());
    for (k, part) in text.split('`').enumerate() {
        if k > 0 {
            told.push('`');
        }
        match k % 2 {
            0 => translate(part, &mut told),
            _ => told.push_str(part),
        }
    }
    told
}

fn translate(mut text: &str, told: &mut String) {
    while let Some(at) = text.find("--") {
        let (before, option) = text.split_at(at);
        told.push_str(before);
        let is_part = |c: char| c.is_ascii_lowercase() || c == '-';
        let end = option.find(|c| !is_part(c)).unwrap_or(option.len());
        let (option, rest) = option.split_at(end);
        text = rest;
        let begins = before.is_empty() || before.ends_with([' ', '(']);
        if !begins || option.len() == 2 {
            told.push_str(option);
            continue;
        }
        match ARGUMENTS.iter().find(|(name, _)| *name == option) {
            None => {
                told.push('`');
                told.push_str(option);
                told.push_str("` of the commands");
            }
            Some((_, Given(argument))) => told.push_str(argument),
            Some((_, GivenToRead(argument))) => told.push_str(&to_read(argument)),
            Some((_, spelling @ (Argument(name) | Read(name)))) => {
                let behind = rest.strip_prefix(' ').unwrap_or_default();
                let ends = |c: char| c.is_whitespace() || "(),;:`".contains(c);
                let (value, rest) = behind.split_at(behind.find(ends).unwrap_or(behind.len()));
                let is_value = is_value(option, value);
                if is_value {
                    text = rest;
                }
                told.push_str(&match (spelling, is_value) {
                    (Read(_), true) => to_read(&format!("{name}=\"{value}\"")),
                    (Read(_), false) => to_read(&format!("{name}=…")),
                    (_, true) => format!("{name}=\"{value}\""),
                    (_, false) => (*name).to_owned(),
                });
            }
        }
    }
    told.push_str(text);
}

fn to_read(argument: &str) -> String {
    format!("hyades.read(…, {argument})")
}

/// Whether a word behind an option is its value, rather than how the sentence goes on.
fn is_value(option: &str, word: &str) -> bool {
    match option {
        "--from" | "--to" | "--hidden" | "--tau" | "--dialect" => {
            !matches!(word, "" | "overrules" | "and" | "or")
        }
        _ => false,
    }
}
