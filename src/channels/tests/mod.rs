//! Tests of systems of communicating machines.

mod composing;
mod exploring;
mod merging;
mod naive;
mod naive_strategy;
mod progress;
pub(super) mod random;
mod rules;
mod strategy;
mod theta;
mod theta_cases;
mod verifying;
pub(super) mod x25;
