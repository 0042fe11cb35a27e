//! `vmconf diff`

use std::io::Write;

use anyhow::bail;
use clap::Args;
use vmconf::model::exit::Exit;
use vmconf::model::explanation::Explanation;
use vmconf::model::verdict::{Kind, Verdict};
use vmconf::report::explanation::{self, Length};
use vmconf::report::json;
use vmconf::{explain, run};

use super::form::Form;
use super::history::Recorded;
use super::output;
use super::rerun::RerunCases;
use super::select::Select;
use super::settings::Settings;

/// Explain why cases fail: what differs and which instruction caused it
///
/// Example: vmconf diff vectors/minic89/programs/add-overflows.json
///
/// Without PATHS, explains the cases that failed in the last run from this folder.
#[derive(Debug, Args)]
pub(super) struct Diff {
    #[command(flatten)]
    pub(super) select: Select,

    /// Print the last N instructions, and all differences in full, instead of what fits a screen
    #[arg(long, value_name = "N")]
    last: Option<usize>,

    /// Output form
    #[arg(short, long, value_name = "FORM", default_value = "text")]
    output: Form,

    /// Same as --output json
    #[arg(long, hide = true, conflicts_with = "output")]
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
    fn form(&self) -> Form {
        if self.json { Form::Json } else { self.output }
    }

    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let options = self.select.options(settings)?;
        let mut counts = Counts::default();
        let mut out = output::stdout();
        let last = self.last.unwrap_or(explain::LAST_ON_SCREEN);
        let mut rerun = RerunCases::default();
        let sources = if self.select.is_all() {
            rerun = failed_in_last_run()?;
            rerun.sources()
        } else {
            self.select.sources()?
        };
        for source in sources {
            let loaded = run::open(&source, &options);
            for diagnostic in loaded.errors() {
                counts.broken += 1;
                output::note(&diagnostic.located(&source.shown));
            }
            for case in 0..loaded.cases() {
                let explained = explain::explain(&loaded, case, &options.run, last);
                rerun.mark_done(&explained.report.id);
                self.print(&mut out, &explained, &mut counts)?;
            }
        }
        rerun.report_deleted(&options);
        if self.form() == Form::Text && counts.failed + counts.broken == 0 {
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
        if self.form() == Form::Json {
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

/// The cases that failed or were broken in the last run from this folder.
fn failed_in_last_run() -> anyhow::Result<RerunCases> {
    let failed = RerunCases::of(&Recorded::last()?, &[Kind::Fail, Kind::Error])?;
    if failed.is_empty() {
        bail!("nothing failed in the last run from this folder");
    }
    Ok(failed)
}
