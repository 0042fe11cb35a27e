//! The cases of a machine whose instructions are unknown, read again after a run for what they give to the machine.

use super::common_words::CaseWords;
use super::texts::words_given;
use crate::machines::MachineInfo;
use crate::model::{CaseOutcome, Program, VerdictKind};
use crate::run::sources::Sources;
use crate::run::{CaseVerdicts, FileOpener, LoadOptions, LoadedCase};

/// The cases of a machine that passed or failed in a run.
#[derive(Clone, Copy)]
pub(super) struct JudgedCases<'r> {
    pub(super) machine: &'r str,
    pub(super) sources: &'r Sources,
    pub(super) options: &'r LoadOptions,
    pub(super) verdicts: &'r CaseVerdicts,
}

/// One of them.
pub(super) struct FoundCase<'f> {
    pub(super) id: String,
    pub(super) outcome: CaseOutcome,
    info: &'static MachineInfo,
    loaded: LoadedCase<'f>,
}

impl JudgedCases<'_> {
    /// The description of the machine, which all files share.
    pub(super) fn info(&self) -> Option<&'static MachineInfo> {
        self.options.file.families.machine(self.machine)
    }

    /// Finds each, in the order of the files, until the user interrupts the run.
    pub(super) fn for_each(&self, mut each: impl FnMut(FoundCase<'_>)) {
        let Some(info) = self.info() else { return };
        let mut opener = FileOpener::new(self.options);
        for source in self.sources {
            if self.options.run.interrupt.is_requested() {
                break;
            }
            let file = opener.open(source);
            for loaded in (0..file.cases()).filter_map(|index| file.case(index)) {
                let id = loaded.id.to_string();
                if loaded.format.machine != self.machine {
                    continue;
                }
                let Some(outcome) = self.verdicts.of(&id).and_then(VerdictKind::outcome) else { continue };
                each(FoundCase { id, outcome, info, loaded });
            }
        }
    }
}

impl FoundCase<'_> {
    pub(super) fn info(&self) -> &'static MachineInfo {
        self.info
    }

    /// What it gives to the machine; `None` if it cannot be read.
    pub(super) fn program(&self) -> Option<Program> {
        Some(self.loaded.read().ok()?.case?.program)
    }

    /// The case with the words of the texts that it gives to the machine.
    pub(super) fn words(&self) -> CaseWords {
        let program = self.program();
        let given = program.map_or(Vec::new(), |program| words_given(self.info, &program.0));
        CaseWords { id: self.id.clone(), given }
    }
}
