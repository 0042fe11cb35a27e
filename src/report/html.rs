//! The report for a browser: one page with everything in it. It is readable without scripts; with scripts it
//! can be searched and filtered. Cases that fail or are broken come first, and those that pass although they are known to
//! fail.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::ops::Range;

use indexmap::{IndexMap, IndexSet};
use quick_xml::escape::partial_escape;
use sha2::{Digest, Sha256};

use super::case_block::{counted, counts, headline, plain_case};
use super::explanation;
use super::html_page::STYLE;
use super::kind::{Needs, Report, ReportOptions};
use super::slow::seconds;
use super::spool::Spool;
use super::suspects::{head as suspects_head, heading};
use super::truncate::truncate_cause;
use crate::model::explanation::MAX_EXPLAINED;
use crate::model::{
    CaseId, CaseReport, Event, ExplainedCase, ExplorerPage, MAX_SIGNATURE, Name, RunSummary, SuspectAnalysis,
    escaped,
};
use crate::text::html_head::HtmlHead;
use crate::text::shell::quoted;

const SCRIPT: &str = include_str!("html/page.js");

/// The maximum number of differences of a case that have a link into the page of its run.
const MAX_LINKED: usize = 10;

/// The maximum number of causes for which the list of causes is open at first.
const MAX_OPEN: usize = 10;

/// One page with everything in it.
pub struct Html {
    out: Box<dyn Write>,
    options: ReportOptions,
    /// The list of the cases that fail, are broken, or pass although they are known to fail.
    rows: Spool,
    /// The list of the other cases, which comes after it.
    passing: Spool,
    /// Where the texts of the cases that may still be explained are in the first list.
    explainable: HashMap<CaseId, Range<u64>>,
    /// The explanations that replace these texts: the start of each, its end and the explanation.
    explained: BTreeMap<u64, (u64, String)>,
    /// What other reports group the cases of the first list by.
    causes: IndexMap<String, CauseGroup>,
    /// How many of these are causes of failures, which the run may explain.
    explained_causes: usize,
    machines: IndexSet<Name>,
    /// Which instructions explain the failures, if some do.
    suspects: Option<Box<SuspectAnalysis>>,
    /// The machine in another process, after its preposition; empty for the machines of this crate.
    on: String,
}

/// The cases with the same cause.
struct CauseGroup {
    count: usize,
    /// The anchor of the first one.
    first: String,
    /// Whether the run explains some of them: it explains at most [`MAX_EXPLAINED`] causes.
    is_explained: bool,
}

impl Html {
    /// A report that writes to `out`.
    pub fn new(out: Box<dyn Write>, options: &ReportOptions) -> Html {
        Html {
            out,
            options: options.clone(),
            rows: Spool::default(),
            passing: Spool::default(),
            explainable: HashMap::new(),
            explained: BTreeMap::new(),
            causes: IndexMap::new(),
            explained_causes: 0,
            machines: IndexSet::new(),
            suspects: None,
            on: String::new(),
        }
    }

    fn case(&mut self, report: &CaseReport) -> io::Result<()> {
        let CaseReport { id, machine, verdict, time, .. } = report;
        let shown = id.to_string();
        let name = verdict.name();
        self.machines.extend(machine.clone());
        let cause = report.group();
        let rows = if cause.is_some() { &mut self.rows } else { &mut self.passing };
        write!(rows, "<li class=\"{name}\" data-machine=\"{}\"", machine.as_deref().unwrap_or_default())?;
        let mut may_be_explained = false;
        if let Some(cause) = cause {
            let entry = self.causes.entry(cause);
            let (number, anchor) = (entry.index(), anchor(&shown));
            write!(rows, " id=\"{anchor}\" data-cause=\"{number}\"")?;
            let cause = entry.or_insert_with(|| {
                let is_explained = verdict.is_failed_or_broken() && self.explained_causes < MAX_EXPLAINED;
                self.explained_causes += usize::from(is_explained);
                CauseGroup { count: 0, first: anchor, is_explained }
            });
            cause.count += 1;
            // The run also explains at most this many cases per cause.
            may_be_explained = cause.is_explained && cause.count <= MAX_EXPLAINED;
        }
        let mut line = format!("<span class=\"verdict\">{name}</span> <code>{}</code>", html(&shown));
        if let Some(time) = time {
            write!(line, " <span class=\"time\">{}</span>", seconds(*time)).map_err(io::Error::other)?;
        }
        if let Some(headline) = headline(report) {
            write!(line, " <span class=\"headline\">{}</span>", html(&headline)).map_err(io::Error::other)?;
        }
        let text = html(&plain_case(report, &self.options.flags)?);
        if text.is_empty() {
            return writeln!(rows, ">{line}</li>");
        }
        // The HTML parser drops a line break at the start of a <pre>.
        writeln!(rows, "><details><summary>{line}</summary><pre>")?;
        let start = rows.length();
        write!(rows, "{text}")?;
        if may_be_explained {
            self.explainable.insert(id.clone(), start..rows.length());
        }
        write!(rows, "</pre>")?;
        if !self.options.hides_steps && verdict.failure().is_some() {
            let command = format!("vmconf explore {}{}", quoted(&shown), self.options.explorer_flags());
            write!(rows, "{}", look(&command))?;
        }
        writeln!(rows, "</details></li>")
    }

    fn explained(&mut self, explained: &ExplainedCase) -> io::Result<()> {
        if let Some(Range { start, end }) = self.explainable.remove(explained.id()) {
            let text = html(&explanation::plain(explained)?);
            self.explained.insert(start, (end, explorer_link(explained) + &text));
        }
        Ok(())
    }

    fn end(&mut self, summary: &RunSummary) -> io::Result<()> {
        let before = self.before_cases(summary).map_err(io::Error::other)?;
        self.out.write_all(before.as_bytes())?;
        let mut rows = self.rows.reader()?;
        let mut done = 0;
        for (start, (end, text)) in &self.explained {
            io::copy(&mut rows.by_ref().take(start - done), &mut self.out)?;
            self.out.write_all(text.as_bytes())?;
            io::copy(&mut rows.by_ref().take(end - start), &mut io::sink())?;
            done = *end;
        }
        io::copy(&mut rows, &mut self.out)?;
        io::copy(&mut self.passing.reader()?, &mut self.out)?;
        writeln!(self.out, "</ul>\n<p id=\"said\" role=\"status\"></p>\n</main>")?;
        writeln!(self.out, "<script>{SCRIPT}</script>\n</body>\n</html>")?;
        self.out.flush()
    }

    fn before_cases(&self, summary: &RunSummary) -> Result<String, std::fmt::Error> {
        let mut page = String::new();
        let ReportOptions { selection, flags, when, .. } = &self.options;
        let command = html(&format!("vmconf run{selection}{flags}"));
        let when = when.as_ref().map_or(String::new(), |when| format!(", <time>{when}</time>"));
        let (version, on) = (env!("CARGO_PKG_VERSION"), html(&self.on));
        head(&mut page, summary, &format!("<code>{command}</code>{on}, vmconf {version}{when}"))?;
        self.controls(&mut page, summary)?;
        self.list_suspects(&mut page)?;
        self.list_causes(&mut page)?;
        writeln!(page, "<h2>Cases</h2>\n<ul id=\"cases\">")?;
        Ok(page)
    }

    /// Writes the search field and filters. They are hidden unless the script runs.
    fn controls(&self, page: &mut String, summary: &RunSummary) -> std::fmt::Result {
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
        for (number, cause, CauseGroup { count, .. }) in self.largest_causes() {
            writeln!(page, "<option value=\"{number}\">{count} × {}</option>", shown_cause(cause))?;
        }
        writeln!(page, "</select></label>\n<button type=\"reset\">Reset</button>")?;
        writeln!(page, "<output id=\"shown\" aria-live=\"polite\"></output>\n</form>")
    }

    /// Writes the instructions that explain the failures, each with a link to its shortest case.
    fn list_suspects(&self, page: &mut String) -> std::fmt::Result {
        let Some(analysis) = &self.suspects else { return Ok(()) };
        writeln!(
            page,
            "<details id=\"suspects\" open><summary>{}</summary>\n<ol>",
            html(&suspects_head(analysis))
        )?;
        for suspect in &analysis.suspects {
            let case = suspect.representative();
            let first = case.map(|id| anchor(id)).unwrap_or_default();
            let (count, heading) = (suspect.cases.len(), html(&heading(suspect)));
            writeln!(
                page,
                "<li><span class=\"count\">{count} ×</span> <a href=\"#{first}\"><code>{heading}</code></a></li>"
            )?;
        }
        writeln!(page, "</ol>\n</details>")
    }

    /// The causes with their numbers, those of most cases first.
    fn largest_causes(&self) -> Vec<(usize, &String, &CauseGroup)> {
        let numbered = self.causes.iter().enumerate();
        let mut causes: Vec<_> = numbered.map(|(number, (name, cause))| (number, name, cause)).collect();
        causes.sort_by_key(|(.., cause)| Reverse(cause.count));
        causes
    }

    /// Writes the causes, each with a link to its first case.
    fn list_causes(&self, page: &mut String) -> std::fmt::Result {
        if self.causes.is_empty() {
            return Ok(());
        }
        let open = if self.causes.len() <= MAX_OPEN { " open" } else { "" };
        writeln!(
            page,
            "<details id=\"causes\"{open}><summary>Causes: {}</summary>\n<ol>",
            self.causes.len()
        )?;
        for (number, cause, CauseGroup { count, first, .. }) in self.largest_causes() {
            writeln!(
                page,
                "<li><span class=\"count\">{count} ×</span> <a href=\"#{first}\" data-cause=\"{number}\">\
                 <code>{}</code></a></li>",
                shown_cause(cause)
            )?;
        }
        writeln!(page, "</ol>\n</details>")
    }
}

impl Report for Html {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Finished(report) => self.case(report),
            Event::Broken { source, errors } => self.case(&CaseReport::broken(source, errors)),
            Event::Explained(explained) => self.explained(explained),
            Event::Started { vm, .. } => {
                self.on = vm.as_ref().map_or_else(String::new, |vm| format!(" on {vm}"));
                Ok(())
            }
            Event::Suspects(analysis) => {
                self.suspects = Some(analysis.clone());
                Ok(())
            }
            Event::NotCompared(fields) => {
                let fields = fields.iter().map(|field| format!("; {field}"));
                self.on.extend(fields);
                Ok(())
            }
            Event::Note { .. } | Event::FileDone => Ok(()),
            Event::Ended(summary) => self.end(summary),
        }
    }

    fn needs(&self) -> Needs {
        Needs::Explanations
    }
}

/// The command that opens the run of a case where it fails. A script shows the button that copies it.
fn look(command: &str) -> String {
    format!(
        "<p class=\"look\">look: <code>{}</code> <button type=\"button\" title=\"copy the command\" \
         aria-label=\"copy the command\" hidden>⧉</button></p>",
        html(command)
    )
}

/// The lines that lead to the page of a case, or say why it has none.
fn explorer_link(explained: &ExplainedCase) -> String {
    let ExplainedCase::Facts(explanation) = explained else { return String::new() };
    match &explanation.page {
        None => String::new(),
        Some(ExplorerPage::At(uri)) => {
            let differences = explanation.report.verdict.failure().map_or(&[][..], |it| &it.differences);
            let others = differences.iter().enumerate().take(MAX_LINKED).skip(1);
            let others = others.map(|(index, difference)| {
                let at = html(&difference.at.to_string());
                format!("\n  <a href=\"{}#failure={}\">at {at}</a>", html(uri), index + 1)
            });
            let others: String = others.collect();
            let more = match differences.len().saturating_sub(MAX_LINKED) {
                0 => String::new(),
                more => format!("\n  and {more} more, which the page lists"),
            };
            format!("<a href=\"{}\">go through the run step by step</a>{others}{more}\n\n", html(uri))
        }
        Some(ExplorerPage::Missing(why)) => format!("no page to go through the run: {}\n\n", html(why)),
    }
}

/// The anchor of a case in the page: a digest of its id, so that it is the same in the next run.
fn anchor(id: &str) -> String {
    format!("case-{}", hex::encode(&Sha256::digest(id)[..6]))
}

/// Writes everything before the filters; `run` is HTML that says which run it is.
fn head(page: &mut String, summary: &RunSummary, run: &str) -> std::fmt::Result {
    let (counts, seconds) = (counts(summary), summary.seconds);
    let title = format!("vmconf: {counts}");
    let head = HtmlHead { title: &title, meta: "", style: STYLE, script: Some(SCRIPT) };
    write!(
        page,
        "{}<body>\n\
         <header><h1>vmconf</h1><p>{counts} in {seconds:.2} s</p>\n\
         <p>{run}</p></header>\n<main>\n",
        head.html()
    )
}

fn shown_cause(cause: &str) -> String {
    html(&truncate_cause(cause, MAX_SIGNATURE))
}

/// Escapes text for the content of an element or for an attribute value in double quotes.
fn html(text: &str) -> String {
    partial_escape(escaped_but_lines(text)).replace('"', "&quot;")
}

/// Like [`escaped`], but keeps line breaks.
fn escaped_but_lines(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(escaped).collect();
    lines.join("\n")
}
