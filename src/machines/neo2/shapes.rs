//! The notation of programs and states in the process protocol: the same as in NeoVM 2.x vectors.

use crate::model::shape::{MapKeys, MemberShape, Shape, members};

use crate::machines::neo::shapes::ITEM;
pub(super) use crate::machines::neo::shapes::{ITEMS, NUMBER};

/// Alternative mnemonics, each with the one of the table.
pub(super) const ALIASES: &[(&str, &str)] = &[("PUSHF", "PUSH0"), ("PUSHT", "PUSH1")];

/// A program record.
pub(super) const PROGRAM: &[MemberShape] = members! {
    "script": Shape::Bytes, "the script";
    "message": Shape::Bytes, "what signatures are verified against";
    "scriptTable": Shape::List(&Shape::Bytes), "further scripts, which are called by their hash";
};

/// What an action `set` can change.
pub(super) const CHANGES: &[MemberShape] = members! {
    "stack": BY_NUMBER, "items of the evaluation stack by their number from the top, 0 first";
    "altStack": BY_NUMBER, "items of the alt stack by their number from the top, 0 first";
};

const BY_NUMBER: Shape = Shape::Map(MapKeys::Text, &ITEM);

pub(super) static FRAME: Shape = Shape::Record(members! {
    "scriptHash": Shape::Bytes, "";
    "instructionPointer": NUMBER, "the byte offset of the next instruction";
    "nextInstruction": Shape::Name(ALIASES), "its mnemonic; null at the end of the script";
    "nextOpcode": NUMBER, "its code; null at the end of the script";
    "evaluationStack": ITEMS, "the top item first";
    "altStack": ITEMS, "the top item first";
});
