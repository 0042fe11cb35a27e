//! Diagnostics as SARIF 2.1.0: a single run, whose results are written as they arrive.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::Checked;
use super::output::{LintOutput, LintSummary};
use crate::model::rule::{LintRule, RULES};
use crate::model::{Diagnostic, DiagnosticPlace, Edit, escaped};
use crate::text::file_name::{in_checkout, uri};
use crate::text::json::quoted;
use crate::text::sarif::{OPENING, message_text};
use crate::text::source_text::SourceText;
use crate::wire::line::one_line;

pub(super) struct LintSarif {
    out: Box<dyn Write>,
    state: SarifProgress,
    /// See [`LintOutputOptions::below_checkout`](super::output::LintOutputOptions::below_checkout).
    below_checkout: String,
}

/// How much was written so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SarifProgress {
    Nothing,
    Head,
    Results,
}

impl LintSarif {
    pub(super) fn new(out: Box<dyn Write>, below_checkout: String) -> LintSarif {
        LintSarif { out, state: SarifProgress::Nothing, below_checkout }
    }

    /// Writes everything before the results, once.
    fn head(&mut self) -> io::Result<()> {
        if self.state != SarifProgress::Nothing {
            return Ok(());
        }
        self.state = SarifProgress::Head;
        let driver = json!({
            "name": "vmconf",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": RULES.iter().map(|rule| described(*rule)).collect::<Vec<_>>(),
        });
        writeln!(self.out, "{OPENING}")?;
        writeln!(self.out, "\"tool\":{{\"driver\":{driver}}},")?;
        write!(self.out, "\"columnKind\":\"utf16CodeUnits\",\"results\":[")
    }
}

impl LintOutput for LintSarif {
    fn file(&mut self, checked: &Checked) -> io::Result<()> {
        self.head()?;
        for diagnostic in &checked.diagnostics {
            let comma = if self.state == SarifProgress::Results { "," } else { "" };
            self.state = SarifProgress::Results;
            write!(self.out, "{comma}\n{}", one_line(&result(checked, diagnostic, &self.below_checkout)))?;
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
    json!({ "id": rule.name(), "shortDescription": { "text": message_text(rule.doc()) } })
}

fn result(checked: &Checked, diagnostic: &Diagnostic, below_checkout: &str) -> Value {
    let artifact = json!({ "uri": uri(&in_checkout(below_checkout, &checked.file)) });
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
    message_text(&escaped(&format!("{diagnostic}{}", suggestion.unwrap_or_default())))
}
