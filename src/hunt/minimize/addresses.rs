//! Moves what lies in a memory, with the member of the state that points there, to a low address.

use num_bigint::BigInt;

use super::minimizer::Minimizer;
use super::nodes::{document, reading};
use crate::text::edit::{TextChange, apply};
use crate::text::json::{JsonDatum, JsonNode};
use crate::text::number::natural;

/// The addresses that are tried, the simplest first.
const LOW: [u64; 5] = [0, 0x10, 0x20, 0x40, 0x80];

/// How many cells from where a member points are moved.
const MOVED: u64 = 8;

/// Tries low addresses for each member of a state of a family.
pub(super) fn lower(minimizer: &mut Minimizer<'_>) {
    if minimizer.file.case(0).is_none_or(|case| case.family().is_none()) {
        return;
    }
    let members = reading(&minimizer.file).map_or(0, |case| case.places.len());
    for member in 0..members {
        for new in LOW {
            let Some(text) = text_with(minimizer, member, new) else { continue };
            if minimizer.attempt(text) {
                break;
            }
            if minimizer.cut.is_some() {
                return;
            }
        }
    }
}

/// The text in which a member, by its place among those that are given, has a lower value, and the cells of all
/// memories have moved with it. `None` if it is no number, or not larger.
fn text_with(minimizer: &Minimizer<'_>, member: usize, new: u64) -> Option<String> {
    let document = document(&minimizer.file)?;
    let case = reading(&minimizer.file)?;
    let (path, origin) = case.places.get(member)?;
    let old = case.program.0.get(&path.last().to_string())?.number().filter(|old| *old > new)?;
    let mut changes = vec![renumbered(document.node_at(origin.0)?, new)?];
    for (_, origin) in &case.places {
        let Some(memory) = document.node_at(origin.0).filter(|node| node.is_array()) else { continue };
        for address in memory.items().filter_map(address_of) {
            let distance = number(address)?.checked_sub(old).filter(|distance| *distance < MOVED);
            changes.extend(distance.and_then(|distance| renumbered(address, new + distance)));
        }
    }
    Some(apply(document, &changes))
}

/// The address of a cell that is written as a pair.
fn address_of(pair: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let mut parts = pair.items();
    let (address, _, None) = (parts.next()?, parts.next()?, parts.next()) else { return None };
    number(address).map(|_| address)
}

fn number(node: JsonNode<'_>) -> Option<u64> {
    let number = match node.datum() {
        JsonDatum::Number(digits) => natural(digits),
        JsonDatum::Text(text) => natural(&text),
        JsonDatum::Null | JsonDatum::Bool(_) | JsonDatum::Array | JsonDatum::Object => None,
    };
    u64::try_from(number?).ok()
}

/// Another number in the notation of the old one.
fn renumbered(node: JsonNode<'_>, new: u64) -> Option<TextChange<'_>> {
    match node.datum() {
        JsonDatum::Number(_) => Some(TextChange::Digits { node, digits: BigInt::from(new).to_string() }),
        JsonDatum::Text(text) if text.starts_with("0x") => {
            Some(TextChange::Replace { node, value: format!("{new:#x}").into() })
        }
        JsonDatum::Text(_) => Some(TextChange::Replace { node, value: new.to_string().into() }),
        JsonDatum::Null | JsonDatum::Bool(_) | JsonDatum::Array | JsonDatum::Object => None,
    }
}
