//! Pseudo-random numbers, the same each time.

use num_bigint::BigInt;

use crate::isa::ImmediateOperand;

/// A sequence that its seed decides.
#[derive(Debug, Clone)]
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Numbers {
        Numbers(seed)
    }

    /// The numbers that decide the case with this number.
    pub(crate) fn of_case(seed: u64, number: u64) -> Numbers {
        Numbers::new(seed ^ number.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// The next 64 bits. The constants are those of SplitMix64.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `bound`, which must not be 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound as u64) as usize
    }

    /// True with the probability 1 / `times`.
    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of `choices`, which must not be empty.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// `count` random bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.bits() as u8).collect()
    }

    /// A number at or next to a boundary.
    pub(crate) fn boundary(&mut self) -> BigInt {
        const BITS: [u32; 14] = [0, 0, 1, 2, 5, 7, 8, 31, 32, 63, 64, 127, 128, 255];
        let power = BigInt::from(1) << self.pick(&BITS);
        let near = power + (self.below(3) as i64 - 1);
        if self.one_in(4) { -near } else { near }
    }

    /// An immediate operand of an instruction: few bytes, small numbers.
    pub(crate) fn immediate(&mut self, operand: ImmediateOperand) -> Vec<u8> {
        let small = self.below(4) as u8;
        match operand {
            ImmediateOperand::Prefixed(size) => {
                let mut bytes = vec![0; size.into()];
                bytes[0] = small;
                bytes.extend(self.bytes(small.into()));
                bytes
            }
            ImmediateOperand::Data(size) | ImmediateOperand::Word(size) => self.bytes(size.into()),
            ImmediateOperand::Unsigned(size)
            | ImmediateOperand::Signed(size)
            | ImmediateOperand::Offset(size)
            | ImmediateOperand::LaterOffset(size) => {
                let mut bytes = vec![0; size.into()];
                bytes[0] = small;
                bytes
            }
        }
    }
}
