//! Why a script faults. The texts are those of the reference implementation, which vectors compare as
//! `exceptionMessage` (reference, section 5.4); where it has no text of its own, ours describes the fault.

use std::fmt;

use super::item::{Item, MAX_ITEM};
use crate::machines::account::Limit;

/// What a handler returns: go on, or why not.
pub(super) type Flow = Result<(), Stop>;

/// Why the loop ends, or what interrupts it.
#[derive(Debug, Clone)]
pub(super) enum Stop {
    /// The last frame returned.
    Halted,
    /// The script did what cannot be caught.
    Faulted(Box<Fault>),
    /// An exception that the script may catch. It never leaves the loop: it ends in a catch or
    /// finally block or as [`Fault::Unhandled`].
    Thrown(Box<Item>),
    /// A limit of the runner.
    Limited(Limit),
}

impl From<Fault> for Stop {
    #[cold]
    fn from(fault: Fault) -> Stop {
        Stop::Faulted(Box::new(fault))
    }
}

impl From<Limit> for Stop {
    #[cold]
    fn from(limit: Limit) -> Stop {
        Stop::Limited(limit)
    }
}

/// The most references that there may be after an instruction.
pub(super) const MAX_REFERENCES: usize = 2048;
/// The most frames.
pub(super) const MAX_FRAMES: usize = 1024;
/// The most try records of a frame.
pub(super) const MAX_TRIES: usize = 16;
/// The largest shift and exponent.
pub(super) const MAX_SHIFT: u32 = 256;

/// What cannot be caught.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    Abort,
    /// With the reason that the script gives.
    AbortWith(String),
    Assert,
    AssertWith(String),
    /// An exception that nothing catches, with its text if it has one.
    Unhandled(Option<String>),
    References(usize),
    ItemSize(usize),
    IntegerSize(usize),
    MapKeySize(usize),
    Comparable,
    Clone,
    Frames,
    Tries,
    Shift(i32),
    Cast,
    NotInt32,
    DivisionByZero,
    NoSyscall(u32),
    NoToken(u16),
    Underflow,
    /// A code without a row.
    Undefined(u8),
    /// The script ends before the operand does.
    CutOff,
    /// A jump, call or block outside the script.
    Position(i64),
    /// An index or a count outside what it may be, and what it is an index of.
    OutOfRange(&'static str),
    /// What is wrong, in a sentence.
    Wrong(&'static str),
    /// Why strict validation rejects the script.
    Rejected(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Abort => f.write_str("ABORT is executed."),
            Fault::AbortWith(reason) => write!(f, "ABORTMSG is executed. Reason: {reason}"),
            Fault::Assert => f.write_str("ASSERT is executed with false result."),
            Fault::AssertWith(reason) => {
                write!(f, "ASSERTMSG is executed with false result. Reason: {reason}")
            }
            Fault::Unhandled(None) => f.write_str("An unhandled exception was thrown."),
            Fault::Unhandled(Some(text)) => write!(f, "An unhandled exception was thrown. {text}"),
            Fault::References(count) => write!(f, "MaxStackSize exceed: {count}/{MAX_REFERENCES}"),
            Fault::ItemSize(size) => write!(f, "MaxItemSize exceed: {size}/{MAX_ITEM}"),
            Fault::IntegerSize(size) => write!(
                f,
                "Integer size {size} bytes exceeds maximum allowed size of 32 bytes. (Parameter 'value')"
            ),
            Fault::MapKeySize(size) => write!(f, "A map key of {size} bytes; at most 64 are allowed."),
            Fault::Comparable => f.write_str("The operand exceeds the maximum comparable size."),
            Fault::Clone => f.write_str("Beyond struct subitem clone limits!"),
            Fault::Frames => write!(f, "MaxInvocationStackSize exceed: {MAX_FRAMES}"),
            Fault::Tries => f.write_str("MaxTryNestingDepth exceed."),
            Fault::Shift(shift) => write!(f, "Invalid shift value: {shift}/{MAX_SHIFT}"),
            Fault::Cast => f.write_str("Specified cast is not valid."),
            Fault::NotInt32 => f.write_str("Value was either too large or too small for an Int32."),
            Fault::DivisionByZero => f.write_str("Attempted to divide by zero."),
            Fault::NoSyscall(id) => write!(f, "Syscall not found: {id}"),
            Fault::NoToken(token) => write!(f, "Token not found: {token}"),
            Fault::Underflow => f.write_str("Too few items on the stack."),
            Fault::Undefined(code) => write!(f, "Opcode 0x{code:02x} is undefined."),
            Fault::CutOff => f.write_str("The instruction is cut off by the end of the script."),
            Fault::Position(position) => write!(f, "Position {position} is outside the script."),
            Fault::OutOfRange(what) => write!(f, "{what} is out of range."),
            Fault::Wrong(what) => f.write_str(what),
            Fault::Rejected(why) => write!(f, "The script is rejected: {why}."),
        }
    }
}
