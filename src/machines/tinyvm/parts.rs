//! What programs of the 16-bit machine are made of: words of any instructions, whose operands are in registers.

use crate::machines::program_parts::OperandKind::{Boundary, Random, Small};
use crate::machines::program_parts::ProgramParts;

pub(super) const PARTS: ProgramParts = ProgramParts {
    operands: &[Small, Small, Boundary, Boundary, Random],
    register: Some(load),
    ..ProgramParts::WITHOUT_BYTES
};

/// `lw` of the low byte, and `lhi` of the high one.
fn load(register: u8, number: u16) -> Vec<u16> {
    let [high, low] = number.to_be_bytes();
    [(0x30, low), (0x40, high)].map(|(code, byte)| u16::from_be_bytes([code | register & 0xf, byte])).to_vec()
}
