//! evmone, or another EVM behind the same interface, as a shared library: the EVMC of version 12.
//!
//! The programs of vmPerformance ask their host for storage only; it has nothing else.

#![allow(unsafe_code, reason = "an interface of C")]

use std::collections::BTreeMap;
use std::ffi::{c_char, c_int, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};

use anyhow::{Context, ensure};
use libloading::Library;
use num_bigint::{BigInt, Sign};
use vmconf::model::{Program, Value, number_key};

use crate::ended::Ended;
use crate::programs::{bytes, member, number};

const ABI: c_int = 12;
const FRONTIER: c_int = 0;
const SUCCESS: c_int = 0;

type Word = [u8; 32];

/// A word that a function returns.
#[repr(C)]
struct Returned(Word);

type Address = [u8; 20];

#[repr(C)]
struct Vm {
    abi: c_int,
    name: *const c_char,
    version: *const c_char,
    destroy: extern "C" fn(*mut Vm),
    execute:
        extern "C" fn(*mut Vm, *const Host, *mut State, c_int, *const Message, *const u8, usize) -> Result,
    capabilities: *const c_void,
    set_option: *const c_void,
}

#[repr(C)]
struct Message {
    kind: c_int,
    flags: u32,
    depth: i32,
    gas: i64,
    recipient: Address,
    sender: Address,
    input: *const u8,
    input_size: usize,
    value: Word,
    salt: Word,
    code_address: Address,
    code: *const u8,
    code_size: usize,
}

#[repr(C)]
struct Result {
    status: c_int,
    gas: i64,
    refund: i64,
    output: *const u8,
    output_size: usize,
    release: Option<extern "C" fn(*const Result)>,
    created: Address,
    padding: [u8; 4],
}

type Missing = Option<extern "C" fn()>;

/// What the host has, in the order of the interface; what no program here asks for is not there.
#[repr(C)]
struct Host {
    account_exists: Missing,
    get_storage: extern "C" fn(*mut State, *const Address, *const Word) -> Returned,
    set_storage: extern "C" fn(*mut State, *const Address, *const Word, *const Word) -> c_int,
    others: [Missing; 13],
}

const HOST: Host = Host { account_exists: None, get_storage, set_storage, others: [None; 13] };

/// The words of storage that are not zero.
type State = BTreeMap<Word, Word>;

extern "C" fn get_storage(state: *mut State, _: *const Address, key: *const Word) -> Returned {
    // SAFETY: the pointers are those that `Evmone::run` gave, and a key for the time of the call.
    Returned(unsafe { (*state).get(&*key).copied().unwrap_or_default() })
}

extern "C" fn set_storage(
    state: *mut State,
    _: *const Address,
    key: *const Word,
    value: *const Word,
) -> c_int {
    const ASSIGNED: c_int = 0;
    const ADDED: c_int = 1;
    const DELETED: c_int = 2;
    // SAFETY: as above.
    let (state, key, value) = unsafe { (&mut *state, *key, *value) };
    let was_zero = !state.contains_key(&key);
    if value == Word::default() {
        state.remove(&key);
        if was_zero { ASSIGNED } else { DELETED }
    } else {
        state.insert(key, value);
        if was_zero { ADDED } else { ASSIGNED }
    }
}

/// A virtual machine with a program for it.
pub(crate) struct Evmone {
    vm: *mut Vm,
    code: Vec<u8>,
    input: Vec<u8>,
    message: Message,
    before: State,
    state: State,
    ended: Option<(c_int, i64, Vec<u8>)>,
    /// Last, so that it is there as long as the machine.
    _library: Library,
}

impl Evmone {
    /// The machine of the library at `path`, which has one function `evmc_create_…`, for `program`.
    pub(crate) fn new(path: &Path, program: &Program) -> anyhow::Result<Evmone> {
        // SAFETY: the user says that the file is such a library.
        let library = unsafe { Library::new(path) }?;
        // SAFETY: the interface demands a function of this type.
        let vm = unsafe {
            let create = library.get::<extern "C" fn() -> *mut Vm>(b"evmc_create_evmone\0");
            let create = create.or_else(|_| library.get(b"evmc_create\0"));
            create.with_context(|| path.display().to_string())?()
        };
        // SAFETY: the function returns a machine.
        let abi = unsafe { (*vm).abi };
        ensure!(abi == ABI, "{}: version {abi} of the interface, not {ABI}", path.display());
        let program = &program.0;
        let address = |name| anyhow::Ok(Address::try_from(bytes(member(program, name)?)?)?);
        let message = Message {
            kind: 0,
            flags: 0,
            depth: 0,
            gas: i64::try_from(number(member(program, "gas")?)?)?,
            recipient: address("address")?,
            sender: address("caller")?,
            input: null(),
            input_size: 0,
            value: word(member(program, "value")?)?,
            salt: Word::default(),
            code_address: address("address")?,
            code: null(),
            code_size: 0,
        };
        let (code, input) =
            (bytes(member(program, "code")?)?.to_vec(), bytes(member(program, "data")?)?.to_vec());
        let before = storage(program)?;
        Ok(Evmone { vm, code, input, message, before, state: State::new(), ended: None, _library: library })
    }

    /// Runs the code in a fresh world.
    pub(crate) fn run(&mut self) {
        self.state = self.before.clone();
        (self.message.input, self.message.input_size) = (self.input.as_ptr(), self.input.len());
        (self.message.code, self.message.code_size) = (self.code.as_ptr(), self.code.len());
        // SAFETY: all pointers are to what lives longer than the call.
        let result = unsafe {
            let (code, size) = (self.code.as_ptr(), self.code.len());
            ((*self.vm).execute)(self.vm, &HOST, &mut self.state, FRONTIER, &self.message, code, size)
        };
        let output = match result.output_size {
            0 => Vec::new(),
            // SAFETY: the result has this output until it is released.
            size => unsafe { std::slice::from_raw_parts(result.output, size) }.to_vec(),
        };
        self.ended = Some((result.status, result.gas, output));
        if let Some(release) = result.release {
            release(&raw const result);
        }
    }

    /// How the last run ended; `None` after a halt, in which all gas is used.
    pub(crate) fn ended(&self) -> Option<Ended> {
        let (status, gas, output) = self.ended.clone()?;
        let word = |word: &Word| Value::Int(BigInt::from_bytes_be(Sign::Plus, word));
        let storage = self.state.iter().map(|(key, value)| (number_key(key).into(), word(value))).collect();
        let gas = u64::try_from(gas).ok()?;
        (status == SUCCESS).then_some(Ended::Success { gas, output, storage: Value::Record(storage) })
    }
}

impl Drop for Evmone {
    fn drop(&mut self) {
        let vm = std::mem::replace(&mut self.vm, null_mut());
        // SAFETY: it is used no more.
        unsafe { ((*vm).destroy)(vm) }
    }
}

fn storage(program: &Value) -> anyhow::Result<State> {
    let mut state = State::new();
    let executing = vmconf::model::hex::bytes_key(bytes(member(program, "address")?)?);
    let storage = member(program, "pre")?.get(&executing).and_then(|account| account.get("storage"));
    let Some(Value::Record(words)) = storage else { return Ok(state) };
    for (key, value) in words {
        let key: BigInt = key.parse().or_else(|_| parse_hex(key))?;
        state.insert(word(&Value::Int(key))?, word(value)?);
    }
    Ok(state)
}

fn parse_hex(text: &str) -> anyhow::Result<BigInt> {
    let digits = text.strip_prefix("0x").with_context(|| format!("{text} instead of a number"))?;
    BigInt::parse_bytes(digits.as_bytes(), 16).with_context(|| format!("{text} instead of a number"))
}

fn word(value: &Value) -> anyhow::Result<Word> {
    let Value::Int(number) = value else { anyhow::bail!("{value} instead of a number") };
    let bytes = number.magnitude().to_bytes_be();
    let mut word = Word::default();
    ensure!(bytes.len() <= word.len(), "a number too large");
    word[32 - bytes.len()..].copy_from_slice(&bytes);
    Ok(word)
}
