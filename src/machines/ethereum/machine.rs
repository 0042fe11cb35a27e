//! The machine: revm's phases of a transaction around vmconf's own loop, which can stop before each
//! instruction and accounts for the time and memory that the transaction uses.
//!
//! [`Action::Set`](crate::model::case::Action) sets the fork and the chosen parameters, and advances the
//! transaction to its first instruction; executing the last instruction ends it.

mod excused;
mod phases;
mod plant;
mod slices;
mod stops;

use std::rc::Rc;

use revm_context::result::ExecutionResult;
use revm_context::{JournalTr, LocalContext, LocalContextTr};
use revm_handler::EthFrame;
use revm_interpreter::interpreter_types::{Jumps, LegacyBytecode};
use revm_interpreter::{GasTracker, InitialAndFloorGas, Stack};
use revm_primitives::{Address, U256};
use revm_state::EvmState;

use self::excused::Excused;
use self::stops::{Nowhere, Stops};
use super::calls::CallTree;
use super::context::{EngineContext, JournalLengths, TransactionWork};
use super::engine::{self, EngineError, RevmEngine};
use super::fault::EthereumFault;
use super::fork::ForkRules;
use super::memory::MemoryGrowth;
use super::program::Prepared;
use super::refusal::TransactionRefusal;
use super::table::ETHEREUM;
use super::trail::Trail;
use super::transaction_record::ChosenTransaction;
use super::world::{EthereumWorld, WorldAfter};
use crate::isa::OpSet;
use crate::machines::account::{CaseAccount, Limit};
use crate::machines::inspect::Inspect;
use crate::machines::machine::{AdvanceEnd, At, Machine};
use crate::machines::plant::PlantFaults;
use crate::machines::status::{LoadError, Status};
use crate::model::limits::Limits;
use crate::model::{Program, Value};

/// How many bytes of memory are kept for the next test.
const KEPT_MEMORY: usize = 1 << 24;

/// How many entries of the journal are kept for the next test.
const KEPT_ENTRIES: usize = 1 << 14;

/// Executes one transaction of a state test.
pub struct Ethereum {
    pub(super) engine: RevmEngine,
    /// The fork whose rules apply, which the engine is set up for.
    pub(super) fork: Option<ForkRules>,
    /// The growth of memory that its instructions are set up for.
    growth: MemoryGrowth,
    fault: Option<EthereumFault>,
    /// The frames in use, followed by unused ones, whose stacks are reused.
    frames: Vec<EthFrame>,
    pub(super) depth: usize,
    /// The maximum number of frames that the case has used at once.
    deepest: usize,
    test: Option<Rc<Prepared>>,
    stage: TransactionStage,
    account: CaseAccount,
    /// Gas that instructions used but that is not charged yet.
    uncharged: u64,
    /// The number of units at which the memory in use is counted again.
    next_count: u64,
    /// The lengths of what grows, when its growth was counted last.
    lengths: JournalLengths,
    /// What the last instruction did; `None` unless instructions are executed one at a time.
    pub(super) trail: Option<Trail>,
    /// The calls and creations so far.
    pub(super) calls: CallTree,
    /// What becomes of the next instruction if it fails.
    excused: Option<Excused>,
    /// After the transaction has ended, what its instructions added to the refund.
    refund: i64,
}

enum TransactionStage {
    /// The transaction is not chosen yet.
    Loaded,
    Running(RunningTransaction),
    Limited(Limit),
    Ended(TransactionEnd),
}

/// What the settlement needs.
#[derive(Clone, Copy)]
struct RunningTransaction {
    fork: ForkRules,
    initial: InitialAndFloorGas,
    gas: GasTracker,
    refund: i64,
}

pub(super) struct TransactionEnd {
    pub(super) outcome: TransactionOutcome,
    changes: EvmState,
    /// The account that a refusal touches.
    touched: Option<Address>,
}

pub(super) enum TransactionOutcome {
    Refused(TransactionRefusal),
    Executed(ExecutionResult),
}

/// Why a transaction cannot continue.
enum TransactionStop {
    Limited(Limit),
    Invalid(EngineError),
}

impl From<Limit> for TransactionStop {
    fn from(limit: Limit) -> TransactionStop {
        TransactionStop::Limited(limit)
    }
}

impl<E: Into<EngineError>> From<E> for TransactionStop {
    fn from(error: E) -> TransactionStop {
        TransactionStop::Invalid(error.into())
    }
}

impl Ethereum {
    /// A machine that holds no program.
    pub fn new(limits: &Limits) -> Ethereum {
        Ethereum::with(limits, None)
    }

    /// A machine with a fault, to show that vectors find it.
    pub fn with_fault(limits: &Limits, fault: EthereumFault) -> Ethereum {
        Ethereum::with(limits, Some(fault))
    }

    fn with(limits: &Limits, fault: Option<EthereumFault>) -> Ethereum {
        Ethereum {
            engine: engine::new(),
            fork: None,
            growth: MemoryGrowth::Checked,
            fault,
            frames: Vec::new(),
            depth: 0,
            deepest: 0,
            test: None,
            stage: TransactionStage::Loaded,
            account: CaseAccount::new(limits),
            uncharged: 0,
            next_count: 0,
            lengths: JournalLengths::default(),
            trail: None,
            calls: CallTree::default(),
            excused: None,
            refund: 0,
        }
    }

    pub(super) fn ended(&self) -> Option<&TransactionEnd> {
        match &self.stage {
            TransactionStage::Ended(ended) => Some(ended),
            TransactionStage::Loaded | TransactionStage::Running(_) | TransactionStage::Limited(_) => None,
        }
    }

    /// The accounts after the transaction.
    pub(super) fn after(&self) -> Option<WorldAfter<'_>> {
        let TransactionEnd { changes, touched, .. } = self.ended()?;
        let mut after = WorldAfter::new(&self.test.as_ref()?.world, changes, self.fork?);
        if let Some(address) = touched {
            after.touch(*address);
        }
        Some(after)
    }

    pub(super) fn running(&self) -> Option<&EthFrame> {
        self.frames().last()
    }

    /// The frames in use, the outermost first.
    pub(super) fn frames(&self) -> &[EthFrame] {
        &self.frames[..self.depth]
    }

    pub(super) fn next_code(&self) -> Option<u8> {
        let bytecode = &self.running()?.interpreter.bytecode;
        bytecode.bytecode_slice().get(bytecode.pc()).copied()
    }

    /// The transaction, its block and the accounts while it runs.
    pub(super) fn context(&self) -> &EngineContext {
        &self.engine.ctx
    }

    /// The accounts before the transaction.
    pub(super) fn world(&self) -> Option<&EthereumWorld> {
        Some(&self.test.as_ref()?.world)
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

    /// The remaining gas of all frames; after the end, the gas that was not spent.
    pub(super) fn gas_left(&self) -> Option<u64> {
        if let Some(TransactionEnd { outcome: TransactionOutcome::Executed(result), .. }) = self.ended() {
            return Some(self.engine.ctx.tx.gas_limit.saturating_sub(result.gas().total_gas_spent()));
        }
        let frames = self.frames().iter();
        Some(frames.map(|frame| frame.interpreter.gas.remaining()).fold(0, u64::saturating_add))
    }

    /// The refund of all frames, or of the transaction after its end, before any limit on it.
    pub(super) fn refunded(&self) -> i64 {
        let frames = self.frames().iter().map(|frame| frame.interpreter.gas.refunded());
        if self.depth == 0 { self.refund } else { frames.sum() }
    }

    /// Discards the state of the last case.
    fn reset(&mut self) {
        self.engine.ctx.journaled_state.finalize();
        self.engine.ctx.local.clear();
        self.engine.ctx.error = Ok(());
        self.engine.ctx.chain = TransactionWork::default();
        self.frames[..self.deepest].iter_mut().for_each(empty);
        self.depth = 0;
        self.deepest = 0;
        self.stage = TransactionStage::Loaded;
        self.account.reset();
        self.uncharged = 0;
        self.next_count = 0;
        self.lengths = JournalLengths::default();
        self.trail = None;
        self.calls.clear();
        self.excused = None;
        self.refund = 0;
    }

    /// Releases memory that only a large test needs. Not called after each case, since the cases of a test
    /// need about the same.
    fn give_back(&mut self) {
        let context = &mut self.engine.ctx;
        if context.local.shared_memory_buffer().borrow().capacity() > KEPT_MEMORY {
            context.local = LocalContext::default();
        }
        context.journaled_state.inner.journal.shrink_to(KEPT_ENTRIES);
    }

    fn advance_until(&mut self, budget: u64, stops: &impl Stops) -> AdvanceEnd {
        let before = self.account.instructions();
        if matches!(self.stage, TransactionStage::Running(_)) && budget > 0 {
            let journal = &self.engine.ctx.journaled_state.inner.journal;
            self.trail = (budget == 1).then(|| Trail::before(journal));
            let done = self.execute(budget, stops);
            self.follow_trail();
            let status = self.status_after(done);
            return AdvanceEnd { status, executed: self.account.instructions() - before };
        }
        AdvanceEnd { status: self.status(), executed: 0 }
    }

    /// The status of a machine that has executed instructions, unless something stopped it.
    fn status_after(&mut self, done: Result<(), TransactionStop>) -> Status {
        match done {
            Ok(()) => {}
            Err(TransactionStop::Limited(limit)) => self.stage = TransactionStage::Limited(limit),
            Err(TransactionStop::Invalid(error)) => {
                return Status::Refused(LoadError::new(error.to_string()));
            }
        }
        self.status()
    }

    fn status(&self) -> Status {
        match &self.stage {
            TransactionStage::Loaded => Status::Refused(LoadError::new("no fork is set")),
            TransactionStage::Running(_) => Status::Running,
            TransactionStage::Limited(limit) => self.account.status(*limit),
            TransactionStage::Ended(_) => Status::Ended,
        }
    }
}

/// Drops what a frame refers to, but keeps its stack, which takes 32 KB.
fn empty(frame: &mut EthFrame) {
    let stack = std::mem::replace(&mut frame.interpreter.stack, Stack::invalid());
    *frame = EthFrame::invalid();
    frame.interpreter.stack = stack;
}

impl Machine for Ethereum {
    fn load(&mut self, program: &Program) -> Result<(), LoadError> {
        self.reset();
        // Cases of a test share their program, so that its accounts are read and hashed once.
        let is_same = |test: &Rc<Prepared>| std::sync::Arc::ptr_eq(&test.program.0, &program.0);
        if !self.test.as_ref().is_some_and(is_same) {
            self.test = None;
            self.give_back();
            self.test = Some(Rc::new(Prepared::new(program)?));
        }
        Ok(())
    }

    fn advance(&mut self, budget: u64) -> Status {
        self.advance_until(budget, &Nowhere).status
    }

    fn advance_to(&mut self, budget: u64, ops: &OpSet) -> AdvanceEnd {
        self.advance_until(budget, &ops)
    }

    fn account(&mut self) -> &mut CaseAccount {
        &mut self.account
    }

    fn inspect(&self) -> &(dyn Inspect + 'static) {
        self
    }

    fn faults(&mut self) -> Option<&mut dyn PlantFaults> {
        Some(self)
    }

    fn set(&mut self, changes: &Value) -> Result<(), LoadError> {
        match self.stage {
            TransactionStage::Loaded => self.begin(ChosenTransaction(changes)),
            TransactionStage::Running(_) | TransactionStage::Limited(_) | TransactionStage::Ended(_) => {
                Err(LoadError::new("the transaction of this machine is set before it runs"))
            }
        }
    }

    fn next(&self) -> Option<At<'_>> {
        let bytecode = &self.running()?.interpreter.bytecode;
        let pc = bytecode.pc();
        let stop = || At { pc, op: ETHEREUM.by_code(0), code: 0, operand: &[], state: self };
        // The code is followed by a STOP, which counts as an instruction.
        Some(At::in_bytes(&ETHEREUM, bytecode.bytecode_slice(), pc, self).unwrap_or_else(stop))
    }

    fn describe(&self) -> String {
        match &self.stage {
            TransactionStage::Loaded => "no transaction is set".to_owned(),
            TransactionStage::Running(_) | TransactionStage::Limited(_) => {
                let at = self.next().map_or_else(String::new, |at| format!(" at 0x{:x}", at.pc));
                format!("not ended{at}, frame {}", self.depth)
            }
            TransactionStage::Ended(TransactionEnd {
                outcome: TransactionOutcome::Refused(refusal), ..
            }) => {
                format!("refused: {}", refusal.what)
            }
            TransactionStage::Ended(TransactionEnd {
                outcome: TransactionOutcome::Executed(result), ..
            }) => {
                let end = match result {
                    ExecutionResult::Success { .. } => "success".to_owned(),
                    ExecutionResult::Revert { .. } => "reverted".to_owned(),
                    ExecutionResult::Halt { reason, .. } => format!("halted: {reason}"),
                };
                format!("{end}, {} gas used", result.tx_gas_used())
            }
        }
    }
}
