//! Why a run ends.

use crate::machines::account::Limit;

/// The result of a handler: continue, or why not.
pub(super) type EvmFlow = Result<(), EvmStop>;

/// Why the loop ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EvmStop {
    /// STOP, SUICIDE, or the end of the code.
    Stopped,
    /// RETURN.
    Returned,
    /// An exceptional halt.
    Halted(Halt),
    /// A limit of the runner.
    Limited(Limit),
    /// The loop reached a jump at which it must stop; see [`StepCount`](super::context::StepCount).
    Fenced,
    /// The loop jumped to a hot destination.
    Hot,
}

impl From<Limit> for EvmStop {
    #[cold]
    fn from(limit: Limit) -> EvmStop {
        EvmStop::Limited(limit)
    }
}

/// The exceptional halts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt {
    OutOfGas,
    StackUnderflow,
    StackOverflow,
    BadJump,
    UndefinedOpcode,
}

impl Halt {
    /// The reason in a few words.
    pub(super) fn reason(self) -> &'static str {
        match self {
            Halt::OutOfGas => "out of gas",
            Halt::StackUnderflow => "too few items on the stack",
            Halt::StackOverflow => "more than 1024 items on the stack",
            Halt::BadJump => "jump to a byte that is not a JUMPDEST",
            Halt::UndefinedOpcode => "undefined opcode",
        }
    }
}
