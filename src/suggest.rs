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
    let most = if length < 3 { 0 } else { (length / 3).max(1) };
    let distance = |known: &str| strsim::osa_distance(&word, &known.to_lowercase());
    let near = known.into_iter().map(|known| (distance(known), known));
    let near = near.filter(|(distance, _)| *distance <= most);
    near.min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_names_only() {
        let known = ["expect", "name", "steps", "pc"];
        assert_eq!(nearest("expct", known), Some("expect"));
        assert_eq!(nearest("STEPS", known), Some("steps"));
        assert_eq!(nearest("PC", known), Some("pc"));
        assert_eq!(nearest("pd", known), None);
        assert_eq!(nearest("instructions", known), None);
        assert_eq!(nearest(&"e".repeat(100_000), known), None);
    }
}
