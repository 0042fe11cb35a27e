//! The state formatted for people: the evaluation stack, and the variables of each frame.

use super::context::Neo3Context;
use super::machine::Neo3;
use super::slot::Slots;
use crate::machines::inspect::Inspect;
use crate::machines::neo::show::Show;
use crate::machines::view::{Section, StackCount, ViewRow};
use crate::model::Path;

impl Neo3 {
    pub(super) fn view(&self) -> Vec<Section> {
        let frames = || Path::field("invocationStack");
        let stack = |below| {
            if self.is_halted() {
                return Path::field("resultStack").child(below);
            }
            frames().child(0).child("evaluationStack").child(below)
        };
        let stack = Section::stack(self.height(), |below| self.item(below), stack);
        let mut sections = vec![self.state_section(), stack.stacked(StackCount::FromTop)];
        sections.extend(self.try_section());
        if self.has_frame() {
            let current = (self.pc, &self.core.context);
            let callers = self.core.callers.iter().rev().map(|caller| (caller.pc, caller));
            for (index, (pc, context)) in [current].into_iter().chain(callers).enumerate() {
                sections.extend(self.frame_section(index, pc, context, &frames().child(index)));
            }
        }
        sections
    }

    fn state_section(&self) -> Section {
        let references = ViewRow::new("references", self.core.references().to_string(), None);
        let frames = if self.has_frame() { 1 + self.core.callers.len() } else { 0 };
        let pending = self.core.uncaught.as_ref();
        let pending =
            pending.map(|it| ViewRow::of("pending exception", &Show::briefly(&self.core.heap, it), None));
        let rows = [references, ViewRow::new("frames", frames.to_string(), None)];
        Section::of("status", rows.into_iter().chain(pending))
    }

    /// The try statements that were entered, the innermost one first. Frames are numbered from the oldest one, so that
    /// a call changes no name.
    fn try_section(&self) -> Option<Section> {
        let frames = self.core.callers.iter().chain([&self.core.context]).enumerate();
        let rows = frames.flat_map(|(frame, context)| {
            let tries = context.tries.iter().enumerate();
            tries.map(move |(number, it)| {
                ViewRow::new(format!("try {number} of frame {frame}"), it.to_string(), None)
            })
        });
        let mut rows: Vec<_> = rows.collect();
        rows.reverse();
        (self.has_frame() && !rows.is_empty()).then(|| Section::of("try stack, innermost first", rows))
    }

    /// The variables of a frame; static fields belong to all, and are shown with the current one.
    fn frame_section(&self, index: usize, pc: usize, context: &Neo3Context, at: &Path) -> Option<Section> {
        let title =
            if index == 0 { "current frame".to_owned() } else { format!("caller {index}, at {pc:04x}") };
        let mut section = Section::new(title);
        for slots in Slots::ALL {
            let is_shown = index == 0 || !matches!(slots, Slots::Statics);
            let items = if is_shown { slots.of(&self.core, context) } else { &[] };
            let at = at.child(slots.field());
            for (number, item) in items.iter().enumerate() {
                let value = Show::briefly(&self.core.heap, item);
                section = section.with(&format!("{} {number}", slots.cell_kind()), &value, &at.child(number));
            }
        }
        (index > 0 || !section.rows.is_empty()).then_some(section)
    }
}
