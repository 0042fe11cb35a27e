//! The places of a run whose writes a page can find, numbered so that what an instruction writes is a few ranges.

use std::collections::HashMap;
use std::ops::Range;

use indexmap::{IndexMap, IndexSet};

use crate::explain::recording::{Datum, DatumId, StepWrites};
use crate::model::{Cell, CellGroup};

/// A place that an instruction writes: a cell, or a datum that no cell holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum PagePlace {
    Cell(Cell),
    Datum(DatumId),
}

/// The places of all rows of a run.
#[derive(Default)]
pub(super) struct PagePlaces(IndexSet<PagePlace>);

impl PagePlaces {
    /// The indices of the places of a datum; those that are new are added.
    pub(super) fn of(&mut self, datum: &Datum) -> Vec<usize> {
        if datum.cells.is_empty() {
            return vec![self.0.insert_full(PagePlace::Datum(datum.id.clone())).0];
        }
        let cells = datum.cells.iter().cloned().map(PagePlace::Cell);
        cells.map(|cell| self.0.insert_full(cell).0).collect()
    }

    /// Numbers the places so that those that one write can touch follow each other, and those of a kind as well.
    pub(super) fn ranked(&self) -> RankedPlaces<'_> {
        let mut groups: IndexMap<PlaceGroup<'_>, Vec<usize>> = IndexMap::new();
        for (index, place) in self.0.iter().enumerate() {
            groups.entry(PlaceGroup::of(place)).or_default().push(index);
        }
        groups.sort_by_key(|group, _| group.kind());
        let mut ranked = RankedPlaces {
            rank_of: vec![0; self.0.len()],
            order: Vec::with_capacity(self.0.len()),
            ranks: HashMap::new(),
            compounds: 0,
            cellless: 0,
        };
        for (group, mut members) in groups {
            members.sort_by_key(|index| match &self.0[*index] {
                PagePlace::Cell(Cell::Stack(start)) => *start,
                PagePlace::Cell(Cell::Range(_, range)) => range.start,
                _ => 0,
            });
            let first = ranked.order.len();
            for index in members {
                ranked.rank_of[index] = ranked.order.len();
                ranked.order.push(&self.0[index]);
            }
            let end = ranked.order.len();
            match group.kind() {
                KnownWrites::Fixed => (ranked.compounds, ranked.cellless) = (end, end),
                KnownWrites::Compound => ranked.cellless = end,
                KnownWrites::Cellless => {}
            }
            ranked.ranks.insert(group, first..end);
        }
        ranked
    }
}

/// The places in the order of their numbers.
pub(super) struct RankedPlaces<'p> {
    /// The number of each place, by its index.
    pub(super) rank_of: Vec<usize>,
    /// The number of the first place in a compound, and of the first one that no cell holds.
    pub(super) compounds: usize,
    pub(super) cellless: usize,
    order: Vec<&'p PagePlace>,
    ranks: HashMap<PlaceGroup<'p>, Range<usize>>,
}

impl RankedPlaces<'_> {
    /// The places that an instruction wrote, as the first and the last number of each range.
    pub(super) fn written(&self, writes: &StepWrites) -> Vec<usize> {
        let mut found = Vec::new();
        if !writes.stack.is_empty() {
            let is_written = |cell: &Cell| matches!(cell, Cell::Stack(place) if writes.stack.contains(place));
            self.add(CellGroup::Stack, is_written, &mut found);
        }
        for written in &writes.cells {
            self.add(written.group(), |cell| written.touches(cell), &mut found);
        }
        for id in &writes.changed {
            found.extend(self.ranks.get(&PlaceGroup::Datum(id)).into_iter().cloned().flatten());
        }
        found.sort_unstable();
        found.dedup();
        let mut ranges: Vec<usize> = Vec::new();
        for rank in found {
            match ranges.last_mut() {
                Some(last) if *last + 1 == rank => *last = rank,
                _ => ranges.extend([rank, rank]),
            }
        }
        ranges
    }

    fn add(&self, group: CellGroup<'_>, is_written: impl Fn(&Cell) -> bool, found: &mut Vec<usize>) {
        let Some(ranks) = self.ranks.get(&PlaceGroup::Cells(group)) else { return };
        let is_written =
            |rank: &usize| matches!(self.order[*rank], PagePlace::Cell(cell) if is_written(cell));
        found.extend(ranks.clone().filter(is_written));
    }
}

/// How much a page knows of writes of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum KnownWrites {
    /// All of them: it is the same place in all states.
    Fixed,
    /// All of them, but only states say which compound a datum is in.
    Compound,
    /// Only those that states of the page show.
    Cellless,
}

/// Places of which a single write can touch several.
#[derive(PartialEq, Eq, Hash)]
enum PlaceGroup<'p> {
    Cells(CellGroup<'p>),
    Datum(&'p DatumId),
}

impl<'p> PlaceGroup<'p> {
    fn kind(&self) -> KnownWrites {
        match self {
            PlaceGroup::Cells(CellGroup::Compound(_)) => KnownWrites::Compound,
            PlaceGroup::Cells(_) => KnownWrites::Fixed,
            PlaceGroup::Datum(_) => KnownWrites::Cellless,
        }
    }

    fn of(place: &'p PagePlace) -> PlaceGroup<'p> {
        match place {
            PagePlace::Cell(cell) => PlaceGroup::Cells(cell.group()),
            PagePlace::Datum(id) => PlaceGroup::Datum(id),
        }
    }
}
