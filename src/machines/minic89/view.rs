//! The state formatted for people: frames with their locals by name, the current one first so that it is seen, and
//! the code of the current function.

use super::explain::named;
use super::machine::{MiniC89, RunStatus};
use super::program::{Function, plain};
use super::source::LocalName;
use super::word::MiniWord;
use crate::machines::view::{CodeLine, Section, StackCount, ViewDatum, ViewRow, ViewScope};
use crate::model::Path;

impl MiniC89 {
    /// The state; `pc` is where the machine stands.
    pub(super) fn view(&self, pc: Option<(&Function, usize)>) -> Vec<Section> {
        if !self.has_begun() {
            return Vec::new();
        }
        vec![Section::of("status", self.status_rows(pc)), self.operands(), self.frames_and_locals()]
    }

    /// All instructions of a function, with their lines.
    pub(super) fn lines_of(&self, function: &Function) -> Vec<CodeLine> {
        let line = |ip| function.source_map.line(ip).and_then(|line| u64::try_from(line).ok());
        // The last instruction marks the end.
        let ips = 0..function.instructions.len() - 1;
        ips.map(|ip| CodeLine {
            pc: ip,
            length: 1,
            label: ip.to_string(),
            text: self.written(function, ip),
            line: line(ip),
        })
        .collect()
    }

    /// The line from the source map; for a function without one, from the last DBG_LINE.
    pub(super) fn source_line(&self) -> Option<u64> {
        let (function, ip) = self.stand().last()?;
        if function.source_map.is_empty() {
            return self.line.map(u64::from);
        }
        function.source_map.line(ip).and_then(|line| u64::try_from(line).ok())
    }

    fn status_rows(&self, pc: Option<(&Function, usize)>) -> Vec<ViewRow> {
        let row = |name: &str, value: String, at: Path| ViewRow::new(name, value, Some(ViewDatum::At(at)));
        let (status, more) = match &self.status {
            RunStatus::Idle | RunStatus::Running => ("RUNNING", Vec::new()),
            RunStatus::Halted(result) => {
                ("HALTED", vec![row("result", result.to_string(), Path::field("halt").child("result"))])
            }
            RunStatus::Trapped(trap) => {
                let at = Path::field("trap");
                let code = row("trap", trap.code().to_owned(), at.child("code"));
                let details = trap.details().into_iter();
                let details = details
                    .map(|(name, value)| row(name, plain(&value), at.child("details").child(name)).inside(1));
                ("TRAPPED", [code].into_iter().chain(details).collect())
            }
        };
        let first = [
            row("status", status.to_owned(), Path::field("status")),
            row("step", self.step.to_string(), Path::field("step")),
        ];
        let pc = pc.map(|(function, ip)| row("pc", format!("{}+{ip}", named(function)), Path::field("pc")));
        first.into_iter().chain(pc).chain(more).collect()
    }

    fn operands(&self) -> Section {
        let rows = self.stack.iter().enumerate().rev().map(|(index, word)| {
            let at = Path::field("operand_stack").child(index);
            ViewRow::new(format!("[{index}]"), self.shown(*word), Some(ViewDatum::At(at)))
        });
        Section::of("operand stack, top first", rows).stacked(StackCount::FromBottom)
    }

    fn frames_and_locals(&self) -> Section {
        let mut section = Section::new("call stack, current frame first");
        let frames: Vec<_> = self.stand().enumerate().collect();
        for (frame, (function, ip)) in frames.iter().copied().rev() {
            let at = Path::field("call_stack").child(frame);
            let back = match frame.checked_sub(1).and_then(|caller| frames.get(caller)) {
                Some((_, (caller, call))) => format!("returns to {}+{}", named(caller), call + 1),
                None => "entry".to_owned(),
            };
            section.push(ViewRow::new(format!("{frame} {}", named(function)), back, None));
            for slot in 0..function.local_count {
                let Some(word) = self.slots.get(self.frames[frame].base + slot) else { break };
                let name = LocalName::find(&function.names, slot, ip);
                let (name, scope) = name.unwrap_or(("", ViewScope::In));
                let name = if name.is_empty() { format!("slot {slot}") } else { name.to_owned() };
                let at = at.child("locals").child(slot);
                let row = ViewRow::new(name, self.shown(*word), Some(ViewDatum::At(at))).inside(1);
                section.push(ViewRow { scope, ..row });
            }
        }
        section
    }

    /// A value formatted for people: functions by name, no function as null.
    fn shown(&self, word: MiniWord) -> String {
        match (word.as_int(), word.as_fun()) {
            (Some(number), _) => number.to_string(),
            (None, Some(0)) => "null".to_owned(),
            (None, Some(fid)) => self.reference(fid),
            (None, None) => "uninitialised".to_owned(),
        }
    }

    /// A reference to a function: `fun 7 gcd`.
    pub(super) fn reference(&self, fid: u16) -> String {
        let name = self.function(fid.into()).map_or("(no function)", |function| &function.name);
        format!("fun {fid} {name}").trim_end().to_owned()
    }

    /// A slot of a frame in terms of the source: `i of gcd`.
    pub(super) fn slot_name(&self, frame: usize, slot: usize) -> Option<String> {
        let (function, ip) = self.stand().nth(frame)?;
        let (name, _) = LocalName::find(&function.names, slot, ip).filter(|(name, _)| !name.is_empty())?;
        Some(format!("{name} of {}", named(function)))
    }
}
