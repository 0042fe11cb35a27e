//! Why one case fails, for people: what `vmconf diff` prints. A screen of 24 lines holds what matters
//! of an ordinary failure.

use std::io::{self, Write};

use super::block::{ACTUAL, DIM, ERROR, EXPECTED, FAIL, WIDTH, broken, differs, location, shown};
use super::cut::{cut, cut_pair};
use crate::blame::{Answer, Blame, Executed, Input, WINDOW};
use crate::case::Want;
use crate::explain::{Explained, Stack};
use crate::inspect::Cell;
use crate::value::{Path, Value, escaped};
use crate::verdict::{Difference, Failure, Verdict};

/// Lines of a screen.
const SCREEN: usize = 24;

/// The fewest last instructions that are told, however much there is besides.
const FEWEST: usize = 3;

/// How many differences are told besides the first, a line each.
const FURTHER: usize = 3;

/// How many instructions a blame names.
const BLAMED: usize = 6;

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// What fits a screen.
    Screen,
    /// So many last instructions, and all differences in full.
    Full(usize),
}

/// Writes why a case fails, or what else came of it.
///
/// # Errors
///
/// When it cannot be written.
pub fn write(out: &mut dyn Write, explained: &Explained, length: Length) -> io::Result<()> {
    let mut text = Vec::new();
    let id = &explained.report.id;
    match &explained.report.verdict {
        Verdict::Pass | Verdict::Fixed(_) => writeln!(text, "pass  {id}: nothing differs")?,
        Verdict::Skip(reason) => writeln!(text, "skip  {id}: {}", escaped(reason))?,
        Verdict::Error(troubles) => {
            writeln!(text, "{ERROR}ERROR{ERROR:#} {id}")?;
            troubles.iter().try_for_each(|trouble| broken(&mut text, id, trouble))?;
        }
        Verdict::Fail(failure) | Verdict::Known(failure, _) => failed(&mut text, explained, failure, length)?,
    }
    out.write_all(&text)
}

fn failed(text: &mut Vec<u8>, explained: &Explained, failure: &Failure, length: Length) -> io::Result<()> {
    let id = &explained.report.id;
    writeln!(text, "{FAIL}FAIL{FAIL:#}  {id}")?;
    let full = match length {
        Length::Screen => 1,
        Length::Full(_) => failure.differences.len(),
    };
    for (index, difference) in failure.differences.iter().take(full).enumerate() {
        differs(text, id, difference)?;
        match explained.blames.get(index) {
            Some(Answer::By(blame)) => blamed(text, blame)?,
            Some(Answer::NotWritten) => not_written(text, explained)?,
            Some(Answer::NoCell) | None => {}
        }
        if is_gas(&difference.at) {
            spent(text, explained)?;
        }
    }
    if let Some(stack) = &explained.stack {
        stacks(text, stack)?;
    }
    further(text, explained, &failure.differences[full..])?;
    let lines = memchr::memchr_iter(b'\n', text).count();
    let wanted = match length {
        Length::Screen => SCREEN.saturating_sub(lines + 2).max(FEWEST),
        Length::Full(wanted) => wanted,
    };
    last(text, explained, wanted)?;
    writeln!(text, "  {DIM}ended:{DIM:#} {}", cut(&escaped(&failure.ended), 0, 3 * WIDTH))
}

fn is_gas(at: &Path) -> bool {
    at.to_string() == "gas"
}

/// The instruction that wrote the actual value, and those that wrote what it read.
fn blamed(text: &mut Vec<u8>, blame: &Blame) -> io::Result<()> {
    let mut left = BLAMED;
    writeln!(text, "    {DIM}made by{DIM:#}  {}", executed(&blame.by, WIDTH - 13))?;
    produced(text, blame, 1, &mut left)
}

fn not_written(text: &mut Vec<u8>, explained: &Explained) -> io::Result<()> {
    if explained.steps > WINDOW as u64 {
        return writeln!(text, "    {DIM}made by{DIM:#}  none of the last {WINDOW} instructions");
    }
    writeln!(text, "    {DIM}made by{DIM:#}  no instruction: it was so from the start")
}

fn produced(text: &mut Vec<u8>, blame: &Blame, depth: usize, left: &mut usize) -> io::Result<()> {
    for (input, by) in blame.by.inputs.iter().zip(&blame.inputs) {
        let Some(by) = by else { continue };
        if *left == 0 {
            return Ok(());
        }
        *left -= 1;
        let indent = " ".repeat(4 + 2 * depth);
        let value = cut(&escaped(&input.value.to_string()), 0, 24);
        let room = WIDTH.saturating_sub(indent.len() + value.chars().count() + 7);
        writeln!(text, "{indent}{value} {DIM}by{DIM:#} {}", executed(&by.by, room))?;
        produced(text, by, depth + 1, left)?;
    }
    Ok(())
}

/// An instruction with what it read, in one line: `step 2, 0x04 ADD of 3, 4`.
fn executed(by: &Executed, room: usize) -> String {
    let inputs: Vec<_> = by.inputs.iter().map(input).collect();
    let inputs = if inputs.is_empty() { String::new() } else { format!(" of {}", inputs.join(", ")) };
    let text = format!("step {}, 0x{:02x} {}{inputs}", by.step, by.pc, by.text);
    cut(&escaped(&text), 0, room)
}

fn input(input: &Input) -> String {
    match &input.cell {
        Cell::Stack(_) => input.value.to_string(),
        cell => format!("{cell} = {}", input.value),
    }
}

/// What the gas went to: what costs other than its row says first, then the largest sums.
fn spent(text: &mut Vec<u8>, explained: &Explained) -> io::Result<()> {
    let mut all: Vec<_> = explained.spent.iter().filter(|spent| spent.1.gas > 0).collect();
    all.sort_by_key(|(_, spent)| (spent.unlike_row == 0, std::cmp::Reverse(spent.gas)));
    let one = |(name, spent): &(&&str, &crate::blame::Spent)| {
        let unlike = match spent.unlike_row {
            0 => String::new(),
            _ => " not as in its row".to_owned(),
        };
        format!("{} {name} {}{unlike}", spent.count, spent.gas)
    };
    let parts: Vec<_> = all.iter().map(one).collect();
    let mut line = String::new();
    let mut lines = 0;
    for (index, part) in parts.iter().enumerate() {
        if line.len() + part.len() > WIDTH - 15 && !line.is_empty() {
            writeln!(text, "    {DIM}spent on{DIM:#} {}", std::mem::take(&mut line))?;
            lines += 1;
            if lines == 3 {
                return writeln!(text, "             and {} more", parts.len() - index);
            }
        }
        let comma = if line.is_empty() { "" } else { ", " };
        line.push_str(comma);
        line.push_str(part);
    }
    if line.is_empty() { Ok(()) } else { writeln!(text, "    {DIM}spent on{DIM:#} {line}") }
}

/// The stack that was demanded beside the one that is there, the items around the first that differs.
fn stacks(text: &mut Vec<u8>, stack: &Stack) -> io::Result<()> {
    const ROWS: usize = 5;
    let half = (WIDTH - 14) / 2;
    let count = stack.wanted.len().max(stack.actual.len());
    if count < 2 {
        return Ok(());
    }
    let from = stack.differs.saturating_sub(ROWS / 2).min(count.saturating_sub(ROWS));
    writeln!(text, "  {DIM}{} expected and actual{DIM:#}", stack.at)?;
    for index in from..count.min(from + ROWS) {
        let actual = stack.actual.get(index);
        let (want, differs) = match stack.wanted.get(index) {
            None => ("(absent)".to_owned(), true),
            Some(None) => ("(not compared)".to_owned(), false),
            Some(Some(want)) => (want.to_string(), is_wrong(want, actual)),
        };
        let got = actual.map_or("(absent)".to_owned(), Value::to_string);
        let (want, got) = (cut(&escaped(&want), 0, half), cut(&escaped(&got), 0, half));
        let (mark, style) = if differs { ("!", ACTUAL) } else { (" ", DIM) };
        writeln!(text, "  {mark} [{index}] {EXPECTED}{want:<half$}{EXPECTED:#} {style}{got}{style:#}")?;
    }
    Ok(())
}

fn is_wrong(want: &Want, actual: Option<&Value>) -> bool {
    match want {
        Want::Is(value) => actual != Some(value),
        Want::Type(name) => !matches!(actual, Some(Value::Typed(its, _)) if its == name),
        _ => false,
    }
}

/// The other differences, a line each.
fn further(text: &mut Vec<u8>, explained: &Explained, others: &[Difference]) -> io::Result<()> {
    for other in others.iter().take(FURTHER) {
        let Difference { at, want, got, place, step, .. } = other;
        let step = step.map_or(String::new(), |step| format!("step {step}, "));
        let head = format!("{}: {step}{at}", location(&explained.report.id, place));
        let room = (WIDTH.saturating_sub(head.chars().count() + 22) / 2).max(16);
        let expected = escaped(&want.to_string()).into_owned();
        let actual = escaped(&shown(want, got.as_ref())).into_owned();
        let (expected, actual) = cut_pair(&expected, &actual, room);
        writeln!(
            text,
            "  {head}: expected {EXPECTED}{expected}{EXPECTED:#}, actual {ACTUAL}{actual}{ACTUAL:#}"
        )?;
    }
    let more = others.len().saturating_sub(FURTHER);
    if more > 0 {
        writeln!(text, "  and {more} more differences; --last N tells all")?;
    }
    Ok(())
}

/// The last instructions, with the stack that each found.
fn last(text: &mut Vec<u8>, explained: &Explained, wanted: usize) -> io::Result<()> {
    let shown = &explained.last[explained.last.len().saturating_sub(wanted)..];
    if shown.is_empty() {
        return Ok(());
    }
    let has_stack = shown.iter().any(|it| it.height > 0 || it.op.is_some_and(|op| op.pushes > 0));
    let what = if has_stack { "the stack before each, its top first" } else { "what each read" };
    let steps = explained.steps;
    writeln!(text, "  {DIM}last {} of {steps} instructions, and {what}{DIM:#}", shown.len())?;
    let widest = shown.iter().map(|it| it.text.chars().count()).max().unwrap_or(0).clamp(8, 40);
    for it in shown {
        let values: Vec<_> = if has_stack {
            it.stack.iter().map(Value::to_string).collect()
        } else {
            it.inputs.iter().map(input).collect()
        };
        let more = it.height.saturating_sub(it.stack.len());
        let more = if has_stack && more > 0 { format!(", and {more} more") } else { String::new() };
        let instruction = cut(&escaped(&it.text), 0, widest);
        let head = format!("  {:>6}  0x{:04x}  {instruction:<widest$}  ", it.step, it.pc);
        let room = WIDTH.saturating_sub(head.chars().count()).max(20);
        let values = cut(&escaped(&format!("{}{more}", values.join(", "))), 0, room);
        writeln!(text, "{}", format!("{head}{values}").trim_end())?;
    }
    Ok(())
}
