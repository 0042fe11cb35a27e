//! `vmconf init`

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

use anyhow::bail;
use clap::Args;
use clap::builder::PossibleValuesParser;
use vmconf::formats::family::BUILT_IN;
use vmconf::machines::MACHINES;
use vmconf::model::Exit;
use vmconf::text::shell::quoted;
use vmconf::text::suggest::did_you_mean;

use super::output;
use super::result_file::ResultFile;
use super::settings::FILE;
use super::unwritten::Unwritten;

/// Write vmconf.toml, an example vector and a CI workflow to this folder
///
/// Example: vmconf init neo3
///
/// Existing files are not replaced: if one of the files exists, nothing is written. The next commands are printed.
#[derive(Debug, Args)]
pub(super) struct InitProject {
    #[arg(value_name = "MACHINE|FAMILY", value_parser = PossibleValuesParser::new(available().map(|it| it.name)),
        help = format!("The machine or family of the example [default: {DEFAULT}; on a terminal, the command asks]"))]
    name: Option<String>,
}

const DEFAULT: &str = "evm";

/// The folder of the example, which is where `vmconf run` finds vectors.
const VECTORS: &str = "vectors";

const WORKFLOW: &str = ".github/workflows/vmconf.yml";

/// What a project for a machine or a family begins with.
#[derive(Clone, Copy)]
struct ProjectStart {
    /// The name of the machine or family.
    name: &'static str,
    /// The case to trace; `None` for a family.
    case: Option<&'static str>,
    /// The example: names and contents of files. Vectors come first.
    files: &'static [(&'static str, &'static str)],
}

/// A row: the name, the case, and files of `docs/examples/formats`.
macro_rules! start {
    ($name:literal, $case:literal, $($file:literal),+) => {
        ProjectStart {
            name: $name,
            case: Some($case),
            files: &[$(($file, include_str!(concat!("../../docs/examples/formats/", $file)))),+],
        }
    };
}

/// A row for each machine.
const STARTS: &[ProjectStart] = &[
    start!("evm", "three-and-four", "vmtests.json"),
    start!("ethereum", "transfer/London/d0g0v0", "statetest.json"),
    start!("neo3", "three and four", "neovm-n3.json"),
    start!("neo2", "three and four", "neovm-2x.json"),
    start!("tinyvm", "three and four", "tinyvm.json", "sum.asm"),
    start!("minic89", "of 21", "minic89.json"),
];

/// What projects begin with, for the machines of this build and for the built-in families.
fn available() -> impl Iterator<Item = ProjectStart> {
    let is_there = |start: &ProjectStart| MACHINES.iter().any(|machine| machine.name == start.name);
    let families = BUILT_IN.iter().map(|family| ProjectStart {
        name: family.name,
        case: None,
        files: std::slice::from_ref(&family.example),
    });
    STARTS.iter().copied().filter(is_there).chain(families)
}

impl InitProject {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let start = self.start()?;
        let files = start.project();
        // A dangling link counts as an existing file: writing would follow it.
        if let Some((path, _)) = files.iter().find(|(path, _)| Path::new(path).symlink_metadata().is_ok()) {
            bail!("{path}: this file exists; vmconf init replaces no file, and wrote nothing");
        }
        let folders = files.iter().flat_map(|(path, _)| Path::new(path).ancestors().skip(1));
        if let Some(path) = folders.filter(|path| path.symlink_metadata().is_ok()).find(|path| !path.is_dir())
        {
            bail!("{}: not a folder; vmconf init wrote nothing", path.display());
        }
        write_all(&files)?;
        let mut out = output::stdout();
        for (path, _) in &files {
            // The files were written even if this cannot be printed, and the next commands work.
            let _ = writeln!(out, "{path}");
        }
        writeln!(out, "\nNext:")?;
        for command in start.next() {
            writeln!(out, "  {command}")?;
        }
        out.flush()?;
        Ok(Exit::Passed)
    }

    fn start(&self) -> anyhow::Result<ProjectStart> {
        let name = match &self.name {
            Some(name) => name.clone(),
            None if io::stdin().is_terminal() && io::stderr().is_terminal() => asked()?,
            None => DEFAULT.to_owned(),
        };
        if let Some(start) = available().find(|start| start.name == name) {
            return Ok(start);
        }
        let hint = did_you_mean(&name, available().map(|start| start.name));
        bail!("unknown machine or family {name}{hint}")
    }
}

/// Asks for the machine or family.
fn asked() -> anyhow::Result<String> {
    let names: Vec<_> = available().map(|start| start.name).collect();
    write!(io::stderr(), "Machines and families: {}\nWhich one? [{DEFAULT}] ", names.join(", "))?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(if line.trim().is_empty() { DEFAULT } else { line.trim() }.to_owned())
}

/// Writes all files. If one of them cannot be written, those before it are removed, so that the command can be
/// repeated.
fn write_all(files: &[(String, String)]) -> Result<(), Unwritten> {
    for (index, (path, text)) in files.iter().enumerate() {
        if let Err(error) = write(path.as_ref(), text) {
            for (written, _) in &files[..index] {
                // If a file cannot be removed, the next `vmconf init` reports that it exists.
                let _ = std::fs::remove_file(written);
            }
            return Err(Unwritten::file(path.as_ref(), error));
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    ResultFile::own(path)?.write_new(&mut text.as_bytes())
}

impl ProjectStart {
    /// The paths and texts of all files.
    fn project(&self) -> Vec<(String, String)> {
        let folder = self.folder();
        let example = |(name, text): &(&str, &str)| (format!("{folder}/{name}"), (*text).to_owned());
        let mut files = vec![(FILE.to_owned(), self.settings()), (WORKFLOW.to_owned(), self.workflow())];
        files.extend(self.files.iter().map(example));
        files
    }

    /// The folder of the example. Some families know their vectors by the name of the folder.
    fn folder(&self) -> String {
        self.case.map_or_else(|| format!("{VECTORS}/{}", self.name), |_| VECTORS.to_owned())
    }

    fn workflow(&self) -> String {
        let repository = env!("CARGO_PKG_REPOSITORY").trim_start_matches("https://github.com/");
        let version = env!("CARGO_PKG_VERSION");
        let (comment, with) = if self.case.is_some() {
            ("      # With `vm`, it runs the vectors on your machine instead of the embedded one.\n", "# ")
        } else {
            ("      # It fails until mine.py, which `vmconf vm init` writes, executes programs.\n", "")
        };
        format!(
            "name: conformance\n\
             on: [push, pull_request]\n\
             permissions: {{ contents: read }}\n\
             jobs:\n  \
               vectors:\n    \
                 runs-on: ubuntu-latest\n    \
                 steps:\n      \
                   - uses: actions/checkout@v4\n{comment}      \
                   - uses: {repository}@v{version}\n        \
                     {with}with: {{ vm: mine=python3 mine.py }}\n"
        )
    }

    fn settings(&self) -> String {
        let family = self.case.map_or_else(|| format!("family = \"{}\"\n", self.name), |_| String::new());
        format!(
            "# Flags of vmconf run, by their names; vmconf config shows which apply.\n\
             [profile.default]\n\
             paths = [\"{VECTORS}\"]\n{family}\n\
             # A machine to test, which --vm mine names:\n\
             # [vm.mine]\n\
             # command = \"python3 mine.py\"\n"
        )
    }

    fn next(&self) -> [String; 3] {
        let ProjectStart { name, case, files } = self;
        match case {
            Some(case) => [
                "vmconf run".to_owned(),
                format!("vmconf trace {}", quoted(&format!("{VECTORS}/{}::{case}", files[0].0))),
                format!("vmconf vm init python mine --machine {name}"),
            ],
            None => [
                "vmconf check".to_owned(),
                format!("vmconf vm init python mine --family {name}"),
                "vmconf run --vm 'mine=python3 mine.py'".to_owned(),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use vmconf::machines::MACHINES;

    use super::{DEFAULT, STARTS, available};

    #[test]
    fn every_machine_has_one_row() {
        // A build without a machine skips the row.
        let rows = STARTS.iter().map(|start| start.name);
        let mut rows: Vec<_> =
            rows.filter(|name| cfg!(feature = "ethereum") || *name != "ethereum").collect();
        let mut machines: Vec<_> = MACHINES.iter().map(|machine| machine.name).collect();
        rows.sort_unstable();
        machines.sort_unstable();
        assert_eq!(rows, machines);
    }

    #[test]
    fn the_default_is_available() {
        assert!(available().any(|start| start.name == DEFAULT));
    }
}
