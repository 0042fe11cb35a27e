//! The instruction that explains a failure, as a property of the test case. It is known only after all cases, so that
//! the property is added when the text of the cases is written out.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead, BufReader, Read, Write};

use super::xml::XmlElements;
use crate::model::SuspectAnalysis;
use crate::model::suspects::MAX_FAILURES;

/// How many elements are around the properties of a case.
const AROUND_PROPERTIES: usize = 3;

/// The failing cases of a report, and what explains them.
#[derive(Default)]
pub(super) struct SuspectProperties {
    /// How many cases were counted.
    count: usize,
    /// The numbers of the first cases that do not pass, by their ids.
    numbers: HashMap<String, usize>,
    /// The lines of the properties of a case, by its number.
    lines: BTreeMap<usize, String>,
}

impl SuspectProperties {
    pub(super) fn count_passing(&mut self) {
        self.count += 1;
    }

    /// Counts a case that an instruction may explain.
    pub(super) fn count_failing(&mut self, id: String) {
        if self.numbers.len() < MAX_FAILURES {
            self.numbers.insert(id, self.count);
        }
        self.count += 1;
    }

    /// Adds the instructions that explain failures.
    pub(super) fn explain(&mut self, analysis: &SuspectAnalysis) -> io::Result<()> {
        for suspect in &analysis.suspects {
            let op = &*suspect.name.op;
            let (lines, of_first) = (properties(&[("suspect", op)])?, properties(&[("suspect", op), FIRST])?);
            for (id, number) in suspect.cases.iter().filter_map(|id| Some((id, self.numbers.get(id)?))) {
                let is_first = suspect.representative() == Some(id);
                self.lines.insert(*number, if is_first { &of_first } else { &lines }.clone());
            }
        }
        Ok(())
    }

    /// Copies the text of suites, and adds the properties.
    pub(super) fn copy(&self, suites: impl Read, out: &mut dyn Write) -> io::Result<()> {
        let mut suites = BufReader::new(suites);
        if self.lines.is_empty() {
            return io::copy(&mut suites, out).map(drop);
        }
        let (mut line, mut number, mut added) = (Vec::new(), 0, None);
        while suites.read_until(b'\n', &mut line)? > 0 {
            // Text from a vector is escaped, so that no other line begins like this.
            let text = line.trim_ascii_start();
            if let Some(lines) = added.take() {
                let merged = text.starts_with(b"<properties>");
                out.write_all(if merged { inner(lines) } else { lines }.as_bytes())?;
                if merged {
                    line.clear();
                    continue;
                }
            }
            if text.starts_with(b"<testcase ") {
                added = self.lines.get(&number).map(String::as_str);
                number += 1;
            }
            out.write_all(&line)?;
            line.clear();
        }
        Ok(())
    }
}

/// The lines of properties without the end tag, to which others are added.
fn inner(lines: &str) -> &str {
    lines.rfind("</properties>").map_or(lines, |end| lines[..end].trim_end_matches(' '))
}

/// The property of the case that stands for all cases of its suspect.
const FIRST: (&str, &str) = ("suspect-example", "yes");

/// The lines of properties of a case.
fn properties(named: &[(&str, &str)]) -> io::Result<String> {
    let mut inside = XmlElements::inside(AROUND_PROPERTIES)?;
    inside.properties(named)?;
    let text = String::from_utf8(inside.take()).map_err(io::Error::other)?;
    Ok(format!("{}\n", text.trim_matches('\n')))
}
