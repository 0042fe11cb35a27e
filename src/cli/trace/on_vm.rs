//! The trace of a case on a machine in another process.

use std::collections::VecDeque;
use std::io::{self, Write};

use vmconf::explain::bisect::{InstructionList, OnVm};
use vmconf::explain::trace::TraceSelection;
use vmconf::isa::Isa;
use vmconf::model::count::counted;
use vmconf::model::escape::escaped;
use vmconf::wire::protocol::{MAX_INSTRUCTIONS, TracedInstruction};

use crate::cli::output;
use crate::cli::vm::stopped_early;

/// Prints the selected instructions, or the last of them.
pub(super) fn print(
    mut run: OnVm,
    isa: &Isa,
    selection: &TraceSelection,
    last: Option<u64>,
) -> anyhow::Result<()> {
    // The command line refuses a frame here: a machine in another process reports none.
    let TraceSelection { from, to, ops, frame: _, skip: _ } = selection;
    let mut out = output::stdout_to_the_end();
    let mut kept = VecDeque::new();
    let mut steps = from.saturating_sub(1);
    writeln!(out, "  step  pc    instruction     gas       stack, top first")?;
    loop {
        let count = MAX_INSTRUCTIONS.min(to - steps);
        let page = run.trace(steps, count).map_err(stopped_early)?;
        let is_last = (page.len() as u64) < count || steps + count == *to;
        for instruction in page {
            steps += 1;
            if !ops.is_empty() && ops.iter().all(|op| u64::from(op.code) != instruction.code) {
                continue;
            }
            let Some(last) = last else {
                line(&mut out, steps, &instruction, isa)?;
                continue;
            };
            kept.push_back((steps, instruction));
            if kept.len() as u64 > last {
                kept.pop_front();
            }
        }
        if is_last {
            break;
        }
    }
    kept.iter().try_for_each(|(step, instruction)| line(&mut out, *step, instruction, isa))?;
    writeln!(out, "{}", counted(steps as usize, "step"))?;
    Ok(out.flush()?)
}

fn line(out: &mut impl Write, step: u64, instruction: &TracedInstruction, isa: &Isa) -> io::Result<()> {
    let TracedInstruction { pc, code, gas, height, top } = instruction;
    let op = u16::try_from(*code).ok().and_then(|code| isa.by_code(code));
    let name = op.map_or_else(|| format!("{code:#04x}"), |op| op.name.to_owned());
    let gas = gas.map_or_else(String::new, |gas| gas.to_string());
    let below = height.saturating_sub(top.len() as u64);
    let below = if below > 0 { format!(", {below} more") } else { String::new() };
    let line = format!("{step:>6}  {pc:04x}  {name:<14}  {gas:<8}  {}{below}", top.join(", "));
    writeln!(out, "{}", escaped(line.trim_end()))
}
