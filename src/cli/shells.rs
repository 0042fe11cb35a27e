//! Completions for each shell. Each inserts one word, whatever the name of a file or case contains: names come from
//! vectors, and none may run as a command.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::engine::{CompletionCandidate, complete};
use clap_complete::env::{Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh};

/// Elvish, fish and zsh quote what they insert themselves.
pub(super) const SHELLS: Shells<'static> = Shells(&[&Bash, &Elvish, &Fish, &PlainPowershell, &Zsh]);

/// Bash inserts completions as they are, so they are quoted in the way in which the word was begun. The script of
/// `clap_complete` does not quote them, and needs `:` removed from `COMP_WORDBREAKS`, which all commands share.
struct Bash;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == self.name()
    }

    fn write_registration(
        &self,
        var: &str,
        _name: &str,
        bin: &str,
        completer: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let complete = format!("-o nospace -o bashdefault -C '{var}=bash {completer} --' {bin}");
        // Before version 4.4, bash sorts them.
        writeln!(out, "complete -o nosort {complete} 2>/dev/null || complete {complete}")
    }

    /// Writes a line for each completion. `args` are the command and the part of the word that bash replaces, which
    /// begins after the last `:` or `=`, or after an open quote.
    fn write_complete(
        &self,
        command: &mut Command,
        args: Vec<OsString>,
        folder: Option<&Path>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let replaced = args.get(1).and_then(|it| it.to_str()).unwrap_or_default();
        let point = env::var("COMP_POINT").ok().and_then(|it| it.parse().ok()).unwrap_or(usize::MAX);
        let line: String = env::var("COMP_LINE").unwrap_or_default().chars().take(point).collect();
        let typed = TypedLine::new(&line);
        let head = TypedLine::new(typed.raw.strip_suffix(replaced).unwrap_or_default());
        let index = typed.words.len();
        let words = typed.words.into_iter().chain([typed.word]).map(OsString::from).collect();
        let candidates = complete(command, words, index, folder)?;
        let tails: Vec<_> = candidates.iter().filter_map(|it| head.tail(it)).collect();
        match &tails[..] {
            // Bash closes a quote, and then adds no space.
            [only] if head.quote.is_none() && !only.ends_with(['/', ':', '=']) => {
                writeln!(out, "{} ", head.quoted(only))
            }
            tails => tails.iter().try_for_each(|tail| writeln!(out, "{}", head.quoted(tail))),
        }
    }
}

/// A command line up to the cursor.
#[derive(Default)]
struct TypedLine {
    /// The words before the one at the cursor.
    words: Vec<String>,
    /// The word at the cursor, without quotes.
    word: String,
    /// The same as it was typed.
    raw: String,
    /// The quote that is open at the cursor.
    quote: Option<char>,
}

impl TypedLine {
    fn new(line: &str) -> TypedLine {
        let mut typed = TypedLine::default();
        let mut chars = line.chars();
        while let Some(char) = chars.next() {
            if typed.quote.is_none() && char.is_ascii_whitespace() {
                if !typed.raw.is_empty() {
                    typed.words.push(std::mem::take(&mut typed.word));
                    typed.raw.clear();
                }
                continue;
            }
            typed.raw.push(char);
            match (typed.quote, char) {
                (Some(quote), char) if char == quote => typed.quote = None,
                (None, '\'' | '"') => typed.quote = Some(char),
                (None | Some('"'), '\\') => {
                    let next = chars.next();
                    typed.raw.extend(next);
                    // In double quotes, a backslash quotes only these.
                    let stays = typed.quote.is_some() && !next.is_some_and(|it| "\\\"$`".contains(it));
                    typed.word.extend(stays.then_some('\\'));
                    typed.word.extend(next);
                }
                _ => typed.word.push(char),
            }
        }
        typed
    }

    /// What follows this word in a completion; `None` if it is another word, or cannot be typed.
    fn tail(&self, candidate: &CompletionCandidate) -> Option<String> {
        let tail = candidate.get_value().to_str()?.strip_prefix(&self.word)?;
        (!tail.contains(char::is_control)).then(|| tail.to_owned())
    }

    /// This text as a part of the word.
    fn quoted(&self, tail: &str) -> String {
        let quoted = |char: char| match (self.quote, char) {
            (Some('\''), '\'') => "'\\''".to_owned(),
            // In double quotes, a backslash before it would stay in the word.
            (Some('"'), '!') => "\"'!'\"".to_owned(),
            (Some('"'), '"' | '$' | '`' | '\\') => format!("\\{char}"),
            (None, char) if !char.is_alphanumeric() && !"/._-:=+,@%".contains(char) => format!("\\{char}"),
            (_, char) => char.to_string(),
        };
        tail.chars().map(quoted).collect()
    }
}

/// PowerShell inserts completions as they are, too: only those are offered that need no quotes.
struct PlainPowershell;

impl EnvCompleter for PlainPowershell {
    fn name(&self) -> &'static str {
        Powershell.name()
    }

    fn is(&self, name: &str) -> bool {
        Powershell.is(name)
    }

    fn write_registration(
        &self,
        var: &str,
        name: &str,
        bin: &str,
        completer: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        Powershell.write_registration(var, name, bin, completer, out)
    }

    fn write_complete(
        &self,
        command: &mut Command,
        args: Vec<OsString>,
        folder: Option<&Path>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut all = Vec::new();
        Powershell.write_complete(command, args, folder, &mut all)?;
        let is_plain = |char: char| char.is_alphanumeric() || "/\\._-:=+%".contains(char);
        // Each line is a completion, with its help after a tab if it has one.
        let all = String::from_utf8_lossy(&all);
        let mut plain =
            all.lines().filter(|line| line.split('\t').next().is_some_and(|it| it.chars().all(is_plain)));
        plain.try_for_each(|line| writeln!(out, "{line}"))
    }
}
