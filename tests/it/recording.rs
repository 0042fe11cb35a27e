//! Time travel: any step of a recording is the state that running to that step gives, and what it says of writes
//! is what a search of the whole run finds.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use crate::support::{read, relative, replay, written_vectors};
use vmconf::explain::recording::{
    Datum, DatumWriter, Direction, FoundMoment, FoundWrite, Recording, sections_of,
};
use vmconf::machines::inspect::{Effects, Inspect, frame_of, written_cells};
use vmconf::machines::machine::{At, Watch};
use vmconf::machines::{self};
use vmconf::model::limits::Limits;
use vmconf::model::{Action, Case, Cell, Step, Value};

/// The number of states of a case that are looked at.
const STATES: usize = 60;

/// One of this number of cases is looked at.
const EVERY: usize = 23;

/// All that can be observed, as text.
fn state(machine: &dyn Inspect, fields: &[&str]) -> String {
    fields.iter().fold(machine.instruction(), |mut text, field| {
        write!(text, " {field}={:?}", machine.observe(field)).unwrap();
        text
    })
}

/// The states before each instruction, and what each instruction writes by its row and by the frames that it starts
/// and ends.
struct States {
    fields: Vec<&'static str>,
    before: Vec<String>,
    writes: Vec<Effects>,
    left: Vec<(usize, usize)>,
}

impl Watch for States {
    fn before(&mut self, at: &At<'_>) {
        if self.before.len() < STATES {
            // The instruction before this one may have started or ended a frame.
            if let Some(last) = self.writes.last_mut() {
                last.writes = written_cells(std::mem::take(&mut last.writes), at.state);
            }
            self.before.push(state(at.state, &self.fields));
            let effects = at.state.effects();
            let takes = effects.takes.unwrap_or(at.op.map_or(0, |op| op.pops.into()));
            self.left.push((top(at.state).saturating_sub(takes), at.op.map_or(0, |op| op.pushes.into())));
            self.writes.push(effects);
        }
    }
}

/// The height of the stack, counted in all frames where each has a stack of its own.
fn top(state: &dyn Inspect) -> usize {
    frame_of(state).map_or(0, |frame| frame.stack) + state.height()
}

fn fields(case: &Case) -> Vec<&'static str> {
    let machine = machines::by_name(case.machine).unwrap();
    machine.fields.iter().map(|field| field.name).collect()
}

fn record(case: &Case) -> Recording {
    let machine = (machines::by_name(case.machine).unwrap().new)(&Limits::default());
    Recording::new(machine, case).unwrap()
}

/// Some of the cases of all machines.
fn cases() -> impl Iterator<Item = (String, Case)> {
    let cases = written_vectors().into_iter().flat_map(|path| {
        let name = move |case: &str| format!("{} {case}", relative(&path));
        let cases = read(&vmconf_path(&name)).1;
        cases.into_iter().map(move |read| (name(&read.name), read.case)).collect::<Vec<_>>()
    });
    cases.step_by(EVERY)
}

fn vmconf_path(name: &impl Fn(&str) -> String) -> std::path::PathBuf {
    crate::support::at_root(name("").trim_end())
}

/// The numbers below `end` in an order that goes back and forth.
fn mixed(end: usize) -> impl Iterator<Item = usize> {
    (0..end).map(move |index| index * 7919 % end.max(1))
}

#[test]
fn any_step_is_what_running_to_it_gives() {
    let mut machines = std::collections::BTreeSet::new();
    for (name, case) in cases() {
        let fields = fields(&case);
        let (before, writes, left) = (Vec::new(), Vec::new(), Vec::new());
        let mut watch = States { fields, before, writes, left };
        let last = replay(&case, Some(&mut watch), &mut |_, _| {});
        let mut recording = record(&case);
        for step in mixed(watch.before.len()) {
            let moment = recording.moment(step as u64);
            let there = state(recording.go_to(moment), &watch.fields);
            assert_eq!(there, watch.before[step], "{name}, step {step}");
        }
        let end = recording.moment(u64::MAX);
        assert_eq!(state(recording.go_to(end), &watch.fields), state(&*last, &watch.fields), "{name}");
        machines.insert(case.machine);
    }
    assert!(machines.len() >= 5, "{machines:?}");
}

/// What the last of the first `steps` instructions is that wrote one of the cells. One whose row says so leaves items
/// where they are, as DUP does with the one that it copies.
fn last_write(watch: &States, heights: &[usize], cells: &[Cell], steps: usize) -> Option<u64> {
    let writes = |step: &usize| {
        let (left, pushes) = watch.left[*step];
        let places = left.min(heights[step + 1].saturating_sub(pushes))..heights[step + 1];
        let is_pushed = |cell: &Cell| match cell {
            Cell::Stack(place) if places.contains(place) => {
                // Counted from the top, as the row says where the item was before.
                let moves = &watch.writes[*step].moves;
                let below = heights[step + 1] - 1 - place;
                let from = moves.len().checked_sub(below + 1).map(|index| moves[index]);
                from.is_none_or(|from| heights[*step] != place + 1 + from)
            }
            _ => false,
        };
        let is_written = |cell: &Cell| watch.writes[*step].writes.iter().any(|written| written.touches(cell));
        cells.iter().any(|cell| is_pushed(cell) || is_written(cell))
    };
    (0..steps).rev().find(|step| writes(step)).map(|step| step as u64 + 1)
}

/// The last of the first `steps` instructions after which a datum has another value.
fn last_change(recording: &mut Recording, datum: &Datum, steps: usize) -> Option<u64> {
    let mut value = |step: usize| {
        let state = recording.go_to(recording.moment(step as u64)).inspect();
        let mut rows = sections_of(state).into_iter().flat_map(|section| section.rows);
        rows.find(|shown| shown.datum.id == datum.id).map(|shown| shown.row.value)
    };
    (1..=steps).rev().find(|step| value(*step) != value(step - 1)).map(|step| step as u64)
}

#[test]
fn the_previous_write_is_what_a_search_of_the_whole_run_finds() {
    let (mut found, mut machines) = (0, std::collections::BTreeSet::new());
    for (name, case) in cases() {
        let mut watch =
            States { fields: Vec::new(), before: Vec::new(), writes: Vec::new(), left: Vec::new() };
        replay(&case, Some(&mut watch), &mut |_, _| {});
        let steps = watch.writes.len().saturating_sub(1);
        let mut recording = record(&case);
        let heights: Vec<_> =
            (0..=steps).map(|step| top(recording.go_to(recording.moment(step as u64)))).collect();
        let here = recording.moment(steps as u64);
        recording.go_to(here);
        let rows: Vec<_> =
            sections_of(recording.machine().inspect()).into_iter().flat_map(|it| it.rows).collect();
        for datum in rows.into_iter().map(|row| row.datum).take(20) {
            let expected = if datum.cells.is_empty() {
                last_change(&mut recording, &datum, steps)
            } else {
                last_write(&watch, &heights, &datum.cells, steps)
            };
            recording.go_to(here);
            let there = recording.write_of(&datum, Direction::Back, &mut |_| true);
            assert_eq!(
                there,
                expected.map_or(FoundWrite::Nothing, FoundWrite::Instruction),
                "{name}: {datum:?}"
            );
            assert_eq!(recording.now(), here);
            if expected.is_some() {
                found += 1;
                machines.insert(case.machine);
            }
        }
    }
    assert!(found > 50 && machines.len() >= 5, "{found} writes, {machines:?}");
}

/// The writes of r0 in a run of TinyVM that begins with `before`; then the vector sets r0 to 9, and r0 gets 7.
fn writes_of_r0(before: &[&str]) -> Vec<(u64, Option<String>, bool)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vector.json");
    let instructions = [before, &["yield", "lw r0, 7", "yield"]].concat();
    let test = serde_json::json!({
        "name": "then", "registers": { "r4": 2047 }, "instructions": instructions,
        "expect": { "stop": "yield" }, "then": [{ "registers": { "r0": 9 }, "expect": { "value": 7 } }],
    });
    std::fs::write(&path, serde_json::json!({ "machine": "tinyvm", "tests": [test] }).to_string()).unwrap();
    let mut recording = record(&read(&path).1[0].case);
    let rows = sections_of(recording.machine().inspect()).into_iter().flat_map(|section| section.rows);
    let datum = rows.map(|row| (row.row.name, row.datum)).find(|(name, _)| name == "r0").unwrap().1;
    let mut writes = Vec::new();
    let found = recording.writes_of(&datum, 0, &mut |_| true, &mut |write| {
        writes.push((write.step, write.new, write.by == DatumWriter::Vector));
        ControlFlow::Continue(())
    });
    assert_eq!(found, FoundMoment::Nothing);
    writes
}

/// What the vector sets between instructions is a write like theirs, in its place, wherever the search pauses.
#[test]
fn the_vector_writes_between_instructions() {
    let write = |step: u64, new: &str, is_set: bool| (step, Some(new.to_owned()), is_set);
    let writes = writes_of_r0(&["lw r0, 5"]);
    assert_eq!(writes, [write(1, "5", false), write(2, "9", true), write(3, "7", false)]);
    // The vector sets it after 2 * 2047 + 2 = 4096 instructions, as many as are searched at a time.
    let writes = writes_of_r0(&["lw r0, 5", "decr r4", "b r4 -1"]);
    assert_eq!(writes, [write(1, "5", false), write(4096, "9", true), write(4097, "7", false)]);
}

/// `n` times around a loop: a counter is pushed and lowered until it is 0.
fn evm_loop(rounds: u32) -> Case {
    let mut code = vec![0x63];
    code.extend(rounds.to_be_bytes());
    // JUMPDEST, PUSH1 1, SWAP1, SUB, DUP1, PUSH1 5, JUMPI, STOP
    code.extend([0x5b, 0x60, 1, 0x90, 0x03, 0x80, 0x60, 5, 0x57, 0x00]);
    let (_, mut cases) = read(&crate::support::at_root("vectors/evm/arithmetic/div.json"));
    let Case { machine, program, places, .. } = cases.remove(0).case;
    let Value::Record(mut members) = (*program.0).clone() else { panic!("{program:?}") };
    for (name, value) in &mut members {
        match &**name {
            "code" => *value = Value::Bytes(code.clone()),
            "gas" => *value = Value::int(u64::MAX >> 1),
            _ => {}
        }
    }
    let steps = vec![Step { actions: vec![Action::Execute], end: None, assertions: Vec::new() }];
    Case { machine, program: Value::Record(members).into(), places, steps, label: None }
}

#[test]
fn a_long_run_is_read_in_both_directions() {
    let rounds = 150_000;
    let mut recording = record(&evm_loop(rounds));
    assert_eq!(recording.steps(), 1 + u64::from(rounds) * 7 + 1);
    for step in [0, 1, 700_001, 699_999, 65_536, 65_537, recording.steps()] {
        let moment = recording.moment(step);
        let pc = recording.go_to(moment).observe("pc");
        // Each round has seven instructions, the first at 5.
        let offsets = [5, 6, 8, 9, 10, 11, 13];
        let expected = match step.checked_sub(1) {
            None => 0,
            Some(_) if step == recording.steps() => 14,
            Some(after) => offsets[(after % 7) as usize],
        };
        assert_eq!(pc, Some(Value::int(expected)), "step {step}");
    }
    let jump_destination = |at: &At<'_>| at.pc == 5;
    recording.go_to(recording.moment(u64::MAX));
    let back = recording.execution_where(Direction::Back, &mut |_| true, jump_destination);
    assert_eq!(back, FoundMoment::At(2 + u64::from(rounds - 1) * 7));
    recording.go_to(recording.moment(0));
    let ahead = recording.execution_where(Direction::Forward, &mut |_| true, |at| at.pc == 14);
    assert_eq!(ahead, FoundMoment::At(recording.steps()));
    let first = Datum::of(Cell::Stack(0));
    let written = recording.write_of(&first, Direction::Forward, &mut |_| true);
    assert_eq!(written, FoundWrite::Instruction(1));
    assert_eq!(
        recording.execution_where(Direction::Forward, &mut |_| false, |_| false),
        FoundMoment::Cancelled
    );
}
