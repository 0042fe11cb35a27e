//! What the failing cases of a machine of a family have in common in the state before, and the passing ones do not: the
//! rule over a single flag, bit or number that separates them best.

#![expect(clippy::cast_precision_loss, reason = "numbers of cases are far below 2^53")]

use std::collections::HashMap;

use num_bigint::BigInt;

use crate::machines::MachineInfo;
use crate::model::field_type::{DeclaredField, FieldType, NumberDisplay};
use crate::model::shape::Shape;
use crate::model::suspects::SeparatingCondition;
use crate::model::value::Value;

/// The most cases that a rule is sought for.
pub(super) const MAX_COMPARED: usize = 20_000;

/// The share of the failing cases that must follow a rule, and of the passing cases that must not, in percent.
const SEPARATED: usize = 95;

/// How much rarer a separation by chance must be than one for each rule that was tried.
const RARITY: f64 = 100.0;

/// The numbers that a case gives to a machine: one for each field of [`observed`].
pub(super) type NumbersBefore = Box<[Option<u64>]>;

/// The fields that rules are about: numbers of at most 64 bits, and truth values.
pub(super) fn observed(info: &MachineInfo) -> Vec<&'static DeclaredField> {
    let declared = info.program.iter().filter_map(|member| match member.shape {
        Shape::Declared(field) => Some(field),
        _ => None,
    });
    let is_small = |field: &&DeclaredField| match &field.field_type {
        FieldType::Unsigned(bits) => *bits <= 64,
        FieldType::Bool => true,
        _ => false,
    };
    let mut fields: Vec<_> = declared.filter(is_small).collect();
    // Of rules that separate alike, one about a flag says most.
    fields.sort_by_key(|field| field.options.flags.is_empty());
    fields
}

/// The numbers of a program.
pub(super) fn numbers(program: &Value, fields: &[&DeclaredField]) -> NumbersBefore {
    let number = |field: &&DeclaredField| match program.get(&field.name)? {
        Value::Int(number) => u64::try_from(number).ok(),
        Value::Bool(bool) => Some(u64::from(*bool)),
        _ => None,
    };
    fields.iter().map(number).collect()
}

/// The rule that separates failing from passing cases best; `None` if none separates enough.
pub(super) fn rule(
    fields: &[&DeclaredField],
    failing: &[&NumbersBefore],
    passing: &[&NumbersBefore],
) -> Option<SeparatingCondition> {
    let mut best = BestRule { sizes: [failing.len(), passing.len()], tried: 0, found: None };
    for (index, field) in fields.iter().enumerate() {
        let column = |cases: &[&NumbersBefore]| cases.iter().filter_map(|case| case[index]).collect();
        FieldColumn { field, failing: column(failing), passing: column(passing) }.try_rules(&mut best);
    }
    let (what, [failing, passing]) = best.found?;
    let is_coincidence = choices(best.sizes) < RARITY * best.tried as f64;
    (!is_coincidence).then_some(SeparatingCondition {
        what,
        failing: failing as u64,
        passing: passing as u64,
    })
}

/// How many ways there are to choose the failing cases among all, or a large number if there are many.
fn choices([failing, passing]: [usize; 2]) -> f64 {
    let mut ways = 1.0_f64;
    for index in 1..=failing.min(passing).min(100) {
        ways *= (failing.max(passing) + index) as f64 / index as f64;
    }
    ways
}

struct BestRule {
    /// How many cases fail, and how many pass.
    sizes: [usize; 2],
    /// How many rules were tried.
    tried: usize,
    /// The rule, and how many failing and passing cases follow it.
    found: Option<(String, [usize; 2])>,
}

impl BestRule {
    /// Tries a rule and its opposite, of which the first one is `what[0]`.
    fn offer(&mut self, following: [usize; 2], what: [&dyn Fn() -> String; 2]) {
        let opposite = [self.sizes[0] - following[0], self.sizes[1] - following[1]];
        self.tried += 1;
        for (following, what) in [following, opposite].into_iter().zip(what) {
            if self.is_enough(following) && self.errors(following) < self.least() {
                self.found = Some((what(), following));
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
        self.found.as_ref().map_or(usize::MAX, |found| self.errors(found.1))
    }
}

/// The values of a field before. A case without a value follows no rule about it.
struct FieldColumn<'f> {
    field: &'f DeclaredField,
    failing: Vec<u64>,
    passing: Vec<u64>,
}

impl FieldColumn<'_> {
    fn try_rules(&self, best: &mut BestRule) {
        if [self.failing.len(), self.passing.len()] != best.sizes {
            return;
        }
        let name = &*self.field.name;
        if self.field.field_type == FieldType::Bool {
            let following = self.count(|value| value == 1);
            best.offer(following, [&|| format!("{name} true"), &|| format!("{name} false")]);
            return;
        }
        self.try_bits(best);
        self.try_values(best);
        self.try_bounds(best);
    }

    fn count(&self, follows: impl Fn(u64) -> bool) -> [usize; 2] {
        [&self.failing, &self.passing].map(|values| values.iter().filter(|value| follows(**value)).count())
    }

    fn try_bits(&self, best: &mut BestRule) {
        let bits = self.field.field_type.bits().unwrap_or(0);
        for bit in 0..bits {
            let flags = &self.field.options.flags;
            let flag = flags.iter().rev().nth(bit as usize).copied().flatten();
            let name = &*self.field.name;
            let what =
                flag.map_or_else(|| format!("bit {bit} of {name}"), |flag| format!("{flag} of {name}"));
            let following = self.count(|value| value >> bit & 1 == 1);
            best.offer(following, [&|| format!("{what} set"), &|| format!("{what} clear")]);
        }
    }

    /// A value that most failing cases have, or most passing ones.
    fn try_values(&self, best: &mut BestRule) {
        for values in [&self.failing, &self.passing] {
            let Some(value) = most_frequent(values) else { continue };
            let (name, shown) = (&self.field.name, self.shown(value));
            let following = self.count(|other| other == value);
            best.offer(following, [&|| format!("{name} = {shown}"), &|| format!("{name} not {shown}")]);
        }
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
            let (name, bound) = (&self.field.name, self.shown(pair[1].0));
            best.offer(below, [&|| format!("{name} < {bound}"), &|| format!("{name} >= {bound}")]);
            best.tried -= 1;
        }
        // The bounds of a field are hardly independent of each other.
        best.tried += 8;
    }

    fn shown(&self, value: u64) -> String {
        match self.field.options.display {
            NumberDisplay::Decimal => value.to_string(),
            NumberDisplay::Hexadecimal => {
                let width = self.field.field_type.bits().map_or(1, |bits| bits.div_ceil(4) as usize);
                format!("0x{:0width$x}", BigInt::from(value))
            }
        }
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
    use crate::model::field_type::{FieldOptions, ListOrder, UnlistedCells};

    fn field(name: &'static str, flags: &str) -> DeclaredField {
        let flags = flags.chars().map(|name| (name != '-').then_some(name)).collect();
        let (display, unlisted) = (NumberDisplay::Hexadecimal, UnlistedCells::Unchanged);
        let options = FieldOptions { mask: None, flags, display, unlisted, order: ListOrder::Compared };
        DeclaredField { name: name.into(), doc: String::new(), field_type: FieldType::Unsigned(8), options }
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
        Some(rule(&[&a, &f], &failing, &passing)?.what)
    }

    #[test]
    fn a_flag_a_bound_and_a_value_separate() {
        let found = |fails: fn(u64, u64) -> bool| found(fails, 200);
        assert_eq!(found(|_, f| f & 8 != 0).as_deref(), Some("D of f set"));
        assert_eq!(found(|_, f| f & 1 == 0).as_deref(), Some("C of f clear"));
        assert_eq!(found(|a, _| a >= 0xc3).as_deref(), Some("a >= 0xc3"));
        assert_eq!(found(|a, _| a & 4 != 0).as_deref(), Some("bit 2 of a set"));
    }

    /// Nothing is said without a rule, of few cases, or if a rule does not separate 95 % of them.
    #[test]
    fn rules_that_do_not_separate_are_not_shown() {
        assert_eq!(found(|a, f| (a ^ f) & 1 != 0, 200), None);
        assert_eq!(found(|a, _| a >= 0xc3, 8), None);
        assert_eq!(found(|a, f| f & 8 != 0 || a < 0x20, 200), None);
        assert_eq!(found(|_, _| true, 200), None);
    }
}
