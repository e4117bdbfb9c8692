//! Permutations that leave most points as they are.

/// A permutation, by the points that it moves. Takes 8 bytes for each of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Moves(Vec<(u32, u32)>);

impl Moves {
    /// The permutation with these images of all points from 0 on.
    pub fn new(image: &[u32]) -> Self {
        let pairs = (0..).zip(image.iter().copied());
        Self(pairs.filter(|(point, image)| point != image).collect())
    }

    /// The exchange of two points.
    pub fn exchange(a: u32, b: u32) -> Self {
        Self(vec![(a.min(b), a.max(b)), (a.max(b), a.min(b))])
    }

    /// The image of a point. O(log(points that move)).
    pub fn of(&self, point: u32) -> u32 {
        match self.0.binary_search_by_key(&point, |&(point, _)| point) {
            Ok(at) => self.0[at].1,
            Err(_) => point,
        }
    }

    /// The points that move, ascending, each with its image.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        self.0.iter().copied()
    }

    /// The images of all points below `points`.
    pub fn images(&self, points: usize) -> Vec<u32> {
        let mut images: Vec<u32> = (0..points as u32).collect();
        for (point, image) in self.pairs() {
            images[point as usize] = image;
        }
        images
    }
}
