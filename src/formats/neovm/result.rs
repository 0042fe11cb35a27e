//! What a result demands: state, frames, stacks.

use num_bigint::BigInt;

use super::lexical::{self, HASH_BYTES, count};
use super::rules::{Absence, Generation, Rules};
use crate::formats::fields::{Diagnostics, FieldReader, array, misspelled, no_such_word, wrong_type};
use crate::model::rule::LintRule;
use crate::model::{Assertion, Diagnostic, Expected, Origin, Path, PathParent, Value};
use crate::text::json::{JsonDatum, JsonNode};

/// Turns the members of a result into assertions.
pub(super) struct NeoAssertions<'w> {
    pub(super) rules: &'static Rules,
    pub(super) assertions: Vec<Assertion>,
    pub(super) diagnostics: &'w mut Diagnostics,
}

impl<'w> NeoAssertions<'w> {
    pub(super) fn new(rules: &'static Rules, diagnostics: &'w mut Diagnostics) -> NeoAssertions<'w> {
        // As many as in most results.
        NeoAssertions { rules, assertions: Vec::with_capacity(8), diagnostics }
    }

    pub(super) fn demand(&mut self, at: Path, expected: Expected, origin: u32) {
        self.assertions.push(Assertion::new(at, expected, Origin(origin)));
    }

    pub(super) fn is(&mut self, at: Path, value: Value, origin: u32) {
        self.demand(at, Expected::Is(value), origin);
    }

    pub(super) fn open<'d>(&mut self, node: JsonNode<'d>, name: &'static str) -> Option<FieldReader<'d>> {
        FieldReader::open_with(node, name, self.rules.names, self.diagnostics)
    }

    /// Reads a result. Returns how the actions must have ended; the rest becomes assertions.
    pub(super) fn result(&mut self, node: JsonNode<'_>) -> Option<Assertion> {
        let mut fields = self.open(node, "result")?;
        let end = self.end(&mut fields);
        let (frames, no_frames_at) = nullable(&mut fields, "invocationStack");
        let (results, no_results_at) = nullable(&mut fields, "resultStack");
        self.frames(frames, no_frames_at);
        self.list(Path::field("resultStack"), results, self.rules.result_stack, no_results_at);
        match self.rules.generation {
            Generation::N3 => self.n3_members(&mut fields, [frames, results], end.as_ref()),
            Generation::V2 => self.one_of_both(node, frames, results),
        }
        fields.finish(self.diagnostics);
        end
    }

    /// How the actions must have ended.
    fn end(&mut self, fields: &mut FieldReader<'_>) -> Option<Assertion> {
        let Some(left_out) = self.rules.state_left_out else {
            return fields.required("state", self.diagnostics).and_then(|state| self.state(state));
        };
        let (state, left_out_at) = nullable(fields, "state");
        if let Some(state) = state {
            return self.state(state);
        }
        self.diagnostics.breach(|| fields.without("state").under(LintRule::MustMember));
        Some(state_assertion(left_out, left_out_at))
    }

    fn state(&mut self, node: JsonNode<'_>) -> Option<Assertion> {
        let text = node.text().unwrap_or_default();
        let Some(state) = self.rules.states.iter().find(|state| text.eq_ignore_ascii_case(state)) else {
            let what = format!("{} is not a state", node.shown());
            let states = self.rules.states;
            self.diagnostics.error(no_such_word(node, what, states.join(", "), states));
            return None;
        };
        if text != *state {
            self.diagnostics.breach(|| misspelled(node, state));
        }
        Some(state_assertion(state, node.at()))
    }

    /// The members that only N3 has. After a fault, only the message is compared.
    fn n3_members(
        &mut self,
        fields: &mut FieldReader<'_>,
        stacks: [Option<JsonNode<'_>>; 2],
        end: Option<&Assertion>,
    ) {
        let refs = fields.present("refs");
        let message = fields.present("exceptionMessage");
        if let Some(node) = refs {
            self.count(Path::field("refs"), node, "refs");
        }
        let is_fault = |end: &Assertion| matches!(&end.expected, Expected::Is(Value::Text(state)) if state == self.rules.fault);
        let fault = end.is_some_and(is_fault);
        if fault {
            self.assertions.clear();
            let [frames, results] = stacks;
            self.ignored("is not compared after a fault", [frames, results, refs]);
        } else {
            self.ignored("is compared after a fault only", [message]);
        }
        if let Some(node) = message {
            match node.text() {
                Some(text) if fault => {
                    self.is(Path::field("exceptionMessage"), Value::text(text), node.at());
                }
                Some(_) => {}
                None => self.diagnostics.error(wrong_type(node, "exceptionMessage", "a string")),
            }
        }
    }

    fn ignored<const N: usize>(&mut self, why: &str, members: [Option<JsonNode<'_>>; N]) {
        for node in members.into_iter().flatten() {
            let diagnostic = || Diagnostic::at(node.at(), format!("this {why}"));
            self.diagnostics.remark(|| diagnostic().under(LintRule::NotCompared));
        }
    }

    /// The specification of 2.x demands exactly one of the stacks.
    fn one_of_both(
        &mut self,
        result: JsonNode<'_>,
        frames: Option<JsonNode<'_>>,
        results: Option<JsonNode<'_>>,
    ) {
        let what = match (frames, results) {
            (None, None) => "neither invocationStack nor resultStack",
            (Some(_), Some(_)) => "both invocationStack and resultStack",
            _ => return,
        };
        let diagnostic =
            || Diagnostic::at(result.at(), format!("result with {what}")).expected("one of them");
        self.diagnostics.breach(|| diagnostic().under(LintRule::MustBeOneStack));
    }

    fn count(&mut self, at: Path, node: JsonNode<'_>, name: &str) {
        if let Some(number) = self.diagnostics.keep(count(node, name)) {
            self.is(at, Value::Int(number), node.at());
        }
    }

    /// The frames. Without them, none are demanded, at `origin`.
    fn frames(&mut self, frames: Option<JsonNode<'_>>, origin: u32) {
        let at = Path::field("invocationStack");
        let Some(frames) = frames else { return self.demand(at, Expected::Len(0), origin) };
        let frames = array(frames, "invocationStack", "an array of frames");
        let Some(frames) = self.diagnostics.keep(frames) else { return };
        self.demand(at.clone(), Expected::Len(frames.items().count()), frames.at());
        for (frame, at) in frames.items().zip(at.items()) {
            self.frame(&at.as_parent(), frame);
        }
    }

    fn frame(&mut self, at: &PathParent, node: JsonNode<'_>) {
        let Some(mut fields) = self.open(node, "frame") else { return };
        if self.rules.generation == Generation::V2 {
            match fields.present("scriptHash") {
                Some(hash) => self.script_hash(at, hash),
                None => self.diagnostics.breach(|| fields.without("scriptHash").under(LintRule::MustMember)),
            }
        }
        let (pointer, no_pointer_at) = nullable(&mut fields, "instructionPointer");
        if pointer.is_none() {
            self.diagnostics.breach(|| fields.without("instructionPointer").under(LintRule::MustMember));
        }
        self.pointer(at.child("instructionPointer"), pointer, no_pointer_at);
        match fields.present("nextInstruction") {
            Some(instruction) => self.next_instruction(at, instruction),
            None => self.diagnostics.breach(|| fields.without("nextInstruction").under(LintRule::MustMember)),
        }
        for (name, absence) in self.rules.frame_lists {
            let (list, no_list_at) = nullable(&mut fields, name);
            self.list(at.child(*name), list, *absence, no_list_at);
        }
        fields.finish(self.diagnostics);
    }

    /// The instruction pointer. Without one, zero is demanded, at `origin`.
    fn pointer(&mut self, at: Path, pointer: Option<JsonNode<'_>>, origin: u32) {
        match pointer {
            Some(pointer) => self.count(at, pointer, "instructionPointer"),
            None => self.is(at, Value::Int(BigInt::ZERO), origin),
        }
    }

    fn script_hash(&mut self, frame: &PathParent, node: JsonNode<'_>) {
        let hash = lexical::script_hash(node, self.diagnostics);
        let Some(hash) = hash else { return };
        if hash.len() != HASH_BYTES {
            let what = format!("a scriptHash of {} bytes", hash.len());
            let diagnostic = || {
                Diagnostic::at(node.at(), what)
                    .expected(format!("{HASH_BYTES} bytes"))
                    .under(LintRule::ImpossibleValue)
            };
            self.diagnostics.remark(diagnostic);
        }
        self.is(frame.child("scriptHash"), Value::Bytes(hash), node.at());
    }

    /// A name, or the opcode's number if it has no name.
    fn next_instruction(&mut self, frame: &PathParent, node: JsonNode<'_>) {
        let of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let number = match node.datum() {
            JsonDatum::Text(text) if text.starts_with(|first: char| first.is_ascii_digit()) => {
                self.number_for_name(node);
                opcode(&text)
            }
            JsonDatum::Text(text) if !text.is_empty() && text.bytes().all(of_name) => {
                let name = Value::text(self.mnemonic(&text));
                return self.is(frame.child("nextInstruction"), name, node.at());
            }
            JsonDatum::Number(digits) => {
                let expected = "a mnemonic in quotes";
                let diagnostic = || wrong_type(node, "nextInstruction", expected).under(LintRule::MustType);
                self.diagnostics.breach(diagnostic);
                opcode(digits)
            }
            _ => None,
        };
        let wrong = || {
            let what = format!("nextInstruction is {}", node.shown());
            Diagnostic::at(node.at(), what).expected("a mnemonic, or a number from 0 to 255")
        };
        if let Some(number) = self.diagnostics.keep(number.ok_or_else(wrong)) {
            self.is(frame.child("nextOpcode"), Value::int(number), node.at());
        }
    }

    /// In 2.x, the specification requires a name, but files have a number for each opcode without one.
    fn number_for_name(&mut self, node: JsonNode<'_>) {
        if self.rules.generation == Generation::V2 {
            let what = "nextInstruction is a number in quotes";
            let diagnostic =
                || Diagnostic::at(node.at(), what).expected("a mnemonic").under(LintRule::OpcodeNumber);
            self.diagnostics.remark(diagnostic);
        }
    }

    fn mnemonic(&self, text: &str) -> String {
        let name = text.to_ascii_uppercase();
        match (self.rules.generation, &*name) {
            (Generation::V2, "PUSHF") => "PUSH0".to_owned(),
            (Generation::V2, "PUSHT") => "PUSH1".to_owned(),
            _ => name,
        }
    }

    /// A list of items. Without one, what its absence means is demanded at `origin`.
    fn list(&mut self, at: Path, list: Option<JsonNode<'_>>, absence: Absence, origin: u32) {
        let Some(list) = list else {
            return match absence {
                Absence::NotCompared => {}
                Absence::Empty => self.demand(at, Expected::Len(0), origin),
                Absence::None => self.demand(at, Expected::Absent, origin),
            };
        };
        if !list.is_array() {
            let name = at.last().to_string();
            self.diagnostics.error(wrong_type(list, &name, "an array of items"));
        } else if absence == Absence::None && list.items().next().is_none() {
            self.demand(at, Expected::Absent, list.at());
        } else {
            self.items(&at, list);
        }
    }
}

/// A member, `None` if it is missing or null, and the place at which its absence demands something: that of the null,
/// or of the object.
fn nullable<'d>(fields: &mut FieldReader<'d>, key: &'static str) -> (Option<JsonNode<'d>>, u32) {
    let member = fields.optional(key);
    (member.filter(|member| !member.is_null()), member.map_or(fields.at(), JsonNode::at))
}

fn state_assertion(state: &str, origin: u32) -> Assertion {
    let expected = Expected::Is(Value::text(state));
    Assertion::new(Path::field("state"), expected, Origin(origin))
}

/// The byte that decimal digits denote. The text begins with a digit or a minus.
fn opcode(digits: &str) -> Option<u8> {
    digits.parse().ok()
}
