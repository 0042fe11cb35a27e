//! Runs states on several machines of a family, and says which of them end alike.

use std::collections::BTreeSet;
use std::thread::scope;

use crate::formats::Format;
use crate::formats::family::FamilyWriter;
use crate::machines::MachineInfo;
use crate::model::{
    Assertion, Breakdown, DeclaredField, Expected, FieldType, Name, Origin, Path, Program, Step,
    UnlistedCells, Value, Verdict,
};
use crate::run::{
    Families, FamilyMachine, FileOptions, Flaky, IgnoredField, LoadOptions, NamedTestee, RunOptions, Worker,
};
use crate::testees::{MakeTestee, Stopped};
use crate::text::typed::{address_of_key, compared_after, written};

/// Why machines cannot run states.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannotRun {
    /// A machine does not implement the family's.
    #[error("{vm} does not run {machine}; it runs {runs}")]
    OtherMachine {
        /// Its name.
        vm: String,
        /// The machine of the family.
        machine: &'static str,
        /// The machines that it runs.
        runs: String,
    },
    /// There are no fields that all machines report.
    #[error("there is no field of {0} that all machines report and its vectors can demand")]
    NothingCompared(&'static str),
    /// A machine does not report a field that each vector demands.
    #[error("{vm} does not report {field}, which each vector of {machine} demands")]
    NotReported {
        /// Its name.
        vm: String,
        /// The field.
        field: String,
        /// The machine of the family.
        machine: &'static str,
    },
    /// A field that each vector demands is to be ignored.
    #[error("{field} cannot be ignored: each vector of {machine} demands it")]
    AlwaysDemanded {
        /// The field.
        field: String,
        /// The machine of the family.
        machine: &'static str,
    },
    /// A machine runs none of the states.
    #[error("{vm} runs none of the states: {why}")]
    RunsNone {
        /// Its name.
        vm: String,
        /// Why it does not run the first one.
        why: String,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum StateEnd {
    /// With these values of the compared fields.
    State(Vec<Value>),
    /// It crashed, or did not answer in time.
    Broke(BrokenEnd),
    /// It does not run the state, and why.
    Refused(String),
}

/// How a machine broke down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BrokenEnd {
    Crash(Breakdown),
    Timeout(Breakdown),
}

impl BrokenEnd {
    /// How, in a line.
    pub(super) fn what(&self) -> String {
        let (BrokenEnd::Crash(breakdown) | BrokenEnd::Timeout(breakdown)) = self;
        breakdown.what.clone()
    }

    pub(super) fn verdict(self) -> Verdict {
        match self {
            BrokenEnd::Crash(breakdown) => Verdict::Crash(breakdown),
            BrokenEnd::Timeout(breakdown) => Verdict::Timeout(breakdown),
        }
    }
}

pub(super) struct StateRuns<'m> {
    info: &'static MachineInfo,
    pub(super) machines: &'m [NamedTestee],
    /// The fields that are compared: those that vectors can demand and that all machines report.
    pub(super) fields: Vec<&'static DeclaredField>,
    steps: Vec<Step>,
    jobs: usize,
}

/// The machines that run states of a family, each with its name: in one of its formats, or the first one. Ignored
/// fields are not compared. A breakdown that does not repeat is no verdict on a state; the machine counts it.
pub fn state_machines(
    (family, format): (FamilyMachine, Option<&'static Format>),
    families: &Families,
    ignored: &[IgnoredField],
    machines: impl IntoIterator<Item = (String, MakeTestee)>,
) -> Vec<NamedTestee> {
    let format = format.or_else(|| family.family.formats().next());
    let (families, ignored) = (families.clone(), ignored.to_vec());
    let file = FileOptions { format, families, ignored, ..FileOptions::default() };
    let run = RunOptions { flaky: Flaky::Pass, ..RunOptions::default() };
    let options = LoadOptions { run, file, overrides: Vec::new() };
    machines.into_iter().map(|(name, testee)| NamedTestee::new(name, testee, &options)).collect()
}

impl<'m> StateRuns<'m> {
    /// Runs on these machines, each in as many processes as there are jobs. Fails when one of them does not implement
    /// the machine, or nothing can be compared.
    pub(super) fn new(
        family: FamilyMachine,
        writer: FamilyWriter<'static>,
        machines: &'m [NamedTestee],
        jobs: usize,
    ) -> Result<StateRuns<'m>, CannotRun> {
        let info = family.machine;
        let mut fields: Vec<_> = writer.demanded().collect();
        for machine in machines {
            let ignored = &machine.options.file.ignored;
            if let Some(field) = writer.always_demanded().find(|field| is_ignored(field, ignored)) {
                let field = field.name.to_string();
                return Err(CannotRun::AlwaysDemanded { field, machine: info.name });
            }
            fields.retain(|field| !is_ignored(field, ignored));
            let Some(vm) = machine.options.run.testee.vm() else { continue };
            let Some(offer) = vm.offer(info.name) else {
                let runs = vm.hello().machines.iter().map(|offer| offer.machine.as_str());
                let runs = runs.collect::<Vec<_>>().join(", ");
                return Err(CannotRun::OtherMachine { vm: machine.name.clone(), machine: info.name, runs });
            };
            let is_missing = |field: &&DeclaredField| {
                !info.optional.iter().any(|name| **name == *field.name) && !offer.reports(&field.name)
            };
            if let Some(field) = writer.always_demanded().find(is_missing) {
                let (vm, field) = (machine.name.clone(), field.name.to_string());
                return Err(CannotRun::NotReported { vm, field, machine: info.name });
            }
            fields.retain(|field| offer.reports(&field.name));
        }
        if fields.is_empty() {
            return Err(CannotRun::NothingCompared(info.name));
        }
        let assertion = |field: &&DeclaredField| {
            Assertion::new(Path::field(field.name.clone()), Expected::Record, Origin(0))
        };
        let assertions = fields.iter().map(assertion).collect();
        let steps = vec![Step { actions: writer.actions(), end: None, assertions }];
        Ok(StateRuns { info, machines, fields, steps, jobs: jobs.max(1) })
    }

    /// The name of the machine of the family.
    pub(super) fn machine(&self) -> &'static str {
        self.info.name
    }

    /// The members that states give: those that vectors can, but for fields that a machine need not report and some
    /// machine does not.
    pub(super) fn given(&self, writer: FamilyWriter<'static>) -> Vec<&'static DeclaredField> {
        let is_known = |field: &&DeclaredField| {
            let is_optional = self.info.optional.iter().any(|name| **name == *field.name);
            !is_optional || self.fields.iter().any(|known| known.name == field.name)
        };
        writer.given().filter(is_known).collect()
    }

    /// The fields that vectors can demand and that some machine does not report.
    pub(super) fn left_out(&self, writer: FamilyWriter<'static>) -> Vec<&'static str> {
        let is_compared = |field: &&DeclaredField| self.fields.iter().any(|known| known.name == field.name);
        let ignores = |field: &DeclaredField| {
            self.machines.iter().any(|machine| is_ignored(field, &machine.options.file.ignored))
        };
        let left_out = writer.demanded().filter(|field| !is_compared(field) && !ignores(field));
        left_out.map(|field| &*field.name).collect()
    }

    /// Checks that each machine runs one of the first states. The error says which machine runs none, and why.
    pub(super) fn check(&self, ends: &[Vec<StateEnd>]) -> Result<(), CannotRun> {
        for (index, machine) in self.machines.iter().enumerate() {
            let refused = |ends: &Vec<StateEnd>| match &ends[index] {
                StateEnd::Refused(why) => Some(why.clone()),
                StateEnd::State(_) | StateEnd::Broke(_) => None,
            };
            let all: Option<Vec<_>> = ends.iter().map(refused).collect();
            if let Some(why) = all.and_then(|all| all.into_iter().next()) {
                return Err(CannotRun::RunsNone { vm: machine.name.clone(), why });
            }
        }
        Ok(())
    }

    /// How each of these machines, by their indices, ends with each program.
    pub(super) fn run(&self, programs: &[Program], machines: &[usize]) -> Vec<Vec<StateEnd>> {
        let jobs = self.jobs.min(programs.len()).max(1);
        let work = |first: usize| {
            let mut workers: Vec<_> =
                machines.iter().map(|index| Worker::new(&self.machines[*index].options.run)).collect();
            let mine = programs.iter().enumerate().skip(first).step_by(jobs);
            let mut ends = |program: &Program| {
                let options = machines.iter().map(|index| &self.machines[*index].options);
                let each = workers.iter_mut().zip(options);
                each.map(|(worker, options)| self.end(worker, options, program)).collect()
            };
            mine.map(|(index, program)| (index, ends(program))).collect::<Vec<(usize, Vec<StateEnd>)>>()
        };
        let mut all: Vec<_> = scope(|scope| {
            let others: Vec<_> = (1..jobs).map(|first| scope.spawn(move || work(first))).collect();
            let mut all = work(0);
            for other in others {
                all.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            all
        });
        all.sort_by_key(|(index, _)| *index);
        all.into_iter().map(|(_, ends)| ends).collect()
    }

    fn end(&self, worker: &mut Worker<'_>, options: &LoadOptions, program: &Program) -> StateEnd {
        let mut state = Err("it reported no state".to_owned());
        let ran = worker.with_testee(self.info.name, &options.file, |testee| {
            testee.run(program, &self.steps, &mut |_, reported| {
                let value = |field: &&'static DeclaredField| {
                    let value = reported.observe(&field.name);
                    value
                        .map(|value| compared_after(program, field, value))
                        .ok_or_else(|| format!("it did not report {}", field.name))
                };
                state = self.fields.iter().map(value).collect::<Result<Vec<_>, _>>();
            })
        });
        match ran {
            Ok(Ok(_)) => match state {
                Ok(values) => StateEnd::State(values),
                Err(why) => StateEnd::Refused(why),
            },
            Ok(Err(Stopped::Crash(breakdown))) => StateEnd::Broke(BrokenEnd::Crash(breakdown)),
            Ok(Err(Stopped::Timeout(breakdown))) => StateEnd::Broke(BrokenEnd::Timeout(breakdown)),
            Ok(Err(Stopped::Unsupported(why))) | Err(why) => StateEnd::Refused(why),
            Ok(Err(Stopped::Error(error))) => StateEnd::Refused(error.to_string()),
            Ok(Err(Stopped::Interrupted)) => StateEnd::Refused("interrupted".to_owned()),
        }
    }

    /// What a vector demands so that it fits an end.
    pub(super) fn demanded(&self, given: &[(Name, Value)], end: &[Value]) -> Vec<(Name, Value)> {
        let value = |(field, value): (&&DeclaredField, &Value)| {
            let before = given.iter().find(|member| member.0 == field.name).map(|member| &member.1);
            (field.name.clone(), with_listed(field, value, before))
        };
        self.fields.iter().zip(end).map(value).collect()
    }
}

fn is_ignored(field: &DeclaredField, ignored: &[IgnoredField]) -> bool {
    ignored.iter().any(|ignored| ignored.field() == &*field.name)
}

/// A memory with the cells that were given, also those that are 0 now; any other value as it is.
fn with_listed(field: &DeclaredField, value: &Value, before: Option<&Value>) -> Value {
    let (Value::Record(cells), FieldType::Memory(_)) = (value, &field.field_type) else {
        return value.clone();
    };
    let mut cells = cells.clone();
    if field.options.unlisted != UnlistedCells::Zero {
        let listed: BTreeSet<Name> = cells.iter().map(|cell| cell.0.clone()).collect();
        let given = before.and_then(Value::members).unwrap_or_default();
        let zeros = given.iter().filter(|cell| !listed.contains(&cell.0));
        cells.extend(zeros.map(|cell| (cell.0.clone(), Value::int(0))));
        cells.sort_by_cached_key(|cell| address_of_key(&cell.0));
    }
    Value::Record(cells)
}

/// The machines of a case by how they ended.
#[derive(Debug, Default)]
pub(super) struct EndGroups {
    /// The machines that ended in the same state, by their indices, the largest group first.
    pub(super) alike: Vec<Vec<usize>>,
    /// The machines that broke down.
    pub(super) broke: Vec<usize>,
    /// The machines that do not run the state.
    pub(super) refused: Vec<usize>,
}

impl EndGroups {
    pub(super) fn of(ends: &[StateEnd]) -> EndGroups {
        let mut groups = EndGroups::default();
        for (index, end) in ends.iter().enumerate() {
            match end {
                StateEnd::State(_) => match groups.alike.iter_mut().find(|group| ends[group[0]] == *end) {
                    Some(group) => group.push(index),
                    None => groups.alike.push(vec![index]),
                },
                StateEnd::Broke(_) => groups.broke.push(index),
                StateEnd::Refused(_) => groups.refused.push(index),
            }
        }
        // A stable sort: of equal ones, that of the machine that was named first.
        groups.alike.sort_by_key(|group| std::cmp::Reverse(group.len()));
        groups
    }

    /// The machine whose end is the one to compare with: the first of the largest group.
    pub(super) fn reference(&self) -> Option<usize> {
        Some(self.alike.first()?[0])
    }
}

/// A value in one line, for reports.
pub(super) fn shown(field: &DeclaredField, value: &Value) -> String {
    written(value, &field.field_type).replace('"', "")
}
