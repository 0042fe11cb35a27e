//! The opcodes. Operands are named from the top of the stack: a, b, c. If an instruction pops a number of
//! items that another item gives, the row counts only those that it always pops.

use super::place::Neo2Place;
use crate::isa::rows::opcodes;

// One row per line, so that the table can be read by column.
#[rustfmt::skip]
macro_rules! rows {
    ($make:ident $head:tt) => { $crate::isa::rows::named_rows! { $make $head
    0x00 PUSH0           []           (0 -> 1)   push::empty,             "push the empty byte array", [];
    0x01 PUSHBYTES1      [Data(1)]    (0 -> 1)   push::bytes::<1>,        "push the byte that follows", [];
    0x02 PUSHBYTES2 PUSHBYTES3 PUSHBYTES4 PUSHBYTES5 PUSHBYTES6 PUSHBYTES7 PUSHBYTES8 PUSHBYTES9 PUSHBYTES10
         PUSHBYTES11 PUSHBYTES12 PUSHBYTES13 PUSHBYTES14 PUSHBYTES15 PUSHBYTES16 PUSHBYTES17 PUSHBYTES18 PUSHBYTES19
         PUSHBYTES20 PUSHBYTES21 PUSHBYTES22 PUSHBYTES23 PUSHBYTES24 PUSHBYTES25 PUSHBYTES26 PUSHBYTES27 PUSHBYTES28
         PUSHBYTES29 PUSHBYTES30 PUSHBYTES31 PUSHBYTES32 PUSHBYTES33 PUSHBYTES34 PUSHBYTES35 PUSHBYTES36 PUSHBYTES37
         PUSHBYTES38 PUSHBYTES39 PUSHBYTES40 PUSHBYTES41 PUSHBYTES42 PUSHBYTES43 PUSHBYTES44 PUSHBYTES45 PUSHBYTES46
         PUSHBYTES47 PUSHBYTES48 PUSHBYTES49 PUSHBYTES50 PUSHBYTES51 PUSHBYTES52 PUSHBYTES53 PUSHBYTES54 PUSHBYTES55
         PUSHBYTES56 PUSHBYTES57 PUSHBYTES58 PUSHBYTES59 PUSHBYTES60 PUSHBYTES61 PUSHBYTES62 PUSHBYTES63 PUSHBYTES64
         PUSHBYTES65 PUSHBYTES66 PUSHBYTES67 PUSHBYTES68 PUSHBYTES69 PUSHBYTES70 PUSHBYTES71 PUSHBYTES72 PUSHBYTES73
         PUSHBYTES74 PUSHBYTES75
                         [Data(N)]    (0 -> 1)   push::bytes::<N>,        "push the {N} bytes that follow", [];
    0x4c PUSHDATA1       [Prefixed(1)] (0 -> 1)   push::data::<1>,         "push the bytes that follow their length, which is not 0", [];
    0x4d PUSHDATA2       [Prefixed(2)] (0 -> 1)   push::data::<2>,         "push the bytes that follow their length, which is not 0", [];
    0x4e PUSHDATA4       [Prefixed(4)] (0 -> 1)   push::data::<4>,         "push the bytes that follow their length, which is not 0", [];
    0x4f PUSHM1          []           (0 -> 1)   push::number::<{ -1 }>,  "push -1", [];
    0x51 PUSH1 PUSH2 PUSH3 PUSH4 PUSH5 PUSH6 PUSH7 PUSH8 PUSH9 PUSH10 PUSH11 PUSH12 PUSH13 PUSH14 PUSH15 PUSH16
                         []           (0 -> 1)   push::number::<{ N as i64 }>, "push {N}", [];
    0x61 NOP             []           (0 -> 0)   flow::nop,               "nothing", [];
    0x62 JMP             [Offset(2)]  (0 -> 0)   flow::jmp,               "continue at the offset", [JumpsTo(at_offset)];
    0x63 JMPIF           [Offset(2)]  (1 -> 0)   flow::jmpif,             "continue at the offset if a is true", [Jumps];
    0x64 JMPIFNOT        [Offset(2)]  (1 -> 0)   flow::jmpifnot,          "continue at the offset if a is false", [Jumps];
    0x65 CALL            [Offset(2)]  (0 -> 0)   call::call,              "call the offset, which gets the whole evaluation stack", [];
    0x66 RET             []           (0 -> 0)   call::ret,               "return to the caller, or halt", [Takes(returned)];
    0x67 APPCALL         [Data(20)]   (0 -> 0)   call::appcall,           "call the script of this hash, or of hash a if it is all zeros, with the whole stack", [Takes(dynamic_hash)];
    0x68 SYSCALL         [Prefixed(1)] (0 -> 1)   host::syscall,           "push the result of the host for this name", [];
    0x69 TAILCALL        [Data(20)]   (0 -> 0)   call::tailcall,          "as APPCALL, in the place of the caller", [Takes(dynamic_hash), Jumps];
    0x6a DUPFROMALTSTACK []           (0 -> 1)   stack::dupfromaltstack,  "push the top of the alt stack", [Reads(Alt)];
    0x6b TOALTSTACK      []           (1 -> 0)   stack::toaltstack,       "move a to the alt stack", [Writes(NewAlt)];
    0x6c FROMALTSTACK    []           (0 -> 1)   stack::fromaltstack,     "move the top of the alt stack here", [Reads(Alt)];
    0x6d XDROP           []           (2 -> 0)   stack::xdrop,            "drop item a, counted from 0 below a", [Takes(indexed), Leaves(index), Moves(without_indexed)];
    0x72 XSWAP           []           (1 -> 0)   stack::xswap,            "swap item a, counted from 0 below a, with the item below a", [Reads(Swapped), Writes(Swapped), Moves(exchanged)];
    0x73 XTUCK           []           (2 -> 2)   stack::xtuck,            "put a copy of the item below a under the a topmost ones", [Takes(counted), Leaves(counted), Moves(tucked)];
    0x74 DEPTH           []           (0 -> 1)   stack::depth,            "push the number of items", [];
    0x75 DROP            []           (1 -> 0)   stack::drop,             "drop a", [];
    0x76 DUP             []           (1 -> 2)   stack::dup,              "push a again", [Moves(|_| vec![0, 0])];
    0x77 NIP             []           (2 -> 1)   stack::nip,              "drop b", [Moves(|_| vec![0])];
    0x78 OVER            []           (2 -> 3)   stack::over,             "push b again", [Moves(|_| vec![1, 0, 1])];
    0x79 PICK            []           (2 -> 2)   stack::pick,             "push item a again, counted from 0 below a", [Reads(Picked), Moves(copied_above)];
    0x7a ROLL            []           (1 -> 0)   stack::roll,             "move item a, counted from 0 below a, to the top", [Takes(indexed), Leaves(index_and_one), Moves(rolled)];
    0x7b ROT             []           (3 -> 3)   stack::rot,              "move c to the top", [Moves(|_| vec![1, 0, 2])];
    0x7c SWAP            []           (2 -> 2)   stack::swap,             "move b to the top", [Moves(|_| vec![0, 1])];
    0x7d TUCK            []           (2 -> 3)   stack::tuck,             "put a copy of a under b", [Moves(|_| vec![0, 1, 0])];
    0x7e CAT             []           (2 -> 1)   splice::cat,             "bytes b followed by a", [];
    0x7f SUBSTR          []           (3 -> 1)   splice::substr,          "at most a bytes of c from b on", [];
    0x80 LEFT            []           (2 -> 1)   splice::left,            "at most the first a bytes of b", [];
    0x81 RIGHT           []           (2 -> 1)   splice::right,           "the last a bytes of b", [];
    0x82 SIZE            []           (1 -> 1)   splice::size,            "how many bytes a has", [];
    0x83 INVERT          []           (1 -> 1)   bitwise::invert,         "-a - 1", [];
    0x84 AND             []           (2 -> 1)   bitwise::and,            "bits set in both a and b", [];
    0x85 OR              []           (2 -> 1)   bitwise::or,             "bits set in a or b", [];
    0x86 XOR             []           (2 -> 1)   bitwise::xor,            "bits set in one of a and b", [];
    0x87 EQUAL           []           (2 -> 1)   equal::equal,            "whether a and b are the same", [Reads(Compound(0)), Reads(Compound(1))];
    0x8b INC             []           (1 -> 1)   arith::inc,              "a + 1", [];
    0x8c DEC             []           (1 -> 1)   arith::dec,              "a - 1", [];
    0x8d SIGN            []           (1 -> 1)   arith::sign,             "-1, 0 or 1 as a is less than, equal to or greater than 0", [];
    0x8f NEGATE          []           (1 -> 1)   arith::negate,           "a with the other sign", [];
    0x90 ABS             []           (1 -> 1)   arith::abs,              "a without its sign", [];
    0x91 NOT             []           (1 -> 1)   arith::not,              "whether a is false", [];
    0x92 NZ              []           (1 -> 1)   arith::nz,               "whether the number a is not 0", [];
    0x93 ADD             []           (2 -> 1)   arith::add,              "b + a", [];
    0x94 SUB             []           (2 -> 1)   arith::sub,              "b - a", [];
    0x95 MUL             []           (2 -> 1)   arith::mul,              "b * a", [];
    0x96 DIV             []           (2 -> 1)   arith::div,              "b / a, rounded to zero", [];
    0x97 MOD             []           (2 -> 1)   arith::rem,              "b % a, with the sign of b", [];
    0x98 SHL             []           (2 -> 1)   arith::shl,              "b * 2^a, rounded down", [];
    0x99 SHR             []           (2 -> 1)   arith::shr,              "b / 2^a, rounded down", [];
    0x9a BOOLAND         []           (2 -> 1)   arith::booland,          "whether a and b are true", [];
    0x9b BOOLOR          []           (2 -> 1)   arith::boolor,           "whether a or b is true", [];
    0x9c NUMEQUAL        []           (2 -> 1)   arith::numequal,         "whether the numbers b and a are equal", [];
    0x9e NUMNOTEQUAL     []           (2 -> 1)   arith::numnotequal,      "whether the numbers b and a are not equal", [];
    0x9f LT              []           (2 -> 1)   arith::lt,               "b < a", [];
    0xa0 GT              []           (2 -> 1)   arith::gt,               "b > a", [];
    0xa1 LTE             []           (2 -> 1)   arith::lte,              "b <= a", [];
    0xa2 GTE             []           (2 -> 1)   arith::gte,              "b >= a", [];
    0xa3 MIN             []           (2 -> 1)   arith::min,              "the lesser of b and a", [];
    0xa4 MAX             []           (2 -> 1)   arith::max,              "the greater of b and a", [];
    0xa5 WITHIN          []           (3 -> 1)   arith::within,           "b <= c < a", [];
    0xa7 SHA1            []           (1 -> 1)   crypto::sha1,            "SHA-1 of a", [];
    0xa8 SHA256          []           (1 -> 1)   crypto::sha256,          "SHA-256 of a", [];
    0xa9 HASH160         []           (1 -> 1)   crypto::hash160,         "RIPEMD-160 of the SHA-256 of a", [];
    0xaa HASH256         []           (1 -> 1)   crypto::hash256,         "SHA-256 of the SHA-256 of a", [];
    0xac CHECKSIG        []           (2 -> 1)   crypto::checksig,        "whether b is a signature of the message by key a", [];
    0xad VERIFY          []           (3 -> 1)   crypto::verify,          "whether b is a signature of c by key a", [];
    0xae CHECKMULTISIG   []           (2 -> 1)   crypto::checkmultisig,   "whether each signature fits a key: a keys or their array, then signatures likewise", [Reads(Compound(0)), Reads(Signatures), Takes(keys_and_signatures)];
    0xc0 ARRAYSIZE       []           (1 -> 1)   compound::arraysize,     "how many items, or bytes, a has", [Reads(Compound(0))];
    0xc1 PACK            []           (1 -> 1)   compound::pack,          "an array of the a items below a, the topmost first", [Takes(counted), Creates];
    0xc2 UNPACK          []           (1 -> 1)   compound::unpack,        "push the items of array a, the first topmost, and how many they are", [Reads(Compound(0)), Leaves(unpacked)];
    0xc3 PICKITEM        []           (2 -> 1)   compound::pickitem,      "the item of b at index or key a", [Reads(Item(1, 0))];
    0xc4 SETITEM         []           (3 -> 0)   compound::setitem,       "make a, a struct cloned, the item of c at index or key b", [Reads(Struct(0)), Writes(Entry(2, 1))];
    0xc5 NEWARRAY        []           (1 -> 1)   compound::newarray,      "an array of a times false, or of the items of a", [Reads(Compound(0)), Creates];
    0xc6 NEWSTRUCT       []           (1 -> 1)   compound::newstruct,     "a struct of a times false, or of the items of a", [Reads(Compound(0)), Creates];
    0xc7 NEWMAP          []           (0 -> 1)   compound::newmap,        "an empty map", [Creates];
    0xc8 APPEND          []           (2 -> 0)   compound::append,        "append a, a struct cloned, to array b", [Reads(Struct(0)), Writes(End(1))];
    0xc9 REVERSE         []           (1 -> 0)   compound::reverse,       "turn the items of array a around", [Reads(Compound(0)), Writes(Compound(0))];
    0xca REMOVE          []           (2 -> 0)   compound::remove,        "remove the item of b at index or key a", [Reads(Compound(1)), Writes(Removed(1, 0))];
    0xcb HASKEY          []           (2 -> 1)   compound::haskey,        "whether b has an item at index or key a", [Reads(Compound(1))];
    0xcc KEYS            []           (1 -> 1)   compound::keys,          "an array of the keys of map a", [Reads(Compound(0)), Creates];
    0xcd VALUES          []           (1 -> 1)   compound::values,        "an array of the items of a, structs cloned", [Reads(Compound(0)), Creates];
    0xe0 CALL_I          [Unsigned(1) Unsigned(1) LaterOffset(2)] (0 -> 0)   isolated::call_i,        "call offset, from 2 bytes after the opcode on, with counts of results and arguments", [];
    0xe1 CALL_E          [Unsigned(1) Unsigned(1) Data(20)] (0 -> 0)   isolated::call_e,        "call the script of this hash, with these counts of results and arguments", [];
    0xe2 CALL_ED         [Unsigned(1) Unsigned(1)] (1 -> 0)   isolated::call_ed,       "call the script of hash a, with these counts of results and arguments", [];
    0xe3 CALL_ET         [Unsigned(1) Unsigned(1) Data(20)] (0 -> 0)   isolated::call_et,       "as CALL_E, in the place of the caller", [Takes(handed_over), Leaves(arguments), Jumps];
    0xe4 CALL_EDT        [Unsigned(1) Unsigned(1)] (1 -> 0)   isolated::call_edt,      "as CALL_ED, in the place of the caller", [Takes(handed_over_with_hash), Leaves(arguments_below_hash), Jumps];
    0xf0 THROW           []           (0 -> 0)   flow::throw,             "fault", [];
    0xf1 THROWIFNOT      []           (1 -> 0)   flow::throwifnot,        "fault if a is false", [];
    }};
}

pub(super) use rows;

rows!(opcodes {
    /// The opcodes by their mnemonics.
    Op, NEO2 = "neo2", Neo2Place, TopFirst
});
