//! Keeps the last file whose cases were selected by name, since the next source mostly selects other cases of it.

use std::collections::HashMap;
use std::sync::Arc;

use super::load::{LoadedFile, load};
use super::options::LoadOptions;
use super::source::{VectorSource, case_in};

/// The file that was loaded last, if some of its cases were selected by name: it is not read again for others of them.
#[derive(Default)]
pub(super) struct LastFile<'s>(Option<FileOfNames<'s>>);

/// A file with all its cases.
struct FileOfNames<'s> {
    file: LoadedFile<'s>,
    /// The indices of the cases, by the parts of their ids after the file.
    indices: HashMap<String, Vec<usize>>,
}

impl<'s> LastFile<'s> {
    /// Loads a file with the cases that the source selects. The options are always the same.
    pub(super) fn load(&mut self, source: Arc<VectorSource>, options: &'s LoadOptions) -> LoadedFile<'s> {
        let last = self.0.take().filter(|last| last.is_of(&source));
        let Some(only) = &source.only else { return load(source, None, options) };
        let last = self.0.insert(last.unwrap_or_else(|| FileOfNames::load(&source, options)));
        let found = only.iter().filter_map(|name| last.indices.get(name));
        let mut indices: Vec<_> = found.flatten().copied().collect();
        // In the order of the file.
        indices.sort_unstable();
        last.file.with(source.clone(), &indices)
    }
}

impl<'s> FileOfNames<'s> {
    fn load(source: &VectorSource, options: &'s LoadOptions) -> FileOfNames<'s> {
        let whole = VectorSource { only: None, ..source.clone() };
        let file = load(Arc::new(whole), None, options);
        let mut indices: HashMap<_, Vec<_>> = HashMap::new();
        for (index, id) in file.ids().enumerate() {
            if let Some(name) = case_in(&id.to_string(), &source.shown) {
                indices.entry(name.to_owned()).or_default().push(index);
            }
        }
        FileOfNames { file, indices }
    }

    /// Whether a source is of this file.
    fn is_of(&self, source: &VectorSource) -> bool {
        let whole = self.file.source();
        (&whole.path, &whole.shown, whole.origin) == (&source.path, &source.shown, source.origin)
    }
}
