//! What the machine is: its entry in the list of machines.

use super::broken_rules::BROKEN_RULES;
use super::machine::Ethereum;
use super::program::{self, EthereumProgram};
use super::table::ETHEREUM;
use super::transaction_record::ChosenTransaction;
use super::world;
use crate::machines::elsewhere::UNKNOWN_MACHINE;
use crate::machines::info::{Engine, Executes, Hashed, MachineInfo, ProgramLanguage, RunEnds};
use crate::machines::observe::{StateFields, members_of};

/// The machine's entry in the list of machines.
pub const INFO: MachineInfo = MachineInfo {
    name: "ethereum",
    doc: "Ethereum, one transaction, Frontier to Osaka, on revm",
    isa: &ETHEREUM,
    engine: Engine::Library("revm"),
    language: ProgramLanguage::Bytes,
    contains: program::contains,
    executes: Executes::Others,
    word_bits: 256,
    sample: r#""0x6003600401600055""#,
    program: EthereumProgram::MEMBERS,
    changes: ChosenTransaction::MEMBERS,
    ends: RunEnds {
        fields: &["outcome", "exception"],
        only_after_some: &[],
        normal: Some(("status", "success")),
    },
    fields: members_of!(Ethereum::FIELDS),
    shown_at_end: &["root", "logs", "logEntries", "state", "gasUsed"],
    shown_by_instructions: &["gasUsed", "stack"],
    hashed: Some(Hashed {
        root: "root",
        root_of: world::root_of,
        state: "state",
        before: "pre",
        logs: "logs",
        entries: "logEntries",
    }),
    new: |limits| Box::new(Ethereum::new(limits)),
    broken_rules: BROKEN_RULES,
    ..UNKNOWN_MACHINE
};
