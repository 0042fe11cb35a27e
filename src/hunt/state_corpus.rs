//! Makes a corpus of a family: states on whose ends machines agree, the same number for each value of a number.

use std::fmt;
use std::str::FromStr;

pub use super::state_runs::state_machines;
use super::state_runs::{CannotRun, EndGroups, StateEnd, StateRuns, shown};
use super::states::{CellAtPointer, GeneratedState, StateGenerator};
use crate::formats::NotRepresentable;
use crate::formats::family::{FamilyWriter, NewFamilyCase};
use crate::model::{DeclaredField, FieldType};
use crate::prove::numbers::Numbers;
use crate::run::fill::FillOutcome;
use crate::run::{FamilyMachine, NamedTestee};
use crate::text::number::natural;
use crate::text::suggest::did_you_mean;

/// The maximum number of values for which cases are made.
const MAX_VALUES: usize = 1 << 16;

/// How many states are run at a time.
const BATCH: u64 = 64;

/// How many times as many states as cases are tried, since machines may not agree.
const TRIES: u64 = 4;

/// How many disagreements of a file are kept.
const MAX_DISAGREEMENTS: usize = 3;

/// A number of the state, and for which of its values cases are made: `a`, `ram[pc]`, `ram[pc+1]=0x00-0x3f,0x76`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EachValue {
    member: String,
    /// The member that points to the cell, and how many cells after that it lies.
    cell: Option<(String, u64)>,
    /// Ranges of values; none for all.
    ranges: Vec<(u64, u64)>,
}

impl FromStr for EachValue {
    type Err = String;

    fn from_str(text: &str) -> Result<EachValue, String> {
        let wrong = || {
            "expected FIELD, MEMORY[FIELD] or MEMORY[FIELD+N], and =0x00-0x3f,0x76 for some values".to_owned()
        };
        let (number, values) =
            text.split_once('=').map_or((text, None), |(number, values)| (number, Some(values)));
        let (member, cell) = match number.split_once('[') {
            None => (number, None),
            Some((member, rest)) => {
                let pointer = rest.strip_suffix(']').ok_or_else(wrong)?;
                let (pointer, offset) = pointer.split_once('+').unwrap_or((pointer, "0"));
                let offset =
                    natural(offset).and_then(|offset| u64::try_from(offset).ok()).ok_or_else(wrong)?;
                (member, Some((pointer.to_owned(), offset)))
            }
        };
        if member.is_empty() {
            return Err(wrong());
        }
        let ranges = values.map_or_else(|| Some(Vec::new()), ranges).ok_or_else(wrong)?;
        Ok(EachValue { member: member.to_owned(), cell, ranges })
    }
}

fn ranges(text: &str) -> Option<Vec<(u64, u64)>> {
    let number = |text: &str| u64::try_from(natural(text.trim())?).ok();
    let range = |text: &str| {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        Some((number(first)?, number(last)?)).filter(|(first, last)| first <= last)
    };
    text.split(',').map(range).collect()
}

/// As it is typed, without values.
impl fmt::Display for EachValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.member)?;
        match &self.cell {
            None => Ok(()),
            Some((pointer, 0)) => write!(f, "[{pointer}]"),
            Some((pointer, offset)) => write!(f, "[{pointer}+{offset}]"),
        }
    }
}

/// What corpus to make.
#[derive(Debug, Clone)]
pub struct CorpusOptions {
    /// Decides the states.
    pub seed: u64,
    /// How many cases to make, for each value if there are several.
    pub cases: u64,
    /// The number with a file of cases for each of its values; `None` for one file.
    pub each: Option<EachValue>,
    /// How many machines must agree.
    pub agree: usize,
    /// How many states run at the same time. The corpus is the same for any number.
    pub jobs: usize,
}

/// The cases of one value.
#[derive(Debug, Default)]
pub struct CorpusPart {
    /// The value in digits, as in names of files and cases; the name of the machine if there is one part.
    pub name: String,
    /// The files with their names, without an ending.
    pub files: Vec<(String, String)>,
    /// The number of cases.
    pub cases: u64,
    /// How many states were left out since not enough machines agree.
    pub left_out: u64,
    /// The first of these states.
    pub disagreements: Vec<CorpusDisagreement>,
}

/// A state on whose end not enough machines agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorpusDisagreement {
    /// The number of the state among those of its part, from 0.
    pub state: u64,
    /// Whether machines that ran it differ, or too few ran it.
    pub outcome: FillOutcome,
    /// The machines that did the same, and what.
    pub groups: Vec<(Vec<String>, String)>,
}

/// Why there is no corpus.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoCorpus {
    /// A machine cannot run the states.
    #[error(transparent)]
    CannotRun(#[from] CannotRun),
    /// There is no such number.
    #[error("--each {0}")]
    Each(String),
    /// The format of the family has no place for a case.
    #[error("the format has no place for a case: {0}")]
    NotWritten(String),
}

/// Makes the parts of a corpus, one after the other, in ascending order of the values.
pub struct StateCorpus<'m> {
    runs: StateRuns<'m>,
    writer: FamilyWriter<'static>,
    generator: StateGenerator,
    options: CorpusOptions,
    machine: &'static str,
    chosen: Option<ChosenNumber>,
    is_checked: bool,
}

/// The number that has one value in each part.
struct ChosenNumber {
    target: ChosenPlace,
    /// The number of hex digits of its values.
    digits: usize,
    values: Vec<u64>,
}

#[derive(Clone, Copy)]
enum ChosenPlace {
    Member(usize),
    Cell(CellAtPointer),
}

impl<'m> StateCorpus<'m> {
    /// Prepares a corpus. Fails if the machines cannot run states of the family, or there is no such number.
    pub fn new(
        family: FamilyMachine,
        machines: &'m [NamedTestee],
        options: CorpusOptions,
    ) -> Result<StateCorpus<'m>, NoCorpus> {
        let writer = family.family.writer(None);
        let runs = StateRuns::new(family, writer, machines, options.jobs)?;
        let generator = StateGenerator::new(runs.given(writer), writer.constants());
        let chosen = options.each.as_ref().map(|each| chosen(each, generator.fields()));
        let chosen = chosen.transpose().map_err(NoCorpus::Each)?;
        let machine = family.family.machine;
        Ok(StateCorpus { runs, writer, generator, options, machine, chosen, is_checked: false })
    }

    /// The fields that vectors can demand and these do not, since some machine does not report them.
    pub fn not_compared(&self) -> Vec<&'static str> {
        self.runs.left_out(self.writer)
    }

    /// The number of parts.
    pub fn parts(&self) -> usize {
        self.chosen.as_ref().map_or(1, |chosen| chosen.values.len())
    }

    /// Makes a part, by its number below [`StateCorpus::parts`]. Fails if a machine runs none of the states, or the
    /// format has no place for a case.
    pub fn part(&mut self, number: usize) -> Result<CorpusPart, NoCorpus> {
        let value = self.chosen.as_ref().map(|chosen| (chosen.target, chosen.values[number]));
        let digits = self.chosen.as_ref().map_or(0, |chosen| chosen.digits);
        let name = value.map_or_else(|| self.machine.to_owned(), |(_, value)| format!("{value:0digits$x}"));
        let mut part = CorpusPart { name, ..CorpusPart::default() };
        let mut cases = Vec::new();
        let mut start = 0;
        let most = self.options.cases.saturating_mul(TRIES);
        while part.cases < self.options.cases && start < most {
            let end = start + BATCH.min(self.options.cases - part.cases).min(most - start);
            for new in self.ran(value, start..end, &mut part)? {
                part.cases += 1;
                let name = format!("{} {}", part.name, part.cases);
                cases.push(NewFamilyCase { name, ..new });
            }
            start = end;
        }
        part.files = self.files(&part.name, &cases).map_err(|why| NoCorpus::NotWritten(why.to_string()))?;
        Ok(part)
    }

    /// The cases of the states with these numbers on which enough machines agree.
    fn ran(
        &mut self,
        value: Option<(ChosenPlace, u64)>,
        numbers: std::ops::Range<u64>,
        part: &mut CorpusPart,
    ) -> Result<Vec<NewFamilyCase>, NoCorpus> {
        // The cases of a value do not depend on which other values there are.
        let seed = Numbers::of_case(self.options.seed, value.map_or(0, |(_, value)| value)).bits();
        let states: Vec<_> = numbers.clone().map(|number| self.state(seed, number, value)).collect();
        let programs: Vec<_> = states.iter().map(|state| self.generator.program(state)).collect();
        let all: Vec<_> = (0..self.runs.machines.len()).collect();
        let ends = self.runs.run(&programs, &all);
        if !std::mem::replace(&mut self.is_checked, true) {
            self.runs.check(&ends)?;
        }
        let mut agreed = Vec::new();
        for ((number, state), ends) in numbers.zip(states).zip(ends) {
            let groups = EndGroups::of(&ends);
            let count = |index: usize| groups.alike.get(index).map_or(0, Vec::len);
            if count(0) < self.options.agree || count(0) == count(1) {
                part.left_out += 1;
                if part.disagreements.len() < MAX_DISAGREEMENTS {
                    part.disagreements.push(self.disagreement(number, &groups, &ends));
                }
                continue;
            }
            let StateEnd::State(end) = &ends[groups.alike[0][0]] else { continue };
            let given = self.generator.given(&state);
            let demanded = self.runs.demanded(&given, end);
            let filled_by = groups.alike[0].iter().map(|index| self.runs.machines[*index].name.clone());
            let (name, filled_by) = (String::new(), filled_by.collect());
            agreed.push(NewFamilyCase { name, given, demanded, filled_by });
        }
        Ok(agreed)
    }

    fn state(&self, seed: u64, number: u64, value: Option<(ChosenPlace, u64)>) -> GeneratedState {
        let mut numbers = Numbers::of_case(seed, number);
        let mut state = self.generator.next(&mut numbers);
        match value {
            Some((ChosenPlace::Member(index), value)) => {
                self.generator.set_number(&mut state, index, value);
                // The member may point to other cells now.
                self.generator.list_cells(&mut state, &mut numbers);
            }
            Some((ChosenPlace::Cell(cell), value)) => self.generator.set_cell(&mut state, cell, value),
            None => {}
        }
        state
    }

    fn files(&self, name: &str, cases: &[NewFamilyCase]) -> Result<Vec<(String, String)>, NotRepresentable> {
        if !self.writer.is_single() && !cases.is_empty() {
            return Ok(vec![(name.to_owned(), self.writer.text(cases)?)]);
        }
        let file = |(index, case): (usize, &NewFamilyCase)| {
            Ok((format!("{name}/{}", index + 1), self.writer.text(std::slice::from_ref(case))?))
        };
        cases.iter().enumerate().map(file).collect()
    }

    /// What the machines did: of those that ended, the first field that is not the same for all.
    fn disagreement(&self, state: u64, groups: &EndGroups, ends: &[StateEnd]) -> CorpusDisagreement {
        let name = |index: &usize| self.runs.machines[*index].name.clone();
        let reached = |group: &Vec<usize>| match &ends[group[0]] {
            StateEnd::State(values) => values.clone(),
            StateEnd::Broke(_) | StateEnd::Refused(_) => Vec::new(),
        };
        let all: Vec<_> = groups.alike.iter().map(reached).collect();
        let differs = |index: &usize| all.iter().any(|values| values[*index] != all[0][*index]);
        let first = (0..self.runs.fields.len()).find(|index| !all.is_empty() && differs(index));
        let line = |values: &Vec<_>| {
            let field = first.map(|index| (self.runs.fields[index], &values[index]));
            field
                .map_or_else(String::new, |(field, value)| format!("{}: {}", field.name, shown(field, value)))
        };
        let alike = groups.alike.iter().zip(&all);
        let alike = alike.map(|(group, values)| (group.iter().map(name).collect(), line(values)));
        let others = groups.broke.iter().chain(&groups.refused);
        let others = others.map(|index| {
            let why = match &ends[*index] {
                StateEnd::Broke(broke) => broke.what(),
                StateEnd::Refused(why) => why.clone(),
                StateEnd::State(_) => String::new(),
            };
            (vec![name(index)], why)
        });
        let is_alike = groups.alike.len() < 2;
        let outcome = if is_alike { FillOutcome::TooFewMachines } else { FillOutcome::Disagreement };
        CorpusDisagreement { state, outcome, groups: alike.chain(others).collect() }
    }
}

/// The number that is meant, with its values.
fn chosen(each: &EachValue, fields: &[&'static DeclaredField]) -> Result<ChosenNumber, String> {
    let (target, bits) = place_of(each, fields)?;
    Ok(ChosenNumber { target, digits: bits.div_ceil(4) as usize, values: values_of(each, bits)? })
}

/// Where the number is, and how many bits it has.
fn place_of(each: &EachValue, fields: &[&'static DeclaredField]) -> Result<(ChosenPlace, u32), String> {
    let index = |name: &str| {
        fields.iter().position(|field| *field.name == *name).ok_or_else(|| {
            let near = did_you_mean(name, fields.iter().map(|field| &*field.name));
            format!("{each}: states have no member {name:?}{near}")
        })
    };
    let member = index(&each.member)?;
    let of = &fields[member].field_type;
    match (&each.cell, of) {
        (None, FieldType::Unsigned(bits)) => Ok((ChosenPlace::Member(member), *bits)),
        (None, FieldType::Bool) => Ok((ChosenPlace::Member(member), 1)),
        (Some((pointer, offset)), FieldType::Memory(memory)) => {
            let FieldType::Unsigned(bits) = *memory.cell else {
                return Err(format!("{each}: the cells of {} have signs", each.member));
            };
            let pointer = index(pointer)?;
            let FieldType::Unsigned(_) = fields[pointer].field_type else {
                return Err(format!("{each}: {} is not an address", fields[pointer].name));
            };
            Ok((ChosenPlace::Cell(CellAtPointer { memory: member, pointer, offset: *offset }), bits))
        }
        (None, _) => Err(format!(
            "{each}: {} is {}, not a number; MEMORY[FIELD] names a cell",
            each.member,
            of.notation()
        )),
        (Some(_), _) => Err(format!("{each}: {} is {}, not a memory", each.member, of.notation())),
    }
}

/// The values of a number with this many bits, ascending.
fn values_of(each: &EachValue, bits: u32) -> Result<Vec<u64>, String> {
    let largest = 1_u64.checked_shl(bits).map_or(u64::MAX, |count| count - 1);
    let all = [(0, largest)];
    let ranges = if each.ranges.is_empty() { &all[..] } else { &each.ranges };
    if let Some((_, last)) = ranges.iter().find(|(_, last)| *last > largest) {
        return Err(format!("{each}: {last:#x} does not fit {bits} bits"));
    }
    let mut values = Vec::new();
    for (first, last) in ranges {
        if last - first >= (MAX_VALUES - values.len()) as u64 {
            return Err(format!("{each}: more than {MAX_VALUES} values; name some of them after ="));
        }
        values.extend(*first..=*last);
    }
    values.sort_unstable();
    values.dedup();
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_number_are_read() {
        let each: EachValue = "ram[pc+1]=0x00-0x02,7".parse().expect("a cell");
        assert_eq!(each.to_string(), "ram[pc+1]");
        assert_eq!(each.ranges, [(0, 2), (7, 7)]);
        for wrong in ["", "ram[pc", "a=", "a=3-2", "a=x", "[pc]", "ram[pc+x]", "a=0x+5", "a=+5", "a=0x1_0"] {
            assert!(wrong.parse::<EachValue>().is_err(), "{wrong}");
        }
    }
}
