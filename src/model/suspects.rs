//! Which few instructions explain all failures of a run. As JSON, `schemas/suspects.schema.json` describes it.

use std::cmp::Reverse;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize, Serializer};

use super::omission::is_default;

/// The maximum number of failures that a run explains by instructions, since their cases are kept until it ends.
pub const MAX_FAILURES: usize = 5_000;

/// What the record of a run has as the suspect of a failing case that no suspect explains, if others are explained.
pub const UNEXPLAINED: &str = "not explained";

/// What explains the failures of a run. Each case that fails is in one suspect, in `doubtful` or in `unexplained`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SuspectAnalysis {
    /// How many cases fail.
    pub failures: u64,
    /// How many pass.
    pub passing: u64,
    /// The instructions that explain failures, those with most cases first.
    pub suspects: Vec<Suspect>,
    /// The next most likely instructions, which the failures do not need.
    pub others: Vec<SuspectName>,
    /// Cases whose vector is probably wrong.
    pub doubtful: Vec<DoubtfulCase>,
    /// The ids of the failing cases that no instruction explains.
    pub unexplained: Vec<String>,
    /// What differs in these cases, that of most cases first; empty in the report of a run, which has each failure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differing: Vec<UnexplainedCases>,
    /// The instructions that failing cases execute and no passing case does.
    pub uncleared: Vec<SuspectName>,
    /// Whether enough cases pass to compare the failing ones with. Otherwise there are no suspects.
    #[serde(default = "enough")]
    pub is_comparable: bool,
}

fn enough() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn rounded<S: Serializer>(score: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((score * 1000.0).round() / 1000.0)
}

impl Default for SuspectAnalysis {
    /// The analysis of no cases.
    fn default() -> SuspectAnalysis {
        SuspectAnalysis {
            failures: 0,
            passing: 0,
            suspects: Vec::new(),
            others: Vec::new(),
            doubtful: Vec::new(),
            unexplained: Vec::new(),
            differing: Vec::new(),
            uncleared: Vec::new(),
            is_comparable: true,
        }
    }
}

/// An instruction of a machine, or something else that its cases have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SuspectName {
    /// The machine.
    pub machine: String,
    /// The mnemonic, or what else cases have in common: [`SuspectName::is_no_instruction`].
    pub op: String,
}

/// An instruction that explains failures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suspect {
    /// The instruction.
    #[serde(flatten)]
    pub name: SuspectName,
    /// How well it explains which cases fail and which pass: 1 if exactly the cases that execute it fail.
    #[serde(serialize_with = "rounded")]
    pub score: f64,
    /// The ids of the failing cases that it explains, those with the fewest instructions first.
    pub cases: Vec<String>,
    /// How many of these execute no other suspect.
    pub alone: u64,
    /// In how many of these the machine first differs from the embedded one after it, as its steps say.
    #[serde(default, skip_serializing_if = "is_default")]
    pub diverging: u64,
    /// How many failing cases execute it.
    pub failing: u64,
    /// How many passing cases execute it.
    pub passing: u64,
    /// What separates the failing cases that execute it from the passing ones; `None` if nothing does better than the
    /// instruction itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<SeparatingCondition>,
    /// The id of the shortest failing case that it explains and that executes no other suspect, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
}

/// What separates the failing cases that execute an instruction from the passing ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeparatingCondition {
    /// What they do with it: `any operand: negative`.
    pub what: String,
    /// How many failing cases do this.
    pub failing: u64,
    /// How many passing cases do this.
    pub passing: u64,
}

/// Failing cases that no instruction explains, and in which the same differs first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnexplainedCases {
    /// What differs, as the signature of a report.
    pub signature: String,
    /// How many cases.
    pub cases: u64,
    /// The id of the first one.
    pub example: String,
}

/// A case whose vector is probably wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoubtfulCase {
    /// Its id.
    pub id: String,
    /// Why the vector is probably wrong.
    pub why: String,
}

impl SuspectName {
    /// Whether it is something else that cases have in common: a reason for which several instructions fail, bytes that
    /// are no instruction, what is special about a transaction; on a machine without known instructions, their file or a
    /// word of their names.
    pub fn is_no_instruction(&self) -> bool {
        self.op.contains(' ')
    }
}

impl Suspect {
    /// The id of the case that stands for all that it explains: the shortest one without another suspect, if any.
    pub fn representative(&self) -> Option<&String> {
        self.example.as_ref().or(self.cases.first())
    }
}

impl SuspectAnalysis {
    /// Adds what differs in the cases that no instruction explains, which have these signatures.
    pub fn add_differing<'s>(&mut self, signature_of: impl Fn(&str) -> Option<&'s str>) {
        let mut groups: IndexMap<&str, UnexplainedCases> = IndexMap::new();
        for id in &self.unexplained {
            let Some(signature) = signature_of(id) else { continue };
            let first =
                || UnexplainedCases { signature: signature.to_owned(), cases: 0, example: id.clone() };
            groups.entry(signature).or_insert_with(first).cases += 1;
        }
        self.differing = groups.into_values().collect();
        self.differing.sort_by_key(|group| Reverse(group.cases));
    }

    /// The suspect that explains this case.
    pub fn of_case(&self, id: &str) -> Option<&Suspect> {
        self.suspects.iter().find(|suspect| suspect.cases.iter().any(|case| case == id))
    }
}
