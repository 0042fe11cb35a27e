//! `vmconf bless`: what it writes is what makes the case pass, and nothing else of a file changes.

#![allow(clippy::print_stdout, reason = "a test that fails shows its seed")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::random::Random;
use crate::support::{Ran, VECTORS, at_root, command, is_table, ran, shown, vmconf};
use tempfile::TempDir;
use vmconf::formats::{self, Format, FormatOptions, ReadContext};
use vmconf::model::{Case, CaseId, Expected, Step, Verdict};
use vmconf::run::bless::{BlessOptions, Blessed, Missing, OutcomeChange, bless};
use vmconf::run::sources::{SourceOrigin, VectorSource};
use vmconf::run::{self, VectorFiles};
use vmconf::text::json::{Document, JsonDatum, JsonNode};

// ---- Every own vector

/// A copy of all own vectors but the generated tables, with what stands beside them.
fn copy_of_vectors() -> TempDir {
    let folder = TempDir::new().unwrap();
    let all = walkdir::WalkDir::new(at_root(VECTORS)).into_iter();
    for entry in all.filter_entry(|entry| !is_table(entry.path())) {
        let entry = entry.unwrap();
        let to = folder.path().join(entry.path().strip_prefix(at_root(VECTORS)).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(to).unwrap();
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
    folder
}

fn vectors_in(folder: &Path) -> Vec<PathBuf> {
    let files =
        walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().map(|it| it.unwrap().into_path());
    files.filter(|path| path.extension().is_some_and(|it| it == "json")).collect()
}

/// A vector file that is changed in memory and read like the file.
struct Vector<'p> {
    path: &'p Path,
    format: &'static Format,
    text: String,
}

impl<'p> Vector<'p> {
    fn read(path: &'p Path) -> Vector<'p> {
        let text = fs::read_to_string(path).unwrap();
        let document = Document::parse(text.clone(), 128).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let (format, _) = formats::detection::detect(&document, name).unwrap();
        Vector { path, format, text }
    }

    fn source(&self) -> VectorSource {
        VectorSource::new(self.path.to_owned(), self.path.to_str().unwrap().into(), SourceOrigin::Named)
    }

    /// The text with one change of each case that makes it fail, where `change` finds one, and how
    /// many there are.
    fn corrupted(&self, mut change: impl FnMut(JsonNode<'_>, &Case) -> Option<String>) -> (String, usize) {
        const TRIES: usize = 4;
        let (options, source) = (self.options(), self.source());
        let mut bench = run::Worker::new(&options.run);
        let mut fails = |text: &str, index| {
            let loaded = run::open_text(&source, text.to_owned(), &options);
            loaded.cases() > index && matches!(bench.run_case(&loaded, index).verdict, Verdict::Fail(_))
        };
        let mut text = self.text.clone();
        let mut failing = 0;
        for index in 0..run::open_text(&source, text.clone(), &options).cases() {
            let loaded = run::open_text(&source, text.clone(), &options);
            let there = loaded.case(index).unwrap();
            let node = JsonNode::at_index(there.document, there.node);
            let case = self.case(node);
            let tries = (0..TRIES).filter_map(|_| change(node, &case));
            if let Some(changed) = { tries }.find(|changed| fails(changed, index)) {
                text = changed;
                failing += 1;
            }
        }
        (text, failing)
    }

    /// Read as the format that it is of, or a file that is changed may be of another.
    fn options(&self) -> run::LoadOptions {
        let file = run::FileOptions { format: Some(self.format), ..run::FileOptions::default() };
        run::LoadOptions { file, ..run::LoadOptions::default() }
    }

    fn case(&self, node: JsonNode<'_>) -> Case {
        let files = VectorFiles::new(self.path, self.format.folders);
        let context = ReadContext { options: FormatOptions::default(), files: &files, shared: None };
        self.format.read_case(node, context).case.unwrap()
    }

    /// Which data each case demands when the file has this text: after which step, and the path.
    fn demands(&self, text: &str) -> Vec<(CaseId, Vec<(usize, String)>)> {
        let (options, source) = (self.options(), self.source());
        let loaded = run::open_text(&source, text.to_owned(), &options);
        let demands = |index| {
            let there = loaded.case(index).unwrap();
            let case = self.case(JsonNode::at_index(there.document, there.node));
            let steps = case.steps.into_iter().enumerate();
            let of_step = |(step, it): (usize, Step)| {
                it.end.into_iter().chain(it.assertions).map(move |check| (step, check.at.to_string()))
            };
            (there.id, steps.flat_map(of_step).collect())
        };
        (0..loaded.cases()).map(demands).collect()
    }

    /// What comes of blessing the file when it has this text.
    fn blessed(&self, text: &str) -> Blessed {
        fs::write(self.path, text).unwrap();
        let wanted = BlessOptions { outcome_change: OutcomeChange::Allow, ..BlessOptions::default() };
        bless(&self.source(), &self.options(), &wanted)
    }
}

/// The data that checks of the case stand at.
fn demanded<'d>(test: JsonNode<'d>, case: &Case, of: fn(&Expected) -> bool) -> Vec<JsonNode<'d>> {
    let mut origins: Vec<u32> =
        case.demands().filter(|check| of(&check.expected)).map(|check| check.origin.0).collect();
    origins.dedup();
    let data = origins.into_iter().filter_map(|at| test.document().around(at).pop());
    data.filter(|node| node.at() > test.at()).collect()
}

/// Whether this selects a snapshot of a trace, which no machine computes.
fn names_snapshot(node: JsonNode<'_>) -> bool {
    let around = node.document().around(node.at());
    let [.., list, snapshot, _] = around[..] else { return false };
    list.is_array() && snapshot.member("step").is_some_and(|step| step.at() == node.at())
}

/// Whether this is a number with a fraction or an exponent, which is blessed as one without.
fn has_many_spellings(node: JsonNode<'_>) -> bool {
    matches!(node.datum(), JsonDatum::Number(text) if text.contains(['.', 'e', 'E']))
}

/// States in place of which another one can stand.
const STATES: [[&str; 2]; 2] = [["\"HALT\"", "\"FAULT\""], ["\"Halt\"", "\"Fault\""]];

/// One character of a leaf is another of the same kind; a truth value, the other; a state, another.
fn other_leaf(test: JsonNode<'_>, case: &Case, random: &mut Random) -> Option<String> {
    // Not what is one of several: it says less than what the machine did.
    let leaves =
        demanded(test, case, |expected| matches!(expected, Expected::Is(_) | Expected::IsOrAbsent(_)));
    let other_name = |node: &JsonNode<'_>| matches!(&*node.raw().to_lowercase(), "\"pushf\"" | "\"pusht\"");
    let of_many = |node: &JsonNode<'_>| node.is_array() || node.is_object();
    let leaves: Vec<_> = leaves.into_iter().filter(|node| !of_many(node) && !other_name(node)).collect();
    let leaves: Vec<_> =
        leaves.into_iter().filter(|node| !names_snapshot(*node) && !has_many_spellings(*node)).collect();
    let leaf = random.one_of(&leaves)?;
    let raw = leaf.raw();
    let other = match leaf.datum() {
        JsonDatum::Bool(value) => (!value).to_string(),
        _ if STATES.iter().any(|states| states.contains(&raw)) => {
            let states = STATES.iter().find(|states| states.contains(&raw)).unwrap();
            states[1 - states.iter().position(|state| *state == raw).unwrap()].to_owned()
        }
        _ => {
            let start = if raw.starts_with("\"0x") { 3 } else { 0 };
            let places = raw.char_indices().skip(start).filter(|it| it.1.is_ascii_alphanumeric());
            let places: Vec<_> = places.collect();
            let (at, old) = random.one_of(&places)?;
            // The lowest bit keeps a digit a digit, and the case of a letter.
            let new = char::from(old as u8 ^ 1);
            format!("{}{new}{}", &raw[..at], &raw[at + 1..])
        }
    };
    Some(with(leaf, &other))
}

/// The document with another text for a datum.
fn with(node: JsonNode<'_>, other: &str) -> String {
    let mut text = node.document().text().to_owned();
    let at = node.at() as usize;
    text.replace_range(at..at + node.raw().len(), other);
    text
}

#[test]
fn a_changed_expectation_of_any_vector_is_restored() {
    let mut random = Random::seeded_by("BLESS_SEED");
    let folder = copy_of_vectors();
    let mut changed = 0;
    for path in vectors_in(folder.path()) {
        let vector = Vector::read(&path);
        let (text, failing) = vector.corrupted(|test, case| other_leaf(test, case, &mut random));
        if failing == 0 {
            continue;
        }
        let blessed = vector.blessed(&text);
        assert_eq!(blessed.refused, [], "{}", path.display());
        assert_eq!(blessed.changes.len(), failing);
        let new = blessed.with(&blessed.changes);
        assert!(blessed.old == text);
        let wrong = new.lines().zip(vector.text.lines()).find(|(new, old)| new != old);
        // What a vector lists with zeros and the machine does not have is deleted. A wrong root does not say which of
        // two worlds a refused transaction leaves.
        let may_differ = new.len() < text.len() || path.ends_with("ethereum/refused-before-eip158.json");
        let passes = may_differ && vector.blessed(&new).changes.is_empty();
        assert!(new == vector.text || passes, "{}: {wrong:?}", path.display());
        changed += failing;
    }
    assert!(changed > 4000, "{changed} leaves");
}

/// A list or record that is demanded as a whole has an element twice or less.
fn other_size(test: JsonNode<'_>, case: &Case, random: &mut Random) -> Option<String> {
    let sized = demanded(test, case, |expected| matches!(expected, Expected::Len(_) | Expected::Only(_)));
    let sized: Vec<_> =
        sized.into_iter().filter(|node| node.items().chain(values(*node)).next().is_some()).collect();
    let container = random.one_of(&sized)?;
    let elements: Vec<_> = container.items().chain(values(container)).collect();
    let element = random.one_of(&elements)?;
    let key = container.members().find(|member| member.value == element);
    let from = key.as_ref().map_or(element.at(), |member| member.key_at) as usize;
    let text = test.document().text();
    let raw = &text[from..element.at() as usize + element.raw().len()];
    let rest = text[from + raw.len()..].trim_start();
    let mut other = text.to_owned();
    if rest.starts_with(',') && random.below(2) == 0 {
        let comma = text.len() - rest.len();
        other.replace_range(from..=comma, "");
    } else {
        // Another key, or the document would have one twice.
        let twin = raw.replacen(['0', '1'], "7", 9).replacen('2', "8", 1);
        let twin = if key.is_some() { &twin } else { raw };
        other.insert_str(from, &format!("{twin},\n\t"));
    }
    Some(other)
}

fn values(object: JsonNode<'_>) -> impl Iterator<Item = JsonNode<'_>> {
    object.members().map(|member| member.value)
}

#[test]
fn a_list_of_another_size_of_any_vector_passes_again() {
    let mut random = Random::seeded_by("BLESS_SEED");
    let folder = copy_of_vectors();
    let mut changed = 0;
    for path in vectors_in(folder.path()) {
        let vector = Vector::read(&path);
        let (text, failing) = vector.corrupted(|test, case| other_size(test, case, &mut random));
        if failing == 0 {
            continue;
        }
        let blessed = vector.blessed(&text);
        assert_eq!(blessed.refused, [], "{}", path.display());
        assert_eq!(blessed.changes.len(), failing);
        let new = blessed.with(&blessed.changes);
        let again = vector.blessed(&new);
        assert!(again.changes.is_empty() && again.refused.is_empty() && again.broken.is_empty());
        changed += failing;
    }
    assert!(changed > 1000, "{changed} lists");
}

/// The text without what a vector need not demand: all of a result but its members that `keeps` names.
fn emptied(text: &str, keeps: &[&str]) -> String {
    let mut document: Json = serde_json::from_str(text).unwrap();
    let tests = document["tests"].as_array_mut().unwrap();
    for test in tests {
        if let Some(steps) = test.get_mut("steps").and_then(Json::as_array_mut) {
            for step in steps {
                step["result"].as_object_mut().unwrap().retain(|name, _| keeps.contains(&&**name));
            }
        } else {
            test["expect"] = json!({});
        }
    }
    document.to_string()
}

/// The machine's own state, which was demanded before, is demanded again, and what the vector left out as well.
#[test]
fn fill_demands_what_was_left_out() {
    let folder = copy_of_vectors();
    let mut filled = 0;
    for path in vectors_in(folder.path()) {
        let name = path.strip_prefix(folder.path()).unwrap().to_str().unwrap().to_owned();
        if !name.starts_with("neo3") && !name.starts_with("minic89") {
            continue;
        }
        let vector = Vector::read(&path);
        if vector.text.contains("\"trace\"") || !vector.blessed(&vector.text).changes.is_empty() {
            continue;
        }
        let wanted = BlessOptions { missing: Missing::Fill, ..BlessOptions::default() };
        fs::write(&path, emptied(&vector.text, &[])).unwrap();
        let blessed = bless(&vector.source(), &vector.options(), &wanted);
        assert!(blessed.broken.is_empty(), "{name}: {:?}", blessed.broken);
        let new = blessed.with(&blessed.changes);
        fs::write(&path, &new).unwrap();
        let again = bless(&vector.source(), &vector.options(), &wanted);
        assert!(again.changes.is_empty(), "{name}");
        let refused: Vec<_> = blessed.refused.iter().map(|refusal| &refusal.case).collect();
        let [old, new] = [&vector.text, &new].map(|text| vector.demands(text));
        for ((id, old), (_, new)) in old.iter().zip(&new).filter(|(old, _)| !refused.contains(&&old.0)) {
            let missing = old.iter().find(|demand| !new.contains(demand));
            assert_eq!(missing, None, "{id}");
            filled += 1;
        }
    }
    assert!(filled > 1_000, "{filled} cases");
}

// ---- The command

const ADD: &str = "vectors/evm/arithmetic/add.json";

/// A folder with the vector file of ADD, its text changed.
struct Sandbox {
    folder: TempDir,
    old: String,
}

impl Sandbox {
    fn new(from: &str, to: &str) -> Sandbox {
        let text = fs::read_to_string(at_root(ADD)).unwrap();
        assert!(text.contains(from), "{from}");
        let old = text.replacen(from, to, 1);
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("add.json"), &old).unwrap();
        Sandbox { folder, old }
    }

    fn path(&self) -> String {
        self.folder.path().join("add.json").to_str().unwrap().to_owned()
    }

    fn text(&self) -> String {
        assert_eq!(fs::read_dir(self.folder.path()).unwrap().count(), 1, "a temporary file is left");
        fs::read_to_string(self.path()).unwrap()
    }

    /// `vmconf bless` of the file with these arguments, the folder taken out of the output.
    fn bless(&self, args: &[&str]) -> Ran {
        let Ran { exit, stdout, stderr } = vmconf(&[&["bless", &self.path()], args].concat());
        let folder = format!("{}/", shown(self.folder.path()));
        Ran { exit, stdout: stdout.replace(&folder, ""), stderr: stderr.replace(&folder, "") }
    }
}

const LEAF: &str = "post/0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/storage/0x00";

#[test]
fn without_a_terminal_the_change_is_shown_and_not_made() {
    let sandbox = Sandbox::new("\"gas\": \"0x013874\"", "\"gas\": \"0x013875\"");
    let ran = sandbox.bless(&[]);
    let diff = "\
add.json::small
  gas after step 5, 0x07 SSTORE of 0, 3
--- add.json
+++ add.json
@@ -8,7 +8,7 @@
       \"value\": \"0x00\", \"gasPrice\": \"0x01\", \"gas\": \"0x0186a0\", \"data\": \"0x\",
       \"code\": \"0x6001600201600055\"
     },
-    \"gas\": \"0x013875\",
+    \"gas\": \"0x013874\",
     \"out\": \"0x\",
     \"logs\": \"0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347\",
     \"callcreates\": [],
4 passed, 0 blessed, 1 not written, 0 refused, 0 errors
";
    let note = "note: nothing is written without a terminal to ask on; --yes writes the changes shown\n";
    assert_eq!(ran, Ran { exit: 1, stdout: diff.to_owned(), stderr: note.to_owned() });
    assert_eq!(sandbox.text(), sandbox.old);

    let yes = sandbox.bless(&["--yes"]);
    let stdout = diff.replace("0 blessed, 1 not", "1 blessed, 0 not");
    assert_eq!(yes, Ran { exit: 0, stdout, stderr: String::new() });
    assert_eq!(sandbox.text(), fs::read_to_string(at_root(ADD)).unwrap());

    let again = sandbox.bless(&["--yes"]);
    let stdout = "5 passed, 0 blessed, 0 not written, 0 refused, 0 errors\n".to_owned();
    assert_eq!(again, Ran { exit: 0, stdout, stderr: String::new() });
}

#[test]
fn leaf_limits_the_change_to_one_value() {
    let wrong = "\"post\": {\"0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\": {\"balance\": \"0x07\", \"nonce\": \"0x07\", \
                 \"code\": \"0x\", \"storage\": {\"0x00\": \"0x04\"";
    let right = wrong.replace("\"balance\": \"0x07\"", "\"balance\": \"0x03e8\"").replace("0x04", "0x03");
    let sandbox = Sandbox::new(&right, wrong);
    let other = sandbox.bless(&["--yes", "--leaf", "gas"]);
    assert_eq!((other.exit, &*sandbox.text()), (1, &*sandbox.old));
    assert_eq!(other.stderr, "note: differences of 1 case are not in what --leaf names\n");
    assert_eq!(sandbox.bless(&["--yes", "--leaf", LEAF]).exit, 0);
    assert_eq!(sandbox.text(), sandbox.old.replacen("\"0x00\": \"0x04\"", "\"0x00\": \"0x03\"", 1));
    assert_eq!(sandbox.bless(&["--yes", "--leaf", "post"]).exit, 0);
    assert_eq!(vmconf(&["run", &sandbox.path()]).exit, 0);
}

#[test]
fn another_end_is_blessed_only_when_that_is_allowed() {
    let sandbox = Sandbox::new("\"gas\": \"0x0186a0\"", "\"gas\": \"0x02\"");
    let refused = sandbox.bless(&["--yes"]);
    assert_eq!(refused.exit, 1);
    let why =
        "outcome: the run ended with \"halt\" instead of \"success\"; --allow-outcome-change accepts that";
    assert_eq!(refused.stderr, format!("refused: add.json:15:13: {why}\n  in add.json::small\n"));
    assert_eq!(sandbox.text(), sandbox.old);
    assert_eq!(sandbox.bless(&["--yes", "--allow-outcome-change"]).exit, 0);
    assert_eq!(vmconf(&["run", &sandbox.path()]).exit, 0);
    assert!(sandbox.text().contains("\"0x6001600201600055\"\n    }\n  },"), "{}", sandbox.text());
}

/// What a state has only after some ends says how the run ended, too: without it, a case would compare nothing.
#[test]
fn a_demand_on_another_end_is_not_removed() {
    let code = r#"{"op": "LOAD_LOCAL", "args": [0]}, {"op": "DUP", "args": []}, {"op": "ADD", "args": []}, {"op": "RET", "args": []}"#;
    let function =
        format!(r#"{{"fid": 1, "name": "twice", "param_count": 1, "local_count": 1, "code": [{code}]}}"#);
    let versions = r#""schema_version": "MiniC89.VM.Metadata.v0.2", "isa_version": "MiniC89.ISA.v0.1""#;
    let minic89 = |test: &str| {
        format!(
            r#"{{"machine": "minic89", "program": {{{versions}, "functions": [{function}]}}, "tests": [{{"name": "x", {test}}}]}}"#
        )
    };
    let tinyvm = |test: &str| format!(r#"{{"machine": "tinyvm", "tests": [{{"name": "x", {test}}}]}}"#);
    // 40000 is more than an int of MiniC89 holds.
    for (text, field, allowed) in [
        (minic89(r#""args": [20000], "expect": {"halt": {"result": 1}}"#), "halt", r#""expect": {}"#),
        (minic89(r#""args": [20], "expect": {"trap": {"code": "TRAP_TYPE"}}"#), "trap", r#""expect": {}"#),
        (
            tinyvm(r#""instructions": ["nop"], "steps": 1, "expect": {"value": 7, "registers": {"r1": 0}}"#),
            "value",
            r#""expect": {"registers": {"r1": 0}}"#,
        ),
    ] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("x.json");
        fs::write(&path, &text).unwrap();
        let path = path.to_str().unwrap();
        let refused = vmconf(&["bless", "--yes", path]);
        let why = format!("{field}: the run ended without {field}; --allow-outcome-change accepts that");
        assert!(refused.exit == 1 && refused.stderr.contains(&why), "{refused:?}");
        assert_eq!(fs::read_to_string(path).unwrap(), text);
        let blessed = vmconf(&["bless", "--yes", "--allow-outcome-change", path]);
        assert_eq!(blessed.exit, 0, "{blessed:?}");
        assert!(fs::read_to_string(path).unwrap().contains(allowed), "{blessed:?}");
    }
}

/// A file with these bytes, blessed with these arguments, and its text afterwards.
fn blessed_text(text: &str, args: &[&str]) -> (Ran, String) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.json");
    fs::write(&path, text).unwrap();
    let ran = vmconf(&[&["bless", "--yes", path.to_str().unwrap()], args].concat());
    (ran, fs::read_to_string(path).unwrap())
}

/// A difference that stays hides what is compared after it: nothing is filled in there, since it would not be verified.
#[test]
fn nothing_is_filled_in_where_nothing_is_compared() {
    let text = fs::read_to_string(at_root("docs/examples/formats/minic89.json")).unwrap();
    let test = text.find("\"tests\": [").unwrap() + "\"tests\": [".len();
    let text =
        format!("{}{{\"name\": \"far\", \"args\": [5], \"trace\": [{{\"step\": 9}}]}}]}}", &text[..test]);
    let (ran, after) = blessed_text(&text, &["--fill"]);
    assert!(ran.exit == 1 && ran.stderr.contains("step: the run has no such step"), "{ran:?}");
    assert!(ran.stdout.ends_with("0 passed, 0 blessed, 0 not written, 1 refused, 0 errors\n"), "{ran:?}");
    assert_eq!(after, text);
}

/// What cannot be written is not filled in, and the rest of the case is: a stack of 2^20 items is none to write.
#[test]
fn the_rest_of_a_case_is_filled_in() {
    let pairs = "\"DUP\", \"PUSH2\", \"PACK\"".to_owned();
    let script = format!("\"PUSH1\", {}", [&*pairs; 20].join(", "));
    let text = format!(
        r#"{{"category": "c", "name": "n", "machine": "neo3", "tests": [{{"name": "x", "script": [{script}], "steps": [{{"actions": ["Execute"], "result": {{"state": "HALT"}}}}]}}]}}"#
    );
    let (ran, after) = blessed_text(&text, &["--fill"]);
    assert!(ran.exit == 0 && ran.stdout.contains("1 blessed, 0 not written, 0 refused"), "{ran:?}");
    // Each array counts its two items, which are references to one array, and the stack counts the last one.
    assert!(after.contains("\"refs\": 41") && !after.contains("resultStack"), "{after}");
}

/// `expectException` demands that a transaction is refused; without it, that it is executed.
#[test]
fn whether_a_transaction_is_refused_is_blessed() {
    let old = fs::read_to_string(at_root("docs/examples/formats/statetest.json")).unwrap();
    let limit = old.find("\"gasLimit\"").unwrap();
    let at = limit + old[limit..].find("0x").unwrap();
    let end = at + old[at..].find('"').unwrap();
    // A transaction costs 21,000 before anything is executed.
    let refused = format!("{}0x5207{}", &old[..at], &old[end..]);
    let (ran, text) = blessed_text(&refused, &[]);
    assert!(ran.exit == 1 && ran.stderr.contains("--allow-outcome-change accepts that"), "{ran:?}");
    assert_eq!(text, refused);
    let (ran, text) = blessed_text(&refused, &["--allow-outcome-change"]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert!(text.contains("\"expectException\": \"TransactionException.INTRINSIC_GAS_TOO_LOW\""), "{text}");
    let executed = text.replace("0x5207", &old[at..end]);
    let (ran, text) = blessed_text(&executed, &["--allow-outcome-change"]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    let parsed = |text: &str| serde_json::from_str::<Json>(text).unwrap();
    assert_eq!(parsed(&text), parsed(&old));
    // A null demands nothing.
    let logs = &parsed(&old)["transfer"]["post"]["London"][0]["logs"];
    let (ran, text) = blessed_text(&old.replace(&logs.to_string(), "null"), &["--fill"]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert_eq!(text, old);
}

#[test]
fn broken_cases_are_never_blessed() {
    let broken = Sandbox::new("\"gas\": \"0x013874\"", "\"gas\": 1.5");
    let ran = broken.bless(&["--yes", "--allow-outcome-change"]);
    assert_eq!((ran.exit, &*broken.text()), (3, &*broken.old));
    assert!(ran.stderr.starts_with("error: add.json:11:12: "), "{}", ran.stderr);
    let limited = Sandbox::new("\"gas\": \"0x013874\"", "\"gas\": \"0x013875\"");
    let ran = limited.bless(&["--yes", "--allow-outcome-change", "--max-steps", "1"]);
    assert_eq!((ran.exit, &*limited.text()), (3, &*limited.old));
    // An error without a place names the case.
    let of_case = |line: &str| line.starts_with("error: add.json::") && line.contains("limit of the runner");
    assert!(ran.stderr.lines().any(of_case), "{}", ran.stderr);
    // The other cases of the file are blessed all the same.
    let both = Sandbox::new("\"gas\": \"0x01730c\"", "\"gas\": \"0x01730d\"");
    let text = both.old.replacen("\"gas\": \"0x013874\"", "\"gas\": 1.5", 1);
    fs::write(both.path(), &text).unwrap();
    assert_eq!(both.bless(&["--yes"]).exit, 3);
    assert_eq!(both.text(), text.replace("0x01730d", "0x01730c"));
}

#[test]
fn unsupported_cases_are_not_errors() {
    let ran = vmconf(&["bless", "--yes", "tests/samples/statetest/unsupported"]);
    let last = "0 passed, 0 blessed, 0 not written, 0 refused, 5 unsupported, 0 errors\n";
    assert_eq!((ran.exit, &*ran.stdout), (4, last), "{ran:?}");
}

/// The other differences then belong to a run with another outcome.
#[test]
fn a_run_that_ended_in_another_way_is_not_blessed() {
    let stop = "tests/samples/tinyvm/wrong/stop.json";
    for leaf in [&[][..], &["--leaf", "time"]] {
        let ran = vmconf(&[&["bless", "--yes", stop], leaf].concat());
        assert_eq!((ran.exit, ran.stdout.lines().count()), (1, 1), "{}", ran.stdout);
        assert!(ran.stderr.starts_with(&format!("refused: {stop}:8:26: stop: the run ended with")));
    }
}

/// A file with one case of the 2.x or N3 format, with this result.
fn neovm(folder: &TempDir, script: &str, result: &str) -> (String, String) {
    let path = folder.path().join("one.json");
    let text = format!(
        "{{\"category\": \"c\", \"name\": \"n\", \"tests\": [\n  {{\"name\": \"one\", \"script\": {script}, \
         \"steps\": [\n    {{\"actions\": [\"Execute\"], \"result\": {result}}}\n  ]}}\n]}}\n"
    );
    fs::write(&path, &text).unwrap();
    (path.to_str().unwrap().to_owned(), text)
}

#[test]
fn values_that_the_format_cannot_write_are_refused_and_the_rest_is_blessed() {
    let folder = TempDir::new().unwrap();
    // An array that holds itself.
    let script = "[\"NEWARRAY0\", \"DUP\", \"DUP\", \"APPEND\"]";
    let (path, text) = neovm(&folder, script, "{\"state\": \"HALT\", \"resultStack\": [], \"refs\": 7}");
    let ran = vmconf(&["bless", "--yes", &path]);
    let why = "the format has no way to write this Array: contains itself";
    let name = shown(&path);
    let expected = format!("refused: {name}:3:73: resultStack: {why}\n  in {name}::one\n");
    assert_eq!((ran.exit, ran.stderr), (1, expected));
    assert_eq!(fs::read_to_string(&path).unwrap(), text.replace("\"refs\": 7", "\"refs\": 2"));
}

/// A few instructions make a value that shares its parts, and would fill the file with copies of them.
#[test]
fn a_value_of_shared_parts_is_refused() {
    let folder = TempDir::new().unwrap();
    // Each array holds the one before it twice: 2^18 values.
    let script = format!("[\"NEWARRAY0\"{}]", ", \"DUP\", \"PUSH2\", \"PACK\"".repeat(17));
    let result = "{\"state\": \"HALT\", \"resultStack\": [{\"type\": \"Integer\", \"value\": 2}]}";
    let (path, text) = neovm(&folder, &script, result);
    let ran = vmconf(&["bless", "--yes", &path]);
    assert_eq!((ran.exit, &*fs::read_to_string(&path).unwrap()), (1, &*text));
    assert!(ran.stderr.contains("it has more than 100000 values in it"), "{}", ran.stderr);
}

/// Without a type of 2.x, nothing in this file would show which generation it is of.
#[test]
fn a_change_that_makes_it_another_format_is_refused() {
    let folder = TempDir::new().unwrap();
    let result = "{\"state\": \"HALT\", \"resultStack\": [{\"type\": \"ByteArray\", \"value\": \"0x05\"}]}";
    let (path, text) = neovm(&folder, "\"0x51\"", result);
    let ran = vmconf(&["bless", "--yes", &path]);
    assert_eq!((ran.exit, &*fs::read_to_string(&path).unwrap()), (1, &*text));
    assert!(ran.stderr.contains("the changed file would not be read as it is now"), "{}", ran.stderr);
}

#[test]
fn without_a_difference_nothing_is_blessed() {
    assert_eq!(vmconf(&["bless", ADD]).exit, 0);
    assert_eq!(vmconf(&["bless", ADD, "--filter", "nonsense"]).exit, 4);
    assert_eq!(vmconf(&["bless", "nowhere.json"]).exit, 2);
}

#[test]
fn changes_are_coloured_on_request() {
    let sandbox = Sandbox::new("\"gas\": \"0x013874\"", "\"gas\": \"0x013875\"");
    let path = sandbox.path();
    let forced = ran(command(&["bless", &path]).env("CLICOLOR_FORCE", "1").output().unwrap()).stdout;
    assert!(forced.contains("\u{1b}[31m-    \"gas\": \"0x013875\",\u{1b}[0m\n"), "{forced}");
    assert_eq!(anstream::adapter::strip_str(&forced).to_string(), vmconf(&["bless", &path]).stdout);
}

/// A link stays one, and a file keeps its permissions; one that is read-only stays.
#[cfg(unix)]
#[test]
fn links_and_permissions_of_the_file_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let sandbox = Sandbox::new("\"gas\": \"0x013874\"", "\"gas\": \"0x013875\"");
    let folder = TempDir::new().unwrap();
    let link = folder.path().join("link.json");
    symlink(sandbox.path(), &link).unwrap();
    let mode = |mode| fs::set_permissions(sandbox.path(), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o400);
    let refused = sandbox.bless(&["--yes"]);
    assert_eq!((refused.exit, &*sandbox.text()), (3, &*sandbox.old));
    assert_eq!(refused.stderr, "not written: add.json: the file is read-only\n");
    mode(0o640);
    assert_eq!(vmconf(&["bless", "--yes", link.to_str().unwrap()]).exit, 0);
    assert!(link.is_symlink());
    assert_ne!(sandbox.text(), sandbox.old);
    assert_eq!(fs::metadata(sandbox.path()).unwrap().permissions().mode() & 0o777, 0o640);
}

/// What must not be there is deleted: a slot or an account that the machine does not have is not written as zero.
#[test]
fn data_that_must_be_absent_is_deleted() {
    let deleted =
        [("storage-missing", "\"0x01\": \"0xffff"), ("account-missing", "\"0xdddddddddddddddddddddddddddd")];
    for (sample, deleted) in deleted {
        let old = fs::read_to_string(at_root(format!("tests/samples/vmtests/wrong/{sample}.json"))).unwrap();
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("case.json");
        fs::write(&path, &old).unwrap();
        assert_eq!(vmconf(&["bless", "--yes", path.to_str().unwrap()]).exit, 0, "{sample}");
        let new = fs::read_to_string(&path).unwrap();
        assert_eq!((old.matches(deleted).count(), new.matches(deleted).count()), (1, 0), "{sample}: {new}");
        // Every line that is left was there before, but for a comma after it.
        let is_new = |line: &&str| !old.contains(line.trim_end_matches(','));
        assert_eq!(new.lines().find(is_new), None, "{sample}");
    }
}

/// `--vm` of a machine whose answers are edited by this script of sed.
fn edited(folder: &TempDir, machine: &str, script: &str) -> String {
    let path = folder.path().join("machine.sh");
    let serve = env!("CARGO_BIN_EXE_vmconf");
    fs::write(&path, format!("'{serve}' serve {machine} | sed -u -e '{script}'\n")).unwrap();
    format!("m=sh {}", path.display())
}

/// An answer leaves out a field without a value. That is no empty list, and no reason to demand less.
#[test]
fn a_field_that_an_answer_leaves_out_is_refused() {
    let check = |text: &str, machine: &str, script: &str, field: &str| {
        let folder = TempDir::new().unwrap();
        let vm = edited(&folder, machine, script);
        let (ran, after) = blessed_text(text, &["--vm", &vm]);
        assert_eq!((ran.exit, &*after), (1, text), "{ran:?}");
        let why = format!("{field}: the format cannot express that there is no value");
        assert!(ran.stderr.contains(&why), "{ran:?}");
        assert!(ran.stdout.ends_with("0 passed, 0 blessed, 0 not written, 1 refused, 0 errors\n"), "{ran:?}");
    };
    let neo3 = |stack: &str| {
        format!(
            r#"{{"category": "c", "name": "n", "machine": "neo3", "tests": [{{"name": "x", "script": ["PUSH7"], "steps": [{{"actions": ["Execute"], "result": {{"state": "HALT", "resultStack": {stack}}}}}]}}]}}"#
        )
    };
    let leaves_out = r#"s/"resultStack":\[[^]]*\]//;s/,}/}/"#;
    check(&neo3(r#"[{"type": "Integer", "value": 7}]"#), "neo3", leaves_out, "resultStack");
    let evm = fs::read_to_string(at_root(ADD)).unwrap();
    let mut tests: Json = serde_json::from_str(&evm).unwrap();
    tests.as_object_mut().unwrap().retain(|name, _| name == "small");
    check(&tests.to_string(), "evm", r#"s/,"post":.*}}],"ended"/}}],"ended"/"#, "post");
    let minic89 = fs::read_to_string(at_root("docs/examples/formats/minic89.json")).unwrap();
    let at = minic89.find("\"tests\": [").unwrap() + "\"tests\": [".len();
    let test = r#"{"name": "x", "args": [21], "expect": {"status": "HALTED", "pc": null}}"#;
    check(&format!("{}{test}]}}", &minic89[..at]), "minic89", r#"s/,"pc":null//"#, "pc");
}

/// A case that a machine cannot run is counted once, and not changed.
#[test]
fn a_case_that_is_not_run_is_counted_once() {
    let folder = TempDir::new().unwrap();
    let test = |name: &str, result: &str| {
        format!(r#"{{"name": "{name}", "script": ["PUSH7"], "steps": [{{"actions": ["Execute"]{result}}}]}}"#)
    };
    let tests = [test("a", ""), test("b", r#", "result": {"state": "HALT"}"#)].join(", ");
    let text = format!(r#"{{"category": "c", "name": "n", "machine": "neo3", "tests": [{tests}]}}"#);
    let refuses = r#"s/"type":"done","id":\([0-9]*\).*/"type":"skip","id":\1,"reason":"no PUSH7"}/"#;
    let vm = edited(&folder, "neo3", refuses);
    let (ran, after) = blessed_text(&text, &["--fill", "--vm", &vm]);
    assert_eq!((ran.exit, &*after), (4, &*text), "{ran:?}");
    let last = "0 passed, 0 blessed, 0 not written, 0 refused, 2 unsupported, 0 errors\n";
    assert_eq!(ran.stdout, last, "{ran:?}");
}

/// The root of a state is not written beside another state that nobody compared.
#[cfg(feature = "ethereum")]
#[test]
fn a_root_is_not_written_beside_another_state() {
    let old = fs::read_to_string(at_root("docs/examples/formats/statetest.json")).unwrap();
    let mut tests: Json = serde_json::from_str(&old).unwrap();
    let entry = &mut tests["transfer"]["post"]["London"][0];
    entry["hash"] = format!("0x{}", "11".repeat(32)).into();
    let wrong_root = tests.to_string();
    let (ran, text) = blessed_text(&wrong_root, &["--ignore", "state"]);
    assert_eq!(
        (ran.exit, serde_json::from_str::<Json>(&text).unwrap()),
        (0, serde_json::from_str(&old).unwrap()),
        "{ran:?}"
    );
    let entry = &mut tests["transfer"]["post"]["London"][0];
    entry["state"]["0x00000000000000000000000000000000000000b0"]["balance"] = "0x01".into();
    let both = tests.to_string();
    let (ran, text) = blessed_text(&both, &["--ignore", "state"]);
    assert_eq!((ran.exit, &*text), (1, &*both), "{ran:?}");
    assert!(ran.stderr.contains("root: the case demands state of another root"), "{ran:?}");
}

/// "The exit code is 0 if all cases pass or were blessed".
#[test]
fn cases_that_differ_elsewhere_than_the_leaf_do_not_pass() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("two.json");
    let test = |name: &str, value: u8, refs: u8| {
        let stack = format!(r#"[{{"type": "Integer", "value": {value}}}]"#);
        format!(
            r#"{{"name": "{name}", "script": ["PUSH7"], "steps": [{{"actions": ["Execute"], "result": {{"state": "HALT", "resultStack": {stack}, "refs": {refs}}}}}]}}"#
        )
    };
    let text = |first, other| {
        let tests = [test("a", 7, first), test("b", other, 1)].join(", ");
        format!(r#"{{"category": "c", "name": "n", "machine": "neo3", "tests": [{tests}]}}"#)
    };
    fs::write(&path, text(2, 8)).unwrap();
    let ran = vmconf(&["bless", "--yes", "--leaf", "refs", path.to_str().unwrap()]);
    assert_eq!((ran.exit, fs::read_to_string(&path).unwrap()), (1, text(1, 8)), "{ran:?}");
    assert!(ran.stdout.ends_with("0 passed, 1 blessed, 0 not written, 0 refused, 0 errors\n"), "{ran:?}");
}

/// Each of the samples in which one thing is wrong, also that a run ends in another way.
#[test]
fn every_wrong_sample_passes_again() {
    for folder in ["vmtests", "neovm-n3", "neovm-2x", "tinyvm"] {
        let copy = TempDir::new().unwrap();
        for path in crate::support::files(format!("tests/samples/{folder}/wrong"), "json") {
            fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
        }
        let path = copy.path().to_str().unwrap();
        let before = vmconf(&["run", "-q", path]).stdout;
        let failed: usize = before.split(", ").nth(1).unwrap().trim_end_matches(" failed").parse().unwrap();
        let blessed = vmconf(&["bless", "--yes", "--allow-outcome-change", path]).stdout;
        let summary = format!("{failed} blessed, 0 not written, 0 refused");
        assert!(
            failed > 5 && blessed.lines().last().unwrap().contains(&summary),
            "{folder}: {before}{blessed}"
        );
        assert!(vmconf(&["run", "-q", path]).stdout.contains(" 0 failed"), "{folder}");
    }
}

/// How items are written that were not there, or are of another type.
#[test]
fn items_of_2x_are_written_in_their_notation() {
    let check = |script: &str, wrong: &str, right: &str| {
        let folder = TempDir::new().unwrap();
        let result = |items: &str| format!("{{\"state\": \"Halt\", \"resultStack\": [{items}]}}");
        let (path, text) = neovm(&folder, &format!("\"{script}\""), &result(wrong));
        let ran = vmconf(&["bless", "--yes", &path]);
        assert_eq!(ran.exit, 0, "{ran:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text.replace(&result(wrong), &result(right)));
    };
    let number = |value: u8| format!("{{\"type\": \"Integer\", \"value\": {value}}}");
    let [one, two, three] = [1, 2, 3].map(number);
    check("0x515253", &one, &format!("{three}, {two}, {one}"));
    check("0x51", &format!("{two}, {one}"), &one);
    check("0x51", "{\"type\": \"integer\", \"value\": \"2\"}", "{\"type\": \"integer\", \"value\": \"1\"}");
    check("0x51", "{\"value\": \"0xab\", \"type\": \"ByteArray\"}", "{\"value\": 1, \"type\": \"Integer\"}");
    check("0x51", "{\"type\": \"Array\", \"value\": []}", &one);
    check("0x51c5", &one, "{\"type\": \"Array\", \"value\": [{\"type\": \"Boolean\", \"value\": false}]}");
    // Text stays text as long as the bytes are, base64 stays base64, and so do capitals.
    let bytes = |kind: &str, value: &str| format!("{{\"type\": \"{kind}\", \"value\": \"{value}\"}}");
    check("0x024142", &bytes("String", "AC"), &bytes("String", "AB"));
    check("0x02ff42", &bytes("String", "AC"), &bytes("ByteArray", "0xff42"));
    check("0x02ff42", &bytes("ByteArray", "/0M="), &bytes("ByteArray", "/0I="));
    check("0x02ffab", &bytes("ByteArray", "0xFFAA"), &bytes("ByteArray", "0xFFAB"));
    // A Map as an object, and as keys and values in turn.
    let (first, both) = ("0xc7765153c4", "0xc7765153c4765251c4");
    let map = |pairs: &str| format!("{{\"type\": \"Map\", \"value\": {pairs}}}");
    let pairs = [format!("{{\"0x01\": {three}}}"), format!("{{\"0x01\": {three}, \"0x02\": {one}}}")];
    check(first, "", &map(&pairs[0]));
    check(first, &map("{}"), &map(&pairs[0]));
    check(first, &map(&pairs[1]), &map(&pairs[0]));
    check(both, &map(&pairs[0]), &map(&pairs[1]));
    check(
        both,
        &map(&format!("[{one}, {two}]")),
        &map(&format!("[{one}, {three}, {}, {one}]", bytes("ByteArray", "0x02"))),
    );
    check(first, &map(&format!("[{two}, {two}, {one}, {three}]")), &map(&format!("[{one}, {three}]")));
}

/// "Recorded `destination`: CREATE: empty string", as in all published files.
#[test]
fn the_destination_of_a_creation_is_empty() {
    let sandbox = Sandbox::new("\"0x6001600201600055\"", "\"0x600060006000f000\"");
    assert_eq!(sandbox.bless(&["--yes"]).exit, 0);
    assert!(sandbox.text().contains("\"destination\": \"\""), "{}", sandbox.text());
    let of_a_call = format!("\"destination\": \"0x{}\"", "aa".repeat(20));
    let wrong = sandbox.text().replace("\"destination\": \"\"", &of_a_call);
    fs::write(sandbox.path(), &wrong).unwrap();
    assert_eq!(sandbox.bless(&["--yes"]).exit, 0);
    assert_eq!(sandbox.text(), wrong.replace(&of_a_call, "\"destination\": \"\""));
}

/// What selected a case does not select it again in the changed text, which may demand another end or fail for no
/// cause.
#[test]
fn a_selection_is_that_of_the_text_that_was_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("vector.json");
    let bless = |args: &[&str]| vmconf(&[&["bless", "--yes", path.to_str().unwrap()], args].concat());
    fs::copy(at_root("tests/samples/vmtests/wrong/storage-value.json"), &path).unwrap();
    let blessed = bless(&["-E", "cause(~storage)"]);
    assert!(
        blessed.exit == 0
            && blessed.stdout.ends_with("0 passed, 1 blessed, 0 not written, 0 refused, 0 errors\n"),
        "{blessed:?}"
    );
    let text = r#"{"category": "c", "name": "n", "tests": [
        {"name": "a", "script": ["PUSH7"], "steps": [{"actions": ["Execute"], "result": {"state": "FAULT"}}]},
        {"name": "b", "script": ["PUSH7"], "steps": [{"actions": ["Execute"], "result": {"state": "BREAK"}}]}
    ]}"#;
    fs::write(&path, text).unwrap();
    let blessed = bless(&["-E", "expects(FAULT)", "--allow-outcome-change"]);
    assert!(
        blessed.exit == 0
            && blessed.stdout.ends_with("0 passed, 1 blessed, 0 not written, 0 refused, 0 errors\n"),
        "{blessed:?}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), text.replace("FAULT", "HALT"));
}

/// Without the flag, what an author left out stays out; with it, each format demands all that it can.
#[test]
fn missing_expectations_are_filled_in_on_request() {
    let folder = TempDir::new().unwrap();
    let check = |name: &str, text: &str, filled: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let path = path.to_str().unwrap();
        let plain = vmconf(&["bless", "--yes", path]);
        assert_eq!(fs::read_to_string(path).unwrap(), text, "{plain:?}");
        let ran = vmconf(&["bless", "--yes", "--fill", path]);
        assert_eq!((ran.exit, &*fs::read_to_string(path).unwrap()), (0, filled), "{ran:?}");
        assert_eq!(vmconf(&["run", path]).exit, 0, "{name}");
        let again = vmconf(&["bless", "--yes", "--fill", path]);
        assert_eq!(again.stdout, "1 passed, 0 blessed, 0 not written, 0 refused, 0 errors\n");
    };
    let neo3 = |result: &str| {
        format!(
            r#"{{"category": "c", "name": "n", "machine": "neo3", "tests": [{{"name": "a", "script": ["PUSH7", "PUSH8"], "steps": [{result}]}}]}}"#
        )
    };
    check(
        "state-left-out.json",
        &neo3(r#"{"actions": ["Execute"], "result": {}}"#),
        &neo3(
            r#"{"actions": ["Execute"], "result": {"state": "HALT", "resultStack": [{"type": "Integer", "value": 8}, {"type": "Integer", "value": 7}], "refs": 2}}"#,
        ),
    );
    check(
        "result-left-out.json",
        &neo3(r#"{"actions": ["StepInto"]}"#),
        &neo3(
            r#"{"actions": ["StepInto"], "result": {"state": "BREAK", "invocationStack": [{"instructionPointer": 1, "nextInstruction": "PUSH8", "evaluationStack": [{"type": "Integer", "value": 7}]}], "resultStack": [], "refs": 1}}"#,
        ),
    );
    let tinyvm = |expect: &str| {
        format!(
            r#"{{"machine": "tinyvm", "tests": [{{"name": "a", "instructions": [0], "expect": {expect}}}]}}"#
        )
    };
    check(
        "tinyvm.json",
        &tinyvm("{}"),
        &tinyvm(r#"{"stop": "illegal", "value": 0, "pc": 0, "time": 0, "usedRnd": false, "exact": true}"#),
    );
}

/// An entry without hashes is an error until they are filled in. The values are those of an independent filler.
#[cfg(feature = "ethereum")]
#[test]
fn a_state_test_without_hashes_is_filled_in() {
    let original = fs::read_to_string(at_root("vectors/ethereum/memory-growth.json")).unwrap();
    let mut document: Json = serde_json::from_str(&original).unwrap();
    let entries = |document: &mut Json, change: &dyn Fn(&mut serde_json::Map<String, Json>)| {
        let tests = document.as_object_mut().unwrap().values_mut();
        for list in tests.flat_map(|test| test["post"].as_object_mut().unwrap().values_mut()) {
            list.as_array_mut().unwrap().iter_mut().for_each(|entry| change(entry.as_object_mut().unwrap()));
        }
    };
    let demands = ["hash", "logs", "state"];
    entries(&mut document, &|entry| entry.retain(|name, _| !demands.contains(&&**name)));
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("growth.json");
    fs::write(&path, document.to_string()).unwrap();
    let path = path.to_str().unwrap();
    assert_eq!(vmconf(&["bless", "--yes", path]).exit, 3);
    assert_eq!(vmconf(&["bless", "--yes", "--fill", path]).exit, 0);
    let filled: Json = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let hashes = |document: &Json| -> Vec<Json> {
        let tests = document.as_object().unwrap().values();
        let lists = tests.flat_map(|test| test["post"].as_object().unwrap().values());
        let entries = lists.flat_map(|list| list.as_array().unwrap());
        entries.map(|entry| json!([entry["hash"], entry["logs"]])).collect()
    };
    let original: Json = serde_json::from_str(&original).unwrap();
    assert!(hashes(&filled).len() >= 24);
    assert_eq!(hashes(&filled), hashes(&original));
    entries(&mut filled.clone(), &|entry| assert!(!entry["state"].as_object().unwrap().is_empty()));
}

#[test]
fn yes_needs_a_path() {
    let refused = vmconf(&["bless", "--yes"]);
    let tip = "error: --yes without PATHS would write all of vectors/\ntip: add to the command what to write, such as vectors/\n";
    assert_eq!((refused.exit, &*refused.stderr), (2, tip));
}

/// The change of each case stands under its id and the instruction that made the value.
#[test]
fn the_changes_are_shown_by_case() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("one.json");
    let test = |name: &str, value: u8| {
        format!(
            r#"  {{"name": "{name}", "script": ["PUSH7"], "steps": [{{"actions": ["Execute"],
    "result": {{"state": "HALT", "resultStack": [{{"type": "Integer", "value": {value}}}]}}}}]}}"#
        )
    };
    let text = |value| {
        let cases = ["a", "b"].map(|name| test(name, value)).join(",\n");
        format!("{{\"category\": \"c\", \"name\": \"n\", \"machine\": \"neo3\", \"tests\": [\n{cases}\n]}}\n")
    };
    fs::write(&path, text(8)).unwrap();
    let changes = vmconf(&["bless", path.to_str().unwrap()]).stdout;
    let name = shown(&path);
    for (case, line) in [("a", 3), ("b", 5)] {
        let expected = format!(
            "{name}::{case}\n  resultStack[0] made by step 1, 0x00 PUSH7\n--- {name}\n+++ {name}\n@@ -{},",
            1.max(line - 3)
        );
        assert!(changes.contains(&expected), "{changes}");
    }
}
