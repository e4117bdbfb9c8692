//! What is known of states beyond their numbers: values of the parameters of
//! the model that they come from.

/// A parameter of a model: what one entry of a state vector stands for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parameter {
    /// Its name.
    pub name: Vec<u8>,
    /// Its sort (type), as its format writes it; empty if that is unknown.
    pub sort: Vec<u8>,
    /// Its values, by the numbers that vectors hold.
    pub values: Vec<Vec<u8>>,
}

/// The labels of the states of an LTS: for each state the vectors of parameter
/// values that it stands for. That is one vector as a rule, several after a
/// reduction has merged states, none where nothing is known of a state.
///
/// Algorithms do not look at them, and most that renumber states drop them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StateLabels {
    parameters: Vec<Parameter>,
    /// Where the vectors of each state start, counted in vectors.
    offsets: Vec<usize>,
    /// Vectors one after the other, an entry for each parameter.
    values: Vec<u32>,
}

impl StateLabels {
    /// Labels of no state yet, with these parameters.
    pub fn new(parameters: Vec<Parameter>) -> Self {
        Self {
            parameters,
            offsets: vec![0],
            values: Vec::new(),
        }
    }

    /// The parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The parameters, whose values readers add as they meet them.
    pub fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut self.parameters
    }

    /// How many states have been described.
    pub fn states(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Describes the next state by its vectors, each of them one number of a
    /// value for every parameter.
    ///
    /// # Panics
    /// If a vector has more or fewer numbers than there are parameters.
    pub fn push<'a>(&mut self, vectors: impl IntoIterator<Item = &'a [u32]>) {
        let mut end = self.offsets[self.offsets.len() - 1];
        for vector in vectors {
            assert_eq!(vector.len(), self.parameters.len(), "one value a parameter");
            self.values.extend_from_slice(vector);
            end += 1;
        }
        self.offsets.push(end);
    }

    /// The vectors of the state with this index.
    ///
    /// # Panics
    /// If it has not been described.
    pub fn vectors(&self, state: usize) -> impl ExactSizeIterator<Item = &[u32]> {
        let width = self.parameters.len();
        (self.offsets[state]..self.offsets[state + 1])
            .map(move |k| &self.values[k * width..(k + 1) * width])
    }

    /// The text of the value that a vector holds for a parameter.
    ///
    /// # Panics
    /// If there is no such parameter or value.
    pub fn text(&self, parameter: usize, value: u32) -> &[u8] {
        &self.parameters[parameter].values[value as usize]
    }

    /// Whether every state is described by exactly one vector, as formats with
    /// one line a state need it.
    pub fn is_simple(&self) -> bool {
        self.offsets.iter().enumerate().all(|(k, &o)| k == o)
    }

    /// What is known of the states of another LTS, each of which is one of these
    /// or, for nothing, one of which nothing is known.
    ///
    /// # Panics
    /// If one of them has not been described.
    pub fn select(&self, states: impl IntoIterator<Item = Option<usize>>) -> Self {
        let mut selected = Self::new(self.parameters.clone());
        for state in states {
            match state {
                Some(state) => selected.push(self.vectors(state)),
                None => selected.push([]),
            }
        }
        selected
    }

    /// Exchanges what is known of two states.
    ///
    /// # Panics
    /// If one of them has not been described.
    pub fn exchanged(&self, a: usize, b: usize) -> Self {
        self.select((0..self.states()).map(|state| match state {
            _ if state == a => Some(b),
            _ if state == b => Some(a),
            _ => Some(state),
        }))
    }

    /// Bytes of memory that the labels hold on to.
    pub fn heap_bytes(&self) -> usize {
        let text = |p: &Parameter| {
            let values = p.values.iter().map(|v| v.capacity() + size_of::<Vec<u8>>());
            p.name.capacity() + p.sort.capacity() + values.sum::<usize>()
        };
        self.parameters.iter().map(text).sum::<usize>()
            + size_of::<usize>() * self.offsets.capacity()
            + 4 * self.values.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_have_any_number_of_vectors() {
        let parameter = |name: &str, values: &[&str]| Parameter {
            name: name.into(),
            sort: b"Nat".to_vec(),
            values: values.iter().map(|&v| v.into()).collect(),
        };
        let mut labels =
            StateLabels::new(vec![parameter("n", &["0", "1"]), parameter("b", &["true"])]);
        assert!(labels.is_simple());
        labels.push([&[1, 0][..]]);
        assert!(labels.is_simple());
        labels.push([]);
        labels.push([&[0, 0][..], &[1, 0]]);
        assert_eq!(labels.states(), 3);
        assert!(!labels.is_simple());
        let all = |l: &StateLabels, s| l.vectors(s).map(<[u32]>::to_vec).collect::<Vec<_>>();
        assert_eq!(all(&labels, 0), [[1, 0]]);
        assert_eq!(all(&labels, 1).len(), 0);
        assert_eq!(all(&labels, 2), [[0, 0], [1, 0]]);
        assert_eq!(labels.text(0, 1), b"1");
        let exchanged = labels.exchanged(0, 2);
        assert_eq!(all(&exchanged, 0), [[0, 0], [1, 0]]);
        assert_eq!(all(&exchanged, 2), [[1, 0]]);
        assert_eq!(exchanged.exchanged(2, 0), labels);
        let selected = labels.select([Some(2), None]);
        assert_eq!(all(&selected, 0), [[0, 0], [1, 0]]);
        assert_eq!((selected.states(), all(&selected, 1).len()), (2, 0));
    }

    #[test]
    fn no_parameters_at_all() {
        let mut labels = StateLabels::new(Vec::new());
        labels.push([&[][..]]);
        labels.push([]);
        assert_eq!((labels.vectors(0).len(), labels.vectors(1).len()), (1, 0));
    }
}
