//! Snapshots of another machine, which can be inspected like runs of this one.

use std::sync::Arc;

use num_bigint::BigInt;

use super::cpu::MiniFrame;
use super::explain::named;
use super::machine::{MiniC89, RunStatus};
use super::opcodes::MiniOp;
use super::program::{Code, Function, MiniInstruction};
use super::source::{items, text};
use super::trap::Trap;
use super::word::MiniWord;
use crate::machines::account::CaseAccount;
use crate::machines::inspect::{Effects, Inspect, InspectPlayback, InspectSource};
use crate::machines::machine::{At, Machine};
use crate::machines::observe::Observe;
use crate::machines::status::{LoadError, Status};
use crate::machines::view::{CodeLine, Section, ViewRow};
use crate::model::limits::Limits;
use crate::model::{Cell, Path, Program, Value};

/// A machine whose state after `n` instructions is the snapshot with the index `n`, whatever the instructions do. Where
/// a snapshot contradicts the metadata document, itself, or what the instruction before it does, its state says so.
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
    /// Where the document says that it stands; `None` if it does not say.
    pc: Option<SnapshotPc>,
    notes: Vec<String>,
}

/// The program counter of a document.
#[derive(Clone, Copy)]
struct SnapshotPc {
    fid: u64,
    ip: u64,
    /// The function, and the instruction in it or its end, if they exist.
    found: Option<(usize, usize)>,
}

impl Playback {
    /// Creates a machine that shows snapshots, which are documents with the published schema. Also returns where they
    /// contradict the metadata document or each other. Contradictory data is shown as far as possible. Fails if the
    /// metadata is not a program, or there is no snapshot.
    pub fn new(metadata: &Program, snapshots: &[Value]) -> Result<(Playback, Vec<String>), LoadError> {
        let code = Code::new(&metadata.0)?;
        let without_map = code.functions.iter().filter(|function| function.source_map.is_empty());
        let mut notes: Vec<_> = without_map
            .map(|function| format!("{} has no source_map, so no lines", named(function)))
            .collect();
        let mut model = MiniC89::new(&Limits::default());
        model.code = Some(code.clone());
        let mut states: Vec<PlaybackSnapshot> = Vec::with_capacity(snapshots.len());
        for snapshot in snapshots {
            let last = states.last();
            let mut state = PlaybackSnapshot::new(&code, snapshot);
            state.line = state.debug_line(&code).or(last.and_then(|last| last.line));
            if let Some(last) = last {
                state.notes.extend(state.unlike_rules(last, &mut model));
            }
            notes.extend(state.notes.iter().map(|what| format!("snapshot {}: {what}", states.len())));
            states.push(state);
        }
        if states.is_empty() {
            return Err(LoadError::new("there is no snapshot"));
        }
        model.code = Some(code);
        let mut playback = Playback { machine: model, snapshots: states.into(), at: 0 };
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
        self.snapshots[self.at].put(&mut self.machine);
    }

    fn snapshot(&self) -> &PlaybackSnapshot {
        &self.snapshots[self.at]
    }

    /// The function and the instruction that the snapshot's program counter names.
    fn place(&self) -> Option<(&Function, usize)> {
        let (function, ip) = self.snapshot().pc?.found?;
        Some((&self.machine.code.as_ref()?.functions[function], ip))
    }

    /// The instruction at the program counter of the current snapshot.
    fn at(&self) -> At<'_> {
        let pc = self.snapshot().pc.map_or(0, |pc| usize::try_from(pc.ip).unwrap_or(usize::MAX));
        let op = self.place().map_or(MiniOp::End, |(function, ip)| function.instructions[ip].op);
        At { pc, op: op.info(), code: op as u16, operand: &[], state: self }
    }
}

impl PlaybackSnapshot {
    fn new(code: &Code, value: &Value) -> PlaybackSnapshot {
        let mut notes = Vec::new();
        let note = &mut |what: String| notes.push(what);
        let mut snapshot = PlaybackSnapshot {
            step: number(value.get("step")),
            status: status(value),
            ip: 0,
            line: None,
            stack: words(value.get("operand_stack"), code, "the operand stack", note),
            slots: Vec::new(),
            frames: Vec::new(),
            pc: None,
            notes: Vec::new(),
        };
        for (index, word) in snapshot.stack.iter().enumerate() {
            if word.is_uninit() {
                note(format!("[{index}] of the operand stack is uninitialised"));
            }
        }
        let mut below: Option<(u64, usize)> = None;
        for (index, frame) in items(value.get("call_stack")).iter().enumerate() {
            let fid = number(frame.get("fid"));
            let Some(function) = place(code, fid) else {
                note(format!("frame {index} is of function {fid}, which the metadata does not have"));
                break;
            };
            snapshot.push(code, index, function, frame, note);
            let back = frame.get("return_pc").filter(|back| **back != Value::Null);
            if back.map(|back| number(back.get("fid"))) != below.map(|below| below.0) {
                note(format!("frame {index} does not return to the frame below it"));
            } else if let Some((back, (fid, caller))) = back.zip(below) {
                let (ip, end) =
                    (number(back.get("ip")), code.functions[caller].instructions.len() as u64 - 1);
                if ip == 0 || ip > end {
                    note(format!(
                        "frame {index} returns to {ip} of function {fid}, which has {end} instructions"
                    ));
                }
            }
            below = Some((fid, function));
        }
        snapshot.place(code, value.get("pc"), note);
        snapshot.notes = notes;
        snapshot
    }

    /// Sets a machine to this state.
    fn put(&self, machine: &mut MiniC89) {
        machine.step = self.step;
        machine.status.clone_from(&self.status);
        (machine.ip, machine.line) = (self.ip, self.line);
        machine.stack.clone_from(&self.stack);
        machine.slots.clone_from(&self.slots);
        machine.frames.clone_from(&self.frames);
    }

    /// The first difference from what the last instruction makes of the snapshot before this one. `None` if there is
    /// none, or if that snapshot is contradictory.
    fn unlike_rules(&self, last: &PlaybackSnapshot, model: &mut MiniC89) -> Option<String> {
        if last.step.checked_add(1) != Some(self.step) {
            return Some(format!("step {} after step {}", self.step, last.step));
        }
        if !last.notes.is_empty() || !self.notes.is_empty() {
            return None;
        }
        if last.status != RunStatus::Running {
            return Some("the run ended in the snapshot before".to_owned());
        }
        last.put(model);
        model.account().reset();
        let instruction = model.stand().last().map(|(function, ip)| model.place(function, ip))?;
        if let Status::Limit(_) | Status::Refused(_) | Status::OutOfMemory | Status::Interrupted =
            model.run(1, None)
        {
            return None;
        }
        let expected = Parts::of(model);
        self.put(model);
        let found = Parts::of(model);
        let differs = expected.0.into_iter().zip(found.0).find(|(expected, found)| expected != found);
        differs.map(|((part, expected), (_, found))| {
            format!("after {instruction}, {part} is {found}, and by the rules {expected}")
        })
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
        let mut locals = words(frame.get("locals"), code, &format!("the locals of frame {index}"), note);
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
        let pc = pc.filter(|pc| **pc != Value::Null).map(|pc| (number(pc.get("fid")), number(pc.get("ip"))));
        self.pc = pc.map(|(fid, ip)| {
            let found = place(code, fid).and_then(|function| {
                let ip = usize::try_from(ip).ok()?;
                (ip < code.functions[function].instructions.len()).then_some((function, ip))
            });
            SnapshotPc { fid, ip, found }
        });
        let Some(frame) = self.frames.last() else {
            if !matches!(self.status, RunStatus::Halted(_)) {
                note("no frame can be shown".to_owned());
            }
            return;
        };
        let Some(SnapshotPc { fid, ip, found }) = self.pc else {
            if !matches!(self.status, RunStatus::Halted(_)) {
                note("there is no pc".to_owned());
            }
            return;
        };
        let function = &code.functions[frame.function];
        match found {
            None => match place(code, fid) {
                None => note(format!("pc is in function {fid}, which the metadata does not have")),
                Some(its) => {
                    let end = code.functions[its].instructions.len() - 1;
                    note(format!("pc is at {ip}, and the function has {end} instructions"));
                }
            },
            Some(_) if fid != u64::from(function.fid) => {
                note(format!("pc is in function {fid}, and the current frame in function {}", function.fid));
            }
            Some((_, ip)) => self.ip = ip,
        }
    }
}

/// The parts of a state, each with its name and its value as text.
#[derive(PartialEq, Eq)]
struct Parts([(&'static str, String); 5]);

impl Parts {
    fn of(machine: &MiniC89) -> Parts {
        let text =
            |field: &str| machine.observe(field).map_or("nothing".to_owned(), |value| value.to_string());
        let status = match &machine.status {
            RunStatus::Trapped(trap) => trap.code().to_owned(),
            _ => text("status"),
        };
        Parts([
            ("the status", status),
            ("the result", text("halt")),
            ("the operand stack", text("operand_stack")),
            ("the call stack", text("call_stack")),
            ("pc", text("pc")),
        ])
    }
}

fn status(value: &Value) -> RunStatus {
    match value.get("status").and_then(Value::as_text) {
        Some("HALTED") => {
            let result = value.get("halt").and_then(|halt| halt.get("result"));
            RunStatus::Halted(
                result.and_then(MiniWord::of_value).and_then(MiniWord::as_int).unwrap_or_default(),
            )
        }
        Some("TRAPPED") => {
            let trap = value.get("trap");
            let member = |name: &'static str| {
                let member = trap.and_then(|trap| trap.get(name)).filter(|member| **member != Value::Null);
                member.map(|member| (name, member.clone()))
            };
            let code = text(trap.and_then(|trap| trap.get("code")));
            let details = [member("message"), member("details")].into_iter().flatten().collect();
            RunStatus::Trapped(Trap::Reported { code, details })
        }
        _ => RunStatus::Running,
    }
}

fn place(code: &Code, fid: u64) -> Option<usize> {
    code.by_fid(i32::try_from(fid).ok()?)
}

/// The words of a list; what is none of this machine's values is shown as uninitialised.
fn words(list: Option<&Value>, code: &Code, whose: &str, note: &mut dyn FnMut(String)) -> Vec<MiniWord> {
    let mut word = |(index, value): (usize, &Value)| {
        let word = MiniWord::of_value(value);
        match word.map(MiniWord::as_fun) {
            None => note(format!("[{index}] of {whose} is {value}, which is not a value of the machine")),
            Some(Some(fid)) if fid > 0 && code.by_fid(fid.into()).is_none() => {
                note(format!("[{index}] of {whose} is function {fid}, which the metadata does not have"));
            }
            Some(_) => {}
        }
        word.unwrap_or(MiniWord::UNINIT)
    };
    items(list).iter().enumerate().map(&mut word).collect()
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
        (self.at + 1 < self.snapshots.len()).then(|| self.at())
    }

    fn inspect(&self) -> &(dyn Inspect + 'static) {
        self
    }

    fn duplicate(&self) -> Option<Box<dyn Machine>> {
        Some(Box::new(self.clone()))
    }

    fn describe(&self) -> String {
        let what = if self.machine.status == RunStatus::Running { "the last snapshot: " } else { "" };
        format!("{what}{}", self.machine.describe())
    }
}

impl Observe for Playback {
    fn has_field(&self, field: &str) -> bool {
        self.machine.has_field(field)
    }

    fn observe(&self, field: &str) -> Option<Value> {
        self.machine.observe(field)
    }
}

/// The machine, except where the snapshot says that it stands, and with what is wrong in it.
impl Inspect for Playback {
    fn instruction(&self) -> String {
        match self.place() {
            Some((function, ip)) => self.machine.written(function, ip),
            None => "(pc names no instruction)".to_owned(),
        }
    }

    fn stack_limit(&self) -> Option<usize> {
        self.machine.stack_limit()
    }

    fn height(&self) -> usize {
        self.machine.height()
    }

    fn item(&self, below: usize) -> Option<Value> {
        self.machine.item(below)
    }

    fn failure(&self) -> Option<String> {
        self.machine.failure()
    }

    fn depth(&self) -> usize {
        self.machine.depth()
    }

    fn declared(&self, counts: &dyn Fn(usize) -> bool) -> Effects {
        self.machine.declared(counts)
    }

    fn value(&self, cell: &Cell) -> Option<Value> {
        self.machine.value(cell)
    }

    fn sections(&self) -> Vec<Section> {
        let SnapshotPc { fid, ip, .. } = match self.snapshot().pc {
            Some(pc) if self.place().is_none() => pc,
            _ => return self.with_notes(self.machine.view(self.place())),
        };
        let mut sections = self.machine.view(None);
        if let Some(status) = sections.first_mut() {
            status.push(ViewRow::new("pc", format!("{ip} of function {fid}"), None));
        }
        self.with_notes(sections)
    }

    fn unit(&self) -> usize {
        self.place().map_or(usize::MAX, |(function, _)| function.fid.into())
    }

    fn function(&self) -> Option<String> {
        self.place().map(|(function, _)| named(function))
    }

    fn listing(&self) -> Vec<CodeLine> {
        self.place().map_or_else(Vec::new, |(function, _)| self.machine.lines_of(function))
    }

    fn label(&self, pc: usize) -> String {
        pc.to_string()
    }

    fn cells(&self, at: &Path) -> Vec<Cell> {
        self.machine.cells(at)
    }

    fn source(&self) -> Option<&dyn InspectSource> {
        self.machine.source()
    }

    fn playback(&self) -> Option<&dyn InspectPlayback> {
        Some(self)
    }
}

impl InspectPlayback for Playback {
    fn stands_at(&self) -> Option<usize> {
        self.snapshot().pc.map(|_| self.at().pc)
    }
}

impl Playback {
    /// The sections, after one with the snapshot's contradictions if there are some.
    fn with_notes(&self, sections: Vec<Section>) -> Vec<Section> {
        let notes = &self.snapshot().notes;
        let rows = notes.iter().enumerate();
        let rows = rows.map(|(index, note)| ViewRow::new(format!("note {}", index + 1), note.as_str(), None));
        let notes = (!notes.is_empty()).then(|| Section::of("contradictions in this snapshot", rows));
        notes.into_iter().chain(sections).collect()
    }
}
