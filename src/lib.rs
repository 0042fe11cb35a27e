//! vmconf runs conformance vectors for virtual machines.
//!
//! A *vector file* (JSON) says: load this program, do these actions, the machine must then look
//! like this. vmconf reads published formats into one model, runs each case on a *testee*, an
//! embedded machine or one in another process, compares, and reports exactly what differs and
//! where in the vector file that was demanded.
//!
//! The library is what the command is made of. It has no promise of stability of its own; what users of the command can
//! rely on is in `docs/src/stability.md`.
//!
//! # Example
//!
//! Which cases of a folder fail:
//!
//! ```
//! use vmconf::model::Event;
//! use vmconf::run::{self, LoadOptions, anchor::Anchor, sources};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let anchor = Anchor::at(".".as_ref())?;
//! let found = sources::find(&["vectors/tinyvm".into()], &anchor)?;
//! let mut failing = Vec::new();
//! run::run(&found.sources, &LoadOptions::default(), &mut |event| match event {
//!     Event::Finished(report) if report.verdict.kind().fails_run() => failing.push(report.id),
//!     _ => {}
//! });
//! assert!(failing.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! # One picture
//!
//! ```text
//! vector file --format--> Case --+
//!                                +--> Testee --> state --diff--> Verdict --> Event --> reports
//! isa rows ----------> Machine --+    an embedded machine
//!                                +--> Watch
//!
//! declaration of a family --> a format, and the shapes of a machine in another process
//! ```
//!
//! Data goes from left to right, and nothing flows back.
//!
//! # The life of a case
//!
//! Each line names a function that handles the case, or the file that contains it; the type after it is what the
//! function passes on.
//!
//! ```text
//! thread of the pool       run::pool::work_on            VectorSource: where a file is
//!   open the file          run::select::FileOpener
//!                          run::load::load, identify     LoadedFile: its text, its format, the ids of its cases
//!                          text::json::Document::parse
//!   run some cases of it   run::execute::Worker::run_each LoadedCase: one case, not read yet
//!                          Worker::execute, or execute_each for several in flight
//!     read it              run::read_case::ReadCase::new
//!                          formats::Format::read_case    FileReading: a Case, or what is wrong with it
//!     execute it           run::execute::perform          ReadCase: program, steps, assertions
//!                          testees::Testee::run
//!                          machines::machine::perform, Machine::advance
//!     compare              run::compare::differences      ComparedCase: the differences found after its steps
//!     judge it             run::execute::Worker::judge   JudgedCase: the report, and what the run keeps of it
//! thread of the command    run::pool::collect             FinishedCases: a file, or some of its cases
//!   in the order of files  run::order::ResultOrder        NextCase: what comes next
//!                          run::collect::RunCollector::case
//!   to each report         cli::reports::Reports::event   Event::Finished with the CaseReport
//!                          report::Report::event
//! ```
//!
//! # Map
//!
//! The source tree is divided into a few groups. Lower groups know nothing of higher ones;
//! `tests/it/layering.rs` reads this table and checks every `use` against it.
//!
//! | group | what is in it | may use |
//! |---|---|---|
//! | [`model`] | the shared vocabulary: value, path, case, assertion, mismatch, verdict, failure signature, explanation, diagnostic, limits | nothing |
//! | [`text`] | text with positions: the JSON reader, edits that preserve all other bytes, excerpts, quoting, numbers, suggestions | model |
//! | [`wire`] | what is written as JSON: reports, records, explanations, values; most is read back | model, text |
//! | [`isa`] | instruction sets as rows, assembler, disassembler | model, text |
//! | [`machines`] | the trait `Machine`, code that all machines share, one folder per machine; no machine uses another | isa, model, text |
//! | [`formats`] | one folder per format: files to cases and back; formats know machines by name only | model, text |
//! | [`testees`] | what a case runs on: a machine in this process or in another one | machines, isa, model, wire |
//! | [`run`] | load, select, execute, compare, collect; cache, partitions, known failures | testees, formats, machines, isa, wire, text, model |
//! | [`explain`] | why a case fails: traces, recording, blame; which instructions explain all failures | run, testees, formats, machines, isa, wire, text, model |
//! | [`lint`] | defects of vector files, found without running them | run, testees, formats, machines, isa, wire, text, model |
//! | [`prove`] | how good a suite is: audit, mutants, coverage, a small subset with the same coverage | run, explain, testees, formats, machines, isa, wire, text, model |
//! | [`hunt`] | find cases on which machines differ, make failing cases small, and make corpora | run, explain, prove, testees, formats, machines, isa, wire, text, model |
//! | [`report`] | events and explanations to text, JSON, JUnit, TAP, GitHub, Markdown, HTML | wire, text, model |
//! | `cli` (the binary) | the command line: arguments, output, exit codes | anything |
//!
//! # Invariants
//!
//! - A format executes nothing, a machine reads no vectors, and a report changes no verdict.
//! - A machine keeps plain fields, for speed. [`machines::observe::Observe`] converts a field to a
//!   [`model::value::Value`] only when an assertion names it.
//! - An expectation is a flat list of [`model::assertion::Assertion`]s. If omitting a member means something
//!   in a format, that is an assertion too; [`run::compare::diff`] has no options.
//! - Each datum of a vector keeps its byte offset. [`text::source_text::SourceText`] computes line and
//!   column when the datum is reported, from one index of the text's lines.
//! - Runs without a watch pay nothing for it: a machine's loop does not know about watches, and
//!   [`machines::machine::Machine::run`] drives it from one instruction that the watch sees to the next.
//! - A machine that differs is a *fail*, a broken vector is an *error*. Neither is reported as the other,
//!   or as a *skip*.
//! - A vector is untrusted: nothing in it can make the run panic, hang, exhaust the memory or read a file
//!   outside the folders that its format names. Formats read files only through [`formats::Files`]. Each loop
//!   that a vector controls has a limit in [`model::limits::ROWS`]. Reaching a limit of the machine is state;
//!   reaching a limit of the runner is an error of the case. [`machines::account::CaseAccount`] counts the time
//!   and memory of a case; instructions whose cost depends on their operands charge it.
//! - Text from outside reaches a terminal, a log or a report only through [`model::escape`].
//! - Only [`run::bless`], [`run::fill`] and [`lint::fix`] produce changed vectors. New ones are made by [`hunt`] and
//!   [`prove`], and of a program by [`formats::made_for`]; only the command line writes files. `bless` has read and run what
//!   it produces; `fix` produces only text with the same cases.
//! - No randomness and no scheduling of threads affects a verdict, and the clock only says whether an entry of a
//!   list of known failures has expired; `--today` replaces it. Randomness only selects which cached results
//!   are verified. A machine in another process has a time limit.
//! - Caching is off by default. A cached pass replaces a run only if nothing that could change the result has
//!   changed: [`run::RunOptions::file_key`]. Every other case runs, and its failure is explained.
//!
//! # Adding things
//!
//! Most things are a row in a list. The command line, the help texts and the tests of all rows read that list.
//!
//! | to add | write | and a row in |
//! |---|---|---|
//! | an instruction | a handler next to the machine's `opcodes.rs` | `opcodes.rs` |
//! | a machine | a folder in `src/machines/`: [`machines::machine::Machine`] | [`machines::MACHINES`] |
//! | a format | a folder in `src/formats/`: [`formats::Format`] | [`formats::FORMATS`] |
//! | a built-in family | a declaration in `families/` | [`formats::family::BUILT_IN`] |
//! | a report | a file in `src/report/`: [`report::Report`] | [`report::REPORTS`] |
//! | a form of `vmconf trace` | a file in `src/explain/trace/`: [`explain::trace::TraceWriter`] | [`explain::trace::TRACES`] |
//! | a form of `vmconf compare` | a function in `src/report/comparison.rs` | [`report::comparison::COMPARISONS`] |
//! | a form of `vmconf check` | a file in `src/lint/` | [`lint::outputs::OUTPUTS`] |
//! | a rule of `vmconf check` | the diagnostic that names it, where a violation is detected | [`model::rule::RULES`] |
//! | a limit | the check, where the loop is | [`model::limits::ROWS`] |
//! | a predicate of `-E` | nothing else | [`run::expression::PREDICATES`] |
//! | a JSON Schema | a file in `schemas/` | [`wire::schema::SCHEMAS`] |
//! | a fuzz target | a function in `fuzz/targets/` | `fuzz/targets/list.rs` and `fuzz/Cargo.toml` |
//! | a command | a file in `src/cli/` | `Command` in `src/cli.rs` |
//! | a flag of a command that reads vectors | the argument | `src/cli/flags.rs` |

pub mod explain;
pub mod formats;
pub mod hunt;
pub mod isa;
pub mod lint;
pub mod machines;
pub mod model;
pub mod prove;
pub mod report;
pub mod run;
pub mod testees;
pub mod text;
pub mod wire;
