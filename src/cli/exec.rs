//! `vmconf exec`

mod code;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use serde_json::Value as Json;
use vmconf::formats::{Format, Inputs, MakeVector, NewVector, NotRepresentable, StateOf, made_for};
use vmconf::machines::{MachineInfo, ProgramLanguage};
use vmconf::model::{Case, Exit, Verdict};
use vmconf::run::{self, FileOptions, LoadOptions, RunOptions, Worker};
use vmconf::testees::Stopped;

use super::families;
use super::final_state::{self, FinalState};
use super::limits::LimitArgs;
use super::new_file::ForceArgs;
use super::number::number;
use super::output_form::OutputForm;
use super::program::{broken, case_of, machine_argument, source};
use super::settings::{ConfigArgs, Settings};
use super::vm::{VmArgs, stopped_early, with_misconduct};

/// Run bytes or a source without a vector
///
/// Prints how the run ended and the state that it left; --vector writes both as a vector that vmconf run
/// passes. With --vm, runs on a machine in another process.
///
/// Example: vmconf exec evm 0x6003600401600055
#[derive(Debug, Args)]
#[command(after_help = inputs_help())]
pub(super) struct Exec {
    /// The machine
    #[arg(value_parser = machine_argument())]
    machine: String,

    /// The program: hex digits, or a file: a source, hex digits, a NEF3 file, a segment file, a MiniC89 document;
    /// @FILE for a file whose name is hex digits, - for standard input
    code: String,

    /// Gas at the start
    #[arg(long, value_name = "N", value_parser = number::<u64>)]
    gas: Option<u64>,

    /// Input of the program
    #[arg(long, value_name = "INPUT", allow_hyphen_values = true)]
    input: Option<String>,

    /// Integers on the evaluation stack at the start, the top one last
    #[arg(long, value_name = "N,N...", allow_hyphen_values = true)]
    stack: Option<String>,

    /// The fork whose rules apply
    #[arg(long, value_name = "NAME")]
    fork: Option<String>,

    /// Output form
    #[arg(short = 'o', long = "output", value_name = "FORM", value_enum, default_value_t = OutputForm::Text)]
    form: OutputForm,

    /// Write the program and the state as a vector file
    #[arg(long, value_name = "FILE")]
    vector: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgs,

    #[command(flatten)]
    vm: VmArgs,

    #[command(flatten)]
    config: ConfigArgs,

    #[command(flatten)]
    limits: LimitArgs,
}

/// Which machine has which inputs.
fn inputs_help() -> String {
    let mut lines = vec!["Inputs:".to_owned()];
    for machine in vmconf::machines::MACHINES {
        for (flag, doc) in made_for(machine.name).map_or(&[][..], |(_, make)| make.inputs) {
            lines.push(format!("  {:<8} --{flag:<6} {doc}", machine.name));
        }
    }
    lines.join("\n")
}

impl Exec {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let machine = families::embedded(&self.machine, settings)?;
        let name = machine.name;
        let (format, make) = made_for(name).with_context(|| format!("no format writes vectors of {name}"))?;
        let inputs = self.inputs(make)?;
        let program = code::read_program(machine, &self.code, self.limits.0.file_size)?;
        let case = self.vector.as_deref().and_then(Path::file_stem).and_then(|stem| stem.to_str());
        let vector = |inputs: &Inputs, state: Option<&StateOf<'_>>| {
            let new = NewVector { name: case.unwrap_or("program"), program: &program, inputs, state };
            text_of((make.make)(&new))
        };
        let options = self.options(format, settings)?;
        let read = |inputs: &Inputs| anyhow::Ok(case_of(vector(inputs, None)?, &options));
        let left = execute(machine, case_with(machine, &inputs, read)?, &options)?;
        final_state::print(machine, &left, self.form)?;
        if let Some(path) = &self.vector {
            let text = vector(&inputs, Some(&|field: &str| left.field(field)))?;
            check(&text, &options)?;
            self.force.write(path, text.as_bytes())?;
        }
        Ok(with_misconduct(&options.run.testee, Exit::Passed))
    }

    /// The inputs, all of which the machine has.
    fn inputs(&self, make: &MakeVector) -> anyhow::Result<Inputs> {
        let inputs = Inputs {
            gas: self.gas,
            input: self.input.clone(),
            stack: self.stack.clone(),
            fork: self.fork.clone(),
            ..Inputs::default()
        };
        let unknown = inputs.flags().find(|flag| make.inputs.iter().all(|(known, _)| known != flag));
        if let Some(flag) = unknown {
            let known: Vec<_> = make.inputs.iter().map(|(flag, _)| format!("--{flag}")).collect();
            bail!("--{flag}: {} takes {}", self.machine, known.join(" and "));
        }
        Ok(inputs)
    }

    fn options(&self, format: &'static Format, settings: &Settings) -> anyhow::Result<LoadOptions> {
        let limits = self.limits.0.clone();
        let file = FileOptions { format: Some(format), limits, ..FileOptions::default() };
        let run = RunOptions { testee: self.vm.testee_until_interrupt(settings)?, ..RunOptions::default() };
        Ok(LoadOptions { file, run, ..LoadOptions::default() })
    }
}

/// The case of a program and its inputs. What is wrong without an input, too, is wrong with the program.
fn case_with(
    machine: &MachineInfo,
    inputs: &Inputs,
    read: impl Fn(&Inputs) -> anyhow::Result<Result<Case, String>>,
) -> anyhow::Result<Case> {
    let what = match read(inputs)? {
        Ok(case) => return Ok(case),
        Err(what) => what,
    };
    let needs_input = matches!(machine.language, ProgramLanguage::Document { .. });
    let other = (needs_input && inputs.input.is_none()).then(|| "0".to_owned());
    let without = [
        ("--gas", Inputs { gas: None, ..inputs.clone() }),
        ("--input", Inputs { input: other, ..inputs.clone() }),
    ];
    for (flag, without) in without {
        if read(&without)?.err().as_ref() != Some(&what) {
            bail!("{flag}: {what}");
        }
    }
    Err(broken(&what))
}

/// Runs the case; what it expects does not matter.
fn execute(machine: &'static MachineInfo, case: Case, options: &LoadOptions) -> anyhow::Result<FinalState> {
    FinalState::of(machine, case, &options.file.limits, &options.run).map_err(|stopped| match stopped {
        Stopped::Error(error) => broken(&error.to_string()),
        stopped => stopped_early(stopped),
    })
}

/// The document as the text of a file.
fn text_of(document: Result<Json, NotRepresentable>) -> anyhow::Result<String> {
    let document = document.map_err(anyhow::Error::msg)?;
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

/// Makes sure that the vector passes.
fn check(vector: &str, options: &LoadOptions) -> anyhow::Result<()> {
    let source = source();
    let loaded = run::open_text(&source, vector.to_owned(), options);
    let report = Worker::new(&options.run).run_case(&loaded, 0);
    if loaded.errors().is_empty() && report.verdict == Verdict::Pass {
        return Ok(());
    }
    let cause = report.cause().unwrap_or_default();
    bail!("the format cannot hold this state: {cause}")
}
