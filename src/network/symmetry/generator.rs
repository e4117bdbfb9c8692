//! Generators of a group of symmetries.

/// An exchange of two values, and what it does.
#[derive(Clone, Debug)]
pub(super) struct Generator {
    /// The component that each is mapped to.
    pub components: Vec<u32>,
    /// For each component, the states of its image that its states are mapped to.
    pub states: Vec<Vec<u32>>,
    /// The components' states that it moves.
    pub moved: Vec<(u32, u32)>,
}

impl Generator {
    /// The image of a component's state.
    pub fn image(&self, (component, state): (u32, u32)) -> (u32, u32) {
        let states = &self.states[component as usize];
        (self.components[component as usize], states[state as usize])
    }
}
