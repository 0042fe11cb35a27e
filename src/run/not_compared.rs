//! Which assertions of a case are not compared: those on fields that a machine need not report and does
//! not, and those that the user ignores.

use std::collections::BTreeSet;

use super::file_options::FileOptions;
use super::ignored_field::IgnoredField;
use crate::model::{Assertion, Case, Event, Expected, FieldNotCompared, NotComparedReason, Path, Step};
use crate::testees::MakeTestee;

/// The fields of a case, and the data in them, that are not compared, each with the number of steps that demand it.
pub(super) fn not_compared(case: &Case, options: &FileOptions, testee: &MakeTestee) -> Vec<FieldNotCompared> {
    let fields = fields_not_compared(case.machine, options, testee);
    fields.filter_map(|(at, reason)| counted(case, &at, reason)).collect()
}

/// Whether there may be fields of a machine that are not compared.
pub(super) fn may_not_compare(machine: &str, options: &FileOptions, testee: &MakeTestee) -> bool {
    fields_not_compared(machine, options, testee).next().is_some()
}

/// The fields of a machine of which nothing can be known: those that it does not report, and those of which the user
/// ignores something.
pub(super) fn unknown_fields(machine: &str, options: &FileOptions, testee: &MakeTestee) -> BTreeSet<String> {
    let fields = options.families.machine(machine).map_or(&[][..], |info| info.fields);
    let offer = testee.vm().and_then(|vm| vm.offer(machine));
    let is_reported = |name: &str| offer.is_none_or(|offer| offer.reports(name));
    let not_reported = fields.iter().map(|field| field.name).filter(|name| !is_reported(name));
    let ignored = options.ignored.iter().map(IgnoredField::field);
    not_reported.chain(ignored).map(str::to_owned).collect()
}

fn fields_not_compared<'o>(
    machine: &str,
    options: &'o FileOptions,
    testee: &'o MakeTestee,
) -> impl Iterator<Item = (Path, NotComparedReason)> {
    let optional = options.families.machine(machine).map_or(&[][..], |info| info.optional);
    let offered = testee.vm().and_then(|vm| Some((vm.offer(machine)?, &vm.command().name)));
    let not_reported = offered.into_iter().flat_map(move |(offer, vm)| {
        let reason = || NotComparedReason::NotReported { vm: vm.clone() };
        offer.left_out(optional).map(move |name| (Path::field(name), reason()))
    });
    // What a machine lacks is not compared for this reason alone, ignored or not.
    let is_reported = move |ignored: &&IgnoredField| {
        !optional.contains(&ignored.field())
            || offered.is_none_or(|(offer, _)| offer.reports(ignored.field()))
    };
    let ignored = options.ignored.iter().filter(is_reported).map(|IgnoredField { at, mask }| {
        let mask = mask.as_ref().map(|mask| format!("{mask:#x}"));
        (at.clone(), NotComparedReason::Ignored { mask })
    });
    not_reported.chain(ignored)
}

fn counted(case: &Case, at: &Path, reason: NotComparedReason) -> Option<FieldNotCompared> {
    // A tuple, or a memory with the cells that it does not list, is demanded as a whole.
    let is_part_of =
        |it: &Assertion| at.starts_with(&it.at) && matches!(it.expected, Expected::Is(_) | Expected::Only(_));
    let is_demanded = |it: &Assertion| it.at.starts_with(at) || is_part_of(it);
    let demands = |step: &&Step| step.demands().any(is_demanded);
    let assertions = case.steps.iter().filter(demands).count() as u64;
    let field = FieldNotCompared { field: at.to_string(), assertions, reason };
    (assertions > 0).then_some(field)
}

/// The event that says which fields of a run are not compared; `None` if all are. Their order does not depend on that
/// of the cases.
pub(super) fn event(mut fields: Vec<FieldNotCompared>) -> Option<Event> {
    fields.sort_by(|one, other| (&one.field, &one.reason).cmp(&(&other.field, &other.reason)));
    (!fields.is_empty()).then_some(Event::NotCompared(fields))
}

/// Adds the numbers of a case to those of a run.
pub(super) fn add(all: &mut Vec<FieldNotCompared>, more: Vec<FieldNotCompared>) {
    for field in more {
        match all.iter_mut().find(|known| known.field == field.field && known.reason == field.reason) {
            Some(known) => known.assertions += field.assertions,
            None => all.push(field),
        }
    }
}
