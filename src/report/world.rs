//! What is known about a state or log entries of which a vector demands only a hash, as text for people.

use std::io::{self, Write};

use super::executed::{ExplanationLength, executed_by};
use super::style::{ACTUAL, DIM, EXPECTED, WIDTH};
use super::truncate::{truncate, truncate_pair};
use crate::model::{BlameAnswer, ComparedWith, LogComparison, StateLeaf, Value, WorldComparison, escaped};

/// The maximum number of leaves and log entries on a screen.
const FEW: usize = 4;

fn most(length: ExplanationLength) -> usize {
    match length {
        ExplanationLength::Screen => FEW,
        ExplanationLength::Full(_) => usize::MAX,
    }
}

/// Writes the leaves that differ, each with the instruction that wrote it.
pub(super) fn leaves(
    text: &mut Vec<u8>,
    world: &WorldComparison,
    length: ExplanationLength,
) -> io::Result<()> {
    let WorldComparison { against, leaves, count } = world;
    match against {
        ComparedWith::Before => writeln!(
            text,
            "  {DIM}no state with the demanded root is known (see --worlds); the transaction changed:{DIM:#}"
        )?,
        ComparedWith::Fixture(id) => {
            let id = truncate(&escaped(id), 0, 2 * WIDTH);
            writeln!(text, "  {DIM}the state with the demanded root, from {id}, has{DIM:#}")?;
        }
        ComparedWith::Embedded => {
            writeln!(text, "  {DIM}the embedded machine has the demanded root, and in its state{DIM:#}")?;
        }
    }
    let shown = leaves.len().min(most(length));
    leaves[..shown].iter().try_for_each(|it| leaf(text, against, it))?;
    match count - shown {
        0 if *count == 0 => writeln!(text, "    nothing else: the trie is wrong"),
        0 => Ok(()),
        more => writeln!(text, "    and {more} more leaves; --last N prints all"),
    }
}

fn leaf(text: &mut Vec<u8>, against: &ComparedWith, leaf: &StateLeaf) -> io::Result<()> {
    let (one, other) = match against {
        ComparedWith::Before => ("was", "is"),
        ComparedWith::Fixture(_) | ComparedWith::Embedded => ("expected", "actual"),
    };
    let value = |value: &Option<Value>| value.as_ref().map_or("(absent)".to_owned(), Value::to_string);
    let (wanted, actual) = (value(&leaf.wanted), value(&leaf.actual));
    let (wanted, actual) = truncate_pair(&escaped(&wanted), &escaped(&actual), WIDTH / 2 - 6);
    writeln!(text, "    {}", leaf.at)?;
    writeln!(text, "      {one} {EXPECTED}{wanted}{EXPECTED:#}, {other} {ACTUAL}{actual}{ACTUAL:#}")?;
    match &leaf.answer {
        Some(BlameAnswer::By(blame)) => {
            writeln!(text, "      {DIM}by{DIM:#} {}", executed_by(&blame.by, WIDTH - 10))?;
            let frame = blame.by.frame.as_deref();
            frame.map_or(Ok(()), |frame| writeln!(text, "         {DIM}in{DIM:#} {}", escaped(frame)))
        }
        Some(BlameAnswer::NotWritten { besides: Some(besides), .. }) => {
            writeln!(text, "      {DIM}by{DIM:#} no instruction: {}", escaped(besides))
        }
        Some(BlameAnswer::NotWritten { besides: None, .. } | BlameAnswer::NoCell(_)) | None => Ok(()),
    }
}

/// Writes the log entries, decoded.
pub(super) fn logs(text: &mut Vec<u8>, logs: &LogComparison, length: ExplanationLength) -> io::Result<()> {
    let LogComparison { expected, actual } = logs;
    entries(text, "log entries", actual, length)?;
    let expected = expected.as_deref();
    expected.map_or(Ok(()), |expected| entries(text, "log entries with the demanded hash", expected, length))
}

fn entries(text: &mut Vec<u8>, what: &str, entries: &[Value], length: ExplanationLength) -> io::Result<()> {
    let none = if entries.is_empty() { ": none" } else { "" };
    writeln!(text, "  {DIM}{what}{none}{DIM:#}")?;
    let shown = entries.len().min(most(length));
    for (index, entry) in entries[..shown].iter().enumerate() {
        let member = |name: &str| entry.get(name).map_or(String::new(), Value::to_string);
        writeln!(text, "    [{index}] address {}", escaped(&member("address")))?;
        for name in ["topics", "data"] {
            writeln!(text, "        {name} {}", truncate(&escaped(&member(name)), 0, 2 * WIDTH))?;
        }
    }
    match entries.len() - shown {
        0 => Ok(()),
        more => writeln!(text, "    and {more} more entries; --last N prints all"),
    }
}
