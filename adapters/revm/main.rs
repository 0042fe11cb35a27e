//! revm's interpreter and journal under the rules of Homestead, as a testee of vmconf.

mod program;
mod request;

use std::collections::BTreeMap;

use revm::bytecode::Bytecode;
use revm::context::{BlockEnv, ContextTr, JournalTr, TxEnv};
use revm::handler::MainnetContext;
use revm::interpreter::instructions::gas_table_spec;
use revm::interpreter::interpreter::{EthInterpreter, ExtBytecode};
use revm::interpreter::{CallInput, InputsImpl, Interpreter, InterpreterAction, SharedMemory, instruction_table};
use revm::primitives::hardfork::SpecId;
use revm::primitives::{Address, Bytes, U256, hex};
use revm::state::EvmState;
use serde_json::{Map, Value as Json, json};

use program::{Account, World, accounts};
use request::{Refused, done, read, short, skip, with_logs};

const BLOCKHASH: u8 = 0x40;
const RULES: SpecId = SpecId::HOMESTEAD;

const HELLO: &str = r#"{"type":"hello","version":1,"name":"revm","release":"RELEASE","language":"Rust",
"homepage":"https://github.com/bluealloy/revm","machines":[{"machine":"evm","revisions":["homestead"],
"fields":["outcome","gas","out","logs","logsHash","callcreates","post"],
"lacks":["recording of calls and creations", "numbers that its types cannot hold"]}]}"#;

/// The version of revm that this is built with: cargo writes the list of all packages before it compiles one.
fn release() -> &'static str {
    let after = include_str!("Cargo.lock").split_once("name = \"revm\"\nversion = \"").expect("revm is a dependency").1;
    after.split_once('"').expect("a version ends").0
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

fn run(request: &Json) -> Result<Json, Refused> {
    let program = request::program(request)?;
    let target = read(program, "address")?;
    let accounts = accounts(program)?;
    let code: Bytes = read(program, "code")?;
    let number: U256 = read(program, "number")?;
    if number > U256::from(u64::MAX) && code.contains(&BLOCKHASH) {
        return Err(skip("revm asks for the hash of a block by 64 bits"));
    }
    let block = BlockEnv {
        number,
        beneficiary: read(program, "coinbase")?,
        timestamp: read(program, "timestamp")?,
        gas_limit: short(program, "gasLimit")?,
        difficulty: read(program, "difficulty")?,
        ..BlockEnv::default()
    };
    let transaction = TxEnv { caller: read(program, "origin")?, gas_price: short(program, "gasPrice")?, ..TxEnv::default() };
    let mut context = MainnetContext::new(World(accounts.clone()), RULES).with_block(block).with_tx(transaction);
    let Ok(_) = context.journal_mut().load_account(target);
    let inputs = InputsImpl {
        target_address: target,
        caller_address: read(program, "caller")?,
        input: CallInput::Bytes(read(program, "data")?),
        call_value: read(program, "value")?,
        ..InputsImpl::default()
    };
    let code = ExtBytecode::new(Bytecode::new_legacy(code));
    let mut interpreter = Interpreter::new(SharedMemory::new(), code, inputs, false, RULES, short(program, "gas")?);
    let table = instruction_table::<EthInterpreter, _>();
    let InterpreterAction::Return(result) = interpreter.run_plain(&table, &gas_table_spec(RULES), &mut context) else {
        return Err(skip("no recording of calls and creations"));
    };
    let mut fields = json!({"outcome": "halt"});
    if result.is_ok() {
        fields = json!({"outcome": "success", "gas": format!("{:#x}", result.gas.remaining()), "out": result.output, "callcreates": []});
        fields = with_logs(fields, &context.journal_mut().take_logs());
        fields["post"] = post(accounts, &context.journal_mut().finalize());
    }
    Ok(done(request, &fields, format!("{:?}", result.result)))
}

fn main() {
    request::serve(&HELLO.replace('\n', "").replace("RELEASE", release()), run);
}
