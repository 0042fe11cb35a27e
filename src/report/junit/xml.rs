//! Elements of JUnit XML, written one after another.

use std::borrow::Cow;
use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

/// The text of elements that follow each other at one depth of the document. Each begins with a line break.
pub(super) struct XmlElements(Writer<Vec<u8>>);

impl XmlElements {
    /// Elements inside this number of others.
    pub(super) fn inside(depth: usize) -> io::Result<XmlElements> {
        let mut elements = XmlElements(Writer::new_with_indent(Vec::new(), b' ', 4));
        elements.0.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        for _ in 0..depth {
            elements.start("around", &[])?;
        }
        if depth > 0 {
            elements.take();
        }
        Ok(elements)
    }

    /// The text that was written since the last call.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(self.0.get_mut())
    }

    /// A start tag; what is written next is inside the element.
    pub(super) fn start(&mut self, tag: &str, attributes: &[(&str, &str)]) -> io::Result<()> {
        self.0.write_event(Event::Start(tag_with(tag, attributes)))
    }

    pub(super) fn end(&mut self, tag: &str) -> io::Result<()> {
        self.0.write_event(Event::End(BytesEnd::new(tag)))
    }

    /// An element without content.
    pub(super) fn empty(&mut self, tag: &str, attributes: &[(&str, &str)]) -> io::Result<()> {
        self.0.write_event(Event::Empty(tag_with(tag, attributes)))
    }

    /// An element with this text, or without content.
    pub(super) fn element(
        &mut self,
        tag: &str,
        attributes: &[(&str, &str)],
        text: Option<&str>,
    ) -> io::Result<()> {
        let Some(text) = text else { return self.empty(tag, attributes) };
        self.start(tag, attributes)?;
        self.0.write_event(Event::Text(BytesText::new(&allowed(text))))?;
        self.end(tag)
    }

    /// The properties of a test case, if there are any.
    pub(super) fn properties(&mut self, properties: &[(&str, &str)]) -> io::Result<()> {
        if properties.is_empty() {
            return Ok(());
        }
        self.start("properties", &[])?;
        for (name, value) in properties {
            self.empty("property", &[("name", name), ("value", value)])?;
        }
        self.end("properties")
    }
}

fn tag_with<'t>(tag: &'t str, attributes: &[(&str, &str)]) -> BytesStart<'t> {
    let mut tag = BytesStart::new(tag);
    for (name, value) in attributes {
        tag.push_attribute((*name, &*allowed(value)));
    }
    tag
}

/// The text without characters that XML does not allow, even escaped.
fn allowed(text: &str) -> Cow<'_, str> {
    let is_forbidden = |it: char| it.is_ascii_control() && !matches!(it, '\t' | '\n' | '\r' | '\x7f');
    if text.contains(is_forbidden) { text.replace(is_forbidden, "").into() } else { text.into() }
}
