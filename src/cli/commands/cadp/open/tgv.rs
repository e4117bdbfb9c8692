//! `tgv`: test cases and complete test graphs by test purposes.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use hyades_conformance::ioco::{
    Event, Interface, Priority, Spelling, TestOptions, TestPurpose, generate,
};
use hyades_equivalence::Relation;
use hyades_formats::diagnostic::{excerpt, printable_path};
use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};
use hyades_lts::pattern::LabelPattern;
use hyades_lts::relabel::Rules;

use super::super::{Arguments, Kind, Tool, bcg_input, bcg_output, labels, read};
use super::{Changes, Spec, number};
use hyades_cli_core::{Failure, Session, Unit, show_lts};

pub const TGV: Tool = Tool {
    name: "tgv",
    usage: "[-io [-total|-partial|-gate] FILE] [-hide [-total|-partial|-gate] FILE \
            | -rename [-total|-single|-multiple|-gate] FILE]… \
            [-csg] [-unloop] [-unlock|-difflock|-keeplock] [-post] [-depth N] [-outprior] \
            [-tpprior] [-random] [-self] [-monitor] [-verbose] [-output RESULT[.bcg]] \
            PURPOSE[.bcg|.aut] [RESULT[.bcg]]",
    kind: Kind::Explores(tgv),
};

/// Labels that are inputs where no file says which are: those with a `?` that no `!` comes
/// before.
const INPUT: &[u8] = b"[^!]*[?].*";

/// Where a result goes that no name is given for.
const RESULT: &str = "tgv.bcg";

/// Which labels are inputs.
enum Inputs {
    /// Those that match.
    Matching(LabelPattern),
    /// Those that rules are about.
    Concerned(Rules),
    /// Those that rules are not about: they name the outputs.
    Others(Rules),
}

impl Inputs {
    fn contain(&self, label: &[u8]) -> bool {
        match self {
            Inputs::Matching(pattern) => pattern.is_match(label),
            Inputs::Concerned(rules) => rules.concern(label),
            Inputs::Others(rules) => !rules.concern(label),
        }
    }

    /// Reads a file whose first line says what the others name.
    fn behind(option: &str, arguments: &mut Arguments, session: &Session) -> Result<Self, Failure> {
        let (about, words) = ("that names inputs or outputs", ["input", "output"]);
        let listed = labels::listed_behind(option, arguments, session, about, "io", &words);
        Ok(match listed? {
            ("input", rules) => Inputs::Concerned(rules),
            (_, rules) => Inputs::Others(rules),
        })
    }
}

fn tgv(mut arguments: Arguments, spec: &Spec, session: &mut Session) -> Result<(), Failure> {
    let mut changes = Changes::default();
    let mut inputs = None;
    let mut options = TestOptions::default();
    let mut spelling = Spelling::default();
    let mut named = None;
    while let Some(option) = arguments.option() {
        match &option[..] {
            "-io" => {
                inputs = Some(Inputs::behind(&option, &mut arguments, session)?);
            }
            "-csg" => options.complete = true,
            "-unloop" => options.acyclic = true,
            "-unlock" => options.quiescence = false,
            "-difflock" => {
                options.quiescence = true;
                spelling.tells_locks = true;
            }
            "-keeplock" => options.quiescence = true,
            "-post" => options.postamble = true,
            "-depth" => options.depth = Some(number(&mut arguments, &option)?),
            "-outprior" | "-tpprior" => {
                let priority = match &option[..] {
                    "-outprior" => Priority::Stimuli,
                    _ => Priority::Purpose,
                };
                if !options.priorities.contains(&priority) {
                    options.priorities.push(priority);
                }
            }
            "-random" => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH);
                options.seed = Some(now.map_or(0, |time| time.as_nanos() as u64));
            }
            "-output" => named = Some(arguments.value(&option, "a file name")?),
            // States of a purpose without `*` stay where they are anyway.
            "-self" | "-monitor" | "-verbose" | "-stat" => {
                session.detail(format_args!("{option} has no effect"));
            }
            "-timer" => {
                return Err(Failure::error(
                    "-timer is not supported: where the tester may have to wait in vain, the test \
                     has LOCK, for which a timer is to run out",
                ));
            }
            _ if changes.takes(&mut arguments, session, &option)? => {}
            _ if arguments.common(session, &option, true)? => {}
            _ => return Err(arguments.unknown(&option)),
        }
    }
    let twice = arguments.wrong("RESULT is named twice: by -output, and behind PURPOSE");
    let files = arguments.operands(1, 2)?;
    let result = match (named, files.get(1)) {
        (Some(_), Some(_)) => return Err(twice),
        (Some(name), None) => name,
        (None, Some(name)) => name.clone(),
        (None, None) => RESULT.into(),
    };
    let purpose = purpose_file(&files[0]);
    let mut output = bcg_output(&result)?;
    // Labels that end as those of tests do have no gates and values.
    output.options.bcg.parse_labels = false;
    session.check_outputs(&[&spec.path], &[&output.destination])?;
    session.check_spares(&output.destination, [&*purpose, &*spec.path])?;
    let shown = printable_path(&purpose);
    let automaton = read(session, &purpose, None)?;
    spec.tell_reduced(session, Relation::DivBranching, "the test");
    let lts = spec.lts(session)?;
    let automaton = TestPurpose::new(&automaton, lts.table())
        .map_err(|e| Failure::error(format!("{shown}: {e}")))?;
    let interface = interface(session, &changes, &lts, inputs)?;
    let used = lts.used_labels();
    let labels = (0..lts.table().len() as u32).map(LabelId::new);
    let used = labels.filter(|label| used[label.index()]);
    let events: Vec<Event> = used.filter_map(|label| interface.event(label)).collect();
    if options.quiescence {
        for name in spelling.quiescence() {
            let action = interface.actions().find(name.as_bytes());
            if action.is_some_and(|action| events.contains(&Event::Output(action))) {
                return Err(Failure::error(format!(
                    "an output of {} is {name}, as which the test has that nothing comes: give it \
                     another name by -rename, or take -unlock",
                    spec.name()
                )));
            }
        }
    }
    if !events.iter().any(|event| !event.is_observed()) {
        session.note(format!(
            "no label of {} is an input, so that the tester does nothing: -io FILE tells which are",
            spec.name()
        ));
    }
    let unmatched: Vec<String> = automaton.unmatched().map(excerpt).collect();
    if !unmatched.is_empty() {
        session.note(format!(
            "{shown}: no label of {} matches {}",
            spec.name(),
            unmatched.join(", ")
        ));
    }
    let test = session.phase("generate", |phase| {
        phase.progress("searching", Unit::None, None);
        let test = generate(&lts, &interface, &automaton, &options)
            .map_err(|why| Failure::error(format!("there is no test: {why}")))?;
        let test = test.to_lts(&spelling)?;
        phase.summary(|| show_lts(&test));
        Ok(test)
    })?;
    session.write(&output, &test)
}

/// The file of a test purpose, of which the ending may be omitted.
fn purpose_file(name: &OsStr) -> PathBuf {
    let path = bcg_input(name);
    let mut text = name.to_owned();
    text.push(".aut");
    match !path.exists() && PathBuf::from(&text).exists() {
        true => text.into(),
        false => path,
    }
}

/// What a tester sees of a system after its labels are changed.
fn interface(
    session: &mut Session,
    changes: &Changes,
    lts: &Lts,
    inputs: Option<Inputs>,
) -> Result<Interface, Failure> {
    let inputs = match inputs {
        Some(inputs) => inputs,
        None => {
            Inputs::Matching(LabelPattern::whole(INPUT).map_err(|e| Failure::error(e.to_string()))?)
        }
    };
    // One transition for each label, whose order stays.
    let labels = 0..lts.table().len() as u32;
    let mut each = LtsBuilder::with_table(1, lts.table().clone());
    for label in labels {
        each.add(StateId::new(0), LabelId::new(label), StateId::new(0));
    }
    let changed = changes.apply(session, each.build(StateId::new(0))?)?;
    let is_input = |text: &[u8]| inputs.contain(text);
    Ok(Interface::relabelled(
        changed.labels(),
        changed.table(),
        is_input,
    )?)
}
