//! Vector files that vmconf makes: a program that is in no file, and what a machine left of it as the
//! expectation.

use num_bigint::BigInt;
use serde_json::{Value as Json, json};

use super::write_back::NotRepresentable;
use crate::model::value::Value;

/// A field of the state at the end of the run; `None` if it has no value.
pub type Field<'a> = dyn Fn(&str) -> Option<Value> + 'a;

/// What a file of one case is made of.
pub struct NewVector<'a> {
    /// The name of the case.
    pub name: &'a str,
    /// The program as the format writes it: `0x` and hex digits of bytes, hex digits of words, or a document.
    pub program: &'a Json,
    /// What the program starts with.
    pub inputs: &'a Inputs,
    /// What to expect; `None` for a file that can be read and expects something arbitrary.
    pub state: Option<&'a Field<'a>>,
}

/// What a program starts with, in the words of the user. Only the format can tell whether they are right.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Gas.
    pub gas: Option<u64>,
    /// The input of the program: hex digits, or numbers with commas between them.
    pub input: Option<String>,
    /// Numbers that are on the evaluation stack, with commas between them, the top one last.
    pub stack: Option<String>,
}

/// How a format makes files.
#[derive(Debug)]
pub struct MakeVector {
    /// The flags of [`Inputs`] that its machine has, each with its meaning there.
    pub inputs: &'static [(&'static str, &'static str)],
    /// Makes a document.
    pub make: fn(&NewVector<'_>) -> Result<Json, NotRepresentable>,
}

impl Inputs {
    /// The flags that are set.
    pub fn flags(&self) -> impl Iterator<Item = &'static str> {
        let Inputs { gas, input, stack } = self;
        let all = [("gas", gas.is_some()), ("input", input.is_some()), ("stack", stack.is_some())];
        all.into_iter().filter(|flag| flag.1).map(|flag| flag.0)
    }
}

/// The words between commas, each as a number if it is one that JSON has, else as text.
pub(super) fn numbers(list: Option<&str>) -> Vec<Json> {
    let words = list.into_iter().flat_map(|list| list.split(',')).map(str::trim);
    words.map(|word| word.parse::<i64>().map_or_else(|_| json!(word), |number| json!(number))).collect()
}

/// The integers between commas, decimal or as `0x` and hex digits.
///
/// # Errors
///
/// The first word that is something else.
pub(super) fn integers(list: Option<&str>) -> Result<Vec<BigInt>, NotRepresentable> {
    let words = list.into_iter().flat_map(|list| list.split(',')).map(str::trim);
    let integer = |word: &str| {
        let parsed = match word.strip_prefix("0x") {
            Some(digits) => BigInt::parse_bytes(digits.as_bytes(), 16),
            None => BigInt::parse_bytes(word.as_bytes(), 10),
        };
        parsed.ok_or_else(|| NotRepresentable(format!("{word:?} is not an integer")))
    };
    words.map(integer).collect()
}
