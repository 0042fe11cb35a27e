//! Deep, shared and cyclic items; what a long run keeps, and what can be seen of large items.

use std::process::Command;

use vmconf::machines::machine::Machine;
use vmconf::machines::neo3::Op;
use vmconf::model::Value;

use super::{End, Script, boolean, buffer, end_of, ended, references};

/// A compound in a compound, and so on, to this depth.
fn nested(innermost: &[Op], pack: Op, levels: u32) -> Script {
    Script::new().ops(innermost).repeated(levels, &[Op::PUSH1, pack])
}

/// A compound that has the one below twice, and so on: a tree of `2^levels` leaves.
fn doubled(pack: Op, levels: u32) -> Script {
    Script::new().ops(&[Op::PUSH0, pack]).repeated(levels, &[Op::DUP, Op::PUSH2, pack])
}

/// How many values there are in one, and how many bytes.
pub(crate) fn extent(value: &Value) -> (usize, usize) {
    let (mut values, mut bytes, mut work) = (0, 0, vec![value]);
    while let Some(value) = work.pop() {
        values += 1;
        match value {
            Value::List(items) => work.extend(items),
            Value::Record(members) => work.extend(members.iter().map(|member| &member.1)),
            Value::Typed(_, inner) => work.push(inner),
            Value::Bytes(content) => bytes += content.len(),
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Text(_) => {}
        }
    }
    (values, bytes)
}

/// Everything can be seen of a machine, and is not much larger than what a vector could demand.
fn assert_observable(machine: &dyn Machine) {
    for field in ["invocationStack", "resultStack"] {
        let seen = machine.observe(field).unwrap();
        let (values, bytes) = extent(&seen);
        assert!(values < 10_000_000 && bytes < 300_000_000, "{field}: {values} values, {bytes} bytes");
        // What is written for a person must end too.
        assert!(machine.describe().len() < 1000);
    }
}

/// The script halts with this number of references, and its items can be looked at.
fn assert_halts(script: &Script, count: usize) {
    let machine = ended(script);
    assert_eq!(machine.observe("state"), Some(Value::text("HALT")), "{}", machine.describe());
    assert_eq!(references(machine.inspect()), count);
    assert_observable(&*machine);
}

// ---- Cycles, depth and sharing

#[test]
fn items_that_contain_themselves_are_observed() {
    let itself = Script::new().ops(&[Op::NEWARRAY0, Op::DUP, Op::DUP, Op::APPEND]);
    assert_halts(&itself, 2);
    // A Map by a key, and an Array by a Struct that is in it: a Struct itself would be cloned.
    let map = [Op::NEWMAP, Op::DUP, Op::PUSH1, Op::PUSH2, Op::PICK, Op::SETITEM];
    assert_halts(&Script::new().ops(&map), 3);
    let mutual = [Op::NEWSTRUCT0, Op::DUP, Op::DUP, Op::PUSH1, Op::PACK, Op::APPEND];
    assert_halts(&Script::new().ops(&mutual), 3);
    let many = itself.repeated(2000, &[Op::DUP, Op::OVER, Op::APPEND]);
    assert_halts(&many, 2002);
    for equal in [Op::EQUAL, Op::NOTEQUAL] {
        for script in [&[Op::NEWARRAY0, Op::DUP, Op::DUP, Op::APPEND][..], &map, &mutual] {
            let script = Script::new().ops(script).ops(&[Op::DUP, equal]);
            assert_eq!(end_of(&script), End::one(boolean(equal == Op::EQUAL)));
        }
    }
    // Two Structs whose Arrays lead back to them are equal up to those, which are two.
    let two = Script::new().ops(&mutual).ops(&mutual).ops(&[Op::EQUAL]);
    assert_eq!(end_of(&two), End::one(boolean(false)));
}

#[test]
fn two_thousand_levels_are_observed_compared_and_cloned() {
    for pack in [Op::PACK, Op::PACKSTRUCT] {
        assert_halts(&nested(&[Op::NEWARRAY0], pack, 2000), 2001);
        assert_halts(&nested(&[Op::NEWARRAY0], pack, 2047), 2048);
        assert_eq!(end_of(&nested(&[Op::NEWARRAY0], pack, 2048)), End::Fault);
    }
    let maps = Script::new().ops(&[Op::NEWMAP]).repeated(1000, &[Op::PUSH1, Op::PUSH1, Op::PACKMAP]);
    assert_halts(&maps, 2001);

    let two = |first: &[Op], second: &[Op]| {
        let first = nested(first, Op::PACKSTRUCT, 1000);
        first.raw(&nested(second, Op::PACKSTRUCT, 1000).0).ops(&[Op::EQUAL])
    };
    assert_eq!(end_of(&two(&[Op::NEWSTRUCT0], &[Op::NEWSTRUCT0])), End::one(boolean(true)));
    assert_eq!(end_of(&two(&[Op::PUSH5], &[Op::PUSH5])), End::one(boolean(true)));
    assert_eq!(end_of(&two(&[Op::PUSH5], &[Op::PUSHT])), End::one(boolean(false)));
    assert_eq!(end_of(&two(&[Op::NEWARRAY0], &[Op::NEWARRAY0])), End::one(boolean(false)));

    let deep = nested(&[Op::NEWSTRUCT0], Op::PACKSTRUCT, 2000);
    for clone in clones(&deep) {
        assert_halts(&clone, 2002);
    }
}

/// Scripts that leave an Array whose only item is a clone of the item of a script.
fn clones(item: &Script) -> [Script; 3] {
    let append = Script::new().ops(&[Op::NEWARRAY0, Op::DUP]).raw(&item.0).ops(&[Op::APPEND]);
    let setitem = Script::new().ops(&[Op::PUSH1, Op::NEWARRAY, Op::DUP, Op::PUSH0]);
    let values = item.clone().ops(&[Op::PUSH1, Op::PACK, Op::VALUES]);
    [append, setitem.raw(&item.0).ops(&[Op::SETITEM]), values]
}

#[test]
fn items_that_are_shared_often_are_observed_compared_and_cloned() {
    for pack in [Op::PACK, Op::PACKSTRUCT] {
        assert_halts(&doubled(pack, 40), 81);
        assert_halts(&doubled(pack, 1000), 2001);
        let same = doubled(pack, 40).ops(&[Op::DUP, Op::EQUAL]);
        assert_eq!(end_of(&same), End::one(boolean(true)));
    }
    let arrays = doubled(Op::PACK, 40).raw(&doubled(Op::PACK, 40).0).ops(&[Op::EQUAL]);
    assert_eq!(end_of(&arrays), End::one(boolean(false)));

    // A tree of 10 levels has 2047 nodes, of which 2048 may be compared; 2046 of them are below the
    // root, which with the Array around it and its entry are as many references as there may be.
    for (levels, is_allowed) in [(10, true), (11, false), (40, false)] {
        let tree = doubled(Op::PACKSTRUCT, levels);
        let compared = tree.clone().raw(&tree.0).ops(&[Op::EQUAL]);
        let expected = if is_allowed { End::one(boolean(true)) } else { End::Fault };
        assert_eq!(end_of(&compared), expected, "{levels} levels");
        for clone in clones(&tree) {
            if is_allowed {
                assert_halts(&clone, 2048);
            } else {
                assert_eq!(end_of(&clone), End::Fault, "{levels} levels");
            }
        }
    }
}

/// Every frame shows the one stack.
#[test]
fn a_thousand_frames_with_a_large_stack_are_observed() {
    // It calls itself until there are too many frames.
    let script = doubled(Op::PACK, 40).op(Op::CALL, &[0]);
    let machine = ended(&script);
    assert_eq!(machine.observe("exceptionMessage"), Some(Value::text("MaxInvocationStackSize exceed: 1024")));
    assert_eq!(machine.observe("invocationStack").unwrap().len(), Some(1024));
    assert_observable(&*machine);
}

#[test]
fn a_large_buffer_in_a_thousand_arrays_is_observed() {
    let script = Script::new().int(131_070).ops(&[Op::NEWBUFFER]).repeated(999, &[Op::DUP]).int(1000);
    let script = script.ops(&[Op::PACK]).repeated(999, &[Op::DUP]);
    assert_halts(&script, 2000);
    // One that a vector can well demand is seen whole.
    let one = Script::new().int(131_070).ops(&[Op::NEWBUFFER]);
    assert_eq!(end_of(&one), End::one(buffer(&vec![0; 131_070])));
}

// ---- Long runs

/// Does what a test of this file does in a process of its own, which may use so much memory.
fn alone(test: &str, most: usize, work: impl FnOnce()) {
    const ALONE: &str = "VMCONF_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        work();
        assert!(peak().is_none_or(|peak| peak < most), "{peak:?} of {most} bytes", peak = peak());
        return;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output =
        command.args(["--exact", &format!("neo3::bounds::{test}")]).env(ALONE, "1").output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{told}");
}

/// The most memory that this process had, in bytes, where the system says so.
fn peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(1024 * line.trim().trim_end_matches("kB").trim().parse::<usize>().ok()?)
}

#[test]
fn a_million_dropped_compounds_are_collected() {
    let bodies: [&[Op]; 6] = [
        &[Op::NEWARRAY0, Op::DROP],
        &[Op::NEWARRAY0, Op::NEWSTRUCT0, Op::APPEND],
        &[Op::LDLOC0, Op::NEWSTRUCT0, Op::APPEND, Op::LDLOC0, Op::POPITEM, Op::DROP],
        &[Op::LDLOC0, Op::PUSH1, Op::PACKSTRUCT, Op::PUSH1, Op::PACK, Op::VALUES, Op::DROP],
        &[Op::NEWMAP, Op::DUP, Op::PUSH1, Op::NEWMAP, Op::SETITEM, Op::CLEARITEMS],
        &[Op::NEWARRAY0, Op::STLOC1],
    ];
    alone("a_million_dropped_compounds_are_collected", 40_000_000, || {
        for body in bodies {
            let script = Script::new().op(Op::INITSLOT, &[2, 0]).ops(&[Op::NEWARRAY0, Op::STLOC0]);
            assert_halts(&script.counted(1_000_000, |script| script.ops(body)), 0);
        }
    });
}

/// What is dropped goes soon enough also if it is large.
#[test]
fn large_compounds_are_collected_early() {
    const LOOPS: u32 = 24;
    const BUFFERS: u32 = 500;
    // Copies, because a buffer of zeros occupies no memory until it is written.
    let copies =
        |script: Script| script.counted(BUFFERS, |it| it.ops(&[Op::LDLOC0, Op::PUSH0, Op::CAT, Op::SWAP]));
    let script = Script::new().op(Op::INITSLOT, &[1, 0]).int(131_070).ops(&[Op::NEWBUFFER, Op::STLOC0]);
    let script = script.counted(LOOPS, |script| copies(script).int(BUFFERS).ops(&[Op::PACK, Op::DROP]));
    alone("large_compounds_are_collected_early", 400_000_000, || assert_halts(&script, 0));
}

/// What contains itself is counted as long as the run lasts, so that it cannot fill the memory.
#[test]
fn garbage_that_contains_itself_ends_the_run() {
    let itself = [Op::NEWARRAY0, Op::DUP, Op::DUP, Op::APPEND];
    let dropped = Script::new().ops(&itself).ops(&[Op::DROP]);
    let overwritten = Script::new().ops(&itself).ops(&[Op::PUSH0, Op::PUSHNULL, Op::SETITEM]);
    for body in [dropped, overwritten] {
        for (times, fault) in [(2000, false), (1_000_000, true)] {
            let machine = ended(&Script::new().counted(times, |script| script.raw(&body.0)));
            let message = machine.observe("exceptionMessage");
            assert_eq!(message, fault.then(|| Value::text("MaxStackSize exceed: 2049/2048")));
        }
    }
    // An array that is emptied first no longer counts.
    let emptied = |script: Script| script.ops(&itself).ops(&[Op::CLEARITEMS]);
    assert_halts(&Script::new().counted(1_000_000, emptied), 0);
}

/// An exception on its way through a finally block is held by no stack and stays whole.
#[test]
fn a_pending_exception_outlives_a_collection() {
    let thrown = nested(&[Op::PUSH7], Op::PACK, 400);
    let finally =
        Script::new().counted(100_000, |it| it.ops(&[Op::NEWARRAY0, Op::PUSH1, Op::PACK, Op::DROP]));
    // Each offset counts from its own opcode: to the end of the script, and to the byte after THROW.
    let finally_at = 9 + thrown.0.len() + 1;
    let catch_at = 9 + finally_at + finally.0.len() + 1;
    let script = Script::new().op(Op::TRY_L, &[offset(catch_at), [0; 4]].concat());
    let script = script.op(Op::TRY_L, &[[0; 4], offset(finally_at)].concat()).raw(&thrown.0);
    let script = script.ops(&[Op::THROW]).raw(&finally.0).ops(&[Op::ENDFINALLY]);
    assert_eq!(end_of(&script), end_of(&thrown));
}

fn offset(bytes: usize) -> [u8; 4] {
    (bytes as i32).to_le_bytes()
}

/// An exception is held by nothing between THROW and its block, however often.
#[test]
fn an_exception_may_be_thrown_often() {
    let deep = nested(&[Op::NEWARRAY0], Op::PACK, 1500);
    let script = deep.counted(20_000, |script| {
        // TRY catches at the instruction after THROW, and ENDTRY continues at the one after itself.
        let script = script.ops(&[Op::SWAP]).op(Op::TRY, &[4, 0]).ops(&[Op::THROW]);
        script.op(Op::ENDTRY, &[2]).ops(&[Op::SWAP])
    });
    alone("an_exception_may_be_thrown_often", 40_000_000, || assert_halts(&script, 1501));
}
