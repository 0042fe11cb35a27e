//! The opcodes of Homestead. Gas is the part that is always charged; operands are named from the
//! top of the stack: a, b, c.

use super::place::EvmPlace;
use crate::isa::rows::opcodes;

// One row per line, so that the table can be read by column.
#[rustfmt::skip]
macro_rules! rows {
    ($make:ident $head:tt) => { $crate::isa::rows::named_rows! { $make $head
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
    0x61 PUSH2 PUSH3 PUSH4 PUSH5 PUSH6 PUSH7 PUSH8 PUSH9 PUSH10 PUSH11 PUSH12 PUSH13 PUSH14 PUSH15 PUSH16 PUSH17 PUSH18
         PUSH19 PUSH20 PUSH21 PUSH22 PUSH23 PUSH24 PUSH25 PUSH26 PUSH27 PUSH28 PUSH29 PUSH30 PUSH31 PUSH32
                      [Word(N)] 3     (0 -> 1)   stack::push::<N>,        "push the {N} bytes that follow", [];
    0x80 DUP1 DUP2 DUP3 DUP4 DUP5 DUP6 DUP7 DUP8 DUP9 DUP10 DUP11 DUP12 DUP13 DUP14 DUP15 DUP16
                      []       3     (N -> {N + 1}) stack::dup::<N>,     "copy item {N} from the top", [Moves(duplicated)];
    0x90 SWAP1 SWAP2 SWAP3 SWAP4 SWAP5 SWAP6 SWAP7 SWAP8 SWAP9 SWAP10 SWAP11 SWAP12 SWAP13 SWAP14 SWAP15 SWAP16
                      []       3     ({N + 1} -> {N + 1}) stack::swap::<N>, "exchange the top and item {N} below it", [Moves(swapped)];
    0xa0 LOG0 LOG1 LOG2 LOG3 LOG4
                      []       375 * (N + 1) ({N + 2} -> 0) log::log::<N>, "log memory[a, a+b), number of topics: {N}; 8 gas more for each byte", [Reads(Memory(0, 1)), Writes(Log), Writes(Logs)];
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
    Op, EVM = "evm", EvmPlace, TopFirst
});
