//! What JSON reports say of the vectors that ran: digests of contents, versions.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::support::validator::Validator;
use crate::support::{at_root, command};

/// A folder with two files of vectors.
fn two_files() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir_all(folder.path().join("vectors/evm")).unwrap();
    for name in ["add", "mul"] {
        let from = at_root(format!("vectors/evm/arithmetic/{name}.json"));
        fs::copy(from, folder.path().join(format!("vectors/evm/{name}.json"))).unwrap();
    }
    folder
}

/// The lines of the report of a run in the folder.
fn report(folder: &Path, args: &[&str]) -> Vec<Json> {
    let mut command = command(&[&["run", "--report", "json"], args].concat());
    let lines = lines(&command.current_dir(folder).env("VMCONF_CACHE", folder).output().unwrap());
    let schema = Validator::named("report");
    for line in &lines {
        schema.assert_accepts(line, "a line");
    }
    lines
}

fn lines(output: &Output) -> Vec<Json> {
    let text = str::from_utf8(&output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The file and the digest of each line that has one.
fn contents(lines: &[Json]) -> Vec<(String, String)> {
    let of =
        |line: &Json| Some((line["file"].as_str()?.to_owned(), line.get("content")?.as_str()?.to_owned()));
    lines.iter().filter_map(of).collect()
}

/// The digest is in the first case of each file. It is a hash of the text, whatever runs of it, packed or not.
#[test]
fn the_first_case_of_a_file_has_its_digest() {
    let folder = two_files();
    let lines = report(folder.path(), &["vectors"]);
    let found = contents(&lines);
    let path = folder.path().join("vectors/evm/add.json");
    let text = fs::read(&path).unwrap();
    let hash = blake3::hash(&text).to_hex()[..32].to_owned();
    assert_eq!(found.len(), 2);
    assert_eq!(found[0], ("vectors/evm/add.json".to_owned(), hash.clone()));
    assert!(lines.len() > 6, "files have several cases: {}", lines.len());
    // The same is said for one case, and of results that are kept.
    let again = report(folder.path(), &["vectors", "--filter", "add.json"]);
    assert_eq!(contents(&again), found[..1]);
    for _ in 0..2 {
        assert_eq!(contents(&report(folder.path(), &["vectors", "--cached"])), found);
    }
    fs::write(&path, [&text[..], b"\n"].concat()).unwrap();
    assert_ne!(contents(&report(folder.path(), &["vectors"]))[0].1, hash);
}

/// Parts of a run together say what the whole says.
#[test]
fn a_merged_report_has_each_digest_once() {
    let folder = two_files();
    let whole = contents(&report(folder.path(), &["vectors"]));
    let parts = ["slice:1/3", "slice:2/3", "slice:3/3"].map(|part| {
        let file = folder.path().join(part.replace([':', '/'], "-"));
        let lines = report(folder.path(), &["vectors", "--partition", part]);
        let lines: Vec<_> = lines.iter().map(Json::to_string).collect();
        fs::write(&file, lines.join("\n") + "\n").unwrap();
        file.display().to_string()
    });
    let args = [&["merge", "--report", "json"][..], &parts.each_ref().map(|part| &**part)].concat();
    let merged = command(&args).current_dir(folder.path()).output().unwrap();
    assert_eq!(contents(&lines(&merged)), whole);
}

/// A case that opens other files has a digest that changes with them.
#[test]
fn files_that_cases_open_are_part_of_the_content() {
    let folder = TempDir::new().unwrap();
    let named = r#"{"name": "named", "instructions": {"file": "a.asm"}, "expect": {"stop": "yield"}}"#;
    let own = r#"{"name": "own", "instructions": ["yield"], "expect": {"stop": "yield"}}"#;
    let text = format!("{{\"machine\": \"tinyvm\", \"tests\": [{own}, {named}, {own}]}}");
    fs::write(folder.path().join("x.json"), &text).unwrap();
    let run = |asm: &str| {
        fs::write(folder.path().join("a.asm"), asm).unwrap();
        let found = contents(&report(folder.path(), &["x.json"]));
        found.into_iter().map(|(_, digest)| digest).collect::<Vec<_>>()
    };
    let (one, other) = (run("yield\n"), run("lw r0, 3\nyield\n"));
    let hash = blake3::hash(text.as_bytes()).to_hex()[..32].to_owned();
    assert_eq!(one.len(), 3, "{one:?}");
    assert!(one[0] == hash && one[2] == hash && one[1] != hash, "{one:?}");
    assert!(other[0] == hash && other[1] != one[1], "{other:?}");
}

/// The version is that of the nearest file `VERSION`, and the commit is read from the files of git.
#[test]
fn versions_come_from_a_file_and_from_git() {
    let folder = two_files();
    let versions = || report(folder.path(), &["vectors"])[0].get("versions").cloned();
    assert_eq!(versions(), None);
    fs::write(folder.path().join("vectors/VERSION"), "1.2.3\nand more\n").unwrap();
    assert_eq!(versions(), Some(json!([{"folder": "vectors/evm", "version": "1.2.3"}])));
    let git = folder.path().join(".git");
    fs::create_dir_all(git.join("refs/heads")).unwrap();
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let commit = "0123456789".repeat(4);
    fs::write(git.join("packed-refs"), format!("# pack-refs\n{commit} refs/heads/main\n")).unwrap();
    let of = |commit: &str| json!([{"folder": "vectors/evm", "version": "1.2.3", "commit": commit}]);
    assert_eq!(versions(), Some(of(&commit)));
    let newer = "9".repeat(40);
    fs::write(git.join("refs/heads/main"), format!("{newer}\n")).unwrap();
    assert_eq!(versions(), Some(of(&newer)));
    // A submodule, of which only a file is there.
    fs::rename(&git, folder.path().join("elsewhere")).unwrap();
    fs::write(&git, "gitdir: elsewhere\n").unwrap();
    assert_eq!(versions(), Some(of(&newer)));
    // What is no version is left out.
    fs::write(folder.path().join("elsewhere/HEAD"), "ref: ../../../etc/passwd\n").unwrap();
    fs::write(folder.path().join("vectors/VERSION"), "1.2\u{1b}[31m\n").unwrap();
    assert_eq!(versions(), None);
}
