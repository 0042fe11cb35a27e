//! Makes the table of states that explains a failure on a machine of a family.

use std::collections::{BTreeMap, HashSet};

use num_bigint::BigInt;

use crate::machines::MachineInfo;
use crate::machines::observe::Observe;
use crate::model::{
    Assertion, Case, CaseDifference, DeclaredField, Expected, FieldType, MemoryType, MemoryWindow, Name,
    NumberDisplay, Path, PathKey, Shape, StateRow, StateTable, Step, UnlistedCells, Value,
};
use crate::text::typed::{address_key, address_of_key};

/// The longest value that fits a column, in characters; longer ones are shown each in a block of its own.
const MAX_VALUE: usize = 20;

/// The most items of a list that are rows.
const MAX_ITEMS: usize = 10;

/// The most parts of a field that do not differ that are looked at.
const MAX_LOOKED_AT: usize = 100;

/// The cells that a window shows.
const WINDOW: u64 = 8;

pub(super) struct FailedStep<'c> {
    pub(super) case: &'c Case,
    /// The number of the step, from 0.
    pub(super) index: usize,
    pub(super) differences: &'c [CaseDifference],
}

/// The table of a failed step; `None` if no declaration describes the machine.
pub(super) fn state_table(
    info: &MachineInfo,
    failed: &FailedStep<'_>,
    state: &dyn Observe,
) -> Option<StateTable> {
    let declared = info.fields.iter().filter_map(|field| match field.shape {
        Shape::Declared(declared) => Some(declared),
        _ => None,
    });
    let mut table = StateTable { step: failed.differences.first()?.step, ..StateTable::default() };
    let mut is_declared = false;
    for field in declared {
        is_declared = true;
        match &field.field_type {
            FieldType::Memory(memory) => table.memories.extend(failed.window(field, memory, state)),
            _ => table.rows.extend(failed.rows(field, state)),
        }
    }
    is_declared.then_some(table)
}

impl FailedStep<'_> {
    fn step(&self) -> &Step {
        &self.case.steps[self.index]
    }

    /// What was there before the step: what the case gives, or what an earlier step demands.
    fn before(&self, at: &Path) -> Option<&Value> {
        let mut steps = self.case.steps[..self.index].iter().rev();
        let demanded = steps.find_map(|step| demanded(step, at)?.value());
        demanded.or_else(|| value_at(&self.case.program.0, at))
    }

    fn difference(&self, at: &Path) -> Option<&CaseDifference> {
        self.differences.iter().find(|difference| difference.at == *at)
    }

    /// The rows of a field: its own, or those of its parts that differ or that the case changes.
    fn rows(&self, field: &DeclaredField, state: &dyn Observe) -> Vec<StateRow> {
        let at = Path::field(field.name.clone());
        if field.field_type.is_scalar() {
            let actual = state.observed(&field.name);
            let row = self.row(at, &field.field_type, field.options.display, actual.as_deref());
            return row.into_iter().collect();
        }
        let is_part = |difference: &&CaseDifference| {
            difference.at.parent().is_some() && difference.at.first() == at.first()
        };
        let row = |at: &Path, actual: Option<&Value>| {
            let part = field.field_type.at(&at.keys()[1..])?;
            part.is_scalar().then(|| self.row(at.clone(), part, field.options.display, actual))?
        };
        let differing = self.differences.iter().filter(is_part).take(MAX_ITEMS);
        let mut rows: Vec<_> = differing.filter_map(|it| row(&it.at, it.actual.as_ref())).collect();
        let state = state.observed(&field.name);
        let known: HashSet<&Path> = self.differences.iter().map(|it| &it.at).collect();
        let is_other = |it: &&Path| it.parent().is_some() && it.first() == at.first() && !known.contains(*it);
        let others = self.step().demands().map(|demand| &demand.at).filter(is_other).take(MAX_LOOKED_AT);
        let changed = others.filter_map(|at| {
            let keys = at.keys();
            let actual = keys[1..].iter().try_fold(state.as_deref()?, |value, key| value.child(key));
            row(at, actual)
        });
        let room = MAX_ITEMS.saturating_sub(rows.len());
        rows.extend(changed.take(room));
        rows
    }

    /// The row of a datum, if it differs or the case changes it, and its values fit.
    fn row(
        &self,
        at: Path,
        field_type: &FieldType,
        display: NumberDisplay,
        actual: Option<&Value>,
    ) -> Option<StateRow> {
        let shown = |value: &Value| shown(value, field_type, display);
        let (before, demanded) = (self.before(&at), demanded(self.step(), &at));
        let expected = demanded.and_then(Expected::value);
        let differs = self.difference(&at).is_some();
        // What is ignored and wrong is neither a difference nor what the case does.
        let is = |value: Option<&Value>| demanded.zip(value).map(|(demanded, value)| demanded.is(value));
        let is_changed = is(before) == Some(false) && is(actual) == Some(true);
        if !(differs && expected.is_some() || is_changed) {
            return None;
        }
        let row = StateRow {
            before: before.map(shown),
            expected: expected.map(shown),
            actual: actual.map(shown),
            differs,
            at,
        };
        let fits =
            |value: &Option<String>| value.as_ref().is_none_or(|value| value.chars().count() <= MAX_VALUE);
        let fit = [&row.before, &row.expected, &row.actual].into_iter().all(fits);
        fit.then_some(row)
    }

    /// The cells around the first one that differs.
    fn window(
        &self,
        field: &DeclaredField,
        memory: &MemoryType,
        state: &dyn Observe,
    ) -> Option<MemoryWindow> {
        let is_cell = |at: &Path| at.parent().is_some() && at.first().to_string() == *field.name;
        let differing: BTreeMap<u64, &Path> = self
            .differences
            .iter()
            .filter(|difference| is_cell(&difference.at))
            .filter_map(|difference| Some((address(difference.at.last())?, &difference.at)))
            .collect();
        let first = *differing.first_key_value()?.0;
        let whole = Path::field(field.name.clone());
        let before = self.cells_before(field);
        let demanded = demanded_cells(self.step(), &whole);
        let expected = match field.options.unlisted {
            UnlistedCells::Any => before.iter().map(|(at, cell)| (*at, *cell)).chain(demanded).collect(),
            // The demands say what the cells are that the case does not list.
            UnlistedCells::Zero | UnlistedCells::Unchanged => demanded,
        };
        let reported = state.observe(&field.name);
        let actual = cells(reported.as_ref().and_then(Value::members).unwrap_or_default().iter().map(pair));
        let parent = whole.as_parent();
        let start = first - first % WINDOW;
        let zero = BigInt::ZERO;
        let cell = |address: u64| {
            let is_listed = [&before, &expected, &actual].iter().any(|cells| cells.contains_key(&address));
            let text = |value: &BigInt| memory.cell.digits(value);
            let shown = |cells: &BTreeMap<u64, &BigInt>| {
                is_listed.then(|| text(cells.get(&address).copied().unwrap_or(&zero)))
            };
            StateRow {
                at: parent.child(address_key(address)),
                before: shown(&before),
                expected: shown(&expected),
                actual: shown(&actual),
                differs: differing.contains_key(&address),
            }
        };
        let last = start.saturating_add(WINDOW - 1);
        let is_address = |address: &u64| memory.address.has(&BigInt::from(*address));
        let cells = (start..=last).filter(is_address).map(cell).collect();
        Some(MemoryWindow { field: field.name.to_string(), cells, differing: differing.len() })
    }

    /// The cells of a memory before the step: what the case gives, and what earlier steps demand of it.
    fn cells_before(&self, field: &DeclaredField) -> BTreeMap<u64, &BigInt> {
        let whole = Path::field(field.name.clone());
        let given = value_at(&self.case.program.0, &whole).and_then(Value::members).unwrap_or_default();
        let mut before = cells(given.iter().map(pair));
        for step in &self.case.steps[..self.index] {
            let is_demanded = step.assertions.iter().any(|it| it.at.first() == whole.first());
            if is_demanded && field.options.unlisted != UnlistedCells::Any {
                before.clear();
            }
            before.extend(demanded_cells(step, &whole));
        }
        before
    }
}

/// The cells that a step demands of a memory, by address.
fn demanded_cells<'s>(step: &'s Step, memory: &Path) -> BTreeMap<u64, &'s BigInt> {
    let cell = |assertion: &'s Assertion| match (&assertion.expected, assertion.at.last()) {
        (Expected::Is(value), PathKey::Name(name)) if assertion.at.parent() == Some(memory) => {
            Some((name, value))
        }
        _ => None,
    };
    cells(step.assertions.iter().filter_map(cell))
}

fn pair((name, value): &(Name, Value)) -> (&Name, &Value) {
    (name, value)
}

/// Cells by address.
fn cells<'v>(members: impl Iterator<Item = (&'v Name, &'v Value)>) -> BTreeMap<u64, &'v BigInt> {
    let cell = |(name, value): (&'v Name, &'v Value)| match value {
        Value::Int(number) => Some((address_of_key(name)?, number)),
        _ => None,
    };
    members.filter_map(cell).collect()
}

fn address(key: &PathKey) -> Option<u64> {
    match key {
        PathKey::Name(name) => address_of_key(name),
        PathKey::Index(_) => None,
    }
}

/// What a step demands of a datum, if it demands one value.
fn demanded<'s>(step: &'s Step, at: &Path) -> Option<&'s Expected> {
    let expected = step.assertions.iter().filter(|it| it.at == *at).map(|it| &it.expected);
    expected.into_iter().find(|it| matches!(it, Expected::Is(_) | Expected::Bits(_)))
}

fn value_at<'v>(value: &'v Value, at: &Path) -> Option<&'v Value> {
    at.keys().into_iter().try_fold(value, |value, key| match (key, value) {
        (PathKey::Name(name), value) => value.get(name),
        (PathKey::Index(index), Value::List(items)) => items.get(*index),
        (PathKey::Index(_), _) => None,
    })
}

/// A value as the declaration says.
fn shown(value: &Value, field_type: &FieldType, display: NumberDisplay) -> String {
    match value {
        Value::Int(number) => field_type.shown(number, display),
        other => other.to_string(),
    }
}
