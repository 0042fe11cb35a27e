//! `vmconf coverage`

use std::io::Write;

use anyhow::Context;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use vmconf::explain::observed_run::Detail;
use vmconf::model::exit_code::Exit;
use vmconf::model::renderer::Renderer;
use vmconf::prove::coverage::coverage;
use vmconf::prove::suite::VectorSuite;
use vmconf::report::coverage::{COVERAGES, CoverageKind};

use super::select::Select;
use super::settings::Settings;
use super::{families, output};

/// Show what vectors do with each instruction
///
/// Example: vmconf coverage vectors/tinyvm
///
/// For each instruction: how many passing cases execute it, with how many values on the stack compared with those
/// that it takes, with which operands, whether it jumps, and how it fails. Of a long run, only parts are observed.
#[derive(Debug, Args)]
pub(super) struct CoverageCommand {
    #[command(flatten)]
    pub(super) select: Select,

    /// Output form
    #[arg(short = 'o', long = "output", value_name = "FORM", default_value = COVERAGES[0].name, value_parser = forms())]
    form: String,
}

fn forms() -> PossibleValuesParser {
    let form = |kind: &CoverageKind| PossibleValue::new(kind.name).help(kind.doc);
    PossibleValuesParser::new(COVERAGES.iter().map(form))
}

impl CoverageCommand {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let options = self.select.options(settings)?;
        let sources = self.select.sources(settings, &options)?;
        let suite = VectorSuite::read(&sources, &options, Detail::Points, &|_| true);
        families::note_left_out(&suite);
        let kind = Renderer::by_name(COVERAGES, &self.form).context("--output")?;
        let mut out = output::stdout();
        (kind.new)(&mut out, &coverage(&suite))?;
        out.flush()?;
        Ok(suite.exit())
    }
}
