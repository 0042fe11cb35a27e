//! `vmconf minset`

use std::io::Write;

use clap::Args;
use vmconf::explain::observed_run::RecordedDetail;
use vmconf::model::{Exit, counted};
use vmconf::prove::minset::minset;
use vmconf::prove::mutants::fault::faults_of;
use vmconf::prove::mutants::{MutantsOptions, WORK};
use vmconf::prove::suite::VectorSuite;
use vmconf::wire::line::one_line;

use super::output_form::OutputForm;
use super::select::Select;
use super::settings::Settings;
use super::{families, output};

/// Choose a small set of cases with the same coverage
///
/// Example: vmconf minset vectors/evm/arithmetic
///
/// Prints ids, which vmconf run takes: vmconf minset vectors/ | vmconf run -. The chosen cases together do with each
/// instruction what all cases do, as vmconf coverage shows it.
#[derive(Debug, Args)]
pub(super) struct MinsetCommand {
    #[command(flatten)]
    pub(super) select: Select,

    /// Keep cases that notice the same planted faults as well; see vmconf mutants
    #[arg(long)]
    faults: bool,

    /// Output form
    #[arg(short, long, value_name = "FORM", default_value = "text")]
    output: OutputForm,
}

impl MinsetCommand {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let options = self.select.options(settings)?;
        let sources = self.select.sources(settings, &options)?;
        let suite = VectorSuite::read(&sources, &options, RecordedDetail::Points, &|_| true);
        families::note_left_out(&suite);
        output::note_not_passing(suite.left_out - suite.of_families);
        let machines = suite.machines().filter(|_| self.faults);
        let faults: Vec<_> = machines.flat_map(faults_of).collect();
        // The same limit of instructions per fault as in `vmconf mutants`.
        let how =
            MutantsOptions { jobs: 1, work: WORK, programs: 0, interrupt: options.run.interrupt.clone() };
        output::note_broken(suite.broken);
        let exit = suite.exit();
        let minset = minset(suite, &faults, &how);
        let mut out = output::stdout();
        match self.output {
            OutputForm::Json => writeln!(out, "{}", one_line(&minset))?,
            OutputForm::Text => {
                for id in &minset.kept {
                    writeln!(out, "{id}")?;
                }
                let all = counted(minset.cases, "case");
                note!("note: {} of {all}", minset.kept.len());
            }
        }
        out.flush()?;
        Ok(exit)
    }
}
