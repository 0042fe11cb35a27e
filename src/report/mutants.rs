//! Planted faults as text, HTML and JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::html_page::{html_text, page, table};
use crate::model::{Renderer, counted, escaped};
use crate::wire::line::write_line;
use crate::wire::mutants::{FaultOutcome, JudgedFault, Mutants};

/// A format for results; `new` writes one.
pub type MutantsKind = Renderer<fn(&mut dyn Write, &Mutants) -> io::Result<()>>;

/// All formats for results; the first is the default.
pub static MUTANTS: &[MutantsKind] = &[
    MutantsKind { name: "text", doc: "For people: the faults that are not noticed, and counts", new: text },
    MutantsKind { name: "all", doc: "For people: every fault", new: all },
    MutantsKind { name: "html", doc: "A page", new: html },
    MutantsKind { name: "json", doc: "For programs", new: write_line },
];

fn text(out: &mut dyn Write, mutants: &Mutants) -> io::Result<()> {
    for fault in open(mutants) {
        line(out, fault)?;
    }
    if !mutants.faults.is_empty() {
        counts(out, mutants, "machine", |fault| &fault.machine)?;
        counts(out, mutants, "fault", |fault| &fault.kind)?;
    }
    summary(out, mutants)
}

fn all(out: &mut dyn Write, mutants: &Mutants) -> io::Result<()> {
    for fault in &mutants.faults {
        line(out, fault)?;
    }
    summary(out, mutants)
}

/// The faults that should be noticed, and are not.
fn open(mutants: &Mutants) -> impl Iterator<Item = &JudgedFault> {
    let closed = [FaultOutcome::Killed, FaultOutcome::Equivalent, FaultOutcome::NotPlanted];
    mutants.faults.iter().filter(move |fault| !closed.contains(&fault.outcome))
}

fn line(out: &mut dyn Write, fault: &JudgedFault) -> io::Result<()> {
    let more = match &fault.case {
        Some(case) => format!(" by {}", escaped(case)),
        None => more(fault).map_or_else(String::new, |more| format!(": {more}")),
    };
    writeln!(out, "{:<13} {}{more}", called(fault.outcome), escaped(&fault.fault))
}

/// What is known of a fault that no case notices.
fn more(fault: &JudgedFault) -> Option<String> {
    match &fault.reason {
        Some(reason) => Some(reason.clone()),
        None if fault.program => Some("a program notices it".to_owned()),
        None if fault.tried > 0 => Some(format!("no program found in {}", fault.tried)),
        None => None,
    }
}

fn called(outcome: FaultOutcome) -> &'static str {
    FaultOutcome::ALL.iter().find(|known| known.0 == outcome).map_or("", |known| known.1)
}

/// How many faults have each outcome, by a property of faults.
fn outcomes(
    mutants: &Mutants,
    by: impl Fn(&JudgedFault) -> &String,
) -> BTreeMap<&String, [u64; FaultOutcome::ALL.len()]> {
    let mut outcomes: BTreeMap<&String, [u64; FaultOutcome::ALL.len()]> = BTreeMap::new();
    for fault in &mutants.faults {
        let row = outcomes.entry(by(fault)).or_default();
        for (count, (outcome, _)) in row.iter_mut().zip(FaultOutcome::ALL) {
            *count += u64::from(fault.outcome == outcome);
        }
    }
    outcomes
}

/// A table of the outcomes by a property of faults.
fn counts(
    out: &mut dyn Write,
    mutants: &Mutants,
    what: &str,
    by: impl Fn(&JudgedFault) -> &String,
) -> io::Result<()> {
    let heads = FaultOutcome::ALL.map(|(_, name)| format!("{name:>13}")).concat();
    writeln!(out, "\n{what:<18}{heads}")?;
    for (name, row) in outcomes(mutants, by) {
        writeln!(out, "{:<18}{}", escaped(name), row.map(|count| format!("{count:>13}")).concat())?;
    }
    Ok(())
}

fn summary(out: &mut dyn Write, mutants: &Mutants) -> io::Result<()> {
    writeln!(out, "\n{}", noticed(mutants))
}

/// How many faults are noticed, in a line.
fn noticed(mutants: &Mutants) -> String {
    format!(
        "{} of {} noticed by {}{}",
        mutants.count(FaultOutcome::Killed),
        counted(mutants.noticeable(), "fault"),
        counted(mutants.cases, "case"),
        mutants.score().map_or(String::new(), |score| format!(": {score:.1} %"))
    )
}

fn html(out: &mut dyn Write, mutants: &Mutants) -> io::Result<()> {
    let mut main = format!("<p>{}</p>\n", noticed(mutants));
    let of = |what: &str, by: fn(&JudgedFault) -> &String| {
        let head: Vec<_> = [what].into_iter().chain(FaultOutcome::ALL.map(|(_, name)| name)).collect();
        let rows = outcomes(mutants, by).into_iter().map(|(name, row)| -> Vec<String> {
            [html_text(name)].into_iter().chain(row.map(|count| count.to_string())).collect()
        });
        format!("<h2>By {what}</h2>\n{}", table(&format!("By {what}"), &head, rows))
    };
    main.push_str(&of("machine", |fault| &fault.machine));
    main.push_str(&of("fault", |fault| &fault.kind));
    let rows = open(mutants).map(|fault| -> Vec<String> {
        let more = more(fault).unwrap_or_default();
        [&fault.fault, called(fault.outcome), &more].map(html_text).into()
    });
    main.push_str("<h2>Not noticed</h2>\n");
    main.push_str(&table("Not noticed", &["fault", "outcome", "why"], rows));
    out.write_all(page("Planted faults", "", &main).as_bytes())
}
