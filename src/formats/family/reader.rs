//! Reads cases as a declaration says.

use std::borrow::Cow;
use std::iter;
use std::sync::Arc;

use super::declaration::{
    Declaration, DemandedField, FormatDeclaration, GivenMember, StepActions, StepDeclaration, UnlistedFields,
    action,
};
use super::demands::{DemandPlace, FieldDemand, demand};
use super::known_nodes::KnownNodes;
use super::new_cases::FamilyWriter;
use super::node_path::{NodePath, PathStep};
use super::uncompared::{self, DeclaredRule};
use crate::formats::fields::Diagnostics;
use crate::formats::format::FileEntry;
use crate::formats::write_back::WrongAssertion;
use crate::model::rule::LintRule;
use crate::model::{
    Action, Assertion, Case, DeclaredField, Diagnostic, Name, Origin, Path, Program, Step, Value,
};
use crate::text::json::{JsonMember, JsonNode, quoted};
use crate::text::suggest::nearest;
use crate::text::typed;

/// A format of a family, ready to read, with those that read the rest of its files.
#[derive(Debug)]
pub(super) struct FamilyReader {
    pub(super) family: &'static Declaration,
    /// The format, and later ones that read the same files: each item is a case of the first one whose `has` it has.
    formats: Vec<CaseFormat>,
    /// The folder of the declaration; `None` if it is built in.
    folder: Option<&'static str>,
}

/// A format, with all that it knows of a case.
#[derive(Debug)]
pub(super) struct CaseFormat {
    pub(super) declared: &'static FormatDeclaration,
    known: KnownNodes,
}

/// A datum where a case may lie.
pub(super) struct CaseCandidate<'d> {
    pub(super) key: CandidateKey<'d>,
    pub(super) node: JsonNode<'d>,
}

/// The place of a candidate in what contains it.
pub(super) enum CandidateKey<'d> {
    Member(Cow<'d, str>),
    Item(usize),
    /// Nothing contains it, or it is the only one there.
    Only,
}

impl CandidateKey<'_> {
    /// The name of the case, if nothing else names it.
    pub(super) fn name(self) -> Arc<str> {
        match self {
            CandidateKey::Member(key) => key.into(),
            CandidateKey::Item(index) => index.to_string().into(),
            CandidateKey::Only => "case".into(),
        }
    }
}

impl FamilyReader {
    pub(super) fn new(
        family: &'static Declaration,
        number: usize,
        folder: Option<&'static str>,
    ) -> FamilyReader {
        let own = &family.formats[number];
        let later = family.formats[number + 1..].iter().filter(|later| later.reads_with(own));
        let formats = iter::once(own).chain(later);
        let formats = formats.map(|declared| CaseFormat { declared, known: KnownNodes::of(declared) });
        FamilyReader { family, formats: formats.collect(), folder }
    }

    /// What writes a case in its format.
    pub(super) fn writer_of(&self, case: JsonNode<'_>) -> FamilyWriter<'_> {
        let format = self.format_of(case).map_or(self.format(), |format| format.declared);
        FamilyWriter::new(self.family, format)
    }

    /// What writes the case in which an assertion failed.
    pub(super) fn writer_for(&self, wrong: &WrongAssertion<'_, '_>) -> FamilyWriter<'_> {
        let around: Vec<_> = wrong.chain().collect();
        // The file is the last one, and each step of the path to the cases leads to one in it.
        let case = around.iter().rev().nth(self.format().cases.steps.len());
        case.map_or_else(|| FamilyWriter::new(self.family, self.format()), |case| self.writer_of(*case))
    }

    /// The name of the machine of its family.
    pub(super) fn machine(&self) -> &'static str {
        &self.family.machine
    }

    pub(super) fn format(&self) -> &'static FormatDeclaration {
        self.formats[0].declared
    }

    /// Whether an item has all that each case of the format has.
    pub(super) fn has_all(&self, item: JsonNode<'_>) -> bool {
        missing(self.format(), item).is_none()
    }

    /// The format of a case; `None` for an item that is no case.
    pub(super) fn format_of(&self, node: JsonNode<'_>) -> Option<&CaseFormat> {
        self.formats.iter().find(|format| missing(format.declared, node).is_none())
    }

    /// The member of a case with what is known about the case.
    pub(super) fn info(&self) -> Option<&'static str> {
        self.format().info.as_deref()
    }

    /// Whether the format reads a file with this path, with `/` between names. Globs are matched with the path, and
    /// with the path from the folder of the declaration.
    pub(super) fn reads(&self, file: &str) -> bool {
        let files = &self.format().files;
        let below = self.folder.and_then(|folder| file.strip_prefix(folder)?.strip_prefix('/'));
        let paths = || iter::once(file).chain(below);
        files.is_empty() || files.iter().any(|pattern| paths().any(|path| pattern.matches(path)))
    }

    /// How far into the path of a file that the format reads its globs reach, from 1, for a comparison with others:
    /// `**/6502/**/*.json` and `**/wdc65c02/**/*.json` both match `6502/wdc65c02/00.json`, and the second one reaches
    /// farther. 0 without globs.
    pub(super) fn nearness(&self, file: &str) -> usize {
        self.format().files.iter().map(|files| files.reach(file) + 1).max().unwrap_or(0)
    }

    /// The data where cases may lie, in document order.
    pub(super) fn places<'d>(&self, root: JsonNode<'d>) -> impl Iterator<Item = JsonNode<'d>> {
        self.candidates(root).map(|candidate| candidate.node)
    }

    /// As [`FamilyReader::places`], with what names each.
    pub(super) fn candidates<'d>(
        &self,
        root: JsonNode<'d>,
    ) -> Box<dyn Iterator<Item = CaseCandidate<'d>> + 'd> {
        let cases = &self.format().cases;
        let Some((PathStep::Each, before)) = cases.steps.split_last() else {
            let nodes = cases.each(root).into_iter();
            return Box::new(nodes.map(|node| CaseCandidate { key: CandidateKey::Only, node }));
        };
        let containers = NodePath { steps: before.to_vec() }.each(root).into_iter();
        Box::new(containers.flat_map(|container| {
            let member = |member: JsonMember<'d>| CaseCandidate {
                key: CandidateKey::Member(member.key),
                node: member.value,
            };
            let items = container.items().enumerate();
            let items = items.map(|(index, node)| CaseCandidate { key: CandidateKey::Item(index), node });
            container.members().map(member).chain(items)
        }))
    }

    pub(super) fn looks_like(&self) -> String {
        let FormatDeclaration { cases, has, .. } = self.format();
        let has: Vec<_> = has.iter().map(NodePath::to_string).collect();
        let has = if has.is_empty() { String::new() } else { format!(" with {}", has.join(" and ")) };
        format!("cases of {} at {cases}{has}", self.family.machine)
    }

    /// Reports what lies beside the cases and is not ignored, and counts the items that are no cases.
    pub(super) fn rest(&self, root: JsonNode<'_>, cases: &[FileEntry], diagnostics: &mut Diagnostics) {
        let formats = self.formats.iter().map(|format| format.declared);
        KnownNodes::of_file(formats).check(root, &mut |beside| diagnostics.note(beside));
        if self.candidates(root).count() == cases.len() {
            return;
        }
        let mut others = self.candidates(root).filter(|candidate| self.format_of(candidate.node).is_none());
        if let Some(first) = others.next() {
            let count = others.count() + 1;
            let items = if count == 1 {
                "1 item is not a case".to_owned()
            } else {
                format!("{count} items are not cases")
            };
            let last = self.formats.last().map_or(self.format(), |format| format.declared);
            let missing = missing(last, first.node).map_or_else(String::new, NodePath::to_string);
            diagnostics.mention(Diagnostic::at(first.node.at(), format!("{items}: without {missing}")));
        }
    }

    /// See [`uncompared::rule_of`].
    pub(super) fn uncompared(
        &self,
        change: &str,
        at: &str,
        cases: [JsonNode<'_>; 2],
    ) -> Option<DeclaredRule> {
        let format = self.format_of(cases[0])?.declared;
        uncompared::rule_of(self.family, format, (change, at), cases)
    }

    /// Reads a case.
    pub(super) fn read(
        &self,
        machine: &'static str,
        node: JsonNode<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Case> {
        let CaseFormat { declared: format, known } = self.format_of(node)?;
        let (family, members) = (self.family, self.family.members().count());
        let (values, places) = (Vec::with_capacity(members), Vec::with_capacity(members));
        let none = || vec![false; members];
        let (is_given, is_listed, is_demanded) = (none(), none(), none());
        let mut reader = CaseReader { family, diagnostics, values, places, is_given, is_listed, is_demanded };
        format.program.iter().for_each(|given| reader.given(given, node));
        let steps = match &format.steps {
            None => {
                let mut step = reader.step(&format.step, node);
                if format.step.unlisted == UnlistedFields::Unchanged {
                    reader.demand_unchanged(format, node, &mut step.assertions);
                }
                vec![step]
            }
            Some(path) => {
                reader.steps_are_listed(path, node);
                let nodes = path.each(node).into_iter();
                nodes.map(|node| reader.step(&format.step, node)).collect()
            }
        };
        let CaseReader { values, places, .. } = reader;
        known.check(node, &mut |unknown| diagnostics.note(unknown));
        // A case with errors may lack assertions because of them.
        if !diagnostics.has_errors() && steps.iter().all(|step| step.assertions.is_empty()) {
            let what = match &steps[..] {
                [] => "there are no steps, so nothing is compared in this case",
                _ => "nothing is compared in this case",
            };
            let nothing = Diagnostic::at(node.at(), what);
            let nothing = nothing.expected("at least one field of the state after it");
            diagnostics.note(nothing.under(LintRule::NothingCompared));
        }
        let program = Program::from(Value::Record(values));
        Some(Case { machine, program, places, steps, label: None })
    }
}

/// The first datum that each case of a format has and that an item does not have.
pub(super) fn missing<'f>(format: &'f FormatDeclaration, node: JsonNode<'_>) -> Option<&'f NodePath> {
    format.has.iter().find(|path| path.find(node).is_none())
}

struct CaseReader<'r> {
    family: &'r Declaration,
    diagnostics: &'r mut Diagnostics,
    /// What the machine is given.
    values: Vec<(Name, Value)>,
    places: Vec<(Path, Origin)>,
    /// Which members are given, by their indices.
    is_given: Vec<bool>,
    /// Which fields the object of all demanded fields lists.
    is_listed: Vec<bool>,
    /// Which fields the step demands.
    is_demanded: Vec<bool>,
}

impl CaseReader<'_> {
    fn given(&mut self, given: &GivenMember, case: JsonNode<'_>) {
        match given {
            GivenMember::One(index, path) => {
                if let Some(node) = path.find(case) {
                    self.give(*index, node);
                }
            }
            GivenMember::Constant(index, value) => self.give_at(*index, value.root(), case.at()),
            GivenMember::All(path) => {
                let Some(object) = self.object(path, case) else { return };
                for member in object.members() {
                    match self.family.member(&member.key) {
                        Some(index) => self.give(index, member.value),
                        None => self.undeclared(&member.key, member.key_at, path, "[state] or [input]"),
                    }
                }
            }
        }
    }

    /// The index of a field of the state.
    fn field(&self, key: &str) -> Option<usize> {
        self.family.member(key).filter(|index| *index < self.family.state.len())
    }

    fn give(&mut self, index: usize, node: JsonNode<'_>) {
        self.give_at(index, node, node.at());
    }

    /// Gives a datum whose place in the case is `at`.
    fn give_at(&mut self, index: usize, node: JsonNode<'_>, at: u32) {
        let field = self.family.member_at(index);
        if self.is_given[index] {
            return self.diagnostics.error(twice(
                at,
                &format!("{} is given", field.name),
                "each member once",
            ));
        }
        let read = typed::read(node, &field.field_type, &field.name);
        if let Some(value) = self.diagnostics.keep(read) {
            self.is_given[index] = true;
            self.values.push((field.name.clone(), value));
            self.places.push((Path::field(field.name.clone()), Origin(at)));
        }
    }

    fn object<'d>(&mut self, path: &NodePath, node: JsonNode<'d>) -> Option<JsonNode<'d>> {
        let found = path.find(node);
        match found {
            Some(object) if object.is_object() => return Some(object),
            Some(other) => {
                let what = format!("{path} is {}", other.type_name());
                let wrong = Diagnostic::at(other.at(), what).expected("an object").under(LintRule::WrongType);
                self.diagnostics.error(wrong);
            }
            None => {
                let what = format!("there is no {path}");
                let missing =
                    Diagnostic::at(node.at(), what).expected("an object").under(LintRule::MissingMember);
                self.diagnostics.error(missing);
            }
        }
        None
    }

    fn undeclared(&mut self, key: &str, at: u32, path: &NodePath, table: &str) {
        let what = format!("the member {} of {path} is not declared", quoted(key));
        let names = self.family.members().map(|field| &*field.name);
        let unknown =
            Diagnostic::at(at, what).expected(format!("a name in {table} of {}", self.family.machine));
        self.diagnostics.error(unknown.under(LintRule::UnknownMember).suggest(nearest(key, names)));
    }

    /// Reports what lies where the steps of a case are listed, and is no list.
    fn steps_are_listed(&mut self, path: &NodePath, case: JsonNode<'_>) {
        let Some((PathStep::Each, before)) = path.steps.split_last() else { return };
        let before = NodePath { steps: before.to_vec() };
        for list in before.each(case) {
            if !list.is_array() && !list.is_object() {
                let wrong = Diagnostic::at(list.at(), format!("the list of steps is {}", list.type_name()));
                self.diagnostics.error(wrong.expected("an array").under(LintRule::WrongType));
            }
        }
    }

    fn step(&mut self, step: &StepDeclaration, node: JsonNode<'_>) -> Step {
        let mut assertions = Vec::with_capacity(self.family.state.len() * 2);
        self.is_demanded.fill(false);
        for demanded in &step.expect {
            match demanded {
                DemandedField::Constant { field, value } => {
                    self.demand(*field, value.root(), DemandPlace::At(node.at()), &mut assertions);
                }
                DemandedField::At { field, path, absent } => match (path.find(node), absent) {
                    (Some(found), _) => self.demand(*field, found, DemandPlace::Node, &mut assertions),
                    (None, Some(value)) => {
                        self.demand(*field, value.root(), DemandPlace::At(node.at()), &mut assertions);
                    }
                    (None, None) => {}
                },
                DemandedField::All(path) => self.demand_all(path, node, &mut assertions),
            }
        }
        Step { actions: self.actions(&step.actions, node), end: None, assertions }
    }

    fn demand_all(&mut self, path: &NodePath, node: JsonNode<'_>, assertions: &mut Vec<Assertion>) {
        let Some(object) = self.object(path, node) else { return };
        for member in object.members() {
            match self.field(&member.key) {
                Some(index) => {
                    self.is_listed[index] = true;
                    self.demand(index, member.value, DemandPlace::Node, assertions);
                }
                None => self.undeclared(&member.key, member.key_at, path, "[state]"),
            }
        }
    }

    /// Demands that the fields are as they were given that have no place of their own, and that the object of all
    /// demanded fields does not list.
    fn demand_unchanged(
        &mut self,
        format: &FormatDeclaration,
        case: JsonNode<'_>,
        assertions: &mut Vec<Assertion>,
    ) {
        let Some(object) = format.demanded_whole().and_then(|path| path.find(case)) else { return };
        let given = format.given_whole().and_then(|path| path.find(case));
        for member in given.into_iter().flat_map(JsonNode::members) {
            let is_unlisted = |it: &usize| !self.is_listed[*it] && format.own_demand(*it).is_none();
            if let Some(index) = self.field(&member.key).filter(is_unlisted) {
                self.demand(index, member.value, DemandPlace::At(object.at()), assertions);
            }
        }
    }

    fn demand(
        &mut self,
        index: usize,
        node: JsonNode<'_>,
        place: DemandPlace,
        assertions: &mut Vec<Assertion>,
    ) {
        let field: &DeclaredField = &self.family.state[index];
        if std::mem::replace(&mut self.is_demanded[index], true) {
            let at = place.of(node).0;
            return self.diagnostics.error(twice(
                at,
                &format!("{} is demanded", field.name),
                "each field once",
            ));
        }
        // Only what is demanded of a memory depends on what was given.
        let given = if field.field_type.has_memory() {
            self.values.iter().find(|known| known.0 == field.name).map(|known| &known.1)
        } else {
            None
        };
        let demanded = demand(&FieldDemand { field, node, place, given }, assertions);
        self.diagnostics.keep(demanded);
    }

    fn actions(&mut self, actions: &StepActions, node: JsonNode<'_>) -> Vec<Action> {
        let path = match actions {
            StepActions::Fixed(actions) => return actions.clone(),
            StepActions::At(path) => path,
        };
        let Some(found) = path.find(node) else {
            let missing = Diagnostic::at(node.at(), format!("there is no {path}"));
            self.diagnostics.error(missing.expected(LIST_OF_ACTIONS).under(LintRule::MissingMember));
            return Vec::new();
        };
        if !found.is_array() {
            let wrong = Diagnostic::at(found.at(), format!("{path} is {}", found.type_name()));
            self.diagnostics.error(wrong.expected(LIST_OF_ACTIONS).under(LintRule::WrongType));
            return Vec::new();
        }
        let mut actions = Vec::new();
        for item in found.items() {
            let known = item.text().and_then(|text| action(&text));
            if known.is_none() {
                let unknown = Diagnostic::at(item.at(), format!("{} is not an action", item.shown()));
                self.diagnostics.error(unknown.expected(ACTIONS).under(LintRule::UnknownName));
            }
            actions.extend(known);
        }
        actions
    }
}

/// The error of a datum for a member that has one already.
fn twice(at: u32, what: &str, expected: &str) -> Diagnostic<Origin> {
    Diagnostic::at(at, format!("{what} a second time")).expected(expected).under(LintRule::DuplicateKey)
}

const ACTIONS: &str = "\"execute\", \"step-into\", \"step-over\" or \"step-out\"";

/// What a step must have for its actions.
const LIST_OF_ACTIONS: &str = "a list of actions, such as [\"execute\"]";
