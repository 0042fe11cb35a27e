//! The adapters for other projects' machines that are part of this program, and where they are installed.

use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::Context;
use toml_edit::{Array, Document, Item, Value};

use super::history;

/// An adapter: its name, its description (`adapter.toml`), and its program with the name of the file.
pub(super) struct Adapter {
    pub(super) name: &'static str,
    manifest: &'static str,
    file: &'static str,
    program: &'static str,
}

/// Generates the rows from the names of the folders and of the programs.
macro_rules! adapters {
    ($($name:literal $file:literal;)*) => {
        &[$(Adapter {
            name: $name,
            manifest: include_str!(concat!("../../adapters/", $name, "/adapter.toml")),
            file: $file,
            program: include_str!(concat!("../../adapters/", $name, "/", $file)),
        },)*]
    };
}

/// All adapters of one file. The one for revm is a program in Rust, which is built in the repository.
pub(super) const ADAPTERS: &[Adapter] = adapters! {
    "ethereumjs" "adapter.mjs";
    "py-evm" "adapter.py";
    "ethereum-execution" "adapter.py";
    "neo3vm" "adapter.py";
    "node-vm" "adapter.cjs";
    "ethereumjs-statetest" "adapter.mjs";
    "py-evm-statetest" "adapter.py";
    "ethereum-execution-t8n" "adapter.py";
    "statetest-command" "adapter.py";
    "eip3155" "adapter.py";
};

/// The file that shows that an adapter is installed: a copy of its description.
const INSTALLED: &str = "installed.toml";

/// What an adapter is and needs.
pub(super) struct Manifest {
    /// The machines of vmconf that it implements.
    pub(super) machines: Vec<String>,
    /// Programs that must be on the path.
    pub(super) needs: Vec<String>,
    /// The packages that are installed, with their versions.
    pub(super) packages: Vec<String>,
    /// The commands that install it, in its folder.
    pub(super) install: Vec<Vec<String>>,
    /// The command that starts it, in its folder.
    pub(super) command: Vec<String>,
    /// What the user adds to the command; such an adapter is not installed.
    pub(super) follows: Option<String>,
}

/// The adapter of this name.
pub(super) fn by_name(name: &str) -> Option<&'static Adapter> {
    ADAPTERS.iter().find(|adapter| adapter.name == name)
}

impl Adapter {
    /// Its description.
    ///
    /// # Errors
    ///
    /// When it is not as it should be, which a test rules out.
    pub(super) fn manifest(&self) -> anyhow::Result<Manifest> {
        let document = Document::parse(self.manifest)?;
        let texts = |name: &str| {
            let list = document.get(name).and_then(Item::as_array).and_then(texts);
            list.with_context(|| format!("adapter.toml of {} has no list {name}", self.name))
        };
        let steps = document.get("install").and_then(Item::as_array);
        let steps =
            steps.map(|steps| steps.iter().filter_map(Value::as_array).filter_map(self::texts).collect());
        Ok(Manifest {
            machines: texts("machines")?,
            needs: texts("needs")?,
            packages: texts("packages")?,
            install: steps.unwrap_or_default(),
            command: texts("command")?,
            follows: document.get("follows").and_then(Item::as_str).map(str::to_owned),
        })
    }

    /// The folder that it is installed in.
    ///
    /// # Errors
    ///
    /// When there is no cache folder.
    pub(super) fn folder(&self) -> anyhow::Result<PathBuf> {
        let cache = history::cache_folder().context("there is no cache folder; VMCONF_CACHE names one")?;
        Ok(cache.join("adapters").join(self.name))
    }

    /// Whether it is installed, as this program describes it.
    pub(super) fn is_installed(&self) -> bool {
        let installed = self.folder().ok().and_then(|folder| fs::read_to_string(folder.join(INSTALLED)).ok());
        installed.is_some_and(|text| text == self.manifest)
    }

    /// Writes its program into its folder, which is then empty but for it.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub(super) fn unpack(&self) -> anyhow::Result<PathBuf> {
        let folder = self.folder()?;
        let unpack = || -> io::Result<()> {
            if folder.exists() {
                fs::remove_dir_all(&folder)?;
            }
            fs::create_dir_all(&folder)?;
            fs::write(folder.join(self.file), self.program)
        };
        unpack().with_context(|| folder.display().to_string())?;
        Ok(folder)
    }

    /// Marks it as installed.
    ///
    /// # Errors
    ///
    /// When the mark cannot be written.
    pub(super) fn mark(&self) -> anyhow::Result<()> {
        let path = self.folder()?.join(INSTALLED);
        fs::write(&path, self.manifest).with_context(|| path.display().to_string())
    }
}

/// The texts of a list; `None` if it has other items.
fn texts(list: &Array) -> Option<Vec<String>> {
    list.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

/// Whether a program is on the path.
pub(super) fn is_on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
