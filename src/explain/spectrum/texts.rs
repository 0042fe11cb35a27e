//! The words of the texts that a case gives to a machine of a family: a mnemonic, or the words of a script.

use std::collections::BTreeSet;

use super::common_state::declared;
use crate::machines::MachineInfo;
use crate::model::{DeclaredField, FieldType, Value};

/// The most words of all cases of a machine that are compared.
pub(super) const MAX_WORDS: usize = 1_000_000;

/// The longest word, in bytes. A longer one is data.
const MAX_LENGTH: usize = 32;

/// The members of a program that have texts.
fn fields_with_texts(info: &MachineInfo) -> impl Iterator<Item = &'static DeclaredField> {
    declared(info).filter(|field| has_text(&field.field_type))
}

fn has_text(field_type: &FieldType) -> bool {
    match field_type {
        FieldType::Text => true,
        FieldType::Optional(of) | FieldType::List(of) | FieldType::Array(of, _) => has_text(of),
        FieldType::Tuple(types) => types.iter().any(has_text),
        FieldType::Table(fields) => fields.iter().any(|field| has_text(&field.field_type)),
        _ => false,
    }
}

/// Whether a case can give texts to the machine.
pub(super) fn has_texts(info: &MachineInfo) -> bool {
    fields_with_texts(info).next().is_some()
}

/// The words of the texts in a program, each after the name of its field, as `op sub`, in ascending order.
pub(super) fn words_given(info: &MachineInfo, program: &Value) -> Vec<String> {
    let mut words = BTreeSet::new();
    for field in fields_with_texts(info) {
        if let Some(value) = program.get(&field.name) {
            add_words(&field.name, &field.field_type, value, &mut words);
        }
    }
    words.into_iter().collect()
}

/// Adds the words of a value of a type. Those of all items of a list count as words of the list.
fn add_words(name: &str, field_type: &FieldType, value: &Value, words: &mut BTreeSet<String>) {
    match (field_type, value) {
        (FieldType::Text, Value::Text(text)) => {
            let split = text.split(|it: char| !it.is_alphanumeric() && !"_-.".contains(it));
            for word in split.filter(|word| (1..=MAX_LENGTH).contains(&word.len())) {
                words.insert(format!("{name} {word}"));
            }
        }
        (FieldType::Optional(of), value) => add_words(name, of, value, words),
        (FieldType::List(of) | FieldType::Array(of, _), Value::List(items)) => {
            for item in items {
                add_words(name, of, item, words);
            }
        }
        (FieldType::Tuple(types), Value::List(items)) => {
            for (of, item) in types.iter().zip(items) {
                add_words(name, of, item, words);
            }
        }
        (FieldType::Table(fields), value) => {
            for field in fields {
                if let Some(value) = value.get(&field.name) {
                    add_words(&format!("{name}/{}", field.name), &field.field_type, value, words);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::FieldOptions;

    fn field(name: &'static str, field_type: FieldType) -> DeclaredField {
        DeclaredField { name: name.into(), doc: String::new(), field_type, options: FieldOptions::default() }
    }

    fn words(name: &str, field_type: &FieldType, value: &Value) -> Vec<String> {
        let mut words = BTreeSet::new();
        add_words(name, field_type, value, &mut words);
        words.into_iter().collect()
    }

    /// Words are split at what cannot be in a mnemonic or a number; control characters are in none.
    #[test]
    fn words_of_a_text_have_the_name_of_their_field() {
        let script = Value::text("OP_DUP\u{1b}[31m 0x4c,-1 'x.y' OP_DUP");
        let expected = ["script -1", "script 0x4c", "script 31m", "script OP_DUP", "script x.y"];
        assert_eq!(words("script", &FieldType::Text, &script), expected);
        let long = Value::text("a".repeat(MAX_LENGTH + 1));
        assert!(words("script", &FieldType::Text, &long).is_empty());
    }

    #[test]
    fn words_are_found_in_every_kind_of_field() {
        let table = FieldType::Table(vec![field("op", FieldType::Text), field("a", FieldType::Unsigned(8))]);
        let list = FieldType::List(Box::new(FieldType::Tuple(vec![FieldType::Bool, table])));
        assert!(has_text(&list) && !has_text(&FieldType::Json) && !has_text(&FieldType::Bytes));
        let item = |op: &str| {
            let table = Value::record([("op", Value::text(op)), ("a", Value::int(7))]);
            Value::List(vec![Value::Bool(true), table])
        };
        let code = Value::List(vec![item("add"), item("sub")]);
        assert_eq!(words("code", &list, &code), ["code/op add", "code/op sub"]);
        let optional = FieldType::Optional(Box::new(FieldType::Text));
        assert_eq!(words("op", &optional, &Value::text("add")), ["op add"]);
        assert!(words("op", &optional, &Value::Null).is_empty());
    }
}
