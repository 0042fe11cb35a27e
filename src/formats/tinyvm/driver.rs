//! A driver case: two machines, and a single run of the driver.

use super::expect::TinyAssertions;
use super::lexical;
use super::reader::{STEPS, Steps, TinyReader};
use crate::formats::fields::FieldReader;
use crate::model::{Action, Path, Step, Value};
use crate::text::json::JsonNode;

impl TinyReader<'_> {
    pub(super) fn driver_case(
        &mut self,
        fields: &mut FieldReader<'_>,
        driver: JsonNode<'_>,
        name_at: u32,
    ) -> Steps {
        let rnd = fields.optional("rnd").and_then(|rnd| self.rnd(rnd));
        let record = self.machine(driver, "driver", rnd.clone());
        self.push("driver", record);
        let record = match fields.optional("testee") {
            Some(testee) => self.machine(testee, "testee", rnd),
            None => Some(Value::record(rnd.map(|rnd| ("rnd", rnd)))),
        };
        self.push("testee", record);
        let budget = fields.optional("budget");
        let budget = budget.and_then(|budget| self.diagnostics.keep(lexical::count(budget, "budget")));
        self.push("budget", Some(Value::int(budget.unwrap_or(STEPS))));
        let zero_limit = fields.optional("zeroLimit");
        let zero_limit = zero_limit.and_then(|node| self.one_of(node, "zeroLimit", &["fatal", "timeout"]));
        self.push("zeroLimit", Some(Value::text(zero_limit.unwrap_or_else(|| "fatal".to_owned()))));
        self.features(fields);
        let expect = fields.optional("expect");
        self.run_of_driver(expect, name_at)
    }

    /// The only step of a driver case.
    pub(super) fn run_of_driver(&mut self, expect: Option<JsonNode<'_>>, name_at: u32) -> Steps {
        let mut wanted = TinyAssertions::new(self);
        let end = wanted.driver(expect, name_at);
        vec![Step { actions: vec![Action::Execute], end, assertions: wanted.assertions }]
    }

    /// A segment, or an object with a segment and its own `rnd`.
    fn machine(&mut self, node: JsonNode<'_>, name: &'static str, rnd: Option<Value>) -> Option<Value> {
        let at = Path::field(name).child("instructions");
        let own = |key: &str| node.member(key).is_some();
        let mut members = Vec::new();
        let mut rnd = rnd;
        if own("instructions") || own("rnd") {
            let mut fields = FieldReader::open(node, name, self.diagnostics)?;
            if let Some(node) = fields.required("instructions", self.diagnostics) {
                members.push(("instructions", self.segment(node, at)?));
            }
            if let Some(node) = fields.optional("rnd") {
                rnd = self.rnd(node);
            }
            fields.finish(self.diagnostics);
        } else {
            members.push(("instructions", self.segment(node, at)?));
        }
        members.extend(rnd.map(|rnd| ("rnd", rnd)));
        Some(Value::record(members))
    }
}
