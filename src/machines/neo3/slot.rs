//! Static fields, local variables and arguments. Each of their entries counts as a reference, even Null.

use super::context::Neo3Context;
use super::core::Neo3Core;
use super::fault::{Neo3Fault, Neo3Flow};
use super::frame::{ALLOCATION, Neo3Frame};
use super::item::Neo3Item;
use crate::model::Cell;

/// The kinds of variables, as the state and its cells name them.
#[derive(Clone, Copy)]
pub(super) enum Slots {
    Statics,
    Locals,
    Arguments,
}

impl Slots {
    pub(super) const ALL: [Slots; 3] = [Slots::Statics, Slots::Locals, Slots::Arguments];

    /// Their name in a frame of the state.
    pub(super) const fn field(self) -> &'static str {
        match self {
            Slots::Statics => "staticFields",
            Slots::Locals => "localVariables",
            Slots::Arguments => "arguments",
        }
    }

    pub(super) const fn cell_kind(self) -> &'static str {
        match self {
            Slots::Statics => "static",
            Slots::Locals => "local",
            Slots::Arguments => "argument",
        }
    }

    /// The cell of a variable; the oldest frame is 0. Static fields belong to all frames.
    pub(super) fn cell(self, frame: usize, index: usize) -> Cell {
        let name = match self {
            Slots::Statics => index.to_string(),
            Slots::Locals | Slots::Arguments => format!("{index} of frame {frame}"),
        };
        Cell::named(self.cell_kind(), name)
    }

    /// The variables of a frame.
    pub(super) fn of<'c>(self, core: &'c Neo3Core, context: &'c Neo3Context) -> &'c [Neo3Item] {
        match self {
            Slots::Statics => &core.statics,
            Slots::Locals => &context.locals,
            Slots::Arguments => &context.arguments,
        }
    }
}

/// A kind of variables, as a type for handlers.
pub(super) trait SlotTable {
    /// The fault for a missing variable.
    const MISSING: Neo3Fault;

    /// Its variables; empty until it is initialised.
    fn of(core: &mut Neo3Core) -> &mut Vec<Neo3Item>;
}

/// Static fields.
pub(super) struct Statics;
/// Local variables.
pub(super) struct Locals;
/// Arguments.
pub(super) struct Arguments;

impl SlotTable for Statics {
    const MISSING: Neo3Fault = Neo3Fault::OutOfRange("The index of the static field");

    fn of(core: &mut Neo3Core) -> &mut Vec<Neo3Item> {
        &mut core.statics
    }
}

impl SlotTable for Locals {
    const MISSING: Neo3Fault = Neo3Fault::OutOfRange("The index of the local variable");

    #[inline(always)]
    fn of(core: &mut Neo3Core) -> &mut Vec<Neo3Item> {
        &mut core.context.locals
    }
}

impl SlotTable for Arguments {
    const MISSING: Neo3Fault = Neo3Fault::OutOfRange("The index of the argument");

    #[inline(always)]
    fn of(core: &mut Neo3Core) -> &mut Vec<Neo3Item> {
        &mut core.context.arguments
    }
}

pub(super) fn initsslot(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let [count] = frame.operand()?;
    frame.work(ALLOCATION)?;
    frame.visit(count.into())?;
    let core = &mut *frame.core;
    if count == 0 || !core.statics.is_empty() {
        return Err(Neo3Fault::Wrong("INITSSLOT takes at least one field, and once.").into());
    }
    core.statics = vec![Neo3Item::Null; count.into()];
    core.heap.counted += usize::from(count);
    Ok(())
}

pub(super) fn initslot(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let [locals, arguments] = frame.operand()?;
    frame.work(4 * ALLOCATION)?;
    frame.visit(usize::from(locals) + usize::from(arguments))?;
    let core = &mut *frame.core;
    let is_first = core.context.locals.is_empty() && core.context.arguments.is_empty();
    if locals == 0 && arguments == 0 || !is_first {
        return Err(Neo3Fault::Wrong("INITSLOT takes at least one variable, and once.").into());
    }
    let rest = core.stack.len().checked_sub(arguments.into()).ok_or(Neo3Fault::Underflow)?;
    core.context.locals = vec![Neo3Item::Null; locals.into()];
    core.context.arguments = core.stack.drain(rest..).rev().collect();
    core.heap.counted += usize::from(locals) + usize::from(arguments);
    Ok(())
}

/// LDSFLD0, LDLOC0, LDARG0 and so on
#[inline(always)]
pub(super) fn load<S: SlotTable, const N: usize>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    load_at::<S>(frame, N)
}

/// LDSFLD, LDLOC and LDARG
#[inline(always)]
pub(super) fn load_operand<S: SlotTable>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let [index] = frame.operand()?;
    load_at::<S>(frame, index.into())
}

/// STSFLD0, STLOC0, STARG0 and so on
#[inline(always)]
pub(super) fn store<S: SlotTable, const N: usize>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    store_at::<S>(frame, N)
}

/// STSFLD, STLOC and STARG
#[inline(always)]
pub(super) fn store_operand<S: SlotTable>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let [index] = frame.operand()?;
    store_at::<S>(frame, index.into())
}

#[inline(always)]
fn load_at<S: SlotTable>(frame: &mut Neo3Frame<'_>, index: usize) -> Neo3Flow {
    let item = S::of(frame.core).get(index).ok_or(S::MISSING)?.copy();
    frame.push(item);
    Ok(())
}

#[inline(always)]
fn store_at<S: SlotTable>(frame: &mut Neo3Frame<'_>, index: usize) -> Neo3Flow {
    if index >= S::of(frame.core).len() {
        return Err(S::MISSING.into());
    }
    // The item moves from the stack to the slot, the old one goes: the entries stay as many.
    let Some(item) = frame.core.stack.pop() else { return Err(Neo3Fault::Underflow.into()) };
    let old = std::mem::replace(&mut S::of(frame.core)[index], item);
    frame.core.heap.let_go(&old);
    Ok(())
}
