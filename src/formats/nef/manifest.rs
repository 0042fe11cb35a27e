//! What a manifest says about the script of its contract.

use std::fmt;

use crate::model::escape::escaped;
use crate::model::limits::Limits;
use crate::model::position::{Position, position};
use crate::text::json::{Document, Node, Problem, quoted};

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
#[error("{position}: {problem}")]
pub struct ManifestError {
    /// Where.
    pub position: Position,
    /// What.
    pub problem: Problem,
}

impl Manifest {
    /// Reads the manifest of a contract whose script has `script_size` bytes.
    ///
    /// `features` must be there and empty. Members that say nothing about the script are not
    /// looked at.
    ///
    /// # Errors
    ///
    /// The first problem: more than [`MANIFEST_SIZE`] bytes, not JSON, a key twice in an object,
    /// something missing or of the wrong type, or a method that starts outside the script.
    pub fn read(file: &[u8], script_size: usize) -> Result<Manifest, ManifestError> {
        let lossy = String::from_utf8_lossy(file);
        let in_text = |problem: Problem| ManifestError { position: position(&lossy, problem.at), problem };
        let document = document(file).map_err(in_text)?;
        manifest(document.root(), script_size).map_err(in_text)
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

fn document(file: &[u8]) -> Result<Document, Problem> {
    if file.len() > MANIFEST_SIZE {
        let expected = format!("at most {MANIFEST_SIZE} bytes");
        return Err(Problem::new(MANIFEST_SIZE as u32, "the manifest is too large", expected));
    }
    let text = str::from_utf8(file).map_err(|error| {
        Problem::new(error.valid_up_to() as u32, "this byte is not UTF-8", "a file in UTF-8")
    })?;
    let depth = Limits::default().depth as usize;
    let document = Document::parse(text.to_owned(), depth).map_err(|(_, problem)| problem)?;
    match document.oddities().first() {
        None => Ok(document),
        Some(oddity) => Err(oddity.problem(&document)),
    }
}

fn manifest(root: Node<'_>, script_size: usize) -> Result<Manifest, Problem> {
    let name = text(root, "name")?;
    let features = member(root, "features")?;
    if !features.is_object() || features.members().next().is_some() {
        return Err(Problem::new(features.at(), format!("features is {}", features.shown()), "{}"));
    }
    let methods = array(member(root, "abi")?, "methods")?;
    let methods = methods.map(|node| method(node, script_size)).collect::<Result<_, _>>()?;
    Ok(Manifest { name, methods })
}

fn method(node: Node<'_>, script_size: usize) -> Result<Method, Problem> {
    Ok(Method {
        name: text(node, "name")?,
        offset: offset(member(node, "offset")?, script_size)?,
        parameters: array(node, "parameters")?.map(parameter).collect::<Result<_, _>>()?,
        result: text(node, "returntype")?,
        safe: boolean(member(node, "safe")?)?,
    })
}

fn parameter(node: Node<'_>) -> Result<Parameter, Problem> {
    Ok(Parameter { name: text(node, "name")?, of_type: text(node, "type")? })
}

fn offset(node: Node<'_>, script_size: usize) -> Result<usize, Problem> {
    let offset = node.raw().parse().ok().filter(|offset| *offset < script_size);
    offset.ok_or_else(|| {
        let what = format!("the offset of a method is {}", node.shown());
        Problem::new(node.at(), what, format!("a whole number below {script_size}, the size of the script"))
    })
}

fn boolean(node: Node<'_>) -> Result<bool, Problem> {
    match node.raw() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(Problem::new(node.at(), format!("safe is {}", node.type_name()), "true or false")),
    }
}

fn text(object: Node<'_>, key: &str) -> Result<String, Problem> {
    let node = member(object, key)?;
    let text = node.text().ok_or_else(|| wrong_type(node, key, "a string"))?;
    Ok(text.into_owned())
}

fn array<'d>(object: Node<'d>, key: &str) -> Result<impl Iterator<Item = Node<'d>>, Problem> {
    let node = member(object, key)?;
    if node.is_array() { Ok(node.items()) } else { Err(wrong_type(node, key, "an array")) }
}

/// A member that must be there.
fn member<'d>(object: Node<'d>, key: &str) -> Result<Node<'d>, Problem> {
    let expected = format!("an object with a member {}", quoted(key));
    if !object.is_object() {
        return Err(Problem::new(object.at(), object.type_name(), expected));
    }
    object
        .member(key)
        .ok_or_else(|| Problem::new(object.at(), format!("no member {}", quoted(key)), expected))
}

fn wrong_type(node: Node<'_>, key: &str, expected: &str) -> Problem {
    Problem::new(node.at(), format!("{key} is {}", node.type_name()), expected)
}
