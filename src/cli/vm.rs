//! The machine in another process that cases run on: `--vm`.

use std::collections::HashSet;
use std::env;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use vmconf::machines::tiers::Tiers;
use vmconf::model::{CaseId, Diagnostic, Exit, INTERRUPTED, Interrupt};
use vmconf::run::Flaky;
use vmconf::testees::process::{self, DEFAULT_START_TIMEOUT, ProcessGroups, ProcessVm, TesteeCommand};
use vmconf::testees::{EMBEDDED, MakeTestee, Stopped};
use vmconf::text::config;
use vmconf::text::shell::split;
use vmconf::text::suggest::nearest;
use vmconf::wire::protocol::Hello;

use super::duration::time_limit;
use super::enumeration::by_name;
use super::errors::BrokenInput;
use super::number::positive_u64;
use super::settings::{FILE, Settings};
use super::{adapters, candidates};

/// How long a case may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The machine in another process that cases run on.
#[derive(Debug, Args)]
pub(super) struct VmArgs {
    /// Run cases on a machine in another process: NAME=COMMAND, or the NAME of a [vm.NAME] in vmconf.toml
    ///
    /// COMMAND speaks the process protocol, as `vmconf serve` does.
    #[arg(long, value_name = "NAME[=COMMAND]", help_heading = "Machine", add = ArgValueCompleter::new(candidates::vms))]
    vm: Option<String>,

    /// How an embedded machine executes hot code [default: hot]
    ///
    /// plain: one instruction after the other. hot: as blocks, where the machine can (evm). both: each case both
    /// ways, compared after each block; a difference is an error of the case.
    #[arg(long, value_name = "ENGINE", value_parser = by_name::<Tiers>(), conflicts_with = "vm", help_heading = "Machine")]
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
    #[arg(long = "vm", value_name = "NAME[=COMMAND]", help_heading = "Machine", add = ArgValueCompleter::new(candidates::vms))]
    vms: Vec<String>,

    #[command(flatten)]
    limits: VmLimits,
}

/// The limits of a machine in another process.
#[derive(Debug, Default, Args)]
struct VmLimits {
    /// The verdict on a case that passes when it is tried again after a crash or time-out [default: report]
    ///
    /// report: flaky, with exit code 3. pass: a pass, with a note.
    #[arg(long, value_name = "VERDICT", value_parser = by_name::<Flaky>(), help_heading = "Machine")]
    flaky: Option<Flaky>,

    /// How long the machine of --vm may take for a case, such as 500ms [default: 10s]
    #[arg(long, value_name = "DURATION", value_parser = time_limit, help_heading = "Machine")]
    timeout: Option<Duration>,

    /// How long the first answer of the machine of --vm may take [default: 20s, or --timeout if that is longer]
    ///
    /// The time restarts when the machine says that it is alive, at most 10 times.
    #[arg(long, value_name = "DURATION", value_parser = time_limit, help_heading = "Machine")]
    start_timeout: Option<Duration>,

    /// Bytes of memory that the machine of --vm may take [default: 4294967296 of data]
    #[arg(long, value_name = "BYTES", help_heading = "Machine", value_parser = positive_u64)]
    vm_memory: Option<u64>,
}

impl VmArgs {
    pub(super) fn flaky(&self) -> Flaky {
        self.limits.flaky.unwrap_or_default()
    }

    /// What makes the testees; starts the machine if there is one. Ctrl-C ends its processes and this one. For
    /// commands that write no reports. Fails when it is not known, or does not answer.
    pub(super) fn testee_until_interrupt(&self, settings: &Settings) -> anyhow::Result<MakeTestee> {
        let groups = ProcessGroups::default();
        if self.is_some() {
            end_on_interrupt(&groups)?;
        }
        self.testee(settings, &groups, &Interrupt::default())
    }

    /// What makes the testees; starts the machine if there is one. All its processes are in `groups` while they run.
    /// Fails when it is not known, or does not answer.
    pub(super) fn testee(
        &self,
        settings: &Settings,
        groups: &ProcessGroups,
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

    /// The name of the table of the machine in `vmconf.toml`, and what it sets in the place of a setting, as written
    /// there; `None` if it does not set it.
    pub(super) fn of_table(&self, settings: &Settings, setting: &str) -> Option<(String, String)> {
        let table = configured(settings, self.vm.as_ref()?).ok()?;
        let value = match setting {
            "timeout" | "start-timeout" => table.limit(setting).map(|text| format!("{text:?}")),
            "vm-memory" => table.memory.map(|bytes| bytes.to_string()),
            "known" => table.known.as_ref().map(|path| format!("{:?}", path.display().to_string())),
            _ => None,
        };
        Some((format!("[vm.{}]", table.name), value?))
    }

    /// A hash of the files that results of the machine depend on; `None` without `--vm`. `hello` is what the machine
    /// reports, if it was started. Fails when these files are unknown, or one of them cannot be read, or the machine
    /// reports no release.
    pub(super) fn identity(
        &self,
        settings: &Settings,
        hello: Option<&Hello>,
    ) -> anyhow::Result<Option<String>> {
        let (Some(vm), Some(command)) = (&self.vm, self.command(settings)?) else { return Ok(None) };
        let key = configured(settings, vm).ok().and_then(|vm| vm.cache_key.as_deref());
        // What an interpreter's script starts is not part of the identity, but of the release.
        if key.is_none() && !hello.is_none_or(Hello::has_release) {
            bail!("--vm {}: it reports no release", command.name);
        }
        let identity = process::identity(&command, key, env::var_os("PATH"))
            .with_context(|| format!("--vm {}", command.name))?;
        Ok(Some(identity))
    }

    /// How the machine is started; `None` without `--vm`.
    fn command(&self, settings: &Settings) -> anyhow::Result<Option<TesteeCommand>> {
        let Some(vm) = &self.vm else {
            // A profile may set limits for the runs that have such a machine.
            if let Some(flag) = VmLimits::FLAGS.iter().find(|flag| settings.typed(flag).is_some()) {
                bail!("--{flag} is for the machine of --vm");
            }
            return Ok(None);
        };
        self.limits.command(vm, settings).map(Some)
    }
}

impl VmsArgs {
    /// Whether machines are named on the command line.
    pub(super) fn is_some(&self) -> bool {
        !self.vms.is_empty()
    }

    pub(super) fn flaky(&self) -> Flaky {
        self.limits.flaky.unwrap_or_default()
    }

    /// Starts the machines. All their processes are in `groups` while they run. Fails when one is not known or does
    /// not answer, or two have one name.
    pub(super) fn start(
        &self,
        settings: &Settings,
        groups: &ProcessGroups,
        interrupt: &Interrupt,
    ) -> anyhow::Result<Vec<ProcessVm>> {
        let vms = self.start_all(&self.vms, settings, groups, interrupt)?.into_iter();
        vms.map(|(_, vm)| vm.map_err(|why| cannot_run(&why))).collect()
    }

    /// Starts the machines; Ctrl-C ends their processes and this one. For commands that write no reports. Errors are
    /// those of [`VmsArgs::start`].
    pub(super) fn start_until_interrupt(
        &self,
        settings: &Settings,
        interrupt: &Interrupt,
    ) -> anyhow::Result<Vec<Arc<ProcessVm>>> {
        let groups = ProcessGroups::default();
        end_on_interrupt(&groups)?;
        Ok(self.start(settings, &groups, interrupt)?.into_iter().map(Arc::new).collect())
    }

    /// The machines as they are named on the command line; without `--vm`, those of `vmconf.toml`.
    pub(super) fn arguments(&self, settings: &Settings) -> Vec<String> {
        let configured = settings.file.iter().flat_map(|file| &file.config.vms);
        let configured = configured.map(|vm| vm.name.clone()).collect();
        if self.vms.is_empty() { configured } else { self.vms.clone() }
    }

    /// The lists of known failures of the machines of [`VmsArgs::arguments`]; `None` if `vmconf.toml` names none.
    pub(super) fn known(&self, settings: &Settings) -> Vec<Option<PathBuf>> {
        let known = |vm: &String| configured(settings, vm).ok()?.known.clone();
        self.arguments(settings).iter().map(known).collect()
    }

    /// Starts the machines that these arguments name, with the name of each: why one does not start is in its place.
    /// Fails when one is not known, or two have one name.
    pub(super) fn start_all(
        &self,
        arguments: &[String],
        settings: &Settings,
        groups: &ProcessGroups,
        interrupt: &Interrupt,
    ) -> anyhow::Result<Vec<(String, Result<ProcessVm, String>)>> {
        let commands = arguments.iter().map(|vm| self.limits.command(vm, settings));
        let commands = commands.collect::<anyhow::Result<Vec<_>>>()?;
        let mut names = HashSet::new();
        if let Some(twice) = commands.iter().find(|command| !names.insert(&command.name)) {
            bail!("--vm {}: two machines have this name", twice.name);
        }
        // All at the same time: an interpreter may take a second to start.
        std::thread::scope(|scope| {
            let start = |command: TesteeCommand| {
                let name = command.name.clone();
                (name, scope.spawn(|| ProcessVm::start(command, groups.clone(), interrupt)))
            };
            let starting: Vec<_> = commands.into_iter().map(start).collect();
            let started = starting
                .into_iter()
                .map(|(name, vm)| (name, vm.join().unwrap_or_else(|panic| resume_unwind(panic))));
            Ok(started.collect())
        })
    }
}

/// On Ctrl-C, ends the processes of the machines and this one. For commands that write no reports.
pub(super) fn end_on_interrupt(groups: &ProcessGroups) -> anyhow::Result<()> {
    let groups = groups.clone();
    Ok(ctrlc::set_handler(move || {
        groups.kill();
        std::process::exit(Exit::Interrupted as i32);
    })?)
}

/// Ends the processes of the machine, and prints what it did wrong outside of cases. Returns the exit code of a command
/// that otherwise ends with `exit`: such a machine is broken. For commands without the events of a run.
pub(super) fn with_misconduct(testee: &MakeTestee, exit: Exit) -> Exit {
    let Some(vm) = testee.vm() else { return exit };
    let Some(error) = vm.finish() else { return exit };
    note_misconduct(vm, &error);
    Exit::Broken
}

/// Prints what a machine did wrong outside of cases.
pub(super) fn note_misconduct(vm: &ProcessVm, error: &Diagnostic) {
    note!("error: {}", error.located(&CaseId::of_machine(&vm.command().name).file));
}

/// The error for a program that a machine did not run to its end. Prints the end of what the machine wrote to
/// standard error.
pub(super) fn stopped_early(stopped: Stopped) -> anyhow::Error {
    let what = match stopped {
        Stopped::Error(error) => error.to_string(),
        Stopped::Interrupted => INTERRUPTED.to_owned(),
        Stopped::Unsupported(reason) => format!("the machine does not support the program: {reason}"),
        Stopped::Crash(breakdown) | Stopped::Timeout(breakdown) => {
            for line in breakdown.stderr_lines() {
                note!("stderr: {line}");
            }
            format!("the machine broke down: {}", breakdown.what)
        }
    };
    BrokenInput(what).into()
}

fn start(command: TesteeCommand, groups: &ProcessGroups, interrupt: &Interrupt) -> anyhow::Result<ProcessVm> {
    ProcessVm::start(command, groups.clone(), interrupt).map_err(|why| cannot_run(&why))
}

/// The error for a machine that does not start.
fn cannot_run(why: &str) -> anyhow::Error {
    BrokenInput(format!("--vm {why}")).into()
}

impl VmLimits {
    const FLAGS: &[&str] = &["flaky", "timeout", "start-timeout", "vm-memory"];

    /// How the machine that the argument names is started. What was typed precedes its table in `vmconf.toml`, and that
    /// what a profile sets for all machines.
    fn command(&self, vm: &str, settings: &Settings) -> anyhow::Result<TesteeCommand> {
        let (command, own) = VmLimits::named(vm, settings)?;
        let timeout = preferred(settings, "timeout", self.timeout, own.timeout).unwrap_or(TIMEOUT);
        let start = preferred(settings, "start-timeout", self.start_timeout, own.start_timeout);
        Ok(TesteeCommand {
            timeout,
            start: start.unwrap_or(DEFAULT_START_TIMEOUT.max(timeout)),
            memory: preferred(settings, "vm-memory", self.vm_memory, own.vm_memory),
            ..command
        })
    }

    /// The command that the argument names, and what its table in `vmconf.toml` sets.
    fn named(vm: &str, settings: &Settings) -> anyhow::Result<(TesteeCommand, VmLimits)> {
        if vm.split_once('=').map_or(vm, |(name, _)| name) == EMBEDDED {
            bail!("--vm {EMBEDDED}: this is the name of the machines of vmconf; give yours another one");
        }
        match vm.split_once('=') {
            Some(("", _)) => bail!("--vm {vm}: the machine has no name; write NAME=COMMAND"),
            Some((name, text)) => {
                let open = "a quote is not closed, or nothing follows a backslash";
                let words = split(text).with_context(|| format!("--vm {name}=: {open}"))?;
                if words.is_empty() {
                    bail!("--vm {name}=: the command after = is missing");
                }
                Ok((testee_command(name, words), VmLimits::default()))
            }
            None => match configured(settings, vm) {
                Ok(vm) => of_file(vm),
                Err(unknown) => Ok((installed(vm)?.ok_or(unknown)?, VmLimits::default())),
            },
        }
    }
}

/// A command in the working folder, with the default limits.
pub(super) fn testee_command(name: &str, words: Vec<String>) -> TesteeCommand {
    let name = name.to_owned();
    TesteeCommand {
        name,
        words,
        env: Vec::new(),
        folder: None,
        timeout: TIMEOUT,
        start: DEFAULT_START_TIMEOUT,
        memory: None,
    }
}

/// The value of a flag: the typed one, else that of the table of the machine, else that of the profile.
fn preferred<T>(settings: &Settings, flag: &str, value: Option<T>, of_table: Option<T>) -> Option<T> {
    if settings.typed(flag).is_some() { value } else { of_table.or(value) }
}

/// The table `[vm.NAME]`.
fn configured<'s>(settings: &'s Settings, name: &str) -> anyhow::Result<&'s config::ConfiguredVm> {
    let vms = settings.file.as_ref().map_or(&[][..], |file| &file.config.vms);
    let known = || vms.iter().map(|vm| vm.name.as_str());
    vms.iter().find(|vm| vm.name == name).with_context(|| match nearest(name, known()) {
        Some(near) => format!("--vm: there is no [vm.{name}] in {FILE}; did you mean {near}?"),
        None => format!("--vm: there is no [vm.{name}] in {FILE}; a command follows the name after ="),
    })
}

/// How an adapter that is part of this program is started; `None` if there is none of this name. Fails when it is not
/// installed.
fn installed(name: &str) -> anyhow::Result<Option<TesteeCommand>> {
    let Some(adapter) = adapters::by_name(name) else { return Ok(None) };
    let manifest = adapter.manifest()?;
    if let Some(follows) = manifest.follows {
        bail!("--vm {name}: {follows} is missing; vmconf vm install {name} says how to give it");
    }
    if !adapter.is_installed() {
        bail!("--vm {name}: it is not installed; vmconf vm install {name} does that");
    }
    let folder = Some(adapter.folder()?);
    Ok(Some(TesteeCommand { folder, ..testee_command(name, manifest.command) }))
}

/// The command of a table `[vm.NAME]`, and what it sets.
fn of_file(vm: &config::ConfiguredVm) -> anyhow::Result<(TesteeCommand, VmLimits)> {
    let limit = |key: &str| {
        let limit = vm.limit(key).map(time_limit).transpose();
        limit.map_err(anyhow::Error::msg).with_context(|| format!("[vm.{}] {key}", vm.name))
    };
    let own = VmLimits {
        flaky: None,
        timeout: limit("timeout")?,
        start_timeout: limit("start-timeout")?,
        vm_memory: vm.memory,
    };
    let folder = Some(vm.folder.clone()).filter(|folder| !folder.as_os_str().is_empty());
    let command = testee_command(&vm.name, vm.command.clone());
    Ok((TesteeCommand { env: vm.env.clone(), folder, ..command }, own))
}
