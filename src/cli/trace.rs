//! `vmconf trace`

mod on_vm;

use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use vmconf::explain::bisect::OnVm;
use vmconf::explain::trace::{StepFilter, TRACES, TraceSelection, TraceWriter, Tracer};
use vmconf::isa::{Isa, OpInfo};
use vmconf::machines::elsewhere::NOT_HERE;
use vmconf::machines::status::LimitReached;
use vmconf::machines::{self, MachineInfo};
use vmconf::model::{CaseId, Exit, Renderer, Verdict};
use vmconf::run::{self, JudgedCase, LoadedFile, RunOptions, Worker};
use vmconf::testees::TesteeState;
use vmconf::testees::embedded::Embedded;
use vmconf::testees::process::ProcessVm;
use vmconf::text::suggest::did_you_mean;
use vmconf::wire::protocol::OptionalRequest;

use super::errors::BrokenInput;
use super::families::NO_INSTRUCTIONS;
use super::find_case::{read_case, with_case};
use super::number::{number, positive_u16};
use super::output;
use super::select::Select;
use super::settings::Settings;
use super::vm::{VmArgs, stopped_early, with_misconduct};

/// Print every instruction of a case
///
/// Example: vmconf trace vectors/evm/arithmetic/div.json::by-zero --last 5
///
/// One line per step: the instruction with its operands, its price if the machine has gas, the stack or
/// what it reads, and what it writes. The last line says how the machine ended. With --vm, a line has what the
/// machine in the other process reports: the instruction, gas and the top of the stack.
#[derive(Debug, Args)]
pub(super) struct TraceArgs {
    #[command(flatten)]
    pub(super) select: Select,

    /// Output form: text for people, json for programs, eip3155 (evm, ethereum), minic89 (snapshots)
    #[arg(short = 'o', long = "output", alias = "as", value_name = "FORM", default_value = TRACES[0].name,
          value_parser = forms())]
    kind: String,

    /// First step to print; step N leads to state N, and the initial state is 0
    #[arg(long, value_name = "STEP", default_value_t = 0, value_parser = number::<u64>)]
    from: u64,

    /// Last step to print
    #[arg(long, value_name = "STEP", value_parser = number::<u64>)]
    to: Option<u64>,

    /// Only the last N of the selected steps; the case runs twice
    #[arg(long, value_name = "N", value_parser = number::<u64>)]
    last: Option<u64>,

    /// Only steps at call depth N: 1 is the script, function or code that starts, 2 what it calls
    #[arg(long, value_name = "N", value_parser = positive_u16, conflicts_with = "vm")]
    frame: Option<u16>,

    /// Only this instruction; repeatable
    #[arg(long = "op", value_name = "NAME")]
    ops: Vec<String>,

    #[command(flatten)]
    vm: VmArgs,
}

/// The names of the forms; `jsonl` is another name of `json`.
fn forms() -> impl TypedValueParser<Value = String> {
    const JSON: &str = "json";
    const OTHER: &str = "jsonl";
    let form = |name| PossibleValue::new(name).aliases((name == JSON).then_some(OTHER));
    let names = PossibleValuesParser::new(Renderer::names(TRACES).into_iter().map(form));
    names.map(|name| if name == OTHER { JSON.to_owned() } else { name })
}

impl TraceArgs {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        if self.to.is_some_and(|to| to < self.from) {
            bail!("--to is less than --from");
        }
        let mut options = self.select.options(settings)?;
        options.run.testee = self.vm.testee_until_interrupt(settings)?;
        let sources = self.select.sources(settings, &options)?;
        let exit = with_case(&sources, &options, |loaded, case| match options.run.testee.vm() {
            Some(vm) => self.trace_on(vm, loaded, case, &options.run),
            None => self.trace(loaded, case, &options.run),
        })?;
        Ok(with_misconduct(&options.run.testee, exit))
    }

    fn trace(&self, loaded: &LoadedFile<'_>, case: usize, options: &RunOptions) -> anyhow::Result<Exit> {
        let Some(machine) = run::machine_of(loaded, case) else {
            // Running the case reports its errors.
            return exit(&Worker::new(options).watch_case(loaded, case, &mut StepFilter::default()));
        };
        if run::is_elsewhere(loaded) {
            bail!("{NOT_HERE}");
        }
        let writer = self.writer(machine)?;
        let mut selection = self.selection(machine.isa)?;
        let mut worker = Worker::new(options);
        if let Some(last) = self.last {
            // Runs are deterministic: counting the steps in a run before avoids keeping them in memory. If their
            // numbers alone select them, all run unseen, since none is selected.
            let counted = TraceSelection { skip: u64::MAX, ..selection.clone() };
            let mut filter = StepFilter::new(counted);
            worker.watch_case(loaded, case, &mut filter);
            selection.skip = filter.found().saturating_sub(last);
        }
        let most = loaded.options().limits.output;
        let mut tracer = Tracer::new(writer, selection, Box::new(output::stdout_to_the_end()), most);
        let watched = worker.watch_case(loaded, case, &mut tracer);
        if let Some(machine) = worker.watched_machine() {
            end(&mut tracer, machine, &watched)?;
        }
        if tracer.is_cut {
            let reached = LimitReached { flag: "max-output", limit: most };
            return Err(cut(&watched.report.id, &reached));
        }
        exit(&watched)
    }

    /// Traces a case on a machine in another process.
    fn trace_on(
        &self,
        vm: &Arc<ProcessVm>,
        loaded: &LoadedFile<'_>,
        case: usize,
        options: &RunOptions,
    ) -> anyhow::Result<Exit> {
        let name = &vm.command().name;
        if self.kind != TRACES[0].name {
            bail!("--output {}: with --vm only {}", self.kind, TRACES[0].name);
        }
        let id = loaded.case(case).context("no such case")?.id;
        let (info, case) = read_case(loaded, case)?;
        if !vm.answers(info.name, OptionalRequest::Trace) {
            let here = match machines::by_name(info.name) {
                Some(info) => format!("; without --vm, {} is traced here", info.name),
                None => String::new(),
            };
            bail!("--vm {name} does not answer trace requests{here}");
        }
        let on_vm = OnVm::new(vm.clone(), info, &case, options.interrupt.clone()).map_err(stopped_early)?;
        let limits = &loaded.options().limits;
        match on_vm::print(on_vm, info.isa, &self.selection(info.isa)?, self.last, limits)? {
            Some(reached) => Err(cut(&id, &reached)),
            None => Ok(Exit::Passed),
        }
    }

    fn writer(&self, machine: &MachineInfo) -> anyhow::Result<Box<dyn TraceWriter>> {
        let kind = Renderer::by_name(TRACES, &self.kind).context("no such way to write traces")?;
        let writer = (kind.new)(machine.isa);
        let machines = writer.machines();
        if !machines.is_empty() && !machines.contains(&machine.name) {
            let its = machines.join(" and ");
            bail!("--output {} is for {its}, and the case is for {}", kind.name, machine.name);
        }
        Ok(writer)
    }

    fn selection(&self, isa: &'static Isa) -> anyhow::Result<TraceSelection> {
        let ops = self.ops.iter().map(|name| op(isa, name)).collect::<anyhow::Result<_>>()?;
        Ok(TraceSelection {
            from: self.from,
            to: self.to.unwrap_or(u64::MAX),
            ops,
            frame: self.frame.map(usize::from),
            skip: 0,
        })
    }
}

/// The error of a trace that a limit ended.
fn cut(id: &CaseId, reached: &LimitReached) -> anyhow::Error {
    BrokenInput(format!("{id}: {reached}; --from, --to, --last and --op select steps")).into()
}

fn op(isa: &'static Isa, name: &str) -> anyhow::Result<&'static OpInfo> {
    isa.by_name(name).with_context(|| {
        if isa.ops.is_empty() {
            return format!("--op {name}: {NO_INSTRUCTIONS}");
        }
        let names = isa.ops.iter().flat_map(|op| [Some(op.name), op.alias]).flatten();
        format!("--op {name}: {} has no such instruction{}", isa.machine, did_you_mean(name, names))
    })
}

/// Writes the end of the trace, unless the run did not start.
fn end(tracer: &mut Tracer, machine: &Embedded, watched: &JudgedCase) -> anyhow::Result<()> {
    match &watched.report.verdict {
        _ if tracer.is_cut => tracer.end(machine.state(), "the rest is left out: --max-output")?,
        Verdict::Error(_) if tracer.steps() == 0 => {}
        Verdict::Error(diagnostics) => {
            let messages: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.what.as_str()).collect();
            tracer.end(machine.state(), &messages.join("; "))?;
        }
        _ => tracer.end(machine.state(), &machine.describe())?,
    }
    Ok(())
}

/// A case that fails can be traced; a broken case cannot.
fn exit(watched: &JudgedCase) -> anyhow::Result<Exit> {
    let report = &watched.report;
    let Verdict::Error(diagnostics) = &report.verdict else { return Ok(Exit::Passed) };
    output::note_errors(&report.id.file, diagnostics);
    Err(BrokenInput("the case cannot be run".to_owned()).into())
}
