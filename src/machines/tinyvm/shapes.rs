//! The notation of programs in the process protocol.

use crate::model::shape::{MapKeys, MemberShape, NumberNotation, Shape, members};

const NUMBER: Shape = Shape::Int(NumberNotation::Number);

/// Words by the address of the first one.
const SEGMENT: Shape = Shape::Map(MapKeys::Text, &Shape::Bytes);

/// A program record, for one machine or for a driver and its testee.
pub(super) const PROGRAM: &[MemberShape] = members! {
    "instructions": SEGMENT, "words of instruction memory, by the address of the first one";
    "data": SEGMENT, "words of data memory, by the address of the first one";
    "registers": Shape::Plain, "the first registers, at most 16";
    "pc": NUMBER, "the program counter";
    "rnd": Shape::Plain, "the seed of the random numbers, or a list of them";
    "features": Shape::Plain, "a list; with \"expRoot\", exp and root are instructions";
    "driver": CORE, "the machine that tests";
    "testee": CORE, "the machine under test";
    "budget": NUMBER, "instructions of driver and testee together";
    "zeroLimit": Shape::Text, "what a run of 0 instructions is: fatal or timeout";
};

const CORE: Shape = Shape::Record(members! {
    "instructions": SEGMENT, "words of instruction memory, by the address of the first one";
    "rnd": Shape::Plain, "the seed of the random numbers, or a list of them";
});

/// What an action `set` can change.
pub(super) const CHANGES: &[MemberShape] = members! {
    "registers": Shape::Plain, "registers by name, r0 to r15";
    "data": SEGMENT, "words of data memory, by the address of the first one";
    "pc": NUMBER, "the program counter";
    "phase": Shape::Text, "same, where the change does not begin a new run";
};
