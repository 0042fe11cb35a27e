//! Machines by suites, as text, Markdown, HTML and JSON, and a badge for each machine.

use std::io::{self, Write};

use super::html_page::{html_text, page, table};
use super::markdown_escape::code_span;
use crate::model::{Renderer, counted, escaped};
use crate::wire::line::write_line;
use crate::wire::matrix::{Agreement, BrokenMachine, Matrix, MatrixCell, MatrixGroup, MatrixNotCompared};

/// A format for matrices; `new` writes one.
pub type MatrixKind = Renderer<fn(&mut dyn Write, &Matrix) -> io::Result<()>>;

/// All formats for matrices; the first is the default.
pub static MATRICES: &[MatrixKind] = &[
    MatrixKind { name: "text", doc: "For people", new: text },
    MatrixKind { name: "markdown", doc: "For a comment or a README", new: markdown },
    MatrixKind { name: "html", doc: "A page", new: html },
    MatrixKind { name: "json", doc: "For programs", new: write_line },
];

/// The maximum number of groups that are shown, except in JSON.
const MAX_GROUPS: usize = 40;

/// The counts that are not 0: `425 passed, 3 failed`.
fn counts(cell: &MatrixCell) -> String {
    let some = cell.counts().into_iter().filter(|(count, _)| *count > 0);
    let some: Vec<_> = some.map(|(count, name)| format!("{count} {name}")).collect();
    if some.is_empty() { "no cases".to_owned() } else { some.join(", ") }
}

fn heading(group: &MatrixGroup) -> String {
    let what = match group.what {
        Agreement::Disagree => "the machines disagree",
        Agreement::NonePasses => "no machine passes",
        Agreement::Unsupported => "not supported by all machines",
        Agreement::NoneSupports => "supported by no machine",
        Agreement::Skipped => "skipped on some machines",
    };
    format!("{}: {what}", counted(group.count, "case"))
}

/// How many groups are omitted, as a sentence; `None` if none is.
fn left_out(matrix: &Matrix) -> Option<String> {
    let more = matrix.groups.len().checked_sub(MAX_GROUPS).filter(|more| *more > 0)?;
    Some(format!("and {}; --output json shows all", counted(more, "more group")))
}

/// What was left out of the comparison, in a line for each machine and field.
fn not_compared(matrix: &Matrix) -> impl Iterator<Item = String> {
    let line =
        |MatrixNotCompared { machine, field }: &MatrixNotCompared| format!("{}: {}", escaped(machine), field);
    matrix.not_compared.iter().map(line)
}

/// How machines differ in the first case of a group, with their names.
fn differences<'m>(matrix: &'m Matrix, group: &'m MatrixGroup) -> impl Iterator<Item = (&'m str, &'m str)> {
    let differences = matrix.machines.iter().zip(&group.differences);
    differences.filter_map(|(machine, difference)| Some((machine.as_str(), difference.as_deref()?)))
}

fn text(out: &mut dyn Write, matrix: &Matrix) -> io::Result<()> {
    for BrokenMachine { machine, error } in &matrix.broken {
        writeln!(out, "error: {}: {}\n", escaped(machine), escaped(error))?;
    }
    let width = matrix.machines.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for group in matrix.groups.iter().take(MAX_GROUPS) {
        writeln!(out, "{}", heading(group))?;
        for (machine, outcome) in matrix.machines.iter().zip(&group.outcomes) {
            writeln!(out, "  {:<width$}  {}", escaped(machine), escaped(outcome))?;
        }
        for case in &group.cases {
            writeln!(out, "    {}", escaped(case))?;
        }
        if group.count > group.cases.len() {
            writeln!(out, "    and {} more", group.count - group.cases.len())?;
        }
        for (machine, difference) in differences(matrix, group) {
            writeln!(out, "  {:<width$}  {}", escaped(machine), escaped(difference))?;
        }
        if let Some(next) = &group.next {
            writeln!(out, "  why: {}", escaped(next))?;
        }
        if let Some(explore) = &group.explore {
            writeln!(out, "  look: {}", escaped(explore))?;
        }
        writeln!(out)?;
    }
    if let Some(more) = left_out(matrix) {
        writeln!(out, "{more}\n")?;
    }
    for suite in &matrix.suites {
        writeln!(out, "{}", escaped(&suite.name))?;
        for (machine, cell) in matrix.machines.iter().zip(&suite.cells) {
            writeln!(out, "  {:<width$}  {}", escaped(machine), counts(cell))?;
        }
    }
    not_compared(matrix).try_for_each(|line| writeln!(out, "{line}"))
}

fn markdown(out: &mut dyn Write, matrix: &Matrix) -> io::Result<()> {
    for BrokenMachine { machine, error } in &matrix.broken {
        writeln!(out, "Error: {}: {}\n", code_span(machine), code_span(error))?;
    }
    let names: Vec<_> = matrix.machines.iter().map(|name| code_span(name)).collect();
    writeln!(out, "| suite | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len()))?;
    for suite in &matrix.suites {
        let cells: Vec<_> = suite.cells.iter().map(counts).collect();
        writeln!(out, "| {} | {} |", code_span(&suite.name), cells.join(" | "))?;
    }
    for group in matrix.groups.iter().take(MAX_GROUPS) {
        writeln!(out, "\n{}\n", heading(group))?;
        for (name, outcome) in names.iter().zip(&group.outcomes) {
            writeln!(out, "- {name}: {}", code_span(outcome))?;
        }
        let cases: Vec<_> = group.cases.iter().map(|case| code_span(case)).collect();
        writeln!(out, "- such as {}", cases.join(", "))?;
        for (machine, difference) in differences(matrix, group) {
            writeln!(out, "- the first on {}: {}", code_span(machine), code_span(difference))?;
        }
        if let Some(next) = &group.next {
            writeln!(out, "- why: {}", code_span(next))?;
        }
        if let Some(explore) = &group.explore {
            writeln!(out, "- look: {}", code_span(explore))?;
        }
    }
    left_out(matrix).map_or(Ok(()), |more| writeln!(out, "\n{more}"))?;
    not_compared(matrix).try_for_each(|line| writeln!(out, "\n{}", code_span(&line)))
}

fn html(out: &mut dyn Write, matrix: &Matrix) -> io::Result<()> {
    const TITLE: &str = "Machines by suites";
    let names: Vec<_> = matrix.machines.iter().map(|name| html_text(name)).collect();
    let head: Vec<_> = std::iter::once("suite").chain(names.iter().map(String::as_str)).collect();
    let rows = matrix.suites.iter().map(|suite| {
        std::iter::once(html_text(&suite.name)).chain(suite.cells.iter().map(counts)).collect::<Vec<_>>()
    });
    let not_compared: Vec<_> =
        not_compared(matrix).map(|line| format!("<p>{}</p>\n", html_text(&line))).collect();
    let main = table(TITLE, &head, rows) + &not_compared.concat() + &groups_html(matrix);
    out.write_all(page(TITLE, "", &main).as_bytes())
}

/// What is wrong with machines, and the groups of cases that some machine does not pass, as parts of a page.
pub(super) fn groups_html(matrix: &Matrix) -> String {
    let mut parts = Vec::new();
    for BrokenMachine { machine, error } in &matrix.broken {
        parts.push(format!("<p>error: {}: {}</p>\n", html_text(machine), html_text(error)));
    }
    for group in matrix.groups.iter().take(MAX_GROUPS) {
        parts.push(format!("<section><h2>{}</h2>\n<ul>\n", heading(group)));
        for (name, outcome) in matrix.machines.iter().zip(&group.outcomes) {
            parts.push(format!("<li>{}: {}</li>\n", html_text(name), html_text(outcome)));
        }
        for case in &group.cases {
            parts.push(format!("<li><code>{}</code></li>\n", html_text(case)));
        }
        if group.count > group.cases.len() {
            parts.push(format!("<li>and {} more</li>\n", group.count - group.cases.len()));
        }
        parts.push("</ul>\n".to_owned());
        for (machine, difference) in differences(matrix, group) {
            parts.push(format!("<p>{}: {}</p>\n", html_text(machine), html_text(difference)));
        }
        for command in group.next.iter().chain(&group.explore) {
            parts.push(format!("<p><code>{}</code></p>\n", html_text(command)));
        }
        parts.push("</section>\n".to_owned());
    }
    parts.extend(left_out(matrix).map(|more| format!("<p>{more}</p>\n")));
    parts.concat()
}

/// An SVG with the name of a machine, how many of all cases pass, how many are known to fail, and how many it does not
/// support; `None` if there is no such machine. Skipped cases do not count.
pub fn badge(matrix: &Matrix, machine: usize) -> Option<String> {
    const CHARACTER: usize = 7;
    let name = html_text(matrix.machines.get(machine)?);
    let all = matrix.total(machine);
    let cases = all.cases() - all.skipped;
    let others = [(all.known, "known"), (all.unsupported, "unsupported")].into_iter();
    let others = others.filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}"));
    let score: Vec<_> = [format!("{} of {cases}", all.passed)].into_iter().chain(others).collect();
    let score = score.join(", ");
    let color = if all.passed > 0 && all.passed + all.unsupported == cases { "#2e7d32" } else { "#b25000" };
    let left = matrix.machines[machine].chars().count() * CHARACTER + 12;
    let right = score.len() * CHARACTER + 12;
    let (width, middle, end) = (left + right, left / 2, left + right / 2);
    Some(format!(
        "{BADGE} width=\"{width}\"{LABEL}\"{name}: {score} vectors\">\n\
         <rect width=\"{left}\" height=\"20\" fill=\"#444\"/>\n\
         <rect x=\"{left}\" width=\"{right}\" height=\"20\" fill=\"{color}\"/>\n\
         <g fill=\"#fff\" font-family=\"Verdana,sans-serif\" font-size=\"11\" text-anchor=\"middle\">\n\
         <text x=\"{middle}\" y=\"14\">{name}</text><text x=\"{end}\" y=\"14\">{score}</text>\n</g></svg>\n"
    ))
}

/// How a badge begins.
const BADGE: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\"";

/// Follows the width of a badge.
const LABEL: &str = " height=\"20\" role=\"img\" aria-label=";

/// Whether a file that begins so is a badge.
pub fn is_badge(start: &str) -> bool {
    start.starts_with(BADGE) && start.contains(LABEL)
}
