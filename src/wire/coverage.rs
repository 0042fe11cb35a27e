//! What cases do with instructions: the JSON of `vmconf coverage --output json`, described by
//! `schemas/coverage.schema.json`.

use num_bigint::BigInt;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The coverage of each machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageReport {
    /// The number of cases that are not used, because they cannot be read or do not pass.
    pub left_out: u64,
    /// The machines.
    pub machines: Vec<MachineCoverage>,
    /// The machines of families, which have no instructions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub families: Vec<FamilyCoverage>,
}

/// What the cases of a family give to its machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FamilyCoverage {
    /// The name of the machine.
    pub machine: String,
    /// The files with its cases.
    pub files: Vec<CoveredFile>,
    /// What a machine is given, in the order of the declaration.
    pub fields: Vec<CoveredField>,
}

/// A file with cases of a family.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveredFile {
    /// The file.
    pub file: String,
    /// The number of its cases.
    pub cases: u64,
}

/// A field, and what cases give to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveredField {
    /// Its name.
    pub name: String,
    /// Its type, in the notation of declarations.
    #[serde(rename = "type")]
    pub notation: String,
    /// How many cases give it.
    pub cases: u64,
    /// How many different numbers they give; 0 for a field that is no number.
    pub values: u64,
    /// Whether there are more than that, which were not counted separately.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_more: bool,
    /// How many numbers the field can have; `None` if these are many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub possible: Option<u64>,
    /// The least number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<Json>,
    /// The largest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<Json>,
    /// The named bits, the highest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<CoveredFlag>,
}

/// A number of a field: of more than 64 bits as a string of `0x` and hex digits, after a minus if it is below 0.
pub fn covered_number(number: &BigInt) -> Json {
    let signed = i64::try_from(number).map(Json::from);
    signed
        .or_else(|_| u64::try_from(number).map(Json::from))
        .unwrap_or_else(|_| format!("{number:#x}").into())
}

/// A number of [`covered_number`] in hex, for people.
pub fn shown_number(number: &Json) -> String {
    match (number.as_i64(), number.as_u64(), number.as_str()) {
        (Some(signed), ..) => format!("{:#x}", BigInt::from(signed)),
        (_, Some(unsigned), _) => format!("{unsigned:#x}"),
        (.., text) => text.unwrap_or_default().to_owned(),
    }
}

/// A named bit of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveredFlag {
    /// Its name.
    pub name: String,
    /// How many cases set it.
    pub set: u64,
    /// How many cases clear it.
    pub clear: u64,
}

/// What cases do with the instructions of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineCoverage {
    /// Its name.
    pub machine: String,
    /// The number of its cases.
    pub cases: u64,
    /// Its instructions, in the order of their codes.
    pub instructions: Vec<CoveredInstruction>,
}

/// What cases do with an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveredInstruction {
    /// Its mnemonic.
    pub name: String,
    /// What it does.
    pub doc: String,
    /// What cases do with it.
    pub aspects: Vec<Aspect>,
}

/// Something that cases do with an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aspect {
    /// What they do: `executed`, `height: exact`, `a: 2^64`, `taken`, `fails: out of gas`.
    pub what: String,
    /// How many cases do this.
    pub cases: u64,
}

impl CoveredInstruction {
    /// How many cases execute it.
    pub fn executed(&self) -> u64 {
        self.aspects.iter().find(|aspect| aspect.what == "executed").map_or(0, |aspect| aspect.cases)
    }
}
