//! The code of a run, each unit once.

use std::collections::{BTreeMap, HashSet};

use indexmap::IndexMap;
use serde_json::{Value as Json, json};

use crate::explain::explore::code::{PlacedLine, unlisted};
use crate::machines::inspect::{Inspect, lists_executions};
use crate::machines::machine::At;
use crate::machines::view::CodeLine;
use crate::model::escaped;

/// About how many bytes an instruction of the code takes.
const BYTES_OF_INSTRUCTION: usize = 256;

/// The code units of a run.
#[derive(Default)]
pub(super) struct PageCodes {
    units: IndexMap<usize, PageCode>,
    /// About how many bytes they take.
    pub(super) bytes: usize,
}

/// The code of a unit.
struct PageCode {
    name: Option<String>,
    /// Whether the lines are what was executed, in order.
    lists_executions: bool,
    lines: Vec<CodeLine>,
    pcs: HashSet<usize>,
    /// The executed instructions that the listing does not have.
    unlisted: BTreeMap<usize, PlacedLine>,
}

impl PageCodes {
    /// The index of the code of a state.
    pub(super) fn unit(&mut self, state: &dyn Inspect) -> usize {
        let unit = state.unit();
        self.units.get_index_of(&unit).unwrap_or_else(|| {
            let lines = state.listing();
            self.bytes += lines.len() * BYTES_OF_INSTRUCTION;
            let pcs = lines.iter().map(|line| line.pc).collect();
            let name = state.function().map(|name| escaped(&name).into_owned());
            let code = PageCode {
                name,
                lists_executions: lists_executions(state),
                lines,
                pcs,
                unlisted: BTreeMap::new(),
            };
            self.units.insert_full(unit, code).0
        })
    }

    /// Adds an instruction of the code with this index that is executed, if the listing does not have it.
    pub(super) fn add(&mut self, index: usize, at: &At<'_>) {
        let code = &mut self.units[index];
        if !code.pcs.contains(&at.pc) {
            let line = unlisted(at, &code.lines);
            code.unlisted.extend(line.map(|line| (at.pc, line)));
        }
    }

    pub(super) fn json(&self) -> Json {
        self.units.values().map(PageCode::json).collect()
    }
}

impl PageCode {
    /// For each instruction: its program counter, how the counter is displayed, its text, its source line, and a
    /// remark.
    fn json(&self) -> Json {
        let line = |line: &CodeLine, remark: &str| {
            json!([line.pc, line.label, escaped(&line.text), line.line, remark])
        };
        let lines: Vec<_> = self.lines.iter().map(|it| line(it, "")).collect();
        let unlisted: Vec<_> = self.unlisted.values().map(|it| line(&it.line, it.place.remark())).collect();
        json!({ "name": self.name, "isPlayed": self.lists_executions, "lines": lines, "unlisted": unlisted })
    }
}
