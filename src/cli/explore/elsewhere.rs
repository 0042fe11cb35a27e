//! `vmconf explore --vm` and `--trace`: runs of machines that are not embedded.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use anyhow::bail;
use vmconf::explain::bisect::{self, OnVm};
use vmconf::explain::explore::beside::{ComparedSide, PairedExplorer};
use vmconf::explain::explore::{self, OpenedCase};
use vmconf::explain::playback::{SharedRun, TraceFile, VmRun};
use vmconf::isa::Isa;
use vmconf::machines::evm::EVM;
use vmconf::machines::{Engine, MachineInfo};
use vmconf::model::{Case, CaseId, Exit, Value};
use vmconf::run::{LoadedFile, RunOptions, Worker};
use vmconf::testees::process::{ProcessGroups, ProcessVm};
use vmconf::testees::{EMBEDDED, MakeTestee, Stopped};
use vmconf::text::shell::ShellWords;

use super::terminal::{self, ShownRuns, Signals};
use super::{Explore, explorer, typed};
use crate::cli::conduct::{Conduct, SteadyBreakdowns};
use crate::cli::errors::BrokenInput;
use crate::cli::find_case::{read_case, with_case, with_nth_case};
use crate::cli::input;
use crate::cli::settings::Settings;
use crate::cli::vm::stopped_early;

/// The most runs that are shown beside each other.
const MAX_SIDES: usize = 2;

/// A run that was opened, and what it is beside another one.
struct OpenedSide {
    opened: OpenedCase,
    name: String,
    /// The run, if another machine made it.
    run: Option<SharedRun>,
    isa: &'static Isa,
}

/// The case that machines run.
struct SelectedCase<'f> {
    loaded: &'f LoadedFile<'f>,
    index: usize,
    info: &'static MachineInfo,
    case: Case,
    options: &'f RunOptions,
}

impl Explore {
    /// Opens the runs that `--vm` and `--trace` name.
    pub(super) fn run_elsewhere(&self, settings: &Settings) -> anyhow::Result<Exit> {
        if self.html.is_none() {
            terminal::check()?;
        }
        let groups = ProcessGroups::default();
        let signals = Signals::handle(groups.clone())?;
        if self.traces.len() > MAX_SIDES {
            bail!("--trace: at most {MAX_SIDES} runs are shown beside each other");
        }
        let traces = self.traces.iter().map(|path| read_trace(path)).collect::<anyhow::Result<_>>();
        let traces = named(&self.traces, traces?);
        if !self.vms.is_some() && self.select.is_all() {
            let sides = traces.into_iter().map(|(name, trace)| {
                let id = CaseId::of_file(name.as_str().into());
                of_trace(name, trace, id, "evm", &EVM)
            });
            let sides = sides.collect::<anyhow::Result<_>>()?;
            self.show_sides(sides, FirstDifference::NotSearched, &typed(), &signals)?;
            return Ok(Exit::Passed);
        }
        let options = self.select.options(settings)?;
        let sources = self.select.sources(settings, &options)?;
        let picked = match self.picker(&sources, &options).filter(|_| traces.is_empty()) {
            None => None,
            Some(mut picker) => match terminal::pick(&mut picker, &signals)? {
                Some(picked) => Some(picked),
                None => return Ok(Exit::Passed),
            },
        };
        let vms = self.vms.start(settings, &groups, &options.run.interrupt)?;
        let vms: Vec<_> = vms.into_iter().map(Arc::new).collect();
        if vms.len() + traces.len() > MAX_SIDES {
            bail!("--vm and --trace: at most {MAX_SIDES} runs are shown beside each other");
        }
        let show = |loaded: &LoadedFile<'_>, index: usize| {
            let (info, case) = read_case(loaded, index)?;
            let case = SelectedCase { loaded, index, info, case, options: &options.run };
            let (sides, first) = case.sides(&vms, traces)?;
            let command = match (picked, loaded.ids().nth(index)) {
                (Some(_), Some(id)) => self.typed_for(id),
                _ => typed(),
            };
            self.show_sides(sides, first, &command, &signals)?;
            Ok(Exit::Passed)
        };
        let exit = match picked {
            Some(picked) => with_nth_case(&sources, &options, picked, show),
            None => with_case(&sources, &options, show),
        }?;
        // What it lacked is shown where it would be.
        let conduct = Conduct { steady: SteadyBreakdowns::Reported, flaky: self.vms.flaky() };
        Ok(conduct.end(&vms, exit))
    }

    /// Shows one run, or two beside each other, or writes a page; `command` is what follows the name of the command
    /// that opens them.
    fn show_sides(
        &self,
        sides: Vec<OpenedSide>,
        first: FirstDifference,
        command: &ShellWords,
        signals: &Signals,
    ) -> anyhow::Result<()> {
        let source = self.source_lines()?;
        let mut sides = sides.into_iter();
        let (Some(one), second) = (sides.next(), sides.next()) else { bail!("there is no run to show") };
        let Some(other) = second else {
            return match &self.html {
                Some(file) => self.write_page(one.opened, &source, file),
                None => self.show(explorer(one.opened, source, command.clone()), signals),
            };
        };
        let compared = |side: OpenedSide| {
            let OpenedSide { opened, name, run, isa } = side;
            ComparedSide { explorer: explorer(opened, source.clone(), command.clone()), name, run, isa }
        };
        let mut sides = [compared(one), compared(other)];
        let first = match first {
            FirstDifference::Found(state) => state,
            FirstDifference::NotSearched => PairedExplorer::first_difference(&mut sides)?,
        };
        let mut pair = PairedExplorer::new(sides, first);
        pair.open_at(self.at, self.datum.as_deref());
        match &self.html {
            Some(file) => self.write_pair(pair, &source, file),
            None => terminal::run(&mut ShownRuns::Two(Box::new(pair)), signals),
        }
    }
}

/// The first state in which two runs differ.
#[derive(Clone, Copy)]
enum FirstDifference {
    /// Searched for by the machines; `None` if no state differs.
    Found(Option<u64>),
    /// To be found by comparing the states step by step.
    NotSearched,
}

impl SelectedCase<'_> {
    /// The runs to show, and where they differ first.
    fn sides(
        &self,
        vms: &[Arc<ProcessVm>],
        traces: Vec<(String, TraceFile)>,
    ) -> anyhow::Result<(Vec<OpenedSide>, FirstDifference)> {
        let mut sides = Vec::new();
        if vms.len() + traces.len() == 1 && self.info.engine != Engine::Elsewhere {
            let opened = explore::open(self.loaded, self.index, self.options).map_err(BrokenInput)?;
            sides.push(OpenedSide { opened, name: EMBEDDED.to_owned(), run: None, isa: self.info.isa });
        }
        let mut last = None;
        for vm in vms {
            let (side, run) = self.on_vm(vm)?;
            sides.push(side);
            last = Some(run);
        }
        let is_searched = traces.is_empty() && sides.len() == MAX_SIDES;
        for (name, trace) in traces {
            sides.push(of_trace(name, trace, self.id(), self.info.name, self.info.isa)?);
        }
        let first = match last.filter(|_| is_searched) {
            Some(run) => FirstDifference::Found(self.first_difference(vms, &run.borrow())?),
            None => FirstDifference::NotSearched,
        };
        Ok((sides, first))
    }

    fn id(&self) -> CaseId {
        self.loaded.ids().nth(self.index).cloned().unwrap_or_else(|| CaseId::of_file("case".into()))
    }

    /// The error for a machine that did not run the case to its end. If it broke down, another command is noted that
    /// shows the case.
    fn stopped(&self, stopped: Stopped) -> anyhow::Error {
        let is_broken = matches!(stopped, Stopped::Crash(_) | Stopped::Timeout(_));
        let id = self.id().to_string();
        if is_broken && self.info.engine != Engine::Elsewhere {
            let words = ShellWords::from_iter([id.clone()]);
            note!("note: vmconf explore{words} shows the run of the embedded machine");
        }
        BrokenInput(format!("{id}: {}", stopped_early(stopped))).into()
    }

    fn ask(&self, vm: &Arc<ProcessVm>) -> anyhow::Result<OnVm> {
        let on_vm = OnVm::new(vm.clone(), self.info, &self.case, self.options.interrupt.clone());
        Ok(on_vm.map_err(|stopped| self.stopped(stopped))?.limited(&self.loaded.options().limits))
    }

    fn on_vm(&self, vm: &Arc<ProcessVm>) -> anyhow::Result<(OpenedSide, Rc<RefCell<VmRun>>)> {
        let name = vm.command().name.clone();
        let on_vm = self.ask(vm)?;
        if let Err(why) = VmRun::check(&on_vm) {
            bail!("--vm {name} cannot be explored for {}: {why}", self.info.name);
        }
        let run = VmRun::new(on_vm, self.info.isa).map_err(|stopped| self.stopped(stopped))?;
        let options = RunOptions { testee: MakeTestee::in_processes(vm.clone()), ..self.options.clone() };
        let report = Worker::new(&options).run_case(self.loaded, self.index);
        let assertions = explore::failing_assertions(&report);
        let case = run.case(&self.case);
        let run = Rc::new(RefCell::new(run));
        let opened = explore::open_played(self.id(), &case, run.clone(), assertions).map_err(BrokenInput)?;
        Ok((OpenedSide { opened, name, run: Some(run.clone()), isa: self.info.isa }, run))
    }

    /// The first state in which the machine and the one before it, or the embedded one, differ, as `bisect` finds it.
    fn first_difference(&self, vms: &[Arc<ProcessVm>], run: &VmRun) -> anyhow::Result<Option<u64>> {
        let (one, other) = match vms {
            [one, other] => (self.ask(one)?, self.ask(other)?),
            [other] => {
                let embedded = OnVm::embedded(self.info, &self.case).map_err(stopped_early)?;
                (embedded.limited(&self.loaded.options().limits), self.ask(other)?)
            }
            _ => return Ok(None),
        };
        let ignored = &self.loaded.options().ignored;
        let [mut one, mut other] = [one, other].map(|machine| machine.without(ignored));
        match bisect::compare_runs(&mut one, &mut other, self.info.isa) {
            Ok(found) => Ok(found.difference.map(|difference| run.step_of(difference.at))),
            Err(Stopped::Interrupted) => Err(stopped_early(Stopped::Interrupted)),
            Err(stopped) => {
                note!("note: no first difference: {}", stopped_early(stopped));
                Ok(None)
            }
        }
    }
}

/// Traces with the names of their files; with the whole paths if those are the same.
fn named(paths: &[PathBuf], traces: Vec<TraceFile>) -> Vec<(String, TraceFile)> {
    let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let short: Vec<_> = paths.iter().filter_map(name).collect();
    let is_clear = short.len() == paths.len() && short.first() != short.get(1);
    let names = paths.iter().map(|path| path.display().to_string());
    if is_clear { short.into_iter().zip(traces).collect() } else { names.zip(traces).collect() }
}

/// A trace in a file. What is no step in it is noted.
fn read_trace(path: &Path) -> anyhow::Result<TraceFile> {
    let name = path.display().to_string();
    let trace = TraceFile::read(&name, input::read(path)?).map_err(BrokenInput)?;
    trace.notes.iter().for_each(|note| note!("note: {note}"));
    Ok(trace)
}

fn of_trace(
    name: String,
    trace: TraceFile,
    id: CaseId,
    machine: &'static str,
    isa: &'static Isa,
) -> anyhow::Result<OpenedSide> {
    let run: SharedRun = Rc::new(RefCell::new(trace));
    let case = explore::whole_run(machine, Value::Null.into());
    let opened = explore::open_played(id, &case, run.clone(), Vec::new()).map_err(BrokenInput)?;
    Ok(OpenedSide { opened, name, run: Some(run), isa })
}
