//! Loads and stores.

use super::core::{Core, Flow};

/// `sw`
#[inline(always)]
pub(super) fn sw(core: &mut Core, word: u32) -> Flow {
    let (address, value) = (*core.register(word, 4), *core.register(word, 0));
    core.data[usize::from(address)] = value;
    Flow::Next
}

/// `lw` from memory
#[inline(always)]
pub(super) fn lw(core: &mut Core, word: u32) -> Flow {
    let address = *core.register(word, 4);
    *core.register(word, 0) = core.data[usize::from(address)];
    Flow::Next
}

/// `lwi`
#[inline(always)]
pub(super) fn lwi(core: &mut Core, word: u32) -> Flow {
    let address = *core.register(word, 4);
    *core.register(word, 0) = core.instructions[usize::from(address)];
    Flow::Next
}

/// `lw` of a constant
#[inline(always)]
pub(super) fn li(core: &mut Core, word: u32) -> Flow {
    *core.register(word, 8) = signed(word);
    Flow::Next
}

/// `lhi`
#[inline(always)]
pub(super) fn lhi(core: &mut Core, word: u32) -> Flow {
    let register = core.register(word, 8);
    *register = (word << 8) as u16 | *register & 0xff;
    Flow::Next
}

/// The low byte with its sign.
#[inline(always)]
pub(super) fn signed(word: u32) -> u16 {
    word as u8 as i8 as u16
}
