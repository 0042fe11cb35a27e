//! `vmconf explore`

mod elsewhere;
mod terminal;

use std::path::{Path, PathBuf};
use std::{env, iter};

use clap::Args;
use vmconf::explain::explore::beside::PairedExplorer;
use vmconf::explain::explore::{self, CasePicker, Explorer, OpenedCase, page};
use vmconf::formats::minic89::documents;
use vmconf::machines::minic89::Playback;
use vmconf::model::{CaseId, Exit};
use vmconf::run::sources::Sources;
use vmconf::run::{LoadOptions, LoadedFile};
use vmconf::testees::process::ProcessGroups;
use vmconf::text::shell::ShellWords;

use self::terminal::{ShownRuns, Signals};
use super::errors::BrokenInput;
use super::find_case::{UnlistedCases, selected_ids, with_case, with_nth_case};
use super::input;
use super::new_file::ForceArgs;
use super::output;
use super::select::Select;
use super::settings::Settings;
use super::vm::VmsArgs;

/// The most cases of which one can be picked.
const MAX_PICKED: usize = 10_000;

/// The most contradictions of foreign snapshots that are printed.
const MAX_NOTES: usize = 20;

/// Go through the run of a case step by step, forward and back
///
/// Example: vmconf explore vectors/evm/arithmetic/div.json::by-zero --html -
///
/// Opens at the assertion that fails with its datum selected; p goes to the instruction that wrote it. ? shows the
/// keys. With --html, writes the same as one page for a browser. With --vm, shows what a machine in another process
/// executed, beside the embedded machine or another --vm, from the first difference on; with --trace, what a trace
/// in a file says.
#[derive(Debug, Args)]
pub(super) struct Explore {
    #[command(flatten)]
    pub(super) select: Select,

    /// Write a page for a browser instead, of at most 10 million steps; - for standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgs,

    #[command(flatten)]
    vms: VmsArgs,

    /// A trace that another machine wrote, as EIP-3155 describes; with a case, beside it; given twice, beside each
    /// other
    #[arg(long = "trace", value_name = "FILE", conflicts_with_all = ["metadata", "snapshots"])]
    traces: Vec<PathBuf>,

    /// Metadata document of a MiniC89 program whose --snapshots come from another machine
    #[arg(long, value_name = "FILE", requires = "snapshots", conflicts_with_all = ["paths", "vms"])]
    metadata: Option<PathBuf>,

    /// The snapshots: one document in each line, or an array of them
    #[arg(long, value_name = "FILE", requires = "metadata")]
    snapshots: Option<PathBuf>,

    /// Open at the step with this number
    #[arg(long, value_name = "STEP", conflicts_with = "html")]
    at: Option<u64>,

    /// Select the datum with this name, which the key y shows
    #[arg(long, value_name = "NAME", conflicts_with = "html")]
    datum: Option<String>,

    /// Show the lines of this source, from which the program was compiled
    #[arg(long, value_name = "FILE")]
    source: Option<PathBuf>,
}

impl Explore {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        if let Some(file) = self.html.as_deref().filter(|file| *file != Path::new("-")) {
            self.force.check(file)?;
        }
        if let (Some(metadata), Some(snapshots)) = (&self.metadata, &self.snapshots) {
            self.present(documents(metadata, snapshots)?)?;
            return Ok(Exit::Passed);
        }
        if !self.traces.is_empty() || self.vms.is_some() {
            return self.run_elsewhere(settings);
        }
        let options = self.select.options(settings)?;
        let sources = self.select.sources(settings, &options)?;
        let open = |loaded: &LoadedFile<'_>, case: usize, signals: Option<&Signals>| {
            let opened = explore::open(loaded, case, &options.run).map_err(BrokenInput)?;
            match signals {
                Some(signals) => {
                    let command = self.typed_for(&opened.id);
                    self.show(explorer(opened, self.source_lines()?, command), signals)?;
                }
                None => self.present(opened)?,
            }
            Ok(Exit::Passed)
        };
        if let Some(mut picker) = self.picker(&sources, &options) {
            let signals = Signals::handle(ProcessGroups::default())?;
            let Some(picked) = terminal::pick(&mut picker, &signals)? else { return Ok(Exit::Passed) };
            return with_nth_case(&sources, &options, picked, |loaded, case| {
                open(loaded, case, Some(&signals))
            });
        }
        with_case(&sources, &options, |loaded, case| open(loaded, case, None))
    }

    /// A list of the selected cases; `None` if there is only one, or no screen to show the list on.
    fn picker(&self, sources: &Sources, options: &LoadOptions) -> Option<CasePicker> {
        if self.html.is_some() || terminal::check().is_err() {
            return None;
        }
        let (ids, remaining) = selected_ids(sources, options, MAX_PICKED);
        let omitted = if remaining == UnlistedCases::Some { ", the first ones" } else { "" };
        (ids.len() > 1).then(|| CasePicker::new(&ids, omitted))
    }

    /// What was typed after the name of the command, with a case in place of the paths, which select several.
    fn typed_for(&self, id: &CaseId) -> ShellWords {
        let flags = typed_words().into_iter().filter(|word| !self.select.has_path(word));
        iter::once(id.to_string()).chain(flags).collect()
    }

    fn write_page(&self, opened: OpenedCase, source: &[String], file: &Path) -> anyhow::Result<()> {
        let mut page = Vec::new();
        let cut = page::write(opened, source, &typed(), &mut page)?;
        self.put_page(&page, cut.text(), file)
    }

    fn write_pair(&self, pair: PairedExplorer, source: &[String], file: &Path) -> anyhow::Result<()> {
        let mut page = Vec::new();
        let cut = page::write_pair(pair, source, &mut page)?;
        self.put_page(&page, cut, file)
    }

    fn put_page(&self, page: &[u8], cut: Option<String>, file: &Path) -> anyhow::Result<()> {
        if let Some(cut) = cut {
            note!("note: {cut}");
        }
        if file == Path::new("-") {
            return Ok(output::print(|out| out.write_all(page))?);
        }
        self.force.write(file, page)
    }

    /// Shows it, or writes a page.
    fn present(&self, opened: OpenedCase) -> anyhow::Result<()> {
        let source = self.source_lines()?;
        if let Some(file) = &self.html {
            return self.write_page(opened, &source, file);
        }
        let signals = Signals::handle(ProcessGroups::default())?;
        self.show(explorer(opened, source, typed()), &signals)
    }

    /// Shows it where the user wants it.
    fn show(&self, mut explorer: Explorer, signals: &Signals) -> anyhow::Result<()> {
        explorer.open_at(self.at, self.datum.as_deref());
        terminal::run(&mut ShownRuns::One(Box::new(explorer)), signals)
    }

    fn source_lines(&self) -> anyhow::Result<Vec<String>> {
        let Some(path) = &self.source else { return Ok(Vec::new()) };
        let text = input::read(path)?;
        Ok(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
    }
}

/// The snapshots of another machine. What contradicts in them is noted.
fn documents(metadata: &Path, snapshots: &Path) -> anyhow::Result<OpenedCase> {
    let read = |path: &Path| {
        let text = input::read_text(path)?;
        Ok::<_, anyhow::Error>((path.display().to_string(), text))
    };
    let ((metadata, text), (name, stream)) = (read(metadata)?, read(snapshots)?);
    let program = documents::metadata(&metadata, text).map_err(BrokenInput::of_lines)?;
    let snapshots = documents::snapshots(&name, &stream).map_err(BrokenInput::of_lines)?;
    let (playback, notes) = Playback::new(&program, &snapshots).map_err(|error| BrokenInput(error.what))?;
    notes.iter().take(MAX_NOTES).for_each(|note| note!("note: {name}: {note}"));
    let more = notes.len().saturating_sub(MAX_NOTES);
    if more > 0 {
        note!("note: {name}: {more} more");
    }
    Ok(explore::open_machine(&name, "minic89", Box::new(playback), program).map_err(BrokenInput)?)
}

/// The explorer of a run; `command` is what follows the name of the command that opens it.
fn explorer(opened: OpenedCase, source: Vec<String>, command: ShellWords) -> Explorer {
    let OpenedCase { id, machine, recording, assertions, demands } = opened;
    let explorer = Explorer::new(recording, format!("{machine}  {id}"), assertions, source);
    explorer.with_case(id.to_string(), command, demands)
}

/// What was typed after the name of the command, without what says where to open, or where to write a page.
fn typed() -> ShellWords {
    typed_words().into_iter().collect()
}

fn typed_words() -> Vec<String> {
    arguments(env::args_os().map(|word| word.to_string_lossy().into_owned()))
}

/// What follows the name of the command, without what says where to open, or where to write a page.
fn arguments(typed: impl Iterator<Item = String>) -> Vec<String> {
    let mut typed = typed.skip_while(|word| word != "explore").skip(1);
    let mut words = Vec::new();
    while let Some(word) = typed.next() {
        match word.split_once('=').map_or(&*word, |(flag, _)| flag) {
            "--force" => {}
            "--at" | "--datum" | "--html" if word.contains('=') => {}
            "--at" | "--datum" | "--html" => drop(typed.next()),
            _ => words.push(word),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_what_was_typed_without_a_place() {
        let typed = [
            "vmconf",
            "explore",
            "a b.json::it",
            "--at",
            "3",
            "--vm=x=y",
            "--datum=r 1",
            "--at=4",
            "--html",
            "-",
            "--html=p",
            "--force",
        ];
        let words = arguments(typed.into_iter().map(str::to_owned));
        assert_eq!(words, ["a b.json::it", "--vm=x=y"]);
    }
}
