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

use super::output;
use super::rerun::Again;
use super::run_record::Recorded;
use super::select::Select;

/// Say why cases fail: what differs, which instruction made it so, and the last ones
///
/// Example: vmconf diff vectors/minic89/programs/add-overflows.json
///
/// Without PATHS it is about the cases that failed in the last run from this folder.
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

/// The verdicts on the cases.
#[derive(Default)]
struct Seen {
    passed: usize,
    failed: usize,
    broken: usize,
}

impl Diff {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let options = self.select.options()?;
        let mut seen = Seen::default();
        let mut out = output::stdout();
        let mut again = Again::default();
        let sources = if self.select.is_all() {
            again = failed()?;
            again.sources()
        } else {
            self.select.sources()?
        };
        for source in sources {
            let loaded = run::open(&source, &options);
            for diagnostic in loaded.errors() {
                seen.broken += 1;
                output::note(&diagnostic.located(&source.shown));
            }
            for case in 0..loaded.cases() {
                let explained = explain::explain(
                    &loaded,
                    case,
                    &options.run,
                    self.last.unwrap_or(explain::LAST_ON_SCREEN),
                );
                again.came(&explained.report.id);
                self.tell(&mut out, &explained, &mut seen)?;
            }
        }
        again.tell_gone(&options);
        if !self.json && seen.failed + seen.broken == 0 {
            writeln!(out, "{} passed, nothing differs", seen.passed)?;
        }
        out.flush()?;
        Ok(match seen {
            Seen { broken: 1.., .. } => Exit::Broken,
            Seen { failed: 1.., .. } => Exit::Failed,
            Seen { passed: 1.., .. } => Exit::Passed,
            Seen { .. } => Exit::NothingRan,
        })
    }

    fn tell(&self, out: &mut dyn Write, explained: &Explanation, seen: &mut Seen) -> anyhow::Result<()> {
        match explained.report.verdict {
            Verdict::Pass | Verdict::UnexpectedPass(_) | Verdict::Skip(_) => {
                seen.passed += 1;
                return Ok(());
            }
            Verdict::Fail(_) | Verdict::ExpectedFail(..) => seen.failed += 1,
            Verdict::Error(_) => seen.broken += 1,
        }
        if self.json {
            json::explained(out, explained)?;
            return Ok(());
        }
        if seen.failed + seen.broken > 1 {
            writeln!(out)?;
        }
        explanation::write(out, explained, self.last.map_or(Length::Screen, Length::Full))?;
        Ok(())
    }
}

/// What failed or was broken in the last run from this folder.
fn failed() -> anyhow::Result<Again> {
    let failed = Again::of(&Recorded::last()?, &[Kind::Fail, Kind::Error])?;
    if failed.is_empty() {
        bail!("nothing failed in the last run from this folder");
    }
    Ok(failed)
}
