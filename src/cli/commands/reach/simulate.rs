//! `--simulate`: a model stepped through by commands.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead, IsTerminal, Read, StdinLock, StdoutLock, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use hyades_explore::{
    Answer, Erased, ExploreError, ExploreOptions, Goal, Limits, Model, Questions, Searched,
    Simulation, Trace, reach, traces_to_lts, unpack_number,
};
use hyades_formats::diagnostic::{printable, printable_path};
use hyades_formats::{Format, LabelId};
use hyades_lts::lasso;

use super::{HiddenText, Order, Reach};
use hyades_cli_core::traces::cycle;
use hyades_cli_core::{Failure, Session, Status, memory};

/// What there is to be typed: the commands of mCRL2's `lpssim`, and `random`.
const HELP: &str = "\
N               take transition N
u, undo         go to the state before
r, redo         go to the state after, on the trace
i, initial      go to the initial state; the trace remains
g, goto K       go to where the first K steps of the trace lead
t, trace        print the trace; > is before the current state
random N [SEED]  take N transitions at random: with one SEED always the same; without,
                others each time, but in each session the same
l, load FILE    replace the trace: by a shortest path that the pattern in FILE (.seq)
                describes, or by the path that FILE (.trc, .aut, …) is
s, save FILE    save the trace, in the format of FILE's ending (.seq, .trc, .aut, .bcg, …)
                or of --to
h, help         print this
q, quit         quit
";

/// A line that was typed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Request<'l> {
    Take(usize),
    Undo,
    Redo,
    GoTo(usize),
    Trace,
    Random(u64, Option<u64>),
    Load(&'l Path),
    Save(&'l Path),
    Help,
    Quit,
}

impl<'l> Request<'l> {
    /// Reads a line; `None` if it is empty.
    ///
    /// # Errors
    /// If it is no command: what was expected.
    fn parse(line: &'l [u8]) -> Result<Option<Self>, String> {
        let line = line.trim_ascii();
        let end = line.iter().position(u8::is_ascii_whitespace);
        let (word, rest) = line.split_at(end.unwrap_or(line.len()));
        let rest = rest.trim_ascii();
        let file = |what: fn(&'l Path) -> Self| match rest.is_empty() {
            true => Err("the name of a file is missing".to_owned()),
            false => Ok(what(Path::new(OsStr::from_bytes(rest)))),
        };
        let number = |text: &[u8]| match text {
            [] => Err("a number is missing".to_owned()),
            text => {
                let text = String::from_utf8_lossy(text);
                text.parse::<u64>()
                    .map_err(|_| format!("expected a number, found '{}'", text.escape_debug()))
            }
        };
        let plain = |request: Self| match rest.is_empty() {
            true => Ok(request),
            false => Err(format!(
                "expected nothing behind '{}'",
                String::from_utf8_lossy(word)
            )),
        };
        let request = match word {
            [] => return Ok(None),
            b"u" | b"undo" => plain(Self::Undo),
            b"r" | b"redo" => plain(Self::Redo),
            b"i" | b"initial" => plain(Self::GoTo(0)),
            b"g" | b"goto" => Ok(Self::GoTo(number(rest)? as usize)),
            b"t" | b"trace" => plain(Self::Trace),
            b"random" => {
                let words = rest.split(u8::is_ascii_whitespace);
                let mut words = words.filter(|word| !word.is_empty());
                let steps = number(words.next().unwrap_or_default())?;
                let seed = words.next().map(number).transpose()?;
                match words.next() {
                    None => Ok(Self::Random(steps, seed)),
                    Some(_) => Err("expected random N or random N SEED".to_owned()),
                }
            }
            b"l" | b"load" => file(Self::Load),
            b"s" | b"save" => file(Self::Save),
            b"h" | b"help" | b"?" => plain(Self::Help),
            b"q" | b"quit" | b"exit" => plain(Self::Quit),
            _ if word.iter().all(u8::is_ascii_digit) => plain(Self::Take(number(word)? as usize)),
            _ => Err(format!(
                "there is no command '{}'; `help` lists those that there are",
                String::from_utf8_lossy(&printable(word))
            )),
        };
        request.map(Some)
    }
}

/// Where one is, and with whom one speaks.
struct Stepper<'a, 'm> {
    reach: &'a Reach,
    session: &'a mut Session,
    model: Erased<'m>,
    simulation: Simulation<'m>,
    /// What the model has been read from.
    files: Vec<PathBuf>,
    /// How the hidden action reads.
    hidden: &'static str,
    /// How many random walks have been made without a seed.
    walks: u64,
    input: StdinLock<'static>,
    output: StdoutLock<'static>,
}

impl Reach {
    /// Steps through a model as the lines of standard input say.
    ///
    /// # Errors
    /// If the model cannot be read; of lines from elsewhere than a terminal, if one cannot be
    /// obeyed.
    pub(super) fn simulate(
        &self,
        session: &mut Session,
        hidden: &HiddenText,
    ) -> Result<Status, Failure> {
        self.check_simulation(session)?;
        // For patterns that are loaded.
        session.given.uses("seqno");
        let (given, relabelling) = self.read(session)?;
        hidden.read_in(&self.filter, session.format_of(&given));
        let input: &Path = &self.filter.input.input;
        let files = given.files().into_iter().chain(self.files_of_options());
        let files = files.chain([input]).map(Path::to_owned).collect();
        let given = self.systems.model(given)?;
        let demands = self.demands(&Questions::default(), &[], hidden);
        let (model, relabelling) = self.model(session, given, relabelling, &[], &demands)?;
        let input = self.model.name(&self.filter.input.input);
        let failed = |e: &dyn std::fmt::Display| Failure::error(format!("{input}: {e}"));
        let stepped = self.as_changed(&model, &relabelling, |model| {
            let mut stepper = Stepper {
                reach: self,
                session,
                model,
                simulation: Simulation::new(model).map_err(|e| failed(&e))?,
                files,
                hidden: hidden.get(),
                walks: 0,
                input: io::stdin().lock(),
                output: io::stdout().lock(),
            };
            stepper.run()
        });
        stepped.map_err(|e| failed(&e))??;
        model.finish().map_err(|e| failed(&e))?;
        Ok(Status::Holds)
    }

    /// Refuses what does not go with `--simulate`.
    fn check_simulation(&self, session: &Session) -> Result<(), Failure> {
        if self.filter.input.input == Path::new("-") && !self.model.is_expression() {
            return Err(Failure::error(
                "--simulate reads commands from standard input: INPUT needs the name of a file",
            ));
        }
        if self.filter.write.is_named() {
            return Err(Failure::error(
                "--simulate writes no OUTPUT: its command `save FILE` writes the trace",
            ));
        }
        if self.systems.is_asked() || self.about.is_asked() {
            return Err(Failure::error(
                "--simulate steps through the state space: --analysis, --info, --labels and what \
                 else tells about a system do not go with it",
            ));
        }
        let symmetry = self.model.symmetry();
        if symmetry.is_of_network() || symmetry.is_of_plugin() {
            return Err(Failure::error(
                "--simulate and --symmetry cannot be had at once: step through the model itself",
            ));
        }
        if self.limits.max_states.is_some() && !self.tau_star {
            session.tell_no_effect(
                "--max-states",
                "--simulate keeps the states of the trace only",
            );
        }
        if !matches!(self.numbering, Order::BreadthFirst) {
            session.tell_no_effect("--numbering", "`save FILE` writes the trace alone");
        }
        if self.answer.names_form() {
            session.tell_no_effect("--traces", "`save FILE` goes by the ending of FILE");
        }
        Ok(())
    }
}

/// That a model failed while it was stepped through.
fn failed(error: &ExploreError) -> Failure {
    Failure::error(error.to_string())
}

/// The format that the content of a file without an ending tells.
fn format_of_content(path: &Path) -> Option<Format> {
    // Others cannot be read twice.
    if !fs::metadata(path).is_ok_and(|file| file.is_file()) {
        return None;
    }
    let mut head = Vec::new();
    let file = File::open(path).ok()?;
    file.take(512).read_to_end(&mut head).ok()?;
    Format::from_content(&head)
}

impl Stepper<'_, '_> {
    /// Obeys lines until there are no more.
    fn run(&mut self) -> Result<(), Failure> {
        let is_terminal = io::stdin().is_terminal();
        if is_terminal {
            self.print(b"`help` lists the commands\n")?;
        }
        self.show_state()?;
        let mut line = Vec::new();
        loop {
            if is_terminal {
                self.print(b"? ")?;
            }
            let flushed = self.output.flush();
            flushed.map_err(|e| Failure::writing("standard output", &e))?;
            line.clear();
            let read = self.input.read_until(b'\n', &mut line);
            let read = read.map_err(|e| Failure::reading("standard input", &e))?;
            if read == 0 {
                if is_terminal {
                    self.print(b"\n")?;
                }
                return Ok(());
            }
            let obeyed = match Request::parse(&line) {
                Ok(None) => Ok(()),
                Ok(Some(Request::Quit)) => return Ok(()),
                Ok(Some(request)) => self.obey(request),
                Err(expected) => Err(Failure::error(expected)),
            };
            match obeyed {
                Ok(()) => {}
                Err(Failure::Error(text) | Failure::Limit(text) | Failure::Memory(text))
                    if is_terminal =>
                {
                    self.print(format!("error: {text}\n").as_bytes())?;
                }
                Err(Failure::Reported) if is_terminal => {}
                Err(failure) => return Err(failure),
            }
        }
    }

    fn obey(&mut self, request: Request<'_>) -> Result<(), Failure> {
        let position = self.simulation.position();
        let end = self.simulation.path().len();
        match request {
            Request::Take(number) => {
                let enabled = self.simulation.enabled().len();
                if number >= enabled {
                    return Err(Failure::error(match enabled {
                        0 => "no transition is enabled: this is a deadlock".to_owned(),
                        _ => format!(
                            "there is no transition {number}: expected 0 to {}",
                            enabled - 1
                        ),
                    }));
                }
                self.simulation.take(number).map_err(|e| failed(&e))?;
                self.show_step(position)?;
                self.show_state()
            }
            Request::Undo if position == 0 => {
                Err(Failure::error("this is the initial state already"))
            }
            Request::Undo => self.go_to(position - 1),
            Request::Redo if position == end => {
                Err(Failure::error("this is the end of the trace already"))
            }
            Request::Redo => {
                self.simulation
                    .go_to(position + 1)
                    .map_err(|e| failed(&e))?;
                self.show_step(position)?;
                self.show_state()
            }
            Request::GoTo(to) if to > end => Err(Failure::error(format!(
                "the trace has no step {to}: expected 0 to {end}"
            ))),
            Request::GoTo(to) => self.go_to(to),
            Request::Trace => self.show_trace(),
            Request::Random(steps, seed) => {
                let seed = seed.unwrap_or_else(|| {
                    self.walks += 1;
                    self.walks - 1
                });
                for number in 0..steps {
                    let taken = self.simulation.take_random(seed, number);
                    match taken {
                        Ok(true) => self.show_step(self.simulation.position() - 1)?,
                        Ok(false) => break,
                        Err(error) => {
                            self.show_state()?;
                            return Err(failed(&error));
                        }
                    }
                }
                self.show_state()
            }
            Request::Load(path) => self.load(path),
            Request::Save(path) => self.save(path),
            Request::Help => self.print(HELP.as_bytes()),
            Request::Quit => Ok(()),
        }
    }

    fn go_to(&mut self, position: usize) -> Result<(), Failure> {
        self.simulation.go_to(position).map_err(|e| failed(&e))?;
        self.show_state()
    }

    /// Replaces the trace by one from a file.
    fn load(&mut self, path: &Path) -> Result<(), Failure> {
        if path == Path::new("-") {
            return Err(Failure::error(
                "standard input has the commands: `load` needs the name of a file",
            ));
        }
        match Format::from_path(path).or_else(|| format_of_content(path)) {
            None | Some(Format::Seq) => self.load_pattern(path)?,
            Some(_) => self.load_path(path)?,
        }
        self.show_trace()?;
        self.show_state()
    }

    /// Replaces the trace by the path that an LTS is, once around if it ends in a cycle.
    fn load_path(&mut self, path: &Path) -> Result<(), Failure> {
        let shown = printable_path(path);
        let filter = &self.reach.filter;
        let options = filter.read.get(&filter.dialect);
        let (lts, _) = self.session.read_as(path, None, &options)?;
        let labels = lasso(&lts).ok_or_else(|| {
            Failure::error(format!(
                "{shown}: expected a path, found an LTS with a state that has several transitions"
            ))
        })?;
        let table = lts.table();
        let text = |label: LabelId| (!label.is_hidden()).then(|| table.text(label));
        let texts = labels.iter().map(|&label| text(label));
        let replayed = self.simulation.replay(texts).map_err(|e| failed(&e))?;
        if let Some(&label) = labels.get(replayed.steps) {
            let label = text(label).map_or(self.hidden.as_bytes().into(), printable);
            return Err(Failure::error(format!(
                "{shown}: {} no path with the first {} labels: `{}` is not enabled then",
                self.model_has(),
                replayed.steps + 1,
                String::from_utf8_lossy(&label)
            )));
        }
        if replayed.ends > 1 {
            self.session.note(format_args!(
                "{shown}: paths with these labels lead to {} states; this is one of them",
                replayed.ends
            ));
        }
        Ok(())
    }

    /// Who it is that has a path or none: reductions leave some paths out.
    fn model_has(&self) -> String {
        match self.reach.reductions.given() {
            None => "the model has".to_owned(),
            Some(option) => format!("what {option} leaves of the model has"),
        }
    }

    /// Replaces the trace by a shortest path that the pattern in a file describes.
    fn load_pattern(&mut self, path: &Path) -> Result<(), Failure> {
        let shown = printable_path(path);
        let pattern = self.reach.read_pattern(self.session, path)?;
        let searched = Searched::new(self.model, &pattern);
        let options = ExploreOptions {
            limits: Limits {
                max_states: None,
                max_memory: memory::rest(),
            },
            questions: Questions {
                deadlock: true,
                ..Questions::default()
            },
            stop_when_answered: true,
            progress: None,
        };
        let (_, found) = reach(searched.erased(), options, Goal::Answers, |found| {
            let table = found.labels.clone().into_owned();
            found.deadlock.clone().map(|answer| (answer, table))
        })
        .map_err(|e| failed(&e))?;
        let (trace, table) = match found.flatten() {
            Some((Answer::Yes(trace), table)) => (trace, table),
            Some((Answer::Unknown, _)) => {
                return Err(Failure::Memory(format!(
                    "{shown}: to look for a path takes more memory than there may be"
                )));
            }
            Some((Answer::No, _)) | None => {
                return Err(Failure::error(format!(
                    "{shown}: {} no path that the pattern describes",
                    self.model_has()
                )));
            }
        };
        // Other paths with these labels need not be described by the pattern.
        let states = trace.packed[1..]
            .iter()
            .map(|state| searched.state_of(state));
        let texts = trace.labels.iter();
        let texts = texts.map(|&label| (!label.is_hidden()).then(|| table.text(label)));
        let followed = self.simulation.follow(texts.zip(states));
        match followed.map_err(|e| failed(&e))? {
            true => Ok(()),
            false => Err(Failure::error(format!(
                "{shown}: a path was found that the model does not have when it is asked again"
            ))),
        }
    }

    fn save(&mut self, path: &Path) -> Result<(), Failure> {
        let options = self.reach.filter.write.at(Some(path));
        let output = options.get(&self.reach.filter.dialect)?;
        if output.destination.is_stdout() {
            return Err(Failure::error(
                "`trace` prints the trace: `save` needs the name of a file",
            ));
        }
        let files = self.files.iter().map(|file| &**file);
        self.session.check_spares(&output.destination, files)?;
        self.session.check_outputs(&[], &[&output.destination])?;
        let trace: Trace = self.simulation.trace();
        let lts = traces_to_lts([&trace], self.simulation.labels(), cycle(output.format))?;
        self.session.write(&output, &lts)?;
        self.session.appear()
    }

    /// The number of a state, where states have numbers.
    fn number(&self, state: &[u64]) -> Option<u32> {
        self.model.numbers().map(|_| unpack_number(state))
    }

    /// A transition: its label, and the number of its target if it has one.
    fn transition(&self, label: LabelId, target: &[u64]) -> Vec<u8> {
        let mut text = match label.is_hidden() {
            true => self.hidden.as_bytes().to_vec(),
            false => printable(self.simulation.labels().text(label)).into_owned(),
        };
        if let Some(number) = self.number(target) {
            text.extend(format!(" -> {number}").bytes());
        }
        text
    }

    /// Prints where one is, and what is enabled there.
    fn show_state(&mut self) -> Result<(), Failure> {
        let position = self.simulation.position();
        let state = self.simulation.state(position);
        let number = self.number(state).map(|number| number.to_string());
        let told: Vec<String> = number
            .into_iter()
            .chain(self.model.state_text(state))
            .collect();
        let mut text = match told.is_empty() {
            true => format!("step {position}\n").into_bytes(),
            false => format!("step {position}, state {}\n", told.join(" ")).into_bytes(),
        };
        for (number, (label, target)) in self.simulation.enabled().iter().enumerate() {
            text.extend(format!("{number}: ").bytes());
            text.extend(self.transition(*label, target));
            text.push(b'\n');
        }
        if self.simulation.enabled().is_empty() {
            text.extend_from_slice(b"deadlock\n");
        }
        self.print(&text)
    }

    /// Prints what happened in a step of the trace.
    fn show_step(&mut self, step: usize) -> Result<(), Failure> {
        let (label, target) = &self.simulation.path()[step];
        let mut text = self.transition(*label, target);
        text.push(b'\n');
        let visible = (!label.is_hidden()).then(|| self.simulation.labels().text(*label));
        let source = self.simulation.state(step);
        for line in self.model.explain(source, visible, target) {
            text.extend_from_slice(b"    ");
            text.extend_from_slice(&printable(line.as_bytes()));
            text.push(b'\n');
        }
        self.print(&text)
    }

    /// Prints the trace.
    fn show_trace(&mut self) -> Result<(), Failure> {
        let mark = |position| match position == self.simulation.position() {
            true => '>',
            false => ' ',
        };
        let mut text = format!("{} 0: initial state", mark(0)).into_bytes();
        if let Some(number) = self.number(self.simulation.state(0)) {
            text.extend(format!(" {number}").bytes());
        }
        text.push(b'\n');
        for (step, (label, target)) in self.simulation.path().iter().enumerate() {
            text.extend(format!("{} {}: ", mark(step + 1), step + 1).bytes());
            text.extend(self.transition(*label, target));
            text.push(b'\n');
        }
        self.print(&text)
    }

    fn print(&mut self, text: &[u8]) -> Result<(), Failure> {
        let written = self.output.write_all(text);
        written.map_err(|e| Failure::writing("standard output", &e))
    }
}
