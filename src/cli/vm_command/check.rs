//! `vmconf vm check`

mod adapter;
mod family;
mod hello;
mod run;

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use vmconf::model::count::counted;
use vmconf::model::escape::escaped;
use vmconf::model::exit_code::Exit;
use vmconf::model::interrupt::Interrupt;
use vmconf::run::Families;
use vmconf::testees::process::{ProcessGroups, START, TesteeCommand};

use self::adapter::{CheckPoints, CheckedAdapter, Point, TIMEOUT};
use crate::cli::families;
use crate::cli::output;
use crate::cli::result_file::ResultFile;
use crate::cli::settings::{ConfigArgs, Settings};
use crate::cli::unwritten::Unwritten;
use crate::cli::vm::end_on_interrupt;

/// How long an adapter has to end after its input.
const MOST_TO_END: Duration = Duration::from_secs(2);

/// Try whether an adapter follows the process protocol
///
/// Prints a line for each point: what is wrong, and how to repair it. The exit code is 1 if something is.
///
/// Example: vmconf vm check vmconf serve evm
#[derive(Debug, Args)]
pub(super) struct VmCheckArgs {
    /// Write the conversation to a file, requests and answers in turn, one a line
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// A family that is not built in: its name in vmconf.toml, or its declaration
    #[arg(long, value_name = "NAME|FILE")]
    family: Option<String>,

    #[command(flatten)]
    config: ConfigArgs,

    /// The adapter and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

impl VmCheckArgs {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let mut families = families::configured(settings)?;
        if let Some(family) = &self.family {
            families = families::named(family, &families)?.1;
        }
        let groups = ProcessGroups::default();
        end_on_interrupt(&groups)?;
        let command = TesteeCommand {
            name: "adapter".to_owned(),
            words: self.command.clone(),
            env: Vec::new(),
            folder: None,
            timeout: TIMEOUT,
            start: START,
            memory: None,
        };
        let mut adapter = CheckedAdapter {
            command,
            groups,
            interrupt: Interrupt::default(),
            conversation: None,
            recorded: Vec::new(),
        };
        let mut points = CheckPoints::default();
        match adapter.start() {
            Ok(conversation) => {
                adapter.conversation = Some(conversation);
                points.add("starts", Ok(()));
                try_all(&mut adapter, &families, &mut points);
            }
            Err(why) => points.add("starts", Err(format!("{why}; give the path of the program"))),
        }
        if let Some(path) = &self.record {
            ResultFile::with(path, &adapter.recorded).map_err(|error| Unwritten::file(path, error))?;
        }
        print(&points)
    }
}

fn try_all(adapter: &mut CheckedAdapter, families: &Families, points: &mut CheckPoints) {
    let Some(hello) = hello::try_hello(adapter, families, points) else { return };
    for offer in &hello.machines {
        match families.by_name(&offer.machine) {
            Some(known) => family::try_family(adapter, known, offer, points),
            None => run::try_machine(adapter, offer, points),
        }
    }
    let ended = adapter.conversation.take().map_or(Ok(()), |it| it.finish(Instant::now(), MOST_TO_END));
    let ended = ended.map_err(|breakdown| {
        let advice = "end the loop at the end of the input, with exit code 0";
        format!("it {}{}; {advice}", breakdown.what, breakdown.stderr_in_line())
    });
    points.add("ends when its input ends", ended);
}

fn print(points: &CheckPoints) -> anyhow::Result<Exit> {
    let mut out = output::stdout();
    for Point { what, wrong } in &points.0 {
        match wrong {
            None => writeln!(out, "ok     {what}")?,
            Some(wrong) => writeln!(out, "WRONG  {what}: {}", escaped(wrong))?,
        }
    }
    let wrong = points.0.iter().filter(|point| point.wrong.is_some()).count();
    writeln!(out, "{}, {wrong} wrong", counted(points.0.len(), "point"))?;
    out.flush()?;
    Ok(if wrong == 0 { Exit::Passed } else { Exit::Failed })
}
