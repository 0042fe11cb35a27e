//! EQUAL and NOTEQUAL.

use super::fault::{Fault, Flow, Stop};
use super::frame::{BYTES_OF_UNIT, Frame};
use super::heap::Heap;
use super::item::Item;

/// The maximum length of a ByteString that is compared, and of all bytes compared in a Struct.
const MAX_COMPARABLE: usize = 65536;

/// The charge for comparing items that are not both 64-bit numbers, in units.
const UNITS_OF_EQUAL: usize = 4;
/// The charge for comparing two items of Structs, in units.
const UNITS_OF_PAIR: usize = 2;

/// EQUAL
pub(super) fn equal(frame: &mut Frame<'_>) -> Flow {
    push_equal(frame, |equal| equal)
}

/// NOTEQUAL
pub(super) fn notequal(frame: &mut Frame<'_>) -> Flow {
    push_equal(frame, |equal| !equal)
}

fn push_equal(frame: &mut Frame<'_>, result: fn(bool) -> bool) -> Flow {
    if let [.., Item::Integer(a), Item::Integer(b)] = &frame.core.stack[..] {
        let equal = a == b;
        frame.core.forget_small();
        frame.core.forget_small();
        frame.push(Item::Boolean(result(equal)));
        return Ok(());
    }
    frame.work(UNITS_OF_EQUAL)?;
    let (b, a) = (frame.pop()?, frame.pop()?);
    let equal = are_equal(frame, &a, &b)?;
    frame.push(Item::Boolean(result(equal)));
    Ok(())
}

/// Whether `a`, the deeper one, equals `b`.
fn are_equal(frame: &mut Frame<'_>, a: &Item, b: &Item) -> Result<bool, Stop> {
    if let (Item::Struct(_), Item::Struct(_)) = (a, b) {
        let pairs = frame.core.limits.stack_size;
        let mut structs = Structs::new(&frame.core.heap, pairs);
        let equal = structs.equal(a, b);
        let units = (pairs - structs.pairs) as usize * UNITS_OF_PAIR
            + (MAX_COMPARABLE - structs.bytes) / BYTES_OF_UNIT;
        frame.work(units)?;
        return Ok(equal?);
    }
    if let Item::ByteString(a) = a {
        frame.work(3 * a.len() / (2 * BYTES_OF_UNIT))?;
    }
    Ok(are_equal_leaves(a, b)?)
}

/// Whether two items that are not both Structs are equal. Compounds are compared by identity.
fn are_equal_leaves(a: &Item, b: &Item) -> Result<bool, Fault> {
    match (a, b) {
        (Item::ByteString(a), b) => {
            comparable(a)?;
            let Item::ByteString(b) = b else { return Ok(false) };
            comparable(b)?;
            Ok(a == b)
        }
        // Buffers are equal only if they are the same object; for all other items, `==` decides.
        (Item::Buffer(a), Item::Buffer(b)) => Ok(std::rc::Rc::ptr_eq(a, b)),
        (a, b) => Ok(a == b),
    }
}

fn comparable(bytes: &[u8]) -> Result<(), Fault> {
    if bytes.len() > MAX_COMPARABLE { Err(Fault::Comparable) } else { Ok(()) }
}

/// Two Structs being compared, and what remains to be compared.
struct Structs<'h> {
    heap: &'h Heap,
    /// The remaining items of both Structs, the last ones first.
    left: Vec<(&'h [Item], &'h [Item])>,
    /// How many pairs may still be compared; below, how many bytes.
    pairs: u64,
    bytes: usize,
}

impl<'h> Structs<'h> {
    /// At most `pairs` pairs may be compared.
    fn new(heap: &'h Heap, pairs: u64) -> Structs<'h> {
        Structs { heap, left: Vec::new(), pairs, bytes: MAX_COMPARABLE }
    }

    fn equal(&mut self, a: &Item, b: &Item) -> Result<bool, Fault> {
        if !self.pair(a, b)? {
            return Ok(false);
        }
        while let Some((a, b)) = self.left.pop() {
            let ([more_a @ .., a], [more_b @ .., b]) = (a, b) else { continue };
            self.left.push((more_a, more_b));
            if !self.pair(a, b)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn pair(&mut self, a: &Item, b: &Item) -> Result<bool, Fault> {
        self.pairs = self.pairs.checked_sub(1).ok_or(Fault::Comparable)?;
        match (a, b) {
            (Item::ByteString(a), b) => self.byte_string(a, b),
            (Item::Struct(a), b) => {
                self.charge(1)?;
                let Item::Struct(b) = b else { return Ok(false) };
                Ok(a == b || self.children(self.heap.list(*a), self.heap.list(*b)))
            }
            _ => {
                self.charge(1)?;
                are_equal_leaves(a, b)
            }
        }
    }

    fn byte_string(&mut self, a: &[u8], b: &Item) -> Result<bool, Fault> {
        if self.bytes == 0 || a.len() > self.bytes {
            return Err(Fault::Comparable);
        }
        let Item::ByteString(b) = b else {
            self.charge(1)?;
            return Ok(false);
        };
        if b.len() > self.bytes {
            return Err(Fault::Comparable);
        }
        self.charge(a.len().max(b.len()).max(1))?;
        Ok(a == b.as_slice())
    }

    fn charge(&mut self, bytes: usize) -> Result<(), Fault> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or(Fault::Comparable)?;
        Ok(())
    }

    fn children(&mut self, a: &'h [Item], b: &'h [Item]) -> bool {
        self.left.push((a, b));
        a.len() == b.len()
    }
}
