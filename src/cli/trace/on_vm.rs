//! The trace of a case on a machine in another process.

use std::collections::VecDeque;
use std::io::{self, Write};

use vmconf::explain::bisect::{InstructionList, OnVm};
use vmconf::explain::trace::TraceSelection;
use vmconf::isa::Isa;
use vmconf::machines::status::LimitReached;
use vmconf::model::limits::Limits;
use vmconf::model::{counted, escaped};
use vmconf::wire::protocol::{MAX_INSTRUCTIONS, TracedInstruction};

use crate::cli::output;
use crate::cli::vm::stopped_early;

/// Prints the selected instructions, or the last of them. Returns the limit that ended the trace, if there is one: the
/// number of instructions and their length are up to the machine.
pub(super) fn print(
    mut run: OnVm,
    isa: &Isa,
    selection: &TraceSelection,
    last: Option<u64>,
    limits: &Limits,
) -> anyhow::Result<Option<LimitReached>> {
    // The command line refuses a frame here: a machine in another process reports none.
    let TraceSelection { from, to, ops, frame: _, skip: _ } = selection;
    let mut lines = TraceLines {
        out: output::stdout_to_the_end(),
        kept: VecDeque::new(),
        last: last.unwrap_or(0),
        bytes: 0,
        most: limits.output,
    };
    let mut steps = from.saturating_sub(1);
    let most_steps = steps.saturating_add(limits.watched);
    let gas = if isa.has_gas() { format!("{:<8}  ", "gas") } else { String::new() };
    let stack = if isa.has_stack() { "stack, top first" } else { "" };
    writeln!(lines.out, "{}", format!("  step  pc    instruction     {gas}{stack}").trim_end())?;
    let (mut reached, mut is_whole) = (None, false);
    while reached.is_none() {
        let count = MAX_INSTRUCTIONS.min(to - steps).min(most_steps - steps);
        let page = run.trace(steps, count).map_err(stopped_early)?;
        is_whole = (page.len() as u64) < count;
        let is_last = is_whole || steps + count == *to;
        for instruction in page.iter().take(count as usize) {
            steps += 1;
            if ops.is_empty() || ops.iter().any(|op| u64::from(op.code) == instruction.code) {
                reached = reached.or(lines.add(line(steps, instruction, isa))?);
            }
        }
        if is_last {
            break;
        }
        if steps == most_steps {
            reached = Some(LimitReached { flag: "max-watched", limit: limits.watched });
        }
    }
    let TraceLines { mut out, kept, .. } = lines;
    kept.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    if reached.is_some() {
        writeln!(out, "the rest is left out")?;
    } else {
        // The run may go on after the last instruction that is shown.
        let all = if is_whole { Some(steps) } else { run.all_instructions().ok() };
        let shown = if all.is_none() { " so far" } else { "" };
        writeln!(out, "{}{shown}", counted(all.unwrap_or(steps) as usize, "step"))?;
    }
    out.flush()?;
    Ok(reached)
}

struct TraceLines<W> {
    out: W,
    /// The last lines, if only these are printed.
    kept: VecDeque<String>,
    /// How many are kept; 0 if all are printed.
    last: u64,
    /// The bytes of the lines that are printed or kept.
    bytes: u64,
    /// The maximum of these.
    most: u64,
}

impl<W: Write> TraceLines<W> {
    /// Prints a line, or keeps it instead of older ones. Returns the limit if there are too many bytes; then the line
    /// is missing, or an older one that should be kept.
    fn add(&mut self, line: String) -> io::Result<Option<LimitReached>> {
        let length = line.len() as u64 + 1;
        let reached = LimitReached { flag: "max-output", limit: self.most };
        if self.last == 0 {
            if self.bytes >= self.most {
                return Ok(Some(reached));
            }
            self.bytes += length;
            return writeln!(self.out, "{line}").map(|()| None);
        }
        self.bytes += length;
        self.kept.push_back(line);
        let mut is_short = false;
        while self.kept.len() as u64 > self.last || self.bytes > self.most {
            is_short |= self.kept.len() as u64 <= self.last;
            let Some(oldest) = self.kept.pop_front() else { break };
            self.bytes -= oldest.len() as u64 + 1;
        }
        Ok(is_short.then_some(reached))
    }
}

fn line(step: u64, instruction: &TracedInstruction, isa: &Isa) -> String {
    let TracedInstruction { pc, code, gas, height, top } = instruction;
    let op = u16::try_from(*code).ok().and_then(|code| isa.by_code(code));
    let name = op.map_or_else(|| format!("{code:#04x}"), |op| op.name.to_owned());
    let gas = gas.map_or_else(String::new, |gas| gas.to_string());
    let gas = if isa.has_gas() { format!("{gas:<8}  ") } else { String::new() };
    let below = height.saturating_sub(top.len() as u64);
    let below = if below > 0 { format!(", {below} more") } else { String::new() };
    let line = format!("{step:>6}  {pc:04x}  {name:<14}  {gas}{}{below}", top.join(", "));
    escaped(line.trim_end()).to_string()
}
