//! What a suite is worth: whether each expectation is compared, which faults it notices, what it executes.

pub mod audit;
pub mod coverage;
pub mod minset;
pub mod mutants;
pub mod observer;
pub mod suite;
