//! A line about a finished case.

use serde::{Deserialize, Serialize, Serializer};

use super::summary::{duration, rounded_seconds};
use crate::model::omission::is_default;
use crate::model::verdict;
use crate::model::{
    Breakdown, CaseId, CaseReport, ContentDigest, Diagnostic, DiagnosticPlace, Expected, ExpectedBits,
    Failure, FirstTry, KnownListing, Name, NotPassed, Path, Position, StateTable, Value, Verdict,
    VerdictKind, signature,
};
use crate::text::number::natural;
use crate::wire::name::start;
use crate::wire::value::actual;

/// A finished case. The verdict determines which members are present.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportedCase {
    /// The verdict.
    pub verdict: VerdictKind,
    /// The id, as `vmconf list` prints it.
    pub id: String,
    /// The file as it was named or found.
    pub file: String,
    /// The name in the file; `None` for the file as a whole.
    pub name: Option<String>,
    /// The format; `None` if not known.
    pub format: Option<Name>,
    /// The machine; `None` if not known.
    pub machine: Option<Name>,
    /// The line of the file where the case begins, from 1; `None` for the file as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The signature of the failure or error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Whether the verdict is from the cache.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cached: bool,
    /// The digest of the text of the file, and of the files that the case opens; omitted if it is that of the case
    /// before in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// How long the case took, in seconds; omitted if it did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The differences, for a case that fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differences: Option<Vec<ReportedDifference>>,
    /// How the machine ended, for a case that fails; empty if a machine of a family does not say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// How many instructions an embedded machine executed, for a case that fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// On a machine of a family, the state of the first step that fails, before and after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Box<StateTable>>,
    /// Why an entry in a list of known failures names the case but does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<String>,
    /// The entry that applies in a list of known failures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<KnownListing>,
    /// For a known failure, the verdict without the list; omitted if that is `fail`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unlisted: Option<VerdictKind>,
    /// The errors, for a broken case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<Problem>>,
    /// Why the case did not run, for a skipped or unsupported case; what happened to the testee, for a crash
    /// or time-out, and for a flaky case the first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the testee wrote to standard error, for a crash or time-out, and for a flaky case the first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// How long a flaky case took the first time, in seconds.
    #[serde(rename = "firstSeconds", skip_serializing_if = "Option::is_none")]
    pub first_seconds: Option<f64>,
    /// The position in the whole run, in the report of a part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
}

impl From<&CaseReport> for ReportedCase {
    fn from(
        CaseReport { id, format, machine, line, verdict, listed, cached, content, time }: &CaseReport,
    ) -> ReportedCase {
        let failure = verdict.failure();
        let difference = |it: &Failure| it.differences.iter().map(ReportedDifference::from).collect();
        let known = match verdict {
            Verdict::Known(_, listing) | Verdict::Fixed(listing) => Some(listing.clone()),
            _ => None,
        };
        let problems = match verdict {
            Verdict::Error(diagnostics) => Some(diagnostics.iter().map(Problem::from).collect()),
            _ => None,
        };
        ReportedCase {
            verdict: verdict.kind(),
            id: id.to_string(),
            file: id.file.to_string(),
            name: id.name.as_deref().map(str::to_owned),
            format: format.clone(),
            machine: machine.clone(),
            line: *line,
            signature: signature(machine.as_deref(), verdict),
            cached: *cached,
            content: content.as_ref().map(ToString::to_string),
            seconds: time.map(rounded_seconds),
            differences: failure.map(difference),
            ended: failure.map(|it| it.ended.clone()),
            instructions: failure.and_then(|it| it.instructions),
            state: failure.and_then(|it| it.state.clone()),
            listed: listed.clone(),
            known,
            unlisted: Some(verdict.unlisted_kind())
                .filter(|kind| verdict.kind() == VerdictKind::Known && *kind != VerdictKind::Fail),
            problems,
            reason: match verdict {
                Verdict::Skip(reason)
                | Verdict::Unsupported(reason)
                | Verdict::Known(NotPassed::Unsupported(reason), _) => Some(reason.clone()),
                _ => verdict.breakdown().map(|breakdown| breakdown.what.clone()),
            },
            stderr: verdict.breakdown().map(|breakdown| breakdown.stderr.clone()).filter(|it| !it.is_empty()),
            first_seconds: match verdict {
                Verdict::Flaky(first) => Some(rounded_seconds(first.time)),
                _ => None,
            },
            position: None,
        }
    }
}

/// The members of its line in a report.
impl Serialize for CaseReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ReportedCase::from(self).serialize(serializer)
    }
}

/// Ignores the signature, which follows from the other members.
impl TryFrom<ReportedCase> for CaseReport {
    type Error = String;

    fn try_from(mut case: ReportedCase) -> Result<CaseReport, String> {
        Ok(CaseReport {
            id: case_id(&case.id, &case.file, case.name.take())?,
            format: case.format.take(),
            machine: case.machine.take(),
            line: case.line,
            listed: case.listed.take(),
            cached: case.cached,
            content: case.content.take().map(|text| content(&text)).transpose()?,
            time: case.seconds.map(duration).transpose()?,
            verdict: case.verdict()?,
        })
    }
}

impl ReportedCase {
    fn verdict(mut self) -> Result<Verdict, String> {
        let listing = self.known.take().ok_or_else(|| self.lacks("known"));
        match (self.verdict, self.unlisted) {
            (VerdictKind::Fixed, _) => Ok(Verdict::Fixed(listing?)),
            (VerdictKind::Known, unlisted) => {
                let not_passed =
                    NotPassed::try_from(self.unlisted_verdict(unlisted.unwrap_or(VerdictKind::Fail))?);
                let not_passed =
                    not_passed.map_err(|other| format!("is of a case that is known to {}", other.name()))?;
                Ok(Verdict::Known(not_passed, listing?))
            }
            (kind, _) => self.unlisted_verdict(kind),
        }
    }

    /// The verdict without a list of known failures; `kind` is its kind.
    fn unlisted_verdict(self, kind: VerdictKind) -> Result<Verdict, String> {
        Ok(match kind {
            VerdictKind::Pass => Verdict::Pass,
            VerdictKind::Fail => Verdict::Fail(self.failure()?),
            VerdictKind::Skip => Verdict::Skip(self.reason()?),
            VerdictKind::Unsupported => Verdict::Unsupported(self.reason()?),
            VerdictKind::Crash => Verdict::Crash(self.breakdown()?),
            VerdictKind::Timeout => Verdict::Timeout(self.breakdown()?),
            VerdictKind::Flaky => {
                let lacks = self.lacks("firstSeconds");
                let time = duration(self.first_seconds.ok_or(lacks)?)?;
                Verdict::Flaky(FirstTry { breakdown: self.breakdown()?, time })
            }
            VerdictKind::Error => {
                let lacks = self.lacks("problems");
                let problems = self.problems.filter(|it| !it.is_empty()).ok_or(lacks)?;
                Verdict::Error(problems.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?)
            }
            VerdictKind::Known | VerdictKind::Fixed => {
                return Err(format!("has the verdict {} without a list", kind.name()));
            }
        })
    }

    fn failure(self) -> Result<Failure, String> {
        let [no_differences, no_end] = ["differences", "ended"].map(|name| self.lacks(name));
        let differences = self.differences.filter(|it| !it.is_empty()).ok_or(no_differences)?;
        let differences = differences.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?;
        let (instructions, state) = (self.instructions, self.state);
        Ok(Failure { differences, ended: self.ended.ok_or(no_end)?, instructions, state, first: None })
    }

    fn reason(self) -> Result<String, String> {
        let lacks = self.lacks("reason");
        self.reason.ok_or(lacks)
    }

    fn breakdown(mut self) -> Result<Breakdown, String> {
        let stderr = self.stderr.take().unwrap_or_default();
        Ok(Breakdown { what: self.reason()?, stderr })
    }

    fn lacks(&self, name: &str) -> String {
        format!("is of a case with the verdict {} and has no {name}", self.verdict.name())
    }
}

fn content(text: &str) -> Result<ContentDigest, String> {
    text.parse().map_err(|expected| format!("has the content {}; {expected}", start(text)))
}

/// The case id that is displayed as `id`.
pub(super) fn case_id(id: &str, file: &str, name: Option<String>) -> Result<CaseId, String> {
    let mut case = CaseId { file: file.into(), name: name.map(Into::into), nth: 1 };
    if case.to_string() != id {
        case.nth = id.rsplit_once('#').and_then(|(_, nth)| nth.parse().ok()).unwrap_or_default();
    }
    if case.to_string() == id {
        Ok(case)
    } else {
        Err(format!("{} is not an id of this file and name", start(id)))
    }
}

/// A datum that differs. Unlike a [`CaseDifference`](verdict::CaseDifference), it has the mask beside the expected
/// value, and only a line and a column as its place, since a report does not contain the text of the vector file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct ReportedDifference {
    /// The path of the datum.
    pub path: Path,
    /// The step after which it was compared, from 1; `None` if the case has only one step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// The value or condition that the vector demands.
    pub expected: Expected,
    /// The actual value; `None` when the machine has no such datum.
    #[serde(with = "actual")]
    pub actual: Option<Value>,
    /// The bits that are compared, as `0x` and hex digits; `None` if all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mask: Option<String>,
    /// The name of the datum in the program's source, or the rule that demands it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The line of the assertion, from 1.
    pub line: u32,
    /// The column of the assertion, in characters from 1.
    pub column: u32,
}

impl From<&verdict::CaseDifference> for ReportedDifference {
    fn from(difference: &verdict::CaseDifference) -> ReportedDifference {
        let verdict::CaseDifference { step, at, expected, actual, place, note } = difference.clone();
        let Position { line, column } = place.position;
        let (expected, mask) = match expected {
            Expected::Bits(bits) => (Expected::Is(bits.value), Some(format!("{:#x}", bits.mask))),
            other => (other, None),
        };
        ReportedDifference { path: at, step, expected, actual, mask, note, line, column }
    }
}

/// The place has no excerpt.
impl TryFrom<ReportedDifference> for verdict::CaseDifference {
    type Error = String;

    fn try_from(difference: ReportedDifference) -> Result<verdict::CaseDifference, String> {
        let ReportedDifference { path, step, expected, actual, mask, note, line, column } = difference;
        let expected = match (mask, expected) {
            (Some(mask), Expected::Is(value @ Value::Int(_))) => {
                let mask = natural(&mask).ok_or_else(|| format!("has the mask {}", start(&mask)))?;
                Expected::Bits(Box::new(ExpectedBits { value, mask }))
            }
            (_, expected) => expected,
        };
        Ok(verdict::CaseDifference { step, at: path, expected, actual, place: place(line, column)?, note })
    }
}

pub(super) fn place(line: u32, column: u32) -> Result<DiagnosticPlace, String> {
    if line == 0 || column == 0 {
        return Err("has a line or column 0; the first is 1".to_owned());
    }
    Ok(DiagnosticPlace { at: 0, position: Position { line, column }, excerpt: String::new(), before: 0 })
}

/// An error or a note. Unlike a [`Diagnostic`], it has no severity, which the line that contains it determines, no rule
/// and no edit, which only `vmconf check` writes, and only a line and a column as its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct Problem {
    /// The problem.
    pub message: String,
    /// What was expected instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The known name that a misspelled one is most similar to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// The line of the vector file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column, in characters from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

impl From<&Diagnostic> for Problem {
    fn from(diagnostic: &Diagnostic) -> Problem {
        let Diagnostic { what, expected, place, .. } = diagnostic;
        let position = place.as_ref().map(|place| place.position);
        Problem {
            message: what.clone(),
            expected: expected.clone(),
            suggestion: diagnostic.suggestion().map(str::to_owned),
            line: position.map(|it| it.line),
            column: position.map(|it| it.column),
        }
    }
}

/// The place has no excerpt.
impl TryFrom<Problem> for Diagnostic {
    type Error = String;

    fn try_from(problem: Problem) -> Result<Diagnostic, String> {
        let Problem { message, expected, suggestion, line, column } = problem;
        let place = match (line, column) {
            (Some(line), Some(column)) => Some(place(line, column)?),
            (None, None) => None,
            _ => return Err("has a line without a column, or a column without a line".to_owned()),
        };
        let diagnostic = Diagnostic::new(message).with_place(place);
        let mut diagnostic = diagnostic.suggest(suggestion.as_deref());
        diagnostic.expected = expected;
        Ok(diagnostic)
    }
}
