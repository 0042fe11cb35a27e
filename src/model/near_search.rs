//! Search in a list for one item after another.

use std::cell::Cell;

/// Finds items of a list. What is sought mostly comes in the order of the list, so a search begins where the last one
/// ended.
#[derive(Debug, Default)]
pub struct NearSearch(Cell<usize>);

impl NearSearch {
    /// The index of an item of a list of this length, which is the same in all searches.
    pub fn find(&self, length: usize, is_sought: impl Fn(usize) -> bool) -> Option<usize> {
        let near = self.0.get().min(length);
        let found = (near..length).chain(0..near).find(|index| is_sought(*index))?;
        self.0.set(found);
        Some(found)
    }
}
