//! Which instructions of an instruction set were executed.

use std::collections::BTreeMap;

use vmconf::isa::{Isa, OpInfo};
use vmconf::machines::machine::{At, Watch};

/// A watch that counts how often each opcode is executed.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct ExecutedOps(BTreeMap<&'static str, u64>);

impl ExecutedOps {
    /// How often the instruction with this mnemonic was executed.
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or_default()
    }

    /// The instructions that were never executed, in the order of the table.
    pub(crate) fn missing(&self, isa: &Isa) -> impl Iterator<Item = &'static OpInfo> {
        isa.ops.iter().filter(|op| self.count(op.name) == 0)
    }

    /// Adds the counts of another program.
    pub(crate) fn add(&mut self, other: &ExecutedOps) {
        for (name, count) in &other.0 {
            *self.0.entry(name).or_default() += count;
        }
    }
}

impl Watch for ExecutedOps {
    fn before(&mut self, at: &At<'_>) {
        if let Some(op) = at.op {
            *self.0.entry(op.name).or_default() += 1;
        }
    }
}
