//! "Did you mean …": the name that a misspelled one is near to.

/// The one of `known` that `word` is most likely a misspelling of, if any is near enough.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    // No name is longer, and comparing takes time in the product of both lengths.
    const LONGEST: usize = 40;
    let length = word.chars().count();
    if length > LONGEST {
        return None;
    }
    let word = word.to_lowercase();
    let most = if length < 3 { 0 } else { (length / 4).max(1) };
    let distance = |known: &str| strsim::osa_distance(&word, &known.to_lowercase());
    // At least this number of characters are missing or surplus; most names need no comparison.
    let known = known.into_iter().filter(|known| known.chars().count().abs_diff(length) <= most);
    let near = known.map(|known| (distance(known), known));
    let near = near.filter(|(distance, _)| *distance <= most);
    // A wrong character is likelier than a missing one.
    near.min_by_key(|(distance, known)| (*distance, known.len().abs_diff(word.len()))).map(|near| near.1)
}

#[cfg(test)]
mod tests;
