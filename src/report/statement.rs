//! A conformance statement for a machine, in Markdown.

use std::io::{self, Write};

use super::conformance::{CATEGORIES, ConformanceMachine, ConformanceRun, cases, rest, share};
use super::markdown_escape::{cause_span, code_span};
use crate::model::counted;

/// The most deviations and reasons that are shown.
pub(super) const MAX_SHOWN: usize = 200;

/// What a statement says of a machine that names no extensions.
pub(super) const NO_EXTENSIONS: &str = "The machine declares none.";

/// What a statement says in place of what a report leaves out.
pub(super) const UNSAID: &str = "not said by the report";

/// How results get their category.
pub(super) fn category_rule() -> String {
    let rule = |(name, words): &(&str, &str)| format!("{name}: {}", words.replace(' ', ", "));
    let rules: Vec<_> = CATEGORIES.iter().map(rule).collect();
    format!(
        "A case is in the first category of which its path or name has a word. {}. Without such a word, a case that names \
         an instruction of its machine is in the category of instructions.",
        rules.join("; ")
    )
}

/// Whether a file that begins so is a statement.
pub fn is_statement(start: &str) -> bool {
    start.starts_with(TITLE)
}

const TITLE: &str = "# Conformance statement: ";

/// Writes the statement on the newest run of a machine; `suite` names the suite of a file.
pub fn statement(
    out: &mut dyn Write,
    machine: &ConformanceMachine,
    suite: &dyn Fn(&str) -> String,
) -> io::Result<()> {
    let Some(run) = machine.last() else { return Ok(()) };
    writeln!(out, "{TITLE}{}\n", code_span(&machine.name))?;
    writeln!(out, "| | |\n|---|---|")?;
    for (name, value) in facts(machine, run) {
        writeln!(out, "| {name} | {} |", code_span(&value))?;
    }
    if run.is_not_started {
        return Ok(());
    }
    writeln!(out, "\n## Results by category\n\n| category | passed | not passed |\n|---|---|---|")?;
    for (name, cell) in run.categories() {
        writeln!(out, "| {name} | {} | {} |", share(cell), rest(cell))?;
    }
    let untested = run.untested();
    if !untested.is_empty() {
        writeln!(out, "\nNo case: {untested}.")?;
    }
    writeln!(out, "\n{}\n\n## Deviations\n", category_rule())?;
    deviations(out, run)?;
    writeln!(out, "\n## Extensions\n")?;
    extensions(out, run)?;
    writeln!(out, "\n## Not supported, not compared\n")?;
    not_tested(out, run)?;
    writeln!(out, "\n## Suites\n\n| suite | version | files | cases | digest |\n|---|---|---|---|---|")?;
    for suite in run.files.suites(suite) {
        let versions: Vec<_> = suite.versions.iter().map(|version| code_span(version)).collect();
        let versions = if versions.is_empty() { "no version".to_owned() } else { versions.join(", ") };
        let digest = suite.digest().map_or(UNSAID.to_owned(), |digest| format!("`{digest}`"));
        let name = code_span(&suite.name);
        writeln!(out, "| {name} | {versions} | {} | {} | {digest} |", suite.files(), suite.cases())?;
    }
    Ok(())
}

/// What the machine says that it does beyond the specification.
fn extensions(out: &mut dyn Write, run: &ConformanceRun) -> io::Result<()> {
    let declared = run.extensions();
    if declared.is_empty() {
        return writeln!(out, "{NO_EXTENSIONS}");
    }
    declared.iter().try_for_each(|text| writeln!(out, "- {}", code_span(text)))
}

/// The facts about the run and its environment.
pub(super) fn facts(machine: &ConformanceMachine, run: &ConformanceRun) -> Vec<(&'static str, String)> {
    let joined = |names: &std::collections::BTreeSet<String>| {
        names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
    };
    let mut facts = vec![("implementation", machine.release())];
    if run.is_not_started {
        facts.push(("passed", "no case ran".to_owned()));
    } else {
        facts.extend([
            ("language", run.language().to_owned()),
            ("machines of the cases", joined(&run.machines)),
            ("formats", joined(&run.formats)),
            ("passed", share(&run.total)),
            (
                "not passed",
                Some(rest(&run.total)).filter(|rest| !rest.is_empty()).unwrap_or("none".to_owned()),
            ),
        ]);
    }
    facts.extend([
        ("compared by", format!("vmconf {}", run.vmconf)),
        ("report", run.label.clone()),
        ("system", run.system.clone().unwrap_or(UNSAID.to_owned())),
    ]);
    facts.extend(machine.only().map(|only| ("run", only)));
    facts.extend(run.misconduct.iter().map(|what| ("outside of cases", what.clone())));
    if run.is_interrupted {
        facts.push(("run", "interrupted: not all cases ran".to_owned()));
    }
    facts
}

fn deviations(out: &mut dyn Write, run: &ConformanceRun) -> io::Result<()> {
    let all = run.ordered_deviations();
    if all.is_empty() {
        return writeln!(out, "None.");
    }
    for (deviation, of) in all.iter().take(MAX_SHOWN) {
        write!(out, "- {}: {}", cases(of.count), cause_span(&deviation.cause))?;
        match &deviation.known {
            Some((reason, link)) => {
                let link = link.as_ref().map_or(String::new(), |link| format!(", {}", code_span(link)));
                write!(out, "; known: {}{link}", code_span(reason))?;
            }
            None => write!(out, "; not expected")?,
        }
        let first: Vec<_> = of.first.iter().map(|id| code_span(id)).collect();
        writeln!(out, "; such as {}", first.join(", "))?;
    }
    left_out(all.len(), "deviation", run.deviating_further).try_for_each(|line| writeln!(out, "- {line}"))
}

fn not_tested(out: &mut dyn Write, run: &ConformanceRun) -> io::Result<()> {
    for (reason, count) in run.unsupported.iter().take(MAX_SHOWN) {
        writeln!(out, "- {} unsupported: {}", cases(*count), code_span(reason))?;
    }
    for line in left_out(run.unsupported.len(), "reason", run.unsupported_further) {
        writeln!(out, "- {line}")?;
    }
    for field in &run.not_compared {
        writeln!(out, "- {}", code_span(&field.to_string()))?;
    }
    for lacks in run.vm.iter().flat_map(|vm| &vm.lacks) {
        writeln!(out, "- says that it lacks: {}", code_span(lacks))?;
    }
    for field in run.vm.iter().flat_map(|vm| &vm.not_compared) {
        writeln!(out, "- not compared, but its hash: {}", code_span(field))?;
    }
    let is_empty = run.unsupported.is_empty() && run.not_compared.is_empty();
    if is_empty && run.vm.iter().all(|vm| vm.not_compared.is_empty() && vm.lacks.is_empty()) {
        writeln!(out, "Nothing.")?;
    }
    Ok(())
}

/// What is said of those of `count` entries that are not shown, and of the cases of which no entry is kept; `what` is the
/// word for an entry.
pub(super) fn left_out(count: usize, what: &str, further: u64) -> impl Iterator<Item = String> {
    let more = count.saturating_sub(MAX_SHOWN);
    let entries = (more > 0).then(|| format!("and {}", counted(more, &format!("more {what}"))));
    let further = (further > 0).then(|| format!("and {} of other {what}s", cases(further)));
    entries.into_iter().chain(further)
}
