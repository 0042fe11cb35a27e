//! The loop over instructions, in slices. The limits of the runner are checked after each slice.

use std::mem;

use revm_context::LocalContextTr;
use revm_handler::instructions::InstructionProvider;
use revm_handler::{FrameData, ItemOrResult};
use revm_interpreter::interpreter_types::{Jumps, LegacyBytecode, LoopControl};
use revm_interpreter::{FrameInput, InstructionResult, InterpreterAction};
use revm_state::Account;

use super::stops::Stops;
use super::{Ethereum, TransactionStop};
use crate::machines::account::Limit;
use crate::machines::ethereum::context::JournalLengths;
use crate::machines::ethereum::engine::{EngineError, RevmEngine};
use crate::machines::ethereum::memory::MemoryGrowth;

/// The gas that an instruction's own unit covers: enough for most plain instructions.
const GAS_OF_PLAIN: u64 = 5;

/// How much gas beyond that is charged as one unit.
const GAS_OF_UNIT: u64 = 12;

/// How much gas the loop uses before it checks the limits.
const GAS_OF_SLICE: u64 = 1 << 20;

/// After how many units the memory in use is counted again.
const UNITS_BETWEEN_COUNTS: u64 = 1 << 20;

/// The size in bytes of an account.
const ACCOUNT: u64 = 512;
/// The size in bytes of a storage word.
const SLOT: u64 = 256;
/// The size in bytes of an entry of the journal.
const JOURNAL_ENTRY: u64 = 192;

/// How many bytes code takes: itself, a padded copy, and a bit for each byte that can be jumped to.
pub(super) fn size_of_code(length: usize) -> u64 {
    let length = length as u64;
    2 * length + length / 8
}

impl Ethereum {
    /// Executes up to `budget` instructions, until the next one is a stop.
    pub(super) fn execute(&mut self, mut budget: u64, stops: &impl Stops) -> Result<(), TransactionStop> {
        while budget > 0 && self.depth > 0 && !self.is_before(stops) {
            let (executed, action) = self.slice(budget, stops)?;
            budget -= executed;
            if let Some(action) = action {
                self.act(action)?;
            }
        }
        Ok(())
    }

    fn is_before(&self, stops: &impl Stops) -> bool {
        self.running().is_some_and(|frame| stops.before(frame.interpreter.bytecode.opcode()))
    }

    /// Does what the running frame requests: starts another frame, or ends it.
    pub(super) fn act(&mut self, action: InterpreterAction) -> Result<(), TransactionStop> {
        let frame = &mut self.frames[self.depth - 1];
        let context = &mut self.engine.ctx;
        if let (Some(trail), InterpreterAction::Return(result)) = (&mut self.trail, &action) {
            trail.end(&context.journaled_state.inner, &frame.checkpoint, result.result);
        }
        match frame.process_next_action::<_, EngineError>(context, action)? {
            ItemOrResult::Item(init) => self.enter(init),
            ItemOrResult::Result(result) => {
                self.depth -= 1;
                self.follow_trail();
                self.leave(result)
            }
        }
    }

    pub(super) fn follow_trail(&mut self) {
        if let Some(trail) = &mut self.trail {
            trail.follow(&self.engine.ctx.journaled_state.inner.journal);
        }
    }

    /// Executes up to `most` instructions of the running frame; fewer at a stop, or if the limits must be checked.
    /// Returns their number, and the action that the last one requests if the frame cannot continue by itself.
    fn slice(&mut self, most: u64, stops: &impl Stops) -> Result<(u64, Option<InterpreterAction>), Limit> {
        let RevmEngine { ctx, instruction, .. } = &mut self.engine;
        let interpreter = &mut self.frames[self.depth - 1].interpreter;
        let (instructions, costs) = (instruction.instruction_table(), instruction.gas_table());
        let before = interpreter.gas.remaining();
        let fence = before.saturating_sub(GAS_OF_SLICE);
        let mut executed = 0;
        let (end, last) = loop {
            let left = interpreter.gas.remaining();
            if executed == most || left < fence || stops.before(interpreter.bytecode.opcode()) {
                break (None, left);
            }
            executed += 1;
            if let Err(end) = interpreter.step(instructions, costs, ctx) {
                break (Some(end), left);
            }
        };
        let end = match (end, self.growth) {
            (Some(InstructionResult::MemoryLimitOOG), MemoryGrowth::Checked) => return Err(Limit::Memory),
            (Some(InstructionResult::MemoryLimitOOG), MemoryGrowth::Unpaid) => {
                Some(InstructionResult::MemoryOOG)
            }
            (end, _) => end,
        };
        let end = match (end, self.excused.take()) {
            (Some(why), Some(excused)) if why.is_halt() => {
                excused.continue_with(interpreter);
                self.trail.get_or_insert_default().failure = Some(why);
                None
            }
            (end, _) => end,
        };
        let action = end.map(|end| {
            if interpreter.bytecode.action().is_none() {
                interpreter.halt(end);
            }
            interpreter.take_next_action()
        });
        let used = before - last.min(before) + last_cost(last, interpreter.gas.remaining(), action.as_ref());
        self.account.executed(executed);
        self.uncharged += used.saturating_sub(GAS_OF_PLAIN * executed);
        let work = mem::take(&mut self.engine.ctx.chain).0;
        self.account.charge(work.saturating_add(self.uncharged / GAS_OF_UNIT))?;
        self.uncharged %= GAS_OF_UNIT;
        self.hold_growth()?;
        if self.account.is_due() || self.account.units() >= self.next_count {
            self.next_count = self.account.units() + UNITS_BETWEEN_COUNTS;
            self.count_memory()?;
        }
        Ok((executed, action))
    }

    /// Counts what the state has grown by since the last time. A revert undoes entries of the journal, but keeps the
    /// accounts and words that were loaded.
    fn hold_growth(&mut self) -> Result<(), Limit> {
        let now = JournalLengths::of(&self.engine.ctx);
        let before = mem::replace(&mut self.lengths, now);
        let grown = |now: usize, before: usize| now.saturating_sub(before) as u64;
        let logs = &self.engine.ctx.journaled_state.inner.logs;
        let logs: u64 = logs.iter().skip(before.logs).map(|log| SLOT + log.data.data.len() as u64).sum();
        let entries = (JOURNAL_ENTRY + SLOT) * grown(now.entries, before.entries);
        self.hold(entries + ACCOUNT * grown(now.accounts, before.accounts) + logs)
    }

    /// Counts bytes that the transaction is about to use. At the limit, counts what is in use again, without what has
    /// been freed since the last time.
    pub(super) fn hold(&mut self, bytes: u64) -> Result<(), Limit> {
        match self.account.hold(bytes) {
            Err(Limit::Memory) => {
                self.count_memory()?;
                self.account.hold(bytes)
            }
            other => other,
        }
    }

    /// Starts to count the growth from here on, after a frame has ended.
    pub(super) fn forget_lengths(&mut self) {
        self.lengths = JournalLengths::of(&self.engine.ctx);
    }

    /// Counts the memory that the transaction uses.
    fn count_memory(&mut self) -> Result<(), Limit> {
        let context = &self.engine.ctx;
        let journal = &context.journaled_state.inner;
        let size = |account: &Account| {
            let code = account.info.code.as_ref().filter(|_| account.is_created());
            let code = code.map_or(0, |code| size_of_code(code.len()));
            ACCOUNT + SLOT * account.storage.len() as u64 + code
        };
        let state: u64 = journal.state.values().map(size).sum();
        let frames = self.frames[..self.depth].iter();
        let created = frames.filter(|frame| matches!(frame.data, FrameData::Create(_)));
        let init: u64 =
            created.map(|frame| size_of_code(frame.interpreter.bytecode.bytecode_slice().len())).sum();
        let logs: u64 = journal.logs.iter().map(|log| SLOT + log.data.data.len() as u64).sum();
        let returned = self.frames[..self.depth].iter().map(|frame| frame.interpreter.return_data.0.len());
        let memory = context.local.shared_memory_buffer().borrow().len() + returned.sum::<usize>();
        let entries =
            JOURNAL_ENTRY * journal.journal.len() as u64 + SLOT * journal.transient_storage.len() as u64;
        self.lengths = JournalLengths::of(context);
        self.account.settle(state + init + logs + memory as u64 + entries);
        self.account.hold(0)
    }
}

/// The cost of the last instruction of a slice, without gas that it passed on, which comes back, and gas that
/// a halt burns, which is no work.
fn last_cost(before: u64, after: u64, action: Option<&InterpreterAction>) -> u64 {
    let spent = before.saturating_sub(after);
    match action {
        None => 0,
        Some(InterpreterAction::NewFrame(FrameInput::Call(inputs))) => spent.saturating_sub(inputs.gas_limit),
        Some(InterpreterAction::NewFrame(FrameInput::Create(inputs))) => {
            spent.saturating_sub(inputs.gas_limit())
        }
        Some(InterpreterAction::Return(result)) if result.is_halt() => 0,
        Some(InterpreterAction::NewFrame(FrameInput::Empty) | InterpreterAction::Return(_)) => spent,
    }
}
