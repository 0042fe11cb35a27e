//! The instructions of all forks: names, operands and stack items from revm, with a one-line description of
//! each. Operands are named from the top of the stack: a, b, c.

use revm_bytecode::opcode::OpCode;
use revm_interpreter::instructions::gas_table_spec;
use revm_primitives::hardfork::SpecId;

use super::place::declarations;
use crate::isa::{ImmediateOperand, Isa, OpInfo, OperandOrder, Unit};

/// What each instruction does, ascending by code.
#[rustfmt::skip]
const DOCS: &[(u8, &str)] = &[
    (0x00, "end with empty output"),
    (0x01, "a + b"),
    (0x02, "a * b"),
    (0x03, "a - b"),
    (0x04, "a / b, 0 if b is 0"),
    (0x05, "a / b signed, rounded to zero, 0 if b is 0"),
    (0x06, "a % b, 0 if b is 0"),
    (0x07, "a % b signed, with the sign of a, 0 if b is 0"),
    (0x08, "(a + b) % c without overflow, 0 if c is 0"),
    (0x09, "(a * b) % c without overflow, 0 if c is 0"),
    (0x0a, "a to the power b; more gas for each byte of b"),
    (0x0b, "b with the sign of its byte a, counted from the lowest"),
    (0x10, "1 if a < b, else 0"),
    (0x11, "1 if a > b, else 0"),
    (0x12, "1 if a < b signed, else 0"),
    (0x13, "1 if a > b signed, else 0"),
    (0x14, "1 if a is b, else 0"),
    (0x15, "1 if a is 0, else 0"),
    (0x16, "bits set in both a and b"),
    (0x17, "bits set in a or b"),
    (0x18, "bits set in one of a and b"),
    (0x19, "bits not set in a"),
    (0x1a, "byte a of b counted from the highest, 0 if a is 32 or more"),
    (0x1b, "b shifted left by a bits; from Petersburg on"),
    (0x1c, "b shifted right by a bits; from Petersburg on"),
    (0x1d, "b shifted right by a bits with its sign; from Petersburg on"),
    (0x1e, "number of zero bits before the highest one of a; from Osaka on"),
    (0x20, "Keccak-256 of memory[a, a+b); 6 gas more for each word"),
    (0x30, "address of the executing account"),
    (0x31, "balance of account a"),
    (0x32, "address that sent the transaction"),
    (0x33, "address that called"),
    (0x34, "value of the call in wei"),
    (0x35, "word at a of the input data, zeros after its end"),
    (0x36, "size of the input data"),
    (0x37, "memory[a, a+c) = input[b, b+c); 3 gas more for each word"),
    (0x38, "size of the executing code"),
    (0x39, "memory[a, a+c) = code[b, b+c); 3 gas more for each word"),
    (0x3a, "effective gas price of the transaction"),
    (0x3b, "size of the code of account a"),
    (0x3c, "memory[b, b+d) = code of account a [c, c+d); 3 gas more for each word"),
    (0x3d, "size of the output of the last call; from Byzantium on"),
    (0x3e, "memory[a, a+c) = output of the last call [b, b+c); from Byzantium on"),
    (0x3f, "hash of the code of account a, 0 if there is none; from Petersburg on"),
    (0x40, "hash of block a if it is one of the last 256, else 0"),
    (0x41, "address that the fees go to"),
    (0x42, "timestamp of the block"),
    (0x43, "number of the block"),
    (0x44, "randomness of the block; its difficulty before Paris"),
    (0x45, "gas limit of the block"),
    (0x46, "id of the chain; from Istanbul on"),
    (0x47, "balance of the executing account; from Istanbul on"),
    (0x48, "base fee of the block; from London on"),
    (0x49, "hash of blob a of the transaction, 0 if there is none; from Cancun on"),
    (0x4a, "base fee for blobs of the block; from Cancun on"),
    (0x4b, "number of the slot; from Amsterdam on"),
    (0x50, "drop a"),
    (0x51, "word at a of memory"),
    (0x52, "memory[a, a+32) = b"),
    (0x53, "memory[a] = the lowest byte of b"),
    (0x54, "word a of storage"),
    (0x55, "word a of storage = b"),
    (0x56, "go on at a"),
    (0x57, "go on at a unless b is 0"),
    (0x58, "position of this instruction"),
    (0x59, "size of memory in bytes"),
    (0x5a, "gas left after this instruction"),
    (0x5b, "a place that jumps may go to"),
    (0x5c, "word a of transient storage; from Cancun on"),
    (0x5d, "word a of transient storage = b; from Cancun on"),
    (0x5e, "memory[a, a+c) = memory[b, b+c); from Cancun on"),
    (0x5f, "push 0; from Shanghai on"),
    (0x60, "push 1 byte"),
    (0x61, "push 2 bytes"),
    (0x62, "push 3 bytes"),
    (0x63, "push 4 bytes"),
    (0x64, "push 5 bytes"),
    (0x65, "push 6 bytes"),
    (0x66, "push 7 bytes"),
    (0x67, "push 8 bytes"),
    (0x68, "push 9 bytes"),
    (0x69, "push 10 bytes"),
    (0x6a, "push 11 bytes"),
    (0x6b, "push 12 bytes"),
    (0x6c, "push 13 bytes"),
    (0x6d, "push 14 bytes"),
    (0x6e, "push 15 bytes"),
    (0x6f, "push 16 bytes"),
    (0x70, "push 17 bytes"),
    (0x71, "push 18 bytes"),
    (0x72, "push 19 bytes"),
    (0x73, "push 20 bytes"),
    (0x74, "push 21 bytes"),
    (0x75, "push 22 bytes"),
    (0x76, "push 23 bytes"),
    (0x77, "push 24 bytes"),
    (0x78, "push 25 bytes"),
    (0x79, "push 26 bytes"),
    (0x7a, "push 27 bytes"),
    (0x7b, "push 28 bytes"),
    (0x7c, "push 29 bytes"),
    (0x7d, "push 30 bytes"),
    (0x7e, "push 31 bytes"),
    (0x7f, "push 32 bytes"),
    (0x80, "push a copy of the top item"),
    (0x81, "push a copy of item 2 from the top"),
    (0x82, "push a copy of item 3 from the top"),
    (0x83, "push a copy of item 4 from the top"),
    (0x84, "push a copy of item 5 from the top"),
    (0x85, "push a copy of item 6 from the top"),
    (0x86, "push a copy of item 7 from the top"),
    (0x87, "push a copy of item 8 from the top"),
    (0x88, "push a copy of item 9 from the top"),
    (0x89, "push a copy of item 10 from the top"),
    (0x8a, "push a copy of item 11 from the top"),
    (0x8b, "push a copy of item 12 from the top"),
    (0x8c, "push a copy of item 13 from the top"),
    (0x8d, "push a copy of item 14 from the top"),
    (0x8e, "push a copy of item 15 from the top"),
    (0x8f, "push a copy of item 16 from the top"),
    (0x90, "swap the top item with item 2"),
    (0x91, "swap the top item with item 3"),
    (0x92, "swap the top item with item 4"),
    (0x93, "swap the top item with item 5"),
    (0x94, "swap the top item with item 6"),
    (0x95, "swap the top item with item 7"),
    (0x96, "swap the top item with item 8"),
    (0x97, "swap the top item with item 9"),
    (0x98, "swap the top item with item 10"),
    (0x99, "swap the top item with item 11"),
    (0x9a, "swap the top item with item 12"),
    (0x9b, "swap the top item with item 13"),
    (0x9c, "swap the top item with item 14"),
    (0x9d, "swap the top item with item 15"),
    (0x9e, "swap the top item with item 16"),
    (0x9f, "swap the top item with item 17"),
    (0xa0, "log memory[a, a+b)"),
    (0xa1, "log memory[a, a+b) with topic c"),
    (0xa2, "log memory[a, a+b) with topics c and d"),
    (0xa3, "log memory[a, a+b) with topics c to e"),
    (0xa4, "log memory[a, a+b) with topics c to f"),
    (0xe6, "push a copy of the item that its operand says; from Amsterdam on"),
    (0xe7, "swap the top item with the one that its operand says; from Amsterdam on"),
    (0xe8, "swap the two items that its operand says; from Amsterdam on"),
    (0xf0, "create an account with value a by the code memory[b, b+c); its address, or 0"),
    (0xf1, "call account b with gas a, value c, input memory[d, d+e), output to memory[f, f+g)"),
    (0xf2, "as CALL, with the code of b in this account"),
    (0xf3, "end with output memory[a, a+b)"),
    (0xf4, "as CALLCODE, with the caller and value of this call; from Homestead on"),
    (0xf5, "as CREATE, at an address that depends on the code and the salt d; from Petersburg on"),
    (0xfa, "as CALL, without value and where nothing may change; from Byzantium on"),
    (0xfd, "undo the changes of this frame and end with output memory[a, a+b); from Byzantium on"),
    (0xfe, "halt, whatever the gas"),
    (0xff, "send the balance to account a and end; deletes this account before Cancun"),
];

/// The immediate operands by their length.
static OPERANDS: [[ImmediateOperand; 1]; 33] = {
    let mut operands = [[ImmediateOperand::Word(0)]; 33];
    let mut length = 0;
    while length < operands.len() {
        operands[length] = [ImmediateOperand::Word(length as u8)];
        length += 1;
    }
    operands
};

static OPS: [OpInfo; DOCS.len()] = {
    let mut ops = [row(DOCS[0]); DOCS.len()];
    let mut index = 0;
    while index < DOCS.len() {
        ops[index] = row(DOCS[index]);
        index += 1;
    }
    ops
};

/// The instruction set, with the base costs of Osaka.
pub static ETHEREUM: Isa = Isa::new("ethereum", Unit::Bytes, &OPS);

/// The row of an instruction.
const fn row((code, doc): (u8, &'static str)) -> OpInfo {
    let op = OpCode::new(code).expect("an opcode of revm").info();
    let operands: &[ImmediateOperand] = match op.immediate_size() {
        0 => &[],
        length => &OPERANDS[length as usize],
    };
    OpInfo {
        code: code as u16,
        mask: 0xff,
        name: op.name(),
        alias: None,
        operands,
        fields: &[],
        arguments: &[],
        gas: gas_table_spec(SpecId::OSAKA)[code as usize] as u64,
        pops: op.inputs() as u16,
        pushes: op.outputs() as u16,
        order: OperandOrder::TopFirst,
        doc,
        effects: declarations(code),
    }
}
