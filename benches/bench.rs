//! Speed beside peers. Both sides of a ratio are measured in one run and in turns, so that a slow
//! or busy machine slows both, and by CPU time.
//!
//! ```text
//! cargo run --profile dist -p vmconf-benches -- interpreter SUITES
//! cargo run --profile dist -p vmconf-benches -- loops
//! cargo run --profile dist -p vmconf-benches -- tiers SUITES
//! cargo run --profile dist -p vmconf-benches -- files SUITES
//! cargo run --profile dist -p vmconf-benches -- families ADAPTER
//! cargo run --profile release -p vmconf-benches -- units
//! cargo run -p vmconf-benches -- source-faults MACHINE
//! cargo run --profile release -p vmconf-benches -- hunting
//! ```

mod ended;
mod evmone;
mod families;
mod files;
mod hunting;
mod instructions;
mod interpreter;
mod loops;
mod peer;
mod programs;
mod results;
#[path = "../tests/it/costs/rows.rs"]
mod rows;
mod running;
mod source_faults;
mod tiers;
mod timing;
mod units;
mod z80_peer;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// Measures vmconf beside peers.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    section: Section,
}

#[derive(Subcommand)]
enum Section {
    /// The programs of vmPerformance on our EVM and on revm's interpreter
    Interpreter {
        #[command(flatten)]
        selection: Selection,
        /// Also on evmone, or another machine with its interface: the path of the shared library
        #[arg(long)]
        evmone: Option<PathBuf>,
    },
    /// Short loops of every machine beside one of our EVM
    Loops(Rounds),
    /// The hot tier of the EVM beside its plain loop
    Tiers(Selection),
    /// A whole run beside reading and parsing the same files
    Files(Selection),
    /// Vectors of a family on an adapter beside a program that runs the same crate
    Families(families::Arguments),
    /// The time of a unit of the runner's account for each instruction
    Units(Rounds),
    /// How often a handler that is wrong is named, by faults in the sources
    SourceFaults(source_faults::Arguments),
    /// How many programs `vmconf fuzz` makes in a second, and how many planted faults it finds; on Linux
    Hunting(hunting::Arguments),
    /// The search for one planted fault
    #[command(hide = true)]
    Planted(hunting::PlantedArguments),
    /// A machine with a planted fault, behind the process protocol
    #[command(hide = true)]
    ServePlanted {
        /// Its name
        fault: String,
    },
    /// What callgrind counts: a program or loop without anything else
    #[command(hide = true)]
    Once(instructions::Once),
}

/// What is measured, and how often.
#[derive(clap::Args)]
struct Selection {
    /// Folder of suites
    suites: PathBuf,
    #[command(flatten)]
    rounds: Rounds,
}

/// How often something is measured, and what.
#[derive(clap::Args)]
struct Rounds {
    /// How often each side is measured; the least time counts
    #[arg(long, default_value = "9")]
    rounds: NonZeroUsize,
    /// Only what has this name, as the table has it; of units, also all of a machine; of files, the path
    #[arg(long)]
    only: Option<String>,
    /// Keep the numbers in benches/results, for the next run to be compared with
    #[arg(long, conflicts_with = "only")]
    save: bool,
}

impl Rounds {
    /// Whether what has this name is measured.
    fn selects(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only == name)
    }
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().section {
        Section::Interpreter { selection, evmone } => interpreter::measure(&selection, evmone.as_deref()),
        Section::Loops(selection) => loops::measure(&selection),
        Section::Tiers(selection) => tiers::measure(&selection),
        Section::Files(selection) => files::measure(&selection),
        Section::Families(arguments) => families::measure(&arguments),
        Section::Units(rounds) => units::measure(&rounds),
        Section::SourceFaults(arguments) => source_faults::run(&arguments),
        Section::Hunting(arguments) => hunting::measure(&arguments),
        Section::Planted(arguments) => hunting::search(&arguments),
        Section::ServePlanted { fault } => hunting::serve(&fault),
        Section::Once(once) => once.execute(&mut tiers::find(&once)?),
    }
}
