//! What failures of the same cause have in common: what is left of one without the names and numbers
//! of its vector. Known from a single run, so it says where a run ended, not where it went astray.

use std::borrow::Cow;

use indexmap::IndexSet;

use crate::case::Want;
use crate::event::CaseReport;
use crate::value::{Key, Path, Value, escaped};
use crate::verdict::{Difference, Failure, Trouble, Verdict};

/// The longest signature; a message can be as long as a vector makes it.
const LONGEST: usize = 400;

/// The signature of a case that fails or is broken: `evm post/*/storage/*: other value`.
pub(super) fn signature(report: &CaseReport) -> Option<String> {
    let machine = report.machine.map_or(String::new(), |machine| format!("{machine} "));
    let cause = match &report.verdict {
        Verdict::Pass | Verdict::Skip(_) => return None,
        Verdict::Fail(failure) => difference(failure)?,
        Verdict::Error(troubles) => error(troubles),
    };
    Some(format!("{machine}{cause}").chars().take(LONGEST).collect())
}

/// All that is broken, each thing once.
fn error(troubles: &[Trouble]) -> String {
    let causes: IndexSet<String> = troubles.iter().map(|trouble| general(&trouble.what)).collect();
    format!("error: {}", causes.into_iter().collect::<Vec<_>>().join("; "))
}

fn difference(Failure { differences, ended }: &Failure) -> Option<String> {
    let first = differences.first()?;
    let at = general_path(&first.at);
    Some(match end(first) {
        Some(end) => format!("{at}: {end}; {}", general(clause(ended))),
        None => format!("{at}: {}", kind(&first.want, first.got.as_ref())),
    })
}

/// What a word of the state, such as the kind of end, should have been and was.
fn end(Difference { at, want, got, .. }: &Difference) -> Option<String> {
    match (at.parent(), want, got) {
        (None, Want::Is(Value::Text(_)) | Want::OneOf(_), Some(got @ Value::Text(_))) => {
            Some(format!("expected {}, actual {}", escaped(&want.to_string()), escaped(&got.to_string())))
        }
        _ => None,
    }
}

/// How a machine ended, without the details: `out of gas at 0x1f SSTORE`.
fn clause(ended: &str) -> &str {
    ended.split([',', ';']).next().unwrap_or(ended)
}

/// The path with `*` for each key that the vector chose.
fn general_path(at: &Path) -> String {
    let own = match at.last() {
        Key::Name(Cow::Borrowed(name)) => (*name).to_owned(),
        Key::Name(Cow::Owned(_)) => "*".to_owned(),
        Key::Index(_) => "[*]".to_owned(),
    };
    match (at.parent(), at.last()) {
        (None, _) => own,
        (Some(parent), Key::Name(_)) => format!("{}/{own}", general_path(parent)),
        (Some(parent), Key::Index(_)) => format!("{}{own}", general_path(parent)),
    }
}

/// In which way a datum is not what it should be.
fn kind(want: &Want, got: Option<&Value>) -> &'static str {
    let Some(got) = got else { return "missing" };
    match want {
        Want::Absent | Want::Only(_) => "extra",
        Want::Len(_) => "other length",
        Want::Order(_) => "other order",
        Want::Type(_) | Want::Record => "other type",
        Want::Is(value) | Want::IsOrAbsent(value) if !same_type(value, got) => "other type",
        Want::Is(_) | Want::IsOrAbsent(_) | Want::OneOf(_) => "other value",
    }
}

fn same_type(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Typed(one, _), Value::Typed(other, _)) => one == other,
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

/// The text with `#` for each number and `"…"` for each quoted part. A digit inside a word, as in
/// `PUSH1`, belongs to the word.
fn general(text: &str) -> String {
    let text = escaped(text);
    let (mut general, mut rest) = (String::new(), &*text);
    while let Some(first) = rest.chars().next() {
        let (written, length) = match first {
            '"' => ("\"…\"", quoted(rest)),
            '0'..='9' => ("#", word(rest)),
            _ if first.is_alphanumeric() => (&rest[..word(rest)], word(rest)),
            _ => (&rest[..first.len_utf8()], first.len_utf8()),
        };
        general.push_str(written);
        rest = &rest[length..];
    }
    general
}

/// How long the word is that the text begins with.
fn word(text: &str) -> usize {
    text.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(text.len())
}

/// How long the quoted part is that the text begins with; a quote behind a backslash does not end it.
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
    use super::{general, general_path};
    use crate::value::Path;

    #[test]
    fn numbers_and_quoted_parts_say_nothing_of_the_cause() {
        assert_eq!(general("out of gas at 0x1f PUSH1, 12 left"), "out of gas at # PUSH1, # left");
        assert_eq!(general(r#"member "a\"b" of "#), r#"member "…" of "#);
        assert_eq!(general(r#"an open "quote é"#), r#"an open "…""#);
    }

    #[test]
    fn what_a_vector_chose_is_a_star() {
        let storage = Path::field("post").child("0x0f".to_owned()).child("storage");
        assert_eq!(general_path(&storage.child("0x01".to_owned())), "post/*/storage/*");
        assert_eq!(general_path(&Path::field("logs").child(3).child("data")), "logs[*]/data");
    }
}
