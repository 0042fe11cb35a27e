//! One machine: registers, memories, program counter, time and random numbers, and the loop over its
//! instructions. The test driver has two of them.

use super::random::Random;
use super::table;
use crate::isa::OpSet;
use crate::machines::machine::{Meter, Unmetered, Until};

/// A word of a memory, for each address.
pub(super) type Words = [u16; 65536];

/// What a handler returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// Go on with the next instruction.
    Next,
    /// Go on so far from here, and around the end.
    By(u16),
    /// Go on there.
    To(u16),
    /// Go on with the next instruction; this one took so many units longer than a plain one.
    Costly(u16),
    /// Put the time into the first registers and go on.
    Time,
    /// Stop after this instruction, with the value of r0.
    Yield,
    /// The word is no instruction: nothing happens.
    Illegal,
    /// The list of random numbers does not fit what the program asks for.
    NoRandom,
}

/// Why a run of the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The program yielded this value; it can go on.
    Yield(u16),
    /// An instruction has to be charged so many units; the program can go on.
    Costly(u16),
    /// This word is no instruction; going on meets it again.
    Illegal(u16),
    /// So many instructions were executed as were allowed.
    Limit,
    /// The program requested a random number that the vector does not provide.
    NoRandom,
}

/// One machine.
#[derive(Clone)]
pub(super) struct Core {
    pub(super) registers: [u16; 16],
    pub(super) pc: u16,
    /// Instructions executed.
    pub(super) time: u64,
    pub(super) instructions: Box<Words>,
    pub(super) data: Box<Words>,
    pub(super) random: Random,
    /// Whether exp and root are instructions.
    pub(super) has_powers: bool,
}

impl Core {
    /// A machine in which everything is zero. Its memories are pages that are not touched yet.
    pub(super) fn new() -> Core {
        Core {
            registers: [0; 16],
            pc: 0,
            time: 0,
            instructions: zeros(),
            data: zeros(),
            random: Random::default(),
            has_powers: false,
        }
    }

    /// Attempts to execute at most so many instructions; returns how many attempts there were and why not more.
    // Program counter and time are locals: what goes through memory from one instruction to the next
    // is waited for.
    #[inline(never)]
    pub(super) fn run(&mut self, most: u64) -> (u64, Stop) {
        self.cycle(most, &mut Unmetered)
    }

    /// Like [`Core::run`], and ends with [`Stop::Limit`] in front of an instruction that `ops` may have, too.
    #[inline(never)]
    pub(super) fn run_to(&mut self, most: u64, ops: &OpSet) -> (u64, Stop) {
        self.cycle(most, &mut Until { left: most, ops })
    }

    /// The one loop.
    #[inline(always)]
    fn cycle(&mut self, most: u64, meter: &mut impl Meter) -> (u64, Stop) {
        let (mut pc, mut left) = (self.pc, most);
        let stop = loop {
            let lead = || (self.instructions[usize::from(pc)] >> 8) as u8;
            if left == 0 || meter.tick(lead).is_break() {
                break Stop::Limit;
            }
            let word = self.instructions[usize::from(pc)];
            match table::execute(self, word.into()) {
                Flow::Next => pc = pc.wrapping_add(1),
                Flow::By(distance) => pc = pc.wrapping_add(distance),
                Flow::To(place) => pc = place,
                Flow::Time => {
                    self.put_time(self.time + (most - left));
                    pc = pc.wrapping_add(1);
                }
                Flow::Yield => {
                    left -= 1;
                    pc = pc.wrapping_add(1);
                    break Stop::Yield(self.registers[0]);
                }
                Flow::Costly(units) => {
                    left -= 1;
                    pc = pc.wrapping_add(1);
                    break Stop::Costly(units);
                }
                Flow::Illegal => break Stop::Illegal(word),
                Flow::NoRandom => break Stop::NoRandom,
            }
            left -= 1;
        };
        self.pc = pc;
        self.time += most - left;
        // An illegal word is an attempt that executes nothing.
        (most - left + u64::from(matches!(stop, Stop::Illegal(_))), stop)
    }

    fn put_time(&mut self, time: u64) {
        self.registers[..4].copy_from_slice(&[48, 32, 16, 0].map(|shift| (time >> shift) as u16));
    }

    /// Makes everything zero again, but for the program and what it draws its numbers from.
    pub(super) fn clear(&mut self) {
        self.registers = [0; 16];
        self.pc = 0;
        self.data.fill(0);
    }

    /// The register whose number starts at this bit of a word, counted from the lowest.
    #[inline(always)]
    pub(super) fn register(&mut self, word: u32, shift: u32) -> &mut u16 {
        &mut self.registers[(word >> shift & 15) as usize]
    }
}

/// A memory of zeros, made where it stays.
pub(super) fn zeros() -> Box<Words> {
    vec![0; 65536].into_boxed_slice().try_into().expect("as many words as there are addresses")
}
