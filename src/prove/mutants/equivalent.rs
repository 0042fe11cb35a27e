//! Faults that no case can notice: those that make no difference that an expectation could express, and those that
//! cannot be planted. Each has a reason.
//!
//! The list is strict both ways: `wrong` returns entries that match no fault, and entries that match a fault
//! which a case notices, or which cannot be planted and yet changes something. In this project, such an entry fails a
//! test; in a user's run it is a note, since the vector that notices the fault is not to blame.

use std::collections::BTreeSet;

use globset::GlobMatcher;

use super::fault::{RowFault, row_faults_of};
use crate::machines::MachineInfo;
use crate::text::glob::{Wildcards, glob};
use crate::wire::mutants::{FaultOutcome, JudgedFault};

/// Globs of the names of equivalent faults, each with a reason.
#[rustfmt::skip]
const EQUIVALENT: &[(&str, &str)] = &[
    ("evm/{ADD,MUL,ADDMOD,MULMOD,EQ,AND,OR,XOR}/swapped", COMMUTATIVE),
    ("neo3/{EQUAL,NOTEQUAL,BOOLAND,BOOLOR}/swapped", COMMUTATIVE),
    ("neo2/{AND,OR,XOR,EQUAL,BOOLAND,BOOLOR,NUMEQUAL,NUMNOTEQUAL,MIN,MAX}/swapped", COMMUTATIVE),
    ("ethereum/{ADD,MUL,ADDMOD,MULMOD,EQ,AND,OR,XOR}/swapped", COMMUTATIVE),
    ("tinyvm/{ADD,MUL,MULH,AND,OR,XOR,EQ,EQS,NE,NES}/swapped", COMMUTATIVE),
    ("minic89/{EQ,NE}/swapped", COMMUTATIVE),

    ("evm/POP/a-*", DROPPED),
    ("ethereum/POP/a-*", DROPPED),
    ("minic89/POP/a-*", DROPPED),
    ("neo3/DROP/a-*", DROPPED),
    ("neo2/DROP/a-{low-limb,sign-lost,zero-as-one}", DROPPED),
    ("neo3/NIP/b-*", DROPPED),
    ("neo2/NIP/b-{low-limb,sign-lost,zero-as-one}", DROPPED),

    ("{evm,ethereum}/MSTORE8/b-{low-limb,sign-lost}", "only the lowest byte is stored"),
    ("evm/{BALANCE,EXTCODESIZE,EXTCODECOPY,SUICIDE}/a-sign-lost", ADDRESS),
    ("evm/{CALL,CALLCODE,DELEGATECALL}/b-sign-lost", ADDRESS),
    ("ethereum/{BALANCE,EXTCODESIZE,EXTCODECOPY,EXTCODEHASH,SELFDESTRUCT}/a-sign-lost", ADDRESS),
    ("ethereum/{CALL,CALLCODE,DELEGATECALL,STATICCALL}/b-sign-lost", ADDRESS),
    ("evm/{CALLCODE,DELEGATECALL}/b-{low-limb,one-more,zero-as-one}", "tests of this format record the own address"),
    ("{evm,ethereum}/{MOD,SMOD}/b-zero-as-one", MODULO),
    ("{evm,ethereum}/{ADDMOD,MULMOD}/c-zero-as-one", MODULO),
    ("tinyvm/{MODU,MODS}/b-zero-as-one", MODULO),
    ("tinyvm/MULH/{a,b}-zero-as-one", "the high word of a product with 1 is 0, too"),
    ("tinyvm/{LHI,JHI}/a-{low-byte,sign-lost}", "only the low byte is used"),

    ("neo3/{JMPIF,JMPIF_L,JMPIFNOT,JMPIFNOT_L,ASSERT,NOT,BOOLAND,BOOLOR,NZ}/a-sign-lost", TRUE_WITH_SIGN),
    ("neo3/{BOOLAND,BOOLOR,ASSERTMSG}/b-sign-lost", TRUE_WITH_SIGN),
    ("neo2/{JMPIF,JMPIFNOT,NOT,NZ,BOOLAND,BOOLOR,THROWIFNOT}/a-sign-lost", TRUE_WITH_SIGN),
    ("neo2/{BOOLAND,BOOLOR}/b-sign-lost", TRUE_WITH_SIGN),
    ("minic89/{LNOT,JZ}/a-sign-lost", TRUE_WITH_SIGN),
    ("{neo3,neo2}/ABS/a-sign-lost", "the result does not depend on this sign"),
    ("neo3/{MOD,MODMUL}/a-sign-lost", "the result does not depend on the sign of the divisor"),

    ("neo3/{UNPACK,KEYS,VALUES,CLEARITEMS,POPITEM}/a-{one-more,low-limb,sign-lost,zero-as-one}", REJECTED),
    ("neo3/REVERSEITEMS/a-{sign-lost,zero-as-one}", REJECTED),
    ("neo3/{APPEND,REMOVE}/b-{one-more,low-limb,sign-lost,zero-as-one}", REJECTED),
    ("neo3/SETITEM/c-{sign-lost,zero-as-one}", REJECTED),
    ("neo3/APPEND/swapped", REJECTED),
    ("neo2/{UNPACK,REVERSE,KEYS,VALUES}/a-{one-more,low-limb,sign-lost,zero-as-one}", REJECTED),
    ("neo2/APPEND/b-{one-more,low-limb,sign-lost,zero-as-one}", REJECTED),
    ("neo2/{PICKITEM,APPEND,REMOVE,HASKEY}/swapped", REJECTED),
    ("neo3/HASKEY/b-{low-limb,sign-lost,zero-as-one}", "only the length matters"),
    ("neo3/{ISNULL,ISTYPE}/a-{one-more,low-limb,sign-lost,zero-as-one}", "only the type matters"),
    ("neo3/CALLA/a-{low-limb,sign-lost}", "a position has 32 bits and no sign, and a number is rejected"),
    ("neo2/{CHECKSIG,VERIFY}/a-{sign-lost,zero-as-one}", "neither a number nor another one is a key"),
    ("neo2/{CALL_ED,CALL_EDT}/a-zero-as-one", "no hash is a number of one byte"),

    ("neo3/{PICK,MEMCPY,CAT,SUBSTR,LEFT,RIGHT,REMOVE}/a-copied", "a compound on top is rejected"),
    ("neo3/{UNPACK,SIZE,HASKEY,KEYS,VALUES,PICKITEM}/a-copied", ONLY_READ),
    ("neo2/{XSWAP,PICK,PICKITEM,REMOVE,HASKEY}/a-copied", "a compound on top is rejected"),
    ("neo2/{CHECKMULTISIG,ARRAYSIZE,UNPACK,KEYS,VALUES}/a-copied", ONLY_READ),
    ("{neo3,neo2}/{KEYS,VALUES}/copied", "the result is a new compound"),

    ("neo2/THROW/limit-less", "it fails anyway"),
    ("ethereum/INVALID/limit-less", "it fails anyway, and every failure takes all gas of the frame"),
    ("ethereum/INVALID/price-more", "it takes all gas of the frame anyway"),
    ("neo3/{XDROP,PICK,ROLL}/one-more-needed", "there must be one item more than the row counts"),
    ("neo3/{XDROP,PICK,ROLL}/too-few", "a missing operand counts as 0, for which it fails with the same message"),
    ("neo2/{DIV,MOD,UNPACK,REVERSE,KEYS,VALUES,CALL_ED,CALL_EDT,THROWIFNOT}/too-few", "a missing operand counts as 0, for which it fails, too"),
];

/// Globs of the names of faults that cannot be planted, each with a reason: whatever a case does, they change nothing.
#[rustfmt::skip]
const NOT_PLANTED: &[(&str, &str)] = &[
    ("evm/{LT,GT,SLT,SGT,EQ,ISZERO,CALL,CALLCODE,DELEGATECALL}/{low-limb,low-half,sign-lost}", TRUTH),
    ("ethereum/{LT,GT,SLT,SGT,EQ,ISZERO,CALL,CALLCODE,DELEGATECALL,STATICCALL}/{low-limb,low-half,sign-lost}", TRUTH),
    ("neo3/{PUSHT,PUSHF,EQUAL,NOTEQUAL,NOT,BOOLAND,BOOLOR,NZ}/{one-less,low-limb,low-half,sign-lost}", TRUTH),
    ("neo3/{NUMEQUAL,NUMNOTEQUAL,LT,LE,GT,GE,WITHIN}/{one-less,low-limb,low-half,sign-lost}", TRUTH),
    ("neo3/{HASKEY,ISNULL,ISTYPE}/{one-less,low-limb,low-half,sign-lost}", TRUTH),
    ("neo2/{EQUAL,NOT,NZ,BOOLAND,BOOLOR,NUMEQUAL,NUMNOTEQUAL}/{one-less,low-limb,low-half,sign-lost}", TRUTH),
    ("neo2/{LT,GT,LTE,GTE,WITHIN,HASKEY}/{one-less,low-limb,low-half,sign-lost}", TRUTH),
    ("neo2/{CHECKSIG,VERIFY,CHECKMULTISIG}/{one-less,low-limb,low-half,sign-lost}", TRUTH),
    ("tinyvm/{NEVER,NEVERS,GT,GTS,EQ,EQS,GE,GES,LT,LTS,NE,NES,LE,LES,ALWAYS,ALWAYSS}/{low-byte,sign-lost}", TRUTH),
    ("minic89/{EQ,NE,LT,LE,GT,GE,LNOT}/{low-byte,sign-lost}", TRUTH),
    ("{neo3/PUSHF,tinyvm/{NEVER,NEVERS}}/zero", "the result is 0 or false"),
    ("ethereum/PUSH0/{one-less,low-limb,low-half,sign-lost,zero}", "the result is 0, and no word is less"),
    ("tinyvm/{NEVER,NEVERS}/one-less", "the result is 0, and no word is less"),

    ("evm/{BYTE,CALLDATASIZE,CODESIZE,EXTCODESIZE,PC,MSIZE,GAS}/{low-limb,low-half,sign-lost}", SMALL),
    ("ethereum/{BYTE,CLZ,CALLDATASIZE,CODESIZE,EXTCODESIZE,RETURNDATASIZE,PC,MSIZE,GAS}/{low-limb,low-half,sign-lost}", SMALL),
    ("ethereum/{TIMESTAMP,NUMBER,GASLIMIT,CHAINID,BASEFEE,SLOTNUM}/{low-limb,low-half,sign-lost}", "a number of the block or the chain has 64 bits"),
    ("ethereum/{GASPRICE,BLOBBASEFEE}/{low-half,sign-lost}", "a price has 128 bits"),
    ("ethereum/BLOBHASH/sign-lost", "the hash of a blob begins with its version, 1"),
    ("neo3/PUSH[0-9]*/{low-limb,low-half,sign-lost}", SMALL),
    ("neo3/{DEPTH,SIZE,UNPACK}/{low-limb,low-half,sign-lost}", SMALL),
    ("neo2/PUSH{[1-9],1[0-6]}/{low-limb,low-half,sign-lost}", SMALL),
    ("neo2/{DEPTH,SIZE,ARRAYSIZE,UNPACK}/{low-limb,low-half,sign-lost}", SMALL),
    ("tinyvm/{POPCNT,CLZ,CTZ}/{low-byte,sign-lost}", SMALL),
    ("neo3/PUSH0/zero", "the result is 0"),
    ("neo3/SQRT/{low-half,sign-lost}", "the root of 255 bits has 128 bits and no sign"),
    ("neo3/ABS/sign-lost", "the result has no sign"),
    ("evm/{ADDRESS,ORIGIN,CALLER,COINBASE,CREATE}/sign-lost", ADDRESS),
    ("ethereum/{ADDRESS,ORIGIN,CALLER,COINBASE,CREATE,CREATE2}/sign-lost", ADDRESS),
    ("evm/SHA3/boundary", "a hash is neither 0 nor 1"),
    ("ethereum/KECCAK256/boundary", "a hash is neither 0 nor 1"),

    ("neo3/{PACKMAP,PACKSTRUCT,PACK,NEWARRAY0,NEWARRAY,NEWARRAY_T,NEWSTRUCT0,NEWSTRUCT,NEWMAP,KEYS,VALUES}/{one-more,one-less,low-limb,low-half,sign-lost,zero}", COMPOUND),
    ("neo2/{PACK,NEWARRAY,NEWSTRUCT,NEWMAP,KEYS,VALUES}/{one-more,one-less,low-limb,low-half,sign-lost,zero}", COMPOUND),
    ("neo3/{PACKMAP,PACKSTRUCT,PACK,UNPACK,NEWARRAY,NEWARRAY_T,NEWSTRUCT,KEYS,VALUES,POPITEM}/forgotten", COMPOUND),
    ("neo2/{PACK,UNPACK,PICKITEM,NEWARRAY,NEWSTRUCT,HASKEY,KEYS,VALUES}/forgotten", COMPOUND),
    ("neo3/PUSHNULL/{one-more,one-less,low-limb,low-half,sign-lost,zero}", "Null is no number"),
    ("neo3/PUSHA/sign-lost", "a position has no sign"),
    ("neo3/{CAT,SUBSTR,LEFT,RIGHT}/{one-less,low-half,sign-lost,boundary}", BYTES),
    ("neo2/{CAT,SUBSTR,LEFT,RIGHT}/{one-less,low-half,sign-lost,boundary}", BYTES),
    ("neo2/{SHA1,SHA256,HASH160,HASH256}/{one-less,low-half,sign-lost}", BYTES),
    ("neo2/PUSH0/{one-less,low-limb,low-half,sign-lost,zero}", BYTES),
    ("neo3/NEWBUFFER/{one-less,low-limb,low-half,sign-lost,zero}", "the bytes are zeros, and no number"),
    ("minic89/{PUSH_FUN,PUSH_NULLFUN}/{one-more,one-less,low-byte,sign-lost,zero}", "a function is no number"),
    ("neo2/{PICKITEM,HASKEY}/boundary", "equal operands are rejected, so that there is no result"),

    ("{evm,ethereum}/DUP*/forgotten", STAYS),
    ("minic89/DUP/forgotten", STAYS),
    ("{neo3,neo2}/{DUP,OVER}/forgotten", STAYS),
    ("neo3/{CAT,SUBSTR,LEFT,RIGHT,EQUAL,NOTEQUAL,UNPACK,SIZE,HASKEY}/copied", "the result is not a compound"),
    ("neo2/{EQUAL,CHECKMULTISIG,ARRAYSIZE,UNPACK,HASKEY}/copied", "the result is not a compound"),

    ("neo3/{CALLT,ABORT,ABORTMSG}/counted", ENDS),
    ("neo3/ABORTMSG/{not-released,pop-omitted}", ENDS),
    ("neo2/THROW/counted", ENDS),
    ("evm/{RETURN,SUICIDE}/pop-omitted", ENDS),
    ("ethereum/{RETURN,REVERT,SELFDESTRUCT}/pop-omitted", "the frame ends"),
    ("ethereum/STOP/not-raised", "it takes nothing, and cannot fail"),
    ("neo2/TOALTSTACK/not-released", "the item stays"),
    ("neo3/CLEAR/not-raised", "it takes whatever there is, and cannot fail"),
];

const ADDRESS: &str = "an address is the lowest 160 bits";
const BYTES: &str = "the result is bytes, and no number";
const COMMUTATIVE: &str = "the result does not depend on the order of these operands";
const COMPOUND: &str = "the result or the operand is a compound, in whose place no number is put";
const DROPPED: &str = "the value is dropped";
const ENDS: &str = "the program ends";
const MODULO: &str = "modulo 0 and modulo 1 everything is 0";
const REJECTED: &str = "anything but a compound is rejected, whatever its value";
const ONLY_READ: &str = "the compound is only read";
const SMALL: &str = "the result has few bits and no sign";
const STAYS: &str = "what it takes stays";
const TRUE_WITH_SIGN: &str = "a number is true with and without its sign";
const TRUTH: &str = "the result is a truth value";

/// The faults of the instructions of a machine that some case can notice, in the order of its rows.
pub fn noticeable_faults_of(machine: &'static MachineInfo) -> Vec<RowFault> {
    let equivalents = Equivalents::new();
    let is_noticeable = |fault: &RowFault| equivalents.known(&fault.to_string()).is_none();
    row_faults_of(machine).into_iter().filter(is_noticeable).collect()
}

/// Why no case can notice a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unnoticeable {
    /// It makes no difference that an expectation could express.
    Equivalent(&'static str),
    /// It cannot be planted: the instruction has no value here that can be wrong in this way.
    NotPlanted(&'static str),
}

impl Unnoticeable {
    pub(super) fn reason(self) -> &'static str {
        match self {
            Unnoticeable::Equivalent(reason) | Unnoticeable::NotPlanted(reason) => reason,
        }
    }

    pub(super) fn outcome(self) -> FaultOutcome {
        match self {
            Unnoticeable::Equivalent(_) => FaultOutcome::Equivalent,
            Unnoticeable::NotPlanted(_) => FaultOutcome::NotPlanted,
        }
    }
}

/// The list.
pub struct Equivalents(Vec<(GlobMatcher, Unnoticeable)>);

impl Equivalents {
    pub(super) fn new() -> Equivalents {
        let equivalent =
            EQUIVALENT.iter().map(|(pattern, reason)| (pattern, Unnoticeable::Equivalent(reason)));
        let not_planted =
            NOT_PLANTED.iter().map(|(pattern, reason)| (pattern, Unnoticeable::NotPlanted(reason)));
        let row = |(pattern, known): (&&str, Unnoticeable)| Some((matcher(pattern)?, known));
        Equivalents(equivalent.chain(not_planted).filter_map(row).collect())
    }

    /// Why no case can notice a fault; `None` if one may.
    pub(super) fn known(&self, fault: &str) -> Option<Unnoticeable> {
        self.0.iter().find(|(pattern, _)| pattern.is_match(fault)).map(|(_, known)| *known)
    }

    /// What is wrong with the list, given the names of all faults of these machines, and the faults that were judged.
    pub(super) fn wrong(
        &self,
        all: &[String],
        judged: &[JudgedFault],
        machines: &BTreeSet<&str>,
    ) -> Vec<String> {
        let of_machines = |pattern: &str| {
            let machine = pattern.split('/').next().and_then(matcher);
            machine.is_some_and(|machine| machines.iter().any(|known| machine.is_match(known)))
        };
        let mut wrong = Vec::new();
        for (pattern, known) in self.0.iter().filter(|(pattern, _)| of_machines(pattern.glob().glob())) {
            let glob = pattern.glob().glob();
            if !all.iter().any(|name| pattern.is_match(name.as_str())) {
                wrong.push(format!("{glob} names no fault"));
            }
            for judged in judged.iter().filter(|judged| pattern.is_match(judged.fault.as_str())) {
                let name = &judged.fault;
                match (known, judged.outcome) {
                    (_, FaultOutcome::Killed) => {
                        wrong.push(format!("{glob} names {name}, which a case notices"));
                    }
                    (Unnoticeable::NotPlanted(_), FaultOutcome::Survived) => {
                        wrong.push(format!("{glob} names {name}, which changes something"));
                    }
                    _ => {}
                }
            }
        }
        wrong
    }
}

fn matcher(pattern: &str) -> Option<GlobMatcher> {
    Some(glob(pattern, Wildcards::StopAtSlashes).ok()?.compile_matcher())
}
