//! What a manifest says about the script of its contract.

use std::fmt;

use crate::model::diagnostic::Diagnostic;
use crate::model::escape::escaped;
use crate::model::limits::Limits;
use crate::model::position::{Origin, Position};
use crate::text::json::{Document, Node, quoted};
use crate::text::source_text::SourceText;

/// The most bytes that a manifest may have.
pub const MANIFEST_SIZE: usize = 65_535;

/// What the manifest of a contract says about its script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The name of the contract.
    pub name: String,
    /// Its methods, in the order of the manifest.
    pub methods: Vec<Method>,
}

/// A method of a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    /// Its name.
    pub name: String,
    /// Where it starts in the script.
    pub offset: usize,
    /// What it takes.
    pub parameters: Vec<Parameter>,
    /// The type of its result, as the manifest says it.
    pub result: String,
    /// Whether it may be called without the right to change anything.
    pub safe: bool,
}

/// A parameter of a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type, as the manifest says it.
    pub of_type: String,
}

/// What is wrong with a manifest, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {_0}", _0.place)]
pub struct ManifestError(pub Diagnostic<Position>);

impl Manifest {
    /// Reads the manifest of a contract whose script has `script_size` bytes.
    ///
    /// `features` must be there and empty. Members that say nothing about the script are not
    /// looked at.
    ///
    /// # Errors
    ///
    /// The first diagnostic: more than [`MANIFEST_SIZE`] bytes, not JSON, a key twice in an object,
    /// something missing or of the wrong type, or a method that starts outside the script.
    pub fn read(file: &[u8], script_size: usize) -> Result<Manifest, ManifestError> {
        let locate = |diagnostic: Diagnostic<Origin>| {
            // Up to the first bad byte the lossy text is the same as the file.
            let text = SourceText::new(String::from_utf8_lossy(file));
            let position = text.position(diagnostic.place.0);
            ManifestError(diagnostic.with_place(position))
        };
        let document = document(file).map_err(locate)?;
        manifest(document.root(), script_size).map_err(locate)
    }
}

/// `name(parameter: Type) -> Type, safe`, on one line whatever the names are.
impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters: Vec<_> =
            self.parameters.iter().map(|it| format!("{}: {}", it.name, it.of_type)).collect();
        let text = format!("{}({}) -> {}", self.name, parameters.join(", "), self.result);
        f.write_str(&escaped(&text))?;
        f.write_str(if self.safe { ", safe" } else { "" })
    }
}

fn document(file: &[u8]) -> Result<Document, Diagnostic<Origin>> {
    if file.len() > MANIFEST_SIZE {
        let expected = format!("at most {MANIFEST_SIZE} bytes");
        return Err(Diagnostic::at(MANIFEST_SIZE as u32, "the manifest is too large").expected(expected));
    }
    let text = str::from_utf8(file).map_err(|error| {
        Diagnostic::at(error.valid_up_to() as u32, "this byte is not UTF-8").expected("a file in UTF-8")
    })?;
    let depth = Limits::default().depth as usize;
    let document = Document::parse(text.to_owned(), depth).map_err(|(_, diagnostic)| diagnostic)?;
    match document.deviations().first() {
        None => Ok(document),
        Some(deviation) => Err(deviation.diagnostic(&document)),
    }
}

fn manifest(root: Node<'_>, script_size: usize) -> Result<Manifest, Diagnostic<Origin>> {
    let name = text(root, "name")?;
    let features = member(root, "features")?;
    if !features.is_object() || features.members().next().is_some() {
        return Err(Diagnostic::at(features.at(), format!("features is {}", features.shown())).expected("{}"));
    }
    let methods = array(member(root, "abi")?, "methods")?;
    let methods = methods.map(|node| method(node, script_size)).collect::<Result<_, _>>()?;
    Ok(Manifest { name, methods })
}

fn method(node: Node<'_>, script_size: usize) -> Result<Method, Diagnostic<Origin>> {
    Ok(Method {
        name: text(node, "name")?,
        offset: offset(member(node, "offset")?, script_size)?,
        parameters: array(node, "parameters")?.map(parameter).collect::<Result<_, _>>()?,
        result: text(node, "returntype")?,
        safe: boolean(member(node, "safe")?)?,
    })
}

fn parameter(node: Node<'_>) -> Result<Parameter, Diagnostic<Origin>> {
    Ok(Parameter { name: text(node, "name")?, of_type: text(node, "type")? })
}

fn offset(node: Node<'_>, script_size: usize) -> Result<usize, Diagnostic<Origin>> {
    let offset = node.raw().parse().ok().filter(|offset| *offset < script_size);
    offset.ok_or_else(|| {
        let what = format!("the offset of a method is {}", node.shown());
        Diagnostic::at(node.at(), what)
            .expected(format!("a whole number below {script_size}, the size of the script"))
    })
}

fn boolean(node: Node<'_>) -> Result<bool, Diagnostic<Origin>> {
    match node.raw() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => {
            Err(Diagnostic::at(node.at(), format!("safe is {}", node.type_name())).expected("true or false"))
        }
    }
}

fn text(object: Node<'_>, key: &str) -> Result<String, Diagnostic<Origin>> {
    let node = member(object, key)?;
    let text = node.text().ok_or_else(|| wrong_type(node, key, "a string"))?;
    Ok(text.into_owned())
}

fn array<'d>(object: Node<'d>, key: &str) -> Result<impl Iterator<Item = Node<'d>>, Diagnostic<Origin>> {
    let node = member(object, key)?;
    if node.is_array() { Ok(node.items()) } else { Err(wrong_type(node, key, "an array")) }
}

/// A member that must be there.
fn member<'d>(object: Node<'d>, key: &str) -> Result<Node<'d>, Diagnostic<Origin>> {
    let expected = format!("an object with a member {}", quoted(key));
    if !object.is_object() {
        return Err(Diagnostic::at(object.at(), object.type_name()).expected(expected));
    }
    object
        .member(key)
        .ok_or_else(|| Diagnostic::at(object.at(), format!("no member {}", quoted(key))).expected(expected))
}

fn wrong_type(node: Node<'_>, key: &str, expected: &str) -> Diagnostic<Origin> {
    Diagnostic::at(node.at(), format!("{key} is {}", node.type_name())).expected(expected)
}
