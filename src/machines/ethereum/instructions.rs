//! The instructions of a fork.

use super::context::RevmInstructions;
use super::fault::FaultyRule;
use super::fork::ForkRules;
use super::memory::{self, MemoryGrowth};
use super::rules;

/// The instructions of a fork with their base costs.
pub(super) fn of_fork(fork: ForkRules, growth: MemoryGrowth) -> RevmInstructions {
    let mut instructions = RevmInstructions::new_mainnet_with_spec(fork.spec);
    if fork.adds(FaultyRule::HashOfNoCode) {
        rules::replace_extcodehash(&mut instructions, fork.spec);
    }
    rules::replace_long_instructions(&mut instructions, fork.spec);
    if growth == MemoryGrowth::Checked {
        memory::replace(&mut instructions, fork.spec);
    }
    if fork.has_net_storage_gas() {
        rules::replace_sstore(&mut instructions);
    }
    instructions
}
