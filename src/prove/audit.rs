//! Changes each datum of each case, one at a time, and checks that the verdict changes with it.
//!
//! A case runs once, on the machine that it is for, and the state after each step is recorded; where no machine is
//! known, the state that the case demands is taken for it. Each changed case is read again by its format and compared
//! with the recorded state. A change that neither the reader nor the comparison detects reveals an expectation that is
//! not compared: [`crate::formats::uncompared`] lists those that a format omits by a rule; any other is a bug in vmconf.

mod change;

use std::collections::BTreeMap;
use std::ops::Range;

use self::change::{AuditChange, AuditChangeKind, changes, changes_below};
use super::recorded::{RecordedFields, RecordedSteps, StatesFrom, each};
use crate::formats::FileReading;
use crate::formats::family::DeclaredRule;
use crate::formats::uncompared::{self, rule_of, shared_inputs};
use crate::machines::observe::Observe;
use crate::model::{Assertion, Case, Mismatch, Step, Value};
use crate::run::compare::{UnknownField, compare_rest};
use crate::run::sources::Sources;
use crate::run::{LoadOptions, LoadedCase, LoadedFile};
use crate::text::edit;
use crate::text::json::{Document, JsonNode};
use crate::wire::audit::{Audit, Unnoticed};

/// How assertions are compared with a state: [`diff`](crate::run::compare::diff), or a faulty replacement for it.
pub type CompareState = fn(&[Assertion], &dyn Observe) -> Result<Vec<Mismatch>, UnknownField>;

/// The options of an audit.
#[derive(Debug, Clone, Copy)]
pub struct AuditOptions {
    /// How the changed cases are compared.
    pub compare: CompareState,
    /// The maximum number of changes per case; if there are more, they are chosen evenly.
    pub most_changes: usize,
}

/// The maximum number of bytes that are parsed per case, except for [`MIN_CHANGES`].
const MAX_BYTES: usize = 1 << 26;

/// The minimum number of changes made to a case, however large it is, if it allows as many.
const MIN_CHANGES: usize = 16;

/// Audits the passing cases of these files.
pub fn audit(sources: &Sources, options: &LoadOptions, how: AuditOptions) -> Audit {
    let mut auditor = Auditor { how, audit: Audit::default(), unnoticed: BTreeMap::new() };
    auditor.audit.broken = each(sources, options, |file, index, recorded| match recorded {
        Some(recorded) if recorded.pass(&recorded.case.steps, how.compare) => {
            auditor.case(file, index, &recorded);
        }
        other => {
            let is_unmet = other.is_some_and(|recorded| recorded.from == StatesFrom::Demands);
            auditor.audit.left_out += 1;
            auditor.audit.unmet += u64::from(is_unmet);
        }
    });
    auditor.audit.unnoticed = auditor.unnoticed.into_values().collect();
    auditor.audit
}

impl RecordedSteps {
    /// The machine's name for its state after a step.
    fn state_after(&self, step: usize) -> Option<String> {
        match self.states.get(step)?.observe("state")? {
            Value::Text(state) => Some(state.into()),
            _ => None,
        }
    }

    /// Whether every assertion of these steps holds in the state after its step, but for what the user ignores.
    fn pass(&self, steps: &[Step], compare: CompareState) -> bool {
        let holds = |assertions: &[Assertion], state: &RecordedFields| {
            let mismatches = compare_rest(self.ignored(), assertions, |rest| compare(rest, state));
            mismatches.is_ok_and(|mismatches| mismatches.is_empty())
        };
        let step = |(step, state): (&Step, &RecordedFields)| {
            holds(step.end.as_slice(), state) && holds(&step.assertions, state)
        };
        steps.len() == self.states.len() && steps.iter().zip(&self.states).all(step)
    }

    /// Whether these steps demand the same as the case of the fields that the user ignores.
    fn demands_the_same_of_ignored(&self, steps: &[Step]) -> bool {
        let ignored = |steps: &[Step]| {
            let assertions = steps.iter().flat_map(Step::demands);
            let is_ignored = |it: &&Assertion| {
                self.ignored.iter().any(|ignored| ignored.covers(&it.at) || ignored.at.starts_with(&it.at))
            };
            let ignored = assertions.filter(is_ignored);
            ignored.map(|it| (it.at.clone(), it.expected.clone())).collect::<Vec<_>>()
        };
        self.ignored.is_empty() || ignored(steps) == ignored(&self.case.steps)
    }
}

/// What detects a change.
enum NoticedBy {
    /// Nothing: it changes the program or an action, which are not expectations.
    Input,
    /// The reader rejects the case.
    Rejected,
    /// The reader reports it in a note.
    Noted,
    /// The case fails.
    Compared,
    /// Nothing, since the user ignores the field.
    Ignored,
    Nothing,
}

struct Auditor {
    how: AuditOptions,
    audit: Audit,
    /// Grouped by format, kind, place and rule.
    unnoticed: BTreeMap<(&'static str, AuditChangeKind, String, Option<DeclaredRule>), Unnoticed>,
}

impl Auditor {
    fn case(&mut self, file: &LoadedFile<'_>, index: usize, recorded: &RecordedSteps) {
        let Some(loaded) = file.case(index) else { return };
        let depth = file.options().limits.depth as usize;
        let Some((document, start)) = alone(file, &loaded, depth) else { return };
        let Some(case) = document.node_at(start) else { return };
        let Ok(before) = loaded.read_in(&document, start) else { return };
        if before.case.as_ref().map(|case| &case.program) != Some(&recorded.case.program) {
            self.audit.left_out += 1;
            return;
        }
        self.audit.cases += 1;
        let mut changes = changes(case, loaded.format.name);
        for (name, inputs) in inputs_around(&document, case, shared_inputs(loaded.format.name)) {
            // The cases of a file share them.
            let of_case =
                changes_below(inputs, name, loaded.format.name).into_iter().skip(index % file.cases());
            changes.extend(of_case.step_by(file.cases()));
        }
        let most = (MAX_BYTES / document.text().len().max(1)).max(MIN_CHANGES).min(self.how.most_changes);
        let step = changes.len().div_ceil(most).max(1);
        // Each case begins with a different change, so that similar cases get different ones.
        for change in changes.iter().skip(index % step).step_by(step) {
            let text = edit::apply(&document, std::slice::from_ref(&change.edit));
            let changed = Document::parse(text, depth).ok();
            let noticed = changed.as_ref().map_or(NoticedBy::Rejected, |changed| {
                self.noticed(&loaded, recorded, before.count, changed, start)
            });
            match noticed {
                NoticedBy::Input => self.audit.inputs += 1,
                NoticedBy::Rejected => self.audit.rejected += 1,
                NoticedBy::Noted => self.audit.noted += 1,
                NoticedBy::Compared => self.audit.compared += 1,
                NoticedBy::Ignored => self.add(&loaded, change, Some(uncompared::IGNORED.into())),
                NoticedBy::Nothing => {
                    let after = changed.as_ref().and_then(|changed| changed.node_at(start));
                    let cases = [case, after.unwrap_or(case)];
                    self.add(&loaded, change, rule_for(&loaded, change, recorded, cases));
                }
            }
        }
    }

    fn noticed(
        &self,
        loaded: &LoadedCase<'_>,
        recorded: &RecordedSteps,
        notes: usize,
        changed: &Document,
        start: u32,
    ) -> NoticedBy {
        let Ok(FileReading { case, count, .. }) = loaded.read_in(changed, start) else {
            return NoticedBy::Rejected;
        };
        let Some(case) = case else { return NoticedBy::Rejected };
        let same_actions = || {
            let actions =
                |case: &Case| case.steps.iter().map(|step| step.actions.clone()).collect::<Vec<_>>();
            actions(&case) == actions(&recorded.case)
        };
        if case.program != recorded.case.program || !same_actions() {
            return NoticedBy::Input;
        }
        if !recorded.pass(&case.steps, self.how.compare) {
            return NoticedBy::Compared;
        }
        if count > notes {
            NoticedBy::Noted
        } else if recorded.demands_the_same_of_ignored(&case.steps) {
            NoticedBy::Nothing
        } else {
            NoticedBy::Ignored
        }
    }

    fn add(&mut self, loaded: &LoadedCase<'_>, change: &AuditChange<'_>, rule: Option<DeclaredRule>) {
        let AuditChange { kind, at, .. } = change;
        let (format, kind) = (loaded.format, *kind);
        let (text, section) = rule.clone().map(|it| (it.text, it.section.to_owned())).unzip();
        let first = || Unnoticed {
            format: format.name.to_owned(),
            kind: kind.name().to_owned(),
            at: at.clone(),
            rule: text,
            section,
            count: 0,
            case: loaded.id.to_string(),
        };
        self.unnoticed.entry((format.name, kind, at.clone(), rule)).or_insert_with(first).count += 1;
    }
}

/// The rule that explains why nothing detects a change; `None` if there is none. `cases` is the case before and after it.
fn rule_for(
    loaded: &LoadedCase<'_>,
    change: &AuditChange<'_>,
    recorded: &RecordedSteps,
    cases: [JsonNode<'_>; 2],
) -> Option<DeclaredRule> {
    let AuditChange { kind, at, step, is_overridden, .. } = change;
    let format = loaded.format;
    if format.declaration.is_some() {
        return loaded.family().and_then(|family| family.uncompared(format, kind.name(), at, cases));
    }
    let state = step.and_then(|step| recorded.state_after(step));
    let overridden = Some(uncompared::OVERRIDDEN).filter(|_| *is_overridden);
    overridden.or_else(|| rule_of(format.name, kind.name(), at, state.as_deref())).map(DeclaredRule::from)
}

/// The members with these names of the objects around a case.
fn inputs_around<'d>(
    document: &'d Document,
    case: JsonNode<'_>,
    names: &'static [&'static str],
) -> Vec<(&'static str, JsonNode<'d>)> {
    let around = document.around(case.at()).into_iter().filter(|node| node.index() != case.index());
    let inputs = |node: JsonNode<'d>| names.iter().filter_map(move |name| Some((*name, node.member(name)?)));
    around.flat_map(inputs).collect()
}

/// The file of a case without its other cases, and where the case begins in it, so that parsing is cheap even if the
/// file has many cases. Of [`others`] that follow each other, one is left, without its contents.
fn alone(file: &LoadedFile<'_>, loaded: &LoadedCase<'_>, depth: usize) -> Option<(Document, u32)> {
    let kept = loaded.range();
    let (mut text, mut from, mut start) = (String::new(), 0, kept.start);
    for other in others(file, loaded) {
        if other.start < from {
            continue;
        }
        let between = file.text().get(from..other.start)?;
        let is_left_out = from > 0 && is_separator(between);
        if !is_left_out {
            text.push_str(between);
            text.push('0');
        }
        if other.end <= kept.start {
            start -= other.len() + if is_left_out { between.len() } else { 0 };
            start += usize::from(!is_left_out);
        }
        from = other.end;
    }
    text.push_str(file.text().get(from..)?);
    Some((Document::parse(text, depth).ok()?, u32::try_from(start).ok()?))
}

/// What is left out of a file for a case: the outermost data that have other cases, and the other cases in the one that
/// has this case, too.
fn others(file: &LoadedFile<'_>, loaded: &LoadedCase<'_>) -> Vec<Range<usize>> {
    let kept = loaded.range();
    let is_other = |range: &Range<usize>| range.end <= kept.start || range.start >= kept.end;
    let mut others = Vec::new();
    for datum in loaded.document.root().values() {
        let mut cases = file.cases_in(datum).map(JsonNode::range);
        if !is_other(&datum.range()) {
            others.extend(cases.filter(is_other));
        } else if cases.next().is_some() {
            others.push(datum.range());
        }
    }
    others
}

/// Whether a text between two values makes them items of one array or members of one object that follow each other: a
/// comma, and perhaps a name.
fn is_separator(text: &str) -> bool {
    let Some(name) = text.trim().strip_prefix(',').map(str::trim) else { return false };
    let quoted = name.strip_suffix(':').and_then(|name| name.trim_end().strip_prefix('"')?.strip_suffix('"'));
    name.is_empty() || quoted.is_some_and(|name| !name.contains(['"', '\\']))
}

#[cfg(test)]
mod tests {
    use super::is_separator;

    #[test]
    fn only_a_comma_and_a_name_are_between_neighbours() {
        for text in [",", " ,\n ", ", \"a\":", ",\n  \"b \u{e9}\" : "] {
            assert!(is_separator(text), "{text}");
        }
        let others = [
            "",
            ":",
            "}, {",
            "], \"a\": [",
            ", \"a\": 1, \"b\": ",
            ", \"a\": {\"b\": ",
            ", \"a\\\"b\": ",
            ", a:",
        ];
        for text in others {
            assert!(!is_separator(text), "{text}");
        }
    }
}
