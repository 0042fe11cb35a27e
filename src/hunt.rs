//! Finds programs on which machines differ, and makes failing cases small enough to read.

pub mod corpus;
pub mod fuzz;
mod generate;
pub mod minimize;
mod state_runs;
mod states;
