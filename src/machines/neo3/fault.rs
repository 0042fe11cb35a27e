//! Why a script faults. The texts are those of the reference implementation, since vectors compare them as
//! `exceptionMessage`; if it has no text for a fault, vmconf's own text describes it.

use std::fmt;
use std::ops::Deref;

use super::item::{Item, MAX_INTEGER, Type};
use crate::machines::account::Limit;

/// The result of a handler: continue, or why not.
pub(super) type Flow = Result<(), Stop>;

/// An [`End`], boxed so that a handler returns it in a register.
#[derive(Debug, Clone)]
pub(super) struct Stop(pub(super) Box<End>);

impl Deref for Stop {
    type Target = End;

    fn deref(&self) -> &End {
        &self.0
    }
}

/// Why the loop ends, or what interrupts it.
#[derive(Debug, Clone)]
pub(super) enum End {
    /// The last frame returned.
    Halted,
    /// A fault that the script cannot catch.
    Faulted(Fault),
    /// An exception that the script may catch. It never leaves the loop: it ends in a catch or
    /// finally block or as [`Fault::Unhandled`].
    Thrown(Item),
    /// A limit of the runner.
    Limited(Limit),
}

impl From<End> for Stop {
    #[cold]
    fn from(end: End) -> Stop {
        Stop(Box::new(end))
    }
}

impl From<Fault> for Stop {
    #[cold]
    fn from(fault: Fault) -> Stop {
        End::Faulted(fault).into()
    }
}

impl From<Limit> for Stop {
    #[cold]
    fn from(limit: Limit) -> Stop {
        End::Limited(limit).into()
    }
}

/// A fault that cannot be caught.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    Abort,
    /// ABORTMSG or ASSERTMSG, with the reason that the script gives.
    AbortWith(String),
    Assert,
    AssertWith(String),
    /// An uncaught exception, with its text if it has one.
    Unhandled(Option<String>),
    /// More references after an instruction than the limit allows.
    References {
        count: usize,
        most: u64,
    },
    ItemSize {
        size: i64,
        most: u64,
    },
    /// A new compound with more items than the limit allows.
    CompoundSize {
        what: &'static str,
        size: i64,
        most: u64,
    },
    IntegerSize(usize),
    /// The size of a ByteString that is too long to be read as an Integer.
    LongInteger(usize),
    MapKeySize(usize),
    Comparable,
    Clone,
    /// More frames than the limit allows.
    Frames {
        most: u64,
    },
    Tries,
    Shift {
        shift: i32,
        most: u64,
    },
    Cast,
    /// An item of a type that the instruction does not take.
    ItemType {
        op: &'static str,
        found: Type,
    },
    /// The operand of NEWARRAY_T, which is not the code of a type.
    NewArrayType(u8),
    /// The operand of ISTYPE, which is not the code of a type, or that of Any.
    IsType(u8),
    /// The operand of CONVERT for a Null, likewise.
    NullTo(u8),
    NotInt32,
    DivisionByZero,
    /// A sum that does not fit 32 bits.
    Overflow,
    /// A service that the test host does not have; its exception has only a generic message.
    NoSyscallInTest,
    NoSyscall(u32),
    NoToken(u16),
    Underflow,
    /// An undefined opcode.
    Undefined(u8),
    /// The script ends within the operand.
    CutOff,
    /// The target of a jump, a call or a block is outside the script.
    Position(i64),
    /// An index or a count out of range, and what it is an index of.
    OutOfRange(&'static str),
    /// What is wrong, as a sentence.
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
            Fault::References { count, most } => write!(f, "MaxStackSize exceed: {count}/{most}"),
            Fault::ItemSize { size, most } => write!(f, "MaxItemSize exceed: {size}/{most}"),
            Fault::CompoundSize { what, size, most } => {
                write!(f, "The {what} size is out of valid range, {size}/[0, {most}].")
            }
            Fault::LongInteger(size) => write!(
                f,
                "Can not convert ByteString to an integer, MaxSize of Integer is exceeded: {size}/{MAX_INTEGER}."
            ),
            Fault::IntegerSize(size) => write!(
                f,
                "Integer size {size} bytes exceeds maximum allowed size of {MAX_INTEGER} bytes. (Parameter 'value')"
            ),
            Fault::MapKeySize(size) => write!(f, "A map key of {size} bytes; at most 64 are allowed."),
            Fault::Comparable => f.write_str("The operand exceeds the maximum comparable size."),
            Fault::Clone => f.write_str("Beyond struct subitem clone limits!"),
            Fault::Frames { most } => write!(f, "MaxInvocationStackSize exceed: {most}"),
            Fault::Tries => f.write_str("MaxTryNestingDepth exceed."),
            Fault::Shift { shift, most } => write!(f, "Invalid shift value: {shift}/{most}"),
            Fault::Cast => f.write_str("Specified cast is not valid."),
            Fault::ItemType { op, found } => write!(f, "Invalid type for {op}: {found:?}"),
            Fault::NewArrayType(code) => write!(f, "Invalid type for NEWARRAY_T: {code}"),
            Fault::IsType(code) => write!(f, "Invalid type: {}", type_name(*code)),
            Fault::NullTo(code) => {
                write!(f, "Type can't be converted to StackItemType: {}", type_name(*code))
            }
            Fault::NotInt32 => f.write_str("Value was either too large or too small for an Int32."),
            Fault::DivisionByZero => f.write_str("Attempted to divide by zero."),
            Fault::Overflow => f.write_str("Arithmetic operation resulted in an overflow."),
            Fault::NoSyscallInTest => f.write_str("Exception of type 'System.Exception' was thrown."),
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

/// The name of a type, or its code in decimal if it is undefined, as .NET formats an enumeration.
fn type_name(code: u8) -> String {
    Type::of_code(code).map_or_else(|| code.to_string(), |kind| format!("{kind:?}"))
}
