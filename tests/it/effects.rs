//! What a row declares of an instruction is what the instruction does: for every row of every machine,
//! one instruction is executed in random states, and again with one cell of the state changed.
//!
//! - Nothing changes but the stack items that the row counts and the places that it writes.
//! - A change of a cell that is no operand and no place that the row reads or needs changes nothing else.
//! - Only an instruction that jumps goes on elsewhere for other values of what it reads.
//!
//! Each declaration has an effect: without it, one of these does not hold.
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
use vmconf::isa::OpInfo;
use vmconf::machines::inspect::Effects;
use vmconf::machines::machine::{Machine, Status};
use vmconf::machines::{MachineInfo, by_name};
use vmconf::model::cell::Cell;
use vmconf::model::path::Path;

use crate::cells::{Part, State, is_written};
use crate::random::Random;

/// The most instructions from the one under test to the end of the program.
const TO_THE_END: u64 = 100;

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
    at_end: State,
    pc: Option<usize>,
    gas: Option<u64>,
    depth: usize,
    is_running: bool,
    has_failed: bool,
}

impl Outcome {
    /// The state now, and what the end of the program shows.
    fn of(machine: &mut dyn Machine, is_running: bool, fields: &Fields) -> Outcome {
        let mut outcome = Outcome {
            state: State::of(fields.always, machine),
            at_end: State { is_fixed: true, ..State::default() },
            pc: machine.next().map(|at| at.pc),
            gas: machine.gas(),
            depth: machine.depth(),
            is_running,
            has_failed: machine.failure().is_some(),
        };
        if !fields.in_the_end.is_empty() {
            machine.run(TO_THE_END, None);
        }
        for field in fields.in_the_end {
            if let Some(value) = machine.observe(field) {
                outcome.at_end.add(&Path::field(field), &value, machine);
            }
        }
        outcome
    }

    /// After one instruction.
    fn after(machine: &mut dyn Machine, fields: &Fields) -> Outcome {
        let status = machine.run(1, None);
        Outcome::of(machine, status == Status::Running, fields)
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
    fn course(&self) -> (Option<usize>, Option<u64>, usize, bool, bool, usize) {
        (self.pc, self.gas, self.depth, self.is_running, self.has_failed, self.state.height)
    }
}

struct Difference<'o> {
    cells: &'o [Cell],
    part: &'o Part,
}

impl Difference<'_> {
    /// Whether it is the number of words in the storage of an account, each of which is a cell.
    fn follows(&self) -> bool {
        matches!((self.part, self.cells), (Part::Node(..), [Cell::Named("account", _)]))
    }

    fn is_in(&self, cells: &[Cell]) -> bool {
        is_written(cells, self.cells, self.part)
    }
}

/// An instruction in one state, and what it does there.
struct Trial {
    op: &'static OpInfo,
    shown: String,
    before: Outcome,
    after: Outcome,
    /// Each with the one cell that was changed before.
    mutants: Vec<(Cell, Outcome)>,
    declared: Effects,
    /// The same, each without one of the declarations.
    without: Vec<Effects>,
}

impl Trial {
    /// Executes the instruction; `None` where the state cannot be made.
    fn of(machine: &'static MachineInfo, op: &'static OpInfo, scene: &Scene) -> Option<Trial> {
        let fields = fields(machine);
        let mut start = scene.start.make()?;
        if start.next()?.op != Some(op) {
            return None;
        }
        let declared = start.effects();
        let without = (0..op.effects.len()).map(|left_out| start.declared(&|index| index != left_out));
        let without = without.collect();
        let shown = format!("{} {} {}", machine.name, start.instruction(), scene.shown);
        let mut before = scene.idle.as_ref().unwrap_or(&scene.start).make()?;
        let before = Outcome::of(&mut *before, true, &fields);
        let after = Outcome::after(&mut *start, &fields);
        let mutant = |(cell, prepared): &(Cell, Prepared)| {
            Some((cell.clone(), Outcome::after(&mut *prepared.make()?, &fields)))
        };
        let mutants = scene.mutants.iter().filter_map(mutant).collect();
        Some(Trial { op, shown, before, after, mutants, declared, without })
    }

    /// What does not hold if these are the effects of the instruction.
    fn violation(&self, effects: &Effects) -> Option<String> {
        let height = self.before.state.height;
        let takes = effects.takes.unwrap_or(self.op.pops.into()).min(height);
        let pushes = usize::from(self.op.pushes);
        let lowest = (height - takes).min(self.after.state.height.saturating_sub(pushes));
        let mut writes = effects.writes.clone();
        writes.extend((lowest..self.after.state.height).map(Cell::Stack));
        if !self.after.has_failed
            && let Some(wrong) =
                self.after.differing(&self.before).into_iter().find(|difference| !difference.is_in(&writes))
        {
            return Some(format!("{}: changes {:?}, {:?}", self.shown, wrong.cells, wrong.part));
        }
        self.mutants.iter().find_map(|(cell, mutant)| {
            let is_operand = matches!(cell, Cell::Stack(at) if *at >= height - takes);
            let is_read = is_operand
                || effects.reads.iter().any(|read| read.0.touches(cell))
                || effects.needs.iter().any(|needed| needed.touches(cell));
            let what = if is_read {
                self.jumps_undeclared(mutant, &writes)
            } else {
                self.depends(cell, mutant, &writes)
            };
            what.map(|what| format!("{}: with another {cell}, {what}", self.shown))
        })
    }

    /// How the result depends on a cell, which it must not.
    fn depends(&self, cell: &Cell, mutant: &Outcome, writes: &[Cell]) -> Option<String> {
        let (course, other) = (self.after.course(), mutant.course());
        if course != other {
            return Some(format!("{other:?} instead of {course:?}"));
        }
        let is_the_cell = |difference: &Difference<'_>| {
            difference.cells.iter().any(|it| it.touches(cell)) && !difference.is_in(writes)
        };
        let differing = mutant.differing(&self.after);
        let wrong = differing.into_iter().find(|difference| !is_the_cell(difference))?;
        Some(format!("{:?} is {:?}", wrong.cells, wrong.part))
    }

    fn jumps_undeclared(&self, mutant: &Outcome, writes: &[Cell]) -> Option<String> {
        let go_on = self.after.is_running && mutant.is_running && self.after.depth == mutant.depth;
        let is_declared = writes.contains(&Cell::jump());
        let elsewhere = self.after.pc != mutant.pc;
        (go_on && elsewhere && !is_declared)
            .then(|| format!("goes on at {:?} instead of {:?}", mutant.pc, self.after.pc))
    }
}

/// The trials of every row.
fn check(machine: &str, mut scenes: impl FnMut(&'static OpInfo, &mut Random) -> Vec<Scene>) {
    let machine = by_name(machine).unwrap();
    let mut random = Random::seeded_by("EFFECTS_SEED");
    let mut wrong = Vec::new();
    for op in machine.isa.ops {
        let scenes = scenes(op, &mut random);
        // Trials are large: each is dropped when its conclusions are drawn.
        let trials = scenes.iter().filter_map(|scene| Trial::of(machine, op, scene));
        let (mut count, mut violation, mut is_noticed) = (0, None, vec![false; op.effects.len()]);
        for trial in trials {
            count += 1;
            violation = violation.or_else(|| trial.violation(&trial.declared));
            for (is_noticed, without) in is_noticed.iter_mut().zip(&trial.without) {
                *is_noticed = *is_noticed || trial.violation(without).is_some();
            }
        }
        assert!(count > 0, "{} is never executed", op.name);
        wrong.extend(violation);
        let unnoticed = op.effects.iter().zip(is_noticed).filter(|(_, is_noticed)| !is_noticed);
        wrong.extend(unnoticed.map(|(effect, _)| format!("{} without {effect}: not noticed", op.name)));
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn evm() {
    check("evm", |op, random| (0..60).map(|_| evm::scene(op, random)).collect());
}

#[test]
fn tinyvm() {
    check("tinyvm", |op, random| (0..40).map(|_| tinyvm::scene(op, random)).collect());
}

#[test]
fn minic89() {
    check_vectors("minic89");
}

#[test]
fn neo2() {
    check_vectors("neo2");
}

#[test]
fn neo3() {
    check_vectors("neo3");
}

fn check_vectors(machine: &str) {
    let vectors = vectors::Vectors::read(machine);
    check(machine, |op, random| vectors.scenes(op, random));
}
