//! What the states on which a machine differs have in common.
//!
//! Around a state with a difference, other states are made that share about half of it. What nearly all of those have
//! in common that differ in the same way is the cause: cells where members point, such as an instruction, or a single
//! flag, bit or number.

use std::collections::BTreeSet;

use super::fuzz_cause::FuzzCause;
use crate::explain::spectrum::common_state::{
    NumbersBefore, ObservedNumber, SeparatingRule, numbers, observed_with_cells, rule,
};
use crate::machines::MachineInfo;
use crate::model::Program;

/// How many cells a cause names at most.
const MAX_CELLS: usize = 3;

/// The share of differing cases that have what a cause names, in percent.
const SHARED: usize = 90;

/// How many differing cases tell chance from cause.
pub(super) const ENOUGH: usize = 8;

/// Finds what states have in common.
pub(super) struct CauseFinder {
    observed: Vec<ObservedNumber>,
    /// The causes that are rules, which another state may follow: the machine, what differs, and the rule.
    rules: Vec<(String, String, SeparatingRule)>,
}

/// What the states of one difference have in common.
pub(super) struct CommonState {
    /// Cells with their values, by their indices among the observed numbers.
    cells: Vec<(usize, u64)>,
    /// What separates the states that differ from those that have these cells and do not.
    pub(super) rule: Option<SeparatingRule>,
}

impl CommonState {
    fn is_nothing(&self) -> bool {
        self.cells.is_empty() && self.rule.is_none()
    }
}

/// The numbers of states, by whether they differ in the same way.
#[derive(Default)]
pub(super) struct AlikeStates {
    pub(super) failing: Vec<NumbersBefore>,
    pub(super) passing: Vec<NumbersBefore>,
}

impl AlikeStates {
    /// Whether most states differ, whatever their instruction.
    fn mostly_fail(&self) -> bool {
        self.failing.len() >= ENOUGH && self.failing.len() >= self.passing.len()
    }
}

impl CauseFinder {
    pub(super) fn new(machine: &MachineInfo) -> CauseFinder {
        CauseFinder { observed: observed_with_cells(machine), rules: Vec::new() }
    }

    pub(super) fn numbers(&self, program: &Program) -> NumbersBefore {
        numbers(&program.0, &self.observed)
    }

    /// The cell where a member points, with its value, in words; `None` for one with so many values that each state has
    /// another.
    pub(super) fn cell_at(&self, program: &Program, pointer: &str) -> Option<String> {
        const MAX_BITS: u32 = 16;
        let numbers = self.numbers(program);
        let is_it =
            |number: &ObservedNumber| number.offset_from(pointer) == Some(0) && number.bits() <= MAX_BITS;
        let (index, number) = self.observed.iter().enumerate().find(|(_, number)| is_it(number))?;
        Some(format!("{} {:?}", number.name, numbers[index]))
    }

    /// The cells from where a member points to the last one that is not 0, at least one. In a state that was made
    /// small, they are an instruction.
    fn cells_from(&self, program: &Program, pointer: &str) -> Vec<(usize, u64)> {
        let numbers = self.numbers(program);
        let is_of = |number: &ObservedNumber| number.offset_from(pointer).is_some();
        let all = self.observed.iter().enumerate().filter(|(_, number)| is_of(number));
        let cells: Vec<_> = all.filter_map(|(index, _)| Some((index, numbers[index]?))).collect();
        let last = cells.iter().rposition(|cell| cell.1 != 0).unwrap_or(0);
        cells.into_iter().take(last + 1).collect()
    }

    /// What a state that differs has in common with its neighbours that differ, and not with the others.
    pub(super) fn common(&self, state: &NumbersBefore, neighbours: &AlikeStates) -> CommonState {
        let mut failing: Vec<&NumbersBefore> = neighbours.failing.iter().collect();
        let mut passing: Vec<&NumbersBefore> = neighbours.passing.iter().collect();
        let mut cells: Vec<(usize, u64)> = Vec::new();
        // With few cases, each further cell is more likely to be shared by chance, and so is each further member.
        let most = if failing.len() >= ENOUGH && self.has_cells() { MAX_CELLS } else { 1 };
        while cells.len() < most
            && let Some(cell) = self.most_telling(state, &cells, &failing, &passing)
        {
            for cases in [&mut failing, &mut passing] {
                cases.retain(|numbers| has(numbers, cell));
            }
            cells.push(cell);
        }
        cells.sort_unstable();
        let rule = rule(&self.observed, &failing, &passing).filter(|rule| rule.holds(state));
        // A machine without memory has no instruction to name instead, and a cause without cells would explain
        // everything.
        if !self.has_cells() && cells.is_empty() && rule.is_none() && !neighbours.mostly_fail() {
            cells.extend(self.most_frequent(state, neighbours));
        }
        CommonState { cells, rule }
    }

    /// The number of a state that failing cases have more often than passing ones, compared with the others.
    fn most_frequent(&self, state: &NumbersBefore, neighbours: &AlikeStates) -> Option<(usize, u64)> {
        let percent = |cases: &[NumbersBefore], cell| {
            let count = cases.iter().filter(|it| has(it, cell)).count();
            i64::try_from(100 * count / cases.len().max(1)).unwrap_or_default()
        };
        let difference = |cell| percent(&neighbours.failing, cell) - percent(&neighbours.passing, cell);
        self.cells(state).max_by_key(|cell| (difference(*cell), std::cmp::Reverse(cell.0)))
    }

    /// The cell of a state that nearly all failing cases have and the fewest passing ones.
    fn most_telling(
        &self,
        state: &NumbersBefore,
        known: &[(usize, u64)],
        failing: &[&NumbersBefore],
        passing: &[&NumbersBefore],
    ) -> Option<(usize, u64)> {
        let count = |cases: &[&NumbersBefore], cell| cases.iter().filter(|it| has(it, cell)).count();
        let cells = self.cells(state).filter(|cell| !known.contains(cell));
        let shared = cells.filter(|cell| 100 * count(failing, *cell) >= SHARED * failing.len().max(1));
        // A neighbour keeps each member with a chance of one half, so that one with many values is rare among the
        // others whether it matters or not: the member that most failing cases share comes first.
        let missing = |cell| if self.has_cells() { 0 } else { failing.len() - count(failing, cell) };
        let telling = shared.map(|cell| (missing(cell), count(passing, cell), cell));
        let (_, left, cell) = telling.min()?;
        // One that most passing cases have as well says little.
        (4 * left <= 3 * passing.len() && !passing.is_empty()).then_some(cell)
    }

    /// Whether members point to cells of a memory.
    fn has_cells(&self) -> bool {
        self.observed.iter().any(ObservedNumber::is_cell)
    }

    /// The cells where members point; of a machine without memory, the members themselves.
    fn cells(&self, state: &NumbersBefore) -> impl Iterator<Item = (usize, u64)> {
        let (cells, has_cells) = (self.observed.iter().zip(&**state).enumerate(), self.has_cells());
        cells
            .filter(move |(_, (number, _))| number.is_cell() || !has_cells)
            .filter_map(|(index, (_, value))| Some((index, (*value)?)))
    }

    fn shown(&self, (index, value): (usize, u64)) -> String {
        let number = &self.observed[index];
        format!("{} {}", number.name, number.shown(value))
    }

    /// The cause of a difference in `what`, in words. It is remembered if it is a rule.
    pub(super) fn cause(&mut self, vm: &str, what: &str, common: &CommonState) -> FuzzCause {
        let cells: Vec<_> = common.cells.iter().map(|cell| self.shown(*cell)).collect();
        let shared = match &common.rule {
            Some(rule) if cells.is_empty() => {
                self.rules.push((vm.to_owned(), what.to_owned(), rule.clone()));
                rule.condition.what.clone()
            }
            _ => cells.join(AND),
        };
        let what = if shared.is_empty() { what.to_owned() } else { [what, WITH, &shared].concat() };
        FuzzCause { vm: vm.to_owned(), what }
    }

    /// Whether a known cause explains a difference in `what` of a state.
    pub(super) fn is_known(
        &self,
        known: &BTreeSet<FuzzCause>,
        (vm, what): (&str, &str),
        state: &NumbersBefore,
    ) -> bool {
        let cells: Vec<_> = self.cells(state).map(|cell| self.shown(cell)).collect();
        let has_all = |shared: &str| shared.split(AND).all(|cell| cells.iter().any(|own| own == cell));
        let explains = |cause: &FuzzCause| {
            let shared = cause.what.strip_prefix(what).filter(|_| cause.vm == vm);
            shared.is_some_and(|it| it.is_empty() || it.strip_prefix(WITH).is_some_and(has_all))
        };
        let is_rule = |(of, field, rule): &(String, String, SeparatingRule)| {
            of == vm && field == what && rule.holds(state)
        };
        known.iter().any(explains) || self.rules.iter().any(is_rule)
    }

    /// What a difference is about whose neighbours have nothing in common: the instruction of the small state, unless
    /// most states differ. As a cause without any cells it would explain all later differences in the same field.
    pub(super) fn or_instruction(
        &self,
        common: CommonState,
        neighbours: &AlikeStates,
        (small, pointer): (&Program, Option<&str>),
    ) -> CommonState {
        match pointer.filter(|_| common.is_nothing() && !neighbours.mostly_fail()) {
            Some(pointer) => CommonState { cells: self.cells_from(small, pointer), rule: None },
            None => common,
        }
    }

    /// Whether a state has the cells that are in common.
    pub(super) fn follows(&self, common: &CommonState, program: &Program) -> bool {
        let numbers = self.numbers(program);
        let is_followed = || common.rule.as_ref().is_none_or(|rule| rule.holds(&numbers));
        common.cells.iter().all(|cell| has(&numbers, *cell)) && is_followed()
    }
}

/// Between what differs and what differing cases have in common.
const WITH: &str = " with ";

/// Between several things in common.
const AND: &str = " and ";

fn has(numbers: &NumbersBefore, (index, value): (usize, u64)) -> bool {
    numbers[index] == Some(value)
}
