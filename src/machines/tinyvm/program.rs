//! Loads a program record into machines.

use num_bigint::BigInt;

use super::core::{SpareMemories, TinyCore, TinyWords, zeros};
use super::driver::{BUDGET, TestDriver, ZeroLimit};
use super::mode::{MachineMode, SingleMachine};
use super::opcodes::TINYVM;
use super::random::Random;
use crate::isa::OpInfo;
use crate::isa::assembler::AsmError;
use crate::machines::record::{any, record};
use crate::machines::status::LoadError;
use crate::model::{MapKeys, Name, NumberNotation, Path, Program, Shape, Value, hex_bytes};

record! {
    /// A program record, for one machine or for a driver and its testee.
    TinyProgram;
    "instructions": SEGMENT, "words of instruction memory, by the address of the first one"
        => instructions: Option<&'v Value> = optional any;
    "data": SEGMENT, "words of data memory, by the address of the first one"
        => data: Option<&'v Value> = optional any;
    "registers": Shape::Plain, "the first registers, at most 16"
        => registers: Option<[u16; 16]> = optional registers;
    "pc": NUMBER, "the program counter" => pc: Option<u16> = optional word;
    "rnd": Shape::Plain, "the seed of the random numbers, or a list of them"
        => rnd: Option<Random> = optional random;
    "features": Shape::Plain, "a list; with \"expRoot\", exp and root are instructions"
        => has_powers: Option<bool> = optional features;
    "driver": CORE, "the machine that tests" => driver: Option<&'v Value> = optional any;
    "testee": CORE, "the machine under test" => testee: Option<&'v Value> = optional any;
    "budget": NUMBER, "instructions of driver and testee together" => budget: Option<u64> = optional number;
    "zeroLimit": Shape::Text, "what a run of 0 instructions is: fatal or timeout"
        => zero_limit: Option<ZeroLimit> = optional zero_limit;
}

record! {
    /// A machine of two.
    TinyPart;
    "instructions": SEGMENT, "words of instruction memory, by the address of the first one"
        => instructions: Option<&'v Value> = optional any;
    "rnd": Shape::Plain, "the seed of the random numbers, or a list of them"
        => rnd: Option<&'v Value> = optional any;
}

/// Words by the address of the first one.
pub(super) const SEGMENT: Shape = Shape::Map(MapKeys::Text, &Shape::Bytes);

pub(super) const NUMBER: Shape = Shape::Int(NumberNotation::Number);

const CORE: Shape = Shape::Record(TinyPart::MEMBERS);

/// The machines of a program.
pub(super) fn load(program: &Program, spare: &mut SpareMemories) -> Result<MachineMode, LoadError> {
    let record = TinyProgram(&program.0);
    let Some(driver) = record.driver()? else {
        return single(record, spare).map(|single| MachineMode::Single(Box::new(single)));
    };
    let has_powers = record.has_powers()?.unwrap_or_default();
    let mut core = |name: &'static str, part: Option<&Value>| {
        let mut core = TinyCore::new(spare);
        if let Some(part) = part.map(TinyPart) {
            let at = Path::field(name);
            fill(&mut core.instructions, part.instructions()?, &at.child("instructions"))?;
            core.random = part.rnd()?.map(|value| random_at(&at, value)).transpose()?.unwrap_or_default();
        }
        core.has_powers = has_powers;
        Ok(core)
    };
    let mut driver = TestDriver::new(core("driver", Some(driver))?, core("testee", record.testee()?)?);
    driver.budget = record.budget()?.unwrap_or(BUDGET);
    driver.zero_limit = record.zero_limit()?.unwrap_or(ZeroLimit::Fatal);
    Ok(MachineMode::Driver(Box::new(driver)))
}

fn single(record: TinyProgram<'_>, spare: &mut SpareMemories) -> Result<SingleMachine, LoadError> {
    let mut core = TinyCore::new(spare);
    fill(&mut core.instructions, record.instructions()?, &Path::field("instructions"))?;
    let data = record.data()?;
    fill(&mut core.data, data, &Path::field("data"))?;
    core.registers = record.registers()?.unwrap_or_default();
    core.pc = record.pc()?.unwrap_or_default();
    core.random = record.rnd()?.unwrap_or_default();
    core.has_powers = record.has_powers()?.unwrap_or_default();
    let mut single = SingleMachine::without_data(core);
    if data.is_some() {
        single.begin();
    }
    Ok(single)
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
                let mut words = zeros();
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
pub(super) fn fill(words: &mut TinyWords, segment: Option<&Value>, at: &Path) -> Result<(), LoadError> {
    match segment {
        None => Ok(()),
        Some(Value::Bytes(bytes)) => put(words, 0, bytes, at),
        // The lines are items of an array.
        Some(Value::Text(source)) => put_source(words, source, |error| {
            LoadError::at(at.child(error.line - 1), format!("line {error}")).in_column(error.column)
        }),
        Some(Value::Record(parts)) => parts.iter().try_for_each(|(address, part)| {
            if let Value::Text(source) = part {
                let file = address;
                return put_source(words, source, |error| {
                    LoadError::at(at.clone(), format!("{file}:{error}"))
                });
            }
            let digits = address.strip_prefix("0x").and_then(hex_bytes);
            match (digits.as_deref(), part) {
                (Some([high, low]), Value::Bytes(bytes)) => {
                    put(words, u16::from_be_bytes([*high, *low]), bytes, at)
                }
                _ => Err(wrong(at, part, "bytes of words by address")),
            }
        }),
        Some(other) => Err(wrong(at, other, "a segment")),
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

/// Writes the words of a source to a memory; `about` makes the error of a wrong line.
fn put_source(
    words: &mut TinyWords,
    source: &str,
    about: impl Fn(&AsmError) -> LoadError,
) -> Result<(), LoadError> {
    match super::assembler::assemble(source) {
        Ok(assembled) => words.copy_from_slice(&assembled.words),
        Err(errors) => {
            return LoadError::of_all(errors.all().iter().map(about)).map_or(Ok(()), Err);
        }
    }
    Ok(())
}

fn registers(name: &'static str, value: &Value) -> Result<[u16; 16], LoadError> {
    let mut registers = [0; 16];
    match value {
        Value::List(words) if words.len() <= registers.len() => {
            for (register, value) in registers.iter_mut().zip(words) {
                *register = word(name, value)?;
            }
            Ok(registers)
        }
        other => Err(wrong(&Path::field(name), other, "at most 16 words")),
    }
}

fn random(name: &'static str, value: &Value) -> Result<Random, LoadError> {
    random_at(&Path::field(name), value)
}

fn random_at(at: &Path, value: &Value) -> Result<Random, LoadError> {
    match value {
        Value::Int(seed) => {
            let seed = u64::try_from(seed);
            seed.map(Random::seeded).map_err(|_| LoadError::at(at.clone(), "a seed has at most 64 bits"))
        }
        Value::List(numbers) => {
            numbers.iter().map(|number| word_at(at, number)).collect::<Result<_, _>>().map(Random::listed)
        }
        other => Err(wrong(at, other, "a seed or a list of words")),
    }
}

/// Whether exp and root are instructions.
fn features(name: &'static str, value: &Value) -> Result<bool, LoadError> {
    let (at, exp_root) = (Path::field(name), Value::text("expRoot"));
    match value {
        Value::List(features) => match features.iter().find(|it| **it != exp_root) {
            Some(unknown) => Err(wrong(&at, unknown, "\"expRoot\"")),
            None => Ok(!features.is_empty()),
        },
        other => Err(wrong(&at, other, "a list of features")),
    }
}

fn number(name: &'static str, value: &Value) -> Result<u64, LoadError> {
    match value {
        Value::Int(number) if *number >= BigInt::ZERO => Ok(u64::try_from(number).unwrap_or(u64::MAX)),
        other => Err(wrong(&Path::field(name), other, "a number from 0")),
    }
}

fn zero_limit(name: &'static str, value: &Value) -> Result<ZeroLimit, LoadError> {
    match value {
        Value::Text(name) if name == "fatal" => Ok(ZeroLimit::Fatal),
        Value::Text(name) if name == "timeout" => Ok(ZeroLimit::Timeout),
        other => Err(wrong(&Path::field(name), other, "\"fatal\" or \"timeout\"")),
    }
}

/// The value of a member as a word.
pub(super) fn word(name: &'static str, value: &Value) -> Result<u16, LoadError> {
    word_at(&Path::field(name), value)
}

fn word_at(at: &Path, value: &Value) -> Result<u16, LoadError> {
    match value {
        Value::Int(number) => u16::try_from(number).map_err(|_| wrong(at, value, "a word")),
        other => Err(wrong(at, other, "a word")),
    }
}

fn wrong(at: &Path, value: &Value, expected: &str) -> LoadError {
    LoadError::at(at.clone(), format!("{at} is {value} and must be {expected}"))
}
