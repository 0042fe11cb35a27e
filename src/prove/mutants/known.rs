//! Results about faults and a suite, stored for later runs.
//!
//! They are stored as text. A fault that is missing has not been judged:
//!
//! ```text
//! vmconf faults 1 PROGRAM SUITE CHECKSUM
//! {"cases":5,"left_out":0,"broken":0,"machines":["evm"]}
//! {"fault":"evm/ADD/one-more","machine":"evm","op":"ADD","kind":"one-more","outcome":"killed",...}
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::fault::PlantedFault;
use crate::machines::{self, MachineInfo};
use crate::prove::suite::VectorSuite;
use crate::run::cache::ProgramKey;
use crate::run::cache::cache_text::CacheFormat;
use crate::run::suite_key::SuiteKey;
use crate::wire::line::one_line;
use crate::wire::mutants::{JudgedFault, Mutants};

const FORMAT: CacheFormat = CacheFormat { head: "vmconf faults 1", of: "run" };

/// Results about faults and a suite.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownFaults {
    suite: SuiteFacts,
    faults: BTreeMap<String, JudgedFault>,
}

/// Facts about the suite: the second line of the text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SuiteFacts {
    cases: u64,
    left_out: u64,
    broken: u64,
    machines: Vec<String>,
}

impl KnownFaults {
    /// The results before any fault has been judged by this suite.
    pub fn of(suite: &VectorSuite) -> KnownFaults {
        let machines = suite.machines().map(|machine| machine.name.to_owned()).collect();
        let VectorSuite { cases, left_out, broken, .. } = suite;
        let suite = SuiteFacts { cases: cases.len() as u64, left_out: *left_out, broken: *broken, machines };
        KnownFaults { suite, faults: BTreeMap::new() }
    }

    /// The machines of the suite's cases.
    pub fn machines(&self) -> impl Iterator<Item = &'static MachineInfo> {
        self.suite.machines.iter().filter_map(|name| machines::by_name(name))
    }

    /// The number of broken files in the suite.
    pub fn broken(&self) -> u64 {
        self.suite.broken
    }

    /// The outcome of a fault; `None` if it has not been judged.
    pub fn judged(&self, fault: &PlantedFault) -> Option<&JudgedFault> {
        self.faults.get(&fault.to_string())
    }

    /// Those of the faults that have not been judged.
    pub fn missing(&self, faults: &[PlantedFault]) -> Vec<PlantedFault> {
        faults.iter().filter(|fault| self.judged(fault).is_none()).copied().collect()
    }

    /// Adds faults that have been judged.
    pub fn add(&mut self, judged: Vec<JudgedFault>) {
        self.faults.extend(judged.into_iter().map(|judged| (judged.fault.clone(), judged)));
    }

    /// The outcomes of these faults, without those that have not been judged.
    pub fn mutants(&self, faults: &[PlantedFault]) -> Mutants {
        let SuiteFacts { cases, left_out, .. } = self.suite;
        let faults = faults.iter().filter_map(|fault| self.judged(fault).cloned());
        Mutants { cases, left_out, faults: faults.collect() }
    }

    /// As text, for this program and suite.
    pub fn text(&self, program: &ProgramKey, suite: &SuiteKey) -> String {
        let faults = self.faults.values().map(one_line);
        let lines = std::iter::once(one_line(&self.suite)).chain(faults);
        FORMAT.write(&format_args!("{program} {suite}"), lines)
    }

    /// Reads what [`KnownFaults::text`] wrote. A text that is damaged or belongs to another program or suite is an
    /// error with the reason.
    pub fn read(text: &str, program: &ProgramKey, suite: &SuiteKey) -> Result<KnownFaults, String> {
        let lines = FORMAT.open(&format_args!("{program} {suite}"), text)?;
        let (suite, faults) = lines.split_once('\n').unwrap_or((lines, ""));
        let wrong = |error: serde_json::Error| error.to_string();
        let mut known =
            KnownFaults { suite: serde_json::from_str(suite).map_err(wrong)?, faults: BTreeMap::new() };
        let faults = faults.lines().map(|line| serde_json::from_str(line).map_err(wrong));
        known.add(faults.collect::<Result<_, _>>()?);
        Ok(known)
    }
}
