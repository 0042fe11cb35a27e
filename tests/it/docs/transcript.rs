//! Blocks of commands with what they print, and of files.

use std::fs;
use std::process::Command;

use super::Scratch;
use super::markdown::blocks;
use crate::support::skip::skip;
use crate::support::{at_root, timeless};

/// The page with what its commands print and its files say in place of what it shows, where that differs.
pub(super) fn replay(text: &str, scratch: &Scratch) -> String {
    let mut page = String::new();
    let mut at = 0;
    for block in blocks(text) {
        page += &text[at..block.body.start];
        at = block.body.end;
        page += &match block.info.split_once(" file=") {
            Some((_, name)) => fs::read_to_string(at_root("docs/examples").join(name)).unwrap(),
            None if block.info == "console" => replay_block(&text[block.body], scratch),
            None => text[block.body].to_owned(),
        };
    }
    page + &text[at..]
}

fn replay_block(block: &str, scratch: &Scratch) -> String {
    assert!(block.starts_with("$ "), "a block without a command: {block}");
    let mut replayed = String::new();
    for (command, expected) in block.split_inclusive('\n').fold(Vec::new(), collect) {
        replayed += &command;
        replayed += &run(&command, &expected, scratch);
    }
    replayed
}

/// Adds a line to the commands, each with the lines that follow it.
fn collect(mut commands: Vec<(String, String)>, line: &str) -> Vec<(String, String)> {
    if line.starts_with("$ ") {
        commands.push((line.to_owned(), String::new()));
    } else {
        commands.last_mut().unwrap().1 += line;
    }
    commands
}

/// What stands after the command: the expected lines if the command prints such, else what it prints.
fn run(command: &str, expected: &str, scratch: &Scratch) -> String {
    let line = command.trim_start_matches("$ ").trim_end();
    // Cargo built the command that is tested; its own commands are for the reader.
    let line = line.replace("cargo run --release -- ", "vmconf ");
    if line.starts_with("cargo ") {
        assert_eq!(expected, "", "{line} is not run");
        return String::new();
    }
    if line.contains("python3") && !is_installed("python3") {
        skip("python3 is not installed: a page of the book has commands with it");
        return expected.to_owned();
    }
    let exit = line.rsplit_once("# exit code ").map_or(0, |(_, code)| code.parse().unwrap());
    let (actual, actual_exit) = scratch.sh(&line, &[]);
    assert_eq!(actual_exit, exit, "exit code of {line}: {actual}");
    if is_as_expected(&timeless(expected), &timeless(&actual)) { expected.to_owned() } else { actual }
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn is_as_expected(expected: &str, actual: &str) -> bool {
    lines_match(&expected.lines().collect::<Vec<_>>(), &actual.lines().collect::<Vec<_>>())
}

/// Whether the lines are as expected, where `...` stands for any lines.
fn lines_match(expected: &[&str], actual: &[&str]) -> bool {
    match expected {
        [] => actual.is_empty(),
        ["...", rest @ ..] => (0..=actual.len()).any(|skipped| lines_match(rest, &actual[skipped..])),
        [first, rest @ ..] => actual
            .split_first()
            .is_some_and(|(line, others)| line_matches(first, line) && lines_match(rest, others)),
    }
}

/// Whether the line is as expected, where `[..]` stands for any characters.
fn line_matches(expected: &str, actual: &str) -> bool {
    match expected.split_once("[..]") {
        None => expected == actual,
        Some((before, after)) => actual.strip_prefix(before).is_some_and(|rest| {
            rest.char_indices()
                .map(|(at, _)| at)
                .chain([rest.len()])
                .any(|at| line_matches(after, &rest[at..]))
        }),
    }
}

#[test]
fn elisions_match_what_they_stand_for() {
    fn check(expected: &[&str], actual: &[&str], wanted: bool) {
        assert_eq!(lines_match(expected, actual), wanted, "{expected:?} {actual:?}");
    }
    check(&["a", "...", "d"], &["a", "b", "c", "d"], true);
    check(&["a", "...", "d"], &["a", "d"], true);
    check(&["a", "..."], &["a"], true);
    check(&["a"], &["a", "b"], false);
    check(&["a", "b"], &["a"], false);
    check(&["from [..] to"], &["from 1 to"], true);
    check(&["from [..] to"], &["from 1 to 2"], false);
    check(&["[..]1[..]"], &["x1"], true);
    check(&["[..]1"], &["12"], false);
}
