//! `vmconf trace`

use anyhow::{Context, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use vmconf::event::Exit;
use vmconf::runner::{self, Opened, Options, Watched};
use vmconf::trace::{self, TRACES};
use vmconf::verdict::Verdict;

use super::one::with_case;
use super::output;
use super::program::Broken;
use super::select::Select;

/// Print every instruction of a case
///
/// Example: vmconf trace vectors/minic89/programs/add-overflows.json --as minic89
#[derive(Debug, Args)]
pub(super) struct Trace {
    #[command(flatten)]
    select: Select,

    /// How to write it
    #[arg(long = "as", value_name = "NAME", default_value = "minic89",
          value_parser = PossibleValuesParser::new(TRACES.iter().map(|kind| kind.name)))]
    kind: String,
}

impl Trace {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let options = self.select.options()?;
        with_case(&self.select.sources()?, &options, |opened, case| self.trace(opened, case, &options))
    }

    fn trace(&self, opened: &Opened<'_>, case: usize, options: &Options) -> anyhow::Result<Exit> {
        let kind = trace::by_name(&self.kind).context("no such way to write traces")?;
        let mut tracer = (kind.new)(Box::new(output::stdout()));
        let Watched { report, testee, .. } = runner::watch(opened, case, options, &mut *tracer);
        if let Some(machine) = kind.machine
            && report.machine.is_some_and(|its| its != machine)
        {
            bail!("--as {} is for {machine}", kind.name);
        }
        if let Some(testee) = testee {
            tracer.end(&*testee)?;
        }
        match report.verdict {
            Verdict::Pass | Verdict::Fail(_) | Verdict::Skip(_) => Ok(Exit::Passed),
            Verdict::Error(troubles) => {
                for trouble in troubles {
                    output::note(&trouble.located(&report.id.file));
                }
                Err(Broken("the case cannot be run".to_owned()).into())
            }
        }
    }
}
