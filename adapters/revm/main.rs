//! revm's interpreter and journal under the rules of Homestead, as a testee of vmconf.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt::Debug;
use std::io::{Write, stdin, stdout};
use std::str::FromStr;

use revm::Database;
use revm::bytecode::Bytecode;
use revm::context::{BlockEnv, ContextTr, JournalTr, TxEnv};
use revm::handler::MainnetContext;
use revm::interpreter::instructions::gas_table_spec;
use revm::interpreter::interpreter::{EthInterpreter, ExtBytecode};
use revm::interpreter::{CallInput, InputsImpl, Interpreter, InterpreterAction, SharedMemory, instruction_table};
use revm::primitives::hardfork::SpecId;
use revm::primitives::{Address, B256, Bytes, Log, U256, hex, keccak256};
use revm::state::{AccountInfo, EvmState};
use serde_json::{Map, Value as Json, json};

const RULES: SpecId = SpecId::HOMESTEAD;

const HELLO: &str = r#"{"type":"hello","version":1,"name":"revm","release":"43","language":"Rust",
"homepage":"https://github.com/bluealloy/revm","machines":[{"machine":"evm","revisions":["homestead"],
"fields":["outcome","gas","out","logs","logsHash","callcreates","post"],
"lacks":["recording of calls and creations"]}]}"#;

/// A member as its type writes it.
fn read<T: FromStr<Err: Debug>>(record: &Json, name: &str) -> T {
    record[name].as_str().unwrap_or("0x").parse().expect(name)
}

#[derive(Clone, Default)]
struct Account {
    info: AccountInfo,
    storage: BTreeMap<U256, U256>,
}

struct World(BTreeMap<Address, Account>);

fn account(record: &Json) -> Account {
    let code = Bytecode::new_legacy(read::<Bytes>(record, "code"));
    let nonce = read::<U256>(record, "nonce").saturating_to();
    let info = AccountInfo::new(read::<U256>(record, "balance"), nonce, code.hash_slow(), code);
    let storage = record["storage"].as_object().into_iter().flatten();
    Account { info, storage: storage.map(|(key, _)| (key.parse().expect("a slot"), read::<U256>(&record["storage"], key))).collect() }
}

impl Database for World {
    type Error = Infallible;

    fn basic(&mut self, address: Address) -> Result<Option<AccountInfo>, Infallible> {
        Ok(self.0.get(&address).map(|account| account.info.clone()))
    }

    fn code_by_hash(&mut self, _: B256) -> Result<Bytecode, Infallible> {
        unreachable!("every account comes with its code")
    }

    fn storage(&mut self, address: Address, key: U256) -> Result<U256, Infallible> {
        Ok(self.0.get(&address).and_then(|account| account.storage.get(&key)).copied().unwrap_or_default())
    }

    /// The hash of a block is that of its number in decimal digits.
    fn block_hash(&mut self, number: u64) -> Result<B256, Infallible> {
        Ok(keccak256(number.to_string()))
    }
}

fn log(log: &Log) -> Json {
    let bloom = revm::primitives::alloy_primitives::logs_bloom([log]);
    json!({"address": hex::encode_prefixed(log.address), "topics": log.data.topics(), "data": log.data.data, "bloom": bloom})
}

/// The accounts before, changed as the journal says; an empty one is not there.
fn post(mut accounts: BTreeMap<Address, Account>, state: &EvmState) -> Json {
    for (address, journaled) in state {
        if journaled.is_selfdestructed() {
            accounts.remove(address);
            continue;
        }
        let account = accounts.entry(*address).or_default();
        account.info = journaled.info.clone();
        account.storage.extend(journaled.storage.iter().map(|(key, slot)| (*key, slot.present_value)));
    }
    let mut post = Map::new();
    for (address, Account { info, storage }) in accounts {
        let code = info.code.as_ref().map(Bytecode::original_bytes).unwrap_or_default();
        let storage: Map<_, _> =
            storage.iter().filter(|slot| !slot.1.is_zero()).map(|(key, value)| (format!("{key:#x}"), json!(format!("{value:#x}")))).collect();
        if !(info.balance.is_zero() && info.nonce == 0 && code.is_empty() && storage.is_empty()) {
            let account = json!({"balance": format!("{:#x}", info.balance), "nonce": format!("{:#x}", info.nonce), "code": code, "storage": storage});
            post.insert(hex::encode_prefixed(address), account);
        }
    }
    Json::Object(post)
}

fn run(request: &Json) -> Json {
    let program = &request["program"];
    let (target, world) = (read::<Address>(program, "address"), program["pre"].as_object().into_iter().flatten());
    let accounts: BTreeMap<_, _> = world.map(|(key, it)| (key.parse().expect("an address"), account(it))).collect();
    let block = BlockEnv {
        number: read::<U256>(program, "number"),
        beneficiary: read::<Address>(program, "coinbase"),
        timestamp: read::<U256>(program, "timestamp"),
        gas_limit: read::<U256>(program, "gasLimit").saturating_to(),
        difficulty: read::<U256>(program, "difficulty"),
        ..BlockEnv::default()
    };
    let transaction = TxEnv { caller: read::<Address>(program, "origin"), gas_price: read::<U256>(program, "gasPrice").saturating_to(), ..TxEnv::default() };
    let mut context = MainnetContext::new(World(accounts.clone()), RULES).with_block(block).with_tx(transaction);
    let Ok(_) = context.journal_mut().load_account(target);
    let inputs = InputsImpl {
        target_address: target,
        caller_address: read::<Address>(program, "caller"),
        input: CallInput::Bytes(read::<Bytes>(program, "data")),
        call_value: read::<U256>(program, "value"),
        ..InputsImpl::default()
    };
    let code = ExtBytecode::new(Bytecode::new_legacy(read::<Bytes>(program, "code")));
    let mut interpreter = Interpreter::new(SharedMemory::new(), code, inputs, false, RULES, read::<U256>(program, "gas").saturating_to());
    let table = instruction_table::<EthInterpreter, _>();
    let InterpreterAction::Return(result) = interpreter.run_plain(&table, &gas_table_spec(RULES), &mut context) else {
        return json!({"type": "skip", "id": request["id"], "reason": "no recording of calls and creations"});
    };
    let mut fields = json!({"outcome": "halt"});
    if result.is_ok() {
        let logs = context.journal_mut().take_logs();
        fields = json!({
            "outcome": "success", "gas": format!("{:#x}", result.gas.remaining()), "out": result.output, "callcreates": [],
            "logs": logs.iter().map(log).collect::<Vec<_>>(), "logsHash": keccak256(alloy_rlp::encode(&logs)),
            "post": post(accounts, &context.journal_mut().finalize()),
        });
    }
    let names = |step: &Json| step["observe"].as_array().cloned().unwrap_or_default();
    let pick = |name: Json| Some((name.as_str()?.to_owned(), fields.get(name.as_str()?)?.clone()));
    let state = |step: &Json| json!({"fields": names(step).into_iter().filter_map(pick).collect::<Map<_, _>>()});
    let steps: Vec<_> = request["steps"].as_array().into_iter().flatten().map(state).collect();
    json!({"type": "done", "id": request["id"], "steps": steps, "ended": format!("{:?}", result.result)})
}

fn main() {
    for line in stdin().lines() {
        let request: Json = serde_json::from_str(&line.expect("a line")).expect("a request");
        let answer = if request["type"] == "hello" { HELLO.replace('\n', "") } else { run(&request).to_string() };
        writeln!(stdout(), "{answer}").expect("someone reads the answers");
    }
}
