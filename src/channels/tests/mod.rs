//! Tests of systems of communicating machines.

mod exploring;
mod naive;
mod progress;
pub(super) mod random;
mod rules;
mod theta;
mod theta_cases;
mod x25;
