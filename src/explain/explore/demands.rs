//! What a case demands of the data of a state, to be shown beside what they are.

use std::collections::HashMap;

use crate::explain::recording::{DatumId, Recording, ShownDatum, sections_of};
use crate::machines::inspect::Inspect;
use crate::machines::view::ViewDatum;
use crate::model::{Assertion, Cell, Expected, Path, PathKey, Step, brief, escaped};

/// The most demands that are shown, those of the first steps of the case.
const MAX_DEMANDS: usize = 10_000;

/// The maximum number of characters of a demand.
const MAX_LENGTH: usize = 80;

/// What a case demands, by the state that it is compared with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Demands(Vec<StateDemands>);

/// What is demanded after a step of the case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StateDemands {
    /// The number of the state that is compared.
    pub(super) step: u64,
    pub(super) of: HashMap<DatumId, String>,
}

/// The demands of a case that have a value, by its steps.
pub(super) struct CaseDemands(Vec<Vec<(Path, String)>>);

impl CaseDemands {
    pub(super) fn of(steps: &[Step]) -> CaseDemands {
        let mut left = MAX_DEMANDS;
        let steps = steps.iter().map(|step| {
            let demands: Vec<_> = step.assertions.iter().filter_map(demand).take(left).collect();
            left -= demands.len();
            demands
        });
        CaseDemands(steps.collect())
    }
}

/// The path and the text of an assertion about a value.
fn demand(Assertion { at, expected, .. }: &Assertion) -> Option<(Path, String)> {
    match expected {
        Expected::Is(_)
        | Expected::Bits(_)
        | Expected::IsOrAbsent(_)
        | Expected::OneOf(_)
        | Expected::Absent
        | Expected::Type(_)
        | Expected::Len(_) => Some((at.clone(), brief(expected, MAX_LENGTH))),
        // What members a record has is no value of a row.
        Expected::Record | Expected::Only(_) | Expected::Order(_) => None,
    }
}

impl Demands {
    /// Finds the rows that the demands are about.
    pub(super) fn find(case: &CaseDemands, recording: &mut Recording) -> Demands {
        let start = recording.now();
        let steps = case.0.iter().enumerate().filter(|(_, demands)| !demands.is_empty());
        let states = steps.map(|(index, demands)| {
            let end = recording.end_of_case_step(index + 1);
            let rows = DemandedRows::of(recording.go_to(end).inspect());
            let state = recording.machine().inspect();
            let mut of: HashMap<DatumId, Vec<&str>> = HashMap::new();
            for (datum, text) in demands.iter().filter_map(|(at, text)| Some((rows.find(state, at)?, text))) {
                // Of a list, its type and its length can be demanded.
                of.entry(datum).or_default().push(text);
            }
            let of = of.into_iter().map(|(datum, texts)| (datum, texts.join(", "))).collect();
            StateDemands { step: end.step(), of }
        });
        let demands = Demands(states.collect());
        recording.go_to(start);
        demands
    }

    /// What is demanded when the state with this number, or the first one after it, is compared.
    pub(super) fn at(&self, step: u64) -> Option<&StateDemands> {
        self.0.get(self.0.partition_point(|state| state.step < step))
    }

    /// What is demanded of a datum then.
    pub(super) fn of(&self, step: u64, datum: &DatumId) -> Option<&str> {
        self.at(step)?.of.get(datum).map(String::as_str)
    }

    /// What is written after the value of a datum.
    pub(super) fn beside(&self, step: u64, datum: &DatumId, value: &str) -> String {
        let Some(demanded) = self.of(step, datum) else { return String::new() };
        // Numbers of several digits are demanded in two notations.
        let is_it = value == demanded
            || value.strip_prefix(demanded).is_some_and(|rest| rest.starts_with(','))
            || demanded.ends_with(&format!(" ({value})"));
        if is_it { ", as demanded".to_owned() } else { format!(", demanded {}", escaped(demanded)) }
    }

    pub(super) fn states(&self) -> &[StateDemands] {
        &self.0
    }
}

/// The rows of a state by what they show.
struct DemandedRows {
    paths: HashMap<Path, DatumId>,
    cells: HashMap<Cell, DatumId>,
    /// Those that show a field and have no path.
    names: HashMap<String, DatumId>,
}

impl DemandedRows {
    fn of(state: &dyn Inspect) -> DemandedRows {
        let mut found = DemandedRows { paths: HashMap::new(), cells: HashMap::new(), names: HashMap::new() };
        for ShownDatum { row, datum } in sections_of(state).into_iter().flat_map(|section| section.rows) {
            match row.datum {
                Some(ViewDatum::At(path)) => drop(found.paths.entry(path).or_insert(datum.id)),
                Some(ViewDatum::In(cell)) => drop(found.cells.entry(cell).or_insert(datum.id)),
                None if row.depth == 0 => drop(found.names.entry(row.name).or_insert(datum.id)),
                None => {}
            }
        }
        found
    }

    fn find(&self, state: &dyn Inspect, at: &Path) -> Option<DatumId> {
        let by_cell = || self.cells.get(state.cells(at).first()?);
        let by_name = || match &at.keys()[..] {
            [PathKey::Name(name)] => self.names.get(&**name),
            _ => None,
        };
        self.paths.get(at).or_else(by_cell).or_else(by_name).cloned()
    }
}
