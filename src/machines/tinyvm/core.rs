//! One machine: registers, memories, program counter, time and random numbers, and the loop over its
//! instructions. The test driver has two of them.

use std::mem;

use super::instruction::{Register, TinyInstruction};
use super::interpret::execute;
use super::random::Random;
use crate::isa::OpSet;
use crate::machines::machine::{Meter, Metered, Unmetered, Until};

/// How many words a memory has.
pub(super) const ADDRESSES: usize = 1 << 16;

/// The size of a segment file in bytes.
pub const SEGMENT_BYTES: usize = 2 * ADDRESSES;

/// The words of a memory, by address.
pub(super) type TinyWords = [u16; ADDRESSES];

/// A memory before anything is written to it.
pub(super) static ZEROS: TinyWords = [0; ADDRESSES];

/// The result of a handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TinyFlow {
    /// Continue with the next instruction.
    Next,
    /// Continue at this address.
    To(u16),
    /// Continue with the next instruction; this one cost this number of units more than a plain one.
    Costly(u16),
    /// Store the time in the first registers and continue.
    Time,
    /// Stop after this instruction, with the value of r0.
    Yield,
    /// The word is not an instruction and has no effect.
    Illegal,
    /// The list of random numbers does not match what the program requests.
    NoRandom,
}

/// Why a run of the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TinyStop {
    /// The program yielded this value; it can continue.
    Yield(u16),
    /// An instruction must be charged this number of units; the program can continue.
    Costly(u16),
    /// This word is not an instruction; another step reads it again.
    Illegal(u16),
    /// All allowed instructions were executed.
    Limit,
    /// The program requested a random number that the vector does not provide.
    NoRandom,
}

/// Why the loop pauses.
enum Pause {
    /// The remaining instructions may not be enough to run the program from its start to its end.
    Fence,
    /// The next instruction is not decoded yet.
    NotDecoded,
}

/// One machine.
#[derive(Clone)]
pub(super) struct TinyCore {
    pub(super) registers: [u16; 16],
    pub(super) pc: u16,
    /// Instructions executed.
    pub(super) time: u64,
    pub(super) instructions: Box<TinyWords>,
    /// The instructions that were decoded, from address 0 on.
    program: Vec<TinyInstruction>,
    pub(super) data: Box<TinyWords>,
    pub(super) random: Random,
    /// Whether exp and root are instructions.
    pub(super) has_powers: bool,
}

impl TinyCore {
    /// A machine in which everything is zero.
    pub(super) fn new(spare: &mut SpareMemories) -> TinyCore {
        TinyCore {
            registers: [0; 16],
            pc: 0,
            time: 0,
            instructions: spare.zeros(),
            program: Vec::new(),
            data: spare.zeros(),
            random: Random::default(),
            has_powers: false,
        }
    }

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

    /// Resets the registers, the program counter and the data to zero. The program, the time and the random
    /// numbers stay.
    pub(super) fn clear(&mut self) {
        self.registers = [0; 16];
        self.pc = 0;
        self.data.fill(0);
    }

    #[inline(always)]
    pub(super) fn register(&mut self, register: Register) -> &mut u16 {
        &mut self.registers[register as usize]
    }
}

/// The memories of the program before. To clear them takes half the time of allocating others, which for short
/// programs is most of the time that they take.
#[derive(Default)]
pub(super) struct SpareMemories(Vec<Box<TinyWords>>);

impl SpareMemories {
    /// Keeps the memories of a machine that is not used any more.
    pub(super) fn keep(&mut self, core: TinyCore) {
        self.0.extend([core.instructions, core.data]);
    }

    fn zeros(&mut self) -> Box<TinyWords> {
        let Some(mut words) = self.0.pop() else { return zeros() };
        words.fill(0);
        words
    }
}

/// A copy has none: what they contain means nothing.
impl Clone for SpareMemories {
    fn clone(&self) -> SpareMemories {
        SpareMemories::default()
    }
}

/// A memory of zeros, allocated in place.
pub(super) fn zeros() -> Box<TinyWords> {
    vec![0; ADDRESSES].into_boxed_slice().try_into().expect("as many words as there are addresses")
}
