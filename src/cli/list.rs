//! `vmconf list`

use std::io::Write;

use clap::Args;
use vmconf::model::diagnostic::Diagnostic;
use vmconf::model::escape::escaped;
use vmconf::model::exit::Exit;
use vmconf::run::sources::Source;
use vmconf::run::{self, Options};

use super::output;
use super::select::Select;
use super::settings::Settings;

/// List cases, one id per line
///
/// Example: vmconf list vectors/ --filter add
#[derive(Debug, Args)]
pub(super) struct List {
    #[command(flatten)]
    pub(super) select: Select,

    /// List files instead, with the detected format and why
    #[arg(long, conflicts_with_all = ["format", "filter", "expr"])]
    formats: bool,
}

impl List {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let options = self.select.options(settings)?;
        let sources = self.select.sources(settings, &options)?;
        let exit =
            if self.formats { list_formats(&sources, &options)? } else { list_cases(&sources, &options)? };
        if exit == Exit::NothingRan {
            output::note("note: no case matches");
        }
        Ok(exit)
    }
}

fn list_cases(sources: &[Source], options: &Options) -> anyhow::Result<Exit> {
    let mut out = output::stdout();
    let mut exit = Exit::NothingRan;
    let mut broken = false;
    for source in sources {
        let loaded = run::open(source, options);
        for id in loaded.ids() {
            writeln!(out, "{id}")?;
            exit = Exit::Passed;
        }
        for diagnostic in loaded.errors() {
            broken = true;
            let place =
                diagnostic.place.as_ref().map_or(String::new(), |place| format!(":{}", place.position));
            output::note(&format!("error: {}{place}: {}", source.shown, diagnostic.what));
        }
    }
    out.flush()?;
    Ok(if broken { Exit::Broken } else { exit })
}

fn list_formats(sources: &[Source], options: &Options) -> anyhow::Result<Exit> {
    let mut out = output::stdout();
    let mut exit = Exit::NothingRan;
    for source in sources {
        let line = match run::explain_format(source, options) {
            Ok(what) => {
                if exit == Exit::NothingRan {
                    exit = Exit::Passed;
                }
                what
            }
            Err(Diagnostic { what, expected, .. }) => {
                exit = Exit::Broken;
                let expected = expected.map_or(String::new(), |expected| format!("; expected {expected}"));
                format!("error: {what}{expected}")
            }
        };
        writeln!(out, "{}", escaped(&format!("{}: {line}", source.shown)))?;
    }
    out.flush()?;
    Ok(exit)
}
