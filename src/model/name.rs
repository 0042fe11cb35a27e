//! Names of types, fields and members.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A name that is cheap to clone. A name from vmconf's own tables takes no allocation; clones of one read
/// from input share it. Names are equal if their texts are.
#[derive(Clone)]
pub struct Name(NameText);

#[derive(Clone)]
enum NameText {
    Static(&'static str),
    Shared(Arc<String>),
}

// Every key and every typed value holds a name. An `Arc<str>` would make names larger.
const _: () = assert!(size_of::<Name>() == size_of::<&str>());

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            NameText::Static(text) => text,
            NameText::Shared(text) => text,
        }
    }
}

impl From<&'static str> for Name {
    fn from(text: &'static str) -> Name {
        Name(NameText::Static(text))
    }
}

impl From<String> for Name {
    fn from(text: String) -> Name {
        Name(NameText::Shared(Arc::new(text)))
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        *self == **other
    }
}

impl Eq for Name {}

impl PartialEq<str> for Name {
    /// Most names that differ do so in the first byte, and comparing the rest of a text is a call.
    fn eq(&self, other: &str) -> bool {
        self.as_bytes().first() == other.as_bytes().first() && **self == *other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Name) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        self
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &**self)
    }
}
