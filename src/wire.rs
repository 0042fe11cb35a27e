//! The JSON that vmconf writes: reports, recorded runs, explanations, results of commands, values, and the protocol of
//! machines in other processes. Reports, records and the protocol are read back; their readers and writers share one
//! set of types. A type of the model is written as it is if JSON has the same members; for others there are types here,
//! with conversions from and to the model.

pub mod audit;
pub mod comparison;
pub mod coverage;
pub mod declared;
pub mod eip3155;
pub mod expected;
mod explanation;
pub mod gzip;
pub mod line;
pub mod list;
pub mod matrix;
pub mod minset;
pub mod mutants;
pub mod name;
pub mod plain;
pub mod protocol;
pub mod record;
mod remark;
pub mod report;
pub mod report_events;
mod report_order;
pub mod schema;
mod shape_schema;
mod strict;
pub mod value;
