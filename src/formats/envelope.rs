//! What vmconf's own formats have in common: `machine`, `name`, `description` and `tests`, each with a name.

use std::collections::HashMap;

use super::fields::{Diagnostics, FieldReader, array, object, text};
use super::format::{Evidence, FileEntry};
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Origin};
use crate::text::json::{JsonNode, quoted};

/// Evidence that a file says it is for this machine.
pub(super) fn evidence(file: JsonNode<'_>, machine: &str, what: &'static str) -> Option<Evidence> {
    let member = file.members().filter(|member| member.key == "machine").last()?;
    let ours = member.value.text().is_some_and(|name| name == machine);
    ours.then_some(Evidence { at: member.key_at, what })
}

/// The tests of a file.
pub(super) fn outline(file: JsonNode<'_>) -> Result<Vec<FileEntry>, Diagnostic<Origin>> {
    let file = object(file, "the file", "an object with \"machine\" and \"tests\"")?;
    let tests = file.member("tests").ok_or_else(|| without_tests(file))?;
    let tests = array(tests, "tests", "an array of tests")?;
    Ok(numbered(tests, |test| test.member("name")))
}

/// The error in a file that lacks its tests.
pub(super) fn without_tests(file: JsonNode<'_>) -> Diagnostic<Origin> {
    let missing = Diagnostic::at(file.at(), "file without \"tests\"").expected("a member \"tests\"");
    missing.under(LintRule::MissingMember)
}

/// The tests of an array, each with its name. A test without a name, which is an error, has its number, from 1, instead.
pub(super) fn numbered<'d>(
    tests: JsonNode<'d>,
    name_of: impl Fn(JsonNode<'d>) -> Option<JsonNode<'d>>,
) -> Vec<FileEntry> {
    let entry = |(index, test): (usize, JsonNode<'d>)| {
        let name = name_of(test).and_then(JsonNode::text).filter(|name| !name.is_empty());
        let name = name.map_or_else(|| format!("test {}", index + 1).into(), Into::into);
        FileEntry { name, node: test.index() }
    };
    tests.items().enumerate().map(entry).collect()
}

/// Whether a file must name its machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MachineMember {
    Required,
    /// Something else in the file says what it is for.
    Optional,
}

/// Starts reading a file apart from its tests, which the outline has found.
pub(super) fn open<'d>(
    file: JsonNode<'d>,
    machine: &str,
    named: MachineMember,
    diagnostics: &mut Diagnostics,
) -> Option<FieldReader<'d>> {
    let mut fields = FieldReader::open(file, "file", diagnostics)?;
    let node = match named {
        MachineMember::Required => fields.required("machine", diagnostics),
        MachineMember::Optional => fields.optional("machine"),
    };
    if let Some(node) = node
        && node.text().is_none_or(|name| name != machine)
    {
        let what = format!("\"machine\" is {}", node.shown());
        diagnostics.error(Diagnostic::at(node.at(), what).expected(quoted(machine)));
    }
    for key in ["name", "description"] {
        label(&mut fields, key, diagnostics);
    }
    fields.ignore(&["tests"]);
    Some(fields)
}

/// An optional text.
pub(super) fn label(fields: &mut FieldReader<'_>, key: &'static str, diagnostics: &mut Diagnostics) {
    if let Some(label) = fields.optional(key) {
        diagnostics.keep(text(label, key, "a string"));
    }
}

/// Reads the name of a test and returns its position.
pub(super) fn name(fields: &mut FieldReader<'_>, diagnostics: &mut Diagnostics) -> Option<u32> {
    let name = fields.required("name", diagnostics)?;
    if name.text().is_none_or(|text| text.is_empty()) {
        diagnostics
            .error(Diagnostic::at(name.at(), format!("name is {}", name.shown())).expected("some text"));
    }
    Some(name.at())
}

/// Reports each test with the name of an earlier one.
pub(super) fn unique_names(file: JsonNode<'_>, diagnostics: &mut Diagnostics) {
    let Some(tests) = file.member("tests") else { return };
    let mut seen = HashMap::new();
    for name in tests.items().filter_map(|test| test.member("name")) {
        let Some(text) = name.text() else { continue };
        let first = *seen.entry(text).or_insert_with(|| name.at());
        if first != name.at() {
            let line = name.document().position(first).line;
            let what = format!("a second test is called {}", name.shown());
            let expected = format!("each name once; the first is in line {line}");
            diagnostics
                .error(Diagnostic::at(name.at(), what).expected(expected).under(LintRule::DuplicateName));
        }
    }
}
