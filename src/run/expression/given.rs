//! Selects cases by what they give to the machine and by what they demand: `has(a=0xff)`, `field(ram)`.

use crate::model::{Case, PathKey, Value};
use crate::text::number::integer;

/// The path and the value of `PATH=VALUE`. Fails when it has another form.
pub(super) fn parts(text: &str) -> Result<(&str, &str), ()> {
    let (path, value) = text.split_once('=').ok_or(())?;
    if path.trim().is_empty() { Err(()) } else { Ok((path.trim(), value.trim())) }
}

/// Whether the program of a case has this value at the path `member/member/index`.
pub(super) fn has(case: &Case, path: &str, value: &str) -> bool {
    let inner = path.split('/').try_fold(&*case.program.0, |value, key| match value {
        Value::List(items) => items.get(key.parse::<usize>().ok()?),
        // Cells and numbers as keys have one notation, vectors have others.
        _ => value.get(key).or_else(|| value.get(&format!("{:#x}", integer(key)?))),
    });
    inner.is_some_and(|inner| is_written(inner, value))
}

/// Whether a text denotes this value: a number in decimal or in hex, bytes in hex, or text.
fn is_written(value: &Value, text: &str) -> bool {
    match value {
        Value::Null => text == "null",
        Value::Bool(bool) => {
            text == if *bool { "true" } else { "false" } || text == if *bool { "1" } else { "0" }
        }
        Value::Int(number) => integer(text).is_some_and(|other| other == *number),
        Value::Bytes(bytes) => hex::decode(text).is_ok_and(|other| other == *bytes),
        Value::Text(own) => own == text,
        Value::Typed(_, inner) => is_written(inner, text),
        Value::List(_) | Value::Record(_) => false,
    }
}

/// The fields of the state that a case demands, with repeats.
pub(super) fn demanded(case: &Case) -> impl Iterator<Item = &str> {
    let assertions = case.demands();
    assertions.filter_map(|assertion| match assertion.at.first() {
        PathKey::Name(name) => Some(&**name),
        PathKey::Index(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_may_have_only_a_minus_sign() {
        let is_written = |number: i64, text: &str| is_written(&Value::int(number), text);
        assert!(is_written(-16, "-0x10") && is_written(-16, "-16") && is_written(1_000, "0x3e8"));
        assert!(!is_written(-16, "0x-10") && !is_written(1_000, "1_000") && !is_written(16, "+16"));
    }
}
