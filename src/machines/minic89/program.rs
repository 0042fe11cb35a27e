//! Converts a metadata document to code.

use std::sync::Arc;

use num_bigint::BigInt;

use super::opcodes::MiniOp;
use super::source::{LocalName, SourceMap, text};
use crate::isa::OpInfo;
use crate::machines::record::{any, record};
use crate::machines::status::LoadError;
use crate::model::{Path, Program, Shape, Value};

/// The maximum for function ids, instructions of a function, and slots (16 bits in the C core).
const WIDEST: usize = 0xffff;

/// The maximum number of steps of a run if not even the program states one.
const STEP_LIMIT: u64 = 100_000;

record! {
    /// A program, which is a metadata document; the schema `minic89-metadata` describes it.
    MiniProgram;
    "schema_version": Shape::Plain, "the version of the document";
    "functions": Shape::Plain, "the functions" => functions: Option<&'v Value> = optional any;
    "limits": Shape::Plain, "limits of the machine" => limits: Option<&'v Value> = optional any;
}

record! {
    /// What begins a run.
    RunStart;
    "entry": Shape::Plain, "begins a run: the fid of the function that is called"
        => entry: Option<&'v Value> = optional any;
    "args": Shape::Plain, "with entry: its arguments" => args: Option<&'v [Value]> = optional arguments;
    "limits": Shape::Plain, "with entry: limits of the run" => limits: Option<&'v Value> = optional any;
}

/// A program.
#[derive(Clone)]
pub(super) struct Code {
    pub(super) functions: Vec<Function>,
    /// The default limit on the steps of a run; `None` for no limit.
    pub(super) step_limit: Option<u64>,
    /// The index of each id among the functions, up to the largest id.
    places: Vec<Option<u32>>,
    /// The document that this was created from.
    pub(super) document: Arc<Value>,
}

/// See [`crate::machines::MachineInfo::contains`].
pub(super) fn contains(program: &Program) -> Vec<&'static OpInfo> {
    let Ok(code) = Code::new(&program.0) else { return Vec::new() };
    let instructions = code.functions.iter().flat_map(|function| &function.instructions);
    instructions.filter_map(|instruction| instruction.op.info()).collect()
}

#[derive(Clone)]
pub(super) struct Function {
    pub(super) fid: u16,
    pub(super) name: String,
    pub(super) param_count: usize,
    /// The number of slots, including those of the parameters.
    pub(super) local_count: usize,
    /// The instructions, followed by [`MiniOp::End`].
    pub(super) instructions: Vec<MiniInstruction>,
    undecodable: Vec<Undecodable>,
    pub(super) source_map: SourceMap,
    pub(super) names: Vec<LocalName>,
}

/// A decoded instruction, or a placeholder for one that cannot be decoded.
#[derive(Debug, Clone, Copy)]
pub(super) struct MiniInstruction {
    pub(super) op: MiniOp,
    /// The argument; the nearest number if it does not fit, which makes no difference to any rule.
    pub(super) argument: i32,
}

#[derive(Clone)]
struct Undecodable {
    ip: usize,
    op: String,
    reason: &'static str,
}

impl Code {
    pub(super) fn new(document: &Arc<Value>) -> Result<Code, LoadError> {
        let at = Path::field("functions");
        let program = MiniProgram(document);
        let records = list(program.functions()?, &at)?;
        let mut functions = Vec::with_capacity(records.len());
        let mut places: Vec<Option<u32>> = Vec::new();
        for (index, record) in records.iter().enumerate() {
            let at = at.child(index);
            let function = Function::new(record, &at)?;
            let fid = usize::from(function.fid);
            places.resize(places.len().max(fid + 1), None);
            if places[fid].replace(index as u32).is_some() {
                let what = format!("a second function with fid {}", function.fid);
                return Err(LoadError::at(at.child("fid"), what));
            }
            functions.push(function);
        }
        if functions.is_empty() {
            return Err(LoadError::at(at, "there is no function"));
        }
        let limit = program.limits()?.and_then(|limits| limits.get("step_limit"));
        let step_limit = limit.map_or(Ok(Some(STEP_LIMIT)), |limit| self::limit(limit, "step_limit"))?;
        Ok(Code { functions, step_limit, places, document: document.clone() })
    }

    /// The index of the function with this id.
    #[inline(always)]
    pub(super) fn by_fid(&self, fid: i32) -> Option<usize> {
        let place = self.places.get(usize::try_from(fid).ok()?)?;
        place.map(|place| place as usize)
    }

    /// The only argument of an instruction, as written in the document.
    pub(super) fn argument(&self, function: usize, ip: usize) -> Value {
        let keys = ["functions".into(), function.into(), "code".into(), ip.into(), "args".into(), 0.into()];
        self.document.at(&keys).cloned().unwrap_or(Value::Null)
    }

    /// The op of an instruction, as written in the document.
    pub(super) fn spelling(&self, function: usize, ip: usize) -> Option<&Value> {
        let keys = ["functions".into(), function.into(), "code".into(), ip.into()];
        self.document.at(&keys)
    }
}

impl Function {
    fn new(record: &Value, at: &Path) -> Result<Function, LoadError> {
        let count = |name: &'static str| width(record.get(name), &at.child(name));
        let fid = count("fid")?;
        if fid == 0 {
            return Err(LoadError::at(at.child("fid"), "fid is 0, which is not a function"));
        }
        let (param_count, local_count) = (count("param_count")?, count("local_count")?);
        if param_count > local_count {
            let what = format!("{param_count} parameters and only {local_count} slots");
            return Err(LoadError::at(at.child("param_count"), what));
        }
        let code = list(record.get("code"), &at.child("code"))?;
        if code.len() > WIDEST {
            let what = format!("{} instructions are more than {WIDEST}", code.len());
            return Err(LoadError::at(at.child("code"), what));
        }
        let mut undecodable = Vec::new();
        let decode = |(ip, record): (usize, &Value)| {
            decode(record).unwrap_or_else(|reason| {
                undecodable.push(Undecodable { ip, op: text(record.get("op")), reason });
                MiniInstruction { op: MiniOp::Undecodable, argument: 0 }
            })
        };
        let instructions = code.iter().enumerate().map(decode);
        let end = MiniInstruction { op: MiniOp::End, argument: 0 };
        Ok(Function {
            fid: fid as u16,
            name: text(record.get("name")),
            param_count,
            local_count,
            instructions: instructions.chain([end]).collect(),
            undecodable,
            source_map: SourceMap::new(record.get("source_map")),
            names: LocalName::all(record.get("locals")),
        })
    }

    /// The op of an invalid instruction, and why it is invalid.
    pub(super) fn why_undecodable(&self, ip: usize) -> (String, &'static str) {
        match self.undecodable.binary_search_by_key(&ip, |it| it.ip) {
            Ok(found) => (self.undecodable[found].op.clone(), self.undecodable[found].reason),
            Err(_) => (String::new(), "unknown op"),
        }
    }
}

/// The instruction of a record, or why it is invalid, in the words of `details`.
fn decode(record: &Value) -> Result<MiniInstruction, &'static str> {
    let op = record.get("op").and_then(Value::as_text).and_then(MiniOp::named).ok_or("unknown op")?;
    let arguments = record.get("args").and_then(Value::items).ok_or("arg count")?;
    let wanted = op.info().map_or(0, |info| info.arguments.len());
    match (wanted, arguments) {
        (0, []) => Ok(MiniInstruction { op, argument: 0 }),
        (1, [Value::Int(number)]) => in_range(op, number).ok_or("arg range"),
        (1, [_]) => Err("arg type"),
        _ => Err("arg count"),
    }
}

/// The instruction with its argument, if that is in a range that is checked here. Other ranges are checked at
/// run time; a number that does not fit stays out of range.
fn in_range(op: MiniOp, number: &BigInt) -> Option<MiniInstruction> {
    let nearest = if *number < BigInt::ZERO { i32::MIN } else { i32::MAX };
    let argument = i32::try_from(number).unwrap_or(nearest);
    let fits = match op {
        MiniOp::PUSH_I16 => i16::try_from(argument).is_ok(),
        MiniOp::DBG_LINE => u16::try_from(argument).is_ok(),
        _ => true,
    };
    fits.then_some(MiniInstruction { op, argument })
}

/// A limit: a non-negative number, or `None` for Null.
pub(super) fn limit(value: &Value, name: &'static str) -> Result<Option<u64>, LoadError> {
    match value {
        Value::Null => Ok(None),
        Value::Int(number) if *number >= BigInt::ZERO => Ok(Some(u64::try_from(number).unwrap_or(u64::MAX))),
        other => Err(LoadError::new(format!("{name} is {other} and must be a number from 0"))),
    }
}

fn list<'v>(value: Option<&'v Value>, at: &Path) -> Result<&'v [Value], LoadError> {
    let list = value.and_then(Value::items);
    list.ok_or_else(|| LoadError::at(at.clone(), format!("{at} is not a list")))
}

fn arguments<'v>(name: &'static str, value: &'v Value) -> Result<&'v [Value], LoadError> {
    list(Some(value), &Path::field(name))
}

fn width(value: Option<&Value>, at: &Path) -> Result<usize, LoadError> {
    let number = value.and_then(Value::number).filter(|number| *number <= WIDEST);
    number.ok_or_else(|| LoadError::at(at.clone(), format!("{at} is not a number from 0 to {WIDEST}")))
}

/// A value as written in a program.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Text(text) => text.to_string(),
        other => other.to_string(),
    }
}
