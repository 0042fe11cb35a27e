//! Audits as text, HTML and JSON.

use std::io::{self, Write};

use indexmap::IndexMap;

use super::html_page::{TableRow, html_text, page, table};
use crate::model::{Renderer, counted, escaped};
use crate::wire::audit::{Audit, Unnoticed};
use crate::wire::line::write_line;

/// A format for audits; `new` writes one.
pub type AuditKind = Renderer<fn(&mut dyn Write, &Audit) -> io::Result<()>>;

/// All formats for audits; the first is the default.
pub static AUDITS: &[AuditKind] = &[
    AuditKind { name: "text", doc: "For people", new: text },
    AuditKind { name: "html", doc: "A page", new: html },
    AuditKind { name: "json", doc: "For programs", new: write_line },
];

fn text(out: &mut dyn Write, audit: &Audit) -> io::Result<()> {
    for unnoticed in audit.unexplained() {
        writeln!(out, "not noticed: {}, such as in {}", place(unnoticed), escaped(&unnoticed.case))?;
    }
    for ((rule, section), count) in by_rule(audit) {
        writeln!(out, "{count:>7} by rule: {} ({})", escaped(rule), escaped(section))?;
    }
    writeln!(out, "{}", summary(audit))
}

/// The rules with their sections, and how many changes each explains, in order of first occurrence.
fn by_rule(audit: &Audit) -> IndexMap<(&str, &str), u64> {
    let mut rules = IndexMap::new();
    for Unnoticed { rule, section, count, .. } in &audit.unnoticed {
        if let Some(rule) = rule {
            *rules.entry((rule.as_str(), section.as_deref().unwrap_or_default())).or_default() += count;
        }
    }
    rules
}

fn summary(audit: &Audit) -> String {
    let Audit { cases, left_out, inputs, compared, rejected, noted, .. } = audit;
    let open: u64 = audit.unexplained().map(|unnoticed| unnoticed.count).sum();
    let by_rule: u64 = by_rule(audit).into_values().sum();
    format!(
        "{}: changes: {compared} fail, {rejected} are rejected, {noted} are noted, {inputs} change the program, \
         {by_rule} are by rule, {open} are not noticed; {left_out} left out",
        counted(*cases, "case")
    )
}

fn html(out: &mut dyn Write, audit: &Audit) -> io::Result<()> {
    let (explained, unexplained): (Vec<_>, Vec<_>) =
        audit.unnoticed.iter().partition(|unnoticed| unnoticed.rule.is_some());
    let row = |unnoticed: &Unnoticed| {
        let Unnoticed { format, kind, at, rule, section, count, case } = unnoticed;
        let why = rule.as_ref().map_or("not noticed".to_owned(), |rule| {
            format!("{rule} ({})", section.as_deref().unwrap_or_default())
        });
        let class = rule.is_none().then_some("bad");
        let cells = [format, kind, at, &count.to_string(), &why, case].map(|cell| html_text(cell));
        TableRow::of_class(class, cells.into())
    };
    let head = ["format", "change", "of", "times", "why it is not compared", "such as in"];
    let rows = unexplained.into_iter().chain(explained).map(row);
    let main =
        format!("<p>{}</p>\n{}", html_text(&summary(audit)), table("Changes that do not fail", &head, rows));
    out.write_all(page("Audit", "", &main).as_bytes())
}

fn place(unnoticed: &Unnoticed) -> String {
    let Unnoticed { format, kind, at, count, .. } = unnoticed;
    escaped(&format!("{count} x {kind} of {at} ({format})")).into_owned()
}
