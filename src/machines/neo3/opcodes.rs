//! The opcodes of N3. Items are named from the bottom up: in `a b`, b is on top.

use super::place::Neo3Place;
use crate::isa::rows::opcodes;

// One row per line, so that the table can be read by column.
#[rustfmt::skip]
macro_rules! rows {
    ($make:ident $head:tt) => { $crate::isa::rows::named_rows! { $make $head
    0x00 PUSHINT8 PUSHINT16 PUSHINT32 PUSHINT64
                      [Signed(N / 8)]            (0 -> 1) push::pushint::<{ N / 8 }>,      "push an Integer of {N} bits", [];
    0x04 PUSHINT128 PUSHINT256
                      [Signed(N / 8)]            (0 -> 1) push::pushint_big::<{ N / 8 }>,  "push an Integer of {N} bits", [];
    0x08 PUSHT        []                         (0 -> 1) push::pusht,                     "push Boolean true", [];
    0x09 PUSHF        []                         (0 -> 1) push::pushf,                     "push Boolean false", [];
    0x0a PUSHA        [Offset(4)]                (0 -> 1) push::pusha,                     "push a Pointer to the position", [];
    0x0b PUSHNULL     []                         (0 -> 1) push::pushnull,                  "push Null", [];
    0x0c PUSHDATA1    [Prefixed(1)]              (0 -> 1) push::data::<1>,             "push the bytes as a ByteString", [];
    0x0d PUSHDATA2    [Prefixed(2)]              (0 -> 1) push::data::<2>,             "push the bytes as a ByteString", [];
    0x0e PUSHDATA4    [Prefixed(4)]              (0 -> 1) push::data::<4>,             "push the bytes as a ByteString", [];
    0x0f PUSHM1       []                         (0 -> 1) push::number::<{ -1 }>,            "push Integer -1", [];
    0x10 PUSH0 PUSH1 PUSH2 PUSH3 PUSH4 PUSH5 PUSH6 PUSH7 PUSH8 PUSH9 PUSH10 PUSH11 PUSH12 PUSH13 PUSH14 PUSH15 PUSH16
                      []                         (0 -> 1) push::number::<{ N as i64 }>,    "push Integer {N}", [];
    0x21 NOP          []                         (0 -> 0) flow::nop,                           "nothing", [];
    0x22 JMP          [Offset(1)]                (0 -> 0) flow::jmp::<1>,                      "always jump", [JumpsTo(at_offset)];
    0x23 JMP_L        [Offset(4)]                (0 -> 0) flow::jmp::<4>,                      "always jump", [JumpsTo(at_offset)];
    0x24 JMPIF        [Offset(1)]                (1 -> 0) flow::jmpif::<1>,                    "jump if a is true", [Jumps];
    0x25 JMPIF_L      [Offset(4)]                (1 -> 0) flow::jmpif::<4>,                    "jump if a is true", [Jumps];
    0x26 JMPIFNOT     [Offset(1)]                (1 -> 0) flow::jmpifnot::<1>,                 "jump if a is false", [Jumps];
    0x27 JMPIFNOT_L   [Offset(4)]                (1 -> 0) flow::jmpifnot::<4>,                 "jump if a is false", [Jumps];
    0x28 JMPEQ        [Offset(1)]                (2 -> 0) flow::jmpeq::<1>,                    "jump if a = b", [Jumps];
    0x29 JMPEQ_L      [Offset(4)]                (2 -> 0) flow::jmpeq::<4>,                    "jump if a = b", [Jumps];
    0x2a JMPNE        [Offset(1)]                (2 -> 0) flow::jmpne::<1>,                    "jump if a is not b", [Jumps];
    0x2b JMPNE_L      [Offset(4)]                (2 -> 0) flow::jmpne::<4>,                    "jump if a is not b", [Jumps];
    0x2c JMPGT        [Offset(1)]                (2 -> 0) flow::jmpgt::<1>,                    "jump if a > b", [Jumps];
    0x2d JMPGT_L      [Offset(4)]                (2 -> 0) flow::jmpgt::<4>,                    "jump if a > b", [Jumps];
    0x2e JMPGE        [Offset(1)]                (2 -> 0) flow::jmpge::<1>,                    "jump if a >= b", [Jumps];
    0x2f JMPGE_L      [Offset(4)]                (2 -> 0) flow::jmpge::<4>,                    "jump if a >= b", [Jumps];
    0x30 JMPLT        [Offset(1)]                (2 -> 0) flow::jmplt::<1>,                    "jump if a < b", [Jumps];
    0x31 JMPLT_L      [Offset(4)]                (2 -> 0) flow::jmplt::<4>,                    "jump if a < b", [Jumps];
    0x32 JMPLE        [Offset(1)]                (2 -> 0) flow::jmple::<1>,                    "jump if a <= b", [Jumps];
    0x33 JMPLE_L      [Offset(4)]                (2 -> 0) flow::jmple::<4>,                    "jump if a <= b", [Jumps];
    0x34 CALL         [Offset(1)]                (0 -> 0) call::call::<1>,                     "call the position in a new frame", [];
    0x35 CALL_L       [Offset(4)]                (0 -> 0) call::call::<4>,                     "call the position in a new frame", [];
    0x36 CALLA        []                         (1 -> 0) call::calla,                         "call the position of Pointer a in a new frame", [];
    0x37 CALLT        [Unsigned(2)]              (0 -> 0) call::callt,                         "call a method token of the host; without a host, fault", [];
    0x38 ABORT        []                         (0 -> 0) flow::abort,                         "fault", [];
    0x39 ASSERT       []                         (1 -> 0) flow::assert,                        "fault if a is false", [];
    0x3a THROW        []                         (1 -> 0) try_catch::throw,                        "throw a", [Reads(Compound(0)), Writes(Exception)];
    0x3b TRY          [Offset(1) Offset(1)]      (0 -> 0) try_catch::try_::<1>,                    "try with a catch and a finally block; 0 is none", [];
    0x3c TRY_L        [Offset(4) Offset(4)]      (0 -> 0) try_catch::try_::<4>,                    "try with a catch and a finally block; 0 is none", [];
    0x3d ENDTRY       [Offset(1)]                (0 -> 0) try_catch::endtry::<1>,                  "end of a try or catch block: finally, then go on there", [JumpsTo(ended)];
    0x3e ENDTRY_L     [Offset(4)]                (0 -> 0) try_catch::endtry::<4>,                  "end of a try or catch block: finally, then go on there", [JumpsTo(ended)];
    0x3f ENDFINALLY   []                         (0 -> 0) try_catch::endfinally,                   "end of a finally block: go on, or throw the pending exception", [Reads(Pending), Jumps];
    0x40 RET          []                         (0 -> 0) call::ret,                           "return", [];
    0x41 SYSCALL      [Unsigned(4)]              (0 -> 0) host::syscall,                       "call a service of the host", [Reads(ServiceOperands), Writes(Exception), Takes(service_operands)];
    0x43 DEPTH        []                         (0 -> 1) stack::depth,                        "push how many items there are", [];
    0x45 DROP         []                         (1 -> 0) stack::drop,                         "drop a", [];
    0x46 NIP          []                         (2 -> 1) stack::nip,                          "drop a, which is below b", [Moves(|_| vec![0])];
    0x48 XDROP        []                         (1 -> 0) stack::xdrop,                        "drop the item n below the top; n is on top", [Takes(indexed), Leaves(index), Moves(without_indexed)];
    0x49 CLEAR        []                         (0 -> 0) stack::clear,                        "drop all", [Takes(all)];
    0x4a DUP          []                         (1 -> 2) stack::dup,                          "copy a", [Moves(|_| vec![0, 0])];
    0x4b OVER         []                         (2 -> 3) stack::over,                         "copy a, which is below b", [Moves(|_| vec![1, 0, 1])];
    0x4d PICK         []                         (1 -> 1) stack::pick,                         "copy the item n below the top; n is on top", [Reads(Picked), Moves(copied)];
    0x4e TUCK         []                         (2 -> 3) stack::tuck,                         "put a copy of b below a", [Moves(|_| vec![0, 1, 0])];
    0x50 SWAP         []                         (2 -> 2) stack::swap,                         "a b to b a", [Moves(|_| vec![0, 1])];
    0x51 ROT          []                         (3 -> 3) stack::rot,                          "a b c to b c a", [Moves(|_| vec![1, 0, 2])];
    0x52 ROLL         []                         (1 -> 0) stack::roll,                         "move the item n below the top to the top; n is on top", [Takes(indexed), Leaves(index_and_one), Moves(rolled)];
    0x53 REVERSE3     []                         (3 -> 3) stack::reverse::<3>,                 "reverse the top 3 items", [Moves(|_| vec![0, 1, 2])];
    0x54 REVERSE4     []                         (4 -> 4) stack::reverse::<4>,                 "reverse the top 4 items", [Moves(|_| vec![0, 1, 2, 3])];
    0x55 REVERSEN     []                         (1 -> 0) stack::reversen,                     "reverse the top n items; n is on top", [Takes(counted), Leaves(index), Moves(reversed)];
    0x56 INITSSLOT    [Unsigned(1)]              (0 -> 0) slot::initsslot,                     "make this number of static fields, all Null", [Writes(NewStatics)];
    0x57 INITSLOT     [Unsigned(1) Unsigned(1)]  (0 -> 0) slot::initslot,                      "make the first number of local variables, all Null, and pop the second number of arguments", [Writes(NewLocals), Stores(NewArguments), Takes(initialised)];
    0x58 LDSFLD0 LDSFLD1 LDSFLD2 LDSFLD3 LDSFLD4 LDSFLD5 LDSFLD6
                      []                         (0 -> 1) slot::load::<Statics, N>,        "push static field {N}", [Reads(Static)];
    0x5f LDSFLD       [Unsigned(1)]              (0 -> 1) slot::load_operand::<Statics>,       "push the static field", [Reads(Static)];
    0x60 STSFLD0 STSFLD1 STSFLD2 STSFLD3 STSFLD4 STSFLD5 STSFLD6
                      []                         (1 -> 0) slot::store::<Statics, N>,       "pop into static field {N}", [Stores(Static)];
    0x67 STSFLD       [Unsigned(1)]              (1 -> 0) slot::store_operand::<Statics>,      "pop into the static field", [Stores(Static)];
    0x68 LDLOC0 LDLOC1 LDLOC2 LDLOC3 LDLOC4 LDLOC5 LDLOC6
                      []                         (0 -> 1) slot::load::<Locals, N>,         "push local variable {N}", [Reads(Local)];
    0x6f LDLOC        [Unsigned(1)]              (0 -> 1) slot::load_operand::<Locals>,        "push the local variable", [Reads(Local)];
    0x70 STLOC0 STLOC1 STLOC2 STLOC3 STLOC4 STLOC5 STLOC6
                      []                         (1 -> 0) slot::store::<Locals, N>,        "pop into local variable {N}", [Stores(Local)];
    0x77 STLOC        [Unsigned(1)]              (1 -> 0) slot::store_operand::<Locals>,       "pop into the local variable", [Stores(Local)];
    0x78 LDARG0 LDARG1 LDARG2 LDARG3 LDARG4 LDARG5 LDARG6
                      []                         (0 -> 1) slot::load::<Arguments, N>,      "push argument {N}", [Reads(Argument)];
    0x7f LDARG        [Unsigned(1)]              (0 -> 1) slot::load_operand::<Arguments>,     "push the argument", [Reads(Argument)];
    0x80 STARG0 STARG1 STARG2 STARG3 STARG4 STARG5 STARG6
                      []                         (1 -> 0) slot::store::<Arguments, N>,     "pop into argument {N}", [Stores(Argument)];
    0x87 STARG        [Unsigned(1)]              (1 -> 0) slot::store_operand::<Arguments>,    "pop into the argument", [Stores(Argument)];
    0x88 NEWBUFFER    []                         (1 -> 1) splice::newbuffer,                   "Buffer of a zeros", [Creates];
    0x89 MEMCPY       []                         (5 -> 0) splice::memcpy,                      "copy e bytes of c from d to Buffer a from b", [Reads(Compound(2)), Reads(Compound(4)), Writes(Copied(4, 3, 0))];
    0x8b CAT          []                         (2 -> 1) splice::cat,                         "bytes of a, then those of b", [Reads(Compound(0)), Reads(Compound(1)), Creates];
    0x8c SUBSTR       []                         (3 -> 1) splice::substr,                      "c bytes of a from b", [Reads(Compound(2)), Creates];
    0x8d LEFT         []                         (2 -> 1) splice::left,                        "first b bytes of a", [Reads(Compound(1)), Creates];
    0x8e RIGHT        []                         (2 -> 1) splice::right,                       "last b bytes of a", [Reads(Compound(1)), Creates];
    0x90 INVERT       []                         (1 -> 1) bitwise::invert,                       "bits not set in a", [];
    0x91 AND          []                         (2 -> 1) bitwise::and,                          "bits set in both a and b", [];
    0x92 OR           []                         (2 -> 1) bitwise::or,                           "bits set in a or b", [];
    0x93 XOR          []                         (2 -> 1) bitwise::xor,                          "bits set in one of a and b", [];
    0x97 EQUAL        []                         (2 -> 1) equal::equal,                       "whether a and b are equal in type and value", [Reads(Compound(0)), Reads(Compound(1))];
    0x98 NOTEQUAL     []                         (2 -> 1) equal::notequal,                     "whether a and b differ in type or value", [Reads(Compound(0)), Reads(Compound(1))];
    0x99 SIGN         []                         (1 -> 1) arith::sign,                         "-1, 0 or 1", [];
    0x9a ABS          []                         (1 -> 1) arith::abs,                          "a without its sign", [];
    0x9b NEGATE       []                         (1 -> 1) arith::negate,                       "a with the other sign", [];
    0x9c INC          []                         (1 -> 1) arith::inc,                          "a + 1", [];
    0x9d DEC          []                         (1 -> 1) arith::dec,                          "a - 1", [];
    0x9e ADD          []                         (2 -> 1) arith::add,                          "a + b", [];
    0x9f SUB          []                         (2 -> 1) arith::sub,                          "a - b", [];
    0xa0 MUL          []                         (2 -> 1) arith::mul,                          "a * b", [];
    0xa1 DIV          []                         (2 -> 1) arith::div,                          "a / b, rounded to zero", [];
    0xa2 MOD          []                         (2 -> 1) arith::rem,                          "a % b, with the sign of a", [];
    0xa3 POW          []                         (2 -> 1) arith::pow,                          "a to the power b, at most 256", [];
    0xa4 SQRT         []                         (1 -> 1) arith::sqrt,                         "square root of a, rounded down", [];
    0xa5 MODMUL       []                         (3 -> 1) arith::modmul,                       "a * b % c, with the sign of a * b", [];
    0xa6 MODPOW       []                         (3 -> 1) arith::modpow,                       "a to the power b, % c; the inverse of a if b is -1", [];
    0xa8 SHL          []                         (2 -> 1) arith::shl,                          "a * 2 to the power b, at most 256", [];
    0xa9 SHR          []                         (2 -> 1) arith::shr,                          "a / 2 to the power b, at most 256, rounded down", [];
    0xaa NOT          []                         (1 -> 1) arith::not,                          "whether a is false", [];
    0xab BOOLAND      []                         (2 -> 1) arith::booland,                      "whether both a and b are true", [];
    0xac BOOLOR       []                         (2 -> 1) arith::boolor,                       "whether a or b is true", [];
    0xb1 NZ           []                         (1 -> 1) arith::nz,                           "whether number a is not 0", [];
    0xb3 NUMEQUAL     []                         (2 -> 1) arith::numequal,                     "whether numbers a and b are equal", [];
    0xb4 NUMNOTEQUAL  []                         (2 -> 1) arith::numnotequal,                  "whether numbers a and b differ", [];
    0xb5 LT           []                         (2 -> 1) arith::lt,                           "whether a < b; false for Null", [];
    0xb6 LE           []                         (2 -> 1) arith::le,                           "whether a <= b; false for Null", [];
    0xb7 GT           []                         (2 -> 1) arith::gt,                           "whether a > b; false for Null", [];
    0xb8 GE           []                         (2 -> 1) arith::ge,                           "whether a >= b; false for Null", [];
    0xb9 MIN          []                         (2 -> 1) arith::min,                          "the smaller one of a and b", [];
    0xba MAX          []                         (2 -> 1) arith::max,                          "the larger one of a and b", [];
    0xbb WITHIN       []                         (3 -> 1) arith::within,                       "whether b <= a < c", [];
    0xbe PACKMAP      []                         (1 -> 1) compound::packmap,                   "Map of n pairs, each with its key on top; n is on top", [Takes(paired), Creates];
    0xbf PACKSTRUCT   []                         (1 -> 1) compound::packstruct,                "Struct of n items, the top one first; n is on top", [Takes(counted), Creates];
    0xc0 PACK         []                         (1 -> 1) compound::pack,                      "Array of n items, the top one first; n is on top", [Takes(counted), Creates];
    0xc1 UNPACK       []                         (1 -> 1) compound::unpack,                    "items or pairs of a, the first one on top, and their number", [Reads(Compound(0)), Leaves(unpacked)];
    0xc2 NEWARRAY0    []                         (0 -> 1) compound::newarray0,                 "empty Array", [Creates];
    0xc3 NEWARRAY     []                         (1 -> 1) compound::newarray,                  "Array of a Nulls", [Creates];
    0xc4 NEWARRAY_T   [Data(1)]                  (1 -> 1) compound::newarray_t,                "Array of a items: false, 0, an empty ByteString or Null by type", [Creates];
    0xc5 NEWSTRUCT0   []                         (0 -> 1) compound::newstruct0,                "empty Struct", [Creates];
    0xc6 NEWSTRUCT    []                         (1 -> 1) compound::newstruct,                 "Struct of a Nulls", [Creates];
    0xc8 NEWMAP       []                         (0 -> 1) compound::newmap,                    "empty Map", [Creates];
    0xca SIZE         []                         (1 -> 1) compound::size,                      "how many bytes, items or pairs a has", [Reads(Compound(0))];
    0xcb HASKEY       []                         (2 -> 1) compound::haskey,                    "whether a has key or index b", [Reads(Compound(1))];
    0xcc KEYS         []                         (1 -> 1) compound::keys,                      "Array of the keys of Map a", [Reads(Compound(0)), Creates];
    0xcd VALUES       []                         (1 -> 1) compound::values,                    "Array of the items or values of a, Structs cloned", [Reads(Compound(0)), Creates];
    0xce PICKITEM     []                         (2 -> 1) compound::pickitem,                  "item, value or byte b of a; throws if there is none", [Reads(Item(1, 0)), Writes(NoItem(1, 0))];
    0xcf APPEND       []                         (2 -> 0) compound::append,                    "append b to a, a Struct cloned", [Reads(Struct(0)), Writes(End(1))];
    0xd0 SETITEM      []                         (3 -> 0) compound::setitem,                   "item, value or byte b of a becomes c, a Struct cloned", [Reads(Struct(0)), Writes(Entry(2, 1)), Writes(NoEntry(2, 1))];
    0xd1 REVERSEITEMS []                         (1 -> 0) compound::reverseitems,              "reverse the items or bytes of a", [Reads(Compound(0)), Writes(Compound(0))];
    0xd2 REMOVE       []                         (2 -> 0) compound::remove,                    "remove item or key b of a", [Reads(Compound(1)), Writes(Removed(1, 0))];
    0xd3 CLEARITEMS   []                         (1 -> 0) compound::clearitems,                "remove all items of a", [Writes(Compound(0))];
    0xd4 POPITEM      []                         (1 -> 1) compound::popitem,                   "remove and push the last item of a", [Reads(Last(0)), Writes(Last(0))];
    0xd8 ISNULL       []                         (1 -> 1) convert::isnull,                     "whether a is Null", [];
    0xd9 ISTYPE       [Data(1)]                  (1 -> 1) convert::istype,                     "whether a is of the type", [];
    0xdb CONVERT      [Data(1)]                  (1 -> 1) convert::convert,                    "a as an item of the type", [Reads(Compound(0)), Creates];
    0xe0 ABORTMSG     []                         (1 -> 0) flow::abortmsg,                      "fault with text a", [Reads(Compound(0))];
    0xe1 ASSERTMSG    []                         (2 -> 0) flow::assertmsg,                     "fault with text b if a is false", [Reads(Compound(0))];
    }};
}

pub(super) use rows;

rows!(opcodes {
    /// The opcodes of N3 by their mnemonics.
    Op, NEO3 = "neo3", Neo3Place, TopLast
});
