//! Finds the first difference between two machines by comparing their states after numbers of instructions.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use indexmap::IndexMap;

use super::machines::{OnVm, RunPoint, between};
use crate::machines::UpcomingMembers;
use crate::model::{Name, Path, Value};
use crate::testees::Stopped;

/// About how many bytes the states of one answer may take in memory.
const MAX_BYTES: usize = 8 << 20;

/// The maximum number of differences that are listed.
const MAX_LISTED: usize = 100;

/// The maximum number of states in an answer.
const MAX_STATES: usize = 1_024;

/// A datum that differs between two states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateDifference {
    /// Where it is.
    pub at: Path,
    /// Its value on each machine, if it has one.
    pub values: [Option<Value>; 2],
}

/// A state that both machines have, and two that differ after one more instruction or action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FirstStateDifference {
    /// How many actions were done before that instruction or action.
    pub(super) actions: usize,
    /// The number of the instruction in the next action, from 1; `None` if only the states after whole actions are
    /// known, the difference is there before an instruction is executed, or it was not shown before.
    pub(super) step: Option<u64>,
    /// The last common state: fields by name. `None` if the first states differ.
    pub(super) before: Option<Value>,
    /// What differs then.
    pub(super) differs: Vec<StateDifference>,
    /// Whether both runs are known to end with that instruction.
    pub(super) ends: bool,
}

impl FirstStateDifference {
    /// Whether the states differ before anything is done.
    pub(super) fn is_at_start(&self) -> bool {
        self.before.is_none()
    }
}

/// The fields whose values are compared, and those that a machine does not report.
pub(super) struct ComparedFields {
    pub(super) fields: Vec<String>,
    /// The names of fields, and for each machine whether it lacks it.
    pub(super) lacking: Vec<(String, [bool; 2])>,
}

impl ComparedFields {
    pub(super) fn of(runs: [&OnVm; 2]) -> ComparedFields {
        let reported = runs.map(|run| run.reported().into_iter().collect::<BTreeSet<_>>());
        let (mut fields, mut lacking) = (Vec::new(), Vec::new());
        for name in runs[0].declared() {
            let lacks = reported.each_ref().map(|known| !known.contains(name));
            if lacks.contains(&true) {
                lacking.push((name.to_owned(), lacks));
            } else {
                fields.push(name.to_owned());
            }
        }
        ComparedFields { fields, lacking }
    }
}

/// Two runs of one program whose states are compared.
pub(super) struct ComparedStates<'r> {
    runs: [&'r mut OnVm; 2],
    fields: &'r [String],
    /// The fields that are compared only where both machines show them.
    shown_at_end: &'static [&'static str],
    /// The names of members that are not compared, wherever they are.
    left_out: Vec<&'static str>,
    /// The weight of the largest state so far.
    weight: usize,
}

impl<'r> ComparedStates<'r> {
    pub(super) fn new(runs: [&'r mut OnVm; 2], fields: &'r [String]) -> ComparedStates<'r> {
        let shown_at_end = runs[0].shown_at_end();
        ComparedStates { runs, fields, shown_at_end, left_out: Vec::new(), weight: 0 }
    }

    /// The same without members that only say which instruction is next: the instruction before it does not make that
    /// difference, and the next one is what then does something else.
    pub(super) fn without(self, upcoming: Option<UpcomingMembers>) -> Self {
        let left_out = upcoming.into_iter().flat_map(|members| [members.name, members.code]).collect();
        ComparedStates { left_out, ..self }
    }

    /// The differences before anything is done. Fails when a machine gives no answer.
    pub(super) fn at_start(&mut self) -> Result<Vec<StateDifference>, Stopped> {
        let after = self.after(&[RunPoint { actions: 0, steps: 0 }])?;
        Ok(self.known_differences(&after))
    }

    /// The first difference between states; `None` if none was found. Fails when a machine gives no answer, and no
    /// difference was found before.
    pub(super) fn parting(&mut self) -> Result<Option<FirstStateDifference>, Stopped> {
        if self.fields.is_empty() {
            return Ok(None);
        }
        let actions = self.runs[0].actions();
        let whole: Vec<_> = (0..=actions).map(|actions| RunPoint { actions, steps: 0 }).collect();
        let after = match self.after(&whole) {
            Ok(after) => after,
            // It may be the difference that keeps one of the machines from ending.
            Err(stopped) => return self.unended(actions)?.map_or(Err(stopped), |found| Ok(Some(found))),
        };
        let at_start = self.known_differences(&after);
        if !at_start.is_empty() {
            return Ok(Some(FirstStateDifference {
                actions: 0,
                step: None,
                before: None,
                differs: at_start,
                ends: false,
            }));
        }
        let first = (1..=actions).find(|done| !self.after_actions(&after, *done, 1).is_empty());
        let searched = match first {
            Some(number) => number - 1..number,
            None => 0..actions,
        };
        for action in searched {
            let end = after.each_ref().map(|states| &states[action + 1]);
            if let Some(found) = self.in_action(action, Some(end))? {
                return Ok(Some(found));
            }
        }
        Ok(first.map(|done| {
            let differs = self.after_actions(&after, done, MAX_LISTED);
            FirstStateDifference {
                actions: done - 1,
                step: None,
                before: Some(after[0][done - 1].clone()),
                differs,
                ends: false,
            }
        }))
    }

    /// The first difference of runs that do not end.
    fn unended(&mut self, actions: usize) -> Result<Option<FirstStateDifference>, Stopped> {
        for action in 0..actions {
            if let Some(found) = self.in_action(action, None)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The first difference in an action that ends with these states.
    fn in_action(
        &mut self,
        action: usize,
        end: Option<[&Value; 2]>,
    ) -> Result<Option<FirstStateDifference>, Stopped> {
        if !self.runs.iter().all(|run| run.stops() && run.executes(action)) {
            return Ok(None);
        }
        let Some(mut range) = self.widened(action, end)? else { return Ok(None) };
        while !range.is_empty() {
            let points = between(&range, self.most() as u64);
            let stops: Vec<_> =
                [range.start].into_iter().chain(points.iter().copied()).chain([range.end]).collect();
            let after = self.after(&at(action, &stops))?;
            let Some(first) = (1..stops.len()).find(|index| self.is_different(&after, *index)) else {
                return Ok(None);
            };
            range = stops[first - 1]..stops[first];
            if range.end - range.start == 1 {
                let found = self.parting_at(&after, first, action, range.end);
                // More instructions of the action would change nothing.
                let is_at_end = |end: [&Value; 2]| (0..2).all(|run| *end[run] == after[run][first]);
                let may_go_on = self.runs.iter().all(|run| range.end < run.max_instructions_of(action));
                return Ok(Some(FirstStateDifference {
                    ends: may_go_on && end.is_some_and(is_at_end),
                    ..found
                }));
            }
        }
        Ok(None)
    }

    /// Numbers of instructions after which the states are equal and different, or those of the whole action if no
    /// state in it is known to differ. The states after each of the first instructions are compared.
    fn widened(&mut self, action: usize, end: Option<[&Value; 2]>) -> Result<Option<Range<u64>>, Stopped> {
        let each = self.most() as u64;
        let last = self.runs.iter().map(|run| run.max_instructions_of(action)).min().unwrap_or(0);
        // A machine that ends after few instructions need not execute more: not every machine can.
        let (mut known, mut points) = (0, vec![1]);
        while known < last {
            let after = match self.after(&at(action, &points)) {
                Ok(after) => after,
                // A limit of the runner ended one of the machines; a difference may come before.
                Err(Stopped::Unsupported(_) | Stopped::Error(_)) if points != [known + 1] => {
                    points = sooner(&points, known);
                    continue;
                }
                Err(stopped) => return Err(stopped),
            };
            for (index, point) in points.into_iter().enumerate() {
                if self.is_different(&after, index) {
                    return Ok(Some(known..point));
                }
                known = point;
                if end.is_some_and(|end| (0..2).all(|run| *end[run] == after[run][index])) {
                    return Ok(Some(if point <= each { point..point } else { 0..point }));
                }
            }
            points = if known < each {
                (known + 1..=each.min(4 * known).min(last)).collect()
            } else {
                let mut points = vec![(2 * known).min(last), (4 * known).min(last)];
                points.dedup();
                points
            };
        }
        Ok(None)
    }

    /// How many states an answer may have.
    fn most(&self) -> usize {
        (MAX_BYTES / self.weight.max(1)).clamp(2, MAX_STATES)
    }

    /// The states of both machines.
    fn after(&mut self, stops: &[RunPoint]) -> Result<[Vec<Value>; 2], Stopped> {
        let [one, other] = &mut self.runs;
        let states = [one.states(stops, self.fields)?, other.states(stops, self.fields)?];
        let weights = states.iter().flatten().map(|state| state.weight(MAX_BYTES));
        self.weight = weights.max().unwrap_or(0).max(self.weight);
        Ok(states)
    }

    /// The differences before the first action in the fields that both machines report: one that tells nothing about
    /// single steps may report nothing before a run has ended.
    fn known_differences(&self, after: &[Vec<Value>; 2]) -> Vec<StateDifference> {
        let mut differs = self.differences(after, 0, MAX_LISTED);
        differs.retain(|it| {
            let field = it.at.first().to_string();
            after.iter().all(|states| states[0].get(&field).is_some())
        });
        differs
    }

    /// The differences after a number of whole actions. When the run has ended, a field that a machine lacks differs,
    /// too.
    fn after_actions(&self, after: &[Vec<Value>; 2], done: usize, most: usize) -> Vec<StateDifference> {
        if done < self.runs[0].actions() {
            return self.differences(after, done, most);
        }
        let list = DifferenceList { found: Vec::new(), most, left_out: &self.left_out };
        list.of([&after[0][done], &after[1][done]], &[])
    }

    fn is_different(&self, after: &[Vec<Value>; 2], index: usize) -> bool {
        !self.differences(after, index, 1).is_empty()
    }

    /// The difference in an instruction of an action with this number, from 1, after which the states differ.
    fn parting_at(
        &self,
        after: &[Vec<Value>; 2],
        differing: usize,
        actions: usize,
        step: u64,
    ) -> FirstStateDifference {
        let (before, differs) = (differing - 1, self.differences(after, differing, MAX_LISTED));
        let step = Some(step).filter(|_| self.was_shown(&differs, after, before));
        FirstStateDifference { actions, step, before: Some(after[0][before].clone()), differs, ends: false }
    }

    /// Whether both machines showed one of the fields that differ before, so that it is known when it changed.
    fn was_shown(&self, differs: &[StateDifference], after: &[Vec<Value>; 2], before: usize) -> bool {
        differs.iter().any(|it| {
            let name = it.at.first().to_string();
            !self.shown_at_end.contains(&&*name)
                || after.iter().all(|states| states[before].get(&name).is_some())
        })
    }

    fn differences(&self, after: &[Vec<Value>; 2], index: usize, most: usize) -> Vec<StateDifference> {
        let list = DifferenceList { found: Vec::new(), most, left_out: &self.left_out };
        list.of([&after[0][index], &after[1][index]], self.shown_at_end)
    }
}

/// Fewer points, or a smaller one, above `known`.
fn sooner(points: &[u64], known: u64) -> Vec<u64> {
    match points {
        [point] => vec![known + (point - known) / 2],
        _ => points[..points.len() / 2].to_vec(),
    }
}

fn at(actions: usize, steps: &[u64]) -> Vec<RunPoint> {
    steps.iter().map(|steps| RunPoint { actions, steps: *steps }).collect()
}

/// The leaves that differ between two states, at most this number.
pub(in crate::explain) fn differences(states: [&Value; 2], most: usize) -> Vec<StateDifference> {
    DifferenceList { found: Vec::new(), most, left_out: &[] }.of(states, &[])
}

/// The leaves that differ between two states, as far as they are found. The members of a record have no order, except
/// in a value with a type, such as a Map; what is empty may be left out.
struct DifferenceList<'s> {
    found: Vec<StateDifference>,
    most: usize,
    /// The names of members that are not compared.
    left_out: &'s [&'static str],
}

impl DifferenceList<'_> {
    /// Adds those of two states, of which some fields are compared only if both have them.
    fn of(mut self, states: [&Value; 2], of_both: &[&str]) -> Vec<StateDifference> {
        for (name, values) in members(states.map(|state| state.members().unwrap_or_default())) {
            if !of_both.contains(&&**name) || values.iter().all(Option::is_some) {
                self.add(&Path::field(name.clone()), values);
            }
        }
        self.found
    }

    fn is_full(&self) -> bool {
        self.found.len() == self.most
    }

    fn add(&mut self, at: &Path, values: [Option<&Value>; 2]) {
        let is_nothing = |value: &Value| *value == Value::Null || value.is_empty();
        if self.is_full() || values[0] == values[1] {
            return;
        }
        match values {
            [Some(only), None] | [None, Some(only)] if is_nothing(only) => {}
            [Some(Value::Typed(name, one)), Some(Value::Typed(of_other, other))] if name == of_other => {
                let found = self.found.len();
                self.add(at, [Some(&**one), Some(&**other)]);
                if self.found.len() == found && has_other_order(one, other) {
                    self.push(at, values);
                }
            }
            [Some(Value::Record(one)), Some(Value::Record(other))] => self.add_members(at, [one, other]),
            [Some(Value::List(one)), Some(Value::List(other))] => self.add_items(at, [one, other]),
            _ => self.push(at, values),
        }
    }

    fn add_members(&mut self, at: &Path, records: [&[(Name, Value)]; 2]) {
        let at = at.as_parent();
        for (name, values) in members(records) {
            if self.is_full() {
                return;
            }
            if !self.left_out.contains(&&**name) {
                self.add(&at.child(name.clone()), values);
            }
        }
    }

    fn add_items(&mut self, at: &Path, [one, other]: [&[Value]; 2]) {
        for (index, at) in at.items().take(one.len().max(other.len())).enumerate() {
            if self.is_full() {
                return;
            }
            match [one.get(index), other.get(index)] {
                values @ [Some(_), Some(_)] => self.add(&at, values),
                // An item that is empty is an item all the same.
                values => self.push(&at, values),
            }
        }
    }

    fn push(&mut self, at: &Path, values: [Option<&Value>; 2]) {
        if !self.is_full() {
            self.found.push(StateDifference { at: at.clone(), values: values.map(Option::<&Value>::cloned) });
        }
    }
}

/// Whether two records have the members that both have in different orders.
fn has_other_order(one: &Value, other: &Value) -> bool {
    let (Some(one), Some(other)) = (one.members(), other.members()) else { return false };
    let order: HashMap<&Name, usize> = one.iter().enumerate().map(|(at, (name, _))| (name, at)).collect();
    !other.iter().filter_map(|(name, _)| order.get(name)).is_sorted()
}

/// The members of both records by name, in the order of the first.
fn members(records: [&[(Name, Value)]; 2]) -> IndexMap<&Name, [Option<&Value>; 2]> {
    let mut members = IndexMap::new();
    for (side, record) in records.into_iter().enumerate() {
        for (name, value) in record {
            members.entry(name).or_insert([None; 2])[side].get_or_insert(value);
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(stack: Vec<Value>) -> Value {
        Value::record([("stack", Value::List(stack))])
    }

    #[test]
    fn empty_values_may_be_omitted_except_list_items() {
        let empty = Value::Bytes(Vec::new());
        let none = Value::record(Vec::<(&str, Value)>::new());
        assert_eq!(differences([&state(Vec::new()), &none], 9), []);
        let found = differences([&state(vec![empty.clone()]), &state(Vec::new())], 9);
        let at = Path::field("stack").child(0);
        assert_eq!(found, [StateDifference { at, values: [Some(empty), None] }]);
    }

    /// An empty Map is no empty Array, and null is no empty text; the members of a Map have an order.
    #[test]
    fn empty_values_of_different_kinds_and_orders_of_maps_differ() {
        let typed = |name: &'static str, value| state(vec![Value::typed(name, value)]);
        let (map, array) = (typed("Map", Value::Record(Vec::new())), typed("Array", Value::List(Vec::new())));
        assert_eq!(differences([&map, &array], 9).len(), 1);
        assert_eq!(differences([&state(vec![Value::Null]), &state(vec![Value::text("")])], 9).len(), 1);
        let entry = |name: &'static str| (name, Value::int(1));
        let of = |names: [&'static str; 2]| typed("Map", Value::record(names.map(entry)));
        let found = differences([&of(["a", "b"]), &of(["b", "a"])], 9);
        assert_eq!(found.iter().map(|it| it.at.to_string()).collect::<Vec<_>>(), ["stack[0]"]);
        let plain = |names: [&'static str; 2]| state(vec![Value::record(names.map(entry))]);
        assert_eq!(differences([&plain(["a", "b"]), &plain(["b", "a"])], 9), []);
    }

    /// Searching one memory for each cell of the other would take minutes.
    #[test]
    fn the_cells_of_large_memories_are_found_by_their_names() {
        const CELLS: i64 = 100_000;
        let memory = |cells: &mut dyn Iterator<Item = i64>, changed: i64| {
            let cell = |at| (format!("{at:#x}"), Value::int(if at == changed { 7 } else { at }));
            Value::record([("ram", Value::record(cells.map(cell)))])
        };
        let (one, other) = (memory(&mut (0..CELLS), -1), memory(&mut (0..CELLS).rev(), 3));
        let [expected, found] = [3, 7].map(|value| Some(Value::int(value)));
        let at = Path::field("ram").child("0x3");
        assert_eq!(differences([&one, &other], 9), [StateDifference { at, values: [expected, found] }]);
        let none = Value::record([("ram", Value::Record(Vec::new()))]);
        assert_eq!(differences([&none, &other], 2).len(), 2);
    }
}
