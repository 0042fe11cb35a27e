//! The data that all cases of a state test share.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use super::signed;
use crate::formats::accounts::{AccountReader, read_accounts};
use crate::formats::ethereum_json::{
    address_value, data, data_value, hash_value, is_state_test, number_value, other_test, quantity,
};
use crate::formats::fields::{Diagnostics, FieldReader, RecordMembers, Strictness, array, object};
use crate::formats::format::ReadContext;
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Name, Origin, Program, Severity, Value};
use crate::text::json::{JsonMember, JsonNode, quoted};

/// Members of a test that say where it comes from.
const INFO: &[&str] = &["_info"];

/// Members of `env` that are not part of the block that a transaction sees.
const NOT_SEEN: &[&str] = &[
    "currentBeaconRoot",
    "currentWithdrawalsRoot",
    "parentBaseFee",
    "parentBeaconBlockRoot",
    "parentBlobGasUsed",
    "parentDifficulty",
    "parentExcessBlobGas",
    "parentGasLimit",
    "parentGasUsed",
    "parentHash",
    "parentTimestamp",
    "parentUncleHash",
    "previousHash",
];

/// A test, read once for all its cases.
pub(super) struct Test {
    /// The environment, the accounts and the part of the transaction that all cases share; `None` if any of
    /// this is invalid.
    pub(super) program: Option<Program>,
    /// What is wrong or worth a note in it.
    pub(super) diagnostics: Vec<Diagnostic<Origin>>,
    /// The datum of its first entry.
    pub(super) first: Option<u32>,
    /// The datum of its results by fork.
    post: Option<u32>,
    lists: ParameterLists,
    /// Names of items of `data`, by their index: `_info.labels`.
    labels: Option<u32>,
}

/// The lists of parameters, as indices of their data.
#[derive(Default)]
struct ParameterLists {
    data: Option<u32>,
    gas: Option<u32>,
    value: Option<u32>,
    access: Option<u32>,
    /// The type of the transaction; `None` means 1 with an access list and 0 without.
    kind: Option<u8>,
}

impl Test {
    pub(super) fn read(test: JsonNode<'_>, context: ReadContext<'_>) -> Test {
        let mut diagnostics = Diagnostics::new(context.options.strictness, Severity::Note);
        let post = test.member("post").filter(|post| post.is_object());
        let first = post.and_then(|post| post.members().find_map(|fork| fork.value.items().next()));
        let mut lists = ParameterLists::default();
        let program = read_test(test, first, &mut lists, &mut diagnostics);
        if context.options.strictness != Strictness::Tolerant {
            check_transaction(test, post, &mut diagnostics);
        }
        let diagnostics = diagnostics.finish();
        let first = first.map_or(test.index(), JsonNode::index);
        let labels = test.member("_info").and_then(|info| info.member("labels")).map(JsonNode::index);
        Test { program, diagnostics, first: Some(first), post: post.map(JsonNode::index), lists, labels }
    }

    /// The part of the transaction that all cases share.
    pub(super) fn transaction(&self) -> Option<&Value> {
        self.program.as_ref()?.0.get("transaction")
    }

    /// The file's label for the data that an entry chooses: `d3 is create then call`.
    pub(super) fn label(&self, indexes: JsonNode<'_>) -> Option<String> {
        let labels = JsonNode::at_index(indexes.document(), self.labels?);
        let data = indexes.member("data")?.raw();
        let label = labels.member(data)?.text()?;
        Some(format!("d{data} is {}", label.trim_start_matches(":label").trim()))
    }

    /// Whether the datum is an entry of the results and not the test itself.
    pub(super) fn has_entry(&self, entry: JsonNode<'_>) -> bool {
        self.post.is_some_and(|post| post < entry.index())
    }

    /// The fork whose list contains the entry, or that has it in the place of a list.
    pub(super) fn fork_of<'d>(&self, entry: JsonNode<'d>) -> Option<JsonMember<'d>> {
        let post = JsonNode::at_index(entry.document(), self.post?);
        post.members().take_while(|fork| fork.value.index() <= entry.index()).last()
    }

    /// The parameters that an entry chooses, as members of the change that is applied to the machine.
    pub(super) fn choose(
        &self,
        indexes: JsonNode<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<(Name, Value)>> {
        let mut fields = FieldReader::open(indexes, "indexes", diagnostics)?;
        let mut pick = |name, list: Option<u32>| {
            let index = fields.required(name, diagnostics)?;
            item(index, name, JsonNode::at_index(indexes.document(), list?), diagnostics)
        };
        let [input, gas, value] =
            [pick("data", self.lists.data), pick("gas", self.lists.gas), pick("value", self.lists.value)];
        fields.finish(diagnostics);
        let mut chosen = RecordMembers::default();
        chosen.push("data", Value::Bytes(diagnostics.keep(data(input?))?));
        chosen.push("gasLimit", Value::Int(diagnostics.keep(unbounded(gas?))?));
        chosen.push("value", Value::Int(diagnostics.keep(unbounded(value?))?));
        let lists = self.lists.access.map(|list| JsonNode::at_index(indexes.document(), list));
        // The lists are parallel to the data.
        let access = match lists {
            Some(lists) => Some(item(indexes.member("data")?, "accessLists", lists, diagnostics)?),
            None => None,
        };
        let access = access.filter(|list| !list.is_null());
        let kind = self.lists.kind.unwrap_or_else(|| u8::from(access.is_some()));
        chosen.push("type", Value::int(kind));
        if let Some(access) = access {
            chosen.push("accessList", access_list(access, diagnostics)?);
        }
        Some(chosen.0)
    }
}

/// The position that an index chooses.
fn position(index: JsonNode<'_>) -> Option<usize> {
    index.raw().parse().ok()
}

/// The item of a list that an index chooses.
fn item<'d>(
    index: JsonNode<'_>,
    name: &str,
    list: JsonNode<'d>,
    diagnostics: &mut Diagnostics,
) -> Option<JsonNode<'d>> {
    let item = position(index).and_then(|position| list.items().nth(position));
    if item.is_none() {
        diagnostics.error(no_such_parameter(index, name, list.items().count()));
    }
    item
}

fn read_test(
    test: JsonNode<'_>,
    first: Option<JsonNode<'_>>,
    lists: &mut ParameterLists,
    diagnostics: &mut Diagnostics,
) -> Option<Program> {
    if let Some(tests) = other_test(test).filter(|_| !is_state_test(test)) {
        let expected = "a test with \"transaction\" and \"post\"";
        let error =
            Diagnostic::at(test.at(), format!("this test is of another format: {tests}")).expected(expected);
        diagnostics.error(error.under(LintRule::NotAVector));
        return None;
    }
    let mut fields = FieldReader::open(test, "test", diagnostics)?;
    fields.ignore(INFO);
    let env = fields.required("env", diagnostics);
    let pre = fields.required("pre", diagnostics);
    let transaction = fields.required("transaction", diagnostics);
    let post = fields.required("post", diagnostics);
    let config = fields.present("config");
    fields.finish(diagnostics);
    if let Some(post) = post.filter(|_| first.is_none()) {
        let what = "post has no entries";
        let expected = "an object with a list of entries for each fork";
        diagnostics.error(Diagnostic::at(post.at(), what).expected(expected).under(LintRule::WrongType));
    }
    let forks = first.and(post).into_iter().flat_map(JsonNode::members);
    for fork in forks.filter(|fork| fork.value.is_array() && fork.value.items().next().is_none()) {
        let what = format!("no entries for the fork {}", quoted(&fork.key));
        diagnostics.note(Diagnostic::at(fork.key_at, what).expected("at least one entry"));
    }
    let mut program = RecordMembers::default();
    let mut chain = None;
    program.keep("env", env.and_then(|env| read_env(env, &mut chain, diagnostics)));
    config.and_then(|config| read_config(config, &mut chain, &mut program, diagnostics));
    program.push("chainId", Value::Int(chain.unwrap_or_else(|| BigInt::from(1))));
    let pre = pre.and_then(|pre| read_accounts(pre, diagnostics));
    pre.iter().flatten().filter_map(too_large_a_nonce).for_each(|error| diagnostics.error(error));
    program.keep("transaction", transaction.and_then(|it| read_transaction(it, lists, diagnostics)));
    let accounts = pre?.into_iter().map(|account| (account.key.clone(), account.value()));
    program.push("pre", Value::record(accounts));
    Some(Program::from(program.record()))
}

/// An account has at most 2^64 - 1 as its nonce (EIP-2681).
fn too_large_a_nonce(account: &AccountReader) -> Option<Diagnostic<Origin>> {
    let (at, nonce) = account.nonce.as_ref().filter(|(_, nonce)| nonce.bits() > 64)?;
    let what = format!("the nonce of an account is {nonce}");
    Some(Diagnostic::at(*at, what).expected("less than 2^64").under(LintRule::Number))
}

/// Reports errors in parts of a transaction that a run does not use.
fn check_transaction(
    test: JsonNode<'_>,
    post: Option<JsonNode<'_>>,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let transaction = test.member("transaction")?;
    check_unchosen(transaction, post, diagnostics);
    let count = transaction.member("data").map_or(0, |data| data.items().count());
    if let Some(lists) = transaction.member("accessLists").filter(|lists| lists.items().count() != count) {
        let what = format!("{} access lists", lists.items().count());
        let expected = format!("{count}, one for each item of data");
        diagnostics
            .breach(|| Diagnostic::at(lists.at(), what).expected(expected).under(LintRule::ParallelLists));
    }
    signed::check_sender(transaction.member("sender")?, transaction.member("secretKey")?, diagnostics);
    Some(())
}

/// Reports invalid items of lists that no entry chooses.
fn check_unchosen(transaction: JsonNode<'_>, post: Option<JsonNode<'_>>, diagnostics: &mut Diagnostics) {
    type Check = fn(JsonNode<'_>) -> Result<(), Diagnostic<Origin>>;
    let checks: [(&str, &str, Check); 4] = [
        ("data", "data", |item| data(item).map(drop)),
        ("accessLists", "data", check_access_list),
        ("gasLimit", "gas", |item| unbounded(item).map(drop)),
        ("value", "value", |item| unbounded(item).map(drop)),
    ];
    let forks = post.into_iter().flat_map(JsonNode::members);
    let entries: Vec<_> = forks.flat_map(|fork| fork.value.items()).collect();
    for (list, index, check) in checks {
        let chosen: BTreeSet<_> =
            entries.iter().filter_map(|entry| position(entry.member("indexes")?.member(index)?)).collect();
        let items = transaction.member(list).into_iter().flat_map(JsonNode::items).enumerate();
        for error in items.filter(|(at, _)| !chosen.contains(at)).filter_map(|(_, item)| check(item).err()) {
            diagnostics.breach(|| error);
        }
    }
}

/// The first error of an access list that may be null.
fn check_access_list(list: JsonNode<'_>) -> Result<(), Diagnostic<Origin>> {
    let mut found = Diagnostics::new(Strictness::Tolerant, Severity::Note);
    if !list.is_null() {
        access_list(list, &mut found);
    }
    found.finish().into_iter().find(|found| found.severity == Severity::Error).map_or(Ok(()), Err)
}

fn read_env(env: JsonNode<'_>, chain: &mut Option<BigInt>, diagnostics: &mut Diagnostics) -> Option<Value> {
    const REQUIRED: [(&str, &str); 3] =
        [("currentGasLimit", "gasLimit"), ("currentNumber", "number"), ("currentTimestamp", "timestamp")];
    const OPTIONAL: [(&str, &str); 5] = [
        ("currentDifficulty", "difficulty"),
        ("currentRandom", "random"),
        ("currentBaseFee", "baseFee"),
        ("currentExcessBlobGas", "excessBlobGas"),
        ("slotNumber", "slotNumber"),
    ];
    let mut fields = FieldReader::open(env, "env", diagnostics)?;
    let mut block = RecordMembers::default();
    block.read("coinbase", fields.required("currentCoinbase", diagnostics), address_value, diagnostics);
    for (member, name) in REQUIRED {
        let node = fields.required(member, diagnostics);
        block.keep(name, node.and_then(|node| block_number(node, member, diagnostics)).map(Value::Int));
    }
    for (member, name) in OPTIONAL {
        let node = fields.present(member);
        block.keep(name, node.and_then(|node| block_number(node, member, diagnostics)).map(Value::Int));
    }
    *chain =
        fields.present("currentChainID").and_then(|node| block_number(node, "currentChainID", diagnostics));
    fields.ignore(NOT_SEEN);
    fields.finish(diagnostics);
    Some(block.record())
}

/// A number of the block or chain. The embedded machine keeps 64 bits of most of them.
fn block_number(node: JsonNode<'_>, member: &str, diagnostics: &mut Diagnostics) -> Option<BigInt> {
    /// Words, and the gas limit, of which a larger one has no other effect.
    const MAY_BE_LARGER: [&str; 4] =
        ["currentDifficulty", "currentRandom", "currentGasLimit", "currentTimestamp"];
    let number = diagnostics.keep(quantity(node))?;
    if number.bits() > 64 && !MAY_BE_LARGER.contains(&member) {
        let machine = if member == "currentNumber" { "BLOCKHASH of the machine" } else { "the machine" };
        let what = format!("{member} has more than 64 bits; {machine} in vmconf takes it for 2^64 - 1");
        diagnostics
            .caution(Diagnostic::at(node.at(), what).expected("less than 2^64").under(LintRule::Number));
    }
    Some(number)
}

fn read_config(
    config: JsonNode<'_>,
    chain: &mut Option<BigInt>,
    program: &mut RecordMembers,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let mut fields = FieldReader::open(config, "config", diagnostics)?;
    if let Some(node) = fields.present("chainid") {
        *chain = block_number(node, "chainid", diagnostics);
    }
    let schedule = fields.present("blobSchedule");
    fields.finish(diagnostics);
    let expected = "an object with the blob parameters of each fork";
    let schedule = diagnostics.keep(object(schedule?, "blobSchedule", expected))?;
    let mut forks = Vec::new();
    for fork in schedule.members() {
        let mut fields = FieldReader::open(fork.value, "blob parameters of a fork", diagnostics)?;
        let mut blobs = RecordMembers::default();
        for name in ["max", "baseFeeUpdateFraction"] {
            blobs.read(name, fields.required(name, diagnostics), number_value, diagnostics);
        }
        // The machine does not use it.
        if let Some(Err(error)) = fields.present("target").map(quantity) {
            diagnostics.breach(|| error);
        }
        fields.finish(diagnostics);
        forks.push((fork.key.into_owned(), blobs.record()));
    }
    program.push("blobSchedule", Value::record(forks));
    Some(())
}

fn read_transaction(
    node: JsonNode<'_>,
    lists: &mut ParameterLists,
    diagnostics: &mut Diagnostics,
) -> Option<Value> {
    const NUMBERS: [&str; 6] =
        ["nonce", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "maxFeePerBlobGas", "chainId"];
    let mut fields = FieldReader::open(node, "transaction", diagnostics)?;
    let mut common = RecordMembers::default();
    for name in NUMBERS {
        let node = if name == "nonce" { fields.required(name, diagnostics) } else { fields.present(name) };
        common.read(name, node, |node| unbounded(node).map(Value::Int), diagnostics);
    }
    let to = fields.present("to").filter(|to| to.text().is_none_or(|text| !text.is_empty()));
    common.read("to", to, address_value, diagnostics);
    common.read("sender", fields.present("sender"), address_value, diagnostics);
    common.read("secretKey", fields.present("secretKey"), data_value, diagnostics);
    let blobs = fields.present("blobVersionedHashes");
    common.keep(
        "blobVersionedHashes",
        blobs
            .and_then(|list| each(list, |hash, diagnostics| diagnostics.keep(hash_value(hash)), diagnostics)),
    );
    let authorizations = fields.present("authorizationList");
    common.keep("authorizationList", authorizations.and_then(|list| each(list, authorization, diagnostics)));
    lists.kind = kind(fields.present("type"), &common, diagnostics);
    fields.ignore(&["initcodes"]);
    lists.access =
        fields.present("accessLists").and_then(|node| chosen_from(node, "accessLists", diagnostics));
    for (name, list) in [("data", &mut lists.data), ("gasLimit", &mut lists.gas), ("value", &mut lists.value)]
    {
        let node = fields.required(name, diagnostics);
        *list = node.and_then(|node| chosen_from(node, name, diagnostics));
    }
    fields.finish(diagnostics);
    if ["gasPrice", "maxFeePerGas", "maxPriorityFeePerGas"].iter().all(|price| node.member(price).is_none()) {
        let what = "transaction without a gas price, which is taken as 0";
        diagnostics.note(Diagnostic::at(node.at(), what).expected("\"gasPrice\" or \"maxFeePerGas\""));
    }
    Some(common.record())
}

/// The index of a list of the transaction of which each entry of "post" uses one item.
fn chosen_from(node: JsonNode<'_>, name: &str, diagnostics: &mut Diagnostics) -> Option<u32> {
    let list = diagnostics.keep(array(node, name, "an array of what the entries choose from"))?;
    Some(list.index())
}

/// The type of a transaction according to its members; `None` if the access list decides.
fn kind(written: Option<JsonNode<'_>>, common: &RecordMembers, diagnostics: &mut Diagnostics) -> Option<u8> {
    let has = |name: &str| common.0.iter().any(|member| member.0 == name);
    if let Some(written) = written {
        let kind = diagnostics.keep(quantity(written)).and_then(|kind| u8::try_from(kind).ok());
        if kind.is_none() {
            let what = format!("{} is not a type of transactions", written.shown());
            diagnostics
                .error(Diagnostic::at(written.at(), what).expected("0 to 255").under(LintRule::Number));
        }
        return kind;
    }
    if has("authorizationList") {
        Some(4)
    } else if has("maxFeePerBlobGas") || has("blobVersionedHashes") {
        Some(3)
    } else if has("maxFeePerGas") {
        Some(2)
    } else {
        None
    }
}

/// The items of an array; `None` if it is not an array, or one of them cannot be read.
fn each(
    list: JsonNode<'_>,
    read: fn(JsonNode<'_>, &mut Diagnostics) -> Option<Value>,
    diagnostics: &mut Diagnostics,
) -> Option<Value> {
    let list = diagnostics.keep(array(list, "the list", "an array"))?;
    let items: Vec<_> = list.items().map(|item| read(item, diagnostics)).collect();
    items.into_iter().collect::<Option<_>>().map(Value::List)
}

fn access_list(list: JsonNode<'_>, diagnostics: &mut Diagnostics) -> Option<Value> {
    each(
        list,
        |item, diagnostics| {
            let mut fields = FieldReader::open(item, "access", diagnostics)?;
            let account = fields.required("address", diagnostics);
            let keys = fields.required("storageKeys", diagnostics);
            fields.finish(diagnostics);
            let account = diagnostics.keep(address_value(account?))?;
            let keys = each(keys?, |key, diagnostics| diagnostics.keep(number_value(key)), diagnostics)?;
            Some(Value::record([("address", account), ("storageKeys", keys)]))
        },
        diagnostics,
    )
}

/// An authorization. Its numbers may be out of range on purpose; the machine then ignores it.
fn authorization(item: JsonNode<'_>, diagnostics: &mut Diagnostics) -> Option<Value> {
    let mut fields = FieldReader::open(item, "authorization", diagnostics)?;
    let mut members = RecordMembers::default();
    members.read("address", fields.required("address", diagnostics), address_value, diagnostics);
    let [parity, v] = ["yParity", "v"].map(|name| fields.present(name));
    if let Some(Err(error)) = v.and(parity).map(of_any_size) {
        diagnostics.breach(|| error);
    }
    let parity = v.or(parity);
    for (name, node) in [
        ("chainId", fields.required("chainId", diagnostics)),
        ("nonce", fields.required("nonce", diagnostics)),
        ("v", parity),
        ("r", fields.required("r", diagnostics)),
        ("s", fields.required("s", diagnostics)),
    ] {
        members.read(name, node, |node| of_any_size(node).map(Value::Int), diagnostics);
    }
    if parity.is_none() {
        diagnostics.error(fields.without("v"));
    }
    fields.ignore(&["signer"]);
    fields.finish(diagnostics);
    Some(members.record())
}

/// A number of an authorization: those that no transaction can have make it invalid, which is no error of the vector.
fn of_any_size(node: JsonNode<'_>) -> Result<BigInt, Diagnostic<Origin>> {
    const DIGITS_OF_WORD: usize = 64;
    let text = node.text().unwrap_or_default();
    match text.strip_prefix("0x").filter(|digits| digits.len() > DIGITS_OF_WORD && !digits.starts_with(':')) {
        Some(digits) => long_number(node, digits),
        None => unbounded(node),
    }
}

/// A quantity, or after `0x:bigint ` one of any size, which no transaction can have.
fn unbounded(node: JsonNode<'_>) -> Result<BigInt, Diagnostic<Origin>> {
    let text = node.text().unwrap_or_default();
    match text.strip_prefix("0x:bigint 0x") {
        Some(digits) => long_number(node, digits),
        None => quantity(node),
    }
}

fn long_number(node: JsonNode<'_>, digits: &str) -> Result<BigInt, Diagnostic<Origin>> {
    const MAX_DIGITS: usize = 1024;
    let only_digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = Some(digits).filter(|digits| only_digits && digits.len() <= MAX_DIGITS);
    number.and_then(|digits| BigInt::parse_bytes(digits.as_bytes(), 16)).ok_or_else(|| {
        let what = format!("{} is not a quantity", node.shown());
        Diagnostic::at(node.at(), what).expected("at most 1024 hex digits").under(LintRule::Number)
    })
}

/// The diagnostic for an index that is out of range.
fn no_such_parameter(node: JsonNode<'_>, name: &str, count: usize) -> Diagnostic<Origin> {
    let what = format!("{} is {}, and the transaction has {count}", quoted(name), node.shown());
    Diagnostic::at(node.at(), what).expected("an index into the list, from 0").under(LintRule::Number)
}
