//! From a case of a machine that is described by data to a request, and from the answer to states: both without a
//! tree of JSON in between.

use std::collections::{BTreeMap, HashSet};

use indexmap::IndexSet;

use super::case::{Reported, RunStates, check_count, refused, wire_action};
use super::exchange::{Exchange, read_answer};
use super::trouble::NoAnswerReason;
use crate::machines::MachineInfo;
use crate::model::{
    DeclaredField, FieldType, MemberShape, Name, NameIndex, Path, PathKey, Program, Shape, Step, Value,
};
use crate::testees::testee::Stopped;
use crate::wire::declared::{DeclaredAnswer, DeclaredRequest, DeclaredStep};
use crate::wire::protocol::{Offer, ProtocolAnswer, WireAction};

/// Of a memory with more cells, the names are hashed to find some of them.
const FEW_CELLS: usize = 32;

/// The run of a case of a machine that is described by data.
pub(super) struct DeclaredRun<'r> {
    info: &'static MachineInfo,
    program: &'r Program,
    steps: Vec<DeclaredStep<'r>>,
    assertions: Vec<&'r Step>,
    limits: &'r BTreeMap<String, u64>,
    offer: &'r DeclaredOffer,
}

/// What a process offers for a machine that is described by data.
pub(super) struct DeclaredOffer {
    fields: &'static [MemberShape],
    /// Where the names of fields are, and those of the members of a program.
    field_names: NameIndex,
    member_names: NameIndex,
    /// Which of the fields it reports.
    is_reported: Vec<bool>,
    /// The fields that it need not report and does not.
    left_out: Vec<&'static str>,
    actions: Vec<&'static str>,
}

impl DeclaredOffer {
    /// What is offered for a machine.
    pub(super) fn new(info: &'static MachineInfo, offer: &Offer) -> DeclaredOffer {
        let actions = ["execute", "step-into", "step-over", "step-out"];
        DeclaredOffer {
            fields: info.fields,
            field_names: NameIndex::new(info.fields.iter().map(|field| field.name)),
            member_names: NameIndex::new(info.program.iter().map(|member| member.name)),
            is_reported: info.fields.iter().map(|field| offer.reports(field.name)).collect(),
            left_out: offer.left_out(info.optional).collect(),
            actions: actions.into_iter().filter(|name| offer.performs(name)).collect(),
        }
    }

    /// The fields that the assertions of a step name, without those that are left out.
    fn observed<'s>(&self, step: &'s Step) -> Result<Vec<&'s str>, Stopped> {
        let mut observe = Vec::new();
        let mut is_observed = vec![false; self.fields.len()];
        for assertion in step.demands() {
            let PathKey::Name(name) = assertion.at.first() else { continue };
            let index = self.field_names.find(name, |index| self.fields[index].name);
            if index.is_some_and(|index| is_observed[index]) || self.left_out.contains(&&**name) {
                continue;
            }
            match index.filter(|index| self.is_reported[*index]) {
                Some(index) => is_observed[index] = true,
                None => return Err(Stopped::lacks_field(name)),
            }
            observe.push(&**name);
        }
        Ok(observe)
    }
}

impl<'r> DeclaredRun<'r> {
    /// The run of a program under limits that differ from their defaults. Fails if the process does not offer what
    /// the case needs.
    pub(super) fn new(
        info: &'static MachineInfo,
        offer: &'r DeclaredOffer,
        program: &'r Program,
        steps: &'r [Step],
        limits: &'r BTreeMap<String, u64>,
    ) -> Result<DeclaredRun<'r>, Stopped> {
        let mut written = Vec::with_capacity(steps.len());
        for step in steps {
            let actions: Vec<WireAction> =
                step.actions.iter().map(|action| wire_action(action, info)).collect();
            let names = actions.iter().map(WireAction::name);
            if let Some(name) = names.clone().find(|name| !offer.actions.contains(name)) {
                return Err(Stopped::lacks_action(name));
            }
            let observe = offer.observed(step)?;
            written.push(DeclaredStep { actions: names.collect(), observe });
        }
        if written.iter().all(|step| step.observe.is_empty())
            && steps.iter().any(|it| it.demands().next().is_some())
        {
            let fields: IndexSet<_> =
                steps.iter().flat_map(Step::demands).map(|it| it.at.first().to_string()).collect();
            let fields = fields.into_iter().collect::<Vec<_>>().join(", ");
            return Err(Stopped::Unsupported(format!("nothing that the case demands: {fields}")));
        }
        let assertions = steps.iter().collect();
        Ok(DeclaredRun { info, program, steps: written, assertions, limits, offer })
    }

    /// Adds the cells that a step demands and that the process did not report: they are 0.
    fn add_zeros(&self, step: &Step, values: &mut [(&'static str, Value)]) {
        // Assertions on the cells of a memory follow each other.
        for demanded in step.assertions.chunk_by(|one, other| one.at.parent() == other.at.parent()) {
            let Some(memory) = demanded.first().and_then(|assertion| assertion.at.parent()) else { continue };
            let Some(cells) = self.memory_at(memory, values) else { continue };
            let names = demanded.iter().filter_map(|assertion| match assertion.at.last() {
                PathKey::Name(name) => Some(name),
                PathKey::Index(_) => None,
            });
            let missing: Vec<_> = if cells.len() <= FEW_CELLS {
                names.filter(|name| !cells.iter().any(|cell| cell.0 == **name)).collect()
            } else {
                let reported: HashSet<&str> = cells.iter().map(|cell| &*cell.0).collect();
                names.filter(|name| !reported.contains(&***name)).collect()
            };
            cells.extend(missing.into_iter().map(|name| (name.clone(), Value::int(0))));
        }
    }

    /// The cells of the memory at a path; `None` if something else is there.
    fn memory_at<'v>(
        &self,
        path: &Path,
        values: &'v mut [(&'static str, Value)],
    ) -> Option<&'v mut Vec<(Name, Value)>> {
        let keys = path.keys();
        let (PathKey::Name(name), inner) = keys.split_first()? else { return None };
        let member = self.info.fields.iter().find(|field| *field.name == **name)?;
        let Shape::Declared(DeclaredField { field_type, .. }) = member.shape else { return None };
        if !is_memory(field_type.at(inner)?) {
            return None;
        }
        let value = &mut values.iter_mut().find(|value| *value.0 == **name)?.1;
        match inner.iter().try_fold(value, |value, key| part(value, key))? {
            Value::Record(cells) => Some(cells),
            _ => None,
        }
    }
}

impl Exchange for DeclaredRun<'_> {
    type Answer = RunStates;

    fn write(&self, id: u64, lines: &mut String) {
        let DeclaredRun { info, program, steps, limits, offer, .. } = self;
        let (machine, members, names) = (info.name, info.program, &offer.member_names);
        DeclaredRequest { id, machine, members, names, program: &program.0, steps, limits }.write(lines);
    }

    fn read(&self, line: Vec<u8>, id: u64) -> Result<RunStates, NoAnswerReason> {
        let answer = match DeclaredAnswer::read(line) {
            Ok(answer) => answer,
            Err(line) => return refusal(&line, id),
        };
        if answer.id() != Some(id) {
            return Err(NoAnswerReason::Broke(format!(
                "answered {} instead of request {id}",
                answer.shown_id()
            )));
        }
        let states = answer.steps().map_err(NoAnswerReason::Broke)?;
        check_count(states.len(), self.steps.len())?;
        // One instruction or one script mostly ends in one way.
        let ended = Some(answer.ended().unwrap_or_default());
        let mut all = Vec::with_capacity(states.len());
        for (step, node) in self.assertions.iter().zip(states) {
            let names = &self.offer.field_names;
            let mut values = answer.state(node, (self.info.fields, names)).map_err(NoAnswerReason::Broke)?;
            self.add_zeros(step, &mut values);
            all.push(Reported::new(self.info.fields, values, ended.clone(), self.offer.left_out.clone()));
        }
        Ok(Ok(all))
    }
}

fn is_memory(field_type: &FieldType) -> bool {
    match field_type {
        FieldType::Optional(inner) => is_memory(inner),
        other => matches!(other, FieldType::Memory(_)),
    }
}

fn part<'v>(value: &'v mut Value, key: &PathKey) -> Option<&'v mut Value> {
    match (value, key) {
        (Value::List(items), PathKey::Index(index)) => items.get_mut(*index),
        (Value::Record(members), PathKey::Name(name)) => {
            members.iter_mut().find(|member| member.0 == *name).map(|member| &mut member.1)
        }
        _ => None,
    }
}

/// What a line says that is no state.
fn refusal(line: &[u8], id: u64) -> Result<RunStates, NoAnswerReason> {
    match read_answer(line, Some(id))? {
        ProtocolAnswer::Done(_) => {
            let why = DeclaredAnswer::deviation(line).unwrap_or_else(|| "not JSON".to_owned());
            Err(NoAnswerReason::Broke(format!("wrote a line that is not an answer: {why}")))
        }
        other => refused(other),
    }
}
