//! The instruction sets as a whole: what must hold for every row and every code of every machine.

use std::collections::HashSet;

use crate::executed_ops::ExecutedOps;
use crate::support::{execute, read, vmconf, written_in};
use proptest::prelude::*;
use vmconf::isa::assembler::{AsmErrors, MAX_ERRORS, assemble};
use vmconf::isa::disassembler::disassemble;
use vmconf::isa::{ImmediateOperand, Isa, Unit};
use vmconf::machines::{MACHINES, MachineInfo, by_name, of_this_crate};
use vmconf::model::Value;

#[test]
fn every_code_has_one_row_or_none() {
    for machine in MACHINES {
        let isa = machine.isa;
        assert_eq!(isa.machine, machine.name);
        assert!(std::ptr::eq(by_name(machine.name).unwrap().isa, isa), "two machines {}", machine.name);
        let codes = match isa.unit {
            Unit::Bytes | Unit::Objects => 0..=0xff,
            Unit::Words => 0..=0xffff,
        };
        let mut rows_by_code: Vec<_> = codes
            .filter_map(|code| isa.by_code(code).inspect(|op| assert_eq!(op.code, code & op.mask)))
            .collect();
        rows_by_code.dedup();
        assert!(rows_by_code.into_iter().eq(isa.ops.iter()), "{}: rows and codes differ", machine.name);
    }
}

#[test]
fn every_mnemonic_stands_once_and_is_found() {
    for machine in MACHINES {
        let mut seen = HashSet::new();
        for op in machine.isa.ops {
            assert!(seen.insert(op.name.to_lowercase()), "two rows {}", op.name);
            assert!(
                !op.name.is_empty() && op.name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_'),
                "{op:?}"
            );
            assert_eq!(machine.isa.by_name(op.name), Some(op));
            assert_eq!(machine.isa.by_name(&op.name.to_lowercase()), Some(op));
        }
        assert_eq!(machine.isa.by_name("nonsense"), None);
        assert_eq!(machine.isa.by_name(""), None);
    }
}

/// A line of documentation, which the table shows as it is: no sentence marks, no edges.
#[test]
fn every_row_is_documented() {
    for op in MACHINES.iter().flat_map(|machine| machine.isa.ops) {
        let doc = op.doc;
        assert!(doc.len() >= 5 && doc.len() <= 90, "{} has {} characters", op.name, doc.len());
        assert_eq!(doc, doc.trim(), "{}", op.name);
        assert!(!doc.ends_with('.') && !doc.contains('\n'), "{}: {doc}", op.name);
    }
}

/// Each instruction alone, complete and truncated at each byte, and each undefined code.
#[test]
fn every_instruction_is_disassembled_and_assembled_to_itself() {
    for machine in of_bytes() {
        for code in 0..=255 {
            // Also data of zero, one and two bytes after a length.
            for first in [0, 1, 2] {
                let full = [&[code, first][..], &[0; 80]].concat();
                let op = machine.isa.by_code(code.into());
                let operand = op.map_or(0, |op| op.operand_len(&full[1..]).unwrap());
                for length in 0..=operand {
                    let program = &full[..=length];
                    let lines: Vec<_> = disassemble(machine.isa, program).collect();
                    assert_eq!(lines.len(), 1, "{program:02x?}");
                    assert_eq!(lines[0].op, op.filter(|_| length == operand));
                    round_trip(machine.isa, program);
                }
            }
        }
    }
}

/// The machines whose instructions are bytes.
fn of_bytes() -> impl Iterator<Item = &'static MachineInfo> {
    MACHINES.iter().filter(|machine| machine.isa.unit == Unit::Bytes)
}

fn round_trip(isa: &Isa, program: &[u8]) {
    let lines: Vec<_> = disassemble(isa, program).collect();
    assert_eq!(lines.iter().flat_map(|line| line.bytes.to_vec()).collect::<Vec<_>>(), program);
    let source: String = lines.iter().map(|line| line.source() + "\n").collect();
    assert_eq!(assemble(isa, &source).as_deref(), Ok(program), "{source}");
}

proptest! {
    #![proptest_config(crate::support::config(256))]

    #[test]
    fn any_program_is_disassembled_and_assembled_to_itself(program in prop::collection::vec(any::<u8>(), 0..200)) {
        for machine in of_bytes() {
            round_trip(machine.isa, &program);
        }
    }

    /// The assembler refuses or reads any text; where it refuses, the place is one of the text.
    #[test]
    fn any_text_is_assembled_or_refused(text in "([A-Z0-9@:;. \n]|PUSH1 |0x|é|\\.byte ){0,20}") {
        for machine in of_bytes() {
            let errors = assemble(machine.isa, &text).err();
            for error in errors.iter().flat_map(AsmErrors::all) {
                let line = text.lines().nth(error.line - 1).unwrap();
                prop_assert!(error.column <= line.chars().count(), "{error} in {text:?}");
            }
        }
    }
}

/// The instructions after which no run ends normally.
const FATAL: &[(&str, &[&str])] = &[("neo3", &["CALLT", "ABORT", "ABORTMSG"]), ("neo2", &["THROW"])];

/// A field with another name would never be observed.
#[test]
fn ends_of_runs_are_fields_of_the_state() {
    for machine in MACHINES {
        let ends = machine.ends;
        let normal = ends.normal.iter().map(|(field, _)| field);
        for name in ends.fields.iter().chain(ends.only_after_some).chain(normal) {
            assert!(machine.fields.iter().any(|field| field.name == *name), "{}: {name}", machine.name);
        }
    }
}

/// Every row is executed by a vector that ends normally, so that its result is compared.
#[test]
fn every_row_is_exercised_by_a_vector() {
    for machine in of_this_crate() {
        let (field, end) = machine.ends.normal.unwrap_or_else(|| panic!("how does {} end?", machine.name));
        let fatal = FATAL.iter().find(|row| row.0 == machine.name).map_or(&[][..], |row| row.1);
        let (mut in_normal_runs, mut in_others) = (ExecutedOps::default(), ExecutedOps::default());
        for path in written_in(format!("vectors/{}", machine.name)) {
            for case in read(&path).1 {
                assert_eq!(case.case.machine, machine.name, "{}", path.display());
                let mut coverage = ExecutedOps::default();
                let run = execute(&case.case, Some(&mut coverage));
                let is_normal = run.observe(field) == Some(Value::text(end));
                if is_normal { &mut in_normal_runs } else { &mut in_others }.add(&coverage);
            }
        }
        let missing: Vec<_> = in_normal_runs.missing(machine.isa).map(|op| op.name).collect();
        assert_eq!(missing, fatal, "executed by no vector of {} that ends normally", machine.name);
        assert!(fatal.iter().all(|name| in_others.count(name) > 0), "{}", machine.name);
    }
}

#[test]
fn source_is_assembled() {
    fn check(source: &str, program: &str) {
        let assembled = assemble(by_name("evm").unwrap().isa, source);
        assert_eq!(
            assembled.map(hex::encode).map_err(|error| error.to_string()),
            Ok(program.to_owned()),
            "{source:?}"
        );
    }
    check("", "");
    check("; nothing\n\n  // at all", "");
    check("STOP", "00");
    check("  stop ; the end", "00");
    check("PUSH1 0x2a\r\nPUSH2 42", "602a61002a");
    check("PUSH1 0", "6000");
    check("PUSH1 0x0000000000000000000000ff", "60ff");
    check("PUSH32 1", &format!("7f{}01", "00".repeat(31)));
    check("loop: JUMPDEST\nPUSH1 @loop\nJUMP", "5b600056");
    check("PUSH2 @end\nJUMP\nend:\nJUMPDEST", "610004565b");
    check("a: b: STOP", "00");
    check(".byte 0xfe 0c 0xABCD", "fe0cabcd");
}

/// All lines are read; a distance is checked only where all are valid, since the others have no length.
#[test]
fn every_wrong_line_is_explained() {
    let errors = assemble(by_name("neo3").unwrap().isa, "JMP @far\n NOPE\nPUSHINT8 300\nRET").unwrap_err();
    let lines: Vec<_> = errors.all().iter().map(|error| (error.line, error.column, &*error.what)).collect();
    assert_eq!(
        lines,
        [(1, 5, "no label \"far\""), (2, 2, "no instruction \"NOPE\""), (3, 10, "\"300\" does not fit")]
    );
    let far = format!("JMP @far\n.byte 0x{}\nfar: RET", "21".repeat(200));
    let isa = by_name("neo3").unwrap().isa;
    assert_eq!(assemble(isa, &far).unwrap_err().first().what, "offset 202 does not fit");
    assert_eq!(assemble(isa, &format!("{far}\nNOPE")).unwrap_err().all().len(), 1);
    assert_eq!(assemble(isa, &"NOPE\n".repeat(5000)).unwrap_err().all().len(), MAX_ERRORS);
}

#[test]
fn wrong_source_is_explained() {
    fn check(source: &str, message: &str) {
        let error = assemble(by_name("evm").unwrap().isa, source).unwrap_err();
        assert_eq!(error.to_string(), message, "{source:?}");
    }
    check(
        "STOP\n  NOP",
        "2:3: no instruction \"NOP\"; expected a mnemonic of evm (vmconf isa evm lists them)",
    );
    check(
        "\tPUSH33 1",
        "1:2: no instruction \"PUSH33\"; expected a mnemonic of evm (vmconf isa evm lists them)",
    );
    check(
        "é\u{1b}",
        "1:1: no instruction \"é\\u{1b}\"; expected a mnemonic of evm (vmconf isa evm lists them)",
    );
    check("STOP 1", "1:6: too many operands; expected none after STOP");
    check("PUSH2", "1:1: PUSH2 without its operand; expected 2 bytes");
    check("PUSH1 1 2", "1:9: too many operands; expected one after PUSH1");
    check("PUSH1 x", "1:7: \"x\" is not a number; expected 0x hex, decimal or @label");
    check("PUSH1 0x", "1:7: \"0x\" is not a number; expected 0x hex, decimal or @label");
    check("PUSH1 0xg", "1:7: \"0xg\" is not a number; expected 0x hex, decimal or @label");
    check("PUSH1 -1", "1:7: \"-1\" does not fit; expected 1 byte");
    check("PUSH1 +1", "1:7: \"+1\" is not a number; expected 0x hex, decimal or @label");
    check("PUSH2 1_0", "1:7: \"1_0\" is not a number; expected 0x hex, decimal or @label");
    check("PUSH2 0x1_0", "1:7: \"0x1_0\" is not a number; expected 0x hex, decimal or @label");
    check("PUSH1 256", "1:7: \"256\" does not fit; expected 1 byte");
    check("PUSH1 @nowhere ; é", "1:7: no label \"nowhere\"; expected a line that sets it");
    check("PUSH1 @", "1:7: no label \"\"; expected a line that sets it");
    check("a:\na:", "2:1: label \"a\" is set twice; expected each label once");
    check("STOP\n:", "2:1: a label without a name; expected name:");
    check(".byte 0x1", "1:7: \"0x1\" is not bytes; expected an even number of hex digits");
    check(".byte 00 zz", "1:10: \"zz\" is not bytes; expected an even number of hex digits");
    let far = format!("{}PUSH1 @end\nend:", "STOP\n".repeat(255));
    check(&far, "256:7: offset 257 does not fit; expected 1 byte");
}

/// Data of NeoVM are no numbers: which bytes are missing, or too many, is not known.
#[test]
fn data_have_as_many_digits_as_the_instruction_has_bytes() {
    let isa = MACHINES.iter().find(|it| it.name == "neo2").unwrap().isa;
    let bytes = |text: &str| assemble(isa, text).map_err(|error| error.first().what.clone());
    assert_eq!(bytes("PUSHBYTES2 0x0001"), Ok(vec![2, 0, 1]));
    assert_eq!(bytes("PUSHBYTES1 7"), Ok(vec![1, 7]));
    for (text, what) in [
        ("PUSHBYTES2 0x01", "\"0x01\" is not 2 bytes"),
        ("PUSHBYTES2 1", "\"1\" is not 2 bytes"),
        ("PUSHBYTES1 0x0001", "\"0x0001\" is not 1 byte"),
        ("PUSHBYTES3 0x000000000001", "\"0x000000000001\" is not 3 bytes"),
        ("APPCALL 0x01", "\"0x01\" is not 20 bytes"),
    ] {
        assert_eq!(bytes(text), Err(what.to_owned()), "{text}");
    }
}

/// CALL_I counts from two bytes after its opcode: `PUSH7`, then a call of the instruction after RET, which pushes 5.
#[test]
fn a_label_of_call_i_is_where_it_calls() {
    let isa = MACHINES.iter().find(|it| it.name == "neo2").unwrap().isa;
    let bytes = assemble(isa, "CALL_I 1 0 @five\nRET\nfive: PUSH5\nRET").unwrap();
    assert_eq!(bytes, [0xe0, 1, 0, 4, 0, 0x66, 0x55, 0x66]);
    let shown: Vec<_> = disassemble(isa, &bytes).map(|line| line.source()).collect();
    assert_eq!(shown[0], "CALL_I 1 0 4 ; 0006");
    let ran = vmconf(&["exec", "neo2", "0xe00100040066556655"]);
    assert!(ran.stdout.contains("Integer 5") && !ran.stdout.contains("Integer 7"), "{ran:?}");
}

/// What a row says of the stack and of what follows is true for the machine's own instructions.
#[test]
fn pushes_pop_nothing_and_have_an_operand() {
    for op in MACHINES.iter().filter(|it| it.name == "evm").flat_map(|machine| machine.isa.ops) {
        let size = op.name.strip_prefix("PUSH").map_or(0, |size| size.parse().unwrap());
        let wanted: &[ImmediateOperand] = if size == 0 { &[] } else { &[ImmediateOperand::Word(size)] };
        assert_eq!(op.operands, wanted, "{}", op.name);
        if op.name.starts_with("PUSH") {
            assert_eq!((op.pops, op.pushes), (0, 1), "{}", op.name);
        }
    }
}

/// EVM takes the operand on top first (the specification calls it `s[0]`); the others compute the lower one with the
/// one on top. The letters of the stack items agree with that in each row that says, and no row names another item.
#[test]
fn rows_name_the_items_that_they_pop() {
    const OPERATORS: [&str; 9] = ["-", "/", "%", "<", ">", "<=", ">=", "to the power", "* 2^"];
    let mut ordered = 0;
    for (machine, op) in of_this_crate().flat_map(|it| it.isa.ops.iter().map(move |op| (it.name, op))) {
        let letters: String = op.letters().collect();
        let meaning = op.meaning();
        let words = meaning.split(|c: char| !c.is_alphanumeric());
        for word in words.filter(|word| ["b", "c", "d", "e"].contains(word) && op.pops > 0) {
            assert!(letters.contains(word) || op.pops < 2, "{machine} {}: {meaning}", op.name);
        }
        for (left, right) in [("a", "b"), ("b", "a")] {
            let says = |operator: &str| meaning.contains(&format!("{left} {operator} {right}"));
            if op.pops == 2 && OPERATORS.iter().any(|operator| says(operator)) {
                let top = if machine == "evm" { left } else { right };
                assert!(letters.starts_with(top), "{machine} {}: {meaning}, from the top {letters}", op.name);
                ordered += 1;
            }
        }
    }
    assert!(ordered >= 40, "{ordered}");
}
