//! Which data of a case a declaration knows, so that everything else is reported as unknown.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::declaration::{DemandedField, FormatDeclaration, GivenMember, StepActions, StepDeclaration};
use super::node_path::{NodePath, PathStep};
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Origin};
use crate::text::json::{JsonMember, JsonNode, quoted};
use crate::text::suggest::nearest;

/// With how many known names an unknown one is compared, to find the one that was perhaps meant.
const MAX_COMPARED: usize = 200;

/// Receives each datum that no path knows.
type UnknownSink<'r> = &'r mut dyn FnMut(Diagnostic<Origin>);

/// The data below a datum that a declaration knows.
#[derive(Debug, Default)]
pub(super) struct KnownNodes {
    /// Whether it knows the datum with everything in it.
    whole: bool,
    members: IndexMap<String, KnownNodes, RandomState>,
    items: HashMap<i64, KnownNodes, RandomState>,
    /// What it knows of every item or member.
    each: Option<Box<KnownNodes>>,
}

impl KnownNodes {
    /// What a format knows of a case.
    pub(super) fn of(format: &FormatDeclaration) -> KnownNodes {
        let mut known = KnownNodes::default();
        format.name.iter().for_each(|path| known.add(&path.steps));
        format.info.iter().for_each(|name| known.add(&[PathStep::Member(name.clone())]));
        format.ignore.iter().for_each(|ignored| known.add(&ignored.written.path.steps));
        for given in &format.program {
            match given {
                GivenMember::All(path) | GivenMember::One(_, path) => known.add(&path.steps),
                GivenMember::Constant(..) => {}
            }
        }
        let before = format.steps.as_ref().map_or(&[][..], |path| &path.steps);
        known.add_step(before, &format.step);
        known
    }

    /// What the formats of a file know of it: its cases, and what is ignored beside them.
    pub(super) fn of_file<'f>(formats: impl Iterator<Item = &'f FormatDeclaration>) -> KnownNodes {
        let mut known = KnownNodes::default();
        for format in formats {
            known.add(&format.cases.steps);
            format.ignore_in_file.iter().for_each(|ignored| known.add(&ignored.written.path.steps));
        }
        known
    }

    fn add_step(&mut self, before: &[PathStep], step: &StepDeclaration) {
        let mut add = |path: &NodePath| self.add(&[before, &path.steps].concat());
        if let StepActions::At(path) = &step.actions {
            add(path);
        }
        for demanded in &step.expect {
            match demanded {
                DemandedField::All(path) | DemandedField::At { path, .. } => add(path),
                DemandedField::Constant { .. } => {}
            }
        }
    }

    fn add(&mut self, steps: &[PathStep]) {
        let Some((step, rest)) = steps.split_first() else {
            self.whole = true;
            return;
        };
        let inner = match step {
            PathStep::Member(name) => self.members.entry(name.clone()).or_default(),
            PathStep::Item(index) => self.items.entry(*index).or_default(),
            PathStep::Each => self.each.get_or_insert_default(),
        };
        inner.add(rest);
    }

    /// Reports the outermost data of a datum that nothing knows.
    pub(super) fn check(&self, node: JsonNode<'_>, report: UnknownSink<'_>) {
        check(&[self], node, report);
    }
}

/// As [`KnownNodes::check`]; `known` is all that paths know of the datum: `$.a[0].b` and `$.a[*].c` both know the first
/// item.
fn check(known: &[&KnownNodes], node: JsonNode<'_>, report: UnknownSink<'_>) {
    if known.iter().any(|known| known.whole) {
        return;
    }
    if node.is_object() {
        node.members().for_each(|member| check_member(known, &member, report));
    } else if node.is_array() {
        check_items(known, node, report);
    } else {
        report(unknown(node.at(), format!("{} is ignored", node.shown())));
    }
}

fn check_member(known: &[&KnownNodes], member: &JsonMember<'_>, report: UnknownSink<'_>) {
    let named = known.iter().filter_map(|known| known.members.get(&*member.key));
    let inner: Vec<_> = named.chain(each(known)).collect();
    if !inner.is_empty() {
        return check(&inner, member.value, report);
    }
    let what = format!("unknown member {} is ignored", quoted(&member.key));
    let names = known.iter().flat_map(|known| known.members.keys()).map(String::as_str).take(MAX_COMPARED);
    report(unknown(member.key_at, what).suggest(nearest(&member.key, names)));
}

fn check_items(known: &[&KnownNodes], node: JsonNode<'_>, report: UnknownSink<'_>) {
    // Only indices from the end need the length.
    let has_last = known.iter().flat_map(|known| known.items.keys()).any(|index| *index < 0);
    let length = if has_last { node.items().count() as i64 } else { i64::MAX };
    for (index, item) in (0_i64..).zip(node.items()) {
        let named = [index, index - length];
        let named = known.iter().flat_map(|known| named.iter().filter_map(|index| known.items.get(index)));
        let inner: Vec<_> = named.chain(each(known)).collect();
        if inner.is_empty() {
            report(unknown(item.at(), format!("unknown item {index} is ignored")));
        } else {
            check(&inner, item, report);
        }
    }
}

/// What is known of every item or member.
fn each<'k>(known: &[&'k KnownNodes]) -> impl Iterator<Item = &'k KnownNodes> {
    known.iter().filter_map(|known| known.each.as_deref())
}

fn unknown(at: u32, what: String) -> Diagnostic<Origin> {
    Diagnostic::at(at, what).under(LintRule::UnknownMember)
}
