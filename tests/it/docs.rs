//! The README and the book: what they show is run and compared, and what they link to is there.
//!
//! A block marked `console` has commands after `$ `, each followed by what it prints on both streams. A
//! line `...` stands for any lines and `[..]` for any characters; the time of a summary is not compared.
//! A command exits with 0 unless it ends in `# exit code N`. Those of a page run one after the other in
//! one copy of `docs/examples`, beside `vectors`. A block that names a file after `file=` is that file of
//! `docs/examples`. `VMCONF_DOCS=update` writes what commands print and what files say into the pages.

mod ci;
pub(crate) mod links;
mod markdown;
mod transcript;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use imara_diff::{Algorithm, BasicLineDiffPrinter, Diff, InternedInput, UnifiedDiffConfig};
use tempfile::TempDir;

use crate::support::{at_root, files, relative, vmconf};
use vmconf::formats::FORMATS;
use vmconf::formats::family::BUILT_IN;
use vmconf::machines::MACHINES;

/// The README and every page of the book.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![at_root("README.md")];
    pages.extend(files("docs/src", "md"));
    pages
}

/// The project's folder as the commands of a page see it, with a cache of its own.
struct Scratch {
    folder: TempDir,
    cache: TempDir,
}

impl Scratch {
    /// With these vectors of the project as its own, which no command changes.
    fn new(vectors: &str) -> Scratch {
        let scratch = Scratch { folder: TempDir::new().unwrap(), cache: TempDir::new().unwrap() };
        copy(&at_root("docs/examples"), &scratch.folder.path().join("docs/examples"));
        // No symbolic link: ids name the file that one leads to.
        link(&at_root(vectors), &scratch.folder.path().join("vectors"));
        scratch
    }

    /// Runs a line of a shell in which `vmconf` is the one under test; both streams, and the exit code.
    fn sh(&self, line: &str, environment: &[(&str, &str)]) -> (String, i32) {
        let program = Path::new(env!("CARGO_BIN_EXE_vmconf")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1\n{line}")])
            .current_dir(&self.folder)
            .env_clear()
            .env("PATH", path)
            .env("VMCONF_CACHE", self.cache.path())
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
    }
}

/// Copies of files that nothing changes, which share their bytes where the file system can.
fn link(from: &Path, to: &Path) {
    each_file(from, to, |from, to| fs::hard_link(from, to).or_else(|_| fs::copy(from, to).map(drop)));
}

fn copy(from: &Path, to: &Path) {
    each_file(from, to, |from, to| fs::copy(from, to).map(drop));
}

fn each_file(from: &Path, to: &Path, make: fn(&Path, &Path) -> std::io::Result<()>) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.unwrap();
        let to = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(to).unwrap();
        } else {
            make(entry.path(), &to).unwrap();
        }
    }
}

#[test]
fn the_pages_show_what_commands_print_and_files_say() {
    let update = std::env::var("VMCONF_DOCS").is_ok_and(|it| it == "update");
    let mut differences = String::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let actual = transcript::replay(&text, &Scratch::new("vectors"));
        if actual == text {
            continue;
        }
        if update {
            fs::write(&page, &actual).unwrap();
        }
        differences += &["--- ", &*relative(&page), "\n+++ actual\n", &*difference(&text, &actual)].concat();
    }
    assert!(
        differences.is_empty() || update,
        "VMCONF_DOCS=update writes this into the pages:\n{differences}"
    );
}

/// The hunks of a unified diff.
fn difference(text: &str, actual: &str) -> String {
    let input = InternedInput::new(text, actual);
    let diff = Diff::compute(Algorithm::Histogram, &input);
    diff.unified_diff(&BasicLineDiffPrinter(&input.interner), UnifiedDiffConfig::default(), &input)
        .to_string()
}

#[test]
fn the_readme_fits_and_names_every_command_and_exit_code() {
    let readme = fs::read_to_string(at_root("README.md")).unwrap();
    assert!(readme.lines().count() <= 180, "{} lines", readme.lines().count());
    for command in ["cargo run --release -- run\n", "cargo test\n"] {
        assert!(readme.contains(command), "{command}");
    }
    for name in crate::completions::commands() {
        assert!(name == "help" || readme.contains(&format!(" [`{name}`](")), "{name}");
    }
    let help = vmconf(&["--help"]).stdout;
    let codes = help.split_once("Exit codes:\n").unwrap().1;
    let codes: Vec<_> = codes.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(codes, ["0", "1", "2", "3", "4", "130"]);
    let page = fs::read_to_string(at_root("docs/src/exit-codes.md")).unwrap();
    for text in [readme, page] {
        let rows = text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
        let rows: Vec<_> = rows.filter(|cell| cell.parse::<u8>().is_ok()).collect();
        assert_eq!(rows, codes);
    }
}

/// The first page of the book has a row for each machine, with a link to each of its formats.
#[test]
fn the_introduction_names_every_machine_and_format() {
    let page = fs::read_to_string(at_root("docs/src/introduction.md")).unwrap();
    for machine in MACHINES {
        let start = format!("| `{}` | ", machine.name);
        let row = page.lines().find(|line| line.starts_with(&start));
        let row = row.unwrap_or_else(|| panic!("no row of {}", machine.name));
        for format in FORMATS.iter().filter(|format| format.machine == machine.name) {
            assert!(row.contains(&format!("[`{0}`](formats/{0}.md)", format.name)), "{row}");
        }
    }
}

/// Each built-in family has a row of the list, which links to a page whose title names it.
#[test]
fn every_built_in_family_has_a_page() {
    let text = |path: &str| fs::read_to_string(at_root("docs/src").join(path)).unwrap();
    let list = text("families.md");
    for built_in in BUILT_IN {
        let name = format!("`{}`", built_in.name);
        let row = list.lines().find(|line| line.starts_with("| [") && line.contains(&name));
        let row = row.unwrap_or_else(|| panic!("the list has no row of {name}"));
        let page = row.split_once("](").and_then(|(_, link)| link.split_once(')')).unwrap().0;
        let page = text(page);
        let title = page.lines().next().unwrap().strip_prefix("# ").unwrap();
        let named = title.split(": ").next().unwrap();
        assert!(named.split(", ").any(|it| it == built_in.name), "{name}: {title}");
    }
}

/// The two pictures show what `vmconf diff` prints of the example of the README.
#[test]
fn the_picture_is_what_diff_prints() {
    let diff = vmconf(&["diff", "docs/examples/transfer.json"]).stdout;
    for name in ["failure-light.svg", "failure-dark.svg"] {
        let picture = fs::read_to_string(at_root("docs").join(name)).unwrap();
        let picture = roxmltree::Document::parse(&picture).unwrap();
        let line = |node: roxmltree::Node<'_, '_>| {
            let spans = node.descendants().filter(roxmltree::Node::is_text);
            spans.filter_map(|span| span.text()).collect::<String>().replace('\u{a0}', " ")
        };
        let lines: Vec<_> =
            picture.descendants().filter(|node| node.has_tag_name("text")).map(line).collect();
        let command = "$ vmconf diff docs/examples/transfer.json";
        let expected: Vec<_> = std::iter::once(command).chain(diff.lines()).collect();
        assert_eq!(lines, expected, "docs/make-picture makes {name} anew");
    }
}
