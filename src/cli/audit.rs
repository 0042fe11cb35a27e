//! `vmconf audit`

use std::num::NonZero;

use clap::Args;
use vmconf::model::{Exit, counted};
use vmconf::prove::audit::{AuditOptions, audit};
use vmconf::report::audit::{AUDITS, AuditKind};
use vmconf::run::compare::diff;

use super::number::number;
use super::output;
use super::output_form::forms;
use super::select::Select;
use super::settings::Settings;

/// Check that each expectation of vectors is compared
///
/// Example: vmconf audit vectors/evm/arithmetic
///
/// Each datum of each case that passes is changed in memory, one at a time: its value, its type, its length;
/// elements are removed, exchanged and added. A change that neither the reader nor the comparison notices is
/// listed, with the rule of the format that says why it is not compared.
#[derive(Debug, Args)]
pub(super) struct AuditCommand {
    #[command(flatten)]
    pub(super) select: Select,

    /// At most N changes of a case, evenly spaced
    #[arg(long, value_name = "N", default_value = "2000", value_parser = number::<NonZero<usize>>)]
    changes: NonZero<usize>,

    /// Output form
    #[arg(short = 'o', long = "output", value_name = "FORM", default_value = AUDITS[0].name, value_parser = forms(AUDITS))]
    form: &'static AuditKind,
}

impl AuditCommand {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let options = self.select.options(settings)?;
        let sources = self.select.sources(settings, &options)?;
        let audit =
            audit(&sources, &options, AuditOptions { compare: diff, most_changes: self.changes.get() });
        output::print(|out| (self.form.new)(out, &audit))?;
        output::note_not_passing(audit.left_out - audit.unmet);
        if audit.unmet > 0 {
            let cases = counted(audit.unmet, "case");
            note!("note: {cases} left out: no state was found that meets their demands");
        }
        output::note_broken(audit.broken);
        Ok(if audit.broken > 0 {
            Exit::Broken
        } else if audit.cases == 0 {
            Exit::NothingRan
        } else if audit.unexplained().next().is_some() {
            Exit::Failed
        } else {
            Exit::Passed
        })
    }
}
