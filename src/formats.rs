//! The list of formats.
//!
//! A format turns a document into cases; it never executes anything. It does so in two stages:
//! [`Format::outline`] finds the cases and their names, [`Format::read`] reads one. So a file with thousands
//! of cases is listed quickly, many threads can read its cases, and a malformed case does not affect the
//! others.

use crate::model::{Diagnostic, Origin};

mod accounts;
pub mod detection;
mod envelope;
mod ethereum_json;
pub mod family;
pub mod fields;
mod files;
mod fill;
#[cfg_attr(
    not(feature = "ethereum"),
    allow(dead_code, reason = "only the names are used without the machine")
)]
pub mod forks;
mod format;
pub mod minic89;
pub mod nef;
pub mod neovm;
mod new_vector;
#[cfg(feature = "ethereum")]
pub mod statetest;
pub mod tinyvm;
pub mod uncompared;
pub mod vmtests;
mod write_back;

pub use self::fields::Strictness;
pub use self::files::{Files, NoFiles, Unreadable, VectorFolder};
pub use self::fill::Fill;
pub(crate) use self::format::no_cases;
pub use self::format::{
    Evidence, FileEntry, FileReading, Format, FormatOptions, ReadContext, SharedFile, ValueDebit,
};
pub use self::new_vector::{BlockNumbers, Inputs, MakeVector, NewVector, StateOf};
pub use self::write_back::{NotRepresentable, Unwritable, WrittenBack, WrongAssertion};

/// Every format.
pub static FORMATS: &[Format] = &[
    vmtests::FORMAT,
    neovm::N3,
    neovm::V2,
    tinyvm::FORMAT,
    tinyvm::TESTCASES,
    minic89::FORMAT,
    #[cfg(feature = "ethereum")]
    statetest::FORMAT,
];

/// Checks a text of documents that belong to a format but are not vectors. Returns how many documents there
/// are, and what is wrong or worth a note in them; `None` for any other text.
pub fn check_documents(text: &str) -> Option<(usize, Vec<Diagnostic<Origin>>)> {
    minic89::documents::check(text)
}

/// The format of this name.
pub fn by_name(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// The format in which new vectors for this machine are written.
pub fn made_for(machine: &str) -> Option<(&'static Format, &'static MakeVector)> {
    let made = |format: &'static Format| Some((format, format.make.as_ref()?));
    FORMATS.iter().filter(|format| format.machine == machine).find_map(made)
}
