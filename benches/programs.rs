//! The programs of a folder of EVM vectors.

use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow, ensure};
use vmconf::formats::{self, FormatOptions};
use vmconf::model::limits::Limits;
use vmconf::model::{Program, Value};
use vmconf::text::json::{Document, JsonNode};
use walkdir::WalkDir;

/// A program and the name of its case.
pub(crate) type Named = (String, Program);

/// The different programs of every vmPerformance file, sorted by name.
pub(crate) fn of_performance(suites: &Path) -> anyhow::Result<Vec<Named>> {
    let programs = all(suites, |path| path.to_string_lossy().contains("vmPerformance"))?;
    ensure!(!programs.is_empty(), "no vmPerformance program under {}", suites.display());
    Ok(programs)
}

/// The different programs of every other file of the format, sorted by name.
pub(crate) fn of_the_rest(suites: &Path) -> anyhow::Result<Vec<Named>> {
    all(suites, |path| !path.to_string_lossy().contains("vmPerformance"))
}

fn all(suites: &Path, is_wanted: impl Fn(&Path) -> bool) -> anyhow::Result<Vec<Named>> {
    let mut programs: Vec<Named> = Vec::new();
    for entry in WalkDir::new(suites).sort_by_file_name() {
        let entry = entry?;
        let path = entry.path();
        if !is_wanted(path) || path.extension().is_none_or(|end| end != "json") {
            continue;
        }
        for (name, program) in read(path).with_context(|| path.display().to_string())? {
            if !programs.iter().any(|(_, known)| same_program(known, &program)) {
                programs.push((name, program));
            }
        }
    }
    programs.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(programs)
}

/// Whether two suites have the same program, each in its own spelling of the rest.
fn same_program(one: &Program, other: &Program) -> bool {
    ["code", "data", "gas"].iter().all(|name| one.0.get(name) == other.0.get(name))
}

fn read(path: &Path) -> anyhow::Result<Vec<Named>> {
    let text = fs::read_to_string(path)?;
    let document = Document::parse(text, Limits::default().depth as usize)
        .map_err(|(_, problem)| anyhow!(problem.what))?;
    let Ok((format, _)) = formats::detection::detect(&document, "") else { return Ok(Vec::new()) };
    if format.name != "vmtests" {
        return Ok(Vec::new());
    }
    let entries = (format.outline)(document.root()).map_err(|problem| anyhow!(problem.what))?;
    let mut programs = Vec::new();
    for entry in entries {
        let reading = format.read_case(JsonNode::at_index(&document, entry.node), FormatOptions::default());
        let case = reading.case.with_context(|| format!("{}: {:?}", entry.name, reading.diagnostics))?;
        programs.push((entry.name.to_string(), case.program));
    }
    Ok(programs)
}

/// A member that each program has.
pub(crate) fn member<'v>(record: &'v Value, name: &str) -> anyhow::Result<&'v Value> {
    record.get(name).with_context(|| format!("no {name}"))
}

/// The bytes of a value that must be some.
pub(crate) fn bytes(value: &Value) -> anyhow::Result<&[u8]> {
    match value {
        Value::Bytes(bytes) => Ok(bytes),
        other => Err(anyhow!("{other} instead of bytes")),
    }
}

/// The number of a value that must be a small one.
pub(crate) fn number(value: &Value) -> anyhow::Result<u64> {
    match value {
        Value::Int(number) => Ok(u64::try_from(number)?),
        other => Err(anyhow!("{other} instead of a number")),
    }
}
