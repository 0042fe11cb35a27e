//! The programs of vmPerformance on our EVM and on revm's interpreter. Loading a program counts on
//! both sides: it is part of every case.

use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow, ensure};
use vmconf::formats::{self, Options};
use vmconf::machines::evm::Evm;
use vmconf::machines::machine::{Machine, Status, perform};
use vmconf::machines::observe::Observe;
use vmconf::model::case::{Action, Program};
use vmconf::model::limits::Limits;
use vmconf::model::value::Value;
use vmconf::text::json::{Document, Node};
use walkdir::WalkDir;

use crate::Selection;
use crate::peer::Peer;
use crate::results::Results;
use crate::timing::{Compared, compare, geometric_mean};

/// How a run ended, in terms that both sides provide.
#[derive(Debug, PartialEq)]
pub(crate) enum Ended {
    /// By an exceptional halt, which leaves nothing to compare.
    Halt,
    /// Normally.
    Success {
        /// Gas left.
        gas: u64,
        /// What was returned.
        output: Vec<u8>,
        /// Words that are not zero, as vmconf writes them.
        storage: Value,
    },
}

/// Measures each program and prints a row for it.
pub(crate) fn measure(selection: &Selection) -> anyhow::Result<()> {
    let mut ratios = Vec::new();
    let mut results = Results::of("interpreter")?;
    println!("{:<28}{:>12}{:>12}{:>8}{:>14}", "program", "ours ms", "revm ms", "ratio", "of a round");
    for (name, program) in programs(&selection.suites)? {
        if !selection.rounds.selects(&name) {
            continue;
        }
        let (mut ours, mut peer) = (Ours::new(program.clone()), Peer::new(&program)?);
        demand_equal(&mut ours, &mut peer).with_context(|| format!("{name}: the two sides differ"))?;
        let compared = compare(selection.rounds.rounds, || ours.run(), || peer.run());
        let Compared { ours, peers, .. } = compared;
        let (ratio, spread) = (compared.ratio(), compared.spread());
        let last = results.add(&name, ratio);
        println!("{name:<28}{:>12.4}{:>12.4}{ratio:>8.2}{spread:>14}  {last}", ours * 1e3, peers * 1e3);
        ratios.push(ratio);
    }
    ensure!(!ratios.is_empty(), "no vmPerformance program under {}", selection.suites.display());
    println!("{:<52}{:>8.2}", "geometric mean, times as fast as revm", geometric_mean(&ratios));
    results.save(&selection.rounds)
}

fn demand_equal(ours: &mut Ours, peer: &mut Peer) -> anyhow::Result<()> {
    ours.run();
    peer.run();
    let (ours, peers) = (ours.ended()?, peer.ended());
    ensure!(ours == peers, "ours: {ours:?}\nrevm: {peers:?}");
    Ok(())
}

/// Our machine with a program for it.
struct Ours {
    machine: Evm,
    program: Program,
}

impl Ours {
    fn new(program: Program) -> Ours {
        Ours { machine: Evm::new(&Limits::default()), program }
    }

    /// Loads and runs as the runner does, with its limits.
    fn run(&mut self) {
        let loaded = self.machine.load(&self.program);
        assert_eq!(loaded, Ok(()));
        let status = perform(&mut self.machine, &Action::Execute, None);
        assert_eq!(status, Status::Ended);
    }

    fn ended(&self) -> anyhow::Result<Ended> {
        let observe = |field| self.machine.observe(field).with_context(|| format!("no {field}"));
        if observe("outcome")? == Value::text("halt") {
            return Ok(Ended::Halt);
        }
        let address = vmconf::model::hex::bytes_key(bytes(member(&self.program.0, "address")?)?);
        let post = observe("post")?;
        let storage = post.get(&address).and_then(|account| account.get("storage"));
        Ok(Ended::Success {
            gas: number(&observe("gas")?)?,
            output: bytes(&observe("out")?)?.to_vec(),
            storage: storage.cloned().unwrap_or(Value::Record(Vec::new())),
        })
    }
}

/// The different programs of every vmPerformance file, with the names of their cases.
fn programs(suites: &Path) -> anyhow::Result<Vec<(String, Program)>> {
    let mut programs: Vec<(String, Program)> = Vec::new();
    for entry in WalkDir::new(suites).sort_by_file_name() {
        let entry = entry?;
        let path = entry.path();
        if !path.to_string_lossy().contains("vmPerformance")
            || path.extension().is_none_or(|end| end != "json")
        {
            continue;
        }
        for (name, program) in read(path).with_context(|| path.display().to_string())? {
            if !programs.iter().any(|(_, known)| same_program(known, &program)) {
                programs.push((name, program));
            }
        }
    }
    programs.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(programs)
}

/// Whether two suites have the same program, each in its own spelling of the rest.
fn same_program(one: &Program, other: &Program) -> bool {
    ["code", "data", "gas"].iter().all(|name| one.0.get(name) == other.0.get(name))
}

fn read(path: &Path) -> anyhow::Result<Vec<(String, Program)>> {
    let text = fs::read_to_string(path)?;
    let document = Document::parse(text, Limits::default().depth as usize)
        .map_err(|(_, problem)| anyhow!(problem.what))?;
    let (format, _) = formats::recognise(&document, "").map_err(|unknown| anyhow!("{unknown}"))?;
    let entries = (format.outline)(document.root()).map_err(|problem| anyhow!(problem.what))?;
    let mut programs = Vec::new();
    for entry in entries {
        let reading = format.read_case(Node::at_index(&document, entry.node), Options::default());
        let case = reading.case.with_context(|| format!("{}: {:?}", entry.name, reading.diagnostics))?;
        programs.push((entry.name.to_string(), case.program));
    }
    Ok(programs)
}

/// A member that each program has.
pub(crate) fn member<'v>(record: &'v Value, name: &str) -> anyhow::Result<&'v Value> {
    record.get(name).with_context(|| format!("no {name}"))
}

/// The bytes of a value that must be some.
pub(crate) fn bytes(value: &Value) -> anyhow::Result<&[u8]> {
    match value {
        Value::Bytes(bytes) => Ok(bytes),
        other => Err(anyhow!("{other} instead of bytes")),
    }
}

/// The number of a value that must be a small one.
pub(crate) fn number(value: &Value) -> anyhow::Result<u64> {
    match value {
        Value::Int(number) => Ok(u64::try_from(number)?),
        other => Err(anyhow!("{other} instead of a number")),
    }
}
