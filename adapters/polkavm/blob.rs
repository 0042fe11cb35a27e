//! The blob of a program: jump table, code and bit mask of the instructions.

/// A number in the variable-length encoding of JAM, and how many bytes it takes.
fn varint(bytes: &[u8]) -> Option<(usize, usize)> {
    let first = *bytes.first()?;
    let more = first.leading_ones() as usize;
    let low = bytes.get(1..=more)?.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte));
    let high = usize::from(first) & (0xff >> (more + 1).min(8));
    Some((high << (8 * more) | low, more + 1))
}

fn encoded(number: usize) -> Vec<u8> {
    match number {
        0..0x80 => vec![number as u8],
        0x80..0x4000 => vec![0x80 | (number >> 8) as u8, number as u8],
        _ => vec![0xc0 | (number >> 16) as u8, number as u8, (number >> 8) as u8],
    }
}

/// The program with the trap that JAM has after the last instruction, which polkavm demands as an instruction.
pub fn with_trap(program: Vec<u8>) -> Vec<u8> {
    let parts = || {
        let (entries, at) = varint(&program)?;
        let size = usize::from(*program.get(at)?);
        let (length, taken) = varint(program.get(at + 1..)?)?;
        let table = program.get(at + 1 + taken..)?.get(..entries * size)?;
        let (code, mask) = program.get(at + 1 + taken + table.len()..)?.split_at_checked(length)?;
        let mut mask = mask.to_vec();
        mask.resize(length / 8 + 1, 0);
        mask[length / 8] = mask[length / 8] & ((1 << (length % 8)) - 1) | 1 << (length % 8);
        Some([&program[..=at], &encoded(length + 1), table, code, &[0], &mask].concat())
    };
    parts().unwrap_or_else(|| program.clone())
}
