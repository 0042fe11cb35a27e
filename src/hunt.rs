//! Finds cases on which machines differ, makes failing cases small enough to read, and makes corpora of families.

pub mod corpus;
pub mod fuzz;
mod generate;
pub mod minimize;
pub mod state_corpus;
mod state_runs;
mod states;
