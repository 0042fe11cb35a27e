//! The test-driver environment: one machine, the driver, tests another, the testee. The driver issues
//! commands by yielding.

use super::core::{TinyCore, TinyStop, TinyWords};
use crate::machines::account::{CaseAccount, Limit};

/// The default budget of a run; a vector can override it.
pub(super) const BUDGET: u64 = 30_000;

/// The largest number of instructions that a driver can allow the testee at once: 48 bits.
const LIMIT: u64 = (1 << 48) - 1;

/// The words that must follow the results of a driver.
pub(super) const MARKERS: [u16; 2] = [0x650d, 0x4585];

/// The last words of the driver's data: the version and the number of this environment.
const ENVIRONMENT_WORDS: [u16; 2] = [0x0001, 0x0003];

/// A driver, its testee, and the account of their instructions.
#[derive(Clone)]
pub(super) struct TestDriver {
    pub(super) driver: TinyCore,
    pub(super) testee: TinyCore,
    pub(super) budget: u64,
    pub(super) zero_limit: ZeroLimit,
    /// How many instructions each machine has attempted.
    pub(super) driver_count: u64,
    pub(super) testee_count: u64,
    /// How many instructions the testee may execute at once.
    limit: u64,
    turn: DriverTurn,
    pub(super) outcome: Option<DriverOutcome>,
}

/// Which machine runs next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DriverTurn {
    Driver,
    /// The testee, for at most this number of further instructions.
    Testee {
        left: u64,
    },
}

/// The meaning of executing the testee with a limit of 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ZeroLimit {
    /// The end of the run.
    Fatal,
    /// The limit is reached at once.
    Timeout,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "camelCase")]
pub(super) enum DriverOutcome {
    Completed {
        results: Vec<TestResult>,
        /// What is wrong with the report as a whole.
        error: Option<ReportError>,
    },
    IllegalInstruction(u16),
    IllegalYield(u16),
    ZeroLimit,
    Timeout,
    /// The vector's list of random numbers does not match the requests.
    #[strum(serialize = "no random number")]
    NoRandom,
}

/// Why the report of a driver is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum ReportError {
    /// There is no room for the markers after this number of results.
    #[error("at most 65534 tests")]
    TooManyTests,
    /// A wrong word in the place of a marker.
    #[error("marker 0x{expected:04x} expected at 0x{address:04x}, found 0x{found:04x}")]
    Marker { address: u16, expected: u16, found: u16 },
}

/// What a driver reports about one test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "camelCase")]
pub(super) enum TestResult {
    Pass,
    Fail,
    Fatal,
    Skip,
    Invalid,
}

/// What a driver reports about all tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "camelCase")]
pub(super) enum DriverRating {
    DriverError,
    Fatal,
    Fail,
    Pass,
    Skip,
}

impl TestResult {
    fn of_code(code: u16) -> TestResult {
        match code {
            1 => TestResult::Pass,
            2 => TestResult::Fail,
            3 => TestResult::Fatal,
            4 => TestResult::Skip,
            _ => TestResult::Invalid,
        }
    }

    /// Its name in vectors.
    pub(super) fn name(self) -> &'static str {
        self.into()
    }
}

impl DriverRating {
    /// Its name in vectors.
    pub(super) fn name(self) -> &'static str {
        self.into()
    }

    /// The first rating that applies.
    pub(super) fn of(results: &[TestResult], error: Option<ReportError>) -> DriverRating {
        if error.is_some() {
            return DriverRating::DriverError;
        }
        let first_of = [
            (TestResult::Invalid, DriverRating::DriverError),
            (TestResult::Fatal, DriverRating::Fatal),
            (TestResult::Fail, DriverRating::Fail),
            (TestResult::Pass, DriverRating::Pass),
        ];
        let found = first_of.iter().find(|(result, _)| results.contains(result));
        found.map_or(DriverRating::Skip, |(_, rating)| *rating)
    }
}

impl DriverOutcome {
    /// Its name in vectors.
    pub(super) fn name(&self) -> &'static str {
        self.into()
    }
}

impl TestDriver {
    /// Two machines before their first instruction.
    pub(super) fn new(mut driver: TinyCore, testee: TinyCore) -> TestDriver {
        driver.data[0xfffe..].copy_from_slice(&ENVIRONMENT_WORDS);
        TestDriver {
            driver,
            testee,
            budget: BUDGET,
            zero_limit: ZeroLimit::Fatal,
            driver_count: 0,
            testee_count: 0,
            limit: LIMIT,
            turn: DriverTurn::Driver,
            outcome: None,
        }
    }

    /// Whether the testee runs next.
    pub(super) fn is_testing(&self) -> bool {
        matches!(self.turn, DriverTurn::Testee { .. })
    }

    /// Whether the next instruction is the last one that the testee may execute.
    pub(super) fn is_last_of_test(&self) -> bool {
        self.turn == DriverTurn::Testee { left: 1 }
    }

    /// Whether the testee may execute nothing when the driver's next instruction asks it to.
    pub(super) fn is_testee_stopped(&self) -> bool {
        self.limit == 0 || self.left() <= 1
    }

    /// Whether the budget is used up.
    pub(super) fn is_spent(&self) -> bool {
        self.left() == 0
    }

    /// The rest of the budget.
    pub(super) fn left(&self) -> u64 {
        self.budget.saturating_sub(self.driver_count + self.testee_count)
    }

    /// Executes at most this number of instructions, of either machine, until the run is over. Fails if the account
    /// ends the case.
    pub(super) fn run(&mut self, allowed: u64, account: &mut CaseAccount) -> Result<(), Limit> {
        let end = self.attempts().saturating_add(allowed);
        while self.outcome.is_none() && self.attempts() < end {
            let most = self.left().min(end - self.attempts());
            self.outcome = match self.turn {
                _ if self.left() == 0 => Some(DriverOutcome::Timeout),
                DriverTurn::Driver => self.drive(most, account)?,
                DriverTurn::Testee { left } => self.test(left, most, account)?,
            };
        }
        Ok(())
    }

    fn attempts(&self) -> u64 {
        self.driver_count + self.testee_count
    }

    fn drive(&mut self, most: u64, account: &mut CaseAccount) -> Result<Option<DriverOutcome>, Limit> {
        let (attempts, stop) = self.driver.run(most);
        self.driver_count += attempts;
        account.executed(attempts);
        Ok(match stop {
            TinyStop::Yield(command) => {
                account.charge(self.units(command))?;
                self.obey(command)
            }
            TinyStop::Illegal(word) => Some(DriverOutcome::IllegalInstruction(word)),
            TinyStop::Costly(_) | TinyStop::Limit => return charged(stop, account),
            TinyStop::NoRandom => Some(DriverOutcome::NoRandom),
        })
    }

    /// The charge for a command, in units.
    fn units(&self, command: u16) -> u64 {
        const CHANGE_OF_TURN: u64 = 8;
        const CLEAR: u64 = 1500;
        let [.., length] = self.driver.registers[..4] else { return 0 };
        CHANGE_OF_TURN
            + match command {
                4..=6 => u64::from(length),
                7 => CLEAR,
                _ => 0,
            }
    }

    /// Runs the testee, which may execute `left` more instructions before the driver's turn.
    fn test(
        &mut self,
        left: u64,
        most: u64,
        account: &mut CaseAccount,
    ) -> Result<Option<DriverOutcome>, Limit> {
        let (attempts, stop) = self.testee.run(most.min(left));
        self.testee_count += attempts;
        account.executed(attempts);
        let (kind, value) = match stop {
            TinyStop::Yield(value) => (0, value),
            TinyStop::Illegal(word) => (0xffff, word),
            TinyStop::Limit | TinyStop::Costly(_) if attempts < left => {
                self.turn = DriverTurn::Testee { left: left - attempts };
                return charged(stop, account);
            }
            TinyStop::Limit | TinyStop::Costly(_) => (1, 0),
            TinyStop::NoRandom => return Ok(Some(DriverOutcome::NoRandom)),
        };
        self.driver.registers[..2].copy_from_slice(&[kind, value]);
        self.turn = DriverTurn::Driver;
        charged(stop, account)
    }

    fn obey(&mut self, command: u16) -> Option<DriverOutcome> {
        let [_, r1, r2, r3, ..] = self.driver.registers;
        match command {
            1 => return self.execute(),
            2 => return Some(self.results(r1)),
            3 => self.access_registers(r1, r2),
            4..=6 => self.copy(command, r1, r2, r3),
            7 => self.testee.clear(),
            8 => self.limit = u64::from(r1) << 32 | u64::from(r2) << 16 | u64::from(r3),
            9 => self.testee.pc = r1,
            other => return Some(DriverOutcome::IllegalYield(other)),
        }
        None
    }

    /// Command 1.
    fn execute(&mut self) -> Option<DriverOutcome> {
        if self.limit == 0 && self.zero_limit == ZeroLimit::Fatal {
            return Some(DriverOutcome::ZeroLimit);
        }
        let left = self.limit.min(self.left());
        if left == 0 {
            self.driver.registers[..2].copy_from_slice(&[1, 0]);
        } else {
            self.turn = DriverTurn::Testee { left };
        }
        None
    }

    /// Commands 4 to 6. All addresses wrap around.
    fn copy(&mut self, command: u16, to: u16, from: u16, length: u16) {
        let (source, target) = match command {
            4 => (&self.driver.data, &mut self.testee.data),
            5 => (&self.testee.data, &mut self.driver.data),
            _ => (&self.testee.instructions, &mut self.driver.data),
        };
        for index in 0..length {
            target[usize::from(to.wrapping_add(index))] = source[usize::from(from.wrapping_add(index))];
        }
    }

    /// Command 2.
    fn results(&self, count: u16) -> DriverOutcome {
        let data = &self.driver.data;
        let count = usize::from(count);
        let results: Vec<_> = data[..count].iter().map(|code| TestResult::of_code(*code)).collect();
        DriverOutcome::Completed { results, error: report_error(data, count) }
    }

    /// Command 3.
    fn access_registers(&mut self, bitmap: u16, window: u16) {
        for (index, register) in self.testee.registers.iter_mut().enumerate() {
            let place = &mut self.driver.data[usize::from(window.wrapping_add(index as u16))];
            if bitmap >> index & 1 == 1 {
                *register = *place;
            }
            *place = *register;
        }
    }
}

/// Charges the last instruction of a run that continues.
fn charged(stop: TinyStop, account: &mut CaseAccount) -> Result<Option<DriverOutcome>, Limit> {
    if let TinyStop::Costly(units) = stop {
        account.charge(units.into())?;
    }
    Ok(None)
}

/// What is wrong with the markers after this number of results.
fn report_error(data: &TinyWords, count: usize) -> Option<ReportError> {
    let Some(found) = data[count..].first_chunk::<2>() else { return Some(ReportError::TooManyTests) };
    let (index, expected) = (0..).zip(MARKERS).find(|(index, marker)| found[*index] != *marker)?;
    Some(ReportError::Marker { address: (count + index) as u16, expected, found: found[index] })
}
