//! One part of a selection of cases, for running it on many machines.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::case::CaseId;

/// Which part of how many: `hash:2/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partition {
    /// How cases are dealt out.
    pub kind: Kind,
    /// Which part, from 1.
    pub part: u64,
    /// Of how many.
    pub of: u64,
}

/// How cases are dealt out to parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// By their ids: the first eight bytes of SHA-256, as a number with the most significant first, modulo
    /// the number of parts. A case stays in its part whatever other cases are selected.
    Hash,
    /// One after the other to the parts in turn. Parts are of one size.
    Slice,
}

const KINDS: [Kind; 2] = [Kind::Hash, Kind::Slice];

impl Kind {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Hash => "hash",
            Kind::Slice => "slice",
        }
    }

    /// The kind of this name.
    pub fn by_name(name: &str) -> Option<Kind> {
        KINDS.into_iter().find(|kind| kind.name() == name)
    }
}

impl Partition {
    /// A part; `None` unless `part` is from 1 to `of`.
    pub fn new(kind: Kind, part: u64, of: u64) -> Option<Partition> {
        (1..=of).contains(&part).then_some(Partition { kind, part, of })
    }

    /// Whether a case is in the part, the one of this number in the selection.
    fn has(self, id: &CaseId, number: u64) -> bool {
        let number = match self.kind {
            Kind::Hash => hash(id),
            Kind::Slice => number,
        };
        number % self.of == self.part - 1
    }
}

fn hash(id: &CaseId) -> u64 {
    let digest = Sha256::digest(id.to_string());
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
            Partition::new(Kind::by_name(kind)?, part.parse().ok()?, of.parse().ok()?)
        };
        parse().ok_or_else(|| "a part is written as hash:2/8 or slice:2/8, and the first is 1".to_owned())
    }
}

/// The cases of a part.
#[derive(Debug)]
pub struct Part {
    /// Which part.
    pub partition: Partition,
    /// The digest of the whole selection; parts of different selections are not joined.
    pub selection: String,
    /// How many places there are in the whole selection.
    pub places: u64,
    cases: HashMap<CaseId, u64>,
    files: HashSet<Arc<str>>,
}

/// The cases of a file in the order of a run.
#[derive(Debug)]
pub struct FileCases {
    /// The file.
    pub file: Arc<str>,
    /// The ids of its selected cases.
    pub cases: Vec<CaseId>,
}

impl Part {
    /// The part of a selection. `flags` holds the options that distinguish otherwise equal runs.
    ///
    /// Diagnostics of a file as a whole belong to the part of its first case; a file without selected cases
    /// has a place of its own.
    pub fn new(partition: Partition, flags: &str, selection: &[FileCases]) -> Part {
        let mut digest = Sha256::new();
        digest.update(flags);
        let mut part = Part {
            partition,
            selection: String::new(),
            places: 0,
            cases: HashMap::new(),
            files: HashSet::new(),
        };
        let mut number = 0;
        for FileCases { file, cases } in selection {
            let whole = CaseId::of_file(file.clone());
            digest.update(format!("\n{whole}"));
            let first = cases.first().unwrap_or(&whole);
            if partition.has(first, number) {
                part.add(whole.clone());
            }
            for id in cases {
                digest.update(format!("\n{id}"));
                if partition.has(id, number) {
                    part.add(id.clone());
                }
                number += 1;
                part.places += 1;
            }
            part.places += u64::from(cases.is_empty());
        }
        part.selection = hex::encode(digest.finalize());
        part
    }

    fn add(&mut self, id: CaseId) {
        self.files.insert(id.file.clone());
        self.cases.entry(id).or_insert(self.places);
    }

    /// Whether anything of a file is in the part.
    pub fn has_file(&self, file: &str) -> bool {
        self.files.contains(file)
    }

    /// Whether a case, or the id of a file as a whole, is in the part.
    pub fn has(&self, id: &CaseId) -> bool {
        self.cases.contains_key(id)
    }

    /// The place of a case in the whole selection, from 0; ids that are not in the part come after all
    /// places.
    pub fn place(&self, id: &CaseId) -> u64 {
        self.cases.get(id).copied().unwrap_or(self.places)
    }
}
