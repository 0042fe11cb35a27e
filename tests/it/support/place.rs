//! Where a test that caches results runs the program.

use std::fs;

use tempfile::TempDir;

use super::{Ran, at_root, command, ran};

/// A vector with cases of ADD.
pub(crate) const ADD: &str = "vectors/evm/arithmetic/add.json";

/// The text of [`ADD`].
pub(crate) fn add() -> String {
    fs::read_to_string(at_root(ADD)).unwrap()
}

/// A cache of its own, and a folder with vectors.
pub(crate) struct Place {
    pub(crate) cache: TempDir,
    pub(crate) vectors: TempDir,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place { cache: TempDir::new().unwrap(), vectors: TempDir::new().unwrap() }
    }

    /// In the folder, a file with this text.
    pub(crate) fn with(self, name: &str, text: &str) -> Place {
        self.write(name, text);
        self
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.vectors.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Executes the program in the folder.
    pub(crate) fn vmconf(&self, subcommand: &str, args: &[&str]) -> Ran {
        let mut command = command(&[&[subcommand], args].concat());
        command.env("VMCONF_CACHE", self.cache.path()).current_dir(self.vectors.path());
        ran(command.output().unwrap())
    }
}
