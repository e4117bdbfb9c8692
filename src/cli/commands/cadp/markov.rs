//! `bcg_steady` and `bcg_transient`: probabilities of Markov chains in the long run and at
//! instants.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hyades_equivalence::lump;
use hyades_formats::diagnostic::{counted, printable_path};
use hyades_formats::label::quoted;
use hyades_formats::{Lts, StateId};
use hyades_markov::{Chain, Settings, steady, transient};

use super::{Arguments, Kind, Tool, bcg_input, read};
use hyades_cli_core::{Destination, Failure, Session, Unit, read_text};

pub const STEADY: Tool = Tool {
    name: "bcg_steady",
    usage: "[OPTIONS] [-epsilon E] [-sol FILE] [-thr [-append] FILE] [-mat FILE] [-red FILE] \
            [-log FILE] INPUT[.bcg] [PARAMETER=VALUE]…",
    kind: Kind::Files(run_steady),
};

pub const TRANSIENT: Tool = Tool {
    name: "bcg_transient",
    usage: "[OPTIONS] [-epsilon E] [-sol FILE] [-thr [-append] FILE] [-mat FILE] [-red FILE] \
            [-log FILE] INPUT[.bcg] [PARAMETER=VALUE]… INSTANT…",
    kind: Kind::Files(run_transient),
};

/// The parameter that says in which column instants stand.
const TIME: &str = "time";

/// What is asked for.
struct Request {
    settings: Settings,
    input: PathBuf,
    solution: Option<Destination>,
    throughputs: Option<Destination>,
    appends: bool,
    raw: Option<Destination>,
    reduced: Option<Destination>,
    log: Option<Destination>,
    parameters: Vec<(String, String)>,
    instants: Vec<f64>,
}

impl Request {
    fn new(
        mut arguments: Arguments,
        session: &Session,
        has_instants: bool,
    ) -> Result<Self, Failure> {
        let mut request = Self {
            settings: Settings::default(),
            input: PathBuf::new(),
            solution: None,
            throughputs: None,
            appends: false,
            raw: None,
            reduced: None,
            log: None,
            parameters: Vec::new(),
            instants: Vec::new(),
        };
        while let Some(option) = arguments.option() {
            let output = match &option[..] {
                "-epsilon" => {
                    request.settings.epsilon = arguments.epsilon()?;
                    continue;
                }
                "-sol" => &mut request.solution,
                "-thr" => {
                    request.appends = arguments.accept(&[("-append", true)]).unwrap_or(false);
                    &mut request.throughputs
                }
                "-mat" => &mut request.raw,
                "-red" => &mut request.reduced,
                "-log" => &mut request.log,
                _ if arguments.common(session, &option, false)? => continue,
                _ => return Err(arguments.unknown(&option)),
            };
            let file = arguments.value(&option, "a file name")?;
            *output = Some(Destination::new(Path::new(&file))?);
        }
        let tool = arguments.tool;
        let mut words = arguments.operands(1, usize::MAX)?.into_iter();
        // There is one.
        let input = words.next().unwrap_or_default();
        request.input = bcg_input(&input);
        for word in words {
            request
                .take(&word, has_instants)
                .map_err(|what| tool.wrong(what))?;
        }
        if has_instants && request.instants.is_empty() {
            return Err(tool.wrong("there is no instant: expected a time, as 1.5"));
        }
        if request.outputs().next().is_none() {
            request.solution = Some(Destination::stdout());
        }
        request.check(session)?;
        Ok(request)
    }

    /// Takes a word behind the input; or tells what is wrong with it.
    fn take(&mut self, word: &OsStr, has_instants: bool) -> Result<(), String> {
        let shown = printable_path(word);
        let text = word.to_str().ok_or(format!("{shown} is no UTF-8"))?;
        if let Some((name, value)) = text.split_once('=') {
            let is_plain = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
            if !is_plain(name) || !is_plain(value) {
                return Err(format!(
                    "{shown}: names and values of parameters are not empty, without blanks"
                ));
            }
            if self.parameters.iter().any(|(other, _)| other == name) {
                return Err(format!("the parameter {name} has two values"));
            }
            if has_instants && name == TIME && value != "here" {
                return Err(format!(
                    "{shown}: time=here is where the column of instants stands"
                ));
            }
            self.parameters.push((name.into(), value.into()));
            return Ok(());
        }
        match text.parse() {
            Ok(instant) if has_instants => self.instants.push(instant),
            _ if has_instants => return Err(format!("{shown} is no instant, nor PARAMETER=VALUE")),
            _ => return Err(format!("{shown} is not PARAMETER=VALUE")),
        }
        Ok(())
    }

    /// Where something goes.
    fn outputs(&self) -> impl Iterator<Item = &Destination> {
        let all = [
            &self.solution,
            &self.throughputs,
            &self.raw,
            &self.reduced,
            &self.log,
        ];
        all.into_iter().flatten()
    }

    /// Refuses outputs that would replace others or the input.
    fn check(&self, session: &Session) -> Result<(), Failure> {
        let all: Vec<&Destination> = self.outputs().collect();
        session.check_outputs(&[&self.input], &all)?;
        self.outputs()
            .try_for_each(|output| session.check_spares(output, [self.input.as_path()]))
    }

    /// Reads the input, and makes a chain of it.
    fn read(&self, session: &mut Session) -> Result<(Lts, Chain), Failure> {
        let lts = read(session, &self.input, None)?;
        let name = printable_path(&self.input);
        let chain = session.phase("eliminate", |phase| {
            phase.progress("eliminating vanishing states", Unit::None, None);
            let chain = Chain::new(&lts).map_err(|e| Failure::error(format!("{name}: {e}")))?;
            phase.summary(|| {
                format!(
                    "{} tangible states, {} rates",
                    chain.states().len(),
                    chain.rates().entries()
                )
            });
            Ok(chain)
        })?;
        if chain.preempted() > 0 {
            session.note(format_args!(
                "{} left out: hidden transitions and probabilities of the same states go first",
                counted(chain.preempted(), "rate")
            ));
        }
        if chain.normalized() > 0 {
            session.note(format_args!(
                "the probabilities of {} are not 1 together, and were divided by their sum",
                counted(chain.normalized(), "state")
            ));
        }
        Ok((lts, chain))
    }

    /// Writes everything that is asked for: distributions with their instants, if they have
    /// some; matrices transposed or not; and what else there is to log.
    fn write(
        &self,
        session: &mut Session,
        lts: &Lts,
        chain: &Chain,
        results: &[(Option<f64>, Vec<f64>)],
        is_transposed: bool,
        log: &[(&str, String)],
    ) -> Result<(), Failure> {
        // What can fail comes before anything is written.
        let table = match &self.throughputs {
            Some(destination) => Some((destination, self.table(chain, results, destination)?)),
            None => None,
        };
        if let Some(destination) = &self.solution {
            session.write_by(destination, "solution", |out| {
                for (instant, distribution) in results {
                    let instant = instant.map(|t| number(t) + " ").unwrap_or_default();
                    for (state, &p) in chain.states().iter().zip(distribution) {
                        writeln!(out, "{instant}{state} {}", number(p))?;
                    }
                }
                Ok(())
            })?;
        }
        if let Some((destination, table)) = table {
            session.write_text(destination, "throughputs", &table)?;
        }
        if let Some(destination) = &self.raw {
            write_matrix(session, destination, raw_matrix(lts), is_transposed)?;
        }
        if let Some(destination) = &self.reduced {
            let mut entries = Vec::with_capacity(chain.rates().entries() + chain.states().len());
            for (row, &state) in chain.states().iter().enumerate() {
                if chain.exits()[row] > 0.0 {
                    entries.push((state, state, -chain.exits()[row]));
                }
                let rates = chain.rates().row(row);
                entries.extend(rates.map(|(to, rate)| (state, chain.states()[to as usize], rate)));
            }
            write_matrix(session, destination, entries, is_transposed)?;
        }
        if let Some(destination) = &self.log {
            let common = [
                ("states", lts.states().to_string()),
                ("tangible_states", chain.states().len().to_string()),
                ("vanishing_states", chain.vanishing().to_string()),
                ("rates", chain.rates().entries().to_string()),
                ("rates_left_out", chain.preempted().to_string()),
                ("epsilon", number(self.settings.epsilon)),
            ];
            session.write_by(destination, "log", |out| {
                let mut all = common.iter().chain(log);
                all.try_for_each(|(name, value)| writeln!(out, "{name}: {value}"))
            })?;
        }
        Ok(())
    }

    /// The table of throughputs: a line of names, and one of values for each distribution.
    fn table(
        &self,
        chain: &Chain,
        results: &[(Option<f64>, Vec<f64>)],
        destination: &Destination,
    ) -> Result<Vec<u8>, Failure> {
        let has_instants = results.iter().any(|(instant, _)| instant.is_some());
        let is_placed = self.parameters.iter().any(|(name, _)| name == TIME);
        let first = (has_instants && !is_placed).then_some((TIME, ""));
        let given = self.parameters.iter();
        let given = given.map(|(name, value)| (&name[..], &value[..]));
        let parameters: Vec<(&str, &str)> = first.into_iter().chain(given).collect();
        let mut names: Vec<Vec<u8>> = Vec::new();
        names.extend(parameters.iter().map(|(name, _)| name.as_bytes().to_vec()));
        names.extend(chain.labels().iter().map(|label| quoted(label)));
        let header = [names.join(&b' '), vec![b'\n']].concat();
        let mut table = match self.appends {
            true => self.earlier(destination, &header)?,
            false => header,
        };
        for (instant, distribution) in results {
            let value = |&(name, value): &(&str, &str)| match instant {
                Some(instant) if name == TIME => number(*instant),
                _ => value.to_owned(),
            };
            let throughputs = chain.throughputs(distribution);
            let values = parameters.iter().map(value);
            let values: Vec<String> = values.chain(throughputs.into_iter().map(number)).collect();
            table.extend(values.join(" ").into_bytes());
            table.push(b'\n');
        }
        Ok(table)
    }

    /// What is in a table already; its first line, if there is none.
    fn earlier(&self, destination: &Destination, header: &[u8]) -> Result<Vec<u8>, Failure> {
        let Some(path) = destination.path() else {
            return Err(Failure::error("-append does not go with standard output"));
        };
        if !path.exists() {
            return Ok(header.to_vec());
        }
        let (name, mut text) = read_text(path)?;
        if text.is_empty() {
            return Ok(header.to_vec());
        }
        if !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        if !text.starts_with(header) {
            let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
            return Err(Failure::error(format!(
                "{name} has other columns: expected `{}`, found `{}`; name another file",
                String::from_utf8_lossy(header).trim_end(),
                String::from_utf8_lossy(line)
            )));
        }
        Ok(text)
    }
}

fn run_steady(arguments: Arguments, session: &mut Session) -> Result<(), Failure> {
    let request = Request::new(arguments, session, false)?;
    let (lts, chain) = request.read(session)?;
    let found = session.phase("solve", |phase| {
        phase.progress("solving", Unit::None, None);
        let found = steady(&chain, &request.settings, &mut |_| {});
        let found = found.map_err(|e| Failure::error(e.to_string()))?;
        phase.summary(|| counted(found.sweeps, "sweep"));
        Ok(found)
    })?;
    if found.error > request.settings.epsilon {
        session.note(format_args!(
            "rounding ended the iteration: probabilities may be wrong by {:.1e} together",
            found.error
        ));
    }
    let mut log = vec![
        ("bottom_components", found.bottoms.len().to_string()),
        ("sweeps", found.sweeps.to_string()),
        ("error", number(found.error)),
    ];
    for (size, p) in &found.bottoms {
        let size = counted(*size as u64, "state");
        let p = number(*p);
        log.push(("bottom_component", format!("{size}, probability {p}")));
    }
    let results = [(None, found.probabilities)];
    request.write(session, &lts, &chain, &results, true, &log)
}

fn run_transient(arguments: Arguments, session: &mut Session) -> Result<(), Failure> {
    let request = Request::new(arguments, session, true)?;
    let (lts, chain) = request.read(session)?;
    let found = session.phase("solve", |phase| {
        phase.progress("making steps", Unit::None, None);
        let found = transient(&chain, &request.instants, &request.settings, &mut |_| {});
        let found = found.map_err(|e| Failure::error(e.to_string()))?;
        phase.summary(|| counted(found.steps, "step"));
        Ok(found)
    })?;
    let mut log = vec![
        ("uniformization_rate", number(found.rate)),
        ("steps", found.steps.to_string()),
        ("is_steady", found.is_steady.to_string()),
    ];
    for (instant, (first, last)) in request.instants.iter().zip(&found.windows) {
        let instant = number(*instant);
        log.push(("instant", format!("{instant}, steps {first} to {last}")));
    }
    let instants = request.instants.iter().copied().map(Some);
    let results: Vec<_> = instants.zip(found.distributions).collect();
    request.write(session, &lts, &chain, &results, false, &log)
}

/// The sums of the numbers of all transitions between two states, where a hidden one counts as
/// a probability of 1, and a label without a right number, which is none of a [`Chain`] and so at
/// states that cannot be reached, nothing. O(transitions · log(transitions)).
fn raw_matrix(lts: &Lts) -> Vec<(StateId, StateId, f64)> {
    let mut sums: BTreeMap<(StateId, StateId), f64> = BTreeMap::new();
    for (source, label, target) in lts.iter() {
        let weight = match label.is_hidden() {
            true => 1.0,
            false => match lump::weight(lts.table().text(label)) {
                Ok(Some(weighted)) => weighted.number,
                Ok(None) | Err(_) => 0.0,
            },
        };
        *sums.entry((source, target)).or_insert(0.0) += weight;
    }
    let entries = sums.into_iter().map(|((s, t), sum)| (s, t, sum));
    entries.filter(|&(.., sum)| sum > 0.0).collect()
}

/// Writes the entries of a matrix, one a line, by rows.
fn write_matrix(
    session: &mut Session,
    destination: &Destination,
    mut entries: Vec<(StateId, StateId, f64)>,
    is_transposed: bool,
) -> Result<(), Failure> {
    if is_transposed {
        for (row, column, _) in &mut entries {
            std::mem::swap(row, column);
        }
    }
    entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
    session.write_by(
        destination,
        "matrix",
        |out: &mut dyn Write| -> io::Result<()> {
            let mut entries = entries.iter();
            entries.try_for_each(|(row, column, value)| {
                writeln!(out, "{row} {column} {}", number(*value))
            })
        },
    )
}

/// How many digits numbers have: fewer than doubles, so that rounding is not seen.
const DIGITS: usize = 9;

/// A number as results have it.
fn number(value: f64) -> String {
    significant(value, DIGITS)
}

/// A number with so many digits, as `%.9g` writes it in C for 9.
pub(crate) fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let text = format!("{value:.*e}", digits - 1);
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return text;
    };
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..digits as i32).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs());
    }
    let places = (digits as i32 - 1 - exponent) as usize;
    trimmed(&format!("{value:.places$}"))
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_as_by_printf() {
        for (value, expected) in [
            (0.0, "0"),
            (1.0, "1"),
            (-0.5, "-0.5"),
            (1.0 / 3.0, "0.333333333"),
            (2.0 / 3e5, "6.66666667e-06"),
            (0.0001234, "0.0001234"),
            (123_456_789.4, "123456789"),
            (999_999_999.9, "1e+09"),
            (1e100, "1e+100"),
            (100.0, "100"),
        ] {
            assert_eq!(number(value), expected);
        }
    }
}
