//! What a suite is worth: which expectations are compared, which planted faults are noticed, what is executed.

mod audit;
mod coverage;
mod ethereum;
mod judge;
mod known;
mod mutants;
mod only;
