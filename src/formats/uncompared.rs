//! Data in vectors that is not an expectation, or that a format does not compare, with the rule that says so.
//!
//! `vmconf audit` reports every other datum that can be changed without changing a verdict.

use std::borrow::Cow;

use globset::GlobBuilder;

/// Why a format does not compare a datum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct UncomparedRule {
    /// The rule.
    pub text: &'static str,
    /// The section of the book with the rule: the page and the heading.
    pub section: &'static str,
}

const fn rule(section: &'static str, text: &'static str) -> UncomparedRule {
    UncomparedRule { text, section }
}

/// Data that is not compared.
struct Uncompared {
    /// A glob for the names of formats.
    format: &'static str,
    /// A glob for the names of kinds of changes.
    change: &'static str,
    /// A glob for paths within a case; `*` is one key or index, `**` any number of them.
    at: &'static str,
    /// The states of the machine after the step that the datum belongs to, if only those count.
    after: Option<&'static [&'static str]>,
}

const fn row(format: &'static str, change: &'static str, at: &'static str) -> Uncompared {
    Uncompared { format, change, at, after: None }
}

impl Uncompared {
    const fn after(self, states: &'static [&'static str]) -> Uncompared {
        Uncompared { after: Some(states), ..self }
    }

    const fn because(self, section: &'static str, text: &'static str) -> (Uncompared, UncomparedRule) {
        (self, rule(section, text))
    }
}

pub(super) const MEMBER_ORDER: UncomparedRule =
    rule("formats.md#what-all-formats-share", "the members of an object have no order");
const NAMES: UncomparedRule =
    rule("formats.md#what-all-formats-share", "a name and a description say nothing of the machine");
const EMPTY: UncomparedRule = rule(
    "formats/vmtests.md#how-post-is-compared",
    "an empty account and a word of storage that is zero are treated as absent",
);
const CHOSEN: UncomparedRule = rule(
    "formats/statetest.md#what-a-test-means",
    "a case chooses one of the data, gas limits and values; the others belong to other cases",
);

/// Everything that a TinyVM test expects, at its end or after a continuation.
const TINY_EXPECT: &str = "{**/expect,**/expect/**}";

/// The first row that applies counts.
const ROWS: &[(Uncompared, UncomparedRule)] = &[
    (row("*", "member order", "**"), MEMBER_ORDER),
    (row("*", "*", "{name,description}"), NAMES),
    (row("neovm-*", "*", "steps/*/name"), NAMES),
    row(
        "vmtests",
        "*",
        "{_info,_info/**,~1~1,~1~1/**,expect,expect/**,expet,expet/**,expectOut,expectOut/**,export,export/**}",
    )
    .because("formats/vmtests.md#members", "what a test keeps of its source is not compared"),
    row("vmtests", "*", "env/previousHash").because("formats/vmtests.md#members", "no instruction reads it"),
    (row("vmtests", "removed", "{post/*,post/*/storage/*}"), EMPTY),
    (row("vmtests", "{added,type,value,length}", "{pre,post}/*/{storage,storage/*}"), EMPTY),
    row("vmtests", "removed", "callcreates")
        .because("formats/vmtests.md#members", "a test that demands a halt may have an empty one"),
    row("vmtests", "removed", "exec/code")
        .because("formats/vmtests.md#members", "without it, the code of the account is executed"),
    row("vmtests", "{order,item removed}", "{exec/data,exec/data/*}").because(
        "formats/vmtests.md#members",
        "instructions read zeros after the end of the input; only CALLDATASIZE shows the difference",
    ),
    row(
        "neovm-n3",
        "*",
        "steps/*/result/{invocationStack,invocationStack/**,resultStack,resultStack/**,refs}",
    )
    .after(&["FAULT"])
    .because(
        "formats/neovm-n3.md#how-a-result-is-compared",
        "after a FAULT, only the state and the message are compared",
    ),
    row("neovm-n3", "*", "steps/*/result/exceptionMessage").after(&["HALT", "BREAK", "NONE"]).because(
        "formats/neovm-n3.md#how-a-result-is-compared",
        "the message is compared after a FAULT only",
    ),
    row("neovm-n3", "removed", "steps/*/actions").because(
        "formats/neovm-n3.md#members",
        "without actions as with none, the state is compared as it is",
    ),
    row("neovm-2x", "removed", "steps/*/actions").because(
        "formats/neovm-2x.md#members",
        "without actions as with none, the state is compared as it is",
    ),
    row("neovm-n3", "removed", "{script,steps/*/result/**}").because(
        "formats/neovm-n3.md#how-a-result-is-compared",
        "what a vector does not mention is not compared, or has its default",
    ),
    row("neovm-2x", "removed", "{script,steps/*/result/**}").because(
        "formats/neovm-2x.md#members",
        "what a vector does not mention is not compared, or has its default",
    ),
    row("neovm-n3", "order", "**/resultStack")
        .because("formats/neovm-n3.md#items", "bytes have two spellings, in upper and in lower case"),
    row("neovm-n3", "*", "steps/*/result/{arguments,arguments/**,evaluationStack,evaluationStack/**}")
        .because(
            "formats/neovm-n3.md#members",
            "it belongs in an entry of invocationStack, and is an unknown member here, which is noted",
        ),
    row("minic89", "removed", "{expect,trace}/**")
        .because("formats/minic89.md#a-test", "what a vector does not mention is not compared"),
    row("minic89", "removed", "{args,entry,trace}")
        .because("formats/minic89.md#a-test", "the default may be left out"),
    row("tinyvm", "removed", TINY_EXPECT)
        .because("formats/tinyvm.md#a-test-of-one-machine", "what a vector does not mention is not compared"),
    row("tinyvm", "item removed", "**/{data,registers}/**")
        .because("formats/tinyvm.md#segments", "a list says as many words as it has"),
    row("tinyvm", "value", "**/exact").because(
        "formats/tinyvm.md#a-test-of-one-machine",
        "true demands that nothing else changed, and nothing else did",
    ),
    row("tinyvm", "{removed,added}", "{registers,registers/*,steps,zeroLimit}")
        .because("formats/tinyvm.md#a-test-of-one-machine", "the default may be left out"),
    row("tinyvm", "added", TINY_EXPECT).because(
        "formats/tinyvm.md#a-test-of-one-machine",
        "most words and registers are zero, as the added one demands",
    ),
    row("statetest", "removed", "state").because(
        "formats/statetest.md#what-a-test-means",
        "the root of the state is compared; the state says where it differs",
    ),
    row("statetest", "*", "txbytes").because(
        "formats/statetest.md#what-a-test-means",
        "the signed transaction is not compared; vmconf check compares it with the one that is chosen",
    ),
    (row("statetest", "*", "transaction/{data,gasLimit,value,accessLists}/**"), CHOSEN),
    (row("statetest", "{added,order,item removed}", "transaction/{data,gasLimit,value,accessLists}"), CHOSEN),
    row("statetest", "removed", "transaction/to").because(
        "formats/statetest.md#what-a-test-means",
        "without a recipient as with an empty one, a contract is created",
    ),
    row("statetest", "*", "env/{previousHash,currentBeaconRoot,currentWithdrawalsRoot,parent*}")
        .because("formats/statetest.md#what-a-test-means", "no transaction sees it"),
    row("statetest", "added", "{env,pre/*,transaction}").because(
        "formats/statetest.md#what-a-test-means",
        "an unknown member of what the cases of a test share is noted once, with the first case",
    ),
];

/// Members of an object around a case that belong to its inputs, by format: other cases of the file share them.
const SHARED_INPUTS: &[(&str, &[&str])] =
    &[("statetest", &["env", "pre", "transaction"]), ("minic89", &["program"])];

/// The names of the members around a case of this format that belong to its inputs.
pub fn shared_inputs(format: &str) -> &'static [&'static str] {
    SHARED_INPUTS.iter().find(|row| row.0 == format).map_or(&[], |row| row.1)
}

/// Why a datum is not compared if its member is repeated later in the same object.
pub const OVERRIDDEN: UncomparedRule = rule(
    "formats.md#what-all-formats-share",
    "of several members with the same name, the last one counts, in NeoVM files",
);

/// Why a datum that `--ignore` names, or that is in one, is not compared.
pub const IGNORED: UncomparedRule =
    rule("families.md#fields-that-a-machine-lacks", "`--ignore` leaves it out");

/// The form in which names of members are equal if they name the same member, of which the last one counts.
pub fn common_name<'n>(format: &str, name: &'n str) -> Cow<'n, str> {
    if ignores_case(format) { name.to_ascii_lowercase().into() } else { name.into() }
}

/// Whether a format reads the names of members in any letter case.
fn ignores_case(format: &str) -> bool {
    format.starts_with("neovm-")
}

/// All rules, in the order of the rows.
pub fn rules() -> impl Iterator<Item = UncomparedRule> {
    ROWS.iter().map(|row| row.1).chain([OVERRIDDEN, IGNORED])
}

/// The rule that explains why a change is not detected; `None` if there is none. `state` is the machine's
/// state after the step that the datum belongs to.
pub fn rule_of(format: &str, change: &str, at: &str, state: Option<&str>) -> Option<UncomparedRule> {
    let matches = |pattern: &str, text: &str| {
        GlobBuilder::new(pattern)
            .literal_separator(true)
            .case_insensitive(ignores_case(format))
            .build()
            .is_ok_and(|glob| glob.compile_matcher().is_match(text))
    };
    let applies = |(row, _): &&(Uncompared, UncomparedRule)| {
        matches(row.format, format)
            && matches(row.change, change)
            && matches(row.at, at)
            && row.after.is_none_or(|after| state.is_some_and(|state| after.contains(&state)))
    };
    ROWS.iter().find(applies).map(|row| row.1)
}
