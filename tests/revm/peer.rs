//! revm's interpreter and journal, run below the level of a transaction: there is no intrinsic gas
//! and no refund to account for, and stack and memory can be looked at.

use std::collections::BTreeMap;
use std::convert::Infallible;

use revm::Database;
use revm::bytecode::Bytecode;
use revm::context::{BlockEnv, ContextTr, JournalTr, TxEnv};
use revm::handler::MainnetContext;
use revm::interpreter::instructions::gas_table_spec;
use revm::interpreter::interpreter::{EthInterpreter, ExtBytecode};
use revm::interpreter::{
    CallInput, Host, InputsImpl, Interpreter, InterpreterAction, InterpreterResult, SharedMemory,
    instruction_table,
};
use revm::primitives::alloy_primitives::logs_bloom;
use revm::primitives::{Address, B256, Log, U256, keccak256};
use revm::state::{AccountInfo, EvmState};
use vmconf::model::Value;

use super::Outcome;
use super::scenario::{Account, Scenario, address_key, record, word_value};

/// Runs the scenario.
pub(crate) fn run(scenario: &Scenario) -> Outcome {
    let mut context = MainnetContext::new(World(scenario), scenario.rules)
        .with_block(block(scenario))
        .with_tx(transaction(scenario));
    let Ok(_) = context.journal_mut().load_account(scenario.address);
    let mut interpreter = interpreter(scenario);
    let result = execute(&mut interpreter, scenario, &mut context);
    if !result.is_ok() {
        return Err(format!("{:?}", result.result));
    }
    let logs = context.journal_mut().take_logs();
    let state = context.journal_mut().finalize();
    Ok(record([
        ("gas", Value::int(result.gas.remaining())),
        ("out", Value::Bytes(result.output.to_vec())),
        ("logs", Value::List(logs.iter().map(log_value).collect())),
        ("post", post(scenario, &state)),
        ("stack", Value::List(interpreter.stack.data().iter().map(|word| word_value(*word)).collect())),
        ("memory", Value::Bytes(interpreter.memory.context_memory().to_vec())),
        ("refund", Value::int(result.gas.refunded())),
    ]))
}

fn block(scenario: &Scenario) -> BlockEnv {
    let block = &scenario.block;
    BlockEnv {
        number: U256::from(block.number),
        beneficiary: block.coinbase,
        timestamp: block.timestamp,
        gas_limit: block.gas_limit,
        difficulty: block.difficulty,
        ..BlockEnv::default()
    }
}

fn transaction(scenario: &Scenario) -> TxEnv {
    TxEnv { caller: scenario.origin, gas_price: scenario.gas_price, ..TxEnv::default() }
}

fn interpreter(scenario: &Scenario) -> Interpreter {
    let code = Bytecode::new_legacy(scenario.code.clone().into());
    let inputs = InputsImpl {
        target_address: scenario.address,
        caller_address: scenario.caller,
        input: CallInput::Bytes(scenario.data.clone().into()),
        call_value: scenario.value,
        ..InputsImpl::default()
    };
    let is_static = false;
    Interpreter::new(
        SharedMemory::new(),
        ExtBytecode::new(code),
        inputs,
        is_static,
        scenario.rules,
        scenario.gas,
    )
}

fn execute<H: Host>(interpreter: &mut Interpreter, scenario: &Scenario, host: &mut H) -> InterpreterResult {
    let prices = gas_table_spec(scenario.rules);
    match interpreter.run_plain(&instruction_table::<EthInterpreter, H>(), &prices, host) {
        InterpreterAction::Return(result) => result,
        InterpreterAction::NewFrame(frame) => panic!("programs call and create nothing: {frame:?}"),
    }
}

fn log_value(log: &Log) -> Value {
    let topics = log.data.topics().iter().map(|topic| Value::Bytes(topic.to_vec()));
    record([
        ("address", Value::Bytes(log.address.to_vec())),
        ("topics", Value::List(topics.collect())),
        ("data", Value::Bytes(log.data.data.to_vec())),
        ("bloom", Value::Bytes(logs_bloom([log]).to_vec())),
    ])
}

/// The accounts before, changed as the journal says.
fn post(scenario: &Scenario, state: &EvmState) -> Value {
    let mut accounts: BTreeMap<Address, Account> = scenario.accounts.clone();
    for (address, journaled) in state {
        if journaled.is_selfdestructed() {
            accounts.remove(address);
            continue;
        }
        let account = accounts.entry(*address).or_default();
        account.balance = journaled.info.balance;
        account.nonce = journaled.info.nonce;
        account.storage.extend(journaled.storage.iter().map(|(key, slot)| (*key, slot.present_value)));
    }
    let there = accounts.iter().filter(|(_, account)| !account.is_empty());
    Value::record(there.map(|(address, account)| (address_key(*address), account.value())))
}

/// The scenario as a database. A block's hash is that of its number's decimal digits.
struct World<'s>(&'s Scenario);

impl Database for World<'_> {
    type Error = Infallible;

    fn basic(&mut self, address: Address) -> Result<Option<AccountInfo>, Infallible> {
        Ok(self.0.accounts.get(&address).map(|account| {
            let code = Bytecode::new_legacy(account.code.clone().into());
            AccountInfo::new(account.balance, account.nonce, code.hash_slow(), code)
        }))
    }

    fn code_by_hash(&mut self, _hash: B256) -> Result<Bytecode, Infallible> {
        unreachable!("every account comes with its code")
    }

    fn storage(&mut self, address: Address, key: U256) -> Result<U256, Infallible> {
        let word = self.0.accounts.get(&address).and_then(|account| account.storage.get(&key));
        Ok(word.copied().unwrap_or_default())
    }

    fn block_hash(&mut self, number: u64) -> Result<B256, Infallible> {
        Ok(keccak256(number.to_string()))
    }
}
