//! The tests of what vmconf does, one module a subject. `tests/README.md` says what is where.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg_attr(
    not(target_os = "linux"),
    allow(unused_imports, dead_code, reason = "some tests are for Unix or Linux only")
)]

mod adapters;
mod anchor;
mod bisect;
mod blame;
mod bless;
mod broken;
mod cached;
mod cells;
mod check;
mod ci_logs;
mod cli;
mod compare;
mod compatibility;
mod completions;
mod compressed;
mod config;
mod contents;
mod costs;
mod differences;
#[cfg(unix)]
mod docs;
mod ecdsa;
mod effects;
mod exec;
mod executed_ops;
#[cfg(unix)]
mod explore;
mod family;
mod faults;
#[cfg(unix)]
mod files;
mod fill;
mod fuzz;
mod golden;
mod hostile;
mod hot;
#[cfg(unix)]
mod init;
mod inspect;
mod interrupt;
mod isa;
mod known;
mod layering;
mod list;
mod matrix;
mod minic89;
mod minimize;
mod nef;
mod neo2;
mod neo3;
mod neovm;
mod output;
mod partition;
#[cfg(unix)]
mod planted;
#[cfg(target_os = "linux")]
mod process;
mod property;
mod prove;
mod random;
mod recording;
mod reports;
mod rerun;
mod samples;
mod scale;
mod schema;
mod schema_minic89;
mod schema_neovm;
mod schema_report;
#[cfg(feature = "ethereum")]
mod schema_statetest;
mod schema_tinyvm;
mod schema_vmtests;
mod select;
mod snapshot;
#[cfg(unix)]
mod states;
#[cfg(feature = "ethereum")]
mod statetest;
mod suites;
mod support;
mod suspects;
mod tinyvm;
mod tinyvm_asm;
mod tinyvm_format;
mod trace;
mod vm_command;
mod watch;
mod wire;
