//! The machine: a transaction from its validation to its settlement, with revm's phases around a loop of our own,
//! which can stop before each instruction and counts what the transaction takes.
//!
//! [`Action::Set`](crate::model::case::Action) sets the fork and the chosen parameters, and takes the transaction
//! to its first instruction; the last instruction takes it to its end.

use std::rc::Rc;

use revm::context::result::ExecutionResult;
use revm::context::{CfgEnv, JournalTr, LocalContext, LocalContextTr, TxEnv};
use revm::context_interface::ContextTr;
use revm::context_interface::local::OutFrame;
use revm::handler::instructions::InstructionProvider;
use revm::handler::{EthFrame, FrameResult, Handler, ItemOrResult, execution::runtime_oog_unwind};
use revm::interpreter::interpreter_action::FrameInit;
use revm::interpreter::interpreter_types::{Jumps, LegacyBytecode, LoopControl};
use revm::interpreter::{FrameInput, GasTracker, InitialAndFloorGas, InstructionResult, InterpreterAction};
use revm::primitives::{Address, U256};
use revm::state::EvmState;

use super::engine::{self, Context, Engine, EngineError, Phases};
use super::fork::{Fork, WrongPrice};
use super::program::{self, Prepared};
use super::refusal::Refusal;
use super::rules::Work;
use super::table::ETHEREUM;
use super::trail::Trail;
use super::world::{self, After};
use super::{shapes, transaction};
use crate::machines::account::{Account, COPIES, Limit};
use crate::machines::machine::{At, LoadError, Machine, Status};
use crate::machines::observe;
use crate::machines::record::Record;
use crate::machines::{Engine as Of, Executes, Hashed, Language, MachineInfo};
use crate::model::case::Program;
use crate::model::limits::Limits;
use crate::model::value::Value;

/// The machine's entry in the list of machines.
pub const INFO: MachineInfo = MachineInfo {
    name: "ethereum",
    doc: "Ethereum, one transaction, Frontier to Osaka, on revm",
    isa: &ETHEREUM,
    engine: Of::Library("revm"),
    language: Language::Bytes,
    contains: program::contains,
    executes: Executes::Others,
    lint: crate::machines::nothing_odd,
    program: shapes::PROGRAM,
    changes: shapes::CHANGES,
    fields: observe::members::<Ethereum>,
    hashed: Some(Hashed {
        root: "root",
        root_of: world::root_of,
        state: "state",
        before: "pre",
        logs: "logs",
        entries: "logEntries",
    }),
    assemble: crate::machines::as_it_is,
    new: |limits| Box::new(Ethereum::new(limits)),
};

/// The gas of instructions that is charged a unit besides the instructions themselves.
const GAS_OF_UNIT: u64 = 16;

/// Gas after which the loop looks at the limits.
const GAS_OF_SLICE: u64 = 1 << 20;

/// Units after which the memory in use is counted.
const UNITS_BETWEEN_COUNTS: u64 = 1 << 20;

/// What a call or a creation is charged besides its instruction; a byte of code that is created is analysed.
const UNITS_OF_FRAME: u64 = 100;

/// What things take in bytes: an account, a word of storage, an entry of the journal.
const ACCOUNT: u64 = 512;
const SLOT: u64 = 256;
const JOURNAL_ENTRY: u64 = 128;

/// Frames that are kept for the next case; each has a stack of 32 KB.
const KEPT_FRAMES: usize = 16;

/// Bytes of memory that are kept for the next case.
const KEPT_MEMORY: usize = 1 << 20;

/// Executes one transaction of a state test.
pub struct Ethereum {
    engine: Engine,
    /// The fork that the engine is set up for.
    fork: Option<Fork>,
    fault: Option<WrongPrice>,
    /// The frames in use, then some for later use.
    frames: Vec<EthFrame>,
    depth: usize,
    test: Option<Rc<Prepared>>,
    stage: Stage,
    account: Account,
    /// Gas that instructions took and that is not charged yet.
    uncharged: u64,
    /// The units at which the memory in use is counted again.
    next_count: u64,
    trail: Option<Trail>,
    /// What the instructions of the transaction, when it has ended, added to its refund.
    refund: i64,
}

enum Stage {
    /// The transaction is not chosen yet.
    Loaded,
    Running(Running),
    Limited(Limit),
    Ended(Ended),
}

/// What the settlement needs to know.
#[derive(Clone, Copy)]
struct Running {
    initial: InitialAndFloorGas,
    gas: GasTracker,
    refund: i64,
}

pub(super) struct Ended {
    pub(super) outcome: Outcome,
    changes: EvmState,
    /// The account that a refusal touches.
    touched: Option<Address>,
}

pub(super) enum Outcome {
    Refused(Refusal),
    Executed(ExecutionResult),
}

/// Why a transaction gets no further.
enum Stop {
    Limited(Limit),
    Invalid(EngineError),
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Stop {
        Stop::Limited(limit)
    }
}

impl<E: Into<EngineError>> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Invalid(error.into())
    }
}

impl Ethereum {
    /// A machine that holds no program.
    pub fn new(limits: &Limits) -> Ethereum {
        Ethereum::with(limits, None)
    }

    /// A machine with a fault, to show that vectors find it: one price differs.
    pub fn with_fault(limits: &Limits, fault: WrongPrice) -> Ethereum {
        Ethereum::with(limits, Some(fault))
    }

    fn with(limits: &Limits, fault: Option<WrongPrice>) -> Ethereum {
        Ethereum {
            engine: engine::new(),
            fork: None,
            fault,
            frames: Vec::new(),
            depth: 0,
            test: None,
            stage: Stage::Loaded,
            account: Account::new(limits),
            uncharged: 0,
            next_count: 0,
            trail: None,
            refund: 0,
        }
    }

    pub(super) fn ended(&self) -> Option<&Ended> {
        match &self.stage {
            Stage::Ended(ended) => Some(ended),
            Stage::Loaded | Stage::Running(_) | Stage::Limited(_) => None,
        }
    }

    /// The accounts after the transaction.
    pub(super) fn after(&self) -> Option<After<'_>> {
        let Ended { changes, touched, .. } = self.ended()?;
        let mut after = After::new(&self.test.as_ref()?.world, changes, self.fork?);
        if let Some(address) = touched {
            after.touch(*address);
        }
        Some(after)
    }

    /// The fork whose rules hold.
    pub(super) fn fork(&self) -> Option<Fork> {
        self.fork
    }

    /// The running frame.
    pub(super) fn running(&self) -> Option<&EthFrame> {
        self.frames().last()
    }

    /// The frames in use, the outermost first.
    pub(super) fn frames(&self) -> &[EthFrame] {
        &self.frames[..self.depth]
    }

    /// The code of the next instruction.
    pub(super) fn next_code(&self) -> Option<u8> {
        let bytecode = &self.running()?.interpreter.bytecode;
        bytecode.bytecode_slice().get(bytecode.pc()).copied()
    }

    /// The transaction, its block and the accounts while it runs.
    pub(super) fn context(&self) -> &Context {
        &self.engine.ctx
    }

    /// What the last instruction did; `None` unless instructions are executed one at a time.
    pub(super) fn trail(&self) -> Option<&Trail> {
        self.trail.as_ref()
    }

    /// A word of storage while the transaction runs.
    pub(super) fn stored(&self, address: Address, key: U256) -> U256 {
        let journal = &self.engine.ctx.journaled_state;
        let slot = journal.inner.state.get(&address).and_then(|account| account.storage.get(&key));
        slot.map_or_else(|| journal.database.world.stored(address, key), |slot| slot.present_value)
    }

    /// The balance of an account while the transaction runs.
    pub(super) fn balance(&self, address: Address) -> U256 {
        let journal = &self.engine.ctx.journaled_state;
        let account = journal.inner.state.get(&address).map(|account| account.info.balance);
        account.unwrap_or_else(|| journal.database.world.balance(address))
    }

    /// The gas that is left in all frames; at the end, what was not spent.
    pub(super) fn gas_left(&self) -> Option<u64> {
        if let Some(Ended { outcome: Outcome::Executed(result), .. }) = self.ended() {
            return Some(self.engine.ctx.tx.gas_limit.saturating_sub(result.gas().total_gas_spent()));
        }
        let frames = self.frames().iter();
        Some(frames.map(|frame| frame.interpreter.gas.remaining()).fold(0, u64::saturating_add))
    }

    /// The refund, of all frames or at the end, before any limit on it.
    pub(super) fn refunded(&self) -> i64 {
        let frames = self.frames().iter().map(|frame| frame.interpreter.gas.refunded());
        if self.depth == 0 { self.refund } else { frames.sum() }
    }

    /// Forgets the last case.
    fn reset(&mut self) {
        self.engine.ctx.journaled_state.finalize();
        self.engine.ctx.local.clear();
        if self.engine.ctx.local.shared_memory_buffer().borrow().capacity() > KEPT_MEMORY {
            self.engine.ctx.local = LocalContext::default();
        }
        self.engine.ctx.error = Ok(());
        self.engine.ctx.chain = Work::default();
        self.frames.truncate(KEPT_FRAMES);
        self.depth = 0;
        self.stage = Stage::Loaded;
        self.account.reset();
        self.uncharged = 0;
        self.next_count = 0;
        self.trail = None;
        self.refund = 0;
    }

    /// Sets the engine up for a transaction, and takes it to its first instruction.
    fn begin(&mut self, chosen: &Record<'_>) -> Result<(), LoadError> {
        let test = self.test.clone().ok_or_else(|| LoadError::new("there is no program"))?;
        let fork = chosen.text("fork")?;
        let fork = Fork::named(fork).ok_or_else(|| LoadError::new(format!("there is no fork {fork}")))?;
        let refused = (chosen.text("refusal")? == "coinbase").then(|| test.coinbase());
        let transaction = transaction::read(&test, fork, chosen)?;
        self.set_up(&test, fork)?;
        let outcome = match transaction {
            Err(refusal) => Err(refusal),
            Ok(transaction) => self.start(transaction)?,
        };
        if let Err(refusal) = outcome {
            self.end(Outcome::Refused(refusal), refused);
        }
        Ok(())
    }

    fn set_up(&mut self, test: &Prepared, fork: Fork) -> Result<(), LoadError> {
        let blobs = test.blobs(fork)?;
        let context = &mut self.engine.ctx;
        if self.fork != Some(fork) {
            self.fork = Some(fork);
            context.cfg = fork.configuration();
            if let Some(fault) = self.fault.filter(|fault| fault.fork == fork.name) {
                fault.plant(&mut context.cfg.gas_params);
            }
            self.engine.instruction = fork.instructions();
        }
        let CfgEnv { chain_id, max_blobs_per_tx, blob_base_fee_update_fraction, memory_limit, .. } =
            &mut context.cfg;
        *chain_id = test.chain;
        *max_blobs_per_tx = blobs.map(|blobs| blobs.most);
        *blob_base_fee_update_fraction = blobs.map(|blobs| blobs.fraction);
        *memory_limit = self.account.limits().memory;
        context.block = test.block(fork, blobs);
        context.journaled_state.database.world = test.world.clone();
        context.journaled_state.database.spec = fork.spec;
        Ok(())
    }

    /// Validates the transaction, and takes it to its first instruction.
    fn start(&mut self, transaction: TxEnv) -> Result<Result<(), Refusal>, LoadError> {
        self.engine.ctx.tx = transaction;
        match self.enter_first() {
            Ok(()) => Ok(Ok(())),
            Err(Stop::Limited(limit)) => {
                self.stage = Stage::Limited(limit);
                Ok(Ok(()))
            }
            Err(Stop::Invalid(EngineError::Transaction(why))) => Ok(Err(why.into())),
            Err(Stop::Invalid(other)) => Err(LoadError::new(other.to_string())),
        }
    }

    fn enter_first(&mut self) -> Result<(), Stop> {
        let mut phases = Phases::default();
        let engine = &mut self.engine;
        let initial = phases.validate(engine)?;
        let mut gas = phases.tx_gas(engine, &initial);
        let prepared = phases.pre_execution(engine, &mut gas)?;
        let refund = prepared.as_ref().map_or(0, |prepared| prepared.eip7702_refund as i64);
        let mut first = None;
        if let Some(prepared) = prepared {
            first = phases.first_frame_input(engine, &mut gas)?;
            if first.is_some() {
                engine.ctx.journal_mut().checkpoint_commit();
            } else {
                runtime_oog_unwind(&mut engine.ctx, prepared.checkpoint)?;
            }
        }
        self.stage = Stage::Running(Running { initial, gas, refund });
        if let Some(first) = first {
            return self.enter(first);
        }
        let result = phases.runtime_oog_result(&mut self.engine, &initial, &mut gas)?;
        self.settle(result, Running { initial, gas, refund })
    }

    /// Begins a call or a creation.
    fn enter(&mut self, init: FrameInit) -> Result<(), Stop> {
        let created = match &init.frame_input {
            FrameInput::Create(inputs) => inputs.init_code().len(),
            FrameInput::Call(_) | FrameInput::Empty => 0,
        };
        self.account.charge(UNITS_OF_FRAME + created as u64)?;
        let left = self.account.limits().steps.saturating_sub(self.account.units());
        if self.depth == self.frames.len() {
            self.frames.push(EthFrame::invalid());
        }
        let Engine { ctx, precompiles, .. } = &mut self.engine;
        precompiles.allow(left);
        let slot = OutFrame::new_init(&mut self.frames[self.depth]);
        let entered = EthFrame::init_with_context(slot, ctx, precompiles, init)?;
        self.account.charge(precompiles.charged().ok_or(Limit::Steps)?)?;
        match entered {
            ItemOrResult::Item(token) => {
                token.assert();
                self.depth += 1;
                Ok(())
            }
            ItemOrResult::Result(result) => self.leave(result),
        }
    }

    /// Gives a result to the frame that waits for it, or ends the transaction.
    fn leave(&mut self, result: FrameResult) -> Result<(), Stop> {
        if let Some(caller) = self.depth.checked_sub(1) {
            return Ok(self.frames[caller].return_result::<_, EngineError>(&mut self.engine.ctx, result)?);
        }
        let Stage::Running(mut running) = self.stage else { return Ok(()) };
        let mut result = result;
        self.refund = if result.interpreter_result().is_ok() { result.gas().refunded() } else { 0 };
        Phases::default().last_frame_result(&mut self.engine, &mut result, &mut running.gas)?;
        self.settle(result, running)
    }

    fn settle(&mut self, mut result: FrameResult, running: Running) -> Result<(), Stop> {
        let mut phases = Phases::default();
        let Running { initial, refund, .. } = running;
        let gas = phases.post_execution(&mut self.engine, &mut result, initial, refund)?;
        let result = phases.execution_result(&mut self.engine, result, gas)?;
        self.end(Outcome::Executed(result), None);
        let size = self.after().map_or(0, |after| after.size());
        Ok(self.account.hold(COPIES * size)?)
    }

    fn end(&mut self, outcome: Outcome, touched: Option<Address>) {
        let changes = match outcome {
            Outcome::Executed(_) => self.engine.ctx.journaled_state.finalize(),
            Outcome::Refused(_) => EvmState::default(),
        };
        self.stage = Stage::Ended(Ended { outcome, changes, touched });
    }

    /// Executes up to `budget` instructions.
    fn execute(&mut self, mut budget: u64) -> Result<(), Stop> {
        while budget > 0 && self.depth > 0 {
            let (executed, action) = self.slice(budget)?;
            budget -= executed;
            let Some(action) = action else { continue };
            let frame = &mut self.frames[self.depth - 1];
            let context = &mut self.engine.ctx;
            if let (Some(trail), InterpreterAction::Return(result)) = (&mut self.trail, &action) {
                let from = frame.checkpoint.journal_i;
                trail.end(&context.journaled_state.inner.journal, from, result.result);
            }
            match frame.process_next_action::<_, EngineError>(context, action)? {
                ItemOrResult::Item(init) => self.enter(init)?,
                ItemOrResult::Result(result) => {
                    self.depth -= 1;
                    self.follow_trail();
                    self.leave(result)?;
                }
            }
        }
        Ok(())
    }

    fn follow_trail(&mut self) {
        if let Some(trail) = &mut self.trail {
            trail.follow(&self.engine.ctx.journaled_state.inner.journal);
        }
    }

    /// Executes up to `most` instructions of the running frame, fewer when the limits must be looked at. Returns
    /// their number, and what the last one asks for if the frame cannot go on by itself.
    fn slice(&mut self, most: u64) -> Result<(u64, Option<InterpreterAction>), Limit> {
        let Engine { ctx, instruction, .. } = &mut self.engine;
        let interpreter = &mut self.frames[self.depth - 1].interpreter;
        let (instructions, costs) = (instruction.instruction_table(), instruction.gas_table());
        let before = interpreter.gas.remaining();
        let fence = before.saturating_sub(GAS_OF_SLICE);
        let mut executed = 0;
        let (end, last) = loop {
            let left = interpreter.gas.remaining();
            if executed == most || left < fence {
                break (None, left);
            }
            executed += 1;
            if let Err(end) = interpreter.step(instructions, costs, ctx) {
                break (Some(end), left);
            }
        };
        let action = end.map(|end| {
            if interpreter.bytecode.action().is_none() {
                interpreter.halt(end);
            }
            interpreter.take_next_action()
        });
        if end == Some(InstructionResult::MemoryLimitOOG) && affords_memory(last, self.account.limits()) {
            return Err(Limit::Memory);
        }
        let used = before - last.min(before) + last_cost(last, interpreter.gas.remaining(), action.as_ref());
        self.account.executed(executed);
        self.uncharged += used;
        let work = std::mem::take(&mut self.engine.ctx.chain).0;
        self.account.charge(work.saturating_add(self.uncharged / GAS_OF_UNIT))?;
        self.uncharged %= GAS_OF_UNIT;
        if self.account.units() >= self.next_count {
            self.next_count = self.account.units() + UNITS_BETWEEN_COUNTS;
            self.count_memory()?;
        }
        Ok((executed, action))
    }

    /// Counts what the transaction holds in memory.
    fn count_memory(&mut self) -> Result<(), Limit> {
        let context = &self.engine.ctx;
        let journal = &context.journaled_state.inner;
        let accounts = journal.state.values();
        let state: u64 = accounts.map(|account| ACCOUNT + SLOT * account.storage.len() as u64).sum();
        let logs: u64 = journal.logs.iter().map(|log| SLOT + log.data.data.len() as u64).sum();
        let returned = self.frames[..self.depth].iter().map(|frame| frame.interpreter.return_data.0.len());
        let memory = context.local.shared_memory_buffer().borrow().len() + returned.sum::<usize>();
        let entries = (journal.journal.len() + journal.transient_storage.len()) as u64;
        self.account.settle(state + logs + memory as u64 + JOURNAL_ENTRY * entries);
        self.account.hold(0)
    }

    fn status(&self) -> Status {
        match &self.stage {
            Stage::Loaded => Status::Refused(LoadError::new("no fork is set")),
            Stage::Running(_) => Status::Running,
            Stage::Limited(limit) => self.account.status(*limit),
            Stage::Ended(_) => Status::Ended,
        }
    }
}

/// Whether so much gas pays for as much memory as a case may use. Otherwise an instruction that exceeds that limit
/// runs out of gas all the same: the price rises with the square of the words, by 1/512.
fn affords_memory(gas: u64, limits: &Limits) -> bool {
    let words = u128::from(limits.memory / 32);
    u128::from(gas) >= words * words / 512
}

/// What the last instruction of a slice cost: what it gave away comes back, and what a halt burns is no work.
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

impl Machine for Ethereum {
    fn load(&mut self, program: &Program) -> Result<(), LoadError> {
        self.reset();
        // Cases of a test share their program, so that its accounts are read and hashed once.
        let is_same = |test: &Rc<Prepared>| std::sync::Arc::ptr_eq(&test.program.0, &program.0);
        if !self.test.as_ref().is_some_and(is_same) {
            self.test = None;
            self.test = Some(Rc::new(Prepared::new(program)?));
        }
        Ok(())
    }

    fn advance(&mut self, budget: u64) -> Status {
        if matches!(self.stage, Stage::Running(_)) && budget > 0 {
            let journal = &self.engine.ctx.journaled_state.inner.journal;
            self.trail = (budget == 1).then(|| Trail::before(journal));
            match self.execute(budget) {
                Ok(()) => self.follow_trail(),
                Err(Stop::Limited(limit)) => self.stage = Stage::Limited(limit),
                Err(Stop::Invalid(error)) => return Status::Refused(LoadError::new(error.to_string())),
            }
        }
        self.status()
    }

    fn account(&mut self) -> &mut Account {
        &mut self.account
    }

    fn set(&mut self, changes: &Value) -> Result<(), LoadError> {
        match self.stage {
            Stage::Loaded => self.begin(&Record(changes)),
            Stage::Running(_) | Stage::Limited(_) | Stage::Ended(_) => {
                Err(LoadError::new("the transaction of this machine is set before it runs"))
            }
        }
    }

    fn next(&self) -> Option<At<'_>> {
        let bytecode = &self.running()?.interpreter.bytecode;
        let pc = bytecode.pc();
        let stop = || At { pc, op: ETHEREUM.by_code(0), code: 0, operand: &[], state: self };
        // After the end of the code there is a STOP, which counts as an instruction.
        Some(At::in_bytes(&ETHEREUM, bytecode.bytecode_slice(), pc, self).unwrap_or_else(stop))
    }

    fn depth(&self) -> usize {
        self.depth
    }

    fn describe(&self) -> String {
        match &self.stage {
            Stage::Loaded => "no transaction is set".to_owned(),
            Stage::Running(_) | Stage::Limited(_) => {
                let at = self.next().map_or_else(String::new, |at| format!(" at 0x{:x}", at.pc));
                format!("not ended{at}, frame {}", self.depth)
            }
            Stage::Ended(Ended { outcome: Outcome::Refused(refusal), .. }) => {
                format!("refused: {}", refusal.what)
            }
            Stage::Ended(Ended { outcome: Outcome::Executed(result), .. }) => {
                let end = match result {
                    ExecutionResult::Success { .. } => "success".to_owned(),
                    ExecutionResult::Revert { .. } => "reverted".to_owned(),
                    ExecutionResult::Halt { reason, .. } => format!("halted ({reason:?})"),
                };
                format!("{end}, {} gas used", result.tx_gas_used())
            }
        }
    }
}
