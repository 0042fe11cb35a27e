//! The state that a case demands, and its root.

use crate::machines::{self, Hashed};
use crate::model::rule::LintRule;
use crate::model::{
    Assertion, Case, Diagnostic, Expected, Name, Origin, Path, PathKey, Value, Verdict, bytes_key,
};

fn assertions(case: &Case) -> impl Iterator<Item = &Assertion> {
    case.steps.iter().flat_map(|step| &step.assertions)
}

/// What is wrong with the root that a case demands together with a whole state: the root of that state.
pub(crate) fn wrong_root(case: &Case) -> Option<Diagnostic<Origin>> {
    let (_, hashed) = demanded(case)?;
    let root = assertions(case).find(|it| it.at == Path::field(hashed.root))?;
    let actual = (hashed.root_of)(&state(case, &hashed))?;
    if root.expected == Expected::Is(actual.clone()) {
        return None;
    }
    let what = "this is not the root of the state that is demanded with it";
    Some(Diagnostic::at(root.origin.0, what).expected(actual.to_string()).under(LintRule::WrongRoot))
}

/// Whether a case fails in the state that it demands, or at the root of that.
pub(super) fn fails_in_state(case: &Case, verdict: &Verdict) -> bool {
    let hashed = machines::by_name(case.machine).and_then(|machine| machine.hashed);
    hashed.zip(verdict.failure()).is_some_and(|(hashed, failure)| {
        let fields = [hashed.root, hashed.state].map(|name| PathKey::from(name.to_owned()));
        failure.differences.iter().any(|it| fields.contains(it.at.first()))
    })
}

/// The root that a case demands, if it demands the whole state as well.
pub(super) fn demanded(case: &Case) -> Option<(String, Hashed)> {
    let hashed = machines::by_name(case.machine)?.hashed?;
    let state = Path::field(hashed.state);
    assertions(case).find(|it| it.at == state && matches!(it.expected, Expected::Only(_)))?;
    let root = assertions(case).find(|it| it.at == Path::field(hashed.root))?;
    let Expected::Is(Value::Bytes(root)) = &root.expected else { return None };
    Some((bytes_key(root), hashed))
}

/// The state that the leaves of a case add up to.
pub(super) fn state(case: &Case, hashed: &Hashed) -> Value {
    let mut state = Value::Record(Vec::new());
    for assertion in assertions(case).filter(|it| it.at.starts_with(&Path::field(hashed.state))) {
        let value = match &assertion.expected {
            Expected::Is(value) => value.clone(),
            // An account, or its storage, which may be empty.
            Expected::Record | Expected::Only(_) => Value::Record(Vec::new()),
            _ => continue,
        };
        let keys = assertion.at.keys();
        let names =
            keys[1..].iter().filter_map(|key| if let PathKey::Name(name) = key { Some(name) } else { None });
        put(&mut state, &names.collect::<Vec<_>>(), value);
    }
    state
}

/// Puts a value into records within a record, which it makes.
fn put(record: &mut Value, way: &[&Name], value: Value) {
    let (Value::Record(members), [first, rest @ ..]) = (record, way) else { return };
    if rest.is_empty() {
        return members.push(((*first).clone(), value));
    }
    // Leaves come account by account.
    if members.last().is_none_or(|last| last.0 != **first) {
        members.push(((*first).clone(), Value::Record(Vec::new())));
    }
    if let Some(last) = members.last_mut() {
        put(&mut last.1, rest, value);
    }
}
