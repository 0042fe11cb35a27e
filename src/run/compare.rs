//! Compares the state of a machine with the assertions of a vector.
//!
//! Nothing is configurable here: an [`Assertion`] fully describes what it expects.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::iter;

use smallvec::SmallVec;

use super::ignored_field::IgnoredFields;
use crate::formats::Format;
use crate::machines::observe::Observe;
use crate::model::{
    Assertion, CaseDifference, Expected, Mismatch, Name, NameMarks, NearSearch, Origin, Path, PathKey, Step,
    Value,
};
use crate::testees::TesteeState;
use crate::text::json::Document;

/// An assertion names a field that the machine does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownField {
    /// Its name.
    pub field: String,
    /// The place in the vector.
    pub origin: Origin,
}

/// The differences after a step, in document order, of a case in a document of a format. `number` is the number of
/// the step if the case has several. If the outcome differs, the other assertions are for a state that the machine
/// did not reach, and are not compared. If the outcome is ignored, they are. The error is the first assertion on a
/// field that the machine does not declare.
pub(super) fn differences(
    step: &Step,
    number: Option<usize>,
    (document, format): (&Document, &Format),
    state: &dyn TesteeState,
    ignored: IgnoredFields<'_>,
) -> Result<Vec<CaseDifference>, UnknownField> {
    let left_out = state.left_out();
    let is_left_out = |field: &PathKey| matches!(field, PathKey::Name(name) if left_out.contains(&&**name));
    let is_compared = |it: &&Assertion| !is_left_out(it.at.first()) && !ignored.has(&it.at);
    let mut mismatches = diff_each(step.end.iter().filter(is_compared), state)?;
    if mismatches.is_empty() {
        mismatches = diff_each(step.assertions.iter().filter(is_compared), state)?;
    }
    mismatches.retain(|mismatch| !ignored.has_all_of(mismatch));
    for mismatch in mismatches.iter_mut().filter(|mismatch| has_other_type(mismatch)) {
        let value = document.node_at(mismatch.origin.0);
        let of = value.zip(format.type_beside).and_then(|(value, type_beside)| type_beside(value));
        mismatch.origin = of.map_or(mismatch.origin, |of| Origin(of.at()));
    }
    mismatches.sort_by_key(|mismatch| mismatch.origin);
    let difference = |Mismatch { at, expected, actual, origin }| {
        let end = step.end.as_ref().filter(|end| end.at == at);
        let note = state.explain(&at).or_else(|| end?.rule.map(str::to_owned));
        let expected = ignored.without_bits(&at, expected);
        let note = note.or_else(|| state.tell_apart(&at, &expected, actual.as_ref()));
        CaseDifference { step: number, at, expected, actual, place: document.place(origin.0), note }
    };
    Ok(mismatches.into_iter().map(difference).collect())
}

/// Whether the actual value has another type than the demanded one.
fn has_other_type(mismatch: &Mismatch) -> bool {
    match (&mismatch.expected, &mismatch.actual) {
        (Expected::Is(Value::Typed(demanded, _)), Some(Value::Typed(actual, _))) => demanded != actual,
        _ => false,
    }
}

/// The assertions that do not hold in `state`, in their order. The error is the first assertion on a field that the
/// machine does not declare.
pub fn diff(assertions: &[Assertion], state: &dyn Observe) -> Result<Vec<Mismatch>, UnknownField> {
    diff_each(assertions.iter(), state)
}

/// What `compare` finds for the assertions on what the user does not ignore. Errors are those of `compare`.
pub(crate) fn compare_rest(
    ignored: IgnoredFields<'_>,
    assertions: &[Assertion],
    compare: impl FnOnce(&[Assertion]) -> Result<Vec<Mismatch>, UnknownField>,
) -> Result<Vec<Mismatch>, UnknownField> {
    if ignored.is_none() {
        return compare(assertions);
    }
    let rest: Vec<_> = assertions.iter().filter(|it| !ignored.has(&it.at)).cloned().collect();
    let mut mismatches = compare(&rest)?;
    mismatches.retain(|mismatch| !ignored.has_all_of(mismatch));
    Ok(mismatches)
}

fn diff_each<'c>(
    assertions: impl Iterator<Item = &'c Assertion> + Clone,
    state: &dyn Observe,
) -> Result<Vec<Mismatch>, UnknownField> {
    let fields = observe_each(assertions.clone(), state)?;
    let mut finder = DatumFinder { fields: &fields[..], near: NearSearch::default(), large: HashMap::new() };
    let mut mismatches = Vec::new();
    let mut reported = ReportedForms::default();
    for assertion in assertions {
        let actual = finder.find(&assertion.at);
        if reported.imply(&assertion.at, actual) {
            continue;
        }
        let before = mismatches.len();
        compare(assertion, actual, &mut mismatches);
        if mismatches.len() > before {
            reported.add(assertion);
        }
    }
    Ok(mismatches)
}

/// The assertions on the form of a value that are reported already: others must fail because these do.
#[derive(Default)]
struct ReportedForms<'c> {
    /// Values that have another type: all that is in them differs.
    types: HashSet<&'c Path>,
    /// Values that have another length: what is missing in them is missing because of that.
    lengths: HashSet<&'c Path>,
}

impl<'c> ReportedForms<'c> {
    fn add(&mut self, assertion: &'c Assertion) {
        match assertion.expected {
            Expected::Type(_) | Expected::Record => self.types.insert(&assertion.at),
            Expected::Len(_) => self.lengths.insert(&assertion.at),
            _ => false,
        };
    }

    /// Whether one of them implies that an assertion on this datum fails.
    fn imply(&self, at: &Path, actual: Option<&Value>) -> bool {
        let mut around = iter::successors(Some(at), |path| path.parent());
        let is_missing = actual.is_none();
        !(self.types.is_empty() && self.lengths.is_empty())
            && around.any(|path| self.types.contains(path) || is_missing && self.lengths.contains(path))
    }
}

/// The fields that assertions name; as many as most name take no allocation.
type ObservedFields<'c, 's> = SmallVec<[(&'c PathKey, Option<Cow<'s, Value>>); 4]>;

/// Observes every field that an assertion names, once.
fn observe_each<'c, 's>(
    assertions: impl Iterator<Item = &'c Assertion>,
    state: &'s dyn Observe,
) -> Result<ObservedFields<'c, 's>, UnknownField> {
    let mut fields = ObservedFields::new();
    let mut marks = NameMarks::default();
    // All of them, if they are many.
    let mut many = HashSet::new();
    for assertion in assertions {
        let field = assertion.at.first();
        match field {
            PathKey::Name(name) => {
                // Assertions on a field mostly follow each other.
                let is_among = |fields: &ObservedFields<'_, '_>| fields.iter().rev().any(|it| it.0 == field);
                if marks.add(name) && (many.contains(field) || many.is_empty() && is_among(&fields)) {
                    continue;
                }
                let value = state.observed(name);
                if value.is_none() && !state.has_field(name) {
                    return Err(UnknownField { field: field.to_string(), origin: assertion.origin });
                }
                fields.push((field, value));
                if fields.len() > MAX_SCANNED_MEMBERS {
                    let added = if many.is_empty() { 0 } else { fields.len() - 1 };
                    many.extend(fields[added..].iter().map(|observed| observed.0));
                }
            }
            PathKey::Index(_) => {
                return Err(UnknownField { field: field.to_string(), origin: assertion.origin });
            }
        }
    }
    Ok(fields)
}

/// A record of no more members is searched member by member. The names of a larger one are hashed once, since
/// otherwise assertions on all n members would take n² steps.
const MAX_SCANNED_MEMBERS: usize = 32;

/// Finds data by path.
struct DatumFinder<'v> {
    fields: &'v [(&'v PathKey, Option<Cow<'v, Value>>)],
    near: NearSearch,
    large: HashMap<*const Value, HashMap<&'v str, &'v Value>>,
}

impl<'v> DatumFinder<'v> {
    fn find(&mut self, path: &Path) -> Option<&'v Value> {
        if let Some(parent) = path.parent() {
            let value = self.find(parent)?;
            return self.child(value, path.last());
        }
        let field = self.near.find(self.fields.len(), |field| self.fields[field].0 == path.last())?;
        self.fields[field].1.as_deref()
    }

    fn child(&mut self, value: &'v Value, key: &PathKey) -> Option<&'v Value> {
        match (value, key) {
            (Value::Record(members), PathKey::Name(name)) if members.len() > MAX_SCANNED_MEMBERS => {
                let names = self
                    .large
                    .entry(std::ptr::from_ref(value))
                    .or_insert_with(|| members.iter().map(|(name, value)| (&**name, value)).collect());
                names.get(&**name).copied()
            }
            _ => value.child(key),
        }
    }
}

fn compare(assertion: &Assertion, actual: Option<&Value>, mismatches: &mut Vec<Mismatch>) {
    let holds = match (&assertion.expected, actual) {
        (Expected::Is(expected), actual) => actual == Some(expected),
        (Expected::Bits(expected), actual) => actual.is_some_and(|actual| expected.has(actual)),
        (Expected::OneOf(values), actual) => actual.is_some_and(|actual| values.contains(actual)),
        (Expected::IsOrAbsent(expected), actual) => actual.is_none_or(|actual| actual == expected),
        (Expected::Only(keys), Some(value)) if value.members().is_some() => {
            return only(assertion, keys, value.members().unwrap_or_default(), mismatches);
        }
        (Expected::Type(expected), actual) => {
            matches!(actual, Some(Value::Typed(name, _)) if name == expected)
        }
        (Expected::Record, actual) => matches!(actual, Some(Value::Record(_))),
        (Expected::Order(keys), Some(value)) => {
            value.members().is_some_and(|members| in_order(keys, members))
        }
        // A machine that does not report a field does not show what else is in it.
        (Expected::Only(_), None) => assertion.at.parent().is_some(),
        (Expected::Absent | Expected::Order(_), None) => true,
        (Expected::Absent | Expected::Only(_), Some(_)) => false,
        (Expected::Len(expected), actual) => actual.and_then(Value::len) == Some(*expected),
    };
    if !holds {
        mismatches.push(Mismatch {
            at: assertion.at.clone(),
            expected: assertion.expected.clone(),
            actual: actual.cloned(),
            origin: assertion.origin,
        });
    }
}

/// Whether those members that are listed come in the order of the list.
fn in_order(keys: &[PathKey], members: &[(Name, Value)]) -> bool {
    let names = keys.iter().enumerate().filter_map(|(place, key)| match key {
        PathKey::Name(name) => Some((name, place)),
        PathKey::Index(_) => None,
    });
    let places: HashMap<_, _> = names.collect();
    members.iter().filter_map(|(name, _)| places.get(name)).is_sorted()
}

/// Reports one mismatch for each member that is not allowed.
fn only(assertion: &Assertion, keys: &[PathKey], members: &[(Name, Value)], mismatches: &mut Vec<Mismatch>) {
    let names = keys.iter().filter_map(|key| match key {
        PathKey::Name(name) => Some(&**name),
        PathKey::Index(_) => None,
    });
    let hashed = (keys.len() > MAX_SCANNED_MEMBERS).then(|| names.clone().collect::<HashSet<&str>>());
    let is_listed = |name: &str| match &hashed {
        Some(hashed) => hashed.contains(name),
        None => names.clone().any(|listed| listed == name),
    };
    for (name, value) in members {
        if !is_listed(name) {
            mismatches.push(Mismatch {
                at: assertion.at.child(name.clone()),
                expected: Expected::Absent,
                actual: Some(value.clone()),
                origin: assertion.origin,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct OneField(Value);

    impl Observe for OneField {
        fn has_field(&self, field: &str) -> bool {
            field == "post"
        }

        fn observe(&self, field: &str) -> Option<Value> {
            self.has_field(field).then(|| self.0.clone())
        }
    }

    fn demand(at: Path, expected: Expected) -> Assertion {
        Assertion::new(at, expected, Origin(0))
    }

    fn differing(assertions: &[Assertion], state: Value) -> Vec<Path> {
        let found = diff(assertions, &OneField(state)).expect("a known field");
        found.into_iter().map(|mismatch| mismatch.at).collect()
    }

    #[test]
    fn a_field_that_the_machine_does_not_declare_is_an_error() {
        let unknown = Assertion::new(Path::field("nosuch").child("a"), Expected::Absent, Origin(7));
        let found = diff(&[demand(Path::field("post"), Expected::Record), unknown], &OneField(Value::Null));
        assert_eq!(found, Err(UnknownField { field: "nosuch".to_owned(), origin: Origin(7) }));
    }

    #[test]
    fn what_another_form_implies_is_not_reported() {
        let post = Path::field("post");
        let (list, item) = (post.child("list"), post.child("list").child(1));
        let five = || Expected::Is(Value::int(5));
        let nothing = || Value::Record(Vec::new());
        let in_record =
            [demand(post.child("a"), Expected::Record), demand(post.child("a").child("b"), five())];
        assert_eq!(differing(&in_record, nothing()), [post.child("a")]);
        let in_list = [demand(list.clone(), Expected::Len(2)), demand(item.clone(), five())];
        let state = |items| Value::record([("list", Value::List(items))]);
        let fours = |count| differing(&in_list, state(vec![Value::int(4); count]));
        // In the longer list, the item is there, and is wrong by itself.
        assert_eq!([fours(1), fours(3)], [vec![list.clone()], vec![list, item]]);
    }

    /// Searching all missing accounts for each of them would take minutes.
    #[test]
    fn many_missing_accounts_are_reported() {
        const ACCOUNTS: usize = 100_000;
        let post = Path::field("post").as_parent();
        let missing = (0..ACCOUNTS).flat_map(|number| {
            let account = post.child(format!("{number:#x}"));
            let nonce = demand(account.child("nonce"), Expected::Is(Value::int(1)));
            [demand(account, Expected::Record), nonce]
        });
        assert_eq!(differing(&missing.collect::<Vec<_>>(), Value::Record(Vec::new())).len(), ACCOUNTS);
    }

    /// Searching all keys for each member would take minutes.
    #[test]
    fn the_order_of_many_members_is_compared() {
        const MEMBERS: i64 = 200_000;
        let member = |number: i64| (number.to_string(), Value::int(number));
        let key = |number: i64| PathKey::from(number.to_string());
        let order = [demand(Path::field("post"), Expected::Order((0..MEMBERS).map(key).collect()))];
        let others = (MEMBERS..2 * MEMBERS).map(member);
        assert_eq!(differing(&order, Value::record((0..MEMBERS).map(member).chain(others))), []);
        assert_eq!(differing(&order, Value::record((0..MEMBERS).rev().map(member))), [Path::field("post")]);
    }
}
