//! The places of a run whose writes a page can find, numbered so that what an instruction writes is a few ranges.

use std::collections::HashMap;

use indexmap::{IndexMap, IndexSet};

use crate::explain::recording::{Datum, DatumId, StepWrites};
use crate::model::cell::Cell;

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

    /// Numbers the places so that those that one write can touch follow each other.
    pub(super) fn ranked(&self) -> RankedPlaces<'_> {
        let mut groups: IndexMap<PlaceGroup<'_>, Vec<usize>> = IndexMap::new();
        for (index, place) in self.0.iter().enumerate() {
            groups.entry(PlaceGroup::of(place)).or_default().push(index);
        }
        let mut rank_of = vec![0; self.0.len()];
        let mut order = Vec::with_capacity(self.0.len());
        let mut ranks = HashMap::new();
        for (group, mut members) in groups {
            members.sort_by_key(|index| match &self.0[*index] {
                PagePlace::Cell(Cell::Stack(start)) => *start,
                PagePlace::Cell(Cell::Range(_, range)) => range.start,
                _ => 0,
            });
            let first = order.len();
            for index in members {
                rank_of[index] = order.len();
                order.push(&self.0[index]);
            }
            ranks.insert(group, first..order.len());
        }
        RankedPlaces { rank_of, order, ranks }
    }
}

/// The places in the order of their numbers.
pub(super) struct RankedPlaces<'p> {
    /// The number of each place, by its index.
    pub(super) rank_of: Vec<usize>,
    order: Vec<&'p PagePlace>,
    ranks: HashMap<PlaceGroup<'p>, std::ops::Range<usize>>,
}

impl RankedPlaces<'_> {
    /// The places that an instruction wrote, as the first and the last number of each range.
    pub(super) fn written(&self, writes: &StepWrites) -> Vec<usize> {
        let mut found = Vec::new();
        if !writes.stack.is_empty() {
            let is_written = |cell: &Cell| matches!(cell, Cell::Stack(place) if writes.stack.contains(place));
            self.add(&PlaceGroup::Stack, is_written, &mut found);
        }
        for written in &writes.cells {
            self.add(&PlaceGroup::of_cell(written), |cell| written.touches(cell), &mut found);
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

    fn add(&self, group: &PlaceGroup<'_>, is_written: impl Fn(&Cell) -> bool, found: &mut Vec<usize>) {
        let Some(ranks) = self.ranks.get(group) else { return };
        let is_written =
            |rank: &usize| matches!(self.order[*rank], PagePlace::Cell(cell) if is_written(cell));
        found.extend(ranks.clone().filter(is_written));
    }
}

/// Places of which a single write can touch several.
#[derive(PartialEq, Eq, Hash)]
enum PlaceGroup<'p> {
    Stack,
    Space(&'static str),
    Named(&'static str, &'p str),
    Compound(usize),
    Datum(&'p DatumId),
}

impl<'p> PlaceGroup<'p> {
    fn of(place: &'p PagePlace) -> PlaceGroup<'p> {
        match place {
            PagePlace::Cell(cell) => PlaceGroup::of_cell(cell),
            PagePlace::Datum(id) => PlaceGroup::Datum(id),
        }
    }

    fn of_cell(cell: &'p Cell) -> PlaceGroup<'p> {
        match cell {
            Cell::Stack(_) => PlaceGroup::Stack,
            Cell::Range(space, _) => PlaceGroup::Space(space),
            Cell::Named(kind, name) => PlaceGroup::Named(kind, name),
            Cell::Item(compound, _) | Cell::Compound(compound) | Cell::Bytes(compound, _) => {
                PlaceGroup::Compound(*compound)
            }
        }
    }
}
