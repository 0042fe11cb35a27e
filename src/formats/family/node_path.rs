//! Paths to data of a case: a subset of JSONPath (RFC 9535).

use std::fmt;

use crate::text::json::{JsonNode, escaped};

/// The longest path, in steps.
const MAX_STEPS: usize = 32;

/// A path from a datum to others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct NodePath {
    pub(super) steps: Vec<PathStep>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathStep {
    /// The member of an object with this name.
    Member(String),
    /// The item of an array; from the end if it is negative, where -1 is the last one.
    Item(i64),
    /// All items of an array, or all members of an object.
    Each,
}

/// What is wrong with the text of a path or of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotationError {
    /// The byte where it is wrong.
    pub(super) at: usize,
    /// What is there.
    pub(super) what: String,
    /// What should be there.
    pub(super) expected: String,
}

impl NodePath {
    /// Parses a path. The error is the first part that is not of the subset.
    pub(super) fn parse(text: &str) -> Result<NodePath, NotationError> {
        let mut rest = text.strip_prefix('$').ok_or_else(|| NotationError {
            at: 0,
            what: "a path starts with $".to_owned(),
            expected: if text.starts_with(['.', '[']) { format!("${text}") } else { format!("$.{text}") },
        })?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let at = text.len() - rest.len();
            let (step, after) = step(rest, at)?;
            if steps.len() == MAX_STEPS {
                let what = format!("a path of more than {MAX_STEPS} steps");
                return Err(NotationError { at, what, expected: "a shorter one".to_owned() });
            }
            steps.push(step);
            rest = after;
        }
        Ok(NodePath { steps })
    }

    /// Whether the path names one datum.
    pub(super) fn is_single(&self) -> bool {
        !self.steps.contains(&PathStep::Each)
    }

    /// Whether all data that another path names lie in those of this one, or are them.
    pub(super) fn contains(&self, other: &NodePath) -> bool {
        let Some(start) = other.steps.get(..self.steps.len()) else { return false };
        start.iter().zip(&self.steps).all(|(inner, outer)| *outer == PathStep::Each || inner == outer)
    }

    /// The datum that a path without [`PathStep::Each`] names.
    pub(super) fn find<'d>(&self, node: JsonNode<'d>) -> Option<JsonNode<'d>> {
        self.steps.iter().try_fold(node, |node, step| step.find(node))
    }

    /// All data that the path names, in document order. Each datum of the document is visited at most once.
    pub(super) fn each<'d>(&self, node: JsonNode<'d>) -> Vec<JsonNode<'d>> {
        self.steps.iter().fold(vec![node], |nodes, step| match step {
            PathStep::Member(name) => nodes.into_iter().filter_map(|node| node.member(name)).collect(),
            PathStep::Item(index) => nodes.into_iter().filter_map(|node| item(node, *index)).collect(),
            PathStep::Each => nodes.into_iter().flat_map(JsonNode::values).collect(),
        })
    }
}

impl PathStep {
    /// The datum that a step other than [`PathStep::Each`] leads to.
    pub(super) fn find<'d>(&self, node: JsonNode<'d>) -> Option<JsonNode<'d>> {
        match self {
            PathStep::Member(name) => node.member(name),
            PathStep::Item(index) => item(node, *index),
            PathStep::Each => None,
        }
    }
}

fn item(node: JsonNode<'_>, index: i64) -> Option<JsonNode<'_>> {
    let place = usize::try_from(index).ok().or_else(|| {
        let from_end = usize::try_from(index.unsigned_abs()).ok()?;
        node.items().count().checked_sub(from_end)
    })?;
    node.items().nth(place)
}

/// The first step of a text, and what follows it.
fn step(text: &str, at: usize) -> Result<(PathStep, &str), NotationError> {
    let wrong = |offset: usize, what: &str, expected: &str| NotationError {
        at: at + offset,
        what: what.to_owned(),
        expected: expected.to_owned(),
    };
    if let Some(rest) = text.strip_prefix(".*").or_else(|| text.strip_prefix("[*]")) {
        return Ok((PathStep::Each, rest));
    }
    if text.starts_with("..") {
        return Err(wrong(
            0,
            "\"..\", which is not in the subset of JSONPath",
            ".name, ['any name'], [0] or [*]",
        ));
    }
    if let Some(rest) = text.strip_prefix('.') {
        return shorthand(rest, at + 1);
    }
    let rest = text
        .strip_prefix('[')
        .ok_or_else(|| wrong(0, "this is not a step of a path", ".name, ['any name'], [0] or [*]"))?;
    if let Some(quote) = rest.bytes().next().filter(|quote| b"'\"".contains(quote)) {
        let (name, after) = quoted_name(&rest[1..], quote).map_err(|fault| match fault {
            NameFault::Open => wrong(1, "a name without its closing quote", "['any name']"),
            NameFault::Escape(offset) => wrong(
                2 + offset,
                "an unknown escape sequence in a name",
                r"\b, \f, \n, \r, \t, \/, \\, the quote after \, or \u and four hex digits",
            ),
        })?;
        let after = after
            .strip_prefix(']')
            .ok_or_else(|| wrong(text.len() - after.len(), "a name without ]", "]"))?;
        return Ok((PathStep::Member(name), after));
    }
    let (index, after) = rest.split_once(']').ok_or_else(|| wrong(0, "[ without ]", "[0]"))?;
    let digits = index.strip_prefix('-').unwrap_or(index);
    let is_number = digits.bytes().all(|digit| digit.is_ascii_digit()) && !digits.is_empty();
    match index.parse::<i64>() {
        Ok(number) if is_number => Ok((PathStep::Item(number), after)),
        _ => Err(wrong(1, &format!("{index:?} is not an index"), "[0], [-1], [*] or ['any name']")),
    }
}

/// A name after a dot, and what follows it.
fn shorthand(text: &str, at: usize) -> Result<(PathStep, &str), NotationError> {
    let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_' || !it.is_ascii();
    let end = text.find(|it| !is_name(it)).unwrap_or(text.len());
    let (name, after) = text.split_at(end);
    let whole = &text[..text.find(['.', '[']).unwrap_or(text.len())];
    if whole.len() != name.len() || name.is_empty() || name.starts_with(|it: char| it.is_ascii_digit()) {
        let what = if whole.is_empty() {
            "a dot without a name".to_owned()
        } else {
            format!("{whole:?} after a dot")
        };
        let expected = format!("['{}']", if whole.is_empty() { "any name" } else { whole });
        return Err(NotationError { at, what, expected });
    }
    Ok((PathStep::Member(name.to_owned()), after))
}

/// Why a text is not a name in quotes.
enum NameFault {
    /// It has no closing quote.
    Open,
    /// It has an unknown escape sequence at this byte.
    Escape(usize),
}

/// A name up to its closing quote, and what follows that. Names have the escapes of JSON (RFC 9535, 2.3.1.1).
fn quoted_name(text: &str, quote: u8) -> Result<(String, &str), NameFault> {
    let mut name = String::new();
    let mut rest = text;
    while let Some(at) = rest.find([char::from(quote), '\\']) {
        name.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if rest.as_bytes()[at] == quote {
            return Ok((name, after));
        }
        let backslash = text.len() - after.len() - 1;
        let (character, length) =
            escaped(after.as_bytes(), quote).map_err(|_| NameFault::Escape(backslash))?;
        name.push(character);
        rest = &after[length..];
    }
    Err(NameFault::Open)
}

/// As in a declaration.
impl fmt::Display for NodePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("$")?;
        for step in &self.steps {
            match step {
                PathStep::Member(name) if shorthand(name, 0).is_ok_and(|(_, rest)| rest.is_empty()) => {
                    write!(f, ".{name}")?;
                }
                PathStep::Member(name) => {
                    write!(f, "['{}']", name.replace('\\', "\\\\").replace('\'', "\\'"))?;
                }
                PathStep::Item(index) => write!(f, "[{index}]")?,
                PathStep::Each => f.write_str("[*]")?,
            }
        }
        Ok(())
    }
}
