//! Snapshots of another machine, which can be inspected like runs of this one.

use std::sync::Arc;

use num_bigint::BigInt;

use super::cpu::MiniFrame;
use super::explain::named;
use super::machine::{MiniC89, RunStatus};
use super::opcodes::MiniOp;
use super::program::{Code, MiniInstruction};
use super::trap::Trap;
use super::word::MiniWord;
use crate::machines::account::CaseAccount;
use crate::machines::inspect::Inspect;
use crate::machines::machine::{At, LoadError, Machine, Status};
use crate::model::case::Program;
use crate::model::limits::Limits;
use crate::model::value::Value;

/// A machine whose state after `n` instructions is the snapshot with the index `n`, whatever the instructions do.
#[derive(Clone)]
pub struct Playback {
    machine: MiniC89,
    snapshots: Arc<[PlaybackSnapshot]>,
    at: usize,
}

/// A state in the machine's own form.
struct PlaybackSnapshot {
    step: u64,
    status: RunStatus,
    ip: usize,
    /// The argument of the last DBG_LINE before it.
    line: Option<u16>,
    stack: Vec<MiniWord>,
    slots: Vec<MiniWord>,
    frames: Vec<MiniFrame>,
}

impl Playback {
    /// Creates a machine that shows snapshots, which are documents with the published schema. Also returns
    /// where they contradict the metadata document or each other. Contradictory data is shown as far as
    /// possible.
    ///
    /// # Errors
    ///
    /// If the metadata is not a program, or there is no snapshot.
    pub fn new(metadata: &Program, snapshots: &[Value]) -> Result<(Playback, Vec<String>), LoadError> {
        let code = Code::new(&metadata.0)?;
        let without_map = code.functions.iter().filter(|function| function.source_map.is_empty());
        let mut notes: Vec<_> = without_map
            .map(|function| format!("{} has no source_map, so no lines", named(function)))
            .collect();
        let (mut last, mut line): (Option<u64>, _) = (None, None);
        let mut states = Vec::with_capacity(snapshots.len());
        for (index, snapshot) in snapshots.iter().enumerate() {
            let mut note = |what: String| notes.push(format!("snapshot {index}: {what}"));
            let state = PlaybackSnapshot { line, ..PlaybackSnapshot::new(&code, snapshot, &mut note) };
            line = state.debug_line(&code).or(line);
            if let Some(last) = last.filter(|last| last.checked_add(1) != Some(state.step)) {
                note(format!("step {} after step {last}", state.step));
            }
            last = Some(state.step);
            states.push(state);
        }
        if states.is_empty() {
            return Err(LoadError::new("there is no snapshot"));
        }
        let mut machine = MiniC89::new(&Limits::default());
        machine.code = Some(code);
        let mut playback = Playback { machine, snapshots: states.into(), at: 0 };
        playback.show();
        Ok((playback, notes))
    }

    /// How many snapshots there are.
    pub fn len(&self) -> usize {
        self.snapshots.len()
    }

    /// Whether there is no snapshot, which is never the case.
    pub fn is_empty(&self) -> bool {
        self.snapshots.is_empty()
    }

    /// Sets the machine to the state of the current snapshot.
    fn show(&mut self) {
        let PlaybackSnapshot { step, status, ip, line, stack, slots, frames } = &self.snapshots[self.at];
        self.machine.step = *step;
        self.machine.status.clone_from(status);
        (self.machine.ip, self.machine.line) = (*ip, *line);
        self.machine.stack.clone_from(stack);
        self.machine.slots.clone_from(slots);
        self.machine.frames.clone_from(frames);
    }
}

impl PlaybackSnapshot {
    fn new(code: &Code, value: &Value, note: &mut dyn FnMut(String)) -> PlaybackSnapshot {
        let mut snapshot = PlaybackSnapshot {
            step: number(value.get("step")),
            status: status(value),
            ip: 0,
            line: None,
            stack: words(value.get("operand_stack")),
            slots: Vec::new(),
            frames: Vec::new(),
        };
        let mut below: Option<u64> = None;
        for (index, frame) in items(value.get("call_stack")).iter().enumerate() {
            let fid = number(frame.get("fid"));
            let Some(function) = place(code, fid) else {
                note(format!("frame {index} is of function {fid}, which the metadata does not have"));
                break;
            };
            snapshot.push(code, index, function, frame, note);
            let back = frame.get("return_pc").and_then(|back| back.get("fid"));
            if back.map(|back| number(Some(back))) != below {
                note(format!("frame {index} does not return to the frame below it"));
            }
            below = Some(fid);
        }
        snapshot.place(code, value.get("pc"), note);
        snapshot
    }

    /// The line in the next instruction, if it is a DBG_LINE.
    fn debug_line(&self, code: &Code) -> Option<u16> {
        let function = &code.functions[self.frames.last()?.function];
        let MiniInstruction { op, argument } = *function.instructions.get(self.ip)?;
        (op == MiniOp::DBG_LINE).then(|| u16::try_from(argument).ok())?
    }

    fn push(
        &mut self,
        code: &Code,
        index: usize,
        function: usize,
        frame: &Value,
        note: &mut dyn FnMut(String),
    ) {
        let local_count = code.functions[function].local_count;
        let mut locals = words(frame.get("locals"));
        if locals.len() != local_count {
            note(format!("frame {index} has {} locals, and its function {local_count}", locals.len()));
            locals.resize(local_count, MiniWord::UNINIT);
        }
        // For a frame without a caller, it has no meaning; any other frame returns to a position after an
        // instruction.
        let return_ip = number(frame.get("return_pc").and_then(|back| back.get("ip")));
        let return_ip = usize::try_from(return_ip).unwrap_or(usize::MAX).clamp(1, usize::from(u16::MAX));
        self.frames.push(MiniFrame { function, base: self.slots.len(), return_ip });
        self.slots.extend(locals);
    }

    fn place(&mut self, code: &Code, pc: Option<&Value>, note: &mut dyn FnMut(String)) {
        let Some(frame) = self.frames.last() else {
            if !matches!(self.status, RunStatus::Halted(_)) {
                note("no frame can be shown".to_owned());
            }
            return;
        };
        let function = &code.functions[frame.function];
        let fid = number(pc.and_then(|pc| pc.get("fid")));
        let end = function.instructions.len() - 1;
        let ip = usize::try_from(number(pc.and_then(|pc| pc.get("ip")))).unwrap_or(usize::MAX);
        if fid != u64::from(function.fid) {
            note(format!("pc is in function {fid}, and the current frame in function {}", function.fid));
        } else if ip > end {
            note(format!("pc is at {ip}, and the function has {end} instructions"));
        }
        self.ip = ip.min(end);
    }
}

fn status(value: &Value) -> RunStatus {
    match value.get("status") {
        Some(Value::Text(name)) if name == "HALTED" => {
            let result = value.get("halt").and_then(|halt| halt.get("result"));
            RunStatus::Halted(
                result.and_then(MiniWord::of_value).and_then(MiniWord::as_int).unwrap_or_default(),
            )
        }
        Some(Value::Text(name)) if name == "TRAPPED" => {
            let trap = value.get("trap");
            let member = |name: &'static str| {
                let member = trap.and_then(|trap| trap.get(name)).filter(|member| **member != Value::Null);
                member.map(|member| (name, member.clone()))
            };
            let code = match trap.and_then(|trap| trap.get("code")) {
                Some(Value::Text(code)) => code.to_string(),
                _ => String::new(),
            };
            let details = [member("message"), member("details")].into_iter().flatten().collect();
            RunStatus::Trapped(Trap::Reported { code, details })
        }
        _ => RunStatus::Running,
    }
}

fn place(code: &Code, fid: u64) -> Option<usize> {
    code.by_fid(i32::try_from(fid).ok()?)
}

fn words(list: Option<&Value>) -> Vec<MiniWord> {
    items(list).iter().map(|value| MiniWord::of_value(value).unwrap_or(MiniWord::UNINIT)).collect()
}

fn items(list: Option<&Value>) -> &[Value] {
    match list {
        Some(Value::List(items)) => items,
        _ => &[],
    }
}

/// A non-negative number; 0 if there is none.
fn number(value: Option<&Value>) -> u64 {
    match value {
        Some(Value::Int(number)) if *number >= BigInt::ZERO => u64::try_from(number).unwrap_or(u64::MAX),
        _ => 0,
    }
}

impl Machine for Playback {
    /// Ignores the program and starts again at the first snapshot.
    fn load(&mut self, _: &Program) -> Result<(), LoadError> {
        self.machine.account().reset();
        self.at = 0;
        self.show();
        Ok(())
    }

    fn advance(&mut self, budget: u64) -> Status {
        let left = self.snapshots.len() - 1 - self.at;
        let count = usize::try_from(budget).unwrap_or(usize::MAX).min(left);
        self.at += count;
        self.machine.account().executed(count as u64);
        self.show();
        if left == 0 || (count as u64) < budget { Status::Ended } else { Status::Running }
    }

    fn account(&mut self) -> &mut CaseAccount {
        self.machine.account()
    }

    fn next(&self) -> Option<At<'_>> {
        (self.at + 1 < self.snapshots.len()).then(|| self.machine.at())
    }

    fn inspect(&self) -> &(dyn Inspect + 'static) {
        &self.machine
    }

    fn duplicate(&self) -> Option<Box<dyn Machine>> {
        Some(Box::new(self.clone()))
    }

    fn describe(&self) -> String {
        self.machine.describe()
    }
}
