//! The assembly language of tinyvm: examples of its reference, every word there and back, and
//! sources with what an independent assembler makes of them (`tests/samples/tinyvm/asm`).

use std::fmt::Write;

use crate::support::{files, relative, vmconf};
use proptest::prelude::*;
use tempfile::TempDir;
use vmconf::isa::assembler::{AsmErrors, Assembled};
use vmconf::machines::{ProgramLanguage, by_name};

fn assemble(source: &str) -> Result<Assembled, AsmErrors> {
    match by_name("tinyvm").unwrap().language {
        ProgramLanguage::Own { assemble, .. } => assemble(source),
        ProgramLanguage::Bytes | ProgramLanguage::Document { .. } => {
            panic!("tinyvm has a language of its own")
        }
    }
}

fn disassemble(word: u16) -> String {
    match by_name("tinyvm").unwrap().language {
        ProgramLanguage::Own { disassemble, .. } => disassemble(word),
        ProgramLanguage::Bytes | ProgramLanguage::Document { .. } => {
            panic!("tinyvm has a language of its own")
        }
    }
}

/// The written words as `ADDR: WORD WORD …`, a line for each run.
fn listing(program: &Assembled) -> String {
    let mut text = String::new();
    let mut next = None;
    for address in program.lines.keys() {
        if next != Some(*address) {
            let line_end = if text.is_empty() { "" } else { "\n" };
            write!(text, "{line_end}{address:04X}:").unwrap();
        }
        write!(text, " {:04X}", program.words[usize::from(*address)]).unwrap();
        next = address.checked_add(1);
    }
    text
}

#[test]
fn every_word_is_disassembled_and_assembled_to_itself() {
    let texts: Vec<_> = (0..=u16::MAX).map(disassemble).collect();
    let program = assemble(&texts.join("\n")).unwrap();
    assert!(program.words.iter().copied().eq(0..=u16::MAX));
    assert_eq!(texts.iter().filter(|text| text.starts_with(".word")).count(), 32074);
    assert!(program.lines.iter().all(|(address, line)| usize::from(*address) + 1 == *line));
}

#[test]
fn words_have_one_canonical_text() {
    let check = |word, text| assert_eq!(disassemble(word), text);
    check(0x102a, "yield");
    check(0x5f00, "nop");
    check(0xffff, "ill");
    check(0x2012, "sw r1, r2");
    check(0x2112, "lw r2, r1");
    check(0x3180, "lw r1, -128");
    check(0x410a, "lhi r1, 0x0A");
    check(0x5812, "decr r2, r1");
    check(0x5833, "decr r3");
    check(0x5f12, "mov r2, r1");
    check(0x5f11, ".word 0x5F11");
    check(0x6012, "add r1 r2");
    check(0x6e12, ".word 0x6E12");
    check(0x8312, "gts r1 r2");
    check(0x8311, "gtsz r1");
    check(0x8211, ".word 0x8211");
    check(0x9100, "b r1 2");
    check(0xafff, "j -2048");
    check(0xb100, "j r1");
    check(0xb1ff, "j r1 -1");
    check(0xc512, "jhi r5 0x1200");
    check(0x1000, ".word 0x1000");
}

#[test]
fn source_is_assembled() {
    fn check(source: &str, words: &str) {
        let program = assemble(source);
        assert_eq!(program.map(|it| listing(&it)), Ok(words.to_owned()), "{source:?}");
    }
    check("", "");
    check("  # nothing\n\n \t", "");
    check(" yield # the end\r\n", "0000: 102A");
    check("\u{feff}yield", "0000: 102A");
    check("lbgt r1 r2 200", "0000: 8C12 9200 A0C6");
    check("lbeqz r4 -200", "0000: 9400 A8C7");
    check("bgts r1 r2 -3", "0000: 8312 9282");
    check("bnez r4 129", "0000: 947F");
    check("j -2048", "0000: AFFF");
    check("jhi r5 0x1200", "0000: C512");
    check("lw r3, 200", "0000: 33C8 4300");
    check("lw r3, 0xFF80\nlw r3,-0x80\nlw r3 , 0xFF7F", "0000: 3380 3380 337F 43FF");
    check("lhi r1, 0xFF\nlhi r1, 0xFF00\nlhi r1, 0x100", "0000: 41FF 41FF 4101");
    check("incr r1\nincr r1, r2\nmov r1, r002", "0000: 5911 5921 5F21");
    check("add r1   r2\nj   r1   -1\nj r1\n.word   1_0", "0000: 6012 B1FF B100 000A");
    check(".label _a\nnop\nj _a\nj _a 5", "0000: 5F00 A800 A001");
    check("j _b -1\nj _b 1\n.word +0b1\n.word -0o7\n.label _b", "0000: A001 A002 0001 FFF9");
    check(
        "beq r3 r3 -2\nbeqz r3 -2\nlb r3 200\nlbnez r3 200",
        "0000: 8433 9381 8433 9381 8433 9300 A0C6 8433 9300 A0C6",
    );
    check("la r1, _x\nlla r2, _x\n.label _x", "0000: 3103 3203 4200");
    // Numbers are those of Python.
    check(".word 00\n.word 0000\n.word -00\n.word 0_0\n.word +0_00", "0000: 0000 0000 0000 0000 0000");
    check(".word 0X1F\n.word 0B1\n.word 0O7\n.word 0x_1\n.word -0b_1_0", "0000: 001F 0001 0007 0001 FFFE");
}

#[test]
fn the_memory_wraps() {
    let program = assemble(".offset 0xFFFE\n.label _a\nyield\nlw r1, 200\nj _a\n.offset _a").unwrap();
    assert_eq!(listing(&program), "0000: 4100 A802\nFFFE: 102A 31C8");
    assert_eq!(Vec::from_iter(program.lines), [(0, 4), (1, 5), (0xfffe, 3), (0xffff, 4)]);
}

#[test]
fn suspicious_source_is_noted() {
    fn check(source: &str, warnings: &[&str]) {
        let found: Vec<_> = assemble(source).unwrap().warnings.iter().map(ToString::to_string).collect();
        assert_eq!(found, warnings, "{source:?}");
    }
    check("yield", &[]);
    check("\n lb r1 200", &["2:2: warning: lb leaves the register inverted; lbnez says what it does"]);
    check(".offset 0xFFFF\nill", &["2:1: warning: the memory ends here; the next word is the one at 0x0000"]);
    let near = |address| format!(".offset {address}\n.label _a\n.offset 0x200\nlla r1, _a");
    check(&near("117"), &["4:1: warning: the address fits one word: la would do"]);
    check(&near("118"), &[]);
    check(&near("0xFF89"), &[]);
    check(&near("0xFF8A"), &["4:1: warning: the address fits one word: la would do"]);
}

#[test]
fn the_hash_of_the_memory_is_checked() {
    const ZEROS: &str = "FA43239BCEE7B97CA62F007CC68487560A39E19F74F3DDE7486DB3F98DF8E471";
    assert!(assemble(&format!(".assert_hash {ZEROS}")).is_ok());
    assert!(assemble(&format!(".assert_hash   {}\n.word 0", ZEROS.to_lowercase())).is_ok());
    let error = assemble(&format!("#\n.assert_hash {}", "0".repeat(64))).unwrap_err();
    assert_eq!((error.first().line, error.first().column), (2, 14));
    assert!(error.first().what.contains(ZEROS), "{error}");
}

/// All lines are read. What depends on the whole source is checked only if every line is valid.
#[test]
fn every_wrong_line_is_explained() {
    let source = "foo\nj _nowhere\n.label _unused\nadd\nj _nowhere";
    let errors = assemble(source).unwrap_err();
    let places: Vec<_> = errors.all().iter().map(|error| (error.line, error.column)).collect();
    assert_eq!(places, [(1, 1), (2, 3), (4, 1), (5, 3)], "{errors}");
    let errors = assemble(".label _b\n.label _a").unwrap_err();
    assert_eq!(errors.all().iter().map(|error| error.line).collect::<Vec<_>>(), [1, 2], "{errors}");
}

#[test]
fn wrong_source_is_explained() {
    fn check(source: &str, message: &str) {
        let error = assemble(source).unwrap_err();
        assert_eq!(error.to_string(), message, "{source:?}");
    }
    let command = "a command of tinyvm (the page on its format lists all)";
    check("\u{feff}foo", &format!("1:1: no command \"foo\"; expected {command}"));
    check("yield\n foo", &format!("2:2: no command \"foo\"; expected {command}"));
    check("é\u{1b}", &format!("1:1: no command \"é\\u{{1b}}\"; expected {command}"));
    check("YIELD", "1:1: no command \"YIELD\"; expected commands in lower case");
    check("lw\tr1, 2", "1:1: no command \"lw\\tr1,\"; expected one space after the command, no tab");
    check("gtz r1", "1:1: no command \"gtz\"; expected nez: above zero without a sign is not zero");
    check("lblez r1 9", "1:1: no command \"lblez\"; expected lbeqz: at most zero without a sign is zero");
    check(
        "exp r1 r2",
        "1:1: no command \"exp\"; expected .word 0x6EAB for rA and rB: only some machines have it",
    );
    check("yield r1", "1:7: too many operands; expected none after yield");
    check("add", "1:1: add without operands; expected add register register");
    check("add r1", "1:1: add with too few operands; expected add register register");
    check("add r1, r2", "1:5: \"r1,\" is not a register; expected r0 to r15");
    check("add  r1 r2", "1:5: more than one space; expected one space before this operand");
    check("jhi r1  0", "1:8: more than one space; expected one space before this operand");
    check("lw r1 r2", "1:1: lw with too few operands; expected lw register, register|number");
    check(
        "lw r1, _a",
        "1:8: \"_a\" is not a register or number; expected r0 to r15; or decimal, 0x, 0o or 0b",
    );
    check("incr r1,", "1:9: an operand without text; expected incr register[, register]");
    check("mov r1, r1", "1:9: the same register twice; expected two registers");
    check("gt r1 r1", "1:7: the same register twice; expected two registers");
    check("lw r1, 65536", "1:8: \"65536\" does not fit; expected a number from -0x8000 to 0xFFFF");
    check(
        "lw r1, 010",
        "1:8: \"010\" is not a register or number; expected r0 to r15; or decimal, 0x, 0o or 0b",
    );
    check(
        "lhi r1, 0x101",
        "1:9: \"0x101\" does not fit; expected 0 to 0xFF, or a multiple of 0x100 up to 0xFF00",
    );
    check("jhi r1 1", "1:8: \"1\" does not fit; expected a multiple of 0x100 from 0 to 0xFF00");
    check("j r1 128", "1:6: \"128\" does not fit; expected -128 to 127");
    check("j 2 2", "1:5: too many operands; expected a number only after a register or a label");
    check("b r1 0", "1:6: a distance of 0 is not possible; expected -128 to -1, or 2 to 129");
    check("j 2050", "1:3: a distance of 2050 is not possible; expected -2048 to -1, or 2 to 2049");
    check(
        "lbnez r1 118",
        "1:10: a distance of 118 is needlessly long; expected the command without the prefix l for -117 to 118",
    );
    check("j _a\n.label _a", "1:3: a distance of 1 is not possible; expected -2048 to -1, or 2 to 2049");
    check(
        "la r1, _a\n.offset 128\n.label _a",
        "1:8: \"_a\" is at 0x0080, too far for one word; expected an address up to 0x007F or from 0xFF80, or lla",
    );
    check("j _a", "1:3: no label \"_a\"; expected .label with this name");
    check(".label _a", "1:8: label \"_a\" is never used; expected a command that names it");
    check(
        ".label _a\n.label _a",
        "2:8: label \"_a\" is set twice; expected another name than that of line 1",
    );
    check(".label a", "1:8: \"a\" is not a label; expected _name without $ % & ( ) = ' \" [ ]");
    check(".offset _a\n.label _a", "1:9: no label \"_a\"; expected a label that is set above");
    check(".offset -1", "1:9: \"-1\" is not an address; expected 0 to 0xFFFF");
    check(
        "nop\n.offset 0\nnop",
        "3:1: the word at 0x0000 is written twice; expected a place that line 1 did not write",
    );
    check(".assert_hash", "1:1: .assert_hash without operands; expected .assert_hash hash");
    let hash = format!(".assert_hash {}\n", "0".repeat(64));
    check(&(hash.clone() + &hash), "2:1: a second hash; expected only that of line 1");
    check(".assert_hash 00", "1:14: \"00\" is not a hash; expected the 64 hex digits of a SHA-256");
}

/// Each source has beside it the words and the places of warnings, or the line of the error.
#[test]
fn samples_are_assembled_as_elsewhere() {
    let sources = files("tests/samples/tinyvm/asm", "asm");
    let mut wrong = String::new();
    for path in &sources {
        let found = match assemble(&std::fs::read_to_string(path).unwrap()) {
            Ok(program) => vec![words_and_warnings(&program)],
            // The other assembler stops at its first error.
            Err(errors) => errors.all().iter().map(|error| format!("error {}", error.line)).collect(),
        };
        let words = std::fs::read_to_string(path.with_extension("words")).map(|it| word_by_word(&it));
        let wanted = words.unwrap_or_else(|_| {
            let error = std::fs::read_to_string(path.with_extension("error")).unwrap();
            format!("error {}", error.split_whitespace().next().unwrap())
        });
        if !found.contains(&wanted) {
            let found = found.join("\n");
            write!(wrong, "{}:\n{found}\nwanted:\n{wanted}\n\n", relative(path)).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(sources.len() >= 150, "{} sources", sources.len());
}

/// Each written word and where each warning is.
fn words_and_warnings(program: &Assembled) -> String {
    let words = program.lines.keys().map(|at| format!("{at:04X} {:04X}", program.words[usize::from(*at)]));
    let warnings =
        program.warnings.iter().map(|warning| format!("warning {}:{}", warning.line, warning.column));
    let mut lines: Vec<_> = words.chain(warnings).collect();
    lines.sort();
    lines.join("\n")
}

/// The same of a file that says it in runs of words.
fn word_by_word(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if line.starts_with("warning ") {
            lines.push(line.to_owned());
            continue;
        }
        let (address, words) = line.split_once(':').unwrap();
        let mut address = u16::from_str_radix(address, 16).unwrap();
        for word in words.split_whitespace() {
            lines.push(format!("{address:04X} {word}"));
            address = address.wrapping_add(1);
        }
    }
    lines.sort();
    lines.join("\n")
}

proptest! {
    #![proptest_config(crate::support::config(256))]

    /// The assembler refuses or reads any text; where it refuses, the place is one of the text.
    #[test]
    fn any_text_is_assembled_or_refused(
        text in "([a-z0-9_,# \n\t-]|(lw|j|b|lb|bgt|lla|jhi|incr|\\.label|\\.offset|\\.word) |r[0-9]|_a|é|0x|\n){0,30}"
    ) {
        let errors = assemble(&text).err();
        for error in errors.iter().flat_map(AsmErrors::all) {
            let line = text.lines().nth(error.line - 1).unwrap();
            prop_assert!(error.column <= line.chars().count() + 1, "{error} in {text:?}");
        }
    }
}

fn folder_with(name: &str, content: &[u8]) -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[test]
fn the_command_line_assembles() {
    let source = "yield\n.offset 0x10\nlb r1 200\n";
    let (folder, path) = folder_with("a.asm", source.as_bytes());
    let ran = vmconf(&["asm", "tinyvm", &path]);
    assert_eq!((ran.exit, &*ran.stdout), (0, "0000: 102A\n0010: 8411 9100 A0C6\n"));
    let warning = format!("{path}:3:1: warning: lb leaves the register inverted; lbnez says what it does\n");
    assert_eq!(ran.stderr, warning);

    let [segment, map] = ["a.segment", "a.json"].map(|name| folder.path().join(name));
    let [segment_arg, map_arg] = [&segment, &map].map(|it| it.to_str().unwrap());
    let ran = vmconf(&["asm", "tinyvm", &path, "--write", segment_arg, "--map", map_arg]);
    assert_eq!((ran.exit, &*ran.stdout), (0, ""));
    let bytes = std::fs::read(&segment).unwrap();
    assert_eq!(
        (bytes.len(), &bytes[..3], &bytes[0x20..0x22]),
        (131_072, &[0x10, 0x2a, 0][..], &[0x84, 0x11][..])
    );
    let lines = "{\n  \"0000\": 1,\n  \"0010\": 3,\n  \"0011\": 3,\n  \"0012\": 3\n}\n";
    assert_eq!(std::fs::read_to_string(&map).unwrap(), lines);

    let listing = vmconf(&["disasm", "tinyvm", segment_arg]);
    let text = "0x0000  yield\n0x0001  # 15 words 0x0000\n0x0010  eqz r1\n0x0011  b r1 2\n0x0012  j 200\n";
    assert_eq!((listing.exit, &*listing.stdout), (0, text));
    let back = vmconf(&["disasm", "tinyvm", "--source", segment_arg]);
    assert_eq!(back.stdout, "yield\n.offset 0x0010\neqz r1\nb r1 2\nj 200\n");
    let again = assemble(&back.stdout).unwrap();
    assert!(again.words.iter().copied().flat_map(u16::to_be_bytes).eq(bytes));
}

#[test]
fn the_command_line_says_what_is_wrong() {
    let (_folder, path) = folder_with("a.asm", b"yield\nfoo\n");
    let ran = vmconf(&["asm", "tinyvm", &path]);
    assert_eq!((ran.exit, &*ran.stdout), (3, ""));
    assert!(ran.stderr.starts_with(&format!("error: {path}:2:1: no command \"foo\"")), "{}", ran.stderr);
    let ran = vmconf(&["disasm", "tinyvm", &path]);
    assert_eq!(
        (ran.exit, ran.stderr),
        (3, format!("error: {path}: 10 bytes, where a segment file has 131072\n"))
    );
    assert_eq!(vmconf(&["disasm", "tinyvm", "0x102a5f"]).exit, 2);
    assert_eq!(vmconf(&["disasm", "tinyvm", "0x102a5f00"]).stdout, "0x0000  yield\n0x0001  nop\n");
    let (folder, path) = folder_with("a.asm", b"STOP\n");
    let map = folder.path().join("map");
    assert_eq!(vmconf(&["asm", "evm", &path, "--map", map.to_str().unwrap()]).exit, 2);
    let out = folder.path().join("out");
    assert_eq!(vmconf(&["asm", "evm", &path, "--write", out.to_str().unwrap()]).exit, 0);
    assert_eq!(std::fs::read(out).unwrap(), [0]);
}

/// A wrong line of an array is shown where it is, also by the machine that refuses the program.
#[test]
fn wrong_lines_are_found_in_the_vector() {
    let check = |command: &str, member: &str, line: &str, place: &str| {
        let vector = format!(
            "{{\"machine\": \"tinyvm\", \"tests\": [{{\"name\": \"a\", {member}\n\"yield\",\n  \"{line}\"]}}]}}"
        );
        let (_folder, path) = folder_with("v.json", vector.as_bytes());
        let ran = vmconf(&[command, "--no-config", &path]);
        let mut places = ran.stdout.split("v.json:").map(|it| it.split_whitespace().next().unwrap_or(""));
        let is_there = places.any(|it| it.trim_end_matches(':') == place);
        assert!(ran.exit == 3 && is_there, "{command} {member}: {ran:?}");
    };
    for command in ["run", "check"] {
        for member in ["\"instructions\": [", "\"driver\": [\"yield\"], \"testee\": ["] {
            check(command, member, "  foo r1", "3:6");
            // With an escape, the columns of the line are not those of the file.
            check(command, member, "\\u0020foo", "3:3");
        }
    }
}

/// A source that cannot be used is named, whether the command line or a vector names it.
#[test]
fn wrong_sources_are_named() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("bytes.asm"), b"yield\n\xff").unwrap();
    std::fs::write(path("foo.asm"), "yield\nfoo r1\n").unwrap();
    for (name, place) in [("bytes.asm", "a source that is not UTF-8, at byte 6\n"), ("foo.asm", "no command")]
    {
        let ran = vmconf(&["asm", "tinyvm", &path(name)]);
        let is_named =
            ran.stderr.starts_with(&format!("error: {}", path(name))) && ran.stderr.contains(place);
        assert_eq!((ran.exit, is_named), (3, true), "{ran:?}");
    }
    let vector = r#"{"machine": "tinyvm", "tests": [{"name": "a", "instructions": {"file": "foo.asm"}}]}"#;
    std::fs::write(path("v.json"), vector).unwrap();
    for command in ["run", "check"] {
        let ran = vmconf(&[command, "--no-config", &path("v.json")]);
        assert!(ran.exit == 3 && ran.stdout.contains("foo.asm:2:1: no command \"foo\""), "{ran:?}");
    }
}
