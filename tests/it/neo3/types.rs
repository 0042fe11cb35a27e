//! What each type is as a truth value, a number, bytes and a size, and as every other type
//! (reference, sections 1 and 1.1).

use num_bigint::BigInt;
use vmconf::machines::neo3::Op;
use vmconf::model::Value;

use super::{End, Script, boolean, buffer, byte_string, end_of, integer, list, null};

/// The types that an item can be tested for and converted to, in the order of the columns.
const TYPES: [(&str, u8); 9] = [
    ("Boolean", 0x20),
    ("Integer", 0x21),
    ("ByteString", 0x28),
    ("Buffer", 0x30),
    ("Array", 0x40),
    ("Struct", 0x41),
    ("Map", 0x48),
    ("Pointer", 0x10),
    ("Interop", 0x60),
];

/// What CONVERT makes, from row to column.
///
/// `same` is the item itself, `new` another one with the same content, `true` and `Null` are
/// constants, `bool`, `int` and `bytes` the columns of section 1, `signed` a number of the bytes of a
/// Buffer, `-` is a FAULT.
const CONVERTED: [(&str, [&str; 9]); 10] = [
    ("Null", ["Null", "Null", "Null", "Null", "Null", "Null", "Null", "Null", "Null"]),
    ("Boolean", ["same", "int", "bytes", "new", "-", "-", "-", "-", "-"]),
    ("Integer", ["bool", "same", "bytes", "new", "-", "-", "-", "-", "-"]),
    ("ByteString", ["bool", "int", "same", "new", "-", "-", "-", "-", "-"]),
    ("Buffer", ["true", "signed", "bytes", "same", "-", "-", "-", "-", "-"]),
    ("Array", ["true", "-", "-", "-", "same", "new", "-", "-", "-"]),
    ("Struct", ["true", "-", "-", "-", "new", "same", "-", "-", "-"]),
    ("Map", ["true", "-", "-", "-", "-", "-", "same", "-", "-"]),
    ("Pointer", ["true", "-", "-", "-", "-", "-", "-", "same", "-"]),
    ("Interop", ["true", "-", "-", "-", "-", "-", "-", "-", "same"]),
];

/// An item, and the columns of section 1; `None` is a FAULT.
struct Sample {
    kind: &'static str,
    push: Script,
    value: Value,
    truth: Option<bool>,
    number: Option<BigInt>,
    bytes: Option<Vec<u8>>,
    size: Option<usize>,
    /// The number that the bytes of a Buffer are.
    signed: Option<BigInt>,
}

impl Sample {
    /// An item that is true and nothing else.
    fn new(kind: &'static str, push: Script, value: Value) -> Sample {
        Sample { kind, push, value, truth: Some(true), number: None, bytes: None, size: None, signed: None }
    }

    fn list(kind: &'static str, push: Script, items: Vec<Value>) -> Sample {
        let size = Some(items.len());
        Sample { size, ..Sample::new(kind, push, list(kind, items)) }
    }

    fn integer(number: i64, bytes: &[u8]) -> Sample {
        let push = Script::new().int(number);
        Sample {
            truth: Some(number != 0),
            number: Some(number.into()),
            bytes: Some(bytes.to_vec()),
            size: Some(bytes.len()),
            ..Sample::new("Integer", push, integer(number))
        }
    }

    fn byte_string(bytes: &[u8], truth: Option<bool>, number: Option<i64>) -> Sample {
        Sample {
            truth,
            number: number.map(BigInt::from),
            bytes: Some(bytes.to_vec()),
            size: Some(bytes.len()),
            ..Sample::new("ByteString", Script::new().bytes(bytes), byte_string(bytes))
        }
    }

    fn boolean(truth: bool) -> Sample {
        let push = Script::new().ops(&[if truth { Op::PUSHT } else { Op::PUSHF }]);
        Sample {
            truth: Some(truth),
            number: Some(truth.into()),
            bytes: Some(vec![truth.into()]),
            size: Some(1),
            ..Sample::new("Boolean", push, boolean(truth))
        }
    }

    fn buffer(bytes: &[u8], signed: Option<i64>) -> Sample {
        // The other way to make a Buffer, so that this table does not rest on CONVERT.
        let push = Script::new().bytes(bytes).bytes(&[]).ops(&[Op::CAT]);
        Sample {
            bytes: Some(bytes.to_vec()),
            size: Some(bytes.len()),
            signed: signed.map(BigInt::from),
            ..Sample::new("Buffer", push, buffer(bytes))
        }
    }
}

fn samples() -> Vec<Sample> {
    let ops = |ops: &[Op]| Script::new().ops(ops);
    let no_pairs = Value::typed("Map", Value::Record(Vec::new()));
    let pair = Value::record([("0x07".to_owned(), null())]);
    let pair = Value::typed("Map", pair);
    let with_pair = ops(&[Op::NEWMAP, Op::DUP, Op::PUSH7, Op::PUSHNULL, Op::SETITEM]);
    vec![
        Sample { truth: Some(false), ..Sample::new("Null", ops(&[Op::PUSHNULL]), null()) },
        Sample::boolean(true),
        Sample::boolean(false),
        Sample::integer(0, &[]),
        Sample::integer(1, &[1]),
        Sample::integer(-1, &[0xff]),
        Sample::integer(128, &[0x80, 0]),
        Sample::integer(i64::MIN, &[0, 0, 0, 0, 0, 0, 0, 0x80]),
        Sample::byte_string(&[], Some(false), Some(0)),
        Sample::byte_string(&[0, 0], Some(false), Some(0)),
        Sample::byte_string(&[0, 1], Some(true), Some(256)),
        Sample::byte_string(&[0x80], Some(true), Some(-128)),
        Sample::byte_string(&[0xff; 32], Some(true), Some(-1)),
        Sample::byte_string(&[0; 33], None, None),
        Sample::buffer(&[], Some(0)),
        Sample::buffer(&[0], Some(0)),
        Sample::buffer(&[0xfe, 0xff], Some(-2)),
        Sample::buffer(&[0; 32], Some(0)),
        Sample::buffer(&[0; 33], None),
        Sample::list("Array", ops(&[Op::NEWARRAY0]), vec![]),
        Sample::list("Array", ops(&[Op::PUSH5, Op::PUSH1, Op::PACK]), vec![integer(5)]),
        Sample::list("Struct", ops(&[Op::NEWSTRUCT0]), vec![]),
        Sample::list("Struct", ops(&[Op::PUSH5, Op::PUSH1, Op::PACKSTRUCT]), vec![integer(5)]),
        Sample { size: Some(0), ..Sample::new("Map", ops(&[Op::NEWMAP]), no_pairs) },
        Sample { size: Some(1), ..Sample::new("Map", with_pair, pair) },
        Sample::new("Pointer", Script::new().op(Op::PUSHA, &[0; 4]), pointer(0)),
        Sample::new("Interop", Script::new().op(Op::SYSCALL, &[0x77; 4]), interop()),
    ]
}

fn pointer(position: i32) -> Value {
    Value::typed("Pointer", Value::int(position))
}

fn interop() -> Value {
    Value::typed("Interop", Value::text("Object"))
}

fn expected(value: Option<Value>) -> End {
    value.map_or(End::Fault, End::one)
}

#[test]
fn every_item_is_its_truth_number_bytes_and_size() {
    for sample in samples() {
        let Sample { kind, push, value, truth, number, bytes, size, .. } = sample;
        let after = |ops: &[Op]| end_of(&push.clone().ops(ops));
        assert_eq!(after(&[]), End::one(value.clone()));
        assert_eq!(after(&[Op::NOT]), expected(truth.map(|it| boolean(!it))), "{kind} {value}");
        let jumped = push.clone().op(Op::JMPIF, &[4]).ops(&[Op::PUSHF, Op::RET, Op::PUSHT]);
        assert_eq!(end_of(&jumped), expected(truth.map(boolean)), "{kind} {value}");
        assert_eq!(after(&[Op::ISNULL]), End::one(boolean(kind == "Null")), "{kind} {value}");
        assert_eq!(after(&[Op::INC]), expected(number.clone().map(|it| integer(it + 1))), "{kind} {value}");
        let same = after(&[Op::DUP, Op::NUMEQUAL]);
        assert_eq!(same, expected(number.map(|_| boolean(true))), "{kind} {value}");
        assert_eq!(after(&[Op::PUSH0, Op::CAT]), expected(bytes.map(|it| buffer(&it))), "{kind} {value}");
        assert_eq!(after(&[Op::SIZE]), expected(size.map(integer)), "{kind} {value}");
    }
}

#[test]
fn every_type_converts_as_the_table_says() {
    let mut cells = 0;
    for sample in samples() {
        let row = CONVERTED.iter().find(|row| row.0 == sample.kind).unwrap();
        for ((name, code), word) in TYPES.into_iter().zip(row.1) {
            let script = sample.push.clone().op(Op::CONVERT, &[code]);
            let expected = expected(converted(&sample, name, word));
            assert_eq!(end_of(&script), expected, "{} {} to {name}", sample.kind, sample.value);
            if ["same", "new"].contains(&word) {
                assert_identity(&sample, name, code, word);
            }
            cells += 1;
        }
    }
    assert_eq!(cells, 27 * 9);
}

/// The value that a word of the table stands for; `None` is a FAULT.
fn converted(sample: &Sample, name: &'static str, word: &str) -> Option<Value> {
    match word {
        "Null" => Some(null()),
        "same" => Some(sample.value.clone()),
        "true" => Some(boolean(true)),
        "bool" => sample.truth.map(boolean),
        "int" => sample.number.clone().map(integer),
        "signed" => sample.signed.clone().map(integer),
        "bytes" => sample.bytes.as_ref().map(|bytes| byte_string(bytes)),
        "new" if name == "Buffer" => sample.bytes.as_ref().map(|bytes| buffer(bytes)),
        "new" => match &sample.value {
            Value::Typed(_, items) => Some(Value::Typed(name.into(), items.clone())),
            other => panic!("{other} is no list"),
        },
        "-" => None,
        other => panic!("no word {other}"),
    }
}

/// What is done to the one is done to the other only if they are the same.
fn assert_identity(sample: &Sample, name: &str, code: u8, word: &str) {
    let change: &[Op] = match name {
        "Array" | "Struct" => &[Op::PUSH9, Op::APPEND],
        "Map" => &[Op::PUSH9, Op::PUSH9, Op::SETITEM],
        "Buffer" if sample.size > Some(0) => &[Op::PUSH0, Op::PUSH9, Op::SETITEM],
        // Neither an item without content nor one that never changes shows a difference.
        _ => return,
    };
    let script = sample.push.clone().ops(&[Op::DUP]).op(Op::CONVERT, &[code]).ops(change);
    let end = end_of(&script);
    assert_eq!(end != End::one(sample.value.clone()), word == "same", "{} to {name}: {end:?}", sample.kind);
}

/// A new list has the same items as the old one, also Structs.
#[test]
fn a_converted_list_shares_its_items() {
    for (pack, code) in [(Op::PACK, 0x41), (Op::PACKSTRUCT, 0x40)] {
        let script = Script::new().ops(&[Op::NEWSTRUCT0, Op::PUSH1, pack, Op::DUP]);
        let script = script.op(Op::CONVERT, &[code]).ops(&[Op::PUSH0, Op::PICKITEM, Op::PUSH3, Op::APPEND]);
        let script = script.ops(&[Op::PUSH0, Op::PICKITEM]);
        assert_eq!(end_of(&script), End::one(list("Struct", vec![integer(3)])));
    }
}

#[test]
fn every_item_is_of_its_type_and_no_other() {
    for sample in samples() {
        for (name, code) in TYPES {
            let script = sample.push.clone().op(Op::ISTYPE, &[code]);
            let is_type = boolean(name == sample.kind);
            assert_eq!(end_of(&script), End::one(is_type), "{} {}: {name}?", sample.kind, sample.value);
        }
    }
}

/// Any and every code without a type, also for Null.
#[test]
fn other_codes_are_not_types() {
    let codes = (0..=255).filter(|code| TYPES.iter().all(|known| known.1 != *code));
    for code in codes {
        for sample in samples() {
            for op in [Op::ISTYPE, Op::CONVERT] {
                assert_eq!(end_of(&sample.push.clone().op(op, &[code])), End::Fault, "{op:?} {code}");
            }
        }
        let filled = Script::new().ops(&[Op::PUSH1]).op(Op::NEWARRAY_T, &[code]);
        // Any is a type that NEWARRAY_T takes.
        let expected = if code == 0 { End::one(list("Array", vec![null()])) } else { End::Fault };
        assert_eq!(end_of(&filled), expected, "{code}");
    }
}
