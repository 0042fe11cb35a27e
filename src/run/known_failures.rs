//! The list of cases that are expected to fail, a TOML file:
//!
//! ```toml
//! [[known]]
//! id = "vectors/neo3/limits/*"                        # an id, or a glob
//! signature = "neo3 state: FAULT instead of HALT"     # may be left out: however the case does not pass
//! reason = "no limits yet"
//! link = "https://example.com/17"                     # may be left out
//! expires = 2030-12-31                                # may be left out; the last day
//! ```
//!
//! The first entry that matches the id of a case applies. A failure can be expected, and what only machines in
//! other processes do: a crash, a time-out, an unsupported case. A broken vector stays an error.

use std::collections::BTreeSet;
use std::sync::Arc;

use globset::GlobMatcher;
use toml_edit::{Document, Item, Table};

use super::filter::glob;
use super::pattern_index::PatternIndex;
use super::sources::Sources;
use crate::model::{
    CaseId, CaseReport, ContentDigest, Diagnostic, DiagnosticPlace, KnownListing, NO_CASE_MATCHES, NotPassed,
    UnmatchedEntry, Verdict, counted,
};
use crate::text::glob::literal_start;
use crate::text::source_text::SourceText;
use crate::text::suggest::did_you_mean;

mod list_text;
pub mod other_cases;
pub mod update;

pub use toml_edit::Date;

/// The members of an entry.
const MEMBERS: &[&str] = &["id", "signature", "reason", "link", "expires"];

/// A list of known failures.
#[derive(Debug, Clone)]
pub struct KnownFailures {
    /// The path, as messages show it.
    pub file: Arc<str>,
    /// The digest of its text.
    pub content: ContentDigest,
    entries: Vec<KnownFailure>,
    index: PatternIndex,
}

#[derive(Debug, Clone)]
struct KnownFailure {
    id: String,
    glob: Option<GlobMatcher>,
    signature: Option<String>,
    reason: String,
    link: Option<String>,
    expires: Option<Date>,
    is_expired: bool,
    place: DiagnosticPlace,
}

impl KnownFailures {
    /// Reads a list. Entries whose last day is before `today` have expired. The error is the first one in the text.
    pub fn parse(file: &str, text: &str, today: Date) -> Result<KnownFailures, Diagnostic> {
        let reader = KnownFailureReader { text: &SourceText::new(text), today };
        let entries = reader.entries()?;
        let index = PatternIndex::of(entries.iter().map(|entry| entry.id.as_str()));
        Ok(KnownFailures { file: file.into(), content: ContentDigest::of(text), entries, index })
    }

    /// The entries that expire today or within the next seven days: how many, and the first of these days.
    pub fn expire_soon(&self, today: Date) -> Option<(usize, Date)> {
        const SOON: i64 = 7;
        let days = self.entries.iter().filter_map(|entry| entry.expires);
        let soon: Vec<_> =
            days.filter(|day| (0..=SOON).contains(&(day_number(*day) - day_number(today)))).collect();
        Some((soon.len(), soon.into_iter().min()?))
    }

    /// Applies the first entry that matches a case and accepts how it does not pass: changes the verdict. If
    /// there is none, says why the first entry that matches does not apply.
    pub fn apply(&self, report: &mut CaseReport) {
        let Some(first) = self.matching(&report.id).next().map(|number| &self.entries[number]) else {
            return;
        };
        if report.verdict == Verdict::Pass {
            report.verdict = Verdict::Fixed(self.listing(first));
            return;
        }
        let Ok(not_passed) = NotPassed::try_from(report.verdict.clone()) else { return };
        let failure = FailureWords::of(report);
        match self.applying(report, &failure) {
            Some(number) => {
                report.verdict = Verdict::Known(not_passed, self.listing(&self.entries[number]));
            }
            None => report.listed = self.objection(first, &failure),
        }
    }

    /// The index of the first entry that matches a case which does not pass and accepts how it does not.
    fn applying(&self, report: &CaseReport, failure: &FailureWords) -> Option<usize> {
        self.matching(&report.id).find(|number| {
            let entry = &self.entries[*number];
            !entry.is_expired && entry.other_failure(failure).is_none()
        })
    }

    /// Why a case that does not pass does not match its entry; `None` if it does.
    fn objection(&self, entry: &KnownFailure, failure: &FailureWords) -> Option<String> {
        let place = self.place_of(entry);
        if let Some(day) = entry.expires.filter(|_| entry.is_expired) {
            return Some(format!("{place}: known until {day}: {}", entry.reason));
        }
        let (known, is) = entry.other_failure(failure)?;
        Some(format!("{place}: fails differently: listed {known}, now {is}"))
    }

    fn place_of(&self, entry: &KnownFailure) -> String {
        entry.place.in_file(&self.file)
    }

    fn listing(&self, entry: &KnownFailure) -> KnownListing {
        KnownListing { place: self.place_of(entry), reason: entry.reason.clone(), link: entry.link.clone() }
    }

    /// The indices of the entries that match a case, ascending.
    pub fn matching(&self, id: &CaseId) -> impl Iterator<Item = usize> {
        let id = id.to_string();
        let candidates = self.index.candidates(&id);
        candidates.into_iter().filter(move |number| self.entries[*number].matches(&id))
    }

    /// The indices of the entries that may match cases of a file whose cases are not known, since it is broken as a
    /// whole.
    pub(super) fn of_broken_file(&self, file: &str) -> impl Iterator<Item = usize> {
        let cases = format!("{file}::");
        let may_match = move |entry: &KnownFailure| {
            entry.start().starts_with(&cases) || entry.glob.is_some() && cases.starts_with(entry.start())
        };
        (0..self.entries.len()).filter(move |number| may_match(&self.entries[*number]))
    }

    /// The entries that match no case, that is, whose indices are not in `matched`. With `scope`, only those that can
    /// match no cases but those of these files.
    pub fn unmatched(&self, matched: &BTreeSet<usize>, scope: Option<&Sources>) -> Vec<UnmatchedEntry> {
        let is_unmatched = |(number, entry): &(usize, &KnownFailure)| {
            !matched.contains(number) && scope.is_none_or(|sources| sources.have_all(entry.start()))
        };
        let unmatched = |(_, entry): (usize, &KnownFailure)| UnmatchedEntry {
            list: self.file.clone(),
            id: entry.id.clone(),
            place: entry.place.clone(),
        };
        self.entries.iter().enumerate().filter(is_unmatched).map(unmatched).collect()
    }
}

/// A diagnostic at the first of the entries of a list that match no case, with the number of all of them; `None` if
/// there are none.
pub fn no_match(unmatched: &[UnmatchedEntry]) -> Option<Diagnostic> {
    let (first, others) = unmatched.split_first()?;
    let what = match others.len() {
        0 => format!("{NO_CASE_MATCHES}{}", first.id),
        more => format!("{NO_CASE_MATCHES}{}, nor {}", first.id, counted(more, "other entry")),
    };
    let diagnostic = Diagnostic::new(what)
        .expected("an id that vmconf list prints, or a glob, of files that the list is for");
    Some(diagnostic.with_place(Some(first.place.clone())))
}

impl KnownFailure {
    /// The start of all ids that it matches.
    fn start(&self) -> &str {
        match &self.glob {
            Some(_) => literal_start(&self.id),
            None => &self.id,
        }
    }

    /// The signature of the entry and how a case does not pass, if they differ.
    fn other_failure<'f>(&'f self, failure: &'f FailureWords) -> Option<(&'f str, &'f str)> {
        let (known, is) = (self.signature.as_deref()?, failure.in_words_of(self)?);
        (known != is).then_some((known, is))
    }

    /// Whether it applies on each day on which another one does.
    fn lasts_as_long_as(&self, other: &KnownFailure) -> bool {
        self.expires.is_none_or(|day| other.expires.is_some_and(|other| other <= day))
    }

    /// An id that contains glob characters also matches itself.
    fn matches(&self, id: &str) -> bool {
        self.id == id || self.glob.as_ref().is_some_and(|glob| glob.is_match(id))
    }
}

/// How a case does not pass, if it does not.
struct FailureWords {
    signature: Option<String>,
    cause: Option<String>,
}

impl FailureWords {
    fn of(report: &CaseReport) -> FailureWords {
        FailureWords { signature: report.signature(), cause: report.cause() }
    }

    /// The cause if the entry has one in the place of a signature, which it begins with, and else the signature.
    fn in_words_of(&self, entry: &KnownFailure) -> Option<&str> {
        let signature = self.signature.as_deref()?;
        let rest = entry.signature.as_ref().and_then(|listed| listed.strip_prefix(signature));
        if rest.is_some_and(|rest| rest.starts_with("; ")) { self.cause.as_deref() } else { Some(signature) }
    }
}

/// Reads the text of a list.
struct KnownFailureReader<'t> {
    text: &'t SourceText,
    today: Date,
}

impl KnownFailureReader<'_> {
    fn wrong(&self, at: Option<std::ops::Range<usize>>, what: impl Into<String>) -> Diagnostic {
        Diagnostic::new(what).with_place(at.map(|range| self.place(range.start)))
    }

    fn place(&self, at: usize) -> DiagnosticPlace {
        self.text.place(self.text.as_str().floor_char_boundary(at) as u32)
    }

    fn entries(&self) -> Result<Vec<KnownFailure>, Diagnostic> {
        let document = Document::parse(self.text.as_str())
            .map_err(|error| self.wrong(error.span(), error.message().replace('\n', "; ")))?;
        if let Some((key, item)) = document.iter().find(|(key, _)| *key != "known") {
            let at = document.key(key).and_then(toml_edit::Key::span).or(item.span());
            return Err(self.wrong(at, format!("unknown key {key}; a list contains only [[known]] tables")));
        }
        let Some(item) = document.get("known") else { return Ok(Vec::new()) };
        let tables = item.as_array_of_tables();
        let tables = tables.ok_or_else(|| self.wrong(item.span(), "known must be tables, [[known]]"))?;
        tables.iter().map(|table| self.entry(table)).collect()
    }

    fn entry(&self, table: &Table) -> Result<KnownFailure, Diagnostic> {
        if let Some((key, item)) = table.iter().find(|(key, _)| !MEMBERS.contains(key)) {
            let at = table.key(key).and_then(toml_edit::Key::span).or(item.span());
            let hint = did_you_mean(key, MEMBERS.iter().copied());
            return Err(self.wrong(at, format!("unknown key {key}{hint}")));
        }
        let required = |name| {
            let text = self.text_of(table, name)?;
            text.ok_or_else(|| self.wrong(table.span(), format!("an entry without {name}")))
        };
        let id = required("id")?;
        let of_id = table.get("id").and_then(Item::span);
        if let Some(rest) = id.strip_prefix("./").filter(|rest| !rest.starts_with('-')) {
            let what = format!("no id begins with ./; write {rest}");
            return Err(self.wrong(of_id, what));
        }
        let glob = glob(&id).map_err(|error| self.wrong(of_id.clone(), error.to_string()))?;
        let expires = self.date_of(table)?;
        Ok(KnownFailure {
            id,
            glob,
            signature: self.text_of(table, "signature")?,
            reason: required("reason")?,
            link: self.text_of(table, "link")?,
            expires,
            is_expired: expires.is_some_and(|day| day < self.today),
            place: self.place(of_id.map_or(0, |range| range.start)),
        })
    }

    fn text_of(&self, table: &Table, name: &str) -> Result<Option<String>, Diagnostic> {
        let Some(item) = table.get(name) else { return Ok(None) };
        match item.as_str() {
            Some(text) if !text.is_empty() => Ok(Some(text.to_owned())),
            _ => Err(self.wrong(item.span(), format!("{name} must be a string, and not empty"))),
        }
    }

    fn date_of(&self, table: &Table) -> Result<Option<Date>, Diagnostic> {
        let Some(item) = table.get("expires") else { return Ok(None) };
        let date = item.as_datetime().filter(|it| it.time.is_none()).and_then(|it| it.date);
        let date =
            date.ok_or_else(|| self.wrong(item.span(), "expires must be a date such as 2030-12-31"))?;
        Ok(Some(date))
    }
}

/// The number of a day, counted from a fixed one; the calendar is the Gregorian one.
fn day_number(date: Date) -> i64 {
    // Years begin in March, so that the day that leap years add is their last.
    let (year, month, day) = (i64::from(date.year), i64::from(date.month), i64::from(date.day));
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day
}
