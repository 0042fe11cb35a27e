//! The running frame: what a handler sees.

use std::rc::Rc;

use super::context::Context;
use super::item::{Item, long_size};
use super::script::Script;
use crate::machines::limit::Limit;

/// What a handler answers: go on, or why not.
pub(super) type Flow = Result<(), Stop>;

/// Why the loop ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// Another frame is the current one. What it needs to go on is in the frame's record.
    Switched,
    /// The last frame has returned.
    Halted,
    /// The machine's state is Fault.
    Faulted(Fault),
    /// A limit of the runner.
    Limited(Limit),
}

/// What was wrong, for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    #[error("undefined opcode")]
    Undefined,
    #[error("the script ends within the instruction")]
    Truncated,
    #[error("a length of 0 or below")]
    NoLength,
    #[error("too few items on the stack")]
    Underflow,
    #[error("more than 2048 items")]
    TooManyItems,
    #[error("more than 1024 items in a container")]
    ContainerTooLarge,
    #[error("more than 1024 frames")]
    TooManyFrames,
    #[error("more than 1048576 bytes")]
    TooManyBytes,
    #[error("a number of more than 32 bytes")]
    NumberTooLarge,
    #[error("a number that does not fit 32 bits")]
    NoInt32,
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
    BadTarget,
    #[error("there is no table of scripts")]
    NoTable,
    #[error("no script with this hash")]
    NoSuchScript,
    #[error("fewer results than the caller wants")]
    TooFewResults,
    #[error("another number of results than this frame's caller wants")]
    OtherResults,
    #[error("no such service")]
    NoSuchService,
    #[error("the entry script has no caller")]
    NoCaller,
    #[error("there is no message")]
    NoMessage,
    #[error("a public key that is no point of the curve")]
    NoPoint,
    #[error("thrown")]
    Thrown,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Faulted(fault)
    }
}

/// The hot state, taken out of the machine while the loop runs so that it can live in registers,
/// and the rest of the machine behind one reference.
pub(super) struct Frame<'m> {
    /// Offset behind what was read of the current instruction.
    pub(super) pc: usize,
    /// Offset of the current instruction.
    pub(super) at: usize,
    /// Where this frame's items start among those of all frames.
    pub(super) base: usize,
    /// The script, with a RET behind its end.
    pub(super) code: &'m [u8],
    pub(super) scripts: &'m [Script],
    pub(super) context: &'m mut Context,
}

/// The part of a frame that handlers change.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hot {
    pc: usize,
}

/// What the loop calls.
#[allow(clippy::unused_self, reason = "the loop is the same for machines that need it")]
impl<'m> Frame<'m> {
    /// The next code.
    #[inline(always)]
    pub(super) fn fetch(&mut self) -> u8 {
        self.at = self.pc;
        self.pc += 1;
        self.code[self.at]
    }

    /// Operands are checked one by one when they are popped: those above a bad one are gone.
    #[inline(always)]
    pub(super) fn enter<const POPS: usize, const PUSHES: usize>(&mut self, _: u64) -> bool {
        true
    }

    /// Why [`Frame::enter`] said no, which it does not.
    #[inline(always)]
    pub(super) fn refuse<const POPS: usize>(&mut self, _: u64) -> Stop {
        self.stop(Fault::Underflow.into())
    }

    /// The frame for a handler to work on. For a handler that is inlined the copy is nothing; for
    /// one that is not, it is what lets the loop keep the original in registers.
    #[inline(always)]
    pub(super) fn lend(&mut self) -> Frame<'_> {
        Frame {
            pc: self.pc,
            at: self.at,
            base: self.base,
            code: self.code,
            scripts: self.scripts,
            context: self.context,
        }
    }

    /// What a handler changes in a frame that was lent to it.
    #[inline(always)]
    pub(super) fn hot(&self) -> Hot {
        Hot { pc: self.pc }
    }

    /// Takes over what a handler changed. Nothing but its answer ends the run.
    #[inline(always)]
    pub(super) fn settle(&mut self, hot: Hot, flow: Flow) -> Flow {
        self.pc = hot.pc;
        flow
    }

    /// Puts the program counter back on an instruction that failed.
    #[inline(always)]
    pub(super) fn stop(&mut self, stop: Stop) -> Stop {
        if matches!(stop, Stop::Faulted(_)) {
            self.pc = self.at;
        }
        stop
    }

    /// Handlers have read the operands, which may end before they should.
    #[inline(always)]
    pub(super) fn advance(&mut self, _: usize) {}

    /// What a code byte without a row does.
    #[inline(always)]
    pub(super) fn undefined(&mut self) -> Stop {
        self.stop(Fault::Undefined.into())
    }

    /// Takes the next `length` bytes of the instruction.
    #[inline(always)]
    pub(super) fn take(&mut self, length: usize) -> Result<&'m [u8], Stop> {
        let end = self.pc + length;
        // The last byte is the RET behind the script.
        match self.code.get(self.pc..end) {
            Some(bytes) if end < self.code.len() => {
                self.pc = end;
                Ok(bytes)
            }
            _ => Err(Fault::Truncated.into()),
        }
    }

    /// Takes the next bytes of the instruction.
    #[inline(always)]
    pub(super) fn take_array<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], Stop> {
        let bytes = self.take(LENGTH)?;
        bytes.try_into().map_err(|_| Fault::Truncated.into())
    }
}

/// The evaluation stack. Positions count from 0, the top.
impl Frame<'_> {
    /// The items of this frame, the top one last.
    #[inline(always)]
    pub(super) fn items(&self) -> &[Item] {
        self.context.stack.get(self.base..).unwrap_or_default()
    }

    /// Takes the top item.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Result<Item, Stop> {
        if self.context.stack.len() <= self.base {
            return Err(Fault::Underflow.into());
        }
        self.context.stack.pop().ok_or(Stop::Faulted(Fault::Underflow))
    }

    /// Puts an item on top that takes no memory of its own, or of which it is accounted for.
    #[inline(always)]
    pub(super) fn push(&mut self, item: impl Into<Item>) {
        self.context.stack.push(item.into());
    }

    /// Puts an item in the place of the `COUNT` topmost, which are there.
    #[inline(always)]
    pub(super) fn replace<const COUNT: usize>(&mut self, item: impl Into<Item>) {
        for _ in 1..COUNT {
            self.context.stack.pop();
        }
        if let Some(top) = self.context.stack.last_mut() {
            *top = item.into();
        }
    }

    /// Where the item at a position stands in the stack of all frames.
    #[inline(always)]
    pub(super) fn place(&self, position: usize) -> Result<usize, Stop> {
        let place = self.context.stack.len().checked_sub(position + 1);
        place.filter(|place| *place >= self.base).ok_or(Stop::Faulted(Fault::Underflow))
    }

    /// Puts an item on top that has just been made. It is the end of its instruction: garbage may
    /// be removed.
    pub(super) fn push_new(&mut self, item: Item) -> Flow {
        self.push(item);
        self.context.clean()
    }

    /// Puts a byte array on top, as [`Frame::push_new`].
    pub(super) fn push_bytes(&mut self, bytes: Vec<u8>) -> Flow {
        self.context.heap.allocate(long_size(bytes.len() as u64))?;
        self.push_new(Item::Bytes(Rc::new(bytes)))
    }

    /// Takes the top item as a condition.
    #[inline(always)]
    pub(super) fn pop_truth(&mut self) -> Result<bool, Stop> {
        Ok(self.pop()?.truth())
    }

    /// Takes the top item as a number of 32 bits.
    #[inline(always)]
    pub(super) fn pop_int32(&mut self) -> Result<i32, Stop> {
        let item = self.pop()?;
        self.int32_of(&item)
    }

    /// Takes the top item as a count or a position.
    #[inline(always)]
    pub(super) fn pop_size(&mut self) -> Result<usize, Stop> {
        let item = self.pop()?;
        self.size_of(&item)
    }

    /// The item as a number of 32 bits.
    #[inline(always)]
    pub(super) fn int32_of(&mut self, item: &Item) -> Result<i32, Stop> {
        let number = match item.small() {
            Some(small) => i32::try_from(small).ok(),
            None => self.number_of(item)?.try_into().ok(),
        };
        number.ok_or(Stop::Faulted(Fault::NoInt32))
    }

    /// The item as a count or a position.
    #[inline(always)]
    pub(super) fn size_of(&mut self, item: &Item) -> Result<usize, Stop> {
        let number = self.int32_of(item)?;
        usize::try_from(number).map_err(|_| Fault::OutOfRange.into())
    }

    /// Takes the top item as bytes.
    pub(super) fn pop_bytes(&mut self) -> Result<Rc<Vec<u8>>, Stop> {
        let item = self.pop()?;
        self.bytes_of(&item)
    }

    /// The bytes of an item.
    pub(super) fn bytes_of(&mut self, item: &Item) -> Result<Rc<Vec<u8>>, Stop> {
        let bytes = item.bytes().ok_or(Stop::Faulted(Fault::WrongType))?;
        self.context.work_on_bytes(bytes.len())?;
        Ok(bytes)
    }

    /// Takes the top item as one that must not be a container: an index or a key.
    pub(super) fn pop_key(&mut self) -> Result<Item, Stop> {
        let key = self.pop()?;
        if key.is_container() { Err(Fault::WrongType.into()) } else { Ok(key) }
    }
}
