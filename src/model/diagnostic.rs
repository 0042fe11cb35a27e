//! What is wrong with a file or a testee, how severe it is, and where it is.

use std::fmt;
use std::ops::Range;

use super::position::{BOM, Origin, Position};
use super::rule::LintRule;

/// Something wrong in a file or a testee.
///
/// `P` is the type of the position: readers create a `Diagnostic<Origin>`, which does not require finding
/// line numbers, and the owner of the text turns it into a [`Diagnostic`] with [`SourceText::locate`].
/// Reports accept only the latter, so no position is lost. The JSON of reports has less of it; see
/// [`Problem`](crate::wire::report::Problem).
///
/// [`SourceText::locate`]: crate::text::source_text::SourceText::locate
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic<P = Option<DiagnosticPlace>> {
    /// Whether the case can run despite it.
    pub severity: Severity,
    /// What is wrong, as a sentence without a full stop.
    pub what: String,
    /// The expected input, if it can be stated.
    pub expected: Option<String>,
    /// The violated rule.
    pub rule: LintRule,
    /// The fix, if known; boxed because few diagnostics have one.
    remedy: Option<Box<Remedy>>,
    /// The position; `None` if the diagnostic does not concern a single place in the file.
    pub place: P,
}

/// Whether a case can run despite a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Severity {
    /// It can: something is ignored. `--strict` makes it an error.
    Note,
    /// It can, but the file probably does not do what its author intended. Only `vmconf check` reports these.
    Warning,
    /// It cannot.
    Error,
}

/// The fix of a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Remedy {
    /// A known name similar to the unknown one. The user decides whether it is the right one.
    Suggestion(String),
    /// A change to the text that does not change its meaning.
    Edit(Edit),
}

/// A change to a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that are replaced.
    pub range: Range<usize>,
    /// The new text.
    pub with: String,
}

impl Diagnostic {
    /// An error without a position.
    pub fn new(what: impl Into<String>) -> Diagnostic {
        Diagnostic::error(None, what)
    }

    /// Formatted in one line, with the file and the position in it.
    pub fn located(&self, file: &str) -> String {
        match &self.place {
            Some(place) => format!("{}: {self}", place.in_file(file)),
            None => format!("{file}: {self}"),
        }
    }
}

impl Diagnostic<Origin> {
    /// An error at byte `at` of the text.
    pub fn at(at: u32, what: impl Into<String>) -> Diagnostic<Origin> {
        Diagnostic::error(Origin(at), what)
    }

    /// Adds the edit that fixes it: `with` replaces the next `length` bytes.
    #[must_use]
    pub fn replace(self, length: usize, with: impl Into<String>) -> Diagnostic<Origin> {
        let start = self.place.0 as usize;
        let edit = Edit { range: start..start + length, with: with.into() };
        Diagnostic { remedy: Some(Box::new(Remedy::Edit(edit))), ..self }
    }
}

impl<P> Diagnostic<P> {
    fn error(place: P, what: impl Into<String>) -> Diagnostic<P> {
        Diagnostic {
            severity: Severity::Error,
            what: what.into(),
            expected: None,
            rule: LintRule::Malformed,
            remedy: None,
            place,
        }
    }

    /// Sets the expected input.
    #[must_use]
    pub fn expected(self, expected: impl Into<String>) -> Diagnostic<P> {
        Diagnostic { expected: Some(expected.into()), ..self }
    }

    /// Sets the violated rule; the default is [`LintRule::Malformed`].
    #[must_use]
    pub fn under(self, rule: LintRule) -> Diagnostic<P> {
        Diagnostic { rule, ..self }
    }

    /// Sets the severity; the default is [`Severity::Error`].
    #[must_use]
    pub fn severity(self, severity: Severity) -> Diagnostic<P> {
        Diagnostic { severity, ..self }
    }

    /// Adds the known name similar to an unknown one, if any.
    #[must_use]
    pub fn suggest(self, name: Option<&str>) -> Diagnostic<P> {
        Diagnostic { remedy: name.map(|name| Box::new(Remedy::Suggestion(name.to_owned()))), ..self }
    }

    /// The known name similar to the unknown one.
    pub fn suggestion(&self) -> Option<&str> {
        match self.remedy.as_deref()? {
            Remedy::Suggestion(name) => Some(name),
            Remedy::Edit(_) => None,
        }
    }

    /// The edit that fixes it, if any; notes have no fix.
    pub fn edit(&self) -> Option<&Edit> {
        match (self.severity, self.remedy.as_deref()?) {
            (Severity::Warning | Severity::Error, Remedy::Edit(edit)) => Some(edit),
            (Severity::Note, Remedy::Edit(_)) | (_, Remedy::Suggestion(_)) => None,
        }
    }

    /// Removes the edit that fixes it, if any.
    pub fn drop_edit(&mut self) {
        self.remedy.take_if(|remedy| matches!(**remedy, Remedy::Edit(_)));
    }

    /// Sets the place.
    #[must_use]
    pub fn with_place<Q>(self, place: Q) -> Diagnostic<Q> {
        let Diagnostic { severity, what, expected, rule, remedy, place: _ } = self;
        Diagnostic { severity, what, expected, rule, remedy, place }
    }
}

/// What is wrong and what is expected, without the place.
impl<P> fmt::Display for Diagnostic<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.expected {
            Some(expected) => write!(f, "; expected {expected}"),
            None => Ok(()),
        }
    }
}

impl Severity {
    /// Its name, as written in output.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A place in a vector file, with enough of its line to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosticPlace {
    /// Byte offset into the text.
    pub at: u32,
    /// Line and column.
    pub position: Position,
    /// The line, or the part of a long one around the column.
    pub excerpt: String,
    /// How many characters of the excerpt precede the position.
    pub before: usize,
}

impl DiagnosticPlace {
    /// With the file before it: `add.json:3:5`.
    pub fn in_file(&self, file: &str) -> String {
        format!("{file}:{}", self.position)
    }

    /// The place of a byte whose line and column are known. Takes no longer for long lines.
    pub fn at(text: &str, at: u32, position: Position) -> DiagnosticPlace {
        const BEFORE: usize = 40;
        const MAX_LENGTH: usize = 80;
        let column = position.column as usize - 1;
        let (left, right) = around(text, at, MAX_LENGTH);
        let is_long = column > MAX_LENGTH || left.chars().chain(right.chars()).nth(MAX_LENGTH).is_some();
        let skipped = if is_long { column.saturating_sub(BEFORE) } else { 0 };
        let mut before = column - skipped;
        let first = left.char_indices().rev().nth(before.wrapping_sub(1)).map_or(left.len(), |first| first.0);
        let mut line = left[first..].chars().chain(right.chars());
        let mut excerpt: String = line.by_ref().take(MAX_LENGTH).collect();
        if skipped > 0 {
            excerpt.insert(0, '…');
            before += 1;
        }
        if line.next().is_some() {
            excerpt.push('…');
        }
        DiagnosticPlace { at, position, excerpt, before }
    }
}

/// The parts of a byte's line before the byte and from the byte on, possibly cut, but never to `most`
/// characters or fewer.
fn around(text: &str, at: u32, most: usize) -> (&str, &str) {
    const MAX_CHARACTER_LENGTH: usize = 4;
    let at = text.floor_char_boundary(at as usize);
    let window = MAX_CHARACTER_LENGTH * (most + 2);
    let left = &text[text.ceil_char_boundary(at.saturating_sub(window))..at];
    let right = &text[at..text.floor_char_boundary(at + window)];
    let left = left.rsplit('\n').next().unwrap_or("").trim_start_matches(BOM);
    let right = right.split('\n').next().unwrap_or("").trim_start_matches(BOM);
    (left, right.trim_end_matches('\r'))
}
