//! `vmconf bisect`

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use vmconf::explain::bisect::{
    self, Bisected, DifferencePlace, NextInstruction, OnVm, RunDifference, StateDifference, TraceFault,
};
use vmconf::explain::playback::hides_steps;
use vmconf::machines::Engine;
use vmconf::model::explanation::OP;
use vmconf::model::{self, Exit, Value, brief, counted, escaped};
use vmconf::run::{FileOptions, IgnoredField};
use vmconf::testees::EMBEDDED;
use vmconf::testees::process::ProcessVm;
use vmconf::text::shell::ShellWords;
use vmconf::wire::eip3155::Eip3155Step;

use super::conduct::{Conduct, SteadyBreakdowns};
use super::errors::BrokenInput;
use super::find_case::{read_case, with_case};
use super::flags::FlagEffect;
use super::output;
use super::select::Select;
use super::settings::Settings;
use super::vm::{VmsArgs, stopped_early};

/// The maximum number of data that are printed for two states.
const MAX_SHOWN: usize = 20;

/// Find the first step at which two runs of a program differ
///
/// Runs one case on two machines: the embedded one and that of --vm, or those of two --vm. Or reads two traces from
/// files. A case of a family needs --vm twice, since no machine of it is embedded. Prints the last
/// common state, the instruction and what follows in each run. The whole states of machines are compared, and how they
/// end; the output names the fields that a machine does not report. Traces are as EIP-3155 describes them; members that
/// only one of them has are not compared. Exits with 1 if the runs differ.
///
/// Example: cd docs/examples/bisect && vmconf bisect --trace ours.jsonl --trace theirs.jsonl
#[derive(Debug, Args)]
pub(super) struct Bisect {
    #[command(flatten)]
    pub(super) select: Select,

    #[command(flatten)]
    vms: VmsArgs,

    /// A trace in place of a machine; given twice
    #[arg(long = "trace", value_name = "FILE", conflicts_with_all = ["vms", "paths"])]
    traces: Vec<PathBuf>,
}

impl Bisect {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        match &self.traces[..] {
            [] => self.bisect_machines(settings),
            [one, other] => {
                settings.refuse_effects("--trace")?;
                let names = [one, other].map(|path| path.display().to_string());
                let compared = bisect::compare_traces(open(one)?, open(other)?)
                    .map_err(|(trace, error)| unreadable(&names[trace], error))?;
                let words = names.iter().flat_map(|name| ["--trace".to_owned(), name.clone()]);
                show(&compared, &names, &[], Some(words.collect()))
            }
            _ => bail!("--trace must be given twice"),
        }
    }

    fn bisect_machines(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let options = self.select.options(settings)?;
        let sources = self.select.sources(settings, &options)?;
        let vms = self.vms.start_until_interrupt(settings, &options.run.interrupt)?;
        let (one, other) = match &vms[..] {
            [one, other] => (Some(one), other),
            [other] => (None, other),
            _ => bail!("name one machine or two with --vm NAME=COMMAND, or two files with --trace"),
        };
        let exit = with_case(&sources, &options, |loaded, index| {
            let (info, case) = read_case(loaded, index)?;
            if one.is_none() && info.engine == Engine::Elsewhere {
                bail!(
                    "vmconf does not embed {}; name a second machine with --vm, or two files with --trace",
                    info.name
                );
            }
            let names = [one, Some(other)].map(name);
            let on_vm =
                |vm: &Arc<ProcessVm>| OnVm::new(vm.clone(), info, &case, options.run.interrupt.clone());
            let one = one.map_or_else(|| OnVm::embedded(info, &case), on_vm);
            let (one, other) = (one.map_err(stopped_early)?, on_vm(other).map_err(stopped_early)?);
            let FileOptions { limits, ignored, .. } = loaded.options();
            let [mut one, mut other] = [one, other].map(|machine| machine.limited(limits).without(ignored));
            if !one.shares_state_with(&other) {
                bail!(
                    "the machines cannot be compared: they report no common field that is not ignored, and at least \
                     one does not report instructions"
                );
            }
            let found = bisect::compare_runs(&mut one, &mut other, info.isa).map_err(stopped_early)?;
            let id = loaded.ids().nth(index).map(ToString::to_string);
            let words: ShellWords = id.into_iter().collect();
            let words = words.and(settings.repeated(FlagEffect::Verdicts));
            let words = Some(words).filter(|_| !vms.iter().any(|vm| hides_steps(vm)));
            let exit = show(&found, &names, ignored, words)?;
            found.broke.map_or(Ok(exit), |stopped| Err(stopped_early(stopped)))
        })?;
        let conduct = Conduct { steady: SteadyBreakdowns::Reported, flaky: self.vms.flaky() };
        Ok(conduct.end(&vms, exit))
    }
}

/// What the output calls a machine; `None` is the embedded one.
fn name(vm: Option<&Arc<ProcessVm>>) -> String {
    vm.map_or_else(|| EMBEDDED.to_owned(), |vm| vm.command().name.clone())
}

fn unreadable(name: &str, error: io::Error) -> anyhow::Error {
    match error.get_ref().and_then(|error| error.downcast_ref::<TraceFault>()) {
        Some(fault) => BrokenInput(fault.located(name)).into(),
        None => anyhow::Error::from(error).context(name.to_owned()),
    }
}

fn open(path: &Path) -> anyhow::Result<BufReader<File>> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    Ok(BufReader::new(file))
}

/// Prints data of one state by name.
fn print_members<N: Deref<Target = str>>(out: &mut impl Write, members: &[(N, Value)]) -> io::Result<()> {
    members.iter().try_for_each(|(name, value)| writeln!(out, "  {:<10}  {}", &**name, shown(value)))
}

/// Prints what differs in what follows.
fn print_next(
    out: &mut impl Write,
    differs: &[&str],
    next: &[NextInstruction; 2],
    names: &[String; 2],
) -> io::Result<()> {
    for name in differs {
        let value = |next: &NextInstruction| match (next.get(name), next) {
            (Some(value), _) => shown(value),
            (None, NextInstruction::Step(step)) => format!("{} follows", escaped(&step.op)),
            (None, NextInstruction::End(_)) => "the run ends".to_owned(),
        };
        print_both(out, name, next.each_ref().map(value), names)?;
    }
    Ok(())
}

/// Prints a datum of both runs.
fn print_both(out: &mut impl Write, what: &str, values: [String; 2], names: &[String; 2]) -> io::Result<()> {
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    names
        .iter()
        .zip(values)
        .try_for_each(|(name, value)| writeln!(out, "  {what:<10}  {:<width$}  {value}", escaped(name)))
}

/// Prints what was found, and the command that shows both runs, which has these words after its name; `None` if the
/// runs cannot be explored. Chooses the exit code.
fn show(
    found: &Bisected,
    names: &[String; 2],
    ignored: &[IgnoredField],
    words: Option<ShellWords>,
) -> anyhow::Result<Exit> {
    let mut out = output::stdout();
    match &found.difference {
        Some(difference) => print_difference(&mut out, difference, found.steps, names)?,
        None => match found.steps {
            Some(steps) => writeln!(out, "no difference in {}", counted(steps, "step"))?,
            None => writeln!(out, "no difference in the states that were compared")?,
        },
    }
    print_lacking(&mut out, &found.lacking, names)?;
    if !ignored.is_empty() {
        let ignored: Vec<_> = ignored.iter().map(IgnoredField::text).collect();
        writeln!(out, "not compared, by --ignore: {}", escaped(&ignored.join(", ")))?;
    }
    if let Some(words) = words.filter(|_| found.difference.is_some()) {
        writeln!(out, "look: {}", escaped(&format!("vmconf explore{words}")))?;
    }
    out.flush()?;
    Ok(if found.difference.is_none() { Exit::Passed } else { Exit::Failed })
}

/// Prints what some of the machines or traces lack.
fn print_lacking(
    out: &mut impl Write,
    lacking: &[(String, [bool; 2])],
    names: &[String; 2],
) -> io::Result<()> {
    for (name, index) in names.iter().zip(0..) {
        let of_name: Vec<_> = lacking.iter().filter(|it| it.1[index]).map(|it| &*it.0).collect();
        if !of_name.is_empty() {
            let (name, lacking) = (escaped(name), of_name.join(", "));
            writeln!(out, "not compared, since {name} does not report it: {lacking}")?;
        }
    }
    Ok(())
}

/// Prints which instructions the runs execute in the same state.
fn print_decoded(
    out: &mut impl Write,
    step: u64,
    sides: [&Eip3155Step; 2],
    names: &[String; 2],
) -> io::Result<()> {
    let [one, other] = sides.map(|side| escaped(&side.op));
    let pc = sides[0].state.iter().find(|member| member.0 == "pc").map(|pc| format!(" at {}", shown(&pc.1)));
    let [name, of_other] = names.each_ref().map(|name| escaped(name));
    writeln!(out, "in step {step}{}, {name} executes {one} and {of_other} {other}", pc.unwrap_or_default())
}

fn print_difference(
    out: &mut impl Write,
    difference: &RunDifference,
    steps: Option<u64>,
    names: &[String; 2],
) -> io::Result<()> {
    let RunDifference { at, members, next, states, .. } = difference;
    let decoded = difference.decoded();
    print_place(out, difference, steps, names)?;
    if !matches!(at, DifferencePlace::AtStart | DifferencePlace::AtEnd(_)) {
        print_before(out, difference)?;
        if decoded.is_none() || !states.is_empty() {
            writeln!(out, "after it:")?;
        }
    }
    if let Some(next) = next.as_ref().filter(|_| decoded.is_none()) {
        print_next(out, members, next, names)?;
    }
    // What the next instructions show already is not shown again.
    let is_shown = |it: &&StateDifference| {
        next.is_some() && members.iter().any(|name| it.at == model::Path::field(*name))
    };
    let states: Vec<_> = states.iter().filter(|it| !is_shown(it)).collect();
    for StateDifference { at, values } in states.iter().take(MAX_SHOWN) {
        let value = |value: &Option<Value>| value.as_ref().map_or_else(|| "-".to_owned(), shown);
        print_both(out, &at.to_string(), values.each_ref().map(value), names)?;
    }
    if let Some(rest) = states.len().checked_sub(MAX_SHOWN).filter(|rest| *rest > 0) {
        writeln!(out, "  and {rest} more")?;
    }
    Ok(())
}

/// Prints where the difference arises. `steps` is the number of instructions of both runs if these do not differ.
fn print_place(
    out: &mut impl Write,
    difference: &RunDifference,
    steps: Option<u64>,
    names: &[String; 2],
) -> io::Result<()> {
    let op = difference.last.as_ref().map_or_else(String::new, |last| format!("{} in ", escaped(&last.op)));
    match (difference.at, steps) {
        (DifferencePlace::AtStart, _) => writeln!(out, "the runs differ from the start:"),
        (DifferencePlace::InStep(step), _) => match difference.decoded() {
            Some(sides) => print_decoded(out, step, sides, names),
            None => writeln!(out, "{op}step {step} makes the difference"),
        },
        (DifferencePlace::InStepOf { step, action }, _) => {
            writeln!(out, "step {step} of action {action} makes the difference")
        }
        (DifferencePlace::InAction(action), _) => writeln!(out, "action {action} makes the difference"),
        (DifferencePlace::AtEnd(_), Some(steps)) => {
            writeln!(out, "the same {}, but they end differently:", counted(steps, "step"))
        }
        (DifferencePlace::AtEnd(_), None) => writeln!(out, "they end differently:"),
    }
}

/// Prints the state before the difference.
fn print_before(out: &mut impl Write, difference: &RunDifference) -> io::Result<()> {
    writeln!(out, "before it, in both:")?;
    match (&difference.last, &difference.before) {
        (Some(last), _) => {
            // The opcode is not the same in both if it is what differs.
            let is_decoded = difference.decoded().is_some();
            let state = last.state.iter().filter(|member| !is_decoded || member.0 != OP);
            print_members(out, &state.cloned().collect::<Vec<_>>())
        }
        (None, before) => print_members(out, before.as_ref().and_then(Value::members).unwrap_or_default()),
    }
}

/// A value, cut if it is long.
fn shown(value: &Value) -> String {
    brief(value, 400)
}
