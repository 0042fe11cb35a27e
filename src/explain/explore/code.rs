//! The lines of the code: the listing of a code unit, and the next instruction where the listing does not have it.

use crate::machines::machine::{At, Machine};
use crate::machines::view::CodeLine;

/// How a line relates to the listing of its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShownCodePlace {
    /// The listing has it.
    Listed,
    /// It begins inside another instruction: a jump led there.
    Inside,
    /// It is after everything that the listing has.
    Beyond,
}

impl ShownCodePlace {
    /// A remark for people, if there is something to remark.
    pub(super) fn remark(self) -> &'static str {
        match self {
            ShownCodePlace::Listed => "",
            ShownCodePlace::Inside => "  (inside another instruction)",
            ShownCodePlace::Beyond => "  (not in the code: after its end)",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlacedLine {
    /// The instruction.
    pub(super) line: CodeLine,
    /// Whether the listing has it.
    pub(super) place: ShownCodePlace,
}

/// The next instruction, as decoded where it is, if the lines do not have it.
pub(super) fn unlisted<'l>(at: &At<'_>, lines: impl IntoIterator<Item = &'l CodeLine>) -> Option<PlacedLine> {
    let mut end = 0;
    for line in lines {
        if line.pc == at.pc {
            return None;
        }
        end = end.max(line.pc + line.length);
    }
    let place = if at.pc < end { ShownCodePlace::Inside } else { ShownCodePlace::Beyond };
    let line = CodeLine { label: at.state.label(at.pc), ..CodeLine::at(at.pc, at.state.instruction()) };
    Some(PlacedLine { line, place })
}

/// The lines of a code unit, and the next instruction.
#[derive(Default)]
pub(super) struct ShownCode {
    /// The number of the code unit, once one is shown.
    pub(super) unit: Option<usize>,
    /// The name of the function, on a machine with functions.
    pub(super) name: Option<String>,
    pub(super) lines: Vec<PlacedLine>,
}

impl ShownCode {
    /// Shows the code of a machine's next instruction.
    pub(super) fn show(&mut self, machine: &dyn Machine) {
        self.lines.retain(|placed| placed.place == ShownCodePlace::Listed);
        if self.unit != Some(machine.unit()) || self.lines.is_empty() {
            let listed = |line| PlacedLine { line, place: ShownCodePlace::Listed };
            self.unit = Some(machine.unit());
            self.name = machine.function();
            self.lines = machine.listing().into_iter().map(listed).collect();
        }
        let next = machine.next();
        if let Some(line) = next.and_then(|at| unlisted(&at, self.lines.iter().map(|placed| &placed.line))) {
            let index = self.lines.partition_point(|placed| placed.line.pc < line.line.pc);
            self.lines.insert(index, line);
        }
    }
}
