//! CAT, which appends in place where nobody else sees its left side: what it makes is a new Buffer all the same.

use super::{End, Script, buffer, byte_string, end_of};
use vmconf::machines::neo3::Op;

/// A Buffer on the stack.
fn pushed(bytes: &[u8]) -> Script {
    Script::new().bytes(bytes).bytes(&[]).ops(&[Op::CAT])
}

/// Pushes what is appended, and appends it.
fn cat(script: Script, bytes: &[u8]) -> Script {
    script.bytes(bytes).ops(&[Op::CAT])
}

fn buffers(all: &[&[u8]]) -> End {
    End::Halt(all.iter().map(|bytes| buffer(bytes)).collect())
}

#[test]
fn pieces_joined_one_by_one_are_the_whole() {
    let pieces: [&[u8]; 5] = [b"a", b"", b"bcd", &[0xff; 300], b"z"];
    let script = pieces.iter().fold(pushed(b"start "), |script, piece| cat(script, piece));
    assert_eq!(end_of(&script), buffers(&[&[b"start ", &*pieces.concat()].concat()]));
}

/// Each other place that a Buffer can be in keeps what was in it.
#[test]
fn a_shared_left_operand_is_not_changed() {
    let on_the_stack = cat(pushed(b"left").ops(&[Op::DUP]), b"right");
    assert_eq!(end_of(&on_the_stack), buffers(&[b"left", b"leftright"]));

    let local = pushed(b"left").ops(&[Op::STLOC0, Op::LDLOC0]);
    let in_a_local = cat(Script::new().op(Op::INITSLOT, &[1, 0]).raw(&local.0), b"right").ops(&[Op::LDLOC0]);
    assert_eq!(end_of(&in_a_local), buffers(&[b"leftright", b"left"]));

    let field = pushed(b"left").ops(&[Op::STSFLD0, Op::LDSFLD0]);
    let in_a_field = cat(Script::new().op(Op::INITSSLOT, &[1]).raw(&field.0), b"right").ops(&[Op::LDSFLD0]);
    assert_eq!(end_of(&in_a_field), buffers(&[b"leftright", b"left"]));

    let in_an_array = pushed(b"left").ops(&[Op::PUSH1, Op::PACK, Op::DUP, Op::PUSH0, Op::PICKITEM]);
    let in_an_array = cat(in_an_array, b"right").ops(&[Op::SWAP, Op::PUSH0, Op::PICKITEM]);
    assert_eq!(end_of(&in_an_array), buffers(&[b"leftright", b"left"]));
}

#[test]
fn a_buffer_that_is_both_sides_is_doubled() {
    assert_eq!(end_of(&pushed(b"ab").ops(&[Op::DUP, Op::CAT])), buffers(&[b"abab"]));
    let kept = pushed(b"ab").ops(&[Op::DUP, Op::DUP, Op::CAT]);
    assert_eq!(end_of(&kept), buffers(&[b"ab", b"abab"]));
}

/// A ByteString does not change, whoever holds it.
#[test]
fn a_byte_string_stays_as_it_is() {
    let script = cat(Script::new().bytes(b"left").ops(&[Op::DUP]), b"right");
    assert_eq!(end_of(&script), End::Halt(vec![byte_string(b"left"), buffer(b"leftright")]));
}

/// If something else also holds the left side, a change of the result is seen only in the result.
#[test]
fn a_change_of_the_result_does_not_reach_the_left_side() {
    let script = cat(pushed(b"left").ops(&[Op::DUP]), b"right");
    let script = script.ops(&[Op::DUP, Op::PUSH0, Op::PUSH1, Op::SETITEM]);
    assert_eq!(end_of(&script), buffers(&[b"left", b"\x01eftright"]));
}

#[test]
fn a_result_that_is_too_large_faults() {
    let half = Script::new().int(600_000).ops(&[Op::NEWBUFFER]);
    assert_eq!(end_of(&half.clone().raw(&half.0).ops(&[Op::CAT])), End::Fault);
    let kept = half.ops(&[Op::STLOC0, Op::LDLOC0, Op::LDLOC0, Op::CAT]);
    let kept = Script::new().op(Op::INITSLOT, &[1, 0]).raw(&kept.0);
    assert_eq!(end_of(&kept), End::Fault);
}
