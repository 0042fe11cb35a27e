//! A trace in a file, in the form of EIP-3155.

use super::run::PlayedRun;
use super::state::PlayedState;
use crate::explain::bisect::check_size;
use crate::model::counted;
use crate::wire::eip3155::{self, Eip3155Step, TraceLine, TraceMembers};
use crate::wire::line::quoted_bytes;

/// A trace. Its text is kept, and a step is read when it is asked for.
pub struct TraceFile {
    text: Vec<u8>,
    /// Where each step is in the text.
    steps: Vec<(u32, u32)>,
    end: TraceMembers,
    /// What is remarkable about the file, for people.
    pub notes: Vec<String>,
}

impl TraceFile {
    /// Reads a trace; other lines than steps and the summary are noted. `name` is that of the file. An error says
    /// which line is wrong and what was expected, or that there is no step.
    pub fn read(name: &str, text: Vec<u8>) -> Result<TraceFile, String> {
        if u32::try_from(text.len()).is_err() {
            return Err(format!("{name}: larger than {} bytes", u32::MAX));
        }
        let mut trace = TraceFile { text: Vec::new(), steps: Vec::new(), end: Vec::new(), notes: Vec::new() };
        let (mut start, mut others, mut after_end) = (0, Vec::new(), None);
        for (number, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let number = number + 1;
            check_size(line).map_err(|what| format!("{name}:{number}: {what}"))?;
            let read = eip3155::read(line)
                .map_err(|wrong| format!("{name}:{number}: {wrong}, in {}", quoted_bytes(line)))?;
            match read {
                TraceLine::Step(_) => {
                    if let Some(summary) = after_end {
                        return Err(format!(
                            "{name}:{number}: a step after the summary in line {summary}: expected one run in a file"
                        ));
                    }
                    trace.steps.push((start as u32, (start + line.len()) as u32));
                }
                TraceLine::Summary(members) if !trace.steps.is_empty() => {
                    (trace.end, after_end) = (members, Some(number));
                }
                TraceLine::Summary(_) | TraceLine::Other if line.trim_ascii().is_empty() => {}
                TraceLine::Summary(_) | TraceLine::Other => others.push((number, quoted_bytes(line))),
            }
            start += line.len();
        }
        if trace.steps.is_empty() {
            return Err(format!(
                "{name}: no line of it is a step of a trace: expected JSON objects with pc and op, as in EIP-3155"
            ));
        }
        if let Some((number, line)) = others.first() {
            let count = counted(others.len(), "line");
            trace.notes.push(format!("{name}:{number}: {line} is not a step of a trace; {count} ignored"));
        }
        trace.text = text;
        Ok(trace)
    }

    /// The text of the file.
    pub fn text(&self) -> &[u8] {
        &self.text
    }
}

impl PlayedRun for TraceFile {
    fn steps(&self) -> u64 {
        self.steps.len() as u64
    }

    fn instruction(&mut self, step: u64) -> Option<Eip3155Step> {
        let (start, end) = *self.steps.get(usize::try_from(step).ok()?)?;
        match eip3155::read(self.text.get(start as usize..end as usize)?) {
            Ok(TraceLine::Step(step)) => Some(step),
            // They are read once before.
            Ok(TraceLine::Summary(_) | TraceLine::Other) | Err(_) => None,
        }
    }

    fn state(&mut self, step: u64) -> PlayedState {
        let next = self.instruction(step);
        let end = if next.is_none() { self.end.clone() } else { Vec::new() };
        PlayedState { next, end, ..PlayedState::default() }
    }

    fn ended(&self) -> String {
        let members: Vec<_> = self.end.iter().map(|(name, value)| format!("{name} {value}")).collect();
        if members.is_empty() { "the trace ends here".to_owned() } else { members.join(", ") }
    }
}
