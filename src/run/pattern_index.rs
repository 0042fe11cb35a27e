//! Finds the globs that a text may match, of many.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use crate::text::glob::{GLOB_SPECIAL, literal_start};

/// Globs by what each text that they match begins or ends with: the part before the first special character, or
/// that after the last one: the part that fewer of the globs share or, if as many do, the longer one. So a text is
/// compared with few of many globs.
#[derive(Debug, Clone, Default)]
pub(super) struct PatternIndex {
    starts: LiteralIndex,
    ends: LiteralIndex,
}

/// Indices of globs by literal texts, which are grouped by their length in bytes.
type LiteralIndex = BTreeMap<usize, HashMap<String, Vec<usize>>>;

impl PatternIndex {
    /// The index of these globs.
    pub(super) fn of<'p>(patterns: impl Iterator<Item = &'p str>) -> PatternIndex {
        let mut index = PatternIndex::default();
        let parts: Vec<_> = patterns.map(|pattern| (literal_start(pattern), end(pattern))).collect();
        let (mut starts, mut ends) = (HashMap::new(), HashMap::new());
        for (start, end) in &parts {
            *starts.entry(*start).or_insert(0) += 1;
            *ends.entry(*end).or_insert(0) += 1;
        }
        for (number, (start, end)) in parts.into_iter().enumerate() {
            let rank = |part: &str, count: usize| (part.is_empty(), count, Reverse(part.len()));
            let is_start = rank(start, starts[start]) < rank(end, ends[end]);
            let (literals, literal) =
                if is_start { (&mut index.starts, start) } else { (&mut index.ends, end) };
            let of_this_length = literals.entry(literal.len()).or_default();
            of_this_length.entry(literal.to_owned()).or_default().push(number);
        }
        index
    }

    /// The indices of the globs that this text may match, ascending.
    pub(super) fn candidates(&self, text: &str) -> Vec<usize> {
        let starts = self.starts.range(..=text.len());
        let starts = starts.filter_map(|(length, literals)| literals.get(text.get(..*length)?));
        let ends = self.ends.range(..=text.len());
        let ends = ends.filter_map(|(length, literals)| literals.get(text.get(text.len() - length..)?));
        let mut candidates: Vec<_> = starts.chain(ends).flatten().copied().collect();
        candidates.sort_unstable();
        candidates
    }
}

/// The character after a backslash is left out, too, and the `/` of `**/`, which also matches nothing.
fn end(pattern: &str) -> &str {
    pattern.rfind(GLOB_SPECIAL).map_or("", |last| {
        let skipped = if pattern[last..].starts_with('\\') { 2 } else { 1 };
        let end = pattern.get(last + skipped..).unwrap_or("");
        if pattern[..=last].ends_with("**") { end.strip_prefix('/').unwrap_or(end) } else { end }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_compared_with_globs_that_begin_or_end_like_it() {
        let begins = (100..1_000).map(|number| format!("a.json::c{number}*"));
        let ends = (100..1_000).map(|number| format!("*.json::d{number}"));
        let starts_alike = (100..1_000).map(|number| format!("b.json::*e{number}"));
        let others =
            ["*", "a.json::c100", "[ab].json::\\*x", "a{b,c", "x\\é", "**/z.json::q"].map(str::to_owned);
        let patterns: Vec<_> = begins.chain(ends).chain(others).chain(starts_alike).collect();
        let index = PatternIndex::of(patterns.iter().map(String::as_str));
        assert_eq!(index.candidates("a.json::c100"), [0, 1800, 1801]);
        assert_eq!(index.candidates("a.json::d999"), [1799, 1800]);
        assert_eq!(index.candidates("a.json::*x"), [1800, 1802]);
        assert_eq!(index.candidates("ab,c"), [1800, 1803]);
        assert_eq!(index.candidates("a.json::c10\u{e4}"), [1800]);
        assert_eq!(index.candidates(""), [1800]);
        assert_eq!(index.candidates("b.json::e100"), [1800, 1806]);
        assert_eq!(index.candidates("z.json::q"), [1800, 1805]);
    }
}
