//! Watches a run for the requests `digests` and `trace`.

use sha2::{Digest, Sha256};

use crate::machines::machine::{At, Watch};
use crate::model::{Shape, Value, bytes_key};
use crate::wire::plain;
use crate::wire::protocol::{MAX_TOP, TracedInstruction};

/// Hashes instructions.
pub(super) struct Hasher {
    /// The numbers of instructions after which the hash is requested, in ascending order.
    after: Vec<u64>,
    seen: u64,
    hash: Sha256,
    digests: Vec<String>,
}

impl Hasher {
    pub(super) fn new(after: Vec<u64>) -> Hasher {
        Hasher { after, seen: 0, hash: Sha256::new(), digests: Vec::new() }
    }

    /// The hashes, and the number of instructions.
    pub(super) fn finish(mut self) -> (Vec<String>, u64) {
        self.digest();
        (self.digests, self.seen)
    }

    /// Adds the hashes of the instructions so far.
    fn digest(&mut self) {
        while self.after.get(self.digests.len()) == Some(&self.seen) {
            self.digests.push(hex::encode(self.hash.clone().finalize()));
        }
    }
}

impl Watch for Hasher {
    fn before(&mut self, at: &At<'_>) {
        self.digest();
        if !self.is_done() {
            self.hash.update(instruction(at).hashed());
            self.seen += 1;
        }
    }

    fn is_done(&self) -> bool {
        self.digests.len() == self.after.len()
    }
}

/// Keeps a range of instructions.
pub(super) struct StepRange {
    skip: u64,
    count: u64,
    is_done: bool,
    pub(super) instructions: Vec<TracedInstruction>,
}

impl StepRange {
    pub(super) fn new(skip: u64, count: u64) -> StepRange {
        StepRange { skip, count, is_done: false, instructions: Vec::new() }
    }
}

impl Watch for StepRange {
    fn before(&mut self, at: &At<'_>) {
        if self.instructions.len() as u64 == self.count {
            self.is_done = true;
        } else {
            self.instructions.push(instruction(at));
        }
    }

    fn passes_over(&self) -> u64 {
        self.skip
    }

    fn passed_over(&mut self, count: u64) {
        self.skip -= count;
    }

    fn is_done(&self) -> bool {
        self.is_done
    }
}

/// An instruction as the answer to `trace` has it.
pub(crate) fn instruction(at: &At<'_>) -> TracedInstruction {
    let height = at.state.height();
    let top = (0..height.min(MAX_TOP)).filter_map(|below| at.state.item(below));
    TracedInstruction {
        pc: at.pc as u64,
        code: at.code.into(),
        gas: at.state.gas().map(|gas| gas.left),
        height: height as u64,
        top: top.map(|item| text(&item)).collect(),
    }
}

/// A stack item as a short text without spaces.
fn text(item: &Value) -> String {
    match item {
        Value::Int(number) => number.to_string(),
        Value::Bytes(bytes) => bytes_key(bytes),
        Value::Bool(bool) => bool.to_string(),
        Value::Typed(_, inner) if matches!(**inner, Value::Int(_) | Value::Bytes(_) | Value::Bool(_)) => {
            text(inner)
        }
        Value::Typed(name, _) => name.to_string(),
        other => plain::write(other, &Shape::Plain).to_string(),
    }
}
