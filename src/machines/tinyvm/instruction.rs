//! Decoded instructions, as the loop executes them. Each is decoded when it is first reached.

use super::opcodes::{TINYVM, TinyOp};
use crate::isa::WordField;

/// A decoded instruction.
// It takes eight bytes, so that its position in the program is a shift of its address.
#[derive(Debug, Clone)]
#[repr(align(8))]
pub(super) struct TinyInstruction {
    pub(super) op: TinyOp,
    /// The registers, in the order of the source.
    pub(super) a: Register,
    pub(super) b: Register,
    /// The number after them, or the target of a jump.
    pub(super) value: u16,
}

impl TinyInstruction {
    /// Decodes the word at an address.
    pub(super) fn decode(word: u16, at: u16) -> TinyInstruction {
        let mut registers = [Register::default(); 2];
        let mut places = registers.iter_mut();
        let mut value = 0;
        for field in TINYVM.by_code(word).map_or(&[][..], |row| row.fields) {
            match field {
                WordField::Register(shift) => {
                    if let Some(place) = places.next() {
                        *place = Register::ALL[usize::from(word >> shift & 15)];
                    }
                }
                WordField::Signed => value = word as u8 as i8 as u16,
                WordField::High => value = word << 8,
                WordField::Skip(bits) => value = at.wrapping_add(distance(word, *bits)),
            }
        }
        let [a, b] = registers;
        TinyInstruction { op: TinyOp::of_word(word), a, b, value }
    }
}

/// The distance of a jump that is encoded in this number of bits. The highest bit is the sign. The useless
/// distances 0 and 1 have no encoding, so positive distances start at 2.
fn distance(word: u16, bits: u8) -> u16 {
    let sign = 1 << (bits - 1);
    let distance = word & (sign - 1);
    if word & sign == 0 { distance + 2 } else { !distance }
}

/// The number of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(dead_code, reason = "only ALL names them all")]
pub(super) enum Register {
    #[default]
    R0,
    R1,
    R2,
    R3,
    R4,
    R5,
    R6,
    R7,
    R8,
    R9,
    R10,
    R11,
    R12,
    R13,
    R14,
    R15,
}

impl Register {
    #[rustfmt::skip]
    const ALL: [Register; 16] = {
        use Register::{R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R14, R15};
        [R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R14, R15]
    };
}
