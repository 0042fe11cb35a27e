//! The places besides the operand stack that instructions read and write.

use crate::isa::PlaceKind;

/// The places that an instruction can read or write besides the stack. Numbers are operands: 0 is the top item.
#[derive(Clone, Copy)]
pub(crate) enum EvmPlace {
    /// The memory from the first operand on, with the length given by the second one.
    Memory(usize, usize),
    /// 32 bytes of memory from the operand on.
    Word(usize),
    /// A byte of memory.
    Byte(usize),
    /// A word of storage.
    Storage(usize),
    /// The account with this address without its balance: whether there is one.
    Account(usize),
    /// The balance of the account with this address.
    Balance(usize),
    /// The code of the account with this address.
    Code(usize),
    /// The executing account, as a whole.
    Own,
    /// The balance of the executing account.
    OwnBalance,
    /// The same, if this value is subtracted from it.
    Debited(usize),
    /// The next log entry.
    Log,
    /// The list of log entries.
    Logs,
    /// The next recorded call.
    Call,
    /// The list of recorded calls.
    Calls,
    /// The data that the frame returns.
    Output,
}

impl EvmPlace {
    /// What is there.
    pub(super) const fn kind(self) -> PlaceKind {
        match self {
            EvmPlace::Memory(..) | EvmPlace::Word(_) => PlaceKind::Bytes,
            EvmPlace::Byte(_) => PlaceKind::Byte,
            EvmPlace::Storage(_) => PlaceKind::Variable,
            EvmPlace::Account(_)
            | EvmPlace::Balance(_)
            | EvmPlace::Code(_)
            | EvmPlace::Own
            | EvmPlace::OwnBalance
            | EvmPlace::Debited(_)
            | EvmPlace::Log
            | EvmPlace::Logs
            | EvmPlace::Call
            | EvmPlace::Calls
            | EvmPlace::Output => PlaceKind::Other,
        }
    }
}
