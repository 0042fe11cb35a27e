//! `refs` after every instruction of random programs. A program is written while the model executes
//! it, so that every instruction finds what it needs.

use proptest::prelude::*;
use vmconf::machines::machine::perform;
use vmconf::machines::neo3::Op;
use vmconf::model::Value;
use vmconf::model::case;

use super::{End, config, end, loaded, references};
use crate::neo3::model::{Faulted, Frame, Item, Kind, Model, Try};

/// The most references that there may be after an instruction.
const MAX_REFERENCES: isize = 2048;

/// Whether items may come to contain themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cycles {
    Never,
    Allowed,
}

/// A program that is being written, and the model that has executed it so far.
struct Writer {
    /// What decides between possibilities.
    draws: std::vec::IntoIter<u8>,
    cycles: Cycles,
    model: Model,
    script: Vec<u8>,
    /// The references after each instruction.
    counts: Vec<isize>,
    has_faulted: bool,
}

/// An action of the writer; `None` if it is not possible here, or the program has ended.
type Possible = Option<()>;

type Action = fn(&mut Writer) -> Possible;

/// How often each action is drawn.
const ACTIONS: [(usize, Action); 17] = [
    (4, Writer::fresh),
    (3, Writer::compound),
    (3, Writer::pack),
    (1, Writer::packmap),
    (4, Writer::arrange),
    (2, Writer::index),
    (5, Writer::append),
    (5, Writer::setitem),
    (3, Writer::pickitem),
    (2, Writer::remove),
    (4, Writer::take),
    (1, Writer::convert),
    (4, Writer::slot),
    (1, Writer::call),
    (1, Writer::ret),
    (1, Writer::try_),
    (1, Writer::throw),
];

impl Writer {
    fn new(draws: Vec<u8>, cycles: Cycles) -> Writer {
        let model = Model { frames: vec![Frame::default()], ..Model::default() };
        let (script, counts) = (Vec::new(), Vec::new());
        Writer { draws: draws.into_iter(), cycles, model, script, counts, has_faulted: false }
    }

    /// Writes a program to its end.
    fn write(mut self) -> Writer {
        let all = ACTIONS.iter().flat_map(|(weight, action)| vec![*action; *weight]).collect::<Vec<_>>();
        while self.draws.len() > 0 && !self.has_faulted {
            let action = all[self.draw(all.len())];
            // One that is not possible may have written a part; that is part of the program then.
            let _ = action(&mut self);
        }
        while !self.has_faulted && self.model.frames.len() > 1 {
            self.ret();
        }
        self.step(Op::RET, &[], Model::ret);
        self
    }

    /// A number below `count`.
    fn draw(&mut self, count: usize) -> usize {
        self.draws.next().map_or(0, |drawn| usize::from(drawn) % count)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.draw(from.len())]
    }

    fn height(&self) -> usize {
        self.model.stack.len()
    }

    /// Writes an instruction that may fault, and executes it.
    fn try_step<E>(&mut self, op: Op, operand: &[u8], effect: E) -> Possible
    where
        E: FnOnce(&mut Model) -> Result<(), Faulted>,
    {
        if self.has_faulted {
            return None;
        }
        self.script.push(op as u8);
        self.script.extend_from_slice(operand);
        self.has_faulted = effect(&mut self.model).is_err();
        self.settle()
    }

    /// Writes an instruction that faults only for the number of references, and executes it.
    fn step<T>(&mut self, op: Op, operand: &[u8], effect: impl FnOnce(&mut Model) -> T) -> Possible {
        self.try_step(op, operand, |model| {
            effect(model);
            Ok(())
        })
    }

    /// Looks at the number of references after an instruction.
    fn settle(&mut self) -> Possible {
        let count = self.model.references;
        if self.cycles == Cycles::Never && !self.has_faulted {
            assert_eq!(count, self.model.recount(), "the model itself after {:?}", self.script.last());
        }
        self.counts.push(count);
        self.has_faulted |= count > MAX_REFERENCES;
        if self.has_faulted { None } else { Some(()) }
    }

    // ---- Items

    fn number(&mut self, number: usize) -> Possible {
        let number = i16::try_from(number).unwrap();
        let item = Item::Integer(number.into());
        self.step(Op::PUSHINT16, &number.to_le_bytes(), |model| model.push(item))
    }

    fn bytes(&mut self, bytes: [u8; 2]) -> Possible {
        let item = Item::ByteString(bytes.to_vec());
        self.step(Op::PUSHDATA1, &[2, bytes[0], bytes[1]], |model| model.push(item))
    }

    /// A new item.
    fn fresh(&mut self) -> Possible {
        match self.draw(6) {
            0 => self.step(Op::PUSHNULL, &[], |model| model.push(Item::Null)),
            1 => self.step(Op::PUSHF, &[], |model| model.push(Item::Boolean(false))),
            2 => {
                let number = self.draw(256);
                self.number(number)
            }
            3 => self.bytes([7, 7]),
            _ => self.compound(),
        }
    }

    fn compound(&mut self) -> Possible {
        let op = self.pick(&[Op::NEWARRAY0, Op::NEWSTRUCT0, Op::NEWMAP, Op::NEWARRAY, Op::NEWSTRUCT]);
        if [Op::NEWARRAY, Op::NEWSTRUCT].contains(&op) {
            let most = self.pick(&[4, 4, 4, 4, 4, 4, 256]);
            let count = self.draw(most) * if most == 4 { 1 } else { 3 };
            self.number(count)?;
        }
        self.step(op, &[], |model| model.make(op))
    }

    /// Brings an item that `wanted` accepts to the top: another reference to it, or the reference itself.
    /// The `upper` topmost items stay where they are.
    fn fetch(&mut self, upper: usize, wanted: impl Fn(&Item) -> bool) -> Option<Item> {
        let from_top = self.model.stack.iter().rev().enumerate().skip(upper);
        let places: Vec<usize> = from_top.filter(|it| wanted(it.1)).map(|it| it.0).collect();
        if places.is_empty() {
            return None;
        }
        let below = self.pick(&places);
        let op = self.pick(&[Op::PICK, Op::PICK, Op::ROLL]);
        self.number(below)?;
        self.step(op, &[], |model| model.arrange(op))?;
        self.model.stack.last().cloned()
    }

    /// A value for a container, below which there are `upper - 1` operands.
    fn value(&mut self, upper: usize, container: &Item) -> Possible {
        if self.draw(3) == 0 {
            return self.fresh();
        }
        let may_be_cyclic = self.cycles == Cycles::Allowed;
        let container = container.inner()?;
        self.fetch(upper, |item| may_be_cyclic || !item.reaches(container)).map(drop)
    }

    /// A key of a Map. Their texts differ.
    fn key(&mut self) -> Possible {
        match self.draw(4) {
            0 => self.bytes([1, 2]),
            1 => self.step(Op::PUSHT, &[], |model| model.push(Item::Boolean(true))),
            number => self.number(number),
        }
    }

    /// A key or index that is in a container; `None` if the container is empty.
    fn present(&mut self, container: &Item) -> Possible {
        let items = container.inner()?.items.borrow().clone();
        if items.is_empty() {
            return None;
        }
        let index = self.draw(items.len());
        if container.list().is_some() {
            return self.number(index);
        }
        match &items[index & !1] {
            Item::Integer(number) => self.number(usize::try_from(*number).unwrap()),
            Item::ByteString(bytes) => self.bytes([bytes[0], bytes[1]]),
            _ => self.step(Op::PUSHT, &[], |model| model.push(Item::Boolean(true))),
        }
    }

    // ---- Instructions on the stack

    fn arrange(&mut self) -> Possible {
        let ops = [
            (Op::DEPTH, 0),
            (Op::DUP, 1),
            (Op::DROP, 1),
            (Op::OVER, 2),
            (Op::NIP, 2),
            (Op::TUCK, 2),
            (Op::SWAP, 2),
            (Op::ROT, 3),
            (Op::REVERSE3, 3),
            (Op::REVERSE4, 4),
        ];
        let (op, needed) = self.pick(&ops);
        let op = if op == Op::DEPTH && self.draw(8) == 0 { Op::CLEAR } else { op };
        if self.height() < needed {
            return None;
        }
        self.step(op, &[], |model| model.arrange(op))
    }

    fn index(&mut self) -> Possible {
        let op = self.pick(&[Op::PICK, Op::ROLL, Op::XDROP, Op::REVERSEN]);
        if self.height() == 0 {
            return None;
        }
        let below = self.draw(self.height());
        self.number(below)?;
        self.step(op, &[], |model| model.arrange(op))
    }

    // ---- Compounds

    fn pack(&mut self) -> Possible {
        let count = self.draw(self.height().min(5) + 1);
        let op = self.pick(&[Op::PACK, Op::PACKSTRUCT]);
        self.number(count)?;
        self.step(op, &[], |model| model.make(op))
    }

    fn packmap(&mut self) -> Possible {
        let count = self.draw(4);
        for done in 0..count {
            if self.fetch(2 * done, |_| true).is_none() {
                self.fresh()?;
            }
            self.key()?;
        }
        self.number(count)?;
        self.step(Op::PACKMAP, &[], |model| model.make(Op::PACKMAP))
    }

    fn append(&mut self) -> Possible {
        let list = self.fetch(0, |item| item.list().is_some())?;
        self.value(1, &list)?;
        self.try_step(Op::APPEND, &[], Model::append)
    }

    fn setitem(&mut self) -> Possible {
        let container = self.fetch(0, |item| item.inner().is_some())?;
        if container.map().is_some() {
            self.key()?;
        } else {
            self.present(&container)?;
        }
        self.value(2, &container)?;
        self.try_step(Op::SETITEM, &[], Model::setitem)
    }

    fn pickitem(&mut self) -> Possible {
        let container = self.fetch(0, |item| item.inner().is_some())?;
        self.present(&container)?;
        self.step(Op::PICKITEM, &[], Model::pickitem)
    }

    fn remove(&mut self) -> Possible {
        let container = self.fetch(0, |item| item.inner().is_some())?;
        let is_any = container.map().is_some() && self.draw(3) == 0;
        if is_any {
            self.key()?;
        } else {
            self.present(&container)?;
        }
        self.step(Op::REMOVE, &[], Model::remove)
    }

    fn take(&mut self) -> Possible {
        let container = self.fetch(0, |item| item.inner().is_some())?;
        let compound = container.inner()?;
        let op = if compound.kind == Kind::Map {
            self.pick(&[Op::SIZE, Op::UNPACK, Op::VALUES, Op::CLEARITEMS, Op::KEYS])
        } else {
            let ops = [Op::SIZE, Op::UNPACK, Op::VALUES, Op::CLEARITEMS, Op::REVERSEITEMS, Op::POPITEM];
            self.pick(&ops)
        };
        if op == Op::POPITEM && compound.items.borrow().is_empty() {
            return None;
        }
        self.try_step(op, &[], |model| model.take(op))
    }

    fn convert(&mut self) -> Possible {
        self.fetch(0, |item| item.list().is_some())?;
        let (code, kind) = self.pick(&[(0x40, Kind::Array), (0x41, Kind::Struct)]);
        self.step(Op::CONVERT, &[code], |model| model.convert(kind))
    }

    // ---- Slots and frames

    fn slot(&mut self) -> Possible {
        let ops = [(Op::LDSFLD, Op::STSFLD), (Op::LDLOC, Op::STLOC), (Op::LDARG, Op::STARG)];
        let slot = self.draw(3);
        let count = self.model.slot(slot).len();
        if count == 0 {
            return self.new_slot(slot);
        }
        let index = self.draw(count);
        let operand = [index as u8];
        if self.draw(2) == 0 || self.height() == 0 {
            self.step(ops[slot].0, &operand, |model| model.load(slot, index))
        } else {
            self.step(ops[slot].1, &operand, |model| model.store(slot, index))
        }
    }

    fn new_slot(&mut self, slot: usize) -> Possible {
        if slot == 0 {
            let count = 1 + self.draw(3);
            return self.step(Op::INITSSLOT, &[count as u8], |model| model.initsslot(count));
        }
        let frame = self.model.frame();
        let is_first = frame.locals.is_empty() && frame.arguments.is_empty();
        let (locals, arguments) = (self.draw(3), self.draw(self.height().min(2) + 1));
        if !is_first || locals + arguments == 0 {
            return None;
        }
        let operand = [locals as u8, arguments as u8];
        self.step(Op::INITSLOT, &operand, |model| model.initslot(locals, arguments))
    }

    /// A call of the code that follows. Between the call and that code stands a jump over it.
    fn call(&mut self) -> Possible {
        if self.model.frames.len() > 5 {
            return None;
        }
        let jump = self.script.len() + 2;
        let frame = Frame { jump, ..Frame::default() };
        self.step(Op::CALL, &[7], |model| model.frames.push(frame))?;
        self.script.push(Op::JMP_L as u8);
        self.script.extend_from_slice(&[0; 4]);
        Some(())
    }

    fn ret(&mut self) -> Possible {
        if self.model.frames.len() < 2 {
            return None;
        }
        let jump = self.model.frame().jump;
        self.step(Op::RET, &[], Model::ret)?;
        self.patch(jump);
        // The jump over the function.
        self.settle()
    }

    /// Lets the instruction at a position lead to the end of what is written.
    fn patch(&mut self, at: usize) {
        let offset = (self.script.len() - at) as i32;
        self.script[at + 1..at + 5].copy_from_slice(&offset.to_le_bytes());
    }

    /// TRY_L, or ENDTRY_L of the last one.
    fn try_(&mut self) -> Possible {
        let (at, count) = (self.script.len(), self.model.frame().tries.len());
        if count > 10 || count > 0 && self.draw(2) == 0 {
            return self.step(Op::ENDTRY_L, &5i32.to_le_bytes(), |model| model.frame().tries.pop());
        }
        // Where the catch block is, an exception says.
        let entered = Try { at, is_caught: false };
        let operand = [1, 0, 0, 0, 0, 0, 0, 0];
        self.step(Op::TRY_L, &operand, |model| model.frame().tries.push(entered))
    }

    /// THROW where something catches it.
    fn throw(&mut self) -> Possible {
        let catches = |frame: &Frame| frame.tries.iter().any(|inner| !inner.is_caught);
        if self.height() == 0 || !self.model.frames.iter().any(catches) {
            return None;
        }
        let mut at = 0;
        self.step(Op::THROW, &[], |model| at = model.throw())?;
        self.patch(at);
        Some(())
    }
}

/// The machine has the references of the model after each instruction, and ends with its items.
fn counts_as_the_model(draws: Vec<u8>, cycles: Cycles) -> Result<(), TestCaseError> {
    let Writer { model, script, counts, has_faulted, .. } = Writer::new(draws, cycles).write();
    let mut machine = loaded(&script);
    for (index, count) in counts.iter().enumerate() {
        let is_last = index + 1 == counts.len();
        perform(&mut *machine, &case::Action::StepInto, None);
        let state = if !is_last {
            "BREAK"
        } else if has_faulted {
            "FAULT"
        } else {
            "HALT"
        };
        prop_assert_eq!(machine.observe("state"), Some(Value::text(state)), "{}", machine.describe());
        if state != "FAULT" {
            let found = references(machine.inspect()) as isize;
            prop_assert_eq!(found, *count, "step {}: {}", index, machine.describe());
        }
    }
    // Items that are shared much, or contain themselves, are too large for this.
    let left = &mut 400;
    if let Some(items) = model.stack.iter().map(|item| item.shown(left)).collect() {
        let expected = if has_faulted { End::Fault } else { End::Halt(items) };
        prop_assert_eq!(end(machine.inspect()), expected);
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(2000))]

    /// Without cycles the counter is what counting from scratch gives, which the model looks at too.
    #[test]
    fn the_reference_count_is_that_of_a_traversal(draws in prop::collection::vec(any::<u8>(), 0..500)) {
        counts_as_the_model(draws, Cycles::Never)?;
    }

    /// With cycles it is what the rules of acquiring and releasing give.
    #[test]
    fn references_follow_the_rules(draws in prop::collection::vec(any::<u8>(), 0..500)) {
        counts_as_the_model(draws, Cycles::Allowed)?;
    }
}
