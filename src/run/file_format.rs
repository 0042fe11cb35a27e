//! Which format a file has: one of vmconf's own, or the one of a family.

use std::iter;

use super::file_options::FileOptions;
use super::source::{SourceOrigin, VectorSource};
use crate::formats::detection::{self, NotDetected, SeenFormat};
use crate::formats::family::{Family, FamilyMisfit};
use crate::formats::{Evidence, Format};
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Origin};
use crate::text::file_name::with_slashes;
use crate::text::json::{Document, JsonNode};

/// The format of a document, with the evidence for it.
pub(super) enum DetectedFormat {
    Format(&'static Format, Evidence),
    /// The document is not a vector file, but was found in a folder.
    Other(String),
}

/// The format of a document. Fails if the file must be a vector file, and its format is not detected.
pub(super) fn detect_format(
    source: &VectorSource,
    document: &Document,
    options: &FileOptions,
) -> Result<DetectedFormat, Diagnostic<Origin>> {
    if let Some(family) = options.family {
        return of_family(source, document, family);
    }
    let file_name = source.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let detected = match detection::detect(document, file_name) {
        Err(not @ NotDetected::None { .. }) => one_of_families(source, document, options).unwrap_or(Err(not)),
        detected => detected,
    };
    // Skipped, all its cases would be lost.
    let named = document.root().member("machine").and_then(JsonNode::text);
    let is_of_family = named.is_some_and(|name| options.families.by_name(&name).is_some());
    if matches!(detected, Err(NotDetected::None { .. }))
        && !is_of_family
        && let Some(unknown) = detection::unknown_machine(document)
    {
        return Err(unknown);
    }
    let not = match detected {
        Ok((format, evidence)) => return Ok(DetectedFormat::Format(format, evidence)),
        Err(not) => not,
    };
    if let NotDetected::Several(_) = not {
        let diagnostic = Diagnostic::at(document.root().at(), not.to_string());
        return Err(diagnostic.expected(not.expected()).under(LintRule::AmbiguousFormat));
    }
    // If the file were skipped, all its cases would be lost.
    let files: Vec<_> = iter::once(source.shown.to_string()).chain(whole_paths(source)).collect();
    if let Some(near) = options.families.near_miss(document, &files) {
        return Err(near.under(LintRule::NotAVector));
    }
    if source.origin == SourceOrigin::Folder {
        return Ok(DetectedFormat::Other(format!("skipped: {not}")));
    }
    let diagnostic = Diagnostic::at(document.root().at(), not.to_string());
    Err(diagnostic.expected(not.expected()).under(LintRule::NotAVector))
}

/// The format of a family that was named for a file.
fn of_family(
    source: &VectorSource,
    document: &Document,
    family: &Family,
) -> Result<DetectedFormat, Diagnostic<Origin>> {
    let mut nearest: Option<FamilyMisfit> = None;
    for path in iter::once(source.shown.to_string()).chain(whole_paths(source)) {
        match family.fitting(document.root(), &path) {
            Ok((format, evidence)) => return Ok(DetectedFormat::Format(format, evidence)),
            Err(misfit) if nearest.as_ref().is_none_or(|known| !known.is_near) => nearest = Some(misfit),
            Err(_) => {}
        }
    }
    match nearest {
        // A file in a folder may be another JSON file, but something in it is like a case.
        Some(misfit) if source.origin != SourceOrigin::Folder || misfit.is_near => {
            Err(misfit.why.under(LintRule::NotAVector))
        }
        misfit => Ok(DetectedFormat::Other(format!(
            "skipped: {}",
            misfit.map_or_else(String::new, |it| it.why.what)
        ))),
    }
}

/// The whole path of a file, as it was reached and without symbolic links: the folder that decides the family may be
/// around the one that vmconf works in. Empty for a stream.
fn whole_paths(source: &VectorSource) -> impl Iterator<Item = String> {
    let path = Some(&source.path).filter(|_| source.origin != SourceOrigin::Stream);
    let reached = path.and_then(|path| std::path::absolute(path).ok());
    let real = path.and_then(|path| path.canonicalize().ok()).filter(|real| reached.as_ref() != Some(real));
    reached.into_iter().chain(real).map(|path| with_slashes(&path))
}

type FormatOfFile = Result<(&'static Format, Evidence), NotDetected>;

/// The format of the only family that fits; `None` if none does.
fn one_of_families(
    source: &VectorSource,
    document: &Document,
    options: &FileOptions,
) -> Option<FormatOfFile> {
    let fitting = |path: &str| options.families.fitting(document, path);
    let mut found = fitting(&source.shown);
    if !found.match_by_glob {
        // A family that reads files of any name fits each path.
        let by_glob = whole_paths(source).map(|path| fitting(&path)).find(|found| found.match_by_glob);
        found = by_glob.unwrap_or(found);
    }
    let fits = found.formats;
    match fits[..] {
        [] => None,
        [one] => Some(Ok(one)),
        _ => {
            let seen = fits.into_iter().map(|(format, evidence)| SeenFormat::new(format, evidence, document));
            Some(Err(NotDetected::Several(seen.collect())))
        }
    }
}
