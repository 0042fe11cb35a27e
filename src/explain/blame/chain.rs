//! The chain of instructions that led to a value.

use std::cell;
use std::collections::{HashMap, HashSet, VecDeque};

use foldhash::fast::RandomState;

use super::ranges::MemoryRanges;
use crate::model::{
    Blame, Cell, CellGroup, ExecutedInstruction, FurtherCauses, InputOrigin, InputPart, Value,
};

/// The maximum number of instructions of a chain that are shown, not counting those that only moved a value.
const MAX_INSTRUCTIONS: usize = 7;

/// How many of the oldest instructions of a longer chain are among them.
const OLDEST: usize = 2;

/// The maximum number of kept instructions that are examined for the far end of a chain.
const MAX_EXAMINED: u64 = 20_000_000;

/// What the vector changed between two instructions.
#[derive(Debug)]
pub(super) struct VectorChange {
    /// How many instructions were executed before it.
    pub(super) after: u64,
    /// The number of the vector's step that it belongs to, from 1.
    pub(super) step: usize,
    pub(super) cells: Vec<Cell>,
}

/// An instruction that wrote a cell, with the later ones that moved the value.
pub(super) struct CellWriter<'r> {
    pub(super) by: &'r ExecutedInstruction,
    moved_by: Vec<&'r ExecutedInstruction>,
}

impl<'r> CellWriter<'r> {
    pub(super) fn only(by: &'r ExecutedInstruction) -> CellWriter<'r> {
        CellWriter { by, moved_by: Vec::new() }
    }
}

/// What wrote a cell.
pub(super) enum CellOrigin<'r> {
    Instruction(CellWriter<'r>),
    /// The vector, before the step with this number.
    Vector(usize),
}

/// What wrote a cell or, if it was one of several, which part of the cell it wrote.
struct PartOrigin<'r> {
    cell: Option<Cell>,
    origin: CellOrigin<'r>,
}

/// What wrote an input, or this part of it.
struct FollowedInput {
    cell: Option<Cell>,
    by: FollowedWriter,
}

/// An instruction of the same answer, by its index, or the vector.
#[derive(Clone, Copy)]
enum FollowedWriter {
    Instruction(usize),
    Vector(usize),
}

/// An instruction of an answer, with what wrote its inputs.
struct FollowedInstruction<'r> {
    writer: CellWriter<'r>,
    inputs: Vec<Vec<FollowedInput>>,
    /// See [`Blame::unfollowed`].
    unfollowed: Option<u64>,
    /// See [`Blame::ended_by`].
    ended_by: Option<&'r ExecutedInstruction>,
}

impl<'r> FollowedInstruction<'r> {
    fn new(writer: CellWriter<'r>) -> FollowedInstruction<'r> {
        let inputs = writer.by.inputs.iter().map(|_| Vec::new()).collect();
        FollowedInstruction { writer, inputs, unfollowed: None, ended_by: None }
    }
}

/// Follows chains in the kept instructions.
pub(super) struct Chains<'r> {
    records: &'r VecDeque<ExecutedInstruction>,
    changes: &'r [VectorChange],
    /// The instructions that wrote something besides the stack, by what they wrote, in their order: most instructions
    /// write little, so that none of the others is examined.
    writers: HashMap<CellGroup<'r>, Vec<&'r ExecutedInstruction>, RandomState>,
    /// How many instructions were examined.
    examined: cell::Cell<u64>,
}

impl<'r> Chains<'r> {
    pub(super) fn new(records: &'r VecDeque<ExecutedInstruction>, changes: &'r [VectorChange]) -> Chains<'r> {
        let mut writers: HashMap<CellGroup<'r>, Vec<&ExecutedInstruction>, RandomState> = HashMap::default();
        for record in records {
            for cell in &record.writes {
                let of_group = writers.entry(cell.group()).or_default();
                if of_group.last().is_none_or(|last| last.step != record.step) {
                    of_group.push(record);
                }
            }
        }
        Chains { records, changes, writers, examined: cell::Cell::new(0) }
    }

    /// An instruction, with those that wrote its inputs. With `byte`, only that byte of the datum is followed
    /// if the instruction copied it.
    pub(super) fn blame(&self, root: CellWriter<'r>, byte: Option<usize>) -> Blame {
        let before = self.jump_before(root.by);
        let mut blame = self.follow(root, byte);
        blame.reached_by = before.map(|by| Box::new(self.follow(CellWriter::only(by), None)));
        blame
    }

    /// Breadth first: all operands of an instruction are followed before the operands of those.
    fn follow(&self, root: CellWriter<'r>, byte: Option<usize>) -> Blame {
        let mut known = HashSet::from([root.by.step]);
        let mut found = vec![FollowedInstruction::new(root)];
        let mut left_out = VecDeque::new();
        let mut next = 0;
        while next < found.len() {
            let by = found[next].writer.by;
            found[next].ended_by = self.end_of_failed_call(by);
            for index in elsewhere_first(by) {
                let whole = &by.inputs[index].cell;
                let part = whole.part(byte.filter(|_| next == 0));
                let of_part = self.origins(&part, by.step);
                // If nothing wrote the byte, what wrote next to it may have written too much or too little.
                let is_unwritten = of_part.is_empty() && self.all_kept();
                let origins = if is_unwritten { self.origins(whole, by.step) } else { of_part };
                if origins.is_empty() && !self.all_kept() {
                    found[next].unfollowed = Some(self.records.len() as u64);
                }
                for PartOrigin { cell, origin } in origins {
                    let writer = match origin {
                        CellOrigin::Vector(step) => {
                            let by = FollowedWriter::Vector(step);
                            found[next].inputs[index].push(FollowedInput { cell, by });
                            continue;
                        }
                        CellOrigin::Instruction(writer) => writer,
                    };
                    if !known.insert(writer.by.step) {
                        continue;
                    }
                    if found.len() < MAX_INSTRUCTIONS {
                        let by = FollowedWriter::Instruction(found.len());
                        found[next].inputs[index].push(FollowedInput { cell, by });
                        found.push(FollowedInstruction::new(writer));
                    } else {
                        left_out.push_back(writer.by);
                    }
                }
            }
            next += 1;
        }
        let further = self.further(left_out, known);
        Blame { further, ..assemble(&found, 0) }
    }

    /// All instructions that led to these, the first ones of a chain that are not shown.
    fn further(
        &self,
        mut next: VecDeque<&'r ExecutedInstruction>,
        mut known: HashSet<u64>,
    ) -> Option<FurtherCauses> {
        let mut oldest: Vec<&ExecutedInstruction> = Vec::new();
        let mut count = 0;
        let most_examined = self.examined.get() + MAX_EXAMINED;
        while let Some(by) = next.pop_front() {
            count += 1;
            oldest.push(by);
            oldest.sort_by_key(|by| by.step);
            oldest.truncate(OLDEST);
            for input in &by.inputs {
                if self.examined.get() > most_examined {
                    break;
                }
                for part in self.origins(&input.cell, by.step) {
                    let CellOrigin::Instruction(writer) = part.origin else { continue };
                    if known.insert(writer.by.step) {
                        next.push_back(writer.by);
                    }
                }
            }
        }
        let oldest: Vec<_> = oldest.into_iter().cloned().collect();
        (count > 0).then(|| FurtherCauses { left_out: count - oldest.len(), oldest })
    }

    /// What wrote the cell or, if it is a part of a memory, each part of it before `step`, the last writer first.
    fn origins(&self, cell: &Cell, step: u64) -> Vec<PartOrigin<'r>> {
        let whole = || {
            let origin = self.origin(cell, step);
            origin.into_iter().map(|origin| PartOrigin { cell: None, origin }).collect()
        };
        let Cell::Range(space, range) = cell else { return whole() };
        let mut left = MemoryRanges::of(space, range);
        let mut parts = Vec::new();
        let mut changes = self.changes_before(step).peekable();
        for by in self.writers_of(cell, step) {
            while let Some(change) = changes.next_if(|change| change.after > by.step) {
                let origin = CellOrigin::Vector(change.step);
                parts.extend(left.remove(&change.cells).map(|cell| PartOrigin { cell: Some(cell), origin }));
            }
            if left.is_empty() {
                break;
            }
            self.examined.set(self.examined.get() + 1);
            let origin = CellOrigin::Instruction(CellWriter::only(by));
            parts.extend(left.remove(&by.writes).map(|cell| PartOrigin { cell: Some(cell), origin }));
        }
        for change in changes {
            let origin = CellOrigin::Vector(change.step);
            parts.extend(left.remove(&change.cells).map(|cell| PartOrigin { cell: Some(cell), origin }));
        }
        // A value that is read as it was written may have been moved.
        if parts.len() < 2 { whole() } else { parts }
    }

    /// What wrote the cell last before `step`, with the later instructions that moved the value.
    pub(super) fn origin(&self, cell: &Cell, mut step: u64) -> Option<CellOrigin<'r>> {
        let mut cell = cell.clone();
        let mut moved_by = Vec::new();
        loop {
            let found = self.last_writer(&cell, step);
            let change = self.change(&cell, step);
            if let Some(change) = change.filter(|change| found.is_none_or(|found| found.step < change.after))
            {
                return Some(first_mover(moved_by).unwrap_or(CellOrigin::Vector(change.step)));
            }
            let Some(found) = found else { return first_mover(moved_by) };
            match found.moved_from(&cell) {
                Some(from) => {
                    let to = std::mem::replace(&mut cell, Cell::Stack(from));
                    step = found.step;
                    if to != cell {
                        moved_by.push(found);
                    }
                }
                None => return Some(CellOrigin::Instruction(CellWriter { by: found, moved_by })),
            }
        }
    }

    /// The last instruction before `step` that wrote the cell.
    fn last_writer(&self, cell: &Cell, step: u64) -> Option<&'r ExecutedInstruction> {
        let mut examined = self.examined.get();
        let mut writes = |record: &&ExecutedInstruction| {
            examined += 1;
            record.writes_to(cell)
        };
        let found = match cell {
            Cell::Stack(_) => self.preceding(step).find(&mut writes),
            _ => self.writers_of(cell, step).find(&mut writes),
        };
        self.examined.set(examined);
        found
    }

    /// The instructions before `step` that wrote something of the group of a cell that is not on the stack, the
    /// latest one first.
    fn writers_of<'a>(&'a self, cell: &'a Cell, step: u64) -> impl Iterator<Item = &'r ExecutedInstruction> {
        let all = self.writers.get(&cell.group()).map_or(&[][..], Vec::as_slice);
        let count = all.partition_point(|record| record.step < step);
        all[..count].iter().rev().copied()
    }

    /// The last change of the cell by the vector before `step`.
    fn change(&self, cell: &Cell, step: u64) -> Option<&'r VectorChange> {
        let is_it = |change: &&VectorChange| change.cells.iter().any(|changed| changed.touches(cell));
        self.changes_before(step).find(is_it)
    }

    /// The changes by the vector before `step` after which all instructions were kept, the latest one first.
    fn changes_before(&self, step: u64) -> impl Iterator<Item = &'r VectorChange> + use<'r> {
        let first = self.records.front().map_or(0, |record| record.step);
        let known = self.changes.iter().rev().take_while(move |change| change.after >= first);
        known.skip_while(move |change| change.after > step)
    }

    /// Whether all instructions of the run are kept up to the last one.
    fn all_kept(&self) -> bool {
        self.records.front().is_none_or(|first| first.step == 0)
    }

    /// The last instruction before another one, in the same frame, that decided where execution continues.
    fn jump_before(&self, by: &ExecutedInstruction) -> Option<&'r ExecutedInstruction> {
        // A call that has returned decided nothing in the frame of its caller.
        let decides = |record: &&ExecutedInstruction| {
            record.frame == by.frame && !record.inputs.is_empty() && record.writes_to(&Cell::jump())
        };
        self.preceding(by.step).find(decides)
    }

    /// The last instruction of the code that a call executed, if the call pushed 0.
    fn end_of_failed_call(&self, call: &ExecutedInstruction) -> Option<&'r ExecutedInstruction> {
        call.frame.as_ref()?;
        let called = self.records.partition_point(|record| record.step <= call.step);
        let mut later = self.records.range(called..);
        let resumed = called + later.position(|record| record.frame == call.frame)?;
        let has_failed = self.records[resumed].stack.first() == Some(&Value::int(0));
        (resumed > called && has_failed).then(|| &self.records[resumed - 1])
    }

    /// The instructions before `step`, the latest one first.
    fn preceding(&self, step: u64) -> impl Iterator<Item = &'r ExecutedInstruction> {
        let count = self.records.partition_point(|record| record.step < step);
        self.records.iter().take(count).rev()
    }
}

/// The first instruction that moved a value, for one that no kept instruction wrote. It read the value where it was.
fn first_mover(mut moved_by: Vec<&ExecutedInstruction>) -> Option<CellOrigin<'_>> {
    let by = moved_by.pop()?;
    Some(CellOrigin::Instruction(CellWriter { by, moved_by }))
}

/// The inputs of an instruction, those on the stack last: they are also shown elsewhere.
fn elsewhere_first(by: &ExecutedInstruction) -> impl Iterator<Item = usize> {
    let (on_stack, elsewhere): (Vec<_>, Vec<_>) =
        (0..by.inputs.len()).partition(|index| matches!(by.inputs[*index].cell, Cell::Stack(_)));
    elsewhere.into_iter().chain(on_stack)
}

impl FollowedInput {
    fn assemble(&self, found: &[FollowedInstruction<'_>]) -> InputPart {
        let origin = match self.by {
            FollowedWriter::Instruction(place) => InputOrigin::Instruction(Box::new(assemble(found, place))),
            FollowedWriter::Vector(step) => InputOrigin::Vector(step),
        };
        InputPart { cell: self.cell.clone(), origin }
    }
}

fn assemble(found: &[FollowedInstruction<'_>], place: usize) -> Blame {
    let FollowedInstruction { writer, inputs, unfollowed, ended_by } = &found[place];
    Blame {
        by: writer.by.clone(),
        moved_by: writer.moved_by.iter().map(|it| (*it).clone()).collect(),
        inputs: inputs.iter().map(|parts| parts.iter().map(|part| part.assemble(found)).collect()).collect(),
        further: None,
        unfollowed: *unfollowed,
        reached_by: None,
        left_by: None,
        ended_by: ended_by.cloned(),
    }
}
