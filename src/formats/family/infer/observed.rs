//! What the values of a datum have in common.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::observed_memory::ObservedMemory;
use super::observed_numbers::ObservedNumbers;
use crate::text::json::{JsonDatum, JsonNode};
use crate::text::number::integer;

/// The maximum number of different lengths that are kept.
const MAX_DISTINCT: usize = 256;

/// The longest list whose items may be data of different types.
const MAX_TUPLE: usize = 8;

/// How deep data are looked into: each list in another one doubles the work, since its items are looked at together and
/// by their places.
const MAX_NESTED: usize = 8;

/// The longest text that may be a number of 256 bits: 78 decimal digits.
const MAX_NUMBER: usize = 78;

/// The maximum number of members of an object that are kept apart.
const MAX_MEMBERS: usize = 64;

/// What was seen of a datum.
#[derive(Debug, Default)]
pub(super) struct ObservedValues {
    pub(super) nulls: u64,
    pub(super) bools: u64,
    pub(super) numbers: ObservedNumbers,
    pub(super) texts: ObservedTexts,
    pub(super) lists: Option<Box<ObservedLists>>,
    pub(super) objects: Option<Box<ObservedObjects>>,
    /// Numbers that are not whole, or have more digits than a number of any type.
    pub(super) fractions: u64,
    /// Lists and objects that lie too deep to be looked into.
    pub(super) too_deep: u64,
}

#[derive(Debug, Default)]
pub(super) struct ObservedTexts {
    pub(super) count: u64,
    /// How many are hex digits with `0x`, and how many of these have an odd number of digits.
    pub(super) hex: u64,
    pub(super) odd: u64,
    /// How many of these are no number of 256 bits: they have no digit, or too many.
    pub(super) no_number: u64,
    /// The numbers of hex digits of these.
    digits: BTreeSet<usize>,
    /// Those that are numbers, decimal or with `0x`.
    numbers: ObservedNumbers,
    /// How many are decimal digits, perhaps with a sign, and how many are pairs of hex digits without `0x`.
    pub(super) decimal: u64,
    pub(super) bare_hex: u64,
    /// Whether one of these has a digit below 10: others may be words.
    pub(super) bare_digits: bool,
}

#[derive(Debug, Default)]
pub(super) struct ObservedLists {
    pub(super) count: u64,
    pub(super) lengths: BTreeSet<usize>,
    pub(super) items: ObservedValues,
    /// The items at each of the first places.
    pub(super) places: Vec<ObservedValues>,
    /// Its cells, if they are memories.
    pub(super) memory: ObservedMemory,
}

#[derive(Debug, Default)]
pub(super) struct ObservedObjects {
    pub(super) count: u64,
    /// The members with their number.
    pub(super) members: IndexMap<String, (u64, ObservedValues)>,
    /// Whether there are more than are kept.
    pub(super) are_many: bool,
    /// Their cells, if they are memories.
    pub(super) memory: ObservedMemory,
}

impl ObservedValues {
    pub(super) fn add(&mut self, node: JsonNode<'_>) {
        self.add_inside(node, 0);
    }

    /// Adds a value that lies in this many lists and objects.
    fn add_inside(&mut self, node: JsonNode<'_>, depth: usize) {
        match node.datum() {
            JsonDatum::Null => self.nulls += 1,
            JsonDatum::Bool(_) => self.bools += 1,
            JsonDatum::Number(digits) => match integer(digits) {
                Some(number) => self.numbers.add(number),
                None => self.fractions += 1,
            },
            JsonDatum::Text(text) => self.texts.add(&text),
            JsonDatum::Array | JsonDatum::Object if depth == MAX_NESTED => self.too_deep += 1,
            JsonDatum::Array => self.lists.get_or_insert_default().add(node, depth),
            JsonDatum::Object => self.objects.get_or_insert_default().add(node, depth),
        }
    }

    /// Which kinds of values there are besides null.
    pub(super) fn kinds(&self) -> usize {
        let counts = [
            self.bools,
            self.numbers.count,
            self.texts.count,
            self.fractions,
            self.too_deep,
            u64::from(self.lists.is_some()),
            u64::from(self.objects.is_some()),
        ];
        counts.iter().filter(|count| **count > 0).count()
    }

    /// The numbers, if some are written as numbers and the others as texts.
    pub(super) fn mixed_numbers(&self) -> Option<ObservedNumbers> {
        let texts = &self.texts;
        let are_mixed = self.kinds() == 2 && self.numbers.count > 0 && texts.count > 0;
        (are_mixed && texts.numbers.count == texts.count).then(|| self.numbers.with(&texts.numbers))
    }

    pub(super) fn are_lists(&self) -> bool {
        self.kinds() == 1 && self.nulls == 0 && self.lists.is_some()
    }

    /// Whether all are objects with the same members.
    pub(super) fn are_objects_alike(&self) -> bool {
        self.kinds() == 1 && self.nulls == 0 && self.objects.as_ref().is_some_and(|it| it.are_alike())
    }
}

impl ObservedTexts {
    fn add(&mut self, text: &str) {
        self.count += 1;
        if let Some(number) = Some(text).filter(|text| text.len() <= MAX_NUMBER).and_then(integer) {
            self.numbers.add(number);
        }
        let has_digits = text.contains(|it: char| it.is_ascii_digit());
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        self.decimal += u64::from(has_digits && unsigned.chars().all(|it| it.is_ascii_digit()));
        let is_bare = text.len().is_multiple_of(2) && text.chars().all(|it| it.is_ascii_hexdigit());
        self.bare_hex += u64::from(is_bare);
        self.bare_digits |= is_bare && has_digits;
        let digits = text.strip_prefix("0x").filter(|it| it.chars().all(|it| it.is_ascii_hexdigit()));
        if let Some(digits) = digits {
            self.hex += 1;
            self.odd += u64::from(digits.len() % 2 == 1);
            self.no_number += u64::from(!(1..=64).contains(&digits.len()));
            if self.digits.len() < MAX_DISTINCT {
                self.digits.insert(digits.len());
            }
        }
    }

    /// The number of hex digits of all of them, if they have the same.
    pub(super) fn one_length(&self) -> Option<usize> {
        self.digits.first().copied().filter(|_| self.digits.len() == 1)
    }
}

impl ObservedLists {
    fn add(&mut self, node: JsonNode<'_>, depth: usize) {
        self.count += 1;
        let mut length = 0;
        for item in node.items() {
            self.items.add_inside(item, depth + 1);
            if length < MAX_TUPLE {
                if self.places.len() == length {
                    self.places.push(ObservedValues::default());
                }
                self.places[length].add_inside(item, depth + 1);
            }
            length += 1;
        }
        if self.lengths.len() < MAX_DISTINCT {
            self.lengths.insert(length);
        }
        self.memory.add(node);
    }

    /// The length of all of them, if they have the same.
    pub(super) fn length(&self) -> Option<usize> {
        self.lengths.first().copied().filter(|_| self.lengths.len() == 1)
    }
}

impl ObservedObjects {
    fn add(&mut self, node: JsonNode<'_>, depth: usize) {
        self.count += 1;
        self.memory.add(node);
        for member in node.members() {
            if let Some((count, values)) = self.members.get_mut(&*member.key) {
                *count += 1;
                values.add_inside(member.value, depth + 1);
            } else if self.members.len() < MAX_MEMBERS {
                let mut values = ObservedValues::default();
                values.add_inside(member.value, depth + 1);
                self.members.insert(member.key.into_owned(), (1, values));
            } else {
                self.are_many = true;
            }
        }
    }

    /// Whether all of them have the same members.
    pub(super) fn are_alike(&self) -> bool {
        !self.are_many && self.members.values().all(|member| member.0 == self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json::Document;

    /// To compute a number of ten million digits takes minutes.
    #[test]
    fn a_number_with_too_many_digits_is_not_a_whole_number() {
        let mut values = ObservedValues::default();
        for digits in ["7", &"9".repeat(1_000), &"9".repeat(10_000_000)] {
            let document = Document::parse(digits.to_owned(), 1).expect("a number");
            values.add(document.root());
        }
        assert_eq!((values.numbers.count, values.fractions), (2, 1));
    }
}
