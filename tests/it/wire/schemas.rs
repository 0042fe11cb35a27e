//! The schemas of what is written, beside the types: whatever is written is described, whatever is described
//! is written, and what is always written is required.

use crate::support::validator::Validator;
use std::collections::BTreeMap;
use std::time::Duration;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value as Json, json};
use vmconf::model::{
    Blame, BlameAnswer, BlameInput, Cell, CodePlace, ComparedWith, DivergedDatum, Event, ExecutedInstruction,
    Expected, Explanation, FirstDivergence, FurtherCauses, InputOrigin, InputPart, LogComparison, NotPassed,
    PartitionKind, Path, RowDeviation, SpentGas, StackComparison, StateLeaf, Undeclared, Value,
    VectorsVersion, Verdict, VerdictKind, WorldComparison,
};
use vmconf::wire::line::one_line;
use vmconf::wire::report::{ReportLine, ReportStart, ReportedEntry, ReportedPartition, TypedFlags};
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
        let has_position = number % 2 == 0 || matches!(line, ReportLine::Explained(_));
        if let Some(position) = line.position().filter(|_| has_position) {
            *position = Some(number);
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

fn executed(step: u64) -> ExecutedInstruction {
    let is_in_function = step.is_multiple_of(2);
    let place = |pc, function: &str| CodePlace { pc, function: is_in_function.then(|| function.to_owned()) };
    let input = |cell| BlameInput { cell, name: None, value: Value::int(1) };
    let mut instruction = ExecutedInstruction::default();
    instruction.step = step;
    instruction.at = place(3, "main");
    instruction.op = Some("ADD");
    instruction.text = String::from("ADD");
    instruction.frame = is_in_function.then(|| "frame 1, code of 0x01".to_owned());
    instruction.cost = Some(3);
    instruction.inputs = ["0x01", "0x02", "0x03"].map(|key| input(Cell::named("storage", key))).into();
    instruction.height = 2;
    instruction.stack = vec![Value::int(1)];
    instruction.went = is_in_function.then(|| place(9, "helper"));
    instruction.failure = is_in_function.then(|| "out of gas".to_owned());
    instruction
}

/// An instruction with the instructions that wrote its inputs: one, none, and two of which each wrote a part.
fn blame(step: u64) -> Blame {
    let by =
        || InputOrigin::Instruction(Box::new(Blame { moved_by: vec![executed(2)], ..only(executed(1)) }));
    let whole = |origin| InputPart { cell: None, origin };
    let part = InputPart { cell: Some(Cell::Range("memory", 0..1)), origin: by() };
    let inputs = vec![
        vec![whole(by())],
        vec![whole(InputOrigin::Vector(2))],
        vec![part, whole(InputOrigin::Vector(2))],
    ];
    Blame { inputs, moved_by: vec![executed(step - 1)], ..only(executed(step)) }
}

/// An instruction of which nothing else is known.
fn only(by: ExecutedInstruction) -> Blame {
    Blame {
        by,
        moved_by: Vec::new(),
        inputs: vec![Vec::new(); 3],
        further: None,
        unfollowed: None,
        reached_by: None,
        left_by: None,
        ended_by: None,
    }
}

/// An answer of one of the three kinds.
fn answer(number: usize, blame: Blame) -> BlameAnswer {
    let blame = Box::new(blame);
    match number % 3 {
        0 => BlameAnswer::By(blame),
        1 => BlameAnswer::NotWritten { near: Some(blame), of_last: None, besides: None },
        _ => BlameAnswer::NoCell(Some(blame)),
    }
}

fn world(number: usize) -> WorldComparison {
    let leaf = |wanted| StateLeaf {
        at: Path::field("state"),
        wanted,
        actual: Some(Value::int(2)),
        answer: Some(answer(number, blame(3))),
    };
    let against =
        [ComparedWith::Before, ComparedWith::Fixture("file.json::case".to_owned()), ComparedWith::Embedded]
            [number % 3]
            .clone();
    WorldComparison { against, leaves: vec![leaf(None), leaf(Some(Value::int(1)))], count: 2 }
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
        let [mut plain, mut undefined] = [executed(5), executed(8)];
        plain.cost = None;
        (undefined.cost, undefined.op) = (None, None);
        let full = Blame {
            further: Some(FurtherCauses { left_out: 3, oldest: vec![executed(1), executed(2)] }),
            unfollowed: Some(200_000),
            reached_by: Some(Box::new(blame(4))),
            left_by: Some(executed(6)),
            ended_by: Some(executed(6)),
            ..blame(8)
        };
        let (declared, actual) = (2, 1);
        let kinds = [
            Undeclared::Missing { needs: 2, height: 1 },
            Undeclared::Height { before: 3, declared, actual },
            Undeclared::Limit { limit: 0, actual },
            Undeclared::References { declared, actual },
            Undeclared::Jump { declared, actual },
            Undeclared::Write { cell: Cell::named("local", "1") },
        ];
        let what = kinds[number / 2 % kinds.len()].clone();
        let explanation = Explanation {
            report,
            notes: Vec::new(),
            missing: is_full.then_some("not explained"),
            embedded: is_full.then_some(VerdictKind::Pass),
            blames: vec![BlameAnswer::NoCell(None), answer(number, only(plain)), answer(number, full)],
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
            is_divergence_unsearched: !is_full,
            row_deviation: is_full.then(|| RowDeviation { by: executed(3), what }),
            steps: 9,
            last: vec![executed(7), undefined],
            earlier: if is_full { vec![executed(6)] } else { Vec::new() },
            spent: is_full.then_some(("ADD", spent)).into_iter().collect(),
            stack: is_full.then_some(stack),
            world: is_full.then(|| world(number)),
            logs: is_full.then(|| LogComparison {
                expected: number.is_multiple_of(4).then(|| vec![Value::int(1)]),
                actual: vec![Value::int(2)],
            }),
            page: None,
        };
        let json: Json = serde_json::from_str(&one_line(&explanation)).unwrap();
        validator.assert_accepts(&json, "an explanation");
        walk.meet("urn:vmconf:schema:diff#", &json);
    }
    walk.met.retain(|at, _| at.starts_with("urn:vmconf:schema:diff#"));
    assert!(walk.met.len() > 7, "{:?}", walk.met.keys());
    walk.check();
}

/// Structs of the model that JSON does not nest are written as members of the object around them.
#[test]
fn parts_of_explanations_are_members_of_the_whole() {
    let deviation = |what| one_line(&RowDeviation { by: ExecutedInstruction::default(), what });
    let height = deviation(Undeclared::Height { before: 3, declared: 2, actual: 1 });
    assert!(height.ends_with(r#"},"kind":"height","declared":2,"actual":1}"#), "{height}");
    let write = deviation(Undeclared::Write { cell: Cell::named("local", "1") });
    assert!(write.ends_with(r#"},"kind":"write","cell":"local 1"}"#), "{write}");
    let inputs = one_line(&blame(4));
    let whole = r#"{"cell":"storage 0x02","value":{"int":"1"},"setBefore":2}"#;
    let parts =
        r#"{"cell":"storage 0x03","value":{"int":"1"},"parts":[{"cell":"memory 0x0000","by":{"step":2,"#;
    assert!([whole, parts, r#"},{"setBefore":2}]}"#].iter().all(|it| inputs.contains(it)), "{inputs}");
}
