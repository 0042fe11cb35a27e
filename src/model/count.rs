//! Counts in words.

/// A count and what is counted, such as `1 case` or `2 cases`. The plural adds an `s`, or `ies` for a `y` after
/// a consonant.
pub fn counted(count: impl TryInto<u64>, what: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    match (count, what.strip_suffix('y')) {
        (1, _) => format!("1 {what}"),
        (_, Some(stem)) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{count} {stem}ies"),
        _ => format!("{count} {what}s"),
    }
}
