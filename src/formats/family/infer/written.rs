//! The text of a declaration.

use super::guess::{NumberWidths, TypeGuess};
use super::layout::{CaseLayout, Pair, is_about_case, is_outcome, may_be_result};
use super::members::{Member, Members};
use crate::formats::family::node_path::{NodePath, PathStep};
use crate::model::{DeclaredField, FieldType, UnlistedCells, escaped};
use crate::text::toml::string as text;

/// The declaration of what cases have.
pub(super) fn declaration(
    machine: &str,
    layout: &CaseLayout,
    members: &Members,
    widths: NumberWidths,
) -> String {
    let is_state = |member: &&(&String, &Member)| member.1.demanded > 0;
    let (state, input): (Vec<_>, Vec<_>) = members.fields.iter().partition(|member| is_state(&member));
    // Vectors that list fields as a part of a state expect the machine to have them, and so do those that list an
    // outcome.
    let is_result = |member: &Member| member.is_result_of_some(members.cases);
    let optional: Vec<_> = state
        .iter()
        .filter(|(name, member)| {
            !is_outcome(name) && layout.others.contains(*name)
                || layout.pair.gives_others() && is_result(member)
        })
        .map(|(name, _)| text(name))
        .collect();
    let mut lines = vec![format!("machine  = {}", text(machine)), format!("title    = {}", text(machine))];
    if !optional.is_empty() {
        lines.push(format!("optional = [{}] # a machine need not report these", optional.join(", ")));
    }
    for (table, fields) in [("state", state), ("input", input)] {
        if !fields.is_empty() {
            lines.extend([String::new(), format!("[{table}]")]);
            let is_besides = |name: &String| layout.others.contains(name);
            let origin =
                |name: &String| if is_besides(name) { MemberOrigin::Besides } else { MemberOrigin::State };
            lines.extend(
                fields.iter().map(|(name, member)| field(name, member, widths, origin(name), members.cases)),
            );
        }
    }
    lines.extend([String::new(), "[format]".to_owned()]);
    lines.extend(format(layout, members, widths));
    lines.join("\n") + "\n"
}

/// Where a datum of a case lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MemberOrigin {
    /// In the state before or after.
    State,
    /// Beside the two states.
    Besides,
}

/// The line of a member in the declaration made from so many `cases`.
fn field(name: &str, member: &Member, widths: NumberWidths, origin: MemberOrigin, cases: u64) -> String {
    let mut guess = match origin {
        MemberOrigin::State => widths.guess_in_state(&member.values),
        MemberOrigin::Besides => widths.guess(&member.values),
    };
    let mut notation = notation(&guess.field_type);
    if matches!(guess.field_type, FieldType::Memory(_)) {
        let (unlisted, why) = member.cells.unlisted();
        let is_no_state = origin == MemberOrigin::Besides;
        let doubt = why.or(is_no_state.then(|| "perhaps a list of pairs, whose order counts".to_owned()));
        guess = doubt.into_iter().fold(guess, TypeGuess::doubted);
        if unlisted == UnlistedCells::Zero {
            notation = format!("{{ type = {notation}, unlisted = \"zero\" }}");
        }
    }
    if member.is_result_of_some(cases) && origin == MemberOrigin::State {
        let demand = if member.demanded == 1 { "demands" } else { "demand" };
        let doubt = format!("{} of {cases} cases {demand} it, the others accept any value", member.demanded);
        guess = guess.doubted(doubt);
    }
    format!("{} = {notation}{}", key(name), uncertain(guess.doubt))
}

/// A comment at the end of a line.
fn uncertain(doubt: Option<String>) -> String {
    doubt.map_or_else(String::new, |doubt| format!(" # uncertain: {}", escaped(&doubt)))
}

/// A type as a value of TOML.
fn notation(field_type: &FieldType) -> String {
    match field_type {
        FieldType::Table(fields) => {
            let fields =
                fields.iter().map(|field| format!("{} = {}", key(&field.name), member_notation(field)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        FieldType::List(item) if matches!(**item, FieldType::Table(_)) => format!("[{}]", notation(item)),
        other if has_table(other) => text("json"),
        other => text(&other.notation()),
    }
}

/// The type of a member of a table. In a table, `type = "u8"` would be the type of the whole.
fn member_notation(field: &DeclaredField) -> String {
    let is_type = |field: &DeclaredField| *field.name == *"type";
    match &field.field_type {
        of if !is_type(field) => notation(of),
        FieldType::Table(fields) if fields.iter().any(is_type) => format!("{{ type = {} }}", text("json")),
        of => format!("{{ type = {} }}", notation(of)),
    }
}

/// Whether a type contains a table, for which only lists have a notation.
fn has_table(field_type: &FieldType) -> bool {
    match field_type {
        FieldType::Table(_) => true,
        FieldType::Optional(inner) | FieldType::List(inner) | FieldType::Array(inner, _) => has_table(inner),
        FieldType::Tuple(items) => items.iter().any(has_table),
        _ => false,
    }
}

fn format(layout: &CaseLayout, members: &Members, widths: NumberWidths) -> Vec<String> {
    let more: Vec<_> = layout.other_cases.iter().map(ToString::to_string).collect();
    let more = (!more.is_empty()).then(|| format!("not read: {}", more.join(", ")));
    let mut lines = vec![format!("cases = {}{}", text(&layout.cases.to_string()), uncertain(more))];
    lines.extend(layout.half_cases().iter().map(|half| format!("# uncertain: {}", escaped(half))));
    lines.extend(layout.unread.iter().map(|name| {
        let path = member_path(name);
        format!("# uncertain: not read: {}, which has the name of a datum before or after", escaped(&path))
    }));
    lines.extend(layout.name.as_ref().map(|name| format!("name = {}", member(name))));
    lines.extend(match &layout.pair {
        Pair::Objects(before, after) => of_objects([before, after], layout, members, widths),
        Pair::Prefixes(before, after) => of_prefixes([before, after], layout, members),
    });
    lines
}

/// What is given and demanded where two objects are the states before and after.
fn of_objects(
    [before, after]: [&str; 2],
    layout: &CaseLayout,
    members: &Members,
    widths: NumberWidths,
) -> Vec<String> {
    let others: Vec<_> = layout.others.iter().map(|name| (name, &members.fields[name])).collect();
    // What a machine executes is no result.
    let (inputs, others): (Vec<_>, Vec<_>) = others.into_iter().partition(|(_, other)| other.demanded == 0);
    let is_rare = |other: &Member| other.demanded < members.cases;
    let given: Vec<_> = others.iter().filter(|(_, other)| is_rare(other)).collect();
    // A list of any length may be empty where a case lacks it.
    let is_empty_at_times = |other: &Member| {
        let guess = widths.guess(&other.values);
        is_rare(other) && matches!(guess.field_type, FieldType::List(_) | FieldType::Memory(_))
    };
    let found = |name: &str| format!(", {} = {}", key(name), member(name));
    let demanded = others.iter().map(|(name, other)| {
        if is_empty_at_times(other) {
            format!(", {} = {{ at = {}, absent = [] }}", key(name), member(name))
        } else {
            found(name)
        }
    });
    let demanded: String = demanded.collect();
    let listed = |names: Vec<&str>| (!names.is_empty()).then(|| names.join(", "));
    let results = listed(given.iter().map(|(name, _)| name.as_str()).collect());
    let results = results.map(|names| format!("{names}: perhaps only results"));
    let by_name = listed(inputs.iter().map(|(name, _)| name.as_str()).collect());
    let by_name = by_name.map(|names| {
        format!("{names}: given and not demanded, by the name, or since it stands between the states")
    });
    let results: Vec<_> = by_name.into_iter().chain(results).collect();
    let results = (!results.is_empty()).then(|| results.join("; "));
    let empty = others.iter().filter(|(_, other)| is_empty_at_times(other));
    let empty = listed(empty.map(|(name, _)| name.as_str()).collect());
    let empty = empty.map(|names| format!("{names}: a case without it demands an empty list"));
    let given: String = inputs.iter().chain(given).map(|(name, _)| found(name)).collect();
    let about = others.iter().map(|(name, _)| name.as_str()).filter(|name| is_about_case(name));
    let about = listed(about.collect()).map(|names| format!("{names}: perhaps only about the case"));
    // What is said of a case neither by its name nor as a result may be an input.
    let unclear = others.iter().filter(|(name, other)| {
        other.demanded == members.cases && !is_about_case(name) && !may_be_result(name)
    });
    let unclear = listed(unclear.map(|(name, _)| name.as_str()).collect());
    let unclear = unclear.map(|names| format!("{names}: perhaps given to the machine"));
    let demands = about.into_iter().chain(unclear).chain(empty);
    let demands: Vec<_> = demands.chain(left_out(after, members)).collect();
    let demands = (!demands.is_empty()).then(|| demands.join("; "));
    vec![
        format!("has = [{}, {}]", member(before), member(after)),
        "do = [\"step-into\"] # uncertain: [\"execute\"] runs to the end".to_owned(),
        format!("program = {{ \"*\" = {}{given} }}{}", member(before), uncertain(results)),
        format!("expect = {{ \"*\" = {}{demanded} }}{}", member(after), uncertain(demands)),
    ]
}

/// What is uncertain if some states after list fewer fields than those before.
fn left_out(after: &str, members: &Members) -> Option<String> {
    const SHOWN: usize = 4;
    let is_left_out =
        |it: &(&String, &Member)| it.1.given == members.cases && (1..members.cases).contains(&it.1.demanded);
    let names: Vec<_> = members.fields.iter().filter(is_left_out).map(|(name, _)| name.as_str()).collect();
    let more = names.len().saturating_sub(SHOWN);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let unchanged = format!("{{ at = {}, unlisted = \"unchanged\" }}", member(after));
    let doubt = format!(
        "{}{more}: in some states after only; \"*\" = {unchanged} if those that are left out are unchanged",
        names[..names.len().min(SHOWN)].join(", ")
    );
    (!names.is_empty()).then_some(doubt)
}

/// What is given and demanded where the names of members begin with a word for before or after.
fn of_prefixes([before, after]: [&str; 2], layout: &CaseLayout, members: &Members) -> Vec<String> {
    let full = |prefix: &str, name: &str| {
        if layout.others.contains(name) { name.to_owned() } else { format!("{prefix}{name}") }
    };
    let all = |prefix: &str, count: fn(&Member) -> u64| {
        let some = members.fields.iter().filter(|(_, it)| count(it) > 0);
        let line = |(name, _): (&String, &Member)| {
            let is_other = layout.others.contains(name);
            let doubt = is_other.then(|| format!("neither {before}… nor {after}…"));
            format!("{} = {}{}", key(name), member(&full(prefix, name)), uncertain(doubt))
        };
        some.map(line).collect::<Vec<_>>()
    };
    let is_always = |(_, it): &(&String, &Member)| it.given == members.cases && it.demanded == members.cases;
    let always = members.fields.iter().find(is_always);
    let has = always
        .map(|(name, _)| format!("has = [{}, {}]", member(&full(before, name)), member(&full(after, name))));
    let mut lines: Vec<_> = has.into_iter().collect();
    lines.push("do = [\"execute\"] # uncertain: [\"step-into\"] executes one instruction".to_owned());
    lines.extend([String::new(), "[format.program]".to_owned()]);
    lines.extend(all(before, |it| it.given));
    lines.extend([String::new(), "[format.expect]".to_owned()]);
    lines.extend(all(after, |it| it.demanded));
    lines
}

/// The path of a member of a case.
fn member_path(name: &str) -> String {
    NodePath { steps: vec![PathStep::Member(name.to_owned())] }.to_string()
}

/// The path of a member of a case, as a string of TOML.
fn member(name: &str) -> String {
    text(&member_path(name))
}

/// A key of TOML.
fn key(name: &str) -> String {
    let is_bare = |it: char| it.is_ascii_alphanumeric() || "-_".contains(it);
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { text(name) }
}
