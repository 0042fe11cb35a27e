//! The changes of a text that write differences of a case.

use std::collections::{HashMap, HashSet};

use crate::formats::{NotRepresentable, Unwritable, WrongAssertion};
use crate::machines::ends_of;
use crate::model::{CaseDifference, Expected, Origin, Path, PathKey};
use crate::run::load::LoadedCase;
use crate::text::edit::TextChange;

/// Which datum differs: after which step, and its path.
pub(super) type BlessedDatum<'d> = (Option<usize>, &'d Path);

pub(super) fn datum(difference: &CaseDifference) -> BlessedDatum<'_> {
    (difference.step, &difference.at)
}

/// Differences that are written, and those that are not, each with the reason.
#[derive(Default)]
pub(super) struct WrittenDifferences<'d, 'r> {
    pub(super) changes: Vec<TextChange<'d>>,
    /// Those of them that add something since the run ended in another way.
    pub(super) of_ends: Vec<TextChange<'d>>,
    pub(super) refused: Vec<(&'r CaseDifference, String)>,
}

/// What writes these differences of a case.
pub(super) fn written<'d, 'r>(
    differences: impl Iterator<Item = &'r CaseDifference>,
    loaded: &LoadedCase<'d>,
) -> WrittenDifferences<'d, 'r> {
    let each: Vec<_> = differences.map(|difference| (difference, write_back(difference, loaded))).collect();
    let refusal = |each: &(&'r CaseDifference, Result<_, NotRepresentable>), of: Unwritable| {
        each.1.as_ref().err().filter(|it| it.what == of).map(|it| it.why.clone())
    };
    let container = |each: &_| {
        let why = refusal(each, Unwritable::Container)?;
        Some(((each.0.step, each.0.at.parent()?), why))
    };
    let unwritable: HashMap<BlessedDatum<'r>, String> = each.iter().filter_map(container).collect();
    let is_none = |each: &&(&'r CaseDifference, _)| {
        each.0.actual.is_none() && refusal(each, Unwritable::Datum).is_some()
    };
    let without_value: HashSet<BlessedDatum<'r>> =
        each.iter().filter(is_none).map(|each| datum(each.0)).collect();
    let mut written = WrittenDifferences::default();
    let mut resized: HashSet<BlessedDatum<'r>> = HashSet::new();
    for (difference, result) in each {
        let around = || {
            let paths = std::iter::successors(Some(&difference.at), |at| at.parent());
            paths.map(|at: &Path| (difference.step, at))
        };
        // When the length of a list changes, its items may get other indices.
        if around().any(|list| resized.contains(&list)) {
            continue;
        }
        // What is demanded in a datum stays if that there is none cannot be written.
        if around().skip(1).any(|datum| without_value.contains(&datum)) {
            continue;
        }
        let whole = around().find_map(|it| unwritable.get(&it));
        match result {
            Ok(changes) if whole.is_none() => {
                if is_end(difference, loaded) {
                    let is_added = |change: &&TextChange<'_>| matches!(change, TextChange::Insert { .. });
                    written.of_ends.extend(changes.iter().filter(is_added).cloned());
                }
                written.changes.extend(changes);
                resized.extend(matches!(difference.expected, Expected::Len(_)).then(|| datum(difference)));
            }
            Ok(_) => written.refused.push((difference, whole.cloned().unwrap_or_default())),
            Err(refused) => written.refused.push((difference, refused.why)),
        }
    }
    written
}

/// Whether it is in how the run ended.
fn is_end(difference: &CaseDifference, loaded: &LoadedCase<'_>) -> bool {
    is_field_of(&difference.at, ends_of(loaded.format.machine).fields)
}

/// Whether it is one of these fields, not a datum in it.
fn is_field_of(at: &Path, fields: &[&str]) -> bool {
    at.parent().is_none() && matches!(at.last(), PathKey::Name(name) if fields.contains(&&**name))
}

/// The changes that write the actual value, or why it cannot be written.
fn write_back<'d>(
    difference: &CaseDifference,
    loaded: &LoadedCase<'d>,
) -> Result<Vec<TextChange<'d>>, NotRepresentable> {
    // Each round writes and reads them again.
    const MAX_VALUES: usize = 100_000;
    let CaseDifference { at, expected, actual, place, .. } = difference;
    // An answer leaves out what has no value. To remove the demand would not say that there is none.
    let may_be_missing = is_field_of(at, ends_of(loaded.format.machine).only_after_some);
    if actual.is_none() && at.parent().is_none() && !may_be_missing {
        return Err(NotRepresentable::nothing());
    }
    if actual.as_ref().is_some_and(|actual| actual.has_more_values_than(MAX_VALUES)) {
        return Err(NotRepresentable::because(format!("it has more than {MAX_VALUES} values in it")));
    }
    let failed = WrongAssertion::new(loaded.document, Origin(place.at), at, expected, actual.as_ref());
    match (loaded.format.write_back)(&failed) {
        Ok(changes) if changes.is_empty() => Err(NotRepresentable::because("the file has no place for it")),
        written => written,
    }
}
