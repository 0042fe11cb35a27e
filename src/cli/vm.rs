//! The machine in another process that cases run on: `--vm`.

use std::collections::HashSet;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use vmconf::machines::tiers::Tiers;
use vmconf::model::exit_code::Exit;
use vmconf::model::interrupt::Interrupt;
use vmconf::model::verdict::Breakdown;
use vmconf::testees::process::{self, Command, Groups, Vm};
use vmconf::testees::{MakeTestee, Stopped};
use vmconf::text::config;
use vmconf::text::shell::split;
use vmconf::text::suggest::nearest;

use super::duration::time_limit;
use super::exit_code::BrokenInput;
use super::number::number;
use super::output;
use super::settings::{FILE, Settings};

/// How long a case may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The most lines that are shown of the standard error of a machine.
const MOST_LINES: usize = 10;

/// The machine in another process that cases run on.
#[derive(Debug, Args)]
pub(super) struct VmArgs {
    /// Run cases on a machine in another process: NAME=COMMAND, or the NAME of a [vm.NAME] in vmconf.toml
    ///
    /// COMMAND speaks the process protocol, as `vmconf serve` does.
    #[arg(long, value_name = "NAME[=COMMAND]", help_heading = "Machine")]
    vm: Option<String>,

    /// How a machine of this program executes hot code [default: hot]
    ///
    /// plain: one instruction after the other. hot: as blocks, where the machine can (evm). both: each case both
    /// ways, compared after each block; a difference is an error of the case.
    #[arg(long, value_name = "ENGINE", value_parser = engine_parser(), conflicts_with = "vm", help_heading = "Machine")]
    engine: Option<Tiers>,

    #[command(flatten)]
    limits: VmLimits,
}

/// Several machines in other processes.
#[derive(Debug, Args)]
pub(super) struct VmsArgs {
    /// A machine in another process: NAME=COMMAND, or the NAME of a [vm.NAME] in vmconf.toml; repeatable
    ///
    /// COMMAND speaks the process protocol, as `vmconf serve` does.
    #[arg(long = "vm", value_name = "NAME[=COMMAND]", help_heading = "Machine")]
    vms: Vec<String>,

    #[command(flatten)]
    limits: VmLimits,
}

/// The limits of a machine in another process.
#[derive(Debug, Args)]
struct VmLimits {
    /// How long the machine of --vm may take for a case, such as 500ms [default: 10s]
    #[arg(long, value_name = "DURATION", value_parser = time_limit, help_heading = "Machine")]
    timeout: Option<Duration>,

    /// Bytes of memory that the machine of --vm may take
    #[arg(long, value_name = "BYTES", help_heading = "Machine", value_parser = number::<u64>)]
    vm_memory: Option<u64>,
}

/// The engines by their names.
fn engine_parser() -> impl TypedValueParser<Value = Tiers> {
    let of = |name: String| Tiers::ALL.into_iter().find(|tiers| tiers.name() == name).unwrap_or_default();
    PossibleValuesParser::new(Tiers::ALL.map(Tiers::name)).map(of)
}

impl VmArgs {
    /// What makes the testees; starts the machine if there is one. Ctrl-C ends its processes and this one. For
    /// commands that write no reports.
    ///
    /// # Errors
    ///
    /// When it is not known, or does not answer.
    pub(super) fn testee_until_interrupt(&self, settings: &Settings) -> anyhow::Result<MakeTestee> {
        let groups = Groups::default();
        if self.is_some() {
            end_on_interrupt(&groups)?;
        }
        self.testee(settings, &groups, &Interrupt::default())
    }

    /// What makes the testees; starts the machine if there is one. All its processes are in `groups` while they
    /// run.
    ///
    /// # Errors
    ///
    /// When it is not known, or does not answer.
    pub(super) fn testee(
        &self,
        settings: &Settings,
        groups: &Groups,
        interrupt: &Interrupt,
    ) -> anyhow::Result<MakeTestee> {
        let Some(command) = self.command(settings)? else {
            return Ok(MakeTestee::on(self.engine.unwrap_or_default()));
        };
        Ok(MakeTestee::in_processes(Arc::new(start(command, groups, interrupt)?)))
    }

    /// Whether cases run on a machine in another process.
    pub(super) fn is_some(&self) -> bool {
        self.vm.is_some()
    }

    /// The list of known failures of the machine, if `vmconf.toml` names one.
    pub(super) fn known(&self, settings: &Settings) -> Option<PathBuf> {
        configured(settings, self.vm.as_ref()?).ok()?.known.clone()
    }

    /// A hash of the files that results of the machine depend on; `None` without `--vm`.
    ///
    /// # Errors
    ///
    /// When these files are unknown, or one of them cannot be read.
    pub(super) fn identity(&self, settings: &Settings) -> anyhow::Result<Option<String>> {
        let (Some(vm), Some(command)) = (&self.vm, self.command(settings)?) else { return Ok(None) };
        let key = configured(settings, vm).ok().and_then(|vm| vm.cache_key.as_deref());
        let identity = process::identity(&command, key).with_context(|| format!("--vm {}", command.name))?;
        Ok(Some(identity))
    }

    /// How the machine is started; `None` without `--vm`.
    fn command(&self, settings: &Settings) -> anyhow::Result<Option<Command>> {
        let Some(vm) = &self.vm else {
            if self.limits.timeout.is_some() || self.limits.vm_memory.is_some() {
                bail!("--timeout and --vm-memory are for the machine of --vm");
            }
            return Ok(None);
        };
        self.limits.command(vm, settings).map(Some)
    }
}

impl VmsArgs {
    /// Starts the machines. All their processes are in `groups` while they run.
    ///
    /// # Errors
    ///
    /// When one is not known or does not answer, or two have one name.
    pub(super) fn start(
        &self,
        settings: &Settings,
        groups: &Groups,
        interrupt: &Interrupt,
    ) -> anyhow::Result<Vec<Vm>> {
        let commands = self.vms.iter().map(|vm| self.limits.command(vm, settings));
        let commands = commands.collect::<anyhow::Result<Vec<_>>>()?;
        let mut names = HashSet::new();
        if let Some(twice) = commands.iter().find(|command| !names.insert(&command.name)) {
            bail!("--vm {}: a second machine of this name", twice.name);
        }
        // All at the same time: an interpreter may take a second to start.
        std::thread::scope(|scope| {
            let start = |command| scope.spawn(|| start(command, groups, interrupt));
            let starting: Vec<_> = commands.into_iter().map(start).collect();
            starting.into_iter().map(|vm| vm.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        })
    }
}

/// On Ctrl-C, ends the processes of the machines and this one. For commands that write no reports.
pub(super) fn end_on_interrupt(groups: &Groups) -> anyhow::Result<()> {
    let groups = groups.clone();
    Ok(ctrlc::set_handler(move || {
        groups.kill();
        std::process::exit(Exit::Interrupted as i32);
    })?)
}

/// The error for a program that a machine did not run to its end. Prints the end of what the machine wrote to
/// standard error.
pub(super) fn stopped_early(stopped: Stopped) -> anyhow::Error {
    let what = match stopped {
        Stopped::Error(error) => error.to_string(),
        Stopped::Interrupted => "the run was interrupted".to_owned(),
        Stopped::Unsupported(reason) => format!("the machine does not support the program: {reason}"),
        Stopped::Crash(Breakdown { what, stderr }) | Stopped::Timeout(Breakdown { what, stderr }) => {
            let lines: Vec<_> = stderr.lines().collect();
            let last = &lines[lines.len().saturating_sub(MOST_LINES)..];
            for line in last {
                output::note(&format!("stderr: {line}"));
            }
            format!("the machine broke down: {what}")
        }
    };
    BrokenInput(what).into()
}

fn start(command: Command, groups: &Groups, interrupt: &Interrupt) -> anyhow::Result<Vm> {
    let vm = Vm::start(command, groups.clone(), interrupt);
    vm.map_err(|why| BrokenInput(format!("error: --vm {why}")).into())
}

impl VmLimits {
    /// How the machine that the argument names is started.
    fn command(&self, vm: &str, settings: &Settings) -> anyhow::Result<Command> {
        let mut command = match vm.split_once('=') {
            Some((name, text)) => Command {
                name: name.to_owned(),
                words: split(text)
                    .filter(|words| !words.is_empty())
                    .context("--vm: this is not a command")?,
                env: Vec::new(),
                folder: None,
                timeout: TIMEOUT,
                memory: None,
            },
            None => of_file(configured(settings, vm)?)?,
        };
        command.timeout = self.timeout.unwrap_or(command.timeout);
        command.memory = self.vm_memory.or(command.memory);
        Ok(command)
    }
}

/// The table `[vm.NAME]`.
fn configured<'s>(settings: &'s Settings, name: &str) -> anyhow::Result<&'s config::Vm> {
    let vms = settings.file.as_ref().map_or(&[][..], |file| &file.config.vms);
    let known = || vms.iter().map(|vm| vm.name.as_str());
    vms.iter().find(|vm| vm.name == name).with_context(|| match nearest(name, known()) {
        Some(near) => format!("--vm: there is no [vm.{name}] in {FILE}; did you mean {near}?"),
        None => format!("--vm: there is no [vm.{name}] in {FILE}; a command follows the name after ="),
    })
}

fn of_file(vm: &config::Vm) -> anyhow::Result<Command> {
    let config::Vm { name, command, env, folder, timeout, memory, known: _, cache_key: _ } = vm.clone();
    let timeout = timeout.as_deref().map(time_limit).transpose();
    let timeout = timeout.map_err(anyhow::Error::msg).with_context(|| format!("[vm.{name}] timeout"))?;
    let folder = Some(folder).filter(|folder| !folder.as_os_str().is_empty());
    Ok(Command { name, words: command, env, folder, timeout: timeout.unwrap_or(TIMEOUT), memory })
}
