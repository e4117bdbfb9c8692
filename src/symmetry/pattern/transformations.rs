//! What makes copies of a template.

use std::fmt;

use super::PatternError;

/// A token.
type Value = Box<[u8]>;

/// Replaces values by others, all at the same time; what it does not mention
/// stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transformation {
    /// Old and new, sorted by the old ones.
    map: Vec<(Value, Value)>,
}

impl Transformation {
    /// The most transformations that are made of a list of values.
    pub const MOST: usize = 1 << 16;

    /// Replaces the first of each pair by the second.
    ///
    /// # Errors
    /// If a value is to be replaced by two.
    pub fn new(pairs: impl IntoIterator<Item = (Value, Value)>) -> Result<Self, PatternError> {
        let mut map: Vec<_> = pairs.into_iter().collect();
        map.sort_unstable();
        map.dedup();
        if let Some(two) = map.windows(2).find(|two| two[0].0 == two[1].0) {
            let text = |value: &Value| String::from_utf8_lossy(value).into_owned();
            return Err(PatternError::new(format!(
                "`{}` becomes both `{}` and `{}`; expected one value",
                text(&two[0].0),
                text(&two[0].1),
                text(&two[1].1)
            )));
        }
        Ok(Self { map })
    }

    /// What a token becomes.
    pub fn apply<'a>(&'a self, token: &'a [u8]) -> &'a [u8] {
        match self.map.binary_search_by(|(old, _)| (**old).cmp(token)) {
            Ok(at) => &self.map[at].1,
            Err(_) => token,
        }
    }

    /// The replaced values and what they become, sorted.
    pub fn pairs(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.map.iter().map(|(old, new)| (&**old, &**new))
    }

    /// The `n` rotations of `n` values: the `r`-th, from 0 on, makes each value
    /// the one `r` places further, round the end.
    ///
    /// # Errors
    /// As [`Transformation::injections`].
    pub fn rotations(values: &[Value]) -> Result<Vec<Self>, PatternError> {
        Self::rotations_of(values, |_| true)
    }

    /// The rotations of `values`, for those of them that are `wanted`: all
    /// others stay, so that long lists do not take quadratic memory.
    ///
    /// # Errors
    /// As [`Transformation::injections`].
    pub fn rotations_of(
        values: &[Value],
        wanted: impl Fn(&Value) -> bool,
    ) -> Result<Vec<Self>, PatternError> {
        let n = values.len();
        check_count(Some(n))?;
        let wanted: Vec<usize> = (0..n).filter(|&k| wanted(&values[k])).collect();
        let rotation = |r: usize| {
            let pairs = wanted.iter().map(|&k| (k, (k + r) % n));
            Self::new(pairs.map(|(old, new)| (values[old].clone(), values[new].clone())))
        };
        (0..n).map(rotation).collect()
    }

    /// All ways to give each of the values `from` one of the values `into`, no
    /// two the same, in the order of what the first becomes, then the second.
    ///
    /// # Errors
    /// If there are more than [`Transformation::MOST`], or none.
    pub fn injections(from: &[Value], into: &[Value]) -> Result<Vec<Self>, PatternError> {
        let count = (0..from.len()).try_fold(1usize, |product, k| {
            product.checked_mul(into.len().saturating_sub(k))
        });
        check_count(count)?;
        let mut all = Vec::new();
        // The places of the images in `into`, counted up like a clock.
        let mut images: Vec<usize> = (0..from.len()).collect();
        loop {
            let image = |(k, old): (usize, &Value)| (old.clone(), into[images[k]].clone());
            all.push(Self::new(from.iter().enumerate().map(image))?);
            let Some(next) = next_images(&images, into.len()) else {
                return Ok(all);
            };
            images = next;
        }
    }

    /// All permutations of the values; see [`Transformation::injections`].
    ///
    /// # Errors
    /// As there.
    pub fn permutations(values: &[Value]) -> Result<Vec<Self>, PatternError> {
        Self::injections(values, values)
    }
}

/// The next list of different numbers below `n`, in lexicographic order.
fn next_images(images: &[usize], n: usize) -> Option<Vec<usize>> {
    (0..images.len()).rev().find_map(|k| {
        let kept = &images[..k];
        let larger = (images[k] + 1..n).find(|image| !kept.contains(image))?;
        let mut next = kept.to_vec();
        next.push(larger);
        for _ in k + 1..images.len() {
            // There are at least as many numbers as images.
            next.push((0..n).find(|image| !next.contains(image))?);
        }
        Some(next)
    })
}

fn check_count(count: Option<usize>) -> Result<(), PatternError> {
    match count {
        Some(0) => Err(PatternError::new(
            "no transformation; expected at least one value, and to choose from no fewer values \
             than there are to replace",
        )),
        Some(1..=Transformation::MOST) => Ok(()),
        _ => Err(PatternError::new(format!(
            "too many transformations; expected at most {}: list those that matter as maps",
            Transformation::MOST
        ))),
    }
}

/// `OLD=NEW`, separated by blanks.
impl fmt::Display for Transformation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, (old, new)) in self.map.iter().enumerate() {
            let blank = if k == 0 { "" } else { " " };
            let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
            write!(f, "{blank}{old}={new}")?;
        }
        Ok(())
    }
}
