//! `vmconf family`: machines that are described by data.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use clap_complete::engine::ArgValueCompleter;
use vmconf::formats::family::{BUILT_IN, Family, FamilyPaths, infer, is_machine_name};
use vmconf::formats::{FileReading, FormatOptions};
use vmconf::model::{Case, Exit, Name, PathKey, Severity, counted, escaped};
use vmconf::run::FamilyMachine;
use vmconf::run::families::not_embedded;
use vmconf::run::sources;
use vmconf::testees::process;
use vmconf::text::file_name::{uncompressed_name, with_slashes};
use vmconf::text::json::{Document, JsonNode};

use super::errors::BrokenInput;
use super::input::read_text;
use super::settings::{ConfigArgs, Settings};
use super::{candidates, families, output};

/// How deeply a vector file may be nested here.
const MAX_DEPTH: usize = 128;

/// A declaration is made from the first files that together have this number of bytes: they lie in memory at once.
const MAX_INIT_BYTES: usize = 1 << 26;

/// Machines described by data: list them, show a declaration, check one
///
/// Example: vmconf family check families/z80.toml families/vectors/z80/one-instruction.json
#[derive(Debug, Args)]
pub(super) struct FamilyCommand {
    #[command(subcommand)]
    command: FamilySubcommand,
}

#[derive(Debug, Subcommand)]
enum FamilySubcommand {
    /// List the built-in families and those of vmconf.toml
    ///
    /// Example: vmconf family list
    List(FamilyListArgs),
    /// Print the declaration of a family
    ///
    /// Example: vmconf family show z80
    Show(FamilyShowArgs),
    /// Find errors in a declaration; with vectors, show how it reads the first case of each file
    ///
    /// Example: vmconf family check families/z80.toml families/vectors/z80/one-instruction.json
    Check(FamilyCheckArgs),
    /// Write a declaration that reads these vectors, with a comment at each uncertain guess
    ///
    /// Example: vmconf family init families/vectors/z80 --name my-z80
    Init(FamilyInitArgs),
}

#[derive(Debug, Args)]
struct FamilyListArgs {
    #[command(flatten)]
    config: ConfigArgs,
}

#[derive(Debug, Args)]
struct FamilyShowArgs {
    /// The name of the family
    #[arg(add = ArgValueCompleter::new(candidates::known_families))]
    name: String,

    #[command(flatten)]
    config: ConfigArgs,
}

#[derive(Debug, Args)]
struct FamilyCheckArgs {
    /// The declaration
    declaration: PathBuf,

    /// Vector files and folders
    vectors: Vec<PathBuf>,
}

#[derive(Debug, Args)]
struct FamilyInitArgs {
    /// Vector files and folders
    #[arg(required = true)]
    vectors: Vec<PathBuf>,

    /// The name of the machine [default: that of the first path]
    #[arg(long)]
    name: Option<String>,
}

impl FamilyCommand {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        match &self.command {
            FamilySubcommand::List(_) => list(settings),
            FamilySubcommand::Show(command) => command.run(settings),
            FamilySubcommand::Check(command) => command.run(settings),
            FamilySubcommand::Init(command) => command.run(settings),
        }
    }
}

fn list(settings: &Settings) -> anyhow::Result<Exit> {
    let families = families::configured(settings)?;
    let all: Vec<_> = families.iter().map(|known| known.family).collect();
    let width = all.iter().map(|family| family.machine.len()).max().unwrap_or(0);
    let mut out = output::stdout();
    for family in all {
        writeln!(out, "{:width$}  {}", family.machine, escaped(family.title))?;
    }
    out.flush()?;
    Ok(Exit::Passed)
}

impl FamilyShowArgs {
    fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let configured = settings.file.iter().flat_map(|file| &file.config.families);
        let own = configured.clone().find(|declared| declared.name == self.name);
        let built_in = BUILT_IN.iter().find(|built_in| built_in.name == self.name);
        let text = match (own, built_in) {
            (Some(declared), _) => read_text(&declared.file)?,
            (None, Some(built_in)) => built_in.text.to_owned(),
            (None, None) => {
                let names = configured.map(|declared| declared.name.as_str());
                let names: Vec<_> = names.chain(BUILT_IN.iter().map(|built_in| built_in.name)).collect();
                bail!("there is no family {}; there are {}", self.name, names.join(", "));
            }
        };
        output::print(|out| out.write_all(text.as_bytes()))?;
        Ok(Exit::Passed)
    }
}

impl FamilyCheckArgs {
    /// Fails if the declaration is the name of a built-in family instead of a file.
    fn refuse_name(&self) -> anyhow::Result<()> {
        let name = self.declaration.to_str().filter(|_| !self.declaration.exists());
        if let Some(name) = name.filter(|name| BUILT_IN.iter().any(|built_in| built_in.name == *name)) {
            bail!(
                "{name}: there is no such file; family check takes the file of a declaration, and vmconf family \
                 show {name} prints the built-in one"
            );
        }
        Ok(())
    }

    fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        self.refuse_name()?;
        let family = families::install(&self.declaration)?;
        let mut out = output::stdout();
        let (fields, members) = (family.fields.len(), family.program.len() - family.fields.len());
        writeln!(
            out,
            "{}: {}, {}, {}",
            self.declaration.display(),
            family.machine,
            counted(fields, "field"),
            counted(members, "input")
        )?;
        let mut paths = family.paths();
        let has_errors = self.vectors.iter().try_fold(false, |before, path| {
            let first = write_firsts(&mut out, family, path, &mut paths, settings)?;
            anyhow::Ok(before || first == FirstCase::Wrong)
        });
        out.flush()?;
        for fault in paths.faults() {
            note!("note: {}", fault.located(&self.declaration.display().to_string()));
        }
        Ok(if has_errors? { Exit::Broken } else { Exit::Passed })
    }
}

/// Writes what a family makes of the first case of a file, or of each file in a folder. A folder may have files of
/// something else, which are noted.
fn write_firsts(
    out: &mut dyn Write,
    family: &'static Family,
    path: &Path,
    paths: &mut FamilyPaths<'_>,
    settings: &Settings,
) -> anyhow::Result<FirstCase> {
    if !path.is_dir() {
        return write_first(out, family, path, paths);
    }
    let mut worst = FirstCase::Readable;
    for file in &sources::find(&[path.to_owned()], &settings.anchor)?.sources {
        match write_first(out, family, &file.path, paths) {
            Ok(FirstCase::Wrong) => worst = FirstCase::Wrong,
            Ok(FirstCase::Readable) => {}
            Err(why) if why.is::<BrokenInput>() => {
                note!("note: not read: {}", escaped(&why.to_string()));
            }
            Err(why) => return Err(why),
        }
    }
    Ok(worst)
}

impl FamilyInitArgs {
    fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let mut documents = Vec::new();
        let mut bytes = 0;
        for source in &sources::find(&self.vectors, &settings.anchor)?.sources {
            let document = Document::parse(read_text(&source.path)?, MAX_DEPTH);
            let document =
                document.map_err(|(text, fault)| BrokenInput(text.locate(fault).located(&source.shown)))?;
            bytes += document.text().len();
            documents.push(document);
            if bytes > MAX_INIT_BYTES {
                let files = counted(documents.len(), "file");
                note!("note: nothing is read after the first {files}, more than {MAX_INIT_BYTES} bytes");
                break;
            }
        }
        let inferred = infer(&self.name()?, &documents).map_err(anyhow::Error::msg)?;
        output::print(|out| out.write_all(inferred.text.as_bytes()))?;
        inferred.notes.iter().for_each(|note| note!("note: {}", escaped(note)));
        Ok(Exit::Passed)
    }

    /// The name of the machine.
    fn name(&self) -> anyhow::Result<String> {
        let path = self.vectors.first().context("no vectors")?;
        let file = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let file = uncompressed_name(&file).unwrap_or(&file);
        let stem =
            Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let name = self.name.clone().unwrap_or(stem);
        not_embedded(&name).map_err(|why| anyhow::anyhow!("{why}; use --name"))?;
        if is_machine_name(&name) {
            return Ok(name);
        }
        bail!("{name:?} is not the name of a machine: small letters, digits, -, _ and .; use --name")
    }
}

/// What the first case of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstCase {
    Readable,
    Wrong,
}

/// Writes what a family makes of the first case of a file.
fn write_first(
    out: &mut dyn Write,
    family: &'static Family,
    file: &Path,
    paths: &mut FamilyPaths<'_>,
) -> anyhow::Result<FirstCase> {
    let shown = file.display().to_string();
    let document = Document::parse(read_text(file)?, MAX_DEPTH);
    let document = document.map_err(|(text, fault)| BrokenInput(text.locate(fault).located(&shown)))?;
    let broken = |fault| BrokenInput(document.locate(fault).located(&shown));
    let real = file.canonicalize().map(|path| with_slashes(&path));
    let fits = |path: &&String| family.fitting(document.root(), path).is_ok();
    let path = real.as_ref().ok().filter(fits).unwrap_or(&shown);
    paths.look_at(document.root(), path);
    let (format, _) = family.fitting(document.root(), path).map_err(|misfit| broken(*misfit.why))?;
    let entries = (format.outline)(document.root()).map_err(broken)?;
    let first = entries.first().context("a file without cases")?;
    let node = JsonNode::at_index(&document, first.node);
    let FileReading { case, diagnostics, .. } = format.read_case(node, FormatOptions::default());
    let (cases, name) = (counted(entries.len(), "case"), escaped(&first.name));
    writeln!(out, "\n{}: {cases}; the first one is {name}", escaped(&shown))?;
    let has_errors = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    for diagnostic in diagnostics {
        let located = document.locate(diagnostic.clone()).located(&shown);
        writeln!(out, "  {}: {}", diagnostic.severity.name(), escaped(&located))?;
    }
    if let Some(case) = &case {
        write_case(out, family, case)?;
    }
    Ok(if has_errors { FirstCase::Wrong } else { FirstCase::Readable })
}

/// Names of a vector or a declaration, in a line.
fn listed<'n>(names: impl Iterator<Item = &'n Name>) -> String {
    names.map(|name| escaped(name).into_owned()).collect::<Vec<_>>().join(", ")
}

fn write_case(out: &mut dyn Write, family: &'static Family, case: &Case) -> anyhow::Result<()> {
    let members = case.program.0.members().unwrap_or_default();
    writeln!(out, "  given:    {}", listed(members.iter().map(|(name, _)| name)))?;
    for step in &case.steps {
        let mut demanded: Vec<&Name> = Vec::new();
        let mut seen = BTreeSet::new();
        for assertion in &step.assertions {
            if let PathKey::Name(name) = assertion.at.first()
                && seen.insert(name)
            {
                demanded.push(name);
            }
        }
        writeln!(out, "  demanded: {}", listed(demanded.into_iter()))?;
    }
    let machine = FamilyMachine::new(family).machine;
    let request = process::example_request(machine, &case.program, &case.steps).unwrap_or_default();
    writeln!(out, "  request:  {}", escaped(request.trim_end()))?;
    Ok(())
}
