//! Parts of a selection of cases, for splitting a run across machines.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};
use strum::VariantArray;

use super::case::CaseId;
use super::content::ContentDigest;
use super::diagnostic::DiagnosticPlace;
use super::lock::lock;

/// Which of how many parts: `hash:2/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partition {
    kind: PartitionKind,
    part: u64,
    of: u64,
}

/// How cases are assigned to parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum PartitionKind {
    /// By their ids: the first eight bytes of SHA-256, as a number with the most significant first, modulo
    /// the number of parts. A case stays in its part whatever other cases are selected.
    Hash,
    /// In turn, one case to each part. The sizes of parts differ by at most one.
    Slice,
}

impl PartitionKind {
    /// Its name, as in `--partition`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The kind of this name.
    pub fn by_name(name: &str) -> Option<PartitionKind> {
        PartitionKind::VARIANTS.iter().copied().find(|kind| kind.name() == name)
    }
}

impl Partition {
    /// A part; `None` unless `part` is from 1 to `of`.
    pub fn new(kind: PartitionKind, part: u64, of: u64) -> Option<Partition> {
        (1..=of).contains(&part).then_some(Partition { kind, part, of })
    }

    /// How cases are assigned to parts.
    pub fn kind(self) -> PartitionKind {
        self.kind
    }

    /// Which part, from 1.
    pub fn part(self) -> u64 {
        self.part
    }

    /// The number of parts.
    pub fn of(self) -> u64 {
        self.of
    }

    /// Whether the case with this id is in the part, the one of this number in the selection.
    fn has(self, id: &str, number: u64) -> bool {
        let number = match self.kind {
            PartitionKind::Hash => hash(id),
            PartitionKind::Slice => number,
        };
        number % self.of == self.part - 1
    }
}

fn hash(id: &str) -> u64 {
    let digest = Sha256::digest(id);
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}/{}", self.kind.name(), self.part, self.of)
    }
}

impl FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Partition, String> {
        let parse = || {
            let (kind, numbers) = text.split_once(':')?;
            let (part, of) = numbers.split_once('/')?;
            Partition::new(PartitionKind::by_name(kind)?, part.parse().ok()?, of.parse().ok()?)
        };
        parse().ok_or_else(|| {
            "expected hash:2/8 or slice:2/8, the second of eight parts: they are counted from 1 to 8"
                .to_owned()
        })
    }
}

/// What the error of a list of known failures begins with whose entries match no case: reports show it like a case.
pub const NO_CASE_MATCHES: &str = "no case matches ";

/// An entry of a list of known failures that matches no case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmatchedEntry {
    /// The list, as messages show it.
    pub list: Arc<str>,
    /// The id or the glob.
    pub id: String,
    /// Where it stands in the list.
    pub place: DiagnosticPlace,
}

/// The cases of a part. They are assigned as the files of the selection are loaded: each file, in its turn,
/// says which selected cases it has.
#[derive(Debug)]
pub struct PartitionPart {
    /// Which part.
    pub partition: Partition,
    assigned: Mutex<AssignedCases>,
    /// Signalled after the turn of a file.
    turned: Condvar,
    /// The entries of lists of known failures that match no case of this part.
    unmatched: Mutex<Vec<UnmatchedEntry>>,
}

/// The cases of the files that have had their turn.
#[derive(Debug)]
struct AssignedCases {
    /// The number of the next file.
    next: usize,
    /// The digest of the cases of all parts.
    digest: Sha256,
    /// How many cases there are in all parts.
    number: u64,
    /// How many places there are in all parts: one for each case, and one for a file without cases.
    places: u64,
    /// The places of the cases of this part.
    own: HashMap<CaseId, u64>,
}

impl PartitionPart {
    /// A part of a selection. `flags` holds the options that distinguish otherwise equal runs.
    pub fn new(partition: Partition, flags: &str) -> PartitionPart {
        let digest = Sha256::new_with_prefix(flags);
        let assigned = AssignedCases { next: 0, digest, number: 0, places: 0, own: HashMap::new() };
        PartitionPart {
            partition,
            assigned: Mutex::new(assigned),
            turned: Condvar::new(),
            unmatched: Mutex::default(),
        }
    }

    /// The turn of the file at this index of the selection. The file counts as empty unless [`PartitionTurn::take`] is
    /// called. Each file needs a turn: if one has none, those behind it wait for ever.
    pub fn turn(&self, file: usize) -> PartitionTurn<'_> {
        PartitionTurn { part: self, file, is_taken: false }
    }

    /// Whether a case, or the id of a file as a whole, is in the part.
    pub fn has(&self, id: &CaseId) -> bool {
        self.assigned().own.contains_key(id)
    }

    /// The place of a case in the whole selection, from 0; ids that are not in the part come after all
    /// places.
    pub fn place(&self, id: &CaseId) -> u64 {
        let assigned = self.assigned();
        assigned.own.get(id).copied().unwrap_or(assigned.places)
    }

    /// The digest of the selection, once all files have had their turns. `vmconf merge` does not join parts
    /// of different selections.
    pub fn selection(&self) -> String {
        hex::encode(self.assigned().digest.clone().finalize())
    }

    /// Whether the part has no case, although the selection has some, once all files have had their turns.
    pub fn is_empty(&self) -> bool {
        let assigned = self.assigned();
        assigned.number > 0 && assigned.own.keys().all(|id| id.name.is_none())
    }

    /// Sets the entries of lists of known failures that match no case of the part. Those that match no case of any
    /// part are wrong.
    pub fn set_unmatched(&self, entries: Vec<UnmatchedEntry>) {
        *lock(&self.unmatched) = entries;
    }

    /// What [`PartitionPart::set_unmatched`] set.
    pub fn unmatched(&self) -> Vec<UnmatchedEntry> {
        lock(&self.unmatched).clone()
    }

    fn assigned(&self) -> MutexGuard<'_, AssignedCases> {
        lock(&self.assigned)
    }

    /// Waits for the turn of a file, then calls `assign`. Does nothing if the file has already had its turn.
    fn in_turn(&self, file: usize, assign: impl FnOnce(&mut AssignedCases)) {
        let is_early = |assigned: &mut AssignedCases| assigned.next < file;
        let assigned = self.turned.wait_while(self.assigned(), is_early);
        let mut assigned = assigned.unwrap_or_else(PoisonError::into_inner);
        if assigned.next == file {
            assign(&mut assigned);
            assigned.next += 1;
            self.turned.notify_all();
        }
    }
}

impl AssignedCases {
    /// Diagnostics of a file as a whole belong to the part of its first case; a file without selected cases
    /// has a place of its own.
    fn add<'i>(
        &mut self,
        partition: Partition,
        file: PartitionedFile<'_>,
        cases: impl Iterator<Item = &'i CaseId>,
    ) {
        let whole = CaseId::of_file(file.name.clone());
        let place = self.places;
        let name = self.add_line(&whole);
        if let Some(content) = file.content {
            self.digest.update(content.to_string().as_bytes());
        }
        let mut has_first = None;
        for id in cases {
            let name = self.add_line(id);
            let has = partition.has(&name, self.number);
            if has {
                self.own.entry(id.clone()).or_insert(self.places);
            }
            has_first.get_or_insert(has);
            self.number += 1;
            self.places += 1;
        }
        self.places += u64::from(has_first.is_none());
        if has_first.unwrap_or_else(|| partition.has(&name, self.number)) {
            self.own.entry(whole).or_insert(place);
        }
    }

    /// Adds the line of an id to the digest; returns the id as text.
    fn add_line(&mut self, id: &CaseId) -> String {
        let text = id.to_string();
        self.digest.update("\n");
        self.digest.update(&text);
        text
    }
}

/// A file whose cases are assigned to parts.
#[derive(Debug, Clone, Copy)]
pub struct PartitionedFile<'f> {
    /// Its name.
    pub name: &'f Arc<str>,
    /// Its content, if reports say it: parts of other content are of another run.
    pub content: Option<ContentDigest>,
}

/// The turn of a file. Later files wait for it; it ends when this is dropped, at the latest.
pub struct PartitionTurn<'p> {
    part: &'p PartitionPart,
    file: usize,
    is_taken: bool,
}

impl PartitionTurn<'_> {
    /// Waits for the files before this one, then assigns the selected cases of the file to the parts.
    pub fn take<'i>(mut self, file: PartitionedFile<'_>, cases: impl Iterator<Item = &'i CaseId>) {
        self.is_taken = true;
        let part = self.part;
        part.in_turn(self.file, |assigned| assigned.add(part.partition, file, cases));
    }
}

/// A file that could not be loaded must not make others wait.
impl Drop for PartitionTurn<'_> {
    fn drop(&mut self) {
        if !self.is_taken {
            self.part.in_turn(self.file, |_| {});
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Partition, PartitionKind, PartitionPart, PartitionedFile};
    use crate::model::case::CaseId;

    const FILES: [(&str, usize); 4] = [("a.json", 3), ("b.json", 0), ("c.json", 40), ("d.json", 1)];

    fn cases(file: &Arc<str>, count: usize) -> Vec<CaseId> {
        let id = |number| CaseId { file: file.clone(), name: Some(format!("{number}").into()), nth: 1 };
        (0..count).map(id).collect()
    }

    fn take(part: &PartitionPart, number: usize) {
        let (file, count) = FILES[number];
        let file = file.into();
        let cases = cases(&file, count);
        part.turn(number).take(PartitionedFile { name: &file, content: None }, cases.iter());
    }

    /// The places of the cases of a part whose files take their turns on several threads, the last file first.
    fn places(kind: PartitionKind, part: u64) -> (String, Vec<Option<u64>>) {
        let part = PartitionPart::new(Partition::new(kind, part, 3).expect("a part"), "flags");
        std::thread::scope(|scope| {
            for number in (0..FILES.len()).rev() {
                let part = &part;
                scope.spawn(move || take(part, number));
            }
        });
        let ids = FILES.iter().flat_map(|(file, count)| cases(&(*file).into(), *count));
        let place = |id: CaseId| part.has(&id).then(|| part.place(&id));
        (part.selection(), ids.map(place).collect())
    }

    #[test]
    fn each_case_is_in_one_part_at_its_place() {
        for kind in [PartitionKind::Hash, PartitionKind::Slice] {
            let parts: Vec<_> = (1..=3).map(|part| places(kind, part)).collect();
            assert!(parts.iter().all(|part| part.0 == parts[0].0));
            // A file without cases has a place of its own.
            let expected = (0..3).chain(4..45);
            for (number, place) in expected.enumerate() {
                let of: Vec<_> = (0..3).filter(|part| parts[*part].1[number].is_some()).collect();
                assert_eq!(of.len(), 1, "{kind:?} {number}");
                assert_eq!(parts[of[0]].1[number], Some(place));
                assert!(kind == PartitionKind::Hash || of[0] == number % 3);
            }
        }
    }

    #[test]
    fn a_file_that_cannot_be_loaded_does_not_delay_others() {
        let part = PartitionPart::new(Partition::new(PartitionKind::Slice, 1, 1).expect("a part"), "");
        take(&part, 0);
        drop(part.turn(1));
        take(&part, 2);
        // This file has already had its turn.
        let before = part.selection();
        take(&part, 1);
        assert_eq!(part.selection(), before);
    }
}
