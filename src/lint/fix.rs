//! `--fix`: applies those edits of a file's diagnostics that need no human decision. All are applied at once,
//! and only if the cases stay the same.

use std::sync::Arc;

use super::{Checked, Checker};
use crate::formats::{Format, ReadContext, SharedFile};
use crate::model::rule::LintRule;
use crate::model::{Assertion, Case, Edit, Origin};
use crate::run::sources::VectorSource;
use crate::run::{
    FileContent, LoadedCases, SelectPurpose, VectorFiles, Worker, catch_panic, identify, select,
};
use crate::text::json::{JsonNode, SpareMemory};

/// A text after fixing.
#[derive(Debug)]
pub struct Fixed {
    /// The text.
    pub text: String,
    /// The diagnostics that remain.
    pub checked: Checked,
}

/// Why a file is not fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotFixed {
    /// The edits would change a case.
    #[error("the fix would change its cases")]
    OtherCases,
    /// The number of diagnostics would not decrease.
    #[error("the fix would not reduce the number of findings")]
    NoBetter,
}

/// The text of a file with the edits of all diagnostics applied; `None` if there are no edits. An error if the fixed
/// text has at least as many diagnostics as before, or different cases.
pub fn fix(
    checker: &mut Checker<'_>,
    source: &VectorSource,
    checked: &Checked,
) -> Option<Result<Fixed, NotFixed>> {
    let text = checked.text.as_ref()?.as_str();
    let mut edits = checked.edits().peekable();
    edits.peek()?;
    let fixed = apply(text, edits);
    if content(checker, source, text) != content(checker, source, &fixed) {
        return Some(Err(NotFixed::OtherCases));
    }
    let left = checker.check_text(source, fixed.clone());
    // What was not listed before may be listed now.
    let lists_all = checked.diagnostics.iter().all(|diagnostic| diagnostic.rule != LintRule::NotListed);
    if lists_all && left.diagnostics.len() >= checked.diagnostics.len() {
        return Some(Err(NotFixed::NoBetter));
    }
    Some(Ok(Fixed { text: fixed, checked: left }))
}

/// Applies edits, given in document order; all other bytes stay the same.
fn apply<'e>(text: &str, edits: impl Iterator<Item = &'e Edit>) -> String {
    let mut fixed = String::with_capacity(text.len());
    let mut from = 0;
    for edit in edits.filter(|edit| !edit.range.is_empty()) {
        // Two edits overlap only in the same datum, and the first one fixes it.
        if edit.range.start < from {
            continue;
        }
        fixed.push_str(&text[from..edit.range.start]);
        fixed.push_str(&edit.with);
        from = edit.range.end;
    }
    fixed.push_str(&text[from..]);
    fixed
}

/// The format of a text, and those cases that can be read, without their origins.
type FormatAndCases = (&'static str, Vec<(String, Option<Case>)>);

fn content(checker: &Checker<'_>, source: &VectorSource, text: &str) -> Option<FormatAndCases> {
    let options = checker.options.for_file(source);
    let identified = identify(source, text.to_owned(), options, &SpareMemory::default());
    let Ok(FileContent::Vectors(document, format)) = identified else { return None };
    let entries = (format.outline)(document.root()).ok()?;
    let files = VectorFiles::new(&source.path, format.folders);
    let shared = SharedFile::default();
    let context = ReadContext { options: options.read, files: &files, shared: Some(&shared) };
    let mut cases = LoadedCases::new(Arc::new(source.clone()), options, document, format, entries);
    select(&mut cases, SelectPurpose::Look, &mut Worker::new(&checker.options.run));
    let LoadedCases { document, entries, .. } = cases;
    let cases = entries.iter().map(|(id, entry)| {
        (id.to_string(), read(JsonNode::at_index(&document, entry.node), format, context))
    });
    Some((format.name, cases.collect()))
}

fn read(case: JsonNode<'_>, format: &Format, context: ReadContext<'_>) -> Option<Case> {
    catch_panic(|| format.read_partial(case, context)).ok().flatten().map(without_places)
}

fn without_places(case: Case) -> Case {
    let places = case.places.into_iter().map(|(path, _)| (path, Origin(0))).collect();
    let mut steps = case.steps;
    for step in &mut steps {
        step.end
            .iter_mut()
            .chain(&mut step.assertions)
            .for_each(|assertion: &mut Assertion| assertion.origin = Origin(0));
    }
    Case { places, steps, ..case }
}
