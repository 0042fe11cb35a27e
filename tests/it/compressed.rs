//! Vector files that are compressed with gzip.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;

use crate::support::{at_root, command, ran, shown, vmconf};

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A folder with a compressed file of vectors.
fn folder(name: &str, bytes: &[u8]) -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join(name), bytes).unwrap();
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Verdicts and positions are those of the file that is not compressed.
#[test]
fn a_compressed_file_is_read_as_the_text_it_has() {
    let plain = at_root("tests/samples/tinyvm/wrong/third-test-fails.json");
    let vectors = std::fs::read(&plain).unwrap();
    let folder = folder("third-test-fails.json.gz", &packed(&vectors));
    for command in ["run", "list", "check", "diff", "audit"] {
        let read = |path: &Path| {
            let ran = vmconf(&[command, text(path)]);
            let at = shown(path.parent().unwrap());
            let root = at_root("").display().to_string();
            let stable = |text: &str| {
                let text = text
                    .replace(&format!("{at}/"), "")
                    .replace("third-test-fails.json.gz", "third-test-fails.json");
                text.replace(&root, "").replace("tests/samples/tinyvm/wrong/", "")
            };
            (
                ran.exit,
                stable(&ran.stdout)
                    .lines()
                    .filter(|line| !line.contains(" in "))
                    .map(str::to_owned)
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(read(&folder.path().join("third-test-fails.json.gz")), read(&plain), "{command}");
    }
    // Found in a folder, too, and written by nobody.
    let listed = vmconf(&["list", text(folder.path())]);
    assert_eq!(listed.exit, 0, "{listed:?}");
    let blessed = vmconf(&["bless", text(folder.path()), "--yes"]);
    assert!(blessed.stderr.contains("files that are compressed are only read"), "{blessed:?}");
    assert_eq!(std::fs::read(folder.path().join("third-test-fails.json.gz")).unwrap(), packed(&vectors));
}

/// Each error names the file.
#[test]
fn what_is_not_compressed_damaged_or_too_large_is_an_error() {
    let zeros = packed(&vec![b' '; 1 << 20]);
    let short = packed(b"[]");
    let cases: [(&[u8], &str); 3] = [
        (b"{}", "named .gz, but not compressed with gzip"),
        (&short[..short.len() - 9], "it is damaged"),
        (&zeros, "unpacked, larger than 100000 bytes (--max-file-size)"),
    ];
    for (bytes, what) in cases {
        let folder = folder("some.json.gz", bytes);
        let ran = vmconf(&["run", text(folder.path()), "--max-file-size", "100000"]);
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(ran.exit == 3 && all.contains("some.json.gz") && all.contains(what), "{what}: {ran:?}");
    }
}

/// Parts of a run are merged to the same report, with the lines of the vectors.
#[test]
fn reports_of_parts_show_the_lines_of_a_compressed_file() {
    let vectors = std::fs::read(at_root("tests/samples/tinyvm/wrong/third-test-fails.json")).unwrap();
    let folder = folder("third-test-fails.json.gz", &packed(&vectors));
    let vmconf = |args: &[&str]| ran(command(args).current_dir(folder.path()).output().unwrap());
    let text =
        |stdout: String| stdout.lines().filter(|it| !it.contains(" in ")).collect::<Vec<_>>().join("\n");
    let whole = text(vmconf(&["run", "third-test-fails.json.gz", "--group", "symptom"]).stdout);
    assert!(whole.contains(" | "), "{whole}");
    for part in ["1", "2"] {
        let (slice, report) = (format!("slice:{part}/2"), format!("json={part}.jsonl"));
        vmconf(&["run", "third-test-fails.json.gz", "--partition", &slice, "--report", &report]);
    }
    assert_eq!(text(vmconf(&["merge", "1.jsonl", "2.jsonl"]).stdout), whole);
}

/// What is wrong in a compressed file is not fixed: its text would take the place of the compressed bytes.
#[test]
fn a_compressed_file_is_not_fixed() {
    let vectors = std::fs::read_to_string(at_root("docs/examples/sum-of-squares.json")).unwrap();
    let bytes = packed(format!("// a comment\n{vectors}").as_bytes());
    let folder = folder("sums.json.gz", &bytes);
    let path = folder.path().join("sums.json.gz");
    let fixed = vmconf(&["check", "--fix", text(&path)]);
    assert!(fixed.stderr.contains("not fixed: files that are compressed are only read"), "{fixed:?}");
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    let checked = vmconf(&["check", text(&path)]);
    assert!(checked.stdout.contains("; 0 fixable") && !checked.stdout.contains("--fix"), "{checked:?}");
    let sarif = vmconf(&["check", text(&path), "--output", "sarif"]).stdout;
    assert!(sarif.contains("ruleId") && !sarif.contains("replacements"), "{sarif}");
}

/// Also a file that its format knows by its name.
#[test]
fn a_compressed_file_keeps_its_name() {
    let drivers = at_root("vectors/tinyvm/drivers");
    let folder = TempDir::new().unwrap();
    let tests = folder.path().join("tests");
    std::fs::create_dir(&tests).unwrap();
    for entry in std::fs::read_dir(&drivers).unwrap().chain(std::fs::read_dir(drivers.join("tests")).unwrap())
    {
        let path = entry.unwrap().path();
        let into = if path.parent() == Some(&*drivers) { folder.path() } else { &tests };
        if path.is_file() && path.file_name().is_some_and(|name| name != "testcases.json") {
            std::fs::copy(&path, into.join(path.file_name().unwrap())).unwrap();
        }
    }
    let list = std::fs::read(drivers.join("tests/testcases.json")).unwrap();
    std::fs::write(tests.join("testcases.json.gz"), packed(&list)).unwrap();
    let [plain, compressed] =
        [&*drivers, folder.path()].map(|it| vmconf(&["list", text(it), "--counts"]).stdout);
    let count = |counts: &str| counts.split_whitespace().find_map(|word| word.parse::<u32>().ok());
    assert!(count(&plain).is_some_and(|count| count > 1), "{plain}");
    assert_eq!(count(&plain), count(&compressed), "{compressed}");
}
