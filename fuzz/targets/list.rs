//! The fuzz targets. cargo-fuzz runs one of them as a binary of its own (`fuzz/fuzz.rs`); `tests/it/fuzz.rs`
//! runs all of them on their seeds and on mutations of these.
//!
//! A target panics if the library does: on an input that makes it panic, or that breaks a property which
//! holds for every input.

mod families;
mod files;
mod programs;
mod texts;

/// A fuzz target.
pub(crate) struct Target {
    /// The name, also of its binary.
    pub(crate) name: &'static str,
    /// Runs it on an input.
    pub(crate) run: Run,
    /// The inputs to start from; empty if the input is not text but decides about a generated program.
    pub(crate) seeds: &'static [Seeds],
}

/// What a target does with an input.
pub(crate) enum Run {
    /// Reads it.
    Text(fn(&[u8])),
    /// Runs the program that is made of it; returns how many instructions were executed.
    Program(fn(&[u8]) -> u64),
}

impl Run {
    /// Runs it on an input; returns how many instructions of a program were executed, 0 for a text.
    pub(crate) fn on(&self, input: &[u8]) -> u64 {
        match self {
            Text(run) => {
                run(input);
                0
            }
            Program(run) => run(input),
        }
    }
}

/// Inputs to start from.
pub(crate) enum Seeds {
    /// The files with this extension in and below a folder of the project.
    Files(&'static str, &'static str),
    /// These inputs.
    These(&'static [&'static [u8]]),
}

use Run::{Program, Text};
use Seeds::{Files, These};

/// Every target. `fuzz/Cargo.toml` lists their names, too, which a test compares.
pub(crate) static TARGETS: &[Target] = &[
    Target {
        name: "family-declaration",
        run: Text(families::declaration),
        seeds: &[Files("families", "toml"), Files("tests/families", "toml")],
    },
    Target {
        name: "family-vectors",
        run: Text(families::vectors),
        seeds: &[Files("families/vectors/pvm", "json"), Files("tests/families", "json")],
    },
    Target {
        name: "format-vmtests",
        run: Text(|data| files::run("vmtests", data)),
        seeds: &[Files("vectors/evm/notation", "json"), Files("tests/samples/vmtests", "json")],
    },
    Target {
        name: "format-neovm-n3",
        run: Text(|data| files::run("neovm-n3", data)),
        seeds: &[Files("vectors/neo3/notation", "json"), Files("tests/samples/neovm-n3", "json")],
    },
    Target {
        name: "format-neovm-2x",
        run: Text(|data| files::run("neovm-2x", data)),
        seeds: &[Files("vectors/neo2/notation", "json"), Files("tests/samples/neovm-2x", "json")],
    },
    Target {
        name: "format-tinyvm",
        run: Text(|data| files::run("tinyvm", data)),
        seeds: &[Files("vectors/tinyvm", "json"), Files("tests/samples/tinyvm", "json")],
    },
    Target {
        name: "format-testcases",
        run: Text(|data| files::run("testcases", data)),
        seeds: &[Files("tests/samples/testcases", "json")],
    },
    Target {
        name: "format-minic89",
        run: Text(|data| files::run("minic89", data)),
        seeds: &[Files("vectors/minic89", "json"), Files("tests/samples/minic89", "json")],
    },
    Target {
        name: "format-statetest",
        run: Text(|data| files::run("statetest", data)),
        seeds: &[Files("vectors/ethereum", "json"), Files("tests/samples/statetest", "json")],
    },
    Target { name: "machine-evm", run: Program(programs::evm), seeds: &[] },
    Target { name: "machine-neo3", run: Program(programs::neo3), seeds: &[] },
    Target { name: "machine-neo2", run: Program(programs::neo2), seeds: &[] },
    Target { name: "machine-tinyvm", run: Program(programs::tinyvm), seeds: &[] },
    Target { name: "machine-minic89", run: Program(programs::minic89), seeds: &[] },
    Target {
        name: "reports",
        run: Text(texts::reports),
        seeds: &[Files("tests/it/snapshots/json", "snap"), These(&[texts::REPORT_OF_A_PART, texts::RECORD])],
    },
    Target { name: "expressions", run: Text(texts::expressions), seeds: &[These(texts::EXPRESSIONS)] },
    Target {
        name: "config",
        run: Text(texts::config),
        seeds: &[Files("tests/samples/config", "toml"), Files("tests/samples", "toml")],
    },
    Target {
        name: "assembler",
        run: Text(texts::assembler),
        seeds: &[Files("tests/samples/tinyvm/asm", "asm"), These(texts::SOURCES)],
    },
    Target { name: "disassembler", run: Text(texts::disassembler), seeds: &[These(texts::CODES)] },
    Target { name: "nef", run: Text(texts::nef), seeds: &[These(&[texts::NEF, texts::MANIFEST])] },
];
