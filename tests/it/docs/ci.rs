//! The files of docs/examples/ci: their commands, with the variables that each scheduler sets, are one run.

use std::fs;

use super::markdown::blocks;
use super::{Scratch, pages};
use crate::support::{at_root, files, relative, timeless, vmconf};

/// What a scheduler sets for each of its tasks.
type Task = Vec<(&'static str, &'static str)>;

/// The commands of a file that begin with these words.
fn commands<'t>(text: &'t str, words: &str) -> Vec<&'t str> {
    let lines = text.lines().map(|line| line.trim_start_matches([' ', '-']).trim_start_matches("run: "));
    lines.filter(|line| line.starts_with(words)).collect()
}

/// Runs the one `vmconf run` of a file for each task and then its `vmconf merge`, which must say what a
/// run without partitions says.
fn check(file: &str, always: &[(&str, &str)], tasks: &[Task]) {
    let text = fs::read_to_string(at_root("docs/examples/ci").join(file)).unwrap();
    let scratch = Scratch::new("vectors/tinyvm");
    let [run] = commands(&text, "vmconf run")[..] else { panic!("{file}: one vmconf run") };
    fs::create_dir(scratch.folder.path().join("parts")).unwrap();
    for task in tasks {
        let environment: Vec<_> = always.iter().chain(task).copied().collect();
        let (output, exit) = scratch.sh(run, &environment);
        assert_eq!(exit, 0, "{file}: {output}");
        assert!(output.contains("note: part "), "{file}: {output}");
    }
    let merge = commands(&text, "vmconf merge");
    let merge = merge.first().copied().unwrap_or("vmconf merge parts/part-*.jsonl");
    let (merged, exit) = scratch.sh(merge, always);
    assert_eq!(exit, 0, "{file}: {merged}");
    assert_eq!(timeless(&merged), timeless(&scratch.sh("vmconf run", &[]).0), "{file}");
}

#[test]
fn the_tasks_of_every_scheduler_are_one_run() {
    check(
        "gitlab.yml",
        &[("CI_NODE_TOTAL", "2")],
        &[vec![("CI_NODE_INDEX", "1")], vec![("CI_NODE_INDEX", "2")]],
    );
    check(
        "circleci.yml",
        &[("CIRCLE_NODE_TOTAL", "2")],
        &[vec![("CIRCLE_NODE_INDEX", "0")], vec![("CIRCLE_NODE_INDEX", "1")]],
    );
    check(
        "buildkite.yml",
        &[("BUILDKITE_PARALLEL_JOB_COUNT", "2")],
        &[vec![("BUILDKITE_PARALLEL_JOB", "0")], vec![("BUILDKITE_PARALLEL_JOB", "1")]],
    );
    let indexes = ["0", "1", "2", "3", "4", "5", "6", "7"];
    let tasks = indexes.map(|index| vec![("JOB_COMPLETION_INDEX", index)]);
    check("kubernetes.yaml", &[("REPORTS", "parts")], &tasks);
    check(
        "slurm-array.sh",
        &[("REPORTS", "parts"), ("SLURM_ARRAY_TASK_COUNT", "2"), ("SLURM_ARRAY_TASK_MIN", "1")],
        &[vec![("SLURM_ARRAY_TASK_ID", "1")], vec![("SLURM_ARRAY_TASK_ID", "2")]],
    );
    check(
        "conformance.sh",
        &[("TEST_TOTAL_SHARDS", "2"), ("TEST_UNDECLARED_OUTPUTS_DIR", "parts")],
        &[vec![("TEST_SHARD_INDEX", "0")], vec![("TEST_SHARD_INDEX", "1")]],
    );
}

/// The words of each `vmconf` of a line that stands where a shell expects a command, to the end of that command.
fn command_words(line: &str) -> Vec<Vec<&str>> {
    let is_end = |it: char| "|;#&)`".contains(it);
    let line = line.split(" #").next().unwrap_or_default().trim_start_matches([' ', '-']);
    let parts = line.trim_start_matches("run: ").trim_start_matches("exec ").split(is_end);
    let commands = parts.filter_map(|part| part.trim().strip_prefix("vmconf "));
    // What is a column away is the name of a file in a list.
    let commands = commands.filter(|command| !command.starts_with(' '));
    commands.map(|command| command.split_whitespace().collect()).collect()
}

/// Every `vmconf` in these lines names a command that there is, and flags that it has. How many there are.
fn check_flags(whose: &str, text: &str) -> usize {
    let all = crate::completions::commands();
    let mut count = 0;
    for words in text.lines().filter(|line| !line.starts_with('#')).flat_map(command_words) {
        let command = words[0];
        assert!(all.iter().any(|it| it == command), "{whose}: there is no command {command}");
        let mut path = vec![command];
        if ["vm", "family", "known"].contains(&command) {
            path.extend(words.get(1).filter(|word| !word.starts_with('-')));
        }
        let help = vmconf(&[&path[..], &["--help"]].concat());
        assert_eq!(help.exit, 0, "{whose}: {path:?}: {}", help.stderr);
        let help = help.stdout;
        let in_help =
            |flag: &str| help.split(|it: char| !it.is_alphanumeric() && it != '-').any(|it| it == flag);
        for flag in words.iter().filter(|word| word.starts_with("--")) {
            let flag = flag.split('=').next().unwrap();
            assert!(in_help(flag), "{whose}: {command} has no {flag}");
        }
        count += 1;
    }
    count
}

/// What is shown but cannot be run here, in a block or in a line, names no command and no flag that there is not.
#[test]
fn commands_that_are_not_run_are_commands() {
    let mut count = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for block in blocks(&text).into_iter().filter(|block| block.info != "console") {
            let body = &text[block.body];
            assert!(!body.starts_with("$ "), "{}: commands with output are console: {body}", relative(&page));
            count += check_flags(&relative(&page), body);
        }
        let inline: Vec<_> = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2)).collect();
        count += check_flags(&relative(&page), &inline.join("\n"));
    }
    for file in ["yml", "yaml", "sh"].into_iter().flat_map(|extension| files("docs/examples/ci", extension)) {
        count += check_flags(&relative(&file), &fs::read_to_string(&file).unwrap());
    }
    assert!(count > 150, "{count} commands");
}
