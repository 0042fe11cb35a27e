//! Updates a list of expected failures from a run: entries that no longer fail are removed, and signatures
//! are replaced. Entries are added only on request. Everything else keeps its bytes, including comments.

use std::collections::BTreeSet;

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use super::{ExpectedFailure, ExpectedFailures};
use crate::model::case_report::CaseReport;
use crate::model::signature::signature;
use crate::model::verdict::Verdict;

/// Whether to add failures that are not listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Accepted {
    /// Add no entries.
    Nothing,
    /// Add all of them, with this reason.
    All(String),
}

/// What to do with entries of cases that no longer exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unseen {
    /// Keep them.
    Keep,
    /// Remove them.
    Prune,
}

/// What to change in addition to entries of cases that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Whether to add failures that are not listed.
    pub accepted: Accepted,
    /// What to do with entries of cases that no longer exist.
    pub unseen: Unseen,
}

/// The updated list, and a line for each change.
#[derive(Debug)]
pub struct Updated {
    /// The text.
    pub text: String,
    /// What was changed.
    pub changes: Vec<String>,
    /// A line for each entry that is kept although some of its cases pass, which a run reports as fixed.
    pub fixed: Vec<String>,
    /// How many entries are kept although none of their cases ran.
    pub unseen: usize,
}

/// The results of the cases that match an entry.
#[derive(Default)]
struct SeenFailures {
    /// Whether any case ran.
    ran: bool,
    /// How many cases passed, and the first of them.
    passed: usize,
    first_passed: Option<String>,
    /// How many cases do not pass as the entry says, or as the first entry that matches them.
    fails: usize,
    broken: usize,
    signatures: BTreeSet<String>,
    /// Another entry that applies to a case which does not pass.
    other: Option<usize>,
}

impl SeenFailures {
    /// Whether all cases that ran passed.
    fn all_passed(&self) -> bool {
        self.ran && self.fails + self.broken == 0 && self.other.is_none()
    }

    /// Another entry that applies to all cases which do not pass, and accepts the same as this one.
    fn same_elsewhere(&self, entry: &ExpectedFailure, list: &ExpectedFailures) -> Option<usize> {
        let other = self.other.filter(|_| self.fails + self.broken == 0)?;
        (list.entries[other].signature == entry.signature).then_some(other)
    }
}

/// Updates `text`, from which `list` was read, from a run without the list. `elsewhere` are the entries that
/// match existing cases which did not run: [`super::elsewhere::elsewhere`].
///
/// # Errors
///
/// When the TOML parser rejects the text, with its message; never for a text that [`ExpectedFailures::parse`]
/// accepts.
pub fn update(
    list: &ExpectedFailures,
    text: &str,
    run: &[CaseReport],
    elsewhere: &BTreeSet<usize>,
    policy: &Policy,
) -> Result<Updated, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let (mut changes, mut unseen) = (Vec::new(), 0);
    let tables = document.entry("known").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    let tables = tables.as_array_of_tables_mut().ok_or("known must be tables")?;
    let (seen, unlisted) = look(list, run);
    for (number, (entry, seen)) in list.entries.iter().zip(&seen).enumerate().rev() {
        let exists = seen.ran || elsewhere.contains(&number);
        if !exists && policy.unseen == Unseen::Prune {
            remove(tables, number);
            changes.push(format!("removed {}: no such case exists", entry.id));
        } else if !seen.ran {
            unseen += 1;
        } else if seen.all_passed() && !elsewhere.contains(&number) {
            remove(tables, number);
            changes.push(format!("removed {}: it no longer fails", entry.id));
        } else if let Some(other) = seen.same_elsewhere(entry, list).filter(|_| !elsewhere.contains(&number))
        {
            remove(tables, number);
            changes.push(format!("removed {}: {} covers it", entry.id, list.entries[other].id));
        } else if let (Some(old), Some(new)) = (&entry.signature, seen.signatures.first())
            && seen.signatures.len() == 1
            && old != new
        {
            if let Some(signature) = tables.get_mut(number).and_then(|table| table.get_mut("signature")) {
                set_text(signature, new);
            }
            changes.push(format!("updated {}: {new}", entry.id));
        }
    }
    changes.reverse();
    let fixed = list.entries.iter().zip(&seen).filter_map(|(entry, seen)| also_passes(entry, seen)).collect();
    if let Accepted::All(reason) = &policy.accepted {
        for report in unlisted {
            tables.push(entry(report, reason));
            changes.push(format!("added {}", report.id));
        }
    }
    Ok(Updated { text: document.to_string(), changes, fixed, unseen })
}

/// A line for an entry of which some cases pass and others do not.
fn also_passes(entry: &ExpectedFailure, seen: &SeenFailures) -> Option<String> {
    let first = seen.first_passed.as_ref().filter(|_| !seen.all_passed())?;
    let what = match seen.passed {
        1 => format!("{first} is fixed"),
        count => format!("{count} of its cases are fixed, such as {first}"),
    };
    Some(format!("kept {}: {what}; list only the cases that fail", entry.id))
}

/// Removes an entry with the comment directly before it; a comment that an empty line separates from it
/// stays.
fn remove(list: &mut ArrayOfTables, number: usize) {
    let mut removed = list.remove(number);
    let prefix = prefix(&mut removed);
    let kept = prefix.rfind("\n\n").map_or("", |end| &prefix[..end]);
    if let Some(next) = list.get_mut(number).filter(|_| !kept.is_empty()) {
        let with = format!("{kept}\n{}", self::prefix(next));
        next.decor_mut().set_prefix(with);
    }
}

fn prefix(table: &mut Table) -> String {
    table.decor_mut().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned()
}

/// The results for each entry, and the failures, crashes and time-outs that no entry matches. As in a run, the
/// first entry that matches a case and accepts how it does not pass applies.
fn look<'r>(list: &ExpectedFailures, run: &'r [CaseReport]) -> (Vec<SeenFailures>, Vec<&'r CaseReport>) {
    let mut seen: Vec<SeenFailures> = list.entries.iter().map(|_| SeenFailures::default()).collect();
    let mut unlisted = Vec::new();
    for report in run {
        let applying = list.applying(report);
        for number in list.matching(&report.id) {
            seen[number].ran = true;
            seen[number].other = seen[number].other.or(applying.filter(|other| *other != number));
        }
        match (&report.verdict, applying.or_else(|| list.matching(&report.id).next())) {
            (
                Verdict::Fail(_) | Verdict::Crash(_) | Verdict::Timeout(_) | Verdict::Unsupported(_),
                Some(number),
            ) => {
                seen[number].fails += 1;
                seen[number].signatures.extend(signature(report.machine.as_deref(), &report.verdict));
            }
            (Verdict::Fail(_) | Verdict::Crash(_) | Verdict::Timeout(_), None) => unlisted.push(report),
            (Verdict::Pass, Some(number)) => {
                seen[number].passed += 1;
                seen[number].first_passed.get_or_insert_with(|| report.id.to_string());
            }
            (_, None) => {}
            // A broken case neither confirms nor refutes an entry.
            (_, Some(number)) => seen[number].broken += 1,
        }
    }
    (seen, unlisted)
}

fn entry(report: &CaseReport, reason: &str) -> Table {
    let mut table = Table::new();
    table.insert("id", value(report.id.to_string()));
    if let Some(signature) = signature(report.machine.as_deref(), &report.verdict) {
        table.insert("signature", value(signature));
    }
    table.insert("reason", value(reason));
    table
}

/// Replaces a text and keeps the formatting around it.
fn set_text(item: &mut Item, text: &str) {
    let decor = item.as_value().map(|value| value.decor().clone());
    *item = value(text);
    if let (Some(decor), Some(value)) = (decor, item.as_value_mut()) {
        *value.decor_mut() = decor;
    }
}
