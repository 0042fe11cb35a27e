//! `vmconf list`

use std::io::Write;

use clap::Args;
use vmconf::event::Exit;
use vmconf::runner;

use super::output;
use super::select::Select;

/// List the cases, one id a line
///
/// Example: vmconf list vectors/ --filter add
#[derive(Debug, Args)]
pub(super) struct List {
    #[command(flatten)]
    select: Select,
}

impl List {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let options = self.select.options()?;
        let mut out = output::stdout();
        let mut exit = Exit::NothingRan;
        let mut broken = false;
        for source in self.select.sources()? {
            let opened = runner::open(&source, &options);
            for id in opened.ids() {
                writeln!(out, "{id}")?;
                exit = Exit::Passed;
            }
            for trouble in opened.errors() {
                broken = true;
                let place =
                    trouble.place.as_ref().map_or(String::new(), |place| format!(":{}", place.position));
                output::note(&format!("error: {}{place}: {}", source.shown, trouble.what));
            }
        }
        out.flush()?;
        Ok(if broken { Exit::Broken } else { exit })
    }
}
