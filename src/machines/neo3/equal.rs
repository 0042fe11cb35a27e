//! EQUAL and NOTEQUAL.

use super::fault::{Neo3Fault, Neo3Flow, Neo3Stop};
use super::frame::{BYTES_OF_UNIT, Neo3Frame};
use super::heap::Neo3Heap;
use super::item::Neo3Item;

/// The maximum length of a ByteString that is compared, and of all bytes compared in a Struct.
const MAX_COMPARABLE: usize = 65536;

/// The charge for comparing items that are not both 64-bit numbers, in units.
const UNITS_OF_EQUAL: usize = 4;
/// The charge for comparing two items of Structs, in units.
const UNITS_OF_PAIR: usize = 2;

pub(super) fn equal(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    push_equal(frame, |equal| equal)
}

pub(super) fn notequal(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    push_equal(frame, |equal| !equal)
}

fn push_equal(frame: &mut Neo3Frame<'_>, result: fn(bool) -> bool) -> Neo3Flow {
    if let [.., Neo3Item::Integer(a), Neo3Item::Integer(b)] = &frame.core.stack[..] {
        let equal = a == b;
        frame.core.forget_small();
        frame.core.forget_small();
        frame.push(Neo3Item::Boolean(result(equal)));
        return Ok(());
    }
    frame.work(UNITS_OF_EQUAL)?;
    let (b, a) = (frame.pop()?, frame.pop()?);
    let equal = are_equal(frame, &a, &b)?;
    frame.push(Neo3Item::Boolean(result(equal)));
    Ok(())
}

/// Whether `a`, the deeper one, equals `b`.
fn are_equal(frame: &mut Neo3Frame<'_>, a: &Neo3Item, b: &Neo3Item) -> Result<bool, Neo3Stop> {
    if let (Neo3Item::Struct(_), Neo3Item::Struct(_)) = (a, b) {
        let pairs = frame.core.limits.stack_size;
        let mut structs = ComparedStructs::new(&frame.core.heap, pairs);
        let equal = structs.equal(a, b);
        let units = (pairs - structs.pairs) as usize * UNITS_OF_PAIR
            + (MAX_COMPARABLE - structs.bytes) / BYTES_OF_UNIT;
        frame.work(units)?;
        return Ok(equal?);
    }
    if let Neo3Item::ByteString(a) = a {
        frame.work(3 * a.len() / (2 * BYTES_OF_UNIT))?;
    }
    Ok(are_equal_leaves(a, b)?)
}

/// Whether two items that are not both Structs are equal. Compounds are compared by identity.
fn are_equal_leaves(a: &Neo3Item, b: &Neo3Item) -> Result<bool, Neo3Fault> {
    match (a, b) {
        (Neo3Item::ByteString(a), b) => {
            comparable(a)?;
            let Neo3Item::ByteString(b) = b else { return Ok(false) };
            comparable(b)?;
            Ok(a == b)
        }
        // Buffers are equal only if they are the same object; for all other items, `==` decides.
        (Neo3Item::Buffer(a), Neo3Item::Buffer(b)) => Ok(std::rc::Rc::ptr_eq(a, b)),
        (a, b) => Ok(a == b),
    }
}

fn comparable(bytes: &[u8]) -> Result<(), Neo3Fault> {
    if bytes.len() > MAX_COMPARABLE { Err(Neo3Fault::Comparable) } else { Ok(()) }
}

/// Two Structs being compared, and what remains to be compared.
struct ComparedStructs<'h> {
    heap: &'h Neo3Heap,
    /// The remaining items of both Structs, the last ones first.
    left: Vec<(&'h [Neo3Item], &'h [Neo3Item])>,
    /// How many pairs may still be compared; below, how many bytes.
    pairs: u64,
    bytes: usize,
}

impl<'h> ComparedStructs<'h> {
    /// At most `pairs` pairs may be compared.
    fn new(heap: &'h Neo3Heap, pairs: u64) -> ComparedStructs<'h> {
        ComparedStructs { heap, left: Vec::new(), pairs, bytes: MAX_COMPARABLE }
    }

    fn equal(&mut self, a: &Neo3Item, b: &Neo3Item) -> Result<bool, Neo3Fault> {
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

    fn pair(&mut self, a: &Neo3Item, b: &Neo3Item) -> Result<bool, Neo3Fault> {
        self.pairs = self.pairs.checked_sub(1).ok_or(Neo3Fault::Comparable)?;
        match (a, b) {
            (Neo3Item::ByteString(a), b) => self.byte_string(a, b),
            (Neo3Item::Struct(a), b) => {
                self.charge(1)?;
                let Neo3Item::Struct(b) = b else { return Ok(false) };
                Ok(a == b || self.children(self.heap.list(*a), self.heap.list(*b)))
            }
            _ => {
                self.charge(1)?;
                are_equal_leaves(a, b)
            }
        }
    }

    fn byte_string(&mut self, a: &[u8], b: &Neo3Item) -> Result<bool, Neo3Fault> {
        if self.bytes == 0 || a.len() > self.bytes {
            return Err(Neo3Fault::Comparable);
        }
        let Neo3Item::ByteString(b) = b else {
            self.charge(1)?;
            return Ok(false);
        };
        if b.len() > self.bytes {
            return Err(Neo3Fault::Comparable);
        }
        self.charge(a.len().max(b.len()).max(1))?;
        Ok(a == b.as_slice())
    }

    fn charge(&mut self, bytes: usize) -> Result<(), Neo3Fault> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or(Neo3Fault::Comparable)?;
        Ok(())
    }

    fn children(&mut self, a: &'h [Neo3Item], b: &'h [Neo3Item]) -> bool {
        self.left.push((a, b));
        a.len() == b.len()
    }
}
