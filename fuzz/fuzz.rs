//! A fuzz target for cargo-fuzz: the one that this binary is named after. `VMCONF_FUZZ_CORPUS=fuzz/corpus cargo test
//! --test it fuzz` writes the seeds of all targets.

#![no_main]

#[allow(dead_code, reason = "the fuzzer reads the seeds from its corpus")]
#[path = "targets/list.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let target = targets::TARGETS.iter().find(|target| target.name == env!("CARGO_BIN_NAME"));
    target.expect("a target of this name").run.on(data);
});
