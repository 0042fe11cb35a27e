//! What the cases of families give to machines: how many there are in each file, and which values their fields have.
//! Nothing is executed for it.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;

use crate::machines::MachineInfo;
use crate::model::{Case, DeclaredField, FieldType, Shape, Value};
use crate::run::sources::Sources;
use crate::run::{self, LoadOptions};
use crate::wire::coverage::{CoveredField, CoveredFile, CoveredFlag, FamilyCoverage, covered_number};

/// The maximum number of values of a field that are counted separately.
const MAX_VALUES: usize = 1 << 16;

/// The cases of each family that can be read.
pub fn family_coverage(sources: &Sources, options: &LoadOptions) -> Vec<FamilyCoverage> {
    let mut counted: BTreeMap<&'static str, FamilyCount> = BTreeMap::new();
    for source in sources {
        let file = run::open(&source, options);
        if !run::is_elsewhere(&file) {
            continue;
        }
        for index in 0..file.cases() {
            let read = file.case(index).and_then(|case| case.read().ok()?.case);
            let known = read.and_then(|case| Some((file.options().families.machine(case.machine)?, case)));
            let Some((machine, case)) = known else { continue };
            let count = counted.entry(machine.name).or_insert_with(|| FamilyCount::new(machine));
            count.add(&source.shown, &case);
        }
    }
    counted.into_values().map(FamilyCount::report).collect()
}

/// What was counted of a family.
struct FamilyCount {
    machine: &'static MachineInfo,
    /// The number of cases of each file.
    files: BTreeMap<String, u64>,
    fields: Vec<FieldCount>,
}

/// What cases give to a field.
struct FieldCount {
    field: &'static DeclaredField,
    /// How many cases give it.
    cases: u64,
    /// The numbers that they give.
    values: BTreeSet<BigInt>,
    /// Whether there are more values.
    has_more: bool,
    /// For each named bit, the highest first, how many cases set it.
    set: Vec<u64>,
}

impl FamilyCount {
    fn new(machine: &'static MachineInfo) -> FamilyCount {
        let field = |shape| match shape {
            Shape::Declared(field) => Some(FieldCount::new(field)),
            _ => None,
        };
        let fields = machine.program.iter().filter_map(|member| field(member.shape)).collect();
        FamilyCount { machine, files: BTreeMap::new(), fields }
    }

    fn add(&mut self, file: &str, case: &Case) {
        *self.files.entry(file.to_owned()).or_default() += 1;
        for (name, value) in case.program.0.members().unwrap_or_default() {
            let is_it = |count: &&mut FieldCount| count.field.name == *name;
            if let Some(count) = self.fields.iter_mut().find(is_it) {
                count.add(value);
            }
        }
    }

    fn report(self) -> FamilyCoverage {
        let files = self.files.into_iter().map(|(file, cases)| CoveredFile { file, cases }).collect();
        FamilyCoverage {
            machine: self.machine.name.to_owned(),
            files,
            fields: self.fields.into_iter().map(FieldCount::report).collect(),
        }
    }
}

impl FieldCount {
    fn new(field: &'static DeclaredField) -> FieldCount {
        let set = vec![0; field.options.flags.len()];
        FieldCount { field, cases: 0, values: BTreeSet::new(), has_more: false, set }
    }

    fn add(&mut self, value: &Value) {
        self.cases += 1;
        let number = match value {
            Value::Int(number) => number.clone(),
            Value::Bool(bool) => BigInt::from(u8::from(*bool)),
            _ => return,
        };
        for (index, count) in self.set.iter_mut().rev().enumerate() {
            *count += u64::from(number.bit(index as u64));
        }
        if self.values.len() < MAX_VALUES || self.values.contains(&number) {
            self.values.insert(number);
        } else {
            self.has_more = true;
        }
    }

    fn report(self) -> CoveredField {
        let FieldCount { field, cases, values, has_more, set } = self;
        let flags = field.options.flags.iter().zip(&set).filter_map(|(name, set)| {
            Some(CoveredFlag { name: name.as_ref()?.to_string(), set: *set, clear: cases - set })
        });
        CoveredField {
            name: field.name.to_string(),
            notation: field.field_type.notation(),
            cases,
            values: values.len() as u64,
            has_more,
            possible: possible(&field.field_type),
            least: values.first().map(covered_number),
            most: values.last().map(covered_number),
            flags: flags.collect(),
        }
    }
}

/// How many values a type has; `None` if there are more than are counted separately.
fn possible(field_type: &FieldType) -> Option<u64> {
    match field_type {
        FieldType::Bool => Some(2),
        FieldType::Unsigned(bits) | FieldType::Signed(bits) => {
            1_u64.checked_shl(*bits).filter(|count| *count <= MAX_VALUES as u64)
        }
        _ => None,
    }
}
