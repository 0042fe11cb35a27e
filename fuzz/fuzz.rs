//! A fuzz target for cargo-fuzz: the one that this binary is named after.

#![no_main]

#[path = "targets/list.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let target = targets::TARGETS.iter().find(|target| target.name == env!("CARGO_BIN_NAME"));
    (target.expect("a target of this name").run)(data);
});
