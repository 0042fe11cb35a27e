//! Globs that users write, in settings, lists and on the command line.

use globset::{Error, Glob, GlobBuilder};

/// A text with one of these is a glob.
pub const GLOB_STARTS: [char; 4] = ['*', '?', '[', '{'];

/// Characters that are not themselves in a glob.
pub const GLOB_SPECIAL: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

/// The maximum length of a glob, in bytes: globset ends the process over one that becomes too large a regular
/// expression.
const MAX_LENGTH: usize = 1 << 16;

/// How deep the braces of a glob may be nested: globset ends the process over one that is nested too deeply.
const MAX_BRACES: usize = 100;

/// Why a text is no glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GlobError {
    /// It breaks the syntax.
    #[error(transparent)]
    Syntax(#[from] Error),
    /// It is too long.
    #[error("a glob has at most {MAX_LENGTH} bytes")]
    Length,
    /// Its braces are nested too deeply.
    #[error("the braces of a glob are nested at most {MAX_BRACES} deep")]
    Braces,
}

impl GlobError {
    /// Why, without the text.
    pub fn reason(&self) -> String {
        match self {
            GlobError::Syntax(error) => error.kind().to_string(),
            GlobError::Length | GlobError::Braces => self.to_string(),
        }
    }
}

/// The start of all texts that a glob matches: the part before its first special character.
pub fn literal_start(glob: &str) -> &str {
    &glob[..glob.find(GLOB_SPECIAL).unwrap_or(glob.len())]
}

/// What `*` and `?` match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wildcards {
    /// Every character.
    MatchSlashes,
    /// What is in the name of one file or folder.
    StopAtSlashes,
}

/// The glob that a text is. It can be compiled without a panic.
pub fn glob(text: &str, wildcards: Wildcards) -> Result<Glob, GlobError> {
    if text.len() > MAX_LENGTH {
        return Err(GlobError::Length);
    }
    let mut open: usize = 0;
    for brace in text.bytes() {
        match brace {
            b'{' => open += 1,
            b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        if open > MAX_BRACES {
            return Err(GlobError::Braces);
        }
    }
    let stops = wildcards == Wildcards::StopAtSlashes;
    Ok(GlobBuilder::new(text).literal_separator(stops).build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_glob_can_be_compiled() {
        let nested = |depth: usize| format!("{}a{}", "{".repeat(depth), "}".repeat(depth));
        let long = |part: &str| part.repeat(MAX_LENGTH / part.len());
        let words = (0..7_000).map(|number| format!("x{number}")).collect::<Vec<_>>().join(",");
        for text in
            [nested(MAX_BRACES), long("?"), long("[!a]"), long("**/"), long("\u{e9}"), format!("{{{words}}}")]
        {
            let glob = glob(&text, Wildcards::StopAtSlashes).expect("a glob");
            assert_eq!(glob.compile_matcher().glob().glob(), text);
        }
        let error = |text: &str| glob(text, Wildcards::MatchSlashes).map(drop);
        assert_eq!(error(&nested(MAX_BRACES + 1)), Err(GlobError::Braces));
        assert_eq!(error(&long("?").repeat(2)), Err(GlobError::Length));
        assert!(matches!(error("[a"), Err(GlobError::Syntax(_))));
    }
}
