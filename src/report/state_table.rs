//! The table of states that explains a failure on a machine of a family, as text.

use std::io::{self, Write};

use super::style::{ACTUAL, DIM, EXPECTED, location};
use crate::model::{
    CaseDifference, CaseId, Failure, MemoryWindow, StateRow, StateTable, escaped, vector_step,
};

/// Writes the table of a failure, if it has one. Returns the differences that the table does not show.
pub(super) fn state_table<'f>(
    out: &mut Vec<u8>,
    id: &CaseId,
    failure: &'f Failure,
) -> io::Result<Vec<&'f CaseDifference>> {
    let all = &failure.differences;
    let Some(table) = &failure.state else { return Ok(all.iter().collect()) };
    let (shown, rest): (Vec<_>, Vec<_>) =
        all.iter().partition(|difference| table.shows(difference.step, &difference.at));
    if let Some(first) = shown.first() {
        writeln!(out, "  {}: {}{}", location(id, &first.place), vector_step(table.step), differing(table))?;
        TableWriter { table, shown: &shown }.write(out)?;
    }
    Ok(rest)
}

/// What differs, in a line: `a, r and ram differ`.
fn differing(table: &StateTable) -> String {
    let rows = table.rows.iter().filter(|row| row.differs).map(|row| row.at.to_string());
    let memories = table.memories.iter().map(|window| escaped(&window.field).into_owned());
    let names: Vec<_> = rows.chain(memories).collect();
    match &names[..] {
        [one] => format!("{one} differs"),
        [others @ .., last] => format!("{} and {last} differ", others.join(", ")),
        [] => String::new(),
    }
}

struct TableWriter<'t> {
    table: &'t StateTable,
    shown: &'t [&'t CaseDifference],
}

/// The titles of the columns after the name.
const TITLES: [&str; 3] = ["before", "expected", "actual"];

/// What stands for a value that nothing says.
const UNKNOWN: &str = "-";

fn values(row: &StateRow) -> [String; 3] {
    let text = |value: &Option<String>| value.as_deref().map_or(UNKNOWN.into(), escaped).into_owned();
    let actual = if row.differs && row.actual.is_none() { "absent".to_owned() } else { text(&row.actual) };
    [text(&row.before), text(&row.expected), actual]
}

impl TableWriter<'_> {
    fn write(&self, out: &mut Vec<u8>) -> io::Result<()> {
        if !self.table.rows.is_empty() {
            self.rows(out)?;
        }
        self.table.memories.iter().try_for_each(|window| self.memory(out, window))
    }

    fn difference(&self, row: &StateRow) -> Option<&CaseDifference> {
        self.shown.iter().copied().find(|difference| difference.at == row.at)
    }

    fn rows(&self, out: &mut Vec<u8>) -> io::Result<()> {
        let rows = &self.table.rows;
        let names: Vec<_> = rows.iter().map(|row| row.at.to_string()).collect();
        let name_width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let mut widths = TITLES.map(str::len);
        for row in rows {
            for (width, value) in widths.iter_mut().zip(values(row)) {
                *width = (*width).max(value.chars().count());
            }
        }
        let [before, expected, actual] = widths;
        let titles = format!(
            "      {:name_width$}  {:before$}  {:expected$}  {:actual$}",
            "", TITLES[0], TITLES[1], TITLES[2]
        );
        writeln!(out, "{DIM}{}{DIM:#}", titles.trim_end())?;
        for (row, name) in rows.iter().zip(&names) {
            let [was, wanted, is] = values(row);
            if !row.differs {
                let line =
                    format!("      {name:name_width$}  {was:before$}  {wanted:expected$}  {is:actual$}");
                writeln!(out, "{}", line.trim_end())?;
                continue;
            }
            let difference = self.difference(row);
            let place = difference.map_or(String::new(), |it| it.place.position.to_string());
            let note = difference
                .and_then(|it| it.note.as_deref())
                .map_or(String::new(), |note| format!("  {}", escaped(note)));
            writeln!(
                out,
                "    {ACTUAL}*{ACTUAL:#} {name:name_width$}  {was:before$}  {EXPECTED}{wanted:expected$}{EXPECTED:#}  \
                 {ACTUAL}{is:actual$}{ACTUAL:#}  {DIM}{place}{DIM:#}{note}"
            )?;
        }
        Ok(())
    }

    /// Cells in columns, and a mark below each that differs.
    fn memory(&self, out: &mut Vec<u8>, window: &MemoryWindow) -> io::Result<()> {
        let Some(first) = window.cells.iter().find(|cell| cell.differs) else { return Ok(()) };
        let place = self.difference(first).map_or(String::new(), |it| it.place.position.to_string());
        let more = match window.differing - window.cells.iter().filter(|cell| cell.differs).count() {
            0 => String::new(),
            1 => "; 1 more cell differs".to_owned(),
            more => format!("; {more} more cells differ"),
        };
        let is_demanded = |cell: &StateRow| self.difference(cell).and_then(|it| it.note.as_deref());
        let note = is_demanded(first).map_or(String::new(), |note| format!("  {}", escaped(note)));
        writeln!(out, "    {ACTUAL}*{ACTUAL:#} {}  {DIM}{place}{DIM:#}{note}{more}", first.at)?;
        let values: Vec<_> = window.cells.iter().map(values).collect();
        let width = values.iter().flatten().map(String::len).max().unwrap_or(2);
        let start = window.cells.first().map_or(String::new(), |cell| cell.at.last().to_string());
        let line = |index: usize| {
            let texts = values.iter().map(|cell| format!("{:>width$}", cell[index].replace(UNKNOWN, "..")));
            texts.collect::<Vec<_>>().join(" ")
        };
        for (index, title) in TITLES.iter().enumerate() {
            let from = if index == 0 { format!("from {start}") } else { String::new() };
            writeln!(out, "        {DIM}{from:16}{title:8}{DIM:#}  {}", line(index))?;
        }
        let marks =
            window.cells.iter().map(|cell| if cell.differs { "^".repeat(width) } else { " ".repeat(width) });
        let marks = marks.collect::<Vec<_>>().join(" ");
        writeln!(out, "        {:26}{ACTUAL}{}{ACTUAL:#}", "", marks.trim_end())
    }
}
