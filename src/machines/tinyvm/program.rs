//! Loads a program record into machines.

use num_bigint::BigInt;

use super::core::{TinyCore, TinyWords};
use super::driver::{BUDGET, TestDriver, ZeroLimit};
use super::opcodes::TINYVM;
use super::random::Random;
use super::state::{MachineMode, Phase, Single};
use crate::isa::OpInfo;
use crate::machines::change::unchangeable;
use crate::machines::machine::LoadError;
use crate::model::case::Program;
use crate::model::hex::hex_bytes;
use crate::model::name::Name;
use crate::model::path::Path;
use crate::model::value::Value;

/// The machines of a program.
pub(super) fn load(program: &Program) -> Result<MachineMode, LoadError> {
    let record = &program.0;
    if record.get("driver").is_none() {
        return single(record).map(|single| MachineMode::Single(Box::new(single)));
    }
    let features = features(record)?;
    let core = |name: &'static str| {
        let mut core = TinyCore::new();
        if let Some(part) = record.get(name) {
            let at = Path::field(name).child("instructions");
            fill(&mut core.instructions, part.get("instructions"), &at)?;
            core.random = random(part, &Path::field(name))?;
        }
        core.has_powers = features;
        Ok(core)
    };
    let mut driver = TestDriver::new(core("driver")?, core("testee")?);
    driver.budget = number(record, "budget", BUDGET)?;
    driver.zero_limit = match record.get("zeroLimit") {
        None => ZeroLimit::Fatal,
        Some(Value::Text(name)) if name == "fatal" => ZeroLimit::Fatal,
        Some(Value::Text(name)) if name == "timeout" => ZeroLimit::Timeout,
        Some(other) => return Err(wrong(Path::field("zeroLimit"), other, "\"fatal\" or \"timeout\"")),
    };
    Ok(MachineMode::Driver(Box::new(driver)))
}

fn single(record: &Value) -> Result<Single, LoadError> {
    let mut core = TinyCore::new();
    fill(&mut core.instructions, record.get("instructions"), &Path::field("instructions"))?;
    fill(&mut core.data, record.get("data"), &Path::field("data"))?;
    match record.get("registers") {
        None => {}
        Some(Value::List(words)) if words.len() <= 16 => {
            for (register, value) in core.registers.iter_mut().zip(words) {
                *register = word(value, &Path::field("registers"))?;
            }
        }
        Some(other) => return Err(wrong(Path::field("registers"), other, "at most 16 words")),
    }
    if let Some(pc) = record.get("pc") {
        core.pc = word(pc, &Path::field("pc"))?;
    }
    core.random = random(record, &Path::field("rnd"))?;
    core.has_powers = features(record)?;
    Ok(Single::new(core))
}

/// See [`crate::machines::MachineInfo::assemble`].
pub(super) fn assemble(program: &Program) -> Result<Program, LoadError> {
    assembled(&program.0, None).map(Program::from)
}

/// The program, or the part of it at this path, with segments replaced by words by address.
fn assembled(record: &Value, at: Option<&Path>) -> Result<Value, LoadError> {
    let member = |(name, value): &(Name, Value)| {
        let at = at.map_or_else(|| Path::field(name.clone()), |at| at.child(name.clone()));
        let value = match &**name {
            "instructions" | "data" => {
                let mut words = TinyCore::new().instructions;
                fill(&mut words, Some(value), &at)?;
                segment(&words)
            }
            "driver" | "testee" => assembled(value, Some(&at))?,
            _ => value.clone(),
        };
        Ok((name.clone(), value))
    };
    let members = record.members().unwrap_or_default().iter().map(member);
    Ok(Value::Record(members.collect::<Result<_, LoadError>>()?))
}

/// The words that are not zero, with adjacent ones joined.
fn segment(words: &TinyWords) -> Value {
    let runs = words.chunk_by(|one, other| (*one == 0) == (*other == 0));
    let mut address = 0;
    let mut parts = Vec::new();
    for run in runs {
        if run[0] != 0 {
            let bytes = run.iter().flat_map(|word| word.to_be_bytes()).collect();
            parts.push((format!("0x{address:04x}"), Value::Bytes(bytes)));
        }
        address += run.len();
    }
    Value::record(parts)
}

/// Changes a machine as given by the record of an [`crate::model::case::Action::Set`].
pub(super) fn change(core: &mut TinyCore, changes: &Value) -> Result<Phase, LoadError> {
    let mut phase = Phase::New;
    for (name, value) in changes.members().unwrap_or_default() {
        match (&**name, value) {
            ("registers", Value::Record(registers)) => {
                for (name, value) in registers {
                    *register(core, name)? = word(value, &Path::field("registers"))?;
                }
            }
            ("data", segment) => fill(&mut core.data, Some(segment), &Path::field("data"))?,
            ("pc", pc) => core.pc = word(pc, &Path::field("pc"))?,
            ("phase", Value::Text(name)) if name == "same" => phase = Phase::Same,
            _ => return Err(unchangeable(name, value)),
        }
    }
    Ok(phase)
}

fn register<'c>(core: &'c mut TinyCore, name: &str) -> Result<&'c mut u16, LoadError> {
    let number = name.strip_prefix('r').and_then(|number| number.parse::<usize>().ok());
    number
        .and_then(|number| core.registers.get_mut(number))
        .ok_or_else(|| LoadError::new(format!("there is no register {name:?}")))
}

/// See [`crate::machines::MachineInfo::contains`]; covers one machine, or the driver and its testee.
pub(super) fn contains(program: &Program) -> Vec<&'static OpInfo> {
    let parts = [Some(&*program.0), program.0.get("driver"), program.0.get("testee")];
    let segments = parts.into_iter().flatten().filter_map(|part| part.get("instructions"));
    segments.flat_map(written).filter_map(|word| TINYVM.by_code(word)).collect()
}

/// The words that a segment writes.
fn written(segment: &Value) -> Vec<u16> {
    let words = |bytes: &[u8]| -> Vec<u16> {
        bytes.chunks_exact(2).map(|word| u16::from_be_bytes([word[0], word[1]])).collect()
    };
    match segment {
        Value::Bytes(bytes) => words(bytes),
        Value::Text(source) => super::assembler::assemble(source).map_or_else(
            |_| Vec::new(),
            |assembled| {
                assembled.lines.keys().map(|address| assembled.words[usize::from(*address)]).collect()
            },
        ),
        Value::Record(parts) => parts.iter().flat_map(|(_, part)| written(part)).collect(),
        _ => Vec::new(),
    }
}

/// Writes a segment to a memory.
fn fill(words: &mut TinyWords, segment: Option<&Value>, at: &Path) -> Result<(), LoadError> {
    match segment {
        None => Ok(()),
        Some(Value::Bytes(bytes)) => put(words, 0, bytes, at),
        Some(Value::Text(source)) => put_source(words, "line ", source, at),
        Some(Value::Record(parts)) => parts.iter().try_for_each(|(address, part)| {
            if let Value::Text(source) = part {
                let file = address;
                return put_source(words, &format!("{file}:"), source, at);
            }
            let digits = address.strip_prefix("0x").and_then(hex_bytes);
            match (digits.as_deref(), part) {
                (Some([high, low]), Value::Bytes(bytes)) => {
                    put(words, u16::from_be_bytes([*high, *low]), bytes, at)
                }
                _ => Err(wrong(at.clone(), part, "bytes of words by address")),
            }
        }),
        Some(other) => Err(wrong(at.clone(), other, "a segment")),
    }
}

/// Writes words, most significant byte first, to a memory from an address on, wrapping around at its end.
fn put(words: &mut TinyWords, address: u16, bytes: &[u8], at: &Path) -> Result<(), LoadError> {
    if !bytes.len().is_multiple_of(2) || bytes.len() > 2 * words.len() {
        let what = format!("{} bytes are not a segment of at most 65536 words", bytes.len());
        return Err(LoadError::at(at.clone(), what));
    }
    for (index, word) in bytes.chunks_exact(2).enumerate() {
        words[usize::from(address.wrapping_add(index as u16))] = u16::from_be_bytes([word[0], word[1]]);
    }
    Ok(())
}

/// Writes the words of a source to a memory. `place` is the text before the line number in an error.
fn put_source(words: &mut TinyWords, place: &str, source: &str, at: &Path) -> Result<(), LoadError> {
    let assembled = super::assembler::assemble(source);
    let assembled =
        assembled.map_err(|errors| LoadError::at(at.clone(), format!("{place}{}", errors.first())))?;
    words.copy_from_slice(&assembled.words);
    Ok(())
}

fn random(record: &Value, at: &Path) -> Result<Random, LoadError> {
    match record.get("rnd") {
        None => Ok(Random::default()),
        Some(Value::Int(seed)) => {
            let seed = u64::try_from(seed);
            seed.map(Random::seeded).map_err(|_| LoadError::at(at.clone(), "a seed has at most 64 bits"))
        }
        Some(Value::List(numbers)) => {
            let numbers = numbers.iter().map(|number| word(number, at)).collect::<Result<_, _>>()?;
            Ok(Random::listed(numbers))
        }
        Some(other) => Err(wrong(at.clone(), other, "a seed or a list of words")),
    }
}

/// Whether exp and root are instructions.
fn features(record: &Value) -> Result<bool, LoadError> {
    let at = || Path::field("features");
    match record.get("features") {
        None => Ok(false),
        Some(Value::List(features)) => match features.iter().find(|it| **it != Value::text("expRoot")) {
            Some(unknown) => Err(wrong(at(), unknown, "\"expRoot\"")),
            None => Ok(!features.is_empty()),
        },
        Some(other) => Err(wrong(at(), other, "a list of features")),
    }
}

fn number(record: &Value, name: &'static str, default: u64) -> Result<u64, LoadError> {
    match record.get(name) {
        None => Ok(default),
        Some(Value::Int(number)) if *number >= BigInt::ZERO => Ok(u64::try_from(number).unwrap_or(u64::MAX)),
        Some(other) => Err(wrong(Path::field(name), other, "a number from 0")),
    }
}

fn word(value: &Value, at: &Path) -> Result<u16, LoadError> {
    match value {
        Value::Int(number) => u16::try_from(number).map_err(|_| wrong(at.clone(), value, "a word")),
        other => Err(wrong(at.clone(), other, "a word")),
    }
}

fn wrong(at: Path, value: &Value, expected: &str) -> LoadError {
    let what = format!("{at} is {value} and must be {expected}");
    LoadError::at(at, what)
}
