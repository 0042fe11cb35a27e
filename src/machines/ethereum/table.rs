//! The instructions of all forks: names, operands and stack items from revm, with a one-line description of
//! each. Operands are named from the top of the stack: a, b, c.

use revm_bytecode::opcode::{self as op, OpCode};
use revm_interpreter::instructions::gas_table_spec;
use revm_primitives::hardfork::SpecId;

use super::place::declarations;
use crate::isa::{ImmediateOperand, Isa, OpInfo, Unit};

/// Generates the function that says what an instruction does, from rows of one instruction or a range.
macro_rules! docs {
    ($($first:ident $(..= $last:ident)? => $doc:literal;)*) => {
        /// See [`OpInfo::doc`]; `None` for an undefined code.
        const fn doc(code: u8) -> Option<&'static str> {
            match code {
                $(op::$first $(..= op::$last)? => Some($doc),)*
                _ => None,
            }
        }
    };
}

docs! {
    STOP => "end with empty output";
    ADD => "a + b";
    MUL => "a * b";
    SUB => "a - b";
    DIV => "a / b, 0 if b is 0";
    SDIV => "a / b signed, rounded to zero, 0 if b is 0";
    MOD => "a % b, 0 if b is 0";
    SMOD => "a % b signed, with the sign of a, 0 if b is 0";
    ADDMOD => "(a + b) % c without overflow, 0 if c is 0";
    MULMOD => "(a * b) % c without overflow, 0 if c is 0";
    EXP => "a to the power b; more gas for each byte of b";
    SIGNEXTEND => "b with the sign of its byte a, counted from the lowest";
    LT => "1 if a < b, else 0";
    GT => "1 if a > b, else 0";
    SLT => "1 if a < b signed, else 0";
    SGT => "1 if a > b signed, else 0";
    EQ => "1 if a is b, else 0";
    ISZERO => "1 if a is 0, else 0";
    AND => "bits set in both a and b";
    OR => "bits set in a or b";
    XOR => "bits set in one of a and b";
    NOT => "bits not set in a";
    BYTE => "byte a of b counted from the highest, 0 if a is 32 or more";
    SHL => "b shifted left by a bits; from Petersburg on";
    SHR => "b shifted right by a bits; from Petersburg on";
    SAR => "b shifted right by a bits with its sign; from Petersburg on";
    CLZ => "number of zero bits before the highest one of a; from Osaka on";
    KECCAK256 => "Keccak-256 of memory[a, a+b); 6 gas more for each word";
    ADDRESS => "address of the executing account";
    BALANCE => "balance of account a";
    ORIGIN => "address that sent the transaction";
    CALLER => "address that called";
    CALLVALUE => "value of the call in wei";
    CALLDATALOAD => "word at a of the input data, zeros after its end";
    CALLDATASIZE => "size of the input data";
    CALLDATACOPY => "memory[a, a+c) = input[b, b+c); 3 gas more for each word";
    CODESIZE => "size of the executing code";
    CODECOPY => "memory[a, a+c) = code[b, b+c); 3 gas more for each word";
    GASPRICE => "effective gas price of the transaction";
    EXTCODESIZE => "size of the code of account a";
    EXTCODECOPY => "memory[b, b+d) = code of account a [c, c+d); 3 gas more for each word";
    RETURNDATASIZE => "size of the output of the last call; from Byzantium on";
    RETURNDATACOPY => "memory[a, a+c) = output of the last call [b, b+c); from Byzantium on";
    EXTCODEHASH => "hash of the code of account a, 0 if there is none; from Petersburg on";
    BLOCKHASH => "hash of block a if it is one of the last 256, else 0";
    COINBASE => "address that the fees go to";
    TIMESTAMP => "timestamp of the block";
    NUMBER => "number of the block";
    DIFFICULTY => "randomness of the block; its difficulty before Paris";
    GASLIMIT => "gas limit of the block";
    CHAINID => "id of the chain; from Istanbul on";
    SELFBALANCE => "balance of the executing account; from Istanbul on";
    BASEFEE => "base fee of the block; from London on";
    BLOBHASH => "hash of blob a of the transaction, 0 if there is none; from Cancun on";
    BLOBBASEFEE => "base fee for blobs of the block; from Cancun on";
    SLOTNUM => "number of the slot; from Amsterdam on";
    POP => "drop a";
    MLOAD => "word at a of memory";
    MSTORE => "memory[a, a+32) = b";
    MSTORE8 => "memory[a] = the lowest byte of b";
    SLOAD => "word a of storage";
    SSTORE => "word a of storage = b";
    JUMP => "go on at a";
    JUMPI => "go on at a unless b is 0";
    PC => "position of this instruction";
    MSIZE => "size of memory in bytes";
    GAS => "gas left after this instruction";
    JUMPDEST => "a place that jumps may go to";
    TLOAD => "word a of transient storage; from Cancun on";
    TSTORE => "word a of transient storage = b; from Cancun on";
    MCOPY => "memory[a, a+c) = memory[b, b+c); from Cancun on";
    PUSH0 => "push 0; from Shanghai on";
    PUSH1 => "push 1 byte";
    PUSH2..=PUSH32 => "push {N} bytes";
    DUP1 => "push a copy of the top item";
    DUP2..=DUP16 => "push a copy of item {N} from the top";
    SWAP1..=SWAP16 => "swap the top item with item {N+1}";
    LOG0 => "log memory[a, a+b)";
    LOG1 => "log memory[a, a+b) with topic c";
    LOG2 => "log memory[a, a+b) with topics c and d";
    LOG3 => "log memory[a, a+b) with topics c to e";
    LOG4 => "log memory[a, a+b) with topics c to f";
    DUPN => "push a copy of the item that its operand says; from Amsterdam on";
    SWAPN => "swap the top item with the one that its operand says; from Amsterdam on";
    EXCHANGE => "swap the two items that its operand says; from Amsterdam on";
    CREATE => "create an account with value a by the code memory[b, b+c); its address, or 0";
    CALL => "call account b with gas a, value c, input memory[d, d+e), output to memory[f, f+g)";
    CALLCODE => "as CALL, with the code of b in this account";
    RETURN => "end with output memory[a, a+b)";
    DELEGATECALL => "as CALLCODE, with the caller and value of this call; from Homestead on";
    CREATE2 => "as CREATE, at an address that depends on the code and the salt d; from Petersburg on";
    STATICCALL => "as CALL, without value and where nothing may change; from Byzantium on";
    REVERT => "undo the changes of this frame and end with output memory[a, a+b); from Byzantium on";
    INVALID => "halt, whatever the gas";
    SELFDESTRUCT => "send the balance to account a and end; deletes this account before Cancun";
}

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

const COUNT: usize = {
    let (mut count, mut code) = (0, 0);
    while code <= u8::MAX as usize {
        count += doc(code as u8).is_some() as usize;
        code += 1;
    }
    count
};

static OPS: [OpInfo; COUNT] = {
    let mut ops = [OpInfo::BASE; COUNT];
    let (mut index, mut code) = (0, 0);
    while index < COUNT {
        if let Some(doc) = doc(code) {
            ops[index] = row(code, doc);
            index += 1;
        }
        code = code.wrapping_add(1);
    }
    ops
};

/// The instruction set, with the base costs of Osaka.
pub static ETHEREUM: Isa = Isa::new("ethereum", Unit::Bytes, &OPS);

/// The row of an instruction.
const fn row(code: u8, doc: &'static str) -> OpInfo {
    let op = OpCode::new(code).expect("an opcode of revm").info();
    let operands: &[ImmediateOperand] = match op.immediate_size() {
        0 => &[],
        length => &OPERANDS[length as usize],
    };
    OpInfo {
        code: code as u16,
        name: op.name(),
        operands,
        gas: gas_table_spec(SpecId::OSAKA)[code as usize] as u64,
        pops: op.inputs() as u16,
        pushes: op.outputs() as u16,
        doc,
        effects: declarations(code),
        ..OpInfo::BASE
    }
}
