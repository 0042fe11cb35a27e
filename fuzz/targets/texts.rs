//! Everything else that is read: reports, expressions, the configuration, sources of programs, containers.

use std::path::Path;

use sha2::{Digest, Sha256};
use vmconf::formats::nef::{ContractManifest, Nef};
use vmconf::isa::assembler::assemble;
use vmconf::isa::disassembler::disassemble as lines_of;
use vmconf::machines::{MACHINES, ProgramLanguage};
use vmconf::model::Event;
use vmconf::run::expression::Expr;
use vmconf::run::merge::{self, merge};
use vmconf::text::config::{ConfigKind, DEFAULT, FileConfig, Setting, SettingScope};
use vmconf::wire::comparison;
use vmconf::wire::line::one_line;
use vmconf::wire::report::ReportLine;

/// The report of the only part of a run.
pub(super) const REPORT_OF_A_PART: &[u8] = br#"{"type":"run","version":1,"vmconf":"0.1.0","files":1,"partition":{"kind":"hash","part":1,"of":1,"selection":"x","typed":{"selection":["a.json"],"flags":[]}}}
{"type":"note","file":"a.json","message":"unknown member","line":2,"column":3,"position":0}
{"type":"case","verdict":"fail","id":"a.json::x","file":"a.json","name":"x","format":"vmtests","machine":"evm","differences":[{"path":"gas","expected":{"int":"1"},"actual":{"int":"2"},"line":1,"column":10}],"ended":"success","position":1}
{"type":"case","verdict":"pass","id":"a.json::y","file":"a.json","name":"y","format":"vmtests","machine":"evm","position":2}
{"type":"explained","id":"a.json::x","file":"a.json","name":"x","text":"because","position":1}
{"type":"summary","passed":1,"failed":1,"errors":0,"skipped":0,"exit":1,"seconds":0.5}
"#;

/// A recorded run.
pub(super) const RECORD: &[u8] = br#"{"type":"run","version":1,"vmconf":"0.1.0","files":1,"when":"2026-11-22T12:00:00Z","command":"vmconf run"}
{"type":"case","verdict":"pass","id":"a.json::y"}
{"type":"case","verdict":"error","id":"a.json","file":"a.json","problems":[{"message":"no"}]}
{"type":"summary","passed":1,"failed":0,"errors":1,"skipped":0,"exit":3,"seconds":0.25}
"#;

pub(super) const EXPRESSIONS: &[&[u8]] = &[
    b"name(add) and not (format(vmtests) or machine(evm))",
    b"op(SSTORE) or uses(PUSH1)",
    b"id(/vectors/) and expects(fault)",
    b"not (not path(vectors/**/x.json))",
    b"name(a\\)b) or name(=x) and name(*y*)",
];

pub(super) const SOURCES: &[&[u8]] = &[
    b"start: PUSH1 0x2a ; comment\nADD\nJUMPDEST\n.byte 0x00ff\n",
    b"PUSH2 @start\nJUMP\n",
    b"PUSHDATA1 0x010203\nJMP @end\nend: RET\n",
    b"PUSHINT8 -5\nPUSHINT256 1\nTRY 4 -4\n",
    b"PUSHBYTES1 0x01\nSYSCALL 0x4e656f\nCALL_I 0 1 @l\nl: NOP",
];

pub(super) const CODES: &[&[u8]] = &[
    &[0x60, 0x2a, 0x60, 0x00, 0x01, 0x7f, 1, 2, 3, 0xfe],
    &[0x0c, 3, 1, 2, 3, 0x22, 4, 0x3b, 4, 0xfc, 0x40, 0x0e, 0, 0, 0, 1],
    &[0x4b, 1, 2, 0x68, 3, 1, 2, 3, 0x62, 3, 0, 0xff],
    &[0xff, 0, 1],
];

/// The manifest of a contract.
pub(super) const MANIFEST: &[u8] = br#"{"name":"c","groups":[],"features":{},"supportedstandards":[],"abi":{"methods":[{"name":"main","parameters":[{"name":"a","type":"Integer"}],"returntype":"Void","offset":0,"safe":true}],"events":[]},"permissions":[],"trusts":[],"extra":null}"#;

/// The bytes of a container between the magic number and the checksum: no tokens, the script 11 12 9e 40.
pub(super) const NEF: &[u8] = b"neo\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x03src\x00\x00\x00\x00\x04\x11\x12\x9e\x40";

/// Lines one by one, which must be the same when they were read and are written again; then the whole, as
/// `compare` and `merge` read it.
pub(super) fn reports(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    // What stands in front is the heading of a golden file.
    let text = text.find('{').map_or("", |start| &text[start..]);
    for line in text.lines() {
        let Ok(line) = ReportLine::read(line.as_bytes()) else { continue };
        let written = one_line(&line);
        assert_eq!(one_line(&ReportLine::read(written.as_bytes()).unwrap()), written);
        let _ = Event::try_from(line);
    }
    if let Ok(run) = comparison::read("report", &mut text.as_bytes()) {
        let comparison = comparison::compare(&run, &run);
        assert!(!comparison.is_worse());
    }
    let mut excerpt = |_: &str| Some(text.chars().rev().collect::<String>());
    let _ = merge(&[merge::PartSource { name: "part", text }], &mut excerpt);
}

/// An expression that can be read is the same when it is displayed and read again.
pub(super) fn expressions(data: &[u8]) {
    if let Ok(expression) = String::from_utf8_lossy(data).parse::<Expr>() {
        assert_eq!(expression.to_string().parse(), Ok(expression));
    }
}

/// A configuration with settings of each kind.
pub(super) fn config(data: &[u8]) {
    let setting = |(name, kind, scope)| Setting { name: String::from(name), kind, scope };
    let settings = [
        ("strict", ConfigKind::Switch, SettingScope::File),
        ("max-steps", ConfigKind::Number, SettingScope::File),
        ("format", ConfigKind::Text, SettingScope::File),
        ("report", ConfigKind::Texts, SettingScope::Run),
        ("known", ConfigKind::File, SettingScope::File),
        ("jobs", ConfigKind::Number, SettingScope::Run),
    ]
    .map(setting);
    let text = String::from_utf8_lossy(data);
    if let Ok(config) = FileConfig::parse(&text, Path::new("folder"), &settings) {
        assert!(config.tables().flatten().all(|entry| settings.iter().any(|known| known.name == entry.name)));
        let _ = (config.profile(DEFAULT), config.profile("ci"));
    }
    let _ = vmconf::run::known_failures::KnownFailures::parse("known.toml", &text, TODAY);
}

const TODAY: vmconf::run::known_failures::Date =
    vmconf::run::known_failures::Date { year: 2026, month: 11, day: 22 };

/// A source in the language of each machine.
pub(super) fn assembler(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for machine in MACHINES {
        match machine.language {
            ProgramLanguage::Bytes => {
                if let Ok(code) = assemble(machine.isa, &text) {
                    assert_same_code(machine.isa, &code);
                }
            }
            ProgramLanguage::Own { assemble, disassemble } => {
                if let Ok(assembled) = assemble(&text) {
                    assembled.words.iter().take(100).for_each(|word| drop(disassemble(*word)));
                }
            }
            ProgramLanguage::Document { .. } => {}
        }
    }
}

/// A program of each machine.
pub(super) fn disassembler(data: &[u8]) {
    for machine in MACHINES {
        match machine.language {
            ProgramLanguage::Bytes => assert_same_code(machine.isa, data),
            ProgramLanguage::Own { disassemble, .. } => {
                for byte in data {
                    disassemble(u16::from(*byte) << 8);
                }
            }
            ProgramLanguage::Document { .. } => {}
        }
    }
}

/// What is disassembled assembles to the same bytes.
fn assert_same_code(isa: &vmconf::isa::Isa, code: &[u8]) {
    let source: Vec<_> = lines_of(isa, code).map(|line| line.source()).collect();
    assert_eq!(assemble(isa, &source.join("\n")).as_deref(), Ok(code));
}

/// A container as it is, one with the right magic number and checksum, and a manifest.
pub(super) fn nef(data: &[u8]) {
    let _ = Nef::read(data);
    let mut file = [b"NEF3", data].concat();
    let checksum = Sha256::digest(Sha256::digest(&file));
    file.extend(&checksum[..4]);
    let _ = Nef::read(&file);
    let _ = ContractManifest::read(data, 4);
}
