//! An instruction that wrote a datum, and those that led to it.

use std::io::{self, Write};

use crate::model::{Blame, Cell, FurtherCauses, InputOrigin, InputPart, counted, escaped};
use crate::report::executed::{ExplanationLength, SHORT_INPUT, brief_value, ended_by, executed_by, numbered};
use crate::report::style::{DIM, WIDTH};
use crate::report::truncate::truncate;

/// The minimum number of lines of a chain that is cut in the middle; a shorter one ends early.
const MIN_CUT: usize = 6;

/// The maximum number of lines of a blame.
#[derive(Clone, Copy)]
pub(super) struct BlameLines {
    /// For the instructions that wrote a datum.
    pub(super) made: usize,
    /// For the jump that led there.
    pub(super) reached: usize,
}

impl BlameLines {
    pub(super) fn of(self, length: ExplanationLength) -> BlameLines {
        match length {
            ExplanationLength::Screen => self,
            ExplanationLength::Full(_) => BlameLines { made: usize::MAX, reached: usize::MAX },
        }
    }
}

/// Writes an instruction, the ones that wrote its inputs, and the jump that led to it.
pub(super) fn blamed(text: &mut Vec<u8>, head: &str, blame: &Blame, most: BlameLines) -> io::Result<()> {
    let reached =
        |text: &mut Vec<u8>, jump| tree(text, &format!("{DIM}reached by{DIM:#}"), jump, most.reached);
    // An instruction without inputs does what the program says. More likely, the jump led to the wrong one.
    let (first, last) = match &blame.reached_by {
        Some(jump) if blame.by.inputs.is_empty() => (Some(jump), None),
        jump => (None, jump.as_ref()),
    };
    first.map_or(Ok(()), |jump| reached(text, jump))?;
    tree(text, &format!("{DIM}{head:<8}{DIM:#}"), blame, most.made)?;
    if let Some(by) = &blame.left_by {
        writeln!(text, "    {DIM}left by {DIM:#} {}", executed_by(by, WIDTH - 29))?;
    }
    last.map_or(Ok(()), |jump| reached(text, jump))
}

/// Writes at most `most` lines of the instructions of a blame, the first after `head`.
fn tree(text: &mut Vec<u8>, head: &str, blame: &Blame, most: usize) -> io::Result<()> {
    let mut lines = Vec::new();
    writeln!(lines, "    {head} {}", executed_by(&blame.by, WIDTH - 15))?;
    if let Some(frame) = &blame.by.frame {
        writeln!(lines, "      {DIM}in{DIM:#} {}", escaped(frame))?;
    }
    passed_on(&mut lines, 6, blame)?;
    produced(&mut lines, blame, 1)?;
    if let Some(further) = &blame.further {
        begins(&mut lines, further)?;
    }
    let mut lines: Vec<_> = lines.split_inclusive(|byte| *byte == b'\n').collect();
    let mut write = |lines: &[&[u8]]| lines.iter().try_for_each(|line| text.write_all(line));
    let mark = |count| format!("      {DIM}… {}{DIM:#}\n", counted(count, "more line"));
    if lines.len() <= most || most < 2 {
        return write(&lines[..lines.len().min(most)]);
    }
    if most < MIN_CUT || has_parts(blame) {
        let count = lines.len();
        without_deepest(&mut lines, most - 1);
        write(&lines)?;
        return write(&[mark(count - lines.len()).as_bytes()]);
    }
    // The chain is cut in the middle: it ends with the datum and begins with an input.
    let (start, end) = (&lines[..most - 2], &lines[lines.len() - 1..]);
    write(start)?;
    write(&[mark(lines.len() - start.len() - end.len()).as_bytes()])?;
    write(end)
}

/// Whether several instructions wrote an input of the instruction, each of which must be shown.
fn has_parts(blame: &Blame) -> bool {
    blame.inputs.iter().any(|parts| parts.len() > 1)
}

/// Removes the most indented lines, the last one of them first, until at most `most` lines are left.
fn without_deepest(lines: &mut Vec<&[u8]>, most: usize) {
    let indent = |line: &[u8]| line.iter().take_while(|byte| **byte == b' ').count();
    while lines.len() > most {
        let Some(deepest) = (0..lines.len()).max_by_key(|index| indent(lines[*index])) else { return };
        lines.remove(deepest);
    }
}

/// Writes the oldest instructions of a long chain.
fn begins(text: &mut Vec<u8>, further: &FurtherCauses) -> io::Result<()> {
    if further.left_out > 0 {
        writeln!(text, "      {DIM}… {}{DIM:#}", counted(further.left_out, "more instruction"))?;
    }
    let oldest = further.oldest.iter().rev();
    oldest
        .map(|by| executed_by(by, WIDTH - 20))
        .try_for_each(|by| writeln!(text, "      {DIM}begins with{DIM:#} {by}"))
}

fn produced(text: &mut Vec<u8>, blame: &Blame, depth: usize) -> io::Result<()> {
    for (input, parts) in blame.by.inputs.iter().zip(&blame.inputs) {
        for InputPart { cell, origin } in parts {
            let indent = 4 + 2 * depth;
            // What several instructions wrote is no value of one of them.
            let what = cell.as_ref().map_or_else(|| brief_value(&input.value), Cell::to_string);
            let what = truncate(&escaped(&what), 0, if cell.is_some() { 40 } else { SHORT_INPUT });
            let by = match origin {
                InputOrigin::Instruction(by) => by,
                InputOrigin::Vector(step) => {
                    writeln!(
                        text,
                        "{:indent$}{what} {DIM}by{DIM:#} the vector, which sets it before vector step {step}",
                        ""
                    )?;
                    continue;
                }
            };
            let room = WIDTH.saturating_sub(indent + what.chars().count() + 7);
            writeln!(text, "{:indent$}{what} {DIM}by{DIM:#} {}", "", executed_by(&by.by, room))?;
            passed_on(text, indent + 2, by)?;
            produced(text, by, depth + 1)?;
        }
    }
    Ok(())
}

/// Writes how a value came from the instruction that wrote it: what ended the code that it called, and what moved the
/// value.
fn passed_on(text: &mut Vec<u8>, indent: usize, blame: &Blame) -> io::Result<()> {
    if let Some(kept) = blame.unfollowed {
        let last = counted(kept, "instruction");
        writeln!(
            text,
            "{:indent$}{DIM}an input was not written by the last {last}, and is not followed{DIM:#}",
            ""
        )?;
    }
    if let Some(end) = &blame.ended_by {
        let by = ended_by(end, WIDTH.saturating_sub(indent + 11));
        writeln!(text, "{:indent$}{DIM}ended by{DIM:#} {by}", "")?;
        if let Some(frame) = &end.frame {
            writeln!(text, "{:indent$}  {DIM}in{DIM:#} {}", "", escaped(frame))?;
        }
    }
    if blame.moved_by.is_empty() {
        return Ok(());
    }
    let all: Vec<_> = blame.moved_by.iter().map(|by| numbered(by, &by.text)).collect();
    let all = truncate(&escaped(&all.join("; ")), 0, WIDTH.saturating_sub(indent + 11));
    writeln!(text, "{:indent$}{DIM}moved by{DIM:#} {all}", "")
}
