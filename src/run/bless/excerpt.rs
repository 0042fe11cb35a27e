//! The lines of a case before and after its change.

use memchr::{memchr_iter, memrchr_iter};

use crate::text::edit::Splice;

/// The lines of a case, with lines around them, before and after its change. Where text of these lines is left out,
/// there is an ellipsis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlessExcerpt {
    /// The number of the first line, from 1.
    pub line: usize,
    /// The lines as they were read.
    pub old: String,
    /// The lines to write.
    pub new: String,
}

impl BlessExcerpt {
    /// The lines of a splice of a text and as many `around` it, before and after, of which at most `most` bytes: a
    /// whole file can be one line. `line` is the number of the line where the splice begins.
    pub(super) fn of(text: &str, splice: &Splice, line: usize, around: usize, most: usize) -> BlessExcerpt {
        let Splice { range, text: new } = splice;
        let start = text.floor_char_boundary(range.start.saturating_sub(most));
        let end = text.ceil_char_boundary(range.end.saturating_add(most));
        let (before, after) = (&text[start..range.start], &text[range.end..end]);
        let cut = |is_cut: bool| if is_cut { "…" } else { "" };
        let (before, head) = match memrchr_iter(b'\n', before.as_bytes()).nth(around) {
            Some(at) => (&before[at + 1..], ""),
            None => (before, cut(start > 0)),
        };
        let (after, tail) = match memchr_iter(b'\n', after.as_bytes()).nth(around) {
            Some(at) => (&after[..=at], ""),
            None => (after, cut(end < text.len())),
        };
        let line = line - memchr_iter(b'\n', before.as_bytes()).count();
        let with = |case: &str| [head, before, case, after, tail].concat();
        BlessExcerpt { line, old: with(&text[range.clone()]), new: with(new) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a text in which `[x]` becomes `[yy]`, with one line and at most four bytes around it.
    fn excerpt(old: &str) -> (usize, String, String) {
        let start = old.find('[').unwrap_or_default();
        let splice = Splice { range: start..start + 3, text: "[yy]".to_owned() };
        let line = 1 + old[..start].matches('\n').count();
        let BlessExcerpt { line, old, new } = BlessExcerpt::of(old, &splice, line, 1, 4);
        (line, old, new)
    }

    #[test]
    fn an_excerpt_takes_no_more_than_it_may() {
        let of = |line, old: &str| (line, old.to_owned(), old.replace("[x]", "[yy]"));
        assert_eq!(excerpt("a[x]b"), of(1, "a[x]b"));
        assert_eq!(excerpt("1\n2\n3[x]\n5\n6\n"), of(2, "2\n3[x]\n5\n"));
        assert_eq!(excerpt("12345678[x]12345678"), of(1, "…5678[x]1234…"));
        assert_eq!(excerpt("\n\n345678[x]1\n3456"), of(3, "…5678[x]1\n34…"));
        // No character is cut.
        assert_eq!(excerpt("12日本[x]日本"), of(1, "…日本[x]日本"));
    }
}
