//! How many programs `vmconf fuzz` makes in a second of CPU time, and how many of the planted faults it finds in how
//! many: each fault in a machine behind the process protocol, from an empty corpus. The seconds are those of both
//! processes. How small the first program becomes that differs, and in which part of the seconds.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{BufRead, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use vmconf::hunt::corpus::FuzzCorpus;
use vmconf::hunt::fuzz::{FuzzEvent, FuzzFinding, FuzzMachine, FuzzOptions, FuzzSubject, fuzz};
use vmconf::hunt::minimize::{KeptFailure, MinimizeOptions, minimize, options_of};
use vmconf::machines::{MachineInfo, of_this_crate};
use vmconf::model::Interrupt;
use vmconf::model::limits::Limits;
use vmconf::prove::mutants::equivalent::noticeable_faults_of;
use vmconf::prove::mutants::fault::{RowFault, row_faults_of};
use vmconf::prove::mutants::faulty::Faulty;
use vmconf::run::sources::{SourceOrigin, VectorSource};
use vmconf::run::{FileOptions, LoadOptions, open_text};
use vmconf::testees::MakeTestee;
use vmconf::testees::process::{ProcessGroups, ProcessVm, TesteeCommand};
use vmconf::testees::server::Server;

use crate::timing::{cpu_time, cpu_time_of_all};

/// What is measured.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many faults of each machine are planted
    #[arg(long, default_value = "6")]
    faults: usize,
    /// The most seconds of CPU time for each
    #[arg(long, default_value = "60")]
    seconds: f64,
    /// Chooses the faults, and decides the programs
    #[arg(long, default_value = "1")]
    seed: u64,
    /// How many programs are made to measure the rate
    #[arg(long, default_value = "20000")]
    programs: u64,
    /// Only this machine
    #[arg(long)]
    only: Option<String>,
}

/// A search for one planted fault, in a process of its own.
#[derive(clap::Args)]
pub(crate) struct PlantedArguments {
    fault: String,
    seconds: f64,
    seed: u64,
}

/// Seconds after which the share of found faults is told.
const EARLY: f64 = 10.0;

/// How many changes are tried to make a program small, and how many bytes they have together, as in `vmconf fuzz`.
const MAX_TRIES: usize = 2_000;
const MAX_TRIED_BYTES: usize = 1 << 26;

/// Measures each machine.
pub(crate) fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    let mut all = Vec::new();
    let is_selected = |info: &&MachineInfo| arguments.only.as_ref().is_none_or(|only| only == info.name);
    for info in of_this_crate().filter(is_selected) {
        println!("{:<9}{:>8.0} programs a second of CPU time, alone", info.name, rate(info, arguments)?);
        let mut found = Vec::new();
        for fault in sample(noticeable_faults_of(info), arguments) {
            let planted = planted(fault, arguments)?;
            let told = planted.as_ref().map_or("not found".to_owned(), FoundFault::to_string);
            println!("  {told:>40}  {fault}");
            found.push(planted);
        }
        println!("{:<9}{}", info.name, summary(&found, arguments));
        all.extend(found);
    }
    println!("{}", summary(&all, arguments));
    Ok(())
}

/// A fault that was found.
struct FoundFault {
    /// After how many seconds, with those that it took to make the program small.
    seconds: f64,
    /// How many of them it took to make the program small.
    minimizing: f64,
    /// How many instructions the small program has.
    instructions: usize,
}

impl fmt::Display for FoundFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FoundFault { seconds, minimizing, instructions } = self;
        write!(f, "{seconds:.1} s, {instructions} instructions in {minimizing:.1} s")
    }
}

/// How many of the faults were found, early and at all, and how small the programs are.
fn summary(all: &[Option<FoundFault>], arguments: &Arguments) -> String {
    let found: Vec<_> = all.iter().flatten().collect();
    let within = |limit: f64| found.iter().filter(|it| it.seconds <= limit).count();
    let mut sizes: Vec<_> = found.iter().map(|it| it.instructions).collect();
    sizes.sort_unstable();
    let median = sizes.get(sizes.len() / 2).copied().unwrap_or_default();
    let longest = found.iter().map(|it| it.minimizing).fold(0.0, f64::max);
    format!(
        "{} of {} found in {EARLY} s, {} in {} s; median of {median} instructions, made small in at most {longest:.1} s",
        within(EARLY),
        all.len(),
        within(arguments.seconds),
        arguments.seconds,
    )
}

/// How many programs are made, run and kept in a second on the embedded machine, without any other.
fn rate(info: &'static MachineInfo, arguments: &Arguments) -> anyhow::Result<f64> {
    let start = cpu_time();
    let options = options(arguments.seed, arguments.programs, None);
    fuzz(
        &FuzzMachine::Embedded(info),
        &[],
        FuzzCorpus::default(),
        &options,
        &mut BTreeSet::new(),
        &mut |_| (),
    )?;
    Ok(arguments.programs as f64 / (cpu_time() - start))
}

fn options(seed: u64, programs: u64, deadline: Option<Instant>) -> FuzzOptions {
    FuzzOptions { seed, cases: programs, deadline, max_tries: MAX_TRIES, ..FuzzOptions::default() }
}

/// Some of the faults, each as likely as the others.
fn sample(mut faults: Vec<RowFault>, arguments: &Arguments) -> Vec<RowFault> {
    let mut state = arguments.seed;
    let mut chosen = Vec::new();
    while chosen.len() < arguments.faults && !faults.is_empty() {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        chosen.push(faults.swap_remove((bits % faults.len() as u64) as usize));
    }
    chosen
}

/// Searches for the fault in another process; `None` if it is not found.
fn planted(fault: RowFault, arguments: &Arguments) -> anyhow::Result<Option<FoundFault>> {
    let mut search = Command::new(std::env::current_exe()?);
    search.args(["planted", &fault.to_string()]);
    search.args([arguments.seconds.to_string(), arguments.seed.to_string()]);
    let output = search.stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "{fault}: {}", output.status);
    let told = String::from_utf8(output.stdout)?;
    let words: Vec<_> = told.split_whitespace().collect();
    let [seconds, minimizing, instructions] = words[..] else { return Ok(None) };
    Ok(Some(FoundFault {
        seconds: seconds.parse()?,
        minimizing: minimizing.parse()?,
        instructions: instructions.parse()?,
    }))
}

/// Searches until the fault is found, makes the program small, and prints the numbers of [`FoundFault`].
pub(crate) fn search(arguments: &PlantedArguments) -> anyhow::Result<()> {
    let PlantedArguments { fault, seconds, seed } = arguments;
    let fault = named(fault)?;
    let words = vec![
        std::env::current_exe()?.to_str().context("the path is not UTF-8")?.to_owned(),
        "serve-planted".to_owned(),
        fault.to_string(),
    ];
    let minute = Duration::from_mins(1);
    let command = TesteeCommand {
        name: "planted".to_owned(),
        words,
        env: Vec::new(),
        folder: None,
        timeout: minute,
        start: minute,
        memory: None,
    };
    let groups = ProcessGroups::default();
    let vm = match ProcessVm::start(command, groups.clone(), &Interrupt::default()) {
        Ok(vm) => Arc::new(vm),
        Err(why) => bail!("{why}"),
    };
    let testee = MakeTestee::in_processes(vm);
    let subject = FuzzSubject { name: "planted".to_owned(), testee: testee.clone() };
    let start = cpu_time_of_all()?;
    let is_told = Arc::new(AtomicBool::new(false));
    let tell = {
        let is_told = is_told.clone();
        move |what: String| {
            if !is_told.swap(true, Ordering::SeqCst) {
                println!("{what}");
                groups.kill();
                std::process::exit(0);
            }
        }
    };
    let (limit, give_up) = (*seconds, tell.clone());
    thread::spawn(move || {
        while cpu_time_of_all().is_ok_and(|now| now - start < limit) {
            thread::sleep(Duration::from_millis(50));
        }
        give_up("none".to_owned());
    });
    let machine = FuzzMachine::Embedded(fault.machine);
    // The program is made small here, so that the time can be told apart.
    let options = FuzzOptions { max_tries: 0, ..options(*seed, u64::MAX, None) };
    let mut known = BTreeSet::new();
    fuzz(&machine, &[subject], FuzzCorpus::default(), &options, &mut known, &mut |event| {
        let FuzzEvent::Found(finding) = event else { return };
        let told = || -> anyhow::Result<String> {
            let found = cpu_time_of_all()?;
            let instructions = minimized(fault.machine, &finding, &testee)?;
            let now = cpu_time_of_all()?;
            Ok(format!("{} {} {instructions}", now - start, now - found))
        };
        tell(told().unwrap_or_else(|why| format!("none: {why:#}")));
    })?;
    Ok(())
}

/// How many instructions the program of a finding has after it was made small.
fn minimized(info: &MachineInfo, finding: &FuzzFinding, testee: &MakeTestee) -> anyhow::Result<usize> {
    let source = VectorSource::new("found.json".into(), "found.json".into(), SourceOrigin::Stream);
    let limits = Limits { steps: info.parts.map_or(0, |parts| parts.units), ..Limits::default() };
    let file = FileOptions { limits, ..FileOptions::default() };
    let load = LoadOptions { file, ..LoadOptions::default() };
    let [own, reference] =
        [testee.clone(), MakeTestee::default()].map(|testee| options_of(&load, &source, testee));
    let large = open_text(&source, finding.vector.clone(), &own);
    let how = MinimizeOptions {
        keep: KeptFailure::Instruction,
        max_tries: MAX_TRIES,
        max_bytes: MAX_TRIED_BYTES,
        deadline: None,
        keeps: None,
    };
    let small = minimize((&large, 0), &source, &own, Some(&reference), how)?;
    let small = open_text(&source, small.text, &own);
    let case = small.case(0).and_then(|case| case.read().ok()?.case).context("the small vector is broken")?;
    Ok((info.contains)(&case.program).len())
}

/// Answers requests with a machine that has the fault.
pub(crate) fn serve(fault: &str) -> anyhow::Result<()> {
    let fault = named(fault)?;
    let make = move |limits: &Limits| Box::new(Faulty::new(fault, limits, Arc::default())) as Box<_>;
    let mut server = Server::with(fault.machine, make);
    for line in std::io::stdin().lock().split(b'\n') {
        let answer = server.answer(&line?).map_err(|error| anyhow::anyhow!("{}", error.what))?;
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", vmconf::wire::line::one_line(&answer))?;
        out.flush()?;
    }
    Ok(())
}

fn named(name: &str) -> anyhow::Result<RowFault> {
    let mut all = of_this_crate().flat_map(row_faults_of);
    all.find(|fault| fault.to_string() == name).with_context(|| format!("there is no fault {name}"))
}
