//! Mending what can be mended without a person: the edits of a file's findings, all at once, and
//! only if what comes out means the same.

use super::{Checked, Checker, Edit};
use crate::formats::{Context, Format, Shared};
use crate::model::assertion::Assertion;
use crate::model::case::Case;
use crate::model::position::Origin;
use crate::run::sources::Source;
use crate::run::{Cases, Content, VectorFiles, catch_panic, identify, select};
use crate::text::json::Node;

/// A text that was mended.
#[derive(Debug)]
pub struct Mended {
    /// The text.
    pub text: String,
    /// What is still wrong with it.
    pub checked: Checked,
}

/// Why a file is left as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LeftAlone {
    /// The edits would change what a case says.
    #[error("its cases would not be the same")]
    OtherCases,
    /// No fewer findings would be left.
    #[error("no less would be wrong with it")]
    NoBetter,
}

/// The text of a file with all edits of what was found in it; none where there are no edits.
///
/// # Errors
///
/// When the mended text is not better, or does not mean the same.
pub fn mend(
    checker: &mut Checker<'_>,
    source: &Source,
    checked: &Checked,
) -> Option<Result<Mended, LeftAlone>> {
    let text = checked.text.as_ref()?;
    let mut edits = checked.edits().peekable();
    edits.peek()?;
    let mended = apply(text, edits);
    if meaning(checker, source, text) != meaning(checker, source, &mended) {
        return Some(Err(LeftAlone::OtherCases));
    }
    let left = checker.check_text(source, mended.clone());
    if left.diagnostics.len() >= checked.diagnostics.len() {
        return Some(Err(LeftAlone::NoBetter));
    }
    Some(Ok(Mended { text: mended, checked: left }))
}

/// The text with edits that are in order; every byte that is in none stays.
fn apply<'e>(text: &str, edits: impl Iterator<Item = &'e Edit>) -> String {
    let mut mended = String::with_capacity(text.len());
    let mut from = 0;
    for edit in edits.filter(|edit| !edit.range.is_empty()) {
        // Two that overlap are of one datum, and the first makes it right.
        if edit.range.start < from {
            continue;
        }
        mended.push_str(&text[from..edit.range.start]);
        mended.push_str(&edit.with);
        from = edit.range.end;
    }
    mended.push_str(&text[from..]);
    mended
}

/// The format of a text, and its cases as far as they can be read: not where they stand.
type Meaning = (&'static str, Vec<(String, Option<Case>)>);

fn meaning(checker: &Checker<'_>, source: &Source, text: &str) -> Option<Meaning> {
    let options = checker.options.for_file(source);
    let identified = identify(source, text.to_owned(), options);
    let Ok(Content::Vectors(document, format)) = identified else { return None };
    let entries = (format.outline)(document.root()).ok()?;
    let files = VectorFiles::new(&source.path, format.folders);
    let shared = Shared::default();
    let context = Context { options: options.read, files: &files, shared: Some(&shared) };
    let mut cases = Cases::new(source, options, document, format, entries);
    select(&mut cases, &checker.options.run);
    let Cases { document, entries, .. } = cases;
    let cases = entries
        .into_iter()
        .map(|(id, entry)| (id.to_string(), read(Node::at_index(&document, entry.node), format, context)));
    Some((format.name, cases.collect()))
}

fn read(case: Node<'_>, format: &Format, context: Context<'_>) -> Option<Case> {
    catch_panic(|| format.read_anyway(case, context)).ok().flatten().map(placeless)
}

fn placeless(case: Case) -> Case {
    let places = case.places.into_iter().map(|(path, _)| (path, Origin(0))).collect();
    let mut steps = case.steps;
    for step in &mut steps {
        step.end
            .iter_mut()
            .chain(&mut step.assertions)
            .for_each(|check: &mut Assertion| check.origin = Origin(0));
    }
    Case { places, steps, ..case }
}
