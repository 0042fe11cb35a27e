//! The machine: loading and the single loop.

use super::context::Neo2Context;
use super::core::Neo2Core;
use super::fault::Neo2Stop;
use super::frame::Neo2Frame;
use super::interpret::interpret;
use super::opcodes::NEO2;
use super::parts::PARTS;
use super::program::{self, Neo2Program};
use super::script::Script;
use crate::isa::OpSet;
use crate::machines::account::CaseAccount;
use crate::machines::change::{self, StateChanges};
use crate::machines::elsewhere::UNKNOWN_MACHINE;
use crate::machines::info::{Engine, Executes, MachineInfo, ProgramLanguage, RunEnds};
use crate::machines::inspect::Inspect;
use crate::machines::machine::{AdvanceEnd, At, Machine, Meter, Metered, Until};
use crate::machines::neo::script::{UPCOMING, code_name};
use crate::machines::observe::{StateFields, members_of};
use crate::machines::plant::PlantFaults;
use crate::machines::status::{LoadError, Status};
use crate::model::limits::Limits;
use crate::model::{Program, Value, counted};

/// The machine's entry in the list of machines.
pub const INFO: MachineInfo = MachineInfo {
    name: "neo2",
    doc: "NeoVM 2.x, with the host services of its own test runner",
    isa: &NEO2,
    engine: Engine::Own,
    language: ProgramLanguage::Bytes,
    contains: program::contains,
    executes: Executes::Others,
    word_bits: 256,
    parts: Some(&PARTS),
    sample: r#""0x535493""#,
    program: Neo2Program::MEMBERS,
    changes: members_of!(Neo2::CHANGES),
    ends: RunEnds { fields: &["state"], only_after_some: &[], normal: Some(("state", "Halt")) },
    fields: members_of!(Neo2::FIELDS),
    shown_by_instructions: &["invocationStack"],
    upcoming: Some(UPCOMING),
    assemble: program::assemble,
    new: |limits| Box::new(Neo2::new(limits)),
    ..UNKNOWN_MACHINE
};

/// A NeoVM 2.x.
#[derive(Clone)]
pub struct Neo2 {
    pub(super) scripts: Vec<Script>,
    pub(super) core: Neo2Core,
    pub(super) end: Option<Neo2End>,
}

/// How and where the run ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neo2End {
    pub(super) stop: Neo2Stop,
    /// Offset and code of the last instruction.
    pub(super) at: usize,
    pub(super) code: u8,
}

impl Neo2 {
    /// A machine that holds no program.
    pub fn new(limits: &Limits) -> Neo2 {
        Neo2 { scripts: Vec::new(), core: Neo2Core::new(CaseAccount::new(limits)), end: None }
    }

    /// The loop. Returns why it ended; `None` if the meter ended it.
    fn cycle(&mut self, meter: &mut impl Meter) -> Option<Neo2End> {
        loop {
            let current = self.core.frames.len().checked_sub(1)?;
            let Neo2Context { script, pc, base, .. } = self.core.frames[current];
            let code = &self.scripts[script].code;
            let (scripts, core) = (&self.scripts, &mut self.core);
            let mut frame = Neo2Frame { pc: pc as usize, at: pc as usize, base, code, scripts, core };
            let stop = interpret(&mut frame, meter);
            let Neo2Frame { pc, at, .. } = frame;
            if stop == Some(Neo2Stop::Switched) {
                continue;
            }
            // A returned frame no longer exists.
            if let Some(call) = self.core.frames.get_mut(current) {
                call.pc = pc as i64;
            }
            return stop.map(|stop| Neo2End { stop, at, code: code[at] });
        }
    }

    /// The next instruction, even if the run has ended before it; `None` after the last one.
    pub(super) fn at(&self) -> Option<At<'_>> {
        let (script, pc) = self.executed()?;
        At::in_bytes(&NEO2, script, pc, self)
    }

    /// The script of the current frame, and the position in it. The script includes the implicit RET at its
    /// end only if that comes next, so that it is never part of an operand.
    pub(super) fn executed(&self) -> Option<(&[u8], usize)> {
        let call = self.core.frames.last()?;
        let pc = usize::try_from(call.pc).ok()?;
        let script = &self.scripts[call.script];
        let script = if pc < script.bytes().len() { script.bytes() } else { &script.code };
        (pc < script.len()).then_some((script, pc))
    }

    fn status(&self) -> Status {
        match self.end.map(|end| end.stop) {
            None | Some(Neo2Stop::Switched) => Status::Running,
            Some(Neo2Stop::Halted | Neo2Stop::Faulted(_)) => Status::Ended,
            Some(Neo2Stop::Limited(limit)) => self.core.account.status(limit),
        }
    }
}

impl Machine for Neo2 {
    fn load(&mut self, program: &Program) -> Result<(), LoadError> {
        let mut core = Neo2Core::new(self.core.account.clone());
        core.account.reset();
        self.scripts = program::load(program, &mut core)?;
        core.frames.push(Neo2Context { script: 0, pc: 0, base: 0, alt_base: 0, wanted: None });
        self.core = core;
        self.end = None;
        Ok(())
    }

    fn advance(&mut self, budget: u64) -> Status {
        if self.end.is_none() {
            let mut meter = Metered(budget);
            self.end = self.cycle(&mut meter);
            self.core.account.executed(budget - meter.0);
        }
        self.status()
    }

    fn advance_to(&mut self, budget: u64, ops: &OpSet) -> AdvanceEnd {
        let mut meter = Until { left: budget, ops };
        if self.end.is_none() {
            self.end = self.cycle(&mut meter);
            self.core.account.executed(budget - meter.left);
        }
        AdvanceEnd { status: self.status(), executed: budget - meter.left }
    }

    fn account(&mut self) -> &mut CaseAccount {
        &mut self.core.account
    }

    fn set(&mut self, changes: &Value) -> Result<(), LoadError> {
        change::change(self, changes)
    }

    fn inspect(&self) -> &(dyn Inspect + 'static) {
        self
    }

    fn faults(&mut self) -> Option<&mut dyn PlantFaults> {
        Some(self)
    }

    fn next(&self) -> Option<At<'_>> {
        if self.end.is_none() { self.at() } else { None }
    }

    fn duplicate(&self) -> Option<Box<dyn Machine>> {
        Some(Box::new(self.clone()))
    }

    fn copy_size(&mut self) -> u64 {
        let code = self.scripts.iter().map(|script| script.code.len()).sum::<usize>();
        self.core.account.used() + code as u64
    }

    fn describe(&self) -> String {
        let frames = counted(self.depth(), "frame");
        let Some(Neo2End { stop, at, code }) = self.end else {
            return format!("Break{}, {frames}", self.place());
        };
        match stop {
            Neo2Stop::Halted => format!("Halt, {}", counted(self.core.results.len(), "result")),
            Neo2Stop::Faulted(fault) => {
                format!("Fault at 0x{at:x} {}: {fault}, {frames}", code_name(&NEO2, code))
            }
            Neo2Stop::Limited(_) | Neo2Stop::Switched => {
                format!("ended by the runner at 0x{at:x} {}, {frames}", code_name(&NEO2, code))
            }
        }
    }
}

impl Neo2 {
    /// The position of the machine, as part of a sentence.
    fn place(&self) -> String {
        let call = self.core.frames.last();
        let name = call.and_then(|call| Some((call.pc, self.next_code(call)?)));
        name.map_or(String::new(), |(pc, code)| format!(" at 0x{pc:x} {}", code_name(&NEO2, code)))
    }

    /// The code of a frame's next instruction, which is RET at the end of the script. `None` before the start
    /// of the script, where only a failed call leads.
    pub(super) fn next_code(&self, call: &Neo2Context) -> Option<u8> {
        let code = &self.scripts[call.script].code;
        let pc = usize::try_from(call.pc).ok()?;
        code.get(pc).or(code.last()).copied()
    }
}
