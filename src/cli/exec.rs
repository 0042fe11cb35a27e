//! `vmconf exec`

mod code;
mod state;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use serde_json::Value as Json;
use vmconf::formats::{Format, Inputs, MakeVector, NewVector, StateOf, made_for};
use vmconf::machines::MachineInfo;
use vmconf::model::assertion::{Assertion, Expected};
use vmconf::model::case::Step;
use vmconf::model::exit_code::Exit;
use vmconf::model::path::Path as At;
use vmconf::model::position::Origin;
use vmconf::model::shape::MemberShape;
use vmconf::model::signature;
use vmconf::model::verdict::Verdict;
use vmconf::run::{self, FileOptions, LoadOptions, RunOptions, Worker};
use vmconf::testees::Stopped;
use vmconf::testees::process::ProcessVm;

use self::state::Left;
use super::form::OutputForm;
use super::limits::LimitArgs;
use super::new_file::ForceArgs;
use super::number::number;
use super::program::{broken, case_of, machine_argument, source};
use super::settings::{ConfigArgs, Settings};
use super::vm::{VmArgs, stopped_early};

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
    machine: &'static MachineInfo,

    /// The program: hex digits, or a file: a source, hex digits, a NEF3 file, a segment file, a MiniC89 document;
    /// @FILE for a file whose name is hex digits, - for standard input
    code: String,

    /// Gas at the start
    #[arg(long, value_name = "N", value_parser = number::<u64>)]
    gas: Option<u64>,

    /// What the program is given as its input
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
        let name = self.machine.name;
        let (format, make) = made_for(name).with_context(|| format!("no format writes vectors of {name}"))?;
        let inputs = self.inputs(make)?;
        let program = code::read_program(self.machine, &self.code)?;
        let case = self.vector.as_deref().and_then(Path::file_stem).and_then(|stem| stem.to_str());
        let vector = |state: Option<&StateOf<'_>>| {
            let new =
                NewVector { name: case.unwrap_or("program"), program: &program, inputs: &inputs, state };
            text_of((make.make)(&new))
        };
        let options = self.options(format, settings)?;
        let left = self.execute(vector(None)?, &options)?;
        state::print(self.machine, &left, self.form)?;
        if let Some(path) = &self.vector {
            let text = vector(Some(&|field: &str| left.field(field)))?;
            check(&text, &options)?;
            self.force.write(path, text.as_bytes())?;
        }
        Ok(Exit::Passed)
    }

    /// The inputs, all of which the machine has.
    fn inputs(&self, make: &MakeVector) -> anyhow::Result<Inputs> {
        let inputs = Inputs {
            gas: self.gas,
            input: self.input.clone(),
            stack: self.stack.clone(),
            fork: self.fork.clone(),
        };
        let unknown = inputs.flags().find(|flag| make.inputs.iter().all(|(known, _)| known != flag));
        if let Some(flag) = unknown {
            let known: Vec<_> = make.inputs.iter().map(|(flag, _)| format!("--{flag}")).collect();
            bail!("--{flag}: {} takes {}", self.machine.name, known.join(" and "));
        }
        Ok(inputs)
    }

    fn options(&self, format: &'static Format, settings: &Settings) -> anyhow::Result<LoadOptions> {
        let limits = self.limits.0.clone();
        let file = FileOptions { format: Some(format), limits, ..FileOptions::default() };
        let run = RunOptions { testee: self.vm.testee_until_interrupt(settings)?, ..RunOptions::default() };
        Ok(LoadOptions { file, run, ..LoadOptions::default() })
    }

    /// The fields that the machine reports, here or in another process.
    fn fields(&self, vm: Option<&ProcessVm>) -> Vec<&'static str> {
        let offer = vm.and_then(|vm| vm.offer(self.machine.name));
        let is_reported =
            |field: &MemberShape| offer.is_none_or(|it| it.fields.iter().any(|it| it == field.name));
        let fields = self.machine.fields;
        fields.iter().filter(|field| is_reported(field)).map(|field| field.name).collect()
    }

    /// Runs the only case of the vector; what it expects does not matter.
    fn execute(&self, vector: String, options: &LoadOptions) -> anyhow::Result<Left> {
        let case = case_of(vector, options)?;
        let names = self.fields(options.run.testee.vm().map(|vm| &**vm));
        let steps = observing(case.steps, &names);
        let mut left = Left { ended: String::new(), fields: Vec::new() };
        let interrupt = &options.run.interrupt;
        let mut testee = options.run.testee.make(self.machine, &options.file.limits, interrupt);
        let stopped = testee.run(&case.program, &steps, &mut |_, state| {
            let field = |name: &&'static str| Some((*name, state.observe(name)?));
            left = Left { ended: state.describe(), fields: names.iter().filter_map(field).collect() };
        });
        match stopped {
            Ok(None) => Ok(left),
            Ok(Some(first)) => {
                let what = &first.breakdown.what;
                super::output::note(&format!("note: the machine broke down the first time: {what}"));
                Ok(left)
            }
            Err(Stopped::Error(error)) => Err(broken(&error.to_string())),
            Err(stopped) => Err(stopped_early(stopped)),
        }
    }
}

/// The steps, observed in these fields after the last one and in nothing else.
fn observing(mut steps: Vec<Step>, fields: &[&'static str]) -> Vec<Step> {
    let field = |name: &&'static str| Assertion {
        at: At::field(*name),
        expected: Expected::Absent,
        origin: Origin(0),
        rule: None,
    };
    for step in &mut steps {
        (step.end, step.assertions) = (None, Vec::new());
    }
    if let Some(last) = steps.last_mut() {
        last.assertions = fields.iter().map(field).collect();
    }
    steps
}

/// The document as the text of a file.
fn text_of(document: Result<Json, impl std::fmt::Display>) -> anyhow::Result<String> {
    let document = document.map_err(|why| anyhow::anyhow!("{why}"))?;
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
    let cause = signature::cause(report.machine.as_deref(), &report.verdict).unwrap_or_default();
    bail!("the format cannot hold this state: {cause}")
}
