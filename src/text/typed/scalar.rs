//! Numbers, truth values and bytes.

use ::base64::Engine;
use ::base64::engine::DecodePaddingMode;
use ::base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use num_bigint::BigInt;

use super::datum_place::DatumPlace;
use super::fault::{of_item, wrong};
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, FieldType, Origin, bytes_key, hex_bytes};
use crate::text::json::{JsonDatum, JsonNode};
use crate::text::number::integer;

/// A number of this type.
pub(super) fn number(
    node: JsonNode<'_>,
    field_type: &FieldType,
    name: &str,
) -> Result<BigInt, Diagnostic<Origin>> {
    let number = match node.datum() {
        JsonDatum::Number(digits) => integer(digits),
        JsonDatum::Text(text) => integer(&text),
        _ => return Err(wrong(node, name, &expected(field_type))),
    };
    let fault = match number {
        Some(number) if field_type.has(&number) => return Ok(number),
        Some(_) => format!("{name} is {}, which is out of range", node.shown()),
        None => format!("{name} is {}", node.shown()),
    };
    Err(Diagnostic::at(node.at(), fault).expected(expected(field_type)).under(LintRule::Number))
}

/// A truth value.
pub(super) fn bool(node: JsonNode<'_>, name: &str) -> Result<bool, Diagnostic<Origin>> {
    match node.datum() {
        JsonDatum::Bool(bool) => Ok(bool),
        JsonDatum::Number("0") => Ok(false),
        JsonDatum::Number("1") => Ok(true),
        JsonDatum::Number(_) => Err(Diagnostic::at(node.at(), format!("{name} is {}", node.shown()))
            .expected(expected(&FieldType::Bool))
            .under(LintRule::Number)),
        _ => Err(wrong(node, name, &expected(&FieldType::Bool))),
    }
}

/// Bytes as hex digits, or as a list of numbers.
pub(super) fn bytes(node: JsonNode<'_>, name: &str) -> Result<Vec<u8>, Diagnostic<Origin>> {
    let wanted = expected(&FieldType::Bytes);
    if node.is_array() {
        return node.items().map(|item| byte(item, name)).collect();
    }
    let text = node.text().ok_or_else(|| wrong(node, name, &wanted))?;
    let digits = text.strip_prefix("0x").unwrap_or(&text);
    hex_bytes(digits).ok_or_else(|| {
        let what = format!("{name} is {}", node.shown());
        Diagnostic::at(node.at(), what).expected(wanted).under(LintRule::Bytes)
    })
}

/// A number below 256.
pub(super) fn byte(item: JsonNode<'_>, name: &str) -> Result<u8, Diagnostic<Origin>> {
    let number = number(item, &FieldType::Unsigned(8), "an item");
    let number = number.map_err(|error| of_item(error, name))?;
    Ok(u8::try_from(&number).unwrap_or_default())
}

/// Bytes that vectors write as base64, with or without padding, and messages as `0x` and hex digits.
pub(super) fn base64(
    node: JsonNode<'_>,
    name: &str,
    place: DatumPlace,
) -> Result<Vec<u8>, Diagnostic<Origin>> {
    let wanted = match place {
        DatumPlace::Vector => expected(&FieldType::Base64),
        DatumPlace::Wire => "0x and an even number of hex digits in quotes, and no base64".to_owned(),
    };
    let text = node.text().ok_or_else(|| wrong(node, name, &wanted))?;
    let bytes = match place {
        DatumPlace::Vector => base64_bytes(&text),
        DatumPlace::Wire if text.is_empty() => Some(Vec::new()),
        DatumPlace::Wire => text.strip_prefix("0x").and_then(hex_bytes),
    };
    bytes.ok_or_else(|| {
        let what = format!("{name} is {}", node.shown());
        Diagnostic::at(node.at(), what).expected(wanted).under(LintRule::Bytes)
    })
}

fn base64_bytes(text: &str) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let engine = GeneralPurpose::new(&::base64::alphabet::STANDARD, config);
    engine.decode(text.as_bytes()).ok()
}

/// A key of a map in the notation that paths use; `None` if it is not of this type.
pub fn key(text: &str, field_type: &FieldType) -> Option<String> {
    match field_type {
        FieldType::Unsigned(_) | FieldType::Signed(_) | FieldType::Int => {
            integer(text).filter(|number| field_type.has(number)).map(|number| format!("{number:#x}"))
        }
        FieldType::Bytes => hex_bytes(text.strip_prefix("0x").unwrap_or(text)).map(|bytes| bytes_key(&bytes)),
        FieldType::Bool => ["true", "false"].contains(&text).then(|| text.to_owned()),
        _ => Some(text.to_owned()),
    }
}

/// What a datum of a type is, for errors.
pub(super) fn expected(field_type: &FieldType) -> String {
    match field_type {
        FieldType::Unsigned(bits) => {
            format!(
                "a whole number from 0 to 2^{bits} - 1, as a number, or as decimal digits or 0x and hex digits in quotes"
            )
        }
        FieldType::Signed(bits) => {
            let bits = bits - 1;
            format!(
                "a whole number from -2^{bits} to 2^{bits} - 1, as a number, or as decimal digits or 0x and hex digits in quotes"
            )
        }
        FieldType::Int => {
            "a whole number, or decimal digits or 0x and hex digits in quotes, at most 1000".to_owned()
        }
        FieldType::Bool => "true, false, 1 or 0".to_owned(),
        FieldType::Bytes => {
            "an even number of hex digits in quotes, or an array of numbers from 0 to 255".to_owned()
        }
        FieldType::Base64 => "base64 in quotes".to_owned(),
        other => other.notation(),
    }
}
