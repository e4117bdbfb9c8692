//! The class `LTS`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use hyades::formats::diagnostic::counted;
use hyades::formats::options::{Dialect, WriteOptions};
use hyades::formats::{
    self as formats, FileError, FileErrorCause, Format, LabelId, LabelTable, Lts, LtsBuilder,
    LtsParts, StateId, is_sparse,
};
use hyades::lts::relabel::{Action, Matching, RelabelStep, Rules, Scope, relabel};
use hyades_draw::{Drawing, draw, svg};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PyString, PyTuple, PyType};

use crate::arrow;
use crate::columns::{Column, Data, numbers_of};
use crate::errors::{self, Fault, value};
use crate::numbers::{self, Number};
use crate::source::{self, names};
use crate::sources::Sources;
use crate::texts;
use crate::work::work;

/// A labelled transition system; it does not change.
///
/// States are numbers from 0. Labels are texts; the hidden action is shown as `hidden`.
#[pyclass(frozen, module = "hyades", name = "LTS")]
pub struct PyLts {
    pub lts: Arc<Lts>,
    /// The texts of the labels as Python has them, made when first asked for.
    shown: OnceLock<Vec<Py<PyString>>>,
}

impl From<Lts> for PyLts {
    fn from(lts: Lts) -> Self {
        Arc::new(lts).into()
    }
}

impl From<Arc<Lts>> for PyLts {
    fn from(lts: Arc<Lts>) -> Self {
        Self {
            lts,
            shown: OnceLock::new(),
        }
    }
}

impl PyLts {
    fn shown(&self, py: Python<'_>) -> PyResult<&[Py<PyString>]> {
        if let Some(shown) = self.shown.get() {
            return Ok(shown);
        }
        let table = self.lts.table();
        let mut shown = vec![PyString::new(py, &texts::hidden_name(table)).unbind()];
        for (_, text) in table.visible() {
            shown.push(texts::text(py, text)?.unbind());
        }
        Ok(self.shown.get_or_init(|| shown))
    }

    fn state(&self, number: Number) -> PyResult<StateId> {
        let states = self.lts.states() as u64;
        let found = match number.or_text() {
            Ok(number) if number < states => return Ok(StateId::new(number as u32)),
            Ok(number) => number.to_string(),
            Err(text) => text,
        };
        Err(PyIndexError::new_err(format!(
            "no state {found}: there are {states}, from 0 on"
        )))
    }

    /// With rules applied to all labels.
    fn relabelled(&self, py: Python<'_>, rules: Rules) -> PyResult<Self> {
        let hidden = texts::hidden_name(self.lts.table());
        let done = work(py, |_| {
            let steps = [RelabelStep::Rules(rules, None)];
            let is_hidden = |text: &[u8]| text == hidden.as_bytes();
            Ok(relabel((*self.lts).clone(), &steps, &is_hidden, None)?)
        })?;
        Ok(done.lts.into())
    }
}

fn rules(action: Action, matching: &str, scope: Scope) -> PyResult<Rules> {
    let matching: Matching = match Matching::from_name(matching) {
        Some(matching) if action.modes().contains(&matching) => matching,
        Some(_) | None => {
            let known: Vec<&str> = action.modes().iter().map(|mode| mode.name()).collect();
            return Err(PyValueError::new_err(format!(
                "match: expected one of {}, found {matching}",
                known.join(", ")
            )));
        }
    };
    Ok(Rules::new(action, matching, scope))
}

/// Rules of patterns alone, of which there may be one or several.
///
/// # Errors
/// If one of them is none, or the action cannot match by `matching`.
pub fn patterns(
    action: Action,
    given: &Bound<'_, PyAny>,
    matching: &str,
    others: bool,
) -> PyResult<Rules> {
    let scope = match others {
        true => Scope::AllBut,
        false => Scope::Matching,
    };
    let mut rules = rules(action, matching, scope)?;
    for pattern in names(Some(given))?.unwrap_or_default() {
        rules.push(&pattern, b"", None).map_err(value)?;
    }
    Ok(rules)
}

/// The parts of a transition: source, label, target.
type Parts<'py> = (Number, Bound<'py, PyAny>, Number);

/// The parts of a transition that is a tuple or a list.
///
/// # Errors
/// If it is neither, or its parts are others.
fn parts<'py>(one: &Bound<'py, PyAny>) -> PyResult<Parts<'py>> {
    let list = one.cast::<PyList>().map(|list| list.to_tuple());
    let tuple = match (list, one.cast::<PyTuple>()) {
        (Ok(tuple), _) => tuple,
        (Err(_), Ok(tuple)) => tuple.clone(),
        (Err(_), Err(_)) => {
            let kind = one.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "expected (source, label, target), found {kind}"
            )));
        }
    };
    match tuple.len() {
        3 => tuple.extract(),
        len => Err(PyValueError::new_err(format!(
            "expected (source, label, target), found {}",
            formats::diagnostic::counted(len as u64, "part")
        ))),
    }
}

/// An error with the place of the transition that it is of, if it is one of values or types.
fn of_transition(py: Python<'_>, k: usize, error: PyErr) -> PyErr {
    let kind = error.get_type(py);
    let told = |text: String| format!("transitions[{k}]: {text}");
    let text = error.value(py).str().map(|text| text.to_string());
    let is = |known: Bound<'_, PyType>| kind.is(&known);
    match text {
        Ok(text) if is(py.get_type::<PyTypeError>()) || is(py.get_type::<PyValueError>()) => {
            PyErr::from_type(kind, told(text))
        }
        Ok(_) | Err(_) => error,
    }
}

/// Whether there is room for the rows of so many states, which a slip of the pen may ask for:
/// without room the interpreter would end.
///
/// # Errors
/// If there is none.
pub fn has_room(states: u64) -> PyResult<()> {
    let rows = usize::try_from(states).ok().and_then(|states| {
        let mut rows: Vec<u64> = Vec::new();
        rows.try_reserve_exact(states.checked_add(1)?).ok()
    });
    rows.ok_or_else(|| {
        PyMemoryError::new_err(format!("there is not enough memory for {states} states"))
    })
}

/// Refuses far more states by their numbers than there are transitions for, which nobody means
/// as a rule, and which would take gigabytes.
pub fn not_sparse(states: u64, transitions: u64) -> PyResult<()> {
    match is_sparse(states, transitions) {
        false => Ok(()),
        true => Err(PyValueError::new_err(format!(
            "{states} states by their numbers, which begin at 0 and have no gaps, but {}: is \
             that meant? states={states} takes them all the same",
            counted(transitions, "transition")
        ))),
    }
}

#[pymethods]
impl PyLts {
    /// The number of states.
    #[getter]
    fn states(&self) -> usize {
        self.lts.states()
    }

    /// The number of transitions, which is `len()` too.
    #[getter]
    fn transitions(&self) -> usize {
        self.lts.transitions()
    }

    /// The initial state.
    #[getter]
    fn initial(&self) -> u32 {
        self.lts.initial().get()
    }

    /// How the hidden action is shown: by the first of `i`, `tau`, `τ`, `tau_1`,
    /// `tau_2`, … that no visible label reads.
    #[getter]
    fn hidden(&self, py: Python<'_>) -> PyResult<Py<PyString>> {
        Ok(self.shown(py)?[0].clone_ref(py))
    }

    /// The texts of the labels by their numbers; the hidden action is number 0. Not all
    /// of them need occur.
    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.shown(py)?)
    }

    fn __len__(&self) -> usize {
        self.lts.transitions()
    }

    fn __bool__(&self) -> bool {
        true
    }

    /// Transitions: source, label, target; by their sources.
    fn __iter__(slf: Bound<'_, Self>) -> PyResult<Transitions> {
        slf.get().shown(slf.py())?;
        Ok(Transitions {
            next: (0, 0),
            lts: slf.unbind(),
        })
    }

    fn __repr__(&self) -> String {
        use formats::diagnostic::counted;
        let used = self.lts.used_labels().iter().filter(|used| **used).count();
        format!(
            "<LTS: {}, {}, {}>",
            counted(self.lts.states() as u64, "state"),
            counted(self.lts.transitions() as u64, "transition"),
            counted(used as u64, "label")
        )
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let Ok(same) = other.cast::<PyLts>() else {
            return Ok(py.NotImplemented());
        };
        let (this, other) = (&*self.lts, &*same.get().lts);
        py.detach(|| is_same(this, other)).into_py_any(py)
    }

    /// Of the sizes, and of transitions here and there: the same in all processes.
    fn __hash__(&self) -> u64 {
        /// So many transitions are looked at.
        const SOME: usize = 64;
        let lts = &self.lts;
        // Without random keys.
        let mut hash = DefaultHasher::new();
        [lts.states(), lts.transitions(), lts.initial().index()].hash(&mut hash);
        for at in (0..lts.transitions()).step_by(lts.transitions().div_ceil(SOME).max(1)) {
            lts.targets()[at].get().hash(&mut hash);
            // By their texts, as their numbers do not matter.
            let label = lts.labels()[at];
            let text = (!label.is_hidden()).then(|| lts.table().text(label));
            text.hash(&mut hash);
        }
        hash.finish()
    }

    /// Label and target of each transition of a state.
    fn successors<'py>(
        &self,
        py: Python<'py>,
        state: Number,
    ) -> PyResult<Vec<(Bound<'py, PyString>, u32)>> {
        let shown = self.shown(py)?;
        let moves = self.lts.outgoing(self.state(state)?);
        let one = |(label, target): (LabelId, StateId)| {
            (shown[label.index()].bind(py).clone(), target.get())
        };
        Ok(moves.map(one).collect())
    }

    /// An LTS of transitions, tuples or lists of source, label and target. There are at
    /// least so many states, and as many as the largest number needs: if that is far more
    /// than there are transitions for, `states` has to say so. The labels that are `hidden`
    /// (without it, `i`; none if it is empty) become the hidden action.
    #[staticmethod]
    #[pyo3(
        signature = (
            transitions, *, initial = Number::from(0), states = Number::from(1), hidden = None
        ),
        text_signature = "(transitions, *, initial=0, states=1, hidden=None)"
    )]
    fn from_transitions(
        transitions: &Bound<'_, PyAny>,
        initial: Number,
        states: Number,
        hidden: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let hidden = names(hidden)?.unwrap_or_else(|| vec![b"i".to_vec()]);
        let py = transitions.py();
        let known = PyDict::new(py);
        let state = |number: Number, what: &str| -> PyResult<StateId> {
            let number = number.get(what, StateId::MAX_COUNT - 1)?;
            Ok(StateId::new(number as u32))
        };
        let (initial, states) = (state(initial, "initial")?, states.get("states", u64::MAX)?);
        let mut builder = LtsBuilder::new(states.min(StateId::MAX_COUNT + 1));
        let mut count = states.max(u64::from(initial.get()) + 1);
        // Tells the larger state.
        let mut add = |one: &Bound<'_, PyAny>| -> PyResult<StateId> {
            let (source, label, target) = parts(one)?;
            let (source, target) = (state(source, "source")?, state(target, "target")?);
            let number = match known.get_item(&label)? {
                Some(number) => LabelId::new(number.extract()?),
                None => {
                    let text = texts::bytes(&label)?;
                    let number = match hidden.contains(&text) {
                        true => LabelId::HIDDEN,
                        false => builder.table_mut().intern(&text).map_err(Fault::from)?,
                    };
                    known.set_item(&label, number.get())?;
                    number
                }
            };
            builder.add(source, number, target);
            Ok(source.max(target))
        };
        let mut transitions_seen = 0;
        for (k, one) in transitions.try_iter()?.enumerate() {
            transitions_seen += 1;
            let larger = add(&one?).map_err(|error| of_transition(py, k, error))?;
            count = count.max(u64::from(larger.get()) + 1);
        }
        if count > states {
            not_sparse(count, transitions_seen)?;
        }
        if count <= StateId::MAX_COUNT {
            has_room(count)?;
        }
        let lts = work(py, |_| Ok(builder.build(initial)?))?;
        Ok(lts.into())
    }

    /// An LTS of a table with columns `src`, `label`, `dst`, of anything with Arrow's
    /// stream protocol. What is not said is taken from its metadata, if there are any.
    #[staticmethod]
    #[pyo3(signature = (data, *, initial = None, states = None, hidden = None))]
    fn from_arrow(
        data: &Bound<'_, PyAny>,
        initial: Option<Number>,
        states: Option<Number>,
        hidden: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let most = StateId::MAX_COUNT - 1;
        let initial = initial.map(|initial| initial.get("initial", most));
        let given = arrow::Given {
            initial: initial.transpose()?.map(|initial| initial as u32),
            states: numbers::given(states, "states")?,
            hidden: names(hidden)?,
        };
        Ok(arrow::from_stream(data, given)?.into())
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A wish, which nobody has to grant.
        let _ = requested_schema;
        arrow::stream(py, &self.lts)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::schema_capsule(py, &self.lts)
    }

    /// The columns, for `to_numpy`: sources, labels, targets and offsets.
    fn _columns(&self, py: Python<'_>) -> PyResult<(Column, Column, Column, Column)> {
        let sources = work(py, |_| {
            Sources::of(&self.lts).map_err(|error| Fault::Limit(error.to_string()))
        })?;
        let lts = || Arc::clone(&self.lts);
        Ok((
            Column(Data::Sources(Arc::new(sources))),
            Column(Data::Labels(lts())),
            Column(Data::Targets(lts())),
            Column(match self.lts.offsets().as_narrow() {
                Some(_) => Data::Offsets(lts()),
                None => Data::Own(Arc::new(offsets(&self.lts)?)),
            }),
        ))
    }

    /// Sources, labels and targets as numbers, and where the row of each state starts;
    /// all but the sources without copies.
    fn to_numpy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("hyades._desk")?
            .call_method1("to_numpy", (slf,))
    }

    /// A `networkx.MultiDiGraph` whose edges have the attribute `label`.
    fn to_networkx<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("hyades._desk")?
            .call_method1("to_networkx", (slf,))
    }

    /// A picture: of layers up to some hundreds of states, placed by forces up to some
    /// thousands, and of groups of states beyond. States bear the names that DOT and FSM
    /// have for them.
    #[pyo3(signature = (title = ""))]
    fn to_svg(&self, py: Python<'_>, title: &str) -> PyResult<String> {
        work(py, |_| {
            let names = hyades_draw::names(&self.lts);
            let mut drawing = Drawing::new(&self.lts, title);
            drawing.states = &names;
            Ok(svg(&draw(&drawing).map_err(value)?))
        })
    }

    /// The picture with its sizes below it, for notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("hyades._desk")?
            .call_method1("to_html", (slf,))
    }

    /// The picture, for notebooks.
    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<String> {
        self.to_svg(py, "")
    }

    /// With hidden labels: those that a pattern matches, or all `others`. Patterns are
    /// POSIX basic regular expressions; `match` is `total`, `gate` or `partial`.
    #[pyo3(signature = (*patterns, r#match = "total", others = false))]
    fn hide(&self, patterns: &Bound<'_, PyTuple>, r#match: &str, others: bool) -> PyResult<Self> {
        let rules = self::patterns(Action::Hide, patterns.as_any(), r#match, others)?;
        self.relabelled(patterns.py(), rules)
    }

    /// Without the transitions whose labels a pattern matches, or all `others`.
    #[pyo3(signature = (*patterns, r#match = "total", others = false))]
    fn cut(&self, patterns: &Bound<'_, PyTuple>, r#match: &str, others: bool) -> PyResult<Self> {
        let rules = self::patterns(Action::Cut, patterns.as_any(), r#match, others)?;
        self.relabelled(patterns.py(), rules)
    }

    /// With other labels: for each pattern its replacement, in which `\1` to `\9` are
    /// groups; `match` is `total`, `gate`, `single` or `multiple`.
    #[pyo3(signature = (names, *, r#match = "total"))]
    fn rename(&self, names: &Bound<'_, PyDict>, r#match: &str) -> PyResult<Self> {
        let mut rules = rules(Action::Rename, r#match, Scope::Matching)?;
        for (pattern, right) in names {
            let (pattern, right) = (texts::bytes(&pattern)?, texts::bytes(&right)?);
            rules.push(&pattern, &right, None).map_err(value)?;
        }
        self.relabelled(names.py(), rules)
    }

    /// Writes a file, whole or not at all, in the format and the compression that the
    /// ending of its name tells.
    #[pyo3(signature = (path, format = None, *, canonical = false, dialect = None, visible_i = None))]
    fn save(
        &self,
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        format: Option<&str>,
        canonical: bool,
        dialect: Option<&str>,
        visible_i: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let path = source::path(path)?;
        let options = write_options(canonical, dialect, visible_i)?;
        let format: Option<Format> = format.map(str::parse).transpose().map_err(value)?;
        let found = work(py, |_| {
            let mut found = Vec::new();
            let mut sink = |diagnostic| found.push(diagnostic);
            match self.lts.save_as(&path, format, &options, &mut sink) {
                Ok(()) => Ok(found),
                Err(error) => {
                    let name = formats::diagnostic::printable_path(&path);
                    Err(unwritten(found, name, error).of_path(&path))
                }
            }
        })?;
        errors::warn(py, &found)
    }

    /// The bytes of a file.
    #[pyo3(signature = (format = "aut", *, canonical = false, dialect = None, visible_i = None))]
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
        format: &str,
        canonical: bool,
        dialect: Option<&str>,
        visible_i: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let options = write_options(canonical, dialect, visible_i)?;
        let format: Format = format.parse().map_err(value)?;
        let (bytes, found) = work(py, |_| {
            let (mut bytes, mut found) = (Vec::new(), Vec::new());
            let mut sink = |diagnostic| found.push(diagnostic);
            match formats::write_lts(&self.lts, format, &mut bytes, &options, &mut sink) {
                Ok(_) => Ok((bytes, found)),
                Err(error) => Err(unwritten(found, "<bytes>".into(), error)),
            }
        })?;
        errors::warn(py, &found)?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let (py, lts) = (slf.py(), &slf.get().lts);
        let column = |numbers: &mut dyn Iterator<Item = u32>| {
            let bytes: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
            PyBytes::new(py, &bytes)
        };
        let labels = lts.table().visible();
        let labels: Vec<_> = labels.map(|(_, text)| PyBytes::new(py, text)).collect();
        let parts = (
            lts.initial().get(),
            column(&mut offsets(lts)?.into_iter()),
            column(&mut lts.labels().iter().map(|label| label.get())),
            column(&mut lts.targets().iter().map(|target| target.get())),
            PyList::new(py, labels)?,
        );
        Ok((slf.get_type().getattr("_from_parts")?, parts))
    }

    #[classmethod]
    fn _from_parts(
        _kind: &Bound<'_, PyType>,
        initial: u32,
        offsets: &[u8],
        labels: &[u8],
        targets: &[u8],
        texts: Vec<Bound<'_, PyBytes>>,
    ) -> PyResult<Self> {
        let wrong = || PyValueError::new_err("not the parts of an LTS");
        let numbers = |bytes| numbers_of(bytes).ok_or_else(wrong);
        let (offsets, labels, targets) = (numbers(offsets)?, numbers(labels)?, numbers(targets)?);
        let mut table = LabelTable::new();
        for text in &texts {
            table.intern(text.as_bytes()).map_err(Fault::from)?;
        }
        let states = offsets.len().wrapping_sub(1);
        let fits = table.len() == texts.len() + 1
            && (1..=StateId::MAX_COUNT).contains(&(states as u64))
            && (initial as usize) < states
            && labels.len() == targets.len()
            && offsets[0] == 0
            && offsets[states] as usize == targets.len()
            && offsets.is_sorted()
            && labels.iter().all(|&label| (label as usize) < table.len())
            && targets.iter().all(|&target| (target as usize) < states);
        if !fits {
            return Err(wrong());
        }
        Ok(Lts::from_parts(LtsParts {
            initial: StateId::new(initial),
            offsets: offsets.into(),
            labels: labels.into_iter().map(LabelId::new).collect(),
            targets: targets.into_iter().map(StateId::new).collect(),
            table,
        })
        .into())
    }
}

/// Where the row of each state starts, and the last one ends.
fn offsets(lts: &hyades::formats::Lts) -> PyResult<Vec<u32>> {
    if u32::try_from(lts.transitions()).is_err() {
        let why = "offsets are of 32 bits: too many transitions";
        return Err(Fault::Limit(why.into()).into());
    }
    Ok(lts.offsets().iter().map(|offset| offset as u32).collect())
}

/// What a pickle is made of: initial state, offsets, labels, targets, texts.
type Pickled<'py> = (
    u32,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyList>,
);

/// Whether two LTSs are the same: states, transitions and their order, texts of labels.
fn is_same(this: &Lts, other: &Lts) -> bool {
    let mut pairs = vec![None; this.table().len()];
    pairs[0] = Some(LabelId::HIDDEN);
    for (label, text) in this.table().visible() {
        pairs[label.index()] = other.table().find(text);
    }
    this.initial() == other.initial()
        && this.offsets() == other.offsets()
        && this.targets() == other.targets()
        && std::iter::zip(this.labels(), other.labels())
            .all(|(label, other)| pairs[label.index()] == Some(*other))
}

fn write_options(
    canonical: bool,
    dialect: Option<&str>,
    visible_i: Option<&Bound<'_, PyAny>>,
) -> PyResult<WriteOptions> {
    let dialect: Option<Dialect> = dialect.map(str::parse).transpose().map_err(value)?;
    Ok(WriteOptions {
        canonical,
        dialect,
        visible_i: visible_i.map(texts::bytes).transpose()?,
        ..WriteOptions::default()
    })
}

fn unwritten(
    diagnostics: Vec<formats::Diagnostic>,
    name: String,
    error: formats::WriteError,
) -> Fault {
    Fault::File(FileError {
        diagnostics,
        cause: FileErrorCause::Write(name, error),
    })
}

/// The transitions of an LTS, one after the other.
#[pyclass(module = "hyades")]
pub struct Transitions {
    lts: Py<PyLts>,
    /// The state, and the place in the columns.
    next: (u32, usize),
}

#[pymethods]
impl Transitions {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(
        mut slf: PyRefMut<'py, Self>,
    ) -> PyResult<Option<(u32, Bound<'py, PyString>, u32)>> {
        let py = slf.py();
        let (mut state, at) = slf.next;
        let lts = slf.lts.bind(py).clone();
        let lts = lts.get();
        if at == lts.lts.transitions() {
            return Ok(None);
        }
        while lts.lts.offsets().get(state as usize + 1) <= at {
            state += 1;
        }
        slf.next = (state, at + 1);
        let label = lts.lts.labels()[at];
        let label = lts.shown(py)?[label.index()].bind(py).clone();
        Ok(Some((state, label, lts.lts.targets()[at].get())))
    }
}
