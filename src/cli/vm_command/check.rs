//! `vmconf vm check`

mod adapter;
mod family;
mod hello;
mod in_flight;
mod notation;
mod run;
mod small_program;
mod steps;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use vmconf::model::{Exit, Interrupt, counted, escaped};
use vmconf::run::Families;
use vmconf::testees::process::{ProcessGroups, Stray};

use self::adapter::{CheckPoints, CheckedAdapter, CheckedPoint};
use crate::cli::families;
use crate::cli::output;
use crate::cli::result_file::write_typed;
use crate::cli::settings::{ConfigArgs, Settings};
use crate::cli::vm::{end_on_interrupt, testee_command};

/// Test whether an adapter follows the process protocol
///
/// Prints a line for each point: what is wrong, and how to fix it. The exit code is 1 if a point is wrong.
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
    #[arg(required = true, trailing_var_arg = true)]
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
        let mut adapter = CheckedAdapter {
            command: testee_command("adapter", self.command.clone()),
            groups,
            interrupt: Interrupt::default(),
            conversation: None,
            recorded: Vec::new(),
            stray: None,
            was_late: false,
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
            write_typed(path, &adapter.recorded)?;
        }
        print(&points)
    }
}

fn try_all(adapter: &mut CheckedAdapter, families: &Families, points: &mut CheckPoints) {
    let Some(hello) = hello::try_hello(adapter, families, points) else { return };
    for offer in &hello.machines {
        match families.by_name(&offer.machine) {
            Some(known) => family::try_family(adapter, known, offer, hello.in_flight, points),
            None => run::try_machine(adapter, offer, hello.in_flight, points),
        }
    }
    let advice = "end the loop at the end of the input, with exit code 0";
    let ended = adapter.finish().map_err(|why| format!("{why}; {advice}"));
    // The last line may come at the end.
    points.add("writes one line for each request", adapter.stray.take().map_or(Ok(()), |it| Err(stray(it))));
    points.add("ends when its input ends", ended);
}

fn stray(Stray { first, more }: Stray) -> String {
    let more = if more > 0 { format!(" ({more} more like this)") } else { String::new() };
    format!("it wrote {first}{more}; write nothing else to standard output, and logs to standard error")
}

fn print(points: &CheckPoints) -> anyhow::Result<Exit> {
    let mut out = output::stdout();
    for CheckedPoint { what, wrong } in &points.0 {
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
