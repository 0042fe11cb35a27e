//! `vmconf fuzz`

use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use clap::Args;
use serde_json::{Map, Value as Json, json};
use vmconf::hunt::corpus::FuzzCorpus;
use vmconf::hunt::fuzz::{
    self, FuzzCause, FuzzEvent, FuzzFinding, FuzzMachine, FuzzOptions, FuzzRefusal, FuzzSubject, FuzzSummary,
    NoFuzzCause,
};
use vmconf::model::{Exit, Interrupt, counted, escaped};
use vmconf::run::open_file::Links;
use vmconf::run::sources;
use vmconf::run::{FileOptions, IgnoredField, LoadOptions};
use vmconf::testees::MakeTestee;
use vmconf::testees::process::ProcessVm;
use vmconf::text::json::quoted;
use vmconf::wire::line::write_line;

use super::conduct::{Conduct, SteadyBreakdowns};
use super::duration::time_limit;
use super::early_end::EarlyEnd;
use super::families::{self, NamedMachine};
use super::file_args::{check_ignored, check_whole};
use super::input::read_written;
use super::new_file::ForceArgs;
use super::number::{self, number};
use super::output;
use super::output_form::OutputForm;
use super::program::machine_or_family;
use super::result_file::{ResultFile, has_bytes, write_typed};
use super::settings::{ConfigArgs, Settings};
use super::system::processors;
use super::unwritten::Unwritten;
use super::vm::VmsArgs;

/// Find programs or states on which machines differ
///
/// Example: vmconf fuzz neo3 --vm 'mine=vmconf serve neo3' --cases 200
///
/// For an embedded machine, generates programs from its instruction table, and compares each machine with it. For a
/// family, generates states from the types of its members, and compares the machines with each other: at least two.
/// Cases that reach new coverage are mutated. Each difference is minimized and reported once, by the instruction that
/// made the first wrong value, or by the field and what the differing states have in common. With --out, it is written
/// as a vector. The same seed, number of cases and corpus find the same differences.
#[derive(Debug, Args)]
pub(super) struct FuzzCommand {
    /// The machine: an embedded one, or that of a family
    #[arg(value_parser = machine_or_family(), hide_possible_values = true)]
    machine: String,

    /// The declaration of the family of this machine, if it is neither built in nor in vmconf.toml
    #[arg(long, value_name = "FILE")]
    family: Option<String>,

    #[command(flatten)]
    vms: VmsArgs,

    #[arg(long, value_name = "N", value_parser = number::<NonZeroU64>,
        help = format!("Number of programs or states [default: {DEFAULT_CASES}; with --time, as many as it allows]"))]
    cases: Option<NonZeroU64>,

    /// End after this time, such as 30s
    #[arg(long, value_name = "DURATION", value_parser = time_limit)]
    time: Option<Duration>,

    /// Seed of the generated programs or states
    #[arg(long, value_name = "S", default_value = "1", value_parser = number::<u64>)]
    seed: u64,

    /// Start from the vectors in this folder, and add one for each program or state with new coverage
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,

    /// Write the vector of each difference to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Known differences, one per line, which are not reported again; new ones are added
    #[arg(long, value_name = "LIST")]
    known: Option<PathBuf>,

    /// Maximum number of changes that are tried to make a case small
    #[arg(long, value_name = "N", default_value = "2000", value_parser = number::<usize>)]
    tries: usize,

    /// Number of states that run at the same time, each in a process of its machine [default: one per processor]
    #[arg(short, long, value_name = "N", value_parser = number::jobs)]
    jobs: Option<u16>,

    /// Do not compare FIELD of the state; with MASK, for programs, ignore only the bits in MASK; repeatable
    #[arg(long, value_name = "FIELD[:MASK]", value_parser = IgnoredField::parse)]
    ignore: Vec<IgnoredField>,

    /// Output form
    #[arg(short, long, value_name = "FORM", default_value = "text")]
    output: OutputForm,

    #[command(flatten)]
    force: ForceArgs,

    #[command(flatten)]
    config: ConfigArgs,
}

/// How many cases run if neither their number nor a time is given.
const DEFAULT_CASES: u64 = 10_000;

/// How many digits of its hash name a vector of the corpus.
const HASH_DIGITS: usize = 32;

/// How many cases to run: a time alone is used up.
fn number_of_cases(cases: Option<NonZeroU64>, time: Option<Duration>) -> u64 {
    cases.map_or(if time.is_some() { u64::MAX } else { DEFAULT_CASES }, NonZeroU64::get)
}

/// What a search writes.
struct FuzzSession<'c, O> {
    command: &'c FuzzCommand,
    noun: &'static str,
    out: O,
    /// How many vectors could not be written.
    lost: usize,
    is_corpus_lost: bool,
}

impl<O: Write> FuzzSession<'_, O> {
    fn event(&mut self, event: FuzzEvent) -> anyhow::Result<()> {
        match event {
            FuzzEvent::NewCoverage(vector) => self.add_to_corpus(&vector),
            FuzzEvent::Found(finding) => return self.found(&finding),
            FuzzEvent::NotCompared(fields) => output::note(&families::not_compared(&fields)),
        }
        Ok(())
    }

    fn add_to_corpus(&mut self, vector: &str) {
        if self.is_corpus_lost {
            return;
        }
        if let Err(error) = self.command.add_to_corpus(vector) {
            note!("error: {error:#}: the corpus gets no more vectors");
            self.is_corpus_lost = true;
        }
    }

    fn found(&mut self, finding: &FuzzFinding) -> anyhow::Result<()> {
        let FuzzSession { command, out, noun, .. } = self;
        let file = command.out.as_deref().map(|folder| command.write_vector(folder, finding));
        self.lost += usize::from(matches!(file, Some(VectorFile::Lost(..))));
        command.report(out, finding, file.as_ref(), noun)?;
        command.known.as_deref().map_or(Ok(()), |list| add_known(list, &finding.cause))
    }

    fn exit(&self, summary: &FuzzSummary) -> Exit {
        match summary {
            _ if self.lost > 0 || self.is_corpus_lost => Exit::Broken,
            FuzzSummary { broke_down: 1.., .. } => Exit::Broken,
            FuzzSummary { found: 1.., .. } => Exit::Failed,
            _ => Exit::Passed,
        }
    }
}

impl FuzzCommand {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let end = EarlyEnd::on_interrupt()?;
        let vms = self.vms.start(settings, &end.groups, &Interrupt::default())?;
        let vms: Vec<_> = vms.into_iter().map(Arc::new).collect();
        if vms.is_empty() {
            bail!("name a machine with --vm NAME=COMMAND");
        }
        let subjects: Vec<_> = vms.iter().map(subject).collect();
        let machine = self.machine(settings)?;
        let options = FuzzOptions {
            ignored: self.ignored(&machine)?,
            seed: self.seed,
            cases: number_of_cases(self.cases, self.time),
            deadline: self.time.map(|time| Instant::now() + time),
            interrupt: end.interrupt.clone(),
            max_tries: self.tries,
            jobs: self.jobs.map_or_else(processors, usize::from),
        };
        let noun = noun(&machine);
        let corpus = self
            .corpus
            .as_deref()
            .map_or_else(|| Ok(FuzzCorpus::default()), |folder| read_corpus(&machine, folder, settings))?;
        let read = corpus.len();
        self.make_folders(&machine, settings)?;
        let mut known = self.known.as_deref().map_or_else(|| Ok(BTreeSet::new()), read_known)?;
        if let Some(path) = &self.known {
            begin_known(path)?;
        }
        let mut session =
            FuzzSession { command: self, noun, out: output::stdout(), lost: 0, is_corpus_lost: false };
        end.begin();
        let mut written = Ok(());
        let summary = fuzz::fuzz(&machine, &subjects, corpus, &options, &mut known, &mut |event| {
            if written.is_ok() {
                written = session.event(event);
            }
        })?;
        written?;
        let exit = session.exit(&summary);
        self.end(&mut session.out, &summary, read, noun)?;
        // A machine that breaks down each time is a finding, or known.
        let conduct = Conduct { steady: SteadyBreakdowns::Reported, flaky: self.vms.flaky() };
        Ok(end.exit(conduct.end(&vms, exit)))
    }

    /// Makes the folders to write to. One that cannot be made is an error before the search, which may take hours.
    fn make_folders(&self, machine: &FuzzMachine, settings: &Settings) -> anyhow::Result<()> {
        for folder in self.out.iter().chain(&self.corpus) {
            if let FuzzMachine::Family(known, _) = machine {
                families::check_folder(known.family, folder, &settings.anchor)?;
            }
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        Ok(())
    }

    /// Whose cases are made.
    fn machine(&self, settings: &Settings) -> anyhow::Result<FuzzMachine> {
        let families = families::configured(settings)?;
        let families = match &self.family {
            Some(argument) => families::named(argument, &families)?.1,
            None => families,
        };
        Ok(match families::machine(&self.machine, &families)? {
            NamedMachine::Embedded(machine) if self.family.is_some() => {
                bail!("{} is an embedded machine, and not of a family: leave out --family", machine.name)
            }
            NamedMachine::Embedded(machine) => FuzzMachine::Embedded(machine),
            NamedMachine::Family(family) => FuzzMachine::Family(family, families),
        })
    }

    /// The fields that are not compared.
    fn ignored(&self, machine: &FuzzMachine) -> anyhow::Result<Vec<IgnoredField>> {
        for ignored in &self.ignore {
            match machine {
                FuzzMachine::Embedded(machine) => check_ignored(ignored, machine.name, machine.fields)?,
                FuzzMachine::Family(family, _) => {
                    check_whole(ignored)?;
                    check_ignored(ignored, family.family.machine, family.family.fields)?;
                }
            }
        }
        Ok(self.ignore.clone())
    }

    /// Reports a difference, with its vector unless a file has it.
    fn report(
        &self,
        out: &mut impl Write,
        finding: &FuzzFinding,
        file: Option<&VectorFile>,
        noun: &str,
    ) -> anyhow::Result<()> {
        match self.output {
            OutputForm::Json => write_line(out, &self.difference_line(finding, file))?,
            OutputForm::Text => self.write_difference(out, finding, file, noun)?,
        }
        Ok(out.flush()?)
    }

    fn difference_line(&self, finding: &FuzzFinding, file: Option<&VectorFile>) -> Json {
        let FuzzFinding { cause, number, vector, signature, condition, machines } = finding;
        let file = file.filter(|file| file.has_vector()).map(|file| file.path().display().to_string());
        let machines: Map<_, _> =
            machines.iter().map(|(name, said)| (name.clone(), said.clone().into())).collect();
        let mut line = json!({
            "type": "difference", "vm": cause.vm, "cause": cause.what, "signature": signature,
            "seed": self.seed, "program": number, "machines": machines, "vector": vector, "file": file,
        });
        if let Some(condition) = condition {
            line["condition"] = condition.as_str().into();
        }
        line
    }

    fn write_difference(
        &self,
        out: &mut impl Write,
        finding: &FuzzFinding,
        file: Option<&VectorFile>,
        noun: &str,
    ) -> io::Result<()> {
        let FuzzFinding { cause, number, vector, signature, condition, machines } = finding;
        writeln!(out, "DIFFERS  {}", escaped(&cause.to_string()))?;
        let only = condition.as_ref().map_or_else(String::new, |condition| format!(", if {condition}"));
        writeln!(out, "  {}{}", escaped(signature), escaped(&only))?;
        for (name, said) in machines {
            writeln!(out, "  {}: {}", escaped(name), escaped(said))?;
        }
        writeln!(out, "  {noun} {number} of seed {}", self.seed)?;
        if let Some(file) = file {
            writeln!(out, "  {}", escaped(&file.to_string()))?;
        }
        let is_kept = file.is_some_and(VectorFile::has_vector);
        vector.lines().filter(|_| !is_kept).try_for_each(|line| writeln!(out, "  {}", escaped(line)))
    }

    /// Writes the vector of a finding. A file that is there stays as it is, and the search goes on.
    fn write_vector(&self, folder: &Path, finding: &FuzzFinding) -> VectorFile {
        let FuzzCause { vm, what } = &finding.cause;
        let plain = |text: &str| -> String {
            let words = text.split(|it: char| !it.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
            words.take(6).collect::<Vec<_>>().join("-")
        };
        let name = format!("{}-{}-{}-{}.json", plain(vm), plain(what), self.seed, finding.number);
        let path = folder.join(name);
        let vector = finding.vector.as_bytes();
        if self.force.check(&path).is_err() {
            let is_same = has_bytes(&path, Links::Follow, vector);
            return if is_same { VectorFile::AsBefore(path) } else { VectorFile::Other(path) };
        }
        match self.force.write(&path, vector) {
            Ok(()) => VectorFile::Written(path),
            Err(error) => VectorFile::Lost(path, format!("{error:#}")),
        }
    }

    /// Writes a vector to the corpus, under the hash of its text.
    fn add_to_corpus(&self, vector: &str) -> anyhow::Result<()> {
        let Some(folder) = &self.corpus else { return Ok(()) };
        let path = folder.join(format!("{}.json", &blake3::hash(vector.as_bytes()).to_hex()[..HASH_DIGITS]));
        // An earlier run wrote the same vector, or something else has this name, such as a link or a pipe.
        if path.symlink_metadata().is_ok() {
            return Ok(());
        }
        let written = ResultFile::own(&path).and_then(|file| file.write_new(&mut vector.as_bytes()));
        Ok(written.map_err(|error| Unwritten::file(&path, error))?)
    }

    /// Reports the end; `read` is the number of cases of the corpus.
    fn end(
        &self,
        out: &mut impl Write,
        summary: &FuzzSummary,
        read: usize,
        noun: &str,
    ) -> anyhow::Result<()> {
        match self.output {
            OutputForm::Json => write_line(out, &end_line(summary, read))?,
            OutputForm::Text => self.write_end(out, summary, read, noun)?,
        }
        Ok(out.flush()?)
    }

    fn write_end(
        &self,
        out: &mut impl Write,
        summary: &FuzzSummary,
        read: usize,
        noun: &str,
    ) -> io::Result<()> {
        let FuzzSummary { cases, skipped, refusals, differing, found, resumed, added, .. } = summary;
        if self.corpus.is_some() {
            let read = counted(read, noun);
            writeln!(out, "corpus: {read} read, {resumed} kept, {added} with new coverage added")?;
        }
        let (cases, causes) = (counted(*cases, noun), counted(*found, "new cause"));
        let of_them = |count: u64, what: &str| match count {
            0 => String::new(),
            count => format!(", {count} of them {what}"),
        };
        let unrepeated = of_them(summary.unrepeated, "not repeatable");
        let untried = of_them(summary.untried, "not minimized");
        writeln!(
            out,
            "{cases}, {skipped} skipped, {differing} with a difference{unrepeated}{untried}: {causes}"
        )?;
        for (FuzzRefusal { vm, why }, count) in refusals.by_number() {
            writeln!(out, "  {} did not run {count} of them: {}", escaped(vm), escaped(why))?;
        }
        Ok(())
    }
}

fn end_line(summary: &FuzzSummary, read: usize) -> Json {
    let FuzzSummary {
        cases, skipped, refusals, differing, unrepeated, untried, found, resumed, added, ..
    } = summary;
    let refusals = refusals.by_number().into_iter();
    let refusals: Vec<_> = refusals
        .map(|(FuzzRefusal { vm, why }, count)| json!({"vm": vm, "why": why, "programs": count}))
        .collect();
    json!({
        "type": "end", "programs": cases, "skipped": skipped, "differing": differing, "unrepeated": unrepeated,
        "untried": untried, "found": found,
        "refusals": refusals,
        "corpus": {"read": read, "kept": resumed, "added": added},
    })
}

/// Whether the vector of a finding was written, and where.
enum VectorFile {
    Written(PathBuf),
    /// It was there with this vector.
    AsBefore(PathBuf),
    /// It was there with something else, and stays.
    Other(PathBuf),
    /// It cannot be written, and why.
    Lost(PathBuf, String),
}

impl VectorFile {
    fn has_vector(&self) -> bool {
        matches!(self, VectorFile::Written(_) | VectorFile::AsBefore(_))
    }

    fn path(&self) -> &Path {
        match self {
            VectorFile::Written(path)
            | VectorFile::AsBefore(path)
            | VectorFile::Other(path)
            | VectorFile::Lost(path, _) => path,
        }
    }
}

impl fmt::Display for VectorFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path().display();
        match self {
            VectorFile::Written(_) => write!(f, "written to {path}"),
            VectorFile::AsBefore(_) => write!(f, "in {path}, as before"),
            VectorFile::Other(_) => {
                write!(f, "not written: {path} has different content; --force replaces it")
            }
            VectorFile::Lost(_, why) => write!(f, "not written: {why}"),
        }
    }
}

/// What cases of a machine are.
fn noun(machine: &FuzzMachine) -> &'static str {
    match machine {
        FuzzMachine::Embedded(_) => "program",
        FuzzMachine::Family(..) => "state",
    }
}

/// The programs or states of the vectors in a folder; none if there is no folder yet.
fn read_corpus(machine: &FuzzMachine, folder: &Path, settings: &Settings) -> anyhow::Result<FuzzCorpus> {
    match folder.metadata() {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => bail!("{}: not a folder", folder.display()),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(FuzzCorpus::default()),
        Err(error) => return Err(error).with_context(|| folder.display().to_string()),
    }
    let found = sources::find(&[folder.to_owned()], &settings.anchor)?;
    let (machine, file) = match machine {
        FuzzMachine::Embedded(machine) => (*machine, FileOptions::default()),
        FuzzMachine::Family(known, families) => {
            let (family, families) = (Some(known.family), families.clone());
            (known.machine, FileOptions { family, families, ..FileOptions::default() })
        }
    };
    let options = LoadOptions { file, ..LoadOptions::default() };
    let corpus = FuzzCorpus::read(machine, &found.sources, &options);
    if corpus.is_empty() && found.sources.iter().next().is_some() {
        let why = corpus.notes().next().unwrap_or_default();
        let folder = folder.display();
        bail!(
            "{folder}: no vector for {} ({why}); --corpus takes a folder with some, or an empty one",
            machine.name
        );
    }
    for note in found.passed_over.into_iter().chain(corpus.notes()) {
        note!("note: {note}");
    }
    Ok(corpus)
}

fn subject(vm: &Arc<ProcessVm>) -> FuzzSubject {
    FuzzSubject { name: vm.command().name.clone(), testee: MakeTestee::in_processes(vm.clone()) }
}

/// The causes of a list: in each line the name of a machine and what differs. A file that does not exist has none.
fn read_known(path: &Path) -> anyhow::Result<BTreeSet<FuzzCause>> {
    if !path.exists() {
        return Ok(BTreeSet::new());
    }
    let text = read_written(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let cause = |(index, line): (usize, &str)| {
        line.parse().map_err(|expected: NoFuzzCause| {
            let place = format!("{}:{}:1", path.display(), index + 1);
            anyhow!("{place}: {} is not a known difference; {expected}", quoted(line))
        })
    };
    lines.map(cause).collect()
}

/// Creates the list if it does not exist. It grows with each cause that is found: an interrupt loses none.
fn begin_known(path: &Path) -> anyhow::Result<()> {
    const HEAD: &str = "# Differences that vmconf fuzz does not report again: a machine, and what differs.\n";
    if path.exists() {
        return Ok(());
    }
    Ok(write_typed(path, HEAD.as_bytes())?)
}

/// Adds a cause at the end of the list, which is otherwise left as it is.
fn add_known(path: &Path, cause: &FuzzCause) -> anyhow::Result<()> {
    let add = || -> io::Result<()> {
        let mut list = File::options().read(true).append(true).open(path)?;
        let mut last = [b'\n'];
        if list.metadata()?.len() > 0 {
            list.seek(SeekFrom::End(-1))?;
            list.read_exact(&mut last)?;
        }
        let end = if last == [b'\n'] { "" } else { "\n" };
        writeln!(list, "{end}{cause}")
    };
    Ok(add().map_err(|error| Unwritten::file(path, error))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_time_alone_the_number_of_programs_is_unlimited() {
        let time = Some(Duration::from_secs(30));
        assert_eq!(number_of_cases(None, None), DEFAULT_CASES);
        assert_eq!(number_of_cases(None, time), u64::MAX);
        assert_eq!(number_of_cases(NonZeroU64::new(200), time), 200);
        assert_eq!(number_of_cases(NonZeroU64::new(200), None), 200);
    }
}
