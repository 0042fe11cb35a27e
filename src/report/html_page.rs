//! What HTML pages share: head, heading, tables.

use crate::model::escaped;
use crate::text::html_head::HtmlHead;

/// The styles that all pages of reports share.
pub(super) const STYLE: &str = include_str!("html/page.css");

/// The styles of pages with tables.
const TABLES: &str = include_str!("html/site.css");

/// What a page with tables says of its origin.
pub(super) const GENERATOR: &str = "<meta name=\"generator\" content=\"vmconf\">";

/// A page with a heading. `navigation` and `main` are HTML.
pub(super) fn page(title: &str, navigation: &str, main: &str) -> String {
    let style = format!("{STYLE}{TABLES}");
    let (title, meta) = (html_text(title), format!("{GENERATOR}\n"));
    let head = HtmlHead { title: &title, meta: &meta, style: &style, script: None }.html();
    format!(
        "{head}<body>\n<header>{navigation}<h1>{title}</h1></header>\n<main>\n{main}</main>\n</body>\n</html>\n"
    )
}

/// A row of a table: cells of HTML, of which the first one heads the row.
pub(super) struct TableRow {
    cells: Vec<String>,
    /// A class of `site.css`.
    class: Option<&'static str>,
}

impl From<Vec<String>> for TableRow {
    fn from(cells: Vec<String>) -> TableRow {
        TableRow { cells, class: None }
    }
}

impl TableRow {
    pub(super) fn of_class(class: Option<&'static str>, cells: Vec<String>) -> TableRow {
        TableRow { cells, class }
    }

    fn html(self) -> String {
        let (first, others) =
            self.cells.split_first().map_or(("", &[][..]), |(first, others)| (first, others));
        let class = self.class.map_or_else(String::new, |class| format!(" class=\"{class}\""));
        format!("<tr{class}><th scope=\"row\">{first}</th><td>{}</td></tr>\n", others.join("</td><td>"))
    }
}

/// A table that can be scrolled sideways, with a name for those who do not see it. Heads are HTML.
pub(super) fn table<R: Into<TableRow>>(
    name: &str,
    head: &[&str],
    rows: impl IntoIterator<Item = R>,
) -> String {
    let name = html_text(name);
    let head = head.join("</th><th scope=\"col\">");
    let rows: String = rows.into_iter().map(|row| row.into().html()).collect();
    format!(
        "<div class=\"wide\" role=\"region\" aria-label=\"{name}\" tabindex=\"0\"><table>\n\
         <tr><th scope=\"col\">{head}</th></tr>\n{rows}</table></div>\n"
    )
}

/// Text for HTML and SVG.
pub(super) fn html_text(text: &str) -> String {
    let one = |it: char| match it {
        '&' | '<' | '>' | '"' | '\'' => format!("&#{};", it as u32),
        other => other.to_string(),
    };
    escaped(text).chars().map(one).collect()
}
