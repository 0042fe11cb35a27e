//! One machine: registers, memories, program counter, time and random numbers. The test driver has two of them.

use super::instruction::{Register, TinyInstruction};
use super::random::Random;

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

/// One machine.
#[derive(Clone)]
pub(super) struct TinyCore {
    pub(super) registers: [u16; 16],
    pub(super) pc: u16,
    /// Instructions executed.
    pub(super) time: u64,
    pub(super) instructions: Box<TinyWords>,
    /// The instructions that were decoded, from address 0 on.
    pub(super) program: Vec<TinyInstruction>,
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
