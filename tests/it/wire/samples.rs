//! Arbitrary values of everything that is written as JSON.

use std::sync::Arc;
use std::time::Duration;

use num_bigint::BigInt;
use proptest::prelude::*;
use vmconf::model::{
    Breakdown, CaseDifference, CaseId, CaseReport, ContentDigest, Diagnostic, DiagnosticPlace, DoubtfulCase,
    Event, Expected, ExpectedBits, ExplainedCase, Failure, FieldNotCompared, FirstTry, KnownListing,
    MemoryWindow, Name, NotComparedReason, NotPassed, Path, PathKey, Position, RunSummary,
    SeparatingCondition, StateRow, StateTable, Suspect, SuspectAnalysis, SuspectName, UnexplainedCases,
    UsedVm, Value, Verdict, VerdictKind,
};
use vmconf::wire::record;
use vmconf::wire::report::Problem;

/// Any text, with what disturbs terminals in it.
pub(super) fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,8}", "[\u{1b}\u{202e}\u{0}\n\"\\\\#:é🦀a1]{0,8}"]
}

/// A name that a path shows as it is, in one key.
fn any_name() -> impl Strategy<Value = String> {
    "([a-z0-9.é🦀][a-z0-9 .:é🦀]{0,6}#?)?"
}

pub(super) fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        prop::collection::vec(any::<u8>(), 0..40)
            .prop_map(|it| Value::Int(BigInt::from_signed_bytes_be(&it))),
        prop::collection::vec(any::<u8>(), 0..12).prop_map(Value::Bytes),
        any_text().prop_map(Value::text),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            prop::collection::btree_map(any_text(), inner.clone(), 0..4)
                .prop_map(|members| Value::record(members.into_iter().rev())),
            (any_text(), inner).prop_map(|(name, value)| Value::typed(name, value)),
        ]
    })
}

fn any_keys() -> impl Strategy<Value = Vec<PathKey>> {
    prop::collection::vec(any_name().prop_map(PathKey::from), 0..4)
}

pub(super) fn any_expected() -> impl Strategy<Value = Expected> {
    prop_oneof![
        any_value().prop_map(Expected::Is),
        any_value().prop_map(Expected::IsOrAbsent),
        any_written_expected(),
    ]
}

/// An expectation that reads back as itself.
fn any_written_expected() -> impl Strategy<Value = Expected> {
    prop_oneof![
        any_value().prop_map(Expected::Is),
        prop::collection::vec(any_value(), 1..3).prop_map(Expected::OneOf),
        Just(Expected::Absent),
        Just(Expected::Record),
        any_name().prop_map(|name| Expected::Type(name.into())),
        any::<usize>().prop_map(Expected::Len),
        any_keys().prop_map(Expected::Only),
        any_keys().prop_map(Expected::Order),
    ]
}

pub(super) fn any_path() -> impl Strategy<Value = Path> {
    let key = prop_oneof![any_name().prop_map(PathKey::from), any::<usize>().prop_map(PathKey::from)];
    (any_name(), prop::collection::vec(key, 0..6))
        .prop_map(|(field, keys)| keys.into_iter().fold(Path::field(field), |path, key| path.child(key)))
}

fn any_place() -> impl Strategy<Value = DiagnosticPlace> {
    (1..=u32::MAX, 1..=u32::MAX).prop_map(|(line, column)| DiagnosticPlace {
        at: 0,
        position: Position { line, column },
        excerpt: String::new(),
        before: 0,
    })
}

fn any_diagnostic() -> impl Strategy<Value = Diagnostic> {
    let texts = (any_text(), prop::option::of(any_text()), prop::option::of(any_text()));
    (texts, prop::option::of(any_place())).prop_map(|((what, expected, suggestion), place)| {
        let diagnostic = Diagnostic::new(what).with_place(place);
        let mut diagnostic = diagnostic.suggest(suggestion.as_deref());
        diagnostic.expected = expected;
        diagnostic
    })
}

/// A number of which some bits are compared.
fn any_bits() -> impl Strategy<Value = Expected> {
    (any::<i64>(), any::<u64>()).prop_map(|(number, mask)| {
        Expected::Bits(Box::new(ExpectedBits { value: Value::int(number), mask: mask.into() }))
    })
}

fn any_difference() -> impl Strategy<Value = CaseDifference> {
    (
        prop::option::of(any::<usize>()),
        any_path(),
        prop_oneof![4 => any_written_expected(), 1 => any_bits()],
        prop::option::of(any_value()),
        any_place(),
        prop::option::of(any_text()),
    )
        .prop_map(|(step, at, expected, actual, place, note)| CaseDifference {
            step,
            at,
            expected,
            actual,
            place,
            note,
        })
}

/// Unions of large values are on the heap: nested in place, they need more stack than a test has.
fn any_failure() -> impl Strategy<Value = Failure> {
    let state = prop::option::of(any_state_table().prop_map(Box::new));
    (prop::collection::vec(any_difference(), 1..3), any_text(), any::<Option<u64>>(), state)
        .prop_map(|(differences, ended, instructions, state)| Failure {
            first: None,
            differences,
            ended,
            instructions,
            state,
        })
        .boxed()
}

fn any_state_table() -> impl Strategy<Value = StateTable> {
    let rows = || prop::collection::vec(any_state_row(), 0..3);
    let window = (any_text(), rows(), any::<usize>()).prop_map(|(field, cells, differing)| MemoryWindow {
        field,
        cells,
        differing,
    });
    (prop::option::of(any::<usize>()), rows(), prop::collection::vec(window, 0..2))
        .prop_map(|(step, rows, memories)| StateTable { step, rows, memories })
}

fn any_state_row() -> impl Strategy<Value = StateRow> {
    let value = || prop::option::of(any_text());
    (any_path(), value(), value(), value(), any::<bool>()).prop_map(
        |(at, before, expected, actual, differs)| StateRow { at, before, expected, actual, differs },
    )
}

fn any_listing() -> impl Strategy<Value = KnownListing> {
    (any_text(), any_text(), prop::option::of(any_text())).prop_map(|(place, reason, link)| KnownListing {
        place,
        reason,
        link,
    })
}

fn any_not_passed() -> impl Strategy<Value = NotPassed> {
    prop_oneof![
        any_failure().prop_map(NotPassed::Fail),
        any_text().prop_map(NotPassed::Unsupported),
        any_breakdown().prop_map(NotPassed::Crash),
        any_breakdown().prop_map(NotPassed::Timeout),
    ]
    .boxed()
}

fn any_verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![
        Just(Verdict::Pass),
        any_failure().prop_map(Verdict::Fail),
        (any_not_passed(), any_listing()).prop_map(|(known, listing)| Verdict::Known(known, listing)),
        any_listing().prop_map(Verdict::Fixed),
        prop::collection::vec(any_diagnostic(), 1..3).prop_map(Verdict::Error),
        any_text().prop_map(Verdict::Skip),
        any_text().prop_map(Verdict::Unsupported),
        any_breakdown().prop_map(Verdict::Crash),
        any_breakdown().prop_map(Verdict::Timeout),
        (any_breakdown(), 0..1_000_000_u64).prop_map(|(breakdown, micros)| {
            Verdict::Flaky(FirstTry { breakdown, time: Duration::from_micros(micros) })
        }),
    ]
    .boxed()
}

fn any_breakdown() -> impl Strategy<Value = Breakdown> {
    (any_text(), any_text()).prop_map(|(what, stderr)| Breakdown { what, stderr })
}

fn any_vm() -> impl Strategy<Value = UsedVm> {
    let list = || prop::collection::vec(any_text(), 0..3);
    let language = prop::option::of(any_text());
    (any_text(), any_text(), any_text(), language, list(), list(), list()).prop_map(
        |(name, implementation, release, language, not_compared, lacks, extensions)| UsedVm {
            name,
            implementation,
            release,
            language,
            not_compared,
            lacks,
            extensions,
        },
    )
}

fn any_id() -> impl Strategy<Value = CaseId> {
    (any_text(), prop::option::of(any_text()), 1..100_u32).prop_map(|(file, name, nth)| {
        let nth = if name.is_some() { nth } else { 1 };
        CaseId { file: Arc::from(file), name: name.map(Arc::from), nth }
    })
}

fn any_report() -> impl Strategy<Value = CaseReport> {
    let name = || prop::option::of(any_text().prop_map(Name::from));
    let line = prop::option::of(1..u32::MAX);
    let time = prop::option::of((0..1_u64 << 40).prop_map(Duration::from_micros));
    let listed = prop::option::of(any_text());
    let content = prop::option::of(any_text().prop_map(|text| ContentDigest::of(&text)));
    (any_id(), name(), name(), line, any_verdict(), listed, any::<bool>(), content, time)
        .prop_map(|(id, format, machine, line, verdict, listed, cached, content, time)| CaseReport {
            id,
            format,
            machine,
            line,
            verdict,
            listed,
            cached,
            content,
            time,
        })
        .boxed()
}

fn any_field_not_compared() -> impl Strategy<Value = FieldNotCompared> {
    let mask = prop::option::of("0x[0-9a-f]{1,8}");
    let reason = prop_oneof![
        any_text().prop_map(|vm| NotComparedReason::NotReported { vm }),
        mask.prop_map(|mask| NotComparedReason::Ignored { mask }),
    ];
    (any_text(), any::<u64>(), reason).prop_map(|(field, assertions, reason)| FieldNotCompared {
        field,
        assertions,
        reason,
    })
}

/// Every event but the end of a file, which has no line.
pub(super) fn any_event() -> impl Strategy<Value = Event> {
    let reports = prop::collection::vec(any_report(), 0..6);
    let summary = (reports, 0.0..1e9_f64, any::<bool>()).prop_map(|(reports, seconds, interrupted)| {
        let mut summary = RunSummary { seconds, interrupted, ..RunSummary::default() };
        for report in &reports {
            summary.count(report);
        }
        summary
    });
    prop_oneof![
        (any::<usize>(), prop::option::of(any_vm())).prop_map(|(files, vm)| Event::Started { files, vm }),
        (any_text(), any_diagnostic())
            .prop_map(|(file, diagnostic)| Event::Note { file: file.into(), diagnostic }),
        any_report().prop_map(Event::Finished),
        (any_id(), any_text()).prop_map(|(id, text)| Event::Explained(ExplainedCase::Text { id, text })),
        any_suspects().prop_map(|analysis| Event::Suspects(Box::new(analysis))).boxed(),
        prop::collection::vec(any_field_not_compared(), 1..3).prop_map(Event::NotCompared).boxed(),
        summary.prop_map(Event::Ended),
    ]
}

/// What explains the failures of a run, with a score as it is written.
pub(super) fn any_suspects() -> impl Strategy<Value = SuspectAnalysis> {
    let name = || (any_text(), any_text()).prop_map(|(machine, op)| SuspectName { machine, op });
    let condition = (any_text(), any::<u64>(), any::<u64>())
        .prop_map(|(what, failing, passing)| SeparatingCondition { what, failing, passing });
    let texts = || prop::collection::vec(any_text(), 0..3);
    let counts = (0..=1000_u32, any::<u64>(), 0..3_u64, any::<u64>(), any::<u64>());
    let named = (name(), texts());
    let further = (prop::option::of(condition), prop::option::of(any_text()));
    let suspect = (named, counts, further).prop_map(|((name, cases), counts, (condition, example))| {
        let (thousandths, alone, diverging, failing, passing) = counts;
        let score = f64::from(thousandths) / 1000.0;
        Suspect { name, score, cases, alone, diverging, failing, passing, condition, example }
    });
    let doubtful = (any_text(), any_text()).prop_map(|(id, why)| DoubtfulCase { id, why });
    let differing = (any_text(), any::<u64>(), any_text());
    let differing =
        differing.prop_map(|(signature, cases, example)| UnexplainedCases { signature, cases, example });
    let lists = (
        prop::collection::vec(suspect, 0..3),
        prop::collection::vec(name(), 0..3),
        prop::collection::vec(doubtful, 0..3),
        prop::collection::vec(name(), 0..3),
        prop::collection::vec(differing, 0..3),
    );
    let counts = (any::<u64>(), any::<u64>(), any::<bool>());
    (counts, lists, texts()).prop_map(|((failures, passing, is_comparable), lists, unexplained)| {
        let (suspects, others, doubtful, uncleared, differing) = lists;
        SuspectAnalysis {
            failures,
            passing,
            suspects,
            others,
            doubtful,
            unexplained,
            differing,
            uncleared,
            is_comparable,
        }
    })
}

pub(super) fn any_record_case() -> impl Strategy<Value = record::RecordedCase> {
    let problem = any_text().prop_map(|message| Problem {
        message,
        expected: None,
        suggestion: None,
        line: None,
        column: None,
    });
    (
        (0..VerdictKind::ALL.len(), prop::option::of(Just(VerdictKind::Unsupported))),
        any_text(),
        prop::option::of(any_text()),
        prop::option::of(any_text()),
        prop::option::of(prop::collection::vec(problem, 1)),
    )
        .prop_map(|((kind, unlisted), id, file, signature, problems)| record::RecordedCase {
            verdict: VerdictKind::ALL[kind],
            unlisted,
            id,
            file,
            signature,
            problems,
        })
}
