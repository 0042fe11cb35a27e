//! Links of the pages to one another and into the repository.

use std::fs;
use std::path::Path;

use super::markdown::{anchors, prose};
use super::pages;
use crate::support::{at_root, files, relative};

/// What the links and pictures of a page name.
fn targets(text: &str) -> Vec<String> {
    let prose = prose(text);
    let links = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|link| link.0);
    let pictures = ["src=\"", "srcset=\""].into_iter().flat_map(|name| prose.split(name).skip(1));
    links
        .chain(pictures.filter_map(|rest| rest.split_once('"')).map(|link| link.0))
        .map(str::to_owned)
        .collect()
}

/// # Errors
///
/// When there is no such page, or no such heading on it.
pub(crate) fn check(page: &Path, target: &str) -> Result<(), String> {
    if target.contains("://") {
        return Ok(());
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file = if path.is_empty() { page.to_owned() } else { page.parent().unwrap().join(path) };
    if !file.exists() {
        return Err(format!("{}: no file {target}", relative(page)));
    }
    let book = at_root("docs/src");
    if page.starts_with(&book) && !file.canonicalize().unwrap().starts_with(book.canonicalize().unwrap()) {
        return Err(format!("{}: {target} is not in the book", relative(page)));
    }
    let has_anchor = || anchors(&fs::read_to_string(&file).unwrap()).iter().any(|it| it == anchor);
    if anchor.is_empty() || has_anchor() {
        Ok(())
    } else {
        Err(format!("{}: no heading {target}", relative(page)))
    }
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut broken = Vec::new();
    for page in pages() {
        let targets = targets(&fs::read_to_string(&page).unwrap());
        broken.extend(targets.iter().filter_map(|target| check(&page, target).err()));
    }
    assert_eq!(broken, [""; 0]);
}

#[test]
fn broken_links_are_found() {
    let page = at_root("README.md");
    assert_eq!(targets("[a](b.md) `[no](x)` <img src=\"c.svg\">"), ["b.md", "c.svg"]);
    assert!(check(&page, "docs/src/SUMMARY.md").is_ok());
    assert!(check(&page, "docs/src/no-such-page.md").is_err());
    assert!(check(&page, "#no-such-heading").is_err());
    assert!(check(&at_root("docs/src/run.md"), "../../README.md").is_err());
}

#[test]
fn the_summary_names_every_page_once() {
    let summary = at_root("docs/src/SUMMARY.md");
    let mut named = targets(&fs::read_to_string(&summary).unwrap());
    named.sort();
    let pages = files("docs/src", "md").into_iter().filter(|page| *page != summary);
    let mut pages: Vec<_> = pages.map(|page| relative(&page)["docs/src/".len()..].to_owned()).collect();
    pages.sort();
    assert_eq!(named, pages);
}
