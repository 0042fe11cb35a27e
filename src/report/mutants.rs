//! Planted faults as text and JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::model::count::counted;
use crate::model::escape::escaped;
use crate::model::renderer::Renderer;
use crate::wire::line::one_line;
use crate::wire::mutants::{FaultOutcome, Judged, Mutants};

/// A format for results; `new` writes one.
pub type MutantsKind = Renderer<fn(&mut dyn Write, &Mutants) -> io::Result<()>>;

/// All formats for results; the first is the default.
pub static MUTANTS: &[MutantsKind] = &[
    MutantsKind { name: "text", doc: "For people: the faults that are not noticed, and counts", new: text },
    MutantsKind { name: "all", doc: "For people: every fault", new: all },
    MutantsKind { name: "json", doc: "For programs", new: json },
];

fn text(out: &mut dyn Write, mutants: &Mutants) -> io::Result<()> {
    let closed = [FaultOutcome::Killed, FaultOutcome::Equivalent, FaultOutcome::NotPlanted];
    let open = |fault: &&Judged| !closed.contains(&fault.outcome);
    for fault in mutants.faults.iter().filter(open) {
        line(out, fault)?;
    }
    counts(out, mutants, "machine", |fault| &fault.machine)?;
    counts(out, mutants, "fault", |fault| &fault.kind)?;
    summary(out, mutants)
}

fn all(out: &mut dyn Write, mutants: &Mutants) -> io::Result<()> {
    for fault in &mutants.faults {
        line(out, fault)?;
    }
    summary(out, mutants)
}

fn line(out: &mut dyn Write, fault: &Judged) -> io::Result<()> {
    let Judged { fault: name, outcome, case, reason, tried, program, .. } = fault;
    let more = match (case, reason) {
        (Some(case), _) => format!(" by {}", escaped(case)),
        (None, Some(reason)) => format!(": {reason}"),
        (None, None) if *program => ": a program notices it".to_owned(),
        (None, None) if *tried > 0 => format!(": no program found in {tried}"),
        (None, None) => String::new(),
    };
    writeln!(out, "{:<13} {}{more}", called(*outcome), escaped(name))
}

fn called(outcome: FaultOutcome) -> &'static str {
    FaultOutcome::ALL.iter().find(|known| known.0 == outcome).map_or("", |known| known.1)
}

/// A table of the outcomes by a property of faults.
fn counts(
    out: &mut dyn Write,
    mutants: &Mutants,
    what: &str,
    by: impl Fn(&Judged) -> &String,
) -> io::Result<()> {
    let mut table: BTreeMap<&String, [u64; FaultOutcome::ALL.len()]> = BTreeMap::new();
    for fault in &mutants.faults {
        let row = table.entry(by(fault)).or_default();
        for (count, (outcome, _)) in row.iter_mut().zip(FaultOutcome::ALL) {
            *count += u64::from(fault.outcome == outcome);
        }
    }
    let heads = FaultOutcome::ALL.map(|(_, name)| format!("{name:>13}")).concat();
    writeln!(out, "\n{what:<18}{heads}")?;
    for (name, row) in table {
        writeln!(out, "{:<18}{}", escaped(name), row.map(|count| format!("{count:>13}")).concat())?;
    }
    Ok(())
}

fn summary(out: &mut dyn Write, mutants: &Mutants) -> io::Result<()> {
    let killed = mutants.count(FaultOutcome::Killed);
    writeln!(
        out,
        "\n{killed} of {} noticed by {}{}",
        counted(mutants.noticeable(), "fault"),
        counted(mutants.cases, "case"),
        mutants.score().map_or(String::new(), |score| format!(": {score:.1} %"))
    )
}

fn json(out: &mut dyn Write, mutants: &Mutants) -> io::Result<()> {
    writeln!(out, "{}", one_line(mutants))
}
