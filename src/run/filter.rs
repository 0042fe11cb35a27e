//! `--filter`: selects cases by id.

use globset::GlobMatcher;

use super::pattern_index::PatternIndex;
use crate::model::CaseId;
use crate::text::glob::{self, GLOB_SPECIAL, GLOB_STARTS, GlobError, Wildcards};

/// Patterns on case ids. A case is selected when one of them matches, or when there are none.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    parts: Vec<String>,
    globs: Vec<GlobMatcher>,
    index: PatternIndex,
}

impl Filter {
    /// A filter with these patterns: a pattern matches a part of the id, and one that contains one of `*?[{` is also a
    /// glob for the whole id, in which `*` also matches `/`. One that is no valid glob, such as the start of a name with
    /// brackets, is a part.
    pub fn new<'p>(patterns: impl IntoIterator<Item = &'p str>) -> Filter {
        let mut filter = Filter::default();
        for pattern in patterns {
            filter.globs.extend(glob(pattern).ok().flatten());
            filter.parts.push(pattern.to_owned());
        }
        filter.index = PatternIndex::of(filter.globs.iter().map(|glob| glob.glob().glob()));
        filter
    }

    /// Whether the case is selected.
    pub fn matches(&self, id: &CaseId) -> bool {
        self.is_empty() || self.matches_text(&id.to_string())
    }

    /// Whether the case with this id, as text, is selected.
    pub fn matches_text(&self, id: &str) -> bool {
        self.is_empty()
            || self.parts.iter().any(|part| id.contains(part))
            || self.index.candidates(id).into_iter().any(|number| self.globs[number].is_match(id))
    }

    fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}

/// The pattern that matches this text only: each character that is not itself in a glob stands in a class of its own. A
/// text that is no glob stays as it is.
pub(crate) fn naming(text: &str) -> String {
    if !text.contains(GLOB_STARTS) {
        return text.to_owned();
    }
    let escaped = |character: char| match character {
        special if GLOB_SPECIAL.contains(&special) => format!("[{special}]"),
        other => other.to_string(),
    };
    text.chars().map(escaped).collect()
}

/// The pattern as a glob for a whole text, in which `*` also matches `/`; `None` if it contains none of
/// `*?[{`.
pub(crate) fn glob(pattern: &str) -> Result<Option<GlobMatcher>, GlobError> {
    if !pattern.contains(GLOB_STARTS) {
        return Ok(None);
    }
    Ok(Some(glob::glob(pattern, Wildcards::MatchSlashes)?.compile_matcher()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of published vectors have brackets.
    #[test]
    fn a_pattern_is_a_part_of_the_id_and_may_be_a_glob() {
        let id = "neo3/append.json::over index [Array]/0";
        for (pattern, matches) in [
            ("index [Array]", true),
            ("index [Arr", true),
            ("*index \\[Array]*", true),
            ("*append*", true),
            ("append", true),
            ("index [A]", false),
            ("append*", false),
        ] {
            assert_eq!(Filter::new([pattern]).matches_text(id), matches, "{pattern}");
        }
    }
}
