//! The notation of programs and states in the process protocol: the same as in N3 vectors.

use crate::model::shape::{MapKeys, MemberShape, Shape, members};

use crate::machines::neo::shapes::ITEM;
pub(super) use crate::machines::neo::shapes::{ITEMS, NUMBER};

/// A program record.
pub(super) const PROGRAM: &[MemberShape] = members! {
    "script": Shape::Bytes, "the script";
    "strict": Shape::Bool, "whether a script that strict validation rejects faults before its first instruction";
    "host": Shape::Text, "which system calls there are: test or crypto";
    "message": Shape::Bytes, "what the system calls for signatures verify, of the host crypto";
    "curve": Shape::Text, "secp256r1 or secp256k1, of the host crypto";
    "limits": Shape::Map(MapKeys::Text, &NUMBER), "limits of the engine that the vector lowers, by name";
};

/// What an action `set` can change.
pub(super) const CHANGES: &[MemberShape] = members! {
    "stack": BY_NUMBER, "items of the evaluation stack by their number from the top, 0 first";
    "staticFields": BY_NUMBER, "static fields by number";
    "localVariables": BY_NUMBER, "local variables by number";
    "arguments": BY_NUMBER, "arguments by number";
};

const BY_NUMBER: Shape = Shape::Map(MapKeys::Text, &ITEM);

pub(super) static FRAME: Shape = Shape::Record(members! {
    "instructionPointer": NUMBER, "the byte offset of the next instruction";
    "nextInstruction": Shape::Text, "its mnemonic";
    "nextOpcode": NUMBER, "its code";
    "evaluationStack": ITEMS, "the top item first";
    "staticFields": ITEMS, "not there when empty";
    "localVariables": ITEMS, "not there when empty";
    "arguments": ITEMS, "not there when empty";
});
