//! The running script, as handlers see it.

use std::mem;

use super::core::Neo3Core;
use super::fault::{Neo3End, Neo3Fault, Neo3Flow, Neo3Stop};
use super::item::Neo3Item;
use super::value;
use crate::machines::interpreter::Interpreted;

/// The charge for an allocation, in units.
pub(super) const ALLOCATION: usize = 8;
/// The charge for reading a number from bytes, in units.
pub(super) const CONVERSION: usize = 18;
/// How many bytes are copied per unit.
pub(super) const BYTES_OF_UNIT: usize = 96;
/// How many items are copied per unit.
pub(super) const ITEMS_OF_UNIT: usize = 4;
/// How many items are counted per unit without being copied.
const COUNTED_IN_UNIT: usize = 8;

/// What the loop keeps in registers, and a reference to the rest of the machine.
pub(super) struct Neo3Frame<'m> {
    /// Offset after the part of the current instruction that has been read.
    pub(super) pc: usize,
    /// The script, followed by a RET.
    pub(super) script: &'m [u8],
    pub(super) core: &'m mut Neo3Core,
}

impl Interpreted for Neo3Frame<'_> {
    type Stop = Neo3Stop;
    type Hot = usize;
    type Lent<'l>
        = Neo3Frame<'l>
    where
        Self: 'l;

    #[inline(always)]
    fn lead(&self) -> u8 {
        self.script[self.pc]
    }

    #[inline(always)]
    fn fetch(&mut self) -> u8 {
        let code = self.script[self.pc];
        self.core.at = self.pc;
        self.pc += 1;
        code
    }

    /// Also for the slow part of a handler that does not change the program counter: a reference to the frame itself
    /// would keep it out of registers in the fast part, too.
    #[inline(always)]
    fn lend(&mut self) -> Neo3Frame<'_> {
        Neo3Frame { pc: self.pc, script: self.script, core: self.core }
    }

    #[inline(always)]
    fn hot(&self) -> usize {
        self.pc
    }

    /// Also checks the number of references.
    #[inline(always)]
    fn settle(&mut self, pc: usize, flow: Neo3Flow) -> Neo3Flow {
        self.pc = pc;
        if flow.is_ok() && self.core.references() as u64 <= self.core.limits.stack_size {
            return Ok(());
        }
        // Uses a copy, since a reference to the frame itself would keep it out of registers in the whole loop.
        let mut lent = self.lend();
        let flow = lent.settle_unusual(flow);
        self.pc = lent.pc;
        flow
    }

    /// Moves the program counter back to the instruction that ended the run.
    #[inline(always)]
    fn stop(&mut self, stop: Neo3Stop) -> Neo3Stop {
        self.pc = self.core.at;
        stop
    }

    #[inline(always)]
    fn undefined(&mut self) -> Neo3Stop {
        let code = self.script[self.core.at];
        self.stop(Neo3Fault::Undefined(code).into())
    }
}

impl<'m> Neo3Frame<'m> {
    #[cold]
    #[inline(never)]
    fn settle_unusual(&mut self, flow: Neo3Flow) -> Neo3Flow {
        if let Err(stop) = flow {
            match *stop.0 {
                Neo3End::Thrown(item) => self.throw(item)?,
                _ => return Err(stop),
            }
        }
        let (count, most) = (self.core.references(), self.core.limits.stack_size);
        if count as u64 > most { Err(Neo3Fault::References { count, most }.into()) } else { Ok(()) }
    }

    /// The length of the script, without the appended RET.
    pub(super) fn length(&self) -> usize {
        self.script.len() - 1
    }

    /// Reads the next bytes of the instruction.
    #[inline(always)]
    pub(super) fn operand<const N: usize>(&mut self) -> Result<[u8; N], Neo3Fault> {
        let script: &'m [u8] = self.script;
        let bytes = script[..script.len() - 1].get(self.pc..).and_then(<[u8]>::first_chunk);
        let bytes = *bytes.ok_or(Neo3Fault::CutOff)?;
        self.pc += N;
        Ok(bytes)
    }

    /// Reads the next `length` bytes of the instruction.
    pub(super) fn data(&mut self, length: usize) -> Result<&'m [u8], Neo3Fault> {
        let script: &'m [u8] = self.script;
        let data = script[..script.len() - 1].get(self.pc..).and_then(|rest| rest.get(..length));
        self.pc += length;
        data.ok_or(Neo3Fault::CutOff)
    }

    #[inline(always)]
    pub(super) fn push(&mut self, item: Neo3Item) {
        self.core.heap.hold(&item);
        self.core.stack.push(item);
    }

    /// Pops an item. A compound stays in the heap until the next instruction, even if nothing holds it any longer.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Result<Neo3Item, Neo3Fault> {
        // Read in the same parts as it was written, since a wide read after narrow writes stalls the processor.
        let item = match self.core.stack.last() {
            Some(Neo3Item::Integer(number)) => Neo3Item::Integer(*number),
            Some(Neo3Item::Boolean(truth)) => Neo3Item::Boolean(*truth),
            Some(Neo3Item::Null) => Neo3Item::Null,
            _ => return self.lend().pop_any(),
        };
        self.core.forget_small();
        Ok(item)
    }

    /// Replaces the top item by whether `test` holds for it.
    #[inline(always)]
    pub(super) fn test(&mut self, test: impl FnOnce(&Neo3Item) -> bool) -> Neo3Flow {
        let Some(top) = self.core.stack.last_mut() else { return Err(Neo3Fault::Underflow.into()) };
        let result = test(top);
        let old = mem::replace(top, Neo3Item::Boolean(result));
        self.core.heap.let_go(&old);
        Ok(())
    }

    /// Removes the top item.
    #[inline(always)]
    pub(super) fn forget(&mut self) -> Neo3Flow {
        match self.core.stack.last() {
            Some(Neo3Item::Integer(_) | Neo3Item::Boolean(_) | Neo3Item::Null | Neo3Item::Pointer(_)) => {
                self.core.forget_small();
            }
            _ => drop(self.lend().pop_any()?),
        }
        Ok(())
    }

    /// Pops this number of items, the top one first. The stack must have as many.
    pub(super) fn pop_all(&mut self, count: usize) -> Vec<Neo3Item> {
        let core = &mut *self.core;
        let items: Vec<_> = core.stack.drain(core.stack.len() - count..).rev().collect();
        for item in &items {
            core.heap.let_go(item);
        }
        items
    }

    fn pop_any(&mut self) -> Result<Neo3Item, Neo3Fault> {
        let Some(item) = self.core.stack.pop() else { return Err(Neo3Fault::Underflow) };
        self.core.heap.let_go(&item);
        Ok(item)
    }

    /// Pops an item if it is a 64-bit number, as nearly all popped items are. Nothing then needs to be
    /// counted or freed.
    #[inline(always)]
    pub(super) fn pop_small(&mut self) -> Option<i64> {
        match self.core.stack.last() {
            Some(Neo3Item::Integer(number)) => {
                let number = *number;
                self.core.forget_small();
                Some(number)
            }
            _ => None,
        }
    }

    /// Pops a signed 32-bit number.
    #[inline(always)]
    pub(super) fn pop_int32(&mut self) -> Result<i32, Neo3Stop> {
        if let Some(number) = self.pop_small() {
            i32::try_from(number).map_err(|_| Neo3Fault::NotInt32.into())
        } else {
            self.work(CONVERSION)?;
            Ok(value::int32(&self.pop()?)?)
        }
    }

    /// Pops a number that is not negative; `what` names it in the fault.
    #[inline(always)]
    pub(super) fn pop_count(&mut self, what: &'static str) -> Result<usize, Neo3Stop> {
        usize::try_from(self.pop_int32()?).map_err(|_| Neo3Fault::OutOfRange(what).into())
    }

    /// Pops a truth value.
    #[inline(always)]
    pub(super) fn pop_boolean(&mut self) -> Result<bool, Neo3Fault> {
        let truth = match self.core.stack.last() {
            Some(Neo3Item::Integer(number)) => *number != 0,
            Some(Neo3Item::Boolean(truth)) => *truth,
            _ => return value::boolean(&self.lend().pop_any()?),
        };
        self.core.forget_small();
        Ok(truth)
    }

    /// How many items are on the stack.
    #[inline(always)]
    pub(super) fn height(&self) -> usize {
        self.core.stack.len()
    }

    /// The topmost items, the top one last.
    #[inline(always)]
    pub(super) fn top(&mut self, count: usize) -> Result<&mut [Neo3Item], Neo3Fault> {
        let Some(from) = self.height().checked_sub(count) else { return Err(Neo3Fault::Underflow) };
        Ok(&mut self.core.stack[from..])
    }

    /// Pushes the item at this distance from the top.
    #[inline(always)]
    pub(super) fn push_copy(&mut self, below: usize) -> Neo3Flow {
        let Some(from) = self.height().checked_sub(below + 1) else {
            return Err(Neo3Fault::Underflow.into());
        };
        match &self.core.stack[from] {
            Neo3Item::Integer(number) => {
                let number = *number;
                self.core.stack.push(Neo3Item::Integer(number));
            }
            Neo3Item::Array(list) => {
                let list = *list;
                self.core.heap.hold_compound(list);
                self.core.stack.push(Neo3Item::Array(list));
            }
            other => {
                let item = other.clone();
                self.push(item);
            }
        }
        Ok(())
    }

    /// The size of an item, if that size is allowed.
    pub(super) fn item_size(&self, size: i64) -> Result<usize, Neo3Fault> {
        let most = self.core.limits.item_size;
        let fits = u64::try_from(size).ok().filter(|size| *size <= most);
        fits.map(|size| size as usize).ok_or(Neo3Fault::ItemSize { size, most })
    }

    /// Must be called by an instruction that creates compounds, before it pops anything.
    pub(super) fn make_room(&mut self) -> Neo3Flow {
        self.core.heap.make_room(self.core.uncaught.as_ref());
        self.visit_held()
    }

    /// Charges the work of holding and releasing compounds. Must be called wherever that can repeat without
    /// end: where compounds are created, and where one is thrown.
    pub(super) fn visit_held(&mut self) -> Neo3Flow {
        let visited = self.core.heap.take_visited();
        self.core.work(visited.div_ceil(COUNTED_IN_UNIT))
    }

    /// Charges an instruction that takes longer than a plain one.
    #[inline(always)]
    pub(super) fn work(&mut self, units: usize) -> Neo3Flow {
        self.core.work(units)
    }

    /// Charges and accounts for a new byte string.
    pub(super) fn made(&mut self, bytes: Vec<u8>) -> Result<Vec<u8>, Neo3Stop> {
        self.core.work(ALLOCATION + bytes.len() / BYTES_OF_UNIT)?;
        self.core.hold_bytes(bytes.len())?;
        Ok(bytes)
    }

    /// Charges an instruction that visits this number of items.
    pub(super) fn visit(&mut self, items: usize) -> Neo3Flow {
        self.core.work(items.div_ceil(ITEMS_OF_UNIT))
    }
}
