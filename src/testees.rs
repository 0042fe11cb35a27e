//! Testees: what cases run on.

use std::sync::Arc;

use self::embedded::Embedded;
use crate::machines::MachineInfo;
use crate::machines::inspect::Inspect;
use crate::machines::machine::{LoadError, Status, Watch};
use crate::model::case::{Action, Program};
use crate::model::interrupt::Interrupt;
use crate::model::limits::Limits;
use crate::model::path::Path;

pub mod embedded;

/// Makes testees.
#[derive(Clone)]
pub struct MakeTestee {
    name: Arc<str>,
    make: Arc<Make>,
}

type Make = dyn Fn(&MachineInfo, &Limits, &Interrupt) -> Box<dyn Testee> + Send + Sync;

impl MakeTestee {
    /// Makes testees with `make`. The name must identify everything besides this program that affects their
    /// behaviour, since results of testees with the same name are taken to be the same.
    pub fn new(
        name: impl Into<Arc<str>>,
        make: impl Fn(&MachineInfo, &Limits, &Interrupt) -> Box<dyn Testee> + Send + Sync + 'static,
    ) -> MakeTestee {
        MakeTestee { name: name.into(), make: Arc::new(make) }
    }

    /// The name that identifies these testees.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes a testee for a machine. Its cases end when `interrupt` is requested.
    pub fn make(&self, info: &MachineInfo, limits: &Limits, interrupt: &Interrupt) -> Box<dyn Testee> {
        (self.make)(info, limits, interrupt)
    }
}

/// Testees that embed the machines of this crate.
impl Default for MakeTestee {
    fn default() -> MakeTestee {
        MakeTestee::new("embedded", |info, limits, interrupt| {
            Box::new(Embedded::new(info, limits, interrupt))
        })
    }
}

/// Something that can load a program, perform actions and be inspected: an embedded machine, or one in
/// another process.
pub trait Testee {
    /// Resets the testee to a fresh machine that holds the program.
    ///
    /// # Errors
    ///
    /// When the machine does not accept the program.
    fn load(&mut self, program: &Program) -> Result<(), LoadError>;

    /// Performs an action. `watch` is called before each instruction if the testee supports it.
    fn perform(&mut self, action: &Action, watch: Option<&mut dyn Watch>) -> Status;

    /// The state of the machine.
    fn state(&self) -> &dyn Inspect;

    /// A description, in one line, of how the machine ended or where it is.
    fn describe(&self) -> String;

    /// A datum in terms of the program's source; see [`crate::machines::machine::Machine::explain`].
    fn explain(&self, at: &Path) -> Option<String>;
}
