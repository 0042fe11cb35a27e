//! The Ethereum "VMTests" of all eras, read with one set of lexical rules.
//!
//! A file is an object of tests. A test with `post` must end normally, and `gas`, `out`, `logs`,
//! `callcreates` and `post` are compared. A test without `post` must halt exceptionally, and nothing else is
//! compared. An account or a storage word that `post` does not list must be absent; an empty account or a
//! zero word equals an absent one.

mod new_vector;
mod write_back;

use num_bigint::BigInt;

use self::write_back::RESULTS;
use super::accounts::{AccountReader, EmptyAccount, demand_accounts, read_accounts};
use super::ethereum_json::{
    self, address, address_value, bloom, data, data_value, hash, hash_value, is_state_test, number_value,
    quantity,
};
use super::fields::{Diagnostics, FieldReader, RecordMembers, Strictness, array, object, wrong_type};
use super::format::{Evidence, FileEntry, Format, FormatOptions, ValueDebit};
use crate::model::rule::LintRule;
use crate::model::{
    Action, Assertion, Case, Diagnostic, Expected, Origin, Path, Program, Severity, Step, Value,
};
use crate::text::json::{JsonDatum, JsonMember, JsonNode, quoted};

/// The format's entry in the list of formats.
pub const FORMAT: Format = Format {
    name: "vmtests",
    machine: MACHINE,
    looks_like: "an object of tests that have \"exec\" and \"pre\"",
    distinguished_by: "tests that have \"exec\"",
    evidence: &evidence,
    outline: &outline,
    read: &|test, context, diagnostics| read_test(test, context.options, diagnostics),
    write_back: &write_back::write_back,
    fill: Some(&write_back::fill),
    info: Some("_info"),
    make: Some(new_vector::MAKE),
    outcomes: || vec!["success", "halt"],
    unknown: Severity::Note,
    ..Format::BASE
};

const MACHINE: &str = "evm";

/// Known members of a test without meaning: notes from the generator.
const MEANINGLESS: &[&str] = &["_info", "//", "expect", "expet", "export", "expectOut"];

/// Requires only two of these members, so that a test that lacks another one counts as malformed rather than
/// unrecognised.
fn evidence(root: JsonNode<'_>) -> Option<Evidence> {
    const TYPICAL: [&str; 4] = ["env", "exec", "pre", "post"];
    let test = root.members().find(|test| {
        let typical = test.value.members().filter(|member| TYPICAL.contains(&&*member.key));
        typical.take(2).count() == 2 && !is_state_test(test.value)
    })?;
    Some(Evidence { at: test.key_at, what: "a test with two of env, exec, pre and post" })
}

fn outline(root: JsonNode<'_>) -> Result<Vec<FileEntry>, Diagnostic<Origin>> {
    Ok(object(root, "the file", "an object of tests")?
        .members()
        .map(|member| FileEntry { name: member.key.into(), node: member.value.index() })
        .collect())
}

fn read_test(test: JsonNode<'_>, options: FormatOptions, diagnostics: &mut Diagnostics) -> Option<Case> {
    let mut fields = FieldReader::open(test, "test", diagnostics)?;
    fields.ignore(MEANINGLESS);
    let env = fields.required("env", diagnostics);
    let exec = fields.required("exec", diagnostics);
    let pre = fields.required("pre", diagnostics);
    let step = read_step(&mut fields, test, diagnostics);
    fields.finish(diagnostics);

    // The number of members of a program.
    let mut program = RecordMembers(Vec::with_capacity(16));
    env.and_then(|env| read_env(env, &mut program, diagnostics));
    if let (Strictness::Thorough, Some(exec), Some(pre)) = (options.strictness, exec, pre) {
        suspect_missing_account(exec, pre, diagnostics);
    }
    let pre = pre.and_then(|pre| read_accounts(pre, diagnostics));
    exec.and_then(|exec| read_exec(exec, pre.as_deref(), options, &mut program, diagnostics));
    suspect_gas(&step, &program, diagnostics);
    let accounts = pre?.into_iter().map(|account| (account.key.clone(), account.value()));
    program.push("pre", Value::record(accounts));
    let program = Program::from(program.record());
    Some(Case { machine: MACHINE, program, places: Vec::new(), steps: vec![step], label: None })
}

fn read_env(env: JsonNode<'_>, program: &mut RecordMembers, diagnostics: &mut Diagnostics) -> Option<()> {
    const NUMBERS: [(&str, &str); 4] = [
        ("currentDifficulty", "difficulty"),
        ("currentGasLimit", "gasLimit"),
        ("currentNumber", "number"),
        ("currentTimestamp", "timestamp"),
    ];
    let mut fields = FieldReader::open(env, "env", diagnostics)?;
    program.read("coinbase", fields.required("currentCoinbase", diagnostics), address_value, diagnostics);
    for (member, name) in NUMBERS {
        program.read(name, fields.required(member, diagnostics), number_value, diagnostics);
    }
    if let Some(previous) = fields.optional("previousHash") {
        diagnostics.keep(hash(previous));
    }
    fields.finish(diagnostics);
    Some(())
}

fn read_exec(
    exec: JsonNode<'_>,
    pre: Option<&[AccountReader]>,
    options: FormatOptions,
    program: &mut RecordMembers,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let mut fields = FieldReader::open(exec, "exec", diagnostics)?;
    for name in ["caller", "origin"] {
        program.read(name, fields.required(name, diagnostics), address_value, diagnostics);
    }
    for name in ["value", "gasPrice"] {
        program.read(name, fields.required(name, diagnostics), number_value, diagnostics);
    }
    let gas = fields.required("gas", diagnostics);
    program.read("gas", gas, gas_value, diagnostics);
    program.push("debit", Value::Bool(debits(gas, options.value_debit)));
    program.read("data", fields.required("data", diagnostics), data_value, diagnostics);
    let executing = fields.required("address", diagnostics).and_then(|node| diagnostics.keep(address(node)));
    let code = match fields.optional("code") {
        Some(node) => diagnostics.keep(data(node)),
        None => Some(Vec::new()),
    };
    fields.finish(diagnostics);
    let executing = executing?;
    let code = code.filter(|code| !code.is_empty()).or_else(|| {
        let own = pre?.iter().find(|account| account.address == executing)?;
        own.code.as_ref().map(|code| code.1.clone())
    });
    program.push("code", Value::Bytes(code.unwrap_or_default()));
    program.push("address", Value::Bytes(executing.to_vec()));
    Some(())
}

/// All published tests have the executing account in `pre`. Without it, only some machines charge a call to it as one
/// to a new account.
fn suspect_missing_account(exec: JsonNode<'_>, pre: JsonNode<'_>, diagnostics: &mut Diagnostics) {
    let Some(at) = exec.member("address") else { return };
    let Ok(executing) = address(at) else { return };
    let is_it =
        |account: JsonMember<'_>| ethereum_json::address_key(&account.key, account.key_at) == Ok(executing);
    if !pre.members().any(is_it) {
        let what = "the account that executes is not in \"pre\"";
        let expected = "an account with this address; without one, machines differ on whether it exists";
        let diagnostic = || Diagnostic::at(at.at(), what).expected(expected);
        diagnostics.suspect(|| diagnostic().under(LintRule::NoExecutingAccount));
    }
}

fn gas_value(node: JsonNode<'_>) -> Result<Value, Diagnostic<Origin>> {
    let gas = quantity(node)?;
    if gas > BigInt::from(i64::MAX) {
        return Err(Diagnostic::at(node.at(), format!("gas is {gas}"))
            .expected("at most 2^63-1")
            .under(LintRule::Number));
    }
    Ok(Value::Int(gas))
}

/// No run ends with more gas than it starts with.
fn suspect_gas(step: &Step, program: &RecordMembers, diagnostics: &mut Diagnostics) {
    let given = program.0.iter().find(|member| member.0 == "gas");
    let gas = Path::field("gas");
    let left = step.assertions.iter().find(|check| check.at == gas);
    if let (
        Some((_, Value::Int(given))),
        Some(Assertion { expected: Expected::Is(Value::Int(left)), origin, .. }),
    ) = (given, left)
        && left > given
    {
        let what = format!("gas is {left} after the run and was {given} before");
        let diagnostic = || Diagnostic::at(origin.0, what).expected("no more than before");
        diagnostics.suspect(|| diagnostic().under(LintRule::ImpossibleValue));
    }
}

/// The files that expect the debit are those that write numbers in decimal digits.
fn debits(gas: Option<JsonNode<'_>>, choice: ValueDebit) -> bool {
    match choice {
        ValueDebit::On => true,
        ValueDebit::Off => false,
        ValueDebit::Auto => gas
            .and_then(JsonNode::text)
            .is_some_and(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())),
    }
}

/// The only step of a test: execute, then compare what the fixture lists, or demand an exceptional halt.
fn read_step(fields: &mut FieldReader<'_>, test: JsonNode<'_>, diagnostics: &mut Diagnostics) -> Step {
    let post = fields.optional("post");
    let results = RESULTS.map(|name| (name, fields.optional(name)));
    let (outcome, at, rule) = match post {
        Some(post) => ("success", post.at(), "a test with \"post\" must not end with an exceptional halt"),
        None => ("halt", test.at(), "a test without \"post\" must end with an exceptional halt"),
    };
    let end = Assertion {
        at: Path::field("outcome"),
        expected: Expected::Is(Value::text(outcome)),
        origin: Origin(at),
        rule: Some(rule),
    };
    // As many as in most tests.
    let mut assertions = Vec::with_capacity(16);
    match post {
        Some(post) => {
            read_success(post, results, &mut AssertionBuilder { assertions: &mut assertions, diagnostics });
        }
        None => refuse_results(results, diagnostics),
    }
    Step { actions: vec![Action::Execute], end: Some(end), assertions }
}

fn read_success(
    post: JsonNode<'_>,
    results: [(&str, Option<JsonNode<'_>>); 4],
    wanted: &mut AssertionBuilder<'_>,
) {
    for (name, node) in results {
        match (name, node) {
            ("gas", Some(node)) => wanted.gas(node),
            ("out", Some(node)) => wanted.out(node),
            ("logs", Some(node)) => wanted.logs(node),
            (_, Some(node)) => wanted.calls(node),
            (_, None) => {
                let what = format!("\"post\" without {}", quoted(name));
                let expected = format!("a member {} next to it", quoted(name));
                wanted
                    .diagnostics
                    .error(Diagnostic::at(post.at(), what).expected(expected).under(LintRule::MissingMember));
            }
        }
    }
    wanted.post(post);
}

/// A test that must halt exceptionally has no results, except for an empty list of calls in some tests.
fn refuse_results(results: [(&str, Option<JsonNode<'_>>); 4], diagnostics: &mut Diagnostics) {
    for (name, node) in results {
        let Some(node) = node else { continue };
        let is_calls = name == "callcreates";
        if is_calls && !node.is_array() {
            diagnostics.error(wrong_type(node, name, "an array"));
        } else if !is_calls || node.items().next().is_some() {
            let what = format!("{} without \"post\"", quoted(name));
            let expected = "\"post\" next to it if the run ends normally, neither if it halts";
            diagnostics.error(Diagnostic::at(node.at(), what).expected(expected).under(LintRule::Misplaced));
        }
    }
}

/// Turns the members of a result into assertions.
struct AssertionBuilder<'c> {
    assertions: &'c mut Vec<Assertion>,
    diagnostics: &'c mut Diagnostics,
}

impl AssertionBuilder<'_> {
    fn demand(&mut self, at: Path, expected: Expected, origin: u32) {
        self.assertions.push(Assertion::new(at, expected, Origin(origin)));
    }

    fn is(&mut self, at: Path, value: Value, origin: u32) {
        self.demand(at, Expected::Is(value), origin);
    }

    /// Demands that one datum is exactly as written in the vector. If it is missing, that is already reported.
    fn leaf(
        &mut self,
        at: Path,
        node: Option<JsonNode<'_>>,
        read: impl FnOnce(JsonNode<'_>) -> Result<Value, Diagnostic<Origin>>,
    ) {
        let Some(node) = node else { return };
        if let Some(value) = self.diagnostics.keep(read(node)) {
            self.is(at, value, node.at());
        }
    }

    fn gas(&mut self, node: JsonNode<'_>) {
        self.leaf(Path::field("gas"), Some(node), number_value);
    }

    /// Bytes, or `#` and the number of bytes if a fixture omits a long output.
    fn out(&mut self, node: JsonNode<'_>) {
        let at = Path::field("out");
        let expected = match node.text() {
            Some(text) if text.starts_with('#') => {
                ethereum_json::length(&text[1..], node.at()).map(Expected::Len)
            }
            _ => data(node).map(|bytes| Expected::Is(Value::Bytes(bytes))),
        };
        if let Some(expected) = self.diagnostics.keep(expected) {
            self.demand(at, expected, node.at());
        }
    }

    /// A hash of all entries, or the entries.
    fn logs(&mut self, node: JsonNode<'_>) {
        match node.datum() {
            JsonDatum::Text(_) => self.leaf(Path::field("logsHash"), Some(node), hash_value),
            JsonDatum::Array => self.each(&Path::field("logs"), node, AssertionBuilder::log),
            _ => self.diagnostics.error(wrong_type(node, "logs", "a hash or an array of log entries")),
        }
    }

    fn calls(&mut self, node: JsonNode<'_>) {
        if let Some(calls) = self.diagnostics.keep(array(node, "callcreates", "an array")) {
            self.each(&Path::field("callcreates"), calls, AssertionBuilder::call);
        }
    }

    /// Demands as many items as the array has, and each of them.
    fn each(&mut self, at: &Path, array: JsonNode<'_>, item: fn(&mut Self, &Path, JsonNode<'_>)) {
        self.demand(at.clone(), Expected::Len(array.items().count()), array.at());
        for (node, at) in array.items().zip(at.items()) {
            item(self, &at, node);
        }
    }

    fn log(&mut self, at: &Path, node: JsonNode<'_>) {
        let Some(mut fields) = FieldReader::open(node, "log entry", self.diagnostics) else { return };
        let [account, payload, filter, topics] =
            ["address", "data", "bloom", "topics"].map(|name| fields.required(name, self.diagnostics));
        fields.finish(self.diagnostics);
        let at = at.as_parent();
        self.leaf(at.child("address"), account, address_value);
        self.leaf(at.child("data"), payload, data_value);
        self.leaf(at.child("bloom"), filter, |node| bloom(node).map(Value::Bytes));
        let topics = topics.and_then(|it| self.diagnostics.keep(array(it, "topics", "an array of hashes")));
        if let Some(topics) = topics {
            self.each(&at.child("topics"), topics, AssertionBuilder::topic);
        }
    }

    fn topic(&mut self, at: &Path, node: JsonNode<'_>) {
        self.leaf(at.clone(), Some(node), hash_value);
    }

    fn call(&mut self, at: &Path, node: JsonNode<'_>) {
        let Some(mut fields) = FieldReader::open(node, "recorded call", self.diagnostics) else { return };
        let [input, destination, gas, value] =
            ["data", "destination", "gasLimit", "value"].map(|name| fields.required(name, self.diagnostics));
        fields.finish(self.diagnostics);
        let at = at.as_parent();
        self.leaf(at.child("data"), input, data_value);
        if let Some(node) = destination
            && let Some(expected) = self.diagnostics.keep(ethereum_json::destination(node))
        {
            self.demand(at.child("destination"), expected, node.at());
        }
        self.leaf(at.child("gasLimit"), gas, number_value);
        self.leaf(at.child("value"), value, number_value);
    }

    fn post(&mut self, node: JsonNode<'_>) {
        let Some(accounts) = read_accounts(node, self.diagnostics) else { return };
        let mut demand = |at, expected, origin| self.demand(at, expected, origin);
        demand_accounts(accounts, (Path::field("post"), node.at()), EmptyAccount::IsAbsent, &mut demand);
    }
}
