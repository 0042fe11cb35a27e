//! `vmconf matrix`

mod pages;
mod results;

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use clap::Args;
use vmconf::explain::playback::hides_steps;
use vmconf::machines::has_instruction;
use vmconf::model::{Event, Exit, VerdictKind, counted, escaped};
use vmconf::report::conformance::{ConformanceMachine, ConformanceRun, UnlikeSuites, unlike_suites};
use vmconf::report::matrix::{MATRICES, MatrixKind};
use vmconf::run::known_failures::KnownFailures;
use vmconf::run::matrix::{MatrixCollector, MatrixMachine};
use vmconf::run::{self, ContentDigests, LoadOptions};
use vmconf::testees::MakeTestee;
use vmconf::testees::process::{ProcessGroups, ProcessVm};
use vmconf::text::file_name::shown;
use vmconf::wire::matrix::Matrix;

use self::results::ResultsArgument;
use super::known::{KnownArgs, apply_to_all};
use super::number;
use super::output;
use super::output_form::forms;
use super::select::Select;
use super::settings::{FILE, Settings};
use super::system::{processors, this_system};
use super::vm::{VmsArgs, end_on_interrupt};

/// Run vectors on several machines and show where they differ
///
/// Example: vmconf matrix vectors/evm --vm 'one=vmconf serve evm' --vm 'other=vmconf serve evm'
///
/// Cases that some machine does not pass come first, grouped by what each machine does, then the counts of
/// each machine by suite. A suite is a folder below the one that all files have in common. With --results, nothing
/// runs, and the exit code does not depend on the results.
#[derive(Debug, Args)]
pub(super) struct MatrixCommand {
    #[command(flatten)]
    pub(super) select: Select,

    #[command(flatten)]
    vms: VmsArgs,

    /// Number of threads [default: one per processor]
    #[arg(short, long, value_name = "N", value_parser = number::jobs)]
    jobs: Option<u16>,

    /// Output form
    #[arg(short = 'o', long = "output", value_name = "FORM", default_value = MATRICES[0].name, value_parser = forms(MATRICES))]
    form: &'static MatrixKind,

    /// A JSON report of vmconf run instead of a machine to run, from any computer; repeatable
    ///
    /// Without NAME, the machine has the name that it had in the run. Reports of one machine are its history, the
    /// newest last.
    #[arg(long, value_name = "[NAME=]FILE", conflicts_with = "paths")]
    results: Vec<ResultsArgument>,

    /// Write static pages on the machines to this folder, with a conformance statement for each
    #[arg(long, value_name = "FOLDER")]
    site: Option<PathBuf>,

    /// Write the conformance statement of the machine to this file, in Markdown
    #[arg(long, value_name = "FILE")]
    statement: Option<PathBuf>,

    /// Write a badge for each machine, NAME.svg, to this folder
    #[arg(long, value_name = "FOLDER")]
    badges: Option<PathBuf>,
}

/// The name of the working folder, `.` if it has none.
fn working_folder() -> String {
    let folder = env::current_dir().ok();
    let name = folder.as_deref().and_then(Path::file_name);
    name.map_or_else(|| ".".to_owned(), |name| shown(name.as_ref()))
}

impl MatrixCommand {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let is_of_reports = !self.results.is_empty();
        let MatrixRuns { collector, machines, fixed } =
            if is_of_reports { self.read_results(settings)? } else { self.run_machines(settings)? };
        let suite = collector.suite_of();
        if is_of_reports {
            warn_of_incomplete(&machines);
        }
        for UnlikeSuites { suite, machines: [first, second], how } in unlike_suites(&machines, &suite) {
            let [suite, first, second] = [suite, first, second].map(|name| escaped(&name).to_string());
            note!("warning: {suite}: the results of {first} and {second} cannot be compared: {how}");
        }
        let matrix = collector.finish();
        output::print(|out| (self.form.new)(out, &matrix))?;
        if let Some(folder) = &self.badges {
            pages::write_badges(folder, &matrix)?;
        }
        if let Some(folder) = &self.site {
            pages::write_site(folder, &matrix, &machines, &suite)?;
        }
        if let Some(file) = &self.statement {
            pages::write_statement(file, &machines, &suite)?;
        }
        let is_empty = matrix.suites.is_empty();
        if is_empty && matrix.broken.is_empty() {
            note!("note: no case ran{}", settings.restrictions());
        }
        Ok(if is_of_reports && !is_empty { Exit::Passed } else { exit(&matrix, fixed) })
    }

    fn read_results(&self, settings: &Settings) -> anyhow::Result<MatrixRuns> {
        settings.refuse_effects("--results")?;
        let (collector, machines) = results::read(&self.results)?;
        Ok(MatrixRuns { collector, machines, fixed: 0 })
    }

    fn run_machines(&self, settings: &Settings) -> anyhow::Result<MatrixRuns> {
        let mut options = self.select.options(settings)?;
        options.run.flaky = self.vms.flaky();
        options.run.jobs = self.jobs.map_or_else(processors, usize::from);
        options.run.unmatched_entries = self.select.unmatched_entries();
        let sources = self.select.sources(settings, &options)?;
        let mut versions = Vec::new();
        if self.site.is_some() || self.statement.is_some() {
            options.run.contents = ContentDigests::Hashed;
            versions = run::vectors_versions(&sources, &settings.anchor);
        }
        let (vms, columns) = self.start(settings, &options)?;
        let list = |path: Option<PathBuf>| path.map(|path| KnownArgs::default().list(&path)).transpose();
        let known = self.vms.known(settings).into_iter().map(list).collect::<anyhow::Result<Vec<_>>>()?;
        let mut collector = MatrixCollector::new(columns, working_folder());
        let (mut machines, mut fixed) = (Vec::new(), 0);
        for (machine, ((name, vm), known)) in vms.into_iter().zip(known).enumerate() {
            let mut conformance = ConformanceRun::new("this run", has_instruction);
            conformance.system = Some(this_system());
            conformance.only = self.select.only(&settings.anchor);
            conformance.set_versions(versions.iter().cloned());
            let mut run = MatrixRun { machine, collector: &mut collector, conformance, fixed: 0 };
            match vm {
                Ok(vm) => {
                    run::run(&sources, &with_machine(&options, vm, known), &mut |event| run.event(event));
                }
                Err(why) => run.does_not_start(why.strip_prefix(&format!("{name}: ")).unwrap_or(&why)),
            }
            run.warn_of_fixed(&name);
            fixed += run.fixed;
            machines.push(ConformanceMachine { name, runs: vec![run.end()] });
        }
        Ok(MatrixRuns { collector, machines, fixed })
    }

    /// Starts the machines. Returns their names, each with its process or why it did not start, and their columns.
    fn start(
        &self,
        settings: &Settings,
        options: &LoadOptions,
    ) -> anyhow::Result<(StartedVms, Vec<MatrixMachine>)> {
        let groups = ProcessGroups::default();
        end_on_interrupt(&groups)?;
        let arguments = self.vms.arguments(settings);
        let vms = self.vms.start_all(&arguments, settings, &groups, &options.run.interrupt)?;
        if vms.is_empty() {
            bail!("no machine; --vm NAME=COMMAND or [vm.NAME] in {FILE} names one");
        }
        if self.statement.is_some() {
            pages::check_single(&vms.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>())?;
        }
        let machine =
            |((name, started), argument): (&(String, Result<ProcessVm, String>), _)| MatrixMachine {
                name: name.clone(),
                flags: Some(settings.repeated_on(argument)),
                hides_steps: started.as_ref().is_ok_and(hides_steps),
            };
        let columns = vms.iter().zip(arguments).map(machine).collect();
        Ok((vms, columns))
    }
}

/// Names of machines, each with its process or why it did not start.
type StartedVms = Vec<(String, Result<ProcessVm, String>)>;

/// What the machines of a matrix did.
struct MatrixRuns {
    collector: MatrixCollector,
    machines: Vec<ConformanceMachine>,
    /// How many cases pass though they are known to fail.
    fixed: u64,
}

/// Collects the events of a run of one machine.
struct MatrixRun<'c> {
    /// The index of the machine.
    machine: usize,
    collector: &'c mut MatrixCollector,
    conformance: ConformanceRun,
    /// How many cases pass though they are known to fail.
    fixed: u64,
}

impl MatrixRun<'_> {
    fn warn_of_fixed(&self, name: &str) {
        if self.fixed > 0 {
            let (name, cases) = (escaped(name), counted(self.fixed, "case"));
            note!(
                "warning: {name}: {cases} in its list of known failures passed; vmconf run on this machine lists them"
            );
        }
    }

    fn event(&mut self, event: Event) {
        self.conformance.add(&event);
        match event {
            Event::Finished(report) => {
                self.fixed += u64::from(report.verdict.kind() == VerdictKind::Fixed);
                self.collector.add(self.machine, &report);
            }
            Event::Broken { source, errors } => {
                for error in errors {
                    let what = if source.is_machine() { error.what } else { error.located(&source.file) };
                    self.collector.add_broken(self.machine, what);
                }
            }
            _ => {}
        }
    }

    fn does_not_start(&mut self, why: &str) {
        self.conformance.does_not_start(why);
        self.collector.add_broken(self.machine, why.to_owned());
    }

    fn end(self) -> ConformanceRun {
        self.collector.add_not_compared(self.machine, &self.conformance.not_compared);
        self.conformance
    }
}

/// Warns of machines whose newest reports do not cover all cases.
fn warn_of_incomplete(machines: &[ConformanceMachine]) {
    const MAX_NAMED_FOLDERS: usize = 3;
    for machine in machines {
        let name = escaped(&machine.name);
        if let Some(only) = machine.only() {
            note!("warning: {name} ran {}", escaped(&only));
        }
        if machine.is_interrupted() {
            note!("warning: the run of {name} was interrupted: not all cases ran");
        }
        if machine.skipped() > 0 {
            let cases = counted(machine.skipped(), "case");
            note!("warning: the run of {name} skipped {cases}");
        }
        let left_out = machine.left_out();
        if !left_out.is_empty() {
            let named: Vec<_> =
                left_out.iter().take(MAX_NAMED_FOLDERS).map(|it| escaped(it).to_string()).collect();
            let more = if left_out.len() > MAX_NAMED_FOLDERS { ", …" } else { "" };
            note!(
                "warning: {name}: only the newest report counts, and it has no case of {}{more}, which earlier reports have",
                named.join(", ")
            );
        }
    }
}

/// The options of a run on a machine with these known failures.
fn with_machine(options: &LoadOptions, vm: ProcessVm, known: Option<KnownFailures>) -> LoadOptions {
    let mut options = options.clone();
    apply_to_all(known, &mut options);
    options.run.testee = MakeTestee::in_processes(Arc::new(vm));
    options
}

/// As that of a run: broken vectors and machines win over failures. Cases that pass although they are known to fail, of
/// which there are `fixed`, count as failures.
fn exit(matrix: &Matrix, fixed: u64) -> Exit {
    let cells = || matrix.suites.iter().flat_map(|suite| &suite.cells);
    if !matrix.broken.is_empty()
        || cells().any(|cell| cell.crashed + cell.timed_out + cell.flaky + cell.errors > 0)
    {
        Exit::Broken
    } else if fixed > 0 || cells().any(|cell| cell.failed > 0) {
        Exit::Failed
    } else if cells().all(|cell| cell.passed + cell.known == 0) {
        Exit::NothingRan
    } else {
        Exit::Passed
    }
}
