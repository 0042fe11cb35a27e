//! Creates vector files: a program that is not in a vector yet, with the machine's results as the expectation.

use num_bigint::BigInt;
use serde_json::{Value as Json, json};

use super::write_back::NotRepresentable;
use crate::model::Value;
use crate::text::json::quoted;
use crate::text::number;

/// A field of the state at the end of the run; `None` if it has no value.
pub type StateOf<'a> = dyn Fn(&str) -> Option<Value> + 'a;

/// The contents of a new file with one case.
pub struct NewVector<'a> {
    /// The name of the case.
    pub name: &'a str,
    /// The program in the notation of the format: `0x` and the hex digits of bytes, the hex digits of words,
    /// or a document.
    pub program: &'a Json,
    /// The inputs of the program.
    pub inputs: &'a Inputs,
    /// What to expect; `None` for a readable file with arbitrary expectations.
    pub state: Option<&'a StateOf<'a>>,
}

/// The inputs of a program, as typed by the user. Only the format can tell whether they are valid.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inputs {
    /// The gas.
    pub gas: Option<u64>,
    /// The input data: hex digits, or comma-separated numbers.
    pub input: Option<String>,
    /// The initial evaluation stack: comma-separated numbers, the top one last.
    pub stack: Option<String>,
    /// The fork.
    pub fork: Option<String>,
    /// The scripts that the program can call by their hashes, as hex digits after `0x`. No flag sets them.
    pub scripts: Vec<String>,
    /// The numbers of the block that the program can read. No flag sets them.
    pub block: BlockNumbers,
}

/// How large the numbers of a block are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BlockNumbers {
    /// As small as they can be.
    #[default]
    Small,
    /// Larger than a machine can hold that takes them for 64-bit numbers, and each different from the others.
    Large,
}

/// How a format creates files.
#[derive(Debug)]
pub struct MakeVector {
    /// The flags of [`Inputs`] that its machine accepts, each with its meaning there.
    pub inputs: &'static [(&'static str, &'static str)],
    /// Creates the document.
    pub make: fn(&NewVector<'_>) -> Result<Json, NotRepresentable>,
}

impl Inputs {
    /// The flags that are set.
    pub fn flags(&self) -> impl Iterator<Item = &'static str> {
        let Inputs { gas, input, stack, fork, scripts: _, block: _ } = self;
        let all = [
            ("gas", gas.is_some()),
            ("input", input.is_some()),
            ("stack", stack.is_some()),
            ("fork", fork.is_some()),
        ];
        all.into_iter().filter(|flag| flag.1).map(|flag| flag.0)
    }
}

/// The words between commas: as numbers if JSON can represent them, otherwise as text.
pub(super) fn numbers(list: Option<&str>) -> Vec<Json> {
    let words = list.into_iter().flat_map(|list| list.split(',')).map(str::trim);
    words.map(|word| word.parse::<i64>().map_or_else(|_| json!(word), |number| json!(number))).collect()
}

/// The integers between commas, decimal or as `0x` and hex digits, after an optional minus. The error is the first
/// word that is not an integer.
pub(super) fn integers(list: Option<&str>) -> Result<Vec<BigInt>, NotRepresentable> {
    let words = list.into_iter().flat_map(|list| list.split(',')).map(str::trim);
    let integer = |word: &str| {
        number::integer(word)
            .ok_or_else(|| NotRepresentable::because(format!("{} is not an integer", quoted(word))))
    };
    words.map(integer).collect()
}
