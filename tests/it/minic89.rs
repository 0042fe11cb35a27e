//! MiniC89: snapshots of own vectors and of random programs are valid, coherent and say the same as
//! the vectors; every leaf of an expectation that is wrong is reported as itself.

use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::LazyLock;

use crate::support::validator::Validator;
use crate::support::{config, files, read, relative, replay, vmconf, written_in};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use vmconf::explain::trace::{TRACES, TraceSelection, Tracer};
use vmconf::formats::{self, FormatOptions};
use vmconf::machines;
use vmconf::machines::machine::{At, Machine, Watch};
use vmconf::machines::observe::Observe;
use vmconf::model::limits::Limits;
use vmconf::model::{Case, Renderer, Value};
use vmconf::run::compare::diff;
use vmconf::text::json::{Document, JsonDatum, JsonNode};

// ---- Snapshots

/// The snapshots of a case, one before each attempt and one at the end.
fn snapshots(case: &Case) -> Vec<Json> {
    let written = Shared::default();
    let kind = Renderer::by_name(TRACES, "minic89").unwrap();
    let writer = (kind.new)(machines::by_name(case.machine).unwrap().isa);
    let mut tracer = Tracer::new(writer, TraceSelection::default(), Box::new(written.clone()), u64::MAX);
    let machine = replay(case, Some(&mut tracer), &mut |_, _| {});
    tracer.end(&*machine, "").unwrap();
    let text = String::from_utf8(written.0.take()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Bytes that were written.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| Validator::named("minic89-snapshot"));

/// All that must hold for the snapshots of a run besides the schema (section 6 of the reference).
fn assert_coherent(snapshots: &[Json], program: &Json) {
    // 1 and 1.0 are the same id.
    let is_it = |it: &&Json, fid: &Json| it["fid"].as_f64() == fid.as_f64();
    let function = |fid: &Json| program["functions"].as_array().unwrap().iter().find(|it| is_it(it, fid));
    for (index, snapshot) in snapshots.iter().enumerate() {
        assert_eq!(snapshot["step"], index, "{snapshot}");
        let frames = snapshot["call_stack"].as_array().unwrap();
        let operands = snapshot["operand_stack"].as_array().unwrap();
        let is_function = |value: &Json| value["v"] == 0 || function(&value["v"]).is_some();
        assert!(operands.iter().all(|value| value["t"] != "uninit"), "{snapshot}");
        let locals = frames.iter().flat_map(|frame| frame["locals"].as_array().unwrap());
        assert!(operands.iter().chain(locals).filter(|it| it["t"] == "fun").all(is_function), "{snapshot}");
        for (depth, frame) in frames.iter().enumerate() {
            let its = function(&frame["fid"]).unwrap();
            let slots = frame["locals"].as_array().unwrap().len();
            assert_eq!(its["local_count"].as_f64(), Some(f64::from(slots as u32)), "{snapshot}");
            let return_pc = &frame["return_pc"];
            assert_eq!(return_pc.is_null(), depth == 0, "{snapshot}");
            if let Some(below) = depth.checked_sub(1) {
                assert_eq!(return_pc["fid"], frames[below]["fid"], "{snapshot}");
                let call = return_pc["ip"].as_u64().unwrap() as usize - 1;
                let op = &function(&return_pc["fid"]).unwrap()["code"][call]["op"];
                assert!(["CALL", "CALL_DIRECT", "CALL_IND"].contains(&op.as_str().unwrap()), "{snapshot}");
            }
        }
        if snapshot["status"] == "HALTED" {
            assert_eq!((&snapshot["pc"], &snapshot["call_stack"]), (&Json::Null, &json!([])));
            assert!(snapshot["halt"]["result"].is_i64(), "{snapshot}");
        } else {
            let top = frames.last().unwrap();
            assert_eq!(snapshot["pc"]["fid"], top["fid"], "{snapshot}");
            let length = function(&top["fid"]).unwrap()["code"].as_array().unwrap().len();
            assert!(snapshot["pc"]["ip"].as_u64().unwrap() as usize <= length, "{snapshot}");
        }
        assert_eq!(snapshot["status"] == "TRAPPED", snapshot.get("trap").is_some());
        assert_eq!(snapshot["status"] == "HALTED", snapshot.get("halt").is_some());
        let is_last = index + 1 == snapshots.len();
        assert!(is_last || snapshot["status"] == "RUNNING", "{snapshot}");
        if snapshot["status"] == "TRAPPED" {
            assert_eq!(without_end(snapshot), without_end(&snapshots[index - 1]));
        }
    }
}

/// A snapshot without what a trap changes.
fn without_end(snapshot: &Json) -> Json {
    let mut snapshot = snapshot.clone();
    for name in ["step", "status", "trap"] {
        snapshot.as_object_mut().unwrap().remove(name);
    }
    snapshot
}

fn program_of(path: &Path) -> Json {
    let file: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    file["program"].clone()
}

#[test]
fn snapshots_of_vectors_are_valid_and_coherent() {
    let (mut count, mut long) = (0, 0);
    for path in written_in("vectors/minic89") {
        let program = program_of(&path);
        for case in read(&path).1 {
            // What takes very many steps takes them in the same few ways.
            let Some(Value::Int(steps)) = replay(&case.case, None, &mut |_, _| {}).observe("step") else {
                panic!("{} has no steps", case.name);
            };
            if steps > 2000.into() {
                long += 1;
                continue;
            }
            let snapshots = snapshots(&case.case);
            assert_coherent(&snapshots, &program);
            // Valid one by one, but of a long run only the first ones.
            for snapshot in snapshots.iter().take(3).chain(snapshots.last()) {
                SCHEMA.assert_accepts(snapshot, &format!("{} {}", relative(&path), case.name));
                count += 1;
            }
        }
    }
    assert!(count > 2000 && long < 60, "{count} snapshots, {long} cases left out");
}

/// What `vmconf trace` prints is a `trace` that the same program passes.
#[test]
fn a_recorded_trace_is_an_expectation() {
    let path = "vectors/minic89/source.json";
    let file = std::fs::read_to_string(crate::support::at_root(path)).unwrap();
    let mut file: Json = serde_json::from_str(&file).unwrap();
    let tests = file["tests"].as_array().unwrap().clone();
    for test in &tests {
        let id = format!("{path}::{}", test["name"].as_str().unwrap());
        let ran = vmconf(&["trace", &id, "--output", "minic89"]);
        assert_eq!((ran.exit, &*ran.stderr), (0, ""));
        let trace: Vec<Json> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let mut recorded = test.clone();
        recorded.as_object_mut().unwrap().remove("expect");
        recorded["trace"] = Json::Array(trace);
        file["tests"] = json!([recorded]);
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("recorded.json");
        std::fs::write(&copy, serde_json::to_string_pretty(&file).unwrap()).unwrap();
        let ran = vmconf(&["run", copy.to_str().unwrap()]);
        assert_eq!(ran.exit, 0, "{}", ran.stdout);
    }
    assert!(tests.len() > 2);
}

// ---- Random programs

const OPS: &[&str] = &[
    "NOP",
    "DBG_LINE",
    "PUSH_I16",
    "PUSH_FUN",
    "PUSH_NULLFUN",
    "PUSH_NULL",
    "POP",
    "DUP",
    "LOAD_LOCAL",
    "LOAD",
    "STORE_LOCAL",
    "STORE",
    "ADD",
    "SUB",
    "MUL",
    "DIV",
    "MOD",
    "NEG",
    "EQ",
    "NE",
    "LT",
    "LE",
    "GT",
    "GE",
    "LNOT",
    "JMP",
    "JZ",
    "JNZ",
    "CALL_DIRECT",
    "CALL",
    "CALL_IND",
    "RET",
    "FROB",
];

/// How many arguments an instruction has.
fn arity(op: &str) -> usize {
    let with_one = ["DBG_LINE", "PUSH_I16", "PUSH_FUN", "LOAD", "STORE", "JMP", "JZ", "JNZ", "CALL"];
    usize::from(with_one.iter().any(|start| op.starts_with(start)))
}

fn argument() -> impl Strategy<Value = Json> {
    prop_oneof![
        20 => (0..6_i64).prop_map(Json::from),
        4 => (-2..40_000_i64).prop_map(Json::from),
        1 => prop_oneof![Just(json!(null)), Just(json!("x")), Just(json!(1e30)), Just(json!(2.0))],
    ]
}

fn instruction() -> impl Strategy<Value = Json> {
    let op = prop_oneof![
        3 => Just("PUSH_I16"),
        1 => Just("CALL"),
        8 => prop::sample::select(OPS),
    ];
    (op, argument(), 0..60).prop_map(|(op, argument, odd)| {
        let count = if odd == 0 { 1 - arity(op) } else { arity(op) };
        json!({"op": op, "args": vec![argument; count]})
    })
}

fn function(fid: usize) -> impl Strategy<Value = Json> {
    (0..3_usize, 0..3_usize, prop::collection::vec(instruction(), 0..14)).prop_map(move |(params, more, code)| {
        json!({
            "fid": fid, "name": format!("f{fid}"), "param_count": params, "local_count": params + more, "code": code,
            "source_map": [{"ip": 0, "loc": {"line": 3}}], "locals": [{"slot": 0, "name": "i", "kind": "local"}],
        })
    })
}

/// A file whose program is valid and means anything, and a test that runs it.
fn random_file() -> impl Strategy<Value = Json> {
    let functions = (function(1), function(3), function(4)).prop_map(|(a, b, c)| vec![a, b, c]);
    let limits = (0..400_u32, 0..6_u32, 1..5_u32);
    (functions, prop::collection::vec(-3..3_i64, 2), limits).prop_map(|(functions, args, limits)| {
        let params = functions[0]["param_count"].as_u64().unwrap() as usize;
        json!({
            "machine": "minic89",
            "program": {
                "schema_version": "MiniC89.VM.Metadata.v0.2", "isa_version": "any", "functions": functions,
            },
            "tests": [{
                "name": "any", "entry": 1, "args": args[..params],
                "limits": {"step_limit": limits.0, "operand_stack": limits.1, "call_depth": limits.2},
                "expect": {},
            }],
        })
    })
}

proptest! {
    #![proptest_config(config(400))]

    /// Valid snapshots, coherent, and the same state however the run is cut into pieces.
    #[test]
    fn snapshots_of_random_programs_are_valid_and_coherent(file in random_file(), piece in 1..7_u64) {
        let case = only_case(&file.to_string());
        let snapshots = snapshots(&case);
        assert_coherent(&snapshots, &file["program"]);
            for snapshot in snapshots.iter().take(60).chain(snapshots.last()) {
            prop_assert!(SCHEMA.accepts(snapshot), "{}", snapshot);
        }
        let whole = everything(&*replay(&case, None, &mut |_, _| {}));
        let mut in_pieces = (machines::by_name("minic89").unwrap().new)(&Limits::default());
        in_pieces.load(&case.program).unwrap();
        let vmconf::model::case::Action::Set(start) = &case.steps[0].actions[0] else { panic!("no start") };
        in_pieces.set(start).unwrap();
        while in_pieces.run(piece, None) == machines::status::Status::Running {}
        prop_assert_eq!(everything(&*in_pieces), whole);
    }
}

fn only_case(text: &str) -> Case {
    let document = Document::parse(text.to_owned(), 128).unwrap();
    let (format, _) = formats::detection::detect(&document, "").unwrap();
    let entries = (format.outline)(document.root()).unwrap();
    assert_eq!(format.read_rest(&document, &entries, FormatOptions::default()), []);
    let reading = format.read_case(JsonNode::at_index(&document, entries[0].node), FormatOptions::default());
    reading.case.unwrap_or_else(|| panic!("{:?}", reading.diagnostics))
}

const FIELDS: [&str; 8] =
    ["schema_version", "step", "status", "pc", "operand_stack", "call_stack", "trap", "halt"];

fn everything(machine: &dyn Machine) -> Vec<(&'static str, Option<Value>)> {
    FIELDS.map(|field| (field, machine.observe(field))).to_vec()
}

// ---- Expected and actual

/// The fields of a machine after a step.
struct State(Vec<(&'static str, Option<Value>)>);

impl Observe for State {
    fn has_field(&self, field: &str) -> bool {
        self.0.iter().any(|known| known.0 == field)
    }

    fn observe(&self, field: &str) -> Option<Value> {
        self.0.iter().find(|known| known.0 == field)?.1.clone()
    }
}

/// One number, status or code of an expectation is changed in the text: exactly this leaf is
/// reported, by its path and at its place.
#[test]
fn a_changed_leaf_is_reported_as_itself() {
    let mut leaves = 0;
    for path in written_in("vectors/minic89") {
        let (document, cases) = read(&path);
        for case in cases {
            let mut states = Vec::new();
            replay(&case.case, None, &mut |_, machine| states.push(State(everything(machine))));
            let test = JsonNode::at_index(&document, case.node);
            let trace = test.member("trace").into_iter().flat_map(JsonNode::items);
            for (step, snapshot) in trace.chain(test.member("expect")).enumerate() {
                let mut all = Vec::new();
                leaves_of(snapshot, String::new(), &mut all);
                // The number that selects a snapshot of a trace is not an expectation.
                all.retain(|leaf: &Leaf| leaf.at != "step" || test.member("trace").is_none());
                for leaf in all.iter().step_by(all.len().div_ceil(8).max(1)) {
                    let mut text = document.text().to_owned();
                    text.replace_range(leaf.place.clone(), &leaf.other);
                    let changed = Document::parse(text, 128).unwrap();
                    let format = formats::by_name("minic89").unwrap();
                    let reading =
                        format.read_case(JsonNode::at_index(&changed, case.node), FormatOptions::default());
                    let changed =
                        reading.case.unwrap_or_else(|| panic!("{} {:?}", leaf.at, reading.diagnostics));
                    let mut found = diff(changed.steps[step].end.as_slice(), &states[step]).unwrap();
                    if found.is_empty() {
                        found = diff(&changed.steps[step].assertions, &states[step]).unwrap();
                    }
                    let found: Vec<_> =
                        found.iter().map(|it| (it.at.to_string(), it.origin.0 as usize)).collect();
                    let wanted = [(leaf.at.clone(), leaf.place.start)];
                    assert_eq!(found, wanted, "{} {}", relative(&path), case.name);
                    leaves += 1;
                }
            }
        }
    }
    assert!(leaves > 2000, "{leaves} leaves");
}

/// A leaf, its path, where its text stands and another text.
struct Leaf {
    at: String,
    place: std::ops::Range<usize>,
    other: String,
}

fn leaves_of(node: JsonNode<'_>, at: String, leaves: &mut Vec<Leaf>) {
    let start = node.at() as usize;
    let place = start..start + node.raw().len();
    let other = match node.datum() {
        JsonDatum::Array => {
            return node.items().enumerate().for_each(|(index, item)| {
                leaves_of(item, format!("{at}[{index}]"), leaves);
            });
        }
        JsonDatum::Object => {
            return node.members().for_each(|member| {
                let slash = if at.is_empty() { "" } else { "/" };
                leaves_of(member.value, format!("{at}{slash}{}", member.key), leaves);
            });
        }
        JsonDatum::Number("7") => "8".to_owned(),
        JsonDatum::Number(_) => "7".to_owned(),
        JsonDatum::Text(text) if at == "status" => {
            if text == "HALTED" { "\"TRAPPED\"" } else { "\"HALTED\"" }.to_owned()
        }
        JsonDatum::Text(text) if at == "trap/code" => {
            if text == "TRAP_TYPE" { "\"TRAP_STACK\"" } else { "\"TRAP_TYPE\"" }.to_owned()
        }
        JsonDatum::Text(_) if at.starts_with("trap/") => "\"something else\"".to_owned(),
        // A tag says which members there are, and there is one version.
        JsonDatum::Text(_) | JsonDatum::Null | JsonDatum::Bool(_) => return,
    };
    leaves.push(Leaf { at, place, other });
}

// ---- What is odd about a program

/// Each sample has one odd thing, which check reports and which stops nothing.
#[test]
fn odd_programs_are_noted_and_run() {
    for path in files("tests/samples/minic89/warned", "json") {
        let path = relative(&path);
        let ran = vmconf(&["run", "--strict", &path]);
        assert_eq!(ran.exit, 0, "{path}: {}", ran.stdout);
        let checked = vmconf(&["check", &path]);
        if checked.stdout.contains("[odd-program]") {
            // One of them demands nothing.
            let said = ran.stderr.lines().filter(|line| !line.ends_with(": nothing is compared"));
            assert_eq!(said.collect::<Vec<_>>(), [""; 0], "{path}");
        } else {
            assert!(checked.stdout.contains("[unknown-member]"), "{}", checked.stdout);
        }
    }
}

// ---- Watching

/// Every attempt is seen, the one that traps too.
#[test]
fn every_attempt_is_watched() {
    #[derive(Default)]
    struct Count(u64);
    impl Watch for Count {
        fn before(&mut self, at: &At<'_>) {
            self.0 += 1;
            assert_eq!(at.state.observe("step"), Some(Value::int(self.0 - 1)));
        }
    }
    let mut trapped = 0;
    for path in files("vectors/minic89/programs", "json") {
        for case in read(&path).1 {
            let mut count = Count::default();
            let machine = replay(&case.case, Some(&mut count), &mut |_, _| {});
            assert_eq!(machine.observe("step"), Some(Value::int(count.0)), "{}", relative(&path));
            trapped += usize::from(machine.observe("status") == Some(Value::text("TRAPPED")));
        }
    }
    assert!(trapped > 30, "{trapped} trapped");
}
