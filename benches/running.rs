//! A program on its machine, to be executed again and again.

use anyhow::{Context, ensure};
use vmconf::machines;
use vmconf::machines::machine::{At, Machine, Watch, perform};
use vmconf::machines::status::Status;
use vmconf::machines::tiers::Tiers;
use vmconf::model::limits::Limits;
use vmconf::model::{Action, Program, Value};

use crate::rows::record;

/// A program on its machine.
pub(crate) struct Running {
    pub(crate) machine: Box<dyn Machine>,
    pub(crate) program: Program,
    /// What is set after loading.
    start: Option<Value>,
}

impl Running {
    /// `program` on the machine of this name.
    pub(crate) fn new(machine: &str, program: Program, tiers: Tiers) -> anyhow::Result<Running> {
        let info = machines::by_name(machine).with_context(|| format!("no machine {machine}"))?;
        // Long programs are watched to count their instructions.
        let mut machine = (info.new)(&Limits { watched: u64::MAX, ..Limits::default() });
        machine.choose(tiers);
        let start = program.0.get("functions").map(|functions| {
            let first = functions.child(&0.into()).and_then(|function| function.get("fid"));
            let limits = record([("step_limit", Value::Null)]);
            record([("entry", first.cloned().unwrap_or(Value::Null)), ("limits", limits)])
        });
        Ok(Running { machine, program, start })
    }

    /// Loads and runs as the runner does, with its limits: loading a program is part of every case.
    pub(crate) fn run(&mut self) {
        let status = self.execute(Action::Execute, None);
        assert_eq!(status, Status::Ended);
    }

    /// Loads, and executes this number of instructions.
    pub(crate) fn run_some(&mut self, opcodes: u64) -> anyhow::Result<()> {
        let status = self.execute(Action::Run(opcodes), None);
        ensure!(status == Status::Running, "ended before {opcodes} instructions");
        Ok(())
    }

    /// Loads and runs while `watch` sees each instruction.
    pub(crate) fn watched(&mut self, watch: &mut dyn Watch) {
        let status = self.execute(Action::Execute, Some(watch));
        assert_eq!(status, Status::Ended);
    }

    /// How many instructions a run has.
    pub(crate) fn opcodes(&mut self) -> u64 {
        let mut count = Count(0);
        self.watched(&mut count);
        count.0
    }

    fn execute(&mut self, action: Action, watch: Option<&mut dyn Watch>) -> Status {
        assert_eq!(self.machine.load(&self.program), Ok(()));
        if let Some(start) = &self.start {
            assert_eq!(self.machine.set(start), Ok(()));
        }
        perform(&mut *self.machine, &action, watch)
    }
}

struct Count(u64);

impl Watch for Count {
    fn before(&mut self, _: &At<'_>) {
        self.0 += 1;
    }
}
