//! From a case of a machine that is described by data to a request, and from the answer to states: both without a
//! tree of JSON in between.

use std::collections::{BTreeMap, HashSet};

use super::case::{Reported, reason, wire_action};
use super::trouble::Trouble;
use crate::machines::MachineInfo;
use crate::model::case::{Program, Step};
use crate::model::field_type::{DeclaredField, FieldType};
use crate::model::name::Name;
use crate::model::path::{Path, PathKey};
use crate::model::shape::Shape;
use crate::model::value::Value;
use crate::testees::testee::Stopped;
use crate::wire::declared::{DeclaredAnswer, DeclaredRequest, DeclaredStep};
use crate::wire::line::quoted_around;
use crate::wire::protocol::{Offer, ProtocolAnswer, Skip, WireAction};

/// The run of a case of a machine that is described by data.
pub(super) struct DeclaredRun<'r> {
    info: &'static MachineInfo,
    program: &'r Program,
    steps: Vec<DeclaredStep<'r>>,
    assertions: Vec<&'r Step>,
    /// Fields that the process need not report and does not.
    left_out: Vec<&'static str>,
}

impl<'r> DeclaredRun<'r> {
    /// The run of a program.
    ///
    /// # Errors
    ///
    /// If the process does not offer what the case needs.
    pub(super) fn new(
        info: &'static MachineInfo,
        offer: &Offer,
        program: &'r Program,
        steps: &'r [Step],
    ) -> Result<DeclaredRun<'r>, Stopped> {
        let is_offered = |name: &str| offer.fields.iter().any(|field| field == name);
        let left_out: Vec<_> = info.optional.iter().copied().filter(|name| !is_offered(name)).collect();
        let mut written = Vec::with_capacity(steps.len());
        for step in steps {
            let actions: Vec<WireAction> =
                step.actions.iter().map(|action| wire_action(action, info)).collect();
            let names = actions.iter().map(WireAction::name);
            if let Some(name) = names.clone().find(|name| !offer.actions.iter().any(|it| it == name)) {
                return Err(Stopped::Unsupported(format!("no action {name}")));
            }
            let observe = observed(step, &left_out);
            if let Some(name) = observe.iter().find(|name| !is_offered(name)) {
                return Err(Stopped::Unsupported(format!("no field {name}")));
            }
            written.push(DeclaredStep { actions: names.collect(), observe });
        }
        let assertions = steps.iter().collect();
        Ok(DeclaredRun { info, program, steps: written, assertions, left_out })
    }

    /// The request with this number, in one line with its terminator.
    pub(super) fn request(&self, id: u64, limits: &BTreeMap<String, u64>) -> String {
        let DeclaredRun { info, program, steps, .. } = self;
        DeclaredRequest { id, machine: info.name, members: info.program, program: &program.0, steps, limits }
            .line()
    }

    /// The state after each step, or why the process refuses the case. `id` is the number of the request.
    ///
    /// # Errors
    ///
    /// If the line is not an answer to the request.
    pub(super) fn states(&self, line: Vec<u8>, id: u64) -> Result<Result<Vec<Reported>, Stopped>, Trouble> {
        let answer = match DeclaredAnswer::read(line) {
            Ok(answer) => answer,
            Err(line) => return refusal(&line, id),
        };
        if answer.id() != Some(id) {
            return Err(Trouble::Broke(format!("answered {} instead of request {id}", answer.shown_id())));
        }
        let states = answer.steps().map_err(Trouble::Broke)?;
        if states.len() != self.steps.len() {
            return Err(Trouble::Broke(format!("answered {} of {} steps", states.len(), self.steps.len())));
        }
        // One instruction or one script mostly ends in one way.
        let ended = Some(answer.ended().unwrap_or_default());
        let mut all = Vec::with_capacity(states.len());
        for (step, node) in self.assertions.iter().zip(states) {
            let mut values = answer.state(node, self.info.fields).map_err(Trouble::Broke)?;
            self.add_zeros(step, &mut values);
            all.push(Reported::new(self.info.fields, values, ended.clone(), self.left_out.clone()));
        }
        Ok(Ok(all))
    }

    /// Adds the cells that a step demands and that the process did not report: they are 0.
    fn add_zeros(&self, step: &Step, values: &mut [(&'static str, Value)]) {
        // Assertions on the cells of a memory follow each other.
        for demanded in step.assertions.chunk_by(|one, other| one.at.parent() == other.at.parent()) {
            let Some(memory) = demanded.first().and_then(|assertion| assertion.at.parent()) else { continue };
            let Some(cells) = self.memory_at(memory, values) else { continue };
            let reported: HashSet<Name> = cells.iter().map(|cell| cell.0.clone()).collect();
            let names = demanded.iter().filter_map(|assertion| match assertion.at.last() {
                PathKey::Name(name) => Some(name),
                PathKey::Index(_) => None,
            });
            cells.extend(
                names.filter(|name| !reported.contains(*name)).map(|name| (name.clone(), Value::int(0))),
            );
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
fn refusal(line: &[u8], id: u64) -> Result<Result<Vec<Reported>, Stopped>, Trouble> {
    let answer = ProtocolAnswer::read(line).map_err(|error| {
        let quoted = quoted_around(line, error.column.map_or(0, |column| column.saturating_sub(1)));
        Trouble::Broke(format!("wrote a line that is not an answer: it {error}: {quoted}"))
    })?;
    match answer.id() {
        Some(answered) if answered == id => {}
        Some(answered) => {
            return Err(Trouble::Broke(format!("answered request {answered} instead of {id}")));
        }
        None => return Err(Trouble::Broke("answered hello to another request".to_owned())),
    }
    match answer {
        ProtocolAnswer::Done(_) => {
            let why = DeclaredAnswer::deviation(line).unwrap_or_else(|| "not JSON".to_owned());
            Err(Trouble::Broke(format!("wrote a line that is not an answer: {why}")))
        }
        ProtocolAnswer::Skip(Skip { reason, .. }) => Ok(Err(Stopped::Unsupported(reason))),
        ProtocolAnswer::Error(failure) => Ok(Err(Stopped::Error(reason(failure)))),
        _ => Err(Trouble::Broke("answered run with something else than done, skip or error".to_owned())),
    }
}

/// The fields that the assertions of a step name, without those that are left out.
fn observed<'s>(step: &'s Step, left_out: &[&str]) -> Vec<&'s str> {
    let mut observe: Vec<&str> = Vec::new();
    for assertion in step.end.iter().chain(&step.assertions) {
        let PathKey::Name(name) = assertion.at.first() else { continue };
        // Assertions on a field follow each other.
        let is_new = observe.last().is_none_or(|last| *last != &**name) && !observe.contains(&&**name);
        if is_new && !left_out.contains(&&**name) {
            observe.push(name);
        }
    }
    observe
}
