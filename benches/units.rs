//! The time of a unit of the runner's account for each instruction on its worst operands. The output has the
//! format of `tests/costs`, with the measured costs.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use vmconf::machines::MACHINES;

use crate::Rounds;
use crate::rows::{Row, UNIT};
use crate::timing::shortest;

/// Measures each row and prints it with its cost, then the rows with the most and least time for a unit.
pub(crate) fn measure(rounds: &Rounds) -> anyhow::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/costs");
    let mut times = Vec::new();
    for info in MACHINES {
        let path = folder.join(info.name).with_extension("txt");
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        println!("# {}", path.file_name().unwrap_or_default().display());
        for line in text.lines() {
            let is_selected = |row: &Row<'_>| {
                rounds.selects(info.name) || rounds.selects(&format!("{} {}", info.name, row.name))
            };
            let row = Row::all(line).pop().filter(is_selected);
            let Some(row) = row else { continue };
            let (name, setup) = (row.name, row.setup);
            let body =
                if row.times == 1000 { row.body.to_owned() } else { format!("{} | {}", row.body, row.times) };
            if row.cost.is_none() {
                println!("{name} | ends | {setup} | {body}");
                continue;
            }
            let (nanoseconds, units) = cost(&row, info, rounds);
            let cost = (nanoseconds / UNIT).ceil();
            println!("{name} | {cost} | {setup} | {body}");
            let per_unit = nanoseconds / units;
            eprintln!("{:<9}{name:<28}{nanoseconds:>12.1} ns{units:>10.1} units{per_unit:>8.2}", info.name);
            if units > row.instructions() as f64 {
                times.push((per_unit, format!("{} {name}", info.name)));
            }
        }
    }
    times.sort_by(|one, other| one.0.total_cmp(&other.0));
    ensure!(!times.is_empty(), "no row");
    let (best, worst) = (&times[0], &times[times.len() - 1]);
    eprintln!(
        "best {:.2} ns: {}; worst {:.2} ns: {}; ratio {:.1}",
        best.0,
        best.1,
        worst.0,
        worst.1,
        worst.0 / best.0
    );
    Ok(())
}

/// The time of a body in nanoseconds and its units.
fn cost(row: &Row<'_>, info: &vmconf::machines::MachineInfo, rounds: &Rounds) -> (f64, f64) {
    let (mut once, mut often) = (row.loaded(info, 1), row.loaded(info, row.times + 1));
    let units = often.run() - once.run();
    let time = |times: usize| {
        shortest(
            rounds.rounds,
            || row.loaded(info, times),
            |row| {
                row.run();
            },
        )
    };
    let seconds = time(row.times + 1) - time(1);
    (seconds / row.times as f64 * 1e9, units as f64 / row.times as f64)
}
