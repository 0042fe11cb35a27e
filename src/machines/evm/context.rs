//! What a program can change in addition to its stack, and what it can query.

use super::call::RecordedCall;
use super::environment::EvmEnvironment;
use super::frame::{EvmStop, Halt, StepCount, Word};
use super::log::Log;
use super::memory::EvmMemory;
use super::storage::Storage;
use super::world::{self, EvmWorld};
use crate::machines::account::{COPIES, CaseAccount};
use crate::model::limits::Limits;

/// The state that the program changes in addition to its stack, and the environment that it can query.
#[derive(Clone)]
pub(super) struct EvmContext {
    pub(super) environment: EvmEnvironment,
    pub(super) world: EvmWorld,
    /// Storage of the executing account, which is kept here rather than in the world while it runs.
    pub(super) storage: Storage,
    pub(super) memory: EvmMemory,
    pub(super) output: Vec<u8>,
    pub(super) logs: Vec<Log>,
    pub(super) calls: Vec<RecordedCall>,
    pub(super) refund: u64,
    /// Gas that calls were charged and gave back, including stipends.
    pub(super) given_back: u64,
    pub(super) count: StepCount,
    pub(super) account: CaseAccount,
    /// How much gas an instruction needed that ran out of it, if that is not the price in its row.
    pub(super) needed: Option<u64>,
}

impl EvmContext {
    /// The context before any program.
    pub(super) fn new(limits: &Limits) -> EvmContext {
        EvmContext {
            environment: EvmEnvironment::default(),
            world: EvmWorld::default(),
            storage: Storage::new(),
            memory: EvmMemory::default(),
            output: Vec::new(),
            logs: Vec::new(),
            calls: Vec::new(),
            refund: 0,
            given_back: 0,
            count: StepCount::default(),
            account: CaseAccount::new(limits),
            needed: None,
        }
    }

    /// Counts an observable entry: `entry` bytes with its copies, plus `bytes` of data.
    pub(super) fn keep(&mut self, entry: u64, bytes: usize) -> Result<(), EvmStop> {
        Ok(self.account.hold(entry + COPIES * bytes as u64)?)
    }

    /// The account at an address; reading it creates it.
    pub(super) fn touch(&mut self, address: Word) -> Result<&mut world::EvmAccount, EvmStop> {
        if !self.world.contains(address) {
            self.keep(world::ENTRY, 0)?;
        }
        Ok(self.world.touch(address))
    }

    /// Grows memory to `size` bytes, the new ones zero. The gas has been paid.
    pub(super) fn grow_memory(&mut self, size: usize) -> Result<(), EvmStop> {
        self.account.hold((size - self.memory.size()) as u64)?;
        self.memory.grow(size);
        Ok(())
    }

    /// Discards the state of the last run.
    pub(super) fn reset(&mut self) {
        self.memory.reset();
        self.output.clear();
        self.logs.clear();
        self.calls.clear();
        self.refund = 0;
        self.given_back = 0;
        self.count = StepCount::default();
        self.account.reset();
        self.needed = None;
    }

    /// The halt of an instruction that needs more gas than there is.
    #[cold]
    pub(super) fn lacks(&mut self, needed: u64) -> EvmStop {
        self.needed = Some(needed);
        EvmStop::Halted(Halt::OutOfGas)
    }
}
