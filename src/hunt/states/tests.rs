use super::values::value;
use super::*;
use crate::formats::family::{BUILT_IN, Family, NewFamilyCase};
use crate::run::sources::{SourceOrigin, VectorSource};
use crate::run::{Families, FileOptions, LoadOptions, open_text};
use crate::text::json::Document;
use crate::text::typed;

const DECLARATION: &str = r#"
machine = "toy"
[state]
pc = "u8"
wide = "u256"
small = "i3"
flag = "bool"
any = "int"
word = "text"
code = "bytes"
packed = "base64"
maybe = "u16?"
list = "[u8]"
three = "[i8; 3]"
pair = "(u8, text)"
table = { a = "u4", b = "bool" }
names = "map<u8, text>"
ram = "memory<u8, u8>"
[format]
cases = "$[*]"
program = { "*" = "$.before" }
expect = { "*" = "$.after" }
"#;

fn generator() -> StateGenerator {
    let writer = Family::install(DECLARATION).expect("a declaration").writer(None);
    StateGenerator::new(writer.given().collect(), writer.constants())
}

/// Each value, written as a machine gets it, is read as one of its type.
#[test]
fn states_have_the_declared_types() {
    let mut generator = generator();
    let mut numbers = Numbers::new(3);
    for round in 0..2_000 {
        let state = match round % 3 {
            0 => generator.neighbour(&generator.next(&mut numbers.clone()), &mut numbers),
            _ => generator.next(&mut numbers),
        };
        let given = generator.given(&state);
        assert_eq!(given.len(), generator.fields().len());
        for ((name, value), field) in given.iter().zip(generator.fields()) {
            // Base64 has another notation on the wire than in vectors.
            if field.field_type == FieldType::Base64 {
                continue;
            }
            let text = typed::written(value, &field.field_type);
            let document = Document::parse(text.clone(), 64).map_err(|_| "no JSON").expect(&text);
            let read = typed::read(document.root(), &field.field_type, name);
            assert!(read.is_ok(), "{name}: {text}: {read:?}");
        }
        assert_eq!(generator.read(&generator.program(&state).0), state);
        if round % 10 == 0 {
            generator.keep(state);
        }
    }
}

/// A member with too many items is not given, and neither is one that no vector gives.
#[test]
fn members_that_are_too_large_are_not_given() {
    let declaration = DECLARATION.replace("[i8; 3]", "[[u8; 1000]; 1000]");
    let writer = Family::install(&declaration).expect("a declaration").writer(None);
    let mut generator = StateGenerator::new(writer.given().collect(), writer.constants());
    let mut numbers = Numbers::new(7);
    let names = |generator: &StateGenerator, numbers: &mut Numbers| {
        let given = generator.given(&generator.next(numbers));
        given.iter().map(|member| member.0.to_string()).collect::<Vec<_>>()
    };
    let given = names(&generator, &mut numbers);
    assert!(!given.contains(&"three".to_owned()) && given.contains(&"ram".to_owned()), "{given:?}");
    let state = generator.read(&Value::Record(vec![("pc".into(), Value::int(1))]));
    generator.give_like(&[state]);
    assert_eq!(names(&generator, &mut numbers), ["pc"]);
}

/// What is written for each built-in family is read as the same state, in each of its formats.
#[test]
fn vectors_of_built_in_families_are_read_as_they_were_written() {
    let source = VectorSource::new("a.json".into(), "a.json".into(), SourceOrigin::Stream);
    let mut numbers = Numbers::new(6);
    let families: Vec<_> = Families::default().iter().collect();
    assert_eq!(families.len(), BUILT_IN.len());
    for family in families {
        for format in family.family.formats() {
            let writer = family.family.writer(Some(format));
            let generator = StateGenerator::new(writer.given().collect(), writer.constants());
            let file = FileOptions { format: Some(format), ..FileOptions::default() };
            let options = LoadOptions { file, ..LoadOptions::default() };
            let mut others = 0;
            for _ in 0..20 {
                let state = generator.next(&mut numbers);
                let given = generator.given(&state);
                let demanded = writer
                    .demanded()
                    .map(|field| (field.name.clone(), value(&field.field_type, &mut numbers)));
                let case = NewFamilyCase {
                    name: "a".to_owned(),
                    given,
                    demanded: demanded.collect(),
                    filled_by: Vec::new(),
                };
                let text = match writer.text(&[case]) {
                    Ok(text) => text,
                    // A case with an empty list has another format.
                    Err(error) if error.why == "a case of this format has $[0][0]" => {
                        others += 1;
                        continue;
                    }
                    Err(error) => panic!("{}: {error}", family.family.machine),
                };
                let loaded = open_text(&source, text.clone(), &options);
                let read = loaded.case(0).expect(&text).read().expect("no panic");
                let case = read
                    .case
                    .unwrap_or_else(|| panic!("{}: {:?} {text}", family.family.machine, read.diagnostics));
                for (name, value) in generator.given(&state) {
                    let read = case.program.0.get(&name).map(|read| read.clone().in_order());
                    assert_eq!(read, Some(value.in_order()), "{name}: {text}");
                }
            }
            assert!(others < 20, "no case of {}", family.family.machine);
        }
    }
}

/// The edges of a width and single bits come often, and cells lie where a member points.
#[test]
fn edges_and_cells_at_pointers_are_frequent() {
    let generator = generator();
    let mut numbers = Numbers::new(4);
    let (mut edges, mut listed) = (0, 0);
    for _ in 0..1_000 {
        let state = generator.next(&mut numbers);
        let pc = state.pointer(0).expect("a number");
        edges += u32::from([0, 1, 127, 128, 254, 255].contains(&pc));
        let ram = generator.memories[0].index;
        let Some(GeneratedMember::Cells(cells)) = &state.members[ram] else { panic!("{state:?}") };
        listed += u32::from(cells.contains_key(&pc));
    }
    assert!(edges > 100 && listed > 700, "{edges} {listed}");
}

/// The program counter may be in a table or a list.
#[test]
fn cells_lie_where_a_number_in_a_table_points() {
    const NESTED: &str = r#"
        machine = "nested"
        [state]
        cpu = { type = { flags = "bool", regs = "[u8; 2]", pc = "u16" } }
        ram = "memory<u16, u8>"
        [format]
        cases   = "$[*]"
        program = { "*" = "$.before" }
        expect  = { "*" = "$.after" }
    "#;
    let writer = Family::install(NESTED).expect("a declaration").writer(None);
    let generator = StateGenerator::new(writer.given().collect(), writer.constants());
    assert_eq!((generator.pointers.len(), generator.inner_pointers.len()), (0, 3));
    let mut numbers = Numbers::new(6);
    let mut listed = 0;
    for _ in 0..1_000 {
        let state = generator.next(&mut numbers);
        let pc = generator.inner_pointers.last().and_then(|inner| inner.place(&state)).expect("a number");
        let Some(GeneratedMember::Cells(cells)) = &state.members[1] else { panic!("{state:?}") };
        listed += u32::from(cells.contains_key(&pc));
    }
    assert!(listed > 700, "{listed}");
}

#[test]
fn a_cell_is_set_where_a_member_points() {
    let generator = generator();
    let mut state = generator.next(&mut Numbers::new(5));
    generator.set_number(&mut state, 0, 0xff);
    let memory = generator.memories[0].index;
    generator.set_cell(&mut state, CellAtPointer { memory, pointer: 0, offset: 1 }, 0x2a);
    let Some(GeneratedMember::Cells(cells)) = &state.members[memory] else { panic!("{state:?}") };
    assert_eq!(cells.get(&0), Some(&BigInt::from(0x2a)));
}
