//! `--filter`: selects cases by id.

use globset::{GlobBuilder, GlobMatcher};

use crate::model::case::CaseId;

/// Patterns on case ids. A case is selected when one of them matches, or when there are none.
#[derive(Debug, Clone, Default)]
pub struct Filter(Vec<Pattern>);

#[derive(Debug, Clone)]
enum Pattern {
    Contains(String),
    Glob(GlobMatcher),
}

impl Filter {
    /// A filter with these patterns: a pattern that contains one of `*?[{` is a glob for the whole id, in
    /// which `*` also matches `/`; any other pattern matches a part of the id.
    ///
    /// # Errors
    ///
    /// A malformed glob, with the reason.
    pub fn new<'p>(patterns: impl IntoIterator<Item = &'p str>) -> Result<Filter, globset::Error> {
        patterns.into_iter().map(Pattern::new).collect::<Result<_, _>>().map(Filter)
    }

    /// Whether the case is selected.
    pub fn matches(&self, id: &CaseId) -> bool {
        self.0.is_empty() || self.matches_text(&id.to_string())
    }

    /// Whether the case with this id, as text, is selected.
    pub fn matches_text(&self, id: &str) -> bool {
        let matches = |pattern: &Pattern| match pattern {
            Pattern::Contains(part) => id.contains(part),
            Pattern::Glob(glob) => glob.is_match(id),
        };
        self.0.is_empty() || self.0.iter().any(matches)
    }
}

impl Pattern {
    fn new(pattern: &str) -> Result<Pattern, globset::Error> {
        Ok(match glob(pattern)? {
            Some(glob) => Pattern::Glob(glob),
            None => Pattern::Contains(pattern.to_owned()),
        })
    }
}

/// The pattern as a glob for a whole text, in which `*` also matches `/`; `None` if it contains none of
/// `*?[{`.
pub(crate) fn glob(pattern: &str) -> Result<Option<GlobMatcher>, globset::Error> {
    if !pattern.contains(['*', '?', '[', '{']) {
        return Ok(None);
    }
    let glob = GlobBuilder::new(pattern).literal_separator(false).build()?;
    Ok(Some(glob.compile_matcher()))
}
