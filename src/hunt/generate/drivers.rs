//! Programs that drive another one: each command gets operands in registers.

use super::generator::ProgramGenerator;
use super::program::{GeneratedProgram, ProgramDraft, ProgramPiece};
use crate::machines::program_parts::DriverCommands;
use crate::prove::numbers::Numbers;

/// How many commands a program gives, besides the one that ends the run.
const MAX_COMMANDS: usize = 4;

impl ProgramGenerator {
    /// A program that gives a few commands, and then the one that ends the run.
    pub(super) fn driving(&self, commands: &DriverCommands, numbers: &mut Numbers) -> GeneratedProgram {
        let driven = Some(numbers.below(commands.driven.len()));
        let program = GeneratedProgram { driven, ..GeneratedProgram::default() };
        let mut draft = ProgramDraft { program, ..ProgramDraft::default() };
        for _ in 0..=numbers.below(MAX_COMMANDS) {
            for register in commands.operands {
                // Numbers of several words are mostly small ones.
                let number = if numbers.one_in(2) { 0 } else { self.register_number(numbers) };
                self.load(&mut draft, *register, number);
            }
            self.give(&mut draft, commands, numbers.pick(commands.numbers));
            if numbers.one_in(4) {
                self.append(&mut draft, numbers);
            }
        }
        let results = numbers.below(usize::from(commands.max_results) + 1) as u16;
        self.load(&mut draft, commands.operands[0], results);
        self.give(&mut draft, commands, commands.last);
        draft.program
    }

    /// Appends what gives a command whose operands are there.
    fn give(&self, draft: &mut ProgramDraft, commands: &DriverCommands, command: u16) {
        self.load(draft, commands.number, command);
        let op = self.machine.isa.by_name(commands.gives);
        draft.program.pieces.extend(op.map(|op| ProgramPiece::new(op, op.code.to_be_bytes().to_vec())));
    }
}
