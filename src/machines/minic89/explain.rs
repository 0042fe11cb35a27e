//! The state in terms of the source: names of functions and locals, and lines.

use super::machine::MiniC89;
use super::program::{Function, plain};
use super::source::{LocalName, items};
use super::word::MiniWord;
use crate::machines::view::ViewScope;
use crate::model::{Path, PathKey};

impl MiniC89 {
    /// A datum, described by names of locals and functions and by lines; see
    /// [`crate::machines::machine::Machine::explain`].
    pub(super) fn in_source(&self, at: &Path) -> Option<String> {
        match &at.keys()[..] {
            [PathKey::Name(field), PathKey::Index(frame), rest @ ..] if field == "call_stack" => {
                self.explain_frame(*frame, rest)
            }
            [PathKey::Name(field), PathKey::Index(index), ..] if field == "operand_stack" => {
                self.function_of(*self.stack.get(*index)?)
            }
            [PathKey::Name(field), ..] if field == "pc" || field == "trap" => {
                let (function, ip) = self.stand().last()?;
                Some(self.place(function, ip))
            }
            _ => None,
        }
    }

    /// The position in a function: `main+3 ADD, line 7`.
    pub(super) fn place(&self, function: &Function, ip: usize) -> String {
        let line = function.source_map.line(ip).map_or(String::new(), |line| format!(", line {line}"));
        format!("{}+{ip} {}{line}", named(function), self.written(function, ip))
    }

    /// An instruction as written in its function: `JMP 7`.
    pub(super) fn written(&self, function: &Function, ip: usize) -> String {
        let code = self.code.as_ref();
        let found = code.and_then(|code| {
            let place = code.by_fid(function.fid.into())?;
            code.spelling(place, ip)
        });
        let Some(record) = found else { return "(after the last instruction)".to_owned() };
        let op = record.get("op").map_or(String::new(), plain);
        let arguments = items(record.get("args")).iter().map(plain).collect();
        [vec![op], arguments].concat().join(" ")
    }

    /// A frame, or one of its slots if the path leads to one.
    fn explain_frame(&self, frame: usize, rest: &[&PathKey]) -> Option<String> {
        let (function, ip) = self.stand().nth(frame)?;
        let [PathKey::Name(part), PathKey::Index(slot), ..] = rest else {
            return Some(format!("frame of {}", self.place(function, ip)));
        };
        if part != "locals" || *slot >= function.local_count {
            return None;
        }
        let word = self.slots.get(self.frames[frame].base + slot)?;
        let texts = [local(function, *slot, ip), self.function_of(*word)];
        let texts: Vec<_> = texts.into_iter().flatten().collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    }

    /// The function that a reference refers to.
    fn function_of(&self, word: MiniWord) -> Option<String> {
        word.as_fun().map(|fid| if fid == 0 { "no function".to_owned() } else { self.reference(fid) })
    }
}

/// The function's name, or its id if it has no name.
pub(super) fn named(function: &Function) -> String {
    if function.name.is_empty() { format!("function {}", function.fid) } else { function.name.clone() }
}

/// A slot by its name in the source: `local i of main, line 7`.
fn local(function: &Function, slot: usize, ip: usize) -> Option<String> {
    let kind = if slot < function.param_count { "parameter" } else { "local" };
    let (name, scope) = LocalName::find(&function.names, slot, ip)?;
    let scope = match scope {
        ViewScope::In => "",
        ViewScope::Out => " (out of scope)",
    };
    let line = function.source_map.line(ip).map_or(String::new(), |line| format!(", at line {line}"));
    Some(format!("{kind} {name} of {}{scope}{line}", named(function)))
}
