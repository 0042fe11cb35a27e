//! Writes cases of a family from values: the opposite of reading them.

use num_bigint::BigInt;
use serde_json::{Map, Value as Json};

use super::declaration::{Declaration, DemandedField, FormatDeclaration, GivenMember, StepActions};
use super::node_path::{NodePath, PathStep};
use crate::formats::write_back::NotRepresentable;
use crate::model::{Action, DeclaredField, FieldType, Name, Value, bytes_key};
use crate::text::json::{Document, JsonNode};
use crate::text::plain_json::json_number;
use crate::text::typed;

/// A case to write.
#[derive(Debug, Clone, PartialEq)]
pub struct NewFamilyCase {
    /// Its name.
    pub name: String,
    /// What a machine is given: members of [`FamilyWriter::given`].
    pub given: Vec<(Name, Value)>,
    /// What must be true afterwards: fields of [`FamilyWriter::demanded`].
    pub demanded: Vec<(Name, Value)>,
    /// The names of the machines that agree on that, for the member of the format with what is known about a case;
    /// empty if that says nothing.
    pub filled_by: Vec<String>,
}

/// Writes cases in one format of a family.
#[derive(Debug, Clone, Copy)]
pub struct FamilyWriter<'f> {
    pub(super) declaration: &'f Declaration,
    pub(super) format: &'f FormatDeclaration,
}

impl<'f> FamilyWriter<'f> {
    pub(super) fn new(declaration: &'f Declaration, format: &'f FormatDeclaration) -> FamilyWriter<'f> {
        FamilyWriter { declaration, format }
    }

    /// The members whose values a case says. Those that are declared under a path of their own are not among those
    /// that `"*"` takes, neither are fields of the state that are demanded under one. A member whose datum is also
    /// demanded is left out: the datum becomes what the machine reports.
    pub fn given(&self) -> impl Iterator<Item = &'f DeclaredField> {
        let takes_all = self.format.given_whole().is_some();
        let demands_all = self.format.demanded_whole().is_some();
        self.declaration.members().enumerate().filter_map(move |(index, field)| {
            let own = self.format.program.iter().find(|given| given_index(given) == Some(index));
            match own {
                Some(GivenMember::One(_, path)) => (!self.is_demanded(path)).then_some(field),
                Some(GivenMember::Constant(..) | GivenMember::All(_)) => None,
                None => {
                    (takes_all && !(demands_all && self.format.own_demand(index).is_some())).then_some(field)
                }
            }
        })
    }

    /// The members that the declaration gives the same value in each case.
    pub fn constants(&self) -> Vec<(Name, Value)> {
        let constant = |given: &GivenMember| match given {
            GivenMember::Constant(index, document) => self.constant(*index, document.root()),
            GivenMember::One(..) | GivenMember::All(_) => None,
        };
        self.format.program.iter().filter_map(constant).collect()
    }

    fn constant(&self, index: usize, node: JsonNode<'_>) -> Option<(Name, Value)> {
        let field = self.declaration.member_at(index);
        Some((field.name.clone(), typed::read(node, &field.field_type, &field.name).ok()?))
    }

    /// The fields of the state that a case can demand.
    pub fn demanded(&self) -> impl Iterator<Item = &'f DeclaredField> {
        let demands_all = self.format.demanded_whole().is_some();
        self.declaration.state.iter().enumerate().filter_map(move |(index, field)| {
            match self.format.own_demand(index) {
                Some(DemandedField::At { .. }) => Some(field),
                Some(DemandedField::Constant { .. } | DemandedField::All(_)) => None,
                None => demands_all.then_some(field),
            }
        })
    }

    /// The fields of the state that each case demands, whatever it says.
    pub fn always_demanded(&self) -> impl Iterator<Item = &'f DeclaredField> {
        let is_always = |demanded: &&DemandedField| match demanded {
            DemandedField::Constant { .. } | DemandedField::At { absent: Some(_), .. } => true,
            DemandedField::At { absent: None, .. } | DemandedField::All(_) => false,
        };
        self.format.step.expect.iter().filter(is_always).filter_map(|demanded| match demanded {
            DemandedField::Constant { field, .. } | DemandedField::At { field, .. } => {
                Some(&self.declaration.state[*field])
            }
            DemandedField::All(_) => None,
        })
    }

    /// What is done in a case: of vectors that list their actions, a run to the end.
    pub fn actions(&self) -> Vec<Action> {
        match &self.format.step.actions {
            StepActions::Fixed(actions) => actions.clone(),
            StepActions::At(_) => vec![Action::Execute],
        }
    }

    /// Whether a file has one case and no place for more.
    pub fn is_single(&self) -> bool {
        !self.format.cases.steps.contains(&PathStep::Each)
    }

    /// The text of a file with these cases: each member of a case in a line. Fails if the format has no place for one
    /// of them.
    pub fn text(&self, cases: &[NewFamilyCase]) -> Result<String, NotRepresentable> {
        let last = self.format.cases.steps.iter().rposition(|step| *step == PathStep::Each);
        let Some(last) = last else {
            let [case] = cases else {
                return Err(NotRepresentable::because("a file of this format has exactly one case"));
            };
            let mut root = Json::Null;
            put(&mut root, &self.format.cases.steps, self.case(case)?)?;
            return Ok(laid_out(&root, self.format.cases.steps.len()) + "\n");
        };
        let (before, inside) = (&self.format.cases.steps[..last], &self.format.cases.steps[last + 1..]);
        let mut list = Vec::new();
        for case in cases {
            let mut item = Json::Null;
            put(&mut item, inside, self.case(case)?)?;
            list.push((case.name.clone(), item));
        }
        // Where a case has no name of its own, it is the member of an object.
        let list = match self.format.name {
            Some(_) => Json::Array(list.into_iter().map(|(_, item)| item).collect()),
            None => Json::Object(list.into_iter().collect()),
        };
        let mut root = Json::Null;
        put(&mut root, before, list)?;
        Ok(laid_out(&root, self.format.cases.steps.len()) + "\n")
    }

    fn case(&self, case: &NewFamilyCase) -> Result<Json, NotRepresentable> {
        let mut root = Json::Null;
        if let Some(path) = &self.format.name {
            put(&mut root, &path.steps, case.name.as_str().into())?;
        }
        let members = || self.declaration.members();
        if let Some(path) = self.format.given_whole() {
            put(&mut root, &path.steps, Json::Object(Map::new()))?;
        }
        for (name, value) in &case.given {
            let Some((index, field)) = members().enumerate().find(|member| member.1.name == *name) else {
                continue;
            };
            if let Some(path) = self.given_path(index, name) {
                put(&mut root, &path, json(value, &field.field_type)?)?;
            }
        }
        self.demand(&mut root, case)?;
        if let Some(info) = self.format.info.as_ref().filter(|_| !case.filled_by.is_empty()) {
            let path = [PathStep::Member(info.clone()), PathStep::Member("filledBy".to_owned())];
            put(&mut root, &path, case.filled_by.join(", ").into())?;
        }
        for path in &self.format.has {
            if !has(&root, &path.steps) {
                if self.is_inside_given(path) {
                    return Err(NotRepresentable::because(format!("a case of this format has {path}")));
                }
                put(&mut root, &path.steps, Json::Null)?;
            }
        }
        Ok(root)
    }

    /// Whether a datum is a part of a member that the case gives, which would be another value with it.
    fn is_inside_given(&self, path: &NodePath) -> bool {
        self.format.program.iter().any(|given| match given {
            GivenMember::One(_, member) => path.steps.starts_with(&member.steps) && path != member,
            GivenMember::All(_) | GivenMember::Constant(..) => false,
        })
    }

    fn demand(&self, root: &mut Json, case: &NewFamilyCase) -> Result<(), NotRepresentable> {
        let before = self.format.steps.as_ref().map_or(&[][..], |path| &path.steps);
        if let StepActions::At(path) = &self.format.step.actions {
            put(root, &[before, &path.steps].concat(), Json::from(vec!["execute"]))?;
        }
        if let Some(path) = self.format.demanded_whole() {
            put(root, &[before, &path.steps].concat(), Json::Object(Map::new()))?;
        }
        for (name, value) in &case.demanded {
            let position = self.declaration.state.iter().position(|field| field.name == *name);
            let Some(index) = position else { continue };
            if let Some(path) = self.demanded_path(index, name) {
                let value = json(value, &self.declaration.state[index].field_type)?;
                put(root, &[before, &path].concat(), value)?;
            }
        }
        Ok(())
    }

    fn is_demanded(&self, path: &NodePath) -> bool {
        self.format.steps.is_none()
            && self.format.step.expect.iter().any(|demanded| match demanded {
                DemandedField::At { path: other, .. } | DemandedField::All(other) => other == path,
                DemandedField::Constant { .. } => false,
            })
    }

    pub(super) fn given_path(&self, index: usize, name: &str) -> Option<Vec<PathStep>> {
        let own = self.format.program.iter().find_map(|given| match given {
            GivenMember::One(own, path) if *own == index => Some(path.steps.clone()),
            _ => None,
        });
        own.or_else(|| Some(member_of(self.format.given_whole()?, name)))
    }

    pub(super) fn demanded_path(&self, index: usize, name: &str) -> Option<Vec<PathStep>> {
        match self.format.own_demand(index) {
            Some(DemandedField::At { path, .. }) => Some(path.steps.clone()),
            Some(_) => None,
            None => Some(member_of(self.format.demanded_whole()?, name)),
        }
    }
}

fn given_index(given: &GivenMember) -> Option<usize> {
    match given {
        GivenMember::One(index, _) | GivenMember::Constant(index, _) => Some(*index),
        GivenMember::All(_) => None,
    }
}

pub(super) fn member_of(path: &NodePath, name: &str) -> Vec<PathStep> {
    [&path.steps[..], &[PathStep::Member(name.to_owned())]].concat()
}

/// The longest array that is made for the index of a path.
const MAX_ITEMS: i64 = 1_000;

/// Puts a value at a path, with the objects and arrays on the way.
pub(super) fn put(root: &mut Json, path: &[PathStep], value: Json) -> Result<(), NotRepresentable> {
    let Some((step, rest)) = path.split_first() else {
        *root = value;
        return Ok(());
    };
    let index = match step {
        PathStep::Member(name) => {
            if !root.is_object() {
                *root = Json::Object(Map::new());
            }
            let inner = root.as_object_mut().map(|members| members.entry(name).or_insert(Json::Null));
            return inner.map_or(Ok(()), |inner| put(inner, rest, value));
        }
        PathStep::Item(index) => *index,
        PathStep::Each => 0,
    };
    if !(0..MAX_ITEMS).contains(&index) {
        return Err(NotRepresentable::because(format!("vectors with [{index}] in a path are not written")));
    }
    let mut items = root.as_array_mut().map(std::mem::take).unwrap_or_default();
    let index = index as usize;
    items.resize(items.len().max(index + 1), Json::Null);
    let put = put(&mut items[index], rest, value);
    *root = Json::Array(items);
    put
}

fn has(root: &Json, path: &[PathStep]) -> bool {
    let found = path.iter().try_fold(root, |node, step| match step {
        PathStep::Member(name) => node.get(name),
        PathStep::Item(index) => node.get(usize::try_from(*index).ok()?),
        PathStep::Each => node.get(0),
    });
    found.is_some()
}

/// The text of a datum as a tree of JSON; `None` if the tree has another value, since it does not keep all digits of a
/// number.
pub(super) fn exact_tree(text: &str, field_type: &FieldType) -> Option<Json> {
    let tree: Json = serde_json::from_str(text).ok()?;
    let read = |text: String| {
        let document = Document::parse(text, MAX_DEPTH).ok()?;
        typed::read(document.root(), field_type, "").ok()
    };
    (read(tree.to_string())? == read(text.to_owned())?).then_some(tree)
}

/// Nothing that a machine reports or a vector gives nests deeper.
const MAX_DEPTH: usize = 512;

/// A value as vectors write it: numbers as numbers, as far as all readers of JSON have them.
pub(super) fn json(value: &Value, field_type: &FieldType) -> Result<Json, NotRepresentable> {
    Ok(match (value, field_type) {
        (value, FieldType::Json) => exact_tree(&typed::written(value, field_type), field_type)
            .ok_or_else(|| NotRepresentable::value(value))?,
        (Value::Null, _) => Json::Null,
        (value, FieldType::Optional(inner)) => json(value, inner)?,
        (Value::Bool(bool), _) => Json::from(*bool),
        (Value::Int(number), _) => number_of(number),
        (Value::Text(text), _) => Json::from(text.as_str()),
        (Value::Bytes(bytes), FieldType::Base64) => {
            Json::from(base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes))
        }
        (Value::Bytes(bytes), _) => Json::from(bytes_key(bytes)),
        (Value::List(items), FieldType::List(item) | FieldType::Array(item, _)) => {
            Json::Array(items.iter().map(|value| json(value, item)).collect::<Result<_, _>>()?)
        }
        (Value::List(items), FieldType::Tuple(types)) => {
            let items = items.iter().zip(types).map(|(value, item)| json(value, item));
            Json::Array(items.collect::<Result<_, _>>()?)
        }
        (Value::Record(cells), FieldType::Memory(memory)) => {
            let cell = |(address, cell): &(Name, Value)| {
                let address = typed::address_of_key(address).ok_or_else(|| NotRepresentable::value(value))?;
                Ok(Json::from(vec![Json::from(address), json(cell, &memory.cell)?]))
            };
            Json::Array(cells.iter().map(cell).collect::<Result<_, NotRepresentable>>()?)
        }
        (Value::Record(members), FieldType::Map(_, of)) => object(members, |_| Some(of))?,
        (Value::Record(members), FieldType::Table(fields)) => object(members, |name| {
            fields.iter().find(|field| field.name == *name).map(|field| &field.field_type)
        })?,
        (value, _) => return Err(NotRepresentable::value(value)),
    })
}

/// The number as a number, as far as JSON has it.
pub(super) fn number_of(number: &BigInt) -> Json {
    json_number(number).map_or_else(|| Json::from(format!("{number:#x}")), Json::Number)
}

fn object<'t>(
    members: &[(Name, Value)],
    type_of: impl Fn(&str) -> Option<&'t FieldType>,
) -> Result<Json, NotRepresentable> {
    let member = |(name, value): &(Name, Value)| {
        let of = type_of(name).ok_or_else(|| NotRepresentable::value(value))?;
        Ok((name.to_string(), json(value, of)?))
    };
    Ok(Json::Object(members.iter().map(member).collect::<Result<_, NotRepresentable>>()?))
}

/// The text of a document. What contains the cases, which lie `depth` below the root, has a line for each item; each
/// member of a case has one, too.
fn laid_out(root: &Json, depth: usize) -> String {
    let inner = |item: &Json| if depth == 0 { item.to_string() } else { laid_out(item, depth - 1) };
    let (brackets, items): (_, Vec<String>) = match root {
        Json::Array(items) => (['[', ']'], items.iter().map(inner).collect()),
        Json::Object(members) => {
            let member =
                |(name, item): (&String, &Json)| format!("{}: {}", Json::from(name.as_str()), inner(item));
            (['{', '}'], members.iter().map(member).collect())
        }
        other => return other.to_string(),
    };
    if items.is_empty() {
        return root.to_string();
    }
    let [open, close] = brackets;
    if depth == 0 {
        format!("{open}{}{close}", items.join(",\n "))
    } else {
        format!("{open}\n{}\n{close}", items.join(",\n"))
    }
}
