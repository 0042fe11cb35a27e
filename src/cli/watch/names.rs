//! Names of files and cases in a line.

/// The number of names in a line.
const MAX_NAMES: usize = 3;

/// The first of these and how many more there are.
pub(super) fn in_short(names: &[impl AsRef<str>]) -> String {
    let first: Vec<_> = names.iter().take(MAX_NAMES).map(AsRef::as_ref).collect();
    match names.len() - first.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
