//! The name of one datum in a state.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::escape::escaped;
use super::name::Name;

/// One step of a [`Path`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged, expecting = "has a path with something other than names and indices")]
pub enum PathKey {
    /// A member of a record.
    Name(Name),
    /// An item of a list, from 0.
    Index(usize),
}

impl fmt::Display for PathKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathKey::Name(name) => f.write_str(&escaped(name)),
            PathKey::Index(index) => write!(f, "[{index}]"),
        }
    }
}

impl From<&'static str> for PathKey {
    fn from(name: &'static str) -> PathKey {
        PathKey::Name(name.into())
    }
}

impl From<String> for PathKey {
    fn from(name: String) -> PathKey {
        PathKey::Name(name.into())
    }
}

impl From<Name> for PathKey {
    fn from(name: Name) -> PathKey {
        PathKey::Name(name)
    }
}

impl From<usize> for PathKey {
    fn from(index: usize) -> PathKey {
        PathKey::Index(index)
    }
}

/// The maximum number of keys in a path that is read. Paths are traversed and dropped recursively, one call per key; the
/// deepest path that any format creates has half as many.
pub const MAX_PATH_KEYS: usize = 5000;

/// The path from a machine's state to one datum in it: an observable field, then members and items. Written
/// as `post/0x0f57/storage/0x01` or `logs[0]/topics[1]`.
///
/// The path of a field takes no allocation if its name takes none. Paths share their beginnings, so a longer
/// path costs one allocation; all paths made from one [`PathParent`] share a single one.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Path {
    parent: Option<Arc<Path>>,
    last: PathKey,
}

/// The index that is displayed like this.
fn index_of(text: &str) -> Option<usize> {
    text.parse().ok().filter(|index: &usize| index.to_string() == text)
}

/// A path that longer paths share as their beginning.
#[derive(Debug, Clone)]
pub struct PathParent(Arc<Path>);

impl PathParent {
    /// This path extended by a key.
    #[must_use]
    pub fn child(&self, key: impl Into<PathKey>) -> Path {
        Path { parent: Some(self.0.clone()), last: key.into() }
    }
}

impl Path {
    /// The path of a field of the state.
    pub fn field(name: impl Into<Name>) -> Path {
        Path { parent: None, last: PathKey::Name(name.into()) }
    }

    /// The path that is written like this, as paths are displayed; `None` if the text is no path, or has more than
    /// [`MAX_PATH_KEYS`] keys. Names with `/` or `[` cannot be written.
    pub fn parse(text: &str) -> Option<Path> {
        if text.split(['/', '[']).nth(MAX_PATH_KEYS).is_some() {
            return None;
        }
        let mut path: Option<Path> = None;
        for part in text.split('/') {
            let (name, indices) = part.split_at(part.find('[').unwrap_or(part.len()));
            if name.is_empty() {
                return None;
            }
            let name = Name::from(name.to_owned());
            path = Some(path.map_or_else(|| Path::field(name.clone()), |parent| parent.child(name.clone())));
            if !indices.is_empty() {
                let indices = indices.strip_prefix('[')?.strip_suffix(']')?.split("][");
                path = indices.map(index_of).try_fold(path?, |path, index| Some(path.child(index?)));
            }
        }
        path
    }

    /// This path extended by a key.
    #[must_use]
    pub fn child(&self, key: impl Into<PathKey>) -> Path {
        self.as_parent().child(key)
    }

    /// This path as the shared beginning of several longer ones.
    #[must_use]
    pub fn as_parent(&self) -> PathParent {
        PathParent(Arc::new(self.clone()))
    }

    /// The paths of the items of the list that this path names, without end.
    pub fn items(&self) -> impl Iterator<Item = Path> {
        let mut parent = None;
        (0..).map(move |index: usize| parent.get_or_insert_with(|| self.as_parent()).child(index))
    }

    /// The path without its last key; `None` for a field.
    pub fn parent(&self) -> Option<&Path> {
        self.parent.as_deref()
    }

    /// The key of the field.
    pub fn first(&self) -> &PathKey {
        self.parent().map_or(self.last(), Path::first)
    }

    /// The last key.
    pub fn last(&self) -> &PathKey {
        &self.last
    }

    /// All keys, that of the field first.
    pub fn keys(&self) -> Vec<&PathKey> {
        let mut keys = self.parent().map(Path::keys).unwrap_or_default();
        keys.push(self.last());
        keys
    }

    /// Whether this is `other` or extends it.
    pub fn starts_with(&self, other: &Path) -> bool {
        self == other || self.parent().is_some_and(|parent| parent.starts_with(other))
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent() {
            let slash = if matches!(self.last(), PathKey::Name(_)) { "/" } else { "" };
            write!(f, "{parent}{slash}")?;
        }
        write!(f, "{}", self.last())
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_parsed_as_it_is_displayed() {
        for text in ["f", "cpu/f", "logs[0]/topics[1]", "a[12][3]/b/c", "ram/0x1234"] {
            assert_eq!(Path::parse(text).expect(text).to_string(), text);
        }
        let logs = Path::field("logs").child(0).child("topics").child(1);
        assert_eq!(Path::parse("logs[0]/topics[1]"), Some(logs));
        for wrong in [
            "", "/", "a/", "/a", "[0]", "a[", "a[]", "a[x]", "a[0", "a]0[", "a[0]b", "a[-1]", "a[0]]",
            "a[+1]", "a[01]",
        ] {
            assert_eq!(Path::parse(wrong), None, "{wrong}");
        }
    }
}
