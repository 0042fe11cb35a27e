//! How machines behaved, apart from what they answered: for commands that have no report of single cases.

use std::sync::Arc;

use vmconf::model::Exit;
use vmconf::run::Flaky;
use vmconf::testees::process::{BreakdownCount, Breakdowns, ProcessVm};

use super::vm::note_misconduct;

/// Who reports a machine that gives no answer whenever it is asked: the command itself, or [`Conduct::end`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SteadyBreakdowns {
    /// The command, which decides what follows from it.
    Reported,
    /// [`Conduct::end`].
    Unreported,
}

/// Which breakdowns of machines are reported at the end of a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct Conduct {
    pub(super) steady: SteadyBreakdowns,
    /// How a breakdown counts that does not repeat.
    pub(super) flaky: Flaky,
}

impl Conduct {
    /// Ends the processes of the machines, reports what they did wrong, and returns the exit code: [`Exit::Broken`] if
    /// they did something wrong, and the one that is given otherwise.
    pub(super) fn end(self, vms: &[Arc<ProcessVm>], exit: Exit) -> Exit {
        let broken: Vec<_> = vms.iter().map(|vm| self.is_broken(vm)).collect();
        if broken.contains(&true) { Exit::Broken } else { exit }
    }

    fn is_broken(self, vm: &ProcessVm) -> bool {
        let name = &vm.command().name;
        let misconduct = vm.finish();
        if let Some(misconduct) = &misconduct {
            note_misconduct(vm, misconduct);
        }
        let Breakdowns { steady, unrepeated } = vm.breakdowns();
        let steady =
            Some(steady).filter(|count| self.steady == SteadyBreakdowns::Unreported && !count.is_none());
        if let Some(count) = &steady {
            note!("error: {}", described(count, name));
        }
        let unrepeated = Some(unrepeated).filter(|count| !count.is_none());
        let is_wrong = self.flaky == Flaky::Report;
        if let Some(count) = &unrepeated {
            let kind = if is_wrong { "error" } else { "note" };
            note!("{kind}: {}", described(count, &format!("{name} did not repeat")));
        }
        misconduct.is_some() || steady.is_some() || is_wrong && unrepeated.is_some()
    }
}

/// How often a machine broke down, and how the first time. `whose` follows the number.
fn described(count: &BreakdownCount, whose: &str) -> String {
    format!("{} of {whose}; the first one: {}", count.in_words(), count.first())
}
