//! The machine, as the runner sees it.

use std::sync::Arc;

use super::cpu::{Cpu, MiniFrame, MiniLimits, MiniStop};
use super::interpret::interpret;
use super::opcodes::{MINIC89, MiniOp};
use super::parts::PARTS;
use super::program::{self, Code, Function, MiniProgram, RunStart, plain};
use super::trap::Trap;
use super::word::MiniWord;
use crate::isa::OpSet;
use crate::machines::account::CaseAccount;
use crate::machines::change::{self, StateChanges};
use crate::machines::elsewhere::UNKNOWN_MACHINE;
use crate::machines::info::{Engine, Executes, MachineInfo, ProgramLanguage, RunEnds};
use crate::machines::inspect::Inspect;
use crate::machines::machine::{AdvanceEnd, At, Machine, Meter, Metered, Until};
use crate::machines::observe::{StateFields, joined, members_of};
use crate::machines::plant::PlantFaults;
use crate::machines::status::{LoadError, Status};
use crate::model::limits;
use crate::model::{Path, Program, Value};

/// The machine's entry in the list of machines.
pub const INFO: MachineInfo = MachineInfo {
    name: "minic89",
    doc: "the abstract machine of MiniC89: 16-bit integers, function references",
    isa: &MINIC89,
    engine: Engine::Own,
    language: ProgramLanguage::Document { schema: "minic89-metadata" },
    contains: program::contains,
    executes: Executes::Contained,
    lint: super::lint::lint,
    word_bits: 16,
    parts: Some(&PARTS),
    sample: r#"{
        "schema_version": "MiniC89.VM.Metadata.v0.2", "isa_version": "MiniC89.ISA.v0.1",
        "functions": [{"fid": 1, "name": "main", "param_count": 0, "local_count": 0, "code": [
            {"op": "PUSH_I16", "args": [42]}, {"op": "RET", "args": []}
        ]}]
    }"#,
    program: MiniProgram::MEMBERS,
    changes: &joined::<{ RunStart::MEMBERS.len() + MiniC89::CHANGES.len() }>(
        RunStart::MEMBERS,
        members_of!(MiniC89::CHANGES),
    ),
    ends: RunEnds {
        fields: &["status"],
        only_after_some: &["halt", "trap"],
        normal: Some(("status", "HALTED")),
    },
    trap: Some("trap"),
    fields: members_of!(MiniC89::FIELDS),
    shown_by_instructions: &["pc", "operand_stack"],
    new: |limits| Box::new(MiniC89::new(limits)),
    ..UNKNOWN_MACHINE
};

const OPERAND_STACK: u64 = 1024;
const CALL_DEPTH: u64 = 64;

/// The size of a word in bytes, with its copies as values.
const WORD: u64 = 256;

/// The abstract machine of MiniC89.
#[derive(Clone)]
pub struct MiniC89 {
    account: CaseAccount,
    pub(super) code: Option<Code>,
    pub(super) limits: MiniLimits,
    pub(super) step: u64,
    pub(super) status: RunStatus,
    pub(super) ip: usize,
    /// The argument of the last DBG_LINE.
    pub(super) line: Option<u16>,
    pub(super) stack: Vec<MiniWord>,
    pub(super) slots: Vec<MiniWord>,
    pub(super) frames: Vec<MiniFrame>,
}

/// The status in a snapshot, with its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RunStatus {
    /// No function was entered.
    Idle,
    Running,
    Halted(i16),
    Trapped(Trap),
}

impl MiniC89 {
    /// A machine that holds no program.
    pub fn new(limits: &limits::Limits) -> MiniC89 {
        MiniC89 {
            account: CaseAccount::new(limits),
            code: None,
            limits: default_limits(limits.memory),
            step: 0,
            status: RunStatus::Idle,
            ip: 0,
            line: None,
            stack: Vec::new(),
            slots: Vec::new(),
            frames: Vec::new(),
        }
    }

    fn begin(&mut self, entry: &Value, start: RunStart<'_>) -> Result<(), LoadError> {
        self.limits = default_limits(self.account.room());
        self.limits.steps = self.code.as_ref().and_then(|code| code.step_limit);
        if let Some(limits) = start.limits()? {
            change_limits(&mut self.limits, limits)?;
        }
        self.start(entry, start.args()?.unwrap_or_default())
    }

    /// Enters a function like a call.
    fn start(&mut self, entry: &Value, arguments: &[Value]) -> Result<(), LoadError> {
        let code = self.code.as_ref().ok_or_else(|| LoadError::new("there is no program"))?;
        let unknown = || LoadError::at(Path::field("entry"), format!("there is no function {entry}"));
        let function = entry.number().and_then(|fid| code.by_fid(fid)).ok_or_else(unknown)?;
        let Function { param_count, local_count, .. } = code.functions[function];
        if arguments.len() != param_count {
            let what = format!("{} arguments for a function of {param_count}", arguments.len());
            return Err(LoadError::at(Path::field("args"), what));
        }
        let arguments: Option<Vec<i16>> = arguments.iter().map(Value::number).collect();
        let no_integers = || LoadError::at(Path::field("args"), "an argument is not a 16-bit integer");
        self.slots.clear();
        self.slots.extend(arguments.ok_or_else(no_integers)?.into_iter().map(MiniWord::int));
        self.slots.resize(local_count, MiniWord::UNINIT);
        self.stack.clear();
        self.frames.clear();
        self.frames.push(MiniFrame { function, base: 0, return_ip: 0 });
        (self.ip, self.line, self.step, self.status) = (0, None, 0, RunStatus::Running);
        Ok(())
    }

    /// Attempts instructions of a running machine until `meter` or the program ends the run.
    fn attempt(&mut self, meter: &mut impl Meter) -> Option<Box<MiniStop>> {
        let Some(code) = &self.code else { return None };
        let [.., current] = self.frames[..] else { return None };
        let mut cpu = Cpu {
            code,
            instructions: &code.functions[current.function].instructions,
            ip: self.ip,
            base: current.base,
            line: self.line,
            stack: std::mem::take(&mut self.stack),
            slots: std::mem::take(&mut self.slots),
            frames: std::mem::take(&mut self.frames),
            limits: &self.limits,
            account: &mut self.account,
        };
        let stop = interpret(&mut cpu, meter);
        let Cpu { ip, line, stack, slots, frames, .. } = cpu;
        self.line = line;
        (self.ip, self.stack, self.slots, self.frames) = (ip, stack, slots, frames);
        stop
    }

    pub(super) fn count(&mut self, attempts: u64) {
        self.step += attempts;
        self.account.executed(attempts);
    }

    /// How many more instructions the program's limit allows.
    fn allowed(&self) -> u64 {
        self.limits.steps.map_or(u64::MAX, |limit| limit.saturating_sub(self.step))
    }

    /// Attempts up to `budget` instructions; an attempt beyond the allowed number is a trap.
    fn execute(&mut self, budget: u64) -> Status {
        let allowed = self.allowed();
        let mut meter = Metered(budget.min(allowed));
        let stop = self.attempt(&mut meter);
        self.count(budget.min(allowed) - meter.0);
        if stop.is_none() && budget > allowed {
            let limit = self.limits.steps.unwrap_or(u64::MAX);
            self.count(1);
            return self.end(RunStatus::Trapped(Trap::StepLimit { limit }));
        }
        self.ended_by(stop)
    }

    /// The status after attempts that ended for this reason; `None` for the meter.
    fn ended_by(&mut self, stop: Option<Box<MiniStop>>) -> Status {
        match stop.map(|stop| *stop) {
            None => Status::Running,
            Some(MiniStop::Trap(trap)) => self.end(RunStatus::Trapped(trap)),
            Some(MiniStop::Halt(result)) => {
                self.stack.pop();
                self.slots.clear();
                self.frames.clear();
                self.end(RunStatus::Halted(result))
            }
            Some(MiniStop::Limited(limit)) => self.account.status(limit),
        }
    }

    pub(super) fn end(&mut self, status: RunStatus) -> Status {
        self.status = status;
        Status::Ended
    }

    /// The functions of the frames from the oldest on, each with its current instruction: for a caller, its
    /// call.
    pub(super) fn stand(&self) -> impl Iterator<Item = (&Function, usize)> {
        let functions =
            self.code.iter().flat_map(|code| self.frames.iter().map(|frame| &code.functions[frame.function]));
        let calls = self.frames.iter().skip(1).map(|frame| frame.return_ip - 1);
        functions.zip(calls.chain([self.ip]))
    }

    pub(super) fn function(&self, fid: i32) -> Option<&Function> {
        let code = self.code.as_ref()?;
        Some(&code.functions[code.by_fid(fid)?])
    }

    /// The trap that stopped the run.
    pub(super) fn trap(&self) -> Option<&Trap> {
        match &self.status {
            RunStatus::Trapped(trap) => Some(trap),
            RunStatus::Idle | RunStatus::Running | RunStatus::Halted(_) => None,
        }
    }

    pub(super) fn has_begun(&self) -> bool {
        self.status != RunStatus::Idle
    }
}

fn default_limits(memory: u64) -> MiniLimits {
    MiniLimits {
        steps: None,
        operand_stack: OPERAND_STACK,
        call_depth: CALL_DEPTH,
        words: usize::try_from(memory / WORD).unwrap_or(usize::MAX),
    }
}

impl Machine for MiniC89 {
    fn load(&mut self, program: &Program) -> Result<(), LoadError> {
        // The tests of a file share their program, which is read only once.
        let is_known = self.code.as_ref().is_some_and(|code| Arc::ptr_eq(&code.document, &program.0));
        if !is_known {
            self.code = None;
            self.code = Some(Code::new(&program.0)?);
        }
        (self.status, self.step) = (RunStatus::Idle, 0);
        self.account.reset();
        self.frames.clear();
        self.stack.clear();
        self.slots.clear();
        Ok(())
    }

    fn set(&mut self, changes: &Value) -> Result<(), LoadError> {
        let start = RunStart(changes);
        match start.entry()? {
            Some(entry) => self.begin(entry, start),
            None if self.has_begun() => change::change(self, changes),
            None => Err(LoadError::new("there is no entry")),
        }
    }

    fn advance(&mut self, budget: u64) -> Status {
        match self.status {
            RunStatus::Idle => Status::Refused(LoadError::new("no function was entered")),
            RunStatus::Halted(_) | RunStatus::Trapped(_) => Status::Ended,
            RunStatus::Running => self.execute(budget),
        }
    }

    fn advance_to(&mut self, budget: u64, ops: &OpSet) -> AdvanceEnd {
        let most = budget.min(self.allowed());
        if self.status != RunStatus::Running || most == 0 {
            return self.step_to(budget.min(1), ops);
        }
        let mut meter = Until { left: most, ops };
        let stop = self.attempt(&mut meter);
        let executed = most - meter.left;
        self.count(executed);
        AdvanceEnd { status: self.ended_by(stop), executed }
    }

    fn account(&mut self) -> &mut CaseAccount {
        &mut self.account
    }

    fn inspect(&self) -> &(dyn Inspect + 'static) {
        self
    }

    fn faults(&mut self) -> Option<&mut dyn PlantFaults> {
        Some(self)
    }

    fn next(&self) -> Option<At<'_>> {
        (self.status == RunStatus::Running).then(|| self.at())
    }

    fn duplicate(&self) -> Option<Box<dyn Machine>> {
        Some(Box::new(self.clone()))
    }

    fn describe(&self) -> String {
        let reason = match &self.status {
            RunStatus::Idle => return "not started".to_owned(),
            RunStatus::Running => "RUNNING".to_owned(),
            RunStatus::Halted(result) => return format!("HALTED with {result}, step {}", self.step),
            RunStatus::Trapped(trap) => {
                let detail = |(name, value): (&str, Value)| format!("{name} {}", plain(&value));
                let details: Vec<_> = trap.details().into_iter().map(detail).collect();
                let details =
                    if details.is_empty() { String::new() } else { format!(" ({})", details.join(", ")) };
                format!("{}{details}", trap.code())
            }
        };
        let place = self.stand().last().map(|(function, ip)| format!(" {}", self.place(function, ip)));
        format!("{reason}{}, step {}", place.unwrap_or_default(), self.step)
    }

    fn explain(&self, at: &Path) -> Option<String> {
        self.in_source(at)
    }
}

impl MiniC89 {
    pub(super) fn at(&self) -> At<'_> {
        let here = self.frames.last().zip(self.code.as_ref());
        let instruction = here.map(|(frame, code)| code.functions[frame.function].instructions[self.ip]);
        let op = instruction.map_or(MiniOp::End, |it| it.op);
        At { pc: self.ip, op: op.info(), code: op as u16, operand: &[], state: self }
    }
}

fn change_limits(limits: &mut MiniLimits, changes: &Value) -> Result<(), LoadError> {
    for (name, value) in changes.members().unwrap_or_default() {
        let number = program::limit(value, "a limit")?;
        match (&**name, number) {
            ("step_limit", number) => limits.steps = number,
            ("operand_stack", Some(number)) => limits.operand_stack = number,
            ("call_depth", Some(number)) if number > 0 => limits.call_depth = number,
            _ => return Err(LoadError::new(format!("the limit {name} cannot be {value}"))),
        }
    }
    Ok(())
}
