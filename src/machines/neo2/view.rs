//! The state formatted for people: the evaluation stack of all frames, and the alt stack of the current one.

use super::machine::Neo2;
use crate::machines::inspect::Inspect;
use crate::machines::neo::show::Show;
use crate::machines::view::{Section, StackCount, ViewRow};
use crate::model::{Path, bytes_key};

impl Neo2 {
    pub(super) fn view(&self) -> Vec<Section> {
        let count = ViewRow::new("items counted", self.core.estimate.count.to_string(), None);
        let frames = self.core.frames.iter().enumerate().rev().map(|(index, frame)| {
            let script = bytes_key(&self.scripts[frame.script].hash());
            ViewRow::new(format!("frame {index}"), format!("at {:04x} of {script}", frame.pc), None)
        });
        let state = Section::of("status", std::iter::once(count).chain(frames));
        let stack = Section::stack(self.height(), |below| self.item(below), |below| self.path_of(below));
        let mut sections = vec![state, stack.stacked(StackCount::FromTop)];
        if let Some(current) = self.core.frames.last() {
            let alt = Show::new(&self.core.heap).top_first(&self.core.alt[current.alt_base..]);
            let at = Path::field("invocationStack").child(0).child("altStack");
            sections.push(Section::of_value("alt stack, top first", &alt, &at));
        }
        sections
    }

    /// The path of the item at this distance below the top.
    fn path_of(&self, below: usize) -> Path {
        let place = self.height().saturating_sub(below + 1);
        let (mut end, mut number) = (self.height(), 0);
        for frame in self.core.frames.iter().rev() {
            if place >= frame.base {
                let at = Path::field("invocationStack").child(number).child("evaluationStack");
                return at.child(end - 1 - place);
            }
            (end, number) = (frame.base, number + 1);
        }
        Path::field("resultStack").child(below)
    }
}
