//! The chain of instructions that led to a value.

use std::collections::{HashSet, VecDeque};

use crate::model::cell::Cell;
use crate::model::explanation::{Blame, ExecutedInstruction, FurtherCauses, InputOrigin};

/// The maximum number of instructions of a chain that are shown, not counting those that only moved a value.
const MAX_INSTRUCTIONS: usize = 7;

/// How many of the oldest instructions of a longer chain are among them.
const OLDEST: usize = 2;

/// The maximum number of kept instructions that are examined for a chain.
const MAX_LOOKED_AT: u64 = 20_000_000;

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

/// What wrote an input: an instruction of the same answer, by its index, or the vector.
#[derive(Clone, Copy)]
enum FollowedInput {
    Instruction(usize),
    Vector(usize),
}

/// An instruction of an answer, with what wrote its inputs.
struct Followed<'r> {
    writer: CellWriter<'r>,
    inputs: Vec<Option<FollowedInput>>,
}

impl<'r> Followed<'r> {
    fn new(writer: CellWriter<'r>) -> Followed<'r> {
        let inputs = vec![None; writer.by.inputs.len()];
        Followed { writer, inputs }
    }
}

/// Follows chains in the kept instructions.
pub(super) struct Chains<'r> {
    pub(super) records: &'r VecDeque<ExecutedInstruction>,
    pub(super) changes: &'r [VectorChange],
}

impl<'r> Chains<'r> {
    /// An instruction, with those that wrote its inputs. With `byte`, only that byte of the datum is followed
    /// if the instruction copied it.
    pub(super) fn blame(&self, root: CellWriter<'r>, byte: Option<usize>) -> Blame {
        let before = self.jump_before(root.by.step);
        let mut blame = self.follow(root, byte);
        blame.reached_by = before.map(|by| Box::new(self.follow(CellWriter::only(by), None)));
        blame
    }

    /// Breadth first: all operands of an instruction are followed before the operands of those.
    fn follow(&self, root: CellWriter<'r>, byte: Option<usize>) -> Blame {
        let mut known = HashSet::from([root.by.step]);
        let mut found = vec![Followed::new(root)];
        let mut left_out = VecDeque::new();
        let mut next = 0;
        while next < found.len() {
            let by = found[next].writer.by;
            for index in elsewhere_first(by) {
                let whole = &by.inputs[index].cell;
                let part = whole.part(byte.filter(|_| next == 0));
                // If nothing wrote the byte, what wrote next to it may have written too much or too little.
                let origin = self.origin(&part, by.step).or_else(|| self.origin(whole, by.step));
                let writer = match origin {
                    Some(CellOrigin::Instruction(writer)) => writer,
                    Some(CellOrigin::Vector(step)) => {
                        found[next].inputs[index] = Some(FollowedInput::Vector(step));
                        continue;
                    }
                    None => continue,
                };
                if !known.insert(writer.by.step) {
                    continue;
                }
                if found.len() < MAX_INSTRUCTIONS {
                    found[next].inputs[index] = Some(FollowedInput::Instruction(found.len()));
                    found.push(Followed::new(writer));
                } else {
                    left_out.push_back(writer.by);
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
        let (mut count, mut looked_at) = (0, 0);
        while let Some(by) = next.pop_front() {
            count += 1;
            oldest.push(by);
            oldest.sort_by_key(|by| by.step);
            oldest.truncate(OLDEST);
            for input in &by.inputs {
                if looked_at > MAX_LOOKED_AT {
                    break;
                }
                let Some(CellOrigin::Instruction(writer)) = self.origin(&input.cell, by.step) else {
                    continue;
                };
                looked_at += by.step - writer.by.step;
                if known.insert(writer.by.step) {
                    next.push_back(writer.by);
                }
            }
        }
        let oldest: Vec<_> = oldest.into_iter().cloned().collect();
        (count > 0).then(|| FurtherCauses { left_out: count - oldest.len(), oldest })
    }

    /// What wrote the cell last before `step`, with the later instructions that moved the value.
    pub(super) fn origin(&self, cell: &Cell, mut step: u64) -> Option<CellOrigin<'r>> {
        let mut cell = cell.clone();
        let mut moved_by = Vec::new();
        loop {
            let found = self.preceding(step).find(|record| record.writes_to(&cell));
            let change = self.change(&cell, step);
            if let Some(change) = change.filter(|change| found.is_none_or(|found| found.step < change.after))
            {
                // The first instruction that moved the value read it where the vector wrote it.
                return Some(match moved_by.pop() {
                    Some(by) => CellOrigin::Instruction(CellWriter { by, moved_by }),
                    None => CellOrigin::Vector(change.step),
                });
            }
            let found = found?;
            match found.moved_from(&cell) {
                Some(from) => {
                    (cell, step) = (Cell::Stack(from), found.step);
                    moved_by.push(found);
                }
                None => return Some(CellOrigin::Instruction(CellWriter { by: found, moved_by })),
            }
        }
    }

    /// The last change of the cell by the vector before `step`, if all later instructions were kept.
    fn change(&self, cell: &Cell, step: u64) -> Option<&'r VectorChange> {
        let first = self.records.front().map_or(0, |record| record.step);
        let known = self.changes.iter().rev().take_while(|change| change.after >= first);
        let mut earlier = known.skip_while(|change| change.after > step);
        earlier.find(|change| change.cells.iter().any(|changed| changed.touches(cell)))
    }

    /// The last instruction before `step` that decided where execution continues.
    fn jump_before(&self, step: u64) -> Option<&'r ExecutedInstruction> {
        let decides =
            |record: &&ExecutedInstruction| !record.inputs.is_empty() && record.writes_to(&Cell::jump());
        self.preceding(step).find(decides)
    }

    /// The instructions before `step`, the latest one first.
    fn preceding(&self, step: u64) -> impl Iterator<Item = &'r ExecutedInstruction> {
        let count = self.records.partition_point(|record| record.step < step);
        self.records.iter().take(count).rev()
    }
}

/// The inputs of an instruction, those on the stack last: they are also shown elsewhere.
fn elsewhere_first(by: &ExecutedInstruction) -> impl Iterator<Item = usize> {
    let (on_stack, elsewhere): (Vec<_>, Vec<_>) =
        (0..by.inputs.len()).partition(|index| matches!(by.inputs[*index].cell, Cell::Stack(_)));
    elsewhere.into_iter().chain(on_stack)
}

impl FollowedInput {
    fn assemble(self, found: &[Followed<'_>]) -> InputOrigin {
        match self {
            FollowedInput::Instruction(place) => InputOrigin::Instruction(assemble(found, place)),
            FollowedInput::Vector(step) => InputOrigin::Vector(step),
        }
    }
}

fn assemble(found: &[Followed<'_>], place: usize) -> Blame {
    let Followed { writer, inputs } = &found[place];
    Blame {
        by: writer.by.clone(),
        moved_by: writer.moved_by.iter().map(|it| (*it).clone()).collect(),
        inputs: inputs.iter().map(|input| input.map(|input| input.assemble(found))).collect(),
        further: None,
        reached_by: None,
        left_by: None,
    }
}
