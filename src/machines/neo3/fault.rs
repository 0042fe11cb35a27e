//! Why a script faults. The texts are those of the reference implementation, since vectors compare them as
//! `exceptionMessage`; if it has no text for a fault, vmconf's own text describes it.

use std::fmt;
use std::ops::Deref;

use super::item::{ItemType, MAX_INTEGER, Neo3Item};
use crate::machines::account::Limit;

/// The result of a handler: continue, or why not.
pub(super) type Neo3Flow = Result<(), Neo3Stop>;

/// An [`Neo3End`], boxed so that a handler returns it in a register.
#[derive(Debug, Clone)]
pub(super) struct Neo3Stop(pub(super) Box<Neo3End>);

impl Deref for Neo3Stop {
    type Target = Neo3End;

    fn deref(&self) -> &Neo3End {
        &self.0
    }
}

/// Why the loop ends, or what interrupts it.
#[derive(Debug, Clone)]
pub(super) enum Neo3End {
    /// The last frame returned.
    Halted,
    /// A fault that the script cannot catch.
    Faulted(Neo3Fault),
    /// An exception that the script may catch. It never leaves the loop: it ends in a catch or
    /// finally block or as [`Neo3Fault::Unhandled`].
    Thrown(Neo3Item),
    /// A limit of the runner.
    Limited(Limit),
}

impl From<Neo3End> for Neo3Stop {
    #[cold]
    fn from(end: Neo3End) -> Neo3Stop {
        Neo3Stop(Box::new(end))
    }
}

impl From<Neo3Fault> for Neo3Stop {
    #[cold]
    fn from(fault: Neo3Fault) -> Neo3Stop {
        Neo3End::Faulted(fault).into()
    }
}

impl From<Limit> for Neo3Stop {
    #[cold]
    fn from(limit: Limit) -> Neo3Stop {
        Neo3End::Limited(limit).into()
    }
}

/// A fault that cannot be caught.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Neo3Fault {
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
        found: ItemType,
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

impl fmt::Display for Neo3Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Neo3Fault::Abort => f.write_str("ABORT is executed."),
            Neo3Fault::AbortWith(reason) => write!(f, "ABORTMSG is executed. Reason: {reason}"),
            Neo3Fault::Assert => f.write_str("ASSERT is executed with false result."),
            Neo3Fault::AssertWith(reason) => {
                write!(f, "ASSERTMSG is executed with false result. Reason: {reason}")
            }
            Neo3Fault::Unhandled(None) => f.write_str("An unhandled exception was thrown."),
            Neo3Fault::Unhandled(Some(text)) => write!(f, "An unhandled exception was thrown. {text}"),
            Neo3Fault::References { count, most } => write!(f, "MaxStackSize exceed: {count}/{most}"),
            Neo3Fault::ItemSize { size, most } => write!(f, "MaxItemSize exceed: {size}/{most}"),
            Neo3Fault::CompoundSize { what, size, most } => {
                write!(f, "The {what} size is out of valid range, {size}/[0, {most}].")
            }
            Neo3Fault::LongInteger(size) => write!(
                f,
                "Can not convert ByteString to an integer, MaxSize of Integer is exceeded: {size}/{MAX_INTEGER}."
            ),
            Neo3Fault::IntegerSize(size) => write!(
                f,
                "Integer size {size} bytes exceeds maximum allowed size of {MAX_INTEGER} bytes. (Parameter 'value')"
            ),
            Neo3Fault::MapKeySize(size) => write!(f, "A map key of {size} bytes; at most 64 are allowed."),
            Neo3Fault::Comparable => f.write_str("The operand exceeds the maximum comparable size."),
            Neo3Fault::Clone => f.write_str("Beyond struct subitem clone limits!"),
            Neo3Fault::Frames { most } => write!(f, "MaxInvocationStackSize exceed: {most}"),
            Neo3Fault::Tries => f.write_str("MaxTryNestingDepth exceed."),
            Neo3Fault::Shift { shift, most } => write!(f, "Invalid shift value: {shift}/{most}"),
            Neo3Fault::Cast => f.write_str("Specified cast is not valid."),
            Neo3Fault::ItemType { op, found } => write!(f, "Invalid type for {op}: {found:?}"),
            Neo3Fault::NewArrayType(code) => write!(f, "Invalid type for NEWARRAY_T: {code}"),
            Neo3Fault::IsType(code) => write!(f, "Invalid type: {}", type_name(*code)),
            Neo3Fault::NullTo(code) => {
                write!(f, "Type can't be converted to StackItemType: {}", type_name(*code))
            }
            Neo3Fault::NotInt32 => f.write_str("Value was either too large or too small for an Int32."),
            Neo3Fault::DivisionByZero => f.write_str("Attempted to divide by zero."),
            Neo3Fault::Overflow => f.write_str("Arithmetic operation resulted in an overflow."),
            Neo3Fault::NoSyscallInTest => f.write_str("Exception of type 'System.Exception' was thrown."),
            Neo3Fault::NoSyscall(id) => write!(f, "Syscall not found: {id}"),
            Neo3Fault::NoToken(token) => write!(f, "Token not found: {token}"),
            Neo3Fault::Underflow => f.write_str("Too few items on the stack."),
            Neo3Fault::Undefined(code) => write!(f, "Opcode 0x{code:02x} is undefined."),
            Neo3Fault::CutOff => f.write_str("The instruction is cut off by the end of the script."),
            Neo3Fault::Position(position) => write!(f, "Position {position} is outside the script."),
            Neo3Fault::OutOfRange(what) => write!(f, "{what} is out of range."),
            Neo3Fault::Wrong(what) => f.write_str(what),
            Neo3Fault::Rejected(why) => write!(f, "The script is rejected: {why}."),
        }
    }
}

/// The name of a type, or its code in decimal if it is undefined, as .NET formats an enumeration.
fn type_name(code: u8) -> String {
    ItemType::of_code(code).map_or_else(|| code.to_string(), |kind| format!("{kind:?}"))
}
