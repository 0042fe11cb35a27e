//! Cases that fail or are broken, grouped by cause.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::ops::Range;

use indexmap::IndexMap;
use indexmap::map::Entry;

use super::case_block::case;
use super::kind::{Grouping, ReportOptions};
use super::spool::Spool;
use super::suspects::{head, heading};
use crate::model::suspects::{MAX_FAILURES, UNEXPLAINED};
use crate::model::{
    CaseDifference, CaseOutcome, CaseReport, Failure, SuspectAnalysis, SuspectName, VerdictKind,
};
use crate::text::shell::quoted;

/// The expression for the cases of a cause.
pub fn of_cause(cause: &str) -> String {
    let escaped = cause.replace('\\', "\\\\").replace('"', "\\\"");
    format!("cause(\"{escaped}\")")
}

/// The maximum number of other cases that a command names. To show more, it selects the cause.
const NAMED: usize = 3;

/// The maximum number of fields that the heading of a group names.
const MAX_FIELDS: usize = 8;

/// The maximum length of the list of names in a command, in bytes.
const MAX_LENGTH: usize = 200;

/// Groups in the order of their first cases; with suspects, first those of the suspects, the largest first.
pub(super) struct FailureGroups {
    options: ReportOptions,
    groups: IndexMap<String, FailureGroup>,
    /// The first cases that do not pass, to be grouped by suspects.
    cases: Vec<GroupedCase>,
    /// The texts of these cases.
    blocks: Spool,
    analysis: Option<Box<SuspectAnalysis>>,
}

/// A case that does not pass.
struct GroupedCase {
    id: String,
    /// The index of the group of its cause.
    cause: usize,
    instructions: u64,
    /// Whether a state differs, rather than that the machine broke down or the vector is broken.
    differs: bool,
    /// The fields that differ, on a machine of a family.
    fields: Vec<String>,
    /// Where its text is.
    block: Range<u64>,
}

/// Cases that do not pass, with the same cause, and the same suspect if there are any.
pub(super) struct FailureGroup {
    /// The verdict on the first of them.
    kind: VerdictKind,
    /// The instruction that explains them.
    pub(super) suspect: Option<SuspectName>,
    /// Whether no suspect explains them, and suspects explain other groups.
    is_unexplained: bool,
    /// Their cause, or the id of a case that is not grouped.
    pub(super) cause: String,
    /// The number of cases.
    pub(super) count: usize,
    /// The text of the simplest of the cases, with colours: the one that executes the fewest instructions or, failing
    /// that, has the shortest text.
    pub(super) block: Vec<u8>,
    /// How many of its cases differ in each field, if they are grouped by what they have in common.
    fields: IndexMap<String, usize>,
    /// How many instructions that case executes.
    instructions: u64,
    /// The id of the case with that text.
    shown: String,
    /// The ids of the first cases, which may include `shown`.
    first: Vec<String>,
}

impl FailureGroups {
    /// Creates an empty collection.
    pub(super) fn new(options: &ReportOptions) -> FailureGroups {
        FailureGroups {
            options: options.clone(),
            groups: IndexMap::new(),
            cases: Vec::new(),
            blocks: Spool::default(),
            analysis: None,
        }
    }

    /// Adds a case, unless it passed, failed as expected, or did not run. Fails when its text cannot be kept.
    pub(super) fn add(&mut self, report: &CaseReport) -> io::Result<()> {
        let Some(cause) = report.group() else { return Ok(()) };
        let id = report.id.to_string();
        let cause = match self.options.grouping {
            Grouping::BySuspect | Grouping::ByCause => cause,
            Grouping::None => id.clone(),
        };
        let failure = report.verdict.failure();
        let instructions = failure.and_then(|failure| failure.instructions).unwrap_or(u64::MAX);
        let mut block = Vec::new();
        case(&mut block, report, &self.options.flags)?;
        // Listed cases are grouped by why the list does not apply, too, so that each reason is shown.
        let key = report.listed.as_ref().map_or_else(|| cause.clone(), |listed| format!("{cause}\n{listed}"));
        let entry = self.groups.entry(key);
        if self.options.grouping == Grouping::BySuspect && self.cases.len() <= MAX_FAILURES {
            let start = self.blocks.length();
            self.blocks.write_all(&block)?;
            let block = start..self.blocks.length();
            let differs = failure.is_some();
            let fields = failure.map_or_else(Vec::new, fields);
            let cause = entry.index();
            self.cases.push(GroupedCase { id: id.clone(), cause, instructions, differs, fields, block });
        }
        match entry {
            Entry::Occupied(mut known) => known.get_mut().add(id, block, instructions),
            Entry::Vacant(place) => {
                let kind = report.verdict.kind();
                place.insert(FailureGroup::new(kind, None, &cause, id, block, instructions));
            }
        }
        Ok(())
    }

    /// Groups the cases by the instructions that explain them. Fails when their texts cannot be read.
    pub(super) fn explain(&mut self, analysis: &SuspectAnalysis) -> io::Result<()> {
        if self.options.grouping != Grouping::BySuspect || self.cases.len() > MAX_FAILURES {
            return Ok(());
        }
        let mut explained: HashMap<&str, usize> = HashMap::new();
        for (number, suspect) in analysis.suspects.iter().enumerate() {
            explained.extend(suspect.cases.iter().map(|id| (&**id, number)));
        }
        let mut groups: IndexMap<(usize, String), FailureGroup> = IndexMap::new();
        let mut blocks = self.blocks.reader()?;
        for GroupedCase { id, cause, instructions, differs, fields, block } in self.cases.drain(..) {
            let mut text = Vec::new();
            blocks.by_ref().take(block.end - block.start).read_to_end(&mut text)?;
            let number = explained.get(&*id).copied().unwrap_or(usize::MAX);
            let suspect = analysis.suspects.get(number);
            // The case that all reports show for the suspect.
            let is_representative = suspect.is_some_and(|suspect| suspect.representative() == Some(&id));
            let instructions = if is_representative { 0 } else { instructions };
            // What cases without known instructions have in common says more than the first datum that differs; how a
            // machine broke down says more.
            let common = suspect.filter(|suspect| differs && suspect.name.is_no_instruction());
            let in_common = common.map(|it| of_cause(&it.name.op));
            let Some((key, group)) = self.groups.get_index(cause) else { continue };
            let kind = group.kind;
            let key = in_common.clone().unwrap_or_else(|| key.clone());
            let cause = in_common.unwrap_or_else(|| group.cause.clone());
            let entry = groups.entry((number, key));
            let index = entry.index();
            match entry {
                Entry::Occupied(mut known) => known.get_mut().add(id, text, instructions),
                Entry::Vacant(place) => {
                    let name = suspect.map(|suspect| suspect.name.clone());
                    let mut group = FailureGroup::new(kind, name, &cause, id, text, instructions);
                    // Broken cases are not analysed.
                    let is_analysed = kind.outcome() == Some(CaseOutcome::Fails);
                    group.is_unexplained = is_analysed && suspect.is_none() && !analysis.suspects.is_empty();
                    place.insert(group);
                }
            }
            if common.is_some() {
                for field in fields {
                    *groups[index].fields.entry(field).or_default() += 1;
                }
            }
        }
        drop(blocks);
        // A stable sort: groups without a suspect stay in the order of their first cases.
        groups.sort_by(|(number, _), group, (other, _), other_group| {
            let is_explained = group.suspect.is_some() && other_group.suspect.is_some();
            let larger_first =
                if is_explained { other_group.count.cmp(&group.count) } else { Ordering::Equal };
            number.cmp(other).then(larger_first)
        });
        // Cases of the groups have different keys, so that none is lost.
        self.groups =
            groups.into_iter().map(|((number, cause), group)| (format!("{number} {cause}"), group)).collect();
        self.analysis = Some(Box::new(analysis.clone()));
        Ok(())
    }

    /// What explains the failures, in a line; `None` without suspects.
    pub(super) fn head(&self) -> Option<String> {
        self.analysis.as_deref().map(head)
    }

    /// What speaks for the suspect of a group, in a line, if the group is the first one of the suspect; or that no
    /// suspect explains the groups from here on.
    pub(super) fn heading(&self, at: usize) -> Option<String> {
        let before = at.checked_sub(1).and_then(|before| self.groups[before].suspect.as_ref());
        let suspects = &self.analysis.as_deref()?.suspects;
        let Some(suspect) = self.groups[at].suspect.as_ref() else {
            return before.map(|_| "not explained by a suspect:".to_owned());
        };
        suspects.iter().find(|it| it.name == *suspect && before != Some(suspect)).map(heading)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &FailureGroup> {
        self.groups.values()
    }
}

/// The fields of the state that differ, on a machine of a family.
fn fields(failure: &Failure) -> Vec<String> {
    let mut fields = Vec::new();
    for difference in failure.differences.iter().filter(|_| failure.is_of_family()) {
        let field = flag(difference).unwrap_or_else(|| difference.at.first().to_string());
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    fields
}

/// The only flag that differs in a field, as `C of f`, by the note of the difference: `C clear, must be set`.
fn flag(CaseDifference { at, note, .. }: &CaseDifference) -> Option<String> {
    let (flag, rest) = note.as_ref().filter(|_| at.parent().is_none())?.split_once(' ')?;
    let is_flag = ["set, must be clear", "clear, must be set"].contains(&rest);
    is_flag.then(|| format!("{flag} of {at}"))
}

impl FailureGroup {
    fn new(
        kind: VerdictKind,
        suspect: Option<SuspectName>,
        cause: &str,
        id: String,
        block: Vec<u8>,
        instructions: u64,
    ) -> FailureGroup {
        let first = vec![id.clone()];
        let (cause, fields) = (cause.to_owned(), IndexMap::new());
        FailureGroup {
            kind,
            suspect,
            is_unexplained: false,
            cause,
            count: 1,
            block,
            fields,
            instructions,
            shown: id,
            first,
        }
    }

    fn add(&mut self, id: String, block: Vec<u8>, instructions: u64) {
        self.count += 1;
        if self.first.len() <= NAMED {
            self.first.push(id.clone());
        }
        if (instructions, block.len()) < (self.instructions, self.block.len()) {
            (self.instructions, self.block, self.shown) = (instructions, block, id);
        }
    }

    /// How many cases differ in each field, in a line; `None` if the cases do not have a suspect other than an
    /// instruction.
    pub(super) fn fields(&self) -> Option<String> {
        let mut fields: Vec<_> = self.fields.iter().collect();
        fields.sort_by_key(|field| Reverse(field.1));
        let more = fields.len().saturating_sub(MAX_FIELDS);
        let named = fields.into_iter().take(MAX_FIELDS).map(|(field, count)| format!("{field} ({count})"));
        let more = (more > 0).then(|| format!("{more} more"));
        let named: Vec<_> = named.chain(more).collect();
        (!named.is_empty()).then(|| format!("differ in {}", named.join(", ")))
    }

    /// Whether the suspect, which is no instruction, is what the cases have in common.
    fn has_in_common(&self, suspect: &SuspectName) -> bool {
        suspect.is_no_instruction() && self.cause == of_cause(&suspect.op)
    }

    /// The suspect and the cause, in a line.
    pub(super) fn title(&self) -> String {
        match &self.suspect {
            None => self.cause.clone(),
            Some(suspect) if self.has_in_common(suspect) => {
                let fields = self.fields().map_or(String::new(), |fields| format!(": {fields}"));
                format!("{}{fields}", suspect.op)
            }
            Some(suspect) => format!("{}: {}", suspect.op, self.cause),
        }
    }

    /// The command that shows the other cases: by name if they are few, otherwise all with this cause that the suspect
    /// explains, or that none explains, or all that were flaky. `None` if they pass: `-v` prints each.
    pub(super) fn command(&self, options: &ReportOptions) -> Option<String> {
        if self.kind == VerdictKind::Fixed {
            return None;
        }
        let others = self.first.iter().filter(|id| **id != self.shown);
        let names: Vec<_> = others.map(|id| quoted(id)).collect();
        let names = names.join(" ");
        if self.count <= NAMED + 1 && names.len() <= MAX_LENGTH {
            return Some(format!("vmconf diff {names}{}", options.flags));
        }
        let expression = match &self.suspect {
            // A flaky case may pass when `cause` executes it again.
            _ if self.kind == VerdictKind::Flaky => format!("verdict({})", self.kind.name()),
            // The last run knows which cases a suspect explains: others may execute it, too.
            Some(suspect) if self.has_in_common(suspect) => of_cause(&suspect.op),
            Some(suspect) => format!("{} and {}", of_cause(&suspect.op), of_cause(&self.cause)),
            None if self.is_unexplained => format!("{} and {}", of_cause(UNEXPLAINED), of_cause(&self.cause)),
            None => of_cause(&self.cause),
        };
        let selection = options.selection.clone().narrowed(&expression);
        Some(format!("vmconf run{selection}{} --no-group", options.flags))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DiagnosticPlace, Expected, Path, Position, Value};

    /// The note of a difference in a field with named bits has each bit that differs.
    #[test]
    fn a_single_flag_that_differs_is_named() {
        let place = DiagnosticPlace {
            at: 0,
            position: Position { line: 1, column: 1 },
            excerpt: String::new(),
            before: 0,
        };
        let flag = |at: Path, note: Option<&str>| {
            flag(&CaseDifference {
                step: None,
                at,
                expected: Expected::Is(Value::int(1)),
                actual: Some(Value::int(0)),
                place: place.clone(),
                note: note.map(str::to_owned),
            })
        };
        let f = || Path::field("f");
        assert_eq!(flag(f(), Some("C clear, must be set")).as_deref(), Some("C of f"));
        assert_eq!(flag(f(), Some("PV set, must be clear")).as_deref(), Some("PV of f"));
        for several in ["Z, C clear, must be set", "Z set, must be clear; C clear, must be set"] {
            assert_eq!(flag(f(), Some(several)), None, "{several}");
        }
        assert_eq!(flag(f(), None), None);
        assert_eq!(flag(f().child("x"), Some("C clear, must be set")), None);
    }
}
