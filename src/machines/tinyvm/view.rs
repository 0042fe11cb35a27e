//! The state formatted for people: registers and nonzero words of data, of one machine or of both.

use super::core::TinyCore;
use super::disassembler::disassemble;
use super::driver::{DriverOutcome, DriverRating};
use super::machine::TinyVm;
use super::mode::MachineMode;
use crate::machines::observe::Observe;
use crate::machines::view::{CodeLine, Section, ViewDatum, ViewRow};
use crate::model::{Path, Value};

impl TinyVm {
    pub(super) fn view(&self) -> Vec<Section> {
        match &self.mode {
            MachineMode::Single(single) => core_sections(&single.core, "", Path::field).into(),
            MachineMode::Driver(driver) => {
                let mut sections = Vec::new();
                if let Some(outcome) = &driver.outcome {
                    sections.push(outcome_section(outcome));
                }
                let of = |name: &'static str| move |field: &'static str| Path::field(name).child(field);
                sections.extend(core_sections(&driver.testee, "testee ", of("testee")));
                sections.extend(core_sections(&driver.driver, "driver ", of("driver")));
                sections
            }
        }
    }

    /// The instructions of the current machine, up to the last word that is not zero.
    pub(super) fn words_as_lines(&self) -> Vec<CodeLine> {
        let words = &self.current().0.instructions[..];
        let end = words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        let line = |(pc, word): (usize, &u16)| CodeLine::at(pc, disassemble(*word));
        words[..end].iter().enumerate().map(line).collect()
    }
}

#[allow(clippy::unnecessary_wraps, reason = "as a row has it")]
fn datum(at: Path) -> Option<ViewDatum> {
    Some(ViewDatum::At(at))
}

fn outcome_section(outcome: &DriverOutcome) -> Section {
    let mut section =
        Section::of("outcome", [ViewRow::new("outcome", outcome.name(), datum(Path::field("outcome")))]);
    if let DriverOutcome::Completed { results, error } = outcome {
        let rating = DriverRating::of(results, *error).name();
        section.push(ViewRow::new("rating", rating, datum(Path::field("rating"))));
        for (index, result) in results.iter().enumerate() {
            let at = datum(Path::field("results").child(index));
            section.push(ViewRow::new(format!("test {}", index + 1), result.name(), at).inside(1));
        }
    }
    section.again()
}

fn core_sections(core: &TinyCore, whose: &str, at: impl Fn(&'static str) -> Path) -> [Section; 2] {
    let section = |field| {
        let value = core.observe(field).unwrap_or(Value::Null);
        Section::of_value(format!("{whose}{field}"), &value, &at(field))
    };
    let [mut registers, data] = [section("registers"), section("data")];
    for name in ["pc", "time"] {
        let value = core.observe(name).unwrap_or(Value::Null);
        registers.push(ViewRow::new(name, value.to_string(), None));
    }
    [registers, data]
}
