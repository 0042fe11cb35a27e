//! Random code that runs for long. Purely random bytes underflow the stack at once; here, with rare
//! exceptions, each instruction has its operands, loops end, and jumps have valid targets.

use revm::primitives::U256;
use vmconf::isa::OpInfo;
use vmconf::machines::evm::{EVM, Op};

use super::NOT_RUN;
use super::random::Random;
use super::scenario::ADDRESSES;

/// How often something is left to chance that would normally be made to go well.
const SELDOM: usize = 100;

/// The stack's limit.
const FULL: usize = 1024;

/// Random code for a block of this number.
pub(crate) fn code(random: &mut Random, number: u64) -> Vec<u8> {
    let mut writer = Writer { random, number, code: Vec::new(), height: 0, floor: 0 };
    if !writer.random.one_in(16) {
        for _ in 0..=writer.random.below(8) {
            writer.segment(2);
        }
    }
    writer.ending();
    writer.code
}

/// A word, mostly one at an edge of something.
pub(crate) fn word(random: &mut Random) -> U256 {
    let power = U256::ONE << random.below(256);
    match random.below(12) {
        0 => U256::ZERO,
        1 => U256::ONE,
        2 => power,
        3 => power.wrapping_sub(U256::ONE),
        4 => power.wrapping_add(U256::ONE),
        5 => U256::ZERO.wrapping_sub(power),
        6 => U256::ONE << 255,
        7 => U256::MAX,
        8 => address(random),
        9 => U256::from(random.below(300)),
        10 => U256::from(random.next()),
        _ => U256::from_be_slice(&random.bytes(32)),
    }
}

/// A storage key, mostly one of few.
pub(crate) fn slot(random: &mut Random) -> U256 {
    if random.one_in(8) { word(random) } else { U256::from(random.below(4)) }
}

/// The address of an account, or an address without an account; sometimes bits above the address are set.
fn address(random: &mut Random) -> U256 {
    let address = U256::from_be_slice(random.pick(&ADDRESSES).as_slice());
    let above = U256::from(random.next()) << 160;
    if random.one_in(3) { address | above } else { address }
}

/// What an operand means, which decides what values of it do not end the program.
#[derive(Clone, Copy)]
enum Operand {
    Word,
    /// Of memory.
    Offset,
    /// Of a range of memory.
    Size,
    /// Offset of code or data.
    Source,
    /// Of a byte in a word.
    Index,
    Exponent,
    Slot,
    Address,
    BlockNumber,
}

/// The operands of an instruction from the top of the stack; words where nothing else is said.
fn operands(op: &OpInfo) -> Vec<Operand> {
    use Operand::{Address, BlockNumber, Exponent, Index, Offset, Size, Slot, Source, Word};
    let first: &[Operand] = match op.name {
        "MLOAD" | "MSTORE" | "MSTORE8" => &[Offset],
        "SHA3" | "RETURN" | "LOG0" | "LOG1" | "LOG2" | "LOG3" | "LOG4" => &[Offset, Size],
        "CALLDATACOPY" | "CODECOPY" => &[Offset, Source, Size],
        "EXTCODECOPY" => &[Address, Offset, Source, Size],
        "CALLDATALOAD" => &[Source],
        "SLOAD" | "SSTORE" => &[Slot],
        "BALANCE" | "EXTCODESIZE" | "SUICIDE" => &[Address],
        "BLOCKHASH" => &[BlockNumber],
        "BYTE" | "SIGNEXTEND" => &[Index],
        "EXP" => &[Word, Exponent],
        _ => &[],
    };
    first.iter().copied().chain(std::iter::repeat(Word)).take(usize::from(op.pops)).collect()
}

struct Writer<'r> {
    random: &'r mut Random,
    number: u64,
    code: Vec<u8>,
    /// Items on the stack at this place of the code.
    height: usize,
    /// Items that the body of a loop leaves alone.
    floor: usize,
}

impl Writer<'_> {
    /// A part of a program. `depth` bounds how loops are nested.
    fn segment(&mut self, depth: usize) {
        match self.random.below(10) {
            0 if depth > 0 => self.loop_over(depth - 1),
            1 => self.jump(),
            2 => self.jump_not_taken(),
            3 if self.random.one_in(10) => self.bad_jump(),
            _ => self.instructions(),
        }
    }

    fn instructions(&mut self) {
        for _ in 0..=self.random.below(16) {
            let op = &EVM.ops[self.random.below(EVM.ops.len())];
            let ends = ["STOP", "RETURN", "SUICIDE", "JUMP", "JUMPI"].contains(&op.name);
            if !ends && !NOT_RUN.contains(&op.name) {
                self.instruction(op);
            }
        }
    }

    /// An instruction on operands of its own or, where any word will do, on what is there.
    fn instruction(&mut self, op: &OpInfo) {
        let operands = operands(op);
        let any = operands.iter().all(|operand| matches!(operand, Operand::Word));
        if op.name.starts_with("DUP") || op.name.starts_with("SWAP") || (any && self.random.one_in(2)) {
            self.require(operands.len());
        } else {
            for operand in operands.into_iter().rev() {
                let value = self.value(operand);
                self.push(value);
            }
        }
        self.write(op);
        let data = self.random.bytes(op.operands.iter().map(|operand| operand.fixed_len()).sum());
        self.code.extend(data);
    }

    /// The code byte of an instruction.
    fn write(&mut self, op: &OpInfo) {
        self.code.push(op.code as u8);
        self.height = (self.height + usize::from(op.pushes)).saturating_sub(usize::from(op.pops));
    }

    fn op(&mut self, op: Op) {
        if let Some(op) = EVM.by_code(op as u16) {
            self.write(op);
        }
    }

    /// Pushes words until there are as many items as an instruction needs.
    fn require(&mut self, items: usize) {
        while self.height < self.floor + items && !self.random.one_in(SELDOM * 10) {
            let word = word(self.random);
            self.push(word);
        }
    }

    /// A PUSH that has room for the value, and often more.
    fn push(&mut self, value: U256) {
        let least = value.byte_len().max(1);
        let size = if self.random.one_in(4) { least + self.random.below(33 - least) } else { least };
        self.push_sized(value, size);
    }

    fn push_sized(&mut self, value: U256, size: usize) {
        self.code.push(Op::PUSH1 as u8 + size as u8 - 1);
        self.code.extend_from_slice(&value.to_be_bytes::<32>()[32 - size..]);
        self.height += 1;
    }

    fn value(&mut self, operand: Operand) -> U256 {
        let random = &mut *self.random;
        if random.one_in(SELDOM) {
            return word(random);
        }
        match operand {
            Operand::Word => word(random),
            Operand::Offset => U256::from(random.below(200)),
            Operand::Size if random.one_in(4) => U256::ZERO,
            Operand::Size | Operand::Source => match random.below(8) {
                0 => U256::from(random.below(3_000)),
                1 => U256::from(random.below(4) * 32),
                _ => U256::from(random.below(100)),
            },
            Operand::Index => U256::from(random.below(34)),
            Operand::Exponent if random.one_in(2) => word(random),
            Operand::Exponent => U256::from(random.next() >> random.below(64)),
            Operand::Slot => slot(random),
            Operand::Address => address(random),
            Operand::BlockNumber => U256::from((self.number + 2).saturating_sub(random.below(262) as u64)),
        }
    }

    /// A body that is executed a few times over a counter on the stack.
    fn loop_over(&mut self, depth: usize) {
        let times = U256::from(1 + self.random.below(20));
        self.push(times);
        let start = self.code.len();
        self.op(Op::JUMPDEST);
        let floor = std::mem::replace(&mut self.floor, self.height);
        self.segment(depth);
        while self.height > self.floor {
            self.op(Op::POP);
        }
        self.floor = floor;
        self.push(U256::ONE);
        self.op(Op::SWAP1);
        self.op(Op::SUB);
        self.op(Op::DUP1);
        self.push(U256::from(start));
        self.op(Op::JUMPI);
        self.op(Op::POP);
    }

    /// A jump over bytes that are not executed. Seldom to a number that only its low bits make a
    /// destination.
    fn jump(&mut self) {
        let conditional = self.random.one_in(2);
        if conditional {
            let condition = word(self.random).max(U256::ONE);
            self.push(condition);
        }
        let skipped = self.skipped();
        let high = if self.random.one_in(SELDOM) { self.high_bit() } else { U256::ZERO };
        let size = high.byte_len().max(2);
        let destination = self.code.len() + 1 + size + 1 + skipped.len();
        self.push_sized(high | U256::from(destination), size);
        self.op(if conditional { Op::JUMPI } else { Op::JUMP });
        self.code.extend(skipped);
        self.op(Op::JUMPDEST);
    }

    /// Some of it looks like a JUMPDEST, or like a PUSH whose data covers the JUMPDEST after it.
    fn skipped(&mut self) -> Vec<u8> {
        let size = self.random.below(8);
        if self.random.one_in(4) { self.bytes(size) } else { vec![Op::JUMPDEST as u8; size] }
    }

    /// A bit above all offsets of code.
    fn high_bit(&mut self) -> U256 {
        U256::ONE << self.random.pick(&[16, 32, 64, 128, 255])
    }

    /// Random bytes, without the instructions that are not run.
    fn bytes(&mut self, size: usize) -> Vec<u8> {
        let run = |code: &u8| EVM.by_code((*code).into()).is_none_or(|op| !NOT_RUN.contains(&op.name));
        self.random.bytes(size).into_iter().filter(run).collect()
    }

    /// Where to does not matter.
    fn jump_not_taken(&mut self) {
        let target = word(self.random);
        self.push(U256::ZERO);
        self.push(target);
        self.op(Op::JUMPI);
    }

    /// A jump to a place that is not a destination: into the data of a PUSH, or anywhere.
    fn bad_jump(&mut self) {
        let data = self.code.len() + 5;
        let anywhere = self.random.below(2_000);
        let target = self.random.pick(&[data, anywhere]);
        self.push_sized(U256::from(target), 2);
        self.op(Op::JUMP);
        self.push_sized(U256::from(Op::JUMPDEST as u8), 1);
    }

    /// How the program ends.
    fn ending(&mut self) {
        match self.random.below(16) {
            0..=3 => self.end_with(Op::RETURN),
            4 | 5 => self.end_with(Op::SUICIDE),
            6 => self.end_with(Op::STOP),
            7..=9 => self.cut_off_push(),
            10 => self.fill_stack(),
            11 => {
                let size = self.random.below(60);
                let bytes = self.bytes(size);
                self.code.extend(bytes);
            }
            _ => {}
        }
    }

    /// An instruction that ends the program, and bytes after it.
    fn end_with(&mut self, op: Op) {
        if let Some(op) = EVM.by_code(op as u16) {
            self.instruction(op);
        }
        self.instructions();
    }

    /// A PUSH whose data the end cuts off.
    fn cut_off_push(&mut self) {
        let size = 1 + self.random.below(32);
        let there = self.random.below(size);
        self.code.push(Op::PUSH1 as u8 + size as u8 - 1);
        let data = self.random.bytes(there);
        self.code.extend(data);
    }

    /// As many items as the stack holds, or one more.
    fn fill_stack(&mut self) {
        let items = self.random.pick(&[FULL, FULL, FULL + 1]);
        while self.height < items {
            self.op(Op::PC);
        }
        let swap = self.random.pick(&[Op::SWAP1, Op::SWAP16]);
        self.op(swap);
    }
}
