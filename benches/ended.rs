//! How a run of a program ended, in terms that vmconf and its peers provide.

use vmconf::model::Value;

/// How a run ended, in terms that all of them provide.
#[derive(Debug, PartialEq)]
pub(crate) enum Ended {
    /// By an exceptional halt.
    Halt {
        /// The gas before the instruction that halted. What that is charged depends on the order of its checks.
        gas: u64,
    },
    /// Normally.
    Success {
        /// Gas left.
        gas: u64,
        /// What was returned.
        output: Vec<u8>,
        /// Words that are not zero, as vmconf writes them.
        storage: Value,
    },
}
