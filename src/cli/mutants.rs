//! `vmconf mutants`

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use vmconf::explain::observed_run::RecordedDetail;
use vmconf::machines::MachineInfo;
use vmconf::model::{Exit, counted};
use vmconf::prove::judge::{self, JUDGE, Negatives};
use vmconf::prove::mutants::fault::{PlantedFault, faults_of};
use vmconf::prove::mutants::known::KnownFaults;
use vmconf::prove::mutants::search::program;
use vmconf::prove::mutants::{MutantsOptions, WORK, evenly, judge, wrong_entries};
use vmconf::prove::suite::VectorSuite;
use vmconf::report::mutants::{MUTANTS, MutantsKind};
use vmconf::run::LoadOptions;
use vmconf::run::cache::ProgramKey;
use vmconf::run::filter::Filter;
use vmconf::run::sources::Sources;
use vmconf::run::suite_key::SuiteKey;
use vmconf::text::suggest::did_you_mean;
use vmconf::wire::mutants::Mutants;

use super::cache_file::{self, CacheFile, KEY_DIGITS};
use super::early_end::EarlyEnd;
use super::number::{self, number, percent};
use super::output_form::forms;
use super::program::machine_argument;
use super::result_file::write_own;
use super::select::Select;
use super::settings::Settings;
use super::system::processors;
use super::unwritten::Unwritten;
use super::{families, output};

/// How many suites the cache keeps results for: the ones that were judged most recently.
const MAX_SUITES: usize = 32;

/// Plant faults in the machines and show which of them vectors notice
///
/// Example: vmconf mutants vectors/evm/arithmetic --only evm/ADD
///
/// Each instruction of a machine is broken in many ways, one at a time, and the cases that execute it run on
/// that machine until one does not pass. The faults are derived from the rows of the instruction set; their names are
/// machine/instruction/fault. Other rules of Ethereum, such as the reasons to refuse a transaction, are broken, too;
/// the names are ethereum/rule/fault.
#[derive(Debug, Args)]
pub(super) struct MutantsCommand {
    #[command(flatten)]
    pub(super) select: Select,

    /// Plant faults in the comparison instead, and show which of them vectors that must fail notice
    ///
    /// A fault is noticed if a case that fails passes with it.
    #[arg(long, conflicts_with_all = ["machine", "search", "write", "cached", "max_work"])]
    judge: bool,

    /// Only faults of this machine
    #[arg(long, value_name = "MACHINE", value_parser = machine_argument())]
    machine: Option<String>,

    /// Only faults whose name contains PATTERN, or matches it if it is a glob; repeatable
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,

    /// At most N faults, evenly spaced
    #[arg(long, value_name = "N", value_parser = number::<usize>)]
    most: Option<usize>,

    /// Number of threads [default: one per processor]
    #[arg(short, long, value_name = "N", value_parser = number::jobs)]
    jobs: Option<u16>,

    /// Instructions that may be executed for each fault
    #[arg(long, value_name = "N", default_value_t = WORK, value_parser = number::<u64>)]
    max_work: u64,

    /// Exit with 1 if less than this percentage of the faults is noticed
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percent)]
    min_score: f64,

    /// Programs to try for each fault that no case notices
    ///
    /// Programs are generated for evm, neo2 and neo3.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = number::<u32>)]
    search: u32,

    /// Write the programs that --search finds to this folder, as vectors
    #[arg(long, value_name = "FOLDER")]
    write: Option<PathBuf>,

    /// Reuse the results of an earlier run with --cached if vectors, flags and vmconf are unchanged
    #[arg(long)]
    cached: bool,

    /// Output form
    #[arg(short = 'o', long = "output", value_name = "FORM", default_value = MUTANTS[0].name, value_parser = forms(MUTANTS))]
    form: &'static MutantsKind,
}

impl MutantsCommand {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let options = self.select.options(settings)?;
        let sources = self.select.sources(settings, &options)?;
        if self.judge {
            return self.judge_comparison(&sources, &options);
        }
        let end = EarlyEnd::on_interrupt()?;
        let only = self.machine.as_deref().map(|name| families::embedded(name, settings)).transpose()?;
        let takes = |machine: &MachineInfo| only.is_none_or(|only| only.name == machine.name);
        let read = || {
            let suite = VectorSuite::read(&sources, &options, RecordedDetail::Codes, &takes);
            families::note_left_out(&suite);
            output::note_not_passing(suite.left_out - suite.of_families);
            suite
        };
        let cache = self.cache(&sources, &options);
        let mut suite = None;
        let known = cache.as_ref().and_then(FaultCache::read);
        let mut known = known.unwrap_or_else(|| KnownFaults::of(suite.insert(read())));
        let all: Vec<PlantedFault> = known.machines().flat_map(faults_of).collect();
        let faults = self.chosen(&all)?;
        let missing = known.missing(&faults);
        if !missing.is_empty() {
            let suite = suite.unwrap_or_else(read);
            end.begin();
            known.add(judge(&missing, &suite, &self.how(&end)));
        }
        if let Some(cache) = cache {
            cache.save(&known, &missing);
            let taken = faults.len() - missing.len();
            note!("note: {taken} of {} are from the cache", counted(faults.len(), "fault"));
        }
        let mutants = known.mutants(&faults);
        self.write(&mutants)?;
        let left = known.missing(&faults).len();
        if left > 0 {
            let all = counted(faults.len(), "fault");
            note!("note: interrupted: {left} of {all} are not judged");
        }
        if let Some(folder) = &self.write {
            write_programs(folder, &faults, &known)?;
        }
        let wrong = wrong_entries(&mutants, &all);
        for entry in &wrong {
            note!("note: vmconf's list of faults that cannot be noticed is wrong: {entry}");
        }
        Ok(end.exit(self.exit(&mutants, known.broken())))
    }

    /// Plants the faults of the comparison.
    fn judge_comparison(&self, sources: &Sources, options: &LoadOptions) -> anyhow::Result<Exit> {
        let mut faults = self.named(judge::FAULTS, |fault| format!("{JUDGE}/{}", fault.name))?;
        faults.truncate(self.most.unwrap_or(usize::MAX));
        let negatives = Negatives::read(sources, options);
        let mutants = negatives.judge(&faults);
        self.write(&mutants)?;
        Ok(self.exit(&mutants, negatives.broken))
    }

    fn write(&self, mutants: &Mutants) -> io::Result<()> {
        output::print(|out| (self.form.new)(out, mutants))
    }

    fn exit(&self, mutants: &Mutants, broken: u64) -> Exit {
        output::note_broken(broken);
        match mutants.score().filter(|_| mutants.cases > 0) {
            _ if broken > 0 => Exit::Broken,
            None => Exit::NothingRan,
            Some(score) if score < self.min_score => Exit::Failed,
            Some(_) => Exit::Passed,
        }
    }

    fn how(&self, end: &EarlyEnd) -> MutantsOptions {
        MutantsOptions {
            jobs: self.jobs.map_or_else(processors, usize::from),
            work: self.max_work,
            programs: self.search,
            interrupt: end.interrupt.clone(),
        }
    }

    /// The cache; `None` without `--cached`, and with a note when it cannot be used.
    fn cache(&self, sources: &Sources, options: &LoadOptions) -> Option<FaultCache> {
        if !self.cached {
            return None;
        }
        let how = (self.machine.as_deref(), self.max_work, self.search);
        let open = || {
            let suite = SuiteKey::new(sources, options, &how).context("a stream can be read only once")?;
            let program = cache_file::program()?;
            let name = format!("{:.KEY_DIGITS$}-{suite}", program.to_string());
            let file = CacheFile::new("faults", &name, MAX_SUITES)?;
            anyhow::Ok(FaultCache { program, suite, file })
        };
        open().map_err(|why| note!("note: --cached: {why:#}; nothing is kept")).ok()
    }

    /// The faults that the arguments choose.
    fn chosen(&self, all: &[PlantedFault]) -> anyhow::Result<Vec<PlantedFault>> {
        let chosen: Vec<_> = self.named(all, PlantedFault::to_string)?.into_iter().copied().collect();
        Ok(evenly(&chosen, self.most.unwrap_or(chosen.len())))
    }

    /// The faults with a name that `--only` matches.
    fn named<'f, F>(&self, faults: &'f [F], name: impl Fn(&F) -> String) -> anyhow::Result<Vec<&'f F>> {
        let names: Vec<_> = faults.iter().map(name).collect();
        for pattern in &self.only {
            check_pattern(pattern, &names)?;
        }
        let only = Filter::new(self.only.iter().map(String::as_str));
        let named = faults.iter().zip(&names).filter(|(_, name)| only.matches_text(name));
        Ok(named.map(|(fault, _)| fault).collect())
    }
}

/// Reports a pattern of `--only` that matches no fault of the machines that the vectors run on.
fn check_pattern(pattern: &str, names: &[String]) -> anyhow::Result<()> {
    let only = Filter::new([pattern]);
    if names.is_empty() || names.iter().any(|name| only.matches_text(name)) {
        return Ok(());
    }
    let parts = pattern.split('/').count();
    let of_instruction = |name: &String| name.splitn(3, '/').take(parts).collect::<Vec<_>>().join("/");
    let shortened: BTreeSet<_> = names.iter().map(of_instruction).collect();
    let known: Vec<&str> = match parts {
        1 => names.iter().flat_map(|name| name.split('/')).collect(),
        _ => shortened.iter().map(String::as_str).collect(),
    };
    let near = did_you_mean(pattern, known);
    anyhow::bail!("--only {pattern}: no fault of these machines has this name{near}")
}

/// What is kept about the faults and the suite of a run.
struct FaultCache {
    program: ProgramKey,
    suite: SuiteKey,
    file: CacheFile,
}

impl FaultCache {
    fn read(&self) -> Option<KnownFaults> {
        self.file.read(|text| KnownFaults::read(text, &self.program, &self.suite))
    }

    /// Keeps what is known, if these faults were judged in this run.
    fn save(&self, known: &KnownFaults, new: &[PlantedFault]) {
        if !new.is_empty() {
            self.file.write(&known.text(&self.program, &self.suite));
        }
    }
}

/// Writes the program of each fault that has one to the folder.
fn write_programs(folder: &Path, faults: &[PlantedFault], known: &KnownFaults) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| Unwritten::file(folder, error))?;
    for fault in faults {
        let Some(judged) = known.judged(fault).filter(|judged| judged.program) else { continue };
        // The search ends with the program that it finds.
        let PlantedFault::OfRow(fault) = fault else { continue };
        let Some(vector) = program(*fault, judged.tried.saturating_sub(1)) else { continue };
        let path = folder.join(format!("{}.json", judged.fault.replace('/', "-")));
        write_own(&path, vector.as_bytes())?;
    }
    Ok(())
}
