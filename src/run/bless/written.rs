//! The changes of a text that write differences of a case.

use std::collections::{HashMap, HashSet};

use crate::formats::{NotRepresentable, Unwritable, WrongAssertion};
use crate::model::{CaseDifference, Expected, Origin, Path};
use crate::run::load::LoadedCase;
use crate::text::edit::TextChange;

/// Which datum differs: after which step, and its path.
pub(super) type BlessedDatum<'d> = (Option<usize>, &'d Path);

pub(super) fn datum(difference: &CaseDifference) -> BlessedDatum<'_> {
    (difference.step, &difference.at)
}

/// Differences that are written, and those that are not, each with the reason.
#[derive(Default)]
pub(super) struct Written<'d, 'r> {
    pub(super) changes: Vec<TextChange<'d>>,
    pub(super) refused: Vec<(&'r CaseDifference, String)>,
}

/// What writes these differences of a case.
pub(super) fn written<'d, 'r>(
    differences: impl Iterator<Item = &'r CaseDifference>,
    loaded: &LoadedCase<'d>,
) -> Written<'d, 'r> {
    let each: Vec<_> = differences.map(|difference| (difference, write_back(difference, loaded))).collect();
    let container = |(difference, result): &(&'r CaseDifference, Result<_, NotRepresentable>)| {
        let refused = result.as_ref().err().filter(|it| it.what == Unwritable::Container)?;
        Some(((difference.step, difference.at.parent()?), refused.why.clone()))
    };
    let unwritable: HashMap<BlessedDatum<'r>, String> = each.iter().filter_map(container).collect();
    let mut written = Written::default();
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
        let whole = around().find_map(|it| unwritable.get(&it));
        match result {
            Ok(changes) if whole.is_none() => {
                written.changes.extend(changes);
                resized.extend(matches!(difference.expected, Expected::Len(_)).then(|| datum(difference)));
            }
            Ok(_) => written.refused.push((difference, whole.cloned().unwrap_or_default())),
            Err(refused) => written.refused.push((difference, refused.why)),
        }
    }
    written
}

/// The changes that write the actual value, or why it cannot be written.
fn write_back<'d>(
    difference: &CaseDifference,
    loaded: &LoadedCase<'d>,
) -> Result<Vec<TextChange<'d>>, NotRepresentable> {
    // Each round writes and reads them again.
    const MAX_VALUES: usize = 100_000;
    let CaseDifference { at, expected, actual, place, .. } = difference;
    if actual.as_ref().is_some_and(|actual| actual.has_more_values_than(MAX_VALUES)) {
        return Err(NotRepresentable::because(format!("it has more than {MAX_VALUES} values in it")));
    }
    let failed = WrongAssertion::new(loaded.document, Origin(place.at), at, expected, actual.as_ref());
    match (loaded.format.write_back)(&failed) {
        Ok(changes) if changes.is_empty() => Err(NotRepresentable::because("the file has no place for it")),
        written => written,
    }
}
