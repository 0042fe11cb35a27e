//! What `expect` demands.

use super::lexical;
use super::reader::TinyReader;
use crate::formats::fields::{FieldReader, array, boolean};
use crate::model::rule::LintRule;
use crate::model::{Assertion, Diagnostic, Expected, Origin, Path, PathKey, Value};
use crate::text::json::JsonNode;

/// How a driver's run can end.
const OUTCOMES: &[&str] = &["completed", "illegalInstruction", "illegalYield", "zeroLimit", "timeout"];

/// How a program can stop.
const STOPS: &[&str] = &["yield", "illegal", "limit"];

/// How a driver's run or a program can end.
pub(super) fn outcomes() -> Vec<&'static str> {
    [STOPS, OUTCOMES].concat()
}

/// The ratings of a run; the first one that applies counts.
const RATINGS: &[&str] = &["driverError", "fatal", "fail", "pass", "skip"];

/// The results of a single test.
const RESULTS: &[&str] = &["pass", "fail", "fatal", "skip", "invalid"];

/// The rating of a run with these results and correct markers.
fn rating_of(results: &[String]) -> &'static str {
    let of = |rating: &'static str| if rating == "driverError" { "invalid" } else { rating };
    let first = RATINGS.iter().find(|rating| results.iter().any(|result| result == of(rating)));
    first.unwrap_or(&"skip")
}

/// Turns the members of an expectation into assertions.
pub(super) struct TinyAssertions<'w, 'r> {
    reader: &'w mut TinyReader<'r>,
    pub(super) assertions: Vec<Assertion>,
}

impl<'w, 'r> TinyAssertions<'w, 'r> {
    pub(super) fn new(reader: &'w mut TinyReader<'r>) -> TinyAssertions<'w, 'r> {
        TinyAssertions { reader, assertions: Vec::new() }
    }

    fn expected(&mut self, at: Path, expected: Expected, origin: u32) {
        self.assertions.push(Assertion::new(at, expected, Origin(origin)));
    }

    fn is(&mut self, at: Path, value: Value, origin: u32) {
        self.expected(at, Expected::Is(value), origin);
    }

    /// One phase of a single machine.
    pub(super) fn single(&mut self, node: JsonNode<'_>) {
        let Some(mut fields) = FieldReader::open(node, "expect of a single machine", self.reader.diagnostics)
        else {
            return;
        };
        if let Some(stop) = fields.optional("stop")
            && let Some(name) = self.reader.one_of(stop, "stop", STOPS)
        {
            self.is(Path::field("stop"), Value::text(name), stop.at());
        }
        self.word(&mut fields, "value", None);
        let registers = self.registers(&mut fields, None);
        let data = self.data(&mut fields, None);
        if let Some(exact) = fields.optional("exact")
            && self.reader.diagnostics.keep(boolean(exact, "exact")) == Some(true)
        {
            self.expected(Path::field("changedRegisters"), Expected::Only(registers), exact.at());
            self.expected(Path::field("changedData"), Expected::Only(data), exact.at());
        }
        self.word(&mut fields, "pc", None);
        self.count(&mut fields, "time", None);
        if let Some(used) = fields.optional("usedRnd")
            && let Some(value) = self.reader.diagnostics.keep(boolean(used, "usedRnd"))
        {
            self.is(Path::field("usedRnd"), Value::Bool(value), used.at());
        }
        fields.finish(self.reader.diagnostics);
    }

    /// Reads the expectations for a driver's run. Returns the outcome and adds all other assertions.
    /// `name_at` is the position of the test's name, for implied assertions.
    pub(super) fn driver(&mut self, node: Option<JsonNode<'_>>, name_at: u32) -> Option<Assertion> {
        let Some(node) = node else {
            self.passed(name_at);
            return Some(outcome("completed".to_owned(), name_at));
        };
        let mut fields = FieldReader::open(node, "expect of a driver", self.reader.diagnostics)?;
        let end = match fields.optional("outcome") {
            Some(node) => (self.reader.one_of(node, "outcome", OUTCOMES)?, node.at()),
            None => ("completed".to_owned(), node.at()),
        };
        self.word(&mut fields, "value", None);
        let rating = fields.optional("rating");
        let results = fields.optional("results");
        if end.0 == "completed" {
            self.rating(rating, results, node.at());
        } else if let Some(node) = rating.or(results) {
            let what = format!("results of tests after outcome {}", end.0);
            let diagnostic = Diagnostic::at(node.at(), what).expected("outcome completed");
            self.reader.diagnostics.error(diagnostic.under(LintRule::Misplaced));
        }
        for name in ["driverInstructions", "testeeInstructions"] {
            self.count(&mut fields, name, None);
        }
        for name in ["driver", "testee"] {
            if let Some(node) = fields.optional(name) {
                self.machine(node, &Path::field(name));
            }
        }
        fields.finish(self.reader.diagnostics);
        Some(outcome(end.0, end.1))
    }

    /// Demands the rating `pass`, and that no test has another result.
    fn passed(&mut self, origin: u32) {
        self.is(Path::field("rating"), Value::text("pass"), origin);
        self.expected(Path::field("notPassed"), Expected::Only(Vec::new()), origin);
    }

    /// `rating` and `results` of a completed run. Without a rating, it follows from the results; without
    /// either, the run must pass.
    fn rating(&mut self, rating: Option<JsonNode<'_>>, results: Option<JsonNode<'_>>, expect_at: u32) {
        let wanted = rating.map(|node| (self.reader.one_of(node, "rating", RATINGS), node.at()));
        match (wanted, results) {
            (None, None) => self.passed(expect_at),
            (Some((Some(rating), at)), None) if rating == "pass" => self.passed(at),
            (Some((Some(rating), at)), _) => self.is(Path::field("rating"), Value::text(rating), at),
            (Some((None, _)), _) | (None, Some(_)) => {}
        }
        let Some(results) = results else { return };
        let Some(names) = self.results(results) else { return };
        if rating.is_none() {
            let rating = rating_of(&names);
            self.is(Path::field("rating"), Value::text(rating), results.at());
        }
    }

    fn results(&mut self, node: JsonNode<'_>) -> Option<Vec<String>> {
        let node = self.reader.diagnostics.keep(array(node, "results", "an array of results"))?;
        let at = Path::field("results");
        self.expected(at.clone(), Expected::Len(node.items().count()), node.at());
        let mut names = Vec::new();
        for (index, item) in node.items().enumerate() {
            let name = self.reader.one_of(item, "result", RESULTS)?;
            self.is(at.child(index), Value::text(name.clone()), item.at());
            names.push(name);
        }
        Some(names)
    }

    /// The driver or the testee after the run.
    fn machine(&mut self, node: JsonNode<'_>, at: &Path) {
        let Some(mut fields) = FieldReader::open(node, "expected machine", self.reader.diagnostics) else {
            return;
        };
        self.registers(&mut fields, Some(at));
        self.data(&mut fields, Some(at));
        self.word(&mut fields, "pc", Some(at));
        self.count(&mut fields, "time", Some(at));
        fields.finish(self.reader.diagnostics);
    }

    fn word(&mut self, fields: &mut FieldReader<'_>, name: &'static str, parent: Option<&Path>) {
        let Some(node) = fields.optional(name) else { return };
        if let Some(word) = self.reader.diagnostics.keep(lexical::word(node, name)) {
            self.is(below(parent, name), Value::int(word), node.at());
        }
    }

    fn count(&mut self, fields: &mut FieldReader<'_>, name: &'static str, parent: Option<&Path>) {
        let Some(node) = fields.optional(name) else { return };
        if let Some(value) = self.reader.count(node, name) {
            self.is(below(parent, name), value, node.at());
        }
    }

    /// The registers that are listed.
    fn registers(&mut self, fields: &mut FieldReader<'_>, parent: Option<&Path>) -> Vec<PathKey> {
        let Some(node) = fields.optional("registers") else { return Vec::new() };
        let at = below(parent, "registers");
        let mut keys = Vec::new();
        for (number, word, origin) in self.reader.registers(node) {
            let key = PathKey::from(lexical::register_key(number));
            self.is(at.child(key.clone()), Value::int(word), origin);
            keys.push(key);
        }
        keys
    }

    /// The listed words of data. A zero word is absent from the state.
    fn data(&mut self, fields: &mut FieldReader<'_>, parent: Option<&Path>) -> Vec<PathKey> {
        let parts = fields.optional("data").and_then(|node| self.reader.sparse(node, "data"));
        let at = below(parent, "data");
        let mut keys = Vec::new();
        for part in parts.unwrap_or_default() {
            for (index, (word, origin)) in part.words.into_iter().enumerate() {
                let key = PathKey::from(lexical::address_key(part.address.wrapping_add(index as u16)));
                let expected = if word == 0 { Expected::IsOrAbsent } else { Expected::Is };
                self.expected(at.child(key.clone()), expected(Value::int(word)), origin);
                keys.push(key);
            }
        }
        keys
    }
}

fn below(parent: Option<&Path>, name: &'static str) -> Path {
    parent.map_or_else(|| Path::field(name), |parent| parent.child(name))
}

fn outcome(name: String, origin: u32) -> Assertion {
    Assertion::new(Path::field("outcome"), Expected::Is(Value::text(name)), Origin(origin))
}
