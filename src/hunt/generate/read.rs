//! Reads programs of vectors as pieces: the opposite of [`ProgramGenerator::document`].
//!
//! [`ProgramGenerator::document`]: super::ProgramGenerator::document

use num_bigint::{BigInt, Sign};

use super::handlers::has_two_targets;
use super::notation::YIELD;
use super::program::{GeneratedProgram, ProgramFrame, ProgramPiece};
use crate::isa::disassembler::disassemble;
use crate::isa::{ImmediateOperand, Isa, Unit};
use crate::machines::MachineInfo;
use crate::machines::program_parts::{JumpTargets, ProgramParts, StackTargets};
use crate::model::{Program, Value};

/// An instruction with the offset at which it stands.
type ReadPiece = (usize, ProgramPiece);

impl GeneratedProgram {
    /// The pieces of a program. Bytes that are no instruction are left out, and of MiniC89 all functions but `main`, or
    /// the first one. `None` for a program without instructions or without a list of them.
    pub(in crate::hunt) fn read(machine: &MachineInfo, program: &Program) -> Option<GeneratedProgram> {
        let program = (machine.assemble)(program).ok()?;
        let member = |name: &str| program.0.get(name);
        let (isa, parts) = (machine.isa, machine.parts?);
        let mut frame = ProgramFrame::Bare;
        let pieces = match isa.unit {
            Unit::Bytes => {
                let code = member(parts.code)?.as_bytes()?;
                let inner = parts.shown.and_then(|shown| {
                    Some((code.strip_prefix(shown.first)?.strip_suffix(shown.last)?, shown))
                });
                let (code, start) = match inner {
                    Some((inner, shown)) => {
                        frame = ProgramFrame::Shown;
                        (inner, shown.first.len())
                    }
                    None => (code, 0),
                };
                let pieces = of_bytes(isa, code, start);
                match parts.jumps {
                    JumpTargets::OnStack(targets) => with_destinations(isa, targets, pieces),
                    JumpTargets::InInstruction => with_distances(pieces),
                }
            }
            Unit::Words => {
                let code = member("driver").and_then(|driver| driver.get("instructions"));
                of_words(isa, code.or_else(|| member("instructions"))?.get("0x0000")?.as_bytes()?)
            }
            Unit::Objects => of_objects(isa, main_code(member("functions")?)?),
        };
        let input = parts.input.and_then(|data| member(data.member)?.as_bytes()).unwrap_or_default().to_vec();
        let driven = member("driver").map(|_| driven_program(parts, member("testee")));
        (!pieces.is_empty()).then_some(GeneratedProgram {
            pieces,
            frame,
            input,
            driven,
            ..GeneratedProgram::default()
        })
    }

    /// The number of its instructions.
    pub(in crate::hunt) fn instructions(&self) -> usize {
        self.pieces.len()
    }
}

fn of_bytes(isa: &Isa, code: &[u8], start: usize) -> Vec<ReadPiece> {
    let piece = |op, bytes: &[u8]| ProgramPiece::new(op, bytes.to_vec());
    let lines = disassemble(isa, code);
    lines.filter_map(|line| Some((start + line.offset, piece(line.op?, line.bytes)))).collect()
}

/// The index of the instruction at this offset, or the number of all for the end of the program.
fn index_at(pieces: &[ReadPiece], offset: usize) -> Option<usize> {
    let end = pieces.last().map(|(offset, piece)| offset + piece.bytes.len());
    let index = pieces.binary_search_by_key(&offset, |it| it.0).ok();
    index.or_else(|| (end == Some(offset)).then_some(pieces.len()))
}

/// With the targets of jumps whose operands are distances. One that leads into an instruction keeps its operands.
fn with_distances(pieces: Vec<ReadPiece>) -> Vec<ProgramPiece> {
    let targets: Vec<_> = pieces.iter().map(|piece| distances(&pieces, piece)).collect();
    let piece = |((_, piece), targets): (ReadPiece, Option<Vec<Option<usize>>>)| match targets.as_deref() {
        Some([target]) => ProgramPiece { target: *target, ..piece },
        Some([one, other]) if one == other && one.is_some() => ProgramPiece { target: *one, ..piece },
        Some([one, other]) => ProgramPiece { handlers: Some(Box::new([*one, *other])), ..piece },
        _ => piece,
    };
    pieces.into_iter().zip(targets).map(piece).collect()
}

/// The pieces that the operands of an instruction name; of two operands, one that names none is zero. `None` if one
/// leads elsewhere.
fn distances(pieces: &[ReadPiece], (offset, piece): &ReadPiece) -> Option<Vec<Option<usize>>> {
    let mut rest = &piece.bytes[1..];
    let mut targets = Vec::new();
    for operand in piece.op.operands {
        let (bytes, further) = operand.split(rest)?;
        rest = further;
        if let Some(from) = operand.counted_from() {
            let is_none = has_two_targets(piece.op) && bytes.iter().all(|byte| *byte == 0);
            let target = BigInt::from(*offset + from) + BigInt::from_signed_bytes_le(bytes);
            let target = || index_at(pieces, usize::try_from(target).ok()?);
            targets.push(if is_none { None } else { Some(target()?) });
        }
    }
    Some(targets)
}

/// With the targets of jumps whose destinations are pushed right before them, in two bytes each.
fn with_destinations(isa: &Isa, targets: StackTargets, pieces: Vec<ReadPiece>) -> Vec<ProgramPiece> {
    let Some(push) = isa.by_name(targets.push) else { return Vec::new() };
    let target = |pair: &[ReadPiece]| {
        let [(_, pushed), (_, jump)] = pair else { return None };
        let [ImmediateOperand::Word(_)] = pushed.op.operands else { return None };
        let number = BigInt::from_bytes_be(Sign::Plus, &pushed.bytes[1..]);
        let index = index_at(&pieces, usize::try_from(number).ok()?)?;
        let is_destination = pieces.get(index).is_some_and(|it| it.1.op.name == targets.destination);
        (targets.jumps.contains(&jump.op.name) && is_destination).then_some(index)
    };
    let targets: Vec<_> = pieces.windows(2).map(target).chain([None]).collect();
    let piece = |(piece, target): (ProgramPiece, Option<usize>)| match target {
        Some(_) => ProgramPiece { target, ..ProgramPiece::new(push, vec![push.code as u8, 0, 0]) },
        None => piece,
    };
    pieces.into_iter().map(|it| it.1).zip(targets).map(piece).collect()
}

/// The place of the program that is driven; the first one for a program that the generator does not make.
fn driven_program(parts: &ProgramParts, driven: Option<&Value>) -> usize {
    let code = driven.and_then(|driven| driven.get("instructions")?.get("0x0000")?.as_bytes());
    let is_code = |words: &&[u16]| {
        let bytes: Vec<_> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        code == Some(&bytes)
    };
    let places = parts.driver.iter().flat_map(|commands| commands.driven);
    places.copied().position(|words| is_code(&words)).unwrap_or_default()
}

fn of_words(isa: &Isa, words: &[u8]) -> Vec<ProgramPiece> {
    let words = words.strip_suffix(&YIELD).unwrap_or(words).chunks_exact(2);
    let piece = |word: &[u8]| {
        let op = isa.by_code(u16::from_be_bytes([word[0], word[1]]))?;
        Some(ProgramPiece::new(op, word.to_vec()))
    };
    words.filter_map(piece).collect()
}

/// The instructions of the function `main`, or of the first one.
fn main_code(functions: &Value) -> Option<&[Value]> {
    let functions = functions.items()?;
    let main = functions.iter().find(|function| function.get("name") == Some(&Value::text("main")));
    main.or(functions.first())?.get("code")?.items()
}

/// Without the two instructions at the end that the generator writes.
fn of_objects(isa: &Isa, code: &[Value]) -> Vec<ProgramPiece> {
    let pieces: Option<Vec<_>> = code.iter().map(|object| of_object(isa, object)).collect();
    let mut pieces = pieces.unwrap_or_default();
    if let [before @ .., push, end] = &pieces[..]
        && (push.op.name, &push.bytes[..], end.op.name) == ("PUSH_I16", &[1, 0], "RET")
    {
        pieces.truncate(before.len());
    }
    let end = pieces.len();
    for piece in &mut pieces {
        piece.target = piece.target.map(|target| target.min(end));
    }
    pieces
}

fn of_object(isa: &Isa, object: &Value) -> Option<ProgramPiece> {
    let (op, arguments) = (isa.by_name(object.get("op")?.as_text()?)?, object.get("args")?.items()?);
    let mut piece = ProgramPiece::new(op, Vec::new());
    for (name, argument) in op.arguments.iter().zip(arguments) {
        let mut number: i16 = argument.number()?;
        match *name {
            "target" => piece.target = Some(usize::try_from(number).ok()?),
            // The generator numbers functions from 0.
            "fid" => number = number.wrapping_sub(1),
            _ => {}
        }
        piece.bytes.extend(number.to_le_bytes());
    }
    (piece.bytes.len() == 2 * op.arguments.len()).then_some(piece)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::formats::{Inputs, NewVector, made_for};
    use crate::hunt::generate::ProgramGenerator;
    use crate::machines::of_this_crate;
    use crate::prove::numbers::Numbers;
    use crate::run::sources::{SourceOrigin, VectorSource};
    use crate::run::{LoadOptions, open_text};

    /// How many programs of each machine are written and read.
    const PROGRAMS: usize = 300;

    #[test]
    fn a_generated_program_is_read_as_it_was_written() {
        let source = VectorSource::new("a.json".into(), "a.json".into(), SourceOrigin::Stream);
        let options = LoadOptions::default();
        for machine in of_this_crate() {
            let (_, make) = made_for(machine.name).unwrap();
            let mut generator = ProgramGenerator::new(machine, machine.parts.unwrap());
            let mut numbers = Numbers::new(11);
            let mut read_back = 0;
            for _ in 0..PROGRAMS {
                let program = generator.next(&mut numbers);
                let document = generator.document(&program);
                generator.keep(program);
                let inputs = Inputs::default();
                let new = NewVector { name: "a", program: &document, inputs: &inputs, state: None };
                let Ok(vector) = (make.make)(&new) else { continue };
                let file = open_text(&source, vector.to_string(), &options);
                let Some(case) = file.case(0).unwrap().read().unwrap().case else { continue };
                let Some(program) = GeneratedProgram::read(machine, &case.program) else { continue };
                assert_eq!(generator.document(&program), document, "{}", machine.name);
                read_back += 1;
            }
            assert!(10 * read_back >= 9 * PROGRAMS, "{}: {read_back}", machine.name);
        }
    }
}
