//! The files that results of a machine in another process depend on: those that its command executes.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs::{self, DirEntry, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::command::TesteeCommand;
use super::script_words::{ComputedWords, script_words};

/// Programs that run the text of their arguments or of a script.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "busybox", "ash"];

/// Programs that run what is not a file here, or what a build makes before.
const LAUNCHERS: &[&str] = &[
    "docker", "podman", "nerdctl", "kubectl", "ssh", "cargo", "go", "make", "just", "bazel", "npx", "npm",
    "pnpm", "yarn", "bun", "deno", "uv", "uvx", "poetry", "pipx", "nix", "sudo", "su", "chroot", "dotnet",
    "mvn", "gradle", "zig", "nodemon", "xargs", "parallel", "eval", "cd", "pushd", "source", "dune", "cabal",
    "stack", "runghc", "mix", "rebar3", "sbt", "mill", "scala", "lein", "clj", "clojure", "dart", "flutter",
    "swift", "crystal", "nim", "gleam", "tsx", "ts-node", "bundle", "rake", "hatch", "pdm", "pipenv",
    "conda", "pixi", "meson", "ninja", "awk", "gawk", "mawk", "find", "expect",
];

/// Interpreters that can run something else than a file: a folder, a module or a text. Versions may follow the names.
const INTERPRETERS: &[&str] =
    &["python", "pypy", "node", "nodejs", "ruby", "perl", "php", "lua", "luajit", "java"];

/// Flags after which an interpreter runs something else than a file; also with the text or the name in the same word,
/// as in `-mvm`, or behind other flags, as in `-Im`.
const TEXT_FLAGS: &[&str] = &["-c", "-e", "-m", "--eval", "-cp", "--module"];

/// Flags of interpreters whose value is the next argument, which is not what runs.
const VALUE_FLAGS: &[&str] =
    &["-W", "-X", "-I", "-C", "-r", "--require", "--import", "--loader", "--experimental-loader"];

/// Scripts that start scripts are followed to this depth.
const MAX_NESTED: usize = 8;

/// Why the files that results depend on are unknown, as a clause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnknownIdentity(String);

/// A hash of what results of the machine depend on: its command, and the contents of the files that the command
/// executes, or of the files and folders in `cache_key`, if the user lists them. Fails if a file cannot be read, or
/// the command starts something that no file shows. `path` lists the folders of programs, as the variable `PATH`, which
/// the environment of the command may replace.
pub fn identity(
    command: &TesteeCommand,
    cache_key: Option<&[PathBuf]>,
    path: Option<OsString>,
) -> Result<String, UnknownIdentity> {
    let own = command.env.iter().rfind(|variable| variable.0 == "PATH");
    let path = own.map(|variable| variable.1.clone().into()).or(path);
    let (hasher, seen) = (blake3::Hasher::new(), BTreeSet::new());
    let mut reader = IdentityReader { command, path, hasher, seen };
    reader.add(format!("{:?} {:?} {:?}", command.words, command.env, command.folder).as_bytes());
    match cache_key {
        Some(files) => files.iter().try_for_each(|file| reader.tree(file))?,
        None => reader.started(&command.words, 0)?,
    }
    Ok(reader.hasher.finalize().to_hex().to_string())
}

struct IdentityReader<'c> {
    command: &'c TesteeCommand,
    path: Option<OsString>,
    hasher: blake3::Hasher,
    /// The files and folders that were read.
    seen: BTreeSet<PathBuf>,
}

impl IdentityReader<'_> {
    fn add(&mut self, bytes: &[u8]) {
        self.hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    }

    /// Adds a program and its arguments.
    fn started(&mut self, words: &[String], depth: usize) -> Result<(), UnknownIdentity> {
        let Some((program, arguments)) = words.split_first() else { return Ok(()) };
        let name = file_name(program);
        refuse_launcher(name)?;
        let path = self.program(program).ok_or_else(|| unknown(format!("{program} is not found")))?;
        let is_interpreter = is_interpreter(name);
        if is_interpreter { self.interpreter(&path) } else { self.executed(&path, depth) }?;
        if SHELLS.contains(&name) {
            let text = arguments.iter().skip_while(|word| !is_command_flag(word)).nth(1);
            if let Some(text) = text {
                return self.shell(text, "the text after -c", depth);
            }
            let script = arguments.iter().find(|word| !word.starts_with('-'));
            if let Some(script) = script.map(|word| self.in_folder(word)).filter(|path| path.is_file()) {
                self.content(&script)?;
                self.script(&script, depth)?;
            }
        }
        if is_interpreter {
            self.interpreted(name, arguments.iter().map(String::as_str))?;
        }
        for (index, argument) in arguments.iter().enumerate() {
            self.refuse_computed(argument)?;
            // A program may start another one, as `env` and `taskset` do.
            if self.program(argument).is_some() {
                return self.started(&arguments[index..], depth);
            }
            // --config=FILE too.
            let file = argument.split_once('=').map_or(argument.as_str(), |(_, value)| value);
            for path in [argument.as_str(), file].map(|word| self.in_folder(word)) {
                if path.is_file() {
                    self.executed(&path, depth)?;
                }
            }
        }
        Ok(())
    }

    /// Refuses a word of a command that stands for files which it does not name: a folder, and another `PATH`.
    fn refuse_computed(&self, word: &str) -> Result<(), UnknownIdentity> {
        if word == "PATH" || word.starts_with("PATH=") {
            return Err(unknown("the command sets PATH".to_owned()));
        }
        // `.` is also a command of shells.
        if !word.is_empty() && word != "." && self.in_folder(word).is_dir() {
            return Err(unknown(format!("{word} is a folder")));
        }
        Ok(())
    }

    /// Refuses what an interpreter runs unless it is a file: of a folder or a module, it chooses the files.
    fn interpreted<'w>(
        &self,
        name: &str,
        mut arguments: impl Iterator<Item = &'w str>,
    ) -> Result<(), UnknownIdentity> {
        while let Some(word) = arguments.next() {
            if is_text_flag(name, word) {
                break;
            }
            if VALUE_FLAGS.contains(&word) {
                arguments.next();
            } else if !word.starts_with('-') {
                if self.in_folder(word).is_file() {
                    return Ok(());
                }
                break;
            }
        }
        Err(unknown(format!("the arguments of {name} name no file that it runs")))
    }

    /// Adds a file that is executed, and if it is a script, what it starts.
    fn executed(&mut self, path: &Path, depth: usize) -> Result<(), UnknownIdentity> {
        if !self.content(path)? {
            return Ok(());
        }
        let Some(first) = first_line(path).map_err(|error| unreadable(path, &error))? else {
            // Without the line, an executable text is run by a shell.
            let is_script = is_executable_text(path).map_err(|error| unreadable(path, &error))?;
            return if is_script { self.script(path, depth) } else { Ok(()) };
        };
        let interpreter: Vec<_> = first.split_whitespace().collect();
        // As in `#!/usr/bin/env python3`.
        let is_env = |word: &&&str| file_name(word) == "env" || word.starts_with('-') || word.contains('=');
        let name = interpreter.iter().find(|word| !is_env(word)).map_or("", |word| file_name(word));
        refuse_launcher(name)?;
        if let Some(path) = self.program(name).filter(|_| !name.is_empty()) {
            self.interpreter(&path)?;
        }
        if SHELLS.contains(&name) { self.script(path, depth) } else { Ok(()) }
    }

    /// Adds the program of an interpreter. Version managers put scripts in its place, which choose one by files and
    /// variables that the command does not name.
    fn interpreter(&mut self, path: &Path) -> Result<(), UnknownIdentity> {
        self.content(path)?;
        let wrong = |error| unreadable(path, &error);
        if first_line(path).map_err(wrong)?.is_some() || is_executable_text(path).map_err(wrong)? {
            return Err(unknown(format!("{} is a script that chooses an interpreter", path.display())));
        }
        Ok(())
    }

    /// Adds what a file for a shell starts.
    fn script(&mut self, path: &Path, depth: usize) -> Result<(), UnknownIdentity> {
        let text = fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
        self.shell(&text, &path.display().to_string(), depth + 1)
    }

    /// Adds the content of a file. Returns false if it was added before.
    fn content(&mut self, path: &Path) -> Result<bool, UnknownIdentity> {
        if !self.seen.insert(path.to_owned()) {
            return Ok(false);
        }
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(file).map_err(|error| unreadable(path, &error))?;
        self.add(path.as_os_str().as_encoded_bytes());
        self.add(hasher.finalize().as_bytes());
        Ok(true)
    }

    /// Adds what a text for a shell starts.
    fn shell(&mut self, text: &str, shown: &str, depth: usize) -> Result<(), UnknownIdentity> {
        if depth > MAX_NESTED {
            return Err(unknown(format!("{shown} is started by too many other scripts")));
        }
        let words = script_words(text)
            .map_err(|ComputedWords| unknown(format!("{shown} computes what it starts")))?;
        for (index, word) in words.iter().enumerate() {
            let is_script = index > 1
                && is_command_flag(&words[index - 1].text)
                && SHELLS.contains(&file_name(&words[index - 2].text));
            if is_script {
                self.shell(&word.text, shown, depth + 1)?;
            }
            // `. FILE` and `sh -e FILE` run a file that need not be executable.
            let runner = words[..index].iter().rev().find(|before| !before.text.starts_with('-'));
            let is_run = runner.is_some_and(|it| it.text == "." || SHELLS.contains(&file_name(&it.text)));
            let file = Some(self.in_folder(&word.text)).filter(|path| is_run && path.is_file());
            if let Some(file) = file
                && self.content(&file)?
            {
                self.script(&file, depth)?;
            }
            self.named(&word.text, depth)?;
            let name = file_name(&word.text);
            if is_interpreter(name) && self.program(&word.text).is_some() {
                self.interpreted(name, words[index + 1..].iter().map(|word| &*word.text))?;
            }
            // A program may take a whole command as one argument.
            let parts = word.text.split(|it: char| it.is_whitespace() || "'\";|&()<>=".contains(it));
            parts.filter(|_| word.is_quoted).try_for_each(|part| self.named(part, depth))?;
        }
        Ok(())
    }

    /// Adds the file that a word of a script names, if it names one.
    fn named(&mut self, word: &str, depth: usize) -> Result<(), UnknownIdentity> {
        if word.is_empty() {
            return Ok(());
        }
        self.refuse_computed(word)?;
        refuse_launcher(file_name(word))?;
        let in_folder = self.in_folder(word);
        let path = if in_folder.is_file() { Some(in_folder) } else { self.program(word) };
        path.map_or(Ok(()), |path| self.executed(&path, depth))
    }

    /// Adds a file, or all files of a folder, that the user named. Links are followed; one may lead back.
    fn tree(&mut self, path: &Path) -> Result<(), UnknownIdentity> {
        let wrong = |error| unreadable(path, &error);
        let metadata = fs::metadata(path).map_err(wrong)?;
        if metadata.is_file() {
            return self.content(path).map(drop);
        }
        if !metadata.is_dir() {
            return Err(unknown(format!("{} is neither a file nor a folder", path.display())));
        }
        if !self.seen.insert(path.canonicalize().map_err(wrong)?) {
            return Ok(());
        }
        let entries = path.read_dir().and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(wrong)?;
        let mut entries: Vec<_> = entries.iter().map(DirEntry::path).collect();
        entries.sort();
        entries.iter().try_for_each(|entry| self.tree(entry))
    }

    /// The file of a program, as a shell finds it.
    fn program(&self, name: &str) -> Option<PathBuf> {
        if name.contains('/') {
            return Some(self.in_folder(name)).filter(|path| path.is_file());
        }
        env::split_paths(self.path.as_ref()?).map(|folder| folder.join(name)).find(|path| path.is_file())
    }

    fn in_folder(&self, path: &str) -> PathBuf {
        self.command.folder.as_ref().map_or_else(|| path.into(), |folder| folder.join(path))
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a program is an interpreter, such as `python3.11`.
fn is_interpreter(name: &str) -> bool {
    let is_version = |rest: &str| rest.chars().all(|it| it.is_ascii_digit() || it == '.');
    INTERPRETERS.iter().any(|start| name.strip_prefix(start).is_some_and(is_version))
}

/// Whether a flag is one of [`TEXT_FLAGS`].
fn is_text_flag(interpreter: &str, word: &str) -> bool {
    const MAX_FLAGS: usize = 4;
    let is_short = |word: &str| {
        let flags = word.trim_start_matches('-');
        let ends = word.len() <= MAX_FLAGS && flags.ends_with(['c', 'e', 'm']);
        !word.starts_with("--") && word.starts_with('-') && (flags.starts_with(['c', 'e', 'm']) || ends)
    };
    // Java has long flags with one hyphen.
    TEXT_FLAGS.contains(&word) || !interpreter.starts_with("java") && is_short(word)
}

/// Whether the next argument of a shell is the text that it runs, as after `-c` and `-ec`.
fn is_command_flag(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
}

/// The first line of a script after `#!`; `None` for any other file.
fn first_line(path: &Path) -> io::Result<Option<String>> {
    const MAX_LENGTH: u64 = 256;
    let mut start = Vec::new();
    File::open(path)?.take(MAX_LENGTH).read_to_end(&mut start)?;
    let start = String::from_utf8_lossy(&start).into_owned();
    Ok(start.strip_prefix("#!").map(|rest| rest.lines().next().unwrap_or_default().to_owned()))
}

/// Whether a file may be executed, and is text: no program that a linker made.
fn is_executable_text(path: &Path) -> io::Result<bool> {
    const MAX_LENGTH: u64 = 512;
    let file = File::open(path)?;
    if !is_executable(&file.metadata()?) {
        return Ok(false);
    }
    let mut start = Vec::new();
    file.take(MAX_LENGTH).read_to_end(&mut start)?;
    Ok(!start.contains(&0) && !start.starts_with(b"\x7fELF"))
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &Metadata) -> bool {
    false
}

fn refuse_launcher(name: &str) -> Result<(), UnknownIdentity> {
    if LAUNCHERS.contains(&name) {
        return Err(unknown(format!("{name} starts what no file of the command shows")));
    }
    Ok(())
}

fn unreadable(path: &Path, error: &io::Error) -> UnknownIdentity {
    unknown(format!("{}: {error}", path.display()))
}

fn unknown(why: String) -> UnknownIdentity {
    UnknownIdentity(why)
}

#[cfg(test)]
#[cfg(unix)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use std::time::Duration;

    use tempfile::TempDir;

    use super::*;

    struct FilePlace(TempDir);

    impl FilePlace {
        fn write(&self, name: &str, text: &str) {
            fs::write(self.0.path().join(name), text).unwrap();
        }

        fn identity(&self, words: &[&str]) -> Result<String, UnknownIdentity> {
            self.identity_by(words, None)
        }

        fn identity_by(&self, words: &[&str], key: Option<&[&str]>) -> Result<String, UnknownIdentity> {
            let command = TesteeCommand {
                name: "m".to_owned(),
                words: words.iter().map(|word| (*word).to_owned()).collect(),
                env: Vec::new(),
                folder: Some(self.0.path().to_owned()),
                timeout: Duration::from_secs(1),
                start: Duration::from_secs(1),
                memory: None,
            };
            let key: Option<Vec<_>> =
                key.map(|files| files.iter().map(|file| self.0.path().join(file)).collect());
            identity(&command, key.as_deref(), env::var_os("PATH"))
        }
    }

    /// Each file that a command leads to, directly or through scripts, changes the identity.
    #[test]
    fn each_file_that_is_executed_decides() {
        let place = FilePlace(TempDir::new().unwrap());
        let all = ["vm", "vm.conf", "lib.py", "run.sh", "inner.sh", "adapter.py"];
        let fill = || {
            place.write("vm", "\x7fELF binary");
            place.write("vm.conf", "a");
            place.write("a-starter", "\x7fELF binary");
            place.write("lib.py", "x = 1");
            place.write("run.sh", "#!/bin/sh\n# $HOME is of no interest\nexec ./inner.sh \"$@\"\n");
            place.write("inner.sh", "#!/usr/bin/env sh\nexec ./vm --config=vm.conf\n");
            place.write("adapter.py", "#!/usr/bin/env python3\nprint()\n");
        };
        let commands: [(&[&str], &[&str]); 7] = [
            (&["./vm", "--config=vm.conf"], &["vm", "vm.conf"]),
            (&["./run.sh"], &["run.sh", "inner.sh", "vm", "vm.conf"]),
            (&["sh", "-c", "./vm | cat vm.conf"], &["vm", "vm.conf"]),
            (&["sh", "run.sh"], &["run.sh", "inner.sh", "vm", "vm.conf"]),
            (&["env", "X=1", "./adapter.py", "lib.py"], &["adapter.py", "lib.py"]),
            (&["timeout", "5", "sh", "inner.sh"], &["inner.sh", "vm", "vm.conf"]),
            (&["./a-starter", "--fork", "env", "./vm", "vm.conf"], &["vm", "vm.conf"]),
        ];
        for (words, deciding) in commands {
            fill();
            let before = place.identity(words).unwrap();
            assert_eq!(place.identity(words).unwrap(), before);
            for file in all {
                fill();
                let text = fs::read_to_string(place.0.path().join(file)).unwrap();
                place.write(file, &format!("{text}\n"));
                let is_other = place.identity(words).unwrap() != before;
                assert_eq!(is_other, deciding.contains(&file), "{words:?} {file}");
            }
        }
    }

    /// A shell runs a script whatever its first line is, and one that may be executed without such a line.
    #[test]
    fn scripts_without_a_first_line_are_followed() {
        use std::os::unix::fs::PermissionsExt as _;
        let place = FilePlace(TempDir::new().unwrap());
        place.write("outer.sh", "exec ./i\"nner\".sh\n");
        for inner in ["./vm\n", "#!/bin/sh\n./vm\n"] {
            place.write("inner.sh", inner);
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(place.0.path().join("inner.sh"), mode).unwrap();
            place.write("vm", "1");
            let before = place.identity(&["sh", "outer.sh"]).unwrap();
            place.write("vm", "2");
            assert_ne!(place.identity(&["sh", "outer.sh"]).unwrap(), before, "{inner}");
        }
        place.write("outer.sh", "exec ~/inner.sh\n");
        assert!(place.identity(&["sh", "outer.sh"]).is_err());
        assert!(place.identity(&["sh", "-c", "./inner.s?"]).is_err());
        for runs in [". ./lines\n", "exec sh -e lines\n"] {
            place.write("outer.sh", runs);
            place.write("lines", "./vm\n. ./lines\n");
            place.write("vm", "1");
            let before = place.identity(&["sh", "outer.sh"]).unwrap();
            place.write("vm", "2");
            assert_ne!(place.identity(&["sh", "outer.sh"]).unwrap(), before, "{runs}");
        }
    }

    #[test]
    fn programs_without_a_file_are_unknown() {
        let place = FilePlace(TempDir::new().unwrap());
        place.write("by-name.sh", "#!/bin/sh\nexec \"$VM\"\n");
        place.write("vm", "\x7fELF binary");
        place.write("elsewhere.sh", "#!/bin/bash\ncd /somewhere && exec ./vm\n");
        // Folders, which an interpreter searches for the file that it runs.
        fs::create_dir(place.0.path().join("machine")).unwrap();
        place.write("interprets.sh", "#!/bin/sh\nexec perl machine\n");
        place.write("computed.sh", "#!/bin/sh\nexec \"$(dirname \"$0\")/vm\"\n");
        // As version managers have it.
        place.write("python3", "#!/bin/sh\nexec /opt/python-3.12/bin/python3 \"$@\"\n");
        for words in [
            &["docker", "run", "image"][..],
            &["cargo", "run"],
            &["sh", "-c", "ssh host vm"],
            &["./by-name.sh"],
            &["./elsewhere.sh"],
            &["sh", "computed.sh"],
            &["env", "python3", "-m", "vm"],
            &["./missing"],
            &["perl", "machine"],
            &["perl", "-w", "./machine/"],
            &["perl", "-r", "by-name.sh", "machine"],
            &["perl"],
            &["sh", "-c", "exec perl -w machine"],
            &["./interprets.sh"],
            &["./python3", "vm"],
            &["mix", "run"],
            &["./vm", "machine"],
            &["sh", "-c", "exec ./vm machine"],
            &["env", "PATH=/elsewhere", "vm"],
            &["sh", "-c", "export PATH=/elsewhere; exec vm"],
            &["perl", "-mvm", "by-name.sh"],
            &["perl", "-we", "by-name.sh"],
            &["awk", "BEGIN { system(\"vm\") }"],
        ] {
            assert!(place.identity(words).is_err(), "{words:?}");
        }
        // Named files decide instead.
        fs::create_dir(place.0.path().join("bin")).unwrap();
        place.write("bin/vm", "1");
        let by_key = || place.identity_by(&["cargo", "run"], Some(&["bin"]));
        let before = by_key().unwrap();
        place.write("by-name.sh", "other");
        assert_eq!(by_key().unwrap(), before);
        place.write("bin/vm", "2");
        assert_ne!(by_key().unwrap(), before);
        assert!(place.identity_by(&["cargo", "run"], Some(&["no"])).is_err());
    }

    /// A folder that a link leads to is part of the folder with the link, and links may form a circle.
    #[test]
    fn links_are_followed() {
        use std::os::unix::fs::symlink;
        let place = FilePlace(TempDir::new().unwrap());
        for folder in ["src", "elsewhere"] {
            fs::create_dir(place.0.path().join(folder)).unwrap();
        }
        symlink("../elsewhere", place.0.path().join("src/lib")).unwrap();
        symlink("../src", place.0.path().join("elsewhere/back")).unwrap();
        place.write("elsewhere/vm", "1");
        let by_key = || place.identity_by(&["cargo", "run"], Some(&["src"])).unwrap();
        let before = by_key();
        assert_eq!(by_key(), before);
        place.write("elsewhere/vm", "2");
        assert_ne!(by_key(), before);
    }

    #[test]
    fn interpreters_are_known_by_name_and_version() {
        for name in ["python", "python3.11", "lua5.4", "node", "nodejs"] {
            assert!(is_interpreter(name), "{name}");
        }
        for name in ["python3.py", "nodemon", "node.conf", "perl-machine.sh", "javac"] {
            assert!(!is_interpreter(name), "{name}");
        }
    }
}
