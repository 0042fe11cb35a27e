//! `vmconf vm`: templates, and whether adapters keep to the protocol.

#![allow(clippy::print_stderr, reason = "says which templates cannot run here")]

use std::collections::HashMap;
use std::fs;
use std::process::Command;

use tempfile::TempDir;
use vmconf::machines;
use vmconf::testees::server::Server;
use vmconf::wire::protocol::{Hello, ProtocolAnswer};

use crate::support::skip::{has_python, skip};
use crate::support::{Ran, at_root, command, ran, vmconf};

mod filled;
mod misbehaving;

const ADAPTER: &str = "docs/examples/adapter/mine.py";
const SERVE: &str = env!("CARGO_BIN_EXE_vmconf");

/// Builds the template in Rust with the serde_json that cargo has already fetched for vmconf.
const CARGO: &str = "{ [ -d rust ] || cargo init --quiet --vcs none --name mine rust; } && \
                     cp mine.rs rust/src/main.rs && cd rust && cargo add --quiet --offline serde_json && CARGO_TARGET_DIR=target cargo build --quiet --offline";

/// The points that are wrong.
fn wrong(args: &[&str]) -> (i32, Vec<String>) {
    let Ran { exit, stdout, .. } = vmconf(&[&["vm", "check"], args].concat());
    let lines = stdout.lines().filter_map(|line| line.strip_prefix("WRONG  "));
    (exit, lines.map(|line| line.split(':').next().unwrap().to_owned()).collect())
}

#[test]
fn every_machine_of_ours_keeps_to_the_protocol() {
    for machine in ["evm", "neo3", "neo2", "tinyvm", "minic89"] {
        assert_eq!(wrong(&[SERVE, "serve", machine]), (0, Vec::new()), "{machine}");
    }
}

/// What stands between vmconf and the machine, and what is found.
#[test]
fn violations_of_the_protocol_are_found() {
    let check = |filter: &str, expected: &[&str]| {
        let script = filter.replace("SERVE", &format!("'{SERVE}' serve evm"));
        let (exit, found) = wrong(&["sh", "-c", &script]);
        assert_eq!((exit, found), (1, expected.iter().map(|it| (*it).to_owned()).collect()), "{filter}");
    };
    check("exit 7", &["answers hello"]);
    check("echo ready; SERVE", &["answers with a JSON object in one line", "answers hello with hello"]);
    check(r#"SERVE | sed -u 's/"version":1/"version":2/'"#, &["speaks this version of the protocol"]);
    check(r#"SERVE | sed -u 's/"name":"vmconf"/"name":""/'"#, &["has a name"]);
    check(
        r#"SERVE | sed -u 's/"machine":"evm"/"machine":"evn"/'"#,
        &["implements a machine that vmconf knows"],
    );
    check(r#"SERVE | sed -u 's/"release":"[^"]*"/"release":"unknown"/'"#, &["has a release"]);
    check("SERVE; exit 3", &["ends when its input ends"]);
    check(r#"SERVE | sed -u 's/"execute"/"begin"/'"#, &["performs only known actions"]);
    check(r#"SERVE | sed -u 's/"0x07"/"0x08"/;s/"0x7"/"0x8"/'"#, &["computes what vmconf computes"]);
    check("SERVE | sed -u 's/\"id\":4503599627370496/\"id\":4503599627370497/'", &["repeats a large id"]);
}

/// The adapter of the book: at most 60 lines more than the template.
#[test]
fn a_template_becomes_an_adapter() {
    let folder = TempDir::new().unwrap();
    let run = |args: &[&str]| ran(command(args).current_dir(&folder).output().unwrap());
    run(&["vm", "init", "python", "mine"]);
    let template = fs::read_to_string(folder.path().join("mine.py")).unwrap();
    let adapter = fs::read_to_string(at_root(ADAPTER)).unwrap();
    let added = adapter.lines().filter(|line| !line.is_empty() && !template.lines().any(|it| it == *line));
    assert!(added.count() <= 60);
    if !has_python() {
        return;
    }
    let adapter = at_root(ADAPTER);
    assert_eq!(wrong(&["python3", adapter.to_str().unwrap()]), (0, Vec::new()));
    let vm = format!("mine=python3 '{}'", adapter.display());
    let vectors = at_root("vectors/evm/arithmetic");
    let tried = run(&["run", vectors.to_str().unwrap(), "--vm", &vm]);
    let summary = tried.stdout.lines().last().unwrap();
    let passed: u32 = summary.split(' ').next().unwrap().parse().unwrap();
    assert!(passed >= 20 && summary.contains(" passed, 0 failed, 0 errors, "), "{summary}");
}

#[test]
fn the_templates_work_where_their_language_is_installed() {
    let folder = TempDir::new().unwrap();
    let mut tried = 0;
    // The compiled ones are a toy machine as written.
    let nothing = ["nothing is implemented yet"].as_slice();
    for (language, file, needs, build, run, expected) in [
        ("python", "mine.py", "command -v python3", "true", "python3 mine.py", nothing),
        ("js", "mine.mjs", "command -v node", "true", "node mine.mjs", nothing),
        (
            "c",
            "mine.c",
            "echo '#include <cjson/cJSON.h>' | cc -E -",
            "cc -o mine-c mine.c -lcjson",
            "./mine-c",
            &[],
        ),
        ("rust", "mine.rs", "command -v cargo", CARGO, "rust/target/debug/mine", &[]),
        ("go", "mine.go", "command -v go", "go build -o mine-go mine.go", "./mine-go", &[]),
    ] {
        let made = ran(command(&["vm", "init", language, "mine"]).current_dir(&folder).output().unwrap());
        assert_eq!(made.exit, 0, "{made:?}");
        assert!(made.stdout.starts_with(file), "{made:?}");
        let sh = |line: &str| Command::new("sh").args(["-c", line]).current_dir(&folder).output().unwrap();
        if !sh(needs).status.success() {
            skip(&format!("{needs} fails, so that the template is not run"));
            continue;
        }
        let built = sh(build);
        assert!(built.status.success(), "{language}: {built:?}");
        let args: Vec<_> = ["vm", "check"].into_iter().chain(run.split(' ')).collect();
        let checked = ran(command(&args).current_dir(&folder).output().unwrap());
        let wrong: Vec<_> = checked.stdout.lines().filter(|line| line.starts_with("WRONG")).collect();
        assert_eq!(wrong.len(), expected.len(), "{language}: {checked:?}");
        assert!(wrong.iter().zip(expected).all(|(wrong, expected)| wrong.contains(expected)), "{wrong:?}");
        tried += 1;
    }
    assert!(tried > 0);
    let again = ran(command(&["vm", "init", "c", "mine"]).current_dir(&folder).output().unwrap());
    assert_eq!(again.exit, 2, "a file is not replaced: {again:?}");
    assert_eq!(vmconf(&["vm", "init", "c", "../mine"]).exit, 2);
}

/// A template announces what `vmconf serve` does, and a toy EVM is written for no other machine.
#[test]
fn templates_are_for_the_machine() {
    let folder = TempDir::new().unwrap();
    for machine in ["evm", "ethereum", "neo3", "neo2", "tinyvm", "minic89"] {
        for (language, file) in [("python", "mine.py"), ("js", "mine.mjs")] {
            let args = ["vm", "init", language, "mine", "--machine", machine, "--force"];
            assert_eq!(vmconf_in(&folder, &args).exit, 0, "{language}, {machine}");
            let text = fs::read_to_string(folder.path().join(file)).unwrap();
            let hello = Server::new(machines::by_name(machine).unwrap())
                .answer(br#"{"type":"hello","version":1,"vmconf":"0"}"#);
            let Ok(ProtocolAnswer::Hello(Hello { machines: offers, .. })) = hello else {
                panic!("{hello:?}")
            };
            for name in [&offers[0].fields, &offers[0].actions].into_iter().flatten() {
                assert!(text.contains(&format!("\"{name}\"")), "{language}, {machine}, {name}: {text}");
            }
            assert!(!text.contains("{{"), "{text}");
        }
        for language in ["c", "go", "rust"] {
            let ran = vmconf_in(&folder, &["vm", "init", language, "toy", "--machine", machine, "--force"]);
            let expected = format!("error: {machine}: there are templates in Python and JavaScript only\n");
            let expected = if machine == "evm" { (0, "") } else { (2, &*expected) };
            assert_eq!((ran.exit, &*ran.stderr), expected, "{language}");
        }
    }
}

/// What is there is not replaced, and nothing is written to where a link leads.
#[test]
#[cfg(unix)]
fn a_link_that_leads_nowhere_is_not_followed() {
    let folder = TempDir::new().unwrap();
    std::os::unix::fs::symlink("target", folder.path().join("mine.py")).unwrap();
    let ran = vmconf_in(&folder, &["vm", "init", "python", "mine"]);
    assert_eq!((ran.exit, &*ran.stderr), (2, "error: mine.py: this file exists; --force replaces it\n"));
    assert!(!folder.path().join("target").exists());
    assert_eq!(vmconf_in(&folder, &["vm", "init", "python", "mine", "--force"]).exit, 0);
    assert!(folder.path().join("target").exists());
}

/// The printed commands make a package of any name.
#[test]
#[cfg(unix)]
fn the_package_of_a_template_in_rust_may_have_any_name() {
    if Command::new("cargo").arg("--version").output().is_err() {
        skip("cargo is not installed, so that the packages are not made");
        return;
    }
    let folder = TempDir::new().unwrap();
    for name in ["6502", "test", "serde_json", "fn", "mine"] {
        let made = vmconf_in(&folder, &["vm", "init", "rust", name]);
        let lines: Vec<_> = made.stdout.lines().map(str::trim).collect();
        let [file, build, check] = lines[..] else { panic!("{made:?}") };
        let (package, rest) = build.split_once(" && mv ").unwrap();
        assert!(rest.starts_with(&format!("{file} {name}/src/main.rs && cd {name} && cargo add serde_json")));
        assert_eq!(check, format!("vmconf vm check ./{name}/target/release/adapter"));
        // The rest needs a registry.
        let package = format!("{package} --vcs none");
        let packed = Command::new("sh").args(["-c", &package]).current_dir(&folder).output().unwrap();
        assert!(packed.status.success(), "{name}: {packed:?}");
        let manifest = fs::read_to_string(folder.path().join(name).join("Cargo.toml")).unwrap();
        assert!(manifest.contains("name = \"adapter\""), "{manifest}");
    }
}

fn vmconf_in(folder: &TempDir, args: &[&str]) -> Ran {
    ran(command(args).current_dir(folder).output().unwrap())
}

/// Those of families, whose declarations say what a case gives. Each keeps to the protocol as the one in Python does.
#[test]
fn the_templates_of_families_work_where_their_language_is_installed() {
    let folder = TempDir::new().unwrap();
    let [toy, widths, names] =
        ["toy", "widths", "names"].map(|name| at_root(format!("tests/families/{name}.toml")));
    let declared = [&toy, &widths, &names].map(|path| path.to_str().unwrap());
    let families = [&["z80", "sm83", "m68000", "pvm", "bch", "bitcoin-script"][..], &declared].concat();
    let mut points: HashMap<&str, String> = HashMap::new();
    for (language, needs, build, run) in [
        ("python", "python3", "true", "python3 mine.py"),
        ("js", "node", "true", "node mine.mjs"),
        ("rust", "cargo", CARGO, "rust/target/debug/mine"),
        ("c", "cc", "cc -std=c11 -Wall -Wextra -Werror -o mine-c mine.c", "./mine-c"),
        ("go", "go", "go build -o mine-go mine.go && go vet mine.go", "./mine-go"),
    ] {
        let sh = |line: &str| Command::new("sh").args(["-c", line]).current_dir(&folder).output().unwrap();
        if !sh(&format!("command -v {needs}")).status.success() {
            skip(&format!("there is no {needs}, so that the template for families is not run"));
            continue;
        }
        for family in &families {
            let made = ["vm", "init", language, "mine", "--family", family, "--force"];
            let made = ran(command(&made).current_dir(&folder).output().unwrap());
            assert_eq!(made.exit, 0, "{made:?}");
            let built = sh(build);
            assert!(built.status.success(), "{language}, {family}: {built:?}");
            let check = ["vm", "check", "--family", family].into_iter().chain(run.split(' '));
            let checked = ran(command(&check.collect::<Vec<_>>()).current_dir(&folder).output().unwrap());
            assert_eq!(checked.exit, 0, "{language}, {family}: {checked:?}");
            let expected = points.entry(family).or_insert_with(|| checked.stdout.clone());
            assert_eq!(checked.stdout, *expected, "{language}, {family}");
            if *family == "pvm" {
                // No case passes, since nothing changes.
                let cases = run_unchanged(&folder, (build, run), "families/vectors/pvm", &[]);
                assert_eq!(cases.exit, 1, "{language}: {cases:?}");
            }
            for name in
                ["widths", "names"].into_iter().filter(|name| family.ends_with(&format!("{name}.toml")))
            {
                let vectors = format!("tests/families/{name}.json");
                let cases = run_unchanged(&folder, (build, run), &vectors, &["--family", family]);
                assert!(cases.exit == 0 && cases.stdout.starts_with("2 passed, "), "{language}: {cases:?}");
            }
        }
    }
    assert!(!points.is_empty());
}

/// Runs cases on a template whose actions change nothing: it answers each case with what the case gives, and breaks no
/// rule.
fn run_unchanged(folder: &TempDir, (build, run): (&str, &str), vectors: &str, more: &[&str]) -> Ran {
    let changes = [
        ("mine.py", "raise Unsupported(\"nothing is implemented yet\")", "pass"),
        ("mine.mjs", "throw new Unsupported('nothing is implemented yet')", ""),
        ("mine.rs", "Err(Unsupported(\"nothing is implemented yet\".to_owned()))", "Ok(())"),
        ("mine.c", "return \"nothing is implemented yet\"", "return NULL"),
        ("mine.go", "return unsupported{\"nothing is implemented yet\"}", "return nil"),
    ];
    for (file, unsupported, nothing) in changes {
        let path = folder.path().join(file);
        let Ok(text) = fs::read_to_string(&path) else { continue };
        fs::write(&path, text.replace(unsupported, nothing)).unwrap();
    }
    let built = Command::new("sh").args(["-c", build]).current_dir(folder).output().unwrap();
    assert!(built.status.success(), "{built:?}");
    let vectors = at_root(vectors).display().to_string();
    let vm = format!("mine={run}");
    vmconf_in(folder, &[&["run", &vectors, "--vm", &vm], more].concat())
}

/// The variable `PATH` with programs in this folder that stand in for node and npm.
#[cfg(unix)]
fn path_with_npm(folder: &std::path::Path) -> String {
    use std::os::unix::fs::PermissionsExt;

    let bin = folder.join("bin");
    fs::create_dir(&bin).unwrap();
    let serve =
        format!("#!/bin/sh\n[ \"$1\" = adapter.mjs ] && [ -d node_modules ] && exec '{SERVE}' serve evm\n");
    let npm = "#!/bin/sh\necho \"$@\" >>../../../npm.log\nmkdir node_modules\n".to_owned();
    for (name, text) in [("node", serve), ("npm", npm)] {
        fs::write(bin.join(name), text).unwrap();
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    format!("{}:{}", bin.display(), std::env::var("PATH").unwrap())
}

/// In a terminal, which `script` of util-linux provides, an answer other than yes installs nothing.
#[test]
#[cfg(target_os = "linux")]
fn an_installation_in_a_terminal_asks() {
    use std::io::Write as _;
    use std::process::Stdio;

    use crate::support::ended;

    if !Command::new("script").arg("--version").output().is_ok_and(|it| it.status.success()) {
        skip("no script command is installed");
        return;
    }
    for (answer, exit) in [("n\n", 4), ("\n", 4), ("y\n", 0)] {
        let folder = TempDir::new().unwrap();
        let cache = folder.path().join("cache");
        let mut script = Command::new("script");
        script.args(["-qec", &format!("'{SERVE}' vm install ethereumjs"), "/dev/null"]);
        script.env("PATH", path_with_npm(folder.path())).env("VMCONF_CACHE", &cache).env("SHELL", "/bin/sh");
        script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = script.spawn().unwrap();
        child.stdin.as_ref().unwrap().write_all(answer.as_bytes()).unwrap();
        let input = child.stdin.take();
        let ran = ended(child);
        drop(input);
        assert!(ran.exit == exit && ran.stdout.contains("npm ci "), "{answer:?}: {ran:?}");
        assert!(ran.stdout.contains("Install? [y,n] "), "{answer:?}: {ran:?}");
        assert_eq!(cache.join("adapters/ethereumjs/node_modules").exists(), exit == 0, "{answer:?}");
    }
}

/// An adapter of the box is installed with the ordinary package client, here one that stands in for npm, into a folder
/// of its own, and cases then run on it. The cache that has the folder is named by a relative path.
#[test]
#[cfg(unix)]
fn an_adapter_is_installed_and_runs() {
    let folder = TempDir::new().unwrap();
    let path = path_with_npm(folder.path());
    let cache = folder.path().join("cache");
    let run = |args: &[&str]| {
        let mut command = command(args);
        command.current_dir(folder.path()).env("VMCONF_CACHE", "cache").env("PATH", &path);
        ran(command.output().unwrap())
    };
    let vectors = at_root("vectors/evm/arithmetic/add.json");
    let vectors = vectors.to_str().unwrap();
    let before = run(&["run", vectors, "--vm", "ethereumjs"]);
    let told = "error: --vm ethereumjs: it is not installed; vmconf vm install ethereumjs does that\n";
    assert_eq!((before.exit, &*before.stderr), (2, told));
    // Nothing happens without a yes, and what would is printed.
    let asked = run(&["vm", "install", "ethereumjs"]);
    assert!(asked.exit == 2 && asked.stdout.contains("\n  npm ci "), "{asked:?}");
    assert!(!cache.join("adapters").exists());
    let installed = run(&["vm", "install", "ethereumjs", "--yes"]);
    assert_eq!(installed.exit, 0, "{installed:?}");
    let log = fs::read_to_string(folder.path().join("npm.log")).unwrap();
    assert!(log.starts_with("ci ") && log.contains("--ignore-scripts"), "{log}");
    let lock = fs::read(cache.join("adapters/ethereumjs/package-lock.json")).unwrap();
    assert_eq!(lock, fs::read(at_root("adapters/ethereumjs/package-lock.json")).unwrap());
    let after = run(&["run", vectors, "--vm", "ethereumjs"]);
    assert!(after.exit == 0 && after.stdout.starts_with("5 passed, "), "{after:?}");
    let listed = run(&["vm", "list"]).stdout;
    let line = listed.lines().find(|line| line.starts_with("ethereumjs ")).unwrap();
    assert!(line.ends_with("  installed"), "{listed}");
    // An installation of another version is none.
    fs::write(cache.join("adapters/ethereumjs/installed.toml"), "").unwrap();
    assert_eq!(run(&["run", vectors, "--vm", "ethereumjs"]).exit, 2);
    assert_eq!(run(&["vm", "install", "no-such-adapter"]).exit, 2);
}

/// What adapters of the box name as their packages is what the lists of all packages contain, each package with its
/// version and with hashes. Nothing else is installed: the clients are told to refuse what is not in the list.
#[test]
fn embedded_adapters_are_pinned_with_hashes() {
    let mut checked = 0;
    for entry in fs::read_dir(at_root("adapters")).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(text) = fs::read_to_string(folder.join("adapter.toml")) else { continue };
        let document: toml_edit::DocumentMut = text.parse().unwrap();
        let packages = document["packages"].as_array().unwrap().iter().map(|it| it.as_str().unwrap());
        for package in packages {
            if let Some((name, version)) = package.split_once("==") {
                assert!(text.contains("\"--require-hashes\""), "{package}");
                let list = at_root("adapters").join(name).join("requirements.txt");
                assert_pinned_by_pip(&fs::read_to_string(list).unwrap(), name, version);
            } else {
                assert!(text.contains("\"npm\", \"ci\""), "{package}");
                let list = fs::read_to_string(folder.join("package-lock.json")).unwrap();
                assert_pinned_by_npm(&serde_json::from_str(&list).unwrap(), package);
            }
            checked += 1;
        }
    }
    assert_eq!(checked, 8);
}

fn assert_pinned_by_pip(list: &str, name: &str, version: &str) {
    let joined = list.replace("\\\n", " ");
    let lines: Vec<_> = joined.lines().filter(|line| !line.starts_with('#')).collect();
    let first = format!("{name}=={version} ");
    assert!(lines.iter().any(|line| line.starts_with(&first)), "{first}");
    for line in lines {
        assert!(line.contains("==") && line.contains("--hash=sha256:"), "{line}");
    }
}

fn assert_pinned_by_npm(list: &serde_json::Value, package: &str) {
    let (name, version) = package.rsplit_once('@').unwrap();
    let packages = list["packages"].as_object().unwrap();
    assert_eq!(packages[&format!("node_modules/{name}")]["version"], version);
    for (path, package) in packages.iter().filter(|(path, _)| !path.is_empty()) {
        let hash = package["integrity"].as_str().unwrap_or_default();
        assert!(hash.starts_with("sha512-") && package["version"].is_string(), "{path}");
    }
}
