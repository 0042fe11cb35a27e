//! Ethereum state tests: the `GeneralStateTests` of 2019 to 2024, and the `state_test` fixtures of the
//! execution specifications.
//!
//! A file is an object of tests. A test has a block environment, accounts, a transaction with lists of
//! parameters, and for each fork a list of results. A case is one entry of such a list, with the id
//! `name/Fork/d0g0v0`. The program of a case is what all cases of its test share; the first action sets the
//! fork and the chosen parameters.

mod exceptions;
mod new_vector;
mod refusal;
mod signed;
mod test;
mod write_back;

use std::sync::{Arc, OnceLock};

use self::exceptions::DemandedRefusal;
use self::test::Test;
use super::accounts::{EmptyAccount, demand_accounts, read_accounts};
use super::ethereum_json::{data_value, hash_value, is_state_test, number_value};
use super::fields::{Diagnostics, FieldReader, Strictness, object, wrong_type};
use super::forks::{self, ForkFilter, Named};
use super::format::{Evidence, FileEntry, Format, ReadContext};
use crate::model::{Action, Assertion, Case, Diagnostic, Expected, Origin, Path, Severity, Step, Value};
use crate::text::json::{JsonDatum, JsonNode, quoted};
use crate::text::suggest::did_you_mean;

/// The format's entry in the list of formats.
pub const FORMAT: Format = Format {
    name: "statetest",
    machine: MACHINE,
    looks_like: "an object of tests that have \"transaction\" and \"post\"",
    distinguished_by: "tests that have \"transaction\"",
    evidence: &evidence,
    outline: &outline,
    read: &read,
    write_back: &write_back::write_back,
    fill: Some(&write_back::fill),
    make: Some(new_vector::MAKE),
    outcomes,
    unknown: Severity::Note,
    group: fork_in,
    ..Format::BASE
};

const MACHINE: &str = "ethereum";

fn evidence(root: JsonNode<'_>) -> Option<Evidence> {
    let test = root.members().find(|test| is_state_test(test.value))?;
    Some(Evidence { at: test.key_at, what: "a test with \"transaction\"" })
}

fn outline(root: JsonNode<'_>) -> Result<Vec<FileEntry>, Diagnostic<Origin>> {
    let mut entries = Vec::new();
    for test in object(root, "the file", "an object of tests")?.members() {
        let before = entries.len();
        for fork in test.value.member("post").into_iter().flat_map(JsonNode::members) {
            if !fork.value.is_array() {
                // The reader reports it, as the only case of its fork.
                let name = format!("{}/{}", test.key, fork.key);
                entries.push(FileEntry { name: name.into(), node: fork.value.index() });
            }
            for (index, entry) in fork.value.items().enumerate() {
                let chosen = chosen_name(entry).unwrap_or_else(|| format!("{index}"));
                let name = format!("{}/{}/{chosen}", test.key, fork.key);
                entries.push(FileEntry { name: name.into(), node: entry.index() });
            }
        }
        if entries.len() == before {
            // If a test has no results, the reader reports the error.
            entries.push(FileEntry { name: test.key.into(), node: test.value.index() });
        }
    }
    Ok(entries)
}

/// The fork in the name of a case.
fn fork_in(name: &str) -> Option<&str> {
    let (before, _chosen) = name.rsplit_once('/')?;
    before.rsplit_once('/').map(|(_, fork)| fork)
}

/// The parameters that an entry chooses, as in its id: `d0g0v0`.
fn chosen_name(entry: JsonNode<'_>) -> Option<String> {
    let indexes = entry.member("indexes")?;
    let index = |name| match indexes.member(name)?.datum() {
        JsonDatum::Number(digits) => digits.parse::<u32>().ok(),
        _ => None,
    };
    Some(format!("d{}g{}v{}", index("data")?, index("gas")?, index("value")?))
}

/// The tests of a file. Each is read together with the first of its cases.
struct Tests(Vec<(u32, OnceLock<Arc<Test>>)>);

impl Tests {
    fn of(root: JsonNode<'_>) -> Tests {
        Tests(root.members().map(|test| (test.value.index(), OnceLock::new())).collect())
    }

    /// The test that contains an entry.
    fn around(&self, entry: JsonNode<'_>, context: ReadContext<'_>) -> Option<Arc<Test>> {
        let after = self.0.partition_point(|test| test.0 <= entry.index());
        let (test, read) = self.0.get(after.checked_sub(1)?)?;
        let node = JsonNode::at_index(entry.document(), *test);
        Some(read.get_or_init(|| Arc::new(Test::read(node, context))).clone())
    }
}

fn read(entry: JsonNode<'_>, context: ReadContext<'_>, diagnostics: &mut Diagnostics) -> Option<Case> {
    let tests = context.shared(|| Tests::of(entry.document().root()));
    let test = tests.around(entry, context)?;
    // Notes on the test are reported once, its errors for each case that they stop.
    let is_reported =
        |found: &&Diagnostic<Origin>| found.severity == Severity::Error || test.first == Some(entry.index());
    diagnostics.extend(test.diagnostics.iter().filter(is_reported).cloned());
    if !test.has_entry(entry) {
        return None;
    }
    let name = test.fork_of(entry)?;
    if name.value.index() == entry.index() {
        diagnostics.error(wrong_type(entry, &name.key, "a list of entries"));
        return None;
    }
    let mut fields = FieldReader::open(entry, "entry", diagnostics)?;
    let indexes = fields.required("indexes", diagnostics);
    let chosen = indexes.and_then(|indexes| test.choose(indexes, diagnostics));
    let results = Results::take(&mut fields, diagnostics);
    let bytes = fields.present("txbytes");
    fields.finish(diagnostics);
    if context.options.strictness != Strictness::Tolerant
        && let (Some(bytes), Some(chosen), Some(common)) = (bytes, &chosen, test.transaction())
    {
        signed::check_bytes(bytes, chosen, common, diagnostics);
    }
    let fork = supported_fork(&name.key).map_err(|why| diagnostics.unsupported(why)).ok()?;
    let refused = results.exception.and_then(|node| exceptions::read(node, diagnostics));
    let end = end(entry, results.exception);
    let assertions = results.assertions(refused, diagnostics);
    let (mut chosen, program) = (chosen?, test.program.clone()?);
    let touched = if fork.keeps_empty_accounts && results.exception.is_some() {
        refusal::touched(&program.0, results.root, results.state)
    } else {
        "nothing"
    };
    chosen.push(("fork".into(), Value::text(fork.name)));
    chosen.push(("refusal".into(), Value::text(touched)));
    Some(Case {
        machine: MACHINE,
        program,
        places: Vec::new(),
        steps: vec![Step {
            actions: vec![Action::Set(Value::Record(chosen)), Action::Execute],
            end: Some(end),
            assertions,
        }],
        label: indexes.and_then(|indexes| test.label(indexes)),
    })
}

/// The fork with this name, or why its cases do not run. Each year brings forks, so that an unknown one is no error.
fn supported_fork(name: &str) -> Result<ForkFilter, String> {
    match forks::named(name) {
        Named::Supported(fork) => Ok(fork),
        Named::Unsupported(why) => Err(why),
        Named::Unknown => Err(format!("unknown fork {}{}", quoted(name), did_you_mean(name, forks::all()))),
    }
}

/// The outcomes that a case can demand, and the classes of refusals.
fn outcomes() -> Vec<&'static str> {
    ["executed", "refused"].into_iter().chain(exceptions::classes()).collect()
}

fn end(entry: JsonNode<'_>, exception: Option<JsonNode<'_>>) -> Assertion {
    let (outcome, at, rule) = match exception {
        Some(exception) => {
            ("refused", exception.at(), "an entry with \"expectException\" demands a refused transaction")
        }
        None => ("executed", entry.at(), "an entry without \"expectException\" demands a valid transaction"),
    };
    Assertion {
        at: Path::field("outcome"),
        expected: Expected::Is(Value::text(outcome)),
        origin: Origin(at),
        rule: Some(rule),
    }
}

/// A function that reads what is demanded of a field.
type Read = fn(JsonNode<'_>) -> Result<Value, Diagnostic<Origin>>;

/// What an entry demands.
struct Results<'d> {
    root: Option<JsonNode<'d>>,
    logs: Option<JsonNode<'d>>,
    exception: Option<JsonNode<'d>>,
    state: Option<JsonNode<'d>>,
    gas_used: Option<JsonNode<'d>>,
    output: Option<JsonNode<'d>>,
}

/// The hash of the logs. An entry without it does not compare them.
fn logs<'d>(fields: &mut FieldReader<'d>, diagnostics: &mut Diagnostics) -> Option<JsonNode<'d>> {
    let logs = fields.present("logs");
    if logs.is_none() {
        let what = "entry without \"logs\": the logs are not compared";
        diagnostics.note(Diagnostic::at(fields.at(), what).expected("the hash of the logs"));
    }
    logs
}

impl<'d> Results<'d> {
    fn take(fields: &mut FieldReader<'d>, diagnostics: &mut Diagnostics) -> Results<'d> {
        Results {
            root: fields.required("hash", diagnostics),
            logs: logs(fields, diagnostics),
            exception: fields.present("expectException"),
            state: fields.present("state"),
            gas_used: fields.present("gasUsed"),
            output: fields.present("out"),
        }
    }

    fn assertions(&self, refused: Option<DemandedRefusal>, diagnostics: &mut Diagnostics) -> Vec<Assertion> {
        let mut assertions = Vec::new();
        let mut is = |at: Path, expected: Expected, origin: u32| {
            assertions.push(Assertion::new(at, expected, Origin(origin)));
        };
        if let (Some(DemandedRefusal::Classes(classes)), Some(node)) = (refused, self.exception) {
            let classes = classes.into_iter().map(Value::text).collect();
            is(Path::field("exception"), Expected::OneOf(classes), node.at());
        }
        let leaves: [(&str, Option<JsonNode<'_>>, Read); 4] = [
            ("root", self.root, hash_value),
            ("logs", self.logs, hash_value),
            ("gasUsed", self.gas_used, number_value),
            ("output", self.output, data_value),
        ];
        for (name, node, read) in leaves {
            let Some(node) = node else { continue };
            if let Some(value) = diagnostics.keep(read(node)) {
                is(Path::field(name), Expected::Is(value), node.at());
            }
        }
        if let Some(state) = self.state
            && let Some(accounts) = read_accounts(state, diagnostics)
        {
            demand_accounts(accounts, (Path::field("state"), state.at()), EmptyAccount::Exists, &mut is);
        }
        assertions
    }
}
