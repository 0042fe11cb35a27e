//! `vmconf diff`

use std::io::Write;

use clap::Args;
use vmconf::model::exit::Exit;
use vmconf::model::explanation::Explanation;
use vmconf::model::verdict::{Kind, Verdict};
use vmconf::report::explanation::{self, Length};
use vmconf::report::json;
use vmconf::run::anchor::Anchor;
use vmconf::{explain, run};

use super::exit_code::NothingToDo;
use super::output;
use super::rerun::RerunCases;
use super::select::Select;
use super::settings::Settings;

/// Say why cases fail: what differs, which instruction made it so, and the last ones
///
/// Example: vmconf diff vectors/minic89/programs/add-overflows.json
///
/// Without PATHS it explains the outstanding failures: the cases that failed in a run from this folder and
/// have not passed since.
#[derive(Debug, Args)]
pub(super) struct Diff {
    #[command(flatten)]
    select: Select,

    /// Show so many of the last instructions, and all differences in full, instead of what fits a screen
    #[arg(long, value_name = "N")]
    last: Option<usize>,

    /// Print the same facts as JSON, one object a case
    #[arg(long)]
    json: bool,
}

/// The number of cases by outcome.
#[derive(Default)]
struct Counts {
    passed: usize,
    failed: usize,
    broken: usize,
}

impl Diff {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let options = self.select.options(settings)?;
        let mut counts = Counts::default();
        let mut out = output::stdout();
        let last = self.last.unwrap_or(explain::LAST_ON_SCREEN);
        let mut rerun = self.select.is_all().then(|| outstanding(&settings.anchor)).transpose()?;
        let sources = match &rerun {
            Some(rerun) => rerun.sources(),
            None => self.select.sources(settings, &options)?,
        };
        for source in sources {
            let loaded = run::open(&source, &options);
            for diagnostic in loaded.errors() {
                counts.broken += 1;
                output::note(&diagnostic.located(&source.shown));
            }
            for case in 0..loaded.cases() {
                let explained = explain::explain(&loaded, case, &options.run, last);
                if let Some(rerun) = &mut rerun {
                    rerun.mark_done(&explained.report.id);
                }
                self.print(&mut out, &explained, &mut counts)?;
            }
        }
        if let Some(rerun) = &rerun {
            rerun.report_deleted(&options);
        }
        if !self.json && counts.failed + counts.broken == 0 {
            writeln!(out, "{} passed, nothing differs", counts.passed)?;
        }
        out.flush()?;
        Ok(match counts {
            Counts { broken: 1.., .. } => Exit::Broken,
            Counts { failed: 1.., .. } => Exit::Failed,
            Counts { passed: 1.., .. } => Exit::Passed,
            Counts { .. } => Exit::NothingRan,
        })
    }

    fn print(&self, out: &mut dyn Write, explained: &Explanation, counts: &mut Counts) -> anyhow::Result<()> {
        match explained.report.verdict {
            Verdict::Pass | Verdict::UnexpectedPass(_) | Verdict::Skip(_) => {
                counts.passed += 1;
                return Ok(());
            }
            Verdict::Fail(_) | Verdict::ExpectedFail(..) => counts.failed += 1,
            Verdict::Error(_) => counts.broken += 1,
        }
        if self.json {
            json::explained(out, explained)?;
            return Ok(());
        }
        if counts.failed + counts.broken > 1 {
            writeln!(out)?;
        }
        explanation::write(out, explained, self.last.map_or(Length::Screen, Length::Full))?;
        Ok(())
    }
}

/// The cases that failed or were broken in runs from this folder, and have not passed since.
fn outstanding(anchor: &Anchor) -> anyhow::Result<RerunCases> {
    let failed = RerunCases::read(anchor, &[Kind::Fail, Kind::Error])?;
    if failed.is_empty() {
        return Err(NothingToDo("no failure is outstanding".to_owned()).into());
    }
    Ok(failed)
}
