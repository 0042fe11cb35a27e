//! Removes instructions from programs and mends the jumps over them.
//!
//! A program is found by its form: bytes or words (TinyVM) as hex digits, a list of mnemonics and hex digits (NeoVM),
//! or a list of objects with an `op` (MiniC89). A text that stands several times in a file, such as the code of an
//! account that is executed, changes everywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use num_bigint::BigInt;
use serde_json::Value as Json;

use super::minimizer::Minimizer;
use super::nodes::{document, nodes};
use crate::isa::disassembler::{ListingLine, disassemble};
use crate::isa::{ImmediateOperand, Isa, Unit};
use crate::model::{bytes_key, hex_bytes};
use crate::text::edit::{TextChange, apply};
use crate::text::json::{JsonDatum, JsonNode};

/// How many instructions are removed at once from a long program, at least.
const LONG_CHUNK: usize = 128;

/// Removes instructions of each program, many at once first, then makes operands simpler.
pub(super) fn shorten(minimizer: &mut Minimizer<'_>) {
    for_each(minimizer, 1, |minimizer, isa, at| {
        remove_chunks_down_to(minimizer, isa, at, 1);
        simplify_operands(minimizer, isa, at);
    });
}

/// Removes many instructions at once from long programs: what is demanded of one is long as well, and becomes short
/// with it.
pub(super) fn shorten_long(minimizer: &mut Minimizer<'_>) {
    for_each(minimizer, LONG_CHUNK, |minimizer, isa, at| {
        remove_chunks_down_to(minimizer, isa, at, LONG_CHUNK);
    });
}

/// Calls `change` with the index of each program of at least `least` instructions. Every text of hex digits is a
/// program, so programs are listed anew only after something was tried.
fn for_each(
    minimizer: &mut Minimizer<'_>,
    least: usize,
    change: impl Fn(&mut Minimizer<'_>, &'static Isa, usize),
) {
    let Some(isa) = minimizer.machine.map(|machine| machine.isa) else { return };
    let mut next = 0;
    while !minimizer.is_stopped() {
        let programs = programs(minimizer, isa);
        let is_long = |at: &usize| programs[*at].instructions() >= least;
        let Some(at) = (next..programs.len()).find(is_long) else { return };
        change(minimizer, isa, at);
        next = at + 1;
    }
}

/// Removes half as many instructions at once each time, down to this number.
fn remove_chunks_down_to(minimizer: &mut Minimizer<'_>, isa: &'static Isa, at: usize, least: usize) {
    let mut chunk = programs(minimizer, isa).get(at).map_or(0, ProgramText::instructions);
    while chunk >= least {
        remove_chunks(minimizer, isa, at, chunk);
        chunk /= 2;
    }
}

fn remove_chunks(minimizer: &mut Minimizer<'_>, isa: &'static Isa, at: usize, chunk: usize) {
    let count =
        |minimizer: &Minimizer<'_>| programs(minimizer, isa).get(at).map_or(0, ProgramText::instructions);
    let mut end = count(minimizer);
    while end > 0 && minimizer.cut.is_none() {
        let start = end.saturating_sub(chunk);
        let _ = without(minimizer, isa, at, start..end).into_iter().any(|text| minimizer.attempt(text));
        end = start.min(count(minimizer));
    }
}

/// The texts in which a program has some instructions less: with and without mended jumps, if that makes a difference.
fn without(minimizer: &Minimizer<'_>, isa: &'static Isa, at: usize, removed: Range<usize>) -> Vec<String> {
    let programs = programs(minimizer, isa);
    let Some(program) = programs.get(at) else { return Vec::new() };
    let change = |index: usize| removed.contains(&index).then(Vec::new);
    let text = |jumps| program.text(isa, &change, jumps);
    let mut texts: Vec<_> = [JumpMending::Mended, JumpMending::Kept].into_iter().filter_map(text).collect();
    texts.dedup();
    texts
}

fn simplify_operands(minimizer: &mut Minimizer<'_>, isa: &'static Isa, at: usize) {
    let mut next = 0;
    while !minimizer.is_stopped() {
        let programs = programs(minimizer, isa);
        let Some(ProgramText { code: ProgramCode::Bytes(bytes), .. }) = programs.get(at) else { return };
        let simpler = |(index, line): (usize, ListingLine<'_>)| {
            let simpler = simpler(isa, &line);
            (!simpler.is_empty()).then_some((index, simpler))
        };
        let found = disassemble(isa, bytes).enumerate().skip(next).find_map(simpler);
        let Some((index, simpler)) = found else { return };
        let change = |new: Vec<u8>| {
            programs[at].text(isa, &|it| (it == index).then(|| new.clone()), JumpMending::Mended)
        };
        let texts: Vec<_> = simpler.into_iter().filter_map(change).collect();
        let _ = texts.into_iter().any(|text| minimizer.attempt(text));
        next = index + 1;
    }
}

/// The instruction with a simpler operand, the simplest first.
fn simpler(isa: &Isa, line: &ListingLine<'_>) -> Vec<Vec<u8>> {
    let Some(op) = line.op else { return Vec::new() };
    match *op.operands {
        [ImmediateOperand::Data(size) | ImmediateOperand::Word(size)] => {
            let data = &line.bytes[1..];
            let significant = &data[data.iter().take_while(|byte| **byte == 0).count()..];
            // PUSH1 to PUSH32 push data of their sizes.
            let stem = op.name.trim_end_matches(|digit: char| digit.is_ascii_digit());
            let push = |data: &[u8]| {
                let op = isa.by_name(&format!("{stem}{}", data.len()))?;
                let size = data.len() as u8;
                (op.operands == [ImmediateOperand::Data(size)]
                    || op.operands == [ImmediateOperand::Word(size)])
                .then(|| [&[op.code as u8], data].concat())
            };
            let half = &significant[..significant.len() / 2];
            let shorter: [&[u8]; 4] = [&[0], &[1], half, significant];
            let is_shorter = |it: &&&[u8]| !it.is_empty() && (it.len() < size.into() || **it < data);
            shorter.iter().filter(is_shorter).filter_map(|data| push(data)).collect()
        }
        [ImmediateOperand::Prefixed(size)] => {
            let data = &line.bytes[1 + usize::from(size)..];
            let lengths = [0, 1, data.len() / 4, data.len() / 2, data.len().saturating_sub(1)];
            let shortened = |length: &usize| {
                let prefix = &length.to_le_bytes()[..size.into()];
                [&line.bytes[..1], prefix, &data[..*length]].concat()
            };
            lengths.iter().filter(|length| **length < data.len()).map(shortened).collect()
        }
        _ => Vec::new(),
    }
}

/// What happens to the targets of jumps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JumpMending {
    /// They follow the instruction that they named.
    Mended,
    /// They stay as they are.
    Kept,
}

/// A program and the places where it stands.
struct ProgramText<'d> {
    nodes: Vec<JsonNode<'d>>,
    code: ProgramCode<'d>,
    instructions: usize,
}

enum ProgramCode<'d> {
    Bytes(Vec<u8>),
    /// The hex digits of words.
    Words(Vec<String>),
    Objects(Vec<CodeObject<'d>>),
}

/// An instruction as an object.
struct CodeObject<'d> {
    /// The position of the target among the instructions, if it jumps.
    target: Option<JsonNode<'d>>,
}

impl<'d> ProgramText<'d> {
    fn of(isa: &Isa, node: JsonNode<'d>) -> Option<ProgramText<'d>> {
        let code = match (isa.unit, node.datum()) {
            (Unit::Bytes, JsonDatum::Text(text)) => ProgramCode::Bytes(bytes_of(&text)?),
            (Unit::Bytes, JsonDatum::Array) => ProgramCode::Bytes(
                node.items().map(|item| entry(isa, item)).collect::<Option<Vec<_>>>()?.concat(),
            ),
            (Unit::Words, JsonDatum::Text(text)) => ProgramCode::Words(words_of(&text)?),
            (_, JsonDatum::Array) => {
                ProgramCode::Objects(node.items().map(|item| object(isa, item)).collect::<Option<_>>()?)
            }
            _ => return None,
        };
        let instructions = match &code {
            ProgramCode::Bytes(bytes) => disassemble(isa, bytes).count(),
            ProgramCode::Words(words) => words.len(),
            ProgramCode::Objects(objects) => objects.len(),
        };
        (instructions > 0).then(|| ProgramText { nodes: vec![node], code, instructions })
    }

    fn instructions(&self) -> usize {
        self.instructions
    }

    /// The text of the file in which `change` replaces instructions, by their indices: with nothing to remove them,
    /// `None` to keep them. `None` if the program has no such form.
    fn text(
        &self,
        isa: &Isa,
        change: &dyn Fn(usize) -> Option<Vec<u8>>,
        jumps: JumpMending,
    ) -> Option<String> {
        let document = self.nodes.first()?.document();
        let changes: Vec<_> = match &self.code {
            ProgramCode::Bytes(bytes) => {
                let bytes = rebuilt(isa, bytes, change, jumps);
                self.nodes.iter().map(|node| written(isa, *node, &bytes)).collect()
            }
            ProgramCode::Words(words) => {
                let changed = words.iter().enumerate().map(|(index, word)| match change(index) {
                    Some(bytes) => hex::encode(bytes),
                    None => word.clone(),
                });
                let words: Vec<_> = changed.filter(|word| !word.is_empty()).collect();
                let replaced =
                    |node: &JsonNode<'d>| TextChange::Replace { node: *node, value: words.join(" ").into() };
                self.nodes.iter().map(replaced).collect()
            }
            ProgramCode::Objects(objects) => {
                self.nodes.iter().flat_map(|node| removed(*node, objects, change, jumps)).collect()
            }
        };
        Some(apply(document, &changes))
    }
}

/// The programs of the smallest text so far, each once. What is only demanded is none.
fn programs<'m>(minimizer: &'m Minimizer<'_>, isa: &Isa) -> Vec<ProgramText<'m>> {
    let inputs: BTreeSet<u32> = minimizer.inputs.iter().copied().collect();
    let mut programs: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found: Vec<ProgramText<'m>> = Vec::new();
    for node in document(&minimizer.file).into_iter().flat_map(nodes) {
        if let Some(index) = programs.get(node.raw()) {
            found[*index].nodes.push(node);
        } else if let Some(program) = ProgramText::of(isa, node) {
            programs.insert(node.raw(), found.len());
            found.push(program);
        }
    }
    found.retain(|program| program.nodes.iter().any(|node| inputs.contains(&node.index())));
    found
}

/// Whether this is a list of instructions, from which [`shorten`] removes whole ones.
pub(super) fn is_program(isa: &Isa, node: JsonNode<'_>) -> bool {
    node.is_array() && ProgramText::of(isa, node).is_some()
}

/// Words of four hex digits, with white space anywhere; `None` for a single one, which is no program to shorten.
fn words_of(text: &str) -> Option<Vec<String>> {
    let digits: String = text.chars().filter(|it| !it.is_ascii_whitespace()).collect();
    let words: Vec<_> = hex_bytes(&digits)?.chunks(2).map(hex::encode).collect();
    (words.len() > 1 && words.iter().all(|word| word.len() == 4)).then_some(words)
}

/// The bytes of hex digits; `None` for a number of one byte, which is no program to shorten.
fn bytes_of(text: &str) -> Option<Vec<u8>> {
    hex_bytes(text.strip_prefix("0x")?).filter(|bytes| bytes.len() > 1)
}

/// The bytes of an entry of a list: a mnemonic or hex digits.
fn entry(isa: &Isa, item: JsonNode<'_>) -> Option<Vec<u8>> {
    let text = item.text()?;
    match text.strip_prefix("0x") {
        Some(digits) => hex_bytes(digits),
        None => Some(vec![isa.by_name(&text)?.code as u8]),
    }
}

fn object<'d>(isa: &Isa, item: JsonNode<'d>) -> Option<CodeObject<'d>> {
    let op = isa.by_name(&item.member("op")?.text()?)?;
    let target = op.arguments.iter().position(|argument| *argument == "target");
    Some(CodeObject { target: target.and_then(|index| item.member("args")?.items().nth(index)) })
}

/// A program of bytes with some instructions replaced.
fn rebuilt(
    isa: &Isa,
    bytes: &[u8],
    change: &dyn Fn(usize) -> Option<Vec<u8>>,
    jumps: JumpMending,
) -> Vec<u8> {
    let lines: Vec<_> = disassemble(isa, bytes).collect();
    let mut pieces: Vec<Vec<u8>> = Vec::with_capacity(lines.len());
    let mut moved = BTreeMap::new();
    let mut offset = 0;
    for (index, line) in lines.iter().enumerate() {
        let piece = change(index).unwrap_or_else(|| line.bytes.to_vec());
        moved.insert(line.offset, offset);
        offset += piece.len();
        pieces.push(piece);
    }
    moved.insert(bytes.len(), offset);
    if jumps == JumpMending::Mended {
        let destinations: Vec<_> = lines
            .iter()
            .filter(|line| line.op.is_some_and(|op| op.name == "JUMPDEST"))
            .map(|it| it.offset)
            .collect();
        for (line, piece) in lines.iter().zip(&mut pieces).filter(|(line, piece)| **piece == line.bytes) {
            mend(line, piece, &moved, &destinations);
        }
    }
    pieces.concat()
}

/// Changes the operand of an instruction that names a position in the program: a distance, or data that are the offset
/// of a destination of jumps.
fn mend(line: &ListingLine<'_>, piece: &mut [u8], moved: &BTreeMap<usize, usize>, destinations: &[usize]) {
    let Some(op) = line.op else { return };
    let mut at = 1;
    for operand in op.operands {
        let Some((bytes, _)) = operand.split(&line.bytes[at..]) else { return };
        let new = match operand {
            ImmediateOperand::Offset(_) | ImmediateOperand::LaterOffset(_) => {
                distance(line.offset, *operand, bytes, moved)
            }
            ImmediateOperand::Word(size) => destination(bytes, moved, destinations, usize::from(*size)),
            ImmediateOperand::Data(_)
            | ImmediateOperand::Unsigned(_)
            | ImmediateOperand::Signed(_)
            | ImmediateOperand::Prefixed(_) => None,
        };
        if let Some(new) = new {
            piece[at..at + new.len()].copy_from_slice(&new);
        }
        at += bytes.len();
    }
}

fn distance(
    offset: usize,
    operand: ImmediateOperand,
    bytes: &[u8],
    moved: &BTreeMap<usize, usize>,
) -> Option<Vec<u8>> {
    let (from, size) = (operand.counted_from()?, operand.fixed_len());
    let target = BigInt::from(offset + from) + BigInt::from_signed_bytes_le(bytes);
    let target = moved.get(&usize::try_from(target).ok()?)?;
    let distance = BigInt::from(*target) - BigInt::from(*moved.get(&offset)? + from);
    let fill = if distance < BigInt::ZERO { 0xff } else { 0 };
    let mut bytes = distance.to_signed_bytes_le();
    (bytes.len() <= size).then(|| {
        bytes.resize(size, fill);
        bytes
    })
}

fn destination(
    bytes: &[u8],
    moved: &BTreeMap<usize, usize>,
    destinations: &[usize],
    size: usize,
) -> Option<Vec<u8>> {
    let number = BigInt::from_bytes_be(num_bigint::Sign::Plus, bytes);
    let target = usize::try_from(number).ok().filter(|target| destinations.contains(target))?;
    let bytes = moved.get(&target)?.to_be_bytes();
    let (high, low) = bytes.split_at(bytes.len().saturating_sub(size));
    let padding = vec![0; size.saturating_sub(low.len())];
    high.iter().all(|byte| *byte == 0).then(|| [&padding, low].concat())
}

/// Writes a program of bytes in the notation of a node.
fn written<'d>(isa: &Isa, node: JsonNode<'d>, bytes: &[u8]) -> TextChange<'d> {
    let value = if node.is_array() { listed(isa, bytes) } else { bytes_key(bytes).into() };
    TextChange::Replace { node, value }
}

/// A program of bytes as a list of mnemonics and hex digits.
pub(in crate::hunt) fn listed(isa: &Isa, bytes: &[u8]) -> Json {
    disassemble(isa, bytes).flat_map(|line| entries(&line)).collect::<Vec<_>>().into()
}

/// An instruction as entries of a list: its mnemonic and its operands.
fn entries(line: &ListingLine<'_>) -> Vec<String> {
    let Some(op) = line.op else { return vec![bytes_key(line.bytes)] };
    let mut entries = vec![op.name.to_owned()];
    let mut rest = &line.bytes[1..];
    for operand in op.operands {
        let Some((bytes, further)) = operand.split(rest) else { break };
        rest = further;
        match operand {
            ImmediateOperand::Prefixed(size) => {
                let (prefix, data) = bytes.split_at((*size).into());
                entries.push(bytes_key(prefix));
                entries.extend((!data.is_empty()).then(|| bytes_key(data)));
            }
            _ => entries.push(bytes_key(bytes)),
        }
    }
    entries
}

/// The changes that remove instructions from a list of objects.
fn removed<'d>(
    node: JsonNode<'d>,
    objects: &[CodeObject<'d>],
    change: &dyn Fn(usize) -> Option<Vec<u8>>,
    jumps: JumpMending,
) -> Vec<TextChange<'d>> {
    let gone: Vec<bool> = (0..objects.len()).map(|index| change(index).is_some()).collect();
    let before = |target: usize| gone.iter().take(target).filter(|gone| **gone).count();
    let mut changes = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        if gone[index] {
            changes.push(TextChange::Remove { from: node, index });
        } else if let (Some(node), JumpMending::Mended) = (object.target, jumps)
            && let Ok(target) = node.raw().parse::<usize>()
        {
            changes.push(TextChange::Digits { node, digits: (target - before(target)).to_string() });
        }
    }
    changes
}
