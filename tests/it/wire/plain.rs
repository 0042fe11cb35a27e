//! Values as plain JSON: what is written is read back, for the shape of everything that a machine reports or loads.

use num_bigint::BigInt;
use proptest::prelude::*;
use serde_json::Value as Json;
use vmconf::machines::MACHINES;
use vmconf::model::{MapKeys, MemberShape, NumberNotation, Shape, Value, bytes_key, number_key};
use vmconf::wire::plain::{read, write};

use super::samples::{any_text, any_value};
use crate::support::config;

/// The shapes of the programs, changes and fields of all machines, and that of anything.
fn any_shape() -> impl Strategy<Value = Shape> {
    let of_machine = |info: &vmconf::machines::MachineInfo| {
        let fields = info.fields;
        let fields: Vec<_> = fields.iter().map(|field| field.shape).collect();
        [vec![Shape::Record(info.program), Shape::Record(info.changes)], fields].concat()
    };
    let shapes: Vec<_> = MACHINES.iter().flat_map(of_machine).chain([Shape::Plain]).collect();
    prop::sample::select(shapes)
}

fn any_number() -> impl Strategy<Value = Value> {
    prop::collection::vec(any::<u8>(), 0..40)
        .prop_map(|bytes| Value::Int(BigInt::from_signed_bytes_be(&bytes)))
}

/// Values of a shape, nested at most so deep.
fn of_shape(shape: Shape, depth: u32) -> BoxedStrategy<Value> {
    let Some(inner) = depth.checked_sub(1) else {
        let smallest = match shape {
            Shape::List(_) => Value::List(Vec::new()),
            Shape::Map(..) => Value::Record(Vec::new()),
            _ => Value::Null,
        };
        return Just(smallest).boxed();
    };
    let value = match shape {
        Shape::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Shape::Int(_) => any_number().boxed(),
        Shape::Bytes => prop::collection::vec(any::<u8>(), 0..40).prop_map(Value::Bytes).boxed(),
        Shape::Text => any_text().prop_map(Value::text).boxed(),
        Shape::Name(names) => {
            let written: Vec<_> = names.iter().map(|name| name.1).collect();
            prop::sample::select(written).prop_map(Value::text).boxed()
        }
        Shape::List(item) => list(*item, inner),
        Shape::Record(members) => record(members, inner),
        Shape::Map(keys, value) => map(keys, *value, inner),
        Shape::Typed(types) => prop::sample::select(types)
            .prop_flat_map(move |(name, shape)| {
                of_shape(shape, inner).prop_map(move |value| Value::typed(name, value))
            })
            .boxed(),
        Shape::Plain => plain(inner),
        Shape::Declared(_) => unreachable!("no embedded machine is declared by data"),
    };
    // A list or map that is null is an empty one.
    match shape {
        Shape::List(_) | Shape::Map(..) => value,
        _ => prop_oneof![1 => Just(Value::Null), 9 => value].boxed(),
    }
}

fn list(item: Shape, depth: u32) -> BoxedStrategy<Value> {
    prop::collection::vec(of_shape(item, depth), 0..3).prop_map(Value::List).boxed()
}

/// A record with some of the members.
fn record(members: &'static [MemberShape], depth: u32) -> BoxedStrategy<Value> {
    let member = |member: &'static MemberShape| {
        let value = prop::option::of(of_shape(member.shape, depth));
        value.prop_map(|value| Some((member.name.to_owned(), value?))).boxed()
    };
    let members: Vec<_> = members.iter().map(member).collect();
    members.prop_map(|members| Value::record(members.into_iter().flatten())).boxed()
}

fn map(keys: MapKeys, value: Shape, depth: u32) -> BoxedStrategy<Value> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..6);
    let key = match keys {
        MapKeys::Text => any_text().boxed(),
        // No bytes are an empty key.
        MapKeys::Bytes => {
            bytes().prop_map(|bytes| if bytes.is_empty() { String::new() } else { bytes_key(&bytes) }).boxed()
        }
        MapKeys::Number => bytes().prop_map(|bytes| number_key(&bytes)).boxed(),
    };
    let members = prop::collection::btree_map(key, of_shape(value, depth), 0..3);
    members.prop_map(Value::record).boxed()
}

/// What JSON shows without a shape: bytes are a text there, and a record of `int` is a number.
fn plain(depth: u32) -> BoxedStrategy<Value> {
    let key = any_text().prop_filter("a number", |key| key != "int");
    let members = prop::collection::btree_map(key, of_shape(Shape::Plain, depth), 0..3);
    prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        any_number(),
        any_text().prop_map(Value::text),
        list(Shape::Plain, depth),
        members.prop_map(Value::record),
    ]
    .boxed()
}

/// A shape, and a value that has it.
fn any_shaped() -> impl Strategy<Value = (Shape, Value)> {
    any_shape().prop_flat_map(|shape| of_shape(shape, 5).prop_map(move |value| (shape, value)))
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn shaped_values_are_read_back((shape, value) in any_shaped()) {
        let text = write(&value, &shape).to_string();
        let json: Json = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(read(json, &shape), Ok(value), "{}", text);
    }

    /// Whatever a machine reports: what is accepted is written and read as the same value.
    #[test]
    fn any_json_is_read_or_refused(shape in any_shape(), value in any_value()) {
        // The other notation of values is JSON that has no shape, or has one by chance.
        let json = serde_json::to_value(&value).unwrap();
        if let Ok(value) = read(json, &shape) {
            prop_assert_eq!(read(write(&value, &shape), &shape), Ok(value));
        }
    }
}

/// What vectors may spell in several ways is read in all of them.
#[test]
fn other_spellings_are_read() {
    use num_bigint::BigInt;
    use vmconf::machines::by_name;

    let field = |machine: &str, name: &str, json: &str| {
        let fields = by_name(machine).unwrap().fields;
        let shape = fields.iter().find(|field| field.name == name).unwrap().shape;
        read(serde_json::from_str(json).unwrap(), &shape).unwrap()
    };
    for number in ["42", r#""42""#, r#""0x2a""#, r#""0x002A""#] {
        assert_eq!(field("evm", "gas", number), Value::Int(BigInt::from(42)), "{number}");
    }
    for none in [r#""""#, r#""0x""#] {
        assert_eq!(field("evm", "out", none), Value::Bytes(Vec::new()), "{none}");
    }
    for none in ["[]", "null"] {
        assert_eq!(field("evm", "logs", none), Value::List(Vec::new()), "{none}");
    }
    assert_eq!(
        read(Json::Null, &Shape::Map(MapKeys::Bytes, &Shape::Plain)).unwrap(),
        Value::Record(Vec::new())
    );
    let map = |key: &str| {
        let map =
            format!(r#"[{{"type": "Map", "value": {{"{key}": {{"type": "Boolean", "value": true}}}}}}]"#);
        field("neo3", "resultStack", &map)
    };
    assert_eq!(map("0x"), map(""));
    assert_eq!(map("0x2A"), map("0x2a"));
    let account =
        |key: &str| field("evm", "post", &format!(r#"{{"0xaa": {{"storage": {{"{key}": "0x1"}}}}}}"#));
    for key in ["0x0a", "0xA", "0x000a", "10"] {
        assert_eq!(account(key), account("0x0a"), "{key}");
    }
    let frame =
        |name: &str| field("neo2", "invocationStack", &format!(r#"[{{"nextInstruction": "{name}"}}]"#));
    assert_eq!((frame("PUSHT"), frame("PUSHF")), (frame("PUSH1"), frame("PUSH0")));
}

/// Two spellings of one key are a key twice, and a number has at most 1000 digits: what is meant is unclear.
#[test]
fn what_is_unclear_is_refused() {
    let map = |keys| Shape::Map(keys, &Shape::Plain);
    let keys = serde_json::json!({"0x1": 1, "0x01": 2});
    let told = read(keys.clone(), &map(MapKeys::Number)).unwrap_err().to_string();
    assert!(told.ends_with("is a repeated key; expected each key once"), "{told}");
    let decimal = serde_json::json!({"16": 1, "0x10": 2});
    assert!(read(decimal, &map(MapKeys::Number)).is_err());
    assert_eq!(read(keys, &map(MapKeys::Bytes)).unwrap().members().unwrap().len(), 2);
    let number = |digits: usize| read(Json::from("1".repeat(digits)), &Shape::Int(NumberNotation::Decimal));
    assert_eq!(number(1000).unwrap(), Value::Int("1".repeat(1000).parse().unwrap()));
    assert_eq!(
        number(1001).unwrap_err().to_string(),
        " is too long for a number; expected at most 1000 digits"
    );
}
