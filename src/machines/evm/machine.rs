//! The machine: the state that a run changes, and the single loop.

use super::context::EvmContext;
use super::destinations::{Destinations, JumpDestination};
use super::frame::{EvmFrame, PADDING, STACK_SLOTS, Stack};
use super::hot::{self, HotTier};
use super::interpret::cycle;
use super::opcodes::EVM;
use super::parts::PARTS;
use super::program::{self, EvmProgram};
use super::stop::{EvmStop, Halt};
use super::word::Halves;
use crate::isa::OpSet;
use crate::machines::account::{CaseAccount, Limit};
use crate::machines::change::{self, StateChanges};
use crate::machines::elsewhere::UNKNOWN_MACHINE;
use crate::machines::info::{Engine, Executes, MachineInfo, ProgramLanguage, RunEnds};
use crate::machines::inspect::Inspect;
use crate::machines::machine::{AdvanceEnd, At, Machine, Meter, Metered, Unmetered, Until};
use crate::machines::observe::{StateFields, members_of};
use crate::machines::plant::PlantFaults;
use crate::machines::status::{LoadError, Status};
use crate::machines::tiers::Tiers;
use crate::model::limits::Limits;
use crate::model::{Program, Value};

/// The machine's entry in the list of machines.
pub const INFO: MachineInfo = MachineInfo {
    name: "evm",
    doc: "Ethereum Virtual Machine, Homestead, one call frame",
    isa: &EVM,
    engine: Engine::Own,
    language: ProgramLanguage::Bytes,
    contains: program::contains,
    executes: Executes::Contained,
    word_bits: 256,
    parts: Some(&PARTS),
    sample: r#""0x6003600401600055""#,
    program: EvmProgram::MEMBERS,
    changes: members_of!(Evm::CHANGES),
    ends: RunEnds { fields: &["outcome"], only_after_some: &[], normal: Some(("outcome", "success")) },
    fields: members_of!(Evm::FIELDS),
    shown_at_end: &["logs", "logsHash", "callcreates", "post"],
    shown_by_instructions: &["gas", "pc", "stack"],
    new: |limits| Box::new(Evm::new(limits)),
    ..UNKNOWN_MACHINE
};

/// An Ethereum Virtual Machine.
#[derive(Clone)]
pub struct Evm {
    pub(super) stack: Box<Stack>,
    pub(super) height: usize,
    pub(super) pc: usize,
    pub(super) gas: u64,
    /// The code, followed by [`PADDING`] zeros.
    code: Vec<u8>,
    destinations: Destinations,
    pub(super) hot: HotTier,
    tiers: Tiers,
    /// The machine that this one is compared with.
    reference: Option<Reference>,
    pub(super) stop: Option<EvmStop>,
    pub(super) context: EvmContext,
}

/// The machine that another one is compared with.
#[derive(Clone)]
pub(super) struct Reference {
    pub(super) machine: Box<Evm>,
    /// The limit of the runner that the comparisons reached. After that, nothing is compared.
    pub(super) reached: Option<Limit>,
}

/// A stack allocated in place, since it is too large for the native stack.
fn new_stack() -> Box<Stack> {
    let items = vec![Halves::default(); STACK_SLOTS];
    items.into_boxed_slice().try_into().expect("as many items as the stack has")
}

impl Evm {
    /// A machine that holds no program.
    pub fn new(limits: &Limits) -> Evm {
        Evm {
            stack: new_stack(),
            height: 0,
            pc: 0,
            gas: 0,
            code: vec![0; PADDING],
            destinations: Destinations::new(),
            hot: HotTier::default(),
            tiers: Tiers::default(),
            reference: None,
            stop: None,
            context: EvmContext::new(limits),
        }
    }

    /// Calls `run` with the frame, then copies back its changes.
    fn with_frame<R>(&mut self, run: impl FnOnce(&mut EvmFrame<'_>, &mut HotTier) -> R) -> R {
        let mut frame = EvmFrame {
            pc: self.pc,
            gas: self.gas,
            height: self.height,
            top: self.stack[self.height],
            stack: &mut self.stack,
            code: &self.code,
            destinations: &mut self.destinations,
            context: &mut self.context,
        };
        let result = run(&mut frame, &mut self.hot);
        let EvmFrame { pc, gas, height, top, .. } = frame;
        (self.pc, self.gas, self.height) = (pc, gas, height);
        self.stack[height] = top;
        result
    }

    /// Executes exactly `budget` instructions, unless the program ends earlier.
    pub(super) fn execute(&mut self, budget: u64) -> Option<EvmStop> {
        self.execute_with(budget, || Unmetered, Metered)
    }

    /// Executes exactly `budget` instructions, unless the program or a meter ends the run earlier. As long as
    /// the code up to the next jump cannot use up the budget, only jumps check it, and the meter is
    /// `unmetered`. After that, `metered` counts the rest.
    fn execute_with<U: Meter, M: Meter>(
        &mut self,
        budget: u64,
        unmetered: impl Fn() -> U,
        metered: impl Fn(u64) -> M,
    ) -> Option<EvmStop> {
        let mut stop = self.execute_on_tiers(budget, unmetered, metered);
        if let Some(mut reference) = self.reference.take() {
            stop = self.with_frame(|frame, _| reference.follow(frame, stop));
            self.reference = Some(reference);
        }
        stop
    }

    fn execute_on_tiers<U: Meter, M: Meter>(
        &mut self,
        budget: u64,
        unmetered: impl Fn() -> U,
        metered: impl Fn(u64) -> M,
    ) -> Option<EvmStop> {
        let end = self.executed().saturating_add(usize::try_from(budget).unwrap_or(usize::MAX));
        if end - self.executed() > self.code.len() {
            self.context.count.fence = end - self.code.len();
            match self.execute_to_fence(unmetered) {
                Some(EvmStop::Fenced) => {}
                stop => return stop,
            }
        }
        self.execute_plain(end, metered)
    }

    /// Executes on the plain loop until the meter ends it. `meter` creates one from the number of
    /// instructions that remain until `end`.
    fn execute_plain<M: Meter>(&mut self, end: usize, meter: impl Fn(u64) -> M) -> Option<EvmStop> {
        self.context.count.fence = usize::MAX;
        loop {
            let left = (end - self.executed()) as u64;
            match self.with_frame(|frame, _| cycle(frame, meter(left))) {
                Some(EvmStop::Hot) => {}
                stop => return stop,
            }
        }
    }

    /// Executes as many instructions as the fence and the meter allow, on the plain loop and, in hot code, in
    /// blocks.
    fn execute_to_fence<M: Meter>(&mut self, meter: impl Fn() -> M) -> Option<EvmStop> {
        let mut reference = self.reference.take();
        let stop = self.with_frame(|frame, hot| {
            loop {
                let stop = cycle(frame, meter());
                if stop != Some(EvmStop::Hot) {
                    return stop;
                }
                let stop = match &mut reference {
                    None => hot.run(frame, |_, _, _| {}),
                    Some(reference) => hot.run(frame, |frame, state, pc| {
                        state.leave(frame, pc);
                        // Once a limit is reached, it ends the run after this slice.
                        let _ = reference.follow(frame, None);
                    }),
                };
                if stop.is_some() {
                    return stop;
                }
            }
        });
        self.reference = reference;
        stop
    }

    /// How many instructions were executed since there were `before`, with the one that ended the run, unless that is
    /// the STOP which follows every program.
    fn executed_since(&self, before: usize) -> u64 {
        let is_counted = self.stop.is_some() && self.pc < self.program().len();
        self.executed().wrapping_sub(before) as u64 + u64::from(is_counted)
    }

    /// How many instructions were executed, without the one that ended the run.
    pub(super) fn executed(&self) -> usize {
        self.context.count.at(self.pc)
    }

    /// The gas that the last instruction needed, if there was not enough; `None` also if it does not fit a number.
    fn needed(&self) -> Option<u64> {
        let Some(EvmStop::Halted(Halt::OutOfGas)) = self.stop else { return None };
        let row = || EVM.by_code((*self.program().get(self.pc)?).into()).map(|op| op.gas);
        self.context.needed.or_else(|| row().filter(|price| *price > self.gas))
    }

    /// The code without the appended zeros.
    pub(super) fn program(&self) -> &[u8] {
        &self.code[..self.code.len() - PADDING]
    }

    fn status(&self) -> Status {
        match self.stop {
            None => Status::Running,
            Some(EvmStop::Limited(limit)) => self.context.account.status(limit),
            Some(
                EvmStop::Stopped | EvmStop::Returned | EvmStop::Halted(_) | EvmStop::Fenced | EvmStop::Hot,
            ) => Status::Ended,
        }
    }

    /// Why the run halted, if it did.
    pub(super) fn halt(&self) -> Option<Halt> {
        match self.stop {
            Some(EvmStop::Halted(halt)) => Some(halt),
            _ => None,
        }
    }

    pub(super) fn ended_normally(&self) -> bool {
        matches!(self.stop, Some(EvmStop::Stopped | EvmStop::Returned))
    }

    /// Whether it ended with an exceptional halt.
    pub(super) fn has_halted(&self) -> bool {
        matches!(self.stop, Some(EvmStop::Halted(_)))
    }
}

impl Machine for Evm {
    fn load(&mut self, program: &Program) -> Result<(), LoadError> {
        self.context.reset();
        self.gas = program::load(program, &mut self.context, &mut self.code)?;
        self.code.resize(self.code.len() + PADDING, 0);
        let fresh = match self.tiers {
            Tiers::Plain => JumpDestination::PLAIN,
            Tiers::Hot => JumpDestination::cold(hot::JUMPS),
            Tiers::Both => JumpDestination::cold(hot::FEW_JUMPS),
        };
        self.destinations.reset(self.code.len(), fresh);
        self.hot.reset();
        self.pc = 0;
        self.height = 0;
        self.stop = None;
        self.reference.as_mut().map_or(Ok(()), |reference| reference.load(program))
    }

    fn advance(&mut self, budget: u64) -> Status {
        if self.stop.is_none() {
            let before = self.executed();
            if budget > 1 {
                self.hot.leave_out(None);
            }
            self.stop = self.execute(budget);
            let executed = self.executed_since(before);
            self.context.account.executed(executed);
        }
        self.status()
    }

    fn choose(&mut self, tiers: Tiers) {
        self.tiers = tiers;
        self.reference = (tiers == Tiers::Both).then(|| Reference::new(self.context.account.limits()));
    }

    fn advance_to(&mut self, budget: u64, ops: &OpSet) -> AdvanceEnd {
        if self.stop.is_some() {
            return AdvanceEnd { status: self.status(), executed: 0 };
        }
        let before = self.executed();
        self.hot.leave_out(Some(ops));
        let until = |left| Until { left, ops };
        self.stop = self.execute_with(budget, || until(u64::MAX), until);
        let executed = self.executed_since(before);
        self.context.account.executed(executed);
        AdvanceEnd { status: self.status(), executed }
    }

    fn account(&mut self) -> &mut CaseAccount {
        &mut self.context.account
    }

    fn set(&mut self, changes: &Value) -> Result<(), LoadError> {
        change::change(self, changes)?;
        self.reference.as_mut().map_or(Ok(()), |reference| reference.set(changes))
    }

    fn inspect(&self) -> &(dyn Inspect + 'static) {
        self
    }

    fn faults(&mut self) -> Option<&mut dyn PlantFaults> {
        Some(self)
    }

    fn next(&self) -> Option<At<'_>> {
        if self.stop.is_none() { At::in_bytes(&EVM, self.program(), self.pc, self) } else { None }
    }

    fn duplicate(&self) -> Option<Box<dyn Machine>> {
        Some(Box::new(self.clone()))
    }

    fn copy_size(&mut self) -> u64 {
        let code = self.code.len() * (1 + size_of::<JumpDestination>());
        self.context.account.used() + code as u64
    }

    fn describe(&self) -> String {
        let reason = match self.stop {
            None => "not ended",
            Some(EvmStop::Stopped) => "stopped",
            Some(EvmStop::Returned) => "returned",
            Some(EvmStop::Halted(halt)) => halt.reason(),
            Some(EvmStop::Limited(_) | EvmStop::Fenced | EvmStop::Hot) => "ended by the runner",
        };
        let name = match self.program().get(self.pc) {
            None => ", the end of the code".to_owned(),
            Some(&code) => {
                EVM.by_code(code.into()).map_or(format!(" byte 0x{code:02x}"), |op| format!(" {}", op.name))
            }
        };
        let gas = if self.has_halted() { "gas before it" } else { "gas left" };
        let needed = self.needed().map_or(String::new(), |needed| format!(", needs {needed}"));
        format!("{reason} at 0x{:x}{name}{needed}, {} {gas}, {} on the stack", self.pc, self.gas, self.height)
    }
}
