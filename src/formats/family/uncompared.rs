//! Why a change of a datum changes no verdict, as the declaration says: for `vmconf audit`.

use super::declaration::{Declaration, DemandedField, FormatDeclaration, GivenMember, UnlistedFields};
use super::demands::UNLISTED;
use super::node_path::{NodePath, PathStep};
use crate::formats::uncompared::{MEMBER_ORDER, UncomparedRule};
use crate::model::{DeclaredField, FieldOptions, FieldType, ListOrder, UnlistedCells};
use crate::text::json::{JsonNode, name_in_pointer};
use crate::text::typed;

const NAME: &str = "a name says nothing of the machine";
const INFO: &str = "what is known about a case is not compared";
const MISSING: &str = "a field whose datum is missing is not compared";
const UNCHANGED: &str = "unlisted = \"unchanged\": a field whose datum is missing is as it was given";
const CELLS: &str = "the cells of a memory have no order";
const ONLY_LISTED: &str = "unlisted = \"any\": only listed cells are compared";
const ZERO: &str = "unlisted = \"zero\": a cell that is not listed is 0";
const SPELLING: &str = "the items are one value in several spellings";
const MASK: &str = "mask: only some bits are compared";
const ANY_ORDER: &str = "order = \"any\": the order of the list is not compared";

const FORMAT: &str = "families.md#a-format";
const TYPES: &str = "families.md#types";

/// Why a change is not detected, by a rule of a declaration.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeclaredRule {
    /// The rule.
    pub text: String,
    /// The section of the book with the rule: the page and the heading.
    pub section: &'static str,
}

impl From<UncomparedRule> for DeclaredRule {
    fn from(UncomparedRule { text, section }: UncomparedRule) -> DeclaredRule {
        DeclaredRule { text: text.to_owned(), section }
    }
}

fn rule(section: &'static str, text: impl Into<String>) -> DeclaredRule {
    DeclaredRule { text: text.into(), section }
}

/// The rule that explains why a change is not detected; `None` if there is none. `at` is the path of the datum within
/// the case as audits write it, with `*` for an index and a key that is a number; `change` the kind of the change.
pub(super) fn rule_of(
    family: &Declaration,
    format: &FormatDeclaration,
    (change, at): (&str, &str),
    cases: [JsonNode<'_>; 2],
) -> Option<DeclaredRule> {
    let keys: Vec<_> = at.split('/').map(name_in_pointer).collect();
    let keys: Vec<&str> = keys.iter().map(|key| &**key).collect();
    // Among its items, too, if the datum is a list whose items are exchanged or get another one.
    let item: Vec<_> = keys.iter().copied().filter(|key| !key.is_empty()).chain(["*"]).collect();
    let is_among_items = matches!(change, "order" | "added");
    let is_at = |path: &NodePath| {
        below(path, &keys).is_some() || is_among_items && below(path, &item).is_some_and(<[_]>::is_empty)
    };
    if let Some(ignored) = format.ignore.iter().find(|ignored| is_at(&ignored.written.path)) {
        return Some(rule(FORMAT, format!("ignore: {}", ignored.reason)));
    }
    if format.name.as_ref().is_some_and(is_at) {
        return Some(rule(FORMAT, NAME));
    }
    if format.info.as_deref().is_some_and(|info| keys.first() == Some(&info)) {
        return Some(rule(FORMAT, INFO));
    }
    if change == "member order" {
        return Some(MEMBER_ORDER.into());
    }
    let given = || format.program.iter().find_map(|given| given_field(family, given, &keys));
    if change == "order" && given().is_some_and(|field| matches!(field.field_type, FieldType::Memory(_))) {
        return Some(rule(TYPES, CELLS));
    }
    if change == "order" && has_equal_values(family, format, &keys, cases) {
        return Some(rule(TYPES, SPELLING));
    }
    let before = format.steps.as_ref().map_or(Some(&keys[..]), |steps| below(steps, &keys))?;
    let (field, inside) =
        format.step.expect.iter().find_map(|demanded| demanded_field(family, demanded, before))?;
    if change == "removed" && inside.is_empty() {
        let is_unchanged = format.step.unlisted == UnlistedFields::Unchanged;
        return Some(rule(FORMAT, if is_unchanged { UNCHANGED } else { MISSING }));
    }
    of_part(innermost(&field.field_type, &field.options, inside), change)
}

/// Whether the field that a datum is in has the same value before and after a change of the order of items: these are
/// spellings of one value.
fn has_equal_values(
    family: &Declaration,
    format: &FormatDeclaration,
    keys: &[&str],
    cases: [JsonNode<'_>; 2],
) -> bool {
    let given = format.program.iter().find_map(|given| match given {
        GivenMember::Constant(..) => None,
        GivenMember::One(_, path) => {
            Some((given_field(family, given, keys)?, cases.map(|case| path.each(case))))
        }
        GivenMember::All(path) => {
            let field = given_field(family, given, keys)?;
            Some((field, cases.map(|case| members(&path.each(case), &field.name))))
        }
    });
    let demanded = || {
        let steps = |case| format.steps.as_ref().map_or_else(|| vec![case], |steps| steps.each(case));
        let keys = format.steps.as_ref().map_or(Some(keys), |steps| below(steps, keys))?;
        format.step.expect.iter().find_map(|demanded| {
            let (field, _) = demanded_field(family, demanded, keys)?;
            let nodes = |path: &NodePath, case| -> Vec<JsonNode<'_>> {
                steps(case).into_iter().flat_map(|step| path.each(step)).collect()
            };
            let found = match demanded {
                DemandedField::Constant { .. } => return None,
                DemandedField::At { path, .. } => cases.map(|case| nodes(path, case)),
                DemandedField::All(path) => cases.map(|case| members(&nodes(path, case), &field.name)),
            };
            Some((field, found))
        })
    };
    given.or_else(demanded).is_some_and(|(field, nodes)| {
        let [before, after] = nodes.map(|nodes: Vec<JsonNode<'_>>| {
            let values = nodes.into_iter().map(|node| typed::read(node, &field.field_type, &field.name));
            values.collect::<Vec<_>>()
        });
        before == after
    })
}

fn members<'d>(objects: &[JsonNode<'d>], name: &str) -> Vec<JsonNode<'d>> {
    objects.iter().filter_map(|object| object.member(name)).collect()
}

/// The type and the options of the innermost field, list or memory that a path inside a field leads into.
fn innermost<'f>(
    field_type: &'f FieldType,
    options: &'f FieldOptions,
    keys: &[&str],
) -> (&'f FieldType, &'f FieldOptions) {
    let here = (field_type, options);
    match (field_type, keys) {
        (FieldType::Optional(inner), _) => innermost(inner, options, keys),
        (FieldType::Table(fields), [key, rest @ ..]) => {
            let field = fields.iter().find(|field| *field.name == **key);
            field.map_or(here, |field| innermost(&field.field_type, &field.options, rest))
        }
        (FieldType::List(item) | FieldType::Array(item, _) | FieldType::Map(_, item), [_, rest @ ..])
            if item.has_memory() && options.order == ListOrder::Compared =>
        {
            innermost(item, options, rest)
        }
        // A path does not say which item it leads to.
        (FieldType::Tuple(types), [_, rest @ ..]) => {
            let memory = types.iter().find(|item| item.has_memory());
            memory.map_or(here, |item| innermost(item, options, rest))
        }
        _ => here,
    }
}

/// The member of the program that a datum gives.
fn given_field<'f>(family: &'f Declaration, given: &GivenMember, keys: &[&str]) -> Option<&'f DeclaredField> {
    match given {
        GivenMember::Constant(..) => None,
        GivenMember::One(index, path) => below(path, keys).map(|_| family.member_at(*index)),
        GivenMember::All(path) => {
            let (name, _) = below(path, keys)?.split_first()?;
            family.members().find(|field| field.name == **name)
        }
    }
}

/// The field that a datum demands, and the keys of the datum inside the value of the field.
fn demanded_field<'f, 'k>(
    family: &'f Declaration,
    demanded: &DemandedField,
    keys: &'k [&'k str],
) -> Option<(&'f DeclaredField, &'k [&'k str])> {
    match demanded {
        DemandedField::Constant { .. } => None,
        DemandedField::At { field, path, .. } => Some((&family.state[*field], below(path, keys)?)),
        DemandedField::All(path) => {
            let (name, rest) = below(path, keys)?.split_first()?;
            Some((family.state.iter().find(|field| field.name == **name)?, rest))
        }
    }
}

fn of_part((of, options): (&FieldType, &FieldOptions), change: &str) -> Option<DeclaredRule> {
    let is_memory = matches!(of, FieldType::Memory(_));
    match change {
        "order" if is_memory => Some(rule(TYPES, CELLS)),
        "order" if options.order == ListOrder::Any => Some(rule(TYPES, ANY_ORDER)),
        "removed" | "item removed" if is_memory => {
            let reason = match options.unlisted {
                UnlistedCells::Any => ONLY_LISTED,
                UnlistedCells::Zero => ZERO,
                UnlistedCells::Unchanged => UNLISTED,
            };
            Some(rule(TYPES, reason))
        }
        "value" | "length" if options.mask.is_some() => Some(rule(TYPES, MASK)),
        _ => None,
    }
}

/// The keys below a path; `None` if they lie elsewhere. The path of a change does not say which item of a list it is
/// in.
fn below<'k>(path: &NodePath, keys: &'k [&'k str]) -> Option<&'k [&'k str]> {
    let fits = |(step, key): (&PathStep, &&str)| match step {
        PathStep::Member(name) => name == key,
        PathStep::Item(_) => *key == "*",
        PathStep::Each => true,
    };
    let (inside, rest) = keys.split_at_checked(path.steps.len())?;
    path.steps.iter().zip(inside).all(fits).then_some(rest)
}
