//! Names, paths and cells as JSON strings.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use crate::model::partition;
use crate::model::verdict;
use crate::model::{Cell, MAX_PATH_KEYS, Name, Path};

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        String::deserialize(deserializer).map(Name::from)
    }
}

/// Formatted for people.
impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// As in reports: `post/0x0f57/storage/0x01`, `logs[0]/topics[1]`.
impl Serialize for Path {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Parses a path as written in reports. The text is ambiguous: a name that contains a slash or ends like an
/// index becomes several keys.
impl<'de> Deserialize<'de> for Path {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Path, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut path: Option<Path> = None;
        let mut keys = 0;
        for part in text.split('/') {
            let (name, indices) = indexed(part);
            keys += 1 + indices.len();
            if keys > MAX_PATH_KEYS {
                return Err(D::Error::custom(format!("a path has at most {MAX_PATH_KEYS} keys")));
            }
            let named = match path {
                None => Path::field(name.to_owned()),
                Some(path) => path.child(name.to_owned()),
            };
            path = Some(indices.into_iter().rev().fold(named, |path, index| path.child(index)));
        }
        path.ok_or_else(|| D::Error::custom("a path has a key"))
    }
}

/// A part of a path without its indices, and its indices, the last one first.
fn indexed(part: &str) -> (&str, Vec<usize>) {
    let mut indices = Vec::new();
    let mut name = part;
    while let Some((before, index)) = name.strip_suffix(']').and_then(|it| it.rsplit_once('[')) {
        let Some(number) = index.parse::<usize>().ok().filter(|number| number.to_string() == index) else {
            break;
        };
        indices.push(number);
        name = before;
    }
    (name, indices)
}

impl Serialize for verdict::VerdictKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for verdict::VerdictKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<verdict::VerdictKind, D::Error> {
        let name = String::deserialize(deserializer)?;
        verdict::VerdictKind::by_name(&name).ok_or_else(|| {
            let all = verdict::VerdictKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
            D::Error::custom(format!("{} is not a verdict; expected one of {all}", start(&name)))
        })
    }
}

impl Serialize for partition::PartitionKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for partition::PartitionKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<partition::PartitionKind, D::Error> {
        let name = String::deserialize(deserializer)?;
        partition::PartitionKind::by_name(&name).ok_or_else(|| {
            D::Error::custom(format!("{} is not a kind of partition; expected hash or slice", start(&name)))
        })
    }
}

/// The text in quotes, truncated for use in messages.
pub(super) fn start(text: &str) -> String {
    const MAX_LENGTH: usize = 60;
    let start: String = text.chars().take(MAX_LENGTH).collect();
    let more = if start.len() < text.len() { "…" } else { "" };
    format!("{start:?}{more}")
}
