//! `vmconf bisect`

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use vmconf::explain::bisect::{self, Compared, Divergence, Next, OnVm};
use vmconf::model::count::counted;
use vmconf::model::escape::escaped;
use vmconf::model::exit_code::Exit;
use vmconf::model::signature;
use vmconf::model::value::Value;
use vmconf::run::{LoadedFile, RunOptions, Worker};
use vmconf::testees::MakeTestee;
use vmconf::testees::process::{Groups, Vm};

use super::exit_code::BrokenInput;
use super::find_case::{read_case, with_case};
use super::output;
use super::select::Select;
use super::settings::Settings;
use super::vm::{VmsArgs, end_on_interrupt, stopped_early};

/// Find the first step at which two runs of a program differ
///
/// The runs are those of one case on two machines, of which the embedded one is one unless --vm is given twice, or
/// two traces in files. Prints the last common state, the instruction and what follows in each run. Traces are as EIP-3155 describes them; members that only one of them
/// has are not compared. Exits with 1 if the runs differ.
///
/// Example: cd docs/examples/bisect && vmconf bisect --trace ours.jsonl --trace theirs.jsonl
#[derive(Debug, Args)]
pub(super) struct Bisect {
    #[command(flatten)]
    pub(super) select: Select,

    #[command(flatten)]
    vms: VmsArgs,

    /// A trace in place of a machine; given twice
    #[arg(long = "trace", value_name = "FILE", conflicts_with = "vms")]
    traces: Vec<PathBuf>,
}

impl Bisect {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        match &self.traces[..] {
            [] => self.bisect_machines(settings),
            [one, other] => {
                let names = [one, other].map(|path| path.display().to_string());
                let compared = bisect::traces(open(one)?, open(other)?)
                    .map_err(|(trace, error)| unreadable(&names[trace], error))?;
                show(&compared, &names)
            }
            _ => bail!("--trace must be given twice"),
        }
    }

    fn bisect_machines(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let options = self.select.options(settings)?;
        let sources = self.select.sources(settings, &options)?;
        let groups = Groups::default();
        end_on_interrupt(&groups)?;
        let mut vms = self.vms.start(settings, &groups, &options.run.interrupt)?.into_iter();
        let (one, other) = match (vms.next(), vms.next(), vms.next()) {
            (Some(one), Some(other), None) => (Some(one), other),
            (Some(other), None, None) => (None, other),
            _ => bail!("name one machine or two with --vm NAME=COMMAND, or two files with --trace"),
        };
        with_case(&sources, &options, |loaded, index| {
            let (info, case) = read_case(loaded, index)?;
            let shows_steps = |vm: &Vm| vm.answers(info.name, "digests") && vm.answers(info.name, "trace");
            if !one.iter().chain([&other]).all(shows_steps) {
                return ends(loaded, index, &options.run, [one, Some(other)]);
            }
            let names = [one.as_ref(), Some(&other)].map(name);
            let on_vm = |vm| OnVm::new(vm, info, &case, options.run.interrupt.clone());
            let one = one.as_ref().map_or_else(|| OnVm::embedded(info, &case), on_vm);
            let (mut one, mut other) = (one.map_err(stopped_early)?, on_vm(&other).map_err(stopped_early)?);
            let compared = bisect::machines([&mut one, &mut other], info.isa).map_err(stopped_early)?;
            show(&compared, &names)
        })
    }
}

/// What the output calls a machine; `None` is the embedded one.
fn name(vm: Option<&Vm>) -> String {
    vm.map_or_else(|| "embedded".to_owned(), |vm| vm.command().name.clone())
}

/// Compares the verdicts of machines that do not show their steps; `None` is the embedded one.
fn ends(
    loaded: &LoadedFile<'_>,
    index: usize,
    run: &RunOptions,
    vms: [Option<Vm>; 2],
) -> anyhow::Result<Exit> {
    let mut out = output::stdout();
    writeln!(out, "a machine does not show its steps; after the run:")?;
    let mut causes = Vec::new();
    for vm in vms {
        let name = name(vm.as_ref());
        let testee = vm.map_or_else(|| run.testee.clone(), |vm| MakeTestee::in_processes(Arc::new(vm)));
        let report = Worker::new(&RunOptions { testee, ..run.clone() }).run_case(loaded, index);
        let cause = signature::cause(report.machine.as_deref(), &report.verdict);
        let cause = cause.unwrap_or_else(|| report.verdict.name().to_owned());
        writeln!(out, "  {}  {}", escaped(&name), escaped(&cause))?;
        causes.push(cause);
    }
    out.flush()?;
    Ok(if causes[0] == causes[1] { Exit::Passed } else { Exit::Failed })
}

/// Prints the result, and chooses the exit code.
fn show(compared: &Compared, names: &[String; 2]) -> anyhow::Result<Exit> {
    let mut out = output::stdout();
    match compared {
        Ok(steps) => writeln!(out, "no difference in {}", counted(*steps, "step"))?,
        Err(divergence) => print(&mut out, divergence, names)?,
    }
    out.flush()?;
    Ok(if compared.is_ok() { Exit::Passed } else { Exit::Failed })
}

fn unreadable(name: &str, error: io::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::InvalidData => BrokenInput(format!("{name}: {error}")).into(),
        _ => anyhow::Error::from(error).context(name.to_owned()),
    }
}

fn open(path: &Path) -> anyhow::Result<BufReader<File>> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    Ok(BufReader::new(file))
}

/// Prints the last common state, the instruction and what differs after it.
fn print(out: &mut impl Write, divergence: &Divergence, names: &[String; 2]) -> io::Result<()> {
    let Divergence { step, last, differs, next } = divergence;
    match last {
        Some(last) => {
            writeln!(out, "{} in step {step} makes the difference", escaped(&last.op))?;
            writeln!(out, "before it, in both:")?;
            for (name, value) in &last.state {
                writeln!(out, "  {name:<10}  {}", shown(value))?;
            }
            writeln!(out, "after it:")?;
        }
        None => writeln!(out, "the runs differ from the start:")?,
    }
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for name in differs {
        for (run, next) in names.iter().zip(next) {
            let value = match (next.get(name), next) {
                (Some(value), _) => shown(value),
                (None, Next::Step(step)) => format!("{} follows", escaped(&step.op)),
                (None, Next::End(_)) => "the run ends".to_owned(),
            };
            writeln!(out, "  {name:<10}  {:<width$}  {value}", escaped(run))?;
        }
    }
    Ok(())
}

/// A value, cut if it is long.
fn shown(value: &Value) -> String {
    const LONGEST: usize = 400;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}
