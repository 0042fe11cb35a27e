//! `vmconf fill --cases`: a corpus of a family, made from states on which machines agree.

use std::fs;
use std::io::Write;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use serde_json::json;
use vmconf::hunt::state_corpus::{CorpusOptions, CorpusPart, EachValue, StateCorpus, state_machines};
use vmconf::model::{Exit, counted, escaped};
use vmconf::run::LoadOptions;
use vmconf::run::open_file::Links;
use vmconf::testees::MakeTestee;
use vmconf::testees::process::ProcessVm;
use vmconf::wire::line::write_line;

use super::fill_lines::shown;
use crate::cli::families::check_folder;
use crate::cli::file_args::check_whole;
use crate::cli::new_file::ForceArgs;
use crate::cli::number::{self, number};
use crate::cli::output;
use crate::cli::output_form::OutputForm;
use crate::cli::result_file::has_bytes;
use crate::cli::settings::Settings;
use crate::cli::system::processors;

/// What corpus to make.
#[derive(Debug, Args)]
#[command(next_help_heading = "Corpus of a family")]
pub(super) struct CorpusArgs {
    /// Make N cases of the family that --family names, from generated states, instead of filling vectors
    #[arg(long, value_name = "N", value_parser = number::<NonZeroU32>, requires = "out", requires = "family", conflicts_with = "paths")]
    pub(super) cases: Option<NonZeroU32>,

    /// Make N cases for each value of a number: FIELD, MEMORY[FIELD] for the cell where a field points, MEMORY[FIELD+1]
    /// for the one after it; =0x00-0x3f,0x76 after it selects values
    #[arg(long, value_name = "NUMBER[=VALUES]", requires = "cases")]
    each: Option<EachValue>,

    /// Another seed makes other states
    #[arg(long, value_name = "S", default_value = "1", value_parser = number::<u64>, requires = "cases")]
    seed: u64,

    /// The folder of the corpus: a file for each value
    #[arg(long, value_name = "DIR", requires = "cases")]
    out: Option<PathBuf>,

    /// Number of states that run at the same time, each in a process of its machine [default: one per processor]
    #[arg(short, long, value_name = "N", value_parser = number::jobs, requires = "cases")]
    jobs: Option<u16>,

    #[command(flatten)]
    force: ForceArgs,
}

#[derive(Debug, Default)]
struct CorpusCounts {
    cases: u64,
    left_out: u64,
    files: usize,
    /// Files whose text is not what was made.
    stale: usize,
    /// Parts with fewer cases than asked for.
    short: usize,
}

/// The corpus to make, and how to report it.
pub(super) struct CorpusRequest<'a> {
    pub(super) args: &'a CorpusArgs,
    /// Whether nothing is written, and the command only reports what would be.
    pub(super) is_check: bool,
    pub(super) output: OutputForm,
    /// How many machines must agree.
    pub(super) agree: usize,
}

pub(super) fn make(
    request: &CorpusRequest<'_>,
    vms: &[Arc<ProcessVm>],
    options: &LoadOptions,
    settings: &Settings,
) -> anyhow::Result<Exit> {
    let args = request.args;
    let (Some(cases), Some(folder), Some(family)) = (args.cases, &args.out, options.file.family) else {
        bail!("--cases needs --family and --out");
    };
    let families = &options.file.families;
    let family = families.by_name(family.machine).context("--family: no such family")?;
    check_folder(family.family, folder, &settings.anchor)?;
    options.file.ignored.iter().try_for_each(check_whole)?;
    let machine = |vm: &Arc<ProcessVm>| (vm.command().name.clone(), MakeTestee::in_processes(vm.clone()));
    let machines = state_machines((family, None), families, &options.file.ignored, vms.iter().map(machine));
    let corpus_options = CorpusOptions {
        seed: args.seed,
        cases: cases.get().into(),
        each: args.each.clone(),
        agree: request.agree,
        jobs: args.jobs.map_or_else(processors, usize::from),
    };
    let mut corpus = StateCorpus::new(family, &machines, corpus_options)?;
    let left_out = corpus.not_compared();
    if !left_out.is_empty() {
        output::note(&crate::cli::families::not_compared(&left_out));
    }
    let mut session =
        CorpusSession { request, folder, counts: CorpusCounts::default(), out: output::stdout() };
    for number in 0..corpus.parts() {
        session.part(&corpus.part(number)?)?;
    }
    session.end()
}

struct CorpusSession<'c, W: Write> {
    request: &'c CorpusRequest<'c>,
    folder: &'c Path,
    counts: CorpusCounts,
    out: W,
}

impl<W: Write> CorpusSession<'_, W> {
    fn part(&mut self, part: &CorpusPart) -> anyhow::Result<()> {
        self.counts.cases += part.cases;
        self.counts.left_out += part.left_out;
        self.counts.short +=
            usize::from(part.cases < self.request.args.cases.map_or(0, NonZeroU32::get).into());
        for (name, text) in &part.files {
            self.counts.files += 1;
            self.file(name, text)?;
        }
        match self.request.output {
            OutputForm::Json => self.line(part)?,
            OutputForm::Text => self.block(part)?,
        }
        Ok(self.out.flush()?)
    }

    fn file(&mut self, name: &str, text: &str) -> anyhow::Result<()> {
        let path = self.folder.join(format!("{name}.json"));
        let is_stale = !has_bytes(&path, Links::Follow, text.as_bytes());
        self.counts.stale += usize::from(is_stale);
        if !is_stale || self.request.is_check {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(self.folder);
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        self.request.args.force.write(&path, text.as_bytes())
    }

    fn line(&mut self, part: &CorpusPart) -> anyhow::Result<()> {
        let disagreements = part.disagreements.iter().map(|disagreement| {
            let groups = disagreement.groups.iter().map(|(vms, line)| json!({"vms": vms, "line": line}));
            let outcome: &str = disagreement.outcome.into();
            json!({"state": disagreement.state, "outcome": outcome, "groups": groups.collect::<Vec<_>>()})
        });
        let line = json!({
            "type": "part", "name": part.name, "cases": part.cases, "left_out": part.left_out,
            "disagreements": disagreements.collect::<Vec<_>>(),
        });
        Ok(write_line(&mut self.out, &line)?)
    }

    fn block(&mut self, part: &CorpusPart) -> anyhow::Result<()> {
        for disagreement in &part.disagreements {
            let seed = self.request.args.seed;
            let outcome: &str = disagreement.outcome.into();
            let outcome = outcome.to_uppercase();
            writeln!(self.out, "{outcome}  {}, state {} of seed {seed}", part.name, disagreement.state)?;
            for (vms, line) in &disagreement.groups {
                let line = if line.is_empty() { String::new() } else { format!(": {}", shown(line)) };
                writeln!(self.out, "  {}{line}", escaped(&vms.join(", ")))?;
            }
        }
        let more = part.left_out - part.disagreements.len() as u64;
        if more > 0 {
            writeln!(self.out, "  and {more} more of {}", part.name)?;
        }
        Ok(())
    }

    fn end(mut self) -> anyhow::Result<Exit> {
        let CorpusCounts { cases, left_out, files, stale, short } = &self.counts;
        if self.request.output == OutputForm::Json {
            let line = json!({
                "type": "summary", "cases": cases, "left_out": left_out, "files": files, "files_changed": stale,
            });
            write_line(&mut self.out, &line)?;
        } else {
            let written = if self.request.is_check { "would change" } else { "written" };
            let parts = if *short == 0 {
                String::new()
            } else {
                format!("; {} with fewer cases than asked for", counted(*short, "part"))
            };
            writeln!(
                self.out,
                "{} in {}, {left_out} left out without agreement{parts}; {} {written}",
                counted(*cases, "case"),
                counted(*files, "file"),
                counted(*stale, "file"),
            )?;
        }
        self.out.flush()?;
        let is_stale = self.request.is_check && *stale > 0;
        Ok(if *cases == 0 {
            Exit::NothingRan
        } else if *left_out > 0 || *short > 0 || is_stale {
            Exit::Failed
        } else {
            Exit::Passed
        })
    }
}
