//! The hot tier of the EVM beside the plain loop.

use std::fmt::Write;
use std::sync::LazyLock;

use crate::random::{Random, number};
use crate::support::{at_root, read, sources_of};
use vmconf::isa::OpSet;
use vmconf::isa::assembler::assemble;
use vmconf::machines::evm::{EVM, Evm};
use vmconf::machines::inspect::Inspect;
use vmconf::machines::machine::{At, Machine, Watch};
use vmconf::machines::observe::Observe;
use vmconf::machines::status::Status;
use vmconf::machines::tiers::Tiers;
use vmconf::model::limits::Limits;
use vmconf::model::{Program, Value};
use vmconf::run::{self, LoadOptions, RunOptions};
use vmconf::testees::MakeTestee;

/// The program of an own vector with another code and other gas.
fn program(code: &[u8], gas: u64) -> Program {
    static OWN: LazyLock<Value> = LazyLock::new(|| {
        let (_, mut cases) = read(&at_root("vectors/evm/layout-2015/demo.json"));
        Value::clone(&cases.remove(0).case.program.0)
    });
    let Value::Record(mut members) = OWN.clone() else { panic!("a program that is not a record") };
    for (name, value) in &mut members {
        match &**name {
            "code" => *value = Value::Bytes(code.to_vec()),
            "gas" => *value = Value::int(gas),
            _ => {}
        }
    }
    Program::from(Value::Record(members))
}

fn loaded(program: &Program, tiers: Tiers) -> Evm {
    let mut machine = Evm::new(&Limits::default());
    machine.choose(tiers);
    machine.load(program).unwrap();
    machine
}

/// Everything that can be seen of a machine.
fn everything(machine: &Evm) -> (Vec<Option<Value>>, String, usize) {
    let fields =
        ["outcome", "gas", "out", "logsHash", "callcreates", "post", "pc", "stack", "memory", "refund"];
    (fields.map(|field| machine.observe(field)).to_vec(), machine.describe(), machine.depth())
}

/// How many random programs: `VMCONF_PROGRAMS`, or a few.
fn programs(few: usize) -> usize {
    number("VMCONF_PROGRAMS", few as u64) as usize
}

/// Code with loops: pieces after destinations, with jumps between them, and instructions that a block cannot
/// contain among those that it can. In most programs each piece leaves as many items as it found, so that the loops
/// go on until the gas is used up; in others the stack runs empty or over.
fn looping_code(random: &mut Random) -> Vec<u8> {
    const FOUND: i64 = 9;
    let is_balanced = !random.one_in(4);
    let mut source = String::new();
    let parts = 1 + random.below(4);
    let found = if is_balanced { FOUND } else { random.below(9) as i64 };
    for _ in 0..found {
        source += "PUSH8 0x";
        source += &hex::encode(random.bytes(8));
        source.push('\n');
    }
    for part in 0..parts {
        writeln!(source, "part{part}: JUMPDEST").unwrap();
        let mut height = found;
        for _ in 0..random.below(24) {
            let text = instruction(random, parts);
            let (lowest, after) = heights(&text, height);
            if lowest >= 0 || !is_balanced {
                source += &text;
                height = after;
            }
        }
        if is_balanced {
            let missing = if height < FOUND { "CALLER\n" } else { "POP\n" };
            source += &missing.repeat(height.abs_diff(FOUND) as usize);
        }
    }
    writeln!(source, "PUSH2 @part{}\nJUMP", random.below(parts)).unwrap();
    assemble(&EVM, &source).unwrap_or_else(|error| panic!("{source}: {error}"))
}

/// How many items there are at least on the way through the instructions, and after them.
fn heights(source: &str, before: i64) -> (i64, i64) {
    let rows = source.lines().filter_map(|line| EVM.by_name(line.split(' ').next()?));
    rows.fold((before, before), |(lowest, height), row| {
        let taken = height - i64::from(row.pops);
        (lowest.min(taken), taken + i64::from(row.pushes))
    })
}

/// One instruction, or a few.
fn instruction(random: &mut Random, parts: usize) -> String {
    let target = random.below(parts);
    match random.below(42) {
        0..8 => format!("PUSH1 {}\n", random.below(256)),
        8..10 => format!("PUSH32 0x{}\n", hex::encode(random.bytes(32))),
        10..16 => format!("DUP{}\n", 1 + random.below(6)),
        16..20 => format!("SWAP{}\n", 1 + random.below(5)),
        20..22 => "POP\n".to_owned(),
        22 => format!("PUSH2 @part{target}\nJUMPI\n"),
        23 => format!("DUP1 PUSH2 @part{target}\nJUMPI\n").replace("DUP1 ", "DUP1\n"),
        24 => "PC\n".to_owned(),
        25 => random
            .pick(&["GAS\n", "MSIZE\n", "CALLER\n", "PUSH1 64\nMSTORE\n", "PUSH1 32\nMLOAD\n"])
            .to_owned(),
        26 => "PUSH1 2\nEXP\n".to_owned(),
        27 => random.pick(&["ADDMOD\n", "MULMOD\n", "SIGNEXTEND\n", "BYTE\n"]).to_owned(),
        28 => format!("PUSH2 @part{target}\n"),
        29 if random.one_in(8) => "JUMP\n".to_owned(),
        29 => "JUMPDEST\n".to_owned(),
        30..32 => assertion(random),
        _ => {
            let computes = [
                "ADD", "MUL", "SUB", "DIV", "SDIV", "MOD", "SMOD", "LT", "GT", "SLT", "SGT", "EQ", "ISZERO",
                "AND", "OR", "XOR", "NOT",
            ];
            format!("{}\n", random.pick(&computes))
        }
    }
}

/// What compilers make of an assertion: the program goes on at a jump, or fails after it.
fn assertion(random: &mut Random) -> String {
    let condition = match random.below(3) {
        0 => format!("DUP{}\nISZERO\nISZERO\n", 1 + random.below(6)),
        1 => format!("DUP{}\n", 1 + random.below(6)),
        _ => {
            let test = random.pick(&["LT", "GT", "EQ\nISZERO"]);
            format!("DUP{}\nDUP{}\n{test}\n", 1 + random.below(5), 1 + random.below(6))
        }
    };
    let label = random.below(1 << 48);
    format!("{condition}PUSH2 @on{label}\nJUMPI\n.byte 0xfe\non{label}: JUMPDEST\n")
}

/// Runs a program to its end on each tier. The machine with both panics if they differ on the way.
fn same_on_all_tiers(code: &[u8], gas: u64) {
    let program = program(code, gas);
    let [plain, hot, both] = [Tiers::Plain, Tiers::Hot, Tiers::Both].map(|tiers| {
        let mut machine = loaded(&program, tiers);
        assert_eq!(machine.run(u64::MAX, None), Status::Ended);
        everything(&machine)
    });
    assert_eq!(hot, plain, "{}", hex::encode(code));
    assert_eq!(both, plain, "{}", hex::encode(code));
}

#[test]
fn random_programs_end_the_same_on_all_tiers() {
    let mut random = Random::seeded_by("VMCONF_SEED");
    for _ in 0..programs(300) {
        let code = looping_code(&mut random);
        same_on_all_tiers(&code, random.below(30_000) as u64);
    }
}

/// Sees how much gas is left before each instruction.
#[derive(Default)]
struct Gas(Vec<u64>);

impl Watch for Gas {
    fn before(&mut self, at: &At<'_>) {
        let Some(Value::Int(gas)) = at.state.observe("gas") else { panic!("no gas") };
        self.0.push(u64::try_from(gas).unwrap());
    }
}

/// With exactly the gas for the first instructions of a run, and with one less, both tiers end at the same place:
/// after each instruction of the run.
#[test]
fn gas_that_ends_at_any_instruction_ends_both_tiers_alike() {
    const GAS: u64 = 1500;
    let mut random = Random::seeded_by("VMCONF_SEED");
    // The one with both is hot soon, so that most of these runs end in a block.
    let [mut plain, mut both] = [Tiers::Plain, Tiers::Both].map(|tiers| {
        let mut machine = Evm::new(&Limits::default());
        machine.choose(tiers);
        machine
    });
    let run = |machine: &mut Evm, program: &Program| {
        machine.load(program).unwrap();
        machine.run(u64::MAX, None);
        everything(machine)
    };
    for _ in 0..programs(40) {
        let code = looping_code(&mut random);
        let mut seen = Gas::default();
        loaded(&program(&code, GAS), Tiers::Plain).run(u64::MAX, Some(&mut seen));
        let mut ends: Vec<_> =
            seen.0.iter().map(|left| GAS - left).flat_map(|used| [used.saturating_sub(1), used]).collect();
        ends.dedup();
        for gas in ends {
            let program = program(&code, gas);
            assert_eq!(
                run(&mut both, &program),
                run(&mut plain, &program),
                "gas {gas}: {}",
                hex::encode(&code)
            );
        }
    }
}

/// A block is charged the highest price of a power when it begins. What is charged after it is the price of each, also
/// of one whose result is not used.
#[test]
fn powers_in_a_block_cost_what_each_of_them_costs() {
    let source = "PUSH2 1000
        again: JUMPDEST\nDUP1\nPUSH1 3\nEXP\nDUP2\nDUP1\nMUL\nPUSH1 2\nEXP\nADD\nPUSH1 7\nEXP\nPOP
        PUSH1 1\nSWAP1\nSUB\nDUP1\nPUSH2 @again\nJUMPI\nSTOP";
    let code = assemble(&EVM, source).unwrap();
    let used = |tiers, gas| {
        let mut machine = loaded(&program(&code, gas), tiers);
        assert_eq!(machine.run(u64::MAX, None), Status::Ended);
        (everything(&machine), machine.account().units())
    };
    for gas in [5000, 5001, 5399, 100_000, 10_000_000] {
        assert_eq!(used(Tiers::Hot, gas), used(Tiers::Plain, gas), "gas {gas}");
        assert_eq!(used(Tiers::Both, gas).0, used(Tiers::Plain, gas).0, "gas {gas}");
    }
}

/// A loop of several blocks.
const LOOP: &str = "PUSH1 1\nPUSH1 2\nPUSH2 1000
    again: JUMPDEST\nSWAP2\nDUP2\nADD\nSWAP1\nDUP2\nXOR\nSWAP1\nSWAP2
    inside: JUMPDEST\nPUSH1 1\nSWAP1\nSUB\nDUP1\nPUSH1 3\nAND\nPUSH2 @again\nJUMPI
    DUP1\nPUSH2 @inside\nJUMPI\nSTOP";

#[test]
fn a_budget_ends_at_any_instruction_of_a_block() {
    let code = assemble(&EVM, LOOP).unwrap();
    let program = program(&code, 1_000_000);
    for budget in 1000..1100 {
        let mut plain = loaded(&program, Tiers::Plain);
        // Hot after a few turns of the loop.
        let mut both = loaded(&program, Tiers::Both);
        for _ in 0..3 {
            assert_eq!(plain.run(budget, None), both.run(budget, None));
            assert_eq!(everything(&both), everything(&plain), "after {budget} instructions");
        }
    }
}

#[test]
fn a_jump_into_the_middle_of_a_block_runs_the_same_on_all_tiers() {
    same_on_all_tiers(&assemble(&EVM, LOOP).unwrap(), 1_000_000);
}

#[test]
fn a_watch_sees_every_instruction_of_a_hot_program() {
    let program = program(&assemble(&EVM, LOOP).unwrap(), 1_000_000);
    let [plain, hot] = [Tiers::Plain, Tiers::Hot].map(|tiers| {
        let mut seen = Gas::default();
        loaded(&program, tiers).run(u64::MAX, Some(&mut seen));
        seen.0
    });
    assert!(plain.len() > 10_000);
    assert_eq!(hot, plain);
}

/// The vectors of this project, each on both tiers beside each other.
#[test]
fn own_vectors_pass_on_both_tiers() {
    let run = RunOptions { testee: MakeTestee::on(Tiers::Both), ..RunOptions::default() };
    let summary = run::run(
        &sources_of(at_root("vectors/evm")),
        &LoadOptions { run, ..LoadOptions::default() },
        &mut |_| {},
    );
    assert!(summary.passed > 50 && summary.failed + summary.errors == 0, "{summary:?}");
}

/// Sees the state before each instruction of a set. At full speed between them, or one instruction after the other.
struct Sought<'s> {
    ops: &'s OpSet,
    at_full_speed: bool,
    seen: Vec<(usize, [Option<Value>; 3])>,
}

impl Watch for Sought<'_> {
    fn only(&self) -> Option<OpSet> {
        self.at_full_speed.then(|| self.ops.clone())
    }

    fn before(&mut self, at: &At<'_>) {
        if at.op.is_some_and(|op| self.ops.contains(op)) {
            self.seen.push((at.pc, ["gas", "stack", "memory"].map(|field| at.state.observe(field))));
        }
    }
}

/// Blocks leave out the instructions that a watch asks for: it sees each of them, with the same state.
#[test]
fn a_watch_of_some_instructions_sees_each_on_all_tiers() {
    let mut random = Random::seeded_by("VMCONF_SEED");
    let (mut seen, count) = (0, programs(300));
    for _ in 0..count {
        let program = program(&looping_code(&mut random), random.below(30_000) as u64);
        let ops = (0..=random.below(3)).map(|_| &EVM.ops[random.below(EVM.ops.len())]).collect();
        let ops = OpSet::new(&EVM, ops);
        let watched = |tiers, at_full_speed| {
            let mut watch = Sought { ops: &ops, at_full_speed, seen: Vec::new() };
            let mut machine = loaded(&program, tiers);
            assert_eq!(machine.run(u64::MAX, Some(&mut watch)), Status::Ended);
            (watch.seen, everything(&machine))
        };
        let expected = watched(Tiers::Plain, false);
        seen += expected.0.len();
        for tiers in [Tiers::Plain, Tiers::Hot, Tiers::Both] {
            assert_eq!(watched(tiers, true), expected, "{tiers:?}, {ops:?}");
        }
    }
    // Of a few programs, all may end before.
    assert!(seen >= 3 * count || count < 100, "{seen} in {count} programs");
}

/// The flag chooses among them: two engines beside each other take twice as many steps.
#[test]
fn the_engine_of_the_command_line_is_used() {
    let run = |engine: &str| {
        let long = "tests/samples/trace/long.json";
        crate::support::vmconf(&["run", long, "--max-steps", "400000", "--engine", engine])
    };
    for engine in ["hot", "plain"] {
        assert_eq!(run(engine).exit, 0, "{engine}");
    }
    let both = run("both");
    assert!(both.exit == 3 && both.stdout.contains("--max-steps 400000"), "{both:?}");
}
