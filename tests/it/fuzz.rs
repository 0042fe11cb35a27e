//! The fuzz targets of `fuzz/`, without a fuzzer: each runs on its seeds and on mutations of them.
//!
//! `VMCONF_FUZZ_SEED` and `VMCONF_FUZZ_RUNS` choose the mutations, `VMCONF_FUZZ_TARGET` one of the targets. An input
//! that fails is kept, and the message names its file. `VMCONF_FUZZ_CORPUS` names a folder that the seeds are written
//! to, a folder a target, as cargo-fuzz reads them from `fuzz/corpus`.

#![allow(clippy::print_stdout, reason = "how much is executed is worth to know")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use crate::random::{Random, number};
use crate::support::{at_root, files};
use vmconf::formats::FORMATS;
use vmconf::machines::of_this_crate;
use vmconf::text::json::{Document, JsonNode};

#[path = "../../fuzz/targets/list.rs"]
mod targets;

use targets::{Run, Seeds, TARGETS, Target};

/// The number of mutations of each target, unless the environment says otherwise.
const RUNS: u64 = 2_000;

/// Seeds that are longer would take most of the time.
const MAX_SEED_LENGTH: usize = 8_000;

/// The longest random input of a target without seeds.
const MAX_RANDOM_LENGTH: usize = 600;

#[test]
fn every_target_runs_on_its_seeds_and_on_mutations() {
    let runs = number("VMCONF_FUZZ_RUNS", RUNS);
    let seed = Random::seeded_by("VMCONF_FUZZ_SEED").next();
    let only = std::env::var("VMCONF_FUZZ_TARGET").ok();
    let is_chosen = |target: &&Target| only.as_deref().is_none_or(|only| only == target.name);
    let chosen: Vec<_> = TARGETS.iter().filter(is_chosen).collect();
    assert!(!chosen.is_empty(), "VMCONF_FUZZ_TARGET names no target: {only:?}");
    std::thread::scope(|scope| {
        let started: Vec<_> = chosen
            .into_iter()
            .map(|target| (target.name, scope.spawn(move || fuzz(target, seed, runs))))
            .collect();
        let failed: Vec<_> =
            started.into_iter().filter_map(|(name, thread)| Some((name, thread.join().err()?))).collect();
        let named: Vec<_> = failed.iter().map(|(name, _)| *name).collect();
        assert!(failed.is_empty(), "the output above names the inputs of {named:?}");
    });
}

/// The number of runs from which on a target about programs must execute [`EXECUTED`] instructions per run.
const MANY_RUNS: u64 = 500;

/// The average that is demanded.
const EXECUTED: u64 = 5;

fn fuzz(target: &Target, seed: u64, runs: u64) {
    let mut random = Random::new(seed);
    let seeds = seeds_of(target);
    if let Some(corpus) = std::env::var_os("VMCONF_FUZZ_CORPUS") {
        write_seeds(&Path::new(&corpus).join(target.name), &seeds);
    }
    for seed in &seeds {
        run(target, seed);
    }
    let executed: u64 = (0..runs).map(|_| run(target, &input(&seeds, &mut random))).sum();
    if matches!(target.run, Run::Program(_)) {
        println!("{}: {executed} instructions in {runs} runs", target.name);
        assert!(executed >= EXECUTED * runs || runs < MANY_RUNS, "{}", target.name);
    }
}

/// Changes of one of the seeds; anything if there are none.
fn input(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    if seeds.is_empty() {
        let length = random.below(MAX_RANDOM_LENGTH);
        return random.bytes(length);
    }
    let mut input = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(4) {
        mutate(&mut input, seeds, random);
    }
    input
}

/// How many instructions the program of the input executes.
fn run(target: &Target, input: &[u8]) -> u64 {
    catch_unwind(AssertUnwindSafe(|| target.run.on(input))).unwrap_or_else(|_| {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{}", target.name));
        std::fs::write(&path, input).unwrap();
        panic!("the target {} fails on {}", target.name, path.display());
    })
}

fn write_seeds(folder: &Path, seeds: &[Vec<u8>]) {
    std::fs::create_dir_all(folder).unwrap();
    for (number, seed) in seeds.iter().enumerate() {
        std::fs::write(folder.join(format!("seed-{number}")), seed).unwrap();
    }
}

fn seeds_of(target: &Target) -> Vec<Vec<u8>> {
    let seeds = target.seeds.iter().flat_map(|seeds| match seeds {
        Seeds::Files(folder, extension) => {
            let mut seeds: Vec<_> =
                files(folder, extension).iter().map(|path| std::fs::read(path).unwrap()).collect();
            seeds.retain(|seed| seed.len() <= MAX_SEED_LENGTH);
            assert!(!seeds.is_empty(), "all files of {folder} have more than {MAX_SEED_LENGTH} bytes");
            seeds
        }
        Seeds::These(inputs) => inputs.iter().map(|input| input.to_vec()).collect(),
    });
    seeds.collect()
}

/// Pieces that mean something in some format.
const PIECES: &[&[u8]] = &[
    b"null",
    b"true",
    b"-1",
    b"0",
    b"1e999",
    b"18446744073709551616",
    b"0x",
    b"\"\"",
    b"[]",
    b"{}",
    b"[[[[",
    b"\\u0000",
    b"\\ud800",
    b"\x1b[2J",
    b"\xe2\x80\xae",
    b"\xf0\x9f\x98\x80",
    b"/*",
    b"//",
    b",",
    b"\n",
    b"\r",
    b"(",
    b")",
    b"@",
    b":",
];

/// Changes the input in one place. Most changes of a JSON document keep it one.
fn mutate(input: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    if !random.one_in(4) && swap_data(input, &seeds[random.below(seeds.len())], random).is_some() {
        return;
    }
    let at = random.below(input.len() + 1);
    let end = (at + 1 + random.below(12)).min(input.len());
    match random.below(6) {
        0 if at < input.len() => input[at] ^= 1 << random.below(8),
        1 => drop(input.drain(at..end)),
        2 => input.splice(at..at, random.pick(PIECES).iter().copied()).for_each(drop),
        3 => input.splice(at..end, random.pick(PIECES).iter().copied()).for_each(drop),
        4 => {
            let piece = input[at..end].to_vec();
            let place = random.below(input.len() + 1);
            input.splice(place..place, piece).for_each(drop);
        }
        _ => {
            let other = &seeds[random.below(seeds.len())];
            let from = random.below(other.len() + 1);
            let to = (from + 1 + random.below(60)).min(other.len());
            input.splice(at..at, other[from..to].iter().copied()).for_each(drop);
        }
    }
}

/// Replaces a datum of a JSON document by one of another document; `None` if either is not a document.
fn swap_data(input: &mut Vec<u8>, other: &[u8], random: &mut Random) -> Option<()> {
    let at = random.pick(&data_of(input)?);
    let from = random.pick(&data_of(other)?);
    input.splice(at.0..at.1, other[from.0..from.1].iter().copied()).for_each(drop);
    Some(())
}

/// Where the data of a JSON document start and end.
fn data_of(text: &[u8]) -> Option<Vec<(usize, usize)>> {
    let document = Document::parse(String::from_utf8(text.to_vec()).ok()?, 128).ok()?;
    let mut found = Vec::new();
    add_data(document.root(), &mut found);
    Some(found)
}

fn add_data(node: JsonNode<'_>, found: &mut Vec<(usize, usize)>) {
    let range = node.range();
    found.push((range.start, range.end));
    node.items().chain(node.members().map(|member| member.value)).for_each(|inner| add_data(inner, found));
}

/// Each target is a binary of `fuzz/Cargo.toml`.
#[test]
fn cargo_fuzz_has_every_target() {
    let manifest = std::fs::read_to_string(at_root(PathBuf::from("fuzz/Cargo.toml"))).unwrap();
    let manifest: toml_edit::DocumentMut = manifest.parse().unwrap();
    let binaries = manifest["bin"].as_array_of_tables().unwrap();
    let listed: Vec<_> = binaries.iter().map(|binary| binary["name"].as_str().unwrap()).collect();
    let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
    assert_eq!(listed, names);
}

/// Each machine whose instructions vmconf itself executes has a target, and each format.
#[test]
fn every_machine_and_every_format_has_a_target() {
    let machines = of_this_crate().map(|machine| format!("machine-{}", machine.name));
    let formats = FORMATS.iter().map(|format| format!("format-{}", format.name));
    for name in machines.chain(formats) {
        assert!(TARGETS.iter().any(|target| target.name == name), "{name}");
    }
}
