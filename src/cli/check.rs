//! `vmconf check`

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::Write;

use clap::Args;
use vmconf::lint::fix::{Fixed, fix};
use vmconf::lint::output::{LintExtent, LintOutput, LintOutputOptions, LintSummary, OutputKind};
use vmconf::lint::outputs::OUTPUTS;
use vmconf::lint::{Checked, Checker};
use vmconf::model::Exit;
use vmconf::model::rule::RULES;
use vmconf::run::anchor::Anchor;
use vmconf::run::sources::VectorSource;
use vmconf::text::source_text::SourceText;

use super::bless::change::{OldAndNew, try_write};
use super::output;
use super::output_form::forms;
use super::reports::below_checkout;
use super::select::Select;
use super::settings::Settings;

/// Find errors in vector files without running them
///
/// Example: vmconf check vectors/
///
/// What `run` rejects is an error. Unknown members, specification violations and likely mistakes are
/// warnings, or errors with --strict. The exit code is 3 if there are errors, or if a file to fix cannot be written.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub(super) select: Select,

    /// Apply safe fixes: letter case that a specification requires, commas and comments that are not JSON
    #[arg(long)]
    fix: bool,

    /// Output form
    #[arg(short = 'o', long = "output", alias = "as", value_name = "FORM", default_value = OUTPUTS[0].name, value_parser = forms(OUTPUTS))]
    form: &'static OutputKind,

    /// Print all findings of a rule, not only the first and a count
    #[arg(long)]
    all: bool,

    /// List the rules
    #[arg(long, exclusive = true)]
    rules: bool,
}

impl CheckArgs {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        if self.rules {
            return list_rules();
        }
        let options = self.select.options(settings)?;
        let mut checker = Checker::new(&options);
        let mut out = self.output(&settings.anchor);
        let (mut summary, mut unwritten) = (LintSummary::default(), 0);
        for source in &self.select.sources(settings, &options)? {
            let mut checked = checker.check(&source);
            if self.fix {
                checked = fixed(&mut checker, &source, checked, &mut unwritten);
            }
            if source.is_compressed() {
                checked.drop_edits();
            }
            summary.count(&checked);
            out.file(&checked)?;
        }
        out.end(&summary)?;
        let restrictions = settings.restrictions();
        if !restrictions.is_empty() {
            note!("note: only selected cases were checked{restrictions}");
        }
        Ok(match summary {
            LintSummary { errors: 1.., .. } => Exit::Broken,
            _ if unwritten > 0 => Exit::Broken,
            LintSummary { cases: 0, .. } => Exit::NothingRan,
            _ => Exit::Passed,
        })
    }

    fn output(&self, anchor: &Anchor) -> Box<dyn LintOutput> {
        let extent = if self.all { LintExtent::All } else { LintExtent::First };
        let options =
            LintOutputOptions { extent, below_checkout: below_checkout(anchor).unwrap_or_default() };
        (self.form.new)(Box::new(output::stdout()), options)
    }
}

fn list_rules() -> anyhow::Result<Exit> {
    let width = RULES.iter().map(|rule| rule.name().len()).max().unwrap_or(0);
    let mut out = output::stdout();
    for rule in RULES {
        writeln!(out, "{:width$}  {}", rule.name(), rule.doc())?;
    }
    out.flush()?;
    Ok(Exit::Passed)
}

/// Fixes a file if possible, with a note. Returns the diagnostics that are left, and counts it among the `unwritten`
/// files if it cannot be written.
fn fixed(
    checker: &mut Checker<'_>,
    source: &VectorSource,
    checked: Checked,
    unwritten: &mut usize,
) -> Checked {
    let Some(fixed) = fix(checker, source, &checked) else { return checked };
    let not_fixed = |why: &dyn Display| note!("{}: not fixed: {why}", source.shown);
    let Fixed { text, checked: left } = match fixed {
        Ok(fixed) => fixed,
        Err(why) => {
            not_fixed(&why);
            return checked;
        }
    };
    let old = checked.text.as_ref().map_or("", SourceText::as_str);
    let texts = OldAndNew { old, new: &text };
    if let Err(error) = source.check_writable().and_then(|()| try_write(&source.path, texts)) {
        not_fixed(&error);
        *unwritten += 1;
        return checked;
    }
    note!("{}: fixed {}", source.shown, fewer(&checked, &left));
    left
}

/// The number of diagnostics that were fixed, by rule: `2 comment, 1 must/letter-case`.
fn fewer(before: &Checked, after: &Checked) -> String {
    let mut fixed = BTreeMap::<_, isize>::new();
    for (checked, change) in [(before, 1), (after, -1)] {
        for diagnostic in &checked.diagnostics {
            *fixed.entry(diagnostic.rule).or_default() += change;
        }
    }
    let fixed = fixed.into_iter().filter(|(_, count)| *count > 0);
    fixed.map(|(rule, count)| format!("{count} {}", rule.name())).collect::<Vec<_>>().join(", ")
}
