//! The loop, and the single `match` over the instructions.

use std::mem;

use super::core::{ADDRESSES, TinyCore, TinyFlow, TinyStop};
use super::instruction::TinyInstruction;
use super::opcodes::{TinyOp, rows};
use super::{arith, compare, jump, memory, stop};
use crate::isa::OpSet;
use crate::machines::machine::{Meter, Metered, Unmetered, Until};

/// Generates the single `match` that executes instructions.
macro_rules! dispatch {
    (
        $($word:literal $exact:ident $exact_text:literal [] $exact_handler:path, $exact_doc:literal,
            $exact_effects:tt;)*
        fields
        $($first:tt $(..= $last:tt)? $name:ident $text:literal
            [$($field:ident $(($size:literal))?)*] $handler:path, $doc:literal, $effects:tt;)*
    ) => {
        #[inline(always)]
        pub(super) fn execute(core: &mut TinyCore, instruction: &TinyInstruction) -> TinyFlow {
            match instruction.op {
                $(TinyOp::$exact => $exact_handler(core, instruction),)*
                $(TinyOp::$name => $handler(core, instruction),)*
                TinyOp::Undefined => TinyFlow::Illegal,
            }
        }
    };
}

rows!(dispatch);

/// Why the loop pauses.
enum Pause {
    /// The remaining instructions may not be enough to run the program from its start to its end.
    Fence,
    /// The next instruction is not decoded yet.
    NotDecoded,
}

impl TinyCore {
    /// Attempts to execute at most this number of instructions. Returns the number of attempts, and why there
    /// were no more.
    #[inline(never)]
    pub(super) fn run(&mut self, most: u64) -> (u64, TinyStop) {
        self.drive(most, |core, left| {
            let fence = left.saturating_sub(core.program.len() as u64);
            if fence > 0 {
                core.cycle(fence, &mut Unmetered)
            } else {
                core.cycle(u64::MAX, &mut Metered(left))
            }
        })
    }

    /// Like [`TinyCore::run`], but also ends, with [`TinyStop::Limit`], before an instruction that `ops` may contain.
    #[inline(never)]
    pub(super) fn run_to(&mut self, most: u64, ops: &OpSet) -> (u64, TinyStop) {
        self.drive(most, |core, left| core.cycle(u64::MAX, &mut Until { left, ops }))
    }

    /// Runs the loop with `cycle`, again after each pause, passing the number of remaining instructions.
    fn drive(
        &mut self,
        most: u64,
        cycle: impl Fn(&mut TinyCore, u64) -> (u64, Result<TinyStop, Pause>),
    ) -> (u64, TinyStop) {
        let mut executed = 0;
        let stop = loop {
            let (more, end) = cycle(self, most - executed);
            executed += more;
            match end {
                Ok(stop) => break stop,
                Err(Pause::Fence) => {}
                Err(Pause::NotDecoded) => match self.instructions[usize::from(self.pc)] {
                    0 => break TinyStop::Illegal(0),
                    _ => self.decode(),
                },
            }
        };
        // An illegal word is an attempt that executes nothing.
        (executed + u64::from(matches!(stop, TinyStop::Illegal(_))), stop)
    }

    /// The loop. Pauses at a jump once `fence` instructions were executed. Returns how many were.
    // Meanwhile, the program is moved out of the machine, so that handlers can change the machine.
    // Instructions are not counted one by one: apart from jumps, their number is how far the program counter
    // has moved.
    #[inline(always)]
    fn cycle(&mut self, fence: u64, meter: &mut impl Meter) -> (u64, Result<TinyStop, Pause>) {
        let program = mem::take(&mut self.program);
        let mut pc = usize::from(self.pc);
        // The difference between the number of executed instructions and the program counter.
        let mut lack = 0_usize.wrapping_sub(pc);
        let end = loop {
            if meter.tick(|| (self.instructions[pc % ADDRESSES] >> 8) as u8).is_break() {
                break Ok(TinyStop::Limit);
            }
            let Some(instruction) = program.get(pc) else { break Err(Pause::NotDecoded) };
            match execute(self, instruction) {
                TinyFlow::Next => pc += 1,
                TinyFlow::To(target) => {
                    let executed = (pc + 1).wrapping_add(lack);
                    pc = usize::from(target);
                    lack = executed.wrapping_sub(pc);
                    if executed as u64 >= fence {
                        break Err(Pause::Fence);
                    }
                }
                TinyFlow::Time => {
                    self.put_time(self.time + pc.wrapping_add(lack) as u64);
                    pc += 1;
                }
                TinyFlow::Yield => {
                    pc += 1;
                    break Ok(TinyStop::Yield(self.registers[0]));
                }
                TinyFlow::Costly(units) => {
                    pc += 1;
                    break Ok(TinyStop::Costly(units));
                }
                TinyFlow::Illegal => break Ok(TinyStop::Illegal(self.instructions[pc % ADDRESSES])),
                TinyFlow::NoRandom => break Ok(TinyStop::NoRandom),
            }
        };
        self.program = program;
        // Addresses wrap around.
        self.pc = pc as u16;
        let executed = pc.wrapping_add(lack) as u64;
        self.time += executed;
        (executed, end)
    }

    /// Decodes the program up to the first zero at or after the program counter, since no program executes a zero.
    #[cold]
    fn decode(&mut self) {
        let from = usize::from(self.pc);
        let length = self.instructions[from..].iter().take_while(|word| **word != 0).count();
        let words = (0..=u16::MAX).zip(&self.instructions[..from + length]).skip(self.program.len());
        self.program.extend(words.map(|(at, word)| TinyInstruction::decode(*word, at)));
    }

    fn put_time(&mut self, time: u64) {
        self.registers[..4].copy_from_slice(&[48, 32, 16, 0].map(|shift| (time >> shift) as u16));
    }
}
