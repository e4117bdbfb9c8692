//! Maps under construction.

use super::NONE;

/// What has been assumed is refuted.
#[derive(Debug)]
pub(in super::super) struct Refuted;

/// An injective map under construction.
pub(super) struct Partial {
    pub image: Vec<u32>,
    pub preimage: Vec<u32>,
    /// What has an image, in the order in which it got one.
    pub trail: Vec<u32>,
}

impl Partial {
    pub fn new(size: usize) -> Self {
        Self {
            image: vec![NONE; size],
            preimage: vec![NONE; size],
            trail: Vec::new(),
        }
    }

    pub fn is_total(&self) -> bool {
        self.trail.len() == self.image.len()
    }

    /// Maps `a` to `b`; says whether this is new.
    pub fn set(&mut self, a: u32, b: u32) -> Result<bool, Refuted> {
        match (self.image[a as usize], self.preimage[b as usize]) {
            (NONE, NONE) => {
                self.image[a as usize] = b;
                self.preimage[b as usize] = a;
                self.trail.push(a);
                Ok(true)
            }
            (image, _) if image == b => Ok(false),
            _ => Err(Refuted),
        }
    }

    /// Takes back the last one; gives it and what its image was.
    pub fn unset(&mut self) -> Option<(u32, u32)> {
        let a = self.trail.pop()?;
        let b = std::mem::replace(&mut self.image[a as usize], NONE);
        self.preimage[b as usize] = NONE;
        Some((a, b))
    }
}
