//! Which instructions explain the failures of a run: the JSON of `vmconf suspects --output json`, described by
//! `schemas/suspects.schema.json`.

use serde::{Deserialize, Serialize};

use crate::model::suspects::{DoubtfulCase, SeparatingCondition, Suspect, SuspectAnalysis, SuspectName};

/// What explains the failures of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SuspectsReport {
    /// How many cases fail.
    pub failures: u64,
    /// How many pass.
    pub passing: u64,
    /// The instructions that explain failures, those with most cases first.
    pub suspects: Vec<WireSuspect>,
    /// The next most likely instructions.
    pub others: Vec<WireSuspectName>,
    /// Cases in which rather the vector is wrong.
    pub doubtful: Vec<WireDoubtfulCase>,
    /// The ids of the failing cases that no instruction explains.
    pub unexplained: Vec<String>,
    /// The instructions that failing cases execute and no passing case does.
    pub uncleared: Vec<WireSuspectName>,
    /// Whether enough cases pass to compare the failing ones with; without it, they are.
    #[serde(default = "enough")]
    pub is_comparable: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn enough() -> bool {
    true
}

/// An instruction of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireSuspectName {
    /// The machine.
    pub machine: String,
    /// The mnemonic.
    pub op: String,
}

/// An instruction that explains failures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WireSuspect {
    /// The machine.
    pub machine: String,
    /// The mnemonic.
    pub op: String,
    /// From 0 to 1.
    pub score: f64,
    /// The ids of the failing cases that it explains, the shortest first.
    pub cases: Vec<String>,
    /// How many of these execute no other suspect.
    pub alone: u64,
    /// In how many of these the machine first differs after it, as its steps say.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub diverging: u64,
    /// How many failing cases execute it.
    pub failing: u64,
    /// How many passing cases execute it.
    pub passing: u64,
    /// What separates failing from passing cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<WireCondition>,
    /// The id of the shortest failing case without another suspect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
}

/// What separates the failing cases that execute an instruction from the passing ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireCondition {
    /// What they do with it.
    pub what: String,
    /// How many failing cases do this.
    pub failing: u64,
    /// How many passing cases do this.
    pub passing: u64,
}

/// A case in which rather the vector is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireDoubtfulCase {
    /// Its id.
    pub id: String,
    /// Why.
    pub why: String,
}

impl From<&SuspectName> for WireSuspectName {
    fn from(SuspectName { machine, op }: &SuspectName) -> WireSuspectName {
        WireSuspectName { machine: machine.clone(), op: op.clone() }
    }
}

impl From<&Suspect> for WireSuspect {
    fn from(suspect: &Suspect) -> WireSuspect {
        let Suspect { name, score, cases, alone, diverging, failing, passing, condition, example } = suspect;
        let WireSuspectName { machine, op } = name.into();
        let condition = condition.as_ref().map(|SeparatingCondition { what, failing, passing }| {
            WireCondition { what: what.clone(), failing: *failing, passing: *passing }
        });
        WireSuspect {
            machine,
            op,
            score: (score * 1000.0).round() / 1000.0,
            cases: cases.clone(),
            alone: *alone,
            diverging: *diverging,
            failing: *failing,
            passing: *passing,
            condition,
            example: example.clone(),
        }
    }
}

impl From<&DoubtfulCase> for WireDoubtfulCase {
    fn from(DoubtfulCase { id, why }: &DoubtfulCase) -> WireDoubtfulCase {
        WireDoubtfulCase { id: id.clone(), why: why.clone() }
    }
}

impl From<&SuspectAnalysis> for SuspectsReport {
    fn from(analysis: &SuspectAnalysis) -> SuspectsReport {
        let SuspectAnalysis {
            failures,
            passing,
            suspects,
            others,
            doubtful,
            unexplained,
            uncleared,
            is_comparable,
        } = analysis;
        SuspectsReport {
            failures: *failures,
            passing: *passing,
            suspects: suspects.iter().map(Into::into).collect(),
            others: others.iter().map(Into::into).collect(),
            doubtful: doubtful.iter().map(Into::into).collect(),
            unexplained: unexplained.clone(),
            uncleared: uncleared.iter().map(Into::into).collect(),
            is_comparable: *is_comparable,
        }
    }
}

impl From<WireSuspectName> for SuspectName {
    fn from(WireSuspectName { machine, op }: WireSuspectName) -> SuspectName {
        SuspectName { machine, op }
    }
}

impl From<WireSuspect> for Suspect {
    fn from(suspect: WireSuspect) -> Suspect {
        let WireSuspect { machine, op, score, cases, alone, diverging, failing, passing, condition, example } =
            suspect;
        let condition = condition.map(|WireCondition { what, failing, passing }| SeparatingCondition {
            what,
            failing,
            passing,
        });
        let name = SuspectName { machine, op };
        Suspect { name, score, cases, alone, diverging, failing, passing, condition, example }
    }
}

impl From<WireDoubtfulCase> for DoubtfulCase {
    fn from(WireDoubtfulCase { id, why }: WireDoubtfulCase) -> DoubtfulCase {
        DoubtfulCase { id, why }
    }
}

impl From<SuspectsReport> for SuspectAnalysis {
    fn from(report: SuspectsReport) -> SuspectAnalysis {
        let SuspectsReport {
            failures,
            passing,
            suspects,
            others,
            doubtful,
            unexplained,
            uncleared,
            is_comparable,
        } = report;
        SuspectAnalysis {
            failures,
            passing,
            suspects: suspects.into_iter().map(Into::into).collect(),
            others: others.into_iter().map(Into::into).collect(),
            doubtful: doubtful.into_iter().map(Into::into).collect(),
            unexplained,
            uncleared: uncleared.into_iter().map(Into::into).collect(),
            is_comparable,
        }
    }
}
