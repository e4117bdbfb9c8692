//! Dense linear algebra, as textbooks have it.

type Matrix = Vec<Vec<f64>>;

/// A chain over all states of an LTS, where vanishing ones have probability 0.
pub(super) struct Naive {
    pub(super) states: usize,
    transitions: Vec<(usize, String, usize)>,
    is_vanishing: Vec<bool>,
    is_reached: Vec<bool>,
    /// Where each vanishing state leads to in one step.
    moves: Matrix,
    /// The generator.
    generator: Matrix,
    initial: Vec<f64>,
}

fn number(label: &str) -> f64 {
    label.rsplit(' ').next().unwrap().parse().unwrap()
}

impl Naive {
    /// The states from which no time passes any more and that can be reached, if there are any.
    pub(super) fn new(
        n: usize,
        transitions: &[(usize, String, usize)],
    ) -> Result<Self, Vec<usize>> {
        let takes_time = |label: &str| label.contains("rate");
        let is_vanishing: Vec<bool> = (0..n)
            .map(|s| transitions.iter().any(|e| e.0 == s && !takes_time(&e.1)))
            .collect();
        let steps: Vec<_> = transitions
            .iter()
            .filter(|e| is_vanishing[e.0] != takes_time(&e.1))
            .cloned()
            .collect();
        let mut moves = vec![vec![0.0; n]; n];
        let mut rates = vec![vec![0.0; n]; n];
        for (s, label, t) in &steps {
            match is_vanishing[*s] {
                true if label == "i" => moves[*s][*t] = 1.0,
                true => moves[*s][*t] += number(label),
                false => rates[*s][*t] += number(label),
            }
        }
        for row in &mut moves {
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= sum.max(1e-300));
        }
        let reach = |from: usize, follows: &dyn Fn(usize) -> bool| {
            let mut seen = vec![false; n];
            seen[from] = true;
            for _ in 0..n {
                for (s, _, t) in &steps {
                    seen[*t] |= seen[*s] && follows(*s);
                }
            }
            seen
        };
        let reached = reach(0, &|_| true);
        let is_timeless = |s: usize| {
            let by_moves = reach(s, &|s| is_vanishing[s]);
            (0..n).all(|t| !by_moves[t] || is_vanishing[t])
        };
        let timeless: Vec<usize> = (0..n).filter(|&s| reached[s] && is_timeless(s)).collect();
        if !timeless.is_empty() {
            return Err(timeless);
        }
        // Where a visit ends: X = moves to tangible states + moves to vanishing ones · X. States
        // that cannot be reached stay where they are.
        let mut left = identity(n);
        let mut right = identity(n);
        for v in (0..n).filter(|&v| is_vanishing[v] && reached[v]) {
            right[v][v] = 0.0;
            for t in 0..n {
                match is_vanishing[t] {
                    true => left[v][t] -= moves[v][t],
                    false => right[v][t] += moves[v][t],
                }
            }
        }
        let ends = solve(left, right);
        let mut generator = times(&rates, &ends);
        for (s, row) in generator.iter_mut().enumerate() {
            let exit: f64 = row.iter().sum();
            row[s] -= exit;
        }
        Ok(Self {
            states: n,
            transitions: transitions.to_vec(),
            is_vanishing,
            is_reached: reached,
            moves,
            generator,
            initial: ends[0].clone(),
        })
    }

    /// By the powers of a matrix of one step, squared again and again.
    pub(super) fn long_run(&self) -> Vec<f64> {
        let step = scaled(&self.generator, 0.01);
        let mut power = plus(&identity(self.states), &step);
        for _ in 0..50 {
            power = times(&power, &power);
            for row in &mut power {
                let sum: f64 = row.iter().sum();
                row.iter_mut().for_each(|p| *p /= sum);
            }
        }
        from(&self.initial, &power)
    }

    /// By scaling and squaring of Taylor's series.
    pub(super) fn at(&self, instant: f64) -> Vec<f64> {
        let mut halvings = 0;
        let mut small = instant;
        while small > 0.001 {
            small /= 2.0;
            halvings += 1;
        }
        let exponent = scaled(&self.generator, small);
        let mut term = identity(self.states);
        let mut sum = identity(self.states);
        for k in 1..12 {
            term = scaled(&times(&term, &exponent), 1.0 / f64::from(k));
            sum = plus(&sum, &term);
        }
        for _ in 0..halvings {
            sum = times(&sum, &sum);
        }
        from(&self.initial, &sum)
    }

    /// By what flows through vanishing states in a unit of time: f = what comes by rates
    /// + f · moves.
    pub(super) fn throughputs(&self, probabilities: &[f64], names: &[&[u8]]) -> Vec<f64> {
        let n = self.states;
        let takes_time = |label: &str| label.contains("rate");
        let mut left = identity(n);
        let mut right = vec![vec![0.0]; n];
        for (s, label, t) in &self.transitions {
            if takes_time(label) && !self.is_vanishing[*s] {
                right[*t][0] += probabilities[*s] * number(label);
            }
        }
        for v in (0..n).filter(|&v| self.is_vanishing[v] && self.is_reached[v]) {
            for t in (0..n).filter(|&t| self.is_vanishing[t]) {
                left[t][v] -= self.moves[v][t];
            }
        }
        let flows = solve(left, right);
        let mut sums = vec![0.0; n];
        for (s, label, _) in &self.transitions {
            if label.contains("prob") {
                sums[*s] += number(label);
            }
        }
        let of = |name: &&[u8]| {
            let own = self.transitions.iter().filter(|(_, label, _)| {
                label
                    .split_once(';')
                    .is_some_and(|(own, _)| own.as_bytes() == *name)
            });
            own.map(|(s, label, _)| match self.is_vanishing[*s] {
                true if takes_time(label) => 0.0,
                true => flows[*s][0] * number(label) / sums[*s],
                false => probabilities[*s] * number(label),
            })
            .sum()
        };
        names.iter().map(of).collect()
    }
}

fn identity(n: usize) -> Matrix {
    let entry = |s: usize, t: usize| f64::from(u8::from(s == t));
    (0..n)
        .map(|s| (0..n).map(|t| entry(s, t)).collect())
        .collect()
}

fn scaled(a: &Matrix, factor: f64) -> Matrix {
    let row = |row: &Vec<f64>| row.iter().map(|x| factor * x).collect();
    a.iter().map(row).collect()
}

fn plus(a: &Matrix, b: &Matrix) -> Matrix {
    let row = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| a + b).collect();
    a.iter().zip(b).map(row).collect()
}

fn times(a: &Matrix, b: &Matrix) -> Matrix {
    a.iter().map(|row| from(row, b)).collect()
}

/// A row times a matrix.
fn from(row: &[f64], b: &Matrix) -> Vec<f64> {
    let mut sum = vec![0.0; b[0].len()];
    for (x, row) in row.iter().zip(b) {
        for (sum, y) in sum.iter_mut().zip(row) {
            *sum += x * y;
        }
    }
    sum
}

/// `left⁻¹ · right` by Gaussian elimination with pivots.
fn solve(mut left: Matrix, mut right: Matrix) -> Matrix {
    let n = left.len();
    for k in 0..n {
        let size = |s: &usize| left[*s][k].abs();
        let pivot = (k..n).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap();
        left.swap(k, pivot);
        right.swap(k, pivot);
        let by = left[k][k];
        for s in (0..n).filter(|&s| s != k) {
            let factor = left[s][k] / by;
            if factor != 0.0 {
                let (own, other) = (left[k].clone(), right[k].clone());
                left[s]
                    .iter_mut()
                    .zip(own)
                    .for_each(|(x, y)| *x -= factor * y);
                right[s]
                    .iter_mut()
                    .zip(other)
                    .for_each(|(x, y)| *x -= factor * y);
            }
        }
    }
    for k in 0..n {
        let by = left[k][k];
        right[k].iter_mut().for_each(|x| *x /= by);
    }
    right
}
