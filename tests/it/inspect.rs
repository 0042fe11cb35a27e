//! What machines say of their instructions is what happens: over all own vectors, step by step, what
//! stands on the stack is what is observed, and nothing changes that no instruction said it would write.

use std::collections::{HashMap, HashSet};

use crate::cells::{Part, State, is_on_a_stack, is_written};
use crate::support::{
    Read, VECTORS, at_root, checks_of, is_table, read, relative, replay, sources_of, written_in,
    written_vectors,
};
use vmconf::explain::blame::{Counter, Recorder, WatchedInstructions};
use vmconf::explain::trace::StepFilter;
use vmconf::machines;
use vmconf::machines::inspect::Inspect;
use vmconf::machines::machine::{At, Machine, Watch, perform};
use vmconf::model::limits::Limits;
use vmconf::model::{Action, Case, Cell, ExecutedInstruction, MemberShape, Path, Value};
use vmconf::run::sources::{SourceOrigin, VectorSource};
use vmconf::run::{self, LoadOptions, Worker};
use vmconf::testees::Testee;

/// The number of parts of all states of a case that are looked at, and a few more.
const PARTS: usize = 50_000;
/// The number of items of a stack that are asked for one by one.
const ITEMS: usize = 64;

/// What a machine's state has in cells, and how closely a run is looked at.
struct Looks {
    machine: &'static str,
    /// The number of instructions of a case that are looked at.
    steps: usize,
    /// Fields that can be seen at any time.
    always: &'static [&'static str],
    /// Fields that can be seen at the end.
    in_the_end: &'static [&'static str],
    /// Where the operand stack is, the bottom first.
    stack: fn(&dyn Inspect) -> Vec<Value>,
}

const LOOKS: &[Looks] = &[
    Looks {
        machine: "evm",
        steps: 150,
        always: &["stack", "memory"],
        in_the_end: &["out", "logs", "callcreates", "post"],
        stack: |machine| list(machine.observe("stack")),
    },
    Looks {
        machine: "neo3",
        steps: 150,
        always: &["invocationStack", "resultStack"],
        in_the_end: &[],
        // All frames show the one stack.
        stack: |machine| stacks(machine, 1),
    },
    Looks {
        machine: "neo2",
        steps: 150,
        always: &["invocationStack", "resultStack"],
        in_the_end: &[],
        stack: |machine| stacks(machine, usize::MAX),
    },
    Looks {
        machine: "minic89",
        steps: 150,
        always: &["operand_stack", "call_stack"],
        in_the_end: &[],
        stack: |machine| list(machine.observe("operand_stack")),
    },
    Looks {
        machine: "tinyvm",
        // All 65536 words are looked at each time.
        steps: 60,
        always: &["registers", "data", "driver", "testee"],
        in_the_end: &["changedRegisters", "changedData"],
        stack: |_| Vec::new(),
    },
];

fn list(value: Option<Value>) -> Vec<Value> {
    match value {
        Some(Value::List(items)) => items,
        _ => Vec::new(),
    }
}

/// The stacks of this number of frames of a NeoVM, or what is left of them in the end.
fn stacks(machine: &dyn Inspect, frames: usize) -> Vec<Value> {
    let frames = list(machine.observe("invocationStack")).into_iter().take(frames);
    let mut items: Vec<_> = frames.flat_map(|frame| list(frame.get("evaluationStack").cloned())).collect();
    items.extend(list(machine.observe("resultStack")));
    items.reverse();
    items
}

/// An instruction that is being executed.
struct Pending {
    text: String,
    before: State,
    takes: usize,
    pushes: usize,
    writes: Vec<Cell>,
}

/// Looks at each instruction of a case, as far as it is looked at.
struct Looker {
    looks: &'static Looks,
    case: String,
    steps: usize,
    parts: usize,
    pending: Option<Pending>,
    /// What was written in all.
    written: HashSet<Cell>,
    wrong: Vec<String>,
}

impl Looker {
    /// Whether enough was seen of the case.
    fn is_done(&self) -> bool {
        self.steps >= self.looks.steps || self.parts > PARTS
    }

    /// The instruction before is over.
    fn finish(&mut self, machine: &dyn Inspect) -> Option<State> {
        if self.pending.is_none() && self.is_done() {
            return None;
        }
        let state = State::of(self.looks.always, machine, None);
        self.parts += state.cells.len();
        self.see_stack(machine);
        let Some(mut pending) = self.pending.take() else { return Some(state) };
        let Pending { before, takes, pushes, .. } = &pending;
        let from = before.height.saturating_sub(*takes).min(state.height.saturating_sub(*pushes));
        pending.writes.extend((from..state.height).map(Cell::Stack));
        for (place, part) in state.changes(&pending.before) {
            if !is_written(&pending.writes, &place.0, part) {
                let Pending { text, before, writes, .. } = &pending;
                let (case, old) = (&self.case, before.cells.get(place));
                self.wrong
                    .push(format!("{case}: {text}: {part:?} in {place:?} was {old:?}, writes {writes:?}"));
            }
        }
        self.written.extend(pending.writes);
        Some(state)
    }

    /// The stack is the one that is observed.
    fn see_stack(&mut self, machine: &dyn Inspect) {
        let observed = (self.looks.stack)(machine);
        assert_eq!(machine.height(), observed.len(), "{}: height", self.case);
        for (below, value) in observed.iter().rev().enumerate().take(ITEMS) {
            if size(value) <= 200 {
                assert_eq!(machine.item(below).as_ref(), Some(value), "{}: item {below}", self.case);
            }
        }
        assert_eq!((machine.item(observed.len()), machine.compound(observed.len())), (None, None));
    }
}

/// About how large a value is.
fn size(value: &Value) -> usize {
    match value {
        Value::Typed(_, inside) => size(inside),
        Value::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Record(members) => 1 + members.iter().map(|member| size(&member.1)).sum::<usize>(),
        Value::Bytes(bytes) => 1 + bytes.len() / 32,
        Value::Int(number) => 1 + number.bits() as usize / 256,
        _ => 1,
    }
}

impl Watch for Looker {
    fn before(&mut self, at: &At<'_>) {
        let state = self.finish(at.state);
        if self.is_done() {
            return;
        }
        self.steps += 1;
        let effects = at.state.effects();
        let (pops, pushes) = at.op.map_or((0, 0), |op| (op.pops.into(), op.pushes.into()));
        for (cell, _) in &effects.reads {
            if let Cell::Stack(place) = cell {
                assert!(*place < at.state.height(), "{}: reads {cell:?}", self.case);
            }
        }
        assert!(effects.takes.is_none_or(|takes| takes <= at.state.height()), "{}: takes", self.case);
        let text = at.state.instruction();
        // TinyVM and MiniC89 spell some instructions in their own way.
        let is_of_bytes = matches!(self.looks.machine, "evm" | "neo2" | "neo3");
        let is_named = at.op.is_none_or(|op| text.contains(op.name));
        assert!(!text.is_empty() && (is_named || !is_of_bytes), "{}: {text:?} is {:?}", self.case, at.op);
        self.pending = Some(Pending {
            text,
            before: state.unwrap_or_default(),
            takes: effects.takes.unwrap_or(pops),
            pushes,
            writes: effects.writes,
        });
    }
}

/// Runs a case with a [`Looker`].
fn look(case: &Case, name: String) -> Looker {
    let looks = LOOKS.iter().find(|looks| looks.machine == case.machine).unwrap();
    let (written, wrong) = (HashSet::new(), Vec::new());
    let mut looker = Looker { looks, case: name, steps: 0, parts: 0, pending: None, written, wrong };
    let limits = Limits::default();
    let mut machine = (machines::by_name(case.machine).unwrap().new)(&limits);
    machine.load(&case.program).unwrap();
    let mut is_changed = false;
    for action in case.steps.iter().flat_map(|step| &step.actions) {
        is_changed |= matches!(action, Action::Set(_));
        perform(&mut *machine, action, Some(&mut looker));
        looker.finish(&*machine);
    }
    if !looker.is_done() && !is_changed {
        look_at_end(&mut looker, case, &*machine);
    }
    looker
}

/// All that the run has left was written, or was there before.
fn look_at_end(looker: &mut Looker, case: &Case, machine: &dyn Machine) {
    let mut state = State { is_fixed: true, ..State::default() };
    for field in looker.looks.in_the_end {
        if let Some(value) = machine.observe(field) {
            state.add(&Path::field(*field), &value, machine);
        }
    }
    let mut first = State { is_fixed: true, ..State::default() };
    if let Some(pre) = case.program.0.get("pre") {
        first.add(&Path::field("post"), pre, machine);
    }
    let writes: Vec<_> = looker.written.iter().cloned().collect();
    for (place, part) in state.changes(&first) {
        let is_something = match part {
            Part::Leaf(Value::Bytes(bytes)) => !bytes.is_empty(),
            // An account that is not there has as much.
            Part::Leaf(value) if *value == Value::int(0) => first.cells.contains_key(place),
            Part::Leaf(_) => true,
            // What is in it counts.
            Part::Node(..) => false,
        };
        if is_something && !is_written(&writes, &place.0, part) {
            looker.wrong.push(format!("{}: in the end {part:?} is in {place:?}", looker.case));
        }
    }
}

#[test]
fn only_declared_writes_change_the_state() {
    let (mut wrong, mut steps) = (Vec::new(), HashMap::<_, usize>::new());
    for path in written_vectors() {
        let own = |case: &Read| machines::of_this_crate().any(|machine| machine.name == case.case.machine);
        for case in read(&path).1.into_iter().filter(own) {
            let looker = look(&case.case, format!("{} {}", relative(&path), case.name));
            *steps.entry(looker.looks.machine).or_default() += looker.steps;
            wrong.extend(looker.wrong);
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
    for Looks { machine, .. } in LOOKS {
        assert!(steps[machine] > 5_000, "{steps:?}");
    }
}

/// What a vector demands of a stack or slot is in a cell.
#[test]
fn what_is_demanded_of_stacks_is_in_cells() {
    let mut count = 0;
    for path in written_vectors() {
        for case in read(&path).1 {
            replay(&case.case, None, &mut |step, machine| {
                for check in checks_of(step).iter().filter(|check| is_on_a_stack(&check.at)) {
                    count += 1;
                    assert!(!machine.cells(&check.at).is_empty(), "{}: {}", case.name, check.at);
                }
            });
        }
    }
    assert!(count > 5_000, "{count} checks");
}

/// Instructions that run unwatched are counted as those that are watched.
#[test]
fn unwatched_instructions_are_counted() {
    let options = LoadOptions::default();
    let mut sum = 0;
    for source in sources_of(at_root(VECTORS)).into_iter().filter(|it| !is_table(&it.path)) {
        let loaded = run::open(&source, &options);
        for case in 0..loaded.cases() {
            let (mut counter, mut watched) = (Counter::default(), StepFilter::default());
            Worker::new(&options.run).watch_case(&loaded, case, &mut counter);
            Worker::new(&options.run).watch_case(&loaded, case, &mut watched);
            let id = loaded.ids().nth(case).unwrap();
            assert_eq!(counter.count(), watched.found(), "{id}");
            sum += counter.count();
        }
    }
    assert!(sum > 100_000, "{sum}");
}

/// A recorder keeps the same instructions, whether it sees those before them or they run unseen.
#[test]
fn skipped_instructions_change_nothing() {
    const FIRST: u64 = 5;
    let options = LoadOptions::default();
    let shown = |it: &ExecutedInstruction| {
        format!("{} {} {} {:?} {:?}", it.step, it.at.pc, it.text, it.stack, it.cost)
    };
    let mut longer = 0;
    for source in sources_of(at_root(VECTORS)).into_iter().filter(|it| !is_table(&it.path)) {
        let loaded = run::open(&source, &options);
        for case in 0..loaded.cases() {
            let kept = |seen| {
                let mut recorder = Recorder::new(vec![(1, Vec::new())], FIRST..FIRST + 100, seen, 100);
                Worker::new(&options.run).watch_case(&loaded, case, &mut recorder);
                let kept: Vec<_> = recorder.found.before_end.iter().map(shown).collect();
                (recorder.found.asked_after, kept)
            };
            let all = kept(WatchedInstructions::All);
            if all.0 > FIRST {
                longer += 1;
                assert_eq!(kept(WatchedInstructions::Kept), all, "{}", source.shown);
            }
        }
    }
    assert!(longer > 1000, "{longer}");
}

/// A case that cannot be read does not leave the machine of the case before it as its own.
#[test]
fn the_watched_machine_is_that_of_the_last_case() {
    let test = |name: &str, script: &str| {
        let steps = [serde_json::json!({"actions": ["Execute"], "result": {"state": "Halt"}})];
        serde_json::json!({"name": name, "script": script, "steps": steps})
    };
    // PUSH1; half a byte.
    let vector = serde_json::json!({"tests": [test("runs", "0x51"), test("broken", "0x5")]}).to_string();
    let source = VectorSource::new("two.json".into(), "two.json".into(), SourceOrigin::Stream);
    let options = LoadOptions::default();
    let file = run::open_text(&source, vector, &options);
    let mut worker = Worker::new(&options.run);
    let mut executed = |case: usize| {
        worker.watch_case(&file, case, &mut Counter::default());
        worker.watched_machine().and_then(Testee::instructions)
    };
    let ran = executed(0);
    assert!(ran.is_some(), "{ran:?}");
    assert_eq!((executed(1), executed(0)), (None, ran));
}

/// The fields of a machine that show before an instruction.
struct ShownBefore(HashSet<&'static str>, &'static [MemberShape]);

impl Watch for ShownBefore {
    fn before(&mut self, at: &At<'_>) {
        let hidden = self.1.iter().map(|field| field.name).filter(|name| !self.0.contains(name));
        let shown: Vec<_> = hidden.filter(|name| at.state.observe(name).is_some()).collect();
        self.0.extend(shown);
    }
}

/// A field that shows only when a run has ended is made by its last instruction, or the description of the machine says
/// that it is not.
#[test]
fn fields_that_show_only_at_the_end_are_made_by_the_last_instruction_or_described() {
    let mut found = 0;
    for machine in machines::of_this_crate() {
        let made_by_the_last: &[_] = match machine.name {
            "evm" => &["outcome", "out"],
            "ethereum" => &["outcome", "exception", "status", "output"],
            "neo3" => &["exceptionMessage"],
            "minic89" => &["halt", "trap"],
            "tinyvm" => &["outcome"],
            _ => &[],
        };
        let (mut before, mut at_end) = (ShownBefore(HashSet::new(), machine.fields), HashSet::new());
        for path in written_in(format!("vectors/{}", machine.name)) {
            for case in read(&path).1.into_iter().filter(|case| case.case.machine == machine.name) {
                replay(&case.case, Some(&mut before), &mut |_, state| {
                    let names = machine.fields.iter().map(|field| field.name);
                    at_end.extend(names.filter(|name| state.observe(name).is_some()));
                });
            }
        }
        let names: Vec<_> = machine.fields.iter().map(|field| field.name).collect();
        assert!(machine.shown_by_instructions.iter().all(|name| names.contains(name)), "{}", machine.name);
        let hidden: HashSet<_> = at_end.difference(&before.0).copied().collect();
        // Another EVM may show its accounts only at the end.
        let described = machine.shown_at_end.iter().filter(|name| (machine.name, **name) != ("evm", "post"));
        let described: HashSet<_> = described.chain(made_by_the_last).copied().collect();
        assert_eq!(hidden, described, "{}", machine.name);
        found += hidden.len();
    }
    assert!(found > 10, "{found} fields show only at the end");
}
