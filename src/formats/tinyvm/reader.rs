//! Reads what all kinds of TinyVM cases have in common.

use super::lexical;
use crate::formats::fields::{Diagnostics, FieldReader, array, no_such_word, one_of};
use crate::formats::format::ReadContext;
use crate::model::rule::LintRule;
use crate::model::{Case, Diagnostic, Name, Origin, Path, Program, Step, Value};
use crate::text::json::{JsonNode, quoted};

pub(super) const MACHINE: &str = "tinyvm";

/// The default number of instructions that a phase, or a driver and its testee together, may attempt.
pub(super) const STEPS: u64 = 30_000;

pub(super) struct TinyReader<'r> {
    pub(super) context: ReadContext<'r>,
    pub(super) diagnostics: &'r mut Diagnostics,
    /// The members of the program record.
    members: Vec<(Name, Value)>,
    pub(super) places: Vec<(Path, Origin)>,
}

pub(super) type Steps = Vec<Step>;

impl<'r> TinyReader<'r> {
    pub(super) fn new(context: ReadContext<'r>, diagnostics: &'r mut Diagnostics) -> TinyReader<'r> {
        TinyReader { context, diagnostics, members: Vec::new(), places: Vec::new() }
    }

    pub(super) fn case(self, steps: Steps) -> Case {
        let program = Program::from(Value::Record(self.members));
        Case { machine: MACHINE, program, places: self.places, steps, label: None }
    }

    /// Rejects members that only another kind of case has.
    pub(super) fn exclude(&mut self, fields: &mut FieldReader<'_>, keys: &[&'static str], kind: &str) {
        for key in keys {
            if let Some(found) = fields.optional(key) {
                let what = format!("{} in {kind}", quoted(key));
                let diagnostic =
                    Diagnostic::at(found.at(), what).expected("members of one kind of test only");
                self.diagnostics.error(diagnostic.under(LintRule::Misplaced));
            }
        }
    }

    pub(super) fn push(&mut self, name: &'static str, value: Option<Value>) {
        self.members.extend(value.map(|value| (name.into(), value)));
    }

    /// `features`, which both kinds of cases have.
    pub(super) fn features(&mut self, fields: &mut FieldReader<'_>) {
        const EXPECTED: &str = "an array that has nothing but \"expRoot\", once";
        let Some(node) = fields.optional("features") else { return };
        let Some(node) = self.diagnostics.keep(array(node, "features", EXPECTED)) else { return };
        for (index, feature) in node.items().enumerate() {
            if index > 0 || feature.text().is_none_or(|name| name != "expRoot") {
                let what = format!("feature {}", feature.shown());
                self.diagnostics.error(no_such_word(feature, what, EXPECTED.to_owned(), ["expRoot"]));
            }
        }
        let features = node.items().filter_map(|feature| feature.text().map(Value::text));
        let features = Value::List(features.collect());
        self.push("features", Some(features));
    }

    /// `rnd`: the seed, or the list of numbers.
    pub(super) fn rnd(&mut self, node: JsonNode<'_>) -> Option<Value> {
        if !node.is_array() {
            return self.count(node, "rnd");
        }
        self.places.push((Path::field("rnd"), Origin(node.at())));
        let number = |item: JsonNode<'_>| lexical::word(item, "number of rnd").map(Value::int);
        let numbers: Result<_, _> = node.items().map(number).collect();
        self.diagnostics.keep(numbers).map(Value::List)
    }

    pub(super) fn count(&mut self, node: JsonNode<'_>, name: &str) -> Option<Value> {
        self.diagnostics.keep(lexical::count(node, name)).map(Value::int)
    }

    pub(super) fn one_of(&mut self, node: JsonNode<'_>, name: &str, words: &[&str]) -> Option<String> {
        self.diagnostics.keep(one_of(node, name, words)).map(Into::into)
    }
}
