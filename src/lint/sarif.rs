//! Diagnostics as SARIF 2.1.0: a single run, whose results are written as they arrive.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::Checked;
use super::output::{LintOutput, LintSummary};
use crate::model::diagnostic::{Diagnostic, DiagnosticPlace, Edit};
use crate::model::escape::escaped;
use crate::model::rule::{LintRule, RULES};
use crate::text::file_name::percent_encoded;
use crate::text::json::quoted;
use crate::text::source_text::SourceText;
use crate::wire::line::one_line;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub(super) struct Sarif {
    out: Box<dyn Write>,
    state: BaselineState,
}

/// How much was written so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BaselineState {
    Nothing,
    Head,
    Results,
}

impl Sarif {
    pub(super) fn new(out: Box<dyn Write>) -> Sarif {
        Sarif { out, state: BaselineState::Nothing }
    }

    /// Writes everything before the results, once.
    fn head(&mut self) -> io::Result<()> {
        if self.state != BaselineState::Nothing {
            return Ok(());
        }
        self.state = BaselineState::Head;
        let driver = json!({
            "name": "vmconf",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": RULES.iter().map(|rule| described(*rule)).collect::<Vec<_>>(),
        });
        writeln!(self.out, "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{")?;
        writeln!(self.out, "\"tool\":{{\"driver\":{driver}}},")?;
        write!(self.out, "\"columnKind\":\"utf16CodeUnits\",\"results\":[")
    }
}

impl LintOutput for Sarif {
    fn file(&mut self, checked: &Checked) -> io::Result<()> {
        self.head()?;
        for diagnostic in &checked.diagnostics {
            let comma = if self.state == BaselineState::Results { "," } else { "" };
            self.state = BaselineState::Results;
            write!(self.out, "{comma}\n{}", one_line(&result(checked, diagnostic)))?;
        }
        Ok(())
    }

    fn end(&mut self, _: &LintSummary) -> io::Result<()> {
        self.head()?;
        writeln!(self.out, "\n]}}]}}")?;
        self.out.flush()
    }
}

fn described(rule: LintRule) -> Value {
    json!({ "id": rule.name(), "shortDescription": { "text": rule.doc() } })
}

fn result(checked: &Checked, diagnostic: &Diagnostic) -> Value {
    let artifact = json!({ "uri": uri(&checked.file) });
    let mut location = json!({ "artifactLocation": artifact });
    let mut fix = None;
    if let (Some(text), Some(place)) = (&checked.text, &diagnostic.place) {
        location["region"] = start(text, place);
        fix = diagnostic.edit().map(|edit| replacement(text, place, edit));
    }
    let rule = diagnostic.rule;
    let mut result = json!({
        "ruleId": rule.name(),
        "ruleIndex": rule as usize,
        "level": diagnostic.severity.name(),
        "message": { "text": message(diagnostic) },
        "locations": [{ "physicalLocation": location }],
    });
    if let Some(fix) = fix {
        let changes = json!([{ "artifactLocation": artifact, "replacements": [fix] }]);
        result["fixes"] = json!([{ "artifactChanges": changes }]);
    }
    result
}

fn start(text: &SourceText, place: &DiagnosticPlace) -> Value {
    json!({ "startLine": place.position.line, "startColumn": text.column_utf16(place.at) })
}

/// A replacement for an edit that starts at this place.
fn replacement(text: &SourceText, place: &DiagnosticPlace, edit: &Edit) -> Value {
    let mut region = start(text, place);
    let end = edit.range.end as u32;
    region["endLine"] = text.position(end).line.into();
    region["endColumn"] = text.column_utf16(end).into();
    json!({ "deletedRegion": region, "insertedContent": { "text": edit.with } })
}

/// The problem, what is expected and the suggestion, in one line.
fn message(diagnostic: &Diagnostic) -> String {
    let suggestion = diagnostic.suggestion().map(|name| format!("; did you mean {}?", quoted(name)));
    escaped(&format!("{diagnostic}{}", suggestion.unwrap_or_default())).into_owned()
}

/// A path as a URI: a file URI if it is absolute, otherwise relative.
fn uri(path: &str) -> String {
    let is_drive = path.get(1..3) == Some(":/");
    let (start, rest) = match path {
        _ if is_drive => (format!("file:///{}", &path[..2]), &path[2..]),
        _ if path.starts_with('/') => ("file://".to_owned(), path),
        _ => (String::new(), path),
    };
    start + &percent_encoded(rest.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_uris() {
        fn check(path: &str, expected: &str) {
            assert_eq!(uri(path), expected);
        }
        check("vectors/evm/add.json", "vectors/evm/add.json");
        check("../a b/ä:1%.json", "../a%20b/%C3%A4%3A1%25.json");
        check("/tmp/a.json", "file:///tmp/a.json");
        check("C:/tmp/a.json", "file:///C:/tmp/a.json");
    }
}
