//! Updates a list of known failures from a run: entries that no longer fail are removed, and signatures
//! are replaced. Entries are added only on request. Everything else keeps its bytes, including comments.

use std::collections::{BTreeSet, HashSet};

use super::list_text::ListText;
use super::{FailureWords, KnownFailure, KnownFailures};
use crate::model::{CaseReport, Verdict};
use crate::run::filter::{glob, naming};

/// What to do with entries of cases that no longer exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnseenEntries {
    /// Keep them.
    Keep,
    /// Remove them.
    Prune,
}

/// What to change in addition to entries of cases that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListUpdatePolicy {
    /// Add all failures that are not listed, with this reason; `None` adds no entries.
    pub accepted: Option<String>,
    /// See [`UnseenEntries`].
    pub unseen: UnseenEntries,
}

/// The updated list, and a line for each change.
#[derive(Debug)]
pub struct UpdatedList {
    /// The text.
    pub text: String,
    /// What was changed.
    pub changes: Vec<String>,
    /// A line for each entry that is kept although it does not fit some of its cases: they pass, which a run reports as
    /// fixed, or they fail in several ways, or none fails as it says. Also one for each case that no entry can name,
    /// since its id is too long.
    pub unfit: Vec<String>,
    /// How many entries are kept although none of their cases ran.
    pub unseen: usize,
    /// How many cases fail and have no entry.
    pub unlisted: usize,
}

/// The results of the cases that match an entry.
#[derive(Default)]
struct SeenFailures {
    /// Whether any case ran.
    ran: bool,
    /// How many cases passed, and the first of them.
    passed: usize,
    first_passed: Option<String>,
    /// How many cases that are counted for the entry fail, and how many are broken: see [`counted_for`].
    fails: usize,
    broken: usize,
    signatures: BTreeSet<String>,
    /// The other entries that its cases which do not pass are counted for.
    others: BTreeSet<usize>,
    /// Whether it accepts one of these failures, too, or a case is broken.
    accepts_of_others: bool,
}

/// How an entry changes.
enum EntryChange {
    Keep,
    /// It is kept although none of its cases ran.
    Unseen,
    /// It is removed, and why.
    Remove(String),
    /// Its signature is replaced.
    SetSignature(String),
}

impl SeenFailures {
    /// How the entry changes. With `has_other_cases`, it matches existing cases that did not run.
    fn change_of(
        &self,
        entry: &KnownFailure,
        list: &KnownFailures,
        has_other_cases: bool,
        unseen: UnseenEntries,
    ) -> EntryChange {
        if !self.ran {
            return match unseen {
                UnseenEntries::Prune if !has_other_cases => {
                    EntryChange::Remove("it matches no case of the list".to_owned())
                }
                UnseenEntries::Prune | UnseenEntries::Keep => EntryChange::Unseen,
            };
        }
        if !has_other_cases {
            if self.all_passed() {
                return EntryChange::Remove("it no longer fails".to_owned());
            }
            if let Some(other) = self.same_as_other(entry, list) {
                return EntryChange::Remove(format!("{} covers it", list.entries[other].id));
            }
        }
        match (&entry.signature, self.signatures.first()) {
            (Some(old), Some(new)) if self.signatures.len() == 1 && old != new => {
                EntryChange::SetSignature(new.clone())
            }
            _ => EntryChange::Keep,
        }
    }

    /// Whether all cases that ran passed.
    fn all_passed(&self) -> bool {
        self.ran && self.fails + self.broken == 0 && self.others.is_empty()
    }

    /// Another entry that accepts the failures of all cases of this one for at least as long; the first if there are
    /// several.
    fn same_as_other(&self, entry: &KnownFailure, list: &KnownFailures) -> Option<usize> {
        let is_same = |other: &usize| {
            let other = &list.entries[*other];
            other.signature == entry.signature && other.lasts_as_long_as(entry)
        };
        let first = *self.others.first().filter(|_| self.fails + self.broken == 0)?;
        self.others.iter().all(is_same).then_some(first)
    }
}

/// Updates `text`, from which `list` was read, from a run without the list. `of_other_cases` are the entries that match
/// existing cases which did not run: [`super::other_cases::entries_of_other_cases`]. Fails with the message of the TOML
/// parser if that rejects the text; never for a text that [`KnownFailures::parse`] accepts.
pub fn update(
    list: &KnownFailures,
    text: &str,
    run: &[CaseReport],
    of_other_cases: &BTreeSet<usize>,
    policy: &ListUpdatePolicy,
) -> Result<UpdatedList, String> {
    let mut text = ListText::new(text)?;
    let (mut changes, mut unseen, mut corrected) = (Vec::new(), 0, BTreeSet::new());
    let seen = look(list, run);
    for (number, (entry, seen)) in list.entries.iter().zip(&seen).enumerate().rev() {
        match seen.change_of(entry, list, of_other_cases.contains(&number), policy.unseen) {
            EntryChange::Keep => {}
            EntryChange::Unseen => unseen += 1,
            EntryChange::Remove(why) => {
                text.remove(number);
                changes.push(format!("removed {}: {why}", entry.id));
            }
            EntryChange::SetSignature(new) => {
                text.set_signature(number, &new);
                corrected.insert(number);
                changes.push(format!("updated {}: {new}", entry.id));
            }
        }
    }
    changes.reverse();
    let entries = || list.entries.iter().zip(&seen);
    let fixed = entries().filter_map(|(entry, seen)| also_passes(entry, seen));
    let several = entries().filter_map(|(entry, seen)| fails_in_several_ways(entry, seen));
    let all_ran = entries().enumerate().filter(|(number, _)| !of_other_cases.contains(number));
    let useless = all_ran.filter_map(|(_, (entry, seen))| accepts_nothing(entry, seen, list));
    let mut unfit: Vec<_> = fixed.chain(several).chain(useless).collect();
    // A case that was named twice ran twice.
    let mut ids = HashSet::new();
    let mut unlisted: Vec<_> = run.iter().filter(|report| is_unlisted(report, list, &corrected)).collect();
    unlisted.retain(|report| ids.insert(&report.id));
    if let Some(reason) = &policy.accepted {
        for report in std::mem::take(&mut unlisted) {
            let pattern = naming(&report.id.to_string());
            if let Err(error) = glob(&pattern) {
                unfit.push(format!("not added {}: {}", report.id, error.reason()));
                continue;
            }
            text.add(&members(report, pattern, reason));
            changes.push(format!("added {}", report.id));
        }
    }
    Ok(UpdatedList { text: text.into_string(), changes, unfit, unseen, unlisted: unlisted.len() })
}

/// Whether a case fails, crashes or takes too long, and no entry applies to it, not even one whose signature is
/// corrected.
fn is_unlisted(report: &CaseReport, list: &KnownFailures, corrected: &BTreeSet<usize>) -> bool {
    let applies = |number| {
        list.applying(report, &FailureWords::of(report)) == Some(number)
            || corrected.contains(&number) && !list.entries[number].is_expired
    };
    matches!(report.verdict, Verdict::Fail(_) | Verdict::Crash(_) | Verdict::Timeout(_))
        && !counted_for(list, report).is_some_and(applies)
}

/// A line for an entry of which some cases pass and others do not.
fn also_passes(entry: &KnownFailure, seen: &SeenFailures) -> Option<String> {
    let first = seen.first_passed.as_ref().filter(|_| !seen.all_passed())?;
    let what = match seen.passed {
        1 => format!("{first} is fixed"),
        count => format!("{count} of its cases are fixed, such as {first}"),
    };
    Some(format!("kept {}: {what}; list only the cases that fail", entry.id))
}

/// A line for an entry whose signature cannot be corrected, since its cases have several.
fn fails_in_several_ways(entry: &KnownFailure, seen: &SeenFailures) -> Option<String> {
    let listed = entry.signature.as_ref()?;
    let other = seen.signatures.iter().find(|is| *is != listed).filter(|_| seen.signatures.len() > 1)?;
    Some(format!(
        "kept {}: not all of its cases fail so, such as by {other}; list only those that do",
        entry.id
    ))
}

/// A line for an entry that accepts no failure of its cases, which other entries do.
fn accepts_nothing(entry: &KnownFailure, seen: &SeenFailures, list: &KnownFailures) -> Option<String> {
    let other = seen.others.first().filter(|_| seen.fails + seen.broken == 0 && !seen.accepts_of_others)?;
    let (id, other) = (&entry.id, &list.entries[*other].id);
    Some(format!("kept {id}: none of its cases fails so, and {other} covers them; remove it"))
}

/// The entry that a case is counted for: as in a run, the first one that matches it and accepts how it does not pass;
/// else the first one that has not expired.
fn counted_for(list: &KnownFailures, report: &CaseReport) -> Option<usize> {
    let first = || list.matching(&report.id).min_by_key(|number| list.entries[*number].is_expired);
    list.applying(report, &FailureWords::of(report)).or_else(first)
}

/// The results for each entry.
fn look(list: &KnownFailures, run: &[CaseReport]) -> Vec<SeenFailures> {
    let mut seen: Vec<SeenFailures> = list.entries.iter().map(|_| SeenFailures::default()).collect();
    for report in run {
        let Some(counted) = counted_for(list, report) else { continue };
        let passes = report.verdict == Verdict::Pass;
        let failure = FailureWords::of(report);
        let is_broken = matches!(report.verdict, Verdict::Error(_) | Verdict::Skip(_) | Verdict::Flaky(_));
        for number in list.matching(&report.id) {
            let seen = &mut seen[number];
            seen.ran = true;
            if !passes && number != counted {
                seen.others.insert(counted);
                seen.accepts_of_others |= is_broken || list.entries[number].other_failure(&failure).is_none();
            }
        }
        let seen = &mut seen[counted];
        match &report.verdict {
            Verdict::Fail(_) | Verdict::Crash(_) | Verdict::Timeout(_) | Verdict::Unsupported(_) => {
                seen.fails += 1;
                seen.signatures.extend(failure.in_words_of(&list.entries[counted]).map(str::to_owned));
            }
            Verdict::Pass => {
                seen.passed += 1;
                seen.first_passed.get_or_insert_with(|| report.id.to_string());
            }
            // A broken case neither confirms nor refutes an entry.
            _ => seen.broken += 1,
        }
    }
    seen
}

/// The members of an entry for a case, of which `id` is the pattern.
fn members(report: &CaseReport, id: String, reason: &str) -> Vec<(&'static str, String)> {
    let signature = report.signature();
    let members = [("id", Some(id)), ("signature", signature), ("reason", Some(reason.to_owned()))];
    members.into_iter().filter_map(|(name, text)| Some((name, text?))).collect()
}
