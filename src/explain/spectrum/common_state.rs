//! What the failing cases of a machine of a family have in common in the state before, and the passing ones do not:
//! the rule over a single flag, bit or number that separates them best. A number is a field, or one in a field, or a cell
//! where a field points.

use std::collections::HashMap;
use std::sync::Arc;

use num_bigint::BigInt;

use super::chance::SharedBy;
use crate::machines::MachineInfo;
use crate::model::{
    BitName, DeclaredField, FieldOptions, FieldType, MemoryType, NumberDisplay, Path, PathKey,
    SeparatingCondition, Shape, Value,
};
use crate::text::typed::address_key;

/// The share of the failing cases that must follow a rule, and of the passing cases that must not, in percent.
pub(super) const SEPARATED: usize = 95;

/// How many rules the bounds of a number count as: they are hardly independent of each other.
const RULES_OF_BOUNDS: usize = 8;

/// The most numbers in tables, tuples and lists that are observed.
const MAX_INSIDE: usize = 64;

/// How many cells are observed where a field points.
const CELLS: u64 = 3;

/// The numbers that a case gives to a machine: one for each number of [`observed`].
pub(crate) type NumbersBefore = Arc<[Option<u64>]>;

/// A number of the state before: of at most 64 bits, or a truth value. A signed one is counted from the least that its
/// type has.
#[derive(Debug, Clone)]
pub(crate) struct ObservedNumber {
    /// Its name: `a`, or `ram at pc+1`.
    pub(crate) name: String,
    field_type: FieldType,
    flags: Vec<BitName>,
    display: NumberDisplay,
    source: NumberSource,
}

/// Where a number is found in a program.
#[derive(Debug, Clone)]
enum NumberSource {
    /// A field, or a number in it.
    Field(&'static str, Vec<PathKey>),
    /// The cell of a memory that lies `offset` cells after the one where a field points.
    Cell { memory: &'static str, pointer: &'static str, address_bits: u32, offset: u64 },
}

impl ObservedNumber {
    fn of(field: &'static DeclaredField) -> ObservedNumber {
        ObservedNumber {
            name: field.name.to_string(),
            field_type: field.field_type.clone(),
            flags: field.options.flags.clone(),
            display: field.options.display,
            source: NumberSource::Field(&field.name, Vec::new()),
        }
    }

    /// The number in a field at a path, of a type and with options.
    fn inside(
        field: &'static DeclaredField,
        at: &Path,
        of: &FieldType,
        options: &FieldOptions,
    ) -> ObservedNumber {
        let keys = at.keys()[1..].iter().map(|key| (*key).clone()).collect();
        ObservedNumber {
            name: at.to_string(),
            field_type: of.clone(),
            flags: options.flags.clone(),
            display: options.display,
            source: NumberSource::Field(&field.name, keys),
        }
    }

    /// Whether it is a cell, and not a field.
    pub(crate) fn is_cell(&self) -> bool {
        matches!(self.source, NumberSource::Cell { .. })
    }

    pub(crate) fn bits(&self) -> u32 {
        self.field_type.bits().unwrap_or(1)
    }

    /// How many cells it is after the one where this field points; `None` for another number.
    pub(crate) fn offset_from(&self, field: &str) -> Option<u64> {
        match self.source {
            NumberSource::Cell { pointer, offset, .. } if pointer == field => Some(offset),
            _ => None,
        }
    }

    /// How far the least number of its type is below 0.
    fn bias(&self) -> u64 {
        match *self.field_type.present() {
            FieldType::Signed(bits) => 1 << (bits - 1),
            _ => 0,
        }
    }

    fn value(&self, program: &Value) -> Option<u64> {
        match self.source {
            NumberSource::Field(name, ref keys) => {
                let value = program.get(name)?.at(keys)?;
                match (value, self.bias()) {
                    (value, 0) => number(value),
                    (Value::Int(value), bias) => u64::try_from(value + bias).ok(),
                    _ => None,
                }
            }
            NumberSource::Cell { memory, pointer, address_bits, offset } => {
                let cells = program.get(memory)?;
                let address = wrapped(number(program.get(pointer)?)?.wrapping_add(offset), address_bits);
                // A cell that is not listed is 0.
                cells.get(&address_key(address)).map_or(Some(0), number)
            }
        }
    }

    /// The value as reports show it.
    pub(crate) fn shown(&self, value: u64) -> String {
        self.field_type.shown(&(BigInt::from(value) - self.bias()), self.display)
    }
}

/// An address in a memory whose addresses have this number of bits.
pub(crate) fn wrapped(address: u64, bits: u32) -> u64 {
    if bits >= u64::BITS { address } else { address & ((1 << bits) - 1) }
}

fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Int(number) => u64::try_from(number).ok(),
        Value::Bool(bool) => Some(u64::from(*bool)),
        _ => None,
    }
}

/// The members of a program that a declaration describes.
pub(super) fn declared(info: &MachineInfo) -> impl Iterator<Item = &'static DeclaredField> {
    info.program.iter().filter_map(|member| match member.shape {
        Shape::Declared(field) => Some(field),
        _ => None,
    })
}

/// The fields for whose type `is_number` holds.
fn observed_fields(info: &MachineInfo, is_number: fn(&FieldType) -> bool) -> Vec<ObservedNumber> {
    let mut fields: Vec<_> =
        declared(info).filter(|field| is_number(&field.field_type)).map(ObservedNumber::of).collect();
    // Of rules that separate alike, one about a flag says most.
    fields.sort_by_key(|field| field.flags.is_empty());
    fields
}

fn is_small(field_type: &FieldType) -> bool {
    match field_type {
        FieldType::Unsigned(bits) => *bits <= 64,
        FieldType::Bool => true,
        _ => false,
    }
}

/// Whether rules can be about a number of this type. A case that lacks an optional number follows no rule about it.
fn is_observed(field_type: &FieldType) -> bool {
    let present = field_type.present();
    is_small(present) || matches!(present, FieldType::Signed(2..=64))
}

/// The numbers that rules are about: fields, and numbers in tables, tuples and lists of a fixed length.
pub(super) fn observed(info: &MachineInfo) -> Vec<ObservedNumber> {
    let mut inside = Vec::new();
    for field in declared(info).filter(|field| !is_observed(&field.field_type)) {
        let at = Path::field(field.name.clone());
        add_inside(field, &at, (&field.field_type, &field.options), &mut inside);
    }
    let mut numbers = observed_fields(info, is_observed);
    numbers.extend(inside);
    numbers
}

/// Adds the numbers in a part of a field, up to [`MAX_INSIDE`].
fn add_inside(
    field: &'static DeclaredField,
    at: &Path,
    (of, options): (&FieldType, &FieldOptions),
    numbers: &mut Vec<ObservedNumber>,
) {
    let mut add = |key: PathKey, of: &FieldType, options: &FieldOptions| {
        if numbers.len() == MAX_INSIDE {
            return;
        }
        let at = at.child(key);
        if is_observed(of) {
            numbers.push(ObservedNumber::inside(field, &at, of, options));
        } else {
            add_inside(field, &at, (of, options), numbers);
        }
    };
    match of {
        FieldType::Array(item, length) => {
            (0..(*length).min(MAX_INSIDE)).for_each(|index| add(PathKey::Index(index), item, options));
        }
        FieldType::Tuple(types) => {
            types.iter().enumerate().for_each(|(index, of)| add(PathKey::Index(index), of, options));
        }
        FieldType::Table(fields) => {
            for it in fields {
                add(PathKey::Name(it.name.clone()), &it.field_type, &it.options);
            }
        }
        _ => {}
    }
}

/// The fields with a number, and the cells where fields point that have at least as many bits as an address.
pub(crate) fn observed_with_cells(info: &MachineInfo) -> Vec<ObservedNumber> {
    let mut numbers = observed_fields(info, is_small);
    for memory in declared(info) {
        let FieldType::Memory(MemoryType { address, cell }) = &memory.field_type else { continue };
        let FieldType::Unsigned(bits @ 0..=64) = **cell else { continue };
        let address_bits = address.bits().unwrap_or(u64::BITS);
        let points = |field: &&DeclaredField| match field.field_type {
            FieldType::Unsigned(bits) => (address_bits..=u64::BITS).contains(&bits),
            _ => false,
        };
        for (pointer, offset) in
            declared(info).filter(points).flat_map(|pointer| (0..CELLS).map(move |offset| (pointer, offset)))
        {
            let place = if offset == 0 { String::new() } else { format!("+{offset}") };
            numbers.push(ObservedNumber {
                name: format!("{} at {}{place}", memory.name, pointer.name),
                field_type: FieldType::Unsigned(bits),
                flags: Vec::new(),
                display: NumberDisplay::Hexadecimal,
                source: NumberSource::Cell {
                    memory: &memory.name,
                    pointer: &pointer.name,
                    address_bits,
                    offset,
                },
            });
        }
    }
    numbers
}

pub(crate) fn numbers(program: &Value, observed: &[ObservedNumber]) -> NumbersBefore {
    observed.iter().map(|number| number.value(program)).collect()
}

/// A rule that separates failing from passing cases.
#[derive(Debug, Clone)]
pub(crate) struct SeparatingRule {
    /// The rule in words, and how many cases follow it.
    pub(crate) condition: SeparatingCondition,
    /// Which of the observed numbers it is about.
    index: usize,
    test: NumberTest,
    sense: RuleSense,
}

impl SeparatingRule {
    /// Whether a case follows it.
    pub(crate) fn holds(&self, numbers: &NumbersBefore) -> bool {
        numbers[self.index].is_some_and(|value| self.test.holds(value) == (self.sense == RuleSense::AsIs))
    }
}

/// Whether a rule or its opposite separates the cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RuleSense {
    AsIs,
    Opposite,
}

/// The condition that a rule puts on a number.
#[derive(Debug, Clone, Copy)]
enum NumberTest {
    /// The case gives it.
    Given,
    True,
    Bit(u32),
    Equals(u64),
    Below(u64),
}

impl NumberTest {
    fn holds(self, value: u64) -> bool {
        match self {
            NumberTest::Given => true,
            NumberTest::True => value == 1,
            NumberTest::Bit(bit) => value >> bit & 1 == 1,
            NumberTest::Equals(other) => value == other,
            NumberTest::Below(bound) => value < bound,
        }
    }

    /// The rule or its opposite in words.
    fn shown(self, number: &ObservedNumber, sense: RuleSense) -> String {
        let name = &number.name;
        let [mark, opposite] = match self {
            NumberTest::Given => ["given", "not given"],
            NumberTest::True => ["true", "false"],
            NumberTest::Bit(_) => ["set", "clear"],
            NumberTest::Equals(_) => ["=", "not"],
            NumberTest::Below(_) => ["<", ">="],
        };
        let mark = match sense {
            RuleSense::AsIs => mark,
            RuleSense::Opposite => opposite,
        };
        match self {
            NumberTest::Given | NumberTest::True => format!("{name} {mark}"),
            NumberTest::Bit(bit) => {
                let flag = number.flags.iter().rev().nth(bit as usize).copied().flatten();
                flag.map_or_else(
                    || format!("bit {bit} of {name} {mark}"),
                    |flag| format!("{flag} of {name} {mark}"),
                )
            }
            NumberTest::Equals(value) | NumberTest::Below(value) => {
                format!("{name} {mark} {}", number.shown(value))
            }
        }
    }
}

/// The rule that separates failing from passing cases best; `None` if none separates enough.
pub(crate) fn rule(
    observed: &[ObservedNumber],
    failing: &[&NumbersBefore],
    passing: &[&NumbersBefore],
) -> Option<SeparatingRule> {
    let mut best = BestRule { sizes: [failing.len(), passing.len()], tried: 0, found: None };
    for (index, number) in observed.iter().enumerate() {
        let column = |cases: &[&NumbersBefore]| cases.iter().filter_map(|case| case[index]).collect();
        let (failing, passing) = (column(failing), column(passing));
        NumberColumn { number, index, failing, passing }.try_rules(&mut best);
    }
    let FoundRule { index, test, sense, following } = best.found?;
    let [failing, passing] = best.sizes.map(|cases| cases as u64);
    let [failing_with, passing_with] = following.map(|cases| cases as u64);
    let shared = SharedBy { failing, passing, failing_with, passing_with };
    if shared.may_be_chance(best.tried) {
        return None;
    }
    let what = test.shown(&observed[index], sense);
    let condition = SeparatingCondition { what, failing: failing_with, passing: passing_with };
    Some(SeparatingRule { condition, index, test, sense })
}

struct BestRule {
    /// How many cases fail, and how many pass.
    sizes: [usize; 2],
    /// How many rules were tried, with their opposites.
    tried: usize,
    found: Option<FoundRule>,
}

struct FoundRule {
    index: usize,
    test: NumberTest,
    sense: RuleSense,
    /// How many failing and passing cases follow it.
    following: [usize; 2],
}

impl BestRule {
    /// Tries a rule and its opposite. `following`: how many failing and how many passing cases with a value follow the
    /// rule.
    fn offer(&mut self, column: &NumberColumn<'_>, test: NumberTest, following: [usize; 2]) {
        let index = column.index;
        let opposite = [column.failing.len() - following[0], column.passing.len() - following[1]];
        self.tried += 2;
        for (following, sense) in [(following, RuleSense::AsIs), (opposite, RuleSense::Opposite)] {
            if self.is_enough(following) && self.errors(following) < self.least() {
                self.found = Some(FoundRule { index, test, sense, following });
            }
        }
    }

    fn is_enough(&self, [failing, passing]: [usize; 2]) -> bool {
        let [all_failing, all_passing] = self.sizes;
        failing * 100 >= all_failing * SEPARATED && (all_passing - passing) * 100 >= all_passing * SEPARATED
    }

    /// How many cases a rule does not explain.
    fn errors(&self, [failing, passing]: [usize; 2]) -> usize {
        self.sizes[0] - failing + passing
    }

    fn least(&self) -> usize {
        self.found.as_ref().map_or(usize::MAX, |found| self.errors(found.following))
    }
}

/// The values of a number before. A case without a value follows no rule about it.
struct NumberColumn<'n> {
    number: &'n ObservedNumber,
    index: usize,
    failing: Vec<u64>,
    passing: Vec<u64>,
}

impl NumberColumn<'_> {
    fn try_rules(&self, best: &mut BestRule) {
        if [self.failing.len(), self.passing.len()] != best.sizes {
            self.offer(best, NumberTest::Given);
        }
        let field_type = self.number.field_type.present();
        if *field_type == FieldType::Bool {
            return self.offer(best, NumberTest::True);
        }
        match *field_type {
            FieldType::Unsigned(bits) => (0..bits).for_each(|bit| self.offer(best, NumberTest::Bit(bit))),
            // Of bounds that separate alike, that of negative numbers says most.
            FieldType::Signed(bits) => {
                self.offer(best, NumberTest::Below(self.number.bias()));
                // All bits but that of the sign are as in two's complement.
                (0..bits - 1).for_each(|bit| self.offer(best, NumberTest::Bit(bit)));
            }
            _ => {}
        }
        // A value that most failing cases have, or most passing ones.
        for values in [&self.failing, &self.passing] {
            if let Some(value) = most_frequent(values) {
                self.offer(best, NumberTest::Equals(value));
            }
        }
        self.try_bounds(best);
    }

    fn offer(&self, best: &mut BestRule, test: NumberTest) {
        let following = [&self.failing, &self.passing]
            .map(|values| values.iter().filter(|value| test.holds(**value)).count());
        best.offer(self, test, following);
    }

    fn try_bounds(&self, best: &mut BestRule) {
        let tagged =
            |values: &[u64], side: usize| values.iter().map(move |value| (*value, side)).collect::<Vec<_>>();
        let mut all = [tagged(&self.failing, 0), tagged(&self.passing, 1)].concat();
        all.sort_unstable();
        let mut below = [0, 0];
        for pair in all.windows(2) {
            below[pair[0].1] += 1;
            if pair[0].0 == pair[1].0 {
                continue;
            }
            best.offer(self, NumberTest::Below(pair[1].0), below);
            best.tried -= 2;
        }
        best.tried += RULES_OF_BOUNDS;
    }
}

fn most_frequent(values: &[u64]) -> Option<u64> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for value in values {
        *counts.entry(*value).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(value, count)| (*count, *value)).map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FieldOptions, ListOrder, UnlistedCells};

    fn field(name: &'static str, flags: &str) -> ObservedNumber {
        let flags = flags.chars().map(|name| (name != '-').then_some(name)).collect();
        let (display, unlisted) = (NumberDisplay::Hexadecimal, UnlistedCells::Unchanged);
        let options = FieldOptions { mask: None, flags, display, unlisted, order: ListOrder::Compared };
        let (doc, field_type) = (String::new(), FieldType::Unsigned(8));
        ObservedNumber::of(Box::leak(Box::new(DeclaredField { name: name.into(), doc, field_type, options })))
    }

    /// The rule for cases with a register and flags, of which some fail.
    fn found(fails: impl Fn(u64, u64) -> bool, cases: u64) -> Option<String> {
        let (a, f) = (field("a", ""), field("f", "NV-BDIZC"));
        // Numbers without a pattern.
        let mixed = |seed: u64| (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24) % 256;
        let case = |number: u64| (mixed(2 * number), mixed(mixed(2 * number + 1) * number + 1));
        let before = |(a, f): (u64, u64)| -> NumbersBefore { [Some(a), Some(f)].into() };
        let (failing, passing): (Vec<_>, Vec<_>) = (0..cases).map(case).partition(|(a, f)| fails(*a, *f));
        let [failing, passing] =
            [failing, passing].map(|cases| cases.into_iter().map(before).collect::<Vec<_>>());
        let [failing, passing] = [&failing, &passing].map(|cases| cases.iter().collect::<Vec<_>>());
        Some(rule(&[a, f], &failing, &passing)?.condition.what)
    }

    /// A case without the number follows no rule about it, and does not prevent one.
    #[test]
    fn signed_and_missing_numbers_separate() {
        let (doc, options) = (String::new(), FieldOptions::default());
        let field_type = FieldType::Optional(Box::new(FieldType::Signed(16)));
        let field: &'static DeclaredField =
            Box::leak(Box::new(DeclaredField { name: "s".into(), doc, field_type, options }));
        assert!(is_observed(&field.field_type));
        let observed = [ObservedNumber::of(field)];
        let before = |value: Value| numbers(&Value::record([("s", value)]), &observed);
        let all = |range: std::ops::Range<i32>| range.map(|it| before(Value::int(it))).collect::<Vec<_>>();
        let (failing, mut passing) = (all(-40..-1), all(-1..100));
        passing.push(before(Value::Null));
        let [failing, passing] = [&failing, &passing].map(|cases| cases.iter().collect::<Vec<_>>());
        let found = rule(&observed, &failing, &passing).expect("a rule");
        assert_eq!(found.condition.what, "s < -0x0001");
        assert_eq!((found.condition.failing, found.condition.passing), (39, 0));
        let (negative, positive) = (all(-40..0), all(7..100));
        let [negative, positive] = [&negative, &positive].map(|cases| cases.iter().collect::<Vec<_>>());
        assert_eq!(rule(&observed, &negative, &positive).expect("a rule").condition.what, "s < 0x0000");
        // If only failing cases have it, that is the rule, and no value.
        let without = vec![before(Value::Null); 40];
        let found = rule(&observed, &failing, &without.iter().collect::<Vec<_>>()).expect("a rule");
        assert_eq!(found.condition.what, "s given");
        // Most passing cases have the number, and follow the opposite; the one without it does not.
        let found = rule(&observed, &passing, &failing).expect("a rule");
        assert_eq!(found.condition.what, "s >= -0x0001");
        assert_eq!((found.condition.failing, found.condition.passing), (101, 0));
    }

    #[test]
    fn a_flag_a_bound_and_a_value_separate() {
        let found = |fails: fn(u64, u64) -> bool| found(fails, 200);
        assert_eq!(found(|_, f| f & 8 != 0).as_deref(), Some("D of f set"));
        assert_eq!(found(|_, f| f & 1 == 0).as_deref(), Some("C of f clear"));
        assert_eq!(found(|a, _| a >= 0xc3).as_deref(), Some("a >= 0xc3"));
        assert_eq!(found(|a, _| a & 4 != 0).as_deref(), Some("bit 2 of a set"));
    }

    /// Which cases follow a rule: at the bound of a rule with `>=`, those with the bound itself.
    #[test]
    fn cases_at_a_bound_follow_its_rule() {
        let before = |a: u64| -> NumbersBefore { [Some(a)].into() };
        let [failing, passing] =
            [0xc3..0x100, 0..0xc3].map(|numbers| numbers.map(before).collect::<Vec<NumbersBefore>>());
        let [failing, passing] = [&failing, &passing].map(|cases| cases.iter().collect::<Vec<_>>());
        let rule = rule(&[field("a", "")], &failing, &passing).expect("a rule");
        assert_eq!(rule.condition.what, "a >= 0xc3");
        assert!(failing.iter().all(|case| rule.holds(case)));
        assert!(!passing.iter().any(|case| rule.holds(case)));
    }

    /// Numbers in tables, tuples and lists of a fixed length are observed, up to a limit; those in other lists are not.
    #[test]
    fn numbers_in_fields_are_observed() {
        let byte = || Box::new(FieldType::Unsigned(8));
        let observed = |field_type: FieldType| {
            let (doc, options) = (String::new(), FieldOptions::default());
            let field: &'static DeclaredField =
                Box::leak(Box::new(DeclaredField { name: "r".into(), doc, field_type, options }));
            let mut numbers = Vec::new();
            add_inside(field, &Path::field("r"), (&field.field_type, &field.options), &mut numbers);
            numbers
        };
        let two = FieldType::Array(byte(), 2);
        let numbers = observed(FieldType::Tuple(vec![FieldType::List(byte()), two, FieldType::Bool]));
        let names: Vec<_> = numbers.iter().map(|number| number.name.as_str()).collect();
        assert_eq!(names, ["r[1][0]", "r[1][1]", "r[2]"]);
        let list = |numbers: &[u8]| Value::List(numbers.iter().map(|it| Value::int(*it)).collect());
        let state = Value::List(vec![list(&[7]), list(&[8, 9]), Value::Bool(true)]);
        let found = super::numbers(&Value::record([("r", state)]), &numbers);
        assert_eq!(*found, [Some(8), Some(9), Some(1)]);
        assert_eq!(observed(FieldType::Array(byte(), 1_000_000)).len(), MAX_INSIDE);
    }

    /// No rule is reported if there is none, if there are few cases, or if a rule does not separate 95 % of them.
    #[test]
    fn rules_that_do_not_separate_are_not_shown() {
        assert_eq!(found(|a, f| (a ^ f) & 1 != 0, 200), None);
        assert_eq!(found(|a, _| a >= 0xc3, 8), None);
        assert_eq!(found(|a, f| f & 8 != 0 || a < 0x20, 200), None);
        assert_eq!(found(|_, _| true, 200), None);
    }
}
