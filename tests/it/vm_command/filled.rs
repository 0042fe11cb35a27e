//! Templates for machines that vmconf embeds, completed with calls of such a machine: they pass the same vectors.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::SERVE;
use crate::support::skip::skip;
use crate::support::{Ran, at_root, command, ran};

/// A language: the name of its file, and a machine that asks `vmconf serve MACHINE`, in place of that of the template.
struct Filled {
    language: &'static str,
    file: &'static str,
    program: &'static str,
    machine: &'static str,
}

const PYTHON: Filled = Filled {
    language: "python",
    file: "mine.py",
    program: "python3",
    machine: r#"class Machine:
    served = __import__("subprocess").Popen(["SERVE", "serve", "MACHINE"], stdin=-1, stdout=-1, text=True)
    fields = HELLO["machines"][0]["fields"]

    def __init__(self, program):
        self.program, self.actions = program, []
        self.state()

    def do(self, action):
        self.actions.append(action)

    def state(self):
        steps = [{"do": self.actions, "observe": self.fields}]
        request = {"type": "run", "id": 1, "machine": "MACHINE", "program": self.program, "steps": steps}
        self.served.stdin.write(json.dumps(request) + "\n")
        self.served.stdin.flush()
        answer = json.loads(self.served.stdout.readline())
        if answer["type"] == "skip":
            raise Unsupported(answer["reason"])
        if answer["type"] == "error":
            raise ValueError(answer["message"])
        return answer["steps"][0]["fields"]


"#,
};

const JAVASCRIPT: Filled = Filled {
    language: "js",
    file: "mine.mjs",
    program: "node",
    machine: r"class Machine {
  constructor(program) {
    Object.assign(this, { program, actions: [] })
  }

  do(action) {
    this.actions.push(action)
  }

  state() {
    const steps = [{ do: this.actions, observe: HELLO.machines[0].fields }]
    const request = { type: 'run', id: 1, machine: 'MACHINE', program: this.program, steps }
    const options = { input: JSON.stringify(request) + '\n', maxBuffer: 1 << 26 }
    const answer = JSON.parse(process.getBuiltinModule('child_process').execFileSync('SERVE', ['serve', 'MACHINE'], options))
    if (answer.type === 'skip') throw new Unsupported(answer.reason)
    if (answer.type === 'error') throw new Error(answer.message)
    return answer.steps[0].fields
  }
}

",
};

impl Filled {
    /// The text of the template for a machine, with that machine in it.
    fn text(&self, folder: &Path, machine: &str) -> String {
        let args = ["vm", "init", self.language, "mine", "--machine", machine, "--force"];
        let made = ran(command(&args).current_dir(folder).output().unwrap());
        assert_eq!(made.exit, 0, "{made:?}");
        let template = fs::read_to_string(folder.join(self.file)).unwrap();
        let start = template.find("class Machine").unwrap();
        let end = template.find("def run(").or_else(|| template.find("// The states after")).unwrap();
        let machine = self.machine.replace("SERVE", SERVE).replace("MACHINE", machine);
        format!("{}{machine}{}", &template[..start], &template[end..])
    }

    fn is_installed(&self) -> bool {
        let is_there = Command::new(self.program).arg("--version").output().is_ok();
        if !is_there {
            skip(&format!("{} is not installed, so that its template is not run", self.program));
        }
        is_there
    }
}

/// What `vmconf` says in a folder.
fn vmconf_in(folder: &Path, args: &[&str]) -> Ran {
    ran(command(args).current_dir(folder).output().unwrap())
}

/// Each template passes what the machine in it passes: no case is unsupported for a lack of actions or fields.
fn assert_passes(filled: &Filled, vectors: &[(&str, &str)]) {
    if !filled.is_installed() {
        return;
    }
    let folder = TempDir::new().unwrap();
    for (machine, path) in vectors {
        fs::write(folder.path().join(filled.file), filled.text(folder.path(), machine)).unwrap();
        let checked = vmconf_in(folder.path(), &["vm", "check", filled.program, filled.file]);
        assert!(
            checked.exit == 0 && checked.stdout.ends_with(" points, 0 wrong\n"),
            "{machine}: {checked:?}"
        );
        let vectors = at_root(format!("vectors/{path}"));
        let vm = format!("mine={} {}", filled.program, filled.file);
        // The tables are thousands of cases that are alike.
        let args = ["run", vectors.to_str().unwrap(), "--vm", &vm, "-E", "not path(~/tables/)"];
        let ran = vmconf_in(folder.path(), &args);
        let last = ran.stdout.lines().last().unwrap_or_default();
        let is_all = last.contains(" passed, 0 failed, 0 errors, 0 skipped in ") && !last.starts_with("0 ");
        assert!(ran.exit == 0 && is_all, "{machine}: {ran:?}");
    }
}

#[test]
fn a_filled_template_in_python_passes_the_vectors() {
    let machines = ["evm", "ethereum", "neo3", "neo2", "tinyvm", "minic89"];
    assert_passes(&PYTHON, &machines.map(|machine| (machine, machine)));
}

/// Fewer vectors: this one starts a process for each state.
#[test]
fn a_filled_template_in_javascript_passes_vectors() {
    let vectors = [
        ("evm", "evm/log"),
        ("ethereum", "ethereum/transfer.json"),
        ("neo3", "neo3/debugger"),
        ("neo2", "neo2/debugger"),
        ("tinyvm", "tinyvm/driver"),
        ("minic89", "minic89/ends.json"),
    ];
    assert_passes(&JAVASCRIPT, &vectors);
}

/// An adapter that takes steps for programs, or programs without members for broken ones, is found.
#[test]
fn steps_that_are_not_done_in_order_on_one_machine_are_found() {
    if !PYTHON.is_installed() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let order = "performs steps in order on one machine";
    let fresh = "the step began on a fresh machine";
    let begins = "    for step in steps:\n";
    let acts = "        for action in step[\"do\"]:\n";
    let runs = "    machine, states = Machine(program), []\n";
    for (machine, from, to, point, why) in [
        // Both are what templates did once.
        ("neo3", begins, "    for step in steps:\n        machine = Machine(program)\n", order, fresh),
        ("tinyvm", begins, "    for step in steps:\n        machine = Machine(program)\n", order, fresh),
        (
            "minic89",
            begins,
            "    for step in steps:\n        machine = Machine(program)\n",
            order,
            "it answers error",
        ),
        (
            "neo3",
            runs,
            "    if not program:\n        raise ValueError(\"the program is empty\")\n    machine, states = Machine(program), []\n",
            "runs a program without members",
            "it answers error (ValueError('the program is empty'))",
        ),
        ("neo3", acts, "        for action in step[\"do\"] or [\"step-into\"]:\n", order, "\"do\" is empty"),
        (
            "neo2",
            acts,
            "        for action in step[\"do\"][:1]:\n",
            "performs all actions of a step",
            "after two actions in one step",
        ),
        (
            "evm",
            acts,
            "        for action in step[\"do\"] if step[\"do\"] != [\"step-into\"] else []:\n",
            order,
            "it is the state before the step",
        ),
    ] {
        let text = PYTHON.text(folder.path(), machine);
        assert!(text.contains(from), "{text}");
        fs::write(folder.path().join("planted.py"), text.replace(from, to)).unwrap();
        let checked = vmconf_in(folder.path(), &["vm", "check", "python3", "planted.py"]);
        let wrong: Vec<_> = checked.stdout.lines().filter(|line| line.starts_with("WRONG")).collect();
        let is_point = |line: &&str| line.starts_with(&format!("WRONG  {point}: ")) && line.contains(why);
        assert!(checked.exit == 1 && wrong.iter().any(is_point), "{machine}, {to}: {}", checked.stdout);
    }
}
