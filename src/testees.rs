//! What a case is run on.

use std::sync::Arc;

use self::embedded::Embedded;
use crate::machines::MachineInfo;
use crate::machines::inspect::Inspect;
use crate::machines::machine::{LoadError, Status, Watch};
use crate::model::case::{Action, Program};
use crate::model::limits::Limits;
use crate::model::path::Path;

pub mod embedded;

/// Makes what the cases of a machine are run on.
#[derive(Clone)]
pub struct MakeTestee {
    name: Arc<str>,
    make: Arc<Make>,
}

type Make = dyn Fn(&MachineInfo, &Limits) -> Box<dyn Testee> + Send + Sync;

impl MakeTestee {
    /// Makes testees with `make`. What else than this program decides how they behave must be in the
    /// name, since what is known of one is taken to be so of all of the same name.
    pub fn new(
        name: impl Into<Arc<str>>,
        make: impl Fn(&MachineInfo, &Limits) -> Box<dyn Testee> + Send + Sync + 'static,
    ) -> MakeTestee {
        MakeTestee { name: name.into(), make: Arc::new(make) }
    }

    /// What they are known by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes one for a machine.
    pub fn make(&self, info: &MachineInfo, limits: &Limits) -> Box<dyn Testee> {
        (self.make)(info, limits)
    }
}

/// The machines of this crate.
impl Default for MakeTestee {
    fn default() -> MakeTestee {
        MakeTestee::new("embedded", |info, limits| Box::new(Embedded::new(info, limits)))
    }
}

/// Something that can load a program, perform actions and be looked at: an embedded machine, or
/// one in another process.
pub trait Testee {
    /// Makes this a fresh machine that holds the program.
    ///
    /// # Errors
    ///
    /// When the program is not one for this machine.
    fn load(&mut self, program: &Program) -> Result<(), LoadError>;

    /// Performs an action. `watch` sees each instruction before it is executed, if the testee can be
    /// watched.
    fn perform(&mut self, action: &Action, watch: Option<&mut dyn Watch>) -> Status;

    /// What can be seen of it now.
    fn state(&self) -> &dyn Inspect;

    /// In one line how the machine ended or where it stands.
    fn describe(&self) -> String;

    /// A datum in words of the program's source; see [`crate::machines::machine::Machine::explain`].
    fn explain(&self, at: &Path) -> Option<String>;
}
