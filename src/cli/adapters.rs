//! The adapters for other projects' machines that are part of this program, and where they are installed.

use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::Context;
use toml_edit::{Array, Document, Item, Value};

use super::history;

/// An adapter: its name, its description (`adapter.toml`), and its files: the program, and the lists of all packages
/// that it needs, with their versions and hashes.
pub(super) struct ListedAdapter {
    pub(super) name: &'static str,
    manifest: &'static str,
    files: &'static [AdapterFile],
}

/// The name and the text of a file.
struct AdapterFile(&'static str, &'static str);

/// Generates the rows from the names of the folders and of the files. Several adapters may have the packages of one of
/// them.
macro_rules! adapters {
    ($($name:literal $program:literal $($folder:literal [$($file:literal)*])?;)*) => {
        &[$(ListedAdapter {
            name: $name,
            manifest: include_str!(concat!("../../adapters/", $name, "/adapter.toml")),
            files: &[
                AdapterFile($program, include_str!(concat!("../../adapters/", $name, "/", $program))),
                $($(AdapterFile($file, include_str!(concat!("../../adapters/", $folder, "/", $file))),)*)?
            ],
        },)*]
    };
}

/// The adapters, but for the one for revm: it is a crate, which is built in the repository, since a crate cannot
/// contain the files of another one.
pub(super) const ADAPTERS: &[ListedAdapter] = adapters! {
    "ethereumjs" "adapter.mjs" "ethereumjs" ["package.json" "package-lock.json"];
    "py-evm" "adapter.py" "py-evm" ["requirements.txt"];
    "ethereum-execution" "adapter.py" "ethereum-execution" ["requirements.txt"];
    "neo3vm" "adapter.py" "neo3vm" ["requirements.txt"];
    "node-vm" "adapter.cjs" "node-vm" ["package.json" "package-lock.json"];
    "ethereumjs-statetest" "adapter.mjs" "ethereumjs-statetest" ["package.json" "package-lock.json"];
    "py-evm-statetest" "adapter.py" "py-evm" ["requirements.txt"];
    "ethereum-execution-t8n" "adapter.py" "ethereum-execution" ["requirements.txt"];
    "statetest-command" "adapter.py";
    "eip3155" "adapter.py";
};

/// The file that shows that an adapter is installed: a copy of its description.
const INSTALLED: &str = "installed.toml";

/// What an adapter is and needs.
pub(super) struct AdapterManifest {
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

pub(super) fn by_name(name: &str) -> Option<&'static ListedAdapter> {
    ADAPTERS.iter().find(|adapter| adapter.name == name)
}

impl ListedAdapter {
    /// Its description. Fails when it is not as it should be, which a test rules out.
    pub(super) fn manifest(&self) -> anyhow::Result<AdapterManifest> {
        let document = Document::parse(self.manifest)?;
        let texts = |name: &str| {
            let list = document.get(name).and_then(Item::as_array).and_then(texts);
            list.with_context(|| format!("adapter.toml of {} has no list {name}", self.name))
        };
        let steps = document.get("install").and_then(Item::as_array);
        let steps =
            steps.map(|steps| steps.iter().filter_map(Value::as_array).filter_map(self::texts).collect());
        Ok(AdapterManifest {
            machines: texts("machines")?,
            needs: texts("needs")?,
            packages: texts("packages")?,
            install: steps.unwrap_or_default(),
            command: texts("command")?,
            follows: document.get("follows").and_then(Item::as_str).map(str::to_owned),
        })
    }

    /// The folder that it is installed in. Fails when there is no cache folder.
    pub(super) fn folder(&self) -> anyhow::Result<PathBuf> {
        Ok(history::cache_folder()?.join("adapters").join(self.name))
    }

    /// Whether it is installed, as this program describes it.
    pub(super) fn is_installed(&self) -> bool {
        let Ok(folder) = self.folder() else { return false };
        let has = |name: &str, text: &str| fs::read(folder.join(name)).is_ok_and(|it| it == text.as_bytes());
        has(INSTALLED, self.manifest) && self.files.iter().all(|AdapterFile(name, text)| has(name, text))
    }

    /// Writes its files into its folder, which is then empty but for them.
    pub(super) fn unpack(&self) -> anyhow::Result<PathBuf> {
        let folder = self.folder()?;
        let unpack = || -> io::Result<()> {
            if folder.exists() {
                fs::remove_dir_all(&folder)?;
            }
            fs::create_dir_all(&folder)?;
            self.files.iter().try_for_each(|AdapterFile(name, text)| fs::write(folder.join(name), text))
        };
        unpack().with_context(|| folder.display().to_string())?;
        Ok(folder)
    }

    /// Marks it as installed. Fails when the mark cannot be written.
    pub(super) fn mark(&self) -> anyhow::Result<()> {
        let path = self.folder()?.join(INSTALLED);
        fs::write(&path, self.manifest).with_context(|| path.display().to_string())
    }
}

/// The texts of a list; `None` if it has other items.
fn texts(list: &Array) -> Option<Vec<String>> {
    list.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

pub(super) fn is_on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
