//! Why the loop ends, and why a script faults.

use crate::machines::account::Limit;

/// The result of a handler: continue, or why the loop ends.
pub(super) type Neo2Flow = Result<(), Neo2Stop>;

/// Why the loop ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Neo2Stop {
    /// Another frame is the current one. Its [`super::context::Neo2Context`] says where to continue.
    Switched,
    /// The last frame has returned.
    Halted,
    /// The machine's state is Fault.
    Faulted(Neo2Fault),
    /// A limit of the runner.
    Limited(Limit),
}

impl From<Limit> for Neo2Stop {
    #[cold]
    fn from(limit: Limit) -> Neo2Stop {
        Neo2Stop::Limited(limit)
    }
}

/// Why a script faulted, with messages for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Neo2Fault {
    #[error("undefined opcode")]
    Undefined,
    #[error("the script ends within the instruction")]
    CutOff,
    #[error("a length of 0 or below")]
    NoLength,
    #[error("too few items on the stack")]
    Underflow,
    #[error("more than 2048 items")]
    TooManyItems,
    #[error("more than 1024 items in a container")]
    CompoundTooLarge,
    #[error("more than 1024 frames")]
    Frames,
    #[error("more than 1048576 bytes")]
    ItemSize,
    #[error("a number of more than 32 bytes")]
    IntegerSize,
    #[error("a number that does not fit 32 bits")]
    NotInt32,
    #[error("a number that is out of range")]
    OutOfRange,
    #[error("division by zero")]
    DivisionByZero,
    #[error("an item of the wrong type")]
    WrongType,
    #[error("no item at this index")]
    NoSuchIndex,
    #[error("no item at this key")]
    NoSuchKey,
    #[error("a target outside the script")]
    Position,
    #[error("there is no table of scripts")]
    NoTable,
    #[error("no script with this hash")]
    NoSuchScript,
    #[error("fewer results than the caller expects")]
    TooFewResults,
    #[error("another number of results than the caller of this frame expects")]
    OtherResults,
    #[error("no such service")]
    NoSuchService,
    #[error("the entry script has no caller")]
    NoCaller,
    #[error("there is no message")]
    NoMessage,
    #[error("a public key that is not a point of the curve")]
    NoPoint,
    #[error("thrown")]
    Thrown,
}

impl From<Neo2Fault> for Neo2Stop {
    fn from(fault: Neo2Fault) -> Neo2Stop {
        Neo2Stop::Faulted(fault)
    }
}
