//! `vmconf explore`

mod terminal;

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use vmconf::explain::explore::{self, Explorer, Opened, page};
use vmconf::model::exit::Exit;

use super::exit_code::BrokenInput;
use super::find_case::with_case;
use super::result_file::ResultFile;
use super::select::Select;
use super::settings::Settings;

/// Go through the run of a case step by step, forward and back
///
/// Example: vmconf explore vectors/evm/arithmetic/div.json::by-zero --html div.html
///
/// Opens at the assertion that fails with its datum selected; p goes to the instruction that wrote it. ? shows the
/// keys. With --html, writes the same as one page for a browser.
#[derive(Debug, Args)]
pub(super) struct Explore {
    #[command(flatten)]
    pub(super) select: Select,

    /// Write a page for a browser instead, of at most 100000 steps
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// The source that the program was compiled from, to show its lines
    #[arg(long, value_name = "FILE")]
    source: Option<PathBuf>,
}

impl Explore {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let options = self.select.options(settings)?;
        let sources = self.select.sources(settings, &options)?;
        let source = self.source_lines()?;
        with_case(&sources, &options, |loaded, case| {
            let opened = explore::open(loaded, case, &options.run).map_err(BrokenInput)?;
            match &self.html {
                Some(file) => write_page(opened, source, file)?,
                None => show(opened, source)?,
            }
            Ok(Exit::Passed)
        })
    }

    fn source_lines(&self) -> anyhow::Result<Vec<String>> {
        let Some(path) = &self.source else { return Ok(Vec::new()) };
        let text = std::fs::read(path).with_context(|| path.display().to_string())?;
        Ok(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
    }
}

fn show(opened: Opened, source: Vec<String>) -> anyhow::Result<()> {
    let Opened { id, machine, recording, assertion } = opened;
    let title = format!("{machine}  {id}");
    terminal::run(&mut Explorer::new(recording, title, assertion, source))
}

fn write_page(opened: Opened, source: Vec<String>, file: &std::path::Path) -> anyhow::Result<()> {
    let mut page = Vec::new();
    page::write(opened, source, &mut page)?;
    ResultFile::with(file, &page).with_context(|| file.display().to_string())
}
