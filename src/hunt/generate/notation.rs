//! Programs as vectors have them.

use serde_json::{Value as Json, json};

use super::generator::ProgramGenerator;
use super::program::{GeneratedProgram, ProgramFrame, ProgramPiece};
use crate::formats::Inputs;
use crate::hunt::minimize::programs::listed;
use crate::isa::{OpInfo, Unit};
use crate::machines::program_parts::CodeNotation;
use crate::model::{Value, bytes_key};
use crate::prove::numbers::Numbers;

/// The word that ends a program of TinyVM.
pub(super) const YIELD: [u8; 2] = [0x10, 0x2a];

impl ProgramGenerator {
    /// The program in the notation of the machine's format, as `vmconf exec` reads it.
    pub(in crate::hunt) fn document(&self, program: &GeneratedProgram) -> Json {
        match self.machine.isa.unit {
            Unit::Bytes => match self.parts.notation {
                CodeNotation::Names => listed(self.machine.isa, &self.code(program)),
                CodeNotation::Hex => bytes_key(&self.code(program)).into(),
            },
            Unit::Words => {
                let words = program.pieces.iter().map(|piece| hex::encode(&piece.bytes));
                let words = words.chain([hex::encode(YIELD)]).collect::<Vec<_>>().join(" ");
                match (program.driven, self.parts.driver) {
                    (Some(driven), Some(commands)) => json!({
                        "driver": words,
                        "testee": hex_words(commands.driven[driven]),
                        "budget": commands.budget,
                    }),
                    _ => words.into(),
                }
            }
            Unit::Objects => functions(program),
        }
    }

    /// What the program gets, as it is typed.
    pub(in crate::hunt) fn inputs(&self, program: &GeneratedProgram) -> Inputs {
        let data = self.parts.input.filter(|_| !program.input.is_empty());
        let input = data.map(|data| (data.typed)(&program.input));
        let scripts = self.parts.callable.iter().map(|script| bytes_key(script)).collect();
        Inputs { input, scripts, block: program.block, ..Inputs::default() }
    }

    /// What the machine loads as the code of the program.
    pub(in crate::hunt) fn loaded(&self, program: &GeneratedProgram) -> Value {
        match self.machine.isa.unit {
            Unit::Bytes => Value::Bytes(self.code(program)),
            Unit::Words => {
                let words = program.pieces.iter().flat_map(|piece| &piece.bytes);
                Value::Bytes(words.chain(&YIELD).copied().collect())
            }
            Unit::Objects => Value::List(ProgramGenerator::objects(program)),
        }
    }

    /// A program whose code, as the machine loads it, is that of no other value of a vector.
    pub(in crate::hunt) fn marker(&self) -> GeneratedProgram {
        const PIECES: usize = 6;
        let mut numbers = Numbers::new(1);
        let piece = |op: &&'static OpInfo| ProgramPiece::new(op, self.encoded(op, &mut numbers));
        let pieces = self.all.iter().take(PIECES).map(piece).collect();
        GeneratedProgram { pieces, ..GeneratedProgram::default() }
    }

    fn code(&self, program: &GeneratedProgram) -> Vec<u8> {
        let shown = self.parts.shown.filter(|_| program.frame == ProgramFrame::Shown);
        let (first, last) = shown.map_or((&[][..], &[][..]), |shown| (shown.first, shown.last));
        let length: usize = program.pieces.iter().map(|piece| piece.bytes.len()).sum();
        let mut code = Vec::with_capacity(first.len() + length + last.len());
        code.extend(first);
        code.extend(self.kept.first(program.variables).flat_map(|piece| &piece.bytes));
        let mut offsets = Vec::with_capacity(1 + program.pieces.len());
        offsets.push(code.len());
        for piece in &program.pieces {
            code.extend(&piece.bytes);
            offsets.push(code.len());
        }
        for (index, piece) in program.pieces.iter().enumerate() {
            let offset_of = |target: usize| offsets[target.min(program.pieces.len())];
            let place = offsets[index]..offsets[index + 1];
            if let Some(handlers) = &piece.handlers {
                let targets = handlers.map(|handler| handler.map(offset_of));
                aim_each(&mut code[place.clone()], piece.op, targets, place.start);
            } else if let Some(target) = piece.target {
                self.aim(&mut code[place.clone()], piece.op, offset_of(target), place.start);
            }
        }
        code.extend(last);
        code
    }

    /// The instructions of a function as the machine loads them.
    fn objects(program: &GeneratedProgram) -> Vec<Value> {
        let object = |(name, arguments): (&'static str, Vec<i64>)| {
            let arguments = arguments.into_iter().map(Value::int).collect();
            Value::Record(vec![("op".into(), Value::text(name)), ("args".into(), Value::List(arguments))])
        };
        instructions(program).map(object).collect()
    }

    /// Writes the target of a jump.
    fn aim(&self, bytes: &mut [u8], op: &OpInfo, target: usize, offset: usize) {
        if self.parts.jumps.on_stack().is_some() {
            bytes[1..].copy_from_slice(&(target as u16).to_be_bytes());
            return;
        }
        aim_each(bytes, op, [Some(target); 2], offset);
    }
}

/// Words as hex digits, with spaces between them.
fn hex_words(words: &[u16]) -> String {
    words.iter().map(|word| format!("{word:04x}")).collect::<Vec<_>>().join(" ")
}

/// Writes these targets of an instruction, one for each of its operands that are distances: zero for none.
fn aim_each(bytes: &mut [u8], op: &OpInfo, targets: [Option<usize>; 2], offset: usize) {
    let mut at = 1;
    let mut targets = targets.into_iter();
    for operand in op.operands {
        let size = operand.fixed_len();
        if let Some(from) = operand.counted_from() {
            let target = targets.next().flatten();
            let distance = target.map_or(0, |target| target as i64 - (offset + from) as i64).to_le_bytes();
            bytes[at..at + size].copy_from_slice(&distance[..size]);
        }
        at += size;
    }
}

/// The instructions after the pieces of a function of MiniC89, with their arguments.
const RETURNS: [(&str, &[i16]); 2] = [("PUSH_I16", &[1]), ("RET", &[])];

/// The instructions of a function of MiniC89 with their arguments.
fn instructions(program: &GeneratedProgram) -> impl Iterator<Item = (&'static str, Vec<i64>)> {
    let end = program.pieces.len();
    let own = program.pieces.iter().map(move |piece| {
        let arguments = piece.op.arguments.iter().zip(piece.bytes.chunks(2)).map(|(name, bytes)| {
            let number = i64::from(i16::from_le_bytes([bytes[0], bytes[1]]));
            match *name {
                "target" => piece.target.unwrap_or(end).min(end) as i64,
                "fid" => 1 + number.rem_euclid(2),
                "slot" => number.rem_euclid(3),
                "argc" | "line" => number.rem_euclid(4),
                _ => number,
            }
        });
        (piece.op.name, arguments.collect())
    });
    own.chain(RETURNS.map(|(name, arguments)| (name, arguments.iter().map(|it| i64::from(*it)).collect())))
}

/// A program of MiniC89 whose function `main` has these instructions, and a function that can be called.
fn functions(program: &GeneratedProgram) -> Json {
    let code = instructions(program).map(|(name, arguments)| json!({"op": name, "args": arguments}));
    let callee = [
        json!({"op": "LOAD_LOCAL", "args": [0]}),
        json!({"op": "LOAD_LOCAL", "args": [1]}),
        json!({"op": "SUB", "args": []}),
        json!({"op": "RET", "args": []}),
    ];
    json!({
        "schema_version": "MiniC89.VM.Metadata.v0.2", "isa_version": "MiniC89.ISA.v0.1",
        "functions": [
            {"fid": 1, "name": "main", "param_count": 0, "local_count": 3, "code": code.collect::<Vec<_>>()},
            {"fid": 2, "name": "difference", "param_count": 2, "local_count": 2, "code": callee},
        ],
    })
}
