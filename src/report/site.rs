//! Static pages on machines: an overview, a page and a conformance statement for each, without scripts and requests.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::conformance::{ConformanceMachine, ConformanceRun, cases, rest, share, unlike_suites};
use super::html_page::{GENERATOR, html_text, page, table};
use super::matrix::{badge, groups_html};
use super::ran_suites::{UnlikeSuites, short};
use super::statement::{MAX_SHOWN, NO_EXTENSIONS, UNSAID, category_rule, facts, left_out, statement};
use super::truncate::truncate_cause;
use crate::model::MAX_SIGNATURE;
use crate::wire::matrix::{Matrix, MatrixCell};

/// Follows the slug of a machine in the names of the files of its statement.
const STATEMENT: &str = "-statement";

/// A file of the site.
pub struct SiteFile {
    /// Its name in the folder.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// A machine with its place in the site.
struct SiteMachine<'m> {
    machine: &'m ConformanceMachine,
    /// The start of the names of its files.
    slug: String,
    /// Its column in the matrix.
    column: usize,
}

/// All files of the site, in an order that does not depend on anything but the reports. `machines` are the columns of
/// the matrix; `suite` names the suite of a file.
pub fn site(
    matrix: &Matrix,
    machines: &[ConformanceMachine],
    suite: &dyn Fn(&str) -> String,
) -> Vec<SiteFile> {
    let unlike = unlike_suites(machines, suite);
    let mut used = HashSet::from(["index".to_owned()]);
    let of = |(column, machine)| SiteMachine { machine, slug: slug(&machine.name, &mut used), column };
    let machines: Vec<_> = machines.iter().enumerate().map(of).collect();
    let mut files =
        vec![SiteFile { name: "index.html".to_owned(), text: overview(matrix, &machines, &unlike) }];
    for it in &machines {
        let mut file =
            |ending: &str, text| files.push(SiteFile { name: format!("{}{ending}", it.slug), text });
        file(".html", machine_page(matrix, it));
        file(&format!("{STATEMENT}.html"), statement_page(it, suite));
        let mut markdown = Vec::new();
        statement(&mut markdown, it.machine, suite).unwrap_or_else(|_| unreachable!("memory can be written"));
        file(&format!("{STATEMENT}.md"), String::from_utf8_lossy(&markdown).into_owned());
        file(".svg", badge(matrix, it.column).unwrap_or_default());
    }
    files
}

/// Whether a file that begins so is a page of a site.
pub fn is_site_page(start: &str) -> bool {
    start.contains(GENERATOR)
}

/// A part of the name of a file, made of the name of a machine: letters and digits with dashes, each name once.
fn slug(name: &str, used: &mut HashSet<String>) -> String {
    const MAX_LENGTH: usize = 40;
    let plain = name.chars().map(|it| if it.is_ascii_alphanumeric() { it.to_ascii_lowercase() } else { '-' });
    let words = plain.collect::<String>();
    let words: Vec<_> = words.split('-').filter(|word| !word.is_empty()).collect();
    let mut slug: String = words.join("-").chars().take(MAX_LENGTH).collect();
    if slug.is_empty() {
        slug.push_str("machine");
    }
    let first = slug.clone();
    for number in 2.. {
        // The page of one machine must not be the statement of another.
        let both = [slug.clone(), format!("{slug}{STATEMENT}")];
        if both.iter().all(|name| !used.contains(name)) {
            used.extend(both);
            break;
        }
        slug = format!("{first}-{number}");
    }
    slug
}

/// How many cases pass, what the others do, and the share as a bar.
fn counts(cell: &MatrixCell) -> String {
    let all = cell.cases() - cell.skipped;
    if all == 0 {
        return "<span class=\"rest\">not run</span>".to_owned();
    }
    let class = match all - cell.passed {
        0 => "good",
        rest if rest == cell.unsupported => "partly",
        _ => "bad",
    };
    let rest = match rest(cell) {
        rest if rest.is_empty() => String::new(),
        rest => format!("<br><span class=\"rest\">{rest}</span>"),
    };
    format!("<span class=\"{class}\">{}</span>{rest}{}", share(cell), bar(cell.passed, all))
}

/// A bar for those who see it; the numbers stand beside it.
fn bar(part: u64, all: u64) -> String {
    let width = part * 100 / all.max(1);
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect class=\"all\" width=\"100\" height=\"4\"/><rect class=\"part\" width=\"{width}\" height=\"4\"/></svg>"
    )
}

fn overview(matrix: &Matrix, machines: &[SiteMachine<'_>], unlike_suites: &[UnlikeSuites]) -> String {
    let link =
        |it: &SiteMachine<'_>| format!("<a href=\"{}.html\">{}</a>", it.slug, html_text(&it.machine.name));
    let columns: Vec<_> = machines.iter().map(link).collect();
    let head: Vec<_> = std::iter::once("suite").chain(columns.iter().map(String::as_str)).collect();
    let suites = matrix.suites.iter().map(|suite| {
        std::iter::once(html_text(&suite.name)).chain(suite.cells.iter().map(counts)).collect::<Vec<_>>()
    });
    let mut total = vec!["all".to_owned()];
    total.extend(machines.iter().map(|it| counts(&matrix.total(it.column))));
    let mut main = table("Machines by suites", &head, suites.chain([total]));
    main.push_str(&unlike(unlike_suites));
    let rows = machines.iter().map(|it| {
        let compared = it.machine.last().map_or_else(String::new, not_compared);
        let statement = format!("<a href=\"{}{STATEMENT}.html\">statement</a>", it.slug);
        vec![link(it), html_text(&it.machine.release()), compared, statement]
    });
    main.push_str("<h2>Machines</h2>\n");
    main.push_str(&table("Machines", &["machine", "release", "not compared", "conformance"], rows));
    main.push_str(&groups_html(matrix));
    page("Machines by suites", "", &main)
}

/// The suites of which machines ran different vectors.
fn unlike(unlike: &[UnlikeSuites]) -> String {
    if unlike.is_empty() {
        return String::new();
    }
    let rows = unlike.iter().map(|it| {
        let [first, second] = &it.machines;
        vec![html_text(&it.suite), html_text(first), html_text(second), html_text(&it.how)]
    });
    format!(
        "<h2 class=\"bad\">Not the same vectors</h2>\n<p>The results of these suites cannot be compared.</p>\n{}",
        table("Not the same vectors", &["suite", "first", "second", "difference"], rows)
    )
}

fn not_compared(run: &ConformanceRun) -> String {
    let hashes = run.vm.iter().flat_map(|vm| &vm.not_compared).map(|field| format!("{field}, but its hash"));
    let fields = run.not_compared.iter().map(ToString::to_string);
    let all: Vec<_> = fields.chain(hashes).map(|field| html_text(&field)).collect();
    if all.is_empty() { "nothing is left out".to_owned() } else { all.join("<br>") }
}

const TO_OVERVIEW: &str = "<nav><a href=\"index.html\">All machines</a></nav>";

fn machine_page(matrix: &Matrix, it: &SiteMachine<'_>) -> String {
    let Some(run) = it.machine.last() else { return page(&it.machine.name, TO_OVERVIEW, "<p>No run.</p>\n") };
    let mut main = fact_table(it.machine, run);
    let _ = writeln!(main, "<p><a href=\"{0}{STATEMENT}.html\">Conformance statement</a></p>", it.slug);
    main.push_str("<h2>Suites</h2>\n");
    let suites =
        matrix.suites.iter().map(|suite| vec![html_text(&suite.name), counts(&suite.cells[it.column])]);
    main.push_str(&table("Suites", &["suite", "passed"], suites));
    if run.is_not_started {
        return page(&it.machine.name, TO_OVERVIEW, &main);
    }
    main.push_str(&capabilities(it.machine, run));
    main.push_str(&deviations(run));
    main.push_str(&extensions(run));
    main.push_str("<h2>History</h2>\n");
    // The newest first.
    let runs = it.machine.runs.iter().rev();
    let row = |run: &ConformanceRun| {
        vec![html_text(&run.label), html_text(&run.release()), counts(&run.total), digest(run.files.digest())]
    };
    main.push_str(&table(
        "History",
        &["report", "release", "passed", "digest of the vectors"],
        runs.map(row),
    ));
    page(&it.machine.name, TO_OVERVIEW, &main)
}

fn fact_table(machine: &ConformanceMachine, run: &ConformanceRun) -> String {
    let rows = facts(machine, run).into_iter().map(|(name, value)| vec![name.to_owned(), html_text(&value)]);
    table("Facts", &["fact", "value"], rows)
}

/// The suites of a run, with their versions and digests.
fn suites(run: &ConformanceRun, suite: &dyn Fn(&str) -> String) -> String {
    let rows = run.files.suites(suite).into_iter().map(|suite| {
        let versions: Vec<_> = suite.versions.iter().map(|version| html_text(version)).collect();
        vec![
            html_text(&suite.name),
            if versions.is_empty() { "no version".to_owned() } else { versions.join("<br>") },
            suite.files().to_string(),
            suite.cases().to_string(),
            digest(suite.digest()),
        ]
    });
    table("Suites", &["suite", "version", "files", "cases", "digest"], rows)
}

/// A digest, of which the whole is shown to those who point at its start.
fn digest(digest: Option<String>) -> String {
    match digest {
        Some(digest) => format!("<abbr title=\"{digest}\">{}</abbr>", short(&digest)),
        None => UNSAID.to_owned(),
    }
}

fn capabilities(machine: &ConformanceMachine, run: &ConformanceRun) -> String {
    let mut text = "<h2>Capabilities</h2>\n".to_owned();
    let _ = writeln!(text, "<p>Compared: {}.</p>", not_compared(run));
    // The pages have another name than the run if one is given with its report.
    if let Some(lacks) = run.vm.as_ref().and_then(|vm| vm.lacks_in_words(&machine.name)) {
        let _ = writeln!(text, "<p>{}.</p>", html_text(&lacks));
    }
    if run.unsupported.is_empty() {
        text.push_str("<p>No case is unsupported.</p>\n");
        return text;
    }
    let reasons = run.unsupported.iter().take(MAX_SHOWN);
    let rows = reasons.map(|(reason, count)| vec![html_text(reason), cases(*count)]);
    text.push_str(&table("Unsupported", &["unsupported because", "cases"], rows));
    text.push_str(&left_out_html(run.unsupported.len(), "reason", run.unsupported_further));
    text
}

fn deviations(run: &ConformanceRun) -> String {
    let mut text = "<h2>Deviations</h2>\n".to_owned();
    let all = run.ordered_deviations();
    if all.is_empty() {
        text.push_str("<p>None.</p>\n");
        return text;
    }
    let rows = all.iter().take(MAX_SHOWN).map(|(deviation, of)| {
        let reason = match &deviation.known {
            Some((reason, link)) => {
                format!("{}{}", html_text(reason), link.as_deref().map_or_else(String::new, reason_link))
            }
            None => "not expected".to_owned(),
        };
        let first: Vec<_> = of.first.iter().map(|id| format!("<code>{}</code>", html_text(id))).collect();
        vec![
            html_text(&truncate_cause(&deviation.cause, MAX_SIGNATURE)),
            reason,
            cases(of.count),
            first.join("<br>"),
        ]
    });
    text.push_str(&table("Deviations", &["cause", "reason", "cases", "such as"], rows));
    text.push_str(&left_out_html(all.len(), "deviation", run.deviating_further));
    text
}

/// What the machine says that it does beyond the specification.
fn extensions(run: &ConformanceRun) -> String {
    let items: Vec<_> =
        run.extensions().iter().map(|text| format!("<li>{}</li>\n", html_text(text))).collect();
    let declared = match &items[..] {
        [] => format!("<p>{NO_EXTENSIONS}</p>\n"),
        items => format!("<ul>\n{}</ul>\n", items.concat()),
    };
    format!("<h2>Extensions</h2>\n{declared}")
}

/// A link of a list of known failures; one that is no address of the web is only shown.
fn reason_link(link: &str) -> String {
    let shown = html_text(link);
    if link.starts_with("https://") || link.starts_with("http://") {
        format!(" <a href=\"{shown}\" rel=\"noreferrer\">{shown}</a>")
    } else {
        format!(" ({shown})")
    }
}

fn left_out_html(count: usize, what: &str, further: u64) -> String {
    left_out(count, what, further).map(|line| format!("<p>{line}</p>\n")).collect::<Vec<_>>().concat()
}

fn statement_page(it: &SiteMachine<'_>, suite: &dyn Fn(&str) -> String) -> String {
    let title = format!("Conformance statement: {}", it.machine.name);
    let slug = &it.slug;
    let navigation = format!(
        "<nav><a href=\"index.html\">All machines</a> <a href=\"{slug}.html\">{}</a> \
         <a href=\"{slug}{STATEMENT}.md\">Markdown</a></nav>",
        html_text(&it.machine.name)
    );
    let Some(run) = it.machine.last() else { return page(&title, &navigation, "<p>No run.</p>\n") };
    let mut main = fact_table(it.machine, run);
    if run.is_not_started {
        return page(&title, &navigation, &main);
    }
    main.push_str("<h2>Results by category</h2>\n");
    let rows = run.categories().map(|(name, cell)| vec![name.to_owned(), counts(cell)]);
    main.push_str(&table("Results by category", &["category", "passed"], rows));
    let untested = run.untested();
    if !untested.is_empty() {
        let _ = writeln!(main, "<p>No case: {untested}.</p>");
    }
    let _ = writeln!(main, "<p class=\"rest\">{}</p>", category_rule());
    main.push_str(&deviations(run));
    main.push_str(&extensions(run));
    main.push_str(&capabilities(it.machine, run));
    main.push_str("<h2>Suites</h2>\n");
    main.push_str(&suites(run, suite));
    page(&title, &navigation, &main)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::slug;

    #[test]
    fn slugs_are_names_of_files_and_differ() {
        let mut used = HashSet::from(["index".to_owned()]);
        let names = [
            "x",
            "x-statement",
            "y-statement",
            "y",
            "../../etc/passwd",
            "index",
            "Index",
            "a b",
            "a-b",
            "",
            "\u{202e}<>",
            "con\0",
        ];
        let slugs: Vec<_> = names.iter().map(|name| slug(name, &mut used)).collect();
        let of_statements = ["x", "x-statement-2", "y-statement", "y-2"];
        let expected = ["etc-passwd", "index-2", "index-3", "a-b", "a-b-2", "machine", "machine-2", "con"];
        assert_eq!(slugs, [&of_statements[..], &expected].concat());
    }
}
