//! Changes to a JSON text that preserve all other bytes (whitespace, order of members, comments) and give new
//! elements the layout of those around them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Value as Json;

use super::json::{Document, JsonNode};

/// A change to one datum of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum TextChange<'d> {
    /// Replaces the datum.
    Replace {
        /// The datum.
        node: JsonNode<'d>,
        /// The new value.
        value: Json,
    },
    /// Replaces a number with one of any size.
    Digits {
        /// The number.
        node: JsonNode<'d>,
        /// The number in JSON.
        digits: String,
    },
    /// Inserts an element into an array or object. If two changes give an object the same key, the first one
    /// applies.
    Insert {
        /// The array or object.
        into: JsonNode<'d>,
        /// The index of the element to insert before; the element count appends.
        before: usize,
        /// The key, in an object.
        key: Option<String>,
        /// The value.
        value: Json,
    },
    /// Removes an element of an array or object.
    Remove {
        /// The array or object.
        from: JsonNode<'d>,
        /// Which element, from 0.
        index: usize,
    },
    /// Removes the element of an array or object that starts with a datum or has it as its value.
    RemoveNode {
        /// The array or object.
        from: JsonNode<'d>,
        /// The datum.
        node: JsonNode<'d>,
    },
    /// Reorders the members of an object.
    Reorder {
        /// The object.
        object: JsonNode<'d>,
        /// For each place, the index of the member that moves there.
        order: Vec<usize>,
    },
}

impl<'d> TextChange<'d> {
    /// Adds a member at the end of an object.
    pub fn add_member(object: JsonNode<'d>, key: &str, value: Json) -> TextChange<'d> {
        let before = object.members().count();
        TextChange::Insert { into: object, before, key: Some(key.to_owned()), value }
    }

    /// The key of the member that it adds or whose value it replaces.
    pub fn key(&self) -> Option<Cow<'_, str>> {
        match self {
            TextChange::Insert { key, .. } => key.as_deref().map(Cow::Borrowed),
            TextChange::Replace { node, .. } | TextChange::Digits { node, .. } => {
                let (container, index) = node.place()?;
                container.members().nth(index).map(|member| member.key)
            }
            TextChange::Remove { .. } | TextChange::RemoveNode { .. } | TextChange::Reorder { .. } => None,
        }
    }

    /// Removes the element of an array or object that starts with this datum or has it as its value; `None` if the datum
    /// is not inside.
    pub fn remove(from: JsonNode<'d>, node: JsonNode<'d>) -> Option<TextChange<'d>> {
        let is_inside = from.at() < node.at() && range(from).contains(&(node.at() as usize));
        is_inside.then_some(TextChange::RemoveNode { from, node })
    }
}

/// A range of bytes of a text, and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// Which bytes.
    pub range: Range<usize>,
    /// The replacement.
    pub text: String,
}

/// The text of the document with the changes applied. Of changes to the same bytes, the outermost is applied.
pub fn apply(document: &Document, changes: &[TextChange<'_>]) -> String {
    let style = Style::of(document);
    let mut splices = Vec::new();
    let mut resized: BTreeMap<u32, ResizedContainer<'_>> = BTreeMap::new();
    for change in changes {
        match change {
            TextChange::Replace { node, value } => {
                let text = match value {
                    Json::String(new) if node.raw().contains('\\') => keeping_escapes(node.raw(), new),
                    Json::Array(_) | Json::Object(_) => {
                        style.render(value, indent_of(document.text(), node.at() as usize))
                    }
                    // It takes one line. Where that begins is far away in a file of one line.
                    _ => style.render(value, ""),
                };
                splices.push(Splice { range: range(*node), text });
            }
            TextChange::Digits { node, digits } => {
                splices.push(Splice { range: range(*node), text: digits.clone() });
            }
            TextChange::Reorder { object, order } => reorder(*object, order, &mut splices),
            TextChange::Insert { into, before, key, value } => {
                let resized = resized.entry(into.index()).or_insert_with(|| ResizedContainer::new(*into));
                resized.insert(*before, key.as_deref(), value);
            }
            TextChange::Remove { from, index } => {
                let resized = resized.entry(from.index()).or_insert_with(|| ResizedContainer::new(*from));
                resized.removed.insert(*index);
            }
            TextChange::RemoveNode { from, node } => {
                resized.entry(from.index()).or_insert_with(|| ResizedContainer::new(*from)).remove(*node);
            }
        }
    }
    for resized in resized.values() {
        resized.splices(&style, &mut splices);
    }
    if has_carriage_returns(document.text()) {
        for splice in &mut splices {
            splice.text = splice.text.replace("\r\n", "\n").replace('\n', "\r\n");
        }
    }
    splice(document.text(), splices)
}

/// Whether the first line of a text ends with a carriage return and a line feed.
fn has_carriage_returns(text: &str) -> bool {
    text.find('\n').is_some_and(|end| text[..end].ends_with('\r'))
}

/// The text with the splices applied. Of overlapping ones, the one that starts first is applied.
pub fn splice(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let mut spliced = String::with_capacity(text.len());
    let mut done = 0;
    for Splice { range, text: new } in splices {
        if range.start >= done {
            spliced.push_str(&text[done..range.start]);
            spliced.push_str(&new);
            done = range.end;
        }
    }
    spliced.push_str(&text[done..]);
    spliced
}

fn range(node: JsonNode<'_>) -> Range<usize> {
    let at = node.at() as usize;
    at..at + node.raw().len()
}

/// The position of each element of an array or object, with its key.
fn elements(container: JsonNode<'_>) -> Vec<Range<usize>> {
    if container.is_object() {
        container.members().map(|member| member.key_at as usize..range(member.value).end).collect()
    } else {
        container.items().map(range).collect()
    }
}

fn reorder(object: JsonNode<'_>, order: &[usize], splices: &mut Vec<Splice>) {
    let elements = elements(object);
    let text = object.document().text();
    for (place, member) in order.iter().enumerate().filter(|(place, member)| place != *member) {
        splices.push(Splice {
            range: elements[place].clone(),
            text: text[elements[*member].clone()].to_owned(),
        });
    }
}

/// The quoted string that replaces one with escapes. The common start and end of both strings keep their
/// escapes. The new text between them is written in ASCII if the old string is.
fn keeping_escapes(old: &str, new: &str) -> String {
    let is_ascii = old.is_ascii();
    let old = characters(old);
    let new: Vec<char> = new.chars().collect();
    let same = |(old, new): &(&(char, &str), &char)| old.0 == **new;
    let lead = old.iter().zip(&new).take_while(same).count();
    let trail = old[lead..].iter().rev().zip(new[lead..].iter().rev()).take_while(same).count();
    let kept = |kept: &[(char, &str)]| kept.iter().map(|it| it.1).collect::<String>();
    let written = |new: &char| {
        let quoted = Json::from(new.to_string()).to_string();
        if is_ascii { in_ascii(*new) } else { None }.unwrap_or_else(|| quoted[1..quoted.len() - 1].to_owned())
    };
    let between: String = new[lead..new.len() - trail].iter().map(written).collect();
    format!("\"{}{between}{}\"", kept(&old[..lead]), kept(&old[old.len() - trail..]))
}

/// The escape of a non-ASCII character.
fn in_ascii(character: char) -> Option<String> {
    let mut units = [0; 2];
    match character.encode_utf16(&mut units) {
        _ if character.is_ascii() => None,
        [one] => Some(format!("\\u{one:04x}")),
        units => Some(format!("\\u{:04x}\\u{:04x}", units[0], units[1])),
    }
}

/// The characters of a quoted string, each with its spelling in the text.
fn characters(raw: &str) -> Vec<(char, &str)> {
    let mut rest = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    let mut characters = Vec::new();
    while let Some(first) = rest.chars().next() {
        let length = match rest.as_bytes() {
            [b'\\', b'u', b'd' | b'D', b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B', ..] => 12,
            [b'\\', b'u', ..] => 6,
            [b'\\', ..] => 2,
            _ => first.len_utf8(),
        };
        let (written, further) = rest.split_at(length.min(rest.len()));
        let read: Option<String> = serde_json::from_str(&format!("\"{written}\"")).ok();
        characters.extend(read.and_then(|text| text.chars().next()).map(|it| (it, written)));
        rest = further;
    }
    characters
}

/// An array or object with insertions and removals.
struct ResizedContainer<'c> {
    container: JsonNode<'c>,
    /// The places of its elements.
    elements: Vec<Range<usize>>,
    /// Keyed by the index of the element that they are inserted before.
    inserted: BTreeMap<usize, Vec<(Option<String>, Json)>>,
    removed: BTreeSet<usize>,
}

impl<'c> ResizedContainer<'c> {
    fn new(container: JsonNode<'c>) -> ResizedContainer<'c> {
        let elements = elements(container);
        ResizedContainer { container, elements, inserted: BTreeMap::new(), removed: BTreeSet::new() }
    }

    /// Removes the element that contains a datum.
    fn remove(&mut self, node: JsonNode<'_>) {
        self.removed.insert(self.elements.partition_point(|element| element.end <= node.at() as usize));
    }

    fn insert(&mut self, before: usize, key: Option<&str>, value: &Json) {
        let known = |inserted: &(Option<String>, Json)| key.is_some() && inserted.0.as_deref() == key;
        if !self.inserted.values().flatten().any(known) {
            self.inserted.entry(before).or_default().push((key.map(str::to_owned), value.clone()));
        }
    }

    /// Rewrites the text between remaining elements wherever elements are inserted or removed.
    fn splices(&self, style: &Style, splices: &mut Vec<Splice>) {
        let elements = &self.elements;
        let layout = ElementLayout::of(self.container, elements, style);
        let whole = range(self.container);
        let mut gap = Gap { from: whole.start + 1, after_element: false, removed: false, new: Vec::new() };
        for index in 0..=elements.len() {
            let inserted = self.inserted.get(&index).into_iter().flatten();
            gap.new.extend(inserted.map(|(key, value)| layout.element(key.as_deref(), value, style)));
            if self.removed.contains(&index) {
                gap.removed = true;
                continue;
            }
            let next = elements.get(index);
            let until = next.map_or(whole.end - 1, |next| next.start);
            if gap.removed || !gap.new.is_empty() {
                splices.push(Splice { range: gap.from..until, text: gap.text(&layout, next) });
            }
            let from = next.map_or(until, |next| next.end);
            gap = Gap { from, after_element: true, removed: false, new: Vec::new() };
        }
    }
}

/// The text between two remaining elements, or between one and a bracket.
struct Gap {
    from: usize,
    after_element: bool,
    removed: bool,
    /// The texts of the elements inserted here.
    new: Vec<String>,
}

impl Gap {
    /// `next` is the element that follows; `None` before a bracket.
    fn text(&self, layout: &ElementLayout, next: Option<&Range<usize>>) -> String {
        let new = !self.new.is_empty();
        let start = match (self.after_element, new || next.is_some()) {
            (true, true) => &layout.between,
            (false, true) => &layout.first,
            (true, false) => "",
            (false, false) => return String::new(),
        };
        let end = match next {
            Some(_) if new => &layout.between,
            Some(_) => "",
            None => &layout.last,
        };
        format!("{start}{}{end}", self.new.join(&layout.between))
    }
}

/// The text around the elements of an array or object.
struct ElementLayout {
    /// After the opening bracket.
    first: String,
    /// Between two elements, with the comma.
    between: String,
    /// Before the closing bracket.
    last: String,
    /// The indentation of lines with elements.
    indent: String,
}

impl ElementLayout {
    fn of(container: JsonNode<'_>, elements: &[Range<usize>], style: &Style) -> ElementLayout {
        let text = container.document().text();
        let whole = range(container);
        let outer = indent_of(text, whole.start);
        let [Some(first), Some(last)] = [elements.first(), elements.last()] else {
            return ElementLayout::of_empty(outer, style);
        };
        let first = text[whole.start + 1..first.start].to_owned();
        let indent = match first.rsplit_once('\n') {
            Some((_, indent)) if indent.trim().is_empty() => indent,
            _ => outer,
        };
        let comma = |gap: &&str| gap.trim() == ",";
        let gap = elements.get(1).map(|second| &text[elements[0].end..second.start]).filter(comma);
        let between = match gap {
            Some(gap) => gap.to_owned(),
            None if first.contains('\n') => format!(",\n{indent}"),
            None => style.comma.to_owned(),
        };
        let indent = indent.to_owned();
        ElementLayout { first, between, last: text[last.end..whole.end - 1].to_owned(), indent }
    }

    fn of_empty(outer: &str, style: &Style) -> ElementLayout {
        match &style.indent {
            Some(unit) => ElementLayout {
                first: format!("\n{outer}{unit}"),
                between: format!(",\n{outer}{unit}"),
                last: format!("\n{outer}"),
                indent: format!("{outer}{unit}"),
            },
            None => ElementLayout {
                first: String::new(),
                between: style.comma.to_owned(),
                last: String::new(),
                indent: outer.to_owned(),
            },
        }
    }

    fn element(&self, key: Option<&str>, value: &Json, style: &Style) -> String {
        let value = style.render(value, &self.indent);
        match key {
            Some(key) => format!("{}{}{value}", Json::from(key), style.colon),
            None => value,
        }
    }
}

/// The formatting of a document that new data must follow.
struct Style {
    /// Between a key and its value.
    colon: String,
    /// Between elements on one line.
    comma: &'static str,
    /// The indentation per level, if every element has a line of its own.
    indent: Option<String>,
}

impl Style {
    fn of(document: &Document) -> Style {
        let text = document.text();
        let colon = document.root().objects().find_map(|object| {
            let member = object.members().next()?;
            text[member.key_at as usize..member.value.at() as usize].rsplit_once('"').map(|it| it.1)
        });
        let colon = colon.filter(|colon| colon.trim() == ":").unwrap_or(": ");
        let comma = if colon.ends_with(':') { "," } else { ", " };
        Style { colon: colon.to_owned(), comma, indent: unit_of_indent(document) }
    }

    /// The datum as text; its further lines are indented by at least `indent`.
    fn render(&self, value: &Json, indent: &str) -> String {
        let inner = format!("{indent}{}", self.indent.as_deref().unwrap_or_default());
        match value {
            Json::Array(items) if !items.is_empty() => {
                let items = items.iter().map(|item| self.render(item, &inner));
                self.enclose(["[", "]"], &items.collect::<Vec<_>>(), indent, &inner)
            }
            Json::Object(members) if !members.is_empty() => {
                let member = |(key, value): (&String, &Json)| {
                    format!("{}{}{}", Json::from(key.as_str()), self.colon, self.render(value, &inner))
                };
                let members: Vec<_> = members.iter().map(member).collect();
                self.enclose(["{", "}"], &members, indent, &inner)
            }
            _ => value.to_string(),
        }
    }

    fn enclose(&self, [open, close]: [&str; 2], elements: &[String], outer: &str, inner: &str) -> String {
        match self.indent {
            Some(_) => {
                format!("{open}\n{inner}{}\n{outer}{close}", elements.join(&format!(",\n{inner}")))
            }
            None => format!("{open}{}{close}", elements.join(self.comma)),
        }
    }
}

/// The indentation per level; `None` if any array or object has its first element on the line of its bracket.
fn unit_of_indent(document: &Document) -> Option<String> {
    let text = document.text();
    let mut unit = None;
    let mut open = vec![document.root()];
    while let Some(node) = open.pop() {
        if let Some(first) = elements(node).first() {
            let (_, inner) = text[node.at() as usize..first.start].rsplit_once('\n')?;
            unit = unit.or_else(|| inner.strip_prefix(indent_of(text, node.at() as usize)));
        }
        open.extend(node.items().chain(node.members().map(|member| member.value)));
    }
    unit.map(str::to_owned)
}

/// The indentation of the line that contains this byte.
fn indent_of(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let rest = &text[line..at];
    &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
}

#[cfg(test)]
mod tests;
