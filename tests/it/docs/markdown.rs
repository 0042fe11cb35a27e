//! The parts of a page that the tests look at.

use std::ops::Range;

/// A fenced block.
pub(super) struct Block {
    /// What stands after the opening fence: the language, and what else is said of the block.
    pub(super) info: String,
    /// The bytes between the fences.
    pub(super) body: Range<usize>,
}

/// The fenced blocks of a page.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let next = at + line.len();
        if let Some(info) = line.strip_prefix("```") {
            open = match open.take() {
                None => Some((info.trim_end().to_owned(), next)),
                Some((info, start)) => {
                    blocks.push(Block { info, body: start..at });
                    None
                }
            };
        }
        at = next;
    }
    assert!(open.is_none(), "a block without an end");
    blocks
}

/// The page without its fenced blocks and without code in its lines.
pub(super) fn prose(text: &str) -> String {
    let mut prose = String::new();
    let mut at = 0;
    for block in blocks(text) {
        prose += &text[at..block.body.start];
        at = block.body.end;
    }
    prose += &text[at..];
    let is_prose = |part: &(usize, &str)| part.0.is_multiple_of(2);
    let without_code = |line: &str| line.split('`').enumerate().filter(is_prose).map(|part| part.1).collect();
    prose
        .lines()
        .filter(|line| !line.starts_with("```"))
        .map(without_code)
        .collect::<Vec<String>>()
        .join("\n")
}

/// What links to a place in the page name after `#`: its headings in lower case, with hyphens for spaces
/// and without what is neither letter nor digit.
pub(super) fn anchors(text: &str) -> Vec<String> {
    let mut outside = text.to_owned();
    for block in blocks(text).into_iter().rev() {
        outside.replace_range(block.body, "");
    }
    let headings =
        outside.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#'));
    headings.map(|heading| slug(heading.trim())).collect()
}

fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[test]
fn blocks_headings_and_prose_are_found() {
    let page = "# A `b`, C\n\n```sh x=1\n# no heading\n[no](link)\n```\nSee [it](a.md) and `[no](link)`.\n";
    let blocks = blocks(page);
    assert_eq!((blocks.len(), &*blocks[0].info), (1, "sh x=1"));
    assert_eq!(&page[blocks[0].body.clone()], "# no heading\n[no](link)\n");
    assert_eq!(anchors(page), ["a-b-c"]);
    assert_eq!(prose(page), "# A , C\n\nSee [it](a.md) and .");
}
