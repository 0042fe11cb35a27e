//! Coverage as text, HTML and JSON.

use std::io::{self, Write};

use super::html_page::{HEAD, html_text};
use crate::model::count::counted;
use crate::model::escape::escaped;
use crate::model::renderer::Renderer;
use crate::wire::coverage::{CoverageReport, CoveredInstruction, MachineCoverage};
use crate::wire::line::one_line;

/// A format for coverage; `new` writes one.
pub type CoverageKind = Renderer<fn(&mut dyn Write, &CoverageReport) -> io::Result<()>>;

/// All formats for coverage; the first is the default.
pub static COVERAGES: &[CoverageKind] = &[
    CoverageKind { name: "text", doc: "For people", new: text },
    CoverageKind { name: "html", doc: "A page", new: html },
    CoverageKind { name: "json", doc: "For programs", new: json },
];

/// The groups of aspects, by what they begin with.
const GROUPS: [&str; 7] = ["height", "a", "b", "c", "d", "jump", "fails"];

/// The aspects of a group, without its name.
fn group<'i>(instruction: &'i CoveredInstruction, name: &'static str) -> Vec<&'i str> {
    let of_group = |what: &'i str| match (name, what) {
        ("jump", "taken" | "not taken") => Some(what),
        _ => what.strip_prefix(name)?.strip_prefix(": "),
    };
    instruction.aspects.iter().filter_map(|aspect| of_group(&aspect.what)).collect()
}

fn text(out: &mut dyn Write, coverage: &CoverageReport) -> io::Result<()> {
    for machine in &coverage.machines {
        for instruction in &machine.instructions {
            let CoveredInstruction { name, .. } = instruction;
            writeln!(out, "{:<14} {}", escaped(name), executed(instruction))?;
            for group_name in GROUPS {
                let aspects = group(instruction, group_name);
                if !aspects.is_empty() {
                    writeln!(out, "    {group_name}: {}", escaped(&aspects.join(", ")))?;
                }
            }
        }
        let missing = missing(machine);
        writeln!(
            out,
            "{}: {} of {} executed by {}",
            machine.machine,
            machine.instructions.len() - missing.len(),
            counted(machine.instructions.len() as u64, "instruction"),
            counted(machine.cases, "case")
        )?;
        if !missing.is_empty() {
            writeln!(out, "never executed: {}", missing.join(", "))?;
        }
    }
    Ok(())
}

fn executed(instruction: &CoveredInstruction) -> String {
    match instruction.executed() {
        0 => "never".to_owned(),
        count => counted(count, "case"),
    }
}

fn missing(machine: &MachineCoverage) -> Vec<&str> {
    let never = |instruction: &&CoveredInstruction| instruction.executed() == 0;
    machine.instructions.iter().filter(never).map(|instruction| &*instruction.name).collect()
}

fn html(out: &mut dyn Write, coverage: &CoverageReport) -> io::Result<()> {
    write!(
        out,
        "{HEAD}<title>Coverage</title>\n<style>.never{{background:#c338}}.never-fails{{background:#cc38}}.fails{{background:#3a38}}</style>\n"
    )?;
    for machine in &coverage.machines {
        writeln!(out, "<h2>{}</h2>\n<table>", html_text(&machine.machine))?;
        let heads = GROUPS.map(|name| format!("<th>{name}</th>")).concat();
        writeln!(out, "<tr><th>instruction</th><th>executed by</th>{heads}</tr>")?;
        for instruction in &machine.instructions {
            let class = match (instruction.executed(), group(instruction, "fails").is_empty()) {
                (0, _) => "never",
                (_, true) => "never-fails",
                (_, false) => "fails",
            };
            let cells =
                GROUPS.map(|name| format!("<td>{}</td>", html_text(&group(instruction, name).join(", "))));
            let CoveredInstruction { name, doc, .. } = instruction;
            writeln!(
                out,
                "<tr class=\"{class}\"><th title=\"{}\">{}</th><td>{}</td>{}</tr>",
                html_text(doc),
                html_text(name),
                executed(instruction),
                cells.concat()
            )?;
        }
        writeln!(out, "</table>")?;
    }
    Ok(())
}

fn json(out: &mut dyn Write, coverage: &CoverageReport) -> io::Result<()> {
    writeln!(out, "{}", one_line(coverage))
}
