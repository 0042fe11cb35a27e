//! The schemas of what is written, beside the types: whatever is written is described, whatever is described
//! is written, and what is always written is required.

use crate::support::validator::Validator;
use std::collections::BTreeMap;
use std::time::Duration;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value as Json, json};
use vmconf::model::{
    ComparedWith, DivergedDatum, Event, Expected, FirstDivergence, LogComparison, NotPassed, PartitionKind,
    Path, SpentGas, StackComparison, Value, VectorsVersion, Verdict,
};
use vmconf::wire::explanation::{
    Relation, WireExplanation, WireFurtherCauses, WireInput, WireInstruction, WireLeaf, WirePart,
    WireRowDeviation, WireUndeclared, WireWorld,
};
use vmconf::wire::line::one_line;
use vmconf::wire::report::{
    ReportLine, ReportStart, ReportedCase, ReportedEntry, ReportedPartition, TypedFlags,
};
use vmconf::wire::schema;

use super::line;
use super::samples::any_event;

/// An object of a schema: in how many documents it was met, and how often with each of its properties.
#[derive(Default)]
struct Met {
    times: usize,
    properties: BTreeMap<String, usize>,
    required: Vec<String>,
}

/// The schemas by their ids, and what was met of each.
struct Walk {
    schemas: BTreeMap<String, Json>,
    met: BTreeMap<String, Met>,
}

impl Walk {
    fn new() -> Walk {
        let schemas = schema::SCHEMAS.iter().map(|it| serde_json::from_str::<Json>(it.text).unwrap());
        let schemas = schemas.filter_map(|it| Some((it["$id"].as_str()?.to_owned(), it))).collect();
        Walk { schemas, met: BTreeMap::new() }
    }

    /// Notes of each object of the schema at a place which properties a document has. `at` is an id, `#` and a
    /// pointer.
    fn meet(&mut self, at: &str, document: &Json) {
        let (id, pointer) = at.split_once('#').unwrap();
        let schema = self.schemas[id].pointer(pointer).unwrap_or_else(|| panic!("{at}")).clone();
        if let Some(target) = schema["$ref"].as_str() {
            let target = if target.starts_with('#') { format!("{id}{target}") } else { target.to_owned() };
            self.meet(&target, document);
        }
        for name in ["oneOf", "anyOf"] {
            for number in 0..schema[name].as_array().map_or(0, Vec::len) {
                let alternative = format!("{at}/{name}/{number}");
                if self.is_of(&alternative, document) {
                    self.meet(&alternative, document);
                }
            }
        }
        for (number, item) in document.as_array().into_iter().flatten().enumerate() {
            if schema.get("items").is_some() && number < 100 {
                self.meet(&format!("{at}/items"), item);
            }
        }
        let Some(members) = document.as_object() else { return };
        if schema["additionalProperties"].is_object() {
            members.values().for_each(|it| self.meet(&format!("{at}/additionalProperties"), it));
        }
        let Some(properties) = schema["properties"].as_object() else { return };
        let met = self.met.entry(at.to_owned()).or_default();
        met.times += 1;
        met.required = schema["required"].as_array().into_iter().flatten().map(text).collect();
        for (name, _) in properties.iter().filter(|it| *it.1 != json!(false)) {
            *met.properties.entry(name.clone()).or_default() += usize::from(members.contains_key(name));
        }
        for (name, member) in members.iter().filter(|it| properties.contains_key(it.0)) {
            self.meet(&format!("{at}/properties/{name}"), member);
        }
    }

    /// Whether a document is of an alternative: it has the members that are required there, and its type.
    fn is_of(&self, at: &str, document: &Json) -> bool {
        let (id, pointer) = at.split_once('#').unwrap();
        let schema = self.schemas[id].pointer(pointer).unwrap();
        match schema["$ref"].as_str() {
            Some(target) if target.starts_with('#') => self.is_of(&format!("{id}{target}"), document),
            Some(target) => self.is_of(target, document),
            None => {
                let mut required = schema["required"].as_array().into_iter().flatten();
                let constant = schema.pointer("/properties/type/const");
                required.all(|name| document.get(name.as_str().unwrap()).is_some())
                    && constant.is_none_or(|constant| *constant == document["type"])
            }
        }
    }

    fn check(&self) {
        for (at, Met { times, properties, required }) in &self.met {
            for (name, count) in properties {
                assert!(*count > 0, "{at}: {name} is described and never written");
                // What only adds to another schema leaves it to that one what is required.
                let is_addition = required.is_empty() || at.contains("/oneOf/");
                assert!(
                    count < times || required.contains(name) || is_addition,
                    "{at}: {name} is in each of {times} and not required"
                );
            }
        }
    }
}

fn text(json: &Json) -> String {
    json.as_str().unwrap().to_owned()
}

/// Events as a run makes them, which a report is written of.
fn as_a_run_makes_it(mut event: Event) -> Event {
    if let Event::Finished(report) = &mut event {
        report.cached &= matches!(report.verdict, Verdict::Pass | Verdict::Fixed(_));
        if NotPassed::try_from(report.verdict.clone()).is_err() {
            report.listed = None;
        }
        if let Verdict::Fail(failure) | Verdict::Known(NotPassed::Fail(failure), _) = &mut report.verdict {
            failure.differences.iter_mut().for_each(|it| it.step = it.step.map(|step| step.max(1)));
        }
    }
    event
}

#[test]
fn reports_have_their_schema() {
    let validator = Validator::named("report");
    let words = || vec!["--strict".to_owned()];
    let typed = Some(TypedFlags { selection: words(), flags: words() });
    let selection = "0123456789abcdef".repeat(4);
    let entry = || "known.toml".to_owned();
    let unmatched = vec![ReportedEntry { list: entry(), id: entry(), line: 1, column: 6 }];
    let partition =
        ReportedPartition { kind: PartitionKind::Hash, part: 1, of: 2, selection, typed, unmatched };
    let all_match = ReportedPartition { unmatched: Vec::new(), ..partition.clone() };
    let of_part =
        |partition| ReportLine::Run(ReportStart { partition: Some(partition), ..ReportStart::new(1, None) });
    let mut lines = vec![of_part(partition), of_part(all_match)];
    lines.push(ReportLine::Run(ReportStart {
        system: Some("linux x86_64".to_owned()),
        ..ReportStart::new(1, None)
    }));
    lines.push(ReportLine::Run(ReportStart {
        only: vec!["--filter=add".to_owned()],
        ..ReportStart::new(1, None)
    }));
    let folder = || "vectors".to_owned();
    let commit = Some("0123456789".repeat(4));
    lines.push(ReportLine::Run(ReportStart {
        versions: vec![
            VectorsVersion { folder: folder(), version: Some("1.0.0".to_owned()), commit: None },
            VectorsVersion { folder: folder(), version: None, commit },
        ],
        ..ReportStart::new(1, None)
    }));
    let mut runner = TestRunner::deterministic();
    for number in 0..2000 {
        let event = any_event().new_tree(&mut runner).unwrap().current();
        let mut line = line(&as_a_run_makes_it(event)).unwrap();
        if number % 2 == 0 || matches!(line, ReportLine::Explained(_)) {
            line.set_position(number);
        }
        lines.push(line);
    }
    let mut walk = Walk::new();
    for line in lines {
        let json: Json = serde_json::from_str(&one_line(&line)).unwrap();
        validator.assert_accepts(&json, "a line");
        walk.meet("urn:vmconf:schema:report#", &json);
    }
    assert!(walk.met.len() > 20, "{}", walk.met.len());
    walk.check();
}

fn executed(step: u64) -> WireInstruction {
    let input = WireInput {
        cell: "storage 0x01".to_owned(),
        value: Value::int(1),
        by: None,
        set_before: None,
        parts: Vec::new(),
    };
    WireInstruction {
        step,
        pc: 3,
        function: step.is_multiple_of(2).then(|| "main".to_owned()),
        op: Some("ADD".into()),
        instruction: "ADD".to_owned(),
        frame: step.is_multiple_of(2).then(|| "frame 1, code of 0x01".to_owned()),
        cost: Some(3),
        inputs: vec![input],
        height: 2,
        stack: vec![Value::int(1)],
        moved_by: Vec::new(),
        went: step.is_multiple_of(2).then_some(9),
        went_function: step.is_multiple_of(2).then(|| "helper".to_owned()),
        failure: step.is_multiple_of(2).then(|| "out of gas".to_owned()),
        further: None,
        unfollowed: None,
        reached_by: None,
        left_by: None,
        ended_by: None,
        relation: None,
    }
}

/// An instruction with all that is said of one that wrote something.
fn blame(step: u64) -> WireInstruction {
    let by = Some(WireInstruction { moved_by: vec![executed(2)], ..executed(1) });
    let part = WirePart { cell: Some("memory 0x0000".to_owned()), by: by.clone(), set_before: Some(2) };
    let whole = WireInput {
        cell: "stack [0]".to_owned(),
        value: Value::int(1),
        by,
        set_before: Some(2),
        parts: vec![part],
    };
    WireInstruction { inputs: vec![whole], moved_by: vec![executed(step - 1)], ..executed(step) }
}

fn world(number: usize) -> WireWorld {
    let leaf = |by| WireLeaf {
        path: Path::field("state"),
        other: by,
        actual: Some(Value::int(2)),
        by: number.is_multiple_of(4).then(|| blame(3)),
    };
    let against =
        [ComparedWith::Before, ComparedWith::Fixture("file.json::case".to_owned()), ComparedWith::Embedded]
            [number % 3]
            .clone();
    WireWorld { against, leaves: vec![leaf(None), leaf(Some(Value::int(1)))], count: 2 }
}

#[test]
fn explanations_have_their_schema() {
    let validator = Validator::named("diff");
    let mut runner = TestRunner::deterministic();
    let mut walk = Walk::new();
    for number in 0..1000_usize {
        let event = as_a_run_makes_it(any_event().new_tree(&mut runner).unwrap().current());
        let Event::Finished(mut report) = event else { continue };
        report.time = number.is_multiple_of(3).then_some(Duration::from_millis(1500));
        (report.listed, report.content) = (None, None);
        if !report.verdict.is_failed_or_broken() {
            continue;
        }
        let is_full = number % 2 == 0;
        let relation = Some([Relation::MadeBy, Relation::Instead, Relation::After][number % 3]);
        let reached_by = Some(Box::new(blame(4)));
        let spent = SpentGas {
            count: 1,
            gas: 3,
            unlike_row: 0,
            by_row: 3,
            refund: i64::from(number.is_multiple_of(4)),
        };
        let stack = StackComparison {
            at: Path::field("stack"),
            wanted: vec![None, Some(Expected::Len(1)), Some(Expected::Is(Value::int(1)))],
            actual: vec![Value::int(2)],
            differs: 0,
        };
        let plain = WireInstruction { cost: None, relation, ..executed(5) };
        let further = Some(WireFurtherCauses { left_out: 3, oldest: vec![executed(1), executed(2)] });
        let left_by = Some(Box::new(executed(6)));
        let unfollowed = Some(200_000);
        let ended_by = left_by.clone();
        let full =
            WireInstruction { relation, further, unfollowed, reached_by, left_by, ended_by, ..blame(8) };
        let kinds = [
            WireUndeclared::Missing,
            WireUndeclared::Height,
            WireUndeclared::Limit,
            WireUndeclared::References,
            WireUndeclared::Jump,
            WireUndeclared::Write,
        ];
        let kind = kinds[number / 2 % kinds.len()];
        let (declared, actual, cell) = match kind {
            WireUndeclared::Write => (None, None, Some("local 1".to_owned())),
            _ => (Some(2), Some(1), None),
        };
        let row_deviation = WireRowDeviation { by: executed(3), kind, declared, actual, cell };
        let explanation = WireExplanation {
            case: ReportedCase::from(&report),
            missing: is_full.then(|| "not explained".to_owned()),
            embedded: is_full.then_some(vmconf::model::verdict::VerdictKind::Pass),
            blames: vec![None, Some(plain), Some(full)],
            divergence: is_full.then(|| FirstDivergence {
                step: 3,
                pc: number.is_multiple_of(4).then_some(1),
                op: number.is_multiple_of(4).then(|| "ADD".to_owned()),
                differs: vec![DivergedDatum {
                    datum: "gas".to_owned(),
                    actual: "1".to_owned(),
                    embedded: "2".to_owned(),
                }],
                ends: false,
            }),
            unsearched: !is_full,
            row_deviation: is_full.then_some(row_deviation),
            steps: 9,
            last: vec![executed(7), WireInstruction { cost: None, op: None, ..executed(8) }],
            earlier: if is_full { vec![executed(6)] } else { Vec::new() },
            spent: is_full.then(|| ("ADD".into(), spent)).into_iter().collect(),
            stack: is_full.then_some(stack),
            world: is_full.then(|| world(number)),
            logs: is_full.then(|| LogComparison {
                expected: number.is_multiple_of(4).then(|| vec![Value::int(1)]),
                actual: vec![Value::int(2)],
            }),
        };
        let json: Json = serde_json::from_str(&one_line(&explanation)).unwrap();
        validator.assert_accepts(&json, "an explanation");
        walk.meet("urn:vmconf:schema:diff#", &json);
    }
    walk.met.retain(|at, _| at.starts_with("urn:vmconf:schema:diff#"));
    assert!(walk.met.len() > 7, "{:?}", walk.met.keys());
    walk.check();
}
