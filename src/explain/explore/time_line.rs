//! The time line as lines of text.

use super::{Explorer, id_text};
use crate::explain::recording::{Datum, KeepGoing};
use crate::model::counted;
use crate::text::columns::{columns, first_columns};

/// How many lines it has.
pub(super) const LINES: usize = 3;

/// The width of the labels in front of the lines, with the space after them.
const LABEL_WIDTH: usize = 7;

/// From few frames to many.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// What a state in which an assertion fails is marked with, and what a write.
const FAILS: char = '✗';
const WRITTEN: char = '|';

impl Explorer {
    /// Shows the time line with the writes of the selected datum; hides it if it is shown and has them.
    pub(super) fn switch_time_line(&mut self, keep_going: KeepGoing<'_>) {
        let line = self.time_line.take();
        let is_new = line.is_none();
        let its = |datum: &Datum| datum.id.clone();
        let is_complete =
            line.as_ref().is_some_and(|line| line.datum().map(its) == self.datum.as_ref().map(its));
        if is_complete {
            return;
        }
        let Some(mut line) = line.or_else(|| self.recording.time_line(keep_going)) else {
            "stopped".clone_into(&mut self.message);
            return;
        };
        if let Some(datum) = self.datum.clone() {
            if !self.recording.add_writes(&mut line, &datum, keep_going) {
                "stopped".clone_into(&mut self.message);
            }
        } else if !is_new {
            return;
        }
        self.time_line = Some(line);
    }

    /// The first state at a column of the screen, for a time line of this width.
    pub(super) fn time_at(&self, column: usize, width: usize) -> Option<u64> {
        let (line, room) = (self.time_line.as_ref()?, width.checked_sub(LABEL_WIDTH + 1)?);
        Some(line.first_of(column.checked_sub(LABEL_WIDTH)?, room))
    }

    /// The time line in lines of this width: the frames, the writes and the failing states, and where the state is.
    pub(super) fn time_lines(&self, width: usize) -> Vec<String> {
        let (Some(line), Some(room)) = (&self.time_line, width.checked_sub(LABEL_WIDTH + 1)) else {
            return Vec::new();
        };
        let columns = line.columns(room);
        let most = line.most_frames();
        let frames = columns.depths.iter().map(|depth| block(*depth, most));
        let mut ticks: Vec<_> =
            columns.writes.iter().map(|count| if *count > 0 { WRITTEN } else { ' ' }).collect();
        for assertion in &self.assertions {
            let end = self.recording.end_of_case_step(assertion.case_step);
            ticks[line.column_of(end.step(), room)] = FAILS;
        }
        let now = line.column_of(self.recording.now().step(), room);
        let writes =
            line.datum().map(|it| format!("; {} of {}", counted(line.count(), "write"), id_text(&it.id)));
        let caption = format!("at most {}{}", counted(most, "frame"), writes.unwrap_or_default());
        vec![
            format!("{:LABEL_WIDTH$}{}", "frames", frames.collect::<String>()),
            format!("{:LABEL_WIDTH$}{}", "writes", ticks.into_iter().collect::<String>()),
            format!("{:LABEL_WIDTH$}{}", "now", beside_mark(now, room, &caption)),
        ]
    }
}

fn block(depth: usize, most: usize) -> char {
    match depth.checked_sub(1) {
        None => ' ',
        Some(above) => BLOCKS[above * (BLOCKS.len() - 1) / most.saturating_sub(1).max(1)],
    }
}

/// A mark in a column, with a text on the side where there is more room.
fn beside_mark(column: usize, room: usize, text: &str) -> String {
    let (left, right) = (column, room.saturating_sub(column + 1));
    if right >= left {
        format!("{:column$}▲ {}", "", first_columns(text, right.saturating_sub(1)))
    } else {
        let text = first_columns(text, left.saturating_sub(1));
        let gap = left.saturating_sub(1 + columns(text));
        format!("{:gap$}{text} ▲", "")
    }
}
