//! What a program can change in addition to its stack, and what it can query.

use super::stop::{EvmStop, Halt};
use super::word::Word;
use super::world::{self, EvmWorld, Storage};
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

/// The call and the block that a program runs in.
#[derive(Debug, Clone, Default)]
pub(super) struct EvmEnvironment {
    pub(super) address: Word,
    pub(super) caller: Word,
    pub(super) origin: Word,
    pub(super) value: Word,
    pub(super) gas_price: Word,
    pub(super) data: Vec<u8>,
    pub(super) coinbase: Word,
    pub(super) difficulty: Word,
    pub(super) gas_limit: Word,
    pub(super) number: Word,
    pub(super) timestamp: Word,
    /// Whether a recorded call or creation reduces the executing account's balance by its value, as in
    /// vectors with decimal numbers.
    pub(super) debit: bool,
}

/// Memory. The bytes beyond its size are already zero, so growing costs nothing until the new bytes are written.
#[derive(Debug, Default)]
pub(super) struct EvmMemory {
    bytes: Vec<u8>,
    size: usize,
    /// The offset from which on nothing was ever written.
    clean: usize,
}

impl EvmMemory {
    /// Size in bytes, a multiple of 32.
    #[inline(always)]
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The whole memory.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.size]
    }

    /// Grows it to `size` bytes.
    pub(super) fn grow(&mut self, size: usize) {
        if size > self.bytes.len() {
            // The system provides zeroed pages without touching them; a resize would write each byte.
            let mut bytes = vec![0; size.max(2 * self.bytes.len())];
            bytes[..self.clean].copy_from_slice(&self.bytes[..self.clean]);
            self.bytes = bytes;
        }
        self.size = size;
    }

    /// Empties it. The allocation is kept unless much of it was written.
    pub(super) fn reset(&mut self) {
        const KEPT: usize = 1 << 20;
        if self.clean > KEPT {
            self.bytes = Vec::new();
        } else {
            self.bytes[..self.clean].fill(0);
        }
        self.size = 0;
        self.clean = 0;
    }
}

/// A copy has no room for what the programs before this one needed: that can be a million times as much.
impl Clone for EvmMemory {
    fn clone(&self) -> EvmMemory {
        let (size, clean) = (self.size, self.clean.min(self.size));
        let mut bytes = vec![0; size];
        bytes[..clean].copy_from_slice(&self.bytes[..clean]);
        EvmMemory { bytes, size, clean }
    }
}

impl std::ops::Index<std::ops::Range<usize>> for EvmMemory {
    type Output = [u8];

    #[inline(always)]
    fn index(&self, range: std::ops::Range<usize>) -> &[u8] {
        &self.bytes[range]
    }
}

impl std::ops::IndexMut<std::ops::Range<usize>> for EvmMemory {
    #[inline(always)]
    fn index_mut(&mut self, range: std::ops::Range<usize>) -> &mut [u8] {
        self.clean = self.clean.max(range.end);
        &mut self.bytes[range]
    }
}

/// One log entry. The address is always that of the executing account.
#[derive(Debug, Clone)]
pub(super) struct Log {
    /// In the order popped.
    pub(super) topics: Vec<Word>,
    pub(super) data: Vec<u8>,
}

/// A call or creation, as listed under `callcreates` in vectors.
#[derive(Debug, Clone)]
pub(super) struct RecordedCall {
    /// `None` for a creation.
    pub(super) destination: Option<Word>,
    pub(super) gas_limit: u64,
    pub(super) value: Word,
    pub(super) data: Vec<u8>,
}

/// How many instructions were executed. They are not counted one by one: their number is how far the program
/// counter moved, minus the data of PUSH, so only PUSH and jumps have to adjust it. All sums wrap around.
#[derive(Debug, Clone, Default)]
pub(super) struct StepCount {
    /// The number of executed instructions minus the program counter.
    pub(super) lack: usize,
    /// From this number of instructions on, the next jump leaves the loop.
    pub(super) fence: usize,
}

impl StepCount {
    /// The number of instructions before the one at `pc`.
    #[inline(always)]
    pub(super) fn at(&self, pc: usize) -> usize {
        pc.wrapping_add(self.lack)
    }

    /// Accounts for `length` bytes that are skipped and are not instructions.
    #[inline(always)]
    pub(super) fn pass(&mut self, length: usize) {
        self.lack = self.lack.wrapping_sub(length);
    }

    /// Accounts for continuing at `to` instead of `from`. Returns whether the fence is reached.
    #[inline(always)]
    pub(super) fn jump(&mut self, from: usize, to: usize) -> bool {
        let count = self.at(from);
        self.lack = count.wrapping_sub(to);
        count >= self.fence
    }
}
