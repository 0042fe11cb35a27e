//! The parts of a memory whose writers are still unknown.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::model::Cell;

/// Ranges of a memory that do not overlap.
pub(super) struct MemoryRanges {
    space: &'static str,
    /// Their ends, by their starts.
    ends: BTreeMap<usize, usize>,
}

impl MemoryRanges {
    /// One range of a memory.
    pub(super) fn of(space: &'static str, range: &Range<usize>) -> MemoryRanges {
        MemoryRanges { space, ends: BTreeMap::from([(range.start, range.end)]) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Removes what these cells cover. Returns the smallest cell that contains it all; `None` if nothing was removed.
    pub(super) fn remove(&mut self, cells: &[Cell]) -> Option<Cell> {
        let mut removed: Option<Range<usize>> = None;
        for cell in cells {
            let Cell::Range(space, range) = cell else { continue };
            if *space != self.space {
                continue;
            }
            while let Some((start, end)) = self.last_overlap(range) {
                let part = start.max(range.start)..end.min(range.end);
                self.ends.remove(&start);
                if start < part.start {
                    self.ends.insert(start, part.start);
                }
                if part.end < end {
                    self.ends.insert(part.end, end);
                }
                removed = Some(
                    removed.map_or(part.clone(), |all| all.start.min(part.start)..all.end.max(part.end)),
                );
            }
        }
        removed.map(|range| Cell::Range(self.space, range))
    }

    fn last_overlap(&self, range: &Range<usize>) -> Option<(usize, usize)> {
        let (start, end) = self.ends.range(..range.end).next_back()?;
        (*end > range.start).then_some((*start, *end))
    }
}
