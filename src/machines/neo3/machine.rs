//! The machine: loading and the single loop.

use super::core::Neo3Core;
use super::fault::{Neo3End, Neo3Fault, Neo3Stop};
use super::frame::Neo3Frame;
use super::interpret::interpret;
use super::opcodes::{NEO3, Op};
use super::parts::PARTS;
use super::program::{self, LoadedProgram, Neo3Program};
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
    name: "neo3",
    doc: "NeoVM of Neo N3, with the light reference counter",
    isa: &NEO3,
    engine: Engine::Own,
    language: ProgramLanguage::Bytes,
    contains: program::contains,
    executes: Executes::Others,
    word_bits: 256,
    parts: Some(&PARTS),
    sample: r#""0x13149e""#,
    program: Neo3Program::MEMBERS,
    changes: members_of!(Neo3::CHANGES),
    ends: RunEnds {
        fields: &["state"],
        only_after_some: &["exceptionMessage"],
        normal: Some(("state", "HALT")),
    },
    fields: members_of!(Neo3::FIELDS),
    // The texts are those of one implementation.
    optional: &["exceptionMessage"],
    shown_by_instructions: &["invocationStack"],
    upcoming: Some(UPCOMING),
    assemble: program::assemble,
    new: |limits| Box::new(Neo3::new(limits)),
    ..UNKNOWN_MACHINE
};

/// A NeoVM of N3.
#[derive(Clone)]
pub struct Neo3 {
    /// The script, followed by a RET.
    pub(super) script: Vec<u8>,
    pub(super) pc: usize,
    pub(super) core: Neo3Core,
    pub(super) stop: Option<Neo3Stop>,
}

impl Neo3 {
    /// A machine that holds no program.
    pub fn new(limits: &Limits) -> Neo3 {
        Neo3 { script: vec![Op::RET as u8], pc: 0, core: Neo3Core::new(limits), stop: None }
    }

    /// The loop. Stores why it ended, unless the meter ended it; returns the meter.
    #[inline(never)]
    fn cycle<M: Meter>(&mut self, mut meter: M) -> M {
        let mut frame = Neo3Frame { pc: self.pc, script: &self.script, core: &mut self.core };
        self.stop = interpret(&mut frame, &mut meter);
        self.pc = frame.pc;
        meter
    }

    /// Whether there is something to execute; without a script, the run halts.
    fn can_go_on(&mut self) -> bool {
        if self.stop.is_none() && !self.has_frame() {
            self.stop = Some(Neo3End::Halted.into());
        }
        self.stop.is_none()
    }

    /// The next instruction, even if the run has ended before it.
    pub(super) fn at(&self) -> Option<At<'_>> {
        At::in_bytes(&NEO3, self.executed(), self.pc, self)
    }

    /// The length of the script.
    pub(super) fn length(&self) -> usize {
        self.script.len() - 1
    }

    /// Whether there is a frame. Without a script there is none, and the first step ends the run.
    pub(super) fn has_frame(&self) -> bool {
        let is_rejected = matches!(self.stop.as_deref(), Some(Neo3End::Faulted(Neo3Fault::Rejected(_))));
        self.length() > 0 && !is_rejected && !self.is_halted()
    }

    pub(super) fn is_halted(&self) -> bool {
        matches!(self.stop.as_deref(), Some(Neo3End::Halted))
    }

    fn status(&self) -> Status {
        match self.stop.as_deref() {
            None => Status::Running,
            Some(Neo3End::Limited(limit)) => self.core.account.status(*limit),
            Some(Neo3End::Halted | Neo3End::Faulted(_) | Neo3End::Thrown(_)) => Status::Ended,
        }
    }
}

impl Machine for Neo3 {
    fn load(&mut self, program: &Program) -> Result<(), LoadError> {
        let LoadedProgram { mut script, host, limits, rejected } =
            program::load(program, self.core.account.limits())?;
        script.push(Op::RET as u8);
        self.script = script;
        self.pc = 0;
        self.core.reset(host, limits);
        self.stop = rejected.map(Neo3Stop::from);
        Ok(())
    }

    fn advance(&mut self, budget: u64) -> Status {
        if budget > 0 && self.can_go_on() {
            let meter = self.cycle(Metered(budget));
            self.core.account.executed(budget - meter.0);
        }
        self.status()
    }

    fn advance_to(&mut self, budget: u64, ops: &OpSet) -> AdvanceEnd {
        let mut meter = Until { left: budget, ops };
        if self.can_go_on() {
            meter = self.cycle(meter);
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
        if self.stop.is_none() && self.has_frame() { self.at() } else { None }
    }

    fn duplicate(&self) -> Option<Box<dyn Machine>> {
        let mut copy = self.clone();
        copy.core.separate_buffers();
        Some(Box::new(copy))
    }

    fn copy_size(&mut self) -> u64 {
        self.core.account.used() + self.script.len() as u64
    }

    fn describe(&self) -> String {
        let (height, references) = (self.core.stack.len(), self.core.references());
        let counts = format!("{height} on the stack, {}", counted(references, "reference"));
        let reason = match self.stop.as_deref() {
            Some(Neo3End::Halted) => return format!("HALT, {counts}"),
            None | Some(Neo3End::Thrown(_)) => "BREAK".to_owned(),
            Some(Neo3End::Limited(_)) => "ended by the runner".to_owned(),
            Some(Neo3End::Faulted(fault)) => format!("FAULT, {:?},", fault.to_string()),
        };
        format!("{reason} at 0x{:x} {}, {counts}", self.pc, self.mnemonic(self.pc))
    }
}

impl Neo3 {
    /// The script. It includes the implicit RET at its end only if that comes next, so that it is never part
    /// of an operand.
    pub(super) fn executed(&self) -> &[u8] {
        &self.script[..self.length().max(self.pc + 1)]
    }

    /// The mnemonic at a position: RET at the end, and a number for a code without a row.
    pub(super) fn mnemonic(&self, pc: usize) -> String {
        code_name(&NEO3, self.script[pc]).into_owned()
    }
}
