//! Whether an adapter of a family reports values in the notation of the declaration: what it is given, as it is.

use num_bigint::BigInt;
use vmconf::model::{FieldType, MemoryType, Name, Value};
use vmconf::text::typed::address_key;

/// A value of a type that looks different in a wrong notation: its hexadecimal digits are also decimal ones, and of a
/// wide number high and low bits are set.
pub(super) fn sample(of: &FieldType) -> Value {
    match of {
        FieldType::Unsigned(bits) => Value::int(sample_of_bits(*bits)),
        FieldType::Signed(bits) if *bits > 5 => Value::int(-0x10),
        FieldType::Signed(_) => Value::int(-1),
        FieldType::Int => Value::int(0x10),
        FieldType::Bool => Value::Bool(true),
        FieldType::Optional(inner) => sample(inner),
        FieldType::List(item) => Value::List(vec![sample(item)]),
        FieldType::Array(item, length) => Value::List(vec![sample(item); *length]),
        FieldType::Tuple(items) => Value::List(items.iter().map(sample).collect()),
        FieldType::Table(fields) => Value::Record(
            fields.iter().map(|field| (field.name.clone(), sample(&field.field_type))).collect(),
        ),
        FieldType::Memory(MemoryType { address, cell }) => {
            let first = sample_of_bits(address.bits().unwrap_or(16).min(u64::BITS));
            let cells = u64::try_from(first).into_iter().map(|first| (address_key(first), sample(cell)));
            Value::Record(cells.collect())
        }
        FieldType::Text | FieldType::Bytes | FieldType::Base64 | FieldType::Map(..) | FieldType::Json => {
            of.empty()
        }
    }
}

/// The number of this width with the highest bit set, and with 0x7f0 or 0x10 if it is wide enough.
fn sample_of_bits(bits: u32) -> BigInt {
    // As a double, a number of 64 bits with 0x7f0 is rounded up, while a machine that has no such bits clears them.
    let low = match bits {
        54.. => 0x7f0,
        6.. => 0x10,
        _ => 0,
    };
    (BigInt::from(1) << (bits - 1)) | BigInt::from(low)
}

/// What is wrong with the notation of fields that a machine reports before it did anything, as far as it shows; each field
/// with its type, what was given and what is reported. A machine may change a value that it cannot hold, so only
/// differences that no machine would make are mistakes.
pub(super) fn mistake(fields: &[(&Name, &FieldType, Value, Value)]) -> Option<String> {
    let mut numbers = Vec::new();
    for (name, of, given, reported) in fields {
        add_numbers(&name.to_string(), of, [given, reported], &mut numbers);
    }
    let wrong = numbers.iter().find_map(ReportedNumber::mistake);
    let are_zeros = numbers.len() > 1 && numbers.iter().all(|number| number.reported == BigInt::ZERO);
    let zeros = || {
        let ReportedNumber { name, given, .. } = numbers.first().filter(|_| are_zeros)?;
        Some(format!("all numbers are 0, and the program gave {given:#x} as {name}; load the program"))
    };
    wrong.or_else(zeros).or_else(|| missing_cells(fields, &numbers))
}

/// Of a memory, a machine with few addresses has all of them: cells that it leaves out are those that did not change.
fn missing_cells(fields: &[(&Name, &FieldType, Value, Value)], numbers: &[ReportedNumber]) -> Option<String> {
    let is_small = |of: &FieldType| match of {
        FieldType::Memory(memory) => memory.address.bits().is_some_and(|bits| bits <= 16),
        _ => false,
    };
    let is_empty = |value: &Value| value.members().is_some_and(<[_]>::is_empty);
    let lacks =
        |it: &&(&Name, &FieldType, Value, Value)| is_small(it.1) && !is_empty(&it.2) && is_empty(&it.3);
    let (name, ..) = fields.iter().find(lacks)?;
    let is_loaded = !numbers.is_empty() && numbers.iter().all(|number| number.reported == number.given);
    is_loaded.then(|| format!("{name} lacks a cell that the program gave; report all cells that are not 0"))
}

/// A number in a field, given and reported.
struct ReportedNumber {
    name: String,
    bits: u32,
    given: BigInt,
    reported: BigInt,
}

impl ReportedNumber {
    fn mistake(&self) -> Option<String> {
        let ReportedNumber { name, bits, given, reported } = self;
        if given == reported {
            return None;
        }
        let is = format!("{name} is {reported}, and the program gave {given:#x}");
        let digits = given.magnitude().to_str_radix(16);
        if reported.magnitude().to_string() == digits {
            return Some(format!("{is}; write 0x before hexadecimal digits"));
        }
        if *bits > 32 && *reported == given & BigInt::from(u32::MAX) {
            return Some(format!("{is}; keep the bits above the lowest 32"));
        }
        let is_rounded = *bits > 53 && reported > given && as_double(given) == as_double(reported);
        is_rounded.then(|| format!("{is}; a number of more than 53 bits does not fit in a double"))
    }
}

fn as_double(number: &BigInt) -> Option<f64> {
    number.to_string().parse().ok()
}

/// Adds the numbers that are at the same place in both values.
fn add_numbers(
    name: &str,
    of: &FieldType,
    [given, reported]: [&Value; 2],
    numbers: &mut Vec<ReportedNumber>,
) {
    /// Of long lists, the first items show it.
    const MAX_ITEMS: usize = 16;
    match (of, given, reported) {
        (FieldType::Optional(inner), ..) => add_numbers(name, inner, [given, reported], numbers),
        (
            FieldType::Unsigned(_) | FieldType::Signed(_) | FieldType::Int,
            Value::Int(given),
            Value::Int(reported),
        ) => {
            let (given, reported) = (given.clone(), reported.clone());
            let bits = of.bits().unwrap_or(u64::BITS);
            numbers.push(ReportedNumber { name: name.to_owned(), bits, given, reported });
        }
        (FieldType::List(item) | FieldType::Array(item, _), Value::List(given), Value::List(reported)) => {
            for (index, pair) in given.iter().zip(reported).enumerate().take(MAX_ITEMS) {
                add_numbers(&format!("{name}[{index}]"), item, [pair.0, pair.1], numbers);
            }
        }
        (FieldType::Tuple(items), Value::List(given), Value::List(reported)) => {
            for (index, (item, pair)) in items.iter().zip(given.iter().zip(reported)).enumerate() {
                add_numbers(&format!("{name}[{index}]"), item, [pair.0, pair.1], numbers);
            }
        }
        (FieldType::Table(fields), ..) => {
            for field in fields {
                if let (Some(given), Some(reported)) = (given.get(&field.name), reported.get(&field.name)) {
                    let name = format!("{name}/{}", field.name);
                    add_numbers(&name, &field.field_type, [given, reported], numbers);
                }
            }
        }
        (FieldType::Memory(memory), Value::Record(given), _) => {
            for (address, given) in given {
                if let Some(reported) = reported.get(address) {
                    add_numbers(&format!("{name}/{address}"), &memory.cell, [given, reported], numbers);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistake_of(of: &FieldType, reported: impl Fn(Value) -> Value) -> Option<String> {
        let given = sample(of);
        let reported = reported(given.clone());
        let other = FieldType::Unsigned(8);
        let same = sample(&other);
        mistake(&[(&"r".into(), of, given, reported), (&"s".into(), &other, same.clone(), same)])
    }

    #[test]
    fn mistakes_of_notation_are_found() {
        let number = |text: &str| Value::int(text.parse::<BigInt>().expect(text));
        for (bits, reported, mistake) in [
            (8, "90", "r is 90, and the program gave 0x90; write 0x before hexadecimal digits"),
            (16, "8010", "r is 8010, and the program gave 0x8010; write 0x"),
            (64, "2032", "the program gave 0x80000000000007f0; keep the bits above the lowest 32"),
            (64, "9223372036854777856", "a number of more than 53 bits does not fit in a double"),
        ] {
            let found = mistake_of(&FieldType::Unsigned(bits), |_| number(reported));
            assert!(found.as_ref().is_some_and(|it| it.contains(mistake)), "{bits} {reported}: {found:?}");
        }
        let signed = mistake_of(&FieldType::Signed(16), |_| number("-10"));
        assert!(signed.is_some_and(|it| it.contains("r is -10, and the program gave -0x10; write 0x")));
        let table = FieldType::Tuple(vec![FieldType::Unsigned(8), FieldType::Unsigned(8)]);
        let found = mistake_of(&table, |_| Value::List(vec![number("144"), number("90")]));
        assert!(found.is_some_and(|it| it.starts_with("r[1] is 90")));
    }

    /// A machine has no bits that it does not have, or no memory at that place.
    #[test]
    fn what_a_machine_cannot_have_is_not_a_mistake() {
        assert_eq!(mistake_of(&FieldType::Unsigned(8), |_| Value::int(0x10)), None);
        assert_eq!(mistake_of(&FieldType::Unsigned(8), |_| Value::int(1)), None);
        assert_eq!(mistake_of(&FieldType::Unsigned(64), |given| given), None);
        assert_eq!(mistake_of(&FieldType::Unsigned(64), |_| Value::int(1_u64 << 63)), None);
        let memory = |bits| {
            let number = |bits| Box::new(FieldType::Unsigned(bits));
            FieldType::Memory(MemoryType { address: number(bits), cell: number(8) })
        };
        let none = |_| Value::Record(Vec::new());
        assert_eq!(mistake_of(&memory(32), none), None);
        assert!(mistake_of(&memory(16), none).is_some_and(|it| it.starts_with("r lacks a cell")));
    }
}
