//! Coverage as text, HTML and JSON.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::html_page::{TableRow, html_text, page, table};
use crate::model::{Renderer, counted, escaped};
use crate::wire::coverage::{
    CoverageReport, CoveredField, CoveredFile, CoveredFlag, CoveredInstruction, FamilyCoverage,
    MachineCoverage, shown_number,
};
use crate::wire::line::write_line;

/// A format for coverage; `new` writes one.
pub type CoverageKind = Renderer<fn(&mut dyn Write, &CoverageReport) -> io::Result<()>>;

/// All formats for coverage; the first is the default.
pub static COVERAGES: &[CoverageKind] = &[
    CoverageKind { name: "text", doc: "For people", new: text },
    CoverageKind { name: "html", doc: "A page", new: html },
    CoverageKind { name: "json", doc: "For programs", new: write_line },
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
            counted(machine.instructions.len(), "instruction"),
            counted(machine.cases, "case")
        )?;
        if !missing.is_empty() {
            writeln!(out, "never executed: {}", missing.join(", "))?;
        }
    }
    coverage.families.iter().try_for_each(|family| family_text(out, family))
}

/// Writes what the cases of a family give to its machine.
fn family_text(out: &mut dyn Write, family: &FamilyCoverage) -> io::Result<()> {
    writeln!(out, "{}", family_head(family))?;
    if family.files.len() > 1 {
        let width = family.files.iter().map(|file| file.cases.to_string().len()).max().unwrap_or(0);
        for file in &family.files {
            writeln!(out, "  {:>width$}  {}", file.cases, escaped(&file.file))?;
        }
    }
    let width = |text: fn(&CoveredField) -> &str| {
        family.fields.iter().map(|field| text(field).chars().count()).max().unwrap_or(0).min(MAX_WIDTH)
    };
    let (name_width, type_width) = (width(|field| &field.name), width(|field| &field.notation));
    for field in &family.fields {
        let (name, notation) = (escaped(&field.name), escaped(&field.notation));
        writeln!(out, "  {name:name_width$}  {notation:type_width$}  {}", values(field))?;
    }
    Ok(())
}

/// The widest column of names.
const MAX_WIDTH: usize = 30;

/// How many cases a family has, in how many files.
fn family_head(family: &FamilyCoverage) -> String {
    let counts = family.files.iter().map(|file| file.cases);
    let (least, most) = (counts.clone().min().unwrap_or(0), counts.clone().max().unwrap_or(0));
    let each = match (family.files.len(), least == most) {
        (0 | 1, _) => String::new(),
        (_, true) => format!(", {least} in each"),
        (_, false) => format!(", {least} to {most} in each"),
    };
    let (cases, files) = (counted(counts.sum::<u64>(), "case"), counted(family.files.len(), "file"));
    format!("{}: {cases} in {files}{each}", escaped(&family.machine))
}

/// The values of a field, and the flags that are never set or never clear.
fn values(field: &CoveredField) -> String {
    let of = field.possible.map_or(String::new(), |possible| format!(" of {possible}"));
    let more = if field.has_more { "more than " } else { "" };
    let range = match (&field.least, &field.most) {
        (Some(least), Some(most)) if least != most => {
            format!(", {} to {}", shown_number(least), shown_number(most))
        }
        (Some(one), _) => format!(", {}", shown_number(one)),
        _ if field.cases == 0 => return "not given".to_owned(),
        _ => return format!("given by {}", counted(field.cases, "case")),
    };
    let flags = |which: fn(&CoveredFlag) -> u64, what: &str| {
        let names: Vec<_> =
            field.flags.iter().filter(|flag| which(flag) == 0).map(|flag| &*flag.name).collect();
        if names.is_empty() { String::new() } else { format!("; never {what}: {}", names.join(", ")) }
    };
    let values =
        if of.is_empty() { counted(field.values, "value") } else { format!("{}{of} values", field.values) };
    let (set, clear) = (flags(|flag| flag.set, "set"), flags(|flag| flag.clear, "clear"));
    escaped(&format!("{more}{values}{range}{set}{clear}")).into_owned()
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
    let mut main = String::new();
    for machine in &coverage.machines {
        let name = html_text(&machine.machine);
        let _ = writeln!(main, "<h2>{name}</h2>");
        let head: Vec<_> = ["instruction", "executed by"].into_iter().chain(GROUPS).collect();
        main.push_str(&table(&machine.machine, &head, machine.instructions.iter().map(instruction_row)));
    }
    for family in &coverage.families {
        let head = family_head(family);
        let _ = writeln!(main, "<h2>{}</h2>", html_text(&head));
        let row = |field: &CoveredField| -> Vec<String> {
            [&field.name, &field.notation, &values(field)].map(|it| html_text(it)).into()
        };
        main.push_str(&table(&head, &["field", "type", "values"], family.fields.iter().map(row)));
        let row = |file: &CoveredFile| -> Vec<String> { vec![html_text(&file.file), file.cases.to_string()] };
        main.push_str(&table(&head, &["file", "cases"], family.files.iter().map(row)));
    }
    out.write_all(page("Coverage", "", &main).as_bytes())
}

fn instruction_row(instruction: &CoveredInstruction) -> TableRow {
    let class = match (instruction.executed(), group(instruction, "fails").is_empty()) {
        (0, _) => Some("bad"),
        (_, true) => Some("partly"),
        (_, false) => None,
    };
    let CoveredInstruction { name, doc, .. } = instruction;
    let name = format!("<span title=\"{}\">{}</span>", html_text(doc), html_text(name));
    let groups = GROUPS.map(|name| html_text(&group(instruction, name).join(", ")));
    TableRow::of_class(class, [name, executed(instruction)].into_iter().chain(groups).collect())
}
