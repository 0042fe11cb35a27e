//! What the frames share: the stack, the compounds, the host and the account for the runner's limits.

use std::cell::RefCell;
use std::collections::HashMap;
use std::mem;
use std::rc::Rc;

use super::context::Neo3Context;
use super::fault::Neo3Flow;
use super::heap::Neo3Heap;
use super::item::{Buffer, Neo3Item};
use crate::machines::account::{COPIES, CaseAccount};
use crate::machines::ecdsa::Curve;
use crate::model::limits::Limits;

/// The state that a script changes.
#[derive(Clone)]
pub(super) struct Neo3Core {
    /// The evaluation stack, which all frames share; after the run, the result stack.
    pub(super) stack: Vec<Neo3Item>,
    pub(super) heap: Neo3Heap,
    /// The current frame.
    pub(super) context: Neo3Context,
    /// The frames that wait for it, the oldest one first.
    pub(super) callers: Vec<Neo3Context>,
    /// Static fields, once initialised.
    pub(super) statics: Vec<Neo3Item>,
    /// The exception being thrown while finally blocks run.
    pub(super) uncaught: Option<Neo3Item>,
    pub(super) host: HostServices,
    /// The limits; those of the engine as the program demands them.
    pub(super) limits: Limits,
    /// Where the current instruction starts.
    pub(super) at: usize,
    pub(super) account: CaseAccount,
    /// How many host objects were created.
    pub(super) interops: u32,
    /// How many Buffers were created.
    buffers: u32,
}

impl Neo3Core {
    /// A core without a script.
    pub(super) fn new(limits: &Limits) -> Neo3Core {
        Neo3Core {
            stack: Vec::new(),
            heap: Neo3Heap::default(),
            context: Neo3Context::default(),
            callers: Vec::new(),
            statics: Vec::new(),
            uncaught: None,
            host: HostServices::default(),
            limits: limits.clone(),
            at: 0,
            account: CaseAccount::new(limits),
            interops: 0,
            buffers: 0,
        }
    }

    /// Discards the state of the last run.
    pub(super) fn reset(&mut self, host: HostServices, limits: Limits) {
        self.stack.clear();
        self.heap.reset();
        self.context = Neo3Context::default();
        self.callers.clear();
        self.statics.clear();
        self.uncaught = None;
        self.host = host;
        self.at = 0;
        self.account.reset();
        self.limits = limits;
        self.interops = 0;
        self.buffers = 0;
    }

    /// How many references there are.
    #[inline(always)]
    pub(super) fn references(&self) -> usize {
        self.stack.len() + self.heap.counted
    }

    pub(super) fn new_buffer(&mut self, bytes: Vec<u8>) -> Neo3Item {
        let number = self.buffers;
        self.buffers = number.wrapping_add(1);
        Neo3Item::Buffer(Rc::new(Buffer { number, bytes: RefCell::new(bytes) }))
    }

    /// Replaces each Buffer with a copy of its own, since a duplicated machine shares them with the original.
    pub(super) fn separate_buffers(&mut self) {
        let mut own: HashMap<u32, Rc<Buffer>> = HashMap::new();
        let frames = self.callers.iter_mut().chain([&mut self.context]);
        let slots = frames.flat_map(|frame| frame.locals.iter_mut().chain(&mut frame.arguments));
        let roots = self.stack.iter_mut().chain(&mut self.statics).chain(&mut self.uncaught).chain(slots);
        for item in roots.chain(self.heap.items_mut()) {
            if let Neo3Item::Buffer(shared) = item {
                let number = shared.number;
                let copy = || Rc::new(Buffer { number, bytes: shared.bytes.clone() });
                *shared = own.entry(number).or_insert_with(copy).clone();
            }
        }
    }

    /// Removes the top item, which must need no freeing: a 64-bit number, a Boolean, Null, a Pointer, or a compound,
    /// which the heap owns.
    #[inline(always)]
    pub(super) fn forget_small(&mut self) {
        mem::forget(self.stack.pop());
    }

    /// The item at this distance from the top, if it exists.
    pub(super) fn below(&self, below: usize) -> Option<&Neo3Item> {
        self.stack.iter().nth_back(below)
    }

    /// Charges the extra time that an instruction takes compared with a plain one.
    #[inline(always)]
    pub(super) fn work(&mut self, units: usize) -> Neo3Flow {
        Ok(self.account.charge(units as u64)?)
    }

    /// Counts a new byte string, which may then be put on the stack or in a slot. All others that are in use
    /// must already be there.
    pub(super) fn hold_bytes(&mut self, length: usize) -> Neo3Flow {
        self.account.hold(COPIES * length as u64)?;
        if self.account.is_due() { self.survey(length) } else { Ok(()) }
    }

    /// Determines how many bytes are in use, in addition to `new` ones.
    #[cold]
    #[inline(never)]
    fn survey(&mut self, new: usize) -> Neo3Flow {
        self.heap.sweep(self.uncaught.as_ref());
        let frames = self.callers.iter().chain([&self.context]);
        let slots = frames.flat_map(|frame| frame.locals.iter().chain(&frame.arguments));
        let roots = self.stack.iter().chain(&self.statics).chain(&self.uncaught).chain(slots);
        let (mut used, mut items) = (new, 0);
        for item in roots.chain(self.heap.items()) {
            used += item.share();
            items += 1;
        }
        self.account.settle(COPIES * used as u64);
        self.work(items)
    }
}

/// A host and its data.
#[derive(Debug, Clone, Default)]
pub(super) enum HostServices {
    /// The host that the published vectors are written for.
    #[default]
    Test,
    /// A host that verifies signatures of one message.
    Crypto(SignedData),
}

/// What signatures are verified against.
#[derive(Debug, Clone)]
pub(super) struct SignedData {
    pub(super) message: Vec<u8>,
    pub(super) curve: Curve,
}
