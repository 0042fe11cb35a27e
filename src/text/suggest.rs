//! "Did you mean …": the known name closest to a misspelled one.

/// The name in `known` that `word` most likely misspells, if any is close enough.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    // No name is longer, and the time to compare grows with the product of both lengths.
    const MAX_LENGTH: usize = 40;
    let length = word.chars().count();
    if length > MAX_LENGTH {
        return None;
    }
    let word = word.to_lowercase();
    let most = if length < 3 { 0 } else { (length / 4).max(1) };
    let distance = |known: &str| strsim::osa_distance(&word, &known.to_lowercase());
    // The distance is at least the difference in length, so most names need no comparison.
    let known = known.into_iter().filter(|known| known.chars().count().abs_diff(length) <= most);
    let near = known.map(|known| (distance(known), known));
    let near = near.filter(|(distance, _)| *distance <= most);
    // A wrong character is more likely than a missing one.
    near.min_by_key(|(distance, known)| (*distance, known.len().abs_diff(word.len()))).map(|near| near.1)
}

/// Asks at the end of a message whether the name in `known` is meant that `word` most likely misspells; empty if none
/// is close enough.
pub fn did_you_mean<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    nearest(word, known).map_or_else(String::new, |near| format!("; did you mean {near}?"))
}

#[cfg(test)]
mod tests;
