//! The crate evm under the rules of Homestead, as a testee of vmconf. Calls and creations are recorded, not executed.

#[path = "../revm/request.rs"]
mod request;
mod world;

use std::rc::Rc;

use alloy_primitives::{Address, B256, Log, hex};
use evm::MergeStrategy;
use evm::backend::{InMemoryBackend, OverlayedBackend};
use evm::interpreter::etable::Chained;
use evm::interpreter::runtime::{Context, RuntimeBackend, RuntimeBaseBackend, RuntimeState, TransactionContext};
use evm::interpreter::trap::{CallCreateTrap, CallFeedback, CallTrap, CreateFeedback, CreateTrap};
use evm::interpreter::{Capture, EtableInterpreter, ExitError, ExitException, ExitResult, ExitSucceed, FeedbackInterpreter, Interpreter};
use evm::standard::{Config, ExecutionEtable, GasometerEtable, GasometerState, Machine, State};
use evm::uint::{H160, U256, U256Ext};
use serde_json::{Value as Json, json};

use request::{Refused, done, read, short, with_logs};
use world::{bytes, post, world};

static RULES: Config = Config::homestead();

const HELLO: &str = r#"{"type":"hello","version":1,"name":"evm","release":"RELEASE","language":"Rust",
"homepage":"https://github.com/rust-ethereum/evm","machines":[{"machine":"evm","revisions":["homestead"],
"fields":["outcome","gas","out","logs","logsHash","callcreates","post"],"lacks":["a gas limit of more than 64 bits"]}]}"#;

/// The version of the crate that this is built with: cargo writes the list of all packages before it compiles one.
fn release() -> &'static str {
    let after = include_str!("Cargo.lock").split_once("name = \"evm\"\nversion = \"").expect("evm is a dependency").1;
    after.split_once('"').expect("a version ends").0
}

type World = OverlayedBackend<'static, InMemoryBackend>;
type Table = Chained<GasometerEtable<'static>, ExecutionEtable<'static>>;
type Engine<'t> = EtableInterpreter<'t, State<'static>, Table>;

/// Calls and creations as they are recorded, and whether their value leaves the account.
struct Recorder {
    recorded: Vec<Json>,
    debit: bool,
}

impl Recorder {
    fn record(&mut self, world: &mut World, own: H160, value: U256, mut call: Json) -> Result<(), ExitError> {
        if world.balance(own) < value {
            return Err(ExitException::OutOfFund.into());
        }
        call["value"] = json!(format!("{value:#x}"));
        self.recorded.push(call);
        if self.debit { world.withdrawal(own, value) } else { Ok(()) }
    }

    fn call(&mut self, engine: &mut Engine, world: &mut World, trap: CallTrap) -> Result<(), ExitError> {
        let own = engine.state.runtime.context.address;
        let child = engine.state.gasometer.submeter(trap.gas, false, trap.has_value(), &RULES)?;
        let call = json!({"data": hex::encode_prefixed(&trap.input), "destination": format!("{:#x}", trap.context.address), "gasLimit": format!("{:#x}", child.gas64())});
        let value = trap.transfer.as_ref().map_or(U256::ZERO, |transfer| transfer.value);
        let reason = self.record(world, own, value, call).map(|()| ExitSucceed::Stopped);
        engine.state.gasometer.merge(child, MergeStrategy::Commit);
        engine.feedback(CallFeedback { trap, reason, retbuf: Vec::new() }, world)
    }

    fn create(&mut self, engine: &mut Engine, world: &mut World, trap: CreateTrap) -> Result<(), ExitError> {
        let gas = engine.state.gasometer.gas64();
        let call = json!({"data": hex::encode_prefixed(&trap.code), "destination": "0x", "gasLimit": format!("{gas:#x}")});
        let address = trap.scheme.address(world);
        let reason = self.record(world, trap.scheme.caller(), trap.value, call).map(|()| address);
        engine.feedback(CreateFeedback { trap, reason, retbuf: Vec::new() }, world)
    }

    fn run(&mut self, engine: &mut Engine, world: &mut World) -> ExitResult {
        loop {
            match engine.run(world) {
                Capture::Exit(result) => return result,
                Capture::Trap(trap) => match *trap {
                    CallCreateTrap::Call(trap) => self.call(engine, world, trap)?,
                    CallCreateTrap::Create(trap) => self.create(engine, world, trap)?,
                },
            }
        }
    }
}

fn log(log: evm::interpreter::runtime::Log) -> Log {
    let topics = log.topics.iter().map(|topic| B256::new(topic.0)).collect();
    Log::new_unchecked(Address::new(log.address.0), topics, log.data.into())
}

fn run(request: &Json) -> Result<Json, Refused> {
    let program = request::program(request)?;
    let code = bytes(program, "code")?;
    let mut world = OverlayedBackend::new(world(program, &code)?, &RULES.runtime);
    let context = Context { address: read(program, "address")?, caller: read(program, "caller")?, apparent_value: read(program, "value")? };
    let transaction = TransactionContext { gas_price: read(program, "gasPrice")?, origin: read(program, "origin")? };
    let runtime = RuntimeState { context, transaction_context: Rc::new(transaction), retbuf: Vec::new() };
    let state = State { runtime, gasometer: GasometerState::new(short(program, "gas")?, false), config: &RULES };
    let data = Rc::new(bytes(program, "data")?);
    let table = Chained(GasometerEtable::new(), ExecutionEtable::new());
    let machine = Machine::new(Rc::new(code), data, RULES.stack_limit(), RULES.memory_limit(), state);
    let mut engine = EtableInterpreter::new(machine, &table);
    let mut recorder = Recorder { recorded: Vec::new(), debit: program["debit"] == true };
    let result = recorder.run(&mut engine, &mut world);
    let mut fields = json!({"outcome": "halt"});
    if result.is_ok() {
        let machine = engine.deconstruct();
        let (mut backend, changes) = world.deconstruct();
        backend.apply_overlayed(&changes);
        fields = json!({"outcome": "success", "gas": format!("{:#x}", machine.state.gasometer.gas64()), "out": hex::encode_prefixed(machine.retval), "callcreates": recorder.recorded, "post": post(&backend.state)});
        fields = with_logs(fields, &changes.logs.into_iter().map(log).collect::<Vec<_>>());
    }
    Ok(done(request, &fields, format!("{result:?}")))
}

fn main() {
    request::serve(&HELLO.replace('\n', "").replace("RELEASE", release()), run);
}
