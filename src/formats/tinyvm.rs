//! The two ways to write vectors for TinyVM: our own JSON format, and the public folder layout of
//! drivers and testees.
//!
//! A test of our own format that has `driver` is a driver case, every other one is of a single
//! machine. Every unknown member is an error.
//!
//! | field of the state | its value |
//! |---|---|
//! | `stop` | Text: `yield`, `illegal`, `limit` |
//! | `value` | Int: the yielded value or the offending word; of a driver, what its outcome is about |
//! | `registers` | Record of `r0` … `r15`, each an Int |
//! | `data` | Record by address, `0x` and four digits in lower case, of Int; zero words are absent |
//! | `changedRegisters`, `changedData` | the same, for values that differ from the start of the phase |
//! | `pc`, `time` | Int |
//! | `usedRnd` | Bool |
//! | `outcome`, `rating` | Text |
//! | `results` | List of Text |
//! | `notPassed` | Record by `test 1` … of the results that are not `pass` |
//! | `driverInstructions`, `testeeInstructions` | Int |
//! | `driver`, `testee` | Records of `registers`, `data`, `pc`, `time` |

mod driver;
mod expect;
mod lexical;
mod new_vector;
mod segment;
mod single;
mod testcases;
mod write_back;

use super::fields::{Diagnostics, Fields, no_such_word, wrong_type};
use super::{Context, Evidence, Folder, Format, Severity, envelope};
use crate::model::case::{Case, Program, Step};
use crate::model::diagnostic::Diagnostic;
use crate::model::path::Path;
use crate::model::position::Origin;
use crate::model::rule::Rule;
use crate::model::value::Value;
use crate::text::json::{Node, quoted};

pub use testcases::FORMAT as TESTCASES;

/// The entry of our own format in the list of formats.
pub const FORMAT: Format = Format {
    name: "tinyvm",
    doc: "TinyVM vectors, a format of vmconf",
    machine: MACHINE,
    looks_like: "an object with \"machine\": \"tinyvm\"",
    distinguished_by: "\"machine\": \"tinyvm\"",
    file_name: None,
    evidence,
    outline: envelope::outline,
    read: read_test,
    rest: read_rest,
    write_back: write_back::write_back,
    make: Some(new_vector::MAKE),
    ends: ENDS,
    unknown: Severity::Error,
    duplicate: Severity::Error,
    group: |_| None,
    folders: &[Folder::Own],
};

const MACHINE: &str = "tinyvm";

/// How a single machine ends, and a driver's run.
const ENDS: &[&str] = &["stop", "outcome"];

/// Instructions that a phase, or a driver and its testee together, may try.
const STEPS: u64 = 30_000;

/// What a driver case has and a case of a single machine has not.
const DRIVER_ONLY: [&str; 4] = ["driver", "testee", "budget", "zeroLimit"];

/// The other way round.
const SINGLE_ONLY: [&str; 6] = ["instructions", "data", "registers", "pc", "steps", "then"];

fn evidence(file: Node<'_>) -> Option<Evidence> {
    envelope::evidence(file, MACHINE, "\"machine\": \"tinyvm\"")
}

/// The file without its tests.
fn read_rest(file: Node<'_>, _: Context<'_>, diagnostics: &mut Diagnostics) {
    if let Some(fields) = envelope::open(file, MACHINE, diagnostics) {
        fields.finish(diagnostics);
    }
}

fn read_test(test: Node<'_>, context: Context<'_>, diagnostics: &mut Diagnostics) -> Option<Case> {
    let mut fields = Fields::open(test, "test", diagnostics)?;
    let name_at = envelope::name(&mut fields, diagnostics).unwrap_or(test.at());
    let mut reader = Reader { context, diagnostics, members: Vec::new(), places: Vec::new() };
    let steps = if let Some(driver) = fields.optional("driver") {
        reader.exclude(&mut fields, &SINGLE_ONLY, "a test with \"driver\"");
        reader.driver_case(&mut fields, driver, name_at)
    } else {
        reader.exclude(&mut fields, &DRIVER_ONLY, "a test without \"driver\"");
        reader.single_case(&mut fields)
    };
    let Reader { members, places, .. } = reader;
    fields.finish(diagnostics);
    Some(Case {
        machine: MACHINE,
        program: Program::from(Value::Record(members)),
        places,
        steps,
        label: None,
    })
}

/// Reads one case.
struct Reader<'r> {
    context: Context<'r>,
    diagnostics: &'r mut Diagnostics,
    /// The members of the program record.
    members: Vec<(String, Value)>,
    places: Vec<(Path, Origin)>,
}

/// The steps of a case.
type Steps = Vec<Step>;

impl Reader<'_> {
    /// Members that another kind of case has.
    fn exclude(&mut self, fields: &mut Fields<'_>, keys: &[&'static str], kind: &str) {
        for key in keys {
            if let Some(found) = fields.optional(key) {
                let what = format!("{} in {kind}", quoted(key));
                let diagnostic =
                    Diagnostic::at(found.at(), what).expected("members of one kind of test only");
                self.diagnostics.error(diagnostic.under(Rule::Misplaced));
            }
        }
    }

    fn push(&mut self, name: &str, value: Option<Value>) {
        self.members.extend(value.map(|value| (name.to_owned(), value)));
    }

    /// `features`, which both kinds have.
    fn features(&mut self, fields: &mut Fields<'_>) {
        const EXPECTED: &str = "an array that has nothing but \"expRoot\", once";
        let Some(node) = fields.optional("features") else { return };
        if !node.is_array() {
            return self.diagnostics.error(wrong_type(node, "features", EXPECTED));
        }
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

    /// `rnd`: the seed, or the numbers to give.
    fn rnd(&mut self, node: Node<'_>) -> Option<Value> {
        if !node.is_array() {
            return self.count(node, "rnd");
        }
        self.places.push((Path::field("rnd"), Origin(node.at())));
        let number = |item: Node<'_>| lexical::word(item, "number of rnd").map(Value::int);
        let numbers: Result<_, _> = node.items().map(number).collect();
        self.diagnostics.keep(numbers).map(Value::List)
    }

    fn count(&mut self, node: Node<'_>, name: &str) -> Option<Value> {
        self.diagnostics.keep(lexical::count(node, name)).map(Value::int)
    }

    /// One of these strings.
    fn one_of(&mut self, node: Node<'_>, name: &str, words: &[&str]) -> Option<String> {
        let text = node.text().filter(|text| words.contains(&&**text));
        if text.is_none() {
            let each: Vec<_> = words.iter().map(|word| quoted(word)).collect();
            let what = format!("{name} is {}", node.shown());
            let words = words.iter().copied();
            self.diagnostics.error(no_such_word(node, what, each.join(" or "), words));
        }
        text.map(Into::into)
    }
}
