//! The list of machines.

pub mod account;
mod byte_memory;
mod change;
pub mod ecdsa;
pub(crate) mod effects;
pub mod elsewhere;
#[cfg(feature = "ethereum")]
pub mod ethereum;
pub mod evm;
mod info;
pub mod inspect;
mod interpreter;
pub mod machine;
pub mod minic89;
pub(crate) mod moves;
mod neo;
pub mod neo2;
pub mod neo3;
pub mod observe;
pub mod plant;
mod power;
pub mod program_parts;
mod record;
pub mod status;
pub mod tiers;
pub mod tinyvm;
pub mod view;

pub use self::info::{
    BrokenRule, Engine, Executes, Hashed, MachineInfo, ProgramLanguage, RunEnds, UpcomingMembers,
};

/// Every machine.
pub static MACHINES: &[MachineInfo] = &[
    evm::INFO,
    neo3::INFO,
    neo2::INFO,
    tinyvm::INFO,
    minic89::INFO,
    #[cfg(feature = "ethereum")]
    ethereum::INFO,
];

/// The machines whose instructions vmconf itself executes.
pub fn of_this_crate() -> impl Iterator<Item = &'static MachineInfo> {
    MACHINES.iter().filter(|machine| machine.engine == Engine::Own)
}

/// The machine with this name.
pub fn by_name(name: &str) -> Option<&'static MachineInfo> {
    MACHINES.iter().find(|machine| machine.name == name)
}

/// How the runs of the machine with this name end; nothing is known of the machine of a family.
pub fn ends_of(machine: &str) -> RunEnds {
    by_name(machine).map(|machine| machine.ends).unwrap_or_default()
}

/// Whether the machine with this name has the instruction; `false` for the machine of a family, whose instructions are
/// unknown.
pub fn has_instruction(machine: &str, name: &str) -> bool {
    by_name(machine).is_some_and(|machine| machine.isa.ops.iter().any(|op| op.name == name))
}
