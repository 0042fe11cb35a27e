//! A case for a single machine: its program, its first phase and its continuations.

use super::expect::TinyAssertions;
use super::lexical;
use super::reader::{STEPS, Steps, TinyReader};
use super::segment::sparse_value;
use crate::formats::fields::{FieldReader, wrong_type};
use crate::model::{Action, Assertion, Diagnostic, Path, Step, Value};
use crate::text::json::JsonNode;

/// Words by register number, each with its position.
type ExpectedRegisters = Vec<(usize, u16, u32)>;

impl TinyReader<'_> {
    pub(super) fn single_case(&mut self, fields: &mut FieldReader<'_>) -> Steps {
        for name in ["instructions", "data"] {
            if let Some(node) = fields.optional(name) {
                let segment = self.segment(node, Path::field(name));
                self.push(name, segment);
            }
        }
        if let Some(node) = fields.optional("registers") {
            let mut all = vec![0; 16];
            for (number, word, _) in self.registers(node) {
                all[number] = word;
            }
            self.push("registers", Some(Value::List(all.into_iter().map(Value::int).collect())));
        }
        if let Some(node) = fields.optional("pc") {
            let pc = self.diagnostics.keep(lexical::word(node, "pc")).map(Value::int);
            self.push("pc", pc);
        }
        if let Some(node) = fields.optional("rnd") {
            let rnd = self.rnd(node);
            self.push("rnd", rnd);
        }
        self.features(fields);
        let run = self.run(fields);
        let assertions = self.expectation(fields);
        let mut steps = vec![Step { actions: vec![run], end: None, assertions }];
        match fields.optional("then") {
            Some(then) if then.is_array() => {
                let further: Vec<_> = then.items().filter_map(|phase| self.phase(phase)).collect();
                steps.extend(further);
            }
            Some(then) => self.diagnostics.error(wrong_type(then, "then", "an array of phases")),
            None => {}
        }
        steps
    }

    fn phase(&mut self, node: JsonNode<'_>) -> Option<Step> {
        let mut fields = FieldReader::open(node, "phase", self.diagnostics)?;
        let mut changes = Vec::new();
        if let Some(node) = fields.optional("registers") {
            let one =
                |(number, word, _): (usize, u16, u32)| (lexical::register_key(number), Value::int(word));
            let registers = self.registers(node).into_iter().map(one);
            changes.push(("registers", Value::record(registers)));
        }
        if let Some(node) = fields.optional("data")
            && let Some(parts) = self.sparse(node, "data of a phase")
        {
            changes.push(("data", sparse_value(&parts)));
        }
        if let Some(node) = fields.optional("pc") {
            let pc = self.diagnostics.keep(lexical::word(node, "pc"));
            changes.extend(pc.map(|pc| ("pc", Value::int(pc))));
        }
        let run = self.run(&mut fields);
        let assertions = self.expectation(&mut fields);
        fields.finish(self.diagnostics);
        Some(Step { actions: vec![Action::Set(Value::record(changes)), run], end: None, assertions })
    }

    fn run(&mut self, fields: &mut FieldReader<'_>) -> Action {
        let steps = fields.optional("steps");
        let steps = steps.and_then(|steps| self.diagnostics.keep(lexical::count(steps, "steps")));
        Action::Run(steps.unwrap_or(STEPS))
    }

    fn expectation(&mut self, fields: &mut FieldReader<'_>) -> Vec<Assertion> {
        let Some(node) = fields.optional("expect") else { return Vec::new() };
        let mut wanted = TinyAssertions::new(self);
        wanted.single(node);
        wanted.assertions
    }

    /// `{"r3": word}`, or words from r0 on.
    pub(super) fn registers(&mut self, node: JsonNode<'_>) -> ExpectedRegisters {
        let mut found = Vec::new();
        if node.is_array() {
            for (number, item) in node.items().enumerate() {
                if number >= 16 {
                    let diagnostic =
                        Diagnostic::at(node.at(), "more than 16 registers").expected("r0 to r15");
                    self.diagnostics.error(diagnostic);
                    break;
                }
                let word = self.diagnostics.keep(lexical::word(item, "register"));
                found.extend(word.map(|word| (number, word, item.at())));
            }
        } else if node.is_object() {
            for member in node.members() {
                let number = self.diagnostics.keep(lexical::register(&member.key, member.key_at));
                let word = self.diagnostics.keep(lexical::word(member.value, "register"));
                found.extend(number.zip(word).map(|(number, word)| (number, word, member.value.at())));
            }
        } else {
            let expected = "an object of words by register, or an array of them";
            self.diagnostics.error(wrong_type(node, "registers", expected));
        }
        found
    }
}
