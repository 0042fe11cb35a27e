//! Audits as text and JSON.

use std::io::{self, Write};

use crate::model::count::counted;
use crate::model::escape::escaped;
use crate::model::renderer::Renderer;
use crate::wire::audit::{Audit, Unnoticed};
use crate::wire::line::one_line;

/// A form of audits; `new` writes one.
pub type AuditKind = Renderer<fn(&mut dyn Write, &Audit) -> io::Result<()>>;

/// Every form of audits; the first is the default.
pub static AUDITS: &[AuditKind] = &[
    AuditKind { name: "text", doc: "For people", new: text },
    AuditKind { name: "json", doc: "For programs", new: json },
];

fn text(out: &mut dyn Write, audit: &Audit) -> io::Result<()> {
    let (explained, unexplained): (Vec<_>, Vec<_>) =
        audit.unnoticed.iter().partition(|unnoticed| unnoticed.rule.is_some());
    for unnoticed in unexplained {
        writeln!(out, "not noticed: {}, such as in {}", place(unnoticed), escaped(&unnoticed.case))?;
    }
    let mut rules: Vec<(&str, u64)> = Vec::new();
    for unnoticed in explained {
        let rule = unnoticed.rule.as_deref().unwrap_or_default();
        match rules.iter_mut().find(|known| known.0 == rule) {
            Some((_, count)) => *count += unnoticed.count,
            None => rules.push((rule, unnoticed.count)),
        }
    }
    for (rule, count) in rules {
        writeln!(out, "{count:>7} by rule: {rule}")?;
    }
    let Audit { cases, left_out, inputs, compared, rejected, noted, .. } = audit;
    let open: u64 = audit.unexplained().map(|unnoticed| unnoticed.count).sum();
    writeln!(
        out,
        "{}: {compared} changes fail, {rejected} are rejected, {noted} are noted, {inputs} change the program, \
         {open} are not noticed; {left_out} left out",
        counted(*cases, "case")
    )
}

fn place(unnoticed: &Unnoticed) -> String {
    let Unnoticed { format, kind, at, count, .. } = unnoticed;
    escaped(&format!("{count} x {kind} of {at} ({format})")).into_owned()
}

fn json(out: &mut dyn Write, audit: &Audit) -> io::Result<()> {
    writeln!(out, "{}", one_line(audit))
}
