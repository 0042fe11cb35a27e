//! A second NeoVM for a part of the instructions, which counts references as section 7 of the
//! reference words it: *acquire* and *release*, instruction by instruction. Its compounds are
//! objects with an identity, so what it holds can also be counted from scratch.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

use vmconf::machines::neo3::Op;
use vmconf::model::Value;

use super::{boolean, byte_string, encoded, integer, list, null};

/// An item of the model.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    Null,
    Boolean(bool),
    Integer(i64),
    ByteString(Vec<u8>),
    Compound(Rc<Compound>),
}

/// The kinds of compounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Array,
    Struct,
    Map,
}

/// An Array, Struct or Map.
#[derive(Debug)]
pub(crate) struct Compound {
    pub(crate) kind: Kind,
    /// How many references hold it.
    held: Cell<usize>,
    /// The items; for a Map key, value, key, value.
    pub(crate) items: RefCell<Vec<Item>>,
}

impl Item {
    fn compound(kind: Kind, items: Vec<Item>) -> Item {
        Item::Compound(Rc::new(Compound { kind, held: Cell::new(0), items: RefCell::new(items) }))
    }

    /// The compound that this is.
    pub(crate) fn inner(&self) -> Option<&Rc<Compound>> {
        match self {
            Item::Compound(compound) => Some(compound),
            Item::Null | Item::Boolean(_) | Item::Integer(_) | Item::ByteString(_) => None,
        }
    }

    /// The compound if it is an Array or Struct.
    pub(crate) fn list(&self) -> Option<&Rc<Compound>> {
        self.inner().filter(|compound| compound.kind != Kind::Map)
    }

    /// The compound if it is a Map.
    pub(crate) fn map(&self) -> Option<&Rc<Compound>> {
        self.inner().filter(|compound| compound.kind == Kind::Map)
    }

    fn is_struct(&self) -> bool {
        self.inner().is_some_and(|compound| compound.kind == Kind::Struct)
    }

    /// Whether two keys are the same; keys are no compounds.
    fn is_key(&self, other: &Item) -> bool {
        match (self, other) {
            (Item::Boolean(a), Item::Boolean(b)) => a == b,
            (Item::Integer(a), Item::Integer(b)) => a == b,
            (Item::ByteString(a), Item::ByteString(b)) => a == b,
            _ => false,
        }
    }

    /// Whether one can get from this to a compound.
    pub(crate) fn reaches(&self, target: &Rc<Compound>) -> bool {
        let mut found = false;
        each_compound(vec![self.clone()], |compound| found |= Rc::ptr_eq(compound, target));
        found
    }

    /// As the machine shows it; `None` if that takes more than `left` items.
    pub(crate) fn shown(&self, left: &mut usize) -> Option<Value> {
        *left = left.checked_sub(1)?;
        Some(match self {
            Item::Null => null(),
            Item::Boolean(value) => boolean(*value),
            Item::Integer(number) => integer(*number),
            Item::ByteString(bytes) => byte_string(bytes),
            Item::Compound(compound) => {
                let items = compound.items.borrow();
                let mut shown = |item: &Item| item.shown(left);
                match compound.kind {
                    Kind::Array => list("Array", items.iter().map(shown).collect::<Option<_>>()?),
                    Kind::Struct => list("Struct", items.iter().map(shown).collect::<Option<_>>()?),
                    Kind::Map => {
                        let pairs =
                            items.chunks(2).map(|pair| Some((pair[0].key_text().into(), shown(&pair[1])?)));
                        Value::typed("Map", Value::Record(pairs.collect::<Option<_>>()?))
                    }
                }
            }
        })
    }

    /// The name of a key: its bytes in hex.
    fn key_text(&self) -> String {
        let bytes = match self {
            Item::Boolean(value) => vec![u8::from(*value)],
            Item::Integer(number) => encoded(&(*number).into(), 1),
            Item::ByteString(bytes) => bytes.clone(),
            Item::Null | Item::Compound(_) => panic!("a key {self:?}"),
        };
        format!("0x{}", hex::encode(bytes))
    }
}

/// Tells `see` of every compound that can be reached, once.
fn each_compound(mut work: Vec<Item>, mut see: impl FnMut(&Rc<Compound>)) {
    let mut seen = HashSet::new();
    while let Some(item) = work.pop() {
        if let Some(compound) = item.inner().filter(|compound| seen.insert(Rc::as_ptr(compound))) {
            see(compound);
            work.extend(compound.items.borrow().iter().cloned());
        }
    }
}

/// The instruction ends the run.
#[derive(Debug)]
pub(crate) struct Faulted;

type Flow = Result<(), Faulted>;

/// A try statement with a catch block and without a finally block.
#[derive(Debug)]
pub(crate) struct Try {
    /// Where it stands in the script.
    pub(crate) at: usize,
    pub(crate) is_caught: bool,
}

/// A frame of the model.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    pub(crate) locals: Vec<Item>,
    pub(crate) arguments: Vec<Item>,
    pub(crate) tries: Vec<Try>,
    /// Where the jump over the function stands that was called.
    pub(crate) jump: usize,
}

/// The machine of the model. There is always a frame until the last RET.
#[derive(Debug, Default)]
pub(crate) struct Model {
    pub(crate) stack: Vec<Item>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) statics: Vec<Item>,
    /// The counter.
    pub(crate) references: isize,
}

/// The most items that cloning a Struct copies.
const MAX_CLONED: usize = 2047;

impl Model {
    /// Counts from scratch: entries, and the items of every compound that they lead to.
    pub(crate) fn recount(&self) -> isize {
        let mut roots = self.stack.clone();
        roots.extend_from_slice(&self.statics);
        for frame in &self.frames {
            roots.extend(frame.locals.iter().chain(&frame.arguments).cloned());
        }
        let mut count = roots.len();
        each_compound(roots, |compound| count += compound.items.borrow().len());
        count as isize
    }

    fn acquire(&mut self, item: &Item) {
        self.references += 1;
        if let Some(compound) = item.inner() {
            compound.held.set(compound.held.get() + 1);
            if compound.held.get() == 1 {
                let items = compound.items.borrow().clone();
                self.acquire_all(&items);
            }
        }
    }

    fn release(&mut self, item: &Item) {
        let Some(compound) = item.inner() else {
            self.references -= 1;
            return;
        };
        if compound.held.get() > 0 {
            self.references -= 1;
            compound.held.set(compound.held.get() - 1);
            if compound.held.get() == 0 {
                let items = compound.items.borrow().clone();
                self.release_all(&items);
            }
        }
    }

    fn acquire_all(&mut self, items: &[Item]) {
        for item in items {
            self.acquire(item);
        }
    }

    fn release_all(&mut self, items: &[Item]) {
        for item in items {
            self.release(item);
        }
    }

    /// Puts an item on the stack.
    pub(crate) fn push(&mut self, item: Item) {
        self.acquire(&item);
        self.stack.push(item);
    }

    fn pop(&mut self) -> Item {
        let item = self.stack.pop().unwrap();
        self.release(&item);
        item
    }

    fn pop_number(&mut self) -> usize {
        match self.pop() {
            Item::Integer(number) => usize::try_from(number).unwrap(),
            other => panic!("{other:?} is no number"),
        }
    }

    // ---- Stack

    /// The instructions that arrange the stack.
    pub(crate) fn arrange(&mut self, op: Op) {
        let top = |model: &Model, below: usize| model.stack.len() - 1 - below;
        match op {
            Op::DEPTH => self.push(Item::Integer(self.stack.len() as i64)),
            Op::DUP => self.push(self.stack[top(self, 0)].clone()),
            Op::OVER => self.push(self.stack[top(self, 1)].clone()),
            Op::TUCK => {
                self.arrange(Op::DUP);
                let from = top(self, 2);
                self.stack[from..].rotate_right(1);
            }
            Op::PICK => {
                let below = self.pop_number();
                self.push(self.stack[top(self, below)].clone());
            }
            Op::DROP => drop(self.pop()),
            Op::NIP => self.drop_below(1),
            Op::XDROP => {
                let below = self.pop_number();
                self.drop_below(below);
            }
            Op::CLEAR => (0..self.stack.len()).for_each(|_| drop(self.pop())),
            Op::SWAP => self.reverse(2),
            Op::REVERSE3 => self.reverse(3),
            Op::REVERSE4 => self.reverse(4),
            Op::REVERSEN => {
                let count = self.pop_number();
                self.reverse(count);
            }
            Op::ROT => self.roll(2),
            Op::ROLL => {
                let below = self.pop_number();
                self.roll(below);
            }
            other => panic!("{other:?} does not arrange the stack"),
        }
    }

    fn drop_below(&mut self, below: usize) {
        let item = self.stack.remove(self.stack.len() - 1 - below);
        self.release(&item);
    }

    fn reverse(&mut self, count: usize) {
        let from = self.stack.len() - count;
        self.stack[from..].reverse();
    }

    fn roll(&mut self, below: usize) {
        let item = self.stack.remove(self.stack.len() - 1 - below);
        self.stack.push(item);
    }

    // ---- Compounds

    /// The instructions that make compounds.
    pub(crate) fn make(&mut self, op: Op) {
        let (kind, items) = match op {
            Op::NEWARRAY0 => (Kind::Array, Vec::new()),
            Op::NEWSTRUCT0 => (Kind::Struct, Vec::new()),
            Op::NEWMAP => (Kind::Map, Vec::new()),
            Op::NEWARRAY => (Kind::Array, vec![Item::Null; self.pop_number()]),
            Op::NEWSTRUCT => (Kind::Struct, vec![Item::Null; self.pop_number()]),
            Op::PACK | Op::PACKSTRUCT => {
                let kind = if op == Op::PACK { Kind::Array } else { Kind::Struct };
                let count = self.pop_number();
                (kind, (0..count).map(|_| self.pop()).collect())
            }
            Op::PACKMAP => {
                let mut pairs: Vec<Item> = Vec::new();
                for _ in 0..self.pop_number() {
                    let (key, value) = (self.pop(), self.pop());
                    match find(&pairs, &key) {
                        Some(index) => pairs[index] = value,
                        None => pairs.extend([key, value]),
                    }
                }
                (Kind::Map, pairs)
            }
            other => panic!("{other:?} makes no compound"),
        };
        self.push(Item::compound(kind, items));
    }

    /// CONVERT of a list to the other kind of list.
    pub(crate) fn convert(&mut self, kind: Kind) {
        let item = self.pop();
        let same = item.inner().unwrap().kind == kind;
        let items = item.inner().unwrap().items.borrow().clone();
        self.push(if same { item } else { Item::compound(kind, items) });
    }

    /// The instructions that take one compound from the top.
    pub(crate) fn take(&mut self, op: Op) -> Flow {
        let item = self.pop();
        let compound = item.inner().unwrap();
        let items = compound.items.borrow().clone();
        let size = if compound.kind == Kind::Map { items.len() / 2 } else { items.len() };
        match op {
            Op::SIZE => self.push(Item::Integer(size as i64)),
            Op::UNPACK => {
                items.into_iter().rev().for_each(|item| self.push(item));
                self.push(Item::Integer(size as i64));
            }
            Op::KEYS => self.push(Item::compound(Kind::Array, items.into_iter().step_by(2).collect())),
            Op::VALUES => {
                let (from, step) = if compound.kind == Kind::Map { (1, 2) } else { (0, 1) };
                let values = items.iter().skip(from).step_by(step).map(cloned);
                let values = values.collect::<Result<_, _>>()?;
                self.push(Item::compound(Kind::Array, values));
            }
            Op::REVERSEITEMS => compound.items.borrow_mut().reverse(),
            Op::CLEARITEMS => {
                compound.items.borrow_mut().clear();
                if compound.held.get() > 0 {
                    self.release_all(&items);
                }
            }
            Op::POPITEM => {
                let last = items.last().unwrap();
                self.push(last.clone());
                compound.items.borrow_mut().pop();
                if compound.held.get() > 0 {
                    self.release(last);
                }
            }
            other => panic!("{other:?} does not take a compound"),
        }
        Ok(())
    }

    /// PICKITEM with a key that is there.
    pub(crate) fn pickitem(&mut self) {
        let (key, item) = (self.pop(), self.pop());
        let compound = item.inner().unwrap();
        let picked = compound.items.borrow()[place(compound, &key).unwrap()].clone();
        self.push(picked);
    }

    /// APPEND
    pub(crate) fn append(&mut self) -> Flow {
        let (item, list) = (self.pop(), self.pop());
        let (item, list) = (cloned(&item)?, list.list().unwrap());
        list.items.borrow_mut().push(item.clone());
        if list.held.get() > 0 {
            self.acquire(&item);
        }
        Ok(())
    }

    /// SETITEM with an index that is there, or any key of a Map.
    pub(crate) fn setitem(&mut self) -> Flow {
        let mut value = self.stack.pop().unwrap();
        if value.is_struct() {
            self.release(&value);
            value = cloned(&value)?;
            self.acquire(&value);
        }
        let (key, item) = (self.pop(), self.pop());
        let compound = item.inner().unwrap();
        let place = place(compound, &key);
        if compound.held.get() == 0 {
            self.release(&value);
        } else if let Some(place) = place {
            let old = compound.items.borrow()[place].clone();
            self.release(&old);
        } else {
            self.acquire(&key);
        }
        match place {
            Some(place) => compound.items.borrow_mut()[place] = value,
            None => compound.items.borrow_mut().extend([key, value]),
        }
        Ok(())
    }

    /// REMOVE with an index that is there, or any key of a Map.
    pub(crate) fn remove(&mut self) {
        let (key, item) = (self.pop(), self.pop());
        let compound = item.inner().unwrap();
        let Some(place) = place(compound, &key) else { return };
        let from = if compound.kind == Kind::Map { place - 1 } else { place };
        let removed: Vec<Item> = compound.items.borrow_mut().drain(from..=place).collect();
        if compound.held.get() > 0 {
            self.release_all(&removed);
        }
    }

    // ---- Slots and frames

    /// The current frame.
    pub(crate) fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().unwrap()
    }

    /// The variables of a kind of slot: 0 static fields, 1 local variables, 2 arguments.
    pub(crate) fn slot(&mut self, slot: usize) -> &mut Vec<Item> {
        match slot {
            0 => &mut self.statics,
            1 => &mut self.frame().locals,
            _ => &mut self.frame().arguments,
        }
    }

    /// INITSSLOT
    pub(crate) fn initsslot(&mut self, count: usize) {
        self.references += count as isize;
        self.statics = vec![Item::Null; count];
    }

    /// INITSLOT
    pub(crate) fn initslot(&mut self, locals: usize, arguments: usize) {
        self.references += locals as isize;
        let taken = self.stack.split_off(self.stack.len() - arguments);
        self.frame().locals = vec![Item::Null; locals];
        self.frame().arguments = taken.into_iter().rev().collect();
    }

    /// LDSFLD, LDLOC, LDARG
    pub(crate) fn load(&mut self, slot: usize, index: usize) {
        let item = self.slot(slot)[index].clone();
        self.push(item);
    }

    /// STSFLD, STLOC, STARG
    pub(crate) fn store(&mut self, slot: usize, index: usize) {
        let old = self.slot(slot)[index].clone();
        self.release(&old);
        let item = self.stack.pop().unwrap();
        self.slot(slot)[index] = item;
    }

    /// RET
    pub(crate) fn ret(&mut self) {
        let frame = self.frames.pop().unwrap();
        self.release_all(&frame.locals);
        self.release_all(&frame.arguments);
        if self.frames.is_empty() {
            let statics = std::mem::take(&mut self.statics);
            self.release_all(&statics);
        }
    }

    /// THROW, which something catches. Gives where the try statement stands.
    pub(crate) fn throw(&mut self) -> usize {
        let thrown = self.pop();
        loop {
            match self.frame().tries.last_mut() {
                Some(inner) if inner.is_caught => drop(self.frame().tries.pop()),
                Some(inner) => {
                    inner.is_caught = true;
                    let at = inner.at;
                    self.push(thrown);
                    return at;
                }
                None => self.ret(),
            }
        }
    }
}

/// Where a key is among keys and values, as the place of its value.
fn find(pairs: &[Item], key: &Item) -> Option<usize> {
    pairs.iter().step_by(2).position(|known| known.is_key(key)).map(|nth| 2 * nth + 1)
}

/// Where the item of a key or index is.
fn place(compound: &Compound, key: &Item) -> Option<usize> {
    match (compound.kind, key) {
        (Kind::Map, key) => find(&compound.items.borrow(), key),
        (_, Item::Integer(index)) => Some(usize::try_from(*index).unwrap()),
        (_, other) => panic!("an index {other:?}"),
    }
}

/// The item, or a clone of it if it is a Struct.
fn cloned(item: &Item) -> Result<Item, Faulted> {
    cloned_within(item, &mut MAX_CLONED.clone())
}

fn cloned_within(item: &Item, left: &mut usize) -> Result<Item, Faulted> {
    if !item.is_struct() {
        return Ok(item.clone());
    }
    let items = item.inner().unwrap().items.borrow();
    let mut clones = Vec::new();
    for item in &*items {
        *left = left.checked_sub(1).ok_or(Faulted)?;
        clones.push(cloned_within(item, left)?);
    }
    Ok(Item::compound(Kind::Struct, clones))
}
