//! `--vm` in commands, and `[vm.NAME]` in `vmconf.toml`.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::hostile::{SCRIPT, write};
use crate::support::{Ran, at_root, command, ran, timeless};

/// A project with a machine `mine`, which is an embedded one, and `dead`, which does not start.
pub(super) struct Project(TempDir);

impl Project {
    pub(super) fn new() -> Project {
        let project = Project(TempDir::new().unwrap());
        let vmconf = env!("CARGO_BIN_EXE_vmconf");
        let config = format!(
            "[vm.mine]\ncommand = ['{vmconf}', 'serve', 'evm']\nknown = 'known.toml'\n\n\
             [vm.dead]\ncommand = 'no-such-program'\n"
        );
        project.write("vmconf.toml", &config);
        project.write("known.toml", "");
        for (name, from) in [
            ("add.json", "vectors/evm/arithmetic/add.json"),
            ("wrong.json", "tests/samples/vmtests/wrong/storage-value.json"),
        ] {
            fs::copy(at_root(from), project.0.path().join(name)).unwrap();
        }
        project
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(super) fn run(&self, args: &[&str]) -> Ran {
        let mut command = command(args);
        command.current_dir(self.0.path()).env("VMCONF_CACHE", self.0.path().join("cache"));
        ran(command.output().unwrap())
    }

    /// The last line of standard output, and the exit code.
    fn summary(&self, args: &[&str]) -> (String, i32) {
        let Ran { exit, stdout, stderr } = self.run(args);
        (stdout.lines().last().unwrap_or_else(|| panic!("{stderr}")).to_owned(), exit)
    }
}

#[test]
fn a_run_on_a_machine_of_the_configuration() {
    let project = Project::new();
    let (summary, exit) = project.summary(&["run", "--vm", "mine", "add.json", "wrong.json"]);
    assert!(
        summary.ends_with(" 1 failed, 0 errors, 0 skipped in TIME s on mine (vmconf 0.1.0)"),
        "{summary}"
    );
    assert_eq!(exit, 1);
    let known = "[[known]]\nid = \"wrong.json::*\"\nreason = \"not yet\"\n";
    project.write("known.toml", known);
    let (summary, exit) = project.summary(&["run", "--vm", "mine", "add.json", "wrong.json"]);
    assert!(summary.contains(" 0 failed, 1 known, "), "{summary}");
    assert_eq!(exit, 0);
    // The list is that of the machine.
    assert_eq!(project.summary(&["run", "wrong.json"]).1, 1);
}

#[test]
fn errors_of_a_configured_machine() {
    let project = Project::new();
    for (args, exit, expected) in [
        (&["--vm", "mien"][..], 2, "error: --vm: there is no [vm.mien] in vmconf.toml; did you mean mine?\n"),
        (&["--vm", "a="], 2, "error: --vm a=: the command after = is missing\n"),
        (&["--vm", "a='"], 2, "error: --vm a=: a quote is not closed, or nothing follows a backslash\n"),
        (
            &["--vm", "embedded=true"],
            2,
            "error: --vm embedded: this is the name of the machines of vmconf; give yours another one\n",
        ),
        (&["--vm", "=true"], 2, "error: --vm =true: the machine has no name; write NAME=COMMAND\n"),
        (&["--timeout", "1s"], 2, "error: --timeout is for the machine of --vm\n"),
        (&["--vm", "dead"], 3, "error: --vm dead: no-such-program cannot be started: "),
        (&["--vm", "a=false"], 3, "error: --vm a: ended with exit code 1\n"),
        (
            &["--vm", "a=echo hi"],
            3,
            "error: --vm a: wrote a line that is not an answer: it is not JSON: expected value in column 1: \"hi\"\n",
        ),
    ] {
        let Ran { exit: code, stderr, .. } = project.run(&[&["run", "add.json"], args].concat());
        assert!(stderr.starts_with(expected), "{args:?}: {stderr}");
        assert_eq!(code, exit, "{args:?}");
    }
}

/// The instructions are those of the embedded machine, and marked.
#[test]
fn diff_explains_with_the_embedded_machine() {
    let project = Project::new();
    let embedded = project.run(&["diff", "--last", "50", "wrong.json"]);
    let foreign = project.run(&["diff", "--last", "50", "--vm", "mine", "wrong.json"]);
    let mark = "  instructions are those of the embedded evm; its verdict: fail\n";
    assert!(foreign.stdout.contains(mark), "{}", foreign.stdout);
    assert_eq!(foreign.stdout.replace(mark, ""), embedded.stdout);
    assert_eq!((foreign.exit, embedded.exit), (1, 1));
}

#[test]
fn the_cache_has_results_of_each_machine() {
    let project = Project::new();
    let run = |args: &[&str]| project.summary(&[&["run", "--cached", "add.json"], args].concat()).0;
    assert!(!run(&[]).contains("cache"));
    assert!(!run(&["--vm", "mine"]).contains("cache"));
    assert!(run(&["--vm", "mine"]).contains("of them from the cache"));
    let changed = "mine=vmconf serve evm".to_owned();
    assert!(!run(&["--vm", &changed, "--vm-memory", "4000000000"]).contains("cache"));
}

/// If a run cannot begin, the reports of an earlier run are removed. Files that vmconf did not write stay, and after a
/// mistake on the command line all files do.
#[test]
fn a_machine_that_does_not_start_leaves_no_earlier_report() {
    let project = Project::new();
    let run = |more: &[&str]| project.run(&[&["run", "-q", "add.json"], more].concat()).exit;
    let reports = ["--report", "junit=own.xml", "--report", "json=other.txt"];
    assert_eq!(run(&reports[..2]), 0);
    project.write("other.txt", "precious");
    assert_eq!(run(&[&reports[..], &["--vm", "unknown"]].concat()), 2);
    assert!(project.path("own.xml").exists());
    assert_eq!(run(&[&reports[..], &["--vm", "dead"]].concat()), 3);
    assert!(!project.path("own.xml").exists());
    assert_eq!(fs::read_to_string(project.path("other.txt")).unwrap(), "precious");
}

#[test]
fn parts_on_a_machine_are_merged() {
    let project = Project::new();
    for part in ["1", "2"] {
        let partition = format!("slice:{part}/2");
        let report = format!("json={part}.json");
        project.run(&[
            "run",
            "--vm",
            "mine",
            "add.json",
            "wrong.json",
            "--partition",
            &partition,
            "--report",
            &report,
        ]);
    }
    let merged = project.run(&["merge", "1.json", "2.json"]);
    let whole = project.run(&["run", "--vm", "mine", "add.json", "wrong.json"]);
    assert_eq!(timeless(&merged.stdout), timeless(&whole.stdout));
    assert_eq!(merged.exit, 1);
}

#[test]
fn failures_on_a_machine_run_again() {
    let project = Project::new();
    project.run(&["run", "--vm", "mine", "add.json", "wrong.json"]);
    let (summary, _) = project.summary(&["run", "--vm", "mine", "--rerun", "failed"]);
    assert!(summary.starts_with("0 passed, 1 failed, "), "{summary}");
}

/// The list of a machine holds whatever a case does instead of passing, and is strict both ways.
#[test]
fn a_list_contains_crashes_timeouts_and_unsupported_cases() {
    let project = Project::new();
    let inputs = [("passes", 0x00), ("fails", 0x01), ("lacks", 0x02), ("crashes", 0x06), ("hangs", 0x08)];
    write(&project.0.path().join("cases.json"), &inputs);
    let script = at_root(SCRIPT).to_str().unwrap().to_owned();
    let vm = format!("hostile=sh '{script}'");
    let with_vm = |args: &[&str]| project.run(&[args, &["--vm", &vm, "--timeout", "500ms"]].concat());
    let last =
        |args: &[&str]| with_vm(args).stdout.lines().last().unwrap().split(" in ").next().unwrap().to_owned();

    let updated = with_vm(&["known", "update", "list.toml", "cases.json", "--accept", "not yet"]);
    let added = ["fails", "crashes", "hangs"].map(|name| format!("added cases.json::{name}\n")).concat();
    assert_eq!((updated.exit, updated.stdout), (0, added), "{}", updated.stderr);
    let known = fs::read_to_string(project.0.path().join("list.toml")).unwrap();
    let expected = ["evm outcome: success instead of halt", "evm crash: killed by SIGSEGV", "evm timeout"];
    for signature in expected {
        assert!(known.contains(&format!("signature = \"{signature}\"\n")), "{known}");
    }
    let run = ["run", "cases.json", "--known", "list.toml"];
    assert_eq!(last(&run), "1 passed, 0 failed, 3 known, 0 errors, 1 unsupported, 0 skipped");
    assert_eq!(with_vm(&run).exit, 0);

    // A case that is supported or passes again is noticed, and so is one that breaks down in another way.
    let entry = |name: &str, signature: &str| {
        format!("[[known]]\nid = \"cases.json::{name}\"\nsignature = \"{signature}\"\nreason = \"not yet\"\n")
    };
    project.write("list.toml", &entry("lacks", "evm unsupported: no \\\\u{#}[#"));
    let lacks = with_vm(&["run", "cases.json::lacks", "--known", "list.toml", "--report", "json"]);
    let case = lacks.stdout.lines().find(|line| line.contains(r#""type":"case""#)).unwrap();
    assert!(case.contains(r#""unlisted":"unsupported""#), "{case}");
    project.write(
        "list.toml",
        &(entry("hangs", "evm crash: killed by SIGSEGV") + &entry("passes", "evm timeout")),
    );
    let run = with_vm(&["run", "cases.json::hangs", "cases.json::passes", "--known", "list.toml"]);
    assert_eq!(run.exit, 3);
    for line in [
        "  known: list.toml:2:6: fails differently: listed evm crash: killed by SIGSEGV, now evm timeout\n",
        "FIXED cases.json::passes\n",
    ] {
        assert!(run.stdout.contains(line), "{}", run.stdout);
    }
    let updated = with_vm(&["known", "update", "list.toml", "cases.json"]).stdout;
    let changes = "updated cases.json::hangs: evm timeout\nremoved cases.json::passes: it no longer fails\n";
    assert_eq!(updated, changes);
}

/// Instructions of MiniC89 cost no gas.
#[test]
fn a_trace_on_a_machine_has_the_columns_of_its_instructions() {
    let project = Project::new();
    fs::copy(at_root("vectors/minic89/frames.json"), project.path("frames.json")).unwrap();
    let case = project.run(&["list", "frames.json"]).stdout;
    let vm = format!("m='{}' serve minic89", env!("CARGO_BIN_EXE_vmconf"));
    let trace = project.run(&["trace", case.lines().next().unwrap(), "--vm", &vm]).stdout;
    let [heading, first, ..] = trace.lines().collect::<Vec<_>>()[..] else { panic!("{trace}") };
    assert_eq!(heading, "  step  pc    instruction     stack, top first");
    assert!(first.starts_with("     1  "), "{trace}");
}

/// Gas of many digits does not run into the stack.
#[test]
fn the_columns_of_a_trace_are_apart() {
    let project = Project::new();
    let code = ["exec", "evm", "0x602a600100", "--gas", "1000000000000", "--vector", "long.json"];
    assert_eq!(project.run(&code).exit, 0);
    let case = project.run(&["list", "long.json"]).stdout;
    let trace = project.run(&["trace", case.trim_end(), "--vm", "mine"]).stdout;
    let second = trace.lines().nth(2).unwrap();
    assert!(second.ends_with("PUSH1           999999999997  42"), "{trace}");
}

/// A program runs in another process as it does here.
#[test]
fn exec_and_trace_run_on_a_machine() {
    let project = Project::new();
    let code = "0x6003600401600055";
    for (name, args) in
        [("text", &["exec", "evm", code][..]), ("json", &["exec", "evm", code, "--output", "json"])]
    {
        let foreign = project.run(&[args, &["--vm", "mine", "--gas", "50000"]].concat());
        assert_eq!(foreign.stdout, project.run(&[args, &["--gas", "50000"]].concat()).stdout, "{name}");
        assert_eq!(foreign.exit, 0, "{}", foreign.stderr);
    }
    let written = project.run(&["exec", "evm", code, "--vm", "mine", "--vector", "new.json"]);
    assert_eq!((written.exit, project.run(&["run", "new.json"]).exit), (0, 0), "{}", written.stderr);

    let trace = |args: &[&str]| project.run(&[&["trace", "add.json::small", "--vm", "mine"], args].concat());
    let all = trace(&[]).stdout;
    let here = project.run(&["trace", "add.json::small"]).stdout;
    let column = |text: &str| -> Vec<String> {
        let words = text.lines().map(|line| line.split_whitespace().take(3).collect::<Vec<_>>().join(" "));
        words.collect()
    };
    let (foreign, own) = (column(&all), column(&here));
    let steps = foreign.len() - 2;
    assert_eq!((foreign[1..=steps].to_vec(), own.len()), (own[1..=steps].to_vec(), foreign.len()), "{all}");
    assert_eq!(column(&trace(&["--from", "2", "--to", "3"]).stdout)[1..3], foreign[2..4]);
    assert_eq!(column(&trace(&["--last", "2"]).stdout)[1..3], foreign[steps - 1..=steps]);
    let pushes = foreign.iter().filter(|line| line.ends_with(" PUSH1")).count();
    assert_eq!(trace(&["--op", "PUSH1"]).stdout.matches(" PUSH1 ").count(), pushes);

    // What the machine reports is bounded as what runs here.
    let limited = |args: &[&str]| {
        let Ran { exit, stdout, stderr } = trace(args);
        assert_eq!(exit, 3, "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        (column(&stdout), stderr)
    };
    let (shown, why) = limited(&["--max-watched", "2"]);
    assert_eq!(shown, [&foreign[..3], &["the rest is".to_owned()]].concat());
    assert!(why.contains("add.json::small: limit of the runner reached: --max-watched 2; --from"), "{why}");
    let (shown, why) = limited(&["--max-output", "1"]);
    assert_eq!(shown, [&foreign[..2], &["the rest is".to_owned()]].concat());
    assert!(why.contains("limit of the runner reached: --max-output 1; --from"), "{why}");
    // Of the last steps, the newest are kept.
    let line = all.lines().nth(steps).unwrap().len();
    let (shown, _) = limited(&["--last", "2", "--max-output", &(line + 1).to_string()]);
    assert_eq!(shown, [&foreign[..1], &foreign[steps..=steps], &["the rest is".to_owned()]].concat());

    let script = at_root(SCRIPT).to_str().unwrap().to_owned();
    let vm = format!("hostile=sh '{script}'");
    for (args, exit, expected) in [
        (
            &["trace", "add.json::small"][..],
            2,
            "error: --vm hostile does not answer trace requests; without --vm, evm is traced here\n",
        ),
        (
            &["exec", "evm", "0xfe", "--input", "0x05"],
            3,
            "stderr: Traceback\nerror: the machine broke down: ended with exit code 3\n",
        ),
    ] {
        let Ran { exit: code, stderr, .. } = project.run(&[args, &["--vm", &vm]].concat());
        assert_eq!((code, &*stderr), (exit, expected), "{args:?}");
    }
    let json = trace(&["--output", "json"]);
    assert_eq!((json.exit, &*json.stderr), (2, "error: --output json: with --vm only text\n"));
}

/// A machine that is exchanged behind the same command, name and release does not pass from the cache.
#[test]
fn a_cached_result_is_that_of_the_machine_as_it_is() {
    let project = Project::new();
    let cached = |vm: &str| project.run(&["run", "--cached", "--vm", vm, "add.json"]);
    let script = |text: &str| {
        project.write("machine.sh", &format!("#!/bin/sh\n{text}\n"));
    };
    script("exec vmconf serve evm");
    let first = cached("m=sh machine.sh");
    assert!(first.exit == 0 && first.stdout.starts_with("5 passed, "), "{first:?}");
    let again = cached("m=sh machine.sh");
    assert!(again.stdout.contains("(5 of them from the cache)"), "{again:?}");
    // It computes something else now.
    script("sed -u s/60016002/60016003/ | vmconf serve evm");
    let other = cached("m=sh machine.sh");
    assert!(other.exit == 1 && !other.stdout.contains("cache"), "{other:?}");
    // What it starts is not known.
    script("VM=vmconf\nexec $VM serve evm");
    for _ in 0..2 {
        let unknown = cached("m=sh machine.sh");
        let note = "note: --cached: --vm m: machine.sh computes what it starts: all cases run, and nothing is kept; \
                    list the files that results depend on as cache-key in [vm.NAME] of vmconf.toml\n";
        assert!(unknown.exit == 0 && unknown.stderr == note, "{unknown:?}");
        assert!(!unknown.stdout.contains("cache"), "{unknown:?}");
    }
    let config = "[vm.m]\ncommand = [\"sh\", \"machine.sh\"]\ncache-key = [\"built\"]\n";
    project.write("vmconf.toml", config);
    project.write("built", "1");
    cached("m");
    assert!(cached("m").stdout.contains("(5 of them from the cache)"));
    project.write("built", "2");
    assert!(!cached("m").stdout.contains("cache"));
}

/// What is ignored is not asked of a machine.
#[test]
fn a_machine_may_lack_what_is_ignored() {
    let project = Project::new();
    let vm = format!("m=sh -c \"'{}' serve evm | sed -u '1s/.gas.,//'\"", env!("CARGO_BIN_EXE_vmconf"));
    let run = |more: &[&str]| project.run(&[&["run", "add.json", "--vm", &vm], more].concat());
    let lacking = run(&[]);
    assert!(lacking.exit == 4 && lacking.stdout.contains(": no field gas"), "{lacking:?}");
    let ignored = run(&["--ignore", "gas"]);
    assert!(ignored.exit == 0 && ignored.stdout.contains("not compared: gas, "), "{ignored:?}");
}

/// Of the root and the state, of which the root follows, a machine may report one.
#[test]
fn a_state_root_is_computed_or_compared_as_it_is() {
    let project = Project::new();
    let vectors = at_root("vectors/ethereum/memory-price.json");
    let vectors = vectors.to_str().unwrap();
    let run = |name: &str, filter: &str, report: &str| {
        let vm = format!("{name}=sh -c 'vmconf serve ethereum | sed -u {filter}'");
        project.run(&["run", vectors, "--vm", &vm, "--report", report])
    };
    // The fields have other names there, so that neither `hello` nor answers have them.
    let no_root = run("no-root", r#"s/\"root\"/\"other\"/g"#, "text");
    assert!(no_root.exit == 0 && no_root.stdout.starts_with("4 passed, 0 failed, "), "{no_root:?}");
    for report in ["text", "json", "junit", "tap", "github", "markdown", "html"] {
        let no_state = run("no-state", r#"s/\"state\"/\"other\"/g"#, report);
        let said = if report == "json" { r#""notCompared":["state"]"# } else { "not compared" };
        assert!(no_state.exit == 0 && no_state.stdout.contains(said), "{report}: {no_state:?}");
    }
    // What is compared differs.
    let wrong_state = r#"-e s/\"root\"/\"other\"/g -e s/\"nonce\":\"0x1\"/\"nonce\":\"0x2\"/g"#;
    let wrong = run("wrong", wrong_state, "text");
    assert!(wrong.exit == 1 && wrong.stdout.contains(" 4 failed, "), "{wrong:?}");
    let wrong_root = r#"-e s/\"state\"/\"other\"/g -e s/\"root\":\"0x/\"root\":\"0x00/"#;
    let wrong = run("wrong", wrong_root, "text");
    assert!(wrong.exit == 1 && wrong.stdout.contains(": root\n"), "{wrong:?}");
}

/// A machine without a release is no machine whose results are kept, unless files say what it is.
#[test]
fn results_of_a_machine_without_a_release_are_not_cached() {
    let project = Project::new();
    let release = concat!(r#""release":""#, env!("CARGO_PKG_VERSION"), r#"""#);
    let script = format!("#!/bin/sh\nvmconf serve evm | sed -u 's/{release}/\"release\":\"unknown\"/'\n");
    project.write("machine.sh", &script);
    let run = |vm: &str| project.run(&["run", "--cached", "--vm", vm, "add.json"]);
    for _ in 0..2 {
        let ran = run("m=sh machine.sh");
        let note = "note: --cached: --vm m: it reports no release: all cases run, and nothing is kept; ";
        assert!(ran.exit == 0 && ran.stderr.starts_with(note), "{ran:?}");
        assert!(!ran.stdout.contains("cache"), "{ran:?}");
    }
    project.write("vmconf.toml", "[vm.m]\ncommand = \"sh machine.sh\"\ncache-key = [\"machine.sh\"]\n");
    run("m");
    assert!(run("m").stdout.contains("(5 of them from the cache)"));
}

/// The first case of a process is tried again as well: verdicts do not depend on the order of cases.
#[test]
fn a_case_that_crashes_first_is_tried_again() {
    let project = Project::new();
    let serve = "vmconf serve evm";
    let script = format!(
        "read -r hello\necho \"$hello\" | {serve} | sed 's/,\"inFlight\":[0-9]*//'\n\
         read -r request || exit 0\n[ -e tried ] || {{ touch tried; exit 7; }}\n\
         {{ echo \"$hello\"; echo \"$request\"; cat; }} | {serve} | sed -u 1d\n"
    );
    project.write("machine.sh", &script);
    let run = |more: &[&str]| {
        let _ = fs::remove_file(project.0.path().join("tried"));
        project.run(&[&["run", "add.json", "--jobs", "1", "--vm", "m=sh machine.sh"], more].concat())
    };
    let ran = run(&[]);
    assert!(ran.exit == 3 && ran.stdout.contains("4 passed, 0 failed, 1 flaky, 0 errors"), "{ran:?}");
    assert!(ran.stdout.contains("ended with exit code 7"), "{ran:?}");
    let passes = run(&["--flaky", "pass"]);
    assert!(passes.exit == 0 && passes.stdout.contains("5 passed"), "{passes:?}");
}

/// A flaky case is counted apart in every report; `--flaky pass` lets it pass with a note, and it is never kept.
#[test]
fn a_flaky_case_is_detected() {
    let project = Project::new();
    write(&project.0.path().join("cases.json"), &[("before", 0x00), ("breaks", 0x40), ("after", 0x00)]);
    let vm = format!("hostile=sh '{}'", at_root(SCRIPT).display());
    let run = |args: &[&str]| {
        let common = ["run", "cases.json", "--jobs", "1", "--vm", &vm];
        project.run(&[&common[..], args].concat())
    };
    let text = run(&[]);
    assert_eq!(text.exit, 3);
    for part in [
        "FLAKY cases.json::breaks\n  killed by SIGSEGV after 0.",
        " s, and passed alone in a new process\n  stderr: corrupted state\n",
    ] {
        assert!(text.stdout.contains(part), "{text:?}");
    }
    assert!(text.stdout.contains("2 passed, 0 failed, 1 flaky, 0 errors, "), "{text:?}");
    let update = project.run(&["known", "update", "known.toml", "cases.json", "--accept", "x", "--vm", &vm]);
    assert!(
        update.exit == 3 && update.stderr.starts_with("flaky: cases.json::breaks: killed by SIGSEGV"),
        "{update:?}"
    );
    for (report, said) in [
        ("json", r#""verdict":"flaky""#),
        ("json", r#""reason":"killed by SIGSEGV","stderr":"corrupted state\n","firstSeconds":"#),
        ("json", r#""flaky":1,"#),
        ("junit", r#"errors="1""#),
        ("junit", r#"type="flaky""#),
        ("tap", "severity: flaky"),
        ("tap", "1 flaky"),
        ("github", "title=flaky cases.json"),
        ("markdown", "| passed | failed | flaky | errors |"),
        ("html", "1 flaky"),
    ] {
        let ran = run(&["--report", report]);
        assert!(ran.exit == 3 && ran.stdout.contains(said), "{report}: {said}: {ran:?}");
    }
    let passes = run(&["--flaky", "pass", "-vv"]);
    assert!(passes.exit == 0 && passes.stdout.contains("3 passed, "), "{passes:?}");
    let note = "cases.json: breaks: killed by SIGSEGV the first time, and passed alone in a new process";
    assert!((passes.stdout + &passes.stderr).contains(note));
    project.write("vmconf.toml", "[profile.default]\nflaky = \"pass\"\n");
    assert_eq!(run(&[]).exit, 0);
    for _ in 0..2 {
        let cached = run(&["--cached"]);
        assert!(!cached.stdout.contains("3 of them from the cache"), "{cached:?}");
    }
    // In the last run, it was flaky; a list of known failures cannot hold it.
    project.write("vmconf.toml", "");
    run(&[]);
    let listed = project.run(&["list", "cases.json", "-E", "verdict(flaky)"]);
    assert_eq!(listed.stdout, "cases.json::breaks\n");
    project.write("list.toml", "[[known]]\nid = \"cases.json::breaks\"\nreason = \"breaks at times\"\n");
    assert_eq!(run(&["--known", "list.toml"]).exit, 3);
    let matrix = project.run(&["matrix", "cases.json", "--jobs", "1", "--vm", &vm]);
    assert!(matrix.exit == 3 && matrix.stdout.contains("2 passed, 1 flaky\n"), "{matrix:?}");
}

/// What `env` of a machine sets is added to the environment that vmconf has.
#[cfg(unix)]
#[test]
fn a_machine_gets_the_environment_of_its_table() {
    let project = Project::new();
    let serve = env!("CARGO_BIN_EXE_vmconf");
    project.write("says.sh", &format!("echo \"$WORD, $VMCONF_CACHE\" > said\nexec '{serve}' serve evm\n"));
    project.write("vmconf.toml", "[vm.m]\ncommand = 'sh says.sh'\nenv = { WORD = \"a 'b' $c\" }\n");
    let ran = project.run(&["run", "-q", "-j", "1", "--vm", "m", "add.json"]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    let said = fs::read_to_string(project.path("said")).unwrap();
    assert_eq!(said, format!("a 'b' $c, {}\n", project.path("cache").display()));
}
