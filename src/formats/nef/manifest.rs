//! What a manifest says about the script of its contract.

use std::fmt;

use crate::model::limits::Limits;
use crate::model::{Diagnostic, Origin, Position, escaped};
use crate::text::json::{Document, JsonNode, quoted};
use crate::text::source_text::SourceText;

/// The maximum size of a manifest, in bytes.
pub const MANIFEST_SIZE: usize = 65_535;

/// What the manifest of a contract says about its script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractManifest {
    /// The name of the contract; empty if there is none.
    pub name: String,
    /// Its methods, in the order of the manifest.
    pub methods: Vec<Method>,
    /// Where the file violates the rules for manifests, in the order of the members above. An invalid method
    /// is omitted from `methods`.
    pub deviations: Vec<ManifestError>,
}

/// A method of a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    /// Its name.
    pub name: String,
    /// Where it starts in the script.
    pub offset: usize,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The type of its result, as written in the manifest.
    pub result: String,
    /// Whether it is safe: callers need not grant it the right to change anything.
    pub safe: bool,
}

/// A parameter of a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type, as written in the manifest.
    pub of_type: String,
}

/// What is wrong with a manifest, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {_0}", _0.place)]
pub struct ManifestError(pub Diagnostic<Position>);

impl ContractManifest {
    /// Reads as much as possible of the manifest of a contract whose script has `script_size` bytes.
    ///
    /// `features` must be present and empty, and no method may start outside the script. Members that do not
    /// concern the script are ignored.
    pub fn read(file: &[u8], script_size: usize) -> ContractManifest {
        let mut reader = ManifestReader { script_size, found: Vec::new() };
        let (name, methods) = reader.file(file).unwrap_or_default();
        // Up to the first invalid byte, the lossy text is the same as the file.
        let text = SourceText::new(String::from_utf8_lossy(file));
        let locate = |found: Diagnostic<Origin>| {
            let position = text.position(found.place.0);
            ManifestError(found.with_place(position))
        };
        let deviations = reader.found.into_iter().map(locate).collect();
        ContractManifest { name, methods, deviations }
    }
}

/// `name(parameter: Type) -> Type, safe`, on one line whatever the names contain.
impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters: Vec<_> =
            self.parameters.iter().map(|it| format!("{}: {}", it.name, it.of_type)).collect();
        let text = format!("{}({}) -> {}", self.name, parameters.join(", "), self.result);
        f.write_str(&escaped(&text))?;
        f.write_str(if self.safe { ", safe" } else { "" })
    }
}

struct ManifestReader {
    script_size: usize,
    found: Vec<Diagnostic<Origin>>,
}

impl ManifestReader {
    /// The name and the methods.
    fn file(&mut self, file: &[u8]) -> Option<(String, Vec<Method>)> {
        let document = self.keep(document(file))?;
        self.found.extend(document.deviations().iter().map(|deviation| deviation.diagnostic(&document)));
        let root = document.root();
        let name = self.keep(text(root, "name")).unwrap_or_default();
        self.keep(member(root, "features").and_then(no_features));
        let methods = self.keep(member(root, "abi").and_then(|abi| array(abi, "methods")));
        let methods = methods.into_iter().flatten();
        Some((name, methods.filter_map(|node| self.keep(method(node, self.script_size))).collect()))
    }

    /// Keeps the value, or records why it is missing.
    fn keep<T>(&mut self, result: Result<T, Diagnostic<Origin>>) -> Option<T> {
        result.map_err(|diagnostic| self.found.push(diagnostic)).ok()
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
    Document::parse(text.to_owned(), depth).map_err(|(_, diagnostic)| diagnostic)
}

fn no_features(features: JsonNode<'_>) -> Result<(), Diagnostic<Origin>> {
    if features.is_object() && features.members().next().is_none() {
        return Ok(());
    }
    Err(Diagnostic::at(features.at(), format!("features is {}", features.shown())).expected("{}"))
}

fn method(node: JsonNode<'_>, script_size: usize) -> Result<Method, Diagnostic<Origin>> {
    Ok(Method {
        name: text(node, "name")?,
        offset: offset(member(node, "offset")?, script_size)?,
        parameters: array(node, "parameters")?.map(parameter).collect::<Result<_, _>>()?,
        result: text(node, "returntype")?,
        safe: boolean(member(node, "safe")?)?,
    })
}

fn parameter(node: JsonNode<'_>) -> Result<Parameter, Diagnostic<Origin>> {
    Ok(Parameter { name: text(node, "name")?, of_type: text(node, "type")? })
}

fn offset(node: JsonNode<'_>, script_size: usize) -> Result<usize, Diagnostic<Origin>> {
    let offset = node.raw().parse().ok().filter(|offset| *offset < script_size);
    offset.ok_or_else(|| {
        let what = format!("the offset of a method is {}", node.shown());
        Diagnostic::at(node.at(), what)
            .expected(format!("a whole number below {script_size}, the size of the script"))
    })
}

fn boolean(node: JsonNode<'_>) -> Result<bool, Diagnostic<Origin>> {
    match node.raw() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => {
            Err(Diagnostic::at(node.at(), format!("safe is {}", node.type_name())).expected("true or false"))
        }
    }
}

fn text(object: JsonNode<'_>, key: &str) -> Result<String, Diagnostic<Origin>> {
    let node = member(object, key)?;
    let text = node.text().ok_or_else(|| wrong_type(node, key, "a string"))?;
    Ok(text.into_owned())
}

fn array<'d>(
    object: JsonNode<'d>,
    key: &str,
) -> Result<impl Iterator<Item = JsonNode<'d>>, Diagnostic<Origin>> {
    let node = member(object, key)?;
    if node.is_array() { Ok(node.items()) } else { Err(wrong_type(node, key, "an array")) }
}

/// A required member.
fn member<'d>(object: JsonNode<'d>, key: &str) -> Result<JsonNode<'d>, Diagnostic<Origin>> {
    let expected = format!("an object with a member {}", quoted(key));
    if !object.is_object() {
        return Err(Diagnostic::at(object.at(), object.type_name()).expected(expected));
    }
    object
        .member(key)
        .ok_or_else(|| Diagnostic::at(object.at(), format!("no member {}", quoted(key))).expected(expected))
}

fn wrong_type(node: JsonNode<'_>, key: &str, expected: &str) -> Diagnostic<Origin> {
    Diagnostic::at(node.at(), format!("{key} is {}", node.type_name())).expected(expected)
}
