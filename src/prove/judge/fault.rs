//! The faults of the comparison: each accepts some of what differs.

use num_bigint::{BigInt, Sign};

use crate::machines::observe::Observe;
use crate::model::{Expected, Mismatch, Path, PathKey, Value};

/// A datum that differs, and where.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct JudgedDifference<'m> {
    /// What differs.
    pub mismatch: &'m Mismatch,
    /// The state after the step.
    pub(super) state: &'m dyn Observe,
    /// Whether it is how the step ends.
    pub is_end: bool,
    /// Whether it is in the first step of the case.
    pub is_in_first_step: bool,
    /// Whether it is in the last step of the case.
    pub is_in_last_step: bool,
    /// Whether it belongs to the first assertion of the step.
    pub is_of_first_assertion: bool,
    /// Whether it belongs to the last assertion of the step.
    pub is_of_last_assertion: bool,
}

/// A fault of the comparison.
pub struct JudgeFault {
    /// Its name.
    pub name: &'static str,
    /// What is wrong, for people.
    pub doc: &'static str,
    /// Whether the comparison accepts a datum that differs.
    pub(super) forgives: fn(&JudgedDifference<'_>) -> bool,
}

const fn row(
    name: &'static str,
    doc: &'static str,
    forgives: fn(&JudgedDifference<'_>) -> bool,
) -> JudgeFault {
    JudgeFault { name, doc, forgives }
}

/// Every fault.
#[rustfmt::skip]
pub static FAULTS: &[JudgeFault] = &[
    row("nothing-compared", "nothing is compared", |_| true),
    row("no-end", "how a step ends is not compared", |it| it.is_end),
    row("only-end", "only how a step ends is compared", |it| !it.is_end),
    row("first-skipped", "the first expectation of a step is not compared", |it| {
        !it.is_end && it.is_of_first_assertion
    }),
    row("last-skipped", "the last expectation of a step is not compared", |it| {
        !it.is_end && it.is_of_last_assertion
    }),
    row("only-first", "only the first expectation of a step is compared", |it| !it.is_end && !it.is_of_first_assertion),
    row("last-step-only", "only the last step is compared", |it| !it.is_in_last_step),
    row("first-step-only", "only the first step is compared", |it| !it.is_in_first_step),

    row("no-values", "values are not compared", |it| matches!(it.mismatch.expected, Expected::Is(_) | Expected::Bits(_))),
    row("no-lengths", "lengths are not compared", |it| matches!(it.mismatch.expected, Expected::Len(_))),
    row("no-types", "types are not compared", |it| matches!(it.mismatch.expected, Expected::Type(_))),
    row("no-order", "the order of the members of a Map is not compared", |it| matches!(it.mismatch.expected, Expected::Order(_))),
    row("no-numbers", "numbers are not compared", |it| matches!(plain(expected(it)), Some(Value::Int(_)))),
    row("no-bytes", "bytes are not compared", |it| matches!(plain(expected(it)), Some(Value::Bytes(_)))),
    row("no-text", "text is not compared", |it| matches!(plain(expected(it)), Some(Value::Text(_)))),
    row("no-truth", "true and false are not compared", |it| matches!(plain(expected(it)), Some(Value::Bool(_)))),
    row("no-null", "null is not compared", |it| expected(it) == Some(&Value::Null)),
    row("depth-2", "data of more than two keys is not compared", |it| it.mismatch.at.keys().len() > 2),
    row("depth-4", "data of more than four keys is not compared", |it| it.mismatch.at.keys().len() > 4),

    row("absent-is-equal", "what the machine lacks is taken for equal", |it| it.mismatch.actual.is_none()),
    row("more-is-equal", "what the vector says is absent may be there", |it| matches!(it.mismatch.expected, Expected::Absent)),
    row("null-is-equal", "null equals anything", |it| expected(it) == Some(&Value::Null) || it.mismatch.actual == Some(Value::Null)),
    row("empty-is-absent", "what is empty or zero equals what is absent", |it| it.mismatch.actual.is_none() && expected(it).is_some_and(is_nothing)),
    row("longer-lists", "a list may have more items", |it| lengths(it).is_some_and(|(expected, actual)| actual > expected)),
    row("shorter-lists", "a list may have fewer items", |it| lengths(it).map_or(it.mismatch.actual.is_none(), |(expected, actual)| actual < expected)),
    row("items-unordered", "the order of items is ignored", is_elsewhere),
    row("only-first-item", "only the first item of a list is compared", |it| it.mismatch.at.keys().iter().any(|key| matches!(key, PathKey::Index(1..)))),
    row("later-members", "only the first member of an object is compared", |it| !is_in_first_member(it)),

    row("modulo-8", "numbers are compared modulo 2^8", |it| are_same_numbers(it, |number| low(number, 8))),
    row("modulo-16", "numbers are compared modulo 2^16", |it| are_same_numbers(it, |number| low(number, 16))),
    row("modulo-32", "numbers are compared modulo 2^32", |it| are_same_numbers(it, |number| low(number, 32))),
    row("modulo-64", "numbers are compared modulo 2^64", |it| are_same_numbers(it, |number| low(number, 64))),
    row("sign-ignored", "the sign of numbers is ignored", |it| are_same_numbers(it, |number| number.magnitude().clone().into())),
    row("nearly-equal", "numbers may differ by one", |it| numbers(it).is_some_and(|(one, other)| (one - other).magnitude() <= &1_u32.into())),
    row("double-precision", "numbers are compared as 64-bit floating-point numbers", |it| are_same_numbers(it, |number| number >> number.bits().saturating_sub(53) << number.bits().saturating_sub(53))),
    row("not-zero", "numbers that are not zero are equal", |it| numbers(it).is_some_and(|(one, other)| one.sign() != Sign::NoSign && other.sign() != Sign::NoSign)),

    row("prefix", "bytes and text are equal if one begins with the other", |it| texts(it).is_some_and(|(one, other)| one.starts_with(&other) || other.starts_with(&one))),
    row("suffix", "bytes and text are equal if one ends with the other", |it| texts(it).is_some_and(|(one, other)| one.ends_with(&other) || other.ends_with(&one))),
    row("first-byte", "only the first byte of bytes and text is compared", |it| texts(it).is_some_and(|(one, other)| one.first() == other.first())),
    row("last-byte", "only the last byte of bytes and text is compared", |it| texts(it).is_some_and(|(one, other)| one.last() == other.last())),
    row("length-only", "only the length of bytes and text is compared", |it| texts(it).is_some_and(|(one, other)| one.len() == other.len())),
    row("zeros-ignored", "zeros at the end of bytes are ignored", |it| texts(it).is_some_and(|(one, other)| without_zeros(&one) == without_zeros(&other))),
    row("case-ignored", "upper and lower case are the same", |it| texts(it).is_some_and(|(one, other)| one.eq_ignore_ascii_case(&other))),
    row("type-ignored", "a value of another type with the same content is equal", is_same_content),
];

fn expected<'m>(seen: &JudgedDifference<'m>) -> Option<&'m Value> {
    seen.mismatch.expected.value()
}

/// The value without its type.
fn plain(value: Option<&Value>) -> Option<&Value> {
    match value? {
        Value::Typed(_, inner) => plain(Some(inner)),
        other => Some(other),
    }
}

fn is_nothing(value: &Value) -> bool {
    value.is_empty() || *value == Value::Null || *value == Value::int(0)
}

/// The expected length and the actual one, if they are what differs.
fn lengths(seen: &JudgedDifference<'_>) -> Option<(usize, usize)> {
    let Expected::Len(expected) = seen.mismatch.expected else { return None };
    Some((expected, seen.mismatch.actual.as_ref()?.len()?))
}

fn numbers<'m>(seen: &JudgedDifference<'m>) -> Option<(&'m BigInt, &'m BigInt)> {
    match (plain(expected(seen))?, plain(seen.mismatch.actual.as_ref())?) {
        (Value::Int(one), Value::Int(other)) => Some((one, other)),
        _ => None,
    }
}

fn are_same_numbers(seen: &JudgedDifference<'_>, part: impl Fn(&BigInt) -> BigInt) -> bool {
    numbers(seen).is_some_and(|(one, other)| part(one) == part(other))
}

fn low(number: &BigInt, bits: u32) -> BigInt {
    number & ((BigInt::from(1) << bits) - 1)
}

/// Bytes or text, expected and actual.
fn texts(seen: &JudgedDifference<'_>) -> Option<(Vec<u8>, Vec<u8>)> {
    match (plain(expected(seen))?, plain(seen.mismatch.actual.as_ref())?) {
        (Value::Bytes(one), Value::Bytes(other)) => Some((one.clone(), other.clone())),
        (Value::Text(one), Value::Text(other)) => Some((one.as_bytes().to_vec(), other.as_bytes().to_vec())),
        _ => None,
    }
}

fn without_zeros(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &bytes[..end]
}

/// Whether the expected item is another item of the same list.
fn is_elsewhere(seen: &JudgedDifference<'_>) -> bool {
    let at = &seen.mismatch.at;
    let (Some(list), PathKey::Index(_), Some(wanted)) = (at.parent(), at.last(), expected(seen)) else {
        return false;
    };
    match plain(find(seen.state, list).as_ref()) {
        Some(Value::List(items)) => items.contains(wanted),
        _ => false,
    }
}

fn find(state: &dyn Observe, at: &Path) -> Option<Value> {
    match at.parent() {
        Some(parent) => find(state, parent)?.child(at.last()).cloned(),
        None => match at.last() {
            PathKey::Name(name) => state.observe(name),
            PathKey::Index(_) => None,
        },
    }
}

/// Whether the datum is in the first member of an object of the state, or in no object.
fn is_in_first_member(seen: &JudgedDifference<'_>) -> bool {
    let mut at = Some(&seen.mismatch.at);
    while let Some(path) = at {
        at = path.parent();
        if let (Some(parent), PathKey::Name(name)) = (path.parent(), path.last())
            && let Some(object) = find(seen.state, parent)
            && object.members().is_some_and(|members| members.first().is_some_and(|first| first.0 != *name))
        {
            return false;
        }
    }
    true
}

/// Whether both have the same content, but different types.
fn is_same_content(seen: &JudgedDifference<'_>) -> bool {
    let number = |value: &Value| match value {
        Value::Int(number) => Some(number.clone()),
        Value::Bool(truth) => Some(BigInt::from(u8::from(*truth))),
        Value::Bytes(bytes) => Some(BigInt::from_signed_bytes_le(bytes)),
        _ => None,
    };
    let actual = seen.mismatch.actual.as_ref();
    match (&seen.mismatch.expected, plain(expected(seen)), plain(actual)) {
        (Expected::Type(_), _, actual) => actual.is_some(),
        (_, Some(one), Some(other)) => {
            one == other || number(one).is_some_and(|one| number(other) == Some(one))
        }
        _ => false,
    }
}
