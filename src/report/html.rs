//! The report for a browser: one page with everything in it. It is readable without scripts; with scripts it
//! can be searched and filtered. Cases that fail or are broken come first.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use indexmap::{IndexMap, IndexSet};
use sha2::{Digest, Sha256};

use super::case_block::{broken_list, counted, counts, headline, plain_case};
use super::{Needs, Options, Report, explanation};
use crate::model::case::CaseId;
use crate::model::escape::escaped;
use crate::model::event::{CaseReport, Event, Summary};
use crate::model::explanation::Explained;
use crate::model::name::Name;
use crate::model::signature;
use crate::text::shell::Words;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// The maximum number of causes for which the list of causes is open at first.
const MOST_OPEN: usize = 10;

/// One page with everything in it.
pub struct Html {
    out: Box<dyn Write>,
    flags: Words,
    rows: Vec<Row>,
    /// The rows of the cases that may still be explained.
    explainable: HashMap<CaseId, usize>,
    /// The causes of the cases that do not pass, each with its number of cases.
    causes: IndexMap<String, usize>,
    machines: IndexSet<Name>,
}

/// A case in the list.
struct Row {
    verdict: &'static str,
    machine: Option<Name>,
    id: String,
    /// The index of its cause in `Html::causes`.
    cause: Option<usize>,
    /// What is wrong, in one line.
    headline: Option<String>,
    /// The text shown when the row is opened.
    text: String,
}

impl Html {
    /// A report that writes to `out`.
    pub fn new(out: Box<dyn Write>, options: &Options) -> Html {
        Html {
            out,
            flags: options.flags.clone(),
            rows: Vec::new(),
            explainable: HashMap::new(),
            causes: IndexMap::new(),
            machines: IndexSet::new(),
        }
    }

    fn case(&mut self, report: &CaseReport) -> io::Result<()> {
        let cause = signature::cause(report.machine.as_deref(), &report.verdict).map(|cause| {
            let entry = self.causes.entry(cause);
            let number = entry.index();
            *entry.or_default() += 1;
            number
        });
        if report.verdict.is_failed_or_broken() {
            self.explainable.insert(report.id.clone(), self.rows.len());
        }
        self.machines.extend(report.machine.clone());
        self.rows.push(Row {
            verdict: report.verdict.name(),
            machine: report.machine.clone(),
            id: report.id.to_string(),
            cause,
            headline: headline(report),
            text: plain_case(report, &self.flags)?,
        });
        Ok(())
    }

    fn explained(&mut self, explained: &Explained) -> io::Result<()> {
        if let Some(row) = self.explainable.get(explained.id()) {
            self.rows[*row].text = explanation::plain(explained)?;
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        let page = self.page(summary).map_err(io::Error::other)?;
        self.out.write_all(page.as_bytes())?;
        self.out.flush()
    }

    fn page(&self, summary: &Summary) -> Result<String, std::fmt::Error> {
        let mut page = String::new();
        head(&mut page, summary)?;
        self.controls(&mut page, summary)?;
        self.list_causes(&mut page)?;
        writeln!(page, "<h2>Cases</h2>\n<ul id=\"cases\">")?;
        let (not_passing, passing): (Vec<_>, Vec<_>) = self.rows.iter().partition(|row| row.cause.is_some());
        not_passing.into_iter().chain(passing).try_for_each(|row| row.write(&mut page))?;
        writeln!(page, "</ul>\n</main>\n<script>{SCRIPT}</script>\n</body>\n</html>")?;
        Ok(page)
    }

    /// Writes the search field and filters. They are hidden unless the script runs.
    fn controls(&self, page: &mut String, summary: &Summary) -> std::fmt::Result {
        writeln!(page, "<form id=\"filters\" role=\"search\" hidden>")?;
        writeln!(page, "<label>Search <input type=\"search\" name=\"q\" autocomplete=\"off\"></label>")?;
        writeln!(page, "<fieldset><legend>Verdict</legend>")?;
        for (kind, count) in counted(summary) {
            let verdict = kind.name();
            writeln!(
                page,
                "<label class=\"{verdict}\"><input type=\"checkbox\" name=\"verdict\" value=\"{verdict}\"> \
                 <span class=\"verdict\">{verdict}</span> {count}</label>"
            )?;
        }
        writeln!(
            page,
            "</fieldset>\n<label>Machine <select name=\"machine\"><option value=\"\">all</option>"
        )?;
        for machine in &self.machines {
            writeln!(page, "<option>{machine}</option>")?;
        }
        writeln!(page, "</select></label>")?;
        writeln!(page, "<label class=\"wide\">Cause <select name=\"cause\"><option value=\"\">all</option>")?;
        for (number, (cause, count)) in self.causes.iter().enumerate() {
            writeln!(page, "<option value=\"{number}\">{count} × {}</option>", html(cause))?;
        }
        writeln!(page, "</select></label>\n<button type=\"reset\">Reset</button>")?;
        writeln!(page, "<output id=\"shown\" aria-live=\"polite\"></output>\n</form>")
    }

    /// Writes the causes, each with a link to its first case.
    fn list_causes(&self, page: &mut String) -> std::fmt::Result {
        if self.causes.is_empty() {
            return Ok(());
        }
        let open = if self.causes.len() <= MOST_OPEN { " open" } else { "" };
        writeln!(
            page,
            "<details id=\"causes\"{open}><summary>Causes: {}</summary>\n<ol>",
            self.causes.len()
        )?;
        for (number, (cause, count)) in self.causes.iter().enumerate() {
            let first = self.rows.iter().position(|row| row.cause == Some(number));
            let first = first.map_or(String::new(), |row| self.rows[row].anchor());
            writeln!(
                page,
                "<li><span class=\"count\">{count} ×</span> <a href=\"#{first}\" data-cause=\"{number}\">\
                 <code>{}</code></a></li>",
                html(cause)
            )?;
        }
        writeln!(page, "</ol>\n</details>")
    }
}

impl Report for Html {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Finished(report) => self.case(report),
            Event::UnmatchedEntries { list, entries } => self.case(&broken_list(list, entries)),
            Event::Explained(explained) => self.explained(explained),
            Event::Started { .. } | Event::Note { .. } | Event::FileDone => Ok(()),
            Event::Ended(summary) => self.end(summary),
        }
    }

    fn needs(&self) -> Needs {
        Needs::Explanations
    }
}

impl Row {
    /// The anchor of the row in the page: a digest of the case id, so that it is the same in the next run.
    fn anchor(&self) -> String {
        format!("case-{}", hex::encode(&Sha256::digest(&self.id)[..6]))
    }

    fn write(&self, page: &mut String) -> std::fmt::Result {
        let Row { verdict, machine, id, cause, headline, text } = self;
        let machine = machine.as_deref().unwrap_or_default();
        write!(page, "<li class=\"{verdict}\" data-machine=\"{machine}\"")?;
        if let Some(cause) = cause {
            write!(page, " id=\"{}\" data-cause=\"{cause}\"", self.anchor())?;
        }
        write!(page, ">")?;
        let mut line = format!("<span class=\"verdict\">{verdict}</span> <code>{}</code>", html(id));
        if let Some(headline) = headline {
            write!(line, " <span class=\"headline\">{}</span>", html(headline))?;
        }
        if text.is_empty() {
            writeln!(page, "{line}</li>")
        } else {
            // The HTML parser drops a line break at the start of a <pre>.
            writeln!(page, "<details><summary>{line}</summary><pre>\n{}</pre></details></li>", html(text))
        }
    }
}

/// Writes everything before the filters. The content security policy blocks all loading, and all scripts and
/// styles except the page's own: even if text from a vector became an element, it could do nothing.
fn head(page: &mut String, summary: &Summary) -> std::fmt::Result {
    let digest = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text));
    let (style, script) = (digest(STYLE), digest(SCRIPT));
    let (counts, seconds) = (counts(summary), summary.seconds);
    write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>vmconf: {counts}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>vmconf</h1><p>{counts} in {seconds:.2} s</p></header>\n<main>\n"
    )
}

/// Escapes text for the content of an element or for an attribute value in double quotes.
fn html(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in escaped_but_lines(text).chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            other => html.push(other),
        }
    }
    html
}

/// Like [`escaped`], but keeps line breaks.
fn escaped_but_lines(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(escaped).collect();
    lines.join("\n")
}
