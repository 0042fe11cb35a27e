//! `vmconf run --explore`: the pages beside the HTML report, and the links to them.

use std::fs;
use std::path::Path;

use scraper::{Html, Selector};
use vmconf::text::shell::split;

use super::{FAILING, after, page, texts};
use crate::support::browser::browser;
use crate::support::{Ran, at_root, command, ran};

/// A program and a case with these strings, which fails.
fn failing(name: &str) -> String {
    let text = fs::read_to_string(at_root("tests/samples/trace/hostile.json")).unwrap();
    let text = text
        .replace(r"ma\u001b[2Jin\u202e", name)
        .replace(r#""name": "hostile""#, &format!(r#""name": "{name}""#));
    assert_eq!(text.matches(name).count(), 2);
    text.replace("TRAPPED", "HALTED")
}

/// Elements that load, an end of the script, control characters.
const HOSTILE: &str = r"</script></pre><img src=http://leaves.invalid/i><script>fetch('http://leaves.invalid/f')</script>\u001b[2J\u0000\u202e";

/// Runs the vectors in the folder, with the report `name`; its text and the targets of its links to pages.
fn report(folder: &Path, name: &str, more: &[&str]) -> (String, Vec<String>) {
    let mut command = command(&["run", "--no-config", "--explore", "2"]);
    command.args(more).arg(folder.join("vectors"));
    let mut argument = std::ffi::OsString::from("--report=html=");
    argument.push(folder.join(name));
    let Ran { exit, stderr, .. } = ran(command.arg(argument).output().unwrap());
    assert!([1, 3].contains(&exit) && stderr.is_empty(), "{exit}: {stderr}");
    let text = fs::read_to_string(folder.join(name)).unwrap();
    let links = Html::parse_document(&text)
        .select(&Selector::parse("#cases pre a").unwrap())
        .map(|link| link.attr("href").unwrap().to_owned())
        .collect();
    (text, links)
}

fn with_vectors(texts: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("vectors")).unwrap();
    for (number, text) in texts.iter().enumerate() {
        fs::write(folder.path().join(format!("vectors/{number}.json")), text).unwrap();
    }
    folder
}

#[test]
fn the_first_failures_are_linked_to_pages() {
    let storage = fs::read_to_string(at_root(FAILING[0].1)).unwrap();
    let broken = fs::read_to_string(at_root("docs/examples/suite/typo.json")).unwrap();
    let folder = with_vectors(&[&broken, &failing(HOSTILE), &storage, &failing("third")]);
    let (text, links) = report(folder.path(), "re#s%41?.html", &[]);
    assert!(text.contains("no page to go through the run: "), "the broken one");
    assert_eq!(links.len(), 2, "{links:?}");
    let pages = folder.path().join("re#s%41?-explore");
    for link in &links {
        let name = link.strip_prefix("re%23s%2541%3F-explore/").unwrap();
        assert!(name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'.'), "{name}");
        assert!(fs::read_to_string(pages.join(name)).unwrap().starts_with("<!DOCTYPE html>"));
    }
    // The pages of cases that do not fail any more go, and those of other cases keep their names.
    fs::remove_file(folder.path().join("vectors/2.json")).unwrap();
    let (_, later) = report(folder.path(), "re#s%41?.html", &[]);
    assert_eq!(later[0], links[0]);
    let mut names: Vec<_> = fs::read_dir(pages).unwrap().map(|it| it.unwrap().file_name()).collect();
    names.sort_unstable();
    let mut linked: Vec<_> = later.iter().map(|it| it.split_once('/').unwrap().1).collect();
    linked.sort_unstable();
    assert_eq!(names, linked);
}

/// Each failing assertion of a case has a link, and each case the command that opens it where it fails.
#[test]
fn each_failure_leads_to_where_it_fails() {
    let text = fs::read_to_string(at_root("docs/examples/transfer.json")).unwrap();
    let wrong =
        text.replace(r#""storage": { "0x00": "0x3c" }"#, r#""storage": { "0x00": "0x3c", "0x01": "0x05" }"#);
    assert_ne!(text, wrong);
    let folder = with_vectors(&[&wrong]);
    let (text, links) = report(folder.path(), "result.html", &["--max-depth", "900", "--engine", "plain"]);
    assert_eq!(links.len(), 2, "{links:?}");
    assert_eq!(links[1], format!("{}#failure=2", links[0]));
    let look = texts(&Html::parse_document(&text), ".look code").remove(0);
    let words = split(&look).unwrap();
    assert_eq!(words[..2], ["vmconf", "explore"]);
    assert_eq!(words[3..], ["--max-depth", "900", "--no-config"]);
    let words = words[1..].iter().map(String::as_str).chain(["--html", "-"]).collect::<Vec<_>>();
    let Ran { exit, stdout, stderr } = ran(command(&words).output().unwrap());
    assert_eq!((exit, &*stderr), (0, ""));
    assert!(stdout.starts_with("<!DOCTYPE html>"));
    let Some(browser) = browser() else { return };
    for (number, link) in links.iter().enumerate() {
        let (page, fragment) = link.split_once('#').unwrap_or((link, ""));
        let fragment = if fragment.is_empty() { String::new() } else { format!("#{fragment}") };
        let shown = Html::parse_document(&browser.dom(&folder.path().join(page), &fragment));
        assert!(texts(&shown, "#failure")[0].contains(&format!("({} of 2)", number + 1)), "{fragment}");
    }
    let shown = after(
        browser,
        &fs::read_to_string(folder.path().join(&links[0])).unwrap(),
        "say(commandHere());",
        "#step=3",
    );
    assert_eq!(texts(&shown, "#status"), [format!("{look} --at 3")]);
}

/// Of many failing assertions, the first have links, and the report counts the others.
#[test]
fn ten_failing_assertions_of_a_case_have_links() {
    let text = fs::read_to_string(at_root("docs/examples/transfer.json")).unwrap();
    let words: Vec<_> = (1..12).map(|word| format!(r#", "0x{word:02x}": "0x05""#)).collect();
    let storage = r#""storage": { "0x00": "0x3c""#;
    assert_eq!(text.matches(storage).count(), 1);
    let folder = with_vectors(&[&text.replace(storage, &format!("{storage}{}", words.concat()))]);
    let (text, links) = report(folder.path(), "result.html", &[]);
    assert_eq!(links.len(), 10, "{links:?}");
    assert!(links[9].ends_with("#failure=10"), "{links:?}");
    assert!(text.contains("\n  and 2 more, which the page lists\n"), "{text}");
}

#[test]
fn a_machine_in_another_process_has_no_pages() {
    let folder = with_vectors(&[&fs::read_to_string(at_root(FAILING[0].1)).unwrap()]);
    let vm = "--vm=other=vmconf serve evm".to_owned();
    let (text, links) = report(folder.path(), "result.html", &[&vm]);
    assert_eq!(links.len(), 0);
    assert!(text.contains("pages of a report are of runs on the machines of this program"));
    assert!(!folder.path().join("result-explore").exists());
}

#[test]
fn without_one_html_file_there_are_no_pages() {
    for reports in [
        &[][..],
        &["--report=html"],
        &["--report=html=/dev/null"],
        &["--report=junit=x"],
        &["--report=html=a", "--report=html=b"],
    ] {
        let Ran { exit, stdout, stderr } =
            ran(command(&["run", FAILING[0].1, "--explore", "1"]).args(reports).output().unwrap());
        assert_eq!((exit, &*stdout), (2, ""), "{reports:?}");
        assert!(stderr.contains("add --report html=FILE"), "{reports:?}: {stderr}");
    }
}

#[test]
fn a_page_that_cannot_be_written_is_an_error() {
    let folder = with_vectors(&[&failing("first")]);
    fs::write(folder.path().join("result-explore"), "a file").unwrap();
    let argument = format!("html={}", folder.path().join("result.html").display());
    let mut command = command(&["run", "--no-config", "--explore", "1", "--report", &argument]);
    let Ran { exit, stderr, .. } = ran(command.arg(folder.path().join("vectors")).output().unwrap());
    assert_eq!(exit, 3, "{stderr}");
    assert!(stderr.contains("the page cannot be written: "), "{stderr}");
    let text = fs::read_to_string(folder.path().join("result.html")).unwrap();
    assert!(text.contains("no page to go through the run: it could not be written"));
}

/// The report is clicked in a copy: its policy allows no script but its own.
#[test]
fn a_link_of_the_report_leads_to_the_page() {
    let Some(browser) = browser() else { return };
    let storage = fs::read_to_string(at_root(FAILING[0].1)).unwrap();
    let folder = with_vectors(&[&failing(HOSTILE), &storage]);
    let (text, _) = report(folder.path(), "re#s%41?.html", &[]);
    let (before, rest) = text.split_once("<meta http-equiv").unwrap();
    let (_, rest) = rest.split_once(">\n").unwrap();
    let titles = [("0", "minic89"), ("1", "evm")].map(|(link, machine)| {
        let click =
            format!("<script>document.querySelectorAll('#cases pre a')[{link}].click()</script></body>");
        let copy = folder.path().join("copy of it.html");
        fs::write(&copy, format!("{before}{rest}").replace("</body>", &click)).unwrap();
        let shown = Html::parse_document(&browser.dom(&copy, ""));
        assert_eq!(texts(&shown, "#failure").len(), 1);
        (texts(&shown, "h1").remove(0), machine)
    });
    for (title, machine) in titles {
        assert!(title.starts_with(machine), "{title}");
    }
}

#[test]
fn no_request_leaves_a_page() {
    let Some(browser) = browser() else { return };
    let folder = with_vectors(&[&failing(HOSTILE)]);
    // What would be seen if one did.
    let path = folder.path().join("page.html");
    fs::write(&path, "<img src=http://leaves.invalid/i><script>fetch('http://leaves.invalid/f')</script>")
        .unwrap();
    let mut seen = browser.show(&path, "").requests;
    seen.sort_unstable();
    assert_eq!(seen, ["http://leaves.invalid/f", "http://leaves.invalid/i"]);
    // The pages themselves, with their own policy; `dom` demands that there is no request.
    let (text, links) = report(folder.path(), "result.html", &[]);
    assert!(text.contains("leaves.invalid"), "the strings are in the report");
    for name in ["result.html", &links[0]] {
        browser.dom(&folder.path().join(name), "");
    }
    // Without the policy, which would hide a mistake in the escaping.
    for name in ["result.html", &links[0]] {
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        let (before, rest) = text.split_once("<meta http-equiv").unwrap();
        let (_, rest) = rest.split_once(">\n").unwrap();
        fs::write(&path, format!("{before}{rest}")).unwrap();
        let shown = Html::parse_document(&browser.dom(&path, ""));
        assert_eq!(texts(&shown, "img").len(), 0);
    }
    assert!(!page(FAILING[0].1).contains("http:"));
}
