//! A state of a run that another machine made, as rows.

use num_bigint::BigInt;

use crate::machines::view::{Section, ViewDatum, ViewRow};
use crate::model::{Name, Path, Value};
use crate::wire::eip3155::{Eip3155Step, TraceMembers};

/// How many bytes fit a row; more are a section of their own.
const BYTES_IN_ROW: usize = 32;

/// What is known of a state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlayedState {
    /// The next instruction, and what the trace says before it; `None` at the end, or if it is not known.
    pub next: Option<Eip3155Step>,
    /// What the trace says about the end.
    pub end: TraceMembers,
    /// The fields of the state, as the machine declares them.
    pub fields: Vec<(Name, Value)>,
    /// Why something is not known.
    pub trouble: Option<String>,
}

impl PlayedState {
    /// A datum that the trace says before the next instruction.
    pub fn member(&self, name: &str) -> Option<&Value> {
        let next = self.next.as_ref()?;
        next.state.iter().find(|member| member.0 == name).map(|member| &member.1)
    }

    /// A datum of that kind, if it is a number that fits.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.member(name)?.number()
    }

    /// Everything that is known, formatted for people.
    pub(super) fn sections(&self) -> Vec<Section> {
        let mut status = Section::new("status");
        if let Some(trouble) = &self.trouble {
            status.push(ViewRow::new("not known", trouble.as_str(), None));
        }
        let (mut stacks, mut others) = (Vec::new(), Vec::new());
        let members = self.next.iter().flat_map(|next| &next.state).chain(&self.end);
        for (name, value) in members.filter(|member| self.is_shown(member.0)) {
            match (*name, value) {
                ("stack", Value::List(items)) => stacks.push(stack(items)),
                // A machine that reports its fields may have no stack.
                ("top", Value::List(items)) if items.is_empty() && !self.fields.is_empty() => {}
                ("top", Value::List(items)) => stacks.push(self.top(items)),
                ("memory", Value::Bytes(bytes)) => others.push(Section::memory("memory", None, bytes)),
                (name, value) => status = with_field(status, name, value, &mut others),
            }
        }
        for (name, value) in &self.fields {
            match value {
                Value::List(items) if **name == *"stack" => stacks.push(stack(items)),
                value => status = with_field(status, name, value, &mut others),
            }
        }
        [status].into_iter().chain(stacks).chain(others).collect()
    }

    /// Whether a member of the trace is shown: not what the code shows, and not what the fields have as well.
    fn is_shown(&self, name: &str) -> bool {
        name != "op" && !self.is_in_fields(name)
    }

    /// Whether the fields have what a member of the trace says.
    pub fn is_in_fields(&self, name: &str) -> bool {
        let field = match name {
            "top" | "height" => "stack",
            "memSize" => "memorySize",
            other => other,
        };
        self.fields.iter().any(|known| *known.0 == *field)
    }

    /// The top of the stack; what is below it is only counted.
    fn top(&self, items: &[Value]) -> Section {
        let height = self.number("height").unwrap_or(items.len() as u64);
        let mut section = Section::new("stack, top first");
        for (below, item) in (0..height).zip(items) {
            let value = match item {
                Value::Text(text) => text.to_string(),
                other => other.to_string(),
            };
            let at = Path::field("top").child(usize::try_from(below).unwrap_or(usize::MAX));
            let name = format!("[{}]", height - 1 - below);
            section.push(ViewRow::new(name, value, Some(ViewDatum::At(at))));
        }
        let rest = height.saturating_sub(items.len() as u64);
        section.left_out += usize::try_from(rest).unwrap_or(usize::MAX);
        section
    }
}

/// A stack whose last item is the top one.
fn stack(items: &[Value]) -> Section {
    let last = |below| items.len().checked_sub(below + 1);
    Section::stack(
        items.len(),
        |below| items.get(last(below)?).cloned(),
        |below| Path::field("stack").child(last(below).unwrap_or(0)),
    )
}

/// The section with a field; one with values in it becomes a section of its own.
fn with_field(status: Section, name: &str, value: &Value, others: &mut Vec<Section>) -> Section {
    let at = Path::field(name.to_owned());
    match value {
        Value::List(_) | Value::Record(_) => others.push(Section::of_value(name, value, &at)),
        Value::Bytes(bytes) if bytes.len() > BYTES_IN_ROW => others.push(Section::memory(name, None, bytes)),
        Value::Int(number) if *number < BigInt::from(u64::MAX) => {
            let mut status = status;
            status.push(ViewRow::new(name, number.to_string(), Some(ViewDatum::At(at))));
            return status;
        }
        value => return status.with(name, value, &at),
    }
    status
}
