//! What programs of the 16-bit machine are made of: words of any instructions, whose operands are in registers.

use crate::machines::program_parts::OperandKind::{Boundary, Random, Small};
use crate::machines::program_parts::{DriverCommands, ProgramParts};

pub(super) const PARTS: ProgramParts = ProgramParts {
    operands: &[Small, Small, Boundary, Boundary, Random],
    register: Some(load),
    driver: Some(DRIVER),
    ..ProgramParts::EMPTY
};

/// The commands of a test driver, by `yield`. The machines under test loop, yield, or stop at once.
const DRIVER: DriverCommands = DriverCommands {
    numbers: &[1, 3, 4, 5, 6, 7, 8, 9],
    last: 2,
    max_results: 3,
    number: 0,
    operands: &[1, 2, 3],
    gives: "YIELD",
    driven: &[&[0x5900, 0xa800], &[0x5911, 0x102a, 0xa801], &[0xffff]],
    budget: 1_000,
};

/// `lw` of the low byte, and `lhi` of the high one.
fn load(register: u8, number: u16) -> Vec<u16> {
    let [high, low] = number.to_be_bytes();
    [(0x30, low), (0x40, high)].map(|(code, byte)| u16::from_be_bytes([code | register & 0xf, byte])).to_vec()
}
