//! `vmconf coverage`

use clap::Args;
use vmconf::explain::observed_run::RecordedDetail;
use vmconf::model::Exit;
use vmconf::prove::coverage::coverage;
use vmconf::prove::family_coverage::family_coverage;
use vmconf::prove::suite::VectorSuite;
use vmconf::report::coverage::{COVERAGES, CoverageKind};

use super::output;
use super::output_form::forms;
use super::select::Select;
use super::settings::Settings;

/// Show what vectors do with each instruction
///
/// Example: vmconf coverage vectors/tinyvm
///
/// For each instruction: how many passing cases execute it, with how many values on the stack compared with those
/// that it takes, with which operands, whether it jumps, and how it fails. Long runs are observed in part. Families
/// have no instructions; for them it shows the number of cases in each file and the initial values of each field.
#[derive(Debug, Args)]
pub(super) struct CoverageCommand {
    #[command(flatten)]
    pub(super) select: Select,

    /// Output form
    #[arg(short = 'o', long = "output", value_name = "FORM", default_value = COVERAGES[0].name, value_parser = forms(COVERAGES))]
    form: &'static CoverageKind,
}

impl CoverageCommand {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let options = self.select.options(settings)?;
        let sources = self.select.sources(settings, &options)?;
        let suite = VectorSuite::read(&sources, &options, RecordedDetail::Points, &|_| true);
        let mut report = coverage(&suite);
        if !suite.families.is_empty() {
            let families = family_coverage(&sources, &options);
            let cases = families.iter().flat_map(|family| &family.files).map(|file| file.cases);
            report.left_out -= cases.sum::<u64>();
            report.families = families;
        }
        output::print(|out| (self.form.new)(out, &report))?;
        let exit = suite.exit();
        output::note_not_passing(report.left_out);
        output::note_broken(suite.broken);
        Ok(if exit == Exit::NothingRan && !report.families.is_empty() { Exit::Passed } else { exit })
    }
}
