//! Answers requests, for EVMs in Rust. What is wrong is an error, and what the types of a
//! machine cannot hold is skipped.

use std::fmt::Display;
use std::io::{Write, stdin, stdout};
use std::str::FromStr;

use alloy_primitives::{Log, U256, hex, keccak256, logs_bloom};
use serde_json::{Map, Value as Json, json};

/// Why a program is not run: an answer without its id.
pub struct Refused(pub Json);

pub fn skip(reason: impl Display) -> Refused {
    Refused(json!({"type": "skip", "reason": reason.to_string()}))
}

pub fn error(message: impl Display) -> Refused {
    Refused(json!({"type": "error", "message": message.to_string()}))
}

/// The program of a request to run one.
pub fn program(request: &Json) -> Result<&Json, Refused> {
    let is_run = request["type"] == "run" && request["machine"] == "evm";
    if is_run { Ok(&request["program"]) } else { Err(skip("only run is possible, of evm")) }
}

pub fn parse<T: FromStr<Err: Display>>(name: &str, text: &str) -> Result<T, Refused> {
    text.parse().map_err(|why| error(format!("{name}: {text:?} is wrong: {why}")))
}

/// A member as its type writes it.
pub fn read<T: FromStr<Err: Display>>(record: &Json, name: &str) -> Result<T, Refused> {
    parse(name, record[name].as_str().ok_or_else(|| error(format!("the program has no {name}")))?)
}

/// A number that a machine holds in fewer bits.
pub fn short<T: TryFrom<U256>>(record: &Json, name: &str) -> Result<T, Refused> {
    T::try_from(read::<U256>(record, name)?).map_err(|_| skip(format!("the machine has {} bits for {name}", 8 * size_of::<T>())))
}

/// The members of an object by key.
pub fn members<'j, K: FromStr<Err: Display>>(record: &'j Json, name: &str) -> Result<Vec<(K, &'j str)>, Refused> {
    let found = record[name].as_object().ok_or_else(|| error(format!("the program has no {name}")))?;
    found.keys().map(|key| Ok((parse(name, key)?, key.as_str()))).collect()
}

fn log(log: &Log) -> Json {
    let bloom = logs_bloom([log]);
    json!({"address": hex::encode_prefixed(log.address), "topics": log.data.topics(), "data": log.data.data, "bloom": bloom})
}

/// The fields `logs` and `logsHash` are added to the others.
pub fn with_logs(mut fields: Json, logs: &Vec<Log>) -> Json {
    fields["logs"] = logs.iter().map(log).collect();
    fields["logsHash"] = json!(keccak256(alloy_rlp::encode(logs)));
    fields
}

/// What a request observes of the fields, at each of its steps.
pub fn done(request: &Json, fields: &Json, ended: String) -> Json {
    let names = |step: &Json| step["observe"].as_array().cloned().unwrap_or_default();
    let pick = |name: Json| Some((name.as_str()?.to_owned(), fields.get(name.as_str()?)?.clone()));
    let state = |step: &Json| json!({"fields": names(step).into_iter().filter_map(pick).collect::<Map<_, _>>()});
    let steps: Vec<_> = request["steps"].as_array().into_iter().flatten().map(state).collect();
    json!({"type": "done", "steps": steps, "ended": ended})
}

/// Answers each line of the standard input: hello with this line, everything else with what `run` makes of it.
pub fn serve(hello: &str, run: fn(&Json) -> Result<Json, Refused>) {
    for line in stdin().lines() {
        let request: Json = serde_json::from_str(&line.expect("a line")).expect("a request");
        let answer = if request["type"] == "hello" { hello.to_owned() } else { answer(&request, run) };
        writeln!(stdout(), "{answer}").expect("someone reads the answers");
    }
}

fn answer(request: &Json, run: fn(&Json) -> Result<Json, Refused>) -> String {
    let (Ok(mut answer) | Err(Refused(mut answer))) = run(request);
    answer["id"] = request["id"].clone();
    answer.to_string()
}
