//! Which offsets of the code a jump can go to.

use super::opcodes::Op;

/// The valid jump destinations: each JUMPDEST that is not data of a PUSH. Computed lazily, once per offset:
/// most programs jump to a few places, so analysing all of their code would cost more than it saves.
#[derive(Debug, Clone)]
pub(super) struct Destinations {
    known: Vec<JumpDestination>,
    /// An instruction starts here, and everything before it is known.
    scanned: usize,
    /// The initial state of a destination.
    fresh: JumpDestination,
}

/// What is known about an offset as the target of a jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(super) struct JumpDestination(u16);

impl JumpDestination {
    const UNKNOWN: JumpDestination = JumpDestination(0);
    pub(super) const NO: JumpDestination = JumpDestination(1);
    /// A destination for the plain loop.
    pub(super) const PLAIN: JumpDestination = JumpDestination(2);
    /// A destination where the hot tier takes over.
    pub(super) const HOT: JumpDestination = JumpDestination(3);

    /// A destination where the hot tier takes over after this number of jumps to it.
    pub(super) const fn cold(jumps: u16) -> JumpDestination {
        JumpDestination(JumpDestination::HOT.0 + jumps)
    }
}

impl Destinations {
    /// The destinations of empty code.
    pub(super) fn new() -> Destinations {
        Destinations { known: Vec::new(), scanned: 0, fresh: JumpDestination::PLAIN }
    }

    /// Starts over for new code of `length` bytes. `fresh` is the initial state of a destination.
    pub(super) fn reset(&mut self, length: usize, fresh: JumpDestination) {
        self.known.clear();
        self.known.resize(length, JumpDestination::UNKNOWN);
        self.scanned = 0;
        self.fresh = fresh;
    }

    /// Counts a jump to `target`.
    #[inline(always)]
    pub(super) fn visit(&mut self, code: &[u8], target: usize) -> JumpDestination {
        let Some(known) = self.known.get_mut(target) else { return JumpDestination::NO };
        if *known > JumpDestination::HOT {
            known.0 -= 1;
        } else if *known == JumpDestination::UNKNOWN {
            self.learn(code, target);
        }
        self.known[target]
    }

    /// Whether the hot tier takes over at `target`.
    pub(super) fn is_hot(&self, target: usize) -> bool {
        self.known.get(target) == Some(&JumpDestination::HOT)
    }

    /// Leaves a destination to the plain loop.
    pub(super) fn cool(&mut self, target: usize) {
        if self.is_hot(target) {
            self.known[target] = JumpDestination::PLAIN;
        }
    }

    /// Whether `target` is a destination.
    pub(super) fn contains(&mut self, code: &[u8], target: usize) -> bool {
        if self.known.get(target) == Some(&JumpDestination::UNKNOWN) {
            self.learn(code, target);
        }
        self.known.get(target).is_some_and(|known| *known != JumpDestination::NO)
    }

    /// Determines whether an offset is a destination: decodes from a nearby earlier offset where an
    /// instruction certainly starts if there is one, otherwise all instructions.
    #[cold]
    #[inline(never)]
    fn learn(&mut self, code: &[u8], target: usize) {
        /// How far before `target` to look for such an offset.
        const NEAR: usize = 128;
        if code[target] != Op::JUMPDEST as u8 {
            self.known[target] = JumpDestination::NO;
            return;
        }
        let lowest = target.saturating_sub(NEAR).max(self.scanned);
        let mut start = target;
        while start >= lowest {
            if starts(code, start) {
                let is_start = reaches(code, start, target);
                self.known[target] = if is_start { self.fresh } else { JumpDestination::NO };
                return;
            }
            start -= 1;
        }
        self.scan(code, target);
    }

    /// Continues to scan the instructions until past `target`.
    fn scan(&mut self, code: &[u8], target: usize) {
        let mut at = self.scanned;
        while at <= target {
            let byte = code[at];
            if byte == Op::JUMPDEST as u8 && self.known[at] == JumpDestination::UNKNOWN {
                self.known[at] = self.fresh;
            }
            at += 1 + push_data(byte);
        }
        self.scanned = at;
        if self.known[target] == JumpDestination::UNKNOWN {
            self.known[target] = JumpDestination::NO;
        }
    }
}

/// Whether an instruction certainly starts here: no earlier byte that may be a PUSH has data that reaches
/// this far. Checks all bytes without branches, so that the compiler can vectorise it.
#[inline(always)]
fn starts(code: &[u8], at: usize) -> bool {
    let Some(before) = code[..at].last_chunk::<MAX_DATA_LENGTH>() else {
        let mut before = code[..at].iter().rev().zip(1..);
        return before.all(|(byte, distance)| push_data(*byte) < distance);
    };
    // PUSH1 reaches the next byte, and PUSH32 the 32nd one.
    let mut is_data = false;
    for (at, byte) in before.iter().enumerate() {
        let distance = (MAX_DATA_LENGTH - at) as u8;
        let shortest = Op::PUSH1 as u8 + distance - 1;
        is_data |= byte.wrapping_sub(shortest) <= Op::PUSH32 as u8 - shortest;
    }
    !is_data
}

/// Whether an instruction starts at `target`, if one starts at `at`.
fn reaches(code: &[u8], mut at: usize, target: usize) -> bool {
    while at < target {
        at += 1 + push_data(code[at]);
    }
    at == target
}

/// The maximum number of data bytes of an instruction.
const MAX_DATA_LENGTH: usize = 32;

/// How many bytes of data follow the code of an instruction.
fn push_data(code: u8) -> usize {
    match code.wrapping_sub(Op::PUSH1 as u8) {
        length @ 0..32 => usize::from(length) + 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::{Destinations, JumpDestination, MAX_DATA_LENGTH, push_data};

    /// Whatever is asked first, a destination is a JUMPDEST at which an instruction starts when all are
    /// decoded in order.
    #[test]
    fn destinations_are_those_of_an_analysis_of_all_code() {
        let mut seed = 0x2545_f491_4f6c_dd1d_u64;
        let mut random = move |below: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % below as u64) as usize
        };
        let (mut valid, mut data) = (0, 0);
        for round in 0..3000 {
            // Dense, sparse and no PUSHes; long ones cover the area before a destination.
            let of_pushes = [1, 4, 60][round % 3];
            let length = 1 + random(600);
            let mut code: Vec<u8> = (0..length)
                .map(|_| match random(2 * of_pushes) {
                    0 => 0x60 + random(MAX_DATA_LENGTH) as u8,
                    1 => 0x7f,
                    _ => 0x5b,
                })
                .collect();
            code.resize(length + MAX_DATA_LENGTH + 1, 0);
            let mut starts = vec![false; code.len()];
            let mut at = 0;
            while at < length {
                starts[at] = true;
                at += 1 + push_data(code[at]);
            }
            let mut destinations = Destinations::new();
            destinations.reset(code.len(), JumpDestination::PLAIN);
            for _ in 0..40 {
                let target = random(length);
                let expected = code[target] == 0x5b && starts[target];
                assert_eq!(destinations.contains(&code, target), expected, "{target} of {code:02x?}");
                valid += usize::from(expected);
                data += usize::from(code[target] == 0x5b && !expected);
            }
        }
        assert!(valid > 10_000 && data > 10_000, "{valid} {data}");
    }
}
