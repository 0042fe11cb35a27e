//! Testees: what cases run on.

use std::sync::Arc;

use self::embedded::Embedded;
use self::process::{Process, ProcessVm};
use crate::machines::elsewhere::NOT_HERE;
use crate::machines::machine::Machine;
use crate::machines::tiers::Tiers;
use crate::machines::{Engine, MachineInfo};
use crate::model::limits::Limits;
use crate::model::{Interrupt, Program, Step};
use crate::wire::protocol::Hello;

pub mod embedded;
pub mod process;
pub mod server;
mod testee;

pub use self::testee::{RunEnd, RunObserver, StateObserver, Stopped, Testee, TesteeState};

/// The name of the embedded machines in outputs, which no machine in another process may have.
pub const EMBEDDED: &str = "embedded";

/// Creates testees.
#[derive(Clone)]
pub struct MakeTestee {
    name: Arc<str>,
    make: Arc<MakeMachine>,
    vm: Option<Arc<ProcessVm>>,
}

type MakeMachine = dyn Fn(&MachineInfo, &Limits) -> Box<dyn Machine> + Send + Sync;

impl MakeTestee {
    /// Testees in this process, with machines created by `make`. The name must identify everything other than
    /// this program that affects their behaviour, since testees with the same name are assumed to give the
    /// same results.
    pub fn new(
        name: impl Into<Arc<str>>,
        make: impl Fn(&MachineInfo, &Limits) -> Box<dyn Machine> + Send + Sync + 'static,
    ) -> MakeTestee {
        MakeTestee { name: name.into(), make: Arc::new(make), vm: None }
    }

    /// Testees with embedded machines that use these tiers.
    pub fn on(tiers: Tiers) -> MakeTestee {
        MakeTestee::new(format!("embedded, {}", tiers.name()), move |info, limits| {
            let mut machine = (info.new)(limits);
            machine.choose(tiers);
            machine
        })
    }

    /// Testees in other processes.
    pub fn in_processes(vm: Arc<ProcessVm>) -> MakeTestee {
        let process::TesteeCommand { name: _, words, env, folder, timeout: _, start: _, memory } =
            vm.command();
        let Hello { name, release, .. } = vm.hello();
        let name = format!("{:?}", (words, env, folder, memory, name, release));
        MakeTestee { name: name.into(), vm: Some(vm), ..MakeTestee::default() }
    }

    /// The machine in other processes; `None` for testees in this process.
    pub fn vm(&self) -> Option<&Arc<ProcessVm>> {
        self.vm.as_ref()
    }

    /// How many cases run at the same time on each testee.
    pub fn in_flight(&self) -> usize {
        self.vm.as_ref().map_or(1, |vm| vm.in_flight())
    }

    /// The name that identifies these testees.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Creates a testee for a machine. Its cases end when `interrupt` is requested.
    pub fn make(
        &self,
        info: &'static MachineInfo,
        limits: &Limits,
        interrupt: &Interrupt,
    ) -> Box<dyn Testee> {
        match &self.vm {
            Some(vm) => Box::new(Process::new(vm.clone(), info, limits, interrupt)),
            None if info.engine == Engine::Elsewhere => Box::new(NoTestee),
            None => Box::new(self.embedded(info, limits, interrupt)),
        }
    }

    /// Creates a testee in this process, which can be watched. For testees in other processes, it is the
    /// embedded machine.
    pub fn embedded(&self, info: &MachineInfo, limits: &Limits, interrupt: &Interrupt) -> Embedded {
        Embedded::of(self.machine(info, limits), interrupt)
    }

    /// Creates the machine of [`MakeTestee::embedded`].
    pub fn machine(&self, info: &MachineInfo, limits: &Limits) -> Box<dyn Machine> {
        (self.make)(info, limits)
    }
}

/// In place of a machine that only other processes execute: it supports no case.
struct NoTestee;

impl Testee for NoTestee {
    fn run(&mut self, _: &Program, _: &[Step], _: StateObserver<'_>) -> RunEnd {
        Err(Stopped::Unsupported(NOT_HERE.to_owned()))
    }
}

/// Testees with the embedded machines.
impl Default for MakeTestee {
    fn default() -> MakeTestee {
        MakeTestee::on(Tiers::default())
    }
}
