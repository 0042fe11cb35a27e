//! What is written as JSON and read back: values, recorded runs, and the schemas of all documents.

pub mod comparison;
pub mod run_record;
pub mod schema;
pub mod value;
