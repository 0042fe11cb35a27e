//! What an adapter says of itself.

use std::collections::HashSet;

use vmconf::machines;
use vmconf::run::Families;
use vmconf::wire::protocol::{Hello, Offer, OptionalRequest, ProtocolAnswer, VERSION, WireAction};

use super::adapter::{CheckPoints, CheckedAdapter, greeting};

/// Tries `hello`; `None` if the answer is not one, so that nothing else can be tried.
pub(super) fn try_hello(
    adapter: &mut CheckedAdapter,
    families: &Families,
    points: &mut CheckPoints,
) -> Option<Hello> {
    let line = adapter.line(&greeting().line());
    let line = match line {
        Ok(line) => {
            points.add("answers hello", Ok(()));
            line
        }
        Err(why) => {
            let advice = "write one line to standard output for each line of input, and flush it";
            points.add("answers hello", Err(format!("{why}; {advice}")));
            return None;
        }
    };
    let is_object = serde_json::from_slice::<serde_json::Map<_, _>>(&line).is_ok();
    let advice = "the first line is not a JSON object; write nothing else to standard output, and logs to standard \
                error";
    points.hold("answers with a JSON object in one line", is_object, advice);
    let hello = match ProtocolAnswer::read(&line) {
        Ok(ProtocolAnswer::Hello(hello)) => hello,
        Ok(_) => {
            points.add("answers hello with hello", Err("the answer has another type".to_owned()));
            return None;
        }
        Err(error) => {
            points.add("answers hello with hello", Err(format!("it {error}")));
            return None;
        }
    };
    points.add("answers hello with hello", Ok(()));
    try_members(&hello, families, points);
    (hello.version == VERSION).then_some(hello)
}

fn try_members(hello: &Hello, families: &Families, points: &mut CheckPoints) {
    let advice = format!("it says {}; this vmconf speaks version {VERSION} only", hello.version);
    points.hold("speaks this version of the protocol", hello.version == VERSION, &advice);
    points.hold("has a name", !hello.name.trim().is_empty(), "reports need one; set \"name\"");
    let advice = "kept results are for a version; set \"release\" to that of your machine";
    points.hold("has a release", hello.has_release(), advice);
    points.hold("implements a machine", !hello.machines.is_empty(), "add an object to \"machines\"");
    let mut seen = HashSet::new();
    let is_once = hello.machines.iter().all(|offer| seen.insert(&offer.machine));
    points.hold("names each machine once", is_once, "join the objects of one machine");
    for offer in &hello.machines {
        try_offer(offer, families, points);
    }
}

fn try_offer(offer: &Offer, families: &Families, points: &mut CheckPoints) {
    let info = families.machine(&offer.machine);
    let described = families.iter().map(|known| known.family.machine);
    let names: Vec<_> = machines::MACHINES.iter().map(|machine| machine.name).chain(described).collect();
    let advice = format!(
        "{:?} is unknown; vmconf knows {}; for a machine of a declaration, add --family FILE",
        offer.machine,
        names.join(", ")
    );
    points.hold("implements a machine that vmconf knows", info.is_some(), &advice);
    let advice = "without one, every case is unsupported; list the fields of the state that you report";
    points.hold("reports fields", !offer.fields.is_empty(), advice);
    if let Some(info) = info {
        let unknown = offer.fields.iter().find(|name| info.fields.iter().all(|field| field.name != **name));
        let advice = format!("there is no field {}", unknown.map_or("", |name| name));
        points.hold("reports fields that the machine has", unknown.is_none(), &advice);
    }
    let mut seen = HashSet::new();
    let is_once = offer.fields.iter().all(|name| seen.insert(name));
    points.hold("names each field once", is_once, "remove the second one");
    let known = WireAction::all();
    let unknown = offer.actions.iter().find(|name| known.iter().all(|action| action.name() != **name));
    let advice = format!("there is no action {}", unknown.map_or("", |name| name));
    points.hold("performs only known actions", unknown.is_none(), &advice);
    let executes = offer.performs(WireAction::Execute.name()) || offer.performs(WireAction::Run(0).name());
    // The cases of a family may need other actions only.
    if info.is_some() && !families.is_elsewhere(&offer.machine) {
        points.hold("executes programs", executes, "add \"execute\" to \"actions\"");
    }
    if !offer.extensions.is_empty() {
        let is_line = |text: &String| !text.trim().is_empty() && !text.contains(char::is_control);
        let advice = "statements quote each in a line; write it without line breaks";
        points.hold("names extensions in a line each", offer.extensions.iter().all(is_line), advice);
    }
    let known = OptionalRequest::ALL;
    let unknown = offer.requests.iter().find(|name| known.iter().all(|request| request.name() != **name));
    let advice = format!("there is no optional request {}", unknown.map_or("", |name| name));
    points.hold("offers only known requests", unknown.is_none(), &advice);
}
