//! What a row declares of an instruction is what the instruction does: for every row of every machine,
//! one instruction is executed in random states, and again with one cell of the state changed.
//!
//! - Nothing changes but the stack items that the row counts and the places that it writes.
//! - A change of a cell that is no operand and no place that the row reads or needs changes nothing else.
//! - Only an instruction that jumps goes on elsewhere for other values of what it reads.
//! - The items that it moves are afterwards where the row says.
//!
//! Each declaration has an effect: without it, or if it moves items from one place deeper, one of these does not hold.
//!
//! | file | content |
//! |---|---|
//! | `prepared.rs` | states in front of an instruction, and how to get each again with one cell changed |
//! | `evm.rs`, `tinyvm.rs` | random programs of these machines |
//! | `vectors.rs` | states in which the own vectors execute an instruction, changed at random |

#![allow(clippy::print_stdout, reason = "the seed repeats a run")]

mod evm;
mod prepared;
mod tinyvm;
mod vectors;

use prepared::{Prepared, Scene};
use vmconf::isa::{DeclaredEffect, OpInfo, PlaceKind, Unit};
use vmconf::machines::inspect::Effects;
use vmconf::machines::machine::Machine;
use vmconf::machines::status::Status;
use vmconf::machines::{MachineInfo, by_name};
use vmconf::model::{Cell, Path, Value};

use crate::cells::{Names, Part, Place, State, is_written};
use crate::random::Random;

/// The fewest and the most states in which a row is tried.
const MIN_COUNT: usize = 15;
const MAX_COUNT: usize = 20_000;

/// The fewest states with one cell changed that a row is tried in.
const MIN_MUTANTS: usize = 10;

/// The most parts of a state that is looked at. With more, the limits of a machine are near, which count all
/// of them.
const PARTS: usize = 500;

/// The most instructions from the one under test to the end of the program.
const TO_THE_END: u64 = 100;

/// Declarations of what no field of a machine shows: the exception of N3 that is on its way, and that waits for the
/// end of a finally block; and that a compound is a new one.
const UNSEEN: [DeclaredEffect; 3] = [
    DeclaredEffect::Reads(PlaceKind::Exception),
    DeclaredEffect::Writes(PlaceKind::Exception),
    DeclaredEffect::Creates,
];

/// The fields of a machine that show its cells: at any time, and at the end only.
struct Fields {
    always: &'static [&'static str],
    in_the_end: &'static [&'static str],
}

fn fields(machine: &MachineInfo) -> Fields {
    let (always, in_the_end): (&[_], &[_]) = match machine.name {
        "evm" => (&["stack", "memory"], &["out", "logs", "logsHash", "callcreates", "post"]),
        "neo2" | "neo3" => (&["invocationStack", "resultStack"], &[]),
        "tinyvm" => (&["registers", "data", "driver", "testee"], &[]),
        "minic89" => (&["operand_stack", "call_stack", "halt"], &[]),
        other => panic!("which fields show the cells of {other}?"),
    };
    Fields { always, in_the_end }
}

/// A state after an instruction, or before it.
struct Outcome {
    state: State,
    /// The operand stack, the lowest item first.
    stack: Vec<Value>,
    at_end: State,
    pc: Option<usize>,
    gas: Option<u64>,
    depth: usize,
    is_running: bool,
    has_failed: bool,
    /// Why a script of N3 faulted.
    message: Option<Value>,
}

impl Outcome {
    /// The state now, and what the end of the program shows.
    fn of(machine: &mut dyn Machine, names: Names, is_running: bool, fields: &Fields) -> Outcome {
        let faults = ["Fault", "FAULT"].map(Value::text);
        let mut outcome = Outcome {
            state: State::of(fields.always, machine, Some(names)),
            stack: (0..machine.height()).rev().filter_map(|below| machine.item(below)).collect(),
            at_end: State { is_fixed: true, ..State::default() },
            pc: machine.next().map(|at| at.pc),
            gas: machine.gas().map(|gas| gas.left),
            depth: machine.depth(),
            is_running,
            has_failed: machine.failure().is_some()
                || machine.observe("state").is_some_and(|state| faults.contains(&state)),
            message: machine.observe("exceptionMessage"),
        };
        if !fields.in_the_end.is_empty() {
            machine.run(TO_THE_END, None);
        }
        for field in fields.in_the_end {
            if let Some(value) = machine.observe(field) {
                outcome.at_end.add(&Path::field(*field), &value, machine);
            }
        }
        outcome
    }

    /// After one instruction; names are those of the state before.
    fn after(machine: &mut dyn Machine, names: Names, fields: &Fields) -> Outcome {
        let status = machine.run(1, None);
        Outcome::of(machine, names, status == Status::Running, fields)
    }

    /// The cells of each part that differs.
    fn differing<'o>(&'o self, before: &'o Outcome) -> Vec<Difference<'o>> {
        let pairs = [(&self.state, &before.state), (&self.at_end, &before.at_end)];
        let changed = pairs.iter().flat_map(|(now, before)| now.changes(before));
        // At the end, what is not shown is a difference too.
        let gone = before.at_end.cells.iter().filter(|(place, _)| !self.at_end.cells.contains_key(*place));
        let all = changed.chain(gone).map(|(place, part)| Difference { cells: &place.0, part });
        all.filter(|difference| !difference.follows()).collect()
    }

    /// What says how the run goes on.
    fn course(&self) -> (Option<usize>, Option<u64>, usize, bool, bool, usize, Option<&Value>) {
        let Outcome { pc, gas, depth, is_running, has_failed, .. } = *self;
        (pc, gas, depth, is_running, has_failed, self.state.height, self.message.as_ref())
    }
}

struct Difference<'o> {
    cells: &'o [Cell],
    part: &'o Part,
}

impl Difference<'_> {
    /// Whether it is the number of words in the storage of an account, each of which is a cell; or zero, as it is in
    /// an account that is not there.
    fn follows(&self) -> bool {
        let is_of_account = matches!(self.cells, [Cell::Named("account" | "balance", _)]);
        is_of_account
            && match self.part {
                Part::Node(..) => true,
                Part::Leaf(value) => *value == Value::int(0) || value.len() == Some(0),
            }
    }

    fn is_in(&self, cells: &[Cell]) -> bool {
        is_written(cells, self.cells, self.part)
    }
}

/// A part of the state that is another one in a mutant.
#[derive(Debug)]
struct Other {
    cells: Vec<Cell>,
    /// Whether it is the type or size of a compound, or is not there in one of the states.
    is_shape: bool,
}

/// What an instruction does in a state with some other parts.
struct Mutant {
    other: Vec<Other>,
    /// Whether it throws there: where an exception is caught, the program goes on elsewhere without a jump.
    throws: bool,
    after: Outcome,
}

/// An instruction in one state, and what it does there.
struct Trial {
    op: &'static OpInfo,
    /// Where the program goes on without a jump.
    next: usize,
    shown: String,
    before: Outcome,
    after: Outcome,
    mutants: Vec<Mutant>,
    declared: Effects,
    /// The same, each without one of the declarations, or with items that are moved from one place deeper.
    without: Vec<Effects>,
}

impl Trial {
    /// Executes the instruction; `None` where the state cannot be made.
    fn of(machine: &'static MachineInfo, op: &'static OpInfo, scene: &Scene) -> Option<Trial> {
        let fields = fields(machine);
        let mut start = scene.start.make()?;
        let next = start.next()?;
        if next.op != Some(op) {
            return None;
        }
        let (pc, end) = (next.pc, next.pc + 1 + next.operand.len());
        // Memories of words have no end.
        let after_it = if machine.isa.unit == Unit::Words { usize::from(end as u16) } else { end };
        let mut names = names(&*start, &fields)?;
        let declared = named(start.effects(), &mut names);
        let without = op.effects.iter().enumerate().map(|(left_out, effect)| match effect {
            DeclaredEffect::Moves(()) => Effects {
                moves: declared.moves.iter().map(|distance| distance + 1).collect(),
                ..declared.clone()
            },
            _ => named(start.declared(&|index| index != left_out), &mut names),
        });
        let without = without.collect();
        let shown = format!("{} {} {}", machine.name, start.instruction(), scene.shown);
        let mut before = scene.idle.as_ref().unwrap_or(&scene.start).make()?;
        let before_names = self::names(&*before, &fields)?;
        let before = Outcome::of(&mut *before, before_names, true, &fields);
        let after = Outcome::after(&mut *start, names, &fields);
        let mutant = |(cell, prepared): &(Option<Cell>, Prepared)| {
            let mut machine = prepared.make()?;
            let names = self::names(&*machine, &fields)?;
            let other = match cell {
                Some(cell) => vec![Other { cells: vec![cell.clone()], is_shape: false }],
                None => other_parts(&*machine, pc, &names, &before, &fields)?,
            };
            let throws = throws(&machine.effects());
            Some(Mutant { other, throws, after: Outcome::after(&mut *machine, names, &fields) })
        };
        let mutants = scene.mutants.iter().filter_map(mutant).collect();
        Some(Trial { op, next: after_it, shown, before, after, mutants, declared, without })
    }

    /// What does not hold if these are the effects of the instruction.
    fn violation(&self, effects: &Effects) -> Option<String> {
        let height = self.before.state.height;
        let takes = effects.takes.unwrap_or(self.op.pops.into()).min(height);
        let mut writes = Vec::new();
        if !self.after.has_failed {
            let end = self.after.state.height;
            let lowest = (height - takes).min(end.saturating_sub(self.op.pushes.into()));
            writes.extend(effects.writes.iter().cloned().chain((lowest..end).map(Cell::Stack)));
            let changes = self.after.differing(&self.before);
            if let Some(wrong) = changes.into_iter().find(|difference| !difference.is_in(&writes)) {
                return Some(format!("{}: changes {:?}, {:?}", self.shown, wrong.cells, wrong.part));
            }
        }
        // An exception that is caught leaves another height.
        let goes_on = self.after.is_running && self.after.depth == self.before.depth;
        let may_throw = throws(effects) || reads(effects, &Cell::named("exception", ""));
        if goes_on && !self.after.has_failed && !may_throw {
            let declared = height - takes + effects.leaves.unwrap_or(self.op.pushes.into());
            if self.after.state.height != declared {
                return Some(format!(
                    "{}: leaves {} instead of {declared}",
                    self.shown, self.after.state.height
                ));
            }
            if let Some(wrong) = self.moved_elsewhere(effects) {
                return Some(format!("{}: moves an item elsewhere than to {wrong}", self.shown));
            }
            if effects.target.is_some() && self.after.pc != effects.target {
                return Some(format!("{}: goes on at {:?}", self.shown, self.after.pc));
            }
        }
        let in_frame = self.after.is_running && self.after.depth == self.before.depth;
        if in_frame && self.after.pc != Some(self.next) && !self.after.has_failed && !goes_elsewhere(effects)
        {
            return Some(format!("{}: goes on at {:?} instead of {}", self.shown, self.after.pc, self.next));
        }
        let is_read = |Other { cells, is_shape }: &Other| match &cells[..] {
            [Cell::Stack(at)] if *at >= height - takes => true,
            // To take a compound from the stack, or to load it, is not to read what is in it. To write an
            // item is to depend on its type and size, and so is to throw or to fail because there is no such
            // item.
            [_, _, ..] => {
                cells.iter().filter(|it| matches!(it, Cell::Item(..) | Cell::Compound(_))).any(|it| {
                    let depends_on_shape = || {
                        throws(effects)
                            || self.after.has_failed
                            || effects.writes.iter().any(|write| write.touches(it))
                    };
                    reads(effects, it) || *is_shape && depends_on_shape()
                })
            }
            cells => cells.iter().any(|cell| reads(effects, cell)),
        };
        self.mutants.iter().find_map(|mutant| {
            let Mutant { other, after, .. } = mutant;
            let what = if other.iter().any(is_read) {
                self.jumps_undeclared(mutant, effects)
            } else {
                self.depends(other, after, &writes)
            };
            what.map(|what| format!("{}: with other {other:?}, {what}", self.shown))
        })
    }

    /// The stack slot, counted from the lowest one, that has another item than the one that is moved there.
    fn moved_elsewhere(&self, effects: &Effects) -> Option<usize> {
        let (before, after) = (&self.before.stack, &self.after.stack);
        let lowest = after.len().checked_sub(effects.moves.len())?;
        (lowest..)
            .zip(&effects.moves)
            .map(|(to, distance)| (to, before.len().checked_sub(1 + distance)))
            .find_map(|(to, from)| (from.is_none_or(|from| before[from] != after[to])).then_some(to))
    }

    /// How the result depends on parts of the state, which it must not.
    fn depends(&self, other: &[Other], mutant: &Outcome, writes: &[Cell]) -> Option<String> {
        let (course, mutant_course) = (self.after.course(), mutant.course());
        if course != mutant_course {
            return Some(format!("{mutant_course:?} instead of {course:?}"));
        }
        // All of a Buffer is one leaf: what is written to one byte leaves the others as they are.
        let covers = |write: &Cell, cell: &Cell| {
            write.touches(cell) && !matches!((write, cell), (Cell::Item(..), Cell::Compound(_)))
        };
        let stays = |cell: &Cell| {
            other.iter().any(|it| it.cells[0].touches(cell))
                && !writes.iter().any(|write| covers(write, cell))
        };
        let differing = mutant.differing(&self.after);
        let wrong = differing.into_iter().find(|difference| !difference.cells.iter().any(stays))?;
        Some(format!("{:?} is {:?}", wrong.cells, wrong.part))
    }

    fn jumps_undeclared(&self, mutant: &Mutant, effects: &Effects) -> Option<String> {
        let Mutant { after, throws: mutant_throws, .. } = mutant;
        // A call says with what it reads where the new frame begins.
        let depths = [self.before.depth, self.after.depth, after.depth];
        let go_on = self.after.is_running && after.is_running && depths == [depths[0]; 3];
        let is_declared = goes_elsewhere(effects) || *mutant_throws;
        let elsewhere = self.after.pc != after.pc;
        (go_on && elsewhere && !is_declared)
            .then(|| format!("goes on at {:?} instead of {:?}", after.pc, self.after.pc))
    }
}

/// Whether it declares that it may go on elsewhere than at the instruction after it.
fn goes_elsewhere(effects: &Effects) -> bool {
    effects.writes.contains(&Cell::jump()) || throws(effects)
}

fn throws(effects: &Effects) -> bool {
    effects.writes.contains(&Cell::named("exception", ""))
}

/// The names of what a state shows; `None` for a large one.
fn names(machine: &dyn Machine, fields: &Fields) -> Option<Names> {
    let state = State::of(fields.always, machine, Some(Names::default()));
    state.names.filter(|_| state.cells.len() <= PARTS)
}

fn named(effects: Effects, names: &mut Names) -> Effects {
    let mut name = |cell| names.name(cell);
    Effects {
        reads: effects.reads.into_iter().map(|(cell, value)| (name(cell), value)).collect(),
        needs: effects.needs.into_iter().map(&mut name).collect(),
        writes: effects.writes.into_iter().map(&mut name).collect(),
        moves: effects.moves,
        creates: effects.creates,
        stores: effects.stores.map(&mut name),
        may_write: effects.may_write.into_iter().map(&mut name).collect(),
        takes: effects.takes,
        leaves: effects.leaves,
        target: effects.target,
        calls: effects.calls,
    }
}

fn reads(effects: &Effects, cell: &Cell) -> bool {
    effects.reads.iter().map(|read| &read.0).chain(&effects.needs).any(|read| read.touches(cell))
}

/// The cells of each part of a state that is not as in the state `before`; `None` where the machine is in
/// front of another instruction, or its stack is not as high.
fn other_parts(
    machine: &dyn Machine,
    pc: usize,
    names: &Names,
    before: &Outcome,
    fields: &Fields,
) -> Option<Vec<Other>> {
    let (state, before) = (State::of(fields.always, machine, Some(names.clone())), &before.state);
    let other = |(place, part): (&Place, &Part)| {
        let (now, then) = (state.cells.get(place), before.cells.get(place));
        let is_there = now.is_some() && then.is_some();
        let is_sized = matches!(part, Part::Node(..)) || now.and_then(size) != then.and_then(size);
        Other { cells: place.0.clone(), is_shape: !is_there || is_sized }
    };
    let gone = before.cells.iter().filter(|(place, _)| !state.cells.contains_key(*place));
    let parts: Vec<_> = state.changes(before).chain(gone).map(other).collect();
    let is_there = machine.next()?.pc == pc && state.height == before.height;
    (is_there && !parts.is_empty()).then_some(parts)
}

/// How many bytes a part has.
fn size(part: &Part) -> Option<usize> {
    match part {
        Part::Leaf(value) => value.len(),
        Part::Node(..) => None,
    }
}

/// Tries each row: in at least [`MIN_COUNT`] states, and in more until each of its declarations has mattered.
fn check(machine: &str, mut scene: impl FnMut(&'static OpInfo, &mut Random) -> Option<Scene>) {
    let machine = by_name(machine).unwrap();
    let mut random = Random::seeded_by("EFFECTS_SEED");
    let mut wrong = Vec::new();
    for op in machine.isa.ops {
        // The vectors execute some of these only as the first instruction, before which nothing is there to change.
        let is_changed = !op.name.starts_with("PUSHBYTES");
        let (mut count, mut mutants, mut violation) = (0, 0, None);
        let mut unnoticed: Vec<_> =
            (0..op.effects.len()).filter(|it| !UNSEEN.contains(&op.effects[*it])).collect();
        for _ in 0..MAX_COUNT {
            if count >= MIN_COUNT && (!is_changed || mutants >= MIN_MUTANTS) && unnoticed.is_empty() {
                break;
            }
            let Some(trial) = scene(op, &mut random).and_then(|scene| Trial::of(machine, op, &scene)) else {
                continue;
            };
            count += 1;
            mutants += trial.mutants.len();
            violation = violation.or_else(|| trial.violation(&trial.declared));
            unnoticed.retain(|declaration| trial.violation(&trial.without[*declaration]).is_none());
        }
        assert!(count > 0, "{} is never executed", op.name);
        assert!(!is_changed || mutants > 0, "no state before {} is changed", op.name);
        wrong.extend(violation);
        wrong.extend(
            unnoticed.iter().map(|it| format!("{} without {:?}: not noticed", op.name, op.effects[*it])),
        );
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn instructions_of_evm_do_what_their_rows_say() {
    check("evm", |op, random| Some(evm::scene(op, random)));
}

#[test]
fn instructions_of_tinyvm_do_what_their_rows_say() {
    check("tinyvm", |op, random| Some(tinyvm::scene(op, random)));
}

#[test]
fn instructions_of_minic89_do_what_their_rows_say() {
    check_vectors("minic89");
}

#[test]
fn instructions_of_neo2_do_what_their_rows_say() {
    check_vectors("neo2");
}

#[test]
fn instructions_of_neo3_do_what_their_rows_say() {
    check_vectors("neo3");
}

fn check_vectors(machine: &str) {
    let vectors = vectors::Vectors::read(machine);
    check(machine, |op, random| vectors.scene(op, random));
}
