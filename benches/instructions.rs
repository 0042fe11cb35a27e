//! Machine instructions, counted by callgrind: they are the same on every run and on a busy machine.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use anyhow::{Context, ensure};

use crate::running::Running;

/// What another process of this program executes: see [`Once::execute`].
#[derive(clap::Args)]
pub(crate) struct Once {
    /// The program of vmPerformance, or the loop
    pub(crate) name: String,
    /// The folder of suites that has the program
    #[arg(long)]
    pub(crate) suites: Option<std::path::PathBuf>,
    /// Only on the plain loop
    #[arg(long)]
    pub(crate) plain: bool,
    /// How often all of it is executed
    #[arg(long, default_value = "0")]
    runs: u64,
    /// How many opcodes of it are executed once
    #[arg(long)]
    opcodes: Option<u64>,
}

impl Once {
    /// Executes what was asked for.
    pub(crate) fn execute(&self, running: &mut Running) -> anyhow::Result<()> {
        (0..self.runs).for_each(|_| running.run());
        self.opcodes.map_or(Ok(()), |opcodes| running.run_some(opcodes))
    }
}

/// What is counted.
pub(crate) struct Counted<'c> {
    pub(crate) name: &'c str,
    pub(crate) suites: Option<&'c Path>,
    pub(crate) plain: bool,
    /// How many opcodes a run has.
    pub(crate) opcodes: u64,
}

/// The opcodes between two counts: the difference is free of what starting takes.
const OPCODES: u64 = 1_000_000;

impl Counted<'_> {
    /// Machine instructions for an opcode: in a long program of those after the first ones, else with loading.
    /// `None` without valgrind.
    pub(crate) fn per_opcode(&self) -> anyhow::Result<Option<f64>> {
        if !*IS_INSTALLED {
            return Ok(None);
        }
        let (counts, opcodes) = if self.opcodes > 3 * OPCODES {
            let count = |opcodes: u64| self.count(["--opcodes".to_owned(), opcodes.to_string()]);
            ([count(OPCODES)?, count(2 * OPCODES)?], OPCODES)
        } else {
            let runs = OPCODES.div_ceil(self.opcodes);
            let count = |runs: u64| self.count(["--runs".to_owned(), runs.to_string()]);
            ([count(runs)?, count(2 * runs)?], runs * self.opcodes)
        };
        Ok(Some((counts[1] - counts[0]) as f64 / opcodes as f64))
    }

    /// The machine instructions of a process that executes it.
    fn count(&self, amount: [String; 2]) -> anyhow::Result<u64> {
        let mut command = Command::new("valgrind");
        command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
        command.arg(std::env::current_exe()?).args(["once", self.name]).args(amount);
        if let Some(suites) = self.suites {
            command.arg("--suites").arg(suites);
        }
        if self.plain {
            command.arg("--plain");
        }
        let output = command.output()?;
        let text = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{text}");
        let line = text.lines().find_map(|line| line.split_once("Collected :"));
        let (_, number) = line.with_context(|| format!("no count of valgrind in {text}"))?;
        Ok(number.trim().parse()?)
    }
}

static IS_INSTALLED: LazyLock<bool> =
    LazyLock::new(|| Command::new("valgrind").arg("--version").output().is_ok_and(|it| it.status.success()));

/// A count as a cell of a table.
pub(crate) fn cell(count: Option<f64>) -> String {
    count.map_or("-".to_owned(), |count| format!("{count:.1}"))
}
