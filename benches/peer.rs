//! revm's interpreter under Frontier rules, without the database and the transaction around it:
//! the part of revm that does what our machine does.

use std::borrow::Cow;

use anyhow::{Context, anyhow};
use num_bigint::{BigInt, Sign};
use revm_interpreter::bytecode::Bytecode;
use revm_interpreter::context_interface::cfg::GasParams;
use revm_interpreter::context_interface::host::LoadError;
use revm_interpreter::context_interface::journaled_state::AccountInfoLoad;
use revm_interpreter::instructions::gas_table_spec;
use revm_interpreter::interpreter::{EthInterpreter, ExtBytecode};
use revm_interpreter::primitives::hardfork::SpecId;
use revm_interpreter::primitives::map::HashMap;
use revm_interpreter::primitives::{Address, B256, Bytes, Log, U256};
use revm_interpreter::state::AccountInfo;
use revm_interpreter::{
    CallInput, GasTable, Host, InputsImpl, InstructionTable, Interpreter, InterpreterAction,
    InterpreterResult, SStoreResult, SelfDestructResult, SharedMemory, StateLoad, instruction_table,
};
use vmconf::model::{Name, Program, Value, number_key};

use crate::ended::Ended;
use crate::programs::{bytes, member, number};

const RULES: SpecId = SpecId::FRONTIER;

/// revm's interpreter with a program for it.
pub(crate) struct Peer {
    instructions: InstructionTable<EthInterpreter, World>,
    prices: GasTable,
    interpreter: Interpreter,
    code: Bytes,
    inputs: InputsImpl,
    gas: u64,
    /// The world before the program.
    before: World,
    world: World,
    result: Option<InterpreterResult>,
}

impl Peer {
    /// The interpreter for `program`.
    pub(crate) fn new(program: &Program) -> anyhow::Result<Peer> {
        let program = &program.0;
        let before = World::of(program)?;
        Ok(Peer {
            instructions: instruction_table(),
            prices: gas_table_spec(RULES),
            interpreter: Interpreter::default(),
            code: Bytes::copy_from_slice(bytes(member(program, "code")?)?),
            inputs: InputsImpl {
                target_address: address(member(program, "address")?)?,
                caller_address: address(member(program, "caller")?)?,
                input: CallInput::Bytes(Bytes::copy_from_slice(bytes(member(program, "data")?)?)),
                call_value: word(member(program, "value")?)?,
                ..InputsImpl::default()
            },
            gas: number(member(program, "gas")?)?,
            world: before.clone(),
            before,
            result: None,
        })
    }

    /// Analyses the code and runs it in a fresh world.
    pub(crate) fn run(&mut self) {
        self.start();
        let action = self.interpreter.run_plain(&self.instructions, &self.prices, &mut self.world);
        self.result = match action {
            InterpreterAction::Return(result) => Some(result),
            InterpreterAction::NewFrame(_) => None,
        };
    }

    fn start(&mut self) {
        let code = ExtBytecode::new(Bytecode::new_raw(self.code.clone()));
        self.world = self.before.clone();
        self.interpreter.clear(SharedMemory::new(), code, self.inputs.clone(), false, RULES, self.gas, 0);
    }

    /// How the last run ended. A call or creation, which this cannot do, is a halt.
    pub(crate) fn ended(&mut self) -> Ended {
        match &self.result {
            Some(result) if result.is_ok() => Ended::Success {
                gas: result.gas.remaining(),
                output: result.output.to_vec(),
                storage: self.world.storage_value(),
            },
            _ => Ended::Halt { gas: self.gas_before_halt() },
        }
    }

    /// Runs it once more, instruction by instruction.
    fn gas_before_halt(&mut self) -> u64 {
        self.start();
        loop {
            let gas = self.interpreter.gas.remaining();
            if self.interpreter.step(&self.instructions, &self.prices, &mut self.world).is_err() {
                return gas;
            }
        }
    }
}

/// Block, accounts and the storage of the executing account.
#[derive(Clone)]
struct World {
    prices: GasParams,
    coinbase: Address,
    difficulty: U256,
    gas_limit: U256,
    number: U256,
    timestamp: U256,
    origin: Address,
    gas_price: U256,
    accounts: HashMap<Address, AccountInfo>,
    storage: HashMap<U256, U256>,
}

impl World {
    fn of(program: &Value) -> anyhow::Result<World> {
        let executing = address(member(program, "address")?)?;
        let mut accounts = HashMap::default();
        let mut storage = HashMap::default();
        for (key, account) in members(member(program, "pre")?)? {
            let address: Address = key.parse()?;
            if address == executing {
                for (key, value) in members(member(account, "storage")?)? {
                    storage.insert(key.parse()?, word(value)?);
                }
            }
            accounts.insert(address, account_info(account)?);
        }
        Ok(World {
            prices: GasParams::new_spec(RULES),
            coinbase: address(member(program, "coinbase")?)?,
            difficulty: word(member(program, "difficulty")?)?,
            gas_limit: word(member(program, "gasLimit")?)?,
            number: word(member(program, "number")?)?,
            timestamp: word(member(program, "timestamp")?)?,
            origin: address(member(program, "origin")?)?,
            gas_price: word(member(program, "gasPrice")?)?,
            accounts,
            storage,
        })
    }

    fn storage_value(&self) -> Value {
        let mut words: Vec<_> = self.storage.iter().filter(|(_, value)| !value.is_zero()).collect();
        words.sort();
        let big = |word: &U256| BigInt::from_bytes_be(Sign::Plus, &word.to_be_bytes::<32>());
        let value =
            |(key, value): (&U256, &U256)| (number_key(&key.to_be_bytes::<32>()), Value::Int(big(value)));
        Value::record(words.into_iter().map(value))
    }
}

fn account_info(account: &Value) -> anyhow::Result<AccountInfo> {
    let code = Bytecode::new_raw(Bytes::copy_from_slice(bytes(member(account, "code")?)?));
    let info = AccountInfo::default().with_balance(word(member(account, "balance")?)?);
    Ok(info.with_nonce(number(member(account, "nonce")?)?).with_code(code))
}

fn members(value: &Value) -> anyhow::Result<&[(Name, Value)]> {
    match value {
        Value::Record(members) => Ok(members),
        other => Err(anyhow!("{other} instead of a record")),
    }
}

fn address(value: &Value) -> anyhow::Result<Address> {
    Ok(Address::try_from(bytes(value)?)?)
}

fn word(value: &Value) -> anyhow::Result<U256> {
    match value {
        Value::Int(number) => {
            U256::try_from_be_slice(&number.magnitude().to_bytes_be()).context("a number too large")
        }
        other => Err(anyhow!("{other} instead of a number")),
    }
}

/// What Frontier does not have is answered with nothing.
impl Host for World {
    fn basefee(&self) -> U256 {
        U256::ZERO
    }

    fn blob_gasprice(&self) -> U256 {
        U256::ZERO
    }

    fn gas_limit(&self) -> U256 {
        self.gas_limit
    }

    fn difficulty(&self) -> U256 {
        self.difficulty
    }

    fn prevrandao(&self) -> Option<U256> {
        None
    }

    fn block_number(&self) -> U256 {
        self.number
    }

    fn timestamp(&self) -> U256 {
        self.timestamp
    }

    fn beneficiary(&self) -> Address {
        self.coinbase
    }

    fn slot_num(&self) -> U256 {
        U256::ZERO
    }

    fn chain_id(&self) -> U256 {
        U256::ZERO
    }

    fn effective_gas_price(&self) -> U256 {
        self.gas_price
    }

    fn caller(&self) -> Address {
        self.origin
    }

    fn blob_hash(&self, _number: usize) -> Option<U256> {
        None
    }

    fn max_initcode_size(&self) -> usize {
        usize::MAX
    }

    fn gas_params(&self) -> &GasParams {
        &self.prices
    }

    fn is_amsterdam_eip8037_enabled(&self) -> bool {
        false
    }

    fn block_hash(&mut self, _number: u64) -> Option<B256> {
        None
    }

    fn selfdestruct(
        &mut self,
        address: Address,
        target: Address,
        _skip_cold_load: bool,
    ) -> Result<StateLoad<SelfDestructResult>, LoadError> {
        let balance = self.accounts.get(&address).map_or(U256::ZERO, |account| account.balance);
        let target_exists = self.accounts.contains_key(&target);
        self.accounts.entry(target).or_default().balance += balance;
        let previously_destroyed = self.accounts.remove(&address).is_none();
        self.storage.clear();
        let result =
            SelfDestructResult { had_value: !balance.is_zero(), target_exists, previously_destroyed };
        Ok(StateLoad::new(result, false))
    }

    fn log(&mut self, _log: Log) {}

    fn sstore_skip_cold_load(
        &mut self,
        _address: Address,
        key: U256,
        value: U256,
        _skip_cold_load: bool,
    ) -> Result<StateLoad<SStoreResult>, LoadError> {
        let present_value = self.storage.insert(key, value).unwrap_or_default();
        let original_value = present_value;
        Ok(StateLoad::new(SStoreResult { original_value, present_value, new_value: value }, false))
    }

    fn sload_skip_cold_load(
        &mut self,
        _address: Address,
        key: U256,
        _skip_cold_load: bool,
    ) -> Result<StateLoad<U256>, LoadError> {
        Ok(StateLoad::new(self.storage.get(&key).copied().unwrap_or_default(), false))
    }

    fn tstore(&mut self, _address: Address, _key: U256, _value: U256) {}

    fn tload(&mut self, _address: Address, _key: U256) -> U256 {
        U256::ZERO
    }

    fn load_account_info_skip_cold_load(
        &mut self,
        address: Address,
        _load_code: bool,
        _skip_cold_load: bool,
    ) -> Result<AccountInfoLoad<'_>, LoadError> {
        let account = self.accounts.get(&address).map_or_else(Cow::default, Cow::Borrowed);
        let is_empty = account.is_empty();
        Ok(AccountInfoLoad { account, is_cold: false, is_empty })
    }
}
