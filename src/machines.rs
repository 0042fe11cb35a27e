//! The list of machines.

use crate::isa::Isa;
use crate::limits::Limits;
use crate::machine::Machine;

pub mod evm;
pub mod neo2;
pub mod neo3;

/// What there is to know about a machine without making one.
#[derive(Debug)]
pub struct MachineInfo {
    /// Its name, as vectors and the command line say it.
    pub name: &'static str,
    /// What it is, in one line.
    pub doc: &'static str,
    /// Its instructions.
    pub isa: &'static Isa,
    /// Makes one.
    pub new: fn(&Limits) -> Box<dyn Machine>,
}

/// Every machine.
pub static MACHINES: &[MachineInfo] = &[evm::INFO, neo3::INFO, neo2::INFO];

/// The machine of this name.
pub fn by_name(name: &str) -> Option<&'static MachineInfo> {
    MACHINES.iter().find(|machine| machine.name == name)
}
