//! The data of vectors that are no expectation, or that a format does not compare, with the rule.
//!
//! `vmconf audit` reports every other datum that can be changed without changing a verdict.

use globset::GlobBuilder;

/// A datum that is not compared.
struct Uncompared {
    /// Formats, as a glob of their names.
    format: &'static str,
    /// Kinds of changes, as a glob of their names.
    change: &'static str,
    /// Places below a case, as a glob; `*` is one key or index, `**` any number of them.
    at: &'static str,
    /// The state of the machine after the step that the datum belongs to, if only that one counts.
    after: Option<&'static str>,
    /// The rule of the format.
    rule: &'static str,
}

const fn row(format: &'static str, change: &'static str, at: &'static str, rule: &'static str) -> Uncompared {
    Uncompared { format, change, at, after: None, rule }
}

impl Uncompared {
    const fn after(self, state: &'static str) -> Uncompared {
        Uncompared { after: Some(state), ..self }
    }
}

const UNMENTIONED: &str = "what a vector does not mention is not compared";
const SOURCES: &str = "what a test keeps of its source is not compared";
const EMPTY: &str = "an empty account and a word of storage that is zero are as if they were not there";

const ROWS: &[Uncompared] = &[
    row("*", "member order", "**", "the members of an object have no order"),
    row("*", "*", "{name,description}", "a name and a description say nothing of the machine"),
    row("vmtests", "*", "{_info,_info/**,//,expect,expect/**,expet,expet/**,expectOut,export}", SOURCES),
    row("vmtests", "*", "env/previousHash", "no instruction reads it"),
    row("vmtests", "removed", "{post/*,post/*/storage/*}", EMPTY),
    row("vmtests", "{added,type,value,length}", "{pre,post}/*/{storage,storage/*}", EMPTY),
    row("vmtests", "removed", "callcreates", "a test that demands a halt may have an empty one"),
    row("vmtests", "removed", "exec/code", "without it, the code of the account is executed"),
    row("neovm-*", "removed", "steps/*/result/**", UNMENTIONED),
    row("neovm-*", "removed", "script", "an empty script may be left out"),
    row(
        "neovm-n3",
        "*",
        "steps/*/result/{invocationStack,invocationStack/**,resultStack,resultStack/**,refs}",
        "after a FAULT, only the state and the message are compared",
    )
    .after("FAULT"),
    row("neovm-n3", "order", "**/resultStack", "bytes have two spellings, in upper and in lower case"),
    row(
        "neovm-n3",
        "*",
        "steps/*/result/{arguments,arguments/**,evaluationStack,evaluationStack/**}",
        "it belongs into an entry of invocationStack, and is an unknown member here, which is noted",
    ),
    row("minic89", "removed", "{expect,trace}/**", UNMENTIONED),
    row("minic89", "removed", "{args,entry,trace}", "the default may be left out"),
    row(
        "vmtests",
        "{order,item removed}",
        "{exec/data,exec/data/*}",
        "zeros after the input are as if they were not there",
    ),
    row("tinyvm", "removed", "{expect,expect/**,then/*/expect,then/*/expect/**}", UNMENTIONED),
    row("tinyvm", "item removed", "**/{data,registers}/**", "a list says as many words as it has"),
    row("tinyvm", "value", "**/exact", "true demands that nothing else changed, and nothing else did"),
    row(
        "tinyvm",
        "{removed,added}",
        "{registers,registers/*,steps,zeroLimit}",
        "the default may be left out",
    ),
    row("tinyvm", "added", "**/expect/**", "most words and registers are zero, as the added one demands"),
    row(
        "statetest",
        "removed",
        "state",
        "the root of the state is compared; the state says where it differs",
    ),
];

/// The rule by which a change is not noticed; `None` if there is none. `state` is that of the machine after the step
/// that the datum belongs to.
pub fn rule_of(format: &str, change: &str, at: &str, state: Option<&str>) -> Option<&'static str> {
    let matches = |pattern: &str, text: &str| {
        GlobBuilder::new(pattern)
            .literal_separator(true)
            .build()
            .is_ok_and(|glob| glob.compile_matcher().is_match(text))
    };
    let applies = |row: &&Uncompared| {
        matches(row.format, format)
            && matches(row.change, change)
            && matches(row.at, at)
            && row.after.is_none_or(|after| Some(after) == state)
    };
    ROWS.iter().find(applies).map(|row| row.rule)
}
