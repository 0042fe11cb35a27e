//! How good a suite is: whether each expectation is compared, which faults it detects, what it executes.

pub mod audit;
pub mod coverage;
pub mod family_coverage;
pub mod judge;
pub mod minset;
pub mod mutants;
pub(crate) mod numbers;
mod recorded;
pub mod suite;
