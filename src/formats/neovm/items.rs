//! Items of stacks and slots: one assertion per leaf, so that a difference deep inside an item is reported at
//! its own line.

use std::collections::HashMap;

use super::lexical::{self, Prefix, count, hex, integer, member};
use super::result::NeoAssertions;
use super::rules::{Generation, ItemNotation, VectorType};
use crate::formats::fields::{misspelled, no_such_word, same_key, wrong_type};
use crate::model::rule::LintRule;
use crate::model::value::fits_256_bits;
use crate::model::{Diagnostic, Expected, Path, PathKey, Value};
use crate::text::json::{JsonDatum, JsonMember, JsonNode, quoted};

/// An item still to be read, and its nesting depth.
struct OpenItem<'d> {
    at: Path,
    node: JsonNode<'d>,
    depth: usize,
}

/// The contents of an item.
struct VectorItem<'d> {
    /// The position of the type.
    at: u32,
    of: &'static VectorType,
    /// The value, if the type has one.
    value: Option<JsonNode<'d>>,
}

/// A key of a Map as in paths, its position, and its value.
struct Pair<'d> {
    key: String,
    at: u32,
    value: JsonNode<'d>,
}

impl NeoAssertions<'_> {
    /// Demands as many items as the array has, each with all its contents.
    pub(super) fn items(&mut self, at: &Path, array: JsonNode<'_>) {
        let mut open = Vec::new();
        self.children(at, array, 0, &mut open);
        while let Some(item) = open.pop() {
            self.item(item, &mut open);
        }
    }

    /// Demands the length of an array, and pushes its items on `open` such that the first one is read next.
    fn children<'d>(&mut self, at: &Path, array: JsonNode<'d>, depth: usize, open: &mut Vec<OpenItem<'d>>) {
        let first = open.len();
        let items = array.items().zip(at.items());
        open.extend(items.map(|(node, at)| OpenItem { at, node, depth }));
        self.demand(at.clone(), Expected::Len(open.len() - first), array.at());
        open[first..].reverse();
    }

    fn item<'d>(&mut self, OpenItem { at, node, depth }: OpenItem<'d>, open: &mut Vec<OpenItem<'d>>) {
        // No engine builds deeper ones, and comparing and dropping a path recurses as deep as the path is long.
        const MAX_DEPTH: usize = 2048;
        if depth == MAX_DEPTH {
            let expected = format!("at most {MAX_DEPTH} levels");
            return self
                .diagnostics
                .error(Diagnostic::at(node.at(), "too many nested items").expected(expected));
        }
        let Some(item) = self.typed(node) else { return };
        match (item.of.notation, item.value) {
            (ItemNotation::Items, Some(array)) if array.is_array() => {
                self.demand(at.clone(), Expected::Type(item.of.value.into()), item.at);
                self.children(&at, array, depth + 1, open);
            }
            (ItemNotation::Map, Some(map)) if self.is_map(map) => {
                self.demand(at.clone(), Expected::Type(item.of.value.into()), item.at);
                self.map(&at, map, depth + 1, open);
            }
            (_, value) => {
                let origin = value.map_or(item.at, JsonNode::at);
                if let Some(value) = self.scalar(&item) {
                    self.is(at, Value::typed(item.of.value, value), origin);
                }
            }
        }
    }

    /// The type of an item, and its value as written.
    fn typed<'d>(&mut self, node: JsonNode<'d>) -> Option<VectorItem<'d>> {
        let mut fields = self.open(node, "item")?;
        let name = fields.required("type", self.diagnostics);
        let of = name.and_then(|name| self.type_named(name));
        let value = match of.map(|of| of.notation) {
            Some(ItemNotation::Nothing) => {
                if let Some(value) = fields.present("value") {
                    let ignored =
                        || Diagnostic::at(value.at(), "the value of a Null is ignored").expected("no value");
                    self.diagnostics.remark(|| ignored().under(LintRule::NotCompared));
                }
                None
            }
            Some(_) => fields.required("value", self.diagnostics),
            // Whether a value is missing depends on the type.
            None => fields.optional("value"),
        };
        fields.finish(self.diagnostics);
        let (at, of) = (name?.at(), of?);
        (value.is_some() || of.notation == ItemNotation::Nothing).then_some(VectorItem { at, of, value })
    }

    fn type_named(&mut self, node: JsonNode<'_>) -> Option<&'static VectorType> {
        let text = node.text().unwrap_or_default();
        let Some(of) = self.rules.types.iter().find(|of| text.eq_ignore_ascii_case(of.name)) else {
            let what = format!("{} is not a type", node.shown());
            let types: Vec<_> = self.rules.types.iter().map(|of| of.name).collect();
            self.diagnostics.error(no_such_word(node, what, types.join(", "), types));
            return None;
        };
        if text != of.name {
            self.diagnostics.breach(|| misspelled(node, of.name));
        }
        if self.rules.generation == Generation::V2 && of.notation == ItemNotation::TextAsBytes {
            let diagnostic = || Diagnostic::at(node.at(), "type String").expected(quoted(of.value));
            self.diagnostics.breach(|| diagnostic().under(LintRule::MustType));
        }
        Some(of)
    }

    /// The value of an item without nested items. A container gets here only if its value has the wrong type.
    fn scalar(&mut self, item: &VectorItem<'_>) -> Option<Value> {
        let Some(node) = item.value else { return Some(Value::Null) };
        let generation = self.rules.generation;
        let name = item.of.name;
        let value = match (item.of.notation, node.datum(), generation) {
            (ItemNotation::Nothing, ..) => Ok(Value::Null),
            (ItemNotation::Host, JsonDatum::Null, Generation::V2) => {
                let diagnostic = || wrong_type(node, "the value of an Interop", "a string");
                self.diagnostics.breach(|| diagnostic().under(LintRule::MustType));
                Ok(Value::Null)
            }
            (ItemNotation::Bool, JsonDatum::Bool(value), _) => Ok(Value::Bool(value)),
            (ItemNotation::Bool, JsonDatum::Text(text), Generation::V2)
                if text == "true" || text == "false" =>
            {
                let diagnostic = || wrong_type(node, "the value of a Boolean", "true or false");
                self.diagnostics.breach(|| diagnostic().under(LintRule::MustType));
                Ok(Value::Bool(text == "true"))
            }
            (ItemNotation::Bool, ..) => Err("true or false"),
            (ItemNotation::Number, ..) => return self.number(node),
            (ItemNotation::Position, ..) => return self.diagnostics.keep(count(node, name)).map(Value::Int),
            (ItemNotation::Bytes, _, Generation::N3) => {
                return self.diagnostics.keep(hex(node, name)).map(Value::Bytes);
            }
            (ItemNotation::Bytes, _, Generation::V2) => {
                return lexical::bytes(node, name, Prefix::Required, self.diagnostics).map(Value::Bytes);
            }
            (ItemNotation::TextAsBytes, JsonDatum::Text(text), _) => {
                Ok(Value::Bytes(text.into_owned().into_bytes()))
            }
            (ItemNotation::Host, JsonDatum::Text(text), _) => Ok(Value::text(text)),
            (ItemNotation::TextAsBytes | ItemNotation::Host, ..) => Err("a string"),
            (ItemNotation::Items, ..) => Err("an array of items"),
            (ItemNotation::Map, ..) => Err("an object of items by key"),
        };
        let wrong = |expected| wrong_type(node, &format!("the value of type {name}"), expected);
        self.diagnostics.keep(value.map_err(wrong))
    }

    fn number(&mut self, node: JsonNode<'_>) -> Option<Value> {
        // N3 compares the text of a number, and the engine has a single way to write each number.
        if self.rules.generation == Generation::N3
            && let Some(text) = lexical::not_canonical(node)
        {
            let what = || format!("{} matches no Integer", node.shown());
            let expected = "decimal digits without leading zeros";
            self.diagnostics
                .breach(|| Diagnostic::at(node.at(), what()).expected(expected).under(LintRule::Number));
            return Some(Value::text(text));
        }
        let number = self.diagnostics.keep(integer(node))?;
        // In 2.x, some instructions produce longer ones.
        if self.rules.generation == Generation::N3 && !fits_256_bits(&number) {
            let what = "no Integer of N3 is longer than 32 bytes";
            let diagnostic = || Diagnostic::at(node.at(), what).expected("an integer from -2^255 to 2^255-1");
            self.diagnostics.suspect(|| diagnostic().under(LintRule::ImpossibleValue));
        }
        Some(Value::Int(number))
    }

    /// Whether a Map can be written like this. Only 2.x allows an array.
    fn is_map(&self, value: JsonNode<'_>) -> bool {
        value.is_object() || (value.is_array() && self.rules.generation == Generation::V2)
    }

    /// Demands the keys of a Map, and pushes its values on `open`.
    fn map<'d>(&mut self, at: &Path, map: JsonNode<'d>, depth: usize, open: &mut Vec<OpenItem<'d>>) {
        let pairs = if map.is_object() { self.members(map) } else { self.alternating(map) };
        let pairs = self.last_of_each(pairs, map);
        let keys: Vec<PathKey> = pairs.iter().map(|pair| PathKey::from(pair.key.clone())).collect();
        self.demand(at.clone(), Expected::Only(keys.clone()), map.at());
        if self.rules.generation == Generation::N3 && keys.len() > 1 {
            self.demand(at.clone(), Expected::Order(keys), map.at());
        }
        let (inside, values) = (at.as_parent(), pairs.into_iter().rev());
        open.extend(values.map(|pair| OpenItem { at: inside.child(pair.key), node: pair.value, depth }));
    }

    fn members<'d>(&mut self, map: JsonNode<'d>) -> Vec<Pair<'d>> {
        if self.rules.generation == Generation::V2 {
            let expected = "an array, though files have this form";
            let diagnostic = || wrong_type(map, "the value of a Map", expected).under(LintRule::TextAndFiles);
            self.diagnostics.remark(diagnostic);
        }
        let pair = |member: JsonMember<'d>| {
            let key = lexical::parse_key(&member, self.rules.generation, self.diagnostics)?;
            Some(Pair { key, at: member.key_at, value: member.value })
        };
        map.members().filter_map(pair).collect()
    }

    /// Alternating keys and values, each an item.
    fn alternating<'d>(&mut self, map: JsonNode<'d>) -> Vec<Pair<'d>> {
        let mut pairs = Vec::new();
        let mut items = map.items();
        while let Some(key) = items.next() {
            let Some(value) = items.next() else {
                self.diagnostics.error(
                    Diagnostic::at(key.at(), "a key of a Map without value").expected("an item after it"),
                );
                break;
            };
            pairs.extend(self.key(key).map(|name| Pair { key: name, at: key.at(), value }));
        }
        pairs
    }

    /// The key that an item represents: its bytes in the engine.
    fn key(&mut self, node: JsonNode<'_>) -> Option<String> {
        let item = self.typed(node)?;
        let bytes = match (item.of.notation, self.scalar(&item)?) {
            (ItemNotation::Host, _) => None,
            (_, Value::Bytes(bytes)) => Some(bytes),
            (_, Value::Int(number)) => Some(number.to_signed_bytes_le()),
            (_, Value::Bool(value)) => Some(if value { vec![1] } else { Vec::new() }),
            _ => None,
        };
        if bytes.is_none() {
            let what = format!("a key of a Map of type {}", item.of.name);
            self.diagnostics.error(Diagnostic::at(item.at, what).expected("ByteArray, Integer or Boolean"));
        }
        bytes.map(|bytes| lexical::key(&bytes))
    }

    /// The last pair of each key. Duplicate keys of an object with the same spelling are detected when the
    /// document is parsed.
    fn last_of_each<'d>(&mut self, mut pairs: Vec<Pair<'d>>, map: JsonNode<'d>) -> Vec<Pair<'d>> {
        let mut last = HashMap::new();
        for pair in &pairs {
            if let Some(first) = last.insert(pair.key.clone(), pair.at)
                && !(map.is_object() && same_key(map.document(), first, pair.at))
            {
                let what =
                    "an earlier key of this Map is the same in another notation; the earlier one is ignored";
                self.diagnostics.note(Diagnostic::at(pair.at, what).under(LintRule::DuplicateKey));
            }
        }
        pairs.retain(|pair| last[&pair.key] == pair.at);
        pairs
    }
}

/// The type of the item with this value or type.
pub(super) fn type_beside(value: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let (item, _) = value.place()?;
    member(item, "type").map(|of| of.value)
}
