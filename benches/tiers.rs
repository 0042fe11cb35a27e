//! The hot tier of the EVM beside its plain loop: no program may lose by it, whether it is long, cold, or ends soon
//! after its blocks were made.

use anyhow::{Context, ensure};
use vmconf::isa::assembler::assemble;
use vmconf::machines::evm::EVM;
use vmconf::machines::tiers::Tiers;
use vmconf::model::Program;

use crate::instructions::{Counted, Once, cell};
use crate::programs::{self, Named};
use crate::results::Results;
use crate::rows;
use crate::running::Running;
use crate::timing::{compare, geometric_mean};
use crate::{Selection, loops};

/// How often the loops turn that end soon.
const TURNS: [u32; 9] = [4, 16, 64, 256, 600, 610, 640, 1024, 4096];

/// Measures each program on both tiers and prints a row for it.
pub(crate) fn measure(selection: &Selection) -> anyhow::Result<()> {
    let mut results = Results::of("tiers")?;
    let mut ratios = Vec::new();
    println!(
        "{:<24}{:>11}{:>11}{:>8}{:>13}{:>10}{:>10}",
        "program", "hot ms", "plain ms", "ratio", "of a round", "hot i/op", "plain i/op"
    );
    let programs = programs::of_performance(&selection.suites)?;
    for (name, program) in programs.into_iter().chain(short_loops()?) {
        if !selection.rounds.selects(&name) {
            continue;
        }
        let [mut hot, mut plain] = on_both(&[program])?;
        let compared = compare(selection.rounds.rounds, || run(&mut hot), || run(&mut plain));
        let opcodes = hot[0].opcodes();
        let count =
            |plain| Counted { name: &name, suites: Some(&selection.suites), plain, opcodes }.per_opcode();
        let [hot, plain] = [count(false)?, count(true)?];
        let last = results.add(&name, &[("ratio", Some(compared.ratio())), ("hot", hot), ("plain", plain)]);
        println!(
            "{name:<24}{:>11.4}{:>11.4}{:>8.2}{:>13}{:>10}{:>10}  {last}",
            compared.ours * 1e3,
            compared.peers * 1e3,
            compared.ratio(),
            compared.spread(),
            cell(hot),
            cell(plain)
        );
        ratios.push(compared.ratio());
    }
    const REST: &str = "all others together";
    if selection.rounds.selects(REST) {
        let programs: Vec<_> =
            programs::of_the_rest(&selection.suites)?.into_iter().map(|(_, program)| program).collect();
        let [mut hot, mut plain] = on_both(&programs)?;
        let compared = compare(selection.rounds.rounds, || run(&mut hot), || run(&mut plain));
        let last = results.add(REST, &[("ratio", Some(compared.ratio()))]);
        println!(
            "{REST:<24}{:>11.4}{:>11.4}{:>8.2}{:>13}{:>20}  {last}",
            compared.ours * 1e3,
            compared.peers * 1e3,
            compared.ratio(),
            compared.spread(),
            format!("{} programs", programs.len()),
        );
        ratios.push(compared.ratio());
    }
    ensure!(!ratios.is_empty(), "no program has this name");
    let least = ratios.iter().fold(f64::INFINITY, |one, other| one.min(*other));
    println!("plain / hot: least {least:.2} (goal 0.97), geometric mean {:.2}", geometric_mean(&ratios));
    results.save(&selection.rounds)
}

/// The programs on each tier.
fn on_both(programs: &[Program]) -> anyhow::Result<[Vec<Running>; 2]> {
    let on = |tiers| {
        programs.iter().map(|it| Running::new("evm", it.clone(), tiers)).collect::<anyhow::Result<_>>()
    };
    Ok([on(Tiers::Hot)?, on(Tiers::Plain)?])
}

fn run(all: &mut [Running]) {
    all.iter_mut().for_each(Running::run);
}

/// Loops that end after a few turns: the worst case for a block, which takes time to make.
fn short_loops() -> anyhow::Result<Vec<Named>> {
    let program = |turns: u32| {
        let source = loops::ADD.2.replace("1000000", &turns.to_string());
        let code = assemble(&EVM, &loops::lines(&source, &EVM))?;
        anyhow::Ok((format!("add, {turns} turns"), Program::from(rows::evm(code))))
    };
    TURNS.into_iter().map(program).collect()
}

/// What another process of this program measures.
pub(crate) fn find(once: &Once) -> anyhow::Result<Running> {
    let tiers = if once.plain { Tiers::Plain } else { Tiers::Hot };
    let Some(suites) = &once.suites else { return loops::running(loops::by_name(&once.name)?, tiers) };
    let mut programs = programs::of_performance(suites)?.into_iter().chain(short_loops()?);
    let program = programs.find(|(name, _)| *name == once.name);
    let (_, program) = program.with_context(|| format!("no program {}", once.name))?;
    Running::new("evm", program, tiers)
}
