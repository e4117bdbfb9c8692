//! What makes copies of a template.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::error::PatternError;

/// A token.
type Value = Box<[u8]>;

/// Replaces values by others, all at the same time; what it does not mention
/// stays.
///
/// Those that are made of one list share it: a rotation takes 32 bytes, however
/// long the list is.
#[derive(Clone, Debug)]
pub struct Transformation {
    lists: Arc<Lists>,
    images: Images,
}

/// What transformations that are made alike have in common.
#[derive(Debug)]
struct Lists {
    /// What is replaced, sorted, each with its place.
    old: Vec<(Value, usize)>,
    /// By what.
    new: Vec<Value>,
}

/// Which of the new values each place gets.
#[derive(Clone, Debug)]
enum Images {
    /// The one so many places further, round the end.
    Rotated(usize),
    /// The one with the number that is there.
    Listed(Box<[usize]>),
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
        let (old, new): (Vec<Value>, Vec<Value>) = map.into_iter().unzip();
        let old = old.into_iter().zip(0..).collect();
        Ok(Self {
            lists: Arc::new(Lists { old, new }),
            images: Images::Rotated(0),
        })
    }

    /// What a token becomes. O(log(replaced values)).
    pub fn apply<'a>(&'a self, token: &'a [u8]) -> &'a [u8] {
        let old = &self.lists.old;
        match old.binary_search_by(|(old, _)| (**old).cmp(token)) {
            Ok(at) => self.image(old[at].1),
            Err(_) => token,
        }
    }

    /// The replaced values and what they become, sorted.
    pub fn pairs(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let old = self.lists.old.iter();
        old.map(|(old, place)| (&**old, self.image(*place)))
    }

    fn image(&self, place: usize) -> &[u8] {
        let new = &self.lists.new;
        match &self.images {
            Images::Rotated(by) => &new[(place + by) % new.len()],
            Images::Listed(images) => &new[images[place]],
        }
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
    /// others stay.
    ///
    /// # Errors
    /// As [`Transformation::injections`].
    pub fn rotations_of(
        values: &[Value],
        wanted: impl Fn(&Value) -> bool,
    ) -> Result<Vec<Self>, PatternError> {
        let n = values.len();
        check_count(1, n, "rotations")?;
        let lists = Lists::new(values, wanted, values);
        let rotation = |r: usize| Self {
            lists: Arc::clone(&lists),
            images: Images::Rotated(r),
        };
        Ok((0..n).map(rotation).collect())
    }

    /// All ways to give each of the values `from` one of the values `into`, no
    /// two the same, in the order of what the first becomes, then the second.
    ///
    /// # Errors
    /// If there are more than [`Transformation::MOST`], or none. If a value is in
    /// `from` twice.
    pub fn injections(from: &[Value], into: &[Value]) -> Result<Vec<Self>, PatternError> {
        Self::injections_named(from, into, "injections")
    }

    fn injections_named(
        from: &[Value],
        into: &[Value],
        name: &str,
    ) -> Result<Vec<Self>, PatternError> {
        check_count(from.len(), into.len(), name)?;
        let lists = Lists::new(from, |_| true, into);
        let mut all = Vec::new();
        // The places of the images in `into`, counted up like a clock.
        let mut images: Box<[usize]> = (0..from.len()).collect();
        loop {
            let next = next_images(&images, into.len());
            all.push(Self {
                lists: Arc::clone(&lists),
                images: Images::Listed(images),
            });
            match next {
                Some(next) => images = next.into(),
                None => return Ok(all),
            }
        }
    }

    /// All permutations of the values; see [`Transformation::injections`].
    ///
    /// # Errors
    /// As there.
    pub fn permutations(values: &[Value]) -> Result<Vec<Self>, PatternError> {
        Self::injections_named(values, values, "permutations")
    }
}

impl Lists {
    /// The `wanted` ones of the values `from`, to be replaced by those in `into`.
    fn new(from: &[Value], wanted: impl Fn(&Value) -> bool, into: &[Value]) -> Arc<Self> {
        let places = from.iter().cloned().zip(0..);
        let mut old: Vec<_> = places.filter(|(value, _)| wanted(value)).collect();
        old.sort_unstable();
        let new = into.to_vec();
        Arc::new(Self { old, new })
    }
}

impl Default for Transformation {
    /// Replaces nothing.
    fn default() -> Self {
        Self {
            lists: Lists::new(&[], |_| true, &[]),
            images: Images::Rotated(0),
        }
    }
}

impl PartialEq for Transformation {
    fn eq(&self, other: &Self) -> bool {
        self.pairs().eq(other.pairs())
    }
}

impl Eq for Transformation {}

impl Hash for Transformation {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.pairs().for_each(|pair| pair.hash(state));
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

/// Whether there are ways to choose an image for each of `from` values, but not
/// too many of them.
fn check_count(from: usize, into: usize, name: &str) -> Result<(), PatternError> {
    let factors = || (0..from).map(|k| into.saturating_sub(k));
    let count = match from <= into {
        true => factors().try_fold(1u128, |product, k| product.checked_mul(k as u128)),
        false => Some(0),
    };
    let most = Transformation::MOST;
    match count {
        Some(0) => Err(PatternError::new(
            "no transformation; expected at least one value, and to choose from no fewer values \
             than there are to replace",
        )),
        Some(count) if count <= most as u128 => Ok(()),
        _ => {
            let count = count.map_or_else(
                || {
                    let digits: f64 = factors().map(|k| (k as f64).log10()).sum();
                    format!("about 10^{digits:.0}")
                },
                |count| count.to_string(),
            );
            Err(PatternError::new(format!(
                "too many transformations: these values have {count} {name}; expected at most \
                 {most}: list those that matter as maps"
            )))
        }
    }
}

/// `OLD=NEW`, separated by blanks.
impl fmt::Display for Transformation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, (old, new)) in self.pairs().enumerate() {
            let blank = if k == 0 { "" } else { " " };
            let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
            write!(f, "{blank}{old}={new}")?;
        }
        Ok(())
    }
}
