//! The running frame, as handlers see it.

use std::rc::Rc;

use super::core::{ALLOCATION, Neo2Core};
use super::fault::{Neo2Fault, Neo2Flow, Neo2Stop};
use super::item::{Neo2Item, long_size};
use super::script::Script;
use crate::machines::interpreter::Interpreted;

/// The hot state, taken out of the machine while the loop runs so that it can be in registers, and a
/// reference to the rest of the machine.
pub(super) struct Neo2Frame<'m> {
    /// Offset after the part of the current instruction that has been read.
    pub(super) pc: usize,
    /// Offset of the current instruction.
    pub(super) at: usize,
    /// Where this frame's items start among those of all frames.
    pub(super) base: usize,
    /// The script, followed by a RET.
    pub(super) code: &'m [u8],
    pub(super) scripts: &'m [Script],
    pub(super) core: &'m mut Neo2Core,
}

impl Interpreted for Neo2Frame<'_> {
    type Stop = Neo2Stop;
    type Hot = usize;
    type Lent<'l>
        = Neo2Frame<'l>
    where
        Self: 'l;

    #[inline(always)]
    fn lead(&self) -> u8 {
        self.code[self.pc]
    }

    #[inline(always)]
    fn fetch(&mut self) -> u8 {
        self.at = self.pc;
        self.pc += 1;
        self.code[self.at]
    }

    #[inline(always)]
    fn lend(&mut self) -> Neo2Frame<'_> {
        Neo2Frame {
            pc: self.pc,
            at: self.at,
            base: self.base,
            code: self.code,
            scripts: self.scripts,
            core: self.core,
        }
    }

    #[inline(always)]
    fn hot(&self) -> usize {
        self.pc
    }

    /// Only the handler's result ends the run.
    #[inline(always)]
    fn settle(&mut self, pc: usize, flow: Neo2Flow) -> Neo2Flow {
        self.pc = pc;
        flow
    }

    /// Moves the program counter back to an instruction that failed.
    #[inline(always)]
    fn stop(&mut self, stop: Neo2Stop) -> Neo2Stop {
        if matches!(stop, Neo2Stop::Faulted(_)) {
            self.pc = self.at;
        }
        stop
    }

    #[inline(always)]
    fn undefined(&mut self) -> Neo2Stop {
        self.stop(Neo2Fault::Undefined.into())
    }
}

impl<'m> Neo2Frame<'m> {
    /// Reads the next `length` bytes of the instruction.
    #[inline(always)]
    pub(super) fn data(&mut self, length: usize) -> Result<&'m [u8], Neo2Stop> {
        let end = self.pc + length;
        // The last byte is the RET after the script.
        match self.code.get(self.pc..end) {
            Some(bytes) if end < self.code.len() => {
                self.pc = end;
                Ok(bytes)
            }
            _ => Err(Neo2Fault::CutOff.into()),
        }
    }

    /// Reads the next bytes of the instruction.
    #[inline(always)]
    pub(super) fn operand<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], Neo2Stop> {
        let bytes = self.data(LENGTH)?;
        bytes.try_into().map_err(|_| Neo2Fault::CutOff.into())
    }
}

/// The evaluation stack. Position 0 is the top.
impl Neo2Frame<'_> {
    /// The items of this frame, the top one last.
    #[inline(always)]
    pub(super) fn items(&self) -> &[Neo2Item] {
        self.core.stack.get(self.base..).unwrap_or_default()
    }

    #[inline(always)]
    pub(super) fn pop(&mut self) -> Result<Neo2Item, Neo2Stop> {
        if self.core.stack.len() <= self.base {
            return Err(Neo2Fault::Underflow.into());
        }
        self.core.stack.pop().ok_or(Neo2Stop::Faulted(Neo2Fault::Underflow))
    }

    /// Pushes an item that uses no memory of its own, or whose memory is already accounted for.
    #[inline(always)]
    pub(super) fn push(&mut self, item: impl Into<Neo2Item>) {
        self.core.stack.push(item.into());
    }

    /// Replaces the `COUNT` topmost items, which must exist, with one item.
    #[inline(always)]
    pub(super) fn replace<const COUNT: usize>(&mut self, item: impl Into<Neo2Item>) {
        for _ in 1..COUNT {
            self.core.stack.pop();
        }
        if let Some(top) = self.core.stack.last_mut() {
            *top = item.into();
        }
    }

    /// The index of the item at a position in the stack of all frames.
    #[inline(always)]
    pub(super) fn place(&self, position: usize) -> Result<usize, Neo2Stop> {
        let place = self.core.stack.len().checked_sub(position + 1);
        place.filter(|place| *place >= self.base).ok_or(Neo2Stop::Faulted(Neo2Fault::Underflow))
    }

    /// Pushes a newly created item. This must be the end of the instruction, since garbage may be removed.
    pub(super) fn push_new(&mut self, item: Neo2Item) -> Neo2Flow {
        self.push(item);
        self.core.clean()
    }

    /// Pushes a byte array, like [`Neo2Frame::push_new`].
    pub(super) fn push_bytes(&mut self, bytes: Vec<u8>) -> Neo2Flow {
        self.core.work(ALLOCATION)?;
        self.core.work_on_bytes(bytes.len())?;
        self.core.hold(long_size(bytes.len() as u64))?;
        self.push_new(Neo2Item::Bytes(Rc::new(bytes)))
    }

    /// Pops a condition.
    #[inline(always)]
    pub(super) fn pop_boolean(&mut self) -> Result<bool, Neo2Stop> {
        match self.pop()? {
            Neo2Item::Boolean(truth) => Ok(truth),
            Neo2Item::Integer(number) => Ok(number != 0),
            other => {
                self.core.work(ALLOCATION / 2)?;
                Ok(other.boolean())
            }
        }
    }

    /// Pops a 32-bit number.
    #[inline(always)]
    pub(super) fn pop_int32(&mut self) -> Result<i32, Neo2Stop> {
        let item = self.pop()?;
        self.int32_of(&item)
    }

    /// Pops a count or a position.
    #[inline(always)]
    pub(super) fn pop_count(&mut self) -> Result<usize, Neo2Stop> {
        let item = self.pop()?;
        self.size_of(&item)
    }

    /// The item as a 32-bit number.
    #[inline(always)]
    pub(super) fn int32_of(&mut self, item: &Neo2Item) -> Result<i32, Neo2Stop> {
        let number = match item.small() {
            Some(small) => i32::try_from(small).ok(),
            None => self.number_of(item)?.try_into().ok(),
        };
        number.ok_or(Neo2Stop::Faulted(Neo2Fault::NotInt32))
    }

    /// The item as a count or a position.
    #[inline(always)]
    pub(super) fn size_of(&mut self, item: &Neo2Item) -> Result<usize, Neo2Stop> {
        let number = self.int32_of(item)?;
        usize::try_from(number).map_err(|_| Neo2Fault::OutOfRange.into())
    }

    pub(super) fn pop_bytes(&mut self) -> Result<Rc<Vec<u8>>, Neo2Stop> {
        let item = self.pop()?;
        self.bytes_of(&item)
    }

    pub(super) fn bytes_of(&mut self, item: &Neo2Item) -> Result<Rc<Vec<u8>>, Neo2Stop> {
        let bytes = item.bytes().ok_or(Neo2Stop::Faulted(Neo2Fault::WrongType))?;
        let is_made = !matches!(item, Neo2Item::Bytes(_));
        self.core.work(if is_made { ALLOCATION + bytes.len() as u64 / 8 } else { ALLOCATION / 2 })?;
        Ok(bytes)
    }

    /// Pops an index or a key, which must not be a compound.
    pub(super) fn pop_key(&mut self) -> Result<Neo2Item, Neo2Stop> {
        let key = self.pop()?;
        if key.is_compound() { Err(Neo2Fault::WrongType.into()) } else { Ok(key) }
    }
}
