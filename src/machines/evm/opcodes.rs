//! The opcodes of Homestead. Gas is the part that is always charged; operands are named from the
//! top of the stack: a, b, c.

use super::place::EvmPlace;
use crate::isa::rows::opcodes;

// One row per line, so that the table can be read by column.
#[rustfmt::skip]
macro_rules! rows {
    ($make:ident $head:tt) => { $make! { $head
    0x00 STOP         []       0     (0 -> 0)   flow::stop,              "end with empty output", [];
    0x01 ADD          []       3     (2 -> 1)   arith::add,              "a + b", [];
    0x02 MUL          []       5     (2 -> 1)   arith::mul,              "a * b", [];
    0x03 SUB          []       3     (2 -> 1)   arith::sub,              "a - b", [];
    0x04 DIV          []       5     (2 -> 1)   arith::div,              "a / b, 0 if b is 0", [];
    0x05 SDIV         []       5     (2 -> 1)   arith::sdiv,             "a / b signed, rounded to zero, 0 if b is 0", [];
    0x06 MOD          []       5     (2 -> 1)   arith::rem,              "a % b, 0 if b is 0", [];
    0x07 SMOD         []       5     (2 -> 1)   arith::smod,             "a % b signed, with the sign of a, 0 if b is 0", [];
    0x08 ADDMOD       []       8     (3 -> 1)   arith::addmod,           "(a + b) % c without overflow, 0 if c is 0", [];
    0x09 MULMOD       []       8     (3 -> 1)   arith::mulmod,           "(a * b) % c without overflow, 0 if c is 0", [];
    0x0a EXP          []       10    (2 -> 1)   wide::exp,               "a to the power b; 10 gas more for each byte of b", [];
    0x0b SIGNEXTEND   []       5     (2 -> 1)   arith::signextend,       "b with the sign of its byte a, counted from the lowest", [];
    0x10 LT           []       3     (2 -> 1)   bitwise::lt,             "1 if a < b, else 0", [];
    0x11 GT           []       3     (2 -> 1)   bitwise::gt,             "1 if a > b, else 0", [];
    0x12 SLT          []       3     (2 -> 1)   bitwise::slt,            "1 if a < b signed, else 0", [];
    0x13 SGT          []       3     (2 -> 1)   bitwise::sgt,            "1 if a > b signed, else 0", [];
    0x14 EQ           []       3     (2 -> 1)   bitwise::eq,             "1 if a is b, else 0", [];
    0x15 ISZERO       []       3     (1 -> 1)   bitwise::iszero,         "1 if a is 0, else 0", [];
    0x16 AND          []       3     (2 -> 1)   bitwise::and,            "bits set in both a and b", [];
    0x17 OR           []       3     (2 -> 1)   bitwise::or,             "bits set in a or b", [];
    0x18 XOR          []       3     (2 -> 1)   bitwise::xor,            "bits set in one of a and b", [];
    0x19 NOT          []       3     (1 -> 1)   bitwise::not,            "bits not set in a", [];
    0x1a BYTE         []       3     (2 -> 1)   bitwise::byte,           "byte a of b counted from the highest, 0 if a is 32 or more", [];
    0x20 SHA3         []       30    (2 -> 1)   hash::sha3,              "Keccak-256 of memory[a, a+b); 6 gas more for each word", [Reads(Memory(0, 1))];
    0x30 ADDRESS      []       2     (0 -> 1)   environment::address,    "address of the executing account", [];
    0x31 BALANCE      []       20    (1 -> 1)   environment::balance,    "balance of account a, 0 if unknown", [Reads(Balance(0))];
    0x32 ORIGIN       []       2     (0 -> 1)   environment::origin,     "address that sent the transaction", [];
    0x33 CALLER       []       2     (0 -> 1)   environment::caller,     "address that called", [];
    0x34 CALLVALUE    []       2     (0 -> 1)   environment::callvalue,  "value of the call in wei", [];
    0x35 CALLDATALOAD []       3     (1 -> 1)   environment::calldataload, "word at a of the input data, zeros after its end", [];
    0x36 CALLDATASIZE []       2     (0 -> 1)   environment::calldatasize, "size of the input data", [];
    0x37 CALLDATACOPY []       3     (3 -> 0)   memory::calldatacopy,    "memory[a, a+c) = input[b, b+c); 3 gas more for each word", [Writes(Memory(0, 2))];
    0x38 CODESIZE     []       2     (0 -> 1)   environment::codesize,   "size of the executing code", [];
    0x39 CODECOPY     []       3     (3 -> 0)   memory::codecopy,        "memory[a, a+c) = code[b, b+c); 3 gas more for each word", [Writes(Memory(0, 2))];
    0x3a GASPRICE     []       2     (0 -> 1)   environment::gasprice,   "gas price of the transaction", [];
    0x3b EXTCODESIZE  []       20    (1 -> 1)   environment::extcodesize, "size of the code of account a", [Reads(Code(0))];
    0x3c EXTCODECOPY  []       20    (4 -> 0)   memory::extcodecopy,     "memory[b, b+d) = code of account a [c, c+d); 3 gas more for each word", [Reads(Code(0)), Writes(Memory(1, 3))];
    0x40 BLOCKHASH    []       20    (1 -> 1)   environment::blockhash,  "Keccak-256 of a in decimal digits if a is one of the last 256 blocks, else 0", [];
    0x41 COINBASE     []       2     (0 -> 1)   environment::coinbase,   "address of the block's miner", [];
    0x42 TIMESTAMP    []       2     (0 -> 1)   environment::timestamp,  "timestamp of the block", [];
    0x43 NUMBER       []       2     (0 -> 1)   environment::number,     "number of the block", [];
    0x44 DIFFICULTY   []       2     (0 -> 1)   environment::difficulty, "difficulty of the block", [];
    0x45 GASLIMIT     []       2     (0 -> 1)   environment::gaslimit,   "gas limit of the block", [];
    0x50 POP          []       2     (1 -> 0)   stack::pop,              "drop a", [];
    0x51 MLOAD        []       3     (1 -> 1)   memory::mload,           "word at a of memory", [Reads(Word(0))];
    0x52 MSTORE       []       3     (2 -> 0)   memory::mstore,          "memory[a, a+32) = b", [Stores(Word(0))];
    0x53 MSTORE8      []       3     (2 -> 0)   memory::mstore8,         "memory[a] = lowest byte of b", [Stores(Byte(0))];
    0x54 SLOAD        []       50    (1 -> 1)   storage::sload,          "word a of storage", [Reads(Storage(0))];
    0x55 SSTORE       []       5000  (2 -> 0)   storage::sstore,         "storage[a] = b; 15000 gas more from 0 to another value", [Needs(Storage(0)), Stores(Storage(0))];
    0x56 JUMP         []       8     (1 -> 0)   flow::jump,              "continue at a, which must be a JUMPDEST", [JumpsTo(jumped)];
    0x57 JUMPI        []       10    (2 -> 0)   flow::jumpi,             "continue at a, which must be a JUMPDEST, if b is not 0", [Jumps];
    0x58 PC           []       2     (0 -> 1)   flow::pc,                "offset of this instruction", [];
    0x59 MSIZE        []       2     (0 -> 1)   memory::msize,           "size of memory in bytes, whole words", [];
    0x5a GAS          []       2     (0 -> 1)   flow::gas,               "gas left after this instruction", [];
    0x5b JUMPDEST     []       1     (0 -> 0)   flow::jumpdest,          "a place to jump to", [];
    0x60 PUSH1        [Word(1)]  3     (0 -> 1)   stack::push::<1>,        "push the byte that follows", [];
    0x61 PUSH2        [Word(2)]  3     (0 -> 1)   stack::push::<2>,        "push the 2 bytes that follow", [];
    0x62 PUSH3        [Word(3)]  3     (0 -> 1)   stack::push::<3>,        "push the 3 bytes that follow", [];
    0x63 PUSH4        [Word(4)]  3     (0 -> 1)   stack::push::<4>,        "push the 4 bytes that follow", [];
    0x64 PUSH5        [Word(5)]  3     (0 -> 1)   stack::push::<5>,        "push the 5 bytes that follow", [];
    0x65 PUSH6        [Word(6)]  3     (0 -> 1)   stack::push::<6>,        "push the 6 bytes that follow", [];
    0x66 PUSH7        [Word(7)]  3     (0 -> 1)   stack::push::<7>,        "push the 7 bytes that follow", [];
    0x67 PUSH8        [Word(8)]  3     (0 -> 1)   stack::push::<8>,        "push the 8 bytes that follow", [];
    0x68 PUSH9        [Word(9)]  3     (0 -> 1)   stack::push::<9>,        "push the 9 bytes that follow", [];
    0x69 PUSH10       [Word(10)] 3     (0 -> 1)   stack::push::<10>,       "push the 10 bytes that follow", [];
    0x6a PUSH11       [Word(11)] 3     (0 -> 1)   stack::push::<11>,       "push the 11 bytes that follow", [];
    0x6b PUSH12       [Word(12)] 3     (0 -> 1)   stack::push::<12>,       "push the 12 bytes that follow", [];
    0x6c PUSH13       [Word(13)] 3     (0 -> 1)   stack::push::<13>,       "push the 13 bytes that follow", [];
    0x6d PUSH14       [Word(14)] 3     (0 -> 1)   stack::push::<14>,       "push the 14 bytes that follow", [];
    0x6e PUSH15       [Word(15)] 3     (0 -> 1)   stack::push::<15>,       "push the 15 bytes that follow", [];
    0x6f PUSH16       [Word(16)] 3     (0 -> 1)   stack::push::<16>,       "push the 16 bytes that follow", [];
    0x70 PUSH17       [Word(17)] 3     (0 -> 1)   stack::push::<17>,       "push the 17 bytes that follow", [];
    0x71 PUSH18       [Word(18)] 3     (0 -> 1)   stack::push::<18>,       "push the 18 bytes that follow", [];
    0x72 PUSH19       [Word(19)] 3     (0 -> 1)   stack::push::<19>,       "push the 19 bytes that follow", [];
    0x73 PUSH20       [Word(20)] 3     (0 -> 1)   stack::push::<20>,       "push the 20 bytes that follow", [];
    0x74 PUSH21       [Word(21)] 3     (0 -> 1)   stack::push::<21>,       "push the 21 bytes that follow", [];
    0x75 PUSH22       [Word(22)] 3     (0 -> 1)   stack::push::<22>,       "push the 22 bytes that follow", [];
    0x76 PUSH23       [Word(23)] 3     (0 -> 1)   stack::push::<23>,       "push the 23 bytes that follow", [];
    0x77 PUSH24       [Word(24)] 3     (0 -> 1)   stack::push::<24>,       "push the 24 bytes that follow", [];
    0x78 PUSH25       [Word(25)] 3     (0 -> 1)   stack::push::<25>,       "push the 25 bytes that follow", [];
    0x79 PUSH26       [Word(26)] 3     (0 -> 1)   stack::push::<26>,       "push the 26 bytes that follow", [];
    0x7a PUSH27       [Word(27)] 3     (0 -> 1)   stack::push::<27>,       "push the 27 bytes that follow", [];
    0x7b PUSH28       [Word(28)] 3     (0 -> 1)   stack::push::<28>,       "push the 28 bytes that follow", [];
    0x7c PUSH29       [Word(29)] 3     (0 -> 1)   stack::push::<29>,       "push the 29 bytes that follow", [];
    0x7d PUSH30       [Word(30)] 3     (0 -> 1)   stack::push::<30>,       "push the 30 bytes that follow", [];
    0x7e PUSH31       [Word(31)] 3     (0 -> 1)   stack::push::<31>,       "push the 31 bytes that follow", [];
    0x7f PUSH32       [Word(32)] 3     (0 -> 1)   stack::push::<32>,       "push the 32 bytes that follow", [];
    0x80 DUP1         []       3     (1 -> 2)   stack::dup::<1>,         "copy item 1 from the top", [Moves(duplicated)];
    0x81 DUP2         []       3     (2 -> 3)   stack::dup::<2>,         "copy item 2 from the top", [Moves(duplicated)];
    0x82 DUP3         []       3     (3 -> 4)   stack::dup::<3>,         "copy item 3 from the top", [Moves(duplicated)];
    0x83 DUP4         []       3     (4 -> 5)   stack::dup::<4>,         "copy item 4 from the top", [Moves(duplicated)];
    0x84 DUP5         []       3     (5 -> 6)   stack::dup::<5>,         "copy item 5 from the top", [Moves(duplicated)];
    0x85 DUP6         []       3     (6 -> 7)   stack::dup::<6>,         "copy item 6 from the top", [Moves(duplicated)];
    0x86 DUP7         []       3     (7 -> 8)   stack::dup::<7>,         "copy item 7 from the top", [Moves(duplicated)];
    0x87 DUP8         []       3     (8 -> 9)   stack::dup::<8>,         "copy item 8 from the top", [Moves(duplicated)];
    0x88 DUP9         []       3     (9 -> 10)  stack::dup::<9>,         "copy item 9 from the top", [Moves(duplicated)];
    0x89 DUP10        []       3     (10 -> 11) stack::dup::<10>,        "copy item 10 from the top", [Moves(duplicated)];
    0x8a DUP11        []       3     (11 -> 12) stack::dup::<11>,        "copy item 11 from the top", [Moves(duplicated)];
    0x8b DUP12        []       3     (12 -> 13) stack::dup::<12>,        "copy item 12 from the top", [Moves(duplicated)];
    0x8c DUP13        []       3     (13 -> 14) stack::dup::<13>,        "copy item 13 from the top", [Moves(duplicated)];
    0x8d DUP14        []       3     (14 -> 15) stack::dup::<14>,        "copy item 14 from the top", [Moves(duplicated)];
    0x8e DUP15        []       3     (15 -> 16) stack::dup::<15>,        "copy item 15 from the top", [Moves(duplicated)];
    0x8f DUP16        []       3     (16 -> 17) stack::dup::<16>,        "copy item 16 from the top", [Moves(duplicated)];
    0x90 SWAP1        []       3     (2 -> 2)   stack::swap::<1>,        "exchange the top and item 1 below it", [Moves(swapped)];
    0x91 SWAP2        []       3     (3 -> 3)   stack::swap::<2>,        "exchange the top and item 2 below it", [Moves(swapped)];
    0x92 SWAP3        []       3     (4 -> 4)   stack::swap::<3>,        "exchange the top and item 3 below it", [Moves(swapped)];
    0x93 SWAP4        []       3     (5 -> 5)   stack::swap::<4>,        "exchange the top and item 4 below it", [Moves(swapped)];
    0x94 SWAP5        []       3     (6 -> 6)   stack::swap::<5>,        "exchange the top and item 5 below it", [Moves(swapped)];
    0x95 SWAP6        []       3     (7 -> 7)   stack::swap::<6>,        "exchange the top and item 6 below it", [Moves(swapped)];
    0x96 SWAP7        []       3     (8 -> 8)   stack::swap::<7>,        "exchange the top and item 7 below it", [Moves(swapped)];
    0x97 SWAP8        []       3     (9 -> 9)   stack::swap::<8>,        "exchange the top and item 8 below it", [Moves(swapped)];
    0x98 SWAP9        []       3     (10 -> 10) stack::swap::<9>,        "exchange the top and item 9 below it", [Moves(swapped)];
    0x99 SWAP10       []       3     (11 -> 11) stack::swap::<10>,       "exchange the top and item 10 below it", [Moves(swapped)];
    0x9a SWAP11       []       3     (12 -> 12) stack::swap::<11>,       "exchange the top and item 11 below it", [Moves(swapped)];
    0x9b SWAP12       []       3     (13 -> 13) stack::swap::<12>,       "exchange the top and item 12 below it", [Moves(swapped)];
    0x9c SWAP13       []       3     (14 -> 14) stack::swap::<13>,       "exchange the top and item 13 below it", [Moves(swapped)];
    0x9d SWAP14       []       3     (15 -> 15) stack::swap::<14>,       "exchange the top and item 14 below it", [Moves(swapped)];
    0x9e SWAP15       []       3     (16 -> 16) stack::swap::<15>,       "exchange the top and item 15 below it", [Moves(swapped)];
    0x9f SWAP16       []       3     (17 -> 17) stack::swap::<16>,       "exchange the top and item 16 below it", [Moves(swapped)];
    0xa0 LOG0         []       375   (2 -> 0)   log::log::<0>,           "log memory[a, a+b) with no topics; 8 gas more for each byte", [Reads(Memory(0, 1)), Writes(Log), Writes(Logs)];
    0xa1 LOG1         []       750   (3 -> 0)   log::log::<1>,           "log memory[a, a+b) with 1 topic; 8 gas more for each byte", [Reads(Memory(0, 1)), Writes(Log), Writes(Logs)];
    0xa2 LOG2         []       1125  (4 -> 0)   log::log::<2>,           "log memory[a, a+b) with 2 topics; 8 gas more for each byte", [Reads(Memory(0, 1)), Writes(Log), Writes(Logs)];
    0xa3 LOG3         []       1500  (5 -> 0)   log::log::<3>,           "log memory[a, a+b) with 3 topics; 8 gas more for each byte", [Reads(Memory(0, 1)), Writes(Log), Writes(Logs)];
    0xa4 LOG4         []       1875  (6 -> 0)   log::log::<4>,           "log memory[a, a+b) with 4 topics; 8 gas more for each byte", [Reads(Memory(0, 1)), Writes(Log), Writes(Logs)];
    0xf0 CREATE       []       32000 (3 -> 1)   call::create,            "record a creation with value a and code memory[b, b+c), push its address", [Reads(Memory(1, 2)), Needs(OwnBalance), Writes(Call), Writes(Calls), Writes(Debited(0))];
    0xf1 CALL         []       40    (7 -> 1)   call::call,              "record a call: gas a, to b, value c, input memory[d, d+e), output memory[f, f+g)", [Reads(Memory(3, 4)), Needs(OwnBalance), Needs(Account(1)), Writes(Call), Writes(Calls), Writes(Debited(2))];
    0xf2 CALLCODE     []       40    (7 -> 1)   call::callcode,          "as CALL, with the code of b in this account", [Reads(Memory(3, 4)), Needs(OwnBalance), Writes(Call), Writes(Calls), Writes(Debited(2))];
    0xf3 RETURN       []       0     (2 -> 0)   flow::ret,               "end with output memory[a, a+b)", [Reads(Memory(0, 1)), Writes(Output)];
    0xf4 DELEGATECALL []       40    (6 -> 1)   call::delegatecall,      "as CALLCODE, with the caller and value of this frame", [Reads(Memory(2, 3)), Writes(Call), Writes(Calls)];
    0xff SUICIDE      []       0     (1 -> 0)   storage::suicide,        "end, give the balance to account a and delete this one", [Reads(OwnBalance), Reads(Balance(0)), Writes(Own), Writes(Balance(0))];
    }};
}

pub(super) use rows;

rows!(opcodes {
    /// The opcodes of Homestead by their mnemonics.
    Op, EVM = "evm", EvmPlace
});
