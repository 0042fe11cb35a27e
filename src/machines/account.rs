//! Accounts for the time and memory of the runner that a case uses. Reaching one of these limits is an error
//! of the case; limits of the machine itself (stack, gas) are state.
//!
//! Time is counted in *units*: a plain instruction is one unit, and an instruction whose cost depends on its
//! operands charges more, in proportion to the time that it takes. No clock is read, so a case reaches the
//! limit at the same instruction on every computer.

use std::hint::black_box;

use super::status::{LimitReached, Status};
use crate::model::Interrupt;
use crate::model::limits::Limits;

/// How many plain instructions a machine executes between checks of the limit and the interrupt. An
/// instruction that charges nothing takes less than 100 ns.
const SLICE: u64 = 1 << 20;

/// Like [`SLICE`], but in units that instructions charge.
const UNITS_BETWEEN_CHECKS: u64 = 1 << 22;

/// How many bytes a byte of observable state can take: itself, one in the compared value, one in the
/// mismatch, and two as hex digits in a report.
pub(crate) const COPIES: u64 = 5;

/// The minimum amount of garbage, in bytes, that is worth a search.
const GARBAGE: u64 = 1 << 22;

/// After the first request, the allocator is asked for the memory of a case in steps of this many bytes.
/// Smaller steps would make glibc's allocator retain more memory, since it adapts its thresholds to the sizes
/// that are freed, up to this size.
const GRANT: u64 = 1 << 25;

/// Why the runner ends a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// More units than [`Limits::steps`].
    Steps,
    /// More watched instructions than [`Limits::watched`].
    Watched,
    /// More bytes than [`Limits::memory`].
    Memory,
    /// More bytes than the system has.
    Allocation,
    /// Not a limit: the run is interrupted.
    Interrupt,
}

/// The account of one case.
#[derive(Debug, Clone)]
pub struct CaseAccount {
    limits: Limits,
    interrupt: Interrupt,
    /// Units of completed slices, plus those that instructions charged.
    units: u64,
    /// The value of `units` at which the limit and the interrupt are checked again.
    next_check: u64,
    /// The plain instructions of the current slice; `left` is how many of them remain.
    slice: u64,
    left: u64,
    /// The plain instructions of completed slices.
    instructions: u64,
    /// How many instructions were watched.
    watched: u64,
    /// Bytes in use, including garbage.
    used: u64,
    /// The value of `used` above which garbage is searched for.
    due: u64,
    /// The value of `used` above which the limit is checked and the allocator is asked.
    granted: u64,
}

impl CaseAccount {
    /// The account of a case that has used nothing.
    pub fn new(limits: &Limits) -> CaseAccount {
        let mut account = CaseAccount {
            limits: limits.clone(),
            interrupt: Interrupt::default(),
            units: 0,
            next_check: 0,
            slice: 0,
            left: 0,
            instructions: 0,
            watched: 0,
            used: 0,
            due: 0,
            granted: 0,
        };
        account.reset();
        account
    }

    /// Makes this interrupt, when requested, end the case.
    pub fn heed(&mut self, interrupt: Interrupt) {
        self.interrupt = interrupt;
    }

    /// Starts another case.
    pub(crate) fn reset(&mut self) {
        (self.units, self.next_check, self.slice, self.left) = (0, 0, 0, 0);
        (self.instructions, self.watched) = (0, 0);
        self.granted = GRANT.min(self.limits.memory);
        self.settle(0);
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The units that the case has used.
    pub fn units(&self) -> u64 {
        self.units + (self.slice - self.left)
    }

    /// How many instructions the case has executed.
    pub fn instructions(&self) -> u64 {
        self.instructions + (self.slice - self.left)
    }

    /// The bytes that the case uses, including garbage.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// How many of the next `wanted` instructions may be executed before the next call of this method. Fails if none
    /// may be executed.
    pub(crate) fn allow(&mut self, wanted: u64) -> Result<u64, Limit> {
        if self.left == 0 {
            self.units += self.slice;
            self.instructions += self.slice;
            self.slice = 0;
            self.check()?;
            self.slice = SLICE.min(self.limits.steps - self.units);
            self.left = self.slice;
        }
        if self.left == 0 { Err(Limit::Steps) } else { Ok(wanted.min(self.left)) }
    }

    /// Counts instructions that [`CaseAccount::allow`] allowed and that were executed.
    pub(crate) fn executed(&mut self, count: u64) {
        self.left -= count;
    }

    /// Counts an instruction that is watched.
    pub(crate) fn watch(&mut self) -> Result<(), Limit> {
        self.watched += 1;
        if self.watched <= self.limits.watched { Ok(()) } else { Err(Limit::Watched) }
    }

    /// Lifts the limit on watched instructions, of a run that is known to end.
    pub(crate) fn watch_without_limit(&mut self) {
        self.limits.watched = u64::MAX;
    }

    /// Charges this number of units for an instruction, in addition to the one unit of every instruction.
    #[inline(always)]
    pub(crate) fn charge(&mut self, units: u64) -> Result<(), Limit> {
        self.units = self.units.saturating_add(units);
        if self.units < self.next_check { Ok(()) } else { self.check() }
    }

    /// Like [`CaseAccount::charge`], for several instructions before they are executed. Returns false and charges
    /// nothing if a check could end the case among them.
    #[inline(always)]
    pub(crate) fn charge_in_advance(&mut self, units: u64) -> bool {
        if units == 0 {
            return true;
        }
        let sum = self.units.saturating_add(units);
        let is_possible = sum < self.next_check;
        if is_possible {
            self.units = sum;
        }
        is_possible
    }

    /// Returns units that were charged in advance but not used.
    #[inline(always)]
    pub(crate) fn return_units(&mut self, units: u64) {
        self.units -= units;
    }

    #[cold]
    #[inline(never)]
    fn check(&mut self) -> Result<(), Limit> {
        if self.interrupt.is_requested() {
            return Err(Limit::Interrupt);
        }
        if self.units > self.limits.steps {
            return Err(Limit::Steps);
        }
        self.next_check = (self.units + UNITS_BETWEEN_CHECKS).min(self.limits.steps.saturating_add(1));
        Ok(())
    }

    /// Counts bytes that the machine is about to use.
    #[inline(always)]
    pub(crate) fn hold(&mut self, bytes: u64) -> Result<(), Limit> {
        self.used = self.used.saturating_add(bytes);
        if self.used <= self.granted { Ok(()) } else { self.grant() }
    }

    /// Asks the allocator before the machine does, since an allocation that fails in the machine aborts the
    /// process.
    #[cold]
    #[inline(never)]
    fn grant(&mut self) -> Result<(), Limit> {
        if self.used > self.limits.memory {
            return Err(Limit::Memory);
        }
        let more = self.used - self.granted + GRANT;
        // A growing buffer may double in size, and it can be as large as everything in use.
        if !is_available(more + self.used) {
            return Err(Limit::Allocation);
        }
        self.granted = (self.used + GRANT).min(self.limits.memory);
        Ok(())
    }

    /// How many bytes a case may use.
    pub(crate) fn room(&self) -> u64 {
        self.limits.memory
    }

    /// Counts bytes that the machine has released, including those that it had from the start.
    pub(crate) fn release(&mut self, bytes: u64) {
        self.used = self.used.saturating_sub(bytes);
    }

    /// Whether so much was held since [`CaseAccount::settle`] that the machine must determine how much is really
    /// in use.
    pub(crate) fn is_due(&self) -> bool {
        self.used > self.due
    }

    /// States that this number of bytes is in use, without garbage.
    pub(crate) fn settle(&mut self, used: u64) {
        self.used = used;
        // Allow less garbage near the limit: garbage alone must not reach it.
        let room = self.limits.memory.saturating_sub(used) / 2;
        self.due = used + used.max(GARBAGE).min(room);
    }

    /// The status of a case that this limit ended.
    pub(crate) fn status(&self, limit: Limit) -> Status {
        let (flag, limit) = match limit {
            Limit::Steps => ("max-steps", self.limits.steps),
            Limit::Watched => ("max-watched", self.limits.watched),
            Limit::Memory => ("max-memory", self.limits.memory),
            Limit::Allocation => return Status::OutOfMemory,
            Limit::Interrupt => return Status::Interrupted,
        };
        Status::Limit(LimitReached { flag, limit })
    }
}

/// Whether this number of bytes can be allocated.
pub fn is_available(bytes: u64) -> bool {
    let mut room = Vec::<u8>::new();
    let reserved = usize::try_from(bytes).is_ok_and(|bytes| room.try_reserve_exact(bytes).is_ok());
    // An allocation that nothing uses may be optimised away.
    black_box(room);
    reserved
}
