//! `vmconf bisect`

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use vmconf::explain::bisect::{self, Divergence, Next};
use vmconf::model::count::counted;
use vmconf::model::escape::escaped;
use vmconf::model::exit::Exit;
use vmconf::model::value::Value;

use super::exit_code::BrokenInput;
use super::output;

/// Find the first step at which two runs of a program differ
///
/// Prints the last common state, the instruction and what follows in each run. The traces are as EIP-3155
/// describes them; members that only one of them has are not compared. Exits with 1 if they differ.
///
/// Example: vmconf bisect --trace one.jsonl --trace other.jsonl
#[derive(Debug, Args)]
pub(super) struct Bisect {
    /// A trace; given twice
    #[arg(long = "trace", value_name = "FILE", required = true, num_args = 1)]
    traces: Vec<PathBuf>,
}

impl Bisect {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let [one, other] = &self.traces[..] else { anyhow::bail!("--trace must be given twice") };
        let names = [one, other].map(|path| path.display().to_string());
        let compared = bisect::traces(open(one)?, open(other)?)
            .map_err(|(trace, error)| unreadable(&names[trace], error))?;
        let mut out = output::stdout();
        match &compared {
            Ok(steps) => writeln!(out, "no difference in {}", counted(*steps, "step"))?,
            Err(divergence) => print(&mut out, divergence, &names)?,
        }
        out.flush()?;
        Ok(if compared.is_ok() { Exit::Passed } else { Exit::Failed })
    }
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
