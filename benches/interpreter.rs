//! The programs of vmPerformance on our EVM and on revm's interpreter. Loading a program counts on
//! both sides: it is part of every case.

use std::path::Path;

use anyhow::{Context, ensure};
use vmconf::machines::machine::{At, Watch};
use vmconf::machines::tiers::Tiers;
use vmconf::model::Value;

use crate::Selection;
use crate::ended::Ended;
use crate::evmone::Evmone;
use crate::instructions::{Counted, cell};
use crate::peer::Peer;
use crate::programs::{self, bytes, member, number};
use crate::results::Results;
use crate::running::Running;
use crate::timing::{Compared, compare, geometric_mean};

/// From this time on, in seconds, a program is a long one.
const LONG: f64 = 1e-3;

/// Measures each program and prints a row for it, then the goals.
pub(crate) fn measure(selection: &Selection, evmone: Option<&Path>) -> anyhow::Result<()> {
    let (mut long, mut short) = (Vec::new(), Vec::new());
    let mut results = Results::of("interpreter")?;
    println!(
        "{:<24}{:>11}{:>11}{:>8}{:>13}{:>18}",
        "program", "ours ms", "revm ms", "ratio", "of a round", "machine instr./op"
    );
    for (name, program) in programs::of_performance(&selection.suites)? {
        if !selection.rounds.selects(&name) {
            continue;
        }
        let mut peer = Peer::new(&program)?;
        let mut evmone = evmone.map(|path| Evmone::new(path, &program)).transpose()?;
        let mut ours = Running::new("evm", program, Tiers::default())?;
        demand_equal(&mut ours, &mut peer).with_context(|| format!("{name}: the two sides differ"))?;
        let compared = compare(selection.rounds.rounds, || ours.run(), || peer.run());
        let opcodes = ours.opcodes();
        let counted = Counted { name: &name, suites: Some(&selection.suites), plain: false, opcodes };
        let instructions = counted.per_opcode()?;
        let last =
            results.add(&name, &[("times revm", Some(compared.ratio())), ("instructions", instructions)]);
        println!(
            "{name:<24}{:>11.4}{:>11.4}{:>8.2}{:>13}{:>18}  {last}",
            compared.ours * 1e3,
            compared.peers * 1e3,
            compared.ratio(),
            compared.spread(),
            cell(instructions)
        );
        if let Some(evmone) = &mut evmone {
            evmone.run();
            if let Some(peers) = evmone.ended() {
                let ours = self::ended(&mut ours)?;
                ensure!(ours == peers, "{name}: ours: {ours:?}\nevmone: {peers:?}");
            }
            let compared = compare(selection.rounds.rounds, || ours.run(), || evmone.run());
            let (time, ratio, spread) = (compared.peers * 1e3, compared.ratio(), compared.spread());
            let last = results.add(&format!("{name}, evmone"), &[("times evmone", Some(ratio))]);
            println!("{:<35}{time:>11.4}{ratio:>8.2}{spread:>13}{:>18}  {last}", "  evmone", "");
        }
        if compared.ours < LONG { &mut short } else { &mut long }.push(compared);
    }
    ensure!(!long.is_empty() || !short.is_empty(), "no program has this name");
    summarise("long programs", &long, [1.5, 2.5], &mut results);
    summarise("short programs", &short, [1.25, 1.8], &mut results);
    results.save(&selection.rounds)
}

/// Prints the least and the mean ratio beside their goals, and the time of all.
fn summarise(what: &str, programs: &[Compared], [least, mean]: [f64; 2], results: &mut Results) {
    let ratios: Vec<_> = programs.iter().map(Compared::ratio).collect();
    if ratios.is_empty() {
        return;
    }
    let reached = (ratios.iter().fold(f64::INFINITY, |one, other| one.min(*other)), geometric_mean(&ratios));
    let sum = |time: fn(&Compared) -> f64| programs.iter().map(time).sum::<f64>();
    let time = sum(|it| it.ours) / sum(|it| it.peers);
    let last =
        results.add(what, &[("least", Some(reached.0)), ("mean", Some(reached.1)), ("time", Some(time))]);
    println!(
        "{what}, times as fast as revm: least {:.2} (goal {least}), geometric mean {:.2} (goal {mean}); \
         time of all {time:.2} of revm's  {last}",
        reached.0, reached.1
    );
}

fn demand_equal(ours: &mut Running, peer: &mut Peer) -> anyhow::Result<()> {
    ours.run();
    peer.run();
    let (ours, peers) = (ended(ours)?, peer.ended());
    ensure!(ours == peers, "ours: {ours:?}\nrevm: {peers:?}");
    Ok(())
}

/// How the last run ended.
fn ended(ours: &mut Running) -> anyhow::Result<Ended> {
    let observe = |ours: &Running, field| ours.machine.observe(field).with_context(|| format!("no {field}"));
    if observe(ours, "outcome")? == Value::text("halt") {
        let mut gas = Gas(0);
        ours.watched(&mut gas);
        return Ok(Ended::Halt { gas: gas.0 });
    }
    let address = vmconf::model::hex::bytes_key(bytes(member(&ours.program.0, "address")?)?);
    let post = observe(ours, "post")?;
    let storage = post.get(&address).and_then(|account| account.get("storage"));
    Ok(Ended::Success {
        gas: number(&observe(ours, "gas")?)?,
        output: bytes(&observe(ours, "out")?)?.to_vec(),
        storage: storage.cloned().unwrap_or(Value::Record(Vec::new())),
    })
}

/// The gas before the last instruction.
struct Gas(u64);

impl Watch for Gas {
    fn before(&mut self, at: &At<'_>) {
        if let Some(Ok(gas)) = at.state.observe("gas").map(|gas| number(&gas)) {
            self.0 = gas;
        }
    }
}
