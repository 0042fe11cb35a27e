//! What is written as JSON and read back: reports, recorded runs, explanations, values. Each form is one set
//! of types that writers and readers share, with conversions from and to the model.

pub mod comparison;
pub mod expected;
pub mod explanation;
pub mod line;
pub mod name;
pub mod record;
pub mod report;
pub mod schema;
pub mod value;
