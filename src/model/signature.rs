//! How a case fails, so that failures with one cause look alike: the machine, where the first difference is,
//! and what kind of difference it is.

use std::fmt;

use indexmap::IndexSet;

use super::assertion::Expected;
use super::diagnostic::Diagnostic;
use super::escape::escaped;
use super::path::{Path, PathKey};
use super::value::Value;
use super::verdict::{Breakdown, CaseDifference, Failure, FirstTry, Verdict};

/// The maximum length of a signature and of a cause, in characters; a vector controls the length of a message.
pub const MAX_SIGNATURE: usize = 400;

/// How a case fails: `evm post/*/storage/*: other value`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signature {
    /// The machine.
    pub machine: String,
    /// The path of the first difference, with `*` for what varies from case to case.
    pub path: String,
    /// The kind of difference.
    pub kind: String,
}

impl Signature {
    /// The signature of a failure; `None` if it has no differences, which never happens.
    pub fn of(machine: &str, failure: &Failure) -> Option<Signature> {
        let first = failure.differences.first()?;
        Some(Signature { machine: machine.to_owned(), path: generalised(&first.at), kind: kind(first) })
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Signature { machine, path, kind } = self;
        write!(f, "{machine} {path}: {kind}")
    }
}

/// The signature of a case that does not pass. For a broken case, the errors without the names and numbers of
/// its vector: `evm error: "…" is not a quantity`. `None` for a case that passes, is known to fail or did not
/// run.
pub fn signature(machine: Option<&str>, verdict: &Verdict) -> Option<String> {
    let signature = match verdict {
        Verdict::Pass | Verdict::Known(..) | Verdict::Fixed(_) | Verdict::Skip(_) => {
            return None;
        }
        Verdict::Fail(failure) => Signature::of(machine.unwrap_or_default(), failure)?.to_string(),
        Verdict::Error(diagnostics) => {
            format!("{}error: {}", of_machine(machine), broken(diagnostics))
        }
        Verdict::Unsupported(reason) => format!("{}unsupported: {}", of_machine(machine), general(reason)),
        Verdict::Crash(Breakdown { what, .. }) => format!("{}crash: {}", of_machine(machine), general(what)),
        Verdict::Timeout(_) => format!("{}timeout", of_machine(machine)),
        Verdict::Flaky(FirstTry { breakdown, .. }) => {
            format!("{}flaky: {}", of_machine(machine), general(&breakdown.what))
        }
    };
    Some(escaped(&signature).chars().take(MAX_SIGNATURE).collect())
}

fn of_machine(machine: Option<&str>) -> String {
    machine.map_or_else(String::new, |machine| format!("{machine} "))
}

/// The signature, followed by how the run ended if that is not as expected, since the status word alone says
/// little about the cause.
pub fn cause(machine: Option<&str>, verdict: &Verdict) -> Option<String> {
    let signature = signature(machine, verdict)?;
    let ended = verdict.failure().filter(|it| it.differences.first().is_some_and(|it| ends(it).is_some()));
    let ended = ended.map(|failure| general(clause(&failure.ended))).filter(|ended| !ended.is_empty());
    let ended = ended.map_or(String::new(), |ended| format!("; {ended}"));
    Some(format!("{signature}{ended}").chars().take(MAX_SIGNATURE).collect())
}

/// All errors, without duplicates.
fn broken(diagnostics: &[Diagnostic]) -> String {
    let causes: IndexSet<String> = diagnostics.iter().map(|diagnostic| general(&diagnostic.what)).collect();
    causes.into_iter().collect::<Vec<_>>().join("; ")
}

/// How a machine ended, without the details: `out of gas at 0x1f SSTORE`.
fn clause(ended: &str) -> &str {
    ended.split([',', ';']).next().unwrap_or(ended)
}

/// The path with `*` for indices, and for keys that are numbers or bytes, such as addresses.
fn generalised(path: &Path) -> String {
    let mut text = path.parent().map_or_else(String::new, generalised);
    match path.last() {
        PathKey::Index(_) => text.push_str("[*]"),
        PathKey::Name(name) => {
            if path.parent().is_some() {
                text.push('/');
            }
            let is_number = name.starts_with("0x") || name.chars().all(|it| it.is_ascii_digit());
            text.push_str(if is_number { "*" } else { name });
        }
    }
    text
}

/// For a field that is a word, such as the status, both words; otherwise the kind of difference.
fn kind(difference: &CaseDifference) -> String {
    if let Some((expected, actual)) = ends(difference) {
        return format!("{actual} instead of {expected}");
    }
    let kind = match (&difference.expected, &difference.actual) {
        (Expected::Absent | Expected::Only(_), _) => "extra",
        (_, None) => "missing",
        (Expected::Len(_), _) => "other length",
        (Expected::Type(_) | Expected::Record, _) => "other type",
        (Expected::Order(_), _) => "other order",
        (expected, Some(actual)) if expected.value().is_some_and(|it| type_of(it) != type_of(actual)) => {
            "other type"
        }
        (Expected::Is(_) | Expected::Bits(_) | Expected::IsOrAbsent(_) | Expected::OneOf(_), Some(_)) => {
            "other value"
        }
    };
    kind.to_owned()
}

/// The expected and the actual word of a field, such as how the run ended.
fn ends(CaseDifference { at, expected, actual, .. }: &CaseDifference) -> Option<(&str, &str)> {
    match (expected, actual) {
        (Expected::Is(Value::Text(expected)), Some(Value::Text(actual)))
            if at.parent().is_none() && is_status(expected) && is_status(actual) =>
        {
            Some((expected, actual))
        }
        _ => None,
    }
}

/// Whether a text may say how a run ended: `out of gas`, and not `-25`. An empty one says nothing.
fn is_status(text: &str) -> bool {
    text.chars().next().is_none_or(char::is_alphabetic)
}

fn type_of(value: &Value) -> &str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int",
        Value::Bytes(_) => "bytes",
        Value::Text(_) => "text",
        Value::List(_) => "list",
        Value::Record(_) => "record",
        Value::Typed(name, _) => name,
    }
}

/// The text with `#` for each number and `"…"` for each quoted part. A digit inside a word, as in
/// `PUSH1`, belongs to the word, and so does the number of a name in capitals, as in `UTF-8`.
fn general(text: &str) -> String {
    let text = escaped(text);
    let (mut general, mut rest) = (String::new(), &*text);
    while let Some(first) = rest.chars().next() {
        let (written, length) = match first {
            '"' => ("\"…\"", quoted(rest)),
            '0'..='9' => ("#", word(rest)),
            _ if first.is_alphanumeric() => (&rest[..name(rest)], name(rest)),
            _ => (&rest[..first.len_utf8()], first.len_utf8()),
        };
        general.push_str(written);
        rest = &rest[length..];
    }
    general
}

/// The length of the word at the start of the text.
fn word(text: &str) -> usize {
    text.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(text.len())
}

/// The length of the word at the start of the text, with its number if it is a name such as `UTF-8`.
fn name(text: &str) -> usize {
    let length = word(text);
    let is_name = length > 1 && text[..length].chars().all(|it| it.is_ascii_uppercase());
    match text[length..].strip_prefix('-') {
        Some(number) if is_name && number.starts_with(|it: char| it.is_ascii_digit()) => {
            length + 1 + word(number)
        }
        _ => length,
    }
}

/// The length of the quoted part at the start of the text; a quote after a backslash does not end it.
fn quoted(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_quoted_parts_are_not_in_a_signature() {
        assert_eq!(general("out of gas at 0x1f PUSH1, 12 left"), "out of gas at # PUSH1, # left");
        assert_eq!(general("not UTF-8, at byte 12, gas-3 -4"), "not UTF-8, at byte #, gas-# -#");
        assert_eq!(general(r#"member "a\"b" of "#), r#"member "…" of "#);
        assert_eq!(general(r#"an open "quote é"#), r#"an open "…""#);
    }

    #[test]
    fn varying_parts_of_a_path_are_stars() {
        let storage = Path::field("post").child("0x0f".to_owned()).child("storage");
        assert_eq!(generalised(&storage.child("0x01".to_owned())), "post/*/storage/*");
        assert_eq!(generalised(&Path::field("logs").child(3).child("data")), "logs[*]/data");
    }
}
